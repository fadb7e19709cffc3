// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-pkt-monitor: packet counters of a card's links and of a CRU's datapath wrapper.
 */
#include "status.h"

#include "utils/common/card.h"
#include "utils/common/output.h"
#include "utils/common/prometheus.h"
#include "utils/common/tool.h"

struct packets_options {
	struct common_options common;
	const char *id;
	struct output_options output;
	bool force;
};

static const struct option_spec options[] = {
	ID_OPTION(struct packets_options),
	FLAG_OPTION(struct packets_options, "force-report", force,
		    "Report the card even without a valid serial number"),
	OUTPUT_OPTIONS(struct packets_options),
};

static const char *slot_name(unsigned int slot)
{
	switch (slot) {
	case ROC_CRU_UL_SLOT:
		return "user logic";
	case 13:
	case 14:
		return "run statistics";
	default:
		return "link";
	}
}

/* An endpoint has one wrapper with the number of the endpoint. */
static int wrapper(const struct packets_report *r)
{
	return r->card.endpoint;
}

static void packets_text(FILE *out, const void *report, bool verbose, bool colours)
{
	const struct packets_report *r = report;
	static const char *const heads[] = {">Link",	 "What",    ">Accepted",
					    ">Rejected", ">Forced", NULL};
	static const char *const wrapper_heads[] = {">Wrapper", ">Dropped", ">Packets/s", NULL};
	const struct roc_cru_packets *k = &r->packets;
	char card[OUTPUT_CARD_MAX];
	struct table t;
	unsigned int i;

	fprintf(out, "CRU %s  %s  #%d\n\n", output_card(&r->card, card), r->card.pci_address,
		r->card.sequence);
	table_start(&t, heads);
	for (i = 0; i < ROC_CRU_SLOTS; i++) {
		if (!(k->slots >> i & 1))
			continue;
		table_cell(&t, NULL, "%u", i);
		table_cell(&t, NULL, "%s", slot_name(i));
		table_cell(&t, NULL, "%u", k->accepted[i]);
		table_cell(&t, k->rejected[i] ? COLOUR_WARN : NULL, "%u", k->rejected[i]);
		table_cell(&t, k->forced[i] ? COLOUR_WARN : NULL, "%u", k->forced[i]);
	}
	table_print(&t, out, colours);
	fputc('\n', out);
	table_start(&t, wrapper_heads);
	table_cell(&t, NULL, "%d", wrapper(r));
	table_cell(&t, k->dropped ? COLOUR_BAD : NULL, "%u", k->dropped);
	table_cell(&t, NULL, "%u", k->packets_per_second);
	table_print(&t, out, colours);
}

static void packets_json(FILE *out, const void *report)
{
	const struct packets_report *r = report;
	const struct roc_cru_packets *k = &r->packets;
	struct json j;
	unsigned int i;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	json_array(&j, "links");
	for (i = 0; i < ROC_CRU_SLOTS; i++) {
		if (!(k->slots >> i & 1))
			continue;
		json_object(&j, NULL);
		json_unsigned(&j, "link", i);
		json_text(&j, "what", slot_name(i));
		json_unsigned(&j, "accepted", k->accepted[i]);
		json_unsigned(&j, "rejected", k->rejected[i]);
		json_unsigned(&j, "forced", k->forced[i]);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_array(&j, "wrappers");
	json_object(&j, NULL);
	json_signed(&j, "wrapper", wrapper(r));
	json_unsigned(&j, "dropped", k->dropped);
	json_unsigned(&j, "totalPacketsPerSec", k->packets_per_second);
	json_object_end(&j);
	json_array_end(&j);
	json_object_end(&j);
}

static void packets_influx(FILE *out, const void *report)
{
	const struct packets_report *r = report;
	const struct roc_cru_packets *k = &r->packets;
	struct influx l;
	int i;

	for (i = 0; i < ROC_CRU_SLOTS; i++) {
		if (!(k->slots >> i & 1))
			continue;
		influx_start_card(&l, out, "link", &r->card, i);
		influx_signed(&l, "accepted", k->accepted[i]);
		influx_signed(&l, "rejected", k->rejected[i]);
		influx_signed(&l, "forced", k->forced[i]);
		influx_end(&l, r->time);
	}
	influx_start_card(&l, out, "wrapper", &r->card, wrapper(r));
	influx_signed(&l, "dropped", k->dropped);
	influx_signed(&l, "totalPacketsPerSec", k->packets_per_second);
	influx_end(&l, r->time);
}

static void slot_family(struct prometheus *m, const struct packets_report *r, const char *name,
			const char *help, const uint32_t *counts)
{
	struct prometheus_labels labels;
	int i;

	if (!r->packets.slots)
		return;
	prometheus_family(m, name, PROMETHEUS_COUNTER, help);
	for (i = 0; i < ROC_CRU_SLOTS; i++) {
		if (!(r->packets.slots >> i & 1))
			continue;
		prometheus_card(&labels, &r->card, i);
		prometheus_sample(m, &labels, counts[i]);
	}
}

static void packets_prometheus(FILE *out, const void *report)
{
	const struct packets_report *r = report;
	const struct roc_cru_packets *k = &r->packets;
	struct prometheus_labels labels;
	struct prometheus m;

	prometheus_start(&m, out);
	slot_family(&m, r, "roc_packets_accepted", "Packets accepted.", k->accepted);
	slot_family(&m, r, "roc_packets_rejected", "Packets rejected.", k->rejected);
	slot_family(&m, r, "roc_packets_forced", "Packets that were closed without their end.",
		    k->forced);
	prometheus_card(&labels, &r->card, -1);
	prometheus_family(&m, "roc_wrapper_dropped_packets", PROMETHEUS_COUNTER,
			  "Packets dropped by the datapath wrapper.");
	prometheus_sample(&m, &labels, k->dropped);
	prometheus_family(&m, "roc_wrapper_packets_per_second", PROMETHEUS_GAUGE,
			  "Packets per second of all links.");
	prometheus_sample(&m, &labels, k->packets_per_second);
}

const struct output_forms packets_forms = {
	.text = packets_text,
	.json = packets_json,
	.influx = packets_influx,
	.prometheus = packets_prometheus,
};

int packets_show_cru(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		     const struct card_request *q)
{
	struct packets_report r = {.card = *card};

	if (roc_cru_packets_read(ep, &r.packets))
		return tool_fail("%s", roc_error());
	r.time = output_time();
	output_show(out, q->format, &packets_forms, &r, q->verbose, q->colours);
	return TOOL_OK;
}

static int run(const void *p)
{
	struct card_request request = {.verbose = false};
	const struct packets_options *v = p;
	const struct card_type *type;
	struct roc_endpoint *ep;
	struct output output;
	struct roc_card card;
	int code;

	code = output_begin(&v->output, &output);
	if (code)
		return code;
	request.format = output.format;
	request.colours = output_colours(output.out);
	code = card_open(v->id, &card, &ep, &type);
	if (code)
		goto out;
	code = card_serial_check(&card, v->id, v->force);
	if (!code && !type->packets)
		code = tool_fail("%s is %s, which has no packet counters of links: use %s stats.",
				 card_called(&card, v->id), card_name(card.type), type->tool);
	else if (!code)
		code = type->packets(output.out, ep, &card, &request);
	roc_close(ep);
out:
	return output_end(&output, code);
}

const struct tool tool_pkt_monitor = {
	.name = "pkt-monitor",
	.summary = "Show the packet counters of a card",
	.example = "--id=3b:00.0",
	TOOL_OPTIONS(options, struct packets_options),
	.run = run,
};
