// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parse "TYPE:KEY=VALUE,...".
 */
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "utils/common/numbers.h"
#include "utils/common/options.h"
#include "utils/units/units.h"

bool evb_text_is(const char *text, const char *kind, const char **values)
{
	size_t length = strlen(kind);

	if (strncasecmp(text, kind, length) || (text[length] && text[length] != ':'))
		return false;
	*values = text[length] ? text + length + 1 : "";
	return true;
}

/* Each read_*() returns NULL, or a fault as the predicate of "VALUE ...". */
static const char *read_size(const struct evb_key *key, const char *text, void *to)
{
	uint64_t value;
	const char *wrong = number_size(text, &value);

	if (!wrong && key->max && (value < key->min || value > key->max))
		wrong = "is out of range";
	if (!wrong)
		memcpy(to, &value, sizeof(value));
	return wrong;
}

static const char *read_share(const char *text, void *to)
{
	char *end;
	double value = strtod(text, &end);

	if (end != text && !strcmp(end, "%")) {
		value /= 100;
		end++;
	}
	if (end == text || *end || !isfinite(value) || value < 0 || value > 1)
		return "is not a fraction from 0 to 1 (examples: 1%, 0.01)";
	memcpy(to, &value, sizeof(value));
	return NULL;
}

static const char *read_time(const char *text, void *to)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *end;
	double value = strtod(text, &end);
	uint64_t ns;
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (end == text || strcmp(end, units[i].name) || !(value >= 0) ||
		    value * units[i].ns > 1e18)
			continue;
		ns = (uint64_t)(value * units[i].ns);
		memcpy(to, &ns, sizeof(ns));
		return NULL;
	}
	return "is not a time (examples: 5s, 200ms, 100us)";
}

static const char *read_text(const char *text, void *to)
{
	if (!*text)
		return "is empty";
	/* @text is a part of the caller's copy, which has EVB_TEXT_MAX bytes. */
	strcpy(to, text);
	return NULL;
}

static const char *read_name(const struct evb_key *key, const char *text, void *to)
{
	unsigned int i = options_choice(key->names, text);

	if (!key->names[i])
		return "is not a valid value";
	memcpy(to, &i, sizeof(i));
	return NULL;
}

static const char *read_value(const struct evb_key *key, const char *text, void *to)
{
	switch (key->type) {
	case EVB_KEY_SIZE:
		return read_size(key, text, to);
	case EVB_KEY_SHARE:
		return read_share(text, to);
	case EVB_KEY_TIME:
		return read_time(text, to);
	case EVB_KEY_TEXT:
		return read_text(text, to);
	case EVB_KEY_NAME:
		return read_name(key, text, to);
	default:
		*(bool *)to = true;
		return NULL;
	}
}

static int unknown(const char *kind, const char *name, const struct evb_key *keys, size_t count,
		   char *reason)
{
	char known[256] = "";
	size_t i;

	for (i = 0; i < count; i++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
			 i ? ", " : "", keys[i].name);
	return units_fail(reason, EINVAL, "%s: unknown parameter \"%s\": valid are %s.", kind, name,
			  known);
}

static int one(const char *kind, char *word, bool first, const struct evb_key *keys, size_t count,
	       void *to, char *reason)
{
	char *value = strchr(word, '=');
	const char *wrong;
	size_t i;

	if (value)
		*value++ = '\0';
	for (i = 0; i < count; i++) {
		bool bare = first && !value && keys[i].bare;

		if (!bare && strcmp(keys[i].name, word))
			continue;
		if (bare)
			value = word;
		if (!value != (keys[i].type == EVB_KEY_FLAG))
			return units_fail(reason, EINVAL, "%s: %s %s a value.", kind, keys[i].name,
					  value ? "does not accept" : "needs");
		wrong = read_value(&keys[i], value, (char *)to + keys[i].offset);
		return wrong ? units_fail(reason, EINVAL, "%s: %s: \"%s\" %s.", kind, keys[i].name,
					  value, wrong)
			     : 0;
	}
	return unknown(kind, word, keys, count, reason);
}

int evb_text_parse(const char *kind, const char *values, const struct evb_key *keys, size_t count,
		   void *to, char *reason)
{
	char copy[EVB_TEXT_MAX], *rest = copy, *word;
	bool first = true;
	int ret = 0;

	if (strlen(values) >= sizeof(copy))
		return units_fail(reason, EINVAL, "%s: \"%s\" has more than %d characters.", kind,
				  values, EVB_TEXT_MAX - 1);
	strcpy(copy, values);
	while (!ret && values[0] && (word = strsep(&rest, ","))) {
		ret = one(kind, word, first, keys, count, to, reason);
		first = false;
	}
	return ret;
}
