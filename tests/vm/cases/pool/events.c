// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test cards with the event interface: the number of interrupts and their data, wake-ups of
 * waiters, and polling readers. event_faults.c tests faults of the card.
 */
#include "common/case.h"

#include "kmod/pool/event_regs.h"
#include <glob.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#define LIMIT_MS 15000
#define ONE_LINK 0x1
#define MEASURES 5
#define HASTE 3
#define MODERATION_US 8000
#define AWAY_NS 20000000ull
#define EVENTS 0x1000 /* a CRU's channel block, in BAR 0 */

/* A plain card reports that it has no events; the other tests need them. */
static bool events(void)
{
	return has_events(EP0);
}

#define NEED_EVENTS                                                                                \
	do {                                                                                       \
		if (!events()) {                                                                   \
			unit_skip("no card with the event interface");                             \
			return;                                                                    \
		}                                                                                  \
	} while (0)

static void plain_card_refuses(void)
{
	struct roc_channel_config config = {.mode = ROC_MODE_EVENT};
	struct roc_channel *ch;
	int want = events() ? 0 : -EOPNOTSUPP;
	struct roc_ch_mode raw = {.size = sizeof(raw), .mode = ROC_MODE_EVENT + 1};
	char path[96];

	/* Compare the driver's report with the card's; the following tests use the driver's. */
	UNIT_EQ(events(), json_is(json_get(emu(CARD0, "get events"), "value"), "on"));
	UNIT_NEED(!roc_channel_open(EP0, 0, &ch));
	UNIT_EQ(roc_channel_configure(ch, &config), want);
	UNIT_EQ(roc_channel_mode(ch, ROC_MODE_EVENT), want);
	snprintf(path, sizeof(path), "/sys/class/roc/%s/mode", node_path(EP0, 0) + 5);
	UNIT_EQ(put_text(path, "event"), want);
	UNIT_EQ(put_text(path, "never"), -EINVAL);
	UNIT_EQ(roc_channel_mode(ch, ROC_MODE_BUSY), 0);
	CU_ASSERT_STRING_EQUAL(node_attr(EP0, 0, "mode"), "busy");
	UNIT_EQ(abi(roc_channel_fd(ch), ROC_CH_MODE, &raw), -EINVAL);
	raw = (struct roc_ch_mode){.size = sizeof(raw), .reserved = 1};
	UNIT_EQ(abi(roc_channel_fd(ch), ROC_CH_MODE, &raw), -EINVAL);
	roc_channel_close(ch);
	CU_ASSERT_STRING_EQUAL(node_attr(EP0, 0, "mode"), "none");
	UNIT_EQ(put_text(path, "timer"), -ENXIO);
}

static struct counters at_open;

/* Counts of endpoint 0 since the channel was opened. */
static struct counters counted(void)
{
	return counters_since(EP0, 0, at_open);
}

static bool opened(struct rig *r)
{
	at_open = counters(EP0, 0);
	return rig_open(r);
}

/*
 * Costs of some superpages: the card's counts, their duration (@span: by the card's clock), the
 * driver's missed interrupts up to their end, the reader's longest pause from the start on, and the
 * moderation time set in the card.
 */
struct cost {
	uint64_t superpages, reads, writes, interrupts, missed, ns, span, pause;
	unsigned int us;
};

static uint32_t moderation_us(void)
{
	return EVENT_MODERATION_US(emu_peek(CARD0, 0, CRU_BAR_DMA, EVENTS + EVENT_MODERATION));
}

/*
 * Measure @n superpages at this rate, after some that came faster. Only a reader without checks
 * keeps up with a rate.
 */
static struct cost cost_of(uint64_t rate, uint64_t n)
{
	struct rig r = {.id = EP0,
			.source = ROC_SOURCE_DDG,
			.mode = ROC_MODE_EVENT,
			.superpage = 64 * KIB,
			.count = 256,
			.no_poison = true,
			.sizes_unknown = rate};
	struct cost c = {0};
	const char *counts;

	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set 0 rate %llu", (unsigned long long)(HASTE * rate));
	if (!opened(&r)) {
		RIG_OK(&r);
		return c;
	}
	rig_push(&r, RIG_MAX);
	if (rig_start(&r) && rig_run(&r, n / 4, LIMIT_MS)) {
		emu(CARD0, "set 0 rate %llu", (unsigned long long)rate);
		rig_run(&r, r.filled + n / 4, LIMIT_MS);
		/* The driver has adapted to the rate. */
		c.span = now_ns();
		emu(CARD0, "clear");
		c.ns = now_ns();
		r.took = 0;
		rig_run(&r, r.filled + n, LIMIT_MS);
		c.pause = r.pause;
		c.ns = now_ns() - c.ns;
		c.missed = counted().missed;
		/* All counts from one moment, because the card goes on. */
		counts = json_at(json_get(emu(CARD0, "counts 0"), "ep"), 0);
		c.span = now_ns() - c.span;
		c.us = moderation_us();
		c.superpages = json_number(json_get(counts, "superpages"));
		c.writes = json_number(json_get(counts, "mmio_writes"));
		c.interrupts = json_number(json_get(counts, "interrupts"));
		c.reads = emu_reads(CARD0, 0);
		unit_note(
			"%llu superpages: %llu interrupts, %llu missed, %u us apart, %llu writes, %llu reads, %.1f ms away of %.0f ms",
			(unsigned long long)c.superpages, (unsigned long long)c.interrupts,
			(unsigned long long)c.missed, c.us, (unsigned long long)c.writes,
			(unsigned long long)c.reads, c.pause / 1e6, c.ns / 1e6);
	}
	rig_stop(&r);
	UNIT_EQ(c.reads, 0);
	UNIT_EQ(counted().reads, 0);
	RIG_OK(&r);
	rig_close(&r);
	return c;
}

/*
 * After a pause the card may interrupt more often, and on a busy machine the card, the driver and
 * the reader all pause. A measurement counts if the reader's pauses were not much longer than
 * moderation explains, and the card kept its rate.
 */
static bool undisturbed(const struct cost *c, uint64_t bytes, uint64_t rate)
{
	return c->pause < AWAY_NS && (!rate || bytes * 1e9 / c->ns > 0.9 * rate);
}

/* Repeat the measurement, at most MEASURES times, while it is too expensive and was disturbed. */
static struct cost fair_cost(uint64_t rate, uint64_t n, bool (*cheap)(const struct cost *))
{
	unsigned int tries = MEASURES;
	struct cost c;

	do
		c = cost_of(rate, n);
	while (!cheap(&c) && c.superpages && !undisturbed(&c, c.superpages * 64 * KIB, rate) &&
	       --tries);
	return c;
}

static bool busy_is_cheap(const struct cost *c)
{
	return 8 * c->interrupts <= c->superpages && 8 * c->writes <= c->superpages && !c->missed;
}

static void busy_channel(void)
{
	struct cost c;

	NEED_EVENTS;
	c = fair_cost(0, 1000, busy_is_cheap);
	CU_ASSERT(c.superpages >= 500); /* some may have been ready before */
	CU_ASSERT(c.interrupts >= 1);
	CU_ASSERT(busy_is_cheap(&c));
}

/*
 * One interrupt per moderation time, which the card keeps to within a tenth; so low a rate gets the
 * longest time, whatever the rate was before.
 */
static bool steady_is_cheap(const struct cost *c)
{
	return c->us == MODERATION_US && c->interrupts <= c->span / (MODERATION_US * 900ull) + 1 &&
	       4 * c->interrupts <= c->superpages && !c->missed;
}

static void steady_rate(void)
{
	struct cost c;

	NEED_EVENTS;
	c = fair_cost(64 * KIB * 800, 800, steady_is_cheap);
	CU_ASSERT(c.superpages >= 500); /* some may have been ready before */
	CU_ASSERT(c.interrupts >= 1);
	CU_ASSERT(steady_is_cheap(&c));
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

#define SINGLES 30
#define SINGLE_MS 25 /* between two */

/*
 * Submit one superpage after the other to a silent card; @delay gets their times. Returns the
 * number of interrupts.
 */
static uint64_t single_superpages(struct rig *r, uint64_t *delay)
{
	uint64_t begin, interrupts;
	size_t i;

	emu(CARD0, "clear");
	at_open = counters(EP0, 0);
	r->pause = r->took = 0;
	for (i = 0; i < SINGLES; i++) {
		sleep_ms(SINGLE_MS);
		begin = now_ns();
		rig_push(r, 1);
		UNIT_EQ(rig_wait(r, 1, 2000), 1);
		delay[i] = now_ns() - begin;
		UNIT_EQ(rig_take(r, false), 1);
	}
	interrupts = emu_count(CARD0, 0, "interrupts");
	CU_ASSERT(UNIT_WAIT(counted().interrupts == interrupts, 2000));
	UNIT_EQ(emu_reads(CARD0, 0), 0);
	qsort(delay, SINGLES, sizeof(delay[0]), by_value);
	unit_note("push to ready: %.2f ms a quarter, %.2f ms half, %.2f ms all of them",
		  delay[SINGLES / 4] / 1e6, delay[SINGLES / 2] / 1e6, delay[SINGLES - 1] / 1e6);
	return interrupts;
}

/* Moderation would delay every superpage; a busy machine delays only some. */
static bool soon(const uint64_t *delay)
{
	return delay[SINGLES / 4] < limit_ms(4) * 1000000ull;
}

/* A card that is mostly silent reports each superpage, once and at once. */
static void low_rate(void)
{
	struct rig r = {.id = EP0, .mode = ROC_MODE_EVENT, .superpage = 64 * KIB, .count = 4};
	unsigned int tries = MEASURES;
	uint64_t delay[SINGLES], interrupts;

	NEED_EVENTS;
	emu_normal(CARD0, ONE_LINK);
	UNIT_NEED(rig_open(&r) && rig_start(&r));
	sleep_ms(50);
	/* A late interrupt finds nothing, or the driver does not wait for it: measure again. */
	do
		interrupts = single_superpages(&r, delay);
	while ((interrupts != SINGLES || counted().spurious || counted().missed || !soon(delay)) &&
	       r.pause > SINGLE_MS * 1000000ull + AWAY_NS && --tries);
	UNIT_EQ(interrupts, SINGLES);
	UNIT_EQ(counted().spurious, 0);
	UNIT_EQ(counted().missed, 0);
	CU_ASSERT(soon(delay));
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

#define SLEEPERS 8

/* True if each channel has its own vector, besides the card's. */
static bool own_vectors(const char *id, unsigned int channels)
{
	char pattern[96];
	glob_t found;
	bool own;

	snprintf(pattern, sizeof(pattern), "/sys/bus/pci/devices/%s/msi_irqs/*", pci_address(id));
	own = !glob(pattern, 0, NULL, &found) && found.gl_pathc > channels;
	globfree(&found);
	return own;
}

/* Open six channels of the C-RORC and two endpoints of the CRU. */
static bool open_sleepers(struct rig *r, int epoll)
{
	unsigned int i;

	for (i = 0; i < SLEEPERS; i++) {
		struct epoll_event e = {.events = EPOLLIN | EPOLLET, .data.u32 = i};

		r[i] = (struct rig){.id = i < 6	   ? CRORC_ID
					  : i == 6 ? EP0
						   : EP1,
				    .channel = i < 6 ? i : 0,
				    .mode = ROC_MODE_EVENT,
				    .superpage = 32 * KIB,
				    .count = 64,
				    .no_poison = true,
				    .sizes_unknown = true};
		if (!rig_open(&r[i]) || epoll_ctl(epoll, EPOLL_CTL_ADD, rig_fd(&r[i]), &e))
			return false;
		rig_push(&r[i], RIG_MAX);
		if (!rig_start(&r[i]))
			return false;
	}
	return true;
}

static struct counters sum_of(struct rig *r)
{
	struct counters sum = {0}, one;
	unsigned int i;

	for (i = 0; i < SLEEPERS; i++) {
		one = counters(r[i].id, r[i].channel);
		sum.interrupts += one.interrupts;
		sum.missed += one.missed;
		sum.reads += one.reads;
	}
	return sum;
}

/* Costs of repeated sleeps. @wakeups: number of wake-ups. */
static struct cost cost_of_waits(struct rig *r, int epoll, uint64_t n, uint64_t *wakeups)
{
	struct counters before = sum_of(r), after; /* takes a while */
	struct epoll_event e[SLEEPERS];
	uint64_t begin, last, now;
	struct cost c = {0};
	int64_t end;
	int ready, i;

	/*
	 * Meanwhile the card ran dry; wait until it is at its rate again, and the driver has
	 * adapted.
	 */
	for (end = now_ms() + 300; now_ms() < end;)
		for (i = 0; i < SLEEPERS; i++)
			rig_take(&r[i], true);
	*wakeups = 0;
	begin = last = now_ns();
	end = now_ms() + patience_ms(LIMIT_MS);
	while (c.superpages < n && now_ms() < end) {
		ready = epoll_wait(epoll, e, SLEEPERS, patience_ms(500));
		if (ready <= 0)
			break;
		now = now_ns();
		c.pause = now - last > c.pause ? now - last : c.pause;
		last = now;
		*wakeups += ready;
		for (i = 0; i < ready; i++)
			c.superpages += rig_take(&r[e[i].data.u32], true);
	}
	c.ns = now_ns() - begin;
	after = sum_of(r);
	c.interrupts = after.interrupts - before.interrupts;
	c.missed = after.missed - before.missed;
	UNIT_EQ(after.reads, before.reads);
	unit_note("%llu superpages, %llu interrupts, woken %llu times, %.1f ms away of %.0f ms",
		  (unsigned long long)c.superpages, (unsigned long long)c.interrupts,
		  (unsigned long long)*wakeups, c.pause / 1e6, c.ns / 1e6);
	return c;
}

/* At most one wake-up for each batch that an interrupt reported. */
static bool sleep_is_cheap(const struct cost *c, uint64_t wakeups)
{
	/* With a shared vector an interrupt of one channel polls all channels. */
	return wakeups <= c->interrupts + SLEEPERS && !c->missed &&
	       (!own_vectors(CRORC_ID, 6) || 2 * wakeups <= c->superpages);
}

/* One epoll for all. */
static void sleeping_reader(void)
{
	const uint64_t rate = 32 * KIB * 500;
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	unsigned int tries = MEASURES, i;
	struct rig r[SLEEPERS];
	struct cost c;
	uint64_t wakeups;

	NEED_EVENTS;
	emu_normal(CARD0, ONE_LINK);
	emu_normal_crorc(CRORC0);
	emu(CARD0, "set all rate %llu", (unsigned long long)rate);
	emu(CRORC0, "set rate %llu", (unsigned long long)rate);
	UNIT_NEED(open_sleepers(r, epoll));
	do
		c = cost_of_waits(r, epoll, 3000, &wakeups);
	while (!sleep_is_cheap(&c, wakeups) && c.superpages >= 3000 &&
	       !undisturbed(&c, c.superpages * 32 * KIB, SLEEPERS * rate) && --tries);
	CU_ASSERT(c.superpages >= 3000);
	CU_ASSERT(sleep_is_cheap(&c, wakeups));
	for (i = 0; i < SLEEPERS; i++) {
		CU_ASSERT(r[i].filled > 100);
		rig_stop(&r[i]);
		RIG_OK(&r[i]);
		rig_close(&r[i]);
	}
	close(epoll);
	emu_normal(CARD0, FOUR_LINKS);
	emu_normal_crorc(CRORC0);
}

static void by_eventfd(void)
{
	struct rig r = {.id = EP0, .mode = ROC_MODE_EVENT, .superpage = 64 * KIB, .count = 8};
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	uint64_t count = 0, i;

	NEED_EVENTS;
	emu_normal(CARD0, ONE_LINK);
	UNIT_NEED(rig_open(&r));
	UNIT_EQ(roc_channel_eventfd(r.ch, fd), 0);
	UNIT_NEED(rig_start(&r));
	at_open = counters(EP0, 0);
	for (i = 0; i < 5; i++) {
		sleep_ms(20);
		CU_ASSERT(read(fd, &count, 8) < 0 && errno == EAGAIN);
		rig_push(&r, 1);
		CU_ASSERT(UNIT_WAIT(read(fd, &count, 8) == 8, 2000));
		UNIT_EQ(count, 1);
		UNIT_EQ(rig_take(&r, false), 1);
	}
	CU_ASSERT(UNIT_WAIT(counted().interrupts == 5, 2000));
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
	close(fd);
}

/*
 * A waiter for 40 entries sleeps until there are 40. Check whether there were more signals than
 * wake-ups: for 16 on an idle machine; a guest that pauses gets all at once.
 */
static bool woken_once(void)
{
	struct rig r = {.id = EP0, .mode = ROC_MODE_EVENT, .superpage = 64 * KIB, .count = 64};
	struct rusage before, after;
	bool often;

	emu_normal(CARD0, ONE_LINK);
	emu(CARD0, "set 0 rate %llu", emu_rate(64 * KIB * 100));
	CU_ASSERT_FATAL(opened(&r) && rig_start(&r));
	rig_push(&r, RIG_MAX);
	getrusage(RUSAGE_SELF, &before);
	CU_ASSERT(rig_wait(&r, 40, 5000) >= 40);
	getrusage(RUSAGE_SELF, &after);
	CU_ASSERT(after.ru_nvcsw - before.ru_nvcsw <= 2);
	often = counted().interrupts > 2;
	emu(CARD0, "set 0 rate 0");
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
	return often;
}

static void many_wake_once(void)
{
	unsigned int tries = MEASURES;

	NEED_EVENTS;
	while (!woken_once() && --tries)
		;
	CU_ASSERT(tries > 0);
}

/* Take entries from memory only, for @ms. */
static void take_in_memory(struct rig *r, unsigned int ms)
{
	int64_t end = now_ms() + ms;

	while (now_ms() < end) {
		if (!rig_take(r, true))
			sleep_ms(1);
	}
}

/* True once the driver has dropped the threshold of the waiter that left. */
static bool wakes_soon(struct rig *r)
{
	take_in_memory(r, 20);
	return moderation_us() <= MODERATION_US;
}

/* The high threshold of a reader that has stopped waiting does not delay its next wake-up. */
static void ended_min_ready(void)
{
	struct roc_ch_wait w;
	struct rig r = {.id = EP0,
			.source = ROC_SOURCE_DDG,
			.mode = ROC_MODE_EVENT,
			.superpage = 64 * KIB,
			.count = 256,
			.no_poison = true,
			.sizes_unknown = true};
	int i;

	NEED_EVENTS;
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set 0 rate %llu", emu_rate(64 * KIB * 400));
	UNIT_NEED(opened(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	take_in_memory(&r, 500);
	CU_ASSERT(UNIT_WAIT(wakes_soon(&r), 2000));
	/* A poll, and a wait that times out before the threshold is reached. */
	for (i = 0; i < 2; i++) {
		w = (struct roc_ch_wait){.size = sizeof(w), .min_ready = 200};
		w.deadline = i ? now_ns() + 20000000 : 0;
		UNIT_EQ(abi(rig_fd(&r), ROC_CH_WAIT, &w), -ETIME);
		take_in_memory(&r, 500);
		CU_ASSERT(UNIT_WAIT(wakes_soon(&r), 2000));
	}
	/* And one whose threshold is reached. */
	w = (struct roc_ch_wait){.size = sizeof(w), .min_ready = 100};
	w.deadline = now_ns() + limit_ms(10000) * 1000000ull;
	UNIT_EQ(abi(rig_fd(&r), ROC_CH_WAIT, &w), 0);
	take_in_memory(&r, 500);
	CU_ASSERT(UNIT_WAIT(wakes_soon(&r), 2000));
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

/* In every mode each superpage comes once, and the reader reads no register. */
static void mode_changes(void)
{
	static const struct {
		enum roc_mode mode;
		const char *name;
	} turns[] = {
		{ROC_MODE_EVENT, "event"}, {ROC_MODE_TIMER, "timer"}, {ROC_MODE_BUSY, "busy"},
		{ROC_MODE_EVENT, "event"}, {ROC_MODE_BUSY, "busy"},   {ROC_MODE_TIMER, "timer"},
	};
	struct rig r = {.id = EP0,
			.source = ROC_SOURCE_DDG,
			.mode = ROC_MODE_EVENT,
			.count = 32,
			.superpage = 64 * KIB};
	unsigned int tries = 3, i;
	char path[96];

	NEED_EVENTS;
	emu_normal(CARD0, FOUR_LINKS);
	snprintf(path, sizeof(path), "/sys/class/roc/%s/mode", node_path(EP0, 0) + 5);
	UNIT_NEED(opened(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	UNIT_EQ(counted().reads, 0);
	/* On a busy machine an interrupt may be so late that the driver does not wait for it. */
	do {
		at_open = counters(EP0, 0);
		for (i = 0; i < 2 * N(turns); i++) {
			r.mode = turns[i % N(turns)].mode;
			if (i / N(turns) % 2)
				UNIT_EQ(put_text(path, turns[i % N(turns)].name), 0);
			else
				UNIT_EQ(roc_channel_mode(r.ch, r.mode), 0);
			CU_ASSERT_STRING_EQUAL(node_attr(EP0, 0, "mode"), turns[i % N(turns)].name);
			CU_ASSERT(rig_run(&r, r.filled + 25, 5000));
		}
		UNIT_EQ(counted().reads, 0);
	} while (counted().missed && --tries);
	UNIT_EQ(counted().missed, 0);
	UNIT_EQ(emu_count(CARD0, 0, "host_errors"), 0);
	rig_stop(&r);
	UNIT_EQ(r.filled + r.reclaimed + r.out, r.pushed);
	rig_agrees(&r, CARD0, 0);
	RIG_OK(&r);
	rig_close(&r);
}

#define CROSSINGS 12	 /* interrupts at least, however long they take, */
#define CROSSING_MS 4000 /* and on a fast machine so many that some of them coincide with a poll */

/* False: the interrupts are missing. */
static bool poll_beside_interrupts(struct rig *r)
{
	int64_t begin = now_ms(), now = begin, slept = begin;

	at_open = counters(EP0, 0);
	for (; now - begin < patience_ms(LIMIT_MS); rig_take(r, true), now = now_ms()) {
		CU_ASSERT(roc_channel_poll(r->ch) >= 0);
		if (now - slept < 10)
			continue;
		/* Without a pause between polls no interrupt comes first. */
		sleep_ms(5);
		slept = now_ms();
		if (slept - begin >= CROSSING_MS && counted().interrupts >= CROSSINGS)
			return true;
	}
	return false;
}

/*
 * An interrupt whose records were already polled is not spurious. One that arrives more than 30 ms
 * after the poll counts as spurious: on a busy machine one of twenty does. A driver that does not
 * remember its polls would count every fourth.
 */
static void polls_beside_interrupts(void)
{
	struct rig r = {.id = EP0,
			.source = ROC_SOURCE_DDG,
			.mode = ROC_MODE_EVENT,
			.count = 64,
			.superpage = 32 * KIB,
			.no_poison = true,
			.sizes_unknown = true};
	struct counters c;

	NEED_EVENTS;
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set 0 rate %u", 32 * KIB * 500);
	UNIT_NEED(opened(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	CU_ASSERT(poll_beside_interrupts(&r));
	c = counted();
	unit_note("%llu of %llu interrupts were spurious", (unsigned long long)c.spurious,
		  (unsigned long long)c.interrupts);
	CU_ASSERT(c.spurious <= 2 + c.interrupts / 8);
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

/* The driver wakes the reader by the clock, and still polls memory only. */
static void timer_mode(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .by_timer = true};
	uint64_t before;

	NEED_EVENTS;
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(opened(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	before = emu_count(CARD0, 0, "interrupts");
	CU_ASSERT(rig_run(&r, 60, 5000));
	UNIT_EQ(emu_count(CARD0, 0, "interrupts"), before);
	UNIT_EQ(counted().reads, 0);
	rig_stop(&r);
	rig_agrees(&r, CARD0, 0);
	RIG_OK(&r);
	rig_close(&r);
}

/* All vectors that the card has, but not MSI-X if users may write its table. */
static void vectors(void)
{
	const char *all = json_get(emu(CARD0, "get interrupts"), "value");
	bool msix = json_is(all, "msix"), open = json_is(all, "msix-open");
	char kind[16];

	NEED_EVENTS;
	CU_ASSERT(msix || open);
	UNIT_EQ(shell(kind, sizeof(kind), 5000, "cat /sys/bus/pci/devices/%s/msi_irqs/* | sort -u",
		      pci_address(EP0)),
		0);
	UNIT_STR(kind, msix ? "msix\n" : "msi\n");
}

/*
 * All six channels of the C-RORC with data at once, checked; end each one in another way, then
 * start it again.
 */
static void all_of_a_crorc(void)
{
	struct counters before[6];
	struct rig r[6];
	unsigned int i, round;

	NEED_EVENTS;
	emu_normal_crorc(CRORC0);
	for (i = 0; i < 6; i++) {
		r[i] = (struct rig){.id = CRORC_ID,
				    .channel = i,
				    .mode = ROC_MODE_EVENT,
				    .superpage = 64 * KIB,
				    .count = 16};
		before[i] = counters(CRORC_ID, i);
		UNIT_NEED(rig_open(&r[i]));
	}
	for (round = 0; round < 2; round++) {
		emu(CRORC0, "clear");
		for (i = 0; i < 6; i++) {
			rig_push(&r[i], RIG_MAX);
			CU_ASSERT(rig_start(&r[i]));
		}
		for (i = 0; i < 6; i++)
			CU_ASSERT(rig_run(&r[i], 30, 5000));
		for (i = 0; i < 6; i++) {
			rig_stop(&r[i]);
			rig_agrees(&r[i], CRORC0, 0);
			RIG_OK(&r[i]);
		}
	}
	for (i = 0; i < 6; i++) {
		UNIT_EQ(counters_since(CRORC_ID, i, before[i]).reads, 0);
		rig_close(&r[i]);
	}
	UNIT_EQ(emu_count(CRORC0, 0, "host_errors"), 0);
}

/* Without any vector the records are there all the same, and the driver polls. */
static void no_vector(void)
{
	struct rig r = {.id = EP1, .source = ROC_SOURCE_DDG, .mode = ROC_MODE_EVENT};
	char address[ROC_TEXT_MAX], path[96];

	NEED_EVENTS;
	emu_normal(CARD0, FOUR_LINKS);
	strcpy(address, pci_address(EP1));
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/msi_bus", address);
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(put_text(path, "0"), 0);
	UNIT_NEED(driver_bind(address));
	CU_ASSERT(rig_once(&r, 60, 5000));
	RIG_OK(&r);
	/* The counts start at 0 when the driver is bound. */
	UNIT_EQ(counters(EP1, 0).interrupts, 0);
	UNIT_EQ(counters(EP1, 0).reads, 0);
	/* An error causes no interrupt either: the driver reads the status of a silent card. */
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r) && rig_run(&r, 20, 5000));
	emu(CARD0, "fault 1 fetch-error 1");
	CU_ASSERT(
		UNIT_WAIT((rig_take(&r, true), ch_info(rig_fd(&r)).state != ROC_CH_RUNNING), 8000));
	UNIT_EQ(ch_info(rig_fd(&r)).state, ROC_CH_FAILED);
	UNIT_EQ(ch_info(rig_fd(&r)).reason, ROC_REASON_CARD);
	RIG_OK(&r);
	rig_close(&r);
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(put_text(path, "1"), 0);
	UNIT_NEED(driver_bind(address));
	CU_ASSERT(rig_once(&r, 60, 5000));
	CU_ASSERT(counters(EP1, 0).interrupts > 0);
	rig_close(&r);
}

/*
 * Event mode without interrupts: a reader that submits superpages to a card with few left, after a
 * silence, must kick the driver.
 */
static void no_vector_kicks(void)
{
	struct rig r = {.id = CRORC_ID, .mode = ROC_MODE_EVENT, .superpage = 32 * KIB, .count = 8};
	char address[ROC_TEXT_MAX], path[96];

	NEED_EVENTS;
	emu_normal_crorc(CRORC0);
	strcpy(address, pci_address(CRORC_ID));
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/msi_bus", address);
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(put_text(path, "0"), 0);
	UNIT_NEED(driver_bind(address));
	UNIT_NEED(rig_open(&r));
	rig_push(&r, 4);
	UNIT_NEED(rig_start(&r));
	CU_ASSERT(UNIT_WAIT((rig_push(&r, rig_take(&r, false)), r.filled >= 40), 5000));
	emu(CRORC0, "set rate 1");
	/* All completed superpages are taken, and the card has four. */
	CU_ASSERT(UNIT_WAIT((rig_push(&r, rig_take(&r, false)),
			     r.filled == emu_count(CRORC0, 0, "superpages") &&
				     ch_info(rig_fd(&r)).in_flight == 4),
			    5000));
	CU_ASSERT(UNIT_WAIT(r.rings->kernel->flags & ROC_RING_NEED_KICK, 5000));
	emu(CRORC0, "set rate 0");
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(put_text(path, "1"), 0);
	UNIT_NEED(driver_bind(address));
}

/* The tool can use a card without events: superpages go through registers. */
static void left_alone(void)
{
	static const char *const bench =
		"roc-bench-dma --id=245:0 --buffer-size=16Mi --superpage-size=256Ki --bytes=16Mi --no-display";

	if (!has_events(EP0))
		return unit_skip("the card does not support ROC_MODE_EVENT");
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_EQ(RUN("%s", bench), 0);
	UNIT_EQ(emu_touched(CARD0, 0, CRU_BAR_DMA, CRU_SP_PUSH(0)).writes, 0);
	UNIT_EQ(RUN("%s --no-events", bench), 0);
	CU_ASSERT(emu_touched(CARD0, 0, CRU_BAR_DMA, CRU_SP_PUSH(0)).writes >= 64);
	UNIT_EQ(RUN("%s --no-events --mode=event", bench), 2);
	OUTPUT_HAS("--no-events");
}

static void leave(void)
{
	CU_ASSERT(emu_clean(CARD0));
	emu_normal(CARD0, FOUR_LINKS);
}

UNIT_MAIN("events", {"plain card reports no events", plain_card_refuses},
	  {"a busy channel", busy_channel}, {"a steady rate", steady_rate},
	  {"a low rate", low_rate}, {"eight channels, one sleeper", sleeping_reader},
	  {"eventfd", by_eventfd}, {"a waiter for many wakes once", many_wake_once},
	  {"threshold of a waiter that left", ended_min_ready},
	  {"mode while running", mode_changes}, {"timer mode", timer_mode}, {"vectors", vectors},
	  {"polls that coincide with interrupts", polls_beside_interrupts},
	  {"events left alone", left_alone}, {"all channels of a C-RORC", all_of_a_crorc},
	  {"no vector at all", no_vector}, {"no vector, and a kick", no_vector_kicks},
	  {"card saw no violations", leave})
