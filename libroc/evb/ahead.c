// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Choose the first block of an assignment table.
 */
#include "ahead.h"

#include <stdlib.h>

#define SECOND UINT64_C(1000000000)
#define RATE_MAX 10000000		   /* blocks per second; higher rates are capped */
#define SPREAD_UNKNOWN (UINT64_C(1) << 40) /* blocks; tolerance of two units */
#define TRACK_NS (SECOND / 2)		   /* minimum time between two kept positions */
#define TRACK_LEAST 5			   /* minimum number of positions for a rate */

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

void evb_track_note(struct evb_track *t, uint64_t at, uint64_t block)
{
	unsigned int last = (t->count + EVB_TRACK - 1) % EVB_TRACK;

	if (t->count && at < t->spot[last].at + TRACK_NS)
		return;
	t->spot[t->count % EVB_TRACK].at = at;
	t->spot[t->count++ % EVB_TRACK].block = block;
}

static int smallest_first(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Use the upper quartile: up to three quarters of the time may be stalls, one quarter bursts. */
uint64_t evb_track_rate(const struct evb_track *t)
{
	unsigned int kept = t->count < EVB_TRACK ? t->count : EVB_TRACK, i, n = 0;
	uint64_t rate[EVB_TRACK];

	if (kept < TRACK_LEAST)
		return 0;
	for (i = t->count - kept; i + 1 < t->count; i++) {
		uint64_t from = t->spot[i % EVB_TRACK].block;
		uint64_t to = t->spot[(i + 1) % EVB_TRACK].block;
		uint64_t ns = t->spot[(i + 1) % EVB_TRACK].at - t->spot[i % EVB_TRACK].at;

		rate[n++] = to > from ? (uint64_t)((double)(to - from) * SECOND / (double)ns) : 0;
	}
	qsort(rate, n, sizeof(rate[0]), smallest_first);
	return rate[3 * (n - 1) / 4];
}

uint64_t evb_track_reach(const struct evb_track *t, uint64_t rate, uint64_t now)
{
	unsigned int kept = t->count < EVB_TRACK ? t->count : EVB_TRACK, i;
	uint64_t most = 0, block;

	for (i = 0; i < kept; i++) {
		block = evb_by_now(t->spot[i].block, rate,
				   now > t->spot[i].at ? now - t->spot[i].at : 0);
		most = block > most ? block : most;
	}
	return most;
}

static int farthest_first(const void *a, const void *b)
{
	const struct evb_position *x = a, *y = b;

	return x->block < y->block ? 1 : x->block > y->block ? -1 : 0;
}

/* Return the highest usual rate; if none is known, the highest current rate. */
static uint64_t fastest(const struct evb_position *p, unsigned int count)
{
	uint64_t usual = 0, now = 0;
	unsigned int i;

	for (i = 0; i < count; i++) {
		usual = p[i].usual > usual ? p[i].usual : usual;
		now = p[i].rate > now ? p[i].rate : now;
	}
	return usual ? usual : now;
}

static uint64_t lead(uint64_t rate, uint64_t ns, uint32_t blocks)
{
	uint64_t n = in_time(rate, ns);

	return n > blocks ? n : blocks;
}

void evb_majority(struct evb_position *p, unsigned int count, uint64_t ns, uint64_t blocks,
		  struct evb_majority *most)
{
	uint64_t rate[EVB_POSITIONS];
	unsigned int i, seen = 0, within = 0;

	*most = (struct evb_majority){0};
	qsort(p, count, sizeof(*p), farthest_first);
	for (i = 0; i < count; i++) {
		if (p[i].votes)
			rate[most->voters++] = p[i].usual ? p[i].usual : p[i].rate;
	}
	if (!most->voters)
		return;
	qsort(rate, most->voters, sizeof(rate[0]), smallest_first);
	most->rate = rate[most->voters / 2];
	most->tolerance = plus(blocks, in_time(most->rate, ns));
	for (i = 0; i < count; i++) {
		if (p[i].votes && seen++ == most->voters / 2)
			most->block = p[i].block;
	}
	for (i = 0; i < count; i++)
		within += p[i].votes && p[i].block <= plus(most->block, most->tolerance) &&
			  most->block <= plus(p[i].block, most->tolerance);
	most->known = 2 * within > most->voters;
}

/*
 * Without a majority all units count. An exception is one of two units that is further ahead than
 * any clock error explains.
 */
static unsigned int count_outliers(const struct evb_position *p, unsigned int count,
				   const struct evb_majority *most)
{
	uint64_t tolerance = most->known ? most->tolerance : SPREAD_UNKNOWN;
	unsigned int i;

	if (!most->known && most->voters != 2)
		return 0;
	for (i = 0; i + 1 < count && p[i].block > plus(most->block, tolerance); i++)
		;
	return i;
}

uint64_t evb_ahead(const struct evb_position *p, unsigned int count,
		   const struct evb_majority *most, uint64_t lead_ns, uint32_t lead_blocks,
		   unsigned int *outliers)
{
	uint64_t rate, from = 0, one;
	unsigned int i;

	*outliers = count_outliers(p, count, most);
	rate = fastest(p + *outliers, count - *outliers);
	for (i = *outliers; i < count; i++) {
		one = plus(p[i].block,
			   lead(p[i].rate > rate ? p[i].rate : rate, lead_ns, lead_blocks));
		if (p[i].usual && one > plus(p[i].reach, lead(rate, lead_ns, lead_blocks)))
			one = plus(p[i].reach, lead(rate, lead_ns, lead_blocks));
		from = one > from ? one : from;
	}
	return from;
}
