// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-stream: options and actions.
 */
#include "stream.h"

#include <stddef.h>

#include "utils/common/tool.h"

static const char *const actions[] = {
	[STREAM_DUMP] = "dump",
	[STREAM_FOLLOW] = "follow",
	CHANNEL_ACTION_NAMES,
};

static const char *const policies[] = {"none", "throttle", "truncate", "both", NULL};
static const char *const levels[] = {"default", "logic", "flush", "counters", NULL};

#define AT(option_name, option_type, member)                                                       \
	CHANNEL_AT(struct stream_options, option_name, option_type, member)
#define SETTING(option_name, option_type, member, argument, text)                                  \
	CHANNEL_SETTING(struct stream_options, FOR_SET, option_name, option_type, member,          \
			argument, text)

#define FOR_DUMP (1u << STREAM_DUMP)
#define FOR_FOLLOW (1u << STREAM_FOLLOW)
#define FOR_STATS CHANNEL_FOR(STREAM_ACTIONS, CHANNEL_STATS)
#define FOR_SET CHANNEL_FOR(STREAM_ACTIONS, CHANNEL_SET)
#define FOR_RESET CHANNEL_FOR(STREAM_ACTIONS, CHANNEL_RESET)

static const struct option_spec options[] = {
	CHANNEL_OPTIONS(
		actions, "stream",
		"Select the stream, as main or 0 (dump, follow: default main; stats, set, reset: default all)"),

	{AT("ring", OPTION_SIZE, ring.value), .given = offsetof(struct stream_options, ring.given),
	 .arg = "SIZE", .power = true, .min = ROC_ST_RING_MIN, .max = ROC_ST_RING_MAX,
	 .only = FOR_DUMP | FOR_FOLLOW,
	 .help = "set the size of the ring (default: 64Mi, or the maximum of the card)"},
	{AT("bytes", OPTION_SIZE, bytes), .arg = "SIZE", .fallback = "0",
	 .only = FOR_DUMP | FOR_FOLLOW, .help = "stop after this many bytes, 0 = never"},
	{AT("packets", OPTION_SIZE, packets.value),
	 .given = offsetof(struct stream_options, packets.given), .arg = "N",
	 .only = FOR_DUMP | FOR_FOLLOW,
	 .help = "stop after this many packets, 0 = never (dump: default 10, follow: default 0)"},
	CHANNEL_TIME_OPTIONS(FOR_DUMP | FOR_FOLLOW, FOR_DUMP | FOR_FOLLOW | FOR_STATS,
			     "; stats: only with --live"),
	CHANNEL_RUN_OPTIONS(FOR_DUMP | FOR_FOLLOW, FOR_FOLLOW),
	{AT("to-file-bin", OPTION_TEXT, bin_file), .arg = "FILE", .only = FOR_DUMP | FOR_FOLLOW,
	 .help = "write all packets to a file as received"},
	CHANNEL_FLAG(FOR_STATS, "live", live, "print a line of rates every second"),

	{SETTING("policy", OPTION_CHOICE, policy, "POLICY",
		 "select the action when the memory of the card is full"),
	 .choices = policies},
	{SETTING("pack-events", OPTION_NUMBER, pack_events, "N",
		 "set the events per packet (1..65535)")},
	{SETTING("pack-bytes", OPTION_SIZE, pack_bytes, "SIZE",
		 "set the largest packet (128..1Mi, a multiple of 64)")},
	{SETTING("pack-time", OPTION_NUMBER, pack_time, "NS",
		 "close a packet after this time, 0 = never")},
	{SETTING("throttle-on", OPTION_SIZE, throttle_on, "SIZE",
		 "set the level of the card memory that starts throttling")},
	{SETTING("throttle-off", OPTION_SIZE, throttle_off, "SIZE",
		 "set the level of the card memory that ends throttling")},
	{SETTING("truncate-on", OPTION_SIZE, truncate_on, "SIZE",
		 "set the level of the card memory that starts truncation")},
	{SETTING("interrupt-bytes", OPTION_SIZE, interrupt_bytes, "SIZE",
		 "wake a reader after this many bytes, 0 = a quarter of the ring")},
	{SETTING("interrupt-time", OPTION_SIZE, interrupt_time, "NS",
		 "wake at the latest this time after the last wakeup, 0 = at once")},
	{SETTING("low-water", OPTION_SIZE, low_water, "SIZE",
		 "set the bytes from which on poll() reports data")},
	CHANNEL_GENERATOR_OPTIONS(FOR_SET, "events", "up to 1Mi", "they are consumed"),
	{AT("clocked", OPTION_FLAG, clocked), .only = FOR_SET, .full = true,
	 .help = "generate events at --event-rate even if they are dropped"},
	{AT("waiting", OPTION_FLAG, waiting), .only = FOR_SET, .full = true,
	 .help = "let events wait until they are consumed"},
	CHANNEL_EVENT_OPTIONS(FOR_SET, ""),
	{SETTING("align", OPTION_NUMBER, align, "BYTES",
		 "align fragments to 4, 8, 16, 32 or 64 bytes")},
	{SETTING("source-id", OPTION_NUMBER, source_id, "N",
		 "set the source id of the card (0..65535)")},
	{SETTING("enabled", OPTION_LINKS, enabled, "LIST",
		 "enable the sources of these streams, as 0-6, and disable all others"),
	 .max = 31, .none = true},

	CHANNEL_LEVEL_OPTION(FOR_RESET, levels),
};

static int reset(struct roc_endpoint *ep, unsigned int stream, unsigned int level)
{
	return roc_card_stream_reset(ep, stream, (enum roc_st_level)level);
}

static int set_check(const void *values)
{
	const struct stream_options *o = values;
	struct roc_st_settings settings = {.set = 0};
	int code = stream_driver_settings(o, &settings);

	if (code)
		return code;
	if (!o->channel.name && (settings.set || stream_changes_generator(o)))
		return tool_usage(
			"--stream is missing: all settings except --source-id and --enabled apply to one stream.");
	return TOOL_OK;
}

const struct channel_type stream_channels = {
	.own = STREAM_ACTIONS,
	.take = stream_take,
	.find = roc_card_stream_find,
	.levels = levels,
	.reset = reset,
	.most = STREAMS_MAX,
	.size = sizeof(struct roc_st_info),
	.values = &stream_stats,
	.array = "streams",
	.read = stream_read,
	.live_line = stream_live_line,
	.set_check = set_check,
	.set_card = stream_set_card,
	.set = stream_set_one,
};

static int run(const void *values)
{
	const struct stream_options *o = values;

	if (o->clocked && o->waiting)
		return tool_usage("--clocked and --waiting are mutually exclusive.");
	if (o->channel.live && o->channel.json)
		return tool_usage("--live prints text: omit --json.");
	if (o->channel.action == STREAM_ACTIONS + CHANNEL_STATS && o->channel.time &&
	    !o->channel.live)
		return tool_usage("--time is only valid with --live.");
	return channel_tool(&o->channel, &stream_channels);
}

const struct tool tool_stream = {
	.name = "stream",
	.summary = "Read, check, monitor and configure the streams of a card",
	.example = "follow --id=3b:00.0 --stream=main --bytes=10Gi",
	TOOL_OPTIONS(options, struct stream_options),
	.run = run,
};
