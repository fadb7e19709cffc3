/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupts of an endpoint whose firmware raises some: see irq.c.
 */
#ifndef ROC_IRQ_H
#define ROC_IRQ_H

#include <linux/types.h>
#include <linux/workqueue.h>

/* What a channel of some kind raises interrupts for, at most: data, completions, errors. */
#define ROC_PURPOSES_MAX 3

struct roc_channel;
struct roc_endpoint;

/**
 * struct roc_irqs - interrupts of an endpoint, and what its function block says; embedded in it
 * @block: the function's registers, see function_regs.h; set when the kind is probed, NULL = the
 *	card has no interrupts
 * @causes: of which the card tells; set with @block
 * @most: vectors that the card can name in its registers; set with @block
 * @msix: users cannot write its table; see capability.c
 * @count: vectors that we were given
 * @number: Linux's numbers of them
 * @notice: the card's copy of its causes, in host memory
 * @programmed: the card knows what to tell, and where; written under card->lock or alone
 * @alarms: the card tells of its alarms by itself: programmed, and it has the bus
 * @work: looks after the causes
 *
 * Written at probe and remove, but for what is said above.
 */
struct roc_irqs {
	void __iomem *block;
	u32 causes;
	unsigned int most;
	bool msix;
	int count;
	int *number;
	__le32 *notice;
	dma_addr_t notice_bus;
	bool programmed;
	bool alarms;
	struct work_struct work;
};

void roc_irqs_none(struct roc_channel *ch);
int roc_irqs_alloc(struct roc_endpoint *ep);
void roc_irqs_start(struct roc_endpoint *ep);
void roc_irqs_hush(struct roc_endpoint *ep);
void roc_irqs_stop(struct roc_endpoint *ep);
void roc_irqs_free(struct roc_endpoint *ep);
void roc_irqs_enable(struct roc_endpoint *ep);

#endif /* ROC_IRQ_H */
