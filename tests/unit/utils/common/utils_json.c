// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the JSON writer: exact text, escapes, numbers.
 */
#include "unit.h"

#include <math.h>
#include <stdint.h>

#include "utils/common/json.h"

static char *text;
static size_t length;
static FILE *out;
static struct json j;

static void begin(void)
{
	out = open_memstream(&text, &length);
	UNIT_NEED(out);
	json_start(&j, out);
}

static void expect(const char *expected)
{
	fclose(out);
	UNIT_STR(text, expected);
	free(text);
	text = NULL;
}

static void nesting(void)
{
	begin();
	json_object(&j, NULL);
	json_unsigned(&j, "a", 1);
	json_array(&j, "b");
	json_object(&j, NULL);
	json_object_end(&j);
	json_signed(&j, NULL, -2);
	json_array_end(&j);
	json_bool(&j, "c", false);
	json_object_end(&j);
	expect("{\n  \"a\": 1,\n  \"b\": [\n    {},\n    -2\n  ],\n  \"c\": false\n}\n");
}

static void empty(void)
{
	begin();
	json_object(&j, NULL);
	json_object_end(&j);
	expect("{}\n");
}

static void numbers(void)
{
	begin();
	json_array(&j, NULL);
	json_unsigned(&j, NULL, UINT64_MAX);
	json_signed(&j, NULL, INT64_MIN);
	json_real(&j, NULL, 0.25);
	json_real(&j, NULL, NAN);
	json_real(&j, NULL, INFINITY);
	json_null(&j, NULL);
	json_array_end(&j);
	expect("[\n  18446744073709551615,\n  -9223372036854775808,\n  0.25,\n  null,\n  null,\n"
	       "  null\n]\n");
}

/* Print one string in an array and compare the text between the brackets. */
static void string(const char *value, const char *expected)
{
	char all[128];

	begin();
	json_array(&j, NULL);
	json_text(&j, NULL, value);
	json_array_end(&j);
	snprintf(all, sizeof(all), "[\n  %s\n]\n", expected);
	expect(all);
}

static void escapes(void)
{
	string("plain", "\"plain\"");
	string(NULL, "null");
	string("say \"hi\" \\ bye", "\"say \\\"hi\\\" \\\\ bye\"");
	string("a\nb\tc\x01\x7f", "\"a\\nb\\tc\\u0001\\u007f\"");
	string("45 \302\260C", "\"45 \302\260C\"");
	/* Invalid UTF-8: single byte, truncated character, overlong slash, surrogate. */
	string("x\xffy", "\"x\\ufffdy\"");
	string("x\xe2\x82", "\"x\\ufffd\\ufffd\"");
	string("\xc0\xaf", "\"\\ufffd\\ufffd\"");
	string("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
	string("\xf0\x9f\x92\xa1", "\"\xf0\x9f\x92\xa1\"");
}

static void keys(void)
{
	begin();
	json_object(&j, NULL);
	json_text(&j, "k\"ey", "v");
	json_object_end(&j);
	expect("{\n  \"k\\\"ey\": \"v\"\n}\n");
}

UNIT_MAIN("utils json", {"nesting and commas", nesting}, {"empty object", empty},
	  {"numbers stay numbers", numbers}, {"strings are escaped", escapes},
	  {"keys are escaped", keys})
