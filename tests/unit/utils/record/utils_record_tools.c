// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-record and roc-replay from the user's view: files, full disks, folders without write
 * permission, truncated files, and ends by a signal.
 */
#include "unit.h"

#include <fcntl.h>
#include <limits.h>
#include <termios.h>

#include "tests/unit/fake_sysfs.h"
#include "tests/unit/utils/tool_run.h"
#include "tests/unit/utils/metrics_away.h"
#include "tests/unit/utils/no_fsync.h"

static char dir[] = "/tmp/roc-record-XXXXXX";

#define SMALL "--synthetic --links=0-2 --buffer-size=4Mi --superpage-size=256Ki"

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
	snprintf(command, sizeof(command), "rm -rf %s/*", dir);
	UNIT_EQ(system(command), 0);
}

/* Overwrite bytes at @offset of a file; without bytes: set its length. */
static void change(const char *name, long offset, const char *bytes, size_t count)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (!count) {
		UNIT_EQ(truncate(path, offset), 0);
		return;
	}
	f = fopen(path, "r+");
	UNIT_NEED(f);
	fseek(f, offset, SEEK_SET);
	UNIT_EQ(fwrite(bytes, 1, count, f), count);
	fclose(f);
}

static void make(void)
{
	fresh();
	UNIT_EQ(tool_run("record %s/r " SMALL " --units=50 --file-size=4Mi --json", dir), 0);
	UNIT_EQ(tool_number("units"), 50);
	UNIT_EQ(tool_number("files"), 4);
}

static void good(void)
{
	make();
	UNIT_EQ(tool_number("bytes"), 50 << 18);
	UNIT_EQ(tool_number("copiedBytes"), 0);
	UNIT_EQ(tool_number("lost"), 0);
	UNIT_EQ(tool_number("counters.units"), 50);
	CU_ASSERT_TRUE(tool_number("calls") <= tool_number("batches"));
	UNIT_EQ(tool_run("replay %s/r --json", dir), 0);
	UNIT_EQ(tool_number("units"), 50);
	UNIT_EQ(tool_number("errors"), 0);
	UNIT_EQ(tool_run("replay %s/r/run-000001.index --json", dir), 0);
	UNIT_EQ(tool_number("units"), 16);
	UNIT_EQ(tool_run("replay %s/r", dir), 0);
	CU_ASSERT_PTR_NULL(strstr(tool_output, "Link 2"));
	UNIT_EQ(tool_run("replay %s/r --verbose", dir), 0);
	CU_ASSERT_TRUE(tool_printed("  Link 2                   16 units, 4194304 bytes\n"));
	UNIT_EQ(tool_run("replay %s/r --no-errorcheck --rate=100Mi --json", dir), 0);
	CU_ASSERT_TRUE(json_object_get_double(json_object_object_get(tool_json, "seconds")) > 0.11);
	/* Wrong data are detected. */
	change("r/run-000002.data", 100000, "\x42", 1);
	UNIT_EQ(tool_run("replay %s/r", dir), 1);
	CU_ASSERT_TRUE(tool_printed("1 errors in the data"));
	unlink("readout_errors.txt");
	UNIT_EQ(tool_run("replay %s/r --no-errorcheck", dir), 1);
	CU_ASSERT_TRUE(tool_printed("run-000002.data: unit 32 does not match its checksum."));
	UNIT_EQ(tool_run("record %s/r " SMALL " --units=1", dir), 1);
	CU_ASSERT_TRUE(tool_printed("choose another --prefix"));
}

/* Two recordings in one folder: the second does not continue the first. */
static void two_recordings(void)
{
	char name[64];

	fresh();
	UNIT_EQ(tool_run("record %s/r " SMALL " --units=20 --prefix=a", dir), 0);
	UNIT_EQ(tool_run("record %s/r " SMALL " --units=40 --prefix=b --file-size=4Mi", dir), 0);
	UNIT_EQ(tool_run("replay %s/r --json", dir), 0);
	UNIT_EQ(tool_number("units"), 60);
	UNIT_EQ(tool_number("errors"), 0);
	CU_ASSERT_TRUE(tool_printed("b-000000.index belongs to another recording than"));
	/* A missing file of the second is reported, too. */
	snprintf(name, sizeof(name), "%s/r/b-000001.index", dir);
	UNIT_EQ(unlink(name), 0);
	UNIT_EQ(tool_run("replay %s/r --no-errorcheck", dir), 1);
	CU_ASSERT_TRUE(tool_printed("File 1 of the recording is missing"));
}

static const char *in_dir(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void put_file(const char *name)
{
	FILE *f = fopen(in_dir(name), "w");

	UNIT_NEED(f);
	fputs("other data", f);
	fclose(f);
}

static bool as_it_was(const char *name)
{
	char text[16] = "";
	FILE *f = fopen(in_dir(name), "r");

	if (!f)
		return false;
	CU_ASSERT_TRUE(fread(text, 1, sizeof(text) - 1, f) > 0);
	fclose(f);
	return !strcmp(text, "other data");
}

/* Only @name is in the folder: the run is refused before it writes anything. */
static void refused_for(const char *name)
{
	char path[64], expected[128];

	fresh();
	UNIT_EQ(mkdir(in_dir("r"), 0777), 0);
	snprintf(path, sizeof(path), "r/%s", name);
	put_file(path);
	UNIT_EQ(tool_run("record %s/r " SMALL " --units=50 --file-size=4Mi --json", dir), 1);
	snprintf(expected, sizeof(expected), "%s exists: choose another --prefix or directory",
		 path);
	CU_ASSERT_TRUE(tool_printed(expected));
	CU_ASSERT_TRUE(as_it_was(path));
	/* No other file was created. */
	UNIT_EQ(unlink(in_dir(path)), 0);
	UNIT_EQ(rmdir(in_dir("r")), 0);
}

/* Files of an earlier run, some of which were archived. */
static void another_recording(void)
{
	static const char *const others[] = {"runs-000001.data", "run-00001.data",
					     "run-000001.data.gz", "run-000001x.data",
					     "run-99999999999.data"};
	char path[64];
	unsigned int i;

	refused_for("run-000000.data");
	refused_for("run-000000.index");
	refused_for("run-000001.data");
	refused_for("run-000002.index");
	refused_for("run-1000000.data");
	/* The last of several is named. */
	UNIT_EQ(mkdir(in_dir("r"), 0777), 0);
	put_file("r/run-1000000.data");
	put_file("r/run-999999.index");
	UNIT_EQ(tool_run("record %s/r " SMALL " --units=1", dir), 1);
	CU_ASSERT_TRUE(tool_printed("/run-1000000.data exists: choose another --prefix"));
	/* Names that no file of this run can have. */
	fresh();
	UNIT_EQ(mkdir(in_dir("r"), 0777), 0);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		snprintf(path, sizeof(path), "r/%s", others[i]);
		put_file(path);
	}
	UNIT_EQ(tool_run("record %s/r " SMALL " --units=50 --file-size=4Mi --json", dir), 0);
	UNIT_EQ(tool_number("files"), 4);
}

/* No message of the writer goes into its files, whatever its descriptors 0 to 2 are. */
static void closed_descriptors(void)
{
	static const char *const close_it[] = {"<&-", ">&-", "2>&-"};
	char command[512];
	unsigned int closed, fd;
	size_t length;

	for (closed = 1; closed < 8; closed++) {
		fresh();
		length = (size_t)snprintf(command, sizeof(command),
					  "timeout 100 \"$ROC_TOOL\" record %s/r " SMALL
					  " --units=50 --file-size=4Mi --verbose",
					  dir);
		for (fd = 0; fd <= STDERR_FILENO; fd++)
			length +=
				(size_t)snprintf(command + length, sizeof(command) - length, " %s",
						 closed & 1u << fd ? close_it[fd]
						 : fd		   ? "> /dev/null"
								   : "");
		UNIT_EQ(system(command), 0);
		UNIT_EQ(tool_run("replay %s/r --json", dir), 0);
		UNIT_EQ(tool_number("units"), 50);
		UNIT_EQ(tool_number("errors"), 0);
	}
}

/* Data whose time frames have an unusual length. */
static void time_frames(void)
{
	fresh();
	UNIT_EQ(tool_run(
			"record %s/r --synthetic --buffer-size=4Mi --superpage-size=256Ki --units=2",
			dir),
		0);
	/* Orbit 256 in the last packet, which starts the next time frame. */
	change("r/run-000000.data", (1 << 19) - 8192 + 20, "\0\1", 2);
	UNIT_EQ(tool_run("replay %s/r --json", dir), 1);
	UNIT_EQ(tool_number("errors"), 1);
	unlink("readout_errors.txt");
	/* Only the checksum detects the change. */
	UNIT_EQ(tool_run("replay %s/r --json --no-tf-check", dir), 1);
	UNIT_EQ(tool_number("errors"), 0);
	UNIT_EQ(tool_run("replay %s/r --json --timeframe-length=512", dir), 1);
	UNIT_EQ(tool_number("errors"), 0);
}

/* A unit arrives every 2 s: waiting for the rate is not a stall. */
static void slower_than_the_limit(void)
{
	fresh();
	UNIT_EQ(tool_run(
			"record %s/r --synthetic --buffer-size=4Mi --superpage-size=256Ki --units=2 --rate=128Ki --stall-limit=1 --json",
			dir),
		0);
	UNIT_EQ(tool_number("units"), 2);
	UNIT_EQ(tool_run("replay %s/r --rate=128Ki --stall-limit=1 --json", dir), 0);
	UNIT_EQ(tool_number("units"), 2);
	UNIT_EQ(tool_number("errors"), 0);
}

static void rotates_by_time(void)
{
	double seconds;

	fresh();
	/* At most 17 of these 40 units arrive in the first second. */
	UNIT_EQ(tool_run("record %s/r " SMALL " --rate=4Mi --units=40 --file-time=1s --json", dir),
		0);
	seconds = json_object_get_double(json_object_object_get(tool_json, "seconds"));
	CU_ASSERT_TRUE(tool_number("files") >= 2 && (double)tool_number("files") <= seconds + 2);
	UNIT_EQ(tool_number("taken"), tool_number("units"));
}

static void cut(void)
{
	make();
	change("r/run-000003.data", 300000, NULL, 0);
	UNIT_EQ(tool_run("replay %s/r --json", dir), 1);
	CU_ASSERT_TRUE(tool_printed("run-000003.data is truncated: 1 of 2 units are readable"));
	UNIT_EQ(tool_number("units"), 49);
	make();
	change("r/run-000003.index", 256 + 64 + 10, NULL, 0);
	UNIT_EQ(tool_run("replay %s/r --json", dir), 1);
	CU_ASSERT_TRUE(tool_printed("run-000003.index is truncated: 1 of 2"));
	UNIT_EQ(tool_number("units"), 49);
	/* The data after it do not continue: both are reported. */
	make();
	change("r/run-000001.data", 300000, NULL, 0);
	UNIT_EQ(tool_run("replay %s/r --json", dir), 1);
	CU_ASSERT_TRUE(tool_printed("run-000001.data is truncated: 1 of 16 units are readable"));
	CU_ASSERT_TRUE(tool_printed("errors in the data"));
	unlink("readout_errors.txt");
	change("r/run-000003.index", 100, NULL, 0);
	UNIT_EQ(tool_run("replay %s/r --json", dir), 1);
	CU_ASSERT_TRUE(tool_printed("its header is incomplete"));
}

static void damaged(void)
{
	make();
	change("r/run-000003.index", 256 + 64 + 8, "\x42", 1);
	UNIT_EQ(tool_run("replay %s/r --json", dir), 1);
	CU_ASSERT_TRUE(tool_printed("run-000003.index is damaged: 1 of 2"));
	make();
	change("r/run-000000.index", 8, "\1\2\3\4", 4);
	UNIT_EQ(tool_run("replay %s/r", dir), 1);
	CU_ASSERT_TRUE(tool_printed("is big endian"));
	make();
	change("r/run-000000.index", 12, "\2", 1);
	UNIT_EQ(tool_run("replay %s/r", dir), 1);
	CU_ASSERT_TRUE(tool_printed("version 2"));
	make();
	change("r/run-000000.index", 70, "\2", 1);
	UNIT_EQ(tool_run("replay %s/r", dir), 1);
	CU_ASSERT_TRUE(tool_printed("the checksum of its header is wrong"));
	UNIT_EQ(tool_run("replay %s/r/run-000000.data", dir), 1);
	CU_ASSERT_TRUE(tool_printed("is not a recording"));
	fresh();
	UNIT_EQ(tool_run("replay %s", dir), 1);
	CU_ASSERT_TRUE(tool_printed("There is no recording"));
	UNIT_EQ(tool_run("replay %s/nowhere", dir), 1);
	CU_ASSERT_TRUE(tool_printed("No such file"));
}

/* If the error file cannot be written, the message does not refer to it. */
static void error_file_unwritable(void)
{
	char before[PATH_MAX];

	make();
	change("r/run-000002.data", 100000, "\x42", 1);
	UNIT_NEED(getcwd(before, sizeof(before)));
	UNIT_EQ(mkdir(in_dir("readout_errors.txt"), 0777), 0);
	UNIT_EQ(chdir(dir), 0);
	UNIT_EQ(tool_run("replay r"), 1);
	UNIT_EQ(chdir(before), 0);
	CU_ASSERT_TRUE(tool_printed(
		"1 errors in the data. readout_errors.txt cannot be opened: Is a directory. Errors are only counted. Last: "));
	CU_ASSERT_PTR_NULL(strstr(tool_output, "are in"));
}

static void one_file_missing(void)
{
	char name[64];

	make();
	snprintf(name, sizeof(name), "%s/r/run-000001.index", dir);
	UNIT_EQ(unlink(name), 0);
	UNIT_EQ(tool_run("replay %s/r --no-errorcheck", dir), 1);
	CU_ASSERT_TRUE(tool_printed("File 1 of the recording is missing"));
}

/* A separate disk of @size; false: skipped. */
static bool own_disk(const char *options)
{
	if (!own_sysfs()) {
		unit_skip("a new mount namespace is not permitted here");
		return false;
	}
	fresh();
	UNIT_EQ(mount("roc-test", dir, "tmpfs", 0, options), 0);
	return true;
}

static void full(void)
{
	if (!own_disk("size=20m"))
		return;
	UNIT_EQ(tool_run("record %s/r " SMALL " --bytes=100Mi --file-size=8Mi --json", dir), 1);
	CU_ASSERT_TRUE(tool_printed("is full: the recording has ended"));
	CU_ASSERT_TRUE(tool_printed("\"end\": \"full\""));
	CU_ASSERT_TRUE(tool_number("units") >= 60 && tool_number("units") < 80);
	UNIT_EQ(tool_number("taken"), tool_number("units") + tool_number("lost"));
	UNIT_EQ(tool_number("counters.units"), tool_number("taken") + tool_number("left"));
	UNIT_EQ(tool_number("returned"), tool_number("taken"));
	{
		int64_t written = tool_number("units");

		UNIT_EQ(tool_run("replay %s/r --no-errorcheck --json", dir), 0);
		UNIT_EQ(tool_number("units"), written);
	}
	UNIT_EQ(umount(dir), 0);
}

/* There is space for data, but not for another file: this counts as a full disk. */
static void full_of_files(void)
{
	int64_t written;

	/* Two folders, two files, and one of the next two. */
	if (!own_disk("size=20m,nr_inodes=5"))
		return;
	UNIT_EQ(tool_run("record %s/r " SMALL " --units=50 --file-size=4Mi --json", dir), 1);
	CU_ASSERT_TRUE(tool_printed("is full: the recording has ended"));
	CU_ASSERT_TRUE(tool_printed("\"end\": \"full\""));
	written = tool_number("units");
	UNIT_EQ(written, 16);
	UNIT_EQ(tool_number("taken"), written + tool_number("lost"));
	UNIT_EQ(tool_number("files"), 1);
	UNIT_EQ(tool_run("replay %s/r --json", dir), 0);
	UNIT_EQ(tool_number("units"), written);
	UNIT_EQ(umount(dir), 0);
}

static void may_not_write(void)
{
	char name[64];

	if (!own_disk("size=20m"))
		return;
	snprintf(name, sizeof(name), "%s/r", dir);
	UNIT_EQ(mkdir(name, 0755), 0);
	UNIT_EQ(mount("roc-test", dir, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=20m"), 0);
	UNIT_EQ(tool_run("record %s/r " SMALL " --units=5", dir), 1);
	CU_ASSERT_TRUE(tool_printed("Read-only file system"));
	UNIT_EQ(tool_run("record %s/q " SMALL " --units=5", dir), 1);
	CU_ASSERT_TRUE(tool_printed("cannot be created: Read-only file system"));
	UNIT_EQ(umount(dir), 0);
}

static bool grows(const char *name, long bytes)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return !stat(path, &st) && st.st_size >= bytes;
}

/* @signal: sent to the writer while it writes. */
static int64_t ended_by(int signal)
{
	char output[64];
	pid_t pid;
	int code;

	fresh();
	snprintf(output, sizeof(output), "%s/out", dir);
	/* Slowly: it takes long until the entries fill a block. */
	pid = tool_start(output, "record %s/r " SMALL " --rate=1Mi --json", dir);
	/* Entries are in the index after a second at most. */
	CU_ASSERT_TRUE(UNIT_WAIT(grows("r/run-000000.index", 256 + 3 * 64), 20000));
	kill(signal == SIGKILL ? -pid : pid, signal);
	code = tool_wait(pid, 20000);
	tool_read(output);
	return code;
}

static void in_order_at(int signal)
{
	int64_t units;

	UNIT_EQ(ended_by(signal), 0);
	CU_ASSERT_TRUE(tool_printed("\"end\": \"signal\""));
	units = tool_number("units");
	UNIT_EQ(tool_number("taken"), units);
	UNIT_EQ(tool_run("replay %s/r --json", dir), 0);
	UNIT_EQ(tool_number("units"), units);
	CU_ASSERT_PTR_NULL(strstr(tool_output, "was not closed"));
}

static void interrupted(void)
{
	in_order_at(SIGINT);
	in_order_at(SIGTERM);
}

static void terminal_goes(void)
{
	in_order_at(SIGHUP);
}

/* As nohup starts it. */
static void terminal_may_go(void)
{
	pid_t pid;

	fresh();
	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		signal(SIGHUP, SIG_IGN);
		alarm(200);
		if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		execl(getenv("ROC_TOOL"), "roc", "record", in_dir("r"), "--synthetic",
		      "--buffer-size=4Mi", "--superpage-size=256Ki", "--rate=4Mi", "--no-display",
		      NULL);
		_exit(127);
	}
	UNIT_NEED(pid > 0);
	setpgid(pid, pid);
	CU_ASSERT_TRUE(UNIT_WAIT(grows("r/run-000000.index", 256 + 3 * 64), 20000));
	kill(pid, SIGHUP);
	CU_ASSERT_TRUE(UNIT_WAIT(grows("r/run-000000.index", 256 + 40 * 64), 60000));
	kill(pid, SIGTERM);
	UNIT_EQ(tool_wait(pid, 20000), 0);
}

/* With output to @out, until SIGTERM; exit code, -1: ended by a signal. */
static int to_output(int out)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		signal(SIGPIPE, SIG_DFL);
		alarm(200);
		dup2(out, STDOUT_FILENO);
		dup2(out, STDERR_FILENO);
		close(out);
		/* A message after a second: the folder of the metrics does not exist. */
		execl(getenv("ROC_TOOL"), "roc", "record", in_dir("r"), "--synthetic",
		      "--buffer-size=4Mi", "--superpage-size=256Ki", "--rate=4Mi",
		      "--metrics=/nowhere/m.prom", NULL);
		_exit(127);
	}
	UNIT_NEED(pid > 0);
	setpgid(pid, pid);
	close(out);
	CU_ASSERT_TRUE(UNIT_WAIT(grows("r/run-000000.index", 256 + 10 * 64), 60000));
	kill(pid, SIGTERM);
	return tool_wait(pid, 20000);
}

static void is_closed(void)
{
	UNIT_EQ(tool_run("replay %s/r --json", dir), 0);
	CU_ASSERT_TRUE(tool_number("units") >= 10);
	CU_ASSERT_PTR_NULL(strstr(tool_output, "was not closed"));
}

/* The reader of the messages has ended: the files are the same. */
static void reader_gone(void)
{
	int fds[2];

	fresh();
	UNIT_NEED(!pipe2(fds, O_CLOEXEC));
	close(fds[0]);
	UNIT_EQ(to_output(fds[1]), 0);
	is_closed();
	/* Nor does a full disk for the report change the status of a run that a signal ended. */
	fresh();
	UNIT_EQ(to_output(open("/dev/full", O_WRONLY | O_CLOEXEC)), 0);
	is_closed();
	/* A run that ended by itself must write its report. */
	fresh();
	UNIT_EQ(tool_run("record %s/r " SMALL " --units=5 > /dev/full", dir), 1);
}

static void killed(void)
{
	ended_by(SIGKILL);
	UNIT_EQ(tool_run("replay %s/r --json", dir), 0);
	CU_ASSERT_TRUE(tool_printed("was not closed"));
	CU_ASSERT_TRUE(tool_number("units") >= 3);
	/* Even if the entries do not fill a block. */
	CU_ASSERT_TRUE(tool_number("units") < 64);
	UNIT_EQ(tool_number("errors"), 0);
}

static void nine_units(const char *path)
{
	char text[4096] = "", wanted[192];
	FILE *f = fopen(path, "r");

	UNIT_NEED(f);
	CU_ASSERT_TRUE(fread(text, 1, sizeof(text) - 1, f) > 0);
	fclose(f);
	snprintf(wanted, sizeof(wanted),
		 "roc_record_units_total{source=\"synthetic\",file=\"%s\"} 9\n", path);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, wanted));
}

static void metrics(void)
{
	char path[64];

	fresh();
	snprintf(path, sizeof(path), "%s/m.prom", dir);
	UNIT_EQ(tool_run("record %s/r " SMALL " --units=9 --metrics=%s", dir, path), 0);
	nine_units(path);
}

/* Data do not wait for metrics on the disk. The recording needs no fsync() here. */
static void metrics_without_disk(void)
{
	char path[64], out[64], arguments[256];
	int code;

	fresh();
	snprintf(path, sizeof(path), "%s/m.prom", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(arguments, sizeof(arguments),
		 "record %s/r " SMALL " --units=9 --durability=none --metrics=%s", dir, path);
	code = tool_without_fsync(out, arguments);
	if (code == NO_FSYNC_CANNOT)
		return;
	UNIT_EQ(code, 0);
	nine_units(path);
}

/* Causes that prevent the use of io_uring: each has its own remedy. */
static void no_io_uring(void)
{
	static const struct {
		unsigned int error;
		const char *expected;
	} causes[] = {
		{EPERM, "seccomp profile"},
		{ENOSYS, "CONFIG_IO_URING"},
		{ENOMEM, "ulimit -l"},
		{EMFILE, "Cannot create an io_uring: Too many open files."},
	};
	char out[64], record[256], replay[256];
	size_t i;

	fresh();
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(record, sizeof(record), "record %s/r " SMALL " --units=3", dir);
	snprintf(replay, sizeof(replay), "replay %s/r", dir);
	UNIT_EQ(tool_wait(tool_start(out, "%s", record), 60000), 0);
	snprintf(record, sizeof(record), "record %s/s " SMALL " --units=3", dir);
	for (i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		int code = tool_without(SYS_io_uring_setup, causes[i].error, out, record);

		if (code == NO_FSYNC_CANNOT)
			return;
		UNIT_EQ(code, 1);
		tool_read(out);
		CU_ASSERT(tool_printed(causes[i].expected));
		UNIT_EQ(tool_without(SYS_io_uring_setup, causes[i].error, out, replay), 1);
		tool_read(out);
		CU_ASSERT(tool_printed(causes[i].expected));
	}
}

static void metrics_away(void)
{
	char folder[64], output[64];
	pid_t pid;

	fresh();
	snprintf(folder, sizeof(folder), "%s/run", dir);
	snprintf(output, sizeof(output), "%s/out", dir);
	UNIT_NEED(!mkdir(folder, 0755));
	pid = tool_start(output, "record %s/r " SMALL " --rate=1Mi --metrics=%s/m.prom", dir,
			 folder);
	metrics_go_and_come(folder, output);
	kill(-pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
}

/* The number of this metric in a file, -1: none. */
static long metric(const char *file, const char *name)
{
	char line[512];
	FILE *f = fopen(file, "r");
	long value = -1;

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, name, strlen(name)))
			value = strtol(strrchr(line, ' ') + 1, NULL, 10);
	}
	if (f)
		fclose(f);
	return value;
}

/* ^S stops a terminal: the live line and messages are blocked, and data are not. */
static void stopped_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave, status;
	char command[512], file[160], drop[4096];
	long before;
	pid_t pid;

	fresh();
	UNIT_NEED(master >= 0 && !grantpt(master) && !unlockpt(master));
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	UNIT_NEED(slave >= 0 && !tcflow(slave, TCOOFF));
	snprintf(file, sizeof(file), "%s/metrics.prom", dir);
	snprintf(
		command, sizeof(command),
		"exec \"$ROC_TOOL\" record %s/r --synthetic --rate=1Mi --superpage-size=64Ki --buffer-size=8Mi --metrics=%s",
		dir, file);
	pid = fork();
	if (!pid) {
		dup2(slave, STDOUT_FILENO);
		dup2(slave, STDERR_FILENO);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	UNIT_NEED(pid > 0);
	CU_ASSERT_TRUE(UNIT_WAIT(metric(file, "roc_record_units_total") > 0, 20000));
	before = metric(file, "roc_record_units_total");
	/* Several lines are due in that time. */
	CU_ASSERT_TRUE(UNIT_WAIT(metric(file, "roc_record_units_total") > before + 48, 20000));
	UNIT_EQ(kill(pid, SIGTERM), 0);
	UNIT_EQ(tcflow(slave, TCOON), 0);
	close(slave);
	while (read(master, drop, sizeof(drop)) > 0)
		;
	UNIT_EQ(waitpid(pid, &status, 0), pid);
	UNIT_EQ(status, 0);
	close(master);
}

UNIT_MAIN("roc-record and roc-replay", {"written, read, checked", good},
	  {"two recordings in one folder", two_recordings},
	  {"another recording stays", another_recording},
	  {"descriptors 0 to 2 closed", closed_descriptors},
	  {"time frames of another length", time_frames}, {"files change by time", rotates_by_time},
	  {"a rate below the stall limit", slower_than_the_limit}, {"truncated files", cut},
	  {"damaged and foreign files", damaged},
	  {"the error file cannot be written", error_file_unwritable},
	  {"a missing file", one_file_missing}, {"counters with a full disk", full},
	  {"counters without space for a file", full_of_files},
	  {"a folder without write permission", may_not_write},
	  {"files are intact after a signal", interrupted},
	  {"files are intact after the terminal is closed", terminal_goes},
	  {"nohup continues without a terminal", terminal_may_go},
	  {"the reader of the messages has ended", reader_gone},
	  {"files of a killed writer", killed}, {"io_uring is refused", no_io_uring},
	  {"metrics", metrics}, {"metrics are not synced", metrics_without_disk},
	  {"metrics whose folder was missing", metrics_away},
	  {"a stopped terminal", stopped_terminal})
