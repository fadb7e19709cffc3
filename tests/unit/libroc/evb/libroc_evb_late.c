// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Assignment tables that are rejected, arrive late or never, or replace all builders.
 */
#include "tests/unit/libroc/evb/evb_progress.h"

/*
 * Nodes ignore a table of an older manager and refuse an invalid one. They continue when the
 * coordinator cannot be reached.
 */
static void tables(void)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		node_both_roles(i, 3000);
		nodes[i].sink.sources = 2;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(some_delivered, 10000));
	publish(ROC_EVB_ROUND_ROBIN, 5000);
	board.table.term = 0;
	step_all();
	CU_ASSERT_TRUE(strstr(nodes[0].log, "there is a newer manager") != NULL);
	UNIT_EQ(counts_of(&nodes[0]).epoch, 1);
	board.table.term = 2;
	board.table.policy = 99;
	board.table_version++;
	step_all();
	CU_ASSERT_TRUE(strstr(nodes[0].log, "is refused") != NULL);
	UNIT_EQ(counts_of(&nodes[0]).refused_tables, 2);
	nodes[0].cut_off = nodes[1].cut_off = true;
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	UNIT_EQ(counts_of(&nodes[0]).complete + counts_of(&nodes[1]).complete, 3000);
	close_all();
}

static bool all_packed(void)
{
	return counts_of(&nodes[0]).received.count >= 400;
}

/* All MFPs of the readout unit that the builder has as a member. */
static bool first_packed(void)
{
	return counts_of(&nodes[0]).received.count >= 300;
}

/*
 * A builder that receives a table late does not treat a block as complete without the new readout
 * unit. It accepts that readout unit only after it has received the list of members, too.
 */
static void late_table(void)
{
	unsigned int i, protocol;

	for (protocol = 0; protocol < 2; protocol++) {
		reset_system();
		for (i = 0; i < 3; i++) {
			node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
			nodes[i].cfg.protocol = protocol;
			nodes[i].cfg.in_flight = 400;
			nodes[i].cfg.blocks = 400;
			nodes[i].source.events = 300;
			nodes[i].source.size = 100;
			nodes[i].sink.sources = 2;
			if (i < 2)
				node_open(&nodes[i]);
		}
		nodes[2].used = false;
		publish(ROC_EVB_ROUND_ROBIN, 0);
		step_all();
		nodes[0].cut_off = true;
		nodes[2].used = true;
		node_open(&nodes[2]);
		publish(ROC_EVB_ROUND_ROBIN, 200);
		CU_ASSERT_TRUE(run_until(first_packed, 10000));
		UNIT_EQ(counts_of(&nodes[0]).complete, 200);
		UNIT_EQ(counts_of(&nodes[0]).received.count, 300);
		nodes[0].cut_off = false;
		CU_ASSERT_TRUE(run_until(NULL, 10000));
		UNIT_EQ(counts_of(&nodes[0]).complete, 300);
		UNIT_EQ(counts_of(&nodes[0]).late, 0);
		for (i = 200; i < 300; i++)
			UNIT_EQ(nodes[0].sink.whole[i], 1);
		close_all();
	}
}

static bool readouts_have_table(void)
{
	return counts_of(&nodes[1]).epoch == 2 && counts_of(&nodes[2]).epoch == 2 && all_packed();
}

/* A builder that missed a table reports no violation of readout units that used it. */
static void missed_table(void)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 3; i++) {
		node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		nodes[i].cfg.in_flight = 400;
		nodes[i].cfg.blocks = 400;
		nodes[i].source.events = 300;
		nodes[i].source.size = 100;
		nodes[i].sink.sources = 2;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	step_all();
	nodes[0].cut_off = true;
	publish(ROC_EVB_ROUND_ROBIN, 200);
	CU_ASSERT_TRUE(run_until(readouts_have_table, 10000));
	publish(ROC_EVB_ROUND_ROBIN, 250);
	nodes[0].cut_off = false;
	CU_ASSERT_TRUE(run_until(NULL, 10000));
	UNIT_EQ(counts_of(&nodes[0]).protocol_violations, 0);
	/* For blocks of the missed table the other sources are unknown. */
	UNIT_EQ(counts_of(&nodes[0]).complete, 250);
	UNIT_EQ(counts_of(&nodes[0]).incomplete, 50);
	close_all();
}

static unsigned int seen_in_all(void)
{
	unsigned int i, event, count = 0;

	for (event = 0; event < EVENTS_MOST; event++) {
		for (i = 0; i < NODES; i++)
			count += nodes[i].sink.seen[event];
	}
	return count;
}

static bool all_seen(void)
{
	return seen_in_all() == wanted_count;
}

/*
 * All builders are replaced by as many with other names. Nothing is lost, although the readout unit
 * supports only the number of builders of one table.
 */
static void replaced(void)
{
	unsigned int i;

	reset_system();
	wanted_count = 8000;
	for (i = 0; i < 5; i++) {
		node_new(i, i ? ROC_EVB_BUILDER : ROC_EVB_READOUT);
		nodes[i].cfg.peers = 2;
		nodes[i].source.events = wanted_count;
		nodes[i].source.size = 100;
		if (i < 3)
			node_open(&nodes[i]);
	}
	nodes[3].used = nodes[4].used = false;
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(some_blocks, 10000));
	for (i = 1; i < 5; i++)
		nodes[i].used = i > 2;
	node_open(&nodes[3]);
	node_open(&nodes[4]);
	publish(ROC_EVB_ROUND_ROBIN, newest_block() + 500);
	nodes[1].used = nodes[2].used = true;
	if (!run_until(all_seen, 20000)) {
		unit_note("%u of %llu", seen_in_all(), (unsigned long long)wanted_count);
		CU_FAIL("not all events were built");
		show_counts();
	}
	UNIT_EQ(counts_of(&nodes[0]).dropped, 0);
	CU_ASSERT_TRUE(counts_of(&nodes[3]).complete > 0 && counts_of(&nodes[4]).complete > 0);
	close_all();
}

UNIT_MAIN("event building, new tables", {"rejected tables", tables}, {"late table", late_table},
	  {"missed table", missed_table}, {"all builders replaced", replaced})
