// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ownership of pages: entries and commands that the RobinNP refuses, doorbells in and out of
 * bounds, the order of commands, and refusals without side effects.
 */
#include "emu_robinnp.h"

static void clear_error(unsigned int s)
{
	UNIT_NEED(rd(s, BLOCK_STATUS) & BLOCK_STATUS_HOST_ERROR);
	UNIT_EQ(rd0(ROBINNP_FUNCTION + FUNCTION_CAUSE) & FUNCTION_CAUSE_HOST, FUNCTION_CAUSE_HOST);
}

/* Pages that do not exist, that the card owns, and pages that are twice in the ring. */
static void bad_frees(void)
{
	static const uint32_t bad[] = {
		FRAGMENT_PAGE(0, 4),
		FRAGMENT_PAGE(5, 0x0fffffff),
		FRAGMENT_PAGE(6, 0),
		FRAGMENT_PAGE(15, 0),
		~0u,
	};
	unsigned int i;

	host_begin();
	begin(0, 4, 5, 4);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		give(0, bad[i]);
	give(0, FRAGMENT_PAGE(3, 1));
	give(0, FRAGMENT_PAGE(3, 1));
	free_doorbell(0);
	run(0);
	UNIT_EQ(SUB(0, BAD_FREE), 6);
	UNIT_EQ(SUB(0, FREED), 1);
	UNIT_EQ(link_rd(3, FRAGMENT_LINK_PAGES_FREE), 1);
	clear_error(0);
	UNIT_NEED(even(0) && pages_even(0));
	/* When its descriptor is written, a filled page belongs to the host again. */
	generate(3, 0, 64, 64, 1);
	give(0, FRAGMENT_PAGE(3, 1));
	free_doorbell(0);
	run(0);
	UNIT_EQ(SUB(0, BAD_FREE), 7);
	give(0, FRAGMENT_PAGE(3, 1));
	free_doorbell(0);
	run(0);
	UNIT_EQ(SUB(0, BAD_FREE), 7);
	UNIT_EQ(SUB(0, FREED), 2);
	UNIT_EQ(rd(1, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	host_end();
}

/* A page whose descriptor could not be written yet belongs to the card. */
static void filled_is_not_the_hosts(void)
{
	struct fragment_completion c;

	host_begin();
	begin(0, 4, 5, 4);
	give_all(0);
	fault(0, "data-late", ONE(0) | 1000);
	generate(0, 0, 64, 64, 1);
	run(0);
	UNIT_EQ(link_rd(0, FRAGMENT_LINK_PAGES_FILLED), 1);
	UNIT_EQ(requested(0, FRAGMENT_PAGE(0, 0), 0, BOTH, &c), FRAGMENT_DONE_BAD_PAGE);
	run_for(0, MS);
	UNIT_EQ(requested(0, FRAGMENT_PAGE(0, 0), 0, BOTH, &c), FRAGMENT_DONE_OK);
	host_end();
}

static void bad_commands(void)
{
	static const uint32_t ops[] = {0, 4, 5, 0x80000001, ~0u};
	struct fragment_descriptor d;
	struct fragment_completion c;
	unsigned int i;

	host_begin();
	begin(0, 4, 5, 4);
	give_all(0);
	generate(0, 9, 64, 64, 1);
	run(0);
	UNIT_NEED(take(0, &d));
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		UNIT_EQ(requested(0, d.page, 0, ops[i], &c), FRAGMENT_DONE_BAD_OP);
	UNIT_EQ(c.size | c.event, 0);
	UNIT_EQ(requested(0, FRAGMENT_PAGE(0, 4), 0, BOTH, &c), FRAGMENT_DONE_BAD_PAGE);
	UNIT_EQ(requested(0, FRAGMENT_PAGE(6, 0), 0, BOTH, &c), FRAGMENT_DONE_BAD_PAGE);
	UNIT_EQ(requested(0, ~0u, 0, FRAGMENT_OP_RELEASE, &c), FRAGMENT_DONE_BAD_PAGE);
	UNIT_EQ(requested(0, FRAGMENT_PAGE(0, 1), 0, BOTH, &c), FRAGMENT_DONE_BAD_PAGE); /* FREE */
	UNIT_EQ(requested(0, d.page, HOST_PAGES, BOTH, &c), FRAGMENT_DONE_BAD_HOST_PAGE);
	UNIT_EQ(requested(0, d.page, ~0u, FRAGMENT_OP_TRANSFER, &c), FRAGMENT_DONE_BAD_HOST_PAGE);
	/* Of two errors the first is reported. */
	UNIT_EQ(requested(0, ~0u, ~0u, 8, &c), FRAGMENT_DONE_BAD_OP);
	UNIT_EQ(requested(0, ~0u, ~0u, BOTH, &c), FRAGMENT_DONE_BAD_PAGE);
	/* None of these commands had an effect. */
	for (i = 0; i < HOST_PAGES << HOST_PAGE_LOG2; i++)
		UNIT_NEED(host.memory[HOST_AT(0) + i] == 0xee);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_ENABLED);
	UNIT_EQ(SUB(0, BAD_OP), 6);
	UNIT_EQ(SUB(0, BAD_PAGE), 5);
	UNIT_EQ(SUB(0, BAD_HOST_PAGE), 2);
	UNIT_EQ(requested(0, d.page, ~0u, FRAGMENT_OP_RELEASE, &c), FRAGMENT_DONE_OK);
	UNIT_EQ(c.event, 9);
	UNIT_EQ(c.size, 0);
	UNIT_EQ(requested(0, d.page, 0, FRAGMENT_OP_RELEASE, &c), FRAGMENT_DONE_BAD_PAGE);
	UNIT_NEED(even(0) && pages_even(0));
	host_end();
}

/* Empty pages can be released, and not transferred. */
static void empty_pages(void)
{
	struct fragment_completion c;

	host_begin();
	begin(1, 4, 5, 4);
	UNIT_EQ(requested(1, FRAGMENT_PAGE(2, 3), 0, FRAGMENT_OP_TRANSFER, &c),
		FRAGMENT_DONE_BAD_PAGE);
	UNIT_EQ(requested(1, FRAGMENT_PAGE(2, 3), 0, BOTH, &c), FRAGMENT_DONE_BAD_PAGE);
	UNIT_EQ(link_rd(8, FRAGMENT_LINK_PAGES_HOST), 4);
	UNIT_EQ(requested(1, FRAGMENT_PAGE(2, 3), 0, FRAGMENT_OP_RELEASE, &c), FRAGMENT_DONE_OK);
	UNIT_EQ(c.event, 0);
	UNIT_EQ(link_rd(8, FRAGMENT_LINK_PAGES_FREE), 1);
	generate(8, 3, 64, 64, 1);
	run(0);
	UNIT_EQ(LINK(8, FRAGMENTS), 1);
	host_end();
}

/* The two doorbells, in and out of bounds. */
static void doorbells(void)
{
	struct fragment_descriptor d;
	uint32_t free = ROBINNP_DOORBELL(0) + FRAGMENT_FREE;
	uint32_t command = ROBINNP_DOORBELL(0) + FRAGMENT_COMMAND;
	struct fragment_completion c;
	unsigned int n;

	host_begin();
	key(0, "count-start", "0xfffffffa");
	begin(0, 4, 5, 4);
	fault(0, "done-late", ONE(0) | 1000);
	UNIT_EQ(rd0(free), 0xfffffffa);
	wr0(free, 0xfffffffa); /* the same value again */
	wr0(command, 0xfffffffa);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_ENABLED);
	wr0(free, 0xfffffffa + 33);
	UNIT_EQ(rd0(free), 0xfffffffa);
	clear_error(0);
	wr0(free, 0xfffffff9);
	UNIT_EQ(rd0(free), 0xfffffffa);
	wr0(free, 0xfffffffa + 32);
	UNIT_EQ(rd0(free), 0xfffffffa + 32);
	wr0(free, 0xfffffffa + 31); /* back */
	UNIT_EQ(rd0(free), 0xfffffffa + 32);
	UNIT_EQ(count(0, -1, "host_errors"), 3);
	/* Commands: at most as many uncompleted ones as the ring has entries. */
	for (n = 0; n < 16; n++)
		ask(0, FRAGMENT_PAGE(0, 0), 0, n, FRAGMENT_OP_TRANSFER);
	wr0(command, 0xfffffffa + 17);
	wr0(command, 0xfffffff9);
	UNIT_EQ(rd0(command), 0xfffffffa);
	command_doorbell(0);
	UNIT_EQ(rd0(command), 0xfffffffa + 16);
	wr0(command, 0xfffffffa + 17);
	UNIT_EQ(count(0, -1, "host_errors"), 6);
	UNIT_EQ(SUB(0, COMMANDS_WAITING), 16);
	run_for(0, 20 * MS);
	for (n = 0; n < 16; n++)
		UNIT_NEED(done(0, &c));
	UNIT_NEED(!done(0, &c) && !take(0, &d));
	wr0(command, 0xfffffffa + 32);
	UNIT_EQ(rd0(command), 0xfffffffa + 32);
	UNIT_NEED(even(0));
	host_end();
}

static bool free_wakes_engine(void)
{
	return robinnp_card.wakes_engine(host.card, 0, ROBINNP_BAR_DMA, ROBINNP_DOORBELL(0));
}

/* Pages are taken with a turn of the links, and at once if no turn follows. */
static void wakes(void)
{
	host_begin();
	begin(0, 4, 5, 4);
	CU_ASSERT(free_wakes_engine());
	give_all(0);
	generate(0, 0, 64, 64, 3);
	CU_ASSERT(!free_wakes_engine());
	wr(0, FRAGMENT_LINKS, 0x3e);
	CU_ASSERT(free_wakes_engine());
	wr(0, FRAGMENT_LINKS, 0x3f);
	run(0);
	CU_ASSERT(free_wakes_engine()); /* it has reached its limit */
	generate(0, 0, 64, 64, 9);
	CU_ASSERT(!free_wakes_engine());
	run(0);
	CU_ASSERT(free_wakes_engine()); /* held */
	host_end();
}

/* After a command has released a page, later commands cannot use it. */
static void released_once(void)
{
	struct fragment_descriptor d;
	struct fragment_completion c;
	static const uint32_t ops[] = {FRAGMENT_OP_TRANSFER, BOTH, FRAGMENT_OP_TRANSFER,
				       FRAGMENT_OP_RELEASE, BOTH};
	unsigned int i, shuffled;

	for (shuffled = 0; shuffled < 2; shuffled++) {
		host_begin();
		key(0, "shuffle", shuffled ? "on" : "off");
		begin(0, 4, 5, 4);
		give_all(0);
		generate(0, 9, 64, 64, 1);
		run(0);
		UNIT_NEED(take(0, &d));
		for (i = 0; i < 5; i++)
			ask(0, d.page, i, i, ops[i]);
		command_doorbell(0);
		run(0);
		for (i = 0; i < 5; i++) {
			UNIT_NEED(done(0, &c));
			UNIT_EQ(c.tag, i);
			UNIT_EQ(FRAGMENT_DONE_STATUS(c.status),
				i < 2 ? FRAGMENT_DONE_OK : FRAGMENT_DONE_BAD_PAGE);
		}
		UNIT_EQ(SUB(0, RELEASES), 1);
		UNIT_NEED(pages_even(0));
		host_end();
	}
}

/* Completions in any order: each exactly once, with its own data. */
static void out_of_order(void)
{
	struct fragment_descriptor d;
	struct fragment_completion c;
	unsigned int n, later = 0;
	uint64_t seen = 0;

	host_begin();
	key(0, "shuffle", "on");
	begin(0, 50, 9, 6);
	give_all(0);
	for (n = 0; n < 6; n++)
		generate(n, 100 * n, 64, 64, 10);
	run(0);
	for (n = 0; n < 60; n++) {
		UNIT_NEED(take(0, &d));
		ask(0, d.page, n, n, BOTH);
	}
	command_doorbell(0);
	run(0);
	for (n = 0; n < 60; n++) {
		UNIT_NEED(done(0, &c));
		later += c.tag != n;
		UNIT_NEED(c.tag < 60 && !(seen & 1ull << c.tag));
		seen |= 1ull << c.tag;
		UNIT_NEED(content_is(0, c.tag, c.event / 100, c.event, 64, 64, 0xee));
	}
	UNIT_NEED(later > 30);
	UNIT_NEED(!done(0, &c));
	host_end();
}

UNIT_MAIN("emulated RobinNP: pages and commands", {"bad frees", bad_frees},
	  {"a filled page belongs to the card", filled_is_not_the_hosts},
	  {"bad commands", bad_commands}, {"empty pages", empty_pages}, {"doorbells", doorbells},
	  {"what stirs", wakes}, {"released once", released_once},
	  {"completions in any order", out_of_order})
