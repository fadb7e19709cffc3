/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sub-unit of a card that keeps its fragments as a source: whatever its links send is fetched, as
 * far as there are host pages, and is cleared in the card. A unit is a fragment in its host page.
 *
 * Units come in the order in which the card finished them. &unit.first is the event id, &unit.link
 * the number of the link in the card.
 */
#ifndef ROC_UTILS_SOURCE_FRAGMENT_H
#define ROC_UTILS_SOURCE_FRAGMENT_H

#include <roc/roc.h>

#include "units.h"

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

#endif
