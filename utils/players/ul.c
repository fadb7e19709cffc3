// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-ul: set or show the example generator in the user logic of a CRU.
 */
#include "players.h"

#include "utils/common/card.h"
#include "utils/common/json.h"
#include "utils/common/tool.h"

struct values {
	struct common_options common;
	const char *id;
	bool json;
	bool status;
	bool random;
	struct given_number event_size, system_id, link_id;
};

static const struct option_spec options[] = {
	FULL_ID_OPTION(struct values),
	{.name = "event-size",
	 .full = true,
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, event_size.value),
	 .given = offsetof(struct values, event_size.given),
	 .arg = "N",
	 .fallback = "100",
	 .help = "Set the event size in words of 128 bits"},
	FULL_FLAG_OPTION(struct values, "random-event-size", random, "Make events of random size"),
	{.name = "system-id",
	 .full = true,
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, system_id.value),
	 .given = offsetof(struct values, system_id.given),
	 .arg = "N",
	 .fallback = "0xff",
	 .max = 0xff,
	 .help = "Set the system id in headers"},
	{.name = "link-id",
	 .full = true,
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, link_id.value),
	 .given = offsetof(struct values, link_id.given),
	 .arg = "N",
	 .fallback = "0xf",
	 .max = 0xff,
	 .help = "Set the link id in headers"},
	FLAG_OPTION(struct values, "status", status, "Show the parameters without changing them"),
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
		.event_size = v->event_size.value,
		.random_size = v->random,
		.system_id = v->system_id.value,
		.link_id = v->link_id.value,
	};
	struct roc_endpoint *ep;
	struct roc_card card;
	int code;

	if (v->status &&
	    (v->event_size.given || v->random || v->system_id.given || v->link_id.given))
		return tool_usage("--status changes nothing: omit the settings.");
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
