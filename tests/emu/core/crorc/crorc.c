// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The C-RORC as one card: creation, reset and counts, and its table of card operations.
 */
#include "crorc.h"

#include <stdlib.h>
#include <string.h>

static void destroy(void *card)
{
	struct crorc *c = card;

	crorc_flash_destroy(&c->flash);
	event_free(&c->events);
	free(c);
}

static void *create(const struct card_host *host)
{
	struct crorc *c = calloc(1, sizeof(*c));
	unsigned int i;

	if (!c)
		return NULL;
	c->host = host;
	if (!crorc_flash_create(&c->flash)) {
		destroy(c);
		return NULL;
	}
	for (i = 0; i < CRORC_CHANNELS; i++) {
		c->ch[i].card = c;
		c->ch[i].nr = i;
	}
	crorc_keys_default(c);
	if (crorc_events_init(c)) {
		destroy(c);
		return NULL;
	}
	for (i = 0; i < CRORC_CHANNELS; i++)
		crorc_channel_power_on(&c->ch[i]);
	return c;
}

static uint32_t read_register(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	return crorc_read(card, bar, off, false);
}

static void write_register(void *card, unsigned int fn, unsigned int bar, uint32_t off,
			   uint32_t value)
{
	crorc_write(card, bar, off, value);
}

static bool wakes_engine(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	return off != CRORC_SP_LOW && off != CRORC_SP_HIGH;
}

static uint32_t peek(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	return crorc_read(card, bar, off, true);
}

static bool poke(void *card, unsigned int fn, unsigned int bar, uint32_t off, uint32_t value)
{
	return crorc_poke(card, bar, off, value);
}

static uint64_t step(void *card, unsigned int fn, size_t budget)
{
	return crorc_step(card, budget);
}

/* Reset the channels. Configuration, laser and flash belong to the board and keep their state. */
static void reset(void *card, unsigned int fn)
{
	struct crorc *c = card;
	unsigned int i;

	c->function_resets++;
	event_reset_all(&c->events);
	for (i = 0; i < CRORC_CHANNELS; i++)
		crorc_channel_power_on(&c->ch[i]);
}

/* Packets in memory whose superpages are not completed yet. */
static uint64_t packets_open(const struct crorc_channel *ch)
{
	return (ch->open ? ch->cur_packets : 0) + (ch->closing ? ch->done_packets : 0) +
	       ch->unrecorded;
}

static void show(struct json *j, const struct crorc_counts *n, uint64_t open)
{
	json_uint(j, "superpages", n->superpages);
	json_uint(j, "bytes", n->bytes);
	json_uint(j, "packets", n->packets);
	json_uint(j, "generated", n->generated);
	json_uint(j, "dropped", 0); /* this card stops the source (XOFF) instead */
	json_uint(j, "discarded", n->discarded);
	json_uint(j, "open", open);
	json_uint(j, "recycled", n->recycled);
	json_uint(j, "pushes", n->pushes);
	json_uint(j, "protocol_errors", n->protocol_errors);
	json_uint(j, "bad_push", n->bad_push);
	json_uint(j, "xoff", n->xoff);
	json_uint(j, "xoff_us", n->xoff_ns / 1000);
	json_uint(j, "dma_writes", n->dma_writes);
	json_uint(j, "dma_outside", n->dma_outside);
	json_uint(j, "dma_no_master", n->dma_no_master);
	json_uint(j, "writes_lost", n->writes_lost);
	json_uint(j, "stray_writes", n->stray_writes);
	json_uint(j, "resets", n->resets);
	json_uint(j, "flushes", n->flushes);
	json_uint(j, "ddl_commands", n->ddl_commands);
	json_uint(j, "ddl_replies", n->ddl_replies);
	json_uint(j, "ddl_overflow", n->ddl_overflow);
}

/* All members of the counts have the same type, so they are added one by one. */
static void add(struct crorc_counts *sum, const struct crorc_counts *n)
{
	uint64_t *to = (uint64_t *)sum;
	const uint64_t *from = (const uint64_t *)n;
	size_t i;

	_Static_assert(sizeof(*sum) % sizeof(uint64_t) == 0, "only 64-bit counts");
	for (i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

static void counts(void *card, unsigned int fn, struct json *j)
{
	struct crorc *c = card;
	struct crorc_counts sum = {0};
	uint64_t open = 0;
	unsigned int i;

	for (i = 0; i < CRORC_CHANNELS; i++) {
		crorc_channel_count_done(&c->ch[i], crorc_now(c));
		add(&sum, &c->ch[i].n);
		open += packets_open(&c->ch[i]);
	}
	sum.dma_outside += c->events.dma_outside;
	show(j, &sum, open);
	event_counts(&c->events, j);
	json_uint(j, "function_resets", c->function_resets);
	json_uint(j, "flash_erases", c->flash.erases);
	json_uint(j, "flash_programs", c->flash.programs);
	json_uint(j, "flash_errors", c->flash.errors);
	json_array(j, "links");
	for (i = 0; i < CRORC_CHANNELS; i++) {
		struct crorc_channel *ch = &c->ch[i];

		json_object(j, NULL);
		json_uint(j, "link", i);
		show(j, &ch->n, packets_open(ch));
		json_uint(j, "queued", ch->open + ch->fifo_count);
		json_end_object(j);
	}
	json_end_array(j);
}

static void clear(void *card, unsigned int fn)
{
	struct crorc *c = card;
	unsigned int i;

	for (i = 0; i < CRORC_CHANNELS; i++) {
		struct crorc_channel *ch = &c->ch[i];

		crorc_channel_count_done(ch, crorc_now(c));
		memset(&ch->n, 0, sizeof(ch->n));
		/*
		 * Count packets that are still to be completed as generated, so that the sums stay
		 * right.
		 */
		ch->n.generated = packets_open(ch);
		ch->xoff_since = crorc_now(c);
	}
	event_clear(&c->events);
	c->function_resets = 0;
	c->flash.erases = 0;
	c->flash.programs = 0;
	c->flash.errors = 0;
}

static unsigned int vendor(void *card)
{
	return CRORC_VENDOR;
}

static unsigned int device(void *card)
{
	return CRORC_DEVICE;
}

static void messages(void *card, struct card_messages *m)
{
	event_messages(&((struct crorc *)card)->events, m);
}

static uint64_t dma_outside(void *card)
{
	struct crorc *c = card;

	return c->dma_outside_ever + c->events.dma_outside_ever;
}

const struct card_ops crorc_card = {
	.name = "crorc",
	.functions = 1,
	.bar_size = {CRORC_BAR_SIZE, CRORC_BAR_SIZE, CRORC_BAR_SIZE, CRORC_BAR_SIZE, CRORC_BAR_SIZE,
		     CRORC_BAR_SIZE},
	.bars_32bit = true,
	.pcie_gen = 2,
	.create = create,
	.destroy = destroy,
	.read = read_register,
	.write = write_register,
	.wakes_engine = wakes_engine,
	.peek = peek,
	.poke = poke,
	.step = step,
	.reset = reset,
	.keys = crorc_keys,
	.faults = crorc_fault_list,
	.fault_set = crorc_fault_set,
	.fault_clear = crorc_fault_clear,
	.fault_get = crorc_fault_get,
	.counts = counts,
	.clear = clear,
	.vendor = vendor,
	.device = device,
	.messages = messages,
	.dma_outside = dma_outside,
};
