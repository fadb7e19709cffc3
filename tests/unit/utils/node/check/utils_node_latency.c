// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the evaluation of the runs of --find-latency: the next depth, and the final report. The
 * simulated card drops packets while its FIFO is not deep enough.
 */
#include "unit.h"

#include "tests/unit/utils/golden.h"

#include "utils/node/check/latency.h"

#define MI (1u << 20)

/* All runs with a card that needs a depth of @needed. */
static void runs(struct latency *l, unsigned int needed, unsigned int fifo)
{
	unsigned int depth;

	*l = (struct latency){
		.links = 12, .fifo = fifo, .superpage = MI, .address = "0000:3b:00.0"};
	while ((depth = latency_next(l))) {
		struct latency_step *s = &l->step[l->steps++];

		UNIT_NEED(l->steps <= LATENCY_STEPS && depth <= fifo);
		*s = (struct latency_step){.depth = depth, .seconds = 2, .bytes = 500000000};
		s->gaps[6] = 90;
		s->gaps[9] = 10;
		if (depth >= needed)
			continue;
		s->dropped = 1000 - depth;
		s->empty = 300 - depth;
	}
}

static void depths(void)
{
	/* The sufficient depth, and twice of it as a confirmation. */
	static const struct {
		unsigned int needed, fifo, found;
		enum verdict verdict;
		unsigned int depth[16];
	} cards[] = {
		{1, 128, 1, VERDICT_PASS, {1, 2}},
		{4, 128, 4, VERDICT_PASS, {1, 2, 3, 4, 8}},
		{5, 128, 6, VERDICT_PASS, {1, 2, 3, 4, 6, 12}},
		{64, 128, 64, VERDICT_PASS, {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128}},
		{65, 128, 96, VERDICT_WARN, {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128}},
		{3, 4, 3, VERDICT_WARN, {1, 2, 3, 4}},
		{129, 128, 0, VERDICT_FAIL, {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128}},
	};
	struct latency_result r;
	struct latency l;
	size_t i, k;

	for (i = 0; i < sizeof(cards) / sizeof(cards[0]); i++) {
		runs(&l, cards[i].needed, cards[i].fifo);
		for (k = 0; k < l.steps && k < 16; k++)
			UNIT_EQ(l.step[k].depth, cards[i].depth[k]);
		CU_ASSERT(l.steps < 16 && !cards[i].depth[l.steps]);
		latency_judge(&l, &r);
		UNIT_EQ(r.needed, cards[i].found);
		UNIT_EQ(r.verdict, cards[i].verdict);
	}
}

/* A depth that is sufficient only by chance does not count. */
static void lucky(void)
{
	struct latency_result r;
	struct latency l;

	runs(&l, 4, 128);
	l.steps = 3;
	l.step[1].dropped = 0;
	l.step[2].depth = 4;
	l.step[2].dropped = 7;
	UNIT_EQ(latency_next(&l), 6);
	latency_judge(&l, &r);
	UNIT_EQ(r.needed, 0);
	UNIT_EQ(r.shallow, 4);
}

static void times(void)
{
	struct latency_result r;
	struct latency l;

	/* 12 MiB at 250 MB/s: 50 ms for a superpage of each link. */
	runs(&l, 4, 128);
	latency_judge(&l, &r);
	UNIT_EQ(r.rate, 250000000);
	UNIT_EQ(r.least * 1e6 + 0.5, 100663);
	UNIT_EQ(r.most * 1e6 + 0.5, 150995);
	memset(&l, 0, sizeof(l));
	UNIT_EQ(latency_next(&l), 0);
	latency_judge(&l, &r);
	UNIT_EQ(r.verdict, VERDICT_FAIL);
}

static void forms(void)
{
	struct latency l;
	FILE *out = golden_begin();

	runs(&l, 4, 128);
	latency_text(out, &l);
	runs(&l, 9, 8);
	latency_text(out, &l);
	golden_end(out, "node-latency.txt");
	out = golden_begin();
	latency_json(out, &l);
	golden_end(out, "node-latency.json");
}

UNIT_MAIN("the depth of a FIFO", {"depths", depths}, {"sufficient by chance", lucky},
	  {"times", times}, {"formats", forms})
