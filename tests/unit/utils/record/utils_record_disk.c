// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings on file systems of the test's own: one with little space left.
 */
#include "unit.h"

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

/* Path of an empty ext4 with 51 MiB of free space; NULL: the test is skipped. */
static const char *small_disk(void)
{
	const char *path = fresh("disk");
	char command[512];

	if (!own_mounts()) {
		unit_skip("needs root for a mount namespace and a loop device");
		return NULL;
	}
	snprintf(command, sizeof(command),
		 "mkdir %s && truncate -s 64M %s.img && mkfs.ext4 -q -F %s.img && "
		 "mount -o loop %s.img %s",
		 path, path, path, path, path);
	if (system(command)) {
		unit_skip("no ext4 on a loop device here: %s", command);
		return NULL;
	}
	return path;
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

/* A recording in @path/r after its first unit, of 1 MiB. */
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
	sink = sink_record(&record, &source, why);
	UNIT_STR(why, "");
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
	UNIT_EQ(tool_run("record %s/r --synthetic --buffer-size=8Mi --bytes=10Gi --json "
			 "--superpage-size=%" PRIu64 " %s",
			 path, unit, options),
		1);
	CU_ASSERT_TRUE(tool_says("is full: nothing more is taken"));
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

/* Programs beside a recording have space as long as the data have not come. */
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
	/* Both files are as long as what is in them, and so are their blocks. */
	CU_ASSERT_TRUE(allocated(path) >= MIB && allocated(path) < MIB + MIB / 8);
	CU_ASSERT_TRUE(free_space(path) > space - MIB - MIB / 8);
	sink_close(sink);
	UNIT_EQ(umount(path), 0);
}

/* ext4 keeps what a failed fallocate() got. */
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

UNIT_MAIN("recordings and their disks", {"a nearly full disk is used to its end", nearly_full},
	  {"a small disk has space for others", leaves_space},
	  {"a reservation that fails is returned", returns_space},
	  {"no more is reserved than the run takes", not_more_than_all})
