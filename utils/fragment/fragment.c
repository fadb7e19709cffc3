// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-fragment as a tool: its options.
 */
#include "fragment.h"

#include <stddef.h>

#include "utils/common/card.h"
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
	.name = (option_name), .type = (option_type),                                              \
	.offset = offsetof(struct fragment_options, member)
#define FLAG(option_name, member, text)                                                            \
	FLAG_OPTION(struct fragment_options, option_name, member, text)
#define FLAG_FOR(actions, option_name, member, text)                                               \
	{                                                                                          \
		AT(option_name, OPTION_FLAG, member), .only = (actions), .help = (text)            \
	}
/* A member with .given and .value. */
#define SET(option_name, option_type, member)                                                      \
	AT(option_name, option_type, member.value),                                                \
		.given = offsetof(struct fragment_options, member.given)

#define FOR_RUN (1u << FRAGMENT_RUN)
#define FOR_SET (1u << FRAGMENT_SET)
#define FOR_RESET (1u << FRAGMENT_RESET_CARD)

static const struct option_spec options[] = {
	{AT("ACTION", OPTION_CHOICE, action), .word = true, .required = true, .choices = actions,
	 .help = "What to do"},
	FULL_ID_OPTION(struct fragment_options),
	{AT("sub", OPTION_TEXT, sub), .arg = "NAME", .full = true,
	 .help = "Sub-unit, as sub0 or 0 (run: sub0; stats, set, reset: all)"},
	FLAG("json", json, "Print the result as JSON"),
	{SET("links", OPTION_LINKS, links), .arg = "LIST", .max = ROC_ROBINNP_LINKS - 1,
	 .only = FOR_RUN | FOR_SET, .full = true,
	 .help = "links that make an event whole, as 0-5 (those whose generator runs); set: that "
		 "are let through, and whose generators are set"},

	{AT("percent", OPTION_NUMBER, percent), .arg = "N", .fallback = "100", .max = 100,
	 .only = FOR_RUN, .help = "so many of 100 events are fetched, all are cleared"},
	{AT("events", OPTION_SIZE, events), .arg = "N", .fallback = "0", .only = FOR_RUN,
	 .help = "stop after so many events, 0 = never"},
	{AT("time", OPTION_TIME, time), .arg = "TIME", .only = FOR_RUN,
	 .help = "stop after this time, as in 5h30m10s (never)"},
	{AT("stall-limit", OPTION_NUMBER, stall_limit), .arg = "SECONDS", .fallback = "10",
	 .only = FOR_RUN, .help = "fail if nothing comes for so long, 0 = wait for ever"},
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
	FLAG_FOR(FOR_RUN, "busy", busy, "look again and again, and never sleep"),
	FLAG_FOR(FOR_RUN, "no-errorcheck", no_errorcheck, "check headers and sizes only"),
	FLAG_FOR(FOR_RUN, "no-display", no_display, "no live line"),

	{SET("generator", OPTION_CHOICE, generator), .arg = "MODE", .choices = generators,
	 .only = FOR_SET, .full = true, .help = "makes fragments without a detector"},
	{SET("fragment-min", OPTION_SIZE, size_min), .arg = "SIZE", .only = FOR_SET, .full = true,
	 .help = "bytes of its fragments, 16 to 128Ki, a multiple of 4"},
	{SET("fragment-max", OPTION_SIZE, size_max), .arg = "SIZE", .only = FOR_SET, .full = true,
	 .help = "of the largest, if they are distributed"},
	{SET("event-rate", OPTION_NUMBER, rate), .arg = "N", .only = FOR_SET, .full = true,
	 .help = "its events per second, 0 = as fast as there are pages"},
	{SET("first-event", OPTION_SIZE, first_event), .arg = "N", .only = FOR_SET, .full = true,
	 .help = "its first event id, 32 bits"},
	{SET("event-limit", OPTION_SIZE, limit), .arg = "N", .only = FOR_SET, .full = true,
	 .help = "it stops after so many events, 0 = never"},
	{SET("data-count", OPTION_NUMBER, data_count), .arg = "N", .only = FOR_SET, .full = true,
	 .help = "who sleeps is woken for so many fragments"},
	{SET("data-time", OPTION_NUMBER, data_time), .arg = "NS", .only = FOR_SET, .full = true,
	 .help = "or so long after the last time, 0 = at once"},
	{SET("done-count", OPTION_NUMBER, done_count), .arg = "N", .only = FOR_SET, .full = true,
	 .help = "the same for requests that are done"},
	{SET("done-time", OPTION_NUMBER, done_time), .arg = "NS", .only = FOR_SET, .full = true,
	 .help = "the same for requests that are done"},

	{AT("level", OPTION_CHOICE, level), .arg = "LEVEL", .fallback = "counters",
	 .choices = levels, .only = FOR_RESET, .full = true, .help = "how much"},
};

static int reset(const struct fragment_options *o)
{
	unsigned int sub = ROC_FR_ALL;
	struct roc_endpoint *ep;
	int err;

	err = roc_open(o->id, &ep);
	if (err)
		return tool_fail_card(err);
	if (o->sub)
		err = roc_card_fragments_find(ep, o->sub, &sub);
	if (!err)
		err = roc_card_fragments_reset(ep, sub, (enum roc_fr_level)o->level);
	roc_close(ep);
	if (err)
		return tool_fail("%s", roc_error());
	if (o->json)
		printf("{\n  \"reset\": \"%s\"\n}\n", levels[o->level]);
	return TOOL_OK;
}

static int run(const void *values)
{
	const struct fragment_options *o = values;

	if (o->host_page && o->host_page < o->page)
		return tool_usage("--host-page: a fragment that fills a page of the card (--page) "
				  "does not fit.");
	switch ((enum fragment_action)o->action) {
	case FRAGMENT_RUN:
		return fragment_run(o);
	case FRAGMENT_STATS:
		return fragment_stats(o);
	case FRAGMENT_SET:
		return fragment_set(o);
	case FRAGMENT_RESET_CARD:
		return reset(o);
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
