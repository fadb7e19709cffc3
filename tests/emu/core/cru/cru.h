/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal interface of the CRU model: its state and the functions that its files share. The server
 * uses the model through `cru_card` (card.h).
 *
 *	cru.c         life, power-on state, counts
 *	cru_bar0.c    DMA block registers
 *	cru_bar2.c    registers common to the card; cru_board.h names the files of its blocks
 *	cru_link.c    descriptor FIFO, superpages, completion, size FIFO of one link
 *	cru_engine.c  data flow: gates, internal generator, flush, general reset
 *	cru_put.c     pages into host memory, pace
 *	cru_ddg.c     packets with headers: links, heartbeat frames, time frames
 *	cru_events.c  superpages of the event interface
 *	cru_keys.c    settings of the control socket
 *	cru_thermal.c the thermometer, and a card that gets warmer
 *	cru_faults.c  faults of the control socket
 *	events.h      the event interface, common to all cards
 *	pattern.c     the copy loops; rdh.h the header, values.c how settings are written
 *
 * All state belongs to struct cru and lives as long as it; card.h has the locking rules.
 */
#ifndef EMU_CRU_H
#define EMU_CRU_H

#include "tests/emu/core/card.h"
#include "cru_board.h"
#include "tests/emu/core/events.h"
#include "tests/emu/core/pattern.h"
#include "tests/emu/core/rdh.h"
#include "tests/emu/core/thermal.h"

#include "kmod/cards/cru/cru_regs.h"

#define CRU_DEPTH_MAX 4096 /* largest descriptor FIFO that can be set */
#define CRU_DONE_MAX 8192  /* finished superpages whose size is unread */
#define CRU_NO_LINK (-1)
#define CRU_PAYLOAD_MAX (CRU_PAGE_SIZE - RDH_BYTES)

/* Registers that only the model names; all others are in cru_regs.h. */
#define CRU_GENERATOR_RANDOM_SIZE (1u << 16)
#define CRU_GENERATOR_POWER_ON 0xff02 /* counter pattern, 8 KiB pages */
#define CRU_GENERATOR_WRITE_INJECT 0x1

struct cru_desc {
	uint64_t addr;
	uint64_t usable_ns; /* refill latency: not before */
	uint32_t size;
	uint32_t number; /* of the event interface */
	uint64_t order;	 /* in which the host pushed them */
};

struct cru_done {
	uint64_t due_ns; /* not counted before (late completion) */
	uint32_t entry;	 /* as the size register shows it */
	uint32_t bytes;
	uint32_t packets;
};

struct cru_link_counts {
	uint64_t superpages, bytes, packets;	/* counted in the ready register */
	uint64_t generated, dropped, discarded; /* packets */
	uint64_t recycled;			/* bytes written and not reported */
};

/* Packet source of one link; cru_ddg.c only. */
struct cru_ddg {
	bool started;
	bool first; /* the next packet is the first of the stream: SOX */
	uint8_t packet_counter;
	uint8_t eox;				 /* enum cru_eox */
	uint32_t payload;			 /* next 128-bit payload word */
	uint64_t tf_id;				 /* never repeats: a superpage holds one of them */
	uint32_t tf_orbit;			 /* first orbit of the time frame */
	uint32_t tf_length, tf_packets, tf_hbfs; /* as latched at its start */
	uint32_t index;				 /* packet in the time frame */
	uint32_t hbf;				 /* heartbeat frame in the time frame */
	uint32_t page;				 /* packet in the heartbeat frame */
};

struct cru_link {
	uint32_t high, low;    /* latched address */
	struct cru_desc *fifo; /* CRU_DEPTH_MAX */
	uint32_t fifo_head, fifo_count;
	uint64_t pushed; /* descriptors since creation */
	bool rotated;	 /* by recycling: not in the order of the host's pushes */

	bool open; /* a superpage is being filled */
	struct cru_desc cur;
	uint32_t used;
	uint32_t cur_packets;
	uint64_t cur_tf;

	struct cru_done *done; /* CRU_DONE_MAX; indices below run freely */
	uint64_t made, counted, taken;
	uint32_t number; /* superpages finished since the general reset */
	uint32_t ready;	 /* the ready count */

	uint32_t size_reg, size_next;
	uint64_t size_due; /* size_next is shown from then on; 0: none waiting */
	uint32_t advances; /* advances that found no entry */

	uint32_t empty;
	bool starving; /* counted as empty */

	struct cru_ddg ddg;
	struct cru_link_counts n;
};

/* Faults with their arguments; 0 is off. */
struct cru_faults {
	uint64_t stall, late_ms, wrong_count, size_late_us, size_never, size_zero, size_index;
	uint64_t offset_zero, reset_ignored, flip, skip_packet, bad_tf, bad_link, drop_serial;
	uint64_t no_serial, i2c_silent, read_back;
	uint64_t stuck_bar0, stuck_bar2; /* offset << 32 | value */
	uint64_t reset_slow_ms;
};

struct cru_settings {
	uint64_t rate;	 /* bytes/s, 0: no limit */
	uint32_t packet; /* payload bytes */
	uint32_t packets_per_tf;
	int64_t orbit; /* -1: the CTP emulator's initial orbit */
	uint32_t depth, depth_register;
	uint32_t refill_us;
	uint32_t count_start;
	bool ctp;     /* data only while the CTP emulator runs */
	bool recycle; /* finished superpages are reused and never reported */
	bool stamp;   /* a finished superpage begins with the time of completion */
};

struct cru_ep {
	struct cru *card;
	unsigned int nr;

	uint32_t control, scratch, generator[4], source, tf_reg;
	uint32_t features;
	struct cru_link link[CRU_LINK_SLOTS];
	uint32_t links_down; /* GBT links that cannot send; follows cru_board_update() */

	int internal_link;  /* first to get a descriptor after the general reset */
	bool generator_off; /* enable bit went from 1 to 0 */
	uint32_t counter;   /* internal generator */
	uint32_t random;
	uint32_t inject;    /* errors still to be put into the data */
	unsigned int turn;  /* link to be served next */
	bool ctp_was;	    /* the CTP emulator was running at the last check */
	uint64_t pace_ns;   /* no page before */
	uint64_t reset_due; /* time of a delayed general reset; 0: none is pending */
	bool no_master;	    /* waiting, counted */

	struct cru_settings set;
	struct cru_faults fault;
	struct event_card events;
	bool flushing; /* superpages are closed by a flush */

	uint64_t dma_writes, dma_outside, dma_no_master;
	uint64_t dma_outside_ever; /* not zeroed by clear */
	uint64_t fifo_overflow, bad_descriptor, size_overflow;
	uint64_t resets, function_resets;

	/* datapath rates: packets in this second, and in the last whole one */
	uint64_t second;
	uint32_t rate_now, rate_last, drop_now, drop_last;

	uint8_t scratch_page[CRU_PAGE_SIZE];
};

struct cru {
	const struct card_host *host;
	struct cru_ep ep[CRU_ENDPOINTS];
	uint32_t *bar2;	     /* CRU_BAR_CARD_SIZE bytes, common */
	uint32_t serial;     /* as the serial register shows it once loaded */
	uint64_t serial_due; /* a reload is under way until then */
	uint32_t clock;	     /* running counters */
	unsigned int vendor, device;
	struct event_setup events;
	struct cru_board board;
	struct thermal thermal;
};

static inline uint64_t cru_now(struct cru *c)
{
	return c->host->now(c->host->ctx);
}

static inline uint32_t *cru_bar2_word(struct cru *c, uint32_t off)
{
	return &c->bar2[off / 4];
}

/* cru_bar0.c */
uint32_t cru_bar0_read(struct cru_ep *ep, uint32_t off, bool peek);
void cru_bar0_write(struct cru_ep *ep, uint32_t off, uint32_t value);
bool cru_bar0_wakes_engine(const struct cru_ep *ep, uint32_t off);
bool cru_bar0_poke(struct cru_ep *ep, uint32_t off, uint32_t value);
void cru_bar0_power_on(struct cru_ep *ep);

/* cru_thermal.c */
uint32_t cru_temperature_raw(struct cru *c); /* as in the register, 0: no sensor */
uint32_t cru_read_temperature(struct cru *c, uint32_t off, bool peek);
bool cru_too_hot(void *card);
int cru_set_temperature(void *card, unsigned int fn, const char *text, char *err);
void cru_get_temperature(void *card, unsigned int fn, char *text, size_t size);
int cru_set_slope(void *card, unsigned int fn, const char *text, char *err);
void cru_get_slope(void *card, unsigned int fn, char *text, size_t size);
int cru_set_cut(void *card, unsigned int fn, const char *text, char *err);
void cru_get_cut(void *card, unsigned int fn, char *text, size_t size);

/* cru_bar2.c */
uint32_t cru_bar2_read(struct cru *c, uint32_t off, bool peek);
void cru_bar2_write(struct cru *c, uint32_t off, uint32_t value);
void cru_bar2_power_on(struct cru *c);
/* cru_words.c */
/* Count one packet of link l in the datapath counters. */
void cru_bar2_count(struct cru_ep *ep, unsigned int l, bool dropped);
/* Rates are those of the last whole second. */
void cru_roll_second(struct cru_ep *ep);

/* cru_link.c */
void cru_link_push(struct cru_ep *ep, unsigned int l, uint32_t pages);
/* Is a superpage with space open? Else *when is CARD_STEP_IDLE or the time of the next try. */
bool cru_link_open(struct cru_ep *ep, unsigned int l, uint64_t now, uint64_t *when);
void cru_link_close(struct cru_ep *ep, unsigned int l, uint64_t now);
/* Count finished superpages that are due. */
void cru_link_count_done(struct cru_ep *ep, unsigned int l, uint64_t now);
/* Count the oldest uncounted superpage: its record is written. */
void cru_link_count(struct cru_ep *ep, unsigned int l);
enum event_put cru_link_put(struct cru_ep *ep, unsigned int l, uint64_t addr, uint32_t bytes,
			    uint32_t number);
/* Drop descriptors and uncounted superpages; counters stay. */
void cru_link_drop_all(struct cru_ep *ep, unsigned int l);
void cru_link_advance(struct cru_ep *ep, unsigned int l);
uint32_t cru_link_size(struct cru_ep *ep, unsigned int l, bool peek);
/* Apply the general reset to a link. */
void cru_link_reset(struct cru_ep *ep, unsigned int l);
uint32_t cru_link_queued(const struct cru_link *k);

/* cru_engine.c */
uint64_t cru_engine_step(struct cru_ep *ep, size_t budget);
void cru_engine_flush(struct cru_ep *ep);
void cru_general_reset(struct cru_ep *ep);

/* cru_put.c */
/* May a page be written now? Else *when is the time of the next try. */
bool cru_pace(struct cru_ep *ep, uint64_t now, uint64_t *when);
void cru_pace_spend(struct cru_ep *ep, uint32_t bytes);

enum cru_put {
	CRU_PUT_DONE, /* written (or lost outside any mapping, which the card cannot detect) */
	CRU_PUT_WAIT, /* no bus mastering */
};

/* Write a page of @step bytes into the open superpage of link l. */
enum cru_put cru_put_page(struct cru_ep *ep, unsigned int l, const struct page *page,
			  uint32_t step);

/* cru_ddg.c */
uint64_t cru_ddg_step(struct cru_ep *ep, uint64_t now, size_t budget);
/* Restart the stream: start of run, general reset, generator reset. */
void cru_ddg_restart(struct cru_ep *ep);
/* Run enable, link enables or the CTP emulator changed. */
void cru_ddg_gate_changed(struct cru *c);
bool cru_ctp_running(struct cru *c);
/* Link enables of an endpoint as they take effect. */
uint32_t cru_ddg_links(struct cru_ep *ep);

/* cru_events.c */
int cru_events_init(struct cru_ep *ep);
/* Report temperature and link states to the alarms. */
void cru_events_observe(struct cru_ep *ep);

/* cru_keys.c, cru_faults.c */
extern const struct card_key cru_keys[];
extern const struct card_fault cru_fault_list[];
void cru_keys_default(struct cru *c);
void cru_serial_set(struct cru *c, unsigned int serial);
bool cru_fault_set(void *card, unsigned int fn, const char *name, uint64_t arg);
bool cru_fault_clear(void *card, unsigned int fn, const char *name);
/* The register at @off ignores writes and reads *value. */
bool cru_fault_stuck(struct cru *c, unsigned int fn, unsigned int bar, uint32_t off,
		     uint32_t *value);
uint64_t cru_fault_get(void *card, unsigned int fn, const char *name);
/* Use a counted fault once. */
static inline bool cru_fault_take(uint64_t *left)
{
	if (!*left)
		return false;
	(*left)--;
	return true;
}

#endif /* EMU_CRU_H */
