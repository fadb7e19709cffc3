// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event queues: request interrupts, wake waiters, detect lost interrupts. See event_queue.h.
 *
 * An interrupt is only a hint: a missing, surplus or early one does no harm. The driver requests
 * one when a caller is about to sleep, with one register write that cannot miss data.
 */
#include <linux/eventfd.h>
#include <linux/math64.h>

#include "core/compat/compat.h"
#include "core/run.h"
#include "core/trace.h"

/* Signal the eventfd. Context: any, also hard interrupt. */
void roc_open_signal(struct roc_open *o)
{
	unsigned long flags;

	if (!READ_ONCE(o->eventfd))
		return;
	spin_lock_irqsave(&o->eventfd_lock, flags);
	if (o->eventfd)
		roc_eventfd_signal(o->eventfd);
	spin_unlock_irqrestore(&o->eventfd_lock, flags);
}

/* The state of the channel changed: wake all waiters. */
void roc_open_wake(struct roc_open *o)
{
	lockdep_assert_held(&o->ch->lock);
	wake_up_all(&o->wait);
	wake_up_all(&o->batch);
	roc_open_signal(o);
}

/* Initialise the queue; data of the channel type begin at @start, and none have arrived. */
void roc_queue_start(struct roc_event_queue *q, unsigned int purpose, u32 start)
{
	*q = (struct roc_event_queue){
		.purpose = purpose,
		.count = start,
		.seen = start,
		.last = start,
	};
}

/* Wake callers of WAIT if the threshold is met. */
void roc_queue_wake(struct roc_run *run, struct roc_event_queue *q)
{
	if (!q->waiting || !roc_queue_reached(q, q->threshold))
		return;
	q->waiting = false;
	run->open.ch->stats.wakes++;
	wake_up_all(&run->open.batch);
}

/* Wake callers of poll() and signal the eventfd: the channel is readable. */
void roc_queue_notify(struct roc_run *run)
{
	struct roc_open *o = &run->open;

	/* roc_run_poll_events() polls under run_lock after it has been added to the wait queue. */
	if (waitqueue_active(&o->wait)) {
		o->ch->stats.wakes++;
		wake_up_all(&o->wait);
	}
	roc_open_signal(o);
}

/*
 * Must the next data be reported? A caller that uses edge-triggered poll() or an eventfd makes no
 * further call by itself.
 */
bool roc_queue_has_listener(struct roc_run *run)
{
	struct roc_open *o = &run->open;

	if (READ_ONCE(o->eventfd))
		return true;
	/* roc_run_poll_events() polls under run_lock after it has been added to the wait queue. */
	return waitqueue_active(&o->wait) && (run->edge || !roc_run_ops(run)->readable(run));
}

/*
 * Request an interrupt for data beyond @seen, unless the pending request covers it. A request
 * replaces the one before it, so its waiters are woken here.
 */
static void roc_queue_request(struct roc_run *run, struct roc_event_queue *q, u32 seen)
{
	const struct roc_run_ops *ops = roc_run_ops(run);

	if (ops->armed_for(run, q, seen))
		return;
	if (q->armed && roc_queue_fresh(q)) {
		roc_queue_wake(run, q);
		if (ops->readable(run))
			roc_queue_notify(run);
	}
	run->open.ch->stats.mmio_writes++;
	run->open.ch->stats.arms++;
	q->seen = ops->arm(run, q, seen);
	q->armed = true;
	q->overdue = 0;
	trace_roc_queue_arm(run, q);
}

/* Request an interrupt for the next data: a caller is about to sleep. */
void roc_queue_request_next(struct roc_run *run, struct roc_event_queue *q)
{
	roc_queue_request(run, q, q->count);
}

/* Request an interrupt for the next data that must be reported. */
static void roc_queue_rearm(struct roc_run *run, struct roc_event_queue *q)
{
	if (roc_queue_has_listener(run))
		roc_queue_request_next(run, q);
	else if (q->waiting && !roc_queue_reached(q, q->threshold))
		roc_queue_request(run, q, q->threshold - 1);
}

/* A caller is about to sleep until the queue reaches @threshold, which it has not yet. */
void roc_queue_threshold(struct roc_event_queue *q, u32 threshold)
{
	if (!q->waiting || (s32)(threshold - q->threshold) < 0)
		q->threshold = threshold;
	q->waiting = true;
}

/* Like roc_queue_threshold(), and request an interrupt. */
void roc_queue_wait(struct roc_run *run, struct roc_event_queue *q, u32 threshold)
{
	roc_queue_threshold(q, threshold);
	roc_queue_rearm(run, q);
}

/*
 * The card wrote something. Request the interrupt before waking a waiter: a woken reader rings its
 * doorbell, and a card may refuse a request that is more than a ring behind the doorbell.
 */
static void roc_queue_serve(struct roc_run *run, struct roc_event_queue *q)
{
	roc_queue_rearm(run, q);
	roc_queue_wake(run, q);
	if (roc_run_ops(run)->readable(run))
		roc_queue_notify(run);
}

/* The requested interrupt was lost. */
void roc_queue_missed(struct roc_run *run, struct roc_event_queue *q)
{
	trace_roc_queue_missed(run, q);
	run->open.ch->stats.missed_interrupts += q->armed;
	q->armed = false;
	q->overdue = 0;
	if (roc_run_ops(run)->sent)
		roc_run_ops(run)->sent(run, true);
	roc_queue_serve(run, q);
}

/* @shared: other channels use the vector, so the interrupt may be theirs. */
void roc_queue_interrupt(struct roc_run *run, struct roc_event_queue *q, bool shared)
{
	const struct roc_run_ops *ops = roc_run_ops(run);
	struct roc_channel *ch = run->open.ch;
	bool fresh = roc_queue_fresh(q);
	bool sent = ops->sent && ops->sent(run, false);

	if (shared && !sent && !(fresh && q->armed))
		return;
	trace_roc_queue_interrupt(run, q);
	ch->stats.interrupts++;
	ch->stats.purpose[q->purpose]++;
	q->overdue = 0;
	if (fresh) {
		q->armed = false;
		roc_queue_serve(run, q);
	} else if (sent) {
		/*
		 * The card sent this interrupt before the request for the next one, for data that
		 * the driver has already seen. If its cause was not data, it may have been sent
		 * after that request, and then it was the requested one.
		 */
		if (!ops->for_data(run)) {
			q->armed = false;
			roc_queue_rearm(run, q);
		}
	} else if (q->late) {
		q->late = false;
	} else {
		ch->stats.spurious_interrupts++;
	}
}

/* Has the card written something without sending an interrupt in time? */
static bool roc_queue_is_overdue(struct roc_run *run, struct roc_event_queue *q)
{
	s64 moderation = q->armed && roc_queue_fresh(q) ? roc_run_ops(run)->due(run, q) : -1;

	if (moderation < 0) {
		q->overdue = 0;
		return false;
	}
	return ++q->overdue >= 2 + div_u64(moderation, ROC_WATCHDOG_MS * NSEC_PER_MSEC);
}

/* Watchdog: detect lost interrupts, and poll for cards without interrupts. */
void roc_queue_tick(struct roc_run *run, struct roc_event_queue *q)
{
	const struct roc_run_ops *ops = roc_run_ops(run);
	u32 activity = ops->activity ? ops->activity(run) : q->count;
	bool moved = q->count != q->last;

	q->last = q->count;
	q->silent = activity == q->activity ? q->silent + run->period : 0;
	q->activity = activity;
	if (run->open.ch->vector[q->purpose] < 0) {
		if (moved)
			roc_queue_serve(run, q);
		return;
	}
	if (!moved)
		q->late = false;
	if (roc_queue_is_overdue(run, q))
		roc_queue_missed(run, q);
	else if (!q->armed && roc_queue_has_listener(run))
		roc_queue_request_next(run, q);
}
