// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-status of a RobinNP: the card, how its sub-units are, and its links.
 */
#include "robinnp_status.h"

#include <inttypes.h>
#include <math.h>

#include "utils/common/influx.h"
#include "utils/common/output.h"
#include "utils/common/prometheus.h"
#include "utils/common/tool.h"
#include "utils/status/status.h"

void status_robinnp_text(FILE *out, const struct status_robinnp *r, bool verbose, bool colours)
{
	const struct roc_robinnp_status *s = &r->status;

	fprintf(out, "Firmware %s (%s), %s, chip %016" PRIx64 "\n", s->firmware, s->hash, s->date,
		s->chip_id);
	fprintf(out, "Source 0x%04x, %u sub-units of %u links", s->source, s->subs, s->links);
	if (!isnan(s->temperature))
		fprintf(out, ", %.1f C", s->temperature);
	fprintf(out, "\n\n");
	fragment_list_text(out, &r->subs, verbose, colours);
}

void status_robinnp_json(FILE *out, const struct status_robinnp *r)
{
	const struct roc_robinnp_status *s = &r->status;
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	json_text(&j, "firmware", s->firmware);
	json_text(&j, "firmwareHash", s->hash);
	json_text(&j, "firmwareDate", s->date);
	json_unsigned(&j, "source", s->source);
	json_real(&j, "temperature", s->temperature);
	json_unsigned(&j, "clock", s->clock);
	json_unsigned(&j, "cycles", s->cycles);
	fragment_list_json(&j, &r->subs);
	json_object_end(&j);
}

/* What is measured of a link, in every form. */
static const struct {
	const char *key, *name, *help;
	size_t member;
	enum prometheus_type type;
} link_families[] = {
	{"fragments", "roc_link_fragments", "Fragments that the card told of.",
	 offsetof(struct roc_robinnp_link, fragments), PROMETHEUS_COUNTER},
	{"bytes", "roc_link_bytes", "Bytes in these.", offsetof(struct roc_robinnp_link, bytes),
	 PROMETHEUS_COUNTER},
	{"discarded", "roc_link_discarded_fragments", "Fragments thrown away by stops and resets.",
	 offsetof(struct roc_robinnp_link, discarded), PROMETHEUS_COUNTER},
	{"truncated", "roc_link_truncated_fragments", "Fragments longer than a page.",
	 offsetof(struct roc_robinnp_link, truncated), PROMETHEUS_COUNTER},
	{"linkErrors", "roc_link_link_error_fragments", "Fragments with transmission errors.",
	 offsetof(struct roc_robinnp_link, link_errors), PROMETHEUS_COUNTER},
	{"formatErrors", "roc_link_format_error_fragments", "Fragments without a header.",
	 offsetof(struct roc_robinnp_link, format_errors), PROMETHEUS_COUNTER},
	{"sequenceErrors", "roc_link_sequence_error_fragments", "Fragments with a wrong event id.",
	 offsetof(struct roc_robinnp_link, sequence_errors), PROMETHEUS_COUNTER},
	{"holds", "roc_link_holds", "Times that the link was held because no page was free.",
	 offsetof(struct roc_robinnp_link, holds), PROMETHEUS_COUNTER},
	{"waiting", "roc_link_waiting_fragments", "Fragments in the card.",
	 offsetof(struct roc_robinnp_link, waiting), PROMETHEUS_GAUGE},
};

#define LINK_FAMILIES (sizeof(link_families) / sizeof(link_families[0]))

static uint64_t link_value(const struct roc_robinnp_link *l, size_t family)
{
	return *(const uint64_t *)((const char *)l + link_families[family].member);
}

static void link_line(FILE *out, const struct status_robinnp *r, unsigned int sub, unsigned int k)
{
	const struct roc_robinnp_link *l = &r->subs.books[sub].link[k];
	unsigned int number = r->subs.info[sub].sub * ROC_ROBINNP_LINKS + k;
	struct influx i;
	size_t f;

	influx_start_card(&i, out, "link", &r->card, (int)number);
	influx_text(&i, "sub", r->subs.info[sub].name);
	for (f = 0; f < LINK_FAMILIES; f++)
		influx_signed(&i, link_families[f].key, (int64_t)link_value(l, f));
	influx_signed(&i, "pages", l->pages);
	influx_signed(&i, "pagesHost", l->pages_host);
	influx_end(&i, r->time);
}

void status_robinnp_influx(FILE *out, const struct status_robinnp *r)
{
	struct influx l;
	unsigned int i, k;

	influx_start_card(&l, out, "RobinNP", &r->card, -1);
	influx_signed(&l, "source", r->status.source);
	influx_real(&l, "temperature", r->status.temperature);
	influx_end(&l, r->time);
	for (i = 0; i < r->subs.count; i++)
		for (k = 0; k < ROC_ROBINNP_LINKS; k++)
			link_line(out, r, i, k);
}

static void link_sample(struct prometheus *m, const struct status_robinnp *r, unsigned int sub,
			unsigned int k, double value)
{
	struct prometheus_labels labels;
	char number[16];

	snprintf(number, sizeof(number), "%u", r->subs.info[sub].sub * ROC_ROBINNP_LINKS + k);
	prometheus_card(&labels, &r->card, -1);
	prometheus_label(&labels, "sub", r->subs.info[sub].name);
	prometheus_label(&labels, "link", number);
	prometheus_sample(m, &labels, value);
}

void status_robinnp_prometheus(FILE *out, const struct status_robinnp *r)
{
	struct prometheus_labels labels;
	struct prometheus m;
	unsigned int i, k;
	size_t f;

	prometheus_start(&m, out);
	prometheus_family(&m, "roc_card", PROMETHEUS_INFO, "Card endpoint.");
	prometheus_card(&labels, &r->card, -1);
	prometheus_label(&labels, "firmware", r->card.firmware);
	prometheus_sample(&m, &labels, 1);
	for (f = 0; f < LINK_FAMILIES && r->subs.count; f++) {
		prometheus_family(&m, link_families[f].name, link_families[f].type,
				  link_families[f].help);
		for (i = 0; i < r->subs.count; i++)
			for (k = 0; k < ROC_ROBINNP_LINKS; k++)
				link_sample(&m, r, i, k,
					    (double)link_value(&r->subs.books[i].link[k], f));
	}
	if (!r->subs.count)
		return;
	prometheus_family(&m, "roc_link_pages_host", PROMETHEUS_GAUGE,
			  "Pages of the card that the host has.");
	for (i = 0; i < r->subs.count; i++)
		for (k = 0; k < ROC_ROBINNP_LINKS; k++)
			link_sample(&m, r, i, k, r->subs.books[i].link[k].pages_host);
}

int status_show_robinnp(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
			const struct card_request *q)
{
	struct status_robinnp r = {.card = *card};

	if (roc_robinnp_status_read(ep, &r.status))
		return tool_fail("%s", roc_error());
	if (fragment_list_read(ep, card, &r.subs))
		return TOOL_FAILED;
	r.time = output_time();
	switch (q->format) {
	case OUTPUT_TEXT:
		status_robinnp_text(out, &r, q->verbose, q->colours);
		break;
	case OUTPUT_JSON:
		status_robinnp_json(out, &r);
		break;
	case OUTPUT_MONITORING:
		status_robinnp_influx(out, &r);
		break;
	case OUTPUT_PROMETHEUS:
		status_robinnp_prometheus(out, &r);
		break;
	}
	return TOOL_OK;
}
