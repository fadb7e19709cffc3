// SPDX-License-Identifier: GPL-2.0-or-later
/* roc-recv: receive what roc-send sends, and write, check or count it. */
#include "libroc/fabric/fabric.h"
#include "network.h"

#include <string.h>

#include "utils/common/tool.h"
#include "utils/record/record_options.h"
#include "utils/units/units_options.h"

struct recv_values {
	struct common_options common;
	struct units_options units;
	struct recv_options recv;
	struct record_options record;
	const char *after; /* folder of an earlier recording */
	bool of_files;	   /* an option that needs --record is given */
};

#define AT(option_name, option_type, member)                                                       \
	.name = (option_name), .type = (option_type),                                              \
	.offset = offsetof(struct recv_values, recv.member)

static const struct option_spec options[] = {
	{RECORD_AT(struct recv_values, "record", OPTION_TEXT, dir), .arg = "DIR",
	 .help = "Write files as roc-record does"},
	UNITS_CHECK_OPTIONS(struct recv_values),
	FLAG_OPTION(struct recv_values, "once", recv.once,
		    "Stop when a sender has sent everything, if it had any data"),
	{AT("bind", OPTION_TEXT, host), .arg = "ADDRESS", .fallback = "127.0.0.1",
	 .help = "Set the address to listen on, :: for all"},
	{AT("port", OPTION_PORT, port), .arg = "PORT", .fallback = NETWORK_PORT,
	 .help = "Set the port to listen on, 0 = any; the tool prints it"},
	{AT("provider", OPTION_TEXT, provider), .arg = "NAME", .fallback = "tcp",
	 .help = "Select the libfabric provider: tcp, shm, verbs or efa"},
	{AT("buffer-size", OPTION_SIZE, buffer), .arg = "SIZE", .fallback = "256Mi",
	 .help = "Set the memory, which the connections share"},
	{AT("connections", OPTION_NUMBER, connections), .arg = "N", .fallback = "4", .min = 1,
	 .max = NETWORK_CONNECTIONS, .help = "Set the maximum number of connections"},
	{AT("silence", OPTION_NUMBER, silence), .arg = "SECONDS", .fallback = NETWORK_SILENCE,
	 .min = 1, .max = UINT32_MAX,
	 .help = "Set the time without a message after which a sender is lost; if below 5, set it at both ends"},
	{.name = "after",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct recv_values, after),
	 .arg = "DIR",
	 .help = "Do not write units again that the recordings in this directory or in --record contain"},
	RECORD_OPTIONS(struct recv_values, .given = offsetof(struct recv_values, of_files)),
	UNITS_RUN_OPTIONS(struct recv_values, "0"),
	UNITS_SPIN_OPTION(struct recv_values),
};

static struct sink *open_sink(const struct recv_values *v, const struct source *source,
			      struct error_log *errors, char reason[UNITS_REASON])
{
	struct record_options record = v->record;

	record.total_bytes = v->units.bytes;
	if (record.dir)
		return sink_record_process(&record, source, reason);
	return units_open_check(&v->units, source, errors);
}

static int run(const void *values)
{
	const struct recv_values *v = values;
	struct error_log errors = {.path = ERROR_LOG_FILE, .card = "network"};
	char reason[UNITS_REASON] = "";
	struct source *source;
	struct sink *sink;
	int code;

	if (v->of_files && !v->record.dir)
		return tool_usage(
			"--prefix, --file-size, --file-time, --depth and --buffered need --record.");
	code = record_usage(&v->record);
	if (code)
		return code;
	if (fabric_usage(v->recv.provider, reason))
		return tool_usage("--provider: %s", reason);
	stop_not_by_pipes();
	fabric_environment();
	source = source_recv(&v->recv, reason);
	if (!source)
		return tool_fail("%s", reason);
	if ((v->record.dir && source_recv_recorded(source, v->record.dir)) ||
	    (v->after && source_recv_recorded(source, v->after))) {
		source_close(source);
		return tool_fail("Cannot allocate the keys of the recorded units.");
	}
	sink = open_sink(v, source, &errors, reason);
	if (!sink) {
		source_close(source);
		return tool_fail("%s", reason[0] ? reason : "Cannot allocate the sink.");
	}
	/* The note goes to standard error, so that standard output has only the JSON document. */
	if (!strncmp(v->recv.host, "127.", 4) || !strcmp(v->recv.host, "::1"))
		tool_note(
			"Listening on %s, for processes of this machine only: set --bind to accept other machines.",
			source->listen);
	else
		tool_note("Listening on %s.", source->listen);
	return units_run(&v->common, &v->units, "recv", source, sink, &errors);
}

const struct tool tool_recv = {
	.name = "recv",
	.summary = "Receive the data of roc-send: write, check or count them",
	.example = "--bind=10.1.2.3 --record=/data/run1",
	TOOL_OPTIONS(options, struct recv_values),
	.run = run,
};
