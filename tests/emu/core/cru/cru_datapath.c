// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Datapath wrappers: enables, packet rates, errors, and the counters at the start of a run.
 */
#include "cru.h"

#include <string.h>

static uint32_t *word(struct cru *c, uint32_t off)
{
	return cru_bar2_word(c, off);
}

bool cru_datapath_taking(struct cru *c, unsigned int e, unsigned int l)
{
	return *word(c, CRU_USER_CONTROL) & CRU_USER_CONTROL_RUN &&
	       *word(c, CRU_DATAPATH(e) + CRU_DATAPATH_ENABLE) & 1u << l;
}

static struct cru_ep *wrapper_ep(struct cru *c, uint32_t off)
{
	return &c->ep[off >= CRU_DATAPATH(1)];
}

static uint32_t read_packet_rate(struct cru *c, uint32_t off, bool peek)
{
	struct cru_ep *ep = wrapper_ep(c, off);

	cru_roll_second(ep);
	return ep->rate_last;
}

static uint32_t read_drop_rate(struct cru *c, uint32_t off, bool peek)
{
	struct cru_ep *ep = wrapper_ep(c, off);

	cru_roll_second(ep);
	return ep->drop_last;
}

/* Core clock counters. */
static uint32_t read_core_clock(struct cru *c, uint32_t off, bool peek)
{
	return cru_now(c) / 1000 * (CRU_HZ_240 / 1000) / 1000;
}

static struct cru_gbt *link_gbt(struct cru *c, uint32_t off)
{
	unsigned int e = wrapper_ep(c, off)->nr;

	return &c->board.gbt[e][(off - CRU_DATAPATH_LINK(e, 0)) / 0x2000];
}

static uint32_t read_protocol(struct cru *c, uint32_t off, bool peek)
{
	cru_bar2_add(c, off, UINT32_MAX, cru_meter_take(&link_gbt(c, off)->protocol, cru_now(c)));
	return *word(c, off);
}

static uint32_t read_check1(struct cru *c, uint32_t off, bool peek)
{
	cru_bar2_add(c, off, 0xffu << CRU_DPL_ERROR_CHECK1_RDH_SHIFT,
		     cru_meter_take(&link_gbt(c, off)->bad_rdh, cru_now(c)));
	return *word(c, off);
}

/* Start a run: clear the counters. */
void cru_datapath_start(struct cru *c)
{
	unsigned int e, l;

	for (e = 0; e < CRU_ENDPOINTS; e++) {
		memset(word(c, CRU_DATAPATH(e) + CRU_DATAPATH_TOTAL_WORDS), 0, 0x10);
		memset(word(c, CRU_DATAPATH(e) + CRU_DATAPATH_FLOW_REJECTED), 0, 8);
		for (l = 0; l < CRU_GBT_LINKS; l++) {
			cru_meter_take(&c->board.gbt[e][l].protocol, cru_now(c));
			cru_meter_take(&c->board.gbt[e][l].bad_rdh, cru_now(c));
		}
		for (l = 0; l < CRU_LINK_SLOTS; l++)
			memset(word(c, CRU_DATAPATH_LINK(e, l) + CRU_DPL_REJECTED), 0,
			       CRU_DPL_ORBIT_SOR - CRU_DPL_REJECTED);
		cru_ddg_restart(&c->ep[e]);
	}
}

static void write_enable(struct cru *c, uint32_t off, uint32_t value)
{
	*word(c, off) = value;
	cru_ddg_gate_changed(c);
	c->board.changed = true;
}

#define EVERY_WRAPPER                                                                              \
	{                                                                                          \
		CRU_ENDPOINTS, 0x100000                                                            \
	}
#define EVERY_LINK                                                                                 \
	EVERY_WRAPPER,                                                                             \
	{                                                                                          \
		CRU_LINK_SLOTS, 0x2000                                                             \
	}
#define GBT_LINKS                                                                                  \
	EVERY_WRAPPER,                                                                             \
	{                                                                                          \
		CRU_GBT_LINKS, 0x2000                                                              \
	}
#define WRAPPER CRU_DATAPATH(0)
#define LINK CRU_DATAPATH_LINK(0, 0)

const struct bar2_reg cru_datapath_regs[] = {
	{WRAPPER + CRU_DATAPATH_ENABLE, {EVERY_WRAPPER}, .write = write_enable},
	{WRAPPER + CRU_DATAPATH_PACKET_RATE, {EVERY_WRAPPER}, RO, .read = read_packet_rate},
	{WRAPPER + CRU_DATAPATH_DROPPED_RATE, {EVERY_WRAPPER}, RO, .read = read_drop_rate},
	{WRAPPER + CRU_DATAPATH_CORE_CLOCK(0),
	 {EVERY_WRAPPER, {2, 4}},
	 RO,
	 .read = read_core_clock},
	/* generator status, FIFO level, words, packets, heartbeat */
	{WRAPPER + CRU_DATAPATH_GENERATOR_STATUS, {EVERY_WRAPPER, {7, 4}}, 0, RO},
	{WRAPPER + CRU_DATAPATH_DROP_BAD_RDH, {EVERY_WRAPPER}, .write = cru_write_and_update},
	{WRAPPER + CRU_DATAPATH_FLOW_REJECTED, {EVERY_WRAPPER, {2, 4}}, 0, RO},
	{LINK + CRU_DPL_FIRST_ORBIT, {EVERY_WRAPPER}, CRU_ORBIT_UNKNOWN, RO},
	{LINK + CRU_DPL_ERROR_PROTOCOL, {GBT_LINKS}, RO, .read = read_protocol},
	{LINK + CRU_DPL_ERROR_CHECK1, {GBT_LINKS}, RO, .read = read_check1},
	{LINK + CRU_DPL_REJECTED, {EVERY_LINK, {9, 4}}, 0, RO},
	BAR2_END,
};
