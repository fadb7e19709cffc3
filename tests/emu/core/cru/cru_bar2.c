// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BAR2: the register space that both endpoints share.
 *
 * Registers are plain storage that is 0 at power-on, except those in the blocks' tables, which have
 * power-on values, are read-only or have an action. Blocks without a file of their own are here.
 */
#include "cru.h"

#include <string.h>

static uint32_t *word(struct cru *c, uint32_t off)
{
	return cru_bar2_word(c, off);
}

/* Update clocks first: links and ONU depend on the clocks, and the triggers on the ONU. */
void cru_board_update(struct cru *c)
{
	c->board.changed = false;
	cru_onu_update(c);
	cru_gbt_update(c);
	cru_ttc_update(c);
}

static uint32_t read_spare(struct cru *c, uint32_t off, bool peek)
{
	if (!peek)
		++*word(c, off);
	return *word(c, off);
}

static void write_user_control(struct cru *c, uint32_t off, uint32_t value)
{
	bool start = value & ~*word(c, off) & CRU_USER_CONTROL_RUN;

	*word(c, off) = value;
	if (start) {
		cru_datapath_start(c);
		cru_pattern_start(c);
	}
	cru_ddg_gate_changed(c);
	c->board.changed = true;
}

static const struct bar2_reg bsp[] = {
	{CRU_FW_DIRTY, .power_on = 0, RO},
	{CRU_FW_HASH, .power_on = 0xf6b5d742, RO},
	{CRU_FW_DATE, .power_on = 0x20241015, RO},
	{CRU_FW_TIME, .power_on = 0x00120000, RO},
	{CRU_BOARD_TYPE, .power_on = 0x00763232, RO},
	{CRU_USER_CONTROL, .write = write_user_control},
	{CRU_GPIO_IN, RO},
	{CRU_TEMPERATURE, .power_on = 458, .read = cru_read_temperature, RO},
	{CRU_CHIP_ID_HIGH, .power_on = 0x00540186, RO},
	{CRU_CHIP_ID_LOW, .power_on = 0x28b0c45a, RO},
	{CRU_SPARE_IN, RO, .read = read_spare},
	{CRU_SUPPLY(0), {{CRU_SUPPLIES, 4}}, 0x800, RO},
	{CRU_SERIAL, RO, .read = cru_serial_read},
	BAR2_END,
};

static const struct bar2_reg *const blocks[] = {
	bsp,	      cru_gbt_regs,    cru_datapath_regs, cru_ttc_regs,
	cru_onu_regs, cru_player_regs, cru_i2c_regs,
};

#define BLOCKS (sizeof(blocks) / sizeof(blocks[0]))

static bool matches(const struct bar2_reg *r, uint32_t off)
{
	unsigned int d;

	if (off < r->first)
		return false;
	off -= r->first;
	for (d = 0; d < CRU_DIMENSIONS && r->dim[d].count; d++) {
		if (off / r->dim[d].stride >= r->dim[d].count)
			return false;
		off %= r->dim[d].stride;
	}
	return !off;
}

/* A register may be in two entries of a block; the first one applies. */
static const struct bar2_reg *find(uint32_t off)
{
	const struct bar2_reg *r;
	size_t n;

	for (n = 0; n < BLOCKS; n++) {
		for (r = blocks[n]; r->first != UINT32_MAX; r++) {
			if (matches(r, off))
				return r;
		}
	}
	return NULL;
}

uint32_t cru_bar2_read(struct cru *c, uint32_t off, bool peek)
{
	const struct bar2_reg *r = find(off);

	return r && r->read ? r->read(c, off, peek) : *word(c, off);
}

void cru_bar2_write(struct cru *c, uint32_t off, uint32_t value)
{
	const struct bar2_reg *r = find(off);

	if (r && r->write)
		r->write(c, off, value);
	else if (!r || !r->read_only)
		*word(c, off) = value;
	if (c->board.changed)
		cru_board_update(c);
}

static void power_on(struct cru *c, const struct bar2_reg *r, unsigned int d, uint32_t off)
{
	uint32_t i;

	if (d == CRU_DIMENSIONS || !r->dim[d].count) {
		*word(c, off) = r->power_on;
		return;
	}
	for (i = 0; i < r->dim[d].count; i++)
		power_on(c, r, d + 1, off + i * r->dim[d].stride);
}

void cru_bar2_power_on(struct cru *c)
{
	const struct bar2_reg *r;
	size_t n;

	memset(c->bar2, 0, CRU_BAR_CARD_SIZE);
	memset(&c->board, 0, sizeof(c->board));
	for (n = 0; n < BLOCKS; n++) {
		for (r = blocks[n]; r->first != UINT32_MAX; r++)
			power_on(c, r, 0, r->first);
	}
	c->serial_due = 0;
	cru_i2c_power_on(c);
	cru_gbt_power_on(c);
	cru_onu_power_on(c);
	cru_board_update(c);
}
