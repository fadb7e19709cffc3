/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory shared with other devices: what the driver exports, and what it imports, as dma-bufs.
 *
 * Lock order: channel->lock > dma_resv > export->lock, and endpoint->exports_lock > dma_resv. The
 * callbacks that importers reach take none of the driver's locks but the last.
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
 * struct roc_import - a dma-buf of somebody else's, mapped for the card
 * @dmabuf: with a reference; NULL: nothing is imported
 * @attachment: of the card's function
 * @sgt: what the exporter mapped: only its DMA side is ours to look at
 */
struct roc_import {
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attachment;
	struct sg_table *sgt;
};

#ifdef CONFIG_DMA_SHARED_BUFFER
/*
 * A dma-buf of @memory, which was lent for it and is returned at its release, and the number @fd
 * that it will have; @flags as &roc_buf_export.flags. Inside the SRCU read side. It becomes real in
 * roc_export_commit(), called by the same task outside of it. With an error nothing is returned.
 */
int roc_export(struct roc_endpoint *ep, struct roc_memory *memory, u32 flags, s32 *fd);
void roc_export_commit(struct roc_endpoint *ep, s32 fd, bool copied);
/* The hardware goes: tell all importers. No channel lock held. */
void roc_exports_revoke(struct roc_endpoint *ep);

/* Take hold of the dma-buf behind @fd, for the card to write to. Nothing of the hardware yet. */
int roc_import_get(struct roc_import *import, int fd, u64 *size);
/*
 * Map all of it for the card, to stay where it is. Inside the SRCU read side. With an error from
 * the exporter @reason and @error say what it was.
 */
int roc_import_map(struct roc_import *import, struct roc_endpoint *ep, u32 *reason, u32 *error);
/* Undo both, as far as they came; outside of all locks but the channel's. */
void roc_import_put(struct roc_import *import);
/* The card may still write, and the device goes: unmap, and keep the memory for ever. */
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
