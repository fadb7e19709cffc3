// SPDX-License-Identifier: GPL-2.0-only
/*
 * C-RORC: reset of a channel, and commands over the detector data link (DDL). Replies arrive in a
 * FIFO of status words, from which a read pops one; each may take up to 100 ms. The card lock is
 * released between polls, so that other channels go on.
 */
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/ktime.h>

#include "cards/crorc/crorc.h"

#define CRORC_STALE_WORDS 64
#define CRORC_DDL_TRY_US 100

static u32 crorc_csr(struct roc_channel *ch)
{
	u32 csr;

	crorc_lock(ch);
	csr = crorc_read(ch, CRORC_CHAN_CSR);
	crorc_unlock(ch);
	return csr;
}

/* Drop words of earlier commands, which would be mistaken for the reply to the next one. */
static void crorc_ddl_drain(struct roc_channel *ch)
{
	int i;

	crorc_lock(ch);
	for (i = 0; i < CRORC_STALE_WORDS; i++) {
		u32 csr = crorc_read(ch, CRORC_CHAN_CSR);

		if (csr == ROC_ALL_ONES || !(csr & CRORC_CHAN_CSR_DDL_STATUS))
			break;
		crorc_read(ch, CRORC_DDL_STATUS);
	}
	crorc_unlock(ch);
}

static int crorc_ddl_send(struct roc_channel *ch, u32 command)
{
	crorc_ddl_drain(ch);
	crorc_lock(ch);
	crorc_write(ch, CRORC_DDL_COMMAND, command);
	/* Flush the write before another channel is accessed, so that it is not lost. */
	crorc_read(ch, CRORC_CHAN_CSR);
	crorc_unlock(ch);
	return 0;
}

/* Return the status of the channel, with DDL_STATUS set if @word has the reply. */
static u32 crorc_ddl_poll(struct roc_channel *ch, u32 *word)
{
	u32 csr;

	crorc_lock(ch);
	csr = crorc_read(ch, CRORC_CHAN_CSR);
	if (csr != ROC_ALL_ONES && csr & CRORC_CHAN_CSR_DDL_STATUS)
		*word = crorc_read(ch, CRORC_DDL_STATUS);
	crorc_unlock(ch);
	return csr;
}

static int crorc_ddl_reply(struct roc_channel *ch, u32 *word)
{
	u32 csr;

	read_poll_timeout(crorc_ddl_poll, csr, csr & CRORC_CHAN_CSR_DDL_STATUS, CRORC_DDL_TRY_US,
			  CRORC_DDL_TIMEOUT_MS * USEC_PER_MSEC, false, ch, word);
	if (csr == ROC_ALL_ONES)
		return -EIO;
	if (csr & CRORC_CHAN_CSR_DDL_STATUS)
		return 0;
	return csr & CRORC_CHAN_CSR_LINK_DOWN ? -ENOLINK : -ETIME;
}

/* Send a command and wait for its reply, whose content is ignored. */
int crorc_ddl(struct roc_channel *ch, u32 command)
{
	u32 word;

	return crorc_ddl_send(ch, command) ?: crorc_ddl_reply(ch, &word);
}

/*
 * Wait until CRORC_LINK_READS reads in a row show that the link is up. If the time limit comes
 * first but no read showed it down, the link is up, too: reads were slow because of other users.
 */
static int crorc_check_link(struct roc_channel *ch)
{
	u64 deadline = ktime_get_ns() + CRORC_LINK_TIMEOUT_MS * NSEC_PER_MSEC;
	unsigned int good = 0;
	bool down = false;

	while (good < CRORC_LINK_READS) {
		u32 csr = crorc_csr(ch);

		if (csr == ROC_ALL_ONES)
			return -EIO;
		good = csr & CRORC_CHAN_CSR_LINK_DOWN ? 0 : good + 1;
		down = down || !good;
		if (ktime_get_ns() > deadline && down)
			return -ENOLINK;
		if (ktime_get_ns() > deadline)
			break;
		if (good)
			cond_resched();
		else
			fsleep(100);
	}
	return crorc_csr(ch) & CRORC_CHAN_CSR_LINK_DOWN ? -ENOLINK : 0;
}

/* Reset the channel by the documented pair of writes. True: the push counter is 0 afterwards. */
bool crorc_reset_once(struct roc_channel *ch)
{
	lockdep_assert_held(&ch->ep->card->lock);
	crorc_write(ch, CRORC_CARD_CSR, CRORC_CARD_CSR_RESET);
	crorc_write(ch, CRORC_CARD_CSR, CRORC_CARD_CSR_RESET);
	return !(crorc_read(ch, CRORC_SP_SIZE) & CRORC_SP_SIZE_COUNT);
}

/* Reset the channel, and verify that by the push counter. */
int crorc_reset_channel(struct roc_channel *ch)
{
	struct crorc_channel *crorc = ch->priv;
	int tries, err = -EIO;

	crorc_lock(ch);
	for (tries = 0; tries < CRORC_TRIES && err; tries++)
		err = crorc_reset_once(ch) ? 0 : -EIO;
	crorc_unlock(ch);
	crorc->pushes = 0;
	return err;
}

int crorc_reset_siu(struct roc_channel *ch)
{
	struct crorc_channel *crorc = ch->priv;
	int err;

	err = crorc_reset_channel(ch);
	if (err)
		return err;
	err = crorc_ddl(ch, CRORC_DDL_SIU_RESET);
	if (err)
		return err;
	err = crorc_check_link(ch);
	if (err)
		return err;
	err = crorc_ddl(ch, CRORC_DDL_SIU_RESET);
	if (err)
		return err;
	err = crorc_reset_channel(ch);
	if (err)
		return err;
	err = crorc_check_link(ch);
	if (err)
		return err;
	crorc->siu_reset = ch->opens;
	return 0;
}

int crorc_open_frontend(struct roc_channel *ch, bool stbrd)
{
	int err;

	err = crorc_check_link(ch);
	if (err)
		return err;
	return crorc_ddl(ch, stbrd ? CRORC_DDL_STBRD : CRORC_DDL_RDYRX);
}

/* Without a reply the front-end may go on sending; its data are not accepted any more. */
void crorc_close_frontend(struct roc_channel *ch)
{
	crorc_ddl(ch, CRORC_DDL_EOBTR);
}

int crorc_command(struct roc_channel *ch, struct roc_ch_command *command)
{
	unsigned int replies = command->count;
	u32 end = CRORC_DDL_END(command->command);
	u32 csr = crorc_csr(ch);
	int err;

	command->count = 0;
	if (csr == ROC_ALL_ONES && !roc_alive(ch->ep))
		return -EIO;
	if ((end == CRORC_DDL_END_SIU || end == CRORC_DDL_END_FEE) &&
	    csr & CRORC_CHAN_CSR_LINK_DOWN)
		return -ENOLINK;
	err = crorc_ddl_send(ch, command->command);
	while (!err && command->count < replies) {
		err = crorc_ddl_reply(ch, &command->reply[command->count]);
		if (!err)
			command->count++;
	}
	return err;
}
