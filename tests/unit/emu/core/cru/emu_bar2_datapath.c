// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CRU's datapath wrappers: counters that follow packets, links and flow control.
 */
#include "tests/unit/emu/emu_host.h"

#define SECOND 1000000000ull
#define PAGES 4
#define LINK(l) CRU_DATAPATH_LINK(0, l)

static void start_run(uint32_t links)
{
	wr2(CRU_DATAPATH(0), links);
	start(0, CRU_DATA_SOURCE_DATAPATH);
	wr2(CRU_USER_CONTROL, CRU_USER_CONTROL_RUN);
}

static void traffic(void)
{
	uint32_t sum;

	host_begin();
	key(0, "orbit", "4096");
	start_run(0x5);
	push(0, 0, 0, PAGES);
	push(0, 2, 1, PAGES);
	push(0, 2, 2, PAGES);
	run(0);
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_ACCEPTED), PAGES);
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_PROCESSED), PAGES);
	UNIT_EQ(rd2(LINK(2) + CRU_DPL_ACCEPTED), 2 * PAGES);
	UNIT_EQ(rd2(LINK(1) + CRU_DPL_ACCEPTED), 0);
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_ORBIT_SOR), 4096);
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_FIRST_ORBIT), 4096);
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_TOTAL_PACKETS), 3 * PAGES);
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_FLOW_TOTAL), 3 * PAGES);
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_DROPPED_PACKETS), 0);
	sum = rd2(CRU_DATAPATH(1) + CRU_DATAPATH_TOTAL_PACKETS);
	UNIT_EQ(sum, 0);
	/* The rate is that of the last whole second. */
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_PACKET_RATE), 0);
	host.now += SECOND;
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_PACKET_RATE), 3 * PAGES);
	host.now += SECOND;
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_PACKET_RATE), 0);
	/* The next run restarts the counters. */
	wr2(CRU_USER_CONTROL, 0);
	UNIT_EQ(rd2(LINK(2) + CRU_DPL_ACCEPTED), 2 * PAGES);
	wr2(CRU_USER_CONTROL, CRU_USER_CONTROL_RUN);
	UNIT_EQ(rd2(LINK(2) + CRU_DPL_ACCEPTED), 0);
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_TOTAL_PACKETS), 0);
	host_end();
}

/* More packets than superpages, at a rate. */
static void overload(uint32_t flow_control)
{
	host_begin();
	wr2(CRU_DATAPATH(0) + CRU_DATAPATH_FLOW_CONTROL, flow_control);
	key(0, "rate", "81920000"); /* a packet every 100 us */
	start_run(0x1);
	push(0, 0, 0, PAGES);
	run_for(0, 1500000);
}

static void dropped(void)
{
	uint32_t processed;

	overload(0);
	processed = rd2(LINK(0) + CRU_DPL_PROCESSED);
	CU_ASSERT(processed > PAGES);
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_DROPPED_PACKETS), processed - PAGES);
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_REJECTED), 0);
	host.now += SECOND;
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_DROPPED_RATE), processed - PAGES);
	host_end();
}

static void rejected(void)
{
	uint32_t processed;

	overload(CRU_DATAPATH_FLOW_CONTROL_REJECT);
	processed = rd2(LINK(0) + CRU_DPL_PROCESSED);
	CU_ASSERT(processed > PAGES);
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_REJECTED), processed - PAGES);
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_FLOW_REJECTED), processed - PAGES);
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_DROPPED_PACKETS), 0);
	host_end();
}

static void link_lost_in_a_run(void)
{
	host_begin();
	start_run(0x3);
	key(0, "link-state", "1=down");
	UNIT_EQ(rd2(LINK(1) + CRU_DPL_FORCED), 1);
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_FORCED), 0);
	push(0, 0, 0, PAGES);
	push(0, 1, 1, PAGES);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	UNIT_EQ(rd(0, CRU_SP_READY(1)), 0);
	UNIT_EQ(superpage(1, PAGES)[0], 0xee);
	key(0, "link-state", "1=up");
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(1)), 1);
	/* A disabled link drops no packet. */
	key(0, "link-state", "5=down");
	UNIT_EQ(rd2(LINK(5) + CRU_DPL_FORCED), 0);
	host_end();
}

static void errors(void)
{
	host_begin();
	key(0, "error-rate", "20");
	key(0, "link-state", "0=bad,4=bad");
	host.now += SECOND;
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_ERROR_PROTOCOL), 0);
	start_run(0x1);
	host.now += SECOND;
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_ERROR_PROTOCOL), 20);
	UNIT_EQ(rd2(LINK(4) + CRU_DPL_ERROR_PROTOCOL), 0);
	UNIT_EQ(rd2(LINK(1) + CRU_DPL_ERROR_PROTOCOL), 0);
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_ERROR_CHECK1), 0);
	wr2(CRU_DATAPATH(0) + CRU_DATAPATH_DROP_BAD_RDH, 1);
	host.now += SECOND;
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_ERROR_CHECK1), 20u << 16);
	host.now += 14 * SECOND;
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_ERROR_CHECK1), (300u & 0xff) << 16);
	/* Unread errors do not appear in the next run. */
	host.now += SECOND;
	wr2(CRU_USER_CONTROL, 0);
	wr2(CRU_USER_CONTROL, CRU_USER_CONTROL_RUN);
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_ERROR_PROTOCOL), 0);
	UNIT_EQ(rd2(LINK(0) + CRU_DPL_ERROR_CHECK1), 0);
	host_end();
}

static void configuration(void)
{
	static const uint32_t offsets[] = {
		CRU_DATAPATH_GENERATOR,	   CRU_DATAPATH_TRIGGER_WINDOW,
		CRU_DATAPATH_DROP_BAD_RDH, CRU_DATAPATH_FLOW_CONTROL,
		0x40000 + CRU_DPL_CONTROL, 0x40000 + CRU_DPL_IDS,
		0x40000 + 0x2000 * 15,	   0x40000 + 0x2000 * 13 + CRU_DPL_IDS,
	};
	uint32_t clock;
	unsigned int i, e;

	host_begin();
	for (e = 0; e < 2; e++) {
		for (i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
			wr2(CRU_DATAPATH(e) + offsets[i], 0xe0000000 + 16 * e + i);
			UNIT_EQ(rd2(CRU_DATAPATH(e) + offsets[i]), 0xe0000000 + 16 * e + i);
		}
	}
	clock = rd2(CRU_DATAPATH(0) + CRU_DATAPATH_CORE_CLOCK(0));
	host.now += 1000000;
	UNIT_EQ(rd2(CRU_DATAPATH(0) + CRU_DATAPATH_CORE_CLOCK(0)) - clock, 240474);
	host_end();
}

UNIT_MAIN("emulated CRU, datapath", {"counters follow packets", traffic},
	  {"packets without a superpage are dropped", dropped},
	  {"packets are rejected where flow control is on", rejected},
	  {"a link lost in a run", link_lost_in_a_run}, {"errors of a bad link", errors},
	  {"configuration reads back", configuration})
