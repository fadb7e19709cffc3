// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs attributes of a channel that is a stream. Documented in Documentation/ABI/sysfs-class-roc.
 * Nothing here waits for a running stream or touches the card: what the card counts is in its page.
 */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "stream/stream.h"

static ssize_t stream_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", roc_stream(roc_to_channel(dev))->name);
}
static DEVICE_ATTR_RO(stream);

#define ROC_COUNTER(_file, _value)                                                                 \
	static ssize_t _file##_show(struct device *dev, struct device_attribute *attr, char *buf)  \
	{                                                                                          \
		struct roc_channel *ch = roc_to_channel(dev);                                      \
                                                                                                   \
		return sysfs_emit(buf, "%llu\n", READ_ONCE(_value));                               \
	}                                                                                          \
	static DEVICE_ATTR_RO(_file)

ROC_COUNTER(bytes, ch->stats.bytes);
ROC_COUNTER(mmio_reads, ch->stats.mmio_reads);
ROC_COUNTER(mmio_writes, ch->stats.mmio_writes);
ROC_COUNTER(interrupts, ch->stats.interrupts);
ROC_COUNTER(missed_interrupts, ch->stats.missed_interrupts);
ROC_COUNTER(spurious_interrupts, ch->stats.spurious_interrupts);
ROC_COUNTER(arms, roc_stream(ch)->stats.arms);
ROC_COUNTER(doorbells, roc_stream(ch)->stats.doorbells);
ROC_COUNTER(wakes, roc_stream(ch)->stats.wakes);
ROC_COUNTER(bad_index, roc_stream(ch)->stats.bad_index);

/* The card's own. */
#define ROC_CARD_COUNTER(_file, _member)                                                           \
	static ssize_t _file##_show(struct device *dev, struct device_attribute *attr, char *buf)  \
	{                                                                                          \
		struct roc_st_counters counters;                                                   \
                                                                                                   \
		roc_stream_counters(roc_stream(roc_to_channel(dev)), &counters);                   \
		return sysfs_emit(buf, "%llu\n", counters._member);                                \
	}                                                                                          \
	static DEVICE_ATTR_RO(_file)

ROC_CARD_COUNTER(units, units);
ROC_CARD_COUNTER(offered, offered);
ROC_CARD_COUNTER(events, events);
ROC_CARD_COUNTER(discarded, discarded);
ROC_CARD_COUNTER(throttles, throttles);
ROC_CARD_COUNTER(throttled, throttled);
ROC_CARD_COUNTER(throttle_time, throttle_time);
ROC_CARD_COUNTER(truncations, truncations);
ROC_CARD_COUNTER(truncated, truncated);
ROC_CARD_COUNTER(truncated_bytes, truncated_bytes);
ROC_CARD_COUNTER(truncate_time, truncate_time);

/* Of the ring; 0 if there is none. */
#define ROC_READER_VALUE(_file, _value)                                                            \
	static ssize_t _file##_show(struct device *dev, struct device_attribute *attr, char *buf)  \
	{                                                                                          \
		struct roc_stream *st = roc_stream(roc_to_channel(dev));                           \
		u64 value = 0;                                                                     \
                                                                                                   \
		spin_lock_irq(&st->lock);                                                          \
		if (st->opened && st->opened->ring)                                                \
			value = _value;                                                            \
		spin_unlock_irq(&st->lock);                                                        \
		return sysfs_emit(buf, "%llu\n", value);                                           \
	}                                                                                          \
	static DEVICE_ATTR_RO(_file)

ROC_READER_VALUE(ring_bytes, 1ull << st->opened->ring->log2);
ROC_READER_VALUE(ring_segments, st->opened->ring->segments);
ROC_READER_VALUE(ring_level, (u64)(roc_stream_look(st->opened),
				   st->opened->position.written - st->opened->position.read) *
				     STREAM_LINE);

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
	&dev_attr_interrupts.attr,
	&dev_attr_missed_interrupts.attr,
	&dev_attr_spurious_interrupts.attr,
	&dev_attr_arms.attr,
	&dev_attr_doorbells.attr,
	&dev_attr_wakes.attr,
	&dev_attr_mmio_reads.attr,
	&dev_attr_mmio_writes.attr,
	&dev_attr_bad_index.attr,
	NULL,
};

static const struct attribute_group roc_stream_group = {
	.attrs = roc_stream_attrs,
};

const struct attribute_group *roc_stream_groups[] = {&roc_stream_group, NULL};
