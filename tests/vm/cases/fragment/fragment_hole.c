// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test cards that leave entries out of the descriptor ring or the completion ring: the run fails,
 * whether its reader sleeps, polls memory or stops, and the driver counts the entries that are
 * lost.
 */
#include "fragment/fragment_case.h"

#include <poll.h>

#define PAGES 64 /* of each link */
#define ALL (PAGES * ROBINNP_LINKS)
#define COMMANDS 64
#define HELD 48
#define FAIL_MS 3000 /* as the contract requires */

enum way {
	SLEEPS, /* in ROC_FR_WAIT */
	POLLS,	/* in poll() */
	SPINS,	/* on memory alone */
	STOPS,
	WAYS,
};

static const char *const way_names[WAYS] = {"sleeps", "polls", "spins", "stops"};

/* Read until the run ends. Returns how many waits ended without a new entry. */
static unsigned int read_on(struct taker *t, enum way way, bool data)
{
	int64_t end = now_ms() + limit_ms(FAIL_MS);
	struct pollfd p = {.fd = t->fd, .events = POLLIN};
	struct roc_fr_completion c;
	unsigned int vain = 0, seen;
	struct taker_fragment h;

	while (!(t->kernel->flags & ROC_FR_STOPPED) && now_ms() < end) {
		for (seen = 0; data ? taker_next(t, &h) : taker_finished(t, &c);)
			seen++;
		vain += !seen;
		t->user->descriptors = t->data_count;
		t->user->completions = t->done_count;
		if (way == SLEEPS)
			taker_wait(t, data ? ROC_FR_WAIT_DATA : ROC_FR_WAIT_DONE, FAIL_MS);
		else if (way == POLLS)
			poll(&p, 1, FAIL_MS);
	}
	return vain;
}

static void stop_fails(struct taker *t, bool data, uint32_t lost)
{
	struct roc_fr_stop s = {.size = sizeof(s)};

	UNIT_EQ(abi(t->fd, ROC_FR_STOP, &s), -EIO);
	UNIT_EQ(s.descriptors, t->data_count);
	UNIT_EQ(s.completions, t->done_count);
	UNIT_EQ(s.lost, data ? 0 : lost);
}

/* Entries behind the hole are lost, too. */
static void failed_with(struct taker *t, enum way way, bool data, uint32_t hole, uint32_t lost)
{
	struct roc_fr_info info;
	unsigned int vain = 0;

	if (way == STOPS)
		stop_fails(t, data, lost);
	else
		vain = read_on(t, way, data);
	CU_ASSERT(UNIT_WAIT(t->kernel->flags & ROC_FR_FAILED, 100));
	info = taker_info(t);
	if (info.state != ROC_CH_FAILED || info.reason != ROC_REASON_RECORD || info.lost != lost)
		unit_note("%s, a hole of %u %s: state %u why %u lost %u, not %u", way_names[way],
			  hole, data ? "descriptors" : "completions", info.state, info.reason,
			  info.lost, lost);
	UNIT_EQ(info.state, ROC_CH_FAILED);
	UNIT_EQ(info.reason, ROC_REASON_RECORD);
	UNIT_EQ(info.lost, lost);
	/*
	 * A waiter may wake up without an entry a few times, until the watchdog has read the card's
	 * counts.
	 */
	if (way != SPINS && vain > 1000)
		unit_note("%s: woken %u times for nothing", way_names[way], vain);
	CU_ASSERT(way == SPINS || vain < 1000);
	emu(CARD0, "fault all clear");
	taker_close(t);
	CU_ASSERT(emu_idle(CARD0, 0, 30));
	CU_ASSERT(emu_clean(CARD0));
}

static void limits(struct taker *t, uint32_t fragments)
{
	unsigned int l;

	for (l = 0; l < ROBINNP_LINKS; l++)
		taker_set(t, l, FRAGMENT_LINK_LIMIT, fragments);
}

/*
 * Some entries, a hole of @hole entries, and then one entry for each page that the card has left.
 */
static void descriptors_left_out(enum way way, uint32_t hole)
{
	const uint32_t counted = ROBINNP_SUB(0) + FRAGMENT_DESCRIPTORS;
	struct taker t = {.pages = PAGES, .start = 0xffffff80};

	start_of(&t, 64, 64, 0, 1);
	CU_ASSERT(taker_run(&t, 6, 5000));
	limits(&t, 3);
	CU_ASSERT(UNIT_WAIT(emu_peek(CARD0, 0, ROBINNP_BAR_DMA, counted) == t.start + 18, 5000));
	emu(CARD0, "fault 0 record-hole 1 %u", hole);
	limits(&t, 0);
	/* Six pages were released. */
	CU_ASSERT(
		UNIT_WAIT(emu_peek(CARD0, 0, ROBINNP_BAR_DMA, counted) == t.start + ALL + 6, 5000));
	if (way == STOPS) {
		struct taker_fragment h;

		while (taker_next(&t, &h))
			;
	}
	failed_with(&t, way, true, hole, ALL + 6 - 18);
	TAKER_OK(&t);
}

static void completions_left_out(enum way way, uint32_t hole)
{
	const uint32_t counted = ROBINNP_SUB(0) + FRAGMENT_COMPLETIONS;
	struct taker t = {.pages = PAGES, .commands = COMMANDS, .start = 0xffffffc0};
	struct roc_fr_completion c;
	struct taker_fragment h[HELD];
	unsigned int i;

	start_of(&t, 64, 64, 0, HELD / ROBINNP_LINKS);
	for (i = 0; i < HELD; i++)
		CU_ASSERT(UNIT_WAIT(taker_next(&t, &h[i]), 5000));
	for (i = 0; i < 4; i++)
		taker_command(&t, h[i].page, i, i, ROC_FR_TRANSFER);
	taker_ring(&t);
	for (i = 0; i < 4; i++)
		CU_ASSERT(UNIT_WAIT(taker_finished(&t, &c), 5000));
	emu(CARD0, "fault 0 done-hole 1 %u", hole);
	for (i = 0; i < HELD - 4; i++)
		taker_command(&t, h[i + 4].page, i, i, ROC_FR_TRANSFER);
	taker_ring(&t);
	CU_ASSERT(UNIT_WAIT(emu_peek(CARD0, 0, ROBINNP_BAR_DMA, counted) == t.start + HELD, 5000));
	failed_with(&t, way, false, hole, HELD - 4);
	TAKER_OK(&t);
}

/* A hole at the end: nothing comes behind it, and only the card's count shows it. */
static void descriptors(void)
{
	static const uint32_t holes[] = {1, 2, 60, 256, ALL + 6 - 18};
	unsigned int way;
	size_t i;

	for (way = 0; way < WAYS; way++)
		for (i = 0; i < N(holes); i++)
			descriptors_left_out(way, holes[i]);
}

static void completions(void)
{
	static const uint32_t holes[] = {1, 2, 7, COMMANDS / 2, HELD - 4};
	unsigned int way;
	size_t i;

	for (way = 0; way < WAYS; way++)
		for (i = 0; i < N(holes); i++)
			completions_left_out(way, holes[i]);
}

/*
 * A reader that polls over many laps, for long enough that the driver checks the card by itself,
 * and never reports its position: nothing is missing.
 */
static void silent_reader(void)
{
	const uint64_t many = 10 * 4 * ROBINNP_LINKS;
	struct taker t = {.pages = 4};
	struct roc_fr_info info;
	struct taker_fragment h;
	int64_t begin, now;

	start_of(&t, 64, 64, 2000, 0);
	begin = now = now_ms();
	for (; (now - begin < 4000 || t.fragments <= many) && !t.found.count &&
	       took_less(begin, 10000);
	     now = now_ms()) {
		while (taker_next(&t, &h))
			taker_free(&t, h.page);
		taker_ring(&t);
	}
	TAKER_OK(&t);
	CU_ASSERT(t.fragments > many);
	info = taker_info(&t);
	UNIT_EQ(info.state, ROC_CH_RUNNING);
	UNIT_EQ(info.lost, 0);
	stop(&t);
}

UNIT_MAIN("fragment_hole", {"descriptors left out", descriptors},
	  {"completions left out", completions},
	  {"a reader that does not report its position", silent_reader})
