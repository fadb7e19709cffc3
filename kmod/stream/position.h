/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Validate the write position of the card and the read position of the reader of a stream.
 *
 * Positions are 32-bit counts of lines, free running, with differences modulo 2^32. Neither side is
 * trusted:
 *
 * - The card's position may only grow, and must not be further ahead of the reader than the ring is
 *   long. Otherwise the card has violated the protocol.
 * - The reader's position may only grow, and must not pass the card's. Otherwise it is ignored.
 *   Only the run of this reader is affected.
 * - A reader with a doorbell may have reported a larger position to the card than its page has.
 *   Then the reported position applies, and counts as an error of the reader.
 *
 * No position is used as an address. The caller serialises the calls. The unit tests compile this
 * file in user space.
 */
#ifndef ROC_POSITION_H
#define ROC_POSITION_H

#include <linux/types.h>

/**
 * struct roc_position - positions of a stream
 * @lines: size of the ring in lines, at most 2^30
 * @written: write position of the card, as last accepted
 * @read: read position of the reader, as last accepted
 * @taken: end of the data that the reader has taken, as last loaded from its page
 * @passed: @read has reached @taken, which is ignored until its value changes
 * @wrong: the last loaded read position was invalid, or behind the position reported to the card
 * @wrong_read: value of that read position
 * @bad: number of different invalid read positions, until the caller resets it
 */
struct roc_position {
	__u32 lines;
	__u32 written;
	__u32 read;
	__u32 taken;
	_Bool passed;
	_Bool wrong;
	__u32 wrong_read;
	__u64 bad;
};

/* Start with both sides at @position, and no data. */
static inline struct roc_position roc_position_at(__u32 lines, __u32 position)
{
	return (struct roc_position){
		.lines = lines,
		.written = position,
		.read = position,
		.taken = position,
		.passed = 1,
	};
}

/*
 * Take over new positions. The caller loads @written, then @read, then @card_read (the read
 * position in the card's page), then @later from the source of @written.
 *
 * Return: false if the card violates the protocol, or was writing @card_read meanwhile; then @p is
 * unchanged.
 */
_Bool roc_position_update(struct roc_position *p, __u32 written, __u32 read, __u32 card_read,
			  __u32 later);

/*
 * Take over the position of a reader that takes data before it releases them. The caller loads
 * @taken after @read.
 *
 * Another reader leaves @taken at the position where the run began. 2^32 lines later that value
 * lies between @read and @written again, so a value that @read has passed is ignored. To detect
 * that, the driver must call this at least once per 2^31 lines.
 */
void roc_position_update_taken(struct roc_position *p, __u32 taken);

/* Position of the first data that the reader has neither taken nor released. */
__u32 roc_position_unread(const struct roc_position *p);

/* Lines from @from to the write position, which must not lie before @from. */
static inline __u32 roc_position_lines_from(const struct roc_position *p, __u32 from)
{
	return p->written - from;
}

/* Return true if the write position has reached @position. */
static inline _Bool roc_position_reached(const struct roc_position *p, __u32 position)
{
	return (__s32)(p->written - position) >= 0;
}

#endif /* ROC_POSITION_H */
