// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times, with three digits whatever their size.
 */
#include "histogram.h"

#include <inttypes.h>
#include <math.h>

#define HALF_BITS (HISTOGRAM_BITS - 1)

static unsigned int index_of(uint64_t value)
{
	unsigned int shift = 0;

	if (value >> HISTOGRAM_BITS)
		shift = 63 - (unsigned int)__builtin_clzll(value) - HALF_BITS;
	return (shift << HALF_BITS) + (unsigned int)(value >> shift);
}

/* The largest value of a bucket. */
static uint64_t top_of(unsigned int index)
{
	unsigned int shift = index >> HALF_BITS;

	/* The first two halves are of the same width. */
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
	uint64_t wanted = histogram_rank(percent, h->total), seen = 0, top;
	unsigned int i;

	if (!h->total)
		return 0;
	for (i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
		seen += h->counts[i];
		if (seen >= wanted && seen)
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

/* Five lines for each halving of what is left. */
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
