// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An open stream: which one, its settings, start, stop, reset; and what can be asked of a card's
 * streams without opening them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libroc.h"
#include "stream.h"

#define STREAMS_MAX 32 /* of a card */

static int fail_no_streams(const char *name)
{
	return roc_fail(EOPNOTSUPP,
			"%s: the card has no streams, its channels are pools of superpages: use "
			"roc_channel_open()",
			name);
}

/*
 * Who is asked: the endpoint, or the stream's own node. An endpoint with pools may not know the
 * question (-ENOTTY), as an old module does not know it anywhere.
 */
struct asked {
	struct roc_endpoint *ep; /* NULL: the stream */
	int fd;
	const char *name;
};

static int ask(const struct asked *a, unsigned long request, void *arg)
{
	struct roc_ep_info info = {.size = sizeof(info)};
	int ret;

	if (!a->ep)
		return libroc_ioctl(a->fd, request, arg);
	ret = a->ep->backend->ioctl(a->ep, request, arg);
	if (ret == -ENOTTY && !a->ep->backend->ioctl(a->ep, ROC_EP_INFO, &info) &&
	    !(info.caps & ROC_CAP_STREAMS))
		return -EOPNOTSUPP;
	return ret;
}

static struct asked endpoint(struct roc_endpoint *ep)
{
	return (struct asked){.ep = ep, .name = ep->name};
}

static struct asked itself(struct roc_stream *s)
{
	return (struct asked){.fd = s->fd, .name = s->name};
}

static int get_info(struct asked a, unsigned int stream, struct roc_st_info *info)
{
	*info = (struct roc_st_info){.size = sizeof(*info), .stream = stream};
	return ask(&a, ROC_ST_INFO, info);
}

int roc_card_stream(struct roc_endpoint *ep, unsigned int stream, struct roc_st_info *info)
{
	struct roc_st_info arg;
	int ret = get_info(endpoint(ep), stream, &arg);

	switch (-ret) {
	case 0:
		*info = arg;
		return 0;
	case ENOENT:
		return roc_fail(ENOENT, "%s: the card has no stream %u", ep->name, stream);
	case EOPNOTSUPP:
		return fail_no_streams(ep->name);
	default:
		return libroc_fail_ioctl(-ret, ep->name, "cannot ask for a stream's state");
	}
}

int roc_card_stream_find(struct roc_endpoint *ep, const char *name, unsigned int *stream)
{
	char list[STREAMS_MAX * (ROC_TEXT_MAX + 2)] = "", *end;
	unsigned long number = strtoul(name, &end, 10);
	struct roc_st_info info;
	unsigned int i;
	size_t used = 0;
	int ret = 0;

	for (i = 0; i < STREAMS_MAX; i++) {
		ret = get_info(endpoint(ep), i, &info);
		if (ret)
			break;
		if ((*name && !*end && number == i) || !strcmp(name, info.name)) {
			*stream = i;
			return 0;
		}
		used += snprintf(list + used, sizeof(list) - used, "%s%.*s", i ? ", " : "",
				 ROC_TEXT_MAX, info.name);
	}
	if (ret == -EOPNOTSUPP)
		return fail_no_streams(ep->name);
	if (ret && ret != -ENOENT)
		return libroc_fail_ioctl(-ret, ep->name, "cannot ask for its streams");
	return roc_fail(ENOENT, "%s: the card has no stream '%s'; it has %s", ep->name, name,
			used ? list : "none");
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
	char node[48];
	int ret;

	new = calloc(1, sizeof(*new));
	if (!new)
		return libroc_fail_text(ENOMEM, "no memory for a stream's handle");
	ret = find(card, id, stream, new);
	if (ret)
		goto fail;
	snprintf(node, sizeof(node), "%sch%u", card->node, new->number);
	ret = libroc_open_node(new->name, node);
	if (ret == -EBUSY)
		ret = libroc_fail_owned(card, new->number, new->name, "stream");
	if (ret < 0)
		goto fail;
	new->fd = ret;
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
		munmap((void *)s->ring, 2 * (size_t)s->lines * ROC_ST_LINE);
		munmap((void *)s->kernel, s->control_length);
		munmap(s->user, s->user_length);
		if (s->bell)
			munmap((void *)s->bell, s->bell_length);
	}
	close(s->fd);
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
	return s->fd;
}

int roc_stream_eventfd(struct roc_stream *s, int eventfd)
{
	return libroc_eventfd(s->fd, s->name, eventfd);
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

static int change_settings(struct asked a, unsigned int stream, struct roc_st_settings *settings)
{
	struct roc_st_settings arg = *settings;
	int ret;

	arg.size = sizeof(arg);
	arg.flags = 0;
	arg.stream = stream;
	arg.spill = 0;
	ret = ask(&a, ROC_ST_SETTINGS, &arg);
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
			return fail_no_streams(a.name);
		return roc_fail(EOPNOTSUPP,
				"%s: the stream does not have a setting of set 0x%x, or the card "
				"has no streams: set what roc_st_settings says of this kind of "
				"stream",
				a.name, arg.set);
	case ENOENT:
		return roc_fail(ENOENT, "%s: the card has no stream %u", a.name, stream);
	case EINVAL:
		return roc_fail(EINVAL, "%s: unknown settings in set 0x%x: see enum roc_st_set",
				a.name, arg.set);
	default:
		return libroc_fail_ioctl(-ret, a.name, "cannot change the stream's settings");
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

int roc_stream_start(struct roc_stream *s, uint32_t position)
{
	struct roc_st_start arg = {.size = sizeof(arg), .position = position};
	int ret;

	if (!s->lines) {
		ret = roc_stream_ring(s, 0);
		if (ret)
			return ret;
	}
	ret = libroc_ioctl(s->fd, ROC_ST_START, &arg);
	if (ret == -EBUSY)
		return roc_fail(EBUSY, "%s: is running already: stop it first", s->name);
	if (ret == -EIO)
		return roc_fail(EIO,
				"%s: the card does not do as it is told, or is off the bus: start "
				"again; if it comes back, load the card's firmware anew",
				s->name);
	if (ret)
		return libroc_fail_ioctl(-ret, s->name, "cannot start");
	s->seen = position;
	s->read = position;
	s->told = position;
	s->taken = position;
	return 0;
}

int roc_stream_stop(struct roc_stream *s, unsigned int *lost)
{
	struct roc_st_stop arg = {.size = sizeof(arg)};
	int ret = libroc_ioctl(s->fd, ROC_ST_STOP, &arg);

	if (ret == -EALREADY)
		return roc_fail(EALREADY, "%s: is not running: there is nothing to stop", s->name);
	if (ret)
		return libroc_fail_ioctl(-ret, s->name, "cannot stop");
	if (lost)
		*lost = arg.lost;
	return 0;
}

static int reset(struct asked a, unsigned int stream, enum roc_st_level level)
{
	struct roc_st_reset arg = {.size = sizeof(arg), .stream = stream, .level = level};
	int ret = ask(&a, ROC_ST_RESET, &arg);

	switch (-ret) {
	case 0:
		return 0;
	case EBUSY:
		return roc_fail(EBUSY,
				"%s: cannot reset so much of a stream that runs: stop it first, "
				"or take ROC_ST_RESET_FLUSH or _COUNTERS",
				a.name);
	case EINVAL:
		return roc_fail(EINVAL, "%s: there is no reset level %u: see enum roc_st_level",
				a.name, arg.level);
	case ENOENT:
		return roc_fail(ENOENT, "%s: the card has no stream %u", a.name, stream);
	case EOPNOTSUPP:
		return fail_no_streams(a.name);
	case EIO:
		return roc_fail(EIO,
				"%s: the card answers all ones, or the reset does not show: it is "
				"off the bus, or load its firmware anew",
				a.name);
	default:
		return libroc_fail_ioctl(-ret, a.name, "cannot reset");
	}
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
	struct asked a = endpoint(ep);
	int ret;

	arg.size = sizeof(arg);
	arg.flags = 0;
	ret = ask(&a, ROC_ST_CARD, &arg);
	switch (-ret) {
	case 0:
		*streams = arg;
		return 0;
	case EOPNOTSUPP:
		return fail_no_streams(ep->name);
	case ENOENT:
		return roc_fail(ENOENT, "%s: mask 0x%x enables streams that the card does not have",
				ep->name, arg.enabled);
	case ERANGE:
		return roc_fail(ERANGE, "%s: source id %u: it has 16 bits", ep->name, arg.source);
	default:
		return libroc_fail_ioctl(-ret, ep->name, "cannot ask for the card's streams");
	}
}
