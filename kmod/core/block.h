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
		   const char **reason);

/* Why the blocks that roc_block_find() found cannot be used: another ID. NULL: they can. */
const char *roc_block_check(struct roc_endpoint *ep, const struct roc_vsec_contract *contract,
			    void *result);

/* The contract is in use: its function block raises interrupts for @causes. */
void roc_block_interrupts(struct roc_endpoint *ep, const struct roc_piece *function,
			  unsigned int vectors, u32 causes);

/**
 * struct roc_block_regs - layout of the block of a channel; constant, one for each contract
 * @control: offset of the register that starts (@enable) and stops (0)
 * @status: offset of the register with the bits below
 * @reset: offset of the register that takes levels, and clears what the block was given
 * @generation: offset of the register that counts the resets carried out, 0: there is no @reset
 * @enable: bit of @control
 * @enabled: bit of @status
 * @quiet: bit of @status: no access to memory is on its way
 * @busy: bits of @status that a stopped block has clear
 * @failed: bits of @status: the block did not accept its setup
 * @stop: level of @reset that stops the block
 * @stops: mask of all levels that do
 * @quiet_ms: the contract's limit from a stop to @quiet
 * @load_ms: and from a start to @enabled or @failed, 0: at once
 */
struct roc_block_regs {
	u32 control;
	u32 status;
	u32 reset;
	u32 generation;
	u32 enable;
	u32 enabled;
	u32 quiet;
	u32 busy;
	u32 failed;
	u32 stop;
	u32 stops;
	unsigned int quiet_ms;
	unsigned int load_ms;
};

/* The layout of contract_regs.h. */
#define ROC_BLOCK_REGS(_load_ms)                                                                   \
	{                                                                                          \
		.control = BLOCK_CONTROL, .status = BLOCK_STATUS, .reset = BLOCK_RESET,            \
		.generation = BLOCK_GENERATION, .enable = BLOCK_CONTROL_ENABLE,                    \
		.enabled = BLOCK_STATUS_ENABLED, .quiet = BLOCK_STATUS_QUIET,                      \
		.busy = BLOCK_STATUS_ENABLED | BLOCK_STATUS_LOADING,                               \
		.failed = BLOCK_STATUS_SETUP_ERROR | BLOCK_STATUS_FETCH_ERROR,                     \
		.stop = BLOCK_RESET_LOGIC, .stops = BLOCK_RESET_LOGIC | BLOCK_RESET_DEFAULT,       \
		.quiet_ms = BLOCK_QUIET_MS, .load_ms = (_load_ms),                                 \
	}

/* May sleep. Under a spinlock, for cards that are not serial: iowrite32() to ch->block. */
u32 roc_block_read(struct roc_channel *ch, u32 offset);
void roc_block_write(struct roc_channel *ch, u32 offset, u32 value);
void roc_block_write64(struct roc_channel *ch, u32 offset, u64 value);

static inline u32 roc_block_status(struct roc_channel *ch)
{
	return roc_block_read(ch, ch->type->block->status);
}

/* Why a block that was enabled works no more: the card has gone, or has switched it off. */
enum roc_reason roc_block_reason(const struct roc_channel *ch, u32 status);

static inline enum roc_reason roc_block_trouble(struct roc_channel *ch)
{
	return roc_block_reason(ch, roc_block_status(ch));
}

bool roc_block_left_running(struct roc_channel *ch);

/*
 * Start a block that was reset and has the bus. @setup writes its registers, and returns whether
 * they read back as written. *@status is its last status. -EIO: it did not start, and is stopped if
 * it answers. The block verifies the addresses, which cannot be read back.
 */
int roc_block_enable(struct roc_channel *ch, bool (*setup)(struct roc_channel *ch, u32 start),
		     u32 start, u32 *status);

/* Stop, and verify that it has; -EIO if it has not. For blocks that never ran, too. */
int roc_block_disable(struct roc_channel *ch);

/* @level: of the contract. If it stops the block, this verifies that it did. */
int roc_block_reset(struct roc_channel *ch, u32 level);

/* A counter of 64 bits in two registers, low word first, that counts meanwhile. */
u64 roc_block_counter(void __iomem *at);

#endif /* ROC_BLOCK_H */
