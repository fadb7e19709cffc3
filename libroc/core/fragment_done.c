// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Consume completions, lend host pages and take them back.
 *
 * The tag of a command is the number of its host page, which has no other command at that time. A
 * completion is therefore found by one look-up, and a repeated completion is detected. The thread
 * that returns a page exchanges its handle for 0, which succeeds only once, and pushes the page to
 * a list that the consumer takes over as a whole (fragment_pages.c).
 */
#include <errno.h>

#include "fragment.h"
#include "handle.h"
#include "libroc.h"

static int fail_completion(const struct roc_fragments *f, uint32_t tag, uint32_t event,
			   uint32_t size, uint32_t status)
{
	return roc_fail(
		EBADMSG,
		"%s: the card completed command %u with %u bytes of event %u (status %u), which matches none of the %u outstanding requests: restart the run; if the error recurs, reload the card's firmware",
		f->c.name, tag, size, event, status, f->outstanding);
}

/* Check that a completion matches an outstanding request: its host page, size and event. */
static bool is_expected(const struct roc_fragments *f, uint32_t tag, uint32_t event, uint32_t size,
			uint32_t status)
{
	const struct libroc_card_page *p;

	if (f->done == f->commanded_rung || tag >= f->host_page_count ||
	    !f->host_pages[tag].requested)
		return false;
	p = &f->card_pages[f->host_pages[tag].page];
	if (status == ROC_FR_OK)
		return size == p->size && event == p->event;
	return status <= ROC_FR_ABORTED;
}

static void lend(struct roc_fragments *f, uint32_t i, struct roc_fragment_fetched *out,
		 uint64_t now)
{
	struct libroc_host_page *h = &f->host_pages[i];

	out->handle = libroc_handle(f->lent++, f->shift, i);
	out->data = h->data;
	libroc_fragment_check_fetched(f, out);
	h->requested = false;
	h->size = out->size;
	__atomic_store_n(&h->time, now, __ATOMIC_RELAXED);
	__atomic_store_n(&h->handle, out->handle, __ATOMIC_RELEASE);
	f->counts.fetched++;
}

/* Complete the request of host page @i. */
static void finish(struct roc_fragments *f, uint32_t i, int error, struct roc_fragment_fetched *out,
		   uint64_t now)
{
	struct libroc_host_page *h = &f->host_pages[i];
	const struct libroc_card_page *p = &f->card_pages[h->page];

	*out = (struct roc_fragment_fetched){
		.tag = h->tag,
		.event = p->event,
		.link = h->page / f->pages,
		.size = error ? 0 : p->size,
		.status = p->status,
		.error = error,
	};
	f->outstanding--;
	libroc_fragment_requested(f, h->page);
	if (!error) {
		lend(f, i, out, now);
		return;
	}
	libroc_fragment_host_page_back(f, i);
	f->counts.failed++;
}

/* Consume the next completion. Return 1; 0 if there is none; -EBADMSG. */
static int take(struct roc_fragments *f, struct roc_fragment_fetched *out, uint64_t now)
{
	const struct roc_fr_completion *c = &f->completions[f->done & (f->command_entries - 1)];
	uint32_t tag, size, event, status, word;

	if (!libroc_fragment_there(f->completions, f->command_entries, f->done, f->start, &word))
		return 0;
	tag = le32toh(__atomic_load_n(&c->tag, __ATOMIC_RELAXED));
	size = le32toh(__atomic_load_n(&c->size, __ATOMIC_RELAXED));
	event = le32toh(__atomic_load_n(&c->event, __ATOMIC_RELAXED));
	status = ROC_FR_STATUS(word);
	if (!is_expected(f, tag, event, size, status))
		return fail_completion(f, tag, event, size, status);
	f->done++;
	f->probed[LIBROC_LANE_DONE] = 0;
	finish(f, tag, status == ROC_FR_OK ? 0 : -EIO, out, now);
	return 1;
}

/* Complete the next request that the card will not execute. Return 1; 0 if there is none. */
static int cancel(struct roc_fragments *f, struct roc_fragment_fetched *out)
{
	uint32_t i;

	while (f->outstanding && f->canceled < f->host_page_count) {
		i = f->canceled++;
		if (!f->host_pages[i].requested)
			continue;
		finish(f, i, -ECANCELED, out, 0);
		return 1;
	}
	f->canceled = 0; /* later requests are cancelled by the next call */
	return 0;
}

int roc_fragments_done(struct roc_fragments *f, struct roc_fragment_fetched *fetched,
		       unsigned int n)
{
	uint32_t flags;
	unsigned int i;
	uint64_t now;
	int ret = libroc_need_fragment_rings(f);

	if (ret)
		return ret;
	/* Load the flags before the ring: if the run has ended, no further completion comes. */
	flags = __atomic_load_n(&f->kernel->flags, __ATOMIC_ACQUIRE);
	now = libroc_now();
	for (i = 0; i < n; i++) {
		ret = take(f, &fetched[i], now);
		/* After a stop, a missing completion is cancelled like all requests behind it. */
		if (!ret && flags & ROC_FR_STOPPED)
			ret = cancel(f, &fetched[i]);
		else if (!ret)
			ret = libroc_fragment_check_skipped(f, LIBROC_LANE_DONE);
		if (ret <= 0)
			break;
	}
	__atomic_store_n(&f->user->completions, f->done, __ATOMIC_RELEASE);
	if (i)
		return i;
	/*
	 * Report a removed card only after all outstanding requests were cancelled, which needs the
	 * driver to have ended the run.
	 */
	if (!ret && n && flags & ROC_FR_GONE && !f->outstanding)
		return libroc_fail_ioctl(ENODEV, f->c.name, "cannot fetch completions");
	return ret;
}

int roc_fragments_return(struct roc_fragments *f, uint64_t handle)
{
	uint32_t i = handle & ((UINT64_C(1) << f->shift) - 1), first;
	uint64_t expected = handle;
	struct libroc_host_page *h = &f->host_pages[i];
	int ret = libroc_need_opener(&f->c.node, f->c.name);

	if (ret)
		return ret;
	if (!handle || i >= f->host_page_count)
		return roc_fail(
			EINVAL,
			"%s: there is no host page with handle 0x%llx: pass the handle from roc_fragments_done() to the same sub-unit",
			f->c.name, (unsigned long long)handle);
	/* Release: the caller's reads of the page precede the card's next write to it. */
	if (!__atomic_compare_exchange_n(&h->handle, &expected, 0, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return roc_fail(
			ENOENT,
			"%s: the host page with handle 0x%llx is not lent: it was already returned, or never lent",
			f->c.name, (unsigned long long)handle);
	first = __atomic_load_n(&f->returned_first, __ATOMIC_RELAXED);
	do {
		h->next = first;
	} while (!__atomic_compare_exchange_n(&f->returned_first, &first, i, false,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	__atomic_fetch_add(&f->returned, 1, __ATOMIC_RELEASE);
	return 0;
}

void roc_fragments_lent(const struct roc_fragments *f, struct roc_lent *lent)
{
	uint64_t now = libroc_now(), oldest = UINT64_MAX, handle, time, count;
	const struct libroc_host_page *h;

	*lent = (struct roc_lent){.limit = f->host_page_count};
	for (h = f->host_pages; h && h < f->host_pages + f->host_page_count; h++) {
		handle = __atomic_load_n(&h->handle, __ATOMIC_ACQUIRE);
		time = __atomic_load_n(&h->time, __ATOMIC_RELAXED);
		if (!handle)
			continue;
		lent->count++;
		lent->bytes += h->size;
		/* Load the count after the handle, so that it includes this loan. */
		count = libroc_handle_count(handle, f->shift,
					    __atomic_load_n(&f->lent, __ATOMIC_RELAXED));
		if (count >= oldest)
			continue;
		oldest = count;
		lent->oldest = oldest;
		lent->oldest_ns = now > time ? now - time : 0;
	}
	lent->held = (uint64_t)lent->count * f->host_page_size;
	lent->returned = __atomic_load_n(&f->returned, __ATOMIC_ACQUIRE);
	lent->taken = __atomic_load_n(&f->lent, __ATOMIC_RELAXED);
}

void roc_fragments_counts(const struct roc_fragments *f, struct roc_fragments_counts *counts)
{
	uint32_t space = f->command_entries - f->outstanding;

	*counts = f->counts;
	if (f->index)
		counts->kept = roc_fragment_index_count(f->index, &counts->events);
	counts->outstanding = f->outstanding;
	counts->queued = f->commanded - f->commanded_rung;
	counts->unrung = f->freed - f->freed_rung;
	counts->pages_out = f->pages_out;
	counts->free = libroc_fragment_free(f);
	counts->space = counts->free < space ? counts->free : space;
}
