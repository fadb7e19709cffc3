// SPDX-License-Identifier: GPL-2.0-only
/*
 * Describe the fragment capability, and the range of the blocks of its links. See fragment_vsec.h.
 */
#include "fragment/fragment_regs.h"
#include "fragment/fragment_vsec.h"

/* Largest ring that the driver uses: differences of 32-bit counts must stay unambiguous. */
#define RING_LOG2_USED 22

#define MEMBER(name) __builtin_offsetof(struct roc_fragment_vsec, name)
#define NO_RINGS "the largest ring size is out of range"
/* A link needs memory for one of the largest pages. The number of a smallest page has 28 bits. */
#define MEMORY_LEAST (1u << (FRAGMENT_PAGE_MAX - 10))
#define MEMORY_MOST ((1u << (28 + FRAGMENT_PAGE_MIN - 10)) - 1)

/* Compute the range of the blocks of all links, which are equidistant. */
static const char *roc_fragment_vsec_links(const struct roc_vsec_card *card, unsigned int at,
					   void *result)
{
	struct roc_fragment_vsec *vsec = result;
	__u32 first = roc_vsec_word(card, at + FRAGMENT_VSEC_LINK);
	__u32 stride = roc_vsec_word(card, at + FRAGMENT_VSEC_LINK_STRIDE);
	unsigned int links = vsec->links * card->channels;

	if (VSEC_BAR(stride) || VSEC_OFFSET(stride) < FRAGMENT_LINK_SIZE ||
	    VSEC_OFFSET(stride) > ~0u / links)
		return "two blocks overlap";
	vsec->all_links = roc_vsec_place(first, stride, 0,
					 VSEC_OFFSET(stride) * (links - 1) + FRAGMENT_LINK_SIZE);
	return (void *)0;
}

const struct roc_vsec_contract roc_fragment_contract = {
	.id = {FRAGMENT_VSEC_ID, FRAGMENT_VSEC_REVISION, FRAGMENT_VSEC_LENGTH,
	       FRAGMENT_VSEC_SIGNATURE_VALUE},
	.channels = {0, FRAGMENT_VSEC_LIMITS, FRAGMENT_VSEC_SUBS, 0, ROC_SUBS_MAX, 0,
		     "the number of sub-units does not match"},
	.number =
		{
			{MEMBER(links), FRAGMENT_VSEC_LIMITS, FRAGMENT_VSEC_LINKS, 1,
			 FRAGMENT_LINKS_MAX, 0, "the number of links is out of range"},
			{MEMBER(data_log2), FRAGMENT_VSEC_LIMITS, FRAGMENT_VSEC_DATA_MAX,
			 FRAGMENT_RING_MIN, FRAGMENT_RING_MAX, RING_LOG2_USED, NO_RINGS},
			{MEMBER(command_log2), FRAGMENT_VSEC_LIMITS, FRAGMENT_VSEC_COMMAND_MAX,
			 FRAGMENT_RING_MIN, FRAGMENT_RING_MAX, RING_LOG2_USED, NO_RINGS},
			{MEMBER(memory_kib), FRAGMENT_VSEC_MEMORY, ~0u, MEMORY_LEAST, MEMORY_MOST,
			 0, "the page memory of a link is out of range"},
			{MEMBER(vectors), FRAGMENT_VSEC_LIMITS, FRAGMENT_VSEC_VECTORS, 0, ~0u, 0,
			 ""},
			{MEMBER(host_pages), FRAGMENT_VSEC_HOST_PAGES, ~0u, 1, ~0u, 0,
			 "the host-page table has no entries"},
			{MEMBER(host_pages), FRAGMENT_VSEC_HOST_PAGES, ~0u, 1,
			 FRAGMENT_HOST_PAGES_MAX, 0,
			 "the host-page table is larger than the contract allows"},
		},
	.blocks =
		{
			{MEMBER(sub), FRAGMENT_VSEC_SUB, FRAGMENT_VSEC_STRIDE, FRAGMENT_SIZE,
			 FRAGMENT_ID_SUB, 0},
			{MEMBER(doorbell), FRAGMENT_VSEC_DOORBELL, FRAGMENT_VSEC_DOORBELL_STRIDE,
			 FRAGMENT_DOORBELL_SIZE, 0, ROC_VSEC_PAGE},
			{MEMBER(function), FRAGMENT_VSEC_FUNCTION, 0, FUNCTION_SIZE,
			 FRAGMENT_ID_FUNCTION, 0},
			{MEMBER(counts), FRAGMENT_VSEC_COUNTS, FRAGMENT_VSEC_COUNTS_STRIDE,
			 FRAGMENT_COUNTS_SIZE, FRAGMENT_ID_COUNTS, ROC_VSEC_USER_WRITABLE},
			{MEMBER(card), FRAGMENT_VSEC_CARD, 0, CARD_SIZE, 0, ROC_VSEC_USER_WRITABLE},
			{MEMBER(all_links), 0, 0, 0, 0, ROC_VSEC_USER_WRITABLE},
		},
	.fill = roc_fragment_vsec_links,
};

_Bool roc_fragment_vsec_agrees(const struct roc_fragment_vsec *vsec, unsigned int subs,
			       const struct roc_fragment_open *open)
{
	return vsec->links == open->links &&
	       roc_pieces_are_at(vsec->counts, subs, &open->counts, open->counts_stride) &&
	       roc_pieces_are_at(&vsec->card, 1, &open->card, 0) &&
	       roc_pieces_are_at(&vsec->all_links, 1, &open->link, 0) &&
	       vsec->all_links.size ==
		       open->link_stride * (open->links * subs - 1) + FRAGMENT_LINK_SIZE;
}
