// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A readout unit that connects anew while the builder's sink still has what it sent before: it
 * counts from nothing, and is no liar for what is left of its first connection.
 */
#include "tests/unit/libroc/evb/evb_bad_peer.h"

#define ALL_IT_MAY 4 /* in_flight of the builder in evb_bad_peer.h */

static uint64_t received, late;

static bool is_lost(void)
{
	turn_all();
	return strstr(honest->said, "node1 is lost") != NULL;
}

static bool is_counted(void)
{
	struct roc_evb_counts c;

	bad_peer_turn();
	c = counts_of(honest);
	return c.received.count >= received && c.late >= late;
}

static bool is_empty(void)
{
	struct roc_evb_peer peer;

	bad_peer_turn();
	return roc_evb_peers(honest->evb, &peer, 1) == 1 && !peer.in_flight;
}

/* A whole MFP, by a segment that nothing was written to in this connection. */
static void writes(uint64_t block, unsigned int credit)
{
	struct evb_segment head = a_head(block, ROC_MFP_HEAD);
	struct roc_mfp mfp = an_mfp(block);

	write_segment(bad_peer.credits[credit], evb_notice(bad_peer.credits[credit], 1), &head,
		      &mfp);
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
	UNIT_EQ(counts_of(honest).protocol_violations, 0);
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
	pair_close(&bad_peer.pair);
	CU_ASSERT_TRUE(run_until(is_lost, 5000));
	bad_peer_leaves();
	bad_peer_connects(ROC_EVB_PUSH);
	say_hello();
	are_counted(8, 0, &late);
	/* And nothing is open for it: those that the sink does not take are what there is. */
	UNIT_EQ(counts_of(honest).open_blocks, ALL_IT_MAY);
	/* What was before is out: there is room again, and for no more than it may. */
	honest->sink.stuck = false;
	CU_ASSERT_TRUE(run_until(is_empty, 5000));
	honest->sink.stuck = true;
	are_counted(12, ALL_IT_MAY, &received);
	UNIT_NEED(bad_peer.credit_count > 2 * ALL_IT_MAY);
	writes(16, 2 * ALL_IT_MAY);
	is_taken_out("more than 4 MFPs at once");
}

/* Waits for who never comes: what is here of a block stays open. */
static void with_another(enum roc_evb_protocol protocol)
{
	received = late = 0;
	stale_ns = UINT64_C(60000000000);
	meet_builder(protocol);
	board.members[board.member_count++] = (struct roc_evb_member){
		.name = "node2", .incarnation = 9, .roles = ROC_EVB_READOUT};
	nodes[1].used = true;
	node_new(2, ROC_EVB_READOUT);
	publish(ROC_EVB_ROUND_ROBIN, 0);
	nodes[1].used = nodes[2].used = false;
	turn_all();
	say_hello();
}

static void is_started_anew(enum roc_evb_protocol protocol)
{
	pair_close(&bad_peer.pair);
	CU_ASSERT_TRUE(run_until(is_lost, 5000));
	bad_peer_leaves();
	bad_peer_connects(protocol);
	bad_peer.hello.incarnation = board.members[1].incarnation = 8;
	board.members_version++;
	say_hello();
}

static void is_late(uint64_t parts)
{
	late = parts;
	CU_ASSERT_TRUE(run_until(is_counted, 5000));
	UNIT_EQ(counts_of(honest).received.count, received);
	UNIT_EQ(counts_of(honest).late, late);
	UNIT_EQ(counts_of(honest).protocol_violations, 0);
	UNIT_EQ(counts_of(honest).open_blocks, 1);
}

static uint32_t credits;

static bool is_given_back(void)
{
	bad_peer_turn();
	return bad_peer.credit_count >= credits;
}

/* A process that was started anew begins below what the one before had sent: it does not know. */
static void pushes_again(void)
{
	struct evb_segment head = a_head(4, 0);

	with_another(ROC_EVB_PUSH);
	writes(4, 0);
	received = 1;
	CU_ASSERT_TRUE(run_until(is_counted, 5000));
	is_started_anew(ROC_EVB_PUSH);
	credits = bad_peer.credit_count + 3; /* for each that has no use */
	writes(4, 0);
	is_late(1);
	/* Nor does it say the same, and as often: it is late once. */
	head.bytes = bad_peer.pair.peer.segment - EVB_SEGMENT_HEAD;
	head.mfp_bytes = 2 * head.bytes;
	head.parts = 2;
	write_segment(bad_peer.credits[1], evb_notice(bad_peer.credits[1], 1), &head, NULL);
	is_late(2);
	head.part = 1;
	write_segment(bad_peer.credits[2], evb_notice(bad_peer.credits[2], 1), &head, NULL);
	CU_ASSERT_TRUE(run_until(is_given_back, 5000));
	/* What is its own counts as ever. */
	writes(5, 3);
	received = 2;
	CU_ASSERT_TRUE(run_until(is_counted, 5000));
	UNIT_EQ(counts_of(honest).late, 2);
	writes(5, 4);
	is_taken_out("block 5 was sent twice");
}

static void announces(uint64_t block, uint32_t ticket)
{
	struct roc_mfp mfp = an_mfp(block);

	roc_mfp_put(bad_peer.memory + 64 * ticket, &mfp);
	announce(ticket, block, 1, ROC_MFP_HEAD,
		 (struct evb_piece){.offset = 64 * ticket, .bytes = ROC_MFP_HEAD});
}

static void announces_again(void)
{
	with_another(ROC_EVB_PULL);
	announces(4, 0);
	received = 1;
	CU_ASSERT_TRUE(run_until(is_counted, 5000));
	is_started_anew(ROC_EVB_PULL);
	announces(4, 0);
	is_late(1);
	announces(5, 1);
	received = 2;
	CU_ASSERT_TRUE(run_until(is_counted, 5000));
	announces(5, 2);
	is_taken_out("block 5 was announced twice");
}

UNIT_MAIN("a readout unit that connects anew", {"anew", anew}, {"pushes_again", pushes_again},
	  {"announces_again", announces_again})
