// SPDX-License-Identifier: GPL-2.0-or-later
/* Slots that are lent: no handle is 0, and no handle repeats, however long a run is. */
#include "unit.h"

#include <errno.h>

#include "utils/units/slots.h"

static const struct unit_slots_names names = {"Slot", "slots"};

static void handle_wraps(void)
{
	struct unit_slots s = {0};
	uint64_t handle, last = 0;
	char reason[UNITS_REASON] = "";
	unsigned int i;
	uint32_t slot;

	UNIT_NEED(!unit_slots_open(&s, 4096, 1, 0, &names, reason));
	/* Up to the wrap of the counter, and a few more. */
	s.lent = UINT32_MAX - UINT64_C(2);
	for (i = 0; i < 5; i++) {
		handle = unit_slots_lend(&s, &slot);
		UNIT_EQ(slot, 0);
		CU_ASSERT_TRUE(handle != 0);
		CU_ASSERT_TRUE(handle != last);
		if (last)
			UNIT_EQ(unit_slots_return(&s, last, &slot, reason), -EINVAL);
		reason[0] = '\0';
		UNIT_EQ(unit_slots_return(&s, handle, &slot, reason), 0);
		UNIT_STR(reason, "");
		UNIT_NEED(s.free_count == 1);
		last = handle;
	}
	unit_slots_close(&s);
}

UNIT_MAIN("slots", {"handle counter wraps", handle_wraps})
