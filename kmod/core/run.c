// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and stop of a run, its interrupts and its watchdog, and waiting callers. See run.h.
 *
 * However a run ends, the card is quiesced, or its memory stays allocated. All runs end in
 * roc_run_end(), which needs the channel lock and takes time. A path that detects that the run must
 * end, but does not have that lock, calls roc_run_fail(), and the watchdog ends the run.
 */
#include "core/block.h"
#include "core/compat/compat.h"
#include "core/run.h"
#include "core/trace.h"

#define ROC_SILENT_MS 2000

void roc_run_fail(struct roc_run *run, enum roc_reason reason)
{
	lockdep_assert_held(&run->open.ch->run_lock);
	if (run->reason)
		return;
	run->reason = reason;
	mod_delayed_work(system_percpu_wq, &run->watchdog, 0);
}

/* Count an invalid index of the reader that the card reported, at most once a run. */
void roc_run_bad_index(struct roc_run *run)
{
	lockdep_assert_held(&run->open.ch->run_lock);
	run->open.ch->stats.bad_index += !run->bad_index_reported;
	run->bad_index_reported = true;
}

static void roc_run_flags(struct roc_run *run, u32 set, u32 clear)
{
	const struct roc_run_ops *ops = roc_run_ops(run);
	struct roc_run_page *page;

	if (!run->open.shared)
		return;
	if (ops->flags) {
		ops->flags(run, set, clear);
		return;
	}
	page = run->open.shared->area[ROC_AREA_KERNEL].cpu;
	WRITE_ONCE(page->run, run->number);
	WRITE_ONCE(page->flags, (page->flags & ~clear) | set);
}

/* Poll without waking callers of WAIT, for paths that request an interrupt first. */
static bool roc_run_scan(struct roc_run *run)
{
	const struct roc_run_ops *ops = roc_run_ops(run);

	lockdep_assert_held(&run->open.ch->run_lock);
	if (!roc_run_bound(run)) {
		if (ops->poll_stopped && run->open.shared)
			ops->poll_stopped(run);
		return false;
	}
	if (run->reason)
		return false;
	if (ops->poll)
		ops->poll(run);
	return !run->reason;
}

static void roc_run_wake(struct roc_run *run)
{
	unsigned int i;

	for (i = 0; i < roc_run_ops(run)->queues; i++)
		roc_queue_wake(run, &run->queue[i]);
}

/*
 * Whichever path observes new data wakes the callers of WAIT: the card sends no interrupt for data
 * that another reader has already consumed and returned to it.
 */
bool roc_run_poll(struct roc_run *run)
{
	bool runs = roc_run_scan(run);

	if (runs)
		roc_run_wake(run);
	return runs;
}

/* The condition for readable has changed: data that are already there may suffice now. */
void roc_run_readable(struct roc_run *run)
{
	if (roc_run_poll(run) && roc_run_ops(run)->readable(run))
		roc_queue_notify(run);
}

static void roc_run_request_next(struct roc_run *run)
{
	unsigned int i;

	for (i = 0; i < roc_run_ops(run)->queues; i++)
		roc_queue_request_next(run, &run->queue[i]);
}

/*
 * An error is pending and a caller waits for data that may never arrive: run the watchdog now, not
 * at its next tick. Only for a bound run, because close cancels the watchdog after it has unbound
 * the run.
 */
static void roc_run_kick_watchdog(struct roc_run *run)
{
	if (run->error_pending && !run->reason)
		mod_delayed_work(system_percpu_wq, &run->watchdog, 0);
}

void roc_run_settings(struct roc_run *run)
{
	run->changes = READ_ONCE(run->open.ch->changes);
	/*
	 * Pairs with roc_run_changed(). Settings that changed before are written to the card;
	 * roc_run_bind() detects later changes by their number.
	 */
	smp_rmb();
}

void roc_run_changed(struct roc_channel *ch)
{
	lockdep_assert_held(&ch->run_lock);
	smp_wmb(); /* pairs with roc_run_settings() */
	WRITE_ONCE(ch->changes, ch->changes + 1);
	if (ch->running)
		ch->type->run->moderate(ch->running);
}

/* queue_delayed_work() keeps an earlier time for which another path has scheduled the watchdog. */
static void roc_run_watch(struct roc_run *run)
{
	run->period = run->open.ch->vector[0] < 0 ? ROC_POLL_MS : ROC_WATCHDOG_MS;
	queue_delayed_work(system_percpu_wq, &run->watchdog, msecs_to_jiffies(run->period));
}

/* From here on, interrupts and the watchdog find the run. */
static void roc_run_bind(struct roc_run *run)
{
	struct roc_channel *ch = run->open.ch;
	unsigned int i;

	spin_lock_irq(&ch->run_lock);
	run->bad_index_reported = false;
	run->error_pending = false;
	run->query_missed = false;
	run->reason = ROC_REASON_NONE;
	ch->running = run;
	if (run->changes != ch->changes)
		roc_run_ops(run)->moderate(run);
	/* A caller already waits in poll(), or has set an eventfd, and makes no further call. */
	if (waitqueue_active(&run->open.wait) || READ_ONCE(run->open.eventfd))
		for (i = 0; i < roc_run_ops(run)->queues; i++)
			if (ch->vector[run->queue[i].purpose] >= 0)
				roc_queue_request_next(run, &run->queue[i]);
	spin_unlock_irq(&ch->run_lock);
}

static void roc_run_unbind(struct roc_run *run)
{
	struct roc_channel *ch = run->open.ch;

	spin_lock_irq(&ch->run_lock);
	roc_run_poll(run);
	ch->running = NULL;
	spin_unlock_irq(&ch->run_lock);
}

static int roc_run_enable_block(struct roc_run *run, u32 start, void *arg)
{
	const struct roc_run_ops *ops = roc_run_ops(run);
	struct roc_channel *ch = run->open.ch;
	u32 status;
	int err;

	err = ch->type->disable(ch);
	if (err)
		goto err_quiesce;
	err = ops->prepare ? ops->prepare(run, arg) : 0;
	if (err)
		return err;
	err = roc_bus_master_enable(ch);
	if (err)
		goto err_quiesce;
	ch->dma_configured = true;
	ops->begin(run, start);
	err = roc_block_enable(ch, ops->setup, start, &status);
	if (!err)
		return 0;

err_quiesce:
	roc_quiesce(ch, true);
	return err;
}

static int roc_run_enable(struct roc_run *run, u32 start, void *arg)
{
	const struct roc_run_ops *ops = roc_run_ops(run);
	struct roc_channel *ch = run->open.ch;

	lockdep_assert_held(&ch->lock);
	if (ch->state == ROC_CH_RUNNING)
		return -EBUSY;
	if (!run->open.committed)
		return -EPIPE;
	if (!roc_alive(ch->ep) || !roc_requiesce(ch, true))
		return -EIO;
	return ops->enable ? ops->enable(run) : roc_run_enable_block(run, start, arg);
}

/* The card was started. */
static int roc_run_begin(struct roc_run *run)
{
	const struct roc_run_ops *ops = roc_run_ops(run);
	struct roc_channel *ch = run->open.ch;
	enum roc_reason reason;

	run->number++;
	trace_roc_run_start(run, ROC_REASON_NONE);
	roc_run_bind(run);
	roc_point(ch->ep, ROC_POINT_START_RUNNING);
	roc_set_state(ch, ROC_CH_RUNNING, ROC_REASON_NONE);
	roc_run_flags(run, 0, ROC_RUN_STOPPED | ROC_RUN_FAILED);
	if (!ops->started) {
		roc_run_watch(run);
		return 0;
	}
	reason = ops->started(run);
	if (reason)
		roc_run_abort(run, reason);
	return reason ? -EIO : 0;
}

int roc_run_start(struct roc_run *run, u32 start, void *arg)
{
	int requiesced = roc_requiesce_all(run->open.ch->ep), err;

	if (requiesced && requiesced != -EIO)
		return requiesced;
	err = roc_open_lock(&run->open);
	if (err)
		return err;
	err = requiesced ?: roc_run_enable(run, start, arg);
	if (!err)
		err = roc_run_begin(run);
	else if (err == -EIO && roc_run_ops(run)->start_failed)
		roc_run_ops(run)->start_failed(run);
	mutex_unlock(&run->open.ch->lock);
	return err;
}

/*
 * End a run. What the card wrote until it was quiesced may still fail a run that was stopped
 * normally or by a suspend.
 */
static void roc_run_end(struct roc_run *run, enum roc_ch_state state, enum roc_reason reason,
			bool present)
{
	const struct roc_run_ops *ops = roc_run_ops(run);
	struct roc_channel *ch = run->open.ch;
	enum roc_reason found;

	present = ops->quiesce(run, reason, present);
	roc_run_unbind(run);
	roc_quiesce(ch, present);
	found = ops->finish(run, reason);
	if (found && (!reason || reason == ROC_REASON_SUSPENDED)) {
		state = ROC_CH_FAILED;
		reason = found;
	}
	roc_set_state(ch, state, reason);
	trace_roc_run_end(run, reason);
	roc_run_flags(run, ROC_RUN_STOPPED | (state == ROC_CH_FAILED ? ROC_RUN_FAILED : 0), 0);
	roc_point(ch->ep, ROC_POINT_ENDED);
	roc_open_wake(&run->open);
}

void roc_run_abort(struct roc_run *run, enum roc_reason reason)
{
	lockdep_assert_held(&run->open.ch->lock);
	if (run->open.ch->state == ROC_CH_RUNNING)
		roc_run_end(run, ROC_CH_FAILED, reason, true);
}

int roc_run_stop(struct roc_run *run, enum roc_reason reason, u32 flags, void *arg)
{
	const struct roc_run_ops *ops = roc_run_ops(run);
	struct roc_channel *ch = run->open.ch;
	enum roc_reason found;

	lockdep_assert_held(&ch->lock);
	if (ch->state != ROC_CH_RUNNING)
		return roc_stop_not_running(ch);
	found = ops->drain(run, flags);
	roc_point(ch->ep, ROC_POINT_STOP);
	/* The first fault is the reason, even if the card has been removed since. */
	found = READ_ONCE(run->reason) ?: found ?: ops->check(ch) ?: reason;
	roc_run_end(run, found ? ROC_CH_FAILED : ROC_CH_STOPPED, found, true);
	if (arg)
		ops->report(run, arg);
	/* If the card does not stop, it may still write: report that to the owner of the memory. */
	return ch->state == ROC_CH_FAILED || run->open.defer_free ? -EIO : 0;
}

static bool roc_run_tick_locked(struct roc_run *run)
{
	const struct roc_run_ops *ops = roc_run_ops(run);
	bool silent = false, query;
	unsigned int i;

	if (!roc_run_scan(run))
		return false;
	for (i = 0; i < ops->queues; i++) {
		roc_queue_tick(run, &run->queue[i]);
		silent |= run->queue[i].silent >= ROC_SILENT_MS;
	}
	for (i = 0; i < ops->queues && silent; i++)
		run->queue[i].silent = 0;
	if (ops->tick)
		ops->tick(run);
	roc_run_wake(run);
	query = silent || run->error_pending || run->query_missed;
	run->error_pending = false;
	return query;
}

/*
 * One tick of the watchdog. Query a card that has been silent for long, or that reported an error.
 * This does not depend on waiters: a reader that only polls memory may wait for data that the card
 * omitted. Inside the SRCU read side. Return: false if the run is over, or must be ended.
 */
static bool roc_run_tick(struct roc_run *run)
{
	struct roc_channel *ch = run->open.ch;
	bool runs, query;

	spin_lock_irq(&ch->run_lock);
	query = roc_run_tick_locked(run);
	spin_unlock_irq(&ch->run_lock);
	/* The channel lock excludes a start or stop of the run meanwhile. */
	if (query && mutex_trylock(&ch->lock)) {
		if (READ_ONCE(ch->running) == run)
			roc_run_ops(run)->query(run);
		mutex_unlock(&ch->lock);
		query = false;
	}
	spin_lock_irq(&ch->run_lock);
	run->query_missed = query; /* another call has the lock: query at the next tick */
	runs = roc_run_bound(run) && !run->reason;
	spin_unlock_irq(&ch->run_lock);
	return runs;
}

static void roc_run_watchdog(struct work_struct *work)
{
	struct roc_run *run = container_of(to_delayed_work(work), struct roc_run, watchdog);
	struct roc_channel *ch = run->open.ch;
	int idx;

	if (!roc_enter(ch->ep, run->open.epoch, &idx))
		return;
	roc_point(ch->ep, ROC_POINT_TURN);
	if (roc_run_tick(run)) {
		roc_run_watch(run);
	} else {
		mutex_lock(&ch->lock);
		if (ch->open == &run->open && run->reason)
			roc_run_abort(run, run->reason);
		mutex_unlock(&ch->lock);
	}
	roc_leave(ch->ep, idx);
}

/*
 * Only a separate vector reports an error of this channel. A shared one also serves the function
 * block, which reports errors itself.
 */
static void roc_run_error(struct roc_run *run, unsigned int purpose, bool shared)
{
	struct roc_channel *ch = run->open.ch;

	if (shared)
		return;
	ch->stats.interrupts++;
	ch->stats.purpose[purpose]++;
	run->error_pending = true;
	roc_run_kick_watchdog(run);
}

void roc_run_irq(struct roc_channel *ch, u32 purposes, bool shared)
{
	struct roc_run *run;
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&ch->run_lock, flags);
	run = ch->running;
	if (run && roc_run_scan(run)) {
		for (i = 0; i < ch->type->purposes; i++) {
			if (!(purposes & BIT(i)))
				continue;
			if (i < roc_run_ops(run)->queues)
				roc_queue_interrupt(run, &run->queue[i], shared);
			else
				roc_run_error(run, i, shared);
		}
		roc_run_wake(run);
	}
	spin_unlock_irqrestore(&ch->run_lock, flags);
}

/* The function block reports an error of some channel. */
void roc_run_handle_error(struct roc_open *o)
{
	struct roc_run *run = roc_run(o);

	lockdep_assert_held(&o->ch->lock);
	if (o->ch->state == ROC_CH_RUNNING)
		roc_run_ops(run)->query(run);
}

/*
 * While a run ends it is unbound, and what the card wrote last is not polled yet: roc_run_end()
 * wakes all waiters.
 */
static bool roc_run_wait_over(struct roc_run *run, u32 number, void *arg)
{
	struct roc_channel *ch = run->open.ch;
	bool runs, over;

	/* Another run may have begun before this waiter was scheduled. */
	if (roc_stale(&run->open) || roc_state(ch) != ROC_CH_RUNNING ||
	    READ_ONCE(run->number) != number)
		return true;
	spin_lock_irq(&ch->run_lock);
	runs = roc_run_poll(run);
	if (runs)
		roc_run_kick_watchdog(run);
	over = roc_run_ops(run)->wait(run, arg, runs);
	spin_unlock_irq(&ch->run_lock);
	return over;
}

int roc_run_wait(struct roc_run *run, u64 deadline, void *arg)
{
	const struct roc_run_ops *ops = roc_run_ops(run);
	struct roc_channel *ch = run->open.ch;
	u32 number = READ_ONCE(run->number);
	bool never_met;
	u64 now;
	int err;

	/* Pairs with the release in roc_shared_commit(): the shared memory is set up. */
	if (!smp_load_acquire(&run->open.committed))
		return -EPIPE;
	spin_lock_irq(&ch->run_lock);
	never_met = roc_run_poll(run) && ops->never_met && ops->never_met(run, arg);
	spin_unlock_irq(&ch->run_lock);
	if (never_met)
		return -EINVAL;
	now = ktime_get_ns();
	if (deadline > now)
		err = wait_event_interruptible_hrtimeout(
			run->open.batch, roc_run_wait_over(run, number, arg),
			ns_to_ktime(min_t(u64, deadline - now, KTIME_MAX)));
	else
		err = roc_run_wait_over(run, number, arg) ? 0 : -ETIME;
	if (err == -ERESTARTSYS)
		return -ERESTARTNOHAND; /* see roc_ioctl_dispatch() */
	spin_lock_irq(&ch->run_lock);
	ops->wait_result(run, arg);
	spin_unlock_irq(&ch->run_lock);
	return roc_stale(&run->open) ? -ENODEV : err;
}

/*
 * A caller that finds nothing is about to sleep, and an edge-triggered caller makes no further call
 * after it has consumed its data: request an interrupt for both. Registers are accessible only
 * inside the SRCU read side.
 */
__poll_t roc_run_poll_events(struct roc_open *o, poll_table *pt)
{
	struct roc_run *run = roc_run(o);
	bool readable, runs;
	int idx;

	/* Pairs with the release in roc_shared_commit(): the shared memory is set up. */
	if (!smp_load_acquire(&o->committed))
		return 0;
	if (!roc_enter(o->ch->ep, o->epoch, &idx))
		return 0;
	spin_lock_irq(&o->ch->run_lock);
	if (poll_requested_events(pt) & EPOLLET)
		run->edge = true;
	runs = roc_run_poll(run);
	readable = roc_run_ops(run)->readable(run);
	if (runs) {
		roc_run_kick_watchdog(run);
		if (!readable || run->edge)
			roc_run_request_next(run);
		else if (roc_run_ops(run)->report_space)
			roc_run_ops(run)->report_space(run);
	}
	spin_unlock_irq(&o->ch->run_lock);
	roc_leave(o->ch->ep, idx);
	return readable ? EPOLLIN | EPOLLRDNORM : 0;
}

/* Signal data that are already there, because no more may arrive. */
void roc_run_eventfd_set(struct roc_open *o)
{
	struct roc_run *run = roc_run(o);

	spin_lock_irq(&o->ch->run_lock);
	if (roc_run_poll(run)) {
		if (roc_run_ops(run)->readable(run))
			roc_open_signal(o);
		roc_run_request_next(run);
	}
	spin_unlock_irq(&o->ch->run_lock);
}

void roc_run_open(struct roc_open *o)
{
	struct roc_run *run = roc_run(o);

	INIT_DELAYED_WORK(&run->watchdog, roc_run_watchdog);
	if (roc_run_ops(run)->opened)
		roc_run_ops(run)->opened(run);
}

void roc_run_share(struct roc_open *o, struct roc_shared_memory *shared)
{
	spin_lock_irq(&o->ch->run_lock);
	o->shared = shared;
	spin_unlock_irq(&o->ch->run_lock);
	roc_run_flags(roc_run(o), ROC_RUN_STOPPED, 0);
}

void roc_run_retire(struct roc_open *o, bool present)
{
	if (o->ch->state == ROC_CH_RUNNING)
		roc_run_end(roc_run(o), ROC_CH_STOPPED, ROC_REASON_REMOVED, present);
}

void roc_run_suspend(struct roc_open *o)
{
	roc_run_stop(roc_run(o), ROC_REASON_SUSPENDED, 0, NULL);
}

void roc_run_gone(struct roc_open *o)
{
	roc_run_flags(roc_run(o), ROC_RUN_GONE, 0);
}

void roc_run_close(struct roc_open *o)
{
	struct roc_run *run = roc_run(o);

	cancel_delayed_work_sync(&run->watchdog);
	if (roc_run_ops(run)->closed)
		roc_run_ops(run)->closed(run);
}
