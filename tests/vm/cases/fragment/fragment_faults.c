// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test sub-units of cards that violate their contract: the run goes on, or ends with a reason.
 * Other channels are unaffected, and memory that the card may still write to stays allocated.
 */
#include "fragment/fragment_case.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

static void start(struct taker *t, uint32_t rate, uint64_t limit)
{
	start_of(t, 64, 64, rate, limit);
}

static void end(struct taker *t)
{
	stop(t);
	CU_ASSERT(emu_clean(CARD0));
}

/* The run failed for this reason, sysfs shows it, and a new start recovers. */
static void failed_of(struct taker *t, uint32_t reason)
{
	struct pollfd p = {.fd = t->fd, .events = POLLIN};

	CU_ASSERT(UNIT_WAIT(t->kernel->flags & ROC_FR_FAILED, 15000));
	CU_ASSERT(t->kernel->flags & ROC_FR_STOPPED);
	UNIT_EQ(taker_info(t).state, ROC_CH_FAILED);
	UNIT_EQ(taker_info(t).reason, reason);
	UNIT_EQ(poll(&p, 1, 0), 1);
	CU_ASSERT(p.revents & POLLERR && !(p.revents & POLLHUP));
	CU_ASSERT(emu_idle(CARD0, 0, 30));
	emu(CARD0, "fault all clear");
	t->found.count = 0;
	taker_generate(t, TAKER_ALL_LINKS, 64, 64, 2000, 0, 0);
	UNIT_NEED(taker_start(t, 0));
	CU_ASSERT(taker_run(t, 500, 10000));
	stop(t);
}

/*
 * An entry that the card counts but that is not valid in memory: the run fails, and the reader
 * wakes up.
 */
static void hidden_descriptor(void)
{
	struct taker t = {.pages = 64};
	int64_t begun;

	start(&t, 0, 1);
	CU_ASSERT(taker_run(&t, 6, 5000));
	emu(CARD0, "fault 0 wrong-phase 1 1");
	taker_set(&t, 0, FRAGMENT_LINK_LIMIT, 2);
	begun = now_ms();
	/* It was woken, not timed out. */
	UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DATA, 60000), 0);
	CU_ASSERT(took_less(begun, 5000));
	failed_of(&t, ROC_REASON_RECORD);
}

static void hidden_completion(void)
{
	struct taker t = {.pages = 64};
	struct taker_fragment h;

	start(&t, 0, 1);
	CU_ASSERT(UNIT_WAIT(taker_next(&t, &h), 5000));
	emu(CARD0, "fault 0 done-wrong-phase 1 1");
	taker_command(&t, h.page, 0, 0, ROC_FR_TRANSFER);
	taker_ring(&t);
	UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DONE, 15000), 0);
	failed_of(&t, ROC_REASON_RECORD);
}

/*
 * A card may count an entry before it is in memory: a check at that moment must not report a hidden
 * entry.
 */
static void counted_early(void)
{
	const uint32_t counted = ROBINNP_SUB(0) + FRAGMENT_DESCRIPTORS;
	struct taker t = {.pages = 64};

	start(&t, 0, 1);
	CU_ASSERT(taker_run(&t, 6, 5000));
	t.user->descriptors = t.data_count;
	t.user->completions = t.done_count;
	UNIT_EQ(poll(&(struct pollfd){.fd = t.fd, .events = POLLIN}, 1, 0), 0);
	emu(CARD0, "fault 0 data-late 1 1000000000");
	emu(CARD0, "fault 0 count-early 1");
	taker_set(&t, 0, FRAGMENT_LINK_LIMIT, 4);
	CU_ASSERT(UNIT_WAIT(emu_peek(CARD0, 0, ROBINNP_BAR_DMA, counted) == 9, 5000));
	/* The reader's own invalid value makes the driver check the card at once. */
	t.bell->free = t.free_count + 1000000;
	CU_ASSERT(UNIT_WAIT(taker_info(&t).bad_index == 1, 5000));
	UNIT_EQ(taker_info(&t).state, ROC_CH_RUNNING);
	emu(CARD0, "fault all clear");
	CU_ASSERT(taker_run(&t, 9, 5000));
	stop(&t);
}

/*
 * Invalid contents of descriptors and completions are for the reader to detect; the kernel is
 * unaffected.
 */
static void invalid_entries(void)
{
	/* @found false: the reader cannot detect another valid page, or a missing entry. */
	static const struct {
		const char *fault;
		bool found;
	} faults[] = {
		{"page-range 1 3", false},  {"page-free 1 3", false},  {"size-big 1 100000", true},
		{"done-tag 1 3", true},	    {"done-twice 1 3", true},  {"done-lost 1 3", false},
		{"done-size 1 5000", true}, {"done-status 1 3", true}, {"flip 1 3", true},
		{"abort 1 3", true},
	};
	struct taker t = {.percent = 100}, other = {.sub = 1, .percent = 100};
	size_t i;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	UNIT_NEED(taker_open(&other));
	taker_generate(&other, TAKER_ALL_LINKS, 64, 64, 1000, 0, 0);
	UNIT_NEED(taker_start(&other, 0));
	for (i = 0; i < N(faults); i++) {
		t.found.count = 0;
		taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 2000, 0, 0);
		UNIT_NEED(taker_start(&t, 0));
		CU_ASSERT(taker_run(&t, 100, 5000));
		emu(CARD0, "fault 0 %s", faults[i].fault);
		/* Behind all entries that were there already. */
		taker_run(&t, t.fragments + 3000, 1000);
		if (faults[i].found && !t.found.count)
			unit_note("%s: not found", faults[i].fault);
		CU_ASSERT(t.found.count || !faults[i].found);
		emu(CARD0, "fault all clear");
		taker_stop(&t);
		UNIT_EQ(taker_info(&t).state, ROC_CH_STOPPED);
	}
	CU_ASSERT(taker_run(&other, other.fragments + 200, 10000));
	TAKER_OK(&other);
	taker_stop(&other);
	taker_close(&other);
	taker_close(&t);
	start(&t, 2000, 0);
	CU_ASSERT(taker_run(&t, 500, 10000));
	end(&t);
}

static void ring_that_cannot_be_read(void)
{
	struct taker t = {.pages = 64};

	start(&t, 0, 1);
	CU_ASSERT(taker_run(&t, 6, 5000));
	/* The card read what was released before, and stops. */
	CU_ASSERT(UNIT_WAIT(emu_sub(CARD0, 0, "frees_waiting") == 0, 5000));
	emu(CARD0, "fault 0 fetch-error 1 1");
	sleep_ms(20);
	taker_free(&t, ROC_FR_PAGE(0, 0));
	taker_ring(&t);
	/* The card has an interrupt vector for that. */
	CU_ASSERT(UNIT_WAIT(taker_info(&t).error_interrupts == 1, 15000));
	failed_of(&t, ROC_REASON_CARD);
}

static void tables(void)
{
	struct roc_fr_start reply;
	struct taker t = {.host_pages = 4096, .percent = 100};
	uint64_t resets;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	emu(CARD0, "fault 0 fetch-error 1 3");
	UNIT_EQ(taker_begin(&t, &reply), -EIO);
	UNIT_EQ(taker_info(&t).state, ROC_CH_STOPPED);
	emu(CARD0, "fault all clear");
	emu(CARD0, "fault 0 load-slow 1 20");
	taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 2000, 0, 0);
	/* A failed load is tried again, once the card is verified to be stopped. */
	emu(CARD0, "fault 0 fetch-error 1 1");
	resets = emu_sub(CARD0, 0, "resets");
	UNIT_NEED(taker_start(&t, 0));
	UNIT_EQ(emu_sub(CARD0, 0, "resets") - resets, 2);
	CU_ASSERT(taker_run(&t, 300, 10000));
	end(&t);
}

/* A card may carry out an enable later, and show no change until then. */
static void enabled_late(void)
{
	struct taker t = {.percent = 100};

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	emu(CARD0, "fault 0 enable-slow 1 5");
	taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 2000, 0, 0);
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(taker_run(&t, 100, 10000));
	end(&t);
}

static void all_ones(void)
{
	struct taker t = {.pages = 64};
	int64_t before = pins();

	start(&t, 2000, 0);
	CU_ASSERT(taker_run(&t, 100, 5000));
	emu(CARD0, "fault 0 all-ones");
	CU_ASSERT(UNIT_WAIT(t.kernel->flags & ROC_FR_FAILED, 15000));
	UNIT_EQ(taker_info(&t).reason, ROC_REASON_LOST);
	/*
	 * The card returns with its old state: the memory that it may write to is still allocated.
	 */
	emu(CARD0, "fault all clear");
	taker_close(&t);
	sleep_ms(20);
	CU_ASSERT(emu_clean(CARD0));
	start(&t, 2000, 0);
	CU_ASSERT(taker_run(&t, 100, 5000));
	end(&t);
	UNIT_EQ(pins(), before);
}

/* A stop before the watchdog's next turn reports the error, too. */
static void stop_all_ones(void)
{
	struct taker t = {.pages = 64};
	struct roc_fr_stop end = {.size = sizeof(end)};
	int err;

	start(&t, 2000, 0);
	CU_ASSERT(taker_run(&t, 100, 5000));
	emu(CARD0, "fault 0 all-ones");
	err = abi(t.fd, ROC_FR_STOP, &end);
	CU_ASSERT(err == -EIO || err == -EALREADY);
	UNIT_EQ(taker_info(&t).reason, ROC_REASON_LOST);
	emu(CARD0, "fault all clear");
	taker_close(&t);
	CU_ASSERT(emu_clean(CARD0));
}

static int stop_is_refused(void *arg)
{
	struct roc_fr_stop end = {.size = sizeof(end)};
	const struct taker *t = arg;

	return abi(t->fd, ROC_FR_STOP, &end) == -EIO ? 0 : 1;
}

#define STOP_MS 1000 /* time limit of a stop for outstanding writes, on every machine */

/* False: the test was delayed for longer than a stop waits, so nothing can be concluded. */
static bool stop_failed(void)
{
	struct roc_fr_settings set = {
		.size = sizeof(set), .set = ROC_FR_SET_DATA_COUNT, .data_count = 5};
	uint32_t data_count, links;
	struct taker t = {.pages = 64};
	int64_t begun;
	struct taker_fragment h;
	int ret, status;
	pid_t pid;

	start(&t, 0, 1);
	CU_ASSERT(UNIT_WAIT(taker_next(&t, &h), 5000));
	CU_ASSERT(UNIT_WAIT(emu_sub(CARD0, 0, "frees_waiting") == 0, 5000));
	emu(CARD0, "fault 0 done-late 1 60000000");
	taker_command(&t, h.page, 0, 0, ROC_FR_TRANSFER);
	taker_ring(&t);
	begun = now_ms();
	pid = child_start(AS_ROOT, stop_is_refused, &t);
	CU_ASSERT(UNIT_WAIT(!emu_peek(CARD0, 0, ROBINNP_BAR_DMA, ROBINNP_SUB(0) + FRAGMENT_LINKS) ||
				    now_ms() - begun >= STOP_MS,
			    5000));
	/* Settings of another thread must not let data through again. */
	ret = abi(t.fd, ROC_FR_SETTINGS, &set);
	data_count = emu_peek(CARD0, 0, ROBINNP_BAR_DMA, ROBINNP_SUB(0) + FRAGMENT_DATA_COUNT);
	links = emu_peek(CARD0, 0, ROBINNP_BAR_DMA, ROBINNP_SUB(0) + FRAGMENT_LINKS);
	emu(CARD0, "fault 0 fetch-error 1 1");
	taker_free(&t, ROC_FR_PAGE(0, 0));
	taker_ring(&t);
	status = child_wait(pid, 5000);
	/* A driver that only waited for the time limit is late each time. */
	if (now_ms() - begun >= STOP_MS) {
		emu(CARD0, "fault all clear");
		taker_close(&t);
		return false;
	}
	UNIT_EQ(status, 0);
	UNIT_EQ(ret, 0);
	UNIT_EQ(data_count, 5);
	UNIT_EQ(links, 0);
	failed_of(&t, ROC_REASON_CARD);
	return true;
}

/* The card disables itself during the stop: the stop must fail. */
static void stop_that_fails(void)
{
	unsigned int tries = 5;

	while (!stop_failed() && --tries)
		;
	CU_ASSERT(tries > 0);
}

/*
 * After a lost interrupt the watchdog wakes the reader and counts it, and the next interrupt
 * arrives.
 */
static void interrupts_lost(void)
{
	struct taker t = {.pages = 64};
	struct roc_fr_completion c;
	struct taker_fragment h;

	start(&t, 0, 1);
	CU_ASSERT(taker_run(&t, 6, 5000));
	UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DATA, 50), -ETIME);
	emu(CARD0, "fault 0 irq-lost 1 1");
	taker_set(&t, 0, FRAGMENT_LINK_LIMIT, 2);
	UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DATA, 10000), 0);
	CU_ASSERT(UNIT_WAIT(taker_info(&t).missed_interrupts == 1, 5000));
	CU_ASSERT(taker_next(&t, &h));
	UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DONE, 50), -ETIME);
	emu(CARD0, "fault 0 irq-lost 1 1");
	taker_command(&t, h.page, 0, 0, ROC_FR_TRANSFER);
	taker_ring(&t);
	UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DONE, 10000), 0);
	CU_ASSERT(UNIT_WAIT(taker_info(&t).missed_interrupts == 2, 5000));
	CU_ASSERT(UNIT_WAIT(taker_finished(&t, &c), 1000));
	UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DATA, 50), -ETIME);
	taker_set(&t, 0, FRAGMENT_LINK_LIMIT, 3);
	UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DATA, 10000), 0);
	UNIT_EQ(taker_info(&t).missed_interrupts, 2);
	end(&t);
}

static void interrupts_for_nothing(void)
{
	struct taker t = {.pages = 64};
	int i;

	start(&t, 0, 1);
	CU_ASSERT(taker_run(&t, 6, 5000));
	emu(CARD0, "fault 0 irq-spurious 5");
	for (i = 0; i < 5; i++)
		UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DATA, 20), -ETIME);
	CU_ASSERT(UNIT_WAIT(taker_info(&t).spurious_interrupts > 3, 2000));
	emu(CARD0, "fault all clear");
	taker_set(&t, 3, FRAGMENT_LINK_LIMIT, 50);
	CU_ASSERT(taker_run(&t, 6 + 49, 5000));
	UNIT_EQ(taker_info(&t).missed_interrupts, 0);
	end(&t);
}

/* A command is never completed: the stop fails within its time limit. */
static void completion_lost(void)
{
	struct roc_fr_stop s = {.size = sizeof(s)};
	struct taker t = {.pages = 64};
	struct taker_fragment h;
	int64_t begun;

	start(&t, 0, 1);
	CU_ASSERT(UNIT_WAIT(taker_next(&t, &h), 5000));
	emu(CARD0, "fault 0 done-late 1 60000000");
	taker_command(&t, h.page, 0, 0, ROC_FR_TRANSFER);
	taker_ring(&t);
	begun = now_ms();
	UNIT_EQ(abi(t.fd, ROC_FR_STOP, &s), 0);
	UNIT_EQ(s.lost, 1);
	CU_ASSERT(now_ms() - begun >= 900 && took_less(begun, 3000));
	emu(CARD0, "fault all clear");
	taker_close(&t);
	CU_ASSERT(emu_idle(CARD0, 0, 30));
}

/*
 * A card that ignores its reset: without verified quiescence the driver disables bus mastering, and
 * enables it only after a verified reset.
 */
static void reset_ignored(void)
{
	struct roc_fr_start reply;
	struct taker t = {.pages = 64};

	start(&t, 2000, 0);
	CU_ASSERT(taker_run(&t, 100, 5000));
	emu(CARD0, "fault 0 reset-ignored 1");
	CU_ASSERT(taker_stop(&t));
	CU_ASSERT(!bus_master(ROBINNP_ID));
	CU_ASSERT(emu_idle(CARD0, 0, 30));
	UNIT_EQ(taker_begin(&t, &reply), -EIO);
	emu(CARD0, "fault all clear");
	taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 2000, 0, 0);
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(taker_run(&t, 100, 5000));
	end(&t);
}

/* Both run, and the first one ignores the stop: it has pages for a while. */
static void start_one_that_does_not_stop(struct taker *t, struct taker *other)
{
	start(t, 200, 0);
	UNIT_NEED(taker_open(other));
	taker_generate(other, TAKER_ALL_LINKS, 64, 64, 1000, 0, 0);
	UNIT_NEED(taker_start(other, 0));
	CU_ASSERT(taker_run(t, 100, 5000));
	emu(CARD0, "fault 0 reset-ignored 1");
}

/* Another channel needs bus mastering and the card does not stop: the stop fails. */
static void stop_that_is_ignored(void)
{
	struct taker t = {.pages = 4096}, other = {.sub = 1, .percent = 50};
	struct roc_fr_stop end = {.size = sizeof(end)};
	int64_t before = pins();

	start_one_that_does_not_stop(&t, &other);
	UNIT_EQ(abi(t.fd, ROC_FR_STOP, &end), -EIO);
	end = (struct roc_fr_stop){.size = sizeof(end)};
	UNIT_EQ(abi(t.fd, ROC_FR_STOP, &end), -EIO);
	emu(CARD0, "fault all clear");
	end = (struct roc_fr_stop){.size = sizeof(end)};
	UNIT_EQ(abi(t.fd, ROC_FR_STOP, &end), -EALREADY);
	CU_ASSERT(taker_run(&other, other.fragments + 50, 5000));
	taker_close(&t);
	/* The next open verifies quiescence. */
	UNIT_NEED(taker_open(&t));
	taker_close(&t);
	TAKER_OK(&other);
	CU_ASSERT(taker_stop(&other));
	taker_close(&other);
	UNIT_EQ(pins(), before);
	CU_ASSERT(emu_clean(CARD0));
}

/* The same after close: rings and host pages stay allocated until the card stops. */
static void memory_kept_while_card_may_write(void)
{
	struct taker t = {.pages = 4096}, other = {.sub = 1, .percent = 50}, again = {.pages = 64};
	int64_t before = pins();
	uint64_t written;

	start_one_that_does_not_stop(&t, &other);
	taker_close(&t);
	CU_ASSERT(pins() >= before + 64 / 2);
	/* It still writes, within its mapped memory. */
	written = emu_sub(CARD0, 0, "descriptors");
	CU_ASSERT(taker_run(&other, other.fragments + 50, 5000));
	CU_ASSERT(UNIT_WAIT(emu_sub(CARD0, 0, "descriptors") > written, 5000));
	CU_ASSERT(emu_clean(CARD0));
	emu(CARD0, "fault all clear");
	UNIT_NEED(taker_open(&again));
	taker_generate(&again, TAKER_ALL_LINKS, 64, 64, 2000, 0, 0);
	UNIT_NEED(taker_start(&again, 0));
	CU_ASSERT(taker_run(&again, 100, 5000));
	TAKER_OK(&other);
	CU_ASSERT(taker_stop(&other));
	taker_close(&other);
	end(&again);
	UNIT_EQ(pins(), before);
}

/* Writes in flight when the sub-unit is disabled arrive before the memory is freed. */
static void late_writes(void)
{
	struct taker t = {.pages = 64, .percent = 50};

	start(&t, 2000, 0);
	CU_ASSERT(taker_run(&t, 100, 5000));
	emu(CARD0, "fault 0 write-after-off 1 8");
	CU_ASSERT(taker_stop(&t));
	/* It arrived, or cannot arrive any more. */
	CU_ASSERT(emu_sub(CARD0, 0, "stray_writes") == 1 || !bus_master(ROBINNP_ID));
	emu(CARD0, "fault all clear");
	taker_close(&t);
	start(&t, 2000, 0);
	CU_ASSERT(taker_run(&t, 100, 5000));
	emu(CARD0, "fault 0 reset-slow 1 3");
	taker_close(&t);
	CU_ASSERT(emu_idle(CARD0, 0, 30));
	CU_ASSERT(emu_clean(CARD0));
}

UNIT_MAIN("fragment_faults", {"hidden descriptor", hidden_descriptor},
	  {"hidden completion", hidden_completion}, {"counted early", counted_early},
	  {"invalid entries", invalid_entries},
	  {"ring that cannot be read", ring_that_cannot_be_read}, {"tables", tables},
	  {"enabled late", enabled_late}, {"all ones", all_ones},
	  {"stopped at all ones", stop_all_ones}, {"stop that fails", stop_that_fails},
	  {"interrupts lost", interrupts_lost}, {"interrupts for nothing", interrupts_for_nothing},
	  {"completion lost", completion_lost}, {"reset ignored", reset_ignored},
	  {"stop that is ignored", stop_that_is_ignored},
	  {"memory kept while the card may write", memory_kept_while_card_may_write},
	  {"late writes", late_writes})
