/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages of the driver's for the card and for users: ordinary ones, in pieces as large as they come,
 * each split into single pages so that a mapping, direct I/O or RDMA can hold any of them.
 */
#ifndef ROC_PAGES_H
#define ROC_PAGES_H

#include <linux/gfp.h>
#include <linux/scatterlist.h>

struct device;
struct roc_endpoint;

/* What the page allocator has in one piece on every kernel. */
#define ROC_PIECE_ORDER 10
#define ROC_PIECE_MAX (PAGE_SIZE << ROC_PIECE_ORDER)
/* Memory that is short is the caller's news, not the log's. */
#define ROC_PAGES_GFP (GFP_KERNEL_ACCOUNT | __GFP_NOWARN)
/* Nobody could copy, or clean caches, when a reader just looks: see roc_pages_plain(). */
#define ROC_PAGES_ATTRS DMA_ATTR_SKIP_CPU_SYNC

/*
 * @pages of them, zeroed, on @node, in no piece smaller than @least pages, a power of two; the last
 * one may be. May take long, so nothing is held. With an error there is nothing to free.
 */
int roc_pages_alloc(struct sg_table *sgt, unsigned long pages, int node, unsigned long least);
void roc_pages_free(struct sg_table *sgt);
bool roc_translated(struct device *dev);
bool roc_bounced(struct device *dev, const struct sg_table *sgt);
bool roc_pages_plain(struct roc_endpoint *ep, dma_addr_t bus);

#endif /* ROC_PAGES_H */
