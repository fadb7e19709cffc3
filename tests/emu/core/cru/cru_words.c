// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words of BAR2 that change by themselves: meters, fields that wrap, counters of packets; and the
 * write hook of registers that others depend on. The blocks call this file; it calls no block.
 */
#include "cru.h"

#define NS 1000000000ull
#define METER_EVENT 1000000000000ull /* 1000 s in ns: one event at a rate of 1 */

static uint32_t *word(struct cru *c, uint32_t off)
{
	return cru_bar2_word(c, off);
}

static void meter_run(struct cru_meter *m, uint64_t now)
{
	unsigned __int128 events = (unsigned __int128)(now - m->since_ns) * m->rate + m->rest;

	m->since_ns = now;
	m->whole += (uint64_t)(events / METER_EVENT);
	m->rest = (uint64_t)(events % METER_EVENT);
}

uint64_t cru_meter_take(struct cru_meter *m, uint64_t now)
{
	uint64_t n;

	meter_run(m, now);
	n = m->whole;
	m->whole = 0;
	return n;
}

void cru_meter_rate(struct cru_meter *m, uint64_t now, uint64_t rate)
{
	if (rate == m->rate)
		return;
	meter_run(m, now);
	m->rate = rate;
}

void cru_bar2_add(struct cru *c, uint32_t off, uint32_t mask, uint64_t n)
{
	uint32_t low = mask & -mask, sum = *word(c, off) + (uint32_t)(n * low);

	*word(c, off) = (*word(c, off) & ~mask) | (sum & mask);
}

void cru_write_and_update(struct cru *c, uint32_t off, uint32_t value)
{
	*word(c, off) = value;
	c->board.changed = true;
}

void cru_roll_second(struct cru_ep *ep)
{
	uint64_t second = cru_now(ep->card) / NS;

	if (second == ep->second)
		return;
	ep->rate_last = second == ep->second + 1 ? ep->rate_now : 0;
	ep->drop_last = second == ep->second + 1 ? ep->drop_now : 0;
	ep->rate_now = 0;
	ep->drop_now = 0;
	ep->second = second;
}

void cru_bar2_count(struct cru_ep *ep, unsigned int l, bool dropped)
{
	uint32_t wrapper = CRU_DATAPATH(ep->nr), link = CRU_DATAPATH_LINK(ep->nr, l);
	struct cru *c = ep->card;
	bool reject =
		*word(c, wrapper + CRU_DATAPATH_FLOW_CONTROL) & CRU_DATAPATH_FLOW_CONTROL_REJECT;

	cru_roll_second(ep);
	ep->rate_now++;
	++*word(c, wrapper + CRU_DATAPATH_TOTAL_PACKETS);
	++*word(c, wrapper + CRU_DATAPATH_FLOW_TOTAL);
	++*word(c, link + CRU_DPL_PROCESSED);
	if (!dropped) {
		++*word(c, link + CRU_DPL_ACCEPTED);
	} else if (reject) {
		++*word(c, wrapper + CRU_DATAPATH_FLOW_REJECTED);
		++*word(c, link + CRU_DPL_REJECTED);
	} else {
		ep->drop_now++;
		++*word(c, wrapper + CRU_DATAPATH_DROPPED_PACKETS);
	}
}
