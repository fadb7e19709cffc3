// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-ul: set, or show, the example generator in the user logic of a CRU.
 */
#include "ul.h"

#include "utils/common/cru_tool.h"
#include "utils/common/json.h"
#include "utils/common/tool.h"

struct values {
	struct common_options common;
	const char *id;
	bool json;
	bool status;
	bool random;
	uint32_t event_size;
	uint32_t system_id;
	uint32_t link_id;
};

static const struct option_spec options[] = {
	ID_OPTION(struct values),
	{.name = "event-size",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, event_size),
	 .arg = "N",
	 .fallback = "100",
	 .help = "Words of 128 bits in an event"},
	FLAG_OPTION(struct values, "random-event-size", random, "Events of random size"),
	{.name = "system-id",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, system_id),
	 .arg = "N",
	 .fallback = "0xff",
	 .max = 0xff,
	 .help = "System id for headers"},
	{.name = "link-id",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, link_id),
	 .arg = "N",
	 .fallback = "0xf",
	 .max = 0xff,
	 .help = "Link id for headers"},
	FLAG_OPTION(struct values, "status", status, "Change nothing, only show"),
	JSON_OPTION(struct values),
};

void ul_text(FILE *out, const struct roc_cru_ul *ul)
{
	fprintf(out, "Event size  %u words of 128 bits%s\n", ul->event_size,
		ul->random_size ? ", random" : "");
	fprintf(out, "System ID   0x%x\n", ul->system_id);
	fprintf(out, "Link ID     0x%x\n", ul->link_id);
}

void ul_json(FILE *out, const struct roc_cru_ul *ul)
{
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	json_unsigned(&j, "eventSize", ul->event_size);
	json_bool(&j, "randomEventSize", ul->random_size);
	json_unsigned(&j, "systemId", ul->system_id);
	json_unsigned(&j, "linkId", ul->link_id);
	json_object_end(&j);
}

static int run(const void *p)
{
	const struct values *v = p;
	struct roc_cru_ul ul = {
		.event_size = v->event_size,
		.random_size = v->random,
		.system_id = v->system_id,
		.link_id = v->link_id,
	};
	struct roc_endpoint *ep;
	struct roc_card card;
	int code;

	code = cru_open(v->id, &card, &ep);
	if (code)
		return code;
	if ((!v->status && roc_cru_ul_set(ep, &ul)) || roc_cru_ul_read(ep, &ul))
		code = tool_fail("%s", roc_error());
	roc_close(ep);
	if (code)
		return code;
	if (v->json)
		ul_json(stdout, &ul);
	else if (v->status || v->common.verbose)
		ul_text(stdout, &ul);
	return TOOL_OK;
}

const struct tool tool_ul = {
	.name = "ul",
	.summary = "Set the event generator in the user logic of a card",
	.example = "--id=3b:00.0 --event-size=200",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
