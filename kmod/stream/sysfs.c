// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs attributes of a stream channel. See Documentation/ABI/sysfs-class-roc. The card's counters
 * are read from its page, so no read accesses the card or waits for a running stream.
 */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "stream/stream.h"

ROC_SHOW(stream, "%s", roc_stream(roc_to_channel(dev))->name);
ROC_COUNTER(bytes, ch->stats.bytes);

/* Counters of the card. */
#define ROC_STREAM_COUNTER(_file, _member)                                                         \
	static ssize_t _file##_show(struct device *dev, struct device_attribute *attr, char *buf)  \
	{                                                                                          \
		struct roc_st_counters counters;                                                   \
                                                                                                   \
		roc_stream_counters(roc_to_channel(dev), &counters);                               \
		return sysfs_emit(buf, "%llu\n", counters._member);                                \
	}                                                                                          \
	static DEVICE_ATTR_RO(_file)

ROC_STREAM_COUNTER(units, units);
ROC_STREAM_COUNTER(offered, offered);
ROC_STREAM_COUNTER(events, events);
ROC_STREAM_COUNTER(discarded, discarded);
ROC_STREAM_COUNTER(throttles, throttles);
ROC_STREAM_COUNTER(throttled, throttled);
ROC_STREAM_COUNTER(throttle_time, throttle_time);
ROC_STREAM_COUNTER(truncations, truncations);
ROC_STREAM_COUNTER(truncated, truncated);
ROC_STREAM_COUNTER(truncated_bytes, truncated_bytes);
ROC_STREAM_COUNTER(truncate_time, truncate_time);

/* Values of the ring; 0 if there is none. */
#define ROC_RING_VALUE(_file, _value)                                                              \
	static ssize_t _file##_show(struct device *dev, struct device_attribute *attr, char *buf)  \
	{                                                                                          \
		struct roc_channel *ch = roc_to_channel(dev);                                      \
		struct roc_run *run;                                                               \
		u64 value = 0;                                                                     \
                                                                                                   \
		spin_lock_irq(&ch->run_lock);                                                      \
		if (ch->open && ch->open->shared) {                                                \
			run = roc_run(ch->open);                                                   \
			value = _value;                                                            \
		}                                                                                  \
		spin_unlock_irq(&ch->run_lock);                                                    \
		return sysfs_emit(buf, "%llu\n", value);                                           \
	}                                                                                          \
	static DEVICE_ATTR_RO(_file)

ROC_RING_VALUE(ring_bytes, 1ull << roc_stream_ring(run)->log2);
ROC_RING_VALUE(ring_segments, roc_stream_ring(run)->segments);
ROC_RING_VALUE(ring_level, (roc_run_poll(run), roc_stream_level(run)));

static struct attribute *roc_stream_attrs[] = {
	&dev_attr_stream.attr,
	&dev_attr_bytes.attr,
	&dev_attr_units.attr,
	&dev_attr_offered.attr,
	&dev_attr_events.attr,
	&dev_attr_discarded.attr,
	&dev_attr_throttles.attr,
	&dev_attr_throttled.attr,
	&dev_attr_throttle_time.attr,
	&dev_attr_truncations.attr,
	&dev_attr_truncated.attr,
	&dev_attr_truncated_bytes.attr,
	&dev_attr_truncate_time.attr,
	&dev_attr_ring_bytes.attr,
	&dev_attr_ring_segments.attr,
	&dev_attr_ring_level.attr,
	NULL,
};

static const struct attribute_group roc_stream_group = {
	.attrs = roc_stream_attrs,
};

const struct attribute_group *roc_stream_groups[] = {&roc_stream_group, &roc_run_group,
						     &roc_queue_group, NULL};
