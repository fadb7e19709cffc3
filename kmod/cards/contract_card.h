/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of struct roc_card_ops for a card whose registers are all those of a contract between
 * driver and firmware. Such a card is two tables: struct roc_contract_card and its ops.
 */
#ifndef ROC_CONTRACT_CARD_H
#define ROC_CONTRACT_CARD_H

#include "core/block.h"
#include "core/roc.h"

struct roc_fragment_ops;
struct roc_stream_ops;

/**
 * struct roc_contract_card - the card's block and its registers
 * @bar: BAR of the block
 * @block: offset of the block in @bar; the registers below are offsets in the block
 * @id: register that holds @id_value
 * @units: register that holds @units_value, the number of channels and of their parts
 * @serial: as roc_parse_serial() reads it
 * @features: mask of what the design has
 * @has_temperature: bit of @features
 * @has_generators: bit of @features
 * @chip: 64 bits
 * @hash: of the firmware's source
 * @hash_digits: that are shown of it at least
 * @temperature: 1/1000 degC, signed; @no_temperature: no value
 */
struct roc_contract_card {
	unsigned int bar;
	u32 block;
	u32 id;
	u32 id_value;
	u32 units;
	u32 units_value;
	u32 serial;
	u32 features;
	u32 has_temperature;
	u32 has_generators;
	u32 chip;
	u32 hash;
	int hash_digits;
	u32 temperature;
	u32 no_temperature;
};

bool roc_contract_foreign(struct roc_endpoint *ep);
int roc_contract_identify(struct roc_endpoint *ep);
bool roc_contract_alive(struct roc_endpoint *ep);
int roc_contract_temperature(struct roc_endpoint *ep, long *value);
int roc_contract_reset(struct roc_channel *ch, enum roc_reset_level level);

/* The cards */
extern const struct roc_stream_ops roc_p40_ops;
extern const struct roc_fragment_ops roc_robinnp_ops;

#endif /* ROC_CONTRACT_CARD_H */
