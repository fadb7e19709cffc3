/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The capability by which a card declares the event interface, described in
 * Documentation/hardware/event-interface.md, section 2. No kernel type beyond the integers: the
 * same file is tested in user space.
 */
#ifndef ROC_EVENT_VSEC_H
#define ROC_EVENT_VSEC_H

#include "core/vsec.h"

#define ROC_EVENT_CHANNELS 6
#define ROC_EVENT_LOG2_MAX 13	/* entries of a submission ring */
#define ROC_FIFO_DEPTH_MAX 4096 /* superpages that the driver keeps in a link */

/**
 * struct roc_event_vsec - result of roc_event_contract
 * @ring_log2: entries of the largest ring
 * @vectors: that the card can name
 * @block: the channels' blocks
 * @function: the function's block
 */
struct roc_event_vsec {
	__u32 ring_log2, vectors;
	struct roc_piece block[ROC_EVENT_CHANNELS];
	struct roc_piece function;
};

extern const struct roc_vsec_contract roc_event_contract;

/**
 * struct roc_event_sizes - how much of a channel's limits the driver uses
 * @depth: superpages that are given to a link, at most
 * @submit_log2: entries of the submission ring; the record ring has twice as many
 */
struct roc_event_sizes {
	__u32 depth;
	unsigned int submit_log2;
};

/**
 * roc_event_sizes() - choose depth and ring sizes from the card's limits
 * @limits: the LIMITS register of the channel
 * @links: link slots that the driver uses
 * @ring_log2: entries of the largest ring, from the capability
 * @sizes: result
 *
 * Return: false if the card holds too little; no value is too large.
 */
_Bool roc_event_sizes(__u32 limits, unsigned int links, unsigned int ring_log2,
		      struct roc_event_sizes *sizes);

#endif /* ROC_EVENT_VSEC_H */
