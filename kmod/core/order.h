/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Order of the next page allocation in a series. No kernel types: the same file is tested in user
 * space.
 */
#ifndef ROC_ORDER_H
#define ROC_ORDER_H

/* Successes after which a larger order is tried: a failed attempt costs compaction. */
#define ROC_ORDER_AGAIN 16

/**
 * struct roc_order - order of the next allocation
 * @now: order to try
 * @most: maximum order
 * @good: consecutive successful allocations of @now
 */
struct roc_order {
	unsigned int now;
	unsigned int most;
	unsigned int good;
};

/* An allocation of order @now succeeded. */
static inline void roc_order_success(struct roc_order *order)
{
	if (++order->good < ROC_ORDER_AGAIN || order->now == order->most)
		return;
	order->now++;
	order->good = 0;
}

/* An allocation of order @now, which is not 0, failed. */
static inline void roc_order_failure(struct roc_order *order)
{
	order->now--;
	order->good = 0;
}

#endif /* ROC_ORDER_H */
