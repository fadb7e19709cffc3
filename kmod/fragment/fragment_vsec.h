/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The capability by which a card declares the fragment interface. The unit tests compile this file
 * in user space, so it is separate from fragment.h.
 */
#ifndef ROC_FRAGMENT_VSEC_H
#define ROC_FRAGMENT_VSEC_H

#include "core/vsec.h"

#define ROC_SUBS_MAX 4

/* Contents of the capability: limits and locations of the blocks. */
struct roc_fragment_vsec {
	__u32 links;	    /* of each sub-unit */
	__u32 memory_kib;   /* page memory of each link, KiB */
	__u32 data_log2;    /* log2 of the entries of the largest descriptor and free-page ring */
	__u32 command_log2; /* log2 of the entries of the largest command and completion ring */
	__u32 host_pages;   /* entries of the largest host-page table */
	__u32 vectors;
	struct roc_piece sub[ROC_SUBS_MAX];
	struct roc_piece doorbell[ROC_SUBS_MAX];
	struct roc_piece counts[ROC_SUBS_MAX];
	struct roc_piece function;
	struct roc_piece card;
	struct roc_piece all_links; /* from the first link's block to the last's */
};

/* Locations that user space derives from the PCI ID, and the number of links. */
struct roc_fragment_open {
	struct roc_piece card;
	struct roc_piece counts; /* of sub-unit 0 */
	__u64 counts_stride;
	struct roc_piece link; /* link 0 */
	__u64 link_stride;
	unsigned int links; /* of each sub-unit */
};

/* Parses the capability into a struct roc_fragment_vsec. */
extern const struct roc_vsec_contract roc_fragment_contract;

/* Return true if the open blocks of @subs sub-units are where user space expects them. */
_Bool roc_fragment_vsec_agrees(const struct roc_fragment_vsec *vsec, unsigned int subs,
			       const struct roc_fragment_open *open);

#endif /* ROC_FRAGMENT_VSEC_H */
