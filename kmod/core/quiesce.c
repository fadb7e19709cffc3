// SPDX-License-Identifier: GPL-2.0-only
/*
 * Quiesce channels and verify that they are quiesced.
 *
 * A channel is *unquiesced* from probe on, until the driver has verified in this binding that the
 * card does not write for it: an earlier owner may have left it running. It becomes unquiesced
 * again when a run ends and the verification fails. Memory that an unquiesced channel could write
 * to is freed only while bus mastering is verified to be off.
 */
#include <linux/mm.h>
#include <linux/pci.h>

#include "core/roc.h"

static void roc_set_quiesced(struct roc_channel *ch)
{
	roc_bus_master_release(ch);
	ch->dma_configured = false;
}

/* Stop the channel, and verify that it has stopped. */
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
		roc_ch_log(dbg, ch, "failed to quiesce: %d\n", err);
	return err;
}

/*
 * Quiesce the channel after a run or a failed start. It is quiesced if the card reports so and
 * its counters confirm it, or if bus mastering is off. If neither can be achieved, the pages must
 * not go back to the system, so further frees are deferred. The channel is open, and its interrupt
 * handler wakes no waiter any more.
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
		   "failed to stop the card, memory stays pinned until it stops\n");
}

/*
 * Try again to verify that a channel which does not run is quiesced, because the card may answer
 * now. If that succeeds, or if bus mastering is verified to be off, free what was deferred.
 * @present: the card may be accessed. Return: whether the channel is quiesced.
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
 * STOP of an open channel that does not run. After a run that ended by itself, or whose STOP
 * failed, the card may still write: try to quiesce it again. Return: -EIO if it may still write,
 * else -EALREADY.
 */
int roc_stop_not_running(struct roc_channel *ch)
{
	lockdep_assert_held(&ch->lock);
	if (ch->open->defer_free)
		roc_requiesce(ch, true);
	return ch->open->defer_free ? -EIO : -EALREADY;
}

/* A function reset cleared all state of the channel. */
static void roc_channel_was_reset(struct roc_channel *ch)
{
	if (ch->ep->ops->after_reset)
		ch->ep->ops->after_reset(ch);
	roc_set_quiesced(ch);
	roc_requiesce(ch, true);
}

/* Context: no channel lock held. */
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
 * Reset the function, the last resort for a channel that cannot be quiesced.
 *
 * Bus mastering is off, no channel runs, and the device is locked. At probe the lock is held by the
 * thread that waits for the PCI core's probe work, so it cannot be asserted. Nothing accesses the
 * registers: the endpoint is not open yet, it is shut, or roc_reset_idle() excludes accesses. The
 * reset takes up to a minute if the card does not come back. The card lock is not held meanwhile,
 * because the other endpoint of the card needs it.
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
	/*
	 * The reset disabled the function's interrupt: a start must not rely on alarms by interrupt
	 * before roc_irqs_enable().
	 */
	if (!err)
		ep->irqs.programmed = false;
	mutex_unlock(&ep->card->lock);
	/* Restoring a saved state invalidates it, and the next error recovery needs one. */
	pci_save_state(ep->pdev);
	roc_ep_log(warn_ratelimited, ep,
		   "failed to quiesce a channel, function reset returned %d\n", err);
	return err;
}

/* Take the locks of all channels of the function. Return: -EINTR, and then none is held. */
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

/* May a start reset the function? The result is reliable only with all channel locks held. */
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
 * With all channel locks held, no access is in progress under one of them; once @resetting is set,
 * roc_channel_lock() waits. A card that visibly ignored its reset is broken, so a start does not
 * reset the function for it.
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
 * Reset the function while users have no mapping of registers. Faults and accesses through the
 * driver wait, those under a channel lock without holding it, so a close does not wait. Device
 * locked.
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

/*
 * Reset an idle function for a start. Only try the device lock: a removal or another reset that
 * holds it waits for the SRCU read side of this caller.
 */
static int roc_reset_idle(struct roc_endpoint *ep)
{
	int err = -EIO;

	/*
	 * Check first without the locks: while a channel runs, a writer that waits for @registers
	 * would block all register accesses.
	 */
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
	/* roc_irqs_enable() schedules the alarm work, which only tries @registers. */
	downgrade_write(&ep->registers);
	if (!err)
		roc_irqs_enable(ep);
	up_read(&ep->registers);
	roc_irqs_requeue(ep);
	return err;
}

/*
 * Quiesce all channels before a start, because the driver does not enable bus mastering while one
 * channel of the function is unquiesced. No channel lock is held, because two concurrent starts
 * must not wait for each other. SRCU read side held.
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
