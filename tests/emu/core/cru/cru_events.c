// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event interface of the CRU: one channel for each endpoint, with a FIFO per link slot.
 */
#include "cru.h"

#include <limits.h>

static enum event_put put(void *model, unsigned int channel, unsigned int link, uint64_t addr,
			  uint32_t bytes, uint32_t number)
{
	return cru_link_put(model, link, addr, bytes, number);
}

static bool has_descriptors(void *model, unsigned int channel)
{
	const struct cru_ep *ep = model;
	unsigned int l;

	for (l = 0; l < CRU_LINK_SLOTS; l++) {
		if (cru_link_queued(&ep->link[l]))
			return true;
	}
	return false;
}

static void drop_all(void *model, unsigned int channel)
{
	struct cru_ep *ep = model;
	unsigned int l;

	for (l = 0; l < CRU_LINK_SLOTS; l++)
		cru_link_drop_all(ep, l);
	ep->internal_link = CRU_NO_LINK;
}

static void counted(void *model, unsigned int channel, const struct event_done *d)
{
	cru_link_count(model, EVENT_RECORD_LINK(d->status));
}

static uint32_t depth(void *model, unsigned int channel)
{
	return ((struct cru_ep *)model)->set.depth;
}

static const struct event_ops ops = {
	.links = CRU_LINK_SLOTS,
	.put = put,
	.has_descriptors = has_descriptors,
	.drop_all = drop_all,
	.counted = counted,
	.depth = depth,
};

int cru_events_init(struct cru_ep *ep)
{
	ep->events.ops = &ops;
	ep->events.model = ep;
	ep->events.setup = &ep->card->events;
	return event_init(&ep->events, ep->card->host, ep->nr, 1, CRU_DONE_MAX);
}

void cru_events_observe(struct cru_ep *ep)
{
	uint32_t raw = cru_temperature_raw(ep->card);

	event_observe(&ep->events, raw ? (int)raw * 693000 / 1024 - 265000 : INT_MIN,
		      ~ep->links_down & ((1u << CRU_GBT_LINKS) - 1));
}
