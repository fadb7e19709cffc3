/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A minimal driver for the event interface, on top of emu_host.h or emu_crorc.h: it obeys the
 * host's rules of the document unless a test breaks them on purpose. Rings are in the upper half of
 * the memory, superpages in the lower.
 */
#ifndef ROC_UNIT_EMU_EVENTS_H
#define ROC_UNIT_EMU_EVENTS_H

#include <endian.h>

#include "kmod/pool/event_regs.h"
#include "unit.h"

#define RINGS (HOST_MEMORY / 2)
#define RING_BYTES 0x100000u /* each, two a channel */
#define NOTICE (HOST_MEMORY - 8192)

struct driver {
	unsigned int fn, bar;
	uint32_t block; /* offset of the channel's registers */
	unsigned int submit_log2, record_log2;
	struct event_descriptor *submit;
	struct event_record *record;
	uint64_t submit_bus, record_bus;
	uint32_t published, seen;
	struct event_record last;
};

static uint32_t ev_rd(const struct driver *d, uint32_t off)
{
	return HOST_CARD.read(host.card, d->fn, d->bar, d->block + off);
}

static void ev_wr(const struct driver *d, uint32_t off, uint32_t value)
{
	HOST_CARD.write(host.card, d->fn, d->bar, d->block + off, value);
}

/* Set up everything up to enabling; @nr: number of the pair of rings. */
static void ev_prepare(struct driver *d, unsigned int nr, unsigned int submit_log2,
		       unsigned int record_log2)
{
	size_t at = RINGS + 2 * nr * RING_BYTES;

	d->submit_log2 = submit_log2;
	d->record_log2 = record_log2;
	d->submit = (void *)(host.memory + at);
	d->record = (void *)(host.memory + at + RING_BYTES);
	d->submit_bus = HOST_BASE + at;
	d->record_bus = d->submit_bus + RING_BYTES;
	d->published = 0;
	d->seen = 0;
	memset(d->record, 0, sizeof(*d->record) << record_log2);
	ev_wr(d, EVENT_SUBMIT_LOW, d->submit_bus);
	ev_wr(d, EVENT_SUBMIT_HIGH, d->submit_bus >> 32);
	ev_wr(d, EVENT_SUBMIT_SIZE, submit_log2);
	ev_wr(d, EVENT_RECORD_LOW, d->record_bus);
	ev_wr(d, EVENT_RECORD_HIGH, d->record_bus >> 32);
	ev_wr(d, EVENT_RECORD_SIZE, record_log2);
}

static uint32_t ev_enable(struct driver *d)
{
	ev_wr(d, EVENT_CONTROL, EVENT_CONTROL_ENABLE);
	return ev_rd(d, EVENT_STATUS);
}

/* Put one descriptor into the ring without a doorbell. */
static void ev_put(struct driver *d, unsigned int link, uint64_t addr, uint32_t length)
{
	d->submit[d->published++ & ((1u << d->submit_log2) - 1)] = (struct event_descriptor){
		.address = htole64(addr),
		.length = htole32(length),
		.link = htole16(link),
	};
}

static void ev_ring(struct driver *d)
{
	ev_wr(d, EVENT_DOORBELL, d->published);
}

/* Copy the next record into d->last if it is present. */
static bool ev_next(struct driver *d)
{
	const struct event_record *r = &d->record[d->seen & ((1u << d->record_log2) - 1)];

	if ((le32toh(r->status) & EVENT_RECORD_PHASE) != EVENT_PHASE(d->seen, d->record_log2))
		return false;
	d->last = *r;
	d->seen++;
	return true;
}

/* Check that the next record is present and has these values. @status: without the phase. */
#define EV_RECORD(d, number, size, flags)                                                          \
	do {                                                                                       \
		UNIT_NEED(ev_next(d));                                                             \
		UNIT_EQ(le32toh((d)->last.sequence), (d)->seen - 1);                               \
		UNIT_EQ(le32toh((d)->last.descriptor), number);                                    \
		UNIT_EQ(le32toh((d)->last.bytes), size);                                           \
		UNIT_EQ(le32toh((d)->last.status) & ~EVENT_RECORD_PHASE, flags);                   \
	} while (0)

static void ev_arm(struct driver *d)
{
	ev_wr(d, EVENT_ARM, d->seen);
}

/* Consume all present records. Returns their number. */
__attribute__((unused)) static unsigned int ev_drain(struct driver *d)
{
	unsigned int n = 0;

	while (ev_next(d))
		n++;
	return n;
}

#endif /* ROC_UNIT_EMU_EVENTS_H */
