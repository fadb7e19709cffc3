// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults by name, of a card and of its units. See unit_faults.h.
 */
#include "unit_faults.h"

#include <string.h>

int unit_faults_find(const struct unit_faults *f, const char *name)
{
	int n;

	for (n = 0; f->list[n].name; n++) {
		if (!strcmp(f->list[n].name, name))
			return n;
	}
	return -1;
}

static bool of_units(const struct unit_faults *f, int n)
{
	return f->list[n].arg && !strcmp(f->list[n].arg, f->mask);
}

bool unit_faults_set(const struct unit_faults *f, uint64_t *own, unit_faults_of of, void *card,
		     const char *name, uint64_t arg)
{
	int n = unit_faults_find(f, name);
	unsigned int i;
	uint64_t mask;

	if (n < 0)
		return false;
	if (!of_units(f, n)) {
		own[n] = arg;
		return true;
	}
	mask = f->list[n].low_arg ? arg >> 32 : arg;
	for (i = 0; i < f->units; i++) {
		if (mask & 1u << i)
			of(card, i)[n] = f->list[n].low_arg ? (uint32_t)arg : 1;
	}
	return true;
}

bool unit_faults_clear(const struct unit_faults *f, uint64_t *own, unit_faults_of of, void *card,
		       const char *name)
{
	int only = name ? unit_faults_find(f, name) : 0, n;
	unsigned int i;

	if (only < 0)
		return false;
	for (n = 0; f->list[n].name; n++) {
		if (name && n != only)
			continue;
		own[n] = 0;
		for (i = 0; i < f->units; i++)
			of(card, i)[n] = 0;
	}
	return true;
}

/* With several units: the mask, and the argument of the first of them. */
uint64_t unit_faults_get(const struct unit_faults *f, const uint64_t *own, unit_faults_of of,
			 void *card, const char *name)
{
	int n = unit_faults_find(f, name);
	uint64_t mask = 0, arg = 0;
	unsigned int i;

	if (n < 0)
		return 0;
	if (!of_units(f, n))
		return own[n];
	for (i = f->units; i-- > 0;) {
		uint32_t value = of(card, i)[n];

		if (!value)
			continue;
		mask |= 1u << i;
		arg = value;
	}
	return f->list[n].low_arg ? mask << 32 | arg : mask;
}
