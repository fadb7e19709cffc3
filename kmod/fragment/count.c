// SPDX-License-Identifier: GPL-2.0-only
/*
 * How far the card is in a ring. See count.h.
 */
#include "fragment/count.h"

/* Is entry number @count there? */
static _Bool there(const struct roc_count *c, __u32 count)
{
	__u32 slot = count & (roc_count_entries(c) - 1);
	_Bool phase = c->entries[slot * ROC_COUNT_ENTRY + ROC_COUNT_ENTRY - 1] & 0x80;
	_Bool odd = (count - c->start) >> c->log2 & 1;

	return phase != odd;
}

/* Entries from @from on that are there: doubling, then halving. They come in order. */
static __u32 there_from(const struct roc_count *c, __u32 from)
{
	__u32 step = 1, low = 0, high;

	while (step < roc_count_entries(c) && there(c, from + step - 1)) {
		low = step;
		step *= 2;
	}
	/* The first @low are; entry @high - 1 is not, or nobody knows. */
	for (high = step; low < high;) {
		__u32 middle = low + (high - low) / 2;

		if (there(c, from + middle))
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
static _Bool reached(const struct roc_count *c, __u32 taken)
{
	return there(c, taken - 1) || there(c, taken);
}

_Bool roc_count_look(struct roc_count *c, __u32 taken)
{
	/* Ahead of us, or so far that it looks like behind. What he has said before is not new. */
	_Bool far = taken != c->taken && c->known - taken > roc_count_entries(c);
	_Bool good = !far || reached(c, taken);
	__u32 from = far && good ? taken : c->known;

	c->taken = taken;
	c->known = from + there_from(c, from);
	return good;
}
