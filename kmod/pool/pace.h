/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When to look for finished superpages without interrupts: pure arithmetic on nanoseconds.
 *
 *   roc_rate   of a channel: how often its thread wakes, or the card interrupts
 *   roc_pace   of a link where a look is free: as soon as a superpage can be expected
 *   roc_doubt  of a link where a look is a register read, the dearest thing on the data path:
 *              only when memory does not tell, and ever more rarely
 *
 * The channel lock guards them. The same file is tested in user space.
 */
#ifndef ROC_PACE_H
#define ROC_PACE_H

#include <linux/types.h>

#define ROC_PACE_MIN 250000ull	  /* ns: a thread never wakes more often */
#define ROC_PACE_FREE 20000ull	  /* ns: the same where a look is free */
#define ROC_PACE_MAX 10000000ull  /* ns: a link is not left alone for longer while data come */
#define ROC_SILENT 1000000000ull  /* ns without a superpage: is the card still there? */
#define ROC_TICK_MAX 5000000ull	  /* ns: a thread never sleeps longer while data come */
#define ROC_TICK_IDLE 64000000ull /* ns: nor longer than this while superpages are out */
#define ROC_REGULAR 250000000ull  /* ns: pauses up to this are not taken for the end of the data */
#define ROC_TICK_BATCH 8u	  /* superpages that one waking should find */
#define ROC_TICK_BATCH_MAX 10000000ull /* ns: ROC_TICK_MAX if readers wait for a larger batch */

struct roc_rate {
	__u64 last;	/* when superpages were last found, or the run began */
	__u64 interval; /* learned ns per superpage, 0 = unknown */
	__u64 gap;	/* learned ns between times that some were found, 0 = unknown */
};

void roc_rate_start(struct roc_rate *rate, __u64 now);
void roc_rate_found(struct roc_rate *rate, __u64 now, __u32 found);
/*
 * How long the thread may sleep: @in_flight superpages are out, readers wait for @min_ready more.
 */
__u64 roc_rate_tick(const struct roc_rate *rate, __u64 now, __u32 in_flight, __u32 min_ready);

/* The card's interrupts: one for @count superpages, or @us apart if they are fewer. */
struct roc_moderation {
	__u32 count;
	__u32 us;
};

/*
 * Is @next so different that it is worth a register write? At a steady rate nothing would ever
 * correct what was learned in haste, so @longest is said as it is, however near @last came to it.
 */
_Bool roc_moderation_changed(const struct roc_moderation *last, const struct roc_moderation *next,
			     __u32 longest);

struct roc_pace {
	__u64 next;	/* time of the next look */
	__u64 pushed;	/* when the card had to begin a superpage */
	__u64 interval; /* learned ns from then until it is finished, 0 = unknown */
	__u64 alive;	/* when the card was last asked whether it is still there */
	__u32 misses;	/* looks since then that found nothing */
};

void roc_pace_start(struct roc_pace *pace, __u64 now);
/* A link that had nothing was given a superpage. */
void roc_pace_pushed(struct roc_pace *pace, __u64 now);
/* A look at @now found @found superpages. */
void roc_pace_polled(struct roc_pace *pace, __u64 now, __u32 found);
/* Long silence: memory of a card that has gone looks like that. True once for each ROC_SILENT. */
_Bool roc_pace_silent(struct roc_pace *pace, __u64 now);

/* How far the card is with the oldest superpage of a link, as memory shows it. */
enum roc_sentinel_stage {
	ROC_STAGE_UNTOUCHED,
	ROC_STAGE_BEGUN,
	ROC_STAGE_LAST_PAGE,
	ROC_STAGE_UNKNOWN, /* memory cannot be looked at */
};

struct roc_backoff {
	__u64 polled; /* when the counter was last read, or the doubt began */
	__u64 last;   /* when superpages were last found, 0 = not yet in this run */
	__u64 period; /* learned ns per superpage of this link, 0 = unknown */
	__u32 misses; /* reads since then that found nothing */
	enum roc_sentinel_stage stage;
};

void roc_backoff_start(struct roc_backoff *backoff, __u64 now);
/* Is a register read worth it now? */
_Bool roc_backoff_due(struct roc_backoff *backoff, __u64 now, enum roc_sentinel_stage stage);
void roc_backoff_polled(struct roc_backoff *backoff, __u64 now);
void roc_backoff_found(struct roc_backoff *backoff, __u64 now, __u32 found);

#endif /* ROC_PACE_H */
