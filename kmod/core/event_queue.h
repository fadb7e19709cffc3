/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event queue: data that a card writes to memory in order, with an interrupt on request.
 *
 * The core records which interrupt is requested, wakes every waiter whose threshold is met, and
 * detects lost interrupts. The channel type polls memory and writes the register.
 */
#ifndef ROC_EVENT_QUEUE_H
#define ROC_EVENT_QUEUE_H

#include <linux/types.h>

struct roc_run;

/**
 * struct roc_event_queue - an event queue of a run; under roc_channel.run_lock
 * @purpose: interrupt purpose of the queue
 * @count: free-running count that the card had reached at the last poll; set by the type's poll()
 * @armed: an interrupt is requested, and has not arrived
 * @seen: the interrupt is requested for data beyond this count
 * @late: an interrupt that was requested earlier may still be in flight
 * @waiting: callers of WAIT sleep
 * @threshold: smallest count that one of them waits for
 * @last: @count at the last tick of the watchdog
 * @activity: activity of the card at that tick: see struct roc_run_ops
 * @overdue: ticks of the watchdog since an interrupt was due
 * @silent: ms without activity, or since the last query, as counted by the watchdog
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

/* Has the card written data beyond the count for which the last interrupt was requested? */
static inline bool roc_queue_fresh(const struct roc_event_queue *q)
{
	return (s32)(q->count - q->seen) > 0;
}

static inline bool roc_queue_reached(const struct roc_event_queue *q, u32 count)
{
	return (s32)(q->count - count) >= 0;
}

/* All functions are called after a poll and under roc_channel.run_lock. */
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
