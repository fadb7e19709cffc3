// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The JSON writer: replies of the control socket and the vfio-user version text.
 */
#include "json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "utf8.h"

static void put(struct json *j, const char *text, size_t len)
{
	if (j->len + len + 1 > j->capacity) {
		size_t capacity = (j->len + len + 1) * 2;
		char *more = realloc(j->text, capacity);

		if (!more) {
			emu_log("roc-emu: out of memory for a reply");
			abort();
		}
		j->text = more;
		j->capacity = capacity;
	}
	memcpy(j->text + j->len, text, len);
	j->len += len;
	j->text[j->len] = '\0';
}

static void put_quoted(struct json *j, const char *text)
{
	char escaped[8];
	size_t len;

	put(j, "\"", 1);
	for (; *text; text += len ? len : 1) {
		unsigned char c = *text;

		len = utf8_length(text);
		if (c == '"' || c == '\\') {
			escaped[0] = '\\';
			escaped[1] = c;
			put(j, escaped, 2);
		} else if (c < 0x20) {
			put(j, escaped, snprintf(escaped, sizeof(escaped), "\\u%04x", c));
		} else if (!len) {
			put(j, "\\ufffd", 6); /* replaces a byte that is no character */
		} else {
			put(j, text, len);
		}
	}
	put(j, "\"", 1);
}

static void begin(struct json *j, const char *key)
{
	if (j->comma)
		put(j, ",", 1);
	j->comma = true;
	if (key) {
		put_quoted(j, key);
		put(j, ":", 1);
	}
}

void json_object(struct json *j, const char *key)
{
	begin(j, key);
	put(j, "{", 1);
	j->comma = false;
}

void json_end_object(struct json *j)
{
	put(j, "}", 1);
	j->comma = true;
}

void json_array(struct json *j, const char *key)
{
	begin(j, key);
	put(j, "[", 1);
	j->comma = false;
}

void json_end_array(struct json *j)
{
	put(j, "]", 1);
	j->comma = true;
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
	char text[32];

	begin(j, key);
	put(j, text, snprintf(text, sizeof(text), "%" PRIu64, value));
}

void json_real(struct json *j, const char *key, double value)
{
	char text[48];

	begin(j, key);
	put(j, text, snprintf(text, sizeof(text), "%.6g", value));
}

void json_string(struct json *j, const char *key, const char *value)
{
	begin(j, key);
	put_quoted(j, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin(j, key);
	if (value)
		put(j, "true", 4);
	else
		put(j, "false", 5);
}

void json_hex(struct json *j, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_string(j, key, text);
}

void json_restart(struct json *j)
{
	j->len = 0;
	j->comma = false;
	if (j->text)
		j->text[0] = '\0';
}

void json_free(struct json *j)
{
	free(j->text);
	j->text = NULL;
	j->len = 0;
	j->capacity = 0;
	j->comma = false;
}
