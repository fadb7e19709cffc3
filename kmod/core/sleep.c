// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend and hibernation. A run ends, with a reason, so that the machine can sleep.
 *
 * Whether a card kept its state shows in its mark: a register that keeps what is written, has no
 * effect on a card without the bus, and is cleared by a loss of power. The PCI core restores the
 * configuration space before a driver sees it, so that proves nothing. Without a mark that reads
 * back, or when another kernel may have set it, the state counts as lost.
 */
#include <linux/pci.h>

#include "core/contract_regs.h"
#include "core/run.h"

#define ROC_MARK_TRIES 3
#define ROC_MARK 0xa5 /* of a register of eight bits or more */

/*
 * The enabled causes of a function block: without vector and notice they have no effect. Else the
 * card's own register; one that is a bus address gets that of the endpoint's memory.
 */
static void __iomem *roc_mark(struct roc_endpoint *ep, u32 *value)
{
	const struct roc_register *mark = ep->ops->mark;

	if (ep->irqs.block) {
		*value = ep->irqs.causes;
		return ep->irqs.block + FUNCTION_ENABLE;
	}
	*value = ep->ops->host_memory ? lower_32_bits(ep->memory_bus) : ROC_MARK;
	return mark ? ep->bar[mark->bar] + mark->offset : NULL;
}

static void roc_mark_set(struct roc_endpoint *ep)
{
	unsigned int tries = ROC_MARK_TRIES;
	void __iomem *mark;
	u32 value;

	mark = roc_mark(ep, &value);
	if (!mark)
		return;
	roc_serial_lock(ep);
	ep->mark = ioread32(mark);
	/* A C-RORC may lose a write. */
	do
		iowrite32(value, mark);
	while (ioread32(mark) != value && --tries);
	roc_serial_unlock(ep);
}

/* A mark that is gone may be another register's place now: only one that is there is taken back. */
static bool roc_mark_kept(struct roc_endpoint *ep)
{
	void __iomem *mark;
	bool kept;
	u32 value;

	mark = roc_mark(ep, &value);
	if (!mark || !value)
		return false;
	roc_serial_lock(ep);
	kept = ioread32(mark) == value;
	if (kept)
		iowrite32(ep->mark, mark);
	roc_serial_unlock(ep);
	return kept;
}

/* End all runs. Bus and interrupts stay off, and starts are refused, until roc_wake(). */
void roc_sleep(struct roc_endpoint *ep)
{
	struct roc_channel *ch;

	/* A start that has the bus is ended below; one that comes later does not get it. */
	mutex_lock(&ep->card->lock);
	ep->asleep = true;
	mutex_unlock(&ep->card->lock);
	roc_point(ep, ROC_POINT_SLEEP);
	for_each_roc_channel(ch, ep) {
		mutex_lock(&ch->lock);
		if (ch->state == ROC_CH_RUNNING) {
			roc_run_suspend(ch->open);
			roc_ch_log(warn, ch, "run ended because the machine is being suspended\n");
		}
		mutex_unlock(&ch->lock);
	}
	/* A closed endpoint's function may not decode its registers. */
	if (READ_ONCE(ep->epoch))
		roc_irqs_hush(ep);
	roc_bus_off(ep);
	if (READ_ONCE(ep->epoch))
		roc_mark_set(ep);
}

/* False: the card has, or may have, lost its state. @mark: the mark can only be this kernel's. */
bool roc_wake(struct roc_endpoint *ep, bool mark)
{
	mutex_lock(&ep->card->lock);
	ep->asleep = false;
	mutex_unlock(&ep->card->lock);
	/* Without an epoch no file is open that could go on. */
	if (!READ_ONCE(ep->epoch) || (mark && roc_answers(ep) && roc_mark_kept(ep)))
		return true;
	roc_ep_log(
		warn, ep,
		"the card lost its state while the machine was suspended: configure it, and open its channels again\n");
	return false;
}
