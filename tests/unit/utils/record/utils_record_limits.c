// SPDX-License-Identifier: GPL-2.0-or-later
/* roc-record and roc-replay with limits of open files and of file size. */
#include "unit.h"

#include <errno.h>
#include <sys/resource.h>

#include "recording_dir.h"
#include "tests/unit/utils/tool_run.h"
#include "utils/record/recording.h"

/* Run the tool with this limit of @resource; exit code, -1: ended by a signal. */
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
		/* Whatever the caller of the tests has set. */
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

/* A file is open only while it is read: there may be more files than descriptors. */
static void many_files(void)
{
	const char *path = fresh("many");
	char arguments[256], name[160];

	UNIT_EQ(tool_run(
			"record %s --synthetic --buffer-size=1Mi --superpage-size=8Ki --file-size=8Ki --units=24 --json",
			path),
		0);
	UNIT_EQ(tool_number("files"), 24);
	snprintf(arguments, sizeof(arguments), "replay %s --json", path);
	UNIT_EQ(limited(RLIMIT_NOFILE, 16, arguments), 0);
	UNIT_EQ(tool_number("units"), 24);
	UNIT_EQ(tool_number("errors"), 0);
	/* More concurrent reads than descriptors. */
	snprintf(arguments, sizeof(arguments), "replay %s --json --depth=1024", path);
	UNIT_EQ(limited(RLIMIT_NOFILE, 16, arguments), 0);
	UNIT_EQ(tool_number("units"), 24);
	UNIT_EQ(tool_number("errors"), 0);
	/* An unreadable file is reported before any unit is read, wherever it is. */
	snprintf(name, sizeof(name), "%s/run-000023.data", path);
	UNIT_EQ(unlink(name), 0);
	UNIT_EQ(mknod(name, S_IFSOCK | 0600, 0), 0);
	UNIT_EQ(tool_run("replay %s", path), 1);
	CU_ASSERT_TRUE(tool_printed("run-000023.data cannot be read: No such device or address."));
	CU_ASSERT_PTR_NULL(strstr(tool_output, "Units"));
}

/* Three files with a unit each, read with two slots. */
static struct source *three_files(const char *name, uint32_t depth)
{
	struct replay_options options = {.path = fresh(name), .depth = depth};
	struct source *replay;

	UNIT_EQ(tool_run(
			"record %s --synthetic --buffer-size=1Mi --superpage-size=8Ki --file-size=8Ki --units=3",
			options.path),
		0);
	replay = source_replay(&options, reason);
	UNIT_STR(reason, "");
	UNIT_NEED(replay);
	return replay;
}

/* Take the next unit; false: none. */
static bool takes(struct source *replay)
{
	struct unit u;

	if (replay->ops->flush(replay) || replay->ops->take(replay, &u) != 1)
		return false;
	return !replay->ops->give_back(replay, u.handle);
}

/* Set the limit of descriptors of this process; return the previous one. */
static rlim_t may_have(rlim_t descriptors)
{
	struct rlimit limit;
	rlim_t before;

	UNIT_NEED(!getrlimit(RLIMIT_NOFILE, &limit));
	before = limit.rlim_cur;
	limit.rlim_cur = descriptors;
	UNIT_NEED(!setrlimit(RLIMIT_NOFILE, &limit));
	return before;
}

/* Another part of the process takes each free descriptor. */
static void descriptor_is_kept(void)
{
	struct source *replay = three_files("kept", 2);
	rlim_t before = may_have(64);
	int others[64], last;
	unsigned int n = 0, units = 0;

	while (n < 64 && (others[n] = dup(0)) >= 0)
		n++;
	UNIT_NEED(n && n < 64);
	/* One is left, and the next file is needed while the first one is read. */
	close(others[--n]);
	UNIT_EQ(replay->ops->start(replay), 0);
	for (; units < 3 && UNIT_WAIT(takes(replay), 20000); units++) {
		last = dup(0);
		/* The descriptor of the last file is free. */
		if (units < 2)
			UNIT_EQ(last, -1);
		close(last);
	}
	UNIT_EQ(units, 3);
	UNIT_STR(replay->reason, "");
	while (n)
		close(others[--n]);
	may_have(before);
	source_close(replay);
}

/* All descriptors are in use for a while. */
static void none_for_a_while(void)
{
	struct units_sleep sleep = {.ns = UNITS_NS_PER_S};
	struct source *replay = three_files("while", 1);
	rlim_t before;
	struct unit u;

	UNIT_EQ(replay->ops->start(replay), 0);
	UNIT_NEED(UNIT_WAIT(replay->ops->take(replay, &u) == 1, 20000));
	UNIT_EQ(replay->ops->give_back(replay, u.handle), 0);
	before = may_have(3);
	UNIT_EQ(replay->ops->flush(replay), 0);
	UNIT_EQ(replay->ops->take(replay, &u), 0);
	/* It does not retry all the time. */
	replay->ops->sleep(replay, &sleep);
	CU_ASSERT_TRUE(sleep.ns > 0 && sleep.ns < UNITS_NS_PER_S);
	UNIT_EQ(sleep.count, 0);
	may_have(before);
	CU_ASSERT_TRUE(UNIT_WAIT(takes(replay), 20000));
	CU_ASSERT_TRUE(UNIT_WAIT(takes(replay), 20000));
	UNIT_EQ(replay->ops->flush(replay), 0);
	UNIT_EQ(replay->ops->take(replay, &u), -ENODATA);
	UNIT_STR(replay->reason, "");
	source_close(replay);
}

/* And for too long. */
static void none_at_all(void)
{
	struct source *replay = three_files("none", 1);
	double begin = unit_seconds();
	rlim_t before;
	struct unit u;
	int ret = 0;

	UNIT_EQ(replay->ops->start(replay), 0);
	UNIT_NEED(UNIT_WAIT(replay->ops->take(replay, &u) == 1, 20000));
	UNIT_EQ(replay->ops->give_back(replay, u.handle), 0);
	before = may_have(3);
	CU_ASSERT_TRUE(UNIT_WAIT((ret = replay->ops->flush(replay)) < 0, 20000));
	may_have(before);
	UNIT_EQ(ret, -EMFILE);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(replay->reason, "run-000001.data cannot be read: Too many open files."));
	CU_ASSERT_TRUE(unit_seconds() - begin > 4);
	source_close(replay);
}

/*
 * Files cannot have the requested size: this is handled like a full disk, and no signal ends the
 * tool.
 */
static void short_to(rlim_t most, const char *options)
{
	const char *path = fresh("short");
	char arguments[256];
	int64_t written;

	snprintf(
		arguments, sizeof(arguments),
		"record %s --synthetic --buffer-size=4Mi --superpage-size=256Ki --bytes=100Mi --json %s",
		path, options);
	UNIT_EQ(limited(RLIMIT_FSIZE, most, arguments), 1);
	CU_ASSERT_TRUE(tool_printed(
		"has reached the maximum size of ulimit -f or of the file system: set a smaller --file-size. The recording has ended"));
	CU_ASSERT_TRUE(tool_printed("\"end\": \"full\""));
	written = tool_number("units");
	UNIT_EQ(tool_number("taken"), written + tool_number("lost"));
	UNIT_EQ(tool_number("returned"), tool_number("taken"));
	/* As many as fit: the reservation would be longer. */
	UNIT_EQ(written, 4);
	UNIT_EQ(tool_run("replay %s --json", path), 0);
	CU_ASSERT_PTR_NULL(strstr(tool_output, "was not closed"));
	UNIT_EQ(tool_number("units"), written);
	UNIT_EQ(tool_number("errors"), 0);
}

static void short_files(void)
{
	const char *path;
	char arguments[256];

	short_to(1 << 20, "");
	/*
	 * In the middle of a block of the file and of the disk. One write at a time, so that the
	 * first one that does not fit determines the reason.
	 */
	short_to((1 << 20) + 512, "--depth=1");
	short_to((1 << 20) + 1, "--depth=1");
	short_to((1 << 20) + 1, "--depth=1 --buffered");
	short_to((1 << 20) + 8192 + 1, "");
	/* With files of an allowed size it continues. */
	path = fresh("enough");
	snprintf(
		arguments, sizeof(arguments),
		"record %s --synthetic --buffer-size=4Mi --superpage-size=256Ki --units=8 --file-size=1Mi --json",
		path);
	UNIT_EQ(limited(RLIMIT_FSIZE, 1 << 20, arguments), 0);
	UNIT_EQ(tool_number("units"), 8);
	UNIT_EQ(tool_number("files"), 2);
}

UNIT_MAIN("roc-record and roc-replay with limits", {"more files than can be open", many_files},
	  {"the descriptor is kept between two files", descriptor_is_kept},
	  {"no descriptor for a while", none_for_a_while}, {"no descriptor at all", none_at_all},
	  {"limit of file size", short_files})
