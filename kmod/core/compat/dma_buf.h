/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dma-buf names of the newest kernel for older kernels; see compat.h. A separate header, because
 * modules for tests include it and use no other probe.
 */
#ifndef ROC_COMPAT_DMA_BUF_H
#define ROC_COMPAT_DMA_BUF_H

#include <linux/dma-buf.h>
#include <linux/module.h>

#ifdef HAVE_BARE_NS
#define ROC_IMPORT_DMA_BUF_NS MODULE_IMPORT_NS(DMA_BUF)
#else
#define ROC_IMPORT_DMA_BUF_NS MODULE_IMPORT_NS("DMA_BUF")
#endif

/* For importers that pin the memory, and need no notification of moves. */
#ifdef HAVE_DMA_BUF_INVALIDATE
#define ROC_NEVER_MOVED
#else
#define dma_buf_invalidate_mappings dma_buf_move_notify
#define invalidate_mappings move_notify
static inline void roc_never_moved(struct dma_buf_attachment *attachment)
{
}

#define ROC_NEVER_MOVED .move_notify = roc_never_moved,
#endif

#endif /* ROC_COMPAT_DMA_BUF_H */
