// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a reader maps: its ring twice back to back, the page of its own, what kernel and card say,
 * and the doorbell. See core/map.c.
 */
#include <linux/mm.h>

#include "stream/stream.h"

static int roc_map_ring(struct vm_area_struct *vma, struct roc_stream_ring *ring)
{
	unsigned long at = vma->vm_start;
	int err;

	err = roc_map_table(vma, &at, &ring->sgt);
	return err ?: roc_map_table(vma, &at, &ring->sgt);
}

static int roc_map_control(struct vm_area_struct *vma, struct roc_stream_ring *ring)
{
	unsigned long at = vma->vm_start;
	int err;

	err = roc_map_readonly(vma);
	if (!err)
		err = roc_map_pages(vma, &at, ring->kernel_page, 1);
	return err ?: roc_map_pages(vma, &at, ring->card_page, 1);
}

/* Takes no lock: the ring is published once, and lives as long as the open file. */
int roc_stream_mmap(struct roc_open *o, struct vm_area_struct *vma)
{
	struct roc_reader *r = roc_reader(o);
	u64 cookie = (u64)vma->vm_pgoff << PAGE_SHIFT, length = vma->vm_end - vma->vm_start;
	struct roc_stream_ring *ring;
	unsigned long at = vma->vm_start;
	int err;

	if (!smp_load_acquire(&r->told))
		return -EPIPE;
	ring = r->ring;
	err = roc_map_begin(vma);
	if (err)
		return err;
	if (cookie == ROC_RING_COOKIE && length == 2ull << ring->log2)
		return roc_map_ring(vma, ring);
	if (cookie == ROC_CONTROL_COOKIE && length == 2 * PAGE_SIZE)
		return roc_map_control(vma, ring);
	if (cookie == ROC_READER_COOKIE && length == PAGE_SIZE)
		return roc_map_pages(vma, &at, ring->user_page, 1);
	if (cookie == ROC_BELL_COOKIE && length == ROC_BELL_LENGTH)
		return roc_map_bell(vma, &ring->bell);
	return -EINVAL;
}
