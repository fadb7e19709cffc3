/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder for recordings, deleted at exit, and descriptors of open files in it. */
#ifndef ROC_UNIT_RECORDING_DIR_H
#define ROC_UNIT_RECORDING_DIR_H

#include <limits.h>

#include "unit.h"
#include "utils/units/units.h"

static char dir[] = "/tmp/roc-recording-XXXXXX";
static char reason[UNITS_REASON];

static void leave_nothing(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		perror(command);
}

static const char *fresh(const char *name)
{
	static char path[128];
	char command[160];

	if (strstr(dir, "XXXXXX")) {
		UNIT_NEED(mkdtemp(dir));
		atexit(leave_nothing);
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	snprintf(command, sizeof(command), "rm -rf %s", path);
	UNIT_EQ(system(command), 0);
	reason[0] = '\0';
	return path;
}

/* Return the descriptor of the open file whose name ends with @end. */
__attribute__((unused)) static int fd_of(const char *end)
{
	char link[32], name[PATH_MAX];
	ssize_t n;
	int fd;

	for (fd = 3; fd < 1024; fd++) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, name, sizeof(name));
		if (n > (ssize_t)strlen(end) && !memcmp(name + n - strlen(end), end, strlen(end)))
			return fd;
	}
	return -1;
}

#endif
