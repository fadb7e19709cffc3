// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times at which events are due, and the end of a generator. See generator.h. A file of its own: a
 * generator belongs to a stream on one card and to a link of a sub-unit on the other.
 */
#include "generator.h"

#define NS 1000000000ull

void generator_restart(struct generator *g, uint64_t first)
{
	g->next = first;
	g->generated = 0;
	g->flows = false;
}

uint64_t generator_left(const struct generator *g)
{
	if (!g->limit)
		return UINT64_MAX;
	return g->limit > g->generated ? g->limit - g->generated : 0;
}

uint64_t generator_due(struct generator *g, bool flows, uint64_t now, bool waits, uint64_t *when)
{
	uint64_t left = generator_left(g), rate = g->rate, total, next;

	if (!flows) {
		g->flows = false;
		return 0;
	}
	if (!g->flows) {
		g->flows = true;
		g->base_ns = now;
		g->taken = 0;
	}
	if (!left || !rate)
		return left;
	total = (unsigned __int128)(now - g->base_ns) * rate / NS;
	if (waits && total - g->taken > rate / GENERATOR_LAG + 1)
		g->taken = total - rate / GENERATOR_LAG - 1;
	if (total != g->taken)
		return total - g->taken < left ? total - g->taken : left;
	next = g->base_ns + ((unsigned __int128)(g->taken + 1) * NS + rate - 1) / rate;
	if (next < *when)
		*when = next;
	return 0;
}

void generator_took(struct generator *g, uint64_t events)
{
	g->next += events;
	g->generated += events;
	g->taken += events;
}
