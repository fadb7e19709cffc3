/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tools know of each kind of card: one table, in cards.c. What a card does not have is
 * left out there, and the tools say so.
 */
#ifndef ROC_UTILS_CARDS_H
#define ROC_UTILS_CARDS_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stdint.h>

#include "check.h"

#define CARD_SOURCES (ROC_SOURCE_SIU + 1)

struct card_kind {
	enum roc_card_type type;
	/* roc-bench-dma: what each source sends, CHECK_NONE: there is no such source. */
	enum check_data data[CARD_SOURCES];
	bool any_link; /* the link in a header says nothing */
	bool hammer;   /* has a register that can be read beside the data */
	/* Degrees Celsius, NAN unknown; NULL: no sensor. */
	double (*temperature)(struct roc_endpoint *ep);
};

/* NULL: a card that these tools do not know. */
const struct card_kind *card_kind(enum roc_card_type type);

#endif
