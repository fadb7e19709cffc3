// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The registers of the C-RORC: six BARs with the channel's own registers, and those of the card.
 */
#include "crorc.h"

#define MS 1000000ull
#define US 1000ull
#define CONFIG_A_BITS (CRORC_CONFIG_A_DYNAMIC | CRORC_CONFIG_A_ID)
#define CONFIG_B_BITS (CRORC_CONFIG_B_LENGTH | CRORC_CONFIG_B_DETECT)
#define OPCODE 0xff000000u

static uint32_t serial(struct crorc *c, bool peek)
{
	if (c->fault[CRORC_NO_SERIAL])
		return 0;
	if (!c->fault[CRORC_DROP_SERIAL])
		return c->serial;
	if (!c->serial_due || crorc_now(c) < c->serial_due)
		return 0;
	if (!peek) {
		c->fault[CRORC_DROP_SERIAL] = 0;
		c->serial_due = 0;
	}
	return c->serial;
}

static uint32_t channel_csr(struct crorc_channel *ch, bool peek)
{
	uint32_t value = 0, flap = crorc_fault_on(ch, CRORC_LINK_FLAP);
	bool down = !crorc_link_up(ch);

	if (!peek && flap && ++ch->csr_reads % flap == 0)
		down = true;
	if (ch->dma_on)
		value |= CRORC_CHAN_CSR_DMA;
	if (ch->loopback)
		value |= CRORC_CHAN_CSR_LOOPBACK;
	if (down)
		value |= CRORC_CHAN_CSR_LINK_DOWN;
	if (crorc_fault_on(ch, CRORC_DDL_STUCK) && ch->ddl.stuck)
		value |= CRORC_CHAN_CSR_DDL_BUSY;
	if (crorc_ddl_waiting(ch, crorc_now(ch->card)))
		value |= CRORC_CHAN_CSR_DDL_STATUS;
	return value;
}

static void write_csr(struct crorc_channel *ch, uint32_t value)
{
	if (value & CRORC_CHAN_CSR_DMA) {
		if (ch->dma_on)
			crorc_channel_dma_off(ch);
		else
			ch->dma_on = true;
	}
	if (value & CRORC_CHAN_CSR_LOOPBACK)
		ch->loopback = !ch->loopback;
}

static uint32_t power(const struct crorc *c, unsigned int link)
{
	return c->ch[link].set.power | c->ch[link + 1].set.power << 16;
}

/* The lower of the two links whose optical power this register shows; -1: it shows none. */
static int power_link(uint32_t off)
{
	int link;

	for (link = 0; link < CRORC_CHANNELS; link += 2) {
		if (off == (uint32_t)CRORC_OPTICAL_POWER(link))
			return link;
	}
	return -1;
}

/* Registers that exist only in BAR 0. */
static uint32_t read_card(struct crorc *c, uint32_t off)
{
	int link = power_link(off);

	if (link >= 0)
		return power(c, link);
	switch (off) {
	case CRORC_LINK_STATUS:
		return c->laser ? CRORC_LINK_STATUS_LASER : 0;
	case CRORC_FLASH_DATA:
		return c->flash.data;
	case CRORC_FLASH_READY:
		return !c->fault[CRORC_FLASH_NOT_READY];
	}
	return 0;
}

uint32_t crorc_read(struct crorc *c, unsigned int bar, uint32_t off, bool peek)
{
	struct crorc_channel *ch = &c->ch[bar];
	uint32_t value;

	if (!peek)
		ch->unread_ns = 0;
	if (crorc_events_read(c, bar, off, &value))
		return value;
	switch (off) {
	case CRORC_CHAN_CSR:
		return channel_csr(ch, peek);
	case CRORC_DDL_STATUS:
		return crorc_ddl_status(ch, crorc_now(c), peek);
	case CRORC_GENERATOR:
		return ch->generator;
	case CRORC_SP_SIZE:
		return ch->sp_size << CRORC_SP_SIZE_SHIFT | ch->pushed;
	case CRORC_SP_LOW:
		return ch->sp_low;
	case CRORC_SP_HIGH:
		return ch->sp_high;
	case CRORC_DONE_LOW:
		return ch->done_low;
	case CRORC_DONE_HIGH:
		return ch->done_high;
	case CRORC_RATE:
		return crorc_source_rate(ch);
	case CRORC_PACKETS:
		return ch->packets;
	case CRORC_ORBIT_SOR:
		return ch->orbit_sor;
	case CRORC_SERIAL:
		return serial(c, peek);
	case CRORC_FW_HASH:
		return c->firmware;
	case CRORC_CONFIG_A:
		return c->config_a;
	case CRORC_CONFIG_B:
		return c->config_b;
	}
	return bar == CRORC_BAR_CARD ? read_card(c, off) : 0;
}

static void write_flash(struct crorc *c, unsigned int bar, uint32_t value)
{
	/* Every BAR shows the serial number; only BAR 0 has the flash. */
	if ((value & OPCODE) == CRORC_SERIAL_LOAD)
		c->serial_due = crorc_now(c) + CRORC_SERIAL_LOAD_MS * MS;
	else if (bar == CRORC_BAR_CARD)
		crorc_flash_command(c, value);
}

static void write_config_b(struct crorc_channel *ch, uint32_t value)
{
	ch->card->config_b = value & CONFIG_B_BITS;
	if (value & CRORC_CONFIG_B_FLUSH)
		crorc_channel_flush(ch);
}

/* Faults write-race and lost-write: writes that do not reach the card. */
static bool lost(struct crorc *c, struct crorc_channel *ch, uint32_t off)
{
	uint64_t now = crorc_now(c), race = c->fault[CRORC_WRITE_RACE] * US;
	uint64_t every = (uint32_t)c->fault[CRORC_LOST_WRITE];
	uint32_t push = crorc_fault_on(ch, CRORC_LOST_PUSH);
	unsigned int i;

	for (i = 0; race && i < CRORC_CHANNELS; i++) {
		if (&c->ch[i] != ch && c->ch[i].unread_ns && now - c->ch[i].unread_ns < race)
			return true;
	}
	ch->unread_ns = now;
	if (every && off == c->fault[CRORC_LOST_WRITE] >> 32 && ++c->watched_writes % every == 0)
		return true;
	return off == CRORC_SP_SIZE && push && ++ch->size_writes % push == 0;
}

void crorc_write(struct crorc *c, unsigned int bar, uint32_t off, uint32_t value)
{
	struct crorc_channel *ch = &c->ch[bar];

	if (lost(c, ch, off)) {
		ch->n.writes_lost++;
		return;
	}
	if (crorc_events_write(c, bar, off, value))
		return;
	switch (off) {
	case CRORC_CARD_CSR:
		if (value & CRORC_CARD_CSR_RESET)
			crorc_channel_reset(ch);
		break;
	case CRORC_CHAN_CSR:
		write_csr(ch, value);
		break;
	case CRORC_DDL_COMMAND:
		crorc_ddl_command(ch, value);
		break;
	case CRORC_GENERATOR:
		ch->generator = value;
		break;
	case CRORC_SP_SIZE:
		crorc_channel_push(ch, value);
		break;
	case CRORC_SP_LOW:
		ch->sp_low = value;
		break;
	case CRORC_SP_HIGH:
		ch->sp_high = value;
		break;
	case CRORC_DONE_LOW:
		ch->done_low = value;
		break;
	case CRORC_DONE_HIGH:
		ch->done_high = value;
		break;
	case CRORC_I2C_COMMAND:
		if (bar == CRORC_BAR_CARD && value == CRORC_I2C_LASER_ON)
			c->laser = true;
		break;
	case CRORC_FLASH_COMMAND:
		write_flash(c, bar, value);
		break;
	case CRORC_CONFIG_A:
		c->config_a = value & CONFIG_A_BITS;
		break;
	case CRORC_CONFIG_B:
		write_config_b(ch, value);
		break;
	}
}

static bool poke_card(struct crorc *c, uint32_t off, uint32_t value)
{
	int link = power_link(off);

	if (link >= 0) {
		c->ch[link].set.power = value & 0xffff;
		c->ch[link + 1].set.power = value >> 16;
		return true;
	}
	switch (off) {
	case CRORC_LINK_STATUS:
		c->laser = value & CRORC_LINK_STATUS_LASER;
		return true;
	case CRORC_FLASH_DATA:
		c->flash.data = value;
		return true;
	}
	return false;
}

bool crorc_poke(struct crorc *c, unsigned int bar, uint32_t off, uint32_t value)
{
	struct crorc_channel *ch = &c->ch[bar];

	switch (off) {
	case CRORC_CHAN_CSR:
		ch->dma_on = value & CRORC_CHAN_CSR_DMA;
		ch->loopback = value & CRORC_CHAN_CSR_LOOPBACK;
		return true;
	case CRORC_GENERATOR:
		ch->generator = value;
		return true;
	case CRORC_SP_SIZE:
		ch->sp_size = value >> CRORC_SP_SIZE_SHIFT;
		ch->pushed = value & CRORC_SP_SIZE_COUNT;
		return true;
	case CRORC_SP_LOW:
		ch->sp_low = value;
		return true;
	case CRORC_SP_HIGH:
		ch->sp_high = value;
		return true;
	case CRORC_DONE_LOW:
		ch->done_low = value;
		return true;
	case CRORC_DONE_HIGH:
		ch->done_high = value;
		return true;
	case CRORC_PACKETS:
		ch->packets = value;
		return true;
	case CRORC_ORBIT_SOR:
		ch->orbit_sor = value;
		return true;
	case CRORC_SERIAL:
		c->serial = value;
		return true;
	case CRORC_FW_HASH:
		c->firmware = value;
		return true;
	case CRORC_CONFIG_A:
		c->config_a = value & CONFIG_A_BITS;
		return true;
	case CRORC_CONFIG_B:
		c->config_b = value & CONFIG_B_BITS;
		return true;
	}
	return bar == CRORC_BAR_CARD && poke_card(c, off, value);
}
