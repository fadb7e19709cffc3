/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the two halves of the C-RORC backend share. Calls go from crorc.c to crorc_ddl.c.
 */
#ifndef CRORC_H
#define CRORC_H

#include "cards/cards.h"
#include "cards/crorc/crorc_regs.h"
#include "pool/pool.h"

/* In host memory; the card writes it when it closes a superpage. */
struct crorc_done {
	__le32 size;
	__le32 count;
};

/* The board loses writes: so often is one written. */
#define CRORC_TRIES 3

/*
 * The memory that is the card's as long as it has a driver: a spare superpage of the smallest size,
 * then what each channel writes, on a cache line of its own, and the next one the prefetcher takes
 * with it.
 */
#define CRORC_DONE_STRIDE 128
#define CRORC_DONE(channel) (CRORC_SUPERPAGE_ALIGN + (channel)*CRORC_DONE_STRIDE)

/**
 * struct crorc_channel - what the driver knows of a channel. Channel lock.
 * @source: of the run
 * @siu_reset: roc_channel.opens for which the far end of the link was reset
 * @pushes: the card's push counter
 * @seen: completion count last looked at
 * @finished: completions since start
 */
struct crorc_channel {
	enum roc_source source;
	u32 siu_reset;
	u8 pushes;
	u8 seen;
	u32 finished;
};

static inline void crorc_lock(struct roc_channel *ch)
{
	mutex_lock(&ch->ep->card->lock);
}

static inline void crorc_unlock(struct roc_channel *ch)
{
	mutex_unlock(&ch->ep->card->lock);
}

/* A channel's registers are in the BAR of its number. */
static inline u32 crorc_read(struct roc_channel *ch, u32 offset)
{
	lockdep_assert_held(&ch->ep->card->lock);
	return roc_read(ch->ep, ch->number, offset);
}

static inline void crorc_write(struct roc_channel *ch, u32 offset, u32 value)
{
	lockdep_assert_held(&ch->ep->card->lock);
	roc_write(ch->ep, ch->number, offset, value);
}

/* crorc_ddl.c */
bool crorc_reset_once(struct roc_channel *ch);
int crorc_reset_channel(struct roc_channel *ch);
int crorc_ddl(struct roc_channel *ch, u32 command);
int crorc_reset_siu(struct roc_channel *ch);
int crorc_open_frontend(struct roc_channel *ch, bool stbrd);
void crorc_close_frontend(struct roc_channel *ch);
int crorc_command(struct roc_channel *ch, struct roc_ch_command *command);

#endif /* CRORC_H */
