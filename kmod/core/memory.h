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
#include <uapi/linux/roc.h>

struct cred;

/**
 * struct roc_memory - whole pages in an order, embedded in what knows where they came from
 * @refs: whoever may still write to the pages, or see them
 * @pages: orig_nents entries of whole pages; never changes. Its DMA side is the channel's own
 * @length: bytes
 * @lender: credentials of the user whose locked_vm is charged while the memory is lent
 * @loans: how often it is
 * @free: give the pages back; may sleep. There may be no hardware and no session any more
 */
struct roc_memory {
	struct kref refs;
	struct sg_table *pages;
	u64 length;
	const struct cred *lender;
	unsigned long loans;
	void (*free)(struct roc_memory *memory);
};

static inline void roc_memory_init(struct roc_memory *memory, struct sg_table *pages, u64 length,
				   void (*free)(struct roc_memory *memory))
{
	kref_init(&memory->refs);
	memory->pages = pages;
	memory->length = length;
	memory->lender = NULL;
	memory->loans = 0;
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
int roc_memory_lend(struct roc_memory *memory, struct roc_buf_export *arg);
void roc_memory_return(struct roc_memory *memory);

#endif /* ROC_MEMORY_H */
