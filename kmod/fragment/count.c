// SPDX-License-Identifier: GPL-2.0-only
/*
 * Count the entries of a ring by their phase bits. See count.h.
 */
#include <asm/barrier.h>

#include "fragment/count.h"

/* Return true if entry number @count is there. */
static _Bool roc_count_present(const struct roc_count *c, __u32 count)
{
	__u32 slot = count & (roc_count_entries(c) - 1);
	_Bool phase = c->entries[slot * ROC_COUNT_ENTRY + ROC_COUNT_ENTRY - 1] & 0x80;
	_Bool odd = (count - c->start) >> c->log2 & 1;

	return phase != odd;
}

/*
 * Return the number of entries from @from on that are there, by doubling steps and then bisection.
 * The card writes entries in order. If it leaves one out, the search may end behind that entry;
 * roc_count_next() detects it when the reader gets there.
 */
static __u32 roc_count_present_from(const struct roc_count *c, __u32 from)
{
	__u32 step = 1, low = 0, high;

	while (step < roc_count_entries(c) && roc_count_present(c, from + step - 1)) {
		low = step;
		step *= 2;
	}
	/* The first @low entries are there; entry @high - 1 is not, or was not checked. */
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
 * Return true if @taken is a possible count of the reader: the entry before it is there, or a later
 * lap has overwritten it, and then the entry at @taken is there, too.
 */
static _Bool roc_count_plausible(const struct roc_count *c, __u32 taken)
{
	return roc_count_present(c, taken - 1) || roc_count_present(c, taken);
}

_Bool roc_count_update(struct roc_count *c, __u32 taken)
{
	/* A new count that is ahead of @known, or so far ahead that it seems to be behind. */
	_Bool far = taken != c->taken && c->known - taken > roc_count_entries(c);
	_Bool good = !far || roc_count_plausible(c, taken);
	__u32 from = far && good ? taken : c->known;

	c->taken = taken;
	c->known = from + roc_count_present_from(c, from);
	return good;
}

/* Return true if the card is ahead of @from by at most a lap. */
static _Bool roc_count_within_lap(const struct roc_count *c, __u32 from, __u32 count)
{
	return count - from - 1 < roc_count_entries(c);
}

__u32 roc_count_next(const struct roc_count *c, __u32 taken)
{
	if (!roc_count_within_lap(c, taken, c->known))
		return c->known;
	dma_rmb(); /* the card wrote the phase of @taken before those from which @known comes */
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
