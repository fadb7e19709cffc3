// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of a stream: switching it on and off with proof, and the two that are written while
 * data flow. None is read meanwhile.
 */
#include <linux/iopoll.h>
#include <linux/dma-mapping.h>

#include "core/block.h"
#include "stream/stream.h"
#include "stream/trace.h"

#define ROC_LOAD_TRY_US 200
#define ROC_LOAD_US (10 * STREAM_LOAD_MS * USEC_PER_MSEC)
#define ROC_ENABLE_TRIES 3
#define ROC_ENABLE_ERRORS (STREAM_STATUS_SETUP_ERROR | STREAM_STATUS_FETCH_ERROR)

static u32 roc_stream_read(struct roc_channel *ch, u32 offset)
{
	return ioread32(roc_stream(ch)->block + offset);
}

static void roc_stream_write(struct roc_channel *ch, u32 offset, u32 value)
{
	iowrite32(value, roc_stream(ch)->block + offset);
}

static void roc_stream_write64(struct roc_channel *ch, u32 offset, u64 value)
{
	roc_stream_write(ch, offset, lower_32_bits(value));
	roc_stream_write(ch, offset + 4, upper_32_bits(value));
}

u32 roc_stream_status(struct roc_channel *ch)
{
	return roc_stream_read(ch, STREAM_STATUS);
}

/* Of one that was enabled. */
enum roc_why roc_stream_trouble(struct roc_channel *ch)
{
	return roc_block_trouble(roc_stream_status(ch), STREAM_STATUS_ENABLED);
}

static const struct roc_reset_regs roc_stream_resets = {
	.reset = STREAM_RESET,
	.generation = STREAM_GENERATION,
	.status = STREAM_STATUS,
	.quiet = STREAM_STATUS_QUIET,
	.busy = STREAM_STATUS_ENABLED | STREAM_STATUS_LOADING,
	.quiet_ms = STREAM_QUIET_MS,
};

static int roc_stream_reset_proved(struct roc_channel *ch, u32 level)
{
	return roc_block_reset(roc_stream(ch)->block, &roc_stream_resets, level);
}

/*
 * Proved by the card: nothing more comes, or -EIO. For streams that never ran, too. With the proof
 * the counters stand still.
 */
int roc_stream_disable(struct roc_channel *ch)
{
	int err;

	roc_stream_write(ch, STREAM_CONTROL, 0);
	err = roc_stream_reset_proved(ch, STREAM_RESET_LOGIC);
	if (!err)
		roc_stream_refresh(ch);
	return err;
}

/* @level: STREAM_RESET_*. Only COUNTERS and FLUSH while it runs. */
int roc_stream_reset(struct roc_channel *ch, u32 level)
{
	if (level & (STREAM_RESET_LOGIC | STREAM_RESET_DEFAULT))
		return roc_stream_reset_proved(ch, level);
	roc_stream_write(ch, STREAM_RESET, level);
	return roc_stream_status(ch) == ROC_ALL_ONES ? -EIO : 0;
}

static u32 roc_stream_irq_bytes(const struct roc_reader *r)
{
	const struct roc_stream *st = roc_stream(r->open.ch);
	u64 ring = 1ull << r->ring->log2;

	return READ_ONCE(st->settings.interrupt_bytes) ?: min_t(u64, ring / 4, 8 << 20);
}

/* 0: it is in one piece. */
static u32 roc_stream_segment(const struct roc_stream_ring *ring)
{
	return ring->table ? ring->segment : 0;
}

static void roc_stream_setup(struct roc_reader *r, u32 position)
{
	const struct roc_stream_ring *ring = r->ring;
	struct roc_channel *ch = r->open.ch;

	r->changes = READ_ONCE(roc_stream(ch)->settings.changes);
	smp_rmb(); /* what was set with those is written below, or another change is seen later */
	roc_stream_write64(ch, STREAM_RING_LOW, ring->bus);
	roc_stream_write(ch, STREAM_RING_SIZE, ring->log2);
	roc_stream_write(ch, STREAM_SEGMENT_SIZE, roc_stream_segment(ring));
	roc_stream_write64(ch, STREAM_PAGE_LOW, ring->card_bus);
	roc_stream_write(ch, STREAM_START, position);
	roc_stream_write(ch, STREAM_IRQ_BYTES, roc_stream_irq_bytes(r));
	roc_stream_write(ch, STREAM_IRQ_NS, READ_ONCE(roc_stream(ch)->settings.interrupt_time));
	roc_stream_write(ch, STREAM_VECTOR, ch->vector[0] < 0 ? STREAM_VECTOR_NONE : ch->vector[0]);
}

/*
 * A lost register write must not make the card take the ring for larger than it is, or the table of
 * its segments for the ring. What is lost of when to interrupt costs time, and nothing else.
 */
static bool roc_stream_is_set_up(const struct roc_reader *r, u32 position)
{
	const struct roc_stream_ring *ring = r->ring;
	struct roc_channel *ch = r->open.ch;

	return roc_stream_read(ch, STREAM_START) == position &&
	       roc_stream_read(ch, STREAM_RING_SIZE) == ring->log2 &&
	       roc_stream_read(ch, STREAM_SEGMENT_SIZE) == roc_stream_segment(ring);
}

/* Until the card says what came of it. At first it may show nothing at all. */
static u32 roc_stream_enabled(struct roc_channel *ch)
{
	u32 status;

	read_poll_timeout(roc_stream_status, status,
			  status & (STREAM_STATUS_ENABLED | ROC_ENABLE_ERRORS), ROC_LOAD_TRY_US,
			  ROC_LOAD_US, false, ch);
	return status;
}

/*
 * The stream was reset, and has the bus. The card refuses when an address did not arrive, and says
 * what else did. Data may flow from here on, so what is in its page says nothing of the beginning.
 */
int roc_stream_enable(struct roc_reader *r, u32 position)
{
	struct roc_channel *ch = r->open.ch;
	unsigned int tries;
	u32 status;

	for (tries = 0; tries < ROC_ENABLE_TRIES; tries++) {
		roc_stream_setup(r, position);
		if (!roc_stream_is_set_up(r, position))
			continue;
		roc_stream_write(ch, STREAM_CONTROL, STREAM_CONTROL_ENABLE);
		status = roc_stream_enabled(ch);
		if (status == ROC_ALL_ONES)
			break;
		if (status & STREAM_STATUS_ENABLED && !(status & ROC_ENABLE_ERRORS))
			return 0;
		/* What is on its way for this try must not meet the next one. */
		if (roc_stream_disable(ch))
			break;
	}
	return -EIO;
}

/* No further events; what the card has it writes. */
void roc_stream_finish(struct roc_channel *ch)
{
	roc_stream_write(ch, STREAM_CONTROL, STREAM_CONTROL_ENABLE | STREAM_CONTROL_CLOSE);
}

/* Room for the card. stream->lock. */
void roc_stream_tell_read(struct roc_reader *r)
{
	struct roc_channel *ch = r->open.ch;
	struct roc_stream *st = roc_stream(ch);

	ch->stats.mmio_writes++;
	st->stats.doorbells++;
	r->known = r->position.read;
	iowrite32(r->position.read, ch->ep->bar[st->bell_bar] + st->bell + STREAM_READ);
}

/*
 * Ask for one interrupt for what comes behind the write position, and tell of room. There is no
 * moment between looking and arming in which data could be missed: see 7.1 of the contract. It is
 * one register write: of a reader that gave something back, but not all, the card then may tell
 * once more of what lies behind that. stream->lock.
 */
void roc_stream_arm(struct roc_reader *r)
{
	const struct roc_position *p = &r->position;
	struct roc_channel *ch = r->open.ch;
	bool tell = p->read != r->known || p->read == p->written;
	u32 seen = tell ? p->read : p->written;

	ch->stats.mmio_writes++;
	roc_stream(ch)->stats.arms++;
	r->known = p->read;
	/* Without interrupts it is what the watchdog has told of. */
	if (ch->vector[0] >= 0)
		r->seen = seen;
	r->armed = true;
	r->overdue = 0;
	trace_roc_stream_arm(ch->ep->minor, ch->number, seen, p->read);
	roc_stream_write(ch, tell ? STREAM_ARM : STREAM_ARM_SEEN, seen);
}

/* New settings, while it runs. stream->lock. */
void roc_stream_moderate(struct roc_reader *r)
{
	struct roc_channel *ch = r->open.ch;

	ch->stats.mmio_writes += 2;
	roc_stream_write(ch, STREAM_IRQ_BYTES, roc_stream_irq_bytes(r));
	roc_stream_write(ch, STREAM_IRQ_NS, READ_ONCE(roc_stream(ch)->settings.interrupt_time));
}

/* From the registers: when it does not run. False: the card went away meanwhile. */
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
 * Read the counters of a stream that does not run. Without this those who ask get what the page had
 * when the run ended, which a failed run or a function reset makes wrong. Channel lock held.
 */
void roc_stream_refresh(struct roc_channel *ch)
{
	struct roc_stream *st = roc_stream(ch);
	struct stream_counters now = {};

	lockdep_assert_held(&ch->lock);
	if (!roc_stream_read_counters(ch, &now))
		return;
	spin_lock_irq(&st->lock);
	st->last = now;
	spin_unlock_irq(&st->lock);
}

/* From the card's page. False: it is being written, and what was there before is as good. */
bool roc_stream_page_counters(const struct roc_stream_ring *ring, struct stream_counters *counters)
{
	const struct stream_counters *page = roc_ring_counters(ring);
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
