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
	step_all();
	return strstr(tested->log, "node1 is lost") != NULL;
}

static bool is_counted(void)
{
	struct roc_evb_counts c;

	bad_peer_step();
	c = counts_of(tested);
	return c.received.count >= received && c.late >= late;
}

static bool is_empty(void)
{
	struct roc_evb_peer peer;

	bad_peer_step();
	return roc_evb_peers(tested->evb, &peer, 1) == 1 && !peer.in_flight;
}

/* A whole MFP, by a segment that nothing was written to in this connection. */
static void write_mfp(uint64_t block, unsigned int credit)
{
	struct evb_segment head = segment_head(block, ROC_MFP_HEAD);
	struct roc_mfp mfp = empty_mfp(block);

	write_segment(bad_peer.credits[credit], evb_notice(bad_peer.credits[credit], 1), &head,
		      &mfp);
}

/* Each of them, before the next: they are written from the same memory. */
static void write_and_count(uint64_t block, unsigned int credit, uint64_t *as)
{
	unsigned int i;

	for (i = 0; i < ALL_IT_MAY; i++) {
		++*as;
		write_mfp(block + i, credit + i);
		CU_ASSERT_TRUE(run_until(is_counted, 5000));
	}
	UNIT_EQ(counts_of(tested).received.count, received);
	UNIT_EQ(counts_of(tested).late, late);
	UNIT_EQ(counts_of(tested).protocol_violations, 0);
}

/* As many as it may, and as many once more when it is back: there is no room, and it is late. */
static void reconnects(void)
{
	received = late = 0;
	stale_ns = UINT64_C(60000000000);
	start_builder(ROC_EVB_PUSH);
	greet();
	tested->sink.stuck = true;
	write_and_count(4, 0, &received);
	pair_close(&bad_peer.pair);
	CU_ASSERT_TRUE(run_until(is_lost, 5000));
	bad_peer_free();
	bad_peer_connects(ROC_EVB_PUSH);
	greet();
	write_and_count(8, 0, &late);
	/* And nothing is open for it: those that the sink does not take are what there is. */
	UNIT_EQ(counts_of(tested).open_blocks, ALL_IT_MAY);
	/* What was before is out: there is room again, and for no more than it may. */
	tested->sink.stuck = false;
	CU_ASSERT_TRUE(run_until(is_empty, 5000));
	tested->sink.stuck = true;
	write_and_count(12, ALL_IT_MAY, &received);
	UNIT_NEED(bad_peer.credit_count > 2 * ALL_IT_MAY);
	write_mfp(16, 2 * ALL_IT_MAY);
	expect_violation("more than 4 MFPs at once");
}

/* Waits for who never comes: what is here of a block stays open. */
static void start_with_missing_unit(enum roc_evb_protocol protocol)
{
	received = late = 0;
	stale_ns = UINT64_C(60000000000);
	start_builder(protocol);
	board.members[board.member_count++] = (struct roc_evb_member){
		.name = "node2", .incarnation = 9, .roles = ROC_EVB_READOUT};
	nodes[1].used = true;
	node_new(2, ROC_EVB_READOUT);
	publish(ROC_EVB_ROUND_ROBIN, 0);
	nodes[1].used = nodes[2].used = false;
	step_all();
	greet();
}

static void restart_peer(enum roc_evb_protocol protocol)
{
	pair_close(&bad_peer.pair);
	CU_ASSERT_TRUE(run_until(is_lost, 5000));
	bad_peer_free();
	bad_peer_connects(protocol);
	bad_peer.greeting.incarnation = board.members[1].incarnation = 8;
	board.members_version++;
	greet();
}

static void is_late(uint64_t parts)
{
	late = parts;
	CU_ASSERT_TRUE(run_until(is_counted, 5000));
	UNIT_EQ(counts_of(tested).received.count, received);
	UNIT_EQ(counts_of(tested).late, late);
	UNIT_EQ(counts_of(tested).protocol_violations, 0);
	UNIT_EQ(counts_of(tested).open_blocks, 1);
}

static uint32_t credits;

static bool credits_returned(void)
{
	bad_peer_step();
	return bad_peer.credit_count >= credits;
}

/* A process that was started anew begins below what the one before had sent: it does not know. */
static void restart_push(void)
{
	struct evb_segment head = segment_head(4, 0);

	start_with_missing_unit(ROC_EVB_PUSH);
	write_mfp(4, 0);
	received = 1;
	CU_ASSERT_TRUE(run_until(is_counted, 5000));
	restart_peer(ROC_EVB_PUSH);
	credits = bad_peer.credit_count + 3; /* for each that has no use */
	write_mfp(4, 0);
	is_late(1);
	/* Nor does it say the same, and as often: it is late once. */
	head.bytes = bad_peer.pair.peer.segment - EVB_SEGMENT_HEAD;
	head.mfp_bytes = 2 * head.bytes;
	head.parts = 2;
	write_segment(bad_peer.credits[1], evb_notice(bad_peer.credits[1], 1), &head, NULL);
	is_late(2);
	head.part = 1;
	write_segment(bad_peer.credits[2], evb_notice(bad_peer.credits[2], 1), &head, NULL);
	CU_ASSERT_TRUE(run_until(credits_returned, 5000));
	/* What is its own counts as ever. */
	write_mfp(5, 3);
	received = 2;
	CU_ASSERT_TRUE(run_until(is_counted, 5000));
	UNIT_EQ(counts_of(tested).late, 2);
	write_mfp(5, 4);
	expect_violation("block 5 was sent twice");
}

static void announce_mfp(uint64_t block, uint32_t ticket)
{
	struct roc_mfp mfp = empty_mfp(block);

	roc_mfp_put(bad_peer.memory + 64 * ticket, &mfp);
	announce(ticket, block, 1, ROC_MFP_HEAD,
		 (struct evb_piece){.offset = 64 * ticket, .bytes = ROC_MFP_HEAD});
}

static void restart_pull(void)
{
	start_with_missing_unit(ROC_EVB_PULL);
	announce_mfp(4, 0);
	received = 1;
	CU_ASSERT_TRUE(run_until(is_counted, 5000));
	restart_peer(ROC_EVB_PULL);
	announce_mfp(4, 0);
	is_late(1);
	announce_mfp(5, 1);
	received = 2;
	CU_ASSERT_TRUE(run_until(is_counted, 5000));
	announce_mfp(5, 2);
	expect_violation("block 5 was announced twice");
}

UNIT_MAIN("a readout unit that connects anew", {"anew", reconnects}, {"pushes_again", restart_push},
	  {"announces_again", restart_pull})
