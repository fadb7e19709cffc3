/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find and validate the vendor-specific capability by which a card declares that it has one of our
 * interfaces. Each contract describes its capability in a table. No function here accesses the
 * blocks that a capability places. No kernel type beyond the integers: the same file is tested in
 * user space.
 */
#ifndef ROC_VSEC_H
#define ROC_VSEC_H

#include <linux/types.h>

#define ROC_VSEC_BARS 6
#define ROC_VSEC_TABLES 2 /* of MSI-X: the table itself, and its pending bits */
#define ROC_VSEC_NUMBERS 7
#define ROC_VSEC_BLOCKS 6
#define ROC_VSEC_CHANNELS 8 /* of any contract */

/* A piece of a BAR; nothing if @size is 0. */
struct roc_piece {
	__u32 bar;
	__u64 offset;
	__u32 size;
};

/**
 * struct roc_vsec_card - what is known of the function
 * @read: a word of its configuration space
 * @user_writable: may users write somewhere in this piece?
 * @context: of both
 * @channels: as many as this kind of card has
 * @bar_length: 0: not there, or not ours
 * @table: of MSI-X
 */
struct roc_vsec_card {
	__u32 (*read)(void *context, unsigned int at);
	_Bool (*user_writable)(void *context, const struct roc_piece *piece);
	void *context;
	unsigned int channels;
	__u64 bar_length[ROC_VSEC_BARS];
	struct roc_piece table[ROC_VSEC_TABLES];
};

/* What a capability of ours is known by. */
struct roc_vsec_id {
	__u32 id;
	__u32 revision;
	__u32 length;
	__u32 signature;
};

/**
 * struct roc_vsec_number - a number in a word of the capability
 * @member: offset of the __u32 of the result that it is stored in
 * @word: offset of the word in the capability
 * @mask: bits of the word that hold the number
 * @least: a smaller number is refused
 * @most: so is a larger one
 * @used: what the driver uses of it at most, 0: all
 * @reason: reason for which it is refused
 */
struct roc_vsec_number {
	unsigned int member;
	unsigned int word;
	__u32 mask;
	__u32 least;
	__u32 most;
	__u32 used;
	const char *reason;
};

#define ROC_VSEC_USER_WRITABLE (1u << 0) /* users may write these blocks */
#define ROC_VSEC_PAGE (1u << 1)		 /* each starts at a multiple of its size */

/**
 * struct roc_vsec_blocks - blocks that the capability places
 * @member: offset of the struct roc_piece of the result: one, or one for each channel
 * @place: offset of the word that places the first one, 0: the contract's fill() does it
 * @stride: offset of the word with the distance to the next channel's, 0: there is one block
 * @size: bytes of each
 * @magic: in its ID register, 0: the block has none, or the caller checks it
 * @flags: ROC_VSEC_*
 *
 * The place of block i: BAR and offset of the word, plus i times the stride's.
 */
struct roc_vsec_blocks {
	unsigned int member;
	unsigned int place;
	unsigned int stride;
	__u32 size;
	__u32 magic;
	unsigned int flags;
};

/**
 * struct roc_vsec_contract - a capability of ours, and how to check it
 * @id: of the capability; it may be longer than @length
 * @channels: where it has the number of channels; the number must be that of the card. @most of it
 *	is what a result has room for, at most ROC_VSEC_CHANNELS
 * @number: its other numbers; those without a mask are not used
 * @blocks: what it places; those without a size and flags are not used. Those that users may write
 *	do not overlap each other, nor do the others
 * @fill: reads what the tables cannot express, when the numbers are read. Returns why the
 *	capability cannot be used, or NULL. NULL: there is nothing
 */
struct roc_vsec_contract {
	struct roc_vsec_id id;
	struct roc_vsec_number channels;
	struct roc_vsec_number number[ROC_VSEC_NUMBERS];
	struct roc_vsec_blocks blocks[ROC_VSEC_BLOCKS];
	const char *(*fill)(const struct roc_vsec_card *card, unsigned int at, void *result);
};

__u32 roc_vsec_word(const struct roc_vsec_card *card, unsigned int at);

/* Where MSI-X has its tables: the capability is at @at. */
void roc_vsec_tables(struct roc_vsec_card *card, unsigned int at);

/*
 * Whoever writes the table has the card write what he likes, where he likes. A BAR that is not ours
 * is nobody's: no user gets at it.
 */
_Bool roc_vsec_tables_user_writable(const struct roc_vsec_card *card);

/* Block @i of @size bytes, from the words of its place and of the stride. */
struct roc_piece roc_vsec_place(__u32 word, __u32 stride, unsigned int i, __u32 size);

/* Blocks of one row of @contract in @result, and how many there are. */
struct roc_piece *roc_vsec_pieces(const struct roc_vsec_card *card,
				  const struct roc_vsec_blocks *blocks, void *result,
				  unsigned int *count);

/*
 * Find the capability of @contract and read it into @result. 1: found, and good. 0: there is none.
 * -1: it cannot be used, or the list of capabilities has no end. *@reason has the cause.
 */
int roc_vsec_find(const struct roc_vsec_card *card, const struct roc_vsec_contract *contract,
		  void *result, const char **reason);

/* Do @count pieces follow each other from @first on, @stride bytes apart? */
_Bool roc_pieces_are_at(const struct roc_piece *piece, unsigned int count,
			const struct roc_piece *first, __u64 stride);

#endif /* ROC_VSEC_H */
