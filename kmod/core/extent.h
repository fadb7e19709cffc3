/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extent table: where each byte of a registered buffer lies on the bus.
 *
 * The DMA API hands back a scatter-gather list that may or may not have been merged by an
 * IOMMU. This table is the card's view: neighbours joined, sorted by buffer offset. It is built
 * once at registration and only read afterwards, so it needs no lock. No kernel type beyond
 * the integers: the same file is tested in user space.
 */
#ifndef ROC_EXTENT_H
#define ROC_EXTENT_H

#include <linux/types.h>

struct roc_extent {
	__u64 offset; /* of the first byte, from the start of the buffer */
	__u64 length;
	__u64 bus;
};

struct roc_extents {
	struct roc_extent *table; /* owned by whoever filled it */
	__u32 count;
	__u32 capacity; /* entries that fit in @table */
	__u64 divisor;	/* greatest that divides the offsets of all extents; 0: there is one */
	__u64 shortest; /* length of the shortest but the last; 0: there is none */
};

/* Append a piece that follows the last one in the buffer. False if the table is full. */
_Bool roc_extents_append(struct roc_extents *ex, __u64 bus, __u64 length);

/*
 * Bus address of [offset, offset + length). 0 on success, -ERANGE if it is not inside the
 * buffer, -EXDEV if it crosses from one extent into the next.
 */
int roc_extents_find(const struct roc_extents *ex, __u64 offset, __u64 length, __u64 *bus);

/* Bytes from @offset on that lie in one extent; 0: none. */
__u64 roc_extents_run(const struct roc_extents *ex, __u64 offset);

/* Does every @granule-sized piece of the buffer (the last may be shorter) lie in one extent? */
_Bool roc_extents_whole(const struct roc_extents *ex, __u64 granule);

/* Length of the shortest extent, 0 if there is none. */
__u64 roc_extents_shortest(const struct roc_extents *ex);

#endif /* ROC_EXTENT_H */
