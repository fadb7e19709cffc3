// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A readout unit reconnects while the builder's sink still keeps data of its first connection. Its
 * limits start at zero, and the remaining data are no protocol violation.
 */
#include "tests/unit/libroc/evb/evb_bad_peer.h"

#define IN_FLIGHT_MAX 4 /* in_flight of the builder of start_builder() */

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

/* Write a complete MFP to a segment that is unused in this connection. */
static void write_mfp(uint64_t block, unsigned int credit)
{
	struct evb_segment head = segment_head(block, ROC_MFP_HEAD);
	struct roc_mfp mfp = empty_mfp(block);

	write_segment(bad_peer.credits[credit], evb_notice(bad_peer.credits[credit], 1), &head,
		      &mfp);
}

/* Wait for each before the next, because all are written from the same memory. */
static void write_and_count(uint64_t block, unsigned int credit, uint64_t *as)
{
	unsigned int i;

	for (i = 0; i < IN_FLIGHT_MAX; i++) {
		++*as;
		write_mfp(block + i, credit + i);
		CU_ASSERT_TRUE(run_until(is_counted, 5000));
	}
	UNIT_EQ(counts_of(tested).received.count, received);
	UNIT_EQ(counts_of(tested).late, late);
	UNIT_EQ(counts_of(tested).protocol_violations, 0);
}

/* Send the allowed number before and after a reconnect: the second ones find no memory. */
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
	/* No block is open for them, only those that the sink does not accept. */
	UNIT_EQ(counts_of(tested).open_blocks, IN_FLIGHT_MAX);
	/* After the first data are delivered the allowed number fits again, but no more. */
	tested->sink.stuck = false;
	CU_ASSERT_TRUE(run_until(is_empty, 5000));
	tested->sink.stuck = true;
	write_and_count(12, IN_FLIGHT_MAX, &received);
	UNIT_NEED(bad_peer.credit_count > 2 * IN_FLIGHT_MAX);
	write_mfp(16, 2 * IN_FLIGHT_MAX);
	expect_violation("more than 4 MFPs at once");
}

/* Start with another readout unit in the table that never connects, so that blocks stay open. */
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

static void check_late(uint64_t parts)
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

/* A restarted process sends a block again, because it does not know what the previous one sent. */
static void restart_push(void)
{
	struct evb_segment head = segment_head(4, 0);

	start_with_missing_unit(ROC_EVB_PUSH);
	write_mfp(4, 0);
	received = 1;
	CU_ASSERT_TRUE(run_until(is_counted, 5000));
	restart_peer(ROC_EVB_PUSH);
	credits = bad_peer.credit_count + 3; /* of the three rejected segments */
	write_mfp(4, 0);
	check_late(1);
	/* An MFP of the same block in two segments is counted as late once, not per segment. */
	head.bytes = bad_peer.pair.peer.segment - EVB_SEGMENT_HEAD;
	head.mfp_bytes = 2 * head.bytes;
	head.parts = 2;
	write_segment(bad_peer.credits[1], evb_notice(bad_peer.credits[1], 1), &head, NULL);
	check_late(2);
	head.part = 1;
	write_segment(bad_peer.credits[2], evb_notice(bad_peer.credits[2], 1), &head, NULL);
	CU_ASSERT_TRUE(run_until(credits_returned, 5000));
	/* New blocks of the process count as usual. */
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
	check_late(1);
	announce_mfp(5, 1);
	received = 2;
	CU_ASSERT_TRUE(run_until(is_counted, 5000));
	announce_mfp(5, 2);
	expect_violation("block 5 was announced twice");
}

UNIT_MAIN("readout unit that connects again", {"new connection", reconnects},
	  {"new process, push", restart_push}, {"new process, pull", restart_pull})
