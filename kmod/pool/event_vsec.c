// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find and check the event capability, choose ring sizes. See event_vsec.h.
 */
#include <linux/minmax.h>

#include "pool/event_regs.h"
#include "pool/event_vsec.h"

#define RING_LOG2_MAX 31 /* indices have 32 bits */
/* With one link more wait in the ring than in its FIFO, so that one doorbell publishes many. */
#define AHEAD 128u

static const struct roc_vsec_id event_id = {EVENT_VSEC_ID, EVENT_VSEC_REVISION, EVENT_VSEC_LENGTH,
					    EVENT_VSEC_SIGNATURE_VALUE};

int roc_event_vsec_find(const struct roc_vsec_card *card, struct roc_event_vsec *vsec,
			const char **why)
{
	__u32 limits, channel, stride, function;
	int at = roc_vsec_at(card, &event_id);
	unsigned int i;

	*why = "the list of capabilities has no end";
	if (at <= 0)
		return at;
	limits = roc_vsec_word(card, at + EVENT_VSEC_LIMITS);
	channel = roc_vsec_word(card, at + EVENT_VSEC_CHANNEL);
	stride = roc_vsec_word(card, at + EVENT_VSEC_STRIDE);
	function = roc_vsec_word(card, at + EVENT_VSEC_CARD);
	*why = "it has another number of channels";
	if (EVENT_VSEC_CHANNELS(limits) != card->channels || card->channels > ROC_EVENT_CHANNELS)
		return -1;
	*why = "there are no rings of such a size";
	vsec->ring_log2 = EVENT_VSEC_RING_MAX(limits);
	if (vsec->ring_log2 < EVENT_RING_MIN || vsec->ring_log2 > RING_LOG2_MAX)
		return -1;
	vsec->vectors = EVENT_VSEC_VECTORS(limits);
	for (i = 0; i < card->channels; i++)
		vsec->block[i] = (struct roc_piece){
			EVENT_VSEC_BAR(channel) + i * EVENT_VSEC_BAR(stride),
			EVENT_VSEC_OFFSET(channel) + (__u64)i * EVENT_VSEC_OFFSET(stride),
			EVENT_CHANNEL_SIZE,
		};
	vsec->block[i] = (struct roc_piece){EVENT_VSEC_BAR(function), EVENT_VSEC_OFFSET(function),
					    EVENT_CARD_SIZE};
	*why = roc_vsec_judge(card, vsec->block, card->channels + 1);
	return *why ? -1 : 1;
}

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
	/* With several links, descriptors that a link cannot hold make those of others wait. */
	if (links == 1)
		depth = max(depth, AHEAD);
	depth = min(depth, (__u32)ROC_FIFO_DEPTH_MAX);
	sizes->depth = min(depth, 1u << submit_max);
	sizes->submit_log2 = clamp(round_up_log2(links * sizes->depth),
				   (unsigned int)EVENT_RING_MIN, submit_max);
	/* In a smaller ring some link would never get a superpage. */
	return 1u << sizes->submit_log2 >= links;
}
