// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fetch fragments as they arrive. Once per batch the source takes all announced fragments into the
 * index. It requests them from the oldest event on, as long as there are free host pages, so one
 * doorbell serves many requests. Fragments without a host page stay in the card, which then
 * throttles its links.
 */
#include "sources.h"

#include <roc/fragment.h>
#include <roc/robinnp.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"
#include "utils/common/card.h"
#include "utils/common/numbers.h"
#include "utils/common/tool.h"

#define HOST_PAGE 4096 /* memory need not be contiguous beyond this size */
#define TAKE 4096      /* descriptors in one call */
#define POLL_NS (1000 * 1000)

/*
 * Counters of the card, and the fragments that wait in it. The counter of offered fragments is not
 * used: after a reset it counts the waiting fragments a second time.
 */
struct card_counters {
	uint64_t announced, discarded, transfers, bytes;
	uint64_t waiting;
};

struct fragment_source {
	struct source source;
	struct roc_card card;
	const struct fragment_registers *registers;
	struct roc_endpoint *ep;
	struct roc_fragments *f;
	struct roc_memory memory;
	struct roc_lender *lender;
	uint32_t links; /* mask of links to fetch */
	int32_t link;	/* number of the first link in the card */
	bool slept;	/* since the last unit */
	bool stopping;	/* new fragments stay in the card */
	bool stopped;	/* the card is stopped */
	bool counts;	/* valid since the start */
	/* Counters of the card can be reset. seen: last values read; since: sum since the start. */
	struct card_counters seen, since;
};

static struct fragment_source *of(struct source *s)
{
	return (struct fragment_source *)s;
}

static int read_counters(struct fragment_source *c, struct card_counters *l)
{
	struct roc_robinnp_link link;
	struct roc_robinnp_sub sub;
	uint32_t left;
	int err;

	err = c->registers->sub_read(c->ep, roc_fragments_number(c->f), &sub);
	*l = (struct card_counters){.transfers = sub.transfers, .bytes = sub.bytes};
	for (left = c->links; left && !err; left &= left - 1) {
		err = c->registers->link_read(c->ep, (unsigned int)(c->link + __builtin_ctz(left)),
					      &link);
		l->announced += link.fragments;
		l->discarded += link.discarded;
		l->waiting += link.waiting;
	}
	return err;
}

static int start(struct source *s)
{
	struct fragment_source *c = of(s);
	int ret;

	ret = read_counters(c, &c->seen);
	c->counts = !ret;
	if (!ret)
		ret = roc_fragments_start(c->f);
	return ret ? lent_fail(s, ret) : 0;
}

static int take_announced(struct fragment_source *c)
{
	int n;

	do
		n = roc_fragments_take(c->f, NULL, TAKE);
	while (n == TAKE);
	return n < 0 ? n : 0;
}

/*
 * Request all announced fragments. The clear of an event also discards its fragments of links that
 * are not fetched. Events are cleared when they are requested.
 */
static int request_all(struct fragment_source *c)
{
	uint32_t event, links;
	uint64_t age;
	int ret;

	while ((links = roc_fragments_oldest(c->f, &event, &age))) {
		ret = roc_fragments_request(c->f, event, links & c->links, 0);
		if (ret == -EAGAIN)
			break;
		if (ret < 0)
			return ret;
		roc_fragments_clear(c->f, &event, 1);
	}
	return 0;
}

static int flush(struct source *s)
{
	struct fragment_source *c = of(s);
	int ret = 0;

	if (c->stopped)
		return 0;
	if (!c->stopping)
		ret = take_announced(c);
	if (!ret)
		ret = request_all(c);
	if (!ret)
		ret = roc_fragments_flush(c->f);
	return ret ? lent_fail(s, ret) : 0;
}

static int explain(struct source *s)
{
	struct roc_fr_info info;

	if (roc_fragments_info(of(s)->f, &info))
		return lent_fail(s, -ENODEV);
	if (info.state == ROC_CH_FAILED)
		return units_fail(s->reason, EIO, "The sub-unit failed: %s",
				  roc_reason_text(info.reason));
	return units_fail(s->reason, EIO, "The sub-unit was stopped, but not by this tool.");
}

/* Content that the card flagged is in the flags of its unit; the rest is reported at the end. */
static void report_damage(struct fragment_source *c)
{
	struct source *s = &c->source;
	struct roc_fragments_damage d;

	roc_fragments_damage(c->f, &d);
	if (!(d.sequence_errors + d.too_short + d.empty))
		return;
	s->incomplete = true;
	snprintf(s->note, sizeof(s->note),
		 "%" PRIu64 " fragments had a wrong event id, %" PRIu64
		 " were too short, and %" PRIu64
		 " were empty and not fetched: run roc-fragment stats --verbose to find the link.",
		 d.sequence_errors, d.too_short, d.empty);
}

/* Stop the card when all fragments that it announced before the stop are taken. */
static int end(struct source *s)
{
	struct fragment_source *c = of(s);
	struct roc_fragments_counts n;
	int ret;

	roc_fragments_counts(c->f, &n);
	if (!c->stopped && (n.events || n.outstanding))
		return 0;
	if (!c->stopped) {
		c->stopped = true;
		report_damage(c);
		ret = roc_fragments_stop(c->f, false);
		if (ret && ret != -EALREADY)
			return lent_fail(s, ret);
	}
	return -ENODATA;
}

static int take(struct source *s, struct unit *u)
{
	struct fragment_source *c = of(s);
	struct roc_unit r;
	int ret;

	ret = roc_lender_take(c->lender, &r);
	if (ret < 0)
		return ret == -EAGAIN ? ret : lent_fail(s, ret);
	if (!ret && !c->stopped && c->slept && !roc_fragments_running(c->f)) {
		/* Fragments may have been completed between the empty take and the stop. */
		ret = roc_lender_take(c->lender, &r);
		if (!ret)
			return explain(s);
		if (ret < 0)
			return ret == -EAGAIN ? ret : lent_fail(s, ret);
	}
	c->slept = false;
	if (!ret)
		return c->stopping ? end(s) : 0;
	lent_unit(&r, u);
	u->first = r.offset;
	u->link = c->link + r.link;
	return 1;
}

static int give_back(struct source *s, uint64_t handle)
{
	return lent_return(s, of(s)->lender, handle);
}

/* The card continues to run until all announced fragments are fetched. */
static int stop(struct source *s)
{
	struct fragment_source *c = of(s);
	int ret;

	ret = c->stopping ? 0 : take_announced(c);
	c->stopping = true;
	return ret ? lent_fail(s, ret) : 0;
}

/* After the stop, poll periodically: new announcements would make the descriptor readable. */
static void fragment_sleep(struct source *s, struct units_sleep *sleep)
{
	struct fragment_source *c = of(s);

	if (c->stopping)
		units_sleep_ns(sleep, POLL_NS);
	else
		units_sleep_fd(sleep, roc_fragments_fd(c->f), POLLIN);
	c->slept = true;
}

/*
 * The card continues to fill host pages. Poll periodically: filled pages would make the descriptor
 * readable.
 */
static void fragment_sleep_blocked(struct source *s, struct units_sleep *sleep)
{
	if (!of(s)->stopped)
		units_sleep_ns(sleep, POLL_NS);
}

/* Add the differences to the last values: the counters may be reset at any time. */
static int count(struct fragment_source *c)
{
	struct card_counters now, *seen = &c->seen, *sum = &c->since;
	int err = read_counters(c, &now);

	if (err)
		return err;
	sum->announced += counter64_since(seen->announced, now.announced);
	sum->discarded += counter64_since(seen->discarded, now.discarded);
	sum->transfers += counter64_since(seen->transfers, now.transfers);
	sum->bytes += counter64_since(seen->bytes, now.bytes);
	sum->waiting = now.waiting;
	*seen = now;
	return 0;
}

/*
 * While the card runs, fragments that it keeps may still be fetched. After the stop they are lost.
 */
static uint64_t dropped(const struct fragment_source *c)
{
	const struct card_counters *l = &c->since;
	uint64_t came = l->announced + l->discarded + l->waiting;

	if (!c->stopped && roc_fragments_running(c->f))
		return l->discarded;
	return came > l->transfers ? came - l->transfers : 0;
}

static void counters(struct source *s, struct unit_counters *b)
{
	struct fragment_source *c = of(s);

	memset(b, 0, sizeof(*b));
	/* Without counters at the start, no difference can be reported. */
	if (!c->counts || count(c))
		return;
	*b = (struct unit_counters){
		.known = true,
		.units = c->since.transfers,
		.bytes = c->since.bytes,
		.dropped = dropped(c),
		.dropped_what = "fragments",
	};
}

static void close_source(struct source *s)
{
	struct fragment_source *c = of(s);

	roc_lender_close(c->lender);
	/* Close the sub-unit before its memory, which it pins. */
	roc_fragments_close(c->f);
	roc_memory_free(&c->memory);
	roc_close(c->ep);
	free(c);
}

static const struct source_ops ops = {
	.name = "card",
	.start = start,
	.take = take,
	.give_back = give_back,
	.flush = flush,
	.stop = stop,
	.sleep = fragment_sleep,
	.sleep_blocked = fragment_sleep_blocked,
	.counters = counters,
	.close = close_source,
};

/* Return whether all links are fed by a generator, so that their content can be checked. */
static bool generated(struct fragment_source *c)
{
	struct roc_robinnp_generator g = {.running = true};
	uint32_t left;

	for (left = c->links; left && g.running; left &= left - 1) {
		if (c->registers->generator_read(c->ep,
						 (unsigned int)(c->link + __builtin_ctz(left)), &g))
			return false;
	}
	return g.running;
}

/* Allocate host pages, each large enough for a card page and at least one page of memory. */
static int add_memory(struct fragment_source *c, const struct source_fragment_options *o)
{
	struct roc_fr_info info;
	uint64_t page = o->page > HOST_PAGE ? o->page : HOST_PAGE, most;

	if (roc_fragments_rings(c->f, (uint32_t)o->page, 0, (uint32_t)page, 0) ||
	    roc_fragments_info(c->f, &info))
		return tool_fail("%s", roc_error());
	most = o->buffer / page < info.host_pages_max ? o->buffer / page : info.host_pages_max;
	if (most < (unsigned int)__builtin_popcount(c->links))
		return tool_fail(
			"The buffer (%s) has no space for a fragment of each link: it needs at least %d pages of %u bytes.",
			o->buffer_word ? o->buffer_word : "--buffer-size",
			__builtin_popcount(c->links), (unsigned int)page);
	if (roc_memory_alloc(most * page, c->card.numa_node, ROC_MEMORY_PLAIN_OK, &c->memory) ||
	    roc_fragments_add(c->f, c->memory.addr, most * page) ||
	    roc_lender_fragments(c->f, (unsigned int)most, &c->lender))
		return tool_fail("%s", roc_error());
	c->source.regions[0] =
		(struct unit_region){.addr = c->memory.addr, .length = c->memory.length};
	c->source.region_count = 1;
	c->source.format = (struct unit_format){
		.content = generated(c) ? UNIT_FRAGMENTS : UNIT_BYTES,
		.page_bytes = info.page_size,
		.unit_max = info.page_size,
	};
	snprintf(c->source.format.from, sizeof(c->source.format.from), "%s sub-unit %s",
		 c->card.pci_address, roc_fragments_name(c->f));
	return TOOL_OK;
}

static int open_sub(struct fragment_source *c, const struct source_fragment_options *o)
{
	const struct card_type *type;
	uint32_t all;
	int code;

	code = card_open(o->id, &c->card, &c->ep, &type);
	if (code)
		return code;
	c->registers = type->fragments;
	if (!c->registers)
		return card_fail_unknown(&c->card, o->id);
	if (roc_fragments_open_card(&c->card, o->id, o->sub ? o->sub : "0", &c->f))
		return tool_fail("%s", roc_error());
	all = (1u << roc_fragments_links(c->f)) - 1;
	c->links = o->links ? o->links & all : all;
	c->link = (int32_t)(roc_fragments_number(c->f) * roc_fragments_links(c->f));
	if (!c->links)
		return tool_fail("--links: %s has only the links 0 to %u.",
				 roc_fragments_name(c->f), roc_fragments_links(c->f) - 1);
	return add_memory(c, o);
}

int source_fragment(const struct source_fragment_options *o, struct source **source)
{
	struct fragment_source *c = calloc(1, sizeof(*c));
	int code;

	if (!c)
		return tool_fail("Cannot allocate the source for a sub-unit.");
	c->source.ops = &ops;
	code = open_sub(c, o);
	if (code) {
		close_source(&c->source);
		return code;
	}
	*source = &c->source;
	return TOOL_OK;
}
