// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run of a pool channel: set up card and links, complete superpages until the card has stopped, and
 * return every superpage. Channel lock held. See core/run.h.
 */
#include <linux/delay.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "pool/pool.h"

/* Polls for the superpages that a flush closes: interval, and number besides the idle ones. */
#define ROC_FLUSH_TRY_US 500
#define ROC_FLUSH_TRIES 10
/*
 * Longest wait for sizes that the card reports late. A superpage whose size is not known by then is
 * returned as reclaimed, so the limit allows for a busy machine.
 */
#define ROC_FLUSH_NS NSEC_PER_SEC
/* For the same reason, a card with events gets this multiple of the time limit for END. */
#define ROC_END_FACTOR 100

/*
 * Add to the channel's counter how often the card found an empty descriptor FIFO since the last
 * call. The channel must be running.
 */
void roc_pool_count_fifo_empty(struct roc_channel *ch)
{
	const struct roc_pool_ops *ops = roc_pool_ops(ch->ep);
	struct roc_pool *pool = roc_pool(ch);
	u32 fifo_empty_seen;

	if (!ops->fifo_empty)
		return;
	fifo_empty_seen = ops->fifo_empty(ch);
	if (!roc_alive(ch->ep))
		return;
	pool->stats.fifo_empty += fifo_empty_seen - pool->fifo_empty_seen;
	pool->fifo_empty_seen = fifo_empty_seen;
}

/* Allocate the tables of the links. They are kept until the channel is closed. */
static int roc_pool_alloc_flights(struct roc_pool_run *p)
{
	struct roc_endpoint *ep = p->ch->ep;
	u32 capacity = max(ep->fifo_depth, p->pool->event.depth);
	unsigned int i;

	p->depth = roc_pool_depth(p);
	p->flight_mask = roundup_pow_of_two(p->depth) - 1;
	for (i = 0; i < roc_pool_ops(ep)->link_slots; i++) {
		if (p->link[i].flights)
			continue;
		p->link[i].flights =
			kvcalloc(roundup_pow_of_two(capacity), sizeof(struct roc_flight),
				 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!p->link[i].flights)
			return -ENOMEM;
	}
	return 0;
}

static void roc_pool_setup_links(struct roc_pool_run *p, u64 now)
{
	unsigned int slot;

	p->link_count = 0;
	p->next = 0;
	p->unfinished = false;
	for (slot = 0; slot < ROC_LINKS_MAX; slot++) {
		struct roc_link *link = &p->link[p->link_count];

		if (!(p->links & BIT(slot)))
			continue;
		*link = (struct roc_link){.slot = slot, .flights = link->flights};
		roc_pace_start(&link->pace, now);
		roc_backoff_start(&link->backoff, now);
		p->link_count++;
	}
}

static int roc_pool_enable(struct roc_run *run)
{
	struct roc_pool_run *p = roc_pool_run(run);
	const struct roc_setting *set = &p->setting;
	const struct roc_pool_ops *ops = roc_pool_ops(p->ch->ep);
	u32 enabled = ops->enabled_links(p->ch);
	int err;

	if (!enabled || set->links & ~enabled)
		return -ENOLINK;
	p->links = set->links ?: enabled;
	err = roc_pool_alloc_flights(p) ?: roc_thread_create(p);
	if (err)
		return err;
	p->flushed = false;
	p->pool->event.ended = false;
	err = ops->start(p->ch, set->source, p->links, set->configure);
	if (err) {
		roc_quiesce(p->ch, true);
		return err;
	}
	p->pool->fifo_empty_seen = 0;
	p->sentinel = get_random_u64();
	p->thread.fired = 0;
	p->thread.watch = (struct roc_watch){};
	roc_rate_start(&p->rate, ktime_get_ns());
	roc_pool_setup_links(p, ktime_get_ns());
	return 0;
}

static enum roc_reason roc_pool_refusal(struct roc_pool_run *p)
{
	bool setup = xchg(&p->pool->event.refused, false);
	struct roc_endpoint *ep = p->ch->ep;

	if (!roc_alive(ep))
		return ROC_REASON_LOST;
	if (setup)
		return ROC_REASON_SETUP;
	return !READ_ONCE(p->ch->unquiesced) && roc_any_unquiesced(ep) ? ROC_REASON_NEIGHBOUR
								       : ROC_REASON_RESET;
}

/* A start failed: store the failure reason for the caller, and log it. */
static void roc_pool_start_failed(struct roc_run *run)
{
	static const char *const text[] = {
		[ROC_REASON_LOST] = "the card answers all ones",
		[ROC_REASON_SETUP] = "the card refused its rings (SETUP_ERROR)",
		[ROC_REASON_RESET] = "the channel did not complete its reset, or did not quiesce",
		[ROC_REASON_NEIGHBOUR] = "another channel of the function is not quiesced",
	};
	struct roc_channel *ch = run->open.ch;
	enum roc_reason reason;

	if (ch->state == ROC_CH_RUNNING)
		return;
	reason = roc_pool_refusal(roc_pool_run(run));
	roc_set_refused(ch, reason);
	dev_warn_ratelimited(&ch->ep->pdev->dev, "roc%dch%u: failed to start: %s\n", ch->ep->minor,
			     ch->number, text[reason]);
}

static enum roc_reason roc_pool_started(struct roc_run *run)
{
	struct roc_pool_run *p = roc_pool_run(run);
	const struct roc_pool_ops *ops = roc_pool_ops(p->ch->ep);
	enum roc_pool_refill left;
	enum roc_reason reason;

	reason = roc_pool_refill(p, ktime_get_ns(), &left);
	if (reason)
		return reason;
	if (ops->flow)
		ops->flow(p->ch, p->setting.source);
	roc_pool_publish(p);
	roc_pool_kick(p);
	return ROC_REASON_NONE;
}

static void roc_pool_flags(struct roc_run *run, u32 set, u32 clear)
{
	u32 on = set & ROC_RUN_GONE ? ROC_RING_GONE : 0;
	u32 off = clear & ROC_RUN_STOPPED ? ROC_RING_STOPPED : 0;

	if (set & ROC_RUN_STOPPED) {
		on |= ROC_RING_STOPPED;
		off |= ROC_RING_NEED_KICK;
	}
	roc_ring_set_flags(&roc_pool_run(run)->rings, on, off);
}

/* Flush the card once. A card with events may send END only after that. */
static void roc_pool_flush(struct roc_pool_run *p)
{
	if (p->flushed)
		return;
	p->flushed = true;
	roc_pool_ops(p->ch->ep)->flush(p->ch);
}

/* Consume all records up to END. Not 0: the card violated the protocol. */
static enum roc_reason roc_pool_drain_records(struct roc_pool_run *p)
{
	const u64 timeout = ROC_END_FACTOR * EVENT_END_MS * NSEC_PER_MSEC;
	const struct roc_event *ev = &p->pool->event;
	u64 now = ktime_get_ns(), end = now + timeout;
	enum roc_reason reason;
	u32 found;

	for (;;) {
		reason = roc_pool_find_finished(p, now, ROC_POLL_ALL, &found);
		if (reason || ev->ended)
			return reason;
		if (found)
			end = now + timeout;
		else if (roc_event_hole(ev))
			return ROC_REASON_RECORD;
		/* @now was read before the poll, so a record that it did not find came too late. */
		if (now >= end)
			return roc_alive(p->ch->ep) ? ROC_REASON_RECORD : ROC_REASON_LOST;
		fsleep(ROC_FLUSH_TRY_US);
		now = ktime_get_ns();
	}
}

/*
 * Complete what a flush closed, until several polls in a row find nothing, or no superpage is left
 * in the card. Not 0: the card violated the protocol.
 */
static enum roc_reason roc_pool_drain_flushed(struct roc_pool_run *p)
{
	unsigned int tries, limit, idle = 0;
	enum roc_reason reason;
	u32 found;
	u64 end;

	if (p->pool->event.on)
		return roc_pool_drain_records(p);
	end = ktime_get_ns() + ROC_FLUSH_NS;
	limit = max(2u, roc_pool_ops(p->ch->ep)->flush_us / ROC_FLUSH_TRY_US);
	for (tries = 0; tries < ROC_FLUSH_TRIES + limit && idle < limit; tries++) {
		if (tries)
			fsleep(ROC_FLUSH_TRY_US);
		do {
			reason = roc_pool_find_finished(p, ktime_get_ns(), ROC_POLL_ALL, &found);
			if (reason)
				return reason;
			idle = found ? 0 : idle + 1;
		} while (p->unfinished && ktime_get_ns() < end);
		/* The card has finished superpages whose sizes it does not report. */
		if (p->unfinished)
			return roc_alive(p->ch->ep) ? ROC_REASON_SIZE : ROC_REASON_LOST;
		if (!p->in_flight)
			break;
	}
	return ROC_REASON_NONE;
}

static enum roc_reason roc_pool_drain(struct roc_run *run, u32 flags)
{
	roc_pool_flush(roc_pool_run(run));
	return roc_pool_drain_flushed(roc_pool_run(run));
}

/* Host memory does not show whether the card is gone or has no data: read a register. */
static enum roc_reason roc_pool_check(struct roc_channel *ch)
{
	return roc_alive(ch->ep) ? ROC_REASON_NONE : ROC_REASON_LOST;
}

/* Access the card only if it is present. */
static bool roc_pool_quiesce(struct roc_run *run, enum roc_reason reason, bool present)
{
	struct roc_pool_run *p = roc_pool_run(run);

	if (!present || reason == ROC_REASON_LOST)
		return false;
	roc_pool_flush(p);
	/*
	 * After a reported error its finished superpages are still valid. The run ends in any case.
	 */
	if (reason == ROC_REASON_CARD)
		roc_pool_drain_flushed(p);
	roc_pool_count_fifo_empty(p->ch);
	return true;
}

static enum roc_reason roc_pool_finish(struct roc_run *run, enum roc_reason reason)
{
	bool failed = reason && reason != ROC_REASON_REMOVED;
	struct roc_pool_run *p = roc_pool_run(run);

	p->pool->event.on = false;
	p->reclaimed = roc_pool_reclaim(p, failed ? reason : ROC_REASON_STOPPED);
	/* A suspend completes what the card has finished, as a stop does. No data follow END. */
	if (failed && reason != ROC_REASON_SUSPENDED && !p->pool->event.ended)
		p->ch->stats.lost += p->reclaimed;
	/* Before the end becomes visible, so that a reader which sees it finds all entries. */
	roc_pool_publish(p);
	return ROC_REASON_NONE;
}

/* Number of entries in the ready ring, without the channel lock: a hint for waiters. */
u32 roc_pool_ready_now(struct roc_pool_run *p)
{
	u32 ready;

	/* Pairs with the release in roc_shared_commit(): the shared memory is set up. */
	if (!smp_load_acquire(&p->run.open.committed))
		return 0;
	ready = READ_ONCE(p->rings.kernel->ready_prod) - READ_ONCE(p->rings.user->ready_cons);
	return min(ready, p->rings.ready_entries);
}

/* A caller whose deadline has passed does not sleep, so it must not lower the wake threshold. */
static bool roc_pool_wait(struct roc_run *run, void *data, bool runs)
{
	struct roc_pool_run *p = roc_pool_run(run);
	const struct roc_ch_wait *arg = data;
	u32 published = READ_ONCE(p->rings.kernel->ready_prod), ready = roc_pool_ready_now(p);

	if (ready >= arg->min_ready)
		return true;
	if (arg->deadline > ktime_get_ns())
		roc_queue_threshold(&run->queue[0], published + arg->min_ready - ready);
	return false;
}

static void roc_pool_wait_result(struct roc_run *run, void *data)
{
	struct roc_ch_wait *arg = data;

	arg->ready = roc_pool_ready_now(roc_pool_run(run));
}

static void roc_pool_report(struct roc_run *run, void *data)
{
	struct roc_ch_control *arg = data;

	arg->count = roc_pool_run(run)->reclaimed;
}

static void roc_pool_opened(struct roc_run *run)
{
	struct roc_pool_run *p = roc_pool_run(run);

	p->ch = run->open.ch;
	p->pool = roc_pool(p->ch);
	p->pool->base = p->pool->stats;
	p->rings.bad_index = &p->ch->stats.bad_index;
}

const struct roc_run_ops roc_pool_run_ops = {
	.opened = roc_pool_opened,
	.closed = roc_thread_stop,
	.enable = roc_pool_enable,
	.start_failed = roc_pool_start_failed,
	.started = roc_pool_started,
	.flags = roc_pool_flags,
	.drain = roc_pool_drain,
	.check = roc_pool_check,
	.quiesce = roc_pool_quiesce,
	.finish = roc_pool_finish,
	.report = roc_pool_report,
	.wait = roc_pool_wait,
	.wait_result = roc_pool_wait_result,
};
