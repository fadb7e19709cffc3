// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The PCIe40 at rest: identity, capability, every register after reset, accepted and refused
 * values, its keys.
 */
#include "emu_p40.h"

static void identity(void)
{
	identity_is(0xe040, "P40C", "4001", 7, 0xf);
}

/* Check the capability's words, and that the blocks are at the offsets in them. */
static void capability(void)
{
	struct card_messages m;
	const uint32_t *w = m.vendor.word - VSEC_SIGNATURE / 4;
	unsigned int s;

	host_begin();
	p40_card.messages(host.card, &m);
	UNIT_EQ(m.msix, 8);
	UNIT_EQ(m.msi, 8);
	UNIT_EQ(m.vendor.id, STREAM_VSEC_ID);
	UNIT_EQ(m.vendor.revision, 1);
	UNIT_EQ(4 * m.vendor.count + VSEC_SIGNATURE, STREAM_VSEC_LENGTH);
	UNIT_EQ(w[VSEC_SIGNATURE / 4], 'R' | 'O' << 8 | 'C' << 16 | 'S' << 24);
	UNIT_EQ(w[STREAM_VSEC_LIMITS / 4], 7 | 34 << 8 | 8 << 16);
	UNIT_EQ(w[STREAM_VSEC_SEGMENTS / 4], 16384);
	UNIT_EQ(w[STREAM_VSEC_DOORBELL_STRIDE / 4], 4096);
	for (s = 0; s < P40_STREAMS; s++) {
		uint32_t block = w[STREAM_VSEC_STREAM / 4] + s * w[STREAM_VSEC_STRIDE / 4];
		uint32_t set = w[STREAM_VSEC_SETTINGS / 4] + s * w[STREAM_VSEC_SETTINGS_STRIDE / 4];

		UNIT_EQ(VSEC_BAR(block), 0);
		UNIT_EQ(rd0(VSEC_OFFSET(block)), 0x57e00100 | s);
		UNIT_EQ(VSEC_BAR(set), 2);
		UNIT_EQ(card_rd(VSEC_OFFSET(set)), 0x57e50100 | s);
	}
	UNIT_EQ(rd0(w[STREAM_VSEC_FUNCTION / 4]), 0x57ef0107);
	UNIT_EQ(card_rd(VSEC_OFFSET(w[STREAM_VSEC_CARD / 4])), STREAM_CARD_ID_VALUE);
	host_end();
}

static void types(void)
{
	unsigned int i;

	host_begin();
	UNIT_EQ(rd(MAIN, STREAM_TYPE), STREAM_TYPE_MAIN);
	UNIT_EQ(rd(META, STREAM_TYPE), STREAM_TYPE_META);
	for (i = 0; i < P40_ODINS; i++)
		UNIT_EQ(rd(ODIN + i, STREAM_TYPE), STREAM_TYPE_ODIN | i << 8);
	host_end();
}

static void at_rest(void)
{
	static const uint32_t zero[] = {
		BLOCK_CONTROL,
		BLOCK_RESET,
		STREAM_RING_LOW,
		STREAM_RING_HIGH,
		STREAM_RING_SIZE,
		STREAM_SEGMENT_SIZE,
		STREAM_PAGE_LOW,
		STREAM_PAGE_HIGH,
		STREAM_START,
		STREAM_ARM,
		STREAM_IRQ_BYTES,
		STREAM_IRQ_NS,
		STREAM_WRITTEN,
		STREAM_READ_NOW,
		0x4c,
		0x7c,
	};
	static const struct {
		uint32_t off, main, odin;
	} settings[] = {
		{STREAM_SET_POLICY, STREAM_POLICY_THROTTLE, STREAM_POLICY_THROTTLE},
		{STREAM_SET_PACK_EVENTS, 256, 0},
		{STREAM_SET_PACK_BYTES, 65536, 0},
		{STREAM_SET_PACK_NS, 1000000, 0},
		{STREAM_SET_ALIGN, 3, 0},
		{STREAM_SET_THROTTLE_ON, 3 << 19, 3 << 14},
		{STREAM_SET_THROTTLE_OFF, 1 << 19, 1 << 14},
		{STREAM_SET_TRUNCATE_ON, 1 << 20, 0},
		{STREAM_SET_SPILL_SIZE, 2 << 20, 64 << 10},
		{STREAM_SET_SPILL_LEVEL, 0, 0},
		{STREAM_SET_GENERATOR, 0, 0},
		{STREAM_SET_SIZE_MIN, 1024, 0},
		{STREAM_SET_SIZE_MAX, 1024, 0},
		{STREAM_SET_RATE, 0, 0},
		{STREAM_SET_FIRST, 0, 0},
		{STREAM_SET_LIMIT, 0, 0},
		{STREAM_SET_GENERATED, 0, 0},
	};
	unsigned int s, i;

	host_begin();
	for (s = 0; s < P40_STREAMS; s++) {
		for (i = 0; i < sizeof(zero) / sizeof(zero[0]); i++)
			UNIT_EQ(rd(s, zero[i]), 0);
		UNIT_EQ(rd(s, BLOCK_STATUS), BLOCK_STATUS_QUIET);
		UNIT_EQ(rd(s, STREAM_VECTOR), s + 1);
		UNIT_EQ(rd0(P40_DOORBELL(s)), 0);
		for (i = 0; i < STREAM_COUNTERS; i++)
			UNIT_EQ(counter(s, i), 0);
	}
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		UNIT_EQ(set_rd(MAIN, settings[i].off), settings[i].main);
		UNIT_EQ(set_rd(ODIN + 4, settings[i].off), settings[i].odin);
	}
	UNIT_EQ(set_rd(META, STREAM_SET_POLICY), STREAM_POLICY_THROTTLE);
	UNIT_EQ(set_rd(META, STREAM_SET_THROTTLE_ON), 0);
	UNIT_EQ(card_rd(CARD_SOURCE), 0x0400);
	UNIT_EQ(card_rd(STREAM_CARD_ENABLE), 0x7f);
	UNIT_EQ(card_rd(CARD_TEST), 0);
	host_end();
}

static bool in_dma(uint32_t off)
{
	bool page = off - P40_DOORBELL(0) < P40_STREAMS * STREAM_DOORBELL_SIZE;

	return off - P40_STREAM(0) < P40_STREAMS * STREAM_SIZE ||
	       off - P40_FUNCTION < FUNCTION_SIZE || (page && !(off % 4096));
}

static bool in_card(uint32_t off)
{
	return off - P40_SETTINGS(0) < P40_STREAMS * 0x200;
}

static void nothing_else(void)
{
	nothing_but(in_dma, in_card);
}

static void settings_in_bounds(void)
{
	static const struct {
		uint32_t off, low, high, bad_low, bad_high;
	} list[] = {
		{STREAM_SET_POLICY, 0, 3, 4, 0xffffffff},
		{STREAM_SET_PACK_EVENTS, 1, 65535, 0, 65536},
		{STREAM_SET_PACK_BYTES, 128, 1 << 20, 64, (1 << 20) + 64},
		{STREAM_SET_ALIGN, 2, 6, 1, 7},
		{STREAM_SET_THROTTLE_ON, 64, 2 << 20, 63, (2 << 20) + 1},
		{STREAM_SET_GENERATOR, 0, 6, 8, 0x10000},
		{STREAM_SET_SIZE_MIN, 0, 1 << 20, (1 << 20) + 1, ~0u},
		{STREAM_SET_SIZE_MAX, 0, 1 << 20, (1 << 20) + 1, ~0u},
		{STREAM_SET_RATE, 0, 100000000, 100000001, ~0u},
		{STREAM_SET_TRUNCATE_ON, 0, 2 << 20, (2 << 20) + 1, ~0u},
		{STREAM_SET_THROTTLE_OFF, 0, 2 << 20, (2 << 20) + 1, ~0u},
	};
	unsigned int i;

	host_begin();
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		set_wr(MAIN, list[i].off, list[i].low);
		UNIT_EQ(set_rd(MAIN, list[i].off), list[i].low);
		set_wr(MAIN, list[i].off, list[i].high);
		set_wr(MAIN, list[i].off, list[i].bad_low);
		set_wr(MAIN, list[i].off, list[i].bad_high);
		UNIT_EQ(set_rd(MAIN, list[i].off), list[i].high);
	}
	set_wr(MAIN, STREAM_SET_PACK_BYTES, 1000); /* no whole lines */
	UNIT_EQ(set_rd(MAIN, STREAM_SET_PACK_BYTES), 1 << 20);
	set_wide(MAIN, STREAM_SET_FIRST, 0x123456789abcdef0);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_FIRST), 0x9abcdef0);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_FIRST + 4), 0x12345678);
	/* Registers that these streams do not have. */
	set_wr(ODIN, STREAM_SET_POLICY, STREAM_POLICY_TRUNCATE);
	UNIT_EQ(set_rd(ODIN, STREAM_SET_POLICY), STREAM_POLICY_THROTTLE);
	set_wr(ODIN, STREAM_SET_GENERATOR, STREAM_GENERATOR_DISTRIBUTED);
	UNIT_EQ(set_rd(ODIN, STREAM_SET_GENERATOR), 0);
	set_wr(ODIN, STREAM_SET_PACK_EVENTS, 5);
	UNIT_EQ(set_rd(ODIN, STREAM_SET_PACK_EVENTS), 0);
	set_wr(META, STREAM_SET_GENERATOR, 1);
	UNIT_EQ(set_rd(META, STREAM_SET_GENERATOR), 0);
	set_wide(META, STREAM_SET_FIRST, 5);
	UNIT_EQ(set_rd(META, STREAM_SET_FIRST), 0);
	host_end();
}

static void card_settings(void)
{
	host_begin();
	source_and_test();
	card_wr(STREAM_CARD_ENABLE, 0x05);
	card_wr(STREAM_CARD_ENABLE, 0x80);
	UNIT_EQ(card_rd(STREAM_CARD_ENABLE), 0x05);
	host_end();
}

static void keys(void)
{
	host_begin();
	key(0, "rate", "0=5,6=7");
	UNIT_STR(key_get(0, "rate"), "5,0,0,0,0,0,7");
	key_refused("rate", "7=1");
	key_refused("position-start", "0x100000000");
	keys_of_identity(0xe);
	key(0, "vectors", "1");
	UNIT_EQ(rd(MAIN, STREAM_VECTOR), 0);
	UNIT_EQ(rd(ODIN, STREAM_VECTOR), 0);
	no_vectors();
	UNIT_EQ(rd(MAIN, STREAM_VECTOR), 0);
	/* VECTOR depends on the capability, not on the vectors that the host has enabled. */
	key(0, "vectors", "2");
	host.vectors = 0;
	wr(MAIN, BLOCK_RESET, BLOCK_RESET_DEFAULT);
	UNIT_EQ(rd(MAIN, STREAM_VECTOR), 1);
	host_end();
}

UNIT_MAIN("emulated PCIe40: at rest", {"identity", identity}, {"capability and blocks", capability},
	  {"types of streams", types}, {"registers after reset", at_rest},
	  {"nothing else is there", nothing_else}, {"settings in bounds", settings_in_bounds},
	  {"settings of the card", card_settings}, {"keys", keys})
