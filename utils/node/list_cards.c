// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-list-cards: all endpoints that the driver has, from sysfs alone: no register is touched, so
 * a sick card cannot hang it and a busy one is not disturbed.
 */
#include "list_cards.h"

#include <stdio.h>
#include <stdlib.h>

#include <roc/telemetry.h>

#include "utils/common/card.h"
#include "utils/common/json.h"
#include "utils/common/tool.h"

struct values {
	struct common_options common;
	bool json;
	bool json_out;
};

static const struct option_spec options[] = {
	JSON_OPTION(struct values),
	FLAG_OPTION(struct values, "json-out", json_out, "The same"),
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

/* Below a card's line. */
static void text_streams(FILE *out, const struct list_streams *s)
{
	unsigned int i;

	if (!s->count)
		return;
	fprintf(out, "    streams:");
	for (i = 0; i < s->count; i++)
		fprintf(out, " %s", s->name[i]);
	fputc('\n', out);
}

void list_cards_text(FILE *out, const struct roc_firmware_list *list, const struct roc_card *cards,
		     const struct list_streams *streams, size_t count, bool verbose)
{
	static const char format[] = "%-3s %-6s %-13s %-7s %-9s %-5s %-15s %-12s%s%s\n";
	char sequence[16], serial[16], endpoint[16], numa[16], firmware[64];
	size_t i;

	fprintf(out, format, "#", "Type", "PCI Addr", "Serial", "Endpoint", "NUMA", "FW Version",
		"UL Version", verbose ? " Node" : "", "");
	for (i = 0; i < count; i++) {
		const struct roc_card *c = &cards[i];

		number_text(c->sequence, 1, sequence, sizeof(sequence));
		number_text(c->serial, 4, serial, sizeof(serial));
		number_text(c->endpoint, 1, endpoint, sizeof(endpoint));
		number_text(c->numa_node, 1, numa, sizeof(numa));
		roc_firmware_text_for(list, c->type, c->firmware, firmware, sizeof(firmware));
		fprintf(out, format, sequence, roc_card_type_name(c->type), c->pci_address, serial,
			endpoint, numa, firmware, *c->user_logic ? c->user_logic : "-",
			verbose ? " " : "", verbose ? c->node : "");
		if (streams && verbose)
			text_streams(out, &streams[i]);
	}
}

/* Of all cards; the caller frees it. NULL: there is no memory. */
static struct list_streams *find_streams(const struct roc_card *cards, size_t count)
{
	struct list_streams *streams = calloc(count ? count : 1, sizeof(*streams));
	size_t i;
	int c;

	for (i = 0; streams && i < count; i++) {
		for (c = 0; c < cards[i].channels && c < LIST_STREAMS; c++) {
			char *name = streams[i].name[streams[i].count];

			/* A card that goes meanwhile is listed without. */
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
