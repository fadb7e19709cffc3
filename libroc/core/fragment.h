/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internal structures of a sub-unit: the open handle and the tables of its pages. */
#ifndef LIBROC_FRAGMENT_H
#define LIBROC_FRAGMENT_H

#include <endian.h>

#include <roc/fragment.h>

#include "named.h"

#define LIBROC_FRAGMENT_NONE UINT32_MAX

/* Rings that the card writes */
enum libroc_fragment_lane {
	LIBROC_LANE_DATA,
	LIBROC_LANE_DONE,
	LIBROC_LANES,
};

enum libroc_card_page_state {
	LIBROC_PAGE_CARDS, /* owned by the card, or in the free-page ring */
	LIBROC_PAGE_KEPT,
	LIBROC_PAGE_CLEARED, /* put into the free-page ring when its requests are done */
};

/* A page of the card. The table is ordered by link, then by page number. */
struct libroc_card_page {
	uint32_t event, size;
	uint32_t requests; /* outstanding */
	uint16_t status;
	uint16_t state; /* enum libroc_card_page_state */
};

/*
 * A host page: free (in a list by next), requested or lent. The thread that returns a page touches
 * only handle and next.
 */
struct libroc_host_page {
	const char *data;
	uint64_t handle; /* of the loan; 0: not lent */
	uint64_t tag;
	uint64_t time; /* lent since */
	uint32_t size;
	uint32_t page; /* index of the card's page in card_pages */
	uint32_t next;
	bool requested;
};

/*
 * Handle of roc_fragments_open(), used by one thread. All counts run modulo 2^32 and begin at
 * @start.
 */
struct roc_fragments {
	struct libroc_named c;
	unsigned int links;
	uint32_t host_pages_max;

	struct roc_fr_rings made; /* rings that the driver has made; size 0: none */

	/* The mappings, either all or none; pages is 0 if there are none. */
	const char *kernel_area;
	char *user_area;
	struct roc_fr_bell *bell; /* NULL: the card has no doorbell page to map */
	const struct roc_fr_kernel *kernel;
	const struct roc_fr_descriptor *descriptors;
	const struct roc_fr_completion *completions;
	struct roc_fr_user *user;
	__le32 *frees;
	struct roc_fr_command *commands;
	uint32_t descriptor_entries, free_entries, command_entries;
	uint32_t pages; /* of each link */
	uint32_t page_size, host_page_size;

	/* State of the current run */
	uint32_t start;
	uint32_t taken, done; /* entries consumed from the descriptor and completion ring */
	uint32_t probed[LIBROC_LANES]; /* distance from these at which the last skip check looked */
	uint32_t last[ROC_FRAGMENTS_LINKS_MAX]; /* last event id of each link */
	uint32_t begun;				/* mask of links for which last[] is valid */
	/* entries put into the free-page ring, and reported to the card */
	uint32_t freed, freed_rung;
	uint32_t commanded, commanded_rung; /* the same of the command ring */
	uint32_t outstanding;
	uint32_t canceled;  /* host pages already searched for requests to cancel */
	uint32_t pages_out; /* pages that the card does not own */
	uint32_t unrung[ROC_FRAGMENTS_LINKS_MAX]; /* released pages not yet reported to the card */
	uint32_t with_card[ROC_FRAGMENTS_LINKS_MAX]; /* pages of the card as reported to it */
	struct roc_fragment_index *index;
	struct libroc_card_page *card_pages;

	/* Host pages. Any thread may access returned and returned_first. */
	struct libroc_host_page *host_pages;
	uint32_t host_page_count;
	unsigned int shift; /* low bits of a handle, which hold the page's number */
	uint32_t free;	    /* head of the consumer's free list */
	/* head of the list of pages returned since the consumer emptied it */
	uint32_t returned_first;
	uint64_t lent, returned;

	struct roc_fragments_counts counts; /* not reset by a start; nor is @damage */
	struct roc_fragments_damage damage;
};

/*
 * fragment_rings.c: check that the rings exist. -EPIPE: no rings yet; -EPERM: child of the opener.
 * Sets the error text.
 */
int libroc_need_fragment_rings(const struct roc_fragments *f);
void libroc_fragment_unmap(struct roc_fragments *f);

/* fragment_pages.c: begin a run: put all pages into the free-page ring and empty the index. */
void libroc_fragment_begin(struct roc_fragments *f, uint32_t start);

/* Release the page of a fragment, at once or when its requests are done. */
void libroc_fragment_drop(struct roc_fragments *f, uint32_t page);

/* Count one request of @page as done. */
void libroc_fragment_requested(struct roc_fragments *f, uint32_t page);

/* Drop the outstanding requests of the last run. */
void libroc_fragment_forget(struct roc_fragments *f);

/* Allocate a host page for a request. The caller has checked that one is free. */
uint32_t libroc_fragment_host_page(struct roc_fragments *f);
void libroc_fragment_host_page_back(struct roc_fragments *f, uint32_t host_page);

/* Number of host pages that are neither requested nor lent */
uint32_t libroc_fragment_free(const struct roc_fragments *f);

/*
 * Check whether the card has written entry @count of a ring; *@word is then its status word. The
 * ring has @entries, its counts began at @start, and each entry of 16 bytes has its phase in the
 * last word. This loads that word once; the caller can read the rest of the entry afterwards.
 */
static inline bool libroc_fragment_there(const void *ring, uint32_t entries, uint32_t count,
					 uint32_t start, uint32_t *word)
{
	const __le32 *status = (const __le32 *)ring + 4 * (count & (entries - 1)) + 3;

	*word = le32toh(__atomic_load_n(status, __ATOMIC_ACQUIRE));
	return !(*word & ROC_FR_PHASE) == !!((count - start) & entries);
}

/*
 * fragment_check.c: the next entry of a ring is missing: check whether the card skipped it. Return
 * -EBADMSG and set the error text if so, else 0. Each call checks one later entry, so a gap is
 * found after at most as many calls as the ring has entries.
 */
int libroc_fragment_check_skipped(struct roc_fragments *f, enum libroc_fragment_lane lane);
int libroc_fail_skipped(const struct roc_fragments *f, enum libroc_fragment_lane lane,
			uint32_t later);

/* Count the defects of a fragment that was taken, or fetched. */
void libroc_fragment_check_kept(struct roc_fragments *f, const struct roc_fragment_kept *kept);
void libroc_fragment_check_fetched(struct roc_fragments *f, const struct roc_fragment_fetched *out);
/* Check whether the content of a fetched fragment is damaged. */
bool libroc_fragment_is_damaged(const struct roc_fragment_fetched *out);

#endif /* LIBROC_FRAGMENT_H */
