/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Picking values out of JSON text that is known to be well-formed, without building a tree. A value
 * is a pointer to its first character; NULL is no value, and gives NULL or 0 again.
 */
#ifndef CASE_JSON_H
#define CASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

const char *json_get(const char *object, const char *key);
const char *json_at(const char *array, unsigned int index);
/* The element after this one of the same array or object; NULL at the end. */
const char *json_next(const char *value);
/* A number, or a string that is a number as C writes it. */
uint64_t json_number(const char *value);
double json_real(const char *value);
bool json_is(const char *value, const char *text); /* a string with this text */
/* Does all of the text form one value? */
bool json_valid(const char *text);
/* The first key that is not as our tools write keys (camelCase); NULL: there is none. */
const char *json_bad_key(const char *text);

#endif /* CASE_JSON_H */
