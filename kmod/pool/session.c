// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session: what one open of a channel owns, from open to the last close.
 *
 * It is *retired* exactly once, by whoever comes first: the last close, removal of the card, or a
 * reset by somebody else. Retiring stops the card, accounts for every superpage, and only then
 * unmaps and unpins. What is left is an empty shell that answers -ENODEV until it is closed.
 */
#include <linux/eventfd.h>
#include <linux/kthread.h>
#include <linux/log2.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "core/compat/compat.h"
#include "core/roc.h"

static void roc_set_owner(struct roc_channel *ch, struct pid *pid, const char *name)
{
	struct pid *old;

	spin_lock(&ch->owner_lock);
	old = ch->owner;
	ch->owner = pid;
	strscpy(ch->owner_name, name, sizeof(ch->owner_name));
	spin_unlock(&ch->owner_lock);
	put_pid(old);
}

/* Claim the channel: -EBUSY if somebody has it. */
struct roc_session *roc_session_open(struct roc_channel *ch, u32 epoch)
{
	struct roc_session *s;
	char name[TASK_COMM_LEN];

	if (!current->mm)
		return ERR_PTR(-EPERM);
	s = kvzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return ERR_PTR(-ENOMEM);
	s->ch = ch;
	s->mm = current->mm;
	s->epoch = epoch;
	init_waitqueue_head(&s->wait);
	init_waitqueue_head(&s->batch);
	s->wanted = ROC_WANT_NOTHING;
	xa_init_flags(&s->buffers, XA_FLAGS_ALLOC1);
	if (mutex_lock_killable(&ch->lock)) {
		kvfree(s);
		return ERR_PTR(-EINTR);
	}
	if (ch->session) {
		mutex_unlock(&ch->lock);
		kvfree(s);
		return ERR_PTR(-EBUSY);
	}
	roc_settle(ch, true);
	ch->session = s;
	roc_session_mode(s, ROC_MODE_TIMER);
	ch->opens++;
	ch->why = ROC_WHY_NONE;
	ch->base = ch->stats;
	s->rings.bad_index = &ch->stats.bad_index;
	if (ch->state == ROC_CH_FAILED)
		WRITE_ONCE(ch->state, ROC_CH_STOPPED);
	mmgrab(s->mm);
	get_task_comm(name, current->group_leader);
	roc_set_owner(ch, get_pid(task_tgid(current)), name);
	mutex_unlock(&ch->lock);
	return s;
}

/* Channel lock held. sysfs shows it without. */
void roc_session_mode(struct roc_session *s, enum roc_mode mode)
{
	WRITE_ONCE(s->mode, mode);
	WRITE_ONCE(s->ch->mode, mode);
}

/* Does a run of this session use the card's event path? */
bool roc_session_events(const struct roc_session *s)
{
	return s->ch->event.block && !(s->configure & ROC_CONFIGURE_PLAIN);
}

/* Superpages that a link of this session is given, at most. */
u32 roc_session_depth(const struct roc_session *s)
{
	return roc_session_events(s) ? s->ch->event.depth : s->ch->ep->fifo_depth;
}

/* Whoever waits for this session has to look: its state changed. Channel lock held. */
void roc_session_wake(struct roc_session *s)
{
	wake_up_all(&s->wait);
	wake_up_all(&s->batch);
	if (s->eventfd)
		roc_eventfd_signal(s->eventfd);
}

/* Channel lock held. @present: the card may be touched. */
void roc_session_retire(struct roc_session *s, bool present)
{
	if (s->retired)
		return;
	s->retired = true;
	roc_run_abort(s, ROC_CH_STOPPED, ROC_WHY_REMOVED, present);
	roc_buffer_drop_all(s);
	if (s->rings_ready)
		roc_ring_set_flags(&s->rings, ROC_RING_GONE | ROC_RING_STOPPED, 0);
	roc_session_wake(s);
}

static void roc_session_free_rings(struct roc_session *s)
{
	vfree(s->rings.user);
	vfree(s->rings.kernel);
	s->rings.user = NULL;
	s->rings.kernel = NULL;
}

static void roc_session_free(struct roc_session *s)
{
	unsigned int i;

	for (i = 0; i < ROC_LINKS_MAX; i++)
		kvfree(s->link[i].flights);
	if (s->eventfd)
		eventfd_ctx_put(s->eventfd);
	roc_session_free_rings(s);
	xa_destroy(&s->buffers);
	mmdrop(s->mm);
	kvfree(s);
}

/* The last close. The channel is free for the next opener when this returns. */
void roc_session_close(struct roc_session *s)
{
	struct roc_channel *ch = s->ch;

	roc_point(ch->ep, ROC_POINT_CLOSE);
	/*
	 * A removal may be on its way to us. Whoever comes first stops the card: until removal has
	 * retired the session its registers are there.
	 */
	mutex_lock(&ch->lock);
	roc_point(ch->ep, ROC_POINT_RETIRE);
	if (!s->retired)
		roc_session_retire(s, roc_reachable(ch->ep));
	mutex_unlock(&ch->lock);
	if (s->thread)
		kthread_stop(s->thread);
	mutex_lock(&ch->lock);
	ch->session = NULL;
	WRITE_ONCE(ch->mode, -1);
	roc_set_owner(ch, NULL, "");
	mutex_unlock(&ch->lock);
	roc_session_free(s);
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
	if (s->retired)
		roc_ring_set_flags(&s->rings, ROC_RING_GONE, 0);
	smp_store_release(&s->rings_ready, true);
}
