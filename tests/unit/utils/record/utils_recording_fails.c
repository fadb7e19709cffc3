// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings on a disk that fails or is slow, and under a kernel that accepts no operations: no
 * file is wrongly marked as closed, and every unit is returned.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>

#include "tests/unit/utils/no_submit.h"
#include "tests/unit/utils/record/recording_dir.h"
#include "utils/record/recording_write.h"
#include "utils/units/pump.h"
#include "utils/units/sources.h"

static int fsync_error; /* for a folder */

int __wrap_fsync(int fd);
int __real_fsync(int fd);

int __wrap_fsync(int fd)
{
	if (!fsync_error)
		return __real_fsync(fd);
	errno = fsync_error;
	return -1;
}

static uint64_t ahead_ns; /* the clock */

uint64_t __wrap_fabric_now(void);
uint64_t __real_fabric_now(void);

uint64_t __wrap_fabric_now(void)
{
	return __real_fabric_now() + ahead_ns;
}

#define LARGE (700 << 10) /* two of them do not fit into one file */

/* @file_bytes: limit of a file, 0: none. @memory: memory of a unit, filled. */
static struct sink *open_sink(const char *path, uint64_t file_bytes, uint64_t unit, void **memory)
{
	struct record_options record = {
		.dir = path, .prefix = "run", .file_bytes = file_bytes, .depth = 4};
	static struct source source; /* the sink uses its format */
	struct sink *sink;

	source.format.unit_max = unit;
	*memory = NULL;
	UNIT_EQ(posix_memalign(memory, 4096, unit), 0);
	memset(*memory, 0x5a, unit);
	sink = sink_record(&record, &source, reason);
	UNIT_STR(reason, "");
	UNIT_NEED(sink);
	return sink;
}

static struct sink *two_files(const char *path, void **memory)
{
	return open_sink(path, 1 << 20, 1 << 20, memory);
}

static int put_large(struct sink *sink, void *memory, uint64_t handle)
{
	struct unit u = {.data = memory, .bytes = LARGE, .handle = handle};

	return sink->ops->put(sink, &u);
}

/* As in each turn of the pump. */
static int turn(struct sink *sink, unsigned int *back)
{
	uint64_t handles[4];
	int n, ret = sink->ops->flush(sink);

	n = ret ? ret : sink->ops->done(sink, handles, 4);
	*back += n > 0 ? (unsigned int)n : 0;
	return n;
}

/*
 * A file before the last one cannot be ended: its units were returned, and the run fails all the
 * same.
 */
static void end_fails(void)
{
	static const char *const expected[] = {
		"A recording could not be ended: Bad file descriptor.",
		"The index of the recording could not be closed: Bad file descriptor.",
		"The index of the recording could not be closed: Bad file descriptor.",
	};
	unsigned int i, back;
	struct sink *sink;
	void *memory;

	for (i = 0; i < 3; i++) {
		back = 0;
		sink = two_files(fresh("end"), &memory);
		bad_sync = i + 1;
		UNIT_EQ(put_large(sink, memory, 1), 1);
		UNIT_EQ(put_large(sink, memory, 2), 1);
		UNIT_EQ(sink->n.files, 2);
		CU_ASSERT_TRUE(UNIT_WAIT(turn(sink, &back) < 0, 20000));
		UNIT_EQ(bad_sync, 0);
		UNIT_EQ(back, 2);
		UNIT_EQ(put_large(sink, memory, 3), -EIO);
		UNIT_EQ(sink->ops->finish(sink), -EIO);
		UNIT_STR(sink->reason, expected[i]);
		sink_close(sink);
		free(memory);
	}
}

/* The last file cannot be ended. */
static void finish_fails(void)
{
	struct sink *sink;
	void *memory;

	sink = two_files(fresh("finish"), &memory);
	bad_sync = 1;
	UNIT_EQ(sink->ops->finish(sink), -EIO);
	UNIT_EQ(bad_sync, 0);
	UNIT_STR(sink->reason, "A recording could not be ended: Bad file descriptor.");
	sink_close(sink);
	free(memory);
}

static unsigned int closed_files(const char *path)
{
	struct recording recording;
	unsigned int i, n = 0;

	reason[0] = '\0';
	UNIT_EQ(recording_open(path, &recording, reason), 0);
	UNIT_STR(reason, "");
	for (i = 0; i < recording.count; i++)
		n += !!(recording.parts[i].header.flags & RECORDING_CLOSED);
	recording_close(&recording);
	return n;
}

/* A file of another program that appears after the start stays, and the recording is intact. */
static void meets(const char *name, const char *other_end)
{
	const char *path = fresh("meets");
	unsigned int back = 0;
	char other[160], expected[256];
	struct sink *sink;
	void *memory;

	sink = two_files(path, &memory);
	UNIT_EQ(put_large(sink, memory, 1), 1);
	snprintf(other, sizeof(other), "%s/%s", path, name);
	UNIT_EQ(close(creat(other, 0666)), 0);
	UNIT_EQ(put_large(sink, memory, 2), -EIO);
	snprintf(expected, sizeof(expected), "%s exists: choose another --prefix", other);
	CU_ASSERT_PTR_NOT_NULL(strstr(sink->reason, expected));
	CU_ASSERT_TRUE(UNIT_WAIT(turn(sink, &back) >= 0 && back == 1, 20000));
	sink_close(sink);
	free(memory);
	UNIT_EQ(access(other, F_OK), 0);
	snprintf(other, sizeof(other), "%s/run-000001.%s", path, other_end);
	CU_ASSERT_TRUE(access(other, F_OK));
}

static void another_comes(void)
{
	meets("run-000001.data", "index");
	meets("run-000001.index", "data");
}

static int slow_end;

static void end_it(int number)
{
	(void)number;
	close(slow_end);
}

/* The disk is still syncing a finished file: the next one is written without a wait. */
static void end_lasts(void)
{
	const char *path = fresh("lasts");
	unsigned int back = 0, before = syncs;
	struct units_sleep sleep = {.ns = UNITS_NS_PER_S};
	struct sink *sink;
	void *memory;

	sink = two_files(path, &memory);
	slow_end = begin_slow_sync();
	UNIT_NEED(slow_end >= 0);
	UNIT_EQ(put_large(sink, memory, 1), 1);
	UNIT_EQ(put_large(sink, memory, 2), 1);
	CU_ASSERT_TRUE(UNIT_WAIT(!turn(sink, &back) && back == 2, 20000));
	UNIT_EQ(sink->ops->flush(sink), 0);
	UNIT_EQ(syncs - before, 1);
	/* The second file is full, and the first one is not ended. */
	UNIT_EQ(put_large(sink, memory, 3), 0);
	UNIT_EQ(sink->n.files, 2);
	sink->ops->sleep(sink, &sleep);
	UNIT_EQ(sleep.ns, UNITS_NS_PER_S);
	UNIT_EQ(sleep.count, 1);
	end_slow_sync(slow_end);
	CU_ASSERT_TRUE(UNIT_WAIT(turn(sink, &back) >= 0 && put_large(sink, memory, 3) == 1, 20000));
	UNIT_EQ(sink->n.files, 3);
	UNIT_EQ(closed_files(path), 1);
	/* The end waits for the previous file, too. */
	slow_end = begin_slow_sync();
	UNIT_NEED(slow_end >= 0);
	CU_ASSERT_TRUE(UNIT_WAIT(!turn(sink, &back) && back == 3, 20000));
	signal(SIGALRM, end_it);
	alarm(1);
	UNIT_EQ(sink->ops->finish(sink), 0);
	signal(SIGALRM, SIG_DFL);
	close(slow_sync);
	slow_sync = -1;
	UNIT_EQ(closed_files(path), 3);
	sink_close(sink);
	free(memory);
}

/* The kernel does not accept a sync: the file is not marked as closed. */
static void end_refused(void)
{
	const char *path = fresh("refused");
	unsigned int back = 0;
	struct sink *sink;
	void *memory;

	sink = two_files(path, &memory);
	UNIT_EQ(put_large(sink, memory, 1), 1);
	CU_ASSERT_TRUE(UNIT_WAIT(turn(sink, &back) == 1, 20000));
	UNIT_EQ(put_large(sink, memory, 2), 1);
	submit_result = -ENOMEM;
	submit_refuses = UINT_MAX;
	alarm(60);
	sink->ops->abandon(sink);
	alarm(0);
	submit_refuses = 0;
	UNIT_EQ(sink->ops->finish(sink), -EIO);
	UNIT_STR(sink->reason, "The kernel accepts no writes: Cannot allocate memory.");
	sink_close(sink);
	/* The second file, which has no data, is deleted. */
	UNIT_EQ(closed_files(path), 0);
	free(memory);
}

/* Three units are abandoned; the kernel has accepted @first of their writes. */
static struct sink *abandoned(const char *path, void **memory, unsigned int first)
{
	struct sink *sink = open_sink(path, 0, 4096, memory);
	struct unit u = {.data = *memory, .bytes = 4096};
	unsigned int refuses = submit_refuses;

	submit_refuses = 0;
	for (u.handle = 1; u.handle <= 3; u.handle++) {
		if (u.handle == first + 1) {
			UNIT_EQ(sink->ops->flush(sink), 0);
			submit_refuses = refuses;
		}
		UNIT_EQ(sink->ops->put(sink, &u), 1);
	}
	alarm(60);
	sink->ops->abandon(sink);
	alarm(0);
	submit_refuses = 0;
	return sink;
}

/* Operations that the kernel did not accept are not waited for, and their units are returned. */
static void never_begun(void)
{
	uint64_t handles[4];
	struct sink *sink;
	unsigned int first;
	void *memory;

	for (first = 0; first < 3; first++) {
		submit_refuses = UINT_MAX;
		submit_result = -ENOMEM;
		sink = abandoned(fresh("never"), &memory, first);
		/* The written ones have no entry. */
		UNIT_EQ(sink->ops->done(sink, handles, 4), 0);
		UNIT_EQ(sink->ops->lost(sink, handles, 4), 3);
		UNIT_EQ(sink->n.lost, 3);
		UNIT_EQ(sink->ops->finish(sink), -EIO);
		UNIT_STR(sink->reason, "The kernel accepts no writes: Cannot allocate memory.");
		sink_close(sink);
		free(memory);
	}
}

static void begun_late(void)
{
	uint64_t handles[4];
	struct sink *sink;
	void *memory;

	submit_refuses = 3;
	submit_result = -EAGAIN;
	sink = abandoned(fresh("late"), &memory, 0);
	UNIT_EQ(sink->ops->done(sink, handles, 4), 3);
	UNIT_EQ(sink->ops->finish(sink), 0);
	UNIT_STR(sink->reason, "");
	sink_close(sink);
	free(memory);
}

/* Neither index nor data can be written any more: every unit is returned as lost. */
static void nothing_written(void)
{
	struct unit u = {.bytes = 4096, .handle = 1};
	struct sink *sink;
	uint64_t handles[4];
	void *memory;
	int null, fd;

	sink = open_sink(fresh("nothing"), 0, 4096, &memory);
	u.data = memory;
	UNIT_EQ(sink->ops->put(sink, &u), 1);
	UNIT_EQ(sink->ops->flush(sink), 0);
	fd = fd_of("/run-000000.index");
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	UNIT_NEED(fd >= 0 && null >= 0 && dup2(null, fd) == fd);
	close(null);
	for (u.handle = 2; u.handle <= 3; u.handle++)
		UNIT_EQ(sink->ops->put(sink, &u), 1);
	CU_ASSERT_TRUE(UNIT_WAIT(sink->ops->done(sink, handles, 4) == 0 &&
					 sink->ops->lost(sink, handles, 1) == 1,
				 20000));
	UNIT_EQ(handles[0], 1);
	submit_result = -ENOMEM;
	submit_refuses = UINT_MAX;
	alarm(60);
	sink->ops->abandon(sink);
	alarm(0);
	submit_refuses = 0;
	UNIT_EQ(sink->ops->done(sink, handles, 4), 0);
	UNIT_EQ(sink->ops->lost(sink, handles, 4), 2);
	UNIT_EQ(sink->n.lost, 3);
	UNIT_EQ(sink->n.units, 0);
	/* The error is reported after all units are returned. */
	CU_ASSERT_TRUE(sink->ops->lost(sink, handles, 4) < 0);
	UNIT_EQ(sink->ops->finish(sink), -EIO);
	sink_close(sink);
	free(memory);
}

/* A run whose index fails ends with that error, and all units are returned. */
static void index_fails(void)
{
	struct synthetic_options y = {.unit = 64 << 10, .total = 8 << 20, .rate = 64 << 20};
	struct record_options record = {.dir = fresh("fails"), .prefix = "run", .depth = 8};
	struct pump p = {.limits = {.time = 30}};
	double begin = unit_seconds();
	int null, fd;

	p.source = source_synthetic(&y, reason);
	UNIT_NEED(p.source);
	p.sink = sink_record(&record, p.source, reason);
	UNIT_NEED(p.sink);
	fd = fd_of("/run-000000.index");
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	UNIT_NEED(fd >= 0 && null >= 0 && dup2(null, fd) == fd);
	close(null);
	pump_run(&p);
	UNIT_EQ(p.end, PUMP_END_FAILED);
	UNIT_STR(p.reason, "The index of the recording cannot be written: Bad file descriptor.");
	UNIT_EQ(p.n.out, 0);
	UNIT_EQ(p.sink->n.units + p.sink->n.lost, p.n.units);
	CU_ASSERT_TRUE(unit_seconds() - begin < 20);
	sink_close(p.sink);
	source_close(p.source);
}

/*
 * The name of the folder cannot be synced. A file system that does not support it is not an error.
 */
static void folder_fails(void)
{
	struct record_options record = {
		.prefix = "run", .depth = 4, .durability = RECORDING_DURABLE_DISK};
	struct source source = {0};
	char expected[256];
	struct sink *sink;

	record.dir = fresh("folder");
	fsync_error = EIO;
	sink = sink_record(&record, &source, reason);
	CU_ASSERT_PTR_NULL(sink);
	sink_close(sink);
	snprintf(expected, sizeof(expected),
		 "The parent directory of %s cannot be synced: Input/output error.", record.dir);
	UNIT_STR(reason, expected);
	reason[0] = '\0';
	fsync_error = EINVAL;
	sink = sink_record(&record, &source, reason);
	fsync_error = 0;
	UNIT_NEED(sink);
	sink_close(sink);
}

/* An operation that the kernel refuses is retried for a limited time. */
static void refused_for_now(void)
{
	struct unit u = {.bytes = 4096, .handle = 1};
	uint64_t handle, refused;
	struct sink *sink;
	unsigned int i;
	void *memory;
	int ends[2];

	sink = open_sink(fresh("again"), 0, 4096, &memory);
	UNIT_NEED(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	no_data = ends[0];
	u.data = memory;
	UNIT_EQ(sink->ops->put(sink, &u), 1);
	for (i = 0; i < 2; i++) {
		refused = sink->n.batches + 5;
		CU_ASSERT_TRUE(UNIT_WAIT(sink->ops->flush(sink) ||
						 sink->ops->done(sink, &handle, 1) ||
						 sink->n.batches > refused,
					 20000));
		UNIT_EQ(sink->ops->lost(sink, &handle, 1), 0);
		ahead_ns = UNITS_TAKE_NS / 2;
	}
	ahead_ns = 2 * UNITS_TAKE_NS;
	CU_ASSERT_TRUE(UNIT_WAIT(!sink->ops->flush(sink) && !sink->ops->done(sink, &handle, 1) &&
					 sink->ops->lost(sink, &handle, 1) == 1,
				 20000));
	ahead_ns = 0;
	no_data = -1;
	CU_ASSERT_PTR_NOT_NULL(
		strstr(sink->reason, "cannot be written: Resource temporarily unavailable."));
	sink_close(sink);
	free(memory);
	close(ends[0]);
	close(ends[1]);
}

UNIT_MAIN("recordings that fail", {"a file that cannot be ended fails the run", end_fails},
	  {"a file of another program has the name", another_comes},
	  {"the last file cannot be ended", finish_fails}, {"a slow sync", end_lasts},
	  {"the kernel refuses a sync", end_refused},
	  {"operations that the kernel refused are dropped", never_begun},
	  {"operations that the kernel accepts later are written", begun_late},
	  {"neither data nor index can be written", nothing_written},
	  {"an index that fails ends the run", index_fails},
	  {"the name of the folder cannot be synced", folder_fails},
	  {"an operation that the kernel refuses repeatedly", refused_for_now})
