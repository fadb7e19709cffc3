// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looking how far card and reader are, and telling who sleeps.
 *
 * All that is looked at is in host memory. Interrupts come when somebody asked for one; whoever
 * looks and finds too little asks, with one register write that tells the card of its room, too.
 * Everything under stream->lock, which the interrupt takes.
 */
#include <linux/eventfd.h>

#include "core/compat/compat.h"
#include "core/trace.h"
#include "stream/stream.h"

/* Less room than that is not worth a register write of its own, if the card does not wait. */
#define ROC_RELIEF 4 /* part of the ring */
#define ROC_SILENT_TICKS 4
#define ROC_TORN_TRIES 64 /* at a state that the card is writing */

/* The run has to end; that takes locks and time, so the watchdog does it. */
static void roc_stream_broken(struct roc_reader *r, enum roc_why why)
{
	if (r->why)
		return;
	r->why = why;
	mod_delayed_work(system_percpu_wq, &r->watch, 0);
}

static u32 roc_card_status(const struct roc_reader *r)
{
	return le32_to_cpu(READ_ONCE(roc_ring_state(r->ring)->status));
}

static u32 roc_card_interrupts(const struct roc_reader *r)
{
	return le32_to_cpu(READ_ONCE(roc_ring_state(r->ring)->interrupts));
}

/* Was the last of them for data? */
static bool roc_card_told_of_data(const struct roc_reader *r)
{
	return le32_to_cpu(READ_ONCE(roc_ring_state(r->ring)->reason)) &
	       (STREAM_REASON_BYTES | STREAM_REASON_TIME);
}

/* The read position that the card knew when it wrote its state. */
static u32 roc_card_read_position(const struct roc_reader *r)
{
	return le32_to_cpu(READ_ONCE(roc_ring_state(r->ring)->read));
}

/* What the card was told by the reader itself, over its doorbell. */
static void roc_stream_learn(struct roc_reader *r)
{
	u32 known = roc_card_read_position(r);

	if ((s32)(known - r->known) > 0 && (s32)(r->position.read - known) >= 0)
		r->known = known;
}

/*
 * Who waits for what has come is told by whoever sees it: of what another reader has given back
 * meanwhile the card does not tell.
 */
static void roc_stream_wake_batch(struct roc_reader *r)
{
	if (!r->wanting || !roc_position_reached(&r->position, r->want))
		return;
	r->wanting = false;
	roc_stream(r->open.ch)->stats.wakes++;
	wake_up_all(&r->open.batch);
}

/* After the look at the read position, which the reader moves last. */
static void roc_stream_look_taken(struct roc_reader *r)
{
	smp_rmb();
	roc_position_take_taken(&r->position, READ_ONCE(roc_ring_user(r->ring)->taken));
}

/* False: the card is broken, or @torn: it was writing its state. */
static bool roc_stream_take(struct roc_reader *r, bool *torn)
{
	const struct stream_state *state = roc_ring_state(r->ring);
	__le32 end = READ_ONCE(state->sequence_end);
	u32 written, read, told, later;
	bool good;

	dma_rmb();
	written = le32_to_cpu(READ_ONCE(state->written));
	dma_rmb();
	read = READ_ONCE(roc_ring_user(r->ring)->read);
	smp_rmb();
	told = roc_card_read_position(r);
	dma_rmb();
	later = le32_to_cpu(READ_ONCE(state->written));
	good = roc_position_take(&r->position, written, read, told, later);
	dma_rmb();
	*torn = READ_ONCE(state->sequence) != end;
	return good;
}

/* Both may be at work meanwhile. What neither can have done is not believed: see position.h. */
static void roc_stream_look_now(struct roc_reader *r)
{
	struct roc_stream *st = roc_stream(r->open.ch);
	struct roc_position *p = &r->position;
	unsigned int tries = 0;
	u32 before = p->written;
	bool torn;

	while (!roc_stream_take(r, &torn)) {
		if (!torn)
			roc_stream_broken(r, ROC_WHY_POSITION);
		/* The next look decides. */
		if (!torn || ++tries == ROC_TORN_TRIES)
			return;
	}
	roc_stream_look_taken(r);
	r->open.ch->stats.bytes += (u64)(p->written - before) * STREAM_LINE;
	st->stats.bad_index += p->bad;
	p->bad = 0;
	roc_stream_learn(r);
	if (!r->refused && roc_card_status(r) & STREAM_STATUS_HOST_ERROR) {
		r->refused = true;
		st->stats.bad_index++;
	}
}

/* Of a run that is over: what its reader has given back since. What cannot be does not count. */
static void roc_stream_look_back(struct roc_reader *r)
{
	struct roc_position *p = &r->position;
	u32 read;

	if (!r->ring)
		return;
	read = READ_ONCE(roc_ring_user(r->ring)->read);
	if (read - p->read <= p->written - p->read)
		p->read = read;
	roc_stream_look_taken(r);
}

/* The same without waking: for those who arm, because a reader that is awake moves on. */
static bool roc_stream_look_only(struct roc_reader *r)
{
	if (roc_stream(r->open.ch)->reader != r) {
		roc_stream_look_back(r);
		return false;
	}
	if (r->why)
		return false;
	roc_stream_look_now(r);
	return !r->why;
}

/* False: it does not run, or not for long any more. */
bool roc_stream_look(struct roc_reader *r)
{
	bool runs = roc_stream_look_only(r);

	if (runs)
		roc_stream_wake_batch(r);
	return runs;
}

/*
 * Is there enough for who polls? In a ring that is full there is more than half, for no unit is
 * larger, and maybe not much more. Behind a run that is over no more comes.
 */
bool roc_stream_readable(struct roc_reader *r)
{
	const struct roc_stream *st = roc_stream(r->open.ch);
	const struct roc_position *p = &r->position;
	u64 low = st->reader == r ? min_t(u64, READ_ONCE(st->settings.low_water),
					  1ull << (r->ring->log2 - 1))
				  : 1;

	return (u64)roc_position_from(p, roc_position_new(p)) * STREAM_LINE >= max_t(u64, low, 1);
}

/*
 * Who does not sleep does not arm: then room may have to be told by itself, as soon as it is much
 * or the card waits for it.
 */
void roc_stream_relieve(struct roc_reader *r)
{
	u32 room = r->position.read - r->known;

	if (room >= r->position.lines / ROC_RELIEF ||
	    (room && roc_card_status(r) & STREAM_STATUS_FULL))
		roc_stream_tell_read(r);
}

/* Somebody is going to sleep: the card says when there is more, and has all the room that it can.
 */
void roc_stream_attend(struct roc_reader *r)
{
	if (r->armed && r->position.read == r->known)
		return;
	roc_stream_arm(r);
}

/* Who polls for edges or has an eventfd does not come back by himself. */
static void roc_stream_ask_again(struct roc_reader *r, bool readable)
{
	struct roc_open *o = &r->open;
	bool listens = waitqueue_active(&o->wait) && (r->edge || !readable);
	bool wanting = r->wanting && !roc_position_reached(&r->position, r->want);

	if (wanting || listens || READ_ONCE(o->eventfd))
		roc_stream_arm(r);
}

/* There is enough for who polls. */
static void roc_stream_tell(struct roc_reader *r)
{
	struct roc_open *o = &r->open;

	if (waitqueue_active(&o->wait)) {
		roc_stream(o->ch)->stats.wakes++;
		wake_up_all(&o->wait);
	}
	roc_open_signal(o);
}

/*
 * There is something new: wake those who poll if it is enough, after the card is asked for the
 * others. A reader that is awake rings its doorbell, and the card refuses an ARM that is more than
 * a ring behind that.
 */
static void roc_stream_serve(struct roc_reader *r)
{
	bool readable = roc_stream_readable(r);

	roc_stream_ask_again(r, readable);
	if (readable)
		roc_stream_tell(r);
}

/* The low-water mark is another one: what is there already may be enough. */
void roc_stream_marked(struct roc_reader *r)
{
	if (roc_stream_look(r) && roc_stream_readable(r))
		roc_stream_tell(r);
}

/*
 * A hint, and nothing else: none, one too many, or one for nothing is no harm. One for data that
 * were seen meanwhile was sent before the card was asked for the next. One for anything else, a
 * throttle, may have been sent after that, and then was the one that was asked for.
 */
static void roc_stream_interrupt(struct roc_reader *r, bool shared)
{
	struct roc_channel *ch = r->open.ch;
	bool fresh, sent;

	if (!roc_stream_look_only(r))
		return;
	fresh = r->position.written != r->seen;
	/* The card counts what it sent. */
	sent = roc_card_interrupts(r) != r->sent;
	if (shared && !fresh && !sent)
		return;
	trace_roc_stream_interrupt(ch->ep->minor, ch->number, r->position.written, r->seen);
	ch->stats.interrupts++;
	r->overdue = 0;
	r->sent += sent;
	if (fresh) {
		r->armed = false;
		roc_stream_serve(r);
	} else if (!sent) {
		ch->stats.spurious_interrupts++;
	} else if (!roc_card_told_of_data(r)) {
		r->armed = false;
		roc_stream_ask_again(r, roc_stream_readable(r));
	}
}

void roc_stream_irq(struct roc_channel *ch, u32 purposes, bool shared)
{
	struct roc_stream *st = roc_stream(ch);
	unsigned long flags;

	spin_lock_irqsave(&st->lock, flags);
	if (st->reader) {
		roc_stream_interrupt(st->reader, shared);
		roc_stream_wake_batch(st->reader);
	}
	spin_unlock_irqrestore(&st->lock, flags);
}

/* The card says that something is wrong with a stream: what is in its page. Channel lock held. */
void roc_stream_doubt(struct roc_open *o)
{
	struct roc_stream *st = roc_stream(o->ch);

	spin_lock_irq(&st->lock);
	roc_stream_look(roc_reader(o));
	spin_unlock_irq(&st->lock);
}

/*
 * Data came, and for long no interrupt told. Of what the reader has given back meanwhile the card
 * need not tell.
 */
static bool roc_stream_overdue(struct roc_reader *r)
{
	u64 allowed = READ_ONCE(roc_stream(r->open.ch)->settings.interrupt_time);
	const struct roc_position *p = &r->position;

	if (!r->armed || p->written == r->seen || p->written == p->read) {
		r->overdue = 0;
		return false;
	}
	return ++r->overdue >= 2 + div_u64(allowed, ROC_WATCH_MS * NSEC_PER_MSEC);
}

/*
 * The watchdog's look, for lost interrupts, for card and reader that are at odds, and for cards
 * without interrupts. True: nothing has moved for long, so the card had better be asked whether it
 * is there.
 */
static bool roc_stream_tick_now(struct roc_reader *r)
{
	struct roc_channel *ch = r->open.ch;
	u32 sequence = le32_to_cpu(READ_ONCE(roc_ring_state(r->ring)->sequence));

	if (!roc_stream_look_only(r))
		return false;
	r->silent = sequence == r->sequence ? r->silent + 1 : 0;
	r->sequence = sequence;
	if (ch->vector[0] < 0) {
		if (r->position.written != r->seen)
			roc_stream_serve(r);
		r->seen = r->position.written;
	} else if (roc_stream_overdue(r)) {
		ch->stats.missed_interrupts++;
		r->overdue = 0;
		r->armed = false;
		r->sent = roc_card_interrupts(r);
		roc_stream_serve(r);
	}
	/* It waits for room that it was told of, or the reader forgot to tell: one write was lost.
	 */
	if (roc_card_status(r) & STREAM_STATUS_FULL &&
	    roc_card_read_position(r) != r->position.read)
		roc_stream_tell_read(r);
	return r->silent && r->silent % (ROC_SILENT_TICKS * ROC_WATCH_MS / r->period) == 0;
}

/*
 * Is the card there, and does it still know of the run? Channel lock held, so that nobody starts or
 * stops it meanwhile.
 */
static void roc_stream_ask(struct roc_reader *r)
{
	struct roc_stream *st = roc_stream(r->open.ch);
	enum roc_why why = roc_block_trouble(r->open.ch);

	spin_lock_irq(&st->lock);
	r->open.ch->stats.mmio_reads++;
	if (why)
		roc_stream_broken(r, why);
	spin_unlock_irq(&st->lock);
}

/* Inside the SRCU read side. False: the run is over, or has to be ended. */
bool roc_stream_tick(struct roc_reader *r)
{
	struct roc_channel *ch = r->open.ch;
	struct roc_stream *st = roc_stream(ch);
	bool runs, ask;

	spin_lock_irq(&st->lock);
	ask = roc_stream_tick_now(r);
	roc_stream_wake_batch(r);
	spin_unlock_irq(&st->lock);
	if (ask && mutex_trylock(&ch->lock)) {
		if (READ_ONCE(st->reader) == r)
			roc_stream_ask(r);
		mutex_unlock(&ch->lock);
		ask = false;
	}
	spin_lock_irq(&st->lock);
	r->silent -= ask; /* another call has the lock: ask at the next tick */
	runs = st->reader == r && !r->why;
	spin_unlock_irq(&st->lock);
	return runs;
}
