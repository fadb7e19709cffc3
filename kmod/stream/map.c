// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a reader maps: its ring twice back to back, the page of its own, what kernel and card say,
 * and the doorbell.
 *
 * All but the doorbell are ordinary pages that the mapping holds: they stay when the card goes. The
 * doorbell is a page of the card with one register, which takes a position and no address; it is
 * put in on first touch, inside the SRCU read side, and revoked with the BAR mappings. A page that
 * does nothing takes its place: a busy reader looks at the kernel's flags when nothing comes, not
 * whenever it gives something back.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include "core/compat/compat.h"
#include "stream/stream.h"

#define ROC_MAP_BATCH 64

static int roc_map_piece(struct vm_area_struct *vma, unsigned long *at, struct page *piece,
			 unsigned long pages)
{
	struct page *batch[ROC_MAP_BATCH];

	while (pages) {
		unsigned long count = min_t(unsigned long, pages, ROC_MAP_BATCH), left = count, i;
		int err;

		for (i = 0; i < count; i++)
			batch[i] = piece + i;
		err = vm_insert_pages(vma, *at, batch, &left);
		if (err)
			return err;
		*at += count * PAGE_SIZE;
		piece += count;
		pages -= count;
	}
	return 0;
}

static int roc_map_ring(struct vm_area_struct *vma, struct roc_stream_ring *ring)
{
	unsigned long at = vma->vm_start;
	struct scatterlist *sg;
	unsigned int twice, i;
	int err;

	for (twice = 0; twice < 2; twice++) {
		for_each_sgtable_sg (&ring->sgt, sg, i) {
			err = roc_map_piece(vma, &at, sg_page(sg), sg->length >> PAGE_SHIFT);
			if (err)
				return err;
			cond_resched();
			if (fatal_signal_pending(current))
				return -EINTR;
		}
	}
	return 0;
}

static int roc_map_control(struct vm_area_struct *vma, struct roc_stream_ring *ring)
{
	unsigned long at = vma->vm_start;
	int err;

	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_clear(vma, VM_MAYWRITE);
	err = roc_map_piece(vma, &at, ring->kernel_page, 1);
	return err ?: roc_map_piece(vma, &at, ring->card_page, 1);
}

static vm_fault_t roc_bell_fault(struct vm_fault *vmf)
{
	struct roc_open *o = vmf->vma->vm_file->private_data;
	struct roc_endpoint *ep = o->ch->ep;
	struct roc_stream *st = roc_stream(o->ch);
	vm_fault_t ret;
	int idx;

	/* The card is gone, or knows nothing of this reader: no reason to kill it. */
	if (!roc_enter(ep, o->epoch, &idx))
		return vmf_insert_pfn(vmf->vma, vmf->address,
				      page_to_pfn(roc_reader(o)->ring->bell_page));
	ret = vmf_insert_pfn(vmf->vma, vmf->address,
			     (ep->bar_start[st->bell_bar] + st->bell) >> PAGE_SHIFT);
	roc_leave(ep, idx);
	return ret;
}

static const struct vm_operations_struct roc_bell_vm_ops = {
	.fault = roc_bell_fault,
};

static int roc_map_bell(struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_IO | VM_PFNMAP);
	/* Registers are never encrypted, whatever memory is. */
	vma->vm_page_prot = pgprot_decrypted(pgprot_noncached(vma->vm_page_prot));
	vma->vm_ops = &roc_bell_vm_ops;
	return 0;
}

/* Takes no lock: the ring is published once, and lives as long as the open file. */
int roc_stream_mmap(struct roc_open *o, struct vm_area_struct *vma)
{
	struct roc_reader *r = roc_reader(o);
	u64 cookie = (u64)vma->vm_pgoff << PAGE_SHIFT, length = vma->vm_end - vma->vm_start;
	struct roc_stream_ring *ring;
	unsigned long at = vma->vm_start;

	if (!smp_load_acquire(&r->told))
		return -EPIPE;
	ring = r->ring;
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	/* A child of fork has no business in the ring of its parent. */
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	if (cookie == ROC_RING_COOKIE && length == 2ull << ring->log2)
		return roc_map_ring(vma, ring);
	if (cookie == ROC_CONTROL_COOKIE && length == 2 * PAGE_SIZE)
		return roc_map_control(vma, ring);
	if (cookie == ROC_READER_COOKIE && length == PAGE_SIZE)
		return roc_map_piece(vma, &at, ring->user_page, 1);
	if (cookie == ROC_BELL_COOKIE && length == ROC_BELL_LENGTH)
		return roc_map_bell(vma);
	return -EINVAL;
}
