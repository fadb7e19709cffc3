// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs attributes of endpoints and channels: one value per file, for udev, tools and agents.
 * Documented in Documentation/ABI/sysfs-class-roc. Nothing here waits for a running channel:
 * counters are read without the channel lock.
 */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "core/roc.h"

#define to_endpoint(d) container_of(d, struct roc_endpoint, dev)
#define to_channel(d) container_of(d, struct roc_channel, dev)

static ssize_t card_type_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", to_endpoint(dev)->ops->name);
}
static DEVICE_ATTR_RO(card_type);

static ssize_t serial_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", to_endpoint(dev)->serial);
}
static DEVICE_ATTR_RO(serial);

static ssize_t endpoint_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", to_endpoint(dev)->number);
}
static DEVICE_ATTR_RO(endpoint);

static ssize_t firmware_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", to_endpoint(dev)->firmware);
}
static DEVICE_ATTR_RO(firmware);

static ssize_t user_logic_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", to_endpoint(dev)->user_logic);
}
static DEVICE_ATTR_RO(user_logic);

static ssize_t channels_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", to_endpoint(dev)->ops->channels);
}
static DEVICE_ATTR_RO(channels);

/* The parent is the PCI function; it cannot go before this device. */
static ssize_t pci_address_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", dev_name(dev->parent));
}
static DEVICE_ATTR_RO(pci_address);

static ssize_t numa_node_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", dev_to_node(dev->parent));
}
static DEVICE_ATTR_RO(numa_node);

static ssize_t alarm_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	static const char *const text[] = {
		[ROC_ALARM_NONE] = "none",
		[ROC_ALARM_TEMPERATURE] = "temperature",
		[ROC_ALARM_CRITICAL] = "temperature-critical",
	};

	return sysfs_emit(buf, "%s\n", text[READ_ONCE(to_endpoint(dev)->alarm)]);
}
static DEVICE_ATTR_RO(alarm);

/* A register, as roc_sample() wants it. */
struct roc_place {
	struct roc_endpoint *ep;
	const struct roc_monitor *monitor;
	unsigned int bar;
	u32 offset;
};

static int roc_read_place(const void *what, s64 *value)
{
	const struct roc_place *place = what;
	u32 word = roc_card_read(place->ep, place->bar, place->offset);

	if (word == ROC_ALL_ONES && !roc_alive(place->ep))
		return -EIO;
	*value = (word & place->monitor->mask) >> __ffs(place->monitor->mask);
	return 0;
}

/* A value of the card's, or why there is none. */
static ssize_t roc_show_sample(struct roc_endpoint *ep, struct roc_sample *sample,
			       int (*read)(const void *what, s64 *value), const void *what,
			       char *buf)
{
	s64 value;
	int err, idx;

	if (!roc_enter(ep, READ_ONCE(ep->epoch), &idx))
		return -ENODEV;
	err = roc_sample(ep, sample, read, what, &value);
	roc_leave(ep, idx);
	return err ?: sysfs_emit(buf, "%lld\n", value);
}

/* A card's own files: see struct roc_monitor. */
ssize_t roc_monitor_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct roc_monitor *m = container_of(attr, struct roc_monitor, attr);
	struct roc_endpoint *ep = to_endpoint(dev);
	const struct roc_place place = {.ep = ep,
					.monitor = m,
					.bar = m->bar,
					.offset = m->offset + m->stride * ep->number};

	return roc_show_sample(ep, &ep->samples[ROC_SAMPLE_ENDPOINT_MONITORS + m->sample],
			       roc_read_place, &place, buf);
}

ssize_t roc_channel_monitor_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct roc_monitor *m = container_of(attr, struct roc_monitor, attr);
	struct roc_channel *ch = to_channel(dev);
	const struct roc_place place = {
		.ep = ch->ep, .monitor = m, .bar = m->bar + ch->number, .offset = m->offset};

	return roc_show_sample(ch->ep, &ch->samples[ROC_SAMPLE_MONITORS + m->sample],
			       roc_read_place, &place, buf);
}

static struct attribute *roc_endpoint_attrs[] = {
	&dev_attr_card_type.attr,   &dev_attr_serial.attr,
	&dev_attr_endpoint.attr,    &dev_attr_firmware.attr,
	&dev_attr_user_logic.attr,  &dev_attr_channels.attr,
	&dev_attr_pci_address.attr, &dev_attr_numa_node.attr,
	&dev_attr_alarm.attr,	    NULL,
};

static const struct attribute_group roc_endpoint_group = {
	.attrs = roc_endpoint_attrs,
};

const struct attribute_group *roc_endpoint_groups[] = {&roc_endpoint_group, NULL};

static ssize_t owner_pid_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct roc_channel *ch = to_channel(dev);
	pid_t pid;

	spin_lock(&ch->owner_lock);
	pid = pid_vnr(ch->owner);
	spin_unlock(&ch->owner_lock);
	return sysfs_emit(buf, "%d\n", pid);
}
static DEVICE_ATTR_RO(owner_pid);

static ssize_t owner_name_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct roc_channel *ch = to_channel(dev);
	char name[TASK_COMM_LEN];

	spin_lock(&ch->owner_lock);
	strscpy(name, ch->owner_name, sizeof(name));
	spin_unlock(&ch->owner_lock);
	return sysfs_emit(buf, "%s\n", name);
}
static DEVICE_ATTR_RO(owner_name);

static ssize_t state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	static const char *const text[] = {
		[ROC_CH_STOPPED] = "stopped",
		[ROC_CH_RUNNING] = "running",
		[ROC_CH_FAILED] = "failed",
		[ROC_CH_GONE] = "gone",
	};

	return sysfs_emit(buf, "%s\n", text[READ_ONCE(to_channel(dev)->state)]);
}
static DEVICE_ATTR_RO(state);

#define ROC_COUNTER(_file, _member)                                                                \
	static ssize_t _file##_show(struct device *dev, struct device_attribute *attr, char *buf)  \
	{                                                                                          \
		return sysfs_emit(buf, "%llu\n", READ_ONCE(to_channel(dev)->stats._member));       \
	}                                                                                          \
	static DEVICE_ATTR_RO(_file)

ROC_COUNTER(superpages, completed);
ROC_COUNTER(bytes, bytes);
ROC_COUNTER(pushed, pushed);
ROC_COUNTER(reclaimed, reclaimed);
ROC_COUNTER(refused, refused);
ROC_COUNTER(looks, looks);
ROC_COUNTER(mmio_reads, mmio_reads);
ROC_COUNTER(mmio_writes, mmio_writes);
ROC_COUNTER(retries, retries);
ROC_COUNTER(turns, turns);
ROC_COUNTER(bad_index, bad_index);
ROC_COUNTER(interrupts, interrupts);
ROC_COUNTER(missed_interrupts, missed_interrupts);
ROC_COUNTER(spurious_interrupts, spurious_interrupts);

/* A histogram: ROC_GAPS numbers. */
static ssize_t gaps_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const u64 *gaps = to_channel(dev)->stats.gaps;
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

/* The mode is the present owner's; without one there is none. */
static ssize_t mode_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	int mode = READ_ONCE(to_channel(dev)->mode);

	return sysfs_emit(buf, "%s\n", mode < 0 ? "none" : roc_mode_names[mode]);
}

static ssize_t mode_store(struct device *dev, struct device_attribute *attr, const char *buf,
			  size_t count)
{
	struct roc_channel *ch = to_channel(dev);
	int mode = sysfs_match_string(roc_mode_names, buf);
	int err = 0;

	if (mode < 0)
		return mode;
	if (mutex_lock_killable(&ch->lock))
		return -EINTR;
	if (ch->session && !ch->session->retired)
		err = roc_run_mode(ch->session, mode);
	else
		err = -ENXIO;
	mutex_unlock(&ch->lock);
	return err ?: count;
}
static DEVICE_ATTR_RW(mode);

/* The card's own counter. */
static int roc_read_dropped(const void *what, s64 *value)
{
	struct roc_channel *ch = (struct roc_channel *)what;
	u32 dropped = ch->ep->ops->dropped(ch);

	if (dropped == ROC_ALL_ONES && !roc_alive(ch->ep))
		return -EIO;
	*value = dropped;
	return 0;
}

static ssize_t dropped_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct roc_channel *ch = to_channel(dev);

	return roc_show_sample(ch->ep, &ch->samples[ROC_SAMPLE_DROPPED], roc_read_dropped, ch, buf);
}
static DEVICE_ATTR_RO(dropped);

/* The card counts anew in each run. If somebody is at work on the channel, what was seen last. */
static int roc_read_empties(const void *what, s64 *value)
{
	struct roc_channel *ch = (struct roc_channel *)what;

	if (mutex_trylock(&ch->lock)) {
		if (ch->state == ROC_CH_RUNNING)
			roc_count_empties(ch);
		mutex_unlock(&ch->lock);
	}
	*value = READ_ONCE(ch->stats.fifo_empty);
	return 0;
}

static ssize_t fifo_empty_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct roc_channel *ch = to_channel(dev);

	return roc_show_sample(ch->ep, &ch->samples[ROC_SAMPLE_EMPTIES], roc_read_empties, ch, buf);
}
static DEVICE_ATTR_RO(fifo_empty);

static struct attribute *roc_channel_attrs[] = {
	&dev_attr_owner_pid.attr,
	&dev_attr_owner_name.attr,
	&dev_attr_state.attr,
	&dev_attr_mode.attr,
	&dev_attr_superpages.attr,
	&dev_attr_bytes.attr,
	&dev_attr_pushed.attr,
	&dev_attr_reclaimed.attr,
	&dev_attr_refused.attr,
	&dev_attr_looks.attr,
	&dev_attr_mmio_reads.attr,
	&dev_attr_mmio_writes.attr,
	&dev_attr_retries.attr,
	&dev_attr_turns.attr,
	&dev_attr_bad_index.attr,
	&dev_attr_gaps.attr,
	&dev_attr_dropped.attr,
	&dev_attr_fifo_empty.attr,
	NULL,
};

static struct attribute *roc_event_attrs[] = {
	&dev_attr_interrupts.attr,
	&dev_attr_missed_interrupts.attr,
	&dev_attr_spurious_interrupts.attr,
	NULL,
};

static umode_t roc_channel_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	const struct roc_card_ops *ops = to_channel(kobj_to_dev(kobj))->ep->ops;

	if ((attr == &dev_attr_dropped.attr && !ops->dropped) ||
	    (attr == &dev_attr_fifo_empty.attr && !ops->fifo_empty))
		return 0;
	return attr->mode;
}

static const struct attribute_group roc_channel_group = {
	.attrs = roc_channel_attrs,
	.is_visible = roc_channel_visible,
};

static umode_t roc_event_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	return to_channel(kobj_to_dev(kobj))->ep->caps & ROC_CAP_EVENTS ? attr->mode : 0;
}

static const struct attribute_group roc_event_group = {
	.attrs = roc_event_attrs,
	.is_visible = roc_event_visible,
};

const struct attribute_group *roc_channel_groups[] = {&roc_channel_group, &roc_event_group, NULL};
