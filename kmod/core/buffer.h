/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registered buffers: user memory pinned and mapped for the card.
 */
#ifndef ROC_BUFFER_H
#define ROC_BUFFER_H

#include <linux/scatterlist.h>
#include <uapi/linux/roc.h>

#include "core/extent.h"
#include "core/quiet.h"

struct roc_open;

/**
 * struct roc_buffer - pinned and mapped user memory
 *
 * Owned by the open file's xarray, or by its list @untold, under the channel lock; or by the
 * channel's list of what the card may still write to. Constant from the time that it is listed.
 *
 * @held: for the latter
 * @untold: next in the list of those whose handle the caller does not know yet
 * @handle: while in that list
 * @mm: whose pinned_vm it is charged to
 * @memory: the same as @extents as the CPU sees it; empty: not seen
 * @pieces: where each byte is in memory; only with @sync
 * @seen: the kernel looks at what the card writes there
 * @sync: the CPU's view must be synced after DMA
 */
struct roc_buffer {
	struct roc_held held;
	struct roc_buffer *untold;
	u32 handle;
	struct mm_struct *mm;
	unsigned long pages;
	u64 length;
	struct roc_extents extents;
	struct roc_extents memory;
	struct roc_extents pieces;
	bool seen;
	bool sync;
	bool mapped;
	struct sg_append_table sgt;
};

int roc_buffer_register(struct roc_open *o, struct roc_buf_register *arg);
void roc_buffer_settle(struct roc_open *o, u32 handle, bool told);
int roc_buffer_unregister(struct roc_open *o, u32 handle);
void roc_buffer_drop_all(struct roc_open *o);
void roc_buffer_sync(struct roc_endpoint *ep, const struct roc_buffer *buf, u64 offset, u64 length,
		     u64 bus, bool to_card);

#endif /* ROC_BUFFER_H */
