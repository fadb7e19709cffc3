// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counting of entries by phase bits in kmod/fragment/count.c, with a card that writes entries in
 * order, counts that wrap at different places, and readers that report valid or random counts.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "fragment/count.h"
#include "fragment/fragment_regs.h"

#define LOG2 5
#define ENTRIES (1u << LOG2)

static struct {
	__u8 before[64]; /* guards without valid entries: these may not be read */
	struct fragment_descriptor entry[ENTRIES];
	__u8 behind[64];
} ring;

static const __u32 origins[] = {0, 1, ENTRIES - 1, 0x7ffffff0, 0x80000000, 0xfffffff0, ~0u};
#define ORIGINS (sizeof(origins) / sizeof(origins[0]))

static struct roc_count begin(__u32 start)
{
	memset(&ring, 0xff, sizeof(ring));
	memset(ring.entry, 0, sizeof(ring.entry));
	return (struct roc_count){
		.entries = (const volatile __u8 *)ring.entry,
		.log2 = LOG2,
		.start = start,
		.known = start,
		.taken = start,
	};
}

/* Write entry number @count as a card does. */
static void write_entry(const struct roc_count *c, __u32 count)
{
	struct fragment_descriptor *at = &ring.entry[fragment_slot(count, LOG2)];

	at->event = count;
	at->status = fragment_phase(count, c->start, LOG2);
}

static void each_step(void)
{
	__u32 count, step, i;
	size_t o;

	for (o = 0; o < ORIGINS; o++) {
		for (step = 1; step <= ENTRIES; step++) {
			struct roc_count c = begin(origins[o]);

			for (count = c.start; count - c.start < 5 * ENTRIES; count += step) {
				roc_count_update(&c, count);
				UNIT_EQ(c.known, count);
				CU_ASSERT_FALSE(roc_count_fresh(&c, count));
				for (i = 0; i < step; i++)
					write_entry(&c, count + i);
				roc_count_update(&c, count);
				UNIT_EQ(c.known, count + step);
				CU_ASSERT_TRUE(roc_count_fresh(&c, count));
				CU_ASSERT_TRUE(roc_count_reached(&c, count + step));
				CU_ASSERT_FALSE(roc_count_reached(&c, count + step + 1));
			}
		}
	}
}

/* After a long time without an update, the search begins at the count of the reader. */
static void laps_between_updates(void)
{
	__u32 count;
	size_t o;

	for (o = 0; o < ORIGINS; o++) {
		struct roc_count c = begin(origins[o]);

		for (count = c.start; count - c.start < 7 * ENTRIES + 3; count++)
			write_entry(&c, count);
		roc_count_update(&c, count - 5);
		UNIT_EQ(c.known, count);
	}
}

/* A reader that does not report its count: the known count stays valid. */
static void reader_behind(void)
{
	struct roc_count c = begin(0);
	__u32 i;

	for (i = 0; i < 20; i++)
		write_entry(&c, i);
	roc_count_update(&c, 0);
	UNIT_EQ(c.known, 20);
	for (; i < 45; i++)
		write_entry(&c, i);
	roc_count_update(&c, 0);
	UNIT_EQ(c.known, 45);
}

/* Write the last lap before @count. */
static void write_lap(const struct roc_count *c, __u32 count)
{
	__u32 i;

	for (i = count - ENTRIES; i != count; i++)
		write_entry(c, i);
}

/* After any time without a report, a new report is where the search begins. */
static void late_report(void)
{
	static const __u32 silences[] = {0x7fffffff, 0x80000000, 0x80000064, 0xc0000000,
					 0xffffff00};
	size_t o, i;
	__u32 end;

	for (o = 0; o < ORIGINS; o++) {
		for (i = 0; i < sizeof(silences) / sizeof(silences[0]); i++) {
			struct roc_count c = begin(origins[o]);

			write_entry(&c, c.start);
			CU_ASSERT_TRUE(roc_count_update(&c, c.start));
			UNIT_EQ(c.known, c.start + 1);
			end = c.start + silences[i];
			write_lap(&c, end);
			CU_ASSERT_TRUE(roc_count_update(&c, end - 3));
			UNIT_EQ(c.known, end);
			CU_ASSERT_TRUE(roc_count_update(&c, end));
			UNIT_EQ(c.known, end);
			CU_ASSERT_FALSE(roc_count_fresh(&c, end));
		}
	}
}

/* An old report is not new, even when it lies half of all counts ahead. */
static void reader_never_reports(void)
{
	static const __u32 laps[] = {0x7fffff00, 0x80000000, 0x80000040, 0xc0000000};
	size_t o, i;

	for (o = 0; o < ORIGINS; o++) {
		for (i = 0; i < sizeof(laps) / sizeof(laps[0]); i++) {
			struct roc_count c = begin(origins[o]);

			c.known = c.start + laps[i];
			write_lap(&c, c.known);
			CU_ASSERT_TRUE(roc_count_update(&c, c.start));
			UNIT_EQ(c.known, c.start + laps[i]);
		}
	}
}

/* For random input, the count is within a lap of one of the inputs. */
static void random_counts(void)
{
	unsigned int tries, i;
	__u32 taken, before;

	srand(1);
	for (tries = 0; tries < 20000; tries++) {
		struct roc_count c = begin(rand() * 3u);

		c.known = rand() * 5u;
		for (i = 0; i < ENTRIES; i++)
			ring.entry[i].status = rand() & 1 ? FRAGMENT_PHASE : 0;
		taken = rand() * 7u;
		before = c.known;
		roc_count_update(&c, taken);
		CU_ASSERT_TRUE(c.known - before <= ENTRIES || c.known - taken <= ENTRIES);
	}
}

/* A report beyond the entries that are there is ignored. */
static void reader_ahead_of_the_card(void)
{
	__u32 count;
	size_t o;

	for (o = 0; o < ORIGINS; o++) {
		struct roc_count c = begin(origins[o]);

		for (count = c.start; count - c.start < 5; count++)
			write_entry(&c, count);
		CU_ASSERT_FALSE(roc_count_update(&c, count + 7));
		UNIT_EQ(c.known, count);
		CU_ASSERT_TRUE(roc_count_update(&c, count));
		CU_ASSERT_FALSE(roc_count_update(&c, count + 1));
		UNIT_EQ(c.known, count);
	}
}

/* The ring is full: the last entry that the reader took is overwritten. */
static void full_ring(void)
{
	__u32 count;
	size_t o;

	for (o = 0; o < ORIGINS; o++) {
		struct roc_count c = begin(origins[o]);

		for (count = c.start; count - c.start < 3 * ENTRIES + 3; count++)
			write_entry(&c, count);
		CU_ASSERT_TRUE(roc_count_update(&c, count - ENTRIES));
		UNIT_EQ(c.known, count);
	}
}

/* Write entries up to @end, but leave out @hole entries from @at on. */
static void write_with_hole(const struct roc_count *c, __u32 end, __u32 at, __u32 hole)
{
	__u32 i;

	for (i = c->start; i != end; i++)
		if (i - at >= hole)
			write_entry(c, i);
}

static const __u32 hole_sizes[] = {1, 2, 7, ENTRIES / 2};
#define HOLES (sizeof(hole_sizes) / sizeof(hole_sizes[0]))

/* If the search ended behind a hole, the hole is detected when the reader reaches it. */
static void gaps_that_the_reader_reaches(void)
{
	unsigned int found = 0;
	__u32 at, end;
	size_t o, n;

	/* The search ends before the hole or behind it. */
	for (o = 0; o < ORIGINS; o++) {
		for (n = 0; n < HOLES; n++) {
			for (at = 1; at + hole_sizes[n] < ENTRIES; at++) {
				struct roc_count c = begin(origins[o]);
				__u32 hole = c.start + at;

				end = c.start + ENTRIES;
				write_with_hole(&c, end, hole, hole_sizes[n]);
				roc_count_update(&c, c.start);
				UNIT_EQ(roc_count_next(&c, c.start), c.known);
				UNIT_EQ(roc_count_next(&c, hole - 1), c.known);
				UNIT_EQ(roc_count_next(&c, hole), hole);
				found += roc_count_fresh(&c, hole);
				UNIT_EQ(roc_count_lost(&c, c.start, end), end - hole);
				UNIT_EQ(c.known, hole);
				UNIT_EQ(roc_count_lost(&c, hole, end), end - hole);
				UNIT_EQ(c.known, hole);
			}
		}
	}
	CU_ASSERT_TRUE(found > 0);
}

/* Entries that the card only counted are lost, too; an invalid count is ignored. */
static void entries_that_were_only_counted(void)
{
	size_t o, n;

	for (o = 0; o < ORIGINS; o++) {
		for (n = 0; n < HOLES; n++) {
			struct roc_count c = begin(origins[o]);
			__u32 end = c.start + 9;

			write_with_hole(&c, end, end, 0);
			roc_count_update(&c, c.start);
			UNIT_EQ(roc_count_lost(&c, c.start, end), 0);
			UNIT_EQ(roc_count_lost(&c, c.start, c.start), 0);
			UNIT_EQ(roc_count_lost(&c, c.start, end - 1), 0);
			UNIT_EQ(roc_count_lost(&c, c.start, end + 5 * ENTRIES), 0);
			UNIT_EQ(c.known, end);
			UNIT_EQ(roc_count_lost(&c, end, end + hole_sizes[n]), hole_sizes[n]);
			UNIT_EQ(c.known, end);
		}
	}
}

/* No loss is reported for a card without holes, and a reader that does not report its count. */
static void no_gap(void)
{
	static const __u32 ahead[] = {
		1,	    2, ENTRIES - 1, ENTRIES, ENTRIES + 1, 2 * ENTRIES - 1, 2 * ENTRIES + 5,
		3 * ENTRIES};
	__u32 known, end;
	size_t o, i;

	for (o = 0; o < ORIGINS; o++) {
		for (known = 0; known <= ENTRIES; known++) {
			for (i = 0; i < sizeof(ahead) / sizeof(ahead[0]); i++) {
				struct roc_count c = begin(origins[o]);

				end = c.start + known + ahead[i];
				write_with_hole(&c, end, end, 0);
				/*
				 * The last update was at @known; the card has written more since.
				 */
				c.known = c.start + known;
				roc_count_update(&c, end);
				UNIT_EQ(roc_count_next(&c, end), end);
				UNIT_EQ(roc_count_next(&c, end - 1), end);
				UNIT_EQ(roc_count_lost(&c, c.start, end), 0);
				UNIT_EQ(roc_count_lost(&c, end, end), 0);
				UNIT_EQ(c.known, end);
			}
		}
	}
}

UNIT_MAIN("kmod_count", {"each step", each_step}, {"laps between updates", laps_between_updates},
	  {"reader behind", reader_behind}, {"report after a long silence", late_report},
	  {"reader that never reports", reader_never_reports}, {"random counts", random_counts},
	  {"reader ahead of the card", reader_ahead_of_the_card}, {"full ring", full_ring},
	  {"gaps that the reader reaches", gaps_that_the_reader_reaches},
	  {"entries that were only counted", entries_that_were_only_counted}, {"no gap", no_gap})
