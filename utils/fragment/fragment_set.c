// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings of the sub-units and of their links' generators. Apply the given settings, then print
 * all of them.
 */
#include "fragment.h"

#include <errno.h>
#include <inttypes.h>

#include "utils/common/tool.h"
#include "utils/common/values.h"

static const char *mode(const void *o)
{
	const struct roc_robinnp_generator *g = o;

	return channel_generator_name(g->running, g->distributed);
}

void fragment_settings_text(FILE *out, const char *sub, const struct roc_fr_settings *s,
			    unsigned int links, const struct roc_robinnp_generator *g)
{
	unsigned int i;

	fprintf(out,
		"%s: links 0x%02x, interrupt after %u fragments or %u ns, %u requests or %u ns\n",
		sub, s->links, s->data_count, s->data_time, s->done_count, s->done_time);
	for (i = 0; i < links; i++) {
		fprintf(out, "  link %u: generator %s, ", i, mode(&g[i]));
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
			fprintf(out, ", %" PRIu64 " in total", g[i].limit);
		fprintf(out, ", generated %" PRIu64 "\n", g[i].generated);
	}
}

#define SETTING(member) VALUE(struct roc_fr_settings, member)
#define GENERATOR(member) VALUE(struct roc_robinnp_generator, member)

static const struct value settings[] = {
	{SETTING(links), .key = "linksEnabled"},   {SETTING(data_count), .key = "dataCount"},
	{SETTING(data_time), .key = "dataTimeNs"}, {SETTING(done_count), .key = "doneCount"},
	{SETTING(done_time), .key = "doneTimeNs"},
};

static const struct value generator[] = {
	{.key = "generator", .text = mode},	     {GENERATOR(size_min), .key = "fragmentMin"},
	{GENERATOR(size_max), .key = "fragmentMax"}, {GENERATOR(rate), .key = "eventRate"},
	{GENERATOR(first), .key = "firstEvent"},     {GENERATOR(limit), .key = "eventLimit"},
	{GENERATOR(generated), .key = "generated"},
};

static const struct values setting_values = VALUES(settings);
static const struct values generator_values = VALUES(generator);

void fragment_settings_json(struct json *j, const struct roc_fr_settings *s, unsigned int links,
			    const struct roc_robinnp_generator *g)
{
	unsigned int i;

	values_json(j, &setting_values, s);
	json_array(j, "generators");
	for (i = 0; i < links; i++) {
		json_object(j, NULL);
		json_unsigned(j, "link", i);
		values_json(j, &generator_values, &g[i]);
		json_object_end(j);
	}
	json_array_end(j);
}

#define FROM(member)                                                                               \
	.from = offsetof(struct fragment_options, member),                                         \
	.to = offsetof(struct roc_fr_settings, member)

static const struct channel_setting driver[] = {
	{FROM(data_count), ROC_FR_SET_DATA_COUNT},
	{FROM(data_time), ROC_FR_SET_DATA_TIME},
	{FROM(done_count), ROC_FR_SET_DONE_COUNT},
	{FROM(done_time), ROC_FR_SET_DONE_TIME},
};

int fragment_driver_settings(const struct fragment_options *o, struct roc_fr_settings *s)
{
	int code = channel_settings(driver, sizeof(driver) / sizeof(driver[0]), o, s, &s->set);

	/* With generator options, --links selects generators instead. */
	if (o->links.given && !channel_changes_generator(&o->channel)) {
		s->links = o->links.value;
		s->set |= ROC_FR_SET_LINKS;
	}
	if (!code && o->channel.first_event.given && o->channel.first_event.value > UINT32_MAX)
		return tool_usage("--first-event: %" PRIu64 " does not fit in 32 bits.",
				  o->channel.first_event.value);
	return code;
}

static int set_generator(struct roc_endpoint *ep, const struct fragment_registers *registers,
			 unsigned int link, const struct channel_options *o,
			 struct roc_robinnp_generator *g)
{
	channel_change_generator(o, &(struct channel_generator){&g->running, &g->distributed,
								&g->size_min, &g->size_max,
								&g->rate, &g->limit});
	g->first = channel_value32(&o->first_event, g->first);
	return registers->generator_set(ep, link, g) || registers->generator_read(ep, link, g);
}

static int set_generators(struct roc_endpoint *ep, const struct fragment_registers *registers,
			  const struct roc_fr_info *info, const struct fragment_options *o,
			  struct roc_robinnp_generator *g)
{
	unsigned int i, first = info->sub * info->links;

	for (i = 0; i < info->links; i++) {
		if (registers->generator_read(ep, first + i, &g[i]))
			return tool_fail("%s", roc_error());
		if (!channel_changes_generator(&o->channel) ||
		    (o->links.given && !(o->links.value >> i & 1)))
			continue;
		if (set_generator(ep, registers, first + i, &o->channel, &g[i]))
			return tool_fail("%s", roc_error());
	}
	return TOOL_OK;
}

int fragment_set_one(struct roc_endpoint *ep, const struct roc_card *card, unsigned int sub,
		     const void *options, struct json *j)
{
	struct roc_robinnp_generator g[FRAGMENT_LINKS_MAX];
	const struct fragment_registers *registers;
	const struct fragment_options *o = options;
	struct roc_fr_settings s = {.set = 0};
	struct roc_fr_info info;
	int code;

	code = fragment_driver_settings(o, &s);
	if (code)
		return code;
	if (roc_card_fragments(ep, sub, &info))
		return tool_fail("%s", roc_error());
	code = fragment_links_check(o, info.links);
	if (code)
		return code;
	if (roc_card_fragments_settings(ep, sub, &s))
		return tool_fail("%s", roc_error());
	code = card_fragments(card, o->channel.id, &registers);
	if (!code)
		code = set_generators(ep, registers, &info, o, g);
	if (code)
		return code;
	if (!j) {
		fragment_settings_text(stdout, info.name, &s, info.links, g);
		return TOOL_OK;
	}
	json_object(j, NULL);
	json_unsigned(j, "channel", sub);
	json_text(j, "sub", info.name);
	fragment_settings_json(j, &s, info.links, g);
	json_object_end(j);
	return TOOL_OK;
}

/* Sub-units share no settings; only count them. */
int fragment_set_card(struct roc_endpoint *ep, const struct roc_card *card, const void *options,
		      struct json *j, unsigned int *last)
{
	struct roc_fr_info info;
	int err;

	for (*last = 0; *last < FRAGMENT_SUBS_MAX; ++*last) {
		err = roc_card_fragments(ep, *last, &info);
		if (err == -ENOENT && *last)
			break;
		if (err)
			return tool_fail("%s", roc_error());
	}
	if (j)
		channel_json_begin(j, card);
	return TOOL_OK;
}
