// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interrupts of a function: the state that a vfio client expects (eventfds, masks, the loop-back
 * trigger), and the messages of cards with the event interface. INTx exists and is never used. The
 * configuration space defines which vectors exist and are enabled. The client keeps the MSI-X table
 * and with it the masks of single vectors.
 */
#include "emu.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/emu/log.h"

unsigned int irq_count(const struct function *f, unsigned int index)
{
	switch (index) {
	case VFIO_PCI_INTX_IRQ_INDEX:
	case VFIO_PCI_ERR_IRQ_INDEX:
		return 1;
	case VFIO_PCI_MSI_IRQ_INDEX:
		return f->config.id.messages.msi;
	case VFIO_PCI_MSIX_IRQ_INDEX:
		return f->config.id.messages.msix;
	}
	return 0;
}

void irq_init(struct function *f)
{
	unsigned int i, v;

	for (i = 0; i < VU_IRQS; i++) {
		for (v = 0; v < CARD_VECTORS; v++)
			f->irq[i][v].fd = -1;
	}
}

static void release(struct irq *irq)
{
	if (irq->fd >= 0)
		close(irq->fd);
	irq->fd = -1;
	irq->masked = false;
	irq->failed = false;
}

void irq_release(struct function *f)
{
	unsigned int i, v;

	for (i = 0; i < VU_IRQS; i++) {
		for (v = 0; v < CARD_VECTORS; v++)
			release(&f->irq[i][v]);
	}
}

/*
 * The caller holds the lock, so this must not wait. The client owns the descriptor's flags: it may
 * rely on blocking reads, and it can change the flags at any time. So poll for space before the
 * write; only the client itself could fill the eventfd in between. The reader of a full eventfd has
 * had its interrupt.
 */
static bool full(const struct irq *irq)
{
	struct pollfd capacity = {.fd = irq->fd, .events = POLLOUT};

	return !poll(&capacity, 1, 0);
}

static void trigger(struct irq *irq)
{
	if (irq->fd < 0 || irq->masked || full(irq))
		return;
	if (!eventfd_write(irq->fd, 1) || errno == EAGAIN || irq->failed)
		return;
	irq->failed = true;
	emu_log("roc-emu: interrupt: %s", strerror(errno));
}

enum card_message irq_message(struct function *f, unsigned int vector)
{
	unsigned int msix = config_msix(&f->config);
	struct irq *irq;

	if (!config_master_on(&f->config))
		return CARD_MESSAGE_NO_MASTER;
	if (vector >= (msix ? msix : config_msi(&f->config)))
		return CARD_MESSAGE_OFF;
	irq = &f->irq[msix ? VFIO_PCI_MSIX_IRQ_INDEX : VFIO_PCI_MSI_IRQ_INDEX][vector];
	if (irq->fd < 0)
		return CARD_MESSAGE_OFF;
	if (msix && config_msix_masked(&f->config))
		irq->pending = true;
	else
		trigger(irq);
	return CARD_MESSAGE_SENT;
}

void irq_unmasked(struct function *f)
{
	bool on = config_msix(&f->config);
	unsigned int v;

	if (on && config_msix_masked(&f->config))
		return;
	for (v = 0; v < CARD_VECTORS; v++) {
		struct irq *irq = &f->irq[VFIO_PCI_MSIX_IRQ_INDEX][v];

		if (irq->pending && on)
			trigger(irq);
		irq->pending = false;
	}
}

static int act(struct irq *irq, uint32_t action)
{
	switch (action) {
	case VFIO_IRQ_SET_ACTION_MASK:
		irq->masked = true;
		return 0;
	case VFIO_IRQ_SET_ACTION_UNMASK:
		irq->masked = false;
		return 0;
	case VFIO_IRQ_SET_ACTION_TRIGGER:
		trigger(irq);
		return 0;
	}
	return -EINVAL;
}

/*
 * Store eventfds of triggers. Eventfds for (un)mask would never be signalled, so they are closed.
 */
static void set_eventfds(struct irq *irq, const struct vfio_irq_set *set, int *fds,
			 unsigned int fd_count)
{
	unsigned int i;

	if (!(set->flags & VFIO_IRQ_SET_ACTION_TRIGGER))
		return;
	for (i = 0; i < set->count; i++) {
		release(&irq[i]);
		if (!fd_count)
			continue;
		irq[i].fd = fds[i];
		fds[i] = -1;
	}
}

static int act_all(struct irq *irq, const struct vfio_irq_set *set, bool by_flag)
{
	uint32_t action = set->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK;
	unsigned int i;
	int rc = 0;

	for (i = 0; i < set->count && !rc; i++) {
		if (!by_flag || set->data[i])
			rc = act(&irq[i], action);
	}
	return rc;
}

static bool one_of(uint32_t bits)
{
	return bits && !(bits & (bits - 1));
}

/* Data and descriptors must match the flags, and the range must exist. */
static bool well_formed(struct function *f, const struct vfio_irq_set *set, uint32_t data_bytes,
			unsigned int fd_count)
{
	uint32_t data = set->flags & VFIO_IRQ_SET_DATA_TYPE_MASK;
	uint32_t action = set->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK;

	if (set->flags != (data | action) || !one_of(data) || !one_of(action))
		return false;
	if (set->index >= VU_IRQS || (uint64_t)set->start + set->count > irq_count(f, set->index))
		return false;
	/* A count of 0 switches all of them off. */
	if (!set->count &&
	    (set->start || set->flags != (VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER)))
		return false;
	if (fd_count && (data != VFIO_IRQ_SET_DATA_EVENTFD || fd_count != set->count))
		return false;
	return data_bytes == (data == VFIO_IRQ_SET_DATA_BOOL ? set->count : 0);
}

int irq_set(struct function *f, const struct vfio_irq_set *set, uint32_t data_bytes, int *fds,
	    unsigned int fd_count)
{
	struct irq *irq;
	unsigned int v;

	if (!well_formed(f, set, data_bytes, fd_count))
		return -EINVAL;
	irq = &f->irq[set->index][set->start];
	switch (set->flags & VFIO_IRQ_SET_DATA_TYPE_MASK) {
	case VFIO_IRQ_SET_DATA_NONE:
		for (v = 0; v < CARD_VECTORS && !set->count; v++)
			release(&f->irq[set->index][v]);
		return act_all(irq, set, false);
	case VFIO_IRQ_SET_DATA_BOOL:
		return act_all(irq, set, true);
	}
	set_eventfds(irq, set, fds, fd_count);
	return 0;
}
