// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's own test of suspend. See suspend.h.
 */
#include "suspend.h"

#include <unit.h>
#include <unistd.h>

#include "node.h"

#define ASLEEP_S "1"

bool suspend_there(void)
{
	return !access("/sys/power/pm_test", W_OK);
}

int suspend(const char *level)
{
	int err;

	UNIT_EQ(put_text("/sys/module/suspend/parameters/pm_test_delay", ASLEEP_S), 0);
	UNIT_EQ(put_text("/sys/power/pm_test", level), 0);
	err = put_text("/sys/power/state", "freeze");
	UNIT_EQ(put_text("/sys/power/pm_test", "none"), 0);
	return err;
}
