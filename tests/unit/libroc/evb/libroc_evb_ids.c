// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event ids: sources that omit events, begin late, are slow, or report a wrong id.
 */
#include "tests/unit/libroc/evb/evb_system.h"

#define STALE_LATE (60000 * MS)

/* A source omits events: builders do not wait for them, because the node reports its position. */
static void missing_events(void)
{
	double before;
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		node_both_roles(i, 300);
		nodes[i].cfg.events = 3;
		nodes[i].cfg.stale_ns = STALE_LATE;
		node_open(&nodes[i]);
	}
	nodes[1].source.skip_from = 50;
	nodes[1].source.skip_to = 200;
	publish(ROC_EVB_BARREL_SHIFT, 0);
	before = unit_seconds();
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	CU_ASSERT_TRUE(unit_seconds() - before < STALE_LATE / 1e9 / 2);
	for (i = 0; i < 2; i++) {
		UNIT_EQ(nodes[i].sink.wrong, 0);
		UNIT_EQ(counts_of(&nodes[i]).stale, 0);
	}
	/* Blocks 17 to 65 have no events of this source, 16 and 66 have some. */
	UNIT_EQ(nodes[0].sink.gone[1] + nodes[1].sink.gone[1], 49);
	UNIT_EQ(nodes[0].sink.missing[1] + nodes[1].sink.missing[1], 0);
	UNIT_EQ(nodes[0].sink.events + nodes[1].sink.events, 300);
	close_all();
}

/* Event ids begin at a high number, and one source begins later than the other. */
static void late_ids(void)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		node_both_roles(i, 300);
		nodes[i].source.first = (UINT64_C(1) << 50) + 20 * i;
		nodes[i].source.events = 300 - 20 * i;
		nodes[i].sink.first = UINT64_C(1) << 50;
		nodes[i].cfg.events = 10;
		nodes[i].cfg.stale_ns = STALE_LATE;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	for (i = 0; i < 2; i++)
		UNIT_EQ(nodes[i].sink.wrong, 0);
	UNIT_EQ(nodes[0].sink.events + nodes[1].sink.events, 300);
	UNIT_EQ(counts_of(&nodes[0]).incomplete + counts_of(&nodes[1]).incomplete, 2);
	close_all();
}

/* One wrong event id loses one fragment, not all later ones. */
static void broken_id(void)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		node_both_roles(i, 200);
		nodes[i].sink.sources = 2;
		node_open(&nodes[i]);
	}
	nodes[1].source.wrong_at = 77;
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	UNIT_EQ(counts_of(&nodes[1]).disorder, 1);
	UNIT_EQ(counts_of(&nodes[0]).complete + counts_of(&nodes[1]).complete, 199);
	UNIT_EQ(nodes[0].sink.gone[1] + nodes[1].sink.gone[1], 1);
	CU_ASSERT_TRUE(board.reports[1].newest_block < 200);
	close_all();
}

/* A block for which the source needs longer than the stale timeout is still complete. */
static void slow_source_once(unsigned int stale_ms)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		node_both_roles(i, 20);
		nodes[i].cfg.events = 10;
		nodes[i].cfg.stale_ns = stale_ms * MS;
		nodes[i].source.pause = 0.15 * stale_ms / 1e3;
		nodes[i].sink.sources = 2;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	for (i = 0; i < 2; i++) {
		UNLESS_STALLED(counts_of(&nodes[i]).disorder == 0);
		UNLESS_STALLED(counts_of(&nodes[i]).complete == 1);
	}
	UNLESS_STALLED(nodes[0].sink.events + nodes[1].sink.events == 20);
	close_all();
}

static void slow_source(void)
{
	with_growing_timeout(slow_source_once, 200);
}

#define LAST_BUILT 200029

static bool all_built(void)
{
	return board.reports[0].built_block == LAST_BUILT;
}

/*
 * If one source has ended, the reported position of the system follows the other source, over a gap
 * of any size.
 */
static void one_source_ends(void)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 3; i++) {
		node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		nodes[i].source.events = 10;
		node_open(&nodes[i]);
	}
	nodes[2].source.events = LAST_BUILT + 1;
	nodes[2].source.skip_from = 20;
	nodes[2].source.skip_to = 200000;
	nodes[2].source.no_enodata = true;
	publish(ROC_EVB_ROUND_ROBIN, 0);
	if (!run_until(all_built, 5000)) {
		unit_note("built: %llu", (unsigned long long)board.reports[0].built_block);
		CU_FAIL("the report does not have the last block");
	}
	UNIT_EQ(counts_of(&nodes[0]).complete, 10);
	UNIT_EQ(counts_of(&nodes[0]).gone, 40);
	stop_all();
}

UNIT_MAIN("event building, event ids", {"source that omits events", missing_events},
	  {"ids that begin late", late_ids}, {"one wrong id", broken_id},
	  {"slow source", slow_source}, {"one source ends", one_source_ends})
