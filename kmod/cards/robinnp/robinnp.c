// SPDX-License-Identifier: GPL-2.0-only
/*
 * RobinNP: identity, policy of its BARs, temperature. All else is the fragment interface's, which
 * the kind looks after.
 */
#include "cards/robinnp/robinnp.h"
#include "cards/robinnp/robinnp_regs.h"

static u32 robinnp_card(struct roc_endpoint *ep, u32 offset)
{
	return roc_read(ep, ROBINNP_BAR_CARD, ROBINNP_CARD + offset);
}

static bool robinnp_alive(struct roc_endpoint *ep)
{
	return robinnp_card(ep, FRAGMENT_CARD_ID) == FRAGMENT_CARD_ID_VALUE;
}

static const struct roc_register robinnp_identity[] = {
	{ROBINNP_BAR_CARD, ROBINNP_CARD + FRAGMENT_CARD_ID}};

/* This project chose the ID, so a design that has it for another reason is possible. */
static bool robinnp_foreign(struct roc_endpoint *ep)
{
	u32 id = robinnp_card(ep, FRAGMENT_CARD_ID);

	return id && id != ROC_ALL_ONES && id != FRAGMENT_CARD_ID_VALUE;
}

static int robinnp_identify(struct roc_endpoint *ep)
{
	if (robinnp_card(ep, FRAGMENT_CARD_UNITS) != (ROBINNP_SUBS | ROBINNP_LINKS << 8))
		return -EIO;
	ep->serial = roc_parse_serial(robinnp_card(ep, FRAGMENT_CARD_SERIAL));
	ep->number = 0;
	ep->features = robinnp_card(ep, FRAGMENT_CARD_FEATURES);
	ep->chip_id = (u64)robinnp_card(ep, FRAGMENT_CARD_CHIP_HIGH) << 32 |
		      robinnp_card(ep, FRAGMENT_CARD_CHIP_LOW);
	snprintf(ep->firmware, sizeof(ep->firmware), "%x", robinnp_card(ep, FRAGMENT_CARD_HASH));
	if (ep->features & FRAGMENT_FEATURE_TEMPERATURE)
		ep->caps |= ROC_CAP_TEMPERATURE;
	if (ep->features & FRAGMENT_FEATURE_GENERATORS)
		ep->caps |= ROC_CAP_GENERATOR;
	return 0;
}

static int robinnp_temperature(struct roc_endpoint *ep, long *value)
{
	u32 word = robinnp_card(ep, FRAGMENT_CARD_TEMPERATURE);

	if (word == ROC_ALL_ONES && !robinnp_alive(ep))
		return -EIO;
	if (word == FRAGMENT_TEMPERATURE_NONE)
		return -ENODATA;
	*value = (s32)word;
	return 0;
}

/* The kind has proved it already. */
static int robinnp_quiesce(struct roc_channel *ch, bool present)
{
	return 0;
}

static int robinnp_reset(struct roc_channel *ch, enum roc_reset_level level)
{
	switch (level) {
	case ROC_RESET_NOTHING:
		return 0;
	case ROC_RESET_INTERNAL:
		return roc_block_reset(ch, FRAGMENT_RESET_LOGIC);
	default:
		return -EOPNOTSUPP;
	}
}

static u32 robinnp_in_use(struct roc_endpoint *ep, unsigned int bar, u32 offset)
{
	return 0;
}

/* Nothing in BAR 2 reaches host memory, resets anything, or changes who gets data. */
static const struct roc_bar_policy robinnp_policy[ROC_BARS] = {
	[ROBINNP_BAR_DMA] = {.access = ROC_BAR_MMAP_READ},
	[ROBINNP_BAR_CARD] = {.access = ROC_BAR_MMAP_READ | ROC_BAR_MMAP_WRITE | ROC_BAR_REG_WRITE},
};

const struct roc_fragment_ops roc_robinnp_ops = {
	.card =
		{
			.type = ROC_CARD_ROBINNP,
			.name = "robinnp",
			.kind = &roc_fragment_kind,
			.bar_size = {[ROBINNP_BAR_DMA] = ROBINNP_BAR_DMA_SIZE,
				     [ROBINNP_BAR_CARD] = ROBINNP_BAR_CARD_SIZE},
			.channels = ROBINNP_SUBS,
			.dma_bits = 64,
			.policy = robinnp_policy,
			.temperature_max = FRAGMENT_TEMPERATURE_HIGH * 1000,
			.temperature_crit = FRAGMENT_TEMPERATURE_CRITICAL * 1000,
			.identity = robinnp_identity,
			.identity_count = ARRAY_SIZE(robinnp_identity),
			.foreign = robinnp_foreign,
			.identify = robinnp_identify,
			.alive = robinnp_alive,
			.in_use = robinnp_in_use,
			.temperature = robinnp_temperature,
			.quiesce = robinnp_quiesce,
			.left_running = roc_block_left_running,
			.reset = robinnp_reset,
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
