// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What roc-stream shows of data: a packet, a line on the terminal while they are taken, and a table
 * or JSON at the end.
 */
#include "stream.h"

#include <inttypes.h>
#include <math.h>

#include "utils/common/output.h"

static const char *const end_names[] = {
	[STREAM_END_BYTES] = "bytes", [STREAM_END_PACKETS] = "packets",
	[STREAM_END_TIME] = "time",   [STREAM_END_SIGNAL] = "signal",
	[STREAM_END_STALL] = "stall", [STREAM_END_FAILED] = "failed",
};

static void events_text(FILE *out, const struct roc_packet *p, bool verbose)
{
	struct roc_packet walk = *p;
	struct roc_fragment f;

	fprintf(out,
		"packet %" PRIu32 " source 0x%04x events %" PRIu64 "..%" PRIu64
		" fragments %" PRIu32 " bytes %" PRIu32 " align %u%s%s%s%s\n",
		p->number, p->source, p->first_event, p->first_event + p->fragments - 1,
		p->fragments, p->size, p->align,
		p->flags & ROC_PACKET_TRUNCATED ? " truncated" : "",
		p->flags & ROC_PACKET_CLOSED ? " closed" : "",
		p->flags & ROC_PACKET_AGED ? " aged" : "", p->flags & ROC_PACKET_GAP ? " gap" : "");
	while (verbose && roc_packet_fragment(&walk, &f) > 0) {
		const unsigned char *at = f.data;
		uint32_t i;

		fprintf(out, "  event %" PRIu64 " type %u bytes %" PRIu32 "%s", f.event, f.type,
			f.size, f.truncated ? " truncated" : "");
		for (i = 0; i < f.size && i < 16; i++)
			fprintf(out, "%s%02x", i % 4 ? "" : " ", at[i]);
		fprintf(out, "%s\n", f.size > 16 ? " ..." : "");
	}
}

static void meta_text(FILE *out, const struct roc_packet *p)
{
	struct roc_packet_meta m;

	if (roc_packet_meta(p, &m))
		return;
	fprintf(out,
		"meta of packet %" PRIu32 " source 0x%04x events %" PRIu64 "..%" PRIu64
		" fragments %" PRIu32 " truncated %" PRIu32 " bytes %" PRIu32 " line %" PRIu32
		" cycles %" PRIu64 "\n",
		p->number, p->source, p->first_event, p->first_event + p->fragments - 1,
		m.fragments, m.truncated, m.bytes, m.position, m.cycles);
}

static void odin_text(FILE *out, const struct roc_packet *p)
{
	struct roc_packet_odin o;

	if (roc_packet_odin(p, &o))
		return;
	fprintf(out,
		"odin%u record %" PRIu32 " source 0x%04x event %" PRIu64 " orbit %" PRIu32
		" bunch %u trigger 0x%x cycles %" PRIu64 "\n",
		o.stream, p->number, p->source, p->first_event, o.orbit, o.bunch, o.trigger,
		o.cycles);
}

void stream_packet_text(FILE *out, struct roc_packet *p, bool verbose)
{
	switch (p->kind) {
	case ROC_PACKET_EVENTS:
		events_text(out, p, verbose);
		break;
	case ROC_PACKET_META:
		meta_text(out, p);
		break;
	case ROC_PACKET_ODIN:
		odin_text(out, p);
		break;
	}
}

static double per(double amount, double count)
{
	return count > 0 ? amount / count : NAN;
}

void stream_live(struct stream_run *r, uint64_t now)
{
	static uint64_t last_bytes, last_time;
	uint64_t run = (now - r->start) / 1000000000;
	double rate = per((double)(r->bytes - last_bytes) * 8,
			  (double)(now - (last_time ? last_time : r->start)));

	last_bytes = r->bytes;
	last_time = now;
	if (!r->live)
		return;
	output_live(stdout,
		    "  %02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "   Packets %-10" PRIu64
		    "   Events %-12" PRIu64 "   %7.2f Gb/s   Missing %-6" PRIu64
		    "   Errors %-6" PRIu64,
		    run / 3600, run / 60 % 60, run % 60, r->check.packets, r->check.events, rate,
		    r->check.missing, r->errors.count);
}

void stream_live_end(struct stream_run *r)
{
	if (r->live)
		output_live(stdout, "%s", "");
}

static double seconds(const struct stream_run *r)
{
	return (double)(r->finish - r->start) / 1e9;
}

static void row_count(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, "  %-22s %" PRIu64 "\n", name, value);
}

static void row_real(FILE *out, const char *name, double value, const char *unit)
{
	if (isfinite(value))
		fprintf(out, "  %-22s %.6g%s\n", name, value, unit);
	else
		fprintf(out, "  %-22s -\n", name);
}

static uint64_t since(const struct stream_run *r, uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

void stream_report_text(FILE *out, const struct stream_run *r)
{
	const struct roc_st_counters *a = &r->before.card, *b = &r->info.card;
	double s = seconds(r), bytes = (double)r->bytes;

	row_real(out, "Seconds", s, "");
	row_count(out, "Packets", r->check.packets);
	row_count(out, "Events", r->check.events);
	row_count(out, "Bytes", r->bytes);
	row_count(out, "Bytes of payload", r->check.payload);
	row_real(out, "GB/s", per(bytes / 1e9, s), "");
	row_real(out, "Gb/s", per(bytes * 8 / 1e9, s), "");
	row_real(out, "Events/s", per((double)r->check.events, s), "");
	row_count(out, "Gaps", r->check.gaps);
	row_count(out, "Events missing", r->check.missing);
	row_count(out, "Events throttled", since(r, b->throttled, a->throttled));
	row_count(out, "Events cut short", r->check.truncated);
	row_count(out, "Packets damaged", r->check.damaged);
	row_count(out, "Lost at the stop", r->lost);
	if (r->opt->common.verbose) {
		row_count(out, "Batches", r->batches);
		row_count(out, "Waits", r->waits);
		row_count(out, "Interrupts", r->info.interrupts);
		row_count(out, "Register reads", r->info.mmio_reads);
		row_count(out, "Register writes", r->info.mmio_writes);
	}
	if (r->opt->no_errorcheck && !r->errors.count)
		fprintf(out, "  %-22s not checked\n", "Errors");
	else
		row_count(out, "Errors", r->errors.count);
}

/* Of one that could not begin, or failed behind its end, the end says nothing. */
static const char *end_name(const struct stream_run *r)
{
	return end_names[r->failure[0] && r->end != STREAM_END_STALL ? STREAM_END_FAILED : r->end];
}

void stream_report_json(FILE *out, const struct stream_run *r)
{
	const struct roc_st_counters *a = &r->before.card, *b = &r->info.card;
	double s = seconds(r), bytes = (double)r->bytes;
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	json_text(&j, "stream", r->info.name);
	json_unsigned(&j, "ringBytes", r->info.ring);
	json_unsigned(&j, "ringSegments", r->info.segments);
	json_real(&j, "seconds", s);
	json_unsigned(&j, "packets", r->check.packets);
	json_unsigned(&j, "events", r->check.events);
	json_unsigned(&j, "bytes", r->bytes);
	json_unsigned(&j, "payloadBytes", r->check.payload);
	json_unsigned(&j, "gaps", r->check.gaps);
	json_unsigned(&j, "missing", r->check.missing);
	json_unsigned(&j, "throttled", since(r, b->throttled, a->throttled));
	json_unsigned(&j, "truncated", r->check.truncated);
	json_unsigned(&j, "damaged", r->check.damaged);
	json_unsigned(&j, "lostAtStop", r->lost);
	json_unsigned(&j, "errors", r->errors.count);
	json_bool(&j, "checked", !r->opt->no_errorcheck);
	json_bool(&j, "sizesKnown", r->check.expect.known);
	json_real(&j, "gigabitsPerSecond", per(bytes * 8 / 1e9, s));
	json_real(&j, "eventsPerSecond", per((double)r->check.events, s));
	json_unsigned(&j, "batches", r->batches);
	json_unsigned(&j, "waits", r->waits);
	json_unsigned(&j, "interrupts", r->info.interrupts);
	json_unsigned(&j, "arms", r->info.arms);
	json_unsigned(&j, "doorbells", r->info.doorbells);
	json_unsigned(&j, "mmioReads", r->info.mmio_reads);
	json_unsigned(&j, "mmioWrites", r->info.mmio_writes);
	json_text(&j, "end", end_name(r));
	json_text(&j, "failure", r->failure[0] ? r->failure : NULL);
	json_object_end(&j);
}
