/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a stream is: the card's write position and the reader's, judged.
 *
 * Positions are 32-bit counts of lines, free running, differences modulo 2^32. Neither side is
 * believed. The card's position may only grow, and never be further ahead of the reader than the
 * ring is long: else the card is broken. The reader's may only grow, and never pass the card's:
 * else it does not count, and only its own run is worse off. Nothing here is used to reach memory.
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
 * @bad: times that the reader's was impossible
 */
struct roc_position {
	__u32 lines;
	__u32 written;
	__u32 read;
	__u64 bad;
};

/*
 * What both pages say now: @written was loaded first, then @read, then @later from where @written
 * came from. False: the card is broken.
 */
_Bool roc_position_take(struct roc_position *p, __u32 written, __u32 read, __u32 later);

/* The same for a reader that takes data before it gives them back: where its new ones begin. */
__u32 roc_position_taken(const struct roc_position *p, __u32 taken);

/* Lines from @from, which lies at or behind the write position, to there. */
static inline __u32 roc_position_from(const struct roc_position *p, __u32 from)
{
	return p->written - from;
}

/* Has the write position come to @position? */
static inline _Bool roc_position_reached(const struct roc_position *p, __u32 position)
{
	return (__s32)(p->written - position) >= 0;
}

#endif /* ROC_POSITION_H */
