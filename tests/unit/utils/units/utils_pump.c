// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pump between a source that always has a unit and a slow sink: the pump waits for the sink and
 * does not poll all the time. Further cases are a source that does not accept all units back, and a
 * sink that needs longer for all its units than the limit for one.
 */
#include "unit.h"

#include <errno.h>
#include <signal.h>

#include "tests/unit/child.h"
#include "utils/common/tool.h"
#include "utils/units/pump.h"
#include "utils/units/units_options.h"

#define SLOW_NS (300 * 1000 * 1000)
#define POLLS_MAX 50 /* far fewer than without a sleep, far more than necessary */

struct fake_source {
	struct source source;
	unsigned int units, out_max; /* total; maximum that can be lent */
	uint64_t stuck;		     /* handle that cannot be returned, 0: none */
	uint64_t damaged;	     /* handle of the damaged unit, 0: none */
	bool fetches;		     /* after these units, it never has another one */
	unsigned int taken, back, polls, sleeps, sleeps_held;
};

struct fake_sink {
	struct sink sink;
	uint64_t until; /* slow until then, by units_now() */
	bool no_space;	/* while it is slow: accepts no unit; otherwise it keeps what it has */
	uint64_t pause; /* ns for each unit, 0: all are completed at once */
	uint64_t again; /* time of the second signal, which also ends the slowness; 0: none */
	uint64_t handles[8];
	unsigned int count, polls;
	bool finished;
};

static struct fake_source *from(struct source *s)
{
	return (struct fake_source *)s;
}

static struct fake_sink *to(struct sink *s)
{
	return (struct fake_sink *)s;
}

static int source_ok(struct source *s)
{
	return 0;
}

static int take(struct source *s, struct unit *u)
{
	struct fake_source *f = from(s);

	f->polls++;
	if (f->taken == f->units)
		return f->fetches ? 0 : -ENODATA;
	if (f->taken - f->back == f->out_max)
		return -EAGAIN;
	*u = (struct unit){.data = "data", .bytes = 4, .handle = ++f->taken, .link = -1};
	u->flags = u->handle == f->damaged ? UNIT_DAMAGED : 0;
	return 1;
}

static int give_back(struct source *s, uint64_t handle)
{
	if (handle == from(s)->stuck)
		return -EIO;
	from(s)->back++;
	return 0;
}

/* Like a descriptor that is always readable. */
static void sleep_ready(struct source *s, struct units_sleep *sleep)
{
	from(s)->sleeps++;
	sleep->ns = 0;
}

static void sleep_blocked(struct source *s, struct units_sleep *sleep)
{
	from(s)->sleeps_held++;
}

static void counters(struct source *s, struct unit_counters *b)
{
	*b = (struct unit_counters){0};
}

static void source_stays(struct source *s)
{
}

static const struct source_ops source_ops = {
	.name = "ready",
	.start = source_ok,
	.take = take,
	.give_back = give_back,
	.stop = source_ok,
	.sleep = sleep_ready,
	.sleep_blocked = sleep_blocked,
	.counters = counters,
	.close = source_stays,
};

static int sink_ok(struct sink *s)
{
	return 0;
}

static int put(struct sink *s, const struct unit *u)
{
	struct fake_sink *f = to(s);

	f->polls++;
	if ((f->no_space && units_now() < f->until) || f->count == 8)
		return 0;
	f->sink.syncing = false;
	f->handles[f->count++] = u->handle;
	return 1;
}

static int done(struct sink *s, uint64_t *handles, unsigned int room)
{
	struct fake_sink *f = to(s);
	unsigned int n = f->count;

	if (f->again && units_now() >= f->again) {
		raise(SIGTERM);
		f->again = f->pause = f->until = 0;
		return 0;
	}
	if (!f->no_space && units_now() < f->until)
		return 0;
	if (f->pause && n) {
		f->until = units_now() + f->pause;
		n = 1;
	}
	memcpy(handles, f->handles, n * sizeof(*handles));
	f->count -= n;
	memmove(f->handles, f->handles + n, f->count * sizeof(*handles));
	return (int)n;
}

static int finish(struct sink *s)
{
	to(s)->finished = true;
	return 0;
}

static void abandon(struct sink *s)
{
	to(s)->until = 0;
}

static void sink_sleep(struct sink *s, struct units_sleep *sleep)
{
}

static void sink_stays(struct sink *s)
{
}

static const struct sink_ops sink_ops = {
	.name = "slow",
	.put = put,
	.flush = sink_ok,
	.done = done,
	.finish = finish,
	.abandon = abandon,
	.sleep = sink_sleep,
	.close = sink_stays,
};

static void pump(struct fake_source *source, struct fake_sink *sink)
{
	struct pump p = {.source = &source->source, .sink = &sink->sink};

	source->source.ops = &source_ops;
	sink->sink.ops = &sink_ops;
	sink->until = units_now() + SLOW_NS;
	alarm(60);
	pump_run(&p);
	alarm(0);
	unit_note("%u polls of the source, %u of the sink", source->polls, sink->polls);
	UNIT_STR(p.reason, "");
	UNIT_EQ(p.end, PUMP_END_SOURCE);
	UNIT_EQ(source->back, source->units);
	CU_ASSERT_TRUE(source->polls < POLLS_MAX);
	CU_ASSERT_TRUE(sink->polls < POLLS_MAX);
	/* The source never returned 0 from take(). */
	UNIT_EQ(source->sleeps, 0);
	CU_ASSERT_TRUE(source->sleeps_held > 0);
}

static void sink_without_space(void)
{
	struct fake_source source = {.units = 2, .out_max = 8};
	struct fake_sink sink = {.no_space = true};

	pump(&source, &sink);
}

static void source_all_out(void)
{
	struct fake_source source = {.units = 2, .out_max = 1};
	struct fake_sink sink = {.no_space = false};

	pump(&source, &sink);
}

static void source_at_its_end(void)
{
	struct fake_source source = {.units = 2, .out_max = 8};
	struct fake_sink sink = {.no_space = false};

	pump(&source, &sink);
}

/* The other units of the batch are returned and counted all the same. */
static void source_that_fails(void)
{
	struct fake_source source = {.units = 6, .out_max = 8, .stuck = 2};
	struct fake_sink sink = {.no_space = false};
	struct pump p = {.source = &source.source, .sink = &sink.sink};

	source.source.ops = &source_ops;
	sink.sink.ops = &sink_ops;
	alarm(60);
	pump_run(&p);
	alarm(0);
	UNIT_EQ(p.end, PUMP_END_FAILED);
	UNIT_EQ(source.taken, 6);
	UNIT_EQ(source.back, 5);
	UNIT_EQ(p.n.returned, 5);
	UNIT_EQ(p.n.out, 0);
}

/* While a disk sync is in progress, no time limit counts. */
static void sink_that_syncs(void)
{
	struct fake_source source = {.units = 1, .out_max = 8};
	struct fake_sink sink = {.no_space = true, .sink.syncing = true};
	struct pump p = {
		.source = &source.source, .sink = &sink.sink, .limits = {.time = 1, .finish = 1}};

	source.source.ops = &source_ops;
	sink.sink.ops = &sink_ops;
	sink.until = units_now() + 3 * UNITS_NS_PER_S;
	alarm(60);
	pump_run(&p);
	alarm(0);
	UNIT_STR(p.reason, "");
	UNIT_EQ(p.end, PUMP_END_TIME);
	UNIT_EQ(source.back, 1);
}

/* A sink that makes progress may take as long as it needs. */
static void sink_that_has_much(void)
{
	struct fake_source source = {.units = 8, .out_max = 8};
	struct fake_sink sink = {.pause = 400 * 1000 * 1000};
	struct pump p = {
		.source = &source.source, .sink = &sink.sink, .limits = {.units = 8, .finish = 1}};

	source.source.ops = &source_ops;
	sink.sink.ops = &sink_ops;
	alarm(120);
	pump_run(&p);
	alarm(0);
	UNIT_STR(p.reason, "");
	UNIT_EQ(p.end, PUMP_END_UNITS);
	UNIT_EQ(source.back, 8);
	UNIT_EQ(p.n.out, 0);
	CU_ASSERT_TRUE(p.n.finish - p.n.start > 2 * UNITS_NS_PER_S);
}

/* A sink without progress is abandoned. */
static void sink_that_hangs(void)
{
	struct fake_source source = {.units = 3, .out_max = 8};
	struct fake_sink sink = {.until = UINT64_MAX};
	struct pump p = {
		.source = &source.source, .sink = &sink.sink, .limits = {.units = 3, .finish = 1}};

	source.source.ops = &source_ops;
	sink.sink.ops = &sink_ops;
	alarm(120);
	pump_run(&p);
	alarm(0);
	UNIT_STR(p.reason, "3 units were not completed: no progress within 1 s.");
	UNIT_EQ(p.end, PUMP_END_FAILED);
	UNIT_EQ(p.n.out, 0);
}

/* Without the second signal this would take minutes. */
static void interrupt_twice(struct fake_source *source, struct fake_sink *sink)
{
	*source = (struct fake_source){.source.ops = &source_ops, .units = 1000, .out_max = 16};
	*sink = (struct fake_sink){.sink.ops = &sink_ops, .pause = 400 * 1000 * 1000};
	stop_on_signals();
	raise(SIGTERM);
	sink->again = units_now() + UNITS_NS_PER_S;
	alarm(120);
}

/* A tool that moves units ends with status 1 and @sentence. Both are prepared in its process. */
static void tool_fails(void (*prepare)(struct fake_source *, struct fake_sink *),
		       const char *sentence)
{
	static const struct common_options common;
	static const struct units_options options;
	struct fake_source source;
	struct fake_sink sink;
	int ends[2], status;
	char printed[8192];
	pid_t pid;

	pid = child_begin(ends);
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		prepare(&source, &sink);
		_exit(units_run(&common, &options, "record", &source.source, &sink.sink, NULL));
	}
	status = child_output(pid, ends, printed, sizeof(printed));
	CU_ASSERT_TRUE(WIFEXITED(status));
	UNIT_EQ(WEXITSTATUS(status), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(printed, sentence));
}

static void tools_interrupted_twice(void)
{
	tool_fails(interrupt_twice, "Interrupted twice: ");
}

static void one_damaged(struct fake_source *source, struct fake_sink *sink)
{
	*source = (struct fake_source){.source.ops = &source_ops, .units = 5, .out_max = 8};
	*sink = (struct fake_sink){.sink.ops = &sink_ops};
	source->damaged = 3;
}

/* All units are completed, and one of them is damaged. */
static void damaged_unit(void)
{
	tool_fails(one_damaged, "1 of 5 units are damaged: the card flagged them");
}

/*
 * After a second signal the pump does not wait: units of the source go back and are counted, and
 * the sink ends. This is one of the last tests, because the signal state stays.
 */
static void abandoned(void)
{
	struct fake_source source;
	struct fake_sink sink;
	struct pump p = {
		.source = &source.source, .sink = &sink.sink, .limits = {.second_stop = true}};
	char printed_text[UNITS_REASON];

	interrupt_twice(&source, &sink);
	pump_run(&p);
	alarm(0);
	UNIT_EQ(source.taken, 1000);
	UNIT_EQ(source.back, 1000);
	UNIT_EQ(p.n.out, 0);
	UNIT_EQ(p.n.units + p.n.left, 1000);
	CU_ASSERT_TRUE(p.n.left > 0);
	UNIT_EQ(p.n.left_bytes, 4 * p.n.left);
	snprintf(printed_text, sizeof(printed_text),
		 "Interrupted twice: %llu units, %llu bytes in total, were abandoned.",
		 (unsigned long long)p.n.left, (unsigned long long)p.n.left_bytes);
	UNIT_STR(p.reason, printed_text);
	UNIT_EQ(p.end, PUMP_END_FAILED);
	CU_ASSERT_TRUE(sink.finished);
}

/* Nor does it wait for a source that fetches forever, and the run does not count as successful. */
static void abandoned_fetching(void)
{
	struct fake_source source;
	struct fake_sink sink;
	struct pump p = {
		.source = &source.source, .sink = &sink.sink, .limits = {.second_stop = true}};

	interrupt_twice(&source, &sink);
	source.units = 0;
	source.fetches = true;
	pump_run(&p);
	alarm(0);
	UNIT_STR(
		p.reason,
		"Interrupted twice: 0 units, 0 bytes in total, were abandoned, and those that the source had not fetched.");
	UNIT_EQ(p.end, PUMP_END_FAILED);
	CU_ASSERT_TRUE(sink.finished);
}

UNIT_MAIN("pump", {"wait for a sink without space", sink_without_space},
	  {"wait for a sink that has all units", source_all_out},
	  {"wait for a sink that has the last units", source_at_its_end},
	  {"a unit that cannot be returned", source_that_fails},
	  {"wait for a disk sync", sink_that_syncs},
	  {"wait for a slow sink that makes progress", sink_that_has_much},
	  {"no wait for a sink without progress", sink_that_hangs},
	  {"a damaged unit", damaged_unit},
	  {"tools that are interrupted twice", tools_interrupted_twice},
	  {"second signal abandons the units", abandoned},
	  {"second signal abandons units being fetched", abandoned_fetching})
