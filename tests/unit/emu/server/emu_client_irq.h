/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For clients of emu_client.h whose card has units (streams, sub-units) and MSI-X: checks of its
 * configuration space and control socket, a map of all memory, and an eventfd per vector.
 */
#ifndef ROC_UNIT_EMU_CLIENT_IRQ_H
#define ROC_UNIT_EMU_CLIENT_IRQ_H

#include <sys/eventfd.h>

#include "emu_client.h"
#include "kmod/core/contract_regs.h"

__attribute__((unused)) static void begin_mapped(void)
{
	begin();
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
}

/*
 * Offset of the vendor-specific capability with this id; the first one belongs to another vendor.
 */
__attribute__((unused)) static uint32_t our_capability(uint32_t id, uint32_t length)
{
	uint32_t at;

	UNIT_EQ(config(0x100, 4) & 0xffff, PCI_EXT_CAP_ID_VNDR);
	UNIT_EQ(config(0x100 + 8, 4), 0);
	at = config(0x100, 4) >> 20;
	UNIT_NEED(at);
	UNIT_EQ(config(at, 4) & 0xffff, PCI_EXT_CAP_ID_VNDR);
	UNIT_EQ(config(at + 4, 4), id | 1 << 16 | length << 20);
	return at;
}

/* MSI-X with @count vectors, its tables in BAR 0. */
__attribute__((unused)) static void msix_is(uint32_t count, uint32_t table, uint32_t pending)
{
	uint32_t at = old_capability(PCI_CAP_ID_MSIX);

	UNIT_NEED(at);
	UNIT_EQ(config(at + PCI_MSIX_FLAGS, 2), count - 1);
	UNIT_EQ(config(at + PCI_MSIX_TABLE, 4), table);
	UNIT_EQ(config(at + PCI_MSIX_PBA, 4), pending);
	UNIT_NEED(old_capability(PCI_CAP_ID_MSI));
}

__attribute__((unused)) static void ids_and_bars_are(uint32_t id)
{
	UNIT_EQ(config(PCI_VENDOR_ID, 4), id);
	config_set(PCI_BASE_ADDRESS_0, ~0u, 4);
	config_set(PCI_BASE_ADDRESS_2, ~0u, 4);
	UNIT_EQ(config(PCI_BASE_ADDRESS_0, 4), 0xfffe0004);
	UNIT_EQ(config(PCI_BASE_ADDRESS_2, 4), 0xffff0004);
	UNIT_EQ(config(PCI_BASE_ADDRESS_4, 4), 0);
}

/* Open registers can be poked; a fault with two arguments is shown as it was set. */
__attribute__((unused)) static void control_is(const char *fault)
{
	char line[64], shown[64];

	snprintf(line, sizeof(line), "fault 0 %s 0x3 4096", fault);
	snprintf(shown, sizeof(shown), "\"%s\":\"0x300001000\"", fault);
	CU_ASSERT(replies("poke 0 2 0x30 0x77", "\"ok\":true"));
	UNIT_EQ(bar_read(2, CARD_TEST), 0x77);
	CU_ASSERT(replies("poke 0 0 0x1000 0", "\"ok\":false"));
	CU_ASSERT(replies(line, "\"ok\":true"));
	CU_ASSERT(replies("faults", shown));
}

/*
 * A process with a mapped page can make any access to it: only aligned words have an effect. @bell:
 * offset of a doorbell page.
 */
__attribute__((unused)) static void no_words_into(uint32_t ring_bell)
{
	const struct {
		uint32_t bar, off, len;
	} at[] = {
		{0, ring_bell, 1},     {0, ring_bell, 2},     {0, ring_bell, 8},
		{0, ring_bell + 2, 4}, {0, ring_bell + 4, 2}, {0, ring_bell + 0xff8, 8},
		{2, CARD_TEST, 1},     {2, CARD_TEST, 2},     {2, CARD_TEST, 8},
		{2, CARD_TEST + 1, 4},
	};
	uint64_t all = ~0ull, got;
	unsigned int i;

	bar_write(2, CARD_TEST, 0x77);
	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		region_write(0, at[i].bar, at[i].off, &all, at[i].len);
		UNIT_EQ(region_read(at[i].bar, at[i].off, &got, at[i].len), 0);
	}
	UNIT_EQ(bar_read(2, CARD_TEST), 0x77);
	UNIT_EQ(counted("host_errors"), 0);
}

/* Set an eventfd for each vector, as QEMU does when vectors are enabled one by one. */
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
