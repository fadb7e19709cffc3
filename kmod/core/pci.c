// SPDX-License-Identifier: GPL-2.0-only
/*
 * PCI driver: probe and remove, function reset and error recovery, suspend.
 *
 * Order of a removal (steps 1 to 6 are also the first half of a function reset):
 *  1. clear the epoch: new calls return -ENODEV
 *  2. disable bus mastering: the card cannot write
 *  3. wake all waiters
 *  4. wait for all SRCU read sides
 *  5. zap the BAR mappings
 *  6. retire open channels: stop the card if it still answers, unmap, unpin; revoke the exports
 *  7. free the interrupts
 *  8. unmap the BARs, release the regions
 *  9. remove the nodes
 * 10. drop the reference
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "core/memory.h"
#include "core/run.h"

static void roc_unmap_bars(struct roc_endpoint *ep)
{
	int i;

	for (i = 0; i < ROC_BARS; i++) {
		if (ep->bar[i])
			pci_iounmap(ep->pdev, ep->bar[i]);
		ep->bar[i] = NULL;
	}
}

static int roc_map_bars(struct roc_endpoint *ep)
{
	struct pci_dev *pdev = ep->pdev;
	int i;

	for (i = 0; i < ROC_BARS; i++) {
		if (!ep->ops->bar_size[i])
			continue;
		ep->bar[i] = pci_iomap(pdev, i, 0);
		if (!ep->bar[i])
			return -ENOMEM;
		ep->bar_start[i] = pci_resource_start(pdev, i);
		ep->bar_length[i] = pci_resource_len(pdev, i);
	}
	return 0;
}

/*
 * Disable relaxed ordering and no-snoop, so that writes of the card become visible in order. A
 * completion must not be visible before its data, and a channel type may poll the data themselves.
 * The PCI core preserves this over a reset.
 */
static void roc_order_writes(struct roc_endpoint *ep)
{
	const u16 bits = PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN;
	u16 control = 0;

	pcie_capability_clear_word(ep->pdev, PCI_EXP_DEVCTL, bits);
	pcie_capability_read_word(ep->pdev, PCI_EXP_DEVCTL, &control);
	ep->ordered = !(control & bits);
	if (!ep->ordered)
		dev_warn(&ep->pdev->dev, "failed to disable relaxed ordering and no-snoop\n");
}

/*
 * The IOMMU layer splits mappings at the segment limits of the device, and the default is 64 KiB.
 * These cards accept any 64-bit address, and lengths far above a superpage.
 */
static int roc_setup_dma(struct roc_endpoint *ep)
{
	struct device *dev = &ep->pdev->dev;
	int err;

	err = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(ep->ops->dma_bits));
	if (err)
		return err;
	dma_set_max_seg_size(dev, UINT_MAX);
	dma_set_seg_boundary(dev, ULONG_MAX);
	ep->translated = roc_translated(dev);
	if (!ep->ops->host_memory)
		return 0;
	ep->memory = dma_alloc_coherent(dev, ep->ops->host_memory, &ep->memory_bus, GFP_KERNEL);
	return ep->memory ? 0 : -ENOMEM;
}

static void roc_free_memory(struct roc_endpoint *ep)
{
	roc_dma_free(ep, ep->ops->host_memory, ep->memory, ep->memory_bus);
	ep->memory = NULL;
}

/* Stop channels that an earlier owner left running, before they can be opened. */
static void roc_stop_channels_at_probe(struct roc_endpoint *ep, bool master)
{
	struct roc_channel *ch;

	for_each_roc_channel(ch, ep) {
		mutex_lock(&ch->lock);
		ch->dma_configured = master || ep->ops->left_running(ch);
		roc_requiesce(ch, true);
		mutex_unlock(&ch->lock);
	}
	if (roc_any_unquiesced(ep) && !roc_reset_function(ep))
		roc_quiesced_by_reset(ep);
}

static void roc_remove_channel_type(struct roc_endpoint *ep)
{
	struct roc_channel *ch;

	if (ep->ops->channel_type->remove)
		ep->ops->channel_type->remove(ep);
	for_each_roc_channel(ch, ep)
		ch->block = NULL;
	ep->irqs.block = NULL;
	roc_irqs_free(ep);
}

/* Steps 1 to 6 above, until @cause ends. @present: the card may still answer. */
static void roc_shut(struct roc_endpoint *ep, enum roc_shut_cause cause, bool present)
{
	struct roc_channel *ch;

	device_lock_assert(&ep->pdev->dev);
	ep->shut |= cause;
	WRITE_ONCE(ep->reachable, present);
	WRITE_ONCE(ep->epoch, 0);
	roc_point(ep, ROC_POINT_SHUT_EPOCH);
	roc_bus_master_disable_function(ep);
	for_each_roc_channel(ch, ep) {
		mutex_lock(&ch->lock);
		if (ch->open) {
			roc_run_gone(ch->open);
			roc_open_wake(ch->open);
		}
		mutex_unlock(&ch->lock);
	}
	wake_up_all(&ep->gone_wait);
	wake_up_all(&ep->card->lock_wait);
	synchronize_srcu(&ep->srcu);
	unmap_mapping_range(ep->inode->i_mapping, 0, ROC_REVOKED_END, 1);
	roc_point(ep, ROC_POINT_SHUT_RETIRE);
	present = roc_reachable(ep);
	for_each_roc_channel(ch, ep) {
		mutex_lock(&ch->lock);
		if (ch->open)
			roc_open_retire(ch->open, present);
		roc_requiesce(ch, present);
		roc_set_state(ch, ROC_CH_GONE, ROC_REASON_NONE);
		mutex_unlock(&ch->lock);
	}
	roc_exports_revoke(ep);
}

/*
 * Deferred frees can no longer be done: leak the pages rather than risk DMA into freed memory. In
 * that case, and unless bus mastering is verified to be off, keep the coherent memory of the
 * driver, too: only disabled bus mastering stops the writes of the function itself.
 */
static void roc_abandon_all_deferred(struct roc_endpoint *ep)
{
	struct roc_channel *ch;

	ep->keep_dma = !roc_bus_master_is_off(ep->pdev);
	for_each_roc_channel(ch, ep) {
		if (!roc_abandon_deferred(ch))
			continue;
		roc_ch_log(alert, ch,
			   "failed to stop the card, buffers stay pinned until reboot\n");
		ep->keep_dma = true;
	}
}

/* Free the deferred memory of an endpoint that is shut, or abandon it. */
static void roc_release_deferred(struct roc_endpoint *ep)
{
	if (roc_any_unquiesced(ep) && !roc_reset_function(ep))
		roc_quiesced_by_reset(ep);
	roc_abandon_all_deferred(ep);
}

static int roc_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	const struct roc_card_ops *ops = (const struct roc_card_ops *)id->driver_data;
	struct roc_endpoint *ep;
	bool foreign = false;
	u16 command;
	int err;

	/* driver_override bound the driver to a device that is no supported card. */
	if (!ops)
		return -ENODEV;
	err = roc_check_bars(pdev, ops);
	if (err)
		return err;
	ep = roc_endpoint_alloc(pdev, ops);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	pci_read_config_word(pdev, PCI_COMMAND, &command);
	err = pci_enable_device(pdev);
	if (err)
		goto err_put;
	err = pci_request_regions(pdev, "roc");
	if (err)
		goto err_disable;
	err = roc_map_bars(ep);
	if (err)
		goto err_unmap;
	err = roc_identity_check(ep);
	foreign = err == -ENODEV;
	if (err)
		goto err_unmap;
	/* A card that a crashed owner left running must not write while its state is checked. */
	pci_clear_master(pdev);
	roc_kept_release(pdev);
	roc_order_writes(ep);
	err = roc_setup_dma(ep);
	if (err)
		goto err_unmap;
	err = ops->identify(ep);
	if (err) {
		dev_err(&pdev->dev, "failed to identify the card: %d\n", err);
		goto err_memory;
	}
	err = roc_card_get(ep);
	if (err)
		goto err_memory;
	err = ops->channel_type->probe ? ops->channel_type->probe(ep) : 0;
	if (!err && ep->irqs.block)
		err = roc_irqs_alloc(ep);
	if (err)
		goto err_kind;
	roc_monitor_init(ep);
	pci_set_drvdata(pdev, ep);
	WRITE_ONCE(ep->reachable, true);
	roc_stop_channels_at_probe(ep, command & PCI_COMMAND_MASTER);
	pci_save_state(pdev);
	ep->last_epoch = 1;
	/* Pairs with roc_enter(): everything that was set up before is visible. */
	smp_store_release(&ep->epoch, 1);
	roc_irqs_start(ep);
	err = roc_endpoint_publish(ep);
	if (err)
		goto err_irqs;
	roc_monitor_start(ep);
	roc_irqs_enable(ep);
	dev_info(&pdev->dev, "roc%d: %s serial %d endpoint %d firmware %s%s\n", ep->minor,
		 ops->name, ep->serial, ep->number, ep->firmware, ep->translated ? ", IOMMU" : "");
	return 0;

err_irqs:
	/* A node existed for a moment, and may have been opened. */
	roc_shut(ep, ROC_SHUT_END, true);
	roc_irqs_stop(ep);
	roc_monitor_stop(ep);
	roc_release_deferred(ep);
err_kind:
	roc_remove_channel_type(ep);
	roc_card_put(ep);
err_memory:
	roc_free_memory(ep);
	roc_kept_report(ep);
err_unmap:
	roc_unmap_bars(ep);
	pci_release_regions(pdev);
err_disable:
	pci_disable_device(pdev);
	/*
	 * pci_disable_device() disables bus mastering. On a foreign design a program without a
	 * driver may have enabled it, so restore it.
	 */
	if (foreign && command & PCI_COMMAND_MASTER)
		pci_write_config_word(pdev, PCI_COMMAND, command);
err_put:
	roc_endpoint_put(ep);
	return err;
}

/* Admit new opens after @cause has ended, if no other cause remains. The card answers. */
static void roc_reopen(struct roc_endpoint *ep, enum roc_shut_cause cause)
{
	struct roc_channel *ch;

	device_lock_assert(&ep->pdev->dev);
	ep->shut &= ~cause;
	if (ep->shut & ROC_SHUT_ERROR)
		roc_ep_log(warn, ep,
			   "shut until error recovery ends; if it failed, rebind the driver\n");
	if (ep->shut)
		return;
	for_each_roc_channel(ch, ep) {
		mutex_lock(&ch->lock);
		roc_set_state(ch, ROC_CH_STOPPED, ROC_REASON_NONE);
		mutex_unlock(&ch->lock);
	}
	WRITE_ONCE(ep->reachable, true);
	/* Pairs with roc_enter(): a file of this epoch finds the channels as set above. */
	smp_store_release(&ep->epoch, ++ep->last_epoch);
	roc_irqs_enable(ep);
}

/* Stop all writes, interrupts and polling for good. */
static void roc_shut_final(struct roc_endpoint *ep)
{
	roc_shut(ep, ROC_SHUT_END, true);
	roc_irqs_mask(ep); /* a concurrent start may have enabled them again */
	roc_irqs_stop(ep); /* before the monitor, because an alarm interrupt queues its work */
	roc_monitor_stop(ep);
}

static void roc_pci_remove(struct pci_dev *pdev)
{
	struct roc_endpoint *ep = pci_get_drvdata(pdev);

	roc_shut_final(ep);
	roc_release_deferred(ep);
	roc_remove_channel_type(ep);
	roc_card_put(ep);
	roc_point(ep, ROC_POINT_REMOVE_BARS);
	roc_free_memory(ep);
	roc_kept_report(ep);
	roc_unmap_bars(ep);
	pci_release_regions(pdev);
	pci_disable_device(pdev);
	roc_endpoint_unpublish(ep);
	roc_endpoint_put(ep);
}

static void roc_reset_prepare(struct pci_dev *pdev)
{
	roc_shut(pci_get_drvdata(pdev), ROC_SHUT_RESET, true);
}

static void roc_reset_done(struct pci_dev *pdev)
{
	struct roc_endpoint *ep = pci_get_drvdata(pdev);

	if (!roc_answers(ep)) {
		ep->shut &= ~ROC_SHUT_RESET;
		return;
	}
	/* Restoring a saved state invalidates it, and the next error recovery needs one. */
	pci_save_state(pdev);
	/*
	 * The PCI core does not report whether the reset took place. If a channel is unquiesced,
	 * reset again.
	 */
	if (!roc_any_unquiesced(ep) || !roc_reset_function(ep))
		roc_quiesced_by_reset(ep);
	roc_reopen(ep, ROC_SHUT_RESET);
}

static pci_ers_result_t roc_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct roc_endpoint *ep = pci_get_drvdata(pdev);

	/* An earlier recovery that has not ended has failed: the PCI core does not report that. */
	ep->shut &= ~ROC_SHUT_ERROR;
	if (state == pci_channel_io_normal)
		return PCI_ERS_RESULT_CAN_RECOVER;
	roc_shut(ep, ROC_SHUT_ERROR, false);
	if (state == pci_channel_io_perm_failure) {
		ep->shut &= ~ROC_SHUT_ERROR;
		return PCI_ERS_RESULT_DISCONNECT;
	}
	return PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t roc_slot_reset(struct pci_dev *pdev)
{
	struct roc_endpoint *ep = pci_get_drvdata(pdev);
	bool frozen = ep->shut & ROC_SHUT_ERROR;

	pci_restore_state(pdev);
	pci_clear_master(pdev);
	/*
	 * If the channel was not frozen, the driver of another function below the port requested
	 * the reset, and runs end here. Kernels before 6.18 call this without a reset, so it
	 * verifies nothing. Do not reset the function here: the PCI core holds pci_bus_sem for
	 * reading, and a bus reset takes it again, which deadlocks if a writer waits in between. A
	 * channel that cannot be verified otherwise stays unquiesced until the next start.
	 */
	if (!frozen)
		roc_shut(ep, ROC_SHUT_ERROR, true);
	if (!roc_answers(ep)) {
		ep->shut &= ~ROC_SHUT_ERROR;
		return PCI_ERS_RESULT_DISCONNECT;
	}
	/* Restoring a saved state invalidates it, and the next reset needs one. */
	pci_save_state(pdev);
	if (frozen)
		roc_quiesced_by_reset(ep);
	return PCI_ERS_RESULT_RECOVERED;
}

static void roc_error_resume(struct pci_dev *pdev)
{
	struct roc_endpoint *ep = pci_get_drvdata(pdev);

	/* Do not reopen what a reset or a shutdown has shut. */
	if (!(ep->shut & ROC_SHUT_ERROR))
		return;
	if (roc_answers(ep))
		roc_reopen(ep, ROC_SHUT_ERROR);
	else
		ep->shut &= ~ROC_SHUT_ERROR;
}

static const struct pci_error_handlers roc_error_handlers = {
	.error_detected = roc_error_detected,
	.slot_reset = roc_slot_reset,
	.resume = roc_error_resume,
	.reset_prepare = roc_reset_prepare,
	.reset_done = roc_reset_done,
};

static int roc_suspend(struct device *dev)
{
	roc_endpoint_suspend(dev_get_drvdata(dev));
	return 0;
}

/* A card that lost its state is treated as after a reset: open files fail, later opens work. */
static int roc_pm_wake(struct roc_endpoint *ep, bool scratch_valid)
{
	bool kept = roc_endpoint_resume(ep, scratch_valid);

	if (!READ_ONCE(ep->epoch))
		return 0;
	if (!kept) {
		roc_reset_prepare(ep->pdev);
		roc_reset_done(ep->pdev);
		return 0;
	}
	pci_save_state(ep->pdev);
	roc_irqs_enable(ep);
	return 0;
}

static int roc_resume(struct device *dev)
{
	return roc_pm_wake(dev_get_drvdata(dev), true);
}

/* From an image: the kernel that loaded the image may have written the scratch register. */
static int roc_restore(struct device *dev)
{
	return roc_pm_wake(dev_get_drvdata(dev), false);
}

static const struct dev_pm_ops roc_pm_ops = {
	.suspend = pm_sleep_ptr(roc_suspend),
	.resume = pm_sleep_ptr(roc_resume),
	.freeze = pm_sleep_ptr(roc_suspend),
	.thaw = pm_sleep_ptr(roc_resume),
	.poweroff = pm_sleep_ptr(roc_suspend),
	.restore = pm_sleep_ptr(roc_restore),
};

/* The next kernel may reuse memory to which the card writes. */
static void roc_pci_shutdown(struct pci_dev *pdev)
{
	roc_shut_final(pci_get_drvdata(pdev));
}

static struct pci_driver roc_pci_driver = {
	.name = "roc",
	.id_table = roc_ids,
	.probe = roc_pci_probe,
	.remove = roc_pci_remove,
	.shutdown = roc_pci_shutdown,
	.err_handler = &roc_error_handlers,
	.driver.pm = pm_sleep_ptr(&roc_pm_ops),
};

static int __init roc_init(void)
{
	int err;

	err = roc_chardev_init();
	if (err)
		return err;
	err = roc_kept_init();
	if (err)
		goto err_chardev;
	roc_points_init();
	err = pci_register_driver(&roc_pci_driver);
	if (err)
		goto err_points;
	return 0;

err_points:
	roc_points_exit();
	roc_kept_exit();
err_chardev:
	roc_chardev_exit();
	return err;
}

static void __exit roc_exit(void)
{
	pci_unregister_driver(&roc_pci_driver);
	roc_points_exit();
	roc_kept_exit();
	roc_chardev_exit();
}

module_init(roc_init);
module_exit(roc_exit);

MODULE_AUTHOR("roc developers");
MODULE_DESCRIPTION("PCIe readout cards of physics experiments");
MODULE_LICENSE("GPL");
MODULE_VERSION(ROC_VERSION);
