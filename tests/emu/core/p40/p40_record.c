// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The streams of records of 64 bytes: one per event (ODIN), one per packet of main (meta).
 */
#include "p40.h"

#include <endian.h>
#include <string.h>

static struct p40_stream *meta_of(struct p40 *c)
{
	return &c->st[P40_STREAM_META];
}

static bool meta_takes(const struct p40 *c)
{
	const struct p40_stream *meta = &c->st[P40_STREAM_META];

	return meta->unit.enabled && !meta->closing && c->enable & 1u << P40_STREAM_META;
}

static bool meta_waits(const struct p40_stream *meta)
{
	return meta->set.policy & STREAM_POLICY_THROTTLE && !p40_space(meta);
}

bool p40_meta_ready(const struct p40 *c)
{
	struct p40_stream *meta = meta_of((struct p40 *)c);

	meta->full = meta_takes(c) && meta_waits(meta);
	return !meta->full;
}

/* There is no space, and the policy is not to wait. */
static void drop(struct p40_stream *meta, const struct p40_packet *p)
{
	uint64_t last = p->first + p->count - 1;

	meta->unit.total[P40_OFFERED] += p->count;
	meta->unit.total[P40_DISCARDED] += p->count;
	meta->unit.total[P40_TRUNCATED] += p->count;
	meta->unit.total[P40_TRUNCATED_BYTES] += STREAM_LINE;
	if (!meta->meta_dropping) {
		meta->unit.total[P40_TRUNCATIONS]++;
		meta->unit.total[P40_TRUNCATE_FROM] = p->first;
		if (unit_counter(&meta->unit, P40_TRUNCATIONS) == 1)
			meta->unit.total[P40_TRUNCATE_FIRST] = p->first;
	}
	meta->unit.total[P40_TRUNCATE_TO] = last;
	meta->meta_dropping = true;
	meta->counters_due = true;
}

bool p40_meta_write(struct p40_stream *main)
{
	struct p40_stream *meta = meta_of(p40_of(main));
	const struct p40_packet *p = &main->packet;
	struct stream_meta m = {
		.magic = htole16(STREAM_MAGIC_META),
		.version = STREAM_UNIT_VERSION,
		.size = htole32(sizeof(m)),
		.first_event = htole64(p->first),
		.number = htole32(p->number),
		.position = htole32(p->position),
		.bytes = htole32(p->bytes),
		.fragments = htole32(p->count),
		.truncated = htole32(p->truncated),
		.source = htole16(p->source),
		.flags = htole16(p->flags),
		.cycles = htole64(p->cycles),
	};
	size_t len = sizeof(m);
	void *ptr;

	_Static_assert(sizeof(m) == STREAM_LINE, "a record is a line");
	if (!meta_takes(p40_of(main)))
		return true;
	if (!p40_space(meta)) {
		drop(meta, p);
		return true;
	}
	meta->meta_dropping = false;
	switch (p40_ring_at(meta, meta->written, 0, &len, &ptr)) {
	case CARD_DMA_NO_MASTER:
		return false;
	case CARD_DMA_OUTSIDE:
		break;
	case CARD_DMA_OK:
		memcpy(ptr, &m, len);
		break;
	}
	meta->unit.n.dma_writes++;
	meta->unit.total[P40_OFFERED] += p->count;
	p40_unit_done(meta, 1, p->count, p->first + p->count - 1);
	return true;
}

static void build(const struct p40_stream *st, uint64_t now, uint64_t event, struct stream_odin *o)
{
	uint16_t source = st->unit.card->identity.source;
	uint32_t pattern = stream_pattern(source, event), i;

	*o = (struct stream_odin){
		.magic = htole16(STREAM_MAGIC_ODIN),
		.version = STREAM_UNIT_VERSION,
		.size = htole32(sizeof(*o)),
		.event = htole64(event),
		.cycles = htole64(identity_cycles(&st->unit.card->identity, now)),
		.number = htole32(st->units + st->skipped),
		.source = htole16(source),
		.stream = htole16(st->unit.nr - P40_STREAM_ODIN),
		.orbit = htole32(event / STREAM_ODIN_BUNCHES),
		.bunch = htole16(event % STREAM_ODIN_BUNCHES),
		.trigger = htole16(STREAM_ODIN_TRIGGER),
	};
	for (i = 0; i < 6; i++)
		o->word[i] = htole32(pattern + i);
}

static void apply_faults(struct p40_stream *st, struct stream_odin *o)
{
	if (unit_fault_take(&st->unit, P40_BAD_MAGIC))
		o->magic = htole16(0xdead);
	if (unit_fault_take(&st->unit, P40_SIZE_ZERO))
		o->size = 0;
	o->size = htole32(le32toh(o->size) + unit_fault_once(&st->unit, P40_SIZE_BIG));
	o->event = htole64(le64toh(o->event) + unit_fault_once(&st->unit, P40_SKIP_EVENT));
	if (unit_fault_take(&st->unit, P40_FLIP))
		o->word[1] ^= htole32(0x10);
}

static bool odin_space(struct p40_stream *st)
{
	if (p40_space(st) == p40_ahead(st))
		st->recycled = 0;
	if (p40_space(st) > p40_ahead(st))
		return true;
	st->n.fulls += !st->full;
	st->full = true;
	return false;
}

static void odin_done(struct p40_stream *st, uint64_t event)
{
	unit_pace(&st->unit, STREAM_LINE);
	if (p40_of(st)->recycle) {
		st->recycled++;
		st->n.recycled += STREAM_LINE;
		st->unit.total[P40_DISCARDED]++;
		return;
	}
	p40_unit_done(st, 1, 1, event);
}

/* Position of the next records: as many lines as space, budget and contiguous memory allow. */
static enum card_dma lines_at(struct p40_stream *st, size_t budget, uint8_t **to, uint32_t *lines)
{
	uint32_t capacity = p40_space(st) - p40_ahead(st);
	size_t len = (budget + STREAM_LINE - 1) / STREAM_LINE * STREAM_LINE;
	enum card_dma how;

	if (len > (size_t)capacity * STREAM_LINE)
		len = (size_t)capacity * STREAM_LINE;
	how = p40_ring_at(st, st->written + p40_ahead(st), 0, &len, (void **)to);
	*lines = len / STREAM_LINE;
	if (how == CARD_DMA_OK && *lines)
		return how;
	/*
	 * A line across two mappings is not contiguous; no host maps so. It is lost, as DMA
	 * outside.
	 */
	*lines = 1;
	return how == CARD_DMA_OK ? CARD_DMA_OUTSIDE : how;
}

/* Put the available events into at most @lines lines. Returns their number. */
static uint32_t put_records(struct p40_stream *st, uint64_t now, uint8_t *to, uint32_t lines,
			    uint64_t *when)
{
	struct stream_odin lost;
	struct p40_event e;
	uint32_t n = 0;

	while (n < lines) {
		struct stream_odin *o = to ? (struct stream_odin *)(to + n * STREAM_LINE) : &lost;

		if (p40_source_paced(st, now, when) || !p40_source_peek(st, now, &e, when))
			break;
		if (p40_unit_skip(st, 1)) {
			p40_source_take(st, now, &e);
			continue;
		}
		n++;
		build(st, now, e.id, o);
		apply_faults(st, o);
		p40_source_take(st, now, &e);
		odin_done(st, e.id);
	}
	return n;
}

size_t p40_odin_turn(struct p40_stream *st, uint64_t now, size_t budget, uint64_t *when)
{
	struct p40_event e;
	size_t moved = 0;

	while (moved < budget) {
		uint8_t *to = NULL;
		enum card_dma how;
		uint32_t lines;

		if (p40_source_paced(st, now, when) || !p40_source_peek(st, now, &e, when))
			break;
		if (!odin_space(st)) {
			p40_source_spill(st, now, when);
			break;
		}
		st->full = false;
		how = lines_at(st, budget - moved, &to, &lines);
		if (how == CARD_DMA_NO_MASTER) {
			p40_source_spill(st, now, when);
			break;
		}
		st->unit.n.dma_writes++;
		lines = put_records(st, now, how == CARD_DMA_OK ? to : NULL, lines, when);
		moved += lines * STREAM_LINE;
	}
	return moved;
}
