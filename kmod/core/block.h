/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register blocks of the contracts between driver and firmware: find them by the capability of
 * their contract, check their ID registers, reset them and verify that the reset took effect.
 */
#ifndef ROC_BLOCK_H
#define ROC_BLOCK_H

#include "core/roc.h"
#include "core/vsec.h"

static inline void __iomem *roc_block(struct roc_endpoint *ep, const struct roc_piece *piece)
{
	return ep->bar[piece->bar] + piece->offset;
}

/* Is it there? Its ID register holds [31:16] magic, [15:8] revision, [7:0] number. */
static inline bool roc_block_is(struct roc_endpoint *ep, const struct roc_piece *piece, u32 magic,
				u32 revision, u32 number)
{
	return ioread32(roc_block(ep, piece)) == (magic << 16 | revision << 8 | number);
}

/* For a probe: see roc_vsec_find(). Determines, too, whether MSI-X can be used. */
int roc_block_find(struct roc_endpoint *ep, const struct roc_vsec_contract *contract, void *result,
		   const char **why);

/* Why the blocks that roc_block_find() found cannot be used: another ID. NULL: they can. */
const char *roc_block_check(struct roc_endpoint *ep, const struct roc_vsec_contract *contract,
			    void *result);

/* The contract is in use: its function block raises interrupts for @causes. */
void roc_block_interrupts(struct roc_endpoint *ep, const struct roc_piece *function,
			  unsigned int vectors, u32 causes);

/**
 * struct roc_reset_regs - how a block resets what it stands for
 * @reset: offset of the register that is written
 * @generation: of the one that counts resets that were carried out
 * @status: of the one that says
 * @quiet: its bit: nothing is on its way any more
 * @busy: its bits: at work
 * @quiet_ms: how long the contract gives the card
 */
struct roc_reset_regs {
	u32 reset;
	u32 generation;
	u32 status;
	u32 quiet;
	u32 busy;
	unsigned int quiet_ms;
};

int roc_block_reset(void __iomem *block, const struct roc_reset_regs *regs, u32 level);

/* Of one that was enabled: the card has gone, or has switched it off by itself. */
static inline enum roc_why roc_block_trouble(u32 status, u32 enabled)
{
	if (status == ROC_ALL_ONES)
		return ROC_WHY_LOST;
	return status & enabled ? ROC_WHY_NONE : ROC_WHY_CARD;
}

/* A counter of 64 bits in two registers, low word first, that counts meanwhile. */
u64 roc_block_counter(void __iomem *at);

#endif /* ROC_BLOCK_H */
