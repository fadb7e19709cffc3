// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test suspend of the machine: a run ends, and an idle card is unchanged at resume. sleep.c has the
 * other channel types, and cards that lose their state.
 */
#include "common/case.h"
#include "common/recovery.h"
#include "common/suspend.h"
#include "common/uevent.h"

#include <unistd.h>

#define LOOK_MS 15000	/* longer than a poll interval */
#define RARELY_MS 60000 /* the longest */

static bool skip(void)
{
	if (suspend_there())
		return false;
	unit_skip("this kernel has no suspend test");
	return true;
}

static void begin(struct rig *r)
{
	*r = (struct rig){.id = EP0, .source = ROC_SOURCE_DDG, .count = 32};
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set 0 rate %llu", emu_rate(8 << 20));
}

/* The run ends, no data are lost, and the same file starts the next one. */
static void ends_the_run(void)
{
	struct roc_ch_info info;
	struct rig r;
	uint64_t lost;

	if (skip())
		return;
	begin(&r);
	UNIT_NEED(rig_open(&r));
	lost = node_count(EP0, 0, "lost");
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r) && rig_run(&r, 4, 10000));
	UNIT_EQ(suspend("devices"), 0);
	info = ch_info(rig_fd(&r));
	UNIT_EQ(info.state, ROC_CH_FAILED);
	UNIT_EQ(info.reason, ROC_REASON_SUSPENDED);
	UNIT_EQ(emu_link_count(CARD0, 0, 0, "queued"), 0);
	rig_take(&r, false);
	UNIT_EQ(rig_missing(&r), 0);
	UNIT_EQ(node_count(EP0, 0, "lost"), lost);
	RIG_OK(&r);
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r) && rig_run(&r, r.filled + 4, 10000));
	CU_ASSERT(rig_stop(&r));
	RIG_OK(&r);
	/* It is stopped, and still open. */
	UNIT_EQ(suspend("devices"), 0);
	UNIT_EQ(ch_info(rig_fd(&r)).state, ROC_CH_STOPPED);
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r) && rig_run(&r, 4, 10000));
	CU_ASSERT(rig_stop(&r));
	RIG_OK(&r);
	rig_close(&r);
}

/* Down to the last level except the CPUs: the driver must assume that the card loses power. */
static void as_before(void)
{
	int fd = uevents_listen();
	struct rig r;

	if (skip())
		return;
	UNIT_NEED(fd >= 0);
	begin(&r);
	UNIT_EQ(suspend("platform"), 0);
	CU_ASSERT(rig_once(&r, 20, 10000));
	RIG_OK(&r);
	UNIT_EQ(set_poll_interval(EP0, RARELY_MS), 0);
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r) && rig_run(&r, 4, 10000));
	if (has_events(EP0)) {
		/* By an interrupt: the next poll is a minute away. */
		emu(CARD0, "set temperature 61");
		CU_ASSERT(uevent(fd, "ROC_ALARM=temperature", LOOK_MS) >= 0);
		emu(CARD0, "set temperature 45");
	}
	CU_ASSERT(rig_stop(&r));
	RIG_OK(&r);
	rig_close(&r);
	UNIT_EQ(set_poll_interval(EP0, LOOK_USUAL_MS), 0);
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
	close(fd);
}

/*
 * On older kernels suspend consumes the saved configuration; an error recovery after it restores
 * all.
 */
static void recovered_after_sleep(void)
{
	struct rig r;

	if (skip())
		return;
	begin(&r);
	UNIT_EQ(suspend("platform"), 0);
	UNIT_EQ(recovery(EP0, "frozen,lost,reset,resume"), 0);
	CU_ASSERT(rig_once(&r, 20, 10000));
	RIG_OK(&r);
	rig_close(&r);
}

UNIT_MAIN("suspend", {"ends the run", ends_the_run}, {"as it was before", as_before},
	  {"recovered after sleep", recovered_after_sleep})
