// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording_write.h"

#include <errno.h>
#include <string.h>

void commit_add(struct commit *c, struct recording_file *f, const struct recording_entry *e)
{
	c->file = f;
	recording_put_entry(c->text + c->bytes, e);
	c->bytes += RECORDING_ENTRY;
}

static int fail(const struct commit *c, int err, char reason[UNITS_REASON])
{
	switch (c->step) {
	case COMMIT_FOLDER_SYNC:
		return units_fail(reason, err, "The directory %s cannot be synced: %s.",
				  c->set->opt->dir, strerror(err));
	case COMMIT_DATA_SYNC:
		return units_fail(reason, err, "The data of the recording cannot be synced: %s.",
				  strerror(err));
	default:
		return units_fail(reason, err, "The index of the recording cannot be written: %s.",
				  strerror(err));
	}
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

static void end(struct commit *c, int err, const char *reason)
{
	c->file = NULL;
	c->step = COMMIT_COLLECT;
	c->bytes = 0;
	c->head_written = c->trimmed = false;
	c->ended(c->writer, err, reason);
}

static void start_step(struct commit *c)
{
	struct recording_file *f = c->file;
	struct writer_op *op = &c->op;

	*op = (struct writer_op){.complete = op->complete, .fd = f->index, .buffer = -1};
	c->piece = (struct iovec){0};
	switch (c->step) {
	case COMMIT_FOLDER_SYNC:
		op->fd = c->writer->folder;
		break;
	case COMMIT_HEAD:
		c->piece = (struct iovec){.iov_base = c->head, .iov_len = sizeof(c->head)};
		break;
	case COMMIT_DATA_SYNC:
		op->fd = f->data;
		break;
	case COMMIT_ENTRIES:
		c->piece = (struct iovec){.iov_base = c->text, .iov_len = c->bytes};
		op->place = recording_file_index_bytes(f);
		break;
	default:
		break;
	}
	if (c->piece.iov_len) {
		op->pieces = &c->piece;
		op->count = 1;
		op->left = c->piece.iov_len;
	}
	writer_start(c->writer, op);
}

static void next_step(struct commit *c)
{
	do {
		c->step++;
	} while (c->step != COMMIT_END && !needed(c, c->step));
	if (c->step == COMMIT_END)
		end(c, 0, "");
	else
		start_step(c);
}

static void completed(struct writer *w, struct writer_op *op, int err)
{
	struct commit *c = (struct commit *)op;
	char reason[UNITS_REASON] = "";

	(void)w;
	if (err == -ENOSPC && !c->trimmed) {
		c->trimmed = true;
		recording_file_trim(c->file);
		start_step(c);
	} else if (err) {
		fail(c, -err, reason);
		end(c, err, reason);
	} else {
		c->file->anchored |= c->step == COMMIT_HEAD_SYNC;
		next_step(c);
	}
}

void commit_start(struct commit *c)
{
	char reason[UNITS_REASON] = "";
	int ret = recording_file_head(c->set, c->file, c->head, reason);

	c->op.complete = completed;
	c->head_written = ret > 0;
	if (ret < 0)
		end(c, ret, reason);
	else
		next_step(c);
}
