/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffers: memory mapped for the card, registered or imported.
 */
#ifndef ROC_BUFFER_H
#define ROC_BUFFER_H

#include <uapi/linux/roc.h>

#include "core/dmabuf.h"
#include "core/extent.h"
#include "core/quiesce.h"

struct roc_memory;
struct roc_open;

/**
 * struct roc_buffer - memory mapped for the card
 *
 * Owned by the xarray of the open channel, or by its list of uncommitted buffers, under the channel
 * lock; or by the channel's list of deferred frees. Constant once it is in one of them.
 *
 * @deferred: entry in the list of deferred frees
 * @node: entry in roc_open.uncommitted, until the handle is copied to the caller
 * @handle: the handle, while in that list
 * @backing: reference to pinned user memory, NULL for an imported buffer
 * @import: the dma-buf, for an imported buffer
 * @length: size in bytes
 * @extents: contiguous pieces as bus addresses of the card
 * @memory: contiguous pieces as addresses of the kernel; empty if the kernel does not read them
 * @pieces: physical address of each piece; only with @sync
 * @kernel_access: the kernel reads what the card writes there
 * @sync: the CPU's view must be synced after DMA
 * @mapped: @backing is mapped for the card
 */
struct roc_buffer {
	struct roc_deferred_free deferred;
	struct list_head node;
	u32 handle;
	struct roc_memory *backing;
	struct roc_import import;
	u64 length;
	struct roc_extents extents;
	struct roc_extents memory;
	struct roc_extents pieces;
	bool kernel_access;
	bool sync;
	bool mapped;
};

int roc_buffer_register(struct roc_open *o, struct roc_buf_register *arg);
void roc_buffer_commit(struct roc_open *o, u32 handle, bool copied);
int roc_buffer_unregister(struct roc_open *o, u32 handle);
int roc_buffer_import(struct roc_open *o, struct roc_buf_import *arg);
int roc_buffer_export(struct roc_open *o, struct roc_buf_export *arg);
void roc_buffer_drop_all(struct roc_open *o);
void roc_buffer_sync(struct roc_endpoint *ep, const struct roc_buffer *buf, u64 offset, u64 length,
		     u64 bus, bool to_card);

#endif /* ROC_BUFFER_H */
