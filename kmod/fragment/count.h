/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Count the entries of a ring that the card writes, by the phase bits of the entries.
 *
 * Counts are free-running 32-bit numbers, with differences modulo 2^32. The reader reports the
 * count of entries that it has taken. Neither card nor reader is trusted: for any input the result
 * is a count within one lap of the ring from a count of one of them. Only the phase of an entry is
 * read, and no entry outside the ring.
 *
 * The caller serialises the calls. The unit tests compile this file in user space.
 */
#ifndef ROC_COUNT_H
#define ROC_COUNT_H

#include <linux/types.h>

#define ROC_COUNT_ENTRY 16 /* bytes; the phase is the highest bit of the last one */

/**
 * struct roc_count - counts of a ring
 * @entries: 1 << @log2 entries; all phases were 0 when the count was @start
 * @log2: log2 of the number of entries
 * @start: initial count
 * @known: count of the card at the last update: the entries before it are there
 * @taken: count of the reader at the last update
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

/**
 * roc_count_update() - search for new entries
 * @c: the ring
 * @taken: count of the reader
 *
 * If @taken is new, and not within a lap behind @known, the search begins at @taken: the card may
 * have written more than one lap since the last update, even so many that the difference has no
 * sign. The search takes a few loads, however many entries are new.
 *
 * Return: false if the ring shows that the reader cannot have reached @taken, which is then
 * ignored.
 */
_Bool roc_count_update(struct roc_count *c, __u32 taken);

/**
 * roc_count_next() - find the next entry that the card has to write
 * @c: the ring, after roc_count_update() with the same @taken
 * @taken: count of the reader
 *
 * Return: @known; or @taken if that entry is missing although the card has written later ones. The
 * card writes entries in order, so a missing one never comes. But if the reader does not report its
 * position, the card may have overwritten the entry in a later lap. Only the card's own count shows
 * which of the two it is.
 */
__u32 roc_count_next(const struct roc_count *c, __u32 taken);

/**
 * roc_count_lost() - limit the count to the entries before the first missing one
 * @c: a ring to which the card writes no more; afterwards no entry before @known is missing
 * @taken: count of the reader
 * @counted: count of the card, as read from its register; it may have written more since
 *
 * Reads the phase of every entry that the reader has not taken.
 *
 * Return: number of lost entries: from the first missing one to the last one written or counted.
 */
__u32 roc_count_lost(struct roc_count *c, __u32 taken, __u32 counted);

/* Difference of two counts: negative if @a lies before @b. */
static inline __s32 roc_count_ahead(__u32 a, __u32 b)
{
	return (__s32)(a - b);
}

/* Return true if the card has reached @count. */
static inline _Bool roc_count_reached(const struct roc_count *c, __u32 count)
{
	return roc_count_ahead(c->known, count) >= 0;
}

/* Return true if there are entries that the reader has not taken. */
static inline _Bool roc_count_fresh(const struct roc_count *c, __u32 taken)
{
	return roc_count_ahead(c->known, taken) > 0;
}

#endif /* ROC_COUNT_H */
