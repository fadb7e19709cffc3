/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * History of a soak, and the log that keeps it for a later call.
 *
 * Separate from soak.h, because soak_log.c uses json-c, whose names clash with utils/common/json.h.
 */
#ifndef ROC_UTILS_SOAK_HISTORY_H
#define ROC_UTILS_SOAK_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#define SOAK_REASON 768

/* In order of severity. */
enum soak_verdict {
	SOAK_PASS,
	SOAK_WARN,
	SOAK_FAIL,
};

/* Result of one lane in one period: a line of the log. */
struct soak_period {
	unsigned int lane;
	double at;	/* end of the period: seconds since the start, without interruptions */
	double seconds; /* length of the period */
	uint64_t units, bytes;
	uint64_t errors, dropped;
	int gap;	    /* bucket of the longest gap, see gaps_bucket(); -1: unknown */
	double temperature; /* highest, NAN: no sensor */
	enum soak_verdict verdict;
};

/* All periods in order, including earlier calls; the owner frees @period. */
struct soak_history {
	struct soak_period *period;
	size_t count, capacity;
	double seconds;		  /* @at of the last period */
	char failed[SOAK_REASON]; /* why the soak failed; empty: it did not */
};

const char *soak_verdict_name(enum soak_verdict verdict);
int soak_history_add(struct soak_history *h, const struct soak_period *p); /* -ENOMEM */

struct soak_log;
/*
 * Open or create the log of @lanes and read its periods into @h. Return NULL with a message in
 * @reason on failure.
 */
struct soak_log *soak_log_open(const char *path, const char *const *lanes, unsigned int count,
			       struct soak_history *h, char reason[SOAK_REASON]);
/* Write the periods from @first on. Return 0 or -errno. */
int soak_log_write(struct soak_log *log, const struct soak_history *h, size_t first);
/* Record that the soak failed, so that a later call does not continue it. Return 0 or -errno. */
int soak_log_fail(struct soak_log *log, const char *reason);
void soak_log_close(struct soak_log *log);

#endif
