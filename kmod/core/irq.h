/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupts of an endpoint whose firmware has any: see irq.c.
 */
#ifndef ROC_IRQ_H
#define ROC_IRQ_H

#include <linux/types.h>
#include <linux/workqueue.h>

#define ROC_CHANNELS_MAX 7
/* Maximum number of interrupt purposes of a channel: data, completions, errors. */
#define ROC_PURPOSES_MAX 3

struct roc_channel;
struct roc_endpoint;

/* enough for "roc255:ch6-error" */
#define ROC_VECTOR_NAME 24

/**
 * struct roc_vector - an interrupt vector, and the context of its handler
 * @ep: endpoint that raises it
 * @irq: Linux interrupt number
 * @channels: mask of the channels that it serves
 * @purposes: mask of the purposes that it serves, for each channel
 * @function: the vector serves errors and alarms of the function
 * @shared: the vector serves more than one of these
 * @name: name in /proc/interrupts
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
 * struct roc_irqs - interrupts of an endpoint, and its function block; embedded in the endpoint
 * @block: registers of the function block, see contract_regs.h; set by the channel type's probe,
 *	NULL: the card has no interrupts
 * @causes: causes for which the card raises an interrupt; set with @block
 * @max_vectors: number of vectors that the card can name in its registers; set with @block
 * @msix: MSI-X may be used, because users cannot write its table; see block.c
 * @count: number of vectors that the driver has requested
 * @vector: the vectors; vector 0 is the function's
 * @notice: causes as the card writes them to host memory
 * @notice_bus: bus address of @notice
 * @programmed: the function block is programmed to raise interrupts; written under card->lock, or
 *	while nothing else can access it
 * @alarms: the card raises an interrupt for alarms: it is programmed, and bus mastering is on
 * @work: handles the causes
 *
 * Written at probe and remove, except where stated.
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
