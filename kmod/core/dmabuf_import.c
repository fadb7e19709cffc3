// SPDX-License-Identifier: GPL-2.0-only
/*
 * Import a dma-buf of another driver (a GPU, another card, udmabuf) as memory for the card.
 *
 * A card keeps a bus address until it is quiesced, so the memory must not move. The driver pins it,
 * and refuses exporters that do not support that. The driver never accesses the pages: the dma-buf
 * may have none, if it is memory of a device that the card reaches peer to peer.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>

#include "core/compat/dma_buf.h"
#include "core/dmabuf.h"
#include "core/roc.h"

#define ROC_IMPORT_MOVES (5 * HZ) /* limit for a move by the exporter; removal waits meanwhile */

static const struct dma_buf_attach_ops roc_import_ops = {.allow_peer2peer = true, ROC_NEVER_MOVED};

int roc_import_get(struct roc_import *import, int fd, u64 *size)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	/* The card writes to the memory. */
	if (!(dmabuf->file->f_mode & FMODE_WRITE)) {
		dma_buf_put(dmabuf);
		return -EACCES;
	}
	import->dmabuf = dmabuf;
	*size = dmabuf->size;
	return 0;
}

/* Translate an error of the exporter. @peer: the exporter did not allow peer-to-peer access. */
static int roc_import_error(long err, bool peer, u32 *reason, u32 *error)
{
	if (err == -ENOMEM || err == -EINTR)
		return err;
	/* Without a signal pending, -ERESTARTSYS would reach the caller unchanged. */
	if (err == -ERESTARTSYS)
		return -EINTR;
	*error = -err;
	/*
	 * ENODEV means that the dma-buf was revoked. The caller would take it for removal of this
	 * card.
	 */
	if (!peer || err == -ENODEV)
		*reason = ROC_REASON_EXPORTER;
	else
		*reason = IS_ENABLED(CONFIG_PCI_P2PDMA) ? ROC_REASON_PEER : ROC_REASON_NO_P2P;
	return -EOPNOTSUPP;
}

/*
 * An exporter may still be moving or clearing the pinned memory, which would overwrite what the
 * card writes. Wait without the dma_resv lock, because others may wait at the same time.
 */
static int roc_import_wait(struct roc_import *import)
{
	long left = dma_resv_wait_timeout(import->dmabuf->resv, DMA_RESV_USAGE_KERNEL, true,
					  ROC_IMPORT_MOVES);

	if (left > 0)
		return 0;
	return left ?: -ETIMEDOUT;
}

static int roc_import_pin(struct roc_import *import)
{
	struct sg_table *sgt;
	int err;

	err = dma_resv_lock_interruptible(import->dmabuf->resv, NULL);
	if (err)
		return err;
	err = dma_buf_pin(import->attachment);
	if (err)
		goto out;
	sgt = dma_buf_map_attachment(import->attachment, DMA_FROM_DEVICE);
	if (IS_ERR(sgt)) {
		err = PTR_ERR(sgt);
		dma_buf_unpin(import->attachment);
	} else {
		import->sgt = sgt;
	}
out:
	dma_resv_unlock(import->dmabuf->resv);
	return err;
}

int roc_import_map(struct roc_import *import, struct roc_endpoint *ep, u32 *reason, u32 *error)
{
	struct dma_buf_attachment *attachment;
	int err;

	attachment = dma_buf_dynamic_attach(import->dmabuf, &ep->pdev->dev, &roc_import_ops, NULL);
	/* Exporters return an error here if the device cannot reach their memory. */
	if (IS_ERR(attachment))
		return roc_import_error(PTR_ERR(attachment), true, reason, error);
	import->attachment = attachment;
	err = roc_import_pin(import);
	if (err)
		return roc_import_error(err, !attachment->peer2peer, reason, error);
	err = roc_import_wait(import);
	if (err)
		return roc_import_error(err, false, reason, error);
	return 0;
}

static void roc_import_unmap(struct roc_import *import, bool unpin)
{
	if (!import->attachment)
		return;
	dma_resv_lock(import->dmabuf->resv, NULL);
	if (import->sgt) {
		dma_buf_unmap_attachment(import->attachment, import->sgt, DMA_FROM_DEVICE);
		if (unpin)
			dma_buf_unpin(import->attachment);
	}
	dma_resv_unlock(import->dmabuf->resv);
	dma_buf_detach(import->dmabuf, import->attachment);
	import->sgt = NULL;
	import->attachment = NULL;
}

void roc_import_put(struct roc_import *import)
{
	if (!import->dmabuf)
		return;
	roc_import_unmap(import, true);
	dma_buf_put(import->dmabuf);
	import->dmabuf = NULL;
}

/* Drop neither the pin nor the reference, so that the exporter never frees or moves the memory. */
void roc_import_abandon(struct roc_import *import)
{
	roc_import_unmap(import, false);
	import->dmabuf = NULL;
}
