// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dispatch of ioctls, and access to the hardware.
 *
 * roc_enter() compares the epoch of a file with that of the endpoint. Register accesses also need
 * one of the locks that prevent a start from resetting the function.
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

/* Call the handler inside the SRCU read side, unless the handler enters it by itself. */
static int roc_ioctl_call(struct file *file, const struct roc_ioctl *call, struct roc_endpoint *ep,
			  u32 epoch, void *arg)
{
	struct roc_open *o = file->private_data; /* only valid if call->starts or call->locked */
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
 * Copy the structure in, call the handler, and copy the result out.
 *
 * The size of the copy is the smaller one of the caller's and the driver's structure. A structure
 * may grow: members that an older caller does not have are 0, and bytes beyond the structure of the
 * driver must be 0. The result is copied out after errors, too, because it may contain the reason.
 *
 * Undo the operation if the result cannot be copied out. To detect most such callers early, the
 * unchanged structure is written back first. An object that a caller without the result could never
 * release (a lock, a handle) is committed only after the final copy, because the caller's memory
 * may have been unmapped meanwhile.
 *
 * A wait that a signal interrupts returns -ERESTARTNOHAND, as poll() does: the call is restarted if
 * there is no signal handler. So it must leave the structure unchanged, and its deadline is
 * absolute.
 *
 * Another process may provide the caller's memory (userfaultfd, FUSE) and block an access forever.
 * So the copies are made without a lock, and outside the SRCU read side, which removal waits for.
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
	/* Pairs with the release of the epoch: everything that was set up before is visible. */
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
 * Allow register accesses without a channel lock: exclude a start that resets the function. Inside
 * the SRCU read side. Return: -ERESTARTSYS on a signal.
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
 * Take the channel lock for register accesses: wait while a start resets the function. Return:
 * -EINTR if killed, -ERESTARTSYS on a signal while a reset is in progress.
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
