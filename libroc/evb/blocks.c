// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Builder unit: blocks. One is open from the first part of it that comes until all readout units
 * that its table names are here, or said that they have nothing, or it is too old; then the sink
 * has it, once.
 */
#include "engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DELIVERED (1 << 16) /* blocks that are remembered */
/* A number so far below one that was delivered is not late: that one was wrong. */
#define BEHIND_MOST (UINT64_C(1) << 24)
#define NEAR (DELIVERED / 2) /* to the highest that was whole */
#define SPARE 64	     /* blocks of which nothing is here any more */
#define POSTPONED_MOST 16    /* stale timeouts for which a block can be our own fault */
#define BEGUN_MOST 2	     /* MFPs of a readout unit that are on their way at the same time */
#define DONE_ROOM 64

int evb_blocks_new(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	uint32_t *arrivals;
	struct roc_mep_source *sources;
	uint32_t i, hash = 16;

	b->block_count = b->count * e->cfg.in_flight + SPARE;
	/* What was read stays, until the sink is done, beside what is announced. */
	if (e->cfg.protocol == ROC_EVB_PULL)
		b->block_count += b->count * EVB_READ_MOST;
	while (hash < 2 * b->block_count)
		hash *= 2;
	b->hash_mask = hash - 1;
	b->blocks = calloc(b->block_count, sizeof(*b->blocks));
	b->hash = malloc(hash * sizeof(*b->hash));
	b->delivered = calloc(DELIVERED, sizeof(*b->delivered));
	b->odd = calloc(DELIVERED, sizeof(*b->odd));
	arrivals = malloc((size_t)b->block_count * b->count * sizeof(*arrivals));
	sources = calloc((size_t)b->block_count * b->count, sizeof(*sources));
	if (!b->blocks || !b->hash || !b->delivered || !b->odd || !arrivals || !sources) {
		free(arrivals);
		free(sources);
		return -ENOMEM;
	}
	memset(b->hash, 0xff, hash * sizeof(*b->hash));
	b->free_first = EVB_NOBODY;
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

static void append(struct evb_builder *b, struct evb_blocks *l, uint32_t i)
{
	struct evb_block *k = &b->blocks[i];

	k->next = EVB_NOBODY;
	k->prev = l->count ? l->last : EVB_NOBODY;
	if (l->count++)
		b->blocks[l->last].next = i;
	else
		l->first = i;
	l->last = i;
}

static void take_out(struct evb_builder *b, struct evb_blocks *l, uint32_t i)
{
	struct evb_block *k = &b->blocks[i];

	if (k->prev == EVB_NOBODY)
		l->first = k->next;
	else
		b->blocks[k->prev].next = k->next;
	if (k->next == EVB_NOBODY)
		l->last = k->prev;
	else
		b->blocks[k->next].prev = k->prev;
	l->count--;
}

static uint32_t *bucket(struct evb_builder *b, uint64_t number)
{
	return &b->hash[(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & b->hash_mask];
}

/* It has said that it has nothing of it. What it has sent, or announced, may be on its way yet. */
static bool has_none(const struct evb_block *k, const struct evb_guest *g, unsigned int guest)
{
	return k->arrivals[guest] == EVB_NOBODY && g->passed > k->number;
}

/* Readout units that the block still waits for. */
static uint32_t waits_for(struct roc_evb *e, const struct evb_block *k)
{
	struct evb_builder *b = &e->bu;
	const struct evb_known *t = evb_table(e, k->number);
	uint32_t i, n = 0;

	/* As long as the table by which it was sent is not known nobody can say. */
	if (!t || k->epoch > evb_newest(e)->table.epoch)
		return 1;
	for (i = 0; i < t->table.ru_count; i++) {
		const struct evb_guest *g = t->guest[i] < 0 ? NULL : &b->guests[t->guest[i]];
		uint32_t a = g ? k->arrivals[t->guest[i]] : EVB_NOBODY;

		if (a != EVB_NOBODY ? !g->arrivals[a].whole : !g || g->passed <= k->number)
			n++;
	}
	return n;
}

uint32_t evb_block_find(struct roc_evb *e, uint64_t number)
{
	struct evb_builder *b = &e->bu;
	uint32_t i;

	for (i = *bucket(b, number); i != EVB_NOBODY; i = b->blocks[i].next_hash) {
		if (b->blocks[i].number == number && b->blocks[i].state == BLOCK_OPEN)
			return i;
	}
	return EVB_NOBODY;
}

/* Was it delivered, or is it older than what is remembered? */
static bool is_over(const struct evb_builder *b, uint64_t number)
{
	uint64_t before = b->delivered[number % DELIVERED];

	return (before > number && before - number < BEHIND_MOST) ||
	       b->odd[number % DELIVERED] == number + 1;
}

/*
 * A block that lacks something and is far from those that were whole may be what a single one made
 * of a wrong id, or of many: that one is remembered, and nothing follows for those before it.
 */
static void remember(struct evb_builder *b, const struct evb_block *k)
{
	uint64_t number = k->number;
	uint64_t apart = number > b->whole ? number - b->whole : b->whole - number;

	if (!(k->mep.flags & ROC_MEP_INCOMPLETE) || (b->has_built && apart < NEAR))
		b->delivered[number % DELIVERED] = number + 1;
	else
		b->odd[number % DELIVERED] = number + 1;
}

void evb_block_join(struct roc_evb *e, uint32_t block, struct evb_guest *g, struct evb_arrival *a,
		    uint64_t epoch)
{
	struct evb_block *k = &e->bu.blocks[block];

	if (epoch > k->epoch)
		k->epoch = epoch;
	g->arrivals_given_up -= a->given_up;
	a->given_up = false;
	a->block = block;
	e->bu.blocks[block].arrivals[g - e->bu.guests] = (uint32_t)(a - g->arrivals);
}

/* What was given up of it can be whole yet. */
static void join_again(struct roc_evb *e, uint32_t block)
{
	struct evb_builder *b = &e->bu;
	uint32_t n;

	for (n = 0; n < b->count; n++) {
		struct evb_guest *g = &b->guests[n];
		struct evb_arrival *a = evb_arrival_given_up(g, b->blocks[block].number);

		if (a)
			evb_block_join(e, block, g, a, a->epoch);
	}
}

uint32_t evb_block_of(struct roc_evb *e, uint64_t number)
{
	struct evb_builder *b = &e->bu;
	uint32_t *at = bucket(b, number), i;
	struct evb_block *k;

	for (i = *at; i != EVB_NOBODY; i = b->blocks[i].next_hash) {
		if (b->blocks[i].number == number)
			return b->blocks[i].state == BLOCK_OPEN ? i : EVB_NOBODY;
	}
	if (is_over(b, number) || b->free_first == EVB_NOBODY)
		return EVB_NOBODY;
	i = b->free_first;
	k = &b->blocks[i];
	b->free_first = k->next;
	k->state = BLOCK_OPEN;
	k->number = number;
	k->since = e->now;
	k->postponed = 0;
	k->held_up = false;
	k->epoch = 0;
	k->generation++;
	memset(k->arrivals, 0xff, b->count * sizeof(*k->arrivals));
	k->next_hash = *at;
	*at = i;
	append(b, &b->open, i);
	b->any = true;
	join_again(e, i);
	k->waiting = waits_for(e, k);
	if (b->open.count + b->ready.count + b->out > e->n.open_blocks_max)
		e->n.open_blocks_max = b->open.count + b->ready.count + b->out;
	return i;
}

/* What is here of a guest for a block; NULL: nothing that is whole. */
static struct evb_arrival *whole(struct evb_builder *b, const struct evb_block *k, int guest)
{
	struct evb_arrival *a;

	if (guest < 0 || k->arrivals[guest] == EVB_NOBODY)
		return NULL;
	a = &b->guests[guest].arrivals[k->arrivals[guest]];
	return a->whole ? a : NULL;
}

/* Time of a MFP by our clock. */
static uint64_t our_time(const struct evb_guest *g, uint64_t time)
{
	return g->pair.round_trip ? time - (uint64_t)g->pair.skew : time;
}

static void one_source(struct roc_evb *e, struct evb_block *k, int guest, const char *name,
		       uint32_t i)
{
	struct evb_arrival *a = whole(&e->bu, k, guest);
	struct roc_mep_source *s = &k->sources[i];
	struct evb_guest *g = guest < 0 ? NULL : &e->bu.guests[guest];
	uint64_t time;

	memset(s->name, 0, sizeof(s->name));
	memcpy(s->name, name, strnlen(name, sizeof(s->name) - 1));
	if (a) {
		s->state = ROC_MEP_HERE;
		s->view = a->view;
		if (a->view.head.flags & ROC_MFP_DAMAGED)
			k->mep.flags |= ROC_MEP_DAMAGED;
		time = our_time(g, a->view.head.time);
		if (a->view.head.time && (!k->mep.time || time < k->mep.time))
			k->mep.time = time;
		g->n.stale = 0;
		return;
	}
	k->mep.flags |= ROC_MEP_INCOMPLETE;
	s->state = g && has_none(k, g, (unsigned int)guest) ? ROC_MEP_GONE : ROC_MEP_MISSING;
	if (s->state == ROC_MEP_GONE) {
		e->n.gone++;
	} else {
		e->n.missing++;
		if (g)
			g->n.stale++;
	}
}

/* From the trigger to now, in a bin of four to each power of two. */
static void count_latency(struct roc_evb *e, uint64_t time)
{
	uint64_t now = fabric_realtime();
	unsigned int bin = 0;

	if (!time)
		return;
	while (bin + 1 < ROC_EVB_LATENCIES && now > time &&
	       now - time >= roc_evb_latency_ns(bin + 1))
		bin++;
	e->n.latency[bin]++;
}

static void release(struct roc_evb *e, uint32_t i)
{
	struct evb_builder *b = &e->bu;
	struct evb_block *k = &b->blocks[i];
	uint32_t *at = bucket(b, k->number), n;

	while (*at != i)
		at = &b->blocks[*at].next_hash;
	*at = k->next_hash;
	for (n = 0; n < b->count; n++) {
		struct evb_guest *g = &b->guests[n];

		if (k->arrivals[n] != EVB_NOBODY)
			evb_arrival_free(e, g, &g->arrivals[k->arrivals[n]]);
	}
	k->state = BLOCK_FREE;
	k->next = b->free_first;
	b->free_first = i;
	e->progress = true;
}

/*
 * How far the system has come, of which those that are started anew go on: all readout units say so
 * by a block that is whole. One that lacks something may be what a single one made of a wrong id.
 */
static void note_built(struct evb_builder *b, const struct evb_block *k)
{
	if (!(k->mep.flags & ROC_MEP_INCOMPLETE)) {
		if (!b->has_built || k->number > b->whole)
			b->whole = k->number;
		b->has_built = true;
	} else if (!b->has_built || (k->number > b->whole && k->number - b->whole > DELIVERED)) {
		return;
	}
	if (k->number > b->built)
		b->built = k->number;
}

/* What is not whole, or is of nobody who should have sent it, has no use any more. */
static void drop_rest(struct roc_evb *e, struct evb_block *k, const struct evb_known *t)
{
	struct evb_builder *b = &e->bu;
	uint32_t n;

	for (n = 0; n < b->count; n++) {
		struct evb_guest *g = &b->guests[n];
		struct evb_arrival *a;

		if (k->arrivals[n] == EVB_NOBODY)
			continue;
		a = &g->arrivals[k->arrivals[n]];
		if (a->whole && t && t->ru_of[n] >= 0)
			continue;
		e->n.late += a->whole;
		k->arrivals[n] = EVB_NOBODY;
		evb_arrival_give_up(e, g, a);
	}
}

static bool has_any(struct evb_builder *b, const struct evb_block *k, const struct evb_known *t)
{
	uint32_t n;

	for (n = 0; t && n < b->count; n++) {
		if (t->ru_of[n] >= 0 && whole(b, k, (int)n))
			return true;
	}
	return false;
}

/* The block is closed: the sink gets it as it is. False: nothing is here that it could get. */
static bool make_ready(struct roc_evb *e, uint32_t i)
{
	struct evb_builder *b = &e->bu;
	struct evb_block *k = &b->blocks[i];
	const struct evb_known *t = evb_table(e, k->number);
	uint32_t n;

	take_out(b, &b->open, i);
	e->progress = true;
	/* That nobody who should has sent it says nothing about others, and later ones. */
	if (!has_any(b, k, t)) {
		drop_rest(e, k, t);
		release(e, i);
		return false;
	}
	append(b, &b->ready, i);
	k->state = BLOCK_READY;
	k->mep = (struct roc_mep){
		.block = k->number,
		.first_event = k->number * e->cfg.events,
		.handle = (uint64_t)k->generation << 32 | i,
		.events = e->cfg.events,
		.epoch = (uint32_t)t->table.epoch,
		.count = t->table.ru_count <= b->count ? t->table.ru_count : b->count,
		.sources = k->sources,
	};
	for (n = 0; n < k->mep.count; n++)
		one_source(e, k, t->guest[n], t->table.rus[n].name, n);
	/* By a table that never came there may be others. */
	if (k->epoch > t->table.epoch)
		k->mep.flags |= ROC_MEP_INCOMPLETE;
	drop_rest(e, k, t);
	remember(b, k);
	note_built(b, k);
	if (k->mep.flags & ROC_MEP_INCOMPLETE) {
		e->n.incomplete++;
	} else {
		e->n.complete++;
		count_latency(e, k->mep.time);
	}
	e->n.damaged += !!(k->mep.flags & ROC_MEP_DAMAGED);
	return true;
}

void evb_block_has(struct roc_evb *e, struct evb_guest *g, struct evb_arrival *a)
{
	struct evb_block *k = &e->bu.blocks[a->block];

	a->whole = true;
	g->n.moved.count++;
	g->n.moved.bytes += a->bytes;
	e->n.received.count++;
	e->n.received.bytes += a->bytes;
	k->waiting = waits_for(e, k);
	if (!k->waiting)
		make_ready(e, a->block);
}

void evb_block_forget(struct roc_evb *e, struct evb_guest *g, struct evb_arrival *a)
{
	uint32_t block = a->block;

	a->block = EVB_NOBODY;
	evb_arrival_free(e, g, a);
	if (block == EVB_NOBODY)
		return;
	e->bu.blocks[block].arrivals[g - e->bu.guests] = EVB_NOBODY;
	evb_block_unless_begun(e, block);
}

void evb_block_unless_begun(struct roc_evb *e, uint32_t block)
{
	struct evb_builder *b = &e->bu;
	uint32_t n;

	for (n = 0; n < b->count; n++) {
		if (b->blocks[block].arrivals[n] != EVB_NOBODY)
			return;
	}
	/* Nobody else has begun it: who comes and goes must not take all places for blocks. */
	take_out(b, &b->open, block);
	release(e, block);
}

void evb_blocks_look(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	uint32_t i = b->open.first, n = b->open.count, next;

	for (; n; n--, i = next) {
		struct evb_block *k = &b->blocks[i];

		next = k->next;
		k->waiting = waits_for(e, k);
		if (!k->waiting)
			make_ready(e, i);
	}
}

/* It has begun more than it would at once if it had only room: what it holds it holds itself. */
static bool dawdles(const struct roc_evb *e, const struct evb_guest *g)
{
	unsigned int i, begun = 0;

	for (i = 0; e->cfg.protocol != ROC_EVB_PULL && i < g->arrivals_pool; i++)
		begun += g->arrivals[i].used && !g->arrivals[i].whole;
	return g->arrivals_given_up || begun > BEGUN_MOST;
}

/* Nothing of its can come, or be read, before the sink is done with something. */
static bool has_no_room(const struct roc_evb *e, const struct evb_guest *g)
{
	if (g->free_arrival == EVB_NOBODY)
		return true;
	if (e->cfg.protocol != ROC_EVB_PULL)
		return g->lent + g->free_count < g->parts_max;
	return g->free_count < g->parts_max || g->reading >= g->arrivals_pool - g->arrivals_max;
}

/* Does it wait for somebody who cannot send because we hold all that is his? */
static bool our_fault(struct roc_evb *e, const struct evb_block *k)
{
	struct evb_builder *b = &e->bu;
	const struct evb_known *t = evb_table(e, k->number);
	uint32_t i;

	if (!t || (!b->ready.count && !b->out))
		return false;
	for (i = 0; i < t->table.ru_count; i++) {
		const struct evb_guest *g = t->guest[i] < 0 ? NULL : &b->guests[t->guest[i]];

		if (!g || g->pair.state != PAIR_READY || whole(b, k, t->guest[i]) ||
		    has_none(k, g, (unsigned int)t->guest[i]) || dawdles(e, g))
			continue;
		if (has_no_room(e, g))
			return true;
	}
	return false;
}

static void give_up_old(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;

	while (b->open.count) {
		struct evb_block *k = &b->blocks[b->open.first];
		uint32_t i = b->open.first;
		bool was = k->held_up;

		if (e->now - k->since < e->cfg.stale_ns)
			return;
		/* What was our fault until now has all of its time once more: the rest can come. */
		k->held_up = our_fault(e, k);
		if (k->postponed < POSTPONED_MOST && (k->held_up || was)) {
			k->since = e->now;
			k->postponed++;
			take_out(b, &b->open, i);
			append(b, &b->open, i);
			continue;
		}
		e->n.stale += make_ready(e, i);
	}
}

static int sink_failed(struct roc_evb *e, int ret)
{
	return evb_fail(e, -ret, "The sink: %.400s", e->sink->why(e->sink_self));
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
		take_out(b, &b->ready, i);
		if (ret < 0) {
			e->n.unsaved++;
			release(e, i);
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

static int take_back(struct roc_evb *e)
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
				return evb_fail(e, EPROTO,
						"The sink %s gives back what it does not have.",
						e->sink->name);
			b->out--;
			release(e, slot);
		}
	} while (n == DONE_ROOM);
	return 0;
}

int evb_blocks_step(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	int ret;

	give_up_old(e);
	ret = put_ready(e);
	if (!ret)
		ret = take_back(e);
	e->n.open_blocks = b->open.count + b->ready.count + b->out;
	e->n.ready_blocks = b->ready.count;
	return ret;
}

void evb_blocks_give_up(struct roc_evb *e)
{
	while (e->bu.open.count)
		make_ready(e, e->bu.open.first);
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
			t->guest[i] = -1;
			for (n = 0; n < b->count; n++) {
				struct evb_guest *g = &b->guests[n];

				if (!g->used || strcmp(g->name, t->table.rus[i].name) ||
				    g->incarnation != t->table.rus[i].incarnation)
					continue;
				t->guest[i] = (int16_t)n;
				t->ru_of[n] = (int16_t)i;
			}
		}
	}
	evb_blocks_look(e);
}
