// SPDX-License-Identifier: GPL-2.0-or-later
/* Test access to a PCIe40's registers with the model of an emulated card. */
#include <math.h>

#define HOST_CARD p40_card
#include "tests/unit/emu/emu_host_card.h"
#include "kmod/cards/p40/p40_regs.h"
#include "kmod/stream/stream_regs.h"

#include <roc/config.h>
#include <roc/p40.h>

#define CARD_TYPE ROC_CARD_P40
#define CARD_SERIAL_NUMBER 245
#define CARD_HASH_AT P40_BAR_CARD, P40_CARD + CARD_HASH
#include "tests/unit/libroc/board/libroc_card.h"

static uint32_t setting(unsigned int stream, uint32_t offset)
{
	return HOST_CARD.peek(host.card, 0, P40_BAR_CARD, P40_SETTINGS(stream) + offset);
}

static void status(void)
{
	struct roc_p40_status s = {.streams = 0};

	card_begin();
	UNIT_EQ(roc_p40_status_read(card.ep, &s), 0);
	UNIT_EQ(s.streams, ROC_P40_STREAMS);
	UNIT_EQ(s.enabled, 0x7f);
	UNIT_EQ(s.source, 0x400);
	UNIT_EQ(s.clock, P40_CLOCK);
	CU_ASSERT_TRUE(s.temperature > 20 && s.temperature < 80);
	CU_ASSERT_TRUE(s.serial > 0 && s.serial < 10000);
	UNIT_EQ(strlen(s.date), 19);
	CU_ASSERT_TRUE(s.date[4] == '-' && s.date[10] == ' ' && s.date[13] == ':');
	CU_ASSERT_PTR_NOT_NULL(strchr(s.firmware, '.'));
	UNIT_EQ(card.writes, 0);
	/* The prefix of a commit id, which may begin with 0. */
	key(0, "firmware", "bad5eed");
	UNIT_EQ(roc_p40_status_read(card.ep, &s), 0);
	UNIT_STR(s.hash, "0bad5eed");
	card.card_type = ROC_CARD_CRU;
	FAILS(roc_p40_status_read(card.ep, &s), -EOPNOTSUPP, "only a PCIe40");
	card_end();
}

static void generators(void)
{
	struct roc_p40_generator g, now;
	unsigned int writes;

	card_begin();
	UNIT_EQ(roc_p40_generator_read(card.ep, 0, &g), 0);
	CU_ASSERT_FALSE(g.running);
	UNIT_EQ(g.align, 8);
	g = (struct roc_p40_generator){.first = UINT64_C(1) << 40,
				       .limit = (UINT64_C(1) << 33) + 5,
				       .size_min = 100,
				       .size_max = 4000,
				       .rate = 50000,
				       .align = 64,
				       .running = true,
				       .distributed = true,
				       .clocked = true};
	UNIT_EQ(roc_p40_generator_set(card.ep, 0, &g), 0);
	UNIT_EQ(card.locks, 1);
	CU_ASSERT_FALSE(card.locked);
	UNIT_EQ(setting(0, STREAM_SET_FIRST + 4), 256);
	UNIT_EQ(setting(0, STREAM_SET_LIMIT), 5);
	UNIT_EQ(setting(0, STREAM_SET_LIMIT + 4), 2);
	UNIT_EQ(setting(0, STREAM_SET_ALIGN), 6);
	UNIT_EQ(setting(0, STREAM_SET_GENERATOR), 7);
	UNIT_EQ(roc_p40_generator_read(card.ep, 0, &now), 0);
	UNIT_EQ(now.size_max, 4000);
	UNIT_EQ(now.rate, 50000);
	UNIT_EQ(now.limit, g.limit);
	CU_ASSERT_TRUE(now.running && now.distributed && now.clocked);
	/* Only differences are written; a running generator is not restarted. */
	writes = card.writes;
	UNIT_EQ(roc_p40_generator_set(card.ep, 0, &g), 0);
	UNIT_EQ(card.writes, writes);
	g.rate = 7;
	UNIT_EQ(roc_p40_generator_set(card.ep, 0, &g), 0);
	UNIT_EQ(card.writes, writes + 1);
	/* A caller that has locked the card keeps the lock, and its previous error text. */
	UNIT_EQ(roc_card_lock(card.ep, 0), 0);
	roc_fail(EIO, "of before");
	UNIT_EQ(roc_p40_generator_set(card.ep, 0, &g), 0);
	UNIT_STR(roc_error(), "of before");
	CU_ASSERT_TRUE(card.locked);
	UNIT_EQ(roc_card_unlock(card.ep), 0);
	/* Another first event restarts the generator. */
	writes = card.writes;
	g.first = 9;
	UNIT_EQ(roc_p40_generator_set(card.ep, 0, &g), 0);
	UNIT_EQ(card.writes, writes + 4); /* off, low and high word, on */
	UNIT_EQ(setting(0, STREAM_SET_GENERATOR), 7);
	/* ODIN records have a fixed size. */
	g = (struct roc_p40_generator){.running = true, .rate = 1000};
	UNIT_EQ(roc_p40_generator_set(card.ep, P40_STREAM_ODIN + 4, &g), 0);
	UNIT_EQ(setting(6, STREAM_SET_RATE), 1000);
	card_end();
}

/* The low word wraps between any two of the reads. */
static void a_count_that_runs(void)
{
	struct roc_p40_generator g;
	uint64_t from;

	card_begin();
	card.count_bar = P40_BAR_CARD;
	card.count_at = P40_SETTINGS(0) + STREAM_SET_GENERATED;
	for (from = UINT32_MAX - 8ull; from <= UINT32_MAX + 2ull; from++) {
		card.count = from;
		UNIT_EQ(roc_p40_generator_read(card.ep, 0, &g), 0);
		CU_ASSERT_TRUE(g.generated >= from && g.generated < card.count);
	}
	card_end();
}

/* If the high word changes at every read, the read ends with an error. */
static void a_count_that_jumps(void)
{
	struct roc_p40_generator g;

	card_begin();
	card.count_bar = P40_BAR_CARD;
	card.count_at = P40_SETTINGS(0) + STREAM_SET_GENERATED;
	card.count_jumps = 1000;
	FAILS(roc_p40_generator_read(card.ep, 0, &g), -EBADMSG, "changes at each read");
	CU_ASSERT_TRUE(card.count_jumps > 900);
	card_end();
}

static void refused(struct roc_p40_generator g, unsigned int stream, int err, const char *text)
{
	unsigned int writes = card.writes;

	FAILS(roc_p40_generator_set(card.ep, stream, &g), err, text);
	UNIT_EQ(card.writes, writes);
	CU_ASSERT_FALSE(card.locked);
}

static void bad_values(void)
{
	const struct roc_p40_generator good = {.size_min = 8, .size_max = 8, .align = 8};
	struct roc_p40_generator g = good;

	card_begin();
	refused(good, 1, -ENOENT, "stream 1 has no generator");
	refused(good, 7, -ENOENT, "stream 7 has no generator");
	FAILS(roc_p40_generator_read(card.ep, 1, &g), -ENOENT, "no generator");
	refused(good, 2, -ERANGE, "set sizes and alignment to 0");
	g.align = 24;
	refused(g, 0, -ERANGE, "fragments is 24");
	g.align = 128;
	refused(g, 0, -ERANGE, "fragments is 128");
	g = good;
	g.size_min = (1 << 20) + 1;
	refused(g, 0, -ERANGE, "maximum is 1048576");
	g = good;
	g.distributed = true;
	g.size_min = 9;
	refused(g, 0, -ERANGE, "the second must not be lower");
	g = good;
	g.rate = 100000001;
	refused(g, 0, -ERANGE, "maximum is 100000000");
	g.rate = 0;
	g.clocked = true;
	refused(g, 0, -ERANGE, "needs a rate");
	/* A card that does not store a value. */
	card.stuck_bar = P40_BAR_CARD;
	card.stuck = P40_SETTINGS(0) + STREAM_SET_SIZE_MAX;
	g = good;
	g.size_max = 77;
	FAILS(roc_p40_generator_set(card.ep, 0, &g), -EIO, "after 0x4d was written");
	card.lock_errno = EBUSY;
	card.lock_owner = 4711;
	UNIT_EQ(roc_p40_generator_set(card.ep, 0, &g), -EBUSY);
	/* A card without generators: data come only from the detector. */
	CU_ASSERT(HOST_CARD.poke(host.card, 0, P40_BAR_CARD, P40_CARD + CARD_FEATURES, 0));
	FAILS(roc_p40_generator_set(card.ep, 0, &(struct roc_p40_generator){0}), -EOPNOTSUPP,
	      "has no generators");
	card_end();
}

UNIT_MAIN("libroc_p40", {"status", status}, {"generators are set and read back", generators},
	  {"a count that runs", a_count_that_runs}, {"a count that jumps", a_count_that_jumps},
	  {"invalid values", bad_values})
