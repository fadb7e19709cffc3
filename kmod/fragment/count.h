/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far a ring is that the card writes, told by the phase bits of its entries alone.
 *
 * Counts are free-running 32-bit numbers, differences modulo 2^32. The reader says what it has
 * taken, and neither side is believed: whatever they say, all that comes of it is a count within
 * one lap of the ring from what one of them said. No entry is looked at but for its phase, and none
 * outside of the ring.
 *
 * One user at a time. The same file is tested in user space.
 */
#ifndef ROC_COUNT_H
#define ROC_COUNT_H

#include <linux/types.h>

#define ROC_COUNT_ENTRY 16 /* bytes; the phase is the highest bit of the last */

/**
 * struct roc_count - of a ring
 * @entries: 1 << @log2 of them; all phases were 0 when the count was @start
 * @log2: of the number of entries
 * @start: at which the count began
 * @known: the card's, as last found: behind the last entry that is there
 * @taken: the reader's, at that look
 */
struct roc_count {
	const volatile __u8 *entries;
	unsigned int log2;
	__u32 start;
	__u32 known;
	__u32 taken;
};

static inline __u32 roc_count_entries(const struct roc_count *c)
{
	return 1u << c->log2;
}

/*
 * Looks again. @taken: what the reader has; if he says something new, and it is not within a lap
 * behind what we have found, it is where we begin, for the card may have gone round more than once
 * meanwhile: so often, perhaps, that the difference has no sign. A few loads, however much came.
 * False: nothing is there of what the reader says that he has; it does not count.
 */
_Bool roc_count_update(struct roc_count *c, __u32 taken);

/**
 * roc_count_next() - the entry that is to come next
 * @c: after roc_count_update() with the same @taken
 * @taken: what the reader has
 *
 * Return: @known; or @taken, if that entry is not there although the card got further. The card
 * writes entries in order, so this one never comes, unless the reader does not report its position
 * and the card has written over the entry: the caller has to know the card's own count.
 */
__u32 roc_count_next(const struct roc_count *c, __u32 taken);

/**
 * roc_count_lost() - cut the count off before the first missing entry
 * @c: of a ring to which the card writes no more; afterwards no entry before @known is missing
 * @taken: what the reader has
 * @counted: entries that the card counted; it may have written more since
 *
 * Loads the phase of every entry that the reader has not taken.
 *
 * Return: entries from the first missing one on that the card wrote or counted.
 */
__u32 roc_count_lost(struct roc_count *c, __u32 taken, __u32 counted);

/* Negative if @a lies before @b. */
static inline __s32 roc_count_ahead(__u32 a, __u32 b)
{
	return (__s32)(a - b);
}

/* Has the card come to @count? */
static inline _Bool roc_count_reached(const struct roc_count *c, __u32 count)
{
	return roc_count_ahead(c->known, count) >= 0;
}

/* Is there something that the reader has not taken? */
static inline _Bool roc_count_fresh(const struct roc_count *c, __u32 taken)
{
	return roc_count_ahead(c->known, taken) > 0;
}

#endif /* ROC_COUNT_H */
