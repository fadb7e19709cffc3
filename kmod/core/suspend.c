// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend and hibernation. All runs end with a failure reason, so that the machine can suspend.
 *
 * A scratch register shows whether the card kept its state: the driver writes it before the suspend
 * and reads it back afterwards. The register keeps what is written, has no effect without bus
 * mastering, and is cleared by a power loss. The PCI core restores the configuration space before a
 * driver runs, so that space is no evidence. If the value does not read back, or another kernel may
 * have written it, the state is considered lost.
 */
#include <linux/pci.h>

#include "core/contract_regs.h"
#include "core/run.h"

#define ROC_SCRATCH_TRIES 3
#define ROC_SCRATCH_VALUE 0xa5 /* fits registers with at least eight bits */

/*
 * Scratch register of the card, and the value to write. With a function block it is ENABLE: without
 * vector and notice the enabled causes have no effect. Otherwise it is a register of the card; if
 * that holds a bus address, the value is the address of the endpoint's memory.
 */
static void __iomem *roc_scratch(struct roc_endpoint *ep, u32 *value)
{
	const struct roc_register *scratch = ep->ops->scratch;

	if (ep->irqs.block) {
		*value = ep->irqs.causes;
		return ep->irqs.block + FUNCTION_ENABLE;
	}
	*value = ep->ops->host_memory ? lower_32_bits(ep->memory_bus) : ROC_SCRATCH_VALUE;
	return scratch ? ep->bar[scratch->bar] + scratch->offset : NULL;
}

static void roc_scratch_set(struct roc_endpoint *ep)
{
	unsigned int tries = ROC_SCRATCH_TRIES;
	void __iomem *scratch;
	u32 value;

	scratch = roc_scratch(ep, &value);
	if (!scratch)
		return;
	roc_serial_lock(ep);
	ep->scratch = ioread32(scratch);
	/* A C-RORC may lose a write. */
	do
		iowrite32(value, scratch);
	while (ioread32(scratch) != value && --tries);
	roc_serial_unlock(ep);
}

/*
 * Restore the register only if it reads back what was written. Otherwise the offset may now belong
 * to another register.
 */
static bool roc_scratch_kept(struct roc_endpoint *ep)
{
	void __iomem *scratch;
	bool kept;
	u32 value;

	scratch = roc_scratch(ep, &value);
	if (!scratch || !value)
		return false;
	roc_serial_lock(ep);
	kept = ioread32(scratch) == value;
	if (kept)
		iowrite32(ep->scratch, scratch);
	roc_serial_unlock(ep);
	return kept;
}

/*
 * End all runs. Until roc_endpoint_resume(), bus mastering and interrupts stay off, and starts are
 * refused.
 */
void roc_endpoint_suspend(struct roc_endpoint *ep)
{
	struct roc_channel *ch;

	/* A start that has enabled bus mastering is ended below; a later one cannot enable it. */
	mutex_lock(&ep->card->lock);
	ep->suspended = true;
	mutex_unlock(&ep->card->lock);
	roc_point(ep, ROC_POINT_SUSPEND);
	for_each_roc_channel(ch, ep) {
		mutex_lock(&ch->lock);
		if (ch->state == ROC_CH_RUNNING) {
			roc_run_suspend(ch->open);
			roc_ch_log(warn, ch, "run ended because the machine is being suspended\n");
		}
		mutex_unlock(&ch->lock);
	}
	/* The function of an endpoint that is shut may not decode its registers. */
	if (READ_ONCE(ep->epoch))
		roc_irqs_mask(ep);
	roc_bus_master_disable_function(ep);
	if (READ_ONCE(ep->epoch))
		roc_scratch_set(ep);
}

/*
 * Return: false if the card has lost its state, or may have. @scratch_valid: no other kernel can
 *	have written the scratch register.
 */
bool roc_endpoint_resume(struct roc_endpoint *ep, bool scratch_valid)
{
	mutex_lock(&ep->card->lock);
	ep->suspended = false;
	mutex_unlock(&ep->card->lock);
	/* Without an epoch no open file could continue. */
	if (!READ_ONCE(ep->epoch) || (scratch_valid && roc_answers(ep) && roc_scratch_kept(ep)))
		return true;
	roc_ep_log(
		warn, ep,
		"the card lost its state while the machine was suspended: configure it, and open its channels again\n");
	return false;
}
