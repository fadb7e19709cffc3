// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Report the counters of roc-rosd: for Prometheus while it runs, as text or JSON at the end. The
 * other threads continue to count while they are read.
 */
#include "rosd.h"

#include <inttypes.h>
#include <string.h>

#include "utils/common/json.h"
#include "utils/common/output.h"
#include "utils/common/prometheus.h"

#define AT(member) offsetof(struct ros_server_counts, member)
#define UNIT(member) offsetof(struct ros_worker_counts, member)

struct figure {
	const char *key;    /* JSON */
	const char *name;   /* text */
	const char *metric; /* Prometheus */
	enum prometheus_type type;
	const char *help;
	size_t offset;
};

static const struct figure server_figures[] = {
	{"clients", NULL, "roc_rosd_clients", PROMETHEUS_GAUGE, "Connected clients.", AT(clients)},
	{"connections", "Connections", "roc_rosd_connections", PROMETHEUS_COUNTER,
	 "Connections accepted.", AT(connections)},
	{"refused", "Refused", "roc_rosd_refused_connections", PROMETHEUS_COUNTER,
	 "Connections refused because of a limit.", AT(refused)},
	{"slow", "Dropped as slow", "roc_rosd_slow_clients", PROMETHEUS_COUNTER,
	 "Clients dropped because they did not read.", AT(slow)},
	{"requests", "Requests", "roc_rosd_requests", PROMETHEUS_COUNTER, "Requests received.",
	 AT(requests)},
	{"replies", "Replies", "roc_rosd_replies", PROMETHEUS_COUNTER, "Replies sent.",
	 AT(replies)},
	{"incomplete", "Incomplete", "roc_rosd_incomplete_replies", PROMETHEUS_COUNTER,
	 "Replies with at least one missing fragment.", AT(incomplete)},
	{"unknown", "Unknown", "roc_rosd_unknown_replies", PROMETHEUS_COUNTER,
	 "Replies without any fragment.", AT(unknown)},
	{"clears", "Clears", "roc_rosd_clears", PROMETHEUS_COUNTER,
	 "Clears received, each with a list of events.", AT(clears)},
	{"clearedEvents", "Events cleared", "roc_rosd_cleared_events", PROMETHEUS_COUNTER,
	 "Events in clears that had a fragment.", AT(cleared_events)},
	{"unknownEvents", "Not there to clear", "roc_rosd_unknown_events", PROMETHEUS_COUNTER,
	 "Events in clears that had no fragment.", AT(unknown_events)},
	{"bytes", "Bytes sent", "roc_rosd_sent_bytes", PROMETHEUS_COUNTER, "Bytes sent.",
	 AT(bytes)},
	{"receives", "Receive calls", "roc_rosd_receive_calls", PROMETHEUS_COUNTER,
	 "System calls that received.", AT(receives)},
	{"sends", "Send calls", "roc_rosd_send_calls", PROMETHEUS_COUNTER,
	 "System calls that sent.", AT(sends)},
	{"polls", "Poll calls", "roc_rosd_poll_calls", PROMETHEUS_COUNTER,
	 "System calls that waited for sockets.", AT(polls)},
	{"zerocopies", "Sent without copy", "roc_rosd_zerocopy_calls", PROMETHEUS_COUNTER,
	 "System calls that sent without a copy in the kernel.", AT(zerocopies)},
	{"zerocopiesCopied", "Of these copied", "roc_rosd_zerocopy_copied", PROMETHEUS_COUNTER,
	 "Zero-copy system calls whose data the kernel copied anyway.", AT(copied)},
	{"spills", "Copied aside", "roc_rosd_spilled_replies", PROMETHEUS_COUNTER,
	 "Replies copied aside for slow clients.", AT(spills)},
	{"spilledBytes", NULL, "roc_rosd_spilled_bytes", PROMETHEUS_COUNTER,
	 "Bytes copied aside for slow clients.", AT(spilled_bytes)},
	{"backlogBytes", NULL, "roc_rosd_backlog_bytes", PROMETHEUS_GAUGE,
	 "Bytes of messages that are not sent to clients yet.", AT(backlog_bytes)},
	{"asideBytes", NULL, "roc_rosd_aside_bytes", PROMETHEUS_GAUGE,
	 "Bytes that are currently copied aside for slow clients.", AT(aside_bytes)},
};

static const struct figure unit_figures[] = {
	{"taken", ">Taken", "roc_rosd_unit_taken_fragments", PROMETHEUS_COUNTER,
	 "Fragments announced by the card.", UNIT(taken)},
	{"fetched", ">Fetched", "roc_rosd_unit_fetched_fragments", PROMETHEUS_COUNTER,
	 "Fragments fetched into host memory.", UNIT(fetched)},
	{"failed", ">Failed", "roc_rosd_unit_failed_fragments", PROMETHEUS_COUNTER,
	 "Fragments that could not be fetched.", UNIT(failed)},
	{"cleared", ">Cleared", "roc_rosd_unit_cleared_fragments", PROMETHEUS_COUNTER,
	 "Fragments cleared.", UNIT(cleared)},
	{"aged", ">By age", "roc_rosd_unit_aged_fragments", PROMETHEUS_COUNTER,
	 "Fragments cleared because of their age.", UNIT(aged)},
	{"damaged", ">Damaged", "roc_rosd_unit_damaged_fragments", PROMETHEUS_COUNTER,
	 "Fragments flagged as damaged by the card.", UNIT(damaged)},
	{"truncated", NULL, "roc_rosd_unit_truncated_fragments", PROMETHEUS_COUNTER,
	 "Damaged fragments that were longer than a page.", UNIT(truncated)},
	{"sequenceErrors", ">Wrong id", "roc_rosd_unit_sequence_error_fragments",
	 PROMETHEUS_COUNTER, "Fragments with a wrong event id.", UNIT(sequence_errors)},
	{"short", NULL, "roc_rosd_unit_short_fragments", PROMETHEUS_COUNTER,
	 "Fragments with fewer bytes than their header names.", UNIT(too_short)},
	{"empty", NULL, "roc_rosd_unit_empty_fragments", PROMETHEUS_COUNTER,
	 "Fragments without any bytes.", UNIT(empty)},
	{"lost", ">Lost", "roc_rosd_unit_lost_entries", PROMETHEUS_COUNTER,
	 "Entries of the card's rings that could not be read.", UNIT(lost)},
	{"kept", ">Kept", "roc_rosd_unit_kept_fragments", PROMETHEUS_GAUGE,
	 "Fragments that the card keeps.", UNIT(kept)},
	{"events", NULL, "roc_rosd_unit_kept_events", PROMETHEUS_GAUGE,
	 "Events of which the card keeps fragments.", UNIT(events)},
	{"outstanding", NULL, "roc_rosd_unit_outstanding_fragments", PROMETHEUS_GAUGE,
	 "Fragments on their way into host memory.", UNIT(outstanding)},
	{"hostPagesFree", NULL, "roc_rosd_unit_free_host_pages", PROMETHEUS_GAUGE,
	 "Free host pages.", UNIT(free_pages)},
	{"waited", ">Waited", "roc_rosd_unit_waits", PROMETHEUS_COUNTER,
	 "Requests and cleared events that had to wait for a fragment.", UNIT(waited)},
	{"expired", ">Expired", "roc_rosd_unit_expired_waits", PROMETHEUS_COUNTER,
	 "Waits for a fragment that timed out.", UNIT(expired)},
	{"blocked", ">Blocked", "roc_rosd_unit_blocked_requests", PROMETHEUS_COUNTER,
	 "Requests that had to wait for a host page.", UNIT(blocked)},
	{"busy", NULL, "roc_rosd_unit_busy_requests", PROMETHEUS_COUNTER,
	 "Requests that got no host page in time.", UNIT(busy)},
	{"sleeps", NULL, "roc_rosd_unit_sleeps", PROMETHEUS_COUNTER,
	 "Sleeps of the thread of the unit.", UNIT(sleeps)},
	{"doorbells", ">Doorbells", "roc_rosd_unit_doorbells", PROMETHEUS_COUNTER,
	 "Register writes to the card.", UNIT(doorbells)},
	{"doorbellCalls", NULL, "roc_rosd_unit_doorbell_calls", PROMETHEUS_COUNTER,
	 "System calls in place of register writes.", UNIT(doorbell_calls)},
	{"tells", NULL, "roc_rosd_unit_tells", PROMETHEUS_COUNTER,
	 "Deprecated name of roc_rosd_unit_doorbell_calls_total.", UNIT(doorbell_calls)},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t server_value(struct rosd *d, const struct figure *f)
{
	return ros_count_get((ros_count *)((char *)&d->server.counts + f->offset));
}

static uint64_t unit_value(struct rosd *d, unsigned int unit, const struct figure *f)
{
	return ros_count_get((ros_count *)((char *)&d->workers[unit].counts + f->offset));
}

/* Return the number of system calls that woke another thread. */
static uint64_t rings(struct rosd *d)
{
	uint64_t sum = ros_count_get(&d->server.bell.rung);
	unsigned int i;

	for (i = 0; i < d->server.units; i++)
		sum += ros_count_get(&d->workers[i].bell.rung);
	return sum;
}

static bool gone(struct rosd *d, unsigned int unit)
{
	return atomic_load_explicit(&d->workers[unit].gone, memory_order_acquire);
}

static void metrics_errors(struct prometheus *p, struct rosd *d,
			   const struct prometheus_labels *all)
{
	struct prometheus_labels labels;
	unsigned int i;

	prometheus_family(p, "roc_rosd_errors", PROMETHEUS_COUNTER, "Messages refused.");
	for (i = ROS_E_NONE + 1; i < ROS_CODES; i++) {
		labels = *all;
		prometheus_label(&labels, "code", ros_code_name((enum ros_code)i));
		prometheus_sample(p, &labels, (double)ros_count_get(&d->server.counts.errors[i]));
	}
}

static void metrics_times(struct prometheus *p, struct rosd *d, const struct prometheus_labels *all)
{
	double limits[ROS_TIMES - 1];
	uint64_t counts[ROS_TIMES];
	unsigned int i;

	for (i = 0; i < ROS_TIMES; i++) {
		if (i < ROS_TIMES - 1)
			limits[i] = (double)(1u << i) / 1e6;
		counts[i] = ros_count_get(&d->server.counts.times[i]);
	}
	prometheus_family(p, "roc_rosd_reply_seconds", PROMETHEUS_HISTOGRAM,
			  "Time from a request to its reply.");
	prometheus_histogram(p, all, limits, counts, ROS_TIMES,
			     (double)ros_count_get(&d->server.counts.reply_ns) / 1e9);
}

static void metrics_units(struct prometheus *p, struct rosd *d,
			  const struct prometheus_labels *labels)
{
	unsigned int i, unit;

	for (i = 0; i < COUNT(unit_figures); i++) {
		prometheus_family(p, unit_figures[i].metric, unit_figures[i].type,
				  unit_figures[i].help);
		for (unit = 0; unit < d->server.units; unit++)
			prometheus_sample(p, &labels[unit],
					  (double)unit_value(d, unit, &unit_figures[i]));
	}
	prometheus_family(p, "roc_rosd_unit_up", PROMETHEUS_GAUGE,
			  "1 if the unit is in service, else 0.");
	for (unit = 0; unit < d->server.units; unit++)
		prometheus_sample(p, &labels[unit], !gone(d, unit));
	prometheus_family(p, "roc_rosd_unit_host_pages", PROMETHEUS_GAUGE,
			  "Host pages of the unit.");
	for (unit = 0; unit < d->server.units; unit++)
		prometheus_sample(p, &labels[unit], d->workers[unit].source->pages);
}

void rosd_metrics(struct prometheus *p, void *what)
{
	struct rosd *d = what;
	struct prometheus_labels all = {.text = ""}, units[ROS_UNITS];
	unsigned int i;

	prometheus_label(&all, "listen", d->opt->listen);
	for (i = 0; i < d->server.units; i++) {
		units[i] = all;
		prometheus_label(&units[i], "unit", d->workers[i].source->name);
	}
	for (i = 0; i < COUNT(server_figures); i++) {
		prometheus_family(p, server_figures[i].metric, server_figures[i].type,
				  server_figures[i].help);
		prometheus_sample(p, &all, (double)server_value(d, &server_figures[i]));
	}
	prometheus_family(p, "roc_rosd_wakeups", PROMETHEUS_COUNTER,
			  "System calls that woke a thread.");
	prometheus_sample(p, &all, (double)rings(d));
	metrics_errors(p, d, &all);
	metrics_times(p, d, &all);
	metrics_units(p, d, units);
}

static double seconds(const struct rosd *d)
{
	return (double)(d->ended - d->began) / 1e9;
}

static uint64_t errors(struct rosd *d)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = ROS_E_NONE + 1; i < ROS_CODES; i++)
		sum += ros_count_get(&d->server.counts.errors[i]);
	return sum;
}

/* Return the number of host pages that are not free. */
static uint64_t missing(struct rosd *d, unsigned int unit)
{
	return d->workers[unit].source->pages - ros_count_get(&d->workers[unit].counts.free_pages);
}

void rosd_text(FILE *out, struct rosd *d)
{
	const char *heads[COUNT(unit_figures) + 3];
	unsigned int i, unit, columns = 0;
	struct table t;

	fprintf(out, "  %-22s %.6g\n", "Seconds", seconds(d));
	for (i = 0; i < COUNT(server_figures); i++) {
		if (server_figures[i].name)
			fprintf(out, "  %-22s %" PRIu64 "\n", server_figures[i].name,
				server_value(d, &server_figures[i]));
	}
	fprintf(out, "  %-22s %" PRIu64 "\n", "Wake-ups", rings(d));
	fprintf(out, "  %-22s %" PRIu64 "\n\n", "Messages refused", errors(d));
	heads[columns++] = "Unit";
	for (i = 0; i < COUNT(unit_figures); i++) {
		if (unit_figures[i].name)
			heads[columns++] = unit_figures[i].name;
	}
	heads[columns++] = ">Host pages out";
	heads[columns] = NULL;
	table_start(&t, heads);
	for (unit = 0; unit < d->server.units; unit++) {
		table_cell(&t, NULL, "%s", d->workers[unit].source->name);
		for (i = 0; i < COUNT(unit_figures); i++) {
			if (unit_figures[i].name)
				table_cell(&t, NULL, "%" PRIu64,
					   unit_value(d, unit, &unit_figures[i]));
		}
		table_cell(&t, NULL, "%" PRIu64, missing(d, unit));
	}
	table_print(&t, out, false);
}

static void json_units(struct json *j, struct rosd *d)
{
	unsigned int i, unit;

	json_array(j, "units");
	for (unit = 0; unit < d->server.units; unit++) {
		struct ros_worker *w = &d->workers[unit];

		json_object(j, NULL);
		json_text(j, "unit", w->source->name);
		for (i = 0; i < COUNT(unit_figures); i++)
			json_unsigned(j, unit_figures[i].key,
				      unit_value(d, unit, &unit_figures[i]));
		json_unsigned(j, "hostPages", w->source->pages);
		json_text(j, "failure", gone(d, unit) ? w->failure : NULL);
		json_object_end(j);
	}
	json_array_end(j);
}

void rosd_json(FILE *out, struct rosd *d)
{
	char key[ROS_CODE_KEY_MAX];
	struct json j;
	unsigned int i;

	json_start(&j, out);
	json_object(&j, NULL);
	json_text(&j, "listen", d->opt->listen);
	json_unsigned(&j, "links", (uint64_t)__builtin_popcountll(d->server.set.limits.links));
	json_real(&j, "seconds", seconds(d));
	for (i = 0; i < COUNT(server_figures); i++)
		json_unsigned(&j, server_figures[i].key, server_value(d, &server_figures[i]));
	json_unsigned(&j, "wakeups", rings(d));
	json_object(&j, "errors");
	for (i = ROS_E_NONE + 1; i < ROS_CODES; i++)
		json_unsigned(&j, ros_code_key((enum ros_code)i, key),
			      ros_count_get(&d->server.counts.errors[i]));
	json_object_end(&j);
	json_units(&j, d);
	json_object_end(&j);
}
