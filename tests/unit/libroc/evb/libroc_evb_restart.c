// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A builder restarts while the table with its previous process is still valid. New tables do not
 * affect the connection to the new process.
 */
#include "tests/unit/libroc/evb/evb_system.h"

#define FAR_BLOCK 1000000 /* a block that the test does not reach */
#define MORE_TABLES 3	  /* number of new tables */

static uint64_t epoch_of(const struct node *n)
{
	struct roc_evb_counts counts;

	roc_evb_counts(n->evb, &counts);
	return counts.epoch;
}

/* Return true if both nodes have the newest table, and the builder is connected. */
static bool is_connected(void)
{
	struct roc_evb_peer peers[2 * NODES];
	unsigned int count = roc_evb_peers(nodes[0].evb, peers, 2 * NODES), i;

	if (epoch_of(&nodes[0]) != board.table.epoch || epoch_of(&nodes[1]) != board.table.epoch)
		return false;
	for (i = 0; i < count && i < 2 * NODES; i++) {
		if (peers[i].builder && peers[i].connected)
			return true;
	}
	return false;
}

static void publish_tables(enum roc_evb_protocol protocol)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		struct node *n = node_new(i, i ? ROC_EVB_BUILDER : ROC_EVB_READOUT);

		n->cfg.protocol = protocol;
		n->source.events = 10;
		n->source.no_enodata = true;
		n->sink.sources = 1;
		node_open(n);
	}
	publish(ROC_EVB_RANDOM, 0);
	CU_ASSERT_TRUE(run_until(is_connected, 20000));
	node_close(&nodes[1]);
	node_new(1, ROC_EVB_BUILDER)->cfg.protocol = protocol;
	nodes[1].sink.sources = 1;
	node_open(&nodes[1]);
	publish(ROC_EVB_RANDOM, FAR_BLOCK);
	CU_ASSERT_TRUE(run_until(is_connected, 20000));
	nodes[0].log[0] = '\0';
	for (i = 0; i < MORE_TABLES; i++) {
		publish(ROC_EVB_RANDOM, FAR_BLOCK + 1 + i);
		CU_ASSERT_TRUE(run_until(is_connected, 20000));
		CU_ASSERT_PTR_NULL(strstr(nodes[0].log, "is lost"));
	}
	if (nodes[0].log[0])
		unit_note("%s", nodes[0].log);
	for (i = 0; i < 2; i++)
		node_close(&nodes[i]);
}

static void pushed(void)
{
	publish_tables(ROC_EVB_PUSH);
}

static void pulled(void)
{
	publish_tables(ROC_EVB_PULL);
}

UNIT_MAIN("restarted builder", {"push", pushed}, {"pull", pulled})
