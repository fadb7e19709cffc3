// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-bench-stream: the reader of streams whose costs the ledger measures. It consumes data batch
 * by batch, without reading them, or walks through every packet, as any reader must. It counts in
 * memory shared with the ledger, so that the measurement costs it nothing.
 */
#include "measured.h"

#include <roc/p40.h>
#include <roc/packet.h>
#include <roc/roc.h>
#include <roc/stream.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils/common/clock.h"

#define ALONE_RATE 20	  /* events/s of a stream whose packets come one by one */
#define RECORD_RATE 10000 /* of an ODIN stream */
#define SMALL_RING (1u << 20)
#define OVERHEAD 40 /* of a packet with one fragment: header, tables */

static struct {
	bool spin;
	bool alone;
	bool walk;
	uint64_t packet, ring, batch;
	int limit_ms;
	const char *id;
	unsigned int number;
	struct roc_stream *s;
} bench;

/* Packets of one fragment, so that packets have the requested size. */
static void settings(void)
{
	struct roc_st_settings s = {
		.set = ROC_ST_SET_INTERRUPT_BYTES | ROC_ST_SET_INTERRUPT_TIME,
		.interrupt_bytes = bench.batch,
		.interrupt_time = UINT64_C(1000000) * (uint64_t)bench.limit_ms,
	};

	if (bench.number == 0) {
		s.set |= ROC_ST_SET_PACK_EVENTS | ROC_ST_SET_PACK_BYTES | ROC_ST_SET_POLICY;
		s.policy = ROC_ST_THROTTLE;
		s.pack_events = 1;
		s.pack_bytes = (uint32_t)(bench.packet < 128 ? 128 : bench.packet);
	}
	if (roc_stream_settings(bench.s, &s))
		fail("%s", roc_error());
}

/* Only once the stream runs: earlier data would not be read. */
static void generate(void)
{
	struct roc_p40_generator g;
	struct roc_endpoint *ep;

	if (bench.number == 1)
		return;
	if (roc_open(bench.id, &ep) || roc_p40_generator_read(ep, bench.number, &g))
		fail("%s", roc_error());
	g.running = true;
	g.rate = bench.number ? RECORD_RATE : 0;
	if (bench.alone)
		g.rate = ALONE_RATE;
	if (!bench.number) {
		g.size_min = (uint32_t)bench.packet - OVERHEAD;
		g.size_max = g.size_min;
		g.align = 8;
	}
	if (roc_p40_generator_set(ep, bench.number, &g))
		fail("%s", roc_error());
	roc_close(ep);
}

/* As in reader.c, for the same reason. */
static void run_near(void)
{
	struct roc_card card;

	if (bench.spin)
		return;
	if (roc_find(bench.id, &card))
		fail("%s", roc_error());
	run_on_node(card.numa_node);
}

static void prepare(void)
{
	char number[16];

	run_near();
	mark(BENCH_FOUND);
	snprintf(number, sizeof(number), "%u", bench.number);
	if (roc_stream_open(bench.id, number, &bench.s))
		fail("%s", roc_error());
	mark(BENCH_OPENED);
	if (roc_stream_ring(bench.s, bench.number ? SMALL_RING : bench.ring))
		fail("%s", roc_error());
	mark(BENCH_ALLOCATED);
	mark(BENCH_REGISTERED);
	settings();
	mark(BENCH_FILLED);
	if (roc_stream_start(bench.s, 0))
		fail("%s", roc_error());
	mark(BENCH_STARTED);
	generate();
}

/* Walk every packet and each of its fragments in place: their position and size. */
static uint64_t walk(const void *data, uint64_t bytes)
{
	struct roc_fragment f;
	struct roc_packets w;
	struct roc_packet p;
	uint64_t packets = 0;
	int ret;

	roc_packets_begin(&w, data, bytes);
	while ((ret = roc_packets_next(&w, &p)) > 0) {
		packets++;
		while ((ret = roc_packet_fragment(&p, &f)) > 0)
			;
		if (ret)
			break;
	}
	if (ret)
		fail("%s", roc_error());
	return packets;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/*
 * The time of walking alone: measured before and after the window, because reading the clock is a
 * system call; less the time of reading the clock.
 */
static uint64_t walk_timed(const void *data, uint64_t bytes)
{
	uint64_t started = cpu_ns(), begin = cpu_ns(), packets, took, asking = begin - started;

	packets = walk(data, bytes);
	took = cpu_ns() - begin;
	if (packets)
		bench_walk_add(&state->walks, took > asking ? took - asking : 0, packets);
	return packets;
}

/* Consume all available data. Returns the number of bytes. */
static uint64_t drain(void)
{
	struct bench_channel *c = &state->channels[0];
	const void *data;
	int64_t bytes;

	bytes = roc_stream_peek(bench.s, &data);
	if (bytes < 0)
		fail("%s", roc_error());
	if (!bytes)
		return 0;
	if (bench.walk)
		c->packets += state->measuring ? walk(data, (uint64_t)bytes)
					       : walk_timed(data, (uint64_t)bytes);
	if (roc_stream_consume(bench.s, (uint64_t)bytes))
		fail("%s", roc_error());
	if (!state->marks[BENCH_FIRST])
		mark(BENCH_FIRST);
	c->superpages++;
	c->bytes += (uint64_t)bytes;
	return (uint64_t)bytes;
}

static void rest(void)
{
	uint64_t wanted = bench.number || bench.alone ? 1 : bench.batch;
	int64_t n;

	if (bench.spin) {
		__builtin_ia32_pause();
		return;
	}
	state->sleeps++;
	n = roc_stream_wait(bench.s, wanted, bench.limit_ms);
	if (n < 0 && n != -ETIME && n != -EINTR)
		fail("%s", roc_error());
	if (!n && !roc_stream_running(bench.s))
		fail("the stream stopped by itself");
}

static void run(void)
{
	struct roc_st_info info;

	state->phase = BENCH_RUNNING;
	while (!state->stop) {
		if (!bench.spin)
			rest();
		if (!drain() && bench.spin)
			rest();
	}
	drain();
	if (roc_stream_stop(bench.s, NULL))
		fail("%s", roc_error());
	while (drain())
		;
	if (roc_stream_info(bench.s, &info))
		fail("%s", roc_error());
	state->channels[0].dropped = info.card.throttled;
	state->phase = BENCH_ENDED;
}

static void parse(int argc, char **argv)
{
	const char *rest = "", *source = "";
	uint64_t limit_ms = 0;
	const struct measured_option options[] = {
		{"rest", .text = &rest},
		{"packet", .number = &bench.packet},
		{"ring", .number = &bench.ring},
		{"batch", .number = &bench.batch},
		{"limit-ms", .number = &limit_ms},
		{"source", .text = &source},
		{.name = NULL},
	};

	bench.id = measured_parse_channel(argc, argv, options, &bench.number);
	if (!bench.id || bench.packet <= OVERHEAD || !bench.ring)
		measured_usage("--state FD --packet BYTES --ring BYTES [options] ID/STREAM");
	bench.spin = !strcmp(rest, "spin");
	bench.alone = !strcmp(source, "alone");
	bench.walk = !strcmp(source, "rate");
	bench.limit_ms = (int)limit_ms;
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	prepare();
	run();
	roc_stream_close(bench.s);
	return 0;
}
