/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The capability by which a card declares streams. Apart from stream.h, because the same file is
 * tested in user space.
 */
#ifndef ROC_STREAM_VSEC_H
#define ROC_STREAM_VSEC_H

#include "core/vsec.h"

#define ROC_STREAMS_MAX 8

/* Where the blocks are. Constant from the time that it is found. */
struct roc_stream_vsec {
	__u32 ring_log2; /* bytes of the largest ring */
	__u32 segments;	 /* entries of the largest table */
	__u32 vectors;
	struct roc_piece stream[ROC_STREAMS_MAX];
	struct roc_piece doorbell[ROC_STREAMS_MAX];
	struct roc_piece settings[ROC_STREAMS_MAX];
	struct roc_piece function;
	struct roc_piece card;
};

/* What user space knows by the card's PCI id, without asking: the first of each, and the way on. */
struct roc_stream_open {
	struct roc_piece card;
	struct roc_piece settings;
	__u64 stride;
};

/* The result is a struct roc_stream_vsec. */
extern const struct roc_vsec_contract roc_stream_contract;

/* Is the open part of @streams streams where users look for it? */
_Bool roc_stream_vsec_agrees(const struct roc_stream_vsec *vsec, unsigned int streams,
			     const struct roc_stream_open *open);

#endif /* ROC_STREAM_VSEC_H */
