/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupts of an endpoint whose firmware raises some: see irq.c.
 */
#ifndef ROC_IRQ_H
#define ROC_IRQ_H

#include <linux/types.h>
#include <linux/workqueue.h>

#define ROC_CHANNELS_MAX 7
/* What a channel of some kind raises interrupts for, at most: data, completions, errors. */
#define ROC_PURPOSES_MAX 3

struct roc_channel;
struct roc_endpoint;

/* As many bytes as "roc255:ch6-error" needs, and some more. */
#define ROC_VECTOR_NAME 24

/**
 * struct roc_vector - one interrupt vector, and the context of its handler
 * @ep: endpoint that raises it
 * @irq: Linux's number
 * @channels: mask of the channels that it serves
 * @purposes: of each channel: mask of the purposes that it serves
 * @function: it serves the function's errors and alarms
 * @shared: it serves more than one of these
 * @name: in /proc/interrupts
 *
 * Constant while the handler is registered.
 */
struct roc_vector {
	struct roc_endpoint *ep;
	int irq;
	unsigned long channels;
	u8 purposes[ROC_CHANNELS_MAX];
	bool function;
	bool shared;
	char name[ROC_VECTOR_NAME];
};

/**
 * struct roc_irqs - interrupts of an endpoint, and what its function block says; embedded in it
 * @block: the function's registers, see contract_regs.h; set when the kind is probed, NULL = the
 *	card has no interrupts
 * @causes: of which the card tells; set with @block
 * @max_vectors: vectors that the card can name in its registers; set with @block
 * @msix: users cannot write its table; see block.c
 * @count: of @vector, those that the driver has requested
 * @vector: vector 0 is the function's
 * @notice: the card's copy of its causes, in host memory
 * @notice_bus: bus address of @notice
 * @programmed: the card knows what to tell, and where; written under card->lock or alone
 * @alarms: the card tells of its alarms by itself: programmed, and it has the bus
 * @work: looks after the causes
 *
 * Written at probe and remove, but for what is said above.
 */
struct roc_irqs {
	void __iomem *block;
	u32 causes;
	unsigned int max_vectors;
	bool msix;
	int count;
	struct roc_vector *vector;
	__le32 *notice;
	dma_addr_t notice_bus;
	bool programmed;
	bool alarms;
	struct work_struct work;
};

void roc_irqs_clear_vectors(struct roc_channel *ch);
int roc_irqs_alloc(struct roc_endpoint *ep);
void roc_irqs_start(struct roc_endpoint *ep);
void roc_irqs_requeue(struct roc_endpoint *ep);
void roc_irqs_mask(struct roc_endpoint *ep);
void roc_irqs_stop(struct roc_endpoint *ep);
void roc_irqs_free(struct roc_endpoint *ep);
void roc_irqs_enable(struct roc_endpoint *ep);

#endif /* ROC_IRQ_H */
