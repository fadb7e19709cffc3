// SPDX-License-Identifier: GPL-2.0-only
/*
 * When to look at a link's ready counter next. See pace.h.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "pace.h"

static __u64 shortest(const struct roc_pace *pace)
{
	return pace->free ? ROC_PACE_FREE : ROC_PACE_MIN;
}

void roc_pace_start(struct roc_pace *pace, __u64 now, _Bool free)
{
	*pace = (struct roc_pace){.free = free};
	pace->next = now + shortest(pace);
}

void roc_pace_pushed(struct roc_pace *pace, __u64 now)
{
	__u64 wait = pace->free ? pace->interval - pace->interval / 16 : 0;

	pace->misses = 0;
	pace->next = now + clamp(wait, shortest(pace), ROC_PACE_MAX);
}

static void learn(struct roc_pace *pace, __u64 now, __u32 found)
{
	__u64 sample;

	if (pace->last) {
		sample = div_u64(now - pace->last, found);
		/* A quarter new: smooth enough for jitter, quick enough for a rate step. */
		pace->interval = pace->interval ? (3 * pace->interval + sample) / 4 : sample;
	}
	pace->last = now;
	pace->misses = 0;
}

void roc_pace_looked(struct roc_pace *pace, __u64 now, __u32 found, __u32 queued)
{
	__u64 wait;

	if (pace->free && !found) {
		/* It is about to happen: a few short waits, then ever longer ones. */
		if (pace->misses < 96)
			pace->misses++;
		wait = max(pace->interval / 32, ROC_PACE_FREE) << (pace->misses / 8);
	} else if (found) {
		learn(pace, now, found);
		/* An eighth late on purpose: just too early costs a second read. */
		wait = pace->interval + pace->interval / 8;
		/* But be back before half of what the card still holds can be used up. */
		wait = min(wait, max(pace->interval * queued / 2, pace->interval / 2));
	} else {
		/* Nothing where something was due: look again soon, then ever later. */
		if (pace->misses < 16)
			pace->misses++;
		wait = max(pace->interval / 8, ROC_PACE_MIN) << pace->misses;
	}
	pace->next = now + clamp(wait, shortest(pace), ROC_PACE_MAX);
}
