/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The formats that tools print beside JSON (json.h) and Prometheus text (prometheus.h): which one
 * an option selects, what all of them have in common about a card, InfluxDB lines, tables of text.
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

/* For tools with a struct output_options named output. */
#define OUTPUT_OPTIONS(values)                                                                     \
	FLAG_OPTION(values, "json", output.json, "Print JSON"),                                    \
		FLAG_OPTION(values, "json-out", output.json_out, "The same"),                      \
		FLAG_OPTION(values, "monitoring", output.monitoring, "Print InfluxDB lines"),      \
		FLAG_OPTION(values, "prometheus", output.prometheus,                               \
			    "Print Prometheus text, for node_exporter's textfile collector"),      \
		FLAG_OPTION(values, "openmetrics", output.openmetrics, "The same"),                \
	{                                                                                          \
		.name = "output", .type = OPTION_TEXT, .offset = offsetof(values, output.file),    \
		.arg = "FILE", .help = "Write to a file, which is replaced when all is there"      \
	}

/* Exit code: TOOL_OK, or TOOL_USAGE after a message if two forms were asked for. */
int output_choose(const struct output_options *options, enum output_format *format);

/*
 * Where a tool's output goes: standard output, or memory until the file is written. @out belongs to
 * the output. output_end() must follow output_begin() unless that failed.
 */
struct output {
	enum output_format format;
	FILE *out;
	const char *path; /* NULL: standard output */
	char *text;
	size_t length;
};

/* Exit code: as output_choose(), or TOOL_FAILED. */
int output_begin(const struct output_options *options, struct output *o);
/*
 * Put the file in its place; nothing is written if the tool had nothing to say. @code: the tool's
 * exit code; returned, or if it is TOOL_OK and the file cannot be written, TOOL_FAILED.
 */
int output_end(struct output *o, int code);

/*
 * A reader of @path finds the text before or this one, never a part. @passing: it is written anew
 * soon, nobody waits until it is on the disk. TOOL_OK, or TOOL_FAILED with a sentence in @reason.
 */
#define OUTPUT_REASON (PATH_MAX + 128)
int output_replace(const char *path, const char *text, size_t length, bool passing,
		   char reason[OUTPUT_REASON]);

/* A terminal on which a line can be written over: not one with TERM=dumb. */
bool output_is_live(FILE *out);
/* Colours: only there, and not if NO_COLOR is set. */
#define COLOUR_GOOD "\033[32m"
#define COLOUR_BAD "\033[31m"
#define COLOUR_WARN "\033[33m"
#define COLOUR_END "\033[0m"
bool output_colours(FILE *out);
/*
 * Write over the last line of the terminal @out. The line is cut at the terminal's width: the rest
 * of a longer one would stay on the screen. It is left out if the terminal does not take it at
 * once, as after ^S: data must not wait for it.
 */
void output_live(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

uint64_t output_time(void); /* ns since 1970, for influx_end() */

/* "0245:1", with "?" for what the card does not know. */
#define OUTPUT_CARD_MAX 32
const char *output_card(const struct roc_card *card, char text[OUTPUT_CARD_MAX]);

/* One report in every format. */
struct output_forms {
	void (*text)(FILE *out, const void *report, bool verbose, bool colours);
	void (*json)(FILE *out, const void *report);
	void (*influx)(FILE *out, const void *report);
	void (*prometheus)(FILE *out, const void *report);
};

void output_show(FILE *out, enum output_format format, const struct output_forms *forms,
		 const void *report, bool verbose, bool colours);

/* A number, null if it is negative: not known. */
void output_number_json(struct json *j, const char *key, int64_t number);
/* pciAddress, serial, endpoint, sequence, type. */
void output_card_json(struct json *j, const struct roc_card *card);

/*
 * InfluxDB lines (influx.c), with the metric and tag names that sites use already.
 *
 * The structures live on their user's stack and own nothing.
 */

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

/*
 * A table for people (table.c): columns as wide as their widest cell, two blanks between them.
 *
 * A struct table lives on its user's stack; its cells are its own from table_start() to
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
/* The next cell, row by row. @colour: one of output.h, or NULL. */
void table_cell(struct table *t, const char *colour, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void table_print(struct table *t, FILE *out, bool colours);

#endif
