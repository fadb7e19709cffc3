// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the holder of a sub-unit may ask for: rings, run, and sleep. Every call runs inside the
 * endpoint's SRCU read side; rings are allocated outside, because that may take long.
 */
#include <linux/log2.h>
#include <linux/mm.h>

#include "fragment/fragment.h"

static bool roc_size_good(u32 size, u32 least, u32 most)
{
	return is_power_of_2(size) && size >= least && size <= most;
}

/* What the caller left to us. */
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

static bool roc_fr_rings_good(const struct roc_fr_rings *arg)
{
	return roc_size_good(arg->page_size, ROC_FR_PAGE_MIN, ROC_FR_PAGE_MAX) &&
	       roc_size_good(arg->host_page_size, ROC_FR_HOST_PAGE_MIN, ROC_FR_HOST_PAGE_MAX) &&
	       roc_size_good(arg->commands, ROC_FR_COMMANDS_MIN, ROC_FR_COMMANDS_MAX) &&
	       arg->host_page_size >= arg->page_size;
}

/* A ring of more is not to be had, or not for this card. */
static u32 roc_fr_pages_most(const struct roc_channel *ch)
{
	const struct roc_sub *sub = roc_sub(ch);
	u64 entries = 1ull << sub->data_log2;

	if (!ch->ep->translated)
		entries = min_t(u64, entries, ROC_PIECE_MAX / sizeof(struct roc_fr_descriptor));
	return div_u64(entries, sub->links);
}

static int roc_fr_rings_check(struct roc_channel *ch, struct roc_fr_rings *arg)
{
	const struct roc_sub *sub = roc_sub(ch);
	struct device *dev = &ch->ep->pdev->dev;
	u32 pages = sub->memory >> ilog2(arg->page_size);

	if (arg->pages > pages)
		return -EINVAL;
	if (!arg->pages)
		arg->pages = min(pages, roc_fr_pages_most(ch));
	arg->descriptors =
		max_t(u32, roundup_pow_of_two(arg->pages * sub->links), 1u << FRAGMENT_RING_MIN);
	arg->frees = arg->descriptors;
	if (arg->commands > 1u << sub->command_log2) {
		arg->why = ROC_WHY_LENGTH;
		arg->limit = 1u << sub->command_log2;
	} else if (arg->descriptors > 1u << sub->data_log2) {
		arg->why = ROC_WHY_LENGTH;
		arg->limit = roc_fr_pages_most(ch);
	} else if (arg->pages > roc_fr_pages_most(ch)) {
		arg->why = ROC_WHY_CONTIGUITY;
		arg->limit = roc_fr_pages_most(ch);
	} else if (dma_addressing_limited(dev)) {
		arg->why = ROC_WHY_DMA_MASK;
	} else if (dma_max_mapping_size(dev) <
		   arg->descriptors * sizeof(struct roc_fr_descriptor)) {
		arg->why = ROC_WHY_BOUNCE;
		arg->limit = dma_max_mapping_size(dev);
	}
	return arg->why ? -EOPNOTSUPP : 0;
}

static int roc_fr_rings(struct file *file, void *data)
{
	struct roc_holder *h = roc_holder(file->private_data);
	struct roc_channel *ch = h->open.ch;
	struct roc_fr_rings *arg = data;
	struct roc_sub_rings *rings;
	int err, idx, node;

	if (arg->flags || arg->why || arg->limit || arg->pinned)
		return -EINVAL;
	roc_fr_rings_default(roc_sub(ch), arg);
	if (!roc_fr_rings_good(arg))
		return -EINVAL;
	/* Else each child of a fork would have a limit of its own for the same sub-unit. */
	if (current->mm != h->open.mm) {
		arg->why = ROC_WHY_OWNER;
		return -EPERM;
	}
	if (!roc_enter(ch->ep, h->open.epoch, &idx))
		return -ENODEV;
	err = READ_ONCE(h->open.shared) ? -EBUSY : roc_fr_rings_check(ch, arg);
	node = dev_to_node(&ch->ep->pdev->dev);
	roc_leave(ch->ep, idx);
	if (err)
		return err;
	rings = roc_sub_rings_alloc(roc_sub(ch), arg, node, !ch->ep->translated);
	if (IS_ERR(rings))
		return PTR_ERR(rings);
	err = roc_shared_attach(&h->open, &rings->shared, roc_sub_rings_map, arg);
	if (err)
		return err;
	roc_sub_rings_describe(rings, arg);
	return 0;
}

static int roc_fr_start(struct file *file, void *data)
{
	struct roc_holder *h = roc_holder(file->private_data);
	struct roc_fr_start *arg = data;
	int err;

	if (arg->flags || arg->host_pages || arg->why || arg->reserved || arg->limit)
		return -EINVAL;
	err = roc_settle_all(h->open.ch->ep);
	if (err)
		return err;
	err = roc_open_lock(&h->open);
	if (err)
		return err;
	err = roc_fragment_start(h, arg);
	mutex_unlock(&h->open.ch->lock);
	return err;
}

static int roc_fr_stop(struct file *file, void *data)
{
	struct roc_holder *h = roc_holder(file->private_data);
	struct roc_fr_stop *arg = data;
	int err;

	if (arg->flags & ~ROC_FR_STOP_NOW || arg->descriptors || arg->completions || arg->lost ||
	    arg->reserved)
		return -EINVAL;
	err = roc_open_lock(&h->open);
	if (err)
		return err;
	err = roc_fragment_stop(h, ROC_WHY_NONE, arg);
	mutex_unlock(&h->open.ch->lock);
	return err;
}

static int roc_fr_tell(struct file *file, void *data)
{
	struct roc_holder *h = roc_holder(file->private_data);
	struct roc_sub *sub = roc_sub(h->open.ch);
	const struct roc_fr_tell *arg = data;
	int err = 0;

	if (arg->flags || arg->reserved || arg->what & ~(ROC_FR_TELL_FREE | ROC_FR_TELL_COMMAND))
		return -EINVAL;
	if (!smp_load_acquire(&h->open.committed))
		return -EPIPE;
	spin_lock_irq(&sub->lock);
	if (sub->holder == h)
		roc_fragment_ring_bells(h, arg);
	else
		err = -EALREADY;
	spin_unlock_irq(&sub->lock);
	return err;
}

static int roc_fr_pages(struct file *file, void *data)
{
	struct roc_holder *h = roc_holder(file->private_data);
	struct roc_fr_pages *arg = data;
	int err;

	if (arg->flags || arg->first || arg->count || arg->total)
		return -EINVAL;
	err = roc_open_lock(&h->open);
	if (err)
		return err;
	err = h->open.committed ? roc_table_find(h, arg) : -EPIPE;
	mutex_unlock(&h->open.ch->lock);
	return err;
}

static u32 *roc_fr_wait_count(struct roc_fr_wait *arg, unsigned int lane)
{
	return lane == ROC_LANE_DATA ? &arg->descriptors : &arg->completions;
}

/*
 * What came of what is wanted; @arg->ready says which. Who finds too little is going to sleep; the
 * interrupt wakes whoever wants least. While a run ends nobody is bound to the card, and what it
 * wrote last is not looked at yet: the end wakes all.
 */
static bool roc_fr_arrived(struct roc_holder *h, struct roc_fr_wait *arg, u32 run)
{
	struct roc_sub *sub = roc_sub(h->open.ch);
	unsigned int i;
	bool runs;

	/* Another run may have begun before this sleeper got a processor. */
	if (roc_stale(&h->open) || roc_state(h->open.ch) != ROC_CH_RUNNING ||
	    READ_ONCE(h->run) != run)
		return true;
	spin_lock_irq(&sub->lock);
	runs = roc_fragment_look(h);
	roc_fragment_hasten(h);
	arg->ready = 0;
	for (i = 0; i < ROC_LANES; i++)
		if (arg->mask & BIT(i) &&
		    roc_count_reached(&h->lane[i].count, *roc_fr_wait_count(arg, i)))
			arg->ready |= BIT(i);
	for (i = 0; i < ROC_LANES && runs && !arg->ready; i++)
		if (arg->mask & BIT(i))
			roc_fragment_want(h, i, *roc_fr_wait_count(arg, i));
	spin_unlock_irq(&sub->lock);
	return arg->ready;
}

/* More than a ring beyond what there is cannot come. */
static bool roc_fr_wait_far(struct roc_holder *h, struct roc_fr_wait *arg)
{
	struct roc_sub *sub = roc_sub(h->open.ch);
	bool far = false;
	unsigned int i;

	spin_lock_irq(&sub->lock);
	if (roc_fragment_look(h))
		for (i = 0; i < ROC_LANES; i++) {
			const struct roc_count *c = &h->lane[i].count;

			far |= arg->mask & BIT(i) &&
			       roc_count_ahead(*roc_fr_wait_count(arg, i), c->known) >
				       (s32)roc_count_entries(c);
		}
	spin_unlock_irq(&sub->lock);
	return far;
}

static int roc_fr_wait(struct file *file, void *data)
{
	struct roc_holder *h = roc_holder(file->private_data);
	struct roc_sub *sub = roc_sub(h->open.ch);
	struct roc_fr_wait *arg = data;
	u32 run = READ_ONCE(h->run);
	u64 now = ktime_get_ns();
	int err;

	BUILD_BUG_ON(ROC_FR_WAIT_DATA != BIT(ROC_LANE_DATA) ||
		     ROC_FR_WAIT_DONE != BIT(ROC_LANE_DONE));
	if (arg->flags || arg->ready || !arg->mask ||
	    arg->mask & ~(ROC_FR_WAIT_DATA | ROC_FR_WAIT_DONE))
		return -EINVAL;
	if (!smp_load_acquire(&h->open.committed))
		return -EPIPE;
	if (roc_fr_wait_far(h, arg))
		return -EINVAL;
	if (arg->deadline <= now)
		err = roc_fr_arrived(h, arg, run) ? 0 : -ETIME;
	else
		err = wait_event_interruptible_hrtimeout(
			h->open.batch, roc_fr_arrived(h, arg, run),
			ns_to_ktime(min_t(u64, arg->deadline - now, KTIME_MAX)));
	if (err == -ERESTARTSYS)
		return -ERESTARTNOHAND;
	spin_lock_irq(&sub->lock);
	arg->descriptors = h->lane[ROC_LANE_DATA].count.known;
	arg->completions = h->lane[ROC_LANE_DONE].count.known;
	spin_unlock_irq(&sub->lock);
	return roc_stale(&h->open) ? -ENODEV : err;
}

/* A number that names the sub-unit of this node, in calls that both nodes have. */
static bool roc_fr_mine(const struct roc_holder *h, u32 sub)
{
	return !sub || sub == h->open.ch->number;
}

static int roc_fr_info(struct file *file, void *data)
{
	struct roc_holder *h = roc_holder(file->private_data);
	struct roc_fr_info *arg = data;

	if (arg->flags)
		return -EINVAL;
	return roc_fr_mine(h, arg->sub) ? roc_sub_info(h->open.ch, arg, true) : -ENOENT;
}

static int roc_fr_settings(struct file *file, void *data)
{
	struct roc_holder *h = roc_holder(file->private_data);
	struct roc_fr_settings *arg = data;

	return roc_fr_mine(h, arg->sub) ? roc_sub_set(h->open.ch, arg, &h->open) : -ENOENT;
}

static int roc_fr_reset(struct file *file, void *data)
{
	struct roc_holder *h = roc_holder(file->private_data);
	struct roc_fr_reset *arg = data;

	return roc_fr_mine(h, arg->sub) ? roc_sub_reset(h->open.ch, arg, &h->open) : -ENOENT;
}

const struct roc_ioctl roc_fragment_ioctls[ROC_FRAGMENT_IOCTLS] = {
	ROC_IOCTL(ROC_FR_INFO, 192, roc_fr_info, roc_fr_info),
	ROC_IOCTL(ROC_FR_RINGS, 120, roc_fr_rings, roc_fr_rings, .settle = roc_shared_commit,
		  .enters = true),
	ROC_IOCTL(ROC_FR_SETTINGS, 40, roc_fr_settings, roc_fr_settings),
	ROC_IOCTL(ROC_FR_START, 32, roc_fr_start, roc_fr_start, .starts = true),
	ROC_IOCTL(ROC_FR_STOP, 24, roc_fr_stop, roc_fr_stop),
	ROC_IOCTL(ROC_FR_TELL, 24, roc_fr_tell, roc_fr_tell),
	ROC_IOCTL(ROC_FR_WAIT, 32, roc_fr_wait, roc_fr_wait),
	ROC_IOCTL(ROC_FR_RESET, 16, roc_fr_reset, roc_fr_reset, .registers = true),
	ROC_IOCTL(ROC_FR_PAGES, 24, roc_fr_pages, roc_fr_pages),
};
