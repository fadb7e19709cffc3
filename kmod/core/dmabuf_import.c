// SPDX-License-Identifier: GPL-2.0-only
/*
 * A dma-buf of somebody else's as memory for the card: of a GPU, another card, udmabuf.
 *
 * A card that was given a bus address keeps it until it is proved quiet, so what is imported must
 * stay where it is: it is pinned, and an exporter that does not do that is refused. Its pages are
 * not ours to look at, if it has any: it may be memory of another device, if that and the card can
 * reach each other.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>

#include "core/compat/dma_buf.h"
#include "core/dmabuf.h"
#include "core/roc.h"

#define ROC_IMPORT_MOVES (5 * HZ) /* that its exporter may take; removal waits for us meanwhile */

static const struct dma_buf_attach_ops roc_import_ops = {.allow_peer2peer = true, ROC_NEVER_MOVED};

int roc_import_get(struct roc_import *import, int fd, u64 *size)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	/* The card writes. */
	if (!(dmabuf->file->f_mode & FMODE_WRITE)) {
		dma_buf_put(dmabuf);
		return -EACCES;
	}
	import->dmabuf = dmabuf;
	*size = dmabuf->size;
	return 0;
}

/* What the exporter said, in our words. @peer: it did not let the card reach it as a peer. */
static int roc_import_error(long err, bool peer, u32 *reason, u32 *error)
{
	if (err == -ENOMEM || err == -EINTR)
		return err;
	/* The exporter's word: without a signal it would reach the caller as it is. */
	if (err == -ERESTARTSYS)
		return -EINTR;
	*error = -err;
	/* ENODEV: it was revoked. To the caller it would say that this card is gone. */
	if (!peer || err == -ENODEV)
		*reason = ROC_REASON_EXPORTER;
	else
		*reason = IS_ENABLED(CONFIG_PCI_P2PDMA) ? ROC_REASON_PEER : ROC_REASON_NO_P2P;
	return -EOPNOTSUPP;
}

/*
 * An exporter that moves or clears the memory to be pinned goes on with it behind our back: what
 * the card wrote meanwhile would be written over. Without its lock: others wait at the same time.
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
	/* That is what an exporter says this for: the device cannot reach its memory. */
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

/* Neither the pin nor the reference is given back: the exporter never frees or moves it. */
void roc_import_abandon(struct roc_import *import)
{
	roc_import_unmap(import, false);
	import->dmabuf = NULL;
}
