// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings on test file systems: one with little space left, one that needs larger blocks for
 * direct I/O than a recording has.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "tests/unit/utils/record/recording_dir.h"
#include "tests/unit/utils/tool_run.h"
#include "utils/record/recording.h"

#define MIB (UINT64_C(1) << 20)

static bool quota; /* there is less space than the file system reports */

int __wrap_fstatvfs(int fd, struct statvfs *disk);
int __real_fstatvfs(int fd, struct statvfs *disk);

int __wrap_fstatvfs(int fd, struct statvfs *disk)
{
	int ret = __real_fstatvfs(fd, disk);

	if (quota)
		disk->f_bavail = disk->f_blocks = UINT32_MAX;
	return ret;
}

static int64_t blocks = -1; /* block size for direct I/O in statx(); -1: unchanged */
static bool no_blocks;	    /* statx() does not report the block size */
static bool refuses;	    /* the file system refuses direct I/O in blocks of a recording */

int __wrap_statx(int at, const char *path, int flags, unsigned int mask, struct statx *st);
int __real_statx(int at, const char *path, int flags, unsigned int mask, struct statx *st);
ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at);
ssize_t __real_pwrite(int fd, const void *from, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at);
ssize_t __real_pread(int fd, void *to, size_t bytes, off_t at);

int __wrap_statx(int at, const char *path, int flags, unsigned int mask, struct statx *st)
{
	int ret = __real_statx(at, path, flags, mask, st);

	if (no_blocks)
		st->stx_mask &= ~STATX_DIOALIGN;
	if (blocks < 0)
		return ret;
	st->stx_mask |= STATX_DIOALIGN;
	st->stx_dio_offset_align = (uint32_t)blocks;
	st->stx_dio_mem_align = blocks ? 512 : 0;
	return ret;
}

static bool refused(int fd)
{
	return refuses && fcntl(fd, F_GETFL) & O_DIRECT;
}

ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at)
{
	if (!refused(fd))
		return __real_pwrite(fd, from, bytes, at);
	errno = EINVAL;
	return -1;
}

ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at)
{
	if (!refused(fd))
		return __real_pread(fd, to, bytes, at);
	errno = EINVAL;
	return -1;
}

static bool own_mounts(void)
{
	static int state; /* 1: yes, -1: no */

	if (!state)
		state = !unshare(CLONE_NEWNS) &&
					!mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL)
				? 1
				: -1;
	return state > 0;
}

/*
 * Return the path of an empty file system of @size on a loop device with sectors of @sector bytes;
 * NULL: the test is skipped. Unmounting deletes the device.
 */
static const char *disk(const char *mkfs, const char *size, unsigned int sector)
{
	const char *path = fresh("disk");
	char command[1024];

	if (!own_mounts()) {
		unit_skip("needs root for a mount namespace and a loop device");
		return NULL;
	}
	snprintf(command, sizeof(command),
		 "mkdir %s && rm -f %s.img && truncate -s %s %s.img && "
		 "loop=$(losetup -b %u -f --show %s.img) && { %s $loop > %s.log 2>&1 && "
		 "mount $loop %s; ret=$?; losetup -d $loop; exit $ret; }",
		 path, path, size, path, sector, path, mkfs, path, path);
	if (system(command)) {
		unit_skip("not possible here: %s on a loop device with blocks of %u", mkfs, sector);
		return NULL;
	}
	return path;
}

/* With 51 MiB of free space. */
static const char *small_disk(void)
{
	return disk("mkfs.ext4 -q -F", "64M", 512);
}

static uint64_t free_space(const char *path)
{
	struct statvfs disk;

	UNIT_NEED(!statvfs(path, &disk));
	return disk.f_bavail * disk.f_frsize;
}

static uint64_t allocated(const char *path)
{
	char name[160];
	struct stat st;

	snprintf(name, sizeof(name), "%s/r/run-000000.data", path);
	UNIT_NEED(!stat(name, &st));
	return (uint64_t)st.st_blocks * 512;
}

/* A recording in @path/r after its first unit of 1 MiB. */
static struct sink *one_unit(const char *path, uint64_t total_bytes)
{
	static struct source source = {.format.unit_max = MIB};
	static unsigned char memory[MIB] __attribute__((aligned(RECORDING_ALIGN)));
	struct unit u = {.data = memory, .bytes = MIB, .handle = 1};
	struct record_options record = {.prefix = "run", .depth = 4, .total_bytes = total_bytes};
	char name[160];
	struct sink *sink;
	uint64_t handle;

	snprintf(name, sizeof(name), "%s/r", path);
	record.dir = name;
	sink = sink_record(&record, &source, reason);
	UNIT_STR(reason, "");
	UNIT_NEED(sink);
	UNIT_EQ(sink->ops->put(sink, &u), 1);
	UNIT_EQ(sink->ops->flush(sink), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(sink->ops->done(sink, &handle, 1) == 1, 20000));
	return sink;
}

/* The recording ends when the disk is full, and not before. */
static void fills(const char *options, uint64_t unit)
{
	const char *path = small_disk();
	uint64_t space;
	int64_t written;

	if (!path)
		return;
	space = free_space(path);
	UNIT_EQ(tool_run(
			"record %s/r --synthetic --buffer-size=8Mi --bytes=10Gi --json --superpage-size=%" PRIu64
			" %s",
			path, unit, options),
		1);
	CU_ASSERT_TRUE(tool_printed("is full: the recording has ended"));
	written = tool_number("units");
	UNIT_EQ(tool_number("taken"), written + tool_number("lost"));
	unit_note("%s: %" PRId64 " units of %" PRIu64 " bytes in %" PRIu64 " free bytes", options,
		  written, unit, space);
	CU_ASSERT_TRUE((uint64_t)written * unit >= space / 100 * 97);
	UNIT_EQ(tool_run("replay %s/r --json", path), 0);
	UNIT_EQ(tool_number("units"), written);
	UNIT_EQ(tool_number("errors"), 0);
	UNIT_EQ(umount(path), 0);
}

static void nearly_full(void)
{
	/* So slowly that the index is written before the disk is full. */
	fills("--rate=20Mi", MIB);
	fills("--rate=20Mi --file-size=8Mi", 256 << 10);
	/* With an index that needs many blocks. */
	fills("", 8192);
	fills("--buffered", 8192);
}

/* Other programs can use the space that the recording has no data for yet. */
static void leaves_space(void)
{
	const char *path = small_disk();
	struct sink *sink;
	uint64_t space;

	if (!path)
		return;
	space = free_space(path);
	sink = one_unit(path, 0);
	CU_ASSERT_TRUE(free_space(path) > space / 4 * 3);
	UNIT_EQ(sink->ops->finish(sink), 0);
	/* Length and allocated blocks of both files match their content. */
	CU_ASSERT_TRUE(allocated(path) >= MIB && allocated(path) < MIB + MIB / 8);
	CU_ASSERT_TRUE(free_space(path) > space - MIB - MIB / 8);
	sink_close(sink);
	UNIT_EQ(umount(path), 0);
}

/* ext4 keeps blocks that a failed fallocate() has allocated. */
static void returns_space(void)
{
	const char *path = small_disk();
	struct sink *sink;

	if (!path)
		return;
	quota = true;
	sink = one_unit(path, 0);
	/* 256, 128 and 64 MiB are too much. */
	UNIT_EQ(allocated(path) / MIB, 32);
	quota = false;
	UNIT_EQ(sink->ops->finish(sink), 0);
	sink_close(sink);
	UNIT_EQ(umount(path), 0);
}

static void not_more_than_all(void)
{
	const char *path = fresh("all");
	struct sink *sink;

	UNIT_NEED(!mkdir(path, 0777));
	sink = one_unit(path, 3 * MIB);
	CU_ASSERT_TRUE(allocated(path) >= MIB && allocated(path) <= 4 * MIB);
	UNIT_EQ(sink->ops->finish(sink), 0);
	sink_close(sink);
}

/* Blocks of 16 KiB, and superpages that are not a multiple of them. */
static void large_blocks(void)
{
	const char *path = disk("mkfs.xfs -q -b size=16k -s size=16k", "320M", 16384);
	static const char expected[] =
		"needs blocks of 16384 bytes here, and a recording has blocks of 4096: the kernel copies the data.";
	const char *first;

	if (!path)
		return;
	UNIT_EQ(tool_run(
			"record %s/r --synthetic --buffer-size=8Mi --superpage-size=24Ki --units=40 --file-size=256Ki --json",
			path),
		0);
	UNIT_EQ(tool_number("units"), 40);
	CU_ASSERT_TRUE(tool_number("files") > 2);
	/* The note is printed once for all files. */
	first = strstr(tool_output, expected);
	CU_ASSERT_TRUE(first && !strstr(first + 1, expected));
	UNIT_EQ(tool_run("replay %s/r --json", path), 0);
	UNIT_EQ(tool_number("units"), 40);
	UNIT_EQ(tool_number("errors"), 0);
	CU_ASSERT_TRUE(tool_printed(expected));
	UNIT_EQ(tool_run("replay %s/r --json --buffered", path), 0);
	UNIT_EQ(tool_number("units"), 40);
	CU_ASSERT_PTR_NULL(strstr(tool_output, expected));
	UNIT_EQ(umount(path), 0);
}

static bool is_direct(const char *name)
{
	int fd = fd_of(name);

	UNIT_NEED(fd >= 0);
	return fcntl(fd, F_GETFL) & O_DIRECT;
}

/* Write and read, with direct I/O or, with this note, through the page cache. */
static void goes(bool direct, const char *expected)
{
	const char *path = fresh("direct");
	struct replay_options options = {.depth = 2};
	struct source *replay;
	char name[160];
	struct sink *sink;
	struct unit u;

	UNIT_NEED(!mkdir(path, 0777));
	sink = one_unit(path, 0);
	UNIT_EQ(is_direct("run-000000.data"), direct);
	CU_ASSERT_PTR_NOT_NULL(strstr(sink->note, expected));
	UNIT_EQ(!sink->note[0], direct);
	UNIT_EQ(sink->ops->finish(sink), 0);
	sink_close(sink);
	snprintf(name, sizeof(name), "%s/r", path);
	options.path = name;
	replay = source_replay(&options, reason);
	UNIT_STR(reason, "");
	UNIT_NEED(replay);
	UNIT_EQ(replay->ops->start(replay), 0);
	UNIT_EQ(is_direct("run-000000.data"), direct);
	CU_ASSERT_PTR_NOT_NULL(strstr(replay->note, expected));
	UNIT_EQ(!replay->note[0], direct);
	CU_ASSERT_TRUE(UNIT_WAIT(replay->ops->take(replay, &u) == 1, 20000));
	UNIT_EQ(u.bytes, MIB);
	UNIT_EQ(replay->ops->give_back(replay, u.handle), 0);
	source_close(replay);
}

static void direct_or_not(void)
{
	const char *path = fresh("any");
	int fd = open(path, O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);

	if (fd < 0) {
		unit_skip("/tmp has no direct I/O");
		return;
	}
	close(fd);
	blocks = 4096;
	goes(true, "");
	blocks = 16384;
	goes(false, "direct I/O needs blocks of 16384 bytes here");
	blocks = 0;
	goes(false, "this file system has no direct I/O");
	blocks = -1;
	/* Without an answer of statx(), a block is tried. */
	no_blocks = true;
	goes(true, "");
	refuses = true;
	goes(false, "this file system refuses direct I/O in blocks of 4096 bytes");
	no_blocks = refuses = false;
}

UNIT_MAIN("recordings and their disks", {"a nearly full disk is used to its end", nearly_full},
	  {"a small disk has space for others", leaves_space},
	  {"a reservation that fails is returned", returns_space},
	  {"not more than the limit of the run is reserved", not_more_than_all},
	  {"blocks of 16 KiB", large_blocks}, {"direct I/O, or the page cache", direct_or_not})
