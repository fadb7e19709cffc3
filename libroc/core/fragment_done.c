// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What was requested: completions come in, host pages are lent and come back.
 *
 * The tag of a command is the number of its host page, which has no other command at that time: so
 * whatever the card completes is looked up in one place, and what it completes twice is found
 * out. Who returns a page exchanges its handle for 0, which only one can do, and pushes it to a
 * list that the taker takes over as a whole (fragment_pages.c).
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
		"%s: the card completes command %u with %u bytes of event %u (status %u), which is none of the %u that are outstanding, or not what it was asked for: start again; if it comes back, load the card's firmware anew",
		f->c.name, tag, size, event, status, f->outstanding);
}

/* The host page of a completion is one that the card was asked for, and has what it should have. */
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

/* What is asked of host page @i is over. */
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

/* The next completion: 1, 0 there is none, -EBADMSG. */
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

/* The next request that will not be done any more: 1, 0 there is none. */
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
	f->canceled = 0; /* who requests now is told the next time */
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
	/* Before the look: what is not done when the end is told will not be. */
	flags = __atomic_load_n(&f->kernel->flags, __ATOMIC_ACQUIRE);
	now = libroc_now();
	for (i = 0; i < n; i++) {
		ret = take(f, &fetched[i], now);
		/* What lies behind a hole is cancelled with what is in it. */
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
	/* What is outstanding is told as cancelled, but only when the driver has ended the run. */
	if (!ret && n && flags & ROC_FR_GONE && !f->outstanding)
		return libroc_fail_ioctl(ENODEV, f->c.name, "cannot take what was requested");
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
			"%s: there is no host page with handle 0x%llx: pass the handle that roc_fragments_done() gave, to the same sub-unit",
			f->c.name, (unsigned long long)handle);
	/* Our reads of it are over before the card may write it again. */
	if (!__atomic_compare_exchange_n(&h->handle, &expected, 0, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return roc_fail(
			ENOENT,
			"%s: the host page with handle 0x%llx is not lent: it was returned already, or never was",
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
		/* After its handle: so this one was counted. */
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
