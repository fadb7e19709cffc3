// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test fragments on request: every byte of the data, the cost in register accesses, refused calls
 * and their errno, and invalid entries that a reader writes into its rings.
 */
#include "fragment/fragment_case.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void start(struct taker *t, uint32_t rate, uint64_t limit)
{
	start_of(t, 400, 1600, rate, limit);
}

/* Fractions of all fragments and of all links, compared with the card's counters. */
static void every_byte(void)
{
	static const unsigned int percent[] = {0, 50, 100};
	size_t i;

	for (i = 0; i < N(percent); i++) {
		struct taker t = {.percent = percent[i], .sub = i & 1};

		start(&t, 0, 0);
		CU_ASSERT(taker_run(&t, 6000, 20000));
		CU_ASSERT(t.transferred > 0 || !percent[i]);
		CU_ASSERT(t.released > 0 || percent[i] == 100);
		UNIT_EQ(emu_sub(CARD0, t.sub, "transfers"), t.transferred);
		UNIT_EQ(emu_sub(CARD0, t.sub, "transferred"), t.bytes);
		UNIT_EQ(strtoull(node_attr(ROBINNP_ID, t.sub, "transfers"), NULL, 10),
			t.transferred);
		stop(&t);
	}
	CU_ASSERT(emu_clean(CARD0));
}

static void shuffled(void)
{
	struct taker t = {.percent = 100};

	emu_normal_robinnp(CARD0);
	emu(CARD0, "set all shuffle on");
	UNIT_NEED(taker_open(&t));
	taker_generate(&t, TAKER_ALL_LINKS, 400, 1600, 0, 0, 0);
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(taker_run(&t, 3000, 20000));
	stop(&t);
	emu(CARD0, "set all shuffle off");
}

/* Event ids and the counts of all rings wrap at 32 bits, after several laps of each ring. */
static void wraps(void)
{
	struct taker t = {.percent = 50, .start = 0u - 500, .pages = 64, .commands = 64};
	int i;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 0, 0u - 300, 0);
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(taker_run(&t, 6000, 20000));
	/* The number of commands depends on how fast host pages become free. */
	for (i = 0; i < 20 && t.command_count >= 0x80000000u; i++)
		CU_ASSERT(taker_run(&t, t.fragments + 1000, 20000));
	CU_ASSERT(t.next[0] < 0x80000000u && t.next[5] < 0x80000000u);
	CU_ASSERT(t.data_count < 0x80000000u && t.command_count < 0x80000000u);
	stop(&t);
}

static void truncated(void)
{
	struct taker t = {.percent = 100, .page_size = 1024, .host_page_size = 2048};

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	taker_generate(&t, TAKER_ALL_LINKS, 1500, 1500, 0, 0, 0);
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(taker_run(&t, 600, 10000));
	UNIT_EQ(t.truncated, t.fragments);
	stop(&t);
}

/* A link without pages stops its own source exactly at that fragment, and no other source. */
static void back_pressure(void)
{
	struct taker t = {.pages = 64};
	struct taker_fragment h;
	unsigned int i;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	/* The sources start once there are pages. */
	UNIT_NEED(taker_start(&t, 4));
	taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 0, 0, 10);
	for (i = 0; i < 24; i++) {
		CU_ASSERT(UNIT_WAIT(taker_next(&t, &h), 5000));
		/* All links but link 3 get their pages back. */
		if (ROC_FR_PAGE_LINK(h.page) != 3)
			taker_free(&t, h.page);
	}
	taker_ring(&t);
	/* Five links complete, one waits for pages. */
	for (; i < 5 * 10 + 4; i++) {
		CU_ASSERT(UNIT_WAIT(taker_next(&t, &h), 5000));
		CU_ASSERT(ROC_FR_PAGE_LINK(h.page) != 3);
		taker_free(&t, h.page);
		taker_ring(&t);
	}
	sleep_ms(20);
	CU_ASSERT(!taker_next(&t, &h));
	UNIT_EQ(taker_link(&t, 3, FRAGMENT_LINK_HOLDS), 1);
	UNIT_EQ(taker_link(&t, 3, FRAGMENT_LINK_HOLD_EVENT), 4);
	UNIT_EQ(taker_link(&t, 3, FRAGMENT_LINK_OFFERED), 5);
	UNIT_EQ(taker_link(&t, 3, FRAGMENT_LINK_WAITING), 1);
	CU_ASSERT(taker_link(&t, 3, FRAGMENT_LINK_HOLD_CYCLES) > 0);
	/* One page, one fragment, and another fragment that waits. */
	taker_free(&t, ROC_FR_PAGE(3, 0));
	taker_ring(&t);
	CU_ASSERT(UNIT_WAIT(taker_next(&t, &h), 5000));
	UNIT_EQ(h.event, 4);
	CU_ASSERT(UNIT_WAIT(taker_link(&t, 3, FRAGMENT_LINK_HOLDS) == 2, 2000));
	UNIT_EQ(taker_link(&t, 3, FRAGMENT_LINK_HOLD_EVENT), 5);
	stop(&t);
	UNIT_EQ(emu_fragment_link(CARD0, 3, "discarded"), 1);
	UNIT_EQ(emu_fragment_link(CARD0, 3, "fragments"), 5);
}

static uint32_t outcome(struct taker *t, uint32_t page, uint32_t host, uint32_t op)
{
	struct roc_fr_completion c = {.status = ~0u};

	taker_command(t, page, host, 0x1234, op);
	taker_ring(t);
	CU_ASSERT(UNIT_WAIT(taker_finished(t, &c), 5000));
	UNIT_EQ(c.tag, 0x1234);
	return c.status;
}

/* A command reaches only its own card pages and host pages, whatever it contains. */
static void invalid_commands(void)
{
	struct taker t = {.pages = 64, .host_pages = 4}, other = {.sub = 1, .percent = 100};
	uint32_t page, beyond;
	struct taker_fragment h;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	UNIT_NEED(taker_open(&other));
	taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 0, 0, 3);
	taker_generate(&other, TAKER_ALL_LINKS, 64, 64, 1000, 0, 0);
	UNIT_NEED(taker_start(&t, 0));
	UNIT_NEED(taker_start(&other, 0));
	CU_ASSERT(UNIT_WAIT(taker_next(&t, &h), 5000));
	page = h.page;
	beyond = t.numbers.total;
	UNIT_EQ(outcome(&t, page, beyond, ROC_FR_TRANSFER), ROC_FR_BAD_HOST_PAGE);
	UNIT_EQ(outcome(&t, page, ~0u, ROC_FR_TRANSFER), ROC_FR_BAD_HOST_PAGE);
	UNIT_EQ(outcome(&t, ROC_FR_PAGE(6, 0), 0, ROC_FR_TRANSFER), ROC_FR_BAD_PAGE);
	UNIT_EQ(outcome(&t, ROC_FR_PAGE(0, 64), 0, ROC_FR_TRANSFER), ROC_FR_BAD_PAGE);
	UNIT_EQ(outcome(&t, ROC_FR_PAGE(15, 0x0fffffff), 0, ROC_FR_TRANSFER), ROC_FR_BAD_PAGE);
	/* A page that the card owns. */
	UNIT_EQ(outcome(&t, ROC_FR_PAGE(5, 63), 0, ROC_FR_TRANSFER), ROC_FR_BAD_PAGE);
	UNIT_EQ(outcome(&t, page, 0, 0), ROC_FR_BAD_OP);
	UNIT_EQ(outcome(&t, page, 0, 4 | ROC_FR_TRANSFER), ROC_FR_BAD_OP);
	UNIT_EQ(outcome(&t, page, 3, ROC_FR_TRANSFER | ROC_FR_RELEASE), ROC_FR_OK);
	/* It has been released. */
	UNIT_EQ(outcome(&t, page, 0, ROC_FR_TRANSFER), ROC_FR_BAD_PAGE);
	CU_ASSERT(t.memory[3 * t.made.host_page_size] == 'F');
	CU_ASSERT(taker_run(&other, other.fragments + 100, 10000));
	TAKER_OK(&other);
	taker_stop(&other);
	taker_close(&other);
	stop(&t);
	CU_ASSERT(emu_clean(CARD0));
}

/* Invalid values in a reader's areas spoil its own run only. */
static void invalid_reader_values(void)
{
	static const uint32_t invalid[] = {1u << 31, ~0u, 1000000, 0x7fffffff, 4097};
	struct taker t = {.percent = 50}, other = {.sub = 1, .percent = 100};
	uint32_t i, k;

	start(&t, 2000, 0);
	UNIT_NEED(taker_open(&other));
	taker_generate(&other, TAKER_ALL_LINKS, 64, 64, 1000, 0, 0);
	UNIT_NEED(taker_start(&other, 0));
	CU_ASSERT(taker_run(&t, 100, 5000));
	/* The card cannot have written more entries than there are pages. */
	t.user->descriptors = t.data_count + t.made.descriptors - 1;
	CU_ASSERT(UNIT_WAIT(taker_info(&t).bad_index == 1, 5000));
	for (i = 0; i < N(invalid); i++) {
		struct roc_fr_wait w = {.size = sizeof(w), .mask = 3, .deadline = 1};

		t.user->descriptors = invalid[i];
		t.user->completions = ~invalid[i];
		t.bell->free = t.free_count + invalid[i];
		t.bell->command = t.command_count + invalid[i];
		w.descriptors = w.completions = invalid[i];
		abi(t.fd, ROC_FR_WAIT, &w);
		poll(&(struct pollfd){.fd = t.fd, .events = POLLIN}, 1, 1);
		for (k = 0; k < t.made.frees; k++)
			t.frees[k] = invalid[i] * (k + 1);
		for (k = 0; k < t.made.commands; k++)
			t.commands_ring[k] =
				(struct roc_fr_command){invalid[i] * k, invalid[i], k, k};
		t.bell->free = t.free_count += 500;
		t.bell->command = t.command_count += 500;
		CU_ASSERT(taker_run(&other, other.fragments + 200, 10000));
	}
	CU_ASSERT(UNIT_WAIT(taker_info(&t).bad_index > 0, 5000));
	UNIT_EQ(taker_info(&t).state, ROC_CH_RUNNING);
	CU_ASSERT(taker_stop(&t));
	/* The next run must be unaffected. */
	taker_generate(&t, TAKER_ALL_LINKS, 400, 1600, 2000, 0, 0);
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(taker_run(&t, 1000, 10000));
	TAKER_OK(&other);
	taker_stop(&other);
	taker_close(&other);
	stop(&t);
	CU_ASSERT(emu_clean(CARD0));
}

/* A stop waits for the card's commands; an immediate one drops them and returns how many. */
static void stops(void)
{
	struct roc_fr_stop s = {.size = sizeof(s)};
	struct taker t = {.pages = 64};
	struct roc_fr_completion c;
	struct taker_fragment h;
	int i, now;

	for (now = 0; now < 2; now++) {
		emu_normal_robinnp(CARD0);
		UNIT_NEED(taker_open(&t));
		taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 0, 0, 2);
		UNIT_NEED(taker_start(&t, 0));
		emu(CARD0, "fault 0 done-late 1 %u", now ? 60000000 : 5000);
		for (i = 0; i < 12; i++) {
			CU_ASSERT(UNIT_WAIT(taker_next(&t, &h), 5000));
			taker_command(&t, h.page, i, i, ROC_FR_TRANSFER);
		}
		taker_ring(&t);
		s = (struct roc_fr_stop){.size = sizeof(s), .flags = now ? ROC_FR_STOP_NOW : 0};
		UNIT_EQ(abi(t.fd, ROC_FR_STOP, &s), 0);
		UNIT_EQ(s.descriptors, 12);
		UNIT_EQ(s.completions, now ? 0 : 12);
		UNIT_EQ(s.lost, now ? 12 : 0);
		for (i = 0; taker_finished(&t, &c); i++)
			;
		UNIT_EQ(i, now ? 0 : 12);
		CU_ASSERT(t.kernel->flags & ROC_FR_STOPPED && !(t.kernel->flags & ROC_FR_FAILED));
		s = (struct roc_fr_stop){.size = sizeof(s)};
		UNIT_EQ(abi(t.fd, ROC_FR_STOP, &s), -EALREADY);
		emu(CARD0, "fault all clear");
		taker_close(&t);
		CU_ASSERT(emu_idle(CARD0, 0, 30));
	}
}

/* Transfer one fragment and release its page with the same command. @wait: until it is done. */
static void transfer(struct taker *t, bool wait)
{
	struct roc_fr_completion c;
	struct taker_fragment h;

	CU_ASSERT(UNIT_WAIT(taker_next(t, &h), 5000));
	taker_command(t, h.page, 0, 0, ROC_FR_TRANSFER | ROC_FR_RELEASE);
	taker_ring(t);
	CU_ASSERT(!wait || UNIT_WAIT(taker_finished(t, &c), 5000));
}

/*
 * A reader that never sleeps never reports its position; the counts are right after many laps, too.
 */
static void stop_of_polling_reader(void)
{
	struct taker t = {.pages = 16, .commands = 16};
	struct roc_fr_stop s = {.size = sizeof(s), .flags = ROC_FR_STOP_NOW};
	int i;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	taker_generate(&t, 1, 64, 64, 0, 0, 0);
	UNIT_NEED(taker_start(&t, 0));
	for (i = 0; i < 200; i++)
		transfer(&t, true);
	emu(CARD0, "fault 0 done-late 1 60000000");
	for (i = 0; i < 5; i++)
		transfer(&t, false);
	/* The card filled all pages again but those five. */
	CU_ASSERT(UNIT_WAIT(emu_peek(CARD0, 0, ROBINNP_BAR_DMA,
				     ROBINNP_SUB(0) + FRAGMENT_DESCRIPTORS) == 16 + 200,
			    5000));
	UNIT_EQ(abi(t.fd, ROC_FR_STOP, &s), 0);
	UNIT_EQ(s.completions, 200);
	UNIT_EQ(s.lost, 5);
	UNIT_EQ(s.descriptors, 16 + 200);
	emu(CARD0, "fault all clear");
	taker_close(&t);
	CU_ASSERT(emu_idle(CARD0, 0, 30));
}

static bool stopped_in_full_flow(void)
{
	struct roc_fr_stop s = {.size = sizeof(s)};
	struct taker t = {.pages = 2048};
	struct taker_fragment h;
	int64_t requested, begun;
	bool few;

	start(&t, 2000, 0);
	CU_ASSERT(UNIT_WAIT(taker_next(&t, &h), 5000));
	emu(CARD0, "fault 0 done-late 1 200000");
	requested = now_ms();
	taker_command(&t, h.page, 0, 0, ROC_FR_TRANSFER);
	taker_ring(&t);
	while (taker_next(&t, &h))
		;
	begun = now_ms();
	UNIT_EQ(abi(t.fd, ROC_FR_STOP, &s), 0);
	CU_ASSERT(now_ms() - requested >= 190);
	begun = now_ms() - begun;
	UNIT_EQ(s.lost, 0);
	unit_note("%u fragments in %lld ms", s.descriptors - t.data_count, (long long)begun);
	/* Each of the generators makes 12 fragments. */
	few = s.descriptors - t.data_count < begun * 3;
	TAKER_OK(&t);
	emu(CARD0, "fault all clear");
	taker_close(&t);
	return few;
}

/* A stop in full flow must not let the card write more than it was requested to write. */
static void stop_in_full_flow(void)
{
	unsigned int tries = 5;

	/* More data come if the test is delayed; running links send more each time. */
	while (!stopped_in_full_flow() && --tries)
		;
	CU_ASSERT(tries > 0);
}

static bool card_has(uint32_t links, uint32_t count, uint32_t time)
{
	const uint32_t sub = ROBINNP_SUB(0);

	return emu_peek(CARD0, 0, ROBINNP_BAR_DMA, sub + FRAGMENT_LINKS) == links &&
	       emu_peek(CARD0, 0, ROBINNP_BAR_DMA, sub + FRAGMENT_DATA_COUNT) == count &&
	       emu_peek(CARD0, 0, ROBINNP_BAR_DMA, sub + FRAGMENT_DONE_NS) == time;
}

/* Settings reach a running card, and stay for later runs. */
static void settings(void)
{
	struct roc_fr_settings set = {
		.size = sizeof(set),
		.set = ROC_FR_SET_LINKS | ROC_FR_SET_DATA_COUNT | ROC_FR_SET_DONE_TIME,
		.links = 0x15,
		.data_count = 7,
		.done_time = 123456,
	};
	struct taker t = {.pages = 64};

	start(&t, 2000, 0);
	CU_ASSERT(card_has(TAKER_ALL_LINKS, 64, 100000));
	UNIT_EQ(abi(t.fd, ROC_FR_SETTINGS, &set), 0);
	CU_ASSERT(card_has(0x15, 7, 123456));
	CU_ASSERT(taker_stop(&t));
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(card_has(0x15, 7, 123456));
	CU_ASSERT(taker_run(&t, 100, 5000));
	CU_ASSERT(!t.begun[1] && t.begun[2]);
	stop(&t);
	emu_normal_robinnp(CARD0);
	start(&t, 0, 1);
	CU_ASSERT(card_has(TAKER_ALL_LINKS, 64, 100000));
	stop(&t);
}

static int rings(int fd, struct roc_fr_rings r)
{
	r.size = sizeof(r);
	return abi(fd, ROC_FR_RINGS, &r);
}

static void refusals(void)
{
	int fd = node_open(ROBINNP_ID, 0), card = node_open(ROBINNP_ID, -1);
	struct roc_fr_start begin = {.size = sizeof(begin)};
	struct roc_fr_pages pages = {.size = sizeof(pages), .handle = 1};
	struct roc_fr_doorbell doorbell = {.size = sizeof(doorbell), .what = ROC_FR_DOORBELL_FREE};
	struct roc_fr_settings set = {.size = sizeof(set)};
	struct roc_fr_reset reset = {.size = sizeof(reset)};
	struct roc_fr_info info = {.size = sizeof(info), .sub = 2};
	struct roc_buf_register reply;
	struct roc_fr_rings r;
	struct taker t = {.pages = 64, .host_pages = 8};
	void *more;

	UNIT_NEED(fd >= 0 && card >= 0);
	UNIT_EQ(node_open(ROBINNP_ID, 0), -EBUSY);
	UNIT_EQ(rings(fd, (struct roc_fr_rings){.page_size = 3000}), -EINVAL);
	UNIT_EQ(rings(fd, (struct roc_fr_rings){.page_size = 512}), -EINVAL);
	UNIT_EQ(rings(fd, (struct roc_fr_rings){.page_size = 1 << 17}), -EINVAL);
	UNIT_EQ(rings(fd, (struct roc_fr_rings){.page_size = 4096, .host_page_size = 2048}),
		-EINVAL);
	UNIT_EQ(rings(fd, (struct roc_fr_rings){.commands = 100}), -EINVAL);
	UNIT_EQ(rings(fd, (struct roc_fr_rings){.commands = 8}), -EINVAL);
	UNIT_EQ(rings(fd, (struct roc_fr_rings){.pages = 40000}), -EINVAL);
	UNIT_EQ(rings(fd, (struct roc_fr_rings){.reason = 1}), -EINVAL);
	UNIT_EQ(abi(fd, ROC_FR_START, &begin), -EPIPE);
	UNIT_EQ(abi(fd, ROC_FR_PAGES, &pages), -EPIPE);
	UNIT_EQ(abi(fd, ROC_FR_DOORBELL, &doorbell), -EPIPE);
	CU_ASSERT(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0x10ull << 32) == MAP_FAILED &&
		  errno == EPIPE);
	UNIT_EQ(abi(card, ROC_FR_INFO, &info), -ENOENT);
	UNIT_EQ(abi(fd, ROC_FR_INFO, &info), -ENOENT);
	set.sub = 1;
	UNIT_EQ(abi(fd, ROC_FR_SETTINGS, &set), -ENOENT);
	set = (struct roc_fr_settings){.size = sizeof(set), .set = ROC_FR_SET_LINKS, .links = 0x40};
	UNIT_EQ(abi(fd, ROC_FR_SETTINGS, &set), -ERANGE);
	set.links = 1;
	UNIT_EQ(abi(card, ROC_FR_SETTINGS, &set), -EBUSY);
	set.set = 0;
	UNIT_EQ(abi(card, ROC_FR_SETTINGS, &set), 0);
	UNIT_EQ(set.links, 0x3f);
	UNIT_EQ(set.data_count, 64);
	reset.level = 3;
	UNIT_EQ(abi(fd, ROC_FR_RESET, &reset), -EINVAL);
	/* The settings, and the resets that revert them, belong to the opener. */
	set.set = ROC_FR_SET_LINKS;
	set.links = 1;
	UNIT_EQ(abi(fd, ROC_FR_SETTINGS, &set), 0);
	reset.level = ROC_FR_RESET_DEFAULT;
	UNIT_EQ(abi(card, ROC_FR_RESET, &reset), -EBUSY);
	reset.sub = ROC_FR_ALL;
	UNIT_EQ(abi(card, ROC_FR_RESET, &reset), -EBUSY);
	reset.sub = 0;
	set.set = 0;
	UNIT_EQ(abi(card, ROC_FR_SETTINGS, &set), 0);
	UNIT_EQ(set.links, 1);
	UNIT_EQ(abi(fd, ROC_FR_RESET, &reset), 0);
	set.set = 0;
	UNIT_EQ(abi(card, ROC_FR_SETTINGS, &set), 0);
	UNIT_EQ(set.links, 0x3f);
	/* Ioctls of pools fail on a sub-unit. */
	UNIT_EQ(control(fd, ROC_CH_START, 0, 0), -ENOTTY);
	UNIT_EQ(abi(fd, ROC_ST_START, &(struct roc_st_start){.size = 16}), -ENOTTY);
	close(fd);

	UNIT_NEED(taker_open(&t));
	r = (struct roc_fr_rings){.size = sizeof(r)};
	UNIT_EQ(abi(t.fd, ROC_FR_RINGS, &r), -EBUSY);
	UNIT_EQ(abi(t.fd, ROC_FR_DOORBELL, &doorbell), -EALREADY);
	pages.handle = 7;
	UNIT_EQ(abi(t.fd, ROC_FR_PAGES, &pages), -ENOENT);
	taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 0, 0, 1);
	UNIT_NEED(taker_start(&t, 0));
	UNIT_EQ(abi(t.fd, ROC_FR_START, &begin), -EBUSY);
	more = memory_make(8192, 4096, LAYOUT_ASCENDING);
	UNIT_EQ(buffer_register(t.fd, more, 8192, 0, &reply), -EBUSY);
	UNIT_EQ(buffer_unregister(t.fd, t.numbers.handle), -EBUSY);
	reset.level = ROC_FR_RESET_LOGIC;
	UNIT_EQ(abi(t.fd, ROC_FR_RESET, &reset), -EBUSY);
	reset.sub = ROC_FR_ALL;
	UNIT_EQ(abi(card, ROC_FR_RESET, &reset), -EBUSY);
	/* Areas written by kernel and card cannot be mapped writable. */
	CU_ASSERT(mmap(NULL, t.made.kernel_length, PROT_READ | PROT_WRITE, MAP_SHARED, t.fd,
		       t.made.kernel_offset) == MAP_FAILED &&
		  errno == EPERM);
	CU_ASSERT(mprotect((void *)t.kernel, 4096, PROT_READ | PROT_WRITE) && errno == EACCES);
	CU_ASSERT(mmap(NULL, t.made.user_length, PROT_READ, MAP_PRIVATE, t.fd,
		       t.made.user_offset) == MAP_FAILED &&
		  errno == EINVAL);
	CU_ASSERT(mmap(NULL, t.made.user_length + 4096, PROT_READ, MAP_SHARED, t.fd,
		       t.made.user_offset) == MAP_FAILED &&
		  errno == EINVAL);
	CU_ASSERT(taker_run(&t, 6, 5000));
	munmap(more, 8192);
	stop(&t);
	close(card);
}

/* Callers compiled with other headers: a shorter structure, a longer one, unknown members. */
static void callers(void)
{
	static const struct {
		unsigned long nr;
		uint32_t size; /* as first published */
		int result;    /* with the rest 0, on a stopped sub-unit with rings */
		int card; /* on the endpoint's node, while another file has the sub-unit open */
	} calls[] = {
		{ROC_FR_INFO, 192, 0, 0},
		{ROC_FR_RINGS, 120, -EBUSY, -ENOTTY},
		{ROC_FR_SETTINGS, 40, 0, 0},
		{ROC_FR_STOP, 24, -EALREADY, -ENOTTY},
		{ROC_FR_DOORBELL, 24, -EALREADY, -ENOTTY},
		{ROC_FR_WAIT, 32, -EINVAL, -ENOTTY},
		{ROC_FR_RESET, 16, 0, -EBUSY},
		{ROC_FR_PAGES, 24, -ENOENT, -ENOTTY},
		{ROC_FR_START, 32, 0, -ENOTTY},
	};
	int card = node_open(ROBINNP_ID, -1);
	struct taker t = {.pages = 64};
	uint32_t arg[128];
	size_t i;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(card >= 0 && taker_open(&t));
	for (i = 0; i < N(calls); i++) {
		uint32_t words = calls[i].size / 4;

		memset(arg, 0, sizeof(arg));
		arg[0] = calls[i].size - 4;
		UNIT_EQ(abi(t.fd, calls[i].nr, arg), -EINVAL);
		arg[0] = calls[i].size + 16;
		arg[words + 3] = 1;
		UNIT_EQ(abi(t.fd, calls[i].nr, arg), -E2BIG);
		arg[words + 3] = 0;
		arg[1] = 1u << 31;
		UNIT_EQ(abi(t.fd, calls[i].nr, arg), -EINVAL);
		arg[1] = 0;
		UNIT_EQ(abi(t.fd, calls[i].nr, arg), calls[i].result);
		/* The kernel writes nothing beyond the members that it knows. */
		UNIT_EQ(arg[words], 0);
		memset(arg, 0, sizeof(arg));
		arg[0] = calls[i].size;
		UNIT_EQ(abi(card, calls[i].nr, arg), calls[i].card);
	}
	CU_ASSERT(taker_stop(&t));
	taker_close(&t);
	close(card);
}

/* If the result cannot be copied out, the driver undoes the call. */
static void result_not_copied(void)
{
	static const unsigned long calls[] = {
		ROC_FR_INFO,	 ROC_FR_RINGS, ROC_FR_SETTINGS, ROC_FR_START, ROC_FR_STOP,
		ROC_FR_DOORBELL, ROC_FR_WAIT,  ROC_FR_RESET,	ROC_FR_PAGES,
	};
	struct roc_fr_rings *rings = memory_make(4096, 4096, LAYOUT_ASCENDING);
	struct taker t = {.pages = 64, .percent = 100};
	int fd = node_open(ROBINNP_ID, 0), i;
	size_t call;

	UNIT_NEED(fd >= 0);
	emu_normal_robinnp(CARD0);
	for (call = 0; call < N(calls); call++)
		UNIT_EQ(abi(fd, calls[call], (void *)8), -EFAULT);
	*rings = (struct roc_fr_rings){.size = sizeof(*rings), .pages = 64};
	UNIT_EQ(mprotect(rings, 4096, PROT_READ), 0);
	for (i = 0; i < 3; i++)
		UNIT_EQ(abi(fd, ROC_FR_RINGS, rings), -EFAULT);
	UNIT_EQ(mprotect(rings, 4096, PROT_READ | PROT_WRITE), 0);
	UNIT_EQ(abi(fd, ROC_FR_RINGS, rings), 0);
	UNIT_EQ(abi(fd, ROC_FR_RINGS, rings), -EBUSY);
	close(fd);
	munmap(rings, 4096);
	start(&t, 0, 1);
	CU_ASSERT(taker_run(&t, 6, 5000));
	stop(&t);
}

/* Host pages are numbered through all buffers in the order of their handles, without gaps. */
static void host_pages(void)
{
	struct roc_fr_pages p = {.size = sizeof(p)};
	struct taker t = {.pages = 64, .host_pages = 8, .percent = 100};
	struct roc_buf_register more;
	void *at = memory_make(8192, 4096, LAYOUT_DESCENDING);

	start(&t, 0, 1);
	CU_ASSERT(taker_run(&t, 6, 5000));
	CU_ASSERT(taker_stop(&t));
	UNIT_EQ(buffer_register(t.fd, at, 8192, 0, &more), 0);
	p.handle = more.handle;
	UNIT_EQ(abi(t.fd, ROC_FR_PAGES, &p), 0);
	UNIT_EQ(p.first, 8);
	UNIT_EQ(p.count, 4);
	UNIT_EQ(p.total, 12);
	/*
	 * After the first buffer is unregistered, the second one has its numbers, which reach its
	 * memory.
	 */
	UNIT_EQ(buffer_unregister(t.fd, t.numbers.handle), 0);
	p = (struct roc_fr_pages){.size = sizeof(p), .handle = more.handle};
	UNIT_EQ(abi(t.fd, ROC_FR_PAGES, &p), 0);
	UNIT_EQ(p.first, 0);
	t.numbers = p;
	munmap(t.memory, t.length);
	t.memory = at;
	t.length = 8192;
	taker_generate(&t, TAKER_ALL_LINKS, 400, 1600, 0, 0, 0);
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(taker_run(&t, 200, 10000));
	stop(&t);
}

/* A host page larger than a page of the machine must be contiguous. */
static void large_host_pages(void)
{
	struct roc_fr_start reply;
	struct roc_buf_register more;
	struct taker t = {.page_size = 16384, .pages = 64, .percent = 100};
	void *at;
	int err;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	taker_generate(&t, TAKER_ALL_LINKS, 12000, 20000, 0, 0, 0);
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(taker_run(&t, 300, 10000));
	CU_ASSERT(t.truncated > 0);
	TAKER_OK(&t);
	CU_ASSERT(taker_stop(&t));
	at = memory_make(1 << 20, 4096, LAYOUT_DESCENDING);
	err = buffer_register(t.fd, at, 1 << 20, 0, &more);
	UNIT_EQ(err, 0);
	err = taker_begin(&t, &reply);
	if (translated(ROBINNP_ID)) {
		UNIT_EQ(err, 0);
		CU_ASSERT(taker_stop(&t));
	} else {
		UNIT_EQ(err, -EOPNOTSUPP);
		UNIT_EQ(reply.reason, ROC_REASON_CONTIGUITY);
		UNIT_EQ(taker_info(&t).state, ROC_CH_STOPPED);
	}
	taker_close(&t);
	munmap(at, 1 << 20);
}

/* Without a buffer, and with system calls instead of the doorbell. */
static void without_host_pages(void)
{
	struct roc_fr_doorbell doorbell = {.size = sizeof(doorbell),
					   .what = ROC_FR_DOORBELL_FREE | ROC_FR_DOORBELL_COMMAND};
	struct taker t = {.pages = 64};
	struct taker_fragment h;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	UNIT_EQ(buffer_unregister(t.fd, t.numbers.handle), 0);
	taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 0, 0, 1);
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(UNIT_WAIT(taker_next(&t, &h), 5000));
	UNIT_EQ(outcome(&t, h.page, 0, ROC_FR_TRANSFER), ROC_FR_BAD_HOST_PAGE);
	taker_command(&t, h.page, 0, 9, ROC_FR_RELEASE);
	doorbell.free = t.free_count;
	doorbell.command = t.command_count;
	UNIT_EQ(abi(t.fd, ROC_FR_DOORBELL, &doorbell), 0);
	t.command_reported = t.command_count;
	UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DONE, 5000), 0);
	UNIT_EQ(taker_info(&t).doorbells, 2);
	UNIT_EQ(emu_sub(CARD0, 0, "releases"), 1);
	stop(&t);
}

UNIT_MAIN("fragment", {"every byte", every_byte}, {"shuffled", shuffled}, {"wraps", wraps},
	  {"truncated", truncated}, {"back-pressure", back_pressure},
	  {"invalid commands", invalid_commands},
	  {"invalid values of a reader", invalid_reader_values}, {"stops", stops},
	  {"stop of a reader that never sleeps", stop_of_polling_reader},
	  {"stop in full flow", stop_in_full_flow}, {"settings", settings}, {"refusals", refusals},
	  {"callers", callers}, {"result cannot be copied out", result_not_copied},
	  {"host pages", host_pages}, {"large host pages", large_host_pages},
	  {"without host pages", without_host_pages})
