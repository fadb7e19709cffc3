/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histogram of times with three significant digits, and the driver's histogram of gaps.
 *
 * The buckets are those of HdrHistogram (2048 buckets, then 1024 for each doubling), and so is the
 * text output, which its plotters read. Debian does not package the C library of HdrHistogram.
 */
#ifndef ROC_UTILS_HISTOGRAM_H
#define ROC_UTILS_HISTOGRAM_H

#include <roc/roc.h>

#include <stdint.h>
#include <stdio.h>

struct json;

#define HISTOGRAM_BITS 11			/* of the first buckets */
#define HISTOGRAM_MAX ((UINT64_C(1) << 38) - 1) /* larger values count as this one: 275 s in ns */
#define HISTOGRAM_BUCKETS ((38 - HISTOGRAM_BITS + 2) << (HISTOGRAM_BITS - 1))

struct histogram {
	uint64_t counts[HISTOGRAM_BUCKETS];
	uint64_t total, max;
	double sum, squares;
};

/* Return the smallest number of values that is at least @percent of @total. */
uint64_t histogram_rank(double percent, uint64_t total);
void histogram_add(struct histogram *h, uint64_t value);
/* Return the value that @percent of the values do not exceed; 0 for an empty histogram. */
uint64_t histogram_percentile(const struct histogram *h, double percent);
/* Print in the format of HdrHistogram. @unit: divisor of the values. */
void histogram_print(const struct histogram *h, FILE *out, double unit);

/*
 * Gaps: how long a card had space before it got the next superpage, in the ROC_GAPS buckets of the
 * driver.
 */

/*
 * Return the bucket of the @percent-th percentile, 100 for the longest gap; -1: no gaps. Bucket i <
 * ROC_GAPS - 1 has the gaps below 2^i us.
 */
int gaps_bucket(const uint64_t *gaps, unsigned int percent);
void gaps_text(FILE *out, const uint64_t *gaps);
void gaps_json(struct json *j, const uint64_t *gaps);

#endif
