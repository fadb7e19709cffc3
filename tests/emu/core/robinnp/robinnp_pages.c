// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pages of a sub-unit's links: their owners, and their return by the host.
 */
#include "robinnp.h"

#include <endian.h>
#include <stdlib.h>

#define AT_ONCE 256 /* entries of the ring in one read */

void robinnp_pages_free(struct robinnp_sub *sub)
{
	unsigned int l;

	for (l = 0; l < ROBINNP_LINKS; l++) {
		struct robinnp_link *link = &sub->link[l];

		free(link->page);
		free(link->list);
		link->page = NULL;
		link->list = NULL;
		link->list_count = 0;
		link->filled = 0;
	}
	free(sub->filled);
	sub->filled = NULL;
	sub->filled_count = 0;
}

int robinnp_pages_begin(struct robinnp_sub *sub)
{
	unsigned int l;

	robinnp_pages_free(sub);
	sub->filled = calloc((size_t)sub->run_pages * ROBINNP_LINKS, sizeof(*sub->filled));
	if (!sub->filled)
		return -1;
	sub->filled_at = 0;
	for (l = 0; l < ROBINNP_LINKS; l++) {
		struct robinnp_link *link = &sub->link[l];

		link->page = calloc(sub->run_pages, sizeof(*link->page));
		link->list = calloc(sub->run_pages, sizeof(*link->list));
		if (!link->page || !link->list) {
			robinnp_pages_free(sub);
			return -1;
		}
		link->list_at = 0;
	}
	return 0;
}

bool robinnp_page_there(const struct robinnp_sub *sub, uint32_t word)
{
	return FRAGMENT_PAGE_LINK(word) < ROBINNP_LINKS &&
	       FRAGMENT_PAGE_NUMBER(word) < sub->run_pages;
}

void robinnp_page_back(struct robinnp_sub *sub, uint32_t word)
{
	struct robinnp_link *link = &sub->link[FRAGMENT_PAGE_LINK(word)];

	robinnp_page(sub, word)->state = ROBINNP_EMPTY;
	link->list[(link->list_at + link->list_count++) % sub->run_pages] =
		FRAGMENT_PAGE_NUMBER(word);
}

static void take(struct robinnp_sub *sub, uint32_t word)
{
	sub->freed++;
	if (!robinnp_page_there(sub, word) || robinnp_page(sub, word)->state != ROBINNP_HOST) {
		sub->unit.total[FRAGMENT_COUNT_BAD_FREE]++;
		unit_host_error(&sub->unit);
		return;
	}
	sub->unit.total[FRAGMENT_COUNT_FREED]++;
	robinnp_page_back(sub, word);
}

/* Fetch the available entries up to the end of the ring. False: stop. */
static bool take_piece(struct robinnp_sub *sub)
{
	uint32_t left = sub->free_submitted - sub->freed,
		 slot = fragment_slot(sub->freed, sub->free_log2);
	uint32_t n = (1u << sub->free_log2) - slot, i;
	__le32 word[AT_ONCE];

	n = n < left ? n : left;
	n = n < AT_ONCE ? n : AT_ONCE;
	if (!n)
		return false;
	if (unit_fault_take(&sub->unit, UNIT_FETCH_ERROR)) {
		unit_fetch_failed(&sub->unit);
		return false;
	}
	switch (unit_get(&sub->unit, sub->unit.base[ROBINNP_FREE] + 4 * slot, word, 4 * n)) {
	case CARD_DMA_NO_MASTER:
		return false;
	case CARD_DMA_OUTSIDE:
		unit_fetch_failed(&sub->unit);
		return false;
	case CARD_DMA_OK:
		break;
	}
	sub->n.fetches++;
	for (i = 0; i < n; i++)
		take(sub, le32toh(word[i]));
	return true;
}

void robinnp_free_turn(struct robinnp_sub *sub)
{
	while (take_piece(sub))
		;
}

void robinnp_free_doorbell(struct robinnp_sub *sub, uint32_t value)
{
	sub->n.free_doorbells++;
	if (!unit_doorbell(&sub->unit))
		return;
	if (value - sub->freed > 1u << sub->free_log2 ||
	    value - sub->freed < sub->free_submitted - sub->freed) {
		unit_host_error(&sub->unit);
		return;
	}
	sub->unit.total[FRAGMENT_COUNT_FREES] += value - sub->free_submitted;
	sub->free_submitted = value;
}
