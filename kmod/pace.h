/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When to look at a link's ready counter next, without interrupts.
 *
 * A look is an MMIO read, the dearest thing on the data path, so each link learns its rate and is
 * left alone until a superpage can be expected. Two things pull the other way: the card must not
 * run dry while we sleep, and a reader should not wait long after a pause. Pure arithmetic on
 * nanoseconds; the channel lock guards it. The same file is tested in user space.
 */
#ifndef ROC_PACE_H
#define ROC_PACE_H

#include <linux/types.h>

#define ROC_PACE_MIN 250000ull	 /* ns: never look more often */
#define ROC_PACE_FREE 20000ull	 /* ns: the same where a look is free */
#define ROC_PACE_MAX 10000000ull /* ns: never sleep longer while superpages are out */

struct roc_pace {
	__u64 next;	/* time of the next look */
	__u64 last;	/* when superpages were last found, 0 = not yet in this run */
	__u64 interval; /* learned ns per superpage, 0 = unknown */
	__u32 misses;	/* looks since then that found nothing */
	_Bool free;
};

/* @free: a look costs nothing, so look often. */
void roc_pace_start(struct roc_pace *pace, __u64 now, _Bool free);
/* A link that had nothing was given a superpage. */
void roc_pace_pushed(struct roc_pace *pace, __u64 now);
/* A look at @now found @found superpages; @queued are still out on this link. */
void roc_pace_looked(struct roc_pace *pace, __u64 now, __u32 found, __u32 queued);

#endif /* ROC_PACE_H */
