// SPDX-License-Identifier: GPL-2.0-only
/*
 * ALICE C-RORC backend: six DMA channels with a BAR each, one superpage at a time per channel.
 *
 * The card reports a finished superpage by eight bytes in host memory, so a poll needs no access to
 * the card. A push takes three writes, each of which is read back. The board loses writes if
 * channels are accessed concurrently. So the driver makes every group of accesses under the card
 * lock, ends it with a read, and repeats and counts lost writes. Link commands are in crorc_ddl.c.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/ktime.h>

#include "cards/crorc/crorc.h"

#define CRORC_QUIET_US 1000
/* Allowance for a slow board after a flush, which has no visible effect on an empty superpage. */
#define CRORC_FLUSH_US 50000

static u32 crorc_path_read(struct roc_channel *ch, u32 offset)
{
	ch->stats.mmio_reads++;
	return crorc_read(ch, offset);
}

static void crorc_path_write(struct roc_channel *ch, u32 offset, u32 value)
{
	ch->stats.mmio_writes++;
	crorc_write(ch, offset, value);
}

static struct crorc_done *crorc_done(struct roc_channel *ch)
{
	return ch->ep->memory + CRORC_DONE(ch->number);
}

static bool crorc_alive(struct roc_endpoint *ep)
{
	return roc_read(ep, CRORC_BAR_CARD, CRORC_FW_HASH) != ROC_ALL_ONES;
}

static const struct roc_register crorc_identity[] = {
	{CRORC_BAR_CARD, CRORC_FW_HASH},
	{CRORC_BAR_CARD, CRORC_SERIAL},
};

/* A start rewrites this register. */
static const struct roc_register crorc_scratch = {CRORC_BAR_CARD, CRORC_DONE_LOW};

static int crorc_identify(struct roc_endpoint *ep)
{
	u32 serial = roc_read(ep, CRORC_BAR_CARD, CRORC_SERIAL);

	if (!serial) {
		roc_write(ep, CRORC_BAR_CARD, CRORC_FLASH_COMMAND, CRORC_SERIAL_LOAD);
		roc_wait_ms(CRORC_SERIAL_LOAD_MS);
		serial = roc_read(ep, CRORC_BAR_CARD, CRORC_SERIAL);
	}
	ep->serial = roc_parse_serial(serial);
	ep->number = 0;
	ep->fifo_depth = 1;
	ep->caps = ROC_CAP_PARTIAL | ROC_CAP_GENERATOR | ROC_CAP_DDL;
	snprintf(ep->firmware, sizeof(ep->firmware), "%x",
		 roc_read(ep, CRORC_BAR_CARD, CRORC_FW_HASH));
	return 0;
}

static u32 crorc_in_use(struct roc_endpoint *ep, unsigned int bar, u32 offset)
{
	const struct roc_channel *ch = &ep->channels[bar];

	if (offset == CRORC_CONFIG_B && (ch->starting || READ_ONCE(ch->state) == ROC_CH_RUNNING))
		return CRORC_CONFIG_B_FLUSH;
	return 0;
}

static u32 crorc_enabled_links(struct roc_channel *ch)
{
	return BIT(0);
}

/* A written 1 flips a toggle bit: read the bit before each write, and verify it after the last. */
static int crorc_set_toggle(struct roc_channel *ch, u32 bit, bool on)
{
	int tries;

	lockdep_assert_held(&ch->ep->card->lock);
	for (tries = 0; tries < CRORC_TRIES; tries++) {
		u32 csr = crorc_read(ch, CRORC_CHAN_CSR);

		if (csr == ROC_ALL_ONES)
			return -EIO;
		if (!!(csr & bit) == on)
			return 0;
		crorc_write(ch, CRORC_CHAN_CSR, bit);
	}
	return !!(crorc_read(ch, CRORC_CHAN_CSR) & bit) == on ? 0 : -EIO;
}

static int crorc_set_generator(struct roc_channel *ch, bool on)
{
	u32 expected = on ? CRORC_GENERATOR_RUN : 0;
	int tries;

	lockdep_assert_held(&ch->ep->card->lock);
	for (tries = 0; tries < CRORC_TRIES; tries++) {
		u32 old = crorc_read(ch, CRORC_GENERATOR);

		crorc_write(ch, CRORC_GENERATOR, (old & ~CRORC_GENERATOR_RUN) | expected);
		if ((crorc_read(ch, CRORC_GENERATOR) & CRORC_GENERATOR_RUN) == expected)
			return 0;
	}
	return -EIO;
}

/*
 * Set the address of the completion block. The registers cannot be read back, and with one half
 * lost the card would write to a wrong address, so the driver writes them twice.
 */
static void crorc_set_done_address(struct roc_channel *ch)
{
	u64 bus = ch->ep->memory_bus + CRORC_DONE(ch->number);
	int i;

	crorc_lock(ch);
	for (i = 0; i < 2; i++) {
		crorc_write(ch, CRORC_DONE_LOW, lower_32_bits(bus));
		crorc_write(ch, CRORC_DONE_HIGH, upper_32_bits(bus));
		crorc_read(ch, CRORC_CHAN_CSR);
	}
	crorc_unlock(ch);
}

static int crorc_open_source(struct roc_channel *ch, enum roc_source source, u32 configure)
{
	int err = 0;

	switch (source) {
	case ROC_SOURCE_INTERNAL:
		crorc_lock(ch);
		err = crorc_set_toggle(ch, CRORC_CHAN_CSR_LOOPBACK, true);
		crorc_unlock(ch);
		break;
	case ROC_SOURCE_DIU:
		err = crorc_ddl(ch, CRORC_DDL_LOOP_DIU);
		break;
	case ROC_SOURCE_SIU:
		err = crorc_ddl(ch, CRORC_DDL_LOOP_SIU);
		break;
	default:
		return crorc_open_frontend(ch, configure & ROC_CONFIGURE_STBRD);
	}
	if (err)
		return err;
	crorc_lock(ch);
	err = crorc_set_generator(ch, true);
	crorc_unlock(ch);
	return err;
}

static bool crorc_left_running(struct roc_channel *ch)
{
	bool left;

	crorc_lock(ch);
	left = crorc_read(ch, CRORC_CHAN_CSR) & CRORC_CHAN_CSR_DMA ||
	       crorc_read(ch, CRORC_SP_SIZE) & CRORC_SP_SIZE_COUNT;
	crorc_unlock(ch);
	return left;
}

/*
 * The push counter shows that a reset was executed, unless the counter is 0 before, as after 256
 * pushes. In that case push the spare superpage, which the card does not fill because DMA is off.
 * The last superpage may still be open, and another push is then undefined, so reset first.
 */
static int crorc_push_spare(struct roc_channel *ch)
{
	u64 bus = ch->ep->memory_bus;
	int err = 0;

	crorc_lock(ch);
	if (!(crorc_read(ch, CRORC_SP_SIZE) & CRORC_SP_SIZE_COUNT)) {
		crorc_reset_once(ch);
		crorc_write(ch, CRORC_SP_HIGH, upper_32_bits(bus));
		crorc_write(ch, CRORC_SP_LOW, lower_32_bits(bus));
		crorc_write(ch, CRORC_SP_SIZE, CRORC_SUPERPAGE_ALIGN);
		err = crorc_read(ch, CRORC_SP_SIZE) & CRORC_SP_SIZE_COUNT ? 0 : -ENODATA;
	}
	crorc_unlock(ch);
	return err;
}

static int crorc_quiesce(struct roc_channel *ch, bool present)
{
	struct crorc_done *done = crorc_done(ch);
	int err, reset_unobserved;
	__le32 count;
	u32 csr;

	if (!present)
		return 0;
	crorc_lock(ch);
	err = crorc_set_generator(ch, false);
	csr = crorc_read(ch, CRORC_CHAN_CSR);
	/* As documented, write back the word that was read; this also clears a loopback. */
	if (csr & CRORC_CHAN_CSR_DMA)
		crorc_write(ch, CRORC_CHAN_CSR, csr);
	err = crorc_set_toggle(ch, CRORC_CHAN_CSR_DMA, false) ?: err;
	err = crorc_set_toggle(ch, CRORC_CHAN_CSR_LOOPBACK, false) ?: err;
	crorc_unlock(ch);
	reset_unobserved = !err && ch->dma_configured ? crorc_push_spare(ch) : 0;
	err = crorc_reset_channel(ch) ?: err;
	count = READ_ONCE(done->count);
	fsleep(CRORC_QUIET_US);
	if (READ_ONCE(done->count) != count)
		err = -EIO;
	return err ?: reset_unobserved;
}

/* The documented order of writes; see Documentation/cards/crorc.md for where each comes from. */
static int crorc_start(struct roc_channel *ch, enum roc_source source, u32 links, u32 configure)
{
	struct crorc_channel *crorc = ch->priv;
	struct crorc_done *done = crorc_done(ch);
	int err;

	/* As existing programs do, reset the remote end of the link once per open. */
	if ((source == ROC_SOURCE_FEE || source == ROC_SOURCE_SIU) && crorc->siu_reset != ch->opens)
		err = crorc_reset_siu(ch);
	else
		err = crorc_reset_channel(ch);
	if (err)
		return err;
	WRITE_ONCE(done->size, 0);
	WRITE_ONCE(done->count, cpu_to_le32(CRORC_DONE_COUNT_START));
	crorc->seen = CRORC_DONE_COUNT_START;
	crorc->finished = 0;
	crorc->source = source;
	err = crorc_reset_channel(ch);
	if (err)
		return err;
	crorc_set_done_address(ch);
	/* Only after the reset: no superpage of an earlier owner is left in the channel. */
	err = roc_bus_master_enable(ch) ?: roc_event_enable(ch);
	if (err)
		return err;
	crorc_lock(ch);
	err = crorc_set_toggle(ch, CRORC_CHAN_CSR_DMA, true);
	/* An earlier run may have been killed with the loopback on. */
	if (!err && source != ROC_SOURCE_INTERNAL)
		err = crorc_set_toggle(ch, CRORC_CHAN_CSR_LOOPBACK, false);
	crorc_unlock(ch);
	if (!err)
		err = crorc_open_source(ch, source, configure);
	if (!err)
		roc_wait_ms(CRORC_START_WAIT_MS);
	return err;
}

/* Write a register and read it back, with up to CRORC_TRIES attempts. */
static int crorc_push_word(struct roc_channel *ch, u32 offset, u32 value)
{
	int tries;

	lockdep_assert_held(&ch->ep->card->lock);
	for (tries = 0; tries < CRORC_TRIES; tries++) {
		crorc_path_write(ch, offset, value);
		if (crorc_path_read(ch, offset) == value)
			return 0;
		roc_pool(ch)->stats.retries++;
	}
	return -EIO;
}

/*
 * The write of the size pushes the superpage, so it is repeated only if the card's push counter
 * shows that it was lost. The card may finish the superpage before the read returns.
 */
static int crorc_push_size(struct roc_channel *ch, u32 length)
{
	struct crorc_channel *crorc = ch->priv;
	int tries;

	lockdep_assert_held(&ch->ep->card->lock);
	for (tries = 0; tries < CRORC_TRIES; tries++) {
		u8 count = crorc->pushes + 1;
		u32 echo;

		crorc_path_write(ch, CRORC_SP_SIZE, length);
		echo = crorc_path_read(ch, CRORC_SP_SIZE);
		if (echo == (length << CRORC_SP_SIZE_SHIFT | count)) {
			crorc->pushes = count;
			return 0;
		}
		if ((echo & CRORC_SP_SIZE_COUNT) != crorc->pushes)
			return -EIO;
		roc_pool(ch)->stats.retries++;
	}
	return -EIO;
}

static int crorc_push(struct roc_channel *ch, unsigned int link, u64 bus, u32 length)
{
	int err;

	crorc_lock(ch);
	err = crorc_push_word(ch, CRORC_SP_HIGH, upper_32_bits(bus));
	if (!err)
		err = crorc_push_word(ch, CRORC_SP_LOW, lower_32_bits(bus));
	if (!err)
		err = crorc_push_size(ch, length);
	crorc_unlock(ch);
	return err;
}

/*
 * One superpage is in flight, so the count moves by at most one; the caller detects a larger step.
 */
static u32 crorc_finished(struct roc_channel *ch, unsigned int link)
{
	struct crorc_channel *crorc = ch->priv;
	u8 count = le32_to_cpu(READ_ONCE(crorc_done(ch)->count));

	crorc->finished += (u8)(count - crorc->seen);
	crorc->seen = count;
	return crorc->finished;
}

static int crorc_received(struct roc_channel *ch, unsigned int link, u32 length, bool confirmed,
			  u64 until, u32 *bytes)
{
	/* The card writes payload, size and count in this order: read the size after the count. */
	dma_rmb();
	*bytes = le32_to_cpu(READ_ONCE(crorc_done(ch)->size));
	return *bytes <= length ? 0 : -EMSGSIZE;
}

/*
 * Stop new data, and close the open superpage. The final read orders the completion before the
 * return. The card does not confirm a flush, and a second one has no effect, so it is written
 * twice.
 */
static void crorc_flush(struct roc_channel *ch)
{
	struct crorc_channel *crorc = ch->priv;
	u32 word;
	int i;

	if (crorc->source == ROC_SOURCE_FEE)
		crorc_close_frontend(ch);
	crorc_lock(ch);
	if (crorc->source != ROC_SOURCE_FEE)
		crorc_set_generator(ch, false);
	word = crorc_read(ch, CRORC_CONFIG_B);
	for (i = 0; i < 2; i++) {
		crorc_write(ch, CRORC_CONFIG_B, word | CRORC_CONFIG_B_FLUSH);
		crorc_read(ch, CRORC_CHAN_CSR);
	}
	crorc_unlock(ch);
}

static int crorc_reset(struct roc_channel *ch, enum roc_reset_level level)
{
	switch (level) {
	case ROC_RESET_INTERNAL:
		return crorc_reset_channel(ch);
	case ROC_RESET_INTERNAL_SIU:
		return crorc_reset_siu(ch);
	default:
		return 0;
	}
}

/*
 * Every BAR has a register for a DMA address, and the board does not tolerate accesses of user
 * space concurrent with those of the driver. So no BAR can be mapped, and users may write only
 * configuration, through the driver.
 */
static const u32 crorc_writable[] = {CRORC_CONFIG_A, CRORC_CONFIG_B};
static const u32 crorc_card_writable[] = {CRORC_CONFIG_A, CRORC_CONFIG_B, CRORC_I2C_COMMAND};

/* Older firmware has address registers at all these offsets. */
static const struct roc_hidden crorc_hidden[] = {
	{CRORC_DDL_STATUS, 1, 1},
	{CRORC_SP_LOW, (CRORC_DONE_HIGH - CRORC_SP_LOW) / 4 + 1, 1},
	{CRORC_OLD_ADDRESSES, CRORC_OLD_ADDRESSES_COUNT, 1},
};

/* The flash contains firmware and serial number. */
static const struct roc_protected crorc_protected[] = {{CRORC_FLASH_COMMAND, 4}};

#define CRORC_POLICY(_writable)                                                                    \
	{                                                                                          \
		.writable = _writable, .writable_count = ARRAY_SIZE(_writable),                    \
		.hidden = crorc_hidden, .hidden_count = ARRAY_SIZE(crorc_hidden),                  \
		.protected = crorc_protected, .protected_count = ARRAY_SIZE(crorc_protected),      \
	}

static const struct roc_bar_policy crorc_policy[ROC_BARS] = {
	CRORC_POLICY(crorc_card_writable), CRORC_POLICY(crorc_writable),
	CRORC_POLICY(crorc_writable),	   CRORC_POLICY(crorc_writable),
	CRORC_POLICY(crorc_writable),	   CRORC_POLICY(crorc_writable),
};

#define CRORC_MONITOR(_name, _sample, _show, _offset, _mask)                                       \
	static struct roc_monitor crorc_monitor_##_name = {                                        \
		.attr = __ATTR(_name, 0444, _show, NULL),                                          \
		.sample = _sample,                                                                 \
		.bar = CRORC_BAR_CARD,                                                             \
		.offset = _offset,                                                                 \
		.mask = _mask,                                                                     \
	}

CRORC_MONITOR(crorc_id, 0, roc_monitor_show, CRORC_CONFIG_A, CRORC_CONFIG_A_ID);
CRORC_MONITOR(dynamic_offset, 1, roc_monitor_show, CRORC_CONFIG_A, CRORC_CONFIG_A_DYNAMIC);
CRORC_MONITOR(time_frame_length, 2, roc_monitor_show, CRORC_CONFIG_B, CRORC_CONFIG_B_LENGTH);
CRORC_MONITOR(time_frame_detection, 3, roc_monitor_show, CRORC_CONFIG_B, CRORC_CONFIG_B_DETECT);
CRORC_MONITOR(laser, 4, roc_monitor_show, CRORC_LINK_STATUS, CRORC_LINK_STATUS_LASER);
CRORC_MONITOR(link_down, 0, roc_channel_monitor_show, CRORC_CHAN_CSR, CRORC_CHAN_CSR_LINK_DOWN);
CRORC_MONITOR(packets_per_second, 1, roc_channel_monitor_show, CRORC_RATE, ROC_ALL_ONES);
CRORC_MONITOR(packets, 2, roc_channel_monitor_show, CRORC_PACKETS, ROC_ALL_ONES);
CRORC_MONITOR(orbit_sor, 3, roc_channel_monitor_show, CRORC_ORBIT_SOR, ROC_ALL_ONES);

static struct attribute *crorc_attrs[] = {
	&crorc_monitor_crorc_id.attr.attr,
	&crorc_monitor_dynamic_offset.attr.attr,
	&crorc_monitor_time_frame_length.attr.attr,
	&crorc_monitor_time_frame_detection.attr.attr,
	&crorc_monitor_laser.attr.attr,
	NULL,
};

ATTRIBUTE_GROUPS(crorc);

static struct attribute *crorc_channel_attrs[] = {
	&crorc_monitor_link_down.attr.attr,
	&crorc_monitor_packets_per_second.attr.attr,
	&crorc_monitor_packets.attr.attr,
	&crorc_monitor_orbit_sor.attr.attr,
	NULL,
};

ATTRIBUTE_GROUPS(crorc_channel);

const struct roc_pool_ops roc_crorc_ops = {
	.card =
		{
			.type = ROC_CARD_CRORC,
			.name = "crorc",
			.channel_type = &roc_pool_type,
			.bar_size = {[0 ... CRORC_CHANNELS - 1] = CRORC_BAR_SIZE},
			.shared_bars = GENMASK(CRORC_CHANNELS - 1, 0),
			.channels = CRORC_CHANNELS,
			.dma_bits = 64,
			.serial = true,
			.host_memory = CRORC_DONE(CRORC_CHANNELS),
			.policy = crorc_policy,
			.channel_size = sizeof(struct crorc_channel),
			.groups = crorc_groups,
			.channel_groups = crorc_channel_groups,
			.identity = crorc_identity,
			.scratch = &crorc_scratch,
			.identity_count = ARRAY_SIZE(crorc_identity),
			.identify = crorc_identify,
			.alive = crorc_alive,
			.in_use = crorc_in_use,
			.quiesce = crorc_quiesce,
			.left_running = crorc_left_running,
			.reset = crorc_reset,
		},
	.link_slots = 1,
	.superpage_align = CRORC_SUPERPAGE_ALIGN,
	.superpage_max = CRORC_SUPERPAGE_MAX,
	.page_size = CRORC_PAGE_SIZE,
	.sources = BIT(ROC_SOURCE_INTERNAL) | BIT(ROC_SOURCE_FEE) | BIT(ROC_SOURCE_DIU) |
		   BIT(ROC_SOURCE_SIU),
	.polls_memory = true,
	.flush_us = CRORC_FLUSH_US,
	.enabled_links = crorc_enabled_links,
	.start = crorc_start,
	.push = crorc_push,
	.finished = crorc_finished,
	.received = crorc_received,
	.flush = crorc_flush,
	.command = crorc_command,
};
