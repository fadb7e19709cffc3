/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What users map of a channel: pages of the driver's, and a doorbell of the card's.
 */
#ifndef ROC_MAP_H
#define ROC_MAP_H

#include <linux/mm_types.h>
#include <linux/types.h>

struct page;
struct sg_table;

/*
 * mmap offsets. That of the doorbell is among those that a removal revokes: ROC_REVOKED_END. The
 * others are of pages that the mapping holds.
 */
#define ROC_BELL_COOKIE (0x07ull << 32)

/* A page of the card, and what takes its place when the card is gone. Lives as long as the file. */
struct roc_bell {
	unsigned int bar;
	u64 offset;
	struct page *idle;
};

vm_fault_t roc_fault_later(void);
/*
 * Shared mappings only, not inherited by fork(). A process can undo that by MADV_DOFORK, but for
 * the doorbell, which has VM_IO: the other mappings must remain usable for direct I/O and RDMA. A
 * child with such a mapping reaches the pages of the opener's rings and does not keep the channel.
 */
int roc_map_begin(struct vm_area_struct *vma);
int roc_map_pages(struct vm_area_struct *vma, unsigned long *at, struct page *first,
		  unsigned long count);
int roc_map_table(struct vm_area_struct *vma, unsigned long *at, const struct sg_table *sgt);
int roc_map_readonly(struct vm_area_struct *vma);
int roc_map_bell(struct vm_area_struct *vma, struct roc_bell *bell);

#endif /* ROC_MAP_H */
