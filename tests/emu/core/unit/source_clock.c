// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See source_clock.h.
 */
#include "source_clock.h"

#define NS 1000000000ull

uint64_t source_clock_due(struct source_clock *c, uint64_t now, uint32_t rate, uint64_t left,
			  bool waits, uint64_t *when)
{
	uint64_t total, next;

	if (!c->flows) {
		c->flows = true;
		c->base_ns = now;
		c->taken = 0;
	}
	if (!left || !rate)
		return left;
	total = (unsigned __int128)(now - c->base_ns) * rate / NS;
	if (waits && total - c->taken > rate / SOURCE_LAG + 1)
		c->taken = total - rate / SOURCE_LAG - 1;
	if (total != c->taken)
		return total - c->taken < left ? total - c->taken : left;
	next = c->base_ns + ((unsigned __int128)(c->taken + 1) * NS + rate - 1) / rate;
	if (next < *when)
		*when = next;
	return 0;
}
