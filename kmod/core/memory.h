/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that cards write to, and the process that is charged for it. See memory.c.
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

/* A charge to pinned_vm of @mm; NULL: nothing is charged. */
struct roc_charge {
	struct mm_struct *mm;
	unsigned long pages;
};

/*
 * Charge @pages to @mm, that of the opener of the channel, against the limit of the caller. Return:
 * -ENOMEM with @reason, the limit in bytes and the number of bytes that were pinned already.
 */
int roc_charge(struct roc_charge *charge, struct mm_struct *mm, unsigned long pages, __u32 *reason,
	       __u64 *limit, __u64 *pinned);
void roc_uncharge(struct roc_charge *charge);

/*
 * Pages that may outlive the channel whose card writes to them, because they are exported.
 *
 * The channel holds one reference until it is quiesced, and every dma-buf holds another one;
 * importers hold the dma-buf. The last reference frees the pages.
 */

/**
 * struct roc_memory - an ordered list of whole pages, embedded in struct roc_pin or
 *	struct roc_shared_memory
 * @refs: one for each user that may still write to the pages or read them
 * @pages: orig_nents entries of whole pages; never changes. Its DMA side belongs to the channel
 * @length: bytes
 * @export_cred: credentials of the user whose locked_vm is charged while the memory is exported
 * @exports: number of exports
 * @free: free the pages; may sleep. The hardware and the open channel may be gone
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
 * Get a reference that may outlive the opener, and charge the user of the caller, once for all
 * exports of the memory. After an error @arg contains the reason.
 */
int roc_memory_export_get(struct roc_memory *memory, struct roc_buf_export *arg);
void roc_memory_export_put(struct roc_memory *memory);

/*
 * Pages of the driver, shared by card and users: allocated in pieces as large as available, and
 * split into single pages, so that a mapping, direct I/O or RDMA can hold any of them.
 */

/* largest order that the page allocator supports on every kernel */
#define ROC_PIECE_ORDER 10
#define ROC_PIECE_MAX (PAGE_SIZE << ROC_PIECE_ORDER)
/* The caller gets the error if memory is short; a warning in the log would not help. */
#define ROC_PAGES_GFP (GFP_KERNEL_ACCOUNT | __GFP_NOWARN)
/*
 * A reader that polls memory makes no call in which the driver could sync: see
 * roc_pages_coherent().
 */
#define ROC_PAGES_ATTRS DMA_ATTR_SKIP_CPU_SYNC

/*
 * Allocate @pages zeroed pages on @node. No piece is smaller than @least pages, a power of two; the
 * last one may be. May take long, so the caller holds no lock. After an error there is nothing to
 * free.
 */
int roc_pages_alloc(struct sg_table *sgt, unsigned long pages, int node, unsigned long least);
void roc_pages_free(struct sg_table *sgt);
bool roc_translated(struct device *dev);
bool roc_bounced(struct device *dev, const struct sg_table *sgt);
bool roc_pages_coherent(struct roc_endpoint *ep, dma_addr_t bus);

/*
 * Pin the memory that @arg names, in segments of at most @max_segment bytes, and charge the caller.
 * After an error @arg->reason may contain the cause. Context: no lock of the driver held, because a
 * page fault may block forever.
 */
struct roc_memory *roc_pin(struct roc_buf_register *arg, unsigned int max_segment);

#endif /* ROC_MEMORY_H */
