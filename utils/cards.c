// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of cards. A new card needs its line here.
 */
#include "cards.h"

#include <stddef.h>

#include "cru_tool.h"

static const struct card_kind kinds[] = {
	{
		.type = ROC_CARD_CRU,
		.data = {[ROC_SOURCE_INTERNAL] = CHECK_INTERNAL,
			 [ROC_SOURCE_DDG] = CHECK_DDG,
			 [ROC_SOURCE_FEE] = CHECK_HEADERS},
		.hammer = true,
		.temperature = cru_temperature,
	},
	{
		.type = ROC_CARD_CRORC,
		.data = {[ROC_SOURCE_INTERNAL] = CHECK_RUNNING,
			 [ROC_SOURCE_DIU] = CHECK_RUNNING,
			 [ROC_SOURCE_SIU] = CHECK_RUNNING,
			 [ROC_SOURCE_FEE] = CHECK_HEADERS},
		.any_link = true,
	},
};

const struct card_kind *card_kind(enum roc_card_type type)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].type == type)
			return &kinds[i];
	return NULL;
}
