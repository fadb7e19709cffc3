// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interrupts of a function. A CRU has INTx pin A and never uses it, so there is only the
 * bookkeeping that a vfio client expects: eventfds in and out, masks, and the loop-back trigger.
 */
#include "emu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

unsigned int irq_count(unsigned int index)
{
	return index == VFIO_PCI_INTX_IRQ_INDEX || index == VFIO_PCI_ERR_IRQ_INDEX;
}

static void release(struct irq *irq)
{
	if (irq->fd >= 0)
		close(irq->fd);
	irq->fd = -1;
	irq->masked = false;
}

void irq_release(struct function *f)
{
	unsigned int i;

	for (i = 0; i < VU_IRQS; i++)
		release(&f->irq[i]);
}

static void trigger(struct irq *irq)
{
	if (irq->fd >= 0 && !irq->masked && eventfd_write(irq->fd, 1))
		perror("roc-emu: interrupt");
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

/* An eventfd for the trigger is kept; for (un)mask nobody would signal it, so it is let go. */
static int set_eventfd(struct irq *irq, uint32_t action, const int *fds, unsigned int fd_count)
{
	if (action != VFIO_IRQ_SET_ACTION_TRIGGER)
		return 0;
	release(irq);
	if (fd_count)
		irq->fd = dup(fds[0]);
	return fd_count && irq->fd < 0 ? -errno : 0;
}

int irq_set(struct function *f, const struct vfio_irq_set *set, uint32_t data_bytes, const int *fds,
	    unsigned int fd_count)
{
	uint32_t action = set->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK;
	struct irq *irq;

	if (set->index >= VU_IRQS || fd_count > set->count ||
	    (uint64_t)set->start + set->count > irq_count(set->index))
		return -EINVAL;
	irq = &f->irq[set->index];
	switch (set->flags & VFIO_IRQ_SET_DATA_TYPE_MASK) {
	case VFIO_IRQ_SET_DATA_NONE:
		if (!set->count) {
			if (action == VFIO_IRQ_SET_ACTION_TRIGGER)
				release(irq);
			return 0;
		}
		return act(irq, action);
	case VFIO_IRQ_SET_DATA_BOOL:
		if (data_bytes < set->count)
			return -EINVAL;
		return set->count && set->data[0] ? act(irq, action) : 0;
	case VFIO_IRQ_SET_DATA_EVENTFD:
		return set->count ? set_eventfd(irq, action, fds, fd_count) : 0;
	}
	return -EINVAL;
}
