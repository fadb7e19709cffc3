/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Schedule polls for finished superpages: pure arithmetic on nanoseconds.
 *
 *   roc_rate     per channel: how often its thread wakes, or the card interrupts
 *   roc_pace     per link, if a poll reads memory: poll as soon as a superpage is expected
 *   roc_backoff  per link, if a poll reads a register, which is the most expensive access of the
 *                data path: poll only if memory is not enough, at growing intervals
 *
 * The channel lock protects them. The unit tests compile this file in user space.
 */
#ifndef ROC_PACE_H
#define ROC_PACE_H

#include <linux/types.h>

#define ROC_PACE_MIN 250000ull	  /* ns: shortest sleep of the thread */
#define ROC_PACE_FREE 20000ull	  /* ns: the same if polls read memory */
#define ROC_PACE_MAX 10000000ull  /* ns: longest interval between polls of a link with data */
#define ROC_SILENT 1000000000ull  /* ns without a superpage until the card's presence is checked */
#define ROC_TICK_MAX 5000000ull	  /* ns: longest sleep of the thread while data flow */
#define ROC_TICK_IDLE 64000000ull /* ns: longest sleep while superpages are in the card */
#define ROC_REGULAR 250000000ull  /* ns: longest pause that does not count as the end of data */
#define ROC_TICK_BATCH 8u	  /* superpages that one wake-up should find */
#define ROC_TICK_BATCH_MAX 10000000ull /* ns: ROC_TICK_MAX if readers wait for a larger batch */

struct roc_rate {
	__u64 last;	/* when superpages were last found, or the run began */
	__u64 interval; /* measured ns per superpage; 0: unknown */
	__u64 gap;	/* measured ns between bursts of superpages; 0: unknown */
};

void roc_rate_start(struct roc_rate *rate, __u64 now);
void roc_rate_found(struct roc_rate *rate, __u64 now, __u32 found);
/*
 * Return how long the thread may sleep, in ns, while @in_flight superpages are in the card and
 * waiters need @min_ready more.
 */
__u64 roc_rate_tick(const struct roc_rate *rate, __u64 now, __u32 in_flight, __u32 min_ready);

/* Interrupt moderation of the card: one per @count superpages, or after @us if there are fewer. */
struct roc_moderation {
	__u32 count;
	__u32 us;
};

/*
 * Return true if @next differs enough to be worth a register write. A time of @longest is always
 * written: at a steady rate no later change would correct a value that was measured too early.
 */
_Bool roc_moderation_changed(const struct roc_moderation *last, const struct roc_moderation *next,
			     __u32 longest);

struct roc_pace {
	__u64 next;	/* time of the next poll */
	__u64 pushed;	/* when the card could start the current superpage */
	__u64 interval; /* measured ns from then until it is finished; 0: unknown */
	__u64 alive;	/* when the card's presence was last checked */
	__u32 misses;	/* polls since @pushed that found nothing */
};

void roc_pace_start(struct roc_pace *pace, __u64 now);
/* A superpage was pushed to an empty link. */
void roc_pace_pushed(struct roc_pace *pace, __u64 now);
/* A poll at @now found @found superpages. */
void roc_pace_polled(struct roc_pace *pace, __u64 now, __u32 found);
/*
 * Return true once per ROC_SILENT of silence: the caller checks that the card is present, because
 * the memory of a removed card does not change either.
 */
_Bool roc_pace_silent(struct roc_pace *pace, __u64 now);

/* Progress of the card in the oldest superpage of a link, as sentinels show it. */
enum roc_sentinel_stage {
	ROC_STAGE_UNTOUCHED,
	ROC_STAGE_BEGUN,
	ROC_STAGE_LAST_PAGE,
	ROC_STAGE_UNKNOWN, /* there are no sentinels */
};

struct roc_backoff {
	__u64 polled; /* when the counter was last read, or the stage last changed */
	__u64 last;   /* when superpages were last found; 0: not yet in this run */
	__u64 period; /* measured ns per superpage of this link; 0: unknown */
	__u32 misses; /* reads since then that found nothing */
	enum roc_sentinel_stage stage;
};

void roc_backoff_start(struct roc_backoff *backoff, __u64 now);
/* Return true if the counter should be read now. */
_Bool roc_backoff_due(struct roc_backoff *backoff, __u64 now, enum roc_sentinel_stage stage);
void roc_backoff_polled(struct roc_backoff *backoff, __u64 now);
void roc_backoff_found(struct roc_backoff *backoff, __u64 now, __u32 found);

#endif /* ROC_PACE_H */
