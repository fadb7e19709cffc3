// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a sub-unit: refused enables, the host-page table, disabling, resets and the
 * indication of their completion, bus mastering, the block of the function.
 */
#include "emu_robinnp.h"

static uint32_t cause(void)
{
	uint32_t bits = rd0(ROBINNP_FUNCTION + FUNCTION_CAUSE);

	wr0(ROBINNP_FUNCTION + FUNCTION_CAUSE, bits);
	return bits;
}

/* Enable with valid registers except one. */
static uint32_t enable(uint32_t off, uint32_t value)
{
	table(0);
	addresses(0);
	sizes(0, 32, 8, 4);
	wr(0, FRAGMENT_PAGE_SIZE, 11);
	if (off)
		wr(0, off, value);
	wr(0, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	return rd(0, BLOCK_STATUS);
}

static void refused(uint32_t status)
{
	UNIT_EQ(status, BLOCK_STATUS_QUIET | BLOCK_STATUS_SETUP_ERROR);
	UNIT_EQ(rd(0, BLOCK_CONTROL), 0);
	UNIT_EQ(rd0(ROBINNP_FUNCTION + FUNCTION_CHANNELS), 1);
	UNIT_EQ(cause(), FUNCTION_CAUSE_HOST);
}

static void enable_refused(void)
{
	static const uint32_t bad[][2] = {
		{FRAGMENT_DATA_SIZE, 3},
		{FRAGMENT_DATA_SIZE, 21},
		{FRAGMENT_DATA_SIZE, 7},
		{FRAGMENT_FREE_SIZE, 7},
		{FRAGMENT_FREE_SIZE, 21},
		{FRAGMENT_FREE_SIZE, ~0u},
		{FRAGMENT_COMMAND_SIZE, 3},
		{FRAGMENT_COMMAND_SIZE, 17},
		{FRAGMENT_PAGE_SIZE, 9},
		{FRAGMENT_PAGE_SIZE, 13}, /* larger than the host's */
		{FRAGMENT_PAGE_SIZE, 17},
		{FRAGMENT_PAGES, 0},
		{FRAGMENT_PAGES, 43},
		{FRAGMENT_PAGES, ~0u},
		{FRAGMENT_HOST_PAGE_SIZE, 10},
		{FRAGMENT_HOST_PAGE_SIZE, 17},
		{FRAGMENT_HOST_PAGES, 1 << 18 | 1},
	};
	unsigned int i, k;

	host_begin();
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(enable(bad[i][0], bad[i][1]));
	for (i = FRAGMENT_DATA_LOW; i < FRAGMENT_TABLE_HIGH; i += 8)
		refused(enable(i, (uint32_t)HOST_BASE + 2048));
	/* One of the ten address writes was lost. */
	for (i = FRAGMENT_DATA_LOW; i <= FRAGMENT_TABLE_HIGH; i += 4) {
		wr(0, BLOCK_RESET, BLOCK_RESET_LOGIC);
		sizes(0, 32, 8, 4);
		for (k = FRAGMENT_DATA_LOW; k <= FRAGMENT_TABLE_HIGH; k += 4)
			if (k != i)
				wr(0, k, 0);
		wr(0, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
		refused(rd(0, BLOCK_STATUS));
	}
	/* Page memory of 64 KiB has 32 pages. */
	key(0, "memory", "64");
	refused(enable(FRAGMENT_PAGES, 33));
	UNIT_EQ(enable(0, 0), BLOCK_STATUS_ENABLED);
	UNIT_EQ(link_rd(5, FRAGMENT_LINK_PAGES), 32);
	UNIT_EQ(link_rd(5, FRAGMENT_LINK_PAGES_HOST), 32);
	UNIT_EQ(link_rd(6, FRAGMENT_LINK_PAGES), 0);
	host_end();
}

/* HOST_ERROR persists over a disable; every enable clears it. A refusal clears the addresses. */
static void refusal_clears_errors(void)
{
	host_begin();
	UNIT_EQ(enable(0, 0), BLOCK_STATUS_ENABLED);
	wr(0, BLOCK_RESET, 0x10);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_ENABLED | BLOCK_STATUS_HOST_ERROR);
	wr(0, BLOCK_CONTROL, 0);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET | BLOCK_STATUS_HOST_ERROR);
	UNIT_EQ(enable(FRAGMENT_PAGES, 0), BLOCK_STATUS_QUIET | BLOCK_STATUS_SETUP_ERROR);
	wr(0, FRAGMENT_PAGES, 32);
	wr(0, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET | BLOCK_STATUS_SETUP_ERROR);
	UNIT_EQ(enable(0, 0), BLOCK_STATUS_ENABLED);
	host_end();
}

/* No host pages: no table is needed, and no transfer is possible. */
static void without_a_table(void)
{
	struct fragment_descriptor d;
	struct fragment_completion c;

	host_begin();
	begin(0, 2, 4, 4);
	wr(0, BLOCK_RESET, BLOCK_RESET_LOGIC);
	memset(host.memory + DATA_AT(0), 0, 256);
	addresses(0);
	wr(0, BLOCK_RESET, BLOCK_RESET_LOGIC);
	base(0, FRAGMENT_DATA_LOW, DATA_AT(0));
	base(0, FRAGMENT_FREE_LOW, FREE_AT(0));
	base(0, FRAGMENT_COMMAND_LOW, COMMAND_AT(0));
	base(0, FRAGMENT_DONE_LOW, DONE_AT(0));
	sizes(0, 2, 4, 4);
	wr(0, FRAGMENT_HOST_PAGES, 0);
	wr(0, FRAGMENT_HOST_PAGE_SIZE, 0);
	wr(0, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_ENABLED);
	give_all(0);
	generate(0, 0, 64, 64, 1);
	run(0);
	UNIT_NEED(take(0, &d));
	UNIT_EQ(requested(0, d.page, 0, FRAGMENT_OP_TRANSFER, &c), FRAGMENT_DONE_BAD_HOST_PAGE);
	UNIT_EQ(requested(0, d.page, 0, FRAGMENT_OP_RELEASE, &c), FRAGMENT_DONE_OK);
	host_end();
}

static void tables(void)
{
	uint32_t off[] = {TABLE_AT(0), TABLE_AT(0) + 8 * (HOST_PAGES - 1)};
	struct fragment_descriptor d;
	struct fragment_completion c;
	unsigned int i;

	host_begin();
	for (i = 0; i < 2; i++) {
		table(0);
		addresses(0);
		sizes(0, 2, 4, 4);
		host.memory[off[i] + 1] |= 8; /* half a page further */
		wr(0, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
		refused(rd(0, BLOCK_STATUS));
	}
	/* A table that is mapped only in part. */
	memset(host.memory + HOST_MEMORY - 4096, 0, 4096);
	addresses(0);
	base(0, FRAGMENT_TABLE_LOW, HOST_MEMORY - 4096);
	wr(0, FRAGMENT_HOST_PAGES, 513);
	wr(0, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET | BLOCK_STATUS_FETCH_ERROR);
	UNIT_EQ(cause(), FUNCTION_CAUSE_FETCH);
	UNIT_EQ(count(0, -1, "dma_outside"), 1);
	/* The table is read once: it may be unmapped or changed afterwards. */
	begin(0, 2, 4, 4);
	memset(host.memory + TABLE_AT(0), 0xff, 8 * HOST_PAGES);
	give_all(0);
	generate(0, 0, 64, 64, 1);
	run(0);
	UNIT_NEED(take(0, &d));
	UNIT_EQ(requested(0, d.page, 255, BOTH, &c), FRAGMENT_DONE_OK);
	UNIT_NEED(content_is(0, 255, 0, 0, 64, 64, 0xee));
	UNIT_EQ(count(0, -1, "dma_outside"), 1);
	host_end();
}

/* Without bus mastering the table must wait, and so must a slow card. */
static void loading(void)
{
	host_begin();
	host.no_master = true;
	UNIT_EQ(enable(0, 0), BLOCK_STATUS_LOADING);
	UNIT_EQ(rd(0, BLOCK_CONTROL), BLOCK_CONTROL_ENABLE);
	wr0(ROBINNP_DOORBELL(0) + FRAGMENT_FREE, 5); /* ignored, and no error */
	run(0);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_LOADING);
	host.no_master = false;
	run(0);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_ENABLED);
	UNIT_EQ(SUB(0, FREES), 0);
	wr(0, BLOCK_CONTROL, 0);
	fault(0, "load-slow", ONE(0) | 5);
	UNIT_EQ(enable(0, 0), BLOCK_STATUS_LOADING);
	run_for(0, 4 * MS);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_LOADING);
	wr(0, BLOCK_CONTROL, 0);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	run_for(0, 4 * MS);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	host_end();
}

/* The enable is carried out later, and STATUS shows no bit until then. */
static void enabled_late(void)
{
	host_begin();
	fault(0, "enable-slow", ONE(0) | 5);
	UNIT_EQ(enable(0, 0), 0);
	UNIT_EQ(rd(0, BLOCK_CONTROL), BLOCK_CONTROL_ENABLE);
	run_for(0, 4 * MS);
	UNIT_EQ(rd(0, BLOCK_STATUS), 0);
	run_for(0, 2 * MS);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_ENABLED);
	wr(0, BLOCK_CONTROL, 0);
	UNIT_EQ(enable(0, 0), 0);
	wr(0, BLOCK_CONTROL, 0);
	run_for(0, 6 * MS);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	host_end();
}

/* Addresses and sizes are latched once. */
static void kept_for_later(void)
{
	struct fragment_descriptor d;

	host_begin();
	begin(0, 4, 5, 4);
	wr(0, FRAGMENT_DATA_LOW, 0);
	wr(0, FRAGMENT_FREE_HIGH, 0);
	wr(0, FRAGMENT_DATA_SIZE, 20);
	wr(0, FRAGMENT_PAGES, 1);
	wr(0, FRAGMENT_PAGE_SIZE, 10);
	wr(0, FRAGMENT_START, 99);
	wr(0, FRAGMENT_HOST_PAGES, 1);
	wr(0, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	give_all(0);
	generate(1, 0, 2048, 2048, 4);
	run(0);
	for (uint32_t n = 0; n < 4; n++) {
		UNIT_NEED(take(0, &d));
		UNIT_EQ(d.status & ~FRAGMENT_PHASE, 0);
	}
	UNIT_EQ(count(0, -1, "dma_outside"), 0);
	UNIT_EQ(rd(0, FRAGMENT_START), 99);
	host_end();
}

/* Disable while descriptors, commands and pages are pending. */
static void disable_at_once(void)
{
	static uint8_t before[8 * MIB];

	host_begin();
	begin(0, 200, 11, 8);
	give_all(0);
	generate(0, 0, 2048, 2048, 0);
	run(0);
	UNIT_EQ(LINK(0, FRAGMENTS), 200);
	for (uint32_t n = 0; n < 200; n++)
		ask(0, FRAGMENT_PAGE(0, n), n, n, BOTH);
	command_doorbell(0);
	give(0, 7);
	free_doorbell(0);
	robinnp_card.step(host.card, 0, 8192);
	UNIT_NEED(SUB(0, OK) > 0 && SUB(0, COMMANDS_WAITING) > 100);
	wr(0, FRAGMENT_ARM_DATA, 0);
	wr(0, BLOCK_CONTROL, 0);
	UNIT_EQ(rd(0, BLOCK_STATUS) & ~BLOCK_STATUS_HOST_ERROR, BLOCK_STATUS_QUIET);
	UNIT_EQ(SUB(0, COMMANDS_WAITING), 0);
	UNIT_EQ(SUB(0, COMMANDS_DISCARDED), 200 - SUB(0, OK));
	/* The counts of the run can still be read. */
	UNIT_EQ(rd(0, FRAGMENT_COMMANDS), 200);
	UNIT_EQ(rd(0, FRAGMENT_COMPLETIONS), SUB(0, OK));
	UNIT_EQ(rd(0, FRAGMENT_DESCRIPTORS), LINK(0, FRAGMENTS));
	UNIT_EQ(LINK(0, WAITING), 0);
	UNIT_NEED(LINK(0, DISCARDED) > 0);
	UNIT_NEED(even(0));
	memcpy(before, host.memory, sizeof(before));
	/* Doorbells of a host that has not yet noticed the disable are no error. */
	wr0(ROBINNP_DOORBELL(0) + FRAGMENT_FREE, 12345);
	wr0(ROBINNP_DOORBELL(0) + FRAGMENT_COMMAND, 12345);
	wr(0, FRAGMENT_ARM_DONE, 0);
	run_for(0, 20 * MS);
	UNIT_NEED(!memcmp(before, host.memory, sizeof(before)));
	UNIT_EQ(host.message[1] + host.message[2], 0);
	UNIT_EQ(count(0, -1, "host_errors"), 0);
	host_end();
}

/* The next run does not show old content of a page. */
static void nothing_of_the_last_run(void)
{
	struct fragment_descriptor d;
	struct fragment_completion c;

	host_begin();
	begin(0, 4, 5, 4);
	give_all(0);
	generate(0, 0, 64, 64, 2);
	run(0);
	UNIT_NEED(take(0, &d));
	wr(0, BLOCK_CONTROL, 0);
	begin(0, 4, 5, 4);
	UNIT_EQ(requested(0, d.page, 0, FRAGMENT_OP_TRANSFER, &c), FRAGMENT_DONE_BAD_PAGE);
	/* The next fragment is the third. */
	give_all(0);
	link_wr(0, FRAGMENT_LINK_LIMIT, 3);
	run(0);
	UNIT_NEED(take(0, &d));
	UNIT_EQ(d.event, 2);
	UNIT_EQ(d.status, FRAGMENT_PHASE); /* it has no predecessor */
	host_end();
}

static void levels(void)
{
	uint32_t generation;

	host_begin();
	generation = rd(0, BLOCK_GENERATION);
	begin(0, 4, 5, 4);
	give_all(0);
	link_wr(0, FRAGMENT_LINK_RATE, 1000);
	wr(0, FRAGMENT_DATA_COUNT, 5);
	wr(0, FRAGMENT_LINKS, 1);
	generate(0, 7, 64, 64, 0);
	run_for(0, 100 * MS);
	UNIT_EQ(LINK(0, HOLDS), 1);
	UNIT_EQ(LINK(0, OFFERED), 5);
	/* Reset of counters: waiting amounts count as offered and submitted again. */
	give(0, FRAGMENT_PAGE(0, 0));
	free_doorbell(0);
	ask(0, 0, 0, 0, 0);
	ask(0, 0, 0, 0, 0);
	command_doorbell(0);
	wr(0, BLOCK_RESET, BLOCK_RESET_COUNTERS);
	UNIT_EQ(rd(0, BLOCK_GENERATION), generation);
	UNIT_EQ(LINK(0, OFFERED), 1);
	UNIT_EQ(LINK(0, WAITING), 1);
	UNIT_EQ(LINK(0, HOLDS) + LINK(0, HOLD_CYCLES) + LINK(0, HOLD_EVENT), 0);
	UNIT_EQ(SUB(0, FREES), 1);
	UNIT_EQ(SUB(0, COMMANDS), 2);
	UNIT_NEED(even(0));
	UNIT_NEED(rd(0, BLOCK_STATUS) & BLOCK_STATUS_ENABLED);
	/* LOGIC: the generator restarts, its settings stay. */
	wr(0, BLOCK_RESET, BLOCK_RESET_LOGIC);
	UNIT_EQ(rd(0, BLOCK_GENERATION), generation + 1);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	UNIT_EQ(rd(0, FRAGMENT_DATA_SIZE) | rd(0, FRAGMENT_PAGES), 0);
	UNIT_EQ(rd(0, FRAGMENT_LINKS), 0x3f);
	UNIT_EQ(rd(0, FRAGMENT_DATA_COUNT), 5);
	UNIT_EQ(link_rd(0, FRAGMENT_LINK_GENERATOR), 1);
	UNIT_EQ(link_rd(0, FRAGMENT_LINK_FIRST), 7);
	UNIT_EQ(link_rd(0, FRAGMENT_LINK_GENERATED), 0);
	UNIT_EQ(LINK(0, DISCARDED), 1);
	UNIT_NEED(even(0));
	/* DEFAULT: everything is reset. */
	wr(0, BLOCK_RESET, BLOCK_RESET_DEFAULT);
	UNIT_EQ(rd(0, BLOCK_GENERATION), generation + 2);
	UNIT_EQ(rd(0, FRAGMENT_DATA_COUNT), 0);
	UNIT_EQ(link_rd(0, FRAGMENT_LINK_GENERATOR), 0);
	UNIT_EQ(link_rd(0, FRAGMENT_LINK_RATE), 0);
	UNIT_EQ(LINK(0, DISCARDED), 0);
	/* Undefined levels. */
	wr(0, BLOCK_RESET, 2);
	wr(0, BLOCK_RESET, BLOCK_RESET_LOGIC | 16);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET | BLOCK_STATUS_HOST_ERROR);
	UNIT_EQ(rd(0, BLOCK_GENERATION), generation + 2);
	UNIT_EQ(rd(1, BLOCK_GENERATION), 1);
	host_end();
}

static void resets_of_the_card(void)
{
	uint32_t sub, function;

	host_begin();
	begin(0, 4, 5, 4);
	begin(1, 4, 5, 4);
	sub = rd(1, BLOCK_GENERATION);
	function = rd0(ROBINNP_FUNCTION + FUNCTION_GENERATION);
	card_wr(ROBINNP_CARD + CARD_TEST, 5);
	wr0(ROBINNP_FUNCTION + FUNCTION_RESET, 2);
	UNIT_EQ(cause(), FUNCTION_CAUSE_HOST);
	wr0(ROBINNP_FUNCTION + FUNCTION_RESET, BLOCK_RESET_LOGIC);
	UNIT_EQ(rd(0, BLOCK_STATUS) & rd(1, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	UNIT_EQ(rd(1, BLOCK_GENERATION), sub + 1);
	UNIT_EQ(rd0(ROBINNP_FUNCTION + FUNCTION_GENERATION), function + 1);
	UNIT_EQ(card_rd(ROBINNP_CARD + CARD_TEST), 5);
	wr0(ROBINNP_FUNCTION + FUNCTION_RESET, BLOCK_RESET_DEFAULT);
	UNIT_EQ(card_rd(ROBINNP_CARD + CARD_TEST), 0);
	robinnp_card.reset(host.card, 0);
	UNIT_EQ(rd(1, BLOCK_GENERATION), sub + 3);
	UNIT_EQ(rd0(ROBINNP_FUNCTION + FUNCTION_GENERATION), function + 3);
	host_end();
}

/* Without bus mastering everything waits, in order, and a reset discards it. */
static void no_bus(void)
{
	struct fragment_descriptor d;
	struct fragment_completion c;
	uint32_t generation, n;

	host_begin();
	begin(0, 4, 5, 4);
	give_all(0);
	run(0);
	host.no_master = true;
	wr(0, FRAGMENT_ARM_DATA, 0);
	generate(2, 0, 64, 64, 0);
	run(0);
	UNIT_NEED(!take(0, &d));
	UNIT_EQ(LINK(2, FRAGMENTS), 0);
	UNIT_EQ(LINK(2, WAITING), 5); /* four in pages, one held */
	UNIT_EQ(link_rd(2, FRAGMENT_LINK_PAGES_FILLED), 4);
	UNIT_EQ(rd(0, BLOCK_STATUS) & BLOCK_STATUS_QUIET, 0);
	UNIT_NEED(even(0) && pages_even(0));
	host.no_master = false;
	run(0);
	for (n = 0; n < 4; n++) {
		UNIT_NEED(take(0, &d));
		UNIT_EQ(d.event, n);
	}
	UNIT_EQ(host.message[1], 1);
	host.no_master = true;
	ask(0, FRAGMENT_PAGE(2, 0), 0, 0, BOTH);
	command_doorbell(0);
	give(0, FRAGMENT_PAGE(2, 1));
	free_doorbell(0);
	run(0);
	UNIT_NEED(!done(0, &c));
	UNIT_EQ(SUB(0, COMMANDS_WAITING), 1);
	UNIT_EQ(SUB(0, FREES_WAITING), 1);
	wr(0, BLOCK_CONTROL, 0);
	UNIT_EQ(SUB(0, FREES_WAITING) + SUB(0, COMMANDS_WAITING), 0);
	UNIT_EQ(rd(0, FRAGMENT_FREED), 24); /* and no more */
	generation = rd(0, BLOCK_GENERATION);
	wr(0, BLOCK_RESET, BLOCK_RESET_LOGIC);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	UNIT_EQ(rd(0, BLOCK_GENERATION), generation + 1);
	UNIT_EQ(SUB(0, COMMANDS_DISCARDED), 1);
	UNIT_EQ(SUB(0, FREES_DISCARDED), 1);
	UNIT_EQ(rd(0, FRAGMENT_FREED) | rd(0, FRAGMENT_COMMANDS), 0);
	host.no_master = false;
	link_wr(2, FRAGMENT_LINK_GENERATOR, 0);
	run(0);
	UNIT_NEED(!done(0, &c));
	UNIT_NEED(even(0));
	host_end();
}

/* If the table or one of the rings cannot be read, the sub-unit is disabled at once. */
static void fetch_errors(void)
{
	unsigned int n;

	for (n = 0; n < 3; n++) {
		host_begin();
		wr0(ROBINNP_FUNCTION + FUNCTION_ENABLE, FUNCTION_CAUSE_FETCH);
		if (n == 0) {
			fault(0, "fetch-error", ONE(0) | 1);
			enable(0, 0);
		} else {
			begin(0, 4, 5, 4);
			give_all(0);
			run(0);
			fault(0, "fetch-error", ONE(0) | 1);
			ask(0, 0, 0, 0, FRAGMENT_OP_RELEASE);
			give(0, 0);
			if (n == 1)
				free_doorbell(0);
			else
				command_doorbell(0);
			run(0);
		}
		UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET | BLOCK_STATUS_FETCH_ERROR);
		UNIT_EQ(rd(0, BLOCK_CONTROL), 0);
		UNIT_EQ(host.message[3], 1); /* the sub-unit's, of errors */
		run(0);
		UNIT_EQ(host.message[0], 1);
		UNIT_EQ(cause(), FUNCTION_CAUSE_FETCH);
		UNIT_NEED(even(0));
		begin(0, 4, 5, 4);
		UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_ENABLED);
		host_end();
	}
}

UNIT_MAIN("emulated RobinNP: life of a sub-unit", {"enabling refused", enable_refused},
	  {"a refusal clears errors", refusal_clears_errors}, {"without a table", without_a_table},
	  {"host-page tables", tables}, {"loading", loading}, {"enabled late", enabled_late},
	  {"values latched at enabling", kept_for_later}, {"disable at once", disable_at_once},
	  {"no data of the last run", nothing_of_the_last_run}, {"levels of reset", levels},
	  {"resets of the card", resets_of_the_card}, {"no bus mastering", no_bus},
	  {"what cannot be read", fetch_errors})
