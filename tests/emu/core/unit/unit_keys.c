// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings of every card of units on the command line and the control socket. See unit.h.
 */
#include "unit.h"
#include "../values.h"

int unit_set_rate(void *card, unsigned int fn, const char *text, char *err)
{
	struct unit_card *c = card;
	uint64_t value[VALUES_LINKS_MAX];
	unsigned int i;

	for (i = 0; i < c->ops->count; i++)
		value[i] = unit_of(c, i)->rate;
	if (value_list_parse(&value_rate, text, value, c->ops->count, err))
		return -1;
	for (i = 0; i < c->ops->count; i++) {
		unit_of(c, i)->rate = value[i];
		unit_of(c, i)->pace_ns = 0;
	}
	return 0;
}

void unit_get_rate(void *card, unsigned int fn, char *text, size_t size)
{
	struct unit_card *c = card;
	uint64_t value[VALUES_LINKS_MAX];
	unsigned int i;

	for (i = 0; i < c->ops->count; i++)
		value[i] = unit_of(c, i)->rate;
	value_list_print(&value_rate, value, c->ops->count, text, size);
}

/* START after the next reset. A unit that is disabled takes it immediately. */
int unit_set_start(void *card, unsigned int fn, const char *text, char *err)
{
	struct unit_card *c = card;
	uint64_t value;
	unsigned int i;

	if (value_count.parse(text, &value, err))
		return -1;
	c->start = value;
	for (i = 0; i < c->ops->count; i++) {
		if (!unit_of(c, i)->enabled && !unit_of(c, i)->loading)
			unit_of(c, i)->start = value;
	}
	return 0;
}

void unit_get_start(void *card, unsigned int fn, char *text, size_t size)
{
	value_count.print(((struct unit_card *)card)->start, text, size);
}

int unit_set_temperature(void *card, unsigned int fn, const char *text, char *err)
{
	return identity_set_temperature(&((struct unit_card *)card)->identity, text, err);
}

void unit_get_temperature(void *card, unsigned int fn, char *text, size_t size)
{
	identity_get_temperature(&((struct unit_card *)card)->identity, text, size);
}

int unit_set_firmware(void *card, unsigned int fn, const char *text, char *err)
{
	uint64_t value;

	if (value_hex.parse(text, &value, err))
		return -1;
	((struct unit_card *)card)->identity.firmware = value;
	return 0;
}

void unit_get_firmware(void *card, unsigned int fn, char *text, size_t size)
{
	value_hex.print(((struct unit_card *)card)->identity.firmware, text, size);
}

int unit_set_serial(void *card, unsigned int fn, const char *text, char *err)
{
	unsigned int serial;

	if (value_serial_parse(text, &serial, err))
		return -1;
	((struct unit_card *)card)->identity.serial = value_serial_word(serial);
	return 0;
}

void unit_get_serial(void *card, unsigned int fn, char *text, size_t size)
{
	value_serial_print(((struct unit_card *)card)->identity.serial, text, size);
}

int unit_set_interrupts(void *card, unsigned int fn, const char *text, char *err)
{
	return event_set_interrupts(&((struct unit_card *)card)->identity.messages, text, err);
}

void unit_get_interrupts(void *card, unsigned int fn, char *text, size_t size)
{
	event_get_interrupts(&((struct unit_card *)card)->identity.messages, text, size);
}

int unit_set_vectors(void *card, unsigned int fn, const char *text, char *err)
{
	struct unit_card *c = card;
	int rc = event_set_vectors(&c->identity.messages, text, err);
	unsigned int i;

	for (i = 0; i < c->ops->count; i++)
		unit_vectors(unit_of(c, i));
	return rc;
}

void unit_get_vectors(void *card, unsigned int fn, char *text, size_t size)
{
	event_get_vectors(&((struct unit_card *)card)->identity.messages, text, size);
}
