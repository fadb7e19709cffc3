// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stream capability: found, and refused whenever it says what cannot be.
 */
#include "unit.h"

#include <string.h>

#include "cards/p40/p40_regs.h"
#include "stream/stream_regs.h"
#include "stream/stream_vsec.h"

#define AT 0x200

static __u32 space[1024];
static __u32 open_bar = P40_BAR_CARD;

static __u32 read_word(void *context, unsigned int at)
{
	return space[at / 4];
}

static _Bool is_open(void *context, const struct roc_piece *piece)
{
	return piece->bar == open_bar;
}

static struct roc_vsec_card function(void)
{
	return (struct roc_vsec_card){
		.read = read_word,
		.open = is_open,
		.channels = P40_STREAMS,
		.bar_length =
			{[P40_BAR_DMA] = P40_BAR_DMA_SIZE, [P40_BAR_CARD] = P40_BAR_CARD_SIZE},
		.table = {{P40_BAR_DMA, P40_MSIX_TABLE, P40_VECTORS * 16},
			  {P40_BAR_DMA, P40_MSIX_PENDING, 8}},
	};
}

static void put(unsigned int at, __u32 value)
{
	space[(AT + at) / 4] = value;
}

/* As the card of the contract has it. */
static void good(void)
{
	memset(space, 0, sizeof(space));
	open_bar = P40_BAR_CARD;
	space[0x100 / 4] = 0x0001 | 1 << 16 | AT << 20; /* AER, and then ours */
	put(0, 0x000b | 1 << 16);
	put(VSEC_HEADER, STREAM_VSEC_ID | STREAM_VSEC_REVISION << 16 | STREAM_VSEC_LENGTH << 20);
	put(VSEC_SIGNATURE, STREAM_VSEC_SIGNATURE_VALUE);
	put(STREAM_VSEC_LIMITS, P40_STREAMS | P40_RING_MAX << 8 | P40_VECTORS << 16);
	put(STREAM_VSEC_SEGMENTS, P40_SEGMENTS);
	put(STREAM_VSEC_STREAM, P40_BAR_DMA | P40_STREAM(0));
	put(STREAM_VSEC_STRIDE, P40_STREAM(1) - P40_STREAM(0));
	put(STREAM_VSEC_DOORBELL, P40_BAR_DMA | P40_DOORBELL(0));
	put(STREAM_VSEC_DOORBELL_STRIDE, P40_DOORBELL(1) - P40_DOORBELL(0));
	put(STREAM_VSEC_FUNCTION, P40_BAR_DMA | P40_FUNCTION);
	put(STREAM_VSEC_CARD, P40_BAR_CARD | P40_CARD);
	put(STREAM_VSEC_SETTINGS, P40_BAR_CARD | P40_SETTINGS(0));
	put(STREAM_VSEC_SETTINGS_STRIDE, P40_SETTINGS(1) - P40_SETTINGS(0));
}

static int find(struct roc_stream_vsec *vsec)
{
	struct roc_vsec_card card = function();
	const char *why;

	return roc_vsec_find(&card, &roc_stream_contract, vsec, &why);
}

static void found(void)
{
	struct roc_stream_vsec vsec;

	good();
	UNIT_EQ(find(&vsec), 1);
	UNIT_EQ(vsec.ring_log2, P40_RING_MAX);
	UNIT_EQ(vsec.segments, P40_SEGMENTS);
	UNIT_EQ(vsec.vectors, P40_VECTORS);
	UNIT_EQ(vsec.stream[6].offset, P40_STREAM(6));
	UNIT_EQ(vsec.bell[6].offset, P40_DOORBELL(6));
	UNIT_EQ(vsec.bell[6].bar, P40_BAR_DMA);
	UNIT_EQ(vsec.settings[6].offset, P40_SETTINGS(6));
	UNIT_EQ(vsec.settings[6].bar, P40_BAR_CARD);
	UNIT_EQ(vsec.function.offset, P40_FUNCTION);
}

static void not_there(void)
{
	struct roc_stream_vsec vsec;

	good();
	put(VSEC_SIGNATURE, 0);
	UNIT_EQ(find(&vsec), 0);
	good();
	put(VSEC_HEADER, STREAM_VSEC_ID | 2 << 16 | STREAM_VSEC_LENGTH << 20);
	UNIT_EQ(find(&vsec), 0);
}

static void refused(void)
{
	static const struct {
		unsigned int at;
		__u32 value;
	} bad[] = {
		/* another number of streams, rings of no size or too large */
		{STREAM_VSEC_LIMITS, 6 | P40_RING_MAX << 8},
		{STREAM_VSEC_LIMITS, P40_STREAMS | 15 << 8},
		{STREAM_VSEC_LIMITS, P40_STREAMS | 38 << 8},
		/* outside of the BAR, or none of ours */
		{STREAM_VSEC_STREAM, P40_BAR_DMA | (P40_BAR_DMA_SIZE - 0x100)},
		{STREAM_VSEC_STREAM, 1 | P40_STREAM(0)},
		{STREAM_VSEC_SETTINGS, P40_BAR_CARD | (P40_BAR_CARD_SIZE - 0x200)},
		/* where users may write */
		{STREAM_VSEC_FUNCTION, P40_BAR_CARD | 0x8000},
		{STREAM_VSEC_DOORBELL, P40_BAR_CARD | 0x8000},
		/* over each other, and over the tables of MSI-X */
		{STREAM_VSEC_STRIDE, 0x40},
		{STREAM_VSEC_FUNCTION, P40_BAR_DMA | P40_STREAM(3)},
		{STREAM_VSEC_FUNCTION, P40_BAR_DMA | P40_MSIX_TABLE},
		{STREAM_VSEC_DOORBELL, P40_BAR_DMA | 0x1000},
		{STREAM_VSEC_CARD, P40_BAR_CARD | P40_SETTINGS(2)},
		/* no page of its own */
		{STREAM_VSEC_DOORBELL, P40_BAR_DMA | (P40_DOORBELL(0) + 0x800)},
	};
	struct roc_stream_vsec vsec;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		good();
		put(bad[i].at, bad[i].value);
		UNIT_EQ(find(&vsec), -1);
	}
	good();
	open_bar = P40_BAR_DMA;
	UNIT_EQ(find(&vsec), -1);
}

/* Positions are compared with a sign, so the largest ring of the contract is one too large. */
static void largest_ring(void)
{
	struct roc_stream_vsec vsec;

	good();
	put(STREAM_VSEC_LIMITS, P40_STREAMS | 37 << 8);
	UNIT_EQ(find(&vsec), 1);
	UNIT_EQ(vsec.ring_log2, 36);
}

/* Good in itself, and yet not what users of this PCI id take for granted. */
static void elsewhere(void)
{
	static const struct roc_stream_open open = {
		.card = {.bar = P40_BAR_CARD, .offset = P40_CARD},
		.settings = {.bar = P40_BAR_CARD, .offset = P40_SETTINGS(0)},
		.stride = P40_SETTINGS(1) - P40_SETTINGS(0),
	};
	static const struct {
		unsigned int at;
		__u32 value;
	} moved[] = {
		{STREAM_VSEC_CARD, P40_BAR_CARD | 0x8000},
		{STREAM_VSEC_SETTINGS, P40_BAR_CARD | (P40_SETTINGS(0) + 8)},
		{STREAM_VSEC_SETTINGS_STRIDE, 0x208},
	};
	struct roc_stream_vsec vsec;
	size_t i;

	good();
	UNIT_EQ(find(&vsec), 1);
	CU_ASSERT(roc_stream_vsec_agrees(&vsec, P40_STREAMS, &open));
	for (i = 0; i < sizeof(moved) / sizeof(moved[0]); i++) {
		good();
		put(moved[i].at, moved[i].value);
		UNIT_EQ(find(&vsec), 1);
		CU_ASSERT(!roc_stream_vsec_agrees(&vsec, P40_STREAMS, &open));
	}
}

UNIT_MAIN("kmod_stream_vsec", {"found", found}, {"not there", not_there}, {"refused", refused},
	  {"largest ring", largest_ring}, {"elsewhere", elsewhere})
