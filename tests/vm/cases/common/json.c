// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read values from JSON text. See json.h.
 */
#include "json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *blank(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

static const char *skip_string(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : NULL;
}

/* A key as roc tools write it: camelCase, or a number (of a card in a list). */
static bool key_good(const char *p, const char *end)
{
	size_t digits = strspn(p, "0123456789"), n;

	if (digits)
		return p + digits == end;
	if (!islower((unsigned char)*p))
		return false;
	for (n = 0; isalnum((unsigned char)p[n]); n++)
		;
	return p + n == end;
}

/* Skip the value at @p; NULL if it is none. *@key gets the first key that is not camelCase. */
static const char *skip_keys(const char *p, const char **key)
{
	bool object = *p == '{';
	char close = object ? '}' : ']';

	if (*p == '"')
		return skip_string(p);
	if (*p != '{' && *p != '[') {
		size_t n = strspn(p, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");

		return n ? p + n : NULL;
	}
	p = blank(p + 1);
	if (*p == close)
		return p + 1;
	for (;;) {
		if (object) {
			const char *name = p + 1;

			if (*p != '"' || !(p = skip_string(p)))
				return NULL;
			if (!*key && !key_good(name, p - 1))
				*key = name;
			p = blank(p);
			if (*p++ != ':')
				return NULL;
			p = blank(p);
		}
		p = skip_keys(p, key);
		if (!p)
			return NULL;
		p = blank(p);
		if (*p == close)
			return p + 1;
		if (*p++ != ',')
			return NULL;
		p = blank(p);
	}
}

static const char *skip(const char *p)
{
	const char *unused = NULL;

	return skip_keys(p, &unused);
}

const char *json_get(const char *object, const char *key)
{
	size_t length = strlen(key);
	const char *p;

	if (!object || *(p = blank(object)) != '{')
		return NULL;
	p = blank(p + 1);
	while (p && *p == '"') {
		bool found = !strncmp(p + 1, key, length) && p[1 + length] == '"';

		p = skip_string(p);
		p = p ? blank(p) : NULL;
		if (!p || *p != ':')
			return NULL;
		p = blank(p + 1);
		if (found)
			return p;
		p = json_next(p);
	}
	return NULL;
}

const char *json_at(const char *array, unsigned int index)
{
	const char *p;

	if (!array || *(p = blank(array)) != '[')
		return NULL;
	p = blank(p + 1);
	if (*p == ']')
		return NULL;
	while (index-- && p)
		p = json_next(p);
	return p;
}

const char *json_next(const char *value)
{
	const char *p = skip(value);

	if (!p)
		return NULL;
	p = blank(p);
	return *p == ',' ? blank(p + 1) : NULL;
}

uint64_t json_number(const char *value)
{
	if (!value)
		return 0;
	return strtoull(*value == '"' ? value + 1 : value, NULL, 0);
}

double json_real(const char *value)
{
	return value ? strtod(value, NULL) : 0;
}

bool json_is(const char *value, const char *text)
{
	size_t length = strlen(text);

	return value && *value == '"' && !strncmp(value + 1, text, length) &&
	       value[1 + length] == '"';
}

bool json_valid(const char *text)
{
	const char *p = skip(blank(text));

	return p && !*blank(p);
}

const char *json_bad_key(const char *text)
{
	const char *key = NULL, *p = blank(text);

	if (*p == '{' || *p == '[')
		skip_keys(p, &key);
	return key;
}
