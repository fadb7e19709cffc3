// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source of a stream's events: the generator, the spill buffer, throttle and truncation. An event
 * is offered when the source has it; then it is either accepted, whole or cut, or, while the
 * throttle is on, passed over.
 */
#include "p40.h"

#define AT_ONCE 4096 /* events in one turn */

void p40_source_default(struct p40_stream *st)
{
	bool main = st->kind == STREAM_TYPE_MAIN;

	st->first = 0;
	st->gen = (struct generator){
		.size_min = main ? 1024 : 0,
		.size_max = main ? 1024 : 0,
	};
}

static bool clocked(const struct generator *g)
{
	return g->control & STREAM_GENERATOR_CLOCKED && g->rate;
}

static bool flows(const struct p40_stream *st)
{
	return st->unit.enabled && !st->closing && p40_of(st)->enable & 1u << st->unit.nr &&
	       st->gen.control & STREAM_GENERATOR_RUN;
}

/* Number of events that are due by now. */
static uint64_t due(struct p40_stream *st, uint64_t now, uint64_t *when)
{
	return generator_due(&st->gen, flows(st), now, !clocked(&st->gen), when);
}

/* The key rate limits a source that waits for space. It does not delay a clocked source. */
bool p40_source_paced(struct p40_stream *st, uint64_t now, uint64_t *when)
{
	return !clocked(&st->gen) && !st->closing && unit_paced(&st->unit, now, when);
}

static uint32_t level_of(const struct p40_stream *st, const struct p40_event *e)
{
	if (st->kind != STREAM_TYPE_MAIN)
		return STREAM_LINE;
	return e->size > P40_EVENT_BYTES ? p40_up(e->size, P40_EVENT_BYTES) : P40_EVENT_BYTES;
}

uint32_t p40_packet_limit(const struct p40_stream *st)
{
	uint64_t half = 1ull << (st->ring_log2 - 1);

	return st->set.pack_bytes < half ? st->set.pack_bytes : half;
}

uint32_t p40_source_fit(const struct p40_stream *st)
{
	uint32_t align = 1u << st->set.align;
	uint32_t data = p40_up(STREAM_PACKET_SIZES(1) + sizeof(uint32_t), align);

	return (p40_packet_limit(st) - data) / align * align;
}

/* The next event of the source, as it would be accepted. */
static void draw(const struct p40_stream *st, struct p40_event *e)
{
	const struct generator *g = &st->gen;
	uint32_t fit;

	*e = (struct p40_event){.id = g->next, .size = g->size_min};
	if (st->kind != STREAM_TYPE_MAIN)
		return;
	if (g->control & STREAM_GENERATOR_DISTRIBUTED)
		e->size = stream_size(e->id, g->size_min, generator_max(g));
	fit = p40_source_fit(st);
	if (st->set.policy & STREAM_POLICY_TRUNCATE && st->spill.level >= st->set.truncate_on)
		fit = 0;
	else if (e->size <= fit)
		return;
	e->truncated = true;
	if (e->size > fit)
		e->cut = e->size - fit;
	e->size -= e->cut;
}

static void add_cycles(struct p40_stream *st, enum p40_counter nr, uint64_t *since, uint64_t now)
{
	uint64_t cycles = (now - *since) / P40_NS_PER_CYCLE;

	st->unit.total[nr] += cycles;
	*since += cycles * P40_NS_PER_CYCLE;
}

static void count_cycles(struct p40_stream *st, uint64_t now)
{
	if (st->spill.throttling)
		add_cycles(st, P40_THROTTLE_CYCLES, &st->spill.throttle_ns, now);
	if (st->spill.truncating)
		add_cycles(st, P40_TRUNCATE_CYCLES, &st->spill.truncate_ns, now);
}

static void truncating(struct p40_stream *st, bool on, uint64_t now)
{
	struct p40_spill *s = &st->spill;

	if (on == s->truncating)
		return;
	count_cycles(st, now);
	s->truncating = on;
	s->truncate_ns = now;
	if (on)
		st->unit.total[P40_TRUNCATIONS]++;
}

static void truncated(struct p40_stream *st, uint64_t id, uint32_t bytes, uint64_t now)
{
	bool begins = !st->spill.truncating;

	truncating(st, true, now);
	if (unit_counter(&st->unit, P40_TRUNCATIONS) == 1 && begins)
		st->unit.total[P40_TRUNCATE_FIRST] = id;
	if (begins)
		st->unit.total[P40_TRUNCATE_FROM] = id;
	st->unit.total[P40_TRUNCATE_TO] = id;
	st->unit.total[P40_TRUNCATED]++;
	st->unit.total[P40_TRUNCATED_BYTES] += bytes;
}

void p40_source_cut(struct p40_stream *st, uint64_t now, struct p40_event *e, uint32_t size)
{
	uint32_t cut = e->size - size;

	if (e->truncated)
		st->unit.total[P40_TRUNCATED_BYTES] += cut;
	else
		truncated(st, e->id, cut, now);
	e->truncated = true;
	e->size = size;
	e->cut += cut;
}

static void accept(struct p40_stream *st, uint64_t now, const struct p40_event *e)
{
	generator_took(&st->gen, 1);
	st->counters_due = true;
	st->unit.total[P40_OFFERED]++;
	if (e->truncated)
		truncated(st, e->id, e->cut, now);
	else
		truncating(st, false, now);
}

static void throttle_on(struct p40_stream *st, uint64_t now)
{
	st->spill.throttling = true;
	st->spill.throttle_ns = now;
	st->unit.total[P40_THROTTLES]++;
	if (unit_counter(&st->unit, P40_THROTTLES) == 1)
		st->unit.total[P40_THROTTLE_FIRST] = st->gen.next;
	st->unit.total[P40_THROTTLE_FROM] = st->gen.next;
	st->unit.total[P40_THROTTLE_TO] = st->gen.next - 1;
	st->urgent |= STREAM_REASON_THROTTLE;
	function_block_cause(&st->unit.card->function, STREAM_CAUSE_THROTTLE);
}

static void throttle_off(struct p40_stream *st, uint64_t now)
{
	count_cycles(st, now);
	st->spill.throttling = false;
}

/* Pass over events of a clocked source while the throttle is on. */
static void pass(struct p40_stream *st, uint64_t now)
{
	uint64_t events, when;

	if (!clocked(&st->gen))
		return;
	events = due(st, now, &when);
	if (!events)
		return;
	generator_took(&st->gen, events);
	st->counters_due = true;
	st->unit.total[P40_OFFERED] += events;
	st->unit.total[P40_THROTTLED] += events;
	st->unit.total[P40_THROTTLE_TO] = st->gen.next - 1;
}

static uint32_t release_at(const struct p40_settings *s)
{
	bool lower = s->policy & STREAM_POLICY_THROTTLE && s->throttle_on <= s->throttle_off;

	return lower ? s->throttle_on - 1 : s->throttle_off;
}

/* The level of the spill buffer has decreased. */
static void lowered(struct p40_stream *st, uint64_t now)
{
	if (!st->spill.throttling || st->spill.level > release_at(&st->set))
		return;
	pass(st, now);
	throttle_off(st, now);
}

bool p40_source_peek(struct p40_stream *st, uint64_t now, struct p40_event *e, uint64_t *when)
{
	struct p40_spill *s = &st->spill;

	if (s->count) {
		*e = s->event[s->at];
		return true;
	}
	if (!due(st, now, when))
		return false;
	draw(st, e);
	return true;
}

void p40_source_take(struct p40_stream *st, uint64_t now, const struct p40_event *e)
{
	struct p40_spill *s = &st->spill;

	if (!s->count) {
		accept(st, now, e);
		return;
	}
	s->level -= level_of(st, &s->event[s->at]);
	s->at = (s->at + 1) % s->capacity;
	s->count--;
	lowered(st, now);
}

void p40_source_spill(struct p40_stream *st, uint64_t now, uint64_t *when)
{
	struct p40_spill *s = &st->spill;
	struct p40_event e;
	unsigned int n;

	for (n = 0; n < AT_ONCE && !s->throttling; n++) {
		if (!due(st, now, when))
			return;
		draw(st, &e);
		if (s->level + level_of(st, &e) > s->size) {
			throttle_on(st, now);
			break;
		}
		accept(st, now, &e);
		s->event[(s->at + s->count++) % s->capacity] = e;
		s->level += level_of(st, &e);
		if (st->set.policy & STREAM_POLICY_THROTTLE && s->level >= st->set.throttle_on)
			throttle_on(st, now);
	}
	if (!s->throttling) {
		*when = now;
		return;
	}
	/* No step is needed for each passed event: every read of the counters updates them. */
	pass(st, now);
	if (clocked(&st->gen) && now + P40_COUNTERS_NS < *when)
		*when = now + P40_COUNTERS_NS;
}

uint32_t p40_source_drop(struct p40_stream *st, uint64_t now)
{
	uint32_t events = st->spill.count;

	st->spill.count = 0;
	st->spill.level = 0;
	lowered(st, now);
	return events;
}

void p40_source_update_counters(struct p40_stream *st, uint64_t now)
{
	if (st->spill.throttling)
		pass(st, now);
	count_cycles(st, now);
}

void p40_source_off(struct p40_stream *st, uint64_t now)
{
	p40_source_update_counters(st, now);
	st->spill.throttling = false;
	st->spill.truncating = false;
	generator_clock(&st->gen);
}
