// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-fragment as a tool: its options.
 */
#include "fragment.h"

#include <stddef.h>

#include "utils/common/tool.h"

static const char *const actions[] = {
	[FRAGMENT_RUN] = "run",
	[FRAGMENT_STATS] = "stats",
	[FRAGMENT_SET] = "set",
	[FRAGMENT_RESET_CARD] = "reset",
	NULL,
};

static const char *const generators[] = {"off", "fixed", "distributed", NULL};
static const char *const levels[] = {"default", "logic", "counters", NULL};

#define AT(option_name, option_type, member)                                                       \
	CHANNEL_AT(struct fragment_options, option_name, option_type, member)
#define SETTING(option_name, option_type, member, argument, text)                                  \
	CHANNEL_SETTING(struct fragment_options, FOR_SET, option_name, option_type, member,        \
			argument, text)

#define FOR_RUN (1u << FRAGMENT_RUN)
#define FOR_SET (1u << FRAGMENT_SET)
#define FOR_RESET (1u << FRAGMENT_RESET_CARD)

static const struct option_spec options[] = {
	CHANNEL_ACTION_OPTION(struct fragment_options, actions),
	CHANNEL_ID_OPTION(struct fragment_options),
	{AT("sub", OPTION_TEXT, channel.name), .arg = "NAME", .full = true,
	 .help = "Sub-unit, as sub0 or 0 (run: sub0; stats, set, reset: all)"},
	FLAG_OPTION(struct fragment_options, "json", channel.json, "Print the result as JSON"),
	{AT("links", OPTION_LINKS, links.value),
	 .given = offsetof(struct fragment_options, links.given), .arg = "LIST",
	 .max = FRAGMENT_LINKS_MAX - 1, .only = FOR_RUN | FOR_SET, .full = true,
	 .help = "links that make an event whole, as 0-5 (those whose generator runs); set: that are let through, and whose generators are set"},

	{AT("percent", OPTION_NUMBER, percent), .arg = "N", .fallback = "100", .max = 100,
	 .only = FOR_RUN, .help = "so many of 100 events are fetched, all are cleared"},
	{AT("events", OPTION_SIZE, events), .arg = "N", .fallback = "0", .only = FOR_RUN,
	 .help = "stop after so many events, 0 = never"},
	{AT("time", OPTION_TIME, channel.time), .arg = "TIME", .only = FOR_RUN,
	 .help = "stop after this time, as in 5h30m10s (never)"},
	CHANNEL_STALL_OPTION(struct fragment_options, FOR_RUN),
	{AT("whole-within", OPTION_NUMBER, whole_within), .arg = "MS", .fallback = "1000",
	 .only = FOR_RUN,
	 .help = "an event that is not whole so long after its first fragment is cleared"},
	{AT("page", OPTION_SIZE, page), .arg = "SIZE", .fallback = "2Ki", .power = true,
	 .min = ROC_FR_PAGE_MIN, .max = ROC_FR_PAGE_MAX, .only = FOR_RUN,
	 .help = "page of the card, a longer fragment is cut"},
	{AT("pages", OPTION_SIZE, pages), .arg = "N", .fallback = "0", .max = UINT32_MAX,
	 .only = FOR_RUN, .help = "pages of each link, 0 = all"},
	{AT("host-page", OPTION_SIZE, host_page), .arg = "SIZE", .fallback = "0", .power = true,
	 .min = ROC_FR_HOST_PAGE_MIN, .max = ROC_FR_HOST_PAGE_MAX, .only = FOR_RUN,
	 .help = "page in host memory, 0 = the smallest"},
	{AT("memory", OPTION_SIZE, memory), .arg = "SIZE", .fallback = "2Mi", .only = FOR_RUN,
	 .help = "host memory for fragments"},
	{AT("commands", OPTION_SIZE, commands), .arg = "N", .fallback = "0", .power = true,
	 .min = ROC_FR_COMMANDS_MIN, .max = ROC_FR_COMMANDS_MAX, .only = FOR_RUN,
	 .help = "fragments that can be requested at the same time, 0 = up to 4096"},
	{AT("batch", OPTION_NUMBER, batch), .arg = "N", .fallback = "64", .min = 1, .max = 4096,
	 .only = FOR_RUN, .help = "sleep until so many fragments came"},
	CHANNEL_BUSY_OPTIONS(struct fragment_options, FOR_RUN),
	CHANNEL_FLAG(struct fragment_options, FOR_RUN, "no-display", channel.no_display,
		     "no live line"),

	{SETTING("generator", OPTION_CHOICE, channel.generator, "MODE",
		 "makes fragments without a detector"),
	 .choices = generators},
	{SETTING("fragment-min", OPTION_SIZE, channel.size_min, "SIZE",
		 "bytes of its fragments, 16 to 128Ki, a multiple of 4")},
	{SETTING("fragment-max", OPTION_SIZE, channel.size_max, "SIZE",
		 "of the largest, if they are distributed")},
	{SETTING("event-rate", OPTION_NUMBER, channel.rate, "N",
		 "its events per second, 0 = as fast as there are pages")},
	{SETTING("first-event", OPTION_SIZE, channel.first_event, "N",
		 "its first event id, 32 bits")},
	{SETTING("event-limit", OPTION_SIZE, channel.limit, "N",
		 "it stops after so many events, 0 = never")},
	{SETTING("data-count", OPTION_NUMBER, data_count, "N",
		 "who sleeps is woken for so many fragments")},
	{SETTING("data-time", OPTION_NUMBER, data_time, "NS",
		 "or so long after the last time, 0 = at once")},
	{SETTING("done-count", OPTION_NUMBER, done_count, "N",
		 "the same for requests that are done")},
	{SETTING("done-time", OPTION_NUMBER, done_time, "NS",
		 "the same for requests that are done")},

	CHANNEL_LEVEL_OPTION(struct fragment_options, FOR_RESET, levels),
};

static int reset(struct roc_endpoint *ep, unsigned int sub, unsigned int level)
{
	return roc_card_fragments_reset(ep, sub, (enum roc_fr_level)level);
}

static const struct channel_type sub_unit = {
	.levels = levels,
	.find = roc_card_fragments_find,
	.reset = reset,
	.list_read = fragment_list_read,
	.list_text = fragment_list_text,
	.list_json = fragment_list_json,
	.set_card = fragment_set_card,
	.set = fragment_set_one,
	.array = "subUnits",
};

static int set(const struct fragment_options *o)
{
	struct roc_fr_settings wanted = {.set = 0};
	int code = fragment_driver_settings(o, &wanted);

	return code ? code : channel_set(&o->channel, &sub_unit);
}

static int run(const void *values)
{
	const struct fragment_options *o = values;
	struct fragment_list list;

	if (o->host_page && o->host_page < o->page)
		return tool_usage(
			"--host-page: a fragment that fills a page of the card (--page) does not fit.");
	switch ((enum fragment_action)o->channel.action) {
	case FRAGMENT_RUN:
		return fragment_run(o);
	case FRAGMENT_STATS:
		return channel_stats(&o->channel, &sub_unit, &list);
	case FRAGMENT_SET:
		return set(o);
	case FRAGMENT_RESET_CARD:
		return channel_reset(&o->channel, &sub_unit);
	}
	return TOOL_USAGE;
}

const struct tool tool_fragment = {
	.name = "fragment",
	.summary = "Take, fetch, check and clear the fragments that a card keeps, and set it",
	.example = "run --id=3b:00.0 --sub=sub0 --percent=10 --time=10s",
	TOOL_OPTIONS(options, struct fragment_options),
	.run = run,
};
