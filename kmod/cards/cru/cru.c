// SPDX-License-Identifier: GPL-2.0-only
/*
 * ALICE CRU backend: one DMA channel per endpoint, a descriptor FIFO per link, no interrupts.
 *
 * Three writes push a superpage. Each link has a ready counter of finished superpages, and a FIFO
 * of their sizes in bytes. Data from the datapath (FEE, DDG) flow while the run-enable bit is set.
 * Both endpoints share this bit, so the driver counts the runs per card, and the last one to stop
 * clears the bit.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include "cards/cards.h"
#include "cards/cru/cru_regs.h"
#include "pool/pool.h"

/* Time limit for a size entry, which normally follows the ready count within a bus delay. */
#define CRU_SIZE_TIMEOUT_NS (20 * NSEC_PER_MSEC)
/* Time for which counters must be stable after a reset: far longer than a write is in transit. */
#define CRU_QUIET_US 10000
#define CRU_RESET_POLL_US 500
/*
 * Attempts to load the serial number: a slow EEPROM needs several; a card without one delays probe.
 */
#define CRU_SERIAL_TRIES 3
/*
 * Interval and number of polls until the generator has filled a superpage and a flush is visible.
 */
#define CRU_FILL_US 2000
#define CRU_FILL_TRIES 100
#define CRU_ADDRESS_TEST 0x5a5a5a58

/**
 * struct cru_size - position in the size FIFO of a link
 * @since: when the next entry was first missing although its superpage is finished
 * @index: number of the next entry, modulo 256
 * @requested: the next entry was requested, and is not yet there
 * @early: the request was made before the superpage was confirmed to be finished
 */
struct cru_size {
	u64 since;
	u8 index;
	bool requested;
	bool early;
};

/**
 * struct cru_channel - state of the DMA block of an endpoint. Channel lock.
 * @links: mask of the link slots of the run
 * @holds_run: this channel counts in roc_card.runs
 * @debug_set: the driver has set the debug bit and has to clear it
 * @started: @links and the counters below belong to a run that this driver started
 * @sizes: the size FIFO works. Firmware before v3.4.0 has none, and fills every superpage
 * @sizes_known: @sizes was determined in this run
 * @base: ready counter of each link after the reset
 * @empty_base: FIFO-empty counter of each link after the reset
 * @size: size FIFO of each link
 */
struct cru_channel {
	u32 links;
	bool holds_run;
	bool debug_set;
	bool started;
	bool sizes;
	bool sizes_known;
	u32 base[CRU_LINK_SLOTS];
	u32 empty_base[CRU_LINK_SLOTS];
	struct cru_size size[CRU_LINK_SLOTS];
};

static u32 cru_read(struct roc_channel *ch, u32 offset)
{
	return roc_read(ch->ep, CRU_BAR_DMA, offset);
}

static void cru_write(struct roc_channel *ch, u32 offset, u32 value)
{
	roc_write(ch->ep, CRU_BAR_DMA, offset, value);
}

/* Accesses of the data path are counted. */
static u32 cru_path_read(struct roc_channel *ch, u32 offset)
{
	ch->stats.mmio_reads++;
	return cru_read(ch, offset);
}

static void cru_path_write(struct roc_channel *ch, u32 offset, u32 value)
{
	ch->stats.mmio_writes++;
	cru_write(ch, offset, value);
}

static u32 cru_datapath(struct roc_channel *ch, u32 offset)
{
	return roc_read(ch->ep, CRU_BAR_CARD, CRU_DATAPATH(ch->ep->number) + offset);
}

static bool cru_alive(struct roc_endpoint *ep)
{
	return roc_read(ep, CRU_BAR_DMA, CRU_ENDPOINT_ID) != ROC_ALL_ONES;
}

static int cru_read_serial(struct roc_endpoint *ep)
{
	u32 word = roc_read(ep, CRU_BAR_CARD, CRU_SERIAL);
	unsigned int tries;

	if (!word)
		roc_write(ep, CRU_BAR_CARD, CRU_SERIAL_LOAD, CRU_SERIAL_LOAD_GO);
	for (tries = 0; !word && tries < CRU_SERIAL_TRIES; tries++) {
		roc_wait_ms(CRU_SERIAL_LOAD_MS);
		word = roc_read(ep, CRU_BAR_CARD, CRU_SERIAL);
	}
	return roc_parse_serial(word);
}

/* Standalone firmware has active-low feature bits; integrated firmware has all features. */
static bool cru_has_feature(struct roc_endpoint *ep, unsigned int feature)
{
	if ((ep->features & 0xffff) != CRU_FEATURES_STANDALONE)
		return true;
	return !(ep->features & BIT(feature));
}

/* Return true if a register can be read back. Writing an address alone pushes no superpage. */
static bool cru_reads_back(struct roc_endpoint *ep, u32 offset)
{
	u32 first;

	roc_write(ep, CRU_BAR_DMA, offset, CRU_ADDRESS_TEST);
	first = roc_read(ep, CRU_BAR_DMA, offset);
	roc_write(ep, CRU_BAR_DMA, offset, 0);
	return roc_read(ep, CRU_BAR_DMA, offset) != first;
}

/* Return true if a byte is two BCD digits within the limits. */
static bool cru_is_decimal(u32 byte, u32 least, u32 most)
{
	u32 value = (byte >> 4) * 10 + (byte & 0xf);

	return byte >> 4 < 10 && (byte & 0xf) < 10 && value >= least && value <= most;
}

/* Return true for a build date 0xYYYYMMDD; the first firmware for the Arria 10 is of 2014. */
static bool cru_is_date(u32 word)
{
	return word >> 24 == 0x20 && cru_is_decimal(word >> 16 & 0xff, 14, 99) &&
	       cru_is_decimal(word >> 8 & 0xff, 1, 12) && cru_is_decimal(word & 0xff, 1, 31);
}

static int cru_number(struct roc_endpoint *ep)
{
	switch (roc_read(ep, CRU_BAR_DMA, CRU_ENDPOINT_ID)) {
	case CRU_ENDPOINT_ID_0:
		return 0;
	case CRU_ENDPOINT_ID_1:
		return 1;
	default:
		return -1;
	}
}

/* The features are first: standalone firmware may not tolerate reads of registers it lacks. */
static const struct roc_register cru_identity[] = {
	{CRU_BAR_DMA, CRU_FEATURES},
	{CRU_BAR_CARD, CRU_FW_HASH},
	{CRU_BAR_CARD, CRU_BOARD_TYPE},
	{CRU_BAR_CARD, CRU_CHIP_ID_LOW},
};

/* The scratch register has no effect on the card. */
static const struct roc_register cru_scratch = {CRU_BAR_DMA, CRU_SCRATCH};

/*
 * Altera's example design has the same PCI ID. Documentation/cards/cru.md describes the evidence.
 */
static bool cru_foreign(struct roc_endpoint *ep)
{
	u32 board;

	if (ep->pdev->vendor == CRU_VENDOR_CERN)
		return false;
	if (cru_number(ep) < 0)
		return true;
	if ((roc_read(ep, CRU_BAR_DMA, CRU_FEATURES) & 0xffff) == CRU_FEATURES_STANDALONE)
		return false;
	board = roc_read(ep, CRU_BAR_CARD, CRU_BOARD_TYPE);
	return board != CRU_BOARD_TYPE_V20 && board != CRU_BOARD_TYPE_V22 &&
	       !cru_is_date(roc_read(ep, CRU_BAR_CARD, CRU_FW_DATE));
}

static int cru_identify(struct roc_endpoint *ep)
{
	ep->number = cru_number(ep);
	if (ep->number < 0)
		return -EIO;
	if (cru_reads_back(ep, CRU_SP_HIGH(0)) || cru_reads_back(ep, CRU_SP_LOW(0)))
		ep->privileged_bars |= BIT(CRU_BAR_DMA);
	ep->features = roc_read(ep, CRU_BAR_DMA, CRU_FEATURES);
	ep->fifo_depth = roc_read(ep, CRU_BAR_DMA, CRU_FIFO_DEPTH) ?: CRU_FIFO_DEPTH_DEFAULT;
	if (ep->fifo_depth > ROC_FIFO_DEPTH_MAX) {
		dev_err(&ep->pdev->dev,
			"FIFO depth register 0x%x reads %u, which exceeds the limit of %u\n",
			CRU_FIFO_DEPTH, ep->fifo_depth, ROC_FIFO_DEPTH_MAX);
		return -EIO;
	}
	ep->serial = cru_has_feature(ep, CRU_FEATURE_SERIAL) ? cru_read_serial(ep) : -1;
	ep->caps = ROC_CAP_LINK_FIFOS | ROC_CAP_PARTIAL | ROC_CAP_GENERATOR | ROC_CAP_DDG;
	if (cru_has_feature(ep, CRU_FEATURE_TEMPERATURE))
		ep->caps |= ROC_CAP_TEMPERATURE;
	if (cru_has_feature(ep, CRU_FEATURE_FIRMWARE_INFO)) {
		snprintf(ep->firmware, sizeof(ep->firmware), "%x",
			 roc_read(ep, CRU_BAR_CARD, CRU_FW_HASH));
		snprintf(ep->user_logic, sizeof(ep->user_logic), "%x",
			 roc_read(ep, CRU_BAR_CARD, CRU_UL_HASH));
	}
	if ((ep->features & 0xffff) != CRU_FEATURES_STANDALONE)
		ep->chip_id = (u64)roc_read(ep, CRU_BAR_CARD, CRU_CHIP_ID_HIGH) << 32 |
			      roc_read(ep, CRU_BAR_CARD, CRU_CHIP_ID_LOW);
	return 0;
}

static int cru_temperature(struct roc_endpoint *ep, long *value)
{
	u32 word = roc_read(ep, CRU_BAR_CARD, CRU_TEMPERATURE);
	u32 raw = word & CRU_TEMPERATURE_RAW;

	if (word == ROC_ALL_ONES || !raw)
		return -ENODATA;
	*value = DIV_ROUND_CLOSEST((long)raw * CRU_TEMPERATURE_RANGE * 1000, 1024) -
		 CRU_TEMPERATURE_ZERO * 1000;
	return 0;
}

static u32 cru_in_use(struct roc_endpoint *ep, unsigned int bar, u32 offset)
{
	if (bar == CRU_BAR_CARD && offset == CRU_USER_CONTROL && ep->card->runs)
		return CRU_USER_CONTROL_RUN;
	return 0;
}

static u32 cru_enabled_links(struct roc_channel *ch)
{
	return cru_datapath(ch, CRU_DATAPATH_ENABLE) & CRU_DATAPATH_LINKS;
}

static void cru_set_run(struct roc_endpoint *ep, bool enable)
{
	u32 word = roc_read(ep, CRU_BAR_CARD, CRU_USER_CONTROL) & ~CRU_USER_CONTROL_RUN;

	lockdep_assert_held(&ep->card->lock);
	roc_write(ep, CRU_BAR_CARD, CRU_USER_CONTROL, word | (enable ? CRU_USER_CONTROL_RUN : 0));
	roc_card_flush(ep, CRU_BAR_CARD);
}

/* If no channel of this card runs, a set bit was left by other software that crashed. */
static void cru_clear_stale_run(struct roc_endpoint *ep)
{
	mutex_lock(&ep->card->lock);
	if (!ep->card->runs)
		cru_set_run(ep, false);
	mutex_unlock(&ep->card->lock);
}

static void cru_run_get(struct roc_channel *ch)
{
	struct cru_channel *cru = ch->priv;

	mutex_lock(&ch->ep->card->lock);
	if (!ch->ep->card->runs++)
		cru_set_run(ch->ep, true);
	mutex_unlock(&ch->ep->card->lock);
	cru->holds_run = true;
}

static void cru_run_put(struct roc_channel *ch, bool present)
{
	struct cru_channel *cru = ch->priv;

	if (!cru->holds_run)
		return;
	mutex_lock(&ch->ep->card->lock);
	if (!--ch->ep->card->runs && present)
		cru_set_run(ch->ep, false);
	mutex_unlock(&ch->ep->card->lock);
	cru->holds_run = false;
}

static void cru_reset_dma(struct roc_channel *ch, u32 what)
{
	cru_write(ch, CRU_RESET_CONTROL, what);
	roc_wait_ms(CRU_RESET_WAIT_MS);
}

/*
 * Set the debug bit for the generator, but only if the whole register is 0. Users may write the
 * time-frame length in the same register at any time, so the driver clears only this bit again.
 */
static void cru_set_debug(struct roc_channel *ch)
{
	struct cru_channel *cru = ch->priv;

	mutex_lock(&ch->ep->card->lock);
	if (!cru_read(ch, CRU_TIME_FRAME)) {
		cru_write(ch, CRU_TIME_FRAME, CRU_TIME_FRAME_DEBUG);
		cru->debug_set = true;
	}
	mutex_unlock(&ch->ep->card->lock);
}

static void cru_clear_debug(struct roc_channel *ch)
{
	struct cru_channel *cru = ch->priv;
	u32 value;

	if (!cru->debug_set)
		return;
	mutex_lock(&ch->ep->card->lock);
	value = cru_read(ch, CRU_TIME_FRAME);
	/* All ones: the card does not answer. Never write that back as a length. */
	if (value != ROC_ALL_ONES)
		cru_write(ch, CRU_TIME_FRAME, value & ~CRU_TIME_FRAME_DEBUG);
	mutex_unlock(&ch->ep->card->lock);
	cru->debug_set = false;
}

/*
 * Clear what a function reset leaves set. The run-enable bit belongs to the card and survives the
 * reset. A run that ended while the card was unreachable could not clear it. The debug bit is in a
 * register that the driver restores after its own reset.
 */
static void cru_after_reset(struct roc_channel *ch)
{
	cru_clear_stale_run(ch->ep);
	cru_clear_debug(ch);
}

static void cru_read_bases(struct roc_channel *ch)
{
	struct cru_channel *cru = ch->priv;
	unsigned int l;

	for (l = 0; l < CRU_LINK_SLOTS; l++) {
		cru->size[l] = (struct cru_size){};
		if (!(cru->links & BIT(l)))
			continue;
		cru->base[l] = cru_read(ch, CRU_SP_READY(l));
		cru->empty_base[l] = cru_read(ch, CRU_SP_EMPTY(l));
	}
}

/* The documented order of writes; see Documentation/cards/cru.md for where each comes from. */
static int cru_start(struct roc_channel *ch, enum roc_source source, u32 links, u32 configure)
{
	struct cru_channel *cru = ch->priv;
	bool internal = source == ROC_SOURCE_INTERNAL;
	int err;

	if (!internal && !cru_has_feature(ch->ep, CRU_FEATURE_DATA_SOURCE))
		return -EOPNOTSUPP;
	cru->started = false;
	cru->sizes = true;
	cru->sizes_known = false;
	if (internal)
		cru_set_debug(ch);
	if (cru_has_feature(ch->ep, CRU_FEATURE_DATA_SOURCE))
		cru_write(ch, CRU_DATA_SOURCE,
			  internal ? CRU_DATA_SOURCE_INTERNAL : CRU_DATA_SOURCE_DATAPATH);
	if (!internal)
		cru_clear_stale_run(ch->ep);
	cru_reset_dma(ch, CRU_RESET_GENERATOR);
	cru_reset_dma(ch, CRU_RESET_GENERAL);
	cru->links = links;
	cru_read_bases(ch);
	cru->started = true;
	/* Only after the reset: no descriptors of an earlier owner are left. */
	err = roc_bus_master_enable(ch) ?: roc_event_enable(ch);
	if (err)
		return err;
	cru_write(ch, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	roc_wait_ms(CRU_START_WAIT_MS);
	return 0;
}

/* The datapath does not wait for superpages: without one a packet is dropped. */
static void cru_flow(struct roc_channel *ch, enum roc_source source)
{
	if (source != ROC_SOURCE_INTERNAL)
		cru_run_get(ch);
}

static int cru_push(struct roc_channel *ch, unsigned int link, u64 bus, u32 length)
{
	cru_path_write(ch, CRU_SP_HIGH(link), upper_32_bits(bus));
	cru_path_write(ch, CRU_SP_LOW(link), lower_32_bits(bus));
	cru_path_write(ch, CRU_SP_PUSH(link), length / CRU_PAGE_SIZE);
	return 0;
}

static u32 cru_finished(struct roc_channel *ch, unsigned int link)
{
	struct cru_channel *cru = ch->priv;

	return cru_path_read(ch, CRU_SP_READY(link)) - cru->base[link];
}

/*
 * Read the size entry of the next superpage: the entry with the expected index and a size above 0.
 *
 * A word of 0 means either firmware without size FIFO, or a late entry. An older index means that
 * the output register has not advanced yet. So the read is repeated for CRU_SIZE_TIMEOUT_NS. If the
 * first entry of a run is still 0 then, the firmware has no size FIFO.
 *
 * If the request was made before the superpage was confirmed to be finished, the card may have had
 * no entry to advance to. Then the driver requests it once more after the time limit. All this may
 * extend over several calls, each with its own limit @until.
 */
static int cru_received(struct roc_channel *ch, unsigned int link, u32 length, bool confirmed,
			u64 until, u32 *bytes)
{
	struct cru_channel *cru = ch->priv;
	struct cru_size *size = &cru->size[link];
	bool late;
	u32 entry;
	u64 now;

	*bytes = length;
	if (!confirmed && !cru->sizes_known)
		return -EAGAIN;
	if (cru->sizes_known && !cru->sizes)
		return confirmed ? 0 : -EAGAIN;
	if (!size->requested) {
		cru_path_write(ch, CRU_SP_SIZE(link), CRU_SP_SIZE_ADVANCE);
		size->requested = true;
		size->early = !confirmed;
		size->since = 0;
	}
	for (;;) {
		/* Check the time before the read: the entry must be missing after the limit. */
		late = size->since && ktime_get_ns() - size->since > CRU_SIZE_TIMEOUT_NS;
		entry = cru_path_read(ch, CRU_SP_SIZE(link));
		if ((entry & CRU_SP_SIZE_BYTES) && entry >> CRU_SP_SIZE_INDEX_SHIFT == size->index)
			break;
		if (!confirmed)
			return -EAGAIN;
		if (late && !size->early)
			goto timeout;
		now = ktime_get_ns();
		if (late) {
			cru_path_write(ch, CRU_SP_SIZE(link), CRU_SP_SIZE_ADVANCE);
			size->early = false;
		}
		if (late || !size->since)
			size->since = now;
		if (now >= until)
			return -EAGAIN;
		usleep_range(10, 50);
	}
	size->requested = false;
	size->index++;
	cru->sizes_known = true;
	roc_pool(ch)->no_sizes = false;
	*bytes = entry & CRU_SP_SIZE_BYTES;
	return *bytes <= length ? 0 : -EMSGSIZE;

timeout:
	if (entry || cru->sizes_known)
		return -EIO;
	cru->sizes_known = true;
	cru->sizes = false;
	roc_pool(ch)->no_sizes = true;
	return 0;
}

static void cru_flush(struct roc_channel *ch)
{
	cru_write(ch, CRU_DMA_CONTROL, cru_read(ch, CRU_DMA_CONTROL) | CRU_DMA_CONTROL_FLUSH);
	cru_run_put(ch, true);
}

static bool cru_left_running(struct roc_channel *ch)
{
	return cru_read(ch, CRU_DMA_CONTROL);
}

/* Read the ready counters of the links that may have descriptors. */
static void cru_read_ready(struct roc_channel *ch, u32 *ready)
{
	struct cru_channel *cru = ch->priv;
	u32 links = cru->started ? cru->links : GENMASK(CRU_LINK_SLOTS - 1, 0);
	unsigned int l;

	for (l = 0; l < CRU_LINK_SLOTS; l++)
		ready[l] = links & BIT(l) ? cru_read(ch, CRU_SP_READY(l)) : 0;
}

static bool cru_ready_changes(struct roc_channel *ch, const u32 *before)
{
	u32 ready[CRU_LINK_SLOTS];

	cru_read_ready(ch, ready);
	return memcmp(ready, before, sizeof(ready));
}

/*
 * If no superpage was finished since the last reset, another reset changes no counter. So let the
 * generator finish one: the superpages in the card still belong to this run. Only while the card
 * may write to memory.
 */
static void cru_finish_one(struct roc_channel *ch, const u32 *before)
{
	unsigned int tries;

	if (!ch->bus_master || !READ_ONCE(ch->ep->epoch) ||
	    !cru_has_feature(ch->ep, CRU_FEATURE_DATA_SOURCE))
		return;
	cru_write(ch, CRU_DATA_SOURCE, CRU_DATA_SOURCE_INTERNAL);
	cru_write(ch, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	for (tries = 0; tries < CRU_FILL_TRIES && !cru_ready_changes(ch, before); tries++) {
		fsleep(CRU_FILL_US);
		cru_write(ch, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);
	}
}

/*
 * General reset at the end of a run: poll until the ready counters are back at @idle. Here
 * CRU_RESET_WAIT_MS is a limit, not a fixed wait. No superpage is pushed before the next start,
 * which resets the card again and waits for the whole time.
 */
static void cru_reset_run(struct roc_channel *ch, const u32 *idle)
{
	u64 end = ktime_get_ns() + CRU_RESET_WAIT_MS * NSEC_PER_MSEC;

	cru_write(ch, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	while (cru_ready_changes(ch, idle) && ktime_get_ns() < end)
		usleep_range(CRU_RESET_POLL_US, 2 * CRU_RESET_POLL_US);
}

/*
 * After a general reset all counters must be back at their values after the reset at start, and
 * stay there. If superpages are in the channel, a counter must change, which verifies that the
 * reset was executed. Without a run of this driver the values after a reset are not known, so the
 * wait has a fixed length.
 */
static int cru_quiesce(struct roc_channel *ch, bool present)
{
	struct cru_channel *cru = ch->priv;
	u32 before[CRU_LINK_SLOTS], after[CRU_LINK_SLOTS], idle[CRU_LINK_SLOTS] = {};
	bool started = cru->started, quiesced;
	unsigned int l;

	cru_run_put(ch, present);
	if (!present)
		return 0;
	if (!started && ch->dma_configured)
		cru_clear_stale_run(ch->ep);
	for (l = 0; started && l < CRU_LINK_SLOTS; l++)
		idle[l] = cru->links & BIT(l) ? cru->base[l] : 0;
	cru_read_ready(ch, before);
	if (started && ch->dma_configured && !memcmp(before, idle, sizeof(idle))) {
		cru_finish_one(ch, before);
		cru_read_ready(ch, before);
	}
	if (started)
		cru_reset_run(ch, idle);
	else
		cru_reset_dma(ch, CRU_RESET_GENERAL);
	cru_write(ch, CRU_DMA_CONTROL, 0);
	cru_read_ready(ch, after);
	fsleep(CRU_QUIET_US);
	quiesced = !cru_ready_changes(ch, after) && !cru_read(ch, CRU_DMA_CONTROL);
	if (started)
		quiesced = quiesced && !memcmp(after, idle, sizeof(idle));
	cru_clear_debug(ch);
	if (!quiesced)
		return -EIO;
	if (ch->dma_configured && !memcmp(after, before, sizeof(after)))
		return -ENODATA;
	cru->started = false;
	return 0;
}

static int cru_reset(struct roc_channel *ch, enum roc_reset_level level)
{
	if (level == ROC_RESET_INTERNAL_SIU)
		return -EOPNOTSUPP;
	if (level == ROC_RESET_INTERNAL) {
		cru_reset_dma(ch, CRU_RESET_GENERATOR);
		cru_reset_dma(ch, CRU_RESET_GENERAL);
	}
	return 0;
}

static u32 cru_dropped(struct roc_channel *ch)
{
	return cru_datapath(ch, CRU_DATAPATH_DROPPED_PACKETS);
}

static u32 cru_fifo_empty(struct roc_channel *ch)
{
	struct cru_channel *cru = ch->priv;
	u32 sum = 0;
	unsigned int l;

	for (l = 0; l < CRU_LINK_SLOTS; l++)
		if (cru->links & BIT(l))
			sum += cru_read(ch, CRU_SP_EMPTY(l)) - cru->empty_base[l];
	return sum;
}

/*
 * A write to a descriptor register can make the card write to any address. So BAR0 is read-only for
 * users, except the scratch register and the time-frame length. Descriptor registers are documented
 * as write-only; if they can be read back, BAR0 cannot be mapped, see cru_reads_back().
 *
 * BAR2 has no address register, so the group may write it, except registers whose effect survives a
 * power cycle or that replace the firmware: other firmware may have address registers anywhere.
 */
static const u32 cru_dma_writable[] = {CRU_SCRATCH, CRU_TIME_FRAME};
static const struct roc_hidden cru_dma_hidden[] = {{CRU_SP_HIGH(0), 2, CRU_LINK_SLOTS, 0x10}};

/*
 * The group may program the PLLs, as roc-config does, and read the EEPROM. PLL registers are paged,
 * and the page number is kept in the chip, so the register number is protected in every page.
 */
#define CRU_PLL_PROTECTED(core)                                                                    \
	{                                                                                          \
		(core) + CRU_I2C_CONFIG, 4, CRU_I2C_CONFIG_REG,                                    \
			(CRU_PLL_NVM_WRITE & 0xff) << CRU_I2C_CONFIG_REG_SHIFT                     \
	}

static const struct roc_protected cru_card_protected[] = {
	{CRU_RSU, CRU_RSU_SIZE},
	CRU_PLL_PROTECTED(CRU_I2C_SI5344),
	CRU_PLL_PROTECTED(CRU_I2C_SI5345_1),
	CRU_PLL_PROTECTED(CRU_I2C_SI5345_2),
	{CRU_I2C_EEPROM + CRU_I2C_COMMAND, 4, CRU_I2C_WRITE, CRU_I2C_WRITE},
	{CRU_FLASH, CRU_FLASH_SIZE},
};

static const struct roc_bar_policy cru_policy[ROC_BARS] = {
	[CRU_BAR_DMA] =
		{
			.access = ROC_BAR_MMAP_READ,
			.writable = cru_dma_writable,
			.writable_count = ARRAY_SIZE(cru_dma_writable),
			.hidden = cru_dma_hidden,
			.hidden_count = ARRAY_SIZE(cru_dma_hidden),
		},
	[CRU_BAR_CARD] =
		{
			.access = ROC_BAR_MMAP_READ | ROC_BAR_MMAP_WRITE | ROC_BAR_REG_WRITE,
			.protected = cru_card_protected,
			.protected_count = ARRAY_SIZE(cru_card_protected),
		},
};

/* Configuration by users that the driver restores after its own function reset. */
static const struct roc_register cru_carried[] = {{CRU_BAR_DMA, CRU_TIME_FRAME}};

#define CRU_MONITOR(_name, _sample, _offset, _stride, _mask)                                       \
	static struct roc_monitor cru_monitor_##_name = {                                          \
		.attr = __ATTR(_name, 0444, roc_monitor_show, NULL),                               \
		.sample = _sample,                                                                 \
		.bar = CRU_BAR_CARD,                                                               \
		.offset = _offset,                                                                 \
		.stride = _stride,                                                                 \
		.mask = _mask,                                                                     \
	}

CRU_MONITOR(cru_id, 0, CRU_USER_CONTROL, 0, CRU_USER_CONTROL_CRU_ID);
CRU_MONITOR(run_enable, 1, CRU_USER_CONTROL, 0, CRU_USER_CONTROL_RUN);
CRU_MONITOR(ctp_clock_hz, 2, CRU_CLOCK_CTP, 0, ROC_ALL_ONES);
CRU_MONITOR(local_clock_hz, 3, CRU_CLOCK_LOCAL, 0, ROC_ALL_ONES);
CRU_MONITOR(dropped_packets, 4, CRU_DATAPATH(0) + CRU_DATAPATH_DROPPED_PACKETS,
	    CRU_DATAPATH(1) - CRU_DATAPATH(0), ROC_ALL_ONES);
CRU_MONITOR(packets_per_second, 5, CRU_DATAPATH(0) + CRU_DATAPATH_PACKET_RATE,
	    CRU_DATAPATH(1) - CRU_DATAPATH(0), ROC_ALL_ONES);

static struct attribute *cru_attrs[] = {
	&cru_monitor_cru_id.attr.attr,
	&cru_monitor_run_enable.attr.attr,
	&cru_monitor_ctp_clock_hz.attr.attr,
	&cru_monitor_local_clock_hz.attr.attr,
	&cru_monitor_dropped_packets.attr.attr,
	&cru_monitor_packets_per_second.attr.attr,
	NULL,
};

ATTRIBUTE_GROUPS(cru);

const struct roc_pool_ops roc_cru_ops = {
	.card =
		{
			.type = ROC_CARD_CRU,
			.name = "cru",
			.channel_type = &roc_pool_type,
			.bar_size = {[CRU_BAR_DMA] = CRU_BAR_DMA_LEAST,
				     [CRU_BAR_CARD] = CRU_BAR_CARD_SIZE},
			.shared_bars = BIT(CRU_BAR_CARD),
			.channels = 1,
			.dma_bits = 64,
			.policy = cru_policy,
			.carried = cru_carried,
			.carried_count = ARRAY_SIZE(cru_carried),
			.channel_size = sizeof(struct cru_channel),
			.groups = cru_groups,
			.temperature_max = 60000,
			.temperature_crit = 80000,
			.temperature = cru_temperature,
			.identity = cru_identity,
			.scratch = &cru_scratch,
			.identity_count = ARRAY_SIZE(cru_identity),
			.foreign = cru_foreign,
			.identify = cru_identify,
			.alive = cru_alive,
			.in_use = cru_in_use,
			.quiesce = cru_quiesce,
			.left_running = cru_left_running,
			.after_reset = cru_after_reset,
			.reset = cru_reset,
		},
	.link_slots = CRU_LINK_SLOTS,
	.superpage_align = CRU_SUPERPAGE_ALIGN,
	.superpage_max = CRU_SUPERPAGE_MAX,
	.peak = CRU_PEAK,
	.page_size = CRU_PAGE_SIZE,
	.sources = BIT(ROC_SOURCE_INTERNAL) | BIT(ROC_SOURCE_DDG) | BIT(ROC_SOURCE_FEE),
	.fills_in_order = true,
	.enabled_links = cru_enabled_links,
	.start = cru_start,
	.flow = cru_flow,
	.push = cru_push,
	.finished = cru_finished,
	.received = cru_received,
	.flush = cru_flush,
	.dropped = cru_dropped,
	.fifo_empty = cru_fifo_empty,
};
