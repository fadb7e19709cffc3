// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read the endpoints of a tree. libroc uses udev, which has only the devices of this machine, so
 * the device class is read directly.
 */
#include "machine.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils/common/card.h"

/* An endpoint is "roc" and a number; its channels are roc0ch0 and so on. */
static bool is_endpoint(const char *name)
{
	size_t length = strlen(name);

	if (strncmp(name, "roc", 3) || length < 4 ||
	    length >= sizeof(((struct node_card *)0)->name))
		return false;
	return strspn(name + 3, "0123456789") == length - 3;
}

/* A small number in a sysfs file of a card, -1: unknown. */
static int small(const struct tree *t, const char *name, const char *file)
{
	long long value;

	if (tree_number(t, &value, "sys/class/roc/%s/%s", name, file) || value < 0 ||
	    value > INT32_MAX)
		return -1;
	return (int)value;
}

/*
 * Count channels and pools. Only pools need contiguous buffers: other channel types accept any
 * memory, or use memory of the driver.
 */
static void count_channels(const struct tree *t, struct node_card *card)
{
	char kind[ROC_TEXT_MAX];
	int i;

	card->channels = small(t, card->name, "channels");
	if (card->channels < 0 || card->channels > NODE_CHANNELS)
		card->channels = 0;
	for (i = 0; i < card->channels; i++) {
		/* Drivers that had only pools do not have this file. */
		if (tree_text(t, kind, sizeof(kind), "sys/class/roc/%sch%d/kind", card->name, i))
			strcpy(kind, "pool");
		card->pools += !strcmp(kind, "pool");
	}
}

/* The address becomes a part of file names, so it is checked. */
static bool is_address(const char *text)
{
	unsigned int domain, bus, device, function;
	int end = 0;

	return sscanf(text, "%x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end) == 4 &&
	       !text[end] && isxdigit((unsigned char)text[0]);
}

static void read_card(const struct tree *t, const char *name, struct node_card *card)
{
	const struct card_type *kind;
	char type[ROC_TEXT_MAX];

	*card = (struct node_card){.kind = NULL};
	strcpy(card->name, name);
	tree_text(t, type, sizeof(type), "sys/class/roc/%s/card_type", name);
	for (kind = card_types; kind->type; kind++)
		if (!strcmp(kind->sysfs, type))
			card->kind = kind;
	card->serial = small(t, name, "serial");
	card->endpoint = small(t, name, "endpoint");
	card->node = small(t, name, "numa_node");
	tree_text(t, card->firmware, sizeof(card->firmware), "sys/class/roc/%s/firmware", name);
	if (tree_text(t, card->address, sizeof(card->address), "sys/class/roc/%s/pci_address",
		      name) ||
	    !is_address(card->address))
		card->address[0] = '\0';
	if (card->serial >= 0 && card->endpoint >= 0)
		snprintf(card->subject, sizeof(card->subject), "%d:%d", card->serial,
			 card->endpoint);
	else
		snprintf(card->subject, sizeof(card->subject), "%s",
			 *card->address ? card->address : name);
	count_channels(t, card);
}

static int by_address(const void *a, const void *b)
{
	return strcmp(((const struct node_card *)a)->address,
		      ((const struct node_card *)b)->address);
}

static int read_class(const struct tree *t, struct node_cards *cards)
{
	struct tree_names names;
	int err = tree_list(t, &names, "sys/class/roc");
	size_t i;

	if (err)
		goto out;
	cards->card = calloc(names.count + 1, sizeof(*cards->card));
	if (!cards->card) {
		err = -ENOMEM;
		goto out;
	}
	for (i = 0; i < names.count; i++)
		if (is_endpoint(names.name[i]))
			read_card(t, names.name[i], &cards->card[cards->count++]);
	qsort(cards->card, cards->count, sizeof(*cards->card), by_address);
out:
	free(names.name);
	return err == -ENOENT ? 0 : err;
}

static unsigned int id(const struct tree *t, const char *address, const char *file)
{
	char text[16];

	if (tree_text(t, text, sizeof(text), "sys/bus/pci/devices/%s/%s", address, file))
		return 0;
	return (unsigned int)strtoul(text, NULL, 16);
}

/* False: not a readout card. */
static bool find_kind(const struct tree *t, const char *address, struct node_board *b)
{
	unsigned int vendor = id(t, address, "vendor"), device = id(t, address, "device"), i;
	const struct card_type *kind;

	for (kind = card_types; vendor && kind->type; kind++) {
		for (i = 0; i < CARD_BOARDS; i++) {
			if (kind->boards[i].vendor != vendor || kind->boards[i].device != device)
				continue;
			b->kind = kind;
			b->shared_id = kind->boards[i].shared_id;
			return true;
		}
	}
	return false;
}

static int read_boards(const struct tree *t, struct node_cards *cards)
{
	struct tree_names names;
	int err = tree_list(t, &names, "sys/bus/pci/devices");
	size_t i;

	if (err)
		goto out;
	cards->board = calloc(names.count + 1, sizeof(*cards->board));
	if (!cards->board) {
		err = -ENOMEM;
		goto out;
	}
	for (i = 0; i < names.count; i++) {
		struct node_board *b = &cards->board[cards->boards];

		if (!find_kind(t, names.name[i], b) || strlen(names.name[i]) >= sizeof(b->address))
			continue;
		if (tree_link(t, b->driver, sizeof(b->driver), "sys/bus/pci/devices/%s/driver",
			      names.name[i]))
			b->driver[0] = '\0';
		if (!strcmp(b->driver, "roc"))
			continue;
		strcpy(b->address, names.name[i]);
		cards->boards++;
	}
out:
	free(names.name);
	return err == -ENOENT ? 0 : err;
}

int node_cards_read(const struct tree *t, struct node_cards *cards)
{
	int err;

	*cards = (struct node_cards){.card = NULL};
	err = read_class(t, cards);
	return err ? err : read_boards(t, cards);
}

void node_cards_free(struct node_cards *cards)
{
	free(cards->card);
	free(cards->board);
}

bool node_same_board(const struct node_card *a, const struct node_card *b)
{
	return a->serial == b->serial && a->kind == b->kind;
}

bool node_card_first(const struct node_cards *cards, size_t i)
{
	size_t k;

	if (cards->card[i].serial < 0)
		return true;
	for (k = 0; k < i; k++)
		if (node_same_board(&cards->card[k], &cards->card[i]))
			return false;
	return true;
}
