// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Block of the card, and its temperature. See identity.h.
 */
#include "identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmod/stream/stream_regs.h"

#define FIRMWARE 0x00010000 /* 1.0.0 */
#define DATE 0x20261101
#define TIME 0x00120000
#define NS 1000000000ull

uint64_t identity_cycles(const struct identity *d, uint64_t now)
{
	return (now - d->power_on_ns) / (NS / d->clock);
}

void identity_default(struct identity *d)
{
	d->source = d->source_default;
	d->test = 0;
}

uint32_t identity_read(const struct identity *d, uint32_t off, uint64_t now)
{
	bool sensor = d->temperature != INT32_MIN;

	switch (off) {
	case CARD_ID:
		return d->id;
	case CARD_REVISION:
		return STREAM_VSEC_REVISION;
	case CARD_FIRMWARE:
		return FIRMWARE;
	case CARD_HASH:
		return d->firmware;
	case CARD_DATE:
		return DATE;
	case CARD_TIME:
		return TIME;
	case CARD_FEATURES:
		return d->features | (sensor ? CARD_FEATURE_TEMPERATURE : 0);
	case CARD_UNITS:
		return d->units;
	case CARD_SERIAL:
		return d->serial;
	case CARD_CHIP_LOW:
	case CARD_CHIP_HIGH:
		return register_half(d->chip + d->serial, off - CARD_CHIP_LOW);
	case CARD_SOURCE:
		return d->source;
	case CARD_TEST:
		return d->test;
	case CARD_TEMPERATURE:
		return sensor ? (uint32_t)d->temperature : CARD_TEMPERATURE_NONE;
	case CARD_CLOCK:
		return d->clock;
	case CARD_CYCLES:
	case CARD_CYCLES + 4:
		return register_half(identity_cycles(d, now), off - CARD_CYCLES);
	}
	return 0;
}

void identity_write(struct identity *d, uint32_t off, uint32_t value)
{
	if (off == CARD_SOURCE && value <= 0xffff)
		d->source = value;
	if (off == CARD_TEST)
		d->test = value;
}

bool identity_poke(struct identity *d, uint32_t off, uint32_t value)
{
	switch (off) {
	case CARD_FEATURES:
		d->features = value;
		return true;
	case CARD_SOURCE:
		d->source = value;
		return true;
	case CARD_TEST:
		d->test = value;
		return true;
	case CARD_SERIAL:
		d->serial = value;
		return true;
	}
	return false;
}

int identity_set_temperature(struct identity *d, const char *text, char *err)
{
	char *end;
	double t = strtod(text, &end);

	if (!strcmp(text, "none")) {
		d->temperature = INT32_MIN;
		return 0;
	}
	if (!*text || *end || !(t >= -264 && t <= 427)) {
		snprintf(err, CARD_ERR, "'%.40s' is not a temperature from -264 to 427 or none",
			 text);
		return -1;
	}
	d->temperature = t * 1000 + (t < 0 ? -0.5 : 0.5);
	return 0;
}

void identity_get_temperature(const struct identity *d, char *text, size_t size)
{
	if (d->temperature == INT32_MIN)
		snprintf(text, size, "none");
	else
		snprintf(text, size, "%.2f", d->temperature / 1000.0);
}
