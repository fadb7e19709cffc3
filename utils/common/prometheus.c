// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print Prometheus text: metric families, samples and escaped labels.
 *
 * The format is the exposition text 0.0.4, the only one that the textfile collector of
 * node_exporter accepts. OpenMetrics declares counters without their suffix and has more types.
 */
#include "prometheus.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "json.h"

/* Suffix of a family's name in declarations and samples. */
static const char *const suffixes[] = {
	[PROMETHEUS_GAUGE] = "",
	[PROMETHEUS_COUNTER] = "_total",
	[PROMETHEUS_INFO] = "_info",
	[PROMETHEUS_HISTOGRAM] = "",
};

static const char *const types[] = {
	[PROMETHEUS_GAUGE] = "gauge",
	[PROMETHEUS_COUNTER] = "counter",
	[PROMETHEUS_INFO] = "gauge",
	[PROMETHEUS_HISTOGRAM] = "histogram",
};

void prometheus_start(struct prometheus *m, FILE *out)
{
	*m = (struct prometheus){.out = out};
}

void prometheus_start_file(struct prometheus *m, FILE *out, const char *path)
{
	prometheus_start(m, out);
	m->file = path;
}

/* Escape the next character of @value. node_exporter rejects a file with invalid UTF-8. */
static size_t next_character(const char **value, char out[4])
{
	unsigned int n = json_utf8_length(*value);

	if (!n) {
		memcpy(out, "\xef\xbf\xbd", 3); /* U+FFFD */
		*value += 1;
		return 3;
	}
	if (strchr("\n\"\\", **value)) {
		out[0] = '\\';
		out[1] = **value == '\n' ? 'n' : **value;
		*value += 1;
		return 2;
	}
	memcpy(out, *value, n);
	*value += n;
	return n;
}

/* Print all labels of a sample without the closing brace: those of the caller, then the file. */
static void print_labels(const struct prometheus *m, const struct prometheus_labels *labels)
{
	const char *value = m->file;
	char piece[4];

	fprintf(m->out, "{%s", labels->text);
	if (!value)
		return;
	fprintf(m->out, "%sfile=\"", *labels->text ? "," : "");
	while (*value)
		fwrite(piece, 1, next_character(&value, piece), m->out);
	fputc('"', m->out);
}

void prometheus_family(struct prometheus *m, const char *name, enum prometheus_type type,
		       const char *help)
{
	const char *suffix = suffixes[type];

	m->name = name;
	m->type = type;
	fprintf(m->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, suffix, help, name, suffix,
		types[type]);
}

static void print_value(const struct prometheus *m, double value)
{
	if (isnan(value))
		fputs("NaN\n", m->out);
	else if (isinf(value))
		fputs(value < 0 ? "-Inf\n" : "+Inf\n", m->out);
	else if (value == floor(value) && fabs(value) < 1e18)
		fprintf(m->out, "%.0f\n", value);
	else
		fprintf(m->out, "%.9g\n", value);
}

/* @suffix: of a histogram sample, else "". */
static void print_sample(const struct prometheus *m, const char *suffix,
			 const struct prometheus_labels *labels, double value)
{
	fprintf(m->out, "%s%s%s", m->name, suffixes[m->type], suffix);
	print_labels(m, labels);
	fputs("} ", m->out);
	print_value(m, value);
}

void prometheus_sample(struct prometheus *m, const struct prometheus_labels *labels, double value)
{
	print_sample(m, "", labels, value);
}

void prometheus_histogram(struct prometheus *m, const struct prometheus_labels *labels,
			  const double *limits, const uint64_t *counts, size_t buckets, double sum)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < buckets; i++) {
		count += counts[i];
		fprintf(m->out, "%s_bucket", m->name);
		print_labels(m, labels);
		fputs(",le=\"", m->out);
		if (i < buckets - 1)
			fprintf(m->out, "%.9g", limits[i]);
		else
			fputs("+Inf", m->out);
		fprintf(m->out, "\"} %" PRIu64 "\n", count);
	}
	print_sample(m, "_sum", labels, sum);
	print_sample(m, "_count", labels, (double)count);
}

double prometheus_estimate_sum(const double *limits, const uint64_t *counts, size_t buckets)
{
	double sum = 0, below = 0;
	size_t i;

	for (i = 0; i < buckets - 1; i++) {
		sum += (double)counts[i] * (below + limits[i]) / 2;
		below = limits[i];
	}
	return sum + (double)counts[i] * below;
}

/* Truncate a value that does not fit; omit the label if there is no space for any value. */
void prometheus_label(struct prometheus_labels *labels, const char *key, const char *value)
{
	size_t used = strlen(labels->text), space = sizeof(labels->text) - used;
	char *at = labels->text + used, *end = labels->text + sizeof(labels->text) - 2;
	int n = snprintf(at, space, "%s%s=\"", used ? "," : "", key);
	char piece[4];

	if (n < 0 || at + n >= end) {
		*at = '\0';
		return;
	}
	at += n;
	while (*value) {
		size_t length = next_character(&value, piece);

		if (at + length > end)
			break;
		memcpy(at, piece, length);
		at += length;
	}
	strcpy(at, "\"");
}

static void label_number(struct prometheus_labels *labels, const char *key, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	prometheus_label(labels, key, value < 0 ? "unknown" : text);
}

void prometheus_card(struct prometheus_labels *labels, const struct roc_card *card, int link)
{
	labels->text[0] = '\0';
	prometheus_label(labels, "pci_address", card->pci_address);
	label_number(labels, "serial", card->serial);
	label_number(labels, "endpoint", card->endpoint);
	if (link >= 0)
		label_number(labels, "link", link);
}

void prometheus_begin_card(struct prometheus *m, FILE *out, const struct roc_card *card,
			   const char *clock)
{
	struct prometheus_labels labels;

	prometheus_start(m, out);
	prometheus_family(m, "roc_card", PROMETHEUS_INFO, "Properties of the card endpoint.");
	prometheus_card(&labels, card, -1);
	if (clock)
		prometheus_label(&labels, "clock", clock);
	prometheus_label(&labels, "firmware", card->firmware);
	prometheus_sample(m, &labels, 1);
}
