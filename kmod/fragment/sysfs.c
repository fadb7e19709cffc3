// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs attributes of a sub-unit channel. See Documentation/ABI/sysfs-class-roc. No read waits for
 * a run. Counters of the card are read from its registers, at the rate that core/sysfs.c allows,
 * because the driver has no copy of them.
 */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "fragment/fragment.h"

ROC_SHOW(links, "0x%x", READ_ONCE(roc_sub(roc_to_channel(dev))->settings.links));
ROC_COUNTER(data_interrupts, ch->stats.purpose[ROC_LANE_DATA]);
ROC_COUNTER(done_interrupts, ch->stats.purpose[ROC_LANE_DONE]);
ROC_COUNTER(error_interrupts, ch->stats.purpose[ROC_FRAGMENT_ERROR]);
ROC_COUNTER(lost, ch->stats.lost);

/* A counter of the card. @sample: index of the channel's sample. @read: for roc_show_sample(). */
struct roc_sub_counter {
	struct device_attribute attr;
	unsigned int sample;
	int (*read)(const void *what, s64 *value);
	unsigned int nr;
};

struct roc_sub_counter_at {
	struct roc_channel *ch;
	unsigned int nr;
};

static int roc_sub_counter_read(const void *what, s64 *value)
{
	const struct roc_sub_counter_at *counter = what;

	*value = roc_fragment_counter(roc_sub(counter->ch), counter->nr);
	return *value == -1 && !roc_alive(counter->ch->ep) ? -EIO : 0;
}

/* Sum over all links of the counters whose bits are set in @nr. */
static int roc_sub_links_counter_read(const void *what, s64 *value)
{
	const struct roc_sub_counter_at *counter = what;
	unsigned long counters = counter->nr;
	unsigned int nr;

	*value = 0;
	for_each_set_bit(nr, &counters, FRAGMENT_LINK_COUNTS)
		*value += roc_fragment_links_counter(roc_sub(counter->ch), nr);
	return roc_alive(counter->ch->ep) ? 0 : -EIO;
}

static ssize_t roc_sub_counter_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct roc_sub_counter *c = container_of(attr, struct roc_sub_counter, attr);
	const struct roc_sub_counter_at counter = {.ch = roc_to_channel(dev), .nr = c->nr};

	return roc_show_sample(counter.ch->ep, &counter.ch->samples[c->sample], c->read, &counter,
			       buf);
}

#define ROC_SUB_COUNTER(_file, _sample, _read, _nr)                                                \
	static const struct roc_sub_counter roc_sub_counter_##_file = {                            \
		.attr = __ATTR(_file, 0444, roc_sub_counter_show, NULL),                           \
		.sample = (_sample),                                                               \
		.read = (_read),                                                                   \
		.nr = (_nr),                                                                       \
	}

ROC_SUB_COUNTER(bytes, 0, roc_sub_counter_read, FRAGMENT_COUNT_BYTES);
ROC_SUB_COUNTER(transfers, 1, roc_sub_counter_read, FRAGMENT_COUNT_TRANSFERS);
ROC_SUB_COUNTER(releases, 2, roc_sub_counter_read, FRAGMENT_COUNT_RELEASES);
ROC_SUB_COUNTER(freed, 3, roc_sub_counter_read, FRAGMENT_COUNT_FREED);
ROC_SUB_COUNTER(damaged, 4, roc_sub_links_counter_read,
		BIT(FRAGMENT_LINK_TRUNCATED) | BIT(FRAGMENT_LINK_LINK_ERRORS) |
			BIT(FRAGMENT_LINK_FORMAT_ERRORS));
ROC_SUB_COUNTER(sequence_errors, 5, roc_sub_links_counter_read, BIT(FRAGMENT_LINK_SEQUENCE_ERRORS));

static const struct attribute *const roc_sub_attrs[] = {
	&dev_attr_links.attr,
	&roc_sub_counter_bytes.attr.attr,
	&roc_sub_counter_transfers.attr.attr,
	&roc_sub_counter_releases.attr.attr,
	&roc_sub_counter_freed.attr.attr,
	&roc_sub_counter_damaged.attr.attr,
	&roc_sub_counter_sequence_errors.attr.attr,
	&dev_attr_data_interrupts.attr,
	&dev_attr_done_interrupts.attr,
	&dev_attr_error_interrupts.attr,
	&dev_attr_lost.attr,
	NULL,
};

static const struct attribute_group roc_sub_group = {
	.attrs = (struct attribute **)roc_sub_attrs,
};

const struct attribute_group *roc_fragment_groups[] = {&roc_sub_group, &roc_run_group,
						       &roc_queue_group, NULL};
