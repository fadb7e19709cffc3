// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the style of the JSON output of all tools, as recorded in the golden files: keys are in
 * camelCase, numbers are numbers, and properties of a card have the same key everywhere. Each key
 * is in the manual page of the tool or in a page that this one refers to. The VM cases check all
 * JSON output in the same way (tests/vm/cases/common/tool.c).
 */
#include "unit.h"

#include <ctype.h>
#include <json-c/json.h>

#include "utils/tools.h"

#define GOLDENS 5

/* List of the tools that print JSON. NULL: only tested in VM cases. */
static const struct {
	const char *tool;
	const char *golden[GOLDENS];
} printed[] = {
	{"list-cards", {"list-cards", "list-cards-streams"}},
	{"reg-read", {"reg"}},
	{"reg-read-range", {"reg"}},
	{"reg-write", {"reg"}},
	{"reg-modify", {"reg"}},
	{"reset", {NULL}},
	{"bench-dma", {"bench-dma", "bench-dma-empty", "bench-dma-soak"}},
	{"config", {"config"}},
	{"status", {"status", "status-bare", "crorc-status", "p40-status", "robinnp-status"}},
	{"metrics", {"metrics"}},
	{"pkt-monitor", {"pkt-monitor", "crorc-pkt-monitor"}},
	{"trig-monitor", {"trig-monitor"}},
	{"loopback", {"loopback"}},
	{"pat-player", {"pat-player"}},
	{"ctp-emulator", {"ctp-emulator", "ctp-emulator-start"}},
	{"ul", {"ul"}},
	{"siu-status", {"siu-status", "siu-status-down"}},
	{"flash", {"flash", "flash-dry"}},
	{"flash-read", {NULL}},
	{"fw-check", {"fw-check"}},
	{"bar-stress", {"bar-stress"}},
	{"stream", {"stream-stats", "stream-follow", "stream-set"}},
	{"fragment", {"fragment-stats", "fragment-run", "fragment-run-gone", "fragment-set"}},
	{"rosd", {"rosd"}},
	{"ros-load", {NULL}},
	{"node-check", {"node-check"}},
	{"record", {"record"}},
	{"replay", {"replay"}},
	{"send", {"send"}},
	{"recv", {"recv"}},
	{"gpu-src", {NULL}},
	{"evb", {"evb", "evb-line"}},
};

#define PRINTED (sizeof(printed) / sizeof(printed[0]))

/*
 * Manual pages that document the output of another tool as well; one golden file covers all
 * register tools.
 */
static const struct {
	const char *tool, *page;
} as[] = {
	{"reg-read", "reg-modify"},  {"reg-read-range", "reg-modify"},
	{"reg-write", "reg-modify"}, {"status", "metrics"},
	{"status", "bench-dma"},     {"status", "stream"},
	{"status", "fragment"},	     {"metrics", "bench-dma"},
	{"replay", "record"},	     {"send", "record"},
	{"recv", "record"},
};

static bool all_digits(const char *key)
{
	return *key && strspn(key, "0123456789") == strlen(key);
}

static bool key_good(const char *key)
{
	const char *p = key;

	/* The list of cards has numbers as keys. */
	if (all_digits(key))
		return true;
	if (!islower((unsigned char)*p))
		return false;
	while (isalnum((unsigned char)*p))
		p++;
	return !*p;
}

/* Keys that one tool used for what other tools call differently. */
static bool key_odd(const char *key)
{
	return !strcmp(key, "card") || !strcmp(key, "numaNode");
}

/* A number in a string; hexadecimal text is allowed. */
static bool is_number(const char *text)
{
	char *end;

	if (!isdigit((unsigned char)*text) || !strncmp(text, "0x", 2))
		return false;
	strtod(text, &end);
	return !*end;
}

/* Values that look like numbers but are names. */
static bool is_name(const char *key)
{
	return !strcmp(key, "firmware") || !strcmp(key, "firmwareHash") ||
	       !strcmp(key, "userLogicVersion") || !strcmp(key, "subject") ||
	       !strcmp(key, "found"); /* in words */
}

static unsigned int wrong;

static void complain(const char *file, const char *what, const char *key)
{
	unit_note("%s: %s: %s", file, what, key);
	wrong++;
}

/*
 * An object that has another property of a card besides its address has all of its identity; in the
 * list of cards the key is its number.
 */
static void card_whole(const char *file, const char *key, struct json_object *value)
{
	static const char *const parts[] = {"type", "endpoint", "sequence"};
	size_t i;

	if (all_digits(key) || !json_object_object_get_ex(value, "pciAddress", NULL) ||
	    !json_object_object_get_ex(value, "serial", NULL))
		return;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!json_object_object_get_ex(value, parts[i], NULL))
			complain(file, "a card without", parts[i]);
}

static void walk(const char *file, const char *key, struct json_object *value)
{
	size_t i;

	switch (json_object_get_type(value)) {
	case json_type_object: {
		card_whole(file, key, value);
		json_object_object_foreach(value, name, member)
		{
			if (!key_good(name) || key_odd(name))
				complain(file, "key", name);
			walk(file, name, member);
		}
		break;
	}
	case json_type_array:
		for (i = 0; i < json_object_array_length(value); i++)
			walk(file, key, json_object_array_get_idx(value, i));
		break;
	case json_type_string:
		if (!is_name(key) && is_number(json_object_get_string(value)))
			complain(file, "a number as text", key);
		break;
	default:
		break;
	}
}

/* @word is a bold word of a tool's manual page. */
static bool page_has(const char *tool, const char *word)
{
	size_t length = strlen(word);
	char name[32], path[128], line[512], *at;
	bool found = false;
	FILE *page;

	snprintf(name, sizeof(name), "roc-%s", tool);
	snprintf(path, sizeof(path), "Documentation/man/%s.1", name);
	page = fopen(path, "r");
	UNIT_NEED(page);
	while (!found && fgets(line, sizeof(line), page)) {
		if (strncmp(line, ".B", 2) && strncmp(line, ".RB", 3))
			continue;
		for (at = strstr(line + 3, word); at && !found; at = strstr(at + 1, word))
			found = !isalnum((unsigned char)at[-1]) &&
				!isalnum((unsigned char)at[length]);
	}
	fclose(page);
	return found;
}

static bool pages_have(const char *tool, const char *word)
{
	bool found = page_has(tool, word);
	size_t i;

	for (i = 0; !found && i < sizeof(as) / sizeof(as[0]); i++)
		found = !strcmp(as[i].tool, tool) && page_has(as[i].page, word);
	return found;
}

static void check_identity(const char *tool, struct json_object *value)
{
	size_t i;

	if (json_object_is_type(value, json_type_array)) {
		for (i = 0; i < json_object_array_length(value); i++)
			check_identity(tool, json_object_array_get_idx(value, i));
	} else if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, name, member)
		{
			if (!isdigit((unsigned char)*name) && !pages_have(tool, name))
				complain(tool, "key that no manual page has", name);
			check_identity(tool, member);
		}
	}
}

static void each_golden(void (*visit)(const char *tool, const char *path, struct json_object *all))
{
	size_t i, g;

	wrong = 0;
	for (i = 0; i < PRINTED; i++) {
		for (g = 0; g < GOLDENS && printed[i].golden[g]; g++) {
			struct json_object *all;
			char path[128];

			snprintf(path, sizeof(path), "tests/golden/%s.json", printed[i].golden[g]);
			all = json_object_from_file(path);
			if (!all)
				unit_note("%s: %s", path, json_util_get_last_err());
			UNIT_NEED(all);
			visit(printed[i].tool, path, all);
			json_object_put(all);
		}
	}
	UNIT_EQ(wrong, 0);
}

static void has_card_identity(const char *tool, const char *path, struct json_object *all)
{
	check_identity(tool, all);
}

static void manual_pages(void)
{
	each_golden(has_card_identity);
}

static void has_style(const char *tool, const char *path, struct json_object *all)
{
	walk(path, "", all);
}

static void goldens(void)
{
	each_golden(has_style);
}

static bool prints_json(const struct tool *tool)
{
	size_t i;

	for (i = 0; i < tool->option_count; i++)
		if (!strcmp(tool->options[i].name, "json"))
			return true;
	return false;
}

static void all_tools(void)
{
	const struct tool *const *t;
	size_t i, count = 0;

	for (t = tools; *t; t++) {
		if (!prints_json(*t))
			continue;
		count++;
		for (i = 0; i < PRINTED && strcmp(printed[i].tool, (*t)->name); i++)
			;
		if (i == PRINTED)
			unit_note("roc-%s prints JSON, but is not in the list of this test",
				  (*t)->name);
		CU_ASSERT_TRUE(i < PRINTED);
	}
	UNIT_EQ(count, PRINTED);
}

UNIT_MAIN("JSON of all tools", {"keys and numbers", goldens},
	  {"every tool is in the list", all_tools}, {"keys are in the manual pages", manual_pages})
