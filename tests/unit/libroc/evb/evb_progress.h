/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress of a system: conditions that tests of event building wait for.
 */
#ifndef ROC_TEST_EVB_PROGRESS_H
#define ROC_TEST_EVB_PROGRESS_H

#include "tests/unit/libroc/evb/evb_system.h"

/* Return the newest block of any node, for blocks of one event. Reports are too rare for this. */
__attribute__((unused)) static uint64_t newest_block(void)
{
	uint64_t most = 0;
	unsigned int i;

	for (i = 0; i < NODES; i++) {
		if (nodes[i].used && nodes[i].evb && counts_of(&nodes[i]).in.count > most)
			most = counts_of(&nodes[i]).in.count;
	}
	return most;
}

__attribute__((unused)) static uint64_t delivered_by(unsigned int i)
{
	return counts_of(&nodes[i]).out.count;
}

__attribute__((unused)) static bool some_delivered(void)
{
	return delivered_by(0) > 100;
}

__attribute__((unused)) static bool some_blocks(void)
{
	return delivered_by(1) + delivered_by(2) > 100;
}

/* Number of blocks that a test waits for. */
static uint64_t wanted_count;

__attribute__((unused)) static bool more_delivered(void)
{
	return delivered_by(0) > wanted_count && delivered_by(1) > wanted_count;
}

__attribute__((unused)) static bool all_connected(void)
{
	struct roc_evb_peer peers[2 * NODES];
	unsigned int i, k, n, used = 0;

	for (i = 0; i < NODES; i++)
		used += nodes[i].used;
	for (i = 0; i < used; i++) {
		n = roc_evb_peers(nodes[i].evb, peers, 2 * NODES);
		for (k = 0; k < n; k++) {
			if (!peers[k].connected)
				return false;
		}
		if (n < 2 * used)
			return false;
	}
	return true;
}

#endif
