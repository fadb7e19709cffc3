// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Simulate a trigger. Events occur one after the other at a rate. For a fraction of them a client
 * requests fragments, mostly of a few links, sometimes of all. Each event is cleared after its
 * decision.
 */
#include <string.h>

#include "load.h"
#include "utils/common/clock.h"

#define CLEAR_AGE (50 * NS_PER_MS) /* a list that is not full is sent after this time */
#define BURST 4096		   /* events in one call */

/* splitmix64: the same seed gives the same requests. */
static uint64_t next_random(struct load *l)
{
	uint64_t x = l->random += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static bool chance(struct load *l, uint32_t percent)
{
	return next_random(l) % 100 < percent;
}

static uint64_t choose_links(struct load *l)
{
	unsigned int there = (unsigned int)__builtin_popcountll(l->links), needed, skip;
	uint64_t links = 0, left;

	if (chance(l, l->opt->all) || l->opt->few >= there)
		return l->links;
	for (needed = l->opt->few; needed; needed--, there--) {
		left = l->links & ~links;
		for (skip = (unsigned int)(next_random(l) % there); skip; skip--)
			left &= left - 1;
		links |= left & -left;
	}
	return links;
}

/* Return the next client that can send a request, NULL: all have their maximum outstanding. */
static struct load_client *choose_client(struct load *l)
{
	unsigned int i;

	for (i = 0; i < l->opt->clients; i++) {
		struct load_client *c = &l->clients[l->turn];

		l->turn = (l->turn + 1) % l->opt->clients;
		if (load_client_ready(c))
			return c;
	}
	return NULL;
}

/* Send full lists, or with @all any list, to the clients that may send a clear. */
static void send_clears(struct load *l, bool all)
{
	struct load_clears *d = &l->decided;
	uint32_t count;
	unsigned int i;

	for (i = 0; i < l->opt->clients && d->count && (all || d->count >= l->opt->clear); i++) {
		struct load_client *c = &l->clients[l->clear_turn];

		l->clear_turn = (l->clear_turn + 1) % l->opt->clients;
		if (!load_client_can_clear(c))
			continue;
		count = d->count < l->opt->clear ? d->count : l->opt->clear;
		load_client_clear(c, d->events, count);
		l->counts.clears++;
		d->count -= count;
		memmove(d->events, d->events + count, d->count * sizeof(*d->events));
		d->since = l->now;
	}
}

/* Return when event number @made is due; 0: at once. */
static uint64_t due(const struct load *l)
{
	if (!l->opt->event_rate)
		return 0;
	return l->began + (uint64_t)((double)l->made * 1e9 / l->opt->event_rate);
}

static bool one_event(struct load *l)
{
	uint32_t event = (uint32_t)(l->opt->first_event + l->made);
	struct load_client *c;
	uint64_t since = due(l);

	if (since > l->now)
		return false;
	/* The list is full until a clear is acknowledged. */
	if (l->opt->clear && l->decided.count >= l->opt->clear) {
		send_clears(l, false);
		if (l->decided.count >= l->opt->clear) {
			l->counts.delayed++;
			return false;
		}
	}
	c = choose_client(l);
	if (!c) {
		l->counts.delayed++;
		return false;
	}
	l->made++;
	l->counts.events++;
	if (!chance(l, l->opt->fraction)) {
		load_decided(l, event);
		return true;
	}
	load_client_request(c, event, choose_links(l), since ? since : l->now);
	l->counts.requests++;
	return true;
}

void load_events(struct load *l)
{
	unsigned int i;

	for (i = 0; !l->stopping && i < BURST; i++) {
		if (l->opt->events && l->made >= l->opt->events) {
			l->stopping = true;
			l->end = "events";
			break;
		}
		if (!one_event(l))
			break;
	}
	send_clears(l, l->decided.count && l->now - l->decided.since >= CLEAR_AGE);
}

int load_pause(const struct load *l)
{
	uint64_t next = due(l);

	if (l->stopping || !next)
		return 20;
	if (next <= l->now)
		return 1; /* all clients are busy: their replies end the wait */
	next = (next - l->now) / NS_PER_MS;
	return next < 20 ? (int)next : 20;
}

bool load_idle(const struct load *l)
{
	return l->counts.requests == l->counts.replies && !l->decided.count &&
	       l->counts.clears == l->counts.acknowledged;
}
