// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-bench-reader: the reader whose costs the ledger measures. It takes superpages and submits
 * them again at once; it does not read the data. It counts in memory shared with the ledger, so
 * that the measurement costs it nothing.
 */
#include "measured.h"

#include <roc/roc.h>

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "utils/common/clock.h"

/* How the reader waits for superpages. */
enum rest {
	REST_WAIT,  /* roc_channel_wait(): one channel, a batch and a time limit */
	REST_EPOLL, /* all channels on one epoll */
	REST_SPIN,  /* no wait: it polls the ring */
	REST_LOOK,  /* no wait: it lets the driver poll the card (busy mode) */
};

struct source {
	const char *id;
	unsigned int number;
	struct roc_card card;
	struct roc_endpoint *ep;
	struct roc_channel *ch;
	struct roc_rings *rings;
	struct roc_memory memory;
	struct roc_ep_info info;
	uint32_t handle;
	struct bench_channel *counts;
};

static struct {
	enum roc_source source;
	enum roc_mode mode;
	enum rest rest;
	uint64_t superpage, buffer;
	unsigned int batch;
	int limit_ms;
	struct source sources[BENCH_CHANNELS];
	unsigned int count;
} bench;

static void open_source(struct source *s)
{
	/* Timer and busy mode are available with today's firmware, also on a newer card. */
	struct roc_channel_config config = {
		.source = bench.source,
		.mode = bench.mode,
		.flags = bench.mode == ROC_MODE_EVENT ? 0 : ROC_CONFIGURE_PLAIN};
	uint64_t count = bench.buffer / bench.superpage;
	unsigned int entries = ROC_RING_MIN;

	while (entries < count)
		entries *= 2;
	if (roc_channel_open_card(&s->card, s->id, s->number, &s->ch) ||
	    roc_channel_configure(s->ch, &config) || roc_channel_rings(s->ch, entries, entries))
		fail("%s", roc_error());
	s->rings = roc_channel_ring(s->ch);
}

static void give(struct source *s, uint64_t cookie)
{
	struct roc_fill *fill = roc_fill_next(s->rings);

	/* The rings have space for all superpages. */
	if (!fill)
		fail("the fill ring is full");
	*fill = (struct roc_fill){
		.buffer = s->handle,
		.length = (uint32_t)bench.superpage,
		.offset = cookie * bench.superpage,
		.cookie = cookie,
	};
}

static void publish(struct source *s)
{
	if (!roc_fill_publish(s->rings))
		return;
	s->counts->kicks++;
	if (roc_channel_kick(s->ch))
		fail("%s", roc_error());
}

/* Packets that the card dropped, by the driver's count. */
static uint64_t dropped(struct source *s)
{
	struct roc_ch_info info;

	if (roc_channel_info(s->ch, &info))
		fail("%s", roc_error());
	return info.dropped;
}

/*
 * As readers do on a server: on the card's node, with its memory and the driver's thread. A reader
 * that never sleeps would take the guest's only processor there from that thread.
 */
static void run_near(const struct source *s)
{
	if (bench.rest != REST_SPIN)
		run_on_node(s->info.numa_node);
}

static void prepare(void)
{
	unsigned int i;
	uint64_t n;

	for (i = 0; i < bench.count; i++) {
		struct source *s = &bench.sources[i];

		/* The library lists the cards of a machine once. */
		if (roc_find(s->id, &s->card) || roc_open_card(&s->card, s->id, &s->ep) ||
		    roc_info(s->ep, &s->info))
			fail("%s", roc_error());
	}
	mark(BENCH_FOUND);
	for (i = 0; i < bench.count; i++)
		open_source(&bench.sources[i]);
	mark(BENCH_OPENED);
	for (i = 0; i < bench.count; i++) {
		struct source *s = &bench.sources[i];

		if (roc_memory_alloc(bench.buffer, s->info.numa_node,
				     s->info.caps & ROC_CAP_IOMMU ? ROC_MEMORY_PLAIN_OK : 0,
				     &s->memory))
			fail("%s", roc_error());
	}
	mark(BENCH_ALLOCATED);
	run_near(&bench.sources[0]); /* not before: all processors may help to zero the memory */
	for (i = 0; i < bench.count; i++) {
		struct source *s = &bench.sources[i];

		if (roc_buffer_register(s->ch, s->memory.addr, s->memory.length,
					(uint32_t)bench.superpage, &s->handle))
			fail("%s", roc_error());
	}
	mark(BENCH_REGISTERED);
	for (i = 0; i < bench.count; i++) {
		for (n = 0; n < bench.buffer / bench.superpage; n++)
			give(&bench.sources[i], n);
		publish(&bench.sources[i]);
	}
	mark(BENCH_FILLED);
	for (i = 0; i < bench.count; i++) {
		if (roc_channel_start(bench.sources[i].ch))
			fail("%s", roc_error());
	}
	mark(BENCH_STARTED);
}

static void take_times(struct source *s, const struct roc_ready *r, uint64_t now)
{
	uint64_t stamp;

	bench_time_add(&state->from_ready, (int64_t)(now - r->time));
	if (!state->stamped)
		return;
	memcpy(&stamp, (char *)s->memory.addr + r->offset, sizeof(stamp));
	bench_time_add(&state->from_card, (int64_t)(now - stamp) - state->clock_offset);
}

/* Submit all ready superpages again. Returns their number. */
static uint32_t drain(struct source *s)
{
	uint32_t count = roc_ready_count(s->rings), i;
	uint64_t now;

	if (!count)
		return 0;
	now = state->measuring ? now_ns() : 0;
	for (i = 0; i < count; i++) {
		const struct roc_ready *r = roc_ready_at(s->rings, i);

		if (r->flags & ROC_READY_REFUSED) {
			s->counts->refused++;
			fail("%s", roc_reason_text(r->reason));
		}
		if (r->flags & ROC_READY_RECLAIMED) {
			s->counts->reclaimed++;
			continue;
		}
		if (!state->marks[BENCH_FIRST])
			mark(BENCH_FIRST);
		s->counts->superpages++;
		s->counts->bytes += r->received;
		if (now)
			take_times(s, r, now);
		give(s, r->cookie);
	}
	roc_ready_release(s->rings, count);
	publish(s);
	return count;
}

static void rest(int epoll)
{
	struct epoll_event events[BENCH_CHANNELS];
	struct source *s = &bench.sources[0];
	unsigned int i;
	int n;

	switch (bench.rest) {
	case REST_SPIN:
		__builtin_ia32_pause();
		return;
	case REST_LOOK:
		for (i = 0; i < bench.count; i++) {
			bench.sources[i].counts->looks++;
			if (roc_channel_poll(bench.sources[i].ch) < 0)
				fail("%s", roc_error());
		}
		return;
	case REST_WAIT:
		state->sleeps++;
		n = roc_channel_wait(s->ch, bench.batch, bench.limit_ms);
		if (n < 0 && n != -ETIME && n != -EINTR)
			fail("%s", roc_error());
		break;
	case REST_EPOLL:
		state->sleeps++;
		n = epoll_wait(epoll, events, BENCH_CHANNELS, 1000);
		if (n < 0 && errno != EINTR)
			fail("epoll_wait: %s", strerror(errno));
		break;
	}
	for (i = 0; i < bench.count; i++) {
		if (roc_ready_count(bench.sources[i].rings))
			return;
		if (__atomic_load_n(&bench.sources[i].rings->kernel->flags, __ATOMIC_RELAXED) &
		    ROC_RING_STOPPED)
			fail("channel %u of %s stopped by itself", bench.sources[i].number,
			     bench.sources[i].id);
	}
	state->empty_wakes++;
}

static int make_epoll(void)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	unsigned int i;

	if (epoll < 0)
		fail("epoll_create1: %s", strerror(errno));
	for (i = 0; i < bench.count; i++) {
		struct epoll_event event = {.events = EPOLLIN | EPOLLERR};

		if (epoll_ctl(epoll, EPOLL_CTL_ADD, roc_channel_fd(bench.sources[i].ch), &event))
			fail("epoll_ctl: %s", strerror(errno));
	}
	return epoll;
}

static void run(void)
{
	int epoll = bench.rest == REST_EPOLL ? make_epoll() : -1;
	unsigned int i, taken;

	state->phase = BENCH_RUNNING;
	while (!state->stop) {
		taken = 0;
		for (i = 0; i < bench.count; i++)
			taken += drain(&bench.sources[i]);
		if (!taken)
			rest(epoll);
	}
	for (i = 0; i < bench.count; i++) {
		if (roc_channel_stop(bench.sources[i].ch, NULL))
			fail("%s", roc_error());
		drain(&bench.sources[i]);
		bench.sources[i].counts->dropped = dropped(&bench.sources[i]);
	}
	state->phase = BENCH_ENDED;
}

static unsigned int choice(const char *text, const char *const *words)
{
	unsigned int i;

	for (i = 0; words[i]; i++) {
		if (!strcmp(words[i], text))
			return i;
	}
	fprintf(stderr, "roc-bench-reader: unknown word '%s'\n", text);
	exit(2);
}

/* ID/CHANNEL */
static void add_source(char *text)
{
	struct source *s = &bench.sources[bench.count];

	if (bench.count < BENCH_CHANNELS)
		s->id = measured_channel(text, &s->number);
	if (bench.count == BENCH_CHANNELS || !s->id) {
		fprintf(stderr, "roc-bench-reader: too many channels, or not ID/N: %s\n", text);
		exit(2);
	}
	s->counts = &state->channels[bench.count++];
}

static void parse(int argc, char **argv)
{
	static const char *const sources[] = {"internal", "ddg", "fee", "diu", "siu", NULL};
	static const char *const modes[] = {"timer", "busy", "event", NULL};
	static const char *const rests[] = {"wait", "epoll", "spin", "look", NULL};
	const char *source = sources[0], *mode = modes[0], *rest = rests[0];
	uint64_t batch = 0, limit_ms = 0;
	const struct measured_option options[] = {
		{"source", .text = &source},
		{"mode", .text = &mode},
		{"rest", .text = &rest},
		{"superpage", .number = &bench.superpage},
		{"buffer", .number = &bench.buffer},
		{"batch", .number = &batch},
		{"limit-ms", .number = &limit_ms},
		{.name = NULL},
	};
	bool shared = measured_parse(argc, argv, options);

	bench.source = (enum roc_source)choice(source, sources);
	bench.mode = (enum roc_mode)choice(mode, modes);
	bench.rest = (enum rest)choice(rest, rests);
	bench.batch = (unsigned int)batch;
	bench.limit_ms = (int)limit_ms;
	for (; optind < argc; optind++)
		add_source(argv[optind]);
	if (!shared || !bench.count || !bench.superpage || bench.buffer < bench.superpage ||
	    (bench.rest == REST_WAIT && bench.count > 1))
		measured_usage(
			"--state FD --superpage BYTES --buffer BYTES [options] ID/CHANNEL...");
}

int main(int argc, char **argv)
{
	unsigned int i;

	parse(argc, argv);
	prepare();
	run();
	for (i = 0; i < bench.count; i++) {
		roc_channel_close(bench.sources[i].ch);
		roc_memory_free(&bench.sources[i].memory);
		roc_close(bench.sources[i].ep);
	}
	return 0;
}
