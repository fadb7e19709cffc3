// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the holder of a stream may ask for: ring, run, and sleep. Every call runs inside the
 * endpoint's SRCU read side; a ring is allocated outside, because that may take long.
 */
#include <linux/mm.h>

#include "stream/stream.h"

/* Smaller pieces of @length are too many for the card. */
static u64 roc_ring_least(const struct roc_channel *ch, u64 length)
{
	if (ch->ep->translated)
		return PAGE_SIZE;
	return max_t(u64, length / roc_ring_pieces(roc_stream(ch)), 1ull << STREAM_SEGMENT_MIN);
}

static int roc_ring_check(struct roc_channel *ch, struct roc_st_ring *arg)
{
	struct device *dev = &ch->ep->pdev->dev;

	if (arg->length > roc_stream(ch)->ring_max) {
		arg->why = ROC_WHY_LENGTH;
		arg->limit = roc_stream(ch)->ring_max;
	} else if (dma_addressing_limited(dev)) {
		arg->why = ROC_WHY_DMA_MASK;
	} else if (dma_max_mapping_size(dev) < arg->length) {
		arg->why = ROC_WHY_BOUNCE;
		arg->limit = dma_max_mapping_size(dev);
	} else if (roc_ring_least(ch, arg->length) > ROC_PIECE_MAX) {
		arg->why = ROC_WHY_CONTIGUITY;
		arg->limit = ROC_PIECE_MAX * roc_ring_pieces(roc_stream(ch));
	}
	if (arg->why)
		return -EOPNOTSUPP;
	/* Rather than to take all that there is, and fail at the end. */
	return arg->length >> PAGE_SHIFT > (u64)si_mem_available() ? -ENOMEM : 0;
}

static int roc_st_ring(struct file *file, void *data)
{
	struct roc_reader *r = roc_reader(file->private_data);
	struct roc_channel *ch = r->open.ch;
	struct roc_st_ring *arg = data;
	struct roc_stream_ring *ring;
	int err, idx, node;
	u64 least;

	if (arg->flags || arg->why || arg->limit || arg->pinned || !is_power_of_2(arg->length) ||
	    arg->length < max_t(u64, ROC_ST_RING_MIN, PAGE_SIZE) || arg->length > ROC_ST_RING_MAX)
		return -EINVAL;
	/* Else each child of a fork would have a limit of its own for the same stream. */
	if (current->mm != r->open.mm) {
		arg->why = ROC_WHY_OWNER;
		return -EPERM;
	}
	if (!roc_enter(ch->ep, r->open.epoch, &idx))
		return -ENODEV;
	err = READ_ONCE(r->open.shared) ? -EBUSY : roc_ring_check(ch, arg);
	node = dev_to_node(&ch->ep->pdev->dev);
	least = roc_ring_least(ch, arg->length);
	roc_leave(ch->ep, idx);
	if (err)
		return err;
	ring = roc_stream_ring_alloc(roc_stream(ch), arg, node, least);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	err = roc_shared_attach(&r->open, &ring->shared, roc_stream_ring_map, arg);
	if (err)
		return err;
	arg->ring_offset = ROC_RING_COOKIE;
	arg->ring_length = 2 * arg->length;
	arg->control_offset = ROC_CONTROL_COOKIE;
	arg->control_length = 2 * PAGE_SIZE;
	arg->user_offset = ROC_READER_COOKIE;
	arg->user_length = PAGE_SIZE;
	arg->bell_offset = ROC_BELL_COOKIE;
	arg->bell_length = ROC_BELL_LENGTH;
	arg->segments = ring->segments;
	return 0;
}

static int roc_st_start(struct file *file, void *data)
{
	struct roc_reader *r = roc_reader(file->private_data);
	struct roc_st_start *arg = data;
	int err;

	if (arg->flags || arg->reserved)
		return -EINVAL;
	err = roc_settle_all(r->open.ch->ep);
	if (err)
		return err;
	err = roc_open_lock(&r->open);
	if (err)
		return err;
	err = roc_stream_start(r, arg->position);
	mutex_unlock(&r->open.ch->lock);
	return err;
}

static int roc_st_stop(struct file *file, void *data)
{
	struct roc_reader *r = roc_reader(file->private_data);
	struct roc_st_stop *arg = data;
	int err;

	if (arg->flags || arg->position || arg->lost)
		return -EINVAL;
	err = roc_open_lock(&r->open);
	if (err)
		return err;
	err = roc_stream_stop(r, ROC_WHY_NONE, arg);
	mutex_unlock(&r->open.ch->lock);
	return err;
}

static int roc_st_consume(struct file *file, void *data)
{
	struct roc_reader *r = roc_reader(file->private_data);
	struct roc_stream *st = roc_stream(r->open.ch);
	struct roc_position *p = &r->position;
	struct roc_st_consume *arg = data;
	int err = 0;
	bool runs;

	if (arg->flags || arg->available)
		return -EINVAL;
	if (!smp_load_acquire(&r->open.committed))
		return -EPIPE;
	spin_lock_irq(&st->lock);
	runs = roc_stream_look(r);
	if (arg->lines > p->written - p->read) {
		err = -ERANGE;
	} else if (arg->lines) {
		p->read += arg->lines;
		WRITE_ONCE(roc_ring_user(r->ring)->read, p->read);
	}
	if (!err && runs)
		roc_stream_tell_read(r);
	arg->available = p->written - p->read;
	spin_unlock_irq(&st->lock);
	return err;
}

/*
 * Who finds too little is going to sleep; the interrupt wakes whoever wants least. While a run ends
 * nobody is bound to the card, and what it wrote last is not looked at yet: the end wakes all.
 */
static bool roc_stream_arrived(struct roc_reader *r, u32 position, u32 run)
{
	struct roc_stream *st = roc_stream(r->open.ch);
	bool runs, reached;

	/* Another run may have begun before this sleeper got a processor. */
	if (roc_stale(&r->open) || roc_state(r->open.ch) != ROC_CH_RUNNING ||
	    READ_ONCE(r->run) != run)
		return true;
	spin_lock_irq(&st->lock);
	runs = roc_stream_look(r);
	reached = roc_position_reached(&r->position, position);
	if (runs && reached) {
		roc_stream_relieve(r);
	} else if (runs) {
		if (!r->wanting || (s32)(position - r->want) < 0)
			r->want = position;
		r->wanting = true;
		roc_stream_attend(r);
	}
	spin_unlock_irq(&st->lock);
	return reached;
}

static int roc_st_wait(struct file *file, void *data)
{
	struct roc_reader *r = roc_reader(file->private_data);
	struct roc_stream *st = roc_stream(r->open.ch);
	struct roc_st_wait *arg = data;
	u32 run = READ_ONCE(r->run);
	u64 now = ktime_get_ns();
	bool far;
	int err;

	if (arg->flags || arg->written || arg->unreported || arg->reserved)
		return -EINVAL;
	if (!smp_load_acquire(&r->open.committed))
		return -EPIPE;
	spin_lock_irq(&st->lock);
	roc_stream_look(r);
	/* Who has taken a full ring, and gave nothing back, waits for the line behind it. */
	far = (s32)(arg->position - r->position.read) > (s32)r->position.lines + 1;
	spin_unlock_irq(&st->lock);
	if (far && READ_ONCE(r->open.ch->state) == ROC_CH_RUNNING)
		return -EINVAL;
	if (arg->deadline <= now)
		err = roc_stream_arrived(r, arg->position, run) ? 0 : -ETIME;
	else
		err = wait_event_interruptible_hrtimeout(
			r->open.batch, roc_stream_arrived(r, arg->position, run),
			ns_to_ktime(min_t(u64, arg->deadline - now, KTIME_MAX)));
	if (err == -ERESTARTSYS)
		return -ERESTARTNOHAND;
	spin_lock_irq(&st->lock);
	arg->written = r->position.written;
	arg->unreported = r->position.read - r->known;
	spin_unlock_irq(&st->lock);
	return roc_stale(&r->open) ? -ENODEV : err;
}

/* A number that names the stream of this node, in calls that both nodes have. */
static bool roc_st_mine(const struct roc_reader *r, u32 stream)
{
	return !stream || stream == r->open.ch->number;
}

static int roc_st_info(struct file *file, void *data)
{
	struct roc_reader *r = roc_reader(file->private_data);
	struct roc_st_info *arg = data;

	if (arg->flags)
		return -EINVAL;
	return roc_st_mine(r, arg->stream) ? roc_stream_info(r->open.ch, arg, true) : -ENOENT;
}

static int roc_st_settings(struct file *file, void *data)
{
	struct roc_reader *r = roc_reader(file->private_data);
	struct roc_st_settings *arg = data;

	return roc_st_mine(r, arg->stream) ? roc_stream_set(r->open.ch, arg, &r->open) : -ENOENT;
}

static int roc_st_reset(struct file *file, void *data)
{
	struct roc_reader *r = roc_reader(file->private_data);
	struct roc_st_reset *arg = data;

	return roc_st_mine(r, arg->stream) ? roc_stream_reset_one(r->open.ch, arg, &r->open)
					   : -ENOENT;
}

const struct roc_ioctl roc_stream_ioctls[ROC_STREAM_IOCTLS] = {
	ROC_IOCTL(ROC_ST_INFO, 304, roc_st_info, roc_st_info),
	ROC_IOCTL(ROC_ST_RING, 104, roc_st_ring, roc_st_ring, .settle = roc_shared_commit,
		  .enters = true),
	ROC_IOCTL(ROC_ST_SETTINGS, 72, roc_st_settings, roc_st_settings, .registers = true),
	ROC_IOCTL(ROC_ST_START, 16, roc_st_start, roc_st_start, .starts = true),
	ROC_IOCTL(ROC_ST_STOP, 16, roc_st_stop, roc_st_stop),
	ROC_IOCTL(ROC_ST_CONSUME, 16, roc_st_consume, roc_st_consume),
	ROC_IOCTL(ROC_ST_WAIT, 24, roc_st_wait, roc_st_wait),
	ROC_IOCTL(ROC_ST_RESET, 16, roc_st_reset, roc_st_reset, .registers = true),
};
