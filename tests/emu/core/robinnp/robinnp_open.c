// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BAR 2, the open one: counters of the sub-units, and the links with their settings and counters.
 */
#include "robinnp.h"

/* A setting of 32 bits: its location and its writable values. */
struct setting {
	uint32_t *value;
	uint32_t min, max, step;
};

static bool find(struct robinnp_link *link, uint32_t off, struct setting *s)
{
	struct generator *g = &link->gen;

	switch (off) {
	case FRAGMENT_LINK_GENERATOR:
		*s = (struct setting){&g->control, 0, FRAGMENT_GENERATOR_ALL, 1};
		return true;
	case FRAGMENT_LINK_SIZE_MIN:
		*s = (struct setting){&g->size_min, FRAGMENT_BYTES_MIN, FRAGMENT_BYTES_MAX, 4};
		return true;
	case FRAGMENT_LINK_SIZE_MAX:
		*s = (struct setting){&g->size_max, FRAGMENT_BYTES_MIN, FRAGMENT_BYTES_MAX, 4};
		return true;
	case FRAGMENT_LINK_RATE:
		*s = (struct setting){&g->rate, 0, FRAGMENT_RATE_MAX, 1};
		return true;
	case FRAGMENT_LINK_FIRST:
		*s = (struct setting){&link->first, 0, UINT32_MAX, 1};
		return true;
	}
	return false;
}

static uint32_t pages(const struct robinnp_link *link, uint32_t off)
{
	uint32_t all = link->sub->unit.enabled ? link->sub->run_pages : 0;

	switch (off) {
	case FRAGMENT_LINK_PAGES_HOST:
		return all - link->list_count - link->filled;
	case FRAGMENT_LINK_PAGES_FREE:
		return link->list_count;
	case FRAGMENT_LINK_PAGES_FILLED:
		return link->filled;
	}
	return all;
}

static uint32_t read_link(struct robinnp_link *link, uint32_t off)
{
	const struct robinnp_sub *sub = link->sub;
	struct setting s;

	if (find(link, off, &s))
		return *s.value;
	if (off - FRAGMENT_LINK_COUNTERS < 8 * FRAGMENT_LINK_COUNTS)
		return register_half(robinnp_link_counter(link, (off - FRAGMENT_LINK_COUNTERS) / 8),
				     off);
	switch (off) {
	case FRAGMENT_LINK_ID:
		return (uint32_t)FRAGMENT_ID_LINK << 16 | FRAGMENT_VSEC_REVISION << 8 |
		       (sub->unit.nr * ROBINNP_LINKS + link->nr);
	case FRAGMENT_LINK_LIMIT:
	case FRAGMENT_LINK_LIMIT + 4:
		return register_half(link->gen.limit, off);
	case FRAGMENT_LINK_GENERATED:
	case FRAGMENT_LINK_GENERATED + 4:
		return register_half(link->gen.generated, off);
	case FRAGMENT_LINK_STATUS:
		return (link->held ? FRAGMENT_LINK_STATUS_HELD : 0) |
		       (sub->unit.enabled && sub->links & 1u << link->nr
				? 0
				: FRAGMENT_LINK_STATUS_MASKED);
	case FRAGMENT_LINK_PAGES:
	case FRAGMENT_LINK_PAGES_HOST:
	case FRAGMENT_LINK_PAGES_FREE:
	case FRAGMENT_LINK_PAGES_FILLED:
		return pages(link, off);
	}
	return 0;
}

static void write_link(struct robinnp_link *link, uint32_t off, uint32_t value)
{
	struct setting s;
	bool starts;

	if ((off & ~4u) == FRAGMENT_LINK_LIMIT) {
		register_set_half(&link->gen.limit, off, value);
		return;
	}
	if (!find(link, off, &s) || value < s.min || value > s.max || value % s.step)
		return;
	starts = off == FRAGMENT_LINK_GENERATOR && value & ~*s.value & FRAGMENT_GENERATOR_RUN;
	*s.value = value;
	if (starts)
		generator_restart(&link->gen, link->first);
	if (off == FRAGMENT_LINK_GENERATOR || off == FRAGMENT_LINK_RATE)
		generator_clock(&link->gen);
}

static struct robinnp_link *in_link(struct robinnp *c, uint32_t *off)
{
	uint32_t at = *off - ROBINNP_LINK(0), nr = at / FRAGMENT_LINK_SIZE;

	if (nr >= ROBINNP_SUBS * ROBINNP_LINKS)
		return NULL;
	*off = at % FRAGMENT_LINK_SIZE;
	return &c->sub[nr / ROBINNP_LINKS].link[nr % ROBINNP_LINKS];
}

static uint32_t read_counts(struct robinnp_sub *sub, uint32_t off)
{
	if (off == FRAGMENT_COUNTS_ID)
		return (uint32_t)FRAGMENT_ID_COUNTS << 16 | FRAGMENT_VSEC_REVISION << 8 |
		       sub->unit.nr;
	if (off - FRAGMENT_COUNTS_COUNTERS < 8 * FRAGMENT_COUNTS)
		return register_half(unit_counter(&sub->unit, (off - FRAGMENT_COUNTS_COUNTERS) / 8),
				     off);
	return 0;
}

uint32_t robinnp_open_read(struct unit_card *card, uint32_t off)
{
	struct robinnp *c = (struct robinnp *)card;
	uint32_t at = off - ROBINNP_COUNTS(0);
	struct robinnp_link *link;

	if (at < ROBINNP_SUBS * FRAGMENT_COUNTS_SIZE)
		return read_counts(&c->sub[at / FRAGMENT_COUNTS_SIZE], at % FRAGMENT_COUNTS_SIZE);
	link = in_link(c, &off);
	return link ? read_link(link, off) : 0;
}

void robinnp_open_write(struct unit_card *card, uint32_t off, uint32_t value)
{
	struct robinnp_link *link = in_link((struct robinnp *)card, &off);

	if (link)
		write_link(link, off, value);
}

bool robinnp_open_poke(struct unit_card *card, uint32_t off, uint32_t value)
{
	struct robinnp_link *link = in_link((struct robinnp *)card, &off);
	struct setting s;

	if (!link || !find(link, off, &s))
		return false;
	*s.value = value;
	return true;
}
