// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare the output of roc-status for a PCIe40, byte for byte.
 */
#include "unit.h"

#include <math.h>

#include "tests/unit/utils/golden.h"
#include "utils/status/status.h"

static struct status_streams reading(void)
{
	struct status_streams r = {
		.card = {.sequence = 3,
			 .type = ROC_CARD_P40,
			 .serial = 401,
			 .channels = 2,
			 .pci_address = "0000:5e:00.0",
			 .firmware = "c0ffee",
			 .node = "/dev/roc3"},
		.status = {.chip_id = UINT64_C(0x123456789abcdef),
			   .cycles = 250000000,
			   .temperature = 41.5,
			   .clock = 250000000,
			   .features = 15,
			   .streams = 2,
			   .enabled = 3,
			   .source = 0x400,
			   .serial = 401,
			   .firmware = "1.2.3",
			   .hash = "c0ffee",
			   .date = "2026-01-02 03:04:05"},
		.streams = 2,
		.stream = {{.name = "main",
			    .state = ROC_CH_RUNNING,
			    .owner = 4711,
			    .segments = 1,
			    .ring = 1 << 20,
			    .written = 100,
			    .read = 36,
			    .level = 640,
			    .card = {.units = 10,
				     .events = 2560,
				     .bytes = 6400,
				     .waiting = 5,
				     .throttled = 1}},
			   {.name = "meta", .stream = 1}},
		.time = GOLDEN_TIME,
	};

	return r;
}

static void forms(void)
{
	struct status_streams r = reading();
	FILE *out;

	out = golden_begin();
	status_streams_forms.text(out, &r, false, false);
	r.status.temperature = NAN;
	status_streams_forms.text(out, &r, true, true);
	golden_end(out, "p40-status.txt");
	r = reading();
	out = golden_begin();
	status_streams_forms.json(out, &r);
	golden_end(out, "p40-status.json");
	out = golden_begin();
	status_streams_forms.influx(out, &r);
	golden_end(out, "p40-status.influx");
	out = golden_begin();
	status_streams_forms.prometheus(out, &r);
	golden_end(out, "p40-status.prom");
}

UNIT_MAIN("utils golden p40", {"roc-status of a PCIe40", forms})
