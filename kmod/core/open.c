// SPDX-License-Identifier: GPL-2.0-only
/*
 * One open of a channel: the claim, from the open until the opener closes its last descriptor.
 *
 * The open channel is *retired* exactly once, by the first of: the last close of the opener,
 * removal of the card, a function reset. To retire it, the channel type stops the card and accounts
 * for what the card held; then the core unmaps and unpins its memory. Afterwards every call returns
 * -ENODEV until the file is closed.
 *
 * Copies of the descriptor (a child of fork() before its exec(), a receiver of SCM_RIGHTS) do not
 * keep the claim: the opener may reuse its memory as soon as its close() returns.
 */
#include <linux/eventfd.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "core/run.h"

static void roc_open_free(struct roc_open *o)
{
	if (o->eventfd)
		eventfd_ctx_put(o->eventfd);
	xa_destroy(&o->buffers);
	if (o->mm)
		mmdrop(o->mm);
	kvfree(o);
}

static void roc_open_set(struct roc_channel *ch, struct roc_open *o)
{
	lockdep_assert_held(&ch->lock);
	spin_lock_irq(&ch->run_lock);
	ch->open = o;
	spin_unlock_irq(&ch->run_lock);
}

static int roc_open_begin(struct roc_open *o)
{
	struct roc_channel *ch = o->ch;
	char name[TASK_COMM_LEN];

	lockdep_assert_held(&ch->lock);
	if (ch->open)
		return -EBUSY;
	roc_requiesce(ch, true);
	ch->base = ch->stats;
	roc_run_open(o);
	roc_open_set(ch, o);
	ch->opens++;
	if (ch->state == ROC_CH_FAILED)
		roc_set_state(ch, ROC_CH_STOPPED, ROC_REASON_NONE);
	o->mm = current->mm;
	mmgrab(o->mm);
	o->files = current->files;
	get_task_comm(name, current->group_leader);
	roc_set_owner(ch, get_pid(task_tgid(current)), name);
	return 0;
}

/* Claim the channel. Return: -EBUSY if it is open. */
struct roc_open *roc_open_claim(struct roc_channel *ch, u32 epoch)
{
	struct roc_open *o;
	int err;

	if (!current->mm)
		return ERR_PTR(-EPERM);
	o = kvzalloc(ch->type->open_size, GFP_KERNEL_ACCOUNT);
	if (!o)
		return ERR_PTR(-ENOMEM);
	o->ch = ch;
	o->epoch = epoch;
	init_waitqueue_head(&o->wait);
	INIT_LIST_HEAD(&o->uncommitted);
	init_waitqueue_head(&o->batch);
	spin_lock_init(&o->eventfd_lock);
	xa_init_flags(&o->buffers, XA_FLAGS_ALLOC1);
	err = roc_channel_lock(ch);
	if (!err) {
		err = roc_open_begin(o);
		mutex_unlock(&ch->lock);
	}
	if (!err)
		return o;
	roc_open_free(o);
	return ERR_PTR(err);
}

/* @present: the card may be accessed. */
void roc_open_retire(struct roc_open *o, bool present)
{
	lockdep_assert_held(&o->ch->lock);
	if (o->retired)
		return;
	o->retired = true;
	roc_run_retire(o, present);
	if (o->shared)
		roc_shared_drop(o);
	WRITE_ONCE(o->epoch, 0);
	roc_buffer_drop_all(o);
	roc_run_gone(o);
	roc_open_wake(o);
}

/* End the claim, once. The channel is free for the next opener when the first call returns. */
static void roc_open_end(struct roc_open *o)
{
	struct roc_channel *ch = o->ch;
	bool first;

	roc_point(ch->ep, ROC_POINT_CLOSE);
	/* The registers stay mapped until a concurrent removal has retired @o itself. */
	mutex_lock(&ch->lock);
	first = !o->ended;
	o->ended = true;
	if (first) {
		roc_point(ch->ep, ROC_POINT_RETIRE);
		/*
		 * No channel runs while the function is being reset, so there is nothing to stop.
		 */
		if (!o->retired)
			roc_open_retire(o, !ch->ep->resetting && roc_reachable(ch->ep));
	}
	mutex_unlock(&ch->lock);
	if (!first)
		return;
	/* A doorbell that is still mapped must not reach the card when the channel is reopened. */
	if (atomic_read(&o->doorbell_maps))
		unmap_mapping_range(ch->ep->inode->i_mapping, ROC_DOORBELL_COOKIE, PAGE_SIZE, 1);
	roc_run_close(o);
	mutex_lock(&ch->lock);
	roc_open_set(ch, NULL);
	roc_set_owner(ch, NULL, "");
	mutex_unlock(&ch->lock);
}

static int roc_same_file(const void *file, struct file *other, unsigned int fd)
{
	return file == other;
}

/*
 * A descriptor of @file was removed from the table @files. The claim ends with the last one of the
 * opener. The table of an exiting process has no users (count 0) and is not searched: it may still
 * contain the closed descriptor, which no thread can use.
 */
void roc_open_flush(struct roc_open *o, const struct file *file, struct files_struct *files)
{
	if (files != o->files)
		return;
	if (atomic_read(&files->count) && iterate_fd(files, 0, roc_same_file, file))
		return;
	roc_open_end(o);
}

/* The last reference to the file was dropped. */
void roc_open_close(struct roc_open *o)
{
	struct roc_channel *ch = o->ch;

	if (!o->ended)
		roc_open_end(o);
	if (ch->type->free)
		ch->type->free(o);
	if (o->shared)
		roc_shared_put(o->shared);
	roc_open_free(o);
}
