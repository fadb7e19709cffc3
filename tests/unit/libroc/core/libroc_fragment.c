// SPDX-License-Identifier: GPL-2.0-or-later
/* Sub-units: open, rings and memory, start, wait and stop, and invalid entries of cards. */
#include "fake_fragments.h"
#include "tests/unit/libroc/holes.h"

static void opening(void)
{
	struct roc_fragments *f = opened("sub1");
	struct roc_endpoint *ep;
	unsigned int number = 77;

	UNIT_EQ(roc_fragments_number(f), 1);
	UNIT_EQ(roc_fragments_links(f), LINKS);
	UNIT_STR(roc_fragments_name(f), "sub1");
	UNIT_STR(node.opened, "/dev/roc3ch1");
	CU_ASSERT_TRUE(roc_fragments_fd(f) >= 0);
	finish(f);
	f = opened("0");
	UNIT_STR(roc_fragments_name(f), "sub0");
	finish(f);
	FAILS(roc_fragments_open("999", "sub0", &f), -ENOENT, "no such card");
	FAILS(roc_fragments_open("245", "sub2", &f), -ENOENT,
	      "no sub-unit 'sub2'; it has sub0, sub1");
	FAILS(roc_fragments_open("245", "2", &f), -ENOENT, "no sub-unit '2'");
	FAILS(roc_fragments_open("245", "", &f), -ENOENT, "no sub-unit ''");
	node.open_errno = EBUSY;
	FAILS(roc_fragments_open("245", "sub1", &f), -EBUSY,
	      "245 (0000:3b:00.0) sub1 is in use by PID 4711 (roc-rosd): a sub-unit has one owner");
	node.open_errno = 0;
	node.other = true;
	FAILS(roc_fragments_open("245", "sub0", &f), -EOPNOTSUPP, "has no sub-units");
	node.other = false;
	UNIT_NEED(!roc_open("245", &ep));
	UNIT_EQ(roc_card_fragments_find(ep, "sub1", &number), 0);
	UNIT_EQ(number, 1);
	node.old = true;
	FAILS(roc_card_fragments_find(ep, "sub1", &number), -ENOTTY, "modprobe");
	roc_close(ep);
}

static void rings(void)
{
	struct roc_fragments *f = opened("sub0");
	struct roc_fragment_fetched fetched;
	struct roc_lender *lender;
	uint32_t event;
	uint64_t age;

	FAILS(roc_fragments_take(f, NULL, 1), -EPIPE, "roc_fragments_rings()");
	FAILS(roc_fragments_done(f, &fetched, 1), -EPIPE, "roc_fragments_rings()");
	FAILS(roc_fragments_wait(f, 1, 1, 0), -EPIPE, "roc_fragments_rings()");
	FAILS(roc_lender_fragments(f, 1, &lender), -EPIPE, "roc_fragments_rings()");
	UNIT_EQ(roc_fragments_find(f, 0), 0);
	UNIT_EQ(roc_fragments_oldest(f, &event, &age), 0);
	UNIT_EQ(roc_fragments_request(f, 0, ~0u, 0), 0);
	UNIT_EQ(roc_fragments_clear(f, &event, 1), 0);
	UNIT_EQ(roc_fragments_flush(f), 0);
	UNIT_EQ(counts(f).space, 0);
	FAILS(roc_fragments_return(f, 1), -EINVAL, "handle 0x1");
	CU_ASSERT_FALSE(roc_fragments_running(f));

	node.errno_ = EINVAL;
	FAILS(roc_fragments_rings(f, 3000, 0, 0, 0), -EINVAL, "powers of two from 1024 to 65536");
	node.errno_ = EBUSY;
	FAILS(roc_fragments_rings(f, 0, 0, 0, 0), -EBUSY, "once per open");
	node.errno_ = ENOMEM;
	FAILS(roc_fragments_rings(f, 0, 0, 0, 0), -ENOMEM, "cannot allocate the rings");
	node.errno_ = ENOMEM;
	fake.out.rings =
		(struct roc_fr_rings){.reason = ROC_REASON_MEMLOCK, .limit = 8, .pinned = 5};
	FAILS(roc_fragments_rings(f, 0, 0, 0, 0), -ENOMEM, "limit is 8 bytes and 5 of them");
	node.errno_ = EOPNOTSUPP;
	fake.out.rings = (struct roc_fr_rings){.reason = ROC_REASON_LENGTH, .limit = 1024};
	FAILS(roc_fragments_rings(f, 0, 0, 0, 65536), -EOPNOTSUPP, "65536 requests: one of these");
	ERROR_HAS("exceeds the card's limit");
	node.errno_ = EPERM;
	fake.out.rings = (struct roc_fr_rings){.reason = ROC_REASON_OWNER};
	FAILS(roc_fragments_rings(f, 0, 0, 0, 0), -EPERM, "after fork()");
	UNIT_EQ(roc_fragments_rings(f, 1024, 77, 4096, 64), 0);
	UNIT_EQ(fake.in.rings.page_size, 1024);
	UNIT_EQ(fake.in.rings.pages, 77);
	UNIT_EQ(fake.in.rings.host_page_size, 4096);
	UNIT_EQ(fake.in.rings.commands, 64);
	finish(f);
}

/* Rings are made once per open. If mmap() fails, a later call maps them. */
static void rings_that_cannot_be_mapped(void)
{
	struct roc_fragments *f;
	unsigned int which;

	for (which = 1; which <= 3; which++) {
		f = opened("sub0");
		refuse_map = which;
		FAILS(roc_fragments_rings(f, PAGE, PAGES, PAGE, COMMANDS), -ENOMEM,
		      "then call again");
		UNIT_EQ(node.calls, 1);
		refuse_map = 1;
		FAILS(roc_fragments_start(f), -ENOMEM, "cannot map the rings");
		UNIT_EQ(node.calls, 1);
		FAILS(roc_fragments_take(f, NULL, 1), -EPIPE, "rings do not exist yet");
		UNIT_EQ(roc_fragments_add(f, memory, 8 * PAGE), 0);
		UNIT_EQ(node.calls, 3); /* register, number */
		UNIT_EQ(roc_fragments_start(f), 0);
		CU_ASSERT_TRUE(card_sends(1, 0, 100, 0));
		UNIT_EQ(roc_fragments_take(f, NULL, 1), 1);
		node.errno_ = EBUSY;
		FAILS(roc_fragments_rings(f, 0, 0, 0, 0), -EBUSY, "once per open");
		finish(f);
	}
}

static void close_fragments(void *f)
{
	roc_fragments_close(f);
}

static int use_fragments(void *arg)
{
	struct roc_fr_settings settings = {.set = 0};
	struct roc_fragment_fetched fetched;
	struct roc_fragments *f = arg;
	const uint32_t event = 1;
	unsigned int calls = node.calls;
	struct roc_lender *l;
	struct roc_fr_info info;
	int at = 0;

	REFUSED(at, roc_fragments_take(f, NULL, 1));
	REFUSED(at, roc_fragments_request(f, 1, 1, 0));
	REFUSED(at, roc_fragments_done(f, &fetched, 1));
	REFUSED(at, roc_fragments_return(f, 1));
	IN_CHILD(at, !roc_fragments_clear(f, &event, 1));
	REFUSED(at, roc_fragments_flush(f));
	REFUSED(at, roc_fragments_wait(f, 1, 1, 0));
	IN_CHILD(at, !roc_fragments_running(f));
	REFUSED(at, roc_fragments_rings(f, 0, 0, 0, 0));
	REFUSED(at, roc_fragments_add(f, memory, PAGE));
	REFUSED(at, roc_fragments_start(f));
	REFUSED(at, roc_fragments_stop(f, false));
	REFUSED(at, roc_fragments_stop(f, true));
	REFUSED(at, roc_fragments_reset(f, ROC_FR_RESET_COUNTERS));
	REFUSED(at, roc_fragments_settings(f, &settings));
	REFUSED(at, roc_fragments_info(f, &info));
	REFUSED(at, roc_fragments_eventfd(f, -1));
	REFUSED(at, roc_lender_fragments(f, 1, &l));
	IN_CHILD(at, node.calls == calls);
	return 0;
}

/* Rings are not inherited, and a child's ioctls would affect its parent's run. */
static void in_a_child_of_fork(void)
{
	struct roc_fragments *f = running(0);
	struct iovec areas[] = {{(void *)f->kernel_area, USER_AT},
				{f->user_area, BELL_AT - USER_AT},
				{f->bell, 4096}};

	CU_ASSERT_TRUE(card_sends(1, 0, 100, 0));
	UNIT_EQ(roc_fragments_take(f, NULL, 1), 1);
	CU_ASSERT_TRUE(card_sends(2, 0, 100, 0));
	UNIT_EQ(child_without(areas, 3, use_fragments, f), 0);
	CU_ASSERT_TRUE(roc_fragments_running(f));
	UNIT_EQ(roc_fragments_take(f, NULL, 1), 1);
	UNIT_EQ(roc_fragments_request(f, 1, 1, 0), 1);
	finish(f);
}

/* A child has no rings, but may close its handle. */
static void children_let_go(void)
{
	struct roc_fragments *f = running(0);
	struct iovec areas[] = {{(void *)f->kernel_area, USER_AT},
				{f->user_area, BELL_AT - USER_AT},
				{f->bell, 4096}};
	unsigned int i;

	UNIT_EQ(child_lets_go(areas, 3, close_fragments, f), 0);
	finish(f);
	for (i = 0; i < 3; i++)
		CU_ASSERT_FALSE(is_mapped(&areas[i]));
}

static void memory_for_the_card(void)
{
	struct roc_fragments *f = opened("sub0");

	FAILS(roc_fragments_add(f, memory, PAGE + 1), -EINVAL, "host page size of 2048");
	FAILS(roc_fragments_add(f, memory, 0), -EINVAL, "0 bytes");
	FAILS(roc_fragments_add(f, memory, sizeof(memory) + PAGE), -ENOSPC, "the card supports 48");
	node.errno_ = EBUSY;
	FAILS(roc_fragments_add(f, memory, 8 * PAGE), -EBUSY, "while running");
	UNIT_EQ(roc_fragments_add(f, memory, 8 * PAGE), 0);
	UNIT_EQ(fake.in.buffer.granule, PAGE);
	UNIT_EQ(fake.in.buffer.length, 8 * PAGE);
	UNIT_EQ(counts(f).free, 8);
	/* If the module numbered the pages differently, the card would write to other pages. */
	fake.skew = 1;
	FAILS(roc_fragments_add(f, memory, 8 * PAGE), -EPROTO, "from 9, but 8 from 8");
	UNIT_EQ(fake.unregistered, 7);
	UNIT_EQ(counts(f).free, 8);
	fake.host_pages = 8;
	fake.skew = 0;
	UNIT_EQ(roc_fragments_add(f, memory + 8 * PAGE, 40 * PAGE), 0);
	UNIT_EQ(counts(f).free, 48);
	UNIT_EQ(counts(f).space, COMMANDS);
	FAILS(roc_fragments_add(f, memory, PAGE), -ENOSPC,
	      "cannot add 1 host pages to the existing 48");
	finish(f);
}

/*
 * Descriptors of a page that the card does not own, of a page that does not exist, or with too many
 * bytes.
 */
static void invalid_descriptors(void)
{
	static const struct {
		uint32_t page, size;
	} invalid[] = {
		{ROC_FR_PAGE(LINKS, 0), 100},  {ROC_FR_PAGE(15, 0), 100},
		{ROC_FR_PAGE(0, PAGES), 100},  {ROC_FR_PAGE(0, 0xfffffff), 100},
		{ROC_FR_PAGE(1, 1), PAGE + 1}, {ROC_FR_PAGE(1, 1), UINT32_MAX},
		{ROC_FR_PAGE(0, 0), 100}, /* already kept */
		{ROC_FR_PAGE(2, 0), 100}, /* the link has reported all of its pages */
	};
	struct roc_fragment_kept kept[PAGES];
	struct roc_fragments *f;
	unsigned int i, n;

	for (i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		f = running(0);
		card_sends(1, 0, 100, 0);
		for (n = 0; n < PAGES; n++)
			card_sends(n, 2, 100, 0);
		UNIT_EQ(roc_fragments_take(f, NULL, 100), 1 + PAGES);
		n = PAGES - 1;
		if (invalid[i].page == ROC_FR_PAGE(2, 0))
			UNIT_EQ(roc_fragments_clear(f, &n, 1), 1);
		card_sends(3, 1, 100, 0);
		if (invalid[i].page == ROC_FR_PAGE(2, 0))
			card_writes(7, ROC_FR_PAGE(2, PAGES - 1), invalid[i].size, 0);
		else
			card_writes(7, invalid[i].page, invalid[i].size, 0);
		card_sends(4, 1, 100, 0);
		/* The entries before the invalid one are consumed, and none after it. */
		UNIT_EQ(roc_fragments_take(f, kept, PAGES), 1);
		UNIT_EQ(kept[0].event, 3);
		FAILS(roc_fragments_take(f, kept, PAGES), -EBADMSG, "(event 7)");
		FAILS(roc_fragments_take(f, NULL, PAGES), -EBADMSG, "24 pages of 2048 bytes");
		UNIT_EQ(counts(f).taken, 2 + PAGES);
		UNIT_NEED(!roc_fragments_stop(f, true));
		UNIT_NEED(!roc_fragments_start(f));
		UNIT_EQ(roc_fragments_take(f, kept, PAGES), 0);
		UNIT_EQ(counts(f).kept, 0);
		finish(f);
	}
}

static void invalid_completions(void)
{
	static const struct {
		uint32_t tag, size, event, status;
	} invalid[] = {
		/* already completed */
		{HOST_PAGES, 100, 1, 0}, {UINT32_MAX, 100, 1, 0},
		{1, 100, 1, 0},		 {2, 100, 1, 0}, /* never requested */
		{0, 101, 1, 0},		 {0, 100, 2, 0},
		{0, 100, 1, 5},		 {0, UINT32_MAX, 1, 0},
	};
	struct roc_fragment_fetched got[4];
	struct roc_fragments *f;
	unsigned int i;

	for (i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		f = running(0);
		card_sends(1, 0, 100, 0);
		UNIT_EQ(roc_fragments_take(f, NULL, 100), 1);
		UNIT_EQ(roc_fragments_request(f, 1, 1, 77), 1);
		UNIT_EQ(roc_fragments_request(f, 1, 1, 78), 1);
		roc_fragments_flush(f);
		card_looks();
		card_does_with(1, ROC_FR_OK);
		card_writes_done(invalid[i].tag, invalid[i].size, invalid[i].event,
				 invalid[i].status);
		card_does_with(0, ROC_FR_OK);
		UNIT_EQ(roc_fragments_done(f, got, 4), 1);
		UNIT_EQ(got[0].tag, 78);
		FAILS(roc_fragments_done(f, got + 1, 4), -EBADMSG, "the card completed command");
		FAILS(roc_fragments_done(f, got + 1, 4), -EBADMSG, "none of the 1");
		UNIT_EQ(counts(f).fetched, 1);
		UNIT_NEED(!roc_fragments_stop(f, true));
		UNIT_NEED(!roc_fragments_start(f));
		UNIT_EQ(counts(f).outstanding, 0);
		UNIT_EQ(counts(f).failed, 1);
		UNIT_EQ(counts(f).free, HOST_PAGES - 1);
		UNIT_EQ(roc_fragments_return(f, got[0].handle), 0);
		finish(f);
	}
	/* A completion of a command without a doorbell. */
	f = running(0);
	card_sends(1, 0, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 100), 1);
	UNIT_EQ(roc_fragments_request(f, 1, 1, 77), 1);
	card_writes_done(0, 100, 1, 0);
	FAILS(roc_fragments_done(f, got, 4), -EBADMSG, "command 0 with 100 bytes of event 1");
	finish(f);
}

/* Errors of the card are reported as such, without a host page to return. */
static void refused(void)
{
	struct roc_fragments *f = running(0);
	struct roc_fragment_fetched got[4];
	uint32_t i;

	card_sends(1, 0, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 100), 1);
	for (i = 0; i < 4; i++)
		UNIT_EQ(roc_fragments_request(f, 1, 1, i), 1);
	roc_fragments_flush(f);
	card_looks();
	for (i = 4; i > 0; i--)
		card_does_with(i - 1, i);
	UNIT_EQ(roc_fragments_done(f, got, 4), 4);
	for (i = 0; i < 4; i++) {
		UNIT_EQ(got[i].error, -EIO);
		UNIT_EQ(got[i].tag, 3 - i);
		CU_ASSERT_PTR_NULL(got[i].data);
		UNIT_EQ(got[i].handle, 0);
		UNIT_EQ(got[i].size, 0);
	}
	UNIT_EQ(counts(f).failed, 4);
	UNIT_EQ(counts(f).free, HOST_PAGES);
	UNIT_EQ(roc_fragments_request(f, 1, 1, 0), 1);
	finish(f);
}

/*
 * After a run, completions are available, other requests are reported as cancelled, and lent host
 * pages stay lent.
 */
static void the_end_of_a_run(void)
{
	struct roc_fragments *f = running(0);
	struct roc_fragment_fetched got[8], more;
	uint32_t i;

	for (i = 0; i < 4; i++)
		card_sends(i, 0, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 100), 4);
	for (i = 0; i < 4; i++)
		UNIT_EQ(roc_fragments_request(f, i, 1, i), 1);
	roc_fragments_flush(f);
	card_does();
	UNIT_EQ(roc_fragments_request(f, 3, 1, 4), 1); /* without a doorbell */
	card_sends(9, 1, 100, 0);
	UNIT_EQ(roc_fragments_stop(f, true), 0);
	UNIT_EQ(fake.in.stop.flags, ROC_FR_STOP_NOW);
	CU_ASSERT_FALSE(roc_fragments_running(f));
	UNIT_EQ(roc_fragments_wait(f, 1, 1, -1), ROC_FRAGMENTS_DATA | ROC_FRAGMENTS_DONE);
	UNIT_EQ(roc_fragments_take(f, NULL, 100), 1);
	UNIT_EQ(roc_fragments_done(f, got, 2), 2);
	UNIT_EQ(got[0].error, 0);
	UNIT_EQ(got[0].tag, 0);
	UNIT_EQ(got[1].error, -ECANCELED);
	UNIT_EQ(roc_fragments_wait(f, 1, 1, -1), ROC_FRAGMENTS_DONE);
	UNIT_EQ(roc_fragments_done(f, got + 2, 8), 3);
	UNIT_EQ(got[1].tag + got[2].tag + got[3].tag + got[4].tag, 1 + 2 + 3 + 4);
	CU_ASSERT_PTR_NULL(got[4].data);
	UNIT_EQ(roc_fragments_done(f, &more, 1), 0);
	UNIT_EQ(roc_fragments_wait(f, 1, 1, -1), 0);
	/* Requests after the end are reported as cancelled, too. */
	UNIT_EQ(roc_fragments_request(f, 3, 1, 6), 1);
	UNIT_EQ(roc_fragments_done(f, &more, 1), 1);
	UNIT_EQ(more.error, -ECANCELED);
	UNIT_EQ(more.tag, 6);
	UNIT_EQ(counts(f).failed, 5);
	UNIT_EQ(counts(f).free, HOST_PAGES - 1);
	UNIT_EQ(roc_fragments_start(f), 0);
	UNIT_EQ(counts(f).free, HOST_PAGES - 1);
	UNIT_EQ(*(const uint32_t *)got[0].data, 0);
	UNIT_EQ(roc_fragments_find(f, 9), 0);
	card_sends(8, 1, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 100), 1);
	UNIT_EQ(roc_fragments_request(f, 8, 2, 5), 2);
	UNIT_EQ(roc_fragments_return(f, got[0].handle), 0);
	UNIT_EQ(le32toh(fake.bell->command), 0);
	UNIT_EQ(roc_fragments_stop(f, false), 0);
	UNIT_EQ(fake.in.stop.flags, 0);
	UNIT_EQ(le32toh(fake.bell->command), 1); /* the stop rings the doorbell */
	/* The caller does not fetch the end of that request: the start drops it. */
	UNIT_EQ(roc_fragments_start(f), 0);
	UNIT_EQ(counts(f).outstanding, 0);
	UNIT_EQ(counts(f).free, HOST_PAGES);
	UNIT_EQ(counts(f).failed, 6);
	/*
	 * The card is removed: completions are reported first, cancelled requests when the run is
	 * over.
	 */
	card_sends(2, 1, 100, 0);
	fake.kernel->flags = ROC_FR_GONE;
	UNIT_EQ(roc_fragments_take(f, NULL, 100), 1);
	FAILS(roc_fragments_take(f, NULL, 100), -ENODEV, "was removed");
	UNIT_EQ(roc_fragments_request(f, 2, 2, 7), 2);
	UNIT_EQ(roc_fragments_done(f, got, 8), 0);
	fake.kernel->flags = ROC_FR_STOPPED | ROC_FR_GONE;
	UNIT_EQ(roc_fragments_done(f, got, 8), 1);
	UNIT_EQ(got[0].error, -ECANCELED);
	UNIT_EQ(got[0].tag, 7);
	FAILS(roc_fragments_done(f, got, 8), -ENODEV, "was removed");
	FAILS(roc_fragments_wait(f, 1, 1, 100), -ENODEV, "was removed");
	node.errno_ = EALREADY;
	FAILS(roc_fragments_stop(f, false), -EALREADY, "nothing to stop");
	node.errno_ = EALREADY;
	node.failed_reason = ROC_REASON_LOST;
	FAILS(roc_fragments_stop(f, false), -EALREADY, "the card answers all ones");
	node.failed_reason = 0;
	finish(f);
}

static void bring_data(void)
{
	card_sends(50, 0, 100, 0);
}

static void bring_done(void)
{
	card_does();
}

static void bring_the_end(void)
{
	fake.kernel->flags = ROC_FR_STOPPED;
}

static void waiting(void)
{
	struct roc_fragments *f = running(1000);
	struct roc_fragment_fetched got;
	unsigned int calls = node.calls;

	FAILS(roc_fragments_wait(f, 1, 0, -2), -EINVAL, "invalid timeout -2 ms");
	UNIT_EQ(roc_fragments_wait(f, 0, 0, -1), 0);
	UNIT_EQ(roc_fragments_wait(f, 0, 1, -1), 0); /* nothing is outstanding */
	UNIT_EQ(node.calls, calls);
	FAILS(roc_fragments_wait(f, 5, 1, 20), -ETIME, "waiting for 5 fragments or 0 of 0");
	UNIT_EQ(fake.in.wait.mask, ROC_FR_WAIT_DATA);
	UNIT_EQ(fake.in.wait.descriptors, 1005);
	card_sends(49, 0, 100, 0);
	calls = node.calls;
	UNIT_EQ(roc_fragments_wait(f, 1, 0, -1), ROC_FRAGMENTS_DATA);
	UNIT_EQ(node.calls, calls); /* already present */
	fake.arrive = bring_data;
	UNIT_EQ(roc_fragments_wait(f, 2, 0, -1), ROC_FRAGMENTS_DATA);
	UNIT_EQ(fake.in.wait.deadline, INT64_MAX);
	UNIT_EQ(roc_fragments_take(f, NULL, 9), 2);
	fake.arrive = NULL;
	/* A wait is limited to half of the pages that the card owns of a link. */
	FAILS(roc_fragments_wait(f, 1000, 0, 10), -ETIME, "waiting for 11 fragments");
	UNIT_EQ(fake.in.wait.descriptors, 1002 + (PAGES - 2) / 2);
	UNIT_EQ(roc_fragments_request(f, 49, 1, 0), 1);
	fake.arrive = bring_done;
	UNIT_EQ(roc_fragments_wait(f, 0, 20, -1), ROC_FRAGMENTS_DONE); /* flushes */
	UNIT_EQ(fake.in.wait.mask, ROC_FR_WAIT_DONE);
	UNIT_EQ(fake.in.wait.completions, 1001); /* no more is outstanding */
	UNIT_EQ(roc_fragments_done(f, &got, 1), 1);
	fake.arrive = bring_the_end;
	UNIT_EQ(roc_fragments_wait(f, 1, 1, -1), 0);
	calls = node.calls;
	UNIT_EQ(roc_fragments_wait(f, 1, 1, -1), 0);
	UNIT_EQ(node.calls, calls);
	UNIT_NEED(!roc_fragments_start(f));
	node.errno_ = EINTR;
	FAILS(roc_fragments_wait(f, 1, 1, -1), -EINTR, "call again");
	node.errno_ = ENODEV;
	FAILS(roc_fragments_wait(f, 1, 1, -1), -ENODEV, "was removed");
	finish(f);
}

/* If a single link sends until it is out of pages, a wait for more must still end. */
static void one_link_sends(void)
{
	struct roc_fragments *f = running(1000);
	uint32_t event = 0;

	while (card_sends(event, 1, 100, 0))
		event++;
	UNIT_EQ(event, PAGES);
	UNIT_EQ(roc_fragments_wait(f, ALL, 0, 10), ROC_FRAGMENTS_DATA);
	UNIT_EQ(roc_fragments_take(f, NULL, ALL), PAGES);
	/* The wait ignores a link without pages, because others may send. */
	FAILS(roc_fragments_wait(f, ALL, 0, 10), -ETIME, "waiting for 12 fragments");
	finish(f);
}

/* Without a mapped doorbell, one call of the driver rings both. */
static void no_doorbell(void)
{
	struct roc_fragments *f = opened("sub0");

	node.no_bell = true;
	UNIT_NEED(!roc_fragments_add(f, memory, sizeof(memory)));
	UNIT_NEED(!roc_fragments_start(f));
	UNIT_EQ(fake.in.doorbell.what, ROC_FR_DOORBELL_FREE);
	UNIT_EQ(fake.in.doorbell.free, ALL);
	card_sends(5, 0, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 1), 1);
	UNIT_EQ(roc_fragments_request(f, 5, 1, 1), 1);
	UNIT_EQ(roc_fragments_flush(f), 0);
	UNIT_EQ(fake.in.doorbell.what, ROC_FR_DOORBELL_COMMAND);
	UNIT_EQ(fake.in.doorbell.command, 1);
	UNIT_EQ(counts(f).doorbell_calls, 2);
	UNIT_EQ(counts(f).doorbells, 0);
	UNIT_EQ(roc_fragments_request(f, 5, 1, 1), 1);
	node.errno_ = EALREADY;
	UNIT_EQ(roc_fragments_flush(f), 0);
	UNIT_EQ(roc_fragments_request(f, 5, 1, 1), 1);
	node.errno_ = ENODEV;
	FAILS(roc_fragments_flush(f), -ENODEV, "cannot ring the doorbell");
	finish(f);
}

static void settings_and_resets(void)
{
	struct roc_fragments *f = opened("sub1");
	struct roc_fr_settings settings = {.set = ROC_FR_SET_LINKS, .links = 5, .size = 3};
	struct roc_endpoint *ep;
	struct roc_fr_info info;

	fake.out.settings = (struct roc_fr_settings){.links = 7, .data_count = 64};
	UNIT_EQ(roc_fragments_settings(f, &settings), 0);
	UNIT_EQ(fake.in.settings.size, sizeof(settings));
	UNIT_EQ(fake.in.settings.links, 5);
	UNIT_EQ(fake.in.settings.sub, 1);
	UNIT_EQ(settings.links, 7);
	settings = (struct roc_fr_settings){.set = ROC_FR_SET_LINKS, .links = 64};
	node.errno_ = ERANGE;
	FAILS(roc_fragments_settings(f, &settings), -ERANGE, "links 0x40");
	node.errno_ = EINVAL;
	FAILS(roc_fragments_settings(f, &settings), -EINVAL, "enum roc_fr_set");
	UNIT_EQ(roc_fragments_reset(f, ROC_FR_RESET_COUNTERS), 0);
	UNIT_EQ(fake.in.reset.level, ROC_FR_RESET_COUNTERS);
	node.errno_ = EBUSY;
	FAILS(roc_fragments_reset(f, ROC_FR_RESET_LOGIC), -EBUSY, "stop it first");
	ERROR_HAS("is open in another process");
	node.errno_ = EIO;
	FAILS(roc_fragments_reset(f, ROC_FR_RESET_LOGIC), -EIO, "did not complete the reset");
	UNIT_EQ(roc_fragments_eventfd(f, 5), 0);
	node.errno_ = EINVAL;
	FAILS(roc_fragments_eventfd(f, 5), -EINVAL, "not an eventfd");
	node.errno_ = EBUSY;
	FAILS(roc_fragments_start(f), -EBUSY, "once per open");
	UNIT_EQ(roc_fragments_rings(f, 0, 0, 0, 0), 0);
	node.errno_ = EIO;
	FAILS(roc_fragments_start(f), -EIO, "did not acknowledge the start");
	finish(f);
	UNIT_NEED(!roc_open("245", &ep));
	UNIT_EQ(roc_card_fragments(ep, 1, &info), 0);
	UNIT_STR(info.name, "sub1");
	UNIT_EQ(info.links, LINKS);
	FAILS(roc_card_fragments(ep, 2, &info), -ENOENT, "no sub-unit 2");
	UNIT_EQ(roc_card_fragments_settings(ep, 1, &settings), 0);
	UNIT_EQ(fake.in.settings.sub, 1);
	node.errno_ = EBUSY;
	FAILS(roc_card_fragments_settings(ep, 1, &settings), -EBUSY,
	      " sub1 is in use by PID 4711 (roc-rosd): only the process");
	UNIT_EQ(roc_card_fragments_reset(ep, ROC_FR_ALL, ROC_FR_RESET_COUNTERS), 0);
	UNIT_EQ(fake.in.reset.sub, ROC_FR_ALL);
	node.errno_ = ENOTTY;
	node.other = true;
	FAILS(roc_card_fragments_reset(ep, 0, ROC_FR_RESET_COUNTERS), -EOPNOTSUPP, "no sub-units");
	roc_close(ep);
}

UNIT_MAIN("libroc_fragment", {"opened by name and number", opening},
	  {"every reason why there are no rings", rings},
	  {"rings that cannot be mapped", rings_that_cannot_be_mapped},
	  {"children close handles without mappings", children_let_go},
	  {"a child of fork() is refused", in_a_child_of_fork},
	  {"memory for the card", memory_for_the_card},
	  {"invalid descriptors", invalid_descriptors},
	  {"invalid completions", invalid_completions}, {"requests that the card rejects", refused},
	  {"the end of a run", the_end_of_a_run}, {"waiting", waiting},
	  {"one link sends", one_link_sends}, {"without a doorbell", no_doorbell},
	  {"settings, resets and starts", settings_and_resets})
