// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the arithmetic of roc-evb plan: by hand, by counting all cases, and with the theory of
 * queues. utils_evb_node.c compares it with a running system.
 */
#include "unit.h"

#include <math.h>
#include <stdbool.h>

#include <roc/evb.h>

#include "utils/evb/plan_model.h"

static struct plan p;
static struct plan_result r;

static bool close_to(const char *what, double found, double expected, double part)
{
	bool good = fabs(found - expected) <= part * fabs(expected);

	if (!good)
		unit_note("%s is %.9g, not %.9g", what, found, expected);
	return good;
}

static void small(unsigned int policy)
{
	p = (struct plan){
		.readouts = 4,
		.builders = 2,
		.policy = policy,
		.seed = 3,
		.events = 10,
		.fragment = 1001,
		.event_rate = 1000,
		.share = 0.8,
		.link = 1e8,
		.hold = 0.5,
		.stale = 2,
		.simulated = 100000,
		.segment = 4160,
	};
}

static void by_hand(void)
{
	double mfp = 64 + 10 * (16 + 1008) + 64 * 3; /* three segments of 4096 bytes with headers */

	small(ROC_EVB_BARREL_SHIFT);
	CU_ASSERT_TRUE(plan_solve(&p, &r));
	CU_ASSERT_TRUE(close_to("mfp", r.mfp, mfp, 1e-12));
	CU_ASSERT_TRUE(close_to("overhead", r.overhead, 1 - 10010 / mfp, 1e-12));
	CU_ASSERT_TRUE(close_to("send", r.send, 100 * mfp, 1e-12));
	CU_ASSERT_TRUE(close_to("receive", r.receive, 200 * mfp, 1e-12));
	CU_ASSERT_TRUE(close_to("receive share", r.receive_share, 200 * mfp / 1e8, 1e-12));
	CU_ASSERT_TRUE(close_to("most events", r.max_event_rate, 1e8 / (2 * mfp) * 10, 1e-12));
	UNIT_EQ(r.at_once, 2);
	UNIT_EQ(r.cycle.p999, 1);
	UNIT_EQ(r.cycle.worst_ever, 1);
	CU_ASSERT_TRUE(r.cycle.two == 0);
	UNIT_EQ(r.queue.max, 1);
	/* One block in transfer, half a second of 50 blocks at the sink, 4 MFPs each. */
	CU_ASSERT_TRUE(close_to("memory", r.builder_memory, 26 * 4 * mfp, 1e-12));
	CU_ASSERT_TRUE(close_to("stale memory", r.builder_stale, 2 * 50 * 3 * mfp, 1e-12));
	CU_ASSERT_TRUE(close_to("readout memory", r.readout_memory, (2 + 100) * mfp, 1e-12));

	/* Nodes with both roles keep a part of their data. */
	p.readouts = 2;
	p.both = true;
	CU_ASSERT_TRUE(plan_solve(&p, &r));
	CU_ASSERT_TRUE(close_to("send", r.send, 50 * mfp, 1e-12));
	CU_ASSERT_TRUE(close_to("receive", r.receive, 50 * mfp, 1e-12));

	/* The load is --share of the link; more than the link is refused. */
	small(ROC_EVB_ROUND_ROBIN);
	p.event_rate = 0;
	CU_ASSERT_TRUE(plan_solve(&p, &r));
	CU_ASSERT_TRUE(close_to("share", r.receive_share, 0.8, 1e-9));
	UNIT_EQ(r.at_once, 4);
	p.event_rate = r.max_event_rate * 1.01;
	CU_ASSERT_FALSE(plan_solve(&p, &r));
}

/* Count all 3^3 and all 4^4 ways to assign 3 or 4 blocks to as many builders. */
static void chance(void)
{
	unsigned int n, way, ways, k, hits, two, rest;

	for (n = 3; n <= 4; n++) {
		for (ways = 1, k = 0; k < n; k++)
			ways *= n;
		for (way = 0, two = 0; way < ways; way++) {
			for (k = 0, hits = 0, rest = way; k < n; k++, rest /= n)
				hits += rest % n == 0;
			two += hits >= 2;
		}
		small(ROC_EVB_RANDOM);
		p.readouts = p.builders = n;
		CU_ASSERT_TRUE(plan_solve(&p, &r));
		CU_ASSERT_TRUE(close_to("two", r.cycle.two, (double)two / ways, 1e-12));
	}
	/*
	 * For many builders this is a Poisson distribution of mean 1: half have 1 or none, 98.1 %
	 * up to 3, 99.63 % up to 4, 99.94 % up to 5.
	 */
	p.readouts = p.builders = 500;
	p.event_rate = 100;
	CU_ASSERT_TRUE(plan_solve(&p, &r));
	CU_ASSERT_TRUE(close_to("two", r.cycle.two, 1 - 2 / M_E, 2e-3));
	UNIT_EQ(r.cycle.p50, 1);
	UNIT_EQ(r.cycle.p99, 4);
	UNIT_EQ(r.cycle.p999, 5);
	CU_ASSERT_TRUE(r.cycle.worst > 4 && r.cycle.worst < 7);
}

/* Random arrivals at a server of constant speed (M/D/1), as seen at an arrival. */
static void queues(void)
{
	static const double loads[] = {0.3, 0.5, 0.8, 0.9};
	size_t i;

	for (i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		double rho = loads[i], expected = 1 + rho + rho * rho / (2 * (1 - rho));

		small(ROC_EVB_RANDOM);
		p.readouts = p.builders = 200;
		p.event_rate = 0;
		p.share = rho;
		p.simulated = 1000000;
		CU_ASSERT_TRUE(plan_solve(&p, &r));
		unit_note("load %.1f: %.3f blocks, %.3f by theory", rho, r.queue.mean, expected);
		CU_ASSERT_TRUE(close_to("queue", r.queue.mean, expected, 0.05));
		/* Barrel shift has no queue at any load. */
		p.policy = ROC_EVB_BARREL_SHIFT;
		CU_ASSERT_TRUE(plan_solve(&p, &r));
		UNIT_EQ(r.queue.max, 1);
	}
}

/* With varying sizes evenly spaced blocks form a queue. */
static void sizes(void)
{
	small(ROC_EVB_BARREL_SHIFT);
	p.readouts = p.builders = 1;
	p.events = 1;
	p.event_rate = 0;
	p.share = 0.9;
	p.spread = 500;
	CU_ASSERT_TRUE(plan_solve(&p, &r));
	CU_ASSERT_TRUE(r.queue.mean > 1.1 && r.queue.mean < 3);
	/* The sum of many fragments varies less. */
	p.events = 1000;
	CU_ASSERT_TRUE(plan_solve(&p, &r));
	CU_ASSERT_TRUE(r.queue.mean < 1.01);
}

UNIT_MAIN("event building: plan", {"by hand", by_hand}, {"random assignment", chance},
	  {"queues", queues}, {"varying sizes", sizes})
