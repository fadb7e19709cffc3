// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A node is paused, and the manager has not excluded it yet. Only blocks of this node are lost; the
 * other nodes do not wait for it.
 */
#include "tests/unit/libroc/evb/evb_system.h"

#define EVENTS 240
#define STALE_MS 1000
/* Events per stale timeout: the share of one builder is below its limit of MFPs in flight. */
#define RATE 100
#define IN_FLIGHT 40
#define STUCK 2 /* the paused node; each node builds a third of the events */

static bool others_delivered(void)
{
	return nodes[0].sink.meps + nodes[1].sink.meps >= 2 * EVENTS / 3;
}

static bool some_delivered(void)
{
	return nodes[STUCK].sink.meps >= 5;
}

/* Check that node @i dropped blocks of the paused node, and none of the others. */
static void check_losses(unsigned int i)
{
	struct roc_evb_peer peers[2 * NODES];
	unsigned int count = roc_evb_peers(nodes[i].evb, peers, 2 * NODES), p;
	bool is_stuck;

	for (p = 0; p < count && p < 2 * NODES; p++) {
		if (!peers[p].builder)
			continue;
		is_stuck = !strcmp(peers[p].name, nodes[STUCK].name);
		UNLESS_STALLED(is_stuck || !peers[p].dropped);
		CU_ASSERT_TRUE(!is_stuck || peers[p].dropped > 0);
	}
}

static enum roc_evb_protocol protocol;

static void run_with_paused_node(unsigned int stale_ms)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 3; i++) {
		struct node *n = node_new(i, ROC_EVB_READOUT | ROC_EVB_BUILDER);

		n->cfg.protocol = protocol;
		n->cfg.peers = 4;
		n->cfg.memory = 8 << 20;
		n->cfg.stale_ns = stale_ms * MS;
		/*
		 * A readout unit that waited for one builder this long would be late at all others.
		 */
		n->cfg.patience_ns = 2 * n->cfg.stale_ns;
		n->cfg.in_flight = IN_FLIGHT;
		n->source.events = EVENTS;
		n->source.pause = stale_ms / 1e3 / RATE;
		n->sink.sources = 2;
		node_open(n);
	}
	publish(ROC_EVB_BARREL_SHIFT, 0);
	CU_ASSERT_TRUE(run_until(some_delivered, 20000));
	nodes[STUCK].paused = true;
	if (!run_until(others_delivered, 60000)) {
		CU_FAIL("the others do not continue");
		show_counts();
	}
	for (i = 0; i < STUCK; i++) {
		UNIT_EQ(nodes[i].sink.wrong, 0);
		UNLESS_STALLED(!nodes[i].sink.missing[1 - i]);
		UNLESS_STALLED(!nodes[i].sink.gone[1 - i]);
		check_losses(i);
	}
	for (i = 0; i < 3; i++)
		node_close(&nodes[i]);
}

static void pushed(void)
{
	protocol = ROC_EVB_PUSH;
	with_growing_timeout(run_with_paused_node, STALE_MS);
}

static void pulled(void)
{
	protocol = ROC_EVB_PULL;
	with_growing_timeout(run_with_paused_node, STALE_MS);
}

UNIT_MAIN("event building beside a paused node", {"push", pushed}, {"pull", pulled})
