// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BAR 2, the open one: which streams are enabled, their settings, generators and counters.
 */
#include "p40.h"

void p40_settings_default(struct p40_stream *st)
{
	bool main = st->kind == STREAM_TYPE_MAIN;

	st->set = (struct p40_settings){
		.policy = STREAM_POLICY_THROTTLE,
		.pack_events = main ? 256 : 0,
		.pack_bytes = main ? 65536 : 0,
		.pack_ns = main ? 1000000 : 0,
		.align = main ? 3 : 0,
		.throttle_on = st->spill.size / 4 * 3,
		.throttle_off = st->spill.size / 4,
		.truncate_on = main ? st->spill.size / 2 : 0,
	};
}

void p40_card_default(struct unit_card *card)
{
	((struct p40 *)card)->enable = P40_ALL;
}

static void write_enable(struct p40 *c, uint32_t value)
{
	unsigned int s;

	if (value & ~P40_ALL)
		return;
	for (s = 0; s < P40_STREAMS; s++)
		p40_source_update_counters(&c->st[s], unit_now(&c->st[s].unit));
	c->enable = value;
}

/* A setting of 32 bits: its location and its writable values. */
struct setting {
	uint32_t *value;
	uint32_t min, max, step;
	bool odin; /* ODIN streams have it, too */
};

static bool find(struct p40_stream *st, uint32_t off, struct setting *s)
{
	bool main = st->kind == STREAM_TYPE_MAIN;
	struct p40_settings *set = &st->set;
	struct generator *g = &st->gen;

	switch (off) {
	case STREAM_SET_PACK_EVENTS:
		*s = (struct setting){&set->pack_events, 1, STREAM_PACK_EVENTS_MAX, 1, false};
		break;
	case STREAM_SET_PACK_BYTES:
		*s = (struct setting){&set->pack_bytes, STREAM_PACK_BYTES_MIN,
				      STREAM_PACK_BYTES_MAX, STREAM_LINE, false};
		break;
	case STREAM_SET_PACK_NS:
		*s = (struct setting){&set->pack_ns, 0, UINT32_MAX, 1, false};
		break;
	case STREAM_SET_ALIGN:
		*s = (struct setting){&set->align, STREAM_SET_ALIGN_MIN, STREAM_SET_ALIGN_MAX, 1,
				      false};
		break;
	case STREAM_SET_THROTTLE_ON:
		*s = (struct setting){&set->throttle_on, STREAM_LINE, st->spill.size, 1, true};
		break;
	case STREAM_SET_THROTTLE_OFF:
		*s = (struct setting){&set->throttle_off, 0, st->spill.size, 1, true};
		break;
	case STREAM_SET_TRUNCATE_ON:
		*s = (struct setting){&set->truncate_on, 0, st->spill.size, 1, false};
		break;
	case STREAM_SET_GENERATOR:
		*s = (struct setting){&g->control, 0, STREAM_GENERATOR_ALL, 1, true};
		break;
	case STREAM_SET_SIZE_MIN:
		*s = (struct setting){&g->size_min, 0, STREAM_FRAGMENT_MAX, 1, false};
		break;
	case STREAM_SET_SIZE_MAX:
		*s = (struct setting){&g->size_max, 0, STREAM_FRAGMENT_MAX, 1, false};
		break;
	case STREAM_SET_RATE:
		*s = (struct setting){&g->rate, 0, STREAM_GENERATOR_RATE_MAX, 1, true};
		break;
	default:
		return false;
	}
	return main || (s->odin && st->kind == STREAM_TYPE_ODIN);
}

/* A setting of 64 bits; NULL: no such register. */
static uint64_t *find_wide(struct p40_stream *st, uint32_t off)
{
	if (st->kind == STREAM_TYPE_META)
		return NULL;
	switch (off & ~7u) {
	case STREAM_SET_FIRST:
		return &st->first;
	case STREAM_SET_LIMIT:
		return &st->gen.limit;
	}
	return NULL;
}

static uint32_t read_settings(struct p40_stream *st, uint32_t off)
{
	uint64_t *wide = find_wide(st, off);
	struct setting s;

	if (wide)
		return register_half(*wide, off);
	if (find(st, off, &s))
		return *s.value;
	if (off - STREAM_SET_COUNTERS < STREAM_COUNTERS * sizeof(uint64_t)) {
		p40_source_update_counters(st, unit_now(&st->unit));
		return register_half(p40_counter(st, (off - STREAM_SET_COUNTERS) / 8), off);
	}
	switch (off) {
	case STREAM_SET_ID:
		return (uint32_t)STREAM_ID_SETTINGS << 16 | STREAM_VSEC_REVISION << 8 | st->unit.nr;
	case STREAM_SET_POLICY:
		return st->set.policy;
	case STREAM_SET_SPILL_SIZE:
		return st->spill.size;
	case STREAM_SET_SPILL_LEVEL:
		return st->spill.level;
	case STREAM_SET_GENERATED:
	case STREAM_SET_GENERATED + 4:
		p40_source_update_counters(st, unit_now(&st->unit));
		return register_half(st->gen.generated, off);
	}
	return 0;
}

static void write_generator(struct p40_stream *st, uint32_t value)
{
	uint32_t before = st->gen.control;

	if (st->kind == STREAM_TYPE_ODIN && value & STREAM_GENERATOR_DISTRIBUTED)
		return;
	st->gen.control = value;
	if (value & ~before & STREAM_GENERATOR_RUN)
		generator_restart(&st->gen, st->first);
	generator_clock(&st->gen);
}

static void write_settings(struct p40_stream *st, uint32_t off, uint32_t value)
{
	uint64_t *wide = find_wide(st, off);
	struct setting s;

	/* Everything before this write is counted with the old settings. */
	p40_source_update_counters(st, unit_now(&st->unit));
	if (wide) {
		register_set_half(wide, off, value);
		return;
	}
	if (off == STREAM_SET_POLICY) {
		if (value & ~(STREAM_POLICY_THROTTLE | STREAM_POLICY_TRUNCATE) ||
		    (st->kind == STREAM_TYPE_ODIN && value & STREAM_POLICY_TRUNCATE))
			return;
		st->set.policy = value;
		return;
	}
	if (!find(st, off, &s) || value < s.min || value > s.max || value % s.step)
		return;
	if (off == STREAM_SET_GENERATOR) {
		write_generator(st, value);
		return;
	}
	*s.value = value;
	if (off == STREAM_SET_RATE)
		generator_clock(&st->gen);
}

static struct p40_stream *in_settings(struct p40 *c, uint32_t *off)
{
	uint32_t at = *off - P40_SETTINGS(0);

	if (at >= P40_STREAMS * STREAM_SETTINGS_SIZE)
		return NULL;
	*off = at % STREAM_SETTINGS_SIZE;
	return &c->st[at / STREAM_SETTINGS_SIZE];
}

uint32_t p40_open_read(struct unit_card *card, uint32_t off)
{
	struct p40 *c = (struct p40 *)card;
	struct p40_stream *st;

	if (off == P40_CARD + STREAM_CARD_ENABLE)
		return c->enable;
	st = in_settings(c, &off);
	return st ? read_settings(st, off) : 0;
}

void p40_open_write(struct unit_card *card, uint32_t off, uint32_t value)
{
	struct p40 *c = (struct p40 *)card;
	struct p40_stream *st;

	if (off == P40_CARD + STREAM_CARD_ENABLE) {
		write_enable(c, value);
		return;
	}
	st = in_settings(c, &off);
	if (st)
		write_settings(st, off, value);
}

bool p40_open_poke(struct unit_card *card, uint32_t off, uint32_t value)
{
	struct p40 *c = (struct p40 *)card;
	struct p40_stream *st;
	struct setting s;
	uint64_t *wide;

	if (off == P40_CARD + STREAM_CARD_ENABLE) {
		c->enable = value;
		return true;
	}
	st = in_settings(c, &off);
	if (!st)
		return false;
	wide = find_wide(st, off);
	if (wide)
		register_set_half(wide, off, value);
	else if (find(st, off, &s))
		*s.value = value;
	return wide || find(st, off, &s);
}
