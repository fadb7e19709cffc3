// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ioctls of an open stream channel: ring, run and wait. Each handler runs inside the endpoint's
 * SRCU read side, except that a ring is allocated outside, because that may take long.
 */
#include <linux/mm.h>

#include "stream/stream.h"

/* Smallest pieces of a ring of @length that the card's segment table can hold. */
static u64 roc_st_ring_piece_min(const struct roc_channel *ch, u64 length)
{
	if (ch->ep->translated)
		return PAGE_SIZE;
	return max_t(u64, length / roc_stream_ring_segments_max(roc_stream(ch)),
		     1ull << STREAM_SEGMENT_MIN);
}

static int roc_st_ring_check(struct roc_channel *ch, void *data)
{
	struct roc_st_ring *arg = data;
	struct device *dev = &ch->ep->pdev->dev;

	if (arg->length > roc_stream(ch)->ring_max) {
		arg->reason = ROC_REASON_LENGTH;
		arg->limit = roc_stream(ch)->ring_max;
	} else if (dma_addressing_limited(dev)) {
		arg->reason = ROC_REASON_DMA_MASK;
	} else if (dma_max_mapping_size(dev) < arg->length) {
		arg->reason = ROC_REASON_BOUNCE;
		arg->limit = dma_max_mapping_size(dev);
	} else if (roc_st_ring_piece_min(ch, arg->length) > ROC_PIECE_MAX) {
		arg->reason = ROC_REASON_CONTIGUITY;
		arg->limit = ROC_PIECE_MAX * roc_stream_ring_segments_max(roc_stream(ch));
	}
	if (arg->reason)
		return -EOPNOTSUPP;
	/* Fail early, instead of allocating all available memory first. */
	return arg->length >> PAGE_SHIFT > (u64)si_mem_available() ? -ENOMEM : 0;
}

static int roc_st_ring(struct file *file, void *data)
{
	struct roc_open *o = file->private_data;
	struct roc_st_ring *arg = data;
	struct roc_stream_ring *ring;
	int err, node;

	if (arg->flags || arg->reason || arg->limit || arg->pinned || !is_power_of_2(arg->length) ||
	    arg->length < max_t(u64, ROC_ST_RING_MIN, PAGE_SIZE) || arg->length > ROC_ST_RING_MAX)
		return -EINVAL;
	err = roc_shared_check(o, roc_st_ring_check, arg, &arg->reason, &node);
	if (err)
		return err;
	ring = roc_stream_ring_alloc(roc_stream(o->ch), arg, node,
				     roc_st_ring_piece_min(o->ch, arg->length));
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	err = roc_shared_attach(o, &ring->shared, roc_stream_ring_map, arg);
	if (err)
		return err;
	arg->ring_offset = ROC_RING_COOKIE;
	arg->ring_length = 2 * arg->length;
	arg->control_offset = ROC_CONTROL_COOKIE;
	arg->control_length = 2 * PAGE_SIZE;
	arg->user_offset = ROC_READER_COOKIE;
	arg->user_length = PAGE_SIZE;
	arg->bell_offset = ROC_DOORBELL_COOKIE;
	arg->bell_length = ROC_DOORBELL_LENGTH;
	arg->segments = ring->segments;
	return 0;
}

static int roc_st_start(struct file *file, void *data)
{
	struct roc_st_start *arg = data;

	if (arg->flags || arg->reserved)
		return -EINVAL;
	return roc_run_start(roc_run(file->private_data), arg->position, arg);
}

static int roc_st_stop(struct file *file, void *data)
{
	struct roc_st_stop *arg = data;

	if (arg->flags || arg->position || arg->lost)
		return -EINVAL;
	return roc_run_stop(roc_run(file->private_data), ROC_REASON_NONE, arg->flags, arg);
}

static int roc_st_consume(struct file *file, void *data)
{
	struct roc_run *run = roc_run(file->private_data);
	struct roc_position *p = &roc_stream_run(run)->position;
	struct roc_channel *ch = run->open.ch;
	struct roc_st_consume *arg = data;
	int err = 0;
	bool runs;

	if (arg->flags || arg->available)
		return -EINVAL;
	/* Pairs with the release in roc_shared_commit(): the shared memory is set up. */
	if (!smp_load_acquire(&run->open.committed))
		return -EPIPE;
	spin_lock_irq(&ch->run_lock);
	runs = roc_run_poll(run);
	if (arg->lines > p->written - p->read) {
		err = -ERANGE;
	} else if (arg->lines) {
		p->read += arg->lines;
		WRITE_ONCE(roc_stream_user(run)->read, p->read);
	}
	if (!err && runs)
		roc_stream_report_read(run);
	arg->available = p->written - p->read;
	spin_unlock_irq(&ch->run_lock);
	return err;
}

static int roc_st_wait(struct file *file, void *data)
{
	struct roc_st_wait *arg = data;

	if (arg->flags || arg->written || arg->unreported || arg->reserved)
		return -EINVAL;
	return roc_run_wait(roc_run(file->private_data), arg->deadline, arg);
}

static const struct roc_ioctl roc_stream_calls[] = {
	ROC_IOCTL(ROC_ST_INFO, roc_st_info, bad_index, roc_stream_info),
	ROC_IOCTL(ROC_ST_RING, roc_st_ring, pinned, roc_st_ring, .commit = roc_shared_commit,
		  .enters = true),
	ROC_IOCTL(ROC_ST_SETTINGS, roc_st_settings, low_water, roc_stream_set, .registers = true),
	ROC_IOCTL(ROC_ST_START, roc_st_start, reserved, roc_st_start, .starts = true),
	ROC_IOCTL(ROC_ST_STOP, roc_st_stop, lost, roc_st_stop, .locked = true),
	ROC_IOCTL(ROC_ST_CONSUME, roc_st_consume, available, roc_st_consume),
	ROC_IOCTL(ROC_ST_WAIT, roc_st_wait, deadline, roc_st_wait),
	ROC_IOCTL(ROC_ST_RESET, roc_st_reset, level, roc_run_reset, .registers = true),
};

const struct roc_ioctl_table roc_stream_ioctls = ROC_IOCTL_TABLE(roc_stream_calls);
