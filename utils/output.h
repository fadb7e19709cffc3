/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The forms that monitoring tools print beside text and JSON: InfluxDB lines with the metric and
 * tag names that sites use already, and OpenMetrics text for node_exporter's textfile collector;
 * and what all forms have in common about a card.
 *
 * The structures live on their user's stack and own nothing.
 */
#ifndef ROC_UTILS_OUTPUT_H
#define ROC_UTILS_OUTPUT_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "json.h"
#include "options.h"

enum output_format {
	OUTPUT_TEXT,
	OUTPUT_JSON,
	OUTPUT_MONITORING,
	OUTPUT_OPENMETRICS,
};

/* Member of a tool's values. */
struct output_options {
	bool json;
	bool json_out;
	bool monitoring;
	bool openmetrics;
};

/* For tools with a struct output_options named output. */
#define OUTPUT_OPTIONS(values)                                                                     \
	FLAG_OPTION(values, "json", output.json, "Print JSON"),                                    \
		FLAG_OPTION(values, "json-out", output.json_out, "The same"),                      \
		FLAG_OPTION(values, "monitoring", output.monitoring, "Print InfluxDB lines"),      \
		FLAG_OPTION(values, "openmetrics", output.openmetrics, "Print OpenMetrics text")

/* Exit code: TOOL_OK, or TOOL_USAGE after a message if two forms were asked for. */
int output_choose(const struct output_options *options, enum output_format *format);

/* Colours: only on a terminal, and not if NO_COLOR is set. */
#define COLOUR_GOOD "\033[32m"
#define COLOUR_BAD "\033[31m"
#define COLOUR_WARN "\033[33m"
#define COLOUR_END "\033[0m"
bool output_colours(FILE *out);

uint64_t output_time(void); /* ns since 1970, for influx_end() */

/* "0245:1", with "?" for what the card does not know. */
#define OUTPUT_CARD_MAX 32
const char *output_card(const struct roc_card *card, char text[OUTPUT_CARD_MAX]);

/* pciAddress, serial, endpoint, sequence, type. */
void output_card_json(struct json *j, const struct roc_card *card);

/* One InfluxDB line: start, tags, fields, end. Values that are no number are left out. */
struct influx {
	FILE *out;
	bool fields; /* there is one already */
};

void influx_start(struct influx *l, FILE *out, const char *measurement);
void influx_tag(struct influx *l, const char *key, const char *value);
void influx_tag_number(struct influx *l, const char *key, int value); /* below 0: unknown */
void influx_text(struct influx *l, const char *key, const char *value);
void influx_signed(struct influx *l, const char *key, int64_t value);
void influx_real(struct influx *l, const char *key, double value);
void influx_end(struct influx *l, uint64_t time_ns);

/*
 * A line about a card (@link below 0; tags serialId, endpoint, id, type) or about one of its
 * links (serialId, endpoint, CRU or CRORC, id, type), begun with the field pciAddress.
 */
void influx_start_card(struct influx *l, FILE *out, const char *measurement,
		       const struct roc_card *card, int link);

/* OpenMetrics text: families one after the other, each with all its samples. */
enum openmetrics_type {
	OPENMETRICS_GAUGE,
	OPENMETRICS_COUNTER,
	OPENMETRICS_INFO,
};

struct openmetrics {
	FILE *out;
	const char *name;
	enum openmetrics_type type;
};

struct openmetrics_labels {
	char text[512];
};

void openmetrics_start(struct openmetrics *m, FILE *out);
void openmetrics_family(struct openmetrics *m, const char *name, enum openmetrics_type type,
			const char *help);
void openmetrics_sample(struct openmetrics *m, const struct openmetrics_labels *labels,
			double value);
void openmetrics_end(struct openmetrics *m);

void openmetrics_label(struct openmetrics_labels *labels, const char *key, const char *value);
/* Labels pci_address, serial, endpoint, and link unless it is below 0. */
void openmetrics_card(struct openmetrics_labels *labels, const struct roc_card *card, int link);

#endif
