// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Builder unit: the memory share of a readout unit, and the MFPs in it. A segment is free, lent to
 * the readout unit, or has data until the sink returns them.
 */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MOST (1 << 22)  /* of all arrivals of a sender */
#define PIECES_MOST (1 << 22) /* of all MFPs that a sender may announce at once */

unsigned char *evb_segment_at(const struct evb_sender *g, uint32_t segment)
{
	return g->memory + segment / g->per_region * g->region +
	       segment % g->per_region * g->segment;
}

void evb_uncut(struct evb_sender *g)
{
	free(g->slots);
	free(g->free_list);
	free(g->arrivals);
	free(g->parts);
	free(g->pieces);
	free(g->from);
	free(g->from_list);
	free(g->gots);
	g->slots = NULL;
	g->free_list = NULL;
	g->arrivals = NULL;
	g->parts = NULL;
	g->pieces = NULL;
	g->from = NULL;
	g->from_list = NULL;
	g->gots = NULL;
	g->segments = g->arrivals_max = g->arrivals_pool = 0;
	g->free_count = g->from_count = g->lent = 0;
}

static uint64_t segment_for(const struct roc_evb *e, const struct evb_sender *g, uint64_t mfp_max,
			    bool single)
{
	uint64_t bytes = e->cfg.segment, whole = mfp_max + EVB_SEGMENT_HEAD;

	if (single)
		bytes = whole;
	else if (bytes > whole)
		bytes = whole;
	if (bytes > g->region && !single)
		bytes = g->region;
	bytes = (bytes + EVB_SEGMENT_HEAD - 1) & ~(uint64_t)(EVB_SEGMENT_HEAD - 1);
	return bytes < EVB_SEGMENT_MIN ? EVB_SEGMENT_MIN : bytes;
}

static int allocate(struct evb_sender *g)
{
	uint32_t i;

	g->slots = calloc(g->segments, sizeof(*g->slots));
	g->free_list = calloc(g->segments, sizeof(*g->free_list));
	g->arrivals = calloc(g->arrivals_pool, sizeof(*g->arrivals));
	g->parts = calloc((size_t)g->arrivals_pool * g->parts_max, sizeof(*g->parts));
	g->pieces = calloc((size_t)g->arrivals_pool * g->parts_max, sizeof(*g->pieces));
	g->gots = calloc(g->arrivals_max, sizeof(*g->gots));
	if (g->pieces_max) {
		g->from = calloc((size_t)g->arrivals_max * g->pieces_max, sizeof(*g->from));
		g->from_list = calloc(g->arrivals_max, sizeof(*g->from_list));
	}
	if (!g->slots || !g->free_list || !g->arrivals || !g->parts || !g->pieces || !g->gots ||
	    (g->pieces_max && (!g->from || !g->from_list)))
		return -ENOMEM;
	for (g->from_count = 0; g->from && g->from_count < g->arrivals_max; g->from_count++)
		g->from_list[g->from_count] = g->from + (size_t)g->from_count * g->pieces_max;
	for (i = 0; i < g->segments; i++)
		g->free_list[i] = g->segments - 1 - i;
	g->free_count = g->segments;
	g->free_arrival = EVB_NONE;
	for (i = g->arrivals_pool; i--;) {
		struct evb_arrival *a = &g->arrivals[i];

		a->segments = g->parts + (size_t)i * g->parts_max;
		a->pieces = g->pieces + (size_t)i * g->parts_max;
		a->next = g->free_arrival;
		g->free_arrival = i;
	}
	return 0;
}

static uint32_t arrivals_to_pull(struct evb_sender *g)
{
	uint64_t most = PARTS_MOST / g->parts_max, pool;

	if (g->arrivals_max > PIECES_MOST / g->pieces_max)
		g->arrivals_max = PIECES_MOST / g->pieces_max;
	if (most < 2)
		most = 2;
	pool = g->segments < EVB_READ_MOST ? g->segments : EVB_READ_MOST;
	pool += g->arrivals_max;
	if (pool > most)
		pool = most;
	if (g->arrivals_max > pool / 2)
		g->arrivals_max = (uint32_t)(pool / 2);
	return (uint32_t)pool;
}

int evb_cut(struct roc_evb *e, struct evb_sender *g, uint64_t mfp_max, uint32_t pieces_max,
	    bool single)
{
	uint64_t segment = segment_for(e, g, mfp_max, single), segments, most;
	int ret;

	if (g->arrivals && g->mfp_max == mfp_max && g->pieces_max == pieces_max)
		return 0;
	if (g->arrivals_used)
		return -EBUSY;
	evb_uncut(g);
	if (segment > g->region)
		return -EMSGSIZE;
	g->per_region =
		g->region / segment < EVB_SEGMENTS ? (uint32_t)(g->region / segment) : EVB_SEGMENTS;
	segments = (uint64_t)g->per_region * g->regions;
	g->segments = segments < EVB_SEGMENTS ? (uint32_t)segments : EVB_SEGMENTS;
	g->segment = segment;
	g->room = segment - EVB_SEGMENT_HEAD;
	g->mfp_max = mfp_max;
	g->pieces_max = pieces_max;
	most = evb_parts(mfp_max, g->room);
	if (most > g->segments) {
		evb_uncut(g);
		return -EMSGSIZE;
	}
	g->parts_max = (uint32_t)most;
	g->arrivals_max = e->cfg.in_flight;
	if (g->arrivals_max > PARTS_MOST / g->parts_max)
		g->arrivals_max = PARTS_MOST / g->parts_max;
	g->arrivals_pool = g->arrivals_max;
	/* MFPs that were read do not count as announced, but stay until the sink returns them. */
	if (pieces_max)
		g->arrivals_pool = arrivals_to_pull(g);
	ret = allocate(g);
	if (ret)
		evb_uncut(g);
	return ret;
}

void evb_segment_free(struct roc_evb *e, struct evb_sender *g, uint32_t segment)
{
	g->slots[segment] = (struct evb_slot){.state = SEGMENT_FREE};
	if (!g->free_count)
		g->free_since = e->now;
	g->free_list[g->free_count++] = segment;
}

struct evb_arrival *evb_arrival_new(struct evb_sender *g, uint64_t number, uint64_t bytes)
{
	struct evb_arrival *a;
	uint32_t i;

	if (g->free_arrival == EVB_NONE)
		return NULL;
	a = &g->arrivals[g->free_arrival];
	g->free_arrival = a->next;
	*a = (struct evb_arrival){
		.next = EVB_NONE,
		.used = true,
		.block = EVB_NONE,
		.number = number,
		.bytes = bytes,
		.parts = (uint32_t)evb_parts(bytes, g->room),
		.segments = a->segments,
		.pieces = a->pieces,
	};
	/* There is one list for each MFP that may be announced. */
	if (g->from_count)
		a->from = g->from_list[--g->from_count];
	for (i = 0; i < a->parts; i++)
		a->segments[i] = EVB_NONE;
	g->arrivals_used++;
	g->n.in_flight = g->arrivals_used;
	if (g->n.in_flight > g->n.in_flight_max)
		g->n.in_flight_max = g->n.in_flight;
	return a;
}

void evb_arrival_got(struct evb_sender *g, struct evb_arrival *a)
{
	if (g->pieces_max && !a->got_sent && g->pair.state == PAIR_READY)
		g->gots[g->got_count++] = a->ticket;
	if (a->from)
		g->from_list[g->from_count++] = a->from;
	a->from = NULL;
	a->got_sent = true;
}

void evb_arrival_free(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a)
{
	uint32_t i;

	for (i = 0; i < a->parts; i++) {
		if (a->segments[i] != EVB_NONE)
			evb_segment_free(e, g, a->segments[i]);
	}
	if (g->pieces_max && a->segments[0] != EVB_NONE)
		g->reading--;
	evb_arrival_got(g, a);
	a->used = false;
	g->arrivals_before -= a->before;
	g->arrivals_abandoned -= a->abandoned;
	a->before = a->abandoned = false;
	a->next = g->free_arrival;
	g->free_arrival = (uint32_t)(a - g->arrivals);
	g->arrivals_used--;
	g->n.in_flight = g->arrivals_used;
}

void evb_arrival_abandon(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a)
{
	a->block = EVB_NONE;
	if (!a->whole && !g->pieces_max) {
		a->abandoned = true;
		g->arrivals_abandoned++;
	} else if (!a->reads && !a->listed && g->announcing != (uint32_t)(a - g->arrivals)) {
		evb_arrival_free(e, g, a);
	}
}

struct evb_arrival *evb_arrival_abandoned(struct evb_sender *g, uint64_t number)
{
	uint32_t i;

	for (i = 0; g->arrivals_abandoned && i < g->arrivals_pool; i++) {
		if (g->arrivals[i].abandoned && g->arrivals[i].number == number)
			return &g->arrivals[i];
	}
	return NULL;
}

void evb_recall(struct evb_sender *g)
{
	uint32_t i;

	for (i = 0; i < g->arrivals_pool && g->arrivals; i++) {
		struct evb_arrival *a = &g->arrivals[i];

		g->arrivals_before += a->used && !a->before;
		a->before = a->used;
	}
	for (i = 0; i < g->segments; i++) {
		if (g->slots[i].state != SEGMENT_LENT && g->slots[i].state != SEGMENT_WRITING)
			continue;
		g->slots[i] = (struct evb_slot){.state = SEGMENT_FREE};
		g->free_list[g->free_count++] = i;
	}
	g->lent = 0;
	g->got_count = g->announced = 0;
}
