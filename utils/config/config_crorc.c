// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-config for a C-RORC.
 */
#include "config.h"

#include "utils/common/tool.h"

static void defaults(union config_any *c, bool file)
{
	roc_crorc_config_default(&c->crorc);
}

static int set(union config_any *c, const char *section, const char *key, const char *value)
{
	return roc_crorc_config_set(&c->crorc, section, key, value);
}

static int check(const union config_any *c)
{
	return roc_crorc_config_check(&c->crorc);
}

/* The site templates of the present software lack the id, and its program rejects them. */
static int load(const char *uri, union config_any *c)
{
	bool no_id = false;
	int ret = roc_crorc_config_load(uri, &c->crorc, &no_id);

	if (!ret && no_id)
		tool_note("%s has no crorcId, using 0x%x: set another one with --crorc-id.", uri,
			  c->crorc.crorc_id);
	return ret;
}

static int save(const char *uri, const union config_any *c)
{
	return roc_crorc_config_save(uri, &c->crorc);
}

static int read_crorc(struct roc_endpoint *ep, union config_any *c)
{
	return roc_crorc_config_read(ep, &c->crorc);
}

static int configure(struct roc_endpoint *ep, const union config_any *c, unsigned int flags,
		     struct roc_config_result *result)
{
	return roc_crorc_configure(ep, &c->crorc, flags, result);
}

const struct config_ops config_crorc = {
	.places =
		{
			[CONFIG_CRORC_ID] = {"crorc", "crorcId", NULL},
			[CONFIG_TF_LENGTH] = {"crorc", "timeFrameLength", NULL},
			[CONFIG_NO_TF_DETECTION] = {"crorc", "timeFrameDetection", "false"},
			[CONFIG_DYN_OFFSET] = {"crorc", "dynamicOffset", "true"},
		},
	.defaults = defaults,
	.set = set,
	.check = check,
	.load = load,
	.save = save,
	.read = read_crorc,
	.configure = configure,
};
