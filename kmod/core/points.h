/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Named points where a test can hold somebody up, to force an order of events that is rare
 * otherwise. For tests only: compiled in by `make ROC_POINTS=1`, and not one instruction without.
 *
 * /sys/kernel/debug/roc/points/NAME/ has, for each point:
 *
 *	delay_ms	whoever comes here sleeps for so long; 0 also lets go of those who sleep
 *	minor		only those of endpoint rocN, 0xffffffff = all (the default)
 *	fail		so many of those who come fail, where that is possible
 *	hits		how many came
 *	sleeping	how many of them are here now
 */
#ifndef ROC_POINTS_H
#define ROC_POINTS_H

struct roc_endpoint;

enum roc_point {
	ROC_POINT_EVENT_RINGS,	 /* memory for the rings of a channel with events; can fail */
	ROC_POINT_EVENT_NOTICE,	 /* memory for what the card as a whole tells; can fail */
	ROC_POINT_PUBLISH,	 /* a channel's node is there, not all are; can fail */
	ROC_POINT_OPEN,		 /* inside, the channel not yet claimed */
	ROC_POINT_REGISTER,	 /* pages are pinned, not yet mapped */
	ROC_POINT_IMPORT,	 /* a dma-buf is mapped, not yet listed */
	ROC_POINT_EXPORT,	 /* a dma-buf is made, and nobody knows its number */
	ROC_POINT_REVOKE,	 /* dma-bufs are about to be revoked */
	ROC_POINT_REQUIESCE,	 /* a start: another channel is suspect, its lock not yet taken */
	ROC_POINT_FUNC_RESET,	 /* a start is about to reset the function, and accesses wait */
	ROC_POINT_START_BUS,	 /* the card is set up and has no bus */
	ROC_POINT_START_RUNNING, /* the card is set going, nobody knows */
	ROC_POINT_TURN,		 /* who looks while the channel runs: its thread, a watchdog */
	ROC_POINT_STOP,		 /* flushed, not yet reset */
	ROC_POINT_RESET,	 /* a user's reset of a stream or a sub-unit, under its lock */
	ROC_POINT_CLOSE,	 /* the last close, outside of the channel's lock */
	ROC_POINT_RETIRE,	 /* the same, under it; nothing is retired yet */
	ROC_POINT_QUIESCE,	 /* a run is ending, the card still at work */
	ROC_POINT_ENDED,	 /* users can see that it has, and nobody is woken yet */
	ROC_POINT_SHUT_EPOCH,	 /* removal, reset: the epoch is 0, the bus not yet off */
	ROC_POINT_SHUT_RETIRE,	 /* nobody is inside any more, nothing retired */
	ROC_POINT_SUSPEND,	 /* suspend: no channel gets the bus, no run has ended yet */
	ROC_POINT_ALARM,	 /* an alarm came or went: users are told, hwmon is not */
	ROC_POINT_IRQS_FREE,	 /* vectors are given back, messages still switched on */
	ROC_POINT_REMOVE_BARS,	 /* all is retired, the BARs are still mapped */
	ROC_POINT_COUNT,
};

#ifdef ROC_POINTS
/* May sleep. */
void roc_point(struct roc_endpoint *ep, enum roc_point point);
/* And go on as if what is done here had failed? */
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
