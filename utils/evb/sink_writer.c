// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a sink of event building in a writer process (utils/units/sink_process.h), so that a file
 * system that does not respond delays neither the network nor the source. For the writer process
 * the sink is a sink of units, each of which is an MEP.
 */
#include "sink.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "utils/common/tool.h"
#include "utils/units/sink_process.h"

struct writer_sink {
	struct sink *sink;
	const char *text, *name;
	struct source source; /* without a format */
	struct evb_sink_counters last;

	/* Shared by both processes. */
	pthread_mutex_t lock;
	struct evb_sink_counters counters;

	/* Used by the writer process. */
	struct sink writer;
	struct evb_sink inner;
	struct roc_mep meps[SINK_PROCESS_UNITS]; /* with the handles of the writer process */
};

/* Functions of the writer process. */

static struct writer_sink *around(struct sink *writer)
{
	return (struct writer_sink *)((char *)writer - offsetof(struct writer_sink, writer));
}

static int result(struct writer_sink *a, int ret)
{
	struct evb_sink *in = &a->inner;
	bool syncs = in->syncing && in->syncing(in->self);

	__atomic_store_n(&a->writer.syncing, syncs, __ATOMIC_RELAXED);
	pthread_mutex_lock(&a->lock);
	in->counters(in->self, &a->counters);
	a->writer.n.lost = a->counters.lost;
	pthread_mutex_unlock(&a->lock);
	if (ret < 0) {
		a->writer.reason[0] = '\0';
		units_fail(a->writer.reason, -ret, "%s", in->ops->reason(in->self));
	}
	return ret;
}

static int writer_put(struct sink *s, const struct unit *u)
{
	struct writer_sink *a = around(s);
	struct roc_mep *mep = &a->meps[u->handle];

	*mep = *(const struct roc_mep *)u->data;
	mep->handle = u->handle;
	return result(a, a->inner.ops->put(a->inner.self, mep));
}

static int writer_flush(struct sink *s)
{
	struct writer_sink *a = around(s);

	return result(a, a->inner.ops->flush(a->inner.self));
}

static int writer_done(struct sink *s, uint64_t *handles, unsigned int room)
{
	struct writer_sink *a = around(s);

	return result(a, a->inner.ops->done(a->inner.self, handles, room));
}

static void writer_sleep(struct sink *s, struct units_sleep *sleep)
{
	struct writer_sink *a = around(s);

	a->inner.ops->idle(a->inner.self, sleep);
}

static int writer_finish(struct sink *s)
{
	struct writer_sink *a = around(s);
	int ret;

	while (!(ret = result(a, a->inner.ops->finish(a->inner.self)))) {
		struct units_sleep sleep = {.ns = UNITS_NS_PER_S};

		writer_sleep(s, &sleep);
		poll(sleep.fds, sleep.count, (int)(sleep.ns / 1000000));
	}
	return ret > 0 ? 0 : ret;
}

static void writer_abandon(struct sink *s)
{
	struct writer_sink *a = around(s);

	a->inner.ops->abandon(a->inner.self);
}

static void writer_close(struct sink *s)
{
	evb_sink_close(&around(s)->inner);
}

static const struct sink_ops writer_ops = {
	.name = "file",
	.put = writer_put,
	.flush = writer_flush,
	.done = writer_done,
	.finish = writer_finish,
	.abandon = writer_abandon,
	.sleep = writer_sleep,
	.close = writer_close,
};

static int writer_open(void *options, const struct source *source, struct sink **sink,
		       char reason[UNITS_REASON])
{
	struct writer_sink *a = options;

	(void)source;
	a->writer.ops = &writer_ops;
	*sink = &a->writer;
	return evb_sink_open(a->text, a->name, &a->inner, reason);
}

/* Functions of the node. */

static int put(void *self, const struct roc_mep *mep)
{
	struct writer_sink *a = self;
	struct unit u = {.data = mep, .bytes = roc_mep_bytes(mep), .handle = mep->handle};

	return a->sink->ops->put(a->sink, &u);
}

static int flush(void *self)
{
	struct writer_sink *a = self;

	return a->sink->ops->flush(a->sink);
}

/* Lost blocks are returned, too: the node counts them with the counters of the sink. */
static int done(void *self, uint64_t *handles, unsigned int room)
{
	struct writer_sink *a = self;
	int n = a->sink->ops->done(a->sink, handles, room);

	if (n)
		return n;
	n = a->sink->ops->lost(a->sink, handles, room);
	return n == -ENOSPC ? 0 : n;
}

static int finish(void *self)
{
	return sink_process_finish(((struct writer_sink *)self)->sink);
}

static void abandon(void *self)
{
	struct writer_sink *a = self;

	a->sink->ops->abandon(a->sink);
	if (a->sink->hung)
		tool_note("%s", a->sink->reason);
}

static void idle(void *self, struct roc_idle *idle)
{
	struct writer_sink *a = self;

	a->sink->ops->sleep(a->sink, idle);
}

static const char *reason_of(void *self)
{
	return ((struct writer_sink *)self)->sink->reason;
}

static void counters(void *self, struct evb_sink_counters *counters)
{
	struct writer_sink *a = self;

	/* The writer process may have been killed while it held the lock. */
	if (!pthread_mutex_trylock(&a->lock)) {
		a->last = a->counters;
		pthread_mutex_unlock(&a->lock);
	}
	*counters = a->last;
	/* Add blocks that did not reach the writer process. */
	if (a->sink->n.lost > counters->lost)
		counters->lost = a->sink->n.lost;
}

static bool syncing(void *self)
{
	return ((struct writer_sink *)self)->sink->syncing;
}

/* Also frees @self, unless the writer process may still use it: see release(). */
static void close_sink(void *self)
{
	sink_close(((struct writer_sink *)self)->sink);
}

static void release(void *options)
{
	struct writer_sink *a = options;

	pthread_mutex_destroy(&a->lock);
	free(a);
}

static const struct roc_evb_sink_ops ops = {
	.name = "file",
	.put = put,
	.flush = flush,
	.done = done,
	.finish = finish,
	.abandon = abandon,
	.idle = idle,
	.reason = reason_of,
};

int evb_sink_in_writer(const char *text, const char *name, struct evb_sink *sink,
		       char reason[UNITS_REASON])
{
	static const struct sink_process_type type = {.open = writer_open, .release = release};
	struct writer_sink *a = calloc(1, sizeof(*a));
	int ret;

	if (!a)
		return units_fail(reason, ENOMEM,
				  "Cannot allocate the state of the writer process.");
	a->text = text;
	a->name = name;
	pthread_mutex_init(&a->lock, NULL);
	ret = sink_process(&type, a, &a->source, text, &a->sink, reason);
	if (ret)
		return ret;
	*sink = (struct evb_sink){.ops = &ops,
				  .self = a,
				  .counters = counters,
				  .syncing = syncing,
				  .close = close_sink};
	return 0;
}
