// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values of settings, single and per link. See values.h.
 */
#include "values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card.h"

#define RATE_MAX 1000000000000ull
#define TIME_MAX_US 10000000u
#define MICROWATT_MAX 6553.5

int value_number(const char *text, uint64_t *value, char *err, uint64_t max)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 0);
	if (!*text || *text == '-' || *end || errno || n > max) {
		snprintf(err, CARD_ERR, "'%.40s' is not a number from 0 to %" PRIu64, text, max);
		return -1;
	}
	*value = n;
	return 0;
}

void value_print(uint64_t value, char *text, size_t size)
{
	snprintf(text, size, "%" PRIu64, value);
}

static int parse_count(const char *text, uint64_t *value, char *err)
{
	return value_number(text, value, err, UINT32_MAX);
}

static int parse_hex(const char *text, uint64_t *value, char *err)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 16);

	if (!*text || *text == '-' || *end || n > UINT32_MAX) {
		snprintf(err, CARD_ERR, "'%.40s' is not a 32-bit hexadecimal number", text);
		return -1;
	}
	*value = n;
	return 0;
}

static void print_hex(uint64_t value, char *text, size_t size)
{
	snprintf(text, size, "%" PRIx64, value);
}

static int parse_rate(const char *text, uint64_t *value, char *err)
{
	return value_number(text, value, err, RATE_MAX);
}

static int parse_time(const char *text, uint64_t *value, char *err)
{
	return value_number(text, value, err, TIME_MAX_US);
}

static int parse_power(const char *text, uint64_t *value, char *err)
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

static void print_power(uint64_t value, char *text, size_t size)
{
	snprintf(text, size, "%" PRIu64 ".%" PRIu64, value / 10, value % 10);
}

static int parse_on_off(const char *text, uint64_t *value, char *err)
{
	*value = !strcmp(text, "on");
	if (!*value && strcmp(text, "off")) {
		snprintf(err, CARD_ERR, "'%.40s' is neither on nor off", text);
		return -1;
	}
	return 0;
}

static void print_on_off(uint64_t value, char *text, size_t size)
{
	snprintf(text, size, "%s", value ? "on" : "off");
}

const struct value_kind value_count = {parse_count, value_print};
const struct value_kind value_hex = {parse_hex, print_hex};
const struct value_kind value_rate = {parse_rate, value_print};
const struct value_kind value_time = {parse_time, value_print};
const struct value_kind value_power = {parse_power, print_power};
const struct value_kind value_on_off = {parse_on_off, print_on_off};

int value_serial_parse(const char *text, unsigned int *serial, char *err)
{
	if (strlen(text) > 4 || strspn(text, "0123456789") != strlen(text) || !*text) {
		snprintf(err, CARD_ERR, "'%.40s' is not a serial number from 0 to 9999", text);
		return -1;
	}
	*serial = strtoul(text, NULL, 10);
	return 0;
}

void value_serial_print(uint32_t word, char *text, size_t size)
{
	snprintf(text, size, "%c%c%c%c", word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff,
		 word >> 24);
}

uint32_t value_serial_word(unsigned int serial)
{
	char text[8];

	snprintf(text, sizeof(text), "%04u", serial % 10000);
	return (uint32_t)text[0] | text[1] << 8 | text[2] << 16 | (uint32_t)text[3] << 24;
}

/* Link number of a word of the list; -1 and a sentence if invalid. *word is moved to the value. */
static int item_link(char **word, unsigned int position, unsigned int links, char *err)
{
	char *equal = strchr(*word, '=');
	uint64_t link = position;

	if (equal) {
		*equal = '\0';
		if (value_number(*word, &link, err, links - 1))
			return -1;
		*word = equal + 1;
	} else if (position >= links) {
		snprintf(err, CARD_ERR, "there are %u links", links);
		return -1;
	}
	return link;
}

static int not_a_list(unsigned int links, char *err)
{
	snprintf(err, CARD_ERR, "one value, one for each of %u links, or LINK=VALUE,...", links);
	return -1;
}

int value_list_parse(const struct value_kind *kind, const char *text, uint64_t *value,
		     unsigned int links, char *err)
{
	char copy[CARD_TEXT], *save, *word;
	unsigned int items = 0, plain = 0, l;
	uint64_t list[VALUES_LINKS_MAX], last = 0;

	if (!*text || strlen(text) >= sizeof(copy))
		return not_a_list(links, err);
	memcpy(list, value, links * sizeof(*list));
	strcpy(copy, text);
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		bool named = strchr(word, '=');
		int link = item_link(&word, items, links, err);

		if (link < 0 || kind->parse(word, &last, err))
			return -1;
		list[link] = last;
		items++;
		plain += !named;
	}
	if (items == 1 && plain == 1) {
		for (l = 0; l < links; l++)
			list[l] = last;
	} else if (plain && (plain != items || items != links)) {
		return not_a_list(links, err);
	}
	memcpy(value, list, links * sizeof(*list));
	return 0;
}

void value_list_print(const struct value_kind *kind, const uint64_t *value, unsigned int links,
		      char *text, size_t size)
{
	size_t used = 0;
	char one[32];
	unsigned int l;

	for (l = 0; l < links; l++) {
		kind->print(value[l], one, sizeof(one));
		snprintf(text + used, size - used, "%s%s", l ? "," : "", one);
		used += strlen(text + used);
	}
}
