// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports of a builder to the manager about abandoned blocks: which readout unit, and when.
 */
#include "tests/unit/libroc/evb/evb_progress.h"

#define RATE 400 /* blocks per second */

static unsigned int stalled; /* the node that is paused */
static double limit;	     /* stale timeout, in s */

static struct roc_evb_suspect suspect(unsigned int i)
{
	const struct roc_evb_report *r = &board.reports[0];
	unsigned int k;

	for (k = 0; k < r->suspect_count; k++) {
		if (!strcmp(r->suspects[k].name, nodes[i].name))
			return r->suspects[k];
	}
	return (struct roc_evb_suspect){.stale = 0};
}

static uint32_t reported(unsigned int i)
{
	return suspect(i).stale;
}

static bool is_building(void)
{
	return counts_of(&nodes[0]).complete > 20;
}

static bool one_is_abandoned(void)
{
	return counts_of(&nodes[0]).stale > 0;
}

static bool is_reported(void)
{
	return reported(stalled) >= 8;
}

/* @ahead: events by which the last readout unit is ahead; the others are slow then. */
static void set_up(unsigned int readouts, unsigned int stale_ms, uint64_t ahead)
{
	unsigned int i;

	reset_system();
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
		n->source.pause = ahead && i < readouts ? 2 * limit : 1.0 / RATE;
		n->source.first = i == readouts ? ahead : 0;
		n->sink.sources = readouts;
		node_open(n);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
}

/*
 * Consecutive late blocks may be caused by a stall of milliseconds, so they must last for a time.
 */
static void late_once(unsigned int stale_ms)
{
	double since;

	set_up(2, stale_ms, 0);
	stalled = 2;
	CU_ASSERT_TRUE(run_until(is_building, 20000));
	nodes[stalled].paused = true;
	CU_ASSERT_TRUE(run_until(one_is_abandoned, 20000));
	since = unit_seconds();
	CU_ASSERT_TRUE(run_until(is_reported, 20000));
	UNLESS_STALLED(unit_seconds() - since > 0.8 * limit);
	UNIT_EQ(reported(1), 0);
	UNIT_EQ(counts_of(&nodes[0]).protocol_violations, 0);
	close_all();
}

static bool any_is_reported(void)
{
	return reported(1) || reported(2) || reported(3);
}

/*
 * One readout unit is ahead of the two others. The blocks that only it has are abandoned, and the
 * builder reports this unit, not the majority.
 */
static void early_once(unsigned int stale_ms)
{
	set_up(3, stale_ms, 5000);
	CU_ASSERT_TRUE(run_until(any_is_reported, 20000));
	CU_ASSERT_TRUE(suspect(3).early);
	UNIT_EQ(reported(1), 0);
	UNIT_EQ(reported(2), 0);
	close_all();
}

static void early(void)
{
	with_growing_timeout(early_once, 300);
}

static void late(void)
{
	with_growing_timeout(late_once, 300);
}

UNIT_MAIN("event building: reports of late peers", {"duration of consecutive late blocks", late},
	  {"readout unit ahead of the majority", early})
