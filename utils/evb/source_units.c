// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sources card and recording: split the units of a source of utils/units by event (cut.c), and
 * assemble fragments from all links (assemble.c), without a copy.
 *
 * With a rate, events get new ids and are lent by the clock, one after the other. So a recording
 * can be played beside sources that are triggered now.
 */
#include "source.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "assemble.h"
#include "text.h"
#include "utils/common/tool.h"
#include "utils/record/recording.h"
#include "utils/units/sources.h"
#include "utils/units/units_options.h"

#define HOLD_NS (100 * 1000 * 1000)
#define NOT_GIVEN UINT_MAX /* data source */

struct values {
	char path[EVB_TEXT_MAX], id[EVB_TEXT_MAX], stream[EVB_TEXT_MAX], sub[EVB_TEXT_MAX];
	uint64_t channel, buffer, superpage, links, hold, high, rate, first;
	unsigned int data_source;
	bool plain, bypass;
};

#define AT(key, key_type, member)                                                                  \
	.name = (key), .type = (key_type), .offset = offsetof(struct values, member)

struct adapter {
	struct values v;
	struct roc_evb_source_ops ops; /* with the content of the units */
	struct source *units;
	struct assemble *assemble;
	struct cut cut;
	bool cutting;
	bool stopped, ended;
	bool all_out; /* all units are lent: take() returned -EAGAIN */
	/* With a rate: a complete fragment waits in @kept until it is due. */
	struct evb_trigger trigger;
	uint64_t next, dropped;
	uint64_t flagged; /* units with UNIT_DAMAGED */
	struct roc_evb_fragment kept;
	bool keeps;
	char reason[UNITS_REASON];
};

static int units_failed(struct adapter *a, int err)
{
	return units_fail(a->reason, -err, "%s",
			  a->units->reason[0] ? a->units->reason : strerror(-err));
}

static int start(void *self)
{
	struct adapter *a = self;
	int ret = a->units->ops->start(a->units);

	evb_trigger_start(&a->trigger, a->v.rate, a->v.first, units_realtime());
	a->next = a->trigger.first;
	return ret ? units_failed(a, ret) : 0;
}

static int flush(void *self)
{
	struct adapter *a = self;
	int ret = a->units->ops->flush ? a->units->ops->flush(a->units) : 0;

	return ret ? units_failed(a, ret) : 0;
}

/* Pass the pieces of the unit to the assembler while it has space; true: end of the unit. */
static bool cut_on(struct adapter *a, uint64_t now)
{
	struct cut_piece p;
	int ret;

	while (assemble_room(a->assemble)) {
		ret = cut_next(&a->cut, &p);
		if (ret > 0) {
			assemble_piece(a->assemble, &p, now);
			continue;
		}
		if (ret < 0)
			assemble_bad(a->assemble);
		assemble_unit_end(a->assemble);
		a->cutting = false;
		return true;
	}
	return false;
}

static int return_units(struct adapter *a)
{
	uint64_t handle;
	int ret;

	while (assemble_done(a->assemble, &handle)) {
		ret = a->units->ops->give_back(a->units, handle);
		if (ret)
			return units_failed(a, ret);
		a->all_out = false;
	}
	return 0;
}

/* Process one more unit: 1; 0 none; -errno. */
static int feed(struct adapter *a, uint64_t now)
{
	struct unit u;
	int ret;

	if (!a->cutting) {
		if (a->ended || !assemble_room(a->assemble))
			return 0;
		ret = a->units->ops->take(a->units, &u);
		if (!ret && a->units->ops->flush) {
			/* Some sources make progress only in flush(). */
			ret = flush(a);
			if (ret)
				return ret;
			ret = a->units->ops->take(a->units, &u);
		}
		a->all_out = ret == -EAGAIN;
		if (ret == -ENODATA)
			a->ended = true;
		if (!ret || ret == -EAGAIN || ret == -ENODATA)
			return 0;
		if (ret < 0)
			return units_failed(a, ret);
		a->flagged += !!(u.flags & UNIT_DAMAGED);
		cut_begin(&a->cut, a->units->format.content, &u);
		assemble_unit(a->assemble, &u, now);
		a->cutting = true;
	}
	if (!cut_on(a, now))
		return 0;
	ret = return_units(a);
	return ret ? ret : 1;
}

static int take_complete(struct adapter *a, struct roc_evb_fragment *f)
{
	uint64_t now = units_now();
	int ret;

	for (;;) {
		ret = assemble_take(a->assemble, now, a->ended && !a->cutting, f);
		if (ret)
			return ret;
		ret = feed(a, now);
		if (ret < 0)
			return ret;
		if (!ret)
			break;
	}
	ret = assemble_take(a->assemble, now, a->ended && !a->cutting, f);
	return !ret && a->ended && !a->cutting ? -ENODATA : ret;
}

/* With a rate, an event that is due while no fragment is complete is a gap. */
static int take(void *self, struct roc_evb_fragment *f)
{
	struct adapter *a = self;
	uint64_t now, due;
	int ret;

	if (!a->v.rate)
		return take_complete(a, f);
	/* After stop() no further event is triggered. */
	if (a->stopped)
		return -ENODATA;
	if (!a->keeps) {
		ret = take_complete(a, &a->kept);
		if (ret <= 0)
			return ret;
		a->keeps = true;
	}
	now = units_realtime();
	if (evb_trigger_wait(&a->trigger, a->next, now))
		return 0;
	/* If the source is late, skip the events that were due meanwhile. */
	due = evb_trigger_next(&a->trigger, now) - 1;
	if (due > a->next) {
		a->dropped += due - a->next;
		a->next = due;
	}
	a->keeps = false;
	*f = a->kept;
	f->event = a->next++;
	f->time = evb_trigger_due(&a->trigger, f->event);
	return 1;
}

static int give_back(void *self, uint64_t handle)
{
	struct adapter *a = self;
	int ret = assemble_return(a->assemble, handle);

	return ret ? units_fail(a->reason, -ret, "Fragment 0x%llx is not lent.",
				(unsigned long long)handle)
		   : return_units(a);
}

static int stop(void *self)
{
	struct adapter *a = self;
	int ret = a->stopped ? 0 : a->units->ops->stop(a->units);

	a->stopped = true;
	return ret ? units_failed(a, ret) : 0;
}

static void idle(void *self, struct roc_idle *idle)
{
	struct adapter *a = self;
	uint64_t ns;

	if (a->keeps) {
		roc_idle_ns(idle, evb_trigger_wait(&a->trigger, a->next, units_realtime()));
		return;
	}
	if (assemble_waits(a->assemble, units_now(), &ns))
		roc_idle_ns(idle, ns);
	/*
	 * Do not wait for units that cannot be taken now: the poll would return at once each time.
	 */
	if (!a->ended && !a->all_out && assemble_room(a->assemble))
		a->units->ops->sleep(a->units, idle);
	else if (a->units->ops->sleep_blocked)
		a->units->ops->sleep_blocked(a->units, idle);
}

static unsigned int regions(void *self, struct roc_evb_region *regions, unsigned int room)
{
	struct adapter *a = self;
	unsigned int i;

	for (i = 0; i < a->units->region_count && i < room; i++)
		regions[i] = (struct roc_evb_region){.addr = a->units->regions[i].addr,
						     .length = a->units->regions[i].length};
	return a->units->region_count;
}

static const char *reason_of(void *self)
{
	return ((struct adapter *)self)->reason;
}

static void counters(void *self, struct evb_source_counters *counters)
{
	struct adapter *a = self;
	struct assemble_counts n;
	struct unit_counters b = {0};

	assemble_counts(a->assemble, &n);
	a->units->ops->counters(a->units, &b);
	*counters = (struct evb_source_counters){
		.events = n.events - a->keeps,
		.bytes = n.bytes - (a->keeps ? a->kept.bytes : 0),
		.returned = n.returned,
		.gaps = a->dropped,
		.dropped = b.known ? b.dropped : 0,
		.damaged = n.damaged,
		.late = n.late,
		.disorder = n.disorder,
		.flagged = a->flagged,
		.note = a->units->incomplete ? a->units->note : NULL,
	};
}

static void close_source(void *self)
{
	struct adapter *a = self;

	if (a->assemble)
		assemble_abandon(a->assemble);
	if (a->units && a->assemble)
		return_units(a);
	source_close(a->units);
	assemble_free(a->assemble);
	free(a);
}

static const struct roc_evb_source_ops card_ops = {
	.name = "card",
	.start = start,
	.take = take,
	.give_back = give_back,
	.flush = flush,
	.stop = stop,
	.idle = idle,
	.regions = regions,
	.reason = reason_of,
};

static const struct roc_evb_source_ops recording_ops = {
	.name = "recording",
	.start = start,
	.take = take,
	.give_back = give_back,
	.flush = flush,
	.stop = stop,
	.idle = idle,
	.regions = regions,
	.reason = reason_of,
};

static enum assemble_way way_of(enum unit_content content)
{
	switch (content) {
	case UNIT_DDG:
	case UNIT_RUNNING:
	case UNIT_HEADERS:
		return ASSEMBLE_PASSED;
	case UNIT_FRAGMENTS:
		return ASSEMBLE_EACH;
	default:
		return ASSEMBLE_AT_ONCE;
	}
}

static enum evb_content content_of_units(enum unit_content content)
{
	switch (content) {
	case UNIT_DDG:
	case UNIT_RUNNING:
	case UNIT_HEADERS:
		return EVB_CONTENT_RDH;
	case UNIT_PACKETS:
		return EVB_CONTENT_P40;
	case UNIT_FRAGMENTS:
		return EVB_CONTENT_ROBINNP;
	default:
		return EVB_CONTENT_BYTES;
	}
}

/* Complete the source after a->units was opened. */
static int finish_open(struct adapter *a, struct evb_source *source, char reason[UNITS_REASON])
{
	enum unit_content content = a->units->format.content;
	struct assemble_options o = {
		.way = way_of(content),
		.hold = a->v.hold,
		.links = a->v.links,
		.wraps = cut_wraps(content),
		.high = a->v.high,
	};

	a->assemble = assemble_new(&o);
	if (!a->assemble)
		return units_fail(reason, ENOMEM, "Cannot allocate the assembler of fragments.");
	a->ops.content = content_of_units(content);
	*source = (struct evb_source){
		.ops = &a->ops,
		.self = a,
		.counters = counters,
		.close = close_source,
	};
	return 0;
}

static struct adapter *new_adapter(const struct roc_evb_source_ops *ops, char reason[UNITS_REASON])
{
	struct adapter *a = calloc(1, sizeof(*a));

	if (!a) {
		units_fail(reason, ENOMEM, "Cannot allocate the state of the source %s.",
			   ops->name);
		return NULL;
	}
	a->ops = *ops;
	a->v.hold = HOLD_NS;
	return a;
}

static const struct source_card_words card_words = {
	.channel = "channel=",
	.stream = "stream=",
	.sub = "sub=",
	.data_source = "data-source=",
	.links = "links=",
	.buffer = "buffer=",
	.unit = "superpage=",
	.bypass = "bypass-fw-check",
};

static int open_card(struct adapter *a, char reason[UNITS_REASON])
{
	bool given = a->v.data_source != NOT_GIVEN;
	struct source_card_options o = {
		.id = a->v.id,
		.dma_channel = (uint32_t)a->v.channel,
		.stream = a->v.stream[0] ? a->v.stream : NULL,
		.sub = a->v.sub[0] ? a->v.sub : NULL,
		.data_source = given ? a->v.data_source : ROC_SOURCE_DDG,
		.data_source_given = given,
		.buffer = a->v.buffer,
		.unit = a->v.superpage,
		.plain_memory = a->v.plain,
		.bypass_fw_check = a->v.bypass,
		.words = &card_words,
	};
	int code;

	if (!a->v.id[0])
		return units_fail(reason, EINVAL, "card: id= is missing, as in card:id=3b:00.0.");
	code = source_card_usage(o.buffer, o.unit, o.words);
	if (!code)
		code = source_card(&o, &a->units);
	if (!code)
		return 0;
	return units_fail(reason, code == TOOL_USAGE ? EINVAL : ENODEV,
			  "The card cannot be used as a source: see the previous message.");
}

static const struct evb_key card_keys[] = {
	{AT("id", EVB_KEY_TEXT, id), .bare = true},
	{AT("channel", EVB_KEY_SIZE, channel), .max = 255},
	{AT("stream", EVB_KEY_TEXT, stream)},
	{AT("sub", EVB_KEY_TEXT, sub)},
	{AT("data-source", EVB_KEY_NAME, data_source), .names = units_data_sources},
	{AT("buffer", EVB_KEY_SIZE, buffer)},
	{AT("superpage", EVB_KEY_SIZE, superpage)},
	{AT("links", EVB_KEY_SIZE, links), .max = UNITS_LINKS},
	{AT("hold", EVB_KEY_TIME, hold)},
	{AT("high", EVB_KEY_SIZE, high), .max = UINT32_MAX},
	{AT("plain-memory", EVB_KEY_FLAG, plain)},
	{AT("bypass-fw-check", EVB_KEY_FLAG, bypass)},
};

int evb_source_card(const char *values, const char *name, struct evb_source *source,
		    char reason[UNITS_REASON])
{
	struct adapter *a = new_adapter(&card_ops, reason);
	int ret;

	if (!a)
		return -ENOMEM;
	a->v.buffer = UINT64_C(1) << 30;
	a->v.superpage = 1 << 20;
	a->v.data_source = NOT_GIVEN;
	ret = evb_text_parse("card", values, card_keys, sizeof(card_keys) / sizeof(card_keys[0]),
			     &a->v, reason);
	if (!ret)
		ret = open_card(a, reason);
	if (!ret)
		ret = finish_open(a, source, reason);
	if (ret)
		close_source(a);
	return ret;
}

static const struct evb_key recording_keys[] = {
	{AT("path", EVB_KEY_TEXT, path), .bare = true},
	{AT("buffer", EVB_KEY_SIZE, buffer)},
	{AT("rate", EVB_KEY_SIZE, rate), .max = 1000000000},
	{AT("first", EVB_KEY_SIZE, first)},
	{AT("links", EVB_KEY_SIZE, links), .max = UNITS_LINKS},
	{AT("hold", EVB_KEY_TIME, hold)},
	{AT("high", EVB_KEY_SIZE, high), .max = UINT32_MAX},
};

int evb_source_recording(const char *values, const char *name, struct evb_source *source,
			 char reason[UNITS_REASON])
{
	struct adapter *a = new_adapter(&recording_ops, reason);
	struct replay_options o = {.depth = 16};
	int ret;

	if (!a)
		return -ENOMEM;
	a->v.buffer = 64 << 20;
	a->v.first = EVB_TRIGGER_CLOCK;
	ret = evb_text_parse("recording", values, recording_keys,
			     sizeof(recording_keys) / sizeof(recording_keys[0]), &a->v, reason);
	if (!ret && !a->v.path[0])
		ret = units_fail(
			reason, EINVAL,
			"recording: the directory is missing, as in recording:/data/run1.");
	if (!ret) {
		o.path = a->v.path;
		o.buffer = a->v.buffer;
		a->units = source_replay(&o, reason);
		ret = a->units ? finish_open(a, source, reason) : -ENOENT;
	}
	if (ret)
		close_source(a);
	return ret;
}
