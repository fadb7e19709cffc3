/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What came of a soak so far, and the log that keeps it for a later call. Short: apart from soak.h,
 * because soak_log.c uses json-c, whose names clash with those of utils/common/json.h.
 */
#ifndef ROC_UTILS_SOAK_HISTORY_H
#define ROC_UTILS_SOAK_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#define SOAK_REASON 768

/* From good to bad. */
enum soak_verdict {
	SOAK_PASS,
	SOAK_WARN,
	SOAK_FAIL,
};

/* A line of the log: what one lane did in one period. */
struct soak_period {
	unsigned int lane;
	double at; /* seconds since the soak began, pauses not counted: the end of the period */
	double seconds; /* that it lasted */
	uint64_t units, bytes;
	uint64_t errors, dropped;
	int gap;	    /* bucket of the longest, see gaps_bucket(); -1: not known */
	double temperature; /* highest, NAN: no sensor */
	enum soak_verdict verdict;
};

/* All of them, also those of earlier calls, in their order; period is to be freed. */
struct soak_history {
	struct soak_period *period;
	size_t count, capacity;
	double seconds;		  /* @at of the last one */
	char failed[SOAK_REASON]; /* why it ended for good; empty: it did not */
};

const char *soak_verdict_name(enum soak_verdict verdict);
int soak_history_add(struct soak_history *h, const struct soak_period *p); /* -ENOMEM */

struct soak_log;
/*
 * Open or make the log of lanes that are called so, and read what it has into @h. NULL: @reason has
 * the sentence.
 */
struct soak_log *soak_log_open(const char *path, const char *const *lanes, unsigned int count,
			       struct soak_history *h, char reason[SOAK_REASON]);
/* The periods from @first on. 0, or -errno. */
int soak_log_write(struct soak_log *log, const struct soak_history *h, size_t first);
/* It failed, and a later call need not go on. 0, or -errno. */
int soak_log_fail(struct soak_log *log, const char *reason);
void soak_log_close(struct soak_log *log);

#endif
