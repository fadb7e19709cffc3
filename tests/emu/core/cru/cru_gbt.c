// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * GBT wrappers and links: status, clocks, errors, sticky bits.
 *
 * Wrapper 0 has 4 banks of 6 links; wrapper 1 is absent, so its clock stands still. A link is up
 * when its reference clock runs, it was calibrated for that clock, it is not in reset, and there is
 * light from a far end that works, or internal loopback.
 */
#include "cru.h"

#define STATUS_UP (CRU_GBT_RX_LOCKED | CRU_GBT_DATA_UP | CRU_GBT_PHY_UP)
#define STICKY (CRU_GBT_PHY_WAS_DOWN | CRU_GBT_DATA_WAS_DOWN)
#define MISMATCH_RATE 1000000 /* errors per second if the modes of both ends differ */

#define LOOKUPS 5
#define CDR_LOOKUP 0x10 /* invented contents that differ from each other */
#define FPLL_LOOKUP_A 0x20
#define FPLL_LOOKUP_B 0x30

static uint32_t *link_word(struct cru *c, unsigned int e, unsigned int l, uint32_t off)
{
	return cru_bar2_word(c, CRU_GBT(e, l) + off);
}

static bool far_end_works(struct cru *c, const struct cru_gbt *g, unsigned int e, unsigned int l)
{
	if (*link_word(c, e, l, CRU_GBT_SOURCE) & CRU_GBT_SOURCE_LOOPBACK)
		return true;
	return g->state != CRU_LINK_DOWN && g->power;
}

static bool calibrated(const struct cru *c, unsigned int e, unsigned int l)
{
	const struct cru_board *b = &c->board;

	return b->gbt[e][l].tx_epoch == b->epoch && b->gbt[e][l].rx_epoch == b->epoch &&
	       b->bank_epoch[2 * e + l % 2] == b->epoch;
}

bool cru_gbt_calibrated(struct cru *c)
{
	unsigned int e, l;

	for (e = 0; e < CRU_ENDPOINTS; e++)
		for (l = 0; l < CRU_GBT_LINKS; l++)
			if (!calibrated(c, e, l))
				return false;
	return true;
}

static bool in_reset(struct cru *c)
{
	return *cru_bar2_word(c, CRU_USER_CONTROL) &
	       (CRU_USER_CONTROL_GBT_TX_RESET | CRU_USER_CONTROL_GBT_RX_RESET);
}

static void show(struct cru *c, struct cru_gbt *g, unsigned int e, unsigned int l, uint32_t clock)
{
	uint32_t *status = link_word(c, e, l, CRU_GBT_STATUS);
	bool up = clock && calibrated(c, e, l) && !in_reset(c) && far_end_works(c, g, e, l);
	uint32_t now = (clock ? CRU_GBT_PLL_LOCKED : 0) | (up ? STATUS_UP : 0);

	if (g->known && now == g->status && clock == g->clock)
		return;
	*status = now | (*status & STICKY) | (up ? 0 : STICKY);
	*link_word(c, e, l, CRU_GBT_TX_CLOCK) = clock;
	*link_word(c, e, l, CRU_GBT_RX_CLOCK) = up ? clock : 0;
	if (g->up && !up) {
		++*link_word(c, e, l, CRU_GBT_GLITCHES);
		/* A packet that was being received loses its end. */
		if (cru_datapath_taking(c, e, l))
			++*cru_bar2_word(c, CRU_DATAPATH_LINK(e, l) + CRU_DPL_FORCED);
	}
	g->known = true;
	g->status = now;
	g->clock = clock;
	g->up = up;
	c->ep[e].links_down = (c->ep[e].links_down & ~(1u << l)) | (up ? 0 : 1u << l);
}

static void set_rates(struct cru *c, struct cru_gbt *g, unsigned int e, unsigned int l)
{
	uint32_t rx = *link_word(c, e, l, CRU_GBT_RX_CONTROL) & CRU_GBT_WIDE_BUS;
	uint32_t tx = *link_word(c, e, l, CRU_GBT_TX_CONTROL) & CRU_GBT_WIDE_BUS;
	uint32_t generator = *link_word(c, e, l, CRU_GBT_SOURCE) & CRU_GBT_SOURCE_GENERATOR;
	bool bad = g->up && g->state == CRU_LINK_BAD;
	uint64_t errors = bad ? g->error_rate * 1000ull : 0;
	bool dropping = *cru_bar2_word(c, CRU_DATAPATH(e) + CRU_DATAPATH_DROP_BAD_RDH);
	bool taking = cru_datapath_taking(c, e, l);
	uint64_t now = cru_now(c), data = 0;

	if (g->up && generator == CRU_GBT_SOURCE_GENERATOR)
		data = rx == tx ? errors : MISMATCH_RATE * 1000ull;
	/* The wide bus has more payload and no error correction. */
	cru_meter_rate(&g->fec, now, bad && !rx ? g->fec_rate * 1000ull : 0);
	cru_meter_rate(&g->data, now, data);
	cru_meter_rate(&g->protocol, now, taking ? errors : 0);
	cru_meter_rate(&g->bad_rdh, now, taking && dropping ? errors : 0);
}

void cru_gbt_update(struct cru *c)
{
	uint32_t clock = cru_clock_selected(c);
	unsigned int e, l;

	for (e = 0; e < CRU_ENDPOINTS; e++) {
		for (l = 0; l < CRU_GBT_LINKS; l++) {
			struct cru_gbt *g = &c->board.gbt[e][l];

			show(c, g, e, l, clock);
			set_rates(c, g, e, l);
		}
	}
}

/* The link that a register belongs to. */
static struct cru_gbt *link_of(struct cru *c, uint32_t off, uint32_t *reg)
{
	uint32_t in = off - CRU_GBT_BANK(0, 0);
	unsigned int bank = in / 0x20000, k = in % 0x20000 / 0x2000 - 1;

	*reg = in % 0x2000;
	return &c->board.gbt[bank / 2][2 * k + bank % 2];
}

static uint32_t read_fec(struct cru *c, uint32_t off, bool peek)
{
	uint32_t reg;
	struct cru_gbt *g = link_of(c, off, &reg);

	cru_bar2_add(c, off, CRU_GBT_FEC_ERRORS_MASK, cru_meter_take(&g->fec, cru_now(c)));
	return *cru_bar2_word(c, off);
}

static uint32_t read_data_errors(struct cru *c, uint32_t off, bool peek)
{
	uint32_t reg;
	struct cru_gbt *g = link_of(c, off, &reg);

	cru_bar2_add(c, off, UINT32_MAX, cru_meter_take(&g->data, cru_now(c)));
	return *cru_bar2_word(c, off);
}

/* Received frames change at every read while the link is up. */
static uint32_t read_frame(struct cru *c, uint32_t off, bool peek)
{
	uint32_t reg;
	struct cru_gbt *g = link_of(c, off, &reg);

	if (!peek && g->up)
		*cru_bar2_word(c, off) += 0x9e3779b1;
	return *cru_bar2_word(c, off);
}

static void write_source(struct cru *c, uint32_t off, uint32_t value)
{
	uint32_t *word = cru_bar2_word(c, off), link = off - CRU_GBT_SOURCE;
	bool clear = value & ~*word & CRU_GBT_SOURCE_CLEAR;

	*word = value;
	c->board.changed = true;
	if (clear) {
		read_fec(c, link + CRU_GBT_FEC_ERRORS, false);
		read_data_errors(c, link + CRU_GBT_DATA_ERRORS, false);
		*cru_bar2_word(c, link + CRU_GBT_FEC_ERRORS) = 0;
		*cru_bar2_word(c, link + CRU_GBT_DATA_ERRORS) = 0;
	}
}

static void write_clear_sticky(struct cru *c, uint32_t off, uint32_t value)
{
	uint32_t reg;
	struct cru_gbt *g = link_of(c, off, &reg);

	if (!value && g->up)
		*cru_bar2_word(c, off - reg + CRU_GBT_STATUS) &= ~STICKY;
}

static uint32_t read_running(struct cru *c, uint32_t off, bool peek)
{
	if (!peek && cru_clock_selected(c))
		c->clock += 997;
	return c->clock;
}

static uint32_t reconf(struct cru *c, uint32_t space, uint32_t reg)
{
	return *cru_bar2_word(c, space + CRU_RECONF(reg));
}

/* A requested calibration begins when the arbitration is returned, and completes at once. */
static bool arbitration_returned(struct cru *c, uint32_t off, uint32_t value)
{
	uint32_t before = *cru_bar2_word(c, off);

	*cru_bar2_word(c, off) = value;
	return before == CRU_RECONF_ARBITRATION_REQUEST && value == CRU_RECONF_ARBITRATION_RELEASE;
}

static void write_link_arbitration(struct cru *c, uint32_t off, uint32_t value)
{
	uint32_t reg, requested = reconf(c, off, CRU_RECONF_CALIBRATE);
	uint32_t status = reconf(c, off, CRU_RECONF_CAL_STATUS);
	struct cru_gbt *g = link_of(c, off, &reg);

	if (!arbitration_returned(c, off, value))
		return;
	if (requested & CRU_RECONF_CALIBRATE_TX && !(status & CRU_RECONF_CAL_STATUS_TX_EN))
		g->tx_epoch = c->board.epoch;
	if (requested & CRU_RECONF_CALIBRATE_RX && !(status & CRU_RECONF_CAL_STATUS_RX_EN) &&
	    reconf(c, off, CRU_RECONF_CDR_REF) == reconf(c, off, CRU_RECONF_CDR_LOOKUP + 2))
		g->rx_epoch = c->board.epoch;
	c->board.changed = true;
}

static void write_bank_arbitration(struct cru *c, uint32_t off, uint32_t value)
{
	unsigned int bank = (off - CRU_GBT_BANK(0, 0)) / 0x20000;

	if (!arbitration_returned(c, off, value))
		return;
	if (reconf(c, off, CRU_RECONF_CALIBRATE) & CRU_RECONF_CALIBRATE_FPLL &&
	    reconf(c, off, CRU_RECONF_FPLL_REF_A) == reconf(c, off, CRU_RECONF_FPLL_LOOKUP_A + 2) &&
	    reconf(c, off, CRU_RECONF_FPLL_REF_B) == reconf(c, off, CRU_RECONF_FPLL_LOOKUP_B + 2))
		c->board.bank_epoch[bank] = c->board.epoch;
	c->board.changed = true;
}

void cru_gbt_power_on(struct cru *c)
{
	unsigned int e, l, b, r;

	for (e = 0; e < CRU_ENDPOINTS; e++) {
		for (l = 0; l < CRU_GBT_LINKS; l++) {
			struct cru_gbt *g = &c->board.gbt[e][l];

			g->power = 5000;
			g->fec_rate = 100;
			g->error_rate = 10;
			for (r = 0; r < LOOKUPS; r++)
				*link_word(c, e, l,
					   CRU_GBT_TRANSCEIVER + CRU_RECONF(CRU_RECONF_CDR_LOOKUP +
									    r)) = CDR_LOOKUP + r;
		}
	}
	for (b = 0; b < CRU_BANKS; b++) {
		uint32_t fpll = CRU_GBT_BANK(0, b) + CRU_GBT_BANK_FPLL;

		for (r = 0; r < LOOKUPS; r++) {
			*cru_bar2_word(c, fpll + CRU_RECONF(CRU_RECONF_FPLL_LOOKUP_A + r)) =
				FPLL_LOOKUP_A + r;
			*cru_bar2_word(c, fpll + CRU_RECONF(CRU_RECONF_FPLL_LOOKUP_B + r)) =
				FPLL_LOOKUP_B + r;
		}
	}
}

#define EVERY_LINK                                                                                 \
	{CRU_BANKS, 0x20000},                                                                      \
	{                                                                                          \
		CRU_GBT_BANK_LINKS, 0x2000                                                         \
	}
#define LINK CRU_GBT_LINK(0, 0, 0)

const struct bar2_reg cru_gbt_regs[] = {
	{CRU_WRAPPER(0) + CRU_WRAPPER_CONFIG0, .power_on = 0x00066660, RO},
	{CRU_WRAPPER(0) + CRU_WRAPPER_CONFIG1, .power_on = 0x18b69a00, RO},
	{CRU_WRAPPER(0) + CRU_WRAPPER_CLOCK, RO, .read = read_running},
	{CRU_WRAPPER(0) + CRU_WRAPPER_REFCLK(0), {{4, 4}}, CRU_HZ_240, RO},
	{CRU_WRAPPER(1) + CRU_WRAPPER_CONFIG0, {{2, 4}}, RO},
	{CRU_WRAPPER(1) + CRU_WRAPPER_CLOCK, RO},
	{LINK + CRU_GBT_STATUS, {EVERY_LINK, {3, 4}}, 0, RO}, /* status, both clocks */
	{LINK + CRU_GBT_FRAME, {EVERY_LINK}, 0, RO, .read = read_frame},
	{LINK + CRU_GBT_DATA_ERRORS, {EVERY_LINK}, 0, RO, .read = read_data_errors},
	{LINK + CRU_GBT_FEC_ERRORS, {EVERY_LINK}, 0, RO, .read = read_fec},
	{LINK + CRU_GBT_GLITCHES, {EVERY_LINK}, 0, RO},
	{LINK + CRU_GBT_TX_CONTROL, {EVERY_LINK}, .write = cru_write_and_update},
	{LINK + CRU_GBT_RX_CONTROL, {EVERY_LINK}, .write = cru_write_and_update},
	{LINK + CRU_GBT_SOURCE, {EVERY_LINK}, .write = write_source},
	{LINK + CRU_GBT_TRANSCEIVER + CRU_RECONF(CRU_RECONF_ARBITRATION),
	 {EVERY_LINK},
	 .write = write_link_arbitration},
	{LINK + CRU_GBT_TRANSCEIVER + CRU_RECONF(CRU_RECONF_CAL_STATUS),
	 {EVERY_LINK},
	 .power_on = CRU_RECONF_CAL_STATUS_TX_EN | CRU_RECONF_CAL_STATUS_RX_EN},
	{CRU_GBT_BANK(0, 0) + CRU_GBT_BANK_FPLL + CRU_RECONF(CRU_RECONF_ARBITRATION),
	 {{CRU_BANKS, 0x20000}},
	 .write = write_bank_arbitration},
	{LINK + CRU_GBT_CLEAR_STICKY, {EVERY_LINK}, .write = write_clear_sticky},
	BAR2_END,
};
