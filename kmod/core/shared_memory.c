// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory shared by a reader and its card. See shared_memory.h.
 *
 * All mappings except the doorbell consist of ordinary pages that the mapping holds, so they remain
 * when the card is removed. The doorbell is a page of registers that take counts, but no addresses.
 * It is inserted on first access, inside the SRCU read side, and revoked with the BAR mappings. A
 * page without a function replaces it then, because a busy reader checks the kernel's flags only
 * when no data arrive, not before each doorbell write.
 */
#include <linux/dma-mapping.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "core/compat/compat.h"
#include "core/roc.h"
#include "core/shared_memory.h"

#define ROC_MAP_BATCH 64

static void roc_area_free(struct roc_area *area)
{
	if (is_vmalloc_addr(area->cpu))
		vunmap(area->cpu);
	roc_pages_free(&area->sgt);
}

/* The last owner is gone. */
static void roc_shared_free(struct roc_memory *memory)
{
	struct roc_shared_memory *s = container_of(memory, struct roc_shared_memory, memory);
	unsigned int i;

	for (i = 0; i < ROC_AREAS; i++)
		roc_area_free(&s->area[i]);
	if (s->doorbell.idle)
		__free_page(s->doorbell.idle);
	roc_uncharge(&s->charge);
	kfree(s);
}

int roc_shared_check(struct roc_open *o, int (*check)(struct roc_channel *ch, void *arg), void *arg,
		     __u32 *reason, int *node)
{
	struct roc_endpoint *ep = o->ch->ep;
	int err, idx;

	/* Otherwise each child of a fork would have its own limit for the same channel. */
	if (current->mm != o->mm) {
		*reason = ROC_REASON_OWNER;
		return -EPERM;
	}
	if (!roc_enter(ep, o->epoch, &idx))
		return -ENODEV;
	err = READ_ONCE(o->shared) ? -EBUSY : check(o->ch, arg);
	*node = dev_to_node(&ep->pdev->dev);
	roc_leave(ep, idx);
	return err;
}

void *roc_shared_new(size_t size, unsigned int exported_area)
{
	struct roc_shared_memory *s = kzalloc(size, ROC_PAGES_GFP);

	if (!s)
		return NULL;
	roc_memory_init(&s->memory, &s->area[exported_area].sgt, 0, roc_shared_free);
	s->area[ROC_AREA_KERNEL] =
		(struct roc_area){.pages = 1, .direction = DMA_NONE, .kernel_access = true};
	s->area[ROC_AREA_USER] = s->area[ROC_AREA_KERNEL];
	return s;
}

void roc_shared_put(struct roc_shared_memory *s)
{
	roc_memory_put(&s->memory);
}

/* Map the area contiguously for the kernel, whatever pieces it consists of. */
static int roc_area_map_kernel(struct roc_area *area)
{
	struct scatterlist *sg;
	struct page **pages;
	unsigned long n = 0, i;
	unsigned int k;

	if (area->pages == 1) {
		area->cpu = page_address(sg_page(area->sgt.sgl));
		return 0;
	}
	pages = kvmalloc_array(area->pages, sizeof(*pages), ROC_PAGES_GFP);
	if (!pages)
		return -ENOMEM;
	for_each_sgtable_sg(&area->sgt, sg, k) {
		for (i = 0; i < sg->length >> PAGE_SHIFT; i++)
			pages[n++] = sg_page(sg) + i;
		cond_resched();
	}
	area->cpu = vmap(pages, n, VM_MAP, PAGE_KERNEL);
	kvfree(pages);
	return area->cpu ? 0 : -ENOMEM;
}

static int roc_area_alloc(struct roc_area *area, int node)
{
	int err;

	if (!area->pages)
		return 0;
	err = roc_pages_alloc(&area->sgt, area->pages, node, max(area->least, 1ul));
	return !err && area->kernel_access ? roc_area_map_kernel(area) : err;
}

int roc_shared_alloc(struct roc_shared_memory *s, int node, __u32 *reason, __u64 *limit,
		     __u64 *pinned)
{
	struct roc_area *exported_area = container_of(s->memory.pages, struct roc_area, sgt);
	unsigned long pages = s->doorbell.exists;
	unsigned int i;
	int err = 0;

	s->memory.length = (u64)exported_area->pages << PAGE_SHIFT;
	for (i = 0; i < ROC_AREAS; i++)
		pages += s->area[i].pages;
	if (reason)
		err = roc_charge(&s->charge, current->mm, pages, reason, limit, pinned);
	if (err)
		return err;
	if (s->doorbell.exists) {
		s->doorbell.idle = alloc_pages_node(node, ROC_PAGES_GFP | __GFP_ZERO, 0);
		if (!s->doorbell.idle)
			return -ENOMEM;
	}
	for (i = 0; i < ROC_AREAS && !err; i++)
		err = roc_area_alloc(&s->area[i], node);
	return err;
}

int roc_shared_table(struct roc_shared_memory *s, struct roc_endpoint *ep, size_t entries)
{
	s->table_size = PAGE_ALIGN(entries * sizeof(*s->table));
	s->table = dma_alloc_coherent(&ep->pdev->dev, s->table_size, &s->table_bus, ROC_PAGES_GFP);
	return s->table ? 0 : -ENOMEM;
}

void roc_shared_free_table(struct roc_shared_memory *s, struct roc_endpoint *ep)
{
	if (s->table)
		dma_free_coherent(&ep->pdev->dev, s->table_size, s->table, s->table_bus);
	s->table = NULL;
	roc_uncharge(&s->table_charge);
}

static void roc_shared_unmap(struct roc_shared_memory *s, struct roc_endpoint *ep)
{
	unsigned int i;

	for (i = 0; i < ROC_AREAS; i++) {
		struct roc_area *area = &s->area[i];

		if (area->mapped)
			dma_unmap_sgtable(&ep->pdev->dev, &area->sgt, area->direction,
					  ROC_PAGES_ATTRS);
		area->mapped = false;
	}
}

static bool roc_area_is_contiguous(const struct roc_area *area)
{
	dma_addr_t end = area->bus;
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(&area->sgt, sg, i) {
		if (sg_dma_address(sg) != end)
			return false;
		end += sg_dma_len(sg);
		cond_resched();
	}
	return true;
}

static int roc_area_map(struct roc_area *area, struct roc_endpoint *ep, __u32 *reason)
{
	int err;

	err = dma_map_sgtable(&ep->pdev->dev, &area->sgt, area->direction, ROC_PAGES_ATTRS);
	if (err)
		return err;
	area->mapped = true;
	area->bus = sg_dma_address(area->sgt.sgl);
	if (!roc_pages_coherent(ep, area->bus))
		*reason = ROC_REASON_BOUNCE;
	else if (area->contiguous && !roc_area_is_contiguous(area))
		*reason = ROC_REASON_CONTIGUITY;
	else
		return 0;
	return -EOPNOTSUPP;
}

void roc_shared_release(struct roc_shared_memory *s, struct roc_endpoint *ep)
{
	if (!s->owned_by_card)
		return;
	s->owned_by_card = false;
	roc_shared_unmap(s, ep);
	roc_shared_free_table(s, ep);
	roc_shared_put(s);
}

static void roc_shared_free_deferred(struct roc_deferred_free *deferred, struct roc_endpoint *ep)
{
	roc_shared_release(container_of(deferred, struct roc_shared_memory, deferred), ep);
}

/* The card may write forever, so pages and table are never freed. */
static void roc_shared_abandon(struct roc_deferred_free *deferred, struct roc_endpoint *ep)
{
	struct roc_shared_memory *s = container_of(deferred, struct roc_shared_memory, deferred);

	roc_shared_unmap(s, ep);
	roc_uncharge(&s->table_charge);
	roc_uncharge(&s->charge);
}

int roc_shared_map(struct roc_channel *ch, struct roc_shared_memory *s, __u32 *reason)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ROC_AREAS && !err; i++)
		if (s->area[i].pages && s->area[i].direction != DMA_NONE)
			err = roc_area_map(&s->area[i], ch->ep, reason);
	if (err) {
		roc_shared_unmap(s, ch->ep);
		return err;
	}
	s->deferred.free = roc_shared_free_deferred;
	s->deferred.abandon = roc_shared_abandon;
	roc_memory_get(&s->memory);
	s->owned_by_card = true;
	return 0;
}

static int roc_shared_add(struct roc_open *o, struct roc_shared_memory *s)
{
	int err = roc_open_lock(o);

	if (err)
		return err;
	if (o->shared)
		err = -EBUSY;
	else
		o->ch->type->share(o, s);
	mutex_unlock(&o->ch->lock);
	return err;
}

int roc_shared_attach(struct roc_open *o, struct roc_shared_memory *s,
		      int (*map)(struct roc_channel *ch, struct roc_shared_memory *s, void *arg),
		      void *arg)
{
	struct roc_channel *ch = o->ch;
	int err = -ENODEV, idx;

	roc_point(ch->ep, ROC_POINT_REGISTER);
	if (roc_enter(ch->ep, o->epoch, &idx)) {
		err = map ? map(ch, s, arg) : 0;
		if (!err) {
			err = roc_shared_add(o, s);
			if (err)
				roc_shared_release(s, ch->ep);
		}
		roc_leave(ch->ep, idx);
	}
	if (err)
		roc_shared_put(s);
	return err;
}

void roc_shared_commit(struct file *file, const void *data, bool copied)
{
	struct roc_open *o = file->private_data;
	struct roc_shared_memory *undo = NULL;
	struct roc_channel *ch = o->ch;
	int idx;

	/* Otherwise removal releases the card's part, and the last close the rest. */
	if (!roc_enter(ch->ep, o->epoch, &idx))
		return;
	mutex_lock(&ch->lock);
	if (copied) {
		/* Pairs with the loads of @committed: they see the shared memory set up. */
		smp_store_release(&o->committed, true);
	} else if (!o->retired) {
		undo = o->shared;
		ch->type->share(o, NULL);
	}
	mutex_unlock(&ch->lock);
	if (undo) {
		roc_shared_release(undo, ch->ep);
		roc_shared_put(undo);
	}
	roc_leave(ch->ep, idx);
}

void roc_shared_drop(struct roc_open *o)
{
	lockdep_assert_held(&o->ch->lock);
	if (o->defer_free && o->shared->owned_by_card)
		roc_defer_free(o->ch, &o->shared->deferred);
	else
		roc_shared_release(o->shared, o->ch->ep);
}

static int roc_map_begin(struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	return 0;
}

/* Insert @count pages from @first on at *@at, and advance *@at. */
static int roc_map_pages(struct vm_area_struct *vma, unsigned long *at, struct page *first,
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

static int roc_map_area(struct vm_area_struct *vma, unsigned long *at, const struct sg_table *sgt)
{
	struct scatterlist *sg;
	unsigned int i;
	int err;

	for_each_sgtable_sg(sgt, sg, i) {
		err = roc_map_pages(vma, at, sg_page(sg), sg->length >> PAGE_SHIFT);
		if (err)
			return err;
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

static int roc_map_readonly(struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_clear(vma, VM_MAYWRITE);
	return 0;
}

/*
 * Retry a fault whose page is not available yet. Sleep for a tick, so that other threads can take
 * mmap_lock and signals are handled between the tries. A kernel access does not handle signals
 * between tries, so it fails when the process is killed.
 */
vm_fault_t roc_fault_retry(void)
{
	if (fatal_signal_pending(current))
		return VM_FAULT_SIGBUS;
	schedule_timeout_killable(1);
	return VM_FAULT_NOPAGE;
}

/*
 * The card is gone, or the claim has ended, which is no reason to kill the reader. The page is
 * memory and not registers, so it does not get the protection of the doorbell.
 */
static vm_fault_t roc_doorbell_idle(struct vm_fault *vmf, const struct roc_doorbell *doorbell)
{
	return vmf_insert_pfn_prot(vmf->vma, vmf->address, page_to_pfn(doorbell->idle),
				   vm_get_page_prot(vmf->vma->vm_flags));
}

/*
 * The channel lock ensures that roc_open_end() finds the page, or that this finds @o retired.
 * Return: 0 while the function is being reset.
 */
static vm_fault_t roc_doorbell_page(struct vm_fault *vmf, const struct roc_doorbell *doorbell,
				    struct roc_open *o)
{
	lockdep_assert_held(&o->ch->lock);
	struct roc_endpoint *ep = o->ch->ep;
	vm_fault_t ret;

	if (o->retired)
		return roc_doorbell_idle(vmf, doorbell);
	if (!down_read_trylock(&ep->registers))
		return 0;
	ret = vmf_insert_pfn(vmf->vma, vmf->address,
			     (ep->bar_start[doorbell->bar] + doorbell->offset) >> PAGE_SHIFT);
	up_read(&ep->registers);
	return ret;
}

/* Only try the channel lock: a start or stop holds it for long, and mmap_lock is held here. */
static vm_fault_t roc_doorbell_fault(struct vm_fault *vmf)
{
	const struct roc_doorbell *doorbell = vmf->vma->vm_private_data;
	struct roc_open *o = vmf->vma->vm_file->private_data;
	struct roc_endpoint *ep = o->ch->ep;
	vm_fault_t ret;
	int idx;

	if (!roc_enter(ep, READ_ONCE(o->epoch), &idx))
		return roc_doorbell_idle(vmf, doorbell);
	if (!mutex_trylock(&o->ch->lock)) {
		roc_leave(ep, idx);
		return roc_fault_retry();
	}
	ret = roc_doorbell_page(vmf, doorbell, o);
	mutex_unlock(&o->ch->lock);
	roc_leave(ep, idx);
	return ret ?: roc_fault_retry();
}

static void roc_doorbell_open(struct vm_area_struct *vma)
{
	struct roc_open *o = vma->vm_file->private_data;

	atomic_inc(&o->doorbell_maps);
}

static void roc_doorbell_close(struct vm_area_struct *vma)
{
	struct roc_open *o = vma->vm_file->private_data;

	atomic_dec(&o->doorbell_maps);
}

static const struct vm_operations_struct roc_doorbell_vm_ops = {
	.open = roc_doorbell_open,
	.close = roc_doorbell_close,
	.fault = roc_doorbell_fault,
};

static int roc_map_doorbell(struct vm_area_struct *vma, struct roc_doorbell *doorbell)
{
	vm_flags_set(vma, VM_IO | VM_PFNMAP);
	/* Registers are never encrypted, even if memory encryption is active. */
	vma->vm_page_prot = pgprot_decrypted(pgprot_noncached(vma->vm_page_prot));
	vma->vm_private_data = doorbell;
	vma->vm_ops = &roc_doorbell_vm_ops;
	roc_doorbell_open(vma);
	return 0;
}

u64 roc_view_offset(const struct roc_shared_memory *s, const struct roc_view *view,
		    unsigned int area)
{
	u64 offset = 0;
	unsigned int i;

	for (i = 0; i < view->count && view->area[i] != area; i++)
		offset += (u64)s->area[view->area[i]].pages << PAGE_SHIFT;
	return offset;
}

u64 roc_view_length(const struct roc_shared_memory *s, const struct roc_view *view)
{
	return roc_view_offset(s, view, ROC_AREAS);
}

static int roc_map_view(struct vm_area_struct *vma, const struct roc_shared_memory *s,
			const struct roc_view *view)
{
	int err = view->readonly ? roc_map_readonly(vma) : 0;
	unsigned long at = vma->vm_start;
	unsigned int i;

	for (i = 0; i < view->count && !err; i++)
		err = roc_map_area(vma, &at, &s->area[view->area[i]].sgt);
	return err;
}

/* Takes no lock: the memory is published once, and lives as long as the open file. */
int roc_shared_mmap(struct roc_open *o, struct vm_area_struct *vma)
{
	u64 cookie = (u64)vma->vm_pgoff << PAGE_SHIFT, length = vma->vm_end - vma->vm_start;
	struct roc_shared_memory *s;
	unsigned int i;
	int err;

	/* Pairs with the release in roc_shared_commit(): the shared memory is set up. */
	if (!smp_load_acquire(&o->committed))
		return -EPIPE;
	s = o->shared;
	err = roc_map_begin(vma);
	if (err)
		return err;
	for (i = 0; i < s->views; i++)
		if (cookie == s->view[i].cookie && length == roc_view_length(s, &s->view[i]))
			return roc_map_view(vma, s, &s->view[i]);
	if (s->doorbell.exists && cookie == ROC_DOORBELL_COOKIE && length == ROC_DOORBELL_LENGTH)
		return roc_map_doorbell(vma, &s->doorbell);
	return -EINVAL;
}
