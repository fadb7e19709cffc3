// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Take data from a stream in place: check each packet where the card wrote it, and return the space
 * in the ring once per batch.
 */
#include "stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "utils/common/clock.h"
#include "utils/common/tool.h"

#define WAIT_MS 100 /* longest sleep, also if a signal comes just before it */
#define DUMP_PACKETS 10
#define POLLS 64 /* polls between two checks of the clock in a busy run */

static uint64_t most_packets(const struct stream_options *o)
{
	if (o->packets.given)
		return o->packets.value ? o->packets.value : UINT64_MAX;
	return o->channel.action == STREAM_DUMP ? DUMP_PACKETS : UINT64_MAX;
}

static void check_packet(struct stream_run *r, struct roc_packet *p)
{
	if (r->opt->channel.action == STREAM_DUMP)
		stream_packet_text(stdout, p, r->opt->channel.common.verbose);
	if (r->bin && fwrite(p->data, 1, p->size, r->bin) != p->size)
		channel_fail(&r->run, "Cannot write %s: %s.", r->opt->bin_file, strerror(errno));
	if (stream_check_packet(&r->check, p, r->opt->channel.no_errorcheck)) {
		error_log_add(&r->run.errors, "%s", roc_error());
		channel_fail(&r->run, "Invalid packet data: %s", roc_error());
	}
}

/* Check and consume one batch: all packets in the ring, or as many as are still to be taken. */
static uint64_t consume_batch(struct stream_run *r, const void *data, uint64_t bytes)
{
	uint64_t most = most_packets(r->opt);
	struct roc_packets walk;
	struct roc_packet p;
	int ret = 1;

	roc_packets_begin(&walk, data, bytes);
	while (r->check.packets < most && !r->run.failure[0] &&
	       (ret = roc_packets_next(&walk, &p)) > 0)
		check_packet(r, &p);
	if (ret < 0) {
		error_log_add(&r->run.errors, "%s", roc_error());
		channel_fail(&r->run, "Invalid packet data: %s", roc_error());
	}
	if (roc_stream_consume(r->s, walk.done))
		channel_fail(&r->run, "%s", roc_error());
	r->bytes += walk.done;
	r->batches++;
	return walk.done;
}

/* Record why the stream delivers no more data. */
static void explain(struct stream_run *r)
{
	struct roc_st_info info;

	if (roc_stream_info(r->s, &info))
		channel_fail(&r->run, "%s", roc_error());
	else
		channel_explain(&r->run, "The stream", info.state, info.reason);
}

/* Return the number of bytes in the ring; 0: none arrived within WAIT_MS. */
static int64_t poll_ring(struct stream_run *r)
{
	int64_t bytes;

	if (r->opt->channel.busy) {
		const void *data;

		return roc_stream_peek(r->s, &data);
	}
	r->run.waits++;
	bytes = roc_stream_wait(r->s, 1, WAIT_MS);
	if (bytes == -ETIME || bytes == -EINTR)
		return 0;
	if (!bytes)
		explain(r);
	return bytes;
}

static bool finished(struct stream_run *r, uint64_t now)
{
	const struct stream_options *o = r->opt;
	enum channel_end reached = CHANNEL_END_NONE;

	if (r->check.packets >= most_packets(o))
		reached = CHANNEL_END_PACKETS;
	else if (o->bytes && r->bytes >= o->bytes)
		reached = CHANNEL_END_BYTES;
	return channel_run_finished(&r->run, now, reached);
}

static void run(struct stream_run *r)
{
	const void *data = NULL;
	uint64_t now = now_ns();
	unsigned int polls = 0;
	bool stopped = false; /* the ring was polled once more after the stop */
	int64_t bytes;

	channel_run_begin(&r->run, now);
	while (!finished(r, now)) {
		bytes = poll_ring(r);
		if (bytes > 0)
			bytes = roc_stream_peek(r->s, &data);
		if (bytes < 0)
			channel_fail(&r->run, "%s", roc_error());
		else if (bytes && consume_batch(r, data, (uint64_t)bytes))
			r->run.progress = now;
		else if (stopped)
			explain(r);
		else if (r->opt->channel.busy && ++polls % POLLS)
			continue;
		else if (r->opt->channel.busy)
			stopped = !roc_stream_running(r->s);
		now = now_ns();
		if (channel_run_tick(&r->run, now))
			stream_live(r, now);
	}
	r->run.finish = now_ns();
}

/* Consume the data that the stop flushed to the ring; those above --packets stay there. */
static void drain(struct stream_run *r)
{
	const void *data = NULL;
	int64_t bytes;

	while (!r->run.failure[0] && (bytes = roc_stream_peek(r->s, &data)) > 0 &&
	       consume_batch(r, data, (uint64_t)bytes))
		;
	if (r->check.packets >= most_packets(r->opt))
		r->run.end = CHANNEL_END_PACKETS;
}

/*
 * Compare the counts of this tool with the increase of the card's counters since the start. All
 * data must have been taken, unless --packets ended the run.
 */
static void compare(struct stream_run *r)
{
	const struct roc_st_counters *a = &r->before.card, *b = &r->info.card;
	uint64_t throttled = b->throttled - a->throttled;
	uint64_t flushed = b->discarded - a->discarded - r->lost;
	uint64_t bytes = b->bytes - a->bytes, packets = b->units - a->units;
	bool all = r->run.end != CHANNEL_END_PACKETS;

	if (b->throttled < a->throttled || b->discarded < a->discarded || b->bytes < a->bytes ||
	    b->units < a->units) {
		error_log_add(
			&r->run.errors,
			"the card's counters were reset during the run: the received data cannot be compared with them");
		return;
	}
	if (r->bytes > bytes || r->check.packets > packets ||
	    (all && (r->bytes < bytes || r->check.packets < packets)))
		error_log_add(&r->run.errors,
			      "the card wrote %" PRIu64 " packets and %" PRIu64
			      " bytes, but %" PRIu64 " packets and %" PRIu64 " bytes were received",
			      packets, bytes, r->check.packets, r->bytes);
	/* Events missing after the last consumed packet are not seen as a gap. */
	if (r->check.kind != ROC_PACKET_META && r->check.missing > throttled + flushed)
		error_log_add(&r->run.errors,
			      "%" PRIu64 " events are missing, but the card throttled %" PRIu64
			      " and discarded %" PRIu64,
			      r->check.missing, throttled, flushed);
}

/* Read the settings of the generator, if the card has one and it runs. */
static void read_generator(struct stream_run *r)
{
	const struct card_type *type = card_type_find(r->run.card.type);
	struct roc_endpoint *ep;

	if (!type || !type->streams || roc_open_card(&r->run.card, r->opt->channel.id, &ep))
		return;
	r->check.expect.known = !type->streams->generator_read(ep, roc_stream_number(r->s),
							       &r->check.expect.generator) &&
				r->check.expect.generator.running;
	roc_close(ep);
}

static int prepare(struct channel_run *channel)
{
	struct stream_run *r = (struct stream_run *)channel;
	const struct stream_options *o = r->opt;
	int code;

	code = channel_run_prepare(&r->run, &o->channel, o->channel.action == STREAM_FOLLOW);
	if (code)
		return code;
	if (roc_stream_open_card(&r->run.card, o->channel.id,
				 o->channel.name ? o->channel.name : "main", &r->s) ||
	    roc_stream_ring(r->s, o->ring.value) || roc_stream_info(r->s, &r->before))
		return tool_fail("%s", roc_error());
	if (o->bin_file && !(r->bin = fopen(o->bin_file, "we")))
		return tool_fail("Cannot open %s: %s.", o->bin_file, strerror(errno));
	read_generator(r);
	r->check.errors = &r->run.errors;
	r->check.from_start = true;
	if (sscanf(roc_stream_name(r->s), "odin%hu", &r->check.stream) != 1)
		r->check.stream = 0;
	return TOOL_OK;
}

/* Read the counters after the stop, which flushes the data of the card to the ring. */
static void start_and_stop(struct stream_run *r)
{
	if (roc_stream_start(r->s, 0)) {
		channel_fail(&r->run, "%s", roc_error());
		return;
	}
	run(r);
	channel_live_end(&r->run);
	if (roc_stream_stop(r->s, &r->lost))
		channel_fail(&r->run, "%s", roc_error());
	else if (r->run.end != CHANNEL_END_PACKETS)
		drain(r);
	if (roc_stream_info(r->s, &r->info))
		channel_fail(&r->run, "%s", roc_error());
	else if (!r->run.failure[0])
		compare(r);
}

static void run_stream(struct channel_run *channel)
{
	struct stream_run *r = (struct stream_run *)channel;

	start_and_stop(r);
	if (r->bin && fclose(r->bin))
		channel_fail(&r->run, "Cannot write %s: %s.", r->opt->bin_file, strerror(errno));
}

static int verdict(struct channel_run *channel)
{
	struct stream_run *r = (struct stream_run *)channel;
	int code;

	if (r->run.end == CHANNEL_END_STALL)
		return tool_fail(
			"No data arrived for %u s (--stall-limit): check that the source makes events and that the stream is enabled (roc-stream set).",
			r->opt->channel.stall_limit);
	if (r->run.failure[0])
		return tool_fail("%s", r->run.failure);
	if (r->check.damaged)
		tool_fail("The card flagged %" PRIu64 " of %" PRIu64 " packets as damaged: %" PRIu64
			  " events are truncated.",
			  r->check.damaged, r->check.packets, r->check.truncated);
	code = error_log_verdict(&r->run.errors);
	return r->check.damaged ? TOOL_FAILED : code;
}

static void close_stream(struct channel_run *channel)
{
	roc_stream_close(((struct stream_run *)channel)->s);
}

int stream_take(const void *options)
{
	const struct stream_options *o = options;
	static const struct channel_run_ops ops = {prepare, run_stream, verdict, close_stream};
	bool follow = o->channel.action == STREAM_FOLLOW;
	struct stream_run *r = calloc(1, sizeof(*r));
	int code;

	if (!r)
		return tool_fail("Cannot allocate the state of the run.");
	r->opt = o;
	code = channel_run(&r->run, &o->channel, &ops, follow ? &stream_report : NULL);
	free(r);
	return code;
}
