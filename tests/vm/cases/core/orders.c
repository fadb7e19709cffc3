// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test probe, removal, start and end of a run against concurrent operations, in orders that points
 * in the module force (kmod/core/points.h).
 */
#include "common/case.h"
#include "common/rig.h"

#include <glob.h>
#include <poll.h>
#include <sys/mman.h>

#define LIMIT_MS 10000
#define LOOK_MS 15000
#define MEET_MS 1000 /* time for the second party to go on where it should wait */

static char address[ROC_TEXT_MAX];

static int unbind(void *unused)
{
	return -driver_unbind(address);
}

static bool ready(void)
{
	if (!points_there())
		unit_skip("this module has no points");
	else
		strcpy(address, pci_address(EP0));
	return points_there();
}

static bool hwmon_there(void)
{
	char pattern[128];
	glob_t found;
	bool there;

	snprintf(pattern, sizeof(pattern), "/sys/bus/pci/devices/%s/hwmon/hwmon*", address);
	there = !glob(pattern, 0, NULL, &found);
	globfree(&found);
	return there;
}

/* An alarm in progress during the removal still finds hwmon. */
static void alarm_then_removal(void)
{
	unsigned int before;
	pid_t pid;

	if (!ready())
		return;
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_EQ(set_poll_interval(EP0, 100), 0);
	CU_ASSERT(UNIT_WAIT(!strcmp(node_attr(EP0, -1, "alarm"), "none"), LOOK_MS));
	point_watch("shut_retire", EP0);
	before = point_hits("shut_retire");
	point_hold("alarm", EP0);
	emu(CARD0, "set temperature 61");
	UNIT_NEED(point_reached("alarm", LOOK_MS));
	pid = child_start(AS_ROOT, unbind, NULL);
	CU_ASSERT(UNIT_WAIT(point_hits("shut_retire") > before, LIMIT_MS));
	CU_ASSERT(UNIT_STAYS(hwmon_there(), MEET_MS));
	point_release("alarm");
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
	CU_ASSERT(!hwmon_there());
	emu(CARD0, "set temperature 45");
	UNIT_NEED(driver_bind(address));
}

static int bind_without_memory(void *unused)
{
	return put_text("/sys/bus/pci/drivers/roc/bind", address) == -ENOMEM ? 0 : 1;
}

/* The first node of a card is opened, and the next one cannot be made. */
static void opened_while_probe_fails(void)
{
	struct pollfd p = {.events = POLLIN};
	struct roc_ch_info info = {.size = sizeof(info)};
	struct roc_buf_register b;
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG};
	int64_t before = pins();
	char path[64];
	void *memory;
	pid_t pid;

	if (!ready())
		return;
	emu_normal(CARD0, FOUR_LINKS);
	strcpy(path, node_path(EP0, 0));
	memory = memory_make(HUGE, HUGE, LAYOUT_ASCENDING);
	UNIT_EQ(driver_unbind(address), 0);
	point_hold("publish", NULL);
	point_fail("publish", 1);
	pid = child_start(AS_ROOT, bind_without_memory, NULL);
	UNIT_NEED(point_reached("publish", LIMIT_MS));
	p.fd = open_rw(path);
	CU_ASSERT(p.fd >= 0);
	UNIT_EQ(buffer_register(p.fd, memory, HUGE, MIB, &b), 0);
	CU_ASSERT(pins() > before);
	point_release("publish");
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
	/* As after any removal. */
	UNIT_EQ(abi(p.fd, ROC_CH_INFO, &info), -ENODEV);
	CU_ASSERT(poll(&p, 1, 0) == 1 && p.revents & POLLHUP);
	UNIT_EQ(pins(), before);
	close(p.fd);
	munmap(memory, HUGE);
	UNIT_NEED(driver_bind(address));
	CU_ASSERT(rig_once(&r, 20, LIMIT_MS));
	RIG_OK(&r);
	rig_close(&r);
}

static int stop_run(void *arg)
{
	struct rig *r = arg;

	return control(rig_fd(r), ROC_CH_STOP, 0, 0) ? 1 : 0;
}

/* A reader that sees the end of the run finds all data. */
static void end_after_all_data(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG};
	pid_t pid;

	if (!ready())
		return;
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set 0 rate %llu", emu_rate(2000000)); /* so that some stay unused */
	UNIT_NEED(rig_open(&r) && rig_push(&r, 16) == 16 && rig_start(&r));
	CU_ASSERT(rig_run(&r, 1, LIMIT_MS));
	point_hold("ended", EP0);
	pid = child_start(AS_ROOT, stop_run, &r);
	CU_ASSERT(point_reached("ended", LIMIT_MS));
	CU_ASSERT(r.rings->kernel->flags & ROC_RING_STOPPED);
	rig_take(&r, false);
	UNIT_EQ(rig_missing(&r), 0);
	CU_ASSERT(r.reclaimed > 0);
	point_release("ended");
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
	UNIT_EQ(rig_take(&r, false), 0);
	RIG_OK(&r);
	rig_close(&r);
	emu(CARD0, "set 0 rate 0");
}

static int start_run(void *arg)
{
	struct rig *r = arg;

	return -control(rig_fd(r), ROC_CH_START, 0, 0);
}

/* A start in progress must not enable bus mastering that a removal has disabled. */
static void start_then_removal(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG};
	pid_t starts, goes;

	if (!ready())
		return;
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	/*
	 * The end of a run leaves bus mastering enabled, so the test can see that the removal
	 * disables it.
	 */
	CU_ASSERT(rig_start(&r) && rig_stop(&r));
	CU_ASSERT(bus_master(EP0));
	rig_push(&r, RIG_MAX);
	point_hold("shut_retire", EP0);
	point_hold("start_bus", EP0);
	starts = child_start(AS_ROOT, start_run, &r);
	UNIT_NEED(point_reached("start_bus", LIMIT_MS));
	goes = child_start(AS_ROOT, unbind, NULL);
	/* It has disabled bus mastering, and waits for the channel's lock, which the start has. */
	CU_ASSERT(UNIT_WAIT(!bus_master(EP0), LIMIT_MS));
	point_release("start_bus");
	UNIT_EQ(child_wait(starts, LIMIT_MS), ENODEV);
	CU_ASSERT(point_reached("shut_retire", LIMIT_MS));
	CU_ASSERT(!bus_master(EP0));
	points_release();
	UNIT_EQ(child_wait(goes, LIMIT_MS), 0);
	rig_close(&r);
	UNIT_NEED(driver_bind(address));
}

/* A reader that sees STOPPED finds all data. A removal sets GONE before the run ends. */
static void gone_before_the_end(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG};
	pid_t goes;

	if (!ready())
		return;
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r) && rig_push(&r, 16) == 16 && rig_start(&r));
	point_hold("shut_retire", EP0);
	goes = child_start(AS_ROOT, unbind, NULL);
	CU_ASSERT(point_reached("shut_retire", LIMIT_MS));
	UNIT_EQ(r.rings->kernel->flags & (ROC_RING_GONE | ROC_RING_STOPPED), ROC_RING_GONE);
	point_release("shut_retire");
	UNIT_EQ(child_wait(goes, LIMIT_MS), 0);
	CU_ASSERT(r.rings->kernel->flags & ROC_RING_STOPPED);
	rig_take(&r, false);
	UNIT_EQ(rig_missing(&r), 0);
	rig_close(&r);
	UNIT_NEED(driver_bind(address));
}

/* Without events, also on a card that has them. */
static struct rig crorc_rig(unsigned int channel)
{
	return (struct rig){.id = CRORC_ID,
			    .source = ROC_SOURCE_INTERNAL,
			    .channel = channel,
			    .superpage = 32 * KIB,
			    .by_timer = true,
			    .configure = ROC_CONFIGURE_PLAIN};
}

static bool filled_rig(struct rig *r)
{
	return rig_open(r) && rig_push(r, RIG_MAX) > 0;
}

/*
 * Nor must it enable bus mastering while a neighbour that it checked earlier is unquiesced since.
 */
static void start_then_unquiesced(void)
{
	struct rig r = crorc_rig(0), later = crorc_rig(5);
	pid_t starts;

	if (!ready())
		return;
	emu_normal_crorc(CRORC0);
	UNIT_NEED(filled_rig(&r) && filled_rig(&later));
	UNIT_NEED(rig_start(&r) && rig_run(&r, 4, LIMIT_MS));
	point_hold("start_bus", CRORC_ID);
	starts = child_start(AS_ROOT, start_run, &later);
	UNIT_NEED(point_reached("start_bus", LIMIT_MS));
	emu(CRORC0, "fault 0 reset-ignored 0x1");
	CU_ASSERT(rig_stop(&r));
	CU_ASSERT(!bus_master(CRORC_ID));
	point_release("start_bus");
	UNIT_EQ(child_wait(starts, LIMIT_MS), EIO);
	CU_ASSERT(!bus_master(CRORC_ID));
	emu(CRORC0, "fault 0 clear");
	CU_ASSERT(rig_start(&later) && rig_run(&later, 4, LIMIT_MS) && rig_stop(&later));
	RIG_OK(&later);
	rig_close(&later);
	RIG_OK(&r);
	rig_close(&r);
}

/* A start that found an unquiesced neighbour must not stop the neighbour's newer run. */
static void unquiesced_then_start(void)
{
	struct rig r = crorc_rig(0), later = crorc_rig(5);
	pid_t starts;

	if (!ready())
		return;
	emu_normal_crorc(CRORC0);
	UNIT_NEED(filled_rig(&r) && filled_rig(&later));
	UNIT_NEED(rig_start(&r) && rig_run(&r, 4, LIMIT_MS));
	emu(CRORC0, "fault 0 reset-ignored 0x1");
	CU_ASSERT(rig_stop(&r));
	CU_ASSERT(!bus_master(CRORC_ID));
	rig_close(&r);
	emu(CRORC0, "fault 0 clear");
	point_hold("requiesce", CRORC_ID);
	starts = child_start(AS_ROOT, start_run, &later);
	UNIT_NEED(point_reached("requiesce", LIMIT_MS));
	/* The open verifies quiescence, so this start finds no unquiesced channel. */
	r = crorc_rig(0);
	UNIT_NEED(filled_rig(&r));
	UNIT_NEED(rig_start(&r) && rig_run(&r, 4, LIMIT_MS));
	point_release("requiesce");
	UNIT_EQ(child_wait(starts, LIMIT_MS), 0);
	later.run = 1; /* the child has started it */
	CU_ASSERT(rig_run(&r, 20, LIMIT_MS) && rig_stop(&r));
	RIG_OK(&r);
	rig_close(&r);
	CU_ASSERT(rig_run(&later, 4, LIMIT_MS) && rig_stop(&later));
	RIG_OK(&later);
	rig_close(&later);
}

/* For a channel whose reset cannot be verified the function is reset, but not during a run. */
static void start_then_reset(void)
{
	struct rig silent = crorc_rig(0), r = crorc_rig(3), later = crorc_rig(5);
	int64_t before = pins();
	pid_t first, second;
	uint64_t resets;

	if (!ready())
		return;
	emu_normal_crorc(CRORC0);
	silent.count = 1;
	UNIT_NEED(filled_rig(&silent) && filled_rig(&r) && filled_rig(&later));
	UNIT_NEED(rig_start(&silent) && rig_wait(&silent, 1, LIMIT_MS) >= 0);
	/* As after 256 pushes; the next push, which would show a reset, is lost. */
	emu_poke(CRORC0, 0, silent.channel, CRORC_SP_SIZE, 0);
	emu(CRORC0, "fault 0 lost-push 0x1 1");
	resets = emu_count(CRORC0, 0, "function_resets");
	point_hold("start_running", CRORC_ID);
	first = child_start(AS_ROOT, start_run, &r);
	UNIT_NEED(point_reached("start_running", LIMIT_MS));
	/* It has bus mastering, which cannot be disabled for the other channel. */
	UNIT_EQ(roc_channel_stop(silent.ch, NULL), -EIO);
	second = child_start(AS_ROOT, start_run, &later);
	CU_ASSERT(UNIT_STAYS(emu_count(CRORC0, 0, "function_resets") == resets, MEET_MS));
	point_release("start_running");
	UNIT_EQ(child_wait(first, LIMIT_MS), 0);
	r.run = 1; /* the child has started it */
	UNIT_EQ(child_wait(second, LIMIT_MS), EIO);
	UNIT_EQ(emu_count(CRORC0, 0, "function_resets"), resets);
	CU_ASSERT(rig_run(&r, 20, LIMIT_MS) && rig_stop(&r));
	RIG_OK(&r);
	rig_close(&r);
	emu(CRORC0, "fault 0 clear");
	CU_ASSERT(rig_start(&later) && rig_run(&later, 4, LIMIT_MS) && rig_stop(&later));
	RIG_OK(&later);
	rig_close(&later);
	rig_close(&silent);
	UNIT_EQ(pins(), before);
	emu_normal_crorc(CRORC0);
}

UNIT_MAIN("orders", {"alarm, then removal", alarm_then_removal},
	  {"opened while a probe fails", opened_while_probe_fails},
	  {"end visible only after all data", end_after_all_data},
	  {"start, then removal", start_then_removal}, {"gone before the end", gone_before_the_end},
	  {"start, then an unquiesced neighbour", start_then_unquiesced},
	  {"unquiesced neighbour, then a start", unquiesced_then_start},
	  {"start, then a reset", start_then_reset})
