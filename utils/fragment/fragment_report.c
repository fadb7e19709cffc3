// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What roc-fragment shows of a run: a line on the terminal while it lasts, and a table or JSON at
 * the end, with what each fragment cost.
 */
#include "fragment.h"

#include <inttypes.h>
#include <math.h>

#include "utils/common/counter.h"
#include "utils/common/output.h"

static const char *const end_names[] = {
	[FRAGMENT_END_EVENTS] = "events", [FRAGMENT_END_TIME] = "time",
	[FRAGMENT_END_SIGNAL] = "signal", [FRAGMENT_END_STALL] = "stall",
	[FRAGMENT_END_FAILED] = "failed",
};

static double per(double amount, double count)
{
	return count > 0 ? amount / count : NAN;
}

void fragment_live(struct fragment_run *r, uint64_t now)
{
	static uint64_t last_events, last_time;
	uint64_t run = (now - r->start) / 1000000000;
	double rate = per((double)(r->events - last_events) * 1e9,
			  (double)(now - (last_time ? last_time : r->start)));
	struct roc_fragments_counts c;

	last_events = r->events;
	last_time = now;
	if (!r->live)
		return;
	roc_fragments_counts(r->f, &c);
	output_live(stdout,
		    "  %02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "   Events %-12" PRIu64
		    "   %8.0f/s   Fetched %-12" PRIu64 "   Kept %-8" PRIu32 "   Errors %-6" PRIu64,
		    run / 3600, run / 60 % 60, run % 60, r->events, rate, c.fetched, c.kept,
		    r->errors.count);
}

void fragment_live_end(struct fragment_run *r)
{
	if (r->live)
		output_live(stdout, "%s", "");
}

static double seconds(const struct fragment_run *r)
{
	return (double)(r->finish - r->start) / 1e9;
}

/* Register writes: the driver's, and our doorbells. */
static uint64_t writes(const struct fragment_run *r)
{
	return r->info.mmio_writes + r->counts.doorbells;
}

/* Times that links were held, and for how many cycles of the card's clock, in this run. */
static uint64_t holds(const struct fragment_run *r, uint64_t *cycles)
{
	uint64_t times = 0;
	unsigned int i;

	*cycles = 0;
	for (i = 0; i < ROC_ROBINNP_LINKS; i++) {
		times += counter64_since(r->before.link[i].holds, r->after.link[i].holds);
		*cycles += counter64_since(r->before.link[i].hold_cycles,
					   r->after.link[i].hold_cycles);
	}
	return times;
}

static uint64_t discarded(const struct fragment_run *r)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < ROC_ROBINNP_LINKS; i++)
		sum += counter64_since(r->before.link[i].discarded, r->after.link[i].discarded);
	return sum;
}

static void row_count(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, "  %-26s %" PRIu64 "\n", name, value);
}

/* What only the card knows: not if it has gone. */
static void row_books(FILE *out, const char *name, const struct fragment_run *r, uint64_t value)
{
	if (r->books)
		row_count(out, name, value);
	else
		fprintf(out, "  %-26s -\n", name);
}

static void json_books(struct json *j, const char *key, const struct fragment_run *r,
		       uint64_t value)
{
	if (r->books)
		json_unsigned(j, key, value);
	else
		json_null(j, key);
}

static void row_real(FILE *out, const char *name, double value)
{
	if (isfinite(value))
		fprintf(out, "  %-26s %.4g\n", name, value);
	else
		fprintf(out, "  %-26s -\n", name);
}

void fragment_report_text(FILE *out, const struct fragment_run *r)
{
	const struct roc_fragments_counts *c = &r->counts;
	double s = seconds(r), taken = (double)c->taken;
	uint64_t cycles;

	row_real(out, "Seconds", s);
	row_count(out, "Events", r->events);
	row_real(out, "Events/s", per((double)r->events, s));
	row_count(out, "of these fetched", r->requested);
	row_count(out, "Events not whole", r->incomplete);
	row_count(out, "Fragments taken in", c->taken);
	row_count(out, "Fragments fetched", c->fetched);
	row_count(out, "Bytes fetched", r->bytes);
	row_count(out, "Damaged", r->damage.damaged);
	row_count(out, "of these truncated", r->damage.truncated);
	row_count(out, "With a wrong event id", r->damage.sequence_errors);
	row_count(out, "Too short", r->damage.too_short);
	row_count(out, "Empty", r->damage.empty);
	row_count(out, "Lost in the rings", r->lost);
	row_real(out, "Gb/s", per((double)r->bytes * 8 / 1e9, s));
	row_count(out, "Most that were kept", r->kept_most);
	row_books(out, "Times that links were held", r, holds(r, &cycles));
	row_real(out, "Longest request, us", (double)r->latency_ns / 1e3);
	row_real(out, "Register reads/fragment", per((double)r->info.mmio_reads, taken));
	row_real(out, "Register writes/fragment", per((double)writes(r), taken));
	row_real(out, "Interrupts/fragment", per((double)r->info.interrupts, taken));
	row_real(out, "System calls/fragment", per((double)(r->waits + c->tells), taken));
	if (r->opt->common.verbose) {
		row_count(out, "Doorbells", c->doorbells);
		row_count(out, "Waits", r->waits);
		row_count(out, "Requests without room", r->full);
		row_count(out, "Replaced", c->replaced);
		row_count(out, "Given up", c->failed);
		row_count(out, "Interrupts of data", r->info.data_interrupts);
		row_count(out, "of requests", r->info.done_interrupts);
		row_count(out, "missed", r->info.missed_interrupts);
		row_count(out, "Arms", r->info.arms);
	}
	if (r->opt->no_errorcheck && !r->errors.count)
		fprintf(out, "  %-26s not checked\n", "Errors");
	else
		row_count(out, "Errors", r->errors.count);
}

/* Of one that could not begin, or failed behind its end, the end says nothing. */
static const char *end_name(const struct fragment_run *r)
{
	return end_names[r->failure[0] && r->end != FRAGMENT_END_STALL ? FRAGMENT_END_FAILED
								       : r->end];
}

void fragment_report_json(FILE *out, const struct fragment_run *r)
{
	const struct roc_fragments_counts *c = &r->counts;
	double s = seconds(r), taken = (double)c->taken;
	uint64_t cycles, times = holds(r, &cycles);
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	json_text(&j, "sub", r->info.name);
	json_unsigned(&j, "links", r->links);
	json_unsigned(&j, "percent", r->opt->percent);
	json_unsigned(&j, "pageBytes", r->info.page_size);
	json_unsigned(&j, "pages", r->info.pages);
	json_unsigned(&j, "hostPages", r->info.host_pages);
	json_real(&j, "seconds", s);
	json_unsigned(&j, "events", r->events);
	json_unsigned(&j, "requested", r->requested);
	json_unsigned(&j, "incomplete", r->incomplete);
	json_unsigned(&j, "taken", c->taken);
	json_unsigned(&j, "fetched", c->fetched);
	json_unsigned(&j, "bytes", r->bytes);
	json_unsigned(&j, "cleared", c->cleared);
	json_unsigned(&j, "replaced", c->replaced);
	json_unsigned(&j, "failed", c->failed);
	json_unsigned(&j, "damaged", r->damage.damaged);
	json_unsigned(&j, "truncated", r->damage.truncated);
	json_unsigned(&j, "sequenceErrors", r->damage.sequence_errors);
	json_unsigned(&j, "short", r->damage.too_short);
	json_unsigned(&j, "empty", r->damage.empty);
	json_unsigned(&j, "lost", r->lost);
	json_books(&j, "discarded", r, discarded(r));
	json_unsigned(&j, "keptMost", r->kept_most);
	json_books(&j, "held", r, times);
	json_books(&j, "heldCycles", r, cycles);
	json_unsigned(&j, "errors", r->errors.count);
	json_bool(&j, "checked", !r->opt->no_errorcheck);
	json_bool(&j, "sizesKnown", r->check.known);
	json_unsigned(&j, "checkedBytes", r->check.bytes);
	json_real(&j, "eventsPerSecond", per((double)r->events, s));
	json_real(&j, "gigabitsPerSecond", per((double)r->bytes * 8 / 1e9, s));
	json_real(&j, "longestRequestUs", (double)r->latency_ns / 1e3);
	json_unsigned(&j, "withoutRoom", r->full);
	json_unsigned(&j, "waits", r->waits);
	json_unsigned(&j, "tells", c->tells);
	json_unsigned(&j, "doorbells", c->doorbells);
	json_unsigned(&j, "interrupts", r->info.interrupts);
	json_unsigned(&j, "dataInterrupts", r->info.data_interrupts);
	json_unsigned(&j, "doneInterrupts", r->info.done_interrupts);
	json_unsigned(&j, "missedInterrupts", r->info.missed_interrupts);
	json_unsigned(&j, "arms", r->info.arms);
	json_unsigned(&j, "mmioReads", r->info.mmio_reads);
	json_unsigned(&j, "mmioWrites", writes(r));
	json_real(&j, "readsPerFragment", per((double)r->info.mmio_reads, taken));
	json_real(&j, "writesPerFragment", per((double)writes(r), taken));
	json_real(&j, "interruptsPerFragment", per((double)r->info.interrupts, taken));
	json_real(&j, "systemCallsPerFragment", per((double)(r->waits + c->tells), taken));
	json_text(&j, "end", end_name(r));
	json_text(&j, "failure", r->failure[0] ? r->failure : NULL);
	json_object_end(&j);
}
