// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test waits for fragments, by the ABI: each waiter is woken when its own threshold is reached, in
 * whichever order and way waiters wait, and the number of interrupts and register writes.
 */
#include "fragment/fragment_case.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void start(struct taker *t, uint32_t rate, uint64_t limit)
{
	start_of(t, 400, 1600, rate, limit);
}

#define BATCH 96 /* fragments at a time */

/* Sleep until the next batch is there, or until all commands are done. */
static int sleep_for(struct taker *t, uint32_t mask)
{
	struct roc_fr_wait wait = {
		.size = sizeof(wait),
		.mask = mask,
		.descriptors = t->data_count + BATCH,
		.completions = t->command_count,
		.deadline = now_ns() + limit_ms(10000) * 1000000ull,
	};

	t->user->descriptors = t->data_count;
	t->user->completions = t->done_count;
	return abi(t->fd, ROC_FR_WAIT, &wait);
}

/* A reader that takes many at a time gets one interrupt for each ring, however slow the card is. */
static void cost_of_batches(void)
{
	struct taker t = {.percent = 50, .pages = 1024};
	struct roc_fr_info before, after;
	uint64_t from, interrupts, writes; /* without the reader's own doorbells */
	unsigned int round;
	int64_t begin;

	start(&t, 2000, 0);
	CU_ASSERT(taker_run(&t, 500, 20000));
	begin = now_ms();
	before = taker_info(&t);
	from = t.fragments;
	for (round = 0; round < 50; round++) {
		UNIT_EQ(sleep_for(&t, ROC_FR_WAIT_DATA), 0);
		taker_pass(&t);
		UNIT_EQ(sleep_for(&t, ROC_FR_WAIT_DONE), 0);
	}
	after = taker_info(&t);
	interrupts = after.interrupts - before.interrupts;
	writes = after.mmio_writes - before.mmio_writes;
	unit_note("%llu fragments: %llu interrupts, %llu writes",
		  (unsigned long long)(t.fragments - from), (unsigned long long)interrupts,
		  (unsigned long long)writes);
	CU_ASSERT(t.fragments - from >= 50 * BATCH);
	/* Two interrupts may still have been on their way. */
	CU_ASSERT(interrupts <= 2 * round + 2);
	CU_ASSERT(writes <= 2 * round + 2);
	/*
	 * If the card is silent for two seconds the driver reads its status; a slow machine may
	 * cause that.
	 */
	CU_ASSERT(after.mmio_reads - before.mmio_reads <= (uint64_t)(now_ms() - begin) / 2000 * 4);
	UNIT_EQ(after.missed_interrupts, 0);
	stop(&t);
}

static void cost_of_one_fragment(void)
{
	struct taker t = {.percent = 0};
	struct roc_fr_info before, after;
	unsigned int i;

	start(&t, 0, 1);
	for (i = 0; i < 6; i++)
		CU_ASSERT(taker_run(&t, i + 1, 5000));
	for (i = 0; i < 3; i++) {
		uint64_t interrupts;

		UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DATA, 50), -ETIME);
		before = taker_info(&t);
		interrupts = emu_sub(CARD0, t.sub, "data_interrupts");
		taker_set(&t, 2, FRAGMENT_LINK_LIMIT, i + 2);
		UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DATA, 5000), 0);
		taker_pass(&t);
		UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DATA, 50), -ETIME);
		/*
		 * Use the card's counts: an interrupt may be late, two may merge into one, and a
		 * shared vector does not show which ring an interrupt belongs to.
		 */
		UNIT_EQ(emu_sub(CARD0, t.sub, "data_interrupts") - interrupts, 1);
		after = taker_info(&t);
		CU_ASSERT(after.interrupts <= interrupts + 1);
		UNIT_EQ(after.arms - before.arms, 1);
		UNIT_EQ(after.spurious_interrupts, 0);
	}
	stop(&t);
}

/*
 * poll(), edges of epoll and an eventfd are each signalled for the next entry, after one was
 * signalled.
 */
static void sleepers(void)
{
	struct epoll_event want = {.events = EPOLLIN | EPOLLET}, got;
	struct roc_ch_eventfd e = {.size = sizeof(e)};
	int ep = epoll_create1(0), efd = eventfd(0, EFD_NONBLOCK);
	struct pollfd by_poll, by_event = {.fd = efd, .events = POLLIN};
	struct taker t = {.pages = 64};
	uint64_t count;
	uint32_t i;

	start(&t, 0, 1);
	CU_ASSERT(taker_run(&t, 6, 5000));
	by_poll = (struct pollfd){.fd = t.fd, .events = POLLIN};
	t.user->descriptors = t.data_count;
	t.user->completions = t.done_count;
	UNIT_EQ(poll(&by_poll, 1, 20), 0);
	UNIT_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, t.fd, &want), 0);
	e.fd = efd;
	UNIT_EQ(abi(t.fd, ROC_CH_EVENTFD, &e), 0);
	/* The last waiter may have to wait for the next turn of the watchdog. */
	for (i = 2; i < 8; i++) {
		taker_set(&t, 1, FRAGMENT_LINK_LIMIT, i);
		UNIT_EQ(poll(&by_event, 1, patience_ms(5000)), 1);
		UNIT_EQ(read(efd, &count, sizeof(count)), (ssize_t)sizeof(count));
		UNIT_EQ(epoll_wait(ep, &got, 1, patience_ms(5000)), 1);
		UNIT_EQ(poll(&by_poll, 1, patience_ms(5000)), 1);
		taker_pass(&t);
		t.user->descriptors = t.data_count;
		UNIT_EQ(poll(&by_poll, 1, 20), 0);
	}
	UNIT_EQ(taker_info(&t).missed_interrupts, 0);
	stop(&t);
	close(ep);
	close(efd);
}

struct patience {
	struct taker *t;
	uint32_t more;
};

static int wait_for_more(void *arg)
{
	const struct patience *p = arg;
	struct roc_fr_wait w = {.size = sizeof(w), .mask = ROC_FR_WAIT_DATA};

	w.descriptors = p->t->data_count + p->more;
	w.deadline = now_ns() + 3600000000000ull; /* the parent gives up earlier */
	return abi(p->t->fd, ROC_FR_WAIT, &w) ? 1 : 0;
}

/*
 * Of two waiters the one with the lower threshold wakes first, and the other one when its threshold
 * is reached.
 */
static void two_thresholds(void)
{
	struct taker t = {.pages = 64};
	struct patience many = {&t, 10}, few = {&t, 2};
	pid_t first, second;
	uint64_t arms;

	start(&t, 0, 1);
	CU_ASSERT(taker_run(&t, 6, 5000));
	t.user->descriptors = t.data_count;
	arms = taker_info(&t).arms;
	first = child_start(AS_ROOT, wait_for_more, &many);
	CU_ASSERT(UNIT_WAIT(taker_info(&t).arms > arms, 5000));
	arms = taker_info(&t).arms;
	second = child_start(AS_ROOT, wait_for_more, &few);
	CU_ASSERT(UNIT_WAIT(taker_info(&t).arms > arms, 5000));
	taker_set(&t, 1, FRAGMENT_LINK_LIMIT, 3);
	UNIT_EQ(child_wait(second, 5000), 0);
	taker_set(&t, 1, FRAGMENT_LINK_LIMIT, 11);
	UNIT_EQ(child_wait(first, 5000), 0);
	UNIT_EQ(taker_info(&t).missed_interrupts, 0);
	CU_ASSERT(taker_run(&t, 16, 5000));
	stop(&t);
}

/*
 * Wait until so many descriptors are in memory since the start; the card may not have reported them
 * yet.
 */
static void are_in_memory(uint32_t descriptors)
{
	CU_ASSERT(UNIT_WAIT(emu_peek(CARD0, 0, ROBINNP_BAR_DMA,
				     ROBINNP_SUB(0) + FRAGMENT_DESCRIPTORS) == descriptors,
			    5000));
}

/*
 * A waiter for many entries is not woken for few; completions do not wake a waiter for descriptors.
 */
static void waits(void)
{
	struct roc_fr_wait w = {.size = sizeof(w), .mask = ROC_FR_WAIT_DATA};
	struct taker t = {.pages = 64};

	start(&t, 0, 1);
	CU_ASSERT(taker_run(&t, 6, 5000));
	w.descriptors = t.data_count + 10;
	taker_set(&t, 1, FRAGMENT_LINK_LIMIT, 5);
	are_in_memory(10);
	w.deadline = now_ns() + limit_ms(100) * 1000000ull;
	UNIT_EQ(abi(t.fd, ROC_FR_WAIT, &w), -ETIME);
	UNIT_EQ(w.descriptors, t.data_count + 4);
	w.ready = 0;
	w.descriptors = t.data_count + 10;
	w.deadline = now_ns() + limit_ms(5000) * 1000000ull;
	taker_set(&t, 1, FRAGMENT_LINK_LIMIT, 11);
	UNIT_EQ(abi(t.fd, ROC_FR_WAIT, &w), 0);
	UNIT_EQ(w.ready, ROC_FR_WAIT_DATA);
	UNIT_EQ(w.descriptors, t.data_count + 10);
	w.ready = 0;
	w.descriptors = t.data_count + 10 + t.made.descriptors + 1;
	UNIT_EQ(abi(t.fd, ROC_FR_WAIT, &w), -EINVAL);
	w.mask = 0;
	UNIT_EQ(abi(t.fd, ROC_FR_WAIT, &w), -EINVAL);
	CU_ASSERT(taker_run(&t, 16, 5000));
	stop(&t);
}

/* Take all entries; only the card gets the reader's position. */
static bool takes_unreported(struct taker *t, uint64_t fragments)
{
	taker_pass(t);
	return t->fragments >= fragments;
}

/* Take all entries without a call that sleeps. */
static bool takes(struct taker *t, uint64_t fragments)
{
	bool enough = takes_unreported(t, fragments);

	t->user->descriptors = t->data_count;
	return enough;
}

/*
 * With an eventfd set before the run, the driver arms the card at the start, and again after each
 * interrupt.
 */
static void eventfd_before_the_run(void)
{
	struct roc_ch_eventfd e = {.size = sizeof(e), .fd = eventfd(0, EFD_NONBLOCK)};
	struct pollfd p = {.fd = e.fd, .events = POLLIN};
	struct taker t = {.pages = 64};
	struct roc_fr_start reply;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	UNIT_EQ(abi(t.fd, ROC_CH_EVENTFD, &e), 0);
	taker_generate(&t, 1, 64, 64, 0, 0, 1);
	/* Without pages no fragment comes. */
	UNIT_EQ(taker_begin(&t, &reply), 0);
	UNIT_EQ(taker_info(&t).arms, 2);
	taker_submit_pages(&t, 0);
	UNIT_EQ(poll(&p, 1, patience_ms(5000)), 1);
	CU_ASSERT(UNIT_WAIT(taker_info(&t).arms == 3, 5000));
	CU_ASSERT(UNIT_WAIT(takes(&t, 1), 5000));
	stop(&t);
	close(e.fd);
}

/* An eventfd set during the run, without an earlier waiter: it needs no other call. */
static void eventfd_in_the_run(void)
{
	struct roc_ch_eventfd e = {.size = sizeof(e), .fd = eventfd(0, EFD_NONBLOCK)};
	struct pollfd p = {.fd = e.fd, .events = POLLIN};
	struct taker t = {.pages = 64};

	start(&t, 0, 1);
	CU_ASSERT(UNIT_WAIT(takes(&t, 6), 5000));
	UNIT_EQ(taker_info(&t).arms, 0);
	UNIT_EQ(abi(t.fd, ROC_CH_EVENTFD, &e), 0);
	UNIT_EQ(taker_info(&t).arms, 2);
	taker_set(&t, 1, FRAGMENT_LINK_LIMIT, 2);
	UNIT_EQ(poll(&p, 1, patience_ms(5000)), 1);
	CU_ASSERT(UNIT_WAIT(takes(&t, 7), 5000));
	stop(&t);
	close(e.fd);
}

/*
 * An eventfd set after the last entry came: nothing polled before, nothing will come, and it is
 * signalled.
 */
static void eventfd_after_the_data(void)
{
	struct roc_ch_eventfd e = {.size = sizeof(e), .fd = eventfd(0, EFD_NONBLOCK)};
	struct pollfd p = {.fd = e.fd, .events = POLLIN};
	struct taker t = {.pages = 64};

	start(&t, 0, 1);
	CU_ASSERT(UNIT_WAIT(
		emu_peek(CARD0, 0, ROBINNP_BAR_DMA, ROBINNP_SUB(0) + FRAGMENT_DESCRIPTORS) == 6,
		5000));
	UNIT_EQ(abi(t.fd, ROC_CH_EVENTFD, &e), 0);
	UNIT_EQ(poll(&p, 1, patience_ms(3000)), 1);
	CU_ASSERT(UNIT_WAIT(takes(&t, 6), 5000));
	stop(&t);
	close(e.fd);
}

/* With a poll() waiter the card reports the first entry; a waiter for ten is woken at the tenth. */
static void threshold_beside_poll(void)
{
	struct taker t = {.pages = 64};
	struct patience ten = {&t, 10};
	struct pollfd p;
	uint64_t arms, interrupts;
	pid_t pid;

	start(&t, 0, 1);
	CU_ASSERT(UNIT_WAIT(takes(&t, 6), 5000));
	p = (struct pollfd){.fd = t.fd, .events = POLLIN};
	interrupts = taker_info(&t).data_interrupts;
	pid = child_start(AS_ROOT, wait_for_more, &ten);
	CU_ASSERT(UNIT_WAIT(taker_info(&t).arms > 0, 5000));
	arms = taker_info(&t).arms;
	UNIT_EQ(poll(&p, 1, 0), 0);
	CU_ASSERT(taker_info(&t).arms > arms);
	taker_set(&t, 1, FRAGMENT_LINK_LIMIT, 2);
	CU_ASSERT(UNIT_WAIT(taker_info(&t).data_interrupts > interrupts, 5000));
	taker_set(&t, 1, FRAGMENT_LINK_LIMIT, 11);
	UNIT_EQ(child_wait(pid, 5000), 0);
	CU_ASSERT(UNIT_WAIT(takes(&t, 16), 5000));
	stop(&t);
}

/* A second waiter with a higher threshold does not delay the first one. */
static void lower_threshold_first(void)
{
	struct taker t = {.pages = 64};
	struct patience two = {&t, 2}, ten = {&t, 10};
	pid_t first, second;

	start(&t, 0, 1);
	CU_ASSERT(UNIT_WAIT(takes(&t, 6), 5000));
	first = child_start(AS_ROOT, wait_for_more, &two);
	CU_ASSERT(UNIT_WAIT(taker_info(&t).arms > 0, 5000));
	second = child_start(AS_ROOT, wait_for_more, &ten);
	CU_ASSERT(UNIT_WAIT(child_sleeps(second), 5000));
	taker_set(&t, 1, FRAGMENT_LINK_LIMIT, 3);
	UNIT_EQ(child_wait(first, 5000), 0);
	taker_set(&t, 1, FRAGMENT_LINK_LIMIT, 11);
	UNIT_EQ(child_wait(second, 5000), 0);
	CU_ASSERT(UNIT_WAIT(takes(&t, 16), 5000));
	stop(&t);
}

/* The card reports a batch of 1000 entries, or whatever there is @ns after its last report. */
static void moderate(struct taker *t, uint32_t ns)
{
	struct roc_fr_settings set = {.size = sizeof(set),
				      .set = ROC_FR_SET_DATA_COUNT | ROC_FR_SET_DATA_TIME,
				      .data_count = 1000,
				      .data_time = ns};

	UNIT_EQ(abi(t->fd, ROC_FR_SETTINGS, &set), 0);
}

/* The card has reported the seventh entry, all are taken, and it reports no other for a while. */
static void start_silent(struct taker *t)
{
	start(t, 0, 1);
	CU_ASSERT(UNIT_WAIT(takes(t, 6), 5000));
	moderate(t, 4000000000u);
	UNIT_EQ(taker_wait(t, ROC_FR_WAIT_DATA, 10), -ETIME);
	taker_set(t, 1, FRAGMENT_LINK_LIMIT, 2);
	CU_ASSERT(UNIT_WAIT(taker_info(t).data_interrupts == 1, 5000));
	CU_ASSERT(UNIT_WAIT(takes(t, 7), 5000));
}

/* Five more are in memory, and the card may not report them yet. */
static void five_come(struct taker *t)
{
	taker_set(t, 1, FRAGMENT_LINK_LIMIT, 7);
	are_in_memory(12);
}

static void stop_moderated(struct taker *t, pid_t ten)
{
	moderate(t, 0);
	taker_set(t, 1, FRAGMENT_LINK_LIMIT, 12);
	UNIT_EQ(child_wait(ten, 5000), 0);
	UNIT_EQ(taker_info(t).missed_interrupts, 0);
	CU_ASSERT(UNIT_WAIT(takes(t, 17), 5000));
	stop(t);
}

/*
 * A reader that submits more wakes waiters for entries already there, which the card does not
 * report any more.
 */
static void submit_wakes_waiter(void)
{
	struct taker t = {.pages = 64};
	struct patience two = {&t, 2}, ten = {&t, 10};
	pid_t first, second;
	uint64_t arms;

	start_silent(&t);
	arms = taker_info(&t).arms;
	first = child_start(AS_ROOT, wait_for_more, &two);
	CU_ASSERT(UNIT_WAIT(taker_info(&t).arms > arms, 5000));
	five_come(&t);
	second = child_start(AS_ROOT, wait_for_more, &ten);
	UNIT_EQ(child_wait(first, 5000), 0);
	stop_moderated(&t, second);
}

static int poll_for_data(void *arg)
{
	const struct taker *t = arg;
	struct pollfd p = {.fd = t->fd, .events = POLLIN};

	return poll(&p, 1, -1) == 1 && p.revents == POLLIN ? 0 : 1;
}

static void submit_beside_poll(void)
{
	struct taker t = {.pages = 64};
	struct patience ten = {&t, 10};
	pid_t first, second;
	uint64_t arms;

	start_silent(&t);
	arms = taker_info(&t).arms;
	first = child_start(AS_ROOT, poll_for_data, &t);
	CU_ASSERT(UNIT_WAIT(taker_info(&t).arms > arms, 5000));
	CU_ASSERT(UNIT_WAIT(child_sleeps(first), 5000));
	five_come(&t);
	second = child_start(AS_ROOT, wait_for_more, &ten);
	UNIT_EQ(child_wait(first, 5000), 0);
	stop_moderated(&t, second);
}

/*
 * An eventfd is signalled for entries already there, and for the next one, although a waiter has a
 * higher threshold.
 */
static void submit_beside_eventfd(void)
{
	struct roc_ch_eventfd e = {.size = sizeof(e), .fd = eventfd(0, EFD_NONBLOCK)};
	struct pollfd p = {.fd = e.fd, .events = POLLIN};
	struct taker t = {.pages = 64};
	struct patience ten = {&t, 10};
	uint64_t count, arms;
	pid_t pid;

	start_silent(&t);
	arms = taker_info(&t).arms;
	UNIT_EQ(abi(t.fd, ROC_CH_EVENTFD, &e), 0);
	CU_ASSERT(taker_info(&t).arms > arms);
	UNIT_EQ(poll(&p, 1, 0), 0);
	five_come(&t);
	pid = child_start(AS_ROOT, wait_for_more, &ten);
	UNIT_EQ(poll(&p, 1, patience_ms(5000)), 1);
	CU_ASSERT(UNIT_WAIT(child_sleeps(pid), 5000));
	CU_ASSERT(UNIT_WAIT(takes(&t, 12), 5000));
	UNIT_EQ(read(e.fd, &count, sizeof(count)), (ssize_t)sizeof(count));
	moderate(&t, 0);
	taker_set(&t, 1, FRAGMENT_LINK_LIMIT, 8);
	UNIT_EQ(poll(&p, 1, patience_ms(5000)), 1);
	stop_moderated(&t, pid);
	close(e.fd);
}

/* An interrupt is so late that the ring has gone round once more meanwhile, unnoticed. */
static bool lap(struct taker *t, uint32_t limit)
{
	struct patience one = {t, 1};
	struct roc_fr_info before = taker_info(t);
	pid_t pid;

	pid = child_start(AS_ROOT, wait_for_more, &one);
	CU_ASSERT(UNIT_WAIT(taker_info(t).arms > before.arms, 5000));
	CU_ASSERT(UNIT_WAIT(child_sleeps(pid), 5000));
	taker_set(t, 1, FRAGMENT_LINK_LIMIT, limit);
	CU_ASSERT(UNIT_WAIT(takes_unreported(t, limit + 5), 5000));
	UNIT_EQ(child_wait(pid, 10000), 0);
	t->user->descriptors = t->data_count;
	return taker_info(t).spurious_interrupts > before.spurious_interrupts;
}

/* The waiter is woken all the same, and the driver did not read the card for each interrupt. */
static void interrupt_a_lap_late(void)
{
	struct taker t = {.pages = 4};
	unsigned int i, laps = 0;
	uint32_t limit = 1;

	start(&t, 0, 1);
	CU_ASSERT(UNIT_WAIT(takes(&t, 6), 5000));
	emu(CARD0, "fault 0 irq-late 1 400000");
	/* If the watchdog runs in between, there is no lap. */
	for (i = 0; i < 6 && !(laps && i > 1); i++) {
		limit += t.made.descriptors + 5;
		laps += lap(&t, limit);
	}
	unit_note("%u of %u interrupts were a lap late", laps, i);
	emu(CARD0, "fault all clear");
	stop(&t);
}

/* One command after the other, until the waiter wakes up or time is over. */
static bool woken_beside_commands(struct taker *t, const struct taker_fragment *h, pid_t sleeper)
{
	int64_t end = now_ms() + patience_ms(10000);
	struct roc_fr_completion c;

	while (child_sleeps(sleeper)) {
		if (now_ms() >= end) {
			child_kill(sleeper);
			return false;
		}
		taker_command(t, h->page, t->numbers.first, 0, ROC_FR_TRANSFER);
		taker_ring(t);
		CU_ASSERT(UNIT_WAIT(taker_finished(t, &c), 5000));
		t->user->completions = t->done_count;
		usleep(50000);
	}
	return !child_wait(sleeper, 5000);
}

/*
 * An interrupt is lost and the ring goes round once: other commands run on, without the awaited
 * entry.
 */
static void interrupt_lost_beside_commands(void)
{
	struct taker t = {.pages = 4};
	struct patience one = {&t, 1};
	struct taker_fragment h;
	uint64_t arms;
	pid_t pid;

	start(&t, 0, 1);
	CU_ASSERT(UNIT_WAIT(taker_next(&t, &h), 5000)); /* the reader keeps its page */
	CU_ASSERT(UNIT_WAIT(takes(&t, 6), 5000));
	arms = taker_info(&t).arms;
	emu(CARD0, "fault 0 irq-lost 1 1");
	pid = child_start(AS_ROOT, wait_for_more, &one);
	CU_ASSERT(UNIT_WAIT(taker_info(&t).arms > arms, 5000));
	CU_ASSERT(UNIT_WAIT(child_sleeps(pid), 5000));
	taker_set(&t, 1, FRAGMENT_LINK_LIMIT, 1 + t.made.descriptors + 5);
	CU_ASSERT(UNIT_WAIT(takes_unreported(&t, 6 + t.made.descriptors + 5), 5000));
	CU_ASSERT(woken_beside_commands(&t, &h, pid));
	UNIT_EQ(taker_info(&t).missed_interrupts, 1);
	stop(&t);
}

/* A start that the card refuses begins at a new position: no entry of the previous run is left. */
static void after_failed_start(void)
{
	struct taker t = {.pages = 64};
	struct roc_fr_start reply;
	struct pollfd p;

	start(&t, 0, 1);
	p = (struct pollfd){.fd = t.fd, .events = POLLIN};
	CU_ASSERT(UNIT_WAIT(takes(&t, 6), 5000));
	CU_ASSERT(taker_stop(&t));
	emu(CARD0, "fault 0 enable-slow 1 60000");
	CU_ASSERT(taker_begin(&t, &reply) < 0);
	poll(&p, 1, 0);
	CU_ASSERT_FALSE(p.revents & POLLIN);
	UNIT_EQ(taker_info(&t).descriptors, t.start);
	emu(CARD0, "fault all clear");
	taker_close(&t);
	CU_ASSERT(emu_clean(CARD0));
}

UNIT_MAIN("fragment_sleep", {"cost of batches", cost_of_batches},
	  {"cost of one fragment", cost_of_one_fragment}, {"poll, epoll and eventfd", sleepers},
	  {"waits", waits}, {"two thresholds", two_thresholds},
	  {"eventfd before the run", eventfd_before_the_run},
	  {"eventfd in the run", eventfd_in_the_run},
	  {"eventfd after the data", eventfd_after_the_data},
	  {"threshold beside poll", threshold_beside_poll},
	  {"lower threshold first", lower_threshold_first},
	  {"submission wakes waiters", submit_wakes_waiter},
	  {"submission wakes waiters beside poll", submit_beside_poll},
	  {"submission wakes waiters beside eventfd", submit_beside_eventfd},
	  {"interrupt a lap late", interrupt_a_lap_late},
	  {"lost interrupt beside commands", interrupt_lost_beside_commands},
	  {"after a failed start", after_failed_start})
