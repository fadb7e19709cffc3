// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register blocks of contracts. See block.h.
 */
#include <linux/iopoll.h>
#include <linux/pci.h>

#include "core/block.h"

#define ROC_QUIET_TRY_US 100
/* Longer than the card's promise, because the card may be an emulated one on a busy machine. */
#define ROC_QUIET_PATIENCE 50

static u32 roc_config_word(void *context, unsigned int at)
{
	struct roc_endpoint *ep = context;
	u32 word;

	if (pci_read_config_dword(ep->pdev, at, &word))
		return ROC_ALL_ONES;
	return word;
}

static bool roc_piece_open(void *context, const struct roc_piece *piece)
{
	return roc_users_may_write(context, piece->bar, piece->offset, piece->size);
}

static struct roc_vsec_card roc_vsec_card(struct roc_endpoint *ep)
{
	struct roc_vsec_card card = {
		.read = roc_config_word,
		.open = roc_piece_open,
		.context = ep,
		.channels = ep->ops->channels,
	};
	unsigned int i;

	for (i = 0; i < ROC_BARS; i++)
		card.bar_length[i] = ep->bar[i] ? ep->bar_length[i] : 0;
	if (ep->pdev->msix_cap)
		roc_vsec_tables(&card, ep->pdev->msix_cap);
	return card;
}

int roc_block_find(struct roc_endpoint *ep, const struct roc_vsec_contract *contract, void *result,
		   const char **why)
{
	struct roc_vsec_card card = roc_vsec_card(ep);

	ep->irqs.msix = !roc_vsec_tables_open(&card);
	return roc_vsec_find(&card, contract, result, why);
}

/* A single block has the number of channels where those of channels have their own. */
const char *roc_block_check(struct roc_endpoint *ep, const struct roc_vsec_contract *contract,
			    void *result)
{
	struct roc_vsec_card card = roc_vsec_card(ep);
	unsigned int i, c, count;

	for (i = 0; i < contract->block_count; i++) {
		const struct roc_vsec_blocks *blocks = &contract->blocks[i];
		const struct roc_piece *piece = roc_vsec_pieces(&card, blocks, result, &count);

		for (c = 0; c < count && blocks->magic; c++)
			if (!roc_block_is(ep, &piece[c], blocks->magic, contract->id.revision,
					  blocks->stride ? c : card.channels))
				return "a block's id is not what it should be";
	}
	return NULL;
}

void roc_block_interrupts(struct roc_endpoint *ep, const struct roc_piece *function,
			  unsigned int vectors, u32 causes)
{
	if (!ep->irqs.msix)
		dev_warn(&ep->pdev->dev, "MSI-X is not used: users may write its table\n");
	ep->irqs.block = roc_block(ep, function);
	ep->irqs.most = vectors;
	ep->irqs.causes = causes;
}

/*
 * A reset that stops it, proved: the card counts those that it carried out, and says when nothing
 * of it is on its way any more.
 */
int roc_block_reset(void __iomem *block, const struct roc_reset_regs *regs, u32 level)
{
	u32 before = ioread32(block + regs->generation), status, generation;
	int err;

	iowrite32(level, block + regs->reset);
	/* The generation is read first: a status from before the reset proves nothing. */
	err = read_poll_timeout(ioread32, generation,
				(status = ioread32(block + regs->status)) == ROC_ALL_ONES ||
					(generation == before + 1 && status & regs->quiet &&
					 !(status & regs->busy)),
				ROC_QUIET_TRY_US,
				ROC_QUIET_PATIENCE * regs->quiet_ms * USEC_PER_MSEC, false,
				block + regs->generation);
	return err || status == ROC_ALL_ONES ? -EIO : 0;
}

u64 roc_block_counter(void __iomem *at)
{
	unsigned int tries;
	u32 low, high = ioread32(at + 4), again;

	for (tries = 0; tries < 3; tries++, high = again) {
		low = ioread32(at);
		again = ioread32(at + 4);
		if (again == high)
			break;
	}
	return (u64)high << 32 | low;
}
