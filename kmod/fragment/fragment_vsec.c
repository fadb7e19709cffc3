// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding and judging the fragment capability. See fragment_vsec.h.
 */
#include "fragment/fragment_regs.h"
#include "fragment/fragment_vsec.h"

/* What we use of a ring, whatever a card says: far from where counts of 32 bits could be mistaken.
 */
#define RING_LOG2_MAX 22

static const struct roc_vsec_id fragment_id = {FRAGMENT_VSEC_ID, FRAGMENT_VSEC_REVISION,
					       FRAGMENT_VSEC_LENGTH, FRAGMENT_VSEC_SIGNATURE_VALUE};

static _Bool log2_good(unsigned int *log2)
{
	if (*log2 < FRAGMENT_RING_MIN || *log2 > FRAGMENT_RING_MAX)
		return 0;
	if (*log2 > RING_LOG2_MAX)
		*log2 = RING_LOG2_MAX;
	return 1;
}

static const char *find_limits(const struct roc_vsec_card *card, int at,
			       struct roc_fragment_vsec *vsec)
{
	__u32 limits = roc_vsec_word(card, at + FRAGMENT_VSEC_LIMITS);

	if (FRAGMENT_VSEC_SUBS(limits) != card->channels || card->channels > ROC_SUBS_MAX)
		return "it has another number of sub-units";
	vsec->links = FRAGMENT_VSEC_LINKS(limits);
	if (!vsec->links || vsec->links > FRAGMENT_LINKS_MAX)
		return "there are no sub-units of so many links";
	vsec->data_log2 = FRAGMENT_VSEC_DATA_MAX(limits);
	vsec->command_log2 = FRAGMENT_VSEC_COMMAND_MAX(limits);
	if (!log2_good(&vsec->data_log2) || !log2_good(&vsec->command_log2))
		return "there are no rings of such a size";
	vsec->memory = (__u64)roc_vsec_word(card, at + FRAGMENT_VSEC_MEMORY) << 10;
	if (vsec->memory < 1u << FRAGMENT_PAGE_MAX || vsec->memory >> FRAGMENT_PAGE_MIN >> 28)
		return "there are no links of such memory";
	vsec->vectors = FRAGMENT_VSEC_VECTORS(limits);
	vsec->host_pages = roc_vsec_word(card, at + FRAGMENT_VSEC_HOST_PAGES);
	if (!vsec->host_pages)
		return "there is no table of no host pages";
	if (vsec->host_pages > FRAGMENT_HOST_PAGES_MAX)
		return "its host-page table is larger than the contract's limit";
	return (void *)0;
}

/* Links' blocks follow each other at equal distances. */
static const char *find_links(const struct roc_vsec_card *card, int at,
			      struct roc_fragment_vsec *vsec)
{
	__u32 first = roc_vsec_word(card, at + FRAGMENT_VSEC_LINK);
	__u32 stride = roc_vsec_word(card, at + FRAGMENT_VSEC_LINK_STRIDE);
	unsigned int links = vsec->links * card->channels;

	if (FRAGMENT_VSEC_BAR(stride) || FRAGMENT_VSEC_OFFSET(stride) < FRAGMENT_LINK_SIZE ||
	    FRAGMENT_VSEC_OFFSET(stride) > ~0u / links)
		return "two blocks overlap";
	vsec->all_links = roc_vsec_place(
		first, stride, 0, FRAGMENT_VSEC_OFFSET(stride) * (links - 1) + FRAGMENT_LINK_SIZE);
	return (void *)0;
}

/* What users must not write, and what they may: neither overlaps its like. */
static const char *judge(const struct roc_vsec_card *card, const struct roc_fragment_vsec *vsec)
{
	struct roc_piece piece[2 * ROC_SUBS_MAX + 1];
	unsigned int i, n = 0;
	const char *why;

	for (i = 0; i < card->channels; i++) {
		piece[n++] = vsec->sub[i];
		piece[n++] = vsec->bell[i];
		if (vsec->bell[i].offset % FRAGMENT_DOORBELL_SIZE)
			return "a doorbell is not a page";
	}
	piece[n++] = vsec->function;
	why = roc_vsec_judge(card, piece, n);
	if (why)
		return why;
	for (i = 0, n = 0; i < card->channels; i++)
		piece[n++] = vsec->counts[i];
	piece[n++] = vsec->card;
	piece[n++] = vsec->all_links;
	return roc_vsec_judge_open(card, piece, n);
}

int roc_fragment_vsec_find(const struct roc_vsec_card *card, struct roc_fragment_vsec *vsec,
			   const char **why)
{
	int at = roc_vsec_at(card, &fragment_id);

	*why = at ? "the list of capabilities has no end" : "there is no such capability";
	if (at <= 0)
		return at;
	*why = find_limits(card, at, vsec);
	if (!*why)
		*why = find_links(card, at, vsec);
	if (*why)
		return -1;
	roc_vsec_places(card, at + FRAGMENT_VSEC_SUB, at + FRAGMENT_VSEC_STRIDE, FRAGMENT_SIZE,
			vsec->sub);
	roc_vsec_places(card, at + FRAGMENT_VSEC_DOORBELL, at + FRAGMENT_VSEC_DOORBELL_STRIDE,
			FRAGMENT_DOORBELL_SIZE, vsec->bell);
	roc_vsec_places(card, at + FRAGMENT_VSEC_COUNTS, at + FRAGMENT_VSEC_COUNTS_STRIDE,
			FRAGMENT_COUNTS_SIZE, vsec->counts);
	vsec->function = roc_vsec_place(roc_vsec_word(card, at + FRAGMENT_VSEC_FUNCTION), 0, 0,
					FRAGMENT_FUNCTION_SIZE);
	vsec->card = roc_vsec_place(roc_vsec_word(card, at + FRAGMENT_VSEC_CARD), 0, 0,
				    FRAGMENT_CARD_SIZE);
	*why = judge(card, vsec);
	return *why ? -1 : 1;
}

_Bool roc_fragment_vsec_agrees(const struct roc_fragment_vsec *vsec, unsigned int subs,
			       const struct roc_fragment_open *open)
{
	const struct roc_piece *counts = &open->counts;
	unsigned int i;

	for (i = 0; i < subs; i++)
		if (!roc_piece_is_at(&vsec->counts[i], counts->bar,
				     counts->offset + i * open->counts_stride))
			return 0;
	return vsec->links == open->links &&
	       roc_piece_is_at(&vsec->card, open->card.bar, open->card.offset) &&
	       roc_piece_is_at(&vsec->all_links, open->link.bar, open->link.offset) &&
	       vsec->all_links.size ==
		       open->link_stride * (open->links * subs - 1) + FRAGMENT_LINK_SIZE;
}
