// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sub-unit as the core sees it: see core/kind.h.
 */
#include <linux/log2.h>
#include <linux/seq_file.h>

#include "fragment/fragment.h"

static void roc_fragment_describe(struct roc_endpoint *ep, struct roc_ep_info *info)
{
	info->link_slots = roc_sub(&ep->channels[0])->links;
}

static int roc_fragment_open(struct roc_open *o)
{
	struct roc_holder *h = roc_holder(o);
	struct roc_sub *sub = roc_sub(o->ch);

	INIT_DELAYED_WORK(&h->watch, roc_fragment_watch);
	spin_lock_irq(&sub->lock);
	sub->base = sub->stats;
	sub->opened = h;
	spin_unlock_irq(&sub->lock);
	return 0;
}

static void roc_fragment_retire(struct roc_open *o, bool present)
{
	roc_fragment_abort(roc_holder(o), ROC_CH_STOPPED, ROC_WHY_REMOVED, present);
}

static void roc_fragment_suspend(struct roc_open *o)
{
	struct roc_fr_stop reply = {};

	roc_fragment_stop(roc_holder(o), ROC_WHY_SUSPENDED, &reply);
}

static void roc_fragment_gone(struct roc_open *o)
{
	roc_fragment_flags(roc_holder(o), ROC_FR_GONE, 0);
}

static void roc_fragment_close(struct roc_open *o)
{
	struct roc_sub *sub = roc_sub(o->ch);

	spin_lock_irq(&sub->lock);
	sub->opened = NULL;
	spin_unlock_irq(&sub->lock);
	cancel_delayed_work_sync(&roc_holder(o)->watch);
}

static void roc_fragment_share(struct roc_open *o, struct roc_shared_memory *shared)
{
	struct roc_holder *h = roc_holder(o);
	struct roc_sub *sub = roc_sub(o->ch);

	spin_lock_irq(&sub->lock);
	o->shared = shared;
	h->rings = shared ? container_of(shared, struct roc_sub_rings, shared) : NULL;
	spin_unlock_irq(&sub->lock);
	roc_fragment_flags(h, ROC_FR_STOPPED, 0);
}

/* Who finds nothing is going to sleep. Registers are there only inside the read side. */
static __poll_t roc_fragment_poll(struct roc_open *o, poll_table *pt)
{
	struct roc_holder *h = roc_holder(o);
	struct roc_sub *sub = roc_sub(o->ch);
	bool readable;
	unsigned int i;
	int idx;

	if (!smp_load_acquire(&o->committed))
		return 0;
	if (!roc_enter(o->ch->ep, o->epoch, &idx))
		return 0;
	spin_lock_irq(&sub->lock);
	if (poll_requested_events(pt) & EPOLLET)
		h->edge = true;
	if (roc_fragment_look(h)) {
		roc_fragment_hasten(h);
		readable = roc_fragment_readable(h);
		for (i = 0; i < ROC_LANES && (!readable || h->edge); i++)
			roc_fragment_attend(h, i);
	} else {
		readable = roc_fragment_readable(h);
	}
	spin_unlock_irq(&sub->lock);
	roc_leave(o->ch->ep, idx);
	return readable ? EPOLLIN | EPOLLRDNORM : 0;
}

/* What is there already he is told of at once, for maybe no more comes. */
static void roc_fragment_listen(struct roc_open *o)
{
	struct roc_holder *h = roc_holder(o);
	struct roc_sub *sub = roc_sub(o->ch);
	unsigned int i;

	spin_lock_irq(&sub->lock);
	if (roc_fragment_look(h)) {
		if (roc_fragment_readable(h))
			roc_open_signal(o);
		for (i = 0; i < ROC_LANES; i++)
			roc_fragment_attend(h, i);
	}
	spin_unlock_irq(&sub->lock);
}

static void roc_fragment_fdinfo(struct roc_open *o, struct seq_file *m)
{
	struct roc_holder *h = roc_holder(o);
	struct roc_sub *sub = roc_sub(o->ch);
	u32 data, done;

	spin_lock_irq(&sub->lock);
	data = h->lane[ROC_LANE_DATA].count.known;
	done = h->lane[ROC_LANE_DONE].count.known;
	spin_unlock_irq(&sub->lock);
	seq_printf(m, "roc-sub:\t%u\n", o->ch->number);
	seq_printf(m, "roc-descriptors:\t%u\n", data);
	seq_printf(m, "roc-completions:\t%u\n", done);
}

/* What a host page must be is known at the start: see table.c. */
static int roc_fragment_check_buffer(struct roc_endpoint *ep, struct roc_buf_register *arg,
				     bool *seen)
{
	if (!arg->granule)
		arg->granule = PAGE_SIZE;
	if (!is_power_of_2(arg->granule) || arg->granule < ROC_FR_HOST_PAGE_MIN)
		return -EINVAL;
	*seen = false;
	return 0;
}

static const char *const roc_fragment_purpose_names[ROC_FRAGMENT_PURPOSES] = {
	[ROC_LANE_DATA] = "data",
	[ROC_LANE_DONE] = "done",
	[ROC_FRAGMENT_ERROR] = "error",
};

const struct roc_kind roc_fragment_kind = {
	.name = "fragment",
	.open_size = sizeof(struct roc_holder),
	.channel_size = sizeof(struct roc_sub),
	.purposes = ROC_FRAGMENT_PURPOSES,
	.purpose_names = roc_fragment_purpose_names,
	.block = &roc_fragment_regs,
	.groups = roc_fragment_groups,
	.ioctls = roc_fragment_ioctls,
	.ioctl_count = ROC_FRAGMENT_IOCTLS,
	.card_ioctls = roc_fragment_card_ioctls,
	.card_ioctl_count = ROC_FRAGMENT_CARD_IOCTLS,
	.probe = roc_fragment_probe,
	.describe = roc_fragment_describe,
	.open = roc_fragment_open,
	.retire = roc_fragment_retire,
	.suspend = roc_fragment_suspend,
	.gone = roc_fragment_gone,
	.close = roc_fragment_close,
	.poll = roc_fragment_poll,
	.mmap = roc_shared_mmap,
	.share = roc_fragment_share,
	.listen = roc_fragment_listen,
	.fdinfo = roc_fragment_fdinfo,
	.check_buffer = roc_fragment_check_buffer,
	.irq = roc_fragment_irq,
	.doubt = roc_fragment_doubt,
	.disable = roc_block_disable,
};
