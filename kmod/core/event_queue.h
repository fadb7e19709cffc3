/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event queue: what a card writes to memory in order, with an interrupt that the driver requests.
 *
 * The queue keeps which interrupt is requested, wakes every waiter whose threshold is met, and
 * detects interrupts that were lost. The channel type polls memory and writes the register.
 */
#ifndef ROC_EVENT_QUEUE_H
#define ROC_EVENT_QUEUE_H

#include <linux/types.h>

struct roc_run;

/**
 * struct roc_event_queue - one queue of a run. Under roc_channel.run_lock
 * @purpose: number of its interrupt in the channel
 * @count: how far the card was at the last poll, free running; the type's poll() sets it
 * @armed: an interrupt is requested, and has not come
 * @seen: it is for what lies behind this count
 * @late: an interrupt that was requested earlier may still be on its way
 * @waiting: callers of WAIT sleep
 * @threshold: the smallest count that one of them waits for
 * @last: @count at the last tick of the watchdog
 * @activity: of the card, at that tick: see struct roc_run_ops
 * @overdue: ticks of the watchdog since an interrupt should have come
 * @silent: ms since the card was active, or was queried, as the watchdog measures it
 */
struct roc_event_queue {
	unsigned int purpose;
	u32 count;
	bool armed;
	u32 seen;
	bool late;
	bool waiting;
	u32 threshold;
	u32 last;
	u32 activity;
	u32 overdue;
	u32 silent;
};

/* Has the card written anything behind what the last interrupt was requested for? */
static inline bool roc_queue_fresh(const struct roc_event_queue *q)
{
	return (s32)(q->count - q->seen) > 0;
}

static inline bool roc_queue_reached(const struct roc_event_queue *q, u32 count)
{
	return (s32)(q->count - count) >= 0;
}

/* All of them after a poll, and under the run's lock. */
void roc_queue_start(struct roc_event_queue *q, unsigned int purpose, u32 start);
bool roc_queue_has_listener(struct roc_run *run);
void roc_queue_notify(struct roc_run *run);
void roc_queue_wake(struct roc_run *run, struct roc_event_queue *q);
void roc_queue_threshold(struct roc_event_queue *q, u32 threshold);
void roc_queue_request_next(struct roc_run *run, struct roc_event_queue *q);
void roc_queue_wait(struct roc_run *run, struct roc_event_queue *q, u32 threshold);
void roc_queue_missed(struct roc_run *run, struct roc_event_queue *q);
void roc_queue_interrupt(struct roc_run *run, struct roc_event_queue *q, bool shared);
void roc_queue_tick(struct roc_run *run, struct roc_event_queue *q);

#endif /* ROC_EVENT_QUEUE_H */
