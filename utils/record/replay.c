// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-replay: read a recording as a source, and check or count its units. (roc-send --replay sends
 * one.)
 */
#include "recording.h"

#include "utils/common/tool.h"
#include "utils/units/units_options.h"

struct replay_values {
	struct common_options common;
	struct units_options units;
	const char *path;
	uint64_t buffer;
	uint32_t depth;
	bool buffered;
};

#define AT(option_name, option_type, member)                                                       \
	.name = (option_name), .type = (option_type),                                              \
	.offset = offsetof(struct replay_values, member)

static const struct option_spec options[] = {
	{AT("PATH", OPTION_TEXT, path), .word = true, .required = true,
	 .help = "Select the directory of a recording, or one of its index files"},
	{AT("rate", OPTION_SIZE, units.rate), .arg = "SIZE", .fallback = "0",
	 .help = "Set the bytes per second, 0 = unlimited"},
	{AT("buffer-size", OPTION_SIZE, buffer), .arg = "SIZE", .fallback = "64Mi",
	 .help = "Set the memory for reading ahead"},
	{AT("depth", OPTION_NUMBER, depth), .arg = "N", .fallback = "16", .min = 1, .max = 1024,
	 .help = "Set the number of outstanding reads"},
	FLAG_OPTION(struct replay_values, "buffered", buffered,
		    "Read through the page cache, which copies the data"),
	UNITS_CHECK_OPTIONS(struct replay_values),
	UNITS_RUN_OPTIONS(struct replay_values, "10"),
};

static int run(const void *values)
{
	const struct replay_values *v = values;
	struct replay_options replay = {
		.path = v->path,
		.rate = v->units.rate,
		.buffer = v->buffer,
		.depth = v->depth,
		.buffered = v->buffered,
	};
	struct error_log errors = {.path = ERROR_LOG_FILE, .card = v->path};
	char reason[UNITS_REASON] = "";
	struct source *source;
	struct sink *sink;

	source = source_replay(&replay, reason);
	if (!source)
		return tool_fail("%s", reason);
	sink = units_open_check(&v->units, source, &errors);
	if (!sink) {
		source_close(source);
		return tool_fail("Cannot allocate the sink.");
	}
	return units_run(&v->common, &v->units, "replay", source, sink, &errors);
}

const struct tool tool_replay = {
	.name = "replay",
	.summary = "Feed a recording as a card does, and check it",
	.example = "/data/run1",
	TOOL_OPTIONS(options, struct replay_values),
	.run = run,
};
