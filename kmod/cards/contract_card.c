// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identity, temperature and reset of a card with a contract. See contract_card.h. The channel type
 * does the rest.
 */
#include "cards/contract_card.h"

static u32 roc_contract_read(struct roc_endpoint *ep, u32 offset)
{
	const struct roc_contract_card *card = ep->ops->contract;

	return roc_read(ep, card->bar, card->block + offset);
}

bool roc_contract_alive(struct roc_endpoint *ep)
{
	const struct roc_contract_card *card = ep->ops->contract;

	return roc_contract_read(ep, card->id) == card->id_value;
}

/* This project chose the PCI IDs, so a design that has them for another reason is possible. */
bool roc_contract_foreign(struct roc_endpoint *ep)
{
	const struct roc_contract_card *card = ep->ops->contract;
	u32 id = roc_contract_read(ep, card->id);

	return id && id != ROC_ALL_ONES && id != card->id_value;
}

int roc_contract_identify(struct roc_endpoint *ep)
{
	const struct roc_contract_card *card = ep->ops->contract;

	if (roc_contract_read(ep, card->units) != card->units_value)
		return -EIO;
	ep->serial = roc_parse_serial(roc_contract_read(ep, card->serial));
	ep->number = 0;
	ep->features = roc_contract_read(ep, card->features);
	ep->chip_id = (u64)roc_contract_read(ep, card->chip + 4) << 32 |
		      roc_contract_read(ep, card->chip);
	snprintf(ep->firmware, sizeof(ep->firmware), "%0*x", card->hash_digits,
		 roc_contract_read(ep, card->hash));
	if (ep->features & card->has_temperature)
		ep->caps |= ROC_CAP_TEMPERATURE;
	if (ep->features & card->has_generators)
		ep->caps |= ROC_CAP_GENERATOR;
	return 0;
}

int roc_contract_temperature(struct roc_endpoint *ep, long *value)
{
	const struct roc_contract_card *card = ep->ops->contract;
	u32 word = roc_contract_read(ep, card->temperature);

	if (word == ROC_ALL_ONES && !roc_contract_alive(ep))
		return -EIO;
	if (word == card->no_temperature)
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
		return roc_block_reset(ch, ch->kind->block->stop);
	default:
		return -EOPNOTSUPP;
	}
}
