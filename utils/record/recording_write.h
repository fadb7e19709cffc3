/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of a recording while it is written: its files, and the commits to their indexes. */
#ifndef ROC_UTILS_RECORDING_WRITE_H
#define ROC_UTILS_RECORDING_WRITE_H

#include "file_io.h"
#include "recording.h"
#include "writer.h"

/* Progress of the end of a file: each sync precedes the next write. */
enum recording_step {
	RECORDING_WRITTEN,
	RECORDING_SYNC_DATA,
	RECORDING_SYNC_ENTRIES,
	RECORDING_SYNC_HEAD,
};

/* A file that is being written. */
struct recording_file {
	struct writer_file base;
	int data, index; /* -1: closed */
	unsigned int number;
	uint64_t begun;			   /* units_now() */
	uint64_t end;			   /* end of the allocated part of the data file */
	uint64_t reserved, index_reserved; /* bytes with reserved blocks */
	uint64_t bytes;			   /* end of the last unit in the index */
	uint64_t entries;
	struct unit_format written_format; /* the format in its header */
	enum recording_step step;
	bool anchored; /* its names and its header are on the disk */
};

struct recording_set {
	const struct record_options *opt;
	const struct unit_format *format;
	uint64_t run;
	unsigned int next;     /* number of the next file */
	uint64_t reserved_for; /* bytes of all units so far */
	struct direct direct;
	/* buffer of UNITS_REASON bytes: information for the user, although nothing failed */
	char *note;
};

/* Each returns 0, or -errno with the reason in @reason. */
/*
 * Called before the first file. Return: -EEXIST if the folder has any file of this prefix: a file
 * with a later number would collide with a file of this recording.
 */
int recording_set_begin(const struct recording_set *set, char reason[UNITS_REASON]);
int recording_file_begin(struct recording_set *set, struct recording_file *f,
			 char reason[UNITS_REASON]);
/*
 * Reserve blocks for a unit of @bytes and its entry. Return: -ENOSPC if there are none for the
 * entry; then the unit must not be written. Blocks for the data are not guaranteed: the write fails
 * if there are none.
 */
int recording_file_reserve(struct recording_set *set, struct recording_file *f, uint64_t bytes);
/*
 * Update the header for a format that changes during the run, as with a network source. Return: 1
 * with the new header in @head, which must be written; 0 if it is up to date; -errno.
 */
int recording_file_head(const struct recording_set *set, struct recording_file *f,
			unsigned char head[RECORDING_HEADER], char reason[UNITS_REASON]);
/* Return the bytes of the index, which is the offset of the next entry. */
uint64_t recording_file_index_bytes(const struct recording_file *f);
/* Count an entry that was written to the index. */
void recording_file_count(struct recording_file *f, const struct recording_entry *e);
/* Free blocks that the data file has reserved and not used, so that the index can use them. */
void recording_file_trim(struct recording_file *f);
/*
 * Run the next step of the end of a file. @synced: result of the last sync, 0 at first. Return: 1:
 * sync *@fd and call again; 0: the file is ended and closed; -errno: it is closed.
 */
int recording_file_end_step(const struct recording_set *set, struct recording_file *f, int synced,
			    int *fd, char reason[UNITS_REASON]);

/*
 * A commit appends entries to an index after the data that they refer to. The durability level
 * determines the syncs in between (Documentation/recording.md).
 *
 * Only one operation is in flight at a time, because the kernel may reorder two that are submitted
 * together. Units that are written meanwhile wait for the next commit, so a slow sync leads to
 * larger commits and not to a slower recording.
 */

enum commit_step {
	COMMIT_COLLECT,
	COMMIT_FOLDER_SYNC, /* sync the names of a new file */
	COMMIT_HEAD,
	COMMIT_HEAD_SYNC,
	COMMIT_DATA_SYNC,
	COMMIT_ENTRIES,
	COMMIT_ENTRIES_SYNC,
	COMMIT_END,
};

/* Owned by the sink, which sets the first block. All entries of a commit belong to one file. */
struct commit {
	struct writer_op op;
	struct writer *writer;
	const struct recording_set *set;
	/*
	 * Called when the entries are in the index, or with @err and the reason. The commit is
	 * empty again.
	 */
	void (*ended)(struct writer *w, int err, const char *reason);
	unsigned char *text; /* space for the entries of all units of the sink */

	struct recording_file *file; /* NULL: no entry was added */
	enum commit_step step;
	struct iovec piece;
	size_t bytes;
	unsigned char head[RECORDING_HEADER];
	bool head_written;
	bool trimmed; /* the data file freed its reserve for the index */
};

/* Add an entry, in the order of the units. Call before commit_start(). */
void commit_add(struct commit *c, struct recording_file *f, const struct recording_entry *e);
/* Start the commit. May call ended() before it returns. */
void commit_start(struct commit *c);

#endif
