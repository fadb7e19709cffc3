// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read the card block of the hardware contracts: identity, sensors, features. */
#include <math.h>
#include <stdio.h>

#include "kmod/core/contract_regs.h"
#include "libroc/board/libroc_pass.h"

/* Decode four decimal digits in ASCII, the first in the lowest byte. */
static int32_t serial_number(uint32_t digits)
{
	int32_t number = 0;
	unsigned int i;

	for (i = 0; i < 4; i++, digits >>= 8) {
		if ((digits & 0xff) < '0' || (digits & 0xff) > '9')
			return -1;
		number = 10 * number + (int32_t)(digits & 0xff) - '0';
	}
	return number;
}

void libroc_card_block_read(struct libroc_pass *c, unsigned int bar, uint32_t base,
			    struct libroc_card_block *b)
{
	uint32_t firmware = libroc_pass_read(c, bar, base + CARD_FIRMWARE);
	uint32_t date = libroc_pass_read(c, bar, base + CARD_DATE);
	uint32_t daytime = libroc_pass_read(c, bar, base + CARD_TIME);
	uint32_t temperature = libroc_pass_read(c, bar, base + CARD_TEMPERATURE);

	*b = (struct libroc_card_block){
		.chip_id = libroc_pass_read_count(c, bar, base + CARD_CHIP_LOW),
		.cycles = libroc_pass_read_count(c, bar, base + CARD_CYCLES),
		.temperature = temperature == CARD_TEMPERATURE_NONE
				       ? NAN
				       : (double)(int32_t)temperature / 1000,
		.clock = libroc_pass_read(c, bar, base + CARD_CLOCK),
		.features = libroc_pass_read(c, bar, base + CARD_FEATURES),
		.units = libroc_pass_read(c, bar, base + CARD_UNITS),
		.source = libroc_pass_read(c, bar, base + CARD_SOURCE),
		.serial = serial_number(libroc_pass_read(c, bar, base + CARD_SERIAL)),
	};
	snprintf(b->firmware, sizeof(b->firmware), "%u.%u.%u", firmware >> 16, firmware >> 8 & 0xff,
		 firmware & 0xff);
	snprintf(b->hash, sizeof(b->hash), "%08x", libroc_pass_read(c, bar, base + CARD_HASH));
	/* Date and time are binary-coded decimals. */
	snprintf(b->date, sizeof(b->date), "%04x-%02x-%02x %02x:%02x:%02x", date >> 16,
		 date >> 8 & 0xff, date & 0xff, daytime >> 16 & 0xff, daytime >> 8 & 0xff,
		 daytime & 0xff);
}
