/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bus mastering, deferred frees and the verification of quiescence. A separate header, because the
 * structures of memory that the card writes to embed struct roc_deferred_free.
 */
#ifndef ROC_QUIESCE_H
#define ROC_QUIESCE_H

#include <linux/list.h>
#include <linux/types.h>

struct pci_dev;
struct roc_channel;
struct roc_endpoint;

/**
 * struct roc_deferred_free - memory whose owner freed it while the card might still write to it
 *
 * Embedded in the structure of that memory, and in the list of the channel, under channel->lock,
 * until the channel is verified to be quiesced.
 *
 * @node: entry in roc_channel.deferred
 * @free: free the memory; the card cannot write to it any more
 * @abandon: unmap the memory and never free its pages: the driver unbinds, and the card was never
 *	stopped. An IOMMU blocks the card from then on; without one it may still write to the pages.
 *	Channel lock not held
 */
struct roc_deferred_free {
	struct list_head node;
	void (*free)(struct roc_deferred_free *deferred, struct roc_endpoint *ep);
	void (*abandon)(struct roc_deferred_free *deferred, struct roc_endpoint *ep);
};

/* bus.c */
bool roc_any_unquiesced(struct roc_endpoint *ep);
int roc_bus_master_enable(struct roc_channel *ch);
int roc_bus_master_enable_function(struct roc_endpoint *ep);
void roc_bus_master_disable_function(struct roc_endpoint *ep);
bool roc_bus_master_is_off(struct pci_dev *pdev);
bool roc_bus_master_disable(struct roc_channel *ch);
void roc_bus_master_release(struct roc_channel *ch);
void roc_defer_free(struct roc_channel *ch, struct roc_deferred_free *deferred);
void roc_free_deferred(struct roc_channel *ch);
bool roc_abandon_deferred(struct roc_channel *ch);
void roc_dma_free(struct roc_endpoint *ep, size_t size, void *memory, dma_addr_t bus);
void roc_kept_report(struct roc_endpoint *ep);
void roc_kept_release(struct pci_dev *pdev);
int roc_kept_init(void);
void roc_kept_exit(void);

/* quiesce.c */
int roc_channels_lock(struct roc_endpoint *ep);
void roc_channels_unlock(struct roc_endpoint *ep);
void roc_quiesce(struct roc_channel *ch, bool present);
bool roc_requiesce(struct roc_channel *ch, bool present);
int roc_stop_not_running(struct roc_channel *ch);
int roc_requiesce_all(struct roc_endpoint *ep);
void roc_quiesced_by_reset(struct roc_endpoint *ep);
int roc_reset_function(struct roc_endpoint *ep);

#endif /* ROC_QUIESCE_H */
