// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding and judging the stream capability. See stream_vsec.h.
 */
#include "stream/stream_regs.h"
#include "stream/stream_vsec.h"

#define RING_LOG2_CARD 37 /* what a capability may say */
#define RING_LOG2_MAX 36  /* what we use: positions are compared with a sign */

static const struct roc_vsec_id stream_id = {STREAM_VSEC_ID, STREAM_VSEC_REVISION,
					     STREAM_VSEC_LENGTH, STREAM_VSEC_SIGNATURE_VALUE};

/* What users must not write, and what they may: neither overlaps its like. */
static const char *judge(const struct roc_vsec_card *card, const struct roc_stream_vsec *vsec)
{
	struct roc_piece piece[2 * ROC_STREAMS_MAX + 1];
	unsigned int i, n = 0;
	const char *why;

	for (i = 0; i < card->channels; i++) {
		piece[n++] = vsec->stream[i];
		piece[n++] = vsec->bell[i];
		if (vsec->bell[i].offset % STREAM_DOORBELL_SIZE)
			return "a doorbell is not a page";
	}
	piece[n++] = vsec->function;
	why = roc_vsec_judge(card, piece, n);
	if (why)
		return why;
	for (i = 0, n = 0; i < card->channels; i++)
		piece[n++] = vsec->settings[i];
	piece[n++] = vsec->card;
	return roc_vsec_judge_open(card, piece, n);
}

int roc_stream_vsec_find(const struct roc_vsec_card *card, struct roc_stream_vsec *vsec,
			 const char **why)
{
	int at = roc_vsec_at(card, &stream_id);
	__u32 limits;

	*why = at ? "the list of capabilities has no end" : "there is no such capability";
	if (at <= 0)
		return at;
	limits = roc_vsec_word(card, at + STREAM_VSEC_LIMITS);
	*why = "it has another number of streams";
	if (STREAM_VSEC_STREAMS(limits) != card->channels || card->channels > ROC_STREAMS_MAX)
		return -1;
	*why = "there are no rings of such a size";
	vsec->ring_log2 = STREAM_VSEC_RING_MAX(limits);
	if (vsec->ring_log2 < STREAM_RING_MIN || vsec->ring_log2 > RING_LOG2_CARD)
		return -1;
	if (vsec->ring_log2 > RING_LOG2_MAX)
		vsec->ring_log2 = RING_LOG2_MAX;
	vsec->vectors = STREAM_VSEC_VECTORS(limits);
	vsec->segments = roc_vsec_word(card, at + STREAM_VSEC_SEGMENTS);
	roc_vsec_places(card, at + STREAM_VSEC_STREAM, at + STREAM_VSEC_STRIDE, STREAM_SIZE,
			vsec->stream);
	roc_vsec_places(card, at + STREAM_VSEC_DOORBELL, at + STREAM_VSEC_DOORBELL_STRIDE,
			STREAM_DOORBELL_SIZE, vsec->bell);
	roc_vsec_places(card, at + STREAM_VSEC_SETTINGS, at + STREAM_VSEC_SETTINGS_STRIDE,
			STREAM_SETTINGS_SIZE, vsec->settings);
	vsec->function = roc_vsec_place(roc_vsec_word(card, at + STREAM_VSEC_FUNCTION), 0, 0,
					STREAM_FUNCTION_SIZE);
	vsec->card =
		roc_vsec_place(roc_vsec_word(card, at + STREAM_VSEC_CARD), 0, 0, STREAM_CARD_SIZE);
	*why = judge(card, vsec);
	return *why ? -1 : 1;
}

_Bool roc_stream_vsec_agrees(const struct roc_stream_vsec *vsec, unsigned int streams,
			     const struct roc_stream_open *open)
{
	const struct roc_piece *first = &open->settings;
	unsigned int i;

	for (i = 0; i < streams; i++)
		if (!roc_piece_is_at(&vsec->settings[i], first->bar,
				     first->offset + i * open->stride))
			return 0;
	return roc_piece_is_at(&vsec->card, open->card.bar, open->card.offset);
}
