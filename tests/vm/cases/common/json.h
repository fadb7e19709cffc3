/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read values from well-formed JSON text, without building a tree. A value is a pointer to its
 * first character. NULL is no value; functions given NULL return NULL or 0.
 */
#ifndef CASE_JSON_H
#define CASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

const char *json_get(const char *object, const char *key);
const char *json_at(const char *array, unsigned int index);
/* The next element of the same array or object; NULL at the end. */
const char *json_next(const char *value);
/* A number, or a string that holds a number in C syntax. */
uint64_t json_number(const char *value);
double json_real(const char *value);
bool json_is(const char *value, const char *text); /* a string with this text */
/* True if all of the text forms one value. */
bool json_valid(const char *text);
/* The first key that is not camelCase; NULL: there is none. */
const char *json_bad_key(const char *text);

#endif /* CASE_JSON_H */
