// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the tools on an emulated C-RORC as operators use them: their output is compared with the
 * card's registers, its counts and the order of its register accesses.
 */
#include "common/case.h"

#include "kmod/cards/crorc/crorc_regs.h"

#define ID "--id=1003 "
#define BENCH "roc-bench-dma " ID "--buffer-size=16Mi --superpage-size=256Ki --no-display "

static uint32_t peek(unsigned int channel, uint32_t offset)
{
	return emu_peek(CRORC0, 0, channel, offset);
}

static uint64_t writes(void)
{
	return emu_count(CRORC0, 0, "mmio_writes");
}

static void enter(void)
{
	tool_enter("/tmp/crorc");
	emu(CRORC0, "fault all clear");
	emu(CRORC0, "set link-state up");
	emu(CRORC0, "clear");
}

static void list_cards(void)
{
	const char *c = NULL;
	char key[16], hash[16];
	unsigned int i;

	ends(0, "roc-list-cards --json");
	CU_ASSERT(json_valid(out));
	for (i = 0; i < 8; i++) {
		snprintf(key, sizeof(key), "%u", i);
		c = json_get(out, key);
		if (c && json_is(json_get(c, "type"), "CRORC"))
			break;
	}
	UNIT_NEED(c);
	snprintf(hash, sizeof(hash), "%x", peek(2, CRORC_FW_HASH));
	CU_ASSERT(json_is(json_get(c, "firmwareHash"), hash));
	CU_ASSERT(json_is(json_get(c, "firmware"), "v2.14.2"));
	UNIT_EQ(json_number(json_get(c, "serial")), 1003);
	UNIT_EQ(json_number(json_get(c, "endpoint")), 0);
	UNIT_EQ(json_number(json_get(c, "channels")), 6);
	ends(0, "roc-fw-check");
}

static void config(void)
{
	unsigned int bar;

	ends(0, "roc-config " ID "--crorc-id=0x2a --dyn-offset --tf-length=128 --no-tf-detection");
	OUTPUT_HAS("configured");
	for (bar = 0; bar < 6; bar++) {
		UNIT_EQ(peek(bar, 0x1f0), 0x2a1);
		UNIT_EQ(peek(bar, 0x1f4), 128);
	}
	UNIT_EQ(peek(0, 0x0a0), 0x80000000);
	emu(CRORC0, "clear");
	ends(0, "roc-config " ID "--crorc-id=0x2a --dyn-offset --tf-length=128 --no-tf-detection");
	OUTPUT_HAS("configured already");
	UNIT_EQ(writes(), 0);
	ends(1, "roc-config " ID "--compare");
	OUTPUT_HAS("crorc.crorcId");
	UNIT_EQ(writes(), 0);
	ends(0, "roc-config " ID "--from-card --gen-cfg-file=card.cfg");
	ends(0, "roc-config " ID "--from-card --gen-cfg-file=card.json");
	ends(0, "roc-config " ID);
	UNIT_EQ(peek(0, 0x1f0), 0);
	UNIT_EQ(peek(0, 0x1f4), 0x1100);
	ends(0, "roc-config " ID "--config-uri=ini://card.cfg");
	UNIT_EQ(peek(0, 0x1f0), 0x2a1);
	emu(CRORC0, "clear");
	ends(0, "roc-config " ID "--config-uri=card.json");
	UNIT_EQ(writes(), 0);
	/* The current template has no id. */
	ends(0, "printf '[crorc]\\ndynamicOffset=false\\ntimeFrameLength=255\\n' > old.cfg");
	ends(0, "roc-config --config-all --config-uri=old.cfg");
	OUTPUT_HAS("old.cfg has no crorcId, using 0x0");
	UNIT_EQ(peek(0, 0x1f0), 0);
	UNIT_EQ(peek(0, 0x1f4), 0x10ff);
	/* In group roc, without any capability. */
	ends(0, "as-user reader roc-config " ID "--crorc-id=0x77");
	UNIT_EQ(peek(0, 0x1f0), 0x770);
	emu(CRORC0, "clear");
	/* A CRU accepts the first value, no card the second. */
	ends(1, "roc-config " ID "--tf-length=257");
	ends(2, "roc-config " ID "--tf-length=4096");
	ends(1, "roc-config " ID "--clock=TTC");
	OUTPUT_HAS("a C-RORC has no such parameter");
	ends(1, "printf '[cru]\\n' > cru.cfg; roc-config " ID "--config-uri=cru.cfg");
	OUTPUT_HAS("the file is for a CRU");
	UNIT_EQ(writes(), 0);
	ends(0, "roc-config " ID);
}

/* A channel in use prevents a change of the configuration. */
static void config_while_running(void)
{
	int code;

	ends(0, "roc-config " ID);
	code = RUN(
		BENCH
		"--channel=4 > run.txt & pid=$!; %s; roc-config " ID
		"--crorc-id=5 > refused.txt 2>&1; echo $? >> refused.txt; roc-config " ID
		"; roc-flash " ID
		"--serial=7 --confirm=1003 >> refused.txt 2>&1; echo $? >> refused.txt; kill -TERM $pid; wait; cat refused.txt",
		until_running(CRORC_ID, 4));
	UNIT_EQ(code, 0);
	OUTPUT_HAS("cannot configure the card while a channel of the card runs");
	OUTPUT_HAS("Cannot access the flash while a channel of the card is in use: 1003 (0000:");
	OUTPUT_HAS("(roc-bench-dma)");
	UNIT_EQ(peek(0, 0x1f0), 0);
}

static void status(void)
{
	const char *link;
	unsigned int l;

	ends(0, "roc-config " ID "--crorc-id=0x42");
	emu(CRORC0, "set link-state 2=down");
	emu(CRORC0, "set optical-power 5=123.4");
	ends(0, "roc-status " ID "--json");
	CU_ASSERT(json_valid(out));
	UNIT_EQ(json_number(json_get(out, "crorcId")), 0x42);
	UNIT_EQ(json_number(json_get(out, "timeFrameLength")), 256);
	for (l = 0; l < 6; l++) {
		link = json_at(json_get(out, "links"), l);
		UNIT_EQ(json_number(json_get(link, "status")), l != 2);
		UNIT_EQ(json_number(json_get(link, "status")), !(peek(l, 0x010) & 0x2000));
	}
	CU_ASSERT_DOUBLE_EQUAL(
		json_real(json_get(json_at(json_get(out, "links"), 5), "opticalPower")), 123.4,
		0.01);
	ends(0, "roc-status " ID "--links=2");
	OUTPUT_HAS("DOWN");
	ends(0, "roc-status " ID "--monitoring");
	OUTPUT_HAS("CRORC,serialId=1003,");
	ends(0, "roc-status " ID "--prometheus");
	OUTPUT_HAS("roc_laser_on");
	ends(1, "roc-status " ID "--links=6");
	ends(1, "roc-status " ID "--onu-status");
	OUTPUT_HAS("has no PON");
	ends(0, "as-user stranger roc-metrics " ID "--json");
	UNIT_EQ(json_number(json_get(json_at(json_get(json_at(out, 0), "channels"), 5), "channel")),
		5);
	ends(0, "as-user stranger roc-metrics " ID "--prometheus");
	OUTPUT_HAS("roc_channel_retries_total{");
	emu(CRORC0, "set link-state up");
	emu(CRORC0, "set optical-power 5=400");
}

/* The tool's counts equal the card's. */
static void check_bench(unsigned int channel, const char *source)
{
	CU_ASSERT(json_valid(out));
	UNIT_EQ(json_number(json_get(out, "errors")), 0);
	UNIT_EQ(json_number(json_get(out, "channel")), channel);
	UNIT_EQ(json_number(json_get(out, "superpages")),
		emu_link_count(CRORC0, 0, channel, "superpages"));
	UNIT_EQ(json_number(json_get(out, "bytes")), emu_link_count(CRORC0, 0, channel, "bytes"));
	UNIT_EQ(json_number(json_get(out, "pages")), emu_link_count(CRORC0, 0, channel, "packets"));
	CU_ASSERT(json_number(json_get(out, "bytes")) >= 16 * MIB);
	CU_ASSERT(json_number(json_get(json_get(out, "gaps"), "count")) > 0);
	CU_ASSERT(json_is(json_get(out, "source"), source));
}

static void bench(void)
{
	static const char *const sources[] = {"INTERNAL", "DIU", "SIU", "FEE"};
	unsigned int i;

	ends(0, "roc-config " ID);
	for (i = 0; i < N(sources); i++) {
		emu(CRORC0, "clear");
		UNIT_EQ(RUN(BENCH "--json --bytes=16Mi --channel=%u --data-source=%s", i + 1,
			    sources[i]),
			0);
		check_bench(i + 1, sources[i]);
		UNIT_EQ(json_number(json_get(out, "retries")), 0);
	}
	ends(0, BENCH "--bytes=16Mi");
	OUTPUT_HAS("Gap to next push");
	OUTPUT_HAS("Pushes repeated        0");
	emu(CRORC0, "clear");
	UNIT_EQ(RUN("roc-pkt-monitor " ID "--json"), 0);
	UNIT_EQ(json_number(json_get(json_at(json_get(out, "links"), 3), "packetsReceived")),
		peek(3, 0x054));
	CU_ASSERT(access("readout_errors.txt", F_OK) != 0);
}

/* True if the card got this word at this register of the channel. */
static bool was_written(struct emu_access *list, unsigned int n, unsigned int channel,
			uint32_t offset, uint32_t value)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (list[i].write && list[i].bar == channel && list[i].offset == offset &&
		    list[i].value == value)
			return true;
	return false;
}

static void front_end(void)
{
	struct emu_access *list;
	unsigned int n, round;

	for (round = 0; round < 2; round++) {
		emu_trace_start(CRORC0, 0);
		UNIT_EQ(RUN(BENCH "--bytes=1Mi --data-source=FEE %s", round ? "--stbrd" : ""), 0);
		n = emu_trace_stop(CRORC0, 0, &list);
		UNIT_EQ(was_written(list, n, 0, 0x018, 0x54), round);
		UNIT_EQ(was_written(list, n, 0, 0x018, 0x14), !round);
		CU_ASSERT(was_written(list, n, 0, 0x018, 0xb4));
		free(list);
	}
	ends(2, BENCH "--bytes=1Mi --stbrd");
	OUTPUT_HAS("--data-source=FEE");
	ends(1, BENCH "--bytes=1Mi --data-source=DDG");
	OUTPUT_HAS("A CRORC has no data source DDG");
	ends(1, BENCH "--channel=6");
	OUTPUT_HAS("has no channel 6");
	emu(CRORC0, "set link-state 0=down");
	ends(1, BENCH "--bytes=1Mi --data-source=FEE");
	OUTPUT_HAS("the link is down");
	emu(CRORC0, "set link-state up");
}

static void six_at_once(void)
{
	unsigned int c;

	emu(CRORC0, "clear");
	ends(0,
	     "for c in 0 1 2 3 4 5; do " BENCH
	     "--json --bytes=16Mi --channel=$c > $c.json & all=\"$all $!\"; done; code=0; for one in $all; do wait $one || code=97; done; exit $code");
	for (c = 0; c < 6; c++) {
		UNIT_EQ(RUN("cat %u.json", c), 0);
		check_bench(c, "INTERNAL");
	}
}

/* Once data flow: the first packet of a run starts the count, so the jump comes later. */
static int skip_packets(void *unused)
{
	if (!UNIT_WAIT(emu_link_count(CRORC0, 0, 0, "superpages") >= 4, 20000))
		return 1;
	emu(CRORC0, "fault 0 skip-packet 0x1 5");
	return 0;
}

/* Errors of the card or in its data are detected and in the report. */
static void errors(void)
{
	pid_t pid;

	emu(CRORC0, "fault 0 lost-push 0x1 7");
	ends(0, BENCH "--json --bytes=16Mi");
	UNIT_EQ(json_number(json_get(out, "errors")), 0);
	CU_ASSERT(json_number(json_get(out, "retries")) >= 64 / 7);
	emu(CRORC0, "fault 0 clear");
	emu(CRORC0, "fault 0 flip 0x1 3");
	ends(1, BENCH "--json --bytes=4Mi");
	OUTPUT_HAS("3 errors in the data");
	emu(CRORC0, "fault 0 clear");
	emu(CRORC0, "clear");
	emu(CRORC0, "set rate %llu", emu_rate(8 * MIB));
	pid = child_start(AS_ROOT, skip_packets, NULL);
	ends(1, BENCH "--bytes=16Mi");
	OUTPUT_HAS("1 errors in the data");
	UNIT_EQ(child_wait(pid, 1000), 0);
	emu(CRORC0, "set rate 0");
	ends(0, "grep -q 'packet counter' readout_errors.txt && rm readout_errors.txt");
	emu(CRORC0, "fault 0 clear");
}

/* Once data flow: channel 4 ignores its stop from now on, and is stopped. */
static int stop_ignored(void *unused)
{
	if (!UNIT_WAIT(emu_link_count(CRORC0, 0, 4, "superpages") > 20, 20000))
		return 1;
	emu(CRORC0, "fault 0 reset-ignored 0x10");
	return shell(NULL, 0, TOOL_LIMIT, "kill -TERM $(cat bench.pid)");
}

/* A neighbour runs, so bus mastering cannot be disabled for a channel that does not quiesce. */
static void stop_fails(void)
{
	int64_t before = pins();
	pid_t pid;

	emu(CRORC0, "clear");
	pid = child_start(AS_ROOT, stop_ignored, NULL);
	UNIT_EQ(RUN(BENCH
		    "> other.txt & other=$!; %s; " BENCH
		    "--channel=4 & echo $! > bench.pid; wait $!; code=$?; kill -TERM $other; wait $other || code=9; exit $code",
		    until_running(CRORC_ID, 0)),
		1);
	OUTPUT_HAS("may still write");
	UNIT_EQ(child_wait(pid, 1000), 0);
	emu(CRORC0, "fault 0 clear");
	ends(0, BENCH "--channel=4 --bytes=4Mi");
	UNIT_EQ(pins(), before);
}

static void siu_status(void)
{
	ends(0, "roc-siu-status " ID "--channel=3 --json");
	CU_ASSERT(json_valid(out));
	CU_ASSERT(json_is(json_get(json_get(out, "siu"), "port"), "online"));
	OUTPUT_HAS("Ch03");
	ends(0, "as-user reader roc-siu-status " ID);
	OUTPUT_HAS("SIU hardware");
	emu(CRORC0, "set link-state 3=down");
	ends(1, "roc-siu-status " ID "--channel=3");
	OUTPUT_HAS("no signal");
	OUTPUT_HAS("the link is down");
	emu(CRORC0, "set link-state up");
	ends(2, "roc-siu-status " ID "--channel=6");
}

static void resets(void)
{
	struct emu_access *list;
	unsigned int n;

	emu(CRORC0, "clear");
	ends(0, "roc-reset " ID "--channel=2 --reset=NOTHING");
	emu_trace_start(CRORC0, 0);
	ends(0, "roc-reset " ID "--channel=2 --reset=INTERNAL");
	n = emu_trace_stop(CRORC0, 0, &list);
	CU_ASSERT(was_written(list, n, 2, 0x000, 3));
	CU_ASSERT(!was_written(list, n, 2, 0x018, 0xf1));
	free(list);
	emu_trace_start(CRORC0, 0);
	ends(0, "roc-reset " ID "--channel=2 --reset=INTERNAL_SIU");
	n = emu_trace_stop(CRORC0, 0, &list);
	CU_ASSERT(was_written(list, n, 2, 0x018, 0xf1));
	free(list);
	emu(CRORC0, "set link-state 2=down");
	ends(1, "roc-reset " ID "--channel=2 --reset=INTERNAL_SIU");
	OUTPUT_HAS("the link is down");
	emu(CRORC0, "set link-state up");
}

UNIT_MAIN("crorc_tools", {"enter", enter}, {"list of cards", list_cards}, {"configuration", config},
	  {"configuration while running", config_while_running}, {"status", status},
	  {"bench", bench}, {"front end", front_end}, {"six at once", six_at_once},
	  {"errors", errors}, {"a stop that fails", stop_fails}, {"SIU status", siu_status},
	  {"resets", resets})
