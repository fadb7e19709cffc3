// SPDX-License-Identifier: GPL-2.0-or-later
/* Lend slots of equal size from one mapping. */
#include "slots.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Use huge pages if there are any, and take all page faults now, so that none delays a run. */
static void populate(void *memory, size_t length)
{
	madvise(memory, length, MADV_HUGEPAGE);
	/* Linux before 5.14 does not support MADV_POPULATE_WRITE. */
	if (madvise(memory, length, MADV_POPULATE_WRITE) && errno == EINVAL)
		memset(memory, 0, length);
}

int unit_slots_open(struct unit_slots *s, size_t stride, uint32_t count, size_t extra,
		    const struct unit_slots_names *names, char reason[UNITS_REASON])
{
	void *memory;
	uint32_t i;

	*s = (struct unit_slots){.names = names, .stride = stride, .count = count};
	s->length = (size_t)count * stride + extra;
	memory = mmap(NULL, s->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return units_fail(reason, ENOMEM, "Cannot allocate %zu bytes for %s.", s->length,
				  names->all);
	s->memory = memory;
	populate(memory, s->length);
	s->free_list = calloc(count, sizeof(*s->free_list));
	s->out = calloc(count, sizeof(*s->out));
	if (!s->free_list || !s->out) {
		unit_slots_close(s);
		return units_fail(reason, ENOMEM, "Cannot allocate the list of %s.", names->all);
	}
	for (i = 0; i < count; i++)
		s->free_list[i] = count - 1 - i;
	s->free_count = count;
	return 0;
}

void unit_slots_close(struct unit_slots *s)
{
	if (s->memory)
		munmap(s->memory, s->length);
	free(s->free_list);
	free(s->out);
	*s = (struct unit_slots){0};
}

uint64_t unit_slots_lend(struct unit_slots *s, uint32_t *slot)
{
	*slot = s->free_list[--s->free_count];
	s->out[*slot] = units_handle(s->lent++, *slot);
	return s->out[*slot];
}

int unit_slots_return(struct unit_slots *s, uint64_t handle, uint32_t *slot,
		      char reason[UNITS_REASON])
{
	*slot = (uint32_t)handle;
	if (*slot >= s->count || !handle || s->out[*slot] != handle)
		return units_fail(reason, EINVAL,
				  "%s 0x%" PRIx64
				  " is not lent: its handle is wrong, or it was returned before.",
				  s->names->one, handle);
	s->out[*slot] = 0;
	s->free_list[s->free_count++] = *slot;
	return 0;
}
