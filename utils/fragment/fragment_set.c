// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings of the sub-units and of the generators of their links. What is given is set, then all is
 * shown as it is now.
 */
#include "fragment.h"

#include <inttypes.h>

#include "utils/common/card.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

static const char *mode_name(const struct roc_robinnp_generator *g)
{
	return !g->running ? "off" : g->distributed ? "distributed" : "fixed";
}

void fragment_settings_text(FILE *out, const char *sub, const struct roc_fr_settings *s,
			    unsigned int links, const struct roc_robinnp_generator *g)
{
	unsigned int i;

	fprintf(out,
		"%s: links 0x%02x, interrupt after %u fragments or %u ns, %u requests or %u ns\n",
		sub, s->links, s->data_count, s->data_time, s->done_count, s->done_time);
	for (i = 0; i < links; i++) {
		fprintf(out, "  link %u: generator %s, ", i, mode_name(&g[i]));
		if (g[i].distributed)
			fprintf(out, "%u to %u bytes, ", g[i].size_min, g[i].size_max);
		else
			fprintf(out, "%u bytes, ", g[i].size_min);
		if (g[i].rate)
			fprintf(out, "%u/s", g[i].rate);
		else
			fprintf(out, "as fast as there are pages");
		fprintf(out, ", from event %" PRIu32, g[i].first);
		if (g[i].limit)
			fprintf(out, ", %" PRIu64 " in all", g[i].limit);
		fprintf(out, ", made %" PRIu64 "\n", g[i].generated);
	}
}

void fragment_settings_json(struct json *j, const struct roc_fr_settings *s, unsigned int links,
			    const struct roc_robinnp_generator *g)
{
	unsigned int i;

	json_unsigned(j, "linksEnabled", s->links);
	json_unsigned(j, "dataCount", s->data_count);
	json_unsigned(j, "dataTimeNs", s->data_time);
	json_unsigned(j, "doneCount", s->done_count);
	json_unsigned(j, "doneTimeNs", s->done_time);
	json_array(j, "generators");
	for (i = 0; i < links; i++) {
		json_object(j, NULL);
		json_unsigned(j, "link", i);
		json_text(j, "generator", mode_name(&g[i]));
		json_unsigned(j, "fragmentMin", g[i].size_min);
		json_unsigned(j, "fragmentMax", g[i].size_max);
		json_unsigned(j, "eventRate", g[i].rate);
		json_unsigned(j, "firstEvent", g[i].first);
		json_unsigned(j, "eventLimit", g[i].limit);
		json_unsigned(j, "generated", g[i].generated);
		json_object_end(j);
	}
	json_array_end(j);
}

static bool changes_generator(const struct fragment_options *o)
{
	return o->generator.given || o->rate.given || o->size_min.given || o->size_max.given ||
	       o->first_event.given || o->limit.given;
}

static int driver_settings(const struct fragment_options *o, struct roc_fr_settings *s)
{
	const struct {
		const struct given_number *from;
		__u32 *to;
		uint32_t bit;
	} numbers[] = {
		{&o->data_count, &s->data_count, ROC_FR_SET_DATA_COUNT},
		{&o->data_time, &s->data_time, ROC_FR_SET_DATA_TIME},
		{&o->done_count, &s->done_count, ROC_FR_SET_DONE_COUNT},
		{&o->done_time, &s->done_time, ROC_FR_SET_DONE_TIME},
	};
	unsigned int i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!numbers[i].from->given)
			continue;
		*numbers[i].to = numbers[i].from->value;
		s->set |= numbers[i].bit;
	}
	/* With a generator it says whose. */
	if (o->links.given && !changes_generator(o)) {
		s->links = o->links.value;
		s->set |= ROC_FR_SET_LINKS;
	}
	if (o->first_event.given && o->first_event.value > UINT32_MAX)
		return tool_usage("--first-event: %" PRIu64 ": event ids have 32 bits.",
				  o->first_event.value);
	return TOOL_OK;
}

static uint32_t to_word(const struct given_size *size, uint32_t now)
{
	if (!size->given)
		return now;
	/* What does not fit the card does not take either, and says so. */
	return size->value > UINT32_MAX ? UINT32_MAX : (uint32_t)size->value;
}

static void change_generator(const struct fragment_options *o, struct roc_robinnp_generator *g)
{
	if (o->generator.given) {
		g->running = o->generator.value;
		g->distributed = o->generator.value == 2;
	}
	g->size_min = to_word(&o->size_min, g->size_min);
	g->size_max = to_word(&o->size_max, g->size_max);
	g->first = to_word(&o->first_event, g->first);
	if (o->limit.given)
		g->limit = o->limit.value;
	if (o->rate.given)
		g->rate = o->rate.value;
}

static int set_generators(const struct fragment_options *o, struct roc_endpoint *ep,
			  unsigned int sub, struct roc_robinnp_generator *g)
{
	uint32_t links = o->links.given ? o->links.value : (1u << ROC_ROBINNP_LINKS) - 1;
	unsigned int i, first = sub * ROC_ROBINNP_LINKS;

	for (i = 0; i < ROC_ROBINNP_LINKS; i++) {
		if (roc_robinnp_generator_read(ep, first + i, &g[i]))
			return tool_fail("%s", roc_error());
		if (!changes_generator(o) || !(links >> i & 1))
			continue;
		change_generator(o, &g[i]);
		if (roc_robinnp_generator_set(ep, first + i, &g[i]) ||
		    roc_robinnp_generator_read(ep, first + i, &g[i]))
			return tool_fail("%s", roc_error());
	}
	return TOOL_OK;
}

/* One sub-unit: set, and show. */
static int set_sub(const struct fragment_options *o, struct roc_endpoint *ep, unsigned int sub,
		   struct roc_fr_settings s, struct json *j)
{
	struct roc_robinnp_generator g[ROC_ROBINNP_LINKS];
	struct roc_fr_info info;
	int code;

	if (roc_card_fragments(ep, sub, &info) || roc_card_fragments_settings(ep, sub, &s))
		return tool_fail("%s", roc_error());
	code = set_generators(o, ep, sub, g);
	if (code)
		return code;
	if (!o->json) {
		fragment_settings_text(stdout, info.name, &s, ROC_ROBINNP_LINKS, g);
		return TOOL_OK;
	}
	json_object(j, NULL);
	json_unsigned(j, "channel", sub);
	json_text(j, "sub", info.name);
	fragment_settings_json(j, &s, ROC_ROBINNP_LINKS, g);
	json_object_end(j);
	return TOOL_OK;
}

static int set_all(const struct fragment_options *o, struct roc_endpoint *ep,
		   const struct roc_card *card, const struct roc_fr_settings *wanted)
{
	unsigned int first = 0, last = ROC_ROBINNP_SUBS, i;
	struct json j;
	int code = TOOL_OK;

	if (o->sub) {
		if (roc_card_fragments_find(ep, o->sub, &first))
			return tool_fail("%s", roc_error());
		last = first + 1;
	}
	if (o->json) {
		json_start(&j, stdout);
		json_object(&j, NULL);
		output_card_json(&j, card);
		json_array(&j, "subUnits");
	}
	for (i = first; i < last && !code; i++)
		code = set_sub(o, ep, i, *wanted, &j);
	if (o->json) {
		json_array_end(&j);
		json_object_end(&j);
	}
	return code;
}

int fragment_set(const struct fragment_options *o)
{
	struct roc_fr_settings wanted = {.set = 0};
	struct roc_endpoint *ep;
	struct roc_card card;
	int code;

	code = driver_settings(o, &wanted);
	if (code)
		return code;
	code = card_open_any(o->id, &card, &ep);
	if (code)
		return code;
	code = set_all(o, ep, &card, &wanted);
	roc_close(ep);
	return code;
}
