/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output formats of the tools besides JSON (json.h) and Prometheus (prometheus.h): format
 * selection, card properties, InfluxDB lines, text tables.
 */
#ifndef ROC_UTILS_OUTPUT_H
#define ROC_UTILS_OUTPUT_H

#include <roc/roc.h>

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "json.h"
#include "options.h"

enum output_format {
	OUTPUT_TEXT,
	OUTPUT_JSON,
	OUTPUT_MONITORING,
	OUTPUT_PROMETHEUS,
};

/* Member of a tool's values. */
struct output_options {
	bool json;
	bool json_out;
	bool monitoring;
	bool prometheus;
	bool openmetrics;
	const char *file;
};

/* For tools whose values have a struct output_options named output. */
#define OUTPUT_OPTIONS(values)                                                                     \
	FLAG_OPTION(values, "json", output.json, "Print the output as JSON"),                      \
		FLAG_OPTION(values, "json-out", output.json_out, "Alias of --json"),               \
		FLAG_OPTION(values, "monitoring", output.monitoring, "Print InfluxDB lines"),      \
		FLAG_OPTION(values, "prometheus", output.prometheus,                               \
			    "Print Prometheus text for the textfile collector of node_exporter"),  \
		FLAG_OPTION(values, "openmetrics", output.openmetrics, "Alias of --prometheus"),   \
	{                                                                                          \
		.name = "output", .type = OPTION_TEXT, .offset = offsetof(values, output.file),    \
		.arg = "FILE", .help = "Write the output to a file, which is replaced atomically"  \
	}

/* Return TOOL_OK, or TOOL_USAGE after a message if two formats were requested. */
int output_choose(const struct output_options *options, enum output_format *format);

/*
 * Destination of a tool's output: standard output, or memory until the file is written. @out
 * belongs to the output. output_end() must follow output_begin() unless that failed.
 */
struct output {
	enum output_format format;
	FILE *out;
	const char *path; /* NULL: standard output */
	char *text;
	size_t length;
};

/* Return the exit code of output_choose(), or TOOL_FAILED. */
int output_begin(const struct output_options *options, struct output *o);
/*
 * Replace the file with the output; an empty output leaves the file unchanged. @code: exit code of
 * the tool. Return @code, or TOOL_FAILED if @code is TOOL_OK and the file cannot be written.
 */
int output_end(struct output *o, int code);

/*
 * Replace @path atomically: a reader sees either the old or the new text. @passing: skip fsync,
 * because the file is replaced again soon. Return TOOL_OK, or TOOL_FAILED with a message in
 * @reason.
 */
#define OUTPUT_REASON (PATH_MAX + 128)
int output_replace(const char *path, const char *text, size_t length, bool passing,
		   char reason[OUTPUT_REASON]);

/* True if @out is a terminal that can overwrite a line: not with TERM=dumb. */
bool output_is_live(FILE *out);
/* True if @out is such a terminal and NO_COLOR is not set. */
#define COLOUR_GOOD "\033[32m"
#define COLOUR_BAD "\033[31m"
#define COLOUR_WARN "\033[33m"
#define COLOUR_END "\033[0m"
bool output_colours(FILE *out);
/*
 * Overwrite the last line of terminal @out. The line is truncated to the width of the terminal,
 * because the rest of a longer line would stay on the screen. If the terminal does not accept the
 * line at once, as after ^S, skip it: data taking must not wait.
 */
void output_live(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

uint64_t output_time(void); /* ns since 1970, for influx_end() */

/* Format serial number and endpoint, as in "0245:1", with "?" for an unknown one. */
#define OUTPUT_CARD_MAX 32
const char *output_card(const struct roc_card *card, char text[OUTPUT_CARD_MAX]);

/* Printers of one report in every format. */
struct output_forms {
	void (*text)(FILE *out, const void *report, bool verbose, bool colours);
	void (*json)(FILE *out, const void *report);
	void (*influx)(FILE *out, const void *report);
	void (*prometheus)(FILE *out, const void *report);
};

void output_show(FILE *out, enum output_format format, const struct output_forms *forms,
		 const void *report, bool verbose, bool colours);

/* Print a number; null if it is negative, which means unknown. */
void output_number_json(struct json *j, const char *key, int64_t number);
/* Print pciAddress, serial, endpoint, sequence and type. */
void output_card_json(struct json *j, const struct roc_card *card);

/*
 * InfluxDB lines (influx.c), with the metric and tag names of existing dashboards.
 *
 * The structures live on the caller's stack and own nothing.
 */

/* One InfluxDB line: start, tags, fields, end. Values that are not finite are omitted. */
struct influx {
	FILE *out;
	bool fields; /* a field was printed already */
};

void influx_start(struct influx *l, FILE *out, const char *measurement);
void influx_tag(struct influx *l, const char *key, const char *value);
void influx_tag_number(struct influx *l, const char *key, int value); /* negative: "unknown" */
void influx_text(struct influx *l, const char *key, const char *value);
void influx_signed(struct influx *l, const char *key, int64_t value);
void influx_real(struct influx *l, const char *key, double value);
void influx_end(struct influx *l, uint64_t time_ns);

/*
 * Start a line about a card (@link negative; tags serialId, endpoint, id, type) or about one of its
 * links (serialId, endpoint, CRU or CRORC, id, type), with the first field pciAddress.
 */
void influx_start_card(struct influx *l, FILE *out, const char *measurement,
		       const struct roc_card *card, int link);

/*
 * Text tables (table.c): columns are as wide as their widest cell, with two blanks in between.
 *
 * A struct table lives on the caller's stack. It owns its cells from table_start() to
 * table_print(), which frees them.
 */

struct table_cell {
	char *text;
	const char *colour; /* NULL: none */
};

struct table {
	const char *const *heads; /* ">Name": right-aligned */
	size_t columns;
	size_t cells;
	size_t capacity;
	struct table_cell *cell;
};

/* @heads: NULL-terminated, must outlive the table. */
void table_start(struct table *t, const char *const *heads);
/* Add the next cell, row by row. @colour: COLOUR_*, or NULL. */
void table_cell(struct table *t, const char *colour, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void table_print(struct table *t, FILE *out, bool colours);

#endif
