/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whole event-building system in one process: nodes whose sources have known content, sinks that
 * check every byte, and a coordinator that consists of a few variables. Usually one thread steps
 * all nodes; a test can also use one thread per node.
 */
#ifndef ROC_TEST_EVB_SYSTEM_H
#define ROC_TEST_EVB_SYSTEM_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include <roc/evb.h>

#include "libroc/fabric/fabric.h"
#include "unit.h"

/* Limit the memory of hundreds of endpoints; the library does not change the environment itself. */
__attribute__((constructor)) static void use_less_memory(void)
{
	fabric_environment();
}

#define NODES 8
#define SOURCE_SLOTS 64
#define EVENTS_MOST 20000
#define MEPS_KEPT 16
#define MS UINT64_C(1000000) /* in ns */
#define STALE_MOST_MS 10000  /* see with_growing_timeout() */

/* State of the coordinator, which each node polls. */
struct board {
	struct roc_evb_member members[NODES];
	unsigned int member_count, members_version;
	struct roc_evb_table table;
	unsigned int table_version;
	struct roc_evb_report reports[NODES];
};

struct test_source {
	unsigned int number;
	uint64_t first, events, next; /* ids */
	uint64_t skip_from, skip_to;  /* events that it omits */
	uint32_t size;		      /* of a fragment, maximum */
	bool fixed;		      /* all fragments have this size */
	bool no_enodata;	      /* never returns -ENODATA */
	bool no_eagain;		      /* never returns -EAGAIN */
	bool supports_go_on;	      /* go_on() is implemented */
	unsigned char *memory;
	bool out[SOURCE_SLOTS];
	unsigned int lent_count;
	uint64_t taken, back;
	bool stopped, started;
	unsigned int pieces; /* of a fragment; 0: two */
	struct roc_evb_part parts[ROC_EVB_PARTS];
	uint64_t time_shift;
	uint32_t damaged;  /* interval of damaged events, 0: none */
	uint64_t wrong_at; /* this event gets a far higher id; 0: none */
	double pause;	   /* seconds between two events */
	double last;
};

struct test_sink {
	uint64_t handles[MEPS_KEPT];
	unsigned int kept, keep_max; /* number of MEPs kept at once */
	uint64_t meps, events, bytes, incomplete, damaged, wrong;
	uint8_t seen[EVENTS_MOST]; /* how often each event was received */
	uint8_t whole[EVENTS_MOST];
	bool stuck;	       /* accepts nothing */
	uint64_t max_meps;     /* capacity, 0: unlimited */
	bool slow_finish;      /* finish() does not complete */
	bool finish_requested; /* finish() was called */
	bool no_memory;	       /* memory() fails */
	bool no_flush;	       /* flush() fails */
	double keep_s;	       /* time for which it keeps each MEP; 0: see keep_max */
	double since[MEPS_KEPT];
	uint64_t first;
	unsigned int sources; /* expected sources of each event */
	unsigned int missing[NODES], gone[NODES];
	const void *base;
	size_t length;
	bool finished;
	struct roc_mep_events *walk;
};

struct node {
	char name[ROC_EVB_NAME];
	struct roc_evb *evb;
	struct test_source source;
	struct test_sink sink;
	struct roc_evb_config cfg;
	unsigned int members_version, table_version, index;
	bool used, ended, cut_off; /* cut_off: receives nothing from the coordinator */
	bool paused;
	bool chatter; /* the coordinator sends a message in each poll */
	int result;
	char log[4096];
	struct roc_evb_member members[NODES];
	struct roc_evb_table table;
	pthread_t thread;
};

static struct board board;
static pthread_mutex_t board_lock = PTHREAD_MUTEX_INITIALIZER;
static struct node nodes[NODES];

/* Return byte @i of a fragment. */
static inline unsigned char byte_at(unsigned int source, uint64_t event, uint64_t i)
{
	return (unsigned char)(source * 37 + event * 11 + i * 3 + (i >> 8) * 5);
}

static inline uint32_t size_of(uint32_t size, bool fixed, unsigned int source, uint64_t event)
{
	uint64_t x = (event + 1) * UINT64_C(0x9e3779b97f4a7c15) + source;

	return fixed ? size : (uint32_t)((x >> 33) % (size + 1));
}

#define PIECE_GAP 16 /* bytes between two pieces, so that they are not adjacent */

/* Size of the memory of a fragment, with the gaps. */
static size_t slot_bytes(const struct test_source *s)
{
	return s->size + (size_t)PIECE_GAP * (s->pieces ? s->pieces : 4);
}

static int source_start(void *self)
{
	struct test_source *s = self;

	s->started = true;
	return 0;
}

static int source_take(void *self, struct roc_evb_fragment *f)
{
	struct test_source *s = self;
	unsigned int pieces = s->pieces ? s->pieces : 2, slot, n;
	uint64_t event, i;
	uint32_t size;
	unsigned char *to;

	if (s->next >= s->skip_from && s->next < s->skip_to)
		s->next = s->skip_to;
	if (s->next >= s->first + s->events || s->stopped)
		return s->no_enodata && !s->stopped ? 0 : -ENODATA;
	if (s->pause && unit_seconds() - s->last < s->pause)
		return 0;
	s->last = unit_seconds();
	for (slot = 0; slot < SOURCE_SLOTS && s->out[slot]; slot++)
		;
	if (slot == SOURCE_SLOTS)
		return s->no_eagain ? 0 : -EAGAIN;
	event = s->next++;
	size = size_of(s->size, s->fixed, s->number, event);
	to = s->memory + slot * slot_bytes(s);
	for (i = 0, n = 0; n < pieces; n++, to += PIECE_GAP) {
		uint64_t end = (uint64_t)size * (n + 1) / pieces;

		s->parts[n] = (struct roc_evb_part){to, end - i};
		for (; i < end; i++)
			*to++ = byte_at(s->number, event, i);
	}
	s->out[slot] = true;
	s->lent_count++;
	s->taken++;
	*f = (struct roc_evb_fragment){
		.event = s->wrong_at && event == s->wrong_at ? UINT64_C(1) << 50 : event,
		.parts = s->parts,
		.count = pieces,
		.bytes = size,
		.handle = slot + 1,
		.time = (uint64_t)time(NULL) * 1000000000 + s->time_shift,
		.flags = s->damaged && event % s->damaged == 0 ? ROC_EVB_FRAGMENT_DAMAGED : 0,
	};
	return 1;
}

static int source_give_back(void *self, uint64_t handle)
{
	struct test_source *s = self;

	if (!handle || handle > SOURCE_SLOTS || !s->out[handle - 1]) {
		CU_FAIL("a fragment was returned twice");
		return -EINVAL;
	}
	/* A later read of this memory fails the check of the sink. */
	memset(s->memory + (handle - 1) * slot_bytes(s), 0xee, slot_bytes(s));
	s->out[handle - 1] = false;
	s->lent_count--;
	s->back++;
	return 0;
}

static int source_go_on(void *self, uint64_t event)
{
	struct test_source *s = self;

	if (s->supports_go_on && event > s->next)
		s->next = event;
	return 0;
}

static int source_stop(void *self)
{
	struct test_source *s = self;

	s->stopped = true;
	return 0;
}

static void source_idle(void *self, struct roc_idle *idle)
{
	roc_idle_ns(idle, 100000);
}

static unsigned int source_regions(void *self, struct roc_evb_region *regions, unsigned int room)
{
	struct test_source *s = self;

	regions[0] = (struct roc_evb_region){s->memory, SOURCE_SLOTS * slot_bytes(s)};
	return 1;
}

static const char *no_reason(void *self)
{
	return "no reason";
}

static const struct roc_evb_source_ops source_ops = {
	.name = "test",
	.content = 77,
	.start = source_start,
	.take = source_take,
	.give_back = source_give_back,
	.go_on = source_go_on,
	.stop = source_stop,
	.idle = source_idle,
	.regions = source_regions,
	.reason = no_reason,
};

/* Check every byte of a fragment. */
static bool fragment_valid(const struct roc_mfp_fragment *f, const struct test_source *s)
{
	struct iovec parts[256];
	unsigned int n = roc_mfp_parts(f, parts, 256), i;
	uint64_t at = 0;
	size_t k;

	if (f->bytes != size_of(s->size, s->fixed, s->number, f->event) || n > 256)
		return false;
	for (i = 0; i < n; i++) {
		for (k = 0; k < parts[i].iov_len; k++, at++) {
			if (((unsigned char *)parts[i].iov_base)[k] !=
			    byte_at(s->number, f->event, at))
				return false;
		}
	}
	return at == f->bytes;
}

static struct node *node_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < NODES; i++) {
		if (!strcmp(nodes[i].name, name))
			return &nodes[i];
	}
	return NULL;
}

static void check_mep(struct test_sink *s, const struct roc_mep *m)
{
	struct roc_mep_event event;
	unsigned int i;

	UNIT_NEED(s->walk && !roc_mep_events_begin(s->walk, m));
	while (roc_mep_events_next(s->walk, &event) > 0) {
		uint64_t at = event.event - s->first;

		for (i = 0; i < event.count; i++) {
			const struct roc_mfp_fragment *f = &event.fragments[i];
			struct node *n = node_of(m->sources[i].name);

			if (f->view && (!n || !fragment_valid(f, &n->source) ||
					f->view->head.content != source_ops.content))
				s->wrong++;
			if (f->view)
				s->bytes += f->bytes;
			if (f->data && s->base && f->bytes &&
			    ((const char *)f->data < (const char *)s->base ||
			     (const char *)f->data >= (const char *)s->base + s->length))
				s->wrong++;
		}
		s->events++;
		if (at < EVENTS_MOST) {
			s->seen[at]++;
			s->whole[at] += event.here == s->sources;
		}
	}
	for (i = 0; i < m->count; i++) {
		struct node *n = node_of(m->sources[i].name);

		if (n && m->sources[i].state == ROC_MEP_MISSING)
			s->missing[n->index]++;
		if (n && m->sources[i].state == ROC_MEP_GONE)
			s->gone[n->index]++;
	}
}

static int sink_memory(void *self, int fd, void *base, size_t length)
{
	struct test_sink *s = self;

	CU_ASSERT_TRUE(fd >= 0 && !s->meps);
	if (s->no_memory)
		return -EHOSTUNREACH;
	s->base = base;
	s->length = length;
	return 0;
}

static int sink_put(void *self, const struct roc_mep *m)
{
	struct test_sink *s = self;

	CU_ASSERT_FALSE(s->finish_requested);
	if (s->kept == MEPS_KEPT || s->stuck)
		return 0;
	if (s->max_meps && s->meps == s->max_meps)
		return -ENOSPC;
	check_mep(s, m);
	s->meps++;
	s->incomplete += !!(m->flags & ROC_MEP_INCOMPLETE);
	s->damaged += !!(m->flags & ROC_MEP_DAMAGED);
	s->since[s->kept] = unit_seconds();
	s->handles[s->kept++] = m->handle;
	return 1;
}

static int sink_flush(void *self)
{
	struct test_sink *s = self;

	return s->no_flush ? -EHOSTUNREACH : 0;
}

/* Return MEPs out of order: the oldest last. */
static int sink_done(void *self, uint64_t *handles, unsigned int room)
{
	struct test_sink *s = self;
	unsigned int n = 0;

	while (s->keep_s && s->kept && n < room && unit_seconds() - s->since[0] >= s->keep_s) {
		handles[n++] = s->handles[0];
		s->kept--;
		memmove(s->handles, s->handles + 1, s->kept * sizeof(s->handles[0]));
		memmove(s->since, s->since + 1, s->kept * sizeof(s->since[0]));
	}
	if (s->keep_s)
		return (int)n;
	while (s->kept > s->keep_max && n < room)
		handles[n++] = s->handles[--s->kept];
	if (!n && s->kept) {
		handles[n++] = s->handles[0];
		memmove(s->handles, s->handles + 1, --s->kept * sizeof(s->handles[0]));
	}
	return (int)n;
}

static int sink_finish(void *self)
{
	struct test_sink *s = self;

	CU_ASSERT_EQUAL(s->kept, 0);
	s->finish_requested = true;
	s->finished = !s->slow_finish;
	return s->finished;
}

static const struct roc_evb_sink_ops sink_ops = {
	.name = "test",
	.put = sink_put,
	.flush = sink_flush,
	.done = sink_done,
	.finish = sink_finish,
	.reason = no_reason,
	.memory = sink_memory,
};

static int coordinator_join(void *self, const struct roc_evb_member *me)
{
	unsigned int i;

	pthread_mutex_lock(&board_lock);
	for (i = 0; i < board.member_count && strcmp(board.members[i].name, me->name); i++)
		;
	if (i == board.member_count)
		board.member_count++;
	board.members[i] = *me;
	board.members_version++;
	pthread_mutex_unlock(&board_lock);
	return 0;
}

/* News are valid until the next poll(), so each node has its own copy. */
static int coordinator_poll(void *self, struct roc_evb_news *news)
{
	struct node *n = self;
	int ret = 0;

	if (n->cut_off)
		return 0;
	pthread_mutex_lock(&board_lock);
	if (n->members_version != board.members_version) {
		n->members_version = board.members_version;
		memcpy(n->members, board.members, sizeof(n->members));
		*news = (struct roc_evb_news){.what = ROC_EVB_MEMBERS,
					      .members = n->members,
					      .member_count = board.member_count};
		ret = 1;
	} else if (n->table_version != board.table_version) {
		n->table_version = board.table_version;
		n->table = board.table;
		*news = (struct roc_evb_news){.what = ROC_EVB_TABLE, .table = &n->table};
		ret = 1;
	} else if (n->chatter) {
		*news = (struct roc_evb_news){.what = ROC_EVB_BACK, .text = "It is still me."};
		ret = 1;
	}
	pthread_mutex_unlock(&board_lock);
	return ret;
}

static int coordinator_report(void *self, const struct roc_evb_report *r)
{
	struct node *n = self;

	pthread_mutex_lock(&board_lock);
	board.reports[n->index] = *r;
	pthread_mutex_unlock(&board_lock);
	return 0;
}

static int coordinator_leave(void *self)
{
	return 0;
}

static const struct roc_evb_coordinator_ops coordinator_ops = {
	.name = "test",
	.join = coordinator_join,
	.poll = coordinator_poll,
	.report = coordinator_report,
	.leave = coordinator_leave,
	.reason = no_reason,
};

static void node_log(void *self, const char *message)
{
	struct node *n = self;
	size_t at = strlen(n->log);

	snprintf(n->log + at, sizeof(n->log) - at, "%s\n", message);
	if (getenv("EVB_LOG"))
		printf("# %s: %s\n", n->name, message);
}

/* Set the defaults of a node. A test changes some and calls node_open(). */
static struct node *node_new(unsigned int i, uint32_t roles)
{
	struct node *n = &nodes[i];

	memset(n, 0, sizeof(*n));
	snprintf(n->name, sizeof(n->name), "node%u", i);
	n->index = i;
	n->used = true;
	n->source = (struct test_source){.number = i, .events = 200, .size = 1000};
	n->sink.sources = 1;
	n->sink.keep_max = 3;
	n->cfg = (struct roc_evb_config){
		.system = "test",
		.name = n->name,
		.host = "127.0.0.1",
		.roles = roles,
		.fragment_max = 4096,
		.memory = 4 << 20,
		.segment = 4096,
		.lease_ns = UINT64_C(20000000000),
		.stale_ns = UINT64_C(60000000000),
		.say = node_log,
		.say_self = n,
	};
	return n;
}

static int node_try(struct node *n, char reason[ROC_EVB_REASON])
{
	bool ru = n->cfg.roles & ROC_EVB_READOUT, bu = n->cfg.roles & ROC_EVB_BUILDER;

	n->source.next = n->source.first;
	n->source.memory = calloc(SOURCE_SLOTS, slot_bytes(&n->source));
	UNIT_NEED(n->source.memory);
	if (!n->sink.walk)
		UNIT_NEED(!roc_mep_events_new(NODES, &n->sink.walk));
	return roc_evb_open(&n->cfg, ru ? &source_ops : NULL, &n->source, bu ? &sink_ops : NULL,
			    &n->sink, &coordinator_ops, n, &n->evb, reason);
}

static void node_open(struct node *n)
{
	char reason[ROC_EVB_REASON];
	int ret = node_try(n, reason);

	if (ret)
		unit_note("%s: %s", n->name, reason);
	UNIT_NEED(!ret);
}

static void node_close(struct node *n)
{
	roc_evb_close(n->evb);
	n->evb = NULL;
	/* All fragments have been returned to the source. */
	UNIT_EQ(n->source.lent_count, 0);
	UNIT_EQ(n->source.taken, n->source.back);
	free(n->source.memory);
	n->source.memory = NULL;
	roc_mep_events_free(n->sink.walk);
	n->sink.walk = NULL;
	n->used = false;
}

/* Free a node whose open failed. */
__attribute__((unused)) static void node_forget(struct node *n)
{
	free(n->source.memory);
	n->source.memory = NULL;
	roc_mep_events_free(n->sink.walk);
	n->sink.walk = NULL;
}

/* Publish a table of all members in use, valid from a block on. */
static void publish(enum roc_evb_policy policy, uint64_t from_block)
{
	struct roc_evb_table *t = &board.table;
	unsigned int i;

	t->term = 1;
	t->epoch++;
	t->from_block = from_block;
	t->policy = policy;
	t->seed = 5;
	t->ru_count = t->bu_count = 0;
	for (i = 0; i < board.member_count; i++) {
		const struct roc_evb_member *m = &board.members[i];
		struct roc_evb_place p = {.incarnation = m->incarnation, .weight = 0};
		struct node *n = node_of(m->name);

		if (!n || !n->used)
			continue;
		memcpy(p.name, m->name, sizeof(p.name));
		if (m->roles & ROC_EVB_READOUT)
			t->rus[t->ru_count++] = p;
		p.weight = 100;
		if (m->roles & ROC_EVB_BUILDER)
			t->bus[t->bu_count++] = p;
	}
	board.table_version++;
}

/*
 * The longest step of the nodes, and the first condition that failed, perhaps because of a stall.
 */
static struct {
	double stepped, most; /* seconds */
	const char *what, *file;
	unsigned int line;
} stall;

static void reset_system(void)
{
	memset(&board, 0, sizeof(board));
	memset(nodes, 0, sizeof(nodes));
	stall.stepped = 0;
}

/* Step each node once. Return true if all have ended. */
static bool step_all(void)
{
	double now = unit_seconds();
	bool all = true;
	unsigned int i;

	if (stall.stepped && now - stall.stepped > stall.most)
		stall.most = now - stall.stepped;
	stall.stepped = now;
	for (i = 0; i < NODES; i++) {
		struct node *n = &nodes[i];

		if (!n->used || n->paused || !n->evb)
			continue;
		n->result = roc_evb_step(n->evb, 0);
		if (n->result < 0) {
			unit_note("%s: %s", n->name, roc_evb_reason(n->evb));
			CU_FAIL("a node failed");
			return true;
		}
		n->ended |= n->result > 0;
		all &= n->ended;
	}
	return all;
}

/*
 * Step all nodes until the condition is true, or without one until all have ended; false: timeout.
 */
static bool run_until(bool (*condition)(void), unsigned int ms)
{
	double end = unit_seconds() + ms * slowness() * UNIT_PATIENCE / 1000.0;

	do {
		if (step_all() && !condition)
			return true;
		if (condition && condition())
			return true;
	} while (unit_seconds() < end);
	return false;
}

__attribute__((unused)) static struct roc_evb_counts counts_of(const struct node *n)
{
	struct roc_evb_counts c;

	roc_evb_counts(n->evb, &c);
	return c;
}

__attribute__((unused)) static void show_counts(void)
{
	unsigned int i;

	for (i = 0; i < NODES; i++) {
		struct roc_evb_counts c;

		if (!nodes[i].used)
			continue;
		c = counts_of(&nodes[i]);
		unit_note(
			"%s: in %llu sent %llu received %llu out %llu complete %llu incomplete %llu stale %llu late %llu gone %llu missing %llu dropped %llu mfps %u open %u ready %u",
			nodes[i].name, (unsigned long long)c.in.count,
			(unsigned long long)c.sent.count, (unsigned long long)c.received.count,
			(unsigned long long)c.out.count, (unsigned long long)c.complete,
			(unsigned long long)c.incomplete, (unsigned long long)c.stale,
			(unsigned long long)c.late, (unsigned long long)c.gone,
			(unsigned long long)c.missing, (unsigned long long)c.dropped, c.mfps,
			c.open_blocks, c.ready_blocks);
		if (nodes[i].log[0])
			unit_note("%s logs: %s", nodes[i].name, nodes[i].log);
	}
}

__attribute__((unused)) static struct node *node_both_roles(unsigned int i, uint64_t total)
{
	struct node *n = node_new(i, ROC_EVB_READOUT | ROC_EVB_BUILDER);

	n->cfg.peers = 4;
	n->cfg.memory = 8 << 20;
	n->source.events = total;
	return n;
}

__attribute__((unused)) static void close_all(void)
{
	unsigned int i;

	for (i = 0; i < NODES; i++) {
		if (nodes[i].used)
			node_close(&nodes[i]);
	}
}

__attribute__((unused)) static void stop_all(void)
{
	unsigned int i;

	for (i = 0; i < NODES; i++) {
		if (nodes[i].used)
			roc_evb_stop(nodes[i].evb);
	}
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	close_all();
}

/* Check a condition that a stall of the machine can break, see with_growing_timeout(). */
#define UNLESS_STALLED(condition) unless_stalled(!!(condition), #condition, __FILE__, __LINE__)

__attribute__((unused)) static void unless_stalled(bool so, const char *what, const char *file,
						   unsigned int line)
{
	if (so || stall.what)
		return;
	stall.what = what;
	stall.file = file;
	stall.line = line;
}

/*
 * Run a test, and repeat it with twice the stale timeout while an UNLESS_STALLED() condition fails.
 * Nodes cannot distinguish a late peer from a stall of the machine. A short timeout comes first,
 * because tests mostly wait for it. If the longest step was short compared with the timeout, the
 * failure is final.
 */
__attribute__((unused)) static void with_growing_timeout(void (*once)(unsigned int stale_ms),
							 unsigned int stale_ms)
{
	unsigned int most_ms = (unsigned int)(STALE_MOST_MS * slowness());

	for (stale_ms = (unsigned int)(stale_ms * slowness());; stale_ms *= 2) {
		memset(&stall, 0, sizeof(stall));
		once(stale_ms);
		if (!stall.what)
			return;
		unit_note("%s:%u: not %s; the longest step took %.0f ms, stale timeout %u ms",
			  stall.file, stall.line, stall.what, stall.most * 1e3, stale_ms);
		if (2 * stale_ms > most_ms || stall.most * 1e3 < stale_ms / 16.0)
			break;
	}
	CU_assertImplementation(CU_FALSE, stall.line, stall.what, stall.file, "", CU_FALSE);
}

#endif
