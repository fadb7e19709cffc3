// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sinks that check or count units. Counters that continue from unit to unit are kept for each link
 * of each run, so that concurrent senders are checked independently.
 */
#include "sources.h"

#include <roc/roc.h>

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "kmod/fragment/fragment_data.h"
#include "utils/check/check.h"
#include "utils/ros/fragment_check.h"
#include "utils/stream/stream.h"

#define DONE_MAX 256	      /* handles between two calls of done() */
#define PAGE_BYTES 8192	      /* if the source has no page size */
#define FRAGMENT_LINK_LAST 15 /* in a source id */
#define RUNS 32		      /* at the same time: the maximum number of connections of roc-recv */

/* State of the check of one run. */
struct run {
	bool begun;
	uint64_t run;
	uint64_t last; /* number of its last unit, counted by the check */
	struct checker pages;
	struct stream_check streams[CHECK_LINKS];
};

struct check {
	struct sink sink;
	const struct unit_format *format; /* NULL: only count */
	struct check_config config;
	struct error_log *errors;
	struct run *runs; /* array of RUNS */
	struct run *now;  /* of the last unit */
	uint64_t handles[DONE_MAX];
	unsigned int count;
};

static struct check *of(struct sink *s)
{
	return (struct check *)s;
}

static enum check_data data_of(enum unit_content content)
{
	switch (content) {
	case UNIT_COUNTER:
		return CHECK_INTERNAL;
	case UNIT_DDG:
		return CHECK_DDG;
	case UNIT_RUNNING:
		return CHECK_RUNNING;
	default:
		return CHECK_HEADERS;
	}
}

static void begin(struct check *c, struct run *r, const struct unit *u)
{
	struct check_config config = c->config;
	unsigned int i;

	config.data = data_of(c->format->content);
	config.any_link = c->format->any_link || u->flags & UNIT_ANY_LINK;
	config.page_size = c->format->page_bytes ? c->format->page_bytes : PAGE_BYTES;
	check_init(&r->pages, &config, c->errors);
	for (i = 0; i < CHECK_LINKS; i++)
		r->streams[i] = (struct stream_check){.errors = c->errors};
	r->begun = true;
	r->run = u->run;
}

/*
 * Find the state of the run of a unit. An unknown run replaces the one without a unit for longest.
 */
static struct run *run_of(struct check *c, const struct unit *u)
{
	struct run *oldest = c->runs, *r;

	for (r = c->runs; r < c->runs + RUNS; r++) {
		if (r->begun && r->run == u->run)
			return r;
		if (r->last < oldest->last)
			oldest = r;
	}
	begin(c, oldest, u);
	return oldest;
}

/*
 * Only the card knows which ODIN stream this is. The first record determines it, and later ones
 * must match.
 */
static void learn_stream(struct stream_check *s, const struct roc_packet *packet)
{
	struct roc_packet_odin odin;

	if (!s->begun && packet->kind == ROC_PACKET_ODIN && !roc_packet_odin(packet, &odin))
		s->stream = odin.stream;
}

static void check_packets(struct check *c, struct run *r, const struct unit *u)
{
	struct roc_packets walk;
	struct roc_packet packet;
	int ret;

	if (u->link < 0 || u->link >= CHECK_LINKS) {
		error_log_add(c->errors, "unit %" PRIu64 ": stream %d does not exist", u->sequence,
			      u->link);
		return;
	}
	roc_packets_begin(&walk, u->data, u->bytes);
	while ((ret = roc_packets_next(&walk, &packet)) > 0) {
		learn_stream(&r->streams[u->link], &packet);
		ret = stream_check_packet(&r->streams[u->link], &packet, false);
		if (ret)
			break;
	}
	if (ret < 0)
		error_log_add(c->errors, "unit %" PRIu64 ": %s", u->sequence, roc_error());
}

/*
 * Check a fragment of a generator, complete or truncated. The card that sent it is not known here.
 */
static void check_fragment(struct check *c, const struct unit *u)
{
	const struct fragment_header *h = u->data;
	const char *reason;
	uint32_t card;

	if (u->first > UINT32_MAX || u->link < 0 || u->link > FRAGMENT_LINK_LAST ||
	    u->bytes > UINT32_MAX) {
		error_log_add(c->errors,
			      "unit %" PRIu64 ": event %" PRIu64
			      " or link %d of a fragment is invalid",
			      u->sequence, u->first, u->link);
		return;
	}
	reason = ros_fragment_check(u->data, (uint32_t)u->bytes, (uint32_t)u->first,
				    (uint32_t)u->link, &card);
	if (!reason && le32toh(h->size) != u->bytes && !(u->flags & UNIT_DAMAGED))
		reason = "it is truncated, but not flagged as damaged";
	if (reason)
		error_log_add(c->errors, "unit %" PRIu64 ", event %" PRIu64 " of link %d: %s",
			      u->sequence, u->first, u->link, reason);
}

static void check_unit(struct check *c, const struct unit *u)
{
	struct check_superpage sp = {
		.data = u->data,
		.received = (uint32_t)u->bytes,
		.length = (uint32_t)u->bytes,
		.link = u->link >= 0 ? (unsigned int)u->link : UINT32_MAX,
		.number = u->sequence,
	};

	if (!c->now || c->now->run != u->run)
		c->now = run_of(c, u);
	/* Counts from 1, so an entry that was never used is older than all others. */
	c->now->last = c->sink.n.units + 1;
	if (c->format->content == UNIT_PACKETS)
		check_packets(c, c->now, u);
	else if (c->format->content == UNIT_FRAGMENTS)
		check_fragment(c, u);
	else if (u->bytes > UINT32_MAX)
		error_log_add(c->errors,
			      "unit %" PRIu64 ": %" PRIu64 " bytes exceed the limit of 4294967295",
			      u->sequence, u->bytes);
	else if (c->format->content != UNIT_BYTES)
		check_superpage(&c->now->pages, &sp);
}

static int put(struct sink *s, const struct unit *u)
{
	struct check *c = of(s);

	if (c->count == DONE_MAX)
		return 0;
	if (c->format)
		check_unit(c, u);
	c->handles[c->count++] = u->handle;
	s->n.units++;
	s->n.bytes += u->bytes;
	s->n.errors = c->errors ? c->errors->count : 0;
	return 1;
}

static int flush(struct sink *s)
{
	return 0;
}

static int done(struct sink *s, uint64_t *handles, unsigned int max)
{
	struct check *c = of(s);
	unsigned int n;

	for (n = 0; n < max && c->count; n++)
		handles[n] = c->handles[--c->count];
	return (int)n;
}

static void abandon(struct sink *s)
{
}

static void check_sleep(struct sink *s, struct units_sleep *sleep)
{
	if (of(s)->count)
		sleep->ns = 0;
}

static void close_sink(struct sink *s)
{
	free(of(s)->runs);
	free(of(s));
}

static const struct sink_ops check_ops = {
	.name = "check",
	.put = put,
	.flush = flush,
	.done = done,
	.finish = flush,
	.abandon = abandon,
	.sleep = check_sleep,
	.close = close_sink,
};

static const struct sink_ops count_ops = {
	.name = "count",
	.put = put,
	.flush = flush,
	.done = done,
	.finish = flush,
	.abandon = abandon,
	.sleep = check_sleep,
	.close = close_sink,
};

struct sink *sink_check(const struct unit_format *format, const struct check_config *config,
			struct error_log *errors)
{
	struct check *c = calloc(1, sizeof(*c));

	if (c)
		c->runs = calloc(RUNS, sizeof(*c->runs));
	if (!c || !c->runs) {
		free(c);
		return NULL;
	}
	c->sink.ops = &check_ops;
	c->format = format;
	c->config = *config;
	c->errors = errors;
	return &c->sink;
}

struct sink *sink_count(void)
{
	struct check *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->sink.ops = &count_ops;
	return &c->sink;
}
