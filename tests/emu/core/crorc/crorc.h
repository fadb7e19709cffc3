/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal interface of the C-RORC model: its state and the functions that its files share. The
 * server uses the model through `crorc_card` (card.h).
 *
 *	crorc.c          life, counts
 *	crorc_regs.c     the registers of six BARs
 *	crorc_channel.c  superpage in, completion block out, flush, reset
 *	crorc_source.c   generator and front end: packets, pace, the engine's step
 *	crorc_ddl.c      detector data link: commands and replies
 *	crorc_flash.c    flash command port and the two chips behind it
 *	crorc_events.c   superpages of the event interface
 *	crorc_keys.c     settings of the control socket
 *	crorc_faults.c   faults of the control socket
 *
 * All state belongs to struct crorc and lives as long as it; card.h has the locking rules.
 */
#ifndef EMU_CRORC_H
#define EMU_CRORC_H

#include "tests/emu/core/card.h"
#include "crorc_flash.h"
#include "tests/emu/core/events.h"
#include "tests/emu/core/pattern.h"
#include "tests/emu/core/rdh.h"

#include "kmod/cards/crorc/crorc_regs.h"

#define CRORC_FN 0 /* the card's only function */
#define CRORC_ALL ((1u << CRORC_CHANNELS) - 1)
#define CRORC_PAYLOAD_MAX (CRORC_PAGE_SIZE - RDH_BYTES)
#define CRORC_EVENT_DEPTH 16	    /* superpages of a channel, with the event interface */
#define CRORC_DDL_WORDS 256	    /* status words that can wait */
#define CRORC_LABEL 64		    /* characters of a hardware id, the last one zero */
#define CRORC_FW_DEFAULT 0x828801a2 /* v2.14.2 */

/* In the order of crorc_fault_list. */
enum crorc_fault {
	CRORC_STALL,
	CRORC_WRITE_RACE,
	CRORC_LOST_WRITE,
	CRORC_LOST_PUSH,
	CRORC_LATE_COMPLETION,
	CRORC_LATE_FLUSH,
	CRORC_COUNT_JUMP,
	CRORC_SIZE_BIG,
	CRORC_SIZE_ZERO,
	CRORC_WRITE_AFTER_OFF,
	CRORC_RESET_IGNORED,
	CRORC_DDL_STUCK,
	CRORC_DDL_EXTRA,
	CRORC_LINK_FLAP,
	CRORC_FLIP,
	CRORC_SKIP_PACKET,
	CRORC_BAD_TF,
	CRORC_OFFSET_ZERO,
	CRORC_DROP_SERIAL,
	CRORC_NO_SERIAL,
	CRORC_FLASH_FAIL,
	CRORC_FLASH_BUSY,
	CRORC_FLASH_NOT_READY,
	CRORC_FAULTS,
};

struct crorc_ddl {
	struct {
		uint64_t due_ns;
		uint32_t word;
	} fifo[CRORC_DDL_WORDS];
	unsigned int head, count;
	bool diu_loop, siu_loop;
	bool fee_open;
	bool stuck; /* fault: a command stays in the register */
};

/* Packet source of a channel; crorc_source.c only. */
struct crorc_source {
	bool started;
	bool first; /* the next packet is the first of the stream: SOC */
	uint8_t packet_counter;
	uint32_t payload; /* next payload word */
	uint32_t orbit;
	uint32_t page;	   /* packet in the orbit */
	uint32_t tf_orbit; /* first orbit of the time frame */
	uint64_t tf_id;	   /* never repeats: a superpage holds one of them */
	uint64_t pace_ns;  /* no packet before */
};

struct crorc_settings {
	uint64_t rate;	 /* bytes/s, 0: no limit */
	uint32_t packet; /* payload bytes */
	uint32_t packets_per_orbit;
	uint32_t orbit;
	uint32_t link_down;
	uint32_t power; /* 0.1 uW */
	uint32_t ddl_latency_us;
	uint32_t count_start; /* count of the first completion after a reset */
};

struct crorc_counts {
	uint64_t superpages, bytes, packets; /* completed */
	uint64_t generated, discarded;	     /* packets */
	uint64_t recycled;		     /* bytes written and not reported */
	uint64_t pushes, protocol_errors, bad_push;
	uint64_t xoff, xoff_ns;
	uint64_t dma_writes, dma_outside, dma_no_master;
	uint64_t writes_lost, stray_writes;
	uint64_t resets, flushes;
	uint64_t ddl_commands, ddl_replies, ddl_overflow;
};

struct crorc_desc {
	uint64_t addr;
	uint32_t size, number;
};

struct crorc_channel {
	struct crorc *card;
	unsigned int nr;

	bool dma_on, loopback;
	uint32_t generator;
	uint32_t sp_high, sp_low, sp_size;
	uint8_t pushed;
	uint32_t done_low, done_high;
	uint32_t orbit_sor, packets; /* registers */

	bool open; /* the card has a superpage */
	uint64_t addr;
	uint32_t size, used;
	uint32_t cur_packets;
	uint64_t cur_tf;

	/*
	 * With the event interface: the following members, and packets in superpages without a
	 * record.
	 */
	struct crorc_desc fifo[CRORC_EVENT_DEPTH];
	unsigned int fifo_head, fifo_count;
	uint32_t number; /* of the superpage that is open */
	uint64_t unrecorded;

	bool closing; /* a completion is pending */
	uint64_t done_due;
	uint32_t done_size, done_bytes, done_packets;
	uint8_t done_next; /* count of the next completion */

	uint64_t stray_due; /* fault write-after-off; 0: none */
	uint64_t stray_addr;

	bool xoff; /* data, but no superpage */
	uint64_t xoff_since;
	bool no_master; /* waiting, counted */
	uint32_t fault[CRORC_FAULTS];
	uint64_t unread_ns;		 /* last write that was not followed by a read; 0: none */
	uint64_t csr_reads, size_writes; /* for faults that hit every Nth */

	/* packets in this second, and in the last whole one */
	uint64_t second;
	uint32_t rate_now, rate_last;

	struct crorc_source source;
	struct crorc_ddl ddl;
	struct crorc_settings set;
	struct crorc_counts n;
};

struct crorc {
	const struct card_host *host;
	struct crorc_channel ch[CRORC_CHANNELS];
	unsigned int turn; /* channel to be served next */

	uint32_t config_a, config_b;
	bool laser;
	bool recycle;	     /* finished superpages are reused and never reported */
	bool full_line;	     /* sources do not catch up after XOFF */
	bool stamp;	     /* a finished superpage begins with the time of completion */
	uint32_t serial;     /* as the register shows it */
	uint64_t serial_due; /* a load is under way until then; 0: none */
	uint32_t firmware;
	struct crorc_flash flash;

	uint64_t fault[CRORC_FAULTS]; /* of the card; those of a channel are there */
	uint64_t watched_writes;      /* of the register of fault lost-write */

	struct event_setup event_setup;
	struct event_card events;

	uint64_t dma_outside_ever; /* not zeroed by clear */
	uint64_t function_resets;
	uint8_t scratch_page[CRORC_PAGE_SIZE];
};

static inline uint64_t crorc_now(struct crorc *c)
{
	return c->host->now(c->host->ctx);
}

static inline bool crorc_link_up(const struct crorc_channel *ch)
{
	return !ch->set.link_down && ch->set.power;
}

/* crorc_regs.c */
uint32_t crorc_read(struct crorc *c, unsigned int bar, uint32_t off, bool peek);
void crorc_write(struct crorc *c, unsigned int bar, uint32_t off, uint32_t value);
bool crorc_poke(struct crorc *c, unsigned int bar, uint32_t off, uint32_t value);

/* crorc_channel.c */
/* The size register was written: the superpage at the latched address belongs to the card. */
void crorc_channel_push(struct crorc_channel *ch, uint32_t size);
void crorc_channel_close(struct crorc_channel *ch, uint64_t now);
void crorc_channel_flush(struct crorc_channel *ch);
/* Carry out both bits of the card's control register for the BAR's channel. */
void crorc_channel_reset(struct crorc_channel *ch);
/* A superpage has arrived for a waiting channel. */
void crorc_channel_resume(struct crorc_channel *ch);
void crorc_channel_power_on(struct crorc_channel *ch);
void crorc_channel_dma_off(struct crorc_channel *ch);
/*
 * Carry out completions and delayed writes that are due. Returns CARD_STEP_IDLE or the time of the
 * next call.
 */
uint64_t crorc_channel_count_done(struct crorc_channel *ch, uint64_t now);
/* Write a page of @step bytes into the open superpage. False: bus mastering is off, wait. */
bool crorc_channel_put(struct crorc_channel *ch, const struct page *page, uint32_t step);

/* crorc_source.c */
uint64_t crorc_step(struct crorc *c, size_t budget);
/* Packet rate of the last whole second. */
uint32_t crorc_source_rate(struct crorc_channel *ch);
static inline void crorc_source_restart(struct crorc_channel *ch)
{
	ch->source.started = false;
}

/* crorc_ddl.c */
void crorc_ddl_command(struct crorc_channel *ch, uint32_t word);
bool crorc_ddl_waiting(const struct crorc_channel *ch, uint64_t now);
uint32_t crorc_ddl_status(struct crorc_channel *ch, uint64_t now, bool peek);
void crorc_ddl_reset(struct crorc_channel *ch);
/* Hardware id with fixed columns: CRORC_LABEL characters. */
void crorc_label(char *label, const char *name, const char *version, int channel,
		 unsigned int serial);

/* crorc_events.c */
int crorc_events_init(struct crorc *c);
void crorc_events_setup(struct event_setup *s);
/* Take the next superpage from the FIFO, if there is one. */
void crorc_events_next(struct crorc_channel *ch);
/* Finish the open superpage and report @bytes as its size. */
void crorc_events_close(struct crorc_channel *ch, uint32_t bytes, uint64_t due, bool flush);
/* Drop all superpages of the channel. */
void crorc_events_drop_all(struct crorc_channel *ch);
void crorc_events_observe(struct crorc *c);
/* Access a register of the event interface. False: @off is no such register. */
bool crorc_events_read(struct crorc *c, unsigned int bar, uint32_t off, uint32_t *value);
bool crorc_events_write(struct crorc *c, unsigned int bar, uint32_t off, uint32_t value);

/* crorc_keys.c, crorc_faults.c */
extern const struct card_key crorc_keys[];
extern const struct card_fault crorc_fault_list[];
void crorc_keys_default(struct crorc *c);
bool crorc_fault_set(void *card, unsigned int fn, const char *name, uint64_t arg);
bool crorc_fault_clear(void *card, unsigned int fn, const char *name);
uint64_t crorc_fault_get(void *card, unsigned int fn, const char *name);
/* Argument of the fault if it is on for this channel, else 0. */
uint32_t crorc_fault_on(const struct crorc_channel *ch, enum crorc_fault fault);
/* Use a counted fault once. */
bool crorc_fault_take(struct crorc_channel *ch, enum crorc_fault fault);
/* Return the argument of a fault and clear the fault; 0: not set. */
uint32_t crorc_fault_once(struct crorc_channel *ch, enum crorc_fault fault);

#endif /* EMU_CRORC_H */
