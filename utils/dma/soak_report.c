// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output of a soak: a line for each verdict, and the totals of each lane.
 */
#include "soak.h"

#include <inttypes.h>
#include <math.h>

#include "utils/common/json.h"
#include "utils/common/output.h"

static const char *colour(enum soak_verdict verdict)
{
	return verdict == SOAK_PASS ? COLOUR_GOOD : verdict == SOAK_WARN ? COLOUR_WARN : COLOUR_BAD;
}

static double per_second(uint64_t bytes, double seconds)
{
	return seconds > 0 ? (double)bytes * 8 / 1e9 / seconds : NAN;
}

static void gap_text(int gap, char text[24])
{
	if (gap < 0)
		snprintf(text, 24, "-");
	else if (gap < ROC_GAPS - 1)
		snprintf(text, 24, "< %u us", 1u << gap);
	else
		snprintf(text, 24, ">= %u us", 1u << (ROC_GAPS - 2));
}

static void real_text(double value, const char *format, char text[24])
{
	if (isfinite(value))
		snprintf(text, 24, format, value);
	else
		snprintf(text, 24, "-");
}

void soak_report_lines(FILE *out, const struct soak *s, size_t first, bool colours)
{
	for (; first < s->history.count; first++) {
		const struct soak_period *p = &s->history.period[first];
		uint64_t at = (uint64_t)p->at;
		char gap[24], heat[24], rate[24];

		gap_text(p->gap, gap);
		real_text(p->temperature, "%.1f", heat);
		real_text(per_second(p->bytes, p->seconds), "%.2f", rate);
		fprintf(out,
			"%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64
			"  %s%s%s  %-16s %8s Gb/s   errors %" PRIu64 "   dropped %" PRIu64
			"   gap %s   %s \302\260C\n",
			at / 3600, at / 60 % 60, at % 60, colours ? colour(p->verdict) : "",
			soak_verdict_name(p->verdict), colours ? COLOUR_END : "",
			s->lanes[p->lane].name, rate, p->errors, p->dropped, gap, heat);
	}
}

/* Card types have different rates. */
static bool alike(const struct soak_lane *a, const struct soak_lane *b)
{
	return a->card.type == b->card.type && a->pool && b->pool;
}

static double rate_of(const struct soak_sum *s)
{
	return per_second(s->bytes, s->seconds);
}

/* Return the totals of a lane, with a warning if similar lanes are much faster. */
static void sum_up(const struct soak *s, unsigned int lane, struct soak_sum *sum)
{
	struct soak_sum fastest, other;
	unsigned int i;

	soak_add_up(&s->history, lane, sum);
	fastest = *sum;
	for (i = 0; i < s->count; i++) {
		soak_add_up(&s->history, i, &other);
		if (alike(&s->lanes[i], &s->lanes[lane]) && rate_of(&other) > rate_of(&fastest))
			fastest = other;
	}
	if (sum->verdict == SOAK_PASS && soak_slow(sum, &fastest))
		sum->verdict = SOAK_WARN;
}

enum soak_verdict soak_report_verdict(const struct soak *s)
{
	enum soak_verdict verdict = s->reason[0] ? SOAK_FAIL : SOAK_PASS;
	struct soak_sum sum;
	unsigned int i;

	for (i = 0; i < s->count; i++) {
		sum_up(s, i, &sum);
		verdict = sum.verdict > verdict ? sum.verdict : verdict;
	}
	return verdict;
}

static const char *whole_verdict(const struct soak *s)
{
	enum soak_verdict verdict = soak_report_verdict(s);

	return verdict != SOAK_FAIL && s->interrupted ? "unfinished" : soak_verdict_name(verdict);
}

void soak_report_text(FILE *out, const struct soak *s, bool colours)
{
	static const char *const heads[] = {"Channel",	 ">Seconds", ">GB",	 ">Gb/s",
					    ">slowest",	 ">Errors",  ">Dropped", ">Longest gap",
					    ">max degC", "Verdict",  NULL};
	struct soak_sum sum;
	struct table t;
	char text[24];
	unsigned int i;

	fputc('\n', out);
	table_start(&t, heads);
	for (i = 0; i < s->count; i++) {
		sum_up(s, i, &sum);
		table_cell(&t, NULL, "%s", s->lanes[i].name);
		table_cell(&t, NULL, "%.0f", sum.seconds);
		table_cell(&t, NULL, "%.3f", (double)sum.bytes / 1e9);
		real_text(rate_of(&sum), "%.2f", text);
		table_cell(&t, NULL, "%s", text);
		real_text(sum.slowest * 8 / 1e9, "%.2f", text);
		table_cell(&t, NULL, "%s", text);
		table_cell(&t, sum.errors ? COLOUR_BAD : NULL, "%" PRIu64, sum.errors);
		table_cell(&t, sum.dropped ? COLOUR_BAD : NULL, "%" PRIu64, sum.dropped);
		gap_text(sum.gap, text);
		table_cell(&t, NULL, "%s", text);
		real_text(sum.temperature, "%.1f", text);
		table_cell(&t, NULL, "%s", text);
		table_cell(&t, colour(sum.verdict), "%s", soak_verdict_name(sum.verdict));
	}
	table_print(&t, out, colours);
	fprintf(out, "Soak: %s after %.0f of %" PRIu64 " s\n", whole_verdict(s), s->history.seconds,
		s->opt->soak);
}

static void lane_json(struct json *j, const struct soak *s, unsigned int lane)
{
	const struct soak_lane *l = &s->lanes[lane];
	struct soak_sum sum;

	sum_up(s, lane, &sum);
	json_object(j, NULL);
	output_card_json(j, &l->card);
	json_text(j, "name", l->name);
	json_unsigned(j, "channel", l->channel);
	json_unsigned(j, "periods", sum.periods);
	json_real(j, "seconds", sum.seconds);
	json_unsigned(j, "units", sum.units);
	json_unsigned(j, "bytes", sum.bytes);
	json_real(j, "gigabitsPerSecond", rate_of(&sum));
	json_real(j, "slowestGigabitsPerSecond", sum.slowest * 8 / 1e9);
	json_unsigned(j, "errors", sum.errors);
	json_unsigned(j, "dropped", sum.dropped);
	if (sum.gap < 0 || sum.gap == ROC_GAPS - 1)
		json_null(j, "gapBelowUs");
	else
		json_unsigned(j, "gapBelowUs", 1u << sum.gap);
	json_real(j, "temperature", sum.temperature);
	json_text(j, "verdict", soak_verdict_name(sum.verdict));
	json_object_end(j);
}

void soak_report_json(FILE *out, const struct soak *s)
{
	struct json j;
	unsigned int i;

	json_start(&j, out);
	json_object(&j, NULL);
	json_text(&j, "verdict", whole_verdict(s));
	json_text(&j, "failure", s->reason[0] ? s->reason : NULL);
	json_unsigned(&j, "requestedSeconds", s->opt->soak);
	json_unsigned(&j, "wantedSeconds", s->opt->soak); /* deprecated */
	json_real(&j, "seconds", s->history.seconds);
	json_real(&j, "earlierSeconds", s->earlier);
	json_bool(&j, "interrupted", s->interrupted);
	json_array(&j, "channels");
	for (i = 0; i < s->count; i++)
		lane_json(&j, s, i);
	json_array_end(&j);
	json_object_end(&j);
}
