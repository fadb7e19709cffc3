/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Value tables: every value of a status or a report with its name in each format, and one printer
 * per format. A format omits a value that has no name in it. A value has two entries if two formats
 * have it at different positions.
 *
 * The values are members of one structure, or computed from it.
 */
#ifndef ROC_UTILS_VALUES_H
#define ROC_UTILS_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "json.h"
#include "output.h"
#include "prometheus.h"

enum value_type {
	VALUE_NONE, /* computed by .count, .real or .text */
	VALUE_BOOL,
	VALUE_U16,
	VALUE_U32,
	VALUE_U64,
	VALUE_S32,
	VALUE_REAL,
	VALUE_CHARS, /* array of char */
};

struct value {
	const char *name; /* text: row or column heading; ">Name": right-aligned */
	const char *key;  /* JSON and InfluxDB */
	const char *metric, *help;
	enum prometheus_type metric_type;

	enum value_type type;
	size_t offset;
	uint64_t (*count)(const void *o);
	double (*real)(const void *o);
	const char *(*text)(const void *o); /* NULL: null in JSON, "-" in text */

	bool (*known)(const void *o);		      /* false: null, "-", or omitted */
	bool (*present)(const void *o);		      /* false: omitted */
	void (*json)(struct json *j, const void *o);  /* prints the value instead */
	void (*cell)(struct table *t, const void *o); /* the same in a table */
	const char *(*colour)(const void *o);	      /* of its cell */
	const char *(*name_of)(uint32_t number);      /* text of the member's number */
	const char *(*colour_of)(uint32_t number);    /* colour of its cell */
	const char *unit;			      /* after the value in a row */
	const char *unit_of_0;			      /* instead of @unit if the value is 0 */
	const char *no, *yes;			      /* texts of a bool */
	double scale;		 /* the metric is divided by it; 0: not scaled */
	bool verbose;		 /* text: only with --verbose */
	bool error;		 /* highlight if not 0 */
	bool good;		 /* a bool that should be true: coloured in rows */
	bool no_0;		 /* 0: unknown */
	bool hex;		 /* hexadecimal in rows */
	bool no_influx, no_json; /* omit @key in this format */
};

/* Type and offset of a member. */
#define VALUE(structure, member)                                                                   \
	.offset = offsetof(structure, member),                                                     \
	.type = _Generic(((structure *)0)->member,                                                 \
		bool: VALUE_BOOL,                                                                  \
		uint16_t: VALUE_U16,                                                               \
		uint32_t: VALUE_U32,                                                               \
		unsigned long: VALUE_U64,                                                          \
		unsigned long long: VALUE_U64,                                                     \
		int32_t: VALUE_S32,                                                                \
		double: VALUE_REAL,                                                                \
		char *: VALUE_CHARS)

struct values {
	const struct value *value;
	unsigned int count;
	int width;  /* width of the names in rows */
	int digits; /* significant digits of reals in rows */
};

#define VALUES(array, ...)                                                                         \
	{                                                                                          \
		.value = (array), .count = sizeof(array) / sizeof((array)[0]), __VA_ARGS__         \
	}

#define VALUES_COLUMNS_MAX 32

void values_json(struct json *j, const struct values *v, const void *o);
void values_rows(FILE *out, const struct values *v, const void *o, bool verbose, bool colours);
void values_influx(struct influx *l, const struct values *v, const void *o);

/* @heads must outlive the table. */
void values_table(struct table *t, const struct values *v, const char *heads[VALUES_COLUMNS_MAX],
		  bool verbose);
void values_cells(struct table *t, const struct values *v, const void *o, bool verbose);

/* Print a list of @count structures of @size bytes as a table or as an array of objects. */
void values_list_text(FILE *out, const struct values *v, const void *list, size_t size,
		      unsigned int count, bool verbose, bool colours);
void values_list_json(struct json *j, const char *key, const struct values *v, const void *list,
		      size_t size, unsigned int count);

/*
 * Print the families of all values with a metric, each with a sample of every row from 0 to @rows -
 * 1. @row fills in the labels and returns the structure of the row; NULL: omit the row. A family
 * without samples is omitted.
 */
typedef const void *(*values_row_fn)(const void *context, unsigned int row,
				     struct prometheus_labels *labels);
void values_prometheus(struct prometheus *m, const struct values *v, values_row_fn row,
		       const void *context, unsigned int rows);

#endif
