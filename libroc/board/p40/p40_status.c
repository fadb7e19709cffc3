// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the status of a PCIe40.
 */
#include <string.h>

#include <roc/p40.h>

#include "kmod/cards/p40/p40_regs.h"
#include "kmod/stream/stream_regs.h"
#include "libroc/board/libroc_pass.h"

int roc_p40_status_read(struct roc_endpoint *ep, struct roc_p40_status *status)
{
	struct libroc_card_block card;
	struct roc_p40_status now;
	struct libroc_pass c;
	int ret;

	ret = libroc_pass_begin(ep, &c, ROC_CARD_P40, false, NULL);
	if (ret)
		return ret;
	libroc_card_block_read(&c, P40_BAR_CARD, P40_CARD, &card);
	now = (struct roc_p40_status){
		.chip_id = card.chip_id,
		.cycles = card.cycles,
		.temperature = card.temperature,
		.clock = card.clock,
		.features = card.features,
		.streams = card.units,
		.enabled = libroc_pass_read(&c, P40_BAR_CARD, P40_CARD + STREAM_CARD_ENABLE),
		.source = card.source,
		.serial = card.serial,
	};
	memcpy(now.firmware, card.firmware, sizeof(now.firmware));
	memcpy(now.hash, card.hash, sizeof(now.hash));
	memcpy(now.date, card.date, sizeof(now.date));
	ret = libroc_pass_end(&c);
	if (!ret)
		*status = now;
	return ret;
}
