// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Path of fragments: the generator of each link, the page that stores the fragment, the wait if no
 * page is free, and the descriptor.
 */
#include "robinnp.h"

#include <endian.h>

#define AT_ONCE 16     /* fragments of a link before the next one's turn */
#define WORTH 64       /* bytes of the budget for a fragment */
#define DESCRIPTORS 64 /* in one write */

void robinnp_source_default(struct robinnp_link *link)
{
	link->first = 0;
	link->gen = (struct generator){
		.size_min = FRAGMENT_BYTES_DEFAULT,
		.size_max = FRAGMENT_BYTES_DEFAULT,
	};
}

static bool flows(const struct robinnp_link *link)
{
	return link->sub->unit.enabled && link->sub->links & 1u << link->nr && !link->held &&
	       link->gen.control & FRAGMENT_GENERATOR_RUN;
}

/* Number of fragments that are due by now. */
static uint64_t due(struct robinnp_link *link, uint64_t now, uint64_t *when)
{
	return generator_due(&link->gen, flows(link), now, true, when);
}

bool robinnp_flows(const struct robinnp_sub *sub)
{
	unsigned int l;

	for (l = 0; l < ROBINNP_LINKS; l++)
		if (flows(&sub->link[l]) && generator_left(&sub->link[l].gen))
			return true;
	return false;
}

static uint32_t source_id(const struct robinnp_link *link, uint16_t source)
{
	return fragment_source(source, link->sub->unit.nr * ROBINNP_LINKS + link->nr);
}

/*
 * Apply faults that the status of the fragment does not report, and one that only the status
 * reports.
 */
static void apply_faults(struct robinnp_sub *sub, struct robinnp_fragment *f)
{
	uint32_t missing = unit_fault_once(&sub->unit, ROBINNP_SHORT);

	f->event += unit_fault_once(&sub->unit, ROBINNP_WRONG_EVENT);
	f->size -= missing < f->size ? missing : f->size;
	if (unit_fault_take(&sub->unit, ROBINNP_NO_BYTES))
		f->size = 0;
	if (unit_fault_take(&sub->unit, ROBINNP_DAMAGED))
		f->status |= FRAGMENT_IS_LINK_ERROR;
	else if (unit_fault_take(&sub->unit, ROBINNP_LINK_ERROR)) {
		f->status |= FRAGMENT_IS_LINK_ERROR;
		f->flip = true;
	}
}

/* Take the next fragment of the source and count it as offered. */
static void draw(struct robinnp_link *link, struct robinnp_fragment *f)
{
	struct generator *g = &link->gen;
	struct robinnp_sub *sub = link->sub;
	uint32_t page = 1u << sub->run_page_size;

	*f = (struct robinnp_fragment){
		.event = g->next,
		.full = g->size_min,
		.source = sub->unit.card->identity.source,
	};
	if (g->control & FRAGMENT_GENERATOR_DISTRIBUTED)
		f->full = fragment_size(source_id(link, f->source), f->event, g->size_min,
					generator_max(g));
	if (sub->unit.fault[ROBINNP_SKIP_EVENT]) {
		g->next += unit_fault_once(&sub->unit, ROBINNP_SKIP_EVENT);
		f->event = g->next;
	}
	if (unit_fault_take(&sub->unit, ROBINNP_FORMAT)) {
		f->status |= FRAGMENT_IS_FORMAT;
		f->event = link->last + 1;
	}
	if (link->known && f->event != link->last + 1)
		f->status |= FRAGMENT_IS_SEQUENCE;
	f->size = f->full;
	if (f->full > page) {
		f->status |= FRAGMENT_IS_TRUNCATED;
		f->size = page;
	}
	link->known = true;
	link->last = f->event;
	apply_faults(sub, f);
	generator_took(g, 1);
	link->total[FRAGMENT_LINK_OFFERED]++;
}

/* A page is free: store the fragment. */
static void put(struct robinnp_link *link, const struct robinnp_fragment *f)
{
	struct robinnp_sub *sub = link->sub;
	uint32_t number = link->list[link->list_at];
	uint32_t all = sub->run_pages * ROBINNP_LINKS;

	link->list_at = link->list_at + 1 < sub->run_pages ? link->list_at + 1 : 0;
	link->list_count--;
	link->page[number].fragment = *f;
	link->page[number].state = ROBINNP_FILLED;
	link->filled++;
	sub->filled[(sub->filled_at + sub->filled_count++) % all] = FRAGMENT_PAGE(link->nr, number);
}

static void hold(struct robinnp_link *link, const struct robinnp_fragment *f, uint64_t now)
{
	bool first = !robinnp_any_held(link->sub);

	link->held = true;
	link->hold_ns = now;
	link->waits = *f;
	link->total[FRAGMENT_LINK_HOLDS]++;
	link->total[FRAGMENT_LINK_HOLD_EVENT] = f->event;
	if (!first)
		return;
	function_block_cause(&link->sub->unit.card->function, FRAGMENT_CAUSE_PAGES_OUT);
	robinnp_error(&link->sub->unit, FRAGMENT_STATUS_HELD);
}

uint64_t robinnp_hold_cycles(struct robinnp_link *link, uint64_t now)
{
	uint64_t cycles;

	if (link->held) {
		cycles = (now - link->hold_ns) / ROBINNP_NS_PER_CYCLE;
		link->total[FRAGMENT_LINK_HOLD_CYCLES] += cycles;
		link->hold_ns += cycles * ROBINNP_NS_PER_CYCLE;
	}
	return link->total[FRAGMENT_LINK_HOLD_CYCLES];
}

/* A page is free again: the held fragment continues. */
static void release_held(struct robinnp_link *link, uint64_t now)
{
	robinnp_hold_cycles(link, now);
	link->held = false;
	put(link, &link->waits);
}

uint32_t robinnp_any_held(const struct robinnp_sub *sub)
{
	uint32_t mask = 0;
	unsigned int l;

	for (l = 0; l < ROBINNP_LINKS; l++)
		mask |= (uint32_t)sub->link[l].held << l;
	return mask;
}

/* Returns how many fragments of a link were put into pages. */
static unsigned int link_turn(struct robinnp_link *link, uint64_t now, uint64_t *when)
{
	struct robinnp_fragment f;
	unsigned int n = 0;
	uint64_t ready;

	if (link->held && link->list_count) {
		release_held(link, now);
		n++;
	}
	for (ready = due(link, now, when); ready && n < AT_ONCE; ready--) {
		draw(link, &f);
		if (!link->list_count) {
			hold(link, &f, now);
			break;
		}
		put(link, &f);
		n++;
	}
	return n;
}

size_t robinnp_source_turn(struct robinnp_sub *sub, uint64_t now, size_t budget, uint64_t *when)
{
	unsigned int idle = 0, n;
	size_t moved = 0;

	while (moved < budget && idle < ROBINNP_LINKS) {
		n = link_turn(&sub->link[sub->turn], now, when);
		sub->turn = (sub->turn + 1) % ROBINNP_LINKS;
		idle = n ? 0 : idle + 1;
		moved += n * WORTH;
	}
	return moved;
}

/* Make a descriptor, with faults applied. */
static void describe(struct robinnp_sub *sub, uint32_t count, uint32_t word,
		     struct fragment_descriptor *d)
{
	const struct robinnp_fragment *f = &robinnp_page(sub, word)->fragment;
	uint32_t phase = fragment_phase(count, sub->run_start, sub->data_log2), size = f->size;

	size += unit_fault_once(&sub->unit, ROBINNP_SIZE_BIG);
	if (unit_fault_take(&sub->unit, ROBINNP_WRONG_PHASE))
		phase ^= FRAGMENT_PHASE;
	if (unit_fault_take(&sub->unit, ROBINNP_PAGE_RANGE))
		word = FRAGMENT_PAGE(FRAGMENT_PAGE_LINK(word), sub->run_pages);
	if (sub->unit.fault[ROBINNP_PAGE_FREE] && sub->link[FRAGMENT_PAGE_LINK(word)].list_count) {
		const struct robinnp_link *link = &sub->link[FRAGMENT_PAGE_LINK(word)];

		unit_fault_take(&sub->unit, ROBINNP_PAGE_FREE);
		word = FRAGMENT_PAGE(link->nr, link->list[link->list_at]);
	}
	*d = (struct fragment_descriptor){
		.event = htole32(f->event),
		.page = htole32(word),
		.size = htole32(size),
		.status = htole32(f->status | phase),
	};
}

static void reported(struct robinnp_sub *sub, uint32_t word)
{
	struct robinnp_link *link = &sub->link[FRAGMENT_PAGE_LINK(word)];
	struct robinnp_page *page = robinnp_page(sub, word);
	const struct robinnp_fragment *f = &page->fragment;

	page->state = ROBINNP_HOST;
	link->filled--;
	link->total[FRAGMENT_LINK_FRAGMENTS]++;
	link->total[FRAGMENT_LINK_BYTES] += f->size;
	link->total[FRAGMENT_LINK_TRUNCATED] += !!(f->status & FRAGMENT_IS_TRUNCATED);
	link->total[FRAGMENT_LINK_LINK_ERRORS] += !!(f->status & FRAGMENT_IS_LINK_ERROR);
	link->total[FRAGMENT_LINK_FORMAT_ERRORS] += !!(f->status & FRAGMENT_IS_FORMAT);
	link->total[FRAGMENT_LINK_SEQUENCE_ERRORS] += !!(f->status & FRAGMENT_IS_SEQUENCE);
	link->total[FRAGMENT_LINK_CUT] += f->full - f->size;
}

/*
 * Data must be in memory before the word with the phase, which is the last word of each descriptor.
 */
static bool write_entries(struct robinnp_sub *sub, uint64_t at, const struct fragment_descriptor *d,
			  uint32_t n)
{
	const struct card_host *host = sub->unit.card->host;
	size_t len = n * sizeof(*d);
	uint32_t i;
	void *ptr;

	if (host->dma(host->ctx, UNIT_FN, at, &len, &ptr) != CARD_DMA_OK || len < n * sizeof(*d))
		return unit_put(&sub->unit, at, d, n * sizeof(*d));
	for (i = 0; i < n; i++) {
		struct fragment_descriptor *to = (struct fragment_descriptor *)ptr + i;

		to->event = d[i].event;
		to->page = d[i].page;
		to->size = d[i].size;
		__atomic_store_n(&to->status, d[i].status, __ATOMIC_RELEASE);
	}
	sub->unit.no_master = false;
	return true;
}

/*
 * Write as many descriptors as fit up to the end of the ring. False: there are no more, or they
 * must wait.
 */
static bool describe_piece(struct robinnp_sub *sub)
{
	uint32_t slot = fragment_slot(sub->descriptors, sub->data_log2);
	uint32_t n = (1u << sub->data_log2) - slot, i, all = sub->run_pages * ROBINNP_LINKS;
	struct fragment_descriptor d[DESCRIPTORS];

	n = n < sub->filled_count ? n : sub->filled_count;
	n = n < DESCRIPTORS ? n : DESCRIPTORS;
	if (!n)
		return false;
	if (unit_fault_take(&sub->unit, ROBINNP_RECORD_HOLE)) {
		n = 1;
		sub->n.entries_skipped++;
	} else {
		for (i = 0; i < n; i++)
			describe(sub, sub->descriptors + i, sub->filled[(sub->filled_at + i) % all],
				 &d[i]);
		if (!write_entries(sub, sub->unit.base[ROBINNP_DATA] + slot * sizeof(d[0]), d, n))
			return false;
		sub->unit.n.dma_writes++;
	}
	for (i = 0; i < n; i++)
		reported(sub, sub->filled[(sub->filled_at + i) % all]);
	sub->filled_at = (sub->filled_at + n) % all;
	sub->filled_count -= n;
	sub->descriptors += n;
	return true;
}

void robinnp_describe_all(struct robinnp_sub *sub)
{
	while (describe_piece(sub))
		;
}

void robinnp_describe_turn(struct robinnp_sub *sub, uint64_t now, uint64_t *when)
{
	if (sub->filled_count &&
	    unit_late(sub->unit.fault[ROBINNP_DATA_LATE], &sub->data_ns, now, when))
		return;
	sub->data_ns = 0;
	robinnp_describe_all(sub);
}

void robinnp_source_off(struct robinnp_link *link, uint64_t now)
{
	link->total[FRAGMENT_LINK_DISCARDED] += robinnp_waiting(link);
	robinnp_hold_cycles(link, now);
	link->held = false;
	link->known = false;
	generator_clock(&link->gen);
}
