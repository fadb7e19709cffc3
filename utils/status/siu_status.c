// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-siu-status: status words of both ends of a C-RORC's link.
 */
#include "status.h"

#include "utils/common/card.h"
#include "utils/common/json.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

struct siu_options {
	struct common_options common;
	const char *id;
	uint32_t channel;
	bool json;
};

static const struct option_spec options[] = {
	ID_OPTION(struct siu_options),
	{.name = "channel",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct siu_options, channel),
	 .arg = "N",
	 .fallback = "0",
	 .max = 5,
	 .help = "Select the channel, which is the number of the link"},
	JSON_OPTION(struct siu_options),
};

static void text_end(FILE *out, const char *name, enum roc_crorc_end end, uint32_t status)
{
	const char *bit;
	int i;

	fprintf(out, "  %-24s 0x%08x\n", name, status);
	fprintf(out, "  %-24s %s\n", "  port", roc_crorc_port_state(end, status));
	if (end == ROC_CRORC_DIU)
		fprintf(out, "  %-24s %s\n", "  remote", roc_crorc_remote_state(status));
	for (i = 31; i >= 0; i--) {
		bit = roc_crorc_end_bit(end, (unsigned int)i);
		if (bit && status >> i & 1)
			fprintf(out, "  %-24s %s\n", "  bit set", bit);
	}
}

void siu_text(FILE *out, const struct siu_report *r)
{
	char card[OUTPUT_CARD_MAX];

	fprintf(out, "CRORC %s  %s  #%d  channel %u\n", output_card(&r->card, card),
		r->card.pci_address, r->card.sequence, r->channel);
	if (r->siu.has_diu)
		text_end(out, "DIU (the card's end)", ROC_CRORC_DIU, r->siu.diu);
	if (!r->siu.has_siu)
		return;
	fprintf(out, "  %-24s %s\n", "SIU hardware", r->siu.hardware_id);
	text_end(out, "SIU (the far end)", ROC_CRORC_SIU, r->siu.siu);
}

static void json_bits(struct json *j, const char *key, enum roc_crorc_end end, uint32_t status)
{
	const char *bit;
	int i;

	json_array(j, key);
	for (i = 31; i >= 0; i--) {
		bit = roc_crorc_end_bit(end, (unsigned int)i);
		if (bit && status >> i & 1)
			json_text(j, NULL, bit);
	}
	json_array_end(j);
}

static void json_end(struct json *j, const char *key, enum roc_crorc_end end, bool has,
		     uint32_t status)
{
	if (!has) {
		json_null(j, key);
		return;
	}
	json_object(j, key);
	json_unsigned(j, "status", status);
	json_text(j, "port", roc_crorc_port_state(end, status));
	if (end == ROC_CRORC_DIU)
		json_text(j, "remote", roc_crorc_remote_state(status));
	json_bits(j, "bits", end, status);
	json_bits(j, "says", end, status); /* deprecated */
	json_object_end(j);
}

void siu_json(FILE *out, const struct siu_report *r)
{
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	json_unsigned(&j, "channel", r->channel);
	json_end(&j, "diu", ROC_CRORC_DIU, r->siu.has_diu, r->siu.diu);
	json_end(&j, "siu", ROC_CRORC_SIU, r->siu.has_siu, r->siu.siu);
	json_text(&j, "hardwareId", r->siu.has_siu ? r->siu.hardware_id : NULL);
	json_text(&j, "failure", r->failure);
	json_object_end(&j);
}

static int run(const void *p)
{
	const struct siu_options *v = p;
	struct siu_report r = {.channel = v->channel};
	const struct card_type *type;
	struct roc_channel *ch;
	int code;

	code = card_find(v->id, &r.card, &type);
	if (code)
		return code;
	if (!type->ddl)
		return tool_fail("%s is %s: this tool supports only a C-RORC.",
				 card_called(&r.card, v->id), card_name(r.card.type));
	if (roc_channel_open_card(&r.card, v->id, v->channel, &ch))
		return tool_fail("%s", roc_error());
	if (roc_crorc_siu_read(ch, &r.siu))
		r.failure = roc_error();
	if (v->json)
		siu_json(stdout, &r);
	else if (r.siu.has_diu || !r.failure)
		siu_text(stdout, &r);
	if (r.failure)
		code = tool_fail("%s", r.failure);
	roc_channel_close(ch);
	return code;
}

const struct tool tool_siu_status = {
	.name = "siu-status",
	.summary = "Show the status of both ends of a C-RORC link",
	.example = "--id=1001 --channel=2",
	TOOL_OPTIONS(options, struct siu_options),
	.run = run,
};
