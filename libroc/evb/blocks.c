// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Builder unit: blocks. A block is open from its first part until each readout unit of its table
 * has sent or passed it, or until it is too old. Then the sink gets it, once.
 */
#include "block.h"

#include <errno.h>
#include <string.h>

#define POSTPONED_MOST                                                                             \
	16	     /* stale timeouts by which this builder's own delays can postpone a block */
#define BEGUN_MOST 2 /* MFPs of a readout unit that are in transit at the same time */
#define DONE_ROOM 64

/* Count the readout units that are missing in a block. */
static uint32_t waits_for(struct roc_evb *e, const struct evb_block *k)
{
	struct evb_builder *b = &e->bu;
	const struct evb_known *t = evb_table(e, k->number);
	uint32_t i, n = 0;

	/* The table by which the block was sent is unknown, so the sources are unknown. */
	if (!t || k->epoch > evb_newest(e)->table.epoch)
		return 1;
	for (i = 0; i < t->table.ru_count; i++) {
		const struct evb_sender *g = t->sender[i] < 0 ? NULL : &b->senders[t->sender[i]];
		uint32_t a = g ? k->arrivals[t->sender[i]] : EVB_NONE;

		if (a != EVB_NONE ? !g->arrivals[a].whole : !g || g->passed <= k->number)
			n++;
	}
	return n;
}

void evb_block_join(struct roc_evb *e, uint32_t block, struct evb_sender *g, struct evb_arrival *a,
		    uint64_t epoch)
{
	struct evb_block *k = &e->bu.blocks[block];

	if (epoch > k->epoch)
		k->epoch = epoch;
	g->arrivals_abandoned -= a->abandoned;
	a->abandoned = false;
	a->block = block;
	e->bu.blocks[block].arrivals[g - e->bu.senders] = (uint32_t)(a - g->arrivals);
}

/* Attach abandoned arrivals of the block, which can still be completed. */
static void join_again(struct roc_evb *e, uint32_t block)
{
	struct evb_builder *b = &e->bu;
	uint32_t n;

	for (n = 0; n < b->count; n++) {
		struct evb_sender *g = &b->senders[n];
		struct evb_arrival *a = evb_arrival_abandoned(g, b->blocks[block].number);

		if (a)
			evb_block_join(e, block, g, a, a->epoch);
	}
}

uint32_t evb_block_find(struct roc_evb *e, uint64_t number)
{
	uint32_t i = evb_block_slot(&e->bu, number);

	return i != EVB_NONE && e->bu.blocks[i].state == BLOCK_OPEN ? i : EVB_NONE;
}

uint32_t evb_block_of(struct roc_evb *e, uint64_t number)
{
	struct evb_builder *b = &e->bu;
	struct evb_block *k;
	uint32_t i;

	if (evb_block_slot(b, number) != EVB_NONE)
		return evb_block_find(e, number);
	if (evb_block_is_over(b, number) || b->free_first == EVB_NONE)
		return EVB_NONE;
	i = evb_block_open(b, number);
	k = &b->blocks[i];
	k->since = e->now;
	b->any = true;
	join_again(e, i);
	k->waiting = waits_for(e, k);
	if (b->open.count + b->ready.count + b->out > e->n.open_blocks_max)
		e->n.open_blocks_max = b->open.count + b->ready.count + b->out;
	return i;
}

void evb_block_has(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a)
{
	struct evb_block *k = &e->bu.blocks[a->block];

	a->whole = true;
	g->n.moved.count++;
	g->n.moved.bytes += a->bytes;
	e->n.received.count++;
	e->n.received.bytes += a->bytes;
	k->waiting = waits_for(e, k);
	if (!k->waiting)
		evb_block_close(e, a->block);
}

void evb_block_forget(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a)
{
	uint32_t block = a->block;

	a->block = EVB_NONE;
	evb_arrival_free(e, g, a);
	if (block == EVB_NONE)
		return;
	e->bu.blocks[block].arrivals[g - e->bu.senders] = EVB_NONE;
	evb_block_unless_begun(e, block);
}

void evb_block_unless_begun(struct roc_evb *e, uint32_t block)
{
	struct evb_builder *b = &e->bu;
	uint32_t n;

	for (n = 0; n < b->count; n++) {
		if (b->blocks[block].arrivals[n] != EVB_NONE)
			return;
	}
	/*
	 * No sender has begun it: a sender that reconnects again and again must not fill all slots.
	 */
	evb_block_unlink(b, &b->open, block);
	evb_block_release(e, block);
}

void evb_blocks_check(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	uint32_t i = b->open.first, n = b->open.count, next;

	for (; n; n--, i = next) {
		struct evb_block *k = &b->blocks[i];

		next = k->next;
		k->waiting = waits_for(e, k);
		if (!k->waiting)
			evb_block_close(e, i);
	}
}

/* Return true if the sender has begun more MFPs than it sends at once: it delays its own data. */
static bool dawdles(const struct roc_evb *e, const struct evb_sender *g)
{
	unsigned int i, begun = 0;

	for (i = 0; e->cfg.protocol != ROC_EVB_PULL && i < g->arrivals_pool; i++)
		begun += g->arrivals[i].used && !g->arrivals[i].whole;
	return g->arrivals_abandoned || begun > BEGUN_MOST;
}

/* Return true if the sender cannot send, or be read, until the sink returns a block. */
static bool has_no_room(const struct roc_evb *e, const struct evb_sender *g)
{
	if (g->free_arrival == EVB_NONE)
		return true;
	if (e->cfg.protocol != ROC_EVB_PULL)
		return g->lent + g->free_count < g->parts_max;
	return g->free_count < g->parts_max || g->reading >= g->arrivals_pool - g->arrivals_max;
}

/* Return true if the block waits for a sender that cannot send because its share is full here. */
static bool our_fault(struct roc_evb *e, const struct evb_block *k)
{
	struct evb_builder *b = &e->bu;
	const struct evb_known *t = evb_table(e, k->number);
	uint32_t i;

	if (!t || (!b->ready.count && !b->out))
		return false;
	for (i = 0; i < t->table.ru_count; i++) {
		const struct evb_sender *g = t->sender[i] < 0 ? NULL : &b->senders[t->sender[i]];

		if (!g || g->pair.state != PAIR_READY || evb_block_whole(b, k, t->sender[i]) ||
		    evb_block_has_none(k, g, (unsigned int)t->sender[i]) || dawdles(e, g))
			continue;
		if (has_no_room(e, g))
			return true;
	}
	return false;
}

static void abandon_old(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;

	while (b->open.count) {
		struct evb_block *k = &b->blocks[b->open.first];
		uint32_t i = b->open.first;
		bool was = k->is_blocked;

		if (e->now - k->since < e->cfg.stale_ns)
			return;
		/*
		 * A block that this builder delayed gets a full timeout again: the rest can arrive.
		 */
		k->is_blocked = our_fault(e, k);
		if (k->postponed < POSTPONED_MOST && (k->is_blocked || was)) {
			k->since = e->now;
			k->postponed++;
			evb_block_unlink(b, &b->open, i);
			evb_block_append(b, &b->open, i);
			continue;
		}
		e->n.stale += evb_block_close(e, i);
	}
}

static int sink_failed(struct roc_evb *e, int ret)
{
	return evb_fail(e, -ret, "The sink: %.400s", e->sink->reason(e->sink_self));
}

static int put_ready(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	int ret;

	while (b->ready.count) {
		uint32_t i = b->ready.first;
		struct evb_block *k = &b->blocks[i];

		ret = e->sink->put(e->sink_self, &k->mep);
		if (!ret)
			break;
		if (ret < 0 && ret != -ENOSPC)
			return sink_failed(e, ret);
		evb_block_unlink(b, &b->ready, i);
		if (ret < 0) {
			/* The node continues, possibly for days: log the first failure always. */
			if (!e->n.unsaved++)
				evb_log_always(e, "The sink: %.400s",
					       e->sink->reason(e->sink_self));
			evb_block_release(e, i);
			continue;
		}
		k->state = BLOCK_OUT;
		b->out++;
		e->n.out.count++;
		e->n.out.bytes += roc_mep_bytes(&k->mep);
		e->progress = true;
	}
	ret = e->sink->flush ? e->sink->flush(e->sink_self) : 0;
	return ret ? sink_failed(e, ret) : 0;
}

static int collect_returned(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	uint64_t handles[DONE_ROOM];
	int n, i;

	do {
		n = e->sink->done(e->sink_self, handles, DONE_ROOM);
		if (n < 0)
			return sink_failed(e, n);
		for (i = 0; i < n; i++) {
			uint32_t slot = (uint32_t)handles[i];

			if (slot >= b->block_count || b->blocks[slot].state != BLOCK_OUT ||
			    b->blocks[slot].generation != handles[i] >> 32)
				return evb_fail(
					e, EPROTO,
					"The sink %s returned a block that is not lent to the sink.",
					e->sink->name);
			b->out--;
			evb_block_release(e, slot);
		}
	} while (n == DONE_ROOM);
	return 0;
}

int evb_blocks_step(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	int ret;

	abandon_old(e);
	ret = put_ready(e);
	if (!ret)
		ret = collect_returned(e);
	e->n.open_blocks = b->open.count + b->ready.count + b->out;
	e->n.ready_blocks = b->ready.count;
	return ret;
}

void evb_blocks_abandon(struct roc_evb *e)
{
	while (e->bu.open.count)
		evb_block_close(e, e->bu.open.first);
}

void evb_blocks_tables(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	unsigned int i, k, n;

	for (k = 0; k < e->table_count; k++) {
		struct evb_known *t = &e->tables[k];

		for (n = 0; n < b->count; n++)
			t->ru_of[n] = -1;
		for (i = 0; i < t->table.ru_count; i++) {
			t->sender[i] = -1;
			for (n = 0; n < b->count; n++) {
				struct evb_sender *g = &b->senders[n];

				if (!g->used || strcmp(g->name, t->table.rus[i].name) ||
				    g->incarnation != t->table.rus[i].incarnation)
					continue;
				t->sender[i] = (int16_t)n;
				t->ru_of[n] = (int16_t)i;
			}
		}
	}
	evb_blocks_check(e);
}
