/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The capability by which a card declares the event interface: section 2 of
 * Documentation/hardware/event-interface.md. The unit tests compile this file in user space, so it
 * uses no kernel type beyond the integers.
 */
#ifndef ROC_EVENT_VSEC_H
#define ROC_EVENT_VSEC_H

#include "core/vsec.h"

#define ROC_EVENT_CHANNELS 6
#define ROC_EVENT_LOG2_MAX 13	/* entries of a submission ring */
#define ROC_FIFO_DEPTH_MAX 4096 /* superpages that the driver keeps in a link */

/**
 * struct roc_event_vsec - contents of the capability, as parsed by roc_event_contract
 * @ring_log2: log2 of the entries of the largest ring
 * @vectors: number of vectors that the registers can hold
 * @block: blocks of the channels
 * @function: block of the function
 */
struct roc_event_vsec {
	__u32 ring_log2, vectors;
	struct roc_piece block[ROC_EVENT_CHANNELS];
	struct roc_piece function;
};

extern const struct roc_vsec_contract roc_event_contract;

/**
 * struct roc_event_sizes - sizes that the driver uses within the limits of a channel
 * @depth: superpages that a link holds at most
 * @submit_log2: log2 of the entries of the submission ring; the record ring has twice as many
 */
struct roc_event_sizes {
	__u32 depth;
	unsigned int submit_log2;
};

/**
 * roc_event_sizes() - choose depth and ring sizes within the card's limits
 * @limits: value of the LIMITS register of the channel
 * @links: link slots that the driver uses
 * @ring_log2: log2 of the entries of the largest ring, from the capability
 * @sizes: result
 *
 * Return: false if a limit is too small. There is no upper bound.
 */
_Bool roc_event_sizes(__u32 limits, unsigned int links, unsigned int ring_log2,
		      struct roc_event_sizes *sizes);

#endif /* ROC_EVENT_VSEC_H */
