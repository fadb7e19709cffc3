// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-stream as a tool: its options.
 */
#include "stream.h"

#include <stddef.h>

#include "utils/common/tool.h"

static const char *const actions[] = {
	[STREAM_DUMP] = "dump", [STREAM_FOLLOW] = "follow", [STREAM_STATS] = "stats",
	[STREAM_SET] = "set",	[STREAM_RESET] = "reset",   NULL,
};

static const char *const policies[] = {"none", "throttle", "truncate", "both", NULL};
static const char *const generators[] = {"off", "fixed", "distributed", NULL};
static const char *const levels[] = {"default", "logic", "flush", "counters", NULL};

#define AT(option_name, option_type, member)                                                       \
	CHANNEL_AT(struct stream_options, option_name, option_type, member)
#define FLAG_FOR(actions, option_name, member, text)                                               \
	CHANNEL_FLAG(struct stream_options, actions, option_name, member, text)
#define SETTING(option_name, option_type, member, argument, text)                                  \
	CHANNEL_SETTING(struct stream_options, FOR_SET, option_name, option_type, member,          \
			argument, text)

#define FOR_DUMP (1u << STREAM_DUMP)
#define FOR_FOLLOW (1u << STREAM_FOLLOW)
#define FOR_STATS (1u << STREAM_STATS)
#define FOR_SET (1u << STREAM_SET)
#define FOR_RESET (1u << STREAM_RESET)

static const struct option_spec options[] = {
	CHANNEL_ACTION_OPTION(struct stream_options, actions),
	CHANNEL_ID_OPTION(struct stream_options),
	{AT("stream", OPTION_TEXT, channel.name), .arg = "NAME", .full = true,
	 .help = "Stream, as main or 0 (dump, follow: main; stats, set, reset: all)"},
	FLAG_OPTION(struct stream_options, "json", channel.json, "Print the result as JSON"),

	{AT("ring", OPTION_SIZE, ring.value), .given = offsetof(struct stream_options, ring.given),
	 .arg = "SIZE", .power = true, .min = ROC_ST_RING_MIN, .max = ROC_ST_RING_MAX,
	 .only = FOR_DUMP | FOR_FOLLOW, .help = "size of the ring (64Mi, or what the card takes)"},
	{AT("bytes", OPTION_SIZE, bytes), .arg = "SIZE", .fallback = "0",
	 .only = FOR_DUMP | FOR_FOLLOW, .help = "stop when so many bytes were taken, 0 = never"},
	{AT("packets", OPTION_SIZE, packets.value),
	 .given = offsetof(struct stream_options, packets.given), .arg = "N",
	 .only = FOR_DUMP | FOR_FOLLOW,
	 .help = "stop after so many packets (dump: 10, follow: never)"},
	{AT("time", OPTION_TIME, channel.time), .arg = "TIME",
	 .only = FOR_DUMP | FOR_FOLLOW | FOR_STATS,
	 .help = "stop after this time, as in 5h30m10s (never); stats: with --live"},
	CHANNEL_STALL_OPTION(struct stream_options, FOR_DUMP | FOR_FOLLOW),
	CHANNEL_BUSY_OPTIONS(struct stream_options, FOR_DUMP | FOR_FOLLOW),
	FLAG_FOR(FOR_FOLLOW, "no-display", channel.no_display, "no live line"),
	{AT("to-file-bin", OPTION_TEXT, bin_file), .arg = "FILE", .only = FOR_DUMP | FOR_FOLLOW,
	 .help = "write all packets to a file, as received"},
	FLAG_FOR(FOR_STATS, "live", live, "a line of rates, once a second"),

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
	{SETTING("generator", OPTION_CHOICE, channel.generator, "MODE",
		 "makes events without a detector"),
	 .choices = generators},
	{SETTING("fragment-min", OPTION_SIZE, channel.size_min, "SIZE",
		 "bytes of its fragments, up to 1Mi")},
	{SETTING("fragment-max", OPTION_SIZE, channel.size_max, "SIZE",
		 "of the largest, if they are distributed")},
	{SETTING("event-rate", OPTION_NUMBER, channel.rate, "N",
		 "its events per second, 0 = as fast as they are taken")},
	{AT("clocked", OPTION_FLAG, clocked), .only = FOR_SET, .full = true,
	 .help = "its events come at that rate whether taken or not"},
	{AT("waiting", OPTION_FLAG, waiting), .only = FOR_SET, .full = true,
	 .help = "its events wait until they are taken"},
	{SETTING("first-event", OPTION_SIZE, channel.first_event, "N", "its first event id")},
	{SETTING("event-limit", OPTION_SIZE, channel.limit, "N",
		 "it stops after so many events, 0 = never")},
	{SETTING("align", OPTION_NUMBER, align, "BYTES",
		 "fragments are aligned to 4, 8, 16, 32 or 64")},
	{SETTING("source-id", OPTION_NUMBER, source_id, "N", "source id of the card, 16 bits")},
	{SETTING("enabled", OPTION_LINKS, enabled, "LIST",
		 "numbers of the streams whose source is let through, as 0-6"),
	 .max = 31, .none = true},

	CHANNEL_LEVEL_OPTION(struct stream_options, FOR_RESET, levels),
};

static int reset(struct roc_endpoint *ep, unsigned int stream, unsigned int level)
{
	return roc_card_stream_reset(ep, stream, (enum roc_st_level)level);
}

static const struct channel_type stream_type = {
	.levels = levels,
	.find = roc_card_stream_find,
	.reset = reset,
	.list_read = stream_list_read,
	.list_text = stream_list_text,
	.list_json = stream_list_json,
	.live_line = stream_live_line,
	.set_card = stream_set_card,
	.set = stream_set_one,
	.array = "streams",
};

static int set(const struct stream_options *o)
{
	struct roc_st_settings wanted = {.set = 0};
	int code = stream_driver_settings(o, &wanted);

	if (code)
		return code;
	if (!o->channel.name && (wanted.set || stream_changes_generator(o)))
		return tool_usage(
			"--stream is missing: settings are of one stream, but for --source-id and --enabled.");
	return channel_set(&o->channel, &stream_type);
}

static int run(const void *values)
{
	const struct stream_options *o = values;
	struct stream_list list;

	if (o->clocked && o->waiting)
		return tool_usage("--clocked and --waiting: a generator is one or the other.");
	if (o->live && o->channel.json)
		return tool_usage("--live prints lines of text; leave --json out.");
	if (o->channel.action == STREAM_STATS && o->channel.time && !o->live)
		return tool_usage("--time is for --live; without it stats looks once.");
	switch ((enum stream_action)o->channel.action) {
	case STREAM_DUMP:
	case STREAM_FOLLOW:
		return stream_take(o);
	case STREAM_STATS:
		return o->live ? channel_live(&o->channel, &stream_type)
			       : channel_stats(&o->channel, &stream_type, &list);
	case STREAM_SET:
		return set(o);
	case STREAM_RESET:
		return channel_reset(&o->channel, &stream_type);
	}
	return TOOL_USAGE;
}

const struct tool tool_stream = {
	.name = "stream",
	.summary = "Take, check and watch the streams of a card, and set them",
	.example = "follow --id=3b:00.0 --stream=main --bytes=10Gi",
	TOOL_OPTIONS(options, struct stream_options),
	.run = run,
};
