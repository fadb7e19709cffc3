/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Test a missing --metrics folder: the failure is reported once, and so is the recovery. Included
 * after tool_run.h.
 */
#ifndef ROC_UNIT_METRICS_AWAY_H
#define ROC_UNIT_METRICS_AWAY_H

#include <sys/stat.h>

#define METRICS_AWAY "m.prom: No such file or directory. The next update tries again."
#define METRICS_FAIL "Cannot write"
#define METRICS_BACK "m.prom works again."
#define METRICS_MS 6000 /* for a file that is due every second */

/* Test a running tool that prints to @output; @folder contains only its m.prom. */
static void metrics_go_and_come(const char *folder, const char *output)
{
	char away[128], path[128];
	struct stat before, now;

	snprintf(away, sizeof(away), "%s.away", folder);
	snprintf(path, sizeof(path), "%s/m.prom", folder);
	UNIT_NEED(UNIT_WAIT(!access(path, R_OK), METRICS_MS));
	UNIT_NEED(!rename(folder, away));
	CU_ASSERT_TRUE(UNIT_WAIT(tool_printed_times(output, METRICS_FAIL), METRICS_MS));
	/* Further failures are not reported. */
	CU_ASSERT_TRUE(UNIT_STAYS(tool_printed_times(output, METRICS_FAIL) == 1, 2200));
	UNIT_NEED(!rename(away, folder));
	UNIT_NEED(!stat(path, &before));
	/* Each update creates another file before it replaces the old one. */
	CU_ASSERT_TRUE(UNIT_WAIT(!stat(path, &now) && now.st_ino != before.st_ino, METRICS_MS));
	CU_ASSERT_TRUE(UNIT_WAIT(tool_printed_times(output, METRICS_BACK), METRICS_MS));
	UNIT_EQ(tool_printed_times(output, METRICS_AWAY), 1);
	UNIT_EQ(tool_printed_times(output, METRICS_BACK), 1);
}

#endif
