// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print tables of values as text, JSON, InfluxDB lines and Prometheus text.
 */
#include "values.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "output.h"

/* A value independent of its type in the structure. */
struct reading {
	enum {
		UNKNOWN,
		BOOL,
		COUNT,
		SIGNED,
		REAL,
		TEXT
	} kind;
	uint64_t count;
	int64_t number;
	double real;
	const char *text;
};

static struct reading of_member(const struct value *v, const void *o)
{
	const void *at = (const char *)o + v->offset;
	struct reading r = {.kind = COUNT};

	switch (v->type) {
	case VALUE_BOOL:
		return (struct reading){.kind = BOOL, .count = *(const bool *)at};
	case VALUE_U16:
		return (struct reading){.kind = COUNT, .count = *(const uint16_t *)at};
	case VALUE_U32:
		return (struct reading){.kind = COUNT, .count = *(const uint32_t *)at};
	case VALUE_U64:
		memcpy(&r.count, at, sizeof(r.count));
		return r;
	case VALUE_S32:
		return (struct reading){.kind = SIGNED, .number = *(const int32_t *)at};
	case VALUE_REAL:
		return (struct reading){.kind = REAL, .real = *(const double *)at};
	case VALUE_CHARS:
		return (struct reading){.kind = TEXT, .text = at};
	case VALUE_NONE:
		break;
	}
	return (struct reading){.kind = UNKNOWN};
}

static struct reading read_value(const struct value *v, const void *o)
{
	struct reading r = {.kind = UNKNOWN};

	if (v->known && !v->known(o))
		return r;
	if (v->count)
		return (struct reading){.kind = COUNT, .count = v->count(o)};
	if (v->real)
		r = (struct reading){.kind = REAL, .real = v->real(o)};
	else if (v->text)
		r = (struct reading){.kind = TEXT, .text = v->text(o)};
	else
		r = of_member(v, o);
	if (v->name_of)
		r = (struct reading){.kind = TEXT, .text = v->name_of((uint32_t)r.count)};
	if ((r.kind == TEXT && !r.text) || (v->no_0 && !r.count && !r.number))
		r.kind = UNKNOWN;
	return r;
}

void values_json(struct json *j, const struct values *v, const void *o)
{
	const struct value *e;

	for (e = v->value; e < v->value + v->count; e++) {
		struct reading r;

		if (e->json)
			e->json(j, o);
		if (e->json || !e->key || e->no_json || (e->present && !e->present(o)))
			continue;
		r = read_value(e, o);
		switch (r.kind) {
		case UNKNOWN:
			json_null(j, e->key);
			break;
		case BOOL:
			json_bool(j, e->key, r.count);
			break;
		case COUNT:
			json_unsigned(j, e->key, r.count);
			break;
		case SIGNED:
			json_signed(j, e->key, r.number);
			break;
		case REAL:
			json_real(j, e->key, r.real);
			break;
		case TEXT:
			json_text(j, e->key, r.text);
			break;
		}
	}
}

void values_influx(struct influx *l, const struct values *v, const void *o)
{
	const struct value *e;

	for (e = v->value; e < v->value + v->count; e++) {
		struct reading r;

		if (!e->key || e->no_influx || (e->present && !e->present(o)))
			continue;
		r = read_value(e, o);
		switch (r.kind) {
		case UNKNOWN:
			break;
		case BOOL:
		case COUNT:
			influx_signed(l, e->key, (int64_t)r.count);
			break;
		case SIGNED:
			influx_signed(l, e->key, r.number);
			break;
		case REAL:
			influx_real(l, e->key, r.real);
			break;
		case TEXT:
			influx_text(l, e->key, r.text);
			break;
		}
	}
}

void values_rows(FILE *out, const struct values *v, const void *o, bool verbose, bool colours)
{
	const struct value *e;

	for (e = v->value; e < v->value + v->count; e++) {
		const char *unit = e->unit ? e->unit : "";
		struct reading r;

		if (!e->name || (e->verbose && !verbose) || (e->present && !e->present(o)))
			continue;
		fprintf(out, "  %-*s ", v->width, e->name);
		r = read_value(e, o);
		if (r.kind == COUNT && !r.count && e->unit_of_0)
			unit = e->unit_of_0;
		if (r.kind == UNKNOWN || (r.kind == REAL && !isfinite(r.real)))
			fprintf(out, "-\n");
		else if (r.kind == BOOL && e->good && colours)
			fprintf(out, "%s%s" COLOUR_END "\n", r.count ? COLOUR_GOOD : COLOUR_BAD,
				r.count ? e->yes : e->no);
		else if (r.kind == BOOL)
			fprintf(out, "%s\n", r.count ? e->yes : e->no);
		else if (r.kind == COUNT && e->hex)
			fprintf(out, "0x%" PRIx64 "%s\n", r.count, unit);
		else if (r.kind == COUNT)
			fprintf(out, "%" PRIu64 "%s\n", r.count, unit);
		else if (r.kind == SIGNED)
			fprintf(out, "%" PRId64 "%s\n", r.number, unit);
		else if (r.kind == REAL)
			fprintf(out, "%.*g%s\n", v->digits, r.real, unit);
		else
			fprintf(out, "%s\n", r.text);
	}
}

void values_table(struct table *t, const struct values *v, const char *heads[VALUES_COLUMNS_MAX],
		  bool verbose)
{
	const struct value *e;
	size_t n = 0;

	for (e = v->value; e < v->value + v->count && n < VALUES_COLUMNS_MAX - 1; e++)
		if (e->name && (verbose || !e->verbose))
			heads[n++] = e->name;
	heads[n] = NULL;
	table_start(t, heads);
}

static void print_cell(struct table *t, const struct value *e, const void *o)
{
	const char *colour = e->colour ? e->colour(o) : NULL;
	struct reading r = read_value(e, o);

	if (e->colour_of)
		colour = e->colour_of((uint32_t)of_member(e, o).count);

	switch (r.kind) {
	case UNKNOWN:
		table_cell(t, colour, "-");
		break;
	case BOOL:
		table_cell(t, colour, "%s", r.count ? e->yes : e->no);
		break;
	case COUNT:
		table_cell(t, r.count && e->error ? COLOUR_BAD : colour, "%" PRIu64, r.count);
		break;
	case SIGNED:
		table_cell(t, colour, "%" PRId64, r.number);
		break;
	case REAL:
		table_cell(t, colour, "%.1f", r.real);
		break;
	case TEXT:
		table_cell(t, colour, "%s", r.text);
		break;
	}
}

void values_cells(struct table *t, const struct values *v, const void *o, bool verbose)
{
	const struct value *e;

	for (e = v->value; e < v->value + v->count; e++) {
		if (!e->name || (e->verbose && !verbose))
			continue;
		if (e->cell)
			e->cell(t, o);
		else
			print_cell(t, e, o);
	}
}

void values_list_text(FILE *out, const struct values *v, const void *list, size_t size,
		      unsigned int count, bool verbose, bool colours)
{
	const char *heads[VALUES_COLUMNS_MAX];
	struct table t;
	unsigned int i;

	values_table(&t, v, heads, verbose);
	for (i = 0; i < count; i++)
		values_cells(&t, v, (const char *)list + i * size, verbose);
	table_print(&t, out, colours);
}

void values_list_json(struct json *j, const char *key, const struct values *v, const void *list,
		      size_t size, unsigned int count)
{
	unsigned int i;

	json_array(j, key);
	for (i = 0; i < count; i++) {
		json_object(j, NULL);
		values_json(j, v, (const char *)list + i * size);
		json_object_end(j);
	}
	json_array_end(j);
}

/* NAN: no sample. */
static double sample(const struct value *e, const void *o)
{
	struct reading r = read_value(e, o);
	double value = NAN;

	if (r.kind == BOOL || r.kind == COUNT)
		value = (double)r.count;
	else if (r.kind == SIGNED)
		value = (double)r.number;
	else if (r.kind == REAL)
		value = r.real;
	return e->scale ? value / e->scale : value;
}

void values_prometheus(struct prometheus *m, const struct values *v, values_row_fn row,
		       const void *context, unsigned int rows)
{
	const struct value *e;
	unsigned int i;

	for (e = v->value; e < v->value + v->count; e++) {
		bool first = true;

		for (i = 0; e->metric && i < rows; i++) {
			struct prometheus_labels labels;
			const void *o = row(context, i, &labels);
			double value = o ? sample(e, o) : NAN;

			if (isnan(value))
				continue;
			if (first)
				prometheus_family(m, e->metric, e->metric_type, e->help);
			first = false;
			prometheus_sample(m, &labels, value);
		}
	}
}
