// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Index fragments by event: hash chains of rows, one row per event with an entry for each link.
 *
 * Rows do not move, so one list can also keep them in the order of their events' arrival. A removed
 * row leaves nothing that later searches must skip: an event that is never cleared costs its row
 * and no time. There are at least twice as many chains as events. The ids of a run are consecutive,
 * which the multiplication spreads evenly.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fragment_index.h"
#include "libroc.h"

static uint32_t *chain(const struct roc_fragment_index *x, uint32_t event)
{
	return &x->chains[(uint32_t)(event * UINT32_C(0x9e3779b1)) >> x->shift];
}

void libroc_index_empty(struct roc_fragment_index *x)
{
	uint32_t i;

	memset(x->chains, 0xff, sizeof(*x->chains) << (32 - x->shift));
	for (i = 0; i < x->limit; i++) {
		x->rows[i].links = 0;
		x->rows[i].next = i + 1 < x->limit ? i + 1 : LIBROC_INDEX_NONE;
	}
	x->free = 0;
	x->oldest = LIBROC_INDEX_NONE;
	x->newest = LIBROC_INDEX_NONE;
	x->events = 0;
	x->count = 0;
}

int roc_fragment_index_new(uint32_t pages, unsigned int links, struct roc_fragment_index **index)
{
	struct roc_fragment_index *x;
	unsigned int bits = 4;

	if (!pages || pages > ROC_FRAGMENT_INDEX_MAX || !links || links > ROC_FRAGMENTS_LINKS_MAX)
		return roc_fail(
			EINVAL,
			"cannot make an index of %u fragments of %u links: it must have 1 to %d fragments of 1 to %d links",
			pages, links, ROC_FRAGMENT_INDEX_MAX, ROC_FRAGMENTS_LINKS_MAX);
	while (bits < 28 && UINT32_C(1) << bits < 2 * pages)
		bits++;
	x = calloc(1, sizeof(*x));
	if (!x)
		goto fail;
	x->limit = pages;
	x->links = links;
	x->shift = 32 - bits;
	x->chains = malloc(sizeof(*x->chains) << bits);
	x->rows = calloc(pages, sizeof(*x->rows));
	x->pages = calloc((size_t)pages * links, sizeof(*x->pages));
	if (!x->chains || !x->rows || !x->pages)
		goto fail;
	libroc_index_empty(x);
	*index = x;
	return 0;

fail:
	roc_fragment_index_free(x);
	return roc_fail(ENOMEM, "cannot allocate an index of %u fragments", pages);
}

void roc_fragment_index_free(struct roc_fragment_index *x)
{
	if (!x)
		return;
	free(x->chains);
	free(x->rows);
	free(x->pages);
	free(x);
}

static uint32_t find(const struct roc_fragment_index *x, uint32_t event)
{
	uint32_t r = *chain(x, event);

	while (r != LIBROC_INDEX_NONE && x->rows[r].event != event)
		r = x->rows[r].next;
	return r;
}

/*
 * Turn a free row into the newest. There is a free one, because each used row has at least one
 * entry.
 */
static uint32_t add(struct roc_fragment_index *x, uint32_t event, uint64_t stamp)
{
	uint32_t *first = chain(x, event), r = x->free;
	struct libroc_index_row *row = &x->rows[r];

	x->free = row->next;
	*row = (struct libroc_index_row){
		.event = event,
		.next = *first,
		.older = x->newest,
		.newer = LIBROC_INDEX_NONE,
		.born = x->inserted,
		.stamp = stamp,
	};
	*first = r;
	if (x->newest == LIBROC_INDEX_NONE)
		x->oldest = r;
	else
		x->rows[x->newest].newer = r;
	x->newest = r;
	x->events++;
	return r;
}

static void forget(struct roc_fragment_index *x, uint32_t r)
{
	struct libroc_index_row *row = &x->rows[r];
	uint32_t *from = chain(x, row->event);

	while (*from != r)
		from = &x->rows[*from].next;
	*from = row->next;
	if (row->older == LIBROC_INDEX_NONE)
		x->oldest = row->newer;
	else
		x->rows[row->older].newer = row->newer;
	if (row->newer == LIBROC_INDEX_NONE)
		x->newest = row->older;
	else
		x->rows[row->newer].older = row->older;
	row->next = x->free;
	x->free = r;
	x->events--;
}

/* Store the pages of @links, all of which the row has, indexed by link. */
static void list(const struct roc_fragment_index *x, uint32_t r, uint32_t links, uint32_t *pages)
{
	unsigned int link;

	for (; links; links &= links - 1) {
		link = __builtin_ctz(links);
		pages[link] = x->pages[(size_t)r * x->links + link];
	}
}

/*
 * Remove the entries of @links from a row; store their pages without gaps and return their number.
 */
static int drop(struct roc_fragment_index *x, uint32_t r, uint32_t links, uint32_t *dropped)
{
	int n = 0;

	x->rows[r].links &= ~links;
	for (; links; links &= links - 1)
		dropped[n++] = x->pages[(size_t)r * x->links + __builtin_ctz(links)];
	x->count -= n;
	return n;
}

int roc_fragment_index_insert(struct roc_fragment_index *x, uint32_t event, unsigned int link,
			      uint32_t page, uint64_t stamp, uint32_t *dropped)
{
	uint32_t r, bit;
	int n = 0;

	if (link >= x->links)
		return roc_fail(EINVAL, "link %u does not exist: the index has %u links", link,
				x->links);
	bit = UINT32_C(1) << link;
	r = find(x, event);
	if (r != LIBROC_INDEX_NONE && x->inserted - x->rows[r].born >= LIBROC_INDEX_LAP) {
		n = drop(x, r, x->rows[r].links, dropped);
		forget(x, r);
		r = LIBROC_INDEX_NONE;
	} else if (r != LIBROC_INDEX_NONE) {
		n = drop(x, r, x->rows[r].links & bit, dropped);
	}
	if (x->count == x->limit)
		return roc_fail(ENOSPC, "the index is full with %u fragments: remove some",
				x->limit);
	if (r == LIBROC_INDEX_NONE)
		r = add(x, event, stamp);
	x->pages[(size_t)r * x->links + link] = page;
	x->rows[r].links |= bit;
	x->count++;
	x->inserted++;
	return n;
}

uint32_t roc_fragment_index_find(const struct roc_fragment_index *x, uint32_t event,
				 uint32_t *pages)
{
	uint32_t r = find(x, event);

	if (r == LIBROC_INDEX_NONE)
		return 0;
	if (pages)
		list(x, r, x->rows[r].links, pages);
	return x->rows[r].links;
}

uint32_t roc_fragment_index_remove(struct roc_fragment_index *x, uint32_t event, uint32_t links,
				   uint32_t *pages)
{
	uint32_t r = find(x, event);

	if (r == LIBROC_INDEX_NONE)
		return 0;
	links &= x->rows[r].links;
	if (pages)
		list(x, r, links, pages);
	x->rows[r].links &= ~links;
	x->count -= __builtin_popcount(links);
	if (!x->rows[r].links)
		forget(x, r);
	return links;
}

uint32_t roc_fragment_index_oldest(const struct roc_fragment_index *x, uint32_t *event,
				   uint64_t *stamp)
{
	const struct libroc_index_row *row;

	if (x->oldest == LIBROC_INDEX_NONE)
		return 0;
	row = &x->rows[x->oldest];
	*event = row->event;
	*stamp = row->stamp;
	return row->links;
}

uint32_t roc_fragment_index_count(const struct roc_fragment_index *x, uint32_t *events)
{
	if (events)
		*events = x->events;
	return x->count;
}
