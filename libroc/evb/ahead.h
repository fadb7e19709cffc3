/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-evb, inside: the block that a table may hold from. What readout units say of how far they
 * are is looked at beside what the others say: one id that is wrong must not hold up a system.
 */
#ifndef LIBROC_EVB_AHEAD_H
#define LIBROC_EVB_AHEAD_H

#include <stdint.h>

struct evb_position {
	uint64_t block, rate; /* the newest, as of now; blocks a second */
	unsigned int who;
};

/*
 * A block that none of @count (1 or more) has begun @lead_ns from now, @lead_blocks ahead at least.
 * Sorts @p; *@odd: how many at its beginning are not believed, being too far ahead of all others.
 */
uint64_t evb_ahead(struct evb_position *p, unsigned int count, uint64_t lead_ns,
		   uint32_t lead_blocks, unsigned int *odd);

/* How far somebody is by now who was at @block @age_ns ago. */
uint64_t evb_by_now(uint64_t block, uint64_t rate, uint64_t age_ns);

#endif
