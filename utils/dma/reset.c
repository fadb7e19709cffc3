// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-reset: reset the DMA block of an unused channel.
 */
#include <roc/roc.h>

#include <stdio.h>

#include "utils/common/json.h"
#include "utils/common/tool.h"

struct values {
	struct common_options common;
	const char *id;
	uint32_t channel;
	unsigned int level; /* index into levels[] = enum roc_reset_level */
	bool json;
};

static const char *const levels[] = {
	[ROC_RESET_NOTHING] = "NOTHING",
	[ROC_RESET_INTERNAL] = "INTERNAL",
	[ROC_RESET_INTERNAL_SIU] = "INTERNAL_SIU",
	NULL,
};

static const struct option_spec options[] = {
	FULL_ID_OPTION(struct values),
	{.name = "channel",
	 .full = true,
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, channel),
	 .arg = "N",
	 .required = true,
	 .max = 255,
	 .help = "Select the DMA channel"},
	{.name = "reset",
	 .full = true,
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct values, level),
	 .arg = "LEVEL",
	 .required = true,
	 .choices = levels,
	 .help = "Select the reset level"},
	JSON_OPTION(struct values),
};

static int run(const void *p)
{
	const struct values *v = p;
	struct roc_channel *ch;
	int code = TOOL_OK, err;
	struct json j;

	err = roc_channel_open(v->id, v->channel, &ch);
	if (err)
		return tool_fail_card(err);
	if (roc_channel_reset(ch, (enum roc_reset_level)v->level))
		code = tool_fail("%s", roc_error());
	roc_channel_close(ch);
	if (code)
		return code;
	if (v->json) {
		json_start(&j, stdout);
		json_object(&j, NULL);
		json_unsigned(&j, "channel", v->channel);
		json_text(&j, "reset", levels[v->level]);
		json_object_end(&j);
	} else if (v->common.verbose) {
		printf("Channel %u: reset %s done.\n", v->channel, levels[v->level]);
	}
	return TOOL_OK;
}

const struct tool tool_reset = {
	.name = "reset",
	.summary = "Reset a DMA channel of a card",
	.example = "--id=3b:00.0 --channel=0 --reset=INTERNAL",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
