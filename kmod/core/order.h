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
 * @current_order: order to try
 * @max: maximum order
 * @successes: consecutive successful allocations of @current_order
 */
struct roc_order {
	unsigned int current_order;
	unsigned int max;
	unsigned int successes;
};

/* An allocation of order @current_order succeeded. */
static inline void roc_order_success(struct roc_order *order)
{
	if (++order->successes < ROC_ORDER_AGAIN || order->current_order == order->max)
		return;
	order->current_order++;
	order->successes = 0;
}

/* An allocation of order @current_order, which is not 0, failed. */
static inline void roc_order_failure(struct roc_order *order)
{
	order->current_order--;
	order->successes = 0;
}

#endif /* ROC_ORDER_H */
