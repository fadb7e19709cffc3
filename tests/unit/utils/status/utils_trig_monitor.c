// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test trigger rates over times in which the counters wrap, with a simulated clock and card.
 */
#include "unit.h"

#include <errno.h>

#include "utils/common/tool.h"
#include "utils/status/status.h"

#define SECOND UINT64_C(1000000000)

static struct {
	uint64_t time;			      /* ns */
	unsigned int reads, fail_at, stop_at; /* 0: never */
} card;

int __wrap_roc_cru_triggers_read(struct roc_endpoint *ep, struct roc_cru_triggers *t);
bool __wrap_stop_sleep(double seconds);

/* All rates at their maximum: one per bunch crossing or one per orbit. */
int __wrap_roc_cru_triggers_read(struct roc_endpoint *ep, struct roc_cru_triggers *t)
{
	if (++card.reads == card.fail_at)
		return -EIO;
	*t = (struct roc_cru_triggers){
		.hb = (uint32_t)(card.time * 11245 / SECOND),
		.phy = (uint32_t)(card.time / 25),
		.cal = (uint16_t)(card.time * 100 / SECOND),
		.tof = (uint16_t)(card.time * 11245 / SECOND),
		.time = card.time,
	};
	return 0;
}

bool __wrap_stop_sleep(double seconds)
{
	card.time += (uint64_t)(seconds * 1e9);
	return card.reads + 1 == card.stop_at;
}

static void rates(void)
{
	static const uint32_t intervals[] = {1, 2, 3, 7, 60, 3600};
	struct roc_cru_triggers before;
	struct triggers_report r = {.time = 7};
	size_t i;

	card.time = 1000 * SECOND;
	UNIT_EQ(__wrap_roc_cru_triggers_read(NULL, &before), 0);
	for (i = 0; i < sizeof(intervals) / sizeof(intervals[0]); i++) {
		uint64_t begin = card.time;

		UNIT_EQ(triggers_measure(NULL, intervals[i], &before, &r), 0);
		UNIT_EQ(card.time, begin + intervals[i] * SECOND);
		UNIT_EQ(r.counts.time, card.time);
		UNIT_EQ(before.time, card.time);
		CU_ASSERT_DOUBLE_EQUAL(r.rates.hb, 11.245, 1e-3);
		CU_ASSERT_DOUBLE_EQUAL(r.rates.phy, 40000, 1e-3);
		CU_ASSERT_DOUBLE_EQUAL(r.rates.cal, 0.1, 1e-3);
		CU_ASSERT_DOUBLE_EQUAL(r.rates.tof, 11.245, 1e-3);
	}
}

static void ends(void)
{
	struct roc_cru_triggers before;
	struct triggers_report r;

	UNIT_EQ(__wrap_roc_cru_triggers_read(NULL, &before), 0);
	card.fail_at = card.reads + 2;
	UNIT_EQ(triggers_measure(NULL, 60, &before, &r), -EIO);
	UNIT_EQ(card.reads, card.fail_at);
	card.stop_at = card.reads + 2;
	UNIT_EQ(triggers_measure(NULL, 60, &before, &r), -EINTR);
	UNIT_EQ(card.reads + 1, card.stop_at);
}

UNIT_MAIN("utils_trig_monitor", {"rates over short and long times", rates},
	  {"failing card and signal", ends})
