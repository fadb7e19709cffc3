// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of a builder whose sink takes its time for it: what the system does meanwhile changes
 * nothing. And that of a node which did not get beyond its start.
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

/* The sink has been asked to end, and has not. */
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
	/* The sink is asked again, not only when something else happens. */
	CU_ASSERT_TRUE(polls_soon());
	nodes[0].sink.slow_finish = false;
	CU_ASSERT_TRUE(run_until(has_ended, 10000));
	UNIT_EQ(nodes[0].sink.events, 200);
	UNIT_EQ(nodes[0].sink.wrong, 0);
}

/* The last readout unit has left, and the manager has a table without any. */
static void last_leaves(void)
{
	start_end();
	reaches_end();
	close_all();
}

/* Another one comes: what it has is not for a sink that ends. */
static void another_comes(void)
{
	start_end();
	node_new(2, ROC_EVB_READOUT);
	nodes[2].source.first = 1000;
	nodes[2].source.no_enodata = true;
	node_open(&nodes[2]);
	reaches_end();
	close_all();
}

/* Memory ended before it was made: what is closed is not what descriptor 0 is. */
static void never_opened(void)
{
	struct pair p;

	memset(&p, 0, sizeof(p));
	UNIT_NEED(fcntl(0, F_GETFD) >= 0);
	pair_free(&p);
	CU_ASSERT_TRUE(fcntl(0, F_GETFD) >= 0);
}

UNIT_MAIN("the end of a node", {"the last leaves", last_leaves}, {"another comes", another_comes},
	  {"never begun", never_opened})
