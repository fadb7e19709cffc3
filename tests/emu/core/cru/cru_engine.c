// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The data engine of one endpoint: gating of data flow, the internal generator, flush and general
 * reset.
 */
#include "cru.h"

static uint32_t internal_words(struct cru_ep *ep)
{
	uint32_t words = (ep->generator[0] >> 8 & 0xff) + 1;

	if (ep->generator[0] & CRU_GENERATOR_RANDOM_SIZE) {
		ep->random = ep->random * 1664525 + 1013904223;
		words = (ep->random >> 16) % words + 1;
	}
	return words;
}

/* The internal generator feeds one link and waits while that link has no superpage. */
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
		if (cru_put_page(ep, l, &page, page.payload) == CRU_PUT_WAIT)
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

	if (!(ep->control & CRU_DMA_CONTROL_START) || flushed || event_backpressure(&ep->events, 0))
		return CARD_STEP_IDLE;
	if (ep->source == CRU_DATA_SOURCE_INTERNAL)
		return internal_step(ep, now, budget);
	if (ep->source == CRU_DATA_SOURCE_DATAPATH)
		return cru_ddg_step(ep, now, budget);
	return CARD_STEP_IDLE;
}

/*
 * The general reset clears links, ready counts, size FIFOs and descriptors. It keeps the control
 * register, the empty counters, data source and time-frame length (the first two are not
 * documented).
 */
void cru_general_reset(struct cru_ep *ep)
{
	unsigned int l;

	ep->reset_due = 0;
	event_reset(&ep->events, 0);
	for (l = 0; l < CRU_LINK_SLOTS; l++)
		cru_link_reset(ep, l);
	ep->internal_link = CRU_NO_LINK;
	ep->generator_off = false;
	ep->turn = 0;
	ep->pace_ns = 0;
	ep->no_master = false;
	ep->inject = 0;
	cru_ddg_restart(ep);
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
	/*
	 * Write records of superpages that were just finished, and use descriptors that were just
	 * fetched.
	 */
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
