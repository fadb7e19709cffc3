/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cards of the list in cards.c, which the core must not know, and functions of struct
 * roc_card_ops for a card whose registers are all those of a contract between driver and firmware.
 * Such a card is two tables: struct roc_contract_card and its ops.
 */
#ifndef ROC_CARDS_H
#define ROC_CARDS_H

#include "core/block.h"
#include "core/contract_regs.h"
#include "core/roc.h"

struct roc_fragment_ops;
struct roc_pool_ops;
struct roc_stream_ops;

/**
 * struct roc_contract_card - what differs between such cards
 * @id: the ID register, which is the first of the card's block
 * @id_value: what it reads
 * @units: what the register with the numbers of channels and of their parts reads
 */
struct roc_contract_card {
	struct roc_register id;
	u32 id_value;
	u32 units;
};

/*
 * What such cards have in struct roc_card_ops. BAR 0 is the driver's alone. Nothing in BAR 2
 * reaches host memory, resets anything, or changes who gets data.
 */
#define ROC_CONTRACT_OPS(_card)                                                                    \
	.contract = &(_card), .dma_bits = 64, .policy = roc_contract_policy,                       \
	.temperature_max = FUNCTION_TEMPERATURE_HIGH * 1000,                                       \
	.temperature_crit = FUNCTION_TEMPERATURE_CRITICAL * 1000, .identity = &(_card).id,         \
	.identity_count = 1, .foreign = roc_contract_foreign, .identify = roc_contract_identify,   \
	.alive = roc_contract_alive, .temperature = roc_contract_temperature,                      \
	.left_running = roc_block_left_running, .reset = roc_contract_reset

/* contract_card.c */
extern const struct roc_bar_policy roc_contract_policy[ROC_BARS];
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
