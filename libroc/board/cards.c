// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * List the card types that have a configuration, and load their files. An error in a file names the
 * card type that the file is for. A new card type needs an entry in the list and a load function.
 */
#include "libroc/board/crorc/libroc_crorc.h"
#include "libroc/board/cru/libroc_cru.h"

static const struct libroc_config_format *const formats[] = {
	&libroc_cru_format,
	&libroc_crorc_format,
	NULL,
};

int roc_config_card(const char *uri, enum roc_card_type *type)
{
	return libroc_config_card(formats, uri, type);
}

int roc_cru_config_load(const char *uri, struct roc_cru_config *config)
{
	return libroc_config_load(&libroc_cru_format, formats, uri, config, NULL);
}

int roc_crorc_config_load(const char *uri, struct roc_crorc_config *config, bool *no_id)
{
	const struct libroc_params *params = libroc_crorc_format.params(0);
	uint32_t missing;
	int ret = libroc_config_load(&libroc_crorc_format, formats, uri, config, &missing);

	if (!ret && no_id)
		*no_id = missing & 1u << (libroc_param_find(params, "crorcId") - params->list);
	return ret;
}
