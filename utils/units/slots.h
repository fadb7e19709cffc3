/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory in slots of equal size, which are lent by a handle and returned in any order. Short: the
 * interface of slots.c alone.
 */
#ifndef ROC_UTILS_SLOTS_H
#define ROC_UTILS_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "units.h"

/* Names for messages: "Fragment", "fragments". */
struct unit_slots_names {
	const char *one, *all;
};

struct unit_slots {
	const struct unit_slots_names *names;
	char *memory;
	size_t length; /* of the whole mapping, including @extra after the slots */
	size_t stride;
	uint32_t count, free_count;
	uint32_t *free_list;
	uint64_t *out; /* by slot: its handle, 0: free */
	uint64_t lent;
};

/*
 * Map the slots. @extra: bytes after the slots, for the caller. Return: 0, or -errno with the
 * reason.
 */
int unit_slots_open(struct unit_slots *s, size_t stride, uint32_t count, size_t extra,
		    const struct unit_slots_names *names, char reason[UNITS_REASON]);
void unit_slots_close(struct unit_slots *s);
/*
 * Lend a free slot; there must be one. Return: a handle that is not 0 and differs from the earlier
 * handles of the slot.
 */
uint64_t unit_slots_lend(struct unit_slots *s, uint32_t *slot);
/* Return: 0, or -EINVAL with the reason. */
int unit_slots_return(struct unit_slots *s, uint64_t handle, uint32_t *slot,
		      char reason[UNITS_REASON]);

static inline char *unit_slot(const struct unit_slots *s, uint32_t slot)
{
	return s->memory + (size_t)slot * s->stride;
}

static inline char *unit_slots_extra(const struct unit_slots *s)
{
	return s->memory + (size_t)s->count * s->stride;
}

#endif
