// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slots.
 */
#include "slots.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int evb_slots_open(struct evb_slots *s, size_t stride, uint32_t count, size_t extra,
		   char why[UNITS_WHY])
{
	void *memory;
	uint32_t i;

	*s = (struct evb_slots){.stride = stride, .count = count};
	s->length = (size_t)count * stride + extra;
	memory = mmap(NULL, s->length, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return units_fail(why, ENOMEM, "There is no memory for %zu bytes of fragments.",
				  s->length);
	s->memory = memory;
	s->free_list = calloc(count, sizeof(*s->free_list));
	s->out = calloc(count, sizeof(*s->out));
	if (!s->free_list || !s->out) {
		evb_slots_close(s);
		return units_fail(why, ENOMEM, "There is no memory left.");
	}
	for (i = 0; i < count; i++)
		s->free_list[i] = count - 1 - i;
	s->free_count = count;
	return 0;
}

void evb_slots_close(struct evb_slots *s)
{
	if (s->memory)
		munmap(s->memory, s->length);
	free(s->free_list);
	free(s->out);
	*s = (struct evb_slots){0};
}

uint64_t evb_slots_lend(struct evb_slots *s, uint32_t *slot)
{
	*slot = s->free_list[--s->free_count];
	s->out[*slot] = units_handle(s->lent++, *slot);
	return s->out[*slot];
}

int evb_slots_return(struct evb_slots *s, uint64_t handle, uint32_t *slot, char why[UNITS_WHY])
{
	*slot = (uint32_t)handle;
	if (*slot >= s->count || !handle || s->out[*slot] != handle)
		return units_fail(why, EINVAL, "Fragment 0x%" PRIx64 " is not out.", handle);
	s->out[*slot] = 0;
	s->free_list[s->free_count++] = *slot;
	return 0;
}
