// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the sink file with disks that are full or slow, with limits of the file size, with signals,
 * and with a kernel that refuses writes: each block is returned once, and the sink counts the lost
 * blocks.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/unit/utils/evb/sink_run.h"
#include "tests/unit/utils/no_submit.h"

/* Put all blocks that the sink accepts, and wait until they are returned. Return their number. */
static unsigned int give_all(struct block *blocks[], unsigned int count)
{
	unsigned int put = 0, back = 0;
	uint64_t handles[64];
	int ret = 0;

	while (put < count && sink.ops->put(sink.self, &blocks[put]->mep) == 1)
		put++;
	UNIT_EQ(sink.ops->flush(sink.self), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(
		(ret = sink.ops->done(sink.self, handles, 64)) >= 0 && (back += ret) == put, 5000));
	return put;
}

/* The files must agree with the counters of the sink. */
static void is_there(const struct evb_sink_counters *n)
{
	struct evb_sink_counters out;

	reason[0] = '\0';
	UNIT_EQ(evb_check_files(dir, &out, reason), 0);
	UNIT_EQ(out.blocks, n->blocks);
	UNIT_EQ(out.fragments, n->fragments);
	UNIT_EQ(out.errors, 0);
}

/*
 * The disk is full: the written blocks can be read, each block is returned, and the sink counts the
 * lost blocks. A batch is in flight at once, so blocks behind the failed one are lost, too,
 * although there was space for them.
 */
static void full(void)
{
	struct block *batch[60];
	struct evb_sink_counters n;
	unsigned int i, put;
	char text[128];

	make_folder();
	snprintf(text, sizeof(text), "file:%s", dir);
	open_it(text);
	full_disk = open("/dev/full", O_WRONLY | O_CLOEXEC);
	UNIT_NEED(full_disk >= 0);
	disk_ends = 40000;
	for (i = 0; i < 60; i++)
		batch[i] = make_block(i, 500, i < 5 || i > 6 ? 1 : -1);
	put = give_all(batch, 60);
	UNIT_EQ(sink.ops->put(sink.self, &batch[0]->mep), -ENOSPC);
	n = counters();
	UNIT_EQ(n.lost + n.blocks, put);
	CU_ASSERT_TRUE(n.lost > 1 && n.blocks > 0);
	CU_ASSERT_TRUE(strstr(sink.ops->reason(sink.self), "writes nothing more") != NULL);
	evb_sink_close(&sink);
	close(full_disk);
	full_disk = -1;
	for (i = 0; i < 60; i++)
		free_block(batch[i]);
	is_there(&n);
}

/* Limit the size of files; 0: restore the limit. */
static void limit_files(rlim_t bytes)
{
	static struct rlimit before;
	struct rlimit limit;

	if (!bytes) {
		UNIT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
		return;
	}
	signal(SIGXFSZ, SIG_IGN);
	UNIT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = bytes;
	UNIT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static unsigned int notes;
static char note[512];

void __wrap_tool_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void __wrap_tool_note(const char *fmt, ...)
{
	va_list ap;

	notes++;
	va_start(ap, fmt);
	vsnprintf(note, sizeof(note), fmt, ap);
	va_end(ap);
}

/* With a known limit of the file size, files end before it, and nothing is lost. */
static void limit_known(void)
{
	struct evb_sink_counters n;

	clean();
	limit_files(40000);
	n = record(",size=0", 60);
	limit_files(0);
	UNIT_EQ(n.blocks, 60);
	UNIT_EQ(n.lost, 0);
	CU_ASSERT_TRUE(n.files > 3);
	is_there(&n);
}

/* An unknown limit costs the blocks in flight when it is reached, once, which is logged. */
static void limit_found(void)
{
	struct block *batch[120];
	struct evb_sink_counters n;
	unsigned int i, put;
	char text[128];

	clean();
	notes = 0;
	snprintf(text, sizeof(text), "file:%s", dir);
	open_it(text);
	limit_files(40000);
	for (i = 0; i < 120; i++)
		batch[i] = make_block(i, 500, -1);
	put = give_all(batch, 60);
	n = counters();
	UNIT_EQ(n.lost + n.blocks, put);
	CU_ASSERT_TRUE(n.lost > 1 && n.blocks > 0);
	UNIT_EQ(n.files, 1);
	UNIT_EQ(notes, 1);
	CU_ASSERT_TRUE(strstr(note, "reached the limit of ulimit -f") != NULL);
	while (put < 120 && give(batch[put]) == 1)
		put++;
	UNIT_EQ(put, 120);
	UNIT_EQ(end(), 1);
	UNIT_EQ(counters().lost, n.lost);
	n = counters();
	UNIT_EQ(n.lost + n.blocks, 120);
	CU_ASSERT_TRUE(n.files > 3);
	UNIT_EQ(notes, 1);
	evb_sink_close(&sink);
	limit_files(0);
	for (i = 0; i < 120; i++)
		free_block(batch[i]);
	is_there(&n);
}

/* Only a block that is larger than the limit is lost. */
static void longer_than_files(void)
{
	struct block *large = make_block(0, 5000, -1), *small = make_block(1, 5000, 1);
	struct evb_sink_counters n;
	char text[128];

	clean();
	UNIT_NEED(roc_mep_bytes(&small->mep) < roc_mep_bytes(&large->mep));
	limit_files(roc_mep_bytes(&large->mep) - 1);
	snprintf(text, sizeof(text), "file:%s", dir);
	open_it(text);
	UNIT_EQ(give(large), 1);
	UNIT_EQ(counters().lost, 1);
	UNIT_EQ(give(small), 1);
	UNIT_EQ(end(), 1);
	n = counters();
	UNIT_EQ(n.lost, 1);
	UNIT_EQ(n.blocks, 1);
	UNIT_EQ(n.files, 1);
	evb_sink_close(&sink);
	limit_files(0);
	free_block(large);
	free_block(small);
	is_there(&n);
}

static void open_small(void)
{
	char text[64];

	snprintf(text, sizeof(text), "file:%s,size=40000", dir);
	open_it(text);
}

/* Put blocks until the sink accepts no more, or has @files files: 0, or -errno. */
static int fill(struct block *b, uint64_t files)
{
	uint64_t handle;
	int ret = 1;

	while (counters().files < files && ret > 0) {
		ret = sink.ops->put(sink.self, &b->mep);
		if (ret <= 0)
			break;
		UNIT_EQ(sink.ops->flush(sink.self), 0);
		CU_ASSERT_TRUE(
			UNIT_WAIT((ret = sink.ops->done(sink.self, &handle, 1)) != 0, 20000));
	}
	return ret < 0 ? ret : 0;
}

/* No space for another file has the same effect as no space in the file. */
static void no_next(void)
{
	struct block *b = make_block(0, 5000, -1);
	struct evb_sink_counters n, out;

	clean();
	open_small();
	no_inodes = true;
	UNIT_EQ(fill(b, 2), -ENOSPC);
	no_inodes = false;
	UNIT_EQ(sink.ops->put(sink.self, &b->mep), -ENOSPC);
	CU_ASSERT_TRUE(strstr(sink.ops->reason(sink.self), "writes nothing more") != NULL);
	UNIT_EQ(end(), 1);
	n = counters();
	UNIT_EQ(n.files, 1);
	UNIT_EQ(n.lost, 0);
	evb_sink_close(&sink);
	free_block(b);
	UNIT_EQ(evb_check_files(dir, &out, reason), 0);
	UNIT_EQ(out.blocks, n.blocks);
	CU_ASSERT_TRUE(out.blocks > 1);
}

/* The disk still syncs a finished file: the next one is written without waiting. */
static void end_lasts(void)
{
	struct roc_idle idle = {.ns = UNITS_NS_PER_S};
	struct block *b = make_block(0, 5000, -1);
	unsigned int before = syncs;
	uint64_t handle;
	int writer;

	clean();
	open_small();
	writer = begin_slow_sync();
	UNIT_NEED(writer >= 0);
	UNIT_EQ(fill(b, 3), 0);
	UNIT_EQ(counters().files, 2);
	UNIT_EQ(syncs - before, 1);
	UNIT_EQ(sink.ops->finish(sink.self), 0);
	sink.ops->idle(sink.self, &idle);
	UNIT_EQ(idle.ns, UNITS_NS_PER_S);
	UNIT_EQ(idle.count, 1);
	CU_ASSERT_TRUE(sink.syncing(sink.self));
	end_slow_sync(writer);
	CU_ASSERT_TRUE(UNIT_WAIT(sink.ops->done(sink.self, &handle, 0) >= 0 && !fill(b, 3) &&
					 counters().files == 3,
				 20000));
	UNIT_EQ(end(), 1);
	/* Each file and its folder are synced once. */
	UNIT_EQ(syncs - before, 6);
	evb_sink_close(&sink);
	free_block(b);
}

/* A failed sync of the data or the name of any file is a permanent failure. */
static void end_fails(void)
{
	struct block *b = make_block(0, 5000, -1);
	unsigned int i;

	for (i = 1; i <= 4; i++) {
		clean();
		open_small();
		bad_sync = i;
		UNIT_EQ(fill(b, 2) ?: end(), -EIO);
		UNIT_EQ(bad_sync, 0);
		CU_ASSERT_TRUE(strstr(sink.ops->reason(sink.self), "Bad file descriptor") != NULL);
		UNIT_EQ(sink.ops->finish(sink.self), -EIO);
		evb_sink_close(&sink);
	}
	free_block(b);
}

#define ALARMS 5 /* until the pipe is emptied */

static volatile sig_atomic_t alarms;
static int pipe_out;

static void on_alarm(int number)
{
	static char much[1 << 16];
	int err = errno;

	/* The pipe may be empty by then. */
	if (++alarms >= ALARMS && read(pipe_out, much, sizeof(much)) < 0)
		errno = err;
}

/* Create a full pipe: a write to it blocks until the pipe is read. */
static void full_pipe(int ends[2])
{
	void *fill;
	int room;

	UNIT_EQ(pipe(ends), 0);
	UNIT_EQ(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	room = fcntl(ends[1], F_GETPIPE_SZ);
	UNIT_NEED(room > 0);
	fill = calloc(1, (size_t)room);
	UNIT_NEED(fill);
	UNIT_EQ(write(ends[1], fill, (size_t)room), room);
	free(fill);
}

/*
 * The write of the first block hangs. The second one is in the file, but cannot be read before the
 * first one. So it is not returned or counted before the first one.
 */
static void one_hangs(void)
{
	static char much[1 << 16];
	struct block *blocks[2];
	uint64_t handles[2];
	unsigned int i, n = 0;
	int ends[2], ret = 0;
	char text[64];

	clean();
	snprintf(text, sizeof(text), "file:%s", dir);
	open_it(text);
	full_pipe(ends);
	full_disk = ends[1];
	disk_ends = 1;
	for (i = 0; i < 2; i++) {
		blocks[i] = make_block(i, 5000, -1);
		UNIT_EQ(sink.ops->put(sink.self, &blocks[i]->mep), 1);
	}
	UNIT_EQ(sink.ops->flush(sink.self), 0);
	CU_ASSERT_FALSE(UNIT_WAIT(sink.ops->done(sink.self, handles, 2) != 0, 300));
	UNIT_EQ(counters().blocks + counters().lost, 0);
	while (n < 2 && ret >= 0 &&
	       UNIT_WAIT(read(ends[0], much, sizeof(much)) > 0 ||
				 (ret = sink.ops->done(sink.self, handles, 2)),
			 20000))
		n += ret > 0 ? (unsigned int)ret : 0;
	UNIT_EQ(n, 2);
	UNIT_EQ(counters().blocks, 2);
	full_disk = -1;
	evb_sink_close(&sink);
	for (i = 0; i < 2; i++) {
		close(ends[i]);
		free_block(blocks[i]);
	}
}

/* Abandon blocks while signals arrive: the kernel reads their memory until the writes end. */
static void interrupted(void)
{
	struct sigaction action = {.sa_handler = on_alarm}, before;
	struct itimerval often = {{.tv_usec = 20000}, {.tv_usec = 20000}}, never = {0};
	struct block *b = make_block(0, 5000, -1);
	uint64_t handle = 0;
	char text[64];
	int ends[2];

	snprintf(text, sizeof(text), "file:%s", dir);
	open_it(text);
	full_pipe(ends);
	pipe_out = ends[0];
	UNIT_NEED(dup2(ends[1], opened) == opened);
	UNIT_EQ(sink.ops->put(sink.self, &b->mep), 1);
	alarms = 0;
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	sink.ops->abandon(sink.self);
	CU_ASSERT_TRUE(alarms >= ALARMS);
	UNIT_EQ(sink.ops->done(sink.self, &handle, 1), 1);
	UNIT_EQ(handle, b->mep.handle);
	UNIT_EQ(counters().blocks, 1);
	evb_sink_close(&sink);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	close(ends[0]);
	close(ends[1]);
	free_block(b);
}

/* Abandon three blocks, of which the kernel has accepted @first before it begins to refuse. */
static void abandon_blocks(unsigned int first, int result, unsigned int times, unsigned int well)
{
	struct block *blocks[3];
	uint64_t handles[4];
	unsigned int i;
	char text[64];

	snprintf(text, sizeof(text), "file:%s", dir);
	open_it(text);
	for (i = 0; i < 3; i++) {
		blocks[i] = make_block(i * 2, 5000, -1);
		if (i == first) {
			UNIT_EQ(sink.ops->flush(sink.self), 0);
			submit_result = result;
			submit_refuses = times;
		}
		UNIT_EQ(sink.ops->put(sink.self, &blocks[i]->mep), 1);
	}
	alarm(60);
	sink.ops->abandon(sink.self);
	alarm(0);
	submit_refuses = 0;
	UNIT_EQ(sink.ops->done(sink.self, handles, 4), 3);
	UNIT_EQ(counters().blocks, well);
	evb_sink_close(&sink);
	for (i = 0; i < 3; i++)
		free_block(blocks[i]);
}

/* Blocks that the kernel never accepted are returned without waiting. */
static void never_begun(void)
{
	unsigned int first;

	for (first = 0; first < 3; first++)
		abandon_blocks(first, -ENOMEM, UINT_MAX, first);
}

static void begun_late(void)
{
	abandon_blocks(0, -EAGAIN, 3, 3);
}

UNIT_MAIN("Failures of the sink file", {"full disk", full}, {"known limit of files", limit_known},
	  {"unknown limit of files", limit_found}, {"block larger than a file", longer_than_files},
	  {"no space for the next file", no_next}, {"slow end of a file", end_lasts},
	  {"failed end of a file", end_fails}, {"hanging block", one_hangs},
	  {"signals while blocks are abandoned", interrupted},
	  {"kernel refuses writes", never_begun}, {"kernel accepts writes late", begun_late})
