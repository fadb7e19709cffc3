/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A taker of fragments for tests, by the ABI alone: rings and doorbell mapped, host pages of its
 * own, every descriptor and completion judged, and every byte that the card's generators make
 * checked where the card put it.
 * What is wrong goes into @found.
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

/* A fragment that was told of, and whose page is ours. */
struct held {
	uint32_t event, page, size, status;
};

struct taker {
	/* in */
	const char *id; /* NULL: ROBINNP_ID */
	unsigned int sub;
	uint32_t page_size, host_page_size, commands; /* 0: the ABI's */
	uint32_t pages;				      /* of each link; 0: 256 */
	uint32_t host_pages;			      /* 0: 64 */
	uint32_t start;				      /* where counts begin */
	unsigned int percent; /* of fragments that are transferred, the others are released */

	/* of one open */
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

	/* of one run: counts of entries, and what they told */
	uint32_t data_count, done_count, free_count, command_count;
	uint32_t free_told, command_told;
	struct held *asked; /* by host page: of which fragment */
	uint32_t min, max;  /* what the generators were told */
	uint32_t next[ROBINNP_LINKS];
	bool begun[ROBINNP_LINKS];
	uint64_t fragments, transferred, released, bytes, truncated;

	struct findings found;
};

/* Open, make the rings, map all, register the host pages. False: see @found. */
bool taker_open(struct taker *t);
void taker_close(struct taker *t);

/* What the generators of @links make. Takes effect at the next start. */
bool taker_generate(struct taker *t, uint32_t links, uint32_t min, uint32_t max, uint32_t rate,
		    uint32_t first, uint64_t limit);
/* A register of a link's block. */
bool taker_set(struct taker *t, unsigned int link, uint32_t offset, uint32_t value);
uint64_t taker_link(struct taker *t, unsigned int link, unsigned int counter);

/* START, and all pages to the card; @pages: so many of each link, 0: all. */
bool taker_start(struct taker *t, uint32_t pages);
void taker_give_all(struct taker *t, uint32_t pages);	      /* the pages alone */
int taker_begin(struct taker *t, struct roc_fr_start *reply); /* START alone; 0 or -errno */
bool taker_stop(struct taker *t);

/* The next descriptor, judged. False: there is none. */
bool taker_next(struct taker *t, struct held *h);
/* The next completion. False: there is none. */
bool taker_finished(struct taker *t, struct roc_fr_completion *c);

/* Entries of the reader's rings; told to the card by taker_ring(). */
void taker_free(struct taker *t, uint32_t page);
void taker_command(struct taker *t, uint32_t page, uint32_t host_page, uint32_t tag, uint32_t op);
void taker_ring(struct taker *t);

/* One pass: takes what there is, asks or releases, checks what came. Number of entries seen. */
unsigned int taker_pass(struct taker *t);
/* Until @fragments came and all that was asked for; sleeps in ROC_FR_WAIT. */
bool taker_run(struct taker *t, uint64_t fragments, unsigned int ms);
/* Sleep until one more entry is there of what @mask says: 0, or -errno. */
int taker_wait(struct taker *t, uint32_t mask, unsigned int ms);

struct roc_fr_info taker_info(const struct taker *t);
uint32_t taker_outstanding(const struct taker *t);

/* All faults off, all keys as at power-on, counts 0; the driver need not be there. */
void emu_keys_robinnp(unsigned int card);
/* And all settings and counters too, nothing generated. */
void emu_normal_robinnp(unsigned int card);
/* A count of one of a card's sub-units, and of its links, 0 to 11. */
uint64_t emu_sub(unsigned int card, unsigned int sub, const char *name);
uint64_t emu_fragment_link(unsigned int card, unsigned int link, const char *name);

/* For tests: nothing was wrong, else say what. */
#define TAKER_OK(t) FOUND_NOTHING(&(t)->found)

#endif /* CASE_TAKER_H */
