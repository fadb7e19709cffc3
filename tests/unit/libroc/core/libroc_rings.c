// SPDX-License-Identifier: GPL-2.0-or-later
/* Test the ring fast path against the module's ring code in another thread. */
#include <pthread.h>
#include <sched.h>

#include <roc/roc.h>

#include "tests/unit/kernel/ring_loop.h"
#include "unit.h"

#define ENTRIES_MAX 1024
#define ENOUGH_S 5

static struct roc_ring_user user;
static struct roc_ring_kernel kernel;
static struct roc_fill fill[ENTRIES_MAX];
static struct roc_ready ready[ENTRIES_MAX];

/* Make empty rings with all indices at @start. */
static struct roc_rings rings_at(uint32_t start, uint32_t fill_entries, uint32_t ready_entries)
{
	struct roc_rings r = {
		.user = &user,
		.kernel = &kernel,
		.fill = fill,
		.ready = ready,
		.fill_mask = fill_entries - 1,
		.ready_mask = ready_entries - 1,
		.fill_prod = start,
		.fill_cons = start,
		.ready_prod = start,
		.ready_cons = start,
	};

	memset(&user, 0, sizeof(user));
	memset(&kernel, 0, sizeof(kernel));
	memset(fill, 0xee, sizeof(fill));
	memset(ready, 0xee, sizeof(ready));
	user.fill_prod = start;
	user.ready_cons = start;
	kernel.fill_cons = start;
	kernel.ready_prod = start;
	return r;
}

/* The fill ring accepts exactly as many entries as it has, across the wrap of the indices. */
static void fill_is_full(void)
{
	struct roc_rings r = rings_at(UINT32_MAX - 5, 16, 16);
	uint32_t i;

	UNIT_EQ(roc_fill_space(&r), 16);
	for (i = 0; i < 16; i++) {
		struct roc_fill *entry = roc_fill_next(&r);

		UNIT_NEED(entry);
		UNIT_EQ(entry - fill, (UINT32_MAX - 5 + i) % 16);
		UNIT_EQ(roc_fill_space(&r), 15 - i);
	}
	CU_ASSERT_PTR_NULL(roc_fill_next(&r));
	UNIT_EQ(user.fill_prod, UINT32_MAX - 5);
	roc_fill_publish(&r);
	UNIT_EQ(user.fill_prod, 10);
	CU_ASSERT_PTR_NULL(roc_fill_next(&r));
	kernel.fill_cons = 1; /* the kernel consumed 7 */
	UNIT_EQ(roc_fill_space(&r), 7);
	for (i = 0; i < 7; i++)
		CU_ASSERT_PTR_NOT_NULL(roc_fill_next(&r));
	CU_ASSERT_PTR_NULL(roc_fill_next(&r));
}

static void kick_on_request(void)
{
	struct roc_rings r = rings_at(0, 16, 16);

	kernel.flags = ROC_RING_NEED_KICK;
	CU_ASSERT_FALSE(roc_fill_publish(&r)); /* nothing new: no kick needed */
	roc_fill_next(&r);
	CU_ASSERT_TRUE(roc_fill_publish(&r));
	kernel.flags = ROC_RING_STOPPED;
	roc_fill_next(&r);
	CU_ASSERT_FALSE(roc_fill_publish(&r));
}

static void ready_in_order(void)
{
	struct roc_rings r = rings_at(UINT32_MAX - 1, 16, 16);
	uint32_t i;

	CU_ASSERT_PTR_NULL(roc_ready_peek(&r));
	UNIT_EQ(roc_ready_count(&r), 0);
	for (i = 0; i < 5; i++)
		ready[(UINT32_MAX - 1 + i) % 16].cookie = 100 + i;
	kernel.ready_prod = 3;
	UNIT_EQ(roc_ready_count(&r), 5);
	for (i = 0; i < 5; i++)
		UNIT_EQ(roc_ready_at(&r, i)->cookie, 100 + i);
	CU_ASSERT_PTR_NULL(roc_ready_at(&r, 5));
	roc_ready_release(&r, 2);
	UNIT_EQ(user.ready_cons, 0);
	UNIT_EQ(roc_ready_peek(&r)->cookie, 102);
	roc_ready_release(&r, 1000); /* more than ready: releases all */
	UNIT_EQ(user.ready_cons, 3);
	CU_ASSERT_PTR_NULL(roc_ready_peek(&r));
}

/*
 * Run the reader's half of a two-thread run. @batch: maximum of entries published at once. On a
 * loaded machine, or with fewer processors than threads, the loop may not reach its total in time:
 * then it ends after @least entries. Return the number of entries.
 */
static uint64_t run_threads(struct roc_rings *r, struct ring_loop *loop, uint32_t batch,
			    uint64_t least)
{
	uint64_t pushed = 0, back = 0, wrong = 0, kicks = 0, turns = 0;
	double begin = unit_seconds(), now;
	uint32_t random = 1;
	pthread_t thread;

	sem_init(&loop->kick, 0, 0);
	UNIT_NEED(!pthread_create(&thread, NULL, ring_loop_run, loop));
	while (back < loop->total) {
		const struct roc_ready *got;
		struct roc_fill *entry;
		uint32_t n, released = 0;

		random = random * 1664525 + 1013904223;
		for (n = random % batch + 1; n && pushed < loop->total; n--) {
			entry = roc_fill_next(r);
			if (!entry)
				break;
			entry->buffer = 1;
			entry->cookie = pushed;
			entry->offset = RING_LOOP_PATTERN(pushed, loop->check);
			entry->length = (uint32_t)entry->offset;
			entry->reserved = 0;
			pushed++;
		}
		if (roc_fill_publish(r)) {
			kicks++;
			sem_post(&loop->kick);
		}
		for (; (got = roc_ready_at(r, released)); released++, back++) {
			if (got->cookie != back || got->sequence != back ||
			    got->offset != RING_LOOP_PATTERN(back, loop->check) ||
			    got->received != (uint32_t)got->offset)
				wrong++;
			if (released > r->ready_mask) { /* more than the space in the ring */
				wrong++;
				break;
			}
		}
		roc_ready_release(r, released);
		if (!released)
			sched_yield();
		now = ++turns % 64 ? begin : unit_seconds();
		if (wrong || now > begin + ENOUGH_S + 40)
			break;
		if (now > begin + ENOUGH_S && pushed >= least)
			__atomic_store_n(&loop->total, pushed, __ATOMIC_RELAXED);
	}
	UNIT_EQ(back, loop->total);
	CU_ASSERT(back >= least);
	__atomic_store_n(&loop->stop, true, __ATOMIC_RELAXED);
	sem_post(&loop->kick);
	pthread_join(thread, NULL);
	sem_destroy(&loop->kick);
	UNIT_EQ(wrong, 0);
	UNIT_EQ(loop->wrong, 0);
	UNIT_EQ(loop->lost_kicks, 0);
	UNIT_EQ(loop->bad_index, 0);
	UNIT_EQ(roc_fill_space(r), r->fill_mask + 1);
	unit_note("%llu entries, %llu sleeps, %llu kicks", (unsigned long long)back,
		  (unsigned long long)loop->sleeps, (unsigned long long)kicks);
	return back;
}

static struct ring_loop loop_for(const struct roc_rings *r, uint64_t total)
{
	return (struct ring_loop){
		.user = &user,
		.kernel = &kernel,
		.fill = fill,
		.ready = ready,
		.fill_entries = r->fill_mask + 1,
		.ready_entries = r->ready_mask + 1,
		.start = r->fill_prod,
		.total = total,
		.check = 0x12345678,
	};
}

/* Large batches through rings of different sizes, across the wrap of all four indices. */
static void millions_across_the_wrap(void)
{
	struct roc_rings r = rings_at(UINT32_MAX - 10000, 256, 1024);
	struct ring_loop loop = loop_for(&r, 2000000);
	uint64_t count = run_threads(&r, &loop, 200, 20000);

	UNIT_EQ(user.fill_prod, count - 10001);
	UNIT_EQ(user.ready_cons, count - 10001);
}

/* The ready ring is smaller, so the kernel must wait for the reader's releases. */
static void ready_ring_never_overflows(void)
{
	struct roc_rings r = rings_at(UINT32_MAX - 1000, 1024, 16);
	struct ring_loop loop = loop_for(&r, 1000000);

	run_threads(&r, &loop, 1024, 2000);
}

/*
 * One entry at a time: the kernel goes to sleep after each, and every publication races with that.
 */
static void no_kick_is_lost(void)
{
	struct roc_rings r = rings_at(0, 16, 16);
	struct ring_loop loop = loop_for(&r, 100000);

	run_threads(&r, &loop, 1, 1000);
	CU_ASSERT_TRUE(loop.sleeps > 0);
}

#define RACES 512
#define ROUNDS 320

/* With any timing, the kernel sees the entry or the publish requests a kick. */
static void publish_races_with_arm(void)
{
	static struct roc_ring_user users[RACES];
	static struct roc_ring_kernel kernels[RACES];
	static bool saw[RACES], kick[RACES];
	unsigned long lost = 0, both = 0, kicked = 0;
	double end = unit_seconds() + ENOUGH_S;
	unsigned int round;
	uint32_t i;

	for (round = 0; round < ROUNDS && (!round || unit_seconds() < end); round++) {
		struct ring_race race = {(void *)users, (void *)kernels, RACES, 0, 0, saw};
		pthread_t thread;

		memset(users, 0, sizeof(users));
		memset(kernels, 0, sizeof(kernels));
		UNIT_NEED(!pthread_create(&thread, NULL, ring_race_run, &race));
		for (i = 0; i < RACES; i++) {
			struct roc_rings r = {.user = &users[i],
					      .kernel = &kernels[i],
					      .fill = fill,
					      .fill_mask = 15,
					      .ready_mask = 15};

			roc_fill_next(&r);
			ring_race_step(&race.reader_at, &race.kernel_at, i,
				       i % 2 ? 0 : i / 2 % 128);
			kick[i] = roc_fill_publish(&r);
		}
		pthread_join(thread, NULL);
		for (i = 0; i < RACES; i++) {
			lost += !saw[i] && !kick[i];
			both += saw[i] && kick[i];
			kicked += kick[i];
		}
	}
	UNIT_EQ(lost, 0);
	CU_ASSERT_TRUE(kicked > 0 && kicked < RACES * round);
	unit_note("%u races, %lu saw each other, %lu kicked", RACES * round, both, kicked);
}

UNIT_MAIN("libroc_rings", {"fill ring is full at its size", fill_is_full},
	  {"kick only when the kernel requests it", kick_on_request},
	  {"ready entries come in order", ready_in_order},
	  {"millions of entries across the index wrap", millions_across_the_wrap},
	  {"ready ring never overflows", ready_ring_never_overflows},
	  {"no kick is lost", no_kick_is_lost},
	  {"publishing races with arming", publish_races_with_arm})
