/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cards of the list in cards.c, which the core must not know, and functions of struct roc_card_ops for a card whose registers
 * are all those of a contract between driver and firmware. Such a card is two tables: struct
 * roc_contract_card and its ops.
 */
#ifndef ROC_CARDS_H
#define ROC_CARDS_H

#include "core/block.h"
#include "core/roc.h"

struct roc_fragment_ops;
struct roc_pool_ops;
struct roc_stream_ops;

/**
 * struct roc_contract_card - what differs between such cards
 * @id: the ID register, which is the first of the card's block
 * @id_value: what it reads
 * @units: what the register with the numbers of channels and of their parts reads
 * @hash_digits: that are shown of the firmware's hash at least
 */
struct roc_contract_card {
	struct roc_register id;
	u32 id_value;
	u32 units;
	int hash_digits;
};

/* contract_card.c */
bool roc_contract_foreign(struct roc_endpoint *ep);
int roc_contract_identify(struct roc_endpoint *ep);
bool roc_contract_alive(struct roc_endpoint *ep);
int roc_contract_temperature(struct roc_endpoint *ep, long *value);
int roc_contract_reset(struct roc_channel *ch, enum roc_reset_level level);

/* The cards */
extern const struct roc_pool_ops roc_cru_ops;
extern const struct roc_pool_ops roc_crorc_ops;
extern const struct roc_stream_ops roc_p40_ops;
extern const struct roc_fragment_ops roc_robinnp_ops;

#endif /* ROC_CARDS_H */
