// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden files of the tools that move units: report of a run as text, JSON and Prometheus metrics.
 */
#include "unit.h"

#include "tests/unit/utils/golden.h"
#include "utils/units/units_options.h"

static struct source_ops from = {.name = "card"};
static struct sink_ops to;

static struct source source = {
	.ops = &from,
	.format = {.content = UNIT_DDG, .from = "0000:3b:00.0 channel 0"},
	.calls = 12,
};

static struct sink sink = {.ops = &to};

/* Two links; the last 3 of 100 units were lost, 5 more were left. */
static void fill(struct pump *p)
{
	sink.n = (struct sink_counts){
		.units = 97,
		.bytes = 97 << 20,
		.lost = 3,
		.lost_bytes = 3 << 20,
		.calls = 40,
		.batches = 41,
		.again = 2,
		.errors = 1,
	};
	*p = (struct pump){
		.source = &source,
		.sink = &sink,
		.n = {.start = 1000000000,
		      .finish = 1500000000,
		      .units = 100,
		      .bytes = 100 << 20,
		      .damaged = 4,
		      .returned = 100,
		      .left = 5,
		      .left_bytes = 5 << 20,
		      .out_most = 32,
		      .sleeps = 50,
		      .links = {[0] = {60, 60 << 20}, [11] = {40, 40 << 20}}},
		.counters = {.known = true,
			     .units = 105,
			     .bytes = 105 << 20,
			     .dropped = 7,
			     .dropped_what = "packets"},
		.end = PUMP_END_FULL,
	};
}

static void forms(const char *tool, const char *sink_name, const struct pump *p)
{
	struct prometheus m;
	char name[40];
	FILE *out;

	to.name = sink_name;
	snprintf(name, sizeof(name), "%s.txt", tool);
	out = golden_begin();
	units_report_text(out, p, false);
	golden_end(out, name);
	snprintf(name, sizeof(name), "%s.json", tool);
	out = golden_begin();
	units_report_json(out, p);
	golden_end(out, name);
	snprintf(name, sizeof(name), "%s.prom", tool);
	out = golden_metrics(&m, name);
	units_report_prometheus(&m, p, tool);
	golden_end(out, name);
}

static void recorded(void)
{
	struct pump p;
	FILE *out;

	fill(&p);
	sink.n.files = 3;
	sink.n.again = 0;
	strcpy(p.reason, "/data is full: the recording has ended.");
	forms("record", "record", &p);
	out = golden_begin();
	units_report_text(out, &p, true);
	golden_end(out, "record-verbose.txt");
}

static void sent(void)
{
	struct pump p;

	fill(&p);
	p.end = PUMP_END_SIGNAL;
	forms("send", "send", &p);
}

/* No data arrived, and the source has no counters. */
static void received(void)
{
	struct pump p = {.source = &source, .sink = &sink, .end = PUMP_END_STALL};

	sink.n = (struct sink_counts){0};
	from.name = "recv";
	source.listen = "10.1.2.3:4817";
	source.format.content = UNIT_BYTES;
	forms("recv", "count", &p);
}

static void replayed(void)
{
	struct pump p;

	fill(&p);
	from.name = "replay";
	source.listen = NULL;
	source.format.content = UNIT_FRAGMENTS;
	p.end = PUMP_END_SOURCE;
	forms("replay", "check", &p);
}

UNIT_MAIN("golden files of the unit tools", {"roc-record", recorded}, {"roc-send", sent},
	  {"roc-recv", received}, {"roc-replay", replayed})
