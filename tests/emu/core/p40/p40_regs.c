// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BAR 0, the driver's: blocks of the streams, doorbell pages, block of the function.
 */
#include "p40.h"

/* The stream whose block or page this is; NULL: none. *off becomes the register in it. */
static struct p40_stream *in_block(struct p40 *c, uint32_t *off)
{
	uint32_t at = *off - P40_STREAM(0);

	if (at >= P40_STREAMS * STREAM_SIZE)
		return NULL;
	*off = at % STREAM_SIZE;
	return &c->st[at / STREAM_SIZE];
}

static struct p40_stream *in_doorbell(struct p40 *c, uint32_t *off)
{
	uint32_t at = *off - P40_DOORBELL(0);

	if (at >= P40_STREAMS * STREAM_DOORBELL_SIZE)
		return NULL;
	*off = at % STREAM_DOORBELL_SIZE;
	return &c->st[at / STREAM_DOORBELL_SIZE];
}

static uint32_t type(const struct p40_stream *st)
{
	return st->kind | (st->kind == STREAM_TYPE_ODIN ? st->nr - P40_STREAM_ODIN : 0) << 8;
}

static uint32_t read_stream(const struct p40_stream *st, uint32_t off)
{
	switch (off) {
	case STREAM_ID:
		return (uint32_t)STREAM_ID_STREAM << 16 | STREAM_VSEC_REVISION << 8 | st->nr;
	case STREAM_TYPE:
		return type(st);
	case STREAM_CONTROL:
		return st->enabled || st->loading ? STREAM_CONTROL_ENABLE : 0;
	case STREAM_STATUS:
		return p40_stream_status(st);
	case STREAM_GENERATION:
		return st->generation;
	case STREAM_RING_SIZE:
		return st->ring_size;
	case STREAM_SEGMENT_SIZE:
		return st->segment_size;
	case STREAM_START:
		return st->start;
	case STREAM_IRQ_BYTES:
		return st->irq_bytes;
	case STREAM_IRQ_NS:
		return st->irq_ns;
	case STREAM_VECTOR:
		return st->vector;
	case STREAM_WRITTEN:
		return st->written;
	case STREAM_ARM:
	case STREAM_READ_NOW:
		return st->read;
	case STREAM_ARM_SEEN:
		return st->seen;
	}
	return 0;
}

static void base(struct p40_stream *st, unsigned int which, uint32_t *reg, uint32_t value)
{
	*reg = value;
	st->written_bases |= 1u << which;
}

static void control(struct p40_stream *st, uint32_t value)
{
	if (!(value & STREAM_CONTROL_ENABLE)) {
		if (st->enabled || st->loading)
			p40_stream_disable(st);
		return;
	}
	/* An enable that is refused has no end to be asked for. */
	if (st->enabled && value & STREAM_CONTROL_CLOSE)
		p40_stream_close(st);
	else
		p40_stream_enable(st);
}

static void write_stream(struct p40_stream *st, uint32_t off, uint32_t value)
{
	switch (off) {
	case STREAM_CONTROL:
		control(st, value);
		break;
	case STREAM_RESET:
		if (value & ~STREAM_RESET_ALL)
			p40_host_error(st);
		else
			p40_stream_reset(st, value);
		break;
	case STREAM_RING_LOW:
		base(st, 0, &st->ring_low, value);
		break;
	case STREAM_RING_HIGH:
		base(st, 1, &st->ring_high, value);
		break;
	case STREAM_PAGE_LOW:
		base(st, 2, &st->page_low, value);
		break;
	case STREAM_PAGE_HIGH:
		base(st, 3, &st->page_high, value);
		break;
	case STREAM_RING_SIZE:
		st->ring_size = value;
		break;
	case STREAM_SEGMENT_SIZE:
		if (!p40_fault_take(st, P40_LOST_SEGMENTS))
			st->segment_size = value;
		break;
	case STREAM_START:
		st->start = value;
		break;
	case STREAM_ARM:
		p40_stream_arm(st, value, true);
		break;
	case STREAM_ARM_SEEN:
		p40_stream_arm(st, value, false);
		break;
	case STREAM_IRQ_BYTES:
		st->irq_bytes = value;
		break;
	case STREAM_IRQ_NS:
		st->irq_ns = value;
		break;
	case STREAM_VECTOR:
		st->vector = value & 0xffff;
		break;
	}
}

uint32_t p40_read(struct p40 *c, uint32_t off)
{
	const struct p40_stream *st;

	if (off - P40_FUNCTION < FUNCTION_SIZE)
		return function_block_read(&c->function, off - P40_FUNCTION);
	st = in_block(c, &off);
	if (st)
		return read_stream(st, off);
	st = in_doorbell(c, &off);
	return st && off == STREAM_READ ? st->read : 0;
}

void p40_write(struct p40 *c, uint32_t off, uint32_t value)
{
	struct p40_stream *st;

	if (off - P40_FUNCTION < FUNCTION_SIZE) {
		function_block_write(&c->function, off - P40_FUNCTION, value);
		return;
	}
	st = in_block(c, &off);
	if (st) {
		write_stream(st, off, value);
		return;
	}
	st = in_doorbell(c, &off);
	if (st && off == STREAM_READ)
		p40_stream_read(st, value);
}

/* Room for a stream that does not wait for any, and values that are only kept, wake nobody. */
bool p40_stirs(struct p40 *c, uint32_t off)
{
	const struct p40_stream *st = in_block(c, &off);

	if (st)
		return off < STREAM_RING_LOW || off > STREAM_START;
	st = in_doorbell(c, &off);
	return !st || st->full || st->host_error;
}
