// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding and judging the event capability. See vsec.h.
 */
#include <linux/pci_regs.h>

#include "pool/event_regs.h"
#include "core/vsec.h"

#define SPACE 4096
/* As many as there is room for: a list that is longer leads back into itself. */
#define CAPABILITIES ((SPACE - 0x100) / 8)
#define RING_LOG2_MAX 31 /* indices have 32 bits */
#define PIECES (ROC_VSEC_CHANNELS + 1 + ROC_VSEC_TABLES)

static __u32 vsec_word(const struct roc_vsec_card *card, unsigned int at)
{
	return card->read(card->context, at);
}

void roc_vsec_tables(struct roc_vsec_card *card, unsigned int at)
{
	unsigned int count = (vsec_word(card, at) >> 16 & PCI_MSIX_FLAGS_QSIZE) + 1;
	__u32 table = vsec_word(card, at + PCI_MSIX_TABLE),
	      pending = vsec_word(card, at + PCI_MSIX_PBA);

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

static _Bool vsec_ours(const struct roc_vsec_card *card, unsigned int at)
{
	__u32 header = vsec_word(card, at + EVENT_VSEC_HEADER);

	return at + EVENT_VSEC_LENGTH <= SPACE && (header & 0xffff) == EVENT_VSEC_ID &&
	       EVENT_VSEC_HEADER_REVISION(header) == EVENT_VSEC_REVISION &&
	       EVENT_VSEC_HEADER_LENGTH(header) >= EVENT_VSEC_LENGTH &&
	       vsec_word(card, at + EVENT_VSEC_SIGNATURE) == EVENT_VSEC_SIGNATURE_VALUE;
}

/* Its place in configuration space. 0: none. -1: the list has no end. */
static int vsec_at(const struct roc_vsec_card *card)
{
	unsigned int at = 0x100, n;

	for (n = 0; n < CAPABILITIES; n++) {
		__u32 header = vsec_word(card, at);

		if (!header || header == ~0u)
			return 0;
		if (PCI_EXT_CAP_ID(header) == PCI_EXT_CAP_ID_VNDR && vsec_ours(card, at))
			return at;
		at = PCI_EXT_CAP_NEXT(header);
		if (at < 0x100)
			return 0;
	}
	return -1;
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

/* NULL: all is well. */
static const char *vsec_judge(const struct roc_vsec_card *card, const struct roc_vsec *vsec)
{
	const struct roc_piece *piece[PIECES];
	unsigned int i, k, blocks = 0, n;

	for (i = 0; i < card->channels; i++)
		piece[blocks++] = &vsec->channel[i];
	piece[blocks++] = &vsec->card;
	n = blocks;
	for (i = 0; i < ROC_VSEC_TABLES; i++)
		if (card->table[i].size)
			piece[n++] = &card->table[i];
	for (i = 0; i < blocks; i++) {
		if (!vsec_inside(card, piece[i]))
			return "a block lies outside of its BAR";
		if (card->open(card->context, piece[i]))
			return "a block lies where users may write";
		for (k = i + 1; k < n; k++)
			if (vsec_overlap(piece[i], piece[k]))
				return k < blocks ? "two blocks overlap"
						  : "a block overlaps the MSI-X table";
	}
	return (void *)0;
}

int roc_vsec_find(const struct roc_vsec_card *card, struct roc_vsec *vsec, const char **why)
{
	__u32 limits, channel, stride, function;
	unsigned int i;
	int at = vsec_at(card);

	*why = "the list of capabilities has no end";
	if (at <= 0)
		return at;
	limits = vsec_word(card, at + EVENT_VSEC_LIMITS);
	channel = vsec_word(card, at + EVENT_VSEC_CHANNEL);
	stride = vsec_word(card, at + EVENT_VSEC_STRIDE);
	function = vsec_word(card, at + EVENT_VSEC_CARD);
	*why = "it has another number of channels";
	if (EVENT_VSEC_CHANNELS(limits) != card->channels || card->channels > ROC_VSEC_CHANNELS)
		return -1;
	*why = "there are no rings of such a size";
	vsec->ring_log2 = EVENT_VSEC_RING_MAX(limits);
	if (vsec->ring_log2 < EVENT_RING_MIN || vsec->ring_log2 > RING_LOG2_MAX)
		return -1;
	for (i = 0; i < card->channels; i++)
		vsec->channel[i] = (struct roc_piece){
			EVENT_VSEC_BAR(channel) + i * EVENT_VSEC_BAR(stride),
			EVENT_VSEC_OFFSET(channel) + (__u64)i * EVENT_VSEC_OFFSET(stride),
			EVENT_CHANNEL_SIZE,
		};
	vsec->card = (struct roc_piece){EVENT_VSEC_BAR(function), EVENT_VSEC_OFFSET(function),
					EVENT_CARD_SIZE};
	*why = vsec_judge(card, vsec);
	return *why ? -1 : 1;
}
