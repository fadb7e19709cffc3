// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stream capability: a valid one is found, invalid ones are rejected.
 */
#include "../core/vsec_test.h"

#include "cards/p40/p40_regs.h"
#include "stream/stream_regs.h"
#include "stream/stream_vsec.h"

static struct roc_stream_vsec vsec;

static const struct vsec_word words[] = {
	{VSEC_HEADER, STREAM_VSEC_ID | STREAM_VSEC_REVISION << 16 | STREAM_VSEC_LENGTH << 20},
	{VSEC_SIGNATURE, STREAM_VSEC_SIGNATURE_VALUE},
	{STREAM_VSEC_LIMITS, P40_STREAMS | P40_RING_MAX << 8 | P40_VECTORS << 16},
	{STREAM_VSEC_SEGMENTS, P40_SEGMENTS},
	{STREAM_VSEC_STREAM, P40_BAR_DMA | P40_STREAM(0)},
	{STREAM_VSEC_STRIDE, P40_STREAM(1) - P40_STREAM(0)},
	{STREAM_VSEC_DOORBELL, P40_BAR_DMA | P40_DOORBELL(0)},
	{STREAM_VSEC_DOORBELL_STRIDE, P40_DOORBELL(1) - P40_DOORBELL(0)},
	{STREAM_VSEC_FUNCTION, P40_BAR_DMA | P40_FUNCTION},
	{STREAM_VSEC_CARD, P40_BAR_CARD | P40_CARD},
	{STREAM_VSEC_SETTINGS, P40_BAR_CARD | P40_SETTINGS(0)},
	{STREAM_VSEC_SETTINGS_STRIDE, P40_SETTINGS(1) - P40_SETTINGS(0)},
};

static const struct roc_stream_open open = {
	.card = {.bar = P40_BAR_CARD, .offset = P40_CARD},
	.settings = {.bar = P40_BAR_CARD, .offset = P40_SETTINGS(0)},
	.stride = P40_SETTINGS(1) - P40_SETTINGS(0),
};

static _Bool agrees(void)
{
	return roc_stream_vsec_agrees(&vsec, P40_STREAMS, &open);
}

static void found(void)
{
	good();
	UNIT_EQ(find(), 1);
	UNIT_EQ(vsec.ring_log2, P40_RING_MAX);
	UNIT_EQ(vsec.segments, P40_SEGMENTS);
	UNIT_EQ(vsec.vectors, P40_VECTORS);
	UNIT_EQ(vsec.stream[6].offset, P40_STREAM(6));
	UNIT_EQ(vsec.doorbell[6].offset, P40_DOORBELL(6));
	UNIT_EQ(vsec.doorbell[6].bar, P40_BAR_DMA);
	UNIT_EQ(vsec.settings[6].offset, P40_SETTINGS(6));
	UNIT_EQ(vsec.settings[6].bar, P40_BAR_CARD);
	UNIT_EQ(vsec.function.offset, P40_FUNCTION);
}

static const struct vsec_word bad[] = {
	/* wrong number of streams, invalid ring sizes */
	{STREAM_VSEC_LIMITS, 6 | P40_RING_MAX << 8},
	{STREAM_VSEC_LIMITS, P40_STREAMS | 15 << 8},
	{STREAM_VSEC_LIMITS, P40_STREAMS | 38 << 8},
	/* outside of the BAR, or in a BAR that does not exist */
	{STREAM_VSEC_STREAM, P40_BAR_DMA | (P40_BAR_DMA_SIZE - 0x100)},
	{STREAM_VSEC_STREAM, 1 | P40_STREAM(0)},
	{STREAM_VSEC_SETTINGS, P40_BAR_CARD | (P40_BAR_CARD_SIZE - 0x200)},
	/* where users may write */
	{STREAM_VSEC_FUNCTION, P40_BAR_CARD | 0x8000},
	{STREAM_VSEC_DOORBELL, P40_BAR_CARD | 0x8000},
	/* overlaps with each other, and with the MSI-X tables */
	{STREAM_VSEC_STRIDE, 0x40},
	{STREAM_VSEC_FUNCTION, P40_BAR_DMA | P40_STREAM(3)},
	{STREAM_VSEC_FUNCTION, P40_BAR_DMA | P40_MSIX_TABLE},
	{STREAM_VSEC_DOORBELL, P40_BAR_DMA | 0x1000},
	{STREAM_VSEC_CARD, P40_BAR_CARD | P40_SETTINGS(2)},
	/* not on a page of its own */
	{STREAM_VSEC_DOORBELL, P40_BAR_DMA | (P40_DOORBELL(0) + 0x800)},
};

/* Comparisons of positions are signed, so the driver uses at most half of the largest ring. */
static void largest_ring(void)
{
	good();
	put(STREAM_VSEC_LIMITS, P40_STREAMS | 37 << 8);
	UNIT_EQ(find(), 1);
	UNIT_EQ(vsec.ring_log2, 36);
}

static const struct vsec_word moved[] = {
	{STREAM_VSEC_CARD, P40_BAR_CARD | 0x8000},
	{STREAM_VSEC_SETTINGS, P40_BAR_CARD | (P40_SETTINGS(0) + 8)},
	{STREAM_VSEC_SETTINGS_STRIDE, 0x208},
};

static const struct vsec_test test = {
	.contract = &roc_stream_contract,
	.card = VSEC_CARD(P40, P40_STREAMS),
	.result = &vsec,
	.good = VSEC_WORDS(words),
	.bad = VSEC_WORDS(bad),
	.moved = VSEC_WORDS(moved),
};

UNIT_MAIN("kmod_stream_vsec", {"found", found}, {"absent", absent}, {"refused", refused},
	  {"largest ring", largest_ring}, {"other layout", other_layout})
