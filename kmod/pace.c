// SPDX-License-Identifier: GPL-2.0-only
/*
 * When to look at a link's ready counter next. See pace.h.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "pace.h"

void roc_pace_start(struct roc_pace *pace, __u64 now)
{
	*pace = (struct roc_pace){.next = now + ROC_PACE_MIN};
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

	if (found) {
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
	pace->next = now + clamp(wait, ROC_PACE_MIN, ROC_PACE_MAX);
}
