// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-metrics: metrics of all cards for monitoring agents that poll every few seconds. It reads
 * only sysfs and hwmon, so every user can run it.
 */
#include "node.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "utils/common/card.h"
#include "utils/common/output.h"
#include "utils/common/prometheus.h"
#include "utils/common/tool.h"

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
	 .help = "Select the card (default: all cards)"},
	FLAG_OPTION(struct values, "force-report", force,
		    "Report cards without a valid serial number as well"),
	OUTPUT_OPTIONS(struct values),
};

/* The driver's alarm levels of the same sensor. */
#define WARM 60.0
#define HOT 80.0

static double known(int64_t value)
{
	return value < 0 ? NAN : (double)value;
}

static double temperature(const struct roc_card_telemetry *t)
{
	return t->temperature;
}

static double dropped(const struct roc_card_telemetry *t)
{
	return known(t->dropped_packets);
}

static double ctp(const struct roc_card_telemetry *t)
{
	return known(t->ctp_hz);
}

static double local(const struct roc_card_telemetry *t)
{
	return known(t->local_hz);
}

static double rate(const struct roc_card_telemetry *t)
{
	return known(t->packets_per_second);
}

static void cell(struct table *table, const char *colour, int digits, double value)
{
	if (isnan(value))
		table_cell(table, NULL, "-");
	else
		table_cell(table, colour, "%.*f", digits, value);
}

static void metrics_text(FILE *out, const void *report, bool verbose, bool colours)
{
	const struct metrics *m = report;
	static const char *const heads[] = {
		">#",	    "Card",	"PCI Addr",   "Type",	    ">Temp C",
		">Dropped", ">CTP MHz", ">Local MHz", ">Packets/s", NULL,
	};
	char card[OUTPUT_CARD_MAX];
	const char *colour;
	struct table table;
	size_t i;

	table_start(&table, heads);
	for (i = 0; i < m->count; i++) {
		const struct roc_card_telemetry *t = &m->cards[i];
		const struct roc_card *c = &m->channels[i].card;

		table_cell(&table, NULL, "%d", c->sequence);
		table_cell(&table, NULL, "%s", output_card(c, card));
		table_cell(&table, NULL, "%s", c->pci_address);
		table_cell(&table, NULL, "%s", roc_card_type_name(c->type));
		colour = t->temperature >= HOT	  ? COLOUR_BAD
			 : t->temperature >= WARM ? COLOUR_WARN
						  : NULL;
		cell(&table, colour, 1, temperature(t));
		cell(&table, t->dropped_packets > 0 ? COLOUR_BAD : NULL, 0, dropped(t));
		cell(&table, NULL, 2, ctp(t) / 1e6);
		cell(&table, NULL, 2, local(t) / 1e6);
		cell(&table, NULL, 0, rate(t));
	}
	table_print(&table, out, colours);
	fputc('\n', out);
	channels_text(out, m->channels, m->count, verbose, colours);
}

static void metrics_json(FILE *out, const void *report)
{
	const struct metrics *m = report;
	struct json j;
	size_t i;

	json_start(&j, out);
	json_array(&j, NULL);
	for (i = 0; i < m->count; i++) {
		const struct roc_card_telemetry *t = &m->cards[i];

		json_object(&j, NULL);
		output_card_json(&j, &m->channels[i].card);
		json_real(&j, "temperature", temperature(t));
		output_number_json(&j, "droppedPackets", t->dropped_packets);
		json_real(&j, "ctpClock", ctp(t) / 1e6);
		json_real(&j, "localClock", local(t) / 1e6);
		output_number_json(&j, "totalPacketsPerSecond", t->packets_per_second);
		channels_json(&j, &m->channels[i]);
		json_object_end(&j);
	}
	json_array_end(&j);
}

static void influx_known(struct influx *l, const char *key, int64_t value)
{
	if (value >= 0)
		influx_signed(l, key, value);
}

static void metrics_influx(FILE *out, const void *report)
{
	const struct metrics *m = report;
	struct influx l;
	size_t i;

	for (i = 0; i < m->count; i++) {
		const struct roc_card_telemetry *t = &m->cards[i];

		/* A C-RORC has none of these values. */
		if (!isnan(temperature(t)) || t->dropped_packets >= 0) {
			influx_start_card(&l, out, "card", &m->channels[i].card, -1);
			influx_real(&l, "temperature", temperature(t));
			influx_known(&l, "droppedPackets", t->dropped_packets);
			influx_real(&l, "ctpClock", ctp(t) / 1e6);
			influx_real(&l, "localClock", local(t) / 1e6);
			influx_known(&l, "totalPacketsPerSecond", t->packets_per_second);
			influx_end(&l, m->channels[i].time);
		}
		channels_influx(out, &m->channels[i]);
	}
}

static void metrics_prometheus(FILE *out, const void *report)
{
	const struct metrics *m = report;
	static const struct {
		const char *name;
		enum prometheus_type type;
		const char *help;
		double (*value)(const struct roc_card_telemetry *t);
	} families[] = {
		{"roc_temperature_celsius", PROMETHEUS_GAUGE, "Temperature of the FPGA.",
		 temperature},
		{"roc_dropped_packets", PROMETHEUS_COUNTER,
		 "Packets dropped by the datapath wrapper.", dropped},
		{"roc_ctp_clock_hertz", PROMETHEUS_GAUGE,
		 "Frequency of the clock of the experiment (TTC).", ctp},
		{"roc_local_clock_hertz", PROMETHEUS_GAUGE, "Frequency of the local clock.", local},
		{"roc_packets_per_second", PROMETHEUS_GAUGE, "Packets per second of all links.",
		 rate},
	};
	struct prometheus_labels labels;
	struct prometheus p;
	size_t i, f;

	prometheus_start(&p, out);
	for (f = 0; f < sizeof(families) / sizeof(families[0]); f++) {
		bool first = true;

		for (i = 0; i < m->count; i++) {
			double value = families[f].value(&m->cards[i]);

			if (isnan(value))
				continue;
			if (first)
				prometheus_family(&p, families[f].name, families[f].type,
						  families[f].help);
			first = false;
			prometheus_card(&labels, &m->channels[i].card, -1);
			prometheus_sample(&p, &labels, value);
		}
	}
	channels_prometheus(&p, m->channels, m->count);
}

/* Read a card: exit code. If a part could be read, the card is added to @m. */
static int read_card(const struct roc_card *card, const struct values *v, struct metrics *m)
{
	int code, err;

	code = card_serial_check(card, v->id, v->force);
	if (code)
		return code;
	err = roc_card_telemetry_read(card, &m->cards[m->count]);
	if (err)
		code = tool_fail("%s", roc_error());
	/* The card does not respond, but the counters of the driver can still be read. */
	if (err && err != -EIO)
		return code;
	if (channels_read(card, &m->channels[m->count]))
		return TOOL_FAILED;
	m->count++;
	return code;
}

/* Find all cards, or the card @id; the caller frees *cards. */
static int find_cards(const char *id, struct roc_card **cards, size_t *count)
{
	int err;

	if (!id)
		return cards_list(cards, count);
	*count = 1;
	*cards = calloc(1, sizeof(**cards));
	if (!*cards)
		return tool_fail("Cannot allocate the list of cards.");
	err = roc_find(id, *cards);
	return err ? tool_fail_card(err) : TOOL_OK;
}

const struct output_forms metrics_forms = {
	.text = metrics_text,
	.json = metrics_json,
	.influx = metrics_influx,
	.prometheus = metrics_prometheus,
};

static int run(const void *p)
{
	struct metrics m = {.cards = NULL};
	const struct values *v = p;
	struct roc_card *cards = NULL;
	struct output output;
	size_t count = 0, i;
	int code;

	code = output_begin(&v->output, &output);
	if (code)
		return code;
	code = find_cards(v->id, &cards, &count);
	if (code)
		goto out;
	m.cards = calloc(count, sizeof(*m.cards));
	m.channels = calloc(count, sizeof(*m.channels));
	if (!m.cards || !m.channels) {
		code = tool_fail("Cannot allocate the metrics of %zu cards.", count);
		goto out;
	}
	/* Show the other cards if one fails. */
	for (i = 0; i < count; i++) {
		if (read_card(&cards[i], v, &m))
			code = TOOL_FAILED;
	}
	if (m.count || output.format != OUTPUT_TEXT)
		output_show(output.out, output.format, &metrics_forms, &m, v->common.verbose,
			    output_colours(output.out));
out:
	free(m.cards);
	free(m.channels);
	free(cards);
	return output_end(&output, code);
}

const struct tool tool_metrics = {
	.name = "metrics",
	.summary = "Show temperature, clocks, packets and channel counters of all cards",
	.example = "--prometheus --output=/var/lib/prometheus/node-exporter/roc.prom",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
