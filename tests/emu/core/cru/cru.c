// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The CRU as one card: creation, reset and counts, and its table of card operations.
 */
#include "cru.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void destroy(void *card)
{
	struct cru *c = card;
	unsigned int e, l;

	for (e = 0; e < CRU_ENDPOINTS; e++) {
		event_free(&c->ep[e].events);
		for (l = 0; l < CRU_LINK_SLOTS; l++) {
			free(c->ep[e].link[l].fifo);
			free(c->ep[e].link[l].done);
		}
	}
	free(c->bar2);
	free(c);
}

static void *create(const struct card_host *host)
{
	struct cru *c = calloc(1, sizeof(*c));
	unsigned int e, l;
	bool ok;

	if (!c)
		return NULL;
	c->host = host;
	c->bar2 = calloc(1, CRU_BAR_CARD_SIZE);
	ok = c->bar2;
	for (e = 0; e < CRU_ENDPOINTS; e++) {
		c->ep[e].card = c;
		c->ep[e].nr = e;
		c->ep[e].random = 1;
		for (l = 0; l < CRU_LINK_SLOTS; l++) {
			struct cru_link *k = &c->ep[e].link[l];

			k->fifo = calloc(CRU_DEPTH_MAX, sizeof(*k->fifo));
			k->done = calloc(CRU_DONE_MAX, sizeof(*k->done));
			ok = ok && k->fifo && k->done;
		}
		ok = !cru_events_init(&c->ep[e]) && ok;
	}
	if (!ok) {
		destroy(c);
		return NULL;
	}
	cru_bar2_power_on(c);
	cru_keys_default(c);
	for (e = 0; e < CRU_ENDPOINTS; e++)
		cru_bar0_power_on(&c->ep[e]);
	return c;
}

static struct cru_ep *endpoint(void *card, unsigned int fn)
{
	return &((struct cru *)card)->ep[fn];
}

static uint32_t read_register(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	uint32_t stuck;

	if (cru_fault_stuck(card, fn, bar, off, &stuck))
		return stuck;
	if (bar == CRU_BAR_DMA)
		return cru_bar0_read(endpoint(card, fn), off, false);
	return cru_bar2_read(card, off, false);
}

static void write_register(void *card, unsigned int fn, unsigned int bar, uint32_t off,
			   uint32_t value)
{
	uint32_t stuck;

	if (cru_fault_stuck(card, fn, bar, off, &stuck))
		return;
	if (bar == CRU_BAR_DMA)
		cru_bar0_write(endpoint(card, fn), off, value);
	else
		cru_bar2_write(card, off, value);
}

static bool wakes_engine(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	return bar != CRU_BAR_DMA || cru_bar0_wakes_engine(endpoint(card, fn), off);
}

static uint32_t peek(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	if (bar == CRU_BAR_DMA)
		return cru_bar0_read(endpoint(card, fn), off, true);
	return cru_bar2_read(card, off, true);
}

static bool poke(void *card, unsigned int fn, unsigned int bar, uint32_t off, uint32_t value)
{
	if (bar == CRU_BAR_DMA)
		return cru_bar0_poke(endpoint(card, fn), off, value);
	*cru_bar2_word(card, off) = value;
	return true;
}

static uint64_t step(void *card, unsigned int fn, size_t budget)
{
	return cru_engine_step(endpoint(card, fn), budget);
}

/* BAR0 belongs to the function and BAR2 to the card, so only BAR0 is reset. */
static void reset(void *card, unsigned int fn)
{
	struct cru_ep *ep = endpoint(card, fn);

	ep->function_resets++;
	cru_bar0_power_on(ep);
}

/* Packets in memory whose superpages are not counted yet. */
static uint64_t packets_open(const struct cru_link *k)
{
	uint64_t n = k->open ? k->cur_packets : 0, i;

	for (i = k->counted; i < k->made; i++)
		n += k->done[i % CRU_DONE_MAX].packets;
	return n;
}

static void counts(void *card, unsigned int fn, struct json *j)
{
	struct cru_ep *ep = endpoint(card, fn);
	struct cru_link_counts sum = {0};
	uint64_t now = cru_now(ep->card), open = 0;
	unsigned int l;

	for (l = 0; l < CRU_LINK_SLOTS; l++) {
		const struct cru_link *k = &ep->link[l];

		cru_link_count_done(ep, l, now);
		sum.superpages += k->n.superpages;
		sum.bytes += k->n.bytes;
		sum.packets += k->n.packets;
		sum.generated += k->n.generated;
		sum.dropped += k->n.dropped;
		sum.discarded += k->n.discarded;
		sum.recycled += k->n.recycled;
		open += packets_open(k);
	}
	json_uint(j, "superpages", sum.superpages);
	json_uint(j, "bytes", sum.bytes);
	json_uint(j, "packets", sum.packets);
	json_uint(j, "generated", sum.generated);
	json_uint(j, "dropped", sum.dropped);
	json_uint(j, "discarded", sum.discarded);
	json_uint(j, "open", open);
	json_uint(j, "recycled", sum.recycled);
	json_uint(j, "dma_writes", ep->dma_writes);
	json_uint(j, "dma_outside", ep->dma_outside + ep->events.dma_outside);
	json_uint(j, "dma_no_master", ep->dma_no_master);
	json_uint(j, "fifo_overflow", ep->fifo_overflow);
	json_uint(j, "bad_descriptor", ep->bad_descriptor);
	json_uint(j, "size_overflow", ep->size_overflow);
	json_uint(j, "resets", ep->resets);
	json_uint(j, "function_resets", ep->function_resets);
	json_uint(j, "pat1_runs", ep->card->board.pat_runs[0]);
	json_uint(j, "pat2_runs", ep->card->board.pat_runs[1]);
	event_counts(&ep->events, j);
	json_array(j, "links");
	for (l = 0; l < CRU_LINK_SLOTS; l++) {
		const struct cru_link *k = &ep->link[l];

		json_object(j, NULL);
		json_uint(j, "link", l);
		json_uint(j, "superpages", k->n.superpages);
		json_uint(j, "bytes", k->n.bytes);
		json_uint(j, "packets", k->n.packets);
		json_uint(j, "generated", k->n.generated);
		json_uint(j, "dropped", k->n.dropped);
		json_uint(j, "discarded", k->n.discarded);
		json_uint(j, "open", packets_open(k));
		json_uint(j, "queued", cru_link_queued(k));
		json_uint(j, "empty", k->empty);
		json_end_object(j);
	}
	json_end_array(j);
}

static void clear(void *card, unsigned int fn)
{
	struct cru_ep *ep = endpoint(card, fn);
	unsigned int l;

	for (l = 0; l < CRU_LINK_SLOTS; l++) {
		struct cru_link *k = &ep->link[l];

		cru_link_count_done(ep, l, cru_now(ep->card));
		memset(&k->n, 0, sizeof(k->n));
		/*
		 * Count packets that are still to be counted as generated, so that the sums stay
		 * right.
		 */
		k->n.generated = packets_open(k);
	}
	event_clear(&ep->events);
	ep->dma_writes = 0;
	ep->dma_outside = 0;
	ep->dma_no_master = 0;
	ep->fifo_overflow = 0;
	ep->bad_descriptor = 0;
	ep->size_overflow = 0;
	ep->resets = 0;
	ep->function_resets = 0;
}

static unsigned int vendor(void *card)
{
	return ((struct cru *)card)->vendor;
}

static unsigned int device(void *card)
{
	return ((struct cru *)card)->device;
}

static void messages(void *card, struct card_messages *m)
{
	event_messages(&((struct cru *)card)->ep[0].events, m);
}

static uint64_t dma_outside(void *card)
{
	struct cru *c = card;
	uint64_t sum = 0;
	unsigned int e;

	for (e = 0; e < CRU_ENDPOINTS; e++)
		sum += c->ep[e].dma_outside_ever + c->ep[e].events.dma_outside_ever;
	return sum;
}

const struct card_ops cru_card = {
	.name = "cru",
	.functions = CRU_ENDPOINTS,
	.bar_size = {[CRU_BAR_DMA] = CRU_BAR_DMA_SIZE, [CRU_BAR_CARD] = CRU_BAR_CARD_SIZE},
	.common_bars = 1u << CRU_BAR_CARD,
	.pcie_gen = 3,
	.create = create,
	.destroy = destroy,
	.read = read_register,
	.write = write_register,
	.wakes_engine = wakes_engine,
	.peek = peek,
	.poke = poke,
	.step = step,
	.reset = reset,
	.keys = cru_keys,
	.faults = cru_fault_list,
	.fault_set = cru_fault_set,
	.fault_clear = cru_fault_clear,
	.fault_get = cru_fault_get,
	.counts = counts,
	.clear = clear,
	.vendor = vendor,
	.device = device,
	.messages = messages,
	.dma_outside = dma_outside,
	.off = cru_too_hot,
};
