// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts of an endpoint. The channel type handles those of a channel; a work item handles
 * errors and alarms of the function block.
 *
 * The driver requests one vector for the function and one for each purpose of each channel. It
 * works with fewer vectors, with MSI, and without interrupts, when channel types poll. A handler of
 * a shared vector reads no register, because channels and function report their causes in host
 * memory.
 */
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "core/contract_regs.h"
#include "core/roc.h"

static irqreturn_t roc_irq(int irq, void *data)
{
	const struct roc_vector *vector = data;
	struct roc_endpoint *ep = vector->ep;
	unsigned int c;

	for_each_set_bit(c, &vector->channels, ROC_CHANNELS_MAX) {
		struct roc_channel *ch = &ep->channels[c];

		ch->type->irq(ch, vector->purposes[c], vector->shared);
	}
	if (vector->function && READ_ONCE(*ep->irqs.notice))
		queue_work(system_freezable_wq, &ep->irqs.work);
	return IRQ_HANDLED;
}

/* The card reports an error of some channel; each channel type checks its channel. */
static void roc_irq_handle_channel_errors(struct roc_endpoint *ep)
{
	struct roc_channel *ch;

	for_each_roc_channel(ch, ep) {
		mutex_lock(&ch->lock);
		if (ch->open)
			ch->type->handle_error(ch->open);
		mutex_unlock(&ch->lock);
	}
}

static void roc_irq_work(struct work_struct *work)
{
	struct roc_endpoint *ep = container_of(work, struct roc_endpoint, irqs.work);
	u32 cause;
	int idx;

	if (!roc_enter(ep, READ_ONCE(ep->epoch), &idx))
		return;
	/* roc_reset_idle() queues this work again, or roc_irqs_enable() starts afresh. */
	if (!down_read_trylock(&ep->registers))
		goto out;
	/* Clear the causes before handling them: a later event sets them again. */
	roc_serial_lock(ep);
	cause = ioread32(ep->irqs.block + FUNCTION_CAUSE);
	if (cause != ROC_ALL_ONES)
		iowrite32(cause, ep->irqs.block + FUNCTION_CAUSE);
	/* Flush the write: a cause that stays set raises no further interrupt. */
	ioread32(ep->irqs.block + FUNCTION_ID);
	roc_serial_unlock(ep);
	if (cause == ROC_ALL_ONES)
		cause = 0;
	if (cause & (FUNCTION_CAUSE_TEMPERATURE | FUNCTION_CAUSE_CRITICAL))
		roc_monitor_check_now(ep);
	if (cause & (FUNCTION_CAUSE_FETCH | FUNCTION_CAUSE_STALL | FUNCTION_CAUSE_HOST))
		roc_irq_handle_channel_errors(ep);
	if (cause & FUNCTION_CAUSE_LINK)
		roc_link_uevent(ep);
	up_read(&ep->registers);
out:
	roc_leave(ep, idx);
}

/* Program the interrupt of the function block, and the bus address of its notice. */
static void roc_irq_program(struct roc_endpoint *ep)
{
	void __iomem *block = ep->irqs.block;

	roc_serial_lock(ep);
	iowrite32(lower_32_bits(ep->irqs.notice_bus), block + FUNCTION_NOTICE_LOW);
	iowrite32(upper_32_bits(ep->irqs.notice_bus), block + FUNCTION_NOTICE_HIGH);
	iowrite32(0, block + FUNCTION_VECTOR);
	iowrite32(ep->irqs.causes, block + FUNCTION_CAUSE);
	iowrite32(ep->irqs.causes, block + FUNCTION_ENABLE);
	ioread32(block + FUNCTION_ID);
	roc_serial_unlock(ep);
	ep->irqs.programmed = true;
}

static void roc_irq_mask(struct roc_endpoint *ep)
{
	void __iomem *block = ep->irqs.block;

	roc_serial_lock(ep);
	iowrite32(0, block + FUNCTION_ENABLE);
	iowrite32(FUNCTION_VECTOR_NONE, block + FUNCTION_VECTOR);
	iowrite32(0, block + FUNCTION_NOTICE_LOW);
	iowrite32(0, block + FUNCTION_NOTICE_HIGH);
	ioread32(block + FUNCTION_ID);
	roc_serial_unlock(ep);
}

void roc_irqs_clear_vectors(struct roc_channel *ch)
{
	memset32((u32 *)ch->vector, -1, ARRAY_SIZE(ch->vector));
}

/* Assign purposes to the @got vectors. Vector 0 is the function's; channels share the others. */
static void roc_irq_assign(struct roc_endpoint *ep, unsigned int got)
{
	unsigned int purposes = ep->ops->channel_type->purposes, i;

	ep->irqs.vector[0].function = true;
	for (i = 0; i < ep->ops->channels * purposes; i++) {
		unsigned int v = got == 1 ? 0 : 1 + i % (got - 1), c = i / purposes;
		struct roc_vector *vector = &ep->irqs.vector[v];

		vector->shared = vector->function || vector->channels;
		vector->channels |= BIT(c);
		vector->purposes[c] |= BIT(i % purposes);
		ep->channels[c].vector[i % purposes] = v;
	}
}

/* design.md documents the names, because scripts that set affinities match them. */
static void roc_irq_name(struct roc_vector *vector, unsigned int number)
{
	const struct roc_endpoint *ep = vector->ep;
	unsigned int c = vector->channels ? __ffs(vector->channels) : 0;
	const char *const *purpose = ep->ops->channel_type->purpose_names;

	if (vector->shared)
		snprintf(vector->name, sizeof(vector->name), "roc%d:shared%u", ep->minor, number);
	else if (vector->function)
		snprintf(vector->name, sizeof(vector->name), "roc%d:card", ep->minor);
	else if (purpose)
		snprintf(vector->name, sizeof(vector->name), "roc%d:ch%u-%s", ep->minor, c,
			 purpose[__ffs(vector->purposes[c])]);
	else
		snprintf(vector->name, sizeof(vector->name), "roc%d:ch%u", ep->minor, c);
}

static int roc_irq_request(struct roc_endpoint *ep, unsigned int number)
{
	struct roc_vector *vector = &ep->irqs.vector[number];
	int node = dev_to_node(&ep->pdev->dev);
	int err;

	vector->ep = ep;
	vector->irq = pci_irq_vector(ep->pdev, number);
	roc_irq_name(vector, number);
	err = request_irq(vector->irq, roc_irq, 0, vector->name, vector);
	if (err)
		return err;
	/* Only a hint: keep the interrupt near the card, where the channels' threads run. */
	if (node != NUMA_NO_NODE)
		irq_set_affinity_and_hint(vector->irq, cpumask_of_node(node));
	return 0;
}

static void roc_irq_free(struct roc_endpoint *ep, int count)
{
	struct roc_channel *ch;

	for_each_roc_channel(ch, ep)
		roc_irqs_clear_vectors(ch);
	while (count--) {
		struct roc_vector *vector = &ep->irqs.vector[count];

		irq_set_affinity_and_hint(vector->irq, NULL);
		free_irq(vector->irq, vector);
	}
	roc_point(ep, ROC_POINT_IRQS_FREE);
	pci_free_irq_vectors(ep->pdev);
	kfree(ep->irqs.vector);
	ep->irqs.vector = NULL;
	ep->irqs.count = 0;
}

void roc_irqs_free(struct roc_endpoint *ep)
{
	struct roc_irqs *irqs = &ep->irqs;

	roc_dma_free(ep, sizeof(*irqs->notice), irqs->notice, irqs->notice_bus);
	irqs->notice = NULL;
}

/* Allocate the host memory to which the card writes its causes. */
int roc_irqs_alloc(struct roc_endpoint *ep)
{
	struct roc_irqs *irqs = &ep->irqs;

	irqs->notice = dma_alloc_coherent(&ep->pdev->dev, sizeof(*irqs->notice), &irqs->notice_bus,
					  GFP_KERNEL);
	if (irqs->notice && roc_point_fails(ep, ROC_POINT_EVENT_NOTICE))
		roc_irqs_free(ep);
	return irqs->notice ? 0 : -ENOMEM;
}

/*
 * Allocate as many vectors as are available and the card can name in its registers; its MSI-X table
 * may be larger. Having none is no error.
 *
 * Called before a channel can be opened. Bus mastering is off: the address that an earlier kernel
 * programmed is cleared before the card may write again, with interrupts or without.
 */
void roc_irqs_start(struct roc_endpoint *ep)
{
	struct roc_irqs *irqs = &ep->irqs;
	unsigned int want = ep->ops->channels * ep->ops->channel_type->purposes + 1;
	int got, v;

	if (!irqs->block)
		return;
	INIT_WORK(&irqs->work, roc_irq_work);
	roc_irq_mask(ep);
	if (!irqs->max_vectors)
		goto none;
	got = pci_alloc_irq_vectors(ep->pdev, 1, min(want, irqs->max_vectors),
				    PCI_IRQ_MSI | (irqs->msix ? PCI_IRQ_MSIX : 0));
	if (got <= 0)
		goto none;
	irqs->vector = kcalloc(got, sizeof(*irqs->vector), GFP_KERNEL);
	if (!irqs->vector) {
		pci_free_irq_vectors(ep->pdev);
		goto none;
	}
	roc_irq_assign(ep, got);
	for (v = 0; v < got; v++) {
		if (roc_irq_request(ep, v)) {
			roc_irq_free(ep, v);
			goto none;
		}
	}
	irqs->count = got;
	roc_ep_log(info, ep, "using %d of %u interrupt vectors\n", got, want);
	return;

none:
	roc_ep_log(info, ep, "no interrupts, polling\n");
}

/*
 * Enable interrupts for errors and alarms, also while no channel runs, which requires bus
 * mastering. Called after roc_monitor_start(), and after a reset or resume.
 */
void roc_irqs_enable(struct roc_endpoint *ep)
{
	WRITE_ONCE(ep->irqs.alarms, false);
	if (!ep->irqs.count)
		return;
	roc_irq_program(ep);
	/*
	 * Other errors mean that a removal or a suspend disabled bus mastering first, which is
	 * expected.
	 */
	if (roc_bus_master_enable_function(ep) != -EIO)
		return;
	roc_ep_log(warn, ep,
		   "failed to enable alarm interrupts: a channel is not quiesced, polling\n");
	roc_monitor_check_now(ep); /* from now on by polling */
}

/*
 * Queue the work again after @registers was held for writing: meanwhile the work may have returned
 * without handling its causes.
 */
void roc_irqs_requeue(struct roc_endpoint *ep)
{
	if (ep->irqs.block && READ_ONCE(ep->irqs.programmed))
		queue_work(system_freezable_wq, &ep->irqs.work);
}

/* The function block raises no interrupt and writes no notice any more. Channels still do. */
void roc_irqs_mask(struct roc_endpoint *ep)
{
	struct roc_irqs *irqs = &ep->irqs;

	if (!irqs->block)
		return;
	mutex_lock(&ep->card->lock);
	irqs->programmed = false;
	mutex_unlock(&ep->card->lock);
	if (irqs->count && pci_device_is_present(ep->pdev))
		roc_irq_mask(ep);
}

/*
 * Free the vectors. Bus mastering is off: MSI without per-vector masking has its address cleared
 * before it is disabled, so an interrupt in between would be written to bus address 0.
 */
void roc_irqs_stop(struct roc_endpoint *ep)
{
	struct roc_irqs *irqs = &ep->irqs;

	if (!irqs->block)
		return;
	if (irqs->count)
		roc_irq_free(ep, irqs->count);
	cancel_work_sync(&irqs->work);
}
