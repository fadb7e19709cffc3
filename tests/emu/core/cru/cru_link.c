// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One link of the CRU's DMA block: descriptors in, filled superpages out, sizes to be read.
 */
#include "cru.h"

#include <string.h>

uint32_t cru_link_queued(const struct cru_link *k)
{
	return k->fifo_count + k->open;
}

static void append(struct cru_ep *ep, unsigned int l, uint64_t addr, uint32_t size, uint32_t number)
{
	struct cru_link *k = &ep->link[l];

	k->fifo[(k->fifo_head + k->fifo_count) % CRU_DEPTH_MAX] = (struct cru_desc){
		.addr = addr,
		.size = size,
		.usable_ns = cru_now(ep->card) + ep->set.refill_us * 1000ull,
		.number = number,
		.order = k->pushed++,
	};
	k->fifo_count++;
	if (ep->internal_link == CRU_NO_LINK)
		ep->internal_link = l;
}

enum event_put cru_link_put(struct cru_ep *ep, unsigned int l, uint64_t addr, uint32_t bytes,
			    uint32_t number)
{
	if (!bytes || bytes % CRU_PAGE_SIZE || bytes > CRU_SUPERPAGE_MAX || addr % 4)
		return cru_link_queued(&ep->link[l]) ? EVENT_PUT_FULL : EVENT_PUT_BAD;
	if (cru_link_queued(&ep->link[l]) >= ep->set.depth)
		return EVENT_PUT_FULL;
	append(ep, l, addr, bytes, number);
	return EVENT_PUT_TAKEN;
}

void cru_link_push(struct cru_ep *ep, unsigned int l, uint32_t pages)
{
	struct cru_link *k = &ep->link[l];
	uint64_t addr = (uint64_t)k->high << 32 | k->low;

	if (event_enabled(&ep->events, 0)) {
		event_pushed(&ep->events, 0);
		return;
	}
	/*
	 * The behaviour of the card with such a descriptor is unknown. Count it and do not use it.
	 */
	if (!pages || pages > CRU_SP_SIZE_BYTES / CRU_PAGE_SIZE + 1 || addr % 4) {
		ep->bad_descriptor++;
		return;
	}
	if (cru_link_queued(k) >= ep->set.depth) {
		ep->fifo_overflow++;
		return;
	}
	append(ep, l, addr, pages * CRU_PAGE_SIZE, 0);
}

static void found_empty(struct cru_link *k)
{
	if (!k->starving) {
		k->starving = true;
		k->empty++;
	}
}

static struct cru_desc *waiting(struct cru_link *k, uint32_t i)
{
	return &k->fifo[(k->fifo_head + i) % CRU_DEPTH_MAX];
}

/* Restore the order of the host's pushes, which recycling has rotated. */
static void put_in_order(struct cru_link *k)
{
	uint32_t i, j;

	for (i = 1; i < k->fifo_count; i++) {
		struct cru_desc d = *waiting(k, i);

		for (j = i; j && waiting(k, j - 1)->order > d.order; j--)
			*waiting(k, j) = *waiting(k, j - 1);
		*waiting(k, j) = d;
	}
	k->rotated = false;
}

bool cru_link_open(struct cru_ep *ep, unsigned int l, uint64_t now, uint64_t *when)
{
	struct cru_link *k = &ep->link[l];

	if (k->open)
		return true;
	*when = CARD_STEP_IDLE;
	if (k->rotated && !ep->set.recycle)
		put_in_order(k);
	if (!k->fifo_count) {
		found_empty(k);
		return false;
	}
	if (k->fifo[k->fifo_head].usable_ns > now) {
		found_empty(k);
		*when = k->fifo[k->fifo_head].usable_ns;
		return false;
	}
	k->cur = k->fifo[k->fifo_head];
	k->fifo_head = (k->fifo_head + 1) % CRU_DEPTH_MAX;
	k->fifo_count--;
	k->open = true;
	k->starving = false;
	k->used = 0;
	k->cur_packets = 0;
	return true;
}

/*
 * Reuse the superpage as if the host had returned it at once. This shows the card's speed without
 * waits.
 */
static void use_again(struct cru_link *k, uint64_t now)
{
	k->n.recycled += k->used;
	k->n.discarded += k->cur_packets;
	k->cur.usable_ns = now;
	*waiting(k, k->fifo_count++) = k->cur;
	k->rotated = true;
	k->open = false;
}

/* Read the clock here: the stamp must be the time of completion, not that of the step's start. */
static void stamp(struct cru_ep *ep, const struct cru_link *k)
{
	const struct card_host *host = ep->card->host;
	uint64_t now = cru_now(ep->card) + ep->fault.late_ms * 1000000;
	size_t len = sizeof(now);
	void *ptr;

	if (host->dma(host->ctx, ep->nr, k->cur.addr, &len, &ptr) == CARD_DMA_OK &&
	    len == sizeof(now))
		memcpy(ptr, &now, sizeof(now));
}

static void report(struct cru_ep *ep, unsigned int l, const struct cru_done *d)
{
	const struct cru_desc *cur = &ep->link[l].cur;
	uint32_t status = l;

	if (d->bytes < cur->size)
		status |= EVENT_RECORD_PARTIAL;
	if (ep->flushing)
		status |= EVENT_RECORD_FLUSHED;
	event_finish(&ep->events, 0,
		     &(struct event_done){.due_ns = d->due_ns,
					  .number = cur->number,
					  .bytes = d->bytes,
					  .status = status});
}

void cru_link_close(struct cru_ep *ep, unsigned int l, uint64_t now)
{
	struct cru_link *k = &ep->link[l];
	struct cru_done *d;

	if (!k->open || !k->used)
		return;
	/* A superpage that was opened out of order is not reported either. */
	if (ep->set.recycle || k->rotated) {
		use_again(k, now);
		return;
	}
	if (ep->set.stamp)
		stamp(ep, k);
	if (k->made - k->taken == CRU_DONE_MAX) {
		ep->size_overflow++;
		cru_link_count_done(ep, l, UINT64_MAX);
		k->taken++; /* the oldest size is lost */
	}
	d = &k->done[k->made++ % CRU_DONE_MAX];
	d->due_ns = now + ep->fault.late_ms * 1000000;
	d->entry = CRU_SP_SIZE_ENTRY((k->number + ep->fault.size_index) & 0xff, k->used);
	d->bytes = k->used;
	d->packets = k->cur_packets;
	ep->fault.size_index = 0;
	k->number++;
	k->open = false;
	if (event_enabled(&ep->events, 0))
		report(ep, l, d);
	else
		cru_link_count_done(ep, l, now);
}

static void show_size(struct cru_ep *ep, struct cru_link *k)
{
	uint32_t entry;

	if (ep->fault.size_never || k->taken == k->counted)
		return;
	entry = k->done[k->taken++ % CRU_DONE_MAX].entry;
	if (k->size_due)
		k->size_reg = k->size_next;
	k->size_due = 0;
	if (ep->fault.size_late_us) {
		k->size_next = entry;
		k->size_due = cru_now(ep->card) + ep->fault.size_late_us * 1000;
	} else {
		k->size_reg = entry;
	}
}

static void count(struct cru_ep *ep, struct cru_link *k)
{
	struct cru_done *d = &k->done[k->counted % CRU_DONE_MAX];

	k->counted++;
	k->ready += 1 + ep->fault.wrong_count;
	ep->fault.wrong_count = 0;
	k->n.superpages++;
	k->n.bytes += d->bytes;
	k->n.packets += d->packets;
}

void cru_link_count(struct cru_ep *ep, unsigned int l)
{
	struct cru_link *k = &ep->link[l];

	count(ep, k);
	k->taken = k->counted; /* the size FIFO is not fed */
}

void cru_link_count_done(struct cru_ep *ep, unsigned int l, uint64_t now)
{
	struct cru_link *k = &ep->link[l];

	if (event_enabled(&ep->events, 0))
		return; /* counted with its record */
	while (k->counted < k->made) {
		if (k->done[k->counted % CRU_DONE_MAX].due_ns > now)
			break;
		count(ep, k);
		if (k->advances) {
			k->advances--;
			show_size(ep, k);
		}
	}
}

void cru_link_advance(struct cru_ep *ep, unsigned int l)
{
	struct cru_link *k = &ep->link[l];

	cru_link_count_done(ep, l, cru_now(ep->card));
	if (k->taken == k->counted)
		k->advances++;
	else
		show_size(ep, k);
}

uint32_t cru_link_size(struct cru_ep *ep, unsigned int l, bool peek)
{
	struct cru_link *k = &ep->link[l];

	if (ep->fault.size_zero)
		return 0;
	if (k->size_due && cru_now(ep->card) >= k->size_due) {
		if (peek)
			return k->size_next;
		k->size_reg = k->size_next;
		k->size_due = 0;
	}
	return k->size_reg;
}

void cru_link_drop_all(struct cru_ep *ep, unsigned int l)
{
	struct cru_link *k = &ep->link[l];

	/*
	 * Count packets that were written and will never be counted in a ready count as discarded.
	 */
	if (k->open)
		k->n.discarded += k->cur_packets;
	for (; k->counted < k->made; k->counted++)
		k->n.discarded += k->done[k->counted % CRU_DONE_MAX].packets;
	k->taken = k->made;
	k->fifo_head = 0;
	k->fifo_count = 0;
	k->rotated = false;
	k->open = false;
	k->used = 0;
	k->cur_packets = 0;
}

void cru_link_reset(struct cru_ep *ep, unsigned int l)
{
	struct cru_link *k = &ep->link[l];

	cru_link_drop_all(ep, l);
	k->high = 0;
	k->low = 0;
	k->made = 0;
	k->counted = 0;
	k->taken = 0;
	k->number = 0;
	k->ready = ep->set.count_start;
	k->size_reg = 0;
	k->size_due = 0;
	k->advances = 0;
	k->starving = false;
}
