// SPDX-License-Identifier: GPL-2.0-or-later
/* Take, request, lend, return and clear fragments, in order and in random order. */
#include <pthread.h>
#include <sched.h>

#include "fake_fragments.h"

/* Take, fetch, return and clear an event without a system call. */
static void an_event(void)
{
	struct roc_fragments *f = running(0);
	struct roc_fragment_kept kept[8];
	struct roc_fragment_fetched got[8];
	uint32_t events[3] = {4, 5, 6}, oldest = 0, link;
	unsigned int calls = node.calls;
	uint64_t age = 0;

	CU_ASSERT_TRUE(roc_fragments_running(f));
	UNIT_EQ(le32toh(fake.bell->free), ALL);
	UNIT_EQ(roc_fragments_take(f, kept, 8), 0);
	UNIT_EQ(roc_fragments_oldest(f, &oldest, &age), 0);
	card_sends(5, 0, 100, 0);
	card_sends(5, 2, 104, ROC_FR_TRUNCATED);
	card_sends(6, 0, 108, 0);
	card_sends(5, 1, 112, 0);
	UNIT_EQ(roc_fragments_take(f, kept, 3), 3);
	UNIT_EQ(fake.user->descriptors, 3);
	UNIT_EQ(kept[0].event, 5);
	UNIT_EQ(kept[0].links, 1);
	UNIT_EQ(kept[1].link, 2);
	UNIT_EQ(kept[1].size, 104);
	UNIT_EQ(kept[1].status, ROC_FR_TRUNCATED);
	UNIT_EQ(kept[1].links, 5);
	UNIT_EQ(kept[2].event, 6);
	UNIT_EQ(roc_fragments_take(f, NULL, 8), 1);
	UNIT_EQ(roc_fragments_find(f, 5), 7);
	UNIT_EQ(roc_fragments_find(f, 4), 0);
	UNIT_EQ(roc_fragments_oldest(f, &oldest, &age), 7);
	UNIT_EQ(oldest, 5);
	CU_ASSERT_TRUE(age < 60000000000);

	UNIT_EQ(roc_fragments_request(f, 4, ~0u, 1), 0);
	UNIT_EQ(roc_fragments_request(f, 5, 6, 1ull << 40), 6);
	UNIT_EQ(roc_fragments_request(f, 6, 7, 2), 1);
	UNIT_EQ(counts(f).queued, 3);
	UNIT_EQ(le32toh(fake.bell->command), 0);
	UNIT_EQ(roc_fragments_flush(f), 0);
	UNIT_EQ(le32toh(fake.bell->command), 3); /* one doorbell */
	UNIT_EQ(counts(f).outstanding, 3);
	card_looks();
	card_does_with(2, ROC_FR_OK); /* completes the request of event 6 */
	UNIT_EQ(roc_fragments_done(f, got, 8), 1);
	UNIT_EQ(got[0].tag, 2);
	UNIT_EQ(got[0].event, 6);
	UNIT_EQ(got[0].size, 108);
	card_does();
	card_does();
	UNIT_EQ(roc_fragments_done(f, got + 1, 1), 1);
	UNIT_EQ(roc_fragments_done(f, got + 2, 8), 1);
	UNIT_EQ(fake.user->completions, 3);
	for (link = 1; link < 3; link++) {
		UNIT_EQ(got[link].tag, 1ull << 40);
		UNIT_EQ(got[link].link, link);
		UNIT_EQ(((const uint32_t *)got[link].data)[0], 5);
		UNIT_EQ(((const uint32_t *)got[link].data)[1], link);
	}
	UNIT_EQ(got[2].status, ROC_FR_TRUNCATED);
	UNIT_EQ(counts(f).free, HOST_PAGES - 3);
	UNIT_EQ(counts(f).fetched, 3);
	/* The card's pages are kept until the clear. */
	UNIT_EQ(counts(f).kept, 4);
	UNIT_EQ(counts(f).pages_out, 4);
	UNIT_EQ(roc_fragments_clear(f, events, 3), 2);
	UNIT_EQ(counts(f).cleared, 4);
	UNIT_EQ(counts(f).pages_out, 0);
	UNIT_EQ(roc_fragments_return(f, got[1].handle), 0);
	UNIT_EQ(roc_fragments_return(f, got[0].handle), 0);
	UNIT_EQ(roc_fragments_return(f, got[2].handle), 0);
	UNIT_EQ(counts(f).free, HOST_PAGES);
	UNIT_EQ(node.calls, calls); /* no system call */
	finish(f);
}

/* Pages are reported to the card in batches, but at once if a link may be short of them. */
static void pages_go_back(void)
{
	struct roc_fragments *f = running(0);
	uint32_t event, announced = ALL;

	for (event = 0; event < PAGES - PAGES / 4; event++)
		card_sends(event, 1, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 100), PAGES - PAGES / 4);
	event = 0;
	UNIT_EQ(roc_fragments_clear(f, &event, 1), 1);
	roc_fragments_flush(f);
	UNIT_EQ(le32toh(fake.bell->free), announced);
	UNIT_EQ(counts(f).unrung, 1);
	card_sends(100, 1, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 100), 1);
	roc_fragments_flush(f);
	UNIT_EQ(le32toh(fake.bell->free), ++announced);
	UNIT_EQ(counts(f).unrung, 0);
	/* The pages of other links wait for a batch. */
	card_sends(200, 0, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 100), 1);
	event = 200;
	UNIT_EQ(roc_fragments_clear(f, &event, 1), 1);
	roc_fragments_flush(f);
	UNIT_EQ(le32toh(fake.bell->free), announced);
	finish(f);
	f = running(0);
	for (event = 0; event < 64; event++) {
		roc_fragments_flush(f);
		UNIT_EQ(le32toh(fake.bell->free), ALL);
		card_sends(event, event % 3, 100, 0);
		UNIT_EQ(roc_fragments_take(f, NULL, 1), 1);
		roc_fragments_clear(f, &event, 1);
		f->with_card[event % 3] = PAGES; /* never short of pages */
	}
	roc_fragments_flush(f);
	UNIT_EQ(le32toh(fake.bell->free), ALL + 64);
	UNIT_EQ(counts(f).doorbells, 2);
	finish(f);
}

/* With one page per link, a link is short of pages only if it has none. */
static void few_pages(void)
{
	struct roc_fragments *f = opened("sub0");
	uint32_t event;

	UNIT_NEED(!roc_fragments_rings(f, PAGE, 1, PAGE, COMMANDS));
	UNIT_NEED(!roc_fragments_add(f, memory, sizeof(memory)));
	UNIT_NEED(!roc_fragments_start(f));
	for (event = 0; event < 10; event++) {
		roc_fragments_flush(f);
		UNIT_NEED(card_sends(event, 1, 100, 0));
		UNIT_EQ(roc_fragments_take(f, NULL, 100), 1);
		UNIT_EQ(roc_fragments_clear(f, &event, 1), 1);
	}
	finish(f);
}

/*
 * If an event is cleared while it is requested, the request completes and then the page is
 * released.
 */
static void cleared_while_outstanding(void)
{
	struct roc_fragments *f = running(0);
	struct roc_fragment_fetched got[4];
	uint32_t event = 9;

	card_sends(9, 1, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 9), 1);
	UNIT_EQ(roc_fragments_request(f, 9, 2, 1), 2);
	UNIT_EQ(roc_fragments_request(f, 9, 2, 2), 2); /* a second request */
	roc_fragments_flush(f);
	UNIT_EQ(roc_fragments_clear(f, &event, 1), 1);
	UNIT_EQ(roc_fragments_find(f, 9), 0);
	UNIT_EQ(roc_fragments_request(f, 9, 2, 3), 0);
	UNIT_EQ(counts(f).pages_out, 1);
	card_does();
	UNIT_EQ(roc_fragments_done(f, got, 4), 1);
	UNIT_EQ(counts(f).pages_out, 1);
	card_does();
	UNIT_EQ(roc_fragments_done(f, got + 1, 4), 1);
	UNIT_EQ(counts(f).pages_out, 0);
	UNIT_EQ(got[0].tag, 1);
	UNIT_EQ(got[1].tag, 2);
	UNIT_EQ(*(const uint32_t *)got[1].data, 9);
	/* The same id arrives again while the old fragment is requested. */
	card_sends(9, 1, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 9), 1);
	UNIT_EQ(roc_fragments_request(f, 9, 2, 4), 2);
	card_sends(9, 1, 200, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 9), 1);
	UNIT_EQ(counts(f).replaced, 1);
	UNIT_EQ(counts(f).kept, 1);
	UNIT_EQ(counts(f).pages_out, 2);
	roc_fragments_flush(f);
	card_does();
	UNIT_EQ(roc_fragments_done(f, got + 2, 4), 1);
	UNIT_EQ(got[2].size, 100);
	UNIT_EQ(counts(f).pages_out, 1);
	finish(f);
}

static void no_space(void)
{
	struct roc_fragments *f = running(0);
	struct roc_fragment_fetched got[COMMANDS];
	uint32_t event;
	unsigned int i;

	for (event = 0; event < 12; event++)
		for (i = 0; i < LINKS; i++)
			card_sends(event, i, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 100), 36);
	for (event = 0; event < 10; event++)
		UNIT_EQ(roc_fragments_request(f, event, 7, event), 7);
	UNIT_EQ(counts(f).space, 2);
	FAILS(roc_fragments_request(f, 10, 7, 10), -EAGAIN, "30 of 32 requests are outstanding");
	UNIT_EQ(counts(f).requested, 30);
	UNIT_EQ(roc_fragments_request(f, 10, 5, 10), 5);
	roc_fragments_flush(f);
	for (i = 0; i < COMMANDS; i++)
		card_does();
	UNIT_EQ(roc_fragments_done(f, got, COMMANDS), COMMANDS);
	UNIT_EQ(counts(f).space, HOST_PAGES - COMMANDS);
	for (event = 0; event < 5; event++)
		UNIT_EQ(roc_fragments_request(f, event, 7, event), 7);
	FAILS(roc_fragments_request(f, 10, 7, 10), -EAGAIN, "1 host pages are free");
	UNIT_EQ(roc_fragments_return(f, got[3].handle), 0);
	UNIT_EQ(roc_fragments_return(f, got[31].handle), 0);
	UNIT_EQ(roc_fragments_request(f, 10, 7, 10), 7);
	UNIT_EQ(counts(f).free, 0);
	finish(f);
}

static void returned_twice(void)
{
	struct roc_fragments *f = running(0);
	struct roc_fragment_fetched got[3], again;
	struct roc_lent lent;

	card_sends(1, 0, 100, 0);
	card_sends(1, 1, 60, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 9), 2);
	UNIT_EQ(roc_fragments_request(f, 1, 7, 0), 3);
	roc_fragments_flush(f);
	card_does();
	card_does();
	UNIT_EQ(roc_fragments_done(f, got, 3), 2);
	roc_fragments_lent(f, &lent);
	UNIT_EQ(lent.count, 2);
	UNIT_EQ(lent.limit, HOST_PAGES);
	UNIT_EQ(lent.bytes, 160);
	UNIT_EQ(lent.held, 2 * PAGE);
	UNIT_EQ(lent.oldest, 0);
	UNIT_EQ(lent.taken, 2);
	CU_ASSERT_TRUE(lent.oldest_ns < 60000000000);
	UNIT_EQ(roc_fragments_return(f, got[0].handle), 0);
	FAILS(roc_fragments_return(f, got[0].handle), -ENOENT, "already returned");
	roc_fragments_lent(f, &lent);
	UNIT_EQ(lent.count, 1);
	UNIT_EQ(lent.oldest, 1);
	UNIT_EQ(lent.returned, 1);
	/* The same page, lent again. */
	f->free = LIBROC_FRAGMENT_NONE;
	UNIT_EQ(roc_fragments_request(f, 1, 1, 0), 1);
	roc_fragments_flush(f);
	card_does();
	UNIT_EQ(roc_fragments_done(f, &again, 1), 1);
	CU_ASSERT_PTR_EQUAL(again.data, got[0].data);
	FAILS(roc_fragments_return(f, got[0].handle), -ENOENT, "is not lent");
	UNIT_EQ(roc_fragments_return(f, again.handle), 0);
	FAILS(roc_fragments_return(f, 0), -EINVAL, "no host page with handle 0x0");
	FAILS(roc_fragments_return(f, got[1].handle | 63), -EINVAL, "no host page");
	finish(f);
}

/* The number in a handle wraps around without a handle of 0, while the counter continues. */
static void handles_run_over(void)
{
	struct roc_fragments *f = running(0);
	struct roc_fragment_fetched got[3];
	struct roc_lent lent;
	uint64_t first = (UINT64_MAX >> f->shift) - 1;
	uint32_t i;

	f->lent = f->returned = first;
	for (i = 0; i < 3; i++) {
		card_sends(1, i, 100, 0);
		UNIT_EQ(roc_fragments_take(f, NULL, 9), 1);
		/* The second loan uses host page 0, where the number 0 would make the handle 0. */
		f->free = i == 1 ? 0 : i + 1;
		UNIT_EQ(roc_fragments_request(f, 1, 1 << i, 0), 1u << i);
		roc_fragments_flush(f);
		card_does();
		UNIT_EQ(roc_fragments_done(f, &got[i], 1), 1);
		CU_ASSERT_NOT_EQUAL(got[i].handle, 0);
		roc_fragments_lent(f, &lent);
		UNIT_EQ(lent.count, i + 1);
		UNIT_EQ(lent.oldest, first);
		UNIT_EQ(lent.taken, first + i + 1);
	}
	for (i = 0; i < 3; i++) {
		UNIT_EQ(roc_fragments_return(f, got[i].handle), 0);
		FAILS(roc_fragments_return(f, got[i].handle), -ENOENT, "already returned");
		roc_fragments_lent(f, &lent);
		UNIT_EQ(lent.count, 2 - i);
		UNIT_EQ(lent.oldest, i < 2 ? first + i + 1 : 0);
	}
	FAILS(roc_fragments_return(f, 0), -EINVAL, "no host page with handle 0x0");
	finish(f);
}

static void bring_done(void)
{
	card_does();
}

static void fragments_are_lent(void)
{
	struct roc_fragments *f = running(0);
	struct roc_lender *l;
	struct roc_unit a, b, c;
	struct roc_lent lent;
	uint32_t i;

	FAILS(roc_lender_fragments(f, 0, &l), -EINVAL, "1 to");
	UNIT_NEED(!roc_lender_fragments(f, 2, &l));
	UNIT_EQ(roc_lender_take(l, &a), 0);
	FAILS(roc_lender_wait(l, 10), -ENODATA, "no request is outstanding");
	card_sends(70, 0, 100, ROC_FR_SEQUENCE);
	card_sends(71, 1, 100, ROC_FR_TRUNCATED);
	card_sends(72, 2, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 9), 3);
	for (i = 70; i < 73; i++)
		UNIT_EQ(roc_fragments_request(f, i, 7, 0), 1 << (i - 70));
	UNIT_EQ(roc_fragments_request(f, 72, 7, 0), 4);
	fake.arrive = bring_done;
	UNIT_EQ(roc_lender_wait(l, 10), 0);
	card_does_with(2, ROC_FR_ABORTED);
	card_does_with(1, ROC_FR_OK);
	card_does_with(0, ROC_FR_OK);
	UNIT_EQ(roc_lender_take(l, &a), 1);
	UNIT_EQ(a.offset, 70);
	UNIT_EQ(a.link, 0);
	UNIT_EQ(a.length, 100);
	UNIT_EQ(a.flags, 0);
	UNIT_EQ(*(const uint32_t *)a.data, 70);
	UNIT_EQ(roc_lender_take(l, &b), 1); /* the failed one is skipped */
	FAILS(roc_lender_take(l, &c), -EAGAIN, "return some");
	UNIT_EQ(roc_lender_wait(l, 10), 0);
	roc_lender_lent(l, &lent);
	UNIT_EQ(lent.count, 2);
	UNIT_EQ(lent.held, 2 * PAGE);
	UNIT_EQ(roc_lender_return(l, b.handle), 0);
	FAILS(roc_lender_return(l, b.handle), -ENOENT, "already returned");
	UNIT_EQ(roc_lender_take(l, &c), 1);
	UNIT_EQ(b.offset + c.offset, 71 + 72);
	UNIT_EQ(b.offset == 71 ? b.flags : c.flags, ROC_UNIT_DAMAGED);
	UNIT_EQ(b.offset == 71 ? c.flags : b.flags, 0);
	FAILS(roc_lender_close(l), -EBUSY, "2 units are lent");
	UNIT_EQ(roc_lender_return(l, a.handle), 0);
	UNIT_EQ(roc_lender_return(l, c.handle), 0);
	UNIT_EQ(counts(f).free, HOST_PAGES);
	UNIT_EQ(roc_lender_close(l), 0);
	finish(f);
}

/* Pages that another thread returns */
static struct {
	struct roc_fragments *f;
	uint64_t handles[64];
	uint32_t in, out; /* atomic */
	bool end;	  /* atomic */
} other;

static void *returns(void *unused)
{
	while (!__atomic_load_n(&other.end, __ATOMIC_ACQUIRE)) {
		if (other.out == __atomic_load_n(&other.in, __ATOMIC_ACQUIRE)) {
			sched_yield();
			continue;
		}
		CU_ASSERT_EQUAL(roc_fragments_return(other.f, other.handles[other.out % 64]), 0);
		__atomic_store_n(&other.out, other.out + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void returned_by_another_thread(void)
{
	struct roc_fragments *f = running(0);
	struct roc_fragment_fetched got[COMMANDS];
	double end = unit_seconds() + 20 * slowness() * UNIT_PATIENCE;
	unsigned int requested = 0, fetched = 0;
	pthread_t thread;
	int i, n;

	memset(&other, 0, sizeof(other));
	other.f = f;
	card_sends(1, 0, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 1), 1);
	UNIT_NEED(!pthread_create(&thread, NULL, returns, NULL));
	while (fetched < 20000 && unit_seconds() < end) {
		while (requested < 20000 && roc_fragments_request(f, 1, 1, requested) == 1)
			requested++;
		roc_fragments_flush(f);
		card_looks();
		while (fake.n_waiting)
			card_does_with(random() % fake.n_waiting, ROC_FR_OK);
		n = roc_fragments_done(f, got, COMMANDS);
		for (i = 0; i < n; i++) {
			other.handles[other.in % 64] = got[i].handle;
			__atomic_store_n(&other.in, other.in + 1, __ATOMIC_RELEASE);
			UNIT_WAIT(other.in - __atomic_load_n(&other.out, __ATOMIC_ACQUIRE) < 64,
				  10000);
		}
		fetched += n;
	}
	UNIT_EQ(fetched, 20000);
	CU_ASSERT_TRUE(UNIT_WAIT(__atomic_load_n(&other.out, __ATOMIC_ACQUIRE) == 20000, 10000));
	__atomic_store_n(&other.end, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	UNIT_EQ(counts(f).free, HOST_PAGES);
	finish(f);
}

/* State of a host and a card that act at random, across the wrap of the counts */
static struct {
	uint64_t handles[HOST_PAGES];
	unsigned int lent;
	uint32_t next, oldest; /* event ids */
	unsigned int sent, fetched;
} any;

static void card_does_anything(void)
{
	unsigned int i;

	switch (random() % 3) {
	case 0:
		for (i = random() % 8; i > 0; i--) {
			if (random() % 4 == 0)
				any.next++;
			any.sent += card_sends(any.next, random() % LINKS, 4 * (random() % 512), 0);
		}
		return;
	case 1:
		card_looks();
		for (i = random() % 8; i > 0 && fake.n_waiting; i--)
			card_does_with(random() % fake.n_waiting, ROC_FR_OK);
		return;
	}
}

static void host_does_anything(struct roc_fragments *f)
{
	struct roc_fragment_fetched got[6];
	uint64_t age;
	uint32_t event;
	int i, n;

	switch (random() % 6) {
	case 0:
		CU_ASSERT_TRUE(roc_fragments_take(f, NULL, random() % 10) >= 0);
		return;
	case 1:
		roc_fragments_request(f, any.oldest + random() % 4, 1 + random() % 7, any.fetched);
		return;
	case 2:
		roc_fragments_flush(f);
		return;
	case 3:
		n = roc_fragments_done(f, got, 6);
		CU_ASSERT_TRUE(n >= 0);
		for (i = 0; i < n; i++) {
			UNIT_EQ(((const uint32_t *)got[i].data)[0], got[i].event);
			UNIT_EQ(((const uint32_t *)got[i].data)[1], got[i].link);
			any.handles[any.lent++] = got[i].handle;
			any.fetched++;
		}
		return;
	case 4:
		for (i = random() % 6; i > 0 && any.lent; i--) {
			n = random() % any.lent;
			UNIT_EQ(roc_fragments_return(f, any.handles[n]), 0);
			any.handles[n] = any.handles[--any.lent];
		}
		return;
	case 5:
		/* Clear a list of finished events, or the oldest event, requested or not. */
		if (random() % 2 || !roc_fragments_oldest(f, &event, &age))
			event = any.oldest + random() % 4;
		else
			any.oldest = event + 1;
		roc_fragments_clear(f, &event, 1);
		return;
	}
}

/* Check that every page and request is accounted for exactly once. */
static void in_balance(struct roc_fragments *f)
{
	struct roc_fragments_counts c = counts(f);
	uint32_t link, number, free = 0;

	for (link = 0; link < LINKS; link++)
		for (number = 0; number < PAGES; number++)
			free += fake.has[link][number];
	/*
	 * Pages: owned by the card, in the free-page ring, reported and not consumed, and kept by
	 * the host.
	 */
	UNIT_EQ(free + (f->freed - fake.freed) + (fake.sent - f->taken) + c.pages_out, ALL);
	UNIT_EQ(c.free + c.outstanding + any.lent, HOST_PAGES);
	UNIT_EQ(c.requested, c.fetched + c.outstanding);
	UNIT_EQ(c.fetched, any.fetched);
	CU_ASSERT_TRUE(c.kept <= c.pages_out);
}

static void anything(void)
{
	struct roc_fragments *f = running(UINT32_MAX - 900);
	unsigned int i;
	uint32_t event;
	uint64_t age;

	srandom(20261122);
	memset(&any, 0, sizeof(any));
	any.next = UINT32_MAX - 300; /* ids wrap, too */
	any.oldest = any.next;
	for (i = 0; i < 60000; i++) {
		card_does_anything();
		host_does_anything(f);
		in_balance(f);
	}
	CU_ASSERT_TRUE(any.sent > 2000);
	CU_ASSERT_TRUE(any.fetched > 2000);
	CU_ASSERT_TRUE(any.next < 1u << 31);
	CU_ASSERT_TRUE(f->taken < 1u << 31);
	/* At the end all pages are owned by the card. */
	roc_fragments_flush(f);
	card_looks();
	while (fake.n_waiting)
		card_does_with(0, ROC_FR_OK);
	for (i = 0; i < 100; i++) {
		struct roc_fragment_fetched got;

		if (roc_fragments_done(f, &got, 1) == 1)
			roc_fragments_return(f, got.handle);
	}
	while (any.lent)
		roc_fragments_return(f, any.handles[--any.lent]);
	while (roc_fragments_take(f, NULL, 100) > 0)
		;
	while (roc_fragments_oldest(f, &event, &age))
		UNIT_NEED(roc_fragments_clear(f, &event, 1) == 1);
	UNIT_EQ(counts(f).pages_out, 0);
	UNIT_EQ(counts(f).events, 0);
	UNIT_EQ(counts(f).free, HOST_PAGES);
	finish(f);
}

/* Bring each ring into its second lap, where a zeroed entry has the phase of a valid one. */
static struct roc_fragments *in_odd_laps(uint32_t begin)
{
	struct roc_fragments *f = running(begin);
	struct roc_fragment_fetched got;
	uint32_t event;

	for (event = 0; event < DESCRIPTORS + 5; event++) {
		UNIT_NEED(card_sends(event, event % LINKS, 100, 0));
		UNIT_NEED(roc_fragments_take(f, NULL, 1) == 1);
		if (event < COMMANDS + 3) {
			UNIT_NEED(roc_fragments_request(f, event, ~0u, event) != 0);
			UNIT_EQ(roc_fragments_flush(f), 0);
			card_does();
			UNIT_NEED(roc_fragments_done(f, &got, 1) == 1);
			UNIT_EQ(roc_fragments_return(f, got.handle), 0);
		}
		UNIT_EQ(roc_fragments_clear(f, &event, 1), 1);
		UNIT_EQ(roc_fragments_flush(f), 0);
	}
	return f;
}

/* The driver resets the rings, and then the card does not start. */
static void a_start_that_fails(void)
{
	static const uint32_t begins[] = {0, UINT32_MAX - 2};
	struct roc_fragment_fetched got[4];
	struct roc_fragment_kept kept[4];
	struct roc_fragments *f;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		f = in_odd_laps(begins[i]);
		card_sends(1000, 1, 100, 0);
		UNIT_EQ(roc_fragments_take(f, kept, 4), 1);
		UNIT_EQ(roc_fragments_request(f, 1000, ~0u, 77), 2);
		UNIT_EQ(roc_fragments_flush(f), 0);
		UNIT_EQ(roc_fragments_stop(f, true), 0);
		/* The rings were not reset: the entries of the last run are still available. */
		card_sends(1001, 1, 100, 0);
		node.errno_ = EIO;
		FAILS(roc_fragments_start(f), -EIO, "did not acknowledge the start");
		UNIT_EQ(roc_fragments_wait(f, 1, 0, 0), ROC_FRAGMENTS_DATA);
		UNIT_EQ(roc_fragments_take(f, kept, 1), 1);
		UNIT_EQ(kept[0].event, 1001);

		node.start_errno = EIO;
		FAILS(roc_fragments_start(f), -EIO, "did not acknowledge the start");
		CU_ASSERT_FALSE(roc_fragments_running(f));
		UNIT_EQ(roc_fragments_wait(f, 1, 0, 0), 0);
		UNIT_EQ(roc_fragments_take(f, kept, 4), 0);
		UNIT_EQ(roc_fragments_wait(f, 0, 1, 0), ROC_FRAGMENTS_DONE);
		UNIT_EQ(roc_fragments_done(f, got, 4), 1);
		UNIT_EQ(got[0].tag, 77);
		UNIT_EQ(got[0].error, -ECANCELED);
		UNIT_EQ(roc_fragments_done(f, got, 4), 0);
		UNIT_EQ(counts(f).outstanding, 0);
		UNIT_EQ(counts(f).free, HOST_PAGES);

		node.start_errno = 0;
		UNIT_EQ(roc_fragments_start(f), 0);
		UNIT_EQ(roc_fragments_take(f, kept, 4), 0);
		card_sends(3, 2, 100, 0);
		UNIT_EQ(roc_fragments_take(f, kept, 4), 1);
		UNIT_EQ(kept[0].event, 3);
		finish(f);
	}
}

UNIT_MAIN("libroc_fragment_run",
	  {"an event comes, is fetched and cleared without a system call", an_event},
	  {"pages are released in batches, or when the card is short of them", pages_go_back},
	  {"one page of each link", few_pages},
	  {"an event that is cleared while it is requested", cleared_while_outstanding},
	  {"a request without space", no_space},
	  {"host pages that are returned twice", returned_twice},
	  {"a start that fails after the rings were reset", a_start_that_fails},
	  {"the numbers in the handles wrap around", handles_run_over},
	  {"fragments are lent and returned", fragments_are_lent},
	  {"host pages that another thread returns", returned_by_another_thread},
	  {"random operations across the wrap", anything})
