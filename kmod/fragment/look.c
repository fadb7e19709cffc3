// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looking how far the card is, and telling who sleeps.
 *
 * All that is looked at is in host memory. Interrupts come when somebody asked for one, of each
 * lane by itself; whoever looks and finds too little asks, with one register write. Everything
 * under sub->lock, which the interrupts take.
 */
#include <linux/eventfd.h>
#include <linux/math64.h>

#include "fragment/fragment.h"

#define ROC_SILENT_MS 2000

/* The run has to end; that takes locks and time, so the watchdog does it. */
static void roc_fragment_broken(struct roc_holder *h, enum roc_why why)
{
	if (h->why)
		return;
	h->why = why;
	mod_delayed_work(system_percpu_wq, &h->watch, 0);
}

/* The reader's counts are his own affair: one that cannot be does not count, and he is told. */
static void roc_fragment_look_now(struct roc_holder *h)
{
	struct roc_sub *sub = roc_sub(h->open.ch);
	unsigned int i;

	for (i = 0; i < ROC_LANES; i++) {
		u32 taken = roc_sub_lane_taken(h, i);

		/* While we were held up both may have gone on by more than a lap: no lie. */
		if (!roc_count_look(&h->lane[i].count, taken) &&
		    roc_sub_lane_taken(h, i) == taken) {
			h->bad = true;
			sub->stats.bad_index++;
		}
		/* An entry is missing: the watchdog reads the card's counts. */
		if (roc_count_next(&h->lane[i].count, taken) != h->lane[i].count.known)
			h->doubt = true;
	}
}

/* Only while it runs. False: it does not, or not for long any more. */
bool roc_fragment_look(struct roc_holder *h)
{
	if (roc_sub(h->open.ch)->holder != h || h->why)
		return false;
	roc_fragment_look_now(h);
	return true;
}

/*
 * A waiter has reported its position, and stands before an entry that never came: it must not be
 * woken for nothing until the watchdog's next turn.
 */
void roc_fragment_hasten(struct roc_holder *h)
{
	if (h->doubt && !h->why)
		mod_delayed_work(system_percpu_wq, &h->watch, 0);
}

/* Is there something for who polls? */
bool roc_fragment_readable(struct roc_holder *h)
{
	unsigned int i;

	for (i = 0; i < ROC_LANES; i++)
		if (roc_count_fresh(&h->lane[i].count, roc_sub_lane_taken(h, i)))
			return true;
	return false;
}

/* Wake those for whom it is enough. */
static void roc_fragment_tell(struct roc_holder *h, unsigned int lane, bool readable)
{
	struct roc_sub *sub = roc_sub(h->open.ch);
	struct roc_sub_lane *l = &h->lane[lane];
	struct roc_open *o = &h->open;

	if (l->wanting && roc_count_reached(&l->count, l->want)) {
		l->wanting = false;
		sub->stats.wakes++;
		wake_up_all(&o->batch);
	}
	if (!readable)
		return;
	if (waitqueue_active(&o->wait)) {
		sub->stats.wakes++;
		wake_up_all(&o->wait);
	}
	roc_open_signal(o);
}

/* The card is asked anew: who waits for what it had to tell before will not hear of that. */
static void roc_fragment_tell_due(struct roc_holder *h, unsigned int lane)
{
	const struct roc_sub_lane *l = &h->lane[lane];

	if (l->armed && roc_count_fresh(&l->count, l->seen))
		roc_fragment_tell(h, lane, roc_fragment_readable(h));
}

/*
 * Ask for more than @seen. Who has asked for less already, and for something that has not come yet,
 * has asked for this, too.
 */
static void roc_fragment_ask_for(struct roc_holder *h, unsigned int lane, u32 seen)
{
	const struct roc_sub_lane *l = &h->lane[lane];

	if (l->armed && roc_count_ahead(l->seen, seen) <= 0 && !roc_count_fresh(&l->count, l->seen))
		return;
	roc_fragment_arm(h, lane, seen);
}

/* Somebody is going to sleep until there is more than what is there. */
void roc_fragment_attend(struct roc_holder *h, unsigned int lane)
{
	roc_fragment_tell_due(h, lane);
	roc_fragment_ask_for(h, lane, h->lane[lane].count.known);
}

/* Who polls for edges or has an eventfd does not come back by himself. */
static bool roc_fragment_listens(struct roc_holder *h, bool readable)
{
	struct roc_open *o = &h->open;

	return READ_ONCE(o->eventfd) || (waitqueue_active(&o->wait) && (h->edge || !readable));
}

/* For the next that somebody has to hear of. */
static void roc_fragment_ask_again(struct roc_holder *h, unsigned int lane, bool readable)
{
	const struct roc_sub_lane *l = &h->lane[lane];

	if (roc_fragment_listens(h, readable))
		roc_fragment_ask_for(h, lane, l->count.known);
	else if (l->wanting)
		roc_fragment_ask_for(h, lane, l->want - 1);
}

/* There is something new: wake those for whom it is enough, and ask again for the others. */
static void roc_fragment_serve(struct roc_holder *h, unsigned int lane)
{
	bool readable = roc_fragment_readable(h);

	roc_fragment_tell(h, lane, readable);
	roc_fragment_ask_again(h, lane, readable);
}

/* Somebody is going to sleep until there are @want, which there are not. */
void roc_fragment_want(struct roc_holder *h, unsigned int lane, u32 want)
{
	struct roc_sub_lane *l = &h->lane[lane];

	roc_fragment_tell_due(h, lane);
	if (!l->wanting || roc_count_ahead(want, l->want) < 0)
		l->want = want;
	l->wanting = true;
	roc_fragment_ask_again(h, lane, roc_fragment_readable(h));
}

/*
 * A hint, and nothing else: none, one too many, or one for nothing is no harm. One that was asked
 * for before somebody looked by himself, and asked anew, may come late.
 */
static void roc_fragment_interrupt(struct roc_holder *h, unsigned int lane, bool shared)
{
	struct roc_channel *ch = h->open.ch;
	struct roc_sub_lane *l = &h->lane[lane];
	bool fresh = roc_count_fresh(&l->count, l->seen);

	if (shared && !(fresh && l->armed))
		return;
	ch->stats.interrupts++;
	roc_sub(ch)->stats.told[lane]++;
	l->overdue = 0;
	if (fresh) {
		l->armed = false;
		roc_fragment_serve(h, lane);
	} else if (l->late) {
		l->late = false;
	} else {
		ch->stats.spurious_interrupts++;
	}
}

/* Only a vector of its own says so; what shares one hears it from the function, and by looking. */
static void roc_fragment_error(struct roc_holder *h, bool shared)
{
	if (shared)
		return;
	h->open.ch->stats.interrupts++;
	roc_sub(h->open.ch)->stats.told[ROC_FRAGMENT_ERROR]++;
	h->doubt = true;
	mod_delayed_work(system_percpu_wq, &h->watch, 0);
}

void roc_fragment_irq(struct roc_channel *ch, u32 purposes, bool shared)
{
	struct roc_sub *sub = roc_sub(ch);
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&sub->lock, flags);
	if (sub->holder && roc_fragment_look(sub->holder)) {
		for (i = 0; i < ROC_LANES; i++)
			if (purposes & BIT(i))
				roc_fragment_interrupt(sub->holder, i, shared);
		if (purposes & BIT(ROC_FRAGMENT_ERROR))
			roc_fragment_error(sub->holder, shared);
	}
	spin_unlock_irqrestore(&sub->lock, flags);
}

/* An entry was to be told of, and for long no interrupt did. */
static bool roc_fragment_overdue(const struct roc_holder *h, unsigned int lane)
{
	const struct roc_sub *sub = roc_sub(h->open.ch);
	u64 allowed = READ_ONCE(sub->settings.time[lane]);

	return h->lane[lane].overdue >= 2 + div_u64(allowed, ROC_FRAGMENT_WATCH_MS * NSEC_PER_MSEC);
}

static void roc_fragment_tick_lane(struct roc_holder *h, unsigned int lane)
{
	struct roc_channel *ch = h->open.ch;
	struct roc_sub_lane *l = &h->lane[lane];
	bool moved = l->count.known != l->last;

	l->last = l->count.known;
	l->silent = moved ? 0 : l->silent + h->period;
	if (ch->vector[lane] < 0) {
		if (moved)
			roc_fragment_serve(h, lane);
		return;
	}
	if (!moved)
		l->late = false;
	if (l->armed && roc_count_fresh(&l->count, l->seen))
		l->overdue++;
	else
		l->overdue = 0;
	if (roc_fragment_overdue(h, lane)) {
		ch->stats.missed_interrupts++;
		l->armed = false;
		l->overdue = 0;
		roc_fragment_serve(h, lane);
	} else if (!l->armed && roc_fragment_listens(h, roc_fragment_readable(h))) {
		roc_fragment_attend(h, lane);
	}
}

/* Somebody sleeps until there is more of it. */
static bool roc_fragment_awaited(struct roc_holder *h, unsigned int lane)
{
	const struct roc_sub_lane *l = &h->lane[lane];

	return l->armed || l->wanting || roc_fragment_listens(h, roc_fragment_readable(h));
}

/*
 * Did no entry come in one of the lanes for long? Then the time begins anew. This does not depend
 * on sleepers: a reader that only polls memory waits for an entry that the card left out, too.
 */
static bool roc_fragment_silent(struct roc_holder *h)
{
	bool silent = false;
	unsigned int i;

	for (i = 0; i < ROC_LANES; i++)
		silent |= h->lane[i].silent >= ROC_SILENT_MS;
	for (i = 0; i < ROC_LANES && silent; i++)
		h->lane[i].silent = 0;
	return silent;
}

/*
 * The watchdog's look, for lost interrupts and for cards without. True: the card had better be
 * asked, for it is silent, or it told of something.
 */
static bool roc_fragment_tick_now(struct roc_holder *h)
{
	unsigned int i;
	bool doubt;

	if (!roc_fragment_look(h))
		return false;
	for (i = 0; i < ROC_LANES; i++)
		roc_fragment_tick_lane(h, i);
	doubt = h->doubt;
	h->doubt = false;
	return roc_fragment_silent(h) || doubt;
}

/*
 * Entries that the card has counted are in memory when it has answered a read of its generation
 * after that. @next: the one that is not there. A card that is more than a lap further has written
 * over the phases that would prove it, which happens to a reader that does not report its position.
 */
static bool roc_fragment_hidden(const struct roc_holder *h, unsigned int lane, u32 next)
{
	const struct roc_sub_lane *l = &h->lane[lane];
	u32 hidden = l->counted - next;

	return !h->bad && hidden && hidden <= roc_count_entries(&l->count);
}

/*
 * An interrupt may come so late that the card has gone round more than once meanwhile. The phases
 * do not tell that, only the card knows.
 */
static void roc_fragment_lapped(struct roc_holder *h, unsigned int lane)
{
	struct roc_sub_lane *l = &h->lane[lane];
	u32 taken = l->count.taken;

	if (!roc_fragment_awaited(h, lane) ||
	    roc_count_ahead(l->counted, l->count.known) <= (s32)roc_count_entries(&l->count))
		return;
	roc_count_look(&l->count, l->counted);
	l->count.taken = taken; /* the reader did not say so */
	h->open.ch->stats.missed_interrupts += l->armed;
	l->armed = false;
	roc_fragment_serve(h, lane);
}

/**
 * struct roc_asked - entries that the card counted, and that were not in memory
 * @lanes: of which there is one
 * @next: the first of each
 */
struct roc_asked {
	u32 lanes;
	u32 next[ROC_LANES];
};

/* What of a lane is missing now. True: it was missing in the @last answer, too, and never comes. */
static bool roc_fragment_missing(struct roc_holder *h, unsigned int lane,
				 const struct roc_asked *last, struct roc_asked *now)
{
	u32 next = roc_count_next(&h->lane[lane].count, roc_sub_lane_taken(h, lane));

	if (!roc_fragment_hidden(h, lane, next))
		return false;
	now->lanes |= BIT(lane);
	now->next[lane] = next;
	return last->lanes & BIT(lane) && last->next[lane] == next;
}

/*
 * Check that the card is there, that it still runs, and that the entries which it counted are in
 * memory. The channel lock keeps the run from starting or stopping meanwhile. An entry that was
 * missing @last is lost if the card is still less than a lap further. Otherwise the entry was
 * there, and a later lap wrote over it.
 */
static struct roc_asked roc_fragment_ask_once(struct roc_holder *h, const struct roc_asked *last)
{
	struct roc_channel *ch = h->open.ch;
	struct roc_sub *sub = roc_sub(ch);
	enum roc_why why = ROC_WHY_NONE;
	u32 written[ROC_LANES], status;
	struct roc_asked now = {};
	unsigned int i;

	lockdep_assert_held(&ch->lock);
	for (i = 0; i < ROC_LANES; i++)
		written[i] = roc_fragment_written(ch, i);
	roc_fragment_settle(ch);
	status = roc_block_status(ch);
	spin_lock_irq(&sub->lock);
	ch->stats.mmio_reads += ROC_LANES + 2;
	if (roc_fragment_look(h)) {
		why = roc_block_reason(ch, status);
		for (i = 0; i < ROC_LANES && !why; i++) {
			h->lane[i].counted = written[i];
			roc_fragment_lapped(h, i);
			if (roc_fragment_missing(h, i, last, &now))
				why = ROC_WHY_RECORD;
		}
		if (why)
			roc_fragment_broken(h, why);
		else if (!h->refused && status & FRAGMENT_STATUS_HOST_ERROR) {
			h->refused = true;
			sub->stats.bad_index++;
		}
	}
	spin_unlock_irq(&sub->lock);
	return now;
}

static void roc_fragment_ask(struct roc_holder *h)
{
	const struct roc_asked none = {};
	struct roc_asked first = roc_fragment_ask_once(h, &none);

	if (first.lanes)
		roc_fragment_ask_once(h, &first);
}

/* The card says that something is wrong with a sub-unit. Channel lock held. */
void roc_fragment_doubt(struct roc_open *o)
{
	if (o->ch->state == ROC_CH_RUNNING)
		roc_fragment_ask(roc_holder(o));
}

/* Inside the SRCU read side. False: the run is over, or has to be ended. */
bool roc_fragment_tick(struct roc_holder *h)
{
	struct roc_channel *ch = h->open.ch;
	struct roc_sub *sub = roc_sub(ch);
	bool runs, ask;

	spin_lock_irq(&sub->lock);
	ask = roc_fragment_tick_now(h);
	spin_unlock_irq(&sub->lock);
	if (ask && mutex_trylock(&ch->lock)) {
		if (READ_ONCE(sub->holder) == h)
			roc_fragment_ask(h);
		mutex_unlock(&ch->lock);
		ask = false;
	}
	spin_lock_irq(&sub->lock);
	h->doubt |= ask; /* somebody has the lock: the next look asks */
	runs = sub->holder == h && !h->why;
	spin_unlock_irq(&sub->lock);
	return runs;
}
