// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identity, temperature and reset of a card whose registers are defined by an interface of this
 * project. See cards.h. The channel type does the rest.
 */
#include "cards/cards.h"

const struct roc_bar_policy roc_contract_policy[ROC_BARS] = {
	[0] = {.access = ROC_BAR_MMAP_READ},
	[2] = {.access = ROC_BAR_MMAP_READ | ROC_BAR_MMAP_WRITE | ROC_BAR_REG_WRITE},
};

static u32 roc_contract_read(struct roc_endpoint *ep, u32 offset)
{
	const struct roc_register *block = &ep->ops->contract->id;

	return roc_read(ep, block->bar, block->offset + offset);
}

bool roc_contract_alive(struct roc_endpoint *ep)
{
	return roc_contract_read(ep, CARD_ID) == ep->ops->contract->id_value;
}

/* This project chose the PCI IDs itself, so an unrelated design may have the same ones. */
bool roc_contract_foreign(struct roc_endpoint *ep)
{
	u32 id = roc_contract_read(ep, CARD_ID);

	return id && id != ROC_ALL_ONES && id != ep->ops->contract->id_value;
}

int roc_contract_identify(struct roc_endpoint *ep)
{
	const struct roc_contract_card *card = ep->ops->contract;

	if (roc_contract_read(ep, CARD_UNITS) != card->units)
		return -EIO;
	ep->serial = roc_parse_serial(roc_contract_read(ep, CARD_SERIAL));
	ep->number = 0;
	ep->features = roc_contract_read(ep, CARD_FEATURES);
	ep->chip_id = (u64)roc_contract_read(ep, CARD_CHIP_HIGH) << 32 |
		      roc_contract_read(ep, CARD_CHIP_LOW);
	snprintf(ep->firmware, sizeof(ep->firmware), "%08x", roc_contract_read(ep, CARD_HASH));
	if (ep->features & CARD_FEATURE_TEMPERATURE)
		ep->caps |= ROC_CAP_TEMPERATURE;
	if (ep->features & CARD_FEATURE_GENERATORS)
		ep->caps |= ROC_CAP_GENERATOR;
	return 0;
}

int roc_contract_temperature(struct roc_endpoint *ep, long *value)
{
	u32 word = roc_contract_read(ep, CARD_TEMPERATURE);

	if (word == ROC_ALL_ONES && !roc_contract_alive(ep))
		return -EIO;
	if (word == CARD_TEMPERATURE_NONE)
		return -ENODATA;
	*value = (s32)word;
	return 0;
}

int roc_contract_reset(struct roc_channel *ch, enum roc_reset_level level)
{
	switch (level) {
	case ROC_RESET_NOTHING:
		return 0;
	case ROC_RESET_INTERNAL:
		return roc_block_reset(ch, ch->type->block->stop);
	default:
		return -EOPNOTSUPP;
	}
}
