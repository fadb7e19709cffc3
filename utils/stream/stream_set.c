// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings of the streams: those that the driver knows, and the generators. What is given is set,
 * then all is shown as it is now.
 */
#include "stream.h"

#include <errno.h>
#include <inttypes.h>

#include "utils/common/card.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

static const char *const policies[] = {
	"none",
	"throttle",
	"truncate",
	"throttle and truncate",
};

static const char *policy_name(uint32_t policy)
{
	return policy < 4 ? policies[policy] : "unknown";
}

static void row(FILE *out, const char *name, uint64_t value, const char *unit)
{
	fprintf(out, "  %-22s %" PRIu64 "%s\n", name, value, unit);
}

void stream_settings_text(FILE *out, const char *stream, const struct roc_st_settings *s,
			  const struct roc_p40_generator *g)
{
	fprintf(out, "%s\n", stream);
	fprintf(out, "  %-22s %s\n", "Policy", policy_name(s->policy));
	row(out, "Events per packet", s->pack_events, "");
	row(out, "Bytes per packet", s->pack_bytes, "");
	row(out, "Time per packet", s->pack_time, " ns");
	row(out, "Card's memory", s->spill, " bytes");
	row(out, "Throttle on at", s->throttle_on, " bytes");
	row(out, "Throttle off at", s->throttle_off, " bytes");
	row(out, "Cut short from", s->truncate_on, " bytes");
	row(out, "Interrupt after", s->interrupt_bytes, " bytes");
	row(out, "or after", s->interrupt_time, " ns");
	row(out, "Low water", s->low_water, " bytes");
	if (!g)
		return;
	fprintf(out, "  %-22s %s%s\n", "Generator",
		!g->running	 ? "off"
		: g->distributed ? "distributed"
				 : "fixed",
		g->clocked ? ", clocked" : "");
	row(out, "Fragments from", g->size_min, " bytes");
	row(out, "to", g->distributed ? g->size_max : g->size_min, " bytes");
	row(out, "aligned to", g->align, " bytes");
	row(out, "Events per second", g->rate, g->rate ? "" : " (as fast as they are taken)");
	row(out, "First event", g->first, "");
	row(out, "Limit", g->limit, g->limit ? " events" : " (none)");
	row(out, "Made", g->generated, " events");
}

void stream_settings_json(struct json *j, const struct roc_st_settings *s,
			  const struct roc_p40_generator *g)
{
	json_text(j, "policy", policy_name(s->policy));
	json_unsigned(j, "packEvents", s->pack_events);
	json_unsigned(j, "packBytes", s->pack_bytes);
	json_unsigned(j, "packTimeNs", s->pack_time);
	json_unsigned(j, "spillBytes", s->spill);
	json_unsigned(j, "throttleOn", s->throttle_on);
	json_unsigned(j, "throttleOff", s->throttle_off);
	json_unsigned(j, "truncateOn", s->truncate_on);
	json_unsigned(j, "interruptBytes", s->interrupt_bytes);
	json_unsigned(j, "interruptTimeNs", s->interrupt_time);
	json_unsigned(j, "lowWater", s->low_water);
	if (!g) {
		json_null(j, "generator");
		return;
	}
	json_object(j, "generator");
	json_bool(j, "running", g->running);
	json_bool(j, "distributed", g->distributed);
	json_bool(j, "clocked", g->clocked);
	json_unsigned(j, "fragmentMin", g->size_min);
	json_unsigned(j, "fragmentMax", g->size_max);
	json_unsigned(j, "align", g->align);
	json_unsigned(j, "eventRate", g->rate);
	json_unsigned(j, "firstEvent", g->first);
	json_unsigned(j, "eventLimit", g->limit);
	json_unsigned(j, "generated", g->generated);
	json_object_end(j);
}

/* The driver's settings that were given; 0: none. TOOL_USAGE after a message. */
static int driver_settings(const struct stream_options *o, struct roc_st_settings *s)
{
	const struct {
		const struct given_size *from;
		uint32_t *to;
		uint32_t bit;
		const char *name;
	} sizes[] = {
		{&o->pack_bytes, &s->pack_bytes, ROC_ST_SET_PACK_BYTES, "pack-bytes"},
		{&o->throttle_on, &s->throttle_on, ROC_ST_SET_THROTTLE_ON, "throttle-on"},
		{&o->throttle_off, &s->throttle_off, ROC_ST_SET_THROTTLE_OFF, "throttle-off"},
		{&o->truncate_on, &s->truncate_on, ROC_ST_SET_TRUNCATE_ON, "truncate-on"},
	};
	const struct {
		const struct given_number *from;
		uint32_t *to;
		uint32_t bit;
	} numbers[] = {
		{&o->policy, &s->policy, ROC_ST_SET_POLICY},
		{&o->pack_events, &s->pack_events, ROC_ST_SET_PACK_EVENTS},
		{&o->pack_time, &s->pack_time, ROC_ST_SET_PACK_TIME},
	};
	const struct {
		const struct given_size *from;
		__aligned_u64 *to;
		uint32_t bit;
	} wide[] = {
		{&o->interrupt_bytes, &s->interrupt_bytes, ROC_ST_SET_INTERRUPT_BYTES},
		{&o->interrupt_time, &s->interrupt_time, ROC_ST_SET_INTERRUPT_TIME},
		{&o->low_water, &s->low_water, ROC_ST_SET_LOW_WATER},
	};
	unsigned int i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (!sizes[i].from->given)
			continue;
		if (sizes[i].from->value > UINT32_MAX)
			return tool_usage("--%s: %" PRIu64 " does not fit in 32 bits.",
					  sizes[i].name, sizes[i].from->value);
		*sizes[i].to = (uint32_t)sizes[i].from->value;
		s->set |= sizes[i].bit;
	}
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!numbers[i].from->given)
			continue;
		*numbers[i].to = numbers[i].from->value;
		s->set |= numbers[i].bit;
	}
	for (i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
		if (!wide[i].from->given)
			continue;
		*wide[i].to = wide[i].from->value;
		s->set |= wide[i].bit;
	}
	return TOOL_OK;
}

static uint32_t to_word(const struct given_size *size, uint32_t now)
{
	if (!size->given)
		return now;
	/* What does not fit the card does not take either, and says so. */
	return size->value > UINT32_MAX ? UINT32_MAX : (uint32_t)size->value;
}

static bool changes_generator(const struct stream_options *o)
{
	return o->generator.given || o->fragment_min.given || o->fragment_max.given ||
	       o->event_rate.given || o->first_event.given || o->event_limit.given ||
	       o->align.given || o->clocked || o->waiting;
}

static void change_generator(const struct stream_options *o, struct roc_p40_generator *g)
{
	if (o->generator.given) {
		g->running = o->generator.value;
		g->distributed = o->generator.value == 2;
	}
	g->size_min = to_word(&o->fragment_min, g->size_min);
	g->size_max = to_word(&o->fragment_max, g->size_max);
	if (o->first_event.given)
		g->first = o->first_event.value;
	if (o->event_limit.given)
		g->limit = o->event_limit.value;
	if (o->event_rate.given)
		g->rate = o->event_rate.value;
	if (o->align.given)
		g->align = o->align.value;
	if (o->clocked)
		g->clocked = true;
	if (o->waiting)
		g->clocked = false;
}

/* One stream: set, and show. */
static int set_stream(const struct stream_options *o, struct roc_endpoint *ep, unsigned int stream,
		      struct roc_st_settings s, struct json *j)
{
	struct roc_p40_generator g;
	struct roc_st_info info;
	bool generates;
	int err;

	if (roc_card_stream(ep, stream, &info) || roc_card_stream_settings(ep, stream, &s))
		return tool_fail("%s", roc_error());
	err = roc_p40_generator_read(ep, stream, &g);
	generates = !err;
	if (err && (err != -ENOENT || changes_generator(o)))
		return tool_fail("%s", roc_error());
	if (changes_generator(o)) {
		change_generator(o, &g);
		if (roc_p40_generator_set(ep, stream, &g) || roc_p40_generator_read(ep, stream, &g))
			return tool_fail("%s", roc_error());
	}
	if (!o->json) {
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

/* What all streams share. */
static int set_card(const struct stream_options *o, struct roc_endpoint *ep,
		    struct roc_st_card *shared)
{
	*shared = (struct roc_st_card){.set = 0};
	if (o->source_id.given) {
		shared->set |= ROC_ST_CARD_SOURCE;
		shared->source = o->source_id.value;
	}
	if (o->enabled.given) {
		shared->set |= ROC_ST_CARD_ENABLED;
		shared->enabled = o->enabled.value;
	}
	return roc_card_streams(ep, shared) ? tool_fail("%s", roc_error()) : TOOL_OK;
}

static int set_all(const struct stream_options *o, struct roc_endpoint *ep,
		   const struct roc_card *card, const struct roc_st_settings *wanted)
{
	unsigned int first = 0, last, i;
	struct roc_st_card shared;
	struct json j;
	int code;

	/* A name that is none changes nothing. */
	if (o->stream && roc_card_stream_find(ep, o->stream, &first))
		return tool_fail("%s", roc_error());
	code = set_card(o, ep, &shared);
	if (code)
		return code;
	last = o->stream ? first + 1 : shared.streams;
	if (o->json) {
		json_start(&j, stdout);
		json_object(&j, NULL);
		output_card_json(&j, card);
		json_unsigned(&j, "source", shared.source);
		json_unsigned(&j, "enabled", shared.enabled);
		json_array(&j, "streams");
	} else {
		printf("source 0x%04x, enabled 0x%02x\n", shared.source, shared.enabled);
	}
	for (i = first; i < last && !code; i++)
		code = set_stream(o, ep, i, *wanted, &j);
	if (o->json) {
		json_array_end(&j);
		json_object_end(&j);
	}
	return code;
}

int stream_set(const struct stream_options *o)
{
	struct roc_st_settings wanted = {.set = 0};
	struct roc_endpoint *ep;
	struct roc_card card;
	int code;

	code = driver_settings(o, &wanted);
	if (code)
		return code;
	if (!o->stream && (wanted.set || changes_generator(o)))
		return tool_usage("--stream is missing: settings are of one stream, but for "
				  "--source-id and --enabled.");
	code = card_open_any(o->id, &card, &ep);
	if (code)
		return code;
	code = set_all(o, ep, &card, &wanted);
	roc_close(ep);
	return code;
}
