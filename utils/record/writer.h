/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write files one behind the other by io_uring, from where the data lie. A format (sink_record.c,
 * utils/evb/sink_file.c) decides what is in a file.
 *
 * An operation that the kernel refuses for now is tried again for UNITS_TAKE_NS; what a write
 * leaves is written by the next one. The file before is synced by io_uring, too, while the next one
 * is written: a thread that waited for the disk could not serve the source. Only one file is being
 * ended at a time, so the source notices a disk that is too slow.
 */
#ifndef ROC_UTILS_WRITER_H
#define ROC_UTILS_WRITER_H

#include <liburing.h>

#include "utils/units/units.h"

struct writer;

/* A write or a sync. The kernel reads it and its memory until complete() is called. */
struct writer_op {
	/* @err: 0 or -errno; -EFBIG of a write: the file may not be longer. */
	void (*complete)(struct writer *w, struct writer_op *op, int err);
	int fd;
	struct iovec *pieces; /* NULL: a sync. They change while they are written. */
	unsigned int count;
	int buffer;	/* registered one that has the only piece, -1: none */
	uint64_t place; /* in the file */
	uint64_t left;	/* bytes */
	/* Of the writer. */
	uint64_t refused; /* see units_again() */
	struct writer_op *next, **link;
};

/* Head of what a format keeps of a file. */
struct writer_file {
	unsigned int pending; /* units for which writer_unit_done() was not called */
};

struct writer_format {
	/* Create a file and set w->file: 0, or -errno with the sentence. */
	int (*begin)(struct writer *w);
	/*
	 * The next step to the end of a file that has nothing pending. @synced: result of the last
	 * sync, 0 at first. 1: sync *@fd and call again; 0, or -errno with the sentence: the file
	 * is closed and freed.
	 */
	int (*end)(struct writer *w, struct writer_file *f, int synced, int *fd);
	/* After operations were completed: settle units, start what comes next. */
	void (*advance)(struct writer *w);
};

/* The first block is set before writer_open(); @folder is -1. */
struct writer {
	const struct writer_format *format;
	const char *dir;
	char *reason;	       /* UNITS_REASON bytes */
	bool *syncing;	       /* set while a disk syncs: no limit of time counts */
	struct sink_counts *n; /* of which calls and batches are counted */
	unsigned int align;    /* of what is left of a write */
	int folder;	       /* descriptor of @dir */

	struct writer_file *file;     /* NULL: none is open */
	struct writer_file *previous; /* nothing new goes there: it is being ended */
	bool full;		      /* nothing more is taken */
	bool failed;

	/* Of the writer. */
	struct io_uring ring;
	bool have_ring;
	bool broken;	       /* the kernel takes nothing */
	struct writer_op sync; /* of @before */
	bool ending;	       /* it is started */
	struct writer_op *ops; /* started */
	unsigned int syncs;    /* of them */
	unsigned int in_flight, queued;
};

/* Is there no room, on the disk or in the file? @err: -errno. */
bool writer_no_space(int err);
/* A write failed. */
void writer_fail(struct writer *w, int err);

/*
 * Make and open the folder, with @durable sync its name, and open an io_uring for so many
 * operations at a time besides the sync of the file before. 0, or -errno with the sentence.
 */
int writer_open(struct writer *w, unsigned int operations, bool durable);
/* Wait until all files are ended, and close all. Also after a failed writer_open(). */
void writer_close(struct writer *w);

/* 1: w->file takes data, a new file if @over; 0: the one before is not ended; -errno of begin(). */
int writer_next(struct writer *w, bool over);
void writer_start(struct writer *w, struct writer_op *op);
/* One unit less pending in @f. */
void writer_unit_done(struct writer *w, struct writer_file *f);
/* Hand the kernel what was started. 0, or -errno with the sentence. */
int writer_flush(struct writer *w);
/* The same, after completed operations. */
int writer_reap(struct writer *w);
/* End all files: 1 done, 0 not yet, -EIO. Nothing more is written. */
int writer_finish(struct writer *w);
/* The same, waiting. */
int writer_end(struct writer *w);
/* Wait until the kernel has none of the memory: a sync of the file before may go on. */
void writer_abandon(struct writer *w);
void writer_sleep(struct writer *w, struct units_sleep *sleep);

#endif
