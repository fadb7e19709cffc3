// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-status of a C-RORC, in every format.
 */
#include "status.h"

#include "utils/common/output.h"
#include "utils/common/tool.h"
#include "utils/common/values.h"

#define CARD(member) VALUE(struct roc_crorc_status, member)
#define LINK(member) VALUE(struct link_row, s.member)
#define ENABLED .yes = "Enabled", .no = "Disabled"

static const struct value endpoint[] = {
	{CARD(crorc_id), .name = "C-RORC ID", .key = "crorcId", .hex = true},
	{CARD(laser), .name = "QSFP", .key = "qsfp", ENABLED, .metric = "roc_laser_on",
	 .help = "Whether the optical modules are on."},
	{CARD(dynamic_offset), .name = "Offset", .key = "dynamicOffset", .yes = "Dynamic",
	 .no = "Fixed"},
	{CARD(time_frame_length), .metric = "roc_time_frame_orbits",
	 .help = "Length of a time frame in orbits."},
	{CARD(time_frame_detection), .name = "Time frame detection", .key = "timeFrameDetection",
	 ENABLED, .metric = "roc_time_frame_detection",
	 .help = "Whether each time frame starts a superpage."},
	{CARD(time_frame_length), .name = "Time frame length", .key = "timeFrameLength",
	 .unit = " orbits"},
};

struct link_row {
	unsigned int number;
	struct roc_crorc_link_status s;
};

static const char *state(const void *o)
{
	return ((const struct link_row *)o)->s.up ? "UP" : "DOWN";
}

static const char *state_colour(const void *o)
{
	return ((const struct link_row *)o)->s.up ? COLOUR_GOOD : COLOUR_BAD;
}

static uint64_t up(const void *o)
{
	return ((const struct link_row *)o)->s.up;
}

static const struct value links[] = {
	{VALUE(struct link_row, number), .name = ">Link", .key = "link", .no_influx = true},
	{.count = up, .key = "status", .metric = "roc_link_up", .help = "Whether the link is up."},
	{.text = state,
	 .colour = state_colour,
	 .name = "Status",
	 .key = "statusText",
	 .no_influx = true},
	{LINK(optical_power), .name = ">Optical uW", .key = "opticalPower", .scale = 1e6,
	 .metric = "roc_link_optical_power_watts", .help = "Received optical power of the link."},
	{LINK(receiving), .name = "Data", .key = "receiving", .no_influx = true, .verbose = true,
	 ENABLED, .metric = "roc_link_receiving",
	 .help = "Whether the channel may write to memory."},
	{LINK(loopback), .name = "Loopback", .key = "loopback", .no_influx = true, .verbose = true,
	 .yes = "Internal", .no = "None"},
	{LINK(orbit_sor), .name = ">Start orbit", .key = "orbitSor", .verbose = true},
};

static const struct values card_values = VALUES(endpoint, .width = 24), link_values = VALUES(links);

/* Fill in the rows of the selected links. Return their number. */
static unsigned int rows(const struct roc_crorc_status *s, struct link_row row[ROC_CRORC_LINKS])
{
	unsigned int i, n = 0;

	for (i = 0; i < ROC_CRORC_LINKS; i++)
		if (s->link_mask >> i & 1)
			row[n++] = (struct link_row){i, s->links[i]};
	return n;
}

static void text(FILE *out, const void *report, bool verbose, bool colours)
{
	const struct status_crorc *r = report;
	struct link_row row[ROC_CRORC_LINKS];
	unsigned int n = rows(&r->status, row);
	char called[OUTPUT_CARD_MAX];

	fprintf(out, "CRORC %s  %s  #%d\n", output_card(&r->card, called), r->card.pci_address,
		r->card.sequence);
	values_rows(out, &card_values, &r->status, true, colours);
	if (n) {
		fputc('\n', out);
		values_list_text(out, &link_values, row, sizeof(row[0]), n, verbose, colours);
	}
	if (r->channels.count) {
		fputc('\n', out);
		channels_text(out, &r->channels, 1, verbose, colours);
	}
}

static void json(FILE *out, const void *report)
{
	const struct status_crorc *r = report;
	struct link_row row[ROC_CRORC_LINKS];
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	values_json(&j, &card_values, &r->status);
	values_list_json(&j, "links", &link_values, row, sizeof(row[0]), rows(&r->status, row));
	channels_json(&j, &r->channels);
	json_object_end(&j);
}

static void influx(FILE *out, const void *report)
{
	const struct status_crorc *r = report;
	struct link_row row[ROC_CRORC_LINKS];
	unsigned int i, n = rows(&r->status, row);
	struct influx l;

	influx_start_card(&l, out, "CRORC", &r->card, -1);
	values_influx(&l, &card_values, &r->status);
	influx_end(&l, r->time);
	for (i = 0; i < n; i++) {
		influx_start_card(&l, out, "link", &r->card, (int)row[i].number);
		values_influx(&l, &link_values, &row[i]);
		influx_end(&l, r->time);
	}
	channels_influx(out, &r->channels);
}

static const void *card_row(const void *report, unsigned int i, struct prometheus_labels *labels)
{
	const struct status_crorc *r = report;

	prometheus_card(labels, &r->card, -1);
	return &r->status;
}

static const void *link_row(const void *report, unsigned int i, struct prometheus_labels *labels)
{
	const struct status_crorc *r = report;
	static struct link_row row;

	if (!(r->status.link_mask >> i & 1))
		return NULL;
	row = (struct link_row){i, r->status.links[i]};
	prometheus_card(labels, &r->card, (int)i);
	return &row;
}

static void prometheus(FILE *out, const void *report)
{
	const struct status_crorc *r = report;
	struct prometheus m;

	prometheus_begin_card(&m, out, &r->card, NULL);
	values_prometheus(&m, &card_values, card_row, r, 1);
	values_prometheus(&m, &link_values, link_row, r, ROC_CRORC_LINKS);
}

const struct output_forms status_crorc_forms = {
	.text = text,
	.json = json,
	.influx = influx,
	.prometheus = prometheus,
};

int status_show_crorc(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		      const struct card_request *q)
{
	struct status_crorc r = {.card = *card};

	if (q->links & ~ROC_CRORC_ALL_LINKS)
		return tool_fail("--links: %s is a C-RORC, which has links 0 to 5.",
				 roc_endpoint_name(ep));
	if (roc_crorc_status_read(ep, q->links ? q->links : ROC_CRORC_ALL_LINKS, &r.status))
		return tool_fail("%s", roc_error());
	if (channels_read(card, &r.channels))
		return TOOL_FAILED;
	r.time = output_time();
	output_show(out, q->format, &status_crorc_forms, &r, q->verbose, q->colours);
	return TOOL_OK;
}
