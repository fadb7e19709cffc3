// SPDX-License-Identifier: GPL-2.0-only
/*
 * Blocks of firmware interfaces. See block.h.
 */
#include <linux/iopoll.h>

#include "core/block.h"

#define ROC_QUIET_TRY_US 100
/* Longer than the card's promise, because the card may be an emulated one on a busy machine. */
#define ROC_QUIET_PATIENCE 50

/* NULL if there is another block. */
void __iomem *roc_block(struct roc_endpoint *ep, const struct roc_piece *piece, u32 magic,
			u32 revision, u32 number)
{
	void __iomem *block = ep->bar[piece->bar] + piece->offset;

	return ioread32(block) == (magic << 16 | revision << 8 | number) ? block : NULL;
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
