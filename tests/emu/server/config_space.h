/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCI configuration space of one function: an endpoint with two memory BARs, power management and
 * PCI Express capabilities, INTx pin A and no MSI.
 */
#ifndef EMU_CONFIG_SPACE_H
#define EMU_CONFIG_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "proto.h"

struct config_space {
	uint8_t value[VU_CONFIG_SIZE];
	uint8_t writable[VU_CONFIG_SIZE]; /* bits that keep what is written */
	uint8_t clear[VU_CONFIG_SIZE];	  /* bits that a written 1 clears */
};

void config_init(struct config_space *c, unsigned int vendor, unsigned int device,
		 const uint32_t *bar_size);
/* Back to power-on values. */
void config_reset(struct config_space *c);
void config_read(const struct config_space *c, uint32_t off, void *data, uint32_t len);
/* True when the write asked for a function-level reset. */
bool config_write(struct config_space *c, uint32_t off, const void *data, uint32_t len);

bool config_memory_on(const struct config_space *c);
bool config_master_on(const struct config_space *c);

#endif /* EMU_CONFIG_SPACE_H */
