// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The data engine of one endpoint: when data flows, how fast, and every write to host memory.
 */
#include "cru.h"

#include <string.h>

#define NS 1000000000ull
#define PACE_CATCH_UP_NS 10000000 /* lost time beyond this is not made up for */
#define PACE_GRAIN_NS 200000 /* pages closer together go in bursts: to wake up costs CPU time */

bool cru_pace(struct cru_ep *ep, uint64_t now, uint64_t *when)
{
	if (!ep->set.rate)
		return true;
	if (!ep->pace_ns)
		ep->pace_ns = now;
	if (ep->pace_ns > now) {
		*when = ep->pace_ns;
		if (CRU_PAGE_SIZE * NS / ep->set.rate < PACE_GRAIN_NS)
			*when += PACE_GRAIN_NS;
		return false;
	}
	if (ep->pace_ns + PACE_CATCH_UP_NS < now)
		ep->pace_ns = now - PACE_CATCH_UP_NS;
	return true;
}

void cru_pace_spend(struct cru_ep *ep, uint32_t bytes)
{
	if (ep->set.rate)
		ep->pace_ns += bytes * NS / ep->set.rate;
}

static enum cru_put no_master(struct cru_ep *ep)
{
	/* The hard IP holds the request back; one count for each time that happens. */
	if (!ep->no_master)
		ep->dma_no_master++;
	ep->no_master = true;
	return CRU_PUT_WAIT;
}

/* Not all of the page is one mapped range: piece by piece. */
static enum cru_put put_pieces(struct cru_ep *ep, uint64_t addr, const struct page *page)
{
	const struct card_host *host = ep->card->host;
	uint32_t done = 0, bytes = page_bytes(page);

	page_write(ep->scratch_page, page);
	while (done < bytes) {
		size_t len = bytes - done;
		void *ptr;

		switch (host->dma(host->ctx, ep->nr, addr + done, &len, &ptr)) {
		case CARD_DMA_NO_MASTER:
			return no_master(ep);
		case CARD_DMA_OUTSIDE:
			ep->dma_outside++;
			ep->dma_outside_ever++;
			break;
		case CARD_DMA_OK:
			memcpy(ptr, ep->scratch_page + done, len);
			break;
		}
		done += len;
	}
	return CRU_PUT_DONE;
}

enum cru_put cru_engine_put(struct cru_ep *ep, unsigned int l, const struct page *page,
			    uint32_t step)
{
	const struct card_host *host = ep->card->host;
	struct cru_link *k = &ep->link[l];
	size_t len = page_bytes(page);
	struct page faulty = *page;
	void *ptr;

	if (page->payload >= 16 && (ep->inject || ep->fault.flip)) {
		faulty.flip = 1;
		page = &faulty;
	}
	switch (host->dma(host->ctx, ep->nr, k->cur.addr + k->used, &len, &ptr)) {
	case CARD_DMA_NO_MASTER:
		return no_master(ep);
	case CARD_DMA_OK:
		if (len == page_bytes(page)) {
			page_write(ptr, page);
			break;
		}
		/* fall through */
	case CARD_DMA_OUTSIDE:
		if (put_pieces(ep, k->cur.addr + k->used, page) == CRU_PUT_WAIT)
			return CRU_PUT_WAIT;
	}
	if (page->flip && ep->inject)
		ep->inject--;
	else if (page->flip)
		ep->fault.flip--;
	ep->no_master = false;
	ep->dma_writes++;
	k->used += step;
	k->cur_packets++;
	return CRU_PUT_DONE;
}

static uint32_t internal_words(struct cru_ep *ep)
{
	uint32_t words = (ep->generator[0] >> 8 & 0xff) + 1;

	if (ep->generator[0] & CRU_GENERATOR_RANDOM_SIZE) {
		ep->random = ep->random * 1664525 + 1013904223;
		words = (ep->random >> 16) % words + 1;
	}
	return words;
}

/* The internal generator knows one link: it waits while that link has no superpage. */
static uint64_t internal_step(struct cru_ep *ep, uint64_t now, size_t budget)
{
	static const uint32_t constant[4] = {0, 0, 0xa5a5a5a5, 0x12345678};
	uint32_t pattern = ep->generator[0] >> 1 & 3;
	struct page page = {.pattern = pattern < 2 ? PATTERN_COUNTER : PATTERN_CONSTANT};
	size_t moved = 0;
	uint64_t when;
	int l = ep->internal_link;
	struct cru_link *k;

	if (l == CRU_NO_LINK || ep->generator_off)
		return CARD_STEP_IDLE;
	k = &ep->link[l];
	while (moved < budget) {
		if (!cru_pace(ep, now, &when) || !cru_link_open(ep, l, now, &when))
			return when;
		page.payload = internal_words(ep) * 32;
		if (k->cur.size - k->used < page.payload) {
			cru_link_close(ep, l, now);
			continue;
		}
		page.counter = pattern < 2 ? ep->counter : constant[pattern];
		if (cru_engine_put(ep, l, &page, page.payload) == CRU_PUT_WAIT)
			return CARD_STEP_IDLE;
		ep->counter += page.payload / 32;
		k->n.generated++;
		cru_pace_spend(ep, page.payload);
		moved += page.payload;
		if (k->used == k->cur.size)
			cru_link_close(ep, l, now);
	}
	return CARD_STEP_AGAIN;
}

static uint64_t move(struct cru_ep *ep, uint64_t now, size_t budget)
{
	bool flushed = ep->control & CRU_DMA_CONTROL_FLUSH && !ep->fault.reset_ignored;

	if (!(ep->control & CRU_DMA_CONTROL_START) || flushed || event_holds_back(&ep->events, 0))
		return CARD_STEP_IDLE;
	if (ep->source == CRU_DATA_SOURCE_INTERNAL)
		return internal_step(ep, now, budget);
	if (ep->source == CRU_DATA_SOURCE_DATAPATH)
		return cru_ddg_step(ep, now, budget);
	return CARD_STEP_IDLE;
}

uint64_t cru_engine_step(struct cru_ep *ep, size_t budget)
{
	uint64_t until, when;
	bool fetched;

	if (ep->reset_due && cru_now(ep->card) >= ep->reset_due)
		cru_general_reset(ep);
	if (ep->fault.stall)
		return ep->reset_due ?: CARD_STEP_IDLE;
	cru_events_observe(ep);
	event_turn(&ep->events, cru_now(ep->card), &fetched);
	until = move(ep, cru_now(ep->card), budget);
	/* What has just been finished is recorded now; descriptors that came in may be used. */
	when = event_turn(&ep->events, cru_now(ep->card), &fetched);
	if (fetched || until == CARD_STEP_AGAIN)
		return CARD_STEP_AGAIN;
	if (ep->reset_due && ep->reset_due < until)
		until = ep->reset_due;
	return when < until ? when : until;
}

void cru_engine_flush(struct cru_ep *ep)
{
	uint64_t now = cru_now(ep->card);
	unsigned int l;
	bool fetched;

	if (ep->fault.stall || ep->fault.reset_ignored)
		return;
	ep->flushing = true;
	for (l = 0; l < CRU_LINK_SLOTS; l++)
		cru_link_close(ep, l, now);
	ep->flushing = false;
	event_flush(&ep->events, 0);
	event_turn(&ep->events, now, &fetched);
}
