// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CRU's triggers: counters, their two sources, and the CTP emulator.
 */
#include "tests/unit/emu/emu_host.h"

#define SECOND 1000000000ull
#define BC_HZ 40079000 /* a sixth of 240474000 */
#define LOCAL CRU_TTC_DATA_CLOCK_LOCAL

static uint32_t hb(void)
{
	return rd2(CRU_TTC_HB);
}

static uint32_t phy(void)
{
	return rd2(CRU_TTC_PHY);
}

static uint32_t sox(void)
{
	return rd2(CRU_TTC_SOX_EOX) & CRU_TTC_SOX;
}

static uint32_t eox(void)
{
	return rd2(CRU_TTC_SOX_EOX) >> CRU_TTC_EOX_SHIFT;
}

static void run_enable(bool on)
{
	wr2(CRU_USER_CONTROL, on ? CRU_USER_CONTROL_RUN : 0);
}

/* What the real tool writes: idle, reset, dividers, mode, limits, reset off. */
static void ctp_start(uint32_t mode, uint32_t phys, uint32_t hc, uint32_t cal)
{
	wr2(CRU_CTP_RUN_MODE, CRU_CTP_IDLE);
	wr2(CRU_CTP_CONTROL, CRU_CTP_CONTROL_RESET);
	wr2(CRU_CTP_INIT_ORBIT, 0);
	wr2(CRU_CTP_PHYSDIV, phys);
	wr2(CRU_CTP_HCDIV, hc);
	wr2(CRU_CTP_CALDIV, cal);
	wr2(CRU_CTP_RUN_MODE, CRU_CTP_IDLE);
	wr2(CRU_CTP_RUN_MODE, mode);
	wr2(CRU_CTP_BCMAX, CRU_CTP_BCMAX_LAST);
	wr2(CRU_CTP_HBMAX, 255);
	wr2(CRU_CTP_PRESCALER, 15000u << CRU_CTP_PRESCALER_DROP_SHIFT | 15000);
	wr2(CRU_CTP_CONTROL, 0);
}

static void ctp_periodic(void)
{
	host_begin();
	wr2(CRU_TTC_DATA, LOCAL);
	run_enable(true);
	host.now += SECOND;
	UNIT_EQ(hb(), 0);
	ctp_start(CRU_CTP_PERIODIC, 4000, 5, 5);
	UNIT_EQ(sox(), 1);
	UNIT_EQ(eox(), 0);
	host.now += SECOND;
	UNIT_EQ(hb(), BC_HZ / 3564);
	UNIT_EQ(phy(), BC_HZ / 4000);
	UNIT_EQ(rd2(CRU_TTC_TOF_CAL), 0);
	wr2(CRU_CTP_RUN_MODE, CRU_CTP_IDLE);
	UNIT_EQ(eox(), 1);
	host.now += SECOND;
	UNIT_EQ(hb(), BC_HZ / 3564);
	UNIT_EQ(sox(), 1);
	/* Read-only counters. */
	wr2(CRU_TTC_HB, 0);
	UNIT_EQ(hb(), BC_HZ / 3564);
	host_end();
}

static void ctp_dividers(void)
{
	host_begin();
	wr2(CRU_TTC_DATA, LOCAL);
	run_enable(true);
	/* At the limit a divider is still off. */
	ctp_start(CRU_CTP_CONTINUOUS, 7, 10, 18);
	host.now += SECOND;
	UNIT_EQ(phy(), 0);
	UNIT_EQ(rd2(CRU_TTC_TOF_CAL), 0);
	ctp_start(CRU_CTP_CONTINUOUS, 8, 5, 40000);
	host.now += SECOND;
	UNIT_EQ(phy(), BC_HZ / 8);
	UNIT_EQ(rd2(CRU_TTC_TOF_CAL) >> CRU_TTC_CAL_SHIFT, BC_HZ / 40000);
	UNIT_EQ(rd2(CRU_TTC_TOF_CAL) & CRU_TTC_TOF, 0);
	/* 16 bits wrap. */
	host.now += 100 * SECOND;
	UNIT_EQ(rd2(CRU_TTC_TOF_CAL) >> CRU_TTC_CAL_SHIFT, 101ull * BC_HZ / 40000 % 65536);
	host_end();
}

static void ctp_manual(void)
{
	unsigned int i;

	host_begin();
	wr2(CRU_TTC_DATA, LOCAL);
	run_enable(true);
	ctp_start(CRU_CTP_MANUAL, 100, 5, 100);
	host.now += SECOND;
	CU_ASSERT(hb() > 11000);
	UNIT_EQ(phy(), 0);
	for (i = 0; i < 3; i++) {
		wr2(CRU_CTP_RUN_MODE, CRU_CTP_TRIGGER);
		wr2(CRU_CTP_RUN_MODE, 0);
	}
	UNIT_EQ(phy(), 3);
	/* A level is one pulse. */
	wr2(CRU_CTP_RUN_MODE, CRU_CTP_TRIGGER);
	wr2(CRU_CTP_RUN_MODE, CRU_CTP_TRIGGER);
	UNIT_EQ(phy(), 4);
	UNIT_EQ(sox(), 1);
	host_end();
}

static void ctp_fixed(void)
{
	unsigned int i;

	host_begin();
	wr2(CRU_TTC_DATA, LOCAL);
	run_enable(true);
	ctp_start(CRU_CTP_PERIODIC, 5, 5, 5);
	/* Two of nine slots. */
	for (i = 0; i < CRU_CTP_FIXED_BCS; i++)
		wr2(CRU_CTP_FIXED_BC, i == 3 || i == 8 ? 100 + i : 0);
	host.now += 2 * SECOND;
	CU_ASSERT(phy() >= 2 * hb() - 1 && phy() <= 2 * hb() + 2);
	/* Nine zeros put them all off: the tenth write is the first slot again. */
	for (i = 0; i < CRU_CTP_FIXED_BCS; i++)
		wr2(CRU_CTP_FIXED_BC, 0);
	i = phy();
	host.now += SECOND;
	UNIT_EQ(phy(), i);
	host_end();
}

static void ctp_reset_is_no_eox(void)
{
	host_begin();
	wr2(CRU_TTC_DATA, LOCAL);
	run_enable(true);
	ctp_start(CRU_CTP_PERIODIC, 8, 5, 5);
	wr2(CRU_CTP_CONTROL, CRU_CTP_CONTROL_RESET);
	UNIT_EQ(eox(), 0);
	host.now += SECOND;
	UNIT_EQ(hb(), 0);
	wr2(CRU_CTP_CONTROL, 0);
	UNIT_EQ(sox(), 2);
	host_end();
}

static void only_in_a_run(void)
{
	host_begin();
	wr2(CRU_TTC_DATA, LOCAL);
	ctp_start(CRU_CTP_PERIODIC, 8, 5, 5);
	host.now += SECOND;
	UNIT_EQ(hb(), 0);
	UNIT_EQ(sox(), 0);
	run_enable(true);
	host.now += SECOND;
	UNIT_EQ(hb(), BC_HZ / 3564);
	run_enable(false);
	host.now += SECOND;
	UNIT_EQ(hb(), BC_HZ / 3564);
	host_end();
}

static void ttc_source(void)
{
	host_begin();
	key(0, "hb-rate", "11000");
	key(0, "phy-rate", "200");
	key(0, "cal-rate", "3");
	key(0, "tof-rate", "40");
	run_enable(true);
	host.now += SECOND;
	UNIT_EQ(hb(), 11000);
	UNIT_EQ(phy(), 200);
	UNIT_EQ(rd2(CRU_TTC_TOF_CAL), 3 << 16 | 40);
	/* The emulator is not the selected source. */
	ctp_start(CRU_CTP_PERIODIC, 8, 5, 5);
	UNIT_EQ(sox(), 0);
	host.now += SECOND;
	UNIT_EQ(phy(), 400);
	key(0, "ttc-run", "off");
	UNIT_EQ(eox(), 1);
	host.now += SECOND;
	UNIT_EQ(hb(), 22000);
	key(0, "ttc-run", "on");
	UNIT_EQ(sox(), 1);
	/* A change of the source causes neither SOX nor EOX, even if the new source is stopped. */
	wr2(CRU_CTP_RUN_MODE, CRU_CTP_IDLE);
	wr2(CRU_TTC_DATA, LOCAL);
	wr2(CRU_TTC_DATA, 0);
	UNIT_EQ(rd2(CRU_TTC_SOX_EOX), 0x11);
	host_end();
}

static void ttc_without_pon(void)
{
	host_begin();
	run_enable(true);
	host.now += SECOND;
	CU_ASSERT(hb() == 11245);
	UNIT_EQ(rd2(CRU_TTC_OK), 1);
	key(0, "onu", "down");
	UNIT_EQ(rd2(CRU_TTC_OK), 0);
	host.now += SECOND;
	UNIT_EQ(hb(), 11245);
	host_end();
}

static void four_bit_counts(void)
{
	unsigned int i;

	host_begin();
	wr2(CRU_TTC_DATA, LOCAL);
	run_enable(true);
	for (i = 0; i < 17; i++) {
		wr2(CRU_CTP_RUN_MODE, CRU_CTP_PERIODIC);
		wr2(CRU_CTP_RUN_MODE, CRU_CTP_IDLE);
	}
	UNIT_EQ(rd2(CRU_TTC_SOX_EOX), 0x11);
	host_end();
}

static void gates_data(void)
{
	host_begin();
	key(0, "source-mode", "ctp");
	wr2(CRU_DATAPATH(0), 1);
	start(0, CRU_DATA_SOURCE_DATAPATH);
	run_enable(true);
	push(0, 0, 0, 4);
	run(0);
	UNIT_EQ(superpage(0, 4)[0], 0xee);
	ctp_start(CRU_CTP_PERIODIC, 8, 5, 5);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	host_end();
}

UNIT_MAIN("emulated CRU, triggers", {"CTP emulator, periodic", ctp_periodic},
	  {"CTP emulator, dividers and their limits", ctp_dividers},
	  {"CTP emulator, manual", ctp_manual}, {"CTP emulator, fixed crossings", ctp_fixed},
	  {"CTP emulator, a reset is no EOX", ctp_reset_is_no_eox},
	  {"counters need run enable", only_in_a_run}, {"TTC as source", ttc_source},
	  {"TTC without a PON", ttc_without_pon}, {"SOX and EOX have four bits", four_bit_counts},
	  {"CTP emulator gates data", gates_data})
