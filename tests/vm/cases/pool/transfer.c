// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test data from card to reader: every byte, every count, every way to wait for data.
 */
#include "common/case.h"

#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#define LIMIT_MS 15000

/* One run; afterwards the reader's counts equal the card's, and all superpages were returned. */
static void transfer(struct rig *r, uint32_t enabled, uint64_t n)
{
	struct roc_ch_info info;

	emu(CARD0, "set all links-enabled 0x%x", enabled);
	emu(CARD0, "clear");
	if (rig_once(r, n, LIMIT_MS))
		rig_agrees(r, CARD0, 0);
	RIG_OK(r);
	if (!r->ch)
		return;
	info = ch_info(rig_fd(r));
	UNIT_EQ(info.completed, r->filled);
	UNIT_EQ(info.bytes, r->bytes);
	UNIT_EQ(info.reclaimed, r->reclaimed);
	UNIT_EQ(info.refused, 0);
	UNIT_EQ(info.bad_index, 0);
	UNIT_EQ(info.in_flight, 0);
	UNIT_EQ(r->refused, 0);
	UNIT_EQ(r->filled + r->reclaimed + r->out, r->pushed);
	CU_ASSERT(r->filled >= n);
	rig_close(r);
}

static void internal_one_link(void)
{
	struct rig r = {.id = EP0};

	emu_normal(CARD0, FOUR_LINKS);
	transfer(&r, 0x1, 40);
	UNIT_EQ(r.link[0].superpages, r.filled);
}

/* The generator feeds one link only; the other links keep their superpages until the stop. */
static void internal_twelve_links(void)
{
	struct rig r = {.id = EP0, .count = 48, .superpage = 256 * KIB};

	transfer(&r, TWELVE_LINKS, 60);
	CU_ASSERT(r.reclaimed > 0);
}

static void ddg_one_link(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .links = 0x4};

	transfer(&r, TWELVE_LINKS, 40);
	UNIT_EQ(r.link[2].superpages, r.filled);
}

static void ddg_twelve_links(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .superpage = 512 * KIB, .count = 48};
	unsigned int l;

	transfer(&r, TWELVE_LINKS, 120);
	for (l = 0; l < CRU_GBT_LINKS; l++)
		CU_ASSERT(r.link[l].superpages > 0);
}

/*
 * A time frame shorter than a superpage: the superpage is returned when the next time frame starts.
 */
static void partly_filled(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 16};

	emu(CARD0, "set 0 packets-per-tf 50");
	emu(CARD0, "set 0 packet 4000");
	transfer(&r, 0x3, 60);
	UNIT_EQ(r.partial, r.filled);
	CU_ASSERT(r.bytes <= r.filled * 50 * 8192);
	emu(CARD0, "set 0 packets-per-tf 1000");
	emu(CARD0, "set 0 packet 8128");
}

/* Packets without gaps between them. */
static void packed_packets(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .superpage = 64 * KIB, .count = 32};
	int fd = node_open(EP0, -1);

	UNIT_EQ(reg_modify(fd, CRU_BAR_CARD, CRU_DATAPATH(0), CRU_DATAPATH_DYNAMIC_OFFSET,
			   CRU_DATAPATH_DYNAMIC_OFFSET, NULL),
		0);
	emu(CARD0, "set 0 packet 400");
	transfer(&r, 0xf, 100);
	CU_ASSERT(r.packets > r.filled * 64 * KIB / 8192);
	UNIT_EQ(reg_modify(fd, CRU_BAR_CARD, CRU_DATAPATH(0), CRU_DATAPATH_DYNAMIC_OFFSET, 0, NULL),
		0);
	emu(CARD0, "set 0 packet 8128");
	close(fd);
}

static void sizes(void)
{
	/* A stop takes at most a second; superpages not reported by then are returned as unused. */
	const uint32_t many = limit_ms(1) < 8 ? 256 : 32;
	const struct {
		uint32_t size, count, n;
	} runs[] = {
		{32 * KIB, many, 600}, {96 * KIB, 64, 150},	  {2 * MIB, 16, 20},
		{8 * MIB, 6, 6},       {CRU_SUPERPAGE_MAX, 4, 3},
	};
	void *memory = memory_make(64 * MIB, HUGE, LAYOUT_ASCENDING);
	size_t i, contiguous = memory_contiguous(memory, 64 * MIB);

	emu(CARD0, "set 0 packets-per-tf 3000");
	unit_note("%zu MiB contiguous", contiguous >> 20);
	for (i = 0; i < N(runs); i++) {
		struct rig r = {.id = EP0,
				.source = i % 2 ? ROC_SOURCE_INTERNAL : ROC_SOURCE_DDG,
				.superpage = runs[i].size,
				.count = runs[i].count,
				.memory = memory,
				.no_poison = runs[i].size >= 2 * MIB};

		unit_note("superpages of %u KiB", runs[i].size >> 10);
		transfer(&r, 0x3, runs[i].n);
	}
	emu(CARD0, "set 0 packets-per-tf 1000");
	munmap(memory, 64 * MIB);
}

static void busy_mode(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .mode = ROC_MODE_BUSY};

	transfer(&r, FOUR_LINKS, 60);
}

/* One poll has a time limit: a busy machine needs several for all entries. */
static int poll_some(struct rig *r, int *found)
{
	int more = roc_channel_poll(r->ch);

	CU_ASSERT(more >= 0);
	return *found += more;
}

/* In busy mode only the reader polls. */
static void busy_mode_needs_no_thread(void)
{
	struct rig r = {.id = EP0, .mode = ROC_MODE_BUSY, .count = 8};
	int found = 0;

	emu(CARD0, "set all links-enabled 1");
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	emu(CARD0, "clear");
	UNIT_NEED(rig_start(&r));
	CU_ASSERT(UNIT_WAIT(emu_count(CARD0, 0, "superpages") == 8, 5000));
	emu(CARD0, "clear");
	sleep_ms(200);
	UNIT_EQ(emu_touched(CARD0, 0, CRU_BAR_DMA, CRU_SP_READY(0)).reads, 0);
	UNIT_EQ(roc_ready_count(r.rings), 0);
	CU_ASSERT(UNIT_WAIT(poll_some(&r, &found) == 8, 5000));
	UNIT_EQ(roc_ready_count(r.rings), 8);
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

static int polled(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN | POLLOUT};
	int n = poll(&p, 1, ms);

	return n < 0 ? -errno : n ? p.revents : 0;
}

/* Signals since the last call; 0: none. */
static uint64_t signals(int event)
{
	uint64_t count = 0;

	if (read(event, &count, 8) != 8)
		UNIT_EQ(errno, EAGAIN);
	return count;
}

/* poll, epoll and eventfd: silent without entries, signalled once there are some. */
static void signalled(void)
{
	struct rig r = {.id = EP0, .count = 4};
	int ep = epoll_create1(EPOLL_CLOEXEC), event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	struct epoll_event e = {.events = EPOLLIN | EPOLLET, .data.u32 = 42};
	uint64_t count;

	emu(CARD0, "set all links-enabled 1");
	UNIT_NEED(rig_open(&r));
	UNIT_EQ(roc_channel_eventfd(r.ch, event), 0);
	UNIT_NEED(!epoll_ctl(ep, EPOLL_CTL_ADD, rig_fd(&r), &e));
	UNIT_NEED(rig_start(&r));
	UNIT_EQ(polled(rig_fd(&r), 50), 0);
	UNIT_EQ(epoll_wait(ep, &e, 1, 0), 0);
	UNIT_EQ(signals(event), 0);

	rig_push(&r, 2);
	UNIT_EQ(polled(rig_fd(&r), patience_ms(2000)), POLLIN);
	UNIT_EQ(epoll_wait(ep, &e, 1, patience_ms(2000)), 1);
	UNIT_EQ(e.data.u32, 42);
	UNIT_EQ(rig_wait(&r, 2, 2000), 2);
	rig_wait_reported(&r);
	count = signals(event);
	CU_ASSERT(count >= 1 && count <= 2);
	UNIT_EQ(rig_take(&r, false), 2);
	/* Level-triggered: no longer signalled; edge-triggered: signalled by the next entry. */
	UNIT_EQ(polled(rig_fd(&r), 50), 0);
	epoll_wait(ep, &e, 1, 0);
	UNIT_EQ(epoll_wait(ep, &e, 1, 50), 0);
	rig_push(&r, 1);
	UNIT_EQ(epoll_wait(ep, &e, 1, patience_ms(2000)), 1);
	UNIT_EQ(rig_wait(&r, 1, 2000), 1);
	rig_wait_reported(&r);
	UNIT_EQ(signals(event), 1);
	/* No more signals after -1. */
	UNIT_EQ(roc_channel_eventfd(r.ch, -1), 0);
	rig_take(&r, false);
	rig_push(&r, 1);
	UNIT_EQ(rig_wait(&r, 1, 2000), 1);
	rig_wait_reported(&r);
	UNIT_EQ(signals(event), 0);
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
	close(event);
	close(ep);
}

/*
 * An eventfd is signalled for ready entries even if no more can come: all memory is in the ready
 * ring.
 */
static void eventfd_after_the_data(void)
{
	int event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	struct rig r = {.id = EP0, .count = 4};
	struct roc_ch_info info;

	emu(CARD0, "set all links-enabled 1");
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	CU_ASSERT(UNIT_WAIT(roc_ready_count(r.rings) == 4, 5000));
	rig_wait_reported(&r);
	info = ch_info(rig_fd(&r));
	UNIT_EQ(info.in_flight, 0);
	UNIT_EQ(roc_channel_eventfd(r.ch, event), 0);
	UNIT_EQ(polled(event, patience_ms(2000)) & POLLIN, POLLIN);
	UNIT_EQ(signals(event), 1);
	/* When all are taken there is no signal. */
	UNIT_EQ(rig_take(&r, false), 4);
	UNIT_EQ(roc_channel_eventfd(r.ch, event), 0);
	UNIT_EQ(signals(event), 0);
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
	close(event);
}

/* An eventfd is signalled for a run that failed before. */
static void eventfd_after_a_failure(void)
{
	int event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	struct rig r = {.id = EP0, .count = 8};

	emu(CARD0, "set all links-enabled 1");
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	CU_ASSERT(rig_run(&r, 10, 5000));
	emu(CARD0, "fault 0 all-ones");
	CU_ASSERT(UNIT_WAIT((rig_take(&r, true), ch_info(rig_fd(&r)).state == ROC_CH_FAILED),
			    LIMIT_MS));
	rig_take(&r, false);
	UNIT_EQ(roc_ready_count(r.rings), 0);
	UNIT_EQ(roc_channel_eventfd(r.ch, event), 0);
	UNIT_EQ(signals(event), 1);
	emu(CARD0, "fault all clear");
	RIG_OK(&r);
	rig_close(&r);
	close(event);
}

static void waits(void)
{
	struct rig r = {.id = EP0, .count = 8};
	int64_t begin;

	UNIT_NEED(rig_open(&r) && rig_start(&r));
	begin = now_ms();
	UNIT_EQ(roc_channel_wait(r.ch, 1, 150), -ETIME);
	CU_ASSERT(now_ms() - begin >= 150 && took_less(begin, 1500));
	rig_push(&r, 5);
	UNIT_EQ(rig_wait(&r, 5, 3000), 5);
	/* A wait ends with the requested number, not with the first one. */
	begin = now_ms();
	UNIT_EQ(roc_channel_wait(r.ch, 6, 150), -ETIME);
	CU_ASSERT(now_ms() - begin >= 150);
	UNIT_EQ(roc_channel_wait(r.ch, 0, 0), 5);
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

struct waiter {
	pthread_t thread;
	int fd;
	uint32_t min_ready;
	unsigned int ms;     /* 0: LIMIT_MS */
	volatile int result; /* set before over */
	volatile bool over;
};

static void *waiter_run(void *arg)
{
	struct waiter *w = arg;
	struct roc_ch_wait wait = {.size = sizeof(wait), .min_ready = w->min_ready};

	wait.deadline = now_ns() + limit_ms(w->ms ?: LIMIT_MS) * 1000000ull;
	w->result = abi(w->fd, ROC_CH_WAIT, &wait);
	w->over = true;
	return NULL;
}

/* Each waiter gets its number, in whichever order they came. */
static void two_waiters(void)
{
	struct rig r = {.id = EP0, .count = 8};
	int round;

	UNIT_NEED(rig_open(&r) && rig_start(&r));
	for (round = 0; round < 10; round++) {
		struct waiter w[2] = {{.fd = rig_fd(&r), .min_ready = round % 2 ? 1 : 5},
				      {.fd = rig_fd(&r), .min_ready = round % 2 ? 5 : 1}};
		struct waiter *one = &w[!(round % 2)], *five = &w[round % 2];

		pthread_create(&w[0].thread, NULL, waiter_run, &w[0]);
		pthread_create(&w[1].thread, NULL, waiter_run, &w[1]);
		rig_push(&r, 1);
		CU_ASSERT(UNIT_WAIT(one->over, 3000));
		CU_ASSERT(!five->over);
		rig_push(&r, 4);
		pthread_join(one->thread, NULL);
		pthread_join(five->thread, NULL);
		UNIT_EQ(one->result, 0);
		UNIT_EQ(five->result, 0);
		UNIT_EQ(rig_wait(&r, 5, 3000), 5);
		rig_take(&r, false);
	}
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

/* A waiter that times out withdraws only its own threshold, in whichever order they came. */
static void one_times_out(void)
{
	struct rig r = {.id = EP0, .count = 8};
	int64_t begin;
	int round;

	UNIT_NEED(rig_open(&r) && rig_start(&r));
	for (round = 0; round < 4; round++) {
		struct waiter w[2] = {{.fd = rig_fd(&r)}, {.fd = rig_fd(&r)}};
		struct waiter *goes = &w[round % 2], *stays = &w[!(round % 2)];

		/* The threshold of the one that times out is the higher or the lower one. */
		goes->ms = 100;
		goes->min_ready = round / 2 ? 3 : 7;
		stays->min_ready = 5;
		pthread_create(&w[0].thread, NULL, waiter_run, &w[0]);
		sleep_ms(20);
		pthread_create(&w[1].thread, NULL, waiter_run, &w[1]);
		pthread_join(goes->thread, NULL);
		UNIT_EQ(goes->result, -ETIME);
		CU_ASSERT(!stays->over);
		begin = now_ms();
		rig_push(&r, 5);
		pthread_join(stays->thread, NULL);
		/* It must not end by its own timeout. */
		CU_ASSERT(now_ms() - begin < limit_ms(LIMIT_MS) / 2);
		UNIT_EQ(stays->result, 0);
		UNIT_EQ(rig_wait(&r, 5, 3000), 5);
		rig_take(&r, false);
	}
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

/* The sleeping thread requests a kick, and one kick is enough. */
static void kick(void)
{
	struct rig r = {.id = EP0, .count = 4};
	uint64_t worst = 0;
	int i;

	UNIT_NEED(rig_open(&r) && rig_start(&r));
	for (i = 0; i < 5; i++) {
		uint64_t begin;

		CU_ASSERT(UNIT_WAIT(r.rings->kernel->flags & ROC_RING_NEED_KICK, 2000));
		begin = now_ns();
		rig_push(&r, 1);
		UNIT_EQ(rig_wait(&r, 1, 2000), 1);
		if (now_ns() - begin > worst)
			worst = now_ns() - begin;
		rig_take(&r, false);
	}
	unit_note("worst time from push to ready: %.1f ms", worst / 1e6);
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

/* A publish with ROC_RING_NEED_KICK costs a system call. In busy mode there is none. */
static void busy_mode_needs_no_kick(void)
{
	struct rig r = {.id = EP0, .count = 4};
	unsigned int kicks = 0;
	int i;

	UNIT_NEED(rig_open(&r) && rig_start(&r));
	CU_ASSERT(UNIT_WAIT(r.rings->kernel->flags & ROC_RING_NEED_KICK, 2000));
	UNIT_EQ(roc_channel_mode(r.ch, ROC_MODE_BUSY), 0);
	for (i = 0; i < 20; i++) {
		kicks += !!(r.rings->kernel->flags & ROC_RING_NEED_KICK);
		rig_push(&r, 1);
		CU_ASSERT(UNIT_WAIT((roc_channel_poll(r.ch), rig_take(&r, false)), 2000));
	}
	UNIT_EQ(kicks, 0);
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

/* On one link superpages are returned in the order of submission. */
static void order_of_a_link(void)
{
	static const uint8_t order[] = {5, 1, 7, 0, 3, 6, 2, 4};
	struct rig r = {.id = EP0, .superpage = 128 * KIB, .count = 8};
	uint64_t last = 0;
	size_t i, round;

	emu(CARD0, "set all links-enabled 1");
	UNIT_NEED(rig_open(&r) && rig_start(&r));
	for (round = 0; round < 8; round++) {
		for (i = 0; i < 8; i++)
			UNIT_EQ(roc_push(r.ch, r.handle, order[i] * 128ull * KIB, 128 * KIB,
					 round << 8 | order[i]),
				0);
		UNIT_EQ(rig_wait(&r, 8, 3000), 8);
		for (i = 0; i < 8; i++) {
			struct roc_ready e;

			UNIT_EQ(roc_pop(r.ch, &e), 1);
			UNIT_EQ(e.cookie, round << 8 | order[i]);
			UNIT_EQ(e.sequence, round * 8 + i);
			CU_ASSERT(e.time >= last && e.time <= now_ns());
			last = e.time;
		}
	}
	rig_stop(&r);
	rig_close(&r);
}

/* Two endpoints at once, each with its own data, undisturbed. */
static void two_endpoints(void)
{
	struct rig a = {.id = EP0, .source = ROC_SOURCE_DDG};
	struct rig b = {.id = EP1, .source = ROC_SOURCE_DDG};
	int64_t end = now_ms() + patience_ms(LIMIT_MS);

	emu(CARD0, "set all links-enabled 0xf");
	emu(CARD0, "clear");
	UNIT_NEED(rig_open(&a) && rig_open(&b));
	rig_push(&a, RIG_MAX);
	rig_push(&b, RIG_MAX);
	UNIT_NEED(rig_start(&a) && rig_start(&b));
	while ((a.filled < 50 || b.filled < 50) && now_ms() < end) {
		roc_channel_wait(a.ch, 1, 5);
		rig_take(&a, true);
		rig_take(&b, true);
	}
	rig_stop(&a);
	rig_stop(&b);
	CU_ASSERT(a.filled >= 50 && b.filled >= 50);
	rig_agrees(&a, CARD0, 0);
	rig_agrees(&b, CARD0, 1);
	RIG_OK(&a);
	RIG_OK(&b);
	rig_close(&a);
	rig_close(&b);
}

static void leave(void)
{
	CU_ASSERT(emu_clean(CARD0));
	emu_normal(CARD0, FOUR_LINKS);
}

UNIT_MAIN("transfer", {"internal, one link", internal_one_link},
	  {"internal, twelve links", internal_twelve_links}, {"DDG, one link", ddg_one_link},
	  {"DDG, twelve links", ddg_twelve_links}, {"partly filled", partly_filled},
	  {"packed packets", packed_packets}, {"sizes", sizes}, {"busy mode", busy_mode},
	  {"busy mode needs no thread", busy_mode_needs_no_thread},
	  {"poll, epoll and eventfd", signalled},
	  {"eventfd after the data", eventfd_after_the_data},
	  {"eventfd after a failure", eventfd_after_a_failure}, {"waits", waits},
	  {"two waiters", two_waiters}, {"one times out", one_times_out}, {"kick", kick},
	  {"busy mode needs no kick", busy_mode_needs_no_kick},
	  {"order of a link", order_of_a_link}, {"two endpoints", two_endpoints},
	  {"card saw no violations", leave})
