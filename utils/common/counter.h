/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters that are registers of a card.
 */
#ifndef ROC_UTILS_COUNTER_H
#define ROC_UTILS_COUNTER_H

#include <stdint.h>

/*
 * What a counter of 32 bits counted from @before to @now. It may have run over, or begun anew: a
 * CRU's does when the card's run enable is set, as with the first channel that starts. Who looks
 * before 2^31 came on can tell the two by how far it went, unless it was that high when it began
 * anew.
 */
static inline uint64_t counter32_since(uint64_t before, uint64_t now)
{
	uint32_t difference = (uint32_t)(now - before);

	return now >= before || difference < UINT32_C(1) << 31 ? difference : now;
}

/* The same of a counter that does not run over: what is smaller began anew. */
static inline uint64_t counter64_since(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : now;
}

#endif
