// SPDX-License-Identifier: GPL-2.0-only
/*
 * PCIe40 backend: tables of a card whose registers are all those of the stream interface. See
 * cards/cards.h.
 */
#include "cards/cards.h"
#include "cards/p40/p40_regs.h"
#include "stream/stream.h"

static const struct roc_contract_card p40_card = {
	.id = {P40_BAR_CARD, P40_CARD + CARD_ID},
	.id_value = STREAM_CARD_ID_VALUE,
	.units = P40_STREAMS,
};

static const u16 p40_types[P40_STREAMS] = {
	[P40_STREAM_MAIN] = STREAM_TYPE_MAIN,
	[P40_STREAM_META] = STREAM_TYPE_META,
	[P40_STREAM_ODIN] = STREAM_TYPE_ODIN,
	[P40_STREAM_ODIN + 1] = STREAM_TYPE_ODIN | 1 << 8,
	[P40_STREAM_ODIN + 2] = STREAM_TYPE_ODIN | 2 << 8,
	[P40_STREAM_ODIN + 3] = STREAM_TYPE_ODIN | 3 << 8,
	[P40_STREAM_ODIN + 4] = STREAM_TYPE_ODIN | 4 << 8,
};

const struct roc_stream_ops roc_p40_ops = {
	.card =
		{
			.type = ROC_CARD_P40,
			.name = "p40",
			.channel_type = &roc_stream_type,
			ROC_CONTRACT_OPS(p40_card),
			.bar_size = {[P40_BAR_DMA] = P40_BAR_DMA_SIZE,
				     [P40_BAR_CARD] = P40_BAR_CARD_SIZE},
			.channels = P40_STREAMS,
			.after_reset = roc_stream_refresh,
		},
	.open =
		{
			.card = {.bar = P40_BAR_CARD, .offset = P40_CARD},
			.settings = {.bar = P40_BAR_CARD, .offset = P40_SETTINGS(0)},
			.stride = P40_SETTINGS(1) - P40_SETTINGS(0),
		},
	.types = p40_types,
};
