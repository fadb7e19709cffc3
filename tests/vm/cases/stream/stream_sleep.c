// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test waits for a stream's data, by the ABI: each waiter is woken when its own threshold is
 * reached, in whichever order and way waiters wait, readers that never wait, and the number of
 * interrupts and register writes.
 */
#include "stream/stream_case.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* poll with a low-water mark, epoll for edges. */
static void sleepers(void)
{
	struct reader r = {.stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	struct pollfd p;
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET};
	int epfd = epoll_create1(0);

	start(&r);
	p = (struct pollfd){.fd = r.fd, .events = POLLIN};
	UNIT_EQ(set(r.fd, ROC_ST_SET_LOW_WATER, (struct roc_st_settings){.low_water = 640}), 0);
	reader_generate(&r, 0, 64, 64, 0, 5, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(emu_stream(CARD0, r.stream, "events") == 5, 5000));
	UNIT_EQ(poll(&p, 1, 100), 0);
	UNIT_EQ(set(r.fd, ROC_ST_SET_LOW_WATER, (struct roc_st_settings){.low_water = 320}), 0);
	UNIT_EQ(poll(&p, 1, 0), 1);
	UNIT_EQ(p.revents, POLLIN);
	UNIT_EQ(reader_take(&r, true), 5);
	UNIT_EQ(poll(&p, 1, 0), 0);
	/* Lines that were taken and not consumed do not count as available. */
	UNIT_EQ(set(r.fd, ROC_ST_SET_LOW_WATER, (struct roc_st_settings){.low_water = 0}), 0);
	reader_set(&r, STREAM_SET_LIMIT, 8);
	UNIT_EQ(poll(&p, 1, patience_ms(5000)), 1);
	CU_ASSERT(UNIT_WAIT(reader_available(&r) == 3, 2000));
	reader_take(&r, false);
	r.user->taken = r.read;
	UNIT_EQ(poll(&p, 1, 0), 0);
	r.user->taken = r.read - 1;
	UNIT_EQ(poll(&p, 1, 0), 1);
	reader_consume(&r, r.read, false);
	r.user->taken = r.read;
	/* An edge per batch, although the reader makes no call in between. */
	UNIT_EQ(epoll_ctl(epfd, EPOLL_CTL_ADD, r.fd, &ev), 0);
	UNIT_EQ(epoll_wait(epfd, &ev, 1, 0), 0);
	reader_set(&r, STREAM_SET_LIMIT, 12);
	UNIT_EQ(epoll_wait(epfd, &ev, 1, patience_ms(5000)), 1);
	CU_ASSERT(UNIT_WAIT(reader_available(&r) == 4, 2000));
	reader_take(&r, true);
	while (epoll_wait(epfd, &ev, 1, 100) > 0)
		;
	reader_set(&r, STREAM_SET_LIMIT, 14);
	UNIT_EQ(epoll_wait(epfd, &ev, 1, patience_ms(5000)), 1);
	CU_ASSERT(UNIT_WAIT(reader_available(&r) == 2, 2000));
	reader_take(&r, true);
	close(epfd);
	finish(&r);
}

/*
 * More than half of a ring may stay empty, because the next unit does not fit: a waiter for more is
 * woken when the ring is full.
 */
static void low_water_of_a_full_ring(void)
{
	struct reader r = {.ring = 64 * KIB};
	struct pollfd p;

	start(&r);
	p = (struct pollfd){.fd = r.fd, .events = POLLIN};
	UNIT_EQ(set(r.fd, ROC_ST_SET_LOW_WATER, (struct roc_st_settings){.low_water = 64 * KIB}),
		0);
	reader_generate(&r, 0, 1000, 1000, 0, 0, 0);
	UNIT_NEED(reader_start(&r));
	UNIT_EQ(poll(&p, 1, patience_ms(5000)), 1);
	CU_ASSERT(UNIT_WAIT(emu_stream(CARD0, 0, "throttles") > 0, 10000));
	CU_ASSERT(reader_available(&r) < reader_lines(&r));
	UNIT_EQ(poll(&p, 1, 0), 1);
	CU_ASSERT(reader_stop(&r));
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

/* Let @limit events come in total; @fd must be signalled. */
static void signals_data(struct reader *r, int fd, uint64_t limit)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	reader_set(r, STREAM_SET_LIMIT, limit);
	UNIT_EQ(poll(&p, 1, patience_ms(5000)), 1);
}

/* An eventfd set during the run, with and without data: no other call is needed. */
static void eventfd_in_the_run(void)
{
	struct roc_ch_eventfd e = {.size = sizeof(e), .fd = eventfd(0, EFD_NONBLOCK)};
	struct reader r = {.stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	uint64_t count;
	int i;

	start(&r);
	reader_generate(&r, 0, 64, 64, 0, 2, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(reader_take(&r, true), 5000));
	UNIT_EQ(abi(r.fd, ROC_CH_EVENTFD, &e), 0);
	for (i = 2; i < 5; i++) {
		signals_data(&r, e.fd, 2 * i);
		CU_ASSERT(UNIT_WAIT(reader_available(&r) == 2, 2000));
		reader_take(&r, true);
		while (read(e.fd, &count, sizeof(count)) > 0)
			;
	}
	close(e.fd);
	e.fd = -1;
	UNIT_EQ(abi(r.fd, ROC_CH_EVENTFD, &e), 0);
	reader_set(&r, STREAM_SET_LIMIT, 10);
	CU_ASSERT(UNIT_WAIT(reader_available(&r) == 2, 5000));
	e.fd = eventfd(0, EFD_NONBLOCK);
	UNIT_EQ(abi(r.fd, ROC_CH_EVENTFD, &e), 0);
	UNIT_EQ(read(e.fd, &count, sizeof(count)), sizeof(count));
	reader_take(&r, true);
	finish(&r);
	/* The end of the run is a signal, too. */
	UNIT_EQ(read(e.fd, &count, sizeof(count)), sizeof(count));
	close(e.fd);
}

/* poll for edges begins when there are data: the next data make an edge, too. */
static void edges_in_the_run(void)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET};
	struct reader r = {.stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	int epfd = epoll_create1(0), i;

	start(&r);
	reader_generate(&r, 0, 64, 64, 0, 2, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(reader_available(&r) == 2, 5000));
	UNIT_EQ(epoll_ctl(epfd, EPOLL_CTL_ADD, r.fd, &ev), 0);
	UNIT_EQ(epoll_wait(epfd, &ev, 1, 0), 1);
	for (i = 2; i < 5; i++) {
		reader_take(&r, true);
		/* An edge for data that were taken meanwhile is allowed. */
		while (epoll_wait(epfd, &ev, 1, 100) > 0)
			;
		signals_data(&r, epfd, 2 * i);
		CU_ASSERT(UNIT_WAIT(reader_available(&r) == 2, 2000));
	}
	reader_take(&r, true);
	close(epfd);
	finish(&r);
}

/*
 * After silence a unit costs one interrupt and nothing else; a sleeping reader costs a write per
 * batch. The ring holds all data, because a throttle would interrupt, too.
 */
static void cost_of_data(void)
{
	struct reader r = {.ring = 32 * MIB};
	struct roc_st_info info;
	uint64_t waits = 0, before;
	int64_t begin;

	start(&r);
	begin = now_ms();
	reader_generate(&r, 0, 4096, 4096, 0, 4096, 0);
	UNIT_NEED(reader_start(&r));
	while (r.events < 4096 && !r.found.count) {
		struct roc_st_wait w = {.size = sizeof(w), .position = r.read + 8192};

		w.deadline = now_ns() + limit_ms(100) * 1000000ull;
		waits++;
		abi(r.fd, ROC_ST_WAIT, &w);
		if (!reader_take(&r, true) && waits > 2000)
			break;
	}
	info = reader_info(&r);
	UNIT_EQ(r.events, 4096);
	/*
	 * If the card is silent for two seconds the driver reads its status; a slow guest may cause
	 * that.
	 */
	CU_ASSERT(info.mmio_reads <= (uint64_t)(now_ms() - begin) / 2000);
	/* Plus the doorbell writes of a reader fast enough never to sleep. */
	CU_ASSERT(info.mmio_writes <= waits + info.interrupts + 8);
	unit_note("16 MiB in %llu waits: %llu interrupts, %llu register writes",
		  (unsigned long long)waits, (unsigned long long)info.interrupts,
		  (unsigned long long)info.mmio_writes);
	/*
	 * One packet after silence costs one interrupt. Use the card's counts: an interrupt may be
	 * late, and two may merge into one.
	 */
	UNIT_EQ(reader_wait(&r, 100), -ETIME);
	info = reader_info(&r);
	before = emu_stream(CARD0, 0, "interrupts");
	reader_set(&r, STREAM_SET_LIMIT, 4097);
	UNIT_EQ(reader_wait(&r, 5000), 0);
	CU_ASSERT(UNIT_WAIT(reader_info(&r).interrupts > info.interrupts, 5000));
	sleep_ms(100);
	UNIT_EQ(emu_stream(CARD0, 0, "interrupts"), before + 1);
	CU_ASSERT(reader_info(&r).interrupts <= before + 1);
	UNIT_EQ(reader_info(&r).spurious_interrupts, 0);
	UNIT_EQ(reader_info(&r).missed_interrupts, 0);
	reader_take(&r, true);
	finish(&r);
}

/*
 * A throttle interrupt also clears the arming. A reader that sleeps for data must be woken by the
 * next data all the same. No reader slept during the throttle, so its interrupt comes once a reader
 * sleeps, and then there are no new data.
 */
static void late_throttle_interrupt(void)
{
	struct reader r = {.ring = 64 * KIB};
	struct roc_st_info info;
	int64_t end;

	start(&r);
	reader_generate(&r, 0, 1024, 1024, 0, 3000, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(reader_info(&r).card.throttles == 1, 10000));
	end = now_ms() + limit_ms(20000);
	while (r.events < 3000 && !r.found.count && now_ms() < end)
		if (reader_take(&r, false))
			reader_consume(&r, r.read, true);
	UNIT_EQ(r.events, 3000);
	UNIT_EQ(reader_info(&r).interrupts, 0);
	UNIT_EQ(reader_wait(&r, 20), -ETIME);
	CU_ASSERT(UNIT_WAIT(reader_info(&r).interrupts == 1, 5000));
	reader_set(&r, STREAM_SET_LIMIT, 3001);
	UNIT_EQ(reader_wait(&r, 5000), 0);
	CU_ASSERT(UNIT_WAIT(reader_info(&r).interrupts == 2, 5000));
	info = reader_info(&r);
	UNIT_EQ(info.spurious_interrupts, 0);
	UNIT_EQ(info.missed_interrupts, 0);
	reader_take(&r, true);
	UNIT_EQ(r.events, 3001);
	finish(&r);
}

/* A reader whose card has reported the first record, and may report no other for @ns. */
static void start_moderated(struct reader *r, uint32_t ns)
{
	struct roc_st_settings s = {.interrupt_time = ns};

	start(r);
	UNIT_EQ(set(r->fd, ROC_ST_SET_INTERRUPT_TIME, s), 0);
	reader_generate(r, 0, 64, 64, 0, 1, 0);
	reader_set(r, STREAM_SET_GENERATOR, 0);
	UNIT_NEED(reader_start(r));
	/* The first interrupt comes at once, and the moderation time starts there. */
	UNIT_EQ(reader_wait(r, 10), -ETIME);
	reader_set(r, STREAM_SET_GENERATOR, STREAM_GENERATOR_RUN);
	CU_ASSERT(reader_run(r, 1, 5000));
	CU_ASSERT(UNIT_WAIT(reader_info(r).interrupts == 1, 5000));
}

/* A reader slept, and then is faster than the card may interrupt: no interrupt is missing. */
static void faster_than_interrupts(void)
{
	struct reader r = {.stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	struct roc_st_info info;

	start_moderated(&r, 450000000);
	UNIT_EQ(reader_wait(&r, 10), -ETIME);
	reader_set(&r, STREAM_SET_LIMIT, 2);
	CU_ASSERT(UNIT_WAIT(reader_take(&r, false) == 1, 5000));
	reader_consume(&r, r.read, true);
	/* As many times as the watchdog would need, and once more. */
	sleep_ms(1600);
	info = reader_info(&r);
	UNIT_EQ(info.missed_interrupts, 0);
	UNIT_EQ(info.spurious_interrupts, 0);
	finish(&r);
}

/* A busy reader makes no system call: its doorbell is the card's register. */
static void busy_reader(void)
{
	struct reader r = {.ring = 64 * KIB};
	struct roc_st_info info;
	int64_t begun, end;

	start(&r);
	reader_generate(&r, 0, 1000, 1000, 0, 2000, 0);
	begun = now_ms();
	UNIT_NEED(reader_start(&r));
	end = begun + limit_ms(20000);
	while (r.events < 2000 && !r.found.count && now_ms() < end)
		if (reader_take(&r, false))
			reader_consume(&r, r.read, true);
	info = reader_info(&r);
	UNIT_EQ(r.events, 2000);
	UNIT_EQ(info.interrupts + info.arms, 0);
	/*
	 * If the card is silent for two seconds the driver reads its status; a slow machine may
	 * cause that.
	 */
	CU_ASSERT(info.mmio_reads <= (uint64_t)(now_ms() - begun) / 2000);
	UNIT_EQ(info.bad_index, 0);
	finish(&r);
}

/*
 * With an eventfd set before the run, the driver arms the card at the start, not at the first poll.
 */
static void eventfd_before_the_run(void)
{
	struct roc_ch_eventfd e = {.size = sizeof(e), .fd = eventfd(0, EFD_NONBLOCK)};
	struct reader r = {.stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	struct pollfd p = {.fd = e.fd, .events = POLLIN};

	start(&r);
	UNIT_EQ(abi(r.fd, ROC_CH_EVENTFD, &e), 0);
	reader_generate(&r, 0, 64, 64, 1, 2, STREAM_GENERATOR_CLOCKED);
	UNIT_NEED(reader_start(&r));
	/* The first line may have come since. */
	CU_ASSERT(reader_info(&r).arms >= 1);
	UNIT_EQ(poll(&p, 1, patience_ms(5000)), 1);
	CU_ASSERT(UNIT_WAIT((reader_take(&r, true), r.events == 2), 5000));
	finish(&r);
	close(e.fd);
}

struct patience {
	struct reader *r;
	uint32_t lines;
};

static int wait_for_lines(void *arg)
{
	const struct patience *p = arg;
	struct roc_st_wait w = {.size = sizeof(w), .position = p->r->read + p->lines};

	w.deadline = now_ns() + 3600000000000ull; /* the parent gives up earlier */
	return abi(p->r->fd, ROC_ST_WAIT, &w) ? 1 : 0;
}

/*
 * With a poll() waiter the card reports the first line; a waiter for ten lines is woken at the
 * tenth.
 */
static void threshold_beside_poll(void)
{
	struct reader r = {.stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	struct patience ten = {&r, 10};
	struct pollfd p;
	uint64_t arms;
	pid_t pid;

	start(&r);
	/* One line each. */
	reader_generate(&r, 0, 64, 64, 0, 1, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(reader_take(&r, true), 5000));
	arms = reader_info(&r).arms;
	pid = child_start(AS_ROOT, wait_for_lines, &ten);
	CU_ASSERT(UNIT_WAIT(reader_info(&r).arms > arms, 5000));
	p = (struct pollfd){.fd = r.fd, .events = POLLIN};
	reader_set(&r, STREAM_SET_LIMIT, 2);
	UNIT_EQ(poll(&p, 1, patience_ms(5000)), 1);
	CU_ASSERT(UNIT_WAIT(reader_info(&r).interrupts >= 1, 5000));
	reader_set(&r, STREAM_SET_LIMIT, 11);
	UNIT_EQ(child_wait(pid, 5000), 0);
	CU_ASSERT(UNIT_WAIT((reader_take(&r, true), r.events == 11), 5000));
	finish(&r);
}

/*
 * Of two waiters the one with the lower threshold wakes first, in whichever order they came; then
 * the other one.
 */
static void two_sleep(bool less_first)
{
	struct reader r = {.stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	struct patience ten = {&r, 10}, two = {&r, 2};
	pid_t first, second;

	start(&r);
	reader_generate(&r, 0, 64, 64, 0, 1, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(reader_take(&r, true), 5000));
	first = child_start(AS_ROOT, wait_for_lines, less_first ? &two : &ten);
	CU_ASSERT(UNIT_WAIT(child_sleeps(first), 5000));
	second = child_start(AS_ROOT, wait_for_lines, less_first ? &ten : &two);
	CU_ASSERT(UNIT_WAIT(child_sleeps(second), 5000));
	reader_set(&r, STREAM_SET_LIMIT, 3);
	UNIT_EQ(child_wait(less_first ? first : second, 5000), 0);
	reader_set(&r, STREAM_SET_LIMIT, 11);
	UNIT_EQ(child_wait(less_first ? second : first, 5000), 0);
	CU_ASSERT(UNIT_WAIT((reader_take(&r, true), r.events == 11), 5000));
	finish(&r);
}

static void two_thresholds(void)
{
	two_sleep(false);
	two_sleep(true);
}

/* By a call, or by the doorbell alone: the card need not report consumed data. */
static void consumed_by_another(bool call)
{
	struct reader r = {.stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	struct roc_st_consume all = {.size = sizeof(all), .lines = 5};
	struct patience two = {&r, 2};
	uint64_t arms;
	pid_t pid;

	start_moderated(&r, 4000000000u);
	arms = reader_info(&r).arms;
	pid = child_start(AS_ROOT, wait_for_lines, &two);
	CU_ASSERT(UNIT_WAIT(reader_info(&r).arms > arms, 5000));
	reader_set(&r, STREAM_SET_LIMIT, 6);
	CU_ASSERT(UNIT_WAIT(reader_available(&r) == 5, 5000));
	reader_take(&r, false);
	if (call)
		UNIT_EQ(abi(r.fd, ROC_ST_CONSUME, &all), 0);
	else
		reader_consume(&r, r.read, true);
	UNIT_EQ(child_wait(pid, 5000), 0);
	UNIT_EQ(reader_info(&r).missed_interrupts, 0);
	finish(&r);
}

/* A waiter is woken for data although another reader has consumed them. */
static void consumed_by_another_reader(void)
{
	consumed_by_another(true);
	consumed_by_another(false);
}

static int poll_for_data(void *arg)
{
	const struct reader *r = arg;
	struct pollfd p = {.fd = r->fd, .events = POLLIN};

	return poll(&p, 1, -1) == 1 && p.revents == POLLIN ? 0 : 1;
}

/* No more data come: a low-water mark lowered to the available data wakes the waiter. */
static void low_water_lowered(void)
{
	struct roc_ch_eventfd e = {.size = sizeof(e), .fd = eventfd(0, EFD_NONBLOCK)};
	struct reader r = {.stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	struct pollfd p = {.fd = e.fd, .events = POLLIN};
	pid_t pid;

	start(&r);
	UNIT_EQ(set(r.fd, ROC_ST_SET_LOW_WATER, (struct roc_st_settings){.low_water = 640}), 0);
	reader_generate(&r, 0, 64, 64, 0, 5, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(reader_available(&r) == 5, 5000));
	UNIT_EQ(abi(r.fd, ROC_CH_EVENTFD, &e), 0);
	pid = child_start(AS_ROOT, poll_for_data, &r);
	CU_ASSERT(UNIT_WAIT(child_sleeps(pid), 5000));
	UNIT_EQ(set(r.fd, ROC_ST_SET_LOW_WATER, (struct roc_st_settings){.low_water = 384}), 0);
	UNIT_EQ(poll(&p, 1, 50), 0);
	UNIT_EQ(set(r.fd, ROC_ST_SET_LOW_WATER, (struct roc_st_settings){.low_water = 320}), 0);
	UNIT_EQ(poll(&p, 1, patience_ms(3000)), 1);
	UNIT_EQ(child_wait(pid, 3000), 0);
	UNIT_EQ(reader_take(&r, true), 5);
	finish(&r);
	close(e.fd);
}

/* One record for @r, whose reader sleeps in poll(), in epoll for edges and on an eventfd. */
static void wakes_all(struct reader *r, int epfd, int event, uint64_t limit)
{
	struct pollfd p = {.fd = r->fd, .events = POLLIN};
	struct epoll_event ev;
	uint64_t count;

	/* What the previous record left. */
	while (read(event, &count, sizeof(count)) > 0)
		;
	while (epoll_wait(epfd, &ev, 1, 0) > 0)
		;
	UNIT_EQ(poll(&p, 1, 0), 0);
	signals_data(r, epfd, limit);
	signals_data(r, event, limit);
	signals_data(r, r->fd, limit);
	CU_ASSERT(UNIT_WAIT(reader_take(r, false) == 1, 5000));
	/* A reader may take data before it consumes them; then there are no new data either. */
	if (limit % 2) {
		r->user->taken = r->read;
		UNIT_EQ(poll(&p, 1, 0), 0);
	}
	reader_consume(r, r->read, true);
}

/* Runs that begin before, at and behind the position where the 32 bits wrap. */
static void position_wraps(void)
{
	static const uint32_t starts[] = {0xfffffff0, 0xfffffffd, 0xffffffff, 0, 1};
	size_t i;

	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct roc_ch_eventfd e = {.size = sizeof(e), .fd = eventfd(0, EFD_NONBLOCK)};
		struct reader r = {.stream = P40_STREAM_ODIN, .position = starts[i]};
		struct epoll_event ev = {.events = EPOLLIN | EPOLLET};
		int epfd = epoll_create1(0);
		uint64_t limit;

		r.ring = 64 * KIB;
		start(&r);
		UNIT_EQ(abi(r.fd, ROC_CH_EVENTFD, &e), 0);
		UNIT_EQ(epoll_ctl(epfd, EPOLL_CTL_ADD, r.fd, &ev), 0);
		reader_generate(&r, 0, 64, 64, 0, 1, 0);
		UNIT_NEED(reader_start(&r));
		CU_ASSERT(UNIT_WAIT(reader_take(&r, true), 5000));
		for (limit = 2; limit < 8; limit++)
			wakes_all(&r, epfd, e.fd, limit);
		UNIT_EQ(r.read, starts[i] + 7);
		close(epfd);
		close(e.fd);
		finish(&r);
	}
}

/* The ring is full, and nothing was consumed: the next line is behind its end. */
static void all_taken_none_consumed(void)
{
	struct roc_st_wait w = {.size = sizeof(w)};
	struct reader r = {.stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	struct patience one = {&r, 1};
	pid_t pid;

	start(&r);
	reader_generate(&r, 0, 64, 64, 0, reader_lines(&r) + 5, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(reader_available(&r) == reader_lines(&r), 5000));
	UNIT_EQ(reader_take(&r, false), reader_lines(&r));
	r.user->taken = r.read;
	UNIT_EQ(reader_wait(&r, 10), -ETIME);
	w.position = r.read + 2;
	UNIT_EQ(abi(r.fd, ROC_ST_WAIT, &w), -EINVAL);
	pid = child_start(AS_ROOT, wait_for_lines, &one);
	CU_ASSERT(UNIT_WAIT(child_sleeps(pid), 5000));
	reader_consume(&r, r.read, true);
	UNIT_EQ(child_wait(pid, 5000), 0);
	CU_ASSERT(UNIT_WAIT((reader_take(&r, true), r.events == reader_lines(&r) + 5), 5000));
	finish(&r);
}

/* After a run its data can be read, and poll() reports when none are left. */
static void after_the_end(void)
{
	struct reader r = {.stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	struct roc_st_consume none = {.size = sizeof(none)};
	struct pollfd p;

	start(&r);
	p = (struct pollfd){.fd = r.fd, .events = POLLIN};
	reader_generate(&r, 0, 64, 64, 0, 10, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(reader_available(&r) == 10, 5000));
	/* After a run no wait lasts until the low-water mark. */
	UNIT_EQ(set(r.fd, ROC_ST_SET_LOW_WATER, (struct roc_st_settings){.low_water = 6400}), 0);
	UNIT_EQ(poll(&p, 1, 0), 0);
	CU_ASSERT(reader_stop(&r));
	UNIT_EQ(poll(&p, 1, 0), 1);
	CU_ASSERT(p.revents & POLLIN);
	UNIT_EQ(reader_take(&r, true), 10);
	UNIT_EQ(RUN("grep -w roc-lines: /proc/%d/fdinfo/%d", getpid(), r.fd), 0);
	OUTPUT_HAS("roc-lines:\t0\n");
	poll(&p, 1, 0);
	CU_ASSERT_FALSE(p.revents & POLLIN);
	UNIT_EQ(abi(r.fd, ROC_ST_CONSUME, &none), 0);
	UNIT_EQ(none.available, 0);
	UNIT_EQ(r.user->read, r.read);
	UNIT_EQ(reader_info(&r).read, r.read);

	/* A start that the card refuses begins at a new position, without data. */
	reader_generate(&r, 0, 64, 64, 0, 10, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(reader_available(&r) == 10, 5000));
	CU_ASSERT(reader_stop(&r));
	emu(CARD0, "fault 0 enable-slow %u 60000", 1u << P40_STREAM_ODIN);
	READER_OK(&r);
	r.position = 5000;
	CU_ASSERT_FALSE(reader_start(&r));
	poll(&p, 1, 0);
	CU_ASSERT_FALSE(p.revents & POLLIN);
	emu(CARD0, "fault all clear");
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

UNIT_MAIN("stream_sleep", {"poll and epoll", sleepers},
	  {"low water of a full ring", low_water_of_a_full_ring},
	  {"eventfd in the run", eventfd_in_the_run}, {"edges in the run", edges_in_the_run},
	  {"cost of data", cost_of_data}, {"late throttle interrupt", late_throttle_interrupt},
	  {"faster than the interrupts", faster_than_interrupts}, {"busy reader", busy_reader},
	  {"eventfd before the run", eventfd_before_the_run},
	  {"threshold beside poll", threshold_beside_poll}, {"two thresholds", two_thresholds},
	  {"consumed by another reader", consumed_by_another_reader},
	  {"low water lowered", low_water_lowered}, {"position wraps", position_wraps},
	  {"all taken, none consumed", all_taken_none_consumed}, {"after the end", after_the_end})
