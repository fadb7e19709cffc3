// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a PCIe40 says of itself.
 */
#include <math.h>
#include <stdio.h>

#include <roc/p40.h>

#include "kmod/cards/p40/p40_regs.h"
#include "kmod/stream/stream_regs.h"
#include "libroc/board/libroc_pass.h"

static uint32_t card_word(struct libroc_pass *c, uint32_t offset)
{
	return libroc_pass_read(c, P40_BAR_CARD, P40_CARD + offset);
}

/* Four decimal digits as characters, the first in the lowest byte. */
static int32_t serial_number(uint32_t word)
{
	int32_t number = 0;
	unsigned int i;

	for (i = 0; i < 4; i++, word >>= 8) {
		if ((word & 0xff) < '0' || (word & 0xff) > '9')
			return -1;
		number = 10 * number + (int32_t)(word & 0xff) - '0';
	}
	return number;
}

static uint64_t wide(struct libroc_pass *c, uint32_t offset)
{
	return libroc_pass_read_count(c, P40_BAR_CARD, P40_CARD + offset);
}

int roc_p40_status_read(struct roc_endpoint *ep, struct roc_p40_status *status)
{
	uint32_t firmware, date, daytime, temperature;
	struct roc_p40_status now;
	struct libroc_pass c;
	int ret;

	ret = libroc_pass_begin(ep, &c, ROC_CARD_P40, false, NULL);
	if (ret)
		return ret;
	firmware = card_word(&c, CARD_FIRMWARE);
	date = card_word(&c, CARD_DATE);
	daytime = card_word(&c, CARD_TIME);
	temperature = card_word(&c, CARD_TEMPERATURE);
	now = (struct roc_p40_status){
		.chip_id = wide(&c, CARD_CHIP_LOW),
		.cycles = wide(&c, CARD_CYCLES),
		.temperature = temperature == CARD_TEMPERATURE_NONE
				       ? NAN
				       : (double)(int32_t)temperature / 1000,
		.clock = card_word(&c, CARD_CLOCK),
		.features = card_word(&c, CARD_FEATURES),
		.streams = card_word(&c, CARD_UNITS),
		.enabled = card_word(&c, STREAM_CARD_ENABLE),
		.source = card_word(&c, CARD_SOURCE),
		.serial = serial_number(card_word(&c, CARD_SERIAL)),
	};
	snprintf(now.firmware, sizeof(now.firmware), "%u.%u.%u", firmware >> 16,
		 firmware >> 8 & 0xff, firmware & 0xff);
	snprintf(now.hash, sizeof(now.hash), "%08x", card_word(&c, CARD_HASH));
	/* Decimal digits, four bits each. */
	snprintf(now.date, sizeof(now.date), "%04x-%02x-%02x %02x:%02x:%02x", date >> 16,
		 date >> 8 & 0xff, date & 0xff, daytime >> 16 & 0xff, daytime >> 8 & 0xff,
		 daytime & 0xff);
	ret = libroc_pass_end(&c);
	if (!ret)
		*status = now;
	return ret;
}
