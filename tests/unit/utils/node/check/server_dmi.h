/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write the DMI table of a server with six memory channels for each socket and two slots for each
 * channel, as the firmware of a manufacturer does. Included after unit.h.
 */
#ifndef ROC_UNIT_NODE_SERVER_DMI_H
#define ROC_UNIT_NODE_SERVER_DMI_H

#include <stdint.h>

#define SERVER_CHANNELS 6

enum server_maker {
	MAKER_LETTERS, /* P1-DIMMA1 */
	MAKER_CPU,     /* CPU1_DIMM_A1 */
	MAKER_SOCKET,  /* DIMM_P0_A0 */
	MAKER_BANK,    /* the bank is P0 CHANNEL A */
	MAKER_NODES,   /* the bank is P0_Node0_Channel0_Dimm0, with two nodes of three channels */
	MAKER_NODE,    /* NODE 1 CHANNEL 0 DIMM 0 */
	MAKER_CHANNEL, /* CPU0_Channel0_DIMM0 */
	MAKER_NUMBERS, /* PROC 1 DIMM 1, numbered consecutively */
	MAKER_SHORT,   /* A1: has no socket */
};
static enum server_maker server_maker;

static struct {
	unsigned int slot, gib, speed, configured;
} server_odd; /* a memory module that differs from the others; gib 0: none */

/* Add a structure of the DMI table and its strings, which end with NULL. */
static size_t server_dmi_entry(uint8_t *at, const uint8_t *data, size_t length,
			       const char *const *texts)
{
	uint8_t *p = at + length;

	memcpy(at, data, length);
	for (; *texts; texts++)
		p = (uint8_t *)stpcpy((char *)p, *texts) + 1;
	if (p == at + length)
		*p++ = 0;
	*p++ = 0;
	return (size_t)(p - at);
}

static void server_slot(unsigned int socket, unsigned int slot, char *locator, char *bank,
			size_t size)
{
	unsigned int channel = slot % SERVER_CHANNELS, place = slot / SERVER_CHANNELS;
	char letter = (char)('A' + channel);

	snprintf(locator, size, "DIMM %u", slot);
	snprintf(bank, size, "BANK %u", slot);
	switch (server_maker) {
	case MAKER_LETTERS:
		snprintf(locator, size, "P%u-DIMM%c%u", socket + 1, letter, place + 1);
		break;
	case MAKER_CPU:
		snprintf(locator, size, "CPU%u_DIMM_%c%u", socket + 1, letter, place + 1);
		break;
	case MAKER_SOCKET:
		snprintf(locator, size, "DIMM_P%u_%c%u", socket, letter, place);
		break;
	case MAKER_BANK:
		snprintf(bank, size, "P%u CHANNEL %c", socket, letter);
		break;
	case MAKER_NODES:
		snprintf(bank, size, "P%u_Node%u_Channel%u_Dimm%u", socket, channel / 3,
			 channel % 3, place);
		break;
	case MAKER_NODE:
		snprintf(locator, size, "NODE %u CHANNEL %u DIMM %u", socket + 1, channel, place);
		break;
	case MAKER_CHANNEL:
		snprintf(locator, size, "CPU%u_Channel%u_DIMM%u", socket, channel, place);
		break;
	case MAKER_NUMBERS:
		snprintf(locator, size, "PROC %u DIMM %u", socket + 1, slot + 1);
		break;
	case MAKER_SHORT:
		snprintf(locator, size, "%c%u", 'A' + socket, slot + 1);
		break;
	}
}

static void server_module(uint8_t *device, unsigned int slot)
{
	unsigned int gib = 16, speed = 2666, configured = 2666;

	if (server_odd.gib && server_odd.slot == slot) {
		gib = server_odd.gib;
		speed = server_odd.speed;
		configured = server_odd.configured;
	}
	/* Sizes from 32 GiB on are in the extended field. */
	device[0x0c] = gib < 32 ? 0 : 0xff;
	device[0x0d] = (uint8_t)(gib < 32 ? gib << 2 : 0x7f);
	device[0x1d] = (uint8_t)(gib << 2);
	device[0x1e] = (uint8_t)(gib >> 6);
	device[0x15] = (uint8_t)speed;
	device[0x16] = (uint8_t)(speed >> 8);
	device[0x20] = (uint8_t)configured;
	device[0x21] = (uint8_t)(configured >> 8);
}

/* @filled: modules on each socket, the first of two slots of a channel before the second. */
static size_t server_dmi_table(uint8_t *table, const unsigned int *filled, unsigned int sockets)
{
	static const char *const none[] = {NULL}, *const chip[] = {"BIOS", NULL};
	uint8_t array[0x17] = {16, sizeof(array), 0, 0x10, 3, 3};
	uint8_t flash[0x17] = {16, sizeof(flash), 1, 0x10, 3, 5};
	uint8_t cpu[0x1a] = {4, sizeof(cpu), 0, 4, 0, 3};
	uint8_t end[4] = {127, sizeof(end), 0xff, 0xfe};
	char locator[48], bank[48];
	const char *const texts[] = {locator, bank, NULL};
	unsigned int s, slot;
	size_t used = 0;

	for (s = 0; s < sockets; s++) {
		cpu[0x18] = 0x41;
		used += server_dmi_entry(table + used, cpu, sizeof(cpu), none);
	}
	used += server_dmi_entry(table + used, array, sizeof(array), none);
	used += server_dmi_entry(table + used, flash, sizeof(flash), none);
	for (s = 0; s < sockets; s++) {
		for (slot = 0; slot < 2 * SERVER_CHANNELS; slot++) {
			uint8_t d[0x28] = {17, sizeof(d), (uint8_t)slot, 0x11, 0, 0x10};

			server_slot(s, slot, locator, bank, sizeof(bank));
			d[0x10] = 1;
			d[0x11] = 2;
			if (slot < filled[s])
				server_module(d, slot);
			used += server_dmi_entry(table + used, d, sizeof(d), texts);
		}
	}
	/* An array that is not main memory, which must not be counted. */
	{
		uint8_t d[0x28] = {17, sizeof(d), 0xee, 0x11, 1, 0x10, [0x0c] = 16, [0x10] = 1};

		used += server_dmi_entry(table + used, d, sizeof(d), chip);
	}
	return used + server_dmi_entry(table + used, end, sizeof(end), none);
}

#endif
