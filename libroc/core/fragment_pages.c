// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Track the pages of a sub-unit. A card page is owned by the card, kept, or cleared while a request
 * for it is outstanding: the card must not fill it again until that request is done. It returns
 * through the free-page ring. A host page is free, requested or lent.
 */
#include <string.h>

#include "fragment.h"
#include "fragment_index.h"

static void put(struct roc_fragments *f, uint32_t page)
{
	uint32_t link = page / f->pages;

	/* The ring cannot be full: it has space for every page, and no page is in it twice. */
	__atomic_store_n(&f->frees[f->freed & (f->free_entries - 1)],
			 htole32(ROC_FR_PAGE(link, page % f->pages)), __ATOMIC_RELAXED);
	f->freed++;
	f->unrung[link]++;
	f->card_pages[page].state = LIBROC_PAGE_CARDS;
	f->pages_out--;
}

void libroc_fragment_drop(struct roc_fragments *f, uint32_t page)
{
	if (f->card_pages[page].requests)
		f->card_pages[page].state = LIBROC_PAGE_CLEARED;
	else
		put(f, page);
}

void libroc_fragment_requested(struct roc_fragments *f, uint32_t page)
{
	struct libroc_card_page *p = &f->card_pages[page];

	if (!--p->requests && p->state == LIBROC_PAGE_CLEARED)
		put(f, page);
}

void libroc_fragment_begin(struct roc_fragments *f, uint32_t start)
{
	uint32_t number, link;

	f->start = start;
	f->taken = start;
	f->done = start;
	memset(f->probed, 0, sizeof(f->probed));
	f->begun = 0;
	f->freed = start;
	f->freed_rung = start;
	f->commanded = start;
	f->commanded_rung = start;
	memset(f->unrung, 0, sizeof(f->unrung));
	memset(f->with_card, 0, sizeof(f->with_card));
	memset(f->card_pages, 0, (size_t)f->links * f->pages * sizeof(*f->card_pages));
	libroc_index_empty(f->index);
	f->pages_out = f->links * f->pages;
	for (number = 0; number < f->pages; number++)
		for (link = 0; link < f->links; link++)
			put(f, link * f->pages + number);
}

uint32_t libroc_fragment_free(const struct roc_fragments *f)
{
	return f->host_page_count - f->outstanding -
	       (f->lent - __atomic_load_n(&f->returned, __ATOMIC_ACQUIRE));
}

uint32_t libroc_fragment_host_page(struct roc_fragments *f)
{
	uint32_t i = f->free;

	if (i == LIBROC_FRAGMENT_NONE)
		i = __atomic_exchange_n(&f->returned_first, LIBROC_FRAGMENT_NONE, __ATOMIC_ACQUIRE);
	f->free = f->host_pages[i].next;
	return i;
}

void libroc_fragment_host_page_back(struct roc_fragments *f, uint32_t i)
{
	f->host_pages[i].requested = false;
	f->host_pages[i].next = f->free;
	f->free = i;
}

void libroc_fragment_forget(struct roc_fragments *f)
{
	uint32_t i;

	for (i = 0; i < f->host_page_count && f->outstanding; i++) {
		if (!f->host_pages[i].requested)
			continue;
		libroc_fragment_host_page_back(f, i);
		f->outstanding--;
		f->counts.failed++;
	}
	f->canceled = 0;
}
