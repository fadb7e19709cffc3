// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event path of a channel: finding it, its two rings, and their registers. See event.h.
 *
 * Nothing here reads a register while data flow. A card that does not bear two accesses at once
 * gets its writes under the card's lock, but they are not pushed out by a read: the contract has a
 * card with this interface bear them. A doorbell that is lost all the same is made good by the next
 * one, or by the watchdog in thread.c.
 */
#include <linux/dma-mapping.h>
#include <linux/pci.h>

#include "pool/event_vsec.h"
#include "pool/pool.h"

const struct roc_block_regs roc_event_regs = {
	.control = EVENT_CONTROL,
	.status = EVENT_STATUS,
	.enable = EVENT_CONTROL_ENABLE,
	.enabled = EVENT_STATUS_ENABLED,
	.quiet = EVENT_STATUS_QUIET,
	.busy = EVENT_STATUS_ENABLED,
	.failed = EVENT_STATUS_SETUP_ERROR,
	.quiet_ms = EVENT_QUIET_MS,
};

/* On the data path: counted. */
static void roc_event_write(struct roc_channel *ch, u32 offset, u32 value)
{
	ch->stats.mmio_writes++;
	roc_block_write(ch, offset, value);
}

static void roc_event_free_rings(struct roc_endpoint *ep, struct roc_event *ev)
{
	roc_dma_free(ep, sizeof(*ev->submit) << ev->submit_log2, ev->submit, ev->submit_bus);
	roc_dma_free(ep, sizeof(*ev->record) << ev->record_log2, ev->record, ev->record_bus);
	ev->submit = NULL;
	ev->record = NULL;
}

/* Rings for all that the channel's links hold; twice the room for records not yet drained. */
static int roc_event_alloc_rings(struct roc_channel *ch, u32 ring_log2)
{
	struct roc_event *ev = &roc_pool(ch)->event;
	struct roc_endpoint *ep = ch->ep;
	struct device *dev = &ep->pdev->dev;
	struct roc_event_sizes sizes;

	if (!roc_event_sizes(roc_block_read(ch, EVENT_LIMITS), roc_pool_ops(ep)->link_slots,
			     ring_log2, &sizes))
		return -EINVAL;
	ev->depth = sizes.depth;
	ev->submit_log2 = sizes.submit_log2;
	ev->record_log2 = ev->submit_log2 + 1;
	ev->submit = dma_alloc_coherent(dev, sizeof(*ev->submit) << ev->submit_log2,
					&ev->submit_bus, GFP_KERNEL);
	ev->record = dma_alloc_coherent(dev, sizeof(*ev->record) << ev->record_log2,
					&ev->record_bus, GFP_KERNEL);
	if (!ev->submit || !ev->record || roc_point_fails(ep, ROC_POINT_EVENT_RINGS))
		return -ENOMEM;
	return 0;
}

static int roc_event_probe_channel(struct roc_channel *ch, const struct roc_event_vsec *vsec)
{
	ch->block = roc_block(ch->ep, &vsec->block[ch->number]);
	return roc_event_alloc_rings(ch, vsec->ring_log2);
}

/*
 * Without the capability, or with one that does not hold what it declares, the card is used as a
 * plain one, and 0 is returned. -ENOMEM is no fault of the card.
 */
int roc_event_probe(struct roc_endpoint *ep)
{
	struct roc_event_vsec vsec;
	int found, err = 0;
	const char *reason;
	unsigned int i;

	found = roc_block_find(ep, &roc_event_contract, &vsec, &reason);
	if (!found)
		return 0;
	if (found > 0)
		reason = roc_block_check(ep, &roc_event_contract, &vsec);
	for (i = 0; i < ep->ops->channels && !reason && !err; i++)
		err = roc_event_probe_channel(&ep->channels[i], &vsec);
	if (err) {
		roc_event_remove(ep);
		reason = "its limits or rings are too small";
	}
	if (err == -ENOMEM)
		return err;
	if (reason) {
		dev_warn(&ep->pdev->dev, "the event capability is not used: %s\n", reason);
		return 0;
	}
	roc_block_interrupts(ep, &vsec.function, vsec.vectors, EVENT_CAUSE_ALL);
	ep->caps |= ROC_CAP_EVENTS;
	return 0;
}

void roc_event_remove(struct roc_endpoint *ep)
{
	unsigned int c;

	for (c = 0; c < ep->ops->channels; c++) {
		roc_event_free_rings(ep, &roc_pool(&ep->channels[c])->event);
		ep->channels[c].block = NULL;
	}
	ep->irqs.block = NULL;
}

/*
 * Is a record missing that the card has counted? The read of the count comes back behind the
 * records that it counts. Of a card that is gone the answer means nothing.
 */
bool roc_event_missing(struct roc_channel *ch)
{
	const struct roc_event *ev = &roc_pool(ch)->event;
	u32 behind = roc_block_read(ch, EVENT_WRITTEN) - ev->consumed;

	return behind && behind <= 1u << ev->record_log2 && !roc_event_next(ev);
}

static bool roc_event_setup(struct roc_channel *ch, u32 start)
{
	struct roc_event *ev = &roc_pool(ch)->event;

	roc_block_write64(ch, EVENT_SUBMIT_LOW, ev->submit_bus);
	roc_block_write(ch, EVENT_SUBMIT_SIZE, ev->submit_log2);
	roc_block_write64(ch, EVENT_RECORD_LOW, ev->record_bus);
	roc_block_write(ch, EVENT_RECORD_SIZE, ev->record_log2);
	roc_block_write(ch, EVENT_MODERATION, ev->moderation);
	roc_block_write(ch, EVENT_VECTOR, ch->vector[0] < 0 ? FUNCTION_VECTOR_NONE : ch->vector[0]);
	return true;
}

/*
 * For the backend, between the reset of the channel and its start. The card refuses when an
 * address did not arrive, so a lost write is seen.
 */
int roc_event_enable(struct roc_channel *ch)
{
	struct roc_event *ev = &roc_pool(ch)->event;
	u32 status;
	int err;

	if (!roc_pool_events(roc_pool_run(roc_run(ch->open))))
		return 0;
	memset(ev->record, 0, sizeof(*ev->record) << ev->record_log2);
	ev->published = 0;
	ev->rung = 0;
	ev->consumed = 0;
	ev->notified = 0;
	ev->moderation = 0;
	err = roc_block_enable(ch, roc_event_setup, 0, &status);
	ev->on = !err;
	ev->refused = err && status != ROC_ALL_ONES && status & EVENT_STATUS_SETUP_ERROR;
	return err;
}

/* With the event interface; -EIO: the card may still write. */
int roc_event_disable(struct roc_channel *ch)
{
	roc_pool(ch)->event.on = false;
	return ch->block ? roc_block_disable(ch) : 0;
}

/* May one more descriptor be published? One record's room is kept for the END. */
bool roc_event_space(const struct roc_event *ev, u32 in_flight)
{
	return in_flight < 1u << ev->submit_log2 &&
	       ev->published - ev->notified + 2 <= 1u << ev->record_log2;
}

/* Number of the descriptor. The card hears of it by roc_event_ring(). */
u32 roc_event_push(struct roc_event *ev, unsigned int link, u64 bus, u32 length)
{
	struct event_descriptor *d = &ev->submit[ev->published & ((1u << ev->submit_log2) - 1)];

	d->address = cpu_to_le64(bus);
	d->length = cpu_to_le32(length);
	d->link = cpu_to_le16(link);
	d->flags = 0;
	return ev->published++;
}

/* One write for all that was pushed. Its barrier orders the descriptors before it. */
void roc_event_ring(struct roc_channel *ch)
{
	struct roc_event *ev = &roc_pool(ch)->event;

	if (ev->rung == ev->published)
		return;
	ev->rung = ev->published;
	roc_event_write(ch, EVENT_DOORBELL, ev->published);
}

/* Is the next record there? Also without the channel lock, by the interrupt handler. */
bool roc_event_next(const struct roc_event *ev)
{
	return roc_record_present(ev->record, ev->record_log2, READ_ONCE(ev->consumed));
}

/* Is a record missing that the card has written records behind? */
bool roc_event_hole(const struct roc_event *ev)
{
	return roc_record_hole(ev->record, ev->record_log2, ev->consumed);
}

/* Give the room back and ask for one interrupt: no record can be missed, see 7.1. */
void roc_event_arm(struct roc_channel *ch)
{
	struct roc_event *ev = &roc_pool(ch)->event;

	ev->notified = ev->consumed;
	roc_event_write(ch, EVENT_ARM, ev->consumed);
}

/* The same without the interrupt, when a quarter of the ring waits to be given back. */
void roc_event_release_space(struct roc_channel *ch)
{
	struct roc_event *ev = &roc_pool(ch)->event;

	if (ev->consumed - ev->notified < 1u << ev->record_log2 >> 2)
		return;
	ev->notified = ev->consumed;
	roc_event_write(ch, EVENT_CONSUMED, ev->consumed);
}

/* Of a new rate; @longest is the most that is ever wanted for it. */
void roc_event_moderate(struct roc_channel *ch, u32 count, u32 us, u32 longest)
{
	struct roc_event *ev = &roc_pool(ch)->event;
	struct roc_moderation last = {.count = EVENT_MODERATION_COUNT(ev->moderation),
				      .us = EVENT_MODERATION_US(ev->moderation)};
	struct roc_moderation next = {.count = min_t(u32, count, U16_MAX),
				      .us = min_t(u32, us, U16_MAX)};

	if (!roc_moderation_changed(&last, &next, longest))
		return;
	ev->moderation = EVENT_MODERATION_VALUE(next.count, next.us);
	roc_event_write(ch, EVENT_MODERATION, ev->moderation);
}

/* A write may have been lost: say again what the card should know. */
void roc_event_repeat(struct roc_channel *ch)
{
	struct roc_event *ev = &roc_pool(ch)->event;

	ev->notified = ev->consumed;
	roc_event_write(ch, EVENT_CONSUMED, ev->consumed);
	roc_event_write(ch, EVENT_DOORBELL, ev->published);
}
