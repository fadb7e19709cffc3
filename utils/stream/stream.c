// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-stream as a tool: its options.
 */
#include "stream.h"

#include <stddef.h>

#include "utils/common/card.h"
#include "utils/common/tool.h"

static const char *const actions[] = {
	[STREAM_DUMP] = "dump", [STREAM_FOLLOW] = "follow", [STREAM_STATS] = "stats",
	[STREAM_SET] = "set",	[STREAM_RESET] = "reset",   NULL,
};

static const char *const policies[] = {"none", "throttle", "truncate", "both", NULL};
static const char *const generators[] = {"off", "fixed", "distributed", NULL};
static const char *const levels[] = {"default", "logic", "flush", "counters", NULL};

#define AT(option_name, option_type, member)                                                       \
	.name = (option_name), .type = (option_type),                                              \
	.offset = offsetof(struct stream_options, member)
#define FLAG(option_name, member, text)                                                            \
	FLAG_OPTION(struct stream_options, option_name, member, text)
#define FLAG_FOR(actions, option_name, member, text)                                               \
	{                                                                                          \
		AT(option_name, OPTION_FLAG, member), .only = (actions), .help = (text),           \
						      .full = (actions) == FOR_SET                 \
	}
/* A member with .given and .value. */
#define SET(option_name, option_type, member)                                                      \
	AT(option_name, option_type, member.value),                                                \
		.given = offsetof(struct stream_options, member.given)

#define FOR_DUMP (1u << STREAM_DUMP)
#define FOR_FOLLOW (1u << STREAM_FOLLOW)
#define FOR_STATS (1u << STREAM_STATS)
#define FOR_SET (1u << STREAM_SET)
#define FOR_RESET (1u << STREAM_RESET)

static const struct option_spec options[] = {
	{AT("ACTION", OPTION_CHOICE, action), .word = true, .required = true, .choices = actions,
	 .help = "What to do"},
	FULL_ID_OPTION(struct stream_options),
	{AT("stream", OPTION_TEXT, stream), .arg = "NAME", .full = true,
	 .help = "Stream, as main or 0 (dump, follow: main; stats, set, reset: all)"},
	FLAG("json", json, "Print the result as JSON"),

	{SET("ring", OPTION_SIZE, ring), .arg = "SIZE", .power = true, .min = ROC_ST_RING_MIN,
	 .max = ROC_ST_RING_MAX, .only = FOR_DUMP | FOR_FOLLOW,
	 .help = "size of the ring (64Mi, or what the card takes)"},
	{AT("bytes", OPTION_SIZE, bytes), .arg = "SIZE", .fallback = "0",
	 .only = FOR_DUMP | FOR_FOLLOW, .help = "stop when so many bytes were taken, 0 = never"},
	{SET("packets", OPTION_SIZE, packets), .arg = "N", .only = FOR_DUMP | FOR_FOLLOW,
	 .help = "stop after so many packets (dump: 10, follow: never)"},
	{AT("time", OPTION_TIME, time), .arg = "TIME", .only = FOR_DUMP | FOR_FOLLOW | FOR_STATS,
	 .help = "stop after this time, as in 5h30m10s (never); stats: with --live"},
	{AT("stall-limit", OPTION_NUMBER, stall_limit), .arg = "SECONDS", .fallback = "10",
	 .only = FOR_DUMP | FOR_FOLLOW,
	 .help = "fail if nothing comes for so long, 0 = wait for ever"},
	FLAG_FOR(FOR_DUMP | FOR_FOLLOW, "busy", busy, "look again and again, and never sleep"),
	FLAG_FOR(FOR_DUMP | FOR_FOLLOW, "no-errorcheck", no_errorcheck,
		 "check headers and sizes only"),
	FLAG_FOR(FOR_FOLLOW, "no-display", no_display, "no live line"),
	{AT("to-file-bin", OPTION_TEXT, bin_file), .arg = "FILE", .only = FOR_DUMP | FOR_FOLLOW,
	 .help = "write all packets to a file, as received"},
	FLAG_FOR(FOR_STATS, "live", live, "a line of rates, once a second"),

	{SET("policy", OPTION_CHOICE, policy), .arg = "POLICY", .choices = policies,
	 .only = FOR_SET, .full = true, .help = "when the card's own memory fills up"},
	{SET("pack-events", OPTION_NUMBER, pack_events), .arg = "N", .only = FOR_SET, .full = true,
	 .help = "packing factor, 1 to 65535"},
	{SET("pack-bytes", OPTION_SIZE, pack_bytes), .arg = "SIZE", .only = FOR_SET, .full = true,
	 .help = "largest packet, 128 to 1Mi, a multiple of 64"},
	{SET("pack-time", OPTION_NUMBER, pack_time), .arg = "NS", .only = FOR_SET, .full = true,
	 .help = "a packet is closed after so long, 0 = never"},
	{SET("throttle-on", OPTION_SIZE, throttle_on), .arg = "SIZE", .only = FOR_SET, .full = true,
	 .help = "bytes in the card's memory that start the throttle"},
	{SET("throttle-off", OPTION_SIZE, throttle_off), .arg = "SIZE", .only = FOR_SET,
	 .full = true, .help = "bytes in it that end the throttle"},
	{SET("truncate-on", OPTION_SIZE, truncate_on), .arg = "SIZE", .only = FOR_SET, .full = true,
	 .help = "bytes in it from which on events are cut short"},
	{SET("interrupt-bytes", OPTION_SIZE, interrupt_bytes), .arg = "SIZE", .only = FOR_SET,
	 .full = true, .help = "a sleeper is woken for so much, 0 = a quarter of the ring"},
	{SET("interrupt-time", OPTION_SIZE, interrupt_time), .arg = "NS", .only = FOR_SET,
	 .full = true, .help = "or so long after the last time, 0 = at once"},
	{SET("low-water", OPTION_SIZE, low_water), .arg = "SIZE", .only = FOR_SET, .full = true,
	 .help = "poll() says that there are data from so much on"},
	{SET("generator", OPTION_CHOICE, generator), .arg = "MODE", .choices = generators,
	 .only = FOR_SET, .full = true, .help = "makes events without a detector"},
	{SET("fragment-min", OPTION_SIZE, fragment_min), .arg = "SIZE", .only = FOR_SET,
	 .full = true, .help = "bytes of its fragments, up to 1Mi"},
	{SET("fragment-max", OPTION_SIZE, fragment_max), .arg = "SIZE", .only = FOR_SET,
	 .full = true, .help = "of the largest, if they are distributed"},
	{SET("event-rate", OPTION_NUMBER, event_rate), .arg = "N", .only = FOR_SET, .full = true,
	 .help = "its events per second, 0 = as fast as they are taken"},
	FLAG_FOR(FOR_SET, "clocked", clocked, "its events come at that rate whether taken or not"),
	FLAG_FOR(FOR_SET, "waiting", waiting, "its events wait until they are taken"),
	{SET("first-event", OPTION_SIZE, first_event), .arg = "N", .only = FOR_SET, .full = true,
	 .help = "its first event id"},
	{SET("event-limit", OPTION_SIZE, event_limit), .arg = "N", .only = FOR_SET, .full = true,
	 .help = "it stops after so many events, 0 = never"},
	{SET("align", OPTION_NUMBER, align), .arg = "BYTES", .only = FOR_SET, .full = true,
	 .help = "fragments are aligned to 4, 8, 16, 32 or 64"},
	{SET("source-id", OPTION_NUMBER, source_id), .arg = "N", .only = FOR_SET, .full = true,
	 .help = "source id of the card, 16 bits"},
	{SET("enabled", OPTION_LINKS, enabled), .arg = "LIST", .max = 31, .none = true,
	 .only = FOR_SET, .full = true,
	 .help = "numbers of the streams whose source is let through, as 0-6"},

	{AT("level", OPTION_CHOICE, level), .arg = "LEVEL", .fallback = "counters",
	 .choices = levels, .only = FOR_RESET, .full = true, .help = "how much"},
};

static int reset(const struct stream_options *o)
{
	unsigned int stream = ROC_ST_ALL;
	struct roc_endpoint *ep;
	int err;

	err = roc_open(o->id, &ep);
	if (err)
		return tool_fail_card(err);
	if (o->stream)
		err = roc_card_stream_find(ep, o->stream, &stream);
	if (!err)
		err = roc_card_stream_reset(ep, stream, (enum roc_st_level)o->level);
	roc_close(ep);
	if (err)
		return tool_fail("%s", roc_error());
	if (o->json)
		printf("{\n  \"reset\": \"%s\"\n}\n", levels[o->level]);
	return TOOL_OK;
}

static int run(const void *values)
{
	const struct stream_options *o = values;

	if (o->clocked && o->waiting)
		return tool_usage("--clocked and --waiting: a generator is one or the other.");
	if (o->live && o->json)
		return tool_usage("--live prints lines of text; leave --json out.");
	if (o->action == STREAM_STATS && o->time && !o->live)
		return tool_usage("--time is for --live; without it stats looks once.");
	switch ((enum stream_action)o->action) {
	case STREAM_DUMP:
	case STREAM_FOLLOW:
		return stream_take(o);
	case STREAM_STATS:
		return stream_stats(o);
	case STREAM_SET:
		return stream_set(o);
	case STREAM_RESET:
		return reset(o);
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
