/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal functions of blocks: block_slots.c stores them, block_close.c closes them, blocks.c
 * decides when. They are not in engine.h, because no other file may call them.
 */
#ifndef LIBROC_EVB_BLOCK_H
#define LIBROC_EVB_BLOCK_H

#include "engine.h"

#define EVB_DELIVERED (1 << 16) /* delivered blocks that are remembered */

/* Of block_slots.c */
void evb_block_append(struct evb_builder *b, struct evb_blocks *l, uint32_t i);
void evb_block_unlink(struct evb_builder *b, struct evb_blocks *l, uint32_t i);
/* Return the slot of a block in any state; EVB_NONE: there is none. */
uint32_t evb_block_slot(const struct evb_builder *b, uint64_t number);
/* Open a block that has no slot yet. There must be a free slot. */
uint32_t evb_block_open(struct evb_builder *b, uint64_t number);
/* Free the slot and all arrivals of a block that is in no list. */
void evb_block_release(struct roc_evb *e, uint32_t i);
/* Return true if the block was delivered, or is older than the remembered ones. */
bool evb_block_is_over(const struct evb_builder *b, uint64_t number);
void evb_block_remember(struct evb_builder *b, const struct evb_block *k);

/* Of block_close.c */
/* Return the complete arrival of a sender for a block; NULL: there is none. */
struct evb_arrival *evb_block_whole(struct evb_builder *b, const struct evb_block *k, int sender);
/*
 * Return true if the sender has reported that it has nothing of the block. An arrival that it has
 * sent or announced before may still be in transit.
 */
bool evb_block_has_none(const struct evb_block *k, const struct evb_sender *g, unsigned int sender);
/* Queue a block for the sink as it is. Return false if it has no complete arrival. */
bool evb_block_close(struct roc_evb *e, uint32_t i);

#endif
