// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process with one open channel that carries out orders. See subject.h.
 */
#include "subject.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "limit.h"
#include "mem.h"
#include "node.h"
#include "reader.h"
#include "rig.h"
#include "taker.h"

#define SUPERPAGE (128u << 10)
#define COUNT 16
#define RING (256u << 10)
#define PAGES 64
#define PREPARE_MS 10000
#define END_MS 10000
#define LOOK_HAND 1

/* State of the child process. */
static struct subject *self;
static struct rig rig;
static struct reader reader; /* of a stream, instead of @rig */
static struct taker taker;   /* of a sub-unit */
static bool streams, fragments;
static bool given; /* the card has its pages */
static int fd = -1;
static char node[64]; /* opened in advance: the card may be being removed */
static struct roc_memory extra;
static volatile bool leave, left; /* the main thread leaves the rings alone */

static int do_close(void)
{
	int64_t end = now_ms() + patience_ms(END_MS);

	leave = true;
	while (!left && now_ms() < end)
		sleep_ms(1);
	if (rig.ch)
		roc_channel_close(rig.ch);
	else if (reader.fd)
		reader_close(&reader);
	else if (taker.fd)
		taker_close(&taker);
	else
		close(fd);
	return 0;
}

static int make_ring(void)
{
	struct roc_st_ring ring = {.size = sizeof(ring), .length = RING};

	return abi(fd, ROC_ST_RING, &ring);
}

static int make_rings(void)
{
	struct roc_fr_rings rings = {.size = sizeof(rings), .pages = PAGES};

	return abi(fd, ROC_FR_RINGS, &rings);
}

static int more_memory(void)
{
	struct roc_buf_register reply;

	if (streams)
		return make_ring();
	return fragments ? make_rings() : buffer_register(fd, extra.addr, extra.length, 0, &reply);
}

static int start(void)
{
	struct roc_st_start stream = {.size = sizeof(stream)};
	struct roc_fr_start sub = {.size = sizeof(sub)};

	if (streams)
		return abi(fd, ROC_ST_START, &stream);
	return fragments ? abi(fd, ROC_FR_START, &sub) : control(fd, ROC_CH_START, 0, 0);
}

static int stop(void)
{
	struct roc_st_stop stream = {.size = sizeof(stream)};
	struct roc_fr_stop sub = {.size = sizeof(sub)};

	if (streams)
		return abi(fd, ROC_ST_STOP, &stream);
	return fragments ? abi(fd, ROC_FR_STOP, &sub) : control(fd, ROC_CH_STOP, 0, 0);
}

static int wait_now(void)
{
	struct roc_st_wait stream = {.size = sizeof(stream), .position = reader.read + 1};
	struct roc_fr_wait sub = {
		.size = sizeof(sub), .mask = ROC_FR_WAIT_DATA, .descriptors = taker.data_count + 1};
	struct roc_ch_wait pool = {.size = sizeof(pool), .min_ready = 1};

	if (streams)
		return abi(fd, ROC_ST_WAIT, &stream);
	return fragments ? abi(fd, ROC_FR_WAIT, &sub) : abi(fd, ROC_CH_WAIT, &pool);
}

static void report_state(struct subject_report *t)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint32_t flags = 0;

	*t = (struct subject_report){.rings = rig.rings || reader.kernel || taker.kernel};
	poll(&p, 1, 0);
	t->poll = p.revents;
	t->wait = wait_now();
	if (rig.rings) {
		flags = rig.rings->kernel->flags;
		t->stopped = flags & ROC_RING_STOPPED;
		t->gone = flags & ROC_RING_GONE;
	} else if (reader.kernel) {
		flags = reader.kernel->flags;
		t->stopped = flags & ROC_ST_STOPPED;
		t->gone = flags & ROC_ST_GONE;
	} else if (taker.kernel) {
		flags = taker.kernel->flags;
		t->stopped = flags & ROC_FR_STOPPED;
		t->gone = flags & ROC_FR_GONE;
	}
}

/* By the descriptor, not by the library: the other thread may close it meanwhile. */
static int carry_out(enum order order)
{
	switch (order) {
	case ORDER_OPEN:
		fd = open_rw(node);
		return fd < 0 ? fd : 0;
	case ORDER_REGISTER:
		return more_memory();
	case ORDER_START:
		return start();
	case ORDER_STOP:
		return stop();
	case ORDER_CLOSE:
		return do_close();
	case ORDER_LOOK:
		report_state(&self->report);
		return 0;
	default:
		return -EINVAL;
	}
}

static void *worker(void *arg)
{
	unsigned int i = (uintptr_t)arg;

	for (;;) {
		if (self->worker[i].order == ORDER_NONE || self->worker[i].done) {
			sleep_ms(1);
			continue;
		}
		self->worker[i].result = carry_out(self->worker[i].order);
		self->worker[i].done = true;
	}
	return NULL;
}

/* With all areas mapped. A setting of the card determines the data rate. */
static bool prepare_stream(void)
{
	reader = (struct reader){.id = self->id, .stream = self->channel, .ring = RING};
	if (!reader_open(&reader))
		return false;
	fd = reader.fd;
	if (!reader_generate(&reader, 0, 1000, 1000, 0, 0, 0))
		return false;
	return self->stage == STAGE_READY ||
	       (reader_start(&reader) && reader_run(&reader, 20, PREPARE_MS));
}

/* With commands outstanding all the time: the card is slower than half of the data. */
static bool prepare_fragments(void)
{
	taker = (struct taker){.id = self->id, .sub = self->channel, .percent = 50, .pages = PAGES};
	if (!taker_open(&taker))
		return false;
	fd = taker.fd;
	if (!taker_generate(&taker, TAKER_ALL_LINKS, 400, 1600, 2000, 0, 0))
		return false;
	if (self->stage == STAGE_READY)
		return true;
	given = taker_start(&taker, 0);
	return given && taker_run(&taker, 100, PREPARE_MS);
}

static bool prepare(void)
{
	strcpy(node, node_path(self->id, self->channel));
	if (self->stage == STAGE_NOTHING)
		return true;
	streams = has_streams(self->id);
	fragments = has_fragments(self->id);
	if (roc_memory_alloc(2 << 20, -1, 0, &extra))
		return false;
	if (self->stage == STAGE_OPEN) {
		fd = node_open(self->id, self->channel);
		return fd >= 0;
	}
	if (streams)
		return prepare_stream();
	if (fragments)
		return prepare_fragments();
	rig = (struct rig){.id = self->id,
			   .channel = self->channel,
			   .source = self->source,
			   .superpage = SUPERPAGE,
			   .count = COUNT,
			   .no_poison = true};
	if (!rig_open(&rig))
		return false;
	fd = rig_fd(&rig);
	rig_push(&rig, RIG_MAX);
	return self->stage == STAGE_READY || (rig_start(&rig) && rig_run(&rig, 2, PREPARE_MS));
}

/* By the doorbell, even if the card is gone. */
static void take_stream(void)
{
	reader_take(&reader, false);
	reader_consume(&reader, reader.read, true);
}

/* The same; the card gets the pages back as soon as it runs. */
static void take_fragments(void)
{
	if (!given && taker.kernel->flags & ROC_FR_STOPPED)
		return;
	if (!given)
		taker_submit_pages(&taker, 0);
	given = true;
	taker_pass(&taker);
}

static int live(void *arg)
{
	pthread_t threads[SUBJECT_WORKERS];
	unsigned int i;

	self = arg;
	if (!prepare()) {
		printf("# subject: %s%s%s\n", rig.found.first, reader.found.first,
		       taker.found.count ? taker.found.first : " cannot prepare itself");
		self->failed = true;
		return 1;
	}
	for (i = 0; i < SUBJECT_WORKERS; i++)
		if (pthread_create(&threads[i], NULL, worker, (void *)(uintptr_t)i))
			return 1;
	self->ready = true;
	for (;;) {
		if (leave)
			left = true;
		else if (rig.ch)
			rig_take(&rig, true);
		else if (reader.kernel)
			take_stream();
		else if (taker.kernel)
			take_fragments();
		sleep_ms(2);
	}
}

struct subject *subject_start(const char *id, unsigned int channel, enum roc_source source,
			      enum stage stage)
{
	struct subject *s = shared_alloc(sizeof(*s));
	int64_t end = now_ms() + patience_ms(2 * PREPARE_MS);

	s->id = id;
	s->channel = channel;
	s->source = source;
	s->stage = stage;
	s->pid = child_start(AS_ROOT, live, s);
	while (!s->ready && !s->failed && now_ms() < end)
		sleep_ms(1);
	if (s->ready)
		return s;
	subject_end(s);
	return NULL;
}

void subject_order(struct subject *s, unsigned int worker, enum order order)
{
	s->worker[worker].done = false;
	s->worker[worker].order = order;
}

bool subject_done(struct subject *s, unsigned int worker, unsigned int ms)
{
	int64_t end = now_ms() + patience_ms(ms);

	while (s->worker[worker].order != ORDER_NONE && !s->worker[worker].done) {
		if (now_ms() > end)
			return false;
		sleep_ms(1);
	}
	return true;
}

bool subject_query(struct subject *s)
{
	subject_order(s, LOOK_HAND, ORDER_LOOK);
	return subject_done(s, LOOK_HAND, END_MS);
}

void subject_kill(struct subject *s)
{
	kill(s->pid, SIGKILL);
}

bool subject_end(struct subject *s)
{
	int64_t end = now_ms() + patience_ms(END_MS);
	bool ended;

	kill(s->pid, SIGKILL);
	while (!(ended = waitpid(s->pid, NULL, WNOHANG) == s->pid) && now_ms() < end)
		sleep_ms(1);
	if (ended)
		shared_free(s, sizeof(*s));
	return ended;
}
