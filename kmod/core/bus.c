// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bus, which a PCI function masters or does not: who of a function's channels has it. As long
 * as one of them is suspect (quiet.c) the function does not get it, because then all of them would
 * have it.
 */
#include <linux/pci.h>

#include "core/roc.h"

static bool roc_bus_needed(struct roc_endpoint *ep)
{
	unsigned int i;

	for (i = 0; i < ep->ops->channels; i++)
		if (ep->channels[i].bus)
			return true;
	return false;
}

/* Is there a channel of which nobody knows whether it is quiet? */
bool roc_suspects(struct roc_endpoint *ep)
{
	unsigned int i;

	for (i = 0; i < ep->ops->channels; i++)
		if (READ_ONCE(ep->channels[i].suspect))
			return true;
	return false;
}

/* Card lock held: a removal clears the bit under it, after it took the epoch away. */
static int roc_bus_on(struct roc_endpoint *ep)
{
	if (!READ_ONCE(ep->epoch))
		return -ENODEV;
	if (ep->asleep)
		return -EAGAIN;
	if (roc_suspects(ep))
		return -EIO;
	pci_set_master(ep->pdev);
	roc_monitor_alarms(ep, true);
	return 0;
}

/* Card lock held. */
static void roc_bus_set(struct roc_channel *ch, bool bus)
{
	struct roc_card *card = ch->ep->card;

	lockdep_assert_held(&card->lock);
	if (bus && !ch->bus)
		WRITE_ONCE(card->masters, card->masters + 1);
	else if (!bus && ch->bus)
		WRITE_ONCE(card->masters, card->masters - 1);
	ch->bus = bus;
}

/* For the backend, when nothing of an earlier owner is left in the channel. */
int roc_bus_give(struct roc_channel *ch)
{
	int err;

	roc_point(ch->ep, ROC_POINT_START_BUS);
	mutex_lock(&ch->ep->card->lock);
	err = roc_bus_on(ch->ep);
	roc_bus_set(ch, !err);
	mutex_unlock(&ch->ep->card->lock);
	return err;
}

/* For the function's own interrupts. */
int roc_bus_give_function(struct roc_endpoint *ep)
{
	int err;

	mutex_lock(&ep->card->lock);
	err = roc_bus_on(ep);
	mutex_unlock(&ep->card->lock);
	return err;
}

/* From the whole function, whatever its channels want: the hardware goes. */
void roc_bus_off(struct roc_endpoint *ep)
{
	mutex_lock(&ep->card->lock);
	pci_clear_master(ep->pdev);
	mutex_unlock(&ep->card->lock);
}

/*
 * Is it certain that the function cannot write any more? This read also pushes out what it had on
 * the way.
 */
bool roc_bus_is_off(struct pci_dev *pdev)
{
	u16 command;

	pci_read_config_word(pdev, PCI_COMMAND, &command);
	if (command != 0xffff)
		return !(command & PCI_COMMAND_MASTER);
	/* It does not answer, and may come back as it was. Unless it has left its slot. */
	return pdev->error_state == pci_channel_io_perm_failure;
}

/*
 * Take the bus from a channel. A function either masters it or does not: so this can be done only
 * when no other channel needs it. True if it is certain that the channel cannot write any more.
 */
bool roc_bus_take(struct roc_channel *ch)
{
	struct roc_endpoint *ep = ch->ep;
	bool off;

	mutex_lock(&ep->card->lock);
	roc_bus_set(ch, false);
	WRITE_ONCE(ch->suspect, true);
	if (!roc_bus_needed(ep)) {
		pci_clear_master(ep->pdev);
		roc_monitor_alarms(ep, false);
	}
	off = roc_bus_is_off(ep->pdev);
	mutex_unlock(&ep->card->lock);
	return off;
}

/* The channel is quiet: it does not need the bus any more. */
void roc_bus_leave(struct roc_channel *ch)
{
	mutex_lock(&ch->ep->card->lock);
	roc_bus_set(ch, false);
	WRITE_ONCE(ch->suspect, false);
	mutex_unlock(&ch->ep->card->lock);
}
