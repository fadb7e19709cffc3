/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that a channel's reader and its card share: pages of the driver, what of them users map,
 * and a doorbell of the card.
 *
 * Two owners: the open file, until its last close, and the card, until it is verified to be
 * quiesced; dma-bufs are more. The pages go with the last of them.
 */
#ifndef ROC_SHARED_MEMORY_H
#define ROC_SHARED_MEMORY_H

#include <linux/dma-direction.h>
#include <linux/mm_types.h>
#include <linux/types.h>

#include "core/memory.h"
#include "core/quiesce.h"

struct file;
struct roc_channel;
struct roc_open;

#define ROC_VIEW_AREAS 3 /* that follow each other in one mapping */

/* The areas: those of the kind, and a page each that the kernel and the reader write. */
enum roc_area_number {
	ROC_AREAS_OWN = 4,
	ROC_AREA_KERNEL = ROC_AREAS_OWN,
	ROC_AREA_USER,
	ROC_AREAS,
};

/*
 * mmap offsets. That of the doorbell is among those that a removal revokes: ROC_REVOKED_END. The
 * others are of pages that the mapping holds.
 */
#define ROC_DOORBELL_COOKIE (0x07ull << 32)
/* The page of a doorbell in all contracts. With larger pages it could not be mapped alone. */
#define ROC_DOORBELL_SIZE 0x1000
#define ROC_DOORBELL_LENGTH (PAGE_SIZE == ROC_DOORBELL_SIZE ? PAGE_SIZE : 0)

/* A page of the card, if it is there, and what takes its place when the card is gone. */
struct roc_doorbell {
	bool there;
	unsigned int bar;
	u64 offset;
	struct page *idle;
};

/**
 * struct roc_area - pages with one purpose
 * @pages: how many, 0: the area is not used
 * @least: pages that no allocation of them is smaller than, a power of two
 * @direction: in which the card moves data; DMA_NONE: it does not access them
 * @contiguous: they must be one piece for the card
 * @kernel_access: the kernel accesses them
 * @mapped: for the card
 * @sgt: the pages
 * @cpu: their address for the kernel, if @kernel_access
 * @bus: address for the card, of the first piece if they are not contiguous
 */
struct roc_area {
	unsigned long pages;
	unsigned long least;
	enum dma_data_direction direction;
	bool contiguous;
	bool kernel_access;
	bool mapped;
	struct sg_table sgt;
	void *cpu;
	dma_addr_t bus;
};

/* What users map at an offset: these areas one behind the other. */
struct roc_view {
	u64 cookie;
	bool readonly;
	unsigned int count;
	u8 area[ROC_VIEW_AREAS];
};

/**
 * struct roc_shared_memory - all that an open channel shares with its card; constant once it is
 * attached to the open channel, but for the table
 * @memory: the count of owners; its pages are those of one area, for dma-bufs
 * @deferred: the card's part: the mappings for DMA, the table
 * @owned_by_card: the card has a part
 * @charge: for all pages
 * @area: see enum roc_area_number
 * @view: what users map
 * @views: entries of @view
 * @doorbell: is mapped at ROC_BELL_COOKIE
 * @table: bus addresses that the card reads, NULL: none
 * @table_size: bytes
 * @table_bus: address of @table for the card
 * @table_charge: for @table, if it is charged
 */
struct roc_shared_memory {
	struct roc_memory memory;
	struct roc_deferred_free deferred;
	bool owned_by_card;
	struct roc_charge charge;
	struct roc_area area[ROC_AREAS];
	const struct roc_view *view;
	unsigned int views;
	struct roc_doorbell doorbell;
	__le64 *table;
	size_t table_size;
	dma_addr_t table_bus;
	struct roc_charge table_charge;
};

/*
 * May the caller attach memory to @o? Only the opener may, and once; else sets *@reason. @check
 * refuses what the card cannot use, with the structure of the ioctl. *@node: where to allocate.
 */
int roc_shared_check(struct roc_open *o, int (*check)(struct roc_channel *ch, void *arg), void *arg,
		     __u32 *reason, int *node);

/*
 * Allocate a structure of @size that begins with struct roc_shared_memory; the caller is its first
 * owner and fills in its areas, views and doorbell. @exported_area: the area for dma-bufs.
 */
void *roc_shared_new(size_t size, unsigned int exported_area);

/*
 * Allocate the areas on @node. Charge them to the caller unless @reason is NULL. May take long, so
 * no lock is held. With an error @reason, @limit and @pinned are as in roc_charge().
 */
int roc_shared_alloc(struct roc_shared_memory *s, int node, __u32 *reason, __u64 *limit,
		     __u64 *pinned);
void roc_shared_put(struct roc_shared_memory *s);

/*
 * Map the areas for the card, which becomes the second owner until roc_shared_drop(). -EOPNOTSUPP
 * with *@reason if it cannot use them. Inside the SRCU read side; takes no lock.
 */
int roc_shared_map(struct roc_channel *ch, struct roc_shared_memory *s, __u32 *reason);

/* The card's part, which it does not access any more. */
void roc_shared_release(struct roc_shared_memory *s, struct roc_endpoint *ep);

/* Allocate a table of @entries for the card; there must be none. The caller charges it or not. */
int roc_shared_table(struct roc_shared_memory *s, struct roc_endpoint *ep, size_t entries);
void roc_shared_free_table(struct roc_shared_memory *s, struct roc_endpoint *ep);

/*
 * Make @s that of @o. @map maps it for the card, and @arg is for it; NULL: the card has no part in
 * it. From here on removal and reset find it, and users once roc_shared_commit() has been called.
 * Takes over the caller's reference.
 */
int roc_shared_attach(struct roc_open *o, struct roc_shared_memory *s,
		      int (*map)(struct roc_channel *ch, struct roc_shared_memory *s, void *arg),
		      void *arg);

/* Of an ioctl that attached memory: see struct roc_ioctl. */
void roc_shared_commit(struct file *file, const void *data, bool copied);

/* The card's part goes now, or when the channel is verified to be quiesced. Channel lock held. */
void roc_shared_drop(struct roc_open *o);

/* Bytes before @area in the view that has it. */
u64 roc_view_offset(const struct roc_shared_memory *s, const struct roc_view *view,
		    unsigned int area);
u64 roc_view_length(const struct roc_shared_memory *s, const struct roc_view *view);

/*
 * Shared mappings only, not inherited by fork(). A process can undo that by MADV_DOFORK, but for
 * the doorbell, which has VM_IO: the other mappings must remain usable for direct I/O and RDMA. A
 * child with such a mapping reaches the pages of the opener's rings and does not keep the channel.
 */
int roc_shared_mmap(struct roc_open *o, struct vm_area_struct *vma);

vm_fault_t roc_fault_retry(void);

#endif /* ROC_SHARED_MEMORY_H */
