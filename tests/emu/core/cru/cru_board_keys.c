// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings of the card's surroundings: links, light, clocks, triggers, PON. values.h describes the
 * format of a value per link.
 */
#include "cru.h"
#include "tests/emu/core/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HZ_MAX 1000000000u

static int parse_hz(const char *text, uint64_t *value, char *err)
{
	return value_number(text, value, err, HZ_MAX);
}

static const char *const states[] = {
	[CRU_LINK_UP] = "up", [CRU_LINK_DOWN] = "down", [CRU_LINK_BAD] = "bad"};

static int parse_state(const char *text, uint64_t *value, char *err)
{
	for (*value = 0; *value < sizeof(states) / sizeof(states[0]); ++*value) {
		if (!strcmp(states[*value], text))
			return 0;
	}
	snprintf(err, CARD_ERR, "a link is up, down or bad, not '%.40s'", text);
	return -1;
}

static void print_state(uint64_t value, char *text, size_t size)
{
	snprintf(text, size, "%s", states[value]);
}

static int parse_onu(const char *text, uint64_t *value, char *err)
{
	char *end;

	if (!strcmp(text, "up")) {
		*value = 0xff;
	} else if (!strcmp(text, "down")) {
		*value = CRU_ONU_MGT_TX_READY | CRU_ONU_MGT_TX_PLL_LOCKED;
	} else {
		*value = strtoul(text, &end, 0);
		if (!*text || *end || *value > 0xff) {
			snprintf(err, CARD_ERR, "the ONU is up, down or a status byte, not '%.40s'",
				 text);
			return -1;
		}
	}
	return 0;
}

static void print_onu(uint64_t value, char *text, size_t size)
{
	snprintf(text, size, "0x%02x", (unsigned int)value);
}

static const struct value_kind hz_kind = {parse_hz, value_print};
static const struct value_kind state_kind = {parse_state, print_state};
static const struct value_kind onu_kind = {parse_onu, print_onu};

typedef uint32_t *link_place(struct cru *c, unsigned int fn, unsigned int l);

static int set_list(const struct value_kind *kind, link_place *place, void *card, unsigned int fn,
		    const char *text, char *err)
{
	uint64_t value[CRU_GBT_LINKS];
	unsigned int l;

	for (l = 0; l < CRU_GBT_LINKS; l++)
		value[l] = *place(card, fn, l);
	if (value_list_parse(kind, text, value, CRU_GBT_LINKS, err))
		return -1;
	for (l = 0; l < CRU_GBT_LINKS; l++)
		*place(card, fn, l) = value[l];
	cru_board_update(card);
	return 0;
}

static void get_list(const struct value_kind *kind, link_place *place, void *card, unsigned int fn,
		     char *text, size_t size)
{
	uint64_t value[CRU_GBT_LINKS];
	unsigned int l;

	for (l = 0; l < CRU_GBT_LINKS; l++)
		value[l] = *place(card, fn, l);
	value_list_print(kind, value, CRU_GBT_LINKS, text, size);
}

static int set_one(const struct value_kind *kind, uint32_t *place, void *card, const char *text,
		   char *err)
{
	uint64_t value;

	if (kind->parse(text, &value, err))
		return -1;
	*place = value;
	cru_board_update(card);
	return 0;
}

/* A key with a value per link, found at @expression of c, fn and l. */
#define LINK_KEY(name, kind, expression)                                                           \
	static uint32_t *place_##name(struct cru *c, unsigned int fn, unsigned int l)              \
	{                                                                                          \
		return expression;                                                                 \
	}                                                                                          \
	int cru_set_##name(void *card, unsigned int fn, const char *text, char *err)               \
	{                                                                                          \
		return set_list(&kind, place_##name, card, fn, text, err);                         \
	}                                                                                          \
	void cru_get_##name(void *card, unsigned int fn, char *text, size_t size)                  \
	{                                                                                          \
		get_list(&kind, place_##name, card, fn, text, size);                               \
	}

/* A key with one value per card, found at @expression of c. */
#define CARD_KEY(name, kind, expression)                                                           \
	int cru_set_##name(void *card, unsigned int fn, const char *text, char *err)               \
	{                                                                                          \
		struct cru *c = card;                                                              \
		return set_one(&kind, expression, card, text, err);                                \
	}                                                                                          \
	void cru_get_##name(void *card, unsigned int fn, char *text, size_t size)                  \
	{                                                                                          \
		struct cru *c = card;                                                              \
		kind.print(*expression, text, size);                                               \
	}

LINK_KEY(link_state, state_kind, &c->board.gbt[fn][l].state)
LINK_KEY(optical_power, value_power, &c->board.gbt[fn][l].power)
LINK_KEY(fec_rate, value_count, &c->board.gbt[fn][l].fec_rate)
LINK_KEY(error_rate, value_count, &c->board.gbt[fn][l].error_rate)
LINK_KEY(glitches, value_count, cru_bar2_word(c, CRU_GBT(fn, l) + CRU_GBT_GLITCHES))
CARD_KEY(clock_ctp, hz_kind, cru_bar2_word(c, CRU_CLOCK_CTP))
CARD_KEY(clock_local, hz_kind, cru_bar2_word(c, CRU_CLOCK_LOCAL))
CARD_KEY(ttc_run, value_on_off, &c->board.ttc_run)
CARD_KEY(hb_rate, value_count, &c->board.ttc.hb)
CARD_KEY(phy_rate, value_count, &c->board.ttc.phy)
CARD_KEY(cal_rate, value_count, &c->board.ttc.cal)
CARD_KEY(tof_rate, value_count, &c->board.ttc.tof)
CARD_KEY(onu, onu_kind, &c->board.onu)
CARD_KEY(onu_glitches, value_count, cru_bar2_word(c, CRU_ONU_GLITCHES))
CARD_KEY(onu_fec_rate, value_count, &c->board.onu_fec_rate)
CARD_KEY(pon_power, value_power, &c->board.pon_power)
CARD_KEY(pon_error_rate, value_count, &c->board.pon_error_rate)
