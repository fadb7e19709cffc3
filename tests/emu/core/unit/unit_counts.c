// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters of the registers of units, and counts of the control socket. See unit.h.
 */
#include "unit.h"

#include <string.h>

static uint64_t since(const struct unit *u, unsigned int nr, const uint64_t *base)
{
	const struct unit_waiting *w;

	for (w = u->card->ops->waiting; w->count; w++) {
		if (w->waiting == nr)
			return w->count(u);
	}
	return u->card->ops->event_id_counters & 1u << nr ? u->total[nr] : u->total[nr] - base[nr];
}

uint64_t unit_counter(const struct unit *u, unsigned int nr)
{
	return since(u, nr, u->zero);
}

void unit_restart_counts(const struct unit *u, uint64_t *base)
{
	const struct unit_waiting *w;

	memcpy(base, u->total, sizeof(u->total));
	for (w = u->card->ops->waiting; w->count; w++)
		base[w->offered] -= w->count(u);
}

static uint64_t *count_of(struct unit *u, const struct unit_count *n)
{
	return (uint64_t *)((char *)u + n->at);
}

static void show_sums(struct json *j, struct unit_card *c)
{
	const struct unit_ops *ops = c->ops;
	const struct unit_count *n;
	unsigned int i, k;
	uint64_t sum;

	for (k = 0; k < UNIT_COUNTERS; k++) {
		for (i = 0, sum = 0; i < ops->count && !(ops->event_id_counters & 1u << k); i++)
			sum += since(unit_of(c, i), k, unit_of(c, i)->clear);
		json_uint(j, ops->counters[k], sum);
	}
	for (n = ops->counts; n->name; n++) {
		for (i = 0, sum = 0; i < ops->count; i++)
			sum += *count_of(unit_of(c, i), n);
		json_uint(j, n->name, sum);
	}
}

static void show_unit(struct json *j, struct unit *u)
{
	const struct unit_ops *ops = u->card->ops;
	const struct unit_count *n;
	unsigned int k;

	json_object(j, NULL);
	json_uint(j, ops->one, u->nr);
	json_bool(j, "enabled", u->enabled);
	ops->show(u, j);
	for (k = 0; k < UNIT_COUNTERS; k++)
		json_uint(j, ops->counters[k], since(u, k, u->clear));
	for (n = ops->counts; n->name; n++)
		json_uint(j, n->name, *count_of(u, n));
	json_end_object(j);
}

void unit_card_counts(void *card, unsigned int fn, struct json *j)
{
	struct unit_card *c = card;
	unsigned int i;

	c->ops->show_first(c, j);
	show_sums(j, c);
	json_uint(j, "alarms", c->function.alarms);
	json_uint(j, "function_resets", c->function_resets);
	json_array(j, c->ops->many);
	for (i = 0; i < c->ops->count; i++)
		show_unit(j, unit_of(c, i));
	json_end_array(j);
	if (c->ops->show_last)
		c->ops->show_last(c, j);
}

void unit_card_clear(void *card, unsigned int fn)
{
	struct unit_card *c = card;
	const struct unit_count *n;
	unsigned int i;

	for (i = 0; i < c->ops->count; i++) {
		struct unit *u = unit_of(c, i);

		c->ops->clear(u);
		for (n = c->ops->counts; n->name; n++)
			*count_of(u, n) = 0;
		unit_restart_counts(u, u->clear);
	}
	c->function.alarms = 0;
	c->function_resets = 0;
}
