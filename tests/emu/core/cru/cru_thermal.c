// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The card's thermometer: the register, and the temperature of a card that gets warmer. 10 bits
 * over 693 degrees, from -265 on.
 */
#include "cru.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANGE 693
#define LOWEST (-265)

static uint32_t raw_of(double celsius)
{
	return (uint32_t)((celsius - LOWEST) * 1024 / RANGE + 0.5);
}

static double celsius_of(uint32_t raw)
{
	return raw * RANGE / 1024.0 + LOWEST;
}

uint32_t cru_temperature_raw(struct cru *c)
{
	if (c->thermal.slope)
		return raw_of(thermal_now(&c->thermal, cru_now(c)) / 1000.0) & CRU_TEMPERATURE_RAW;
	return *cru_bar2_word(c, CRU_TEMPERATURE) & CRU_TEMPERATURE_RAW;
}

uint32_t cru_read_temperature(struct cru *c, uint32_t off, bool peek)
{
	return c->thermal.slope ? cru_temperature_raw(c) : *cru_bar2_word(c, off);
}

bool cru_too_hot(void *card)
{
	struct cru *c = card;
	uint32_t raw;

	if (c->thermal.cut == THERMAL_NEVER)
		return false;
	if (c->thermal.slope)
		return thermal_now(&c->thermal, cru_now(c)) >= c->thermal.cut;
	raw = cru_temperature_raw(c);
	return raw && celsius_of(raw) * 1000 >= c->thermal.cut;
}

int cru_set_temperature(void *card, unsigned int fn, const char *text, char *err)
{
	struct cru *c = card;
	char *end;
	double t = strtod(text, &end);
	double raw = (t - LOWEST) * 1024 / RANGE;

	if (!strcmp(text, "none")) {
		*cru_bar2_word(c, CRU_TEMPERATURE) = 0;
	} else if (!*text || *end || !(raw >= 1 && raw <= CRU_TEMPERATURE_RAW)) {
		snprintf(err, CARD_ERR, "'%.40s' is not a temperature from -264 to 427 or none",
			 text);
		return -1;
	} else {
		*cru_bar2_word(c, CRU_TEMPERATURE) = raw_of(t);
	}
	c->thermal.slope = 0;
	return 0;
}

void cru_get_temperature(void *card, unsigned int fn, char *text, size_t size)
{
	uint32_t raw = cru_temperature_raw(card);

	if (raw)
		snprintf(text, size, "%.2f", celsius_of(raw));
	else
		snprintf(text, size, "none");
}

/* The slope begins at the present temperature. Without a slope the temperature stays constant. */
int cru_set_slope(void *card, unsigned int fn, const char *text, char *err)
{
	struct cru *c = card;
	uint32_t raw = cru_temperature_raw(c);

	if (!raw && strcmp(text, "0")) {
		snprintf(err, CARD_ERR, "a card without a thermometer does not get warmer");
		return -1;
	}
	if (thermal_set_slope(&c->thermal, text, (int64_t)(celsius_of(raw) * 1000), cru_now(c),
			      err))
		return -1;
	*cru_bar2_word(c, CRU_TEMPERATURE) = raw;
	return 0;
}

void cru_get_slope(void *card, unsigned int fn, char *text, size_t size)
{
	thermal_get_slope(&((struct cru *)card)->thermal, text, size);
}

int cru_set_cut(void *card, unsigned int fn, const char *text, char *err)
{
	return thermal_set_cut(&((struct cru *)card)->thermal, text, err);
}

void cru_get_cut(void *card, unsigned int fn, char *text, size_t size)
{
	thermal_get_cut(&((struct cru *)card)->thermal, text, size);
}
