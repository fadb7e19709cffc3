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

	return meta->enabled && !meta->closing && c->enable & 1u << P40_STREAM_META;
}

static bool meta_waits(const struct p40_stream *meta)
{
	return meta->set.policy & STREAM_POLICY_THROTTLE && !p40_room(meta);
}

bool p40_meta_ready(const struct p40 *c)
{
	struct p40_stream *meta = meta_of((struct p40 *)c);

	meta->full = meta_takes(c) && meta_waits(meta);
	return !meta->full;
}

/* No room, and nobody is to wait for it. */
static void drop(struct p40_stream *meta, const struct p40_packet *p)
{
	uint64_t last = p->first + p->count - 1;

	meta->total[P40_OFFERED] += p->count;
	meta->total[P40_DISCARDED] += p->count;
	meta->total[P40_TRUNCATED] += p->count;
	meta->total[P40_TRUNCATED_BYTES] += STREAM_LINE;
	if (!meta->meta_dropping) {
		meta->total[P40_TRUNCATIONS]++;
		meta->total[P40_TRUNCATE_FROM] = p->first;
		if (p40_counter(meta, P40_TRUNCATIONS) == 1)
			meta->total[P40_TRUNCATE_FIRST] = p->first;
	}
	meta->total[P40_TRUNCATE_TO] = last;
	meta->meta_dropping = true;
	meta->counters_due = true;
}

bool p40_meta_write(struct p40_stream *main)
{
	struct p40_stream *meta = meta_of(main->card);
	const struct p40_packet *p = &main->packet;
	struct stream_meta m = {
		.magic = htole16(STREAM_MAGIC_META),
		.version = STREAM_UNIT_VERSION,
		.size = htole32(sizeof(m)),
		.first_event = htole64(p->first),
		.number = htole32(main->units - 1),
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
	if (!meta_takes(main->card))
		return true;
	if (!p40_room(meta)) {
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
	meta->n.dma_writes++;
	meta->total[P40_OFFERED] += p->count;
	p40_unit_done(meta, 1, p->count, p->first + p->count - 1);
	return true;
}

static void build(const struct p40_stream *st, uint64_t now, uint64_t event, struct stream_odin *o)
{
	uint16_t source = st->card->source;
	uint32_t pattern = stream_pattern(source, event), i;

	*o = (struct stream_odin){
		.magic = htole16(STREAM_MAGIC_ODIN),
		.version = STREAM_UNIT_VERSION,
		.size = htole32(sizeof(*o)),
		.event = htole64(event),
		.cycles = htole64(p40_cycles(st->card, now)),
		.number = htole32(st->units),
		.source = htole16(source),
		.stream = htole16(st->nr - P40_STREAM_ODIN),
		.orbit = htole32(event / STREAM_ODIN_BUNCHES),
		.bunch = htole16(event % STREAM_ODIN_BUNCHES),
		.trigger = htole16(STREAM_ODIN_TRIGGER),
	};
	for (i = 0; i < 6; i++)
		o->word[i] = htole32(pattern + i);
}

static void spoil(struct p40_stream *st, struct stream_odin *o)
{
	if (p40_fault_take(st, P40_BAD_MAGIC))
		o->magic = htole16(0xdead);
	if (p40_fault_take(st, P40_SIZE_ZERO))
		o->size = 0;
	o->size = htole32(le32toh(o->size) + p40_fault_once(st, P40_SIZE_BIG));
	o->event = htole64(le64toh(o->event) + p40_fault_once(st, P40_SKIP_EVENT));
	if (p40_fault_take(st, P40_FLIP))
		o->word[1] ^= htole32(0x10);
}

static bool odin_room(struct p40_stream *st)
{
	if (p40_room(st) == p40_ahead(st))
		st->recycled = 0;
	if (p40_room(st) > p40_ahead(st))
		return true;
	st->n.fulls += !st->full;
	st->full = true;
	return false;
}

static void odin_done(struct p40_stream *st, uint64_t event)
{
	p40_source_wrote(st, STREAM_LINE);
	if (st->card->recycle) {
		st->recycled++;
		st->n.recycled += STREAM_LINE;
		st->total[P40_DISCARDED]++;
		return;
	}
	p40_unit_done(st, 1, 1, event);
}

size_t p40_odin_turn(struct p40_stream *st, uint64_t now, size_t budget, uint64_t *when)
{
	struct stream_odin o;
	struct p40_event e;
	size_t moved = 0;

	while (moved < budget) {
		size_t len = sizeof(o);
		enum card_dma how;
		void *ptr;

		if (p40_source_held(st, now, when) || !p40_source_peek(st, now, &e, when))
			break;
		if (!odin_room(st)) {
			p40_source_spill(st, now, when);
			break;
		}
		st->full = false;
		how = p40_ring_at(st, st->written + p40_ahead(st), 0, &len, &ptr);
		if (how == CARD_DMA_NO_MASTER) {
			p40_source_spill(st, now, when);
			break;
		}
		build(st, now, e.id, &o);
		spoil(st, &o);
		if (how == CARD_DMA_OK)
			memcpy(ptr, &o, len);
		st->n.dma_writes++;
		p40_source_take(st, now, &e);
		odin_done(st, e.id);
		moved += STREAM_LINE;
	}
	return moved;
}
