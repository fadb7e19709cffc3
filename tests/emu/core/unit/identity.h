/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Identity of a card with streams or sub-units: the block of the card in its open BAR, and the keys
 * behind it. The registers have the same layout in both interfaces; kmod/core/contract_regs.h has
 * the names.
 */
#ifndef EMU_IDENTITY_H
#define EMU_IDENTITY_H

#include "../events.h"

struct identity {
	/* of the model, constant */
	uint32_t id, units, features; /* registers; features but for the temperature's */
	uint32_t source_default;
	uint64_t chip; /* the serial number is added */
	uint32_t clock;
	uint64_t power_on_ns;
	/* registers */
	uint32_t source, test;
	/* keys */
	struct event_setup messages; /* interrupts, vectors */
	uint32_t serial;	     /* as the register shows it */
	uint32_t firmware;	     /* hash */
	int64_t temperature;	     /* 1/1000 degC; INT32_MIN: no sensor */
};

uint64_t identity_cycles(const struct identity *d, uint64_t now);
/* Set the writable registers to their values after reset. */
void identity_default(struct identity *d);
uint32_t identity_read(const struct identity *d, uint32_t off, uint64_t now);
void identity_write(struct identity *d, uint32_t off, uint32_t value);
bool identity_poke(struct identity *d, uint32_t off, uint32_t value);

int identity_set_temperature(struct identity *d, const char *text, char *err);
void identity_get_temperature(const struct identity *d, char *text, size_t size);

/* A register of 64 bits in two halves, the low one at a multiple of 8 bytes. */
static inline uint32_t register_half(uint64_t value, uint32_t off)
{
	return off & 4 ? value >> 32 : value;
}

static inline void register_set_half(uint64_t *value, uint32_t off, uint32_t word)
{
	if (off & 4)
		*value = (uint32_t)*value | (uint64_t)word << 32;
	else
		*value = *value >> 32 << 32 | word;
}

#endif /* EMU_IDENTITY_H */
