// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open the coordinator that --coordinator selects.
 */
#include "coordinator.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int evb_coordinator_open(const struct evb_coordinator_config *cfg, struct evb_coordinator *c,
			 char reason[ROC_EVB_REASON])
{
	static const struct {
		const char *name;
		int (*open)(const struct evb_coordinator_config *cfg, const char *where,
			    struct evb_coordinator *c, char reason[ROC_EVB_REASON]);
	} kinds[] = {{"static:", evb_coordinator_static}, {"etcd:", evb_coordinator_etcd}};
	size_t i;
	int ret;

	reason[0] = '\0';
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].name);

		if (strncasecmp(cfg->text, kinds[i].name, length))
			continue;
		ret = kinds[i].open(cfg, cfg->text + length, c, reason);
		if (ret && !reason[0])
			snprintf(reason, ROC_EVB_REASON,
				 "Cannot allocate the state of the coordinator.");
		return ret;
	}
	snprintf(reason, ROC_EVB_REASON,
		 "--coordinator: \"%s\" is not valid, use static:FILE or etcd:URL.", cfg->text);
	return -EINVAL;
}

void evb_coordinator_close(struct evb_coordinator *c)
{
	if (c->ops)
		c->close(c->self);
	c->ops = NULL;
}

unsigned int evb_coordinator_units(const struct evb_coordinator *c, struct roc_evb_unit *units,
				   unsigned int room)
{
	unsigned int count;

	if (!c->manage || !c->manage->m)
		return 0;
	count = roc_evb_manager_units(c->manage->m, units, room);
	return count < room ? count : room;
}
