// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets of the main stream: filled with fragments, closed, and written into the ring piece by
 * piece, each as far as memory is contiguous and the step's budget goes.
 */
#include "p40.h"
#include "../pattern.h"

#include <endian.h>
#include <string.h>

#define AT_ONCE 4096 /* events in one turn */

static uint32_t data_at(const struct p40_packet *p, uint32_t fragments)
{
	uint32_t sizes = STREAM_PACKET_SIZES(fragments) + fragments * sizeof(uint32_t);

	return p40_up(sizes, 1u << p->align);
}

static uint32_t bytes_with(const struct p40_packet *p, uint32_t fragments, uint32_t payload)
{
	return p40_up(data_at(p, fragments) + payload, STREAM_LINE);
}

static uint32_t extent(const struct p40_packet *p, uint32_t size)
{
	return p40_up(size, 1u << p->align);
}

/* Apply faults to the header of a unit. */
static void apply_faults(struct p40_stream *st, struct stream_packet *h)
{
	if (unit_fault_take(&st->unit, P40_BAD_MAGIC))
		h->magic = htole16(0xdead);
	if (unit_fault_take(&st->unit, P40_SIZE_ZERO))
		h->size = 0;
	h->size = htole32(le32toh(h->size) + unit_fault_once(&st->unit, P40_SIZE_BIG));
	h->first_event =
		htole64(le64toh(h->first_event) + unit_fault_once(&st->unit, P40_SKIP_EVENT));
}

/* Apply faults to the fragments before they are written. */
static void apply_content_faults(struct p40_stream *st)
{
	struct p40_packet *p = &st->packet;
	uint32_t *last = &p->size[p->count - 1], bytes = unit_fault_once(&st->unit, P40_SHORT);

	if (bytes) {
		p->payload -= extent(p, *last);
		*last -= bytes < *last ? bytes : *last;
		p->payload += extent(p, *last);
	}
	if (unit_fault_take(&st->unit, P40_DAMAGED)) {
		p->truncated += !(p->type[0] & STREAM_FRAGMENT_TRUNCATED);
		p->type[0] |= STREAM_FRAGMENT_TRUNCATED;
	}
	if (unit_fault_take(&st->unit, P40_EMPTY)) {
		st->unit.total[P40_DISCARDED] += p->count;
		p->count = 0;
		p->payload = 0;
		p->truncated = 0;
	}
}

static void close_packet(struct p40_stream *st, uint64_t now, uint16_t flags)
{
	struct p40_packet *p = &st->packet;
	struct stream_packet h = {
		.magic = htole16(STREAM_MAGIC_PACKET),
		.version = STREAM_UNIT_VERSION,
		.align = p->align,
		.first_event = htole64(p->first),
		.source = htole16(p->source),
	};
	uint32_t i, sizes;

	apply_content_faults(st);
	sizes = STREAM_PACKET_SIZES(p->count);
	p->number = st->units + st->skipped;
	p->flags = flags | (p->truncated ? STREAM_PACKET_TRUNCATED : 0);
	p->data = data_at(p, p->count);
	p->bytes = bytes_with(p, p->count, p->payload);
	h.number = htole32(p->number);
	h.fragments = htole32(p->count);
	h.flags = htole16(p->flags);
	h.data = htole32(p->data);
	h.size = htole32(p->bytes);
	apply_faults(st, &h);
	memcpy(p->header, &h, sizeof(h));
	memcpy(p->header + STREAM_PACKET_TYPES, p->type, p->count);
	memset(p->header + STREAM_PACKET_TYPES + p->count, 0,
	       sizes - STREAM_PACKET_TYPES - p->count);
	for (i = 0; i < p->count; i++) {
		uint32_t size = htole32(p->size[i]);

		memcpy(p->header + sizes + i * sizeof(size), &size, sizeof(size));
	}
	sizes += p->count * sizeof(uint32_t);
	memset(p->header + sizes, 0, p->data - sizes);
	p->flip = p->payload && unit_fault_take(&st->unit, P40_FLIP);
	p->cycles = identity_cycles(&st->unit.card->identity, now);
	p->closed = true;
}

static void begin(struct p40_stream *st, uint64_t now, uint64_t first)
{
	struct p40_packet *p = &st->packet;

	p->first = first;
	p->begun_ns = now;
	p->payload = 0;
	p->truncated = 0;
	p->align = st->set.align;
	p->source = st->unit.card->identity.source;
}

static void add(struct p40_packet *p, const struct p40_event *e)
{
	p->type[p->count] = STREAM_FRAGMENT_GENERATED;
	if (e->truncated)
		p->type[p->count] |= STREAM_FRAGMENT_TRUNCATED;
	p->truncated += e->truncated;
	p->size[p->count++] = e->size;
	p->payload += extent(p, e->size);
}

/* There is no event now. Is it time to close the packet? */
static bool aged(struct p40_stream *st, uint64_t now, uint64_t *when)
{
	struct p40_packet *p = &st->packet;
	uint64_t end = p->begun_ns + st->set.pack_ns;

	if (st->closing) {
		close_packet(st, now, STREAM_PACKET_CLOSED);
		return true;
	}
	if (!st->set.pack_ns)
		return false;
	if (end <= now) {
		close_packet(st, now, STREAM_PACKET_AGED);
		return true;
	}
	if (end < *when)
		*when = end;
	return false;
}

/* True when the packet is closed. */
static bool fill(struct p40_stream *st, uint64_t now, uint64_t *when)
{
	struct p40_packet *p = &st->packet;
	struct p40_event e;
	uint32_t payload;
	unsigned int n;

	for (n = 0; n < AT_ONCE; n++) {
		bool wide = false;

		if (p->count && p->count >= st->set.pack_events) {
			close_packet(st, now, 0);
			return true;
		}
		if (!p->count && p40_source_paced(st, now, when))
			return false;
		if (!p40_source_peek(st, now, &e, when))
			return p->count && aged(st, now, when);
		if (p->count && e.id != p->first + p->count) {
			close_packet(st, now, STREAM_PACKET_GAP);
			return true;
		}
		if (!p->count)
			begin(st, now, e.id);
		payload = p->payload + extent(p, e.size);
		if (bytes_with(p, p->count + 1, payload) > p40_packet_limit(st)) {
			if (p->count) {
				close_packet(st, now, 0);
				return true;
			}
			/* The event was accepted when larger packets were allowed. */
			wide = true;
		}
		p40_source_take(st, now, &e);
		if (wide)
			p40_source_cut(st, now, &e, p40_source_fit(st));
		add(p, &e);
	}
	*when = now;
	return false;
}

/* Write @bytes bytes of a fragment from its byte @at on, then zeroes up to @extent. */
static void write_fragment(uint8_t *to, uint32_t start, uint32_t at, uint32_t bytes,
			   uint32_t extent)
{
	struct page page = {
		.pattern = PATTERN_WORDS,
		.counter = start + at / 4,
		.payload = bytes & ~3u,
	};
	uint32_t last = htole32(page.counter + bytes / 4);

	page_write(to, &page);
	if (bytes % 4)
		memcpy(to + page.payload, &last, bytes % 4);
	if (extent > bytes)
		memset(to + bytes, 0, extent - bytes);
}

static void write_piece(struct p40_packet *p, uint8_t *to, uint32_t len)
{
	while (len) {
		uint32_t n = len, bytes = 0, whole;

		if (p->at < p->data) {
			if (n > p->data - p->at)
				n = p->data - p->at;
			memcpy(to, p->header + p->at, n);
		} else if (p->fragment < p->count) {
			uint32_t size = p->size[p->fragment];

			whole = extent(p, size);
			if (n > whole - p->offset)
				n = whole - p->offset;
			if (size > p->offset)
				bytes = size - p->offset < n ? size - p->offset : n;
			write_fragment(to, stream_pattern(p->source, p->first + p->fragment),
				       p->offset, bytes, n);
			if (p->flip && bytes) {
				to[0] ^= 0x10;
				p->flip = false;
			}
			p->offset += n;
			if (p->offset == whole) {
				p->fragment++;
				p->offset = 0;
			}
		} else {
			memset(to, 0, n);
		}
		p->at += n;
		to += n;
		len -= n;
	}
}

/* Pieces outside every mapping are lost. */
static void skip_piece(struct p40_packet *p, uint32_t len)
{
	static uint8_t nowhere[4096];

	while (len) {
		uint32_t n = len < sizeof(nowhere) ? len : sizeof(nowhere);

		write_piece(p, nowhere, n);
		len -= n;
	}
}

/* Bytes written. */
static size_t write_packet(struct p40_stream *st, size_t budget)
{
	struct p40_packet *p = &st->packet;
	size_t moved = 0;

	budget = budget / STREAM_LINE * STREAM_LINE + STREAM_LINE;
	while (p->at < p->bytes && moved < budget) {
		size_t len = p->bytes - p->at;
		void *ptr;

		if (len > budget - moved)
			len = budget - moved;
		switch (p40_ring_at(st, p->position, p->at, &len, &ptr)) {
		case CARD_DMA_NO_MASTER:
			return moved;
		case CARD_DMA_OUTSIDE:
			skip_piece(p, len);
			break;
		case CARD_DMA_OK:
			write_piece(p, ptr, len);
			break;
		}
		st->unit.n.dma_writes++;
		moved += len;
	}
	return moved;
}

/* Key stamp: write the card's clock over the first bytes of the payload, for measuring latency. */
static void stamp(struct p40_stream *st)
{
	struct p40_packet *p = &st->packet;
	uint64_t now = htole64(unit_now(&st->unit));
	size_t len = sizeof(now);
	void *ptr;

	if (p->size[0] >= sizeof(now) &&
	    p40_ring_at(st, p->position, p->data, &len, &ptr) == CARD_DMA_OK && len == sizeof(now))
		memcpy(ptr, &now, sizeof(now));
}

static bool has_space(struct p40_stream *st)
{
	uint32_t lines = st->packet.bytes / STREAM_LINE;

	if (p40_space(st) < p40_ahead(st) + lines)
		st->recycled = 0;
	return p40_space(st) >= p40_ahead(st) + lines && p40_meta_ready(p40_of(st));
}

static void written(struct p40_stream *st)
{
	struct p40_packet *p = &st->packet;

	p->written = true;
	unit_pace(&st->unit, p->bytes);
	/*
	 * A packet that was begun beyond the position is never reported, even if the key has
	 * changed.
	 */
	if (p40_of(st)->recycle || p->position != st->written) {
		st->recycled += p->bytes / STREAM_LINE;
		st->n.recycled += p->bytes;
		st->unit.total[P40_DISCARDED] += p->count;
		return;
	}
	if (p40_of(st)->stamp)
		stamp(st);
	p40_unit_done(st, p->bytes / STREAM_LINE, p->count, p->first + p->count - 1);
	st->meta_due = true;
}

size_t p40_packet_turn(struct p40_stream *st, uint64_t now, size_t budget, uint64_t *when)
{
	struct p40_packet *p = &st->packet;
	size_t moved = 0;

	while (moved < budget) {
		if (!p->closed && !fill(st, now, when))
			break;
		if (!p->writing && p40_unit_skip(st, p->count)) {
			p->count = 0;
			p->closed = false;
			continue;
		}
		if (!p->writing && !has_space(st)) {
			st->n.fulls += !st->full;
			st->full = true;
			p40_source_spill(st, now, when);
			break;
		}
		st->full = false;
		if (!p->writing) {
			p->position = st->written + p40_ahead(st);
			p->at = 0;
			p->fragment = 0;
			p->offset = 0;
			p->writing = true;
		}
		moved += write_packet(st, budget - moved);
		if (p->at < p->bytes)
			break; /* the budget is used up, or bus mastering is off */
		if (!p->written)
			written(st);
		if (st->meta_due && !p40_meta_write(st))
			break;
		st->meta_due = false;
		p->count = 0;
		p->closed = false;
		p->writing = false;
		p->written = false;
	}
	if (p->writing && st->unit.no_master)
		p40_source_spill(st, now, when);
	return moved;
}

uint32_t p40_packet_drop(struct p40_stream *st, bool writing)
{
	struct p40_packet *p = &st->packet;
	uint32_t events = p->written ? 0 : p->count;

	if (p->writing && !writing)
		return 0;
	p->count = 0;
	p->closed = false;
	p->writing = false;
	p->written = false;
	st->meta_due = false;
	st->full = false;
	return events;
}
