// SPDX-License-Identifier: GPL-2.0-only
/*
 * What users map of a channel.
 *
 * All but the doorbell are ordinary pages that the mapping holds: they stay when the card goes. The
 * doorbell is a page of the card with registers that take counts and no address; it is put in on
 * first touch, inside the SRCU read side, and revoked with the BAR mappings. A page that does
 * nothing takes its place: a busy reader looks at the kernel's flags when nothing comes, not
 * whenever it rings.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/sched/signal.h>

#include "core/compat/compat.h"
#include "core/map.h"
#include "core/roc.h"

#define ROC_MAP_BATCH 64

/*
 * For a fault whose page cannot be had yet: the access faults again. It waits a tick at a time, so
 * that other threads get mmap_lock and signals are handled in between. An access by the kernel
 * itself, which does not handle them there, ends with an error when the process is killed.
 */
vm_fault_t roc_fault_later(void)
{
	if (fatal_signal_pending(current))
		return VM_FAULT_SIGBUS;
	schedule_timeout_killable(1);
	return VM_FAULT_NOPAGE;
}

int roc_map_begin(struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	return 0;
}

/* @count pages from @first on, at *@at, which moves on. */
int roc_map_pages(struct vm_area_struct *vma, unsigned long *at, struct page *first,
		  unsigned long count)
{
	struct page *batch[ROC_MAP_BATCH];

	while (count) {
		unsigned long now = min_t(unsigned long, count, ROC_MAP_BATCH), left = now, i;
		int err;

		for (i = 0; i < now; i++)
			batch[i] = first + i;
		err = vm_insert_pages(vma, *at, batch, &left);
		if (err)
			return err;
		*at += now * PAGE_SIZE;
		first += now;
		count -= now;
	}
	return 0;
}

int roc_map_table(struct vm_area_struct *vma, unsigned long *at, const struct sg_table *sgt)
{
	struct scatterlist *sg;
	unsigned int i;
	int err;

	for_each_sgtable_sg (sgt, sg, i) {
		err = roc_map_pages(vma, at, sg_page(sg), sg->length >> PAGE_SHIFT);
		if (err)
			return err;
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

int roc_map_readonly(struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_clear(vma, VM_MAYWRITE);
	return 0;
}

/*
 * The card is gone, or the claim is given up: no reason to kill the reader. The page is memory and
 * not registers, so it is not mapped with the protection of the doorbell.
 */
static vm_fault_t roc_bell_idle(struct vm_fault *vmf, const struct roc_bell *bell)
{
	return vmf_insert_pfn_prot(vmf->vma, vmf->address, page_to_pfn(bell->idle),
				   vm_get_page_prot(vmf->vma->vm_flags));
}

/*
 * Channel lock held, so that roc_open_end() finds the page, or this finds the open retired. 0: the
 * function is being reset.
 */
static vm_fault_t roc_bell_page(struct vm_fault *vmf, const struct roc_bell *bell,
				struct roc_open *o)
{
	struct roc_endpoint *ep = o->ch->ep;
	vm_fault_t ret;

	if (o->retired)
		return roc_bell_idle(vmf, bell);
	if (!down_read_trylock(&ep->registers))
		return 0;
	ret = vmf_insert_pfn(vmf->vma, vmf->address,
			     (ep->bar_start[bell->bar] + bell->offset) >> PAGE_SHIFT);
	up_read(&ep->registers);
	return ret;
}

/* A start or a stop has the channel lock for long, which is no time to hold mmap_lock. */
static vm_fault_t roc_bell_fault(struct vm_fault *vmf)
{
	const struct roc_bell *bell = vmf->vma->vm_private_data;
	struct roc_open *o = vmf->vma->vm_file->private_data;
	struct roc_endpoint *ep = o->ch->ep;
	vm_fault_t ret;
	int idx;

	if (!roc_enter(ep, READ_ONCE(o->epoch), &idx))
		return roc_bell_idle(vmf, bell);
	if (!mutex_trylock(&o->ch->lock)) {
		roc_leave(ep, idx);
		return roc_fault_later();
	}
	ret = roc_bell_page(vmf, bell, o);
	mutex_unlock(&o->ch->lock);
	roc_leave(ep, idx);
	return ret ?: roc_fault_later();
}

static void roc_bell_open(struct vm_area_struct *vma)
{
	struct roc_open *o = vma->vm_file->private_data;

	atomic_inc(&o->bells);
}

static void roc_bell_close(struct vm_area_struct *vma)
{
	struct roc_open *o = vma->vm_file->private_data;

	atomic_dec(&o->bells);
}

static const struct vm_operations_struct roc_bell_vm_ops = {
	.open = roc_bell_open,
	.close = roc_bell_close,
	.fault = roc_bell_fault,
};

int roc_map_bell(struct vm_area_struct *vma, struct roc_bell *bell)
{
	vm_flags_set(vma, VM_IO | VM_PFNMAP);
	/* Registers are never encrypted, whatever memory is. */
	vma->vm_page_prot = pgprot_decrypted(pgprot_noncached(vma->vm_page_prot));
	vma->vm_private_data = bell;
	vma->vm_ops = &roc_bell_vm_ops;
	roc_bell_open(vma);
	return 0;
}
