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
	bool bars_32bit;	  /* else a BAR takes the place of the next one, too */
	unsigned int pcie_gen;	  /* 2 or 3, x8 */
	struct card_messages messages;
};

struct config_space {
	struct config_id id;
	uint8_t value[VU_CONFIG_SIZE];
	uint8_t writable[VU_CONFIG_SIZE]; /* bits that keep what is written */
	uint8_t clear[VU_CONFIG_SIZE];	  /* bits that a written 1 clears */
};

void config_init(struct config_space *c, const struct config_id *id);
/* Back to power-on values. */
void config_reset(struct config_space *c);
/* What the card shows at a multiple of 4 from now on, until it is reset. */
void config_poke(struct config_space *c, uint32_t off, uint32_t value);
void config_read(const struct config_space *c, uint32_t off, void *data, uint32_t len);
/* True when the write asked for a function-level reset. */
bool config_write(struct config_space *c, uint32_t off, const void *data, uint32_t len);

/* Vectors of MSI-X and of MSI that the host has enabled; 0: it has not. */
unsigned int config_msix(const struct config_space *c);
unsigned int config_msi(const struct config_space *c);
/* Messages are of MSI, whose address is 0: the host has taken it back and not switched them off. */
bool config_msi_nowhere(const struct config_space *c);
/* All MSI-X vectors wait. */
bool config_msix_masked(const struct config_space *c);

bool config_full_power(const struct config_space *c);
/* Power management does not promise that the state outlives D3hot. */
bool config_sleep_resets(const struct config_space *c);
bool config_memory_on(const struct config_space *c);
bool config_master_on(const struct config_space *c);

#endif /* EMU_CONFIG_SPACE_H */
