// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings of the driver and of the generators of the streams. Apply the given settings, then print
 * all of them.
 */
#include "stream.h"

#include <errno.h>

#include "utils/common/tool.h"
#include "utils/common/values.h"

static const char *const policies[] = {
	"none",
	"throttle",
	"truncate",
	"throttle and truncate",
};

static const char *policy_name(const void *o)
{
	const struct roc_st_settings *s = o;

	return s->policy < 4 ? policies[s->policy] : "unknown";
}

#define SETTING(member) VALUE(struct roc_st_settings, member)
#define GENERATOR(member) VALUE(struct roc_p40_generator, member)

static const struct value settings[] = {
	{.name = "Policy", .key = "policy", .text = policy_name},
	{SETTING(pack_events), .name = "Events per packet", .key = "packEvents"},
	{SETTING(pack_bytes), .name = "Bytes per packet", .key = "packBytes"},
	{SETTING(pack_time), .name = "Time per packet", .key = "packTimeNs", .unit = " ns"},
	{SETTING(spill), .name = "Card's memory", .key = "spillBytes", .unit = " bytes"},
	{SETTING(throttle_on), .name = "Throttle on at", .key = "throttleOn", .unit = " bytes"},
	{SETTING(throttle_off), .name = "Throttle off at", .key = "throttleOff", .unit = " bytes"},
	{SETTING(truncate_on), .name = "Truncate from", .key = "truncateOn", .unit = " bytes"},
	{SETTING(interrupt_bytes), .name = "Interrupt after", .key = "interruptBytes",
	 .unit = " bytes"},
	{SETTING(interrupt_time), .name = "or after", .key = "interruptTimeNs", .unit = " ns"},
	{SETTING(low_water), .name = "Low water", .key = "lowWater", .unit = " bytes"},
};

static const struct values setting_values = VALUES(settings, .width = 22);

static uint64_t size_max(const void *o)
{
	const struct roc_p40_generator *g = o;

	return g->distributed ? g->size_max : g->size_min;
}

static const char *mode(const void *o)
{
	const struct roc_p40_generator *g = o;
	static char text[32];

	snprintf(text, sizeof(text), "%s%s", channel_generator_name(g->running, g->distributed),
		 g->clocked ? ", clocked" : "");
	return text;
}

static const struct value generator[] = {
	{.name = "Generator", .text = mode},
	{GENERATOR(running), .key = "running"},
	{GENERATOR(distributed), .key = "distributed"},
	{GENERATOR(clocked), .key = "clocked"},
	{GENERATOR(size_min), .name = "Fragments from", .key = "fragmentMin", .unit = " bytes"},
	{GENERATOR(size_max), .key = "fragmentMax"},
	{.name = "to", .count = size_max, .unit = " bytes"},
	{GENERATOR(align), .name = "aligned to", .key = "align", .unit = " bytes"},
	{GENERATOR(rate), .name = "Events per second", .key = "eventRate",
	 .unit_of_0 = " (as fast as they are consumed)"},
	{GENERATOR(first), .name = "First event", .key = "firstEvent"},
	{GENERATOR(limit), .name = "Limit", .key = "eventLimit", .unit = " events",
	 .unit_of_0 = " (none)"},
	{GENERATOR(generated), .name = "Made", .key = "generated", .unit = " events"},
};

static const struct values generator_values = VALUES(generator, .width = 22);

void stream_settings_text(FILE *out, const char *stream, const struct roc_st_settings *s,
			  const struct roc_p40_generator *g)
{
	fprintf(out, "%s\n", stream);
	values_rows(out, &setting_values, s, true, false);
	if (g)
		values_rows(out, &generator_values, g, true, false);
}

void stream_settings_json(struct json *j, const struct roc_st_settings *s,
			  const struct roc_p40_generator *g)
{
	values_json(j, &setting_values, s);
	if (!g) {
		json_null(j, "generator");
		return;
	}
	json_object(j, "generator");
	values_json(j, &generator_values, g);
	json_object_end(j);
}

#define FROM(option, member)                                                                       \
	.from = offsetof(struct stream_options, option),                                           \
	.to = offsetof(struct roc_st_settings, member)

static const struct channel_setting driver[] = {
	{FROM(pack_bytes, pack_bytes), ROC_ST_SET_PACK_BYTES, "pack-bytes"},
	{FROM(throttle_on, throttle_on), ROC_ST_SET_THROTTLE_ON, "throttle-on"},
	{FROM(throttle_off, throttle_off), ROC_ST_SET_THROTTLE_OFF, "throttle-off"},
	{FROM(truncate_on, truncate_on), ROC_ST_SET_TRUNCATE_ON, "truncate-on"},
	{FROM(policy, policy), ROC_ST_SET_POLICY},
	{FROM(pack_events, pack_events), ROC_ST_SET_PACK_EVENTS},
	{FROM(pack_time, pack_time), ROC_ST_SET_PACK_TIME},
	{FROM(interrupt_bytes, interrupt_bytes), ROC_ST_SET_INTERRUPT_BYTES, "interrupt-bytes",
	 .wide = true},
	{FROM(interrupt_time, interrupt_time), ROC_ST_SET_INTERRUPT_TIME, "interrupt-time",
	 .wide = true},
	{FROM(low_water, low_water), ROC_ST_SET_LOW_WATER, "low-water", .wide = true},
};

int stream_driver_settings(const struct stream_options *o, struct roc_st_settings *s)
{
	return channel_settings(driver, sizeof(driver) / sizeof(driver[0]), o, s, &s->set);
}

bool stream_changes_generator(const struct stream_options *o)
{
	return channel_changes_generator(&o->channel) || o->align.given || o->clocked || o->waiting;
}

static void change_generator(const struct stream_options *o, struct roc_p40_generator *g)
{
	channel_change_generator(
		&o->channel, &(struct channel_generator){&g->running, &g->distributed, &g->size_min,
							 &g->size_max, &g->rate, &g->limit});
	if (o->channel.first_event.given)
		g->first = o->channel.first_event.value;
	if (o->align.given)
		g->align = o->align.value;
	if (o->clocked)
		g->clocked = true;
	if (o->waiting)
		g->clocked = false;
}

int stream_set_one(struct roc_endpoint *ep, const struct roc_card *card, unsigned int stream,
		   const void *options, struct json *j)
{
	const struct card_type *type = card_type_find(card->type);
	const struct stream_options *o = options;
	struct roc_st_settings s = {.set = 0};
	bool change = stream_changes_generator(o);
	struct roc_p40_generator g;
	struct roc_st_info info;
	bool generates;
	int err;

	err = stream_driver_settings(o, &s);
	if (err)
		return err;
	if (roc_card_stream(ep, stream, &info) || roc_card_stream_settings(ep, stream, &s))
		return tool_fail("%s", roc_error());
	if (!type || !type->streams)
		return card_fail_unknown(card, o->channel.id);
	err = type->streams->generator_read(ep, stream, &g);
	generates = !err;
	if (err && (err != -ENOENT || change))
		return tool_fail("%s", roc_error());
	if (change) {
		change_generator(o, &g);
		if (type->streams->generator_set(ep, stream, &g) ||
		    type->streams->generator_read(ep, stream, &g))
			return tool_fail("%s", roc_error());
	}
	if (!j) {
		stream_settings_text(stdout, info.name, &s, generates ? &g : NULL);
		return TOOL_OK;
	}
	json_object(j, NULL);
	json_unsigned(j, "channel", stream);
	json_text(j, "stream", info.name);
	stream_settings_json(j, &s, generates ? &g : NULL);
	json_object_end(j);
	return TOOL_OK;
}

/* Apply the settings that all streams share. */
int stream_set_card(struct roc_endpoint *ep, const struct roc_card *card, const void *options,
		    struct json *j, unsigned int *last)
{
	const struct stream_options *o = options;
	struct roc_st_card shared = {.set = 0};

	if (o->source_id.given) {
		shared.set |= ROC_ST_CARD_SOURCE;
		shared.source = o->source_id.value;
	}
	if (o->enabled.given) {
		shared.set |= ROC_ST_CARD_ENABLED;
		shared.enabled = o->enabled.value;
	}
	if (roc_card_streams(ep, &shared))
		return tool_fail("%s", roc_error());
	*last = shared.streams;
	if (!j) {
		printf("source 0x%04x, enabled 0x%02x\n", shared.source, shared.enabled);
		return TOOL_OK;
	}
	channel_json_begin(j, card);
	json_unsigned(j, "source", shared.source);
	json_unsigned(j, "enabled", shared.enabled);
	return TOOL_OK;
}
