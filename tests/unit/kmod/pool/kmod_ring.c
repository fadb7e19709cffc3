// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel side of the rings with a misbehaving reader: invalid indices, and entries that change
 * while they are read. libroc_rings.c tests it with a correct reader.
 */
#include <pthread.h>
#include <stdint.h>

#include "kmod/pool/ring.h"
#include "unit.h"

#define ENTRIES 64
#define GUARD 0x5a5a5a5au

/* The shared areas, with a guard behind each table. */
static struct roc_ring_user user;
static struct roc_ring_kernel kernel;
static struct {
	struct roc_fill entry[ENTRIES];
	__u32 guard[64];
} fill;
static struct {
	struct roc_ready entry[ENTRIES];
	__u32 guard[64];
} ready;

static __u64 bad_index;

static struct roc_rings rings_at(__u32 start)
{
	unsigned int i;

	memset(&user, 0, sizeof(user));
	memset(&kernel, 0, sizeof(kernel));
	memset(&fill, 0, sizeof(fill));
	memset(&ready, 0, sizeof(ready));
	for (i = 0; i < 64; i++)
		fill.guard[i] = ready.guard[i] = GUARD;
	user.fill_prod = user.ready_cons = kernel.fill_cons = kernel.ready_prod = start;
	bad_index = 0;
	return (struct roc_rings){
		.bad_index = &bad_index,
		.user = &user,
		.kernel = &kernel,
		.fill = fill.entry,
		.ready = ready.entry,
		.fill_entries = ENTRIES,
		.ready_entries = ENTRIES,
		.fill_cons = start,
		.ready_prod = start,
		.ready_published = start,
	};
}

static int guards_hold(void)
{
	unsigned int i;

	for (i = 0; i < 64; i++)
		if (fill.guard[i] != GUARD || ready.guard[i] != GUARD)
			return 0;
	return 1;
}

static void counts(void)
{
	static const __u32 starts[] = {0, 63, UINT32_MAX - 10, 0x80000000};
	size_t i;
	__u32 n;

	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct roc_rings r = rings_at(starts[i]);

		for (n = 0; n <= ENTRIES; n++) {
			user.fill_prod = starts[i] + n;
			UNIT_EQ(roc_ring_fill_count(&r), n);
		}
		UNIT_EQ(bad_index, 0);
		UNIT_EQ(roc_ring_ready_count(&r), 0);
		r.ready_prod += ENTRIES;
		UNIT_EQ(roc_ring_ready_count(&r), ENTRIES);
		user.ready_cons += 5;
		UNIT_EQ(roc_ring_ready_count(&r), ENTRIES - 5);
		UNIT_EQ(bad_index, 0);
	}
}

/* An invalid fill_prod makes the ring look empty, an invalid ready_cons full; both are counted. */
static void wrong_indices(void)
{
	static const __u32 wrong[] = {ENTRIES + 1, 1000, 0x7fffffff, 0x80000000, UINT32_MAX};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct roc_rings r = rings_at(UINT32_MAX - 3);

		user.fill_prod += wrong[i];
		UNIT_EQ(roc_ring_fill_count(&r), 0);
		UNIT_EQ(bad_index, 1);
		user.ready_cons -= wrong[i];
		UNIT_EQ(roc_ring_ready_count(&r), ENTRIES);
		UNIT_EQ(bad_index, 2);
		/* Each value is counted once, however often it is loaded. */
		UNIT_EQ(roc_ring_fill_count(&r), 0);
		UNIT_EQ(roc_ring_ready_count(&r), ENTRIES);
		UNIT_EQ(bad_index, 2);
		user.fill_prod -= wrong[i];
		UNIT_EQ(roc_ring_fill_count(&r), 0);
		UNIT_EQ(bad_index, 2);
		user.fill_prod += wrong[i];
		UNIT_EQ(roc_ring_fill_count(&r), 0);
		UNIT_EQ(bad_index, 3);
		CU_ASSERT(!roc_ring_arm_kick(&r));
	}
}

/* Entries are consumed in order across the wrap, as copies. */
static void takes_copies(void)
{
	struct roc_rings r = rings_at(UINT32_MAX - 7);
	struct roc_fill got;
	__u32 i;

	for (i = 0; i < ENTRIES; i++)
		fill.entry[(UINT32_MAX - 7 + i) % ENTRIES] = (struct roc_fill){.buffer = i,
									       .length = i + 1,
									       .offset = i + 2,
									       .cookie = i + 3,
									       .reserved = i + 4};
	user.fill_prod += ENTRIES;
	for (i = 0; i < ENTRIES; i++) {
		UNIT_EQ(roc_ring_fill_count(&r), ENTRIES - i);
		roc_ring_fill_take(&r, &got);
		CU_ASSERT(got.buffer == i && got.length == i + 1 && got.offset == i + 2 &&
			  got.cookie == i + 3 && got.reserved == i + 4);
	}
	UNIT_EQ(roc_ring_fill_count(&r), 0);
	/* The consumer index changes only when it is published. */
	UNIT_EQ(kernel.fill_cons, UINT32_MAX - 7);
	CU_ASSERT(!roc_ring_publish(&r));
	UNIT_EQ(kernel.fill_cons, (__u32)(UINT32_MAX - 7 + ENTRIES));
}

static void publishes(void)
{
	struct roc_rings r = rings_at(UINT32_MAX);
	struct roc_ready e = {.cookie = 42};

	roc_ring_ready_put(&r, &e);
	e.cookie = 43;
	roc_ring_ready_put(&r, &e);
	UNIT_EQ(kernel.ready_prod, UINT32_MAX);
	CU_ASSERT(roc_ring_publish(&r));
	UNIT_EQ(kernel.ready_prod, 1);
	UNIT_EQ(ready.entry[ENTRIES - 1].cookie, 42);
	UNIT_EQ(ready.entry[0].cookie, 43);
	CU_ASSERT(!roc_ring_publish(&r));
}

static void flags(void)
{
	struct roc_rings r = rings_at(0);

	roc_ring_set_flags(&r, ROC_RING_STOPPED, 0);
	UNIT_EQ(kernel.flags, ROC_RING_STOPPED);
	CU_ASSERT(!roc_ring_arm_kick(&r));
	UNIT_EQ(kernel.flags, ROC_RING_STOPPED | ROC_RING_NEED_KICK);
	roc_ring_set_flags(&r, ROC_RING_GONE, ROC_RING_STOPPED);
	UNIT_EQ(kernel.flags, ROC_RING_GONE | ROC_RING_NEED_KICK);
	/* The reader has published entries: the thread must not sleep. */
	user.fill_prod = 3;
	CU_ASSERT(roc_ring_arm_kick(&r));
}

static _Bool leave;

static void *scribble(void *unused)
{
	unsigned int seed = 1;

	while (!__atomic_load_n(&leave, __ATOMIC_RELAXED)) {
		seed = seed * 1664525 + 1013904223;
		__atomic_store_n(&user.fill_prod,
				 seed & 1 ? seed : kernel.fill_cons + (seed >> 8) % (2 * ENTRIES),
				 __ATOMIC_RELEASE);
		__atomic_store_n(&user.ready_cons,
				 seed & 2 ? seed : kernel.ready_prod - (seed >> 9) % (2 * ENTRIES),
				 __ATOMIC_RELEASE);
		__atomic_store_n(&fill.entry[seed >> 10 & (ENTRIES - 1)].cookie, seed,
				 __ATOMIC_RELAXED);
	}
	return NULL;
}

/* The kernel side against a thread that writes random values to the whole user area. */
static void scribbler(void)
{
	struct roc_rings r = rings_at(UINT32_MAX - 100000);
	__u64 taken = 0, too_many = 0;
	double begin = unit_seconds(), now;
	pthread_t thread;

	leave = 0;
	UNIT_NEED(!pthread_create(&thread, NULL, scribble, NULL));
	/*
	 * On one CPU the threads alternate slowly: run until valid and invalid indices have
	 * occurred.
	 */
	while ((now = unit_seconds()) < begin + 1 || ((!taken || !bad_index) && now < begin + 30)) {
		__u32 count = roc_ring_fill_count(&r), ready_count = roc_ring_ready_count(&r);
		struct roc_fill e;

		too_many += count > ENTRIES || ready_count > ENTRIES;
		for (; count && ready_count < ENTRIES; count--, ready_count++) {
			struct roc_ready back = {0};

			roc_ring_fill_take(&r, &e);
			back.cookie = e.cookie;
			roc_ring_ready_put(&r, &back);
			taken++;
		}
		roc_ring_publish(&r);
		roc_ring_arm_kick(&r);
	}
	__atomic_store_n(&leave, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	unit_note("%llu entries taken, %llu bad indices", (unsigned long long)taken,
		  (unsigned long long)bad_index);
	UNIT_EQ(too_many, 0);
	CU_ASSERT(taken > 0);
	CU_ASSERT(bad_index > 0);
	UNIT_EQ(r.fill_cons, (__u32)(UINT32_MAX - 100000 + taken));
	UNIT_EQ(r.ready_prod, r.fill_cons);
	CU_ASSERT(guards_hold());
}

UNIT_MAIN("kmod_ring", {"counts", counts}, {"wrong indices", wrong_indices},
	  {"takes copies", takes_copies}, {"publishes", publishes}, {"flags", flags},
	  {"scribbler", scribbler})
