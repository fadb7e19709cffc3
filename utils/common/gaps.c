// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long the card had room between finishing a superpage and getting the next. A card with one
 * superpage in flight takes no data in that time.
 */
#include "gaps.h"

#include <inttypes.h>

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
	/* The smallest number of gaps that is so large a part. */
	uint64_t wanted = all / 100 * percent + (all % 100 * percent + 99) / 100;
	unsigned int i;

	if (!all)
		return -1;
	for (i = 0; i < ROC_GAPS - 1; i++) {
		seen += gaps[i];
		if (seen >= wanted)
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

/* Upper limit of a bucket in us; the last one has none. */
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
