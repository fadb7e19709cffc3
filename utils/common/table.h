/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table for people: columns as wide as their widest cell, two blanks between them.
 *
 * A struct table lives on its user's stack; its cells are its own from table_start() to
 * table_print(), which frees them.
 */
#ifndef ROC_UTILS_TABLE_H
#define ROC_UTILS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct table_cell {
	char *text;
	const char *colour; /* NULL: none */
};

struct table {
	const char *const *heads; /* ">Name": right-aligned */
	size_t columns;
	size_t cells;
	size_t room;
	struct table_cell *cell;
};

/* @heads: NULL-terminated, must outlive the table. */
void table_start(struct table *t, const char *const *heads);
/* The next cell, row by row. @colour: one of output.h, or NULL. */
void table_cell(struct table *t, const char *colour, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void table_print(struct table *t, FILE *out, bool colours);

#endif
