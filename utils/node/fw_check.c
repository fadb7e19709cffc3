// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-fw-check: check whether the firmware of each card is accepted for data taking, from sysfs
 * only.
 */
#include "node.h"

#include <stdlib.h>

#include "utils/common/card.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

struct values {
	struct common_options common;
	bool json;
};

static const struct option_spec options[] = {
	JSON_OPTION(struct values),
};

static const char *const states[] = {
	[ROC_FIRMWARE_UNKNOWN] = "unknown",
	[ROC_FIRMWARE_ACCEPTED] = "accepted",
	[ROC_FIRMWARE_OLD] = "old",
	[ROC_FIRMWARE_DENIED] = "denied",
};

void fw_check_text(FILE *out, const struct roc_firmware_list *list, const struct roc_card *cards,
		   size_t count, bool colours)
{
	static const char *const heads[] = {">#",	"Type", "Card",	   "PCI Addr",
					    "Firmware", "Hash", "Verdict", NULL};
	enum roc_firmware_state state;
	char card[OUTPUT_CARD_MAX];
	const char *tag;
	struct table t;
	size_t i;

	table_start(&t, heads);
	for (i = 0; i < count; i++) {
		state = roc_firmware_find_for(list, cards[i].type, cards[i].firmware, &tag);
		table_cell(&t, NULL, "%d", cards[i].sequence);
		table_cell(&t, NULL, "%s", roc_card_type_name(cards[i].type));
		table_cell(&t, NULL, "%s", output_card(&cards[i], card));
		table_cell(&t, NULL, "%s", cards[i].pci_address);
		table_cell(&t, NULL, "%s", tag ? tag : "-");
		table_cell(&t, NULL, "%s", *cards[i].firmware ? cards[i].firmware : "-");
		table_cell(&t, state == ROC_FIRMWARE_ACCEPTED ? COLOUR_GOOD : COLOUR_BAD, "%s",
			   states[state]);
	}
	table_print(&t, out, colours);
}

void fw_check_json(FILE *out, const struct roc_firmware_list *list, const struct roc_card *cards,
		   size_t count)
{
	enum roc_firmware_state state;
	const char *tag;
	struct json j;
	size_t i;

	json_start(&j, out);
	json_object(&j, NULL);
	json_text(&j, "list", roc_firmware_source(list));
	json_text(&j, "listVersion", roc_firmware_version(list));
	json_array(&j, "cards");
	for (i = 0; i < count; i++) {
		state = roc_firmware_find_for(list, cards[i].type, cards[i].firmware, &tag);
		json_object(&j, NULL);
		output_card_json(&j, &cards[i]);
		json_text(&j, "firmware", tag);
		json_text(&j, "firmwareHash", cards[i].firmware);
		json_text(&j, "state", states[state]);
		json_bool(&j, "accepted", state == ROC_FIRMWARE_ACCEPTED);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
}

static int run(const void *p)
{
	struct roc_firmware_list *list;
	const struct values *v = p;
	struct roc_card *cards = NULL;
	size_t count = 0, i;
	int code;

	if (roc_firmware_open(NULL, &list))
		return tool_fail("%s", roc_error());
	code = cards_list(&cards, &count);
	if (v->json)
		fw_check_json(stdout, list, cards, count);
	else if (count)
		fw_check_text(stdout, list, cards, count, output_colours(stdout));
	if (v->common.verbose && !v->json)
		printf("List: %s, version %s\n", roc_firmware_source(list),
		       roc_firmware_version(list));
	for (i = 0; i < count; i++) {
		if (roc_firmware_check(list, cards[i].type, cards[i].firmware))
			code = tool_fail("%s: %s", cards[i].pci_address, roc_error());
	}
	free(cards);
	roc_firmware_close(list);
	return code;
}

const struct tool tool_fw_check = {
	.name = "fw-check",
	.summary = "Check that the firmware of all cards is accepted",
	.example = "",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
