/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-list-cards: how the cards are shown.
 */
#ifndef ROC_UTILS_LIST_CARDS_H
#define ROC_UTILS_LIST_CARDS_H

#include <roc/firmware.h>
#include <roc/roc.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LIST_STREAMS 32

/* Names of a card's streams, none: its channels are pools. */
struct list_streams {
	unsigned int count;
	char name[LIST_STREAMS][ROC_TEXT_MAX];
};

/* @streams: of each card, or NULL */
void list_cards_text(FILE *out, const struct roc_firmware_list *list, const struct roc_card *cards,
		     const struct list_streams *streams, size_t count, bool verbose);
void list_cards_json(FILE *out, const struct roc_firmware_list *list, const struct roc_card *cards,
		     const struct list_streams *streams, size_t count);

#endif
