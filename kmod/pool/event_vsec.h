/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The capability by which a card says that it has the event interface, and whether it can be
 * believed: Documentation/hardware/event-interface.md, section 2. No kernel type beyond the
 * integers: the same file is tested in user space.
 */
#ifndef ROC_EVENT_VSEC_H
#define ROC_EVENT_VSEC_H

#include "core/vsec.h"

#define ROC_EVENT_CHANNELS 6

/**
 * struct roc_event_vsec - what the capability says
 * @ring_log2: entries of the largest ring
 * @vectors: that the card can name
 * @block: the channels' blocks, then the function's
 */
struct roc_event_vsec {
	unsigned int ring_log2, vectors;
	struct roc_piece block[ROC_EVENT_CHANNELS + 1];
};

/*
 * 1: found, and good. 0: there is none. -1: there is one, or a list of capabilities, that must not
 * be used, and *why is the reason.
 */
int roc_event_vsec_find(const struct roc_vsec_card *card, struct roc_event_vsec *vsec,
			const char **why);

#endif /* ROC_EVENT_VSEC_H */
