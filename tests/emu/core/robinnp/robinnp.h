/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal interface of the RobinNP model: its state and the functions that its files share. The
 * server uses the model through `robinnp_card` (card.h); the contract is
 * Documentation/hardware/fragment-interface.md.
 *
 *	robinnp.c          tables
 *	robinnp_counts.c   counters of links, counts of the control socket
 *	robinnp_regs.c     registers of a sub-unit, doorbells
 *	robinnp_open.c     the open BAR: links, counters
 *	robinnp_sub.c      enable, reset and turn of a sub-unit
 *	robinnp_pages.c    card pages and the free-page ring
 *	robinnp_source.c   generators, back-pressure, descriptors
 *	robinnp_command.c  commands, data, completions
 *	robinnp_irq.c      interrupts
 *	robinnp_control.c  settings and faults of the control socket
 *
 * ../unit/unit.h has the part that is common to all cards of units.
 *
 * A fragment goes from the source into a page of its link's list, and its descriptor to the host; a
 * command writes what is in a page into a host page. Of a fragment only the values are kept from
 * which its words are generated. All state belongs to struct robinnp; card.h has the locking rules.
 */
#ifndef EMU_ROBINNP_H
#define EMU_ROBINNP_H

#include "../unit/generator.h"
#include "../unit/unit.h"

#include "kmod/cards/robinnp/robinnp_regs.h"
#include "kmod/fragment/fragment_data.h"
#include "kmod/fragment/fragment_regs.h"

#define ROBINNP_ALL ((1u << ROBINNP_LINKS) - 1)
#define ROBINNP_NS_PER_CYCLE (1000000000 / ROBINNP_CLOCK)
#define ROBINNP_FETCH 64 /* commands in one read */

/* In the order of robinnp_fault_list, behind those of the engine. */
enum robinnp_fault {
	ROBINNP_DATA_LATE = UNIT_FAULTS,
	ROBINNP_COUNT_EARLY,
	ROBINNP_DONE_LATE,
	ROBINNP_IRQ_LATE,
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
};

/* Addresses of a sub-unit, in the order of their registers. */
enum robinnp_base {
	ROBINNP_DATA,
	ROBINNP_FREE,
	ROBINNP_COMMAND,
	ROBINNP_DONE,
	ROBINNP_TABLE,
};

enum robinnp_state {
	ROBINNP_HOST, /* owned by the host; empty if it has no size */
	ROBINNP_EMPTY,
	ROBINNP_FILLED,
};

/* A fragment, in a page or held by back-pressure. */
struct robinnp_fragment {
	uint32_t event;
	uint32_t size; /* stored in the page */
	uint32_t full; /* full size at the source */
	uint16_t source;
	uint8_t status; /* FRAGMENT_IS_* */
	bool flip;	/* one bit of it is wrong */
};

struct robinnp_page {
	struct robinnp_fragment fragment;
	uint8_t state;
};

struct robinnp_link {
	struct robinnp_sub *sub;
	unsigned int nr; /* in the sub-unit */
	struct generator gen;
	uint32_t first; /* of the generator */

	struct robinnp_page *page; /* of the run: @pages of them */
	uint32_t *list;		   /* numbers of those that are empty, @pages places */
	uint32_t list_at, list_count;
	uint32_t filled;

	bool held; /* waiting for a page, since: */
	uint64_t hold_ns;
	struct robinnp_fragment waits;
	bool known; /* a fragment has been offered since enabling; the last one: */
	uint32_t last;

	uint64_t total[FRAGMENT_LINK_COUNTS]; /* since power-on, but for the last held event */
	uint64_t base[FRAGMENT_LINK_COUNTS];  /* as they were at the last reset of counters */
	uint64_t clear[FRAGMENT_LINK_COUNTS]; /* at the last clear of the control socket */
};

enum robinnp_purpose {
	ROBINNP_IRQ_DATA,
	ROBINNP_IRQ_DONE,
	ROBINNP_IRQ_ERROR,
	ROBINNP_PURPOSES,
};

/* Counts of a sub-unit besides its counters and those common to all units. */
struct robinnp_counts {
	uint64_t free_doorbells, command_doorbells, fetches;
	uint64_t entries_skipped, completions_lost, completions_twice;
};

struct robinnp_sub {
	struct unit unit;

	/* registers */
	uint32_t data_size, free_size, command_size;
	uint32_t host_pages, host_page_size, page_size, pages;
	uint32_t links, error_enable;
	struct unit_irq irq[ROBINNP_PURPOSES];
	uint64_t late_ns[ROBINNP_PURPOSES]; /* fault irq-late: not before */
	bool error_due;			    /* an interrupt for errors is to be sent */
	uint64_t held_ns;		    /* time of the last interrupt for HELD, 0: never */

	/* as taken over at enabling */
	uint32_t data_log2, free_log2, command_log2;
	uint32_t run_host_pages, run_page_size, run_pages, run_start;

	/* counts of the run */
	uint32_t descriptors, completions; /* written */
	uint32_t free_submitted, freed;
	uint32_t commands_submitted, fetched, executed;

	struct robinnp_link link[ROBINNP_LINKS];
	unsigned int turn; /* link to be served next */
	uint32_t *filled;  /* page words whose descriptors are to be written, a ring as long as */
	uint32_t filled_at, filled_count; /* there are pages */
	uint64_t data_ns;		  /* fault data-late: not before */
	struct fragment_command fetch[ROBINNP_FETCH];
	unsigned int fetch_at, fetch_count;
	uint64_t done_ns; /* fault done-late */
	struct robinnp_counts n;
};

struct robinnp {
	struct unit_card card;
	struct robinnp_sub sub[ROBINNP_SUBS];

	/* keys */
	uint32_t memory; /* KiB of each link */
	bool shuffle;
};

static inline struct robinnp *robinnp_of(const struct robinnp_sub *sub)
{
	return (struct robinnp *)sub->unit.card;
}

static inline struct robinnp_sub *robinnp_sub(const struct unit *u)
{
	return (struct robinnp_sub *)u;
}

static inline struct robinnp_page *robinnp_page(struct robinnp_sub *sub, uint32_t word)
{
	return &sub->link[FRAGMENT_PAGE_LINK(word)].page[FRAGMENT_PAGE_NUMBER(word)];
}

/* Submitted commands that are not completed; submitted free pages that the card has not taken. */
static inline uint32_t robinnp_commands(const struct robinnp_sub *sub)
{
	return sub->unit.enabled ? sub->commands_submitted - sub->executed : 0;
}

static inline uint32_t robinnp_frees(const struct robinnp_sub *sub)
{
	return sub->unit.enabled ? sub->free_submitted - sub->freed : 0;
}

/* Fragments that were offered and that no other counter of the link includes yet. */
static inline uint64_t robinnp_waiting(const struct robinnp_link *link)
{
	return link->filled + link->held;
}

/* robinnp_regs.c */
extern const struct unit_register robinnp_registers[];
uint32_t robinnp_read(struct unit *u, uint32_t off);
void robinnp_write(struct unit *u, uint32_t off, uint32_t value);
void robinnp_before_read(struct unit *u, uint32_t off);
uint32_t robinnp_doorbell_read(struct unit *u, uint32_t off);
void robinnp_doorbell_write(struct unit *u, uint32_t off, uint32_t value);
bool robinnp_doorbell_wakes_engine(struct unit *u, uint32_t off);

/* robinnp_open.c */
uint32_t robinnp_open_read(struct unit_card *card, uint32_t off);
void robinnp_open_write(struct unit_card *card, uint32_t off, uint32_t value);
bool robinnp_open_poke(struct unit_card *card, uint32_t off, uint32_t value);

/* robinnp_sub.c: life of a sub-unit, as struct unit_ops has it */
int robinnp_init(struct unit *u);
void robinnp_free(struct unit *u);
bool robinnp_setup_ok(const struct unit *u);
void robinnp_prepare(struct unit *u);
void robinnp_take_over(struct unit *u);
bool robinnp_begin(struct unit *u);
uint64_t robinnp_stray_at(const struct unit *u);
void robinnp_off(struct unit *u);
void robinnp_logic(struct unit *u);
void robinnp_defaults(struct unit *u);
bool robinnp_quiesced(const struct unit *u);
uint32_t robinnp_status(const struct unit *u);
size_t robinnp_turn(struct unit *u, uint64_t now, size_t budget, uint64_t *when);

/* robinnp_pages.c */
/* Allocate the pages of a run, all owned by the host. Returns -1 if out of memory. */
int robinnp_pages_begin(struct robinnp_sub *sub);
void robinnp_pages_free(struct robinnp_sub *sub);
bool robinnp_page_there(const struct robinnp_sub *sub, uint32_t word);
/* Return a page from the host to its link. */
void robinnp_page_back(struct robinnp_sub *sub, uint32_t word);
void robinnp_free_doorbell(struct robinnp_sub *sub, uint32_t value);
void robinnp_free_turn(struct robinnp_sub *sub);

/* robinnp_source.c */
void robinnp_source_default(struct robinnp_link *link);
void robinnp_source_off(struct robinnp_link *link, uint64_t now);
/* Will a link get its turn without an event, because it has something to send? */
bool robinnp_flows(const struct robinnp_sub *sub);
/* Put available fragments into pages. Returns the budget used, in bytes. */
size_t robinnp_source_turn(struct robinnp_sub *sub, uint64_t now, size_t budget, uint64_t *when);
void robinnp_describe_turn(struct robinnp_sub *sub, uint64_t now, uint64_t *when);
/* Write all descriptors, regardless of the fault data-late. */
void robinnp_describe_all(struct robinnp_sub *sub);
uint64_t robinnp_hold_cycles(struct robinnp_link *link, uint64_t now);
uint32_t robinnp_any_held(const struct robinnp_sub *sub);

/* robinnp_command.c */
void robinnp_command_doorbell(struct robinnp_sub *sub, uint32_t value);
size_t robinnp_command_turn(struct robinnp_sub *sub, uint64_t now, size_t budget, uint64_t *when);

/* robinnp_irq.c */
void robinnp_irq_begin(struct robinnp_sub *sub);
void robinnp_arm(struct robinnp_sub *sub, enum robinnp_purpose purpose, uint32_t seen);
/* A bit of STATUS was set: request an error interrupt if the bit is enabled for it. */
void robinnp_error(struct unit *u, uint32_t bit);
uint64_t robinnp_irq_turn(struct robinnp_sub *sub, uint64_t now);
void robinnp_spurious(struct unit *u, unsigned int purpose);

/* robinnp_counts.c */
extern const char *const robinnp_counters[UNIT_COUNTERS];
extern const struct unit_count robinnp_count_list[];
uint64_t robinnp_link_counter(struct robinnp_link *link, unsigned int nr);
void robinnp_reset_counters(struct unit *u);
void robinnp_clear(struct unit *u);
void robinnp_show_sub(struct unit *u, struct json *j);
void robinnp_show_sums(struct unit_card *card, struct json *j);
void robinnp_show_links(struct unit_card *card, struct json *j);

/* robinnp_control.c */
extern const struct card_key robinnp_keys[];
extern const struct card_fault robinnp_fault_list[];

#endif /* EMU_ROBINNP_H */
