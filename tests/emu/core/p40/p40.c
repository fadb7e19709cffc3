// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The PCIe40 as one card: life and counts, and the table through which the server sees it.
 */
#include "p40.h"

#include <stdlib.h>
#include <string.h>

#define CHIP 0x0000c0de40000000ull

static void destroy(void *card)
{
	struct p40 *c = card;
	unsigned int i;

	for (i = 0; i < P40_STREAMS; i++)
		p40_stream_free(&c->st[i]);
	free(c);
}

static unsigned int kind(unsigned int stream)
{
	if (stream == P40_STREAM_MAIN)
		return STREAM_TYPE_MAIN;
	return stream == P40_STREAM_META ? STREAM_TYPE_META : STREAM_TYPE_ODIN;
}

static void reset(void *card, unsigned int fn);

static void *create(const struct card_host *host)
{
	struct p40 *c = calloc(1, sizeof(*c));
	unsigned int i;

	if (!c)
		return NULL;
	c->host = host;
	c->function.ops = &p40_function_ops;
	c->function.model = c;
	c->identity = (struct identity){
		.id = STREAM_CARD_ID_VALUE,
		.units = P40_STREAMS,
		.features = CARD_FEATURE_GENERATORS | STREAM_FEATURE_SEGMENTS |
			    STREAM_FEATURE_TRUNCATION,
		.source_default = STREAM_CARD_SOURCE_DEFAULT,
		.chip = CHIP,
		.clock = P40_CLOCK,
		.power_on_ns = p40_now(c),
	};
	p40_keys_default(c);
	for (i = 0; i < P40_STREAMS; i++) {
		struct p40_stream *st = &c->st[i];

		st->card = c;
		st->nr = i;
		st->kind = kind(i);
		if (p40_stream_init(st)) {
			destroy(c);
			return NULL;
		}
	}
	reset(c, P40_FN);
	c->function_resets = 0;
	for (i = 0; i < P40_STREAMS; i++)
		c->st[i].n.resets = 0;
	return c;
}

static uint32_t read_register(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	return bar == P40_BAR_DMA ? p40_read(card, off) : p40_open_read(card, off);
}

static void write_register(void *card, unsigned int fn, unsigned int bar, uint32_t off,
			   uint32_t value)
{
	if (bar == P40_BAR_DMA)
		p40_write(card, off, value);
	else
		p40_open_write(card, off, value);
}

static bool stirs(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	return bar != P40_BAR_DMA || p40_stirs(card, off);
}

static bool poke(void *card, unsigned int fn, unsigned int bar, uint32_t off, uint32_t value)
{
	return bar != P40_BAR_DMA && p40_open_poke(card, off, value);
}

static uint64_t step(void *card, unsigned int fn, size_t budget)
{
	return p40_step(card, budget);
}

static void reset(void *card, unsigned int fn)
{
	struct p40 *c = card;
	unsigned int i;

	c->function_resets++;
	for (i = 0; i < P40_STREAMS; i++)
		p40_stream_power_on(&c->st[i]);
	function_block_reset(&c->function);
	p40_card_default(c);
}

static uint64_t since_clear(struct p40_stream *st, enum p40_counter nr)
{
	switch (nr) {
	case P40_THROTTLE_FIRST:
	case P40_THROTTLE_FROM:
	case P40_THROTTLE_TO:
	case P40_TRUNCATE_FIRST:
	case P40_TRUNCATE_FROM:
	case P40_TRUNCATE_TO:
		return st->total[nr];
	case P40_WAITING:
		return p40_waiting(st);
	default:
		return st->total[nr] - st->clear[nr];
	}
}

static void show(struct json *j, const uint64_t *value, const struct p40_counts *n)
{
	static const char *const names[STREAM_COUNTERS] = {
		"units",	  "bytes",	     "offered",		"events",
		"discarded",	  "throttles",	     "throttled",	"throttle_cycles",
		"throttle_first", "throttle_from",   "throttle_to",	"truncations",
		"truncated",	  "truncated_bytes", "truncate_cycles", "truncate_first",
		"truncate_from",  "truncate_to",     "waiting",
	};
	unsigned int i;

	for (i = 0; i < STREAM_COUNTERS; i++)
		json_uint(j, names[i], value[i]);
	json_uint(j, "recycled", n->recycled);
	json_uint(j, "fulls", n->fulls);
	json_uint(j, "doorbells", n->doorbells);
	json_uint(j, "arms", n->arms);
	json_uint(j, "states", n->states);
	json_uint(j, "interrupts", n->interrupts);
	json_uint(j, "unrouted", n->unrouted);
	json_uint(j, "host_errors", n->host_errors);
	json_uint(j, "setup_errors", n->setup_errors);
	json_uint(j, "fetch_errors", n->fetch_errors);
	json_uint(j, "units_skipped", n->units_skipped);
	json_uint(j, "doorbells_lost", n->doorbells_lost);
	json_uint(j, "stray_writes", n->stray_writes);
	json_uint(j, "closes", n->closes);
	json_uint(j, "ends", n->ends);
	json_uint(j, "resets", n->resets);
	json_uint(j, "dma_writes", n->dma_writes);
	json_uint(j, "dma_outside", n->dma_outside);
	json_uint(j, "dma_no_master", n->dma_no_master);
}

static void values(struct p40_stream *st, uint64_t *value)
{
	unsigned int i;

	for (i = 0; i < STREAM_COUNTERS; i++)
		value[i] = since_clear(st, i);
}

static bool adds_up(enum p40_counter nr)
{
	return nr < P40_THROTTLE_FIRST || nr == P40_WAITING ||
	       (nr >= P40_TRUNCATIONS && nr < P40_TRUNCATE_FIRST);
}

static void counts(void *card, unsigned int fn, struct json *j)
{
	struct p40 *c = card;
	uint64_t sum[STREAM_COUNTERS] = {0}, value[STREAM_COUNTERS];
	struct p40_counts n = {0};
	unsigned int i, k;

	for (i = 0; i < P40_STREAMS; i++) {
		const uint64_t *from = (const uint64_t *)&c->st[i].n;
		uint64_t *to = (uint64_t *)&n;

		_Static_assert(sizeof(n) % sizeof(uint64_t) == 0, "only 64-bit counts");
		for (k = 0; k < sizeof(n) / sizeof(*to); k++)
			to[k] += from[k];
		p40_source_settle(&c->st[i], p40_now(c));
		values(&c->st[i], value);
		for (k = 0; k < STREAM_COUNTERS; k++)
			sum[k] += adds_up(k) ? value[k] : 0;
	}
	show(j, sum, &n);
	json_uint(j, "alarms", c->function.alarms);
	json_uint(j, "function_resets", c->function_resets);
	json_array(j, "streams");
	for (i = 0; i < P40_STREAMS; i++) {
		struct p40_stream *st = &c->st[i];

		json_object(j, NULL);
		json_uint(j, "stream", i);
		json_bool(j, "enabled", st->enabled);
		json_uint(j, "written", st->written);
		json_uint(j, "read", st->read);
		json_uint(j, "spill_level", st->spill.level);
		values(st, value);
		show(j, value, &st->n);
		json_end_object(j);
	}
	json_end_array(j);
}

static void clear(void *card, unsigned int fn)
{
	struct p40 *c = card;
	unsigned int i;

	for (i = 0; i < P40_STREAMS; i++) {
		struct p40_stream *st = &c->st[i];

		p40_source_settle(st, p40_now(c));
		memset(&st->n, 0, sizeof(st->n));
		memcpy(st->clear, st->total, sizeof(st->clear));
		/* What is still to be written was offered, too: the ledger stays even. */
		st->clear[P40_OFFERED] -= p40_waiting(st);
	}
	c->function.alarms = 0;
	c->function_resets = 0;
}

static unsigned int vendor(void *card)
{
	return P40_VENDOR;
}

static unsigned int device(void *card)
{
	return P40_DEVICE;
}

static void messages(void *card, struct card_messages *m)
{
	struct p40 *c = card;
	const uint32_t words[] = {
		STREAM_VSEC_SIGNATURE_VALUE,
		P40_STREAMS | P40_RING_MAX << 8 | c->identity.messages.vectors << 16,
		P40_SEGMENTS,
		P40_BAR_DMA | P40_STREAM(0),
		P40_STREAM(1) - P40_STREAM(0),
		P40_BAR_DMA | P40_DOORBELL(0),
		P40_DOORBELL(1) - P40_DOORBELL(0),
		P40_BAR_DMA | P40_FUNCTION,
		P40_BAR_CARD | P40_CARD,
		P40_BAR_CARD | P40_SETTINGS(0),
		P40_SETTINGS(1) - P40_SETTINGS(0),
	};

	event_vectors(&c->identity.messages, m);
	m->vendor.id = STREAM_VSEC_ID;
	m->vendor.revision = STREAM_VSEC_REVISION;
	m->vendor.count = sizeof(words) / sizeof(words[0]);
	memcpy(m->vendor.word, words, sizeof(words));
	_Static_assert(sizeof(words) + VSEC_SIGNATURE == STREAM_VSEC_LENGTH, "all of it");
}

static uint64_t dma_outside(void *card)
{
	return ((struct p40 *)card)->dma_outside_ever;
}

const struct card_ops p40_card = {
	.name = "p40",
	.functions = 1,
	.bar_size = {[P40_BAR_DMA] = P40_BAR_DMA_SIZE, [P40_BAR_CARD] = P40_BAR_CARD_SIZE},
	.pcie_gen = 3,
	.create = create,
	.destroy = destroy,
	.read = read_register,
	.write = write_register,
	.stirs = stirs,
	.peek = read_register,
	.poke = poke,
	.step = step,
	.reset = reset,
	.keys = p40_keys,
	.faults = p40_fault_list,
	.fault_set = p40_fault_set,
	.fault_clear = p40_fault_clear,
	.fault_get = p40_fault_get,
	.counts = counts,
	.clear = clear,
	.vendor = vendor,
	.device = device,
	.messages = messages,
	.dma_outside = dma_outside,
};
