// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and stop of a run, in good order and in bad: whatever ends it, the card is quiet, or its
 * memory stays pinned, and every superpage was handed back. A run ends here and nowhere else: who
 * finds out that it has to returns why. Under the channel lock.
 */
#include <linux/delay.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "core/trace.h"
#include "pool/pool.h"

/* How often to look for what a flush closes. */
#define ROC_FLUSH_TRY_US 500
#define ROC_FLUSH_TRIES 10
/*
 * A card that takes its time to say how much it wrote is heard out for this long: a second, since
 * what is not asked for by then comes back as reclaimed, and the machine may be a crowded one.
 */
#define ROC_FLUSH_NS NSEC_PER_SEC
/* For the same reason a card with events gets so many times what END may take. */
#define ROC_END_PATIENCE 100

/* Look at the card in the way that it has. Not 0: it broke its contract; *@found is good. */
enum roc_why roc_look(struct roc_pool_run *p, u64 now, enum roc_look what, u32 *found)
{
	p->pool->stats.looks++;
	return p->pool->event.on ? roc_drain(p, now, found) : roc_look_plain(p, now, what, found);
}

/*
 * Superpages the card had none of, in this run: what is new since the last call goes to the
 * channel's counters. The channel runs.
 */
void roc_count_empties(struct roc_channel *ch)
{
	const struct roc_pool_ops *ops = roc_pool_ops(ch->ep);
	struct roc_pool *pool = roc_pool(ch);
	u32 empties;

	if (!ops->fifo_empty)
		return;
	empties = ops->fifo_empty(ch);
	if (!roc_alive(ch->ep))
		return;
	pool->stats.fifo_empty += empties - pool->empties;
	pool->empties = empties;
}

/* The links' tables, which outlive a run. */
static int roc_alloc_flights(struct roc_pool_run *p)
{
	struct roc_endpoint *ep = p->ch->ep;
	u32 room = max(ep->fifo_depth, p->pool->event.depth);
	unsigned int i;

	p->depth = roc_pool_depth(p);
	p->flight_mask = roundup_pow_of_two(p->depth) - 1;
	for (i = 0; i < roc_pool_ops(ep)->link_slots; i++) {
		if (p->link[i].flights)
			continue;
		p->link[i].flights = kvcalloc(roundup_pow_of_two(room), sizeof(struct roc_flight),
					      GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!p->link[i].flights)
			return -ENOMEM;
	}
	return 0;
}

static void roc_setup_links(struct roc_pool_run *p, u64 now)
{
	unsigned int slot;

	p->link_count = 0;
	p->next = 0;
	p->unfinished = false;
	for (slot = 0; slot < ROC_LINKS_MAX; slot++) {
		struct roc_link *link = &p->link[p->link_count];

		if (!(p->links & BIT(slot)))
			continue;
		link->slot = slot;
		link->head = 0;
		link->tail = 0;
		link->found = 0;
		link->busy = 0;
		link->unproved = 0;
		link->pending = false;
		link->untold = 0;
		roc_pace_start(&link->pace, now);
		roc_doubt_start(&link->doubt, now);
		p->link_count++;
	}
}

/* Whatever can be wrong with a start before the card is touched. */
int roc_pool_prepare(struct roc_pool_run *p)
{
	struct roc_channel *ch = p->ch;
	u32 enabled;

	if (ch->state == ROC_CH_RUNNING)
		return -EBUSY;
	if (!p->run.open.committed)
		return -EPIPE;
	if (!roc_alive(ch->ep) || !roc_settle(ch, true))
		return -EIO;
	enabled = roc_pool_ops(ch->ep)->enabled_links(ch);
	if (!enabled || p->setting.links & ~enabled)
		return -ENOLINK;
	p->links = p->setting.links ?: enabled;
	return roc_alloc_flights(p);
}

/* The card writes no more, or its memory is kept; the thread is not woken by it any more. */
static void roc_pool_quiet(struct roc_pool_run *p, bool present)
{
	roc_event_bind(p->ch, NULL);
	roc_make_quiet(p->ch, present);
	p->pool->event.on = false;
}

static enum roc_why roc_refusal(const struct roc_pool_run *p)
{
	struct roc_endpoint *ep = p->ch->ep;

	if (!roc_alive(ep))
		return ROC_WHY_LOST;
	if (p->pool->event.refused)
		return ROC_WHY_SETUP;
	return !READ_ONCE(p->ch->suspect) && roc_suspects(ep) ? ROC_WHY_NEIGHBOUR : ROC_WHY_RESET;
}

/* A start ends with -EIO: keep the reason for the caller, and log it. */
void roc_start_refused(struct roc_pool_run *p)
{
	static const char *const text[] = {
		[ROC_WHY_LOST] = "the card answers all ones",
		[ROC_WHY_SETUP] = "the card refused its rings (SETUP_ERROR)",
		[ROC_WHY_RESET] = "the channel did not carry out its reset, or did not quiesce",
		[ROC_WHY_NEIGHBOUR] = "another channel of the function is not quiesced",
	};
	struct roc_channel *ch = p->ch;
	enum roc_why why;

	lockdep_assert_held(&ch->lock);
	if (ch->state == ROC_CH_RUNNING)
		return;
	why = roc_refusal(p);
	roc_set_refused(ch, why);
	dev_warn_ratelimited(&ch->ep->pdev->dev, "roc%dch%u: cannot start: %s\n", ch->ep->minor,
			     ch->number, text[why]);
}

/* Prepared, and the thread is there. */
int roc_pool_start(struct roc_pool_run *p)
{
	const struct roc_setting *set = &p->setting;
	struct roc_channel *ch = p->ch;
	enum roc_refill left;
	enum roc_why why;
	int err;

	err = roc_pool_ops(ch->ep)->start(ch, set->source, p->links, set->configure);
	if (err) {
		roc_pool_quiet(p, true);
		if (err == -EIO)
			roc_start_refused(p);
		return err;
	}
	p->pool->empties = 0;
	p->run.number++;
	p->mark = get_random_u64();
	roc_rate_start(&p->rate, ktime_get_ns());
	p->thread.watch = (struct roc_watch){};
	roc_setup_links(p, ktime_get_ns());
	roc_point(ch->ep, ROC_POINT_START_RUNNING);
	roc_set_state(ch, ROC_CH_RUNNING, ROC_WHY_NONE);
	trace_roc_start(ch, set->source, p->links);
	roc_ring_set_flags(&p->rings, 0, ROC_RING_STOPPED);
	roc_event_bind(ch, p);
	why = roc_refill(p, ktime_get_ns(), &left);
	if (why) {
		roc_pool_fail(p, why);
		return -EIO;
	}
	if (roc_pool_ops(ch->ep)->flow)
		roc_pool_ops(ch->ep)->flow(ch, set->source);
	roc_publish(p);
	roc_kick(p);
	return 0;
}

static u32 roc_pool_end(struct roc_pool_run *p, enum roc_ch_state state, enum roc_why why,
			bool present)
{
	const struct roc_event *ev = &p->pool->event;
	bool empty = ev->on && ev->ended; /* the END: what is left has no byte */
	struct roc_channel *ch = p->ch;
	u32 reclaimed;

	if (present)
		roc_count_empties(ch);
	roc_pool_quiet(p, present);
	reclaimed = roc_reclaim(p, state == ROC_CH_FAILED ? why : ROC_WHY_STOPPED);
	/* A suspend takes all that the card has finished, as a stop does. */
	if (state == ROC_CH_FAILED && why != ROC_WHY_SUSPENDED && !empty)
		ch->stats.lost += reclaimed;
	/* Before the end is told: whoever sees that and finds nothing more may believe it. */
	roc_publish(p);
	roc_set_state(ch, state, why);
	trace_roc_stop(ch, why, reclaimed);
	roc_ring_set_flags(&p->rings, ROC_RING_STOPPED, ROC_RING_NEED_KICK);
	roc_point(ch->ep, ROC_POINT_ENDED);
	roc_open_wake(&p->run.open);
	return reclaimed;
}

/* Only from now on may a card with events say that it has ended. */
static void roc_flush(struct roc_pool_run *p)
{
	p->pool->event.flushed = true;
	roc_pool_ops(p->ch->ep)->flush(p->ch);
}

/* Take all records up to the END. Not 0: the card broke its contract. */
static enum roc_why roc_take_to_end(struct roc_pool_run *p)
{
	const u64 patience = ROC_END_PATIENCE * EVENT_END_MS * NSEC_PER_MSEC;
	const struct roc_event *ev = &p->pool->event;
	u64 now = ktime_get_ns(), end = now + patience;
	enum roc_why why;
	u32 found;

	for (;;) {
		why = roc_look(p, now, ROC_LOOK_ALL, &found);
		if (why || ev->ended)
			return why;
		if (found)
			end = now + patience;
		else if (roc_event_hole(ev))
			return ROC_WHY_RECORD;
		/* Of the time before the look: what was not there then did not come in time. */
		if (now >= end)
			return roc_alive(p->ch->ep) ? ROC_WHY_RECORD : ROC_WHY_LOST;
		fsleep(ROC_FLUSH_TRY_US);
		now = ktime_get_ns();
	}
}

/*
 * Take what a flush closed: looks in a row with nothing new, or nothing left to come. Not 0: the
 * card broke its contract.
 */
static enum roc_why roc_take_flushed(struct roc_pool_run *p)
{
	unsigned int tries, limit, idle = 0;
	enum roc_why why;
	u32 found;
	u64 end;

	if (p->pool->event.on)
		return roc_take_to_end(p);
	end = ktime_get_ns() + ROC_FLUSH_NS;
	limit = max(2u, roc_pool_ops(p->ch->ep)->flush_us / ROC_FLUSH_TRY_US);
	for (tries = 0; tries < ROC_FLUSH_TRIES + limit && idle < limit; tries++) {
		if (tries)
			fsleep(ROC_FLUSH_TRY_US);
		do {
			why = roc_look(p, ktime_get_ns(), ROC_LOOK_ALL, &found);
			if (why)
				return why;
			idle = found ? 0 : idle + 1;
		} while (p->unfinished && ktime_get_ns() < end);
		/* The card has finished superpages whose sizes it does not say. */
		if (p->unfinished)
			return roc_alive(p->ch->ep) ? ROC_WHY_SIZE : ROC_WHY_LOST;
		if (!p->in_flight)
			break;
	}
	return ROC_WHY_NONE;
}

/* In good order. @reason: NONE if its reader asked for it. */
int roc_pool_stop(struct roc_pool_run *p, enum roc_why reason, u32 *reclaimed)
{
	struct roc_channel *ch = p->ch;
	enum roc_why why;

	if (ch->state != ROC_CH_RUNNING)
		return roc_stopped_already(ch);
	roc_flush(p);
	why = roc_take_flushed(p);
	roc_point(ch->ep, ROC_POINT_STOP);
	if (why) {
		roc_pool_fail(p, why);
		return -EIO;
	}
	/* In memory a card that has gone looks like one that has nothing to say. */
	if (!roc_alive(ch->ep)) {
		roc_pool_fail(p, ROC_WHY_LOST);
		return -EIO;
	}
	*reclaimed = roc_pool_end(p, reason ? ROC_CH_FAILED : ROC_CH_STOPPED, reason, true);
	/* It may still write: whoever has its superpages back must know. */
	return p->run.open.leak ? -EIO : 0;
}

/* End a run without the reader's help: the last close, removal, a broken contract. */
void roc_pool_abort(struct roc_pool_run *p, enum roc_ch_state state, enum roc_why why, bool present)
{
	if (p->ch->state != ROC_CH_RUNNING)
		return;
	if (present)
		roc_flush(p);
	roc_pool_end(p, state, why, present);
}

/*
 * The card broke its contract, or says that something is wrong. One that is not there is not
 * touched.
 */
void roc_pool_fail(struct roc_pool_run *p, enum roc_why why)
{
	if (p->ch->state != ROC_CH_RUNNING)
		return;
	if (why != ROC_WHY_LOST)
		roc_flush(p);
	/* What it has is good, and it still tells of it. Whatever goes wrong with that: it ends. */
	if (why == ROC_WHY_CARD)
		roc_take_flushed(p);
	roc_pool_end(p, ROC_CH_FAILED, why, why != ROC_WHY_LOST);
}
