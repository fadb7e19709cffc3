// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slots in which fragments lie, and the clock as a trigger.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "source.h"
#include "utils/units/units.h"

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

/*
 * Trigger. Integers only: a double does not have the bits for ns since 1970.
 */

static uint64_t scale(uint64_t value, uint64_t to, uint64_t from)
{
	return (uint64_t)((unsigned __int128)value * to / from);
}

void evb_trigger_start(struct evb_trigger *t, uint64_t rate, uint64_t first, uint64_t now)
{
	*t = (struct evb_trigger){.rate = rate, .first = first, .start = now};
	if (first != EVB_TRIGGER_CLOCK)
		return;
	t->clock = rate;
	t->first = rate ? scale(now, rate, UNITS_NS_PER_S) + 1 : 0;
	/* That of event 0 is 1970, and so is that of this one by it. */
	t->start = rate ? scale(t->first, UNITS_NS_PER_S, rate) : now;
}

bool evb_trigger_go_on(struct evb_trigger *t, uint64_t event, uint64_t next, uint64_t now)
{
	if (t->clock || event <= next)
		return false;
	t->first = event;
	t->start = now;
	return true;
}

uint64_t evb_trigger_due(const struct evb_trigger *t, uint64_t event)
{
	return t->rate ? t->start + scale(event - t->first, UNITS_NS_PER_S, t->rate) : 0;
}

uint64_t evb_trigger_next(const struct evb_trigger *t, uint64_t now)
{
	unsigned __int128 ends;

	if (now < t->start)
		return t->first;
	/* Event first + n is due in the ns in which n / rate seconds are over. */
	ends = ((unsigned __int128)(now - t->start) + 1) * t->rate;
	return t->first + (uint64_t)((ends + UNITS_NS_PER_S - 1) / UNITS_NS_PER_S);
}

uint64_t evb_trigger_wait(const struct evb_trigger *t, uint64_t event, uint64_t now)
{
	uint64_t due = evb_trigger_due(t, event);

	return due > now ? due - now : 0;
}
