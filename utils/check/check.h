/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checking of received superpages: pure functions of the data and of what came before on the
 * same link.
 *
 * All continuity is per link: what one link does says nothing about another. A struct checker is
 * owned by the reader that feeds it; one thread at a time.
 */
#ifndef ROC_UTILS_CHECK_H
#define ROC_UTILS_CHECK_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "utils/common/card.h"

/*
 * Errors found in data: all are counted, the first ones are written to a file, which exists only
 * if there was an error.
 *
 * Owned by its declarer; one thread at a time.
 */

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
	char reason[160];
};

void error_log_add(struct error_log *log, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void error_log_close(struct error_log *log);
/* The exit code for what was found, and its sentence. */
int error_log_verdict(const struct error_log *log);

#define CHECK_LINKS 32

struct check_config {
	enum check_data data;
	bool any_link; /* the header's link says nothing */
	bool enabled;  /* else nobody looks at the data */
	bool payload;  /* look behind the headers */
	bool resync;   /* after an error go on from what was found */
	bool tf_check;
	uint32_t page_size;	/* CHECK_INTERNAL */
	uint32_t frequency;	/* payload of every n-th page of a link is checked */
	uint32_t packet_modulo; /* packet counter: largest value + 1 */
	uint32_t tf_length;	/* orbits in a time frame */
};

struct check_link {
	uint64_t pages;
	/* INTERNAL, RUNNING: counter expected next; after an error also the one the bad page leads
	 * to */
	bool counter_known, other_known;
	uint32_t counter, other;
	/* RDH */
	bool packet_known, tf_known;
	uint32_t packet; /* packet counter expected next */
	uint32_t tf_end; /* first orbit after the current time frame */
};

struct checker {
	struct check_config config;
	struct error_log *errors;
	struct check_link links[CHECK_LINKS];
};

struct check_superpage {
	const void *data;
	uint32_t received; /* bytes the card wrote */
	uint32_t length;   /* bytes there was room for */
	unsigned int link; /* as the driver reports it */
	uint64_t number;   /* for messages */
};

void check_init(struct checker *c, const struct check_config *config, struct error_log *errors);

/* Check one superpage; returns how many DMA pages are in it, 0 if they are not counted. */
uint64_t check_superpage(struct checker *c, const struct check_superpage *sp);

/* Pages behind headers are only known to who walks through them. */
bool check_counts_pages(const struct check_config *config);

/* The two kinds of data, when they are checked. */
uint64_t check_internal(struct checker *c, const struct check_superpage *sp);
uint64_t check_rdh(struct checker *c, const struct check_superpage *sp);

/*
 * Index of the first 256-bit word in which not all eight lanes hold the counter, which starts at
 * @first and goes up by one per word; @words if all do.
 */
uint32_t check_counter_words(const void *data, uint32_t words, uint32_t first);
/*
 * The same for the payload of the detector data generator: 128-bit words of the lanes c, c,
 * c & 0xffff, 0. Works on bytes: a last incomplete word is compared too. Returns @bytes or the
 * offset of the first 128-bit word that is wrong.
 */
uint32_t check_ddg_bytes(const void *data, uint32_t bytes, uint32_t first);
/* Index of the first 32-bit word that is not @first plus its index; @words if all are. */
uint32_t check_running_words(const void *data, uint32_t words, uint32_t first);

/* Where an error is: the start of every message. */
#define CHECK_AT "link %u superpage %llu page %llu (offset 0x%x): "
#define CHECK_AT_ARGS(sp, page, offset)                                                            \
	(sp)->link, (unsigned long long)(sp)->number, (unsigned long long)(page), (offset)

#endif
