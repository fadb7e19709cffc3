// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden test of the reports of a node of roc-evb: JSON line, metrics (which tests/vm/monitoring
 * passes to collectors, too), and final table.
 */
#include "unit.h"

#include <signal.h>
#include <sys/resource.h>

#include "tests/unit/utils/golden.h"

#include "utils/evb/node_report.h"

static struct evb_node_report r;

static void source_counters(void *self, struct evb_source_counters *b)
{
	*b = (struct evb_source_counters){
		.events = 1000, .bytes = 64000000, .returned = 990, .gaps = 3};
}

static void sink_counters(void *self, struct evb_sink_counters *b)
{
	*b = (struct evb_sink_counters){
		.blocks = 60, .events = 480, .fragments = 960, .bytes = 61440000};
}

static const struct roc_evb_source_ops source_ops = {.name = "source"};
static const struct roc_evb_sink_ops sink_ops = {.name = "sink"};
static const struct evb_source source = {.ops = &source_ops, .counters = source_counters};
static const struct evb_sink sink = {.ops = &sink_ops, .counters = sink_counters};

static void fill(void)
{
	struct roc_evb_counts *n = &r.now;

	memset(&r, 0, sizeof(r));
	r.system = "testbed";
	r.name = "node1";
	r.roles = ROC_EVB_READOUT | ROC_EVB_BUILDER;
	r.time = UINT64_C(1700000000123456789);
	r.seconds = 2;
	r.sink_lost = 5;
	n->in = (struct roc_evb_flow){1000, 64000000};
	n->sent = (struct roc_evb_flow){125, 64018000};
	n->received = (struct roc_evb_flow){120, 61457280};
	n->out = (struct roc_evb_flow){60, 61480000};
	r.before = *n;
	r.before.in = (struct roc_evb_flow){400, 25600000};
	r.before.latency[60] = 5;
	n->complete = 58;
	n->incomplete = 2;
	n->gone = 1;
	n->missing = 1;
	n->stale = 1;
	n->dropped = 4;
	n->dropped_events = 32;
	n->unsure = 3;
	n->unsure_events = 24;
	n->copied = 4096;
	n->calls = 777;
	n->epoch = 3;
	n->contact = true;
	n->assigned = true;
	n->open_blocks = 2;
	n->open_blocks_max = 9;
	n->mfps = 7;
	n->credits = 30;
	n->free_segments = 100;
	n->all_segments = 126;
	n->latency[60] = 45;
	n->latency[64] = 9;
	n->latency[80] = 1;
	n->refused_tables = 2;
	r.peers[0] = (struct roc_evb_peer){.name = "node1",
					   .builder = true,
					   .connected = true,
					   .skew_ns = -1500,
					   .skew_known = true,
					   .moved = {63, 32000000},
					   .queue = 1,
					   .queue_max = 2,
					   .in_flight = 3,
					   .in_flight_max = 8,
					   .credits = 15};
	r.peers[1] = (struct roc_evb_peer){.name = "node2",
					   .builder = true,
					   .dropped = 4,
					   .queue = 5,
					   .queue_max = 6,
					   .stale = 4};
	r.peers[2] = (struct roc_evb_peer){.name = "node2", .connected = true, .moved = {60, 1000}};
	r.peer_count = 3;
	r.units[0] = (struct roc_evb_unit){.name = "node1",
					   .assigned = true,
					   .position_known = true,
					   .blocks_ahead = -2,
					   .clock_known = true,
					   .clock_ahead_ns = -1500000};
	r.units[1] = (struct roc_evb_unit){.name = "node2",
					   .state = ROC_EVB_STATE_TIME,
					   .position_known = true,
					   .blocks_ahead = 360000,
					   .clock_known = true,
					   .clock_ahead_ns = INT64_C(3600000000000)};
	r.units[2] = (struct roc_evb_unit){.name = "node3"};
	r.unit_count = 3;
}

static void forms(void)
{
	struct prometheus p;
	FILE *out;
	size_t length;
	char *line;

	fill();
	out = golden_begin();
	evb_node_print(out, &r, &source, &sink);
	golden_end(out, "evb.json");
	out = golden_metrics(&p, "evb.prom");
	evb_node_prometheus(&p, &r);
	golden_end(out, "evb.prom");
	out = golden_begin();
	evb_node_text(out, &r);
	golden_end(out, "evb.txt");
	out = golden_begin();
	line = evb_node_line(&r, &length);
	UNIT_NEED(line && strlen(line) == length);
	fprintf(out, "%s\n", line);
	free(line);
	golden_end(out, "evb-line.json");
}

/* The losses that fail a node with --complete. */
static void losses(void)
{
	struct roc_evb_counts n = {
		.complete = 5, .damaged = 1, .gone = 3, .protocol_violations = 7};

	UNIT_EQ(evb_node_losses(&n), 0);
	n.late = 1;
	n.dropped = 2;
	n.unsaved = 4;
	n.unassigned = 8;
	UNIT_EQ(evb_node_losses(&n), 15);
}

/* A line that was written only in part does not damage the following lines. */
static void half_a_line(void)
{
	struct rlimit before, limit;
	char text[2][8192];
	FILE *out = tmpfile();
	int i;

	fill();
	UNIT_NEED(out && !getrlimit(RLIMIT_FSIZE, &before));
	signal(SIGXFSZ, SIG_IGN);
	limit = before;
	limit.rlim_cur = 100;
	UNIT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	CU_ASSERT_TRUE(evb_node_print(out, &r, &source, &sink));
	UNIT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
	for (i = 0; i < 2; i++)
		CU_ASSERT_TRUE(evb_node_print(out, &r, &source, &sink));
	rewind(out);
	UNIT_NEED(fgets(text[0], sizeof(text[0]), out));
	UNIT_EQ(strlen(text[0]), 101);
	for (i = 0; i < 2; i++)
		UNIT_NEED(fgets(text[i], sizeof(text[i]), out));
	UNIT_STR(text[1], text[0]);
	CU_ASSERT_TRUE(strlen(text[0]) > 101 && strstr(text[0], "}\n"));
	fclose(out);
}

UNIT_MAIN("reports of a node of roc-evb", {"formats", forms}, {"losses", losses},
	  {"incomplete line", half_a_line})
