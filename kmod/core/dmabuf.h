/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dma-bufs: export of channel memory, and import of memory of other drivers.
 *
 * Lock order: channel->lock > dma_resv > export->lock, and endpoint->exports_lock > dma_resv. The
 * callbacks for importers take no lock of the driver other than export->lock and, at the release,
 * endpoint->exports_lock and roc_memory_exports_lock.
 */
#ifndef ROC_DMABUF_H
#define ROC_DMABUF_H

#include <linux/types.h>

struct dma_buf;
struct dma_buf_attachment;
struct roc_endpoint;
struct roc_memory;
struct sg_table;

/**
 * struct roc_import - a dma-buf of another driver, mapped for the card
 * @dmabuf: reference to the dma-buf; NULL: nothing is imported
 * @attachment: attachment of the card's function
 * @sgt: mapping by the exporter. Only its DMA side may be used
 */
struct roc_import {
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attachment;
	struct sg_table *sgt;
};

#ifdef CONFIG_DMA_SHARED_BUFFER
/*
 * Export @memory as a dma-buf, and reserve descriptor @fd for it; @flags as &roc_buf_export.flags.
 * The caller holds an export reference to @memory, which the release of the dma-buf drops; after an
 * error the caller still holds it. The same task calls roc_export_commit() afterwards, outside the
 * SRCU read side.
 * Context: inside the SRCU read side.
 */
int roc_export(struct roc_endpoint *ep, struct roc_memory *memory, u32 flags, s32 *fd);
void roc_export_commit(struct roc_endpoint *ep, s32 fd, bool copied);
/* The hardware goes away: notify all importers. Context: no channel lock held. */
void roc_exports_revoke(struct roc_endpoint *ep);

/* Get the dma-buf behind @fd for the card to write to. Does not use the hardware. */
int roc_import_get(struct roc_import *import, int fd, u64 *size);
/*
 * Pin all of the dma-buf and map it for the card. If the exporter fails, set @reason and @error.
 * Context: inside the SRCU read side.
 */
int roc_import_map(struct roc_import *import, struct roc_endpoint *ep, u32 *reason, u32 *error);
/*
 * Undo roc_import_get() and roc_import_map(), also partially. Context: no lock but the channel's.
 */
void roc_import_put(struct roc_import *import);
/* The driver unbinds while the card may still write: unmap, but keep the dma-buf pinned forever. */
void roc_import_abandon(struct roc_import *import);
#else
static inline int roc_export(struct roc_endpoint *ep, struct roc_memory *memory, u32 flags, s32 *fd)
{
	return -EOPNOTSUPP;
}

static inline void roc_export_commit(struct roc_endpoint *ep, s32 fd, bool copied)
{
}

static inline void roc_exports_revoke(struct roc_endpoint *ep)
{
}

static inline int roc_import_get(struct roc_import *import, int fd, u64 *size)
{
	return -EOPNOTSUPP;
}

static inline int roc_import_map(struct roc_import *import, struct roc_endpoint *ep, u32 *reason,
				 u32 *error)
{
	return -EOPNOTSUPP;
}

static inline void roc_import_put(struct roc_import *import)
{
}

static inline void roc_import_abandon(struct roc_import *import)
{
}
#endif

#endif /* ROC_DMABUF_H */
