// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings of what is around the card: links, light, clocks, triggers, the PON.
 *
 * A setting with a value per link takes one value for all links, a list of all (a,b,...), or single
 * ones (3=a,5=b), and reads as the list of all.
 */
#include "cru.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HZ_MAX 1000000000u
#define MICROWATT_MAX 6553.5

/* How one value is written. */
struct value_kind {
	int (*parse)(const char *text, uint32_t *value, char *err);
	void (*print)(uint32_t value, char *text, size_t size);
};

static int parse_number(const char *text, uint32_t *value, char *err, uint32_t max)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 0);
	if (!*text || *text == '-' || *end || errno || n > max) {
		snprintf(err, CARD_ERR, "'%.40s' is not a number from 0 to %u", text, max);
		return -1;
	}
	*value = n;
	return 0;
}

static int parse_count(const char *text, uint32_t *value, char *err)
{
	return parse_number(text, value, err, UINT32_MAX);
}

static int parse_hz(const char *text, uint32_t *value, char *err)
{
	return parse_number(text, value, err, HZ_MAX);
}

static void print_number(uint32_t value, char *text, size_t size)
{
	snprintf(text, size, "%u", value);
}

static int parse_power(const char *text, uint32_t *value, char *err)
{
	char *end;
	double microwatt = strtod(text, &end);

	if (!*text || *end || !(microwatt >= 0 && microwatt <= MICROWATT_MAX)) {
		snprintf(err, CARD_ERR, "'%.40s' is not a power from 0 to %.1f uW", text,
			 MICROWATT_MAX);
		return -1;
	}
	*value = microwatt * 10 + 0.5;
	return 0;
}

static void print_power(uint32_t value, char *text, size_t size)
{
	snprintf(text, size, "%u.%u", value / 10, value % 10);
}

static const char *const states[] = {
	[CRU_LINK_UP] = "up", [CRU_LINK_DOWN] = "down", [CRU_LINK_BAD] = "bad"};

static int parse_state(const char *text, uint32_t *value, char *err)
{
	for (*value = 0; *value < sizeof(states) / sizeof(states[0]); ++*value) {
		if (!strcmp(states[*value], text))
			return 0;
	}
	snprintf(err, CARD_ERR, "a link is up, down or bad, not '%.40s'", text);
	return -1;
}

static void print_state(uint32_t value, char *text, size_t size)
{
	snprintf(text, size, "%s", states[value]);
}

static int parse_onu(const char *text, uint32_t *value, char *err)
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

static void print_onu(uint32_t value, char *text, size_t size)
{
	snprintf(text, size, "0x%02x", value);
}

static int parse_on_off(const char *text, uint32_t *value, char *err)
{
	*value = !strcmp(text, "on");
	if (!*value && strcmp(text, "off")) {
		snprintf(err, CARD_ERR, "it is on or off, not '%.40s'", text);
		return -1;
	}
	return 0;
}

static void print_on_off(uint32_t value, char *text, size_t size)
{
	snprintf(text, size, "%s", value ? "on" : "off");
}

static const struct value_kind count_kind = {parse_count, print_number};
static const struct value_kind hz_kind = {parse_hz, print_number};
static const struct value_kind power_kind = {parse_power, print_power};
static const struct value_kind state_kind = {parse_state, print_state};
static const struct value_kind onu_kind = {parse_onu, print_onu};
static const struct value_kind on_off_kind = {parse_on_off, print_on_off};

/* Which link a word of the list is for; -1 and a sentence if none. *word goes on to the value. */
static int item_link(char **word, unsigned int position, char *err)
{
	char *equal = strchr(*word, '=');
	uint32_t link = position;

	if (equal) {
		*equal = '\0';
		if (parse_number(*word, &link, err, CRU_GBT_LINKS - 1))
			return -1;
		*word = equal + 1;
	} else if (position >= CRU_GBT_LINKS) {
		snprintf(err, CARD_ERR, "there are %d links", CRU_GBT_LINKS);
		return -1;
	}
	return link;
}

/* All is read before anything is taken. */
static int parse_list(const struct value_kind *kind, const char *text, uint32_t *value, char *err)
{
	char copy[CARD_TEXT], *save, *word;
	unsigned int items = 0, plain = 0, l;
	uint32_t last = 0;

	if (!*text || strlen(text) >= sizeof(copy)) {
		snprintf(err, CARD_ERR, "one value, one for each of %d links, or LINK=VALUE,...",
			 CRU_GBT_LINKS);
		return -1;
	}
	strcpy(copy, text);
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		bool named = strchr(word, '=');
		int link = item_link(&word, items, err);

		if (link < 0 || kind->parse(word, &last, err))
			return -1;
		value[link] = last;
		items++;
		plain += !named;
	}
	if (items == 1 && plain == 1) {
		for (l = 0; l < CRU_GBT_LINKS; l++)
			value[l] = last;
	} else if (plain && (plain != items || items != CRU_GBT_LINKS)) {
		snprintf(err, CARD_ERR, "one value, one for each of %d links, or LINK=VALUE,...",
			 CRU_GBT_LINKS);
		return -1;
	}
	return 0;
}

typedef uint32_t *link_place(struct cru *c, unsigned int fn, unsigned int l);

static int set_list(const struct value_kind *kind, link_place *place, void *card, unsigned int fn,
		    const char *text, char *err)
{
	uint32_t value[CRU_GBT_LINKS];
	unsigned int l;

	for (l = 0; l < CRU_GBT_LINKS; l++)
		value[l] = *place(card, fn, l);
	if (parse_list(kind, text, value, err))
		return -1;
	for (l = 0; l < CRU_GBT_LINKS; l++)
		*place(card, fn, l) = value[l];
	cru_board_update(card);
	return 0;
}

static void get_list(const struct value_kind *kind, link_place *place, void *card, unsigned int fn,
		     char *text, size_t size)
{
	size_t used = 0;
	char one[32];
	unsigned int l;

	for (l = 0; l < CRU_GBT_LINKS; l++) {
		kind->print(*place(card, fn, l), one, sizeof(one));
		snprintf(text + used, size - used, "%s%s", l ? "," : "", one);
		used += strlen(text + used);
	}
}

static int set_one(const struct value_kind *kind, uint32_t *place, void *card, const char *text,
		   char *err)
{
	uint32_t value;

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
LINK_KEY(optical_power, power_kind, &c->board.gbt[fn][l].power)
LINK_KEY(fec_rate, count_kind, &c->board.gbt[fn][l].fec_rate)
LINK_KEY(error_rate, count_kind, &c->board.gbt[fn][l].error_rate)
LINK_KEY(glitches, count_kind, cru_bar2_word(c, CRU_GBT(fn, l) + CRU_GBT_GLITCHES))
CARD_KEY(clock_ctp, hz_kind, cru_bar2_word(c, CRU_CLOCK_CTP))
CARD_KEY(clock_local, hz_kind, cru_bar2_word(c, CRU_CLOCK_LOCAL))
CARD_KEY(ttc_run, on_off_kind, &c->board.ttc_run)
CARD_KEY(hb_rate, count_kind, &c->board.ttc.hb)
CARD_KEY(phy_rate, count_kind, &c->board.ttc.phy)
CARD_KEY(cal_rate, count_kind, &c->board.ttc.cal)
CARD_KEY(tof_rate, count_kind, &c->board.ttc.tof)
CARD_KEY(onu, onu_kind, &c->board.onu)
CARD_KEY(onu_glitches, count_kind, cru_bar2_word(c, CRU_ONU_GLITCHES))
CARD_KEY(onu_fec_rate, count_kind, &c->board.onu_fec_rate)
CARD_KEY(pon_power, power_kind, &c->board.pon_power)
CARD_KEY(pon_error_rate, count_kind, &c->board.pon_error_rate)
