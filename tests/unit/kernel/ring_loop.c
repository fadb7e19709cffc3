// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel side of the rings as a thread: see ring_loop.h.
 */
#include <sched.h>
#include <time.h>

#include "kmod/pool/ring.h"
#include "ring_loop.h"

#define SLEEP_LIMIT_SECONDS 10 /* other processes may delay the kick of a reader */

/* Sleep until the reader kicks. False: it did not within the limit. */
static bool sleep_until_kick(struct ring_loop *loop)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += SLEEP_LIMIT_SECONDS;
	loop->sleeps++;
	return !sem_timedwait(&loop->kick, &end);
}

static void pass_one(struct ring_loop *loop, struct roc_rings *r)
{
	struct roc_ready ready = {0};
	struct roc_fill fill;

	roc_ring_fill_take(r, &fill);
	if (fill.cookie != loop->taken ||
	    fill.offset != RING_LOOP_PATTERN(loop->taken, loop->check) ||
	    fill.length != (uint32_t)fill.offset || fill.reserved)
		loop->wrong++;
	ready.cookie = fill.cookie;
	ready.offset = fill.offset;
	ready.received = fill.length;
	ready.sequence = loop->taken++;
	ready.flags = ROC_READY_FILLED;
	roc_ring_ready_put(r, &ready);
}

void *ring_loop_run(void *context)
{
	struct ring_loop *loop = context;
	struct roc_rings r = {
		.bad_index = &loop->bad_index,
		.user = loop->user,
		.kernel = loop->kernel,
		.fill = loop->fill,
		.ready = loop->ready,
		.fill_entries = loop->fill_entries,
		.ready_entries = loop->ready_entries,
		.fill_cons = loop->start,
		.ready_prod = loop->start,
		.ready_published = loop->start,
	};

	while (loop->taken < __atomic_load_n(&loop->total, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&loop->stop, __ATOMIC_RELAXED)) {
		__u32 count = roc_ring_fill_count(&r);
		__u32 space = r.ready_entries - roc_ring_ready_count(&r);
		__u32 i;

		for (i = 0; i < count && i < space; i++)
			pass_one(loop, &r);
		if (i) {
			roc_ring_publish(&r);
			continue;
		}
		if (count) {
			sched_yield(); /* no space: the reader releases entries without a kick */
			continue;
		}
		if (!roc_ring_arm_kick(&r) && !sleep_until_kick(loop) && roc_ring_fill_count(&r))
			loop->lost_kicks++;
		roc_ring_set_flags(&r, 0, ROC_RING_NEED_KICK);
	}
	return NULL;
}

void *ring_race_run(void *context)
{
	struct ring_race *race = context;
	uint32_t i;

	for (i = 0; i < race->count; i++) {
		__u64 bad_index = 0;
		struct roc_rings r = {
			.bad_index = &bad_index,
			.user = (void *)(race->user + i * sizeof(*r.user)),
			.kernel = (void *)(race->kernel + i * sizeof(*r.kernel)),
			.fill_entries = 16,
			.ready_entries = 16,
		};

		ring_race_step(&race->kernel_at, &race->reader_at, i, i % 2 ? i / 2 % 128 : 0);
		race->saw[i] = roc_ring_arm_kick(&r);
	}
	return NULL;
}
