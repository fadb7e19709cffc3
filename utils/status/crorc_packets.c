// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-pkt-monitor of a C-RORC, in every format.
 */
#include "status.h"

#include "utils/common/output.h"
#include "utils/common/prometheus.h"
#include "utils/common/tool.h"

static void packets_crorc_text(FILE *out, const void *report, bool verbose, bool colours)
{
	const struct packets_crorc *r = report;
	static const char *const heads[] = {">Link", ">Acquisition rate", ">Packets received",
					    NULL};
	char card[OUTPUT_CARD_MAX];
	struct table t;
	unsigned int i;

	fprintf(out, "CRORC %s  %s  #%d\n\n", output_card(&r->card, card), r->card.pci_address,
		r->card.sequence);
	table_start(&t, heads);
	for (i = 0; i < ROC_CRORC_LINKS; i++) {
		table_cell(&t, NULL, "%u", i);
		table_cell(&t, NULL, "%u", r->packets.rate[i]);
		table_cell(&t, NULL, "%u", r->packets.received[i]);
	}
	table_print(&t, out, colours);
}

static void packets_crorc_json(FILE *out, const void *report)
{
	const struct packets_crorc *r = report;
	unsigned int i;
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	json_array(&j, "links");
	for (i = 0; i < ROC_CRORC_LINKS; i++) {
		json_object(&j, NULL);
		json_unsigned(&j, "link", i);
		json_unsigned(&j, "acquisitionRate", r->packets.rate[i]);
		json_unsigned(&j, "packetsReceived", r->packets.received[i]);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
}

static void packets_crorc_influx(FILE *out, const void *report)
{
	const struct packets_crorc *r = report;
	struct influx l;
	int i;

	for (i = 0; i < ROC_CRORC_LINKS; i++) {
		influx_start_card(&l, out, "link", &r->card, i);
		influx_signed(&l, "acquisitionRate", r->packets.rate[i]);
		influx_signed(&l, "packetsReceived", r->packets.received[i]);
		influx_end(&l, r->time);
	}
}

static void family(struct prometheus *m, const struct packets_crorc *r, const char *name,
		   enum prometheus_type type, const char *help, const uint32_t *values)
{
	struct prometheus_labels labels;
	int i;

	prometheus_family(m, name, type, help);
	for (i = 0; i < ROC_CRORC_LINKS; i++) {
		prometheus_card(&labels, &r->card, i);
		prometheus_sample(m, &labels, values[i]);
	}
}

static void packets_crorc_prometheus(FILE *out, const void *report)
{
	const struct packets_crorc *r = report;
	struct prometheus m;

	prometheus_start(&m, out);
	family(&m, r, "roc_acquisition_rate", PROMETHEUS_GAUGE,
	       "Acquisition rate in the unit of the card.", r->packets.rate);
	family(&m, r, "roc_packets_received", PROMETHEUS_COUNTER, "Packets received.",
	       r->packets.received);
}

const struct output_forms packets_crorc_forms = {
	.text = packets_crorc_text,
	.json = packets_crorc_json,
	.influx = packets_crorc_influx,
	.prometheus = packets_crorc_prometheus,
};

int packets_show_crorc(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		       const struct card_request *q)
{
	struct packets_crorc r = {.card = *card};

	if (roc_crorc_packets_read(ep, &r.packets))
		return tool_fail("%s", roc_error());
	r.time = output_time();
	output_show(out, q->format, &packets_crorc_forms, &r, q->verbose, q->colours);
	return TOOL_OK;
}
