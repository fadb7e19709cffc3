// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Units that arrived although their sender may not know: the last ones are known, and memory has a
 * limit.
 */
#include "unit.h"

#include "utils/network/network.h"

static void bounded(void)
{
	struct arrived a = {0};
	uint64_t key, last = 5 * (uint64_t)ARRIVED_KEYS;
	bool known = true;

	CU_ASSERT_FALSE(arrived_any(&a));
	for (key = 1; key <= last; key++)
		UNIT_NEED(!arrived_add(&a, key));
	CU_ASSERT_TRUE(arrived_any(&a));
	for (key = last - ARRIVED_KEYS + 1; key <= last; key++)
		known &= arrived_has(&a, key);
	CU_ASSERT_TRUE(known);
	/* The oldest are forgotten. */
	CU_ASSERT_FALSE(arrived_has(&a, 1));
	CU_ASSERT_FALSE(arrived_has(&a, ARRIVED_KEYS));
	arrived_free(&a);
}

UNIT_MAIN("units that arrived", {"the last ones are known, the first are forgotten", bounded})
