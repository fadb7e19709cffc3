/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A minimal host with a RobinNP; see emu_host_card.h. Sub-unit s has the 16 MiB of the memory from
 * MiB 16 x s on: its rings, its table, and its host pages from MiB 8 of them on.
 */
#ifndef ROC_UNIT_EMU_ROBINNP_H
#define ROC_UNIT_EMU_ROBINNP_H

#include <endian.h>

#include "kmod/cards/robinnp/robinnp_regs.h"
#define HOST_CARD robinnp_card
#define UNIT_BLOCK(s) ROBINNP_SUB(s)
#include "tests/unit/emu/emu_host_units.h"
#include "kmod/fragment/fragment_data.h"
#include "kmod/fragment/fragment_regs.h"

#define MS 1000000ull
#define MIB (1u << 20)
#define DATA_AT(s) (16 * MIB * (s)) /* in the memory */
#define FREE_AT(s) (DATA_AT(s) + MIB)
#define COMMAND_AT(s) (DATA_AT(s) + 2 * MIB)
#define DONE_AT(s) (DATA_AT(s) + 3 * MIB)
#define TABLE_AT(s) (DATA_AT(s) + 4 * MIB)
#define HOST_AT(s) (DATA_AT(s) + 8 * MIB)
#define HOST_PAGES 256
#define HOST_PAGE_LOG2 12
#define BOTH (FRAGMENT_OP_TRANSFER | FRAGMENT_OP_RELEASE)
#define ONE(s) (1ull << (s) << 32) /* the mask of a fault with two arguments */

/* State of the host of sub-unit s. */
static struct reader {
	uint32_t data_log2, free_log2, command_log2, pages;
	uint32_t start, taken, freed, requested, done; /* counts */
} reader[ROBINNP_SUBS];

/* Links are numbered through the card. */
__attribute__((unused)) static uint32_t link_rd(unsigned int l, uint32_t off)
{
	return card_rd(ROBINNP_LINK(l) + off);
}

__attribute__((unused)) static void link_wr(unsigned int l, uint32_t off, uint32_t value)
{
	card_wr(ROBINNP_LINK(l) + off, value);
}

__attribute__((unused)) static uint64_t link_counter(unsigned int l, unsigned int nr)
{
	return wide(ROBINNP_LINK(l) + FRAGMENT_LINK_COUNTERS + 8 * nr);
}

__attribute__((unused)) static uint64_t sub_counter(unsigned int s, unsigned int nr)
{
	return wide(ROBINNP_COUNTS(s) + FRAGMENT_COUNTS_COUNTERS + 8 * nr);
}

#define LINK(l, name) link_counter(l, FRAGMENT_LINK_##name)
#define SUB(s, name) sub_counter(s, FRAGMENT_COUNT_##name)

/* Check every sum of section 10 of the contract in the registers. */
__attribute__((unused)) static bool even(unsigned int s)
{
	unsigned int l;

	for (l = 6 * s; l < 6 * s + 6; l++) {
		if (LINK(l, OFFERED) !=
			    LINK(l, FRAGMENTS) + LINK(l, DISCARDED) + LINK(l, WAITING) ||
		    link_rd(l, FRAGMENT_LINK_PAGES) !=
			    link_rd(l, FRAGMENT_LINK_PAGES_HOST) +
				    link_rd(l, FRAGMENT_LINK_PAGES_FREE) +
				    link_rd(l, FRAGMENT_LINK_PAGES_FILLED))
			return false;
	}
	return SUB(s, COMMANDS) == SUB(s, OK) + SUB(s, BAD_PAGE) + SUB(s, BAD_HOST_PAGE) +
					   SUB(s, BAD_OP) + SUB(s, ABORTED) +
					   SUB(s, COMMANDS_DISCARDED) + SUB(s, COMMANDS_WAITING) &&
	       SUB(s, FREES) == SUB(s, FREED) + SUB(s, BAD_FREE) + SUB(s, FREES_DISCARDED) +
					SUB(s, FREES_WAITING);
}

/* Check that filled and empty pages came from the host: of one run, with counters reset. */
__attribute__((unused)) static bool pages_even(unsigned int s)
{
	uint64_t used = 0;
	unsigned int l;

	for (l = 6 * s; l < 6 * s + 6; l++)
		used += LINK(l, FRAGMENTS) + link_rd(l, FRAGMENT_LINK_PAGES_FILLED) +
			link_rd(l, FRAGMENT_LINK_PAGES_FREE);
	return used == SUB(s, FREED) + SUB(s, RELEASES);
}

__attribute__((unused)) static void base(unsigned int s, uint32_t low, uint64_t at)
{
	wr(s, low, HOST_BASE + at);
	wr(s, low + 4, (HOST_BASE + at) >> 32);
}

__attribute__((unused)) static void addresses(unsigned int s)
{
	base(s, FRAGMENT_DATA_LOW, DATA_AT(s));
	base(s, FRAGMENT_FREE_LOW, FREE_AT(s));
	base(s, FRAGMENT_COMMAND_LOW, COMMAND_AT(s));
	base(s, FRAGMENT_DONE_LOW, DONE_AT(s));
	base(s, FRAGMENT_TABLE_LOW, TABLE_AT(s));
}

/* Host page i of a table that is not in order. */
__attribute__((unused)) static uint32_t host_page_at(unsigned int s, uint32_t i)
{
	return HOST_AT(s) + ((i * 7 % HOST_PAGES) << HOST_PAGE_LOG2);
}

__attribute__((unused)) static void table(unsigned int s)
{
	uint64_t entry;
	uint32_t i;

	for (i = 0; i < HOST_PAGES; i++) {
		entry = htole64(HOST_BASE + host_page_at(s, i));
		memcpy(host.memory + TABLE_AT(s) + 8 * i, &entry, 8);
	}
}

__attribute__((unused)) static void sizes(unsigned int s, uint32_t pages, uint32_t data_log2,
					  uint32_t command_log2)
{
	wr(s, FRAGMENT_DATA_SIZE, data_log2);
	wr(s, FRAGMENT_FREE_SIZE, data_log2);
	wr(s, FRAGMENT_COMMAND_SIZE, command_log2);
	wr(s, FRAGMENT_PAGES, pages);
	wr(s, FRAGMENT_HOST_PAGES, HOST_PAGES);
	wr(s, FRAGMENT_HOST_PAGE_SIZE, HOST_PAGE_LOG2);
}

/* Enable the sub-unit with @pages pages of 2 KiB for each link, all of them owned by the host. */
__attribute__((unused)) static void begin(unsigned int s, uint32_t pages, uint32_t data_log2,
					  uint32_t command_log2)
{
	memset(host.memory + DATA_AT(s), 0, 16u << data_log2);
	memset(host.memory + DONE_AT(s), 0, 16u << command_log2);
	table(s);
	addresses(s);
	sizes(s, pages, data_log2, command_log2);
	wr(s, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	UNIT_NEED(rd(s, BLOCK_STATUS) & BLOCK_STATUS_ENABLED);
	reader[s] = (struct reader){
		.data_log2 = data_log2,
		.free_log2 = data_log2,
		.command_log2 = command_log2,
		.pages = pages,
		.start = rd(s, FRAGMENT_START),
	};
	reader[s].taken = reader[s].start;
	reader[s].freed = reader[s].start;
	reader[s].requested = reader[s].start;
	reader[s].done = reader[s].start;
}

/* Put a page into the free-page ring; free_doorbell() submits it. */
__attribute__((unused)) static void give(unsigned int s, uint32_t word)
{
	struct reader *r = &reader[s];

	word = htole32(word);
	memcpy(host.memory + FREE_AT(s) + 4 * fragment_slot(r->freed++, r->free_log2), &word, 4);
}

__attribute__((unused)) static void free_doorbell(unsigned int s)
{
	wr0(ROBINNP_DOORBELL(s) + FRAGMENT_FREE, reader[s].freed);
}

__attribute__((unused)) static void give_all(unsigned int s)
{
	unsigned int l, p;

	for (l = 0; l < ROBINNP_LINKS; l++) {
		for (p = 0; p < reader[s].pages; p++)
			give(s, FRAGMENT_PAGE(l, p));
	}
	free_doorbell(s);
}

__attribute__((unused)) static void generate(unsigned int l, uint32_t first, uint32_t min,
					     uint32_t max, uint32_t limit)
{
	link_wr(l, FRAGMENT_LINK_SIZE_MIN, min);
	link_wr(l, FRAGMENT_LINK_SIZE_MAX, max);
	link_wr(l, FRAGMENT_LINK_FIRST, first);
	link_wr(l, FRAGMENT_LINK_LIMIT, limit);
	link_wr(l, FRAGMENT_LINK_GENERATOR, 0);
	link_wr(l, FRAGMENT_LINK_GENERATOR,
		FRAGMENT_GENERATOR_RUN | (min < max ? FRAGMENT_GENERATOR_DISTRIBUTED : 0));
}

/* Is entry @count of a ring of the card present? Then copy it to @to. */
__attribute__((unused)) static bool entry(unsigned int s, uint32_t at, uint32_t log2,
					  uint32_t count, void *to)
{
	const uint32_t *word =
		(const uint32_t *)(host.memory + at + 16 * fragment_slot(count, log2));

	if ((le32toh(word[3]) & FRAGMENT_PHASE) != fragment_phase(count, reader[s].start, log2))
		return false;
	memcpy(to, word, 16);
	return true;
}

__attribute__((unused)) static bool take(unsigned int s, struct fragment_descriptor *d)
{
	struct reader *r = &reader[s];
	bool there = entry(s, DATA_AT(s), r->data_log2, r->taken, d);

	r->taken += there;
	return there;
}

/* Put a command into the command ring; command_doorbell() submits it. */
__attribute__((unused)) static void ask(unsigned int s, uint32_t word, uint32_t host_page,
					uint32_t tag, uint32_t op)
{
	struct fragment_command c = {htole32(word), htole32(host_page), htole32(tag), htole32(op)};
	struct reader *r = &reader[s];

	memcpy(host.memory + COMMAND_AT(s) + 16 * fragment_slot(r->requested++, r->command_log2),
	       &c, 16);
}

__attribute__((unused)) static void command_doorbell(unsigned int s)
{
	wr0(ROBINNP_DOORBELL(s) + FRAGMENT_COMMAND, reader[s].requested);
}

__attribute__((unused)) static bool done(unsigned int s, struct fragment_completion *d)
{
	struct reader *r = &reader[s];
	bool there = entry(s, DONE_AT(s), r->command_log2, r->done, d);

	r->done += there;
	return there;
}

/* Run one command, whose completion must come at once. Returns its status. */
__attribute__((unused)) static uint32_t requested(unsigned int s, uint32_t word, uint32_t host_page,
						  uint32_t op, struct fragment_completion *d)
{
	uint32_t tag = reader[s].requested * 3 + 1;

	ask(s, word, host_page, tag, op);
	command_doorbell(s);
	run(0);
	UNIT_NEED(done(s, d));
	UNIT_EQ(d->tag, tag);
	return FRAGMENT_DONE_STATUS(d->status);
}

/*
 * Check that the first @size bytes of a host page are a generated fragment and the others are
 * @rest.
 */
__attribute__((unused)) static bool content_is(unsigned int s, uint32_t host_page, unsigned int l,
					       uint32_t event, uint32_t size, uint32_t full,
					       uint8_t rest)
{
	uint32_t source = fragment_source(card_rd(ROBINNP_CARD + CARD_SOURCE), l), i;
	uint32_t want[4] = {FRAGMENT_MAGIC, event, source, full};
	const uint8_t *at = host.memory + host_page_at(s, host_page);
	const uint32_t *word = (const uint32_t *)at;

	for (i = 0; i < size / 4; i++) {
		uint32_t w = i < 4 ? want[i] : fragment_pattern(source, event) + i - 4;

		if (le32toh(word[i]) != w)
			return false;
	}
	for (i = size; i < 1 << HOST_PAGE_LOG2; i++) {
		if (at[i] != rest)
			return false;
	}
	return true;
}

#endif /* ROC_UNIT_EMU_ROBINNP_H */
