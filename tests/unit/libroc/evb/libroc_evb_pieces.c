// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fragments in the maximum number of pieces: none is lost, whether it is sent in place or copied.
 */
#include "libroc/evb/engine.h"
#include "tests/unit/libroc/evb/evb_system.h"

#define EVENTS 16
#define BLOCKS 12

static void build(enum roc_evb_protocol protocol, bool fixed)
{
	struct roc_evb_counts c;
	struct node *n;
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		n = node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		n->cfg.protocol = protocol;
		n->cfg.events = EVENTS;
		n->cfg.copy_below = 256;
		n->source.events = BLOCKS * EVENTS;
		n->source.size = 4095; /* so that the next fragment is not aligned */
		n->source.fixed = fixed;
		n->source.pieces = ROC_EVB_PARTS;
		node_open(n);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	if (!run_until(NULL, 20000)) {
		CU_FAIL("it did not come to its end");
		show_counts();
	}
	UNIT_EQ(counts_of(&nodes[1]).too_large, 0);
	c = counts_of(&nodes[0]);
	UNIT_EQ(c.complete, BLOCKS);
	UNIT_EQ(c.damaged, 0);
	UNIT_EQ(nodes[0].sink.wrong, 0);
	UNIT_EQ(nodes[0].sink.events, BLOCKS * EVENTS);
	close_all();
}

static void many_pieces(void)
{
	unsigned int protocol;

	for (protocol = 0; protocol < 3; protocol++) {
		build(protocol, true);
		/* Also with small fragments. */
		build(protocol, false);
	}
}

#define KEPT 60 /* blocks; each has so many events that only 32 can be announced at once */

static bool all_received(void)
{
	step_all();
	return counts_of(&nodes[0]).received.count >= KEPT;
}

/* MFPs that were read and wait for the sink do not occupy lists of pieces. */
static void read_blocks(void)
{
	struct node *n;
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		n = node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		n->cfg.protocol = ROC_EVB_PULL;
		n->cfg.events = 500;
		n->cfg.fragment_max = 32;
		n->cfg.copy_below = 16;
		n->cfg.memory = 32 << 20;
		n->source.events = (KEPT + 1) * 500;
		n->source.size = 8;
		node_open(n);
	}
	nodes[0].sink.stuck = true;
	publish(ROC_EVB_ROUND_ROBIN, 0);
	if (!run_until(all_received, 5000)) {
		CU_FAIL("the blocks are not read");
		show_counts();
	}
	nodes[0].sink.stuck = false;
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	UNIT_EQ(counts_of(&nodes[0]).complete, KEPT + 1);
	UNIT_EQ(nodes[0].sink.wrong, 0);
	close_all();
}

static unsigned int came_back;

static int count_back(void *self, uint64_t handle)
{
	came_back++;
	return 0;
}

/* After all pieces of an MFP are used, small fragments can still be added. */
static void too_many(void)
{
	static const struct roc_evb_source_ops ops = {.name = "pieces", .give_back = count_back};
	static unsigned char memory[2 * 64 * ROC_EVB_PARTS];
	const uint32_t events = 2 * EVB_PIECES_MAX / 63;
	struct roc_evb *e = calloc(1, sizeof(*e));
	struct roc_evb_part parts[63];
	struct roc_evb_fragment f = {.parts = parts, .count = 63, .bytes = 63 * 64};
	char reason[ROC_EVB_REASON] = "";
	struct evb_mfp *m;
	unsigned int i;

	UNIT_NEED(e);
	for (i = 0; i < 63; i++)
		parts[i] = (struct roc_evb_part){memory + 128 * i, 64};
	e->source = &ops;
	e->cfg.events = events;
	e->cfg.fragment_max = 4096;
	e->cfg.copy_below = 64;
	e->cfg.blocks = 4;
	e->ru.mfp_max = roc_mfp_data(events) + events * UINT64_C(4096);
	e->ru.regions[0] = (struct roc_evb_region){memory, sizeof(memory)};
	e->ru.region_count = 1;
	e->ru.in_place = true;
	UNIT_EQ(evb_mfps_new(e, reason), 0);
	CU_ASSERT_TRUE(e->ru.pieces_max <= EVB_PIECES_MAX);
	m = &e->ru.mfps[evb_mfp_new(e, 0)];
	for (f.event = 0; evb_mfp_add(e, m, &f); f.event++)
		UNIT_NEED(f.event < events);
	/* The MFP has accepted as many fragments as it has pieces. */
	CU_ASSERT_TRUE(m->handle_count >= EVB_PIECES_MAX / (ROC_EVB_PARTS + 1));
	f.count = 1;
	parts[0].bytes = f.bytes = 10;
	came_back = 0;
	for (i = 0; i < 100; i++, f.event++)
		CU_ASSERT_TRUE(evb_mfp_add(e, m, &f));
	UNIT_EQ(came_back, 100);
	evb_mfps_free(e);
	free(e);
}

/* A piece must be within one region, so adjacent data of two regions are two pieces. */
static void two_regions(void)
{
	static const struct roc_evb_source_ops ops = {.name = "regions", .give_back = count_back};
	static unsigned char memory[3 * 4096];
	struct roc_evb *e = calloc(1, sizeof(*e));
	struct roc_evb_part part = {memory, 4096};
	struct roc_evb_fragment f = {.parts = &part, .count = 1, .bytes = 4096};
	char reason[ROC_EVB_REASON] = "";
	struct evb_mfp *m;

	UNIT_NEED(e);
	e->source = &ops;
	e->cfg.events = 3;
	e->cfg.fragment_max = 4096;
	e->cfg.copy_below = 64;
	e->cfg.blocks = 4;
	e->ru.mfp_max = roc_mfp_data(3) + 3 * UINT64_C(4096);
	e->ru.regions[0] = (struct roc_evb_region){memory, 4096};
	e->ru.regions[1] = (struct roc_evb_region){memory + 4096, 2 * 4096};
	e->ru.region_count = 2;
	e->ru.in_place = true;
	UNIT_EQ(evb_mfps_new(e, reason), 0);
	m = &e->ru.mfps[evb_mfp_new(e, 0)];
	for (f.event = 0; f.event < 3; f.event++) {
		part.data = memory + 4096 * f.event;
		CU_ASSERT_TRUE(evb_mfp_add(e, m, &f));
	}
	/* The head, the fragment in the first region, and both fragments in the second one. */
	UNIT_EQ(m->piece_count, 3);
	UNIT_EQ(m->pieces[1].iov_len, 4096);
	CU_ASSERT_PTR_EQUAL(m->pieces[2].iov_base, memory + 4096);
	UNIT_EQ(m->pieces[2].iov_len, 2 * 4096);
	evb_mfps_free(e);
	free(e);
}

UNIT_MAIN("event building, fragments in many pieces", {"maximum number of pieces", many_pieces},
	  {"lists of read blocks", read_blocks}, {"too many pieces", too_many},
	  {"two regions", two_regions})
