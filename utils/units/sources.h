/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sources of this folder, and the sinks that keep no unit. */
#ifndef ROC_UTILS_SOURCES_H
#define ROC_UTILS_SOURCES_H

#include <roc/roc.h>

#include "units.h"
#include "utils/check/check.h"

/*
 * A channel of a card as a source: superpages of a pool, windows of a stream, or fragments of a
 * sub-unit, lent by libroc. Data flow without system calls.
 */

/* Names for messages: options of a tool, or keys of a source in a configuration. */
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
	bool data_source_given;	  /* set explicitly: a card without data sources rejects it */
	uint32_t links;		  /* mask, 0: all; or 0, if the channels are streams */
	uint64_t buffer;	  /* bytes of the buffer, or of the ring */
	uint64_t unit;		  /* of a superpage, or of the largest window */
	bool plain_memory;
	bool bypass_fw_check;
	const struct source_card_words *words; /* NULL: the options of roc-record */
};

/*
 * Check that the buffer has space for one superpage, and that the size of a superpage fits into 32
 * bits. Return: as source_card().
 */
int source_card_usage(uint64_t buffer, uint64_t unit, const struct source_card_words *words);

/*
 * Return: exit code; an error is already reported. An option that the card does not support is an
 * error.
 */
int source_card(const struct source_card_options *o, struct source **source);

/*
 * A sub-unit of a card that keeps its fragments as a source. The source fetches the fragments of
 * all its links, as long as there are free host pages, and clears them in the card. A unit is a
 * fragment in its host page.
 *
 * Units have the order in which the card finished them. &unit.first is the event id, &unit.link the
 * number of the link in the card.
 */

struct source_fragment_options {
	const char *id;
	const char *sub; /* name or number; NULL: the first */
	uint32_t links;	 /* mask, in the sub-unit, of links to fetch; 0: all */
	/* bytes of a card page, 0: default of libroc; a longer fragment is truncated */
	uint64_t page;
	uint64_t buffer;	 /* bytes of host pages, reduced to the limit of the card */
	const char *buffer_word; /* option name for messages; NULL: --buffer-size */
};

/* Return: exit code; an error is already reported. */
int source_fragment(const struct source_fragment_options *o, struct source **source);

/*
 * A source without a card: superpages in memory, with raw data headers and the counters of a
 * detector data generator, as roc-bench-dma checks them. With a rate it behaves like a card with a
 * slow reader: packets without space are dropped and counted. Without a rate it waits.
 */

struct synthetic_options {
	uint64_t unit;	/* bytes of a superpage, a multiple of the packet */
	uint64_t total; /* bytes of memory */
	uint64_t rate;	/* bytes per second, 0: as fast as the units are taken */
	uint32_t links; /* mask; used in turn */
};

#define SYNTHETIC_PACKET 8192

/* Return: NULL with the reason in @reason. */
struct source *source_synthetic(const struct synthetic_options *o, char reason[UNITS_REASON]);

/*
 * Sinks that keep no unit: one checks every byte, as roc-bench-dma and roc-stream do, one counts.
 */

/*
 * @format: of the source; must outlive the sink. Its content is known with the first unit at the
 * latest. @config: what to check; the format determines the content. @errors: the caller's error
 * log. Return: NULL: out of memory.
 */
struct sink *sink_check(const struct unit_format *format, const struct check_config *config,
			struct error_log *errors);
struct sink *sink_count(void);

#endif
