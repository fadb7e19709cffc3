// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-record: from a card to files.
 */
#include "recording.h"

#include <string.h>

#include "utils/common/tool.h"
#include "utils/units/units_options.h"

struct record_values {
	struct common_options common;
	struct units_options units;
	const char *dir, *prefix;
	uint64_t file_size, file_time;
	uint32_t depth;
	bool buffered;
};

#define AT(option_name, option_type, member)                                                       \
	.name = (option_name), .type = (option_type),                                              \
	.offset = offsetof(struct record_values, member)

static const struct option_spec options[] = {
	{AT("DIR", OPTION_TEXT, dir), .word = true, .required = true,
	 .help = "Folder for the files; it is made if it is not there"},
	UNITS_SOURCE_OPTIONS(struct record_values),
	{AT("prefix", OPTION_TEXT, prefix), .arg = "NAME", .fallback = "run",
	 .help = "How the files are called: NAME-000000.data and so on"},
	{AT("file-size", OPTION_SIZE, file_size), .arg = "SIZE", .fallback = "4Gi",
	 .help = "A new file after so many bytes, 0 = never"},
	{AT("file-time", OPTION_TIME, file_time), .arg = "TIME",
	 .help = "A new file after this time, as in 5h30m10s (never)"},
	{AT("depth", OPTION_NUMBER, depth), .arg = "N", .fallback = "32", .min = 1, .max = 1024,
	 .help = "Writes on their way at the same time"},
	FLAG_OPTION(struct record_values, "buffered", buffered,
		    "Write by the page cache, which copies"),
	UNITS_RUN_OPTIONS(struct record_values, "10"),
};

int record_usage(const struct record_options *o)
{
	return o->prefix[0] && !strchr(o->prefix, '/')
		       ? TOOL_OK
		       : tool_usage("--prefix: \"%s\" is no name of a file.", o->prefix);
}

static int run(const void *values)
{
	const struct record_values *v = values;
	struct record_options record = {
		.dir = v->dir,
		.prefix = v->prefix,
		.file_bytes = v->file_size,
		.file_time = v->file_time,
		.depth = v->depth,
		.buffered = v->buffered,
	};
	char why[UNITS_WHY] = "";
	struct source *source;
	struct sink *sink;
	int code;

	if (!v->units.synthetic && !v->units.id)
		return tool_usage("Where do the data come from? Give --id, or --synthetic.");
	code = record_usage(&record);
	if (!code)
		code = units_open_source(&v->units, &source);
	if (code)
		return code;
	sink = sink_record(&record, source, why);
	if (!sink) {
		source_close(source);
		return tool_fail("%s", why);
	}
	return units_run(&v->common, &v->units, "record", source, sink, NULL);
}

const struct tool tool_record = {
	.name = "record",
	.summary = "Write a card's data to files, straight from its memory",
	.example = "--id=3b:00.0 /data/run1 --file-size=10Gi",
	TOOL_OPTIONS(options, struct record_values),
	.run = run,
};
