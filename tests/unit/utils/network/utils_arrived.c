// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys of units that arrived although their sender may not have the credit: the last ones are kept,
 * and memory is limited.
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
	/* The oldest keys are dropped. */
	CU_ASSERT_FALSE(arrived_has(&a, 1));
	CU_ASSERT_FALSE(arrived_has(&a, ARRIVED_KEYS));
	arrived_free(&a);
}

UNIT_MAIN("keys of units that arrived", {"oldest keys are dropped", bounded})
