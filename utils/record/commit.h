/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A commit adds entries to an index, after the data that they name. What is synced on the way is
 * the durability level (Documentation/recording.md).
 *
 * The caller queues one operation at a time to its own io_uring: two that the kernel starts in one
 * call may run in any order. Units that are written meanwhile wait for the next commit, so a slow
 * sync makes larger commits, not a slower recording.
 */
#ifndef ROC_UTILS_COMMIT_H
#define ROC_UTILS_COMMIT_H

#include <liburing.h>

#include "recording.h"

enum commit_step {
	COMMIT_COLLECT,
	COMMIT_FOLDER_SYNC, /* the names of a new file */
	COMMIT_HEAD,
	COMMIT_HEAD_SYNC,
	COMMIT_DATA_SYNC,
	COMMIT_ENTRIES,
	COMMIT_ENTRIES_SYNC,
	COMMIT_END,
};

/* Owned by the sink; all its entries are of one file. */
struct commit {
	const struct recording_set *set;
	struct recording_file *file; /* NULL: no entry was added */
	enum commit_step step;
	unsigned char *text;
	size_t bytes;
	unsigned char head[RECORDING_HEADER];
	bool head_written;
	uint64_t refused; /* see units_again() */
	bool trimmed;	  /* the data file returned its reserve for the index */
};

/* @most: entries of a commit. 0, or -ENOMEM. */
int commit_init(struct commit *c, const struct recording_set *set, unsigned int most);
void commit_free(struct commit *c);
/* In the order of the units, before the first commit_advance(). */
void commit_add(struct commit *c, struct recording_file *f, const struct recording_entry *e);
/*
 * Queue the next operation, whose completion carries @c. @res: result of the one before, 0 at
 * first. 1: queued; 0: the entries are in the index; -errno with the sentence. The commit is empty
 * again after 0 and -errno.
 */
int commit_advance(struct commit *c, struct io_uring *ring, int res, char why[UNITS_WHY]);
/* Does a disk sync for it? */
bool commit_syncs(const struct commit *c);
/* Give up a commit whose operation the kernel will not complete. */
void commit_cancel(struct commit *c);

#endif
