// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pattern player and user logic control.
 */
#include "cru.h"

void cru_pattern_start(struct cru *c)
{
	if (*cru_bar2_word(c, CRU_PAT_CONFIG) & CRU_PAT_CONFIG_PAT1_AT_START)
		c->board.pat_runs[0]++;
}

static void write_pattern_config(struct cru *c, uint32_t off, uint32_t value)
{
	uint32_t rising = value & ~*cru_bar2_word(c, off);

	/* The player is stopped while the patterns are being edited. */
	if (!(value & CRU_PAT_CONFIG_EDIT)) {
		c->board.pat_runs[0] += !!(rising & CRU_PAT_CONFIG_RUN_PAT1);
		c->board.pat_runs[1] += !!(rising & CRU_PAT_CONFIG_RUN_PAT2);
	}
	*cru_bar2_word(c, off) = value;
}

static void write_ul_reset(struct cru *c, uint32_t off, uint32_t value)
{
	*cru_bar2_word(c, CRU_UL_EVENT_SIZE) = 0;
	*cru_bar2_word(c, CRU_UL_RANDOM_SIZE) = 0;
	*cru_bar2_word(c, CRU_UL_SYSTEM_ID) = 0;
	*cru_bar2_word(c, CRU_UL_LINK_ID) = 0;
}

static void write_ul_random(struct cru *c, uint32_t off, uint32_t value)
{
	if (value & CRU_UL_RANDOM_SIZE_TOGGLE)
		*cru_bar2_word(c, off) ^= 1;
}

const struct bar2_reg cru_player_regs[] = {
	{CRU_PAT_CONFIG, .write = write_pattern_config},
	{CRU_PAT_TRIGGER(1), .power_on = 29},
	{CRU_PAT_TRIGGER(2), .power_on = 30},
	{CRU_UL_ID, RO},
	{CRU_UL_HASH, .power_on = 0xf6b5d742, RO},
	{CRU_UL_DATE, .power_on = 0x20241015, RO},
	{CRU_UL_TIME, .power_on = 0x00120000, RO},
	{CRU_UL_RESET, .write = write_ul_reset},
	{CRU_UL_RANDOM_SIZE, .write = write_ul_random},
	{CRU_DDG_PACKETS, {{2, 4}}, RO},
	BAR2_END,
};
