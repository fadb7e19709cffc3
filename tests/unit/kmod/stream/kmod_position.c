// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Positions of a stream, judged by kmod/stream/position.c: what neither card nor reader can have
 * done is not believed, wherever the 32 bits wrap.
 */
#include <stdbool.h>

#include "unit.h"

#include "stream/position.h"

#define LINES 1024u

/* Where positions begin: also such that the counts wrap within the test. */
static const __u32 origins[] = {0, 5, 0x7fffffff - 100, 0x80000000 - 1, 0xffffffff - 100, ~0u};
#define ORIGINS (sizeof(origins) / sizeof(origins[0]))

static struct roc_position at(__u32 origin)
{
	return roc_position_at(LINES, origin);
}

/* Of a card that knows no other read position than we do. */
static bool take(struct roc_position *p, __u32 written, __u32 read, __u32 later)
{
	return roc_position_update(p, written, read, p->read, later);
}

static void card_ahead_of_the_reader(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);

		CU_ASSERT_TRUE(take(&p, p.read + LINES, p.read, p.read + LINES));
		UNIT_EQ(p.written - p.read, LINES);
		CU_ASSERT_TRUE(roc_position_reached(&p, p.read + LINES));
		CU_ASSERT_FALSE(roc_position_reached(&p, p.read + LINES + 1));
		/* The reader gives half back, the card fills it. */
		CU_ASSERT_TRUE(
			take(&p, p.written + LINES / 2, p.read + LINES / 2, p.written + LINES / 2));
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

		CU_ASSERT_FALSE(take(&p, beyond, p.read, beyond));
		UNIT_EQ(p.written, origins[i]);
	}
}

static void card_backwards(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);

		CU_ASSERT_TRUE(take(&p, p.read + 10, p.read, p.read + 10));
		CU_ASSERT_FALSE(take(&p, p.read + 9, p.read, p.read + 9));
		/* While it is being looked at, too. */
		CU_ASSERT_FALSE(take(&p, p.read + 20, p.read, p.read + 19));
		UNIT_EQ(p.written, origins[i] + 10);
	}
}

/* It reads on while we look: then its position is newer than the card's that we saw. */
static void reader_at_work_meanwhile(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);

		CU_ASSERT_TRUE(take(&p, p.read + 10, p.read + 30, p.read + 40));
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

			CU_ASSERT_TRUE(take(&p, there, p.read + lies[k], there));
			UNIT_EQ(p.read, origins[i]);
			UNIT_EQ(p.written, there);
			UNIT_EQ(p.bad, 1);
			/* The truth counts again. */
			CU_ASSERT_TRUE(take(&p, there, there, there));
			UNIT_EQ(p.read, there);
		}
	}
}

/* A reader's lie is no measure for the card: it may have had room that we did not hear of. */
static void reader_that_lies_to_us_alone(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);
		__u32 there = p.read + LINES + 5;

		CU_ASSERT_TRUE(roc_position_update(&p, there, p.read - 1, p.read + 5, there));
		UNIT_EQ(p.bad, 1);
		UNIT_EQ(p.written - p.read, LINES);
		/* The card says that it has not heard of it either, or of more than there is. */
		p = at(origins[i]);
		CU_ASSERT_FALSE(roc_position_update(&p, there, p.read - 1, p.read, there));
		CU_ASSERT_FALSE(roc_position_update(&p, there, p.read - 1, there + 1, there));
		UNIT_EQ(p.written, origins[i]);
		UNIT_EQ(p.bad, 0);
	}
}

/* It rings its doorbell, and its page stays behind: its own error, and no more than a ring. */
static void reader_that_tells_the_card_alone(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);
		__u32 stays = p.read, told = p.read + 10, there = told + LINES;

		CU_ASSERT_TRUE(take(&p, stays + LINES, stays, stays + LINES));
		CU_ASSERT_TRUE(roc_position_update(&p, there, stays, told, there));
		UNIT_EQ(p.bad, 1);
		UNIT_EQ(p.read, told);
		UNIT_EQ(p.written - p.read, LINES);
		/* However often somebody looks it is one error. */
		CU_ASSERT_TRUE(roc_position_update(&p, there, stays, told, there));
		UNIT_EQ(p.bad, 1);
		/* The page catches up. */
		CU_ASSERT_TRUE(roc_position_update(&p, there, told + 3, told, there));
		UNIT_EQ(p.read, told + 3);
		UNIT_EQ(p.bad, 1);
		/* What the card writes beyond what it was told is the card's error. */
		p = at(origins[i]);
		CU_ASSERT_FALSE(roc_position_update(&p, there + 1, stays, told, there + 1));
		UNIT_EQ(p.bad, 0);
	}
}

/* Where the new data begin, of a reader that says that it has taken those up to @taken. */
static __u32 new_from(struct roc_position *p, __u32 taken)
{
	roc_position_update_taken(p, taken);
	return roc_position_unread(p);
}

static void taken_and_not_given_back(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);

		p.written += 100;
		UNIT_EQ(new_from(&p, p.read + 40), p.read + 40);
		UNIT_EQ(roc_position_lines_from(&p, p.read + 40), 60);
		UNIT_EQ(new_from(&p, p.written), p.written);
		/* Behind what was given back, or further than there is: it does not count. */
		UNIT_EQ(new_from(&p, p.read - 1), p.read);
		UNIT_EQ(new_from(&p, p.written + 1), p.read);
		/* Further than we knew of: it counts as soon as we know. */
		p.written++;
		UNIT_EQ(roc_position_unread(&p), p.written);
	}
}

#define BIG (1u << 28) /* lines of a ring that comes round in 16 laps */

/* As card, reader and driver go on: @written lines are there, of which @read are given back. */
static void go_on(struct roc_position *p, __u32 written, __u32 read, __u32 taken)
{
	CU_ASSERT_TRUE(take(p, written, read, written));
	roc_position_update_taken(p, taken);
}

/* A reader that gives back what it takes leaves @taken at @start; here it has come to @read. */
static struct roc_position one_lap_after(__u32 start, __u32 read)
{
	struct roc_position p = roc_position_at(BIG, start);

	while (read - p.read > BIG)
		go_on(&p, p.read + BIG, p.read + BIG, start);
	go_on(&p, read, read, start);
	return p;
}

/* All that is between @read and @written is new, wherever the run began. */
static void start_is_crossed(void)
{
	static const __s32 before[] = {1, 2, 100, LINES};
	static const __s32 behind[] = {-1, 0, 1, 100};
	size_t i, k, m;

	for (i = 0; i < ORIGINS; i++) {
		for (k = 0; k < sizeof(before) / sizeof(before[0]); k++) {
			for (m = 0; m < sizeof(behind) / sizeof(behind[0]); m++) {
				__u32 start = origins[i], read = start - before[k];
				struct roc_position p = one_lap_after(start, read);

				go_on(&p, start + behind[m], read, start);
				UNIT_EQ(roc_position_unread(&p), read);
				/* From the start on, too. */
				go_on(&p, p.written + 1, p.written, start);
				UNIT_EQ(roc_position_lines_from(&p, roc_position_unread(&p)), 1);
			}
		}
	}
}

static __u64 dice(__u64 *state, __u64 most)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (*state >> 33) % (most + 1);
}

/*
 * Readers that lend for a while and then do not, against the same in 64 bits, which do not wrap.
 * What was taken and what was given back moves before each look, or does not.
 */
static void taken_as_in_64_bits(void)
{
	__u64 state = 38, written, read, taken, laps = 0, held = 0;
	unsigned int step;
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = roc_position_at(BIG, origins[i]);
		bool lends = false;

		written = read = taken = origins[i];
		for (step = 0; step < 200000; step++) {
			if (!dice(&state, 99))
				lends = !lends;
			written += dice(&state, BIG - (written - read));
			if (lends && taken < read)
				taken = read;
			if (lends)
				taken += dice(&state, written - taken);
			read += dice(&state, (lends ? taken : written) - read);
			go_on(&p, written, read, taken);
			if (roc_position_unread(&p) != (__u32)(taken > read ? taken : read))
				break;
			held += taken > read;
			laps += taken < read && (__u32)taken - p.read <= p.written - p.read;
		}
		UNIT_EQ(step, 200000);
	}
	/* It was about something. */
	CU_ASSERT(laps > 1000);
	CU_ASSERT(held > 1000);
}

UNIT_MAIN("kmod_position", {"card ahead of the reader", card_ahead_of_the_reader},
	  {"card beyond the ring", card_beyond_the_ring}, {"card backwards", card_backwards},
	  {"reader at work meanwhile", reader_at_work_meanwhile},
	  {"reader that lies", reader_that_lies},
	  {"reader that lies to us alone", reader_that_lies_to_us_alone},
	  {"reader that tells the card alone", reader_that_tells_the_card_alone},
	  {"taken and not given back", taken_and_not_given_back},
	  {"start is crossed", start_is_crossed}, {"taken as in 64 bits", taken_as_in_64_bits})
