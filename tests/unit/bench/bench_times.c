// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The classes in which the ledger's reader counts times.
 */
#include "tests/bench/state.h"
#include "unit.h"

static struct bench_times times;

/* The class that took the only time given. */
static unsigned int class_of(int64_t ns)
{
	unsigned int i;

	memset(&times, 0, sizeof(times));
	bench_time_add(&times, ns);
	for (i = 0; i < BENCH_CLASSES && !times.classes[i]; i++)
		;
	return i;
}

/* Lower limit of a class in us, as a reader of the classes calculates it. */
static double limit(unsigned int class)
{
	return (double)(1ull << class / 8) * (1 + class % 8 / 8.0);
}

static void each_is_in_its_class(void)
{
	uint64_t us;

	for (us = 1; us < 8000000; us += 1 + us / 50) {
		unsigned int class = class_of((int64_t)(us * 1000));

		CU_ASSERT(limit(class) <= (double)us);
		CU_ASSERT(limit(class + 1) > (double)us);
	}
}

static void ends(void)
{
	UNIT_EQ(class_of(0), 0);
	UNIT_EQ(class_of(-5000), 0);
	UNIT_EQ(class_of(999), 0);
	UNIT_EQ(class_of(INT64_C(100000000000)), BENCH_CLASSES - 1);
	UNIT_EQ(times.max_ns, 100000000000);
	UNIT_EQ(times.count, 1);
}

UNIT_MAIN("times of the ledger", {"each time is in its class", each_is_in_its_class},
	  {"nothing is outside", ends})
