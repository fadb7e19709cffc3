// SPDX-License-Identifier: GPL-2.0-only
/*
 * Skeleton of the backend of a card. Copy it to kmod/cards/ and fill it in: see porting.md.
 *
 * "acme" is an imaginary card with one BAR and one channel. The channel takes several superpages at
 * a time and fills them in order. A push takes three writes; there is a counter of finished
 * superpages, and a size register. The tests compile this file, but no card uses it.
 */
#include <linux/delay.h>

#include "pool/pool.h"

/* The offsets of a real card belong in a header that driver, tools and model share. */
#define ACME_BAR 0
#define ACME_ID 0x00
#define ACME_SERIAL 0x04
#define ACME_CONTROL 0x08
#define ACME_CONTROL_RUN (1u << 0)
#define ACME_CONTROL_FLUSH (1u << 1)
#define ACME_CONTROL_RESET (1u << 31)
#define ACME_DEPTH 0x0c
#define ACME_HIGH 0x10
#define ACME_LOW 0x14
#define ACME_PUSH 0x18
#define ACME_FINISHED 0x1c
#define ACME_SIZE 0x20

/* State of a channel. Channel lock. */
struct acme_channel {
	u32 base; /* counter of finished superpages after the reset */
};

/* Count the accesses of the data path, which are the main cost of the driver. */
static u32 acme_read(struct roc_channel *ch, u32 offset)
{
	ch->stats.mmio_reads++;
	return roc_read(ch->ep, ACME_BAR, offset);
}

static void acme_write(struct roc_channel *ch, u32 offset, u32 value)
{
	ch->stats.mmio_writes++;
	roc_write(ch->ep, ACME_BAR, offset, value);
}

static bool acme_alive(struct roc_endpoint *ep)
{
	return roc_read(ep, ACME_BAR, ACME_ID) != ROC_ALL_ONES;
}

static const struct roc_register acme_identity[] = {{ACME_BAR, ACME_ID}};

/* Read all constants. Bus mastering is disabled. */
static int acme_identify(struct roc_endpoint *ep)
{
	ep->number = 0;
	ep->serial = roc_parse_serial(roc_read(ep, ACME_BAR, ACME_SERIAL));
	ep->fifo_depth = roc_read(ep, ACME_BAR, ACME_DEPTH);
	ep->caps = ROC_CAP_PARTIAL | ROC_CAP_GENERATOR;
	snprintf(ep->firmware, sizeof(ep->firmware), "%x", roc_read(ep, ACME_BAR, ACME_ID));
	return ep->fifo_depth && ep->fifo_depth <= ROC_FIFO_DEPTH_MAX ? 0 : -EIO;
}

static u32 acme_in_use(struct roc_endpoint *ep, unsigned int bar, u32 offset)
{
	return 0;
}

static u32 acme_enabled_links(struct roc_channel *ch)
{
	return BIT(0);
}

static int acme_reset(struct roc_channel *ch, enum roc_reset_level level)
{
	if (level == ROC_RESET_INTERNAL_SIU)
		return -EOPNOTSUPP;
	if (level == ROC_RESET_INTERNAL)
		roc_write(ch->ep, ACME_BAR, ACME_CONTROL, ACME_CONTROL_RESET);
	return 0;
}

static int acme_start(struct roc_channel *ch, enum roc_source source, u32 links, u32 configure)
{
	struct acme_channel *acme = ch->priv;
	int err;

	acme_reset(ch, ROC_RESET_INTERNAL);
	acme->base = roc_read(ch->ep, ACME_BAR, ACME_FINISHED);
	/* Only after the reset: no superpage of an earlier owner is left in the card. */
	err = roc_bus_master_enable(ch) ?: roc_event_enable(ch);
	if (err)
		return err;
	roc_write(ch->ep, ACME_BAR, ACME_CONTROL, ACME_CONTROL_RUN);
	return 0;
}

static int acme_push(struct roc_channel *ch, unsigned int link, u64 bus, u32 length)
{
	acme_write(ch, ACME_HIGH, upper_32_bits(bus));
	acme_write(ch, ACME_LOW, lower_32_bits(bus));
	acme_write(ch, ACME_PUSH, length);
	return 0;
}

static u32 acme_finished(struct roc_channel *ch, unsigned int link)
{
	struct acme_channel *acme = ch->priv;

	return acme_read(ch, ACME_FINISHED) - acme->base;
}

/*
 * A real card may report the size late: return -EAGAIN at once if not @confirmed, else at @until.
 * -EIO: the size is invalid.
 */
static int acme_received(struct roc_channel *ch, unsigned int link, u32 length, bool confirmed,
			 u64 until, u32 *bytes)
{
	*bytes = acme_read(ch, ACME_SIZE);
	return *bytes <= length ? 0 : -EIO;
}

static void acme_flush(struct roc_channel *ch)
{
	roc_write(ch->ep, ACME_BAR, ACME_CONTROL, ACME_CONTROL_RUN | ACME_CONTROL_FLUSH);
}

/* True if the card may still run for an earlier owner. */
static bool acme_left_running(struct roc_channel *ch)
{
	return roc_read(ch->ep, ACME_BAR, ACME_CONTROL) & ACME_CONTROL_RUN;
}

/*
 * Verify that the reset took effect, and that the card stays idle. If the channel has superpages, a
 * register must change by the reset. If this fails, the driver disables bus mastering.
 */
static int acme_quiesce(struct roc_channel *ch, bool present)
{
	u32 before, after;

	if (!present)
		return 0;
	before = roc_read(ch->ep, ACME_BAR, ACME_FINISHED);
	acme_reset(ch, ROC_RESET_INTERNAL);
	after = roc_read(ch->ep, ACME_BAR, ACME_FINISHED);
	usleep_range(1000, 2000);
	if (after || roc_read(ch->ep, ACME_BAR, ACME_FINISHED))
		return -EIO;
	return ch->dma_configured && before == after ? -ENODATA : 0;
}

/*
 * The BAR has registers for DMA addresses, so users may only read it. A register that reloads
 * firmware or changes non-volatile memory belongs in .protected.
 */
static const struct roc_bar_policy acme_policy[ROC_BARS] = {
	[ACME_BAR] = {.access = ROC_BAR_MMAP_READ},
};

const struct roc_pool_ops roc_acme_ops;
const struct roc_pool_ops roc_acme_ops = {
	.card =
		{
			.type = ROC_CARD_CRU, /* a real card needs a new type in the UAPI */
			.name = "acme",
			.channel_type = &roc_pool_type,
			.bar_size = {[ACME_BAR] = ACME_SIZE + 4},
			.channels = 1,
			.dma_bits = 64,
			.policy = acme_policy,
			.channel_size = sizeof(struct acme_channel),
			.identity = acme_identity,
			.identity_count = ARRAY_SIZE(acme_identity),
			.identify = acme_identify,
			.alive = acme_alive,
			.in_use = acme_in_use,
			.quiesce = acme_quiesce,
			.left_running = acme_left_running,
			.reset = acme_reset,
		},
	.link_slots = 1,
	.superpage_align = 0x8000,
	.superpage_max = 0x1000000 - 0x8000,
	.page_size = 8192,
	.sources = BIT(ROC_SOURCE_INTERNAL) | BIT(ROC_SOURCE_FEE),
	.enabled_links = acme_enabled_links,
	.start = acme_start,
	.push = acme_push,
	.finished = acme_finished,
	.received = acme_received,
	.flush = acme_flush,
};
