// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Positions of a stream, judged by kmod/stream/position.c: what neither card nor reader can have
 * done is not believed, wherever the 32 bits wrap.
 */
#include "unit.h"

#include "stream/position.h"

#define LINES 1024u

/* Where positions begin: also such that the counts wrap within the test. */
static const __u32 origins[] = {0, 5, 0x7fffffff - 100, 0x80000000 - 1, 0xffffffff - 100, ~0u};
#define ORIGINS (sizeof(origins) / sizeof(origins[0]))

static struct roc_position at(__u32 origin)
{
	return (struct roc_position){.lines = LINES, .written = origin, .read = origin};
}

static void card_ahead_of_the_reader(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);

		CU_ASSERT_TRUE(roc_position_take(&p, p.read + LINES, p.read, p.read + LINES));
		UNIT_EQ(p.written - p.read, LINES);
		CU_ASSERT_TRUE(roc_position_reached(&p, p.read + LINES));
		CU_ASSERT_FALSE(roc_position_reached(&p, p.read + LINES + 1));
		/* The reader gives half back, the card fills it. */
		CU_ASSERT_TRUE(roc_position_take(&p, p.written + LINES / 2, p.read + LINES / 2,
						 p.written + LINES / 2));
		UNIT_EQ(p.read, origins[i] + LINES / 2);
		UNIT_EQ(p.bad, 0);
	}
}

static void card_beyond_the_ring(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);
		__u32 beyond = p.read + LINES + 1;

		CU_ASSERT_FALSE(roc_position_take(&p, beyond, p.read, beyond));
		UNIT_EQ(p.written, origins[i]);
	}
}

static void card_backwards(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);

		CU_ASSERT_TRUE(roc_position_take(&p, p.read + 10, p.read, p.read + 10));
		CU_ASSERT_FALSE(roc_position_take(&p, p.read + 9, p.read, p.read + 9));
		/* While it is being looked at, too. */
		CU_ASSERT_FALSE(roc_position_take(&p, p.read + 20, p.read, p.read + 19));
		UNIT_EQ(p.written, origins[i] + 10);
	}
}

/* It reads on while we look: then its position is newer than the card's that we saw. */
static void reader_at_work_meanwhile(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);

		CU_ASSERT_TRUE(roc_position_take(&p, p.read + 10, p.read + 30, p.read + 40));
		UNIT_EQ(p.read, origins[i] + 30);
		UNIT_EQ(p.written, origins[i] + 30);
		UNIT_EQ(p.bad, 0);
	}
}

static void reader_that_lies(void)
{
	static const __s32 lies[] = {-1, 11, 1000000, 0x7fffffff, -0x7fffffff};
	size_t i, k;

	for (i = 0; i < ORIGINS; i++) {
		for (k = 0; k < sizeof(lies) / sizeof(lies[0]); k++) {
			struct roc_position p = at(origins[i]);
			__u32 there = p.read + 10;

			CU_ASSERT_TRUE(roc_position_take(&p, there, p.read + lies[k], there));
			UNIT_EQ(p.read, origins[i]);
			UNIT_EQ(p.written, there);
			UNIT_EQ(p.bad, 1);
			/* The truth counts again. */
			CU_ASSERT_TRUE(roc_position_take(&p, there, there, there));
			UNIT_EQ(p.read, there);
		}
	}
}

/* A reader's lie is no measure for the card: it may have had room that we did not hear of. */
static void reader_that_lies_to_us_alone(void)
{
	struct roc_position p = at(7);

	CU_ASSERT_TRUE(roc_position_take(&p, p.read + LINES + 5, p.read - 1, p.read + LINES + 5));
	UNIT_EQ(p.bad, 1);
}

static void taken_and_not_given_back(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);

		p.written += 100;
		UNIT_EQ(roc_position_taken(&p, p.read + 40), p.read + 40);
		UNIT_EQ(roc_position_from(&p, p.read + 40), 60);
		UNIT_EQ(roc_position_taken(&p, p.written), p.written);
		/* Behind what was given back, or further than there is: it does not count. */
		UNIT_EQ(roc_position_taken(&p, p.read - 1), p.read);
		UNIT_EQ(roc_position_taken(&p, p.written + 1), p.read);
	}
}

UNIT_MAIN("kmod_position", {"card ahead of the reader", card_ahead_of_the_reader},
	  {"card beyond the ring", card_beyond_the_ring}, {"card backwards", card_backwards},
	  {"reader at work meanwhile", reader_at_work_meanwhile},
	  {"reader that lies", reader_that_lies},
	  {"reader that lies to us alone", reader_that_lies_to_us_alone},
	  {"taken and not given back", taken_and_not_given_back})
