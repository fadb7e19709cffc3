// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/rocNchM: one DMA channel, one opener at a time.
 *
 * Every ioctl runs inside the endpoint's SRCU read side (so the hardware is there) and, except
 * for the wait, under the channel lock. A registration goes in when its memory is pinned.
 */
#include <linux/eventfd.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "core/compat/compat.h"
#include "core/roc.h"

/* mmap offsets of the two ring areas. */
#define ROC_USER_COOKIE (0x10ull << 32)
#define ROC_KERNEL_COOKIE (0x11ull << 32)

static int roc_channel_open(struct inode *inode, struct file *file)
{
	struct roc_channel *ch = container_of(inode->i_cdev, struct roc_channel, cdev);
	struct roc_session *s;
	u32 epoch = READ_ONCE(ch->ep->epoch);
	int idx;

	if (!roc_enter(ch->ep, epoch, &idx))
		return -ENODEV;
	roc_point(ch->ep, ROC_POINT_OPEN);
	s = roc_session_open(ch, epoch);
	roc_leave(ch->ep, idx);
	if (IS_ERR(s))
		return PTR_ERR(s);
	get_device(&ch->dev);
	file->private_data = s;
	return nonseekable_open(inode, file);
}

static int roc_channel_close(struct inode *inode, struct file *file)
{
	struct roc_session *s = file->private_data;
	struct roc_channel *ch = s->ch;

	roc_session_close(s);
	put_device(&ch->dev);
	return 0;
}

/* Entries in the ready ring, without the lock: a hint for sleepers. */
static u32 roc_ready_now(struct roc_session *s)
{
	u32 held;

	if (!smp_load_acquire(&s->rings_ready))
		return 0;
	held = READ_ONCE(s->rings.kernel->ready_prod) - READ_ONCE(s->rings.user->ready_cons);
	return min(held, s->rings.ready_entries);
}

static bool roc_stale(struct roc_session *s)
{
	return READ_ONCE(s->ch->ep->epoch) != s->epoch;
}

/* What happened since the present opener came. */
static struct roc_stats roc_stats_since(const struct roc_channel *ch)
{
	struct roc_stats since = ch->stats;
	const u64 *base = (const u64 *)&ch->base;
	u64 *count = (u64 *)&since;
	unsigned int i;

	for (i = 0; i < sizeof(since) / sizeof(*count); i++)
		count[i] -= base[i];
	return since;
}

static int roc_ch_info(struct file *file, void *arg)
{
	struct roc_session *s = file->private_data;
	struct roc_channel *ch = s->ch;
	const struct roc_card_ops *ops = ch->ep->ops;
	struct roc_ch_info *info = arg;
	struct roc_stats since;
	bool running;

	if (info->flags)
		return -EINVAL;
	if (mutex_lock_killable(&ch->lock))
		return -EINTR;
	running = ch->state == ROC_CH_RUNNING;
	since = roc_stats_since(ch);
	*info = (struct roc_ch_info){
		.size = info->size,
		.minor = ch->ep->minor,
		.channel = ch->number,
		.state = ch->state,
		.why = ch->why,
		.source = s->source,
		.mode = s->mode,
		.links = running ? s->links : s->links_wanted ?: ops->enabled_links(ch),
		.in_flight = s->in_flight,
		.pushed = since.pushed,
		.completed = since.completed,
		.bytes = since.bytes,
		.reclaimed = since.reclaimed,
		.refused = since.refused,
		.dropped = ops->dropped ? ops->dropped(ch) : 0,
		.fifo_empty = running && ops->fifo_empty ? ops->fifo_empty(ch) : 0,
		.looks = since.looks,
		.mmio_reads = since.mmio_reads,
		.mmio_writes = since.mmio_writes,
		.bad_index = since.bad_index,
		.retries = since.retries,
		.turns = since.turns,
		.interrupts = since.interrupts,
		.missed_interrupts = since.missed_interrupts,
		.spurious_interrupts = since.spurious_interrupts,
	};
	memcpy(info->gaps, since.gaps, sizeof(info->gaps));
	info->capacity = hweight32(info->links) * roc_session_depth(s);
	mutex_unlock(&ch->lock);
	return 0;
}

static int roc_ch_rings(struct file *file, void *arg)
{
	struct roc_session *s = file->private_data;
	struct roc_ch_rings *rings = arg;
	int err;

	if (rings->flags)
		return -EINVAL;
	if (mutex_lock_killable(&s->ch->lock))
		return -EINTR;
	err = roc_session_rings(s, rings);
	mutex_unlock(&s->ch->lock);
	if (err)
		return err;
	rings->user_offset = ROC_USER_COOKIE;
	rings->user_length = s->user_length;
	rings->kernel_offset = ROC_KERNEL_COOKIE;
	rings->kernel_length = s->kernel_length;
	rings->fill_entries_offset = PAGE_SIZE;
	rings->ready_entries_offset = PAGE_SIZE;
	return 0;
}

static void roc_ch_rings_settle(struct file *file, const void *arg, bool told)
{
	struct roc_session *s = file->private_data;

	mutex_lock(&s->ch->lock);
	roc_session_rings_settle(s, told);
	mutex_unlock(&s->ch->lock);
}

static int roc_ch_configure(struct file *file, void *arg)
{
	struct roc_session *s = file->private_data;
	struct roc_channel *ch = s->ch;
	const struct roc_card_ops *ops = ch->ep->ops;
	struct roc_ch_configure *c = arg;
	int err = 0;

	if (c->flags & ~(ROC_CONFIGURE_STBRD | ROC_CONFIGURE_PLAIN) || c->source > ROC_SOURCE_SIU ||
	    c->mode > ROC_MODE_EVENT)
		return -EINVAL;
	if (c->flags & ROC_CONFIGURE_STBRD && (!ops->command || c->source != ROC_SOURCE_FEE))
		return -EOPNOTSUPP;
	if (!(ops->sources & BIT(c->source)))
		return -EOPNOTSUPP;
	if (c->mode == ROC_MODE_EVENT && (!ch->event.block || c->flags & ROC_CONFIGURE_PLAIN))
		return -EOPNOTSUPP;
	if (c->page_size && c->page_size != ops->page_size)
		return -EOPNOTSUPP;
	if (mutex_lock_killable(&ch->lock))
		return -EINTR;
	if (ch->state == ROC_CH_RUNNING) {
		err = -EBUSY;
	} else if (c->links & ~ops->enabled_links(ch)) {
		err = -ENOLINK;
	} else {
		s->source = c->source;
		roc_session_mode(s, c->mode);
		s->links_wanted = c->links;
		s->configure = c->flags;
	}
	mutex_unlock(&ch->lock);
	return err;
}

static bool roc_control_plain(const struct roc_ch_control *c)
{
	return !c->flags && !c->level && !c->count;
}

static int roc_ch_start(struct file *file, void *arg)
{
	struct roc_session *s = file->private_data;
	int err;

	if (!roc_control_plain(arg))
		return -EINVAL;
	err = roc_settle_all(s->ch->ep);
	if (err)
		return err;
	if (mutex_lock_killable(&s->ch->lock))
		return -EINTR;
	err = roc_run_start(s);
	mutex_unlock(&s->ch->lock);
	return err;
}

static int roc_ch_stop(struct file *file, void *arg)
{
	struct roc_session *s = file->private_data;
	struct roc_ch_control *c = arg;
	int err;

	if (!roc_control_plain(c))
		return -EINVAL;
	if (mutex_lock_killable(&s->ch->lock))
		return -EINTR;
	err = roc_run_stop(s, &c->count);
	mutex_unlock(&s->ch->lock);
	return err;
}

static int roc_ch_reset(struct file *file, void *arg)
{
	struct roc_session *s = file->private_data;
	struct roc_channel *ch = s->ch;
	struct roc_ch_control *c = arg;
	int err;

	if (c->flags || c->count || c->level > ROC_RESET_INTERNAL_SIU)
		return -EINVAL;
	if (mutex_lock_killable(&ch->lock))
		return -EINTR;
	err = ch->state == ROC_CH_RUNNING ? -EBUSY : ch->ep->ops->reset(ch, c->level);
	mutex_unlock(&ch->lock);
	return err;
}

static int roc_ch_kick(struct file *file, void *arg)
{
	struct roc_session *s = file->private_data;
	struct roc_channel *ch = s->ch;
	struct roc_ch_control *c = arg;
	int err = 0;

	if (c->flags & ~ROC_KICK_LOOK || c->level || c->count)
		return -EINVAL;
	if (!smp_load_acquire(&s->rings_ready))
		return -EPIPE;
	if (!(c->flags & ROC_KICK_LOOK)) {
		roc_run_kick(s);
		return 0;
	}
	if (mutex_lock_killable(&ch->lock))
		return -EINTR;
	if (ch->state == ROC_CH_RUNNING)
		c->count = roc_run_look(s);
	else
		err = -EALREADY;
	mutex_unlock(&ch->lock);
	return err;
}

/*
 * Also says how many a sleeper wants, so that it is not woken for less. A publisher that takes
 * this away wakes everybody on the queue, where we already are.
 */
static bool roc_wait_over(struct roc_session *s, u32 min_ready)
{
	roc_want(&s->wanted, min_ready);
	smp_mb();
	return roc_ready_now(s) >= min_ready || READ_ONCE(s->ch->state) != ROC_CH_RUNNING ||
	       roc_stale(s);
}

static int roc_ch_wait(struct file *file, void *arg)
{
	struct roc_session *s = file->private_data;
	struct roc_ch_wait *w = arg;
	u64 now = ktime_get_ns();
	int err;

	if (!smp_load_acquire(&s->rings_ready))
		return w->flags ? -EINVAL : -EPIPE;
	if (w->flags || !w->min_ready || w->min_ready > s->rings.ready_entries)
		return -EINVAL;
	if (w->deadline <= now)
		err = roc_wait_over(s, w->min_ready) ? 0 : -ETIME;
	else
		err = wait_event_interruptible_hrtimeout(
			s->batch, roc_wait_over(s, w->min_ready),
			ns_to_ktime(min_t(u64, w->deadline - now, KTIME_MAX)));
	if (err == -ERESTARTSYS)
		err = -EINTR;
	w->ready = roc_ready_now(s);
	return roc_stale(s) ? -ENODEV : err;
}

static int roc_ch_eventfd(struct file *file, void *arg)
{
	struct roc_session *s = file->private_data;
	struct roc_ch_eventfd *e = arg;
	struct eventfd_ctx *ctx = NULL;
	int err = 0;

	if (e->flags || e->reserved || e->fd < -1)
		return -EINVAL;
	if (e->fd >= 0) {
		ctx = eventfd_ctx_fdget(e->fd);
		if (IS_ERR(ctx))
			return PTR_ERR(ctx);
	}
	if (mutex_lock_killable(&s->ch->lock)) {
		err = -EINTR;
	} else {
		swap(s->eventfd, ctx);
		mutex_unlock(&s->ch->lock);
	}
	if (ctx)
		eventfd_ctx_put(ctx);
	return err;
}

static int roc_buf_register(struct file *file, void *arg)
{
	struct roc_session *s = file->private_data;
	struct roc_buf_register *b = arg;

	if (b->flags || b->handle || b->extents || b->why || b->limit || b->pinned)
		return -EINVAL;
	return roc_buffer_register(s, b);
}

static void roc_buf_settle(struct file *file, const void *arg, bool told)
{
	const struct roc_buf_register *b = arg;

	roc_buffer_settle(file->private_data, b->handle, told);
}

static int roc_buf_unregister(struct file *file, void *arg)
{
	struct roc_session *s = file->private_data;
	struct roc_buf_unregister *b = arg;

	if (b->flags || b->reserved)
		return -EINVAL;
	return roc_buffer_unregister(s, b->handle);
}

static int roc_ch_command(struct file *file, void *arg)
{
	struct roc_session *s = file->private_data;
	struct roc_channel *ch = s->ch;
	struct roc_ch_command *c = arg;
	int err;

	if (c->flags || c->count > ROC_COMMAND_REPLIES || memchr_inv(c->reply, 0, sizeof(c->reply)))
		return -EINVAL;
	if (!ch->ep->ops->command)
		return -EOPNOTSUPP;
	if (mutex_lock_killable(&ch->lock))
		return -EINTR;
	err = ch->state == ROC_CH_RUNNING ? -EBUSY : ch->ep->ops->command(ch, c);
	mutex_unlock(&ch->lock);
	return err;
}

static int roc_ch_mode(struct file *file, void *arg)
{
	struct roc_session *s = file->private_data;
	struct roc_ch_mode *m = arg;
	int err;

	if (m->flags || m->reserved || m->mode > ROC_MODE_EVENT)
		return -EINVAL;
	if (mutex_lock_killable(&s->ch->lock))
		return -EINTR;
	err = roc_run_mode(s, m->mode);
	mutex_unlock(&s->ch->lock);
	return err;
}

static const struct roc_ioctl roc_channel_ioctls[] = {
	{ROC_CH_INFO, 304, sizeof(struct roc_ch_info), roc_ch_info},
	{ROC_CH_RINGS, 56, sizeof(struct roc_ch_rings), roc_ch_rings,
	 .settle = roc_ch_rings_settle},
	{ROC_CH_CONFIGURE, 24, sizeof(struct roc_ch_configure), roc_ch_configure},
	{ROC_CH_START, 16, sizeof(struct roc_ch_control), roc_ch_start},
	{ROC_CH_STOP, 16, sizeof(struct roc_ch_control), roc_ch_stop},
	{ROC_CH_RESET, 16, sizeof(struct roc_ch_control), roc_ch_reset},
	{ROC_CH_KICK, 16, sizeof(struct roc_ch_control), roc_ch_kick},
	{ROC_CH_WAIT, 24, sizeof(struct roc_ch_wait), roc_ch_wait},
	{ROC_CH_EVENTFD, 16, sizeof(struct roc_ch_eventfd), roc_ch_eventfd},
	{ROC_CH_COMMAND, 32, sizeof(struct roc_ch_command), roc_ch_command},
	{ROC_CH_MODE, 16, sizeof(struct roc_ch_mode), roc_ch_mode},
	{ROC_BUF_REGISTER, 48, sizeof(struct roc_buf_register), roc_buf_register,
	 .settle = roc_buf_settle, .enters = true},
	{ROC_BUF_UNREGISTER, 16, sizeof(struct roc_buf_unregister), roc_buf_unregister},
};

static long roc_channel_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct roc_session *s = file->private_data;

	return roc_ioctl_dispatch(file, cmd, arg, s->ch->ep, s->epoch, roc_channel_ioctls,
				  ARRAY_SIZE(roc_channel_ioctls));
}

static __poll_t roc_channel_poll(struct file *file, poll_table *pt)
{
	struct roc_session *s = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &s->wait, pt);
	if (roc_ready_now(s))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(s->ch->state) == ROC_CH_FAILED)
		events |= EPOLLERR;
	if (roc_stale(s))
		events |= EPOLLERR | EPOLLHUP;
	return events;
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

/* Takes no lock: what it looks at is published once, see roc_session_rings(). */
static int roc_channel_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct roc_session *s = file->private_data;
	u64 cookie = (u64)vma->vm_pgoff << PAGE_SHIFT;
	unsigned long length = vma->vm_end - vma->vm_start;

	if (roc_stale(s))
		return -ENODEV;
	if (!smp_load_acquire(&s->rings_ready))
		return -EPIPE;
	if (!(vma->vm_flags & VM_SHARED))
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

#ifdef CONFIG_PROC_FS
static void roc_channel_fdinfo(struct seq_file *m, struct file *file)
{
	struct roc_session *s = file->private_data;
	struct roc_channel *ch = s->ch;

	seq_printf(m, "roc-channel:\t%s\n", dev_name(&ch->dev));
	seq_printf(m, "roc-superpages:\t%llu\n",
		   READ_ONCE(ch->stats.completed) - ch->base.completed);
	seq_printf(m, "roc-bytes:\t%llu\n", READ_ONCE(ch->stats.bytes) - ch->base.bytes);
}
#endif

const struct file_operations roc_channel_fops = {
	.owner = THIS_MODULE,
	.open = roc_channel_open,
	.release = roc_channel_close,
	.unlocked_ioctl = roc_channel_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = roc_channel_poll,
	.mmap = roc_channel_mmap,
#ifdef CONFIG_PROC_FS
	.show_fdinfo = roc_channel_fdinfo,
#endif
};
