// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sinks check and count: check the content of blocks, or only count them.
 */
#include <errno.h>
#include <stdlib.h>

#include "sink.h"
#include "text.h"

#define DONE 256 /* handles between two calls of done() */

struct values {
	uint64_t each; /* ns per block, to simulate a slow sink */
};

static const struct evb_key keys[] = {
	{.name = "each", .type = EVB_KEY_TIME, .offset = offsetof(struct values, each)},
};

struct check {
	struct values v;
	struct inspect inspect;
	uint64_t ready; /* units_now() from which on the sink accepts the next block */
	uint64_t handles[DONE];
	unsigned int count;
};

static int put(void *self, const struct roc_mep *mep)
{
	struct check *c = self;
	uint64_t now;
	int ret;

	if (c->count == DONE)
		return 0;
	if (c->v.each) {
		now = units_now();
		if (now < c->ready)
			return 0;
		c->ready = now + c->v.each;
	}
	ret = inspect_block(&c->inspect, mep);
	if (ret)
		return ret;
	c->handles[c->count++] = mep->handle;
	return 1;
}

static int done(void *self, uint64_t *handles, unsigned int room)
{
	struct check *c = self;
	unsigned int n;

	for (n = 0; n < room && c->count; n++)
		handles[n] = c->handles[--c->count];
	return (int)n;
}

static void idle(void *self, struct roc_idle *idle)
{
	struct check *c = self;
	uint64_t now;

	if (c->count)
		roc_idle_ns(idle, 0);
	if (c->v.each) {
		now = units_now();
		roc_idle_ns(idle, c->ready > now ? c->ready - now : c->v.each);
	}
}

static const char *reason_of(void *self)
{
	return ((struct check *)self)->inspect.reason;
}

static void counters(void *self, struct evb_sink_counters *counters)
{
	*counters = ((struct check *)self)->inspect.n;
}

static void close_sink(void *self)
{
	inspect_end(&((struct check *)self)->inspect);
	free(self);
}

static const struct roc_evb_sink_ops check_ops = {
	.name = "check",
	.put = put,
	.done = done,
	.idle = idle,
	.reason = reason_of,
};

static const struct roc_evb_sink_ops count_ops = {
	.name = "count",
	.put = put,
	.done = done,
	.idle = idle,
	.reason = reason_of,
};

static int open_sink(const struct roc_evb_sink_ops *ops, const char *values, struct evb_sink *sink,
		     char reason[UNITS_REASON])
{
	struct check *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return units_fail(reason, ENOMEM, "Cannot allocate the state of the sink %s.",
				  ops->name);
	ret = evb_text_parse(ops->name, values, keys, sizeof(keys) / sizeof(keys[0]), &c->v,
			     reason);
	if (ret) {
		close_sink(c);
		return ret;
	}
	c->inspect.only_count = ops == &count_ops;
	*sink = (struct evb_sink){.ops = ops, .self = c, .counters = counters, .close = close_sink};
	return 0;
}

int evb_sink_check(const char *values, const char *name, struct evb_sink *sink,
		   char reason[UNITS_REASON])
{
	return open_sink(&check_ops, values, sink, reason);
}

int evb_sink_count(const char *values, const char *name, struct evb_sink *sink,
		   char reason[UNITS_REASON])
{
	return open_sink(&count_ops, values, sink, reason);
}
