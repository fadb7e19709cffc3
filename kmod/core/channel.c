// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/rocNchM: one DMA channel, one opener at a time. This file implements what all channel types
 * share.
 *
 * Every ioctl runs inside the SRCU read side of the endpoint, so that the hardware is accessible,
 * and under the channel lock unless it waits. Handlers that pin user memory enter the read side
 * themselves, after pinning.
 */
#include <linux/eventfd.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/seq_file.h>

#include "core/roc.h"
#include "core/shared_memory.h"

static int roc_channel_open(struct inode *inode, struct file *file)
{
	struct roc_channel *ch = container_of(inode->i_cdev, struct roc_channel, cdev);
	u32 epoch = READ_ONCE(ch->ep->epoch);
	struct roc_open *o;
	int idx;

	if (!roc_enter(ch->ep, epoch, &idx))
		return -ENODEV;
	roc_point(ch->ep, ROC_POINT_OPEN);
	o = roc_open_claim(ch, epoch);
	roc_leave(ch->ep, idx);
	if (IS_ERR(o))
		return PTR_ERR(o);
	get_device(&ch->dev);
	file->private_data = o;
	file->f_mapping = ch->ep->inode->i_mapping;
	return nonseekable_open(inode, file);
}

static int roc_channel_flush(struct file *file, fl_owner_t id)
{
	roc_open_flush(file->private_data, file, id);
	return 0;
}

static int roc_channel_close(struct inode *inode, struct file *file)
{
	struct roc_open *o = file->private_data;
	struct roc_channel *ch = o->ch;

	roc_open_close(o);
	put_device(&ch->dev);
	return 0;
}

static int roc_ch_reset(struct file *file, void *arg)
{
	struct roc_open *o = file->private_data;
	struct roc_channel *ch = o->ch;
	struct roc_ch_control *c = arg;

	if (c->flags || c->count || c->level > ROC_RESET_INTERNAL_SIU)
		return -EINVAL;
	return ch->state == ROC_CH_RUNNING ? -EBUSY : ch->ep->ops->reset(ch, c->level);
}

/*
 * A run that failed before the eventfd was set is signalled now, because no further event will
 * come.
 */
static void roc_channel_eventfd_set(struct roc_open *o)
{
	lockdep_assert_held(&o->ch->lock);
	o->ch->type->eventfd_set(o);
	if (o->ch->state == ROC_CH_FAILED)
		roc_open_signal(o);
}

static int roc_ch_eventfd(struct file *file, void *arg)
{
	struct roc_open *o = file->private_data;
	struct roc_ch_eventfd *e = arg;
	struct eventfd_ctx *ctx = NULL;
	int err;

	if (e->flags || e->reserved || e->fd < -1)
		return -EINVAL;
	if (e->fd >= 0) {
		ctx = eventfd_ctx_fdget(e->fd);
		if (IS_ERR(ctx))
			return PTR_ERR(ctx);
	}
	err = roc_open_lock(o);
	if (!err) {
		spin_lock_irq(&o->eventfd_lock);
		swap(o->eventfd, ctx);
		spin_unlock_irq(&o->eventfd_lock);
		if (e->fd >= 0)
			roc_channel_eventfd_set(o);
		mutex_unlock(&o->ch->lock);
	}
	if (ctx)
		eventfd_ctx_put(ctx);
	return err;
}

static int roc_buf_register(struct file *file, void *arg)
{
	struct roc_buf_register *b = arg;

	if (b->flags || b->handle || b->extents || b->reason || b->limit || b->pinned)
		return -EINVAL;
	return roc_buffer_register(file->private_data, b);
}

static void roc_buf_commit(struct file *file, const void *arg, bool copied)
{
	const struct roc_buf_register *b = arg;

	roc_buffer_commit(file->private_data, b->handle, copied);
}

static int roc_buf_unregister(struct file *file, void *arg)
{
	struct roc_buf_unregister *b = arg;

	if (b->flags || b->reserved)
		return -EINVAL;
	return roc_buffer_unregister(file->private_data, b->handle);
}

static int roc_buf_export(struct file *file, void *arg)
{
	struct roc_buf_export *e = arg;

	if (e->flags & ~(ROC_EXPORT_CLOEXEC | ROC_EXPORT_WRITE) || e->fd || e->reason ||
	    e->reserved || e->limit || e->pinned)
		return -EINVAL;
	if (!(file->f_mode & FMODE_WRITE))
		return -EACCES;
	return roc_buffer_export(file->private_data, e);
}

static void roc_buf_export_commit(struct file *file, const void *arg, bool copied)
{
	struct roc_open *o = file->private_data;
	const struct roc_buf_export *e = arg;

	roc_export_commit(o->ch->ep, e->fd, copied);
}

static int roc_buf_import(struct file *file, void *arg)
{
	struct roc_buf_import *i = arg;

	if (i->flags || i->handle || i->extents || i->reason || i->error || i->limit)
		return -EINVAL;
	return roc_buffer_import(file->private_data, i);
}

static void roc_buf_import_commit(struct file *file, const void *arg, bool copied)
{
	const struct roc_buf_import *i = arg;

	roc_buffer_commit(file->private_data, i->handle, copied);
}

/* ioctls of every channel type */
static const struct roc_ioctl roc_channel_calls[] = {
	ROC_IOCTL(ROC_CH_RESET, roc_ch_control, count, roc_ch_reset, .locked = true),
	ROC_IOCTL(ROC_CH_EVENTFD, roc_ch_eventfd, reserved, roc_ch_eventfd),
	ROC_IOCTL(ROC_BUF_REGISTER, roc_buf_register, limit, roc_buf_register,
		  .commit = roc_buf_commit, .enters = true),
	ROC_IOCTL(ROC_BUF_UNREGISTER, roc_buf_unregister, reserved, roc_buf_unregister),
	ROC_IOCTL(ROC_BUF_EXPORT, roc_buf_export, pinned, roc_buf_export,
		  .commit = roc_buf_export_commit),
	ROC_IOCTL(ROC_BUF_IMPORT, roc_buf_import, limit, roc_buf_import,
		  .commit = roc_buf_import_commit, .enters = true),
};

static const struct roc_ioctl_table roc_channel_ioctls = ROC_IOCTL_TABLE(roc_channel_calls);

static long roc_channel_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct roc_open *o = file->private_data;
	const struct roc_channel_type *type = o->ch->type;
	const struct roc_ioctl *call = roc_ioctl_find(cmd, type->ioctls);

	if (!call)
		call = roc_ioctl_find(cmd, &roc_channel_ioctls);
	return roc_ioctl_dispatch(file, call, arg, o->ch->ep, READ_ONCE(o->epoch));
}

static __poll_t roc_channel_poll(struct file *file, poll_table *pt)
{
	struct roc_open *o = file->private_data;
	enum roc_ch_state state;
	__poll_t events;

	poll_wait(file, &o->wait, pt);
	/*
	 * Read the state first: then all data from before a failure are visible to the type's
	 * poll().
	 */
	state = roc_state(o->ch);
	events = o->ch->type->poll(o, pt);
	if (state == ROC_CH_FAILED)
		events |= EPOLLERR;
	if (roc_stale(o))
		events |= EPOLLERR | EPOLLHUP;
	return events;
}

static int roc_channel_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct roc_open *o = file->private_data;

	return roc_stale(o) ? -ENODEV : roc_shared_mmap(o, vma);
}

#ifdef CONFIG_PROC_FS
static void roc_channel_fdinfo(struct seq_file *m, struct file *file)
{
	struct roc_open *o = file->private_data;
	struct roc_channel *ch = o->ch;

	seq_printf(m, "roc-channel:\t%s\n", dev_name(&ch->dev));
	ch->type->fdinfo(o, m);
	seq_printf(m, "roc-bytes:\t%llu\n", READ_ONCE(ch->stats.bytes) - ch->base.bytes);
}
#endif

const struct file_operations roc_channel_fops = {
	.owner = THIS_MODULE,
	.open = roc_channel_open,
	.flush = roc_channel_flush,
	.release = roc_channel_close,
	.unlocked_ioctl = roc_channel_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = roc_channel_poll,
	.mmap = roc_channel_mmap,
#ifdef CONFIG_PROC_FS
	.show_fdinfo = roc_channel_fdinfo,
#endif
};
