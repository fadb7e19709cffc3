// SPDX-License-Identifier: GPL-2.0-or-later
/* roc-record: record data of a card to files. */
#include "record_options.h"

#include <string.h>

#include "utils/common/tool.h"
#include "utils/units/units_options.h"

struct record_values {
	struct common_options common;
	struct units_options units;
	struct record_options record;
};

static const struct option_spec options[] = {
	{RECORD_AT(struct record_values, "DIR", OPTION_TEXT, dir), .word = true, .required = true,
	 .help = "Set the directory of the files, which is created if missing"},
	UNITS_SOURCE_OPTIONS(struct record_values),
	RECORD_OPTIONS(struct record_values),
	UNITS_RUN_OPTIONS(struct record_values, "10"),
};

int record_usage(const struct record_options *o)
{
	return o->prefix[0] && !strchr(o->prefix, '/')
		       ? TOOL_OK
		       : tool_usage(
				 "--prefix: \"%s\" is not a valid file name: it must not be empty or have a slash.",
				 o->prefix);
}

static int run(const void *values)
{
	const struct record_values *v = values;
	struct record_options record = v->record;
	char reason[UNITS_REASON] = "";
	struct source *source;
	struct sink *sink;
	int code;

	if (!v->units.synthetic && !v->units.id)
		return tool_usage("No source is selected: use --id or --synthetic.");
	code = record_usage(&v->record);
	if (!code)
		code = units_open_source(&v->units, &source);
	if (code)
		return code;
	record.total_bytes = v->units.bytes;
	sink = sink_record_process(&record, source, reason);
	if (!sink) {
		source_close(source);
		return tool_fail("%s", reason);
	}
	return units_run(&v->common, &v->units, "record", source, sink, NULL);
}

const struct tool tool_record = {
	.name = "record",
	.summary = "Write the data of a card to files without a copy",
	.example = "--id=3b:00.0 /data/run1 --file-size=10Gi",
	TOOL_OPTIONS(options, struct record_values),
	.run = run,
};
