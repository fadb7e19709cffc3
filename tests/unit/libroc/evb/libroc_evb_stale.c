// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks that are abandoned before an MFP is complete. The remaining data are counted as late once,
 * and are no protocol violation.
 */
#include "tests/unit/libroc/evb/evb_bad_peer.h"

#define BLOCK 4

static uint64_t wanted_count;

static bool are_open(void)
{
	bad_peer_step();
	return counts_of(tested).open_blocks == wanted_count;
}

static bool are_late(void)
{
	bad_peer_step();
	return counts_of(tested).late >= wanted_count || counts_of(tested).protocol_violations;
}

static bool are_incomplete(void)
{
	bad_peer_step();
	return counts_of(tested).incomplete >= wanted_count;
}

static bool reaches(bool (*what)(void), uint64_t count)
{
	wanted_count = count;
	return run_until(what, 5000);
}

static bool are_delivered(void)
{
	bad_peer_step();
	return counts_of(tested).out.count >= wanted_count;
}

/* Write one of the two segments of an MFP with one fragment; each uses another credit. */
static void write_half(unsigned int which)
{
	uint64_t room = bad_peer.pair.peer.segment - EVB_SEGMENT_HEAD, bytes = room + 1000;
	struct evb_segment head = segment_head(BLOCK, which ? bytes - room : room);
	struct roc_mfp mfp = empty_mfp(BLOCK);

	head.epoch = board.table.epoch;
	head.mfp_bytes = mfp.bytes = bytes;
	head.parts = 2;
	head.part = which;
	mfp.count = 1;
	mfp.flags = ROC_MFP_GAPS;
	roc_mfp_put_entry(bad_peer.memory + EVB_SEGMENT_HEAD, 0,
			  &(struct roc_mfp_entry){.bytes = bytes - roc_mfp_data(1)});
	write_segment(bad_peer.credits[which], evb_notice(bad_peer.credits[which], 1), &head,
		      which ? NULL : &mfp);
}

static void start_test(uint64_t stale)
{
	stale_ns = stale;
	start_builder(ROC_EVB_PUSH);
}

/* Start with another readout unit that has @events events from BLOCK on. */
static void start_with_another(uint64_t stale, uint64_t events)
{
	start_test(stale);
	node_new(2, ROC_EVB_READOUT);
	nodes[2].cfg.events = 4;
	nodes[2].source.first = BLOCK * 4;
	nodes[2].source.events = events;
	nodes[2].source.no_enodata = true;
	node_open(&nodes[2]);
	nodes[1].used = true;
	publish(ROC_EVB_ROUND_ROBIN, 0);
	nodes[1].used = false;
	step_all();
	greet();
}

static void close_everything(void)
{
	bad_peer_free();
	close_all();
}

/* Check that an abandoned half is counted only as late. Return the counters. */
static struct roc_evb_counts check_only_late(void)
{
	struct roc_evb_counts c;

	CU_ASSERT_TRUE(reaches(are_late, 1));
	c = counts_of(tested);
	UNIT_EQ(c.late, 1);
	UNIT_EQ(c.complete + c.incomplete, 0);
	UNIT_EQ(c.stale, 0);
	UNIT_EQ(c.missing, 0);
	UNIT_EQ(c.protocol_violations, 0);
	return c;
}

/* No MFP of the block is complete: there is no MEP, and no source is counted as missing. */
static void half_of_one(void)
{
	struct roc_evb_counts c;

	start_test(200 * MS);
	greet();
	write_half(0);
	CU_ASSERT_TRUE(reaches(are_open, 1));
	CU_ASSERT_TRUE(reaches(are_open, 0));
	UNIT_EQ(counts_of(tested).late, 0);
	write_half(1);
	c = check_only_late();
	UNIT_EQ(c.open_blocks, 0);
	UNIT_EQ(tested->sink.meps, 0);
	/* All segments have been freed. */
	UNIT_EQ(c.free_segments, c.all_segments);
	close_both();
}

static void send_passed(uint64_t block)
{
	unsigned char *text = pair_message(&bad_peer.pair);

	UNIT_NEED(text);
	bad_peer_send(text, &(struct evb_message){.type = EVB_PASSED, .a = block, .b = 1});
}

/*
 * Writes and messages are not ordered, so PASSED can arrive before the rest of an MFP. If the block
 * is abandoned between them, the rest is late, and is no protocol violation.
 */
static void passed_before_second_half(void)
{
	struct roc_evb_counts c;

	start_with_another(500 * MS, 8);
	write_half(0);
	send_passed(BLOCK + 2);
	CU_ASSERT_TRUE(reaches(are_incomplete, 2));
	write_half(1);
	CU_ASSERT_TRUE(reaches(are_late, 1));
	c = counts_of(tested);
	UNIT_EQ(c.late, 1);
	UNIT_EQ(c.protocol_violations, 0);
	UNIT_EQ(c.incomplete, 2);
	UNIT_EQ(c.missing + c.gone, 2);
	UNIT_EQ(c.missing, c.stale);
	UNIT_EQ(c.open_blocks, 0);
	close_everything();
}

/*
 * The block is abandoned before the first half arrives, which is late. The second half, after
 * PASSED, is no violation.
 */
static void passed_after_abandoned(void)
{
	struct roc_evb_counts c;

	start_with_another(200 * MS, 8);
	CU_ASSERT_TRUE(reaches(are_incomplete, 2));
	write_half(0);
	CU_ASSERT_TRUE(reaches(are_late, 1));
	send_passed(BLOCK + 2);
	step_all();
	write_half(1);
	CU_ASSERT_FALSE(run_until(has_violation, 300));
	c = counts_of(tested);
	UNIT_EQ(c.late, 1);
	UNIT_EQ(c.protocol_violations, 0);
	UNIT_EQ(c.incomplete, 2);
	close_everything();
}

/* If another readout unit sends the block later, it opens again and the rest is not late. */
static void half_of_two_once(unsigned int stale_ms)
{
	start_with_another(stale_ms * MS, 0);
	write_half(0);
	CU_ASSERT_TRUE(reaches(are_open, 1));
	CU_ASSERT_TRUE(reaches(are_open, 0));
	nodes[2].source.events = 4;
	CU_ASSERT_TRUE(reaches(are_open, 1));
	write_half(1);
	CU_ASSERT_TRUE(reaches(are_delivered, 1));
	UNLESS_STALLED(counts_of(tested).complete == 1);
	UNLESS_STALLED(counts_of(tested).late == 0);
	UNIT_EQ(counts_of(tested).protocol_violations, 0);
	close_everything();
}

static void half_of_two(void)
{
	with_growing_timeout(half_of_two_once, 400);
}

/* Without a table for a block its missing sources are unknown. */
static void no_table(void)
{
	struct evb_segment head = segment_head(BLOCK, ROC_MFP_HEAD);
	struct roc_mfp mfp = empty_mfp(BLOCK);
	unsigned int i;

	start_test(200 * MS);
	for (i = 1; i <= ROC_EVB_TABLES; i++) {
		nodes[1].used = true;
		publish(ROC_EVB_ROUND_ROBIN, BLOCK + i);
		nodes[1].used = false;
		step_all();
	}
	greet();
	write_segment(bad_peer.credits[0], evb_notice(bad_peer.credits[0], 1), &head, &mfp);
	check_only_late();
	close_both();
}

UNIT_MAIN("event building, abandoned blocks", {"half of the only MFP", half_of_one},
	  {"PASSED before the second half", passed_before_second_half},
	  {"PASSED after an abandoned block", passed_after_abandoned},
	  {"block of two readout units", half_of_two}, {"block without a table", no_table})
