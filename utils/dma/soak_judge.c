// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Limits and verdicts of a soak.
 */
#include "soak.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char *const names[] = {
	[SOAK_PASS] = "PASS",
	[SOAK_WARN] = "WARN",
	[SOAK_FAIL] = "FAIL",
};

const char *soak_verdict_name(enum soak_verdict verdict)
{
	return names[verdict];
}

bool soak_broken(const struct soak_limits *limits, const char *name, double temperature,
		 const struct soak_counts *total, char reason[SOAK_REASON])
{
	if (temperature >= limits->temperature)
		snprintf(reason, SOAK_REASON,
			 "%s has %.1f degrees C; the limit is %.0f (--max-temperature).", name,
			 temperature, limits->temperature);
	else if (total->errors > limits->errors)
		snprintf(reason, SOAK_REASON,
			 "%s: %" PRIu64 " errors in the data, see " ERROR_LOG_FILE
			 "; the limit is %" PRIu64 " (--max-errors).",
			 name, total->errors, limits->errors);
	else if (total->dropped > limits->dropped)
		snprintf(reason, SOAK_REASON,
			 "%s: the card dropped %" PRIu64 "; the limit is %" PRIu64
			 " (--max-dropped).",
			 name, total->dropped, limits->dropped);
	else
		return false;
	return true;
}

/* A missing sensor causes no warning; roc-node-check reports it. */
enum soak_verdict soak_judge(const struct soak_limits *limits, const struct soak_period *p)
{
	if (p->temperature >= limits->temperature || p->errors > limits->errors ||
	    p->dropped > limits->dropped)
		return SOAK_FAIL;
	/* --stall-limit decides how long a lane may be without data. */
	if (p->temperature >= limits->temperature - SOAK_WARM || p->errors || p->dropped ||
	    (!p->units && p->seconds >= 1))
		return SOAK_WARN;
	return SOAK_PASS;
}

void soak_add_up(const struct soak_history *h, unsigned int lane, struct soak_sum *sum)
{
	double rate;
	size_t i;

	*sum = (struct soak_sum){.gap = -1, .temperature = NAN, .slowest = NAN};
	for (i = 0; i < h->count; i++) {
		const struct soak_period *p = &h->period[i];

		if (p->lane != lane)
			continue;
		rate = p->seconds > 0 ? (double)p->bytes / p->seconds : NAN;
		sum->periods++;
		sum->seconds += p->seconds;
		sum->units += p->units;
		sum->bytes += p->bytes;
		sum->errors += p->errors;
		sum->dropped += p->dropped;
		sum->slowest = fmin(sum->slowest, rate);
		sum->temperature = fmax(sum->temperature, p->temperature);
		sum->gap = p->gap > sum->gap ? p->gap : sum->gap;
		sum->verdict = p->verdict > sum->verdict ? p->verdict : sum->verdict;
	}
}

static double rate(const struct soak_sum *s)
{
	return s->seconds > 0 ? (double)s->bytes / s->seconds : 0;
}

bool soak_slow(const struct soak_sum *one, const struct soak_sum *fastest)
{
	return rate(one) < SOAK_ALIKE * rate(fastest);
}

int soak_history_add(struct soak_history *h, const struct soak_period *p)
{
	struct soak_period *more;

	if (h->count == h->capacity) {
		more = reallocarray(h->period, h->capacity ? 2 * h->capacity : 64, sizeof(*more));
		if (!more)
			return -ENOMEM;
		h->period = more;
		h->capacity = h->capacity ? 2 * h->capacity : 64;
	}
	h->period[h->count++] = *p;
	h->seconds = fmax(h->seconds, p->at);
	return 0;
}
