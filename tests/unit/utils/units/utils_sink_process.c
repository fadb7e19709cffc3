// SPDX-License-Identifier: GPL-2.0-or-later
/* A sink in a writer process: its memory is freed after that process has ended, and not before. */
#include "unit.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "utils/common/writer_process.h"
#include "utils/units/sink_process.h"

/* the clock, and the step by which each read advances it */
static _Atomic uint64_t ahead_ns, step_ns;

uint64_t __wrap_fabric_now(void);
uint64_t __real_fabric_now(void);

uint64_t __wrap_fabric_now(void)
{
	ahead_ns += step_ns;
	return __real_fabric_now() + ahead_ns;
}

static atomic_uint kills;
static atomic_bool hangs; /* in an uninterruptible call: no signal ends it */

void __wrap_writer_process_kill(struct writer_process *a);
void __real_writer_process_kill(struct writer_process *a);

void __wrap_writer_process_kill(struct writer_process *a)
{
	kills++;
	if (!hangs)
		__real_writer_process_kill(a);
}

/* The sink of the writer process. */
struct inner {
	struct sink sink;
	int error; /* result of open() */
	uint64_t handles[4];
	unsigned int count;
	atomic_bool closing, ends, closed, released;
};

static int inner_put(struct sink *s, const struct unit *u)
{
	struct inner *in = (struct inner *)s;

	if (in->count == 4)
		return 0;
	in->handles[in->count++] = u->handle;
	return 1;
}

static int inner_flush(struct sink *s)
{
	(void)s;
	return 0;
}

static int inner_done(struct sink *s, uint64_t *handles, unsigned int room)
{
	struct inner *in = (struct inner *)s;
	unsigned int n = 0;

	while (n < room && in->count)
		handles[n++] = in->handles[--in->count];
	return (int)n;
}

static void inner_sleep(struct sink *s, struct units_sleep *sleep)
{
	(void)s;
	sleep->ns = 1000000;
}

static void inner_close(struct sink *s)
{
	struct inner *in = (struct inner *)s;

	in->closing = true;
	while (!in->ends)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	in->closed = true;
}

static int inner_open(void *options, const struct source *source, struct sink **sink,
		      char reason[UNITS_REASON])
{
	static const struct sink_ops ops = {.name = "inner",
					    .put = inner_put,
					    .flush = inner_flush,
					    .done = inner_done,
					    .finish = inner_flush,
					    .sleep = inner_sleep,
					    .close = inner_close};
	struct inner *in = options;

	(void)source;
	if (in->error)
		return units_fail(reason, -in->error, "It cannot be opened.");
	in->sink.ops = &ops;
	*sink = &in->sink;
	return 0;
}

static void inner_release(void *options)
{
	((struct inner *)options)->released = true;
}

static const struct sink_process_type type = {.open = inner_open, .release = inner_release};
static struct source source;
static char reason[UNITS_REASON];

static struct sink *open_it(struct inner *in)
{
	struct sink *sink = NULL;

	UNIT_EQ(sink_process(&type, in, &source, "place", &sink, reason), 0);
	UNIT_NEED(sink);
	return sink;
}

static void there_and_back(void)
{
	struct unit u = {.data = &u, .bytes = 8, .handle = 1234};
	struct inner in = {.ends = true};
	struct sink *sink = open_it(&in);
	uint64_t handle = 0;

	UNIT_STR(sink->ops->name, "inner");
	UNIT_EQ(sink->ops->put(sink, &u), 1);
	UNIT_EQ(sink->ops->flush(sink), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(sink->ops->done(sink, &handle, 1) == 1, 20000));
	UNIT_EQ(handle, 1234);
	UNIT_EQ(sink->ops->finish(sink), 0);
	CU_ASSERT_FALSE(in.released);
	sink_close(sink);
	CU_ASSERT_TRUE(in.closed && in.released);
	UNIT_EQ(kills, 0);
}

static void not_opened(void)
{
	struct inner in = {.error = -EXDEV};
	struct sink *sink;

	UNIT_EQ(sink_process(&type, &in, &source, "place", &sink, reason), -EXDEV);
	UNIT_STR(reason, "It cannot be opened.");
	CU_ASSERT_TRUE(in.released);
}

/* The close is the first call that hangs: nothing that the process uses is freed. */
static void close_hangs(void)
{
	static struct inner in;
	struct sink *sink = open_it(&in);

	kills = 0;
	hangs = true;
	step_ns = UNITS_NS_PER_S;
	sink_close(sink);
	step_ns = 0;
	UNIT_EQ(kills, 1);
	CU_ASSERT_TRUE(in.closing);
	CU_ASSERT_FALSE(in.closed || in.released);
	/* It responds later, in its memory. */
	in.ends = true;
	CU_ASSERT_TRUE(UNIT_WAIT(in.closed, 20000));
	CU_ASSERT_FALSE(in.released);
}

/* A process that a signal ends has ended, and its memory is freed. */
static void close_is_killed(void)
{
	struct inner in = {0};
	struct sink *sink = open_it(&in);

	kills = 0;
	hangs = false;
	step_ns = UNITS_NS_PER_S;
	sink_close(sink);
	step_ns = 0;
	UNIT_EQ(kills, 1);
	CU_ASSERT_TRUE(in.closing && in.released);
	CU_ASSERT_FALSE(in.closed);
}

UNIT_MAIN("a sink in a writer process", {"units pass through", there_and_back},
	  {"a sink that cannot be opened", not_opened}, {"a close that hangs", close_hangs},
	  {"a close that is killed", close_is_killed})
