/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages that may outlive the channel whose card writes to them, because they were lent to others.
 *
 * The channel holds one reference, until its card is proved quiet; every dma-buf holds one more,
 * and its importers hold the dma-buf. So the last of them gives the pages back, whoever that is.
 */
#ifndef ROC_MEMORY_H
#define ROC_MEMORY_H

#include <linux/kref.h>
#include <linux/scatterlist.h>

/**
 * struct roc_memory - whole pages in an order, embedded in what knows where they came from
 * @refs: whoever may still write to the pages, or see them
 * @pages: orig_nents entries of whole pages; never changes. Its DMA side is the channel's own
 * @length: bytes
 * @free: give the pages back; may sleep. There may be no hardware and no session any more
 */
struct roc_memory {
	struct kref refs;
	struct sg_table *pages;
	u64 length;
	void (*free)(struct roc_memory *memory);
};

static inline void roc_memory_init(struct roc_memory *memory, struct sg_table *pages, u64 length,
				   void (*free)(struct roc_memory *memory))
{
	kref_init(&memory->refs);
	memory->pages = pages;
	memory->length = length;
	memory->free = free;
}

static inline void roc_memory_get(struct roc_memory *memory)
{
	kref_get(&memory->refs);
}

static inline void roc_memory_last(struct kref *refs)
{
	struct roc_memory *memory = container_of(refs, struct roc_memory, refs);

	memory->free(memory);
}

static inline void roc_memory_put(struct roc_memory *memory)
{
	kref_put(&memory->refs, roc_memory_last);
}

#endif /* ROC_MEMORY_H */
