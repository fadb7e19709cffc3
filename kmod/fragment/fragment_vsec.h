/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The capability by which a card declares fragments. Apart from fragment.h, because the same file
 * is tested in user space.
 */
#ifndef ROC_FRAGMENT_VSEC_H
#define ROC_FRAGMENT_VSEC_H

#include "core/vsec.h"

#define ROC_SUBS_MAX 4

/* Limits of the card and places of its blocks. Constant once the capability is found. */
struct roc_fragment_vsec {
	__u32 links;	    /* of each sub-unit */
	__u32 memory_kib;   /* of each link's pages */
	__u32 data_log2;    /* entries of the largest descriptor and free-page ring */
	__u32 command_log2; /* and command and completion ring */
	__u32 host_pages;   /* of the largest table */
	__u32 vectors;
	struct roc_piece sub[ROC_SUBS_MAX];
	struct roc_piece doorbell[ROC_SUBS_MAX];
	struct roc_piece counts[ROC_SUBS_MAX];
	struct roc_piece function;
	struct roc_piece card;
	struct roc_piece all_links; /* from the first link's block to the last's */
};

/* Where users look for what they may write, and of how many links: which card it is says so. */
struct roc_fragment_open {
	struct roc_piece card;
	struct roc_piece counts; /* of sub-unit 0 */
	__u64 counts_stride;
	struct roc_piece link; /* link 0 */
	__u64 link_stride;
	unsigned int links; /* of each sub-unit */
};

/* The result is a struct roc_fragment_vsec. */
extern const struct roc_vsec_contract roc_fragment_contract;

/* Is the open part of @subs sub-units where users look for it? */
_Bool roc_fragment_vsec_agrees(const struct roc_fragment_vsec *vsec, unsigned int subs,
			       const struct roc_fragment_open *open);

#endif /* ROC_FRAGMENT_VSEC_H */
