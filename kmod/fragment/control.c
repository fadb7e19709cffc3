// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can be asked and set on the sub-unit's own node and on the endpoint's: state and counters,
 * settings, resets.
 *
 * A caller on the endpoint's node changes nothing of a sub-unit that is open but its counters. It
 * never holds a channel lock while the opener's run is at work, but for a reset.
 */
#include <linux/nospec.h>

#include "fragment/fragment.h"

static void roc_sub_show_holder(const struct roc_holder *h, struct roc_fr_info *info)
{
	const struct roc_sub_rings *rings = h ? h->rings : NULL;

	if (!rings)
		return;
	info->run = h->run;
	info->page_size = 1u << rings->page_log2;
	info->pages = rings->pages;
	info->host_page_size = 1u << rings->host_page_log2;
	info->host_pages = rings->host_pages;
	info->descriptors = h->lane[ROC_LANE_DATA].count.known;
	info->completions = h->lane[ROC_LANE_DONE].count.known;
}

int roc_sub_info(struct roc_channel *ch, struct roc_fr_info *info, bool since_open)
{
	struct roc_channel_shown shown = roc_channel_shown(ch);
	struct roc_sub *sub = roc_sub(ch);
	struct roc_sub_stats stats;
	struct roc_stats all;

	*info = (struct roc_fr_info){
		.size = info->size,
		.sub = ch->number,
		.state = shown.state,
		.why = shown.why,
		.owner = shown.owner,
		.links = sub->links,
		.link_memory = sub->memory,
		.host_pages_max = sub->host_pages_max,
		.commands_max = 1u << sub->command_log2,
	};
	snprintf(info->name, sizeof(info->name), "sub%u", ch->number);
	spin_lock_irq(&sub->lock);
	roc_sub_show_holder(sub->opened, info);
	info->mask = sub->settings.links;
	stats = sub->stats;
	all = ch->stats;
	if (since_open) {
		roc_counts_since(&stats, &sub->base, sizeof(stats));
		roc_counts_since(&all, &ch->base, sizeof(all));
	}
	spin_unlock_irq(&sub->lock);
	info->interrupts = all.interrupts;
	info->data_interrupts = stats.told[ROC_LANE_DATA];
	info->done_interrupts = stats.told[ROC_LANE_DONE];
	info->error_interrupts = stats.told[ROC_FRAGMENT_ERROR];
	info->missed_interrupts = all.missed_interrupts;
	info->spurious_interrupts = all.spurious_interrupts;
	info->arms = stats.arms;
	info->doorbells = stats.doorbells;
	info->wakes = stats.wakes;
	info->mmio_reads = all.mmio_reads;
	info->mmio_writes = all.mmio_writes;
	info->bad_index = stats.bad_index;
	info->lost = min_t(u64, stats.lost, U32_MAX);
	return 0;
}

static void roc_sub_set_now(struct roc_sub_settings *s, const struct roc_fr_settings *arg)
{
	if (arg->set & ROC_FR_SET_LINKS)
		WRITE_ONCE(s->links, arg->links);
	if (arg->set & ROC_FR_SET_DATA_COUNT)
		WRITE_ONCE(s->count[ROC_LANE_DATA], arg->data_count);
	if (arg->set & ROC_FR_SET_DATA_TIME)
		WRITE_ONCE(s->time[ROC_LANE_DATA], arg->data_time);
	if (arg->set & ROC_FR_SET_DONE_COUNT)
		WRITE_ONCE(s->count[ROC_LANE_DONE], arg->done_count);
	if (arg->set & ROC_FR_SET_DONE_TIME)
		WRITE_ONCE(s->time[ROC_LANE_DONE], arg->done_time);
}

/* @caller: see roc_anothers(). */
int roc_sub_set(struct roc_channel *ch, struct roc_fr_settings *arg, const struct roc_open *caller)
{
	const u32 known = ROC_FR_SET_LINKS | ROC_FR_SET_DATA_COUNT | ROC_FR_SET_DATA_TIME |
			  ROC_FR_SET_DONE_COUNT | ROC_FR_SET_DONE_TIME;
	struct roc_sub *sub = roc_sub(ch);
	struct roc_sub_settings *s = &sub->settings;
	int err = 0;

	if (arg->flags || arg->reserved || arg->set & ~known)
		return -EINVAL;
	if (arg->set & ROC_FR_SET_LINKS && arg->links & ~(BIT(sub->links) - 1))
		return -ERANGE;
	spin_lock_irq(&sub->lock);
	if (arg->set && roc_anothers(sub->opened ? &sub->opened->open : NULL, caller))
		err = -EBUSY;
	if (arg->set && !err) {
		roc_sub_set_now(s, arg);
		smp_wmb(); /* pairs with that of who starts a run */
		WRITE_ONCE(s->changes, s->changes + 1);
		if (sub->holder)
			roc_fragment_moderate(sub->holder);
	}
	arg->sub = ch->number;
	arg->links = s->links;
	arg->data_count = s->count[ROC_LANE_DATA];
	arg->data_time = s->time[ROC_LANE_DATA];
	arg->done_count = s->count[ROC_LANE_DONE];
	arg->done_time = s->time[ROC_LANE_DONE];
	spin_unlock_irq(&sub->lock);
	return err;
}

static const u32 roc_fr_reset_bits[] = {
	[ROC_FR_RESET_DEFAULT] = FRAGMENT_RESET_DEFAULT,
	[ROC_FR_RESET_LOGIC] = FRAGMENT_RESET_LOGIC,
	[ROC_FR_RESET_COUNTERS] = FRAGMENT_RESET_COUNTERS,
};

/*
 * Only counters may be reset by others than the opener, and all else not while it runs. Channel
 * lock held.
 */
static int roc_sub_reset_allowed(const struct roc_channel *ch, u32 level,
				 const struct roc_open *caller)
{
	lockdep_assert_held(&ch->lock);
	if (level == ROC_FR_RESET_COUNTERS)
		return 0;
	return ch->state == ROC_CH_RUNNING || roc_anothers(ch->open, caller) ? -EBUSY : 0;
}

/* Channel lock held. */
static int roc_sub_reset_held(struct roc_channel *ch, u32 level)
{
	struct roc_sub *sub = roc_sub(ch);
	int err;

	roc_point(ch->ep, ROC_POINT_RESET);
	err = roc_block_reset(
		ch, roc_fr_reset_bits[array_index_nospec(level, ARRAY_SIZE(roc_fr_reset_bits))]);
	if (!err && level == ROC_FR_RESET_DEFAULT) {
		spin_lock_irq(&sub->lock);
		roc_sub_defaults(sub);
		spin_unlock_irq(&sub->lock);
	}
	return err;
}

static int roc_fr_reset_check(const struct roc_fr_reset *arg)
{
	return arg->flags || arg->level >= ARRAY_SIZE(roc_fr_reset_bits) ? -EINVAL : 0;
}

/* @caller: see roc_anothers(). */
int roc_sub_reset(struct roc_channel *ch, const struct roc_fr_reset *arg,
		  const struct roc_open *caller)
{
	int err = roc_fr_reset_check(arg);

	if (err)
		return err;
	if (mutex_lock_killable(&ch->lock))
		return -EINTR;
	err = roc_sub_reset_allowed(ch, arg->level, caller);
	if (!err)
		err = roc_sub_reset_held(ch, arg->level);
	mutex_unlock(&ch->lock);
	return err;
}

/* All or none. */
static int roc_sub_reset_all(struct roc_endpoint *ep, u32 level)
{
	unsigned int i;
	int err = roc_channels_lock(ep);

	if (err)
		return err;
	for (i = 0; i < ep->ops->channels && !err; i++)
		err = roc_sub_reset_allowed(&ep->channels[i], level, NULL);
	for (i = 0; i < ep->ops->channels && !err; i++)
		err = roc_sub_reset_held(&ep->channels[i], level);
	roc_channels_unlock(ep);
	return err;
}

static struct roc_channel *roc_fr_channel(struct file *file, u32 sub)
{
	struct roc_endpoint *ep = roc_endpoint_of(file);

	if (sub >= ep->ops->channels)
		return NULL;
	return &ep->channels[array_index_nospec(sub, ROC_CHANNELS_MAX)];
}

static int roc_fr_card_info(struct file *file, void *data)
{
	struct roc_fr_info *arg = data;
	struct roc_channel *ch = roc_fr_channel(file, arg->sub);

	if (arg->flags)
		return -EINVAL;
	return ch ? roc_sub_info(ch, arg, false) : -ENOENT;
}

static int roc_fr_card_settings(struct file *file, void *data)
{
	struct roc_fr_settings *arg = data;
	struct roc_channel *ch = roc_fr_channel(file, arg->sub);

	return ch ? roc_sub_set(ch, arg, NULL) : -ENOENT;
}

static int roc_fr_card_reset(struct file *file, void *data)
{
	struct roc_fr_reset *arg = data;
	struct roc_channel *ch = roc_fr_channel(file, arg->sub);
	int err = roc_fr_reset_check(arg);

	if (err)
		return err;
	if (arg->sub == ROC_FR_ALL)
		return roc_sub_reset_all(roc_endpoint_of(file), arg->level);
	return ch ? roc_sub_reset(ch, arg, NULL) : -ENOENT;
}

const struct roc_ioctl roc_fragment_card_ioctls[ROC_FRAGMENT_CARD_IOCTLS] = {
	ROC_IOCTL(ROC_FR_INFO, 192, roc_fr_info, roc_fr_card_info),
	ROC_IOCTL(ROC_FR_SETTINGS, 40, roc_fr_settings, roc_fr_card_settings),
	ROC_IOCTL(ROC_FR_RESET, 16, roc_fr_reset, roc_fr_card_reset, .registers = true),
};
