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
	CHANNEL_OPTIONS(actions, "stream",
			"Stream, as main or 0 (dump, follow: main; stats, set, reset: all)"),

	{AT("ring", OPTION_SIZE, ring.value), .given = offsetof(struct stream_options, ring.given),
	 .arg = "SIZE", .power = true, .min = ROC_ST_RING_MIN, .max = ROC_ST_RING_MAX,
	 .only = FOR_DUMP | FOR_FOLLOW, .help = "size of the ring (64Mi, or what the card takes)"},
	{AT("bytes", OPTION_SIZE, bytes), .arg = "SIZE", .fallback = "0",
	 .only = FOR_DUMP | FOR_FOLLOW, .help = "stop when so many bytes were taken, 0 = never"},
	{AT("packets", OPTION_SIZE, packets.value),
	 .given = offsetof(struct stream_options, packets.given), .arg = "N",
	 .only = FOR_DUMP | FOR_FOLLOW,
	 .help = "stop after so many packets (dump: 10, follow: never)"},
	CHANNEL_TIME_OPTIONS(FOR_DUMP | FOR_FOLLOW, FOR_DUMP | FOR_FOLLOW | FOR_STATS,
			     "; stats: with --live"),
	CHANNEL_RUN_OPTIONS(FOR_DUMP | FOR_FOLLOW, FOR_FOLLOW),
	{AT("to-file-bin", OPTION_TEXT, bin_file), .arg = "FILE", .only = FOR_DUMP | FOR_FOLLOW,
	 .help = "write all packets to a file, as received"},
	CHANNEL_FLAG(FOR_STATS, "live", live, "a line of rates, once a second"),

	{SETTING("policy", OPTION_CHOICE, policy, "POLICY", "when the card's own memory fills up"),
	 .choices = policies},
	{SETTING("pack-events", OPTION_NUMBER, pack_events, "N", "packing factor, 1 to 65535")},
	{SETTING("pack-bytes", OPTION_SIZE, pack_bytes, "SIZE",
		 "largest packet, 128 to 1Mi, a multiple of 64")},
	{SETTING("pack-time", OPTION_NUMBER, pack_time, "NS",
		 "a packet is closed after so long, 0 = never")},
	{SETTING("throttle-on", OPTION_SIZE, throttle_on, "SIZE",
		 "bytes in the card's memory that start the throttle")},
	{SETTING("throttle-off", OPTION_SIZE, throttle_off, "SIZE",
		 "bytes in it that end the throttle")},
	{SETTING("truncate-on", OPTION_SIZE, truncate_on, "SIZE",
		 "bytes in it from which on events are cut short")},
	{SETTING("interrupt-bytes", OPTION_SIZE, interrupt_bytes, "SIZE",
		 "a sleeper is woken for so much, 0 = a quarter of the ring")},
	{SETTING("interrupt-time", OPTION_SIZE, interrupt_time, "NS",
		 "or so long after the last time, 0 = at once")},
	{SETTING("low-water", OPTION_SIZE, low_water, "SIZE",
		 "poll() says that there are data from so much on")},
	CHANNEL_GENERATOR_OPTIONS(FOR_SET, "events", "up to 1Mi", "they are taken"),
	{AT("clocked", OPTION_FLAG, clocked), .only = FOR_SET, .full = true,
	 .help = "its events come at that rate whether taken or not"},
	{AT("waiting", OPTION_FLAG, waiting), .only = FOR_SET, .full = true,
	 .help = "its events wait until they are taken"},
	CHANNEL_EVENT_OPTIONS(FOR_SET, ""),
	{SETTING("align", OPTION_NUMBER, align, "BYTES",
		 "fragments are aligned to 4, 8, 16, 32 or 64")},
	{SETTING("source-id", OPTION_NUMBER, source_id, "N", "source id of the card, 16 bits")},
	{SETTING("enabled", OPTION_LINKS, enabled, "LIST",
		 "numbers of the streams whose source is let through, as 0-6"),
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
	.summary = "Take, check and watch the streams of a card, and set them",
	.example = "follow --id=3b:00.0 --stream=main --bytes=10Gi",
	TOOL_OPTIONS(options, struct stream_options),
	.run = run,
};
