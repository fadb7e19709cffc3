// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of a builder whose sink finishes slowly, while the system changes. And the end of a node
 * whose start failed.
 */
#include <fcntl.h>

#include "libroc/evb/pair.h"
#include "tests/unit/libroc/evb/evb_system.h"

static bool is_finish_requested(void)
{
	return nodes[0].sink.finish_requested && nodes[1].ended;
}

static bool has_table(void)
{
	return counts_of(&nodes[0]).epoch == board.table.epoch;
}

static bool polls_soon(void)
{
	struct roc_idle idle = {.ns = 100 * MS};

	roc_evb_idle(nodes[0].evb, &idle);
	return idle.ns <= MS;
}

static bool has_ended(void)
{
	return nodes[0].ended;
}

/* Run until finish() of the sink was called; it does not complete yet. */
static void start_end(void)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++)
		node_open(node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER));
	nodes[0].sink.slow_finish = true;
	publish(ROC_EVB_ROUND_ROBIN, 0);
	UNIT_NEED(run_until(is_finish_requested, 20000));
	CU_ASSERT_FALSE(nodes[0].ended);
	node_close(&nodes[1]);
}

static void reaches_end(void)
{
	publish(ROC_EVB_ROUND_ROBIN, 1000);
	CU_ASSERT_TRUE(run_until(has_table, 5000));
	/* The node calls finish() again soon, even without another event. */
	CU_ASSERT_TRUE(polls_soon());
	nodes[0].sink.slow_finish = false;
	CU_ASSERT_TRUE(run_until(has_ended, 10000));
	UNIT_EQ(nodes[0].sink.events, 200);
	UNIT_EQ(nodes[0].sink.wrong, 0);
}

/* The last readout unit leaves, and the manager publishes a table without readout units. */
static void last_leaves(void)
{
	start_end();
	reaches_end();
	close_all();
}

/* Another readout unit joins: the ending sink gets none of its data. */
static void another_joins(void)
{
	start_end();
	node_new(2, ROC_EVB_READOUT);
	nodes[2].source.first = 1000;
	nodes[2].source.no_enodata = true;
	node_open(&nodes[2]);
	reaches_end();
	close_all();
}

/* Freeing a pair that was never created must not close file descriptor 0. */
static void never_opened(void)
{
	struct pair p;

	memset(&p, 0, sizeof(p));
	UNIT_NEED(fcntl(0, F_GETFD) >= 0);
	pair_free(&p);
	CU_ASSERT_TRUE(fcntl(0, F_GETFD) >= 0);
}

UNIT_MAIN("end of a node", {"the last readout unit leaves", last_leaves},
	  {"another readout unit joins", another_joins},
	  {"pair that was never created", never_opened})
