/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PCIe40 model from the inside: its state, and what its files offer to each other. From the
 * outside the model is `p40_card` of card.h; the contract is
 * Documentation/hardware/stream-interface.md.
 *
 *	p40.c           life, counts
 *	p40_regs.c      the driver's BAR: stream blocks, doorbells, function block
 *	p40_settings.c  the open BAR: card, settings, counters
 *	p40_stream.c    enable, table of segments, close, reset; the engine's step
 *	p40_source.c    generators, spill buffer, throttle, truncation
 *	p40_packet.c    fragments into packets, packets into the ring
 *	p40_record.c    meta and ODIN records
 *	p40_ring.c      where in host memory a position is
 *	p40_page.c      control page and interrupts
 *	p40_function.c  what the block of the function asks for
 *	p40_keys.c      settings of the control socket
 *	p40_faults.c    faults of the control socket
 *
 * An event goes from the source, through the spill buffer if it has to wait, into the packet being
 * filled; a packet that is closed is written when there is room. All state belongs to struct p40;
 * card.h says who may call what when.
 */
#ifndef EMU_P40_H
#define EMU_P40_H

#include "../unit/function_block.h"
#include "../unit/identity.h"
#include "../unit/source_clock.h"
#include "../unit/unit_faults.h"

#include "kmod/cards/p40/p40_regs.h"
#include "kmod/stream/stream_packet.h"
#include "kmod/stream/stream_regs.h"

#define P40_FN 0 /* the card's only function */
#define P40_ALL ((1u << P40_STREAMS) - 1)
#define P40_EVENT_BYTES 8 /* an event takes at least so much of the spill buffer */
#define P40_HEADER_MAX                                                                             \
	(STREAM_PACKET_TYPES + 5 * (STREAM_PACK_EVENTS_MAX + 1) + (1 << STREAM_SET_ALIGN_MAX))
#define P40_NS_PER_CYCLE (1000000000 / P40_CLOCK)
#define P40_COUNTERS_NS 2000000 /* the counters in the page are at most so old */

/* In the order of p40_fault_list. */
enum p40_fault {
	P40_STALL,
	P40_STATE_LATE,
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
	P40_LOST_DOORBELL,
	P40_LOST_SEGMENTS,
	P40_IRQ_LOST,
	P40_IRQ_SPURIOUS,
	P40_ENABLE_SLOW,
	P40_LOAD_SLOW,
	P40_FETCH_ERROR,
	P40_NEVER_QUIET,
	P40_RESET_IGNORED,
	P40_RESET_SLOW,
	P40_WRITE_AFTER_OFF,
	P40_CYCLES_WRONG,
	P40_FAULTS,
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
	uint32_t room, at, count;
	uint32_t size, level; /* bytes */
	bool throttling, truncating;
	uint64_t throttle_ns, truncate_ns; /* since then, or since it was last added up */
};

struct p40_generator {
	uint32_t control, size_min, size_max, rate;
	uint64_t first, limit;
	uint64_t next, generated;
	struct source_clock clock;
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

/* What the model counts besides the counters of the card. */
struct p40_counts {
	uint64_t doorbells, arms, states, interrupts, unrouted;
	uint64_t host_errors, fetch_errors, setup_errors;
	uint64_t resets, closes, ends;
	uint64_t fulls; /* times a unit found no room */
	uint64_t recycled;
	uint64_t dma_writes, dma_outside, dma_no_master;
	uint64_t units_skipped, doorbells_lost, stray_writes;
};

struct p40_stream {
	struct p40 *card;
	unsigned int nr;
	unsigned int kind; /* STREAM_TYPE_* */

	/* registers */
	uint32_t ring_low, ring_high, page_low, page_high;
	unsigned int written_bases; /* which of these four */
	uint32_t ring_size, segment_size, start;
	uint32_t irq_bytes, irq_ns, vector;
	uint32_t generation;
	bool setup_error, fetch_error, host_error;

	/* as taken over at enabling */
	bool enabled, loading, closing, ended;
	uint64_t ring, page;
	uint32_t ring_log2, segment_log2;
	uint64_t *segment; /* bus addresses; NULL: contiguous */
	uint32_t segments, loaded;
	uint64_t load_ns;
	bool load_shows;		    /* in STATUS */
	uint32_t written, told, read, seen; /* positions */
	uint32_t units;
	uint32_t skipped; /* fault record-hole: numbers without a unit */
	uint64_t last_event;
	uint32_t recycled; /* p40_ahead() */
	bool full;

	/* control page and interrupts */
	uint32_t sequence, counters_sequence;
	uint32_t told_status;
	bool state_due, counters_due, end_told;
	uint64_t state_ns, counters_ns;
	bool armed, interrupted;
	uint64_t interrupt_ns;
	uint32_t urgent, reason, interrupts;

	uint32_t reset_due; /* fault reset-slow: these levels, at: */
	uint64_t reset_ns;
	uint64_t stray_ns; /* fault write-after-off: 0, or when; at: */
	uint64_t stray_addr;

	struct p40_settings set;
	struct p40_generator gen;
	struct p40_spill spill;
	struct p40_packet packet;
	bool meta_due; /* a packet is written, and its record is not */
	bool meta_dropping;
	uint64_t rate; /* key: bytes/s, 0: no limit */
	uint64_t pace_ns;
	bool no_master; /* waiting, counted */

	uint64_t total[STREAM_COUNTERS]; /* since power-on, but for first, from, to */
	uint64_t base[STREAM_COUNTERS];	 /* as they were at the last reset of counters */
	uint64_t clear[STREAM_COUNTERS]; /* at the last clear of the control socket */
	uint32_t fault[P40_FAULTS];
	struct p40_counts n;
};

struct p40 {
	const struct card_host *host;
	struct p40_stream st[P40_STREAMS];
	struct function_block function;
	struct identity identity;
	unsigned int turn; /* stream to be served next */

	uint32_t enable; /* open register: bit per stream */

	/* keys */
	uint32_t position_start;
	bool recycle, stamp;

	uint64_t fault[P40_FAULTS]; /* of the card; those of a stream are there */
	bool spurious_now;
	uint64_t spurious_ns;

	uint64_t dma_outside_ever; /* not zeroed by clear */
	uint64_t function_resets;
};

static inline uint64_t p40_now(const struct p40 *c)
{
	return c->host->now(c->host->ctx);
}

static inline uint32_t p40_up(uint32_t bytes, uint32_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* p40_regs.c, p40_settings.c */
uint32_t p40_read(struct p40 *c, uint32_t off);
void p40_write(struct p40 *c, uint32_t off, uint32_t value);
bool p40_stirs(struct p40 *c, uint32_t off);
uint32_t p40_open_read(struct p40 *c, uint32_t off);
void p40_open_write(struct p40 *c, uint32_t off, uint32_t value);
bool p40_open_poke(struct p40 *c, uint32_t off, uint32_t value);
void p40_settings_default(struct p40_stream *st);
void p40_card_default(struct p40 *c);
/* A counter, as the card shows it. */
uint64_t p40_counter(struct p40_stream *st, enum p40_counter nr);

/* p40_stream.c */
int p40_stream_init(struct p40_stream *st);
void p40_stream_free(struct p40_stream *st);
uint64_t p40_step(struct p40 *c, size_t budget);
void p40_stream_enable(struct p40_stream *st);
void p40_stream_disable(struct p40_stream *st);
void p40_stream_close(struct p40_stream *st);
void p40_stream_reset(struct p40_stream *st, uint32_t levels);
/* By the function: at once, faults or not. */
void p40_stream_power_on(struct p40_stream *st);
void p40_stream_read(struct p40_stream *st, uint32_t value);
/* Arms; @read: and gives room back. */
void p40_stream_arm(struct p40_stream *st, uint32_t value, bool read);
uint32_t p40_stream_status(const struct p40_stream *st);
void p40_host_error(struct p40_stream *st);
uint64_t p40_waiting(const struct p40_stream *st);

/* p40_ring.c */
/* Where @len bytes, less if they are in pieces, @offset bytes behind a position are. */
enum card_dma p40_ring_at(struct p40_stream *st, uint32_t position, uint32_t offset, size_t *len,
			  void **ptr);
uint32_t p40_lines(const struct p40_stream *st);
uint32_t p40_room(const struct p40_stream *st);
/* A few bytes, outside of the ring: the control page. False: no bus mastering. */
bool p40_put(struct p40_stream *st, uint64_t addr, const void *data, size_t bytes);
void p40_outside(struct p40_stream *st);
void p40_no_master(struct p40_stream *st);

/* p40_source.c */
void p40_source_default(struct p40_stream *st);
void p40_source_restart(struct p40_stream *st);
/* The next event that can be packed, not taken yet; false: when to look again. */
bool p40_source_peek(struct p40_stream *st, uint64_t now, struct p40_event *e, uint64_t *when);
void p40_source_take(struct p40_stream *st, uint64_t now, const struct p40_event *e);
/* By the key rate: not yet. */
bool p40_source_held(struct p40_stream *st, uint64_t now, uint64_t *when);
void p40_source_wrote(struct p40_stream *st, uint32_t bytes);
/* Nothing can be packed now: what comes goes into the spill buffer. */
void p40_source_spill(struct p40_stream *st, uint64_t now, uint64_t *when);
/* What waits in the spill buffer is thrown away; how many events. */
uint32_t p40_source_drop(struct p40_stream *st, uint64_t now);
/* The stream stands still: neither throttle nor truncation is on. */
void p40_source_off(struct p40_stream *st, uint64_t now);
/* The counters are up to date: what passed while the throttle was on, and for how long. */
void p40_source_settle(struct p40_stream *st, uint64_t now);
void p40_source_clock(struct p40_stream *st);
/* An event that was accepted is too large by now. */
void p40_source_cut(struct p40_stream *st, uint64_t now, struct p40_event *e, uint32_t size);
/* Payload that the largest packet has room for. */
uint32_t p40_source_fit(const struct p40_stream *st);

/* p40_packet.c, p40_record.c: bytes written, and when to look again */
size_t p40_packet_turn(struct p40_stream *st, uint64_t now, size_t budget, uint64_t *when);
uint32_t p40_packet_limit(const struct p40_stream *st);
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
	return st->card->recycle ? st->recycled : 0;
}

/* By the fault record-hole: the next unit, of so many events, is counted and not written. */
bool p40_unit_skip(struct p40_stream *st, uint32_t events);
/* A unit is whole in the ring. */
void p40_unit_done(struct p40_stream *st, uint32_t lines, uint32_t events, uint64_t last);

/* p40_page.c */
void p40_page_begin(struct p40_stream *st);
uint64_t p40_page_turn(struct p40_stream *st, uint64_t now);
uint64_t p40_spurious_turn(struct p40 *c, uint64_t now);
bool p40_interrupt_to_come(const struct p40_stream *st);

/* p40_function.c */
extern const struct function_block_ops p40_function_ops;

/* p40_keys.c, p40_faults.c */
extern const struct card_key p40_keys[];
extern const struct card_fault p40_fault_list[];
void p40_keys_default(struct p40 *c);
bool p40_fault_set(void *card, unsigned int fn, const char *name, uint64_t arg);
bool p40_fault_clear(void *card, unsigned int fn, const char *name);
uint64_t p40_fault_get(void *card, unsigned int fn, const char *name);

static inline bool p40_fault_take(struct p40_stream *st, enum p40_fault fault)
{
	return unit_fault_take(&st->fault[fault]);
}

static inline uint32_t p40_fault_once(struct p40_stream *st, enum p40_fault fault)
{
	return unit_fault_once(&st->fault[fault]);
}

#endif /* EMU_P40_H */
