// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare the output of roc-metrics, roc-pkt-monitor and roc-trig-monitor in every format, byte for
 * byte.
 */
#include "unit.h"

#include <math.h>

#include "tests/unit/utils/golden.h"

#include "utils/node/node.h"
#include "utils/status/status.h"

/* Two endpoints of a card with all values, one with few values, and a C-RORC. */
static void metrics_output(void)
{
	struct roc_card_telemetry cards[GOLDEN_CARDS + 1];
	struct channels channels[GOLDEN_CARDS + 1];
	struct metrics m = {.cards = cards, .channels = channels, .count = GOLDEN_CARDS + 1};
	struct roc_card crorc = golden_cards[0];
	unsigned int i;
	FILE *out;

	for (i = 0; i < GOLDEN_CARDS; i++) {
		channels[i] = golden_channels(&golden_cards[i], 1);
		channels[i].time = GOLDEN_TIME + i;
		cards[i] = (struct roc_card_telemetry){
			.temperature = i < 2 ? 45.25 + 20 * i : NAN,
			.dropped_packets = i * INT64_C(2000000000),
			.ctp_hz = i < 2 ? i * INT64_C(240474000) : -1,
			.local_hz = 240000000,
			.packets_per_second = 123456,
		};
	}
	crorc.type = ROC_CARD_CRORC;
	crorc.serial = 1001;
	crorc.sequence = 3;
	strcpy(crorc.pci_address, "0000:d8:00.0");
	channels[i] = golden_channels(&crorc, 3);
	cards[i] = (struct roc_card_telemetry){.temperature = NAN,
					       .dropped_packets = -1,
					       .ctp_hz = -1,
					       .local_hz = -1,
					       .packets_per_second = -1};
	out = golden_begin();
	metrics_forms.text(out, &m, false, false);
	golden_end(out, "metrics.txt");
	out = golden_begin();
	metrics_forms.text(out, &m, true, true);
	golden_end(out, "metrics-colours.txt");
	out = golden_begin();
	metrics_forms.json(out, &m);
	golden_end(out, "metrics.json");
	out = golden_begin();
	metrics_forms.influx(out, &m);
	golden_end(out, "metrics.influx");
	out = golden_begin();
	metrics_forms.prometheus(out, &m);
	golden_end(out, "metrics.prom");
}

static void packets_output(void)
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
	packets_forms.text(out, &r, false, false);
	golden_end(out, "pkt-monitor.txt");
	out = golden_begin();
	packets_forms.json(out, &r);
	golden_end(out, "pkt-monitor.json");
	out = golden_begin();
	packets_forms.influx(out, &r);
	golden_end(out, "pkt-monitor.influx");
	out = golden_begin();
	packets_forms.prometheus(out, &r);
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

UNIT_MAIN("monitors, byte for byte", {"roc-metrics", metrics_output},
	  {"roc-pkt-monitor", packets_output}, {"roc-trig-monitor", triggers_forms})
