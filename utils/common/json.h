/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small JSON writer: straight to a stream, commas and indentation kept here, numbers as numbers.
 * Not json-c, which keeps a whole document in memory before it prints: 664 MiB for an array of 8 Mi
 * numbers, as an image of a flash has (roc-flash-read --image --json), and no output before the end
 * from tools that print until a signal (--updateable). It also prints bytes that are not UTF-8
 * unchanged. Files that parse JSON with json-c, whose names clash with these, cannot include this
 * header.
 *
 * A struct json lives on its user's stack; it owns nothing. Keys are NULL inside arrays and for
 * the outermost value.
 */
#ifndef ROC_UTILS_JSON_H
#define ROC_UTILS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 8

struct json {
	FILE *out;
	unsigned int depth;
	bool filled[JSON_DEPTH_MAX + 1]; /* this level has an element already */
};

/* Length of the valid UTF-8 character at @text, which has one byte at least; 0: it is not valid. */
unsigned int json_utf8_length(const char *text);

void json_start(struct json *j, FILE *out);
void json_object(struct json *j, const char *key);
void json_object_end(struct json *j);
void json_array(struct json *j, const char *key);
void json_array_end(struct json *j);
void json_text(struct json *j, const char *key, const char *value); /* NULL: null */
void json_unsigned(struct json *j, const char *key, uint64_t value);
void json_signed(struct json *j, const char *key, int64_t value);
void json_real(struct json *j, const char *key, double value); /* not finite: null */
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
