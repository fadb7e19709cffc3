/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults of a card with several units (streams, sub-units): most are of single units, their first
 * argument is a mask of units, and each unit has its own copy.
 */
#ifndef EMU_UNIT_FAULTS_H
#define EMU_UNIT_FAULTS_H

#include "../card.h"

struct unit_faults {
	const struct card_fault *list; /* up to one with name NULL */
	const char *mask;	       /* an argument of this name is a mask of units */
	unsigned int units;
};

/* The faults of unit @i, one for each entry of the list. */
typedef uint32_t *(*unit_faults_of)(void *card, unsigned int i);

/* Its place in the list; -1: there is none. */
int unit_faults_find(const struct unit_faults *f, const char *name);
/* @own: of the card, one for each entry. Each as card.h has it. */
bool unit_faults_set(const struct unit_faults *f, uint64_t *own, unit_faults_of of, void *card,
		     const char *name, uint64_t arg);
bool unit_faults_clear(const struct unit_faults *f, uint64_t *own, unit_faults_of of, void *card,
		       const char *name);
uint64_t unit_faults_get(const struct unit_faults *f, const uint64_t *own, unit_faults_of of,
			 void *card, const char *name);

/* It hits once more: one less of it. */
static inline bool unit_fault_take(uint32_t *fault)
{
	if (!*fault)
		return false;
	--*fault;
	return true;
}

/* Its argument, and it is over. */
static inline uint32_t unit_fault_once(uint32_t *fault)
{
	uint32_t arg = *fault;

	*fault = 0;
	return arg;
}

#endif /* EMU_UNIT_FAULTS_H */
