// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the card's registers say, for sysfs and hwmon.
 *
 * Everybody may look there, and as often as he likes. So a value is read from the card ten times a
 * second at most, and in between the last answer is given again: unless somebody wrote a register
 * meanwhile through the driver, who then sees what became of it.
 */
#include <linux/jiffies.h>

#include "core/roc.h"

#define ROC_SAMPLE_PERIOD DIV_ROUND_UP(HZ, 10)

/* The last answer, or a new one of @read(@what). The hardware is there. */
int roc_sample(struct roc_endpoint *ep, struct roc_sample *sample,
	       int (*read)(const void *what, s64 *value), const void *what, s64 *value)
{
	u32 writes = READ_ONCE(ep->card->writes);
	int err;

	if (mutex_lock_interruptible(&ep->sample_lock))
		return -ERESTARTSYS;
	if (!sample->taken || sample->writes != writes ||
	    time_is_before_eq_jiffies64(sample->when + ROC_SAMPLE_PERIOD)) {
		sample->err = read(what, &sample->value);
		sample->when = get_jiffies_64();
		sample->writes = writes;
		sample->taken = true;
	}
	err = sample->err;
	*value = sample->value;
	mutex_unlock(&ep->sample_lock);
	return err;
}
