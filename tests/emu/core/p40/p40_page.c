// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports to the host: state and counters in the control page, and interrupts.
 */
#include "p40.h"

#include <endian.h>
#include <stdatomic.h>
#include <string.h>

uint32_t p40_status(const struct unit *u)
{
	const struct p40_stream *st = p40_stream(u);
	const struct {
		bool set;
		uint32_t bit;
	} bits[] = {
		{st->ended, STREAM_STATUS_ENDED},
		{st->irq.armed, STREAM_STATUS_ARMED},
		{st->full, STREAM_STATUS_FULL},
		{st->spill.throttling, STREAM_STATUS_THROTTLING},
		{st->spill.truncating, STREAM_STATUS_TRUNCATING},
	};
	uint32_t status = 0;
	unsigned int i;

	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		status |= bits[i].set ? bits[i].bit : 0;
	return status;
}

/* Clear the state of an earlier run; state and counters are written with the next turn. */
void p40_page_begin(struct p40_stream *st)
{
	st->sequence = 0;
	st->counters_sequence = 0;
	st->reported = st->unit.start;
	st->reported_status = 0;
	st->state_due = true;
	st->state_ns = 0;
	st->counters_due = true;
	st->counters_ns = 0;
	st->end_reported = false;
	st->irq.armed = false;
	st->irq.sent = false;
	st->urgent = 0;
	st->reason = 0;
	st->interrupts = 0;
}

static uint32_t low(struct p40_stream *st, enum p40_counter nr)
{
	return p40_counter(st, nr);
}

static bool write_counters(struct p40_stream *st, uint64_t now)
{
	struct stream_counters c = {0};
	uint64_t value[STREAM_COUNTERS];
	unsigned int i;

	_Static_assert(sizeof(c) == 16 + sizeof(value), "the counters are all that is between");
	p40_source_update_counters(st, now);
	for (i = 0; i < STREAM_COUNTERS; i++)
		value[i] = htole64(p40_counter(st, i));
	c.sequence = htole32(st->counters_sequence + 1);
	c.sequence_end = c.sequence;
	memcpy((uint8_t *)&c + 8, value, sizeof(value));
	if (!unit_put(&st->unit, st->unit.base[P40_PAGE] + STREAM_PAGE_COUNTERS, &c, 8))
		return false;
	atomic_thread_fence(memory_order_release);
	unit_put(&st->unit, st->unit.base[P40_PAGE] + STREAM_PAGE_COUNTERS + 8, (uint8_t *)&c + 8,
		 sizeof(value));
	atomic_thread_fence(memory_order_release);
	unit_put(&st->unit, st->unit.base[P40_PAGE] + STREAM_PAGE_COUNTERS + 8 + sizeof(value),
		 (uint8_t *)&c + 8 + sizeof(value), 8);
	st->counters_sequence++;
	st->counters_due = false;
	st->counters_ns = now;
	return true;
}

/* The position that is reported to the host, with faults applied. */
static uint32_t position(struct p40_stream *st)
{
	uint32_t value = st->written + unit_fault_once(&st->unit, P40_WRONG_POSITION);

	if (unit_fault_take(&st->unit, P40_BEYOND_RING))
		value = st->read + p40_lines(st) + 1;
	return value;
}

static uint32_t reported_status(const struct p40_stream *st)
{
	uint32_t status = unit_status(&st->unit) & ~BLOCK_STATUS_QUIET & ~STREAM_STATUS_ARMED;

	if (st->end_reported)
		status |= STREAM_STATUS_ENDED;
	return status;
}

static bool write_state(struct p40_stream *st, uint64_t now)
{
	struct stream_state s = {
		.sequence = htole32(st->sequence + 1),
		.last_event = htole64(st->last_event),
		.units = htole32(st->units),
		.generation = htole32(st->unit.generation),
		.reason = htole32(st->reason),
		.interrupts = htole32(st->interrupts),
		.read = htole32(st->read),
		.level = htole32(st->spill.level),
		.throttles = htole32(low(st, P40_THROTTLES)),
		.throttled = htole32(low(st, P40_THROTTLED)),
		.truncated = htole32(low(st, P40_TRUNCATED)),
		.sequence_end = htole32(st->sequence + 1),
	};
	const size_t last = offsetof(struct stream_state, sequence_end);

	_Static_assert(sizeof(s) == STREAM_LINE, "the state is a line");
	st->reported_status = reported_status(st);
	s.status = htole32(st->reported_status | (st->irq.armed ? STREAM_STATUS_ARMED : 0) |
			   (unit_fault_take(&st->unit, P40_END_EARLY) ? STREAM_STATUS_ENDED : 0));
	/* Data must be in memory before the position that covers them. */
	atomic_thread_fence(memory_order_release);
	if (!unit_put(&st->unit, st->unit.base[P40_PAGE] + STREAM_PAGE_STATE, &s, 4))
		return false;
	s.written = htole32(position(st));
	atomic_thread_fence(memory_order_release);
	unit_put(&st->unit, st->unit.base[P40_PAGE] + STREAM_PAGE_STATE + 4, &s.written, last - 4);
	atomic_thread_fence(memory_order_release);
	if (!unit_fault_take(&st->unit, P40_TORN_STATE))
		unit_put(&st->unit, st->unit.base[P40_PAGE] + STREAM_PAGE_STATE + last,
			 &s.sequence_end, 4);
	st->sequence++;
	st->reported = st->written;
	st->state_due = false;
	st->state_ns = 0;
	st->n.states++;
	return true;
}

static uint32_t pending(const struct p40_stream *st)
{
	return st->reported - st->irq.seen;
}

bool p40_interrupt_to_come(const struct p40_stream *st)
{
	return st->irq.armed && st->unit.vector[0] != FUNCTION_VECTOR_NONE &&
	       (pending(st) || st->urgent);
}

/* Report the end in the state, which is not written again after it. False: bus mastering is off. */
static bool send_interrupt(struct p40_stream *st, uint32_t reason, uint64_t now)
{
	enum card_message how;

	st->reason = reason;
	st->interrupts++;
	st->irq.armed = false;
	if (!st->ended && !write_state(st, now))
		goto wait;
	if (!unit_fault_take(&st->unit, UNIT_IRQ_LOST)) {
		how = unit_message(&st->unit, 0);
		if (how == CARD_MESSAGE_NO_MASTER)
			goto wait;
		st->n.interrupts += how == CARD_MESSAGE_SENT;
	}
	st->urgent = 0;
	unit_irq_sent(&st->irq, now);
	return true;
wait:
	st->interrupts--;
	st->irq.armed = true;
	return false;
}

/* Reason of an interrupt that is due; 0: none, @when is the time of the next check. */
static uint32_t due_reason(const struct p40_stream *st, uint64_t now, uint64_t *when)
{
	if (!p40_interrupt_to_come(st))
		return 0;
	return st->urgent | unit_irq_due(&st->irq, (uint64_t)pending(st) * STREAM_LINE, now, when);
}

static bool all_written(const struct p40_stream *st)
{
	return st->closing && !p40_waiting(st) && !st->meta_due && !st->unit.fault[P40_END_MISSING];
}

/*
 * Write the counters, then the state. An interrupt writes the state itself, so only one of both
 * paths writes it.
 */
static void end(struct p40_stream *st, uint64_t now)
{
	uint64_t when = CARD_STEP_IDLE;
	uint32_t reason;

	if (!st->end_reported) {
		st->end_reported = true;
		st->urgent |= STREAM_REASON_ENDED;
	}
	if (!write_counters(st, now))
		return;
	reason = due_reason(st, now, &when);
	if (reason ? !send_interrupt(st, reason, now) : !write_state(st, now))
		return;
	st->ended = true;
	st->n.ends++;
}

/* A delayed state delays everything that follows it. */
static bool late(struct p40_stream *st, uint64_t now, uint64_t *when)
{
	if (!st->state_due && !all_written(st))
		return false;
	return unit_late(st->unit.fault[P40_STATE_LATE], &st->state_ns, now, when);
}

uint64_t p40_page_turn(struct p40_stream *st, uint64_t now)
{
	uint64_t when = CARD_STEP_IDLE, counters;
	uint32_t reason;

	if (!st->unit.enabled)
		return when;
	if (!st->ended && reported_status(st) != st->reported_status)
		st->state_due = true;
	if (!st->ended && late(st, now, &when))
		return when;
	if (all_written(st) && !st->ended) {
		end(st, now);
		return when;
	}
	if (!st->ended && st->counters_due) {
		counters = st->counters_ns + P40_COUNTERS_NS;
		if (counters <= now)
			write_counters(st, now);
		else
			when = counters;
	}
	if (!st->ended && st->state_due && !write_state(st, now))
		return when;
	reason = due_reason(st, now, &when);
	if (reason)
		send_interrupt(st, reason, now);
	return when;
}

void p40_spurious(struct unit *u, unsigned int vector)
{
	p40_stream(u)->n.interrupts += unit_message(u, vector) == CARD_MESSAGE_SENT;
}
