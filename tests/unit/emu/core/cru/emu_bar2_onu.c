// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CRU's clocks, ONU and PON: status, sticky bits, phase scan, quality.
 */
#include "tests/unit/emu/emu_host.h"

#define SECOND 1000000000ull
#define DARK 0x50 /* transmitter and its PLL need no light */

static uint32_t status(void)
{
	return rd2(CRU_ONU_STATUS);
}

static uint32_t sticky(void)
{
	return rd2(CRU_ONU_STICKY);
}

static void clear_by_pulse(void)
{
	wr2(CRU_TTC_DATA, rd2(CRU_TTC_DATA) | CRU_TTC_DATA_CLEAR_STICKY);
	wr2(CRU_TTC_DATA, rd2(CRU_TTC_DATA) & ~CRU_TTC_DATA_CLEAR_STICKY);
}

static void down_and_up(void)
{
	host_begin();
	UNIT_EQ(status(), 0xff);
	UNIT_EQ(sticky(), 0);
	key(0, "onu", "down");
	UNIT_EQ(status(), DARK);
	UNIT_EQ(sticky(), 0xff & ~DARK);
	UNIT_EQ(rd2(CRU_ONU_GLITCHES), 1);
	UNIT_EQ(rd2(CRU_CLOCK_PON_RX), 0);
	/* Sticky bits of errors that persist are set again at once. */
	clear_by_pulse();
	UNIT_EQ(sticky(), 0xff & ~DARK);
	key(0, "onu", "up");
	UNIT_EQ(status(), 0xff);
	UNIT_EQ(sticky(), 0xff & ~DARK);
	clear_by_pulse();
	UNIT_EQ(sticky(), 0);
	UNIT_EQ(rd2(CRU_TTC_DATA), 0);
	UNIT_EQ(rd2(CRU_CLOCK_PON_RX), 240474000);
	/* One bit, and the other way to clear. */
	key(0, "onu", "0xf7");
	UNIT_EQ(status(), 0xf7);
	UNIT_EQ(sticky(), CRU_ONU_OPERATIONAL);
	key(0, "onu", "up");
	wr2(CRU_ONU_STICKY, 1);
	wr2(CRU_ONU_STICKY, 0);
	UNIT_EQ(sticky(), 0);
	host_end();
}

static void address_and_reset(void)
{
	host_begin();
	wr2(CRU_ONU_CONTROL, 0x2a << CRU_ONU_CONTROL_ADDRESS_SHIFT);
	UNIT_EQ(rd2(CRU_ONU_CONTROL) >> 1, 0x2a);
	UNIT_EQ(status(), 0xff);
	wr2(CRU_ONU_CONTROL, CRU_ONU_CONTROL_RESET);
	UNIT_EQ(status(), 0);
	wr2(CRU_ONU_CONTROL, 0);
	UNIT_EQ(status(), 0xff);
	UNIT_EQ(sticky(), 0xff);
	wr2(CRU_ONU_STATUS, 0);
	UNIT_EQ(status(), 0xff);
	host_end();
}

static void no_light(void)
{
	host_begin();
	key(0, "pon-power", "0");
	UNIT_EQ(status(), DARK);
	key(0, "pon-power", "12.5");
	UNIT_EQ(status(), 0xff);
	key(0, "clock-ctp", "0");
	UNIT_EQ(rd2(CRU_CLOCK_CTP), 0);
	UNIT_EQ(status(), DARK);
	UNIT_EQ(rd2(CRU_CLOCK_NOT_OK), 1);
	key(0, "clock-ctp", "240470000");
	UNIT_EQ(status(), 0xff);
	UNIT_EQ(rd2(CRU_CLOCK_CTP), 240470000);
	host_end();
}

static void step(void)
{
	wr2(CRU_PON_TX_PLL, CRU_PON_TX_PLL_STEP_0);
	wr2(CRU_PON_TX_PLL, CRU_PON_TX_PLL_STEP_1);
}

/* The scan of the real software: low seen, then 19 good ones in a row. */
static void phase_scan(void)
{
	unsigned int steps, good = 0;
	bool low = false;

	host_begin();
	wr2(CRU_CLOCK_CONTROL, CRU_CLOCK_CONTROL_FPLL_RESET);
	wr2(CRU_CLOCK_CONTROL, 0);
	wr2(CRU_PON_TX_PLL, CRU_PON_TX_PLL_MANUAL);
	for (steps = 1; steps < 200; steps++) {
		step();
		switch (status()) {
		case 0xff:
			good++;
			break;
		case 0xfd:
			low = true;
			good = 0;
			break;
		default:
			CU_FAIL("status is unknown to the scan");
		}
		if (low && good == 19)
			break;
	}
	UNIT_EQ(steps, 55 + 19);
	/* The steps wrap, and a reset of the PLL starts from the first step. */
	for (steps = 1; steps <= 56; steps++) {
		step();
		if (status() == 0xfd)
			break;
	}
	UNIT_EQ(steps, 56 - 19);
	wr2(CRU_CLOCK_CONTROL, CRU_CLOCK_CONTROL_FPLL_RESET);
	UNIT_EQ(status(), 0xff);
	/* Half a step has no effect. */
	for (steps = 0; steps < 100; steps++) {
		wr2(CRU_PON_TX_PLL, CRU_PON_TX_PLL_STEP_1);
		UNIT_EQ(status(), 0xff);
	}
	host_end();
}

static void quality(void)
{
	uint32_t errors;

	host_begin();
	errors = rd2(CRU_TTC_LINK_ERRORS);
	host.now += CRU_TTC_LINK_ERRORS_MS * 1000000;
	UNIT_EQ(rd2(CRU_TTC_LINK_ERRORS), errors);
	key(0, "pon-error-rate", "1000");
	host.now += CRU_TTC_LINK_ERRORS_MS * 1000000;
	UNIT_EQ(rd2(CRU_TTC_LINK_ERRORS), errors + 10);
	host_end();
}

static void fec(void)
{
	host_begin();
	key(0, "onu-fec-rate", "160");
	host.now += SECOND;
	UNIT_EQ(rd2(CRU_ONU_FEC_SINGLE), 160);
	UNIT_EQ(rd2(CRU_ONU_FEC_DOUBLE), 10);
	host.now += SECOND;
	UNIT_EQ(rd2(CRU_ONU_FEC_SINGLE), 320 & 0xff);
	key(0, "onu", "down");
	host.now += SECOND;
	UNIT_EQ(rd2(CRU_ONU_FEC_DOUBLE), 20);
	UNIT_EQ(rd2(CRU_ONU_FEC_STATUS), 0);
	key(0, "onu-glitches", "9");
	UNIT_EQ(rd2(CRU_ONU_GLITCHES), 9);
	host_end();
}

UNIT_MAIN("emulated CRU, clocks and ONU", {"down and up again, both ways to clear", down_and_up},
	  {"address and reset", address_and_reset}, {"no light, no clock", no_light},
	  {"phase scan", phase_scan}, {"quality of the PON", quality}, {"corrected errors", fec})
