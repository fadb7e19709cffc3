// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of a card of units. BAR 0, which belongs to the driver: blocks of the units, doorbell
 * pages, block of the function. BAR 2, the open one: block of the card, and further registers of
 * the card. See unit.h.
 */
#include "unit.h"

/* The unit of this block or page; NULL: none. *off becomes the offset in it. */
static struct unit *in_block(const struct unit_card *c, uint32_t *off)
{
	uint32_t at = *off - c->ops->at.block, size = c->ops->at.block_size;

	if (at >= c->ops->count * size)
		return NULL;
	*off = at % size;
	return unit_of(c, at / size);
}

static struct unit *in_doorbell(const struct unit_card *c, uint32_t *off)
{
	uint32_t at = *off - c->ops->at.doorbell;

	if (at >= c->ops->count * STREAM_DOORBELL_SIZE)
		return NULL;
	*off = at % STREAM_DOORBELL_SIZE;
	return unit_of(c, at / STREAM_DOORBELL_SIZE);
}

/* The value of a register that is only stored, NULL for any other register. */
static uint32_t *kept(struct unit *u, uint32_t off, uint32_t *mask)
{
	const struct unit_register *r;

	for (r = u->card->ops->regs; r->mask; r++) {
		if (r->off == off) {
			*mask = r->mask;
			return (uint32_t *)((char *)u + r->at);
		}
	}
	return NULL;
}

static uint32_t read_unit(struct unit *u, uint32_t off)
{
	uint32_t mask, *value = kept(u, off, &mask);

	if (value)
		return *value;
	switch (off) {
	case STREAM_ID:
		return u->card->ops->id << 16 | STREAM_VSEC_REVISION << 8 | u->nr;
	case BLOCK_CONTROL:
		return u->enabled || u->loading ? BLOCK_CONTROL_ENABLE : 0;
	case BLOCK_STATUS:
		return unit_status(u);
	case BLOCK_GENERATION:
		return u->generation;
	}
	return u->card->ops->read(u, off);
}

static void control(struct unit *u, uint32_t value)
{
	if (!(value & BLOCK_CONTROL_ENABLE)) {
		if (u->enabled || u->loading)
			unit_disable(u);
		return;
	}
	if (!u->enabled)
		unit_enable(u);
	else if (u->card->ops->control)
		u->card->ops->control(u, value);
}

static void reset(struct unit *u, uint32_t levels)
{
	if (levels & ~u->card->ops->function.levels)
		unit_host_error(u);
	else
		unit_reset(u, levels);
}

/* Returns false if @off is not half of an address. */
static bool write_address(struct unit *u, uint32_t off, uint32_t value)
{
	const uint32_t *low = u->card->ops->address;
	unsigned int i;

	for (i = 0; i < UNIT_ADDRESSES && low[i]; i++) {
		if ((off & ~4u) == low[i]) {
			register_set_half(&u->address[i], off, value);
			u->written |= 1u << (2 * i + !!(off & 4));
			return true;
		}
	}
	return false;
}

static void write_unit(struct unit *u, uint32_t off, uint32_t value)
{
	uint32_t mask, *keep = kept(u, off, &mask);

	if (keep)
		*keep = value & mask;
	else if (off == BLOCK_CONTROL)
		control(u, value);
	else if (off == BLOCK_RESET)
		reset(u, value);
	else if (!write_address(u, off, value))
		u->card->ops->write(u, off, value);
}

static uint32_t read_dma(struct unit_card *c, uint32_t off)
{
	struct unit *u;

	if (off - c->ops->at.function < FUNCTION_SIZE)
		return function_block_read(&c->function, off - c->ops->at.function);
	u = in_block(c, &off);
	if (u)
		return read_unit(u, off);
	u = in_doorbell(c, &off);
	return u ? c->ops->doorbell_read(u, off) : 0;
}

static void write_dma(struct unit_card *c, uint32_t off, uint32_t value)
{
	struct unit *u;

	if (off - c->ops->at.function < FUNCTION_SIZE) {
		function_block_write(&c->function, off - c->ops->at.function, value);
		return;
	}
	u = in_block(c, &off);
	if (u) {
		write_unit(u, off, value);
		return;
	}
	u = in_doorbell(c, &off);
	if (u)
		c->ops->doorbell_write(u, off, value);
}

/* The block of the card begins BAR 2. ENABLE in it belongs to the card model. */
static bool of_identity(uint32_t off)
{
	return off < CARD_SIZE && off != STREAM_CARD_ENABLE;
}

uint32_t unit_card_peek(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	struct unit_card *c = card;

	if (bar == UNIT_BAR_DMA)
		return read_dma(c, off);
	if (of_identity(off))
		return identity_read(&c->identity, off, c->host->now(c->host->ctx));
	return c->ops->open_read(c, off);
}

uint32_t unit_card_read(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	struct unit_card *c = card;
	uint32_t at = off;
	struct unit *u = bar == UNIT_BAR_DMA && c->ops->before_read ? in_block(c, &at) : NULL;

	if (u)
		c->ops->before_read(u, at);
	return unit_card_peek(card, fn, bar, off);
}

void unit_card_write(void *card, unsigned int fn, unsigned int bar, uint32_t off, uint32_t value)
{
	struct unit_card *c = card;

	if (bar == UNIT_BAR_DMA)
		write_dma(c, off, value);
	else if (of_identity(off))
		identity_write(&c->identity, off, value);
	else
		c->ops->open_write(c, off, value);
}

/* A register that is only stored does not wake the engine. */
bool unit_card_wakes_engine(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	struct unit_card *c = card;
	struct unit *u;

	if (bar != UNIT_BAR_DMA)
		return true;
	u = in_block(c, &off);
	if (u)
		return off < c->ops->address[0] || off > c->ops->last_kept;
	u = in_doorbell(c, &off);
	return !u || u->host_error || c->ops->doorbell_wakes_engine(u, off);
}

bool unit_card_poke(void *card, unsigned int fn, unsigned int bar, uint32_t off, uint32_t value)
{
	struct unit_card *c = card;

	if (bar == UNIT_BAR_DMA)
		return false;
	if (of_identity(off))
		return identity_poke(&c->identity, off, value);
	return c->ops->open_poke(c, off, value);
}
