// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread of a session: looks for finished superpages, refills the card, sleeps. What wakes it
 * is the mode: a period that follows the rate (timer), the card's interrupt (event), or nothing
 * but the reader, who looks by itself (busy).
 *
 * In event mode a watchdog looks after interrupts that were lost on the way. It counts one as
 * missed only if records had been there for longer than moderation explains.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>

#include "core/trace.h"
#include "pool/pool.h"

/* Sleeping for longer than this the thread wants to be kicked when the card may run dry. */
#define ROC_KICK_HORIZON_NS 1000000ull
/* With nothing in the card the fill ring (memory, no access) is looked at this often. */
#define ROC_IDLE_NS 20000000ull
/* The ready ring is full: how soon to see whether the reader made room, and how late at most. */
#define ROC_BLOCKED_NS 1000000ull
#define ROC_BLOCKED_MAX_NS 20000000ull
/* Of one turn: then others get the channel lock. */
#define ROC_TURN_NS 2000000ull
/* Bounds of how long silence is believed. */
#define ROC_PATIENCE_MIN_NS 100000000ull
#define ROC_PATIENCE_MAX_NS 500000000ull
/* Records without an interrupt: for so long it may still be on its way. */
#define ROC_WATCH_NS 30000000ull
/* After so much silence the card is asked whether it is still there, later if it often pauses. */
#define ROC_SILENCE_NS 4000000000ull
#define ROC_SILENCE_MAX_NS 30000000000ull
/* Without a record the record ring is searched for a hole this often. */
#define ROC_SCAN_NS 10000000ull
/* After so long without a record the count of written records is read. */
#define ROC_COUNT_NS 1000000000ull
/* Bounds of moderation: what delay is worth an interrupt, by itself and when a reader says so. */
#define ROC_MODERATION_US 8000
#define ROC_MODERATION_BATCH 16	      /* superpages that an interrupt should tell of */
#define ROC_MODERATION_BATCH_US 25000 /* below ROC_WATCH_NS */
/* So many turns without a sleeper, and nobody waits for batches any more. */
#define ROC_WISH_TURNS 4

/* An interrupt may have been sent for what was just taken. */
static void roc_took_early(struct roc_session *s, u64 now)
{
	s->thread.watch.early++;
	s->thread.watch.took = now;
}

/* The card says that something is wrong with this channel. */
static enum roc_why roc_check_doubt(struct roc_session *s)
{
	u32 status;

	if (!xchg(&s->thread.watch.doubt, false))
		return ROC_WHY_NONE;
	status = roc_block_status(s->ch);
	if (status == ROC_ALL_ONES)
		return ROC_WHY_LOST;
	return status & (EVENT_STATUS_FETCH_ERROR | EVENT_STATUS_HOST_ERROR) ? ROC_WHY_CARD
									     : ROC_WHY_NONE;
}

/*
 * No record was found: is one missing? Records behind it show that, and if there are none the
 * card's count, which costs a register read. @fired: an interrupt came, which has a reason.
 */
static enum roc_why roc_check_records(struct roc_session *s, u64 now, u64 usual, bool fired)
{
	struct roc_watch *w = &s->thread.watch;

	if (!s->run.in_flight)
		return ROC_WHY_NONE;
	if (fired || now >= w->scan) {
		w->scan = now + ROC_SCAN_NS;
		if (roc_event_hole(&s->pool->event))
			return ROC_WHY_RECORD;
	}
	if (now - w->counted < (w->recounted && !fired ? usual : ROC_COUNT_NS))
		return ROC_WHY_NONE;
	w->counted = now;
	w->recounted = true;
	if (!roc_event_uncounted(s->ch))
		return ROC_WHY_NONE;
	return roc_alive(s->ch->ep) ? ROC_WHY_RECORD : ROC_WHY_LOST;
}

/*
 * Nothing was found, though something may be wrong. No register is read while data flow, so a card
 * that went, a doorbell that was lost, and an error of which no interrupt told are found out by
 * their silence.
 */
static enum roc_why roc_check_silence(struct roc_session *s, u64 now, u32 found, bool fired)
{
	u64 usual = clamp(2 * s->run.rate.gap, ROC_SILENCE_NS, ROC_SILENCE_MAX_NS);
	struct roc_watch *w = &s->thread.watch;
	enum roc_why why;

	if (found || !s->run.in_flight || !w->asked) {
		w->asked = now;
		w->repeated = false;
		w->scan = now + ROC_SCAN_NS;
		w->counted = now;
		w->recounted = false;
	}
	if (found)
		return ROC_WHY_NONE;
	why = roc_check_records(s, now, usual, fired);
	if (why)
		return why;
	if (!w->repeated && now - w->asked >= ROC_PATIENCE_MAX_NS) {
		roc_event_repeat(s->ch);
		w->repeated = true;
	}
	if (now - w->asked < usual)
		return ROC_WHY_NONE;
	w->asked = now;
	w->repeated = false;
	w->doubt = true;
	return roc_check_doubt(s);
}

/* Look now and refill: busy mode. Superpages found. */
u32 roc_thread_look(struct roc_session *s)
{
	u64 now = ktime_get_ns();
	enum roc_refill left;
	enum roc_why why;
	u32 found;

	why = roc_look(s, now, ROC_LOOK_BEGUN, &found);
	if (found)
		roc_rate_found(&s->run.rate, now, found);
	if (!why)
		why = roc_refill(s, now, &left);
	if (!why && s->pool->event.on)
		why = roc_check_silence(s, now, found, false);
	if (why) {
		roc_pool_fail(s, why);
		return found;
	}
	if (s->pool->event.on && s->thread.watch.armed && found) {
		roc_took_early(s, now);
		s->thread.watch.since = 0;
		roc_event_arm(s->ch);
	} else if (s->pool->event.on) {
		roc_event_make_room(s->ch);
	}
	roc_publish(s);
	return found;
}

/* ns that the card is served at least, even when its data come all at once after a silence. */
static u64 roc_lasts(const struct roc_session *s)
{
	u32 peak = roc_pool_ops(s->ch->ep)->peak;

	if (!peak)
		return U64_MAX;
	return max(div_u64(s->run.held / 4 * 3 * 1000, peak), ROC_TICK_MAX);
}

/* How many superpages readers wait for: who wants a batch is not helped by an interrupt before. */
static u32 roc_wish(struct roc_session *s)
{
	u32 wanted = READ_ONCE(s->wanted);

	if (wanted != ROC_WANT_NOTHING) {
		s->thread.wish = wanted;
		s->thread.wish_turns = ROC_WISH_TURNS;
	} else if (s->thread.wish_turns) {
		s->thread.wish_turns--; /* it was woken a moment ago, and comes back */
	} else {
		s->thread.wish = 1;
	}
	if (s->open.eventfd)
		return 1;
	/* Only moderation depends on it: roc_publish() wakes callers of poll() in any case. */
	return waitqueue_active(&s->open.wait) ? 1 : s->thread.wish;
}

/* Superpages that readers still wait for. */
static u32 roc_wanting(struct roc_session *s)
{
	u32 wish = roc_wish(s), held = roc_ring_ready_held(&s->rings);

	return wish > held ? wish - held : wish;
}

/* ns until something has to be looked at by itself. */
static u64 roc_tick(struct roc_session *s, u64 now)
{
	u64 next = now + ROC_TICK_IDLE;
	unsigned int i;

	if (!s->run.in_flight)
		return ROC_IDLE_NS;
	if (s->pool->event.on || !roc_pool_ops(s->ch->ep)->free_looks)
		return min(roc_rate_tick(&s->run.rate, now, s->run.in_flight, roc_wanting(s)),
			   roc_lasts(s));
	for (i = 0; i < s->run.link_count; i++)
		if (s->run.link[i].head != s->run.link[i].tail)
			next = min(next, s->run.link[i].pace.next);
	return next > now ? next - now : 0;
}

/* Might the card run dry before the thread wakes by itself? Then the reader has to kick. */
static bool roc_may_run_dry(struct roc_session *s, u64 sleep)
{
	unsigned int i;

	if (sleep < ROC_KICK_HORIZON_NS)
		return false;
	for (i = 0; i < s->run.link_count; i++)
		if (s->run.link[i].head == s->run.link[i].tail)
			return true;
	/* An interrupt comes long before, unless it was lost; see roc_moderate(). */
	if (s->setting.mode == ROC_MODE_EVENT && s->ch->vector[0] >= 0 && !s->thread.watch.since)
		return s->run.in_flight < 2;
	return s->run.rate.interval * s->run.in_flight < 2 * sleep &&
	       2 * s->run.in_flight < s->run.link_count * s->run.depth;
}

/* A bounded number of interrupts, but the first after a silence at once. */
static void roc_moderate(struct roc_session *s, u64 now)
{
	u64 us = div_u64(s->run.rate.interval * ROC_MODERATION_BATCH, NSEC_PER_USEC);
	u32 count = max(s->run.in_flight / 4, 1u), wish = roc_wish(s);

	if (!s->run.rate.interval)
		return;
	us = min_t(u64, us, ROC_MODERATION_US);
	if (wish > 1) {
		count = min(count, wish);
		us = ROC_MODERATION_BATCH_US;
	}
	/* Well below half of what is out, even when it has changed a little since. */
	roc_event_moderate(s->ch, count, us, ROC_MODERATION_US);
}

/* How long the card may be silent: longer than its rate and moderation explain. */
static u64 roc_patience(struct roc_session *s)
{
	u64 interval = s->run.rate.interval, apart;

	if (!interval || !s->run.in_flight)
		return ROC_PATIENCE_MAX_NS;
	apart = max(interval,
		    min(interval * ROC_MODERATION_BATCH, ROC_MODERATION_US * (u64)NSEC_PER_USEC));
	return clamp(8 * apart, ROC_PATIENCE_MIN_NS, ROC_PATIENCE_MAX_NS);
}

/*
 * Interrupts that found nothing: but those that were on their way while somebody who was not told
 * took the records, a kick or the watchdog, told the truth.
 */
static void roc_count_spurious(struct roc_session *s, unsigned int fired, u64 now)
{
	u32 late =
		now - s->thread.watch.took < ROC_WATCH_NS ? min(fired, s->thread.watch.early) : 0;

	s->thread.watch.early = late ? s->thread.watch.early - late : 0;
	s->ch->stats.spurious_interrupts += fired - late;
}

/*
 * The watchdog found records before their interrupt. Poll as timer mode does until the interrupt
 * comes or counts as lost. The card stays armed meanwhile: a new ARM would withdraw an interrupt
 * that moderation delays. Returns ns until the next turn, 0 if the wait is over.
 */
static u64 roc_turn_overdue(struct roc_session *s, unsigned int fired, u64 now)
{
	struct roc_watch *w = &s->thread.watch;
	u64 end = w->since + ROC_WATCH_NS;

	if (!w->since)
		return 0;
	if (!fired && now < end) {
		roc_event_make_room(s->ch);
		return min(end - now, roc_tick(s, now));
	}
	s->ch->stats.missed_interrupts += !fired;
	w->since = 0;
	w->armed = false;
	return 0;
}

/* The end of a turn in event mode: ns until the next one. */
static u64 roc_turn_event(struct roc_session *s, unsigned int fired, u32 found, u64 now)
{
	struct roc_channel *ch = s->ch;
	u64 overdue;

	if (fired && !found)
		roc_count_spurious(s, fired, now);
	else if (found && !fired)
		roc_took_early(s, now);
	overdue = roc_turn_overdue(s, fired, now);
	if (overdue)
		return overdue;
	if (fired || found || !s->thread.watch.armed) {
		roc_moderate(s, now);
		roc_event_arm(ch);
		s->thread.watch.armed = true;
		s->thread.watch.heard = now;
		s->thread.watch.check = now + roc_patience(s);
	} else if (now >= s->thread.watch.check) {
		/* A lost write to the card looks like a card with nothing to say. */
		if (s->run.in_flight)
			roc_event_repeat(ch);
		roc_event_arm(ch);
		/* Ever more rarely: silence is what an idle card does. */
		s->thread.watch.check = now + clamp(now - s->thread.watch.heard,
						    ROC_PATIENCE_MIN_NS, ROC_SILENCE_NS);
	}
	return s->thread.watch.check - now;
}

/*
 * The ready ring has no room, for a while or because the reader's index is nonsense: ns to sleep.
 * Who comes back after a pause gives superpages back, and is asked to say so.
 */
static u64 roc_blocked(struct roc_session *s, u64 now)
{
	if (s->thread.blocked_at != s->rings.fill_cons || !s->thread.blocked) {
		s->thread.blocked_at = s->rings.fill_cons;
		s->thread.blocked = now;
	}
	roc_ring_set_flags(&s->rings, ROC_RING_NEED_KICK, 0);
	smp_mb(); /* room that was made before is seen here, later the flag by the reader */
	if (roc_room(s))
		return 0;
	return clamp((now - s->thread.blocked) / 8, ROC_BLOCKED_NS, ROC_BLOCKED_MAX_NS);
}

/* One turn; *@rest: ns to sleep, U64_MAX = until woken. Not 0: the card broke its contract. */
static enum roc_why roc_turn(struct roc_session *s, u64 *rest)
{
	struct roc_channel *ch = s->ch;
	struct roc_event *ev = &s->pool->event;
	bool event = ev->on && s->setting.mode == ROC_MODE_EVENT && ch->vector[0] >= 0;
	u64 now = ktime_get_ns(), end = now + ROC_TURN_NS, sleep;
	enum roc_look what = ROC_LOOK_DUE;
	unsigned int fired = 0;
	enum roc_refill refill;
	u32 found, total = 0;
	enum roc_why why;
	bool more;

	*rest = U64_MAX;
	if (ch->state != ROC_CH_RUNNING || s->open.retired)
		return ROC_WHY_NONE;
	why = roc_check_doubt(s);
	if (why || s->setting.mode == ROC_MODE_BUSY)
		return why;
	roc_point(ch->ep, ROC_POINT_TURN);
	ch->stats.turns++;
	roc_ring_set_flags(&s->rings, 0, ROC_RING_NEED_KICK);
	if (ev->on) {
		fired = roc_event_fired(ev);
		ch->stats.interrupts += fired;
	}
	if (event && s->thread.watch.armed && !fired && !s->thread.watch.since &&
	    now >= s->thread.watch.check && roc_event_next(ev))
		s->thread.watch.since = now;
	/* What the card and the reader finish meanwhile is not left lying while we sleep. */
	do {
		why = roc_look(s, now, what, &found);
		if (why)
			return why;
		roc_publish(s); /* the reader need not wait for the refill's register writes */
		why = roc_refill(s, now, &refill);
		if (why)
			return why;
		roc_publish(s);
		total += found;
		more = found || s->run.unfinished || refill == ROC_REFILL_MORE ||
		       (refill == ROC_REFILL_DONE && roc_ring_fill_count(&s->rings));
		what = ROC_LOOK_SHOWN;
		now = ktime_get_ns();
	} while (more && !ev->on && now < end);

	if (total)
		roc_rate_found(&s->run.rate, now, total);
	if (ev->on) {
		why = roc_check_silence(s, now, total, fired);
		if (why)
			return why;
	}
	if (event)
		sleep = roc_turn_event(s, fired, total, now);
	else
		sleep = roc_tick(s, now);
	if (ev->on && !event)
		roc_event_make_room(ch);
	*rest = 0;
	if (ev->on ? refill == ROC_REFILL_MORE : more)
		return ROC_WHY_NONE;
	if (refill == ROC_REFILL_BLOCKED) {
		*rest = min(sleep, roc_blocked(s, now));
		return ROC_WHY_NONE;
	}
	s->thread.blocked = 0;
	if (!roc_may_run_dry(s, sleep) || !roc_ring_arm_kick(&s->rings))
		*rest = sleep;
	return ROC_WHY_NONE;
}

static void roc_trace_sleep(struct roc_session *s, u64 ns)
{
	struct roc_channel *ch = s->ch;

	if (ns && ch->state == ROC_CH_RUNNING && trace_roc_sleep_enabled())
		trace_roc_sleep(ch, ns,
				s->pool->event.on ? roc_event_next(&s->pool->event) : roc_shown(s),
				roc_waiting(s));
}

/* Sleep until kicked, or for @ns; U64_MAX: until kicked. */
static void roc_thread_rest(struct roc_session *s, u64 ns)
{
	ktime_t sleep = ns_to_ktime(ns);

	set_current_state(TASK_IDLE);
	if (READ_ONCE(s->thread.kicked) || kthread_should_stop())
		__set_current_state(TASK_RUNNING);
	else if (ns == U64_MAX)
		schedule();
	else
		schedule_hrtimeout_range(&sleep, ns / 16, HRTIMER_MODE_REL);
	/* Whoever kicks without end must not keep everybody else from this processor. */
	cond_resched();
}

static int roc_thread(void *arg)
{
	struct roc_session *s = arg;
	u64 ns = U64_MAX; /* nothing runs yet, and a start that fails has nothing for us */
	enum roc_why why;

	while (!kthread_should_stop()) {
		roc_thread_rest(s, ns);
		if (ns == U64_MAX && !READ_ONCE(s->thread.kicked))
			continue;
		WRITE_ONCE(s->thread.kicked, false);
		smp_mb(); /* a kick after this is seen above, one before it by the turn */
		mutex_lock(&s->ch->lock);
		why = roc_turn(s, &ns);
		if (why) {
			roc_pool_fail(s, why);
			ns = U64_MAX;
		}
		roc_trace_sleep(s, ns);
		mutex_unlock(&s->ch->lock);
	}
	return 0;
}

/* From now on. */
int roc_thread_mode(struct roc_session *s, enum roc_mode mode)
{
	lockdep_assert_held(&s->ch->lock);
	if (mode == ROC_MODE_EVENT && !roc_session_events(s))
		return -EOPNOTSUPP;
	roc_session_mode(s, mode);
	/* The thread requests kicks again before it sleeps. In busy mode it does not refill. */
	if (s->open.committed)
		roc_ring_set_flags(&s->rings, 0, ROC_RING_NEED_KICK);
	s->thread.watch.armed = false;
	s->thread.watch.since = 0;
	roc_kick(s);
	return 0;
}

/*
 * An access to the card from the other socket takes longer, so the thread stays on the card's
 * node, on such processors as kernel threads may use at all. An administrator may move it.
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

int roc_thread_create(struct roc_session *s)
{
	struct roc_endpoint *ep = s->ch->ep;
	int node = dev_to_node(&ep->pdev->dev);
	struct task_struct *thread;

	if (s->thread.task)
		return 0;
	thread = kthread_create_on_node(roc_thread, s, node, "roc/%d.%u", ep->minor, s->ch->number);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	roc_thread_place(thread, node);
	get_task_struct(thread); /* for a late kick; until roc_session_free() */
	WRITE_ONCE(s->thread.task, thread);
	/* One that never ran counts as waiting for a disk: it is to idle, whatever the start does.
	 */
	wake_up_process(thread);
	return 0;
}

/* No lock held: it takes the channel's. */
void roc_thread_stop(struct roc_session *s)
{
	if (s->thread.task)
		kthread_stop(s->thread.task);
}
