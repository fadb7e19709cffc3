// SPDX-License-Identifier: GPL-2.0-only
/*
 * Thread of an open channel: it polls for finished superpages, refills the card, and sleeps. The
 * mode selects what wakes it: a timer that follows the data rate (timer), the card's interrupt
 * (event), or nothing, because the reader polls (busy).
 *
 * In event mode a watchdog detects lost interrupts. It counts an interrupt as missed only if
 * records were there for longer than moderation can explain.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>

#include "core/trace.h"
#include "pool/pool.h"

/* Before a longer sleep the thread requests a kick if the card may run out of superpages. */
#define ROC_KICK_HORIZON_NS 1000000ull
/* With no superpage in the card the thread polls the fill ring, in memory, at this interval. */
#define ROC_IDLE_NS 20000000ull
/* Shortest and longest interval of polls for space while the ready ring is full. */
#define ROC_BLOCKED_NS 1000000ull
#define ROC_BLOCKED_MAX_NS 20000000ull
/* Longest turn, so that others get the channel lock. */
#define ROC_TURN_NS 2000000ull
/* Bounds of the time without interrupt after which the watchdog checks for a lost one. */
#define ROC_WATCH_TIMEOUT_MIN_NS 100000000ull
#define ROC_WATCH_TIMEOUT_MAX_NS 500000000ull
/* Time for which the interrupt of a record may be late before it counts as lost. */
#define ROC_WATCH_LATE_NS 30000000ull
/* Silence after which the driver checks the card's presence; later if the data often pause. */
#define ROC_SILENCE_NS 4000000000ull
#define ROC_SILENCE_MAX_NS 30000000000ull
/* Interval of searches for a missing record while no record comes. */
#define ROC_SCAN_NS 10000000ull
/* Time without a record after which the driver reads the card's count of records. */
#define ROC_COUNT_NS 1000000000ull
/* Longest delay by moderation: by default, and if waiters have a min_ready above 1. */
#define ROC_MODERATION_US 8000
#define ROC_MODERATION_BATCH 16	      /* superpages that an interrupt should report */
#define ROC_MODERATION_BATCH_US 25000 /* below ROC_WATCH_LATE_NS */
/* Turns without a waiter after which the last wake threshold no longer applies. */
#define ROC_MIN_READY_TURNS 4

/* The card may have sent an interrupt for the records that were just consumed. */
static void roc_watch_early(struct roc_pool_run *p, u64 now)
{
	p->thread.watch.early++;
	p->thread.watch.early_at = now;
}

/* If the card has reported an error, read the status of the channel. */
static enum roc_reason roc_watch_error(struct roc_pool_run *p)
{
	u32 status;

	if (!xchg(&p->thread.watch.error_pending, false))
		return ROC_REASON_NONE;
	status = roc_block_status(p->ch);
	if (status == ROC_ALL_ONES)
		return ROC_REASON_LOST;
	return status & (EVENT_STATUS_FETCH_ERROR | EVENT_STATUS_HOST_ERROR) ? ROC_REASON_CARD
									     : ROC_REASON_NONE;
}

/*
 * No record was found: check whether one is missing. Later records show that; without any, the
 * card's count does, which is a register read. @fired: there was an interrupt, so expect a record.
 */
static enum roc_reason roc_watch_records(struct roc_pool_run *p, u64 now, u64 usual, bool fired)
{
	struct roc_watch *w = &p->thread.watch;

	if (!p->in_flight)
		return ROC_REASON_NONE;
	if (fired || now >= w->scan) {
		w->scan = now + ROC_SCAN_NS;
		if (roc_event_hole(&p->pool->event))
			return ROC_REASON_RECORD;
	}
	if (now - w->counted < (w->recounted && !fired ? usual : ROC_COUNT_NS))
		return ROC_REASON_NONE;
	w->counted = now;
	w->recounted = true;
	if (!roc_event_missing(p->ch))
		return ROC_REASON_NONE;
	return roc_alive(p->ch->ep) ? ROC_REASON_RECORD : ROC_REASON_LOST;
}

/*
 * Check the card after a silence. The driver reads no register while data flow, so only silence
 * shows a removed card, a lost doorbell, or an error whose interrupt was lost.
 */
static enum roc_reason roc_watch_silence(struct roc_pool_run *p, u64 now, u32 found, bool fired)
{
	u64 usual = clamp(2 * p->rate.gap, ROC_SILENCE_NS, ROC_SILENCE_MAX_NS);
	struct roc_watch *w = &p->thread.watch;
	enum roc_reason reason;

	if (found || !p->in_flight || !w->queried) {
		w->queried = now;
		w->repeated = false;
		w->scan = now + ROC_SCAN_NS;
		w->counted = now;
		w->recounted = false;
	}
	if (found)
		return ROC_REASON_NONE;
	reason = roc_watch_records(p, now, usual, fired);
	if (reason)
		return reason;
	if (!w->repeated && now - w->queried >= ROC_WATCH_TIMEOUT_MAX_NS) {
		roc_event_repeat(p->ch);
		w->repeated = true;
	}
	if (now - w->queried < usual)
		return ROC_REASON_NONE;
	w->queried = now;
	w->repeated = false;
	w->error_pending = true;
	return roc_watch_error(p);
}

/* Poll and refill in the caller's context (busy mode). Return the number of superpages found. */
u32 roc_thread_poll(struct roc_pool_run *p)
{
	u64 now = ktime_get_ns();
	enum roc_pool_refill left;
	enum roc_reason reason;
	u32 found;

	reason = roc_pool_find_finished(p, now, ROC_POLL_STARTED, &found);
	if (found)
		roc_rate_found(&p->rate, now, found);
	if (!reason)
		reason = roc_pool_refill(p, now, &left);
	if (!reason && p->pool->event.on)
		reason = roc_watch_silence(p, now, found, false);
	if (reason) {
		roc_run_abort(&p->run, reason);
		return found;
	}
	if (p->pool->event.on && p->thread.watch.armed && found) {
		roc_watch_early(p, now);
		p->thread.watch.overdue_since = 0;
		roc_event_arm(p->ch);
	} else if (p->pool->event.on) {
		roc_event_release_space(p->ch);
	}
	roc_pool_publish(p);
	return found;
}

/* ns for which the superpages in the card last at least, if data arrive at the peak rate. */
static u64 roc_thread_supply(const struct roc_pool_run *p)
{
	u32 peak = roc_pool_ops(p->ch->ep)->peak;

	if (!peak)
		return U64_MAX;
	return max(div_u64(p->in_flight_bytes / 4 * 3 * 1000, peak), ROC_TICK_MAX);
}

/*
 * Smallest number of ready superpages that wakes a waiter: an interrupt before that is of no use.
 * The threshold of a reader that has stopped waiting does not count.
 */
static u32 roc_thread_min_ready(struct roc_pool_run *p)
{
	const struct roc_event_queue *q = &p->run.queue[0];
	/* Used for moderation only: roc_pool_publish() wakes waiters by their threshold. */
	bool waiting = READ_ONCE(q->waiting) && waitqueue_active(&p->run.open.batch);

	if (waiting) {
		p->thread.min_ready =
			READ_ONCE(q->threshold) - q->count + roc_ring_ready_count(&p->rings);
		p->thread.min_ready_turns = ROC_MIN_READY_TURNS;
	} else if (p->thread.min_ready_turns) {
		p->thread.min_ready_turns--; /* woken a moment ago; it is likely to wait again */
	} else {
		p->thread.min_ready = 1;
	}
	if (p->run.open.eventfd)
		return 1;
	/* Used for moderation only: roc_pool_publish() always wakes callers of poll(). */
	return waitqueue_active(&p->run.open.wait) ? 1 : p->thread.min_ready;
}

/* Superpages that are still missing before a waiter is woken. */
static u32 roc_thread_missing(struct roc_pool_run *p)
{
	u32 min_ready = roc_thread_min_ready(p), ready = roc_ring_ready_count(&p->rings);

	return min_ready > ready ? min_ready - ready : min_ready;
}

/* ns until the next poll without interrupt or kick. */
static u64 roc_thread_tick(struct roc_pool_run *p, u64 now)
{
	u64 next = now + ROC_TICK_IDLE;
	unsigned int i;

	if (!p->in_flight)
		return ROC_IDLE_NS;
	if (p->pool->event.on || !roc_pool_ops(p->ch->ep)->polls_memory)
		return min(roc_rate_tick(&p->rate, now, p->in_flight, roc_thread_missing(p)),
			   roc_thread_supply(p));
	for (i = 0; i < p->link_count; i++)
		if (p->link[i].head != p->link[i].tail)
			next = min(next, p->link[i].pace.next);
	return next > now ? next - now : 0;
}

/* Return true if the card may run out of superpages during @sleep: the reader then has to kick. */
static bool roc_thread_may_run_dry(struct roc_pool_run *p, u64 sleep)
{
	unsigned int i;

	if (sleep < ROC_KICK_HORIZON_NS)
		return false;
	for (i = 0; i < p->link_count; i++)
		if (p->link[i].head == p->link[i].tail)
			return true;
	/* An interrupt comes well before, unless it is lost; see roc_thread_moderate(). */
	if (p->setting.mode == ROC_MODE_EVENT && p->ch->vector[0] >= 0 &&
	    !p->thread.watch.overdue_since)
		return p->in_flight < 2;
	return p->rate.interval * p->in_flight < 2 * sleep &&
	       2 * p->in_flight < p->link_count * p->depth;
}

/* Bound the rate of interrupts. The first one after a silence is not delayed. */
static void roc_thread_moderate(struct roc_pool_run *p, u64 now)
{
	u64 us = div_u64(p->rate.interval * ROC_MODERATION_BATCH, NSEC_PER_USEC);
	u32 count = max(p->in_flight / 4, 1u), min_ready = roc_thread_min_ready(p);

	if (!p->rate.interval)
		return;
	us = min_t(u64, us, ROC_MODERATION_US);
	if (min_ready > 1) {
		count = min(count, min_ready);
		us = ROC_MODERATION_BATCH_US;
	}
	/* Well below half of the superpages in the card, even if their number changes a little. */
	roc_event_moderate(p->ch, count, us, ROC_MODERATION_US);
}

/* Longest expected time without interrupt: longer than data rate and moderation explain. */
static u64 roc_watch_timeout(struct roc_pool_run *p)
{
	u64 interval = p->rate.interval, apart;

	if (!interval || !p->in_flight)
		return ROC_WATCH_TIMEOUT_MAX_NS;
	apart = max(interval,
		    min(interval * ROC_MODERATION_BATCH, ROC_MODERATION_US * (u64)NSEC_PER_USEC));
	return clamp(8 * apart, ROC_WATCH_TIMEOUT_MIN_NS, ROC_WATCH_TIMEOUT_MAX_NS);
}

/*
 * Count interrupts without records as spurious, except those that were on their way while a kick or
 * the watchdog consumed their records.
 */
static void roc_watch_count_spurious(struct roc_pool_run *p, unsigned int fired, u64 now)
{
	u32 late = now - p->thread.watch.early_at < ROC_WATCH_LATE_NS
			   ? min(fired, p->thread.watch.early)
			   : 0;

	p->thread.watch.early = late ? p->thread.watch.early - late : 0;
	p->ch->stats.spurious_interrupts += fired - late;
}

/*
 * The watchdog found records before their interrupt. Poll as in timer mode until the interrupt
 * comes or counts as lost. The card stays armed meanwhile, because a new ARM would cancel an
 * interrupt that moderation delays. Return ns until the next turn, or 0 if no interrupt is overdue
 * any more.
 */
static u64 roc_thread_turn_overdue(struct roc_pool_run *p, unsigned int fired, u64 now)
{
	struct roc_watch *w = &p->thread.watch;
	u64 end = w->overdue_since + ROC_WATCH_LATE_NS;

	if (!w->overdue_since)
		return 0;
	if (!fired && now < end) {
		roc_event_release_space(p->ch);
		return min(end - now, roc_thread_tick(p, now));
	}
	p->ch->stats.missed_interrupts += !fired;
	w->overdue_since = 0;
	w->armed = false;
	return 0;
}

/* End of a turn in event mode. Return ns until the next one. */
static u64 roc_thread_turn_event(struct roc_pool_run *p, unsigned int fired, u32 found, u64 now)
{
	struct roc_channel *ch = p->ch;
	u64 overdue;

	if (fired && !found)
		roc_watch_count_spurious(p, fired, now);
	else if (found && !fired)
		roc_watch_early(p, now);
	overdue = roc_thread_turn_overdue(p, fired, now);
	if (overdue)
		return overdue;
	if (fired || found || !p->thread.watch.armed) {
		roc_thread_moderate(p, now);
		roc_event_arm(ch);
		p->thread.watch.armed = true;
		p->thread.watch.active = now;
		p->thread.watch.check = now + roc_watch_timeout(p);
	} else if (now >= p->thread.watch.check) {
		/* A lost doorbell looks the same as a card without data: rewrite it. */
		if (p->in_flight)
			roc_event_repeat(ch);
		roc_event_arm(ch);
		/* At growing intervals: an idle card is silent, too. */
		p->thread.watch.check = now + clamp(now - p->thread.watch.active,
						    ROC_WATCH_TIMEOUT_MIN_NS, ROC_SILENCE_NS);
	}
	return p->thread.watch.check - now;
}

/*
 * The ready ring has no space, either for a while or because the reader's index is invalid. Return
 * ns to sleep. NEED_KICK makes a reader that continues after a pause report its new index.
 */
static u64 roc_thread_blocked(struct roc_pool_run *p, u64 now)
{
	if (p->thread.blocked_at != p->rings.fill_cons || !p->thread.blocked) {
		p->thread.blocked_at = p->rings.fill_cons;
		p->thread.blocked = now;
	}
	roc_ring_set_flags(&p->rings, ROC_RING_NEED_KICK, 0);
	smp_mb(); /* either this sees the new space, or the reader sees NEED_KICK */
	if (roc_pool_space(p))
		return 0;
	return clamp((now - p->thread.blocked) / 8, ROC_BLOCKED_NS, ROC_BLOCKED_MAX_NS);
}

/*
 * One turn of the thread. *@rest: ns to sleep; U64_MAX: until woken. Not 0: the card violated the
 * protocol.
 */
static enum roc_reason roc_thread_turn(struct roc_pool_run *p, u64 *rest)
{
	struct roc_channel *ch = p->ch;
	struct roc_event *ev = &p->pool->event;
	bool event = ev->on && p->setting.mode == ROC_MODE_EVENT && ch->vector[0] >= 0;
	u64 now = ktime_get_ns(), end = now + ROC_TURN_NS, sleep;
	enum roc_poll_scope scope = ROC_POLL_DUE;
	unsigned int fired = 0;
	enum roc_pool_refill refill;
	u32 found, total = 0;
	enum roc_reason reason;
	bool more;

	*rest = U64_MAX;
	if (ch->state != ROC_CH_RUNNING || p->run.open.retired)
		return ROC_REASON_NONE;
	reason = roc_watch_error(p);
	if (reason || p->setting.mode == ROC_MODE_BUSY)
		return reason;
	roc_point(ch->ep, ROC_POINT_TURN);
	ch->stats.turns++;
	roc_ring_set_flags(&p->rings, 0, ROC_RING_NEED_KICK);
	if (ev->on) {
		spin_lock_irq(&ch->run_lock);
		fired = p->thread.fired;
		p->thread.fired = 0;
		spin_unlock_irq(&ch->run_lock);
		ch->stats.interrupts += fired;
	}
	if (event && p->thread.watch.armed && !fired && !p->thread.watch.overdue_since &&
	    now >= p->thread.watch.check && roc_event_next(ev))
		p->thread.watch.overdue_since = now;
	/*
	 * Repeat while the card or the reader makes progress, so that nothing waits for the next
	 * turn.
	 */
	do {
		reason = roc_pool_find_finished(p, now, scope, &found);
		if (reason)
			return reason;
		roc_pool_publish(p); /* before the register writes of the refill, which take time */
		reason = roc_pool_refill(p, now, &refill);
		if (reason)
			return reason;
		roc_pool_publish(p);
		total += found;
		more = found || p->unfinished || refill == ROC_REFILL_MORE ||
		       (refill == ROC_REFILL_DONE && roc_ring_fill_count(&p->rings));
		scope = ROC_POLL_MEMORY;
		now = ktime_get_ns();
	} while (more && !ev->on && now < end);

	if (total)
		roc_rate_found(&p->rate, now, total);
	if (ev->on) {
		reason = roc_watch_silence(p, now, total, fired);
		if (reason)
			return reason;
	}
	if (event)
		sleep = roc_thread_turn_event(p, fired, total, now);
	else
		sleep = roc_thread_tick(p, now);
	if (ev->on && !event)
		roc_event_release_space(ch);
	*rest = 0;
	if (ev->on ? refill == ROC_REFILL_MORE : more)
		return ROC_REASON_NONE;
	if (refill == ROC_REFILL_BLOCKED) {
		*rest = min(sleep, roc_thread_blocked(p, now));
		return ROC_REASON_NONE;
	}
	p->thread.blocked = 0;
	if (!roc_thread_may_run_dry(p, sleep) || !roc_ring_arm_kick(&p->rings))
		*rest = sleep;
	return ROC_REASON_NONE;
}

static void roc_thread_trace_sleep(struct roc_pool_run *p, u64 ns)
{
	struct roc_channel *ch = p->ch;

	if (ns && ch->state == ROC_CH_RUNNING && trace_roc_sleep_enabled())
		trace_roc_sleep(ch, ns,
				p->pool->event.on ? roc_event_next(&p->pool->event)
						  : roc_sentinel_finished_all(p),
				roc_pool_submittable(p));
}

/* Sleep until kicked, or for at most @ns; U64_MAX: without limit. */
static void roc_thread_rest(struct roc_pool_run *p, u64 ns)
{
	ktime_t sleep = ns_to_ktime(ns);

	set_current_state(TASK_IDLE);
	if (READ_ONCE(p->thread.kicked) || kthread_should_stop())
		__set_current_state(TASK_RUNNING);
	else if (ns == U64_MAX)
		schedule();
	else
		schedule_hrtimeout_range(&sleep, ns / 16, HRTIMER_MODE_REL);
	/* A reader that kicks in a loop must not monopolise this CPU. */
	cond_resched();
}

static int roc_thread(void *arg)
{
	struct roc_pool_run *p = arg;
	u64 ns = U64_MAX; /* no run yet: a successful start kicks the thread */
	enum roc_reason reason;

	while (!kthread_should_stop()) {
		roc_thread_rest(p, ns);
		if (ns == U64_MAX && !READ_ONCE(p->thread.kicked))
			continue;
		WRITE_ONCE(p->thread.kicked, false);
		smp_mb(); /* the turn sees what was done before a kick that is cleared here */
		mutex_lock(&p->ch->lock);
		reason = roc_thread_turn(p, &ns);
		if (reason) {
			roc_run_abort(&p->run, reason);
			ns = U64_MAX;
		}
		roc_thread_trace_sleep(p, ns);
		mutex_unlock(&p->ch->lock);
	}
	return 0;
}

/* Change the mode, also while the channel runs. */
int roc_thread_mode(struct roc_pool_run *p, enum roc_mode mode)
{
	lockdep_assert_held(&p->ch->lock);
	if (mode == ROC_MODE_EVENT && !roc_pool_events(p))
		return -EOPNOTSUPP;
	WRITE_ONCE(p->setting.mode, mode);
	/* The thread requests kicks again before it sleeps. In busy mode it does not refill. */
	if (p->run.open.committed)
		roc_ring_set_flags(&p->rings, 0, ROC_RING_NEED_KICK);
	p->thread.watch.armed = false;
	p->thread.watch.overdue_since = 0;
	roc_pool_kick(p);
	return 0;
}

/*
 * Bind the thread to the card's NUMA node, within the CPUs that kernel threads may use: register
 * accesses from another node take longer. An administrator may move it.
 */
static void roc_thread_place(struct task_struct *thread, int node)
{
	cpumask_var_t near;

	if (node == NUMA_NO_NODE || !alloc_cpumask_var(&near, GFP_KERNEL))
		return;
	if (cpumask_and(near, thread->cpus_ptr, cpumask_of_node(node)))
		set_cpus_allowed_ptr(thread, near);
	free_cpumask_var(near);
}

int roc_thread_create(struct roc_pool_run *p)
{
	struct roc_endpoint *ep = p->ch->ep;
	int node = dev_to_node(&ep->pdev->dev);
	struct task_struct *thread;

	if (p->thread.task)
		return 0;
	thread = kthread_create_on_node(roc_thread, p, node, "roc/%d.%u", ep->minor, p->ch->number);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	roc_thread_place(thread, node);
	get_task_struct(thread); /* for late kicks; put in roc_pool_free() */
	WRITE_ONCE(p->thread.task, thread);
	/* A new thread is uninterruptible and counts in the load average: let it run once. */
	wake_up_process(thread);
	return 0;
}

/* The caller holds no channel lock, because the thread takes it. */
void roc_thread_stop(struct roc_run *run)
{
	struct roc_thread *thread = &roc_pool_run(run)->thread;

	if (thread->task)
		kthread_stop(thread->task);
}

/* If the vector is shared, an interrupt is for the channels that have a new record. */
void roc_thread_irq(struct roc_channel *ch, u32 purposes, bool shared)
{
	unsigned long flags;

	spin_lock_irqsave(&ch->run_lock, flags);
	if (ch->running && ch->block && (!shared || roc_event_next(&roc_pool(ch)->event))) {
		roc_pool_run(ch->running)->thread.fired++;
		roc_pool_kick(roc_pool_run(ch->running));
	}
	spin_unlock_irqrestore(&ch->run_lock, flags);
}
