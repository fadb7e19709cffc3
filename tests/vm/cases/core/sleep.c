// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test suspend while a channel of each type runs: the run ends with a reason, the card writes no
 * more, and open files stay valid only if the card kept its state. Some tests call only the
 * driver's callbacks, without freezing processes, to force both orders with a start.
 */
#include "common/case.h"
#include "common/recovery.h"
#include "common/subject.h"
#include "common/suspend.h"
#include "common/target.h"

#include <poll.h>
#include <string.h>

#define LIMIT_MS 15000
#define RATE 4000000 /* bytes/s */
#define QUIET_MS 200

static struct target targets[] = {
	{.kind = "cru",
	 .type = ROC_CARD_CRU,
	 .card = CARD0,
	 .endpoints = 2,
	 .id = EP0,
	 .source = ROC_SOURCE_DDG},
	{.kind = "crorc",
	 .type = ROC_CARD_CRORC,
	 .card = CRORC0,
	 .endpoints = 1,
	 .id = CRORC_ID,
	 .source = ROC_SOURCE_INTERNAL},
	{.kind = "p40", .type = ROC_CARD_P40, .card = 3, .endpoints = 1, .id = "4004:0"},
	{.kind = "robinnp", .type = ROC_CARD_ROBINNP, .card = 4, .endpoints = 1, .id = "6005:0"},
};

static struct roc_memory memory;

static struct subject *begin(struct target *t, enum stage stage)
{
	t->events = has_events(t->id);
	target_normal(t);
	target_rate(t, t->channel, RATE);
	return subject_start(t->id, t->channel, t->source, stage);
}

/* Each card of this guest. */
static void each(void (*test)(struct target *))
{
	unsigned int i, present = 0;

	if (!memory.addr && roc_memory_alloc(2 * MIB, -1, 0, &memory))
		UNIT_NEED(false);
	for (i = 0; i < N(targets); i++) {
		if (!card_there(targets[i].id))
			continue;
		present++;
		test(&targets[i]);
	}
	CU_ASSERT(present > 0);
}

/* The reason, from the world-readable attribute. */
static unsigned int reason(const struct target *t)
{
	return node_count(t->id, t->channel, "failure_reason");
}

static bool state_is(const struct target *t, const char *state)
{
	return !strcmp(node_attr(t->id, t->channel, "state"), state);
}

/* Its run has ended; its files are valid. */
static void ended(const struct target *t, struct subject *s)
{
	CU_ASSERT(state_is(t, "failed"));
	UNIT_EQ(reason(t), ROC_REASON_SUSPENDED);
	CU_ASSERT(!bus_master(t->id));
	CU_ASSERT(emu_idle(t->card, 0, QUIET_MS));
	UNIT_EQ(emu_count(t->card, 0, "dma_outside"), 0);
	CU_ASSERT(subject_query(s));
	CU_ASSERT(s->report.poll & POLLERR);
	CU_ASSERT(s->report.stopped && !s->report.gone);
}

static int order(struct subject *s, enum order what)
{
	subject_order(s, 0, what);
	return subject_done(s, 0, LIMIT_MS) ? s->worker[0].result : -ETIMEDOUT;
}

static void leave(const struct target *t, struct subject *s)
{
	CU_ASSERT(subject_end(s));
	emu(t->card, "fault all clear");
	CU_ASSERT(target_runs(t, t->id, t->channel, memory.addr, true));
	UNIT_EQ(emu_count(t->card, 0, "dma_outside"), 0);
}

static void goes_on(struct target *t)
{
	struct subject *s = begin(t, STAGE_FLOWS);

	UNIT_NEED(s);
	UNIT_EQ(recovery(t->id, "sleep"), 0);
	ended(t, s);
	UNIT_EQ(recovery(t->id, "wake"), 0);
	UNIT_EQ(reason(t), ROC_REASON_SUSPENDED);
	UNIT_EQ(order(s, ORDER_START), 0);
	CU_ASSERT(state_is(t, "running"));
	UNIT_EQ(order(s, ORDER_STOP), 0);
	leave(t, s);
}

static void with_its_state(void)
{
	each(goes_on);
}

/* Older files get ENODEV; a channel that is opened later works. */
static void other_epoch(const struct target *t, struct subject *s)
{
	CU_ASSERT(subject_query(s));
	CU_ASSERT(s->report.poll & POLLHUP);
	UNIT_EQ(s->report.wait, -ENODEV);
	CU_ASSERT(s->report.gone);
	UNIT_EQ(order(s, ORDER_START), -ENODEV);
	leave(t, s);
}

/* Down to the last level, and the slots lose power meanwhile. */
static void loses_power(struct target *t)
{
	struct subject *s = begin(t, STAGE_FLOWS);

	UNIT_NEED(s);
	emu(t->card, "fault all forgets");
	UNIT_EQ(suspend("platform"), 0);
	other_epoch(t, s);
}

static void without_power(void)
{
	if (!suspend_there())
		return unit_skip("this kernel has no suspend test");
	each(loses_power);
}

/* The same, and the card keeps its state: for the reader the run has ended. */
static void keeps_power(struct target *t)
{
	struct subject *s = begin(t, STAGE_FLOWS);

	UNIT_NEED(s);
	UNIT_EQ(suspend("platform"), 0);
	UNIT_EQ(reason(t), ROC_REASON_SUSPENDED);
	CU_ASSERT(state_is(t, "failed"));
	UNIT_EQ(order(s, ORDER_START), 0);
	UNIT_EQ(order(s, ORDER_STOP), 0);
	leave(t, s);
}

static void with_power(void)
{
	if (!suspend_there())
		return unit_skip("this kernel has no suspend test");
	each(keeps_power);
}

/* A hibernation image restored by another kernel: the card's state is not this kernel's. */
static void restored(struct target *t)
{
	struct subject *s = begin(t, STAGE_FLOWS);

	UNIT_NEED(s);
	UNIT_EQ(recovery(t->id, "freeze,restore"), 0);
	other_epoch(t, s);
}

static void from_an_image(void)
{
	each(restored);
}

static int to_sleep(void *arg)
{
	const struct target *t = arg;

	return recovery(t->id, "sleep") ? 1 : 0;
}

/* A start that has bus mastering is ended; a later one does not get it. */
static void start_first(struct target *t)
{
	struct subject *s = begin(t, STAGE_READY);
	pid_t pid;

	UNIT_NEED(s);
	point_hold("start_running", t->id);
	subject_order(s, 0, ORDER_START);
	CU_ASSERT(point_reached("start_running", LIMIT_MS));
	point_watch("suspend", t->id);
	pid = child_start(AS_ROOT, to_sleep, t);
	CU_ASSERT(UNIT_WAIT(point_hits("suspend") > 0, LIMIT_MS));
	points_release();
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
	CU_ASSERT(subject_done(s, 0, LIMIT_MS));
	UNIT_EQ(s->worker[0].result, 0);
	ended(t, s);
	UNIT_EQ(recovery(t->id, "wake"), 0);
	leave(t, s);
}

static void sleep_first(struct target *t)
{
	struct subject *s = begin(t, STAGE_READY);
	pid_t pid;

	UNIT_NEED(s);
	point_hold("suspend", t->id);
	pid = child_start(AS_ROOT, to_sleep, t);
	CU_ASSERT(point_reached("suspend", LIMIT_MS));
	UNIT_EQ(order(s, ORDER_START), -EAGAIN);
	points_release();
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
	CU_ASSERT(state_is(t, "stopped"));
	UNIT_EQ(recovery(t->id, "wake"), 0);
	UNIT_EQ(order(s, ORDER_START), 0);
	UNIT_EQ(order(s, ORDER_STOP), 0);
	leave(t, s);
}

static void beside_a_start(void)
{
	if (!points_there())
		return unit_skip("needs a module with points");
	each(start_first);
	each(sleep_first);
}

UNIT_MAIN("sleep", {"with its state", with_its_state}, {"without power", without_power},
	  {"with power", with_power}, {"from an image", from_an_image},
	  {"beside a start", beside_a_start})
