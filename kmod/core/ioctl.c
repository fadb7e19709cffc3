// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctl contract, and the way in to the hardware: whoever wants it goes through roc_enter(),
 * which compares the file's epoch with the endpoint's, and to the registers through one of the
 * locks that keep a start from resetting the function meanwhile.
 */
#include <linux/fs.h>
#include <linux/uaccess.h>

#include "core/roc.h"
#include "core/trace.h"

const struct roc_ioctl *roc_ioctl_find(unsigned int cmd, const struct roc_ioctl_table *table)
{
	unsigned int i;

	for (i = 0; table && i < table->count; i++)
		if (table->call[i].nr == cmd)
			return &table->call[i];
	return NULL;
}

/* With the hardware there, unless the handler sees to that itself. */
static int roc_ioctl_call(struct file *file, const struct roc_ioctl *call, struct roc_endpoint *ep,
			  u32 epoch, void *arg)
{
	struct roc_open *o = file->private_data; /* if call->starts or ->locked */
	int err, idx;

	if (call->enters)
		return call->handler(file, arg);
	if (!roc_enter(ep, epoch, &idx))
		return -ENODEV;
	if (call->starts)
		roc_set_starting(o->ch, true);
	err = call->registers ? roc_registers_lock(ep) : 0;
	if (!err) {
		err = call->locked ? roc_open_lock(o) : 0;
		if (!err) {
			err = call->handler(file, arg);
			if (call->locked)
				mutex_unlock(&o->ch->lock);
		}
		if (call->registers)
			roc_registers_unlock(ep);
	}
	if (call->starts)
		roc_set_starting(o->ch, false);
	roc_leave(ep, idx);
	return err;
}

/*
 * @call to structure: read the size word, take what we know of the structure, refuse bytes we do
 * not know, call, and write back what the caller knows. Replies go back with errors too: some
 * carry the reason. A structure may grow: what an older caller does not have is 0.
 *
 * Undo the operation if the result cannot be copied out. To detect most such callers early, the
 * structure is first written back as it came. An object that a caller without the result could
 * never release (a lock, a handle) is committed only after the final copy, because the caller's
 * memory may have been unmapped meanwhile.
 *
 * A wait that a signal interrupts returns -ERESTARTNOHAND, as poll() does: without a handler the
 * call is repeated. So it must leave the structure as it came, with an absolute deadline.
 *
 * The caller's memory may be somebody else's to provide (userfaultfd, FUSE), who may never do so:
 * it is touched with nothing held that a removal waits for.
 */
long roc_ioctl_dispatch(struct file *file, const struct roc_ioctl *call, unsigned long arg,
			struct roc_endpoint *ep, u32 epoch)
{
	void __user *user = (void __user *)arg;
	u64 u[ROC_ARG_MAX / sizeof(u64)] = {};
	u32 size, known;
	bool copied;
	int err;

	if (!call)
		return -ENOIOCTLCMD;
	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < call->first)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	known = min(size, call->size);
	err = copy_struct_from_user(u, call->size, user, size);
	if (err)
		return err;
	if (copy_to_user(user, u, known))
		return -EFAULT;
	err = roc_ioctl_call(file, call, ep, epoch, u);
	if (err)
		trace_roc_ioctl_error(ep->minor, call->nr, err);
	copied = !copy_to_user(user, u, known);
	if (!err && call->commit)
		call->commit(file, u, copied);
	return copied ? err : -EFAULT;
}

bool roc_enter(struct roc_endpoint *ep, u32 epoch, int *idx)
{
	*idx = srcu_read_lock(&ep->srcu);
	/* Pairs with the release of the epoch: what was set up before it is visible. */
	if (smp_load_acquire(&ep->epoch) == epoch && epoch)
		return true;
	srcu_read_unlock(&ep->srcu, *idx);
	return false;
}

void roc_leave(struct roc_endpoint *ep, int idx)
{
	srcu_read_unlock(&ep->srcu, idx);
}

/*
 * For accesses to registers without a channel's lock: a start does not reset the function
 * meanwhile. SRCU read side held. -ERESTARTSYS: a signal.
 */
int roc_registers_lock(struct roc_endpoint *ep)
{
	return down_read_interruptible(&ep->registers) ? -ERESTARTSYS : 0;
}

void roc_registers_unlock(struct roc_endpoint *ep)
{
	up_read(&ep->registers);
}

/*
 * The channel's lock, for accesses to registers: a start does not reset the function meanwhile.
 * -EINTR: killed; -ERESTARTSYS: a signal while a reset is at work.
 */
int roc_channel_lock(struct roc_channel *ch)
{
	struct roc_endpoint *ep = ch->ep;

	for (;;) {
		if (mutex_lock_killable(&ch->lock))
			return -EINTR;
		if (!ep->resetting)
			return 0;
		mutex_unlock(&ch->lock);
		if (wait_event_interruptible(ep->reset_wait, !READ_ONCE(ep->resetting)))
			return -ERESTARTSYS;
	}
}
