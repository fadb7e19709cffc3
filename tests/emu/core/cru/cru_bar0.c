// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BAR0 of one endpoint: the table of registers of the DMA block, and the actions of their writes.
 */
#include "cru.h"

#include <string.h>

static void write_control(struct cru_ep *ep, unsigned int i, uint32_t value)
{
	ep->control = value;
	if (value & CRU_DMA_CONTROL_FLUSH)
		cru_engine_flush(ep);
}

static void write_high(struct cru_ep *ep, unsigned int i, uint32_t value)
{
	ep->link[i].high = value;
}

static uint32_t read_high(struct cru_ep *ep, unsigned int i, bool peek)
{
	return ep->fault.read_back ? ep->link[i].high : 0;
}

static uint32_t read_low(struct cru_ep *ep, unsigned int i, bool peek)
{
	return ep->fault.read_back ? ep->link[i].low : 0;
}

static void write_low(struct cru_ep *ep, unsigned int i, uint32_t value)
{
	ep->link[i].low = value;
}

static void begin_general_reset(struct cru_ep *ep)
{
	ep->resets++;
	if (ep->fault.reset_ignored)
		return;
	if (ep->fault.reset_slow_ms)
		ep->reset_due = cru_now(ep->card) + ep->fault.reset_slow_ms * 1000000;
	else
		cru_general_reset(ep);
}

static void write_reset(struct cru_ep *ep, unsigned int i, uint32_t value)
{
	if (value & CRU_RESET_GENERATOR) {
		ep->counter = 0;
		cru_ddg_restart(ep);
	}
	if (value & CRU_RESET_GENERAL)
		begin_general_reset(ep);
}

static void write_scratch(struct cru_ep *ep, unsigned int i, uint32_t value)
{
	ep->scratch = value & 0xff;
}

static void write_generator(struct cru_ep *ep, unsigned int i, uint32_t value)
{
	if (i == 2) {
		ep->inject += value == CRU_GENERATOR_WRITE_INJECT;
		return;
	}
	/* The bit is 0 at power-on and need not be set. Only its change from 1 to 0 stops data. */
	if (i == 0 && (ep->generator[0] & ~value & CRU_GENERATOR_ENABLE))
		ep->generator_off = true;
	else if (i == 0 && (value & CRU_GENERATOR_ENABLE))
		ep->generator_off = false;
	ep->generator[i] = value;
}

static void write_source(struct cru_ep *ep, unsigned int i, uint32_t value)
{
	ep->source = value;
}

static void write_time_frame(struct cru_ep *ep, unsigned int i, uint32_t value)
{
	ep->tf_reg = value;
}

static uint32_t read_ready(struct cru_ep *ep, unsigned int i, bool peek)
{
	cru_link_count_done(ep, i, cru_now(ep->card));
	return ep->link[i].ready;
}

static void write_size(struct cru_ep *ep, unsigned int i, uint32_t value)
{
	cru_link_advance(ep, i); /* whatever the value */
}

static uint32_t read_endpoint(struct cru_ep *ep, unsigned int i, bool peek)
{
	return ep->nr ? CRU_ENDPOINT_ID_1 : CRU_ENDPOINT_ID_0;
}

static uint32_t read_depth(struct cru_ep *ep, unsigned int i, bool peek)
{
	return ep->set.depth_register;
}

#define FIELD(type, name) .storage = offsetof(type, name), .stored = true
#define EP(name) FIELD(struct cru_ep, name)

/* A register, or one register per link at a stride. With neither read nor storage it reads 0. */
struct bar0_reg {
	uint32_t first, count, stride;
	bool stored; /* a 32-bit word of struct cru_ep, @storage_stride apart */
	bool kept;   /* a write only stores the value */
	size_t storage, storage_stride;
	uint32_t (*read)(struct cru_ep *ep, unsigned int i, bool peek);
	void (*write)(struct cru_ep *ep, unsigned int i, uint32_t value); /* NULL: ignored */
};

#define PER_LINK CRU_LINK_SLOTS
#define LINK(name) EP(link[0].name), .storage_stride = sizeof(struct cru_link)

static const struct bar0_reg bar0[] = {
	{CRU_DMA_CONTROL, 1, 4, EP(control), .write = write_control},
	{CRU_SP_HIGH(0), PER_LINK, 0x10, .read = read_high, .write = write_high, .kept = true},
	{CRU_SP_LOW(0), PER_LINK, 0x10, .read = read_low, .write = write_low, .kept = true},
	{CRU_SP_PUSH(0), PER_LINK, 0x10, .write = cru_link_push},
	{CRU_RESET_CONTROL, 1, 4, .write = write_reset},
	{CRU_SCRATCH, 1, 4, EP(scratch), .write = write_scratch},
	{CRU_FEATURES, 1, 4, EP(features)},
	{CRU_ENDPOINT_ID, 1, 4, .read = read_endpoint},
	{CRU_GENERATOR(0), 4, 4, EP(generator), .storage_stride = 4, .write = write_generator},
	{CRU_DATA_SOURCE, 1, 4, EP(source), .write = write_source},
	{CRU_SP_READY(0), PER_LINK, 4, LINK(ready), .read = read_ready},
	{CRU_SP_SIZE(0), PER_LINK, 4, LINK(size_reg), .kept = true, .read = cru_link_size,
	 .write = write_size},
	{CRU_SP_EMPTY(0), PER_LINK, 4, LINK(empty)},
	{CRU_TIME_FRAME, 1, 4, EP(tf_reg), .write = write_time_frame},
	{CRU_FIFO_DEPTH, 1, 4, EP(set.depth_register), .read = read_depth},
};

static const struct bar0_reg *find(uint32_t off, unsigned int *i)
{
	size_t n;

	for (n = 0; n < sizeof(bar0) / sizeof(bar0[0]); n++) {
		const struct bar0_reg *r = &bar0[n];

		if (off < r->first || (off - r->first) % r->stride)
			continue;
		*i = (off - r->first) / r->stride;
		if (*i < r->count)
			return r;
	}
	return NULL;
}

static uint32_t *storage(struct cru_ep *ep, const struct bar0_reg *r, unsigned int i)
{
	return (uint32_t *)((char *)ep + r->storage + i * r->storage_stride);
}

uint32_t cru_bar0_read(struct cru_ep *ep, uint32_t off, bool peek)
{
	unsigned int i;
	const struct bar0_reg *r = find(off, &i);

	if (event_find(&ep->events, CRU_BAR_DMA, off))
		return event_read(&ep->events, CRU_BAR_DMA, off);
	if (!r)
		return 0;
	if (r->read)
		return r->read(ep, i, peek);
	return r->stored ? *storage(ep, r, i) : 0;
}

/* With the fault reset-ignored this path must not stop the card; with stall it must not work. */
static void write_event(struct cru_ep *ep, uint32_t off, uint32_t value)
{
	bool control = off == ep->card->events.channel_offset + EVENT_CONTROL;

	if (!(control && ep->fault.reset_ignored))
		event_write(&ep->events, CRU_BAR_DMA, off, value);
}

void cru_bar0_write(struct cru_ep *ep, uint32_t off, uint32_t value)
{
	unsigned int i;
	const struct bar0_reg *r = find(off, &i);

	if (event_find(&ep->events, CRU_BAR_DMA, off))
		write_event(ep, off, value);
	else if (r && r->write)
		r->write(ep, i, value);
}

bool cru_bar0_wakes_engine(const struct cru_ep *ep, uint32_t off)
{
	unsigned int i;
	const struct bar0_reg *r = find(off, &i);

	if (!r || r->write != cru_link_push)
		return !r || !r->kept;
	/* A link that already had a superpage was not waiting. */
	return cru_link_queued(&ep->link[i]) <= 1;
}

bool cru_bar0_poke(struct cru_ep *ep, uint32_t off, uint32_t value)
{
	unsigned int i;
	const struct bar0_reg *r = find(off, &i);

	if (!r || !r->stored)
		return false;
	*storage(ep, r, i) = value;
	return true;
}

void cru_bar0_power_on(struct cru_ep *ep)
{
	unsigned int l;

	ep->reset_due = 0;
	event_reset_all(&ep->events);
	for (l = 0; l < CRU_LINK_SLOTS; l++) {
		cru_link_reset(ep, l);
		ep->link[l].empty = 0;
	}
	ep->control = 0;
	ep->scratch = 0;
	memset(ep->generator, 0, sizeof(ep->generator));
	ep->generator[0] = CRU_GENERATOR_POWER_ON;
	ep->source = CRU_DATA_SOURCE_DATAPATH;
	ep->tf_reg = (uint32_t)CRU_TIME_FRAME_LENGTH_DEFAULT << CRU_TIME_FRAME_LENGTH_SHIFT;
	ep->internal_link = CRU_NO_LINK;
	ep->generator_off = false;
	ep->counter = 0;
	ep->inject = 0;
	ep->turn = 0;
	ep->pace_ns = 0;
	ep->no_master = false;
	cru_ddg_restart(ep);
}
