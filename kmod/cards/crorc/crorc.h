/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interface between the two files of the C-RORC backend. crorc.c calls crorc_ddl.c.
 */
#ifndef CRORC_H
#define CRORC_H

#include "cards/cards.h"
#include "cards/crorc/crorc_regs.h"
#include "pool/pool.h"

/* Completion block in host memory. The card writes it when it closes a superpage. */
struct crorc_done {
	__le32 size;
	__le32 count;
};

/* Number of attempts of a write, because the board loses writes. */
#define CRORC_TRIES 3

/*
 * Host memory that the card may write while the driver is bound: a spare superpage of the smallest
 * size, then the completion blocks of the channels. Each has two cache lines, because the
 * prefetcher loads pairs of lines.
 */
#define CRORC_DONE_STRIDE 128
#define CRORC_DONE(channel) (CRORC_SUPERPAGE_ALIGN + (channel)*CRORC_DONE_STRIDE)

/**
 * struct crorc_channel - state of a channel. Channel lock.
 * @source: data source of the run
 * @siu_reset: roc_channel.opens for which the remote end of the link was reset
 * @pushes: expected value of the card's push counter
 * @seen: completion count as last read
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

/* The registers of a channel are in the BAR with its number. */
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
