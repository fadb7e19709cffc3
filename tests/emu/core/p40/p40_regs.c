// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of a stream in BAR 0, which belongs to the driver, and its doorbell page: positions and
 * arming.
 */
#include "p40.h"

#define PLACE(member) offsetof(struct p40_stream, member)

const struct unit_register p40_registers[] = {
	{STREAM_RING_SIZE, ~0u, PLACE(ring_size)},	{STREAM_START, ~0u, PLACE(unit.start)},
	{STREAM_IRQ_BYTES, ~0u, PLACE(irq.count)},	{STREAM_IRQ_NS, ~0u, PLACE(irq.ns)},
	{STREAM_VECTOR, 0xffff, PLACE(unit.vector[0])}, {},
};

static uint32_t type(const struct p40_stream *st)
{
	return st->kind | (st->kind == STREAM_TYPE_ODIN ? st->unit.nr - P40_STREAM_ODIN : 0) << 8;
}

uint32_t p40_read(struct unit *u, uint32_t off)
{
	const struct p40_stream *st = p40_stream(u);

	switch (off) {
	case STREAM_TYPE:
		return type(st);
	case STREAM_SEGMENT_SIZE:
		return st->segment_size;
	case STREAM_WRITTEN:
		return st->written;
	case STREAM_ARM:
	case STREAM_READ_NOW:
		return st->read;
	case STREAM_ARM_SEEN:
		return st->irq.seen;
	}
	return 0;
}

/* The host has already read past this position. */
static bool is_late(const struct p40_stream *st, uint32_t value)
{
	return st->read - value <= p40_lines(st);
}

/* Bytes from the read position to the reported position. */
static bool in_bounds(const struct p40_stream *st, uint32_t value)
{
	return value - st->read <= st->reported - st->read;
}

static void arm(struct p40_stream *st, uint32_t value, bool read)
{
	st->unit.n.arms++;
	if (!unit_doorbell(&st->unit))
		return;
	if (in_bounds(st, value)) {
		st->irq.seen = value;
		st->read = read ? value : st->read;
	} else if (is_late(st, value)) {
		st->irq.seen = st->read;
	} else {
		unit_host_error(&st->unit);
		return;
	}
	st->irq.armed = true;
}

void p40_write(struct unit *u, uint32_t off, uint32_t value)
{
	struct p40_stream *st = p40_stream(u);

	switch (off) {
	case STREAM_SEGMENT_SIZE:
		if (!unit_fault_take(u, P40_LOST_SEGMENTS))
			st->segment_size = value;
		break;
	case STREAM_ARM:
		arm(st, value, true);
		break;
	case STREAM_ARM_SEEN:
		arm(st, value, false);
		break;
	}
}

/* Carry out CLOSE. The engine calls this only for an enabled stream. */
void p40_control(struct unit *u, uint32_t value)
{
	struct p40_stream *st = p40_stream(u);

	if (!(value & STREAM_CONTROL_CLOSE) || st->closing)
		return;
	p40_source_update_counters(st, unit_now(u));
	st->closing = true;
	st->n.closes++;
	generator_clock(&st->gen);
}

uint32_t p40_doorbell_read(struct unit *u, uint32_t off)
{
	return off == STREAM_READ ? p40_stream(u)->read : 0;
}

void p40_doorbell_write(struct unit *u, uint32_t off, uint32_t value)
{
	struct p40_stream *st = p40_stream(u);

	if (off != STREAM_READ)
		return;
	st->n.doorbells++;
	if (!unit_doorbell(u))
		return;
	if (!in_bounds(st, value)) {
		if (!is_late(st, value))
			unit_host_error(u);
		return;
	}
	if (value - st->read > st->irq.seen - st->read)
		st->irq.seen = value;
	st->read = value;
}

/* A write of READ needs a step only if the stream waits for space. */
bool p40_doorbell_wakes_engine(struct unit *u, uint32_t off)
{
	return p40_stream(u)->full;
}
