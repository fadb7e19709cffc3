// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BAR2: the register space that both endpoints share.
 *
 * Everything is plain storage that starts at 0 and reads back what was written, but for the
 * registers in the table: power-on values, read-only ones, and those that do something.
 */
#include "cru.h"

#include <string.h>

#define HZ_240 240474000
#define SERIAL_RELOAD_NS 20000000 /* within the 40 ms the software waits */

/* Wrapper 0 has 4 banks of 6 links, 24 in all; wrapper 1 is absent and its clock stands still. */
#define WRAPPER_BANKS 4
#define WRAPPER_BANK_LINKS 6
#define GBT_STATUS_UP 0x2d00 /* PLL lock, locked to data, data layer up, PHY up */
#define GBT_STATUS_STICKY 0xc000
#define GBT_CLEAR_STICKY 0x38

#define DIMENSIONS 3

struct bar2_reg {
	uint32_t first;
	struct {
		uint32_t count, stride;
	} dim[DIMENSIONS]; /* widest stride first; count 0: not used */
	uint32_t power_on;
	bool read_only;
	uint32_t (*read)(struct cru *c, uint32_t off, bool peek);
	void (*write)(struct cru *c, uint32_t off, uint32_t value); /* storage is the hook's job */
};

static uint32_t *word(struct cru *c, uint32_t off)
{
	return cru_bar2_word(c, off);
}

static uint32_t read_running(struct cru *c, uint32_t off, bool peek)
{
	if (!peek)
		c->clock += 997;
	return c->clock;
}

static uint32_t read_serial(struct cru *c, uint32_t off, bool peek)
{
	if (c->serial_due && cru_now(c) >= c->serial_due) {
		*word(c, off) = c->serial;
		c->serial_due = 0;
		c->ep[0].fault.drop_serial = 0;
		c->ep[1].fault.drop_serial = 0;
	}
	if (c->ep[0].fault.drop_serial || c->ep[1].fault.drop_serial)
		return 0;
	return *word(c, off);
}

static void write_serial_load(struct cru *c, uint32_t off, uint32_t value)
{
	*word(c, off) = value;
	if (value == CRU_SERIAL_LOAD_GO)
		c->serial_due = cru_now(c) + SERIAL_RELOAD_NS;
}

static void write_gate(struct cru *c, uint32_t off, uint32_t value)
{
	*word(c, off) = value;
	cru_ddg_gate_changed(c);
}

static void write_user_control(struct cru *c, uint32_t off, uint32_t value)
{
	bool start = value & ~*word(c, off) & CRU_USER_CONTROL_RUN;
	unsigned int e, l;

	*word(c, off) = value;
	if (start) {
		for (e = 0; e < CRU_ENDPOINTS; e++) {
			memset(word(c, CRU_DATAPATH(e) + 0x10), 0, 0x10); /* words, packets */
			for (l = 0; l < CRU_LINK_SLOTS; l++) {
				uint32_t link = CRU_DATAPATH_LINK(e, l);

				memset(word(c, link + CRU_DPL_REJECTED), 0,
				       CRU_DPL_ORBIT_SOR - CRU_DPL_REJECTED);
			}
			cru_ddg_restart(&c->ep[e]);
		}
	}
	cru_ddg_gate_changed(c);
}

static void write_clear_sticky(struct cru *c, uint32_t off, uint32_t value)
{
	if (!value)
		*word(c, off - GBT_CLEAR_STICKY + CRU_GBT_STATUS) &= ~GBT_STATUS_STICKY;
}

static struct cru_ep *datapath_ep(struct cru *c, uint32_t off)
{
	return &c->ep[off >= CRU_DATAPATH(1)];
}

static void roll_second(struct cru_ep *ep)
{
	uint64_t second = cru_now(ep->card) / 1000000000;

	if (second == ep->second)
		return;
	ep->rate_last = second == ep->second + 1 ? ep->rate_now : 0;
	ep->drop_last = second == ep->second + 1 ? ep->drop_now : 0;
	ep->rate_now = 0;
	ep->drop_now = 0;
	ep->second = second;
}

static uint32_t read_packet_rate(struct cru *c, uint32_t off, bool peek)
{
	struct cru_ep *ep = datapath_ep(c, off);

	roll_second(ep);
	return ep->rate_last;
}

static uint32_t read_drop_rate(struct cru *c, uint32_t off, bool peek)
{
	struct cru_ep *ep = datapath_ep(c, off);

	roll_second(ep);
	return ep->drop_last;
}

void cru_bar2_count(struct cru_ep *ep, unsigned int l, bool dropped)
{
	uint32_t link = CRU_DATAPATH_LINK(ep->nr, l);
	struct cru *c = ep->card;

	roll_second(ep);
	ep->rate_now++;
	++*word(c, CRU_DATAPATH(ep->nr) + CRU_DATAPATH_TOTAL_PACKETS);
	++*word(c, link + CRU_DPL_PROCESSED);
	if (dropped) {
		ep->drop_now++;
		++*word(c, CRU_DATAPATH(ep->nr) + CRU_DATAPATH_DROPPED_PACKETS);
	} else {
		++*word(c, link + CRU_DPL_ACCEPTED);
	}
}

#define EVERY_WRAPPER                                                                              \
	{                                                                                          \
		2, 0x100000                                                                        \
	}
#define EVERY_GBT_BANK                                                                             \
	{                                                                                          \
		WRAPPER_BANKS, 0x20000                                                             \
	}
#define EVERY_GBT_LINK                                                                             \
	{                                                                                          \
		WRAPPER_BANK_LINKS, 0x2000                                                         \
	}
#define GBT_LINKS EVERY_GBT_BANK, EVERY_GBT_LINK
#define DATAPATH_LINKS                                                                             \
	EVERY_WRAPPER,                                                                             \
	{                                                                                          \
		CRU_LINK_SLOTS, 0x2000                                                             \
	}
#define RO .read_only = true

static const struct bar2_reg bar2[] = {
	{CRU_FW_DIRTY, .power_on = 0, RO},
	{CRU_FW_HASH, .power_on = 0xf6b5d742, RO},
	{CRU_FW_DATE, .power_on = 0x20241015, RO},
	{CRU_FW_TIME, .power_on = 0x00120000, RO},
	{CRU_BOARD_TYPE, .power_on = 0x00763232, RO},
	{CRU_USER_CONTROL, .write = write_user_control},
	{CRU_TEMPERATURE, .power_on = 458, RO},
	{CRU_CHIP_ID_HIGH, .power_on = 0x00540186, RO},
	{CRU_CHIP_ID_LOW, .power_on = 0x28b0c45a, RO},
	{0x1001c, RO, .read = read_running},
	{CRU_SERIAL_LOAD, .write = write_serial_load},
	{CRU_SERIAL, RO, .read = read_serial},
	{0x10000c, RO},		  /* TTC link errors */
	{0x200004, {{1, 4}}, RO}, /* HB triggers */
	{0x200008, RO},
	{CRU_ONU_STATUS, .power_on = 0xff, RO},
	{CRU_CLOCK_CTP, .power_on = HZ_240, RO},
	{CRU_CLOCK_LOCAL, .power_on = HZ_240, RO},
	{CRU_CTP_CONTROL, .write = write_gate},
	{CRU_CTP_RUN_MODE, .power_on = CRU_CTP_IDLE, .write = write_gate},
	{CRU_WRAPPER(0) + CRU_WRAPPER_CONFIG0, .power_on = 0x00066660, RO},
	{CRU_WRAPPER(0) + CRU_WRAPPER_CONFIG1, .power_on = 0x18b69a00, RO},
	{CRU_WRAPPER(0) + CRU_WRAPPER_CLOCK, RO, .read = read_running},
	{CRU_WRAPPER(1) + CRU_WRAPPER_CONFIG0, {{2, 4}}, RO},
	{CRU_WRAPPER(1) + CRU_WRAPPER_CLOCK, RO},
	{CRU_GBT_LINK(0, 0, 0) + CRU_GBT_STATUS, {GBT_LINKS}, GBT_STATUS_UP, RO},
	{CRU_GBT_LINK(0, 0, 0) + CRU_GBT_TX_CLOCK, {GBT_LINKS, {2, 4}}, HZ_240, RO},
	{CRU_GBT_LINK(0, 0, 0) + 0x0c, {GBT_LINKS, {2, 4}}, 0, RO}, /* frames, test errors */
	{CRU_GBT_LINK(0, 0, 0) + 0x1c, {GBT_LINKS}, 0, RO},	    /* FEC errors */
	{CRU_GBT_LINK(0, 0, 0) + 0x44, {GBT_LINKS}, 0, RO},	    /* glitches */
	{CRU_GBT_LINK(0, 0, 0) + GBT_CLEAR_STICKY, {GBT_LINKS}, .write = write_clear_sticky},
	{CRU_DATAPATH(0) + CRU_DATAPATH_ENABLE, {EVERY_WRAPPER}, .write = write_gate},
	{CRU_DATAPATH(0) + CRU_DATAPATH_PACKET_RATE, {EVERY_WRAPPER}, RO, .read = read_packet_rate},
	{CRU_DATAPATH(0) + CRU_DATAPATH_DROPPED_RATE, {EVERY_WRAPPER}, RO, .read = read_drop_rate},
	{CRU_DATAPATH(0) + 0x08, {EVERY_WRAPPER, {9, 4}}, 0, RO}, /* levels, counters, clocks */
	{CRU_DATAPATH_LINK(0, 0) + CRU_DPL_FIRST_ORBIT, {EVERY_WRAPPER}, 0xffffffff, RO},
	{CRU_DATAPATH_LINK(0, 0) + CRU_DPL_REJECTED, {DATAPATH_LINKS, {9, 4}}, 0, RO},
	{CRU_UL_HASH, .power_on = 0xf6b5d742, RO},
};

#define BAR2_REGS (sizeof(bar2) / sizeof(bar2[0]))

static bool matches(const struct bar2_reg *r, uint32_t off)
{
	unsigned int d;

	if (off < r->first)
		return false;
	off -= r->first;
	for (d = 0; d < DIMENSIONS && r->dim[d].count; d++) {
		if (off / r->dim[d].stride >= r->dim[d].count)
			return false;
		off %= r->dim[d].stride;
	}
	return !off;
}

static const struct bar2_reg *find(uint32_t off)
{
	size_t n;

	for (n = 0; n < BAR2_REGS; n++) {
		if (matches(&bar2[n], off))
			return &bar2[n];
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
}

static void power_on(struct cru *c, const struct bar2_reg *r, unsigned int d, uint32_t off)
{
	uint32_t i;

	if (d == DIMENSIONS || !r->dim[d].count) {
		*word(c, off) = r->power_on;
		return;
	}
	for (i = 0; i < r->dim[d].count; i++)
		power_on(c, r, d + 1, off + i * r->dim[d].stride);
}

void cru_bar2_power_on(struct cru *c)
{
	size_t n;

	memset(c->bar2, 0, CRU_BAR_CARD_SIZE);
	for (n = 0; n < BAR2_REGS; n++)
		power_on(c, &bar2[n], 0, bar2[n].first);
	c->serial_due = 0;
}
