// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output of a roc-fragment run: a live line on the terminal; at the end a table or JSON, with the
 * cost per fragment.
 */
#include "fragment.h"

#include <inttypes.h>

#include "utils/common/numbers.h"
#include "utils/common/output.h"
#include "utils/common/values.h"

void fragment_live(struct fragment_run *r, uint64_t now)
{
	struct roc_fragments_counts c;
	char time[32];
	double rate = channel_live_rate(&r->run, now, r->events, time);

	if (!r->run.live)
		return;
	roc_fragments_counts(r->f, &c);
	output_live(stdout,
		    "  %s   Events %-12" PRIu64 "   %8.0f/s   Fetched %-12" PRIu64
		    "   Kept %-8" PRIu32 "   Errors %-6" PRIu64,
		    time, r->events, rate, c.fetched, c.kept, r->run.errors.count);
}

/* Return the sum over the links of a counter's increase in this run. */
static uint64_t of_links(const struct fragment_run *r, size_t member)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < r->after.links; i++)
		sum += counter64_since(
			*(const uint64_t *)((const char *)&r->before.link[i].counts + member),
			*(const uint64_t *)((const char *)&r->after.link[i].counts + member));
	return sum;
}

static uint64_t holds(const void *o)
{
	return of_links(o, offsetof(struct roc_robinnp_link, holds));
}

static uint64_t hold_cycles(const void *o)
{
	return of_links(o, offsetof(struct roc_robinnp_link, hold_cycles));
}

static uint64_t discarded(const void *o)
{
	return of_links(o, offsetof(struct roc_robinnp_link, discarded));
}

/* The card's own counters are unknown if the card was removed. */
static bool has_counters(const void *o)
{
	return ((const struct fragment_run *)o)->counters_valid;
}

static uint64_t percent(const void *o)
{
	return ((const struct fragment_run *)o)->opt->percent;
}

static double events_per_second(const void *o)
{
	return channel_rate(o, (double)((const struct fragment_run *)o)->events);
}

static double gigabits(const void *o)
{
	return channel_rate(o, (double)((const struct fragment_run *)o)->bytes * 8 / 1e9);
}

static double longest_us(const void *o)
{
	return (double)((const struct fragment_run *)o)->latency_ns / 1e3;
}

/* Register writes of the driver and doorbell writes of this process. */
static uint64_t writes(const void *o)
{
	const struct fragment_run *r = o;

	return r->info.mmio_writes + r->counts.doorbells;
}

static double per_fragment(const struct fragment_run *r, uint64_t amount)
{
	return channel_per((double)amount, (double)r->counts.taken);
}

static double reads_each(const void *o)
{
	return per_fragment(o, ((const struct fragment_run *)o)->info.mmio_reads);
}

static double writes_each(const void *o)
{
	return per_fragment(o, writes(o));
}

static double interrupts_each(const void *o)
{
	return per_fragment(o, ((const struct fragment_run *)o)->info.interrupts);
}

static double calls_each(const void *o)
{
	const struct fragment_run *r = o;

	return per_fragment(r, r->run.waits + r->counts.doorbell_calls);
}

#define RUN(member) VALUE(struct fragment_run, member)

static const struct value value[] = {
	{RUN(info.name), .key = "sub"},
	{RUN(links), .key = "links"},
	{.key = "percent", .count = percent},
	{RUN(info.page_size), .key = "pageBytes"},
	{RUN(info.pages), .key = "pages"},
	{RUN(info.host_pages), .key = "hostPages"},
	{.name = "Seconds", .key = "seconds", .real = channel_seconds},
	{RUN(events), .name = "Events", .key = "events"},
	{.name = "Events/s", .real = events_per_second},
	{RUN(requested), .name = "Events fetched", .key = "requested"},
	{RUN(incomplete), .name = "Events incomplete", .key = "incomplete"},
	{RUN(counts.taken), .name = "Fragments reported", .key = "taken"},
	{RUN(counts.fetched), .name = "Fragments fetched", .key = "fetched"},
	{RUN(bytes), .name = "Bytes fetched", .key = "bytes"},
	{RUN(counts.cleared), .key = "cleared"},
	{RUN(counts.replaced), .key = "replaced"},
	{RUN(counts.failed), .key = "failed"},
	{RUN(damage.damaged), .name = "Damaged", .key = "damaged"},
	{RUN(damage.truncated), .name = "of these truncated", .key = "truncated"},
	{RUN(damage.sequence_errors), .name = "Wrong event id", .key = "sequenceErrors"},
	{RUN(damage.too_short), .name = "Too short", .key = "short"},
	{RUN(damage.empty), .name = "Empty", .key = "empty"},
	{RUN(lost), .name = "Lost in the rings", .key = "lost"},
	{.name = "Gb/s", .real = gigabits},
	{.key = "discarded", .count = discarded, .known = has_counters},
	{RUN(kept_most), .name = "Most fragments kept", .key = "keptMost"},
	{.name = "Holds of the links", .key = "holds", .count = holds, .known = has_counters},
	{.key = "holdCycles", .count = hold_cycles, .known = has_counters},
	/* Deprecated names of the two. */
	{.key = "held", .count = holds, .known = has_counters},
	{.key = "heldCycles", .count = hold_cycles, .known = has_counters},
	{RUN(run.errors.count), .key = "errors"},
	{.json = channel_checked_json},
	{RUN(check.known), .key = "sizesKnown"},
	{RUN(check.bytes), .key = "checkedBytes"},
	{.key = "eventsPerSecond", .real = events_per_second},
	{.key = "gigabitsPerSecond", .real = gigabits},
	{.name = "Longest request, us", .key = "longestRequestUs", .real = longest_us},
	{.name = "Register reads/fragment", .real = reads_each},
	{.name = "Register writes/fragment", .real = writes_each},
	{.name = "Interrupts/fragment", .real = interrupts_each},
	{.name = "System calls/fragment", .real = calls_each},
	{RUN(counts.doorbells), .name = "Doorbells", .verbose = true},
	{RUN(run.waits), .name = "Waits", .verbose = true},
	{RUN(full), .name = "Requests without space", .key = "withoutSpace", .verbose = true},
	{RUN(full), .key = "withoutRoom"}, /* deprecated */
	{RUN(counts.replaced), .name = "Replaced", .verbose = true},
	{RUN(counts.failed), .name = "Requests failed", .verbose = true},
	{RUN(run.waits), .key = "waits"},
	{RUN(counts.doorbell_calls), .key = "doorbellCalls"},
	{RUN(counts.doorbell_calls), .key = "tells"}, /* deprecated */
	{RUN(counts.doorbells), .key = "doorbells"},
	{RUN(info.interrupts), .key = "interrupts"},
	{RUN(info.data_interrupts), .name = "Interrupts of data", .key = "dataInterrupts",
	 .verbose = true},
	{RUN(info.done_interrupts), .name = "of requests", .key = "doneInterrupts",
	 .verbose = true},
	{RUN(info.missed_interrupts), .name = "missed", .key = "missedInterrupts", .verbose = true},
	{RUN(info.arms), .name = "Arms", .key = "arms", .verbose = true},
	{RUN(info.mmio_reads), .key = "mmioReads"},
	{.key = "mmioWrites", .count = writes},
	{.key = "readsPerFragment", .real = reads_each},
	{.key = "writesPerFragment", .real = writes_each},
	{.key = "interruptsPerFragment", .real = interrupts_each},
	{.key = "systemCallsPerFragment", .real = calls_each},
	{.key = "end", .text = channel_end_name},
	{.key = "failure", .text = channel_failure},
	{.name = "Errors", .text = channel_errors},
};

const struct values fragment_report = VALUES(value, .width = 26, .digits = 4);
