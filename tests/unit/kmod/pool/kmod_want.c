// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The wishes of those who wait for superpages, said at the same time: the smallest stands.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "kmod/pool/ring.h"
#include "unit.h"

#define ROUNDS 300000
#define ROUNDS_LEAST 100
#define SECONDS 5 /* with fewer processors than threads a round takes long */

static __u32 wanted;
static unsigned int round_begun, done; /* the other's part of a round */
static bool over;

static void one_after_the_other(void)
{
	__u32 w = ROC_WANT_NOTHING;

	roc_want(&w, 10);
	UNIT_EQ(w, 10);
	roc_want(&w, 1);
	UNIT_EQ(w, 1);
	roc_want(&w, 10);
	UNIT_EQ(w, 1);
	roc_want(&w, 1);
	UNIT_EQ(w, 1);
}

/* False: there is no such round any more. */
static bool wait_until(unsigned int *value, unsigned int target)
{
	unsigned int spins = 0;

	while (__atomic_load_n(value, __ATOMIC_ACQUIRE) != target) {
		if (__atomic_load_n(&over, __ATOMIC_ACQUIRE))
			return false;
		if (++spins > 1000)
			sched_yield();
	}
	return true;
}

static void *want_many(void *unused)
{
	unsigned int i;

	for (i = 1; i <= ROUNDS && wait_until(&round_begun, i); i++) {
		roc_want(&wanted, 10);
		__atomic_store_n(&done, i, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void two_at_once(void)
{
	double end = unit_seconds() + SECONDS;
	unsigned int i, lost = 0;
	pthread_t other;

	UNIT_NEED(!pthread_create(&other, NULL, want_many, NULL));
	for (i = 1; i <= ROUNDS && (i <= ROUNDS_LEAST || unit_seconds() < end); i++) {
		volatile unsigned int late = i % 64;

		wanted = ROC_WANT_NOTHING;
		__atomic_store_n(&round_begun, i, __ATOMIC_RELEASE);
		while (late)
			late--;
		roc_want(&wanted, 1);
		wait_until(&done, i);
		lost += wanted != 1;
	}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	pthread_join(other, NULL);
	unit_note("%u rounds", i - 1);
	UNIT_EQ(lost, 0);
}

UNIT_MAIN("kmod_want", {"one after the other", one_after_the_other}, {"two at once", two_at_once})
