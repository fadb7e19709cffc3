// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RobinNP at rest: identity, capability, every register after reset, accepted and refused
 * values, its keys.
 */
#include "emu_robinnp.h"

static void identity(void)
{
	identity_is(0xe1a0, "RNPC", "6001", 2 | 6 << 8, 3);
}

/* Check the capability's words, and that the blocks are at the offsets in them. */
static void capability(void)
{
	struct card_messages m;
	const uint32_t *w = m.vendor.word - VSEC_SIGNATURE / 4;
	unsigned int i;

	host_begin();
	robinnp_card.messages(host.card, &m);
	UNIT_EQ(m.msix, 7);
	UNIT_EQ(m.msi, 4);
	UNIT_EQ(m.vendor.id, FRAGMENT_VSEC_ID);
	UNIT_EQ(m.vendor.revision, 1);
	UNIT_EQ(4 * m.vendor.count + VSEC_SIGNATURE, FRAGMENT_VSEC_LENGTH);
	UNIT_EQ(w[VSEC_SIGNATURE / 4], 'R' | 'O' << 8 | 'C' << 16 | 'F' << 24);
	UNIT_EQ(w[FRAGMENT_VSEC_LIMITS / 4], 2 | 6 << 4 | 20 << 8 | 16 << 16 | 7 << 24);
	UNIT_EQ(w[FRAGMENT_VSEC_MEMORY / 4], 65536);
	UNIT_EQ(w[FRAGMENT_VSEC_HOST_PAGES / 4], 1 << 18);
	UNIT_EQ(w[FRAGMENT_VSEC_DOORBELL / 4], ROBINNP_DOORBELL(0));
	UNIT_EQ(w[FRAGMENT_VSEC_DOORBELL_STRIDE / 4], 4096);
	for (i = 0; i < ROBINNP_SUBS; i++) {
		uint32_t block = w[FRAGMENT_VSEC_SUB / 4] + i * w[FRAGMENT_VSEC_STRIDE / 4];
		uint32_t counts =
			w[FRAGMENT_VSEC_COUNTS / 4] + i * w[FRAGMENT_VSEC_COUNTS_STRIDE / 4];

		UNIT_EQ(VSEC_BAR(block), 0);
		UNIT_EQ(rd0(VSEC_OFFSET(block)), 0xf7a00100 | i);
		UNIT_EQ(VSEC_BAR(counts), 2);
		UNIT_EQ(card_rd(VSEC_OFFSET(counts)), 0xf7ac0100 | i);
	}
	for (i = 0; i < ROBINNP_SUBS * ROBINNP_LINKS; i++) {
		uint32_t block = w[FRAGMENT_VSEC_LINK / 4] + i * w[FRAGMENT_VSEC_LINK_STRIDE / 4];

		UNIT_EQ(VSEC_BAR(block), 2);
		UNIT_EQ(card_rd(VSEC_OFFSET(block)), 0xf7a10100 | i);
	}
	UNIT_EQ(rd0(w[FRAGMENT_VSEC_FUNCTION / 4]), 0xf7af0102);
	UNIT_EQ(card_rd(VSEC_OFFSET(w[FRAGMENT_VSEC_CARD / 4])), FRAGMENT_CARD_ID_VALUE);
	host_end();
}

/*
 * Registers of a sub-unit: value after reset, and bits that keep all ones. 0 and 0: undefined
 * register.
 */
static const struct {
	uint32_t off, reset, keeps;
} block[] = {
	{FRAGMENT_LINKS, 0x3f, 0x3f},
	{FRAGMENT_DATA_LOW, 0, 0},
	{FRAGMENT_DATA_HIGH, 0, 0},
	{FRAGMENT_FREE_LOW, 0, 0},
	{FRAGMENT_COMMAND_HIGH, 0, 0},
	{FRAGMENT_DONE_LOW, 0, 0},
	{FRAGMENT_TABLE_LOW, 0, 0},
	{FRAGMENT_TABLE_HIGH, 0, 0},
	{FRAGMENT_DATA_SIZE, 0, ~0u},
	{FRAGMENT_FREE_SIZE, 0, ~0u},
	{FRAGMENT_COMMAND_SIZE, 0, ~0u},
	{FRAGMENT_HOST_PAGES, 0, ~0u},
	{FRAGMENT_HOST_PAGE_SIZE, 0, ~0u},
	{FRAGMENT_PAGE_SIZE, 11, ~0u},
	{FRAGMENT_PAGES, 0, ~0u},
	{FRAGMENT_START, 0, ~0u},
	{FRAGMENT_ARM_DATA, 0, 0},
	{FRAGMENT_ARM_DONE, 0, 0},
	{FRAGMENT_DATA_COUNT, 0, ~0u},
	{FRAGMENT_DATA_NS, 0, ~0u},
	{FRAGMENT_DONE_COUNT, 0, ~0u},
	{FRAGMENT_DONE_NS, 0, ~0u},
	{FRAGMENT_ERROR_ENABLE, 0x700, 0x720},
	{FRAGMENT_HELD, 0, 0},
	{FRAGMENT_DESCRIPTORS, 0, 0},
	{FRAGMENT_COMPLETIONS, 0, 0},
	{FRAGMENT_FREED, 0, 0},
	{FRAGMENT_COMMANDS, 0, 0},
	{FRAGMENT_COMMANDS + 4, 0, 0},
	{FRAGMENT_SIZE - 4, 0, 0},
};

static void at_rest(void)
{
	unsigned int s, i, k;

	host_begin();
	for (s = 0; s < ROBINNP_SUBS; s++) {
		UNIT_EQ(rd(s, BLOCK_STATUS), BLOCK_STATUS_QUIET);
		UNIT_EQ(rd(s, BLOCK_CONTROL) | rd(s, BLOCK_RESET), 0);
		for (i = 0; i < sizeof(block) / sizeof(block[0]); i++)
			UNIT_EQ(rd(s, block[i].off), block[i].reset);
		for (i = 0; i < 3; i++)
			UNIT_EQ(rd(s, FRAGMENT_DATA_VECTOR + 4 * i), 1 + 3 * s + i);
		for (i = 0; i < FRAGMENT_COUNTS; i++)
			UNIT_EQ(sub_counter(s, i), 0);
		UNIT_EQ(rd0(ROBINNP_DOORBELL(s)) | rd0(ROBINNP_DOORBELL(s) + 4), 0);
	}
	for (i = 0; i < ROBINNP_SUBS * ROBINNP_LINKS; i++) {
		UNIT_EQ(link_rd(i, FRAGMENT_LINK_GENERATOR), 0);
		UNIT_EQ(link_rd(i, FRAGMENT_LINK_SIZE_MIN), 1024);
		UNIT_EQ(link_rd(i, FRAGMENT_LINK_SIZE_MAX), 1024);
		UNIT_EQ(link_rd(i, FRAGMENT_LINK_RATE), 0);
		UNIT_EQ(link_rd(i, FRAGMENT_LINK_FIRST), 0);
		UNIT_EQ(link_rd(i, FRAGMENT_LINK_STATUS), FRAGMENT_LINK_STATUS_MASKED);
		for (k = FRAGMENT_LINK_LIMIT; k < FRAGMENT_LINK_STATUS; k += 4)
			UNIT_EQ(link_rd(i, k), 0);
		for (k = FRAGMENT_LINK_PAGES; k < FRAGMENT_LINK_SIZE; k += 4)
			UNIT_EQ(link_rd(i, k), 0);
	}
	UNIT_EQ(card_rd(CARD_SOURCE), 0x0a70);
	host_end();
}

static void what_is_kept(void)
{
	unsigned int i;

	host_begin();
	for (i = 0; i < sizeof(block) / sizeof(block[0]); i++) {
		wr(1, block[i].off, ~0u);
		UNIT_EQ(rd(1, block[i].off), block[i].keeps);
		UNIT_EQ(rd(0, block[i].off), block[i].reset);
	}
	for (i = 0; i < 3; i++) {
		wr(1, FRAGMENT_DATA_VECTOR + 4 * i, 0xffff0005);
		UNIT_EQ(rd(1, FRAGMENT_DATA_VECTOR + 4 * i), 5);
	}
	/* None of these accesses caused any transfer. */
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	UNIT_EQ(rd(1, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	UNIT_EQ(count(0, -1, "dma_writes") + count(0, -1, "fetches"), 0);
	host_end();
}

static bool in_dma(uint32_t off)
{
	return off - ROBINNP_SUB(0) < ROBINNP_SUBS * FRAGMENT_SIZE ||
	       off - ROBINNP_FUNCTION < FUNCTION_SIZE;
}

static bool in_card(uint32_t off)
{
	return off - ROBINNP_LINK(0) < 12 * FRAGMENT_LINK_SIZE;
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
		{FRAGMENT_LINK_GENERATOR, 0, 3, 4, ~0u},
		{FRAGMENT_LINK_SIZE_MIN, 16, 131072, 12, 131076},
		{FRAGMENT_LINK_SIZE_MAX, 16, 131072, 18, ~0u},
		{FRAGMENT_LINK_RATE, 0, 1000000, 1000001, ~0u},
	};
	unsigned int i;

	host_begin();
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		link_wr(7, list[i].off, list[i].low);
		UNIT_EQ(link_rd(7, list[i].off), list[i].low);
		link_wr(7, list[i].off, list[i].high);
		link_wr(7, list[i].off, list[i].bad_low);
		link_wr(7, list[i].off, list[i].bad_high);
		UNIT_EQ(link_rd(7, list[i].off), list[i].high);
		UNIT_NEED(link_rd(6, list[i].off) != list[i].high);
	}
	link_wr(7, FRAGMENT_LINK_FIRST, 0xfedcba98);
	link_wr(7, FRAGMENT_LINK_LIMIT, 0x9abcdef0);
	link_wr(7, FRAGMENT_LINK_LIMIT + 4, 0x12345678);
	UNIT_EQ(link_rd(7, FRAGMENT_LINK_FIRST), 0xfedcba98);
	UNIT_EQ(wide(ROBINNP_LINK(7) + FRAGMENT_LINK_LIMIT), 0x123456789abcdef0);
	link_wr(7, FRAGMENT_LINK_GENERATED, 5);
	UNIT_EQ(link_rd(7, FRAGMENT_LINK_GENERATED), 0);
	source_and_test();
	host_end();
}

static void keys(void)
{
	struct card_messages m;

	host_begin();
	key(0, "rate", "5,7");
	UNIT_STR(key_get(0, "rate"), "5,7");
	key_refused("rate", "2=1");
	keys_of_identity(2);
	key_refused("count-start", "0x100000000");
	key(0, "count-start", "7");
	UNIT_EQ(rd(0, FRAGMENT_START), 7);
	wr(0, BLOCK_RESET, BLOCK_RESET_LOGIC);
	UNIT_EQ(rd(0, FRAGMENT_START), 7);
	key_refused("memory", "63");
	key_refused("memory", "4194305");
	key(0, "memory", "64");
	robinnp_card.messages(host.card, &m);
	UNIT_EQ(m.vendor.word[(FRAGMENT_VSEC_MEMORY - VSEC_SIGNATURE) / 4], 64);
	key_refused("shuffle", "maybe");
	key(0, "vectors", "5");
	UNIT_EQ(rd(0, FRAGMENT_ERROR_VECTOR), 3);
	UNIT_EQ(rd(1, FRAGMENT_DATA_VECTOR), 4);
	UNIT_EQ(rd(1, FRAGMENT_DONE_VECTOR), 0);
	/* VECTOR depends on the capability, not on the vectors that the host has enabled. */
	host.vectors = 0;
	wr(1, BLOCK_RESET, BLOCK_RESET_DEFAULT);
	UNIT_EQ(rd(1, FRAGMENT_DATA_VECTOR), 4);
	no_vectors();
	UNIT_EQ(rd(0, FRAGMENT_DATA_VECTOR), 0);
	host_end();
}

UNIT_MAIN("emulated RobinNP: at rest", {"identity", identity},
	  {"capability and blocks", capability}, {"registers after reset", at_rest},
	  {"what registers keep", what_is_kept}, {"nothing else is there", nothing_else},
	  {"settings in bounds", settings_in_bounds}, {"keys", keys})
