// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test a start that resets the function, because a channel's stop cannot be verified, while other
 * processes access the same card: by a mapped BAR, by ioctls, through sysfs. The emulated card
 * counts accesses to a function in reset.
 */
#include "common/case.h"

#include <signal.h>

#define LIMIT_MS 15000
#define MEET_MS 1000 /* time for an access that should wait */
#define ACCESSES 20  /* accesses of each kind before and after */

enum way_in {
	WAY_IN_MAP,
	WAY_IN_IOCTL,
	WAY_IN_SYSFS,
	WAYS_IN
};

/* A process that accesses the card until it is killed; in shared memory. */
struct accessor {
	enum way_in way;
	pid_t pid;
	volatile bool begun;
	volatile unsigned int count;
};

static bool access_by_map(struct accessor *a)
{
	struct roc_endpoint *ep;
	struct roc_bar bar;

	if (roc_open(EP0, &ep) || roc_bar_map(ep, CRU_BAR_DMA, true, &bar))
		return false;
	for (a->begun = true;; a->count++) {
		bar.regs[CRU_SCRATCH / 4] = a->count;
		(void)bar.regs[CRU_SCRATCH / 4];
	}
}

static bool access_by_ioctl(struct accessor *a)
{
	int fd = node_open(EP0, -1), err = 0;
	uint32_t value;

	if (fd < 0)
		return false;
	for (a->begun = true; !err; a->count++)
		err = reg_write(fd, CRU_BAR_DMA, CRU_SCRATCH, 1)
			      ?: reg_read(fd, CRU_BAR_DMA, CRU_SCRATCH, &value);
	return false;
}

/* The card's own counter: reading it waits, or returns a recent value. */
static bool access_by_sysfs(struct accessor *a)
{
	for (a->begun = true; node_attr(EP0, 0, "dropped")[0]; a->count++)
		;
	return false;
}

static int accesses(void *arg)
{
	static bool (*const by[WAYS_IN])(struct accessor *) = {access_by_map, access_by_ioctl,
							       access_by_sysfs};
	struct accessor *a = arg;

	return by[a->way](a) ? 0 : 1;
}

static struct accessor *accessor_start(enum way_in way)
{
	struct accessor *a = shared_alloc(sizeof(*a));

	a->way = way;
	a->pid = child_start(AS_ROOT, accesses, a);
	return a;
}

static bool goes_on(const struct accessor *a)
{
	unsigned int count = a->count;

	return UNIT_WAIT(a->count >= count + ACCESSES, LIMIT_MS);
}

/* It can be killed in every wait. */
static void accessor_kill(struct accessor *a)
{
	kill(a->pid, SIGKILL);
	UNIT_EQ(child_wait(a->pid, LIMIT_MS), -2);
	shared_free(a, sizeof(*a));
}

static struct rig suspect;
static uint64_t resets;

static bool ready(void)
{
	if (!points_there())
		unit_skip("this module has no points");
	return points_there();
}

/* A stopped channel without verified quiescence. */
static bool open_unquiesced(void)
{
	bool good;

	suspect = (struct rig){.id = EP0,
			       .source = ROC_SOURCE_DDG,
			       .by_timer = true,
			       .configure = ROC_CONFIGURE_PLAIN};
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "fault 0 stall");
	good = rig_open(&suspect);
	rig_push(&suspect, RIG_MAX);
	good = good && rig_start(&suspect);
	emu(CARD0, "fault 0 reset-ignored");
	good = good && rig_stop(&suspect);
	resets = emu_count(CARD0, 0, "function_resets");
	return good;
}

static int start_run(void *unused)
{
	return -control(rig_fd(&suspect), ROC_CH_START, 0, 0);
}

/* A start is about to reset the function. Its configuration space is locked. */
static pid_t start_held(void)
{
	pid_t pid;

	point_hold("function_reset", EP0);
	pid = child_start(AS_ROOT, start_run, NULL);
	CU_ASSERT(point_reached("function_reset", LIMIT_MS));
	emu_ordered(false);
	emu(CARD0, "fault 0 clear");
	return pid;
}

static void start_released(pid_t pid, int status)
{
	point_release("function_reset");
	UNIT_EQ(child_wait(pid, LIMIT_MS), status);
	emu_ordered(true);
	UNIT_EQ(emu_count(CARD0, 0, "function_resets"), resets + 1);
	UNIT_EQ(emu_count(CARD0, 0, "reset_accesses"), 0);
}

/* The accesses come first, and go on after the reset. */
static void access_then_reset(void)
{
	struct accessor *a[WAYS_IN];
	unsigned int w;
	pid_t starts;

	if (!ready())
		return;
	UNIT_NEED(open_unquiesced());
	for (w = 0; w < WAYS_IN; w++) {
		a[w] = accessor_start(w);
		CU_ASSERT(goes_on(a[w]));
	}
	starts = start_held();
	start_released(starts, 0);
	for (w = 0; w < WAYS_IN; w++) {
		CU_ASSERT(goes_on(a[w]));
		accessor_kill(a[w]);
	}
	UNIT_EQ(emu_count(CARD0, 0, "reset_accesses"), 0);
	CU_ASSERT(rig_stop(&suspect));
	rig_close(&suspect);
}

/* The reset comes first: accesses wait for it, and a waiting process can be killed. */
static void reset_then_access(void)
{
	struct accessor *a[WAYS_IN], *killed[WAYS_IN];
	unsigned int w;
	pid_t starts;

	if (!ready())
		return;
	UNIT_NEED(open_unquiesced());
	node_attr(EP0, 0, "dropped");
	starts = start_held();
	sleep_ms(200); /* values that sysfs read before are too old by now */
	for (w = 0; w < WAYS_IN; w++) {
		a[w] = accessor_start(w);
		killed[w] = accessor_start(w);
		CU_ASSERT(UNIT_WAIT(a[w]->begun && killed[w]->begun, LIMIT_MS));
	}
	for (w = 0; w < WAYS_IN; w++) {
		CU_ASSERT(UNIT_STAYS(!a[w]->count && !killed[w]->count, MEET_MS));
		accessor_kill(killed[w]);
	}
	CU_ASSERT(point_holds("function_reset"));
	start_released(starts, 0);
	for (w = 0; w < WAYS_IN; w++) {
		CU_ASSERT(goes_on(a[w]));
		accessor_kill(a[w]);
	}
	CU_ASSERT(rig_stop(&suspect));
	rig_close(&suspect);
}

static int modify(void *unused)
{
	int fd = node_open(EP1, -1);

	return fd < 0 || reg_write(fd, CRU_BAR_DMA, CRU_SCRATCH, 1);
}

/* Neither the card's other endpoint nor a close of the channel waits for the reset. */
static void others_do_not_wait(void)
{
	pid_t starts, pid;

	if (!ready())
		return;
	UNIT_NEED(open_unquiesced());
	starts = start_held();
	pid = child_start(AS_ROOT, modify, NULL);
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
	CU_ASSERT(point_holds("function_reset"));
	rig_close(&suspect);
	CU_ASSERT(point_holds("function_reset"));
	/* The close released the channel meanwhile. */
	start_released(starts, ENODEV);
	suspect = (struct rig){.id = EP0, .source = ROC_SOURCE_DDG};
	CU_ASSERT(rig_once(&suspect, 20, LIMIT_MS));
	RIG_OK(&suspect);
	rig_close(&suspect);
}

UNIT_MAIN("reset", {"access, then a reset", access_then_reset},
	  {"reset, then an access", reset_then_access}, {"others do not wait", others_do_not_wait})
