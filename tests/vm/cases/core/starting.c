// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test that a start in progress counts as a running channel: it has read the card's configuration,
 * or is about to, so a configuration and a write of a protected register are refused. Points in the
 * module force both orders.
 */
#include "common/case.h"

#include <fcntl.h>
#include <stdlib.h>

#define LIMIT_MS 30000
#define READ                                                                                       \
	"roc-bench-dma --buffer-size=32Mi --superpage-size=256Ki --bytes=1Mi --no-display "        \
	"> read 2>&1 "
/* More than a read of the clock needs: the configuration has passed its first check. */
#define WRITES_BEGUN 20

static uint32_t links(void)
{
	return emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_DATAPATH(0) + CRU_DATAPATH_ENABLE) &
	       CRU_DATAPATH_LINKS;
}

static int command(void *text)
{
	int status = system(text);

	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

/* A program that starts a channel of @id is held at @point. */
static pid_t start_held(const char *id, const char *point, const char *text)
{
	pid_t pid;

	UNIT_STR(node_attr(id, 0, "starting"), "0");
	point_hold(point, id);
	pid = child_start(AS_ROOT, command, (void *)text);
	CU_ASSERT(point_reached(point, LIMIT_MS));
	UNIT_STR(node_attr(id, 0, "starting"), "1");
	UNIT_STR(node_attr(id, 0, "state"), "stopped");
	return pid;
}

static int released(const char *id, const char *point, pid_t pid)
{
	int code;

	point_release(point);
	code = child_wait(pid, LIMIT_MS);
	UNIT_STR(node_attr(id, 0, "starting"), "0");
	return code;
}

static bool ready(void)
{
	if (!points_there())
		unit_skip("this module has no points");
	else
		emu_normal(CARD0, FOUR_LINKS);
	return points_there();
}

static void start_then_configuration(void)
{
	pid_t pid;

	if (!ready())
		return;
	tool_enter("/tmp/starting");
	pid = start_held(EP0, "start_running", READ "--id=245:0 --data-source=DDG");
	ends(1, "roc-config --id=245:0 --links=0-1");
	OUTPUT_HAS("while a channel of the card runs");
	ends(1, "roc-config --id=245:1 --links=0-1");
	OUTPUT_HAS("while a channel of the card runs");
	ends(1, "roc-loopback --id=245:1 --links=0-1 --count=1");
	OUTPUT_HAS("while a channel of the card runs");
	UNIT_EQ(links(), FOUR_LINKS);
	UNIT_EQ(released(EP0, "start_running", pid), 0);
	ends(0, "roc-config --id=245:0 --links=0-1");
	UNIT_EQ(links(), 3);
}

/* The run uses the earlier links, so the configuration fails, and reports what it left. */
static void configuration_then_start(void)
{
	static const char configure[] =
		"roc-config --id=245:0 --links=0-1 --force-config > output 2>&1";
	pid_t config, pid;

	if (!ready())
		return;
	tool_enter("/tmp/starting");
	emu(CARD0, "clear");
	config = child_start(AS_ROOT, command, (void *)configure);
	CU_ASSERT(UNIT_WAIT(emu_count(CARD0, 0, "mmio_writes") > WRITES_BEGUN, LIMIT_MS));
	pid = start_held(EP0, "start_running", READ "--id=245:0 --data-source=DDG");
	UNIT_EQ(child_wait(config, LIMIT_MS), 1);
	ends(0, "cat output");
	OUTPUT_HAS("readout was started while the card was configured");
	/* Nothing is reverted during the run, which gets no data until the next configuration. */
	UNIT_EQ(released(EP0, "start_running", pid), 1);
	ends(0, "roc-config --id=245:0 --links=0-1");
	UNIT_EQ(links(), 3);
	ends(0, READ "--id=245:0 --data-source=DDG");
}

/* Only the first half of the start: bus mastering is still disabled. */
static void start_then_protected_register(void)
{
	pid_t pid;
	int fd;

	if (!ready())
		return;
	fd = node_open(EP1, -1);
	UNIT_EQ(reg_write(fd, CRU_BAR_CARD, CRU_RSU_PAGE, 0), 0);
	pid = start_held(EP0, "start_bus", READ "--id=245:0 --data-source=DDG");
	UNIT_EQ(reg_write(fd, CRU_BAR_CARD, CRU_RSU_PAGE, 0), -EBUSY);
	UNIT_EQ(released(EP0, "start_bus", pid), 0);
	UNIT_EQ(reg_write(fd, CRU_BAR_CARD, CRU_RSU_PAGE, 0), 0);
	close(fd);
}

static void c_rorc(void)
{
	pid_t pid;
	int fd;

	if (!ready())
		return;
	tool_enter("/tmp/starting");
	ends(0, "roc-config --id=" CRORC_ID " --crorc-id=0x1");
	fd = node_open(CRORC_ID, -1);
	pid = start_held(CRORC_ID, "start_running",
			 READ "--id=" CRORC_ID " --data-source=INTERNAL");
	ends(1, "roc-config --id=" CRORC_ID " --crorc-id=0x2");
	OUTPUT_HAS("while a channel of the card runs");
	/* The flush bit belongs to the driver while the channel runs. */
	UNIT_EQ(reg_modify(fd, 0, CRORC_CONFIG_B, CRORC_CONFIG_B_FLUSH, CRORC_CONFIG_B_FLUSH, NULL),
		-EBUSY);
	UNIT_EQ(released(CRORC_ID, "start_running", pid), 0);
	ends(0, "roc-config --id=" CRORC_ID " --crorc-id=0x2");
	close(fd);
}

/* Streams and sub-units: whether data come does not matter here. */
static void other_channel_types(void)
{
	static const char *const ids[] = {"4004:0", "6005:0"};
	static const char *const commands[] = {
		"roc-stream follow --id=4004:0 --stream=main --time=1s > out 2>&1",
		"roc-fragment run --id=6005:0 --links=0 --time=1s > out 2>&1",
	};
	unsigned int i;

	if (!ready())
		return;
	tool_enter("/tmp/starting");
	for (i = 0; i < N(ids); i++) {
		UNIT_NEED(card_there(ids[i]));
		released(ids[i], "start_running", start_held(ids[i], "start_running", commands[i]));
	}
}

UNIT_MAIN("starting", {"start, then configuration", start_then_configuration},
	  {"configuration, then start", configuration_then_start},
	  {"start, then protected register", start_then_protected_register}, {"C-RORC", c_rorc},
	  {"other channel types", other_channel_types})
