// SPDX-License-Identifier: GPL-2.0-only
/*
 * The run of a stream: where card and reader are, and when room is reported to the card. All that
 * is polled is in host memory. See core/run.h.
 */
#include <linux/delay.h>

#include "core/block.h"
#include "stream/stream.h"

/* Less room than that is not worth a register write of its own, if the card does not wait. */
#define ROC_RELIEVE_FRACTION 4 /* part of the ring */
#define ROC_TORN_TRIES 64      /* at a state that the card is writing */
#define ROC_CLOSE_TRY_US 500
/* Longer than the card's promise, because the card may be an emulated one on a busy machine. */
#define ROC_CLOSE_NS (20ull * STREAM_CLOSE_MS * NSEC_PER_MSEC)
/* A full ring that nobody reads: nothing will come. */
#define ROC_FULL_NS (2ull * STREAM_CLOSE_MS * NSEC_PER_MSEC)

static_assert((int)ROC_ST_STOPPED == ROC_RUN_STOPPED && (int)ROC_ST_FAILED == ROC_RUN_FAILED &&
	      (int)ROC_ST_GONE == ROC_RUN_GONE);
static_assert(sizeof(struct roc_st_kernel) == sizeof(struct roc_run_page) &&
	      offsetof(struct roc_st_kernel, run) == offsetof(struct roc_run_page, run));
static_assert(sizeof(struct roc_st_reset) == sizeof(struct roc_reset_arg) &&
	      offsetof(struct roc_st_reset, stream) == offsetof(struct roc_reset_arg, number) &&
	      offsetof(struct roc_st_reset, level) == offsetof(struct roc_reset_arg, level));
static_assert(ROC_ST_ALL == ROC_RESET_ALL && ROC_ST_RESET_DEFAULT == 0);

/* A word of the state that the card wrote last. */
#define roc_stream_state_word(run, member) le32_to_cpu(READ_ONCE(roc_stream_state(run)->member))

/* The reader may have reported it by itself, over its doorbell. */
static void roc_stream_update_known(struct roc_run *run)
{
	struct roc_stream_run *r = roc_stream_run(run);
	u32 known = roc_stream_state_word(run, read);

	if ((s32)(known - r->known) > 0 && (s32)(r->position.read - known) >= 0)
		r->known = known;
}

/* After the poll of the read position. */
static void roc_stream_poll_taken(struct roc_run *run)
{
	/* Pairs with the reader's release of @read, before which it has moved @taken. */
	smp_rmb();
	roc_position_update_taken(&roc_stream_run(run)->position,
				  READ_ONCE(roc_stream_user(run)->taken));
}

/* False: the card is broken, or @torn: it was writing its state. */
static bool roc_stream_take(struct roc_run *run, bool *torn)
{
	const struct stream_state *state = roc_stream_state(run);
	__le32 end = READ_ONCE(state->sequence_end);
	u32 written, read, known, later;
	bool good;

	dma_rmb();
	written = le32_to_cpu(READ_ONCE(state->written));
	dma_rmb();
	read = READ_ONCE(roc_stream_user(run)->read);
	/*
	 * As roc_position_update() requires: the reader rings its doorbell after it stored @read.
	 */
	smp_rmb();
	known = roc_stream_state_word(run, read);
	dma_rmb();
	later = le32_to_cpu(READ_ONCE(state->written));
	good = roc_position_update(&roc_stream_run(run)->position, written, read, known, later);
	dma_rmb();
	*torn = READ_ONCE(state->sequence) != end;
	return good;
}

/* Both may be at work meanwhile. What neither can have done is not believed: see position.h. */
static void roc_stream_poll(struct roc_run *run)
{
	struct roc_position *p = &roc_stream_run(run)->position;
	struct roc_channel *ch = run->open.ch;
	unsigned int tries = 0;
	u32 before = p->written;
	bool torn;

	while (!roc_stream_take(run, &torn)) {
		if (!torn)
			roc_run_fail(run, ROC_REASON_POSITION);
		/* The next poll decides. */
		if (!torn || ++tries == ROC_TORN_TRIES)
			return;
	}
	roc_stream_poll_taken(run);
	run->queue[0].count = p->written;
	ch->stats.bytes += (u64)(p->written - before) * STREAM_LINE;
	ch->stats.bad_index += p->bad;
	p->bad = 0;
	roc_stream_update_known(run);
	if (roc_stream_state_word(run, status) & BLOCK_STATUS_HOST_ERROR)
		roc_run_bad_index(run);
}

/* What the reader has given back since the run. A position that cannot be does not count. */
static void roc_stream_poll_stopped(struct roc_run *run)
{
	struct roc_position *p = &roc_stream_run(run)->position;
	u32 read = READ_ONCE(roc_stream_user(run)->read);

	if (read - p->read <= p->written - p->read)
		p->read = read;
	roc_stream_poll_taken(run);
}

/*
 * In a ring that is full there is more than half, for no unit is larger, and maybe not much more.
 * Behind a run that is over no more comes.
 */
static bool roc_stream_readable(const struct roc_run *run)
{
	const struct roc_position *p = &roc_stream_run(run)->position;
	const struct roc_stream *st = roc_stream(run->open.ch);
	u64 low = roc_run_bound(run) ? min_t(u64, READ_ONCE(st->settings.low_water),
					     1ull << (roc_stream_ring(run)->log2 - 1))
				     : 1;

	return (u64)roc_position_lines_from(p, roc_position_unread(p)) * STREAM_LINE >=
	       max_t(u64, low, 1);
}

/* A request for an interrupt reports room, too. Without one, room may have to be reported alone. */
static void roc_stream_relieve(struct roc_run *run)
{
	const struct roc_stream_run *r = roc_stream_run(run);
	u32 room = r->position.read - r->known;

	if (room >= r->position.lines / ROC_RELIEVE_FRACTION ||
	    (room && roc_stream_state_word(run, status) & STREAM_STATUS_FULL))
		roc_stream_report_read(run);
}

static bool roc_stream_wait(struct roc_run *run, void *data, bool runs)
{
	const struct roc_st_wait *arg = data;
	bool reached = roc_position_reached(&roc_stream_run(run)->position, arg->position);

	if (runs && reached)
		roc_stream_relieve(run);
	else if (runs)
		roc_queue_wait(run, &run->queue[0], arg->position);
	return reached;
}

/* A reader that has taken a full ring, and gave nothing back, waits for the line behind it. */
static bool roc_stream_beyond(struct roc_run *run, const void *data)
{
	const struct roc_position *p = &roc_stream_run(run)->position;
	const struct roc_st_wait *arg = data;

	return (s32)(arg->position - p->read) > (s32)p->lines + 1;
}

static void roc_stream_waited(struct roc_run *run, void *data)
{
	const struct roc_stream_run *r = roc_stream_run(run);
	struct roc_st_wait *arg = data;

	arg->written = r->position.written;
	arg->unreported = r->position.read - r->known;
}

static u32 roc_stream_activity(const struct roc_run *run)
{
	return roc_stream_state_word(run, sequence);
}

/* The card knows all room, and sends the interrupt even if its data were seen meanwhile. */
static bool roc_stream_armed_for(const struct roc_run *run, const struct roc_event_queue *q,
				 u32 seen)
{
	const struct roc_stream_run *r = roc_stream_run(run);

	return q->armed && r->position.read == r->known;
}

/* The card counts what it sent. */
static bool roc_stream_sent(struct roc_run *run, bool all)
{
	struct roc_stream_run *r = roc_stream_run(run);
	u32 sent = roc_stream_state_word(run, interrupts) - r->sent;

	r->sent += all ? sent : !!sent;
	return sent;
}

/* The last of them. */
static bool roc_stream_for_data(const struct roc_run *run)
{
	return roc_stream_state_word(run, reason) & (STREAM_REASON_BYTES | STREAM_REASON_TIME);
}

/* The card need not report what the reader has given back meanwhile. */
static s64 roc_stream_due(const struct roc_run *run, const struct roc_event_queue *q)
{
	const struct roc_position *p = &roc_stream_run(run)->position;

	if (p->written == p->read)
		return -1;
	return READ_ONCE(roc_stream(run->open.ch)->settings.interrupt_time);
}

/* The card waits for room that was reported, or that the reader forgot to report: repeat it. */
static void roc_stream_tick(struct roc_run *run)
{
	if (roc_stream_state_word(run, status) & STREAM_STATUS_FULL &&
	    roc_stream_state_word(run, read) != roc_stream_run(run)->position.read)
		roc_stream_report_read(run);
}

/* Is the card there, and is the stream still enabled? Its page holds what else is wrong. */
static void roc_stream_query(struct roc_run *run)
{
	struct roc_channel *ch = run->open.ch;
	enum roc_reason reason = roc_block_trouble(ch);

	spin_lock_irq(&ch->run_lock);
	ch->stats.mmio_reads++;
	if (roc_run_poll(run) && reason)
		roc_run_fail(run, reason);
	spin_unlock_irq(&ch->run_lock);
}

/*
 * Until the card's first state is there its page holds where the run begins, and its counters. So
 * do the reader's page and the driver: whether the card takes it or not, what came before is over.
 */
static void roc_stream_begin(struct roc_run *run, u32 position)
{
	struct roc_stream_run *r = roc_stream_run(run);
	struct stream_state *state = roc_stream_state(run);
	struct roc_channel *ch = run->open.ch;

	clear_page(run->open.shared->area[ROC_AREA_CARD].cpu);
	state->written = cpu_to_le32(position);
	state->read = cpu_to_le32(position);
	spin_lock_irq(&ch->run_lock);
	*roc_stream_ring_counters(run) = roc_stream(ch)->last;
	r->discarded = le64_to_cpu(roc_stream(ch)->last.discarded);
	WRITE_ONCE(roc_stream_user(run)->read, position);
	WRITE_ONCE(roc_stream_user(run)->taken, position);
	r->position =
		roc_position_at(1u << (roc_stream_ring(run)->log2 - STREAM_LINE_LOG2), position);
	r->known = position;
	r->sent = 0;
	roc_queue_start(&run->queue[0], 0, position);
	spin_unlock_irq(&ch->run_lock);
}

/* Until the card has written all that it has, or has no room for it. */
static void roc_stream_drain_ring(struct roc_run *run)
{
	const struct roc_stream_run *r = roc_stream_run(run);
	struct roc_channel *ch = run->open.ch;
	u64 now = ktime_get_ns(), end = now + ROC_CLOSE_NS, moved = now;
	u32 sequence = roc_stream_state_word(run, sequence);

	for (; now < end; now = ktime_get_ns()) {
		u32 status = roc_stream_state_word(run, status);
		u32 next = roc_stream_state_word(run, sequence);

		if (status & STREAM_STATUS_ENDED || READ_ONCE(run->reason))
			break;
		if (next != sequence)
			moved = now;
		sequence = next;
		if (status & STREAM_STATUS_FULL && now - moved > ROC_FULL_NS)
			break;
		fsleep(ROC_CLOSE_TRY_US);
		spin_lock_irq(&ch->run_lock);
		/* The last time: all room counts, not only what is worth a write under load. */
		if (roc_run_poll(run) && r->position.read != r->known) {
			roc_stream_report_read(run);
			moved = ktime_get_ns();
		}
		spin_unlock_irq(&ch->run_lock);
	}
}

/* In memory a card that has gone, or is off, looks like one that has no more data. */
static enum roc_reason roc_stream_drain(struct roc_run *run, u32 flags)
{
	enum roc_reason reason = roc_block_trouble(run->open.ch);

	if (!reason) {
		/* No further events; what the card has it writes. */
		roc_block_write(run->open.ch, BLOCK_CONTROL,
				BLOCK_CONTROL_ENABLE | STREAM_CONTROL_CLOSE);
		roc_stream_drain_ring(run);
	}
	return reason;
}

/* Until the card is quiesced; if it cannot be these are the last counters. */
static bool roc_stream_quiesce(struct roc_run *run, enum roc_reason reason, bool present)
{
	struct roc_channel *ch = run->open.ch;

	spin_lock_irq(&ch->run_lock);
	roc_stream_page_counters(run, &roc_stream(ch)->last);
	spin_unlock_irq(&ch->run_lock);
	return present;
}

/* What the card wrote to the page until it was quiesced. */
static enum roc_reason roc_stream_end(struct roc_run *run, enum roc_reason reason)
{
	struct roc_position *p = &roc_stream_run(run)->position;
	u32 written = roc_stream_state_word(run, written);
	u32 read = READ_ONCE(roc_stream_user(run)->read), before;
	u32 known = roc_stream_state_word(run, read);
	struct roc_channel *ch = run->open.ch;

	spin_lock_irq(&ch->run_lock);
	before = p->written;
	if (!run->reason && !roc_position_update(p, written, read, known, written))
		run->reason = ROC_REASON_POSITION;
	if (!run->reason)
		ch->stats.bytes += (u64)(p->written - before) * STREAM_LINE;
	spin_unlock_irq(&ch->run_lock);
	return run->reason;
}

static void roc_stream_report(struct roc_run *run, void *data)
{
	const struct roc_stream_run *r = roc_stream_run(run);
	struct roc_st_stop *arg = data;

	arg->position = r->position.written;
	arg->lost = le64_to_cpu(roc_stream(run->open.ch)->last.discarded) - r->discarded;
}

/* A run that follows is compared with what the card counted until now. */
static void roc_stream_opened(struct roc_run *run)
{
	roc_stream_refresh(run->open.ch);
}

static const struct roc_run_level roc_stream_levels[] = {
	[ROC_ST_RESET_DEFAULT] = {.bits = BLOCK_RESET_DEFAULT, .stops = true},
	[ROC_ST_RESET_LOGIC] = {.bits = BLOCK_RESET_LOGIC, .stops = true},
	[ROC_ST_RESET_FLUSH] = {.bits = STREAM_RESET_FLUSH},
	[ROC_ST_RESET_COUNTERS] = {.bits = BLOCK_RESET_COUNTERS, .unowned = true},
};

const struct roc_run_ops roc_stream_run_ops = {
	.queues = 1,
	.levels = roc_stream_levels,
	.level_count = ARRAY_SIZE(roc_stream_levels),
	.begin = roc_stream_begin,
	.setup = roc_stream_setup,
	.drain = roc_stream_drain,
	.check = roc_block_trouble,
	.quiesce = roc_stream_quiesce,
	.finish = roc_stream_end,
	.report = roc_stream_report,
	.query = roc_stream_query,
	.reset = roc_stream_reset,
	.reset_card = roc_stream_reset_card,
	.opened = roc_stream_opened,
	.poll = roc_stream_poll,
	.poll_stopped = roc_stream_poll_stopped,
	.readable = roc_stream_readable,
	.relieve = roc_stream_relieve,
	.wait = roc_stream_wait,
	.beyond = roc_stream_beyond,
	.waited = roc_stream_waited,
	.tick = roc_stream_tick,
	.moderate = roc_stream_moderate,
	.activity = roc_stream_activity,
	.armed_for = roc_stream_armed_for,
	.arm = roc_stream_arm,
	.sent = roc_stream_sent,
	.for_data = roc_stream_for_data,
	.due = roc_stream_due,
};
