/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run a receiver at a port of its own, with a folder for its output. Included after unit.h. */
#ifndef ROC_UNIT_NETWORK_RUN_H
#define ROC_UNIT_NETWORK_RUN_H

#include <sys/mount.h>

#include "tests/unit/utils/tool_run.h"
#include "libroc/fabric/fabric.h"
#include "utils/record/recording.h"

/* Set the environment as the tools do: ends with different buffer sizes do not connect. */
__attribute__((constructor)) static void use_environment(void)
{
	fabric_environment();
}

static char dir[] = "/tmp/roc-network-XXXXXX";
static unsigned int port; /* of the last receiver */

#define SMALL "--synthetic --links=0-2 --buffer-size=4Mi --superpage-size=256Ki"

static const char *file(const char *name)
{
	static char paths[4][128];
	static unsigned int n;
	char *path = paths[n++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

static void leave_nothing(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		perror(command);
}

static void fresh(void)
{
	char command[64];

	if (strstr(dir, "XXXXXX")) {
		UNIT_NEED(mkdtemp(dir));
		atexit(leave_nothing);
	}
	/* A test that ended early may have left its disk mounted. */
	umount2(file("a"), MNT_DETACH);
	snprintf(command, sizeof(command), "rm -rf %s/*", dir);
	UNIT_EQ(system(command), 0);
}

/* Start a receiver at a port of its own, or at @at; its output goes to the file @name. */
static pid_t receiver(const char *name, unsigned int at, const char *options)
{
	const char *line;
	pid_t pid;

	unlink(file(name));
	pid = tool_start(file(name), "recv --bind=127.0.0.1 --port=%u --json --stall-limit=0 %s",
			 at, options);
	CU_ASSERT_TRUE(UNIT_WAIT((tool_read(file(name)), strstr(tool_output, "Listening")), 20000));
	line = strstr(tool_output, "Listening on 127.0.0.1:");
	port = line ? (unsigned int)strtoul(strchr(line, ':') + 1, NULL, 10) : 0;
	return pid;
}

/*
 * Check that each sequence number in the recordings below @path occurs; return how many occur
 * twice.
 */
__attribute__((unused)) static unsigned int sequences(const char *path, unsigned char *seen,
						      unsigned int room)
{
	struct recording recording;
	unsigned int i, twice = 0;
	char reason[UNITS_REASON] = "";
	uint64_t n;

	if (recording_open(path, &recording, reason)) {
		unit_note("%s", reason);
		return 0;
	}
	for (i = 0; i < recording.count; i++) {
		for (n = 0; n < recording.parts[i].count; n++) {
			uint64_t s = recording.parts[i].entries[n].sequence;

			UNIT_NEED(s < room);
			twice += seen[s];
			seen[s] = 1;
		}
	}
	recording_close(&recording);
	return twice;
}

__attribute__((unused)) static bool index_has(const char *name, long entries)
{
	char path[160];
	struct stat st;

	snprintf(path, sizeof(path), "%s/run-000000.index", file(name));
	return !stat(path, &st) && st.st_size >= 256 + 64 * entries;
}

#endif
