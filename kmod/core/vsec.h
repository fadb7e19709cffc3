/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The capability by which a card says that it has the event interface, and whether it can be
 * believed: Documentation/hardware/event-interface.md, section 2. Nothing here touches the blocks
 * it speaks of. No kernel type beyond the integers: the same file is tested in user space.
 */
#ifndef ROC_VSEC_H
#define ROC_VSEC_H

#include <linux/types.h>

#define ROC_VSEC_BARS 6
#define ROC_VSEC_CHANNELS 6
#define ROC_VSEC_TABLES 2 /* of MSI-X: the table itself, and its pending bits */

/* A piece of a BAR; nothing if @size is 0. */
struct roc_piece {
	__u32 bar;
	__u64 offset;
	__u32 size;
};

/**
 * struct roc_vsec_card - what is known of the function
 * @read: a word of its configuration space
 * @open: may users write somewhere in this piece?
 * @context: of both
 * @channels: as many as this kind of card has
 * @bar_length: 0: not there, or not ours
 * @table: of MSI-X
 */
struct roc_vsec_card {
	__u32 (*read)(void *context, unsigned int at);
	_Bool (*open)(void *context, const struct roc_piece *piece);
	void *context;
	unsigned int channels;
	__u64 bar_length[ROC_VSEC_BARS];
	struct roc_piece table[ROC_VSEC_TABLES];
};

/**
 * struct roc_vsec - what the capability says
 * @ring_log2: entries of the largest ring
 * @channel: the channels' blocks
 * @card: the function's block
 */
struct roc_vsec {
	unsigned int ring_log2;
	struct roc_piece channel[ROC_VSEC_CHANNELS];
	struct roc_piece card;
};

/* Where MSI-X has its tables: the capability is at @at. */
void roc_vsec_tables(struct roc_vsec_card *card, unsigned int at);

/*
 * Whoever writes the table has the card write what he likes, where he likes. A BAR that is not ours
 * is nobody's: no user gets at it.
 */
_Bool roc_vsec_tables_open(const struct roc_vsec_card *card);

/*
 * 1: found, and good. 0: there is none. -1: there is one, or a list of capabilities, that must not
 * be used, and *why is the reason.
 */
int roc_vsec_find(const struct roc_vsec_card *card, struct roc_vsec *vsec, const char **why);

#endif /* ROC_VSEC_H */
