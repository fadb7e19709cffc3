/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cards of the table in cards.c, on which the core must not depend. Also operations of struct
 * roc_card_ops for a card whose registers are all defined by an interface of this project
 * (Documentation/hardware). Such a card needs two tables: struct roc_contract_card and its ops.
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
 * struct roc_contract_card - differences between such cards
 * @id: the ID register, which is the first one of the card's block
 * @id_value: expected value of the ID register
 * @units: expected value of the UNITS register: number of channels and of their parts
 */
struct roc_contract_card {
	struct roc_register id;
	u32 id_value;
	u32 units;
};

/*
 * Common members of struct roc_card_ops of such cards. Only the driver writes to BAR 0. No register
 * in BAR 2 can access host memory, reset anything, or redirect data.
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
