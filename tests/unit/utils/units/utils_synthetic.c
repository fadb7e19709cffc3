// SPDX-License-Identifier: GPL-2.0-or-later
/* The synthetic source: superpages that it drops at a rate, however high the rate is. */
#include "unit.h"

#include <errno.h>

#include "utils/units/sources.h"

#define MS UINT64_C(1000000)

static struct source *begin(uint64_t rate)
{
	/* Space for one superpage. */
	const struct synthetic_options o = {
		.unit = SYNTHETIC_PACKET, .total = SYNTHETIC_PACKET, .rate = rate};
	char reason[UNITS_REASON] = "";
	struct source *s = source_synthetic(&o, reason);

	UNIT_STR(reason, "");
	UNIT_NEED(s);
	UNIT_EQ(s->ops->start(s), 0);
	return s;
}

static uint64_t dropped(struct source *s)
{
	struct unit_counters b;

	s->ops->counters(s, &b);
	return b.dropped;
}

static void rate_too_high(void)
{
	struct source *s = begin(UINT64_C(1000000000000000000));
	struct unit u, next;

	UNIT_EQ(s->ops->take(s, &u), 1);
	UNIT_EQ(u.sequence, 0);
	/* It returns, instead of following the clock forever. */
	alarm(20);
	UNIT_EQ(s->ops->take(s, &next), -EAGAIN);
	alarm(0);
	CU_ASSERT_TRUE(dropped(s) > 0);
	UNIT_EQ(s->ops->give_back(s, u.handle), 0);
	if (UNIT_WAIT(s->ops->take(s, &u) == 1, 20000)) {
		UNIT_EQ(u.sequence, dropped(s) + 1);
		UNIT_EQ(s->ops->give_back(s, u.handle), 0);
	}
	source_close(s);
}

static void waits(struct source *s, uint64_t until)
{
	struct units_sleep sleep = {.ns = UINT64_MAX};

	s->ops->sleep(s, &sleep);
	/* A drop does not wake the pump. */
	CU_ASSERT_TRUE(sleep.ns == UINT64_MAX);
	UNIT_NEED(UNIT_WAIT(units_now() >= until, 20000));
}

/* One superpage per millisecond: those that are due are dropped. */
static void due_are_dropped(void)
{
	uint64_t before = units_now(), begun, from, to;
	struct source *s = begin(SYNTHETIC_PACKET * 1000);
	struct unit u, next;

	begun = units_now();
	UNIT_EQ(s->ops->take(s, &u), 1);
	waits(s, begun + 50 * MS);
	from = units_now();
	UNIT_EQ(s->ops->take(s, &next), -EAGAIN);
	to = units_now();
	/* The first one was not dropped. */
	CU_ASSERT_TRUE(dropped(s) >= (from - begun) / MS - 1);
	CU_ASSERT_TRUE(dropped(s) <= (to - before) / MS + 1);
	waits(s, to + 50 * MS);
	from = units_now();
	UNIT_EQ(s->ops->stop(s), 0);
	/* Up to the stop. */
	CU_ASSERT_TRUE(dropped(s) >= (from - begun) / MS - 1);
	UNIT_EQ(s->ops->take(s, &next), -ENODATA);
	UNIT_EQ(s->ops->give_back(s, u.handle), 0);
	source_close(s);
}

UNIT_MAIN("synthetic superpages", {"a rate that is too high", rate_too_high},
	  {"due superpages are dropped", due_are_dropped})
