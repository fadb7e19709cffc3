// SPDX-License-Identifier: GPL-2.0-only
/*
 * Schedule polls for finished superpages. See pace.h.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "pool/pace.h"

/* Moving average. A weight of 1/4 smooths jitter, and still follows a step of the rate. */
static void roc_pace_learn(__u64 *interval, __u64 last, __u64 now, __u32 found)
{
	__u64 sample = div_u64(now - last, found);

	if (last)
		*interval = *interval ? (3 * *interval + sample) / 4 : sample;
}

void roc_rate_start(struct roc_rate *rate, __u64 now)
{
	*rate = (struct roc_rate){.last = now};
}

void roc_rate_found(struct roc_rate *rate, __u64 now, __u32 found)
{
	__u64 gap = now - rate->last;

	/* The time to the first superpages shows when data began, not their rate. */
	roc_pace_learn(&rate->interval, rate->gap ? rate->last : 0, now, found);
	/* Superpages of many links finish together, so the pause between bursts repeats. */
	rate->gap = gap >= rate->gap / 2 ? gap : rate->gap - rate->gap / 16;
	rate->last = now;
}

/* Waits that grow with the silence, but never extend past the time when data are due again. */
static __u64 roc_rate_silent_tick(__u64 silence, __u64 gap)
{
	__u64 early = min(gap / 8, 100000000ull), due = gap - early;
	__u64 wait = clamp(silence / 16, ROC_TICK_MAX, ROC_TICK_IDLE);

	if (silence >= due && silence <= gap + early)
		return ROC_TICK_MAX;
	return silence < due ? clamp(due - silence, ROC_TICK_MAX, wait) : wait;
}

__u64 roc_rate_tick(const struct roc_rate *rate, __u64 now, __u32 in_flight, __u32 min_ready)
{
	__u64 interval = rate->interval, silence = now - rate->last;
	/*
	 * The thread refills nothing while it sleeps: batch no more than 1/16 of what is in flight.
	 */
	__u32 batch = max(min(min_ready, in_flight / 16), ROC_TICK_BATCH);
	__u64 longest = batch > ROC_TICK_BATCH ? ROC_TICK_BATCH_MAX : ROC_TICK_MAX;

	if (silence > min(4 * rate->gap, ROC_REGULAR) + 4 * ROC_TICK_MAX)
		return roc_rate_silent_tick(silence, rate->gap);
	if (!interval || silence > 4 * ROC_TICK_MAX)
		return ROC_TICK_MAX;
	/* Wake before the card can have filled half of its superpages. */
	return clamp(min(interval * batch, interval * in_flight / 2), ROC_PACE_MIN, longest);
}

static _Bool roc_pace_near(__u32 a, __u32 b)
{
	return a <= 2 * b && b <= 2 * a;
}

_Bool roc_moderation_changed(const struct roc_moderation *last, const struct roc_moderation *next,
			     __u32 longest)
{
	if (next->us >= longest && next->us != last->us)
		return 1;
	return !roc_pace_near(last->count, next->count) || !roc_pace_near(last->us, next->us);
}

void roc_pace_start(struct roc_pace *pace, __u64 now)
{
	*pace = (struct roc_pace){.next = now + ROC_PACE_FREE};
}

void roc_pace_pushed(struct roc_pace *pace, __u64 now)
{
	pace->misses = 0;
	pace->pushed = now;
	/* 1/16 early: an early poll is cheap, an idle card loses throughput. */
	pace->next = now + clamp(pace->interval - pace->interval / 16, ROC_PACE_FREE, ROC_PACE_MAX);
}

void roc_pace_polled(struct roc_pace *pace, __u64 now, __u32 found)
{
	__u64 wait, longest;

	if (found) {
		/*
		 * The first poll found the superpage, so the true interval is shorter by an unknown
		 * time. An average over such samples would never decrease: reduce the interval.
		 */
		if (!pace->misses)
			pace->interval -= pace->interval / 4;
		else
			roc_pace_learn(&pace->interval, pace->pushed, now, found);
		roc_pace_pushed(pace, now);
		return;
	}
	/* The superpage is due: a few short waits, then longer and longer ones. */
	if (pace->misses < 96)
		pace->misses++;
	wait = max(pace->interval / 32, ROC_PACE_FREE) << (pace->misses / 8);
	longest = clamp((now - pace->pushed) / 16, ROC_PACE_MAX, ROC_TICK_IDLE);
	pace->next = now + clamp(wait, ROC_PACE_FREE, longest);
}

_Bool roc_pace_silent(struct roc_pace *pace, __u64 now)
{
	if (now - max(pace->pushed, pace->alive) < ROC_SILENT)
		return 0;
	pace->alive = now;
	return 1;
}

void roc_backoff_start(struct roc_backoff *backoff, __u64 now)
{
	*backoff = (struct roc_backoff){.polled = now};
}

_Bool roc_backoff_due(struct roc_backoff *backoff, __u64 now, enum roc_sentinel_stage stage)
{
	/* The first wait of each stage, and the longest, in ns. */
	static const struct {
		__u64 first, longest;
	} waits[] = {
		[ROC_STAGE_UNTOUCHED] = {250000000, 500000000},
		[ROC_STAGE_BEGUN] = {100000000, 500000000},
		[ROC_STAGE_LAST_PAGE] = {0, 8000000},
		[ROC_STAGE_UNKNOWN] = {250000, 8000000},
	};
	__u64 silent = now - backoff->last, wait = waits[stage].first,
	      longest = waits[stage].longest;

	if (stage != backoff->stage) {
		backoff->stage = stage;
		backoff->misses = 0;
		backoff->polled = now;
	}
	/* Started and overdue: it may have been closed early, without a next one that shows it. */
	if (stage == ROC_STAGE_BEGUN && backoff->period && silent > backoff->period * 5 / 4)
		wait = 500000;
	/* The channel has fallen silent, and no data are expected. */
	if (backoff->period && silent > 4 * backoff->period + 4 * ROC_TICK_MAX)
		longest = 250000000;
	if (backoff->misses)
		wait = max(wait, 500000ull) << min(backoff->misses, 16u);
	return now - backoff->polled >= min(wait, longest);
}

void roc_backoff_polled(struct roc_backoff *backoff, __u64 now)
{
	backoff->polled = now;
	if (backoff->misses < 16)
		backoff->misses++;
}

void roc_backoff_found(struct roc_backoff *backoff, __u64 now, __u32 found)
{
	roc_pace_learn(&backoff->period, backoff->last, now, found);
	backoff->last = now;
	backoff->misses = 0;
	backoff->polled = now;
}
