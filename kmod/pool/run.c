// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and stop of a run, in good order and in bad: whatever ends it, the card is quiet, or its
 * memory stays pinned, and every superpage was handed back. Under the channel lock.
 */
#include <linux/delay.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "core/roc.h"
#include "core/trace.h"

/* How often to look for what a flush closes. */
#define ROC_FLUSH_TRY_US 500
#define ROC_FLUSH_TRIES 10
/* A card that takes its time to say how much it wrote is heard out for this long. */
#define ROC_FLUSH_NS 200000000ull

/* What outlives a run: the thread and the links' tables. */
static int roc_run_prepare(struct roc_session *s)
{
	struct roc_endpoint *ep = s->ch->ep;
	u32 room = max(ep->fifo_depth, s->ch->event.depth);
	unsigned int i;

	s->depth = roc_session_depth(s);
	s->flight_mask = roundup_pow_of_two(s->depth) - 1;
	for (i = 0; i < ep->ops->link_slots; i++) {
		if (s->link[i].flights)
			continue;
		s->link[i].flights = kvcalloc(roundup_pow_of_two(room), sizeof(struct roc_flight),
					      GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!s->link[i].flights)
			return -ENOMEM;
	}
	return roc_thread_create(s);
}

static void roc_setup_links(struct roc_session *s, u64 now)
{
	unsigned int slot;

	s->link_count = 0;
	s->next = 0;
	s->unfinished = false;
	for (slot = 0; slot < ROC_LINKS_MAX; slot++) {
		struct roc_link *link = &s->link[s->link_count];

		if (!(s->links & BIT(slot)))
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
		s->link_count++;
	}
}

int roc_run_start(struct roc_session *s)
{
	struct roc_channel *ch = s->ch;
	const struct roc_card_ops *ops = ch->ep->ops;
	u32 enabled;
	int err;

	if (ch->state == ROC_CH_RUNNING)
		return -EBUSY;
	if (!s->rings_ready)
		return -EPIPE;
	if (!roc_alive(ch->ep) || !roc_settle(ch, true))
		return -EIO;
	enabled = ops->enabled_links(ch);
	if (!enabled || s->links_wanted & ~enabled)
		return -ENOLINK;
	err = roc_run_prepare(s);
	if (err)
		return err;
	s->links = s->links_wanted ?: enabled;
	err = ops->start(ch, s->source, s->links);
	if (err) {
		roc_make_quiet(s, true);
		return err;
	}
	ch->empties = 0;
	s->run++;
	s->mark = get_random_u64();
	roc_rate_start(&s->rate, ktime_get_ns());
	s->armed = false;
	s->watch = 0;
	s->early = 0;
	s->asked = 0;
	s->doubt = false;
	roc_setup_links(s, ktime_get_ns());
	ch->why = ROC_WHY_NONE;
	roc_point(ch->ep, ROC_POINT_START_RUNNING);
	WRITE_ONCE(ch->state, ROC_CH_RUNNING);
	trace_roc_start(ch->ep->minor, ch->number, s->source, s->links);
	roc_ring_set_flags(&s->rings, 0, ROC_RING_STOPPED);
	roc_irqs_bind(ch, s);
	roc_refill(s, ktime_get_ns());
	roc_publish(s);
	roc_run_kick(s);
	return ch->state == ROC_CH_RUNNING ? 0 : -EIO;
}

static u32 roc_run_end(struct roc_session *s, enum roc_ch_state state, enum roc_why why,
		       bool present)
{
	struct roc_channel *ch = s->ch;
	u32 reclaimed;

	if (present)
		roc_count_empties(ch);
	roc_make_quiet(s, present);
	reclaimed = roc_reclaim(s, state == ROC_CH_FAILED ? why : ROC_WHY_STOPPED);
	WRITE_ONCE(ch->state, state);
	ch->why = state == ROC_CH_FAILED ? why : ROC_WHY_NONE;
	trace_roc_stop(ch->ep->minor, ch->number, why, reclaimed);
	roc_ring_set_flags(&s->rings, ROC_RING_STOPPED, ROC_RING_NEED_KICK);
	roc_publish(s);
	roc_session_wake(s);
	return reclaimed;
}

/* Only from now on may a card with events say that it has ended. */
static void roc_flush(struct roc_channel *ch)
{
	ch->event.flushed = true;
	ch->ep->ops->flush(ch);
}

int roc_run_stop(struct roc_session *s, u32 *reclaimed)
{
	struct roc_channel *ch = s->ch;
	unsigned int tries, limit, idle = 0;
	u64 end;

	if (ch->state != ROC_CH_RUNNING)
		return -EALREADY;
	roc_flush(ch);
	/* Looks in a row with nothing new, or nothing left to come: what the flush closed is in. */
	end = ktime_get_ns() + ROC_FLUSH_NS;
	limit = max(2u, ch->ep->ops->flush_us / ROC_FLUSH_TRY_US);
	if (ch->event.on)
		limit = 2 * EVENT_END_MS * USEC_PER_MSEC / ROC_FLUSH_TRY_US;
	for (tries = 0; tries < ROC_FLUSH_TRIES + limit && idle < limit; tries++) {
		if (tries)
			usleep_range(ROC_FLUSH_TRY_US, 2 * ROC_FLUSH_TRY_US);
		do {
			idle = roc_look(s, ktime_get_ns(), ROC_LOOK_ALL) ? 0 : idle + 1;
		} while (s->unfinished && ch->state == ROC_CH_RUNNING && ktime_get_ns() < end);
		if (ch->state != ROC_CH_RUNNING)
			return -EIO;
		if (s->unfinished || (ch->event.on ? ch->event.ended : !s->in_flight))
			break;
	}
	roc_point(ch->ep, ROC_POINT_STOP);
	*reclaimed = roc_run_end(s, ROC_CH_STOPPED, ROC_WHY_NONE, true);
	return 0;
}

/* End a run without the reader's help: a broken contract, the last close, removal. */
void roc_run_abort(struct roc_session *s, enum roc_ch_state state, enum roc_why why, bool present)
{
	if (s->ch->state != ROC_CH_RUNNING)
		return;
	if (present)
		roc_flush(s->ch);
	roc_run_end(s, state, why, present);
}
