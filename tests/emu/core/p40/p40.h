/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal interface of the PCIe40 model: its state and the functions that its files share. The
 * server uses the model through `p40_card` (card.h); the contract is
 * Documentation/hardware/stream-interface.md.
 *
 *	p40.c           tables and counts
 *	p40_regs.c      registers of a stream, doorbell
 *	p40_settings.c  the open BAR: settings, counters
 *	p40_stream.c    enable, close, reset and turn of a stream
 *	p40_source.c    generators, spill buffer, throttle, truncation
 *	p40_packet.c    fragments into packets, packets into the ring
 *	p40_record.c    meta and ODIN records
 *	p40_ring.c      where in host memory a position is, units that are in there
 *	p40_page.c      control page and interrupts
 *	p40_control.c   settings and faults of the control socket
 *
 * ../unit/unit.h has the part that is common to all cards of units.
 *
 * An event goes from the source, through the spill buffer if it has to wait, into the packet being
 * filled; a closed packet is written when there is space. All state belongs to struct p40; card.h
 * has the locking rules.
 */
#ifndef EMU_P40_H
#define EMU_P40_H

#include "../unit/generator.h"
#include "../unit/unit.h"

#include "kmod/cards/p40/p40_regs.h"
#include "kmod/stream/stream_packet.h"
#include "kmod/stream/stream_regs.h"

#define P40_ALL ((1u << P40_STREAMS) - 1)
#define P40_EVENT_BYTES 8 /* smallest space of an event in the spill buffer */
#define P40_HEADER_MAX                                                                             \
	(STREAM_PACKET_TYPES + 5 * (STREAM_PACK_EVENTS_MAX + 1) + (1 << STREAM_SET_ALIGN_MAX))
#define P40_NS_PER_CYCLE (1000000000 / P40_CLOCK)
#define P40_COUNTERS_NS 2000000 /* largest age of the counters in the page */

/* In the order of p40_fault_list, behind those of the engine. */
enum p40_fault {
	P40_STATE_LATE = UNIT_FAULTS,
	P40_WRONG_POSITION,
	P40_BEYOND_RING,
	P40_TORN_STATE,
	P40_END_MISSING,
	P40_END_EARLY,
	P40_BAD_MAGIC,
	P40_SIZE_ZERO,
	P40_SIZE_BIG,
	P40_SKIP_EVENT,
	P40_RECORD_HOLE,
	P40_SHORT,
	P40_EMPTY,
	P40_DAMAGED,
	P40_FLIP,
	P40_LOST_SEGMENTS,
	P40_CYCLES_WRONG,
};

/* Addresses of a stream: of the ring, or of its table of segments, and of the control page. */
enum p40_address {
	P40_RING,
	P40_PAGE,
};

/* Numbers of the counters of a stream: words of struct stream_counters. */
enum p40_counter {
	P40_UNITS,
	P40_BYTES,
	P40_OFFERED,
	P40_EVENTS,
	P40_DISCARDED,
	P40_THROTTLES,
	P40_THROTTLED,
	P40_THROTTLE_CYCLES,
	P40_THROTTLE_FIRST,
	P40_THROTTLE_FROM,
	P40_THROTTLE_TO,
	P40_TRUNCATIONS,
	P40_TRUNCATED,
	P40_TRUNCATED_BYTES,
	P40_TRUNCATE_CYCLES,
	P40_TRUNCATE_FIRST,
	P40_TRUNCATE_FROM,
	P40_TRUNCATE_TO,
	P40_WAITING,
};

struct p40_event {
	uint64_t id;
	uint32_t size; /* of the remaining payload */
	uint32_t cut;  /* bytes that were cut off */
	bool truncated;
};

struct p40_spill {
	struct p40_event *event; /* @room of them */
	uint32_t capacity, at, count;
	uint32_t size, level; /* bytes */
	bool throttling, truncating;
	uint64_t throttle_ns, truncate_ns; /* start time, or time of the last summation */
};

/* The packet that is filled and then written. */
struct p40_packet {
	uint64_t first;
	uint64_t begun_ns, cycles;
	uint32_t number;
	uint32_t *size; /* of each fragment */
	uint8_t *type;
	uint32_t count, payload, truncated;
	uint32_t align; /* log2 */
	uint16_t source, flags;
	bool closed, writing, written;
	/* closed */
	uint8_t *header;
	uint32_t data, bytes;
	/* writing */
	uint32_t at; /* bytes of it that are in the ring */
	uint32_t fragment, offset;
	uint32_t position;
	bool flip;
};

struct p40_settings {
	uint32_t policy, pack_events, pack_bytes, pack_ns, align;
	uint32_t throttle_on, throttle_off, truncate_on;
};

/* Counts of a stream besides its counters and those common to all units. */
struct p40_counts {
	uint64_t doorbells, states, interrupts;
	uint64_t closes, ends;
	uint64_t fulls; /* times a unit found no space */
	uint64_t recycled, units_skipped;
};

struct p40_stream {
	struct unit unit;
	unsigned int kind; /* STREAM_TYPE_* */

	/* registers */
	uint32_t ring_size, segment_size;

	/* of the run */
	bool closing, ended;
	uint32_t ring_log2, segment_log2;
	uint32_t written, reported, read; /* positions */
	uint32_t units;
	uint32_t skipped; /* fault record-hole: numbers without a unit */
	uint64_t last_event;
	uint32_t recycled; /* p40_ahead() */
	bool full;

	/* control page and interrupts */
	uint32_t sequence, counters_sequence;
	uint32_t reported_status;
	bool state_due, counters_due, end_reported;
	uint64_t state_ns, counters_ns;
	struct unit_irq irq; /* in bytes */
	uint32_t urgent, reason, interrupts;

	struct p40_settings set;
	struct generator gen;
	uint64_t first; /* of the generator */
	struct p40_spill spill;
	struct p40_packet packet;
	bool meta_due; /* a packet is written and its record is still due */
	bool meta_dropping;
	struct p40_counts n;
};

struct p40 {
	struct unit_card card;
	struct p40_stream st[P40_STREAMS];

	uint32_t enable; /* open register: bit per stream */

	/* keys */
	bool recycle, stamp;
};

static inline struct p40 *p40_of(const struct p40_stream *st)
{
	return (struct p40 *)st->unit.card;
}

static inline struct p40_stream *p40_stream(const struct unit *u)
{
	return (struct p40_stream *)u;
}

static inline uint32_t p40_up(uint32_t bytes, uint32_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* Events that were offered and are not in the ring yet. */
static inline uint64_t p40_waiting(const struct p40_stream *st)
{
	return st->spill.count + (st->packet.written ? 0 : st->packet.count);
}

/* Value of a counter as the card shows it. */
static inline uint64_t p40_counter(struct p40_stream *st, enum p40_counter nr)
{
	if (st->unit.fault[P40_CYCLES_WRONG] &&
	    (nr == P40_THROTTLE_CYCLES || nr == P40_TRUNCATE_CYCLES))
		return UINT64_MAX;
	return unit_counter(&st->unit, nr);
}

/* p40_regs.c */
extern const struct unit_register p40_registers[];
uint32_t p40_read(struct unit *u, uint32_t off);
void p40_write(struct unit *u, uint32_t off, uint32_t value);
void p40_control(struct unit *u, uint32_t value);
uint32_t p40_doorbell_read(struct unit *u, uint32_t off);
void p40_doorbell_write(struct unit *u, uint32_t off, uint32_t value);
bool p40_doorbell_wakes_engine(struct unit *u, uint32_t off);

/* p40_settings.c */
uint32_t p40_open_read(struct unit_card *card, uint32_t off);
void p40_open_write(struct unit_card *card, uint32_t off, uint32_t value);
bool p40_open_poke(struct unit_card *card, uint32_t off, uint32_t value);
void p40_settings_default(struct p40_stream *st);
void p40_card_default(struct unit_card *card);

/* p40_stream.c: life of a stream, as struct unit_ops has it */
int p40_init(struct unit *u);
void p40_free(struct unit *u);
bool p40_setup_ok(const struct unit *u);
void p40_prepare(struct unit *u);
void p40_take_over(struct unit *u);
bool p40_begin(struct unit *u);
uint64_t p40_stray_at(const struct unit *u);
void p40_off(struct unit *u);
void p40_flush(struct unit *u);
void p40_logic(struct unit *u);
void p40_reset_counters(struct unit *u);
void p40_defaults(struct unit *u);
void p40_error(struct unit *u, uint32_t status);
bool p40_quiesced(const struct unit *u);
size_t p40_turn(struct unit *u, uint64_t now, size_t budget, uint64_t *when);

/* p40_ring.c */
/* Location of *len bytes, cut to what is contiguous, @offset bytes after a position. */
enum card_dma p40_ring_at(struct p40_stream *st, uint32_t position, uint32_t offset, size_t *len,
			  void **ptr);
uint32_t p40_lines(const struct p40_stream *st);
uint32_t p40_space(const struct p40_stream *st);
/* Fault record-hole: the next unit of @events events is counted and not written. */
bool p40_unit_skip(struct p40_stream *st, uint32_t events);
/* A unit is completely in the ring. */
void p40_unit_done(struct p40_stream *st, uint32_t lines, uint32_t events, uint64_t last);

/* p40_source.c */
void p40_source_default(struct p40_stream *st);
/*
 * Return the next event that can be packed, without consuming it. False: *when is the time of the
 * next try.
 */
bool p40_source_peek(struct p40_stream *st, uint64_t now, struct p40_event *e, uint64_t *when);
void p40_source_take(struct p40_stream *st, uint64_t now, const struct p40_event *e);
/* Does the key rate delay the source until *when? */
bool p40_source_paced(struct p40_stream *st, uint64_t now, uint64_t *when);
/* Nothing can be packed now: put new events into the spill buffer. */
void p40_source_spill(struct p40_stream *st, uint64_t now, uint64_t *when);
/* Discard the events in the spill buffer. Returns their number. */
uint32_t p40_source_drop(struct p40_stream *st, uint64_t now);
/* Stop the source: throttle and truncation are off. */
void p40_source_off(struct p40_stream *st, uint64_t now);
/* Update the counters: events that passed while the throttle was on, and its cycles. */
void p40_source_update_counters(struct p40_stream *st, uint64_t now);
/* An accepted event is too large by now: cut it. */
void p40_source_cut(struct p40_stream *st, uint64_t now, struct p40_event *e, uint32_t size);
/* Bytes of the largest packet, and of the payload that fits into it. */
uint32_t p40_packet_limit(const struct p40_stream *st);
uint32_t p40_source_fit(const struct p40_stream *st);

/* p40_packet.c, p40_record.c: return bytes written, and the time of the next call */
size_t p40_packet_turn(struct p40_stream *st, uint64_t now, size_t budget, uint64_t *when);
/* Discard the packet. If @writing is false, keep a packet that is being written. */
uint32_t p40_packet_drop(struct p40_stream *st, bool writing);
size_t p40_odin_turn(struct p40_stream *st, uint64_t now, size_t budget, uint64_t *when);
/* Is there space for a packet's record, or is none needed? */
bool p40_meta_ready(const struct p40 *c);
/* Write the record of the packet that has been written. False: it must wait. */
bool p40_meta_write(struct p40_stream *main);
/* With the key recycle: lines beyond the position that are written and not reported. */
static inline uint32_t p40_ahead(const struct p40_stream *st)
{
	return p40_of(st)->recycle ? st->recycled : 0;
}

/* p40_page.c */
uint32_t p40_status(const struct unit *u);
void p40_page_begin(struct p40_stream *st);
uint64_t p40_page_turn(struct p40_stream *st, uint64_t now);
void p40_spurious(struct unit *u, unsigned int vector);
bool p40_interrupt_to_come(const struct p40_stream *st);

/* p40_control.c */
extern const struct card_key p40_keys[];
extern const struct card_fault p40_fault_list[];

#endif /* EMU_P40_H */
