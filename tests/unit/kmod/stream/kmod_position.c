// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Validation of stream positions in kmod/stream/position.c: invalid positions of card and reader
 * are rejected, wherever the 32 bits wrap.
 */
#include <stdbool.h>

#include "unit.h"

#include "stream/position.h"

#define LINES 1024u

/* Initial positions, some of which make the counts wrap during the test. */
static const __u32 origins[] = {0, 5, 0x7fffffff - 100, 0x80000000 - 1, 0xffffffff - 100, ~0u};
#define ORIGINS (sizeof(origins) / sizeof(origins[0]))

static struct roc_position at(__u32 origin)
{
	return roc_position_at(LINES, origin);
}

/* Update with a card that knows the same read position as the driver. */
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
		/* The reader releases half of the ring, and the card fills it. */
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
		/* Also during a poll. */
		CU_ASSERT_FALSE(take(&p, p.read + 20, p.read, p.read + 19));
		UNIT_EQ(p.written, origins[i] + 10);
	}
}

/* The reader moves during a poll: its position is newer than that of the card. */
static void reader_moves_during_poll(void)
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

static void invalid_read_position(void)
{
	static const __s32 invalid[] = {-1, 11, 1000000, 0x7fffffff, -0x7fffffff};
	size_t i, k;

	for (i = 0; i < ORIGINS; i++) {
		for (k = 0; k < sizeof(invalid) / sizeof(invalid[0]); k++) {
			struct roc_position p = at(origins[i]);
			__u32 written = p.read + 10;

			CU_ASSERT_TRUE(take(&p, written, p.read + invalid[k], written));
			UNIT_EQ(p.read, origins[i]);
			UNIT_EQ(p.written, written);
			UNIT_EQ(p.bad, 1);
			/* A valid position is accepted again. */
			CU_ASSERT_TRUE(take(&p, written, written, written));
			UNIT_EQ(p.read, written);
		}
	}
}

/* An invalid position of the reader is not used to check the card; the card's own one is. */
static void card_knows_read_position(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);
		__u32 written = p.read + LINES + 5;

		CU_ASSERT_TRUE(roc_position_update(&p, written, p.read - 1, p.read + 5, written));
		UNIT_EQ(p.bad, 1);
		UNIT_EQ(p.written - p.read, LINES);
		/* The position that the card knows is the old one, or beyond the data. */
		p = at(origins[i]);
		CU_ASSERT_FALSE(roc_position_update(&p, written, p.read - 1, p.read, written));
		CU_ASSERT_FALSE(roc_position_update(&p, written, p.read - 1, written + 1, written));
		UNIT_EQ(p.written, origins[i]);
		UNIT_EQ(p.bad, 0);
	}
}

/* The reader rings its doorbell but does not update its page: an error of the reader. */
static void doorbell_before_page(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);
		__u32 stays = p.read, known = p.read + 10, written = known + LINES;

		CU_ASSERT_TRUE(take(&p, stays + LINES, stays, stays + LINES));
		CU_ASSERT_TRUE(roc_position_update(&p, written, stays, known, written));
		UNIT_EQ(p.bad, 1);
		UNIT_EQ(p.read, known);
		UNIT_EQ(p.written - p.read, LINES);
		/* Repeated polls count one error. */
		CU_ASSERT_TRUE(roc_position_update(&p, written, stays, known, written));
		UNIT_EQ(p.bad, 1);
		/* The reader updates its page. */
		CU_ASSERT_TRUE(roc_position_update(&p, written, known + 3, known, written));
		UNIT_EQ(p.read, known + 3);
		UNIT_EQ(p.bad, 1);
		/* Data beyond the position that the card knows are an error of the card. */
		p = at(origins[i]);
		CU_ASSERT_FALSE(roc_position_update(&p, written + 1, stays, known, written + 1));
		UNIT_EQ(p.bad, 0);
	}
}

/* Start of the unread data, for a reader that has taken those up to @taken. */
static __u32 unread_from(struct roc_position *p, __u32 taken)
{
	roc_position_update_taken(p, taken);
	return roc_position_unread(p);
}

static void taken_not_released(void)
{
	size_t i;

	for (i = 0; i < ORIGINS; i++) {
		struct roc_position p = at(origins[i]);

		p.written += 100;
		UNIT_EQ(unread_from(&p, p.read + 40), p.read + 40);
		UNIT_EQ(roc_position_lines_from(&p, p.read + 40), 60);
		UNIT_EQ(unread_from(&p, p.written), p.written);
		/* Before the released data, or beyond the data: ignored. */
		UNIT_EQ(unread_from(&p, p.read - 1), p.read);
		UNIT_EQ(unread_from(&p, p.written + 1), p.read);
		/* It applies as soon as the data are known. */
		p.written++;
		UNIT_EQ(roc_position_unread(&p), p.written);
	}
}

#define BIG (1u << 28) /* lines of a ring whose positions wrap after 16 laps */

/* Advance: the card has written up to @written, the reader has released up to @read. */
static void advance(struct roc_position *p, __u32 written, __u32 read, __u32 taken)
{
	CU_ASSERT_TRUE(take(p, written, read, written));
	roc_position_update_taken(p, taken);
}

/* A reader that does not use @taken leaves it at @start, and has released up to @read. */
static struct roc_position one_lap_after(__u32 start, __u32 read)
{
	struct roc_position p = roc_position_at(BIG, start);

	while (read - p.read > BIG)
		advance(&p, p.read + BIG, p.read + BIG, start);
	advance(&p, read, read, start);
	return p;
}

/* All data between @read and @written are unread, even when they cross the start of the run. */
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

				advance(&p, start + behind[m], read, start);
				UNIT_EQ(roc_position_unread(&p), read);
				/* Also behind the start. */
				advance(&p, p.written + 1, p.written, start);
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
 * Compare with positions of 64 bits, which do not wrap, for a reader that sometimes takes data
 * before it releases them. Both positions move, or do not, before each poll.
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
			advance(&p, written, read, taken);
			if (roc_position_unread(&p) != (__u32)(taken > read ? taken : read))
				break;
			held += taken > read;
			laps += taken < read && (__u32)taken - p.read <= p.written - p.read;
		}
		UNIT_EQ(step, 200000);
	}
	/* Both interesting cases have occurred. */
	CU_ASSERT(laps > 1000);
	CU_ASSERT(held > 1000);
}

UNIT_MAIN("kmod_position", {"card ahead of the reader", card_ahead_of_the_reader},
	  {"card beyond the ring", card_beyond_the_ring}, {"card backwards", card_backwards},
	  {"reader moves during a poll", reader_moves_during_poll},
	  {"invalid read position", invalid_read_position},
	  {"read position known to the card", card_knows_read_position},
	  {"doorbell before the page", doorbell_before_page},
	  {"taken but not released", taken_not_released}, {"start is crossed", start_is_crossed},
	  {"taken compared with 64 bits", taken_as_in_64_bits})
