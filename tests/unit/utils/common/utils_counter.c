// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the difference of a 32-bit card counter that continues, wraps or restarts between two reads.
 */
#include "unit.h"

#include "utils/common/numbers.h"

static void goes_on(void)
{
	UNIT_EQ(counter32_since(7, 7), 0);
	UNIT_EQ(counter32_since(7, 9), 2);
	UNIT_EQ(counter32_since(0, 0xffffffff), 0xffffffff);
}

static void runs_over(void)
{
	UNIT_EQ(counter32_since(0xfffff000, 0x100), 0x1100);
	UNIT_EQ(counter32_since(0xffffffff, 0), 1);
	UNIT_EQ(counter32_since(0x90000000, 0), 0x70000000);
}

static void begins_anew(void)
{
	UNIT_EQ(counter32_since(1000, 0), 0);
	UNIT_EQ(counter32_since(1000, 5), 5);
	UNIT_EQ(counter32_since(0x70000000, 5), 5);
}

UNIT_MAIN("utils counter", {"continues", goes_on}, {"wraps", runs_over}, {"restarts", begins_anew})
