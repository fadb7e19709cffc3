/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The capability by which a card declares streams. The unit tests compile this file in user space,
 * so it is separate from stream.h.
 */
#ifndef ROC_STREAM_VSEC_H
#define ROC_STREAM_VSEC_H

#include "core/vsec.h"

#define ROC_STREAMS_MAX 8

/* Contents of the capability: limits and locations of the blocks. */
struct roc_stream_vsec {
	__u32 ring_log2; /* log2 of the bytes of the largest ring */
	__u32 segments;	 /* entries of the largest segment table */
	__u32 vectors;
	struct roc_piece stream[ROC_STREAMS_MAX];
	struct roc_piece doorbell[ROC_STREAMS_MAX];
	struct roc_piece settings[ROC_STREAMS_MAX];
	struct roc_piece function;
	struct roc_piece card;
};

/*
 * Locations that user space derives from the PCI ID: the first block of each type, and the stride.
 */
struct roc_stream_open {
	struct roc_piece card;
	struct roc_piece settings;
	__u64 stride;
};

/* Parses the capability into a struct roc_stream_vsec. */
extern const struct roc_vsec_contract roc_stream_contract;

/* Return true if the open blocks of @streams streams are where user space expects them. */
_Bool roc_stream_vsec_agrees(const struct roc_stream_vsec *vsec, unsigned int streams,
			     const struct roc_stream_open *open);

#endif /* ROC_STREAM_VSEC_H */
