/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A channel of a card as a source: superpages of a pool, windows of a stream, or what a sub-unit
 * keeps, lent by libroc. No system call is made while data flow.
 */
#ifndef ROC_UTILS_SOURCE_CARD_H
#define ROC_UTILS_SOURCE_CARD_H

#include <roc/roc.h>

#include "units.h"

/* What the caller has for it, as sentences name it: an option, or a key of a source. */
struct source_card_words {
	const char *channel, *stream, *sub, *data_source, *links, *buffer, *unit, *bypass;
};

struct source_card_options {
	const char *id;
	uint32_t dma_channel;	  /* 0, if the channels are streams or sub-units */
	const char *stream;	  /* name; NULL: main, if the channels are streams */
	const char *sub;	  /* name; NULL: the first, if the channels are sub-units */
	uint64_t page;		  /* of a sub-unit: bytes of a card page */
	unsigned int data_source; /* enum roc_source */
	bool data_source_given;	  /* a card that has none refuses it */
	uint32_t links;		  /* mask, 0: all; or 0, if the channels are streams */
	uint64_t buffer;	  /* bytes of the buffer, or of the ring */
	uint64_t unit;		  /* of a superpage, or of the largest window */
	bool plain_memory;
	bool bypass_fw_check;
	const struct source_card_words *words; /* NULL: those of roc-record */
};

/* A buffer of superpages has one at least, and a superpage has a size of 32 bits. As below. */
int source_card_usage(uint64_t buffer, uint64_t unit, const struct source_card_words *words);

/* Exit code; after a failure the message is out. What a card does not have it refuses. */
int source_card(const struct source_card_options *o, struct source **source);

#endif
