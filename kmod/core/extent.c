// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extent table of a registered buffer. See extent.h.
 */
#include <linux/errno.h>

#include "core/extent.h"

static __u64 extents_end(const struct roc_extents *ex)
{
	const struct roc_extent *last;

	if (!ex->count)
		return 0;
	last = &ex->table[ex->count - 1];
	return last->offset + last->length;
}

static __u64 common_divisor(__u64 a, __u64 b)
{
	while (b) {
		__u64 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

_Bool roc_extents_append(struct roc_extents *ex, __u64 bus, __u64 length)
{
	struct roc_extent *last = &ex->table[ex->count ? ex->count - 1 : 0];

	if (ex->count && last->bus + last->length == bus) {
		last->length += length;
		return 1;
	}
	if (ex->count == ex->capacity)
		return 0;
	if (ex->count && (!ex->shortest || last->length < ex->shortest))
		ex->shortest = last->length;
	ex->divisor = common_divisor(ex->divisor, extents_end(ex));
	ex->table[ex->count] = (struct roc_extent){extents_end(ex), length, bus};
	ex->count++;
	return 1;
}

/* Last extent that starts at or before @offset. The caller ensures that there is one. */
static const struct roc_extent *extent_at(const struct roc_extents *ex, __u64 offset)
{
	__u32 low = 0, high = ex->count;

	while (high - low > 1) {
		__u32 middle = low + (high - low) / 2;

		if (ex->table[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return &ex->table[low];
}

int roc_extents_find(const struct roc_extents *ex, __u64 offset, __u64 length, __u64 *bus)
{
	const struct roc_extent *extent;
	__u64 end = extents_end(ex);

	if (offset > end || length > end - offset || !length)
		return -ERANGE;
	extent = extent_at(ex, offset);
	if (offset + length > extent->offset + extent->length)
		return -EXDEV;
	*bus = extent->bus + (offset - extent->offset);
	return 0;
}

__u64 roc_extents_run(const struct roc_extents *ex, __u64 offset)
{
	const struct roc_extent *extent;

	if (offset >= extents_end(ex))
		return 0;
	extent = extent_at(ex, offset);
	return extent->offset + extent->length - offset;
}

/*
 * A piece can cross only a boundary between extents, so all boundaries must be multiples of
 * @granule.
 */
_Bool roc_extents_whole(const struct roc_extents *ex, __u64 granule)
{
	return ex->count && ex->divisor % granule == 0;
}

__u64 roc_extents_shortest(const struct roc_extents *ex)
{
	__u64 last = ex->count ? ex->table[ex->count - 1].length : 0;

	return ex->shortest && ex->shortest < last ? ex->shortest : last;
}
