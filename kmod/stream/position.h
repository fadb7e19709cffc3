/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a stream is: the card's write position and the reader's, judged.
 *
 * Positions are 32-bit counts of lines, free running, differences modulo 2^32. Neither side is
 * believed. The card's position may only grow, and never be further ahead of the reader than the
 * ring is long: else the card is broken. The reader's may only grow, and never pass the card's:
 * else it does not count, and only its own run is worse off. A reader with a doorbell may have told
 * the card of more room than its page has; what the card knows then counts, and is the reader's
 * error. Nothing here is used to reach memory.
 *
 * One user at a time. The same file is tested in user space.
 */
#ifndef ROC_POSITION_H
#define ROC_POSITION_H

#include <linux/types.h>

/**
 * struct roc_position - of a stream
 * @lines: of the ring, at most 2^30
 * @written: the card's, as last accepted
 * @read: the reader's, as last accepted
 * @taken: up to where the reader has taken data, as last loaded from its page
 * @passed: @read has come to @taken: it does not count until its value changes
 * @wrong: the reader's was impossible, or behind what it had told the card, when last loaded, ...
 * @wrong_read: ... and this is what it was
 * @bad: times that it was so, with another value each
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

/* Both sides begin at @position, and nothing is there. */
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
 * The same for a reader that takes data before it gives them back: @taken was loaded after @read.
 * A reader that does not do so leaves it where the run began. 2^32 lines later that value lies
 * between @read and @written again, so a value that @read has passed must stay out of account. Call
 * this at least once in 2^31 lines.
 */
void roc_position_update_taken(struct roc_position *p, __u32 taken);

/* Where the data begin that the reader has neither taken nor given back. */
__u32 roc_position_unread(const struct roc_position *p);

/* Lines from @from, which lies at or behind the write position, to there. */
static inline __u32 roc_position_lines_from(const struct roc_position *p, __u32 from)
{
	return p->written - from;
}

/* Has the write position come to @position? */
static inline _Bool roc_position_reached(const struct roc_position *p, __u32 position)
{
	return (__s32)(p->written - position) >= 0;
}

#endif /* ROC_POSITION_H */
