// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-bench-stream: the reader of streams whose costs the ledger measures. It takes what is there
 * and gives it back, batch by batch; it looks at no data, or walks through every packet, as any
 * reader has to. What it counts it writes into memory shared with the ledger, so that being watched
 * costs it nothing.
 */
#include "state.h"

#include <roc/p40.h>
#include <roc/packet.h>
#include <roc/roc.h>
#include <roc/stream.h>

#include <errno.h>
#include <getopt.h>
#include <numa.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "utils/common/clock.h"

#define ALONE_RATE 20	  /* events per second of a stream whose packets come alone */
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
	struct bench_state *state;
} bench;

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(bench.state->why, sizeof(bench.state->why), fmt, ap);
	va_end(ap);
	fprintf(stderr, "roc-bench-stream: %s\n", bench.state->why);
	bench.state->phase = BENCH_FAILED;
	_exit(1);
}

static void mark(enum bench_mark m)
{
	bench.state->marks[m] = now_ns();
}

/* Packets of one fragment, so that a packet has the size that is asked for. */
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

/* Only once the stream runs: what it makes before is nobody's. */
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

/* As reader.c does, and for the same reason. */
static void run_near(void)
{
	struct roc_card card;

	if (bench.spin || numa_available() < 0)
		return;
	if (roc_find(bench.id, &card))
		fail("%s", roc_error());
	if (card.numa_node >= 0 && numa_run_on_node(card.numa_node))
		fail("node %d: %s", card.numa_node, strerror(errno));
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

/* Every packet and each of its fragments, in place: where they are, and whether they fit. */
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
 * What walking takes by itself: before and after the window, because asking for the time is a
 * system call; less what asking takes.
 */
static uint64_t walk_timed(const void *data, uint64_t bytes)
{
	uint64_t asked = cpu_ns(), begin = cpu_ns(), packets, took, asking = begin - asked;

	packets = walk(data, bytes);
	took = cpu_ns() - begin;
	if (packets)
		bench_walk_add(&bench.state->walks, took > asking ? took - asking : 0, packets);
	return packets;
}

/* Everything that is there goes back. Bytes of it. */
static uint64_t drain(void)
{
	struct bench_channel *c = &bench.state->channels[0];
	const void *data;
	int64_t bytes;

	bytes = roc_stream_peek(bench.s, &data);
	if (bytes < 0)
		fail("%s", roc_error());
	if (!bytes)
		return 0;
	if (bench.walk)
		c->packets += bench.state->measuring ? walk(data, (uint64_t)bytes)
						     : walk_timed(data, (uint64_t)bytes);
	if (roc_stream_consume(bench.s, (uint64_t)bytes))
		fail("%s", roc_error());
	if (!bench.state->marks[BENCH_FIRST])
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
	bench.state->sleeps++;
	n = roc_stream_wait(bench.s, wanted, bench.limit_ms);
	if (n < 0 && n != -ETIME && n != -EINTR)
		fail("%s", roc_error());
	if (!n && !roc_stream_running(bench.s))
		fail("the stream stopped by itself");
}

static void run(void)
{
	struct roc_st_info info;

	bench.state->phase = BENCH_RUNNING;
	while (!bench.state->stop) {
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
	bench.state->channels[0].dropped = info.card.throttled;
	bench.state->phase = BENCH_ENDED;
}

/* Only to end a sleep: the flag in the shared memory says what to do. */
static void on_term(int number)
{
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (!*text || *end) {
		fprintf(stderr, "roc-bench-stream: '%s' is not a number\n", text);
		exit(2);
	}
	return value;
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{"state", required_argument, NULL, 's'},
		{"rest", required_argument, NULL, 'r'},
		{"packet", required_argument, NULL, 'p'},
		{"ring", required_argument, NULL, 'b'},
		{"batch", required_argument, NULL, 'n'},
		{"limit-ms", required_argument, NULL, 'l'},
		{"source", required_argument, NULL, 'o'},
		{NULL},
	};
	char *slash;
	int opt, fd = -1;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 's':
			fd = (int)number(optarg);
			break;
		case 'r':
			bench.spin = !strcmp(optarg, "spin");
			break;
		case 'p':
			bench.packet = number(optarg);
			break;
		case 'b':
			bench.ring = number(optarg);
			break;
		case 'n':
			bench.batch = number(optarg);
			break;
		case 'l':
			bench.limit_ms = (int)number(optarg);
			break;
		case 'o':
			bench.alone = !strcmp(optarg, "alone");
			bench.walk = !strcmp(optarg, "rate");
			break;
		default:
			exit(2);
		}
	}
	slash = optind + 1 == argc ? strchr(argv[optind], '/') : NULL;
	bench.state = mmap(NULL, sizeof(*bench.state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bench.state == MAP_FAILED || !slash || bench.packet <= OVERHEAD || !bench.ring) {
		fprintf(stderr,
			"usage: roc-bench-stream --state FD --packet BYTES --ring BYTES [options] ID/STREAM\n");
		exit(2);
	}
	*slash = '\0';
	bench.id = argv[optind];
	bench.number = (unsigned int)number(slash + 1);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_term};
	uint64_t begin = now_ns();

	parse(argc, argv);
	bench.state->marks[BENCH_MAIN] = begin;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGTERM, &action, NULL);
	prepare();
	run();
	roc_stream_close(bench.s);
	return 0;
}
