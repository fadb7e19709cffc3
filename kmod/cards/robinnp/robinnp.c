// SPDX-License-Identifier: GPL-2.0-only
/*
 * RobinNP backend: tables of a card whose registers are all those of the fragment interface. See
 * cards/cards.h.
 */
#include "cards/cards.h"
#include "cards/robinnp/robinnp_regs.h"
#include "fragment/fragment.h"

static const struct roc_contract_card robinnp_card = {
	.id = {ROBINNP_BAR_CARD, ROBINNP_CARD + CARD_ID},
	.id_value = FRAGMENT_CARD_ID_VALUE,
	.units = ROBINNP_SUBS | ROBINNP_LINKS << 8,
};

const struct roc_fragment_ops roc_robinnp_ops = {
	.card =
		{
			.type = ROC_CARD_ROBINNP,
			.name = "robinnp",
			.channel_type = &roc_fragment_type,
			ROC_CONTRACT_OPS(robinnp_card),
			.bar_size = {[ROBINNP_BAR_DMA] = ROBINNP_BAR_DMA_SIZE,
				     [ROBINNP_BAR_CARD] = ROBINNP_BAR_CARD_SIZE},
			.channels = ROBINNP_SUBS,
		},
	.open =
		{
			.card = {.bar = ROBINNP_BAR_CARD, .offset = ROBINNP_CARD},
			.counts = {.bar = ROBINNP_BAR_CARD, .offset = ROBINNP_COUNTS(0)},
			.counts_stride = ROBINNP_COUNTS(1) - ROBINNP_COUNTS(0),
			.link = {.bar = ROBINNP_BAR_CARD, .offset = ROBINNP_LINK(0)},
			.link_stride = ROBINNP_LINK(1) - ROBINNP_LINK(0),
			.links = ROBINNP_LINKS,
		},
};
