// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Report the progress and the result of a run. The counters balance: what the other side of the
 * source wrote equals what was taken and what was left. What was taken equals what the sink
 * completed and what it lost.
 */
#include "units_options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "utils/common/json.h"
#include "utils/common/output.h"
#include "utils/common/prometheus.h"
#include "utils/common/tool.h"

static double per(double amount, double count)
{
	return count > 0 ? amount / count : NAN;
}

static double seconds(const struct pump *p)
{
	return (double)(p->n.finish - p->n.start) / 1e9;
}

static void live(struct units_report *r, const struct pump *p, uint64_t now)
{
	uint64_t run = (now - p->n.start) / UNITS_NS_PER_S;
	double rate = per((double)(p->sink->n.bytes - r->last_bytes),
			  (double)(now - (r->last_time ? r->last_time : p->n.start)));

	output_live(stdout,
		    "  %02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "   Units %-10" PRIu64
		    "   %7.3f GB/s   Out %-5" PRIu64 "   Lost %-5" PRIu64 "   Errors %-5" PRIu64
		    "%s",
		    run / 3600, run / 60 % 60, run % 60, p->sink->n.units, rate, p->n.out,
		    p->sink->n.lost, p->sink->n.errors, p->sink->state ? p->sink->state : "");
}

/* Print a note once. */
static void print_note(struct units_report *r, char note[UNITS_REASON], bool keep)
{
	if (!note[0] || keep)
		return;
	units_report_end(r);
	tool_note("%s", note);
	note[0] = '\0';
}

static void print_metrics(struct prometheus *m, void *pump)
{
	const struct pump *p = pump;
	const struct units_report *r = p->context;

	units_report_prometheus(m, p, r->tool);
}

static void metrics(struct units_report *r, struct pump *p)
{
	const char *sentence = metrics_file_write(&r->metrics, print_metrics, p);

	if (!sentence)
		return;
	units_report_end(r);
	tool_note("%s", sentence);
}

void units_report_tick(struct pump *p, void *context)
{
	struct units_report *r = context;
	uint64_t now = units_now();

	print_note(r, p->source->note, p->source->incomplete);
	print_note(r, p->sink->note, false);
	metrics(r, p);
	if (r->live)
		live(r, p, now);
	r->last_time = now;
	r->last_bytes = p->sink->n.bytes;
}

void units_report_end(struct units_report *r)
{
	if (r->live)
		output_live(stdout, "%s", "");
}

static void row_count(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, "  %-24s %" PRIu64 "\n", name, value);
}

static void row_real(FILE *out, const char *name, double value)
{
	if (isfinite(value))
		fprintf(out, "  %-24s %.6g\n", name, value);
	else
		fprintf(out, "  %-24s -\n", name);
}

static void links_text(FILE *out, const struct pump *p)
{
	unsigned int i;

	for (i = 0; i < UNITS_LINKS; i++) {
		const struct pump_link *l = &p->n.links[i];
		char name[24];

		if (!l->units)
			continue;
		snprintf(name, sizeof(name), "Link %u", i);
		fprintf(out, "  %-24s %" PRIu64 " units, %" PRIu64 " bytes\n", name, l->units,
			l->bytes);
	}
}

void units_report_text(FILE *out, const struct pump *p, bool verbose)
{
	const struct sink_counts *n = &p->sink->n;

	fprintf(out, "  %-24s %s\n", "From", p->source->format.from);
	row_real(out, "Seconds", seconds(p));
	row_count(out, "Units", n->units);
	row_count(out, "Bytes", n->bytes);
	row_real(out, "GB/s", per((double)n->bytes / 1e9, seconds(p)));
	row_count(out, "Damaged", p->n.damaged);
	row_count(out, "Lost", n->lost);
	row_count(out, "Left with the source", p->n.left);
	if (p->counters.known) {
		if (p->counters.units)
			row_count(out, "Units written by source", p->counters.units);
		row_count(out, "Bytes written by source", p->counters.bytes);
		if (p->counters.dropped_what)
			fprintf(out, "  Dropped, %-15s %" PRIu64 "\n", p->counters.dropped_what,
				p->counters.dropped);
	}
	if (n->again)
		row_count(out, "Sent again", n->again);
	if (n->unconfirmed)
		row_count(out, "Lost, but unconfirmed", n->unconfirmed);
	if (p->source->duplicates)
		row_count(out, "Duplicates", p->source->duplicates);
	if (n->files)
		row_count(out, "Files", n->files);
	row_count(out, "Most units lent", p->n.out_most);
	row_count(out, "Bytes copied", n->copied);
	row_real(out, "Calls per unit", per((double)n->calls, (double)n->units));
	row_count(out, "Errors", n->errors);
	if (verbose)
		links_text(out, p);
}

static void links_json(struct json *j, const struct pump *p)
{
	unsigned int i;

	json_array(j, "links");
	for (i = 0; i < UNITS_LINKS; i++) {
		if (!p->n.links[i].units)
			continue;
		json_object(j, NULL);
		json_unsigned(j, "link", i);
		json_unsigned(j, "units", p->n.links[i].units);
		json_unsigned(j, "bytes", p->n.links[i].bytes);
		json_object_end(j);
	}
	json_array_end(j);
}

static void counters_json(struct json *j, const char *key, const struct unit_counters *b)
{
	json_object(j, key);
	json_bool(j, "known", b->known);
	json_unsigned(j, "units", b->units);
	json_unsigned(j, "bytes", b->bytes);
	json_unsigned(j, "dropped", b->dropped);
	json_text(j, "droppedWhat", b->dropped_what);
	json_object_end(j);
}

void units_report_json(FILE *out, const struct pump *p)
{
	const struct sink_counts *n = &p->sink->n;
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	json_text(&j, "from", p->source->format.from);
	json_text(&j, "source", p->source->ops->name);
	json_text(&j, "sink", p->sink->ops->name);
	json_text(&j, "content", units_content_name(p->source->format.content));
	json_real(&j, "seconds", seconds(p));
	json_unsigned(&j, "taken", p->n.units);
	json_unsigned(&j, "takenBytes", p->n.bytes);
	json_unsigned(&j, "units", n->units);
	json_unsigned(&j, "bytes", n->bytes);
	json_real(&j, "gigabytesPerSecond", per((double)n->bytes / 1e9, seconds(p)));
	json_unsigned(&j, "damaged", p->n.damaged);
	json_unsigned(&j, "lost", n->lost);
	json_unsigned(&j, "lostBytes", n->lost_bytes);
	json_unsigned(&j, "left", p->n.left);
	json_unsigned(&j, "leftBytes", p->n.left_bytes);
	json_unsigned(&j, "returned", p->n.returned);
	json_unsigned(&j, "again", n->again);
	json_unsigned(&j, "unconfirmed", n->unconfirmed);
	json_unsigned(&j, "duplicates", p->source->duplicates);
	json_unsigned(&j, "cameAgain", p->source->duplicates); /* deprecated name */
	counters_json(&j, "counters", &p->counters);
	counters_json(&j, "books", &p->counters); /* deprecated name */
	links_json(&j, p);
	json_unsigned(&j, "files", n->files);
	json_unsigned(&j, "outMost", p->n.out_most);
	json_unsigned(&j, "copiedBytes", n->copied);
	json_unsigned(&j, "calls", n->calls);
	json_unsigned(&j, "batches", n->batches);
	json_unsigned(&j, "sourceCalls", p->source->calls);
	json_unsigned(&j, "sleeps", p->n.sleeps);
	json_unsigned(&j, "errors", n->errors);
	json_text(&j, "end", pump_end_name(p->end));
	json_text(&j, "failure", p->reason[0] ? p->reason : NULL);
	json_object_end(&j);
}

static void sample(struct prometheus *m, const char *tool, const char *what,
		   enum prometheus_type type, const char *help, const struct prometheus_labels *l,
		   double value)
{
	char name[64];

	snprintf(name, sizeof(name), "roc_%s_%s", tool, what);
	prometheus_family(m, name, type, help);
	prometheus_sample(m, l, value);
}

void units_report_prometheus(struct prometheus *m, const struct pump *p, const char *tool)
{
	const struct sink_counts *n = &p->sink->n;
	struct prometheus_labels labels = {""};

	if (p->source->listen)
		prometheus_label(&labels, "listen", p->source->listen);
	else
		prometheus_label(&labels, "source", p->source->format.from);
	sample(m, tool, "units", PROMETHEUS_COUNTER, "Units completed by the sink", &labels,
	       (double)n->units);
	sample(m, tool, "bytes", PROMETHEUS_COUNTER, "Bytes of completed units", &labels,
	       (double)n->bytes);
	sample(m, tool, "damaged_units", PROMETHEUS_COUNTER,
	       "Units from the source that the card flagged as damaged", &labels,
	       (double)p->n.damaged);
	sample(m, tool, "lost_units", PROMETHEUS_COUNTER,
	       "Units from the source that the sink did not complete", &labels, (double)n->lost);
	sample(m, tool, "again_units", PROMETHEUS_COUNTER, "Units sent a second time", &labels,
	       (double)n->again);
	sample(m, tool, "errors", PROMETHEUS_COUNTER, "Errors found in the data", &labels,
	       (double)n->errors);
	sample(m, tool, "out_units", PROMETHEUS_GAUGE, "Units not yet returned to the source",
	       &labels, (double)p->n.out);
}
