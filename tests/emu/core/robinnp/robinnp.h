/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The RobinNP model from the inside: its state, and what its files offer to each other. From the
 * outside the model is `robinnp_card` of card.h; the contract is
 * Documentation/hardware/fragment-interface.md.
 *
 *	robinnp.c          life, block of the function
 *	robinnp_counts.c   counts of the control socket
 *	robinnp_regs.c     the driver's BAR: sub-unit blocks, doorbells
 *	robinnp_open.c     the open BAR: card, links, counters
 *	robinnp_sub.c      enable, host-page table, reset; the engine's step
 *	robinnp_pages.c    card pages and the free-page ring
 *	robinnp_source.c   generators, back-pressure, descriptors
 *	robinnp_command.c  commands, data, completions
 *	robinnp_irq.c      interrupts
 *	robinnp_host.c     the way into host memory
 *	robinnp_keys.c     settings of the control socket
 *	robinnp_faults.c   faults of the control socket
 *
 * A fragment goes from the source into a page of its link's list, and its descriptor to the host; a
 * command writes what is in a page into a host page. Of a fragment only what its words are made of
 * is kept. All state belongs to struct robinnp; card.h says who may call what when.
 */
#ifndef EMU_ROBINNP_H
#define EMU_ROBINNP_H

#include "../unit/function_block.h"
#include "../unit/identity.h"
#include "../unit/source_clock.h"
#include "../unit/unit_faults.h"

#include "kmod/cards/robinnp/robinnp_regs.h"
#include "kmod/fragment/fragment_data.h"
#include "kmod/fragment/fragment_regs.h"

#define ROBINNP_FN 0 /* the card's only function */
#define ROBINNP_ALL ((1u << ROBINNP_LINKS) - 1)
#define ROBINNP_NS_PER_CYCLE (1000000000 / ROBINNP_CLOCK)
#define ROBINNP_FETCH 64 /* commands in one read */

/* In the order of robinnp_fault_list. */
enum robinnp_fault {
	ROBINNP_STALL,
	ROBINNP_DATA_LATE,
	ROBINNP_COUNT_EARLY,
	ROBINNP_DONE_LATE,
	ROBINNP_IRQ_LATE,
	ROBINNP_IRQ_LOST,
	ROBINNP_IRQ_SPURIOUS,
	ROBINNP_WRONG_PHASE,
	ROBINNP_RECORD_HOLE,
	ROBINNP_PAGE_RANGE,
	ROBINNP_PAGE_FREE,
	ROBINNP_SIZE_BIG,
	ROBINNP_SKIP_EVENT,
	ROBINNP_WRONG_EVENT,
	ROBINNP_SHORT,
	ROBINNP_NO_BYTES,
	ROBINNP_DAMAGED,
	ROBINNP_LINK_ERROR,
	ROBINNP_FORMAT,
	ROBINNP_FLIP,
	ROBINNP_ABORT,
	ROBINNP_DONE_PHASE,
	ROBINNP_DONE_HOLE,
	ROBINNP_DONE_TAG,
	ROBINNP_DONE_TWICE,
	ROBINNP_DONE_LOST,
	ROBINNP_DONE_SIZE,
	ROBINNP_DONE_STATUS,
	ROBINNP_LOST_DOORBELL,
	ROBINNP_ENABLE_SLOW,
	ROBINNP_LOAD_SLOW,
	ROBINNP_FETCH_ERROR,
	ROBINNP_NEVER_QUIET,
	ROBINNP_RESET_IGNORED,
	ROBINNP_RESET_SLOW,
	ROBINNP_WRITE_AFTER_OFF,
	ROBINNP_FAULTS,
};

/* Addresses of a sub-unit, in the order of their registers. */
enum robinnp_base {
	ROBINNP_DATA,
	ROBINNP_FREE,
	ROBINNP_COMMAND,
	ROBINNP_DONE,
	ROBINNP_TABLE,
	ROBINNP_BASES,
};

enum robinnp_state {
	ROBINNP_HOST, /* the host's; empty if it has no size */
	ROBINNP_EMPTY,
	ROBINNP_FILLED,
};

/* A fragment, in a page or held. */
struct robinnp_fragment {
	uint32_t event;
	uint32_t size; /* of it that is in the page */
	uint32_t full; /* that it had */
	uint16_t source;
	uint8_t status; /* FRAGMENT_IS_* */
	bool flip;	/* one bit of it is wrong */
};

struct robinnp_page {
	struct robinnp_fragment fragment;
	uint8_t state;
};

struct robinnp_generator {
	uint32_t control, size_min, size_max, rate, first;
	uint64_t limit;
	uint32_t next;
	uint64_t generated;
	struct source_clock clock;
};

struct robinnp_link {
	struct robinnp_sub *sub;
	unsigned int nr; /* in the sub-unit */
	struct robinnp_generator gen;

	struct robinnp_page *page; /* of the run: @pages of them */
	uint32_t *list;		   /* numbers of those that are empty, @pages places */
	uint32_t list_at, list_count;
	uint32_t filled;

	bool held; /* for want of a page, since: */
	uint64_t hold_ns;
	struct robinnp_fragment waits;
	bool known; /* a fragment has come since enabling, the last: */
	uint32_t last;

	uint64_t total[FRAGMENT_LINK_COUNTS]; /* since power-on, but for the last held event */
	uint64_t base[FRAGMENT_LINK_COUNTS];  /* as they were at the last reset of counters */
	uint64_t clear[FRAGMENT_LINK_COUNTS]; /* at the last clear of the control socket */
};

/* Interrupts of one purpose. */
struct robinnp_irq {
	uint32_t count, ns, vector;
	uint32_t seen; /* as it was armed */
	bool armed, sent;
	uint64_t sent_ns;
	uint64_t late_ns; /* fault irq-late: not before */
};

enum robinnp_purpose {
	ROBINNP_IRQ_DATA,
	ROBINNP_IRQ_DONE,
	ROBINNP_IRQ_ERROR,
	ROBINNP_PURPOSES,
};

/* What the model counts besides the counters of the card. */
struct robinnp_counts {
	uint64_t free_doorbells, command_doorbells, arms, unrouted;
	uint64_t host_errors, fetch_errors, setup_errors;
	uint64_t resets, fetches;
	uint64_t dma_writes, dma_outside, dma_no_master;
	uint64_t entries_skipped, doorbells_lost, completions_lost, completions_twice, stray_writes;
};

struct robinnp_sub {
	struct robinnp *card;
	unsigned int nr;

	/* registers */
	uint32_t base_low[ROBINNP_BASES], base_high[ROBINNP_BASES];
	unsigned int written_bases; /* two bits for each */
	uint32_t data_size, free_size, command_size;
	uint32_t host_pages, host_page_size, page_size, pages, start;
	uint32_t links, error_enable;
	uint32_t generation;
	bool setup_error, fetch_error, host_error;
	struct robinnp_irq irq[ROBINNP_PURPOSES];
	bool error_due;	  /* an interrupt for errors is to be sent */
	uint64_t held_ns; /* when the last one for HELD was, 0: never */

	/* as taken over at enabling */
	bool enabled, loading;
	uint64_t base[ROBINNP_BASES];
	uint32_t data_log2, free_log2, command_log2;
	uint32_t run_host_pages, run_host_page_size, run_page_size, run_pages, run_start;
	uint64_t *table; /* bus addresses of the host's pages */
	uint32_t loaded;
	uint64_t load_ns;
	bool load_shows; /* in STATUS */

	/* counts of the run */
	uint32_t descriptors, completions; /* written */
	uint32_t free_told, freed;
	uint32_t command_told, fetched, executed;

	struct robinnp_link link[ROBINNP_LINKS];
	unsigned int turn; /* link to be served next */
	uint32_t *filled;  /* page words whose descriptors are to be written, a ring as long as */
	uint32_t filled_at, filled_count; /* there are pages */
	uint64_t data_ns;		  /* fault data-late: not before */
	struct fragment_command fetch[ROBINNP_FETCH];
	unsigned int fetch_at, fetch_count;
	uint64_t done_ns; /* fault done-late */

	uint32_t reset_due; /* fault reset-slow: these levels, at: */
	uint64_t reset_ns;
	uint64_t stray_ns; /* fault write-after-off: 0, or when; at: */
	uint64_t stray_addr;

	uint64_t rate; /* key: bytes/s of data, 0: no limit */
	uint64_t pace_ns;
	bool no_master; /* waiting, counted */

	uint64_t total[FRAGMENT_COUNTS];
	uint64_t zero[FRAGMENT_COUNTS];	 /* as they were at the last reset of counters */
	uint64_t clear[FRAGMENT_COUNTS]; /* at the last clear of the control socket */
	uint32_t fault[ROBINNP_FAULTS];
	struct robinnp_counts n;
};

struct robinnp {
	const struct card_host *host;
	struct robinnp_sub sub[ROBINNP_SUBS];
	struct function_block function;
	struct identity identity;
	unsigned int turn; /* sub-unit to be served next */

	/* keys */
	uint32_t memory; /* KiB of each link */
	uint32_t count_start;
	bool shuffle;

	uint64_t fault[ROBINNP_FAULTS]; /* of the card; those of a sub-unit are there */
	bool spurious_now;
	uint64_t spurious_ns;

	uint64_t dma_outside_ever; /* not zeroed by clear */
	uint64_t function_resets;
};

static inline uint64_t robinnp_now(const struct robinnp *c)
{
	return c->host->now(c->host->ctx);
}

static inline struct robinnp_page *robinnp_page(struct robinnp_sub *sub, uint32_t word)
{
	return &sub->link[FRAGMENT_PAGE_LINK(word)].page[FRAGMENT_PAGE_NUMBER(word)];
}

/* Commands that the card was told of and has not completed; free pages that it has not taken. */
static inline uint32_t robinnp_commands(const struct robinnp_sub *sub)
{
	return sub->enabled ? sub->command_told - sub->executed : 0;
}

static inline uint32_t robinnp_frees(const struct robinnp_sub *sub)
{
	return sub->enabled ? sub->free_told - sub->freed : 0;
}

/* robinnp_regs.c, robinnp_open.c */
/* What a read of the host's does before; robinnp_read() has no side effects. */
void robinnp_reads(struct robinnp *c, uint32_t off);
uint32_t robinnp_read(struct robinnp *c, uint32_t off);
void robinnp_write(struct robinnp *c, uint32_t off, uint32_t value);
bool robinnp_stirs(struct robinnp *c, uint32_t off);
uint32_t robinnp_open_read(struct robinnp *c, uint32_t off);
void robinnp_open_write(struct robinnp *c, uint32_t off, uint32_t value);
bool robinnp_open_poke(struct robinnp *c, uint32_t off, uint32_t value);

/* robinnp_sub.c */
void robinnp_sub_free(struct robinnp_sub *sub);
uint64_t robinnp_step(struct robinnp *c, size_t budget);
void robinnp_enable(struct robinnp_sub *sub);
void robinnp_disable(struct robinnp_sub *sub);
void robinnp_reset(struct robinnp_sub *sub, uint32_t levels);
/* By the function: at once, faults or not. */
void robinnp_power_on(struct robinnp_sub *sub);
uint32_t robinnp_status(const struct robinnp_sub *sub);
void robinnp_vectors(struct robinnp_sub *sub);
void robinnp_host_error(struct robinnp_sub *sub);
void robinnp_fetch_failed(struct robinnp_sub *sub);
/* As many as there are and none of the other counters has yet. */
uint64_t robinnp_waiting(const struct robinnp_link *link);

/* robinnp_pages.c */
/* Memory for the pages of a run, all the host's. -1: there is none. */
int robinnp_pages_begin(struct robinnp_sub *sub);
void robinnp_pages_free(struct robinnp_sub *sub);
bool robinnp_page_there(const struct robinnp_sub *sub, uint32_t word);
/* A page that the host had goes to its link. */
void robinnp_page_back(struct robinnp_sub *sub, uint32_t word);
void robinnp_free_told(struct robinnp_sub *sub, uint32_t value);
void robinnp_free_turn(struct robinnp_sub *sub);

/* robinnp_source.c */
void robinnp_source_default(struct robinnp_link *link);
void robinnp_source_restart(struct robinnp_link *link);
/* What was due until now is of no account any more. */
void robinnp_source_clock(struct robinnp_link *link);
void robinnp_source_off(struct robinnp_link *link, uint64_t now);
/* Will a link come to its turn by itself, because it has something to send? */
bool robinnp_flows(const struct robinnp_sub *sub);
/* What there is to put into pages; bytes that this is worth. */
size_t robinnp_source_turn(struct robinnp_sub *sub, uint64_t now, size_t budget, uint64_t *when);
void robinnp_describe_turn(struct robinnp_sub *sub, uint64_t now, uint64_t *when);
/* However late they are. */
void robinnp_describe_all(struct robinnp_sub *sub);
uint64_t robinnp_hold_cycles(struct robinnp_link *link, uint64_t now);
uint32_t robinnp_held(const struct robinnp_sub *sub);

/* robinnp_command.c */
void robinnp_command_told(struct robinnp_sub *sub, uint32_t value);
size_t robinnp_command_turn(struct robinnp_sub *sub, uint64_t now, size_t budget, uint64_t *when);

/* robinnp_irq.c */
void robinnp_irq_begin(struct robinnp_sub *sub);
void robinnp_arm(struct robinnp_sub *sub, enum robinnp_purpose purpose, uint32_t seen);
/* A bit of STATUS has come. */
void robinnp_error(struct robinnp_sub *sub, uint32_t bit);
uint64_t robinnp_irq_turn(struct robinnp_sub *sub, uint64_t now);
uint64_t robinnp_spurious_turn(struct robinnp *c, uint64_t now);

/* robinnp_host.c */
void robinnp_outside(struct robinnp_sub *sub);
void robinnp_no_master(struct robinnp_sub *sub);
/* False: no bus mastering. */
bool robinnp_put(struct robinnp_sub *sub, uint64_t addr, const void *data, size_t bytes);
enum card_dma robinnp_get(struct robinnp_sub *sub, uint64_t addr, void *data, size_t bytes);

/* robinnp_counts.c */
uint64_t robinnp_sub_counter(struct robinnp_sub *sub, unsigned int nr);
uint64_t robinnp_link_counter(struct robinnp_link *link, unsigned int nr);
void robinnp_reset_counters(struct robinnp_sub *sub);
void robinnp_counts(void *card, unsigned int fn, struct json *j);
void robinnp_clear(void *card, unsigned int fn);

/* robinnp_keys.c, robinnp_faults.c */
extern const struct card_key robinnp_keys[];
void robinnp_keys_default(struct robinnp *c);
extern const struct card_fault robinnp_fault_list[];
bool robinnp_fault_set(void *card, unsigned int fn, const char *name, uint64_t arg);
bool robinnp_fault_clear(void *card, unsigned int fn, const char *name);
uint64_t robinnp_fault_get(void *card, unsigned int fn, const char *name);

static inline bool robinnp_fault_take(struct robinnp_sub *sub, enum robinnp_fault fault)
{
	return unit_fault_take(&sub->fault[fault]);
}

static inline uint32_t robinnp_fault_once(struct robinnp_sub *sub, enum robinnp_fault fault)
{
	return unit_fault_once(&sub->fault[fault]);
}

#endif /* EMU_ROBINNP_H */
