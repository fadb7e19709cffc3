// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports of a node: a line of JSON, Prometheus text, and a table at the end. All are made from the
 * same tables of flows and figures.
 */
#include "node_report.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stddef.h>
#include <string.h>

#include "utils/common/histogram.h"
#include "utils/common/prometheus.h"

#define AT(member) offsetof(struct roc_evb_counts, member)
#define LATENCY_BINS (ROC_EVB_LATENCIES / 4) /* for Prometheus: a bin for each power of two */

struct flow {
	const char *key, *name, *metric, *help;
	size_t offset;
};

static const struct flow flows[] = {
	{"sourceIn", "Source in", "roc_evb_source_in", "from the source", AT(in)},
	{"sent", "Sent", "roc_evb_sent", "sent to builders", AT(sent)},
	{"received", "Received", "roc_evb_received", "received from readout units", AT(received)},
	{"sinkOut", "Sink out", "roc_evb_sink_out", "that the sink accepted", AT(out)},
};

struct figure {
	const char *key, *name, *metric, *help;
	size_t offset;
	bool wide;  /* 64 bits */
	bool gauge; /* goes up and down */
	bool loss;
};

#define COUNTER(member) AT(member), true, false, false
#define LOSS(member) AT(member), true, false, true
#define GAUGE(member) AT(member), false, true, false

static const struct figure figures[] = {
	{"complete", "Complete", "roc_evb_complete_blocks", "Blocks with data of all sources.",
	 COUNTER(complete)},
	{"incomplete", "Incomplete", "roc_evb_incomplete_blocks",
	 "Blocks without data of some source.", LOSS(incomplete)},
	{"stale", "Stale", "roc_evb_stale_blocks",
	 "Blocks delivered incomplete because of their age.", LOSS(stale)},
	{"damaged", "Damaged", "roc_evb_damaged_blocks", "Blocks that are marked as damaged.",
	 COUNTER(damaged)},
	{"unsaved", "Not saved", "roc_evb_unsaved_blocks",
	 "Blocks for which the sink had no space.", LOSS(unsaved)},
	{"late", "Late", "roc_evb_late_mfps", "MFPs of blocks that were already delivered.",
	 LOSS(late)},
	{"gone", "Gone", "roc_evb_gone_mfps", "MFPs that readout units reported as absent.",
	 COUNTER(gone)},
	{"missing", "Missing", "roc_evb_missing_mfps", "MFPs that did not arrive.", LOSS(missing)},
	{"dropped", "Dropped", "roc_evb_dropped_mfps", "MFPs that no builder accepted in time.",
	 LOSS(dropped)},
	{"droppedEvents", "Events in them", "roc_evb_dropped_events",
	 "Fragments in MFPs that no builder accepted in time.", LOSS(dropped_events)},
	{"unsure", "Maybe delivered", "roc_evb_unsure_mfps",
	 "MFPs that a builder had when its connection was lost; it may have delivered them.",
	 LOSS(unsure)},
	{"unsureEvents", "Events in them", "roc_evb_unsure_events",
	 "Fragments in MFPs that a builder had when its connection was lost.", LOSS(unsure_events)},
	{"unassigned", "Unassigned", "roc_evb_unassigned_fragments",
	 "Fragments of blocks that no table assigns to this node.", LOSS(unassigned)},
	{"disorder", "Out of order", "roc_evb_disordered_fragments",
	 "Fragments with an event id that had passed.", LOSS(disorder)},
	{"tooLarge", "Too large", "roc_evb_too_large_fragments",
	 "Fragments larger than the configured maximum.", LOSS(too_large)},
	{"copied", "Bytes copied", "roc_evb_copied_bytes", "Bytes that the processor copied.",
	 COUNTER(copied)},
	{"calls", "Calls", "roc_evb_fabric_calls", "Calls of libfabric that moved data.",
	 COUNTER(calls)},
	{"rejoined", "Joined again", "roc_evb_rejoins", "Times that the node joined again.",
	 COUNTER(rejoined)},
	{"refused", "Refused", "roc_evb_refused_connections", "Connections that the node refused.",
	 COUNTER(refused)},
	{"protocolViolations", "Protocol violations", "roc_evb_protocol_violations",
	 "Peers removed for a protocol violation.", COUNTER(protocol_violations)},
	{"liars", NULL, "roc_evb_liars", "Deprecated name of roc_evb_protocol_violations_total.",
	 COUNTER(protocol_violations)},
	{"refusedTables", "Tables refused", "roc_evb_refused_tables",
	 "Assignment tables that the node refused.", COUNTER(refused_tables)},
	{"openBlocks", NULL, "roc_evb_open_blocks", "Blocks with some data in this node.",
	 GAUGE(open_blocks)},
	{"openBlocksMax", "Open blocks, max", "roc_evb_open_blocks_max",
	 "Maximum number of open blocks.", GAUGE(open_blocks_max)},
	{"readyBlocks", NULL, "roc_evb_ready_blocks", "Blocks that wait for the sink.",
	 GAUGE(ready_blocks)},
	{"mfps", NULL, "roc_evb_open_mfps", "MFPs of the readout unit that are not yet delivered.",
	 GAUGE(mfps)},
	{"credits", NULL, "roc_evb_credits", "Segments of builders that the node may write to.",
	 GAUGE(credits)},
	{"freeSegments", NULL, "roc_evb_free_segments", "Free segments of the builder.",
	 GAUGE(free_segments)},
	{"allSegments", NULL, "roc_evb_segments", "Segments of the builder.", GAUGE(all_segments)},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct roc_evb_flow *flow_of(const struct roc_evb_counts *n, const struct flow *f)
{
	return (const struct roc_evb_flow *)((const char *)n + f->offset);
}

static uint64_t value_of(const struct roc_evb_counts *n, const struct figure *f)
{
	const void *at = (const char *)n + f->offset;

	return f->wide ? *(const uint64_t *)at : *(const uint32_t *)at;
}

uint64_t evb_node_losses(const struct roc_evb_counts *n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < COUNT(figures); i++)
		sum += figures[i].loss ? value_of(n, &figures[i]) : 0;
	return sum;
}

/* Percentile in ns of the latencies that were counted between @before and @after. */
static uint64_t percentile(const struct roc_evb_counts *after, const struct roc_evb_counts *before,
			   double percent)
{
	uint64_t total = 0, seen = 0, rank;
	unsigned int i;

	for (i = 0; i < ROC_EVB_LATENCIES; i++)
		total += after->latency[i] - before->latency[i];
	rank = histogram_rank(percent, total);
	for (i = 0; total && i < ROC_EVB_LATENCIES; i++) {
		seen += after->latency[i] - before->latency[i];
		if (seen >= rank && seen)
			return roc_evb_latency_ns(i + 1);
	}
	return 0;
}

static void number(struct json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_uint64(value));
}

static void text(struct json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

static void flag(struct json_object *o, const char *key, bool value)
{
	json_object_object_add(o, key, json_object_new_boolean(value));
}

static uint64_t per_second(const struct evb_node_report *r, uint64_t after, uint64_t before)
{
	return r->seconds > 0 ? (uint64_t)((double)(after - before) / r->seconds + 0.5) : 0;
}

static struct json_object *flow_record(const struct evb_node_report *r, const struct flow *f)
{
	const struct roc_evb_flow *after = flow_of(&r->now, f), *before = flow_of(&r->before, f);
	struct json_object *o = json_object_new_object();

	number(o, "count", after->count);
	number(o, "bytes", after->bytes);
	number(o, "countPerSecond", per_second(r, after->count, before->count));
	number(o, "bytesPerSecond", per_second(r, after->bytes, before->bytes));
	return o;
}

static struct json_object *latency_record(const struct evb_node_report *r, bool full)
{
	static const struct {
		const char *key;
		double percent;
	} shown[] = {{"p50Ns", 50}, {"p90Ns", 90}, {"p99Ns", 99}, {"p999Ns", 99.9}, {"maxNs", 100}};
	struct json_object *o = json_object_new_object(), *bins, *bin;
	uint64_t total = 0;
	unsigned int i;

	for (i = 0; i < ROC_EVB_LATENCIES; i++)
		total += r->now.latency[i] - r->before.latency[i];
	number(o, "count", total);
	for (i = 0; i < COUNT(shown); i++)
		number(o, shown[i].key, percentile(&r->now, &r->before, shown[i].percent));
	if (!full)
		return o;
	bins = json_object_new_array();
	for (i = 0; i < ROC_EVB_LATENCIES; i++) {
		if (r->now.latency[i] == r->before.latency[i])
			continue;
		bin = json_object_new_object();
		number(bin, "fromNs", roc_evb_latency_ns(i));
		number(bin, "count", r->now.latency[i] - r->before.latency[i]);
		json_object_array_add(bins, bin);
	}
	json_object_object_add(o, "bins", bins);
	return o;
}

static struct json_object *peer_record(const struct roc_evb_peer *p)
{
	struct json_object *o = json_object_new_object();

	text(o, "name", p->name);
	text(o, "role", p->builder ? "builder" : "readout");
	flag(o, "connected", p->connected);
	json_object_object_add(o, "skewNs",
			       p->skew_known ? json_object_new_int64(p->skew_ns) : NULL);
	number(o, "count", p->moved.count);
	number(o, "bytes", p->moved.bytes);
	number(o, "dropped", p->dropped);
	number(o, "queue", p->queue);
	number(o, "queueMax", p->queue_max);
	number(o, "inFlight", p->in_flight);
	number(o, "inFlightMax", p->in_flight_max);
	number(o, "credits", p->credits);
	number(o, "stale", p->stale);
	return o;
}

static uint32_t deepest(const struct evb_node_report *r)
{
	uint32_t most = 0;
	unsigned int i;

	for (i = 0; i < r->peer_count; i++)
		most = r->peers[i].queue > most ? r->peers[i].queue : most;
	return most;
}

/* @full: with each connection and each bin. NULL: out of memory. */
static struct json_object *record(const struct evb_node_report *r, bool full)
{
	struct json_object *o = json_object_new_object(), *peers;
	size_t i;

	if (!o)
		return NULL;
	number(o, "time", r->time);
	text(o, "system", r->system);
	text(o, "node", r->name);
	flag(o, "readout", r->roles & ROC_EVB_READOUT);
	flag(o, "builder", r->roles & ROC_EVB_BUILDER);
	flag(o, "manager", r->roles & ROC_EVB_MANAGER);
	flag(o, "ended", r->ended);
	flag(o, "contact", r->now.contact);
	flag(o, "assigned", r->now.assigned);
	number(o, "epoch", r->now.epoch);
	for (i = 0; i < COUNT(flows); i++)
		json_object_object_add(o, flows[i].key, flow_record(r, &flows[i]));
	json_object_object_add(o, "latency", latency_record(r, full));
	for (i = 0; i < COUNT(figures); i++)
		number(o, figures[i].key, value_of(&r->now, &figures[i]));
	number(o, "queue", deepest(r));
	if (!full)
		return o;
	peers = json_object_new_array();
	for (i = 0; i < r->peer_count; i++)
		json_object_array_add(peers, peer_record(&r->peers[i]));
	json_object_object_add(o, "peers", peers);
	return o;
}

static void source_counters(const struct evb_source *source, struct json_object *o)
{
	struct evb_source_counters b = {0};

	source->counters(source->self, &b);
	number(o, "events", b.events);
	number(o, "bytes", b.bytes);
	number(o, "returned", b.returned);
	number(o, "gaps", b.gaps);
	number(o, "dropped", b.dropped);
	number(o, "damaged", b.damaged);
	number(o, "late", b.late);
	number(o, "disorder", b.disorder);
}

static void sink_counters(const struct evb_sink *sink, struct json_object *o)
{
	struct evb_sink_counters b = {0};

	sink->counters(sink->self, &b);
	number(o, "blocks", b.blocks);
	number(o, "events", b.events);
	number(o, "fragments", b.fragments);
	number(o, "bytes", b.bytes);
	number(o, "incomplete", b.incomplete);
	number(o, "damaged", b.damaged);
	number(o, "missing", b.missing);
	number(o, "lost", b.lost);
	number(o, "errors", b.errors);
	number(o, "unknown", b.unknown);
	number(o, "files", b.files);
	number(o, "again", b.again);
	number(o, "accepted", b.accepted);
}

bool evb_node_print(FILE *out, struct evb_node_report *r, const struct evb_source *source,
		    const struct evb_sink *sink)
{
	struct json_object *o = record(r, true), *counters;
	bool bad, reader_gone;

	if (!o)
		return true;
	if (source->ops) {
		counters = json_object_new_object();
		source_counters(source, counters);
		json_object_object_add(o, "sourceCounters", counters);
		json_object_object_add(o, "sourceBooks",
				       json_object_get(counters)); /* deprecated */
	}
	if (sink->ops) {
		counters = json_object_new_object();
		sink_counters(sink, counters);
		json_object_object_add(o, "sinkCounters", counters);
		json_object_object_add(o, "sinkBooks", json_object_get(counters)); /* deprecated */
	}
	errno = 0;
	bad = fprintf(out, "%s%s\n", r->cut ? "\n" : "",
		      json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN)) < 0;
	r->cut = fflush(out) || bad;
	reader_gone = errno == EPIPE;
	json_object_put(o);
	return !reader_gone;
}

char *evb_node_line(const struct evb_node_report *r, size_t *length)
{
	struct json_object *o = record(r, false);
	const char *text;
	char *line = NULL;

	if (!o)
		return NULL;
	text = json_object_to_json_string_length(o, JSON_C_TO_STRING_PLAIN, length);
	if (text)
		line = strdup(text);
	json_object_put(o);
	return line;
}

static void prometheus_flows(struct prometheus *p, const struct evb_node_report *r,
			     const struct prometheus_labels *labels)
{
	char name[64], help[96];
	size_t i;

	for (i = 0; i < COUNT(flows); i++) {
		const struct roc_evb_flow *f = flow_of(&r->now, &flows[i]);

		snprintf(help, sizeof(help), "Fragments, MFPs or MEPs %s.", flows[i].help);
		prometheus_family(p, flows[i].metric, PROMETHEUS_COUNTER, help);
		prometheus_sample(p, labels, (double)f->count);
		snprintf(name, sizeof(name), "%s_bytes", flows[i].metric);
		snprintf(help, sizeof(help), "Bytes %s.", flows[i].help);
		prometheus_family(p, name, PROMETHEUS_COUNTER, help);
		prometheus_sample(p, labels, (double)f->bytes);
	}
}

static void prometheus_latency(struct prometheus *p, const struct evb_node_report *r,
			       const struct prometheus_labels *labels)
{
	double fine[ROC_EVB_LATENCIES - 1], limits[LATENCY_BINS - 1];
	uint64_t counts[LATENCY_BINS] = {0};
	unsigned int i;

	for (i = 0; i < ROC_EVB_LATENCIES; i++)
		counts[i / 4] += r->now.latency[i];
	for (i = 0; i < ROC_EVB_LATENCIES - 1; i++)
		fine[i] = (double)roc_evb_latency_ns(i + 1) / 1e9;
	for (i = 0; i < LATENCY_BINS - 1; i++)
		limits[i] = fine[4 * i + 3];
	prometheus_family(
		p, "roc_evb_latency_seconds", PROMETHEUS_HISTOGRAM,
		"Time from the earliest trigger of a block to its complete MEP; the sum is an estimate.");
	prometheus_histogram(p, labels, limits, counts, LATENCY_BINS,
			     prometheus_estimate_sum(fine, r->now.latency, ROC_EVB_LATENCIES));
}

static void prometheus_peers(struct prometheus *p, const struct evb_node_report *r,
			     const struct prometheus_labels *labels)
{
	static const struct {
		const char *name, *help;
		size_t offset;
	} gauges[] = {
		{"roc_evb_destination_queue", "MFPs packed for a builder and not completely sent.",
		 offsetof(struct roc_evb_peer, queue)},
		{"roc_evb_destination_queue_max",
		 "Maximum number of MFPs packed for a builder and not completely sent.",
		 offsetof(struct roc_evb_peer, queue_max)},
		{"roc_evb_destination_in_flight", "MFPs that a builder has and has not released.",
		 offsetof(struct roc_evb_peer, in_flight)},
	};
	struct prometheus_labels one;
	unsigned int i;
	size_t g;

	for (g = 0; g < COUNT(gauges); g++) {
		prometheus_family(p, gauges[g].name, PROMETHEUS_GAUGE, gauges[g].help);
		for (i = 0; i < r->peer_count; i++) {
			if (!r->peers[i].builder)
				continue;
			one = *labels;
			prometheus_label(&one, "builder", r->peers[i].name);
			prometheus_sample(
				p, &one,
				*(const uint32_t *)((const char *)&r->peers[i] + gauges[g].offset));
		}
	}
}

enum unit_gauge {
	UNIT_STATE,
	UNIT_ASSIGNED,
	UNIT_BLOCKS,
	UNIT_CLOCK,
	UNIT_GAUGES
};

/* False: the value is unknown. */
static bool unit_value(const struct roc_evb_unit *u, enum unit_gauge gauge, double *value)
{
	switch (gauge) {
	case UNIT_STATE:
		*value = u->state;
		return true;
	case UNIT_ASSIGNED:
		*value = u->assigned;
		return true;
	case UNIT_BLOCKS:
		*value = (double)u->blocks_ahead;
		return u->position_known;
	default:
		*value = (double)u->clock_ahead_ns / 1e9;
		return u->clock_known;
	}
}

/* Families of the manager for each readout unit. */
static void prometheus_units(struct prometheus *p, const struct evb_node_report *r,
			     const struct prometheus_labels *labels)
{
	static const struct {
		const char *name, *help;
	} gauges[UNIT_GAUGES] = {
		[UNIT_STATE] =
			{"roc_evb_unit_state",
			 "0 member, 1 cannot be reached, 2 late, 3 protocol error, 4 at other blocks than the majority."},
		[UNIT_ASSIGNED] = {"roc_evb_unit_assigned",
				   "1 if the newest table contains the readout unit, else 0."},
		[UNIT_BLOCKS] =
			{"roc_evb_unit_blocks_ahead",
			 "Blocks by which the readout unit is ahead of the majority; negative if it is behind."},
		[UNIT_CLOCK] =
			{"roc_evb_unit_clock_ahead_seconds",
			 "Time by which its clock is ahead of the clocks of the majority; negative if it is behind."},
	};
	struct prometheus_labels one;
	unsigned int i, g;
	double value;

	for (g = 0; g < UNIT_GAUGES && r->unit_count; g++) {
		prometheus_family(p, gauges[g].name, PROMETHEUS_GAUGE, gauges[g].help);
		for (i = 0; i < r->unit_count; i++) {
			if (!unit_value(&r->units[i], (enum unit_gauge)g, &value))
				continue;
			one = *labels;
			prometheus_label(&one, "unit", r->units[i].name);
			prometheus_sample(p, &one, value);
		}
	}
}

void evb_node_prometheus(struct prometheus *p, const struct evb_node_report *r)
{
	struct prometheus_labels labels = {.text = ""};
	size_t i;

	prometheus_label(&labels, "system", r->system);
	prometheus_label(&labels, "node", r->name);
	prometheus_flows(p, r, &labels);
	for (i = 0; i < COUNT(figures); i++) {
		prometheus_family(p, figures[i].metric,
				  figures[i].gauge ? PROMETHEUS_GAUGE : PROMETHEUS_COUNTER,
				  figures[i].help);
		prometheus_sample(p, &labels, (double)value_of(&r->now, &figures[i]));
	}
	prometheus_family(p, "roc_evb_sink_lost_blocks", PROMETHEUS_COUNTER,
			  "Blocks that the sink accepted and lost.");
	prometheus_sample(p, &labels, (double)r->sink_lost);
	prometheus_family(p, "roc_evb_contact", PROMETHEUS_GAUGE,
			  "1 if the coordinator and the manager can be reached, else 0.");
	prometheus_sample(p, &labels, r->now.contact);
	prometheus_family(p, "roc_evb_assigned", PROMETHEUS_GAUGE,
			  "1 if the newest table contains this node, else 0.");
	prometheus_sample(p, &labels, r->now.assigned);
	prometheus_latency(p, r, &labels);
	prometheus_peers(p, r, &labels);
	prometheus_units(p, r, &labels);
}

void evb_node_text(FILE *out, const struct evb_node_report *r)
{
	static const struct roc_evb_counts none;
	size_t i;

	for (i = 0; i < COUNT(flows); i++) {
		const struct roc_evb_flow *f = flow_of(&r->now, &flows[i]);

		fprintf(out, "  %-20s%" PRIu64 ", %" PRIu64 " bytes\n", flows[i].name, f->count,
			f->bytes);
	}
	for (i = 0; i < COUNT(figures); i++) {
		if (figures[i].name)
			fprintf(out, "  %-20s%" PRIu64 "\n", figures[i].name,
				value_of(&r->now, &figures[i]));
	}
	fprintf(out, "  %-20s%" PRIu64 "\n", "Lost by the sink", r->sink_lost);
	fprintf(out, "  %-20s%.1f us, 99th percentile %.1f us\n", "Median latency",
		(double)percentile(&r->now, &none, 50) / 1e3,
		(double)percentile(&r->now, &none, 99) / 1e3);
}
