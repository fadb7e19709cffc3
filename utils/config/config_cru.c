// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-config for a CRU.
 */
#include "config.h"

static void defaults(union config_any *c, bool file)
{
	unsigned int i;

	roc_cru_config_default(&c->cru);
	/* A link that the file does not name is off, including link 0. */
	for (i = 0; i < ROC_CRU_LINKS && file; i++)
		c->cru.links[i].enabled = false;
}

static void set_links(union config_any *c, uint32_t links)
{
	unsigned int i;

	for (i = 0; i < ROC_CRU_LINKS; i++)
		c->cru.links[i].enabled = links >> i & 1;
}

static int set(union config_any *c, const char *section, const char *key, const char *value)
{
	return roc_cru_config_set(&c->cru, section, key, value);
}

static int check(const union config_any *c)
{
	return roc_cru_config_check(&c->cru);
}

static int load(const char *uri, union config_any *c)
{
	return roc_cru_config_load(uri, &c->cru);
}

static int save(const char *uri, const union config_any *c)
{
	return roc_cru_config_save(uri, &c->cru);
}

static int read_cru(struct roc_endpoint *ep, union config_any *c)
{
	return roc_cru_config_read(ep, &c->cru);
}

static int configure(struct roc_endpoint *ep, const union config_any *c, unsigned int flags,
		     struct roc_config_result *result)
{
	return roc_cru_configure(ep, &c->cru, flags, result);
}

const struct config_ops config_cru = {
	.places =
		{
			[CONFIG_CLOCK] = {"cru", "clock", NULL},
			[CONFIG_DATAPATHMODE] = {"cru", "datapathMode", NULL},
			[CONFIG_DOWNSTREAMDATA] = {"cru", "downstreamData", NULL},
			[CONFIG_GBTMODE] = {"cru", "gbtMode", NULL},
			[CONFIG_GBTMUX] = {"links", "gbtMux", NULL},
			[CONFIG_CRU_ID] = {"cru", "cruId", NULL},
			[CONFIG_SYSTEM_ID] = {"cru", "systemId", NULL},
			[CONFIG_FEE_ID] = {"links", "feeId", NULL},
			[CONFIG_ONU_ADDRESS] = {"cru", "onuAddress", NULL},
			[CONFIG_TRIGGER_WINDOW_SIZE] = {"cru", "triggerWindowSize", NULL},
			[CONFIG_TF_LENGTH] = {"cru", "timeFrameLength", NULL},
			[CONFIG_ALLOW_REJECTION] = {"cru", "allowRejection", "true"},
			[CONFIG_LOOPBACK] = {"cru", "loopback", "true"},
			[CONFIG_PON_UPSTREAM] = {"cru", "ponUpstream", "true"},
			[CONFIG_DYN_OFFSET] = {"cru", "dynamicOffset", "true"},
			[CONFIG_NO_GBT] = {"cru", "gbtEnabled", "false"},
			[CONFIG_USER_LOGIC] = {"cru", "userLogicEnabled", "true"},
			[CONFIG_RUN_STATS] = {"cru", "runStatsEnabled", "true"},
			[CONFIG_USER_AND_COMMON_LOGIC] = {"cru", "userAndCommonLogicEnabled",
							  "true"},
			[CONFIG_DROP_BAD_RDH] = {"cru", "dropBadRdhEnabled", "true"},
		},
	.slow = true,
	.links = ROC_CRU_ALL_LINKS,
	.defaults = defaults,
	.set_links = set_links,
	.set = set,
	.check = check,
	.load = load,
	.save = save,
	.read = read_cru,
	.configure = configure,
};
