// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The trigger of sources without a card. It uses integers: a double has too few bits for ns since
 * 1970.
 */
#include "source.h"

static uint64_t scale(uint64_t value, uint64_t to, uint64_t from)
{
	return (uint64_t)((unsigned __int128)value * to / from);
}

void evb_trigger_start(struct evb_trigger *t, uint64_t rate, uint64_t first, uint64_t now)
{
	*t = (struct evb_trigger){.rate = rate, .first = first, .start = now};
	if (first != EVB_TRIGGER_CLOCK)
		return;
	t->clock = rate;
	t->first = rate ? scale(now, rate, UNITS_NS_PER_S) + 1 : 0;
	/* Event 0 is due at the start of 1970; t->start is the due time of t->first by that. */
	t->start = rate ? scale(t->first, UNITS_NS_PER_S, rate) : now;
}

bool evb_trigger_go_on(struct evb_trigger *t, uint64_t event, uint64_t next, uint64_t now)
{
	if (t->clock || event <= next)
		return false;
	t->first = event;
	t->start = now;
	return true;
}

uint64_t evb_trigger_due(const struct evb_trigger *t, uint64_t event)
{
	return t->rate ? t->start + scale(event - t->first, UNITS_NS_PER_S, t->rate) : 0;
}

uint64_t evb_trigger_next(const struct evb_trigger *t, uint64_t now)
{
	unsigned __int128 ends;

	if (now < t->start)
		return t->first;
	/* Event first + n is due in the ns in which n / rate seconds have passed. */
	ends = ((unsigned __int128)(now - t->start) + 1) * t->rate;
	return t->first + (uint64_t)((ends + UNITS_NS_PER_S - 1) / UNITS_NS_PER_S);
}

uint64_t evb_trigger_wait(const struct evb_trigger *t, uint64_t event, uint64_t now)
{
	uint64_t due = evb_trigger_due(t, event);

	return due > now ? due - now : 0;
}
