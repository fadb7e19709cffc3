// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print JSON. Text is taken as UTF-8; an invalid byte becomes U+FFFD, so that parsers accept the
 * output.
 */
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>

void json_start(struct json *j, FILE *out)
{
	*j = (struct json){.out = out};
}

unsigned int json_utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned int n, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Reject overlong forms, surrogates and values beyond U+10FFFF. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static void put_string(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned int n;

	fputc('"', out);
	while (*s) {
		if (*s == '"' || *s == '\\') {
			fprintf(out, "\\%c", *s++);
		} else if (*s == '\n') {
			fputs("\\n", out);
			s++;
		} else if (*s == '\t') {
			fputs("\\t", out);
			s++;
		} else if (*s < 0x20 || *s == 0x7f) {
			fprintf(out, "\\u%04x", *s++);
		} else if ((n = json_utf8_length((const char *)s))) {
			fwrite(s, 1, n, out);
			s += n;
		} else {
			fputs("\\ufffd", out);
			s++;
		}
	}
	fputc('"', out);
}

static void new_line(struct json *j)
{
	unsigned int i;

	fputc('\n', j->out);
	for (i = 0; i < j->depth; i++)
		fputs("  ", j->out);
}

static void element(struct json *j, const char *key)
{
	if (j->depth) {
		if (j->filled[j->depth])
			fputc(',', j->out);
		new_line(j);
	}
	j->filled[j->depth] = true;
	if (key) {
		put_string(j->out, key);
		fputs(": ", j->out);
	}
}

static void begin(struct json *j, const char *key, char bracket)
{
	element(j, key);
	fputc(bracket, j->out);
	assert(j->depth < JSON_DEPTH_MAX);
	j->filled[++j->depth] = false;
}

static void end(struct json *j, char bracket)
{
	bool filled = j->filled[j->depth];

	assert(j->depth);
	j->depth--;
	if (filled)
		new_line(j);
	fputc(bracket, j->out);
	if (!j->depth)
		fputc('\n', j->out);
}

void json_object(struct json *j, const char *key)
{
	begin(j, key, '{');
}

void json_object_end(struct json *j)
{
	end(j, '}');
}

void json_array(struct json *j, const char *key)
{
	begin(j, key, '[');
}

void json_array_end(struct json *j)
{
	end(j, ']');
}

void json_text(struct json *j, const char *key, const char *value)
{
	element(j, key);
	if (value)
		put_string(j->out, value);
	else
		fputs("null", j->out);
}

void json_unsigned(struct json *j, const char *key, uint64_t value)
{
	element(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void json_signed(struct json *j, const char *key, int64_t value)
{
	element(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void json_real(struct json *j, const char *key, double value)
{
	element(j, key);
	if (isfinite(value))
		fprintf(j->out, "%.9g", value);
	else
		fputs("null", j->out);
}

void json_bool(struct json *j, const char *key, bool value)
{
	element(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
	element(j, key);
	fputs("null", j->out);
}
