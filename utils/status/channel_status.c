// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-status of a card with streams or sub-units: the card and its channels, and the links of
 * sub-units.
 */
#include "status.h"

#include <inttypes.h>
#include <math.h>

#include "utils/common/output.h"
#include "utils/common/tool.h"
#include "utils/common/values.h"

static void text_firmware(FILE *out, const char *firmware, const char *hash, const char *date,
			  uint64_t chip)
{
	fprintf(out, "Firmware %s (%s), %s, chip %016" PRIx64 "\n", firmware, hash, date, chip);
}

static void text_temperature(FILE *out, double temperature)
{
	if (!isnan(temperature))
		fprintf(out, ", %.1f C", temperature);
	fprintf(out, "\n\n");
}

static void influx_card(FILE *out, const struct roc_card *card, const struct values *values,
			const void *status, uint64_t time)
{
	struct influx l;

	influx_start_card(&l, out, roc_card_type_name(card->type), card, -1);
	values_influx(&l, values, status);
	influx_end(&l, time);
}

#define P40(member) VALUE(struct roc_p40_status, member)

static const struct value p40[] = {
	{P40(firmware), .key = "firmware", .no_influx = true},
	{P40(hash), .key = "firmwareHash", .no_influx = true},
	{P40(date), .key = "firmwareDate", .no_influx = true},
	{P40(source), .key = "source"},
	{P40(enabled), .key = "enabled"},
	{P40(temperature), .key = "temperature"},
	{P40(clock), .key = "clock", .no_influx = true},
	{P40(cycles), .key = "cycles", .no_influx = true},
};

#define STREAM(member) VALUE(struct roc_st_info, member)

static const struct value stream[] = {
	{STREAM(name), .key = "stream"},
	{STREAM(ring), .key = "ringBytes", .metric = "roc_stream_ring_bytes",
	 .help = "Size of the ring."},
	{.count = stream_ring_level,
	 .key = "ringLevel",
	 .metric = "roc_stream_ring_level_bytes",
	 .help = "Data in the ring."},
	{STREAM(level), .key = "cardLevel", .metric = "roc_stream_card_level_bytes",
	 .help = "Data in the memory of the card."},
	{STREAM(card.waiting), .key = "waiting", .metric = "roc_stream_waiting_events",
	 .help = "Events waiting in the card."},
};

static const struct values p40_values = VALUES(p40), stream_values = VALUES(stream);

static void streams_text(FILE *out, const void *report, bool verbose, bool colours)
{
	const struct status_streams *r = report;
	const struct roc_p40_status *s = &r->status;

	text_firmware(out, s->firmware, s->hash, s->date, s->chip_id);
	fprintf(out, "Source 0x%04x, streams enabled 0x%02x of %u", s->source, s->enabled,
		s->streams);
	text_temperature(out, s->temperature);
	channel_list_text(out, &stream_channels, r->stream, r->streams, verbose, colours);
}

static void streams_json(FILE *out, const void *report)
{
	const struct status_streams *r = report;
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	values_json(&j, &p40_values, &r->status);
	channel_list_json(&j, &stream_channels, r->stream, r->streams);
	json_object_end(&j);
}

static void streams_influx(FILE *out, const void *report)
{
	const struct status_streams *r = report;
	struct influx l;
	unsigned int i;

	influx_card(out, &r->card, &p40_values, &r->status, r->time);
	for (i = 0; i < r->streams; i++) {
		influx_start_card(&l, out, "stream", &r->card, (int)i);
		values_influx(&l, &stream_values, &r->stream[i]);
		influx_end(&l, r->time);
	}
}

static const void *stream_row(const void *report, unsigned int i, struct prometheus_labels *labels)
{
	const struct status_streams *r = report;

	prometheus_card(labels, &r->card, -1);
	prometheus_label(labels, "stream", r->stream[i].name);
	return &r->stream[i];
}

static void streams_prometheus(FILE *out, const void *report)
{
	const struct status_streams *r = report;
	struct prometheus m;

	prometheus_begin_card(&m, out, &r->card, NULL);
	values_prometheus(&m, &stream_values, stream_row, r, r->streams);
}

const struct output_forms status_streams_forms = {
	.text = streams_text,
	.json = streams_json,
	.influx = streams_influx,
	.prometheus = streams_prometheus,
};

int status_show_streams(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
			const struct card_request *q)
{
	struct status_streams r = {.card = *card};

	if (card_type_find(card->type)->streams->status_read(ep, &r.status))
		return tool_fail("%s", roc_error());
	if (channel_list_read(&stream_channels, ep, card, CHANNEL_ALL, r.stream, &r.streams))
		return TOOL_FAILED;
	r.time = output_time();
	output_show(out, q->format, &status_streams_forms, &r, q->verbose, q->colours);
	return TOOL_OK;
}

#define CARD(member) VALUE(struct roc_robinnp_status, member)

static const struct value fragments[] = {
	{CARD(firmware), .key = "firmware", .no_influx = true},
	{CARD(hash), .key = "firmwareHash", .no_influx = true},
	{CARD(date), .key = "firmwareDate", .no_influx = true},
	{CARD(source), .key = "source"},
	{CARD(temperature), .key = "temperature"},
	{CARD(clock), .key = "clock", .no_influx = true},
	{CARD(cycles), .key = "cycles", .no_influx = true},
};

/* A link and the name of its sub-unit. */
struct link_row {
	struct fragment_link link;
	const char *sub;
};

static const char *sub_name(const void *o)
{
	return ((const struct link_row *)o)->sub;
}

#define LINK(member) VALUE(struct link_row, link.counts.member)

static const struct value link_value[] = {
	{.text = sub_name, .key = "sub"},
	{LINK(fragments), .key = "fragments", .metric = "roc_link_fragments",
	 .metric_type = PROMETHEUS_COUNTER, .help = "Fragments reported by the card."},
	{LINK(bytes), .key = "bytes", .metric = "roc_link_bytes", .metric_type = PROMETHEUS_COUNTER,
	 .help = "Bytes of the reported fragments."},
	{LINK(discarded), .key = "discarded", .metric = "roc_link_discarded_fragments",
	 .metric_type = PROMETHEUS_COUNTER, .help = "Fragments discarded by stops and resets."},
	{LINK(truncated), .key = "truncated", .metric = "roc_link_truncated_fragments",
	 .metric_type = PROMETHEUS_COUNTER, .help = "Fragments truncated at the page size."},
	{LINK(link_errors), .key = "linkErrors", .metric = "roc_link_link_error_fragments",
	 .metric_type = PROMETHEUS_COUNTER, .help = "Fragments with transmission errors."},
	{LINK(format_errors), .key = "formatErrors", .metric = "roc_link_format_error_fragments",
	 .metric_type = PROMETHEUS_COUNTER, .help = "Fragments without a valid header."},
	{LINK(sequence_errors), .key = "sequenceErrors",
	 .metric = "roc_link_sequence_error_fragments", .metric_type = PROMETHEUS_COUNTER,
	 .help = "Fragments with a wrong event id."},
	{LINK(holds), .key = "holds", .metric = "roc_link_holds", .metric_type = PROMETHEUS_COUNTER,
	 .help = "Times that the link was held because no page was free."},
	{LINK(waiting), .key = "waiting", .metric = "roc_link_waiting_fragments",
	 .help = "Fragments waiting in the card."},
	{LINK(pages), .key = "pages"},
	{LINK(pages_host), .key = "pagesHost", .metric = "roc_link_pages_host",
	 .help = "Pages of the card that the host holds."},
};

static const struct values fragments_values = VALUES(fragments), link_values = VALUES(link_value);

static void fragments_text(FILE *out, const void *report, bool verbose, bool colours)
{
	const struct status_fragments *r = report;
	const struct roc_robinnp_status *s = &r->status;

	text_firmware(out, s->firmware, s->hash, s->date, s->chip_id);
	fprintf(out, "Source 0x%04x, %u sub-units of %u links", s->source, s->subs, s->links);
	text_temperature(out, s->temperature);
	channel_list_text(out, &fragment_channels, r->sub, r->subs, verbose, colours);
}

static void fragments_json(FILE *out, const void *report)
{
	const struct status_fragments *r = report;
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	values_json(&j, &fragments_values, &r->status);
	channel_list_json(&j, &fragment_channels, r->sub, r->subs);
	json_object_end(&j);
}

/* Find link @i of the card, counted over all sub-units. Return false if there is none. */
static bool find_link(const struct status_fragments *r, unsigned int i, struct link_row *row)
{
	const struct fragment_unit *u;

	for (u = r->sub; u < r->sub + r->subs; u++) {
		if (i < u->counters.links) {
			*row = (struct link_row){u->counters.link[i], u->info.name};
			return true;
		}
		i -= u->counters.links;
	}
	return false;
}

static void fragments_influx(FILE *out, const void *report)
{
	const struct status_fragments *r = report;
	struct link_row row;
	struct influx l;
	unsigned int i;

	influx_card(out, &r->card, &fragments_values, &r->status, r->time);
	for (i = 0; find_link(r, i, &row); i++) {
		influx_start_card(&l, out, "link", &r->card, (int)row.link.number);
		values_influx(&l, &link_values, &row);
		influx_end(&l, r->time);
	}
}

static const void *link_row(const void *report, unsigned int i, struct prometheus_labels *labels)
{
	const struct status_fragments *r = report;
	static struct link_row row;
	char number[16];

	if (!find_link(r, i, &row))
		return NULL;
	snprintf(number, sizeof(number), "%u", row.link.number);
	prometheus_card(labels, &r->card, -1);
	prometheus_label(labels, "sub", row.sub);
	prometheus_label(labels, "link", number);
	return &row;
}

static void fragments_prometheus(FILE *out, const void *report)
{
	const struct status_fragments *r = report;
	struct prometheus m;

	prometheus_begin_card(&m, out, &r->card, NULL);
	values_prometheus(&m, &link_values, link_row, r, FRAGMENT_SUBS_MAX * FRAGMENT_LINKS_MAX);
}

const struct output_forms status_fragments_forms = {
	.text = fragments_text,
	.json = fragments_json,
	.influx = fragments_influx,
	.prometheus = fragments_prometheus,
};

int status_show_fragments(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
			  const struct card_request *q)
{
	struct status_fragments r = {.card = *card};

	if (card_type_find(card->type)->fragments->status_read(ep, &r.status))
		return tool_fail("%s", roc_error());
	if (channel_list_read(&fragment_channels, ep, card, CHANNEL_ALL, r.sub, &r.subs))
		return TOOL_FAILED;
	r.time = output_time();
	output_show(out, q->format, &status_fragments_forms, &r, q->verbose, q->colours);
	return TOOL_OK;
}
