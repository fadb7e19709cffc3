// SPDX-License-Identifier: GPL-2.0-only
/*
 * What one open of a channel has beside the claim: the mode, and the two rings in shared memory.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "core/compat/compat.h"
#include "pool/pool.h"

/* Channel lock held. sysfs shows it without. */
void roc_session_mode(struct roc_session *s, enum roc_mode mode)
{
	WRITE_ONCE(s->setting.mode, mode);
	WRITE_ONCE(s->pool->mode, mode);
}

static void roc_session_free_rings(struct roc_session *s)
{
	vfree(s->rings.user);
	vfree(s->rings.kernel);
	s->rings.user = NULL;
	s->rings.kernel = NULL;
}

void roc_session_free(struct roc_session *s)
{
	unsigned int i;

	if (s->thread.task)
		put_task_struct(s->thread.task);
	for (i = 0; i < ROC_LINKS_MAX; i++)
		kvfree(s->run.link[i].flights);
	roc_session_free_rings(s);
}

static int roc_ring_size(u32 *entries)
{
	if (!*entries)
		*entries = ROC_RING_DEFAULT;
	if (!is_power_of_2(*entries) || *entries < ROC_RING_MIN || *entries > ROC_RING_MAX)
		return -EINVAL;
	return 0;
}

/* vmalloc_user() charges nobody, and says in the log when memory is short. */
static void *roc_ring_area(unsigned long length)
{
	return __vmalloc(length, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
}

/*
 * Make the rings: once per session. The areas stay until the session is freed, unless the caller
 * could not be told of them.
 */
int roc_session_rings(struct roc_session *s, struct roc_ch_rings *arg)
{
	struct roc_rings *r = &s->rings;
	int err;

	err = roc_ring_size(&arg->fill_entries);
	if (err)
		return err;
	err = roc_ring_size(&arg->ready_entries);
	if (err)
		return err;
	if (r->user)
		return -EBUSY;
	/* Entries start on a page of their own: indices and entries have different writers. */
	s->user_length = PAGE_ALIGN(PAGE_SIZE + arg->fill_entries * sizeof(struct roc_fill));
	s->kernel_length = PAGE_ALIGN(PAGE_SIZE + arg->ready_entries * sizeof(struct roc_ready));
	r->user = roc_ring_area(s->user_length);
	r->kernel = roc_ring_area(s->kernel_length);
	if (!r->user || !r->kernel) {
		roc_session_free_rings(s);
		return -ENOMEM;
	}
	r->fill = (void *)r->user + PAGE_SIZE;
	r->ready = (void *)r->kernel + PAGE_SIZE;
	r->fill_entries = arg->fill_entries;
	r->ready_entries = arg->ready_entries;
	r->kernel->flags = ROC_RING_STOPPED;
	return 0;
}

/* Nobody uses them before the caller was told. Channel lock held. */
void roc_session_rings_settle(struct roc_session *s, bool told)
{
	if (!told) {
		roc_session_free_rings(s);
		return;
	}
	if (s->open.retired)
		roc_ring_set_flags(&s->rings, ROC_RING_GONE, 0);
	smp_store_release(&s->rings_ready, true);
}

static int roc_map_area(struct vm_area_struct *vma, void *area)
{
	unsigned long at;
	int err;

	for (at = 0; at < vma->vm_end - vma->vm_start; at += PAGE_SIZE) {
		err = vm_insert_page(vma, vma->vm_start + at, vmalloc_to_page(area + at));
		if (err)
			return err;
	}
	/* A child of fork has no business in the rings of its parent. */
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	return 0;
}

/* Takes no lock: what it looks at is published once. */
int roc_session_mmap(struct roc_session *s, struct vm_area_struct *vma)
{
	u64 cookie = (u64)vma->vm_pgoff << PAGE_SHIFT;
	unsigned long length = vma->vm_end - vma->vm_start;

	if (!smp_load_acquire(&s->rings_ready))
		return -EPIPE;
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (cookie == ROC_USER_COOKIE && length == s->user_length)
		return roc_map_area(vma, s->rings.user);
	if (cookie != ROC_KERNEL_COOKIE || length != s->kernel_length)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_clear(vma, VM_MAYWRITE);
	return roc_map_area(vma, s->rings.kernel);
}
