// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RobinNP's interrupts: arming before and after the entries, by number and by time, exactly one
 * when idle, errors and alarms.
 */
#include "emu_robinnp.h"

#define DATA host.message[1]
#define DONE host.message[2]
#define ERROR host.message[3]

static void ready(void)
{
	host_begin();
	begin(0, 100, 10, 6);
	give_all(0);
	generate(0, 0, 16, 16, 0);
	link_wr(0, FRAGMENT_LINK_GENERATOR, 0);
	run(0);
}

/* Generate @n more fragments. */
static void fragments(uint32_t n)
{
	generate(0, 0, 16, 16, n);
	run(0);
}

static void armed_before_and_after(void)
{
	ready();
	fragments(3);
	UNIT_EQ(DATA, 0); /* not armed */
	wr(0, FRAGMENT_ARM_DATA, 3);
	run(0);
	UNIT_EQ(DATA, 0);
	UNIT_NEED(rd(0, BLOCK_STATUS) & FRAGMENT_STATUS_DATA_ARMED);
	UNIT_EQ(rd(0, FRAGMENT_ARM_DATA), 3);
	fragments(5);
	UNIT_EQ(DATA, 1);
	UNIT_EQ(rd(0, BLOCK_STATUS) & FRAGMENT_STATUS_DATA_ARMED, 0);
	fragments(5);
	UNIT_EQ(DATA, 1);
	/* The descriptors exist when the interrupt is armed. */
	wr(0, FRAGMENT_ARM_DATA, 12);
	run(0);
	UNIT_EQ(DATA, 2);
	/* Arm again with the same value, after a lost interrupt. */
	wr(0, FRAGMENT_ARM_DATA, 12);
	run(0);
	UNIT_EQ(DATA, 3);
	UNIT_EQ(DONE + ERROR, 0);
	UNIT_EQ(SUB(0, DATA_INTERRUPTS), 3);
	host_end();
}

/* A count beyond the present one is a low-water mark; no value is an error. */
static void ahead(void)
{
	ready();
	wr(0, FRAGMENT_ARM_DATA, 9);
	fragments(9);
	UNIT_EQ(DATA, 0);
	fragments(1);
	UNIT_EQ(DATA, 1);
	wr(0, FRAGMENT_ARM_DATA, 0x80000000);
	fragments(1);
	wr(0, FRAGMENT_ARM_DATA, 0x7fffffff);
	fragments(1);
	UNIT_EQ(DATA, 1);
	wr(0, FRAGMENT_ARM_DATA, 0xf0000000); /* far behind */
	run(0);
	UNIT_EQ(DATA, 2);
	UNIT_EQ(rd(0, BLOCK_STATUS), BLOCK_STATUS_ENABLED);
	host_end();
}

static void moderated(void)
{
	ready();
	wr(0, FRAGMENT_DATA_COUNT, 10);
	wr(0, FRAGMENT_DATA_NS, 2 * MS);
	/* After an idle period the first descriptor raises an interrupt at once. */
	wr(0, FRAGMENT_ARM_DATA, 0);
	fragments(1);
	UNIT_EQ(DATA, 1);
	/* Moderated by number. */
	wr(0, FRAGMENT_ARM_DATA, 1);
	fragments(9);
	UNIT_EQ(DATA, 1);
	fragments(1);
	UNIT_EQ(DATA, 2);
	/* Moderated by the time since the last interrupt, not since arming. */
	run_for(0, MS);
	wr(0, FRAGMENT_ARM_DATA, 11);
	fragments(1);
	run_for(0, MS - 1);
	UNIT_EQ(DATA, 2);
	run_for(0, 1);
	UNIT_EQ(DATA, 3);
	/* The change applies at once. */
	wr(0, FRAGMENT_ARM_DATA, 12);
	fragments(1);
	UNIT_EQ(DATA, 3);
	wr(0, FRAGMENT_DATA_NS, 0);
	run(0);
	UNIT_EQ(DATA, 4);
	/* An idle card sends exactly one interrupt, however long it waits. */
	wr(0, FRAGMENT_ARM_DATA, 13);
	fragments(1);
	run_for(0, 1000 * MS);
	UNIT_EQ(DATA, 5);
	host_end();
}

/* An interrupt of the last run does not delay one of this run. */
static void first_of_a_run(void)
{
	ready();
	wr(0, FRAGMENT_DATA_COUNT, 10);
	wr(0, FRAGMENT_DATA_NS, 1000 * MS);
	wr(0, FRAGMENT_ARM_DATA, 0);
	fragments(1);
	UNIT_EQ(DATA, 1);
	wr(0, FRAGMENT_ARM_DATA, 1);
	wr(0, BLOCK_CONTROL, 0);
	begin(0, 100, 10, 6);
	UNIT_EQ(rd(0, BLOCK_STATUS) & FRAGMENT_STATUS_DATA_ARMED, 0);
	give_all(0);
	wr(0, FRAGMENT_ARM_DATA, 0);
	fragments(1);
	UNIT_EQ(DATA, 2);
	host_end();
}

static void completions(void)
{
	struct fragment_completion c;

	ready();
	wr(0, FRAGMENT_DONE_COUNT, 3);
	wr(0, FRAGMENT_DONE_NS, 1000 * MS);
	wr(0, FRAGMENT_ARM_DONE, 0);
	requested(0, 0, 0, 0, &c);
	UNIT_EQ(DONE, 1);
	wr(0, FRAGMENT_ARM_DONE, 1);
	requested(0, 0, 0, 0, &c);
	requested(0, 0, 0, 0, &c);
	UNIT_EQ(DONE, 1);
	UNIT_NEED(rd(0, BLOCK_STATUS) & FRAGMENT_STATUS_DONE_ARMED);
	requested(0, 0, 0, 0, &c);
	UNIT_EQ(DONE, 2);
	UNIT_EQ(DATA, 0);
	UNIT_EQ(SUB(0, DONE_INTERRUPTS), 2);
	host_end();
}

static void vectors(void)
{
	ready();
	wr(0, FRAGMENT_DATA_VECTOR, 6);
	wr(0, FRAGMENT_ARM_DATA, 0);
	fragments(1);
	UNIT_EQ(host.message[6], 1);
	/* No interrupt: it stays armed. */
	wr(0, FRAGMENT_DATA_VECTOR, FUNCTION_VECTOR_NONE);
	wr(0, FRAGMENT_ARM_DATA, 1);
	fragments(1);
	UNIT_NEED(rd(0, BLOCK_STATUS) & FRAGMENT_STATUS_DATA_ARMED);
	wr(0, FRAGMENT_DATA_VECTOR, 1);
	run(0);
	UNIT_EQ(DATA, 1);
	/* An interrupt of a vector that the host has not enabled is neither sent nor kept. */
	host.vectors = 1;
	wr(0, FRAGMENT_ARM_DATA, 2);
	fragments(1);
	UNIT_EQ(rd(0, BLOCK_STATUS) & FRAGMENT_STATUS_DATA_ARMED, 0);
	UNIT_EQ(count(0, -1, "unrouted"), 1);
	UNIT_EQ(SUB(0, DATA_INTERRUPTS), 2);
	host_end();
}

/* Error interrupts: without arming, once for each error, and only for enabled ones. */
static void errors(void)
{
	ready();
	wr(0, BLOCK_RESET, 2);
	UNIT_EQ(ERROR, 1);
	wr(0, BLOCK_RESET, 2);
	run(0);
	UNIT_EQ(ERROR, 1);
	UNIT_EQ(SUB(0, ERROR_INTERRUPTS), 1);
	UNIT_EQ(DATA + DONE, 0);
	wr(1, FRAGMENT_ERROR_ENABLE, BLOCK_STATUS_FETCH_ERROR);
	wr(1, BLOCK_RESET, 2);
	run(0);
	UNIT_EQ(host.message[6], 0);
	wr(1, FRAGMENT_ERROR_ENABLE, BLOCK_STATUS_SETUP_ERROR);
	wr(1, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	UNIT_EQ(host.message[6], 1);
	/* Without a vector no interrupt is kept. */
	wr(1, FRAGMENT_ERROR_VECTOR, FUNCTION_VECTOR_NONE);
	wr(1, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	UNIT_EQ(rd(1, BLOCK_STATUS), BLOCK_STATUS_QUIET | BLOCK_STATUS_SETUP_ERROR);
	wr(1, FRAGMENT_ERROR_VECTOR, 6);
	run(0);
	UNIT_EQ(host.message[6], 1);
	/* An interrupt cannot be sent yet: QUIET is not set before it is. */
	host.no_master = true;
	wr(1, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	UNIT_EQ(rd(1, BLOCK_STATUS), BLOCK_STATUS_SETUP_ERROR);
	host.no_master = false;
	run(0);
	UNIT_EQ(host.message[6], 2);
	UNIT_EQ(rd(1, BLOCK_STATUS), BLOCK_STATUS_QUIET | BLOCK_STATUS_SETUP_ERROR);
	host_end();
}

static uint32_t notice(void)
{
	uint32_t word;

	memcpy(&word, host.memory + 60 * MIB, 4);
	return le32toh(word);
}

static void alarms(void)
{
	const uint32_t f = ROBINNP_FUNCTION;

	host_begin();
	wr0(f + FUNCTION_ENABLE, ~0u);
	UNIT_EQ(rd0(f + FUNCTION_ENABLE), FRAGMENT_CAUSE_ALL);
	wr0(f + FUNCTION_NOTICE_LOW, (uint32_t)(HOST_BASE + 60 * MIB));
	wr0(f + FUNCTION_NOTICE_HIGH, HOST_BASE >> 32);
	run(0);
	UNIT_EQ(notice(), 0);
	key(0, "temperature", "61");
	run(0);
	UNIT_EQ(notice(), FUNCTION_CAUSE_TEMPERATURE);
	UNIT_EQ(host.message[0], 1);
	key(0, "temperature", "59");
	key(0, "temperature", "61");
	wr0(f + FUNCTION_CAUSE, FUNCTION_CAUSE_TEMPERATURE);
	run(0);
	UNIT_EQ(notice(), 0);
	UNIT_EQ(host.message[0], 1);
	key(0, "temperature", "81");
	run(0);
	UNIT_EQ(notice(), FUNCTION_CAUSE_CRITICAL);
	UNIT_EQ(host.message[0], 2);
	host_end();
}

UNIT_MAIN("emulated RobinNP: interrupts", {"armed before and after", armed_before_and_after},
	  {"counts ahead", ahead}, {"moderation", moderated}, {"first of a run", first_of_a_run},
	  {"completions", completions}, {"vectors", vectors}, {"errors", errors},
	  {"alarms and notice", alarms})
