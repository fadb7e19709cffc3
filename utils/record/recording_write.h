/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording while it is written: its files, and the commits to their indexes.
 */
#ifndef ROC_UTILS_RECORDING_WRITE_H
#define ROC_UTILS_RECORDING_WRITE_H

#include "file_io.h"
#include "recording.h"
#include "writer.h"

/* How far the end of a file is: each sync comes before what is written next. */
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
	uint64_t end;			   /* of what was handed out in the data file */
	uint64_t reserved, index_reserved; /* allocated */
	uint64_t bytes;			   /* end of the last unit that is there */
	uint64_t entries;
	struct unit_format written_format; /* as its head has it */
	enum recording_step step;
	bool anchored; /* its names and its head are on the disk */
};

struct recording_set {
	const struct record_options *opt;
	const struct unit_format *format;
	uint64_t run;
	unsigned int next;     /* number of the next file */
	uint64_t reserved_for; /* bytes of the units so far */
	struct direct direct;
	char *note; /* UNITS_REASON bytes: for what the user is to know although nothing failed */
};

/* Each returns 0, or -errno with the sentence in @reason. */
/*
 * Before the first file: -EEXIST if the folder has any file of this prefix, because a file with a
 * later number would end the recording when its turn comes.
 */
int recording_set_begin(const struct recording_set *set, char reason[UNITS_REASON]);
int recording_file_begin(struct recording_set *set, struct recording_file *f,
			 char reason[UNITS_REASON]);
/*
 * Blocks for a unit of @bytes and its entry. -ENOSPC: there are none for the entry, so the unit
 * must not be written. Blocks for the data are not promised: the write reports that they are
 * missing.
 */
int recording_file_reserve(struct recording_set *set, struct recording_file *f, uint64_t bytes);
/*
 * What comes over a network is known only with its units. 1: the head has to be written anew, as it
 * is in @head now; 0: it is up to date; -errno.
 */
int recording_file_head(const struct recording_set *set, struct recording_file *f,
			unsigned char head[RECORDING_HEADER], char reason[UNITS_REASON]);
/* Bytes of the index so far: where the next entry begins. */
uint64_t recording_file_index_bytes(const struct recording_file *f);
/* Count an entry that was written to the index. */
void recording_file_count(struct recording_file *f, const struct recording_entry *e);
/* Return what the data file has reserved and not handed out, so that the index has room. */
void recording_file_trim(struct recording_file *f);
/*
 * The next step to the end of a file: 1 when *@fd is to be synced before this is called again, with
 * what came of that as @synced (0 or -errno; 0 the first time); 0 when the file is ended. It is
 * closed by 0 and by -errno.
 */
int recording_file_end_step(const struct recording_set *set, struct recording_file *f, int synced,
			    int *fd, char reason[UNITS_REASON]);

/*
 * A commit adds entries to an index, after the data that they name. What is synced on the way is
 * the durability level (Documentation/recording.md).
 *
 * One operation is on its way at a time: two that the kernel starts in one call may run in any
 * order. Units that are written meanwhile wait for the next commit, so a slow sync makes larger
 * commits, not a slower recording.
 */

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

/* Owned by the sink, which sets the first block; all its entries are of one file. */
struct commit {
	struct writer_op op;
	struct writer *writer;
	const struct recording_set *set;
	/* The entries are in the index, or @err with the sentence. The commit is empty again. */
	void (*ended)(struct writer *w, int err, const char *reason);
	unsigned char *text; /* room for the entries of all units that the sink has */

	struct recording_file *file; /* NULL: no entry was added */
	enum commit_step step;
	struct iovec piece;
	size_t bytes;
	unsigned char head[RECORDING_HEADER];
	bool head_written;
	bool trimmed; /* the data file returned its reserve for the index */
};

/* In the order of the units, before commit_start(). */
void commit_add(struct commit *c, struct recording_file *f, const struct recording_entry *e);
/* May call ended() at once. */
void commit_start(struct commit *c);

#endif
