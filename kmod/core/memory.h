/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that cards write to, and who is charged for it. See memory.c.
 */
#ifndef ROC_MEMORY_H
#define ROC_MEMORY_H

#include <linux/gfp.h>
#include <linux/kref.h>
#include <linux/scatterlist.h>
#include <uapi/linux/roc.h>

struct cred;
struct device;
struct mm_struct;
struct roc_endpoint;

/* Whose pinned_vm, NULL: nobody's; and how much. */
struct roc_charge {
	struct mm_struct *mm;
	unsigned long pages;
};

/*
 * To @mm's, that of who opened the channel, against the caller's limit. -ENOMEM: what is out says
 * by which limit, and how much there was already.
 */
int roc_charge(struct roc_charge *charge, struct mm_struct *mm, unsigned long pages, __u32 *reason,
	       __u64 *limit, __u64 *pinned);
void roc_uncharge(struct roc_charge *charge);

/*
 * Pages that may outlive the channel whose card writes to them, because they were lent to others.
 *
 * The channel holds one reference, until its card is proved quiet; every dma-buf holds one more,
 * and its importers hold the dma-buf. So the last of them gives the pages back, whoever that is.
 */

/**
 * struct roc_memory - whole pages in an order, embedded in what knows where they came from
 * @refs: whoever may still write to the pages, or see them
 * @pages: orig_nents entries of whole pages; never changes. Its DMA side is the channel's own
 * @length: bytes
 * @export_cred: credentials of the user whose locked_vm is charged while the memory is lent
 * @exports: how often it is
 * @free: give the pages back; may sleep. There may be no hardware and no session any more
 */
struct roc_memory {
	struct kref refs;
	struct sg_table *pages;
	u64 length;
	const struct cred *export_cred;
	unsigned long exports;
	void (*free)(struct roc_memory *memory);
};

static inline void roc_memory_init(struct roc_memory *memory, struct sg_table *pages, u64 length,
				   void (*free)(struct roc_memory *memory))
{
	kref_init(&memory->refs);
	memory->pages = pages;
	memory->length = length;
	memory->export_cred = NULL;
	memory->exports = 0;
	memory->free = free;
}

static inline void roc_memory_get(struct roc_memory *memory)
{
	kref_get(&memory->refs);
}

void roc_memory_put(struct roc_memory *memory);

/*
 * A reference that may outlive the owner: the caller's user is charged, too, once for all that
 * there are. With an error @arg says why.
 */
int roc_memory_export_get(struct roc_memory *memory, struct roc_buf_export *arg);
void roc_memory_export_put(struct roc_memory *memory);

/*
 * Pages of the driver for the card and for users: ordinary ones, in pieces as large as they come,
 * each split into single pages so that a mapping, direct I/O or RDMA can hold any of them.
 */

/* What the page allocator has in one piece on every kernel. */
#define ROC_PIECE_ORDER 10
#define ROC_PIECE_MAX (PAGE_SIZE << ROC_PIECE_ORDER)
/* Memory that is short is the caller's news, not the log's. */
#define ROC_PAGES_GFP (GFP_KERNEL_ACCOUNT | __GFP_NOWARN)
/* Nobody could copy, or clean caches, when a reader just looks: see roc_pages_coherent(). */
#define ROC_PAGES_ATTRS DMA_ATTR_SKIP_CPU_SYNC

/*
 * @pages of them, zeroed, on @node, in no piece smaller than @least pages, a power of two; the last
 * one may be. May take long, so nothing is held. With an error there is nothing to free.
 */
int roc_pages_alloc(struct sg_table *sgt, unsigned long pages, int node, unsigned long least);
void roc_pages_free(struct sg_table *sgt);
bool roc_translated(struct device *dev);
bool roc_bounced(struct device *dev, const struct sg_table *sgt);
bool roc_pages_coherent(struct roc_endpoint *ep, dma_addr_t bus);

/*
 * Pin what @arg names, in pieces of at most @max_segment. Charged to the caller. With an error
 * @arg->reason may say more. No driver lock is held: an exporter may block forever.
 */
struct roc_memory *roc_pin(struct roc_buf_register *arg, unsigned int max_segment);

#endif /* ROC_MEMORY_H */
