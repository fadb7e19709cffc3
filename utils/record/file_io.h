/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Set up file I/O: an io_uring, memory registered with it, and direct I/O. Short: the interface of
 * file_io.c alone.
 */
#ifndef ROC_UTILS_FILE_IO_H
#define ROC_UTILS_FILE_IO_H

#include <liburing.h>

#include "utils/units/units.h"

/**
 * uring_open() - create an io_uring
 * @ring: filled in
 * @entries: number of entries of the submission queue
 * @reason: the reason and the remedy after an error
 *
 * Return: 0, or a negative errno.
 */
int uring_open(struct io_uring *ring, unsigned int entries, char reason[UNITS_REASON]);

/*
 * Memory of a source, registered with io_uring in parts. It is pinned once, and not for each write.
 * Must be zeroed before the first use.
 */
struct pinned {
	struct iovec *parts;
	unsigned int count;
};

/*
 * Register the memory. If the limit of locked memory is too low, there are no parts, and each write
 * pins its own pages.
 */
void pinned_register(struct pinned *p, struct io_uring *ring, const struct source *source);
/* Return the number of the part that contains the whole range, or -1. */
int pinned_find(const struct pinned *p, const char *from, uint64_t length);
void pinned_free(struct pinned *p);

/*
 * Direct I/O in blocks of RECORDING_ALIGN bytes, for all data files of a recording. If the file
 * system does not support it, or needs larger blocks, the page cache is used.
 */
struct direct {
	bool buffered; /* requested, or required by the file system */
	bool probed;   /* I/O on an earlier file has succeeded */
};

/*
 * Set O_DIRECT on @fd, a data file that was opened without it. The first time that this is not
 * possible, @note has the reason. An empty file that is writable is empty afterwards, too.
 */
void direct_begin(struct direct *d, int fd, const char *name, char note[UNITS_REASON]);

#endif
