// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PCI configuration space: values, writable bits, and the few bits that have an action.
 */
#include "config_space.h"

#include <string.h>

#include <linux/pci_regs.h>

#define CAP_PM 0x40
#define CAP_EXP 0x50
#define CAP_MSI 0x90
#define CAP_MSIX 0xb0
#define CAP_OTHER 0x100 /* extended: a capability of another vendor, as FPGA cores have */
#define CAP_OTHER_ID 0x1172
#define CAP_OTHER_LENGTH 0x44
#define CAP_VENDOR 0x200
#define VENDOR_HEADER 0x04   /* [15:0] id, [19:16] revision, [31:20] length */
#define VENDOR_WORDS 0x08    /* words of the model begin here */
#define CLASS_CODE 0xff0000u /* no defined class */
#define BARS 6

static void put(uint8_t *at, uint32_t value, unsigned int bytes)
{
	unsigned int i;

	for (i = 0; i < bytes; i++)
		at[i] = value >> 8 * i;
}

static uint32_t get(const struct config_space *c, uint32_t off, unsigned int bytes)
{
	uint32_t value = 0;
	unsigned int i;

	for (i = 0; i < bytes; i++)
		value |= (uint32_t)c->value[off + i] << 8 * i;
	return value;
}

static void reg(struct config_space *c, uint32_t off, unsigned int bytes, uint32_t value,
		uint32_t writable)
{
	put(c->value + off, value, bytes);
	put(c->writable + off, writable, bytes);
}

static void init_bars(struct config_space *c)
{
	const struct config_id *id = &c->id;
	uint32_t type = PCI_BASE_ADDRESS_SPACE_MEMORY;
	unsigned int i;

	if (!id->bars_32bit)
		type |= PCI_BASE_ADDRESS_MEM_TYPE_64;
	for (i = 0; i < BARS; i++) {
		uint32_t at = PCI_BASE_ADDRESS_0 + 4 * i;

		if (!id->bar_size[i])
			continue;
		reg(c, at, 4, type, -id->bar_size[i]);
		if (!id->bars_32bit)
			reg(c, at + 4, 4, 0, ~0u);
	}
}

static void init_power(struct config_space *c)
{
	reg(c, CAP_PM, 2, PCI_CAP_ID_PM | CAP_EXP << 8, 0);
	reg(c, CAP_PM + PCI_PM_PMC, 2, 3, 0);
	reg(c, CAP_PM + PCI_PM_CTRL, 2, PCI_PM_CTRL_NO_SOFT_RESET, PCI_PM_CTRL_STATE_MASK);
}

static void init_express(struct config_space *c)
{
	uint32_t speed = c->id.pcie_gen == 2 ? PCI_EXP_LNKCAP_SLS_5_0GB : PCI_EXP_LNKCAP_SLS_8_0GB;
	uint32_t speeds = PCI_EXP_LNKCAP2_SLS_2_5GB | PCI_EXP_LNKCAP2_SLS_5_0GB;

	if (c->id.pcie_gen > 2)
		speeds |= PCI_EXP_LNKCAP2_SLS_8_0GB;
	reg(c, CAP_EXP, 2, PCI_CAP_ID_EXP, 0);
	reg(c, CAP_EXP + PCI_EXP_FLAGS, 2, 2 | PCI_EXP_TYPE_ENDPOINT << 4, 0);
	reg(c, CAP_EXP + PCI_EXP_DEVCAP, 4,
	    PCI_EXP_DEVCAP_FLR | PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_EXT_TAG | 1, 0);
	reg(c, CAP_EXP + PCI_EXP_DEVCTL, 2,
	    PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_READRQ_512B,
	    (uint16_t)~PCI_EXP_DEVCTL_BCR_FLR);
	put(c->clear + CAP_EXP + PCI_EXP_DEVSTA, 0xf, 2);
	reg(c, CAP_EXP + PCI_EXP_LNKCAP, 4, speed | 8 << 4 | PCI_EXP_LNKCAP_ASPM_L0S, 0);
	reg(c, CAP_EXP + PCI_EXP_LNKCTL, 2, 0, PCI_EXP_LNKCTL_ASPMC | PCI_EXP_LNKCTL_CCC);
	/* Capability, status and control encode the link speed alike. */
	reg(c, CAP_EXP + PCI_EXP_LNKSTA, 2, speed | PCI_EXP_LNKSTA_NLW_X8 | PCI_EXP_LNKSTA_SLC, 0);
	reg(c, CAP_EXP + PCI_EXP_DEVCTL2, 2, 0, PCI_EXP_DEVCTL2_COMP_TIMEOUT);
	reg(c, CAP_EXP + PCI_EXP_LNKCAP2, 4, speeds, 0);
	reg(c, CAP_EXP + PCI_EXP_LNKCTL2, 2, speed, PCI_EXP_LNKCTL2_TLS);
}

static void init_msi(struct config_space *c)
{
	unsigned int log2 = __builtin_ctz(c->id.messages.msi);

	reg(c, CAP_MSI, 2, PCI_CAP_ID_MSI | (c->id.messages.msix ? CAP_MSIX << 8 : 0), 0);
	reg(c, CAP_MSI + PCI_MSI_FLAGS, 2, PCI_MSI_FLAGS_64BIT | log2 << 1,
	    PCI_MSI_FLAGS_ENABLE | PCI_MSI_FLAGS_QSIZE);
	reg(c, CAP_MSI + PCI_MSI_ADDRESS_LO, 4, 0, ~3u);
	reg(c, CAP_MSI + PCI_MSI_ADDRESS_HI, 4, 0, ~0u);
	reg(c, CAP_MSI + PCI_MSI_DATA_64, 2, 0, 0xffff);
}

static void init_msix(struct config_space *c)
{
	const struct card_messages *m = &c->id.messages;

	reg(c, CAP_MSIX, 2, PCI_CAP_ID_MSIX, 0);
	reg(c, CAP_MSIX + PCI_MSIX_FLAGS, 2, m->msix - 1,
	    PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
	reg(c, CAP_MSIX + PCI_MSIX_TABLE, 4, m->table | m->bar, 0);
	reg(c, CAP_MSIX + PCI_MSIX_PBA, 4, m->pending | m->bar, 0);
}

static void init_vendor(struct config_space *c, uint32_t off, uint32_t next, uint32_t id,
			uint32_t revision, uint32_t length)
{
	reg(c, off, 4, PCI_EXT_CAP_ID_VNDR | 1 << 16 | next << 20, 0);
	reg(c, off + VENDOR_HEADER, 4, id | revision << 16 | length << 20, 0);
}

static void init_messages(struct config_space *c)
{
	const struct card_messages *m = &c->id.messages;
	unsigned int i;

	/* Append to the list that begins with power management. */
	if (m->msi) {
		reg(c, CAP_EXP + 1, 1, CAP_MSI, 0);
		init_msi(c);
	}
	if (m->msix)
		init_msix(c);
	if (!m->vendor.id)
		return;
	init_vendor(c, CAP_OTHER, CAP_VENDOR, CAP_OTHER_ID, 0, CAP_OTHER_LENGTH);
	init_vendor(c, CAP_VENDOR, 0, m->vendor.id, m->vendor.revision,
		    VENDOR_WORDS + 4 * m->vendor.count);
	for (i = 0; i < m->vendor.count; i++)
		reg(c, CAP_VENDOR + VENDOR_WORDS + 4 * i, 4, m->vendor.word[i], 0);
}

void config_init(struct config_space *c, const struct config_id *id)
{
	memset(c, 0, sizeof(*c));
	c->id = *id;
	reg(c, PCI_VENDOR_ID, 2, id->vendor, 0);
	reg(c, PCI_DEVICE_ID, 2, id->device, 0);
	reg(c, PCI_COMMAND, 2, 0,
	    PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY | PCI_COMMAND_SERR |
		    PCI_COMMAND_INTX_DISABLE);
	reg(c, PCI_STATUS, 2, PCI_STATUS_CAP_LIST, 0);
	put(c->clear + PCI_STATUS, 0xf900, 2);
	reg(c, PCI_CLASS_REVISION, 4, CLASS_CODE << 8, 0);
	reg(c, PCI_CACHE_LINE_SIZE, 1, 0, 0xff);
	init_bars(c);
	/* The real subsystem ids are not known. */
	reg(c, PCI_SUBSYSTEM_VENDOR_ID, 2, id->vendor, 0);
	reg(c, PCI_SUBSYSTEM_ID, 2, id->device, 0);
	reg(c, PCI_CAPABILITY_LIST, 1, CAP_PM, 0);
	reg(c, PCI_INTERRUPT_LINE, 1, 0, 0xff);
	reg(c, PCI_INTERRUPT_PIN, 1, 1, 0);
	init_power(c);
	init_express(c);
	init_messages(c);
}

void config_reset(struct config_space *c)
{
	struct config_id id = c->id;

	config_init(c, &id);
}

void config_poke(struct config_space *c, uint32_t off, uint32_t value)
{
	put(c->value + off, value, 4);
}

void config_read(const struct config_space *c, uint32_t off, void *data, uint32_t len)
{
	memcpy(data, c->value + off, len);
}

bool config_write(struct config_space *c, uint32_t off, const void *data, uint32_t len)
{
	const uint32_t flr = CAP_EXP + PCI_EXP_DEVCTL + 1;
	const uint8_t *from = data;
	bool reset = false;
	uint32_t i;

	for (i = 0; i < len; i++) {
		uint32_t at = off + i;

		c->value[at] = (c->value[at] & ~c->writable[at]) | (from[i] & c->writable[at]);
		c->value[at] &= ~(from[i] & c->clear[at]);
		if (at == flr && from[i] & PCI_EXP_DEVCTL_BCR_FLR >> 8)
			reset = true;
	}
	return reset;
}

bool config_full_power(const struct config_space *c)
{
	return !(get(c, CAP_PM + PCI_PM_CTRL, 2) & PCI_PM_CTRL_STATE_MASK);
}

bool config_sleep_resets(const struct config_space *c)
{
	return !(get(c, CAP_PM + PCI_PM_CTRL, 2) & PCI_PM_CTRL_NO_SOFT_RESET);
}

unsigned int config_msix(const struct config_space *c)
{
	if (!c->id.messages.msix || !(get(c, CAP_MSIX + PCI_MSIX_FLAGS, 2) & PCI_MSIX_FLAGS_ENABLE))
		return 0;
	return c->id.messages.msix;
}

bool config_msix_masked(const struct config_space *c)
{
	return get(c, CAP_MSIX + PCI_MSIX_FLAGS, 2) & PCI_MSIX_FLAGS_MASKALL;
}

unsigned int config_msi(const struct config_space *c)
{
	uint32_t flags = get(c, CAP_MSI + PCI_MSI_FLAGS, 2);
	unsigned int granted = 1u << ((flags & PCI_MSI_FLAGS_QSIZE) >> 4);

	if (!c->id.messages.msi || !(flags & PCI_MSI_FLAGS_ENABLE))
		return 0;
	return granted < c->id.messages.msi ? granted : c->id.messages.msi;
}

bool config_msi_nowhere(const struct config_space *c)
{
	return !config_msix(c) && config_msi(c) && !get(c, CAP_MSI + PCI_MSI_ADDRESS_LO, 4) &&
	       !get(c, CAP_MSI + PCI_MSI_ADDRESS_HI, 4);
}

bool config_memory_on(const struct config_space *c)
{
	return config_full_power(c) && get(c, PCI_COMMAND, 2) & PCI_COMMAND_MEMORY;
}

bool config_master_on(const struct config_space *c)
{
	return config_full_power(c) && get(c, PCI_COMMAND, 2) & PCI_COMMAND_MASTER;
}
