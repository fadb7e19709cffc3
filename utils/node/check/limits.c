// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read the file of limits with json-c. An unknown member, a value of another type, or a value out
 * of range is an error.
 */
#include "check.h"

#include <json-c/json.h>

#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils/common/numbers.h"

#define FILE_SIZE_MAX 65536

enum kind {
	KIND_NUMBER,
	KIND_SIZE,
	KIND_TEXTS,
	KIND_PATTERNS,
	KIND_TEXT,
	KIND_CARDS,
};

#define AT(member) offsetof(struct limits, member)

static const struct member {
	const char *name;
	enum kind kind;
	size_t at;
	int64_t min, max; /* KIND_NUMBER */
} members[] = {
	{"cards", KIND_CARDS, AT(card), 0, 0},
	{"drivers", KIND_TEXTS, AT(drivers), 0, 0},
	{"temperatureWarn", KIND_NUMBER, AT(temperature_warn), 0, 200},
	{"temperatureFail", KIND_NUMBER, AT(temperature_fail), 0, 200},
	{"maxPayload", KIND_NUMBER, AT(max_payload), 128, 4096},
	{"maxReadRequest", KIND_NUMBER, AT(max_read_request), 128, 4096},
	{"correctableErrors", KIND_NUMBER, AT(correctable_errors), 0, INT64_MAX},
	{"nodeImbalance", KIND_NUMBER, AT(node_imbalance), 0, 100},
	{"nodesPerSocket", KIND_NUMBER, AT(nodes_per_socket), 1, 64},
	{"memoryPerChannel", KIND_SIZE, AT(memory_per_channel), 0, 0},
	{"iommu", KIND_TEXTS, AT(iommu), 0, 0},
	{"governors", KIND_TEXTS, AT(governors), 0, 0},
	{"memoryChannels", KIND_NUMBER, AT(memory_channels), 0, 64},
	{"memoryLocators", KIND_PATTERNS, AT(memory_locators), 0, 0},
	{"group", KIND_TEXT, AT(group), 0, 0},
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

void limits_default(struct limits *limits)
{
	*limits = (struct limits){
		.temperature_warn = 55,
		.temperature_fail = 60,
		.max_payload = 256,
		.max_read_request = 512,
		.nodes_per_socket = 1,
		.node_imbalance = 1,
		.memory_per_channel = 1 << 30,
		.iommu = {{"identity", "DMA", "DMA-FQ"}, 3},
		.governors = {{"performance"}, 1},
		.group = "roc",
	};
}

static const char *set_text(const struct json_object *value, char *text, size_t size)
{
	const char *given = json_object_get_string((struct json_object *)value);

	if (!json_object_is_type(value, json_type_string) || !*given || strlen(given) >= size)
		return "is not a string, or is empty or too long";
	strcpy(text, given);
	return NULL;
}

static const char *set_texts(const struct json_object *value, struct limits_texts *texts)
{
	size_t count, i;

	if (!json_object_is_type(value, json_type_array))
		return "is not an array of strings";
	count = json_object_array_length(value);
	if (count > LIMITS_TEXTS)
		return "has more than 16 strings";
	for (i = 0; i < count; i++) {
		const char *wrong = set_text(json_object_array_get_idx(value, i), texts->text[i],
					     sizeof(texts->text[i]));
		if (wrong)
			return "has an element that is not a string, or is empty or too long";
	}
	texts->count = count;
	return NULL;
}

/* Each pattern needs two groups, the socket and the channel. */
static const char *check_patterns(const struct limits_texts *texts)
{
	const char *wrong = NULL;
	regex_t regex;
	size_t i;

	for (i = 0; i < texts->count && !wrong; i++) {
		if (regcomp(&regex, texts->text[i], REG_EXTENDED))
			return "has an element that is not an extended regular expression";
		if (regex.re_nsub < 2)
			wrong = "has an element without two groups, (socket) and (channel)";
		regfree(&regex);
	}
	return wrong;
}

static const char *set_cards(const struct json_object *value, struct limits *limits)
{
	uint64_t serial;

	if (!json_object_is_type(value, json_type_object))
		return "is not an object of serial numbers and nodes";
	limits->cards = 0;
	json_object_object_foreach((struct json_object *)value, key, node)
	{
		if (limits->cards == LIMITS_CARDS)
			return "has more than 32 cards";
		if (number_value(key, &serial) || serial > INT32_MAX)
			return "has a key that is not a serial number";
		if (node && (!json_object_is_type(node, json_type_int) ||
			     json_object_get_int64(node) < 0 || json_object_get_int64(node) > 1023))
			return "has a value that is not a NUMA node (null: any)";
		limits->card[limits->cards].serial = (int)serial;
		limits->card[limits->cards++].node = node ? json_object_get_int(node) : -1;
	}
	return NULL;
}

static const char *set_size(const struct json_object *value, uint64_t *size)
{
	const char *wrong;

	if (!json_object_is_type(value, json_type_string))
		return "is not a size, as in \"1Gi\"";
	wrong = number_size(json_object_get_string((struct json_object *)value), size);
	return wrong ? wrong : *size ? NULL : "is 0";
}

/* Set a limit: NULL, or the fault of the value. */
static const char *set(struct limits *limits, const struct member *m,
		       const struct json_object *value)
{
	void *at = (char *)limits + m->at;
	const char *wrong;
	int64_t number;

	switch (m->kind) {
	case KIND_NUMBER:
		if (!json_object_is_type(value, json_type_int))
			return "is not an integer";
		number = json_object_get_int64(value);
		if (number < m->min || number > m->max)
			return "is out of range";
		*(int64_t *)at = number;
		return NULL;
	case KIND_SIZE:
		return set_size(value, at);
	case KIND_TEXTS:
		return set_texts(value, at);
	case KIND_PATTERNS:
		wrong = set_texts(value, at);
		return wrong ? wrong : check_patterns(at);
	case KIND_TEXT:
		return set_text(value, at, sizeof(limits->group));
	case KIND_CARDS:
		return set_cards(value, limits);
	}
	return NULL;
}

static int fail(int err, char *reason, size_t size, const char *path, const char *key,
		const char *what)
{
	if (key)
		snprintf(reason, size, "%s: %s %s.", path, key, what);
	else
		snprintf(reason, size, "%s %s.", path, what);
	return -err;
}

static int parse_object(struct limits *limits, const struct json_object *root, const char *path,
			char *reason, size_t size)
{
	const char *wrong;
	size_t i;

	json_object_object_foreach((struct json_object *)root, key, value)
	{
		for (i = 0; i < MEMBERS && strcmp(members[i].name, key); i++)
			;
		if (i == MEMBERS)
			return fail(EINVAL, reason, size, path, key,
				    "is not a limit; roc-node-check(1) lists all limits");
		wrong = set(limits, &members[i], value);
		if (wrong)
			return fail(EINVAL, reason, size, path, key, wrong);
	}
	if (limits->temperature_warn > limits->temperature_fail)
		return fail(EINVAL, reason, size, path, "temperatureWarn",
			    "is above temperatureFail");
	return 0;
}

/* The caller frees @text. */
static int read_file(const char *path, char **text)
{
	FILE *file = fopen(path, "re");
	size_t length;
	int err = 0;

	*text = NULL;
	if (!file)
		return -errno;
	*text = malloc(FILE_SIZE_MAX + 1);
	if (!*text) {
		err = -ENOMEM;
	} else {
		errno = EIO;
		length = fread(*text, 1, FILE_SIZE_MAX + 1, file);
		if (ferror(file))
			err = -errno;
		else if (length > FILE_SIZE_MAX)
			err = -EFBIG;
		else if (memchr(*text, '\0', length))
			err = -EINVAL;
		else
			(*text)[length] = '\0';
	}
	fclose(file);
	if (err)
		free(*text);
	return err;
}

int limits_read(struct limits *limits, const char *path, char *reason, size_t reason_size)
{
	struct json_tokener *tokener = NULL;
	struct json_object *root = NULL;
	const char *given = path;
	char *text;
	int err;

	if (!path)
		path = LIMITS_FILE;
	err = read_file(path, &text);
	if (err == -ENOENT && !given)
		return 0;
	if (err)
		return fail(-err, reason, reason_size, path, "cannot be read", strerror(-err));
	tokener = json_tokener_new();
	if (!tokener) {
		err = fail(ENOMEM, reason, reason_size, path, NULL,
			   "cannot be read: cannot allocate a JSON parser");
		goto out;
	}
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	/* Pass the final 0, too, so that a number at the end of the text is complete. */
	root = json_tokener_parse_ex(tokener, text, (int)strlen(text) + 1);
	if (json_tokener_get_error(tokener) != json_tokener_success)
		err = fail(EINVAL, reason, reason_size, path,
			   "not JSON:", json_tokener_error_desc(json_tokener_get_error(tokener)));
	else if (!json_object_is_type(root, json_type_object))
		err = fail(EINVAL, reason, reason_size, path, NULL, "is not a JSON object");
	else
		err = parse_object(limits, root, path, reason, reason_size);
	if (!err)
		snprintf(limits->source, sizeof(limits->source), "%s", path);
out:
	json_object_put(root);
	if (tokener)
		json_tokener_free(tokener);
	free(text);
	return err;
}
