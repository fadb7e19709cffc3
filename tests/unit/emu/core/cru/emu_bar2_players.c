// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CRU's pattern player, user logic, plain blocks, and registers that stick.
 */
#include "tests/unit/emu/emu_host.h"

static void pattern_registers(void)
{
	uint32_t off;
	unsigned int i;

	host_begin();
	UNIT_EQ(rd2(CRU_PAT_TRIGGER(1)), 29);
	UNIT_EQ(rd2(CRU_PAT_TRIGGER(2)), 30);
	UNIT_EQ(rd2(CRU_PAT_TRIGGER(3)), 0);
	UNIT_EQ(CRU_PAT(2), 0x26001c);
	UNIT_EQ(CRU_PAT(3), 0x260048);
	for (off = 0x260004; off <= 0x260050; off += 4)
		wr2(off, 0x11110000 + off);
	for (off = 0x260004; off <= 0x260050; off += 4)
		UNIT_EQ(rd2(off), 0x11110000 + off);
	for (i = 0; i < 4; i++) {
		wr2(CRU_PAT(i) + 8, 0x9000 + i);
		UNIT_EQ(rd2(CRU_PAT(i) + 8), 0x9000 + i);
	}
	host_end();
}

static void pattern_runs(void)
{
	host_begin();
	wr2(CRU_PAT_CONFIG, CRU_PAT_CONFIG_RUN_PAT1);
	wr2(CRU_PAT_CONFIG, CRU_PAT_CONFIG_RUN_PAT1);
	UNIT_EQ(count(0, -1, "pat1_runs"), 1);
	wr2(CRU_PAT_CONFIG, 0);
	wr2(CRU_PAT_CONFIG, CRU_PAT_CONFIG_RUN_PAT2);
	wr2(CRU_PAT_CONFIG, 0);
	UNIT_EQ(count(0, -1, "pat1_runs"), 1);
	UNIT_EQ(count(0, -1, "pat2_runs"), 1);
	/* Not while it is edited. */
	wr2(CRU_PAT_CONFIG, CRU_PAT_CONFIG_EDIT | CRU_PAT_CONFIG_RUN_PAT2);
	UNIT_EQ(count(0, -1, "pat2_runs"), 1);
	UNIT_EQ(rd2(CRU_PAT_CONFIG), 0x11);
	wr2(CRU_USER_CONTROL, CRU_USER_CONTROL_RUN);
	UNIT_EQ(count(0, -1, "pat1_runs"), 1);
	wr2(CRU_USER_CONTROL, 0);
	wr2(CRU_PAT_CONFIG, CRU_PAT_CONFIG_PAT1_AT_START);
	wr2(CRU_USER_CONTROL, CRU_USER_CONTROL_RUN);
	UNIT_EQ(count(1, -1, "pat1_runs"), 2);
	host_end();
}

static void user_logic(void)
{
	host_begin();
	wr2(CRU_UL_EVENT_SIZE, 100);
	wr2(CRU_UL_SYSTEM_ID, 3);
	wr2(CRU_UL_LINK_ID, 15);
	UNIT_EQ(rd2(CRU_UL_RANDOM_SIZE), 0);
	wr2(CRU_UL_RANDOM_SIZE, 0);
	UNIT_EQ(rd2(CRU_UL_RANDOM_SIZE), 0);
	wr2(CRU_UL_RANDOM_SIZE, 1);
	UNIT_EQ(rd2(CRU_UL_RANDOM_SIZE), 1);
	wr2(CRU_UL_RANDOM_SIZE, 0);
	UNIT_EQ(rd2(CRU_UL_RANDOM_SIZE), 1);
	wr2(CRU_UL_RANDOM_SIZE, 1);
	UNIT_EQ(rd2(CRU_UL_RANDOM_SIZE), 0);
	wr2(CRU_UL_RANDOM_SIZE, 1);
	UNIT_EQ(rd2(CRU_UL_EVENT_SIZE), 100);
	UNIT_EQ(rd2(CRU_UL_SYSTEM_ID), 3);
	UNIT_EQ(rd2(CRU_UL_LINK_ID), 15);
	wr2(CRU_UL_RESET, 0);
	UNIT_EQ(rd2(CRU_UL_EVENT_SIZE), 0);
	UNIT_EQ(rd2(CRU_UL_RANDOM_SIZE), 0);
	UNIT_EQ(rd2(CRU_UL_LINK_ID), 0);
	wr2(CRU_UL_DATE, 1);
	UNIT_EQ(rd2(CRU_UL_DATE), 0x20241015);
	host_end();
}

static void plain_blocks(void)
{
	static const uint32_t offsets[] = {
		CRU_MUX(0),
		CRU_MUX(23),
		CRU_GPIO_OUT,
		CRU_TEMPERATURE_LIMIT_SW,
		CRU_RSU_PAGE,
		CRU_HBF_CHECK_MASK,
		CRU_VIRTUAL_IDS,
		CRU_LOCK_TO_REF,
		CRU_REFGEN,
		CRU_PON_ATX_PLL + CRU_PON_ATX_REFCLK,
		CRU_PON_TRANSCEIVER,
		CRU_ONU_FPLL,
		CRU_CTP_BCMAX,
		CRU_CTP_HBMAX,
		CRU_CTP_PRESCALER,
		CRU_CTP_PHYSDIV,
		CRU_CTP_HCDIV,
		CRU_CTP_USER_BITS,
		CRU_CTP_CALDIV,
		CRU_CTP_INIT_ORBIT,
		CRU_WRAPPER(0) + CRU_WRAPPER_TEST,
		CRU_FLASH_CSR,
		CRU_FLASH_WRITE_DATA,
		CRU_DDG_CONTROL,
		CRU_DDG_IDLE,
		CRU_SLOW_CONTROL(23) + CRU_SLOW_CONTROL_RESET,
	};
	unsigned int i;

	host_begin();
	for (i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
		wr2(offsets[i], 0x5a000000 + i);
	for (i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
		UNIT_EQ(rd2(offsets[i]), 0x5a000000 + i);
	i = rd2(CRU_SPARE_IN);
	CU_ASSERT(rd2(CRU_SPARE_IN) != i);
	CU_ASSERT(rd2(CRU_SUPPLY(0)));
	host_end();
}

static void stuck(void)
{
	uint32_t window = CRU_DATAPATH(0) + CRU_DATAPATH_TRIGGER_WINDOW;

	host_begin();
	wr2(window, 1000);
	fault(1, "stuck-register", (uint64_t)window << 32 | 77);
	UNIT_EQ(rd2(window), 77);
	UNIT_EQ(cru_card.read(host.card, 1, CRU_BAR_CARD, window), 77);
	wr2(window, 500);
	UNIT_EQ(rd2(window), 77);
	/* The stored value is unchanged, and the other wrapper works. */
	UNIT_EQ(cru_card.peek(host.card, 0, CRU_BAR_CARD, window), 1000);
	wr2(CRU_DATAPATH(1) + CRU_DATAPATH_TRIGGER_WINDOW, 500);
	UNIT_EQ(rd2(CRU_DATAPATH(1) + CRU_DATAPATH_TRIGGER_WINDOW), 500);
	UNIT_EQ(cru_card.fault_clear(host.card, 1, "stuck-register"), true);
	UNIT_EQ(rd2(window), 1000);
	wr2(window, 500);
	UNIT_EQ(rd2(window), 500);

	/* BAR0 has its own, one per endpoint. */
	fault(0, "stuck-dma-register", (uint64_t)CRU_TIME_FRAME << 32 | 0x08000000);
	wr(0, CRU_TIME_FRAME, 0x20000000);
	wr(1, CRU_TIME_FRAME, 0x20000000);
	UNIT_EQ(rd(0, CRU_TIME_FRAME), 0x08000000);
	UNIT_EQ(rd(1, CRU_TIME_FRAME), 0x20000000);
	UNIT_EQ(rd2(CRU_TIME_FRAME), 0);
	host_end();
}

UNIT_MAIN("emulated CRU, players and plain blocks", {"pattern player registers", pattern_registers},
	  {"pattern player runs", pattern_runs}, {"user logic", user_logic},
	  {"plain blocks read back", plain_blocks}, {"registers that stick", stuck})
