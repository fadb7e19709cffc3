// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text for Prometheus: families, samples and what must be escaped in labels. The format is the
 * exposition text 0.0.4: node_exporter's textfile collector takes no other (not OpenMetrics, whose
 * counters are declared without their suffix and which knows more types).
 */
#include "prometheus.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Part of the name wherever it stands. */
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

void prometheus_family(struct prometheus *m, const char *name, enum prometheus_type type,
		       const char *help)
{
	const char *suffix = suffixes[type];

	m->name = name;
	m->type = type;
	fprintf(m->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, suffix, help, name, suffix,
		types[type]);
}

void prometheus_sample(struct prometheus *m, const struct prometheus_labels *labels, double value)
{
	fprintf(m->out, "%s%s{%s} ", m->name, suffixes[m->type], labels->text);
	if (isnan(value))
		fputs("NaN\n", m->out);
	else if (isinf(value))
		fputs(value < 0 ? "-Inf\n" : "+Inf\n", m->out);
	else if (value == floor(value) && fabs(value) < 1e18)
		fprintf(m->out, "%.0f\n", value);
	else
		fprintf(m->out, "%.9g\n", value);
}

void prometheus_histogram(struct prometheus *m, const struct prometheus_labels *labels,
			  const double *limits, const uint64_t *counts, size_t buckets)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < buckets; i++) {
		sum += counts[i];
		fprintf(m->out, "%s_bucket{%s,le=\"", m->name, labels->text);
		if (i < buckets - 1)
			fprintf(m->out, "%.9g", limits[i]);
		else
			fputs("+Inf", m->out);
		fprintf(m->out, "\"} %" PRIu64 "\n", sum);
	}
	fprintf(m->out, "%s_sum{%s} NaN\n", m->name, labels->text);
	fprintf(m->out, "%s_count{%s} %" PRIu64 "\n", m->name, labels->text, sum);
}

/* A value that does not fit is cut; the label is left out if there is no room for any. */
void prometheus_label(struct prometheus_labels *labels, const char *key, const char *value)
{
	size_t used = strlen(labels->text), room = sizeof(labels->text) - used;
	char *begin = labels->text + used, *end = labels->text + sizeof(labels->text) - 2, *at;
	int n = snprintf(begin, room, "%s%s=\"", used ? "," : "", key);

	if (n < 0 || begin + n >= end) {
		*begin = '\0';
		return;
	}
	for (begin = at = begin + n; *value; value++) {
		bool escaped = strchr("\n\"\\", *value);

		if (at + escaped >= end)
			break;
		if (escaped)
			*at++ = '\\';
		*at++ = *value == '\n' ? 'n' : *value;
	}
	/* Not in the middle of a character of UTF-8. */
	for (; at > begin && ((unsigned char)*value & 0xc0) == 0x80; value--)
		at--;
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
