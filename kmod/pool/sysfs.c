// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs attributes of a pool channel. See Documentation/ABI/sysfs-class-roc. Counters are read
 * without the channel lock, so no read waits for a running channel.
 */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "pool/pool.h"

ROC_COUNTER(superpages, roc_pool(ch)->stats.completed);
ROC_COUNTER(bytes, ch->stats.bytes);
ROC_COUNTER(pushed, roc_pool(ch)->stats.pushed);
ROC_COUNTER(reclaimed, roc_pool(ch)->stats.reclaimed);
ROC_COUNTER(refused, roc_pool(ch)->stats.refused);
ROC_COUNTER(damaged, roc_pool(ch)->stats.damaged);
ROC_COUNTER(short, roc_pool(ch)->stats.short_superpages);
ROC_COUNTER(lost, ch->stats.lost);
ROC_COUNTER(polls, roc_pool(ch)->stats.polls);
ROC_COUNTER(looks, roc_pool(ch)->stats.polls); /* deprecated name of polls */
ROC_COUNTER(retries, roc_pool(ch)->stats.retries);
ROC_COUNTER(turns, ch->stats.turns);

/* A histogram of ROC_GAPS numbers. */
static ssize_t gaps_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const u64 *gaps = roc_pool(roc_to_channel(dev))->stats.gaps;
	int i, n = 0;

	for (i = 0; i < ROC_GAPS; i++)
		n += sysfs_emit_at(buf, n, i ? " %llu" : "%llu", READ_ONCE(gaps[i]));
	return n + sysfs_emit_at(buf, n, "\n");
}
static DEVICE_ATTR_RO(gaps);

static const char *const roc_mode_names[] = {
	[ROC_MODE_TIMER] = "timer",
	[ROC_MODE_BUSY] = "busy",
	[ROC_MODE_EVENT] = "event",
};

/* The mode belongs to the open channel: "none" while the channel is closed. */
static ssize_t mode_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct roc_channel *ch = roc_to_channel(dev);
	const char *mode = "none";

	spin_lock_irq(&ch->run_lock);
	if (ch->open && !READ_ONCE(ch->open->retired))
		mode = roc_mode_names[READ_ONCE(roc_pool_run(roc_run(ch->open))->setting.mode)];
	spin_unlock_irq(&ch->run_lock);
	return sysfs_emit(buf, "%s\n", mode);
}

static ssize_t mode_store(struct device *dev, struct device_attribute *attr, const char *buf,
			  size_t count)
{
	struct roc_channel *ch = roc_to_channel(dev);
	int mode = sysfs_match_string(roc_mode_names, buf);
	int err = 0;

	if (mode < 0)
		return mode;
	if (mutex_lock_killable(&ch->lock))
		return -EINTR;
	if (ch->open && !ch->open->retired)
		err = roc_thread_mode(roc_pool_run(roc_run(ch->open)), mode);
	else
		err = -ENXIO;
	mutex_unlock(&ch->lock);
	return err ?: count;
}
static DEVICE_ATTR_RW(mode);

/* Read the card's counter. */
static int roc_pool_read_dropped(const void *what, s64 *value)
{
	struct roc_channel *ch = (struct roc_channel *)what;
	u32 dropped = roc_pool_ops(ch->ep)->dropped(ch);

	if (dropped == ROC_ALL_ONES && !roc_alive(ch->ep))
		return -EIO;
	*value = dropped;
	return 0;
}

static ssize_t dropped_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct roc_channel *ch = roc_to_channel(dev);

	return roc_show_sample(ch->ep, &roc_pool(ch)->dropped, roc_pool_read_dropped, ch, buf);
}
static DEVICE_ATTR_RO(dropped);

/*
 * Update the count, which the card restarts in each run. If the lock is taken, use the last value.
 */
static int roc_pool_read_fifo_empty(const void *what, s64 *value)
{
	struct roc_channel *ch = (struct roc_channel *)what;

	if (mutex_trylock(&ch->lock)) {
		if (ch->state == ROC_CH_RUNNING)
			roc_pool_count_fifo_empty(ch);
		mutex_unlock(&ch->lock);
	}
	*value = READ_ONCE(roc_pool(ch)->stats.fifo_empty);
	return 0;
}

static ssize_t fifo_empty_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct roc_channel *ch = roc_to_channel(dev);

	return roc_show_sample(ch->ep, &roc_pool(ch)->fifo_empty, roc_pool_read_fifo_empty, ch,
			       buf);
}
static DEVICE_ATTR_RO(fifo_empty);

static struct attribute *roc_pool_attrs[] = {
	&dev_attr_mode.attr,
	&dev_attr_superpages.attr,
	&dev_attr_bytes.attr,
	&dev_attr_pushed.attr,
	&dev_attr_reclaimed.attr,
	&dev_attr_refused.attr,
	&dev_attr_damaged.attr,
	&dev_attr_short.attr,
	&dev_attr_lost.attr,
	&dev_attr_polls.attr,
	&dev_attr_looks.attr,
	&dev_attr_retries.attr,
	&dev_attr_turns.attr,
	&dev_attr_gaps.attr,
	&dev_attr_dropped.attr,
	&dev_attr_fifo_empty.attr,
	NULL,
};

static umode_t roc_pool_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	const struct roc_pool_ops *ops = roc_pool_ops(roc_to_channel(kobj_to_dev(kobj))->ep);

	if ((attr == &dev_attr_dropped.attr && !ops->dropped) ||
	    (attr == &dev_attr_fifo_empty.attr && !ops->fifo_empty))
		return 0;
	return attr->mode;
}

static const struct attribute_group roc_pool_group = {
	.attrs = roc_pool_attrs,
	.is_visible = roc_pool_visible,
};

const struct attribute_group *roc_pool_groups[] = {&roc_pool_group, &roc_run_group, NULL};
