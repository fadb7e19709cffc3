/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors found in data: all are counted, the first ones are written to a file, which exists only
 * if there was an error.
 *
 * Owned by whoever declares it; one thread at a time.
 */
#ifndef ROC_UTILS_ERROR_LOG_H
#define ROC_UTILS_ERROR_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define ERROR_LOG_FILE "readout_errors.txt"
#define ERROR_LOG_MAX 10000

struct error_log {
	const char *path; /* NULL: no file */
	const char *card; /* starts each line: several benches may share the file */
	bool keep;	  /* it goes on: what the file has of before stays */
	uint64_t count;
	char last[256]; /* text of the last error that was written out */
	FILE *file;
	bool broken; /* the file could not be opened or written; why has the sentence */
	char why[160];
};

void error_log_add(struct error_log *log, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void error_log_close(struct error_log *log);
/* The exit code for what was found, and its sentence. */
int error_log_verdict(const struct error_log *log);

#endif
