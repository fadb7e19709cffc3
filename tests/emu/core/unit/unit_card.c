// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A card of units: creation, reset, callbacks of the function block, and the step that serves all
 * units. See unit.h.
 */
#include "unit.h"

#include <stdlib.h>

#define MS 1000000ull

void unit_card_destroy(void *card)
{
	struct unit_card *c = card;
	unsigned int i;

	for (i = 0; i < c->ops->count; i++) {
		c->ops->free(unit_of(c, i));
		free(unit_of(c, i)->table);
	}
	free(c);
}

void *unit_card_create(const struct card_host *host, const struct unit_ops *ops)
{
	struct unit_card *c = calloc(1, ops->card_size);
	bool failed = false;
	unsigned int i;

	if (!c)
		return NULL;
	c->ops = ops;
	c->host = host;
	c->function.ops = &ops->function;
	c->function.model = c;
	c->identity = *ops->identity;
	c->identity.power_on_ns = host->now(host->ctx);
	for (i = 0; i < ops->count; i++) {
		unit_of(c, i)->card = c;
		unit_of(c, i)->nr = i;
		failed |= ops->init(unit_of(c, i));
	}
	if (failed) {
		unit_card_destroy(c);
		return NULL;
	}
	unit_card_reset(c, UNIT_FN);
	unit_card_clear(c, UNIT_FN);
	return c;
}

static void card_default(struct unit_card *c)
{
	identity_default(&c->identity);
	if (c->ops->card_default)
		c->ops->card_default(c);
}

void unit_card_reset(void *card, unsigned int fn)
{
	struct unit_card *c = card;
	unsigned int i;

	c->function_resets++;
	for (i = 0; i < c->ops->count; i++)
		unit_power_on(unit_of(c, i));
	function_block_reset(&c->function);
	card_default(c);
}

bool unit_card_notice(void *card, uint64_t addr, const void *data, size_t bytes)
{
	return unit_put(unit_of(card, 0), addr, data, bytes);
}

uint32_t unit_card_trouble(const void *card)
{
	const struct unit_card *c = card;
	uint32_t mask = 0;
	unsigned int i;

	for (i = 0; i < c->ops->count; i++) {
		if (unit_status(unit_of(c, i)) & c->ops->trouble)
			mask |= 1u << i;
	}
	return mask;
}

void unit_card_reset_all(void *card, uint32_t levels)
{
	struct unit_card *c = card;
	bool ignored = false;
	unsigned int i;

	for (i = 0; i < c->ops->count; i++) {
		unit_reset(unit_of(c, i), levels);
		ignored |= unit_of(c, i)->fault[UNIT_RESET_IGNORED];
	}
	if (levels & BLOCK_RESET_DEFAULT && !ignored)
		card_default(c);
}

static uint64_t spurious_turn(struct unit_card *c, uint64_t now)
{
	uint64_t ms = c->fault[UNIT_IRQ_SPURIOUS];
	unsigned int i, v;

	if (!c->spurious_now && (!ms || c->spurious_ns > now))
		return ms ? c->spurious_ns : CARD_STEP_IDLE;
	for (i = 0; i < c->ops->count; i++) {
		struct unit *u = unit_of(c, i);

		for (v = 0; u->enabled && v < c->ops->vectors; v++) {
			if (u->vector[v] != FUNCTION_VECTOR_NONE)
				c->ops->spurious(u, v);
		}
	}
	c->spurious_now = false;
	c->spurious_ns = now + ms * MS;
	return ms ? c->spurious_ns : CARD_STEP_IDLE;
}

uint64_t unit_card_step(void *card, unsigned int fn, size_t budget)
{
	struct unit_card *c = card;
	uint64_t now = c->host->now(c->host->ctx), soonest = spurious_turn(c, now), when;
	unsigned int idle = 0; /* units in a row without work */
	size_t moved = 0;

	while (moved < budget && idle < c->ops->count) {
		struct unit *u = unit_of(c, c->turn);
		size_t left = budget - moved, bytes = 0;

		when = unit_life_turn(u, now);
		if (!u->fault[UNIT_STALL])
			bytes = c->ops->turn(u, now, left < c->ops->slice ? left : c->ops->slice,
					     &when);
		c->turn = (c->turn + 1) % c->ops->count;
		moved += bytes;
		idle = bytes ? 0 : idle + 1;
		soonest = earlier(soonest, when);
	}
	function_block_turn(&c->function, c->host, UNIT_FN, c->identity.temperature);
	return idle < c->ops->count || soonest <= now ? CARD_STEP_AGAIN : soonest;
}

unsigned int unit_card_vendor(void *card)
{
	return ((struct unit_card *)card)->ops->vendor;
}

unsigned int unit_card_device(void *card)
{
	return ((struct unit_card *)card)->ops->device;
}

void unit_card_messages(void *card, struct card_messages *m)
{
	const struct unit_card *c = card;

	event_vectors(&c->identity.messages, m);
	m->vendor.id = c->ops->vsec.id;
	m->vendor.revision = c->ops->vsec.revision;
	m->vendor.count = c->ops->vsec.count;
	c->ops->vsec_words(c, m->vendor.word);
}

uint64_t unit_card_outside(void *card)
{
	return ((struct unit_card *)card)->dma_outside_ever;
}
