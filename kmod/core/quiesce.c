// SPDX-License-Identifier: GPL-2.0-only
/*
 * The proof that a channel is quiet.
 *
 * A channel is *suspect* from probe on, until its quiet is proved in this binding: somebody may
 * have left it running. It becomes suspect again when a run ends without proof. Memory that a
 * suspect channel could write to is given back only while the bus is off for certain.
 */
#include <linux/mm.h>
#include <linux/pci.h>

#include "core/roc.h"

static void roc_set_quiesced(struct roc_channel *ch)
{
	roc_bus_master_release(ch);
	ch->dma_configured = false;
}

/* Stop the channel, and have it say that it has stopped. */
static int roc_stop_verified(struct roc_channel *ch)
{
	int err = 0;

	if (ch->type->disable)
		err = ch->type->disable(ch);
	if (ch->ep->ops->quiesce)
		err = ch->ep->ops->quiesce(ch, true) ?: err;
	ch->reset_unobserved = err == -ENODATA;
	if (!err)
		roc_set_quiesced(ch);
	else
		roc_ch_log(dbg, ch, "not quiesced (%d)\n", err);
	return err;
}

/*
 * After a run, or a start that failed: the card writes no more, because it says so and its counters
 * prove it, or because it may not master the bus. If neither can be had the pages must not go back
 * to the system. The channel is open, and its interrupt wakes nobody any more.
 */
void roc_quiesce(struct roc_channel *ch, bool present)
{
	lockdep_assert_held(&ch->lock);
	roc_point(ch->ep, ROC_POINT_QUIESCE);
	if (present && !roc_stop_verified(ch))
		return;
	if (!present && ch->ep->ops->quiesce)
		ch->ep->ops->quiesce(ch, false);
	if (roc_bus_master_disable(ch))
		return;
	ch->open->defer_free = true;
	roc_ch_log(alert_ratelimited, ch,
		   "the card cannot be stopped; its memory stays until it can\n");
}

/*
 * A suspect channel may answer now: prove that it is quiet. With that, or while the bus is off for
 * certain, let go of what it could have written. Only while it does not run.
 * @present: the card may be touched. False: it is still suspect.
 */
bool roc_requiesce(struct roc_channel *ch, bool present)
{
	bool quiesced = !READ_ONCE(ch->unquiesced), off = quiesced || roc_bus_master_disable(ch);

	lockdep_assert_held(&ch->lock);
	if (!quiesced)
		quiesced = present && roc_alive(ch->ep) && !roc_stop_verified(ch);
	if (!quiesced && !off)
		return false;
	if (ch->open)
		ch->open->defer_free = false;
	roc_free_deferred(ch);
	return quiesced;
}

/*
 * For a STOP of a channel that does not run. A run that ended by itself, or whose STOP failed, may
 * have left a card that still writes: that is tried again, and said. @ch is open.
 */
int roc_stop_not_running(struct roc_channel *ch)
{
	lockdep_assert_held(&ch->lock);
	if (ch->open->defer_free)
		roc_requiesce(ch, true);
	return ch->open->defer_free ? -EIO : -EALREADY;
}

/* The function was reset: whatever was in the channel is gone. */
static void roc_channel_was_reset(struct roc_channel *ch)
{
	if (ch->ep->ops->after_reset)
		ch->ep->ops->after_reset(ch);
	roc_set_quiesced(ch);
	roc_requiesce(ch, true);
}

/* No channel lock held. */
void roc_quiesced_by_reset(struct roc_endpoint *ep)
{
	struct roc_channel *ch;

	for_each_roc_channel(ch, ep) {
		mutex_lock(&ch->lock);
		roc_channel_was_reset(ch);
		mutex_unlock(&ch->lock);
	}
}

/*
 * The last resort for a channel that does not prove that it is quiet. The bus is off, no channel
 * runs, and the device is locked: at probe by the thread that waits for the work in which the PCI
 * core probes, so it cannot be asserted. No access reaches the registers: the endpoint is not yet
 * open, it is shut, or see roc_reset_idle(). The reset takes up to a minute if the card does not
 * come back. The card's other endpoint needs the card's lock, so it is not held meanwhile.
 */
int roc_reset_function(struct roc_endpoint *ep)
{
	const struct roc_card_ops *ops = ep->ops;
	u32 carried[ROC_CARRIED_MAX];
	unsigned int i;
	int err;

	if (!pci_device_is_present(ep->pdev) || !roc_alive(ep))
		return -EIO;
	mutex_lock(&ep->card->lock);
	for (i = 0; i < ops->carried_count; i++)
		carried[i] = roc_read(ep, ops->carried[i].bar, ops->carried[i].offset);
	mutex_unlock(&ep->card->lock);
	pci_save_state(ep->pdev);
	err = __pci_reset_function_locked(ep->pdev);
	pci_restore_state(ep->pdev);
	pci_clear_master(ep->pdev);
	if (!err && !roc_alive(ep))
		err = -EIO;
	mutex_lock(&ep->card->lock);
	for (i = 0; !err && i < ops->carried_count; i++)
		roc_write(ep, ops->carried[i].bar, ops->carried[i].offset, carried[i]);
	/* Its interrupt is off: a start must not count on alarms before roc_irqs_enable(). */
	if (!err)
		ep->irqs.programmed = false;
	mutex_unlock(&ep->card->lock);
	/* The next error recovery wants a saved state, too: restoring one uses it up. */
	pci_save_state(ep->pdev);
	roc_ep_log(warn_ratelimited, ep, "reset the function to quiesce a channel (%d)\n", err);
	return err;
}

/* All channels of the function at once, or -EINTR and none. */
int roc_channels_lock(struct roc_endpoint *ep)
{
	unsigned int held;

	for (held = 0; held < ep->ops->channels; held++)
		if (mutex_lock_killable_nested(&ep->channels[held].lock, held))
			break;
	if (held == ep->ops->channels)
		return 0;
	while (held--)
		mutex_unlock(&ep->channels[held].lock);
	return -EINTR;
}

void roc_channels_unlock(struct roc_endpoint *ep)
{
	struct roc_channel *ch;

	for_each_roc_channel(ch, ep)
		mutex_unlock(&ch->lock);
}

/* All channels' locks held, or the answer may be out of date. */
static bool roc_resettable(struct roc_endpoint *ep)
{
	const struct roc_channel *ch;

	for_each_roc_channel(ch, ep) {
		if (READ_ONCE(ch->state) == ROC_CH_RUNNING ||
		    (READ_ONCE(ch->unquiesced) && !READ_ONCE(ch->reset_unobserved)))
			return false;
	}
	return true;
}

/*
 * With all channels' locks no access under one of them is on its way, and from now on
 * roc_channel_lock() waits. A card that was seen to ignore its reset is broken, and a start
 * does not reset it.
 */
static int roc_reset_begin(struct roc_endpoint *ep)
{
	int err = roc_channels_lock(ep);

	if (err)
		return err;
	if (!roc_resettable(ep))
		err = -EIO;
	WRITE_ONCE(ep->resetting, !err);
	roc_channels_unlock(ep);
	return err;
}

static void roc_reset_end(struct roc_endpoint *ep)
{
	WRITE_ONCE(ep->resetting, false);
	wake_up_all(&ep->reset_wait);
}

/*
 * Users' mappings are empty, and a fault waits; accesses through the driver wait, too, those under
 * a channel's lock without holding it: a close does not wait. The device is locked.
 */
static int roc_reset_closed(struct roc_endpoint *ep)
{
	int err = roc_reset_begin(ep);

	lockdep_assert_held_write(&ep->registers);
	if (err)
		return err;
	unmap_mapping_range(ep->inode->i_mapping, 0, ROC_REVOKED_END, 1);
	roc_point(ep, ROC_POINT_FUNC_RESET);
	err = roc_reset_function(ep);
	if (!err)
		roc_quiesced_by_reset(ep);
	roc_reset_end(ep);
	return err;
}

/* For a start. A removal or another reset that has the device waits for us, so it is only tried. */
static int roc_reset_idle(struct roc_endpoint *ep)
{
	int err = -EIO;

	/* Not beside another channel's run: all register accesses would wait for its lock. */
	if (!roc_resettable(ep))
		return -EIO;
	if (down_write_killable(&ep->registers)) {
		roc_irqs_requeue(ep);
		return -EINTR;
	}
	if (!roc_any_unquiesced(ep)) {
		up_write(&ep->registers);
		roc_irqs_requeue(ep);
		return 0;
	}
	if (pci_dev_trylock(ep->pdev)) {
		err = roc_reset_closed(ep);
		pci_dev_unlock(ep->pdev);
	}
	/* The alarm's work, which this sets going, only tries. */
	downgrade_write(&ep->registers);
	if (!err)
		roc_irqs_enable(ep);
	up_read(&ep->registers);
	roc_irqs_requeue(ep);
	return err;
}

/*
 * Before a start, for which no channel of the function may be suspect. No channel lock is held: two
 * that start at once must not wait for each other. SRCU read side held.
 */
int roc_requiesce_all(struct roc_endpoint *ep)
{
	struct roc_channel *ch;
	int err;

	for_each_roc_channel(ch, ep) {
		if (!READ_ONCE(ch->unquiesced))
			continue;
		roc_point(ep, ROC_POINT_REQUIESCE);
		err = roc_channel_lock(ch);
		if (err)
			return err;
		if (ch->state != ROC_CH_RUNNING)
			roc_requiesce(ch, true);
		mutex_unlock(&ch->lock);
	}
	return roc_any_unquiesced(ep) ? roc_reset_idle(ep) : 0;
}
