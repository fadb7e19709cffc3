// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and stop of a stream's run, in good order and in bad: whatever ends it, the card is quiet,
 * or its ring stays. Under the channel lock.
 */
#include <linux/delay.h>

#include "core/compat/compat.h"
#include "core/trace.h"
#include "stream/stream.h"

#define ROC_CLOSE_TRY_US 500
/* Longer than the card's promise, because the card may be an emulated one on a busy machine. */
#define ROC_CLOSE_NS (20ull * STREAM_CLOSE_MS * NSEC_PER_MSEC)
/* A full ring that nobody reads: nothing will come. */
#define ROC_FULL_NS (2ull * STREAM_CLOSE_MS * NSEC_PER_MSEC)

void roc_stream_flags(struct roc_reader *r, u32 set, u32 clear)
{
	struct roc_st_kernel *kernel;

	if (!r->ring)
		return;
	kernel = roc_ring_kernel(r->ring);
	WRITE_ONCE(kernel->flags, (kernel->flags & ~clear) | set);
}

/* Somebody may have asked for it sooner meanwhile: then it stays so. */
static void roc_stream_watch_on(struct roc_reader *r)
{
	r->period = r->open.ch->vector[0] < 0 ? ROC_LOOK_MS : ROC_WATCH_MS;
	queue_delayed_work(system_percpu_wq, &r->watch, msecs_to_jiffies(r->period));
}

/* From here on interrupts and watchdog know of the run. */
static void roc_stream_bind(struct roc_reader *r, u32 position)
{
	struct roc_channel *ch = r->open.ch;
	struct roc_stream *st = roc_stream(ch);

	spin_lock_irq(&st->lock);
	r->known = position;
	r->seen = position;
	r->armed = false;
	r->sent = 0;
	r->wanting = false;
	r->refused = false;
	r->silent = 0;
	r->overdue = 0;
	r->why = ROC_WHY_NONE;
	st->reader = r;
	if (r->changes != st->settings.changes)
		roc_stream_moderate(r);
	/* Who polls already waits for this, or has done so with an eventfd. */
	if (ch->vector[0] >= 0 && (waitqueue_active(&r->open.wait) || READ_ONCE(r->open.eventfd)))
		roc_stream_arm(r);
	spin_unlock_irq(&st->lock);
}

static void roc_stream_unbind(struct roc_reader *r)
{
	struct roc_stream *st = roc_stream(r->open.ch);

	spin_lock_irq(&st->lock);
	roc_stream_look(r);
	/* Until the card proves that it is quiet; if it cannot these are the last. */
	roc_stream_page_counters(r->ring, &st->last);
	st->reader = NULL;
	spin_unlock_irq(&st->lock);
}

/* What the card wrote to the page until it was quiet. */
static void roc_stream_last_look(struct roc_reader *r)
{
	struct roc_stream *st = roc_stream(r->open.ch);
	u32 written = le32_to_cpu(READ_ONCE(roc_ring_state(r->ring)->written));
	u32 read = READ_ONCE(roc_ring_user(r->ring)->read), before;
	u32 told = le32_to_cpu(READ_ONCE(roc_ring_state(r->ring)->read));

	spin_lock_irq(&st->lock);
	before = r->position.written;
	if (!r->why && !roc_position_take(&r->position, written, read, told, written))
		r->why = ROC_WHY_POSITION;
	if (!r->why)
		r->open.ch->stats.bytes += (u64)(r->position.written - before) * STREAM_LINE;
	spin_unlock_irq(&st->lock);
}

/*
 * Until the card's first state is there its page says where the run begins, and its counters. So do
 * the reader's page and we: whether the card takes it or not, what came before is over.
 */
static void roc_stream_begin(struct roc_reader *r, u32 position)
{
	struct roc_stream *st = roc_stream(r->open.ch);
	struct stream_state *state = roc_ring_state(r->ring);

	clear_page(r->ring->shared.area[ROC_AREA_CARD].cpu);
	state->written = cpu_to_le32(position);
	state->read = cpu_to_le32(position);
	spin_lock_irq(&st->lock);
	*roc_ring_counters(r->ring) = st->last;
	WRITE_ONCE(roc_ring_user(r->ring)->read, position);
	WRITE_ONCE(roc_ring_user(r->ring)->taken, position);
	r->position = roc_position_at(1u << (r->ring->log2 - STREAM_LINE_LOG2), position);
	spin_unlock_irq(&st->lock);
}

int roc_stream_start(struct roc_reader *r, u32 position)
{
	struct roc_channel *ch = r->open.ch;
	int err;

	if (ch->state == ROC_CH_RUNNING)
		return -EBUSY;
	if (!r->open.committed)
		return -EPIPE;
	if (!roc_alive(ch->ep) || !roc_settle(ch, true))
		return -EIO;
	err = roc_stream_disable(ch);
	if (!err)
		err = roc_bus_give(ch);
	if (!err) {
		ch->loaded = true;
		roc_stream_begin(r, position);
		err = roc_stream_enable(ch, position);
	}
	if (err) {
		roc_make_quiet(ch, true);
		return err;
	}
	r->run++;
	r->discarded = le64_to_cpu(roc_stream(ch)->last.discarded);
	trace_roc_stream_start(ch->ep->minor, ch->number, r->run, position);
	roc_stream_bind(r, position);
	roc_point(ch->ep, ROC_POINT_START_RUNNING);
	roc_set_state(ch, ROC_CH_RUNNING, ROC_WHY_NONE);
	WRITE_ONCE(roc_ring_kernel(r->ring)->run, r->run);
	roc_stream_flags(r, 0, ROC_ST_STOPPED | ROC_ST_FAILED);
	roc_stream_watch_on(r);
	return 0;
}

/* What the card said until it was quiet may fail a run that was to be stopped in good order. */
static void roc_stream_end(struct roc_reader *r, enum roc_ch_state state, enum roc_why why,
			   bool present)
{
	struct roc_channel *ch = r->open.ch;

	roc_stream_unbind(r);
	roc_make_quiet(ch, present);
	roc_stream_last_look(r);
	/* A suspend stops in good order, too. */
	if (r->why && (!why || why == ROC_WHY_SUSPENDED)) {
		state = ROC_CH_FAILED;
		why = r->why;
	}
	roc_set_state(ch, state, why);
	trace_roc_stream_end(ch->ep->minor, ch->number, ch->why, r->position.written,
			     r->position.read);
	roc_stream_flags(r, ROC_ST_STOPPED | (state == ROC_CH_FAILED ? ROC_ST_FAILED : 0), 0);
	roc_open_wake(&r->open);
}

/* Until the card has written all that it has, or has no room for it. */
static void roc_stream_drain(struct roc_reader *r)
{
	const struct stream_state *state = roc_ring_state(r->ring);
	struct roc_stream *st = roc_stream(r->open.ch);
	u64 now = ktime_get_ns(), end = now + ROC_CLOSE_NS, moved = now;
	u32 sequence = le32_to_cpu(READ_ONCE(state->sequence));

	for (; now < end; now = ktime_get_ns()) {
		u32 status = le32_to_cpu(READ_ONCE(state->status));
		u32 next = le32_to_cpu(READ_ONCE(state->sequence));

		if (status & STREAM_STATUS_ENDED || READ_ONCE(r->why))
			break;
		if (next != sequence)
			moved = now;
		sequence = next;
		if (status & STREAM_STATUS_FULL && now - moved > ROC_FULL_NS)
			break;
		fsleep(ROC_CLOSE_TRY_US);
		spin_lock_irq(&st->lock);
		/* The last time: all room counts, not only what is worth a write under load. */
		if (roc_stream_look(r) && r->position.read != r->known) {
			roc_stream_tell_read(r);
			moved = ktime_get_ns();
		}
		spin_unlock_irq(&st->lock);
	}
}

/* In good order. @reason: NONE if the reader asked for it. */
int roc_stream_stop(struct roc_reader *r, enum roc_why reason, struct roc_st_stop *arg)
{
	struct roc_channel *ch = r->open.ch;
	struct roc_stream *st = roc_stream(ch);
	enum roc_why why;

	if (ch->state != ROC_CH_RUNNING)
		return roc_stopped_already(ch);
	/* In memory a card that has gone, or is off, looks like one that has nothing to say. */
	if (!roc_block_trouble(ch)) {
		roc_stream_finish(ch);
		roc_stream_drain(r);
	}
	roc_point(ch->ep, ROC_POINT_STOP);
	why = roc_block_trouble(ch) ?: reason;
	roc_stream_end(r, why ? ROC_CH_FAILED : ROC_CH_STOPPED, why, true);
	arg->position = r->position.written;
	arg->lost = le64_to_cpu(st->last.discarded) - r->discarded;
	/* It may still write, if it does not stop: whoever reads the ring must know. */
	return ch->state == ROC_CH_FAILED || r->open.leak ? -EIO : 0;
}

/* End a run without the reader's help: a broken contract, the last close, removal. */
void roc_stream_abort(struct roc_reader *r, enum roc_ch_state state, enum roc_why why, bool present)
{
	if (r->open.ch->state == ROC_CH_RUNNING)
		roc_stream_end(r, state, why, present);
}

/* The watchdog. It ends a run that failed, for those who found out and could not. */
void roc_stream_watch(struct work_struct *work)
{
	struct roc_reader *r = container_of(to_delayed_work(work), struct roc_reader, watch);
	struct roc_channel *ch = r->open.ch;
	int idx;

	if (!roc_enter(ch->ep, r->open.epoch, &idx))
		return;
	roc_point(ch->ep, ROC_POINT_TURN);
	if (roc_stream_tick(r)) {
		roc_stream_watch_on(r);
	} else {
		mutex_lock(&ch->lock);
		if (ch->state == ROC_CH_RUNNING && ch->open == &r->open && r->why)
			roc_stream_abort(r, ROC_CH_FAILED, r->why, true);
		mutex_unlock(&ch->lock);
	}
	roc_leave(ch->ep, idx);
}
