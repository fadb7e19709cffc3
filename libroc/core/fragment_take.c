// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Consume descriptors into the index, clear events and request their fragments.
 *
 * Released pages are reported to the card in batches, because each report is a register write. If a
 * link may run short of pages, the library reports what it has at once.
 */
#include <errno.h>

#include "barrier.h"
#include "fragment.h"
#include "fragment_index.h"
#include "libroc.h"

#define FREE_BATCH 64 /* released pages that are reported even if no link is short of pages */

/* Check whether the released pages must be reported to the card now. */
static bool short_of_pages(const struct roc_fragments *f)
{
	unsigned int link;

	if (f->freed - f->freed_rung >= FREE_BATCH)
		return true;
	for (link = 0; link < f->links; link++)
		if (f->unrung[link] && f->with_card[link] < (f->pages + 3) / 4)
			return true;
	return false;
}

/*
 * Let the driver ring the doorbell. -EALREADY is no error: a stopped sub-unit drops the report, as
 * it drops a direct doorbell write.
 */
static int ring_by_ioctl(struct roc_fragments *f, uint32_t what)
{
	struct roc_fr_doorbell arg = {
		.size = sizeof(arg), .what = what, .free = f->freed, .command = f->commanded};
	int ret = libroc_node_ioctl(&f->c.node, ROC_FR_DOORBELL, &arg);

	f->counts.doorbell_calls++;
	if (ret && ret != -EALREADY)
		return libroc_fail_ioctl(-ret, f->c.name, "cannot ring the doorbell");
	return 0;
}

static void ring(struct roc_fragments *f, uint32_t what)
{
	libroc_device_barrier();
	if (what & ROC_FR_DOORBELL_FREE) {
		*(volatile __le32 *)&f->bell->free = htole32(f->freed);
		f->counts.doorbells++;
	}
	if (what & ROC_FR_DOORBELL_COMMAND) {
		*(volatile __le32 *)&f->bell->command = htole32(f->commanded);
		f->counts.doorbells++;
	}
}

int roc_fragments_flush(struct roc_fragments *f)
{
	uint32_t what = 0;
	unsigned int link;
	int ret = libroc_need_opener(&f->c.node, f->c.name);

	if (ret)
		return ret;
	if (f->freed != f->freed_rung && short_of_pages(f)) {
		what |= ROC_FR_DOORBELL_FREE;
		f->freed_rung = f->freed;
		for (link = 0; link < f->links; link++) {
			f->with_card[link] += f->unrung[link];
			f->unrung[link] = 0;
		}
	}
	if (f->commanded != f->commanded_rung) {
		what |= ROC_FR_DOORBELL_COMMAND;
		f->commanded_rung = f->commanded;
	}
	if (!what)
		return 0;
	if (!f->bell)
		return ring_by_ioctl(f, what);
	ring(f, what);
	return 0;
}

/* Report an impossible descriptor. */
static int fail_descriptor(const struct roc_fragments *f, const struct roc_fragment_kept *kept)
{
	return roc_fail(
		EBADMSG,
		"%s: the card reported %u bytes in page 0x%08x (event %u), which it does not own or which does not exist among its %u pages of %u bytes on each of %u links: restart the run; if the error recurs, reload the card's firmware",
		f->c.name, kept->size, kept->page, kept->event, f->pages, f->page_size, f->links);
}

/*
 * Return the index of the page in card_pages; NONE if it does not exist or the card does not own
 * it.
 */
static uint32_t place(const struct roc_fragments *f, uint32_t word)
{
	uint32_t link = ROC_FR_PAGE_LINK(word), number = ROC_FR_PAGE_NUMBER(word), page;

	if (link >= f->links || number >= f->pages || !f->with_card[link])
		return LIBROC_FRAGMENT_NONE;
	page = link * f->pages + number;
	return f->card_pages[page].state == LIBROC_PAGE_CARDS ? page : LIBROC_FRAGMENT_NONE;
}

/* Consume the next descriptor as a kept fragment. Return 1; 0 if there is none; -EBADMSG. */
static int take(struct roc_fragments *f, struct roc_fragment_kept *kept, uint64_t now)
{
	const struct roc_fr_descriptor *d = &f->descriptors[f->taken & (f->descriptor_entries - 1)];
	uint32_t dropped[ROC_FRAGMENTS_LINKS_MAX], page, word;
	int n;

	if (!libroc_fragment_there(f->descriptors, f->descriptor_entries, f->taken, f->start,
				   &word))
		return libroc_fragment_check_skipped(f, LIBROC_LANE_DATA);
	kept->event = le32toh(__atomic_load_n(&d->event, __ATOMIC_RELAXED));
	kept->page = le32toh(__atomic_load_n(&d->page, __ATOMIC_RELAXED));
	kept->size = le32toh(__atomic_load_n(&d->size, __ATOMIC_RELAXED));
	kept->status = ROC_FR_STATUS(word);
	page = place(f, kept->page);
	if (page == LIBROC_FRAGMENT_NONE || kept->size > f->page_size)
		return fail_descriptor(f, kept);
	kept->link = ROC_FR_PAGE_LINK(kept->page);
	libroc_fragment_check_kept(f, kept);
	f->taken++;
	f->probed[LIBROC_LANE_DATA] = 0;
	f->with_card[kept->link]--;
	f->pages_out++;
	f->card_pages[page] = (struct libroc_card_page){.event = kept->event,
							.size = kept->size,
							.status = kept->status,
							.state = LIBROC_PAGE_KEPT};
	/* This cannot fail: the index has an entry for every page, and this page was not in it. */
	n = roc_fragment_index_insert(f->index, kept->event, kept->link, page, now, dropped);
	while (n > 0) {
		libroc_fragment_drop(f, dropped[--n]);
		f->counts.replaced++;
	}
	kept->links = roc_fragment_index_find(f->index, kept->event, NULL);
	return 1;
}

int roc_fragments_take(struct roc_fragments *f, struct roc_fragment_kept *kept, unsigned int n)
{
	struct roc_fragment_kept one;
	uint32_t flags;
	unsigned int i;
	uint64_t now;
	int ret = libroc_need_fragment_rings(f);

	if (ret)
		return ret;
	/* Load the flags before the ring: if the run has ended, no further entry comes. */
	flags = __atomic_load_n(&f->kernel->flags, __ATOMIC_ACQUIRE);
	now = libroc_now();
	for (i = 0; i < n; i++) {
		ret = take(f, kept ? &kept[i] : &one, now);
		if (ret <= 0)
			break;
	}
	f->counts.taken += i;
	__atomic_store_n(&f->user->descriptors, f->taken, __ATOMIC_RELEASE);
	if (i)
		return i;
	if (!ret && n && flags & ROC_FR_GONE)
		return libroc_fail_ioctl(ENODEV, f->c.name, "cannot read fragments");
	return ret;
}

uint32_t roc_fragments_find(const struct roc_fragments *f, uint32_t event)
{
	return f->pages ? roc_fragment_index_find(f->index, event, NULL) : 0;
}

uint32_t roc_fragments_oldest(const struct roc_fragments *f, uint32_t *event, uint64_t *age_ns)
{
	uint64_t since, now = libroc_now();
	uint32_t links;

	links = f->pages ? roc_fragment_index_oldest(f->index, event, &since) : 0;
	if (links)
		*age_ns = now - since;
	return links;
}

unsigned int roc_fragments_clear(struct roc_fragments *f, const uint32_t *events, unsigned int n)
{
	uint32_t pages[ROC_FRAGMENTS_LINKS_MAX], links;
	unsigned int i, known = 0;

	if (!f->pages || !libroc_is_opener(&f->c.node))
		return 0;
	for (i = 0; i < n; i++) {
		links = roc_fragment_index_remove(f->index, events[i], ~UINT32_C(0), pages);
		known += !!links;
		f->counts.cleared += __builtin_popcount(links);
		for (; links; links &= links - 1)
			libroc_fragment_drop(f, pages[__builtin_ctz(links)]);
	}
	return known;
}

int roc_fragments_request(struct roc_fragments *f, uint32_t event, uint32_t links, uint64_t tag)
{
	uint32_t pages[ROC_FRAGMENTS_LINKS_MAX], requested, left;
	struct libroc_host_page *h;
	struct roc_fr_command *c;
	int ret = libroc_need_opener(&f->c.node, f->c.name);

	if (ret || !f->pages)
		return ret;
	requested = roc_fragment_index_find(f->index, event, pages) & links;
	left = __builtin_popcount(requested);
	if (left > libroc_fragment_free(f) || left > f->command_entries - f->outstanding)
		return roc_fail(
			EAGAIN,
			"%s: cannot request %u fragments of event %u, because %u host pages are free and %u of %u requests are outstanding: consume completions and return host pages, or add more host pages before the start",
			f->c.name, left, event, libroc_fragment_free(f), f->outstanding,
			f->command_entries);
	for (left = requested; left; left &= left - 1) {
		uint32_t page = pages[__builtin_ctz(left)], i = libroc_fragment_host_page(f);

		h = &f->host_pages[i];
		h->page = page;
		h->tag = tag;
		h->requested = true;
		f->card_pages[page].requests++;
		c = &f->commands[f->commanded++ & (f->command_entries - 1)];
		c->page = htole32(ROC_FR_PAGE(page / f->pages, page % f->pages));
		c->host_page = htole32(i);
		c->tag = htole32(i);
		c->op = htole32(ROC_FR_TRANSFER);
		f->outstanding++;
		f->counts.requested++;
	}
	return requested;
}
