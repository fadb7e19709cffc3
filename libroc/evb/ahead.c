// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The block that a table may hold from.
 */
#include "ahead.h"

#include <stdlib.h>

#define RATE_MAX 10000000		 /* blocks a second; who says more has that */
#define APART_BLOCKS (UINT64_C(1) << 20) /* so far can readout units be apart ... */
#define APART_S 60			 /* ... and so many seconds of blocks */
#define APART_TWO (UINT64_C(1) << 40)	 /* of two nobody knows which is right */

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t in_time(uint64_t rate, uint64_t ns)
{
	if (rate > RATE_MAX)
		rate = RATE_MAX;
	return (uint64_t)((double)rate * (double)ns / 1e9);
}

uint64_t evb_by_now(uint64_t block, uint64_t rate, uint64_t age_ns)
{
	return plus(block, in_time(rate, age_ns));
}

static int farthest_first(const void *a, const void *b)
{
	const struct evb_position *x = a, *y = b;

	return x->block < y->block ? 1 : x->block > y->block ? -1 : 0;
}

uint64_t evb_ahead(struct evb_position *p, unsigned int count, uint64_t lead_ns,
		   uint32_t lead_blocks, unsigned int *odd)
{
	uint64_t lead, apart, rate = 0;
	unsigned int i;

	qsort(p, count, sizeof(*p), farthest_first);
	for (i = 0; i + 1 < count; i++) {
		apart = count == 2 ? APART_TWO
				   : APART_BLOCKS +
					     in_time(p[i + 1].rate, APART_S * UINT64_C(1000000000));
		if (p[i].block - p[i + 1].block <= apart)
			break;
	}
	/* If each is far from the next, nobody is odd. */
	*odd = i + 1 < count || count == 2 ? i : 0;
	for (i = *odd; i < count; i++)
		rate = p[i].rate > rate ? p[i].rate : rate;
	lead = in_time(rate, lead_ns);
	return plus(p[*odd].block, lead > lead_blocks ? lead : lead_blocks);
}
