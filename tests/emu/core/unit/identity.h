/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who a card with streams or sub-units says it is: the block of the card in its open BAR, and the
 * keys behind it. The registers lie alike in both interfaces; kmod/core/contract_regs.h has the
 * names.
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
/* Values after reset of what can be written. */
void identity_default(struct identity *d);
uint32_t identity_read(const struct identity *d, uint32_t off, uint64_t now);
void identity_write(struct identity *d, uint32_t off, uint32_t value);
bool identity_poke(struct identity *d, uint32_t off, uint32_t value);

int identity_set_temperature(struct identity *d, const char *text, char *err);
void identity_get_temperature(const struct identity *d, char *text, size_t size);
int identity_set_serial(struct identity *d, const char *text, char *err);
void identity_get_serial(const struct identity *d, char *text, size_t size);

/* The set and get of a key, by functions that take @what, which may use c. */
#define IDENTITY_KEY(key, model, parse, print, what)                                               \
	static int set_##key(void *card, unsigned int fn, const char *text, char *err)             \
	{                                                                                          \
		model *c = card;                                                                   \
		return parse(what, text, err);                                                     \
	}                                                                                          \
	static void get_##key(void *card, unsigned int fn, char *text, size_t size)                \
	{                                                                                          \
		model *c = card;                                                                   \
		print(what, text, size);                                                           \
	}

#endif /* EMU_IDENTITY_H */
