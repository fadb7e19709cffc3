// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find a vendor-specific capability and validate its fields. See vsec.h.
 */
#include <linux/pci_regs.h>

#include "core/contract_regs.h"
#include "core/vsec.h"

#define SPACE 4096
/* Maximum number of capabilities in configuration space. A longer list contains a loop. */
#define CAPABILITIES ((SPACE - 0x100) / 8)
/* maximum number of blocks in a contract that must not overlap */
#define PIECES (3 * ROC_VSEC_CHANNELS)

__u32 roc_vsec_word(const struct roc_vsec_card *card, unsigned int at)
{
	return card->read(card->context, at);
}

void roc_vsec_tables(struct roc_vsec_card *card, unsigned int at)
{
	unsigned int count = (roc_vsec_word(card, at) >> 16 & PCI_MSIX_FLAGS_QSIZE) + 1;
	__u32 table = roc_vsec_word(card, at + PCI_MSIX_TABLE),
	      pending = roc_vsec_word(card, at + PCI_MSIX_PBA);

	card->table[0] = (struct roc_piece){
		table & PCI_MSIX_TABLE_BIR,
		table & PCI_MSIX_TABLE_OFFSET,
		count * PCI_MSIX_ENTRY_SIZE,
	};
	card->table[1] = (struct roc_piece){
		pending & PCI_MSIX_PBA_BIR,
		pending & PCI_MSIX_PBA_OFFSET,
		(count + 63) / 64 * 8,
	};
}

_Bool roc_vsec_tables_user_writable(const struct roc_vsec_card *card)
{
	unsigned int i;

	for (i = 0; i < ROC_VSEC_TABLES; i++) {
		const struct roc_piece *table = &card->table[i];

		if (table->size && table->bar < ROC_VSEC_BARS && card->bar_length[table->bar] &&
		    card->user_writable(card->context, table))
			return 1;
	}
	return 0;
}

static _Bool vsec_is(const struct roc_vsec_card *card, unsigned int at,
		     const struct roc_vsec_id *id)
{
	__u32 header = roc_vsec_word(card, at + VSEC_HEADER);

	return at + id->length <= SPACE && (header & 0xffff) == id->id &&
	       (header >> 16 & 0xf) == id->revision && header >> 20 >= id->length &&
	       roc_vsec_word(card, at + VSEC_SIGNATURE) == id->signature;
}

/*
 * Return: the offset of the capability in configuration space, 0 if there is none, -1 if the list
 *	is circular.
 *
 * pci_find_vsec_capability() stops at the first capability with the ID. Vendors choose these IDs
 * freely, so another capability may precede this one, which has a signature and a revision.
 */
static int vsec_at(const struct roc_vsec_card *card, const struct roc_vsec_id *id)
{
	unsigned int at = 0x100, n;

	for (n = 0; n < CAPABILITIES; n++) {
		__u32 header = roc_vsec_word(card, at);

		if (!header || header == ~0u)
			return 0;
		if (PCI_EXT_CAP_ID(header) == PCI_EXT_CAP_ID_VNDR && vsec_is(card, at, id))
			return at;
		at = PCI_EXT_CAP_NEXT(header);
		if (at < 0x100)
			return 0;
	}
	return -1;
}

struct roc_piece roc_vsec_place(__u32 word, __u32 stride, unsigned int i, __u32 size)
{
	return (struct roc_piece){
		VSEC_BAR(word) + i * VSEC_BAR(stride),
		VSEC_OFFSET(word) + (__u64)i * VSEC_OFFSET(stride),
		size,
	};
}

struct roc_piece *roc_vsec_pieces(const struct roc_vsec_card *card,
				  const struct roc_vsec_blocks *blocks, void *result,
				  unsigned int *count)
{
	*count = blocks->stride ? card->channels : blocks->size || blocks->flags;
	return (void *)((char *)result + blocks->member);
}

static __u32 vsec_number(const struct roc_vsec_card *card, unsigned int at,
			 const struct roc_vsec_number *number)
{
	return (roc_vsec_word(card, at + number->word) & number->mask) /
	       (number->mask & -number->mask);
}

static const char *vsec_read_numbers(const struct roc_vsec_card *card, unsigned int at,
				     const struct roc_vsec_contract *contract, void *result)
{
	unsigned int i;

	if (card->channels > contract->channels.most ||
	    vsec_number(card, at, &contract->channels) != card->channels)
		return contract->channels.reason;
	for (i = 0; i < ROC_VSEC_NUMBERS && contract->number[i].mask; i++) {
		const struct roc_vsec_number *number = &contract->number[i];
		__u32 value = vsec_number(card, at, number);

		if (value < number->least || value > number->most)
			return number->reason;
		if (number->used && value > number->used)
			value = number->used;
		*(__u32 *)((char *)result + number->member) = value;
	}
	return (void *)0;
}

static void vsec_read_places(const struct roc_vsec_card *card, unsigned int at,
			     const struct roc_vsec_blocks *blocks, void *result)
{
	unsigned int count, i;
	struct roc_piece *piece = roc_vsec_pieces(card, blocks, result, &count);
	__u32 first = roc_vsec_word(card, at + blocks->place);
	__u32 stride = blocks->stride ? roc_vsec_word(card, at + blocks->stride) : 0;

	for (i = 0; i < count; i++)
		piece[i] = roc_vsec_place(first, stride, i, blocks->size);
}

static _Bool vsec_inside(const struct roc_vsec_card *card, const struct roc_piece *piece)
{
	return piece->bar < ROC_VSEC_BARS && piece->size <= card->bar_length[piece->bar] &&
	       piece->offset <= card->bar_length[piece->bar] - piece->size;
}

static _Bool vsec_overlap(const struct roc_piece *a, const struct roc_piece *b)
{
	return a->bar == b->bar && a->offset < b->offset + b->size &&
	       b->offset < a->offset + a->size;
}

/* @user_writable: users may write all of these blocks. */
static const char *vsec_check_pieces(const struct roc_vsec_card *card,
				     const struct roc_piece *piece, unsigned int count,
				     _Bool user_writable)
{
	unsigned int i, k;

	for (i = 0; i < count; i++) {
		if (!vsec_inside(card, &piece[i]))
			return "a block lies outside of its BAR";
		if (!user_writable && card->user_writable(card->context, &piece[i]))
			return "a block lies where users may write";
		for (k = i + 1; k < count; k++)
			if (vsec_overlap(&piece[i], &piece[k]))
				return "two blocks overlap";
		for (k = 0; k < ROC_VSEC_TABLES; k++)
			if (card->table[k].size && vsec_overlap(&piece[i], &card->table[k]))
				return "a block overlaps the MSI-X table";
	}
	return (void *)0;
}

static const char *vsec_check_blocks(const struct roc_vsec_card *card,
				     const struct roc_vsec_contract *contract, void *result,
				     unsigned int user_writable)
{
	struct roc_piece all[PIECES];
	unsigned int i, k, count, n = 0;

	for (i = 0; i < ROC_VSEC_BLOCKS; i++) {
		const struct roc_vsec_blocks *blocks = &contract->blocks[i];
		const struct roc_piece *piece = roc_vsec_pieces(card, blocks, result, &count);

		if ((blocks->flags & ROC_VSEC_USER_WRITABLE) != user_writable)
			continue;
		for (k = 0; k < count; k++) {
			if (n == PIECES)
				return "there are too many blocks";
			if (blocks->flags & ROC_VSEC_PAGE && piece[k].offset % blocks->size)
				return "a doorbell is not a page";
			all[n++] = piece[k];
		}
	}
	return vsec_check_pieces(card, all, n, user_writable);
}

int roc_vsec_find(const struct roc_vsec_card *card, const struct roc_vsec_contract *contract,
		  void *result, const char **reason)
{
	int at = vsec_at(card, &contract->id);
	unsigned int i;

	*reason = at ? "the list of capabilities is circular" : "there is no such capability";
	if (at <= 0)
		return at;
	*reason = vsec_read_numbers(card, at, contract, result);
	if (!*reason && contract->fill)
		*reason = contract->fill(card, at, result);
	if (*reason)
		return -1;
	for (i = 0; i < ROC_VSEC_BLOCKS; i++)
		if (contract->blocks[i].place)
			vsec_read_places(card, at, &contract->blocks[i], result);
	*reason = vsec_check_blocks(card, contract, result, 0);
	if (!*reason)
		*reason = vsec_check_blocks(card, contract, result, ROC_VSEC_USER_WRITABLE);
	return *reason ? -1 : 1;
}

_Bool roc_pieces_are_at(const struct roc_piece *piece, unsigned int count,
			const struct roc_piece *first, __u64 stride)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (piece[i].bar != first->bar || piece[i].offset != first->offset + i * stride)
			return 0;
	return 1;
}
