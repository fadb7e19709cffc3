// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults by name, of a card and of its units: the behaviour of a broken card. Most apply to single
 * units: their first argument is a mask of units, and each unit has its own copy. See unit.h.
 */
#include "unit.h"

#include <string.h>

/* Index of the fault in the list; -1: no such fault. */
static int find(const struct unit_ops *ops, const char *name)
{
	int n;

	for (n = 0; ops->faults[n].name; n++) {
		if (!strcmp(ops->faults[n].name, name))
			return n;
	}
	return -1;
}

static bool of_units(const struct unit_ops *ops, int n)
{
	return ops->faults[n].arg && !strcmp(ops->faults[n].arg, ops->many);
}

bool unit_card_fault_set(void *card, unsigned int fn, const char *name, uint64_t arg)
{
	struct unit_card *c = card;
	int n = find(c->ops, name);
	unsigned int i;
	uint64_t mask;

	if (n < 0)
		return false;
	c->spurious_now |= n == UNIT_IRQ_SPURIOUS;
	if (!of_units(c->ops, n)) {
		c->fault[n] = arg;
		return true;
	}
	mask = c->ops->faults[n].low_arg ? arg >> 32 : arg;
	for (i = 0; i < c->ops->count; i++) {
		if (mask & 1u << i)
			unit_of(c, i)->fault[n] = c->ops->faults[n].low_arg ? (uint32_t)arg : 1;
	}
	return true;
}

bool unit_card_fault_clear(void *card, unsigned int fn, const char *name)
{
	struct unit_card *c = card;
	int only = name ? find(c->ops, name) : 0, n;
	unsigned int i;

	if (only < 0)
		return false;
	for (n = 0; c->ops->faults[n].name; n++) {
		if (name && n != only)
			continue;
		c->fault[n] = 0;
		for (i = 0; i < c->ops->count; i++)
			unit_of(c, i)->fault[n] = 0;
	}
	return true;
}

/* The mask of the units that have the fault, and the argument of the first one. */
uint64_t unit_card_fault_get(void *card, unsigned int fn, const char *name)
{
	struct unit_card *c = card;
	int n = find(c->ops, name);
	uint64_t mask = 0, arg = 0;
	unsigned int i;

	if (n < 0)
		return 0;
	if (!of_units(c->ops, n))
		return c->fault[n];
	for (i = c->ops->count; i-- > 0;) {
		uint32_t value = unit_of(c, i)->fault[n];

		if (!value)
			continue;
		mask |= 1u << i;
		arg = value;
	}
	return c->ops->faults[n].low_arg ? mask << 32 | arg : mask;
}
