/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open what files are read and written with: an io_uring, memory that is registered with it, and
 * direct I/O. Short: the interface of file_io.c alone.
 */
#ifndef ROC_UTILS_FILE_IO_H
#define ROC_UTILS_FILE_IO_H

#include <liburing.h>

#include "utils/units/units.h"

/**
 * uring_open() - create an io_uring
 * @ring: filled in
 * @entries: of the submission queue
 * @reason: the reason and the remedy after an error
 *
 * Return: 0, or a negative errno.
 */
int uring_open(struct io_uring *ring, unsigned int entries, char reason[UNITS_REASON]);

/*
 * Memory of a source, registered with io_uring in parts: it is pinned once, not for each write.
 * Zeroed before the first use.
 */
struct pinned {
	struct iovec *parts;
	unsigned int count;
};

/* Without the right to pin so much there are no parts, and each write pins its own. */
void pinned_register(struct pinned *p, struct io_uring *ring, const struct source *source);
/* Number of the part that has all of this, or -1. */
int pinned_find(const struct pinned *p, const char *from, uint64_t length);
void pinned_free(struct pinned *p);

/*
 * Direct I/O in blocks of RECORDING_ALIGN bytes, or the page cache where a file system does not
 * take that: one without direct I/O, or one that needs larger blocks. Of all data files of a
 * recording.
 */
struct direct {
	bool buffered; /* on request, or because of the file system */
	bool probed;   /* I/O on an earlier file has worked */
};

/*
 * Set O_DIRECT on @fd, a data file that was opened without; the first time that this is not
 * possible, why in @note. An empty file that may be written is empty afterwards, too.
 */
void direct_begin(struct direct *d, int fd, const char *name, char note[UNITS_REASON]);

#endif
