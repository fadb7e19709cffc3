// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register blocks of contracts. See block.h.
 */
#include <linux/iopoll.h>
#include <linux/pci.h>

#include "core/block.h"

/* As documented for ROC_REASON_SETUP. A lost register write is rare, and costs one try. */
#define ROC_ENABLE_TRIES 3
#define ROC_LOAD_TRY_US 200
#define ROC_QUIESCE_TRY_US 100
/* Factors for the limits of the contract: the card may be emulated on a busy machine. */
#define ROC_LOAD_PATIENCE 10
#define ROC_QUIESCE_PATIENCE 50

static u32 roc_config_word(void *context, unsigned int at)
{
	struct roc_endpoint *ep = context;
	u32 word;

	if (pci_read_config_dword(ep->pdev, at, &word))
		return ROC_ALL_ONES;
	return word;
}

static bool roc_piece_user_writable(void *context, const struct roc_piece *piece)
{
	return roc_users_may_write(context, piece->bar, piece->offset, piece->size);
}

static struct roc_vsec_card roc_vsec_card(struct roc_endpoint *ep)
{
	struct roc_vsec_card card = {
		.read = roc_config_word,
		.user_writable = roc_piece_user_writable,
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
		   const char **reason)
{
	struct roc_vsec_card card = roc_vsec_card(ep);

	ep->irqs.msix = !roc_vsec_tables_user_writable(&card);
	return roc_vsec_find(&card, contract, result, reason);
}

/*
 * The number in an ID register is the index of the channel. In a single block it is the number of
 * channels.
 */
const char *roc_block_check(struct roc_endpoint *ep, const struct roc_vsec_contract *contract,
			    void *result)
{
	struct roc_vsec_card card = roc_vsec_card(ep);
	unsigned int i, c, count;

	for (i = 0; i < ROC_VSEC_BLOCKS; i++) {
		const struct roc_vsec_blocks *blocks = &contract->blocks[i];
		const struct roc_piece *piece = roc_vsec_pieces(&card, blocks, result, &count);

		for (c = 0; c < count && blocks->magic; c++)
			if (!roc_block_is(ep, &piece[c], blocks->magic, contract->id.revision,
					  blocks->stride ? c : card.channels))
				return "the ID register of a block does not match";
	}
	return NULL;
}

void roc_block_interrupts(struct roc_endpoint *ep, const struct roc_piece *function,
			  unsigned int vectors, u32 causes)
{
	if (!ep->irqs.msix)
		dev_warn(&ep->pdev->dev, "MSI-X not used: users may write its table\n");
	ep->irqs.block = roc_block(ep, function);
	ep->irqs.max_vectors = vectors;
	ep->irqs.causes = causes;
}

u32 roc_block_read(struct roc_channel *ch, u32 offset)
{
	u32 value;

	roc_serial_lock(ch->ep);
	value = ioread32(ch->block + offset);
	roc_serial_unlock(ch->ep);
	return value;
}

void roc_block_write(struct roc_channel *ch, u32 offset, u32 value)
{
	roc_serial_lock(ch->ep);
	iowrite32(value, ch->block + offset);
	roc_serial_unlock(ch->ep);
}

void roc_block_write64(struct roc_channel *ch, u32 offset, u64 value)
{
	roc_block_write(ch, offset, lower_32_bits(value));
	roc_block_write(ch, offset + 4, upper_32_bits(value));
}

enum roc_reason roc_block_reason(const struct roc_channel *ch, u32 status)
{
	if (status == ROC_ALL_ONES)
		return ROC_REASON_LOST;
	return status & ch->type->block->enabled ? ROC_REASON_NONE : ROC_REASON_CARD;
}

static bool roc_block_stopped(const struct roc_block_regs *regs, u32 status)
{
	return status & regs->quiet && !(status & regs->busy);
}

bool roc_block_left_running(struct roc_channel *ch)
{
	return !roc_block_stopped(ch->type->block, roc_block_status(ch));
}

static int roc_block_reset_verified(struct roc_channel *ch, u32 level)
{
	const struct roc_block_regs *regs = ch->type->block;
	u32 before = roc_block_read(ch, regs->generation), status, generation;
	int err;

	roc_block_write(ch, regs->reset, level);
	/* Poll the generation first: a status from before the reset verifies nothing. */
	err = read_poll_timeout(
		roc_block_read, generation,
		(status = roc_block_status(ch)) == ROC_ALL_ONES ||
			(generation == before + 1 && roc_block_stopped(regs, status)),
		ROC_QUIESCE_TRY_US, ROC_QUIESCE_PATIENCE * regs->quiet_ms * USEC_PER_MSEC, false,
		ch, regs->generation);
	if (!err && status != ROC_ALL_ONES)
		return 0;
	roc_ch_log(dbg, ch, "reset %#x not confirmed: generation %u to %u, status %#x\n", level,
		   before, generation, status);
	return -EIO;
}

static u32 roc_block_stop(struct roc_channel *ch)
{
	roc_block_write(ch, ch->type->block->control, 0);
	return roc_block_status(ch);
}

int roc_block_disable(struct roc_channel *ch)
{
	const struct roc_block_regs *regs = ch->type->block;
	u32 status;
	int err;

	if (regs->generation) {
		roc_block_write(ch, regs->control, 0);
		return roc_block_reset_verified(ch, regs->stop);
	}
	/* No register counts stops, so each try repeats the write, which may have been lost. */
	err = read_poll_timeout(roc_block_stop, status,
				status == ROC_ALL_ONES || roc_block_stopped(regs, status),
				ROC_QUIESCE_TRY_US,
				ROC_QUIESCE_PATIENCE * regs->quiet_ms * USEC_PER_MSEC, false, ch);
	return err || status == ROC_ALL_ONES ? -EIO : 0;
}

int roc_block_reset(struct roc_channel *ch, u32 level)
{
	const struct roc_block_regs *regs = ch->type->block;

	if (level & regs->stops)
		return roc_block_reset_verified(ch, level);
	roc_block_write(ch, regs->reset, level);
	return roc_block_status(ch) == ROC_ALL_ONES ? -EIO : 0;
}

/* Wait until the block reports the outcome. Right after the start, none of the bits may be set. */
static u32 roc_block_loaded(struct roc_channel *ch)
{
	const struct roc_block_regs *regs = ch->type->block;
	unsigned int ms = max(ROC_LOAD_PATIENCE * regs->load_ms, 1u);
	u32 status;

	read_poll_timeout(roc_block_status, status, status & (regs->enabled | regs->failed),
			  ROC_LOAD_TRY_US, ms * USEC_PER_MSEC, false, ch);
	return status;
}

int roc_block_enable(struct roc_channel *ch, bool (*setup)(struct roc_channel *ch, u32 start),
		     u32 start, u32 *status)
{
	const struct roc_block_regs *regs = ch->type->block;
	unsigned int tries;

	*status = 0;
	for (tries = 0; tries < ROC_ENABLE_TRIES; tries++) {
		if (!setup(ch, start)) {
			roc_ch_log(dbg, ch, "registers do not read back, try %u\n", tries);
			continue;
		}
		roc_block_write(ch, regs->control, regs->enable);
		*status = roc_block_loaded(ch);
		if (*status == ROC_ALL_ONES)
			break;
		if (*status & regs->enabled && !(*status & regs->failed))
			return 0;
		roc_ch_log(dbg, ch, "not enabled: status %#x, try %u\n", *status, tries);
		/*
		 * A memory access that is in flight for this try must not overlap with the next
		 * try.
		 */
		if (ch->type->disable(ch))
			break;
	}
	return -EIO;
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
