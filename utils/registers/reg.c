// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-reg-read, roc-reg-read-range, roc-reg-write and roc-reg-modify: access to single registers.
 * The kernel checks addresses and permissions, and libroc makes the messages.
 */
#include "registers.h"

#include <roc/roc.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils/common/json.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

/* Values of all four tools; each table has the options that its tool uses. */
struct values {
	struct common_options common;
	const char *id;
	uint32_t channel;
	uint32_t address;
	uint32_t range;
	uint32_t value;
	uint32_t position;
	uint32_t width;
	const char *file;
	bool noread;
	bool json;
};

#define OPTION_AT(option_name, option_type, member)                                                \
	.name = (option_name), .type = (option_type), .offset = offsetof(struct values, member)

/* @changes: the tool changes the card. */
#define REG_OPTIONS(changes)                                                                       \
	CARD_OPTION(struct values, changes),                                                       \
		{OPTION_AT("channel", OPTION_NUMBER, channel),                                     \
		 .arg = "N",                                                                       \
		 .required = true,                                                                 \
		 .max = 5,                                                                         \
		 .full = (changes),                                                                \
		 .help = "Select the BAR"},                                                        \
		{OPTION_AT("address", OPTION_HEX, address), .arg = "HEX", .required = true,        \
		 .full = (changes),                                                                \
		 .help = "Set the byte offset of the register, hexadecimal with or without 0x"},   \
		JSON_OPTION(struct values)

#define VALUE_OPTIONS                                                                              \
	{OPTION_AT("value", OPTION_NUMBER, value), .arg = "NUMBER", .required = true,              \
	 .full = true, .help = "Set the value to write, decimal or hexadecimal with 0x"},          \
		FLAG_OPTION(struct values, "noread", noread, "Do not read the register back")

static const struct option_spec read_options[] = {REG_OPTIONS(false)};

static const struct option_spec range_options[] = {
	REG_OPTIONS(false),
	{OPTION_AT("range", OPTION_NUMBER, range), .arg = "N", .required = true, .min = 1,
	 .max = UINT32_MAX / 4, .help = "Set the number of registers"},
	{OPTION_AT("file", OPTION_TEXT, file), .arg = "FILE",
	 .help = "Write raw little-endian words to a file instead of text"},
};

static const struct option_spec write_options[] = {REG_OPTIONS(true), VALUE_OPTIONS};

static const struct option_spec modify_options[] = {
	REG_OPTIONS(true),
	VALUE_OPTIONS,
	{OPTION_AT("position", OPTION_NUMBER, position), .arg = "N", .fallback = "0", .max = 31,
	 .full = true, .help = "Set the lowest bit of the field"},
	{OPTION_AT("width", OPTION_NUMBER, width), .arg = "N", .fallback = "1", .min = 1, .max = 32,
	 .full = true, .help = "Set the number of bits of the field"},
};

static void print_value(const struct values *v, const char *title, uint32_t value)
{
	reg_text(stdout, title, v->address, value, v->common.verbose);
}

static int open_card(const struct values *v, struct roc_endpoint **ep)
{
	int err;

	*ep = NULL;
	if (v->address % 4)
		return tool_usage("--address: 0x%x is not a multiple of 4.", v->address);
	err = roc_open(v->id, ep);
	return err ? tool_fail_card(err) : TOOL_OK;
}

static int run_read(const void *p)
{
	const struct values *v = p;
	struct roc_endpoint *ep;
	uint32_t value;
	struct json j;
	int code;

	code = open_card(v, &ep);
	if (code)
		return code;
	if (roc_reg_read(ep, v->channel, v->address, &value)) {
		roc_close(ep);
		return tool_fail("%s", roc_error());
	}
	roc_close(ep);
	if (v->json) {
		json_start(&j, stdout);
		reg_json(&j, NULL, v->address, value);
	} else {
		print_value(v, "", value);
	}
	return TOOL_OK;
}

static int read_range(const struct values *v, uint32_t *words)
{
	struct roc_bar_info bar;
	struct roc_endpoint *ep;
	uint32_t i;
	int code;

	code = open_card(v, &ep);
	if (code)
		return code;
	/* Check the whole range before reading any of it. */
	if (roc_bar_info_get(ep, v->channel, &bar)) {
		code = tool_fail("%s", roc_error());
		goto out;
	}
	if ((uint64_t)v->address + 4 * (uint64_t)v->range > bar.length) {
		code = tool_fail("%u registers from 0x%x on exceed BAR %u, which has 0x%" PRIx64
				 " bytes.",
				 v->range, v->address, v->channel, (uint64_t)bar.length);
		goto out;
	}
	for (i = 0; i < v->range; i++) {
		if (roc_reg_read(ep, v->channel, v->address + 4 * i, &words[i])) {
			code = tool_fail("%s", roc_error());
			break;
		}
	}
out:
	roc_close(ep);
	return code;
}

static int run_range(const void *p)
{
	const struct values *v = p;
	char line[REG_LINE_MAX];
	uint32_t *words, i;
	char reason[OUTPUT_REASON];
	struct json j;
	int code;

	words = calloc(v->range, sizeof(*words));
	if (!words)
		return tool_fail("Cannot allocate memory for %u registers.", v->range);
	code = read_range(v, words);
	if (code)
		goto out;
	if (v->file &&
	    output_replace(v->file, (const char *)words, sizeof(*words) * v->range, false, reason))
		code = tool_fail("%s", reason);
	if (v->json) {
		json_start(&j, stdout);
		json_array(&j, NULL);
		for (i = 0; i < v->range; i++)
			reg_json(&j, NULL, v->address + 4 * i, words[i]);
		json_array_end(&j);
	} else if (!v->file) {
		for (i = 0; i < v->range; i++) {
			reg_line(v->address + 4 * i, words[i], line);
			puts(line);
		}
	}
out:
	free(words);
	return code;
}

static int run_write(const void *p)
{
	const struct values *v = p;
	struct roc_endpoint *ep;
	uint32_t value = 0;
	struct json j;
	int code;

	code = open_card(v, &ep);
	if (code)
		return code;
	if (roc_reg_write(ep, v->channel, v->address, v->value) ||
	    (!v->noread && roc_reg_read(ep, v->channel, v->address, &value)))
		code = tool_fail("%s", roc_error());
	roc_close(ep);
	if (code)
		return code;
	if (v->json) {
		json_start(&j, stdout);
		if (v->noread)
			value = v->value;
		reg_json(&j, NULL, v->address, value);
	} else if (!v->noread) {
		print_value(v, "", value);
	} else if (v->common.verbose) {
		puts("Done!");
	}
	return TOOL_OK;
}

static int run_modify(const void *p)
{
	uint32_t mask, bits, before, after;
	const struct values *v = p;
	struct roc_endpoint *ep;
	struct json j;
	char reason[160];
	int code;

	if (!reg_field(v->position, v->width, v->value, &mask, &bits, reason, sizeof(reason)))
		return tool_usage("%s", reason);
	code = open_card(v, &ep);
	if (code)
		return code;
	if (roc_reg_modify(ep, v->channel, v->address, mask, bits, &before, &after) ||
	    (!v->noread && roc_reg_read(ep, v->channel, v->address, &after)))
		code = tool_fail("%s", roc_error());
	roc_close(ep);
	if (code)
		return code;
	if (v->json) {
		json_start(&j, stdout);
		json_object(&j, NULL);
		reg_json(&j, "before", v->address, before);
		reg_json(&j, "after", v->address, after);
		json_object_end(&j);
	} else if (!v->noread) {
		print_value(v, "Before modification:", before);
		print_value(v, "After modification:", after);
	} else if (v->common.verbose) {
		puts("Done!");
	}
	return TOOL_OK;
}

const struct tool tool_reg_read = {
	.name = "reg-read",
	.summary = "Read a register of a card",
	.example = "--id=3b:00.0 --channel=2 --address=0x4",
	TOOL_OPTIONS(read_options, struct values),
	.run = run_read,
};

const struct tool tool_reg_read_range = {
	.name = "reg-read-range",
	.summary = "Read consecutive registers of a card",
	.example = "--id=3b:00.0 --channel=2 --address=0x0 --range=5",
	TOOL_OPTIONS(range_options, struct values),
	.run = run_range,
};

const struct tool tool_reg_write = {
	.name = "reg-write",
	.summary = "Write a register of a card",
	.example = "--id=3b:00.0 --channel=2 --address=0x600000 --value=0xfff",
	TOOL_OPTIONS(write_options, struct values),
	.run = run_write,
};

const struct tool tool_reg_modify = {
	.name = "reg-modify",
	.summary = "Change some bits of a register of a card",
	.example = "--id=3b:00.0 --channel=2 --address=0x600000 --position=3 --width=1 --value=1",
	TOOL_OPTIONS(modify_options, struct values),
	.run = run_modify,
};
