// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bus mastering of a function, deferred frees, and coherent memory that outlives the driver.
 *
 * Bus mastering is a setting of the function, but channels need it independently: the driver counts
 * the channels that need it. While one channel is unquiesced (quiesce.c), the driver does not
 * enable bus mastering, because that channel could write, too.
 *
 * Deferred frees: memory of a channel whose free waits until the channel is quiesced. See struct
 * roc_deferred_free.
 *
 * Kept memory: coherent memory of the driver (rings, notices, completion blocks) of a function that
 * was unbound while it did not answer, so that bus mastering could not be verified to be off. The
 * driver frees it when bus mastering is found to be off, which any reset achieves. It also frees it
 * when the function is removed, if the function cannot write then: it has left its slot, or an
 * IOMMU translated its writes. The PCI core does not report the reset of a function without a
 * driver. So a work item reads the command register while there is memory to free.
 */
#include <linux/dma-mapping.h>
#include <linux/list.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "core/roc.h"

#define ROC_KEPT_PERIOD (5 * HZ)

/* One allocation. @pdev: a reference; the device may have been removed since. */
struct roc_kept {
	struct list_head node;
	struct pci_dev *pdev;
	bool translated;
	size_t size;
	void *memory;
	dma_addr_t bus;
};

static DEFINE_MUTEX(roc_kept_lock);
static LIST_HEAD(roc_kept);

static void roc_kept_scan(struct work_struct *work);
static DECLARE_DELAYED_WORK(roc_kept_work, roc_kept_scan);

static bool roc_bus_master_needed(struct roc_endpoint *ep)
{
	const struct roc_channel *ch;

	for_each_roc_channel(ch, ep)
		if (ch->bus_master)
			return true;
	return false;
}

/* Is there a channel that is not verified to be quiesced? */
bool roc_any_unquiesced(struct roc_endpoint *ep)
{
	const struct roc_channel *ch;

	for_each_roc_channel(ch, ep)
		if (READ_ONCE(ch->unquiesced))
			return true;
	return false;
}

/* Removal clears the bit under the card lock, after it has cleared the epoch. */
static int roc_bus_master_set(struct roc_endpoint *ep)
{
	lockdep_assert_held(&ep->card->lock);
	if (!READ_ONCE(ep->epoch))
		return -ENODEV;
	if (ep->suspended)
		return -EAGAIN;
	if (roc_any_unquiesced(ep))
		return -EIO;
	pci_set_master(ep->pdev);
	roc_monitor_alarms_by_irq(ep, true);
	return 0;
}

static void roc_bus_master_count(struct roc_channel *ch, bool master)
{
	struct roc_card *card = ch->ep->card;

	lockdep_assert_held(&card->lock);
	if (master && !ch->bus_master)
		WRITE_ONCE(card->bus_masters, card->bus_masters + 1);
	else if (!master && ch->bus_master)
		WRITE_ONCE(card->bus_masters, card->bus_masters - 1);
	ch->bus_master = master;
}

/* For the backend, when the channel has no setup of an earlier owner any more. */
int roc_bus_master_enable(struct roc_channel *ch)
{
	int err;

	roc_point(ch->ep, ROC_POINT_START_BUS);
	mutex_lock(&ch->ep->card->lock);
	err = roc_bus_master_set(ch->ep);
	roc_bus_master_count(ch, !err);
	mutex_unlock(&ch->ep->card->lock);
	if (err)
		roc_ch_log(dbg, ch, "failed to enable bus mastering: %d\n", err);
	return err;
}

/* For the interrupts of the function itself. */
int roc_bus_master_enable_function(struct roc_endpoint *ep)
{
	int err;

	mutex_lock(&ep->card->lock);
	err = roc_bus_master_set(ep);
	mutex_unlock(&ep->card->lock);
	return err;
}

/* For the whole function, whatever its channels need: the hardware goes away. */
void roc_bus_master_disable_function(struct roc_endpoint *ep)
{
	mutex_lock(&ep->card->lock);
	pci_clear_master(ep->pdev);
	mutex_unlock(&ep->card->lock);
}

/* Is bus mastering verified to be off? This read also flushes writes in flight. */
bool roc_bus_master_is_off(struct pci_dev *pdev)
{
	u16 command;

	pci_read_config_word(pdev, PCI_COMMAND, &command);
	if (command != 0xffff)
		return !(command & PCI_COMMAND_MASTER);
	/*
	 * The function does not answer. Unless it has left its slot, it may come back with the bit
	 * set.
	 */
	return pdev->error_state == pci_channel_io_perm_failure;
}

/*
 * The channel no longer needs bus mastering, but is not quiesced. Bus mastering is off only if no
 * other channel of the function needs it. Return: whether it is verified to be off.
 */
bool roc_bus_master_disable(struct roc_channel *ch)
{
	struct roc_endpoint *ep = ch->ep;
	bool off;

	mutex_lock(&ep->card->lock);
	roc_bus_master_count(ch, false);
	WRITE_ONCE(ch->unquiesced, true);
	if (!roc_bus_master_needed(ep)) {
		pci_clear_master(ep->pdev);
		roc_monitor_alarms_by_irq(ep, false);
	}
	off = roc_bus_master_is_off(ep->pdev);
	mutex_unlock(&ep->card->lock);
	return off;
}

/* The channel is quiesced, and no longer needs bus mastering. */
void roc_bus_master_release(struct roc_channel *ch)
{
	mutex_lock(&ch->ep->card->lock);
	roc_bus_master_count(ch, false);
	WRITE_ONCE(ch->unquiesced, false);
	mutex_unlock(&ch->ep->card->lock);
}

void roc_defer_free(struct roc_channel *ch, struct roc_deferred_free *deferred)
{
	lockdep_assert_held(&ch->lock);
	list_add(&deferred->node, &ch->deferred);
}

/* Only when the card cannot write to this memory any more. */
void roc_free_deferred(struct roc_channel *ch)
{
	struct roc_deferred_free *deferred, *next;

	lockdep_assert_held(&ch->lock);
	list_for_each_entry_safe(deferred, next, &ch->deferred, node) {
		list_del(&deferred->node);
		deferred->free(deferred, ch->ep);
	}
}

/* The driver unbinds, and the card was never stopped. Return: whether there was a deferred free. */
bool roc_abandon_deferred(struct roc_channel *ch)
{
	bool any = !list_empty(&ch->deferred);
	struct roc_deferred_free *deferred, *next;

	list_for_each_entry_safe(deferred, next, &ch->deferred, node) {
		list_del(&deferred->node);
		deferred->abandon(deferred, ch->ep);
	}
	return any;
}

/* Free coherent memory of the driver (NULL: none), or keep it allocated if @ep->keep_dma is set. */
void roc_dma_free(struct roc_endpoint *ep, size_t size, void *memory, dma_addr_t bus)
{
	struct roc_kept *kept;

	if (!memory)
		return;
	if (!ep->keep_dma) {
		dma_free_coherent(&ep->pdev->dev, size, memory, bus);
		return;
	}
	kept = kmalloc(sizeof(*kept), GFP_KERNEL | __GFP_NOFAIL);
	*kept = (struct roc_kept){
		.pdev = pci_dev_get(ep->pdev),
		.translated = ep->translated,
		.size = size,
		.memory = memory,
		.bus = bus,
	};
	ep->kept_bytes += size;
	mutex_lock(&roc_kept_lock);
	list_add(&kept->node, &roc_kept);
	mutex_unlock(&roc_kept_lock);
}

/* The binding has ended: log how much memory was kept, and start to poll the function. */
void roc_kept_report(struct roc_endpoint *ep)
{
	if (!ep->kept_bytes)
		return;
	roc_ep_log(
		warn, ep,
		"no answer, %zu bytes of DMA memory stay allocated until the function is reset\n",
		ep->kept_bytes);
	queue_delayed_work(system_freezable_wq, &roc_kept_work, ROC_KEPT_PERIOD);
}

/*
 * A function that was removed and rescanned has a new pci_dev. It is the same card, or another one
 * in its slot.
 */
static bool roc_kept_matches(const struct roc_kept *kept, const struct pci_dev *pdev)
{
	lockdep_assert_held(&roc_kept_lock);
	return !strcmp(pci_name(kept->pdev), pci_name(pdev));
}

/*
 * Free the kept memory of @pdev. Unless bus mastering is @off, free only memory that the card
 * reached through an IOMMU.
 */
static void roc_kept_free(struct pci_dev *pdev, bool off)
{
	struct roc_kept *kept, *next;
	size_t bytes = 0;

	lockdep_assert_held(&roc_kept_lock);
	list_for_each_entry_safe(kept, next, &roc_kept, node) {
		if (!roc_kept_matches(kept, pdev) || !(off || kept->translated))
			continue;
		list_del(&kept->node);
		bytes += kept->size;
		dma_free_coherent(&kept->pdev->dev, kept->size, kept->memory, kept->bus);
		pci_dev_put(kept->pdev);
		kfree(kept);
	}
	if (bytes)
		dev_info(&pdev->dev,
			 "freed %zu bytes of DMA memory kept since the driver was unbound\n",
			 bytes);
}

/* For a probe, which has disabled bus mastering: free what was kept at an earlier unbind. */
void roc_kept_release(struct pci_dev *pdev)
{
	mutex_lock(&roc_kept_lock);
	if (!list_empty(&roc_kept) && roc_bus_master_is_off(pdev))
		roc_kept_free(pdev, true);
	mutex_unlock(&roc_kept_lock);
}

/*
 * Is bus mastering off by now? A function that answers again without a reset still has the bit set,
 * and only this driver would clear it. The bit belongs to another driver if one is bound.
 */
static bool roc_kept_bus_master_off(struct pci_dev *pdev)
{
	bool off = false;

	if (!device_trylock(&pdev->dev))
		return false;
	if (device_is_registered(&pdev->dev) && !pdev->dev.driver) {
		off = roc_bus_master_is_off(pdev);
		if (!off && pci_device_is_present(pdev)) {
			pci_clear_master(pdev);
			off = roc_bus_master_is_off(pdev);
		}
	}
	device_unlock(&pdev->dev);
	return off;
}

/* Return: a reference to a function whose memory can be freed, or NULL. */
static struct pci_dev *roc_kept_ready(void)
{
	struct roc_kept *kept;

	lockdep_assert_held(&roc_kept_lock);
	list_for_each_entry(kept, &roc_kept, node)
		if (roc_kept_bus_master_off(kept->pdev))
			return pci_dev_get(kept->pdev);
	return NULL;
}

static void roc_kept_free_ready(void)
{
	struct pci_dev *pdev;

	while ((pdev = roc_kept_ready())) {
		roc_kept_free(pdev, true);
		pci_dev_put(pdev);
	}
}

static void roc_kept_scan(struct work_struct *work)
{
	mutex_lock(&roc_kept_lock);
	roc_kept_free_ready();
	if (!list_empty(&roc_kept))
		queue_delayed_work(system_freezable_wq, &roc_kept_work, ROC_KEPT_PERIOD);
	mutex_unlock(&roc_kept_lock);
}

/*
 * This is the last moment at which IOMMU mappings of a device that is being removed can be undone.
 */
static int roc_kept_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct pci_dev *pdev = to_pci_dev(data);

	if (action != BUS_NOTIFY_DEL_DEVICE)
		return NOTIFY_DONE;
	mutex_lock(&roc_kept_lock);
	if (!list_empty(&roc_kept))
		roc_kept_free(pdev, roc_bus_master_is_off(pdev));
	mutex_unlock(&roc_kept_lock);
	return NOTIFY_OK;
}

static struct notifier_block roc_kept_removal = {
	.notifier_call = roc_kept_notify,
};

int roc_kept_init(void)
{
	return bus_register_notifier(&pci_bus_type, &roc_kept_removal);
}

/*
 * The driver is unbound from all functions. What cannot be freed now stays allocated until reboot.
 */
void roc_kept_exit(void)
{
	struct roc_kept *kept, *next;

	bus_unregister_notifier(&pci_bus_type, &roc_kept_removal);
	cancel_delayed_work_sync(&roc_kept_work);
	mutex_lock(&roc_kept_lock);
	roc_kept_free_ready();
	list_for_each_entry_safe(kept, next, &roc_kept, node) {
		dev_warn(
			&kept->pdev->dev,
			"%zu bytes of DMA memory stay allocated until reboot, the function was not reset\n",
			kept->size);
		pci_dev_put(kept->pdev);
		kfree(kept);
	}
	INIT_LIST_HEAD(&roc_kept);
	mutex_unlock(&roc_kept_lock);
}
