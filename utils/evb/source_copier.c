// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sources gpu and cpu: a GPU, or the processors in its place, copies fragments into host memory
 * (utils/gpu/copier.h). The body is copied from device memory, the head is written here. The
 * content is that of the synthetic source, so receivers check it in the same way.
 *
 * The streams of copies have one fragment each, in turn, so fragments are lent in the order of
 * events.
 */
#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "utils/gpu/copier.h"
#include "utils/units/content.h"
#include "utils/units/slots.h"

#define POLL_NS 50000 /* interval of polling for the end of a copy */
#define POISON 0xa5

struct values {
	uint64_t record, rate, first, events, buffer, streams, device;
	bool pageable;
};

#define AT(key, key_type, member)                                                                  \
	.name = (key), .type = (key_type), .offset = offsetof(struct values, member)

static const struct evb_key keys[] = {
	{AT("record", EVB_KEY_SIZE, record), .min = CONTENT_HEAD + 8, .max = UINT64_C(1) << 40},
	{AT("rate", EVB_KEY_SIZE, rate), .max = 1000000000},
	{AT("first", EVB_KEY_SIZE, first)},
	{AT("events", EVB_KEY_SIZE, events)},
	{AT("buffer", EVB_KEY_SIZE, buffer), .min = 1, .max = UINT64_C(1) << 40},
	{AT("streams", EVB_KEY_SIZE, streams), .min = 1, .max = COPIER_STREAMS},
	{AT("device", EVB_KEY_SIZE, device), .max = 255},
	{AT("pageable", EVB_KEY_FLAG, pageable)},
};

struct flight {
	uint64_t event, handle;
	uint32_t slot;
};

struct copied {
	struct values v;
	uint64_t source;
	struct copier *copier;
	bool pinned;
	struct unit_slots slots;
	struct evb_trigger trigger;
	struct flight flights[COPIER_STREAMS]; /* by stream */
	uint64_t begun, lent;		       /* copies; copy n is on stream n modulo streams */
	uint64_t next, made;
	bool stopped;
	struct roc_evb_part part;
	struct evb_source_counters counters;
	char reason[UNITS_REASON];
};

static int start(void *self)
{
	struct copied *c = self;

	evb_trigger_start(&c->trigger, c->v.rate, c->v.first, units_realtime());
	c->next = c->trigger.first;
	return 0;
}

static bool more(const struct copied *c)
{
	return !c->stopped && (!c->v.events || c->made < c->v.events);
}

static int begin(struct copied *c)
{
	unsigned int stream = (unsigned int)(c->begun % c->v.streams);
	struct flight *f = &c->flights[stream];
	struct content content = content_of(c->source, c->next, c->v.record);
	int ret;

	f->event = c->next;
	f->handle = unit_slots_lend(&c->slots, &f->slot);
	ret = c->copier->ops->copy(c->copier, stream, unit_slot(&c->slots, f->slot) + CONTENT_HEAD,
				   content.place * 8 + CONTENT_HEAD, c->v.record - CONTENT_HEAD);
	if (ret)
		return units_fail(c->reason, -ret, "%s", c->copier->reason);
	c->begun++;
	c->next++;
	c->made++;
	return 0;
}

/* Drop all due events in one step: if the clock was set there may be very many. */
static void drop_due(struct copied *c, uint64_t now)
{
	uint64_t n = evb_trigger_next(&c->trigger, now) - c->next;

	if (c->v.events && n > c->v.events - c->made)
		n = c->v.events - c->made;
	c->counters.dropped += n;
	c->next += n;
	c->made += n;
}

/*
 * Begin all due copies for which there are streams and slots. With a rate, events without a slot
 * are dropped, as on a card.
 */
static int begin_all(struct copied *c)
{
	uint64_t now = c->v.rate ? units_realtime() : 0;
	int ret;

	while (more(c) && !evb_trigger_wait(&c->trigger, c->next, now)) {
		if (c->v.rate && !c->slots.free_count) {
			drop_due(c, now);
			continue;
		}
		if (!c->slots.free_count || c->begun - c->lent == c->v.streams)
			break;
		ret = begin(c);
		if (ret)
			return ret;
	}
	return 0;
}

static int take(void *self, struct roc_evb_fragment *fragment)
{
	struct copied *c = self;
	unsigned int stream = (unsigned int)(c->lent % c->v.streams);
	const struct flight *f = &c->flights[stream];
	uint64_t bytes = c->v.record, due;
	struct content content;
	int ret;

	ret = begin_all(c);
	if (ret)
		return ret;
	if (c->begun == c->lent) {
		if (!more(c))
			return -ENODATA;
		return c->slots.free_count ? 0 : -EAGAIN;
	}
	ret = c->copier->ops->done(c->copier, stream);
	if (ret < 0)
		return units_fail(c->reason, -ret, "%s", c->copier->reason);
	if (!ret)
		return 0;
	content = content_of(c->source, f->event, bytes);
	content_write(&content, 0, unit_slot(&c->slots, f->slot), CONTENT_HEAD);
	due = evb_trigger_due(&c->trigger, f->event);
	c->part = (struct roc_evb_part){.data = unit_slot(&c->slots, f->slot), .bytes = bytes};
	*fragment = (struct roc_evb_fragment){
		.event = f->event,
		.parts = &c->part,
		.count = 1,
		.bytes = bytes,
		.handle = f->handle,
		.time = due ? due : units_realtime(),
	};
	c->lent++;
	c->counters.events++;
	c->counters.bytes += bytes;
	return 1;
}

static int give_back(void *self, uint64_t handle)
{
	struct copied *c = self;
	uint32_t slot;
	int ret = unit_slots_return(&c->slots, handle, &slot, c->reason);

	if (ret)
		return ret;
	memset(unit_slot(&c->slots, slot), POISON, CONTENT_HEAD);
	c->counters.returned++;
	return 0;
}

static int go_on(void *self, uint64_t event)
{
	struct copied *c = self;

	if (evb_trigger_go_on(&c->trigger, event, c->next, units_realtime()))
		c->next = event;
	return 0;
}

static int stop(void *self)
{
	((struct copied *)self)->stopped = true;
	return 0;
}

static void idle(void *self, struct roc_idle *idle)
{
	struct copied *c = self;

	if (c->begun != c->lent)
		roc_idle_ns(idle, POLL_NS);
	if (!more(c))
		return;
	if (c->v.rate)
		roc_idle_ns(idle, evb_trigger_wait(&c->trigger, c->next, units_realtime()));
	else if (c->slots.free_count && c->begun - c->lent < c->v.streams)
		roc_idle_ns(idle, 0);
}

static unsigned int regions(void *self, struct roc_evb_region *regions, unsigned int room)
{
	struct copied *c = self;

	if (room)
		regions[0] =
			(struct roc_evb_region){.addr = c->slots.memory, .length = c->slots.length};
	return 1;
}

static const char *reason_of(void *self)
{
	return ((struct copied *)self)->reason;
}

static void counters(void *self, struct evb_source_counters *counters)
{
	*counters = ((struct copied *)self)->counters;
}

static void close_source(void *self)
{
	struct copied *c = self;
	unsigned int i;

	if (c->copier) {
		/* Running copies write to the memory of the slots. */
		for (i = 0; i < c->copier->streams; i++)
			c->copier->ops->wait(c->copier, i);
		if (c->pinned)
			c->copier->ops->unpin(c->copier, c->slots.memory, c->slots.length);
		copier_close(c->copier);
	}
	unit_slots_close(&c->slots);
	free(c);
}

static const struct roc_evb_source_ops cpu_ops = {
	.name = "cpu",
	.content = EVB_CONTENT_SYNTHETIC,
	.start = start,
	.take = take,
	.give_back = give_back,
	.go_on = go_on,
	.stop = stop,
	.idle = idle,
	.regions = regions,
	.reason = reason_of,
};

static const struct roc_evb_source_ops gpu_ops = {
	.name = "gpu",
	.content = EVB_CONTENT_SYNTHETIC,
	.start = start,
	.take = take,
	.give_back = give_back,
	.go_on = go_on,
	.stop = stop,
	.idle = idle,
	.regions = regions,
	.reason = reason_of,
};

static const struct unit_slots_names names = {"Fragment", "fragments"};

static int prepare(struct copied *c, const struct roc_evb_source_ops *ops,
		   char reason[UNITS_REASON])
{
	struct copier_options o = {
		.device = (unsigned int)c->v.device,
		.streams = (unsigned int)c->v.streams,
		.memory = CONTENT_PLACES * 8 + c->v.record,
	};
	size_t stride = (c->v.record + 63) & ~UINT64_C(63);
	uint64_t count = c->v.buffer / stride;
	int ret;

	if (count < c->v.streams || count > UINT32_MAX)
		return units_fail(
			reason, EINVAL,
			"%s: buffer must hold a record of %llu bytes for each of %llu streams, and less than 2^32 records.",
			ops->name, (unsigned long long)c->v.record,
			(unsigned long long)c->v.streams);
	ret = unit_slots_open(&c->slots, stride, (uint32_t)count, 0, &names, reason);
	if (ret)
		return ret;
	c->copier = ops == &gpu_ops ? copier_cuda(&o, reason) : copier_cpu(&o, reason);
	if (!c->copier)
		return -ENODEV;
	ret = copier_fill(c->copier, c->source, NULL);
	if (!ret && !c->v.pageable && ops == &gpu_ops) {
		ret = c->copier->ops->pin(c->copier, c->slots.memory, c->slots.length);
		c->pinned = !ret;
	}
	return ret ? units_fail(reason, -ret, "%s", c->copier->reason) : 0;
}

static int open_source(const struct roc_evb_source_ops *ops, const char *values, const char *name,
		       struct evb_source *source, char reason[UNITS_REASON])
{
	struct copied *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return units_fail(reason, ENOMEM, "Cannot allocate the state of the source %s.",
				  ops->name);
	c->v = (struct values){
		.record = 1 << 20,
		.first = EVB_TRIGGER_CLOCK,
		.buffer = 64 << 20,
		.streams = 2,
	};
	c->source = content_source(name);
	ret = evb_text_parse(ops->name, values, keys, sizeof(keys) / sizeof(keys[0]), &c->v,
			     reason);
	if (!ret)
		ret = prepare(c, ops, reason);
	if (ret) {
		close_source(c);
		return ret;
	}
	*source = (struct evb_source){
		.ops = ops,
		.self = c,
		.fragment_max = c->v.record,
		.counters = counters,
		.close = close_source,
	};
	return 0;
}

int evb_source_cpu(const char *values, const char *name, struct evb_source *source,
		   char reason[UNITS_REASON])
{
	return open_source(&cpu_ops, values, name, source, reason);
}

int evb_source_gpu(const char *values, const char *name, struct evb_source *source,
		   char reason[UNITS_REASON])
{
	return open_source(&gpu_ops, values, name, source, reason);
}
