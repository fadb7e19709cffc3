/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small JSON writer: it builds one growing text and inserts the commas.
 *
 * The declaring function owns the object and calls json_free() at the end. Threads must not share
 * it.
 */
#ifndef EMU_JSON_H
#define EMU_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
	char *text;
	size_t len;
	size_t capacity;
	bool comma; /* a value was written at this level */
};

/* @key NULL: an element of an array, or the outermost value. */
void json_object(struct json *j, const char *key);
void json_end_object(struct json *j);
void json_array(struct json *j, const char *key);
void json_end_array(struct json *j);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_real(struct json *j, const char *key, double value);
void json_string(struct json *j, const char *key, const char *value);
void json_bool(struct json *j, const char *key, bool value);
/* A string "0x...", the format of registers and offsets. */
void json_hex(struct json *j, const char *key, uint64_t value);
/* Clear the text and keep the memory. */
void json_restart(struct json *j);
void json_free(struct json *j);

#endif /* EMU_JSON_H */
