// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RobinNP as one card: life, what its function's block asks for, and the table through which
 * the server sees it.
 */
#include "robinnp.h"

#include <stdlib.h>
#include <string.h>

#define CHIP 0x0000c0de0b100000ull

static bool notice(void *model, uint64_t addr, const void *data, size_t bytes)
{
	return robinnp_put(&((struct robinnp *)model)->sub[0], addr, data, bytes);
}

static uint32_t in_trouble(const void *model)
{
	const struct robinnp *c = model;
	uint32_t mask = 0;
	unsigned int s;

	for (s = 0; s < ROBINNP_SUBS; s++) {
		const struct robinnp_sub *sub = &c->sub[s];

		if (sub->setup_error || sub->fetch_error || sub->host_error)
			mask |= 1u << s;
	}
	return mask;
}

static void reset_all(void *model, uint32_t levels)
{
	struct robinnp *c = model;
	bool ignored = false;
	unsigned int s;

	for (s = 0; s < ROBINNP_SUBS; s++) {
		robinnp_reset(&c->sub[s], levels);
		ignored |= c->sub[s].fault[ROBINNP_RESET_IGNORED];
	}
	if (levels & FRAGMENT_RESET_DEFAULT && !ignored)
		identity_default(&c->identity);
}

static const struct function_block_ops function_ops = {
	.id = (uint32_t)FRAGMENT_ID_FUNCTION << 16 | FRAGMENT_VSEC_REVISION << 8 | ROBINNP_SUBS,
	.enables = FRAGMENT_CAUSE_ALL,
	.units = ROBINNP_SUBS,
	.levels = FRAGMENT_RESET_ALL,
	.put = notice,
	.trouble = in_trouble,
	.reset = reset_all,
};

static void destroy(void *card)
{
	struct robinnp *c = card;
	unsigned int s;

	for (s = 0; s < ROBINNP_SUBS; s++)
		robinnp_sub_free(&c->sub[s]);
	free(c);
}

static void reset(void *card, unsigned int fn)
{
	struct robinnp *c = card;
	unsigned int s;

	c->function_resets++;
	for (s = 0; s < ROBINNP_SUBS; s++)
		robinnp_power_on(&c->sub[s]);
	function_block_reset(&c->function);
	identity_default(&c->identity);
}

static void *create(const struct card_host *host)
{
	struct robinnp *c = calloc(1, sizeof(*c));
	unsigned int s, l;

	if (!c)
		return NULL;
	c->host = host;
	c->function.ops = &function_ops;
	c->function.model = c;
	c->identity = (struct identity){
		.id = FRAGMENT_CARD_ID_VALUE,
		.units = ROBINNP_SUBS | ROBINNP_LINKS << 8,
		.features = CARD_FEATURE_GENERATORS,
		.source_default = FRAGMENT_CARD_SOURCE_DEFAULT,
		.chip = CHIP,
		.clock = ROBINNP_CLOCK,
		.power_on_ns = robinnp_now(c),
	};
	robinnp_keys_default(c);
	for (s = 0; s < ROBINNP_SUBS; s++) {
		c->sub[s].card = c;
		c->sub[s].nr = s;
		for (l = 0; l < ROBINNP_LINKS; l++) {
			c->sub[s].link[l].sub = &c->sub[s];
			c->sub[s].link[l].nr = l;
		}
	}
	reset(c, ROBINNP_FN);
	robinnp_clear(c, ROBINNP_FN);
	return c;
}

static uint32_t peek(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	return bar == ROBINNP_BAR_DMA ? robinnp_read(card, off) : robinnp_open_read(card, off);
}

static uint32_t read_register(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	if (bar == ROBINNP_BAR_DMA)
		robinnp_reads(card, off);
	return peek(card, fn, bar, off);
}

static void write_register(void *card, unsigned int fn, unsigned int bar, uint32_t off,
			   uint32_t value)
{
	if (bar == ROBINNP_BAR_DMA)
		robinnp_write(card, off, value);
	else
		robinnp_open_write(card, off, value);
}

static bool stirs(void *card, unsigned int fn, unsigned int bar, uint32_t off)
{
	return bar != ROBINNP_BAR_DMA || robinnp_stirs(card, off);
}

static bool poke(void *card, unsigned int fn, unsigned int bar, uint32_t off, uint32_t value)
{
	return bar != ROBINNP_BAR_DMA && robinnp_open_poke(card, off, value);
}

static uint64_t step(void *card, unsigned int fn, size_t budget)
{
	return robinnp_step(card, budget);
}

static unsigned int vendor(void *card)
{
	return ROBINNP_VENDOR;
}

static unsigned int device(void *card)
{
	return ROBINNP_DEVICE;
}

static void messages(void *card, struct card_messages *m)
{
	struct robinnp *c = card;
	const uint32_t words[] = {
		FRAGMENT_VSEC_SIGNATURE_VALUE,
		ROBINNP_SUBS | ROBINNP_LINKS << 4 | ROBINNP_DATA_MAX << 8 |
			ROBINNP_COMMAND_MAX << 16 | c->identity.messages.vectors << 24,
		c->memory,
		ROBINNP_HOST_PAGES,
		ROBINNP_BAR_DMA | ROBINNP_SUB(0),
		ROBINNP_SUB(1) - ROBINNP_SUB(0),
		ROBINNP_BAR_DMA | ROBINNP_DOORBELL(0),
		ROBINNP_DOORBELL(1) - ROBINNP_DOORBELL(0),
		ROBINNP_BAR_DMA | ROBINNP_FUNCTION,
		ROBINNP_BAR_CARD | ROBINNP_CARD,
		ROBINNP_BAR_CARD | ROBINNP_COUNTS(0),
		ROBINNP_COUNTS(1) - ROBINNP_COUNTS(0),
		ROBINNP_BAR_CARD | ROBINNP_LINK(0),
		ROBINNP_LINK(1) - ROBINNP_LINK(0),
	};

	event_vectors(&c->identity.messages, m);
	m->vendor.id = FRAGMENT_VSEC_ID;
	m->vendor.revision = FRAGMENT_VSEC_REVISION;
	m->vendor.count = sizeof(words) / sizeof(words[0]);
	memcpy(m->vendor.word, words, sizeof(words));
	_Static_assert(sizeof(words) + VSEC_SIGNATURE == FRAGMENT_VSEC_LENGTH, "all of it");
}

static uint64_t dma_outside(void *card)
{
	return ((struct robinnp *)card)->dma_outside_ever;
}

const struct card_ops robinnp_card = {
	.name = "robinnp",
	.functions = 1,
	.bar_size =
		{
			[ROBINNP_BAR_DMA] = ROBINNP_BAR_DMA_SIZE,
			[ROBINNP_BAR_CARD] = ROBINNP_BAR_CARD_SIZE,
		},
	.pcie_gen = 2,
	.create = create,
	.destroy = destroy,
	.read = read_register,
	.write = write_register,
	.stirs = stirs,
	.peek = peek,
	.poke = poke,
	.step = step,
	.reset = reset,
	.keys = robinnp_keys,
	.faults = robinnp_fault_list,
	.fault_set = robinnp_fault_set,
	.fault_clear = robinnp_fault_clear,
	.fault_get = robinnp_fault_get,
	.counts = robinnp_counts,
	.clear = robinnp_clear,
	.vendor = vendor,
	.device = device,
	.messages = messages,
	.dma_outside = dma_outside,
};
