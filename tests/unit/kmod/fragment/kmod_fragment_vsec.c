// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fragment capability: a valid one is found, invalid ones are rejected.
 */
#include "../core/vsec_test.h"

#include "cards/robinnp/robinnp_regs.h"
#include "fragment/fragment_regs.h"
#include "fragment/fragment_vsec.h"

#define LIMITS(_subs, _links, _data, _command)                                                     \
	((_subs) | (_links) << 4 | (_data) << 8 | (_command) << 16 | ROBINNP_VECTORS << 24)

static struct roc_fragment_vsec vsec;

static const struct vsec_word words[] = {
	{VSEC_HEADER, FRAGMENT_VSEC_ID | FRAGMENT_VSEC_REVISION << 16 | FRAGMENT_VSEC_LENGTH << 20},
	{VSEC_SIGNATURE, FRAGMENT_VSEC_SIGNATURE_VALUE},
	{FRAGMENT_VSEC_LIMITS,
	 LIMITS(ROBINNP_SUBS, ROBINNP_LINKS, ROBINNP_DATA_MAX, ROBINNP_COMMAND_MAX)},
	{FRAGMENT_VSEC_MEMORY, ROBINNP_MEMORY},
	{FRAGMENT_VSEC_HOST_PAGES, ROBINNP_HOST_PAGES},
	{FRAGMENT_VSEC_SUB, ROBINNP_BAR_DMA | ROBINNP_SUB(0)},
	{FRAGMENT_VSEC_STRIDE, ROBINNP_SUB(1) - ROBINNP_SUB(0)},
	{FRAGMENT_VSEC_DOORBELL, ROBINNP_BAR_DMA | ROBINNP_DOORBELL(0)},
	{FRAGMENT_VSEC_DOORBELL_STRIDE, ROBINNP_DOORBELL(1) - ROBINNP_DOORBELL(0)},
	{FRAGMENT_VSEC_FUNCTION, ROBINNP_BAR_DMA | ROBINNP_FUNCTION},
	{FRAGMENT_VSEC_CARD, ROBINNP_BAR_CARD | ROBINNP_CARD},
	{FRAGMENT_VSEC_COUNTS, ROBINNP_BAR_CARD | ROBINNP_COUNTS(0)},
	{FRAGMENT_VSEC_COUNTS_STRIDE, ROBINNP_COUNTS(1) - ROBINNP_COUNTS(0)},
	{FRAGMENT_VSEC_LINK, ROBINNP_BAR_CARD | ROBINNP_LINK(0)},
	{FRAGMENT_VSEC_LINK_STRIDE, ROBINNP_LINK(1) - ROBINNP_LINK(0)},
};

static const struct roc_fragment_open open = {
	.card = {.bar = ROBINNP_BAR_CARD, .offset = ROBINNP_CARD},
	.counts = {.bar = ROBINNP_BAR_CARD, .offset = ROBINNP_COUNTS(0)},
	.counts_stride = ROBINNP_COUNTS(1) - ROBINNP_COUNTS(0),
	.link = {.bar = ROBINNP_BAR_CARD, .offset = ROBINNP_LINK(0)},
	.link_stride = ROBINNP_LINK(1) - ROBINNP_LINK(0),
	.links = ROBINNP_LINKS,
};

static _Bool agrees(void)
{
	return roc_fragment_vsec_agrees(&vsec, ROBINNP_SUBS, &open);
}

static void found(void)
{
	good();
	UNIT_EQ(find(), 1);
	UNIT_EQ(vsec.links, ROBINNP_LINKS);
	UNIT_EQ(vsec.memory_kib, ROBINNP_MEMORY);
	UNIT_EQ(vsec.data_log2, ROBINNP_DATA_MAX);
	UNIT_EQ(vsec.command_log2, ROBINNP_COMMAND_MAX);
	UNIT_EQ(vsec.host_pages, ROBINNP_HOST_PAGES);
	UNIT_EQ(vsec.vectors, ROBINNP_VECTORS);
	UNIT_EQ(vsec.sub[1].offset, ROBINNP_SUB(1));
	UNIT_EQ(vsec.doorbell[1].offset, ROBINNP_DOORBELL(1));
	UNIT_EQ(vsec.doorbell[1].bar, ROBINNP_BAR_DMA);
	UNIT_EQ(vsec.counts[1].offset, ROBINNP_COUNTS(1));
	UNIT_EQ(vsec.counts[1].bar, ROBINNP_BAR_CARD);
	UNIT_EQ(vsec.function.offset, ROBINNP_FUNCTION);
	UNIT_EQ(vsec.all_links.offset, ROBINNP_LINK(0));
	UNIT_EQ(vsec.all_links.size, ROBINNP_LINK(12) - ROBINNP_LINK(0));
	put(FRAGMENT_VSEC_HOST_PAGES, FRAGMENT_HOST_PAGES_MAX);
	UNIT_EQ(find(), 1);
	UNIT_EQ(vsec.host_pages, FRAGMENT_HOST_PAGES_MAX);
}

static const struct vsec_word bad[] = {
	/* wrong number of sub-units, no links, invalid ring sizes */
	{FRAGMENT_VSEC_LIMITS, LIMITS(1, 6, 20, 16)},
	{FRAGMENT_VSEC_LIMITS, LIMITS(2, 0, 20, 16)},
	{FRAGMENT_VSEC_LIMITS, LIMITS(2, 6, 3, 16)},
	{FRAGMENT_VSEC_LIMITS, LIMITS(2, 6, 29, 16)},
	{FRAGMENT_VSEC_LIMITS, LIMITS(2, 6, 20, 3)},
	/* memory for less than a page, and for more pages than a word can name */
	{FRAGMENT_VSEC_MEMORY, 63},
	{FRAGMENT_VSEC_MEMORY, 1u << 28},
	/* no host page */
	{FRAGMENT_VSEC_HOST_PAGES, 0},
	/* a table that is too large to be filled in reasonable time */
	{FRAGMENT_VSEC_HOST_PAGES, FRAGMENT_HOST_PAGES_MAX + 1},
	{FRAGMENT_VSEC_HOST_PAGES, 0xffffffff},
	/* outside of the BAR, or in a BAR that does not exist */
	{FRAGMENT_VSEC_SUB, ROBINNP_BAR_DMA | (ROBINNP_BAR_DMA_SIZE - 0x100)},
	{FRAGMENT_VSEC_SUB, 1 | ROBINNP_SUB(0)},
	{FRAGMENT_VSEC_COUNTS, ROBINNP_BAR_CARD | (ROBINNP_BAR_CARD_SIZE - 0x100)},
	{FRAGMENT_VSEC_LINK, ROBINNP_BAR_CARD | (ROBINNP_BAR_CARD_SIZE - 0xb00)},
	{FRAGMENT_VSEC_LINK_STRIDE, 0x10000000},
	/* where users may write */
	{FRAGMENT_VSEC_FUNCTION, ROBINNP_BAR_CARD | 0x8000},
	{FRAGMENT_VSEC_DOORBELL, ROBINNP_BAR_CARD | 0x8000},
	{FRAGMENT_VSEC_SUB, ROBINNP_BAR_CARD | 0x8000},
	/* overlaps with each other, and with the MSI-X tables */
	{FRAGMENT_VSEC_STRIDE, 0x80},
	{FRAGMENT_VSEC_LINK_STRIDE, 0x80},
	{FRAGMENT_VSEC_LINK_STRIDE, 0},
	{FRAGMENT_VSEC_FUNCTION, ROBINNP_BAR_DMA | ROBINNP_SUB(1)},
	{FRAGMENT_VSEC_FUNCTION, ROBINNP_BAR_DMA | ROBINNP_MSIX_TABLE},
	{FRAGMENT_VSEC_DOORBELL, ROBINNP_BAR_DMA | 0x1000},
	{FRAGMENT_VSEC_CARD, ROBINNP_BAR_CARD | ROBINNP_COUNTS(1)},
	{FRAGMENT_VSEC_CARD, ROBINNP_BAR_CARD | ROBINNP_LINK(5)},
	/* not on a page of its own */
	{FRAGMENT_VSEC_DOORBELL, ROBINNP_BAR_DMA | (ROBINNP_DOORBELL(0) + 0x800)},
};

/* A card may have larger rings than those whose laps 32-bit counts can distinguish. */
static void largest_ring(void)
{
	good();
	put(FRAGMENT_VSEC_LIMITS, LIMITS(2, 6, 28, 28));
	UNIT_EQ(find(), 1);
	UNIT_EQ(vsec.data_log2, 22);
	UNIT_EQ(vsec.command_log2, 22);
}

static const struct vsec_word moved[] = {
	{FRAGMENT_VSEC_CARD, ROBINNP_BAR_CARD | 0x8000},
	{FRAGMENT_VSEC_COUNTS, ROBINNP_BAR_CARD | (ROBINNP_COUNTS(0) + 8)},
	{FRAGMENT_VSEC_COUNTS_STRIDE, 0x108},
	{FRAGMENT_VSEC_LINK, ROBINNP_BAR_CARD | (ROBINNP_LINK(0) + 8)},
	{FRAGMENT_VSEC_LINK_STRIDE, 0x108},
	{FRAGMENT_VSEC_LIMITS, LIMITS(2, 5, 20, 16)},
};

static const struct vsec_test test = {
	.contract = &roc_fragment_contract,
	.card = VSEC_CARD(ROBINNP, ROBINNP_SUBS),
	.result = &vsec,
	.good = VSEC_WORDS(words),
	.bad = VSEC_WORDS(bad),
	.moved = VSEC_WORDS(moved),
};

UNIT_MAIN("kmod_fragment_vsec", {"found", found}, {"absent", absent}, {"refused", refused},
	  {"largest ring", largest_ring}, {"other layout", other_layout})
