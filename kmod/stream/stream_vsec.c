// SPDX-License-Identifier: GPL-2.0-only
/*
 * Describe the stream capability. See stream_vsec.h.
 */
#include "stream/stream_regs.h"
#include "stream/stream_vsec.h"

#define RING_LOG2_CARD 37 /* largest value of the capability */
#define RING_LOG2_MAX 36  /* largest value that the driver uses: it compares signed positions */

#define MEMBER(name) __builtin_offsetof(struct roc_stream_vsec, name)

const struct roc_vsec_contract roc_stream_contract = {
	.id = {STREAM_VSEC_ID, STREAM_VSEC_REVISION, STREAM_VSEC_LENGTH,
	       STREAM_VSEC_SIGNATURE_VALUE},
	.channels = {0, STREAM_VSEC_LIMITS, STREAM_VSEC_STREAMS, 0, ROC_STREAMS_MAX, 0,
		     "the number of streams does not match"},
	.number =
		{
			{MEMBER(ring_log2), STREAM_VSEC_LIMITS, STREAM_VSEC_RING_MAX,
			 STREAM_RING_MIN, RING_LOG2_CARD, RING_LOG2_MAX,
			 "the largest ring size is out of range"},
			{MEMBER(vectors), STREAM_VSEC_LIMITS, STREAM_VSEC_VECTORS, 0, ~0u, 0, ""},
			{MEMBER(segments), STREAM_VSEC_SEGMENTS, ~0u, 0, ~0u, 0, ""},
		},
	.blocks =
		{
			{MEMBER(stream), STREAM_VSEC_STREAM, STREAM_VSEC_STRIDE, STREAM_SIZE,
			 STREAM_ID_STREAM, 0},
			{MEMBER(doorbell), STREAM_VSEC_DOORBELL, STREAM_VSEC_DOORBELL_STRIDE,
			 STREAM_DOORBELL_SIZE, 0, ROC_VSEC_PAGE},
			{MEMBER(function), STREAM_VSEC_FUNCTION, 0, FUNCTION_SIZE,
			 STREAM_ID_FUNCTION, 0},
			{MEMBER(settings), STREAM_VSEC_SETTINGS, STREAM_VSEC_SETTINGS_STRIDE,
			 STREAM_SETTINGS_SIZE, STREAM_ID_SETTINGS, ROC_VSEC_USER_WRITABLE},
			{MEMBER(card), STREAM_VSEC_CARD, 0, CARD_SIZE, 0, ROC_VSEC_USER_WRITABLE},
		},
};

_Bool roc_stream_vsec_agrees(const struct roc_stream_vsec *vsec, unsigned int streams,
			     const struct roc_stream_open *open)
{
	return roc_pieces_are_at(vsec->settings, streams, &open->settings, open->stride) &&
	       roc_pieces_are_at(&vsec->card, 1, &open->card, 0);
}
