// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * InfluxDB lines and OpenMetrics text. Both formats have their own rules of what must be escaped
 * where; they are kept here and nowhere else.
 */
#include "output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

int output_choose(const struct output_options *options, enum output_format *format)
{
	bool json = options->json || options->json_out;

	if (json + options->monitoring + options->openmetrics > 1)
		return tool_usage("Only one of --json, --monitoring and --openmetrics is possible "
				  "at a time.");
	*format = OUTPUT_TEXT;
	if (json)
		*format = OUTPUT_JSON;
	if (options->monitoring)
		*format = OUTPUT_MONITORING;
	if (options->openmetrics)
		*format = OUTPUT_OPENMETRICS;
	return TOOL_OK;
}

bool output_colours(FILE *out)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(fileno(out)) && !(no && *no) && term && strcmp(term, "dumb");
}

uint64_t output_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

const char *output_card(const struct roc_card *card, char text[OUTPUT_CARD_MAX])
{
	int used;

	if (card->serial < 0)
		used = snprintf(text, OUTPUT_CARD_MAX, "?:");
	else
		used = snprintf(text, OUTPUT_CARD_MAX, "%04d:", card->serial);
	if (card->endpoint < 0)
		snprintf(text + used, OUTPUT_CARD_MAX - (size_t)used, "?");
	else
		snprintf(text + used, OUTPUT_CARD_MAX - (size_t)used, "%d", card->endpoint);
	return text;
}

static void number_json(struct json *j, const char *key, int number)
{
	if (number < 0)
		json_null(j, key);
	else
		json_signed(j, key, number);
}

void output_card_json(struct json *j, const struct roc_card *card)
{
	json_text(j, "pciAddress", card->pci_address);
	number_json(j, "serial", card->serial);
	number_json(j, "endpoint", card->endpoint);
	json_signed(j, "sequence", card->sequence);
	json_text(j, "type", roc_card_type_name(card->type));
}

/* @text with a backslash before each character of @special. */
static void put_escaped(FILE *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

void influx_start(struct influx *l, FILE *out, const char *measurement)
{
	*l = (struct influx){.out = out};
	put_escaped(out, measurement, ", ");
}

void influx_tag(struct influx *l, const char *key, const char *value)
{
	fputc(',', l->out);
	put_escaped(l->out, key, ",= ");
	fputc('=', l->out);
	put_escaped(l->out, value, ",= ");
}

void influx_tag_number(struct influx *l, const char *key, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	influx_tag(l, key, value < 0 ? "unknown" : text);
}

static void influx_key(struct influx *l, const char *key)
{
	fputc(l->fields ? ',' : ' ', l->out);
	l->fields = true;
	put_escaped(l->out, key, ",= ");
	fputc('=', l->out);
}

void influx_text(struct influx *l, const char *key, const char *value)
{
	influx_key(l, key);
	fputc('"', l->out);
	put_escaped(l->out, value, "\"\\");
	fputc('"', l->out);
}

void influx_signed(struct influx *l, const char *key, int64_t value)
{
	influx_key(l, key);
	fprintf(l->out, "%" PRId64 "i", value);
}

void influx_real(struct influx *l, const char *key, double value)
{
	if (!isfinite(value))
		return;
	influx_key(l, key);
	fprintf(l->out, "%.9g", value);
}

void influx_end(struct influx *l, uint64_t time_ns)
{
	fprintf(l->out, " %" PRIu64 "\n", time_ns);
}

/* Dashboards know an address without its domain. In another domain than the first they know no
 * card. */
static const char *short_address(const char *address)
{
	return strncmp(address, "0000:", 5) ? address : address + 5;
}

void influx_start_card(struct influx *l, FILE *out, const char *measurement,
		       const struct roc_card *card, int link)
{
	influx_start(l, out, measurement);
	influx_tag_number(l, "serialId", card->serial);
	/* Dashboards know no endpoint of a C-RORC: it has only one. */
	if (card->type != ROC_CARD_CRORC)
		influx_tag_number(l, "endpoint", card->endpoint);
	if (link >= 0)
		influx_tag_number(l, roc_card_type_name(card->type), card->sequence);
	influx_tag_number(l, "id", link >= 0 ? link : card->sequence);
	influx_tag(l, "type", roc_card_type_name(card->type));
	influx_text(l, "pciAddress", short_address(card->pci_address));
}

void openmetrics_start(struct openmetrics *m, FILE *out)
{
	*m = (struct openmetrics){.out = out};
}

void openmetrics_family(struct openmetrics *m, const char *name, enum openmetrics_type type,
			const char *help)
{
	static const char *const types[] = {"gauge", "counter", "info"};

	m->name = name;
	m->type = type;
	fprintf(m->out, "# TYPE %s %s\n# HELP %s %s\n", name, types[type], name, help);
}

void openmetrics_sample(struct openmetrics *m, const struct openmetrics_labels *labels,
			double value)
{
	static const char *const suffixes[] = {"", "_total", "_info"};

	fprintf(m->out, "%s%s{%s} ", m->name, suffixes[m->type], labels->text);
	if (isnan(value))
		fputs("NaN\n", m->out);
	else if (isinf(value))
		fputs(value < 0 ? "-Inf\n" : "+Inf\n", m->out);
	else if (value == floor(value) && fabs(value) < 1e15)
		fprintf(m->out, "%.0f\n", value);
	else
		fprintf(m->out, "%.9g\n", value);
}

void openmetrics_end(struct openmetrics *m)
{
	fputs("# EOF\n", m->out);
}

void openmetrics_label(struct openmetrics_labels *labels, const char *key, const char *value)
{
	size_t used = strlen(labels->text);
	FILE *out = fmemopen(labels->text + used, sizeof(labels->text) - used, "w");

	if (!out)
		return;
	fprintf(out, "%s%s=\"", used ? "," : "", key);
	for (; *value; value++) {
		if (*value == '\n')
			fputs("\\n", out);
		else if (*value == '"' || *value == '\\')
			fprintf(out, "\\%c", *value);
		else
			fputc(*value, out);
	}
	fputc('"', out);
	fclose(out);
}

static void label_number(struct openmetrics_labels *labels, const char *key, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	openmetrics_label(labels, key, value < 0 ? "unknown" : text);
}

void openmetrics_card(struct openmetrics_labels *labels, const struct roc_card *card, int link)
{
	labels->text[0] = '\0';
	openmetrics_label(labels, "pci_address", card->pci_address);
	label_number(labels, "serial", card->serial);
	label_number(labels, "endpoint", card->endpoint);
	if (link >= 0)
		label_number(labels, "link", link);
}
