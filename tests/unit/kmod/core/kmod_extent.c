// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The extent table in kmod/core/extent.c, compared with a table of single pages.
 */
#include <errno.h>
#include <stdint.h>

#include "kmod/core/extent.h"
#include "unit.h"

#define PAGE 4096ull
#define PAGES 64

static struct roc_extent table[PAGES];

static struct roc_extents empty(__u32 capacity)
{
	return (struct roc_extents){.table = table, .capacity = capacity};
}

static void neighbours_join(void)
{
	struct roc_extents ex = empty(4);

	CU_ASSERT(roc_extents_append(&ex, 0x1000, PAGE));
	CU_ASSERT(roc_extents_append(&ex, 0x2000, 2 * PAGE));
	UNIT_EQ(ex.count, 1);
	UNIT_EQ(table[0].length, 3 * PAGE);
	/* A gap, a step back, and the same address again each begin a new extent. */
	CU_ASSERT(roc_extents_append(&ex, 0x5000, PAGE));
	CU_ASSERT(roc_extents_append(&ex, 0x4000, PAGE));
	CU_ASSERT(roc_extents_append(&ex, 0x4000, PAGE));
	UNIT_EQ(ex.count, 4);
	UNIT_EQ(table[3].offset, 5 * PAGE);
	/* The table is full: no new extent, but the last one may still grow. */
	CU_ASSERT(!roc_extents_append(&ex, 0x9000, PAGE));
	UNIT_EQ(ex.count, 4);
	CU_ASSERT(roc_extents_append(&ex, 0x5000, PAGE));
	UNIT_EQ(table[3].length, 2 * PAGE);
}

static void nothing_in_an_empty_table(void)
{
	struct roc_extents ex = empty(PAGES);
	__u64 bus = 77;

	UNIT_EQ(roc_extents_find(&ex, 0, 1, &bus), -ERANGE);
	UNIT_EQ(roc_extents_find(&ex, 0, 0, &bus), -ERANGE);
	UNIT_EQ(bus, 77);
	CU_ASSERT(!roc_extents_whole(&ex, PAGE));
	UNIT_EQ(roc_extents_shortest(&ex), 0);
	CU_ASSERT(!roc_extents_append(&(struct roc_extents){.table = table}, 0, PAGE));
}

static void edges(void)
{
	struct roc_extents ex = empty(PAGES);
	__u64 bus;

	roc_extents_append(&ex, 0x100000, 4 * PAGE);
	roc_extents_append(&ex, 0x900000, 4 * PAGE);
	UNIT_EQ(roc_extents_find(&ex, 0, 4 * PAGE, &bus), 0);
	UNIT_EQ(bus, 0x100000);
	UNIT_EQ(roc_extents_find(&ex, 4 * PAGE, 4 * PAGE, &bus), 0);
	UNIT_EQ(bus, 0x900000);
	UNIT_EQ(roc_extents_find(&ex, 4 * PAGE - 1, 1, &bus), 0);
	UNIT_EQ(bus, 0x100000 + 4 * PAGE - 1);
	UNIT_EQ(roc_extents_find(&ex, 4 * PAGE - 1, 2, &bus), -EXDEV);
	UNIT_EQ(roc_extents_find(&ex, 0, 8 * PAGE, &bus), -EXDEV);
	UNIT_EQ(roc_extents_find(&ex, 8 * PAGE - 1, 1, &bus), 0);
	UNIT_EQ(roc_extents_find(&ex, 8 * PAGE - 1, 2, &bus), -ERANGE);
	UNIT_EQ(roc_extents_find(&ex, 8 * PAGE, 1, &bus), -ERANGE);
	UNIT_EQ(roc_extents_find(&ex, 8 * PAGE, 0, &bus), -ERANGE);
	UNIT_EQ(roc_extents_find(&ex, 0, 0, &bus), -ERANGE);
	UNIT_EQ(roc_extents_find(&ex, 0, 8 * PAGE + 1, &bus), -ERANGE);
	/* Numbers that wrap. */
	UNIT_EQ(roc_extents_find(&ex, UINT64_MAX, 1, &bus), -ERANGE);
	UNIT_EQ(roc_extents_find(&ex, UINT64_MAX, UINT64_MAX, &bus), -ERANGE);
	UNIT_EQ(roc_extents_find(&ex, 1, UINT64_MAX, &bus), -ERANGE);
	UNIT_EQ(roc_extents_find(&ex, PAGE, -PAGE, &bus), -ERANGE);
	UNIT_EQ(roc_extents_find(&ex, UINT64_MAX - PAGE + 1, PAGE, &bus), -ERANGE);
}

/* Random layouts: compare find, whole, shortest and run with the single pages. */
static void as_single_pages(void)
{
	__u64 pages[PAGES];
	unsigned int round, i;

	srand(1);
	for (round = 0; round < 300; round++) {
		struct roc_extents ex = empty(PAGES);
		unsigned int count = 1 + rand() % PAGES, granule = 1 + rand() % 8;
		unsigned int shortest = count, run = 0;
		_Bool whole = 1;

		for (i = 0; i < count; i++) {
			_Bool joined = i && rand() % 4;

			pages[i] = joined ? pages[i - 1] + PAGE : (1 + rand() % 1000) * 0x100000ull;
			if (i && pages[i] != pages[i - 1] + PAGE) {
				shortest = run < shortest ? run : shortest;
				run = 0;
				whole = whole && i % granule == 0;
			}
			run++;
			UNIT_NEED(roc_extents_append(&ex, pages[i], PAGE));
		}
		shortest = run < shortest ? run : shortest;
		UNIT_EQ(roc_extents_whole(&ex, granule * PAGE), whole);
		UNIT_EQ(roc_extents_shortest(&ex), shortest * PAGE);
		for (i = 0; i < 200; i++) {
			__u64 offset = rand() % (count * PAGE + 100), bus = 0, run_bus;
			__u64 length = 1 + rand() % (4 * PAGE), k;
			int expected = offset + length > count * PAGE ? -ERANGE : 0;

			for (k = offset / PAGE; !expected && k < (offset + length - 1) / PAGE; k++)
				if (pages[k + 1] != pages[k] + PAGE)
					expected = -EXDEV;
			UNIT_EQ(roc_extents_find(&ex, offset, length, &bus), expected);
			/* A run ends before the first byte that is not contiguous. */
			length = roc_extents_run(&ex, offset);
			UNIT_EQ(!length, offset >= count * PAGE);
			if (length) {
				UNIT_EQ(roc_extents_find(&ex, offset, length, &run_bus), 0);
				UNIT_EQ(roc_extents_find(&ex, offset, length + 1, &run_bus),
					offset + length == count * PAGE ? -ERANGE : -EXDEV);
			}
			if (!expected)
				UNIT_EQ(bus, pages[offset / PAGE] + offset % PAGE);
		}
	}
}

UNIT_MAIN("kmod_extent", {"neighbours join", neighbours_join},
	  {"nothing in an empty table", nothing_in_an_empty_table}, {"edges", edges},
	  {"as single pages", as_single_pages})
