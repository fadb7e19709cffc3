// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-recv: what roc-send sends, to files, to the check, or only counted.
 */
#include "network.h"

#include "utils/common/tool.h"
#include "utils/record/recording.h"
#include "utils/units/units_options.h"

struct recv_values {
	struct common_options common;
	struct units_options units;
	const char *bind, *port, *provider, *dir, *prefix;
	uint64_t buffer, file_size, file_time;
	uint32_t connections, silence, depth;
	bool once, buffered;
	bool of_files; /* something that only --record uses */
};

#define AT(option_name, option_type, member)                                                       \
	.name = (option_name), .type = (option_type), .offset = offsetof(struct recv_values, member)

#define OF_FILES .given = offsetof(struct recv_values, of_files)

static const struct option_spec options[] = {
	{AT("record", OPTION_TEXT, dir), .arg = "DIR", .help = "Write files, as roc-record does"},
	UNITS_CHECK_OPTIONS(struct recv_values),
	FLAG_OPTION(struct recv_values, "once", once,
		    "End when a sender has sent everything, if it had anything"),
	{AT("bind", OPTION_TEXT, bind), .arg = "ADDRESS",
	 .help = "Listen at this address only (all)"},
	{AT("port", OPTION_PORT, port), .arg = "PORT", .fallback = NETWORK_PORT,
	 .help = "Port to listen at, 0 = any, which is said"},
	{AT("provider", OPTION_TEXT, provider), .arg = "NAME", .fallback = "tcp",
	 .help = "Of libfabric: tcp, shm, verbs, efa, cxi"},
	{AT("buffer-size", OPTION_SIZE, buffer), .arg = "SIZE", .fallback = "256Mi",
	 .help = "Memory, shared out among the connections"},
	{AT("connections", OPTION_NUMBER, connections), .arg = "N", .fallback = "4", .min = 1,
	 .max = NETWORK_CONNECTIONS, .help = "Connections at the same time"},
	{AT("silence", OPTION_NUMBER, silence), .arg = "SECONDS", .fallback = NETWORK_SILENCE,
	 .min = 1, .help = "A sender that says nothing for so long is gone; below 5 at both ends"},
	{AT("prefix", OPTION_TEXT, prefix), .arg = "NAME", .fallback = "run", OF_FILES,
	 .help = "How the files are called: NAME-000000.data and so on"},
	{AT("file-size", OPTION_SIZE, file_size), .arg = "SIZE", .fallback = "4Gi", OF_FILES,
	 .help = "A new file after so many bytes, 0 = never"},
	{AT("file-time", OPTION_TIME, file_time), .arg = "TIME", OF_FILES,
	 .help = "A new file after this time, as in 5h30m10s (never)"},
	{AT("depth", OPTION_NUMBER, depth), .arg = "N", .fallback = "32", .min = 1, .max = 1024,
	 OF_FILES, .help = "Writes on their way at the same time"},
	{AT("buffered", OPTION_FLAG, buffered), OF_FILES,
	 .help = "Write by the page cache, which copies"},
	UNITS_RUN_OPTIONS(struct recv_values, "0"),
	UNITS_SPIN_OPTION(struct recv_values),
};

static struct sink *open_sink(const struct recv_values *v, const struct record_options *record,
			      const struct source *source, struct error_log *errors,
			      char why[UNITS_WHY])
{
	if (record->dir)
		return sink_record(record, source, why);
	return units_open_check(&v->units, source, errors);
}

static int run(const void *values)
{
	const struct recv_values *v = values;
	struct recv_options recv = {
		.host = v->bind,
		.port = v->port,
		.provider = v->provider,
		.buffer = v->buffer,
		.connections = v->connections,
		.silence = v->silence,
		.once = v->once,
	};
	struct record_options record = {
		.dir = v->dir,
		.prefix = v->prefix,
		.file_bytes = v->file_size,
		.file_time = v->file_time,
		.depth = v->depth,
		.buffered = v->buffered,
	};
	struct error_log errors = {.path = ERROR_LOG_FILE, .card = "network"};
	char why[UNITS_WHY] = "";
	struct source *source;
	struct sink *sink;
	int code;

	if (v->of_files && !v->dir)
		return tool_usage("--prefix, --file-size, --file-time, --depth and --buffered are "
				  "for --record.");
	code = record_usage(&record);
	if (code)
		return code;
	source = source_recv(&recv, why);
	if (!source)
		return tool_fail("%s", why);
	sink = open_sink(v, &record, source, &errors, why);
	if (!sink) {
		source_close(source);
		return tool_fail("%s", why[0] ? why : "There is no memory left.");
	}
	/* On standard error: JSON stays alone. */
	tool_note("Listening at port %u.", source_recv_port(source));
	return units_run(&v->common, &v->units, "recv", source, sink, &errors);
}

const struct tool tool_recv = {
	.name = "recv",
	.summary = "Receive what roc-send sends: write, check or count it",
	.example = "--record=/data/run1",
	TOOL_OPTIONS(options, struct recv_values),
	.run = run,
};
