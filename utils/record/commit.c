// SPDX-License-Identifier: GPL-2.0-or-later
#include "commit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int commit_init(struct commit *c, const struct recording_set *set, unsigned int most)
{
	c->set = set;
	c->text = malloc((size_t)most * RECORDING_ENTRY);
	return c->text ? 0 : -ENOMEM;
}

void commit_free(struct commit *c)
{
	free(c->text);
}

void commit_add(struct commit *c, struct recording_file *f, const struct recording_entry *e)
{
	c->file = f;
	recording_put_entry(c->text + c->bytes, e);
	c->bytes += RECORDING_ENTRY;
}

static int fail(const struct commit *c, int err, char why[UNITS_WHY])
{
	switch (c->step) {
	case COMMIT_FOLDER_SYNC:
		return units_fail(why, err, "The folder %s cannot be synced: %s.", c->set->opt->dir,
				  strerror(err));
	case COMMIT_DATA_SYNC:
		return units_fail(why, err, "The data of the recording cannot be synced: %s.",
				  strerror(err));
	default:
		return units_fail(why, err, "The index of the recording cannot be written: %s.",
				  strerror(err));
	}
}

/* 0 the operation is complete; 1 it has to run again; -errno. */
static int judge(struct commit *c, int res)
{
	size_t length = c->step == COMMIT_HEAD	    ? sizeof(c->head)
			: c->step == COMMIT_ENTRIES ? c->bytes
						    : 0;

	if ((res == -EAGAIN || res == -EINTR) && units_again(&c->refused))
		return 1;
	if (c->step == COMMIT_FOLDER_SYNC && res == -EINVAL)
		return 0; /* this file system cannot sync a folder */
	if (res >= 0 && (size_t)res < length)
		res = -ENOSPC;
	if (res == -ENOSPC && !c->trimmed) {
		c->trimmed = true;
		recording_file_trim(c->file);
		return 1;
	}
	return res < 0 ? res : 0;
}

static bool needed(struct commit *c, enum commit_step step)
{
	bool durable = c->set->opt->durability != RECORDING_DURABLE_NONE;

	switch (step) {
	case COMMIT_FOLDER_SYNC:
		return durable && !c->file->anchored;
	case COMMIT_HEAD:
		return c->head_written;
	case COMMIT_HEAD_SYNC:
		return durable && (c->head_written || !c->file->anchored);
	case COMMIT_DATA_SYNC:
		return durable;
	case COMMIT_ENTRIES_SYNC:
		return c->set->opt->durability == RECORDING_DURABLE_DISK;
	default:
		return true;
	}
}

static void queue(struct commit *c, struct io_uring *ring)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
	const struct recording_file *f = c->file;

	switch (c->step) {
	case COMMIT_FOLDER_SYNC:
		io_uring_prep_fsync(sqe, c->set->folder, 0);
		break;
	case COMMIT_HEAD:
		io_uring_prep_write(sqe, f->index, c->head, sizeof(c->head), 0);
		break;
	case COMMIT_ENTRIES:
		io_uring_prep_write(sqe, f->index, c->text, (unsigned int)c->bytes,
				    recording_file_index_bytes(f));
		break;
	case COMMIT_DATA_SYNC:
		io_uring_prep_fsync(sqe, f->data, IORING_FSYNC_DATASYNC);
		break;
	default:
		io_uring_prep_fsync(sqe, f->index, IORING_FSYNC_DATASYNC);
	}
	io_uring_sqe_set_data(sqe, c);
}

bool commit_syncs(const struct commit *c)
{
	switch (c->step) {
	case COMMIT_FOLDER_SYNC:
	case COMMIT_HEAD_SYNC:
	case COMMIT_DATA_SYNC:
	case COMMIT_ENTRIES_SYNC:
		return true;
	default:
		return false;
	}
}

void commit_cancel(struct commit *c)
{
	c->file = NULL;
	c->step = COMMIT_COLLECT;
	c->bytes = 0;
	c->head_written = c->trimmed = false;
	c->refused = 0;
}

int commit_advance(struct commit *c, struct io_uring *ring, int res, char why[UNITS_WHY])
{
	int ret;

	if (c->step == COMMIT_COLLECT) {
		ret = recording_file_head(c->set, c->file, c->head, why);
		c->head_written = ret > 0;
	} else {
		ret = judge(c, res);
		if (ret < 0)
			fail(c, -ret, why);
	}
	if (ret < 0) {
		commit_cancel(c);
		return ret;
	}
	if (c->step == COMMIT_COLLECT || !ret) {
		c->refused = 0;
		if (c->step == COMMIT_HEAD_SYNC)
			c->file->anchored = true;
		do {
			c->step++;
		} while (c->step != COMMIT_END && !needed(c, c->step));
	}
	if (c->step == COMMIT_END) {
		commit_cancel(c);
		return 0;
	}
	queue(c, ring);
	return 1;
}
