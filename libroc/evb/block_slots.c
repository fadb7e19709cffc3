// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Builder unit: storage of blocks, by number and in lists, and the record of delivered blocks.
 */
#include "block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* If a block is this far below a delivered one, the delivered number was wrong. */
#define BEHIND_MOST (UINT64_C(1) << 24)
#define NEAR (EVB_DELIVERED / 2) /* to the highest block that all sources had sent or passed */
#define SPARE 64		 /* slots for blocks without an arrival */

int evb_blocks_new(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	uint32_t *arrivals;
	struct roc_mep_source *sources;
	uint32_t i, hash = 16;

	b->block_count = b->count * e->cfg.in_flight + SPARE;
	/* MFPs that were read stay until the sink returns them, beside the announced ones. */
	if (e->cfg.protocol == ROC_EVB_PULL)
		b->block_count += b->count * EVB_READ_MOST;
	while (hash < 2 * b->block_count)
		hash *= 2;
	b->hash_mask = hash - 1;
	b->blocks = calloc(b->block_count, sizeof(*b->blocks));
	b->hash = malloc(hash * sizeof(*b->hash));
	b->delivered = calloc(EVB_DELIVERED, sizeof(*b->delivered));
	b->odd = calloc(EVB_DELIVERED, sizeof(*b->odd));
	arrivals = malloc((size_t)b->block_count * b->count * sizeof(*arrivals));
	sources = calloc((size_t)b->block_count * b->count, sizeof(*sources));
	if (!b->blocks || !b->hash || !b->delivered || !b->odd || !arrivals || !sources) {
		free(arrivals);
		free(sources);
		return -ENOMEM;
	}
	memset(b->hash, 0xff, hash * sizeof(*b->hash));
	b->free_first = EVB_NONE;
	for (i = b->block_count; i--;) {
		b->blocks[i].arrivals = arrivals + (size_t)i * b->count;
		b->blocks[i].sources = sources + (size_t)i * b->count;
		b->blocks[i].next = b->free_first;
		b->free_first = i;
	}
	return 0;
}

void evb_blocks_free(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;

	if (b->blocks) {
		free(b->blocks[0].arrivals);
		free(b->blocks[0].sources);
	}
	free(b->blocks);
	free(b->hash);
	free(b->delivered);
	free(b->odd);
	b->blocks = NULL;
	b->hash = NULL;
	b->delivered = b->odd = NULL;
}

void evb_block_append(struct evb_builder *b, struct evb_blocks *l, uint32_t i)
{
	struct evb_block *k = &b->blocks[i];

	k->next = EVB_NONE;
	k->prev = l->count ? l->last : EVB_NONE;
	if (l->count++)
		b->blocks[l->last].next = i;
	else
		l->first = i;
	l->last = i;
}

void evb_block_unlink(struct evb_builder *b, struct evb_blocks *l, uint32_t i)
{
	struct evb_block *k = &b->blocks[i];

	if (k->prev == EVB_NONE)
		l->first = k->next;
	else
		b->blocks[k->prev].next = k->next;
	if (k->next == EVB_NONE)
		l->last = k->prev;
	else
		b->blocks[k->next].prev = k->prev;
	l->count--;
}

static uint32_t *bucket(const struct evb_builder *b, uint64_t number)
{
	return &b->hash[(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & b->hash_mask];
}

uint32_t evb_block_slot(const struct evb_builder *b, uint64_t number)
{
	uint32_t i = *bucket(b, number);

	while (i != EVB_NONE && b->blocks[i].number != number)
		i = b->blocks[i].next_hash;
	return i;
}

uint32_t evb_block_open(struct evb_builder *b, uint64_t number)
{
	uint32_t *at = bucket(b, number), i = b->free_first;
	struct evb_block *k = &b->blocks[i];

	b->free_first = k->next;
	k->state = BLOCK_OPEN;
	k->number = number;
	k->postponed = 0;
	k->is_blocked = false;
	k->epoch = 0;
	k->generation++;
	memset(k->arrivals, 0xff, b->count * sizeof(*k->arrivals));
	k->next_hash = *at;
	*at = i;
	evb_block_append(b, &b->open, i);
	return i;
}

bool evb_block_is_over(const struct evb_builder *b, uint64_t number)
{
	uint64_t before = b->delivered[number % EVB_DELIVERED];

	return (before > number && before - number < BEHIND_MOST) ||
	       b->odd[number % EVB_DELIVERED] == number + 1;
}

/*
 * Remember a delivered block. An incomplete block far from those that all sources had sent or
 * passed may come from one unit with wrong event ids. It is remembered separately, so that no
 * earlier block counts as over.
 */
void evb_block_remember(struct evb_builder *b, const struct evb_block *k)
{
	uint64_t number = k->number;
	uint64_t distance = number > b->whole ? number - b->whole : b->whole - number;

	if (!k->lacks || (b->has_built && distance < NEAR))
		b->delivered[number % EVB_DELIVERED] = number + 1;
	else
		b->odd[number % EVB_DELIVERED] = number + 1;
}

void evb_block_release(struct roc_evb *e, uint32_t i)
{
	struct evb_builder *b = &e->bu;
	struct evb_block *k = &b->blocks[i];
	uint32_t *at = bucket(b, k->number), n;

	while (*at != i)
		at = &b->blocks[*at].next_hash;
	*at = k->next_hash;
	for (n = 0; n < b->count; n++) {
		struct evb_sender *g = &b->senders[n];

		if (k->arrivals[n] != EVB_NONE)
			evb_arrival_free(e, g, &g->arrivals[k->arrivals[n]]);
	}
	k->state = BLOCK_FREE;
	k->next = b->free_first;
	b->free_first = i;
	e->progress = true;
}
