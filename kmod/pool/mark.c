// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks: seeing by memory alone that a card came by.
 *
 * A card that fills its superpages in order has finished one as soon as it has begun the next; so
 * the kernel writes a mark where a superpage, and its last DMA page, begin.
 *
 * A reader who writes into superpages it gave away fakes marks: the card's size entry, which is
 * always read, has a number of its own, so only that reader's run ends. Firmware without such
 * entries has nothing that could prove a mark: there is none then.
 */
#include "pool/pool.h"

static u64 *roc_memory(const struct roc_flight *flight, u64 at)
{
	u64 address;

	if (roc_extents_find(&flight->buffer->memory, flight->fill.offset + at, sizeof(u64),
			     &address))
		return NULL;
	return (u64 *)(uintptr_t)address;
}

/* Where the marks of a superpage are: at offsets that are multiples of 4. */
void roc_find_marks(struct roc_session *s, struct roc_flight *flight)
{
	const struct roc_pool_ops *ops = roc_pool_ops(s->ch->ep);

	flight->first = NULL;
	if (!ops->marks || s->pool->no_sizes || !flight->buffer->memory.count ||
	    flight->fill.offset % sizeof(u64))
		return;
	flight->first = roc_memory(flight, 0);
	flight->last = roc_memory(flight, flight->fill.length - ops->page_size);
	if (!flight->last)
		flight->first = NULL;
}

/* Before the card gets it: the write that hands it over orders this before. */
void roc_mark(struct roc_session *s, struct roc_flight *flight)
{
	if (!flight->first || s->pool->event.on)
		return;
	flight->under_first = *flight->first;
	flight->under_last = *flight->last;
	WRITE_ONCE(*flight->first, s->run.mark);
	WRITE_ONCE(*flight->last, s->run.mark);
}

/* What the card did not write is as it was. Only when it is done with the superpage. */
void roc_unmark(struct roc_session *s, const struct roc_flight *flight)
{
	if (!flight->first || s->pool->event.on)
		return;
	if (READ_ONCE(*flight->last) == s->run.mark)
		WRITE_ONCE(*flight->last, flight->under_last);
	if (READ_ONCE(*flight->first) == s->run.mark)
		WRITE_ONCE(*flight->first, flight->under_first);
}

static bool roc_begun(struct roc_session *s, struct roc_link *link, u32 index)
{
	const struct roc_flight *flight = roc_flight(s, link, index);

	return flight->first && READ_ONCE(*flight->first) != s->run.mark;
}

/* Superpages of @link that are finished, because the one behind has begun. */
u32 roc_by_marks(struct roc_session *s, struct roc_link *link)
{
	u32 n = 0;

	while (link->tail + n + 1 != link->head && roc_begun(s, link, link->tail + n + 1))
		n++;
	return n;
}

enum roc_stage roc_stage(struct roc_session *s, struct roc_link *link)
{
	const struct roc_flight *flight = roc_flight(s, link, link->tail);

	if (!flight->first)
		return ROC_STAGE_UNKNOWN;
	if (READ_ONCE(*flight->last) != s->run.mark)
		return ROC_STAGE_LAST_PAGE;
	return roc_begun(s, link, link->tail) ? ROC_STAGE_BEGUN : ROC_STAGE_UNTOUCHED;
}

/* Superpages that the card has finished, as far as memory shows it without a register read. */
u32 roc_shown(struct roc_session *s)
{
	unsigned int i;
	u32 n = 0;

	for (i = 0; i < s->run.link_count; i++)
		if (s->run.link[i].head != s->run.link[i].tail)
			n += roc_by_marks(s, &s->run.link[i]);
	return n;
}
