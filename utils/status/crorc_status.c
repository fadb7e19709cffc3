// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-status of a C-RORC, in every form.
 */
#include "status.h"

#include "utils/common/output.h"
#include "utils/common/prometheus.h"
#include "utils/common/tool.h"

static void row(FILE *out, const char *name, const char *value)
{
	fprintf(out, "  %-24s %s\n", name, value);
}

static const char *enabled(bool on)
{
	return on ? "Enabled" : "Disabled";
}

static bool shown(const struct status_crorc *r, unsigned int link)
{
	return r->status.link_mask >> link & 1;
}

static void text_links(FILE *out, const struct status_crorc *r, bool verbose, bool colours)
{
	static const char *const heads[] = {">Link",	"Status",	">Optical uW", "Data",
					    "Loopback", ">Start orbit", NULL};
	static const char *const few[] = {">Link", "Status", ">Optical uW", NULL};
	struct table t;
	unsigned int i;

	table_start(&t, verbose ? heads : few);
	for (i = 0; i < ROC_CRORC_LINKS; i++) {
		const struct roc_crorc_link_status *l = &r->status.links[i];

		if (!shown(r, i))
			continue;
		table_cell(&t, NULL, "%u", i);
		table_cell(&t, l->up ? COLOUR_GOOD : COLOUR_BAD, "%s", l->up ? "UP" : "DOWN");
		table_cell(&t, NULL, "%.1f", l->optical_power);
		if (!verbose)
			continue;
		table_cell(&t, NULL, "%s", enabled(l->receiving));
		table_cell(&t, NULL, "%s", l->loopback ? "Internal" : "None");
		table_cell(&t, NULL, "%u", l->orbit_sor);
	}
	fputc('\n', out);
	table_print(&t, out, colours);
}

void status_crorc_text(FILE *out, const struct status_crorc *r, bool verbose, bool colours)
{
	const struct roc_crorc_status *s = &r->status;
	char card[OUTPUT_CARD_MAX];

	fprintf(out, "CRORC %s  %s  #%d\n", output_card(&r->card, card), r->card.pci_address,
		r->card.sequence);
	fprintf(out, "  %-24s 0x%x\n", "C-RORC ID", s->crorc_id);
	row(out, "QSFP", enabled(s->laser));
	row(out, "Offset", s->dynamic_offset ? "Dynamic" : "Fixed");
	row(out, "Time frame detection", enabled(s->time_frame_detection));
	fprintf(out, "  %-24s %u orbits\n", "Time frame length", s->time_frame_length);
	if (s->link_mask)
		text_links(out, r, verbose, colours);
	if (r->channels.count) {
		fputc('\n', out);
		channels_text(out, &r->channels, 1, verbose, colours);
	}
}

void status_crorc_json(FILE *out, const struct status_crorc *r)
{
	const struct roc_crorc_status *s = &r->status;
	unsigned int i;
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	json_unsigned(&j, "crorcId", s->crorc_id);
	json_bool(&j, "qsfp", s->laser);
	json_bool(&j, "dynamicOffset", s->dynamic_offset);
	json_bool(&j, "timeFrameDetection", s->time_frame_detection);
	json_unsigned(&j, "timeFrameLength", s->time_frame_length);
	json_array(&j, "links");
	for (i = 0; i < ROC_CRORC_LINKS; i++) {
		const struct roc_crorc_link_status *l = &s->links[i];

		if (!shown(r, i))
			continue;
		json_object(&j, NULL);
		json_unsigned(&j, "link", i);
		json_unsigned(&j, "status", l->up);
		json_text(&j, "statusText", l->up ? "UP" : "DOWN");
		json_real(&j, "opticalPower", l->optical_power);
		json_bool(&j, "receiving", l->receiving);
		json_bool(&j, "loopback", l->loopback);
		json_unsigned(&j, "orbitSor", l->orbit_sor);
		json_object_end(&j);
	}
	json_array_end(&j);
	channels_json(&j, &r->channels);
	json_object_end(&j);
}

void status_crorc_influx(FILE *out, const struct status_crorc *r)
{
	const struct roc_crorc_status *s = &r->status;
	struct influx l;
	int i;

	influx_start_card(&l, out, "CRORC", &r->card, -1);
	influx_signed(&l, "crorcId", s->crorc_id);
	influx_signed(&l, "qsfp", s->laser);
	influx_signed(&l, "dynamicOffset", s->dynamic_offset);
	influx_signed(&l, "timeFrameDetection", s->time_frame_detection);
	influx_signed(&l, "timeFrameLength", s->time_frame_length);
	influx_end(&l, r->time);
	for (i = 0; i < ROC_CRORC_LINKS; i++) {
		if (!shown(r, i))
			continue;
		influx_start_card(&l, out, "link", &r->card, i);
		influx_signed(&l, "status", s->links[i].up);
		influx_real(&l, "opticalPower", s->links[i].optical_power);
		influx_signed(&l, "orbitSor", s->links[i].orbit_sor);
		influx_end(&l, r->time);
	}
	channels_influx(out, &r->channels);
}

static double card_laser(const struct roc_crorc_status *s)
{
	return s->laser;
}

static double card_length(const struct roc_crorc_status *s)
{
	return s->time_frame_length;
}

static double card_detection(const struct roc_crorc_status *s)
{
	return s->time_frame_detection;
}

static double link_up(const struct roc_crorc_link_status *l)
{
	return l->up;
}

static double link_power(const struct roc_crorc_link_status *l)
{
	return l->optical_power / 1e6;
}

static double link_receiving(const struct roc_crorc_link_status *l)
{
	return l->receiving;
}

static const struct {
	const char *name, *help;
	double (*value)(const struct roc_crorc_status *s);
} card_families[] = {
	{"roc_laser_on", "Optical modules are on.", card_laser},
	{"roc_time_frame_orbits", "Length of a time frame.", card_length},
	{"roc_time_frame_detection", "A time frame begins a superpage.", card_detection},
};

static const struct {
	const char *name, *help;
	double (*value)(const struct roc_crorc_link_status *l);
} link_families[] = {
	{"roc_link_up", "Link is up now.", link_up},
	{"roc_link_optical_power_watts", "Optical power.", link_power},
	{"roc_link_receiving", "Channel may write into memory.", link_receiving},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void status_crorc_prometheus(FILE *out, const struct status_crorc *r)
{
	struct prometheus_labels labels;
	struct prometheus m;
	size_t i;
	int l;

	prometheus_start(&m, out);
	prometheus_family(&m, "roc_card", PROMETHEUS_INFO, "Card endpoint.");
	prometheus_card(&labels, &r->card, -1);
	prometheus_label(&labels, "firmware", r->card.firmware);
	prometheus_sample(&m, &labels, 1);
	prometheus_card(&labels, &r->card, -1);
	for (i = 0; i < COUNT(card_families); i++) {
		prometheus_family(&m, card_families[i].name, PROMETHEUS_GAUGE,
				  card_families[i].help);
		prometheus_sample(&m, &labels, card_families[i].value(&r->status));
	}
	for (i = 0; i < COUNT(link_families) && r->status.link_mask; i++) {
		prometheus_family(&m, link_families[i].name, PROMETHEUS_GAUGE,
				  link_families[i].help);
		for (l = 0; l < ROC_CRORC_LINKS; l++) {
			if (!shown(r, l))
				continue;
			prometheus_card(&labels, &r->card, l);
			prometheus_sample(&m, &labels, link_families[i].value(&r->status.links[l]));
		}
	}
}

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
	switch (q->format) {
	case OUTPUT_TEXT:
		status_crorc_text(out, &r, q->verbose, q->colours);
		break;
	case OUTPUT_JSON:
		status_crorc_json(out, &r);
		break;
	case OUTPUT_MONITORING:
		status_crorc_influx(out, &r);
		break;
	case OUTPUT_PROMETHEUS:
		status_crorc_prometheus(out, &r);
		break;
	}
	return TOOL_OK;
}
