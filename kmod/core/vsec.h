/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find and validate the vendor-specific capability by which a card declares an interface of roc.
 * Each contract describes its capability in a table. No function here accesses the blocks that a
 * capability places. No kernel types except integers: the same file is tested in user space.
 */
#ifndef ROC_VSEC_H
#define ROC_VSEC_H

#include <linux/types.h>

#define ROC_VSEC_BARS 6
#define ROC_VSEC_TABLES 2 /* of MSI-X: the table, and the pending bits */
#define ROC_VSEC_NUMBERS 7
#define ROC_VSEC_BLOCKS 6
#define ROC_VSEC_CHANNELS 8 /* maximum of all contracts */

/* A range of a BAR; empty if @size is 0. */
struct roc_piece {
	__u32 bar;
	__u64 offset;
	__u32 size;
};

/**
 * struct roc_vsec_card - description of the function
 * @read: read a word of its configuration space
 * @user_writable: may users write anywhere in this range?
 * @context: argument of both functions
 * @channels: number of channels that this type of card has
 * @bar_length: length of each BAR; 0: not implemented, or not mapped by the driver
 * @table: MSI-X table and pending bits
 */
struct roc_vsec_card {
	__u32 (*read)(void *context, unsigned int at);
	_Bool (*user_writable)(void *context, const struct roc_piece *piece);
	void *context;
	unsigned int channels;
	__u64 bar_length[ROC_VSEC_BARS];
	struct roc_piece table[ROC_VSEC_TABLES];
};

/* Values that identify a capability. */
struct roc_vsec_id {
	__u32 id;
	__u32 revision;
	__u32 length;
	__u32 signature;
};

/**
 * struct roc_vsec_number - a number in a word of the capability
 * @member: offset of the __u32 in the result that stores it
 * @word: offset of the word in the capability
 * @mask: bits of the word that hold the number
 * @least: smallest valid number
 * @most: largest valid number
 * @used: largest number that the driver uses, 0: no limit
 * @reason: reason for which other numbers are refused
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
 * @member: offset of the struct roc_piece in the result: one, or one for each channel
 * @place: offset of the word that places the first block, 0: the contract's fill() places it
 * @stride: offset of the word with the distance between channels, 0: there is one block
 * @size: size of each block in bytes
 * @magic: magic number in the ID register, 0: there is none, or the caller checks it
 * @flags: ROC_VSEC_*
 *
 * Block i is at BAR and offset of the place, plus i times those of the stride.
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
 * struct roc_vsec_contract - a capability, and how to validate it
 * @id: identification of the capability, which may be longer than @id.length
 * @channels: location of the number of channels, which must be that of the card; @most is the
 *	capacity of the result, at most ROC_VSEC_CHANNELS
 * @number: other numbers; entries without a mask are unused
 * @blocks: blocks; entries without a size and flags are unused. Blocks that users may write do not
 *	overlap each other, nor do the others
 * @fill: read what the tables cannot express, after the numbers; return the reason for which the
 *	capability cannot be used, or NULL. NULL: nothing to do
 */
struct roc_vsec_contract {
	struct roc_vsec_id id;
	struct roc_vsec_number channels;
	struct roc_vsec_number number[ROC_VSEC_NUMBERS];
	struct roc_vsec_blocks blocks[ROC_VSEC_BLOCKS];
	const char *(*fill)(const struct roc_vsec_card *card, unsigned int at, void *result);
};

__u32 roc_vsec_word(const struct roc_vsec_card *card, unsigned int at);

/* Read the location of the MSI-X tables from the capability at @at. */
void roc_vsec_tables(struct roc_vsec_card *card, unsigned int at);

/*
 * May users write an MSI-X table? A write to it can make the card write any value to any address.
 * Users cannot access a BAR that the driver does not map.
 */
_Bool roc_vsec_tables_user_writable(const struct roc_vsec_card *card);

/* Place block @i of @size bytes, from the words of its place and stride. */
struct roc_piece roc_vsec_place(__u32 word, __u32 stride, unsigned int i, __u32 size);

/* Blocks of one row of @contract in @result, and their number. */
struct roc_piece *roc_vsec_pieces(const struct roc_vsec_card *card,
				  const struct roc_vsec_blocks *blocks, void *result,
				  unsigned int *count);

/*
 * Find the capability of @contract and read it into @result. Return: 1 if it is valid, 0 if there
 * is none, -1 if it cannot be used or the list of capabilities is circular. *@reason is the reason
 * for 0 and -1.
 */
int roc_vsec_find(const struct roc_vsec_card *card, const struct roc_vsec_contract *contract,
		  void *result, const char **reason);

/* Are @count pieces @stride bytes apart, and the first one at @first? */
_Bool roc_pieces_are_at(const struct roc_piece *piece, unsigned int count,
			const struct roc_piece *first, __u64 stride);

#endif /* ROC_VSEC_H */
