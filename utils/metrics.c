// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-metrics: what a monitoring agent takes every few seconds, of all CRUs. No other card has
 * these figures.
 */
#include "metrics.h"

#include <math.h>
#include <stdlib.h>

#include "cards.h"
#include "cru_tool.h"
#include "influx.h"
#include "output.h"
#include "prometheus.h"
#include "table.h"
#include "tool.h"

struct values {
	struct common_options common;
	struct output_options output;
	const char *id;
	bool force;
};

static const struct option_spec options[] = {
	{.name = "id",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct values, id),
	 .arg = "ID",
	 .help = "Only this card (all CRUs)"},
	FLAG_OPTION(struct values, "force-report", force,
		    "Report cards without a valid serial number, too"),
	OUTPUT_OPTIONS(struct values),
};

/* The driver's alarm levels of the same sensor. */
#define WARM 60.0
#define HOT 80.0

static double temperature(const struct metrics_report *r)
{
	return r->metrics.has_temperature ? r->metrics.temperature : NAN;
}

static double dropped(const struct metrics_report *r)
{
	return r->metrics.dropped_packets;
}

static double ctp(const struct metrics_report *r)
{
	return r->metrics.ctp_hz;
}

static double local(const struct metrics_report *r)
{
	return r->metrics.local_hz;
}

static double rate(const struct metrics_report *r)
{
	return r->metrics.packets_per_second;
}

void metrics_text(FILE *out, const struct metrics_report *r, size_t count, bool colours)
{
	static const char *const heads[] = {
		">#",	    "Card",	  "PCI Addr",	">Temp C", ">Dropped",
		">CTP MHz", ">Local MHz", ">Packets/s", NULL,
	};
	char card[OUTPUT_CARD_MAX];
	const char *colour;
	struct table t;
	size_t i;

	table_start(&t, heads);
	for (i = 0; i < count; i++) {
		const struct roc_cru_metrics *m = &r[i].metrics;

		table_cell(&t, NULL, "%d", r[i].card.sequence);
		table_cell(&t, NULL, "%s", output_card(&r[i].card, card));
		table_cell(&t, NULL, "%s", r[i].card.pci_address);
		colour = m->temperature >= HOT	  ? COLOUR_BAD
			 : m->temperature >= WARM ? COLOUR_WARN
						  : NULL;
		if (m->has_temperature)
			table_cell(&t, colour, "%.1f", m->temperature);
		else
			table_cell(&t, NULL, "-");
		table_cell(&t, m->dropped_packets ? COLOUR_BAD : NULL, "%u", m->dropped_packets);
		table_cell(&t, NULL, "%.2f", m->ctp_hz / 1e6);
		table_cell(&t, NULL, "%.2f", m->local_hz / 1e6);
		table_cell(&t, NULL, "%u", m->packets_per_second);
	}
	table_print(&t, out, colours);
}

void metrics_json(FILE *out, const struct metrics_report *r, size_t count)
{
	struct json j;
	size_t i;

	json_start(&j, out);
	json_array(&j, NULL);
	for (i = 0; i < count; i++) {
		const struct roc_cru_metrics *m = &r[i].metrics;

		json_object(&j, NULL);
		output_card_json(&j, &r[i].card);
		json_real(&j, "temperature", temperature(&r[i]));
		json_unsigned(&j, "droppedPackets", m->dropped_packets);
		json_real(&j, "ctpClock", m->ctp_hz / 1e6);
		json_real(&j, "localClock", m->local_hz / 1e6);
		json_unsigned(&j, "totalPacketsPerSecond", m->packets_per_second);
		json_object_end(&j);
	}
	json_array_end(&j);
}

void metrics_influx(FILE *out, const struct metrics_report *r, size_t count)
{
	struct influx l;
	size_t i;

	for (i = 0; i < count; i++) {
		influx_start_card(&l, out, "card", &r[i].card, -1);
		influx_real(&l, "temperature", temperature(&r[i]));
		influx_signed(&l, "droppedPackets", r[i].metrics.dropped_packets);
		influx_real(&l, "ctpClock", r[i].metrics.ctp_hz / 1e6);
		influx_real(&l, "localClock", r[i].metrics.local_hz / 1e6);
		influx_signed(&l, "totalPacketsPerSecond", r[i].metrics.packets_per_second);
		influx_end(&l, r[i].time);
	}
}

void metrics_prometheus(FILE *out, const struct metrics_report *r, size_t count)
{
	static const struct {
		const char *name;
		enum prometheus_type type;
		const char *help;
		double (*value)(const struct metrics_report *r);
	} families[] = {
		{"roc_temperature_celsius", PROMETHEUS_GAUGE, "FPGA temperature.", temperature},
		{"roc_dropped_packets", PROMETHEUS_COUNTER, "Packets dropped.", dropped},
		{"roc_ctp_clock_hertz", PROMETHEUS_GAUGE, "Experiment's clock.", ctp},
		{"roc_local_clock_hertz", PROMETHEUS_GAUGE, "Local clock.", local},
		{"roc_packets_per_second", PROMETHEUS_GAUGE, "Packets of all links.", rate},
	};
	struct prometheus_labels labels;
	struct prometheus m;
	size_t i, f;

	prometheus_start(&m, out);
	for (f = 0; f < sizeof(families) / sizeof(families[0]) && count; f++) {
		prometheus_family(&m, families[f].name, families[f].type, families[f].help);
		for (i = 0; i < count; i++) {
			double value = families[f].value(&r[i]);

			if (isnan(value))
				continue;
			prometheus_card(&labels, &r[i].card, -1);
			prometheus_sample(&m, &labels, value);
		}
	}
}

static int read_card(const struct roc_card *card, const struct values *v, struct metrics_report *r)
{
	struct roc_endpoint *ep;
	int code, err;

	code = card_serial_check(card, v->id, v->force);
	if (code)
		return code;
	if (roc_open_card(card, v->id, &ep))
		return tool_fail("%s", roc_error());
	err = roc_cru_metrics_read(ep, &r->metrics);
	roc_close(ep);
	if (err)
		return tool_fail("%s", roc_error());
	r->card = *card;
	r->time = output_time();
	return TOOL_OK;
}

static bool has_metrics(const struct roc_card *card)
{
	const struct card_kind *kind = card_kind(card->type);

	return kind && kind->metrics;
}

/* All cards that have metrics, or the one that was asked for; the caller frees *cards. */
static int find_cards(const char *id, bool verbose, struct roc_card **cards, size_t *count)
{
	size_t i, kept = 0;
	int code, err;

	if (id) {
		*count = 1;
		*cards = calloc(1, sizeof(**cards));
		if (!*cards)
			return tool_fail("There is no memory left.");
		err = roc_find(id, *cards);
		if (err)
			return tool_fail_card(err);
		if (!has_metrics(*cards))
			return tool_fail("%s is %s, which has no temperature, clocks or rate to "
					 "show here; see roc-status and roc-pkt-monitor.",
					 card_called(*cards, id), card_name((*cards)->type));
		return TOOL_OK;
	}
	code = cards_list(cards, count);
	if (code)
		return code;
	for (i = 0; i < *count; i++) {
		if (has_metrics(&(*cards)[i]))
			(*cards)[kept++] = (*cards)[i];
		else if (verbose)
			tool_note("%s is %s, which has no such metrics.", (*cards)[i].pci_address,
				  card_name((*cards)[i].type));
	}
	*count = kept;
	return kept ? TOOL_OK : tool_fail("No card in this machine has such metrics.");
}

static int run(const void *p)
{
	struct metrics_report *reports = NULL;
	const struct values *v = p;
	struct roc_card *cards = NULL;
	size_t count = 0, done = 0, i;
	struct output output;
	int code;

	code = output_begin(&v->output, &output);
	if (code)
		return code;
	code = find_cards(v->id, v->common.verbose, &cards, &count);
	if (code)
		goto out;
	reports = calloc(count, sizeof(*reports));
	if (!reports) {
		code = tool_fail("There is no memory left.");
		goto out;
	}
	/* A card that fails does not hide the others. */
	for (i = 0; i < count; i++) {
		if (read_card(&cards[i], v, &reports[done]))
			code = TOOL_FAILED;
		else
			done++;
	}
	switch (output.format) {
	case OUTPUT_TEXT:
		if (done)
			metrics_text(output.out, reports, done, output_colours(output.out));
		break;
	case OUTPUT_JSON:
		metrics_json(output.out, reports, done);
		break;
	case OUTPUT_MONITORING:
		metrics_influx(output.out, reports, done);
		break;
	case OUTPUT_PROMETHEUS:
		metrics_prometheus(output.out, reports, done);
		break;
	}
out:
	free(reports);
	free(cards);
	return output_end(&output, code);
}

const struct tool tool_metrics = {
	.name = "metrics",
	.summary = "Show temperature, clocks and packet counts of all CRUs",
	.example = "--prometheus --output=/var/lib/prometheus/node-exporter/roc.prom",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
