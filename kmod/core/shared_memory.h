/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory shared by the reader of a channel and the card: pages of the driver that users map, and a
 * doorbell of the card.
 *
 * There are two owners: the open channel, until the last close, and the card, until it is verified
 * to be quiesced. Each dma-buf is a further owner. The last owner frees the pages.
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

#define ROC_VIEW_AREAS 3 /* consecutive areas in one mapping */

/* The areas: those of the channel type, and a page each that the kernel and the reader write. */
enum roc_area_number {
	ROC_AREAS_OWN = 4,
	ROC_AREA_KERNEL = ROC_AREAS_OWN,
	ROC_AREA_USER,
	ROC_AREAS,
};

/*
 * mmap offsets. Removal revokes the mapping of the doorbell, whose offset is below ROC_REVOKED_END.
 * The other mappings hold their pages.
 */
#define ROC_DOORBELL_COOKIE (0x07ull << 32)
/* Size of a doorbell page in all contracts. With larger pages it could not be mapped alone. */
#define ROC_DOORBELL_SIZE 0x1000
#define ROC_DOORBELL_LENGTH (PAGE_SIZE == ROC_DOORBELL_SIZE ? PAGE_SIZE : 0)

/* A page of the card, if there is one, and the page that replaces it when the card is gone. */
struct roc_doorbell {
	bool exists;
	unsigned int bar;
	u64 offset;
	struct page *idle;
};

/**
 * struct roc_area - pages with one purpose
 * @pages: number of pages, 0: the area is not used
 * @least: minimum number of pages of each allocation, a power of two
 * @direction: DMA direction; DMA_NONE: the card does not access the area
 * @contiguous: the area must be contiguous for the card
 * @kernel_access: the kernel accesses the area
 * @mapped: the area is mapped for the card
 * @sgt: the pages
 * @cpu: address for the kernel, if @kernel_access
 * @bus: address for the card, of the first piece if the area is not contiguous
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

/* A range that users can map: consecutive areas at one mmap offset. */
struct roc_view {
	u64 cookie;
	bool readonly;
	unsigned int count;
	u8 area[ROC_VIEW_AREAS];
};

/**
 * struct roc_shared_memory - everything that an open channel shares with its card
 * @memory: reference count of the owners; its pages are those of the exportable area
 * @deferred: deferred free of the card's part: DMA mappings and table
 * @owned_by_card: the card is an owner
 * @charge: charge for all pages
 * @area: see enum roc_area_number
 * @view: ranges that users can map
 * @views: number of entries of @view
 * @doorbell: doorbell, mapped at ROC_DOORBELL_COOKIE
 * @table: bus addresses that the card reads, NULL: none
 * @table_size: size of @table in bytes
 * @table_bus: bus address of @table
 * @table_charge: charge for @table, if it is charged
 *
 * Constant once it is attached to the open channel, except for the table.
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
 * May the caller attach memory to @o? Only the opener may (otherwise -EPERM with *@reason), and
 * only once (otherwise -EBUSY). @check gets the structure of the ioctl, and refuses what the card
 * cannot use. *@node is the NUMA node for the allocation.
 */
int roc_shared_check(struct roc_open *o, int (*check)(struct roc_channel *ch, void *arg), void *arg,
		     __u32 *reason, int *node);

/*
 * Allocate a structure of @size bytes that begins with struct roc_shared_memory. The caller is the
 * first owner, and fills in areas, views and doorbell. @exported_area: the area for dma-bufs.
 */
void *roc_shared_new(size_t size, unsigned int exported_area);

/*
 * Allocate the areas on @node, and charge the caller unless @reason is NULL. After an error
 * @reason, @limit and @pinned are as for roc_charge(). Context: no lock held, because this may take
 * long.
 */
int roc_shared_alloc(struct roc_shared_memory *s, int node, __u32 *reason, __u64 *limit,
		     __u64 *pinned);
void roc_shared_put(struct roc_shared_memory *s);

/*
 * Map the areas for the card, which becomes the second owner until roc_shared_drop(). Return:
 * -EOPNOTSUPP with *@reason if the card cannot use them. Context: inside the SRCU read side; takes
 * no lock.
 */
int roc_shared_map(struct roc_channel *ch, struct roc_shared_memory *s, __u32 *reason);

/* Release the card's part, which the card does not access any more. */
void roc_shared_release(struct roc_shared_memory *s, struct roc_endpoint *ep);

/*
 * Allocate a table with @entries for the card, which must not have one. The caller charges it, if
 * necessary.
 */
int roc_shared_table(struct roc_shared_memory *s, struct roc_endpoint *ep, size_t entries);
void roc_shared_free_table(struct roc_shared_memory *s, struct roc_endpoint *ep);

/*
 * Attach @s to @o. @map maps it for the card and gets @arg; NULL: the card does not access it. From
 * here on removal and reset find it, and users after roc_shared_commit(). Consumes the reference of
 * the caller.
 */
int roc_shared_attach(struct roc_open *o, struct roc_shared_memory *s,
		      int (*map)(struct roc_channel *ch, struct roc_shared_memory *s, void *arg),
		      void *arg);

/* Commit operation of an ioctl that attached memory: see struct roc_ioctl. */
void roc_shared_commit(struct file *file, const void *data, bool copied);

/*
 * Release the card's part now, or when the channel is verified to be quiesced. Channel lock held.
 */
void roc_shared_drop(struct roc_open *o);

/* Offset of @area in @view, in bytes. */
u64 roc_view_offset(const struct roc_shared_memory *s, const struct roc_view *view,
		    unsigned int area);
u64 roc_view_length(const struct roc_shared_memory *s, const struct roc_view *view);

/*
 * Map shared memory. Mappings must be shared, and a child of fork() does not inherit them. A
 * process can override that with MADV_DOFORK, except for the doorbell, which has VM_IO: the others
 * must remain usable for direct I/O and RDMA. A child with such a mapping can access the pages of
 * the rings, but does not keep the claim.
 */
int roc_shared_mmap(struct roc_open *o, struct vm_area_struct *vma);

vm_fault_t roc_fault_retry(void);

#endif /* ROC_SHARED_MEMORY_H */
