// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write pages into host memory: pace, and position in the open superpage of a link.
 */
#include "cru.h"

#include <string.h>

#define NS 1000000000ull
#define PACE_CATCH_UP_NS 10000000 /* lost time beyond this is not made up for */
#define PACE_GRAIN_NS 200000 /* shorter intervals are sent as bursts, because a wake-up costs */

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
	/* The hard IP delays the request. Count once per wait. */
	if (!ep->no_master)
		ep->dma_no_master++;
	ep->no_master = true;
	return CRU_PUT_WAIT;
}

/* The page is not in one mapped range: write it in pieces. */
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

enum cru_put cru_put_page(struct cru_ep *ep, unsigned int l, const struct page *page, uint32_t step)
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
