// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Taking data from a stream, in place: every packet is looked at where the card wrote it, and the
 * ring is given back once per batch.
 */
#include "stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utils/common/card.h"
#include "utils/common/clock.h"
#include "utils/common/output.h"
#include "utils/common/stop.h"
#include "utils/common/tool.h"

#define WAIT_MS 100 /* a signal between the look and the sleep waits so long */
#define DUMP_PACKETS 10
#define LOOKS 64 /* of a busy reader, between two at the clock */

__attribute__((format(printf, 2, 3))) static void fail(struct stream_run *r, const char *fmt, ...)
{
	va_list ap;

	if (r->failure[0])
		return;
	va_start(ap, fmt);
	vsnprintf(r->failure, sizeof(r->failure), fmt, ap);
	va_end(ap);
}

static uint64_t most_packets(const struct stream_options *o)
{
	if (o->packets.given)
		return o->packets.value ? o->packets.value : UINT64_MAX;
	return o->action == STREAM_DUMP ? DUMP_PACKETS : UINT64_MAX;
}

static void take_packet(struct stream_run *r, struct roc_packet *p)
{
	if (r->opt->action == STREAM_DUMP)
		stream_packet_text(stdout, p, r->opt->common.verbose);
	if (r->bin && fwrite(p->data, 1, p->size, r->bin) != p->size)
		fail(r, "%s could not be written: %s.", r->opt->bin_file, strerror(errno));
	if (stream_check_packet(&r->check, p, r->opt->no_errorcheck)) {
		error_log_add(&r->errors, "%s", roc_error());
		fail(r, "The data are no packets: %s", roc_error());
	}
}

/* One batch: everything that is there, or what is still wanted of it. */
static uint64_t take(struct stream_run *r, const void *data, uint64_t bytes)
{
	uint64_t most = most_packets(r->opt);
	struct roc_packets walk;
	struct roc_packet p;
	int ret = 1;

	roc_packets_begin(&walk, data, bytes);
	while (r->check.packets < most && !r->failure[0] && (ret = roc_packets_next(&walk, &p)) > 0)
		take_packet(r, &p);
	if (ret < 0) {
		error_log_add(&r->errors, "%s", roc_error());
		fail(r, "The data are no packets: %s", roc_error());
	}
	if (roc_stream_consume(r->s, walk.done))
		fail(r, "%s", roc_error());
	r->bytes += walk.done;
	r->batches++;
	return walk.done;
}

/* The stream does not deliver any more: why? */
static void explain(struct stream_run *r)
{
	struct roc_st_info info;

	if (roc_stream_info(r->s, &info))
		fail(r, "%s", roc_error());
	else if (info.state == ROC_CH_FAILED)
		fail(r, "The stream failed: %s", roc_why_text(info.why));
	else if (info.state != ROC_CH_RUNNING)
		fail(r, "The stream was stopped by something else.");
}

/* Bytes there are; 0: none came within a moment. */
static int64_t look(struct stream_run *r)
{
	int64_t bytes;

	if (r->opt->busy) {
		const void *data;

		return roc_stream_peek(r->s, &data);
	}
	r->waits++;
	bytes = roc_stream_wait(r->s, 1, WAIT_MS);
	if (bytes == -ETIME || bytes == -EINTR)
		return 0;
	if (!bytes)
		explain(r);
	return bytes;
}

static bool finished(struct stream_run *r, uint64_t now, uint64_t progress)
{
	const struct stream_options *o = r->opt;

	if (r->failure[0])
		r->end = STREAM_END_FAILED;
	else if (stop_asked())
		r->end = STREAM_END_SIGNAL;
	else if (r->check.packets >= most_packets(o))
		r->end = STREAM_END_PACKETS;
	else if (o->bytes && r->bytes >= o->bytes)
		r->end = STREAM_END_BYTES;
	else if (o->time && now - r->start >= o->time * NS_PER_S)
		r->end = STREAM_END_TIME;
	else if (o->stall_limit && now - progress >= o->stall_limit * NS_PER_S)
		r->end = STREAM_END_STALL;
	else
		return false;
	return true;
}

static void run(struct stream_run *r)
{
	uint64_t now = now_ns(), progress = now, tick = now + NS_PER_S;
	const void *data = NULL;
	unsigned int looks = 0;
	bool stopped = false; /* the ring was polled after the stop, too */
	int64_t bytes;

	r->start = now;
	while (!finished(r, now, progress)) {
		bytes = look(r);
		if (bytes > 0)
			bytes = roc_stream_peek(r->s, &data);
		if (bytes < 0)
			fail(r, "%s", roc_error());
		else if (bytes && take(r, data, (uint64_t)bytes))
			progress = now;
		else if (stopped)
			explain(r);
		else if (r->opt->busy && ++looks % LOOKS)
			continue;
		else if (r->opt->busy)
			stopped = !roc_stream_running(r->s);
		now = now_ns();
		if (now >= tick) {
			stream_live(r, now);
			tick = now + NS_PER_S;
		}
	}
	r->finish = now_ns();
}

/* What the card still had is in the ring now; what is not wanted of it stays there. */
static void drain(struct stream_run *r)
{
	const void *data = NULL;
	int64_t bytes;

	while (!r->failure[0] && (bytes = roc_stream_peek(r->s, &data)) > 0 &&
	       take(r, data, (uint64_t)bytes))
		;
	if (r->check.packets >= most_packets(r->opt))
		r->end = STREAM_END_PACKETS;
}

/*
 * Our counts against the card's, which is what it says of the time since the start: all of it,
 * unless so many packets were wanted and no more.
 */
static void compare(struct stream_run *r)
{
	const struct roc_st_counters *a = &r->before.card, *b = &r->info.card;
	uint64_t throttled = b->throttled - a->throttled;
	uint64_t flushed = b->discarded - a->discarded - r->lost;
	uint64_t bytes = b->bytes - a->bytes, packets = b->units - a->units;
	bool all = r->end != STREAM_END_PACKETS;

	if (b->throttled < a->throttled || b->discarded < a->discarded || b->bytes < a->bytes ||
	    b->units < a->units) {
		error_log_add(&r->errors, "the card's counters were reset meanwhile, so that what "
					  "came cannot be compared with them");
		return;
	}
	if (r->bytes > bytes || r->check.packets > packets ||
	    (all && (r->bytes < bytes || r->check.packets < packets)))
		error_log_add(&r->errors,
			      "the card says that it wrote %" PRIu64 " packets and %" PRIu64
			      " bytes, but %" PRIu64 " and %" PRIu64 " came",
			      packets, bytes, r->check.packets, r->bytes);
	/* What lies behind the last packet that we took is not seen as a gap. */
	if (r->check.kind != ROC_PACKET_META && r->check.missing > throttled + flushed)
		error_log_add(&r->errors,
			      "%" PRIu64 " events are missing, but the card throttled %" PRIu64
			      " and threw %" PRIu64 " away",
			      r->check.missing, throttled, flushed);
}

/* What the generator makes, if one does and there is such a card. */
static void learn_generator(struct stream_run *r)
{
	struct roc_endpoint *ep;

	if (r->card.type != ROC_CARD_P40 || roc_open_card(&r->card, r->opt->id, &ep))
		return;
	r->check.expect.known =
		!roc_p40_generator_read(ep, roc_stream_number(r->s), &r->check.expect.generator) &&
		r->check.expect.generator.running;
	roc_close(ep);
}

static int prepare(struct stream_run *r)
{
	const struct stream_options *o = r->opt;
	int err;

	err = roc_find(o->id, &r->card);
	if (err)
		return tool_fail_card(err);
	if (roc_stream_open_card(&r->card, o->id, o->stream ? o->stream : "main", &r->s) ||
	    roc_stream_ring(r->s, o->ring.value) || roc_stream_info(r->s, &r->before))
		return tool_fail("%s", roc_error());
	if (o->bin_file && !(r->bin = fopen(o->bin_file, "we")))
		return tool_fail("%s cannot be written: %s.", o->bin_file, strerror(errno));
	learn_generator(r);
	r->errors.path = ERROR_LOG_FILE;
	r->errors.card = r->card.pci_address;
	r->check.errors = &r->errors;
	r->check.from_start = true;
	if (sscanf(roc_stream_name(r->s), "odin%hu", &r->check.stream) != 1)
		r->check.stream = 0;
	r->live =
		o->action == STREAM_FOLLOW && output_is_live(stdout) && !o->no_display && !o->json;
	return TOOL_OK;
}

/* The counts of the ring are looked at before the stop, and the losses after it. */
static void take_data(struct stream_run *r)
{
	if (roc_stream_start(r->s, 0)) {
		fail(r, "%s", roc_error());
		return;
	}
	run(r);
	stream_live_end(r);
	if (roc_stream_stop(r->s, &r->lost))
		fail(r, "%s", roc_error());
	else if (r->end != STREAM_END_PACKETS)
		drain(r);
	if (roc_stream_info(r->s, &r->info))
		fail(r, "%s", roc_error());
	else if (!r->failure[0])
		compare(r);
}

static int verdict(struct stream_run *r)
{
	int code;

	if (r->end == STREAM_END_STALL)
		return tool_fail("Nothing came for %u s: does its source make events (roc-stream "
				 "set), and is the stream enabled in the card?",
				 r->opt->stall_limit);
	if (r->failure[0])
		return tool_fail("%s", r->failure);
	if (r->check.damaged)
		tool_fail("The card flagged %" PRIu64 " of %" PRIu64 " packets as damaged: %" PRIu64
			  " events are cut short.",
			  r->check.damaged, r->check.packets, r->check.truncated);
	code = error_log_verdict(&r->errors);
	return r->check.damaged ? TOOL_FAILED : code;
}

int stream_take(const struct stream_options *o)
{
	struct stream_run *r = calloc(1, sizeof(*r));
	int code;

	if (!r)
		return tool_fail("There is no memory left.");
	r->opt = o;
	stop_on_first_signals();
	/* A dump ends with the program that reads it. */
	if (o->action == STREAM_FOLLOW)
		stop_not_by_readers();
	code = prepare(r);
	if (!code) {
		take_data(r);
		if (r->bin && fclose(r->bin))
			fail(r, "%s could not be written: %s.", o->bin_file, strerror(errno));
		error_log_close(&r->errors);
		if (o->action == STREAM_FOLLOW && o->json)
			stream_report_json(stdout, r);
		else if (o->action == STREAM_FOLLOW)
			stream_report_text(stdout, r);
		code = verdict(r);
	}
	roc_stream_close(r->s);
	free(r);
	return code;
}
