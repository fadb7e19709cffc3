// SPDX-License-Identifier: GPL-2.0-only
/*
 * Temperature: a hwmon device for `sensors` and agents, and an alarm that does not depend on them.
 *
 * The sensor belongs to the card, so endpoint 0 of the card shows it. A work item polls it (one
 * register read every update_interval) and sends a change uevent when an alarm is raised or
 * cleared. If the card raises an interrupt for a rising temperature, the work item polls only while
 * there is an alarm. It uses a freezable workqueue, because registers of a suspended function must
 * not be read.
 */
#include <linux/hwmon.h>
#include <linux/kernel.h>

#include "core/compat/compat.h"
#include "core/roc.h"

/* polling period in milliseconds: update_interval of hwmon */
#define ROC_ALARM_PERIOD 5000
#define ROC_ALARM_PERIOD_MIN 100 /* sysfs.c limits the rate of reads anyway */
#define ROC_ALARM_PERIOD_MAX 60000
#define ROC_ALARM_HYSTERESIS 2000	     /* millidegrees below the limit to clear an alarm */
#define ROC_ALARM_RETRY DIV_ROUND_UP(HZ, 10) /* while a start holds @registers */

static bool roc_monitored(struct roc_endpoint *ep)
{
	return ep->ops->temperature && ep->number == 0 && (ep->caps & ROC_CAP_TEMPERATURE);
}

static int roc_read_temperature(const void *what, s64 *value)
{
	struct roc_endpoint *ep = (struct roc_endpoint *)what;
	long now;
	int err = ep->ops->temperature(ep, &now);

	*value = now;
	return err;
}

/*
 * Read the temperature. @fresh: read the sensor now, for the alarm, which may react to an
 * interrupt.
 */
static int roc_temperature(struct roc_endpoint *ep, bool fresh, long *value)
{
	s64 now;
	int err, idx;

	if (!roc_enter(ep, READ_ONCE(ep->epoch), &idx))
		return -ENODEV;
	/* The alarm work does not wait for a reset; it tries again. */
	if (fresh)
		err = down_read_trylock(&ep->registers) ? 0 : -EBUSY;
	else
		err = roc_registers_lock(ep);
	if (err)
		goto out;
	if (fresh)
		err = roc_read_temperature(ep, &now);
	else
		err = roc_sample(ep, &ep->temperature, roc_read_temperature, ep, &now);
	roc_registers_unlock(ep);
out:
	roc_leave(ep, idx);
	if (!err)
		*value = now;
	return err;
}

static enum roc_alarm roc_alarm_level(struct roc_endpoint *ep, long value)
{
	const struct roc_card_ops *ops = ep->ops;
	long ease = ep->alarm == ROC_ALARM_CRITICAL ? ROC_ALARM_HYSTERESIS : 0;

	if (value >= ops->temperature_crit - ease)
		return ROC_ALARM_CRITICAL;
	ease = ep->alarm != ROC_ALARM_NONE ? ROC_ALARM_HYSTERESIS : 0;
	return value >= ops->temperature_max - ease ? ROC_ALARM_TEMPERATURE : ROC_ALARM_NONE;
}

static void roc_alarm_uevent(struct roc_endpoint *ep, enum roc_alarm alarm, long value)
{
	static const char *const reason[] = {
		[ROC_ALARM_NONE] = "ROC_ALARM=none",
		[ROC_ALARM_TEMPERATURE] = "ROC_ALARM=temperature",
		[ROC_ALARM_CRITICAL] = "ROC_ALARM=temperature-critical",
	};
	char temperature[40];
	char *env[] = {(char *)reason[alarm], temperature, NULL};

	snprintf(temperature, sizeof(temperature), "ROC_TEMPERATURE=%ld", value);
	kobject_uevent_env(&ep->dev.kobj, KOBJ_CHANGE, env);
}

#if IS_REACHABLE(CONFIG_HWMON)
/* Notify users that poll the alarm files, and the hwmon core, that a value has changed. */
static void roc_hwmon_notify(struct roc_endpoint *ep, enum roc_alarm before, enum roc_alarm alarm)
{
	struct device *hwmon = READ_ONCE(ep->hwmon);

	if (!hwmon)
		return;
	if ((before == ROC_ALARM_NONE) != (alarm == ROC_ALARM_NONE))
		hwmon_notify_event(hwmon, hwmon_temp, hwmon_temp_max_alarm, 0);
	if ((before == ROC_ALARM_CRITICAL) != (alarm == ROC_ALARM_CRITICAL))
		hwmon_notify_event(hwmon, hwmon_temp, hwmon_temp_crit_alarm, 0);
}
#else
static void roc_hwmon_notify(struct roc_endpoint *ep, enum roc_alarm before, enum roc_alarm alarm)
{
}
#endif

static void roc_alarm_work(struct work_struct *work)
{
	struct roc_endpoint *ep =
		container_of(to_delayed_work(work), struct roc_endpoint, alarm_work);
	enum roc_alarm alarm, before = ep->alarm;
	long value;
	int err;

	err = roc_temperature(ep, true, &value);
	if (!err) {
		alarm = roc_alarm_level(ep, value);
		if (alarm != before) {
			WRITE_ONCE(ep->alarm, alarm);
			roc_alarm_uevent(ep, alarm, value);
			roc_point(ep, ROC_POINT_ALARM);
			roc_hwmon_notify(ep, before, alarm);
		}
	}
	/* The card does not repeat its interrupt, and has none for a falling temperature. */
	if (err == -EBUSY)
		queue_delayed_work(system_freezable_wq, &ep->alarm_work, ROC_ALARM_RETRY);
	else if (ep->alarm != ROC_ALARM_NONE || !READ_ONCE(ep->irqs.alarms))
		queue_delayed_work(system_freezable_wq, &ep->alarm_work,
				   msecs_to_jiffies(READ_ONCE(ep->alarm_period)));
}

/* The card raised an alarm: check now instead of at the next period. */
void roc_monitor_check_now(struct roc_endpoint *ep)
{
	if (roc_monitored(ep))
		mod_delayed_work(system_freezable_wq, &ep->alarm_work, 0);
}

/*
 * Record whether the card raises interrupts for alarms: it is programmed to, and bus mastering is
 * on. Card lock held.
 */
void roc_monitor_alarms_by_irq(struct roc_endpoint *ep, bool on)
{
	if (!ep->irqs.programmed || READ_ONCE(ep->irqs.alarms) == on)
		return;
	WRITE_ONCE(ep->irqs.alarms, on);
	roc_monitor_check_now(ep); /* if on, for changes from before; if off, to poll */
}

/* A link went up or down; registers of the card show which one. */
void roc_link_uevent(struct roc_endpoint *ep)
{
	char *env[] = {"ROC_LINK=changed", NULL};

	kobject_uevent_env(&ep->dev.kobj, KOBJ_CHANGE, env);
}

#if IS_REACHABLE(CONFIG_HWMON)
static umode_t roc_hwmon_visible(const void *data, enum hwmon_sensor_types type, u32 attr,
				 int channel)
{
	return type == hwmon_chip ? 0644 : 0444;
}

static int roc_hwmon_read(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel,
			  long *value)
{
	struct roc_endpoint *ep = dev_get_drvdata(dev);
	long now;
	int err;

	if (type == hwmon_chip) {
		*value = READ_ONCE(ep->alarm_period);
		return 0;
	}
	switch (attr) {
	case hwmon_temp_input:
		return roc_temperature(ep, false, value);
	case hwmon_temp_max:
		*value = ep->ops->temperature_max;
		return 0;
	case hwmon_temp_crit:
		*value = ep->ops->temperature_crit;
		return 0;
	case hwmon_temp_max_alarm:
	case hwmon_temp_crit_alarm:
		err = roc_temperature(ep, false, &now);
		if (err)
			return err;
		*value = now >= (attr == hwmon_temp_max_alarm ? ep->ops->temperature_max
							      : ep->ops->temperature_crit);
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* Write update_interval, the only writable attribute. */
static int roc_hwmon_write(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel,
			   long value)
{
	struct roc_endpoint *ep = dev_get_drvdata(dev);

	WRITE_ONCE(ep->alarm_period, clamp_val(value, ROC_ALARM_PERIOD_MIN, ROC_ALARM_PERIOD_MAX));
	roc_monitor_check_now(ep);
	return 0;
}

static int roc_hwmon_text(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel,
			  const char **text)
{
	*text = "FPGA";
	return 0;
}

static const struct hwmon_ops roc_hwmon_ops = {
	.is_visible = roc_hwmon_visible,
	.read = roc_hwmon_read,
	.read_string = roc_hwmon_text,
	.write = roc_hwmon_write,
};

static const struct hwmon_channel_info roc_hwmon_device = {
	.type = hwmon_chip,
	.config = (const u32[]){HWMON_C_UPDATE_INTERVAL, 0},
};

static const struct hwmon_channel_info roc_hwmon_temperature = {
	.type = hwmon_temp,
	.config =
		(const u32[]){
			HWMON_T_INPUT | HWMON_T_MAX | HWMON_T_CRIT | HWMON_T_MAX_ALARM |
				HWMON_T_CRIT_ALARM | HWMON_T_LABEL,
			0,
		},
};

static const struct hwmon_channel_info *roc_hwmon_channels[] = {&roc_hwmon_device,
								&roc_hwmon_temperature, NULL};

static const struct hwmon_chip_info roc_hwmon_chip = {
	.ops = &roc_hwmon_ops,
	.info = roc_hwmon_channels,
};

static void roc_hwmon_register(struct roc_endpoint *ep)
{
	struct device *hwmon = hwmon_device_register_with_info(&ep->pdev->dev, ep->ops->name, ep,
							       &roc_hwmon_chip, NULL);

	/* The card works without a hwmon device. */
	if (IS_ERR(hwmon))
		dev_warn(&ep->pdev->dev, "failed to register a hwmon device: %ld\n",
			 PTR_ERR(hwmon));
	else
		WRITE_ONCE(ep->hwmon, hwmon);
}

static void roc_hwmon_unregister(struct roc_endpoint *ep)
{
	if (ep->hwmon)
		hwmon_device_unregister(ep->hwmon);
	ep->hwmon = NULL;
}
#else
static void roc_hwmon_register(struct roc_endpoint *ep)
{
}

static void roc_hwmon_unregister(struct roc_endpoint *ep)
{
}
#endif

/* Called before anything can report an alarm: interrupts, or a start by an opener. */
void roc_monitor_init(struct roc_endpoint *ep)
{
	ep->alarm_period = ROC_ALARM_PERIOD;
	INIT_DELAYED_WORK(&ep->alarm_work, roc_alarm_work);
}

void roc_monitor_start(struct roc_endpoint *ep)
{
	if (!roc_monitored(ep))
		return;
	roc_hwmon_register(ep);
	queue_delayed_work(system_freezable_wq, &ep->alarm_work, 0);
}

/* Called before the hardware goes away; nothing may poll it afterwards. */
void roc_monitor_stop(struct roc_endpoint *ep)
{
	if (!roc_monitored(ep))
		return;
	/*
	 * A work that found an alarm in the old epoch still notifies hwmon; a later one returns
	 * early.
	 */
	cancel_delayed_work_sync(&ep->alarm_work);
	roc_hwmon_unregister(ep); /* a write to its files could queue the work again */
	cancel_delayed_work_sync(&ep->alarm_work);
}
