// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Actions of roc-stream and roc-fragment that open no channel: stats, set and reset.
 */
#include "channel_tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "utils/common/clock.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

const char *const channel_generators[] = {"off", "fixed", "distributed", NULL};

static const char *const states[] = {
	[ROC_CH_STOPPED] = "stopped",
	[ROC_CH_RUNNING] = "running",
	[ROC_CH_FAILED] = "failed",
	[ROC_CH_GONE] = "gone",
};

const char *channel_state_name(uint32_t state)
{
	return state < sizeof(states) / sizeof(states[0]) ? states[state] : "unknown";
}

const char *channel_state_colour(uint32_t state)
{
	return state == ROC_CH_RUNNING ? COLOUR_GOOD : state == ROC_CH_FAILED ? COLOUR_BAD : NULL;
}

int channel_settings(const struct channel_setting *settings, size_t count, const void *options,
		     void *to, uint32_t *set)
{
	const struct channel_setting *s;

	for (s = settings; s < settings + count; s++) {
		const void *from = (const char *)options + s->from;
		void *at = (char *)to + s->to;
		struct given_size size;

		if (s->name) {
			size = *(const struct given_size *)from;
		} else {
			const struct given_number *number = from;

			size = (struct given_size){number->given, number->value};
		}
		if (!size.given)
			continue;
		if (!s->wide && size.value > UINT32_MAX)
			return tool_usage("--%s: %" PRIu64 " does not fit in 32 bits.", s->name,
					  size.value);
		if (s->wide)
			memcpy(at, &size.value, sizeof(size.value));
		else
			*(uint32_t *)at = (uint32_t)size.value;
		*set |= s->bit;
	}
	return TOOL_OK;
}

uint32_t channel_value32(const struct given_size *size, uint32_t now)
{
	if (!size->given)
		return now;
	return size->value > UINT32_MAX ? UINT32_MAX : (uint32_t)size->value;
}

bool channel_changes_generator(const struct channel_options *o)
{
	return o->generator.given || o->rate.given || o->size_min.given || o->size_max.given ||
	       o->first_event.given || o->limit.given;
}

void channel_change_generator(const struct channel_options *o, const struct channel_generator *g)
{
	if (o->generator.given) {
		*g->running = o->generator.value;
		*g->distributed = o->generator.value == 2;
	}
	*g->size_min = channel_value32(&o->size_min, *g->size_min);
	*g->size_max = channel_value32(&o->size_max, *g->size_max);
	if (o->limit.given)
		*g->limit = o->limit.value;
	if (o->rate.given)
		*g->rate = o->rate.value;
}

const char *channel_generator_name(bool running, bool distributed)
{
	return !running ? "off" : distributed ? "distributed" : "fixed";
}

void channel_json_begin(struct json *j, const struct roc_card *card)
{
	json_start(j, stdout);
	json_object(j, NULL);
	output_card_json(j, card);
}

static int find(const struct channel_options *o, const struct channel_type *type,
		struct roc_endpoint *ep, unsigned int *number)
{
	if (!o->name || !type->find(ep, o->name, number))
		return TOOL_OK;
	return tool_fail("%s", roc_error());
}

int channel_list_read(const struct channel_type *type, struct roc_endpoint *ep,
		      const struct roc_card *card, unsigned int only, void *channels,
		      unsigned int *count)
{
	unsigned int i = only == CHANNEL_ALL ? 0 : only;
	unsigned int last = only == CHANNEL_ALL ? type->most : only + 1;
	int ret;

	for (*count = 0; i < last; i++, ++*count) {
		ret = type->read(ep, card, i, (char *)channels + *count * type->size);
		if (ret == -ENOENT && *count)
			break;
		if (ret)
			return ret < 0 ? tool_fail("%s", roc_error()) : ret;
	}
	return TOOL_OK;
}

void channel_list_text(FILE *out, const struct channel_type *type, const void *channels,
		       unsigned int count, bool verbose, bool colours)
{
	values_list_text(out, type->values, channels, type->size, count, verbose, colours);
	if (type->parts_text)
		type->parts_text(out, channels, count, verbose, colours);
}

void channel_list_json(struct json *j, const struct channel_type *type, const void *channels,
		       unsigned int count)
{
	values_list_json(j, type->array, type->values, channels, type->size, count);
}

static int stats(const struct channel_options *o, const struct channel_type *type,
		 struct roc_endpoint *ep, const struct roc_card *card)
{
	unsigned int only = CHANNEL_ALL, count;
	void *channels;
	struct json j;
	int code;

	channels = calloc(type->most, type->size);
	if (!channels)
		return tool_fail("Cannot allocate the channel counters.");
	code = find(o, type, ep, &only);
	if (!code)
		code = channel_list_read(type, ep, card, only, channels, &count);
	if (!code && !o->json) {
		channel_list_text(stdout, type, channels, count, o->common.verbose,
				  output_colours(stdout));
	} else if (!code) {
		channel_json_begin(&j, card);
		channel_list_json(&j, type, channels, count);
		json_object_end(&j);
	}
	free(channels);
	return code;
}

/* Print a line every second; a terminal shows only the latest one. */
static int live(const struct channel_options *o, const struct channel_type *type,
		struct roc_endpoint *ep, const struct roc_card *card)
{
	uint64_t begin = now_ns(), last = begin, now;
	struct timespec second = {.tv_sec = 1};
	unsigned int number = 0;
	char line[512];
	int code;

	stop_on_first_signals();
	code = find(o, type, ep, &number);
	if (!code)
		code = type->live_line(ep, number, 1, line, sizeof(line));
	while (!code && !stop_requested()) {
		nanosleep(&second, NULL);
		now = now_ns();
		code = type->live_line(ep, number, (double)(now - last) / 1e9, line, sizeof(line));
		if (code)
			return code;
		last = now;
		if (output_is_live(stdout)) {
			output_live(stdout, "%s", line);
		} else {
			puts(line);
			fflush(stdout);
		}
		if (o->time && now - begin >= o->time * NS_PER_S)
			break;
	}
	if (!code && output_is_live(stdout))
		putchar('\n');
	return code;
}

static int set(const struct channel_options *o, const struct channel_type *type,
	       struct roc_endpoint *ep, const struct roc_card *card)
{
	unsigned int first = 0, last, i;
	struct json json, *j = o->json ? &json : NULL;
	int code;

	/* Look up the name before anything is changed. */
	code = find(o, type, ep, &first);
	if (code)
		return code;
	code = type->set_card(ep, card, o, j, &last);
	if (code)
		return code;
	if (o->name)
		last = first + 1;
	if (j)
		json_array(j, type->array);
	for (i = first; i < last && !code; i++)
		code = type->set(ep, card, i, o, j);
	if (j) {
		json_array_end(j);
		json_object_end(j);
	}
	return code;
}

static int reset(const struct channel_options *o, const struct channel_type *type,
		 struct roc_endpoint *ep, const struct roc_card *card)
{
	unsigned int number = CHANNEL_ALL;
	int code;

	code = find(o, type, ep, &number);
	if (code)
		return code;
	if (type->reset(ep, number, o->level))
		return tool_fail("%s", roc_error());
	if (o->json)
		printf("{\n  \"reset\": \"%s\"\n}\n", type->levels[o->level]);
	return TOOL_OK;
}

int channel_tool(const struct channel_options *o, const struct channel_type *type)
{
	int (*const actions[])(const struct channel_options *o, const struct channel_type *type,
			       struct roc_endpoint *ep, const struct roc_card *card) = {
		[CHANNEL_STATS] = o->live ? live : stats,
		[CHANNEL_SET] = set,
		[CHANNEL_RESET] = reset,
	};
	struct roc_endpoint *ep;
	struct roc_card card;
	int code = TOOL_OK;

	if (o->action < type->own)
		return type->take(o);
	if (o->action - type->own == CHANNEL_SET)
		code = type->set_check(o);
	if (!code)
		code = card_open_any(o->id, &card, &ep);
	if (code)
		return code;
	code = actions[o->action - type->own](o, type, ep, &card);
	roc_close(ep);
	return code;
}
