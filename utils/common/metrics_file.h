/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --metrics of a tool that goes on for long: a file for Prometheus, written anew again and again. A
 * disk that is full for a while, or a folder that is missing, ends no run: the next one is tried
 * all the same, and what is said of it is said once.
 */
#ifndef ROC_UTILS_METRICS_FILE_H
#define ROC_UTILS_METRICS_FILE_H

#include <stdbool.h>

#include "output.h"
#include "prometheus.h"

/* Owned by the tool; all 0 but the path. */
struct metrics_file {
	const char *path; /* NULL: none is asked for */
	bool broken;	  /* the last one could not be written */
	char note[OUTPUT_WHY + 32];
};

/*
 * Replace the file by what @print prints. Each sample gets the label file with the absolute path.
 * A sentence when it begins to fail and when it is well again, which is the file's until the next
 * one; else NULL.
 */
const char *metrics_file_write(struct metrics_file *m,
			       void (*print)(struct prometheus *p, void *what), void *what);

#endif
