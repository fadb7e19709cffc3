// SPDX-License-Identifier: GPL-2.0-only
/*
 * Points at which a test can delay a thread. See points.h.
 */
#include <linux/debugfs.h>
#include <linux/sched.h>

#include "core/roc.h"

#define ROC_EVERY_MINOR U32_MAX

struct roc_point_state {
	const char *name;
	u32 delay_ms;
	u32 minor;
	atomic_t fail;
	atomic_t hits;
	atomic_t sleeping;
};

#define ROC_POINT(_name)                                                                           \
	{                                                                                          \
		.name = _name, .minor = ROC_EVERY_MINOR,                                           \
	}

static struct roc_point_state roc_point_states[ROC_POINT_COUNT] = {
	[ROC_POINT_EVENT_RINGS] = ROC_POINT("event_rings"),
	[ROC_POINT_EVENT_NOTICE] = ROC_POINT("event_notice"),
	[ROC_POINT_PUBLISH] = ROC_POINT("publish"),
	[ROC_POINT_OPEN] = ROC_POINT("open"),
	[ROC_POINT_REGISTER] = ROC_POINT("register"),
	[ROC_POINT_IMPORT] = ROC_POINT("import"),
	[ROC_POINT_EXPORT] = ROC_POINT("export"),
	[ROC_POINT_REVOKE] = ROC_POINT("revoke"),
	[ROC_POINT_REQUIESCE] = ROC_POINT("requiesce"),
	[ROC_POINT_FUNC_RESET] = ROC_POINT("function_reset"),
	[ROC_POINT_START_BUS] = ROC_POINT("start_bus"),
	[ROC_POINT_START_RUNNING] = ROC_POINT("start_running"),
	[ROC_POINT_TURN] = ROC_POINT("turn"),
	[ROC_POINT_STOP] = ROC_POINT("stop"),
	[ROC_POINT_RESET] = ROC_POINT("reset"),
	[ROC_POINT_CLOSE] = ROC_POINT("close"),
	[ROC_POINT_RETIRE] = ROC_POINT("retire"),
	[ROC_POINT_QUIESCE] = ROC_POINT("quiesce"),
	[ROC_POINT_ENDED] = ROC_POINT("ended"),
	[ROC_POINT_SHUT_EPOCH] = ROC_POINT("shut_epoch"),
	[ROC_POINT_SHUT_RETIRE] = ROC_POINT("shut_retire"),
	[ROC_POINT_SUSPEND] = ROC_POINT("suspend"),
	[ROC_POINT_ALARM] = ROC_POINT("alarm"),
	[ROC_POINT_IRQS_FREE] = ROC_POINT("irqs_free"),
	[ROC_POINT_REMOVE_BARS] = ROC_POINT("remove_bars"),
};

static struct dentry *roc_debugfs;

/* Polls the delay, so that a test can shorten it while a thread sleeps. */
void roc_point(struct roc_endpoint *ep, enum roc_point point)
{
	struct roc_point_state *p = &roc_point_states[point];
	unsigned long begin = jiffies;
	u32 minor = READ_ONCE(p->minor);

	if (minor != ROC_EVERY_MINOR && minor != ep->minor)
		return;
	atomic_inc(&p->hits);
	atomic_inc(&p->sleeping);
	while (time_before(jiffies, begin + msecs_to_jiffies(READ_ONCE(p->delay_ms))))
		schedule_timeout_idle(1);
	atomic_dec(&p->sleeping);
}

bool roc_point_fails(struct roc_endpoint *ep, enum roc_point point)
{
	roc_point(ep, point);
	return atomic_dec_if_positive(&roc_point_states[point].fail) >= 0;
}

void roc_points_init(void)
{
	struct dentry *points, *dir;
	unsigned int i;

	roc_debugfs = debugfs_create_dir("roc", NULL);
	points = debugfs_create_dir("points", roc_debugfs);
	for (i = 0; i < ROC_POINT_COUNT; i++) {
		struct roc_point_state *p = &roc_point_states[i];

		dir = debugfs_create_dir(p->name, points);
		debugfs_create_u32("delay_ms", 0600, dir, &p->delay_ms);
		debugfs_create_u32("minor", 0600, dir, &p->minor);
		debugfs_create_atomic_t("fail", 0600, dir, &p->fail);
		debugfs_create_atomic_t("hits", 0600, dir, &p->hits);
		debugfs_create_atomic_t("sleeping", 0400, dir, &p->sleeping);
	}
}

void roc_points_exit(void)
{
	debugfs_remove(roc_debugfs);
}
