// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every form of roc-metrics, roc-pkt-monitor and roc-trig-monitor, byte for byte.
 */
#include "unit.h"

#include "golden.h"

#include "../../utils/metrics.h"
#include "../../utils/pkt_monitor.h"
#include "../../utils/trig_monitor.h"

static struct metrics_report metrics[GOLDEN_CARDS];

static void make_metrics(void)
{
	unsigned int i;

	for (i = 0; i < GOLDEN_CARDS; i++) {
		metrics[i].card = golden_cards[i];
		metrics[i].time = GOLDEN_TIME + i;
		metrics[i].metrics = (struct roc_cru_metrics){
			.has_temperature = i < 2,
			.temperature = 45.25 + 20 * i,
			.dropped_packets = i * 4000000000u,
			.ctp_hz = i * 240474000,
			.local_hz = 240000000,
			.packets_per_second = 123456,
		};
	}
}

static void metrics_forms(void)
{
	FILE *out;

	make_metrics();
	out = golden_begin();
	metrics_text(out, metrics, GOLDEN_CARDS, false);
	golden_end(out, "metrics.txt");
	out = golden_begin();
	metrics_text(out, metrics, GOLDEN_CARDS, true);
	golden_end(out, "metrics-colours.txt");
	out = golden_begin();
	metrics_json(out, metrics, GOLDEN_CARDS);
	golden_end(out, "metrics.json");
	out = golden_begin();
	metrics_influx(out, metrics, GOLDEN_CARDS);
	golden_end(out, "metrics.influx");
	out = golden_begin();
	metrics_prometheus(out, metrics, GOLDEN_CARDS);
	golden_end(out, "metrics.prom");
}

static void packets_forms(void)
{
	struct packets_report r = {.card = golden_cards[1], .time = GOLDEN_TIME};
	unsigned int i;
	FILE *out;

	r.packets.slots = 0xc003;
	for (i = 0; i < ROC_CRU_SLOTS; i++) {
		r.packets.accepted[i] = 1000000000 + i;
		r.packets.rejected[i] = i;
		r.packets.forced[i] = 2 * i;
	}
	r.packets.dropped = 12;
	r.packets.packets_per_second = 345678;
	out = golden_begin();
	packets_text(out, &r, false);
	golden_end(out, "pkt-monitor.txt");
	out = golden_begin();
	packets_json(out, &r);
	golden_end(out, "pkt-monitor.json");
	out = golden_begin();
	packets_influx(out, &r);
	golden_end(out, "pkt-monitor.influx");
	out = golden_begin();
	packets_prometheus(out, &r);
	golden_end(out, "pkt-monitor.prom");
}

static void triggers_forms(void)
{
	struct triggers_report r = {
		.card = golden_cards[0],
		.counts = {.hb = 4294967295u,
			   .phy = 1234567,
			   .cal = 65535,
			   .tof = 12,
			   .sox = 15,
			   .eox = 3},
		.rates = {.hb = 11.245, .phy = 5000.5, .cal = 0, .tof = 0.001},
		.time = GOLDEN_TIME,
	};
	struct json j;
	FILE *out;

	out = golden_begin();
	triggers_head(out, &r);
	triggers_text(out, &r);
	golden_end(out, "trig-monitor.txt");
	out = golden_begin();
	json_start(&j, out);
	triggers_json(&j, &r);
	golden_end(out, "trig-monitor.json");
	out = golden_begin();
	triggers_influx(out, &r);
	golden_end(out, "trig-monitor.influx");
	out = golden_begin();
	triggers_prometheus(out, &r);
	golden_end(out, "trig-monitor.prom");
}

UNIT_MAIN("monitors, byte for byte", {"roc-metrics", metrics_forms},
	  {"roc-pkt-monitor", packets_forms}, {"roc-trig-monitor", triggers_forms})
