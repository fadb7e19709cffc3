/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Check received superpages. The functions depend only on the data and on the previous data of the
 * same link; one link does not affect another.
 *
 * A struct checker is owned by the reader that feeds it; one thread at a time.
 */
#ifndef ROC_UTILS_CHECK_H
#define ROC_UTILS_CHECK_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "utils/common/card.h"

/*
 * Log of data errors. All errors are counted; the first ones are written to a file, which is
 * created at the first error.
 *
 * Owned by the declarer; one thread at a time.
 */

#define ERROR_LOG_FILE "readout_errors.txt"
#define ERROR_LOG_MAX 10000

struct error_log {
	const char *path; /* NULL: no file */
	const char *card; /* starts each line: several processes may share the file */
	bool keep;	  /* append to the file of an earlier run */
	uint64_t count;
	char last[256]; /* text of the last error that was formatted */
	FILE *file;
	bool broken; /* the file could not be opened or written, see @reason */
	char reason[160];
};

void error_log_add(struct error_log *log, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void error_log_close(struct error_log *log);
/* Report the errors. Return the exit code. */
int error_log_verdict(const struct error_log *log);

#define CHECK_LINKS 32

struct check_config {
	enum check_data data;
	bool any_link; /* the link number in a header is undefined */
	bool enabled;  /* false: do not check the data */
	bool payload;  /* check the payload, not only headers */
	bool resync;   /* after an error continue with the values found */
	bool tf_check;
	uint32_t page_size;	/* CHECK_INTERNAL */
	uint32_t frequency;	/* check the payload of every n-th page of a link */
	uint32_t packet_modulo; /* largest packet counter value + 1 */
	uint32_t tf_length;	/* orbits in a time frame */
};

struct check_link {
	uint64_t pages;
	/*
	 * INTERNAL, RUNNING: next expected counter; after an error also the continuation of the bad
	 * page
	 */
	bool counter_known, other_known;
	uint32_t counter, other;
	/* RDH */
	bool packet_known, tf_known;
	uint32_t packet; /* next expected packet counter */
	uint32_t tf_end; /* first orbit after the current time frame */
};

struct checker {
	struct check_config config;
	struct error_log *errors;
	struct check_link links[CHECK_LINKS];
};

struct check_superpage {
	const void *data;
	uint32_t received; /* bytes that the card wrote */
	uint32_t length;   /* size of the superpage */
	unsigned int link; /* as reported by the driver */
	uint64_t number;   /* for messages */
};

void check_init(struct checker *c, const struct check_config *config, struct error_log *errors);

/* Check one superpage. Return its number of DMA pages; 0 if they are not counted. */
uint64_t check_superpage(struct checker *c, const struct check_superpage *sp);

/*
 * True if pages are counted. Pages with headers can only be counted while their headers are
 * followed.
 */
bool check_counts_pages(const struct check_config *config);

/* Checkers of the two formats. */
uint64_t check_internal(struct checker *c, const struct check_superpage *sp);
uint64_t check_rdh(struct checker *c, const struct check_superpage *sp);

/*
 * Return the index of the first 256-bit word in which not all eight lanes hold the counter; @words
 * if all do. The counter starts at @first and increases by one per word.
 */
uint32_t check_counter_words(const void *data, uint32_t words, uint32_t first);
/*
 * The same for the payload of the detector data generator: 128-bit words with the lanes c, c, c &
 * 0xffff, 0. A last incomplete word is compared as well. Return the offset of the first wrong
 * 128-bit word, or @bytes.
 */
uint32_t check_ddg_bytes(const void *data, uint32_t bytes, uint32_t first);
/*
 * Return the index of the first 32-bit word that is not @first plus its index; @words if all are.
 */
uint32_t check_running_words(const void *data, uint32_t words, uint32_t first);

/* Location of an error: the start of every message. */
#define CHECK_AT "link %u superpage %llu page %llu (offset 0x%x): "
#define CHECK_AT_ARGS(sp, page, offset)                                                            \
	(sp)->link, (unsigned long long)(sp)->number, (unsigned long long)(page), (offset)

#endif
