/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Direct I/O in blocks of RECORDING_ALIGN bytes, or the page cache where a file system does not
 * take that: one without direct I/O, or one that needs larger blocks.
 */
#ifndef ROC_UTILS_DIRECT_H
#define ROC_UTILS_DIRECT_H

#include "utils/units/units.h"

/* Of all data files of a recording. */
struct direct {
	bool buffered; /* on request, or because of the file system */
	bool probed;   /* I/O on an earlier file has worked */
};

/*
 * Set O_DIRECT on @fd, a data file that was opened without; the first time that this is not
 * possible, why in @note. An empty file that may be written is empty afterwards, too.
 */
void direct_begin(struct direct *d, int fd, const char *name, char note[UNITS_WHY]);

#endif
