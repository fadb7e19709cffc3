// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The vfio-user server: messages, register accesses, configuration space, interrupts.
 */
#include <sys/eventfd.h>

#include "emu_client.h"

static int region_info(uint32_t index, struct vfio_region_info *info)
{
	struct vfio_region_info question = {.argsz = sizeof(question), .index = index};
	int rc = ask(VU_GET_REGION_INFO, &question, sizeof(question), -1);

	memcpy(info, vu.body, sizeof(*info));
	return rc;
}

static void information(void)
{
	struct vu_device_info info = {.argsz = sizeof(info)};
	static const uint64_t sizes[9] = {0x10000, 0, 0x1000000, 0, 0, 0, 0, 4096, 0};
	static const uint32_t irqs[5] = {1, 0, 0, 1, 0};
	struct vfio_region_info region;
	unsigned int i;

	begin();
	UNIT_EQ(ask(VU_DEVICE_GET_INFO, &info, sizeof(info), -1), 0);
	memcpy(&info, vu.body, sizeof(info));
	UNIT_EQ(info.flags, VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI);
	UNIT_EQ(info.regions, 9);
	UNIT_EQ(info.irqs, 5);
	for (i = 0; i < 9; i++) {
		UNIT_EQ(region_info(i, &region), 0);
		UNIT_EQ(region.size, sizes[i]);
		UNIT_EQ(region.flags, sizes[i] ? 3 : 0);
	}
	UNIT_EQ(region_info(9, &region), EINVAL);
	for (i = 0; i < 5; i++) {
		struct vfio_irq_info irq = {.argsz = sizeof(irq), .index = i};

		UNIT_EQ(ask(VU_GET_IRQ_INFO, &irq, sizeof(irq), -1), 0);
		memcpy(&irq, vu.body, sizeof(irq));
		UNIT_EQ(irq.count, irqs[i]);
	}
	end();
}

static void refused(void)
{
	struct vu_region_access a = {.region = 0, .offset = 0x10000, .count = 4};

	begin();
	UNIT_EQ(ask(VU_GET_REGION_IO_FDS, &a, sizeof(a), -1), EOPNOTSUPP);
	UNIT_EQ(ask(99, NULL, 0, -1), EOPNOTSUPP);
	UNIT_EQ(ask(VU_REGION_READ, &a, sizeof(a), -1), EINVAL);
	UNIT_EQ(ask(VU_REGION_READ, &a, 8, -1), EINVAL);
	a.region = 1;
	a.offset = 0;
	UNIT_EQ(ask(VU_REGION_READ, &a, sizeof(a), -1), EINVAL);
	a.region = 0;
	a.count = 0;
	UNIT_EQ(ask(VU_REGION_READ, &a, sizeof(a), -1), EINVAL);
	a.offset = UINT64_MAX;
	a.count = 4;
	UNIT_EQ(ask(VU_REGION_READ, &a, sizeof(a), -1), EINVAL);
	a.offset = 0xfffe;
	UNIT_EQ(ask(VU_REGION_READ, &a, sizeof(a), -1), EINVAL);
	/* A write with less data than its count. */
	a.offset = 0;
	UNIT_EQ(ask(VU_REGION_WRITE, &a, sizeof(a), -1), EINVAL);
	UNIT_EQ(ask(VU_DMA_MAP, &a, sizeof(a), -1), EINVAL);
	UNIT_EQ(unmap_region(0, 0, VFIO_DMA_UNMAP_FLAG_GET_DIRTY_BITMAP), EOPNOTSUPP);
	end();
}

static void registers(void)
{
	uint64_t eight = 0;
	uint8_t byte;

	begin();
	/* No memory decoding yet. */
	UNIT_EQ(bar_read(0, CRU_FEATURES), ~0u);
	UNIT_EQ(counted("bad_access"), 1);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	UNIT_EQ(bar_read(0, CRU_FEATURES), 0x40000000);
	UNIT_EQ(bar_read(2, CRU_SERIAL), 0x35343230);
	bar_write(0, CRU_SCRATCH, 0x42);
	UNIT_EQ(bar_read(0, CRU_SCRATCH), 0x42);
	UNIT_EQ(counted("mmio_reads"), 3);
	UNIT_EQ(counted("mmio_writes"), 1);
	/* Accesses that are not aligned words. */
	UNIT_EQ(region_read(0, CRU_SCRATCH, &byte, 1), 0);
	UNIT_EQ(byte, 0xff);
	UNIT_EQ(region_read(0, CRU_SCRATCH, &eight, 8), 0);
	UNIT_EQ(eight, ~0ull);
	UNIT_EQ(region_read(0, CRU_SCRATCH + 2, &eight, 4), 0);
	region_write(0, 0, CRU_SCRATCH, &eight, 8);
	UNIT_EQ(bar_read(0, CRU_SCRATCH), 0x42);
	UNIT_EQ(counted("bad_access"), 5);
	UNIT_EQ(bar_read(2, 0xfffffc), 0);
	end();
}

static void no_reply_is_kept(void)
{
	struct pollfd p = {.events = POLLIN};
	struct vu_region_access a = {.region = 77};
	unsigned int i;

	begin();
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	for (i = 0; i < 100; i++)
		bar_write(0, CRU_SCRATCH, i);
	/* No answer even for an error; its log line is expected here. */
	freopen("/dev/null", "w", stderr);
	send_request(VU_REGION_WRITE, VU_NO_REPLY, &a, sizeof(a), -1);
	send_request(55, VU_NO_REPLY, NULL, 0, -1);
	UNIT_EQ(bar_read(0, CRU_SCRATCH), 99);
	p.fd = vu.fd;
	UNIT_EQ(poll(&p, 1, 20), 0);
	end();
}

static void config_space(void)
{
	uint32_t cap, id, seen_pm = 0, seen_exp = 0, seen_other = 0;

	begin();
	UNIT_EQ(config(PCI_VENDOR_ID, 4), 0x003410dc);
	UNIT_EQ(config(PCI_CLASS_REVISION, 4) >> 8, 0xff0000);
	UNIT_EQ(config(PCI_HEADER_TYPE, 1), 0);
	UNIT_EQ(config(PCI_INTERRUPT_PIN, 1), 1);
	/* Sizing, as every BIOS and kernel does it. */
	UNIT_EQ(config(PCI_BASE_ADDRESS_0, 4), 4);
	config_set(PCI_BASE_ADDRESS_0, ~0u, 4);
	config_set(PCI_BASE_ADDRESS_1, ~0u, 4);
	config_set(PCI_BASE_ADDRESS_2, ~0u, 4);
	config_set(PCI_BASE_ADDRESS_3, ~0u, 4);
	config_set(PCI_BASE_ADDRESS_4, ~0u, 4);
	config_set(PCI_ROM_ADDRESS, ~0u, 4);
	UNIT_EQ(config(PCI_BASE_ADDRESS_0, 4), 0xffff0004);
	UNIT_EQ(config(PCI_BASE_ADDRESS_1, 4), ~0u);
	UNIT_EQ(config(PCI_BASE_ADDRESS_2, 4), 0xff000004);
	UNIT_EQ(config(PCI_BASE_ADDRESS_3, 4), ~0u);
	UNIT_EQ(config(PCI_BASE_ADDRESS_4, 4), 0);
	UNIT_EQ(config(PCI_ROM_ADDRESS, 4), 0);
	config_set(PCI_BASE_ADDRESS_0, 0xfe340000, 4);
	UNIT_EQ(config(PCI_BASE_ADDRESS_0, 4), 0xfe340004);
	config_set(PCI_VENDOR_ID, 0, 4);
	UNIT_EQ(config(PCI_VENDOR_ID, 4), 0x003410dc);
	config_set(PCI_COMMAND, 0xffff, 2);
	UNIT_EQ(config(PCI_COMMAND, 2), 0x546);
	UNIT_EQ(config(PCI_STATUS, 2), PCI_STATUS_CAP_LIST);
	for (cap = config(PCI_CAPABILITY_LIST, 1); cap; cap = config(cap + 1, 1)) {
		id = config(cap, 1);
		seen_pm += id == PCI_CAP_ID_PM;
		seen_exp += id == PCI_CAP_ID_EXP;
		seen_other += id != PCI_CAP_ID_PM && id != PCI_CAP_ID_EXP;
		if (id != PCI_CAP_ID_EXP)
			continue;
		UNIT_EQ(config(cap + PCI_EXP_FLAGS, 2), 2);
		CU_ASSERT(config(cap + PCI_EXP_DEVCAP, 4) & PCI_EXP_DEVCAP_FLR);
		UNIT_EQ(config(cap + PCI_EXP_LNKSTA, 2) & 0x3ff, 0x83);
	}
	UNIT_EQ(seen_pm, 1);
	UNIT_EQ(seen_exp, 1);
	UNIT_EQ(seen_other, 0);
	UNIT_EQ(config(0x100, 4), 0);
	/* D3hot: no memory decoding. */
	UNIT_EQ(bar_read(0, CRU_FEATURES), 0x40000000);
	config_set(0x40 + PCI_PM_CTRL, 3, 2);
	UNIT_EQ(bar_read(0, CRU_FEATURES), ~0u);
	config_set(0x40 + PCI_PM_CTRL, 0, 2);
	UNIT_EQ(bar_read(0, CRU_FEATURES), 0x40000000);
	end();
}

static void interrupts(void)
{
	struct vfio_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		.count = 1,
	};
	UNIT_WITH_BYTES(struct vfio_irq_set, set, 1)
	flag = {.set = {.argsz = sizeof(flag.set) + 1, .count = 1}};
	int fd = eventfd(0, EFD_NONBLOCK);
	eventfd_t value = 0;

	begin();
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), fd), 0);
	/* Loop-back, by word and by flag. */
	set.flags = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER;
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), -1), 0);
	UNIT_EQ(eventfd_read(fd, &value), 0);
	flag.set.flags = VFIO_IRQ_SET_DATA_BOOL | VFIO_IRQ_SET_ACTION_TRIGGER;
	flag.set.data[0] = 1;
	UNIT_EQ(ask(VU_SET_IRQS, &flag, sizeof(flag.set) + 1, -1), 0);
	UNIT_EQ(eventfd_read(fd, &value), 0);
	/* Masked. */
	set.flags = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_MASK;
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), -1), 0);
	set.flags = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER;
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), -1), 0);
	UNIT_EQ(eventfd_read(fd, &value), -1);
	/* Disabled: count 0; and taken back: an eventfd form without one. */
	set.count = 0;
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), -1), 0);
	UNIT_EQ(irq_fd(0, 0), -1);
	set.count = 1;
	set.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), fd), 0);
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), -1), 0);
	UNIT_EQ(irq_fd(0, 0), -1);
	/* No such interrupt. */
	set.index = VFIO_PCI_MSI_IRQ_INDEX;
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), -1), EINVAL);
	set.index = 5;
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), -1), EINVAL);
	set.index = 0;
	set.start = 1;
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), fd), EINVAL);
	set.start = ~0u;
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), fd), EINVAL);
	end();
	close(fd);
}

static void broken_stream(void)
{
	struct vu_header head = {.command = VU_REGION_READ, .size = 8};
	struct pollfd p = {.events = POLLIN};
	char byte;

	freopen("/dev/null", "w", stderr);
	begin();
	UNIT_EQ(send(vu.fd, &head, sizeof(head), 0), sizeof(head));
	p.fd = vu.fd;
	UNIT_EQ(poll(&p, 1, LIMIT_MS), 1);
	CU_ASSERT(recv(vu.fd, &byte, 1, 0) <= 0);
	end();
}

UNIT_MAIN("vfio-user server", {"device, regions, interrupts", information},
	  {"refused messages", refused}, {"register accesses", registers},
	  {"no answer where none is requested", no_reply_is_kept}, {"config space", config_space},
	  {"interrupt bookkeeping", interrupts},
	  {"broken stream ends the connection", broken_stream})
