// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A readout unit that connects anew while the builder's sink still has what it sent before: it
 * counts from nothing, and is no liar for what is left of its first connection.
 */
#include "tests/unit/libroc/evb/evb_liar.h"

#define ALL_IT_MAY 4 /* in_flight of the builder in evb_liar.h */

static uint64_t received, late;

static bool is_lost(void)
{
	turn_all();
	return strstr(honest->said, "node1 is lost") != NULL;
}

static bool is_counted(void)
{
	struct roc_evb_counts c;

	liar_turn();
	c = counts_of(honest);
	return c.received.count >= received && c.late >= late;
}

static bool is_empty(void)
{
	struct roc_evb_peer peer;

	liar_turn();
	return roc_evb_peers(honest->evb, &peer, 1) == 1 && !peer.in_flight;
}

/* A whole MFP, by a segment that nothing was written to in this connection. */
static void writes(uint64_t block, unsigned int credit)
{
	struct evb_segment head = a_head(block, ROC_MFP_HEAD);
	struct roc_mfp mfp = an_mfp(block);

	write_segment(liar.credits[credit], evb_notice(liar.credits[credit], 1), &head, &mfp);
}

/* Each of them, before the next: they are written from the same memory. */
static void are_counted(uint64_t block, unsigned int credit, uint64_t *as)
{
	unsigned int i;

	for (i = 0; i < ALL_IT_MAY; i++) {
		++*as;
		writes(block + i, credit + i);
		CU_ASSERT_TRUE(run_until(is_counted, 5000));
	}
	UNIT_EQ(counts_of(honest).received.count, received);
	UNIT_EQ(counts_of(honest).late, late);
	UNIT_EQ(counts_of(honest).liars, 0);
}

/* As many as it may, and as many once more when it is back: there is no room, and it is late. */
static void anew(void)
{
	received = late = 0;
	stale_ns = UINT64_C(60000000000);
	meet_builder(ROC_EVB_PUSH);
	say_hello();
	honest->sink.stuck = true;
	are_counted(4, 0, &received);
	pair_close(&liar.pair);
	CU_ASSERT_TRUE(run_until(is_lost, 5000));
	liar_leaves();
	liar_connects(ROC_EVB_PUSH);
	say_hello();
	are_counted(8, 0, &late);
	/* What was before is out: there is room again, and for no more than it may. */
	honest->sink.stuck = false;
	CU_ASSERT_TRUE(run_until(is_empty, 5000));
	honest->sink.stuck = true;
	are_counted(12, ALL_IT_MAY, &received);
	UNIT_NEED(liar.credit_count > 2 * ALL_IT_MAY);
	writes(16, 2 * ALL_IT_MAY);
	is_taken_out("more MFPs at once than it may (4)");
}

UNIT_MAIN("a readout unit that connects anew", {"anew", anew})
