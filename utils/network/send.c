// SPDX-License-Identifier: GPL-2.0-or-later
/* roc-send: send data of a card or of a recording to a roc-recv. */
#include "libroc/fabric/fabric.h"
#include "network.h"

#include "utils/common/tool.h"
#include "utils/record/recording.h"
#include "utils/units/units_options.h"

struct send_values {
	struct common_options common;
	struct units_options units;
	struct send_options send;
	const char *replay;
};

#define AT(option_name, option_type, member)                                                       \
	.name = (option_name), .type = (option_type),                                              \
	.offset = offsetof(struct send_values, send.member)

static const struct option_spec options[] = {
	{AT("HOST", OPTION_TEXT, host), .word = true, .required = true,
	 .help = "Select the host of roc-recv by name or address"},
	UNITS_SOURCE_OPTIONS(struct send_values),
	{.name = "replay",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct send_values, replay),
	 .arg = "PATH",
	 .help = "Send a recording of roc-record instead of using a card"},
	{AT("port", OPTION_PORT, port), .arg = "PORT", .fallback = NETWORK_PORT,
	 .help = "Set the port of roc-recv"},
	{AT("provider", OPTION_TEXT, provider), .arg = "NAME", .fallback = "tcp",
	 .help = "Select the libfabric provider: tcp, shm, verbs or efa"},
	{AT("connections", OPTION_NUMBER, connections), .arg = "N", .fallback = "1", .min = 1,
	 .max = NETWORK_CONNECTIONS, .help = "Distribute the links over this many connections"},
	{AT("patience", OPTION_NUMBER, patience), .arg = "SECONDS", .fallback = "30",
	 .help = "Set the time to wait for a receiver that is missing or lost"},
	{AT("silence", OPTION_NUMBER, silence), .arg = "SECONDS", .fallback = NETWORK_SILENCE,
	 .min = 1, .max = UINT32_MAX,
	 .help = "Set the time without a message after which the peer is lost; if below 5, set it at both ends"},
	UNITS_RUN_OPTIONS(struct send_values, "10"),
	UNITS_SPIN_OPTION(struct send_values),
};

static int open_source(const struct send_values *v, struct source **source)
{
	struct replay_options replay = {
		.path = v->replay,
		.rate = v->units.rate,
		.buffer = UINT64_C(64) << 20,
		.depth = 16,
	};
	char reason[UNITS_REASON] = "";

	if (!v->replay)
		return units_open_source(&v->units, source);
	*source = source_replay(&replay, reason);
	return *source ? TOOL_OK : tool_fail("%s", reason);
}

static int run(const void *values)
{
	const struct send_values *v = values;
	char reason[UNITS_REASON] = "";
	struct source *source;
	struct sink *sink;
	int code;

	if (!v->units.id + !v->units.synthetic + !v->replay != 2)
		return tool_usage(
			"Exactly one source is needed: use --id, --replay or --synthetic.");
	if (fabric_usage(v->send.provider, reason))
		return tool_usage("--provider: %s", reason);
	fabric_environment();
	code = open_source(v, &source);
	if (code)
		return code;
	sink = sink_send(&v->send, source, reason);
	if (!sink) {
		source_close(source);
		return tool_fail("%s", reason);
	}
	return units_run(&v->common, &v->units, "send", source, sink, NULL);
}

const struct tool tool_send = {
	.name = "send",
	.summary = "Send the data of a card to another machine without a copy",
	.example = "node2 --id=3b:00.0 --provider=verbs",
	TOOL_OPTIONS(options, struct send_values),
	.run = run,
};
