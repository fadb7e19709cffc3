/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of a tool's --metrics is away for a while: that is said once, and once that it is well
 * again. Included after tool_run.h.
 */
#ifndef ROC_UNIT_METRICS_AWAY_H
#define ROC_UNIT_METRICS_AWAY_H

#include <sys/stat.h>

#define METRICS_AWAY "m.prom: No such file or directory. The next update tries again."
#define METRICS_FAIL "Cannot write"
#define METRICS_BACK "m.prom works again."
#define METRICS_MS 6000 /* for a file that is due each second */

/* Of a tool that runs, and says it all in @output; @folder has its m.prom, and nothing else. */
static void metrics_go_and_come(const char *folder, const char *output)
{
	char away[128], path[128];
	struct stat before, now;

	snprintf(away, sizeof(away), "%s.away", folder);
	snprintf(path, sizeof(path), "%s/m.prom", folder);
	UNIT_NEED(UNIT_WAIT(!access(path, R_OK), METRICS_MS));
	UNIT_NEED(!rename(folder, away));
	CU_ASSERT_TRUE(UNIT_WAIT(tool_printed_times(output, METRICS_FAIL), METRICS_MS));
	/* Of those that follow nothing is said. */
	CU_ASSERT_TRUE(UNIT_STAYS(tool_printed_times(output, METRICS_FAIL) == 1, 2200));
	UNIT_NEED(!rename(away, folder));
	UNIT_NEED(!stat(path, &before));
	/* Each is another file, and the next is made before the one in its place is gone. */
	CU_ASSERT_TRUE(UNIT_WAIT(!stat(path, &now) && now.st_ino != before.st_ino, METRICS_MS));
	CU_ASSERT_TRUE(UNIT_WAIT(tool_printed_times(output, METRICS_BACK), METRICS_MS));
	UNIT_EQ(tool_printed_times(output, METRICS_AWAY), 1);
	UNIT_EQ(tool_printed_times(output, METRICS_BACK), 1);
}

#endif
