// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BAR2 through the control commands: settings per link, registers that stick, counted writes.
 */
#include "tests/unit/emu/server/emu_control.h"

static uint32_t rd2(uint32_t off)
{
	return rd(0, CRU_BAR_CARD, off);
}

static void settings(void)
{
	begin();
	UNIT_STR(run("set 1 link-state 3=down,4=bad"), OK);
	UNIT_STR(
		run("get 1 link-state"),
		"{\"ok\":true,\"key\":\"link-state\",\"value\":\"up,up,up,down,bad,up,up,up,up,up,up,up\"}");
	UNIT_EQ(rd2(CRU_GBT(1, 3)) & CRU_GBT_PHY_UP, 0);
	UNIT_EQ(rd2(CRU_GBT(0, 3)) & CRU_GBT_PHY_UP, CRU_GBT_PHY_UP);
	/* Without an endpoint: both. */
	UNIT_STR(run("set link-state 3=down"), OK);
	UNIT_EQ(rd2(CRU_GBT(0, 3)) & CRU_GBT_PHY_UP, 0);
	UNIT_STR(run("set pon-power 12.3"), OK);
	UNIT_STR(run("get pon-power"), "{\"ok\":true,\"key\":\"pon-power\",\"value\":\"12.3\"}");
	UNIT_STR(
		run("set onu upside-down"),
		"{\"ok\":false,\"error\":\"onu: the ONU is up, down or a status byte, not 'upside-down'\"}");
	end();
}

static void stuck(void)
{
	begin();
	UNIT_STR(run("fault 0 stuck-register 0x600034 77"), OK);
	wr(0, CRU_BAR_CARD, 0x600034, 500);
	UNIT_EQ(rd2(0x600034), 77);
	CU_ASSERT_PTR_NOT_NULL(strstr(run("faults"), "\"stuck-register\":\"0x6000340000004d\""));
	UNIT_STR(run("fault 0 clear stuck-register"), OK);
	wr(0, CRU_BAR_CARD, 0x600034, 500);
	UNIT_EQ(rd2(0x600034), 500);
	UNIT_STR(run("fault 0 stuck-register 0x600034"),
		 "{\"ok\":false,\"error\":\"value is missing\"}");
	UNIT_STR(run("fault 0 stuck-register 0x600034 0x100000000"),
		 "{\"ok\":false,\"error\":\"registers have 32 bits\"}");
	UNIT_STR(run("fault 0 stuck-register 0x600034 1 2"),
		 "{\"ok\":false,\"error\":\"'2' is one word too many\"}");
	UNIT_EQ(rd2(0x600034), 500);
	end();
}

/* The number after "name": of endpoint 0. */
static long long count(const char *name)
{
	char find[64];
	const char *at;

	snprintf(find, sizeof(find), "\"%s\":", name);
	at = strstr(run("counts 0"), find);
	UNIT_NEED(at);
	return atoll(at + strlen(find));
}

static void counted_writes(void)
{
	begin();
	UNIT_EQ(count("bar2_writes"), 0);
	wr(0, CRU_BAR_CARD, CRU_MUX(0), 1);
	wr(0, CRU_BAR_CARD, CRU_MUX(0), 2);
	wr(0, CRU_BAR_CARD, CRU_MUX(8), 2);
	wr(0, CRU_BAR_DMA, CRU_SCRATCH, 2);
	wr(1, CRU_BAR_CARD, CRU_MUX(0), 2);
	rd2(CRU_MUX(0));
	UNIT_EQ(count("bar2_writes"), 3);
	UNIT_EQ(count("bar0_writes"), 1);
	UNIT_EQ(count("mmio_writes"), 4);
	UNIT_EQ(count("mmio_reads"), 1);
	run("clear");
	UNIT_EQ(count("bar2_writes"), 0);
	end();
}

UNIT_MAIN("emulated CRU, BAR2 under control", {"settings per link", settings},
	  {"fault stuck-register", stuck}, {"writes of a BAR are counted", counted_writes})
