/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel side of the rings as a thread: kmod/pool/ring.c in a loop that returns every
 * superpage. This is a separate file, because library and module each have a struct roc_rings.
 */
#ifndef UNIT_RING_LOOP_H
#define UNIT_RING_LOOP_H

#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

/* Owned by the test. The thread uses it from the start of ring_loop_run() to its return. */
struct ring_loop {
	void *user, *kernel, *fill, *ready; /* the shared areas */
	uint32_t fill_entries, ready_entries;
	uint32_t start; /* first value of all indices */
	uint64_t total; /* entries to pass, then return */
	uint32_t check; /* seed of the entries' pattern */
	sem_t kick;
	bool stop; /* atomic: the reader has given up */
	/* Results, to be read after the thread's end. */
	uint64_t taken, wrong, sleeps, lost_kicks;
	__u64 bad_index;
};

#define RING_LOOP_PATTERN(i, seed) ((uint64_t)(i)*0x9e3779b97f4a7c15u + (seed))

void *ring_loop_run(void *loop);

/*
 * Repeat the race of barrier (E): on each of @count pairs of areas, the reader publishes one entry
 * while the kernel arms the kick. Both proceed through the pairs in step.
 */
struct ring_race {
	unsigned char *user, *kernel; /* count areas each */
	uint32_t count;
	uint32_t reader_at, kernel_at; /* atomic: progress of each side */
	bool *saw;		       /* out: roc_ring_arm_kick() saw the entry */
};

/* Wait until the other side has reached pair @i, then for a time that differs between pairs. */
static inline void ring_race_step(uint32_t *mine, const uint32_t *other, uint32_t i, uint32_t pause)
{
	uint32_t spins = 0;

	__atomic_store_n(mine, i + 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(other, __ATOMIC_ACQUIRE) < i + 1)
		if (++spins > 10000)
			sched_yield();
	for (; pause; pause--)
		__asm__ volatile("");
}

void *ring_race_run(void *race);

#endif
