// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Peers that do not violate the protocol, but send too much, too late, or too little.
 */
#include "tests/unit/libroc/evb/evb_bad_peer.h"

static uint64_t resident(void)
{
	unsigned long long all, here = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	UNIT_NEED(f);
	UNIT_EQ(fscanf(f, "%llu %llu", &all, &here), 2);
	fclose(f);
	return here * (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * Send messages as fast as possible. libfabric buffers messages without a posted receive, 4.5 kB
 * for each, so the builder must always have posted some. The buffers of libfabric itself (31 MB)
 * are allocated once.
 */
#define FLOOD 60000

static void flood(void)
{
	struct evb_message m = {.type = EVB_BEAT, .a = 1};
	unsigned int sent = 0;
	uint64_t before;
	double end;
	int ret = 0;

	start_builder(ROC_EVB_PUSH);
	greet();
	before = resident();
	end = unit_seconds() + 30 * slowness() * UNIT_PATIENCE;
	while (sent < FLOOD && (!ret || ret == -EAGAIN) && unit_seconds() < end) {
		while (!(ret = pair_send_empty(&bad_peer.pair, &m)))
			sent++;
		bad_peer_step();
	}
	UNIT_EQ(ret, -EAGAIN);
	CU_ASSERT_TRUE(sent >= FLOOD / 2);
	unit_note("%u messages, %.0f MB more memory", sent, (double)(resident() - before) / 1e6);
	CU_ASSERT_TRUE(resident() < before + 100000000);
	UNIT_EQ(counts_of(tested).protocol_violations, 0);
	close_both();
}

/* A late greeting, after the time that a silent connection may block others, is no violation. */
static void late_greeting(void)
{
	double end = unit_seconds() + 0.7;

	start_builder(ROC_EVB_PUSH);
	while (unit_seconds() < end)
		bad_peer_step();
	greet();
	UNIT_EQ(counts_of(tested).protocol_violations, 0);
	close_both();
}

static void send_mfp(uint64_t block, uint32_t credit)
{
	struct evb_segment head = segment_head(block, ROC_MFP_HEAD);
	struct roc_mfp mfp = empty_mfp(block);

	head.epoch = mfp.epoch = (uint32_t)board.table.epoch;
	write_segment(bad_peer.credits[credit], evb_notice(bad_peer.credits[credit], 1), &head,
		      &mfp);
}

/* Announce an MFP, each at an address of its own. */
static void announce_mfp(uint64_t block, uint32_t ticket)
{
	uint64_t offset = ticket * UINT64_C(4096);
	struct roc_mfp mfp = empty_mfp(block);

	mfp.epoch = (uint32_t)board.table.epoch;
	roc_mfp_put(bad_peer.memory + offset, &mfp);
	announce(ticket, block, board.table.epoch, ROC_MFP_HEAD,
		 (struct evb_piece){.offset = offset, .bytes = ROC_MFP_HEAD});
}

static void deliver(uint64_t block, uint32_t credit)
{
	uint64_t before = counts_of(tested).complete + counts_of(tested).incomplete;

	send_mfp(block, credit);
	CU_ASSERT_TRUE(
		UNIT_WAIT((bad_peer_step(),
			   counts_of(tested).complete + counts_of(tested).incomplete > before),
			  10000));
}

static void next_report(void)
{
	memset(&board.reports[0], 0, sizeof(board.reports[0]));
	CU_ASSERT_TRUE(UNIT_WAIT((bad_peer_step(), board.reports[0].all_segments), 10000));
}

/* One readout unit that is far ahead does not set the reported position of the system. */
static void far_ahead(void)
{
	stale_ns = 200 * 1000000;
	start_builder(ROC_EVB_PUSH);
	greet();
	deliver(5, 0);
	next_report();
	CU_ASSERT_TRUE(board.reports[0].has_built);
	UNIT_EQ(board.reports[0].built_block, 5);
	/* Another readout unit in the table sends nothing. */
	board.members[board.member_count++] = (struct roc_evb_member){
		.name = "node2", .incarnation = 8, .roles = ROC_EVB_READOUT};
	node_new(2, ROC_EVB_READOUT);
	nodes[1].used = true;
	publish(ROC_EVB_ROUND_ROBIN, 6);
	nodes[1].used = nodes[2].used = false;
	deliver(7, 1);
	deliver(UINT64_C(1) << 40, 2);
	UNIT_EQ(counts_of(tested).incomplete, 2);
	next_report();
	UNIT_EQ(board.reports[0].built_block, 7);
	close_both();
}

/* Publish a table with the bad peer, and optionally with a node2 that is absent. */
static void publish_beside(bool other, uint64_t from)
{
	nodes[1].used = true;
	nodes[2].used = other;
	publish(ROC_EVB_ROUND_ROBIN, from);
	nodes[1].used = nodes[2].used = false;
}

/*
 * The builder stores delivered blocks by the lower bits of their numbers. Blocks with the same
 * lower bits far ahead must not hide a block that is still to be sent, and are delivered only once.
 */
static void same_bits(void)
{
	unsigned int i;

	stale_ns = 200 * 1000000;
	start_builder(ROC_EVB_PUSH);
	greet();
	deliver(5, 0);
	board.members[board.member_count++] = (struct roc_evb_member){
		.name = "node2", .incarnation = 8, .roles = ROC_EVB_READOUT};
	node_new(2, ROC_EVB_READOUT);
	publish_beside(true, 6);
	for (i = 1; i < 4; i++)
		deliver(70 + i * UINT64_C(65536), i);
	UNIT_EQ(counts_of(tested).incomplete, 3);
	publish_beside(false, 60);
	deliver(70, 4);
	UNIT_EQ(counts_of(tested).complete, 2);
	UNIT_EQ(counts_of(tested).late, 0);
	send_mfp(70 + 3 * UINT64_C(65536), 5);
	CU_ASSERT_TRUE(UNIT_WAIT((bad_peer_step(), counts_of(tested).late == 1), 10000));
	close_both();
}

static uint64_t processed_blocks(void)
{
	struct roc_evb_counts c;

	bad_peer_step();
	c = counts_of(tested);
	return c.late + c.complete + c.incomplete + c.open_blocks + c.protocol_violations;
}

/*
 * A peer sends blocks by a table that the builder missed. The builder accepts them, except from the
 * block on that the next table assigns to another builder.
 */
static void by_missed_table(void)
{
	static const uint64_t blocks[] = {20, 102, 103};
	enum roc_evb_protocol protocol;
	uint32_t i;

	for (protocol = ROC_EVB_PUSH; protocol <= ROC_EVB_PULL; protocol++) {
		stale_ns = 200 * 1000000;
		start_builder(protocol);
		greet();
		board.members[board.member_count++] = (struct roc_evb_member){
			.name = "node2", .incarnation = 8, .roles = ROC_EVB_BUILDER};
		node_new(2, ROC_EVB_BUILDER);
		publish_beside(true, 10);
		publish_beside(true, 100);
		step_all();
		board.table.epoch = 2; /* used by the peer */
		for (i = 0; i < 3; i++) {
			if (protocol == ROC_EVB_PUSH)
				send_mfp(blocks[i], i);
			else
				announce_mfp(blocks[i], i);
			CU_ASSERT_TRUE(UNIT_WAIT(processed_blocks() > i, 10000));
		}
		/*
		 * The sources of the first block are unknown; the last belongs to the other
		 * builder.
		 */
		UNIT_EQ(counts_of(tested).incomplete, 1);
		UNIT_EQ(counts_of(tested).complete, 1);
		UNIT_EQ(counts_of(tested).late, 1);
		UNIT_EQ(counts_of(tested).protocol_violations, 0);
		close_both();
	}
}

static bool two_complete(void)
{
	bad_peer_step();
	return counts_of(tested).received.count == 2;
}

/*
 * The builder checks blocks by a table that it receives later. A block of another builder is not
 * built, even if it is complete, and its sender is excluded.
 */
static void by_later_table(void)
{
	enum roc_evb_protocol protocol;

	for (protocol = ROC_EVB_PUSH; protocol <= ROC_EVB_PULL; protocol++) {
		stale_ns = UINT64_C(60000000000);
		start_builder(protocol);
		greet();
		board.members[board.member_count++] = (struct roc_evb_member){
			.name = "node2", .incarnation = 8, .roles = ROC_EVB_BUILDER};
		node_new(2, ROC_EVB_BUILDER);
		board.table.epoch = 2;
		if (protocol == ROC_EVB_PUSH) {
			send_mfp(102, 0);
			send_mfp(103, 1);
		} else {
			announce_mfp(102, 0);
			announce_mfp(103, 1);
		}
		CU_ASSERT_TRUE(run_until(two_complete, 5000));
		board.table.epoch = 1;
		publish_beside(true, 10);
		CU_ASSERT_TRUE(UNIT_WAIT((step_all(), counts_of(tested).protocol_violations == 1 &&
							      counts_of(tested).complete == 1),
					 5000));
		CU_ASSERT_TRUE(strstr(tested->log,
				      "block 103 belongs to another builder by table 2") != NULL);
		UNIT_EQ(counts_of(tested).open_blocks, 0);
		UNIT_EQ(counts_of(tested).incomplete, 0);
		close_both();
	}
}

static bool one_open(void)
{
	bad_peer_step();
	return counts_of(tested).open_blocks == 1;
}

static bool lost(void)
{
	step_all();
	return strstr(tested->log, "node1 is lost") != NULL;
}

/* A peer that disconnects leaves no incomplete block open: the number of open blocks is limited. */
static void disconnects_with_open_block(void)
{
	struct roc_mfp mfp = empty_mfp(6);
	struct evb_segment head;

	stale_ns = UINT64_C(60000000000);
	start_builder(ROC_EVB_PUSH);
	greet();
	head = segment_head(6, bad_peer.pair.peer.segment);
	head.parts = 2;
	head.bytes = bad_peer.pair.peer.segment - EVB_SEGMENT_HEAD;
	write_segment(bad_peer.credits[1], evb_notice(bad_peer.credits[1], 1), &head, &mfp);
	CU_ASSERT_TRUE(run_until(one_open, 5000));
	pair_close(&bad_peer.pair);
	CU_ASSERT_TRUE(run_until(lost, 5000));
	step_all();
	UNIT_EQ(counts_of(tested).open_blocks, 0);
	UNIT_EQ(counts_of(tested).protocol_violations, 0);
	close_both();
}

static bool all_begun(void)
{
	bad_peer_step();
	return counts_of(tested).open_blocks == 4;
}

static bool two_abandoned(void)
{
	bad_peer_step();
	return counts_of(tested).open_blocks <= 2;
}

/*
 * A peer that begins all allowed blocks and completes none does not keep them open for 16 stale
 * timeouts, which is the limit when the builder itself causes the delay.
 */
static void never_completes_blocks(void)
{
	struct roc_mfp mfp = empty_mfp(4);
	struct evb_segment head = segment_head(4, ROC_MFP_HEAD);
	uint32_t i;

	stale_ns = (uint64_t)(1000 * slowness()) * MS;
	start_builder(ROC_EVB_PUSH);
	greet();
	tested->sink.stuck = true;
	write_segment(bad_peer.credits[0], evb_notice(bad_peer.credits[0], 1), &head, &mfp);
	for (i = 1; i < 4; i++) {
		head = segment_head(4 + i, bad_peer.pair.peer.segment);
		head.parts = 2;
		head.bytes = bad_peer.pair.peer.segment - EVB_SEGMENT_HEAD;
		write_segment(bad_peer.credits[i], evb_notice(bad_peer.credits[i], 1), &head, NULL);
	}
	CU_ASSERT_TRUE(run_until(all_begun, 5000));
	/* 12 s on an idle machine. */
	CU_ASSERT_TRUE(run_until(two_abandoned, 2400));
	UNIT_EQ(counts_of(tested).protocol_violations, 0);
	close_both();
}

static struct bad_peer first;

/* Connect a second time, while the connection of node1 stays open. */
static void second_connects(uint64_t incarnation, uint64_t to)
{
	bad_peer_connects(ROC_EVB_PUSH);
	bad_peer.greeting.incarnation = incarnation;
	bad_peer.greeting.to_incarnation = to;
	UNIT_NEED(!pair_send_greeting(&bad_peer.pair, &bad_peer.greeting));
	bad_peer.pair.state = PAIR_GREETING;
}

/* Keep the first connection alive meanwhile. */
static bool answered(void)
{
	pair_progress(&first.pair, &bad_peer_use, NULL);
	pair_alive(&first.pair, fabric_now(), silence_ns);
	return has_greeting();
}

static bool refused(void)
{
	return answered() && bad_peer.pair.peer.status;
}

/*
 * A process that is no member cannot end a connection, and no refusal discloses the incarnation of
 * the builder. A process whose member is announced later is accepted then.
 */
static void unknown_process(void)
{
	uint64_t builder;

	stale_ns = UINT64_C(5000000000);
	silence_ns = 2000 * MS;
	start_builder(ROC_EVB_PUSH);
	builder = roc_evb_incarnation(tested->evb);
	greet();
	first = bad_peer;
	second_connects(99, 12345);
	CU_ASSERT_TRUE(run_until(refused, 5000));
	UNIT_EQ(bad_peer.pair.peer.status, EVB_OTHER_NODE);
	UNIT_EQ(bad_peer.pair.peer.incarnation, 0);
	bad_peer_free();
	second_connects(99, builder);
	CU_ASSERT_TRUE(run_until(refused, 20000));
	UNIT_EQ(bad_peer.pair.peer.status, EVB_OTHER_NODE);
	UNIT_EQ(bad_peer.pair.peer.incarnation, 0);
	CU_ASSERT_PTR_NULL(strstr(tested->log, "is lost"));
	bad_peer_free();
	/* node1 restarts, and connects before the builder has received its new incarnation. */
	second_connects(8, builder);
	CU_ASSERT_FALSE(run_until(answered, 500));
	board.members[1].incarnation = 8;
	board.members_version++;
	CU_ASSERT_TRUE(run_until(answered, 20000));
	UNIT_EQ(bad_peer.pair.peer.status, 0);
	UNIT_EQ(bad_peer.pair.peer.incarnation, builder);
	CU_ASSERT_PTR_NOT_NULL(strstr(tested->log, "the readout unit connected again"));
	UNIT_EQ(counts_of(tested).protocol_violations, 0);
	bad_peer_free();
	bad_peer = first;
	silence_ns = 0;
	close_both();
}

UNIT_MAIN("event building, unusual peers", {"flood of messages", flood},
	  {"late greeting", late_greeting}, {"peer far ahead", far_ahead},
	  {"block numbers with the same lower bits", same_bits},
	  {"blocks by a missed table", by_missed_table},
	  {"blocks by a later table", by_later_table},
	  {"disconnect with an open block", disconnects_with_open_block},
	  {"blocks that are never completed", never_completes_blocks},
	  {"connection of an unknown process", unknown_process})
