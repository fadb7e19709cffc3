// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse card endpoints from attributes, sort them and choose one by id. The caller supplies the
 * attributes (enumerate.c).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libroc.h"

static const struct {
	enum roc_card_type type;
	const char *attribute;
	const char *name;
} card_types[] = {
	{ROC_CARD_CRU, "cru", "CRU"},
	{ROC_CARD_CRORC, "crorc", "CRORC"},
	{ROC_CARD_P40, "p40", "PCIe40"},
	{ROC_CARD_ROBINNP, "robinnp", "RobinNP"},
};

#define N_CARD_TYPES (sizeof(card_types) / sizeof(card_types[0]))

const char *roc_card_type_name(enum roc_card_type type)
{
	size_t i;

	for (i = 0; i < N_CARD_TYPES; i++)
		if (card_types[i].type == type)
			return card_types[i].name;
	return "unknown";
}

/* Return the attribute as a decimal number, or @otherwise if it is not one. */
static int attr_int(libroc_attr_fn attr, void *context, const char *name, int otherwise)
{
	const char *text = attr(context, name);
	char *end;
	long value;

	if (!text || !*text)
		return otherwise;
	value = strtol(text, &end, 10);
	if (*end || value < INT_MIN || value > INT_MAX)
		return otherwise;
	return value;
}

/* Return false if the attribute is missing or does not fit. */
static bool attr_text(libroc_attr_fn attr, void *context, const char *name, char *to)
{
	const char *text = attr(context, name);

	if (!text || strlen(text) >= ROC_TEXT_MAX)
		return false;
	strcpy(to, text);
	return true;
}

int libroc_card_minor(const char *sysname)
{
	char *end;
	long minor;

	if (strncmp(sysname, "roc", 3) || sysname[3] < '0' || sysname[3] > '9')
		return -1;
	minor = strtol(sysname + 3, &end, 10);
	return *end || minor > INT_MAX ? -1 : (int)minor;
}

/*
 * Read what a card id can refer to: address, type, serial number and endpoint. -ENOENT: the device
 * was removed between listing and reading, or is not an endpoint; the caller skips it.
 */
int libroc_card_identify(const char *sysname, libroc_attr_fn attr, void *context,
			 struct roc_card *card)
{
	int minor = libroc_card_minor(sysname);

	memset(card, 0, sizeof(*card));
	if (minor < 0)
		return -ENOENT;
	if (!attr_text(attr, context, "pci_address", card->pci_address) || !*card->pci_address)
		return -ENOENT;
	card->minor = minor;
	snprintf(card->node, sizeof(card->node), "/dev/%.20s", sysname);
	card->serial = attr_int(attr, context, "serial", -1);
	card->endpoint = attr_int(attr, context, "endpoint", -1);
	return 0;
}

/* Read the same attributes and all others. */
int libroc_card_parse(const char *sysname, libroc_attr_fn attr, void *context,
		      struct roc_card *card)
{
	int ret = libroc_card_identify(sysname, attr, context, card);
	const char *type;
	size_t i;

	if (ret)
		return ret;
	type = attr(context, "card_type");
	for (i = 0; type && i < N_CARD_TYPES; i++)
		if (!strcmp(type, card_types[i].attribute))
			card->type = card_types[i].type;
	card->numa_node = attr_int(attr, context, "numa_node", -1);
	card->channels = attr_int(attr, context, "channels", 0);
	attr_text(attr, context, "firmware", card->firmware);
	attr_text(attr, context, "user_logic", card->user_logic);
	return 0;
}

/*
 * A PCI domain may have more than 4 digits: sort by length first, then as text. All digits are
 * lower-case.
 */
static int by_address(const void *left, const void *right)
{
	const struct roc_card *a = left, *b = right;
	size_t la = strlen(a->pci_address), lb = strlen(b->pci_address);

	if (la != lb)
		return la < lb ? -1 : 1;
	return strcmp(a->pci_address, b->pci_address);
}

void libroc_cards_sort(struct roc_card *cards, size_t count)
{
	size_t i;

	if (count)
		qsort(cards, count, sizeof(*cards), by_address);
	for (i = 0; i < count; i++)
		cards[i].sequence = i;
}

void roc_card_name(const struct roc_card *card, const char *id, char *text, size_t size)
{
	/* Only a PCI address contains a dot; see id.c. */
	if (!id || strchr(id, '.'))
		snprintf(text, size, "%s", card->pci_address);
	else
		snprintf(text, size, "%.64s (%s)", id, card->pci_address);
}

void libroc_card_text(const struct roc_card *card, char *text, size_t size)
{
	char serial[32] = "without serial";

	if (card->serial >= 0 && card->endpoint >= 0)
		snprintf(serial, sizeof(serial), "%d:%d", card->serial, card->endpoint);
	else if (card->serial >= 0)
		snprintf(serial, sizeof(serial), "%d", card->serial);
	snprintf(text, size, "#%d %s %s at %s", card->sequence, roc_card_type_name(card->type),
		 serial, card->pci_address);
}

/* List the cards in one line, as many as fit. */
static void cards_text(const struct roc_card *cards, size_t count, char *text, size_t size)
{
	size_t used = 0;
	size_t i;

	text[0] = '\0';
	for (i = 0; i < count; i++) {
		char one[80];

		libroc_card_text(&cards[i], one, sizeof(one));
		if (used + strlen(one) + 32 > size) {
			snprintf(text + used, size - used, " and %zu more", count - i);
			return;
		}
		used += snprintf(text + used, size - used, "%s%s", i ? ", " : "", one);
	}
}

int libroc_card_choose(const char *text, const struct roc_card *cards, size_t count,
		       struct roc_card *card)
{
	const struct roc_card *found = NULL;
	struct libroc_id id;
	char list[768];
	size_t i;
	int ret;

	ret = libroc_id_parse(text, &id);
	if (ret)
		return ret;
	for (i = 0; i < count; i++) {
		if (!libroc_id_matches(&id, &cards[i]))
			continue;
		if (!found) {
			found = &cards[i];
			continue;
		}
		if (id.kind == LIBROC_ID_SERIAL && cards[i].endpoint != found->endpoint) {
			/* An id without endpoint selects the lowest endpoint of the card. */
			if (cards[i].endpoint < found->endpoint)
				found = &cards[i];
			continue;
		}
		return roc_fail(
			ENOTUNIQ,
			"card id '%s' fits both %s and %s: use the PCI address with its domain",
			text, found->pci_address, cards[i].pci_address);
	}
	if (found) {
		*card = *found;
		return 0;
	}
	if (!count)
		return roc_fail(
			ENOENT,
			"there is no card '%s', and no other card either: run roc-list-cards",
			text);
	cards_text(cards, count, list, sizeof(list));
	return roc_fail(ENOENT, "there is no card '%s'; there %s %s", text,
			count > 1 ? "are" : "is", list);
}
