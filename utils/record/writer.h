/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write files one after the other with io_uring, from the memory of the data. A format
 * (sink_record.c, utils/evb/sink_file.c) determines the content of a file.
 *
 * An operation that the kernel refuses for now is retried for UNITS_TAKE_NS. After a short write,
 * another write continues. The previous file is synced by io_uring while the next one is written,
 * because a thread that waits for a sync could not serve the source. Only one file at a time is
 * being ended, so a disk that is too slow throttles the source.
 */
#ifndef ROC_UTILS_WRITER_H
#define ROC_UTILS_WRITER_H

#include <liburing.h>

#include "utils/units/units.h"

struct writer;

/* A write or a sync. The kernel accesses it and its memory until complete() is called. */
struct writer_op {
	/* @err: 0 or -errno. -EFBIG of a write: the file has reached its maximum size. */
	void (*complete)(struct writer *w, struct writer_op *op, int err);
	int fd;
	struct iovec *pieces; /* NULL: a sync. Modified during the write. */
	unsigned int count;
	int buffer;	/* index of the registered buffer with the only piece, -1: none */
	uint64_t place; /* offset in the file */
	uint64_t left;	/* bytes */
	/* Used by the writer. */
	uint64_t refused; /* see units_again() */
	struct writer_op *next, **link;
};

/* First member of a format's file. */
struct writer_file {
	unsigned int pending; /* units without a call of writer_unit_done() */
};

struct writer_format {
	/* Create a file and set w->file. Return: 0, or -errno with the reason. */
	int (*begin)(struct writer *w);
	/*
	 * Run the next step of the end of a file without pending units. @synced: result of the last
	 * sync, 0 at first. Return: 1: sync *@fd and call again; 0, or -errno with the reason: the
	 * file is closed and freed.
	 */
	int (*end)(struct writer *w, struct writer_file *f, int synced, int *fd);
	/* Called after operations completed: complete units, and start further operations. */
	void (*advance)(struct writer *w);
};

/* Set the first block before writer_open(), with @folder -1. */
struct writer {
	const struct writer_format *format;
	const char *dir;
	char *reason;	       /* buffer of UNITS_REASON bytes */
	bool *syncing;	       /* set while a disk sync is in progress: time limits are suspended */
	struct sink_counts *n; /* counters to which calls and batches are added */
	unsigned int align;    /* alignment of the rest of a short write */
	int folder;	       /* descriptor of @dir */

	struct writer_file *file;     /* NULL: none is open */
	struct writer_file *previous; /* file that is being ended, NULL: none */
	bool full;		      /* no more data is accepted */
	bool failed;

	/* Used by the writer. */
	struct io_uring ring;
	bool have_ring;
	bool broken;	       /* the kernel accepts no operations */
	struct writer_op sync; /* of @previous */
	bool ending;	       /* @sync is in flight */
	struct writer_op *ops; /* list of operations in flight */
	unsigned int syncs;    /* number of syncs in this list */
	unsigned int in_flight, queued;
};

/*
 * Return whether -errno @err means that the disk is full or the file has reached its maximum size.
 */
bool writer_no_space(int err);
/* Set the failed state after a failed write. */
void writer_fail(struct writer *w, int err);

/*
 * Create and open the folder, with @durable sync its name, and create an io_uring for @operations
 * concurrent operations and the sync of the previous file. Return: 0, or -errno with the reason.
 */
int writer_open(struct writer *w, unsigned int operations, bool durable);
/*
 * Wait until all files are ended, and close everything. May be called after a failed writer_open().
 */
void writer_close(struct writer *w);

/*
 * Get a file for data, a new one if @over. Return: 1: w->file accepts data; 0: the previous file is
 * not ended yet; -errno of begin().
 */
int writer_next(struct writer *w, bool over);
void writer_start(struct writer *w, struct writer_op *op);
/* Decrement the pending units of @f. */
void writer_unit_done(struct writer *w, struct writer_file *f);
/* Submit queued operations. Return: 0, or -errno with the reason. */
int writer_flush(struct writer *w);
/* Process completed operations, then submit queued ones. */
int writer_reap(struct writer *w);
/* End all files; no more data may follow. Return: 1 when done, 0 not yet, -EIO. */
int writer_finish(struct writer *w);
/* As writer_finish(), waiting until it is done. */
int writer_end(struct writer *w);
/* Wait until the kernel does not access any data. A sync of the previous file may continue. */
void writer_abandon(struct writer *w);
void writer_sleep(struct writer *w, struct units_sleep *sleep);

#endif
