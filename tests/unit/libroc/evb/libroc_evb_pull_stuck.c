// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pull with builders whose sinks accept nothing: MFPs that are announced and not read occupy memory
 * of the readout unit, which the other builders need.
 */
#include "tests/unit/libroc/evb/evb_system.h"

#define STALE_MS 200
#define BLOCKS 300 /* many more than a readout unit has memory for */

static unsigned int readout;
static uint64_t before;

/* Blocks delivered by the builder that is not stuck. */
static uint64_t delivered(void)
{
	return nodes[readout - 1].sink.meps;
}

static bool some_delivered(void)
{
	return delivered() >= before + BLOCKS;
}

/*
 * Builders, of which only the last is not stuck, and a readout unit with @mfps MFPs (0: default).
 */
static void set_up(unsigned int builders, uint32_t mfps)
{
	unsigned int i;

	reset_system();
	readout = builders;
	before = 0;
	for (i = 0; i <= builders; i++) {
		struct node *n = node_new(i, i < builders ? ROC_EVB_BUILDER : ROC_EVB_READOUT);

		n->cfg.protocol = ROC_EVB_PULL;
		n->cfg.peers = 4;
		n->cfg.blocks = mfps;
		n->cfg.memory = 256 << 10;
		n->cfg.stale_ns = STALE_MS * MS;
		n->sink.stuck = i + 1 < builders;
		n->source.events = EVENTS_MOST;
		n->source.size = 2000;
		n->source.fixed = true;
		node_open(n);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
}

/* Number of consecutive blocks for which the readout unit reports node @i as late. */
static uint32_t late(unsigned int i)
{
	const struct roc_evb_report *r = &board.reports[readout];
	unsigned int k;

	for (k = 0; k < r->suspect_count; k++) {
		if (!strcmp(r->suspects[k].name, nodes[i].name))
			return r->suspects[k].stale;
	}
	return 0;
}

static bool first_is_late(void)
{
	return late(0) >= 8;
}

static bool both_are_late(void)
{
	return late(0) >= 8 && late(1) >= 8;
}

/* One stuck builder occupies only a share: its MFPs are dropped, and it is reported as late. */
static void one(void)
{
	set_up(2, 0);
	CU_ASSERT_TRUE(run_until(some_delivered, 20000));
	CU_ASSERT_TRUE(run_until(first_is_late, 20000));
	UNIT_EQ(nodes[1].sink.wrong, 0);
	close_all();
}

/* Two stuck builders occupy all memory until the manager, on their report, excludes one. */
static void two(void)
{
	set_up(3, 0);
	CU_ASSERT_TRUE(run_until(both_are_late, 20000));
	nodes[0].used = false;
	publish(ROC_EVB_ROUND_ROBIN, counts_of(&nodes[readout]).in.count + 10);
	nodes[0].used = true;
	before = delivered();
	CU_ASSERT_TRUE(run_until(some_delivered, 20000));
	UNIT_EQ(nodes[2].sink.wrong, 0);
	close_all();
}

/* The share of a single MFP is one MFP. */
static void single(void)
{
	set_up(1, 1);
	CU_ASSERT_TRUE(run_until(some_delivered, 20000));
	UNIT_EQ(nodes[0].sink.wrong, 0);
	close_all();
}

UNIT_MAIN("event building by pull, with stuck builders", {"one stuck builder", one},
	  {"two stuck builders", two}, {"readout unit with a single MFP", single})
