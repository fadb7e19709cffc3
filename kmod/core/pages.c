// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of the driver's. See pages.h.
 */
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/iommu.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/swiotlb.h>

#include "core/order.h"
#include "core/pages.h"
#include "core/roc.h"

/*
 * A piece of @order or less, at most @left pages. The allocator works harder for @least: a smaller
 * piece is of no use, unless it is the last one.
 */
static struct page *roc_alloc_piece(int node, struct roc_order *order, unsigned int least,
				    unsigned long left)
{
	order->now = min_t(unsigned int, order->now, ilog2(left));
	for (;; roc_order_bad(order)) {
		gfp_t gfp = order->now > least ? __GFP_NORETRY : __GFP_RETRY_MAYFAIL;
		struct page *page =
			alloc_pages_node(node, ROC_PAGES_GFP | __GFP_ZERO | gfp, order->now);

		if (page) {
			set_page_private(page, order->now);
			roc_order_good(order);
			return page;
		}
		if (order->now <= least)
			return NULL;
	}
}

static void roc_free_pieces(struct list_head *pieces)
{
	struct page *page, *next;

	list_for_each_entry_safe (page, next, pieces, lru) {
		__free_pages(page, page_private(page));
		cond_resched();
	}
}

static int roc_alloc_pieces(struct list_head *pieces, unsigned int *count, int node,
			    unsigned long pages, unsigned int least)
{
	struct roc_order order = {.now = ROC_PIECE_ORDER, .most = ROC_PIECE_ORDER};

	for (*count = 0; pages; (*count)++) {
		struct page *page;

		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		page = roc_alloc_piece(node, &order, least, pages);
		if (!page)
			return -ENOMEM;
		list_add_tail(&page->lru, pieces);
		pages -= 1ul << page_private(page);
	}
	return 0;
}

/* From here on each page stands for itself. */
static int roc_list_pieces(struct sg_table *sgt, struct list_head *pieces, unsigned int count)
{
	struct page *page, *next;
	struct scatterlist *sg;
	int err;

	err = sg_alloc_table(sgt, count, ROC_PAGES_GFP);
	if (err) {
		/* A long table that is freed half-way keeps its count, and no list. */
		*sgt = (struct sg_table){};
		return err;
	}
	sg = sgt->sgl;
	list_for_each_entry_safe (page, next, pieces, lru) {
		unsigned int order = page_private(page);

		list_del(&page->lru);
		set_page_private(page, 0);
		if (order)
			split_page(page, order);
		sg_set_page(sg, page, PAGE_SIZE << order, 0);
		sg = sg_next(sg);
		cond_resched();
	}
	return 0;
}

int roc_pages_alloc(struct sg_table *sgt, unsigned long pages, int node, unsigned long least)
{
	unsigned int count;
	LIST_HEAD(pieces);
	int err;

	err = roc_alloc_pieces(&pieces, &count, node, pages, ilog2(least));
	if (!err)
		err = roc_list_pieces(sgt, &pieces, count);
	roc_free_pieces(&pieces);
	return err;
}

void roc_pages_free(struct sg_table *sgt)
{
	struct scatterlist *sg;
	unsigned int i, page;

	for_each_sgtable_sg (sgt, sg, i) {
		for (page = 0; page < sg->length >> PAGE_SHIFT; page++)
			__free_page(sg_page(sg) + page);
		cond_resched();
	}
	sg_free_table(sgt);
}

/* Does the DMA of @dev go through a translating IOMMU? */
bool roc_translated(struct device *dev)
{
	const struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	return domain && (domain->type & __IOMMU_DOMAIN_DMA_API);
}

/*
 * Does the kernel copy what @dev writes to, or reads from, any of the whole pages that are mapped
 * for it? Behind an IOMMU it does not. A device that is not coherent needs a sync in any case, so
 * that one is judged by what it can address.
 */
bool roc_bounced(struct device *dev, const struct sg_table *sgt)
{
	struct scatterlist *sg;
	unsigned int i;

	if (roc_translated(dev))
		return false;
	if (!dev_is_dma_coherent(dev))
		return is_swiotlb_force_bounce(dev) || dma_addressing_limited(dev);
	for_each_sgtable_dma_sg (sgt, sg, i) {
		if (dma_need_sync(dev, sg_dma_address(sg)))
			return true;
		cond_resched();
	}
	return false;
}

/*
 * Does the CPU see what the card writes? Nobody could copy, or clean caches, when the reader just
 * looks. Behind an IOMMU older kernels say that all memory needs a sync; whole pages are not copied
 * there.
 */
bool roc_pages_plain(struct roc_endpoint *ep, dma_addr_t bus)
{
	struct device *dev = &ep->pdev->dev;

	return ep->translated ? dev_is_dma_coherent(dev) : !dma_need_sync(dev, bus);
}
