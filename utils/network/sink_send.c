// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sending end as a sink. A unit is written from its memory into a slot of the receiver. The
 * sender keeps the unit until it has the credit of the slot, so that it can send the unit again. So
 * the loss of a receiver loses no unit, and a slow receiver delays at most as many units as it has
 * slots.
 */
#include "send_link.h"

#include "libroc/fabric/doze.h"
#include "utils/common/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define TRY_NS (UNITS_NS_PER_S / 2) /* between two attempts to connect */
#define CONFIRM_NS (60 * UNITS_NS_PER_S)

static struct send *of(struct sink *s)
{
	return (struct send *)s;
}

static uint64_t patience_ns(const struct send *s)
{
	return s->opt.patience * UNITS_NS_PER_S;
}

/* Fail when the receiver has been absent for longer than --patience. */
static int check_patience(struct send *s, const struct link *l)
{
	if (units_now() - l->absent_since < patience_ns(s))
		return 0;
	return units_fail(
		s->sink.reason, EHOSTUNREACH,
		"The receiver was lost (%s) and did not reconnect within %u s (--patience).",
		s->last, s->opt.patience);
}

static int flush(struct sink *sink)
{
	struct send *s = of(sink);
	char reason[UNITS_REASON];
	uint32_t i, ready = 0;
	int ret;

	if (s->broken)
		return s->broken;
	for (i = 0; i < s->opt.connections; i++) {
		struct link *l = &s->links[i];

		if (l->state == READY) {
			ret = link_serve(s, l);
			if (ret)
				link_lose(s, l, strerror(-ret));
		} else if (l->state != DOWN || units_now() - l->since > TRY_NS) {
			reason[0] = '\0';
			ret = link_try(s, l, reason);
			/* Another attempt would fail, too. */
			if (ret == -EPROTO)
				return units_fail(sink->reason, EPROTO, "%s", reason);
		}
		ready += l->state == READY;
		if (l->state != READY && check_patience(s, l))
			return -EHOSTUNREACH;
	}
	if (ready == s->opt.connections) {
		sink->state = NULL;
		s->last[0] = '\0';
	}
	return s->broken;
}

static int put(struct sink *sink, const struct unit *u)
{
	struct send *s = of(sink);
	uint32_t link = u->link > 0 ? (uint32_t)u->link % s->opt.connections : 0, i;

	if (!s->free.count)
		return 0;
	i = parcel_pop(s, &s->free);
	s->parcels[i] =
		(struct parcel){.unit = *u, .link = link, .next = SEND_NONE, .order = s->order++};
	parcel_push(s, &s->links[link].queue, i);
	return 1;
}

static int done(struct sink *sink, uint64_t *handles, unsigned int max)
{
	struct send *s = of(sink);
	unsigned int n;
	uint32_t i;

	for (n = 0; n < max && s->done.count; n++) {
		i = parcel_pop(s, &s->done);
		handles[n] = s->parcels[i].unit.handle;
		parcel_push(s, &s->free, i);
	}
	return (int)n;
}

static void send_sleep(struct sink *sink, struct units_sleep *sleep)
{
	struct send *s = of(sink);
	uint32_t i;

	if (s->done.count)
		sleep->ns = 0;
	for (i = 0; i < s->opt.connections && sleep->ns; i++) {
		struct link *l = &s->links[i];

		/*
		 * A confirmed connection is not served any more, so an event of its socket would
		 * end every sleep.
		 */
		if (l->confirmed)
			continue;
		if (l->state == READY) {
			control_sleep(&l->control, sleep);
			fabric_end_sleep(&s->fabric, &l->end, sleep);
		} else {
			units_sleep_ns(sleep, UNITS_NS_PER_S / 100);
		}
	}
}

/* Sleep until a connection needs service. */
static void wait_for_service(struct sink *sink)
{
	struct units_sleep sleep = {.ns = UNITS_NS_PER_S / 20};

	send_sleep(sink, &sleep);
	doze(&(struct doze){0}, &sleep);
}

static bool all_confirmed(const struct send *s)
{
	uint32_t i;

	for (i = 0; i < s->opt.connections; i++) {
		if (!s->links[i].confirmed)
			return false;
	}
	return true;
}

static int send_end(struct send *s, struct link *l)
{
	struct wire_record r = {.type = WIRE_END, .a = l->units, .b = l->bytes};
	unsigned char text[WIRE_RECORD];

	wire_put_record(text, &r);
	l->ended = control_queue(&l->control, text, sizeof(text));
	l->polled = 0;
	return control_flush(&l->control);
}

/* Compare the totals of the receiver with the local ones. */
static int compare(struct send *s)
{
	uint32_t i;

	for (i = 0; i < s->opt.connections; i++) {
		const struct link *l = &s->links[i];

		if (l->totals.a != l->units || l->totals.b != l->bytes)
			return units_fail(s->sink.reason, EBADMSG,
					  "The receiver reports %" PRIu64 " units and %" PRIu64
					  " bytes for connection %" PRIu32
					  ", but acknowledged %" PRIu64 " and %" PRIu64 ".",
					  l->totals.a, l->totals.b, i, l->units, l->bytes);
	}
	return 0;
}

int sink_send_finish(struct sink *sink)
{
	struct send *s = of(sink);
	uint32_t i;
	int ret;

	if (sink->reason[0])
		return -EIO;
	/* After lost units the totals differ, and the receiver may be absent. */
	if (sink->n.lost)
		return units_fail(sink->reason, EIO, "The receiver did not acknowledge all units.");
	if (!s->confirm_until)
		s->confirm_until = units_now() + CONFIRM_NS;
	for (i = 0; i < s->opt.connections && !all_confirmed(s); i++) {
		struct link *l = &s->links[i];

		if (l->state == READY && !l->ended && send_end(s, l))
			link_lose(s, l, "the receiver closed the connection at the end");
		if (l->state != READY)
			l->ended = false;
		else if (!l->confirmed)
			l->polled = 0;
	}
	ret = all_confirmed(s) ? 0 : flush(sink);
	if (ret)
		return ret;
	if (all_confirmed(s))
		return compare(s) ? -EBADMSG : 1;
	if (units_now() > s->confirm_until)
		return units_fail(sink->reason, ETIME,
				  "The receiver did not report its totals within %u s (%s).",
				  (unsigned int)(CONFIRM_NS / UNITS_NS_PER_S),
				  s->last[0] ? s->last : "the receiver is slow");
	return 0;
}

static int finish(struct sink *sink)
{
	int ret;

	while (!(ret = sink_send_finish(sink)))
		wait_for_service(sink);
	return ret < 0 ? ret : 0;
}

/* After the ends are closed, libfabric does not read units any more. */
static void abandon(struct sink *sink)
{
	struct send *s = of(sink);
	uint32_t i;

	for (i = 0; i < s->opt.connections; i++) {
		struct link *l = &s->links[i];
		bool busy = l->in_flight;
		uint32_t n;

		for (n = 0; l->in_slot && n < l->welcome.slots && !busy; n++)
			busy = l->in_slot[n] != SEND_NONE;
		if (busy)
			link_lose(s, l, "abandoned");
		while (l->queue.count) {
			uint32_t at = parcel_pop(s, &l->queue);

			sink->n.lost++;
			sink->n.unconfirmed += s->parcels[at].sent;
			sink->n.lost_bytes += s->parcels[at].unit.bytes;
			parcel_push(s, &s->done, at);
		}
	}
}

static void close_sink(struct sink *sink)
{
	struct send *s = of(sink);
	uint32_t i;

	for (i = 0; s->links && i < s->opt.connections; i++) {
		link_end(s, &s->links[i]);
		free(s->links[i].slots);
		free(s->links[i].in_slot);
	}
	fabric_close(&s->fabric, s->sink.reason);
	free(s->links);
	free(s->parcels);
	free(s->heads);
	free(s);
}

static const struct sink_ops ops = {
	.name = "send",
	.put = put,
	.flush = flush,
	.done = done,
	.finish = finish,
	.abandon = abandon,
	.sleep = send_sleep,
	.close = close_sink,
};

/* Return whether the other end or the network caused @err, so that another attempt can succeed. */
static bool is_remote(int err)
{
	switch (err) {
	case ECONNREFUSED:
	case ECONNRESET:
	case ECONNABORTED:
	case EHOSTUNREACH:
	case EHOSTDOWN:
	case ENETUNREACH:
	case ENETDOWN:
	case ETIMEDOUT:
	case EPIPE:
	case EBUSY:
		return true;
	default:
		return false;
	}
}

/* Connect before the card starts: retry until @end if the receiver is absent. */
static int connect_first(struct send *s, struct link *l, uint64_t end)
{
	bool noted = false;
	int ret;

	while (l->state != READY) {
		struct pollfd p;

		s->sink.reason[0] = '\0';
		ret = link_try(s, l, s->sink.reason);
		if (ret && (!is_remote(-ret) || units_now() >= end))
			return ret;
		if (ret && !noted)
			tool_note("%s Retrying for %u s (--patience).", s->sink.reason,
				  s->opt.patience);
		noted |= ret;
		p.fd = l->control.fd;
		p.events = l->state == CONNECTING ? POLLOUT : POLLIN;
		if (l->state != READY)
			poll(&p, 1, ret ? TRY_NS / 1000000 : 50);
	}
	s->sink.reason[0] = '\0';
	return 0;
}

static int prepare(struct send *s)
{
	uint64_t end = units_now() + patience_ns(s);
	uint32_t i;

	s->parcels = calloc(SEND_PARCELS, sizeof(*s->parcels));
	s->heads = calloc(1, SEND_HEADS);
	s->links = calloc(s->opt.connections, sizeof(*s->links));
	if (!s->parcels || !s->heads || !s->links)
		return units_fail(s->sink.reason, ENOMEM, "Cannot allocate the connections.");
	for (i = 0; i < s->opt.connections; i++) {
		s->links[i].control.fd = -1;
		s->links[i].end.fd = -1;
	}
	for (i = 0; i < SEND_PARCELS; i++)
		parcel_push(s, &s->free, i);
	/* Report an absent receiver before the card starts. */
	for (i = 0; i < s->opt.connections; i++) {
		if (connect_first(s, &s->links[i], end))
			return -EIO;
	}
	return 0;
}

struct sink *sink_send(const struct send_options *o, const struct source *source,
		       char reason[UNITS_REASON])
{
	struct send *s = calloc(1, sizeof(*s));

	if (!s) {
		units_fail(reason, ENOMEM, "Cannot allocate the sink for the network.");
		return NULL;
	}
	s->sink.ops = &ops;
	s->opt = *o;
	s->source = source;
	s->run = units_realtime();
	if (prepare(s)) {
		units_fail(reason, EIO, "%s", s->sink.reason);
		close_sink(&s->sink);
		return NULL;
	}
	return &s->sink;
}
