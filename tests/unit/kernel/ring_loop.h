/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's side of the rings as a thread: the module's own ring.c, around it a loop that hands
 * every superpage back. A file of its own because library and module each have a struct roc_rings.
 */
#ifndef UNIT_RING_LOOP_H
#define UNIT_RING_LOOP_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

/* Owned by the test; the thread uses it from ring_loop_run()'s start to its return. */
struct ring_loop {
	void *user, *kernel, *fill, *ready; /* the shared areas */
	uint32_t fill_entries, ready_entries;
	uint32_t start; /* first value of all indices */
	uint64_t total; /* entries to pass, then return */
	uint32_t check; /* seed of the entries' pattern */
	sem_t kick;
	/* Results, to be read after the thread's end. */
	uint64_t taken, wrong, sleeps, lost_kicks, bad_index;
};

#define RING_LOOP_PATTERN(i, seed) ((uint64_t)(i)*0x9e3779b97f4a7c15u + (seed))

void *ring_loop_run(void *loop);

#endif
