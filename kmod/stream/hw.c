// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of streams: find them by the capability (section 2 of the contract), start and stop a
 * stream, and write the two registers of the data path. No register is read while data flow.
 */
#include <linux/pci.h>

#include "stream/stream.h"

const struct roc_block_regs roc_stream_regs = ROC_BLOCK_REGS(STREAM_LOAD_MS);

void roc_stream_defaults(struct roc_stream *st)
{
	st->settings = (struct roc_stream_settings){
		.interrupt_time = 30 * NSEC_PER_MSEC,
	};
}

static void roc_stream_name(struct roc_stream *st, u32 type)
{
	st->type = STREAM_TYPE_KIND(type);
	if (st->type == STREAM_TYPE_MAIN)
		strscpy(st->name, "main", sizeof(st->name));
	else if (st->type == STREAM_TYPE_META)
		strscpy(st->name, "meta", sizeof(st->name));
	else
		snprintf(st->name, sizeof(st->name), "%s%u",
			 st->type == STREAM_TYPE_ODIN ? "odin" : "stream",
			 STREAM_TYPE_NUMBER(type));
}

static const char *roc_stream_probe_one(struct roc_channel *ch, const struct roc_stream_vsec *vsec,
					u16 type)
{
	struct roc_endpoint *ep = ch->ep;
	struct roc_stream *st = roc_stream(ch);
	u32 is;

	roc_stream_defaults(st);
	st->open = roc_block(ep, &vsec->settings[ch->number]);
	ch->block = roc_block(ep, &vsec->stream[ch->number]);
	st->card = roc_block(ep, &vsec->card);
	st->doorbell.exists = true;
	st->doorbell.bar = vsec->doorbell[ch->number].bar;
	st->doorbell.offset = vsec->doorbell[ch->number].offset;
	st->ring_max = 1ull << vsec->ring_log2;
	st->segments_max = vsec->segments;
	st->clock = ioread32(st->card + CARD_CLOCK);
	if (!st->clock || st->clock == ROC_ALL_ONES)
		return "the clock register is invalid";
	is = ioread32(ch->block + STREAM_TYPE);
	roc_stream_name(st, is);
	return (is & 0xffff) == type ? NULL
				     : "the streams are not in the order that user space expects";
}

/*
 * User space writes the open registers without the driver, at the offsets and in the stream order
 * of the PCI ID. A card with another layout would get wrong settings, so the probe fails.
 */
int roc_stream_probe(struct roc_endpoint *ep)
{
	const struct roc_stream_ops *ops = container_of(ep->ops, const struct roc_stream_ops, card);
	unsigned int c, channels = ep->ops->channels;
	struct roc_stream_vsec vsec;
	const char *reason;

	if (roc_block_find(ep, &roc_stream_contract, &vsec, &reason) > 0)
		reason = roc_stream_vsec_agrees(&vsec, channels, &ops->open)
				 ? roc_block_check(ep, &roc_stream_contract, &vsec)
				 : "the open registers are not where user space expects them";
	for (c = 0; c < channels && !reason; c++)
		reason = roc_stream_probe_one(&ep->channels[c], &vsec, ops->types[c]);
	if (reason) {
		dev_err(&ep->pdev->dev, "failed to set up the stream interface: %s\n", reason);
		return -ENODEV;
	}
	roc_block_interrupts(ep, &vsec.function, vsec.vectors,
			     STREAM_CAUSE_ALL & ~STREAM_CAUSE_THROTTLE);
	ep->caps |= ROC_CAP_STREAMS;
	return 0;
}

/* Disable a stream. Once it has verifiably stopped its counters are final. */
int roc_stream_disable(struct roc_channel *ch)
{
	int err = roc_block_disable(ch);

	if (!err)
		roc_stream_refresh(ch);
	return err;
}

static u32 roc_stream_irq_bytes(const struct roc_run *run)
{
	const struct roc_stream *st = roc_stream(run->open.ch);
	u64 ring = 1ull << roc_stream_ring(run)->log2;

	return READ_ONCE(st->settings.interrupt_bytes) ?: min_t(u64, ring / 4, 8 << 20);
}

/* Value of the segment register: log2 of the bytes of a segment; 0: the ring is contiguous. */
static u32 roc_stream_segment(const struct roc_stream_ring *ring)
{
	return ring->shared.table ? ring->segment : 0;
}

/*
 * A lost register write must not make the card use a larger ring, or use the segment table as the
 * ring, so those registers are read back. If another write is lost, interrupts come late or not at
 * all, which costs time only.
 */
bool roc_stream_setup(struct roc_channel *ch, u32 position)
{
	const struct roc_stream *st = roc_stream(ch);
	struct roc_run *run = roc_run(ch->open);
	const struct roc_stream_ring *ring = roc_stream_ring(run);

	roc_run_settings(run);
	roc_block_write64(ch, STREAM_RING_LOW, ring->bus);
	roc_block_write(ch, STREAM_RING_SIZE, ring->log2);
	roc_block_write(ch, STREAM_SEGMENT_SIZE, roc_stream_segment(ring));
	roc_block_write64(ch, STREAM_PAGE_LOW, ring->shared.area[ROC_AREA_CARD].bus);
	roc_block_write(ch, STREAM_START, position);
	roc_block_write(ch, STREAM_IRQ_BYTES, roc_stream_irq_bytes(run));
	roc_block_write(ch, STREAM_IRQ_NS, READ_ONCE(st->settings.interrupt_time));
	roc_block_write(ch, STREAM_VECTOR,
			ch->vector[0] < 0 ? FUNCTION_VECTOR_NONE : ch->vector[0]);
	return roc_block_read(ch, STREAM_START) == position &&
	       roc_block_read(ch, STREAM_RING_SIZE) == ring->log2 &&
	       roc_block_read(ch, STREAM_SEGMENT_SIZE) == roc_stream_segment(ring);
}

/* Report the read position to the card, which frees space in the ring. */
void roc_stream_report_read(struct roc_run *run)
{
	struct roc_stream_run *r = roc_stream_run(run);
	struct roc_channel *ch = run->open.ch;
	const struct roc_doorbell *doorbell = &roc_stream(ch)->doorbell;

	lockdep_assert_held(&run->open.ch->run_lock);
	ch->stats.mmio_writes++;
	ch->stats.doorbells++;
	r->known = r->position.read;
	iowrite32(r->position.read, ch->ep->bar[doorbell->bar] + doorbell->offset + STREAM_READ);
}

/*
 * Request one interrupt for data behind the write position, and report the read position. No data
 * can be missed between the poll and this write: see section 7.1 of the contract. One register
 * write does both, so if the reader has released a part of the data the card may raise an interrupt
 * for the rest once more.
 */
u32 roc_stream_arm(struct roc_run *run, struct roc_event_queue *q, u32 seen)
{
	struct roc_stream_run *r = roc_stream_run(run);
	const struct roc_position *p = &r->position;
	struct roc_channel *ch = run->open.ch;
	bool released = p->read != r->known || p->read == p->written;

	lockdep_assert_held(&ch->run_lock);
	seen = released ? p->read : p->written;
	r->known = p->read;
	iowrite32(seen, ch->block + (released ? STREAM_ARM : STREAM_ARM_SEEN));
	return seen;
}

/* Write new settings of a running stream. */
void roc_stream_moderate(struct roc_run *run)
{
	struct roc_channel *ch = run->open.ch;

	lockdep_assert_held(&ch->run_lock);
	ch->stats.mmio_writes += 2;
	iowrite32(roc_stream_irq_bytes(run), ch->block + STREAM_IRQ_BYTES);
	iowrite32(READ_ONCE(roc_stream(ch)->settings.interrupt_time), ch->block + STREAM_IRQ_NS);
}

/* Read the counters of a stream that does not run. False: the card has been removed meanwhile. */
bool roc_stream_read_counters(struct roc_channel *ch, struct stream_counters *counters)
{
	void __iomem *from = roc_stream(ch)->open + STREAM_SET_COUNTERS;
	__le64 *value = &counters->units;
	unsigned int i;

	if (!roc_alive(ch->ep))
		return false;
	BUILD_BUG_ON(offsetof(struct stream_counters, sequence_end) !=
		     offsetof(struct stream_counters, units) + STREAM_COUNTERS * 8);
	for (i = 0; i < STREAM_COUNTERS; i++)
		value[i] = cpu_to_le64(roc_block_counter(from + 8 * i));
	return roc_alive(ch->ep);
}

/*
 * Update the counters of a stream that does not run. The page has the values at the end of the run,
 * which are wrong after a failed run or a function reset.
 */
void roc_stream_refresh(struct roc_channel *ch)
{
	struct stream_counters now = {};

	lockdep_assert_held(&ch->lock);
	if (!roc_stream_read_counters(ch, &now))
		return;
	spin_lock_irq(&ch->run_lock);
	roc_stream(ch)->last = now;
	spin_unlock_irq(&ch->run_lock);
}

/* Read the counters in the card's page. False: the card is writing them; @counters is unchanged. */
bool roc_stream_page_counters(const struct roc_run *run, struct stream_counters *counters)
{
	const struct stream_counters *page = roc_stream_ring_counters(run);
	struct stream_counters copy;
	unsigned int tries;
	__le32 end;

	for (tries = 0; tries < 8; tries++) {
		end = READ_ONCE(page->sequence_end);
		dma_rmb();
		memcpy(&copy, page, sizeof(copy));
		dma_rmb();
		if (READ_ONCE(page->sequence) != end)
			continue;
		*counters = copy;
		return true;
	}
	return false;
}
