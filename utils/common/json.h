/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON writer: prints directly to a stream, with commas and indentation.
 *
 * json-c is no alternative. It keeps a whole document in memory before it prints: 664 MiB for the
 * array of 8 Mi numbers that roc-flash-read --image --json prints. A tool that runs until a signal
 * (--updateable) would print nothing before its end. It also prints invalid UTF-8 unchanged. Files
 * that parse JSON with json-c cannot include this header, because names clash.
 *
 * A struct json lives on the caller's stack and owns nothing. The key is NULL inside arrays and for
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

/*
 * Return the length of the valid UTF-8 character at @text, which has at least one byte; 0: invalid.
 */
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
