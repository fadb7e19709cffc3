// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a reader maps: what kernel and card write, read-only; what the reader writes; and the
 * doorbell. See core/map.c.
 */
#include <linux/mm.h>

#include "fragment/fragment.h"

static u64 roc_area_length(const struct roc_sub_rings *rings, enum roc_fragment_ring last)
{
	return roc_sub_rings_before(rings, last) + rings->ring[last].bytes;
}

static int roc_map_area(struct vm_area_struct *vma, struct page *page,
			const struct roc_ring_memory *ring)
{
	unsigned long at = vma->vm_start;
	int err;

	err = roc_map_pages(vma, &at, page, 1);
	if (!err)
		err = roc_map_table(vma, &at, &ring[0].sgt);
	return err ?: roc_map_table(vma, &at, &ring[1].sgt);
}

/* Takes no lock: the rings are published once, and live as long as the open file. */
int roc_fragment_mmap(struct roc_open *o, struct vm_area_struct *vma)
{
	struct roc_holder *h = roc_holder(o);
	u64 cookie = (u64)vma->vm_pgoff << PAGE_SHIFT, length = vma->vm_end - vma->vm_start;
	struct roc_sub_rings *rings;
	int err;

	if (!smp_load_acquire(&h->told))
		return -EPIPE;
	rings = h->rings;
	err = roc_map_begin(vma);
	if (err)
		return err;
	if (cookie == ROC_FRAGMENT_KERNEL_COOKIE &&
	    length == roc_area_length(rings, ROC_RING_DONE)) {
		err = roc_map_readonly(vma);
		return err ?: roc_map_area(vma, rings->kernel_page, &rings->ring[ROC_RING_DATA]);
	}
	if (cookie == ROC_FRAGMENT_USER_COOKIE &&
	    length == roc_area_length(rings, ROC_RING_COMMAND))
		return roc_map_area(vma, rings->user_page, &rings->ring[ROC_RING_FREE]);
	if (cookie == ROC_BELL_COOKIE && PAGE_SIZE == FRAGMENT_DOORBELL_SIZE && length == PAGE_SIZE)
		return roc_map_bell(vma, &rings->bell);
	return -EINVAL;
}
