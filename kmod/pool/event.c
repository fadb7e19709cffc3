// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event path of a channel: probe, the two rings and their registers. See event.h.
 *
 * No function here reads a register while data flow. For a card that does not tolerate concurrent
 * accesses the writes are made under the card lock, but no read flushes them: the contract requires
 * that a card with this interface tolerates unflushed writes. If a doorbell is lost nevertheless,
 * the next one or the watchdog in thread.c repeats it.
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

/* Writes of the data path are counted. */
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

/* The record ring has twice the entries of the submission ring, for records not yet consumed. */
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
 * If the card has no event capability, or an invalid one, the driver uses the card without events,
 * and this returns 0. -ENOMEM is not the card's fault and fails the probe.
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
		reason = "the limits or rings are too small";
	}
	if (err == -ENOMEM)
		return err;
	if (reason) {
		dev_warn(&ep->pdev->dev, "ignoring the event capability: %s\n", reason);
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
 * Return true if a record is missing that the card has counted. The card answers the read of the
 * count only after the records that it counts. If the card is gone the result is meaningless.
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
 * Enable the event path. The backend calls it between the reset of the channel and its start. If a
 * ring address was lost the card refuses the setup, so a lost write is detected.
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

/* Disable the event path, if the card has one. -EIO: the card may still write. */
int roc_event_disable(struct roc_channel *ch)
{
	roc_pool(ch)->event.on = false;
	return ch->block ? roc_block_disable(ch) : 0;
}

/* Return true if one more descriptor may be published. One record is reserved for END. */
bool roc_event_space(const struct roc_event *ev, u32 in_flight)
{
	return in_flight < 1u << ev->submit_log2 &&
	       ev->published - ev->notified + 2 <= 1u << ev->record_log2;
}

/* Write a descriptor and return its number. roc_event_ring() notifies the card. */
u32 roc_event_push(struct roc_event *ev, unsigned int link, u64 bus, u32 length)
{
	struct event_descriptor *d = &ev->submit[ev->published & ((1u << ev->submit_log2) - 1)];

	d->address = cpu_to_le64(bus);
	d->length = cpu_to_le32(length);
	d->link = cpu_to_le16(link);
	d->flags = 0;
	return ev->published++;
}

/* Ring the doorbell for all new descriptors. The write's barrier orders them before it. */
void roc_event_ring(struct roc_channel *ch)
{
	struct roc_event *ev = &roc_pool(ch)->event;

	if (ev->rung == ev->published)
		return;
	ev->rung = ev->published;
	roc_event_write(ch, EVENT_DOORBELL, ev->published);
}

/* Return true if the next record is there. The interrupt handler calls it without channel lock. */
bool roc_event_next(const struct roc_event *ev)
{
	return roc_record_present(ev->record, ev->record_log2, READ_ONCE(ev->consumed));
}

/* Return true if the next record is missing although a later one is there. */
bool roc_event_hole(const struct roc_event *ev)
{
	return roc_record_hole(ev->record, ev->record_log2, ev->consumed);
}

/*
 * Report the consumed records and request one interrupt. No record can be missed: see section 7.1
 * of the contract.
 */
void roc_event_arm(struct roc_channel *ch)
{
	struct roc_event *ev = &roc_pool(ch)->event;

	ev->notified = ev->consumed;
	roc_event_write(ch, EVENT_ARM, ev->consumed);
}

/* Report the consumed records without an interrupt, once they are a quarter of the ring. */
void roc_event_release_space(struct roc_channel *ch)
{
	struct roc_event *ev = &roc_pool(ch)->event;

	if (ev->consumed - ev->notified < 1u << ev->record_log2 >> 2)
		return;
	ev->notified = ev->consumed;
	roc_event_write(ch, EVENT_CONSUMED, ev->consumed);
}

/* Set interrupt moderation if it has changed enough. @longest: upper bound of @us. */
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

/* Rewrite both indices, because a write may have been lost. */
void roc_event_repeat(struct roc_channel *ch)
{
	struct roc_event *ev = &roc_pool(ch)->event;

	ev->notified = ev->consumed;
	roc_event_write(ch, EVENT_CONSUMED, ev->consumed);
	roc_event_write(ch, EVENT_DOORBELL, ev->published);
}
