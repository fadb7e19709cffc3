/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times, with three digits whatever their size: buckets as HdrHistogram lays them out (2048 to
 * begin with, then 1024 for each doubling), and its text of percentiles, which its plotters read.
 * Its C library is not in Debian, and this much of it is not worth another package. And the
 * driver's histogram of gaps. Short: both are arithmetic that every tool may use.
 */
#ifndef ROC_UTILS_HISTOGRAM_H
#define ROC_UTILS_HISTOGRAM_H

#include <roc/roc.h>

#include <stdint.h>
#include <stdio.h>

struct json;

#define HISTOGRAM_BITS 11			/* of the first buckets */
#define HISTOGRAM_MAX ((UINT64_C(1) << 38) - 1) /* larger counts as this: 275 s of ns */
#define HISTOGRAM_BUCKETS ((38 - HISTOGRAM_BITS + 2) << (HISTOGRAM_BITS - 1))

struct histogram {
	uint64_t counts[HISTOGRAM_BUCKETS];
	uint64_t total, max;
	double sum, squares;
};

/* How many of @total values are @percent of them: the smallest number that is not less. */
uint64_t histogram_rank(double percent, uint64_t total);
void histogram_add(struct histogram *h, uint64_t value);
/* The value that so many percent are not above; 0: there are none. */
uint64_t histogram_percentile(const struct histogram *h, double percent);
/* As HdrHistogram prints it; @unit: what a value is divided by. */
void histogram_print(const struct histogram *h, FILE *out, double unit);

/*
 * How long a card had room between finishing a superpage and getting the next, ROC_GAPS buckets as
 * the driver counts them.
 */

/*
 * The bucket that holds the @percent-th of the gaps, 100 for the longest; -1: there are none. All
 * of bucket i < ROC_GAPS - 1 are below 2^i us.
 */
int gaps_bucket(const uint64_t *gaps, unsigned int percent);
void gaps_text(FILE *out, const uint64_t *gaps);
void gaps_json(struct json *j, const uint64_t *gaps);

#endif
