// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A rate. The clock of the start is what counts, so that units that were late are made up for and
 * the rate is met in the mean.
 */
#include "pace.h"

#include "units.h"

#define MOST 9e18 /* bytes; more would not fit */

void pace_start(struct pace *p, uint64_t rate, uint64_t now)
{
	*p = (struct pace){.rate = rate, .start = now};
}

uint64_t pace_wait(const struct pace *p, uint64_t now)
{
	uint64_t due;

	if (!p->rate)
		return 0;
	due = p->start + (uint64_t)((double)p->bytes / (double)p->rate * 1e9);
	return due > now ? due - now : 0;
}

uint64_t pace_due(const struct pace *p, uint64_t bytes, uint64_t now)
{
	double late = (double)(now - p->start) / 1e9 * (double)p->rate - (double)p->bytes;

	if (late < 0)
		return 0;
	/* Of a rate that no card has. */
	if (late > MOST)
		late = MOST;
	return (uint64_t)late / bytes + 1;
}

void pace_pass(struct pace *p, uint64_t bytes)
{
	p->bytes += bytes;
}
