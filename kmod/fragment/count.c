// SPDX-License-Identifier: GPL-2.0-only
/*
 * How far the card is in a ring. See count.h.
 */
#include <asm/barrier.h>

#include "fragment/count.h"

/* Is entry number @count there? */
static _Bool roc_count_present(const struct roc_count *c, __u32 count)
{
	__u32 slot = count & (roc_count_entries(c) - 1);
	_Bool phase = c->entries[slot * ROC_COUNT_ENTRY + ROC_COUNT_ENTRY - 1] & 0x80;
	_Bool odd = (count - c->start) >> c->log2 & 1;

	return phase != odd;
}

/*
 * Entries from @from on that are there: doubling, then halving. They come in order; of a card that
 * leaves one out the search may end behind it, and roc_count_next() finds it when the reader gets
 * there.
 */
static __u32 roc_count_present_from(const struct roc_count *c, __u32 from)
{
	__u32 step = 1, low = 0, high;

	while (step < roc_count_entries(c) && roc_count_present(c, from + step - 1)) {
		low = step;
		step *= 2;
	}
	/* The first @low are; entry @high - 1 is not, or nobody knows. */
	for (high = step; low < high;) {
		__u32 middle = low + (high - low) / 2;

		if (roc_count_present(c, from + middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * May the reader have come to @taken? The entry before it is there, or the one that came a lap
 * later is in its place: then all of those behind it are there, too.
 */
static _Bool roc_count_plausible(const struct roc_count *c, __u32 taken)
{
	return roc_count_present(c, taken - 1) || roc_count_present(c, taken);
}

_Bool roc_count_update(struct roc_count *c, __u32 taken)
{
	/* Ahead of us, or so far that it looks like behind. What he has said before is not new. */
	_Bool far = taken != c->taken && c->known - taken > roc_count_entries(c);
	_Bool good = !far || roc_count_plausible(c, taken);
	__u32 from = far && good ? taken : c->known;

	c->taken = taken;
	c->known = from + roc_count_present_from(c, from);
	return good;
}

/* Is the card further than @from, and by less than a lap? */
static _Bool roc_count_within_lap(const struct roc_count *c, __u32 from, __u32 count)
{
	return count - from - 1 < roc_count_entries(c);
}

__u32 roc_count_next(const struct roc_count *c, __u32 taken)
{
	if (!roc_count_within_lap(c, taken, c->known))
		return c->known;
	dma_rmb(); /* the phases that made up @known were written after that of @taken */
	return roc_count_present(c, taken) ? c->known : taken;
}

__u32 roc_count_lost(struct roc_count *c, __u32 taken, __u32 counted)
{
	__u32 from = c->known, end, i;

	if (roc_count_within_lap(c, taken, c->known) && roc_count_within_lap(c, taken, counted))
		from = taken;
	end = c->known - from;
	if (roc_count_within_lap(c, from, counted) && counted - from > end)
		end = counted - from;
	for (i = 0; i < end; i++) {
		if (roc_count_present(c, from + i))
			continue;
		c->known = from + i;
		return end - i;
	}
	return 0;
}
