// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-record and roc-replay that may have few files open, or none that is long.
 */
#include "unit.h"

#include <sys/resource.h>

#include "recording_dir.h"
#include "tests/unit/utils/tool_run.h"

/* The tool that may have so much of @resource and not more; exit code, -1: by a signal. */
static int limited(int resource, rlim_t most, const char *arguments)
{
	struct rlimit limit = {.rlim_cur = most, .rlim_max = most};
	char output[128], command[512];
	pid_t pid;
	int code;

	snprintf(output, sizeof(output), "%s/out", dir);
	snprintf(command, sizeof(command), "exec \"$ROC_TOOL\" %s > %s 2>&1 < /dev/null", arguments,
		 output);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		/* However the tests were started. */
		signal(SIGXFSZ, SIG_DFL);
		alarm(250);
		if (setrlimit(resource, &limit))
			_exit(126);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	UNIT_NEED(pid > 0);
	setpgid(pid, pid);
	code = tool_wait(pid, 40000);
	tool_read(output);
	return code;
}

/* A file is open while it is read, and no longer: there may be more than can be open. */
static void many_files(void)
{
	const char *path = fresh("many");
	char arguments[256], name[160];

	UNIT_EQ(tool_run("record %s --synthetic --buffer-size=1Mi --superpage-size=8Ki "
			 "--file-size=8Ki --units=24 --json",
			 path),
		0);
	UNIT_EQ(tool_number("files"), 24);
	snprintf(arguments, sizeof(arguments), "replay %s --json", path);
	UNIT_EQ(limited(RLIMIT_NOFILE, 16, arguments), 0);
	UNIT_EQ(tool_number("units"), 24);
	UNIT_EQ(tool_number("errors"), 0);
	/* More reads at a time than files may be open. */
	snprintf(arguments, sizeof(arguments), "replay %s --json --depth=1024", path);
	UNIT_EQ(limited(RLIMIT_NOFILE, 16, arguments), 0);
	UNIT_EQ(tool_number("units"), 24);
	UNIT_EQ(tool_number("errors"), 0);
	/* One that cannot be read is said before anything is, wherever it is. */
	snprintf(name, sizeof(name), "%s/run-000023.data", path);
	UNIT_EQ(unlink(name), 0);
	UNIT_EQ(mknod(name, S_IFSOCK | 0600, 0), 0);
	UNIT_EQ(tool_run("replay %s", path), 1);
	CU_ASSERT_TRUE(tool_says("run-000023.data cannot be read: No such device or address."));
	CU_ASSERT_PTR_NULL(strstr(tool_said, "Units"));
}

/* Files may not be as long as they should be: that is as a disk that is full, and no end by a
 * signal. */
static void short_files(void)
{
	const char *path = fresh("short");
	char arguments[256];
	int64_t written;

	snprintf(arguments, sizeof(arguments),
		 "record %s --synthetic --buffer-size=4Mi --superpage-size=256Ki --bytes=100Mi "
		 "--json",
		 path);
	UNIT_EQ(limited(RLIMIT_FSIZE, 1 << 20, arguments), 1);
	CU_ASSERT_TRUE(
		tool_says("may not be longer, by ulimit -f or by its file system: give a smaller "
			  "--file-size. Nothing more is taken"));
	CU_ASSERT_TRUE(tool_says("\"end\": \"full\""));
	written = tool_number("units");
	UNIT_EQ(tool_number("taken"), written + tool_number("lost"));
	UNIT_EQ(tool_number("returned"), tool_number("taken"));
	/* As many as may be: the room that is made ahead would be longer. */
	UNIT_EQ(written, 4);
	UNIT_EQ(tool_run("replay %s --json", path), 0);
	CU_ASSERT_PTR_NULL(strstr(tool_said, "was not closed"));
	UNIT_EQ(tool_number("units"), written);
	UNIT_EQ(tool_number("errors"), 0);
	/* With files that may be so long it goes on. */
	path = fresh("enough");
	snprintf(arguments, sizeof(arguments),
		 "record %s --synthetic --buffer-size=4Mi --superpage-size=256Ki --units=8 "
		 "--file-size=1Mi --json",
		 path);
	UNIT_EQ(limited(RLIMIT_FSIZE, 1 << 20, arguments), 0);
	UNIT_EQ(tool_number("units"), 8);
	UNIT_EQ(tool_number("files"), 2);
}

UNIT_MAIN("roc-record and roc-replay with limits", {"more files than can be open", many_files},
	  {"files that may not be long enough", short_files})
