// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RobinNP's settings, as the command line and the control socket name them. What firmware lets
 * a host set is not here but in BAR 2.
 */
#include "robinnp.h"
#include "../values.h"

#include <stdio.h>

#define FIRMWARE_DEFAULT 0x40b1c0de
#define SERIAL_DEFAULT 6001
#define TEMPERATURE_DEFAULT 45000
#define MEMORY_MAX (4u << 20) /* KiB */

static int set_rate(void *card, unsigned int fn, const char *text, char *err)
{
	struct robinnp *c = card;
	uint64_t value[ROBINNP_SUBS];
	unsigned int i;

	for (i = 0; i < ROBINNP_SUBS; i++)
		value[i] = c->sub[i].rate;
	if (value_list_parse(&value_rate, text, value, ROBINNP_SUBS, err))
		return -1;
	for (i = 0; i < ROBINNP_SUBS; i++) {
		c->sub[i].rate = value[i];
		c->sub[i].pace_ns = 0;
	}
	return 0;
}

static void get_rate(void *card, unsigned int fn, char *text, size_t size)
{
	struct robinnp *c = card;
	uint64_t value[ROBINNP_SUBS];
	unsigned int i;

	for (i = 0; i < ROBINNP_SUBS; i++)
		value[i] = c->sub[i].rate;
	value_list_print(&value_rate, value, ROBINNP_SUBS, text, size);
}

/* What START is after the next reset; sub-units that are off have it at once. */
static int set_count_start(void *card, unsigned int fn, const char *text, char *err)
{
	struct robinnp *c = card;
	uint64_t value;
	unsigned int i;

	if (value_count.parse(text, &value, err))
		return -1;
	c->count_start = value;
	for (i = 0; i < ROBINNP_SUBS; i++) {
		if (!c->sub[i].enabled && !c->sub[i].loading)
			c->sub[i].start = value;
	}
	return 0;
}

static void get_count_start(void *card, unsigned int fn, char *text, size_t size)
{
	value_count.print(((struct robinnp *)card)->count_start, text, size);
}

static int set_memory(void *card, unsigned int fn, const char *text, char *err)
{
	uint64_t value;

	if (value_count.parse(text, &value, err))
		return -1;
	if (value < 64 || value > MEMORY_MAX) {
		snprintf(err, CARD_ERR, "'%.40s' is not a number from 64 to %u", text, MEMORY_MAX);
		return -1;
	}
	((struct robinnp *)card)->memory = value;
	return 0;
}

static void get_memory(void *card, unsigned int fn, char *text, size_t size)
{
	value_count.print(((struct robinnp *)card)->memory, text, size);
}

VALUE_KEY(shuffle, value_on_off, struct robinnp, c->shuffle)
VALUE_KEY(firmware, value_hex, struct robinnp, c->identity.firmware)

IDENTITY_KEY(temperature, struct robinnp, identity_set_temperature, identity_get_temperature,
	     &c->identity)
IDENTITY_KEY(serial, struct robinnp, identity_set_serial, identity_get_serial, &c->identity)
IDENTITY_KEY(interrupts, struct robinnp, event_set_interrupts, event_get_interrupts,
	     &c->identity.messages)

static int set_vectors(void *card, unsigned int fn, const char *text, char *err)
{
	struct robinnp *c = card;
	int rc = event_set_vectors(&c->identity.messages, text, err);
	unsigned int i;

	for (i = 0; i < ROBINNP_SUBS; i++)
		robinnp_vectors(&c->sub[i]);
	return rc;
}

static void get_vectors(void *card, unsigned int fn, char *text, size_t size)
{
	event_get_vectors(&((struct robinnp *)card)->identity.messages, text, size);
}

#define PER_CARD false, false
#define AT_START false, true

const struct card_key robinnp_keys[] = {
	{"rate", "bytes/s of data to host pages of a sub-unit, 0: no limit", PER_CARD, set_rate,
	 get_rate},
	{"shuffle", "on or off: commands are carried out in another order", PER_CARD, set_shuffle,
	 get_shuffle},
	{"count-start", "at which the counts of sub-units begin", PER_CARD, set_count_start,
	 get_count_start},
	{"temperature", "degC or none", PER_CARD, set_temperature, get_temperature},
	{"firmware", "git hash", PER_CARD, set_firmware, get_firmware},
	{"memory", "KiB of page memory of each link", AT_START, set_memory, get_memory},
	{"serial", "0 to 9999", AT_START, set_serial, get_serial},
	{"interrupts", "msix, msix-open, msi or none", AT_START, set_interrupts, get_interrupts},
	{"vectors", "0 to 32", AT_START, set_vectors, get_vectors},
	{},
};

void robinnp_keys_default(struct robinnp *c)
{
	c->identity.messages = (struct event_setup){
		.interrupts = EVENT_MSIX,
		.vectors = ROBINNP_VECTORS,
		.bar = ROBINNP_BAR_DMA,
		.table_offset = ROBINNP_MSIX_TABLE,
		.pending_offset = ROBINNP_MSIX_PENDING,
	};
	c->identity.serial = value_serial_word(SERIAL_DEFAULT);
	c->identity.firmware = FIRMWARE_DEFAULT;
	c->identity.temperature = TEMPERATURE_DEFAULT;
	c->memory = ROBINNP_MEMORY;
}
