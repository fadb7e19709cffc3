// SPDX-License-Identifier: GPL-2.0-or-later
#include "network.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "utils/units/content.h"

#define CAPACITY_MIN 1024 /* a power of two */

uint64_t arrived_key(const struct recording_entry *e)
{
	uint64_t key = content_mix(e->run, (uint32_t)e->link);

	key = content_mix(key, e->sequence);
	key = content_mix(key, e->bytes);
	key = content_mix(key, e->first);
	return content_mix(key, e->time) ?: 1;
}

/* Return the entry of this key, or the free entry where it belongs. */
static uint64_t *place_of(const struct arrived_keys *a, uint64_t key)
{
	size_t i = key & (a->capacity - 1);

	while (a->table[i] && a->table[i] != key)
		i = (i + 1) & (a->capacity - 1);
	return &a->table[i];
}

static int grow(struct arrived_keys *a)
{
	struct arrived_keys more = {.capacity = a->capacity ? 2 * a->capacity : CAPACITY_MIN,
				    .count = a->count};
	size_t i;

	more.table = calloc(more.capacity, sizeof(*more.table));
	if (!more.table)
		return -ENOMEM;
	for (i = 0; i < a->capacity; i++) {
		if (a->table[i])
			*place_of(&more, a->table[i]) = a->table[i];
	}
	free(a->table);
	*a = more;
	return 0;
}

static int add(struct arrived_keys *a, uint64_t key)
{
	uint64_t *place;

	if (2 * a->count >= a->capacity && grow(a))
		return -ENOMEM;
	place = place_of(a, key);
	a->count += !*place;
	*place = key;
	return 0;
}

int arrived_add(struct arrived *a, uint64_t key)
{
	if (a->recent.count == ARRIVED_KEYS) {
		free(a->older.table);
		a->older = a->recent;
		a->recent = (struct arrived_keys){0};
	}
	return add(&a->recent, key);
}

static bool has(const struct arrived_keys *a, uint64_t key)
{
	return a->count && *place_of(a, key);
}

bool arrived_has(const struct arrived *a, uint64_t key)
{
	return has(&a->recent, key) || has(&a->older, key) || has(&a->recorded, key);
}

bool arrived_any(const struct arrived *a)
{
	return a->recent.count || a->older.count || a->recorded.count;
}

static uint64_t boot_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return units_realtime() - ((uint64_t)t.tv_sec * UNITS_NS_PER_S + (uint64_t)t.tv_nsec);
}

int arrived_recorded(struct arrived *a, const char *dir)
{
	struct recording r;
	uint64_t n, boot = boot_time();
	unsigned int i;
	int ret = 0;

	recording_open_any(dir, &r);
	for (i = 0; i < r.count && !ret; i++) {
		const struct recording_part *p = &r.parts[i];

		if (!(p->header.flags & (RECORDING_CLOSED | RECORDING_DATA_FIRST)) &&
		    p->header.time < boot)
			continue;
		for (n = 0; n < p->count && !ret; n++)
			ret = add(&a->recorded, arrived_key(&p->entries[n]));
	}
	recording_close(&r);
	return ret;
}

void arrived_free(struct arrived *a)
{
	free(a->recorded.table);
	free(a->recent.table);
	free(a->older.table);
}
