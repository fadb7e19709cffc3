// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test roc-status, roc-metrics, the monitors, the link test, the players and roc-bar-stress on an
 * emulated card. The test sets its links, light, temperature and triggers.
 */
#include "common/case.h"

#include <inttypes.h>

#include <roc/cru.h>

static uint32_t peek(uint32_t offset)
{
	return emu_peek(CARD0, 0, CRU_BAR_CARD, offset);
}

static void enter(void)
{
	tool_enter("/tmp/monitor");
	emu_normal(CARD0, FOUR_LINKS);
	emu_normal(CARD1, FOUR_LINKS);
	ends(0, "roc-config --id=245:0 --links=0-3 --cru-id=0x42");
}

static const char *link_member(unsigned int link, const char *key)
{
	return json_get(json_at(json_get(out, "links"), link), key);
}

static void status(void)
{
	uint64_t accesses;

	/* Clear the state of earlier cases. */
	ends(0, "roc-status --id=245:0");
	/*
	 * The present program makes 1753 reads and 802 writes. The driver flushes a write by a
	 * read.
	 */
	emu(CARD0, "clear");
	ends(0, "roc-status --id=245:0");
	accesses = emu_reads(CARD0, 0) + emu_count(CARD0, 0, "mmio_writes");
	unit_note("%" PRIu64 " accesses", accesses);
	CU_ASSERT(accesses <= 351);
	ends(0, "roc-status --id=245:0 --json --onu-status --fec-status");
	CU_ASSERT(json_valid(out));
	UNIT_EQ(json_number(json_get(out, "cruId")), 0x42);
	CU_ASSERT(json_is(json_get(out, "clock"), "Local"));
	UNIT_EQ(json_number(link_member(3, "status")), 1);
	CU_ASSERT_DOUBLE_EQUAL(json_real(link_member(3, "opticalPower")), 500, 0.1);
	CU_ASSERT_DOUBLE_EQUAL(json_real(link_member(3, "rxFreq")), 240.474, 0.001);
	/* A link that went down and came back is reported once. */
	emu(CARD0, "set 0 link-state 3=down");
	emu(CARD0, "set 0 optical-power 2=123.4");
	ends(0, "roc-status --id=245:0 --json");
	UNIT_EQ(json_number(link_member(3, "status")), 0);
	UNIT_EQ(json_number(link_member(2, "status")), 1);
	CU_ASSERT_DOUBLE_EQUAL(json_real(link_member(2, "opticalPower")), 123.4, 0.1);
	emu(CARD0, "set 0 link-state 3=up");
	ends(0, "roc-status --id=245:0");
	OUTPUT_HAS("UP (was DOWN)");
	ends(0, "roc-status --id=245:0 --json --links=3");
	UNIT_EQ(json_number(json_get(json_at(json_get(out, "links"), 0), "link")), 3);
	UNIT_EQ(json_number(json_get(json_at(json_get(out, "links"), 0), "status")), 1);
	CU_ASSERT(json_number(json_get(json_at(json_get(out, "links"), 0), "glitchCounter")) >= 1);
	emu(CARD0, "set 0 optical-power 500");
	/* The ONU without light. */
	emu(CARD0, "set pon-power 0");
	ends(0, "roc-status --id=245:0 --links=0 --onu-status --monitoring");
	OUTPUT_HAS("onuStickyVaulePrev=");
	OUTPUT_HAS("rx40Locked=0i");
	OUTPUT_HAS("link,serialId=245,endpoint=0,CRU=");
	emu(CARD0, "set pon-power 100");
	ends(0, "roc-status --id=245:0 --onu-status");
	ends(0, "roc-status --id=245:0 --onu-status --prometheus");
	OUTPUT_HAS("roc_onu_operational{");
	OUTPUT_HAS("# TYPE roc_card_info gauge");
	ends(2, "roc-status --id=245:0 --json --monitoring");
	ends(2, "roc-status --id=245:0 --links=12");
	/* Messages name a card as the user did, with its address, and never its node. */
	ends(1, "roc-siu-status --id=#0");
	OUTPUT_HAS("#0 (0000:");
	ends(1, "roc-reg-read --id=245:1 --channel=4 --address=0");
	OUTPUT_HAS("245:1 (0000:");
	CU_ASSERT_PTR_NULL(strstr(out, "/dev/roc"));
	ends(0, "as-user reader roc-status --id=245:0");
}

static const char *channel_member(const char *card, const char *key)
{
	return json_get(json_at(json_get(card, "channels"), 0), key);
}

/* A monitoring pass costs few reads, no writes, and needs no rights. */
static void metrics(void)
{
	emu(CARD0, "set temperature 61");
	/* Cached values are used for a tenth of a second. */
	ends(0, "sleep 0.2");
	emu(CARD0, "clear");
	ends(0, "as-user stranger roc-metrics --id=245:0 --json");
	CU_ASSERT(json_valid(out));
	CU_ASSERT_DOUBLE_EQUAL(json_real(json_get(json_at(out, 0), "temperature")), 61, 0.7);
	CU_ASSERT_DOUBLE_EQUAL(json_real(json_get(json_at(out, 0), "localClock")),
			       peek(CRU_CLOCK_LOCAL) / 1e6, 0.1);
	CU_ASSERT(json_is(channel_member(json_at(out, 0), "state"), "stopped"));
	/* The driver polls the temperature, too, now and then. */
	UNIT_EQ(emu_reads(CARD0, 0), ROC_CRU_METRICS_READS - 1);
	CU_ASSERT(emu_touched(CARD0, 0, CRU_BAR_CARD, CRU_TEMPERATURE).reads >= 1);
	UNIT_EQ(emu_count(CARD0, 0, "mmio_writes"), 0);
	/* The sensor belongs to the card, not to the endpoint. */
	ends(0, "as-user stranger roc-metrics --id=245:1 --json");
	CU_ASSERT_DOUBLE_EQUAL(json_real(json_get(json_at(out, 0), "temperature")), 61, 0.7);
	ends(0, "roc-metrics --monitoring | grep -c ^card,serialId=");
	UNIT_STR(out, "4\n");
	ends(0, "roc-metrics --monitoring | grep -c ^channel,serialId=");
	UNIT_STR(out, "10\n"); /* one of each CRU endpoint, six of the C-RORC */
	ends(0, "roc-metrics --prometheus | grep -c '^roc_temperature_celsius{'");
	UNIT_STR(out, "4\n");
	emu(CARD0, "set temperature 45");
	ends(1, "roc-metrics --id=999");
	/* For a silent card the driver still reports its own counts. */
	emu(CARD0, "fault 0 all-ones");
	ends(1, "sleep 0.2; roc-metrics --id=245:0");
	OUTPUT_HAS("answers all ones");
	OUTPUT_HAS("stopped");
	emu_normal(CARD0, FOUR_LINKS);
	/* The driver caches a failed read for a while, too. */
	CU_ASSERT(UNIT_WAIT(!RUN("roc-metrics --id=245:0"), 5000));
	ends(0, "roc-config --id=245:0 --links=0-3 --cru-id=0x42");
	emu(CARD0, "clear");
}

static void packets(void)
{
	uint64_t bytes, superpages;

	ends(0, "roc-metrics --id=245:0 --json");
	bytes = json_number(channel_member(json_at(out, 0), "bytes"));
	superpages = json_number(channel_member(json_at(out, 0), "superpages"));
	ends(0,
	     "roc-bench-dma --id=245:0 --buffer-size=32Mi --superpage-size=256Ki --no-display --data-source=DDG --bytes=32Mi");
	/* The driver's counters go on from run to run, and every tool shows the same. */
	ends(0, "roc-metrics --id=245:0 --json");
	UNIT_EQ(json_number(channel_member(json_at(out, 0), "superpages")) - superpages,
		emu_count(CARD0, 0, "superpages"));
	CU_ASSERT(json_number(channel_member(json_at(out, 0), "bytes")) - bytes >= 32 * MIB);
	bytes = json_number(channel_member(json_at(out, 0), "bytes"));
	ends(0, "roc-status --id=245:0 --links=0 --no-optical --json");
	UNIT_EQ(json_number(channel_member(out, "bytes")), bytes);
	ends(0, "roc-pkt-monitor --id=245:0 --json");
	CU_ASSERT(json_valid(out));
	CU_ASSERT(json_number(link_member(0, "accepted")) > 0);
	UNIT_EQ(json_number(link_member(4, "accepted")), 0);
	UNIT_EQ(json_number(link_member(0, "accepted")),
		peek(CRU_DATAPATH_LINK(0, 0) + CRU_DPL_ACCEPTED));
	ends(0, "roc-pkt-monitor --id=245:0 --monitoring");
	OUTPUT_HAS("wrapper,serialId=245,endpoint=0,");
	ends(0, "roc-pkt-monitor --id=245:0 --prometheus");
	OUTPUT_HAS("roc_packets_accepted_total{");
}

/* An orbit of 3564 crossings at 40.079 MHz; the tool may be delayed between two reads. */
static bool orbits_are_right(void)
{
	double rate;

	ends(0, "roc-trig-monitor --id=245:0 --updateable --count=2 --json");
	rate = json_real(json_get(json_at(out, 1), "hbRate"));
	return rate > 11.245 - 1.2 && rate < 11.245 + 1.2;
}

/* Triggers count while run enable is set. */
static void triggers(void)
{
	ends(0, "roc-reg-modify --id=245:0 --channel=2 --address=0x18 --position=0 --value=1");
	ends(0, "roc-reg-modify --id=245:0 --channel=2 --address=0x200000 --width=2 --value=0");
	ends(0, "roc-ctp-emulator --id=245:0 --trigger-mode=CONTINUOUS");
	OUTPUT_HAS("from the TTC-PON");
	ends(0, "roc-reg-modify --id=245:0 --channel=2 --address=0x200000 --width=2 --value=2");
	ends(0, "roc-ctp-emulator --id=245:0 --trigger-mode=continuous");
	UNIT_STR(out, "");
	ends(0, "roc-trig-monitor --id=245:0 --updateable --count=2 --json");
	CU_ASSERT(json_valid(out));
	CU_ASSERT(json_number(json_get(json_at(out, 1), "hb")) >
		  json_number(json_get(json_at(out, 0), "hb")));
	CU_ASSERT(UNIT_WAIT(orbits_are_right(), 10000));
	ends(0, "roc-ctp-emulator --id=245:0 --eox --json");
	CU_ASSERT(json_valid(out));
	ends(1, "roc-ctp-emulator --id=245:0 --single-trigger");
	OUTPUT_HAS("manual");
	ends(0, "roc-ctp-emulator --id=245:0 --trigger-mode=manual");
	ends(0, "roc-trig-monitor --id=245:0 --json");
	UNIT_EQ(json_real(json_get(out, "phyRate")), 0);
	emu(CARD0, "clear");
	ends(0, "roc-ctp-emulator --id=245:0 --single-trigger");
	ends(0, "roc-trig-monitor --id=245:0 --monitoring");
	OUTPUT_HAS("trigger,serialId=245,");
	ends(0, "roc-ctp-emulator --id=245:0 --eox");
	ends(0, "roc-reg-modify --id=245:0 --channel=2 --address=0x18 --position=0 --value=0");
	ends(2, "roc-ctp-emulator --id=245:0 --trigger-freq=7");
	ends(2, "roc-ctp-emulator --id=245:0 --fixed-bc=1");
	ends(2, "roc-ctp-emulator --id=245:0 --trigger-mode=fixed --fixed-bc=1,3564");
	ends(2, "roc-ctp-emulator --id=245:0 --eox --single-trigger");
}

/* The card's registers have the trigger emulator's settings. */
static void trigger_registers(void)
{
	ends(0,
	     "roc-ctp-emulator --id=245:0 --trigger-mode=periodic --trigger-freq=40 --bcmax=3000 --hbmax=127 --hbkeep=100 --hbdrop=7 --init-orbit=0x1234 --json");
	CU_ASSERT(json_valid(out));
	CU_ASSERT(json_is(json_get(out, "triggerMode"), "periodic"));
	UNIT_EQ(peek(CRU_CTP_RUN_MODE) & CRU_CTP_MODE, CRU_CTP_PERIODIC);
	UNIT_EQ(peek(CRU_CTP_CONTROL) & CRU_CTP_CONTROL_RESET, 0);
	UNIT_EQ(peek(CRU_CTP_BCMAX), 3000);
	UNIT_EQ(peek(CRU_CTP_HBMAX), 127);
	UNIT_EQ(peek(CRU_CTP_PRESCALER), 7 << CRU_CTP_PRESCALER_DROP_SHIFT | 100);
	UNIT_EQ(peek(CRU_CTP_INIT_ORBIT), 0x1234);
	UNIT_EQ(peek(CRU_CTP_PHYSDIV) & CRU_CTP_DIV_MASK, 40);
	CU_ASSERT((peek(CRU_CTP_CALDIV) & CRU_CTP_DIV_MASK) <= CRU_CTP_CALDIV_OFF);
	ends(0, "roc-ctp-emulator --id=245:0 --trigger-mode=cal --trigger-freq=50");
	UNIT_EQ(peek(CRU_CTP_CALDIV) & CRU_CTP_DIV_MASK, 50);
	CU_ASSERT((peek(CRU_CTP_PHYSDIV) & CRU_CTP_DIV_MASK) <= CRU_CTP_PHYSDIV_OFF);
	ends(0, "roc-ctp-emulator --id=245:0 --status");
	OUTPUT_HAS("runs");
	ends(0, "roc-ctp-emulator --id=245:0 --trigger-mode=manual");
	UNIT_EQ(peek(CRU_CTP_RUN_MODE) & CRU_CTP_MODE, CRU_CTP_MANUAL);
	ends(0, "roc-ctp-emulator --id=245:0 --eox");
	UNIT_EQ(peek(CRU_CTP_RUN_MODE) & CRU_CTP_MODE, CRU_CTP_IDLE);
	ends(0, "roc-ctp-emulator --id=245:0 --status");
	OUTPUT_HAS("idle");
}

static int test_links(void *options)
{
	return RUN(
		"roc-loopback --id=245:0 --links=0,2 %s > loopback.out & echo $! > loopback.pid; wait $!",
		(const char *)options);
}

static bool testing(unsigned int link)
{
	return peek(CRU_GBT(0, link) + CRU_GBT_SOURCE) & CRU_GBT_SOURCE_GENERATOR;
}

static void loopback(void)
{
	uint32_t source = peek(CRU_GBT(0, 1) + CRU_GBT_SOURCE);
	pid_t pid;

	/* While it runs, its links have the test pattern and the others do not. */
	pid = child_start(AS_ROOT, test_links, "--count=3");
	CU_ASSERT(UNIT_WAIT(testing(2), 20000));
	UNIT_EQ(peek(CRU_GBT(0, 1) + CRU_GBT_SOURCE), source);
	UNIT_EQ(child_wait(pid, 60000), 0);
	UNIT_EQ(peek(CRU_GBT(0, 0) + CRU_GBT_SOURCE), source);
	UNIT_EQ(peek(CRU_GBT(0, 2) + CRU_GBT_SOURCE), source);
	ends(0, "roc-loopback --id=245:0 --links=0-3 --count=1");
	OUTPUT_HAS("Round 1");
	UNIT_EQ(peek(CRU_GBT(0, 1) + CRU_GBT_SOURCE), source);
	emu(CARD0, "set 0 link-state 1=bad");
	ends(1, "roc-loopback --id=245:0 --links=0-3 --count=2 --json");
	OUTPUT_HAS("1 of 4 links");
	emu(CARD0, "set 0 link-state 1=up");
	/* SIGTERM ends it after the first round, and the links are restored. */
	ends(0, "rm loopback.out");
	pid = child_start(AS_ROOT, test_links, "");
	CU_ASSERT(UNIT_WAIT(testing(2) && !RUN("grep 'Round 1' loopback.out"), 20000));
	ends(0, "kill -TERM $(cat loopback.pid)");
	UNIT_EQ(child_wait(pid, 20000), 0);
	UNIT_EQ(peek(CRU_GBT(0, 2) + CRU_GBT_SOURCE), source);
	ends(2, "roc-loopback --id=245:0 --links=12");
	ends(2, "roc-loopback --id=245:0 --interval=0");
}

static void players(void)
{
	uint64_t runs = emu_count(CARD0, 0, "pat1_runs");

	ends(0,
	     "roc-pat-player --id=245:0 --pat0=0xffeeddccbbaa99887766 --pat1-length=7 --pat2-trigger-counters=0x12345678 --execute-pat1-now");
	UNIT_EQ(emu_count(CARD0, 0, "pat1_runs"), runs + 1);
	UNIT_EQ(peek(CRU_PAT(0)), 0x99887766);
	UNIT_EQ(peek(CRU_PAT(0) + 4), 0xddccbbaa);
	UNIT_EQ(peek(CRU_PAT(0) + 8), 0xffee);
	UNIT_EQ(peek(CRU_PAT2_COUNTERS), 0x12345678);
	ends(0, "roc-pat-player --id=245:0 --read-back --json");
	CU_ASSERT(json_is(json_get(out, "pat0"), "0xffeeddccbbaa99887766"));
	UNIT_EQ(json_number(json_get(out, "pat1Length")), 7);
	ends(2, "roc-pat-player --id=245:0 --read-back --pat1-length=3");
	ends(2, "roc-pat-player --id=245:0 --pat0=0x1ffeeddccbbaa99887766");
	ends(0, "roc-ul --id=245:0 --event-size=200 --random-event-size --system-id=0x12");
	UNIT_EQ(peek(CRU_UL_EVENT_SIZE), 200);
	UNIT_EQ(peek(CRU_UL_SYSTEM_ID), 0x12);
	ends(0, "roc-ul --id=245:0 --status --json");
	CU_ASSERT(json_valid(out));
	UNIT_EQ(json_number(json_get(out, "eventSize")), 200);
	ends(2, "roc-ul --id=245:0 --system-id=0x100");
	ends(0, "roc-config --id=245:0 --links=0-3 --cru-id=0x42");
}

/* Each operation is exactly one access. */
static void stress(void)
{
	struct emu_touched touched;

	emu(CARD0, "clear");
	ends(0,
	     "roc-bar-stress --id=245:0 --channel=2 --address=0x100010 --value=0x55 --cycles=50 --processes=3 --json");
	CU_ASSERT(json_valid(out));
	touched = emu_touched(CARD0, 0, CRU_BAR_CARD, 0x100010);
	UNIT_EQ(touched.reads, 150);
	UNIT_EQ(touched.writes, 150);
	UNIT_EQ(emu_reads(CARD0, 0), 150);
	UNIT_EQ(emu_count(CARD0, 0, "mmio_writes"), 150);
	UNIT_EQ(json_number(json_get(json_get(out, "reads"), "count")), 150);
	CU_ASSERT(json_real(json_get(out, "jainIndex")) > 0.3);
	CU_ASSERT(json_real(json_get(out, "jainIndex")) <= 1.0);
	emu(CARD0, "clear");
	ends(1, "as-user reader roc-bar-stress --id=245:0 --channel=0 --address=0x500 --value=1");
	OUTPUT_HAS("CAP_SYS_RAWIO");
	UNIT_EQ(emu_count(CARD0, 0, "mmio_writes"), 0);
	ends(0, "as-user reader roc-bar-stress --id=245:0 --channel=0 --address=0x500");
	ends(2, "roc-bar-stress --id=245:0 --channel=2 --address=0x3");
	ends(1, "roc-bar-stress --id=245:0 --channel=2 --address=0x1000000");
}

static void leave(void)
{
	emu_normal(CARD0, FOUR_LINKS);
	CU_ASSERT(emu_clean(CARD0));
	CU_ASSERT(emu_clean(CARD1));
}

UNIT_MAIN("monitor", {"enter", enter}, {"status", status}, {"metrics", metrics},
	  {"packets", packets}, {"triggers", triggers}, {"trigger registers", trigger_registers},
	  {"loopback", loopback}, {"players", players}, {"bar stress", stress},
	  {"cards were left alone", leave})
