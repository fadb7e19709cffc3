// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RobinNP's links: rates, limits and masks of generators, back-pressure, exact to the fragment
 * and the cycle, and its interrupt.
 */
#include "emu_robinnp.h"

static void rates(void)
{
	host_begin();
	begin(0, 3000, 15, 4);
	give_all(0);
	link_wr(0, FRAGMENT_LINK_RATE, 100000);
	link_wr(1, FRAGMENT_LINK_RATE, 3);
	generate(0, 0, 16, 16, 0);
	generate(1, 0, 16, 16, 0);
	generate(2, 0, 16, 16, 1000); /* at once */
	run(0);
	UNIT_EQ(LINK(0, OFFERED), 0);
	UNIT_EQ(LINK(2, OFFERED), 1000);
	run_for(0, 9999);
	UNIT_EQ(LINK(0, OFFERED), 0);
	run_for(0, 1);
	UNIT_EQ(LINK(0, OFFERED), 1);
	run_for(0, 10 * MS - 10000);
	UNIT_EQ(LINK(0, OFFERED), 1000);
	UNIT_EQ(LINK(1, OFFERED), 0);
	/* A card that was not stepped for a while catches up 10 ms. */
	host.now += 1000 * MS;
	run(0);
	UNIT_EQ(LINK(0, OFFERED), 2001);
	UNIT_EQ(LINK(1, OFFERED), 1);
	UNIT_EQ(LINK(0, HOLDS), 0);
	host_end();
}

static void limits(void)
{
	host_begin();
	begin(0, 100, 10, 4);
	give_all(0);
	generate(4, 50, 16, 16, 7);
	run(0);
	UNIT_EQ(LINK(4, FRAGMENTS), 7);
	UNIT_EQ(link_rd(4, FRAGMENT_LINK_GENERATED), 7);
	link_wr(4, FRAGMENT_LINK_LIMIT, 10);
	run(0);
	UNIT_EQ(LINK(4, FRAGMENTS), 10);
	/* RUN again restarts at FIRST. */
	generate(4, 50, 16, 16, 1);
	run(0);
	UNIT_EQ(LINK(4, FRAGMENTS), 11);
	UNIT_EQ(LINK(4, SEQUENCE_ERRORS), 1);
	UNIT_EQ(link_rd(4, FRAGMENT_LINK_GENERATED), 1);
	host_end();
}

/* Masked links offer nothing; this is no back-pressure. */
static void mask(void)
{
	host_begin();
	wr(0, FRAGMENT_LINKS, 0x3e);
	begin(0, 10, 6, 4);
	give_all(0);
	generate(0, 0, 16, 16, 0);
	generate(1, 0, 16, 16, 5);
	UNIT_EQ(link_rd(0, FRAGMENT_LINK_STATUS), FRAGMENT_LINK_STATUS_MASKED);
	run(0);
	UNIT_EQ(LINK(0, OFFERED), 0);
	UNIT_EQ(LINK(1, OFFERED), 5);
	wr(0, FRAGMENT_LINKS, 0x3f);
	run(0);
	UNIT_EQ(LINK(0, OFFERED), 11);
	UNIT_EQ(rd(0, FRAGMENT_HELD), 1);
	/* Masked while it is held: the held fragment is still delivered. */
	wr(0, FRAGMENT_LINKS, 0x3e);
	run(0);
	UNIT_EQ(link_rd(0, FRAGMENT_LINK_STATUS),
		FRAGMENT_LINK_STATUS_MASKED | FRAGMENT_LINK_STATUS_HELD);
	give(0, FRAGMENT_PAGE(0, 0));
	give(0, FRAGMENT_PAGE(0, 1));
	free_doorbell(0);
	run(0);
	UNIT_EQ(LINK(0, FRAGMENTS), 11);
	UNIT_EQ(LINK(0, WAITING), 0);
	UNIT_EQ(LINK(0, HOLDS), 1);
	host_end();
}

/* One link runs out of pages: only that link is held, exactly for that time. */
static void held(void)
{
	struct fragment_descriptor d;
	uint32_t n;

	host_begin();
	begin(1, 5, 5, 4);
	give_all(1);
	link_wr(6, FRAGMENT_LINK_RATE, 1000);
	link_wr(7, FRAGMENT_LINK_RATE, 1000);
	generate(6, 100, 16, 16, 0);
	generate(7, 100, 16, 16, 0);
	run_for(0, 5 * MS + MS / 2);
	UNIT_EQ(rd(1, FRAGMENT_HELD), 0);
	for (n = 0; n < 10; n++) { /* link 7 gets its pages back */
		UNIT_NEED(take(1, &d));
		if (FRAGMENT_PAGE_LINK(d.page) == 1)
			give(1, d.page);
	}
	free_doorbell(1);
	run_for(0, MS / 2 + 3 * MS);
	UNIT_EQ(rd(1, FRAGMENT_HELD), 1);
	UNIT_EQ(rd(1, BLOCK_STATUS), BLOCK_STATUS_ENABLED | FRAGMENT_STATUS_HELD);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	UNIT_EQ(LINK(6, HOLDS), 1);
	UNIT_EQ(LINK(6, HOLD_EVENT), 105);
	UNIT_EQ(LINK(6, HOLD_CYCLES), 3 * 250000);
	UNIT_EQ(LINK(6, OFFERED), 6);
	UNIT_EQ(LINK(6, WAITING), 1);
	UNIT_EQ(LINK(7, OFFERED), 9);
	UNIT_EQ(LINK(7, HOLDS), 0);
	/* A page is returned: the waiting fragment is delivered, and the next is due 1 ms later. */
	give(1, FRAGMENT_PAGE(0, 3));
	give(1, FRAGMENT_PAGE(0, 1));
	free_doorbell(1);
	run(0);
	UNIT_EQ(rd(1, FRAGMENT_HELD), 0);
	run_for(0, MS - 1);
	UNIT_EQ(LINK(6, OFFERED), 6);
	run_for(0, 1);
	UNIT_EQ(LINK(6, OFFERED), 7);
	UNIT_EQ(LINK(6, HOLD_CYCLES), 3 * 250000);
	/* Pages are used in the order of the list, and no fragment is missing. */
	run_for(0, 3 * MS);
	UNIT_EQ(LINK(6, HOLDS), 2);
	for (n = 105; take(1, &d);) {
		if (FRAGMENT_PAGE_LINK(d.page))
			continue;
		UNIT_EQ(d.event, n);
		UNIT_EQ(FRAGMENT_PAGE_NUMBER(d.page), n == 105 ? 3 : 1);
		n++;
	}
	UNIT_EQ(n, 107);
	UNIT_NEED(even(1) && pages_even(1));
	host_end();
}

/* Fragments that are discarded while a link is held. */
static void held_and_disabled(void)
{
	host_begin();
	begin(0, 2, 4, 4);
	give_all(0);
	generate(0, 0, 16, 16, 0);
	run(0);
	run_for(0, 2 * MS);
	wr(0, BLOCK_CONTROL, 0);
	UNIT_EQ(LINK(0, HOLD_CYCLES), 2 * 250000);
	UNIT_EQ(LINK(0, DISCARDED), 1);
	UNIT_EQ(LINK(0, WAITING), 0);
	UNIT_EQ(rd(0, FRAGMENT_HELD), 0);
	run_for(0, 2 * MS);
	UNIT_EQ(LINK(0, HOLD_CYCLES), 2 * 250000);
	UNIT_NEED(even(0));
	host_end();
}

/* HELD: interrupt and cause if they are enabled, and not more often than allowed. */
static void pages_out(void)
{
	uint32_t n;

	host_begin();
	wr(0, FRAGMENT_ERROR_ENABLE, FRAGMENT_STATUS_HELD);
	wr0(ROBINNP_FUNCTION + FUNCTION_ENABLE, FRAGMENT_CAUSE_PAGES_OUT);
	begin(0, 1, 4, 4);
	give_all(0);
	generate(0, 0, 16, 16, 0);
	generate(1, 0, 16, 16, 0);
	run(0);
	UNIT_EQ(host.message[3], 1);
	UNIT_EQ(host.message[0], 1);
	UNIT_EQ(rd0(ROBINNP_FUNCTION + FUNCTION_CAUSE), FRAGMENT_CAUSE_PAGES_OUT);
	UNIT_EQ(rd0(ROBINNP_FUNCTION + FUNCTION_CHANNELS), 0);
	link_wr(1, FRAGMENT_LINK_GENERATOR, 0);
	for (n = 0; n < 4; n++) {
		host.now += 4 * MS;
		give(0, FRAGMENT_PAGE(0, 0));
		if (!n)
			give(0, FRAGMENT_PAGE(1, 0));
		free_doorbell(0);
		run(0);
	}
	/* After 12 of 16 ms. */
	UNIT_EQ(host.message[3], 2);
	UNIT_EQ(SUB(0, ERROR_INTERRUPTS), 2);
	UNIT_EQ(LINK(0, HOLDS), 5);
	host_end();

	host_begin();
	begin(0, 1, 4, 4);
	give_all(0);
	generate(0, 0, 16, 16, 0);
	run(0);
	UNIT_EQ(host.message[3] + host.message[0], 0);
	host_end();
}

/*
 * Free pages wake an idle card, and one with a link that waits for them; emu_robinnp_pages.c tests
 * the rest.
 */
static void wakes_engine(void)
{
	uint32_t free = ROBINNP_DOORBELL(0) + FRAGMENT_FREE;

	host_begin();
	begin(0, 2, 4, 4);
	UNIT_NEED(robinnp_card.wakes_engine(host.card, 0, 0, free));
	UNIT_NEED(
		robinnp_card.wakes_engine(host.card, 0, 0, ROBINNP_DOORBELL(0) + FRAGMENT_COMMAND));
	UNIT_NEED(robinnp_card.wakes_engine(host.card, 0, 0, ROBINNP_SUB(0) + FRAGMENT_ARM_DATA));
	UNIT_NEED(robinnp_card.wakes_engine(host.card, 0, 0, ROBINNP_SUB(0) + FRAGMENT_LINKS));
	UNIT_NEED(!robinnp_card.wakes_engine(host.card, 0, 0, ROBINNP_SUB(0) + FRAGMENT_TABLE_LOW));
	UNIT_NEED(!robinnp_card.wakes_engine(host.card, 0, 0, ROBINNP_SUB(0) + FRAGMENT_PAGES));
	generate(0, 0, 16, 16, 0);
	run(0);
	UNIT_EQ(rd(0, FRAGMENT_HELD), 1);
	UNIT_NEED(robinnp_card.wakes_engine(host.card, 0, 0, free));
	host_end();
}

UNIT_MAIN("emulated RobinNP: links", {"rates", rates}, {"limits", limits}, {"mask", mask},
	  {"held without a free page", held}, {"held and disabled", held_and_disabled},
	  {"pages out", pages_out}, {"what wakes the card", wakes_engine})
