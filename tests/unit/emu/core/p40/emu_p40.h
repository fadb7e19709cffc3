/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A minimal host with a PCIe40; see emu_host_card.h. The control page of stream s is page s of the
 * memory, its ring begins at MiB 8 x (s + 1), or at the addresses of the table of segments at MiB
 * 4.
 */
#ifndef ROC_UNIT_EMU_P40_H
#define ROC_UNIT_EMU_P40_H

#include <endian.h>

#include "kmod/cards/p40/p40_regs.h"
#define HOST_CARD p40_card
#define UNIT_BLOCK(s) P40_STREAM(s)
#include "tests/unit/emu/emu_host_units.h"
#include "kmod/stream/stream_packet.h"
#include "kmod/stream/stream_regs.h"

#define MAIN P40_STREAM_MAIN
#define META P40_STREAM_META
#define ODIN P40_STREAM_ODIN
#define PAGE_AT(s) (HOST_BASE + 4096ull * (s))
#define RING_AT(s) (HOST_BASE + (8ull << 20) * ((s) + 1))
#define TABLE_AT (HOST_BASE + (4ull << 20))
#define LINE STREAM_LINE

/* State of the reader of stream s. */
static struct reader {
	uint32_t log2, segment_log2, read, units;
	uint64_t next_event; /* expected next */
	uint64_t fragments, truncated, bytes;
	uint32_t flags; /* of the last packet */
	/* settings of the generator */
	uint32_t min, max;
} reader[P40_STREAMS];

__attribute__((unused)) static uint32_t set_rd(unsigned int s, uint32_t off)
{
	return card_rd(P40_SETTINGS(s) + off);
}

__attribute__((unused)) static void set_wr(unsigned int s, uint32_t off, uint32_t value)
{
	card_wr(P40_SETTINGS(s) + off, value);
}

__attribute__((unused)) static void set_wide(unsigned int s, uint32_t off, uint64_t value)
{
	set_wr(s, off, value);
	set_wr(s, off + 4, value >> 32);
}

/* Counter nr of the registers. */
__attribute__((unused)) static uint64_t counter(unsigned int s, unsigned int nr)
{
	return wide(P40_SETTINGS(s) + STREAM_SET_COUNTERS + 8 * nr);
}

#define COUNTER(s, field)                                                                          \
	counter(s, (offsetof(struct stream_counters, field) -                                      \
		    offsetof(struct stream_counters, units)) /                                     \
			   8)

__attribute__((unused)) static const volatile struct stream_state *state(unsigned int s)
{
	return (const volatile struct stream_state *)(host.memory + 4096 * s);
}

__attribute__((unused)) static const struct stream_counters *page_counters(unsigned int s)
{
	return (const struct stream_counters *)(host.memory + 4096 * s + STREAM_PAGE_COUNTERS);
}

/* Read the counters of a stream and check that their sums hold. */
__attribute__((unused)) static void sum_is_right(unsigned int s)
{
	UNIT_EQ(COUNTER(s, offered), COUNTER(s, events) + COUNTER(s, throttled) +
					     COUNTER(s, discarded) + COUNTER(s, waiting));
}

__attribute__((unused)) static void addresses(unsigned int s, uint64_t ring)
{
	wr(s, STREAM_RING_LOW, ring);
	wr(s, STREAM_RING_HIGH, ring >> 32);
	wr(s, STREAM_PAGE_LOW, PAGE_AT(s));
	wr(s, STREAM_PAGE_HIGH, PAGE_AT(s) >> 32);
}

/* Enable the stream with a contiguous ring of 1 << log2 bytes. */
__attribute__((unused)) static void begin(unsigned int s, uint32_t log2)
{
	memset(host.memory + 4096 * s, 0, 4096);
	addresses(s, RING_AT(s));
	wr(s, STREAM_RING_SIZE, log2);
	wr(s, STREAM_SEGMENT_SIZE, 0);
	wr(s, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	UNIT_NEED(rd(s, BLOCK_STATUS) & BLOCK_STATUS_ENABLED);
	reader[s] = (struct reader){.log2 = log2, .read = rd(s, STREAM_START)};
}

/* Generate fragments of min to max bytes from event @first on. */
__attribute__((unused)) static void generate(unsigned int s, uint64_t first, uint32_t min,
					     uint32_t max, uint32_t more)
{
	reader[s].min = min;
	reader[s].max = max;
	reader[s].next_event = first;
	set_wr(s, STREAM_SET_SIZE_MIN, min);
	set_wr(s, STREAM_SET_SIZE_MAX, max);
	set_wide(s, STREAM_SET_FIRST, first);
	set_wr(s, STREAM_SET_GENERATOR,
	       STREAM_GENERATOR_RUN | (min < max ? STREAM_GENERATOR_DISTRIBUTED : 0) | more);
}

__attribute__((unused)) static uint8_t *ring_byte(unsigned int s, uint32_t position, uint32_t off)
{
	const struct reader *r = &reader[s];
	uint64_t at = ((uint64_t)position * LINE + off) & ((1ull << r->log2) - 1), entry;

	if (!r->segment_log2)
		return host.memory + (RING_AT(s) - HOST_BASE) + at;
	memcpy(&entry, host.memory + (TABLE_AT - HOST_BASE) + 8 * (at >> r->segment_log2), 8);
	return host.memory + (le64toh(entry) - HOST_BASE) + (at & ((1ull << r->segment_log2) - 1));
}

/* Return the unit at the read position in one piece, as in a ring that is mapped twice. */
__attribute__((unused)) static uint8_t *unit_at(unsigned int s, uint32_t position)
{
	static uint8_t unit[2 << 20];
	struct stream_unit u;
	uint32_t i;

	memcpy(&u, ring_byte(s, position, 0), sizeof(u));
	UNIT_NEED(u.size && u.size % LINE == 0 && u.size <= sizeof(unit));
	for (i = 0; i < u.size; i += LINE)
		memcpy(unit + i, ring_byte(s, position, i), LINE);
	return unit;
}

/* Check every byte of a fragment and of the padding up to @extent. */
__attribute__((unused)) static bool fragment_ok(const uint8_t *at, uint16_t source, uint64_t event,
						uint32_t size, uint32_t extent)
{
	uint32_t word = stream_pattern(source, event), i;

	for (i = 0; i < extent; i++) {
		uint8_t want = i < size ? (word + i / 4) >> 8 * (i % 4) : 0;

		if (at[i] != want)
			return false;
	}
	return true;
}

__attribute__((unused)) static uint32_t fragment_size(unsigned int s, uint64_t event)
{
	const struct reader *r = &reader[s];

	return r->min < r->max ? stream_size(event, r->min, r->max) : r->min;
}

/* Check one packet to the last byte; false and a message if it is wrong. */
__attribute__((unused)) static void packet(unsigned int s)
{
	struct reader *r = &reader[s];
	const uint8_t *unit = unit_at(s, r->read);
	const struct stream_packet *p = (const void *)unit;
	const uint8_t *type = unit + STREAM_PACKET_TYPES;
	const uint8_t *size = unit + STREAM_PACKET_SIZES(p->fragments);
	uint32_t at = p->data, align = 1u << p->align, i, bad = 0, cut = 0;

	UNIT_EQ(p->magic, STREAM_MAGIC_PACKET);
	UNIT_EQ(p->version, 1);
	UNIT_EQ(p->number, r->units);
	UNIT_EQ(p->data,
		(STREAM_PACKET_SIZES(p->fragments) + 4 * p->fragments + align - 1) / align * align);
	UNIT_EQ(p->first_event, r->next_event);
	for (i = STREAM_PACKET_TYPES + p->fragments; i < STREAM_PACKET_SIZES(p->fragments); i++)
		bad += unit[i];
	for (i = STREAM_PACKET_SIZES(p->fragments) + 4 * p->fragments; i < p->data; i++)
		bad += unit[i];
	for (i = 0; i < p->fragments; i++) {
		uint64_t event = p->first_event + i;
		uint32_t bytes, extent;

		memcpy(&bytes, size + 4 * i, 4);
		extent = (bytes + align - 1) / align * align;
		UNIT_NEED(at + extent <= p->size);
		bad += !fragment_ok(unit + at, p->source, event, bytes, extent);
		bad += (type[i] & 0x7f) != STREAM_FRAGMENT_GENERATED;
		if (type[i] & STREAM_FRAGMENT_TRUNCATED)
			cut++;
		else
			bad += bytes != fragment_size(s, event);
		at += extent;
	}
	UNIT_EQ(p->size, (at + LINE - 1) / LINE * LINE);
	for (; at < p->size; at++)
		bad += unit[at];
	UNIT_EQ(bad, 0);
	UNIT_EQ(!!(p->flags & STREAM_PACKET_TRUNCATED), !!cut);
	r->flags = p->flags;
	r->next_event += p->fragments;
	r->fragments += p->fragments;
	r->truncated += cut;
	r->bytes += p->size;
	r->read += p->size / LINE;
	r->units++;
}

__attribute__((unused)) static void doorbell(unsigned int s)
{
	wr0(P40_DOORBELL(s) + STREAM_READ, reader[s].read);
}

/* Read all present packets. Returns their number. */
__attribute__((unused)) static unsigned int packets(unsigned int s)
{
	unsigned int n;

	UNIT_NEED(state(s)->written - reader[s].read <= 1u << (reader[s].log2 - 6));
	for (n = 0; reader[s].read != state(s)->written; n++)
		packet(s);
	return n;
}

#endif /* ROC_UNIT_EMU_P40_H */
