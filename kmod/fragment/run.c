// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and stop of a sub-unit's run, in good order and in bad: whatever ends it, the card is
 * quiet, or its rings and the host pages stay. Under the channel lock.
 */
#include <linux/iopoll.h>

#include "core/trace.h"
#include "fragment/fragment.h"

#define ROC_DRAIN_TRY_US 500
#define ROC_DRAIN_US USEC_PER_SEC

void roc_fragment_flags(struct roc_holder *h, u32 set, u32 clear)
{
	struct roc_fr_kernel *kernel;

	if (!h->rings)
		return;
	kernel = roc_sub_rings_kernel(h->rings);
	WRITE_ONCE(kernel->flags, (kernel->flags & ~clear) | set);
}

/* Somebody may have asked for it sooner meanwhile: then it stays so. */
static void roc_fragment_watch_on(struct roc_holder *h)
{
	bool blind = h->open.ch->vector[ROC_LANE_DATA] < 0;

	h->period = blind ? ROC_FRAGMENT_LOOK_MS : ROC_FRAGMENT_WATCH_MS;
	queue_delayed_work(system_percpu_wq, &h->watch, msecs_to_jiffies(h->period));
}

/* From here on interrupts and watchdog know of the run. */
static void roc_fragment_bind(struct roc_holder *h)
{
	struct roc_channel *ch = h->open.ch;
	struct roc_sub *sub = roc_sub(ch);
	unsigned int i;

	spin_lock_irq(&sub->lock);
	h->refused = false;
	h->bad = false;
	h->doubt = false;
	h->why = ROC_WHY_NONE;
	sub->holder = h;
	if (h->changes != sub->settings.changes)
		roc_fragment_moderate(h);
	/* Who polls already waits for this, or has done so with an eventfd. */
	if (waitqueue_active(&h->open.wait) || READ_ONCE(h->open.eventfd))
		for (i = 0; i < ROC_LANES; i++)
			if (ch->vector[i] >= 0)
				roc_fragment_attend(h, i);
	spin_unlock_irq(&sub->lock);
}

static void roc_fragment_unbind(struct roc_holder *h)
{
	struct roc_sub *sub = roc_sub(h->open.ch);

	spin_lock_irq(&sub->lock);
	roc_fragment_look(h);
	sub->holder = NULL;
	sub->stopping = false;
	spin_unlock_irq(&sub->lock);
}

/* What the card wrote until it was quiet. */
static void roc_fragment_last_look(struct roc_holder *h)
{
	struct roc_sub *sub = roc_sub(h->open.ch);
	unsigned int i;

	spin_lock_irq(&sub->lock);
	for (i = 0; i < ROC_LANES; i++)
		roc_count_look(&h->lane[i].count, roc_sub_lane_taken(h, i));
	spin_unlock_irq(&sub->lock);
}

/* Whether the card takes it or not, what came before is over: for the reader, too, and for us. */
static void roc_fragment_begin(struct roc_holder *h, u32 start)
{
	static const enum roc_fragment_ring ring[ROC_LANES] = {ROC_RING_DATA, ROC_RING_DONE};
	struct roc_fr_user *user = roc_sub_rings_user(h->rings);
	struct roc_sub *sub = roc_sub(h->open.ch);
	unsigned int i;

	roc_sub_rings_clear(h->rings);
	spin_lock_irq(&sub->lock);
	WRITE_ONCE(user->descriptors, start);
	WRITE_ONCE(user->completions, start);
	for (i = 0; i < ROC_LANES; i++)
		h->lane[i] = (struct roc_sub_lane){
			.count = {.entries = h->rings->shared.area[ring[i]].cpu,
				  .log2 = h->rings->log2[ring[i]],
				  .start = start,
				  .known = start,
				  .taken = start},
			.counted = start,
			.seen = start,
			.last = start,
		};
	spin_unlock_irq(&sub->lock);
}

int roc_fragment_start(struct roc_holder *h, struct roc_fr_start *arg)
{
	struct roc_channel *ch = h->open.ch;
	int err;

	if (ch->state == ROC_CH_RUNNING)
		return -EBUSY;
	if (!h->open.committed)
		return -EPIPE;
	if (!roc_alive(ch->ep) || !roc_settle(ch, true))
		return -EIO;
	err = roc_block_disable(ch);
	if (err)
		goto err_quiet;
	err = roc_table_make(h, arg);
	if (err)
		return err;
	err = roc_bus_give(ch);
	if (err)
		goto err_quiet;
	ch->loaded = true;
	roc_fragment_begin(h, arg->start);
	err = roc_fragment_enable(ch, arg->start);
	if (err)
		goto err_quiet;
	h->run++;
	roc_fragment_bind(h);
	roc_point(ch->ep, ROC_POINT_START_RUNNING);
	roc_set_state(ch, ROC_CH_RUNNING, ROC_WHY_NONE);
	WRITE_ONCE(roc_sub_rings_kernel(h->rings)->run, h->run);
	roc_fragment_flags(h, 0, ROC_FR_STOPPED | ROC_FR_FAILED);
	roc_fragment_watch_on(h);
	return 0;

err_quiet:
	roc_make_quiet(ch, true);
	return err;
}

/*
 * Phases tell how far the card is only within a lap of where the reader is, and one who never
 * sleeps need not say where: the card's own counts do, of what is in memory by now.
 */
static void roc_fragment_catch_up(struct roc_holder *h, const u32 *written)
{
	struct roc_sub *sub = roc_sub(h->open.ch);
	unsigned int i;

	spin_lock_irq(&sub->lock);
	for (i = 0; i < ROC_LANES; i++) {
		h->lane[i].counted = written[i];
		roc_count_look(&h->lane[i].count, written[i]);
	}
	spin_unlock_irq(&sub->lock);
}

/*
 * What the card left out is lost, and so is what lies behind: the reader gets no further. The rings
 * are long, so they are read without the sub-unit's lock: no other thread writes these counts now.
 */
static bool roc_fragment_lost(struct roc_holder *h)
{
	struct roc_sub *sub = roc_sub(h->open.ch);
	struct roc_count count;
	u32 lost, all = 0;
	unsigned int i;

	lockdep_assert_held(&h->open.ch->lock);
	for (i = 0; i < ROC_LANES; i++) {
		count = h->lane[i].count;
		lost = roc_count_lost(&count, roc_sub_lane_taken(h, i), h->lane[i].counted);
		spin_lock_irq(&sub->lock);
		h->lane[i].count = count;
		sub->stats.lost += lost;
		spin_unlock_irq(&sub->lock);
		all |= lost;
	}
	return all;
}

/* How many entries the card counted, of one that left some out: those are to be counted, too. */
static void roc_fragment_counted(struct roc_holder *h)
{
	struct roc_sub *sub = roc_sub(h->open.ch);
	u32 written;
	unsigned int i;

	for (i = 0; i < ROC_LANES; i++) {
		written = roc_fragment_written(h->open.ch, i);
		spin_lock_irq(&sub->lock);
		if (written != ROC_ALL_ONES)
			h->lane[i].counted = written;
		spin_unlock_irq(&sub->lock);
	}
}

/* @written: by the card's counts; NULL: they are not known. Why it failed, if it did. */
static enum roc_why roc_fragment_end(struct roc_holder *h, enum roc_ch_state state,
				     enum roc_why why, bool present, const u32 *written)
{
	struct roc_channel *ch = h->open.ch;

	roc_fragment_unbind(h);
	if (present && why == ROC_WHY_RECORD)
		roc_fragment_counted(h);
	roc_make_quiet(ch, present);
	roc_fragment_last_look(h);
	if (written)
		roc_fragment_catch_up(h, written);
	/* Without the card's counts a reader that does not report its position may be laps behind.
	 */
	if ((written || why == ROC_WHY_RECORD) && roc_fragment_lost(h) &&
	    (!why || why == ROC_WHY_SUSPENDED)) {
		state = ROC_CH_FAILED;
		why = ROC_WHY_RECORD;
	}
	roc_set_state(ch, state, why);
	roc_fragment_flags(h, ROC_FR_STOPPED | (state == ROC_CH_FAILED ? ROC_FR_FAILED : 0), 0);
	roc_open_wake(&h->open);
	return why;
}

/*
 * Until the card has done what it was asked for, or can do it no more: nobody else looks whether it
 * is still at work while it is stopped. Of how many commands it was told.
 */
static u32 roc_fragment_drain(struct roc_holder *h, bool wait)
{
	struct roc_channel *ch = h->open.ch;
	u32 told;

	if (!wait)
		return roc_fragment_commands(ch);
	read_poll_timeout(roc_fragment_commands, told,
			  roc_fragment_written(ch, ROC_LANE_DONE) == told || READ_ONCE(h->why) ||
				  roc_block_trouble(ch),
			  ROC_DRAIN_TRY_US, ROC_DRAIN_US, false, ch);
	return told;
}

/* Nothing new from the links; settings that come meanwhile do not open them again. */
static void roc_fragment_shut_links(struct roc_channel *ch)
{
	struct roc_sub *sub = roc_sub(ch);

	spin_lock_irq(&sub->lock);
	sub->stopping = true;
	roc_fragment_let_through(ch, 0);
	spin_unlock_irq(&sub->lock);
}

/* In good order. @reason: NONE if the reader asked for it. */
int roc_fragment_stop(struct roc_holder *h, enum roc_why reason, struct roc_fr_stop *arg)
{
	struct roc_channel *ch = h->open.ch;
	enum roc_why trouble, why;
	u32 written[ROC_LANES], told;
	unsigned int i;

	if (ch->state != ROC_CH_RUNNING)
		return roc_stopped_already(ch);
	roc_fragment_shut_links(ch);
	told = roc_fragment_drain(h, !(arg->flags & ROC_FR_STOP_NOW));
	for (i = 0; i < ROC_LANES; i++)
		written[i] = roc_fragment_written(ch, i);
	trouble = roc_block_trouble(ch);
	why = READ_ONCE(h->why) ?: trouble ?: reason;
	roc_point(ch->ep, ROC_POINT_STOP);
	/* What reads as all ones is no count, and who broke the contract is not believed. */
	why = roc_fragment_end(h, why ? ROC_CH_FAILED : ROC_CH_STOPPED, why, true,
			       why && why != ROC_WHY_CARD && why != reason ? NULL : written);
	arg->descriptors = h->lane[ROC_LANE_DATA].count.known;
	arg->completions = h->lane[ROC_LANE_DONE].count.known;
	/* It may have been told of more since, and have done them. */
	if (trouble != ROC_WHY_LOST && roc_count_ahead(told, arg->completions) > 0)
		arg->lost = told - arg->completions;
	else
		arg->lost = 0;
	/* It may still write, if it does not stop: whoever has the host pages must know. */
	return why || h->open.leak ? -EIO : 0;
}

/* End a run without the reader's help: a broken contract, the last close, removal. */
void roc_fragment_abort(struct roc_holder *h, enum roc_ch_state state, enum roc_why why,
			bool present)
{
	if (h->open.ch->state == ROC_CH_RUNNING)
		roc_fragment_end(h, state, why, present, NULL);
}

/* The watchdog. It ends a run that failed, for those who found out and could not. */
void roc_fragment_watch(struct work_struct *work)
{
	struct roc_holder *h = container_of(to_delayed_work(work), struct roc_holder, watch);
	struct roc_channel *ch = h->open.ch;
	int idx;

	if (!roc_enter(ch->ep, h->open.epoch, &idx))
		return;
	roc_point(ch->ep, ROC_POINT_TURN);
	if (roc_fragment_tick(h)) {
		roc_fragment_watch_on(h);
	} else {
		mutex_lock(&ch->lock);
		if (ch->state == ROC_CH_RUNNING && ch->open == &h->open && h->why)
			roc_fragment_abort(h, ROC_CH_FAILED, h->why, true);
		mutex_unlock(&ch->lock);
	}
	roc_leave(ch->ep, idx);
}
