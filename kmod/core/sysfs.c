// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs attributes of endpoints, and those that channels of every type have: one value per file,
 * for udev, tools and agents. Documented in Documentation/ABI/sysfs-class-roc. No read waits for a
 * running channel.
 *
 * Files are world-readable, so register reads by sysfs and hwmon are limited to 10 Hz. Between
 * reads they show the last value, unless a register was written through the driver meanwhile: the
 * value is read again then, because the write may have changed it.
 */
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/sysfs.h>

#include "core/roc.h"

#define ROC_SAMPLE_PERIOD DIV_ROUND_UP(HZ, 10)

ROC_SHOW(card_type, "%s", roc_to_endpoint(dev)->ops->name);
ROC_SHOW(serial, "%d", roc_to_endpoint(dev)->serial);
ROC_SHOW(endpoint, "%d", roc_to_endpoint(dev)->number);
ROC_SHOW(firmware, "%s", roc_to_endpoint(dev)->firmware);
ROC_SHOW(user_logic, "%s", roc_to_endpoint(dev)->user_logic);
ROC_SHOW(channels, "%u", roc_to_endpoint(dev)->ops->channels);

/* The parent is the PCI function, which outlives this device. */
ROC_SHOW(pci_address, "%s", dev_name(dev->parent));
ROC_SHOW(numa_node, "%d", dev_to_node(dev->parent));

static ssize_t alarm_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	static const char *const text[] = {
		[ROC_ALARM_NONE] = "none",
		[ROC_ALARM_TEMPERATURE] = "temperature",
		[ROC_ALARM_CRITICAL] = "temperature-critical",
	};

	return sysfs_emit(buf, "%s\n", text[READ_ONCE(roc_to_endpoint(dev)->alarm)]);
}
static DEVICE_ATTR_RO(alarm);

/* Return the last value, or get a new one from @read(@what). The hardware is accessible. */
int roc_sample(struct roc_endpoint *ep, struct roc_sample *sample,
	       int (*read)(const void *what, s64 *value), const void *what, s64 *value)
{
	u32 writes = READ_ONCE(ep->card->writes);
	int err;

	if (mutex_lock_interruptible(&ep->sample_lock))
		return -ERESTARTSYS;
	if (!sample->valid || sample->writes != writes ||
	    time_is_before_eq_jiffies64(sample->time + ROC_SAMPLE_PERIOD)) {
		sample->err = read(what, &sample->value);
		sample->time = get_jiffies_64();
		sample->writes = writes;
		sample->valid = true;
	}
	err = sample->err;
	*value = sample->value;
	mutex_unlock(&ep->sample_lock);
	return err;
}

/* A register, as the argument of roc_read_monitor(). */
struct roc_monitor_register {
	struct roc_endpoint *ep;
	const struct roc_monitor *monitor;
	unsigned int bar;
	u32 offset;
};

static int roc_read_monitor(const void *what, s64 *value)
{
	const struct roc_monitor_register *reg = what;
	u32 word = roc_card_read(reg->ep, reg->bar, reg->offset);

	if (word == ROC_ALL_ONES && !roc_alive(reg->ep))
		return -EIO;
	*value = (word & reg->monitor->mask) >> __ffs(reg->monitor->mask);
	return 0;
}

/* Show a value of the card, or return the reason for which there is none. */
ssize_t roc_show_sample(struct roc_endpoint *ep, struct roc_sample *sample,
			int (*read)(const void *what, s64 *value), const void *what, char *buf)
{
	s64 value;
	int err, idx;

	if (!roc_enter(ep, READ_ONCE(ep->epoch), &idx))
		return -ENODEV;
	err = roc_registers_lock(ep);
	if (!err) {
		err = roc_sample(ep, sample, read, what, &value);
		roc_registers_unlock(ep);
	}
	roc_leave(ep, idx);
	return err ?: sysfs_emit(buf, "%lld\n", value);
}

/* Files that a card defines: see struct roc_monitor. */
ssize_t roc_monitor_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct roc_monitor *m = container_of(attr, struct roc_monitor, attr);
	struct roc_endpoint *ep = roc_to_endpoint(dev);
	const struct roc_monitor_register reg = {.ep = ep,
						 .monitor = m,
						 .bar = m->bar,
						 .offset = m->offset + m->stride * ep->number};

	return roc_show_sample(ep, &ep->samples[m->sample], roc_read_monitor, &reg, buf);
}

ssize_t roc_channel_monitor_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct roc_monitor *m = container_of(attr, struct roc_monitor, attr);
	struct roc_channel *ch = roc_to_channel(dev);
	const struct roc_monitor_register reg = {
		.ep = ch->ep, .monitor = m, .bar = m->bar + ch->number, .offset = m->offset};

	return roc_show_sample(ch->ep, &ch->samples[m->sample], roc_read_monitor, &reg, buf);
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

ROC_SHOW(owner_pid, "%d", roc_channel_snapshot(roc_to_channel(dev)).owner);
ROC_SHOW(owner_name, "%s", roc_channel_snapshot(roc_to_channel(dev)).owner_name);

static ssize_t state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	static const char *const text[] = {
		[ROC_CH_STOPPED] = "stopped",
		[ROC_CH_RUNNING] = "running",
		[ROC_CH_FAILED] = "failed",
		[ROC_CH_GONE] = "gone",
	};

	return sysfs_emit(buf, "%s\n", text[READ_ONCE(roc_to_channel(dev)->state)]);
}
static DEVICE_ATTR_RO(state);

ROC_SHOW(starting, "%d", !!READ_ONCE(roc_to_channel(dev)->starting));
ROC_SHOW(failure_reason, "%u", roc_channel_snapshot(roc_to_channel(dev)).reason);
ROC_SHOW(channel_type, "%s", roc_to_channel(dev)->type->name);

/* Deprecated name of channel_type. */
ROC_SHOW(kind, "%s", roc_to_channel(dev)->type->name);

/* Common attributes; the channel type adds its own. */
static struct attribute *roc_channel_attrs[] = {
	&dev_attr_owner_pid.attr,    &dev_attr_owner_name.attr,
	&dev_attr_state.attr,	     &dev_attr_failure_reason.attr,
	&dev_attr_channel_type.attr, &dev_attr_kind.attr,
	&dev_attr_starting.attr,     NULL,
};

static const struct attribute_group roc_channel_group = {
	.attrs = roc_channel_attrs,
};

const struct attribute_group *roc_channel_groups[] = {&roc_channel_group, NULL};
