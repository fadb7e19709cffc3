/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Named points at which a test can delay a thread, to force an order of events that is rare
 * otherwise. For tests only: compiled in by `make ROC_POINTS=1`, and without any instruction
 * otherwise.
 *
 * /sys/kernel/debug/roc/points/NAME/ contains, for each point:
 *
 *	delay_ms	delay of a thread that reaches the point; 0 also releases delayed threads
 *	minor		only threads of endpoint rocN, 0xffffffff = all (the default)
 *	fail		number of threads for which the operation fails, where that is possible
 *	hits		number of threads that reached the point
 *	sleeping	number of threads that are delayed now
 */
#ifndef ROC_POINTS_H
#define ROC_POINTS_H

struct roc_endpoint;

enum roc_point {
	ROC_POINT_EVENT_RINGS,	 /* allocation of the rings of a channel with events; can fail */
	ROC_POINT_EVENT_NOTICE,	 /* allocation of the card's notice; can fail */
	ROC_POINT_PUBLISH,	 /* the node of a channel exists, not all do; can fail */
	ROC_POINT_OPEN,		 /* inside the read side, the channel is not claimed yet */
	ROC_POINT_REGISTER,	 /* pages are pinned, not yet mapped */
	ROC_POINT_IMPORT,	 /* a dma-buf is mapped, not yet listed */
	ROC_POINT_EXPORT,	 /* a dma-buf exists, its descriptor is not installed */
	ROC_POINT_REVOKE,	 /* dma-bufs are about to be revoked */
	ROC_POINT_REQUIESCE,	 /* a start found an unquiesced channel, lock not yet taken */
	ROC_POINT_FUNC_RESET,	 /* a start is about to reset the function, and accesses wait */
	ROC_POINT_START_BUS,	 /* the card is set up, bus mastering is off */
	ROC_POINT_START_RUNNING, /* the card is started, the state is not set */
	ROC_POINT_TURN,		 /* a turn of the pool's thread or of the watchdog */
	ROC_POINT_STOP,		 /* flushed, not yet reset */
	ROC_POINT_RESET,	 /* a user's reset of a stream or sub-unit, under its lock */
	ROC_POINT_CLOSE,	 /* the end of the claim, before taking the channel lock */
	ROC_POINT_RETIRE,	 /* the same, under the lock; nothing is retired yet */
	ROC_POINT_QUIESCE,	 /* a run is ending, the card is still active */
	ROC_POINT_ENDED,	 /* the end is visible to users, waiters are not woken yet */
	ROC_POINT_SHUT_EPOCH,	 /* removal, reset: the epoch is 0, bus mastering still on */
	ROC_POINT_SHUT_RETIRE,	 /* all read sides have ended, nothing is retired */
	ROC_POINT_SUSPEND,	 /* suspend: bus mastering is refused, no run has ended yet */
	ROC_POINT_ALARM,	 /* a change of alarm was sent to users, not to hwmon */
	ROC_POINT_IRQS_FREE,	 /* handlers are freed, MSI or MSI-X still enabled */
	ROC_POINT_REMOVE_BARS,	 /* all is retired, the BARs are still mapped */
	ROC_POINT_COUNT,
};

#ifdef ROC_POINTS
/* Reach a point. May sleep. */
void roc_point(struct roc_endpoint *ep, enum roc_point point);
/* Reach a point. Return: whether the caller must act as if its operation had failed. */
bool roc_point_fails(struct roc_endpoint *ep, enum roc_point point);
void roc_points_init(void);
void roc_points_exit(void);
#else
static inline void roc_point(struct roc_endpoint *ep, enum roc_point point)
{
}

static inline bool roc_point_fails(struct roc_endpoint *ep, enum roc_point point)
{
	return false;
}

static inline void roc_points_init(void)
{
}

static inline void roc_points_exit(void)
{
}
#endif

#endif /* ROC_POINTS_H */
