// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding finished superpages on a card with an event path: in its record ring. The ring is the
 * card's, so everything in it is checked before it is believed.
 */
#include "pool/pool.h"

/* Records in one go, so that others get the channel lock. */
#define ROC_DRAIN_MAX 4096

static struct roc_link *roc_link_of(struct roc_session *s, unsigned int slot)
{
	unsigned int i;

	for (i = 0; i < s->run.link_count; i++)
		if (s->run.link[i].slot == slot)
			return &s->run.link[i];
	return NULL;
}

static enum roc_why roc_take_record(struct roc_session *s, const struct roc_record *r, u64 now)
{
	struct roc_event *ev = &s->pool->event;
	struct roc_flight *flight;
	struct roc_link *link;
	u32 flags = ROC_READY_FILLED;

	if (!roc_record_valid(r, ev->consumed) || ev->ended)
		return ROC_WHY_RECORD;
	if (r->status & EVENT_RECORD_END) {
		if (!ev->flushed)
			return ROC_WHY_RECORD;
		ev->ended = true;
		return ROC_WHY_NONE;
	}
	link = roc_link_of(s, EVENT_RECORD_LINK(r->status));
	if (!link || link->head == link->tail)
		return ROC_WHY_RECORD;
	flight = roc_flight(s, link, link->tail);
	if (flight->number != r->descriptor)
		return ROC_WHY_RECORD;
	if (r->bytes > flight->fill.length)
		return ROC_WHY_BYTES;
	if (r->status & EVENT_RECORD_REFUSED) {
		flags = ROC_READY_REFUSED;
	} else {
		if (r->status & EVENT_RECORD_DAMAGED)
			flags |= ROC_READY_DAMAGED;
		if (roc_record_short(r, flight->fill.length))
			flags |= ROC_READY_SHORT;
	}
	roc_finish(s, link, r->bytes, flags, now);
	if (link->head != link->tail)
		link->busy = now;
	return ROC_WHY_NONE;
}

/* Take what the card wrote: superpages found. Not 0: it broke its contract. */
enum roc_why roc_drain(struct roc_session *s, u64 now, u32 *found)
{
	struct roc_event *ev = &s->pool->event;
	enum roc_why why = ROC_WHY_NONE;
	u32 n;

	*found = 0;
	for (n = 0; n < ROC_DRAIN_MAX; n++) {
		struct roc_record r;

		if (!roc_record_read(ev->record, ev->record_log2, ev->consumed, &r))
			break;
		why = roc_take_record(s, &r, now);
		if (why)
			break;
		ev->consumed++;
		*found += !ev->ended;
	}
	return why;
}
