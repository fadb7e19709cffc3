/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sources of this folder, and the sinks that keep no unit.
 */
#ifndef ROC_UTILS_SOURCES_H
#define ROC_UTILS_SOURCES_H

#include <roc/roc.h>

#include "units.h"
#include "utils/check/check.h"

/*
 * A channel of a card as a source: superpages of a pool, windows of a stream, or what a sub-unit
 * keeps, lent by libroc. No system call is made while data flow.
 */

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

/*
 * A sub-unit of a card that keeps its fragments as a source: whatever its links send is fetched, as
 * far as there are host pages, and is cleared in the card. A unit is a fragment in its host page.
 *
 * Units come in the order in which the card finished them. &unit.first is the event id, &unit.link
 * the number of the link in the card.
 */

struct source_fragment_options {
	const char *id;
	const char *sub; /* name or number; NULL: the first */
	uint32_t links;	 /* mask, in the sub-unit, of those that are fetched; 0: all */
	uint64_t page;	 /* bytes of a card page, 0: as libroc has it; a longer fragment is cut */
	uint64_t buffer; /* bytes of host pages, cut to what the card takes */
	const char *buffer_word; /* what the caller has for it; NULL: --buffer-size */
};

/* Exit code; after a failure the message is out. */
int source_fragment(const struct source_fragment_options *o, struct source **source);

/*
 * A card that is none: superpages in memory, with raw data headers and the counters of a detector
 * data generator, by what roc-bench-dma checks. Given a rate it does as a card does whose reader
 * is slow: what finds no room is dropped, and counted. Without one it waits.
 */

struct synthetic_options {
	uint64_t unit;	/* bytes of a superpage, a multiple of the packet */
	uint64_t total; /* bytes of memory */
	uint64_t rate;	/* bytes per second, 0: as fast as they are taken */
	uint32_t links; /* mask; taken in turn */
};

#define SYNTHETIC_PACKET 8192

/* A failure has its sentence in @reason. */
struct source *source_synthetic(const struct synthetic_options *o, char reason[UNITS_REASON]);

/*
 * Sinks that keep no unit: one looks at every byte as roc-bench-dma and roc-stream do, one counts.
 */

/*
 * @format: of the source, whose content is known by the first unit at the latest; must outlive the
 * sink. @config: how to look; what is in the data the format says. @errors: where they are counted;
 * the caller's. NULL: no memory.
 */
struct sink *sink_check(const struct unit_format *format, const struct check_config *config,
			struct error_log *errors);
struct sink *sink_count(void);

#endif
