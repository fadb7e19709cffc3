/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks, inside: block_slots.c stores them, block_close.c closes them, blocks.c decides when.
 * Apart from engine.h, because no other file may call these functions.
 */
#ifndef LIBROC_EVB_BLOCK_H
#define LIBROC_EVB_BLOCK_H

#include "engine.h"

#define EVB_DELIVERED (1 << 16) /* blocks that are remembered */

/* Of block_slots.c */
void evb_block_append(struct evb_builder *b, struct evb_blocks *l, uint32_t i);
void evb_block_unlink(struct evb_builder *b, struct evb_blocks *l, uint32_t i);
/* Of the block of that number, whatever its state; EVB_NONE: there is none. */
uint32_t evb_block_slot(const struct evb_builder *b, uint64_t number);
/* Open one of a number that has none. There must be a free slot. */
uint32_t evb_block_open(struct evb_builder *b, uint64_t number);
/* Nothing of it is needed any more; it is in no list. */
void evb_block_release(struct roc_evb *e, uint32_t i);
/* Was it delivered, or is it older than what is remembered? */
bool evb_block_is_over(const struct evb_builder *b, uint64_t number);
void evb_block_remember(struct evb_builder *b, const struct evb_block *k);

/* Of block_close.c */
/* What is here of a sender for a block; NULL: nothing that is whole. */
struct evb_arrival *evb_block_whole(struct evb_builder *b, const struct evb_block *k, int sender);
/* It has said that it has nothing of it. What it has sent, or announced, may be on its way yet. */
bool evb_block_has_none(const struct evb_block *k, const struct evb_sender *g, unsigned int sender);
/* The sink gets it as it is. False: nothing is here that it could get. */
bool evb_block_close(struct roc_evb *e, uint32_t i);

#endif
