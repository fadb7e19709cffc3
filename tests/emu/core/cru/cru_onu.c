// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clocks, the ONU (this end of the passive optical network of TTC), and the quality of that
 * network.
 *
 * The transmit PLL of the ONU must be stepped until its phase fits. One of PHASES steps shows
 * "phase not good", and software uses the steps after it.
 */
#include "cru.h"

#define PHASES 56
#define ONU_DARK (CRU_ONU_MGT_TX_READY | CRU_ONU_MGT_TX_PLL_LOCKED) /* independent of light */
#define DOUBLE_PER_SINGLE 16

static uint32_t *word(struct cru *c, uint32_t off)
{
	return cru_bar2_word(c, off);
}

uint32_t cru_clock_selected(struct cru *c)
{
	if (cru_pll_open(c))
		return 0;
	return *word(c, cru_pll_input(c) == CRU_PLL_INPUT_LOCAL ? CRU_CLOCK_LOCAL : CRU_CLOCK_CTP);
}

static uint32_t onu_status(struct cru *c)
{
	struct cru_board *b = &c->board;
	uint32_t status = b->onu;

	if (*word(c, CRU_ONU_CONTROL) & CRU_ONU_CONTROL_RESET)
		return 0;
	if (!b->pon_power || !*word(c, CRU_CLOCK_CTP))
		status &= ONU_DARK;
	if (b->phase == PHASES - 1)
		status &= ~CRU_ONU_PHASE_GOOD;
	return status;
}

void cru_onu_update(struct cru *c)
{
	struct cru_board *b = &c->board;
	uint32_t status = onu_status(c), fallen = b->onu_shown & ~status;
	bool ctp_clock = *word(c, CRU_CLOCK_CTP);
	bool locked = status & CRU_ONU_RX_LOCKED;
	uint64_t now = cru_now(c);

	if (b->ctp_clock_was && !ctp_clock)
		++*word(c, CRU_CLOCK_NOT_OK);
	b->ctp_clock_was = ctp_clock;
	if (status != b->onu_shown) {
		*word(c, CRU_ONU_STATUS) = status;
		*word(c, CRU_ONU_STICKY) |= fallen;
		*word(c, CRU_ONU_GLITCHES) += !!(fallen & CRU_ONU_OPERATIONAL);
		b->onu_shown = status;
	}
	*word(c, CRU_TTC_OK) = !!(status & CRU_ONU_OPERATIONAL);
	*word(c, CRU_CLOCK_PON_RX) = locked ? *word(c, CRU_CLOCK_CTP) : 0;
	*word(c, CRU_CLOCK_PON_TX) = *word(c, CRU_CLOCK_CTP);
	cru_meter_rate(&b->onu_single, now, locked ? b->onu_fec_rate * 1000ull : 0);
	cru_meter_rate(&b->onu_double, now,
		       locked ? b->onu_fec_rate * 1000ull / DOUBLE_PER_SINGLE : 0);
	cru_meter_rate(&b->pon, now, b->pon_error_rate * 1000ull);
}

static uint32_t read_single(struct cru *c, uint32_t off, bool peek)
{
	cru_bar2_add(c, off, CRU_ONU_FEC_COUNT, cru_meter_take(&c->board.onu_single, cru_now(c)));
	return *word(c, off);
}

static uint32_t read_double(struct cru *c, uint32_t off, bool peek)
{
	cru_bar2_add(c, off, CRU_ONU_FEC_COUNT, cru_meter_take(&c->board.onu_double, cru_now(c)));
	return *word(c, off);
}

static uint32_t read_link_errors(struct cru *c, uint32_t off, bool peek)
{
	cru_bar2_add(c, off, UINT32_MAX, cru_meter_take(&c->board.pon, cru_now(c)));
	return *word(c, off);
}

/* Sticky bits of errors that persist are set again at once. */
static void write_sticky(struct cru *c, uint32_t off, uint32_t value)
{
	if (value & 1)
		*word(c, off) = ~*word(c, CRU_ONU_STATUS) & CRU_ONU_STICKY_MASK;
}

static void write_clock_control(struct cru *c, uint32_t off, uint32_t value)
{
	if (value & ~*word(c, off) & CRU_CLOCK_CONTROL_FPLL_RESET) {
		c->board.phase = 0;
		c->board.pll_step = 0;
	}
	cru_write_and_update(c, off, value);
}

static void write_tx_pll(struct cru *c, uint32_t off, uint32_t value)
{
	struct cru_board *b = &c->board;

	if (value == CRU_PON_TX_PLL_STEP_1 && b->pll_step == CRU_PON_TX_PLL_STEP_0)
		b->phase = (b->phase + 1) % PHASES;
	b->pll_step = value;
	cru_write_and_update(c, off, value);
}

void cru_onu_power_on(struct cru *c)
{
	struct cru_board *b = &c->board;

	b->onu = 0xff;
	b->onu_shown = 0xff;
	b->pon_power = 1000;
	b->ttc_run = true;
	b->ttc.hb = 11245; /* orbits of the LHC */
	b->ttc.phy = 1000;
	b->ttc.cal = 10;
	b->ttc.tof = 100;
	b->local_was = false;
	b->running_was = true;
	b->ctp_clock_was = true;
	*word(c, CRU_PON_ATX_PLL + CRU_PON_ATX_REFCLK0) = 0x3;
}

const struct bar2_reg cru_onu_regs[] = {
	{CRU_HBF_ALLOCATION_FAILURES, RO},
	{CRU_TTC_LINK_ERRORS, RO, .read = read_link_errors},
	{CRU_ONU_STICKY, .write = write_sticky},
	{CRU_ONU_GLITCHES, RO},
	{CRU_ONU_CONTROL, .write = cru_write_and_update},
	{CRU_ONU_FEC_STATUS, RO},
	{CRU_ONU_STATUS, .power_on = 0xff, RO},
	{CRU_ONU_FEC_SINGLE, RO, .read = read_single},
	{CRU_ONU_FEC_DOUBLE, RO, .read = read_double},
	{CRU_CLOCK_CTP, .power_on = CRU_HZ_240, RO},
	{CRU_CLOCK_LOCAL, .power_on = CRU_HZ_240, RO},
	{CRU_CLOCK_PON_RX, {{2, 4}}, RO},
	{CRU_CLOCK_CONTROL, .write = write_clock_control},
	{CRU_CLOCK_STATUS, RO},
	{CRU_PON_TRANSCEIVER + CRU_RECONF(CRU_RECONF_CAL_STATUS),
	 .power_on = CRU_RECONF_CAL_STATUS_TX_EN | CRU_RECONF_CAL_STATUS_RX_EN},
	{CRU_PON_TX_PLL, .write = write_tx_pll},
	{CRU_PON_PLL_STATUS, {{5, 4}}, RO}, /* PLL status to phase history */
	BAR2_END,
};
