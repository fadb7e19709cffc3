// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a stream: enabled, with its table of segments, closed, reset, disabled; and its turn.
 */
#include "p40.h"

#include <stdlib.h>
#include <string.h>

int p40_init(struct unit *u)
{
	struct p40_stream *st = p40_stream(u);
	struct p40_spill *s = &st->spill;
	struct p40_packet *p = &st->packet;

	if (u->nr == P40_STREAM_MAIN)
		st->kind = STREAM_TYPE_MAIN;
	else
		st->kind = u->nr == P40_STREAM_META ? STREAM_TYPE_META : STREAM_TYPE_ODIN;
	if (st->kind == STREAM_TYPE_META)
		return 0;
	s->size = st->kind == STREAM_TYPE_MAIN ? P40_SPILL_MAIN : P40_SPILL_ODIN;
	s->capacity = s->size / (st->kind == STREAM_TYPE_MAIN ? P40_EVENT_BYTES : STREAM_LINE) + 1;
	s->event = calloc(s->capacity, sizeof(*s->event));
	if (!s->event || st->kind != STREAM_TYPE_MAIN)
		return s->event ? 0 : -1;
	p->size = calloc(STREAM_PACK_EVENTS_MAX, sizeof(*p->size));
	p->type = calloc(STREAM_PACK_EVENTS_MAX, 1);
	p->header = calloc(1, P40_HEADER_MAX);
	return p->size && p->type && p->header ? 0 : -1;
}

void p40_free(struct unit *u)
{
	struct p40_stream *st = p40_stream(u);

	free(st->spill.event);
	free(st->packet.size);
	free(st->packet.type);
	free(st->packet.header);
}

void p40_error(struct unit *u, uint32_t status)
{
	if (status == BLOCK_STATUS_HOST_ERROR)
		p40_stream(u)->urgent |= STREAM_REASON_ERROR;
}

bool p40_quiesced(const struct unit *u)
{
	if (p40_stream(u)->ended)
		return !p40_interrupt_to_come(p40_stream(u));
	return !u->enabled && !u->loading;
}

bool p40_setup_ok(const struct unit *u)
{
	uint32_t ring = p40_stream(u)->ring_size, segment = p40_stream(u)->segment_size;

	if (!unit_address_ok(u, P40_RING) || !unit_address_ok(u, P40_PAGE) ||
	    ring < STREAM_RING_MIN || ring > P40_RING_MAX)
		return false;
	return !segment || (segment >= STREAM_SEGMENT_MIN && segment <= ring &&
			    1ull << (ring - segment) <= P40_SEGMENTS);
}

/* Cancel requested interrupts and a requested end. */
static void clear_requests(struct p40_stream *st)
{
	st->closing = false;
	st->ended = false;
	st->irq.armed = false;
	st->full = false;
}

void p40_prepare(struct unit *u)
{
	struct p40_stream *st = p40_stream(u);

	clear_requests(st);
	st->written = u->start;
	st->reported = u->start;
	st->read = u->start;
	st->irq.seen = u->start;
	st->recycled = 0;
	st->units = 0;
	st->skipped = 0;
	st->last_event = 0;
	st->meta_dropping = false;
}

void p40_take_over(struct unit *u)
{
	struct p40_stream *st = p40_stream(u);

	st->ring_log2 = st->ring_size;
	st->segment_log2 = st->segment_size;
	if (!st->segment_size)
		return;
	u->table_at = u->base[P40_RING];
	u->entries = 1u << (st->ring_log2 - st->segment_log2);
	u->entry_align = STREAM_ALIGN;
}

bool p40_begin(struct unit *u)
{
	p40_page_begin(p40_stream(u));
	p40_page_turn(p40_stream(u), unit_now(u));
	return true;
}

uint64_t p40_stray_at(const struct unit *u)
{
	return u->table ? u->table[0] : u->base[P40_RING];
}

void p40_off(struct unit *u)
{
	struct p40_stream *st = p40_stream(u);
	uint64_t now = unit_now(u), events;

	p40_source_off(st, now);
	events = p40_source_drop(st, now);
	events += p40_packet_drop(st, true);
	u->total[P40_DISCARDED] += events;
	clear_requests(st);
	st->urgent = 0;
}

void p40_flush(struct unit *u)
{
	struct p40_stream *st = p40_stream(u);

	u->total[P40_DISCARDED] += p40_source_drop(st, unit_now(u)) + p40_packet_drop(st, false);
	st->counters_due = true;
}

void p40_logic(struct unit *u)
{
	struct p40_stream *st = p40_stream(u);

	st->ring_size = 0;
	st->segment_size = 0;
	st->written = 0;
	st->read = 0;
	st->irq.seen = 0;
	generator_restart(&st->gen, st->first);
}

void p40_reset_counters(struct unit *u)
{
	struct p40_stream *st = p40_stream(u);

	p40_source_update_counters(st, unit_now(u));
	unit_restart_counts(u, u->zero);
	memset(&u->total[P40_THROTTLE_FIRST], 0, 3 * sizeof(uint64_t));
	memset(&u->total[P40_TRUNCATE_FIRST], 0, 3 * sizeof(uint64_t));
	st->meta_dropping = false;
	st->counters_due = true;
}

void p40_defaults(struct unit *u)
{
	struct p40_stream *st = p40_stream(u);

	st->irq.count = 0;
	st->irq.ns = 0;
	p40_source_default(st);
	p40_settings_default(st);
}

size_t p40_turn(struct unit *u, uint64_t now, size_t budget, uint64_t *when)
{
	struct p40_stream *st = p40_stream(u);
	size_t moved = 0;

	if (!u->enabled)
		return 0;
	if (!st->ended && st->kind == STREAM_TYPE_MAIN)
		moved = p40_packet_turn(st, now, budget, when);
	else if (!st->ended && st->kind == STREAM_TYPE_ODIN)
		moved = p40_odin_turn(st, now, budget, when);
	*when = earlier(*when, p40_page_turn(st, now));
	/*
	 * Write the meta record of a packet of main at once, in whichever stream's turn the packet
	 * was written.
	 */
	if (moved && st->kind == STREAM_TYPE_MAIN)
		*when = earlier(*when, p40_page_turn(&p40_of(st)->st[P40_STREAM_META], now));
	return moved;
}
