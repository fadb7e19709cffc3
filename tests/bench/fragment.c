// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-bench-fragment: the reader of a sub-unit whose costs the ledger measures. It takes fragments,
 * fetches a fraction of the events and clears all, batch by batch; it does not read the data. It
 * counts in memory shared with the ledger, so that the measurement costs it nothing: superpages are
 * fragments taken, bytes those fetched, reclaimed are complete events, refused the fetched ones of
 * them, looks is the largest backlog.
 */
#include "measured.h"

#include <roc/fragment.h>
#include <roc/robinnp.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils/common/clock.h"

#define BATCH 256
#define WAIT 64		   /* fragments in a sleeping reader's threshold */
#define ALONE_RATE 20	   /* events/s of a link whose fragments come one by one */
#define MOST 101	   /* percent: as many as there is space for */
#define OUTSTANDING 1024   /* commands; limits the backlog with MOST */
#define MEMORY (16u << 20) /* of host pages */

static struct {
	bool spin;
	bool alone;
	unsigned int number;
	uint64_t percent, rate, size;
	const char *id;
	struct roc_fragments *f;
	struct roc_memory memory;
	uint32_t whole; /* mask */
} bench;

/* Only once the sub-unit runs, so that its links begin with the same event. */
static void generate(bool on)
{
	struct roc_robinnp_generator g;
	struct roc_endpoint *ep;
	unsigned int i;

	if (roc_open(bench.id, &ep))
		fail("%s", roc_error());
	for (i = 0; i < ROC_ROBINNP_LINKS; i++) {
		unsigned int link = bench.number * ROC_ROBINNP_LINKS + i;

		if (roc_robinnp_generator_read(ep, link, &g))
			fail("%s", roc_error());
		g.running = on && bench.whole >> i & 1;
		g.distributed = false;
		g.first = 0;
		g.limit = 0;
		g.size_min = (uint32_t)bench.size;
		g.size_max = g.size_min;
		g.rate = bench.alone ? ALONE_RATE : (uint32_t)bench.rate;
		if (roc_robinnp_generator_set(ep, link, &g))
			fail("%s", roc_error());
	}
	roc_close(ep);
}

static void prepare(void)
{
	char number[16];

	mark(BENCH_FOUND);
	snprintf(number, sizeof(number), "%u", bench.number);
	if (roc_fragments_open(bench.id, number, &bench.f) ||
	    roc_fragments_rings(bench.f, 8192, 0, 0, OUTSTANDING))
		fail("%s", roc_error());
	mark(BENCH_OPENED);
	if (roc_memory_alloc(MEMORY, -1, 0, &bench.memory))
		fail("%s", roc_error());
	mark(BENCH_ALLOCATED);
	if (roc_fragments_add(bench.f, bench.memory.addr, bench.memory.length))
		fail("%s", roc_error());
	mark(BENCH_REGISTERED);
	bench.whole = bench.alone ? 1 : (1u << roc_fragments_links(bench.f)) - 1;
	generate(false);
	mark(BENCH_FILLED);
	if (roc_fragments_start(bench.f))
		fail("%s", roc_error());
	mark(BENCH_STARTED);
	generate(true);
}

/* Release completed fragments at once. */
static int fetch(void)
{
	struct bench_channel *c = &state->channels[0];
	struct roc_fragment_fetched got[BATCH];
	int i, n = roc_fragments_done(bench.f, got, BATCH);

	if (n < 0)
		fail("%s", roc_error());
	for (i = 0; i < n; i++) {
		if (got[i].error == -EIO)
			fail("the card refused event %u of link %u", got[i].event, got[i].link);
		if (got[i].error)
			continue;
		c->bytes += got[i].size;
		if (roc_fragments_return(bench.f, got[i].handle))
			fail("%s", roc_error());
	}
	return n;
}

static void rest(unsigned int data, unsigned int done)
{
	int n;

	state->sleeps++;
	n = roc_fragments_wait(bench.f, data, done, 100);
	if (n < 0 && n != -ETIME && n != -EINTR)
		fail("%s", roc_error());
	if (!n && !roc_fragments_running(bench.f))
		fail("the sub-unit stopped by itself");
}

static bool wanted(uint32_t event)
{
	uint64_t percent = bench.percent;

	return percent == MOST || (event + UINT64_C(1)) * percent / 100 != event * percent / 100;
}

static void decide(uint32_t event)
{
	struct bench_channel *c = &state->channels[0];
	int ret;

	c->reclaimed++;
	if (!wanted(event))
		return;
	while ((ret = roc_fragments_request(bench.f, event, bench.whole, 0)) == -EAGAIN) {
		if (bench.percent == MOST)
			return;
		if (bench.spin)
			roc_fragments_flush(bench.f);
		else
			rest(0, 1);
		fetch();
	}
	c->refused += ret > 0;
}

static int take(void)
{
	struct bench_channel *c = &state->channels[0];
	struct roc_fragment_kept kept[BATCH];
	struct roc_fragments_counts counts;
	uint32_t cleared[BATCH];
	int i, clear = 0, n = roc_fragments_take(bench.f, kept, BATCH);

	if (n < 0)
		fail("%s", roc_error());
	if (n && !state->marks[BENCH_FIRST])
		mark(BENCH_FIRST);
	for (i = 0; i < n; i++) {
		if (kept[i].links != bench.whole)
			continue;
		decide(kept[i].event);
		cleared[clear++] = kept[i].event;
	}
	roc_fragments_counts(bench.f, &counts);
	if (counts.kept > c->looks)
		c->looks = counts.kept;
	c->kicks = counts.doorbells;
	roc_fragments_clear(bench.f, cleared, (unsigned int)clear);
	c->superpages += (unsigned int)n;
	return n;
}

/*
 * Completions are checked when there are new fragments: a wait for completions would wake up more
 * often.
 */
static void run(void)
{
	unsigned int data = bench.alone ? 1 : WAIT;

	state->phase = BENCH_RUNNING;
	while (!state->stop) {
		if (!bench.spin)
			rest(data, 0);
		if (!(take() | fetch()) && bench.spin) {
			if (!roc_fragments_running(bench.f) && !(take() | fetch()))
				fail("the sub-unit stopped by itself");
			__builtin_ia32_pause();
		}
		if (bench.spin)
			roc_fragments_flush(bench.f);
	}
	if (roc_fragments_stop(bench.f, false))
		fail("%s", roc_error());
	while (take() | fetch())
		;
	state->phase = BENCH_ENDED;
}

static void parse(int argc, char **argv)
{
	const char *rest = "", *source = "";
	const struct measured_option options[] = {
		{"rest", .text = &rest},
		{"size", .number = &bench.size},
		{"percent", .number = &bench.percent},
		{"rate", .number = &bench.rate},
		{"source", .text = &source},
		{.name = NULL},
	};

	bench.id = measured_parse_channel(argc, argv, options, &bench.number);
	if (!bench.id || bench.size < 16 || bench.percent > MOST)
		measured_usage(
			"--state FD --size BYTES --percent N --rate N [options] ID/SUB-UNIT");
	bench.spin = !strcmp(rest, "spin");
	bench.alone = !strcmp(source, "alone");
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	prepare();
	run();
	roc_fragments_close(bench.f);
	roc_memory_free(&bench.memory);
	return 0;
}
