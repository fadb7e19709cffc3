// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PCI configuration space: values, which bits can be written, and the few that do something.
 */
#include "config_space.h"

#include <string.h>

#include <linux/pci_regs.h>

#define CAP_PM 0x40
#define CAP_EXP 0x50
#define CLASS_CODE 0xff0000u /* fits no defined class */
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

static void init_bars(struct config_space *c, const uint32_t *bar_size)
{
	unsigned int i;

	for (i = 0; i + 1 < BARS; i++) {
		if (!bar_size[i])
			continue;
		reg(c, PCI_BASE_ADDRESS_0 + 4 * i, 4,
		    PCI_BASE_ADDRESS_SPACE_MEMORY | PCI_BASE_ADDRESS_MEM_TYPE_64, -bar_size[i]);
		reg(c, PCI_BASE_ADDRESS_0 + 4 * i + 4, 4, 0, ~0u);
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
	reg(c, CAP_EXP, 2, PCI_CAP_ID_EXP, 0);
	reg(c, CAP_EXP + PCI_EXP_FLAGS, 2, 2 | PCI_EXP_TYPE_ENDPOINT << 4, 0);
	reg(c, CAP_EXP + PCI_EXP_DEVCAP, 4,
	    PCI_EXP_DEVCAP_FLR | PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_EXT_TAG | 1, 0);
	reg(c, CAP_EXP + PCI_EXP_DEVCTL, 2,
	    PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_READRQ_512B,
	    (uint16_t)~PCI_EXP_DEVCTL_BCR_FLR);
	put(c->clear + CAP_EXP + PCI_EXP_DEVSTA, 0xf, 2);
	reg(c, CAP_EXP + PCI_EXP_LNKCAP, 4, PCI_EXP_LNKCAP_SLS_8_0GB | 8 << 4, 0);
	reg(c, CAP_EXP + PCI_EXP_LNKCTL, 2, 0, PCI_EXP_LNKCTL_ASPMC | PCI_EXP_LNKCTL_CCC);
	reg(c, CAP_EXP + PCI_EXP_LNKSTA, 2,
	    PCI_EXP_LNKSTA_CLS_8_0GB | PCI_EXP_LNKSTA_NLW_X8 | PCI_EXP_LNKSTA_SLC, 0);
	reg(c, CAP_EXP + PCI_EXP_DEVCTL2, 2, 0, PCI_EXP_DEVCTL2_COMP_TIMEOUT);
	reg(c, CAP_EXP + PCI_EXP_LNKCAP2, 4,
	    PCI_EXP_LNKCAP2_SLS_2_5GB | PCI_EXP_LNKCAP2_SLS_5_0GB | PCI_EXP_LNKCAP2_SLS_8_0GB, 0);
	reg(c, CAP_EXP + PCI_EXP_LNKCTL2, 2, PCI_EXP_LNKCTL2_TLS_8_0GT, PCI_EXP_LNKCTL2_TLS);
}

void config_init(struct config_space *c, unsigned int vendor, unsigned int device,
		 const uint32_t *bar_size)
{
	memset(c, 0, sizeof(*c));
	reg(c, PCI_VENDOR_ID, 2, vendor, 0);
	reg(c, PCI_DEVICE_ID, 2, device, 0);
	reg(c, PCI_COMMAND, 2, 0,
	    PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY | PCI_COMMAND_SERR |
		    PCI_COMMAND_INTX_DISABLE);
	reg(c, PCI_STATUS, 2, PCI_STATUS_CAP_LIST, 0);
	put(c->clear + PCI_STATUS, 0xf900, 2);
	reg(c, PCI_CLASS_REVISION, 4, CLASS_CODE << 8, 0);
	reg(c, PCI_CACHE_LINE_SIZE, 1, 0, 0xff);
	init_bars(c, bar_size);
	/* The real subsystem ids are not known. */
	reg(c, PCI_SUBSYSTEM_VENDOR_ID, 2, vendor, 0);
	reg(c, PCI_SUBSYSTEM_ID, 2, device, 0);
	reg(c, PCI_CAPABILITY_LIST, 1, CAP_PM, 0);
	reg(c, PCI_INTERRUPT_LINE, 1, 0, 0xff);
	reg(c, PCI_INTERRUPT_PIN, 1, 1, 0);
	init_power(c);
	init_express(c);
}

void config_reset(struct config_space *c)
{
	uint32_t bar_size[BARS] = {0};
	unsigned int i;

	for (i = 0; i + 1 < BARS; i++) {
		uint32_t writable;

		memcpy(&writable, c->writable + PCI_BASE_ADDRESS_0 + 4 * i, 4);
		/* A low half has its type in bits that cannot be written. */
		if (writable && writable != ~0u)
			bar_size[i] = -writable;
	}
	config_init(c, get(c, PCI_VENDOR_ID, 2), get(c, PCI_DEVICE_ID, 2), bar_size);
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

static bool full_power(const struct config_space *c)
{
	return !(get(c, CAP_PM + PCI_PM_CTRL, 2) & PCI_PM_CTRL_STATE_MASK);
}

bool config_memory_on(const struct config_space *c)
{
	return full_power(c) && get(c, PCI_COMMAND, 2) & PCI_COMMAND_MEMORY;
}

bool config_master_on(const struct config_space *c)
{
	return full_power(c) && get(c, PCI_COMMAND, 2) & PCI_COMMAND_MASTER;
}
