// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RobinNP's faults, and DMA outside of what is mapped.
 */
#include "emu_robinnp.h"

static struct fragment_descriptor d;
static struct fragment_completion c;

/* Enable link 0 with pages and generate @n fragments. */
static void ready(uint32_t n)
{
	host_begin();
	begin(0, 20, 7, 5);
	give_all(0);
	generate(0, 0, 64, 64, n);
	if (!n)
		link_wr(0, FRAGMENT_LINK_GENERATOR, 0);
	run(0);
}

/* Take the descriptor of the next fragment without checks. */
static void next(void)
{
	reader[0].taken = rd(0, FRAGMENT_DESCRIPTORS);
	link_wr(0, FRAGMENT_LINK_LIMIT, link_rd(0, FRAGMENT_LINK_LIMIT) + 1);
	run(0);
	memcpy(&d, host.memory + DATA_AT(0) + 16 * (reader[0].taken++ % 128), 16);
}

static void stall(void)
{
	host_begin();
	fault(0, "stall", 1);
	begin(0, 4, 5, 4);
	begin(1, 4, 5, 4);
	give_all(0);
	give_all(1);
	generate(0, 0, 64, 64, 1);
	generate(6, 0, 64, 64, 1);
	wr(0, FRAGMENT_ARM_DATA, 0);
	ask(0, FRAGMENT_PAGE(0, 0), 0, 0, FRAGMENT_OP_RELEASE);
	command_doorbell(0);
	run_for(0, 10 * MS);
	UNIT_NEED(!take(0, &d) && !done(0, &c));
	UNIT_NEED(take(1, &d));
	UNIT_EQ(host.message[1], 0);
	UNIT_NEED(even(0));
	robinnp_card.fault_clear(host.card, 0, "stall");
	run(0);
	UNIT_NEED(take(0, &d) && done(0, &c));
	UNIT_EQ(host.message[1], 1);
	host_end();
}

static void late(void)
{
	ready(1);
	UNIT_NEED(take(0, &d));
	fault(0, "data-late", ONE(0) | 3000);
	link_wr(0, FRAGMENT_LINK_LIMIT, 2);
	run_for(0, 3 * MS - 1);
	UNIT_NEED(!take(0, &d));
	UNIT_NEED(even(0));
	run_for(0, 1);
	UNIT_NEED(take(0, &d));
	fault(0, "done-late", ONE(0) | 2000);
	ask(0, d.page, 0, 0, BOTH);
	command_doorbell(0);
	run_for(0, 2 * MS - 1);
	UNIT_NEED(!done(0, &c));
	UNIT_EQ(host.memory[host_page_at(0, 0)], 0xee);
	run_for(0, 1);
	UNIT_NEED(done(0, &c));
	fault(0, "irq-late", ONE(0) | 1000);
	wr(0, FRAGMENT_ARM_DONE, 0);
	run_for(0, MS - 1);
	UNIT_EQ(host.message[2], 0);
	run_for(0, 1);
	UNIT_EQ(host.message[2], 1);
	host_end();

	/*
	 * A descriptor is counted before it is written; after a read of GENERATION it is written.
	 */
	ready(1);
	UNIT_NEED(take(0, &d));
	fault(0, "data-late", ONE(0) | 3000);
	fault(0, "count-early", 1);
	link_wr(0, FRAGMENT_LINK_LIMIT, 2);
	run_for(0, MS);
	UNIT_EQ(rd(0, FRAGMENT_DESCRIPTORS), 2);
	UNIT_NEED(!take(0, &d));
	rd(0, BLOCK_GENERATION);
	UNIT_NEED(take(0, &d));
	UNIT_EQ(rd(0, FRAGMENT_DESCRIPTORS), 2);
	host_end();
}

static void invalid_descriptors(void)
{
	ready(1);
	next();
	UNIT_EQ(d.page, FRAGMENT_PAGE(0, 1));
	fault(0, "wrong-phase", ONE(0) | 1);
	next();
	UNIT_EQ(d.status, 0);
	fault(0, "page-range", ONE(0) | 1);
	next();
	UNIT_EQ(d.page, FRAGMENT_PAGE(0, 20));
	fault(0, "page-free", ONE(0) | 1);
	next();
	UNIT_EQ(d.page, FRAGMENT_PAGE(0, 5)); /* the next but one */
	fault(0, "size-big", ONE(0) | 5000);
	next();
	UNIT_EQ(d.size, 5064);
	next();
	UNIT_EQ(d.size, 64);
	UNIT_EQ(d.page, FRAGMENT_PAGE(0, 6));
	UNIT_EQ(d.status, FRAGMENT_PHASE);
	UNIT_NEED(even(0) && pages_even(0));
	host_end();
}

/* Errors of a link: the status reports them, and they are counted. */
static void fragments_with_errors(void)
{
	ready(1);
	next();
	fault(0, "skip-event", ONE(0) | 5);
	next();
	UNIT_EQ(d.event, 7);
	UNIT_EQ(d.status, FRAGMENT_PHASE | FRAGMENT_IS_SEQUENCE);
	fault(0, "link-error", ONE(0) | 1);
	next();
	UNIT_EQ(d.event, 8);
	UNIT_EQ(d.status, FRAGMENT_PHASE | FRAGMENT_IS_LINK_ERROR);
	UNIT_EQ(requested(0, d.page, 1, BOTH, &c), FRAGMENT_DONE_OK);
	UNIT_NEED(!content_is(0, 1, 0, 8, 64, 64, 0xee));
	fault(0, "format-error", ONE(0) | 1);
	next();
	UNIT_EQ(d.event, 9);
	UNIT_EQ(d.status, FRAGMENT_PHASE | FRAGMENT_IS_FORMAT);
	UNIT_EQ(requested(0, d.page, 2, BOTH, &c), FRAGMENT_DONE_OK);
	UNIT_EQ(*(uint32_t *)(host.memory + host_page_at(0, 2)), 0);
	next();
	UNIT_EQ(d.event, 10);
	UNIT_EQ(d.status, FRAGMENT_PHASE);
	UNIT_EQ(LINK(0, SEQUENCE_ERRORS), 1);
	UNIT_EQ(LINK(0, LINK_ERRORS), 1);
	UNIT_EQ(LINK(0, FORMAT_ERRORS), 1);
	host_end();
}

/* Errors that the status does not report, and an error that only the status reports. */
static void invalid_fragments(void)
{
	ready(1);
	next();
	fault(0, "damaged", ONE(0) | 1);
	next();
	UNIT_EQ(d.status, FRAGMENT_PHASE | FRAGMENT_IS_LINK_ERROR);
	UNIT_EQ(requested(0, d.page, 1, BOTH, &c), FRAGMENT_DONE_OK);
	UNIT_NEED(content_is(0, 1, 0, 2, 64, 64, 0xee));
	fault(0, "wrong-event", ONE(0) | 5);
	next();
	UNIT_EQ(d.event, 8);
	UNIT_EQ(d.status, FRAGMENT_PHASE);
	UNIT_EQ(requested(0, d.page, 2, BOTH, &c), FRAGMENT_DONE_OK);
	UNIT_EQ(c.event, 8);
	next();
	UNIT_EQ(d.event, 4);
	UNIT_EQ(d.status, FRAGMENT_PHASE);
	fault(0, "short", ONE(0) | 52);
	next();
	UNIT_EQ(d.size, 12);
	UNIT_EQ(d.status, FRAGMENT_PHASE);
	UNIT_EQ(requested(0, d.page, 3, BOTH, &c), FRAGMENT_DONE_OK);
	UNIT_EQ(c.size, 12);
	UNIT_EQ(host.memory[host_page_at(0, 3) + 11], 0);
	UNIT_EQ(host.memory[host_page_at(0, 3) + 12], 0xee);
	/* An empty page cannot be transferred. */
	fault(0, "empty", ONE(0) | 1);
	next();
	UNIT_EQ(d.size, 0);
	UNIT_EQ(d.status, FRAGMENT_PHASE);
	UNIT_EQ(requested(0, d.page, 4, FRAGMENT_OP_TRANSFER, &c), FRAGMENT_DONE_BAD_PAGE);
	next();
	UNIT_EQ(d.size, 64);
	UNIT_EQ(d.event, 7);
	UNIT_NEED(even(0) && pages_even(0));
	host_end();
}

/* Entries that are counted and not written: later entries have their own places and phases. */
static void holes(void)
{
	ready(1);
	UNIT_NEED(take(0, &d));
	fault(0, "record-hole", ONE(0) | 2);
	link_wr(0, FRAGMENT_LINK_LIMIT, 4);
	run(0);
	UNIT_EQ(rd(0, FRAGMENT_DESCRIPTORS), 4);
	UNIT_NEED(!take(0, &d));
	reader[0].taken += 2;
	UNIT_NEED(take(0, &d));
	UNIT_EQ(d.event, 3);
	fault(0, "done-hole", ONE(0) | 1);
	ask(0, d.page, 0, 0, 0);
	ask(0, d.page, 0, 0, 0);
	command_doorbell(0);
	run(0);
	UNIT_EQ(rd(0, FRAGMENT_COMPLETIONS), 2);
	UNIT_NEED(!done(0, &c));
	reader[0].done++;
	UNIT_NEED(done(0, &c));
	UNIT_EQ(count(0, -1, "entries_skipped"), 3);
	UNIT_NEED(even(0) && pages_even(0));
	host_end();
}

static void transfers(void)
{
	ready(1);
	next();
	fault(0, "flip", ONE(0) | 1);
	UNIT_EQ(requested(0, 0, 0, FRAGMENT_OP_TRANSFER, &c), FRAGMENT_DONE_OK);
	UNIT_NEED(!content_is(0, 0, 0, 0, 64, 64, 0xee));
	UNIT_EQ(requested(0, 0, 0, FRAGMENT_OP_TRANSFER, &c), FRAGMENT_DONE_OK);
	UNIT_NEED(content_is(0, 0, 0, 0, 64, 64, 0xee));
	/* The page cannot be read: its owner does not change. */
	fault(0, "abort", ONE(0) | 1);
	UNIT_EQ(requested(0, 0, 1, BOTH, &c), FRAGMENT_DONE_ABORTED);
	UNIT_EQ(c.size | c.event, 0);
	UNIT_EQ(host.memory[host_page_at(0, 1)], 0xee);
	UNIT_EQ(requested(0, 0, 1, BOTH, &c), FRAGMENT_DONE_OK);
	UNIT_EQ(SUB(0, ABORTED), 1);
	UNIT_NEED(even(0) && pages_even(0));
	host_end();
}

static void invalid_completions(void)
{
	ready(2);
	fault(0, "done-tag", ONE(0) | 1);
	ask(0, 0, 0, 77, 0);
	command_doorbell(0);
	run(0);
	UNIT_NEED(done(0, &c));
	UNIT_EQ(c.tag, ~77u);
	fault(0, "done-size", ONE(0) | 100);
	UNIT_EQ(requested(0, 0, 0, FRAGMENT_OP_TRANSFER, &c), FRAGMENT_DONE_OK);
	UNIT_EQ(c.size, 164);
	fault(0, "done-status", ONE(0) | 1);
	UNIT_EQ(requested(0, 0, 0, FRAGMENT_OP_TRANSFER, &c), 0x7777);
	fault(0, "done-twice", ONE(0) | 1);
	UNIT_EQ(requested(0, 0, 0, FRAGMENT_OP_TRANSFER, &c), FRAGMENT_DONE_OK);
	UNIT_NEED(done(0, &c));
	UNIT_NEED(!done(0, &c));
	fault(0, "done-lost", ONE(0) | 1);
	ask(0, 0, 0, 0, 0);
	command_doorbell(0);
	run(0);
	UNIT_NEED(!done(0, &c));
	/* The card's counters stay right, and it accepts as many commands as before. */
	UNIT_EQ(SUB(0, COMMANDS_WAITING), 0);
	UNIT_NEED(even(0));
	fault(0, "done-wrong-phase", ONE(0) | 1);
	ask(0, 0, 0, 0, 0);
	command_doorbell(0);
	run(0);
	UNIT_NEED(!done(0, &c));
	UNIT_EQ(count(0, -1, "completions_lost"), 1);
	UNIT_EQ(count(0, -1, "completions_twice"), 1);
	UNIT_EQ(count(0, -1, "host_errors"), 0);
	host_end();
}

static void interrupts(void)
{
	ready(1);
	fault(0, "irq-lost", ONE(0) | 1);
	wr(0, FRAGMENT_ARM_DATA, 0);
	run(0);
	UNIT_EQ(host.message[1], 0);
	UNIT_EQ(SUB(0, DATA_INTERRUPTS), 1);
	UNIT_EQ(rd(0, BLOCK_STATUS) & FRAGMENT_STATUS_DATA_ARMED, 0);
	/* The driver's watchdog arms again with the same value. */
	wr(0, FRAGMENT_ARM_DATA, 0);
	run(0);
	UNIT_EQ(host.message[1], 1);
	wr(0, FRAGMENT_ARM_DATA, 1);
	fault(0, "irq-spurious", 2);
	run_for(0, 5 * MS);
	UNIT_EQ(host.message[1], 1 + 3);
	UNIT_EQ(host.message[2], 3);
	UNIT_EQ(host.message[3], 3);
	UNIT_EQ(host.message[4], 0); /* the other sub-unit is disabled */
	UNIT_NEED(rd(0, BLOCK_STATUS) & FRAGMENT_STATUS_DATA_ARMED);
	fault(0, "lost-doorbell", ONE(0) | 2);
	give(0, 0);
	ask(0, 0, 0, 0, 0);
	free_doorbell(0);
	command_doorbell(0);
	run(0);
	UNIT_NEED(!done(0, &c));
	UNIT_EQ(count(0, -1, "doorbells_lost"), 2);
	command_doorbell(0);
	run(0);
	UNIT_NEED(done(0, &c));
	host_end();
}

static void resets(void)
{
	uint32_t generation;

	ready(0);
	generation = rd(0, BLOCK_GENERATION);
	fault(0, "reset-ignored", 1);
	wr(0, BLOCK_RESET, BLOCK_RESET_LOGIC);
	wr(0, BLOCK_CONTROL, 0);
	wr0(ROBINNP_FUNCTION + FUNCTION_RESET, BLOCK_RESET_DEFAULT);
	UNIT_EQ(rd(0, BLOCK_GENERATION), generation);
	UNIT_NEED(rd(0, BLOCK_STATUS) & BLOCK_STATUS_ENABLED);
	generate(0, 0, 64, 64, 1);
	run(0);
	UNIT_NEED(take(0, &d)); /* it continues to write */
	/* The fault does not affect a function-level reset. */
	robinnp_card.reset(host.card, 0);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	UNIT_EQ(rd(0, BLOCK_GENERATION), generation + 1);
	host_end();

	ready(0);
	fault(0, "reset-slow", ONE(0) | 5);
	generation = rd(0, BLOCK_GENERATION);
	wr(0, BLOCK_RESET, BLOCK_RESET_LOGIC);
	run_for(0, 5 * MS - 1);
	UNIT_EQ(rd(0, BLOCK_GENERATION), generation);
	UNIT_NEED(rd(0, BLOCK_STATUS) & BLOCK_STATUS_ENABLED);
	run_for(0, 1);
	UNIT_EQ(rd(0, BLOCK_GENERATION), generation + 1);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	host_end();
}

static void quiesced(void)
{
	ready(1);
	fault(0, "never-quiet", 1);
	wr(0, BLOCK_CONTROL, 0);
	UNIT_EQ(rd(0, BLOCK_STATUS), 0);
	robinnp_card.fault_clear(host.card, 0, NULL);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	begin(0, 4, 5, 4);
	fault(0, "write-after-off", ONE(0) | 4);
	wr(0, BLOCK_CONTROL, 0);
	UNIT_EQ(rd(0, BLOCK_STATUS), 0);
	run_for(0, 4 * MS - 1);
	UNIT_EQ(host.memory[DATA_AT(0)], 0);
	run_for(0, 1);
	UNIT_EQ(host.memory[DATA_AT(0)], 0x5a);
	UNIT_EQ(count(0, -1, "stray_writes"), 1);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	host_end();
}

/* Data outside every mapping are lost and counted; other data are at their place. */
static void outside(void)
{
	uint64_t entry = htole64(HOST_BASE - 0x100000);

	host_begin();
	begin(0, 4, 5, 4);
	wr(0, BLOCK_CONTROL, 0);
	memcpy(host.memory + TABLE_AT(0) + 8, &entry, 8);
	addresses(0);
	wr(0, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	give_all(0);
	generate(0, 0, 64, 64, 1);
	run(0);
	UNIT_NEED(take(0, &d));
	UNIT_EQ(requested(0, d.page, 1, FRAGMENT_OP_TRANSFER, &c), FRAGMENT_DONE_OK);
	UNIT_EQ(count(0, -1, "dma_outside"), 1);
	UNIT_EQ(requested(0, d.page, 2, FRAGMENT_OP_TRANSFER, &c), FRAGMENT_DONE_OK);
	UNIT_NEED(content_is(0, 2, 0, 0, 64, 64, 0xee));
	robinnp_card.clear(host.card, 0);
	UNIT_EQ(count(0, -1, "dma_outside"), 0);
	UNIT_EQ(robinnp_card.dma_outside(host.card), 1);
	wr(0, BLOCK_CONTROL, 0);
	addresses(0);
	wr(0, FRAGMENT_DATA_HIGH, 0xff);
	wr(0, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	reader[0].freed = 0;
	give_all(0);
	link_wr(0, FRAGMENT_LINK_LIMIT, 2);
	run(0);
	UNIT_EQ(count(0, -1, "dma_outside"), 1);
	UNIT_EQ(LINK(0, FRAGMENTS), 2);
	host_end();
}

UNIT_MAIN("emulated RobinNP: faults", {"stall", stall}, {"late", late},
	  {"invalid descriptors", invalid_descriptors},
	  {"fragments with errors", fragments_with_errors},
	  {"invalid fragments", invalid_fragments}, {"holes", holes}, {"transfers", transfers},
	  {"invalid completions", invalid_completions},
	  {"interrupts lost and spurious", interrupts}, {"resets ignored and slow", resets},
	  {"never quiesced, and a write after off", quiesced}, {"DMA outside", outside},
	  {"every fault", every_fault})
