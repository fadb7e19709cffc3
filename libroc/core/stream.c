// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An open stream: which one, its settings, start, stop, reset; and what can be asked of a card's
 * streams without opening them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asked.h"
#include "libroc.h"
#include "stream.h"

static int name_of(struct roc_endpoint *ep, unsigned int number, char name[ROC_TEXT_MAX]);

static const struct libroc_kind kind = {
	.one = "stream",
	.many = "streams",
	.cap = ROC_CAP_STREAMS,
	.lacks = "the card has no streams, its channels are pools of superpages: use "
		 "roc_channel_open()",
	.levels = "enum roc_st_level",
	.mild = "ROC_ST_RESET_FLUSH or _COUNTERS",
	.busy = "runs: stop it first",
	.name = name_of,
};

static struct libroc_asked endpoint(struct roc_endpoint *ep)
{
	return (struct libroc_asked){.kind = &kind, .ep = ep, .name = ep->name};
}

static struct libroc_asked itself(const struct roc_stream *s)
{
	return (struct libroc_asked){.kind = &kind, .node = &s->node, .name = s->name};
}

static int get_info(struct libroc_asked a, unsigned int stream, struct roc_st_info *info)
{
	*info = (struct roc_st_info){.size = sizeof(*info), .stream = stream};
	return libroc_ask(&a, ROC_ST_INFO, info);
}

static int name_of(struct roc_endpoint *ep, unsigned int number, char name[ROC_TEXT_MAX])
{
	struct roc_st_info info;
	int ret = get_info(endpoint(ep), number, &info);

	if (!ret)
		snprintf(name, ROC_TEXT_MAX, "%.*s", ROC_TEXT_MAX - 1, info.name);
	return ret;
}

int roc_card_stream(struct roc_endpoint *ep, unsigned int stream, struct roc_st_info *info)
{
	struct libroc_asked a = endpoint(ep);
	struct roc_st_info arg;
	int ret = get_info(a, stream, &arg);

	if (ret)
		return libroc_fail_asked(&a, -ret, stream, "cannot ask for a stream's state");
	*info = arg;
	return 0;
}

int roc_card_stream_find(struct roc_endpoint *ep, const char *name, unsigned int *stream)
{
	return libroc_find_named(&kind, ep, name, stream);
}

int roc_stream_open(const char *id, const char *stream, struct roc_stream **s)
{
	struct roc_card card;
	int ret;

	ret = roc_find(id, &card);
	return ret ? ret : roc_stream_open_card(&card, id, stream, s);
}

/* Which stream, and what it is called. */
static int find(const struct roc_card *card, const char *id, const char *stream,
		struct roc_stream *s)
{
	struct roc_endpoint *ep;
	struct roc_st_info info;
	int ret;

	ret = roc_open_card(card, id, &ep);
	if (ret)
		return ret;
	ret = roc_card_stream_find(ep, stream, &s->number);
	if (!ret)
		ret = roc_card_stream(ep, s->number, &info);
	if (!ret) {
		snprintf(s->stream, sizeof(s->stream), "%s", info.name);
		snprintf(s->name, sizeof(s->name), "%s stream %s", ep->name, s->stream);
	}
	roc_close(ep);
	return ret;
}

int roc_stream_open_card(const struct roc_card *card, const char *id, const char *stream,
			 struct roc_stream **s)
{
	struct roc_stream *new;
	int ret;

	new = calloc(1, sizeof(*new));
	if (!new)
		return libroc_fail_text(ENOMEM, "no memory for a stream's handle");
	ret = find(card, id, stream, new);
	if (ret)
		goto fail;
	ret = libroc_open_channel(card, new->number, new->name, kind.one, &new->node);
	if (ret)
		goto fail;
	*s = new;
	return 0;

fail:
	free(new);
	return ret;
}

void roc_stream_close(struct roc_stream *s)
{
	if (!s)
		return;
	if (s->lines) {
		libroc_node_unmap(&s->node, s->ring, s->made.ring_length);
		libroc_node_unmap(&s->node, s->kernel, s->made.control_length);
		libroc_node_unmap(&s->node, s->user, s->made.user_length);
		libroc_node_unmap(&s->node, s->bell, s->made.bell_length);
	}
	close(s->node.fd);
	free(s);
}

const char *roc_stream_name(const struct roc_stream *s)
{
	return s->stream;
}

unsigned int roc_stream_number(const struct roc_stream *s)
{
	return s->number;
}

int roc_stream_fd(const struct roc_stream *s)
{
	return s->node.fd;
}

int roc_stream_eventfd(struct roc_stream *s, int eventfd)
{
	return libroc_eventfd(&s->node, s->name, eventfd);
}

int roc_stream_info(struct roc_stream *s, struct roc_st_info *info)
{
	struct roc_st_info arg;
	int ret = get_info(itself(s), s->number, &arg);

	if (ret)
		return libroc_fail_ioctl(-ret, s->name, "cannot get the stream's state");
	*info = arg;
	return 0;
}

void roc_stream_damage(const struct roc_stream *s, struct roc_stream_damage *damage)
{
	*damage = s->walk.damage;
}

static int change_settings(struct libroc_asked a, unsigned int stream,
			   struct roc_st_settings *settings)
{
	struct roc_st_settings arg = *settings;
	int ret;

	arg.size = sizeof(arg);
	arg.flags = 0;
	arg.stream = stream;
	arg.spill = 0;
	ret = libroc_ask(&a, ROC_ST_SETTINGS, &arg);
	switch (-ret) {
	case 0:
		*settings = arg;
		return 0;
	case ERANGE:
		return roc_fail(ERANGE,
				"%s: the card does not take a setting (set 0x%x): policy %u, %u "
				"events, %u bytes and %u ns per packet, throttle at %u to %u, "
				"truncate at %u, interrupt after %llu bytes or %llu ns: see "
				"roc_st_settings, and roc-stream set --help for what it takes",
				a.name, arg.set, arg.policy, arg.pack_events, arg.pack_bytes,
				arg.pack_time, arg.throttle_on, arg.throttle_off, arg.truncate_on,
				(unsigned long long)arg.interrupt_bytes,
				(unsigned long long)arg.interrupt_time);
	case EOPNOTSUPP:
		if (!arg.set)
			return libroc_fail_lacks(&kind, a.name);
		return roc_fail(EOPNOTSUPP,
				"%s: the stream does not have a setting of set 0x%x, or the card "
				"has no streams: set what roc_st_settings says of this kind of "
				"stream",
				a.name, arg.set);
	case EINVAL:
		return roc_fail(EINVAL,
				"%s: unknown settings in set 0x%x, or the low-water mark of %llu "
				"bytes is larger than the ring (without a ring: than the card's "
				"longest ring); see enum roc_st_set",
				a.name, arg.set, (unsigned long long)arg.low_water);
	default:
		return libroc_fail_asked(&a, -ret, stream, "cannot change the stream's settings");
	}
}

int roc_stream_settings(struct roc_stream *s, struct roc_st_settings *settings)
{
	return change_settings(itself(s), s->number, settings);
}

int roc_card_stream_settings(struct roc_endpoint *ep, unsigned int stream,
			     struct roc_st_settings *settings)
{
	return change_settings(endpoint(ep), stream, settings);
}

static void begin(struct roc_stream *s, uint32_t position)
{
	s->seen = position;
	s->read = position;
	s->told = position;
	s->taken = position;
	s->walk.number = 0;
	s->walk.numbered = true;
	s->walk.begun = false;
}

int roc_stream_start(struct roc_stream *s, uint32_t position)
{
	struct roc_st_start arg = {.size = sizeof(arg), .position = position};
	int ret;

	ret = s->lines ? libroc_need_ring(s) : roc_stream_ring(s, 0);
	if (ret)
		return ret;
	ret = libroc_node_ioctl(&s->node, ROC_ST_START, &arg);
	if (!ret) {
		begin(s, position);
		return 0;
	}
	/* It may have set the positions back, the card's too, or not have come so far. */
	if (!roc_stream_running(s) &&
	    __atomic_load_n(&s->user->read, __ATOMIC_RELAXED) == position &&
	    __atomic_load_n(&s->user->taken, __ATOMIC_RELAXED) == position)
		begin(s, position);
	return libroc_fail_start(-ret, s->name);
}

int roc_stream_stop(struct roc_stream *s, unsigned int *lost)
{
	struct roc_st_stop arg = {.size = sizeof(arg)};
	int ret = libroc_node_ioctl(&s->node, ROC_ST_STOP, &arg);
	struct roc_st_info info;

	if (ret == -EALREADY) {
		if (get_info(itself(s), s->number, &info))
			info.state = ROC_CH_STOPPED;
		return libroc_fail_idle(s->name, info.state, info.why, LIBROC_NOTHING_TO_STOP);
	}
	if (ret)
		return libroc_fail_stop(-ret, s->name);
	if (lost)
		*lost = arg.lost;
	return 0;
}

static int reset(struct libroc_asked a, unsigned int stream, enum roc_st_level level)
{
	struct roc_st_reset arg = {.size = sizeof(arg), .stream = stream, .level = level};

	return libroc_reset_asked(&a, ROC_ST_RESET, &arg, stream, level);
}

int roc_stream_reset(struct roc_stream *s, enum roc_st_level level)
{
	return reset(itself(s), s->number, level);
}

int roc_card_stream_reset(struct roc_endpoint *ep, unsigned int stream, enum roc_st_level level)
{
	return reset(endpoint(ep), stream, level);
}

int roc_card_streams(struct roc_endpoint *ep, struct roc_st_card *streams)
{
	struct roc_st_card arg = *streams;
	struct libroc_asked a = endpoint(ep);
	int ret;

	arg.size = sizeof(arg);
	arg.flags = 0;
	ret = libroc_ask(&a, ROC_ST_CARD, &arg);
	switch (-ret) {
	case 0:
		*streams = arg;
		return 0;
	case EOPNOTSUPP:
		return libroc_fail_lacks(&kind, ep->name);
	case ENOENT:
		return roc_fail(ENOENT, "%s: mask 0x%x enables streams that the card does not have",
				ep->name, arg.enabled);
	case ERANGE:
		return roc_fail(ERANGE, "%s: source id %u: it has 16 bits", ep->name, arg.source);
	default:
		return libroc_fail_ioctl(-ret, ep->name, "cannot ask for the card's streams");
	}
}
