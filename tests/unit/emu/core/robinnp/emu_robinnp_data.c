// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory writes of the RobinNP: descriptors, data and completions, word by word, over the ends of
 * the rings, over the wraps of counts and of event ids.
 */
#include "emu_robinnp.h"

/* Check every word of a fragment of each of two links. */
static void one_of_each(void)
{
	struct fragment_descriptor d;
	struct fragment_completion c;
	unsigned int n;

	host_begin();
	begin(0, 4, 5, 4);
	give_all(0);
	generate(0, 70, 400, 400, 1);
	generate(5, 80, 16, 16, 1);
	run(0);
	for (n = 0; n < 2; n++) {
		unsigned int l = n ? 5 : 0;

		UNIT_NEED(take(0, &d));
		UNIT_EQ(d.event, n ? 80 : 70);
		UNIT_EQ(d.page, FRAGMENT_PAGE(l, 0));
		UNIT_EQ(d.size, n ? 16 : 400);
		UNIT_EQ(d.status, FRAGMENT_PHASE);
		UNIT_EQ(requested(0, d.page, 3 + n, FRAGMENT_OP_TRANSFER, &c), FRAGMENT_DONE_OK);
		UNIT_EQ(c.size, d.size);
		UNIT_EQ(c.event, d.event);
		UNIT_EQ(c.status, FRAGMENT_PHASE);
		UNIT_NEED(content_is(0, 3 + n, l, d.event, d.size, d.size, 0xee));
	}
	UNIT_NEED(!take(0, &d));
	UNIT_NEED(!done(0, &c));
	UNIT_EQ(SUB(0, TRANSFERS), 2);
	UNIT_EQ(SUB(0, BYTES), 416);
	UNIT_NEED(even(0));
	host_end();
}

/* Transfer and release all pages of a link @rounds times. */
static void laps(uint32_t first, unsigned int rounds, uint32_t min, uint32_t max)
{
	struct fragment_descriptor d;
	struct fragment_completion c;
	uint32_t event = first;
	unsigned int n;

	give_all(1);
	generate(8, first, min, max, rounds * 5);
	for (n = 0; n < rounds * 5; n++) {
		run(0);
		UNIT_NEED(take(1, &d));
		UNIT_EQ(d.event, event);
		UNIT_EQ(FRAGMENT_PAGE_LINK(d.page), 2);
		UNIT_EQ(d.size, min < max ? fragment_size(0xa708, event, min, max) : min);
		UNIT_EQ(d.status & ~FRAGMENT_PHASE, 0);
		UNIT_EQ(requested(1, d.page, n % HOST_PAGES, BOTH, &c), FRAGMENT_DONE_OK);
		UNIT_EQ(c.event, event);
		UNIT_NEED(content_is(1, n % HOST_PAGES, 8, event, d.size, d.size, 0xee));
		memset(host.memory + host_page_at(1, n % HOST_PAGES), 0xee, 1 << HOST_PAGE_LOG2);
		event++;
	}
	run(0);
	UNIT_NEED(!take(1, &d));
	UNIT_EQ(SUB(1, RELEASES), rounds * 5);
	UNIT_EQ(LINK(8, SEQUENCE_ERRORS), 0);
	UNIT_NEED(even(1) && pages_even(1));
}

/* Rings of 32 and 16 entries, five pages per link: both phases change many times. */
static void many_laps(void)
{
	host_begin();
	begin(1, 5, 5, 4);
	laps(0, 60, 16, 2048);
	host_end();
}

/* All counts and the event ids wrap, at different times. */
static void wrap(void)
{
	host_begin();
	key(0, "count-start", "0xffffffb5");
	begin(1, 5, 5, 4);
	UNIT_EQ(reader[1].start, 0xffffffb5);
	laps(0xffffffe0, 60, 64, 64);
	UNIT_EQ(rd(1, FRAGMENT_DESCRIPTORS), 0xffffffb5 + 300);
	UNIT_EQ(rd(1, FRAGMENT_COMPLETIONS), 0xffffffb5 + 300);
	UNIT_EQ(rd(1, FRAGMENT_FREED), 0xffffffb5 + 30);
	UNIT_EQ(rd(1, FRAGMENT_COMMANDS), 0xffffffb5 + 300);
	UNIT_EQ(SUB(1, COMMANDS), 300);
	host_end();
}

/* A fragment longer than a page: the page has its first bytes, and the header its full size. */
static void truncated(void)
{
	struct fragment_descriptor d;
	struct fragment_completion c;

	host_begin();
	begin(0, 4, 5, 4);
	give_all(0);
	generate(3, 5, 2052, 2052, 1);
	run(0);
	UNIT_NEED(take(0, &d));
	UNIT_EQ(d.size, 2048);
	UNIT_EQ(d.status, FRAGMENT_PHASE | FRAGMENT_IS_TRUNCATED);
	UNIT_EQ(requested(0, d.page, 0, BOTH, &c), FRAGMENT_DONE_OK);
	UNIT_EQ(c.size, 2048);
	UNIT_NEED(content_is(0, 0, 3, 5, 2048, 2052, 0xee));
	UNIT_EQ(LINK(3, TRUNCATED), 1);
	UNIT_EQ(LINK(3, CUT), 4);
	UNIT_EQ(LINK(3, BYTES), 2048);
	host_end();
}

/* The smallest and the largest pages; a fragment of the full size of one. */
static void page_sizes(void)
{
	struct fragment_descriptor d;
	uint32_t log2;

	for (log2 = FRAGMENT_PAGE_MIN; log2 <= FRAGMENT_PAGE_MAX; log2++) {
		host_begin();
		wr(0, FRAGMENT_PAGE_SIZE, log2);
		memset(host.memory + DATA_AT(0), 0, 512);
		addresses(0);
		sizes(0, 2, 5, 4);
		wr(0, FRAGMENT_HOST_PAGES, 0);
		wr(0, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
		UNIT_NEED(rd(0, BLOCK_STATUS) & BLOCK_STATUS_ENABLED);
		reader[0] = (struct reader){.data_log2 = 5, .free_log2 = 5, .pages = 2};
		give_all(0);
		generate(0, 0, 1 << log2, 1 << log2, 2);
		run(0);
		UNIT_NEED(take(0, &d));
		UNIT_EQ(d.size, 1 << log2);
		UNIT_EQ(d.status, FRAGMENT_PHASE);
		host_end();
	}
}

/* A page keeps its content until it is returned; then another fragment fills it. */
static void pages_used_again(void)
{
	struct fragment_descriptor d;
	struct fragment_completion c;

	host_begin();
	begin(0, 1, 4, 4);
	give_all(0);
	generate(0, 1, 64, 64, 0);
	run(0);
	UNIT_NEED(take(0, &d));
	UNIT_EQ(d.event, 1);
	run_for(0, 5 * MS);
	/* A page can be transferred twice while the host owns it. */
	UNIT_EQ(requested(0, d.page, 0, FRAGMENT_OP_TRANSFER, &c), FRAGMENT_DONE_OK);
	UNIT_EQ(c.event, 1);
	UNIT_EQ(requested(0, d.page, 1, BOTH, &c), FRAGMENT_DONE_OK);
	UNIT_EQ(c.event, 1);
	UNIT_NEED(content_is(0, 0, 0, 1, 64, 64, 0xee) && content_is(0, 1, 0, 1, 64, 64, 0xee));
	/* The waiting fragment got the page. */
	run(0);
	UNIT_NEED(take(0, &d));
	UNIT_EQ(d.event, 2);
	UNIT_EQ(requested(0, d.page, 2, FRAGMENT_OP_TRANSFER, &c), FRAGMENT_DONE_OK);
	UNIT_NEED(content_is(0, 2, 0, 2, 64, 64, 0xee));
	host_end();
}

/* A fragment has the source id of the time when it was generated. */
static void source_ids(void)
{
	struct fragment_descriptor d;
	struct fragment_completion c;

	host_begin();
	begin(1, 2, 4, 4);
	give_all(1);
	card_wr(ROBINNP_CARD + CARD_SOURCE, 0x1234);
	generate(11, 9, 64, 64, 1);
	run(0);
	card_wr(ROBINNP_CARD + CARD_SOURCE, 0x4321);
	UNIT_NEED(take(1, &d));
	UNIT_EQ(requested(1, d.page, 0, BOTH, &c), FRAGMENT_DONE_OK);
	UNIT_NEED(!content_is(1, 0, 11, 9, 64, 64, 0xee));
	card_wr(ROBINNP_CARD + CARD_SOURCE, 0x1234);
	UNIT_NEED(content_is(1, 0, 11, 9, 64, 64, 0xee));
	host_end();
}

UNIT_MAIN("emulated RobinNP: memory writes", {"a fragment of each", one_of_each},
	  {"many laps", many_laps}, {"counts and event ids wrap", wrap},
	  {"longer than a page", truncated}, {"sizes of pages", page_sizes},
	  {"pages used again", pages_used_again}, {"source ids", source_ids})
