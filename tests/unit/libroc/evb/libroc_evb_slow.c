// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which readout unit a builder reports to the manager for blocks that are given up, and when.
 */
#include "tests/unit/libroc/evb/evb_progress.h"

#define RATE 400 /* blocks a second */

static unsigned int stalled; /* the node that sends nothing from some moment on */
static double limit;	     /* stale timeout, in s */

static uint32_t reported(unsigned int i)
{
	const struct roc_evb_report *r = &board.reports[0];
	unsigned int k;

	for (k = 0; k < r->suspect_count; k++) {
		if (!strcmp(r->suspects[k].name, nodes[i].name))
			return r->suspects[k].stale;
	}
	return 0;
}

static bool is_going(void)
{
	return counts_of(&nodes[0]).complete > 20;
}

static bool one_is_given_up(void)
{
	return counts_of(&nodes[0]).stale > 0;
}

static bool is_reported(void)
{
	return reported(stalled) >= 8;
}

static void set_up(unsigned int readouts, unsigned int stale_ms)
{
	unsigned int i;

	begin();
	limit = stale_ms / 1e3;
	for (i = 0; i <= readouts; i++) {
		struct node *n = node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);

		n->cfg.in_flight = n->cfg.blocks = 400;
		n->cfg.memory = 16 << 20;
		n->cfg.peers = 5;
		n->cfg.stale_ns = stale_ms * MS;
		n->cfg.silence_ns = 60000 * MS;
		n->cfg.lease_ns = 5 * n->cfg.stale_ns; /* four reports in a stale timeout */
		n->source.events = EVENTS_MOST;
		n->source.size = 100;
		n->source.pause = 1.0 / RATE;
		n->sink.sources = readouts;
		node_open(n);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
}

/* Many late blocks in a row may be a stall of a few milliseconds: the row has to last. */
static void late_once(unsigned int stale_ms)
{
	double since;

	set_up(2, stale_ms);
	stalled = 2;
	CU_ASSERT_TRUE(run_until(is_going, 20000));
	nodes[stalled].paused = true;
	CU_ASSERT_TRUE(run_until(one_is_given_up, 20000));
	since = unit_seconds();
	CU_ASSERT_TRUE(run_until(is_reported, 20000));
	UNLESS_STILL(unit_seconds() - since > 0.8 * limit);
	UNIT_EQ(reported(1), 0);
	UNIT_EQ(counts_of(&nodes[0]).liars, 0);
	close_all();
}

static void late(void)
{
	unhurried(late_once, 300);
}

UNIT_MAIN("event building: who is reported as late", {"late in a row, and for how long", late})
