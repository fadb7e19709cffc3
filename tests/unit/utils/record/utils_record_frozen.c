// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tools whose file system is frozen while they write to it: they end and report the file system.
 * Data that were committed before are intact after the thaw.
 */
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include "fake_sysfs.h"
#include "port.h"
#include "tests/unit/utils/record/recording_dir.h"
#include "tests/unit/utils/tool_run.h"

static char place[64];	  /* where the file system is mounted */
static int place_fd = -1; /* it can be frozen; -1: not mounted */

static void thaw(void)
{
	if (place_fd >= 0)
		ioctl(place_fd, FITHAW, 0);
}

static bool own_file_system(void)
{
	char command[512];

	if (geteuid() || !own_sysfs()) {
		unit_skip("a new mount namespace is not permitted here");
		return false;
	}
	snprintf(place, sizeof(place), "%.60s", fresh("frozen"));
	snprintf(
		command, sizeof(command),
		"PATH=$PATH:/sbin:/usr/sbin; mkdir %s && truncate -s 200M %s.img && mkfs.ext4 -q -F %s.img && mount -o loop %s.img %s 2> /dev/null",
		place, place, place, place, place);
	if (system(command)) {
		unit_skip("no file system can be mounted by a loop device here");
		return false;
	}
	place_fd = open(place, O_RDONLY | O_DIRECTORY);
	UNIT_NEED(place_fd >= 0);
	atexit(thaw); /* a frozen one cannot be unmounted */
	return true;
}

static void unmount(void)
{
	close(place_fd);
	place_fd = -1;
	/* A process that was blocked in it ends after the thaw. */
	CU_ASSERT_TRUE(UNIT_WAIT(!umount(place), 20000));
}

/* State and parent of a thread or process below /proc; 0: it has ended. */
static char state_of(const char *name, pid_t *parent)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.40s/stat", name);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d (%*[^)]) %c %d", &state, parent) != 2)
		state = 0;
	if (f)
		fclose(f);
	return state;
}

/* A thread of @process, or an io_uring worker of it, is blocked in the file system. */
static bool is_stuck(const char *process)
{
	char path[32], task[40];
	struct dirent *d;
	bool found = false;
	pid_t parent;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%.10s/task", process);
	tasks = opendir(path);
	while (tasks && !found && (d = readdir(tasks))) {
		snprintf(task, sizeof(task), "%.10s/task/%.10s", process, d->d_name);
		found = atoi(d->d_name) && state_of(task, &parent) == 'D';
	}
	if (tasks)
		closedir(tasks);
	return found;
}

/* The child of @pid that is blocked in the file system; 0: none. */
static pid_t stuck_in(pid_t pid)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	pid_t found = 0, parent;

	UNIT_NEED(proc);
	while (!found && (d = readdir(proc))) {
		pid_t at = atoi(d->d_name);

		if (at && state_of(d->d_name, &parent) && parent == pid && is_stuck(d->d_name))
			found = at;
	}
	closedir(proc);
	return found;
}

static bool is_gone(pid_t pid)
{
	char name[16];
	pid_t parent;

	snprintf(name, sizeof(name), "%d", pid);
	return !state_of(name, &parent);
}

static off_t size_of(const char *name)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", place, name);
	return stat(path, &st) ? 0 : st.st_size;
}

/* One signal: the tool waits for its time limit. Two: it ends soon. */
static void record_ends(bool twice)
{
	char output[160];
	pid_t pid, tool, stuck = 0;
	int64_t units;

	if (!own_file_system())
		return;
	snprintf(output, sizeof(output), "%s/out-%d", dir, twice);
	pid = tool_start(
		output,
		"record %s/r --synthetic --rate=40Mi --buffer-size=16Mi --superpage-size=256Ki --json",
		place);
	UNIT_NEED(UNIT_WAIT((tool = tool_child(pid)) > 0, 10000));
	CU_ASSERT_TRUE(UNIT_WAIT(size_of("r/run-000000.index") > 256 + 4 * 64, 20000));
	UNIT_EQ(ioctl(place_fd, FIFREEZE, 0), 0);
	CU_ASSERT_TRUE(UNIT_WAIT((stuck = stuck_in(tool)) > 0, 20000));
	kill(tool, SIGTERM);
	if (twice) {
		/* Signals within a second count as one. */
		usleep(1200000);
		kill(tool, SIGTERM);
	}
	UNIT_EQ(tool_wait(pid, twice ? 15000 : 35000), 1);
	tool_read(output);
	CU_ASSERT_TRUE(tool_printed("the file system does not respond"));
	CU_ASSERT_TRUE(tool_printed(place));
	units = tool_number("units");
	CU_ASSERT_TRUE(units >= 4);
	UNIT_EQ(tool_number("taken"), units + tool_number("lost"));
	UNIT_EQ(tool_number("counters.units"), tool_number("taken") + tool_number("left"));
	thaw();
	CU_ASSERT_TRUE(UNIT_WAIT(is_gone(stuck), 20000));
	UNIT_EQ(tool_run("replay %s/r --json", place), 0);
	CU_ASSERT_TRUE(tool_number("units") >= units);
	UNIT_EQ(tool_number("errors"), 0);
	unmount();
}

static void two_signals(void)
{
	record_ends(true);
}

static void one_signal(void)
{
	record_ends(false);
}

/* An event building node has one time limit for its end. */
static void builder(void)
{
	char output[160], conf[160];
	pid_t pid, tool, stuck = 0;
	FILE *f;

	if (!own_file_system())
		return;
	snprintf(output, sizeof(output), "%s/out", dir);
	snprintf(conf, sizeof(conf), "%s/evb.conf", dir);
	f = fopen(conf, "w");
	UNIT_NEED(f);
	fprintf(f,
		"[system]\nname = one\nreadouts = 1\nbuilders = 1\n"
		"[n1]\nroles = readout builder manager\nhost = 127.0.0.1\nmanager-port = %u\n",
		free_port());
	fclose(f);
	pid = tool_start(
		output,
		"evb node --name=n1 --coordinator=static:%s --sink=file:%s/e --source=synthetic:size=60000,rate=500 --json",
		conf, place);
	UNIT_NEED(UNIT_WAIT((tool = tool_child(pid)) > 0, 10000));
	CU_ASSERT_TRUE(UNIT_WAIT(size_of("e/n1-000000.mep") > 0, 30000));
	UNIT_EQ(ioctl(place_fd, FIFREEZE, 0), 0);
	CU_ASSERT_TRUE(UNIT_WAIT((stuck = stuck_in(tool)) > 0, 20000));
	kill(tool, SIGTERM);
	usleep(1200000);
	kill(tool, SIGTERM);
	UNIT_EQ(tool_wait(pid, 90000), 1);
	tool_read(output);
	CU_ASSERT_TRUE(tool_printed("the file system does not respond"));
	thaw();
	CU_ASSERT_TRUE(UNIT_WAIT(is_gone(stuck), 20000));
	unmount();
}

/*
 * Only the metrics are on it: data continue, the problem is reported once, and the tool ends in
 * order.
 */
static void metrics(void)
{
	char output[160];
	pid_t pid, tool;

	if (!own_file_system())
		return;
	snprintf(output, sizeof(output), "%s/out", dir);
	pid = tool_start(
		output,
		"record %s/elsewhere --synthetic --rate=1Mi --buffer-size=16Mi --superpage-size=256Ki --metrics=%s/m.prom --json",
		dir, place);
	UNIT_NEED(UNIT_WAIT((tool = tool_child(pid)) > 0, 10000));
	CU_ASSERT_TRUE(UNIT_WAIT(size_of("m.prom") > 0, 20000));
	UNIT_EQ(ioctl(place_fd, FIFREEZE, 0), 0);
	CU_ASSERT_TRUE(
		UNIT_WAIT(tool_printed_times(output, "m.prom: its file system") == 1, 20000));
	kill(tool, SIGTERM);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(output);
	UNIT_EQ(tool_printed_times(output, "its file system does not answer"), 1);
	CU_ASSERT_TRUE(tool_number("units") > 0);
	UNIT_EQ(tool_number("lost"), 0);
	thaw();
	unmount();
}

/* The number of metric @name in a file; -1: none. */
static double metric(const char *file, const char *name)
{
	double value = -1;
	char line[512];
	FILE *f = fopen(file, "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, name, strlen(name)) && strrchr(line, ' '))
			value = atof(strrchr(line, ' '));
	}
	if (f)
		fclose(f);
	return value;
}

/* If the file system responds while the tool ends, the file has the final values. */
static void newest_metrics(void)
{
	char output[160], file[128];
	pid_t pid, tool;

	if (!own_file_system())
		return;
	snprintf(output, sizeof(output), "%s/out", dir);
	snprintf(file, sizeof(file), "%s/m.prom", place);
	pid = tool_start(
		output,
		"record %s/newest --synthetic --rate=1Mi --buffer-size=16Mi --superpage-size=256Ki --metrics=%s --json",
		dir, file);
	UNIT_NEED(UNIT_WAIT((tool = tool_child(pid)) > 0, 10000));
	CU_ASSERT_TRUE(UNIT_WAIT(size_of("m.prom") > 0, 20000));
	UNIT_EQ(ioctl(place_fd, FIFREEZE, 0), 0);
	CU_ASSERT_TRUE(
		UNIT_WAIT(tool_printed_times(output, "m.prom: its file system") == 1, 20000));
	kill(tool, SIGTERM);
	/* Meanwhile the tool ends its recording; then it waits for the metrics, up to 5 s. */
	sleep(2);
	thaw();
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(output);
	CU_ASSERT_TRUE(tool_number("units") > 0);
	UNIT_EQ(metric(file, "roc_record_units_total"), tool_number("units"));
	unmount();
}

static pid_t child_of(pid_t pid)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	pid_t found = 0, parent;

	UNIT_NEED(proc);
	while (!found && (d = readdir(proc))) {
		if (atoi(d->d_name) && state_of(d->d_name, &parent) && parent == pid)
			found = atoi(d->d_name);
	}
	closedir(proc);
	return found;
}

/* A killed writer process is reported as such, and not as a frozen file system. */
static void killed(void)
{
	char output[160], index[160];
	pid_t pid, tool, writer = 0;
	struct stat st;

	fresh("killed");
	snprintf(index, sizeof(index), "%s/killed-r/run-000000.index", dir);
	snprintf(output, sizeof(output), "%s/killed-out", dir);
	pid = tool_start(
		output,
		"record %s/killed-r --synthetic --rate=40Mi --buffer-size=16Mi --superpage-size=256Ki --json",
		dir);
	UNIT_NEED(UNIT_WAIT((tool = tool_child(pid)) > 0, 10000));
	CU_ASSERT_TRUE(UNIT_WAIT(!stat(index, &st) && st.st_size > 256 + 4 * 64, 20000));
	UNIT_NEED(UNIT_WAIT((writer = child_of(tool)) > 0, 10000));
	kill(writer, SIGKILL);
	UNIT_EQ(tool_wait(pid, 30000), 1);
	tool_read(output);
	CU_ASSERT_TRUE(
		tool_printed("the writer process was killed, and its outstanding units are lost"));
	CU_ASSERT_FALSE(tool_printed("the file system does not respond"));
	UNIT_EQ(tool_number("taken"), tool_number("units") + tool_number("lost"));
}

/* A freeze for a limited time causes only a delay. */
static void goes_on(void)
{
	char output[160];
	pid_t pid, tool;
	int64_t units;

	if (!own_file_system())
		return;
	snprintf(output, sizeof(output), "%s/out", dir);
	pid = tool_start(
		output,
		"record %s/r --synthetic --rate=40Mi --buffer-size=16Mi --superpage-size=256Ki --units=200 --json",
		place);
	UNIT_NEED(UNIT_WAIT((tool = tool_child(pid)) > 0, 10000));
	CU_ASSERT_TRUE(UNIT_WAIT(size_of("r/run-000000.index") > 256 + 4 * 64, 20000));
	UNIT_EQ(ioctl(place_fd, FIFREEZE, 0), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(stuck_in(tool) > 0, 20000));
	thaw();
	UNIT_EQ(tool_wait(pid, 60000), 0);
	tool_read(output);
	units = tool_number("units");
	UNIT_EQ(units, 200);
	UNIT_EQ(tool_number("lost"), 0);
	UNIT_EQ(tool_run("replay %s/r --json", place), 0);
	UNIT_EQ(tool_number("units"), units);
	UNIT_EQ(tool_number("errors"), 0);
	unmount();
}

UNIT_MAIN("frozen file systems", {"roc-record ends after two signals", two_signals},
	  {"roc-record ends after one signal and the time limit", one_signal},
	  {"a thaw in time", goes_on}, {"metrics", metrics}, {"metrics of the end", newest_metrics},
	  {"roc-evb ends after two signals", builder}, {"a writer process that is killed", killed})
