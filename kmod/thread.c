// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread that drives a run in timer mode: look at the links that are due, collect what the
 * card finished, refill from the fill ring, sleep until the next link is due. In busy mode the
 * reader does the same through ROC_CH_KICK and the thread sleeps.
 */
#include <linux/hrtimer.h>
#include <linux/kthread.h>

#include "roc.h"

/* Sleeping longer than this with a half-empty card: the reader must kick for new superpages. */
#define ROC_KICK_HORIZON_NS 1000000ull
/* The thread looks at the fill ring (memory, no MMIO) at least this often. */
#define ROC_IDLE_NS 20000000ull
/* Rounds in one turn, so that others get the channel lock. */
#define ROC_ROUNDS 16
/* The ready ring is full: how soon to see whether the reader made room. */
#define ROC_BLOCKED_NS 1000000ull

/* ns until the next look is due, 0 if it is overdue. */
static u64 roc_time_to_look(struct roc_session *s, u64 now)
{
	u64 next = now + ROC_IDLE_NS;
	unsigned int i;

	for (i = 0; i < s->link_count; i++)
		if (s->link[i].head != s->link[i].tail)
			next = min(next, s->link[i].pace.next);
	return next > now ? next - now : 0;
}

/* One turn of the thread: ns to sleep, U64_MAX = until woken. */
static u64 roc_turn(struct roc_session *s)
{
	u64 now = ktime_get_ns();
	unsigned int rounds = 0;
	u64 sleep;
	u32 found;
	bool blocked;

	if (s->ch->state != ROC_CH_RUNNING || s->mode != ROC_MODE_TIMER || s->retired)
		return U64_MAX;
	roc_ring_set_flags(&s->rings, 0, ROC_RING_NEED_KICK);
	/* Where a look is free, what the card finished while it was refilled is seen at once. */
	do {
		found = roc_pass(s, now, false);
		if (s->ch->state != ROC_CH_RUNNING)
			return U64_MAX;
		blocked = roc_refill(s, now);
		if (s->ch->state != ROC_CH_RUNNING)
			return U64_MAX;
		roc_publish(s);
		now = ktime_get_ns();
	} while (found && s->ch->ep->ops->free_looks && ++rounds < ROC_ROUNDS);

	sleep = roc_time_to_look(s, now);
	if (blocked)
		return min(sleep, ROC_BLOCKED_NS);
	if (sleep >= ROC_KICK_HORIZON_NS && 2 * s->in_flight < s->link_count * s->depth &&
	    roc_ring_arm_kick(&s->rings))
		return 0;
	return sleep;
}

static int roc_thread(void *arg)
{
	struct roc_session *s = arg;

	while (!kthread_should_stop()) {
		ktime_t sleep;
		u64 ns;

		WRITE_ONCE(s->kicked, false);
		smp_mb(); /* a kick after this is seen below, one before it by the turn */
		mutex_lock(&s->ch->lock);
		ns = roc_turn(s);
		mutex_unlock(&s->ch->lock);

		set_current_state(TASK_IDLE);
		if (READ_ONCE(s->kicked) || kthread_should_stop()) {
			__set_current_state(TASK_RUNNING);
		} else if (ns == U64_MAX) {
			schedule();
		} else {
			sleep = ns_to_ktime(ns);
			schedule_hrtimeout_range(&sleep, ns / 16, HRTIMER_MODE_REL);
		}
	}
	return 0;
}

void roc_run_kick(struct roc_session *s)
{
	struct task_struct *thread = READ_ONCE(s->thread);

	WRITE_ONCE(s->kicked, true);
	if (thread)
		wake_up_process(thread);
}

int roc_thread_create(struct roc_session *s)
{
	struct roc_endpoint *ep = s->ch->ep;
	struct task_struct *thread;

	if (s->thread)
		return 0;
	thread = kthread_create_on_node(roc_thread, s, dev_to_node(&ep->pdev->dev), "roc/%d.%u",
					ep->minor, s->ch->number);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	WRITE_ONCE(s->thread, thread);
	return 0;
}
