// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Open, configure, start, stop and reset a stream, and query a card's streams without opening them.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "libroc.h"
#include "named.h"
#include "stream.h"

LIBROC_NAMED_LAYOUT(roc_st, stream);

static int fail_settings(const struct libroc_target *t, int err, const void *settings)
{
	const struct roc_st_settings *arg = settings;

	switch (err) {
	case ERANGE:
		return roc_fail(
			ERANGE,
			"%s: the card rejected a setting (set 0x%x): policy %u, %u events, %u bytes and %u ns per packet, throttle at %u to %u, truncate at %u, interrupt after %llu bytes or %llu ns: see roc_st_settings, and the valid values in roc-stream set --help",
			t->name, arg->set, arg->policy, arg->pack_events, arg->pack_bytes,
			arg->pack_time, arg->throttle_on, arg->throttle_off, arg->truncate_on,
			(unsigned long long)arg->interrupt_bytes,
			(unsigned long long)arg->interrupt_time);
	case EOPNOTSUPP:
		if (!arg->set)
			return 0;
		return roc_fail(
			EOPNOTSUPP,
			"%s: the stream does not have a setting of set 0x%x, or the card has no streams: see roc_st_settings for the settings of this type of stream",
			t->name, arg->set);
	case EINVAL:
		return roc_fail(
			EINVAL,
			"%s: unknown settings in set 0x%x, or the low-water mark of %llu bytes is larger than the ring (without a ring: than the card's longest ring); see enum roc_st_set",
			t->name, arg->set, (unsigned long long)arg->low_water);
	default:
		return 0;
	}
}

static const struct libroc_named_type type = {
	.one = "stream",
	.many = "streams",
	.title = "stream ",
	.cap = ROC_CAP_STREAMS,
	.lacks =
		"the card has no streams, its channels are pools of superpages: use roc_channel_open()",
	.levels = "enum roc_st_level",
	.mild = "ROC_ST_RESET_FLUSH or _COUNTERS",
	.busy = "runs: stop it first",
	.handle_size = sizeof(struct roc_stream),
	.info = ROC_ST_INFO,
	.info_size = sizeof(struct roc_st_info),
	.settings = ROC_ST_SETTINGS,
	.settings_size = sizeof(struct roc_st_settings),
	.settings_zero = offsetof(struct roc_st_settings, spill),
	.fail_settings = fail_settings,
	.reset = ROC_ST_RESET,
	.stop = ROC_ST_STOP,
};

int roc_card_stream(struct roc_endpoint *ep, unsigned int stream, struct roc_st_info *info)
{
	return libroc_named_info(libroc_target_card(&type, ep, stream), info);
}

int roc_card_stream_find(struct roc_endpoint *ep, const char *name, unsigned int *stream)
{
	return libroc_named_find(&type, ep, name, stream);
}

int roc_stream_open(const char *id, const char *stream, struct roc_stream **s)
{
	struct roc_card card;
	int ret;

	ret = roc_find(id, &card);
	return ret ? ret : roc_stream_open_card(&card, id, stream, s);
}

int roc_stream_open_card(const struct roc_card *card, const char *id, const char *stream,
			 struct roc_stream **s)
{
	struct libroc_named *c;
	struct roc_st_info info;
	int ret;

	ret = libroc_named_open(card, id, stream, &type, &info, &c);
	if (!ret)
		*s = (struct roc_stream *)c;
	return ret;
}

void roc_stream_close(struct roc_stream *s)
{
	if (!s)
		return;
	libroc_stream_unmap(s);
	close(s->c.node.fd);
	free(s);
}

const char *roc_stream_name(const struct roc_stream *s)
{
	return s->c.own;
}

unsigned int roc_stream_number(const struct roc_stream *s)
{
	return s->c.number;
}

int roc_stream_fd(const struct roc_stream *s)
{
	return s->c.node.fd;
}

int roc_stream_eventfd(struct roc_stream *s, int eventfd)
{
	return libroc_eventfd(&s->c.node, s->c.name, eventfd);
}

int roc_stream_info(struct roc_stream *s, struct roc_st_info *info)
{
	return libroc_named_info(libroc_target_own(&s->c), info);
}

void roc_stream_damage(const struct roc_stream *s, struct roc_stream_damage *damage)
{
	*damage = s->walk.damage;
}

int roc_stream_settings(struct roc_stream *s, struct roc_st_settings *settings)
{
	return libroc_named_settings(libroc_target_own(&s->c), settings);
}

int roc_card_stream_settings(struct roc_endpoint *ep, unsigned int stream,
			     struct roc_st_settings *settings)
{
	return libroc_named_settings(libroc_target_card(&type, ep, stream), settings);
}

static void begin(struct roc_stream *s, uint32_t position)
{
	s->seen = position;
	s->read = position;
	s->reported = position;
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
	ret = libroc_node_ioctl(&s->c.node, ROC_ST_START, &arg);
	if (!ret) {
		begin(s, position);
		return 0;
	}
	/*
	 * A failed start may or may not have set the positions of the user and the card to
	 * @position: follow it if it did.
	 */
	if (!roc_stream_running(s) &&
	    __atomic_load_n(&s->user->read, __ATOMIC_RELAXED) == position &&
	    __atomic_load_n(&s->user->taken, __ATOMIC_RELAXED) == position)
		begin(s, position);
	return libroc_fail_start(-ret, s->c.name);
}

int roc_stream_stop(struct roc_stream *s, unsigned int *lost)
{
	struct roc_st_stop arg = {.size = sizeof(arg)};
	int ret = libroc_named_stop(&s->c, &arg);

	if (ret)
		return ret;
	if (lost)
		*lost = arg.lost;
	return 0;
}

int roc_stream_reset(struct roc_stream *s, enum roc_st_level level)
{
	return libroc_named_reset(libroc_target_own(&s->c), level);
}

int roc_card_stream_reset(struct roc_endpoint *ep, unsigned int stream, enum roc_st_level level)
{
	return libroc_named_reset(libroc_target_card(&type, ep, stream), level);
}

int roc_card_streams(struct roc_endpoint *ep, struct roc_st_card *streams)
{
	struct roc_st_card arg = *streams;
	struct libroc_target t = libroc_target_card(&type, ep, 0);
	int ret;

	arg.size = sizeof(arg);
	arg.flags = 0;
	ret = libroc_target_ioctl(&t, ROC_ST_CARD, &arg);
	switch (-ret) {
	case 0:
		*streams = arg;
		return 0;
	case EOPNOTSUPP:
		return libroc_fail_lacks(&type, ep->name);
	case ENOENT:
		return roc_fail(ENOENT, "%s: mask 0x%x enables streams that the card does not have",
				ep->name, arg.enabled);
	case ERANGE:
		return roc_fail(ERANGE, "%s: source id %u does not fit into 16 bits", ep->name,
				arg.source);
	default:
		return libroc_fail_ioctl(-ret, ep->name,
					 "cannot access the card's stream settings");
	}
}
