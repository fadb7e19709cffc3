// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Card types that the tools support, with their operations and limits.
 *
 * A new card type needs an entry here; no other file of the tools names a card type.
 */
#include <roc/p40.h>
#include <roc/robinnp.h>

#include "kmod/cards/crorc/crorc_regs.h"
#include "kmod/cards/cru/cru_regs.h"
#include "kmod/cards/p40/p40_regs.h"
#include "kmod/cards/robinnp/robinnp_regs.h"
#include "utils/common/card.h"
#include "utils/config/config.h"
#include "utils/status/status.h"

static const struct stream_registers p40 = {
	.status_read = roc_p40_status_read,
	.generator_read = roc_p40_generator_read,
	.generator_set = roc_p40_generator_set,
};

static const struct fragment_registers robinnp = {
	.status_read = roc_robinnp_status_read,
	.sub_read = roc_robinnp_sub_read,
	.link_read = roc_robinnp_link_read,
	.generator_read = roc_robinnp_generator_read,
	.generator_set = roc_robinnp_generator_set,
};

const struct card_type card_types[] = {
	{
		.type = ROC_CARD_CRU,
		.name = "a CRU",
		.sysfs = "cru",
		.boards = {{CRU_VENDOR_CERN, CRU_DEVICE},
			   {CRU_VENDOR_ALTERA, CRU_DEVICE_ALTERA, .shared_id = true}},
		.endpoints = 2,
		.sensor = true,
		.data = {[ROC_SOURCE_INTERNAL] = CHECK_INTERNAL,
			 [ROC_SOURCE_DDG] = CHECK_DDG,
			 [ROC_SOURCE_FEE] = CHECK_HEADERS},
		.hammer = true,
		.temperature = cru_temperature,
		.cru = true,
		.drops = true,
		.pon = true,
		.links = true,
		.status = status_show_cru,
		.packets = packets_show_cru,
		.config = &config_cru,
	},
	{
		.type = ROC_CARD_CRORC,
		.name = "a C-RORC",
		.sysfs = "crorc",
		.boards = {{CRORC_VENDOR, CRORC_DEVICE}},
		.endpoints = 1,
		.data = {[ROC_SOURCE_INTERNAL] = CHECK_RUNNING,
			 [ROC_SOURCE_DIU] = CHECK_RUNNING,
			 [ROC_SOURCE_SIU] = CHECK_RUNNING,
			 [ROC_SOURCE_FEE] = CHECK_HEADERS},
		.any_link = true,
		.no_endpoint_tag = true,
		.ddl = true,
		.flash = true,
		.links = true,
		.status = status_show_crorc,
		.packets = packets_show_crorc,
		.config = &config_crorc,
	},
	{
		.type = ROC_CARD_P40,
		.name = "a PCIe40",
		.sysfs = "p40",
		.boards = {{P40_VENDOR, P40_DEVICE}},
		.endpoints = 1,
		.sensor = true,
		.tool = "roc-stream",
		.streams = &p40,
		.status = status_show_streams,
	},
	{
		.type = ROC_CARD_ROBINNP,
		.name = "a RobinNP",
		.sysfs = "robinnp",
		.boards = {{ROBINNP_VENDOR, ROBINNP_DEVICE}},
		.endpoints = 1,
		.sensor = true,
		.tool = "roc-fragment",
		.fragments = &robinnp,
		.status = status_show_fragments,
	},
	{0},
};
