/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extent table: the bus address of each byte of a registered buffer.
 *
 * The DMA API returns a scatter-gather list whose entries an IOMMU may have merged. The table is
 * the view of the card: adjacent pieces are joined, and sorted by their offset in the buffer. It is
 * built once at registration and only read afterwards, so it needs no lock. It uses no kernel type
 * except integers: the same file is tested in user space.
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
	struct roc_extent *table; /* owned by the caller that allocated it */
	__u32 count;
	__u32 capacity; /* number of entries that fit in @table */
	__u64 divisor;	/* greatest common divisor of the offsets of all extents; 0: one extent */
	__u64 shortest; /* length of the shortest extent except the last; 0: at most one extent */
};

/* Append a piece that follows the last one in the buffer. Return: false if the table is full. */
_Bool roc_extents_append(struct roc_extents *ex, __u64 bus, __u64 length);

/*
 * Bus address of [offset, offset + length). Return: 0, -ERANGE if the range is not inside the
 * buffer, or -EXDEV if it crosses a boundary between extents.
 */
int roc_extents_find(const struct roc_extents *ex, __u64 offset, __u64 length, __u64 *bus);

/* Number of bytes from @offset on in the same extent, 0 beyond the end. */
__u64 roc_extents_run(const struct roc_extents *ex, __u64 offset);

/* Does each piece of @granule bytes lie in one extent? The last piece may be shorter. */
_Bool roc_extents_whole(const struct roc_extents *ex, __u64 granule);

/* Length of the shortest extent, 0 if there is none. */
__u64 roc_extents_shortest(const struct roc_extents *ex);

#endif /* ROC_EXTENT_H */
