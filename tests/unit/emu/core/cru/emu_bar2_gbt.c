// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CRU's GBT links: status, sticky bits, loopback, errors, and settings per link.
 */
#include "tests/unit/emu/emu_host.h"

#define SECOND 1000000000ull
#define UP 0x2d00
#define DARK 0xc100 /* PLL lock, both sticky bits */
#define STUCK 0xc000

/* Every link of both endpoints has its own registers. */
static void places(void)
{
	unsigned int e, l, i;
	uint32_t seen[24];
	char value[32];

	host_begin();
	for (e = 0; e < 2; e++) {
		for (l = 0; l < 12; l++) {
			uint32_t at = CRU_GBT(e, l);

			for (i = 0; i < 12 * e + l; i++)
				CU_ASSERT(seen[i] != at);
			seen[12 * e + l] = at;
			snprintf(value, sizeof(value), "%u=down", l);
			UNIT_EQ(rd2(at), UP);
			key(e, "link-state", value);
			UNIT_EQ(rd2(at), DARK);
		}
	}
	/* The documented formula, once by hand: endpoint 1, link 3. */
	UNIT_EQ(CRU_GBT(1, 3), 0x400000 + 0x20000 * 4 + 0x2000 * 2);
	host_end();
}

static void down_and_up(void)
{
	uint32_t link = CRU_GBT(0, 4);

	host_begin();
	UNIT_EQ(rd2(link + CRU_GBT_RX_CLOCK), 240474000);
	key(0, "link-state", "4=down");
	UNIT_EQ(rd2(link), DARK);
	UNIT_EQ(rd2(link + CRU_GBT_RX_CLOCK), 0);
	UNIT_EQ(rd2(link + CRU_GBT_TX_CLOCK), 240474000);
	UNIT_EQ(rd2(link + CRU_GBT_GLITCHES), 1);
	/* The bit stays set while the link is down, whatever is written. */
	wr2(link + CRU_GBT_CLEAR_STICKY, 0);
	UNIT_EQ(rd2(link), DARK);
	key(0, "link-state", "4=up");
	UNIT_EQ(rd2(link), UP | STUCK);
	wr2(link + CRU_GBT_CLEAR_STICKY, 1);
	UNIT_EQ(rd2(link), UP | STUCK);
	wr2(link + CRU_GBT_CLEAR_STICKY, 0);
	UNIT_EQ(rd2(link), UP);
	UNIT_EQ(rd2(CRU_GBT(0, 5)), UP);
	UNIT_EQ(rd2(CRU_GBT(1, 4)), UP);
	host_end();
}

static void no_light(void)
{
	uint32_t link = CRU_GBT(1, 0);

	host_begin();
	key(1, "optical-power", "0=0");
	UNIT_EQ(rd2(link), DARK);
	key(1, "optical-power", "0=250.5");
	UNIT_EQ(rd2(link), UP | STUCK);
	UNIT_STR(key_get(1, "optical-power"),
		 "250.5,500.0,500.0,500.0,500.0,500.0,500.0,500.0,500.0,500.0,500.0,500.0");
	host_end();
}

static void loopback(void)
{
	uint32_t link = CRU_GBT(0, 1);

	host_begin();
	key(0, "link-state", "1=down");
	wr2(link + CRU_GBT_SOURCE, CRU_GBT_SOURCE_LOOPBACK);
	UNIT_EQ(rd2(link), UP | STUCK);
	wr2(link + CRU_GBT_CLEAR_STICKY, 0);
	UNIT_EQ(rd2(link), UP);
	wr2(link + CRU_GBT_SOURCE, 0);
	UNIT_EQ(rd2(link), DARK);
	UNIT_EQ(rd2(link + CRU_GBT_SOURCE), 0);
	UNIT_EQ(rd2(link + CRU_GBT_GLITCHES), 2);
	host_end();
}

static void fec_errors(void)
{
	uint32_t link = CRU_GBT(1, 7);

	host_begin();
	host.now += SECOND;
	UNIT_EQ(rd2(link + CRU_GBT_FEC_ERRORS), 0);
	key(1, "fec-rate", "7=50");
	key(1, "link-state", "7=bad");
	UNIT_EQ(rd2(link), UP);
	host.now += SECOND * 3 / 2;
	UNIT_EQ(rd2(link + CRU_GBT_FEC_ERRORS), 75);
	UNIT_EQ(rd2(link + CRU_GBT_FEC_ERRORS), 75);
	UNIT_EQ(rd2(CRU_GBT(1, 6) + CRU_GBT_FEC_ERRORS), 0);
	/* Fractions of events are not lost. */
	host.now += 10000000;
	rd2(link + CRU_GBT_FEC_ERRORS);
	host.now += 10000000;
	UNIT_EQ(rd2(link + CRU_GBT_FEC_ERRORS), 76);
	/* The wide bus has no error correction. */
	wr2(link + CRU_GBT_RX_CONTROL, CRU_GBT_WIDE_BUS);
	host.now += SECOND;
	UNIT_EQ(rd2(link + CRU_GBT_FEC_ERRORS), 76);
	wr2(link + CRU_GBT_RX_CONTROL, 0);
	/* 16 bits, and a pulse that clears. */
	host.now += SECOND * 1400;
	UNIT_EQ(rd2(link + CRU_GBT_FEC_ERRORS), (76 + 70000) & 0xffff);
	wr2(link + CRU_GBT_SOURCE, CRU_GBT_SOURCE_CLEAR);
	UNIT_EQ(rd2(link + CRU_GBT_FEC_ERRORS), 0);
	wr2(link + CRU_GBT_SOURCE, 0);
	key(1, "link-state", "7=up");
	host.now += SECOND;
	UNIT_EQ(rd2(link + CRU_GBT_FEC_ERRORS), 0);
	host_end();
}

static void test_pattern_errors(void)
{
	uint32_t link = CRU_GBT(0, 0), frame;

	host_begin();
	frame = rd2(link + CRU_GBT_FRAME);
	CU_ASSERT(rd2(link + CRU_GBT_FRAME) != frame);
	key(0, "link-state", "bad");
	host.now += SECOND;
	/* Without the generator there is nothing to compare with. */
	UNIT_EQ(rd2(link + CRU_GBT_DATA_ERRORS), 0);
	wr2(link + CRU_GBT_SOURCE, CRU_GBT_SOURCE_GENERATOR | CRU_GBT_SOURCE_LOOPBACK);
	host.now += SECOND;
	UNIT_EQ(rd2(link + CRU_GBT_DATA_ERRORS), 10);
	key(0, "link-state", "up");
	host.now += SECOND;
	UNIT_EQ(rd2(link + CRU_GBT_DATA_ERRORS), 10);
	/* Both ends must have the same mode. */
	wr2(link + CRU_GBT_TX_CONTROL, CRU_GBT_WIDE_BUS);
	host.now += SECOND;
	CU_ASSERT(rd2(link + CRU_GBT_DATA_ERRORS) > 1000);
	wr2(link + CRU_GBT_TX_CONTROL, 0);
	wr2(link + CRU_GBT_SOURCE,
	    CRU_GBT_SOURCE_GENERATOR | CRU_GBT_SOURCE_LOOPBACK | CRU_GBT_SOURCE_CLEAR);
	host.now += SECOND;
	UNIT_EQ(rd2(link + CRU_GBT_DATA_ERRORS), 0);
	host_end();
}

static void reference_clock(void)
{
	uint32_t link = CRU_GBT(0, 0);

	host_begin();
	key(0, "clock-local", "240000000");
	UNIT_EQ(rd2(CRU_CLOCK_LOCAL), 240000000);
	UNIT_EQ(rd2(link + CRU_GBT_TX_CLOCK), 240000000);
	UNIT_EQ(rd2(link + CRU_GBT_RX_CLOCK), 240000000);
	UNIT_EQ(rd2(link), UP);
	key(0, "clock-local", "0");
	UNIT_EQ(rd2(link), STUCK);
	UNIT_EQ(rd2(link + CRU_GBT_TX_CLOCK), 0);
	host_end();
}

static void lists(void)
{
	host_begin();
	key(0, "glitches", "7");
	UNIT_STR(key_get(0, "glitches"), "7,7,7,7,7,7,7,7,7,7,7,7");
	UNIT_EQ(rd2(CRU_GBT(0, 11) + CRU_GBT_GLITCHES), 7);
	UNIT_STR(key_get(1, "glitches"), "0,0,0,0,0,0,0,0,0,0,0,0");
	key(0, "glitches", "11=3,0=0x10");
	UNIT_STR(key_get(0, "glitches"), "16,7,7,7,7,7,7,7,7,7,7,3");
	key(0, "glitches", "1,2,3,4,5,6,7,8,9,10,11,12");
	UNIT_STR(key_get(0, "glitches"), "1,2,3,4,5,6,7,8,9,10,11,12");
	key_refused("glitches", "1,2");
	key_refused("glitches", "1,2,3,4,5,6,7,8,9,10,11,12,13");
	key_refused("glitches", "0=1,2");
	key_refused("glitches", "12=1");
	key_refused("glitches", "0=1,1=x");
	key_refused("glitches", "");
	key_refused("glitches", "-1");
	key_refused("link-state", "0=sideways");
	key_refused("optical-power", "6554");
	key_refused("optical-power", "bright");
	key_refused("fec-rate", "4294967296");
	host_end();
}

static void transceivers(void)
{
	uint32_t tx = CRU_GBT(0, 0) + CRU_GBT_TRANSCEIVER;
	uint32_t fpll = CRU_GBT_BANK(0, 3) + CRU_GBT_BANK_FPLL, a, b;

	host_begin();
	/* Calibrations are always done; the rest is what was written. */
	UNIT_EQ(rd2(tx + CRU_RECONF(CRU_RECONF_STATUS)), 0);
	UNIT_EQ(rd2(tx + CRU_RECONF(CRU_RECONF_CAL_STATUS)), 0x30);
	wr2(tx + CRU_RECONF(CRU_RECONF_CALIBRATE), 0x62);
	UNIT_EQ(rd2(tx + CRU_RECONF(CRU_RECONF_CALIBRATE)), 0x62);
	/* The lookup tables distinguish the references. */
	a = rd2(tx + CRU_RECONF(CRU_RECONF_CDR_LOOKUP + 2));
	b = rd2(tx + CRU_RECONF(CRU_RECONF_CDR_LOOKUP + 1));
	CU_ASSERT(a && b && a != b);
	a = rd2(fpll + CRU_RECONF(CRU_RECONF_FPLL_LOOKUP_A + 2));
	b = rd2(fpll + CRU_RECONF(CRU_RECONF_FPLL_LOOKUP_B + 2));
	CU_ASSERT(a && b && a != b);
	UNIT_EQ(rd2(CRU_WRAPPER(0) + CRU_WRAPPER_REFCLK(3)), 240474000);
	host_end();
}

UNIT_MAIN("emulated CRU, GBT links", {"24 links at their places", places},
	  {"down and up again: status, sticky bits, glitches", down_and_up},
	  {"no light is no link", no_light}, {"loopback needs no far end", loopback},
	  {"corrected errors", fec_errors}, {"test pattern errors", test_pattern_errors},
	  {"reference clock", reference_clock}, {"settings with a value per link", lists},
	  {"transceiver registers", transceivers})
