// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All counters at one moment, as JSON. The order is the same each time, so that the window of every
 * counter has the same length.
 */
#include "ledger.h"

#include <inttypes.h>
#include <string.h>

static void reader(FILE *out, const struct reader *r)
{
	const struct bench_state *s = r->state;
	unsigned int i;

	fprintf(out, "{");
	counters_process(out, r->pid);
	fprintf(out, ",\"sleeps\":%" PRIu64 ",\"empty_wakes\":%" PRIu64 ",\"channels\":[",
		s->sleeps, s->empty_wakes);
	for (i = 0; i < r->channels; i++) {
		const struct bench_channel *c = &s->channels[i];

		fprintf(out,
			"%s{\"superpages\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"packets\":%" PRIu64
			",\"reclaimed\":%" PRIu64 ",\"refused\":%" PRIu64 ",\"kicks\":%" PRIu64
			",\"looks\":%" PRIu64 "}",
			i ? "," : "", c->superpages, c->bytes, c->packets, c->reclaimed, c->refused,
			c->kicks, c->looks);
	}
	fprintf(out, "]}");
}

/* "cards":{"0":{...},...}: the emulated cards' own counts. */
void snapshot_cards(FILE *out, const struct scenario *s)
{
	const char *comma = "";
	unsigned int i;

	fprintf(out, "\"cards\":{");
	for (i = 0; i < LEDGER_CARDS; i++) {
		if (!scenario_uses(s, i))
			continue;
		fprintf(out, "%s\"%u\":%s", comma, i, card_ask(i, "counts"));
		comma = ",";
	}
	fprintf(out, "}");
}

void snapshot(FILE *out, const struct scenario *s)
{
	unsigned long long user = 0, kernel = 0, run = 0, wait = 0;
	const char *insns = port_ask("roc.insns", "read");
	unsigned int i;

	fprintf(out, "{\"ns\":%" PRIu64 ",\"insns\":", now_ns());
	if (insns && sscanf(insns, "%llu %llu %llu %llu", &user, &kernel, &run, &wait) == 4)
		fprintf(out, "{\"user\":%llu,\"kernel\":%llu,\"run_ns\":%llu,\"wait_ns\":%llu}",
			user, kernel, run, wait);
	else
		fprintf(out, "null");
	fputc(',', out);
	snapshot_cards(out, s);
	fprintf(out, ",\"readers\":[");
	for (i = 0; i < s->reader_count; i++) {
		if (i)
			fputc(',', out);
		reader(out, &s->readers[i]);
	}
	fprintf(out, "],");
	counters_threads(out);
	fputc(',', out);
	counters_system(out);
	fprintf(out, "}");
}

static void classes(FILE *out, const char *name, const struct bench_times *t)
{
	unsigned int i, last = 0;

	for (i = 0; i < BENCH_CLASSES; i++) {
		if (t->classes[i])
			last = i + 1;
	}
	fprintf(out, "\"%s\":{\"count\":%" PRIu64 ",\"max_ns\":%" PRIu64 ",\"classes\":[", name,
		t->count, t->max_ns);
	for (i = 0; i < last; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", t->classes[i]);
	fprintf(out, "]}");
}

static void walks(FILE *out, const struct bench_walks *w)
{
	uint64_t i, count = w->count < BENCH_WALKS ? w->count : BENCH_WALKS;

	fprintf(out, "\"walks_ps\":[");
	for (i = 0; i < count; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", w->ps[i]);
	fprintf(out, "]");
}

/* "times":[...]: of each reader, start-up, latencies, and the time of its own work. */
void snapshot_times(FILE *out, const struct scenario *s)
{
	unsigned int i, m;

	fprintf(out, "\"times\":[");
	for (i = 0; i < s->reader_count; i++) {
		const struct bench_state *state = s->readers[i].state;

		fprintf(out, "%s{\"marks\":[", i ? "," : "");
		for (m = 0; m < BENCH_MARKS; m++)
			fprintf(out, "%s%" PRIu64, m ? "," : "", state->marks[m]);
		fprintf(out, "],");
		classes(out, "from_card", &state->from_card);
		fputc(',', out);
		classes(out, "from_ready", &state->from_ready);
		fputc(',', out);
		walks(out, &state->walks);
		fprintf(out, "}");
	}
	fprintf(out, "]");
}
