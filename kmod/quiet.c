// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may write to memory: the bus, which a PCI function masters or does not, and the proof that a
 * channel is quiet.
 */
#include <linux/pci.h>

#include "roc.h"

/*
 * The bus. A PCI function either masters it or does not, whatever its channels want: so a channel
 * can be kept from writing this way only when no other channel of the endpoint needs it.
 */
static int roc_bus_clear_suspect(struct roc_channel *ch)
{
	int err = -EIO;

	if (!mutex_trylock(&ch->lock))
		return -EIO;
	if (roc_alive(ch->ep))
		err = ch->ep->ops->quiesce(ch, true);
	if (!err)
		ch->suspect = false;
	mutex_unlock(&ch->lock);
	return err;
}

/*
 * For the backend, when nothing of an earlier owner is left in the channel. A neighbour that is
 * quiet only because it has no bus would go on: it has to be stopped first.
 */
int roc_bus_give(struct roc_channel *ch)
{
	struct roc_endpoint *ep = ch->ep;
	unsigned int i;

	for (i = 0; i < ep->ops->channels; i++)
		if (&ep->channels[i] != ch && READ_ONCE(ep->channels[i].suspect) &&
		    roc_bus_clear_suspect(&ep->channels[i]))
			return -EIO;
	roc_point(ep, ROC_POINT_START_BUS);
	mutex_lock(&ep->card->lock);
	ch->bus = true;
	ch->suspect = false;
	pci_set_master(ep->pdev);
	mutex_unlock(&ep->card->lock);
	return 0;
}

/* The channel is quiet: it does not need the bus any more. */
void roc_bus_give_back(struct roc_channel *ch)
{
	mutex_lock(&ch->ep->card->lock);
	ch->bus = false;
	mutex_unlock(&ch->ep->card->lock);
}

static bool roc_bus_needed(struct roc_endpoint *ep)
{
	unsigned int i;

	for (i = 0; i < ep->ops->channels; i++)
		if (ep->channels[i].bus)
			return true;
	return false;
}

/* Take the bus from a channel. True if it is certain that it cannot write any more. */
bool roc_bus_take(struct roc_channel *ch)
{
	struct roc_endpoint *ep = ch->ep;
	u16 command;

	mutex_lock(&ep->card->lock);
	ch->bus = false;
	ch->suspect = true;
	if (!roc_bus_needed(ep))
		pci_clear_master(ep->pdev);
	/* This read also pushes out what the card had on the way. */
	pci_read_config_word(ep->pdev, PCI_COMMAND, &command);
	mutex_unlock(&ep->card->lock);
	if (command != 0xffff)
		return !(command & PCI_COMMAND_MASTER);
	/* It does not answer, and may come back as it was. Unless it has left its slot. */
	return ep->pdev->error_state == pci_channel_io_perm_failure;
}

/*
 * The card writes no more: because it says so and its counters prove it, or because it may not
 * master the bus. If neither can be had the pages must not go back to the system.
 */
void roc_make_quiet(struct roc_session *s, bool present)
{
	struct roc_endpoint *ep = s->ch->ep;
	int err = 0;

	roc_irqs_bind(s->ch, NULL);
	roc_point(ep, ROC_POINT_QUIESCE);
	if (present && s->ch->event.on)
		err = roc_event_disable(s->ch);
	s->ch->event.on = false;
	err = ep->ops->quiesce(s->ch, present) ?: err;
	if (present && !err) {
		roc_bus_give_back(s->ch);
		return;
	}
	if (roc_bus_take(s->ch))
		return;
	s->leak = true;
	dev_alert(&ep->pdev->dev,
		  "roc%dch%u: the card cannot be stopped; its buffers stay pinned until it can\n",
		  ep->minor, s->ch->number);
}

/*
 * A card that could not be stopped may answer again: then stop it, or take the bus from it, and
 * let go of what it could have written. Only while the channel does not run, channel lock held.
 * False: it still does not.
 */
bool roc_run_settle(struct roc_channel *ch)
{
	bool leak = ch->session && ch->session->leak;

	if (!ch->held && !leak)
		return true;
	if (!roc_bus_take(ch) && (!roc_alive(ch->ep) || ch->ep->ops->quiesce(ch, true)))
		return false;
	if (leak)
		ch->session->leak = false;
	roc_buffer_free_held(ch);
	return true;
}
