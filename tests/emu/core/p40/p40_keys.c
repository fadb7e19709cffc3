// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The PCIe40's settings, as the command line and the control socket name them. What firmware lets
 * a host set is not here but in BAR 2.
 */
#include "p40.h"
#include "../values.h"

#define FIRMWARE_DEFAULT 0x40e0c0de
#define SERIAL_DEFAULT 4001
#define TEMPERATURE_DEFAULT 45000

static int set_rate(void *card, unsigned int fn, const char *text, char *err)
{
	struct p40 *c = card;
	uint64_t value[P40_STREAMS];
	unsigned int i;

	for (i = 0; i < P40_STREAMS; i++)
		value[i] = c->st[i].rate;
	if (value_list_parse(&value_rate, text, value, P40_STREAMS, err))
		return -1;
	for (i = 0; i < P40_STREAMS; i++) {
		c->st[i].rate = value[i];
		c->st[i].pace_ns = 0;
	}
	return 0;
}

static void get_rate(void *card, unsigned int fn, char *text, size_t size)
{
	struct p40 *c = card;
	uint64_t value[P40_STREAMS];
	unsigned int i;

	for (i = 0; i < P40_STREAMS; i++)
		value[i] = c->st[i].rate;
	value_list_print(&value_rate, value, P40_STREAMS, text, size);
}

/* What START is after the next reset; streams that are off have it at once. */
static int set_position_start(void *card, unsigned int fn, const char *text, char *err)
{
	struct p40 *c = card;
	uint64_t value;
	unsigned int i;

	if (value_count.parse(text, &value, err))
		return -1;
	c->position_start = value;
	for (i = 0; i < P40_STREAMS; i++) {
		if (!c->st[i].enabled && !c->st[i].loading)
			c->st[i].start = value;
	}
	return 0;
}

static void get_position_start(void *card, unsigned int fn, char *text, size_t size)
{
	value_count.print(((struct p40 *)card)->position_start, text, size);
}

/* Bytes behind the told position are not kept when it is switched. */
static int set_recycle(void *card, unsigned int fn, const char *text, char *err)
{
	struct p40 *c = card;
	uint64_t value;
	unsigned int i;

	if (value_on_off.parse(text, &value, err))
		return -1;
	c->recycle = value;
	for (i = 0; i < P40_STREAMS; i++)
		c->st[i].recycled = 0;
	return 0;
}

static void get_recycle(void *card, unsigned int fn, char *text, size_t size)
{
	value_on_off.print(((struct p40 *)card)->recycle, text, size);
}

VALUE_KEY(stamp, value_on_off, struct p40, c->stamp)
VALUE_KEY(firmware, value_hex, struct p40, c->identity.firmware)

IDENTITY_KEY(temperature, struct p40, identity_set_temperature, identity_get_temperature,
	     &c->identity)
IDENTITY_KEY(serial, struct p40, identity_set_serial, identity_get_serial, &c->identity)
IDENTITY_KEY(interrupts, struct p40, event_set_interrupts, event_get_interrupts,
	     &c->identity.messages)

static int set_vectors(void *card, unsigned int fn, const char *text, char *err)
{
	struct p40 *c = card;
	int rc = event_set_vectors(&c->identity.messages, text, err);
	unsigned int i;

	for (i = 0; i < P40_STREAMS; i++)
		c->st[i].vector = i + 1 < c->identity.messages.vectors ? i + 1 : 0;
	return rc;
}

static void get_vectors(void *card, unsigned int fn, char *text, size_t size)
{
	event_get_vectors(&((struct p40 *)card)->identity.messages, text, size);
}

#define PER_CARD false, false
#define AT_START false, true

const struct card_key p40_keys[] = {
	{"rate", "bytes/s into the ring of a stream, 0: no limit", PER_CARD, set_rate, get_rate},
	{"recycle", "on or off: units are written and never told of", PER_CARD, set_recycle,
	 get_recycle},
	{"stamp", "on or off: packets of main have the card's time in their payload", PER_CARD,
	 set_stamp, get_stamp},
	{"position-start", "position at which streams begin", PER_CARD, set_position_start,
	 get_position_start},
	{"temperature", "degC or none", PER_CARD, set_temperature, get_temperature},
	{"firmware", "git hash", PER_CARD, set_firmware, get_firmware},
	{"serial", "0 to 9999", AT_START, set_serial, get_serial},
	{"interrupts", "msix, msix-open, msi or none", AT_START, set_interrupts, get_interrupts},
	{"vectors", "0 to 32", AT_START, set_vectors, get_vectors},
	{},
};

void p40_keys_default(struct p40 *c)
{
	c->identity.messages = (struct event_setup){
		.interrupts = EVENT_MSIX,
		.vectors = P40_VECTORS,
		.bar = P40_BAR_DMA,
		.table_offset = P40_MSIX_TABLE,
		.pending_offset = P40_MSIX_PENDING,
	};
	c->identity.serial = value_serial_word(SERIAL_DEFAULT);
	c->identity.firmware = FIRMWARE_DEFAULT;
	c->identity.temperature = TEMPERATURE_DEFAULT;
}
