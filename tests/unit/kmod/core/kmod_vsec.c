// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parser of capabilities in kmod/core/vsec.c, with valid and invalid event capabilities.
 */
#include <stdint.h>
#include <string.h>

#include <linux/pci_regs.h>

#include "kmod/pool/event_regs.h"
#include "kmod/pool/event_vsec.h"
#include "unit.h"

#define AT 0x200 /* the event capability */
#define OTHER 0x100
#define MSIX 0xb0

static uint32_t space[1024];
static unsigned int reads;
static struct roc_vsec_card card;
static struct roc_event_vsec vsec;
static const char *reason;

static __u32 read_word(void *context, unsigned int at)
{
	UNIT_EQ(at % 4, 0);
	reads++;
	return at < sizeof(space) ? space[at / 4] : ~0u;
}

/* Users may write all of BAR 2, and one register of BAR 0. */
static _Bool users_may(void *context, const struct roc_piece *piece)
{
	return piece->bar == 2 ||
	       (!piece->bar && piece->offset < 0x414 && piece->offset + piece->size > 0x410);
}

static void header(unsigned int at, unsigned int id, unsigned int next)
{
	space[at / 4] = id | 1 << 16 | next << 20;
}

static void put(unsigned int at, uint32_t value)
{
	space[at / 4] = value;
}

/* A valid capability of a CRU. */
static void good(void)
{
	memset(space, 0, sizeof(space));
	memset(&card, 0, sizeof(card));
	card.read = read_word;
	card.user_writable = users_may;
	card.channels = 1;
	card.bar_length[0] = 0x10000;
	card.bar_length[2] = 0x1000000;
	header(OTHER, PCI_EXT_CAP_ID_VNDR, AT);
	put(OTHER + 4, 0x1172 | 0x44 << 20);
	header(AT, PCI_EXT_CAP_ID_VNDR, 0);
	put(AT + VSEC_HEADER, EVENT_VSEC_ID | EVENT_VSEC_REVISION << 16 | EVENT_VSEC_LENGTH << 20);
	put(AT + VSEC_SIGNATURE, EVENT_VSEC_SIGNATURE_VALUE);
	put(AT + EVENT_VSEC_LIMITS, 1 | 16 << 8 | 8 << 16);
	put(AT + EVENT_VSEC_CHANNEL, 0x1000);
	put(AT + EVENT_VSEC_CARD, 0x1080);
	put(MSIX, PCI_CAP_ID_MSIX | 7 << 16);
	put(MSIX + PCI_MSIX_TABLE, 0x2000);
	put(MSIX + PCI_MSIX_PBA, 0x3000);
	roc_vsec_tables(&card, MSIX);
}

static int found(void)
{
	reads = 0;
	reason = NULL;
	return roc_vsec_find(&card, &roc_event_contract, &vsec, &reason);
}

/* The capability is found, and rejected for the reason @expected. */
#define REFUSED(expected)                                                                          \
	do {                                                                                       \
		UNIT_EQ(found(), -1);                                                              \
		UNIT_STR(reason, expected);                                                        \
	} while (0)

static void valid(void)
{
	unsigned int c;

	good();
	UNIT_EQ(card.table[0].offset, 0x2000);
	UNIT_EQ(card.table[0].size, 8 * 16);
	UNIT_EQ(card.table[1].offset, 0x3000);
	UNIT_EQ(card.table[1].size, 8);
	UNIT_EQ(found(), 1);
	UNIT_EQ(vsec.ring_log2, 16);
	UNIT_EQ(vsec.vectors, 8);
	UNIT_EQ(vsec.block[0].bar, 0);
	UNIT_EQ(vsec.block[0].offset, 0x1000);
	UNIT_EQ(vsec.block[0].size, EVENT_CHANNEL_SIZE);
	UNIT_EQ(vsec.function.offset, 0x1080);
	/* A C-RORC: a BAR for each channel. */
	card.channels = 6;
	for (c = 0; c < 6; c++)
		card.bar_length[c] = 0x1000;
	put(AT + EVENT_VSEC_LIMITS, 6 | 16 << 8 | 8 << 16);
	put(AT + EVENT_VSEC_CHANNEL, 0x800);
	put(AT + EVENT_VSEC_STRIDE, 1);
	put(AT + EVENT_VSEC_CARD, 0x880);
	REFUSED("a block lies where users may write");
	put(AT + EVENT_VSEC_STRIDE, EVENT_CHANNEL_SIZE);
	put(AT + EVENT_VSEC_CARD, 0x800 + 6 * EVENT_CHANNEL_SIZE);
	UNIT_EQ(found(), 1);
	UNIT_EQ(vsec.block[5].offset, 0x800 + 5 * EVENT_CHANNEL_SIZE);
}

static void absent(void)
{
	good();
	put(AT + VSEC_SIGNATURE, 0);
	UNIT_EQ(found(), 0);
	good();
	put(AT + VSEC_HEADER, EVENT_VSEC_ID | 2 << 16 | EVENT_VSEC_LENGTH << 20);
	UNIT_EQ(found(), 0);
	good();
	put(AT + VSEC_HEADER, EVENT_VSEC_ID | 1 << 16 | (EVENT_VSEC_LENGTH - 4) << 20);
	UNIT_EQ(found(), 0);
	memset(space, 0, sizeof(space));
	UNIT_EQ(found(), 0);
	memset(space, 0xff, sizeof(space));
	UNIT_EQ(found(), 0);
	/* A capability at the end of the configuration space, which does not fit. */
	good();
	header(OTHER, PCI_EXT_CAP_ID_VNDR, 0xff8);
	header(0xff8, PCI_EXT_CAP_ID_VNDR, 0);
	put(0xffc, EVENT_VSEC_ID | 1 << 16 | EVENT_VSEC_LENGTH << 20);
	UNIT_EQ(found(), 0);
}

/* Circular lists of capabilities. */
static void circular(void)
{
	good();
	header(OTHER, PCI_EXT_CAP_ID_VNDR, 0x300);
	header(0x300, PCI_EXT_CAP_ID_VNDR, OTHER);
	REFUSED("the list of capabilities is circular");
	CU_ASSERT(reads < 4096);
	header(OTHER, PCI_EXT_CAP_ID_VNDR, OTHER);
	REFUSED("the list of capabilities is circular");
	header(OTHER, PCI_EXT_CAP_ID_ERR, 0x300);
	header(0x300, PCI_EXT_CAP_ID_ERR, OTHER);
	REFUSED("the list of capabilities is circular");
	/* The event capability is found even in a circular list. */
	header(OTHER, PCI_EXT_CAP_ID_VNDR, AT);
	header(AT, PCI_EXT_CAP_ID_VNDR, OTHER);
	UNIT_EQ(found(), 1);
}

/* As many capabilities as fit, with the event capability last. */
static void many(void)
{
	unsigned int at;

	good();
	for (at = 0x100; at < 0xfe0; at += 8)
		header(at, PCI_EXT_CAP_ID_ERR, at + 8);
	memcpy(&space[0xfe0 / 4],
	       (uint32_t[]){PCI_EXT_CAP_ID_VNDR | 1 << 16,
			    EVENT_VSEC_ID | 1 << 16 | EVENT_VSEC_LENGTH << 20,
			    EVENT_VSEC_SIGNATURE_VALUE, 1 | 16 << 8, 0x1000, 0, 0x1080},
	       EVENT_VSEC_LENGTH);
	UNIT_EQ(found(), 1);
}

static void numbers(void)
{
	static const uint8_t bad_rings[] = {0, 1, 32, 33, 64, 255};
	size_t i;

	good();
	put(AT + EVENT_VSEC_LIMITS, 2 | 16 << 8);
	REFUSED("the number of channels does not match");
	put(AT + EVENT_VSEC_LIMITS, 0 | 16 << 8);
	REFUSED("the number of channels does not match");
	for (i = 0; i < sizeof(bad_rings); i++) {
		put(AT + EVENT_VSEC_LIMITS, 1 | (uint32_t)bad_rings[i] << 8);
		REFUSED("the largest ring size is out of range");
	}
	put(AT + EVENT_VSEC_LIMITS, 1 | 31 << 8);
	UNIT_EQ(found(), 1);
	UNIT_EQ(vsec.ring_log2, 31);
	UNIT_EQ(vsec.vectors, 0); /* no interrupts, which is valid */
}

/* Depth that the driver chooses for @links links of @depth superpages; 0: it rejects the card. */
static uint32_t depth_of(uint32_t depth, unsigned int links, unsigned int ring_log2)
{
	struct roc_event_sizes s = {0};

	if (!roc_event_sizes(links << 16 | depth, links, ring_log2, &s))
		return 0;
	CU_ASSERT(s.depth <= 1u << s.submit_log2);
	CU_ASSERT(s.submit_log2 < ring_log2);
	CU_ASSERT(s.submit_log2 >= EVENT_RING_MIN && s.submit_log2 <= ROC_EVENT_LOG2_MAX);
	return s.depth;
}

/* LIMITS has a lower bound, but no upper one. */
static void sizes(void)
{
	struct roc_event_sizes s;

	UNIT_EQ(depth_of(128, 16, 16), 128);
	UNIT_EQ(depth_of(0xffff, 16, 31), ROC_FIFO_DEPTH_MAX);
	UNIT_EQ(depth_of(0xffff, 255, 31), ROC_FIFO_DEPTH_MAX);
	UNIT_EQ(depth_of(0xffff, 1, 31), ROC_FIFO_DEPTH_MAX);
	UNIT_EQ(depth_of(0xffff, 16, 8), 128);
	UNIT_EQ(depth_of(16, 1, 16), 128); /* one link: more in the ring than in the card */
	UNIT_EQ(depth_of(1, 1, 3), 4);
	UNIT_EQ(depth_of(0, 1, 16), 0);
	UNIT_EQ(depth_of(128, 16, 4), 0); /* 8 entries for 16 links */
	UNIT_EQ(depth_of(128, 1, 2), 0);
	/* More slots than the driver uses are valid, fewer are not. */
	UNIT_EQ(roc_event_sizes(255u << 16 | 16, 16, 16, &s), 1);
	UNIT_EQ(s.depth, 16);
	UNIT_EQ(roc_event_sizes(15u << 16 | 16, 16, 16, &s), 0);
}

static void places(void)
{
	static const char outside[] = "a block lies outside of its BAR";
	static const char open[] = "a block lies where users may write";

	good();
	put(AT + EVENT_VSEC_CHANNEL, 0x10000 - EVENT_CHANNEL_SIZE);
	UNIT_EQ(found(), 1);
	put(AT + EVENT_VSEC_CHANNEL, 0x10000 - EVENT_CHANNEL_SIZE + 8);
	REFUSED(outside);
	put(AT + EVENT_VSEC_CHANNEL, 0xfffffff8);
	REFUSED(outside);
	put(AT + EVENT_VSEC_CHANNEL, 0x1000 | 1);
	REFUSED(outside);
	put(AT + EVENT_VSEC_CHANNEL, 0x1000 | 7);
	REFUSED(outside);
	/* The group may write BAR 2, and one register of BAR 0. */
	put(AT + EVENT_VSEC_CHANNEL, 0x1000 | 2);
	REFUSED(open);
	put(AT + EVENT_VSEC_CHANNEL, 0x410);
	REFUSED(open);
	put(AT + EVENT_VSEC_CHANNEL, 0x410 - EVENT_CHANNEL_SIZE + 8);
	REFUSED(open);
	put(AT + EVENT_VSEC_CHANNEL, 0x410 - EVENT_CHANNEL_SIZE);
	UNIT_EQ(found(), 1);
	good();
	put(AT + EVENT_VSEC_CARD, 0x1080 | 2);
	REFUSED(open);
	put(AT + EVENT_VSEC_CARD, 0x10000);
	REFUSED(outside);
	/* A stride that overflows. */
	good();
	card.channels = 3;
	put(AT + EVENT_VSEC_LIMITS, 3 | 16 << 8);
	put(AT + EVENT_VSEC_STRIDE, 0x80000000);
	REFUSED(outside);
}

static void overlaps(void)
{
	good();
	put(AT + EVENT_VSEC_CARD, 0x1000 + EVENT_CHANNEL_SIZE);
	UNIT_EQ(found(), 1);
	put(AT + EVENT_VSEC_CARD, 0x1000 + EVENT_CHANNEL_SIZE - 8);
	REFUSED("two blocks overlap");
	good();
	card.channels = 2;
	put(AT + EVENT_VSEC_LIMITS, 2 | 16 << 8);
	REFUSED("two blocks overlap");
	good();
	put(AT + EVENT_VSEC_CHANNEL, 0x2000 + 7 * 16);
	REFUSED("a block overlaps the MSI-X table");
	put(AT + EVENT_VSEC_CHANNEL, 0x2000 + 8 * 16);
	UNIT_EQ(found(), 1);
	put(AT + EVENT_VSEC_CHANNEL, 0x3000);
	REFUSED("a block overlaps the MSI-X table");
	/* Without MSI-X there is no table. */
	memset(card.table, 0, sizeof(card.table));
	UNIT_EQ(found(), 1);
}

static void tables(void)
{
	good();
	CU_ASSERT(!roc_vsec_tables_user_writable(&card));
	card.table[0].bar = 2;
	CU_ASSERT(roc_vsec_tables_user_writable(&card));
	card.table[0].bar = 4; /* users cannot access this one */
	CU_ASSERT(!roc_vsec_tables_user_writable(&card));
	card.table[1].bar = 2;
	CU_ASSERT(roc_vsec_tables_user_writable(&card));
	card.table[1].bar = 0;
	card.table[1].offset = 0x40c;
	CU_ASSERT(roc_vsec_tables_user_writable(&card));
	card.table[1].offset = 0x408;
	CU_ASSERT(!roc_vsec_tables_user_writable(&card));
}

UNIT_MAIN("kmod_vsec", {"valid", valid}, {"absent", absent}, {"circular lists", circular},
	  {"many capabilities", many}, {"numbers", numbers}, {"sizes", sizes}, {"places", places},
	  {"overlaps", overlaps}, {"tables", tables})
