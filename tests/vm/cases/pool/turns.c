// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What one turn of a channel's thread does. Forced by a point in the module (kmod/core/points.h).
 */
#include "common/case.h"

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

static void leave(void)
{
	points_release();
	emu(CARD0, "fault 0 clear");
	CU_ASSERT(emu_clean(CARD0));
	emu_normal(CARD0, FOUR_LINKS);
}

UNIT_MAIN("turns", {"lost interrupt", lost_interrupt}, {"card saw no wrong access", leave})
