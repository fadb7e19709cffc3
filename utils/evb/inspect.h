/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is a block of events what it should be? Each fragment by its content, and the block by what it
 * says of itself; and no block twice.
 */
#ifndef ROC_UTILS_EVB_INSPECT_H
#define ROC_UTILS_EVB_INSPECT_H

#include <roc/mep.h>

#include "sink.h"

#define INSPECT_WINDOW (1 << 16) /* blocks: one that comes again later than that is not seen */

struct inspect {
	struct roc_mep_events *events;
	unsigned int sources; /* that it has room for */
	bool only_count;
	bool any;
	uint64_t newest; /* block */
	uint64_t seen[INSPECT_WINDOW / 64];
	struct evb_sink_books n;
	char why[UNITS_WHY];
};

/* 0, or -ENOMEM. Wrong data are counted, with the sentence of the first in n.wrong. */
int inspect_block(struct inspect *in, const struct roc_mep *mep);
void inspect_end(struct inspect *in);

#endif
