// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test that the driver refuses a function that does not answer or is no roc card, logs the reason,
 * and writes nothing to it.
 */
#include "common/case.h"
#include "common/klog.h"

#include <fcntl.h>
#include <linux/pci_regs.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_MS 10000
#define SEED 4711
#define BARS_SIZE (6 * 4)
#define GENERIC_ID (CRU_DEVICE_ALTERA << 16 | CRU_VENDOR_ALTERA)
#define CRU_ID (CRU_DEVICE << 16 | CRU_VENDOR_CERN)

static const struct card {
	unsigned int number;
	const char *id, *name;
	bool own_id; /* no other design has its PCI IDs */
} cards[] = {
	{CARD0, EP0, "cru", true},
	{CRORC0, CRORC_ID, "crorc", true},
	{3, "4004:0", "p40", false},
	{4, "6005:0", "robinnp", false},
};

static char address[ROC_TEXT_MAX];
static int klog = -1;

static int config_open(void)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", address);
	return open(path, O_RDWR | O_CLOEXEC);
}

static uint16_t config_word(unsigned int offset)
{
	uint16_t word = 0xffff;
	int fd = config_open();

	UNIT_EQ(pread(fd, &word, sizeof(word), offset), sizeof(word));
	close(fd);
	return word;
}

static void config_put(unsigned int offset, const void *data, size_t size)
{
	int fd = config_open();

	UNIT_EQ(pwrite(fd, data, size, offset), (ssize_t)size);
	close(fd);
}

static bool bound(void)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", address);
	return !access(path, F_OK);
}

/* The driver is unbound, and the card's counts are 0. */
static bool begin(const struct card *c)
{
	if (!card_there(c->id)) {
		unit_skip("a guest without all four cards");
		return false;
	}
	strcpy(address, pci_address(c->id));
	UNIT_EQ(driver_unbind(address), 0);
	emu(c->number, "clear");
	klog = klog_open();
	return true;
}

static void refused(const struct card *c, int err, const char *reason)
{
	UNIT_EQ(put_text("/sys/bus/pci/drivers/roc/bind", address), err);
	CU_ASSERT(!bound());
	CU_ASSERT_PTR_NOT_NULL(klog_wait(klog, reason, LIMIT_MS));
	UNIT_EQ(emu_count(c->number, 0, "mmio_writes"), 0);
	CU_ASSERT(!(config_word(PCI_COMMAND) & PCI_COMMAND_MASTER));
}

static void leave(const struct card *c)
{
	emu(c->number, "fault all clear");
	CU_ASSERT(driver_bind(address));
	close(klog);
}

/* As after a fatal error without a driver to restore the configuration. */
static void lost_addresses(void)
{
	uint8_t none[BARS_SIZE] = {0}, bars[BARS_SIZE];
	uint16_t command = 0;
	unsigned int i;

	for (i = 0; i < N(cards); i++) {
		const struct card *c = &cards[i];
		int fd;

		if (!begin(c))
			return;
		fd = config_open();
		UNIT_EQ(pread(fd, bars, sizeof(bars), PCI_BASE_ADDRESS_0), sizeof(bars));
		close(fd);
		config_put(PCI_COMMAND, &command, sizeof(command));
		config_put(PCI_BASE_ADDRESS_0, none, sizeof(none));
		refused(c, -EIO, "BARs lost their addresses");
		config_put(PCI_COMMAND, &command, sizeof(command));
		config_put(PCI_BASE_ADDRESS_0, bars, sizeof(bars));
		leave(c);
	}
}

static void register_values(void)
{
	unsigned int i;

	for (i = 0; i < N(cards); i++) {
		const struct card *c = &cards[i];

		if (!begin(c))
			return;
		emu(c->number, "fault 0 foreign 0");
		refused(c, -EIO, "identity registers read 0");
		emu(c->number, "fault 0 foreign 0xffffffff");
		refused(c, -EIO, "identity registers read all ones");
		leave(c);
	}
}

static void silent(void)
{
	unsigned int i;

	for (i = 0; i < N(cards); i++) {
		const struct card *c = &cards[i];

		if (!begin(c))
			return;
		emu(c->number, "fault 0 all-ones");
		CU_ASSERT(put_text("/sys/bus/pci/drivers/roc/bind", address) < 0);
		CU_ASSERT(!bound());
		CU_ASSERT_PTR_NOT_NULL(
			klog_wait(klog, "configuration space reads all ones", LIMIT_MS));
		leave(c);
	}
}

/* PCI IDs chosen by this project: another design may use them. */
static void chosen_ids(void)
{
	unsigned int i;

	for (i = 0; i < N(cards); i++) {
		const struct card *c = &cards[i];
		char text[64];

		if (c->own_id)
			continue;
		if (!begin(c))
			return;
		emu(c->number, "fault 0 foreign %u", SEED);
		snprintf(text, sizeof(text), "not a %s: another design", c->name);
		refused(c, -ENODEV, text);
		/* One read shows that it answers, one that it is another design. */
		CU_ASSERT(emu_count(c->number, 0, "mmio_reads") <= 2);
		leave(c);
	}
}

/* The function is found again, with this ID, and offered to drivers. */
static void appears(uint32_t id)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", address);
	UNIT_EQ(put_text(path, "1"), 0);
	emu_config_set(CARD0, 0, PCI_VENDOR_ID, id);
	UNIT_EQ(put_text("/sys/bus/pci/rescan", "1"), 0);
	UNIT_EQ(config_word(PCI_VENDOR_ID), id & 0xffff);
}

static bool documented(const struct emu_access *a)
{
	switch (a->bar) {
	case CRU_BAR_DMA:
		return a->offset == CRU_ENDPOINT_ID || a->offset == CRU_FEATURES;
	case CRU_BAR_CARD:
		return a->offset == CRU_FW_HASH || a->offset == CRU_FW_DATE ||
		       a->offset == CRU_BOARD_TYPE || a->offset == CRU_CHIP_ID_LOW;
	default:
		return false;
	}
}

/* Only documented registers are read, and the card is otherwise untouched. */
static void left_alone(void)
{
	struct emu_access *list;
	unsigned int n, i;

	n = emu_trace_stop(CARD0, 0, &list);
	for (i = 0; i < n; i++)
		CU_ASSERT(!list[i].write && documented(&list[i]));
	free(list);
	UNIT_EQ(emu_count(CARD0, 0, "mmio_writes"), 0);
	UNIT_EQ(emu_count(CARD0, 0, "dma_writes"), 0);
}

#define DEVCTL (0x50 + PCI_EXP_DEVCTL) /* where the emulated cards have it */

/* A board of another vendor, with FIFOs in its registers below 0x100, and 0 above. */
static void generic_id(void)
{
	const uint16_t master = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
	uint16_t control;

	if (!begin(&cards[0]))
		return;
	emu(CARD0, "fault 0 foreign %u", SEED);
	control = config_word(DEVCTL);
	emu_trace_start(CARD0, 0);
	appears(GENERIC_ID);
	CU_ASSERT_PTR_NOT_NULL(klog_wait(klog, "not a cru: another design", LIMIT_MS));
	CU_ASSERT(!bound());
	CU_ASSERT(!(config_word(PCI_COMMAND) & PCI_COMMAND_MASTER));
	UNIT_EQ(config_word(DEVCTL), control);
	/* Its user-space software keeps bus mastering. */
	config_put(PCI_COMMAND, &master, sizeof(master));
	UNIT_EQ(put_text("/sys/bus/pci/drivers/roc/bind", address), -ENODEV);
	CU_ASSERT(config_word(PCI_COMMAND) & PCI_COMMAND_MASTER);
	left_alone();
	/* All registers read 0: still no CRU. */
	emu(CARD0, "fault 0 foreign 0");
	emu_trace_start(CARD0, 0);
	UNIT_EQ(put_text("/sys/bus/pci/drivers/roc/bind", address), -ENODEV);
	left_alone();
	CU_ASSERT(klog_clean(klog));
	/* With a CRU's registers it is a CRU. */
	emu(CARD0, "fault 0 clear");
	CU_ASSERT(driver_bind(address));
	UNIT_EQ(driver_unbind(address), 0);
	emu_poke(CARD0, 0, CRU_BAR_CARD, CRU_BOARD_TYPE, 0);
	CU_ASSERT(driver_bind(address));
	UNIT_EQ(driver_unbind(address), 0);
	emu_poke(CARD0, 0, CRU_BAR_CARD, CRU_FW_DATE, 0x20241315);
	UNIT_EQ(put_text("/sys/bus/pci/drivers/roc/bind", address), -ENODEV);
	emu_poke(CARD0, 0, CRU_BAR_CARD, CRU_FW_DATE, 0x20241015);
	emu_poke(CARD0, 0, CRU_BAR_CARD, CRU_BOARD_TYPE, CRU_BOARD_TYPE_V22);
	appears(CRU_ID);
	CU_ASSERT(UNIT_WAIT(card_there(EP0), LIMIT_MS));
	close(klog);
}

UNIT_MAIN("identity", {"lost addresses", lost_addresses}, {"register values", register_values},
	  {"silent", silent}, {"chosen IDs", chosen_ids}, {"generic ID", generic_id})
