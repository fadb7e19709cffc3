// SPDX-License-Identifier: GPL-2.0-or-later
/* Waiters for fragments: a hash by event id, and a list in order of time. */
#include "waiting.h"

#include <stdlib.h>

/*
 * Event ids count up, so the low bits distribute them. The high bits help when the ids of waiters
 * have a stride.
 */
static struct ros_waiting_chain *chain(struct ros_waiting *w, uint32_t event)
{
	return &w->chains[(event ^ event >> 16) & w->mask];
}

bool ros_waiting_init(struct ros_waiting *w, uint32_t expected)
{
	uint32_t size = 64;

	while (size < expected && size < UINT32_C(1) << 20)
		size *= 2;
	w->chains = calloc(size, sizeof(*w->chains));
	w->mask = size - 1;
	w->count = 0;
	TAILQ_INIT(&w->order);
	return w->chains;
}

void ros_waiting_free(struct ros_waiting *w)
{
	free(w->chains);
	w->chains = NULL;
}

void ros_waiting_add(struct ros_waiting *w, struct ros_waiter *one)
{
	LIST_INSERT_HEAD(chain(w, one->event), one, chain);
	TAILQ_INSERT_TAIL(&w->order, one, order);
	w->count++;
}

void ros_waiting_remove(struct ros_waiting *w, struct ros_waiter *one)
{
	LIST_REMOVE(one, chain);
	TAILQ_REMOVE(&w->order, one, order);
	w->count--;
}

struct ros_waiter *ros_waiting_find(struct ros_waiting *w, uint32_t event, struct ros_waiter *after)
{
	struct ros_waiter *one = after ? LIST_NEXT(after, chain) : LIST_FIRST(chain(w, event));

	while (one && one->event != event)
		one = LIST_NEXT(one, chain);
	return one;
}

struct ros_waiter *ros_waiting_expired(struct ros_waiting *w, uint64_t now)
{
	struct ros_waiter *one = TAILQ_FIRST(&w->order);

	return one && one->until <= now ? one : NULL;
}

uint64_t ros_waiting_until(struct ros_waiting *w)
{
	struct ros_waiter *one = TAILQ_FIRST(&w->order);

	return one ? one->until : UINT64_MAX;
}
