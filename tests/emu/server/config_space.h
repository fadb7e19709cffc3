/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCI configuration space of one function: an endpoint with memory BARs, power management and
 * PCI Express capabilities, INTx pin A; with the event interface also MSI, MSI-X and its
 * capability.
 */
#ifndef EMU_CONFIG_SPACE_H
#define EMU_CONFIG_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/emu/core/card.h"
#include "proto.h"

struct config_id {
	unsigned int vendor, device;
	const uint32_t *bar_size; /* of six, 0: no such BAR */
	bool bars_32bit;	  /* else a BAR also occupies the next place */
	unsigned int pcie_gen;	  /* 2 or 3, x8 */
	struct card_messages messages;
};

struct config_space {
	struct config_id id;
	uint8_t value[VU_CONFIG_SIZE];
	uint8_t writable[VU_CONFIG_SIZE]; /* writable bits */
	uint8_t clear[VU_CONFIG_SIZE];	  /* bits that a written 1 clears */
};

void config_init(struct config_space *c, const struct config_id *id);
/* Reset to power-on values. */
void config_reset(struct config_space *c);
/* Change the value that the card shows at @off, a multiple of 4, until it is reset. */
void config_poke(struct config_space *c, uint32_t off, uint32_t value);
void config_read(const struct config_space *c, uint32_t off, void *data, uint32_t len);
/* Returns true if the write requested a function-level reset. */
bool config_write(struct config_space *c, uint32_t off, const void *data, uint32_t len);

/* Enabled vectors of MSI-X and of MSI; 0: the host has not enabled them. */
unsigned int config_msix(const struct config_space *c);
unsigned int config_msi(const struct config_space *c);
/*
 * Is MSI enabled with address 0? The host has cleared the address without disabling the messages.
 */
bool config_msi_nowhere(const struct config_space *c);
/* Are all MSI-X vectors masked? */
bool config_msix_masked(const struct config_space *c);

bool config_full_power(const struct config_space *c);
/* Does power management allow the state to be lost in D3hot? */
bool config_sleep_resets(const struct config_space *c);
bool config_memory_on(const struct config_space *c);
bool config_master_on(const struct config_space *c);

#endif /* EMU_CONFIG_SPACE_H */
