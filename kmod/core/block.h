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

/*
 * Is the block at this place? Its ID register holds [31:16] magic, [15:8] revision, [7:0] number.
 */
static inline bool roc_block_is(struct roc_endpoint *ep, const struct roc_piece *piece, u32 magic,
				u32 revision, u32 number)
{
	return ioread32(roc_block(ep, piece)) == (magic << 16 | revision << 8 | number);
}

/*
 * For probe: find the capability of the contract, see roc_vsec_find(), and determine whether MSI-X
 * can be used.
 */
int roc_block_find(struct roc_endpoint *ep, const struct roc_vsec_contract *contract, void *result,
		   const char **reason);

/*
 * Check the ID registers of the blocks that roc_block_find() found. Return: the reason for which
 * they cannot be used, or NULL.
 */
const char *roc_block_check(struct roc_endpoint *ep, const struct roc_vsec_contract *contract,
			    void *result);

/*
 * Use the function block of the contract for interrupts, with up to @vectors vectors and for
 * @causes.
 */
void roc_block_interrupts(struct roc_endpoint *ep, const struct roc_piece *function,
			  unsigned int vectors, u32 causes);

/**
 * struct roc_block_regs - layout of the block of a channel; constant, one for each contract
 * @control: offset of the register that starts (@enable) and stops (0) the block
 * @status: offset of the register with the status bits below
 * @reset: offset of the register that takes reset levels; a reset also clears the setup
 * @generation: offset of the register that counts completed resets, 0: there is no @reset
 * @enable: bit of @control
 * @enabled: bit of @status
 * @quiet: bit of @status: no memory access is in flight
 * @busy: bits of @status that are clear in a stopped block
 * @failed: bits of @status: the block did not accept its setup
 * @stop: level of @reset that stops the block
 * @stops: mask of all levels that stop the block
 * @quiet_ms: limit of the contract from a stop to @quiet, ms
 * @load_ms: limit of the contract from a start to @enabled or @failed, ms; 0: immediately
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

/* Initialiser for contracts with the layout of contract_regs.h. */
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

/*
 * May sleep. Code under a spinlock writes to ch->block with iowrite32(), if the card is not serial.
 */
u32 roc_block_read(struct roc_channel *ch, u32 offset);
void roc_block_write(struct roc_channel *ch, u32 offset, u32 value);
void roc_block_write64(struct roc_channel *ch, u32 offset, u64 value);

static inline u32 roc_block_status(struct roc_channel *ch)
{
	return roc_block_read(ch, ch->type->block->status);
}

/*
 * Reason for which an enabled block does not work any more: the card does not respond, or it has
 * disabled the block.
 */
enum roc_reason roc_block_reason(const struct roc_channel *ch, u32 status);

static inline enum roc_reason roc_block_trouble(struct roc_channel *ch)
{
	return roc_block_reason(ch, roc_block_status(ch));
}

bool roc_block_left_running(struct roc_channel *ch);

/*
 * Start a block that was reset, with bus mastering enabled. @setup writes the registers, and
 * returns whether they read back as written. The addresses cannot be read back; the block verifies
 * them. *@status is the last status. Return: -EIO if the block did not start; it is stopped then,
 * if it answers.
 */
int roc_block_enable(struct roc_channel *ch, bool (*setup)(struct roc_channel *ch, u32 start),
		     u32 start, u32 *status);

/*
 * Stop the block, also one that never ran, and verify that it has stopped. Return: -EIO if it has
 * not.
 */
int roc_block_disable(struct roc_channel *ch);

/* Reset to @level of the contract. If the level stops the block, verify that it has stopped. */
int roc_block_reset(struct roc_channel *ch, u32 level);

/* Read a running 64-bit counter in two registers, low word first. */
u64 roc_block_counter(void __iomem *at);

#endif /* ROC_BLOCK_H */
