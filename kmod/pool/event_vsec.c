// SPDX-License-Identifier: GPL-2.0-only
/*
 * Describe the event capability, and choose the ring sizes. See event_vsec.h.
 */
#include <linux/minmax.h>

#include "pool/event_regs.h"
#include "pool/event_vsec.h"

#define RING_LOG2_MAX 31 /* indices have 32 bits */
/*
 * Descriptors in the ring of a single link: more than its FIFO, so that a doorbell publishes many.
 */
#define AHEAD 128u

#define MEMBER(name) __builtin_offsetof(struct roc_event_vsec, name)

const struct roc_vsec_contract roc_event_contract = {
	.id = {EVENT_VSEC_ID, EVENT_VSEC_REVISION, EVENT_VSEC_LENGTH, EVENT_VSEC_SIGNATURE_VALUE},
	.channels = {0, EVENT_VSEC_LIMITS, EVENT_VSEC_CHANNELS, 0, ROC_EVENT_CHANNELS, 0,
		     "the number of channels does not match"},
	.number =
		{
			{MEMBER(ring_log2), EVENT_VSEC_LIMITS, EVENT_VSEC_RING_MAX, EVENT_RING_MIN,
			 RING_LOG2_MAX, RING_LOG2_MAX, "the largest ring size is out of range"},
			{MEMBER(vectors), EVENT_VSEC_LIMITS, EVENT_VSEC_VECTORS, 0, ~0u, 0, ""},
		},
	.blocks =
		{
			{MEMBER(block), EVENT_VSEC_CHANNEL, EVENT_VSEC_STRIDE, EVENT_CHANNEL_SIZE,
			 EVENT_ID_CHANNEL, 0},
			{MEMBER(function), EVENT_VSEC_CARD, 0, EVENT_CARD_SIZE, EVENT_ID_CARD, 0},
		},
};

static unsigned int round_up_log2(__u32 count)
{
	unsigned int log2 = 0;

	while (1u << log2 < count)
		log2++;
	return log2;
}

_Bool roc_event_sizes(__u32 limits, unsigned int links, unsigned int ring_log2,
		      struct roc_event_sizes *sizes)
{
	__u32 depth = EVENT_LIMITS_DEPTH(limits);
	unsigned int submit_max;

	if (!depth || EVENT_LIMITS_LINKS(limits) < links || ring_log2 < EVENT_RING_MIN + 1)
		return 0;
	submit_max = min(ring_log2 - 1, (unsigned int)ROC_EVENT_LOG2_MAX);
	/*
	 * With several links, a descriptor that its link cannot hold blocks those of other links.
	 */
	if (links == 1)
		depth = max(depth, AHEAD);
	depth = min_t(__u32, depth, ROC_FIFO_DEPTH_MAX);
	sizes->depth = min(depth, 1u << submit_max);
	sizes->submit_log2 = clamp(round_up_log2(links * sizes->depth),
				   (unsigned int)EVENT_RING_MIN, submit_max);
	/* In a smaller ring some links would never get a superpage. */
	return 1u << sizes->submit_log2 >= links;
}
