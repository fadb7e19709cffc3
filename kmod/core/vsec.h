/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The vendor-specific capability by which a card says that it has one of our interfaces, and
 * whether it can be believed. Nothing here touches the blocks it speaks of. No kernel type beyond
 * the integers: the same file is tested in user space.
 */
#ifndef ROC_VSEC_H
#define ROC_VSEC_H

#include <linux/types.h>

#define ROC_VSEC_BARS 6
#define ROC_VSEC_TABLES 2 /* of MSI-X: the table itself, and its pending bits */

/* A piece of a BAR; nothing if @size is 0. */
struct roc_piece {
	__u32 bar;
	__u64 offset;
	__u32 size;
};

static inline _Bool roc_piece_is_at(const struct roc_piece *piece, unsigned int bar, __u64 offset)
{
	return piece->bar == bar && piece->offset == offset;
}

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

/* What a capability of ours is known by; it may be longer than @length. */
struct roc_vsec_id {
	__u32 id;
	__u32 revision;
	__u32 length;
	__u32 signature;
};

__u32 roc_vsec_word(const struct roc_vsec_card *card, unsigned int at);

/* Where MSI-X has its tables: the capability is at @at. */
void roc_vsec_tables(struct roc_vsec_card *card, unsigned int at);

/*
 * Whoever writes the table has the card write what he likes, where he likes. A BAR that is not ours
 * is nobody's: no user gets at it.
 */
_Bool roc_vsec_tables_open(const struct roc_vsec_card *card);

/* Its place in configuration space. 0: there is none. -1: the list of them has no end. */
int roc_vsec_at(const struct roc_vsec_card *card, const struct roc_vsec_id *id);

/*
 * Block @i of @size bytes, as all our capabilities say it: BAR in [2:0], offset in [31:3] of the
 * first, and the same of the stride to the next.
 */
struct roc_piece roc_vsec_place(__u32 word, __u32 stride, unsigned int i, __u32 size);

/* One for each channel: the words at @first and @stride. */
void roc_vsec_places(const struct roc_vsec_card *card, unsigned int first, unsigned int stride,
		     __u32 size, struct roc_piece *piece);

/* Why the blocks that a capability speaks of must not be used, @count of them. NULL: they may. */
const char *roc_vsec_judge(const struct roc_vsec_card *card, const struct roc_piece *piece,
			   unsigned int count);

/* The same of blocks that users may write. */
const char *roc_vsec_judge_open(const struct roc_vsec_card *card, const struct roc_piece *piece,
				unsigned int count);

#endif /* ROC_VSEC_H */
