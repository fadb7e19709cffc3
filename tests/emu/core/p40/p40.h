/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PCIe40 model from the inside: its state, and what its files offer to each other. From the
 * outside the model is `p40_card` of card.h; the contract is
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
 * What a card of units has in common with others is in ../unit/unit.h.
 *
 * An event goes from the source, through the spill buffer if it has to wait, into the packet being
 * filled; a packet that is closed is written when there is room. All state belongs to struct p40;
 * card.h says who may call what when.
 */
#ifndef EMU_P40_H
#define EMU_P40_H

#include "../unit/generator.h"
#include "../unit/unit.h"

#include "kmod/cards/p40/p40_regs.h"
#include "kmod/stream/stream_packet.h"
#include "kmod/stream/stream_regs.h"

#define P40_ALL ((1u << P40_STREAMS) - 1)
#define P40_EVENT_BYTES 8 /* an event takes at least so much of the spill buffer */
#define P40_HEADER_MAX                                                                             \
	(STREAM_PACKET_TYPES + 5 * (STREAM_PACK_EVENTS_MAX + 1) + (1 << STREAM_SET_ALIGN_MAX))
#define P40_NS_PER_CYCLE (1000000000 / P40_CLOCK)
#define P40_COUNTERS_NS 2000000 /* the counters in the page are at most so old */

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
	uint32_t size; /* of the payload that is left */
	uint32_t cut;  /* bytes that were cut off */
	bool truncated;
};

struct p40_spill {
	struct p40_event *event; /* @room of them */
	uint32_t capacity, at, count;
	uint32_t size, level; /* bytes */
	bool throttling, truncating;
	uint64_t throttle_ns, truncate_ns; /* since then, or since it was last added up */
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

/* What a stream counts besides its counters and what all units count. */
struct p40_counts {
	uint64_t doorbells, states, interrupts;
	uint64_t closes, ends;
	uint64_t fulls; /* times a unit found no room */
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
	bool meta_due; /* a packet is written, and its record is not */
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

/* Events that were offered and are not in the ring. */
static inline uint64_t p40_waiting(const struct p40_stream *st)
{
	return st->spill.count + (st->packet.written ? 0 : st->packet.count);
}

/* A counter, as the card shows it. */
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
bool p40_doorbell_stirs(struct unit *u, uint32_t off);

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
/* Where @len bytes, less if they are in pieces, @offset bytes behind a position are. */
enum card_dma p40_ring_at(struct p40_stream *st, uint32_t position, uint32_t offset, size_t *len,
			  void **ptr);
uint32_t p40_lines(const struct p40_stream *st);
uint32_t p40_space(const struct p40_stream *st);
/* By the fault record-hole: the next unit, of so many events, is counted and not written. */
bool p40_unit_skip(struct p40_stream *st, uint32_t events);
/* A unit is whole in the ring. */
void p40_unit_done(struct p40_stream *st, uint32_t lines, uint32_t events, uint64_t last);

/* p40_source.c */
void p40_source_default(struct p40_stream *st);
/* The next event that can be packed, not taken yet; false: when to look again. */
bool p40_source_peek(struct p40_stream *st, uint64_t now, struct p40_event *e, uint64_t *when);
void p40_source_take(struct p40_stream *st, uint64_t now, const struct p40_event *e);
/* By the key rate: not yet. */
bool p40_source_paced(struct p40_stream *st, uint64_t now, uint64_t *when);
/* Nothing can be packed now: what comes goes into the spill buffer. */
void p40_source_spill(struct p40_stream *st, uint64_t now, uint64_t *when);
/* What waits in the spill buffer is thrown away; how many events. */
uint32_t p40_source_drop(struct p40_stream *st, uint64_t now);
/* The stream stands still: neither throttle nor truncation is on. */
void p40_source_off(struct p40_stream *st, uint64_t now);
/* The counters are up to date: what passed while the throttle was on, and for how long. */
void p40_source_update_counters(struct p40_stream *st, uint64_t now);
/* An event that was accepted is too large by now. */
void p40_source_cut(struct p40_stream *st, uint64_t now, struct p40_event *e, uint32_t size);
/* Bytes of the largest packet, and of the payload that it has room for. */
uint32_t p40_packet_limit(const struct p40_stream *st);
uint32_t p40_source_fit(const struct p40_stream *st);

/* p40_packet.c, p40_record.c: bytes written, and when to look again */
size_t p40_packet_turn(struct p40_stream *st, uint64_t now, size_t budget, uint64_t *when);
/* Throws the packet away, but not one that is being written if it is only to be emptied. */
uint32_t p40_packet_drop(struct p40_stream *st, bool writing);
size_t p40_odin_turn(struct p40_stream *st, uint64_t now, size_t budget, uint64_t *when);
/* Is there room for a packet's record, or none needed? */
bool p40_meta_ready(const struct p40 *c);
/* The record of the packet that has been written. False: it has to wait. */
bool p40_meta_write(struct p40_stream *main);
/* With the key recycle: lines behind the position that are used and not told of. */
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
