// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resets and counters of channels with a run: ioctls of the channel's and the endpoint's node, and
 * sysfs files.
 *
 * A caller on the endpoint's node takes no channel lock while the opener's run is active, except
 * for a reset.
 */
#include <linux/nospec.h>

#include "core/run.h"

/* Counters since the probe, or since the present open. */
struct roc_stats roc_run_stats(const struct roc_channel *ch, bool since_open)
{
	struct roc_stats stats = ch->stats;

	lockdep_assert_held(&ch->run_lock);
	if (since_open)
		roc_counts_since(&stats, &ch->base, sizeof(stats));
	return stats;
}

/* May @caller reset the channel? See roc_open_by_other(). Channel lock held. */
static int roc_reset_allowed(const struct roc_channel *ch, unsigned int level,
			     const struct roc_open *caller)
{
	const struct roc_run_level *l = &ch->type->run->levels[level];

	lockdep_assert_held(&ch->lock);
	if (!l->unowned && roc_open_by_other(ch->open, caller))
		return -EBUSY;
	return l->stops && ch->state == ROC_CH_RUNNING ? -EBUSY : 0;
}

static int roc_reset_one(struct roc_channel *ch, unsigned int level, const struct roc_open *caller)
{
	int err;

	if (mutex_lock_killable(&ch->lock))
		return -EINTR;
	err = roc_reset_allowed(ch, level, caller);
	if (!err) {
		roc_point(ch->ep, ROC_POINT_RESET);
		err = ch->type->run->reset(ch, level);
	}
	mutex_unlock(&ch->lock);
	return err;
}

/* Reset all channels, or none. */
static int roc_reset_all(struct roc_endpoint *ep, unsigned int level)
{
	const struct roc_run_ops *ops = ep->ops->channel_type->run;
	int err = roc_channels_lock(ep);
	unsigned int i;

	if (err)
		return err;
	for (i = 0; i < ep->ops->channels && !err; i++)
		err = roc_reset_allowed(&ep->channels[i], level, NULL);
	for (i = 0; i < ep->ops->channels && !err; i++) {
		roc_point(ep, ROC_POINT_RESET);
		err = ops->reset(&ep->channels[i], level);
	}
	if (!err && !level && ops->reset_card)
		err = ops->reset_card(ep);
	roc_channels_unlock(ep);
	return err;
}

/* Return: the index of the level, or -EINVAL. */
static int roc_reset_check(const struct roc_run_ops *ops, const struct roc_reset_arg *arg)
{
	if (arg->flags || arg->level >= ops->level_count)
		return -EINVAL;
	return array_index_nospec(arg->level, ops->level_count);
}

struct roc_channel *roc_named_channel(struct file *file, u32 number, const struct roc_open **caller)
{
	struct roc_endpoint *ep;

	*caller = file->f_op == &roc_channel_fops ? file->private_data : NULL;
	if (*caller)
		return !number || number == (*caller)->ch->number ? (*caller)->ch : NULL;
	ep = roc_endpoint_of(file);
	if (number >= ep->ops->channels)
		return NULL;
	return &ep->channels[array_index_nospec(number, ROC_CHANNELS_MAX)];
}

int roc_run_reset(struct file *file, void *data)
{
	const struct roc_reset_arg *arg = data;
	const struct roc_open *caller;
	struct roc_channel *ch = roc_named_channel(file, arg->number, &caller);
	struct roc_endpoint *ep = caller ? caller->ch->ep : roc_endpoint_of(file);
	int level;

	if (caller && !ch)
		return -ENOENT;
	level = roc_reset_check(ep->ops->channel_type->run, arg);
	if (level < 0)
		return level;
	if (!caller && arg->number == ROC_RESET_ALL)
		return roc_reset_all(ep, level);
	return ch ? roc_reset_one(ch, level, caller) : -ENOENT;
}

ROC_COUNTER(interrupts, ch->stats.interrupts);
ROC_COUNTER(missed_interrupts, ch->stats.missed_interrupts);
ROC_COUNTER(spurious_interrupts, ch->stats.spurious_interrupts);
ROC_COUNTER(arms, ch->stats.arms);
ROC_COUNTER(doorbells, ch->stats.doorbells);
ROC_COUNTER(wakes, ch->stats.wakes);
ROC_COUNTER(mmio_reads, ch->stats.mmio_reads);
ROC_COUNTER(mmio_writes, ch->stats.mmio_writes);
ROC_COUNTER(bad_index, ch->stats.bad_index);

static struct attribute *roc_run_attrs[] = {
	&dev_attr_interrupts.attr,
	&dev_attr_missed_interrupts.attr,
	&dev_attr_spurious_interrupts.attr,
	&dev_attr_mmio_reads.attr,
	&dev_attr_mmio_writes.attr,
	&dev_attr_bad_index.attr,
	NULL,
};

static struct attribute *roc_queue_attrs[] = {
	&dev_attr_arms.attr,
	&dev_attr_doorbells.attr,
	&dev_attr_wakes.attr,
	NULL,
};

/* The first three attributes exist only for channels with interrupts. */
static umode_t roc_run_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	return n >= 3 || roc_to_channel(kobj_to_dev(kobj))->block ? attr->mode : 0;
}

/* Documented in Documentation/ABI/sysfs-class-roc. */
const struct attribute_group roc_run_group = {
	.attrs = roc_run_attrs,
	.is_visible = roc_run_visible,
};

const struct attribute_group roc_queue_group = {
	.attrs = roc_queue_attrs,
};
