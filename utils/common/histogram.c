// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Histogram of times with three significant digits.
 */
#include "histogram.h"

#include <inttypes.h>
#include <math.h>

#include "json.h"

#define HALF_BITS (HISTOGRAM_BITS - 1)

static unsigned int index_of(uint64_t value)
{
	unsigned int shift = 0;

	if (value >> HISTOGRAM_BITS)
		shift = 63 - (unsigned int)__builtin_clzll(value) - HALF_BITS;
	return (shift << HALF_BITS) + (unsigned int)(value >> shift);
}

/* Return the smallest value above bucket @index. */
static uint64_t top_of(unsigned int index)
{
	unsigned int shift = index >> HALF_BITS;

	/* The first two halves have the same bucket width. */
	shift = shift ? shift - 1 : 0;
	return ((uint64_t)(index - (shift << HALF_BITS)) + 1) << shift;
}

void histogram_add(struct histogram *h, uint64_t value)
{
	if (value > HISTOGRAM_MAX)
		value = HISTOGRAM_MAX;
	h->counts[index_of(value)]++;
	h->total++;
	h->sum += (double)value;
	h->squares += (double)value * (double)value;
	if (value > h->max)
		h->max = value;
}

uint64_t histogram_rank(double percent, uint64_t total)
{
	double exact = percent / 100 * (double)total, nearest = round(exact);

	/* 99.9 % of 1000 are 999, but 999.0000000000001 in floating point. */
	return (uint64_t)(fabs(exact - nearest) <= exact * 1e-12 ? nearest : ceil(exact));
}

uint64_t histogram_percentile(const struct histogram *h, double percent)
{
	uint64_t rank = histogram_rank(percent, h->total), seen = 0, top;
	unsigned int i;

	if (!h->total)
		return 0;
	for (i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
		seen += h->counts[i];
		if (seen >= rank && seen)
			break;
	}
	top = top_of(i) - 1;
	return top < h->max ? top : h->max;
}

static void line(FILE *out, uint64_t value, double fraction, uint64_t seen, double unit)
{
	fprintf(out, "%12.3f %2.12f %10" PRIu64, (double)value / unit, fraction, seen);
	if (fraction < 1)
		fprintf(out, " %14.2f", 1 / (1 - fraction));
	fputc('\n', out);
}

/* Print five lines for each halving of the remaining part. */
void histogram_print(const struct histogram *h, FILE *out, double unit)
{
	double total = (double)h->total, mean = h->total ? h->sum / total : 0;
	double next = 0, step = 10, left = 50;
	uint64_t seen = 0, top;
	unsigned int i;

	fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
		"1/(1-Percentile)");
	for (i = 0; seen < h->total && i < HISTOGRAM_BUCKETS; i++) {
		seen += h->counts[i];
		if (!h->counts[i] || 100 * (double)seen < next * total)
			continue;
		top = top_of(i) - 1 < h->max ? top_of(i) - 1 : h->max;
		line(out, top, (double)seen / total, seen, unit);
		while (seen < h->total && 100 * (double)seen >= next * total) {
			if (100 - next <= left) {
				left /= 2;
				step /= 2;
			}
			next += step;
		}
	}
	fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean / unit,
		h->total ? sqrt(fmax(h->squares / total - mean * mean, 0)) / unit : 0);
	fprintf(out, "#[Max     = %12.3f, Total count    = %12" PRIu64 "]\n", (double)h->max / unit,
		h->total);
	fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n", 38 - HISTOGRAM_BITS + 1,
		1 << HISTOGRAM_BITS);
}

/*
 * Gaps: how long the card had space for a superpage before it got the next one. A card with one
 * superpage in flight takes no data in that time.
 */

static uint64_t total(const uint64_t *gaps)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < ROC_GAPS; i++)
		sum += gaps[i];
	return sum;
}

int gaps_bucket(const uint64_t *gaps, unsigned int percent)
{
	uint64_t all = total(gaps), seen = 0;
	/* Smallest number of gaps that makes up @percent of them. */
	uint64_t rank = all / 100 * percent + (all % 100 * percent + 99) / 100;
	unsigned int i;

	if (!all)
		return -1;
	for (i = 0; i < ROC_GAPS - 1; i++) {
		seen += gaps[i];
		if (seen >= rank)
			break;
	}
	return (int)i;
}

static void bucket_text(int bucket, char *text, size_t size)
{
	if (bucket < ROC_GAPS - 1)
		snprintf(text, size, "< %u us", 1u << bucket);
	else
		snprintf(text, size, ">= %u us", 1u << (ROC_GAPS - 2));
}

void gaps_text(FILE *out, const uint64_t *gaps)
{
	char p50[24], p99[24], max[24];

	if (!total(gaps))
		return;
	bucket_text(gaps_bucket(gaps, 50), p50, sizeof(p50));
	bucket_text(gaps_bucket(gaps, 99), p99, sizeof(p99));
	bucket_text(gaps_bucket(gaps, 100), max, sizeof(max));
	fprintf(out, "  %-22s p50 %s, p99 %s, max %s\n", "Gap to next push", p50, p99, max);
}

/* Upper limit of a bucket in us; the last bucket has none. */
static void bucket_json(struct json *j, const char *key, int bucket)
{
	if (bucket < 0 || bucket == ROC_GAPS - 1)
		json_null(j, key);
	else
		json_unsigned(j, key, 1u << bucket);
}

void gaps_json(struct json *j, const uint64_t *gaps)
{
	unsigned int i;

	json_object(j, "gaps");
	json_unsigned(j, "count", total(gaps));
	bucket_json(j, "p50BelowUs", gaps_bucket(gaps, 50));
	bucket_json(j, "p99BelowUs", gaps_bucket(gaps, 99));
	bucket_json(j, "maxBelowUs", gaps_bucket(gaps, 100));
	json_array(j, "buckets");
	for (i = 0; i < ROC_GAPS; i++)
		json_unsigned(j, NULL, gaps[i]);
	json_array_end(j);
	json_object_end(j);
}
