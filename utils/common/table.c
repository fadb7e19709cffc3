// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text tables with aligned columns. Cells are ASCII, so their width is their length. libsmartcols
 * colours the padding of a cell as well and leaves trailing blanks after an empty last cell.
 */
#include "output.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void table_start(struct table *t, const char *const *heads)
{
	*t = (struct table){.heads = heads};
	while (heads[t->columns])
		t->columns++;
}

void table_cell(struct table *t, const char *colour, const char *fmt, ...)
{
	struct table_cell *c;
	va_list ap;

	if (t->cells == t->capacity) {
		t->capacity = t->capacity ? 2 * t->capacity : 64;
		t->cell = reallocarray(t->cell, t->capacity, sizeof(*t->cell));
		if (!t->cell)
			abort();
	}
	c = &t->cell[t->cells++];
	c->colour = colour;
	va_start(ap, fmt);
	if (vasprintf(&c->text, fmt, ap) < 0)
		abort();
	va_end(ap);
}

static const char *head_text(const struct table *t, size_t column)
{
	const char *head = t->heads[column];

	return *head == '>' ? head + 1 : head;
}

static size_t column_width(const struct table *t, size_t column)
{
	size_t width = strlen(head_text(t, column)), i;

	for (i = column; i < t->cells; i += t->columns) {
		if (strlen(t->cell[i].text) > width)
			width = strlen(t->cell[i].text);
	}
	return width;
}

/* Padding is outside the colour; there are no trailing blanks. */
static void put_cell(const struct table *t, FILE *out, size_t column, const char *text,
		     const char *colour)
{
	bool right = t->heads[column][0] == '>', last = column + 1 == t->columns;
	int blanks = (int)(column_width(t, column) - strlen(text));

	fprintf(out, "%*s%s%s%s", right ? blanks : 0, "", colour ? colour : "", text,
		colour ? COLOUR_END : "");
	if (last)
		fputc('\n', out);
	else
		fprintf(out, "%*s", (right ? 0 : blanks) + 2, "");
}

void table_print(struct table *t, FILE *out, bool colours)
{
	size_t i;

	for (i = 0; i < t->columns; i++)
		put_cell(t, out, i, head_text(t, i), NULL);
	for (i = 0; i < t->cells; i++)
		put_cell(t, out, i % t->columns, t->cell[i].text,
			 colours ? t->cell[i].colour : NULL);
	for (i = 0; i < t->cells; i++)
		free(t->cell[i].text);
	free(t->cell);
	*t = (struct table){.heads = t->heads, .columns = t->columns};
}
