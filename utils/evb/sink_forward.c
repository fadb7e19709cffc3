// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sink forward: send blocks of events to a roc-recv by the transport of roc-send, from the
 * memory where they were built. Each segment of an MFP is a unit. The segments of a source are on
 * one link, in order. A block is complete when the receiver has acknowledged all its segments.
 */
#include "sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "utils/network/network.h"

#define BLOCKS 1024
#define BATCH 64

struct values {
	char to[EVB_TEXT_MAX], provider[EVB_TEXT_MAX];
	uint64_t connections, largest, patience, silence;
};

#define AT(key, key_type, member)                                                                  \
	.name = (key), .type = (key_type), .offset = offsetof(struct values, member)

static const struct evb_key keys[] = {
	{AT("to", EVB_KEY_TEXT, to), .bare = true},
	{AT("provider", EVB_KEY_TEXT, provider)},
	{AT("connections", EVB_KEY_SIZE, connections), .min = 1, .max = NETWORK_CONNECTIONS},
	{AT("largest", EVB_KEY_SIZE, largest), .min = 4096, .max = UINT64_C(1) << 32},
	{AT("patience", EVB_KEY_SIZE, patience), .max = 86400},
	{AT("silence", EVB_KEY_SIZE, silence), .min = 1, .max = 86400},
};

struct sent {
	const struct roc_mep *mep; /* NULL: the entry is free */
	unsigned int left;	   /* unacknowledged segments, plus 1 until all are submitted */
};

struct forward {
	struct values v;
	char host[EVB_TEXT_MAX], *port;
	struct source units; /* format and memory of the units, for sink_send() */
	struct sink *send;
	struct sent sent[BLOCKS];
	/* The block that is being submitted, and its next segment. */
	struct sent *at;
	unsigned int source, segment;
	uint64_t sequence;
	uint64_t done[BLOCKS];
	unsigned int done_count, accepted;
	struct evb_sink_counters n;
	char reason[UNITS_REASON];
};

static int failed(struct forward *f, int err)
{
	return units_fail(f->reason, -err, "%s",
			  f->send->reason[0] ? f->send->reason : strerror(-err));
}

static int memory(void *self, int fd, void *base, size_t length)
{
	struct forward *f = self;
	struct send_options o = {
		.host = f->host,
		.port = f->port,
		.provider = f->v.provider,
		.connections = (uint32_t)f->v.connections,
		.patience = (uint32_t)f->v.patience,
		.silence = (uint32_t)f->v.silence,
	};

	f->units.regions[0] = (struct unit_region){.addr = base, .length = length};
	f->units.region_count = 1;
	f->send = sink_send(&o, &f->units, f->reason);
	return f->send ? 0 : -EIO;
}

static void put_one(struct forward *f, struct sent *s)
{
	if (--s->left)
		return;
	f->done[f->done_count++] = s->mep->handle;
	s->mep = NULL;
	f->accepted--;
}

/* Continue to submit the present block: 1 complete; 0 no space now; -errno. */
static int put_on(struct forward *f)
{
	const struct roc_mep *mep = f->at->mep;
	struct unit u;
	int ret;

	for (; f->source < mep->count; f->source++, f->segment = 0) {
		const struct roc_mep_source *s = &mep->sources[f->source];

		for (; s->state == ROC_MEP_HERE && f->segment < s->view.count; f->segment++) {
			const struct iovec *v = &s->view.segments[f->segment];

			if (v->iov_len > f->v.largest)
				return units_fail(
					f->reason, EMSGSIZE,
					"forward: a segment has %zu bytes, more than largest=%llu: increase largest.",
					v->iov_len, (unsigned long long)f->v.largest);
			u = (struct unit){
				.data = v->iov_base,
				.bytes = v->iov_len,
				.handle = (uint64_t)(f->at - f->sent),
				.sequence = f->sequence,
				.first = mep->first_event,
				.time = mep->time,
				.link = (int32_t)f->source,
				.flags = s->view.head.flags & ROC_MFP_DAMAGED ? UNIT_DAMAGED : 0,
			};
			ret = f->send->ops->put(f->send, &u);
			if (ret <= 0)
				return ret ? failed(f, ret) : 0;
			f->sequence++;
			f->at->left++;
		}
		f->n.missing += s->state == ROC_MEP_MISSING;
		f->n.fragments += s->state == ROC_MEP_HERE ? s->view.head.count : 0;
		f->n.bytes += s->state == ROC_MEP_HERE ? s->view.head.bytes : 0;
	}
	f->n.blocks++;
	f->n.incomplete += !!(mep->flags & ROC_MEP_INCOMPLETE);
	f->n.damaged += !!(mep->flags & ROC_MEP_DAMAGED);
	put_one(f, f->at);
	f->at = NULL;
	return 1;
}

static int put(void *self, const struct roc_mep *mep)
{
	struct forward *f = self;
	unsigned int i;
	int ret;

	if (f->at) {
		ret = put_on(f);
		if (ret <= 0)
			return ret;
	}
	if (f->accepted + f->done_count >= BLOCKS)
		return 0;
	for (i = 0; f->sent[i].mep; i++)
		;
	f->at = &f->sent[i];
	*f->at = (struct sent){.mep = mep, .left = 1};
	f->source = f->segment = 0;
	f->accepted++;
	/* The block is accepted. Segments that have no space now are submitted later. */
	ret = put_on(f);
	return ret < 0 ? ret : 1;
}

static int flush(void *self)
{
	struct forward *f = self;
	int ret = f->send ? f->send->ops->flush(f->send) : 0;

	return ret ? failed(f, ret) : 0;
}

static int collect(struct forward *f)
{
	uint64_t handles[BATCH];
	int n, i;

	do {
		n = f->send->ops->done(f->send, handles, BATCH);
		if (n < 0)
			return failed(f, n);
		for (i = 0; i < n; i++)
			put_one(f, &f->sent[handles[i]]);
	} while (n == BATCH);
	return 0;
}

static int done(void *self, uint64_t *handles, unsigned int room)
{
	struct forward *f = self;
	unsigned int n;
	int ret;

	if (!f->send)
		return 0;
	ret = collect(f);
	if (!ret && f->at)
		ret = put_on(f);
	if (ret < 0)
		return ret;
	for (n = 0; n < room && f->done_count; n++)
		handles[n] = f->done[--f->done_count];
	return (int)n;
}

static int finish(void *self)
{
	struct forward *f = self;
	int ret = f->send ? sink_send_finish(f->send) : 1;

	return ret < 0 ? failed(f, ret) : ret;
}

static void abandon(void *self)
{
	struct forward *f = self;
	unsigned int i;

	if (!f->send)
		return;
	f->send->ops->abandon(f->send);
	collect(f);
	f->at = NULL;
	for (i = 0; i < BLOCKS; i++) {
		if (!f->sent[i].mep)
			continue;
		f->n.lost++;
		f->sent[i].left = 1;
		put_one(f, &f->sent[i]);
	}
}

static void idle(void *self, struct roc_idle *idle)
{
	struct forward *f = self;

	if (f->done_count)
		roc_idle_ns(idle, 0);
	else if (f->send && idle->ns)
		f->send->ops->sleep(f->send, idle);
}

static const char *reason_of(void *self)
{
	return ((struct forward *)self)->reason;
}

static void counters(void *self, struct evb_sink_counters *counters)
{
	*counters = ((struct forward *)self)->n;
}

static void close_sink(void *self)
{
	struct forward *f = self;

	sink_close(f->send);
	free(f);
}

static const struct roc_evb_sink_ops ops = {
	.name = "forward",
	.memory = memory,
	.put = put,
	.flush = flush,
	.done = done,
	.finish = finish,
	.abandon = abandon,
	.idle = idle,
	.reason = reason_of,
};

/* "host", "host:port", "[address]:port". */
static int split(struct forward *f, char reason[UNITS_REASON])
{
	char *colon;

	if (!f->v.to[0])
		return units_fail(
			reason, EINVAL,
			"forward: the host of roc-recv is missing, as in forward:node2:" NETWORK_PORT
			".");
	strcpy(f->host, f->v.to[0] == '[' ? f->v.to + 1 : f->v.to);
	if (f->v.to[0] == '[') {
		colon = strchr(f->host, ']');
		if (!colon || (colon[1] && colon[1] != ':'))
			return units_fail(reason, EINVAL,
					  "forward: \"%s\" is not [ADDRESS] or [ADDRESS]:PORT.",
					  f->v.to);
		*colon = '\0';
		colon = colon[1] ? colon + 1 : NULL;
	} else {
		colon = strrchr(f->host, ':');
	}
	f->port = colon ? colon + 1 : (char *)(uintptr_t)NETWORK_PORT;
	if (colon)
		*colon = '\0';
	return 0;
}

int evb_sink_forward(const char *values, const char *name, struct evb_sink *sink,
		     char reason[UNITS_REASON])
{
	struct forward *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return units_fail(reason, ENOMEM, "Cannot allocate the state of the sink forward.");
	f->v = (struct values){
		.provider = "tcp",
		.connections = 1,
		.largest = 2 << 20,
		.patience = 30,
		.silence = strtoul(NETWORK_SILENCE, NULL, 10),
	};
	ret = evb_text_parse("forward", values, keys, sizeof(keys) / sizeof(keys[0]), &f->v,
			     reason);
	if (!ret)
		ret = split(f, reason);
	if (ret) {
		free(f);
		return ret;
	}
	f->units.format = (struct unit_format){.content = UNIT_BYTES, .unit_max = f->v.largest};
	snprintf(f->units.format.from, sizeof(f->units.format.from), "events of %s", name);
	*sink = (struct evb_sink){
		.ops = &ops, .self = f, .counters = counters, .close = close_sink};
	return 0;
}
