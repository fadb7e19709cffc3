// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations of the pool channel type: see core/channel_type.h.
 */
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "pool/pool.h"

static void roc_pool_describe(struct roc_endpoint *ep, struct roc_ep_info *info)
{
	const struct roc_pool_ops *ops = roc_pool_ops(ep);

	info->link_slots = ops->link_slots;
	info->superpage_align = ops->superpage_align;
	info->superpage_max = ops->superpage_max;
	info->page_size = ops->page_size;
}

static void roc_pool_free(struct roc_open *o)
{
	struct roc_pool_run *p = roc_pool_run(roc_run(o));
	unsigned int i;

	if (p->thread.task)
		put_task_struct(p->thread.task);
	for (i = 0; i < ROC_LINKS_MAX; i++)
		kvfree(p->link[i].flights);
}

static void roc_pool_share(struct roc_open *o, struct roc_shared_memory *shared)
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

static __poll_t roc_pool_poll(struct roc_open *o, poll_table *pt)
{
	return roc_pool_ready_now(roc_pool_run(roc_run(o))) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* Signal superpages that are ready already: if the ready ring is full, no later one will. */
static void roc_pool_eventfd_set(struct roc_open *o)
{
	if (roc_pool_ready_now(roc_pool_run(roc_run(o))))
		roc_open_signal(o);
}

static void roc_pool_fdinfo(struct roc_open *o, struct seq_file *m)
{
	const struct roc_pool *pool = roc_pool(o->ch);

	seq_printf(m, "roc-superpages:\t%llu\n",
		   READ_ONCE(pool->stats.completed) - pool->base.completed);
}

/* Check the granule of a buffer, which is the size of its superpages. */
static int roc_pool_check_buffer(struct roc_endpoint *ep, struct roc_buf_register *arg,
				 bool *kernel_access)
{
	const struct roc_pool_ops *ops = roc_pool_ops(ep);

	if (!arg->granule)
		arg->granule = ops->superpage_align;
	if (arg->granule % ops->superpage_align || arg->granule > ops->superpage_max)
		return -EINVAL;
	*kernel_access = ops->fills_in_order;
	return 0;
}

/* Wake the thread, which then reads the status of the channel. */
static void roc_pool_handle_error(struct roc_open *o)
{
	struct roc_pool_run *p = roc_pool_run(roc_run(o));

	if (!p->pool->event.on)
		return;
	p->thread.watch.error_pending = true;
	roc_pool_kick(p);
}

const struct roc_channel_type roc_pool_type = {
	.name = "pool",
	.open_size = sizeof(struct roc_pool_run),
	.block = &roc_event_regs,
	.channel_size = sizeof(struct roc_pool),
	.run = &roc_pool_run_ops,
	.purposes = 1,
	.groups = roc_pool_groups,
	.ioctls = &roc_pool_ioctls,
	.probe = roc_event_probe,
	.remove = roc_event_remove,
	.describe = roc_pool_describe,
	.free = roc_pool_free,
	.poll = roc_pool_poll,
	.share = roc_pool_share,
	.eventfd_set = roc_pool_eventfd_set,
	.fdinfo = roc_pool_fdinfo,
	.check_buffer = roc_pool_check_buffer,
	.irq = roc_thread_irq,
	.handle_error = roc_pool_handle_error,
	.disable = roc_event_disable,
};
