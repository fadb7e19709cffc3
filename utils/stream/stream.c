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
/* A member with .given and .value. */
#define SET(option_name, option_type, member)                                                      \
	AT(option_name, option_type, member.value),                                                \
		.given = offsetof(struct stream_options, member.given)

static const struct option_spec options[] = {
	{AT("ACTION", OPTION_CHOICE, action), .word = true, .required = true, .choices = actions,
	 .help = "What to do"},
	ID_OPTION(struct stream_options),
	{AT("stream", OPTION_TEXT, stream), .arg = "NAME",
	 .help = "Stream, as main or 0 (dump, follow: main; stats, set: all)"},
	FLAG("json", json, "Print the result as JSON"),

	{SET("ring", OPTION_SIZE, ring), .arg = "SIZE",
	 .help = "dump, follow: size of the ring (64Mi, or what the card takes)"},
	{AT("bytes", OPTION_SIZE, bytes), .arg = "SIZE", .fallback = "0",
	 .help = "dump, follow: stop when so many bytes were taken, 0 = never"},
	{SET("packets", OPTION_SIZE, packets), .arg = "N",
	 .help = "dump, follow: stop after so many packets (dump: 10, follow: never)"},
	{AT("time", OPTION_TIME, time), .arg = "TIME",
	 .help = "follow, stats --live: stop after this time, as in 5h30m10s (never)"},
	{AT("stall-limit", OPTION_NUMBER, stall_limit), .arg = "SECONDS", .fallback = "10",
	 .help = "dump, follow: fail if nothing comes for so long, 0 = wait for ever"},
	FLAG("busy", busy, "follow: look again and again, and never sleep"),
	FLAG("no-errorcheck", no_errorcheck, "follow: check headers and sizes only"),
	FLAG("no-display", no_display, "follow: no live line"),
	{AT("to-file-bin", OPTION_TEXT, bin_file), .arg = "FILE",
	 .help = "dump, follow: write all packets to a file, as received"},
	FLAG("live", live, "stats: a line of rates, once a second"),

	{SET("policy", OPTION_CHOICE, policy), .arg = "POLICY", .choices = policies,
	 .help = "set: when the card's own memory fills up"},
	{SET("pack-events", OPTION_NUMBER, pack_events), .arg = "N",
	 .help = "set: packing factor, 1 to 65535"},
	{SET("pack-bytes", OPTION_SIZE, pack_bytes), .arg = "SIZE",
	 .help = "set: largest packet, 128 to 1Mi, a multiple of 64"},
	{SET("pack-time", OPTION_NUMBER, pack_time), .arg = "NS",
	 .help = "set: a packet is closed after so long, 0 = never"},
	{SET("throttle-on", OPTION_SIZE, throttle_on), .arg = "SIZE",
	 .help = "set: bytes in the card's memory that start the throttle"},
	{SET("throttle-off", OPTION_SIZE, throttle_off), .arg = "SIZE",
	 .help = "set: bytes in it that end the throttle"},
	{SET("truncate-on", OPTION_SIZE, truncate_on), .arg = "SIZE",
	 .help = "set: bytes in it from which on events are cut short"},
	{SET("interrupt-bytes", OPTION_SIZE, interrupt_bytes), .arg = "SIZE",
	 .help = "set: a sleeper is woken for so much, 0 = a quarter of the ring"},
	{SET("interrupt-time", OPTION_SIZE, interrupt_time), .arg = "NS",
	 .help = "set: or so long after the last time, 0 = at once"},
	{SET("low-water", OPTION_SIZE, low_water), .arg = "SIZE",
	 .help = "set: poll() says that there are data from so much on"},
	{SET("generator", OPTION_CHOICE, generator), .arg = "MODE", .choices = generators,
	 .help = "set: makes events without a detector"},
	{SET("fragment-min", OPTION_SIZE, fragment_min), .arg = "SIZE",
	 .help = "set: bytes of its fragments, up to 1Mi"},
	{SET("fragment-max", OPTION_SIZE, fragment_max), .arg = "SIZE",
	 .help = "set: of the largest, if they are distributed"},
	{SET("event-rate", OPTION_NUMBER, event_rate), .arg = "N",
	 .help = "set: its events per second, 0 = as fast as they are taken"},
	FLAG("clocked", clocked, "set: its events come at that rate whether taken or not"),
	FLAG("waiting", waiting, "set: its events wait until they are taken"),
	{SET("first-event", OPTION_SIZE, first_event), .arg = "N",
	 .help = "set: its first event id"},
	{SET("event-limit", OPTION_SIZE, event_limit), .arg = "N",
	 .help = "set: it stops after so many events, 0 = never"},
	{SET("align", OPTION_NUMBER, align), .arg = "BYTES",
	 .help = "set: fragments are aligned to 4, 8, 16, 32 or 64"},
	{SET("source-id", OPTION_NUMBER, source_id), .arg = "N",
	 .help = "set: source id of the card, 16 bits"},
	{SET("enabled", OPTION_LINKS, enabled), .arg = "LIST", .max = 31,
	 .help = "set: numbers of the streams whose source is let through, as 0-6"},

	{AT("level", OPTION_CHOICE, level), .arg = "LEVEL", .fallback = "counters",
	 .choices = levels, .help = "reset: how much"},
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
	if (o->ring.given && (!o->ring.value || o->ring.value & (o->ring.value - 1)))
		return tool_usage("--ring: a ring's size is a power of two, from 64Ki to 64Gi.");
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
