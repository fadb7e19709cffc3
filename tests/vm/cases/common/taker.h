/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader of fragments for tests, by the ABI alone. It maps rings and doorbell, registers host
 * pages, validates every descriptor and completion, and checks every byte of the card's generators
 * in place. It reports errors in @found.
 */
#ifndef CASE_TAKER_H
#define CASE_TAKER_H

#include <roc/uapi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "findings.h"

#include "kmod/cards/robinnp/robinnp_regs.h"
#include "kmod/fragment/fragment_data.h"
#include "kmod/fragment/fragment_regs.h"

#define ROBINNP_ID "6001:0"
#define TAKER_ALL_LINKS 0x3fu

/* A fragment whose descriptor was read; the reader owns its page. */
struct taker_fragment {
	uint32_t event, page, size, status;
};

struct taker {
	/* set by the caller */
	const char *id; /* NULL: ROBINNP_ID */
	unsigned int sub;
	uint32_t page_size, host_page_size, commands; /* 0: the ABI's */
	uint32_t pages;				      /* of each link; 0: 256 */
	uint32_t host_pages;			      /* 0: 64 */
	uint32_t start;				      /* start value of counts */
	unsigned int percent; /* transferred part of the fragments; the others are released */

	/* since it was opened */
	int fd;
	struct roc_fr_rings made;
	const volatile struct roc_fr_kernel *kernel;
	const struct roc_fr_descriptor *data;
	const struct roc_fr_completion *done;
	volatile struct roc_fr_user *user;
	uint32_t *frees;
	struct roc_fr_command *commands_ring;
	volatile struct roc_fr_bell *bell;
	uint8_t *memory; /* host pages */
	size_t length;
	struct roc_fr_pages numbers;
	bool *busy; /* of each host page */

	/* of one run: counts of entries, and their contents */
	uint32_t data_count, done_count, free_count, command_count;
	uint32_t free_reported, command_reported;
	struct taker_fragment *requested; /* by host page: its fragment */
	uint32_t min, max;		  /* settings of the generators */
	uint32_t next[ROBINNP_LINKS];
	bool begun[ROBINNP_LINKS];
	uint64_t fragments, transferred, released, bytes, truncated;

	struct findings found;
};

/* Open, make the rings, map all, register the host pages. False: @found has the error. */
bool taker_open(struct taker *t);
void taker_close(struct taker *t);

/* Set the generators of @links. Takes effect at the next start. */
bool taker_generate(struct taker *t, uint32_t links, uint32_t min, uint32_t max, uint32_t rate,
		    uint32_t first, uint64_t limit);
/* Write a register of a link's block. */
bool taker_set(struct taker *t, unsigned int link, uint32_t offset, uint32_t value);
uint64_t taker_link(struct taker *t, unsigned int link, unsigned int counter);

/* START, and submit pages to the card; @pages: of each link, 0: all. */
bool taker_start(struct taker *t, uint32_t pages);
void taker_submit_pages(struct taker *t, uint32_t pages);     /* only submit the pages */
int taker_begin(struct taker *t, struct roc_fr_start *reply); /* only START; 0 or -errno */
bool taker_stop(struct taker *t);

/* Read and validate the next descriptor. False: there is none. */
bool taker_next(struct taker *t, struct taker_fragment *h);
/* Read the next completion. False: there is none. */
bool taker_finished(struct taker *t, struct roc_fr_completion *c);

/* Write entries of the reader's rings; taker_ring() reports them to the card. */
void taker_free(struct taker *t, uint32_t page);
void taker_command(struct taker *t, uint32_t page, uint32_t host_page, uint32_t tag, uint32_t op);
void taker_ring(struct taker *t);

/*
 * One pass: read entries, submit commands or releases, check fragments. Returns the number of
 * entries.
 */
unsigned int taker_pass(struct taker *t);
/* Run until @fragments came and all commands are done; sleeps in ROC_FR_WAIT. */
bool taker_run(struct taker *t, uint64_t fragments, unsigned int ms);
/* Sleep until one more entry of the rings in @mask is there: 0, or -errno. */
int taker_wait(struct taker *t, uint32_t mask, unsigned int ms);

struct roc_fr_info taker_info(const struct taker *t);
uint32_t taker_outstanding(const struct taker *t);

/* Clear all faults and counts, set all keys to power-on values; works without the driver. */
void emu_keys_robinnp(unsigned int card);
/* Also reset all settings and counters; no generator runs. */
void emu_normal_robinnp(unsigned int card);
/* A count of one of a card's sub-units, or of its links 0 to 11. */
uint64_t emu_sub(unsigned int card, unsigned int sub, const char *name);
uint64_t emu_fragment_link(unsigned int card, unsigned int link, const char *name);

/* Assert that no error was found; else print the first one. */
#define TAKER_OK(t) FOUND_NOTHING(&(t)->found)

#endif /* CASE_TAKER_H */
