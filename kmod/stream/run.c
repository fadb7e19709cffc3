// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run of a stream channel: poll the positions of card and reader, and decide when to report the
 * read position to the card. All polls are of host memory. See core/run.h.
 */
#include <linux/delay.h>

#include "core/block.h"
#include "stream/stream.h"

/* Data worth a register write of their own: 1/4 of the ring, or any if the ring is full. */
#define ROC_REPORT_FRACTION 4
#define ROC_TORN_TRIES 64 /* reads of a state that the card is writing */
#define ROC_CLOSE_TRY_US 500
/* More than the limit of the contract, for an emulated card on a busy machine. */
#define ROC_CLOSE_NS (20ull * STREAM_CLOSE_MS * NSEC_PER_MSEC)
/* If a full ring does not change for this time, no reader empties it. */
#define ROC_FULL_NS (2ull * STREAM_CLOSE_MS * NSEC_PER_MSEC)

static_assert((int)ROC_ST_STOPPED == ROC_RUN_STOPPED && (int)ROC_ST_FAILED == ROC_RUN_FAILED &&
	      (int)ROC_ST_GONE == ROC_RUN_GONE);
static_assert(sizeof(struct roc_st_kernel) == sizeof(struct roc_run_page) &&
	      offsetof(struct roc_st_kernel, run) == offsetof(struct roc_run_page, run));
static_assert(sizeof(struct roc_st_reset) == sizeof(struct roc_reset_arg) &&
	      offsetof(struct roc_st_reset, stream) == offsetof(struct roc_reset_arg, number) &&
	      offsetof(struct roc_st_reset, level) == offsetof(struct roc_reset_arg, level));
static_assert(ROC_ST_ALL == ROC_RESET_ALL && ROC_ST_RESET_DEFAULT == 0);

/* Read a word of the state in the card's page. */
#define roc_stream_state_word(run, member) le32_to_cpu(READ_ONCE(roc_stream_state(run)->member))

/* The reader may have reported its position to the card itself, by its doorbell. */
static void roc_stream_update_known(struct roc_run *run)
{
	struct roc_stream_run *r = roc_stream_run(run);
	u32 known = roc_stream_state_word(run, read);

	if ((s32)(known - r->known) > 0 && (s32)(r->position.read - known) >= 0)
		r->known = known;
}

/* Poll @taken, after the read position. */
static void roc_stream_poll_taken(struct roc_run *run)
{
	/* Pairs with the reader's release of @read, before which it has moved @taken. */
	smp_rmb();
	roc_position_update_taken(&roc_stream_run(run)->position,
				  READ_ONCE(roc_stream_user(run)->taken));
}

/* Poll both positions. False: the card violated the protocol, or was writing its state (@torn). */
static bool roc_stream_poll_positions(struct roc_run *run, bool *torn)
{
	const struct stream_state *state = roc_stream_state(run);
	__le32 end = READ_ONCE(state->sequence_end);
	u32 written, read, known, later;
	bool good;

	dma_rmb();
	written = le32_to_cpu(READ_ONCE(state->written));
	dma_rmb();
	read = READ_ONCE(roc_stream_user(run)->read);
	/* The reader stores @read before it rings its doorbell: load the reported position last. */
	smp_rmb();
	known = roc_stream_state_word(run, read);
	dma_rmb();
	later = le32_to_cpu(READ_ONCE(state->written));
	good = roc_position_update(&roc_stream_run(run)->position, written, read, known, later);
	dma_rmb();
	*torn = READ_ONCE(state->sequence) != end;
	return good;
}

/* Card and reader may move during a poll. Invalid positions are rejected: see position.h. */
static void roc_stream_poll(struct roc_run *run)
{
	struct roc_position *p = &roc_stream_run(run)->position;
	struct roc_channel *ch = run->open.ch;
	unsigned int tries = 0;
	u32 before = p->written;
	bool torn;

	while (!roc_stream_poll_positions(run, &torn)) {
		if (!torn)
			roc_run_fail(run, ROC_REASON_POSITION);
		/* After too many torn states, give up until the next poll. */
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

/* Poll what the reader has released since the end of the run. An invalid position is ignored. */
static void roc_stream_poll_stopped(struct roc_run *run)
{
	struct roc_position *p = &roc_stream_run(run)->position;
	u32 read = READ_ONCE(roc_stream_user(run)->read);

	if (read - p->read <= p->written - p->read)
		p->read = read;
	roc_stream_poll_taken(run);
}

/*
 * The low-water mark is limited to half of the ring: no unit is larger, so a ring without space for
 * the next unit holds at least that much, but perhaps not much more. After the end of the run any
 * data count.
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

/* Report released data if they are worth it. A request for an interrupt reports them, too. */
static void roc_stream_report_space(struct roc_run *run)
{
	const struct roc_stream_run *r = roc_stream_run(run);
	u32 released = r->position.read - r->known;

	if (released >= r->position.lines / ROC_REPORT_FRACTION ||
	    (released && roc_stream_state_word(run, status) & STREAM_STATUS_FULL))
		roc_stream_report_read(run);
}

static bool roc_stream_wait(struct roc_run *run, void *data, bool runs)
{
	const struct roc_st_wait *arg = data;
	bool reached = roc_position_reached(&roc_stream_run(run)->position, arg->position);

	if (runs && reached)
		roc_stream_report_space(run);
	else if (runs)
		roc_queue_wait(run, &run->queue[0], arg->position);
	return reached;
}

/*
 * Return true if the card cannot reach the position before the reader releases data. One line more
 * than the ring is allowed, for a reader that has taken a full ring and waits for the next line.
 */
static bool roc_stream_never_met(struct roc_run *run, const void *data)
{
	const struct roc_position *p = &roc_stream_run(run)->position;
	const struct roc_st_wait *arg = data;

	return (s32)(arg->position - p->read) > (s32)p->lines + 1;
}

static void roc_stream_wait_result(struct roc_run *run, void *data)
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

/*
 * An armed interrupt still serves if the read position was reported. The card raises it even if its
 * data were polled meanwhile.
 */
static bool roc_stream_armed_for(const struct roc_run *run, const struct roc_event_queue *q,
				 u32 seen)
{
	const struct roc_stream_run *r = roc_stream_run(run);

	return q->armed && r->position.read == r->known;
}

/*
 * Account for @all interrupts that the card has counted as sent, or for one. Return true if there
 * were any.
 */
static bool roc_stream_sent(struct roc_run *run, bool all)
{
	struct roc_stream_run *r = roc_stream_run(run);
	u32 sent = roc_stream_state_word(run, interrupts) - r->sent;

	r->sent += all ? sent : !!sent;
	return sent;
}

/* Return true if data were the reason of the last interrupt. */
static bool roc_stream_for_data(const struct roc_run *run)
{
	return roc_stream_state_word(run, reason) & (STREAM_REASON_BYTES | STREAM_REASON_TIME);
}

/* ns until an interrupt is due; -1: none, because the reader has released all data. */
static s64 roc_stream_due(const struct roc_run *run, const struct roc_event_queue *q)
{
	const struct roc_position *p = &roc_stream_run(run)->position;

	if (p->written == p->read)
		return -1;
	return READ_ONCE(roc_stream(run->open.ch)->settings.interrupt_time);
}

/* If the card waits for space, repeat the report, which may have been lost or omitted. */
static void roc_stream_tick(struct roc_run *run)
{
	if (roc_stream_state_word(run, status) & STREAM_STATUS_FULL &&
	    roc_stream_state_word(run, read) != roc_stream_run(run)->position.read)
		roc_stream_report_read(run);
}

/* Check that the card is present, and the stream enabled. The card's page reports other errors. */
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
 * Set the positions in the card's page, in the reader's page and in the driver to the start of the
 * run. Set the counters in the card's page to the last known ones. The page has these values until
 * the card writes its first state. The previous run is over even if the card does not start.
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

/* Wait until the card has written all its data, or has no space for them. */
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
		/*
		 * Report any released data now, even if few, because the card may need the space.
		 */
		if (roc_run_poll(run) && r->position.read != r->known) {
			roc_stream_report_read(run);
			moved = ktime_get_ns();
		}
		spin_unlock_irq(&ch->run_lock);
	}
}

/*
 * Read a register first: host memory does not show whether the card is gone or disabled, or has no
 * more data.
 */
static enum roc_reason roc_stream_drain(struct roc_run *run, u32 flags)
{
	enum roc_reason reason = roc_block_trouble(run->open.ch);

	if (!reason) {
		/* The card accepts no further events, and writes those that it has. */
		roc_block_write(run->open.ch, BLOCK_CONTROL,
				BLOCK_CONTROL_ENABLE | STREAM_CONTROL_CLOSE);
		roc_stream_drain_ring(run);
	}
	return reason;
}

/* Save the counters from the card's page: they are the last ones if the card cannot be quiesced. */
static bool roc_stream_quiesce(struct roc_run *run, enum roc_reason reason, bool present)
{
	struct roc_channel *ch = run->open.ch;

	spin_lock_irq(&ch->run_lock);
	roc_stream_page_counters(run, &roc_stream(ch)->last);
	spin_unlock_irq(&ch->run_lock);
	return present;
}

/* Take over the final positions, after the card was quiesced. */
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

/* Read the counters, from which the next run counts its losses. */
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
	.report_space = roc_stream_report_space,
	.wait = roc_stream_wait,
	.never_met = roc_stream_never_met,
	.wait_result = roc_stream_wait_result,
	.tick = roc_stream_tick,
	.moderate = roc_stream_moderate,
	.activity = roc_stream_activity,
	.armed_for = roc_stream_armed_for,
	.arm = roc_stream_arm,
	.sent = roc_stream_sent,
	.for_data = roc_stream_for_data,
	.due = roc_stream_due,
};
