/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Order of the next allocation of many. No kernel type: the same file is tested in user space.
 */
#ifndef ROC_ORDER_H
#define ROC_ORDER_H

/* Pieces of an order after which a larger one is tried: a failed attempt costs compaction. */
#define ROC_ORDER_AGAIN 16

/**
 * struct roc_order - order of the next allocation
 * @now: what to try
 * @most: never more
 * @good: allocations of @now in a row
 */
struct roc_order {
	unsigned int now;
	unsigned int most;
	unsigned int good;
};

/* Memory came in a piece of @now. */
static inline void roc_order_success(struct roc_order *order)
{
	if (++order->good < ROC_ORDER_AGAIN || order->now == order->most)
		return;
	order->now++;
	order->good = 0;
}

/* There was none; @now is not 0. */
static inline void roc_order_failure(struct roc_order *order)
{
	order->now--;
	order->good = 0;
}

#endif /* ROC_ORDER_H */
