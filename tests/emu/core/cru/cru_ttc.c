// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Triggers: the counters of the local trigger unit, the choice of their source, and the CTP
 * emulator as one of the two sources. The other, the PON, is settings.
 *
 * Counters run while run enable is set and, for the PON, while the ONU is operational.
 */
#include "cru.h"

#define BC_CLOCKS 6 /* of the 240 MHz clock in a bunch crossing */

static uint32_t word(struct cru *c, uint32_t off)
{
	return *cru_bar2_word(c, off);
}

static bool run_enabled(struct cru *c)
{
	return word(c, CRU_USER_CONTROL) & CRU_USER_CONTROL_RUN;
}

static bool local_source(struct cru *c)
{
	return (word(c, CRU_TTC_DATA) & CRU_TTC_DATA_CLOCK) == CRU_TTC_DATA_CLOCK_LOCAL;
}

static bool pon_running(struct cru *c)
{
	return c->board.ttc_run && word(c, CRU_ONU_STATUS) & CRU_ONU_OPERATIONAL;
}

/* Events per 1000 s of a divider of the bunch-crossing clock. */
static uint64_t divided(struct cru *c, uint64_t bc, uint32_t off, uint32_t off_value)
{
	uint32_t div = word(c, off) & CRU_CTP_DIV_MASK;

	return div > off_value ? bc / div : 0;
}

static unsigned int fixed_crossings(struct cru *c)
{
	unsigned int i, n = 0;

	/* A crossing beyond the last of an orbit never occurs. */
	for (i = 0; i < CRU_CTP_FIXED_BCS; i++)
		n += c->board.fixed[i] && c->board.fixed[i] <= word(c, CRU_CTP_BCMAX);
	return n;
}

static void rates(struct cru *c, bool local, uint64_t *hb, uint64_t *phy, uint64_t *cal,
		  uint64_t *tof)
{
	uint64_t bc = (uint64_t)cru_clock_selected(c) * 1000 / BC_CLOCKS;
	uint32_t mode = word(c, CRU_CTP_RUN_MODE) & CRU_CTP_MODE;
	const struct cru_ttc_rates *r = &c->board.ttc;

	if (!local) {
		*hb = r->hb * 1000ull;
		*phy = r->phy * 1000ull;
		*cal = r->cal * 1000ull;
		*tof = r->tof * 1000ull;
		return;
	}
	*hb = bc / ((uint64_t)word(c, CRU_CTP_BCMAX) + 1);
	if (mode == CRU_CTP_MANUAL)
		return;
	*phy = divided(c, bc, CRU_CTP_PHYSDIV, CRU_CTP_PHYSDIV_OFF) + fixed_crossings(c) * *hb;
	*cal = divided(c, bc, CRU_CTP_CALDIV, CRU_CTP_CALDIV_OFF);
}

/* SOX and EOX are counted only if this source is selected when it starts or stops. */
static void note_start_and_end(struct cru *c, bool local, bool running)
{
	struct cru_board *b = &c->board;
	bool reset = local && word(c, CRU_CTP_CONTROL) & CRU_CTP_CONTROL_RESET;

	if (local == b->local_was && running != b->running_was && run_enabled(c)) {
		if (running)
			cru_bar2_add(c, CRU_TTC_SOX_EOX, CRU_TTC_SOX, 1);
		else if (!reset)
			cru_bar2_add(c, CRU_TTC_SOX_EOX, CRU_TTC_EOX, 1);
	}
	b->local_was = local;
	b->running_was = running;
}

void cru_ttc_update(struct cru *c)
{
	struct cru_board *b = &c->board;
	bool local = local_source(c);
	bool running = local ? cru_ctp_running(c) : pon_running(c);
	uint64_t now = cru_now(c), hb = 0, phy = 0, cal = 0, tof = 0;

	note_start_and_end(c, local, running);
	if (running && run_enabled(c))
		rates(c, local, &hb, &phy, &cal, &tof);
	cru_meter_rate(&b->hb, now, hb);
	cru_meter_rate(&b->phy, now, phy);
	cru_meter_rate(&b->cal, now, cal);
	cru_meter_rate(&b->tof, now, tof);
}

static uint32_t read_hb(struct cru *c, uint32_t off, bool peek)
{
	cru_bar2_add(c, off, UINT32_MAX, cru_meter_take(&c->board.hb, cru_now(c)));
	return word(c, off);
}

static uint32_t read_phy(struct cru *c, uint32_t off, bool peek)
{
	cru_bar2_add(c, off, UINT32_MAX, cru_meter_take(&c->board.phy, cru_now(c)));
	return word(c, off);
}

static uint32_t read_tof_cal(struct cru *c, uint32_t off, bool peek)
{
	uint64_t now = cru_now(c);

	cru_bar2_add(c, off, CRU_TTC_TOF, cru_meter_take(&c->board.tof, now));
	cru_bar2_add(c, off, ~(uint32_t)CRU_TTC_TOF, cru_meter_take(&c->board.cal, now));
	return word(c, off);
}

static void write_data(struct cru *c, uint32_t off, uint32_t value)
{
	bool clear = value & ~word(c, off) & CRU_TTC_DATA_CLEAR_STICKY;

	*cru_bar2_word(c, off) = value;
	if (clear)
		*cru_bar2_word(c, CRU_ONU_STICKY) = ~word(c, CRU_ONU_STATUS) & CRU_ONU_STICKY_MASK;
	c->board.changed = true;
}

static void ctp_changed(struct cru *c)
{
	cru_ddg_gate_changed(c);
	c->board.changed = true;
}

static void write_ctp_control(struct cru *c, uint32_t off, uint32_t value)
{
	if (value & CRU_CTP_CONTROL_RESET)
		c->board.fixed_at = 0;
	*cru_bar2_word(c, off) = value;
	ctp_changed(c);
}

static void write_run_mode(struct cru *c, uint32_t off, uint32_t value)
{
	bool pulse = value & ~word(c, off) & CRU_CTP_TRIGGER;

	*cru_bar2_word(c, off) = value;
	ctp_changed(c);
	if (pulse && (value & CRU_CTP_MODE) == CRU_CTP_MANUAL && cru_ctp_running(c) &&
	    local_source(c) && run_enabled(c))
		cru_bar2_add(c, CRU_TTC_PHY, UINT32_MAX, 1);
}

/* Successive writes to one address fill successive slots. */
static void write_fixed(struct cru *c, uint32_t off, uint32_t value)
{
	struct cru_board *b = &c->board;

	b->fixed[b->fixed_at] = value;
	b->fixed_at = (b->fixed_at + 1) % CRU_CTP_FIXED_BCS;
	*cru_bar2_word(c, off) = value;
	ctp_changed(c);
}

const struct bar2_reg cru_ttc_regs[] = {
	{CRU_TTC_DATA, .write = write_data},
	{CRU_TTC_HB, RO, .read = read_hb},
	{CRU_TTC_PHY, RO, .read = read_phy},
	{CRU_TTC_SOX_EOX, RO},
	{CRU_TTC_OK, RO},
	{CRU_TTC_TOF_CAL, RO, .read = read_tof_cal},
	{CRU_CTP_CONTROL, .write = write_ctp_control},
	{CRU_CTP_BCMAX, .power_on = CRU_CTP_BCMAX_LAST, .write = cru_write_and_update},
	{CRU_CTP_RUN_MODE, .power_on = CRU_CTP_IDLE, .write = write_run_mode},
	{CRU_CTP_PHYSDIV, .write = cru_write_and_update},
	{CRU_CTP_CALDIV, .write = cru_write_and_update},
	{CRU_CTP_FIXED_BC, .write = write_fixed},
	BAR2_END,
};
