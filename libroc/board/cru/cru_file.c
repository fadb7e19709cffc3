// SPDX-License-Identifier: LGPL-2.1-or-later
/* Define the sections and keys in the configuration files of a CRU. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libroc_cru.h"

#define CRU_SECTION 0
#define LINKS_SECTION 1
#define LINK_SECTION(l) (2 + (l))

static int section_number(const char *name)
{
	int link = libroc_param_link(name);

	if (!strcmp(name, "cru"))
		return CRU_SECTION;
	if (!strcmp(name, "links"))
		return LINKS_SECTION;
	return link < 0 ? -1 : LINK_SECTION(link);
}

static const struct libroc_params *section_params(unsigned int section)
{
	return section == CRU_SECTION ? &libroc_cru_params : &libroc_cru_link_params;
}

static void put(void *to, unsigned int section, const struct libroc_param *p, uint32_t value)
{
	struct roc_cru_config *config = to;
	unsigned int l;

	if (section == CRU_SECTION)
		libroc_param_put(p, config, value);
	for (l = 0; l < ROC_CRU_LINKS; l++)
		if (section == LINKS_SECTION || section == LINK_SECTION(l))
			libroc_param_put(p, &config->links[l], value);
}

static int order(const char *file, unsigned int line, unsigned int section, uint32_t seen)
{
	if (section == LINKS_SECTION && seen >> LINK_SECTION(0))
		return roc_fail(
			EINVAL,
			"%s:%u: section [links] must precede [link%d], which it would override",
			file, line, __builtin_ctz(seen >> LINK_SECTION(0)));
	return 0;
}

static int check(const void *config)
{
	return roc_cru_config_check(config);
}

const struct libroc_config_format libroc_cru_format = {
	.type = ROC_CARD_CRU,
	.card = "CRU",
	.sections = "the sections are [cru], [links], and [link0] to [link11]",
	.example = "cru",
	.size = sizeof(struct roc_cru_config),
	.section = section_number,
	.params = section_params,
	.put = put,
	.order = order,
	.check = check,
};

static bool same_link(const struct roc_cru_link_config *a, const struct roc_cru_link_config *b)
{
	return a->enabled == b->enabled && a->mux == b->mux && a->fee_id == b->fee_id;
}

/* [links] has the values of the last link; each link that differs gets its own section. */
static void write_config(struct libroc_config_writer *w, const void *from)
{
	const struct roc_cru_config *config = from;
	const struct roc_cru_link_config *common = &config->links[ROC_CRU_LINKS - 1];
	char name[16];
	unsigned int l;

	libroc_config_section(w, "cru", &libroc_cru_params, config);
	libroc_config_section(w, "links", &libroc_cru_link_params, common);
	for (l = 0; l < ROC_CRU_LINKS; l++) {
		if (same_link(&config->links[l], common))
			continue;
		snprintf(name, sizeof(name), "link%u", l);
		libroc_config_section(w, name, &libroc_cru_link_params, &config->links[l]);
	}
}

int roc_cru_config_save(const char *uri, const struct roc_cru_config *config)
{
	int ret = roc_cru_config_check(config);

	return ret ? ret : libroc_config_save(uri, config, write_config);
}
