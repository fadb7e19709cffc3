// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write a data file and its index. Blocks of both are allocated before the data arrive: allocation
 * slows down a write, and an index without blocks for its next entries would lose units that the
 * data file has. Blocks that were not used are freed when the file is closed. The header marks the
 * index as closed only after all else is written.
 */
#include "recording_write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "utils/common/files.h"

/* Blocks reserved ahead of the data: bytes, limited to a fraction of the free space. */
#define RESERVE (UINT64_C(256) << 20)
#define RESERVE_PART 8
#define INDEX_RESERVE (UINT64_C(64) << 10)

static int fail_create(const char *name, int err, char reason[UNITS_REASON])
{
	if (err == EEXIST)
		return units_fail(
			reason, err,
			"%s exists: choose another --prefix or directory, because existing files are not overwritten.",
			name);
	return units_fail(reason, err, "%s cannot be written: %s.", name, strerror(err));
}

static void header_of(const struct recording_set *set, const struct recording_file *f,
		      unsigned char head[RECORDING_HEADER], uint64_t time, uint32_t flags)
{
	const struct unit_format *format = set->format;
	struct recording_header h = {
		.flags =
			flags | RECORDING_DATA_CRC | (format->any_link ? RECORDING_ANY_LINK : 0) |
			(set->opt->durability != RECORDING_DURABLE_NONE ? RECORDING_DATA_FIRST : 0),
		.content = format->content,
		.page_bytes = format->page_bytes,
		.number = f->number,
		.run = set->run,
		.time = time,
		.entries = flags & RECORDING_CLOSED ? f->entries : 0,
		.bytes = flags & RECORDING_CLOSED ? f->bytes : 0,
		.unit_max = format->unit_max,
	};

	memcpy(h.from, format->from, sizeof(h.from));
	recording_put_header(head, &h);
}

/* Return: 0, or a positive errno. */
static int put_head(const struct recording_set *set, struct recording_file *f, uint64_t time,
		    uint32_t flags)
{
	unsigned char head[RECORDING_HEADER];
	ssize_t n;

	f->written_format = *set->format;
	header_of(set, f, head, time, flags);
	n = pwrite(f->index, head, sizeof(head), 0);
	return n == sizeof(head) ? 0 : n < 0 ? errno : ENOSPC;
}

/* Delete the files that this process has created. An existing file of the same name stays. */
static void unlink_files(const struct recording_set *set, const struct recording_file *f)
{
	const struct record_options *o = set->opt;
	char name[PATH_MAX];

	if (f->data >= 0) {
		numbered_name(o->dir, o->prefix, f->number, RECORDING_DATA, name);
		unlink(name);
	}
	if (f->index >= 0) {
		numbered_name(o->dir, o->prefix, f->number, RECORDING_INDEX, name);
		unlink(name);
	}
}

static void close_both(struct recording_file *f)
{
	if (f->data >= 0)
		close(f->data);
	if (f->index >= 0)
		close(f->index);
	f->data = f->index = -1;
}

static int fail_end(int err, char reason[UNITS_REASON])
{
	return units_fail(reason, err, "A recording could not be ended: %s.", strerror(err));
}

static int fail_close(int err, char reason[UNITS_REASON])
{
	return units_fail(reason, err, "The index of the recording could not be closed: %s.",
			  strerror(err));
}

static int make_data(struct recording_set *set, struct recording_file *f, char reason[UNITS_REASON])
{
	char name[PATH_MAX];

	f->data = numbered_create(set->opt->dir, set->opt->prefix, f->number, RECORDING_DATA, name);
	if (f->data < 0)
		return fail_create(name, -f->data, reason);
	direct_begin(&set->direct, f->data, name, set->note);
	return 0;
}

/* 0, or -errno. */
static int allocate(int fd, int mode, uint64_t at, uint64_t bytes)
{
	int ret;

	do {
		ret = fallocate(fd, mode, (off_t)at, (off_t)bytes) ? -errno : 0;
	} while (ret == -EINTR);
	return ret;
}

static uint64_t length_of_index(uint64_t entries)
{
	return RECORDING_HEADER + entries * RECORDING_ENTRY;
}

/* Reserve blocks for the current entries, those of the writes in flight, and one more. */
static int reserve_index(struct recording_file *f)
{
	uint64_t needed = length_of_index(f->entries + f->base.pending + 1), more;
	int ret = 0;

	if (needed <= f->index_reserved)
		return 0;
	for (more = INDEX_RESERVE; more >= RECORDING_ALIGN; more /= 2) {
		/*
		 * The reserved blocks do not change the length of the index, which determines its
		 * entries.
		 */
		ret = allocate(f->index, FALLOC_FL_KEEP_SIZE, f->index_reserved, more);
		if (!ret) {
			f->index_reserved += more;
			return 0;
		}
		if (!writer_no_space(ret))
			break;
	}
	if (writer_no_space(ret))
		return -ENOSPC;
	/* This file system does not support reservation. */
	f->index_reserved = UINT64_MAX;
	return 0;
}

static int make_index(const struct recording_set *set, struct recording_file *f,
		      char reason[UNITS_REASON])
{
	char name[PATH_MAX];
	int err;

	f->index =
		numbered_create(set->opt->dir, set->opt->prefix, f->number, RECORDING_INDEX, name);
	if (f->index < 0)
		return fail_create(name, -f->index, reason);
	err = -reserve_index(f);
	if (!err)
		err = put_head(set, f, units_realtime(), 0);
	return err ? fail_create(name, err, reason) : 0;
}

int recording_set_begin(const struct recording_set *set, char reason[UNITS_REASON])
{
	static const char *const ends[] = {RECORDING_DATA, RECORDING_INDEX, NULL};
	const char *dir = set->opt->dir;
	char name[NAME_MAX + 1], path[PATH_MAX];
	unsigned int number;
	int ret = numbered_last(dir, set->opt->prefix, ends, name, &number);

	if (ret < 0)
		return units_fail(reason, -ret, "%s cannot be read: %s.", dir, strerror(-ret));
	if (!ret)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fail_create(path, EEXIST, reason);
}

int recording_file_begin(struct recording_set *set, struct recording_file *f,
			 char reason[UNITS_REASON])
{
	int ret;

	*f = (struct recording_file){
		.data = -1, .index = -1, .number = set->next, .begun = units_now()};
	ret = make_data(set, f, reason);
	if (!ret)
		ret = make_index(set, f, reason);
	if (ret) {
		unlink_files(set, f);
		close_both(f);
		return ret;
	}
	set->next++;
	return 0;
}

static uint64_t part_of_free_space(const struct recording_file *f)
{
	struct statvfs disk;

	/* Some network file systems report no size. */
	if (fstatvfs(f->data, &disk) || !disk.f_blocks)
		return UINT64_MAX;
	return disk.f_bavail * disk.f_frsize / RESERVE_PART;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * All writes in flight end at f->end or before, so this truncates no data. ext4 and XFS keep blocks
 * of a failed fallocate() until then.
 */
void recording_file_trim(struct recording_file *f)
{
	if (!ftruncate(f->data, (off_t)f->end))
		f->reserved = f->end;
}

static void reserve_data(const struct recording_set *set, struct recording_file *f, uint64_t bytes)
{
	uint64_t more = RESERVE, total = set->opt->total_bytes, most = set->opt->file_bytes;
	int ret;

	if (f->end + bytes <= f->reserved)
		return;
	if (total)
		more = smaller(more, total > set->reserved_for ? total - set->reserved_for : 0);
	if (most)
		more = smaller(more, most > f->end ? most - f->end : 0);
	more = smaller(more, part_of_free_space(f));
	for (;; more /= 2) {
		if (more < bytes)
			more = bytes;
		more = (more + RECORDING_ALIGN - 1) & ~(uint64_t)(RECORDING_ALIGN - 1);
		ret = allocate(f->data, 0, f->end, more);
		if (!ret)
			break;
		if (!writer_no_space(ret)) {
			/* This file system does not support reservation. */
			f->reserved = UINT64_MAX;
			return;
		}
		recording_file_trim(f);
		/* The write determines how much fits. */
		if (more <= bytes)
			break;
	}
	f->reserved = f->end + more;
}

int recording_file_reserve(struct recording_set *set, struct recording_file *f, uint64_t bytes)
{
	int ret = reserve_index(f);

	if (ret && f->reserved > f->end) {
		recording_file_trim(f);
		ret = reserve_index(f);
	}
	if (ret)
		return ret;
	reserve_data(set, f, bytes);
	set->reserved_for += bytes;
	return 0;
}

/* Read the start time of the file from its header. */
static bool time_of(const struct recording_file *f, uint64_t *time, char reason[UNITS_REASON])
{
	unsigned char head[RECORDING_HEADER];
	struct recording_header h;

	if (pread(f->index, head, sizeof(head), 0) != sizeof(head) ||
	    recording_get_header(head, sizeof(head), &h) != RECORDING_GOOD) {
		units_fail(reason, EIO,
			   "The index of the recording was changed while it was written.");
		return false;
	}
	*time = h.time;
	return true;
}

int recording_file_head(const struct recording_set *set, struct recording_file *f,
			unsigned char head[RECORDING_HEADER], char reason[UNITS_REASON])
{
	const struct unit_format *is = set->format, *written_format = &f->written_format;
	uint64_t time;

	if (is->content == written_format->content &&
	    is->page_bytes == written_format->page_bytes &&
	    is->any_link == written_format->any_link && is->unit_max == written_format->unit_max)
		return 0;
	if (!time_of(f, &time, reason))
		return -EIO;
	f->written_format = *is;
	header_of(set, f, head, time, 0);
	return 1;
}

uint64_t recording_file_index_bytes(const struct recording_file *f)
{
	return length_of_index(f->entries);
}

void recording_file_count(struct recording_file *f, const struct recording_entry *e)
{
	f->entries++;
	if (e->offset + e->bytes > f->bytes)
		f->bytes = e->offset + e->bytes;
}

/* Close a file. A file without units is deleted, unless it is the only one. */
static void ended(const struct recording_set *set, struct recording_file *f)
{
	if (!f->entries && f->number)
		unlink_files(set, f);
	close_both(f);
}

/* Mark the index as closed, after all else is on the disk. */
static int close_head(const struct recording_set *set, struct recording_file *f,
		      char reason[UNITS_REASON])
{
	uint64_t time;
	int err;

	if (!time_of(f, &time, reason))
		return -EIO;
	err = put_head(set, f, time, RECORDING_CLOSED);
	return err ? fail_close(err, reason) : 0;
}

/* Do what precedes the next sync, if the last one succeeded. */
static int next_step(const struct recording_set *set, struct recording_file *f, int synced,
		     char reason[UNITS_REASON])
{
	switch (f->step) {
	case RECORDING_WRITTEN:
		if (ftruncate(f->data, (off_t)f->bytes))
			return fail_end(errno, reason);
		return ftruncate(f->index, (off_t)length_of_index(f->entries))
			       ? fail_close(errno, reason)
			       : 0;
	case RECORDING_SYNC_DATA:
		return synced ? fail_end(-synced, reason) : 0;
	case RECORDING_SYNC_ENTRIES:
		return synced ? fail_close(-synced, reason) : close_head(set, f, reason);
	case RECORDING_SYNC_HEAD:
		return synced ? fail_close(-synced, reason) : 0;
	}
	return -EINVAL;
}

int recording_file_end_step(const struct recording_set *set, struct recording_file *f, int synced,
			    int *fd, char reason[UNITS_REASON])
{
	int ret = next_step(set, f, synced, reason);

	if (ret) {
		close_both(f);
		return ret;
	}
	if (f->step == RECORDING_SYNC_HEAD) {
		ended(set, f);
		return 0;
	}
	*fd = f->step++ == RECORDING_WRITTEN ? f->data : f->index;
	return 1;
}
