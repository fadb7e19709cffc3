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

#include "core/roc.h"
#include "core/trace.h"

/* Sleeping for longer than this the thread wants to be kicked when the card may run dry. */
#define ROC_KICK_HORIZON_NS 1000000ull
/* With nothing in the card the fill ring (memory, no access) is looked at this often. */
#define ROC_IDLE_NS 20000000ull
/* The ready ring is full: how soon to see whether the reader made room, and how late at most. */
#define ROC_BLOCKED_NS 1000000ull
#define ROC_BLOCKED_MAX_NS 20000000ull
/* Of one turn: then others get the channel lock. */
#define ROC_TURN_NS 2000000ull
/* Event mode: bounds of how long silence is believed. */
#define ROC_PATIENCE_MIN_NS 100000000ull
#define ROC_PATIENCE_MAX_NS 500000000ull
/* Then records wait for so long, in case that somebody is just about to say so. */
#define ROC_WATCH_NS 30000000ull
/* After so much silence the card is asked whether it is still there, later if it often pauses. */
#define ROC_SILENCE_NS 4000000000ull
#define ROC_SILENCE_MAX_NS 30000000000ull
/* Bounds of moderation: what delay is worth an interrupt, by itself and when a reader says so. */
#define ROC_MODERATION_US 8000
#define ROC_MODERATION_BATCH 16	      /* superpages that an interrupt should tell of */
#define ROC_MODERATION_BATCH_US 25000 /* below ROC_WATCH_NS */
/* So many turns without a sleeper, and nobody waits for batches any more. */
#define ROC_WISH_TURNS 4

u32 roc_look(struct roc_session *s, u64 now, enum roc_look what)
{
	s->ch->stats.looks++;
	return s->ch->event.on ? roc_drain(s, now) : roc_look_plain(s, now, what);
}

/* An interrupt may have been sent for what was just taken. */
static void roc_took_early(struct roc_session *s, u64 now)
{
	s->early++;
	s->took = now;
}

/* Look now and refill: busy mode. Superpages found. */
u32 roc_run_look(struct roc_session *s)
{
	u64 now = ktime_get_ns();
	u32 found = roc_look(s, now, ROC_LOOK_BEGUN);

	if (found)
		roc_rate_found(&s->rate, now, found);
	if (s->ch->state == ROC_CH_RUNNING)
		roc_refill(s, now);
	if (s->ch->event.on && s->armed && found) {
		roc_took_early(s, now);
		roc_event_arm(s->ch);
	} else if (s->ch->event.on) {
		roc_event_make_room(s->ch);
	}
	roc_publish(s);
	return found;
}

/* ns that the card is served at least, even when its data come all at once after a silence. */
static u64 roc_lasts(const struct roc_session *s)
{
	u32 peak = s->ch->ep->ops->peak;

	if (!peak)
		return U64_MAX;
	return max(div_u64(s->held / 4 * 3 * 1000, peak), ROC_TICK_MAX);
}

/* How many superpages readers wait for: who wants a batch is not helped by an interrupt before. */
static u32 roc_wish(struct roc_session *s)
{
	u32 wanted = READ_ONCE(s->wanted);

	if (wanted != ROC_WANT_NOTHING) {
		s->wish = wanted;
		s->wish_turns = ROC_WISH_TURNS;
	} else if (s->wish_turns) {
		s->wish_turns--; /* it was woken a moment ago, and comes back */
	} else {
		s->wish = 1;
	}
	return s->eventfd || waitqueue_active(&s->wait) ? 1 : s->wish;
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

	if (!s->in_flight)
		return ROC_IDLE_NS;
	if (s->ch->event.on || !s->ch->ep->ops->free_looks)
		return min(roc_rate_tick(&s->rate, now, s->in_flight, roc_wanting(s)),
			   roc_lasts(s));
	for (i = 0; i < s->link_count; i++)
		if (s->link[i].head != s->link[i].tail)
			next = min(next, s->link[i].pace.next);
	return next > now ? next - now : 0;
}

/* Might the card run dry before the thread wakes by itself? Then the reader has to kick. */
static bool roc_may_run_dry(struct roc_session *s, u64 sleep)
{
	unsigned int i;

	if (sleep < ROC_KICK_HORIZON_NS)
		return false;
	for (i = 0; i < s->link_count; i++)
		if (s->link[i].head == s->link[i].tail)
			return true;
	/* An interrupt comes long before; see roc_moderate(). */
	if (s->mode == ROC_MODE_EVENT)
		return s->in_flight < 2;
	return s->rate.interval * s->in_flight < 2 * sleep &&
	       2 * s->in_flight < s->link_count * s->depth;
}

/* A bounded number of interrupts, but the first after a silence at once. */
static void roc_moderate(struct roc_session *s, u64 now)
{
	u64 us = div_u64(s->rate.interval * ROC_MODERATION_BATCH, NSEC_PER_USEC);
	u32 count = max(s->in_flight / 4, 1u), wish = roc_wish(s);

	if (!s->rate.interval)
		return;
	us = min_t(u64, us, ROC_MODERATION_US);
	if (wish > 1) {
		count = min(count, wish);
		us = ROC_MODERATION_BATCH_US;
	}
	/* Well below half of what is out, even when it has changed a little since. */
	roc_event_moderate(s->ch, count, us);
}

/* The card says that something is wrong with this channel. */
static bool roc_check_doubt(struct roc_session *s)
{
	u32 status;

	if (!xchg(&s->doubt, false))
		return true;
	status = roc_event_status(s->ch);
	if (status == ROC_ALL_ONES)
		roc_run_abort(s, ROC_CH_FAILED, ROC_WHY_LOST, false);
	else if (status & (EVENT_STATUS_FETCH_ERROR | EVENT_STATUS_HOST_ERROR))
		roc_run_abort(s, ROC_CH_FAILED, ROC_WHY_CARD, true);
	return s->ch->state == ROC_CH_RUNNING;
}

static unsigned int roc_interrupts(struct roc_event *ev)
{
	unsigned int fired;

	spin_lock_irq(&ev->lock);
	fired = ev->fired;
	ev->fired = 0;
	spin_unlock_irq(&ev->lock);
	return fired;
}

/* How long the card may be silent: longer than its rate and moderation explain. */
static u64 roc_patience(struct roc_session *s)
{
	u64 interval = s->rate.interval, apart;

	if (!interval || !s->in_flight)
		return ROC_PATIENCE_MAX_NS;
	apart = max(interval,
		    min(interval * ROC_MODERATION_BATCH, ROC_MODERATION_US * (u64)NSEC_PER_USEC));
	return clamp(8 * apart, ROC_PATIENCE_MIN_NS, ROC_PATIENCE_MAX_NS);
}

/*
 * Nothing was found, though something may be wrong. No register is read while data flow, so a card
 * that went is found out by its silence.
 */
static bool roc_check_silence(struct roc_session *s, u64 now)
{
	u64 usual = clamp(2 * s->rate.gap, ROC_SILENCE_NS, ROC_SILENCE_MAX_NS);

	if (roc_event_skipped(&s->ch->event)) {
		roc_run_abort(s, ROC_CH_FAILED, ROC_WHY_RECORD, true);
		return false;
	}
	if (!s->in_flight || now - s->asked < usual)
		return true;
	s->asked = now;
	if (roc_alive(s->ch->ep))
		return true;
	roc_run_abort(s, ROC_CH_FAILED, ROC_WHY_LOST, false);
	return false;
}

/*
 * Interrupts that found nothing: but those that were on their way while somebody who was not told
 * took the records, a kick or the watchdog, told the truth.
 */
static void roc_count_spurious(struct roc_session *s, unsigned int fired, u64 now)
{
	u32 late = now - s->took < ROC_WATCH_NS ? min(fired, s->early) : 0;

	s->early = late ? s->early - late : 0;
	s->ch->stats.spurious_interrupts += fired - late;
}

/* The end of a turn in event mode: ns until the watchdog looks. */
static u64 roc_turn_event(struct roc_session *s, unsigned int fired, u32 found, u64 now)
{
	struct roc_channel *ch = s->ch;

	if (fired && !found)
		roc_count_spurious(s, fired, now);
	else if (found && !fired)
		roc_took_early(s, now);
	if (!fired && found && s->watch && now - s->watch >= ROC_WATCH_NS)
		ch->stats.missed_interrupts++;
	s->watch = 0;
	if (fired || found || !s->armed) {
		roc_moderate(s, now);
		roc_event_arm(ch);
		s->armed = true;
		s->heard = now;
		s->check = now + roc_patience(s);
	} else if (now >= s->check) {
		/* A lost write to the card looks like a card with nothing to say. */
		if (s->in_flight)
			roc_event_repeat(ch);
		roc_event_arm(ch);
		/* Ever more rarely: silence is what an idle card does. */
		s->check = now + clamp(now - s->heard, ROC_PATIENCE_MIN_NS, ROC_SILENCE_NS);
	}
	return s->check - now;
}

/*
 * The ready ring has no room, for a while or because the reader's index is nonsense: ns to sleep.
 * Who comes back after a pause gives superpages back, and is asked to say so.
 */
static u64 roc_blocked(struct roc_session *s, u64 now)
{
	if (s->blocked_at != s->rings.fill_cons || !s->blocked) {
		s->blocked_at = s->rings.fill_cons;
		s->blocked = now;
	}
	roc_ring_set_flags(&s->rings, ROC_RING_NEED_KICK, 0);
	smp_mb(); /* room that was made before is seen here, later the flag by the reader */
	if (roc_room(s))
		return 0;
	return clamp((now - s->blocked) / 8, ROC_BLOCKED_NS, ROC_BLOCKED_MAX_NS);
}

/* One turn: ns to sleep, U64_MAX = until woken. */
static u64 roc_turn(struct roc_session *s)
{
	struct roc_channel *ch = s->ch;
	bool event = ch->event.on && s->mode == ROC_MODE_EVENT && ch->event.vector >= 0;
	u64 now = ktime_get_ns(), end = now + ROC_TURN_NS, sleep;
	enum roc_look what = ROC_LOOK_DUE;
	unsigned int fired = 0;
	enum roc_refill refill;
	u32 found, total = 0;
	bool more;

	if (ch->state != ROC_CH_RUNNING || s->retired || !roc_check_doubt(s) ||
	    s->mode == ROC_MODE_BUSY)
		return U64_MAX;
	roc_point(ch->ep, ROC_POINT_TURN);
	ch->stats.turns++;
	roc_ring_set_flags(&s->rings, 0, ROC_RING_NEED_KICK);
	if (ch->event.on) {
		fired = roc_interrupts(&ch->event);
		ch->stats.interrupts += fired;
	}
	if (event && s->armed && !fired && !s->watch && now >= s->check &&
	    roc_event_next(&ch->event)) {
		/* There is something, and nobody said so: unless it is just being said. */
		s->watch = now;
		return ROC_WATCH_NS;
	}
	/* What the card and the reader finish meanwhile is not left lying while we sleep. */
	do {
		found = roc_look(s, now, what);
		if (ch->state != ROC_CH_RUNNING)
			return U64_MAX;
		roc_publish(s); /* the reader need not wait for the refill's register writes */
		refill = roc_refill(s, now);
		if (ch->state != ROC_CH_RUNNING)
			return U64_MAX;
		roc_publish(s);
		total += found;
		more = found || s->unfinished || refill == ROC_REFILL_MORE ||
		       (refill == ROC_REFILL_DONE && roc_ring_fill_count(&s->rings));
		what = ROC_LOOK_SHOWN;
		now = ktime_get_ns();
	} while (more && !ch->event.on && now < end);

	if (total)
		roc_rate_found(&s->rate, now, total);
	if (total || !s->asked)
		s->asked = now;
	if (ch->event.on && !total && !roc_check_silence(s, now))
		return U64_MAX;
	if (event)
		sleep = roc_turn_event(s, fired, total, now);
	else
		sleep = roc_tick(s, now);
	if (ch->event.on && !event)
		roc_event_make_room(ch);
	if (ch->event.on ? refill == ROC_REFILL_MORE : more)
		return 0;
	if (refill == ROC_REFILL_BLOCKED)
		return min(sleep, roc_blocked(s, now));
	s->blocked = 0;
	if (roc_may_run_dry(s, sleep) && roc_ring_arm_kick(&s->rings))
		return 0;
	return sleep;
}

static void roc_trace_sleep(struct roc_session *s, u64 ns)
{
	struct roc_channel *ch = s->ch;

	if (ns && ch->state == ROC_CH_RUNNING && trace_roc_sleep_enabled())
		trace_roc_sleep(ch->ep->minor, ch->number, ns,
				ch->event.on ? !!roc_event_next(&ch->event) : roc_shown(s),
				roc_waiting(s));
}

/* Sleep until kicked, or for @ns; U64_MAX: until kicked. */
static void roc_thread_rest(struct roc_session *s, u64 ns)
{
	ktime_t sleep = ns_to_ktime(ns);

	set_current_state(TASK_IDLE);
	if (READ_ONCE(s->kicked) || kthread_should_stop())
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

	while (!kthread_should_stop()) {
		roc_thread_rest(s, ns);
		if (ns == U64_MAX && !READ_ONCE(s->kicked))
			continue;
		WRITE_ONCE(s->kicked, false);
		smp_mb(); /* a kick after this is seen above, one before it by the turn */
		mutex_lock(&s->ch->lock);
		ns = roc_turn(s);
		roc_trace_sleep(s, ns);
		mutex_unlock(&s->ch->lock);
	}
	return 0;
}

/* Also from interrupts. */
void roc_run_kick(struct roc_session *s)
{
	struct task_struct *thread = READ_ONCE(s->thread);

	WRITE_ONCE(s->kicked, true);
	if (thread)
		wake_up_process(thread);
}

/* From now on. Channel lock held. */
int roc_run_mode(struct roc_session *s, enum roc_mode mode)
{
	if (mode == ROC_MODE_EVENT && !roc_session_events(s))
		return -EOPNOTSUPP;
	roc_session_mode(s, mode);
	s->armed = false;
	s->watch = 0;
	roc_run_kick(s);
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

	if (s->thread)
		return 0;
	thread = kthread_create_on_node(roc_thread, s, node, "roc/%d.%u", ep->minor, s->ch->number);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	roc_thread_place(thread, node);
	WRITE_ONCE(s->thread, thread);
	/* One that never ran counts as waiting for a disk: it is to idle, whatever the start does.
	 */
	wake_up_process(thread);
	return 0;
}
