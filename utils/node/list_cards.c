// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-list-cards: list all endpoints of the driver, from sysfs only. No register is accessed, so a
 * faulty card cannot block the tool, and a running card is not disturbed.
 */
#include "node.h"

#include <stdio.h>
#include <stdlib.h>

#include <roc/telemetry.h>

#include "utils/common/card.h"
#include "utils/common/json.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

struct values {
	struct common_options common;
	bool json;
	bool json_out;
};

static const struct option_spec options[] = {
	JSON_OPTION(struct values),
	FLAG_OPTION(struct values, "json-out", json_out, "Alias of --json"),
};

static void number_text(int number, int digits, char *text, size_t size)
{
	if (number < 0)
		snprintf(text, size, "?");
	else
		snprintf(text, size, "%0*d", digits, number);
}

static void json_streams(struct json *j, const struct list_streams *s)
{
	unsigned int i;

	if (!s->count)
		return;
	json_array(j, "streams");
	for (i = 0; i < s->count; i++)
		json_text(j, NULL, s->name[i]);
	json_array_end(j);
}

void list_cards_json(FILE *out, const struct roc_firmware_list *list, const struct roc_card *cards,
		     const struct list_streams *streams, size_t count)
{
	char key[16], firmware[64];
	struct json j;
	size_t i;

	json_start(&j, out);
	json_object(&j, NULL);
	for (i = 0; i < count; i++) {
		const struct roc_card *c = &cards[i];

		snprintf(key, sizeof(key), "%d", c->sequence);
		roc_firmware_text_for(list, c->type, c->firmware, firmware, sizeof(firmware));
		json_object(&j, key);
		json_text(&j, "type", roc_card_type_name(c->type));
		json_text(&j, "pciAddress", c->pci_address);
		output_number_json(&j, "serial", c->serial);
		output_number_json(&j, "endpoint", c->endpoint);
		output_number_json(&j, "numa", c->numa_node);
		json_text(&j, "firmware", firmware);
		json_text(&j, "firmwareHash", c->firmware);
		json_text(&j, "userLogicVersion", c->user_logic);
		json_signed(&j, "channels", c->channels);
		if (streams)
			json_streams(&j, &streams[i]);
		json_text(&j, "node", c->node);
		json_object_end(&j);
	}
	json_object_end(&j);
}

/* The names of the streams of a card; "-" if the card has none. */
static void streams_text(const struct list_streams *s, char *text, size_t size)
{
	size_t used = 0;
	unsigned int i;

	snprintf(text, size, "-");
	for (i = 0; i < s->count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "",
					 s->name[i]);
}

void list_cards_text(FILE *out, const struct roc_firmware_list *list, const struct roc_card *cards,
		     const struct list_streams *streams, size_t count, bool verbose)
{
	const char *heads[] = {"#",	   "Type",    "PCI Addr",   "Serial",
			       "Endpoint", "NUMA",    "FW Version", "UL Version",
			       "Node",	   "Streams", NULL};
	const bool shown = verbose && streams;
	char names[LIST_STREAMS * ROC_TEXT_MAX], number[16], firmware[64];
	struct table table;
	size_t i;

	heads[verbose ? shown ? 10 : 9 : 8] = NULL;
	table_start(&table, heads);
	for (i = 0; i < count; i++) {
		const struct roc_card *c = &cards[i];

		table_cell(&table, NULL, "%d", c->sequence);
		table_cell(&table, NULL, "%s", roc_card_type_name(c->type));
		table_cell(&table, NULL, "%s", c->pci_address);
		number_text(c->serial, 4, number, sizeof(number));
		table_cell(&table, NULL, "%s", number);
		number_text(c->endpoint, 1, number, sizeof(number));
		table_cell(&table, NULL, "%s", number);
		number_text(c->numa_node, 1, number, sizeof(number));
		table_cell(&table, NULL, "%s", number);
		roc_firmware_text_for(list, c->type, c->firmware, firmware, sizeof(firmware));
		table_cell(&table, NULL, "%s", firmware);
		table_cell(&table, NULL, "%s", *c->user_logic ? c->user_logic : "-");
		if (verbose)
			table_cell(&table, NULL, "%s", c->node);
		if (shown) {
			streams_text(&streams[i], names, sizeof(names));
			table_cell(&table, NULL, "%s", names);
		}
	}
	table_print(&table, out, false);
}

/* The streams of all cards, which the caller frees; NULL: out of memory. */
static struct list_streams *find_streams(const struct roc_card *cards, size_t count)
{
	struct list_streams *streams = calloc(count ? count : 1, sizeof(*streams));
	size_t i;
	int c;

	for (i = 0; streams && i < count; i++) {
		for (c = 0; c < cards[i].channels && c < LIST_STREAMS; c++) {
			char *name = streams[i].name[streams[i].count];

			/* A card that is removed meanwhile is listed without streams. */
			if (!roc_channel_stream(&cards[i], (unsigned int)c, name) && *name)
				streams[i].count++;
		}
	}
	return streams;
}

static int run(const void *p)
{
	struct list_streams *streams;
	const struct values *v = p;
	struct roc_card *cards = NULL;
	struct roc_firmware_list *list;
	size_t count = 0;
	int code;

	if (roc_firmware_open(NULL, &list))
		return tool_fail("%s", roc_error());
	code = cards_list(&cards, &count);
	streams = find_streams(cards, count);
	if (v->json || v->json_out)
		list_cards_json(stdout, list, cards, streams, count);
	else if (count)
		list_cards_text(stdout, list, cards, streams, count, v->common.verbose);
	free(streams);
	roc_firmware_close(list);
	free(cards);
	return code;
}

const struct tool tool_list_cards = {
	.name = "list-cards",
	.summary = "List the readout cards of this machine",
	.example = "",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
