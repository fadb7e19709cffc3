/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fragments on request, inside: an open sub-unit and the tables of its pages.
 */
#ifndef LIBROC_FRAGMENT_H
#define LIBROC_FRAGMENT_H

#include <endian.h>

#include <roc/fragment.h>

#include "named.h"

#define LIBROC_FRAGMENT_NONE UINT32_MAX

/* Rings that the card writes. */
enum libroc_fragment_lane {
	LIBROC_LANE_DATA,
	LIBROC_LANE_DONE,
	LIBROC_LANES,
};

enum libroc_card_page_state {
	LIBROC_PAGE_CARDS, /* or on its way to the card: in the free-page ring */
	LIBROC_PAGE_KEPT,
	LIBROC_PAGE_CLEARED, /* goes back when its requests are done */
};

/* A page of the card: by link, then number. */
struct libroc_card_page {
	uint32_t event, size;
	uint32_t requests; /* outstanding */
	uint16_t status;
	uint16_t state; /* enum libroc_card_page_state */
};

/*
 * A host page: free (in a list by next), asked for or lent. What returns it touches handle and
 * next alone.
 */
struct libroc_host_page {
	const char *data;
	uint64_t handle; /* of who has it; 0: nobody */
	uint64_t tag;
	uint64_t time; /* lent since */
	uint32_t size;
	uint32_t page; /* place of the card's page in the table */
	uint32_t next;
	bool requested;
};

/* Owned by the caller of roc_fragments_open(). All counts run freely modulo 2^32 from start on. */
struct roc_fragments {
	struct libroc_named c;
	unsigned int links;
	uint32_t host_pages_max;

	struct roc_fr_rings made; /* what the driver has made; size 0: nothing */

	/* The mappings, all or none; pages 0: none. */
	const char *kernel_area;
	char *user_area;
	struct roc_fr_bell *bell; /* NULL: the card has none to map */
	const struct roc_fr_kernel *kernel;
	const struct roc_fr_descriptor *descriptors;
	const struct roc_fr_completion *completions;
	struct roc_fr_user *user;
	__le32 *frees;
	struct roc_fr_command *commands;
	uint32_t descriptor_entries, free_entries, command_entries;
	uint32_t pages; /* of each link */
	uint32_t page_size, host_page_size;

	/* Of a run. */
	uint32_t start;
	uint32_t taken, done;	       /* descriptors, completions */
	uint32_t probed[LIBROC_LANES]; /* how far behind these a later entry was looked for */
	uint32_t last[ROC_FRAGMENTS_LINKS_MAX]; /* event id of each link, */
	uint32_t begun;				/* of the links that have one */
	uint32_t freed, freed_rung;		/* entries put into the free-page ring */
	uint32_t commanded, commanded_rung;	/* and into the command ring */
	uint32_t outstanding;
	uint32_t canceled;			     /* host pages that were looked at for it */
	uint32_t pages_out;			     /* pages that are not the card's */
	uint32_t unrung[ROC_FRAGMENTS_LINKS_MAX];    /* pages on their way, and */
	uint32_t with_card[ROC_FRAGMENTS_LINKS_MAX]; /* those it has as far as it was told */
	struct roc_fragment_index *index;
	struct libroc_card_page *card_pages;

	/* Of the host pages. What returned_* names is for any thread. */
	struct libroc_host_page *host_pages;
	uint32_t host_page_count;
	unsigned int shift;	 /* bits of a handle that are the page's number */
	uint32_t free;		 /* first of the taker's free pages */
	uint32_t returned_first; /* of those that came back since the taker took them over */
	uint64_t lent, returned;

	struct roc_fragments_counts counts; /* what runs on over starts, as the next */
	struct roc_fragments_damage damage;
};

/* fragment_rings.c: -EPIPE: there are no rings yet; -EPERM: in a child. With a sentence. */
int libroc_need_fragment_rings(const struct roc_fragments *f);
void libroc_fragment_unmap(struct roc_fragments *f);

/* fragment_pages.c: all pages are the card's, which is told of them; the index is empty. */
void libroc_fragment_begin(struct roc_fragments *f, uint32_t start);

/* The fragment is no longer wanted: its page goes back at once, or when its requests are done. */
void libroc_fragment_drop(struct roc_fragments *f, uint32_t page);

/* One of its requests is done. */
void libroc_fragment_requested(struct roc_fragments *f, uint32_t page);

/* Requests of the last run are forgotten. */
void libroc_fragment_forget(struct roc_fragments *f);

/* A host page for a request; there is one, roc_fragments_counts() said so. */
uint32_t libroc_fragment_host_page(struct roc_fragments *f);
void libroc_fragment_host_page_back(struct roc_fragments *f, uint32_t host_page);

/* Host pages that nobody has. */
uint32_t libroc_fragment_free(const struct roc_fragments *f);

/*
 * Status word of entry @count of a ring, if the entry is there; else 0. The ring has @entries, its
 * counts began at @start, and each entry of 16 bytes has its phase in the last word. That word is
 * loaded once; what else the entry holds can be read then.
 */
static inline bool libroc_fragment_there(const void *ring, uint32_t entries, uint32_t count,
					 uint32_t start, uint32_t *word)
{
	const __le32 *status = (const __le32 *)ring + 4 * (count & (entries - 1)) + 3;

	*word = le32toh(__atomic_load_n(status, __ATOMIC_ACQUIRE));
	return !(*word & ROC_FR_PHASE) == !!((count - start) & entries);
}

/*
 * fragment_check.c: the next entry of a ring is not there: did the card leave it out? -EBADMSG with
 * a sentence if so, else 0. One entry is looked at with each call, so a hole before any entry that
 * is there is found after as many calls as the ring has entries.
 */
int libroc_fragment_check_skipped(struct roc_fragments *f, enum libroc_fragment_lane lane);
int libroc_fail_skipped(const struct roc_fragments *f, enum libroc_fragment_lane lane,
			uint32_t later);

/* Count what is wrong with a fragment that was taken in, or fetched. */
void libroc_fragment_check_kept(struct roc_fragments *f, const struct roc_fragment_kept *kept);
void libroc_fragment_check_fetched(struct roc_fragments *f, const struct roc_fragment_fetched *out);
/* Is the content of a fetched fragment not all that it should be? */
bool libroc_fragment_is_damaged(const struct roc_fragment_fetched *out);

#endif /* LIBROC_FRAGMENT_H */
