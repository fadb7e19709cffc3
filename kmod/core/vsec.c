// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding a vendor-specific capability, and judging what it says. See vsec.h.
 */
#include <linux/pci_regs.h>

#include "core/vsec.h"

#define SPACE 4096
/* As many as there is room for: a list that is longer leads back into itself. */
#define CAPABILITIES ((SPACE - 0x100) / 8)
/* From its start */
#define HEADER 0x04 /* [15:0] id, [19:16] revision, [31:20] length */
#define SIGNATURE 0x08

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

_Bool roc_vsec_tables_open(const struct roc_vsec_card *card)
{
	unsigned int i;

	for (i = 0; i < ROC_VSEC_TABLES; i++) {
		const struct roc_piece *table = &card->table[i];

		if (table->size && table->bar < ROC_VSEC_BARS && card->bar_length[table->bar] &&
		    card->open(card->context, table))
			return 1;
	}
	return 0;
}

static _Bool vsec_is(const struct roc_vsec_card *card, unsigned int at,
		     const struct roc_vsec_id *id)
{
	__u32 header = roc_vsec_word(card, at + HEADER);

	return at + id->length <= SPACE && (header & 0xffff) == id->id &&
	       (header >> 16 & 0xf) == id->revision && header >> 20 >= id->length &&
	       roc_vsec_word(card, at + SIGNATURE) == id->signature;
}

/*
 * Not pci_find_vsec_capability(), which stops at the first capability with this id. Vendors number
 * theirs as they like: ours may come after another one, and has a signature and a revision.
 */
int roc_vsec_at(const struct roc_vsec_card *card, const struct roc_vsec_id *id)
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
		(word & 0x7) + i * (stride & 0x7),
		(word & ~0x7u) + (__u64)i * (stride & ~0x7u),
		size,
	};
}

void roc_vsec_places(const struct roc_vsec_card *card, unsigned int first, unsigned int stride,
		     __u32 size, struct roc_piece *piece)
{
	__u32 from = roc_vsec_word(card, first), step = roc_vsec_word(card, stride);
	unsigned int i;

	for (i = 0; i < card->channels; i++)
		piece[i] = roc_vsec_place(from, step, i, size);
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

const char *roc_vsec_judge(const struct roc_vsec_card *card, const struct roc_piece *piece,
			   unsigned int count)
{
	unsigned int i, k;

	for (i = 0; i < count; i++) {
		if (!vsec_inside(card, &piece[i]))
			return "a block lies outside of its BAR";
		if (card->open(card->context, &piece[i]))
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

static _Bool vsec_never_open(void *context, const struct roc_piece *piece)
{
	return 0;
}

const char *roc_vsec_judge_open(const struct roc_vsec_card *card, const struct roc_piece *piece,
				unsigned int count)
{
	struct roc_vsec_card closed = *card;

	closed.open = vsec_never_open;
	return roc_vsec_judge(&closed, piece, count);
}
