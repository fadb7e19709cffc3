// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys recycle and stamp of the emulated CRU, which the benchmark report uses: superpages are
 * reused without the host, and a superpage has the time of its completion.
 */
#include "tests/unit/emu/emu_host.h"

#define PAGES 4 /* 32 KiB superpages */
#define BYTES (PAGES * CRU_PAGE_SIZE)
#define RATE "1000000000"
#define GRAIN_NS 200000 /* with a rate pages come in bursts of that time */

static void begin_recycling(unsigned int superpages)
{
	unsigned int n;

	host_begin();
	start(0, CRU_DATA_SOURCE_INTERNAL);
	key(0, "rate", RATE);
	key(0, "recycle", "on");
	for (n = 0; n < superpages; n++)
		push(0, 0, n, PAGES);
}

static void recycled_are_not_shown(void)
{
	begin_recycling(2);
	run_for(0, 10000000);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	UNIT_EQ(count(0, -1, "superpages"), 0);
	/* 10 ms at 1 GB/s, to a superpage. */
	CU_ASSERT(count(0, -1, "recycled") > 10000000 - 2 * BYTES);
	CU_ASSERT(count(0, -1, "recycled") <= 10000000 + BYTES);
	/* Only these two were written. */
	CU_ASSERT(superpage(1, PAGES)[BYTES - 1] != 0xee);
	UNIT_EQ(superpage(2, PAGES)[0], 0xee);
	ledger(0);
	host_end();
}

static void then_the_host_gets_each_once(void)
{
	begin_recycling(2);
	run_for(0, 10000000);
	key(0, "recycle", "off");
	run_for(0, 10000000);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 2);
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(0, BYTES));
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(1, BYTES));
	UNIT_EQ(count(0, -1, "bytes"), 2 * BYTES);
	UNIT_EQ(count(0, 0, "queued"), 0);
	ledger(0);
	host_end();
}

/* The first word of superpage @n, a running counter; 0xee if the card never wrote there. */
static uint32_t first_word(unsigned int n)
{
	uint32_t word;

	memcpy(&word, superpage(n, PAGES), sizeof(word));
	return word;
}

/* Superpages pushed while others are recycled are reported in the order of the pushes. */
static void the_order_is_the_hosts(void)
{
	unsigned int n;

	begin_recycling(3);
	run_for(0, 4 * BYTES + BYTES / 2);
	push(0, 0, 3, PAGES);
	run_for(0, BYTES);
	key(0, "recycle", "off");
	run_for(0, 20 * BYTES);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 4);
	for (n = 1; n < 4; n++)
		UNIT_EQ(first_word(n) - first_word(n - 1), BYTES / 32);
	ledger(0);
	host_end();
}

static void stamped(void)
{
	uint64_t stamp, begin;

	host_begin();
	start(0, CRU_DATA_SOURCE_INTERNAL);
	key(0, "rate", RATE);
	key(0, "stamp", "on");
	begin = host.now;
	push(0, 0, 0, PAGES);
	run_for(0, 10000000);
	memcpy(&stamp, superpage(0, PAGES), sizeof(stamp));
	/* Three of four packets have passed when the last superpage comes. */
	CU_ASSERT(stamp >= begin + 3 * CRU_PAGE_SIZE);
	CU_ASSERT(stamp <= begin + 4 * CRU_PAGE_SIZE + GRAIN_NS);
	key(0, "stamp", "off");
	push(0, 0, 1, PAGES);
	run_for(0, 10000000);
	memcpy(&stamp, superpage(1, PAGES), sizeof(stamp));
	CU_ASSERT(stamp > host.now || stamp < begin);
	host_end();
}

UNIT_MAIN("CRU for the ledger", {"recycled superpages are not shown", recycled_are_not_shown},
	  {"afterwards the host gets each once", then_the_host_gets_each_once},
	  {"in the order of its pushes", the_order_is_the_hosts},
	  {"a superpage begins with the time", stamped})
