// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test one turn of a channel's thread or watchdog. Points in the module force the orders
 * (kmod/core/points.h).
 */
#include "common/case.h"
#include "common/reader.h"
#include "common/taker.h"

#define LIMIT_MS 10000
#define COUNT 4

/*
 * The card has finished superpages, and their interrupt was lost. The watchdog's turn that finds
 * them also takes them: the entries carry the time at which that turn began.
 */
static void lost_interrupt(void)
{
	struct rig r = {.id = EP0, .mode = ROC_MODE_EVENT, .superpage = 64 * KIB, .count = COUNT};
	const struct roc_ready *ready;
	struct counters before;
	uint64_t turns, let_go;

	if (!points_there() || !has_events(EP0)) {
		unit_skip("this module has no points, or the card no events");
		return;
	}
	emu_normal(CARD0, 0x1);
	emu(CARD0, "fault 0 stall");
	before = counters(EP0, 0);
	turns = node_count(EP0, 0, "turns");
	UNIT_NEED(rig_open(&r));
	rig_push(&r, COUNT);
	UNIT_NEED(rig_start(&r));
	/* After the first turns only the watchdog wakes the thread. */
	CU_ASSERT(UNIT_WAIT(node_count(EP0, 0, "turns") >= turns + 3, LIMIT_MS));
	point_hold("turn", EP0);
	CU_ASSERT(point_reached("turn", LIMIT_MS));
	emu(CARD0, "fault 0 irq-lost 1");
	emu(CARD0, "fault 0 clear stall");
	CU_ASSERT(UNIT_WAIT(emu_count(CARD0, 0, "superpages") == COUNT, LIMIT_MS));
	let_go = now_ns();
	points_release();
	CU_ASSERT(UNIT_WAIT(roc_ready_count(r.rings) == COUNT, LIMIT_MS));
	ready = roc_ready_peek(r.rings);
	CU_ASSERT(ready && ready->time < let_go);
	CU_ASSERT(UNIT_WAIT(counters_since(EP0, 0, before).missed, LIMIT_MS));
	UNIT_EQ(counters_since(EP0, 0, before).missed, 1);
	UNIT_EQ(counters_since(EP0, 0, before).interrupts, 0);
	CU_ASSERT(rig_run(&r, 50, LIMIT_MS));
	rig_stop(&r);
	rig_agrees(&r, CARD0, 0);
	RIG_OK(&r);
	rig_close(&r);
}

/* The IDs of the cards in schedules.c. */
#define P40 3
#define STREAM_CARD "4004:0"
#define ROBINNP 4
#define SUB_CARD "6005:0"

#define SILENT_TURNS 4 /* after so many turns without data a watchdog reads the card's status */

struct resetter {
	const char *id;
	unsigned long nr;
	struct roc_st_reset arg; /* struct roc_fr_reset has the same members */
};

static int reset_counters(void *arg)
{
	struct resetter *r = arg;

	return abi(node_open(r->id, -1), r->nr, &r->arg) ? 1 : 0;
}

/*
 * The watchdog must read the status of a silent card, while a reset holds the channel lock. It
 * reads it in its next turn after that, and not after another two seconds of silence.
 */
static void reads_status_late(struct resetter *r)
{
	uint64_t reads = node_count(r->id, 0, "mmio_reads");
	unsigned int turns;
	pid_t pid;

	point_watch("turn", r->id);
	CU_ASSERT(UNIT_WAIT(node_count(r->id, 0, "mmio_reads") > reads, LIMIT_MS));
	turns = point_hits("turn");
	point_hold("reset", r->id);
	pid = child_start(AS_ROOT, reset_counters, r);
	CU_ASSERT(point_reached("reset", LIMIT_MS));
	CU_ASSERT(UNIT_WAIT(point_hits("turn") > turns + SILENT_TURNS, LIMIT_MS));
	reads = node_count(r->id, 0, "mmio_reads");
	turns = point_hits("turn");
	point_release("reset");
	CU_ASSERT(UNIT_WAIT(node_count(r->id, 0, "mmio_reads") > reads, LIMIT_MS));
	unit_note("status read after %u turns", point_hits("turn") - turns);
	CU_ASSERT(point_hits("turn") - turns <= SILENT_TURNS / 2);
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
}

static void stream_status_read_late(void)
{
	struct resetter r = {.id = STREAM_CARD,
			     .nr = ROC_ST_RESET,
			     .arg = {.size = sizeof(r.arg), .level = ROC_ST_RESET_COUNTERS}};
	struct reader reader = {.id = STREAM_CARD, .ring = 64 * KIB};

	if (!points_there()) {
		unit_skip("this module has no points");
		return;
	}
	emu_keys_p40(P40);
	UNIT_NEED(reader_open(&reader));
	reader_generate(&reader, 0, 64, 64, 0, 2, 0);
	UNIT_NEED(reader_start(&reader));
	CU_ASSERT(reader_run(&reader, 2, LIMIT_MS));
	emu(P40, "fault 0 stall 1");
	reads_status_late(&r);
	emu(P40, "fault 0 clear stall");
	CU_ASSERT(reader_stop(&reader));
	READER_OK(&reader);
	reader_close(&reader);
}

static void sub_unit_status_read_late(void)
{
	struct resetter r = {.id = SUB_CARD,
			     .nr = ROC_FR_RESET,
			     .arg = {.size = sizeof(r.arg), .level = ROC_FR_RESET_COUNTERS}};
	struct taker t = {.id = SUB_CARD, .pages = 64};

	if (!points_there()) {
		unit_skip("this module has no points");
		return;
	}
	emu_keys_robinnp(ROBINNP);
	UNIT_NEED(taker_open(&t));
	taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 0, 0, 2);
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(taker_run(&t, 2 * ROBINNP_LINKS, LIMIT_MS));
	reads_status_late(&r);
	CU_ASSERT(taker_stop(&t));
	TAKER_OK(&t);
	taker_close(&t);
}

static void leave(void)
{
	points_release();
	emu(CARD0, "fault 0 clear");
	CU_ASSERT(emu_clean(CARD0));
	emu_normal(CARD0, FOUR_LINKS);
}

UNIT_MAIN("turns", {"lost interrupt", lost_interrupt},
	  {"stream status read late", stream_status_read_late},
	  {"sub-unit status read late", sub_unit_status_read_late},
	  {"card saw no violations", leave})
