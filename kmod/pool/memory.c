// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two rings of an open channel with a pool, in shared memory.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "pool/pool.h"

void roc_pool_free(struct roc_open *o)
{
	struct roc_pool_run *p = roc_pool_run(roc_run(o));
	unsigned int i;

	if (p->thread.task)
		put_task_struct(p->thread.task);
	for (i = 0; i < ROC_LINKS_MAX; i++)
		kvfree(p->link[i].flights);
}

static int roc_ring_size(u32 *entries)
{
	if (!*entries)
		*entries = ROC_RING_DEFAULT;
	if (!is_power_of_2(*entries) || *entries < ROC_RING_MIN || *entries > ROC_RING_MAX)
		return -EINVAL;
	return 0;
}

static const struct roc_view roc_pool_views[] = {
	{.cookie = ROC_USER_COOKIE, .count = 1, .area = {ROC_AREA_USER}},
	{.cookie = ROC_KERNEL_COOKIE, .readonly = true, .count = 1, .area = {ROC_AREA_KERNEL}},
};

/* Entries start on a page of their own: indices and entries have different writers. */
static u64 roc_ring_pages(struct roc_shared_memory *s, enum roc_area_number area, u64 bytes)
{
	s->area[area].pages = 1 + (PAGE_ALIGN(bytes) >> PAGE_SHIFT);
	return (u64)s->area[area].pages << PAGE_SHIFT;
}

/* Make the rings: once per open. They are accounted to the memory cgroup only. */
int roc_pool_make_rings(struct roc_pool_run *p, struct roc_ch_rings *arg)
{
	struct roc_pool_rings *rings;
	int err;

	err = roc_ring_size(&arg->fill_entries) ?: roc_ring_size(&arg->ready_entries);
	if (err)
		return err;
	if (READ_ONCE(p->run.open.shared))
		return -EBUSY;
	BUILD_BUG_ON(offsetof(struct roc_pool_rings, shared));
	rings = roc_shared_new(sizeof(*rings), ROC_AREA_USER);
	if (!rings)
		return -ENOMEM;
	rings->fill_entries = arg->fill_entries;
	rings->ready_entries = arg->ready_entries;
	rings->shared.view = roc_pool_views;
	rings->shared.views = ARRAY_SIZE(roc_pool_views);
	arg->user_length = roc_ring_pages(&rings->shared, ROC_AREA_USER,
					  arg->fill_entries * sizeof(struct roc_fill));
	arg->kernel_length = roc_ring_pages(&rings->shared, ROC_AREA_KERNEL,
					    arg->ready_entries * sizeof(struct roc_ready));
	err = roc_shared_alloc(&rings->shared, NUMA_NO_NODE, NULL, NULL, NULL);
	if (err) {
		roc_shared_put(&rings->shared);
		return err;
	}
	return roc_shared_attach(&p->run.open, &rings->shared, NULL, NULL);
}

/* See struct roc_kind. */
void roc_pool_share(struct roc_open *o, struct roc_shared_memory *shared)
{
	struct roc_pool_rings *rings;
	struct roc_rings *r = &roc_pool_run(roc_run(o))->rings;

	if (shared) {
		rings = container_of(shared, struct roc_pool_rings, shared);
		r->user = shared->area[ROC_AREA_USER].cpu;
		r->kernel = shared->area[ROC_AREA_KERNEL].cpu;
		r->fill = (void *)r->user + PAGE_SIZE;
		r->ready = (void *)r->kernel + PAGE_SIZE;
		r->fill_entries = rings->fill_entries;
		r->ready_entries = rings->ready_entries;
	}
	roc_run_share(o, shared);
}
