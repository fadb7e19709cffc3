/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and events for monitoring: sysfs, hwmon, uevents.
 */
#ifndef ROC_SYSFS_H
#define ROC_SYSFS_H

#include <linux/device.h>
#include <linux/types.h>

struct attribute_group;
struct roc_endpoint;

enum roc_alarm {
	ROC_ALARM_NONE,
	ROC_ALARM_TEMPERATURE,
	ROC_ALARM_CRITICAL,
};

/* A rate-limited value of the card: see sysfs.c. Under roc_endpoint.sample_lock. */
struct roc_sample {
	bool valid;
	int err;
	u32 writes;
	u64 time; /* of the read, jiffies */
	s64 value;
};

/* A register that sysfs shows; constant, defined by the card. */
struct roc_monitor {
	struct device_attribute attr;
	unsigned int sample; /* index of the card's own samples */
	unsigned int bar;    /* for a file of a channel: plus the number of the channel */
	u32 offset;	     /* for endpoint 0 */
	u32 stride;	     /* added for endpoint 1; 0: common to the card */
	u32 mask;
};

/* Define a DEVICE_ATTR file with one value: @_value of @dev. */
#define ROC_SHOW(_file, _format, _value)                                                           \
	static ssize_t _file##_show(struct device *dev, struct device_attribute *attr, char *buf)  \
	{                                                                                          \
		return sysfs_emit(buf, _format "\n", _value);                                      \
	}                                                                                          \
	static DEVICE_ATTR_RO(_file)

/* Define a DEVICE_ATTR file of a channel with one counter: @_value of @ch. */
#define ROC_COUNTER(_file, _value)                                                                 \
	static ssize_t _file##_show(struct device *dev, struct device_attribute *attr, char *buf)  \
	{                                                                                          \
		struct roc_channel *ch = roc_to_channel(dev);                                      \
                                                                                                   \
		return sysfs_emit(buf, "%llu\n", READ_ONCE(_value));                               \
	}                                                                                          \
	static DEVICE_ATTR_RO(_file)

#define ROC_CHANNEL_MONITORS 6
#define ROC_ENDPOINT_MONITORS 6

/* monitor.c */
void roc_monitor_init(struct roc_endpoint *ep);
void roc_monitor_start(struct roc_endpoint *ep);
void roc_monitor_stop(struct roc_endpoint *ep);
void roc_monitor_check_now(struct roc_endpoint *ep);
void roc_monitor_alarms_by_irq(struct roc_endpoint *ep, bool on);
void roc_link_uevent(struct roc_endpoint *ep);

/* sysfs.c */
int roc_sample(struct roc_endpoint *ep, struct roc_sample *sample,
	       int (*read)(const void *what, s64 *value), const void *what, s64 *value);
ssize_t roc_show_sample(struct roc_endpoint *ep, struct roc_sample *sample,
			int (*read)(const void *what, s64 *value), const void *what, char *buf);
ssize_t roc_monitor_show(struct device *dev, struct device_attribute *attr, char *buf);
ssize_t roc_channel_monitor_show(struct device *dev, struct device_attribute *attr, char *buf);
extern const struct attribute_group *roc_endpoint_groups[];
extern const struct attribute_group *roc_channel_groups[];

#endif /* ROC_SYSFS_H */
