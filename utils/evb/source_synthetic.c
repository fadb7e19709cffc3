// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The source synthetic: make fragments in memory whose content depends only on the name of the
 * source, the event and the size, so that each receiver can check them. All random choices depend
 * only on these, too, so a restarted source makes the same fragments again.
 */
#include "source.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "utils/units/content.h"
#include "utils/units/slots.h"

#define SIZE_MAX_BYTES (UINT64_C(1) << 32)
#define PARTS_MAX 8
#define HOLE 64		  /* bytes between two parts */
#define EXPONENTIAL_MAX 8 /* limit of sizes, times the mean */
#define POISON 0xa5
#define LOTS (1u << 16) /* limit of random choices in one call */

enum {
	SPREAD_NONE,
	SPREAD_EVEN,
	SPREAD_EXPONENTIAL
};
enum {
	FILL_ALL,
	FILL_HEAD
};

static const char *const spreads[] = {"none", "even", "exponential", NULL};
static const char *const fills[] = {"all", "head", NULL};

struct values {
	uint64_t size, rate, first, events, buffer, parts;
	double gaps, damage, wrong;
	unsigned int spread, fill;
};

#define AT(key, key_type, member)                                                                  \
	.name = (key), .type = (key_type), .offset = offsetof(struct values, member)

static const struct evb_key keys[] = {
	{AT("size", EVB_KEY_SIZE, size), .max = SIZE_MAX_BYTES},
	{AT("spread", EVB_KEY_NAME, spread), .names = spreads},
	{AT("rate", EVB_KEY_SIZE, rate), .max = 1000000000},
	{AT("first", EVB_KEY_SIZE, first)},
	{AT("events", EVB_KEY_SIZE, events)},
	{AT("gaps", EVB_KEY_SHARE, gaps)},
	{AT("damage", EVB_KEY_SHARE, damage)},
	{AT("wrong", EVB_KEY_SHARE, wrong)},
	{AT("buffer", EVB_KEY_SIZE, buffer), .min = 1, .max = UINT64_C(1) << 40},
	{AT("parts", EVB_KEY_SIZE, parts), .min = 1, .max = PARTS_MAX},
	{AT("fill", EVB_KEY_NAME, fill), .names = fills},
};

struct synthetic {
	struct values v;
	uint64_t source; /* number that is derived from its name */
	uint64_t largest;
	struct unit_slots slots;
	struct evb_trigger trigger;
	uint64_t next; /* event */
	uint64_t made; /* events, with gaps and dropped ones */
	bool stopped;
	struct roc_evb_part parts[PARTS_MAX];
	struct evb_source_counters counters;
	char reason[UNITS_REASON];
};

/* A pseudo-random number from 0 to 1 for an event and a purpose. */
static double draw(const struct synthetic *y, uint64_t event, uint64_t purpose)
{
	return (double)(content_mix(content_mix(y->source, event), purpose) >> 11) * 0x1p-53;
}

static uint64_t size_of(const struct synthetic *y, uint64_t event)
{
	double lot = draw(y, event, 1), mean = (double)y->v.size;

	switch (y->v.spread) {
	case SPREAD_EVEN:
		return (uint64_t)(2 * mean * lot);
	case SPREAD_EXPONENTIAL:
		return (uint64_t)fmin(-mean * log1p(-lot), mean * EXPONENTIAL_MAX);
	default:
		return y->v.size;
	}
}

static uint64_t largest(const struct values *v)
{
	return v->spread == SPREAD_NONE	  ? v->size
	       : v->spread == SPREAD_EVEN ? 2 * v->size
					  : EXPONENTIAL_MAX * v->size;
}

static int start(void *self)
{
	struct synthetic *y = self;

	evb_trigger_start(&y->trigger, y->v.rate, y->v.first, units_realtime());
	y->next = y->trigger.first;
	return 0;
}

/* Write the whole content for each event, so an access after the return finds other data. */
static unsigned int fill_all(struct synthetic *y, const struct content *c, char *at, uint64_t bytes)
{
	unsigned int n = (unsigned int)y->v.parts, i;
	uint64_t from = 0, each = (bytes / n + 7) & ~UINT64_C(7);

	for (i = 0; i < n; i++) {
		uint64_t end = i + 1 == n || (i + 1) * each > bytes ? bytes : (i + 1) * each;

		content_write(c, from, at + from + i * HOLE, end - from);
		y->parts[i] =
			(struct roc_evb_part){.data = at + from + i * HOLE, .bytes = end - from};
		from = end;
	}
	return n;
}

/*
 * Write only the head for each event. The body is in memory once; each event begins at another
 * place of it.
 */
static unsigned int fill_head(struct synthetic *y, const struct content *c, char *at,
			      uint64_t bytes)
{
	uint64_t head = bytes < CONTENT_HEAD ? bytes : CONTENT_HEAD;

	content_write(c, 0, at, head);
	y->parts[0] = (struct roc_evb_part){.data = at, .bytes = head};
	y->parts[1] = (struct roc_evb_part){
		.data = unit_slots_extra(&y->slots) + c->place * 8 + CONTENT_HEAD,
		.bytes = bytes - head,
	};
	return bytes > head ? 2 : 1;
}

static void make(struct synthetic *y, uint64_t event, struct roc_evb_fragment *f)
{
	uint64_t bytes = size_of(y, event), due = evb_trigger_due(&y->trigger, event);
	struct content c = content_of(y->source, event, bytes);
	uint32_t slot;

	*f = (struct roc_evb_fragment){
		.event = event,
		.parts = y->parts,
		.bytes = bytes,
		.handle = unit_slots_lend(&y->slots, &slot),
		.time = due ? due : units_realtime(),
	};
	if (bytes)
		f->count = y->v.fill == FILL_HEAD
				   ? fill_head(y, &c, unit_slot(&y->slots, slot), bytes)
				   : fill_all(y, &c, unit_slot(&y->slots, slot), bytes);
	if (draw(y, event, 2) < y->v.damage) {
		f->flags = ROC_EVB_FRAGMENT_DAMAGED;
		y->counters.damaged++;
	}
	if (bytes && (f->flags || draw(y, event, 3) < y->v.wrong))
		*unit_slot(&y->slots, slot) ^= 0x10;
	y->counters.events++;
	y->counters.bytes += bytes;
}

static void drop(struct synthetic *y, uint64_t count)
{
	uint64_t left = y->v.events ? y->v.events - y->made : count;
	uint64_t n = count < left ? count : left;

	y->counters.dropped += n;
	y->made += n;
	y->next += n;
}

/*
 * Skip due events that are gaps, and without a free slot drop the events that a card would drop. If
 * the clock was set, years of events may be due: they are dropped without a random choice for each.
 * False: the limit of one call is reached, continue at the next call.
 */
static bool pass(struct synthetic *y, uint64_t now)
{
	uint64_t due = y->v.rate ? evb_trigger_next(&y->trigger, now) : UINT64_MAX;
	unsigned int n;

	for (n = 0; (!y->v.events || y->made < y->v.events) && y->next < due; n++) {
		bool room = !y->v.rate || y->slots.free_count;

		if (!room && (!y->v.gaps || due - y->next > LOTS)) {
			drop(y, due - y->next);
			return true;
		}
		if (n == LOTS)
			return false;
		if (draw(y, y->next, 4) < y->v.gaps) {
			y->counters.gaps++;
			y->made++;
			y->next++;
		} else if (room) {
			return true;
		} else {
			drop(y, 1);
		}
	}
	return true;
}

static int take(void *self, struct roc_evb_fragment *f)
{
	struct synthetic *y = self;
	uint64_t now = y->v.rate ? units_realtime() : 0;

	if (y->stopped)
		return -ENODATA;
	if (!pass(y, now))
		return 0;
	if (y->v.events && y->made == y->v.events)
		return -ENODATA;
	if (!y->slots.free_count)
		return -EAGAIN;
	if (evb_trigger_wait(&y->trigger, y->next, now))
		return 0;
	make(y, y->next++, f);
	y->made++;
	return 1;
}

static int give_back(void *self, uint64_t handle)
{
	struct synthetic *y = self;
	size_t ends = y->slots.stride < 128 ? y->slots.stride : 128;
	uint32_t slot;
	int ret = unit_slots_return(&y->slots, handle, &slot, y->reason);

	if (ret)
		return ret;
	/* Overwrite the slot to detect a use after the return. */
	memset(unit_slot(&y->slots, slot), POISON, ends);
	y->counters.returned++;
	return 0;
}

static int go_on(void *self, uint64_t event)
{
	struct synthetic *y = self;

	if (evb_trigger_go_on(&y->trigger, event, y->next, units_realtime()))
		y->next = event;
	return 0;
}

static int stop(void *self)
{
	((struct synthetic *)self)->stopped = true;
	return 0;
}

static void idle(void *self, struct roc_idle *idle)
{
	struct synthetic *y = self;

	if (y->stopped)
		return;
	/* Also without a free slot, because due events must be dropped. */
	if (y->v.rate)
		roc_idle_ns(idle, evb_trigger_wait(&y->trigger, y->next, units_realtime()));
	else if (y->slots.free_count)
		roc_idle_ns(idle, 0);
}

static unsigned int regions(void *self, struct roc_evb_region *regions, unsigned int room)
{
	struct synthetic *y = self;

	if (room)
		regions[0] =
			(struct roc_evb_region){.addr = y->slots.memory, .length = y->slots.length};
	return 1;
}

static const char *reason_of(void *self)
{
	return ((struct synthetic *)self)->reason;
}

static void counters(void *self, struct evb_source_counters *counters)
{
	*counters = ((struct synthetic *)self)->counters;
}

static void close_source(void *self)
{
	struct synthetic *y = self;

	unit_slots_close(&y->slots);
	free(y);
}

static const struct roc_evb_source_ops ops = {
	.name = "synthetic",
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

static int prepare(struct synthetic *y, char reason[UNITS_REASON])
{
	bool once = y->v.fill == FILL_HEAD;
	size_t stride = (y->largest + y->v.parts * (HOLE + 8) + 63) & ~UINT64_C(63), extra = 0;
	uint64_t count;
	int ret;

	if (once && y->v.parts != 1)
		return units_fail(
			reason, EINVAL,
			"synthetic: parts cannot be used with fill=head, which determines them itself.");
	if (once) {
		stride = CONTENT_HEAD;
		extra = CONTENT_PLACES * 8 + y->largest;
	}
	count = y->v.buffer / (once && y->largest ? y->largest : stride);
	if (!count || count > UINT32_MAX)
		return units_fail(
			reason, EINVAL,
			"synthetic: buffer must hold at least one fragment of %llu bytes, and less than 2^32 fragments.",
			(unsigned long long)y->largest);
	ret = unit_slots_open(&y->slots, stride, (uint32_t)count, extra, &names, reason);
	if (!ret)
		content_body(y->source, 0, unit_slots_extra(&y->slots), extra);
	return ret;
}

int evb_source_synthetic(const char *values, const char *name, struct evb_source *source,
			 char reason[UNITS_REASON])
{
	struct synthetic *y = calloc(1, sizeof(*y));
	int ret;

	if (!y)
		return units_fail(reason, ENOMEM,
				  "Cannot allocate the state of the source synthetic.");
	y->v = (struct values){
		.size = 64 << 10,
		.first = EVB_TRIGGER_CLOCK,
		.buffer = 64 << 20,
		.parts = 1,
	};
	ret = evb_text_parse("synthetic", values, keys, sizeof(keys) / sizeof(keys[0]), &y->v,
			     reason);
	if (!ret) {
		y->source = content_source(name);
		y->largest = largest(&y->v);
		ret = prepare(y, reason);
	}
	if (ret) {
		close_source(y);
		return ret;
	}
	*source = (struct evb_source){
		.ops = &ops,
		.self = y,
		.fragment_max = y->largest,
		.counters = counters,
		.close = close_source,
	};
	return 0;
}
