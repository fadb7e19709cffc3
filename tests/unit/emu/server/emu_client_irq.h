/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For clients of emu_client.h whose card has MSI-X: all memory mapped, and an eventfd per vector.
 */
#ifndef ROC_UNIT_EMU_CLIENT_IRQ_H
#define ROC_UNIT_EMU_CLIENT_IRQ_H

#include <sys/eventfd.h>

#include "emu_client.h"

__attribute__((unused)) static void begin_mapped(void)
{
	begin();
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
}

/* An eventfd for each vector, as QEMU sets them when they come one by one. */
__attribute__((unused)) static void vectors_on(int *fd, unsigned int count)
{
	struct vfio_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		.index = VFIO_PCI_MSIX_IRQ_INDEX,
		.count = 1,
	};

	for (set.start = 0; set.start < count; set.start++) {
		fd[set.start] = eventfd(0, EFD_NONBLOCK);
		UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), fd[set.start]), 0);
	}
	config_set(old_capability(PCI_CAP_ID_MSIX) + PCI_MSIX_FLAGS, PCI_MSIX_FLAGS_ENABLE, 2);
}

__attribute__((unused)) static uint64_t came(int fd)
{
	eventfd_t n = 0;

	return eventfd_read(fd, &n) ? 0 : n;
}

#endif /* ROC_UNIT_EMU_CLIENT_IRQ_H */
