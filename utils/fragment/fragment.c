// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-fragment: options and actions.
 */
#include "fragment.h"

#include <stddef.h>

#include "utils/common/tool.h"

static const char *const actions[] = {
	[FRAGMENT_RUN] = "run",
	CHANNEL_ACTION_NAMES,
};

static const char *const levels[] = {"default", "logic", "counters", NULL};

#define AT(option_name, option_type, member)                                                       \
	CHANNEL_AT(struct fragment_options, option_name, option_type, member)
#define SETTING(option_name, option_type, member, argument, text)                                  \
	CHANNEL_SETTING(struct fragment_options, FOR_SET, option_name, option_type, member,        \
			argument, text)

#define FOR_RUN (1u << FRAGMENT_RUN)
#define FOR_SET CHANNEL_FOR(FRAGMENT_ACTIONS, CHANNEL_SET)
#define FOR_RESET CHANNEL_FOR(FRAGMENT_ACTIONS, CHANNEL_RESET)

static const struct option_spec options[] = {
	CHANNEL_OPTIONS(
		actions, "sub",
		"Select the sub-unit, as sub0 or 0 (run: default sub0; stats, set, reset: default all)"),
	{AT("links", OPTION_LINKS, links.value),
	 .given = offsetof(struct fragment_options, links.given), .arg = "LIST",
	 .max = FRAGMENT_LINKS_MAX - 1, .only = FOR_RUN | FOR_SET, .full = true,
	 .help = "run: select the links of a complete event, as 0-5 (default: links with a running generator); set: enable these links, or select their generators"},

	{AT("percent", OPTION_NUMBER, percent), .arg = "N", .fallback = "100", .max = 100,
	 .only = FOR_RUN, .help = "fetch this percentage of the events; all are cleared"},
	{AT("events", OPTION_SIZE, events), .arg = "N", .fallback = "0", .only = FOR_RUN,
	 .help = "stop after this many events, 0 = never"},
	CHANNEL_TIME_OPTIONS(FOR_RUN, FOR_RUN, ""),
	{AT("whole-within", OPTION_NUMBER, whole_within), .arg = "MS", .fallback = "1000",
	 .only = FOR_RUN,
	 .help = "clear an event that is incomplete this time after its first fragment"},
	{AT("page", OPTION_SIZE, page), .arg = "SIZE", .fallback = "2Ki", .power = true,
	 .min = ROC_FR_PAGE_MIN, .max = ROC_FR_PAGE_MAX, .only = FOR_RUN,
	 .help = "set the page size in the card; longer fragments are truncated"},
	{AT("pages", OPTION_SIZE, pages), .arg = "N", .fallback = "0", .max = UINT32_MAX,
	 .only = FOR_RUN, .help = "set the pages per link, 0 = all"},
	{AT("host-page", OPTION_SIZE, host_page), .arg = "SIZE", .fallback = "0", .power = true,
	 .min = ROC_FR_HOST_PAGE_MIN, .max = ROC_FR_HOST_PAGE_MAX, .only = FOR_RUN,
	 .help = "set the page size in host memory, 0 = the smallest"},
	{AT("memory", OPTION_SIZE, memory), .arg = "SIZE", .fallback = "2Mi", .only = FOR_RUN,
	 .help = "set the host memory for fragments"},
	{AT("commands", OPTION_SIZE, commands), .arg = "N", .fallback = "0", .power = true,
	 .min = ROC_FR_COMMANDS_MIN, .max = ROC_FR_COMMANDS_MAX, .only = FOR_RUN,
	 .help = "set the maximum of outstanding requests, 0 = up to 4096"},
	{AT("batch", OPTION_NUMBER, batch), .arg = "N", .fallback = "64", .min = 1, .max = 4096,
	 .only = FOR_RUN, .help = "sleep until this many fragments arrived"},
	CHANNEL_RUN_OPTIONS(FOR_RUN, FOR_RUN),

	CHANNEL_GENERATOR_OPTIONS(FOR_SET, "fragments", "16..128Ki, a multiple of 4",
				  "pages are free"),
	CHANNEL_EVENT_OPTIONS(FOR_SET, " (0..4294967295)"),
	{SETTING("data-count", OPTION_NUMBER, data_count, "N",
		 "wake a reader after this many fragments")},
	{SETTING("data-time", OPTION_NUMBER, data_time, "NS",
		 "wake at the latest this time after the last wakeup, 0 = at once")},
	{SETTING("done-count", OPTION_NUMBER, done_count, "N",
		 "wake a reader after this many completed requests")},
	{SETTING("done-time", OPTION_NUMBER, done_time, "NS",
		 "wake at the latest this time after the last wakeup, 0 = at once")},

	CHANNEL_LEVEL_OPTION(FOR_RESET, levels),
};

static int reset(struct roc_endpoint *ep, unsigned int sub, unsigned int level)
{
	return roc_card_fragments_reset(ep, sub, (enum roc_fr_level)level);
}

static int set_check(const void *values)
{
	struct roc_fr_settings settings = {.set = 0};

	return fragment_driver_settings(values, &settings);
}

const struct channel_type fragment_channels = {
	.own = FRAGMENT_ACTIONS,
	.take = fragment_run,
	.find = roc_card_fragments_find,
	.levels = levels,
	.reset = reset,
	.most = FRAGMENT_SUBS_MAX,
	.size = sizeof(struct fragment_unit),
	.values = &fragment_stats,
	.array = "subUnits",
	.read = fragment_read,
	.parts_text = fragment_links_text,
	.set_check = set_check,
	.set_card = fragment_set_card,
	.set = fragment_set_one,
};

static int run(const void *values)
{
	const struct fragment_options *o = values;

	if (o->host_page && o->host_page < o->page)
		return tool_usage(
			"--host-page is smaller than --page, so a full page of the card does not fit.");
	return channel_tool(&o->channel, &fragment_channels);
}

const struct tool tool_fragment = {
	.name = "fragment",
	.summary = "Fetch, check, monitor and configure the fragments that a card stores",
	.example = "run --id=3b:00.0 --sub=sub0 --percent=10 --time=10s",
	TOOL_OPTIONS(options, struct fragment_options),
	.run = run,
};
