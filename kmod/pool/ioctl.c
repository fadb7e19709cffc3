// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ioctls of a pool channel, in addition to those of every channel type.
 *
 * Each handler runs inside the endpoint's SRCU read side, so the hardware is not removed meanwhile.
 */
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/mm.h>

#include "pool/pool.h"

/* mmap offsets of the two ring areas */
#define ROC_USER_COOKIE (0x10ull << 32)
#define ROC_KERNEL_COOKIE (0x11ull << 32)

/* Fill in what the card counts. If it does not answer, use the last known values. */
static void roc_ch_info_card(struct roc_pool_run *p, struct roc_ch_info *info, bool running)
{
	const struct roc_pool_ops *ops = roc_pool_ops(p->ch->ep);
	u32 links = running ? p->links : p->setting.links;

	lockdep_assert_held(&p->ch->lock);
	info->links = links ?: ops->enabled_links(p->ch);
	if (running && ops->fifo_empty)
		info->fifo_empty = ops->fifo_empty(p->ch);
	if (!ops->dropped)
		return;
	/* This is read last: if the card answers here, it answered above, too. */
	info->dropped = ops->dropped(p->ch);
	if (info->dropped == ROC_ALL_ONES && !roc_alive(p->ch->ep)) {
		info->links = links;
		info->fifo_empty = running ? p->pool->fifo_empty_seen : 0;
		info->dropped = p->pool->dropped_seen;
	}
	p->pool->dropped_seen = info->dropped;
}

static int roc_ch_info(struct file *file, void *arg)
{
	struct roc_pool_run *p = roc_pool_run(roc_run(file->private_data));
	struct roc_channel *ch = p->ch;
	struct roc_ch_info *info = arg;
	struct roc_pool_stats pool;
	struct roc_stats since;
	bool running;

	if (info->flags)
		return -EINVAL;
	running = ch->state == ROC_CH_RUNNING;
	since = ch->stats;
	roc_counts_since(&since, &ch->base, sizeof(since));
	pool = p->pool->stats;
	roc_counts_since(&pool, &p->pool->base, sizeof(pool));
	*info = (struct roc_ch_info){
		.size = info->size,
		.minor = ch->ep->minor,
		.channel = ch->number,
		.state = ch->state,
		.reason = ch->reason,
		.source = p->setting.source,
		.mode = p->setting.mode,
		.in_flight = p->in_flight,
		.pushed = pool.pushed,
		.completed = pool.completed,
		.bytes = since.bytes,
		.reclaimed = pool.reclaimed,
		.refused = pool.refused,
		.polls = pool.polls,
		.mmio_reads = since.mmio_reads,
		.mmio_writes = since.mmio_writes,
		.bad_index = since.bad_index,
		.retries = pool.retries,
		.turns = since.turns,
		.interrupts = since.interrupts,
		.missed_interrupts = since.missed_interrupts,
		.spurious_interrupts = since.spurious_interrupts,
	};
	roc_ch_info_card(p, info, running);
	memcpy(info->gaps, pool.gaps, sizeof(info->gaps));
	info->capacity = hweight32(info->links) * roc_pool_depth(p);
	return 0;
}

static int roc_ch_losses(struct file *file, void *arg)
{
	struct roc_channel *ch = ((struct roc_open *)file->private_data)->ch;
	struct roc_pool_stats pool = roc_pool(ch)->stats;
	struct roc_ch_losses *losses = arg;

	if (losses->flags)
		return -EINVAL;
	roc_counts_since(&pool, &roc_pool(ch)->base, sizeof(pool));
	*losses = (struct roc_ch_losses){
		.size = losses->size,
		.damaged = pool.damaged,
		.short_ = pool.short_superpages,
		.lost = ch->stats.lost - ch->base.lost,
	};
	return 0;
}

static int roc_ch_ring_size(u32 *entries)
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

/* Entries start on a new page, behind the page with the indices. */
static u64 roc_ch_ring_pages(struct roc_shared_memory *s, enum roc_area_number area, u64 bytes)
{
	s->area[area].pages = 1 + (PAGE_ALIGN(bytes) >> PAGE_SHIFT);
	return (u64)s->area[area].pages << PAGE_SHIFT;
}

/* Create the rings, once per open. They are charged to the memory cgroup only. */
static int roc_ch_rings(struct file *file, void *data)
{
	struct roc_open *o = file->private_data;
	struct roc_ch_rings *arg = data;
	struct roc_pool_rings *rings;
	int err;

	if (arg->flags)
		return -EINVAL;
	/* Only the opener: a forked child would have them charged to its own cgroup. */
	if (current->mm != o->mm)
		return -EPERM;
	err = roc_ch_ring_size(&arg->fill_entries) ?: roc_ch_ring_size(&arg->ready_entries);
	if (err)
		return err;
	if (READ_ONCE(o->shared))
		return -EBUSY;
	BUILD_BUG_ON(offsetof(struct roc_pool_rings, shared));
	rings = roc_shared_new(sizeof(*rings), ROC_AREA_USER);
	if (!rings)
		return -ENOMEM;
	rings->fill_entries = arg->fill_entries;
	rings->ready_entries = arg->ready_entries;
	rings->shared.view = roc_pool_views;
	rings->shared.views = ARRAY_SIZE(roc_pool_views);
	arg->user_length = roc_ch_ring_pages(&rings->shared, ROC_AREA_USER,
					     arg->fill_entries * sizeof(struct roc_fill));
	arg->kernel_length = roc_ch_ring_pages(&rings->shared, ROC_AREA_KERNEL,
					       arg->ready_entries * sizeof(struct roc_ready));
	arg->user_offset = ROC_USER_COOKIE;
	arg->kernel_offset = ROC_KERNEL_COOKIE;
	arg->fill_entries_offset = PAGE_SIZE;
	arg->ready_entries_offset = PAGE_SIZE;
	err = roc_shared_alloc(&rings->shared, NUMA_NO_NODE, NULL, NULL, NULL);
	if (!err)
		return roc_shared_attach(o, &rings->shared, NULL, NULL);
	roc_shared_put(&rings->shared);
	return err;
}

static int roc_ch_configure(struct file *file, void *arg)
{
	struct roc_pool_run *p = roc_pool_run(roc_run(file->private_data));
	struct roc_channel *ch = p->ch;
	const struct roc_pool_ops *ops = roc_pool_ops(ch->ep);
	struct roc_ch_configure *c = arg;

	if (c->flags & ~(ROC_CONFIGURE_STBRD | ROC_CONFIGURE_PLAIN) || c->source > ROC_SOURCE_SIU ||
	    c->mode > ROC_MODE_EVENT)
		return -EINVAL;
	if (c->flags & ROC_CONFIGURE_STBRD && (!ops->command || c->source != ROC_SOURCE_FEE))
		return -EOPNOTSUPP;
	if (!(ops->sources & BIT(c->source)))
		return -EOPNOTSUPP;
	if (c->mode == ROC_MODE_EVENT && (!p->ch->block || c->flags & ROC_CONFIGURE_PLAIN))
		return -EOPNOTSUPP;
	if (c->page_size && c->page_size != ops->page_size)
		return -EOPNOTSUPP;
	if (ch->state == ROC_CH_RUNNING)
		return -EBUSY;
	if (c->links & ~ops->enabled_links(ch))
		return -ENOLINK;
	p->setting.source = c->source;
	WRITE_ONCE(p->setting.mode, c->mode);
	p->setting.links = c->links;
	p->setting.configure = c->flags;
	return 0;
}

static bool roc_ch_control_plain(const struct roc_ch_control *c)
{
	return !c->flags && !c->level && !c->count;
}

static int roc_ch_start(struct file *file, void *arg)
{
	return roc_ch_control_plain(arg) ? roc_run_start(roc_run(file->private_data), 0, arg)
					 : -EINVAL;
}

static int roc_ch_stop(struct file *file, void *arg)
{
	return roc_ch_control_plain(arg)
		       ? roc_run_stop(roc_run(file->private_data), ROC_REASON_NONE, 0, arg)
		       : -EINVAL;
}

static int roc_ch_kick(struct file *file, void *arg)
{
	struct roc_pool_run *p = roc_pool_run(roc_run(file->private_data));
	struct roc_channel *ch = p->ch;
	struct roc_ch_control *c = arg;
	int err = 0;

	if (c->flags & ~ROC_KICK_POLL || c->level || c->count)
		return -EINVAL;
	/* Pairs with the release in roc_shared_commit(): the shared memory is set up. */
	if (!smp_load_acquire(&p->run.open.committed))
		return -EPIPE;
	if (!(c->flags & ROC_KICK_POLL)) {
		roc_pool_kick(p);
		return 0;
	}
	err = roc_open_lock(&p->run.open);
	if (err)
		return err;
	if (ch->state == ROC_CH_RUNNING)
		c->count = roc_thread_poll(p);
	else
		err = -EALREADY;
	mutex_unlock(&ch->lock);
	return err;
}

static int roc_ch_wait(struct file *file, void *arg)
{
	struct roc_pool_run *p = roc_pool_run(roc_run(file->private_data));
	struct roc_ch_wait *w = arg;

	if (w->flags)
		return -EINVAL;
	/* Pairs with the release in roc_shared_commit(): the shared memory is set up. */
	if (smp_load_acquire(&p->run.open.committed) &&
	    (!w->min_ready || w->min_ready > p->rings.ready_entries))
		return -EINVAL;
	return roc_run_wait(&p->run, w->deadline, w);
}

static int roc_ch_command(struct file *file, void *arg)
{
	struct roc_channel *ch = ((struct roc_open *)file->private_data)->ch;
	const struct roc_pool_ops *ops = roc_pool_ops(ch->ep);
	struct roc_ch_command *c = arg;

	if (c->flags || c->count > ROC_COMMAND_REPLIES || memchr_inv(c->reply, 0, sizeof(c->reply)))
		return -EINVAL;
	if (!ops->command)
		return -EOPNOTSUPP;
	return ch->state == ROC_CH_RUNNING ? -EBUSY : ops->command(ch, c);
}

static int roc_ch_mode(struct file *file, void *arg)
{
	struct roc_ch_mode *m = arg;

	if (m->flags || m->reserved || m->mode > ROC_MODE_EVENT)
		return -EINVAL;
	return roc_thread_mode(roc_pool_run(roc_run(file->private_data)), m->mode);
}

static const struct roc_ioctl roc_pool_calls[] = {
	ROC_IOCTL(ROC_CH_INFO, roc_ch_info, spurious_interrupts, roc_ch_info, .locked = true),
	ROC_IOCTL(ROC_CH_RINGS, roc_ch_rings, ready_entries_offset, roc_ch_rings,
		  .commit = roc_shared_commit),
	ROC_IOCTL(ROC_CH_CONFIGURE, roc_ch_configure, page_size, roc_ch_configure, .locked = true),
	ROC_IOCTL(ROC_CH_START, roc_ch_control, count, roc_ch_start, .starts = true),
	ROC_IOCTL(ROC_CH_STOP, roc_ch_control, count, roc_ch_stop, .locked = true),
	ROC_IOCTL(ROC_CH_KICK, roc_ch_control, count, roc_ch_kick),
	ROC_IOCTL(ROC_CH_WAIT, roc_ch_wait, deadline, roc_ch_wait),
	ROC_IOCTL(ROC_CH_COMMAND, roc_ch_command, reply, roc_ch_command, .locked = true),
	ROC_IOCTL(ROC_CH_MODE, roc_ch_mode, reserved, roc_ch_mode, .locked = true),
	ROC_IOCTL(ROC_CH_LOSSES, roc_ch_losses, lost, roc_ch_losses, .locked = true),
};

const struct roc_ioctl_table roc_pool_ioctls = ROC_IOCTL_TABLE(roc_pool_calls);
