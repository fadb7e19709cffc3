// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test a card that gets warmer while it sends: three air flows, as published for three servers, of
 * which one is not enough; the alarm at 60 degrees; at 80 degrees the card cuts its own power in
 * mid-transfer. Every reader gets an error, the module can be unloaded, and the card works again
 * when it is cool.
 */
#include "common/case.h"
#include "common/uevent.h"
#include "common/way.h"

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <unistd.h>

#define LOOK_MS 15000	  /* the driver polls every five seconds */
#define LEISURE (2 << 20) /* bytes in a second, with room for eight of these */
/* Small superpages: at a slow guest's rate a large one takes seconds. */
#define SOAK                                                                                       \
	"roc-bench-dma --soak=%us --verdict-every=%us --id=%s --buffer-size=16Mi "                 \
	"--superpage-size=32Ki --json"

/* The card is at 50 degrees, and sends no more than a slow guest can take. */
static void warm(const char *slope)
{
	tool_enter("/tmp/thermal");
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set all rate %llu", emu_rate(8 << 20));
	emu(CARD0, "set temperature 50");
	emu(CARD0, "set temperature-slope %s", slope);
}

static double hottest(void)
{
	return json_real(json_get(json_at(json_get(out, "channels"), 0), "temperature"));
}

static void three_slopes(void)
{
	/*
	 * An interval without a superpage would give a warning: at LEISURE they come every slowness
	 * / 64 s.
	 */
	const unsigned int period = 2 + slowness() / 4;

	warm("4@52");
	emu(CARD0, "set all rate %llu", emu_rate(LEISURE));
	UNIT_EQ(RUN(SOAK, 2 * period, period, "0245:0"), 0);
	CU_ASSERT_DOUBLE_EQUAL(hottest(), 52, 0.7);
	CU_ASSERT(json_is(json_get(out, "verdict"), "PASS"));
	warm("4@53");
	emu(CARD0, "set all rate %llu", emu_rate(LEISURE));
	UNIT_EQ(RUN(SOAK, 2 * period, period, "0245:0"), 0);
	CU_ASSERT_DOUBLE_EQUAL(hottest(), 53, 0.7);
	CU_ASSERT(json_is(json_get(out, "verdict"), "PASS"));
	/* It reaches 60 degrees, which ends the soak, long before 68. */
	warm("10@68");
	UNIT_EQ(RUN(SOAK " 2> sentence", 100, 1, "0245:0"), 1);
	CU_ASSERT(hottest() >= 60);
	CU_ASSERT(json_is(json_get(out, "verdict"), "FAIL"));
	CU_ASSERT(json_real(json_get(out, "seconds")) < 60);
	UNIT_EQ(RUN("cat sentence"), 0);
	OUTPUT_HAS("0245:0 has 6");
	OUTPUT_HAS("the limit is 60 (--max-temperature)");
}

/* The attribute that `sensors` reads; poll() reports a change to a file that was read before. */
static int open_alarm(void)
{
	char pattern[128];
	glob_t found;
	int fd = -1;

	snprintf(pattern, sizeof(pattern), "/sys/bus/pci/devices/%s/hwmon/hwmon*/temp1_max_alarm",
		 pci_address(EP0));
	if (!glob(pattern, 0, NULL, &found))
		fd = open(found.gl_pathv[0], O_RDONLY | O_CLOEXEC);
	globfree(&found);
	return fd;
}

static int read_alarm(int fd)
{
	char text[8] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 ? text[0] - '0' : -1;
}

static void alarm_at_60(void)
{
	/* A card with a rate drops data without space: there is space for four seconds. */
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 32};
	struct pollfd p = {.events = POLLPRI};
	int fd = uevents_listen();
	int64_t end;

	p.fd = open_alarm();
	UNIT_NEED(fd >= 0 && p.fd >= 0);
	warm("0");
	emu(CARD0, "set temperature 65");
	CU_ASSERT(UNIT_WAIT(read_alarm(p.fd) == 1, LOOK_MS));
	emu(CARD0, "set temperature 50");
	/* Both have seen the end; hwmon's value may be a tenth of a second old. */
	CU_ASSERT(UNIT_WAIT(!strcmp(node_attr(EP0, -1, "alarm"), "none"), LOOK_MS));
	CU_ASSERT(UNIT_WAIT(!read_alarm(p.fd), LOOK_MS));
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r) && rig_run(&r, 4, 5000));
	emu(CARD0, "set temperature-slope 20@64");
	/* Data flow meanwhile. The end of the earlier alarm may be reported only now. */
	end = now_ms() + patience_ms(LOOK_MS);
	while (!(poll(&p, 1, 0) == 1 && read_alarm(p.fd) == 1) && now_ms() < end) {
		roc_channel_wait(r.ch, 1, 20);
		rig_take(&r, true);
	}
	CU_ASSERT(p.revents & POLLPRI);
	UNIT_EQ(read_alarm(p.fd), 1);
	CU_ASSERT(uevent(fd, "ROC_ALARM=temperature", LOOK_MS) >= 0);
	CU_ASSERT(strtol(uevent_value("ROC_TEMPERATURE"), NULL, 10) >= 60000);
	UNIT_STR(node_attr(EP0, -1, "alarm"), "temperature");
	UNIT_EQ(ch_info(rig_fd(&r)).state, ROC_CH_RUNNING);
	RIG_OK(&r);
	rig_close(&r);
	close(p.fd);
	close(fd);
}

static int soak_other(void *unused)
{
	return RUN(SOAK " --max-temperature=400 2> sentence", 100, 1, "0245:1") == 1 ? 0 : 1;
}

static bool lost(struct rig *r)
{
	roc_channel_wait(r->ch, 1, 20);
	rig_take(r, true);
	return ch_info(rig_fd(r)).state == ROC_CH_FAILED;
}

/* Readers on both endpoints: one takes data, one sleeps, one polls. */
static void power_cut(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 8};
	char address[2][ROC_TEXT_MAX];
	unsigned int i;
	uint32_t v;
	pid_t tool;
	int fd;

	warm("0");
	emu(CARD0, "set temperature-cut 80");
	strcpy(address[0], pci_address(EP0));
	strcpy(address[1], pci_address(EP1));
	fd = node_open(EP0, -1);
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r) && rig_run(&r, 4, 5000));
	/* A tool on the other endpoint prints the reason. */
	tool = child_start(AS_ROOT, soak_other, NULL);
	CU_ASSERT(UNIT_WAIT(!strcmp(node_attr(EP1, 0, "state"), "running"), 10000));
	emu(CARD0, "set temperature-slope 20@90");
	UNIT_EQ(child_wait(tool, 20000), 0);
	UNIT_EQ(RUN("cat sentence"), 0);
	OUTPUT_HAS("0245:1: ");
	OUTPUT_HAS(roc_reason_text(ROC_REASON_LOST));
	CU_ASSERT(UNIT_WAIT(lost(&r), 10000));
	CU_ASSERT_PTR_NOT_NULL(strstr(emu(CARD0, "power"), "\"on\":false"));
	UNIT_EQ(ch_info(rig_fd(&r)).reason, ROC_REASON_LOST);
	/* Counters of a silent card are ignored. */
	CU_ASSERT(ch_info(rig_fd(&r)).dropped < UINT32_MAX);
	rig_take(&r, false);
	UNIT_EQ(rig_missing(&r), 0);
	UNIT_EQ(reg_read(fd, CRU_BAR_CARD, CRU_FW_HASH, &v), -EIO);
	UNIT_EQ(control(rig_fd(&r), ROC_CH_START, 0, 0), -EIO);
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside") + emu_count(CARD0, 1, "dma_outside"), 0);
	RIG_OK(&r);
	rig_close(&r);
	close(fd);

	UNIT_EQ(module_unload(20000), 0);
	/* Cool again, and with power: the card is found by a bus rescan. */
	emu_normal(CARD0, FOUR_LINKS);
	CU_ASSERT_PTR_NOT_NULL(strstr(emu(CARD0, "power on"), "\"on\":true"));
	for (i = 0; i < 2; i++) {
		char path[96];

		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", address[i]);
		UNIT_EQ(put_text(path, "1"), 0);
	}
	UNIT_EQ(put_text("/sys/bus/pci/rescan", "1"), 0);
	UNIT_EQ(RUN("modprobe roc"), 0);
	UNIT_NEED(wait_nodes(5));
	r = (struct rig){.id = EP0, .source = ROC_SOURCE_DDG, .count = 8};
	CU_ASSERT(rig_once(&r, 20, 5000));
	RIG_OK(&r);
	rig_close(&r);
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside") + emu_count(CARD0, 1, "dma_outside"), 0);
}

UNIT_MAIN("thermal", {"three slopes", three_slopes}, {"alarm at 60 degrees", alarm_at_60},
	  {"power cut at 80 degrees", power_cut})
