// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output of roc-stream for data: a packet as text, a live line on the terminal, and a table or JSON
 * at the end.
 */
#include "stream.h"

#include <inttypes.h>

#include "utils/common/output.h"
#include "utils/common/values.h"

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

void stream_live(struct stream_run *r, uint64_t now)
{
	char time[32];
	double rate = channel_live_rate(&r->run, now, r->bytes, time);

	if (r->run.live)
		output_live(stdout,
			    "  %s   Packets %-10" PRIu64 "   Events %-12" PRIu64
			    "   %7.2f Gb/s   Missing %-6" PRIu64 "   Errors %-6" PRIu64,
			    time, r->check.packets, r->check.events, rate * 8 / 1e9,
			    r->check.missing, r->run.errors.count);
}

static double gigabytes(const void *o)
{
	return channel_rate(o, (double)((const struct stream_run *)o)->bytes / 1e9);
}

static double gigabits(const void *o)
{
	return channel_rate(o, (double)((const struct stream_run *)o)->bytes * 8 / 1e9);
}

static double events_per_second(const void *o)
{
	return channel_rate(o, (double)((const struct stream_run *)o)->check.events);
}

static uint64_t throttled(const void *o)
{
	const struct stream_run *r = o;
	uint64_t now = r->info.card.throttled, before = r->before.card.throttled;

	return now > before ? now - before : 0;
}

#define RUN(member) VALUE(struct stream_run, member)

static const struct value values[] = {
	{RUN(info.name), .key = "stream"},
	{RUN(info.ring), .key = "ringBytes"},
	{RUN(info.segments), .key = "ringSegments"},
	{.name = "Seconds", .key = "seconds", .real = channel_seconds},
	{RUN(check.packets), .name = "Packets", .key = "packets"},
	{RUN(check.events), .name = "Events", .key = "events"},
	{RUN(bytes), .name = "Bytes", .key = "bytes"},
	{RUN(check.payload), .name = "Bytes of payload", .key = "payloadBytes"},
	{.name = "GB/s", .real = gigabytes},
	{.name = "Gb/s", .real = gigabits},
	{.name = "Events/s", .real = events_per_second},
	{RUN(check.gaps), .name = "Gaps", .key = "gaps"},
	{RUN(check.missing), .name = "Events missing", .key = "missing"},
	{.name = "Events throttled", .key = "throttled", .count = throttled},
	{RUN(check.truncated), .name = "Events truncated", .key = "truncated"},
	{RUN(check.damaged), .name = "Packets damaged", .key = "damaged"},
	{RUN(lost), .name = "Lost at the stop", .key = "lostAtStop"},
	{RUN(run.errors.count), .key = "errors"},
	{.json = channel_checked_json},
	{RUN(check.expect.known), .key = "sizesKnown"},
	{.key = "gigabitsPerSecond", .real = gigabits},
	{.key = "eventsPerSecond", .real = events_per_second},
	{RUN(batches), .name = "Batches", .key = "batches", .verbose = true},
	{RUN(run.waits), .name = "Waits", .key = "waits", .verbose = true},
	{RUN(info.interrupts), .name = "Interrupts", .key = "interrupts", .verbose = true},
	{RUN(info.arms), .key = "arms"},
	{RUN(info.doorbells), .key = "doorbells"},
	{RUN(info.mmio_reads), .name = "Register reads", .key = "mmioReads", .verbose = true},
	{RUN(info.mmio_writes), .name = "Register writes", .key = "mmioWrites", .verbose = true},
	{.key = "end", .text = channel_end_name},
	{.key = "failure", .text = channel_failure},
	{.name = "Errors", .text = channel_errors},
};

const struct values stream_report = VALUES(values, .width = 22, .digits = 6);
