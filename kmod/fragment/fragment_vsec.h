/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The capability by which a card says that it has fragments, and whether it can be believed.
 * Nothing here touches the blocks it speaks of. The same file is tested in user space.
 */
#ifndef ROC_FRAGMENT_VSEC_H
#define ROC_FRAGMENT_VSEC_H

#include "core/vsec.h"

#define ROC_SUBS_MAX 4

/* What the card can, and where the blocks are. Constant from the time that it is found. */
struct roc_fragment_vsec {
	unsigned int links;	   /* of each sub-unit */
	__u64 memory;		   /* bytes of each link's pages */
	unsigned int data_log2;	   /* entries of the largest descriptor and free-page ring */
	unsigned int command_log2; /* and command and completion ring */
	__u32 host_pages;	   /* of the largest table */
	unsigned int vectors;
	struct roc_piece sub[ROC_SUBS_MAX];
	struct roc_piece bell[ROC_SUBS_MAX];
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

/* 1: found, and good. 0: there is none. -1: it cannot be used, and *@why says why. */
int roc_fragment_vsec_find(const struct roc_vsec_card *card, struct roc_fragment_vsec *vsec,
			   const char **why);
/* Is the open part of @subs sub-units where users look for it? */
_Bool roc_fragment_vsec_agrees(const struct roc_fragment_vsec *vsec, unsigned int subs,
			       const struct roc_fragment_open *open);

#endif /* ROC_FRAGMENT_VSEC_H */
