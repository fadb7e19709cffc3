// SPDX-License-Identifier: GPL-2.0-only
/*
 * PCIe40: identity, policy of its BARs, temperature. All else is the stream interface's, which the
 * kind looks after.
 */
#include "cards/p40/p40.h"
#include "cards/p40/p40_regs.h"

static u32 p40_card(struct roc_endpoint *ep, u32 offset)
{
	return roc_read(ep, P40_BAR_CARD, P40_CARD + offset);
}

static bool p40_alive(struct roc_endpoint *ep)
{
	return p40_card(ep, STREAM_CARD_ID) == STREAM_CARD_ID_VALUE;
}

static const struct roc_register p40_identity[] = {{P40_BAR_CARD, P40_CARD + STREAM_CARD_ID}};

/* This project chose the ID, so a design that has it for another reason is possible. */
static bool p40_foreign(struct roc_endpoint *ep)
{
	u32 id = p40_card(ep, STREAM_CARD_ID);

	return id && id != ROC_ALL_ONES && id != STREAM_CARD_ID_VALUE;
}

static int p40_identify(struct roc_endpoint *ep)
{
	if (p40_card(ep, STREAM_CARD_STREAMS) != P40_STREAMS)
		return -EIO;
	ep->serial = roc_parse_serial(p40_card(ep, STREAM_CARD_SERIAL));
	ep->number = 0;
	ep->features = p40_card(ep, STREAM_CARD_FEATURES);
	ep->chip_id =
		(u64)p40_card(ep, STREAM_CARD_CHIP_HIGH) << 32 | p40_card(ep, STREAM_CARD_CHIP_LOW);
	snprintf(ep->firmware, sizeof(ep->firmware), "%08x", p40_card(ep, STREAM_CARD_HASH));
	if (ep->features & STREAM_FEATURE_TEMPERATURE)
		ep->caps |= ROC_CAP_TEMPERATURE;
	if (ep->features & STREAM_FEATURE_GENERATORS)
		ep->caps |= ROC_CAP_GENERATOR;
	return 0;
}

static int p40_temperature(struct roc_endpoint *ep, long *value)
{
	u32 word = p40_card(ep, STREAM_CARD_TEMPERATURE);

	if (word == ROC_ALL_ONES && !p40_alive(ep))
		return -EIO;
	if (word == STREAM_TEMPERATURE_NONE)
		return -ENODATA;
	*value = (s32)word;
	return 0;
}

/* The kind has proved it already. */
static int p40_quiesce(struct roc_channel *ch, bool present)
{
	return 0;
}

static int p40_reset(struct roc_channel *ch, enum roc_reset_level level)
{
	switch (level) {
	case ROC_RESET_NOTHING:
		return 0;
	case ROC_RESET_INTERNAL:
		return roc_block_reset(ch, STREAM_RESET_LOGIC);
	default:
		return -EOPNOTSUPP;
	}
}

static u32 p40_in_use(struct roc_endpoint *ep, unsigned int bar, u32 offset)
{
	return 0;
}

/* Nothing in BAR 2 reaches host memory, resets anything, or changes who gets data. */
static const struct roc_bar_policy p40_policy[ROC_BARS] = {
	[P40_BAR_DMA] = {.access = ROC_BAR_MMAP_READ},
	[P40_BAR_CARD] = {.access = ROC_BAR_MMAP_READ | ROC_BAR_MMAP_WRITE | ROC_BAR_REG_WRITE},
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
			.kind = &roc_stream_kind,
			.bar_size = {[P40_BAR_DMA] = P40_BAR_DMA_SIZE,
				     [P40_BAR_CARD] = P40_BAR_CARD_SIZE},
			.channels = P40_STREAMS,
			.dma_bits = 64,
			.policy = p40_policy,
			.temperature_max = STREAM_TEMPERATURE_HIGH * 1000,
			.temperature_crit = STREAM_TEMPERATURE_CRITICAL * 1000,
			.identity = p40_identity,
			.identity_count = ARRAY_SIZE(p40_identity),
			.foreign = p40_foreign,
			.identify = p40_identify,
			.alive = p40_alive,
			.in_use = p40_in_use,
			.temperature = p40_temperature,
			.quiesce = p40_quiesce,
			.left_running = roc_block_left_running,
			.after_reset = roc_stream_refresh,
			.reset = p40_reset,
		},
	.open =
		{
			.card = {.bar = P40_BAR_CARD, .offset = P40_CARD},
			.settings = {.bar = P40_BAR_CARD, .offset = P40_SETTINGS(0)},
			.stride = P40_SETTINGS(1) - P40_SETTINGS(0),
		},
	.types = p40_types,
};
