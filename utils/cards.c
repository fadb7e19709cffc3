// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of cards. A new card needs its line here.
 */
#include "utils/common/card.h"
#include "utils/common/cru_tool.h"
#include "utils/config/config.h"
#include "utils/status/p40_status.h"
#include "utils/status/pkt_monitor.h"
#include "utils/status/robinnp_status.h"
#include "utils/status/status.h"

const struct card_kind card_kinds[] = {
	{
		.type = ROC_CARD_CRU,
		.data = {[ROC_SOURCE_INTERNAL] = CHECK_INTERNAL,
			 [ROC_SOURCE_DDG] = CHECK_DDG,
			 [ROC_SOURCE_FEE] = CHECK_HEADERS},
		.hammer = true,
		.temperature = cru_temperature,
		.pon = true,
		.links = true,
		.status = status_show_cru,
		.packets = packets_show_cru,
		.config = &config_cru,
	},
	{
		.type = ROC_CARD_CRORC,
		.data = {[ROC_SOURCE_INTERNAL] = CHECK_RUNNING,
			 [ROC_SOURCE_DIU] = CHECK_RUNNING,
			 [ROC_SOURCE_SIU] = CHECK_RUNNING,
			 [ROC_SOURCE_FEE] = CHECK_HEADERS},
		.any_link = true,
		.ddl = true,
		.flash = true,
		.links = true,
		.status = status_show_crorc,
		.packets = packets_show_crorc,
		.config = &config_crorc,
	},
	{
		/* Its channels are streams: roc-stream. */
		.type = ROC_CARD_P40,
		.status = status_show_p40,
	},
	{
		/* Its channels are sub-units: roc-fragment. */
		.type = ROC_CARD_ROBINNP,
		.status = status_show_robinnp,
	},
	{0},
};
