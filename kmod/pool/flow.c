// SPDX-License-Identifier: GPL-2.0-only
/*
 * Path of a superpage: from the fill ring into the card, and back into the ready ring.
 *
 * Every superpage that is taken from the fill ring is returned exactly once. The driver reserves
 * space in the ready ring before it takes one, so that always: entries not yet consumed by the
 * reader + superpages in flight <= entries of the ring.
 *
 * All functions run under the channel lock, and allocate no memory. thread.c and run.c call them. A
 * protocol violation of the card is only returned: core/run.c ends the run.
 */
#include <linux/poll.h>

#include "core/compat/compat.h"
#include "core/trace.h"
#include "pool/pool.h"

/* Entries of the fill ring per call, so that others get the channel lock. */
#define ROC_REFILL_MAX 256

/*
 * Detect DMA progress by sentinel values, without a register read.
 *
 * A card that fills its superpages in order has finished one as soon as it has started the next. So
 * the driver writes a sentinel to the first word of a superpage, and of its last DMA page. The card
 * has started that page when the sentinel is gone.
 *
 * A reader that writes into superpages it has submitted can fake progress. The driver always reads
 * the card's size entry, which carries a sequence number, so only that reader's run ends. With
 * firmware that has no size entries nothing could confirm the sentinels, and none are written.
 */

static u64 *roc_flight_word(const struct roc_flight *flight, u64 at)
{
	u64 address;

	if (roc_extents_find(&flight->buffer->memory, flight->fill.offset + at, sizeof(u64),
			     &address))
		return NULL;
	return (u64 *)(uintptr_t)address;
}

/* Find the words for the sentinels. A superpage at an offset that is no multiple of 8 has none. */
static void roc_sentinel_find(struct roc_pool_run *p, struct roc_flight *flight)
{
	const struct roc_pool_ops *ops = roc_pool_ops(p->ch->ep);

	flight->first = NULL;
	if (!ops->fills_in_order || p->pool->no_sizes || !flight->buffer->memory.count ||
	    flight->fill.offset % sizeof(u64))
		return;
	flight->first = roc_flight_word(flight, 0);
	flight->last = roc_flight_word(flight, flight->fill.length - ops->page_size);
	if (!flight->last)
		flight->first = NULL;
}

/* Before the superpage is pushed: the register write of the push orders these writes before it. */
static void roc_sentinel_write(struct roc_pool_run *p, struct roc_flight *flight)
{
	if (!flight->first || p->pool->event.on)
		return;
	flight->saved_first = *flight->first;
	flight->saved_last = *flight->last;
	WRITE_ONCE(*flight->first, p->sentinel);
	WRITE_ONCE(*flight->last, p->sentinel);
}

/* Restore the words that the card did not overwrite, once it is done with the superpage. */
static void roc_sentinel_clear(struct roc_pool_run *p, const struct roc_flight *flight)
{
	if (!flight->first || p->pool->event.on)
		return;
	if (READ_ONCE(*flight->last) == p->sentinel)
		WRITE_ONCE(*flight->last, flight->saved_last);
	if (READ_ONCE(*flight->first) == p->sentinel)
		WRITE_ONCE(*flight->first, flight->saved_first);
}

static bool roc_sentinel_started(struct roc_pool_run *p, struct roc_link *link, u32 index)
{
	const struct roc_flight *flight = roc_flight(p, link, index);

	return flight->first && READ_ONCE(*flight->first) != p->sentinel;
}

/* Number of superpages of @link that are finished, because the card has started the next one. */
u32 roc_sentinel_finished(struct roc_pool_run *p, struct roc_link *link)
{
	u32 n = 0;

	while (link->tail + n + 1 != link->head &&
	       roc_sentinel_started(p, link, link->tail + n + 1))
		n++;
	return n;
}

enum roc_sentinel_stage roc_sentinel_stage(struct roc_pool_run *p, struct roc_link *link)
{
	const struct roc_flight *flight = roc_flight(p, link, link->tail);

	if (!flight->first)
		return ROC_STAGE_UNKNOWN;
	if (READ_ONCE(*flight->last) != p->sentinel)
		return ROC_STAGE_LAST_PAGE;
	return roc_sentinel_started(p, link, link->tail) ? ROC_STAGE_BEGUN : ROC_STAGE_UNTOUCHED;
}

/* Number of superpages, of all links, that sentinels show as finished. */
u32 roc_sentinel_finished_all(struct roc_pool_run *p)
{
	unsigned int i;
	u32 n = 0;

	for (i = 0; i < p->link_count; i++)
		if (p->link[i].head != p->link[i].tail)
			n += roc_sentinel_finished(p, &p->link[i]);
	return n;
}

static void roc_pool_return(struct roc_pool_run *p, const struct roc_fill *fill, int link,
			    u32 bytes, u32 flags, enum roc_reason reason, u64 now)
{
	struct roc_ready ready = {
		.cookie = fill->cookie,
		.offset = fill->offset,
		.time = now,
		.sequence = p->sequence++,
		.buffer = fill->buffer,
		.length = fill->length,
		.received = bytes,
		.link = link,
		.flags = flags,
		.reason = reason,
		.run = p->run.number,
	};

	trace_roc_ready(p->ch, &ready);
	roc_ring_ready_put(&p->rings, &ready);
}

void roc_pool_publish(struct roc_pool_run *p)
{
	lockdep_assert_held(&p->ch->lock);
	if (!roc_ring_publish(&p->rings))
		return;
	wake_up_interruptible_poll(&p->run.open.wait, EPOLLIN | EPOLLRDNORM);
	spin_lock_irq(&p->ch->run_lock);
	p->run.queue[0].count = p->rings.ready_published;
	roc_queue_wake(&p->run, &p->run.queue[0]);
	spin_unlock_irq(&p->ch->run_lock);
	roc_open_signal(&p->run.open);
}

/* Number of fill entries that may be taken without overcommitting the ready ring. */
u32 roc_pool_space(struct roc_pool_run *p)
{
	/* The reader's index may claim more entries than the superpages in flight leave. */
	u32 used = roc_ring_ready_count(&p->rings) + p->in_flight;

	return p->rings.ready_entries - min(used, p->rings.ready_entries);
}

static enum roc_reason roc_fill_check(struct roc_pool_run *p, const struct roc_fill *fill,
				      struct roc_flight *flight)
{
	const struct roc_pool_ops *ops = roc_pool_ops(p->ch->ep);
	int err;

	if (fill->reserved)
		return ROC_REASON_RESERVED;
	flight->buffer = xa_load(&p->run.open.buffers, fill->buffer);
	if (!flight->buffer)
		return ROC_REASON_HANDLE;
	if (!fill->length || fill->length % ops->superpage_align ||
	    fill->length > ops->superpage_max)
		return ROC_REASON_LENGTH;
	if (fill->offset % 4)
		return ROC_REASON_ALIGN;
	err = roc_extents_find(&flight->buffer->extents, fill->offset, fill->length, &flight->bus);
	if (err == -ERANGE)
		return ROC_REASON_RANGE;
	if (err)
		return ROC_REASON_EXTENT;
	roc_sentinel_find(p, flight);
	return ROC_REASON_NONE;
}

/* Return the link with the fewest superpages, the first one on a tie. NULL: all are full. */
static struct roc_link *roc_emptiest_link(struct roc_pool_run *p)
{
	struct roc_link *best = NULL;
	u32 fewest = p->depth;
	unsigned int i;

	for (i = 0; i < p->link_count; i++) {
		u32 queued = p->link[i].head - p->link[i].tail;

		if (queued < fewest) {
			fewest = queued;
			best = &p->link[i];
		}
	}
	return best;
}

/*
 * Count an upper bound of the time that a link had no superpage: since it was last seen to have
 * one. On a card that takes one superpage at a time, this gap is the overhead of the driver.
 */
static void roc_link_count_gap(struct roc_pool_run *p, struct roc_link *link)
{
	u64 gap;

	if (link->head != link->tail || !link->busy)
		return;
	gap = div_u64(ktime_get_ns() - link->busy, NSEC_PER_USEC);
	p->pool->stats.gaps[min_t(unsigned int, fls64(gap), ROC_GAPS - 1)]++;
}

static void roc_flight_sync(struct roc_endpoint *ep, const struct roc_flight *flight, bool to_card)
{
	roc_buffer_sync(ep, flight->buffer, flight->fill.offset, flight->fill.length, flight->bus,
			to_card);
}

/* Push a superpage. -EIO: the card did not accept it; it counts as in flight until reclaimed. */
static int roc_pool_push(struct roc_pool_run *p, struct roc_link *link, struct roc_flight *flight,
			 u64 now)
{
	struct roc_channel *ch = p->ch;
	struct roc_event *ev = &p->pool->event;
	bool first = link->head == link->tail;
	int err;

	if (flight->buffer->sync)
		roc_flight_sync(ch->ep, flight, true);
	/* The driver does not poll an empty link, so the time of its next poll is out of date. */
	if (first)
		roc_pace_pushed(&link->pace, now);
	roc_sentinel_write(p, flight);
	if (ev->on) {
		flight->number = roc_event_push(ev, link->slot, flight->bus, flight->fill.length);
		link->unrung++;
		err = 0;
	} else {
		ch->dma_configured = true;
		err = roc_pool_ops(ch->ep)->push(ch, link->slot, flight->bus, flight->fill.length);
	}
	roc_link_count_gap(p, link);
	*roc_flight(p, link, link->head++) = *flight;
	p->in_flight++;
	p->in_flight_bytes += flight->fill.length;
	link->busy = first ? ktime_get_ns() : now;
	p->pool->stats.pushed++;
	trace_roc_push(ch, link->slot, &flight->fill);
	return err;
}

/* Number of superpages that the reader has submitted and that the card could take now. */
u32 roc_pool_submittable(struct roc_pool_run *p)
{
	u32 space = p->link_count * p->depth - p->in_flight;

	return min3(roc_ring_fill_count(&p->rings), roc_pool_space(p), space);
}

/*
 * Ring the doorbell, which is a register write, only when at least a quarter of the superpages of
 * some link are new to the card.
 */
static void roc_pool_ring_doorbell(struct roc_pool_run *p)
{
	bool due = false;
	unsigned int i;

	for (i = 0; i < p->link_count && !due; i++) {
		struct roc_link *link = &p->link[i];

		due = link->unrung && 4 * link->unrung >= link->head - link->tail;
	}
	if (!due)
		return;
	for (i = 0; i < p->link_count; i++)
		p->link[i].unrung = 0;
	roc_event_ring(p->ch);
}

/*
 * Take entries from the fill ring while the card and the ready ring have space. *@left reports why
 * it stopped. Not 0: the card violated the protocol.
 */
enum roc_reason roc_pool_refill(struct roc_pool_run *p, u64 now, enum roc_pool_refill *left)
{
	u32 count = roc_ring_fill_count(&p->rings), space = count ? roc_pool_space(p) : 0;
	u32 most = min3(count, space, (u32)ROC_REFILL_MAX), n;

	lockdep_assert_held(&p->ch->lock);
	for (n = 0; n < most; n++) {
		struct roc_link *link = roc_emptiest_link(p);
		struct roc_flight flight;
		enum roc_reason reason;

		if (!link || (p->pool->event.on && !roc_event_space(&p->pool->event, p->in_flight)))
			break;
		roc_ring_fill_take(&p->rings, &flight.fill);
		reason = roc_fill_check(p, &flight.fill, &flight);
		if (!reason) {
			if (!roc_pool_push(p, link, &flight, now))
				continue;
			return roc_alive(p->ch->ep) ? ROC_REASON_PUSH : ROC_REASON_LOST;
		}
		p->pool->stats.refused++;
		roc_pool_return(p, &flight.fill, -1, 0, ROC_READY_REFUSED, reason, now);
	}
	if (p->pool->event.on)
		roc_pool_ring_doorbell(p);
	if (n < most)
		*left = ROC_REFILL_FULL;
	else if (n == count)
		*left = ROC_REFILL_DONE;
	else
		*left = n == space ? ROC_REFILL_BLOCKED : ROC_REFILL_MORE;
	return ROC_REASON_NONE;
}

/* The oldest superpage of @link is finished: return it to the reader. */
void roc_pool_complete(struct roc_pool_run *p, struct roc_link *link, u32 bytes, u32 flags, u64 now)
{
	struct roc_channel *ch = p->ch;
	struct roc_flight *flight = roc_flight(p, link, link->tail);

	lockdep_assert_held(&p->ch->lock);
	if (flight->buffer->sync)
		roc_flight_sync(ch->ep, flight, false);
	roc_sentinel_clear(p, flight);
	link->tail++;
	p->in_flight--;
	p->in_flight_bytes -= flight->fill.length;
	if (flags & ROC_READY_REFUSED) {
		p->pool->stats.refused++;
		roc_pool_return(p, &flight->fill, link->slot, 0, flags, ROC_REASON_PUSH, now);
		return;
	}
	/* A card without events may finish an empty superpage. A record of 0 bytes is invalid. */
	if (!bytes)
		flags |= ROC_READY_SHORT;
	p->pool->stats.damaged += !!(flags & ROC_READY_DAMAGED);
	p->pool->stats.short_superpages += !!(flags & ROC_READY_SHORT);
	p->pool->stats.completed++;
	ch->stats.bytes += bytes;
	roc_pool_return(p, &flight->fill, link->slot, bytes, flags, ROC_REASON_NONE, now);
}

/* Return all superpages in the card, unfilled. The card must be quiesced. */
u32 roc_pool_reclaim(struct roc_pool_run *p, enum roc_reason reason)
{
	u64 now = ktime_get_ns();
	u32 count = 0;
	unsigned int i;

	lockdep_assert_held(&p->ch->lock);
	for (i = 0; i < p->link_count; i++) {
		struct roc_link *link = &p->link[i];

		for (; link->tail != link->head; link->tail++, count++) {
			const struct roc_flight *flight = roc_flight(p, link, link->tail);

			roc_sentinel_clear(p, flight);
			roc_pool_return(p, &flight->fill, link->slot, 0, ROC_READY_RECLAIMED,
					reason, now);
		}
	}
	p->in_flight = 0;
	p->in_flight_bytes = 0;
	p->pool->stats.reclaimed += count;
	return count;
}
