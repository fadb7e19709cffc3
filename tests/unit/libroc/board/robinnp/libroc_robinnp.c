// SPDX-License-Identifier: GPL-2.0-or-later
/* Test access to a RobinNP's registers with the model of an emulated card. */
#include <math.h>

#define HOST_CARD robinnp_card
#include "tests/unit/emu/emu_host_card.h"
#include "kmod/cards/robinnp/robinnp_regs.h"
#include "kmod/fragment/fragment_regs.h"

#include <roc/config.h>
#include <roc/robinnp.h>

#define CARD_TYPE ROC_CARD_ROBINNP
#define CARD_SERIAL_NUMBER 245
#define CARD_HASH_AT ROBINNP_BAR_CARD, ROBINNP_CARD + CARD_HASH
#include "tests/unit/libroc/board/libroc_card.h"

static uint32_t setting(unsigned int link, uint32_t offset)
{
	return HOST_CARD.peek(host.card, 0, ROBINNP_BAR_CARD, ROBINNP_LINK(link) + offset);
}

static void status(void)
{
	struct roc_robinnp_status s = {.subs = 0};

	card_begin();
	UNIT_EQ(roc_robinnp_status_read(card.ep, &s), 0);
	UNIT_EQ(s.subs, ROC_ROBINNP_SUBS);
	UNIT_EQ(s.links, ROC_ROBINNP_LINKS);
	UNIT_EQ(s.source, FRAGMENT_CARD_SOURCE_DEFAULT);
	UNIT_EQ(s.clock, ROBINNP_CLOCK);
	CU_ASSERT_TRUE(s.temperature > 20 && s.temperature < 80);
	CU_ASSERT_TRUE(s.serial > 0 && s.serial < 10000);
	UNIT_EQ(strlen(s.date), 19);
	CU_ASSERT_TRUE(s.date[4] == '-' && s.date[10] == ' ' && s.date[13] == ':');
	CU_ASSERT_PTR_NOT_NULL(strchr(s.firmware, '.'));
	UNIT_EQ(card.writes, 0);
	/* The prefix of a commit id, which may begin with 0. */
	key(0, "firmware", "bad5eed");
	UNIT_EQ(roc_robinnp_status_read(card.ep, &s), 0);
	UNIT_STR(s.hash, "0bad5eed");
	card.card_type = ROC_CARD_CRU;
	FAILS(roc_robinnp_status_read(card.ep, &s), -EOPNOTSUPP, "only a RobinNP");
	card_end();
}

/* Counters of a card that was not started, whose sources do not send. */
static void counts(void)
{
	struct roc_robinnp_link link;
	struct roc_robinnp_sub sub;
	unsigned int i;

	card_begin();
	for (i = 0; i < ROC_ROBINNP_SUBS; i++) {
		memset(&sub, 0xff, sizeof(sub));
		UNIT_EQ(roc_robinnp_sub_read(card.ep, i, &sub), 0);
		UNIT_EQ(sub.commands, 0);
		UNIT_EQ(sub.transfers, 0);
		UNIT_EQ(sub.error_interrupts, 0);
	}
	FAILS(roc_robinnp_sub_read(card.ep, 2, &sub), -ENOENT, "a RobinNP has 2");
	for (i = 0; i < 12; i++) {
		memset(&link, 0xff, sizeof(link));
		UNIT_EQ(roc_robinnp_link_read(card.ep, i, &link), 0);
		UNIT_EQ(link.offered, 0);
		UNIT_EQ(link.hold_cycles, 0);
		UNIT_EQ(link.pages, 0);
		CU_ASSERT_TRUE(link.masked);
		CU_ASSERT_FALSE(link.held);
	}
	FAILS(roc_robinnp_link_read(card.ep, 12, &link), -ENOENT, "a RobinNP has 12");
	UNIT_EQ(card.writes, 0);
	card_end();
}

static void generators(void)
{
	struct roc_robinnp_generator g, now;
	unsigned int writes;

	card_begin();
	UNIT_EQ(roc_robinnp_generator_read(card.ep, 0, &g), 0);
	CU_ASSERT_FALSE(g.running);
	g = (struct roc_robinnp_generator){.limit = (UINT64_C(1) << 33) + 5,
					   .first = 0xfffffff0,
					   .size_min = 400,
					   .size_max = 1600,
					   .rate = 50000,
					   .running = true,
					   .distributed = true};
	UNIT_EQ(roc_robinnp_generator_set(card.ep, 7, &g), 0);
	UNIT_EQ(card.locks, 1);
	CU_ASSERT_FALSE(card.locked);
	UNIT_EQ(setting(7, FRAGMENT_LINK_FIRST), 0xfffffff0);
	UNIT_EQ(setting(7, FRAGMENT_LINK_LIMIT), 5);
	UNIT_EQ(setting(7, FRAGMENT_LINK_LIMIT + 4), 2);
	UNIT_EQ(setting(7, FRAGMENT_LINK_GENERATOR), 3);
	UNIT_EQ(setting(6, FRAGMENT_LINK_GENERATOR), 0);
	UNIT_EQ(roc_robinnp_generator_read(card.ep, 7, &now), 0);
	UNIT_EQ(now.size_max, 1600);
	UNIT_EQ(now.rate, 50000);
	UNIT_EQ(now.limit, g.limit);
	CU_ASSERT_TRUE(now.running && now.distributed);
	/* Only differences are written; a running generator is not restarted. */
	writes = card.writes;
	UNIT_EQ(roc_robinnp_generator_set(card.ep, 7, &g), 0);
	UNIT_EQ(card.writes, writes);
	g.rate = 7;
	UNIT_EQ(roc_robinnp_generator_set(card.ep, 7, &g), 0);
	UNIT_EQ(card.writes, writes + 1);
	/* Another first event restarts the generator. */
	writes = card.writes;
	g.first = 9;
	UNIT_EQ(roc_robinnp_generator_set(card.ep, 7, &g), 0);
	UNIT_EQ(card.writes, writes + 3); /* off, the id, on */
	UNIT_EQ(setting(7, FRAGMENT_LINK_GENERATOR), 3);
	card_end();
}

/* The low word wraps between any two of the reads. */
static void a_count_that_runs(void)
{
	struct roc_robinnp_generator g;
	uint64_t from;

	card_begin();
	card.count_bar = ROBINNP_BAR_CARD;
	card.count_at = ROBINNP_LINK(7) + FRAGMENT_LINK_GENERATED;
	for (from = UINT32_MAX - 8ull; from <= UINT32_MAX + 2ull; from++) {
		card.count = from;
		UNIT_EQ(roc_robinnp_generator_read(card.ep, 7, &g), 0);
		CU_ASSERT_TRUE(g.generated >= from && g.generated < card.count);
	}
	card_end();
}

static void refused(struct roc_robinnp_generator g, unsigned int link, int err, const char *text)
{
	unsigned int writes = card.writes;

	FAILS(roc_robinnp_generator_set(card.ep, link, &g), err, text);
	UNIT_EQ(card.writes, writes);
	CU_ASSERT_FALSE(card.locked);
}

static void bad_values(void)
{
	const struct roc_robinnp_generator good = {.size_min = 1000, .size_max = 1000};
	struct roc_robinnp_generator g = good;

	card_begin();
	refused(good, 12, -ENOENT, "link 12 does not exist");
	FAILS(roc_robinnp_generator_read(card.ep, 12, &g), -ENOENT, "link 12 does not exist");
	g = good;
	g.size_min = 12;
	refused(g, 0, -ERANGE, "use 16 to 131072");
	g.size_min = 1002;
	refused(g, 0, -ERANGE, "in multiples of 4");
	g = good;
	g.size_max = 131076;
	refused(g, 0, -ERANGE, "1000 to 131076 bytes");
	g = good;
	g.distributed = true;
	g.size_min = 1004;
	refused(g, 0, -ERANGE, "the second must not be lower");
	g = good;
	g.rate = 1000001;
	refused(g, 0, -ERANGE, "maximum is 1000000");
	/* A card that does not store a value. */
	card.stuck_bar = ROBINNP_BAR_CARD;
	card.stuck = ROBINNP_LINK(0) + FRAGMENT_LINK_SIZE_MAX;
	g = good;
	g.size_max = 2000;
	FAILS(roc_robinnp_generator_set(card.ep, 0, &g), -EIO, "after 0x7d0 was written");
	card.lock_errno = EBUSY;
	card.lock_owner = 4711;
	UNIT_EQ(roc_robinnp_generator_set(card.ep, 0, &g), -EBUSY);
	/* A card without generators: data come only from the detector. */
	CU_ASSERT(HOST_CARD.poke(host.card, 0, ROBINNP_BAR_CARD, ROBINNP_CARD + CARD_FEATURES, 0));
	FAILS(roc_robinnp_generator_set(card.ep, 0, &(struct roc_robinnp_generator){0}),
	      -EOPNOTSUPP, "has no generators");
	card_end();
}

UNIT_MAIN("libroc_robinnp", {"status", status}, {"counts of sub-units and links", counts},
	  {"generators are set and read back", generators},
	  {"a count that runs", a_count_that_runs}, {"invalid values", bad_values})
