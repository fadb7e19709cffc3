// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ioctls of an open sub-unit channel: rings, run and wait. Each handler runs inside the endpoint's
 * SRCU read side, except that rings are allocated outside, because that may take long.
 */
#include <linux/log2.h>
#include <linux/mm.h>

#include "fragment/fragment.h"

static bool roc_fr_size_valid(u32 size, u32 least, u32 most)
{
	return is_power_of_2(size) && size >= least && size <= most;
}

/* Fill in the defaults of the members that are 0. */
static void roc_fr_rings_default(const struct roc_sub *sub, struct roc_fr_rings *arg)
{
	if (!arg->page_size)
		arg->page_size = ROC_FR_PAGE_DEFAULT;
	if (!arg->host_page_size)
		arg->host_page_size = max(arg->page_size, ROC_FR_HOST_PAGE_MIN);
	if (!arg->commands)
		arg->commands = min_t(u32, ROC_FR_COMMANDS_DEFAULT, 1u << sub->command_log2);
	arg->links = sub->links;
}

static bool roc_fr_rings_valid(const struct roc_fr_rings *arg)
{
	return roc_fr_size_valid(arg->page_size, ROC_FR_PAGE_MIN, ROC_FR_PAGE_MAX) &&
	       roc_fr_size_valid(arg->host_page_size, ROC_FR_HOST_PAGE_MIN, ROC_FR_HOST_PAGE_MAX) &&
	       roc_fr_size_valid(arg->commands, ROC_FR_COMMANDS_MIN, ROC_FR_COMMANDS_MAX) &&
	       arg->host_page_size >= arg->page_size;
}

/* Largest number of pages per link: limited by the card's rings, or by contiguous memory. */
static u32 roc_fr_pages_max(const struct roc_channel *ch)
{
	const struct roc_sub *sub = roc_sub(ch);
	u64 entries = 1ull << sub->data_log2;

	if (!ch->ep->translated)
		entries = min_t(u64, entries, ROC_PIECE_MAX / sizeof(struct roc_fr_descriptor));
	return div_u64(entries, sub->links);
}

static int roc_fr_rings_check(struct roc_channel *ch, void *data)
{
	struct roc_fr_rings *arg = data;
	const struct roc_sub *sub = roc_sub(ch);
	struct device *dev = &ch->ep->pdev->dev;
	u32 pages = sub->memory >> ilog2(arg->page_size);

	if (arg->pages > pages)
		return -EINVAL;
	if (!arg->pages)
		arg->pages = min(pages, roc_fr_pages_max(ch));
	arg->descriptors =
		max_t(u32, roundup_pow_of_two(arg->pages * sub->links), 1u << FRAGMENT_RING_MIN);
	arg->frees = arg->descriptors;
	if (arg->commands > 1u << sub->command_log2) {
		arg->reason = ROC_REASON_LENGTH;
		arg->limit = 1u << sub->command_log2;
	} else if (arg->descriptors > 1u << sub->data_log2) {
		arg->reason = ROC_REASON_LENGTH;
		arg->limit = roc_fr_pages_max(ch);
	} else if (arg->pages > roc_fr_pages_max(ch)) {
		arg->reason = ROC_REASON_CONTIGUITY;
		arg->limit = roc_fr_pages_max(ch);
	} else if (dma_addressing_limited(dev)) {
		arg->reason = ROC_REASON_DMA_MASK;
	} else if (dma_max_mapping_size(dev) <
		   arg->descriptors * sizeof(struct roc_fr_descriptor)) {
		arg->reason = ROC_REASON_BOUNCE;
		arg->limit = dma_max_mapping_size(dev);
	}
	return arg->reason ? -EOPNOTSUPP : 0;
}

static int roc_fr_rings(struct file *file, void *data)
{
	struct roc_open *o = file->private_data;
	struct roc_channel *ch = o->ch;
	struct roc_fr_rings *arg = data;
	struct roc_sub_rings *rings;
	int err, node;

	if (arg->flags || arg->reason || arg->limit || arg->pinned)
		return -EINVAL;
	roc_fr_rings_default(roc_sub(ch), arg);
	if (!roc_fr_rings_valid(arg))
		return -EINVAL;
	err = roc_shared_check(o, roc_fr_rings_check, arg, &arg->reason, &node);
	if (err)
		return err;
	rings = roc_sub_rings_alloc(roc_sub(ch), arg, node, !ch->ep->translated);
	if (IS_ERR(rings))
		return PTR_ERR(rings);
	err = roc_shared_attach(o, &rings->shared, roc_sub_rings_map, arg);
	if (err)
		return err;
	roc_sub_rings_describe(rings, arg);
	return 0;
}

static int roc_fr_start(struct file *file, void *data)
{
	struct roc_fr_start *arg = data;

	if (arg->flags || arg->host_pages || arg->reason || arg->reserved || arg->limit)
		return -EINVAL;
	return roc_run_start(roc_run(file->private_data), arg->start, arg);
}

static int roc_fr_stop(struct file *file, void *data)
{
	struct roc_fr_stop *arg = data;

	if (arg->flags & ~ROC_FR_STOP_NOW || arg->descriptors || arg->completions || arg->lost ||
	    arg->reserved)
		return -EINVAL;
	return roc_run_stop(roc_run(file->private_data), ROC_REASON_NONE, arg->flags, arg);
}

static int roc_fr_doorbell(struct file *file, void *data)
{
	struct roc_run *run = roc_run(file->private_data);
	struct roc_channel *ch = run->open.ch;
	const struct roc_fr_doorbell *arg = data;
	int err = 0;

	if (arg->flags || arg->reserved ||
	    arg->what & ~(ROC_FR_DOORBELL_FREE | ROC_FR_DOORBELL_COMMAND))
		return -EINVAL;
	/* Pairs with the release in roc_shared_commit(): the shared memory is set up. */
	if (!smp_load_acquire(&run->open.committed))
		return -EPIPE;
	spin_lock_irq(&ch->run_lock);
	if (roc_run_bound(run))
		roc_fragment_ring_doorbells(ch, arg);
	else
		err = -EALREADY;
	spin_unlock_irq(&ch->run_lock);
	return err;
}

static int roc_fr_pages(struct file *file, void *data)
{
	struct roc_run *run = roc_run(file->private_data);
	struct roc_fr_pages *arg = data;
	int err;

	if (arg->flags || arg->first || arg->count || arg->total)
		return -EINVAL;
	err = roc_open_lock(&run->open);
	if (err)
		return err;
	err = run->open.committed ? roc_table_find(run, arg) : -EPIPE;
	mutex_unlock(&run->open.ch->lock);
	return err;
}

static int roc_fr_wait(struct file *file, void *data)
{
	struct roc_fr_wait *arg = data;

	BUILD_BUG_ON(ROC_FR_WAIT_DATA != BIT(ROC_LANE_DATA) ||
		     ROC_FR_WAIT_DONE != BIT(ROC_LANE_DONE));
	if (arg->flags || arg->ready || !arg->mask ||
	    arg->mask & ~(ROC_FR_WAIT_DATA | ROC_FR_WAIT_DONE))
		return -EINVAL;
	return roc_run_wait(roc_run(file->private_data), arg->deadline, arg);
}

static const struct roc_ioctl roc_fragment_calls[] = {
	ROC_IOCTL(ROC_FR_INFO, roc_fr_info, bad_index, roc_sub_info),
	ROC_IOCTL(ROC_FR_RINGS, roc_fr_rings, pinned, roc_fr_rings, .commit = roc_shared_commit,
		  .enters = true),
	ROC_IOCTL(ROC_FR_SETTINGS, roc_fr_settings, reserved, roc_sub_set),
	ROC_IOCTL(ROC_FR_START, roc_fr_start, limit, roc_fr_start, .starts = true),
	ROC_IOCTL(ROC_FR_STOP, roc_fr_stop, reserved, roc_fr_stop, .locked = true),
	ROC_IOCTL(ROC_FR_DOORBELL, roc_fr_doorbell, reserved, roc_fr_doorbell),
	ROC_IOCTL(ROC_FR_WAIT, roc_fr_wait, deadline, roc_fr_wait),
	ROC_IOCTL(ROC_FR_RESET, roc_fr_reset, level, roc_run_reset, .registers = true),
	ROC_IOCTL(ROC_FR_PAGES, roc_fr_pages, total, roc_fr_pages),
};

const struct roc_ioctl_table roc_fragment_ioctls = ROC_IOCTL_TABLE(roc_fragment_calls);
