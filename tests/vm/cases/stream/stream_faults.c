// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test streams of cards that violate their contract, and readers with invalid positions: the run
 * goes on, or ends with a reason. Other channels are unaffected, and memory that the card may still
 * write to stays allocated.
 */
#include "common/case.h"
#include "common/reader.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static void start(struct reader *r)
{
	emu_normal_p40(CARD0);
	UNIT_NEED(reader_open(r));
	reader_generate(r, 0, 1000, 1000, 20000, 0, 0);
}

/* The run failed for this reason, sysfs shows it, and a new start recovers. */
static void failed_of(struct reader *r, uint32_t reason)
{
	struct pollfd p = {.fd = r->fd, .events = POLLIN};

	CU_ASSERT(UNIT_WAIT(r->kernel->flags & ROC_ST_FAILED, 5000));
	CU_ASSERT(r->kernel->flags & ROC_ST_STOPPED);
	UNIT_EQ(reader_info(r).state, ROC_CH_FAILED);
	UNIT_EQ(reader_info(r).reason, reason);
	UNIT_EQ(poll(&p, 1, 0), 1);
	CU_ASSERT(p.revents & POLLERR && !(p.revents & POLLHUP));
	CU_ASSERT(emu_idle(CARD0, 0, 30));
	emu(CARD0, "fault all clear");
	r->found.count = 0;
	r->event = 0;
	UNIT_NEED(reader_start(r));
	CU_ASSERT(reader_run(r, 200, 5000));
	READER_OK(r);
	CU_ASSERT(reader_stop(r));
	reader_close(r);
	CU_ASSERT(emu_clean(CARD0));
}

/*
 * The card reports positions outside of the ring. It counts from the last read position that it
 * got; behind a later one of the reader they would be possible.
 */
static void beyond_the_ring(struct reader *r)
{
	reader_consume(r, r->read, true);
	emu(CARD0, "fault 0 beyond-ring 1 1000000");
}

static void position_beyond_the_ring(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	beyond_the_ring(&r);
	/* The sleeping reader wakes up. */
	CU_ASSERT(UNIT_WAIT(reader_wait(&r, 5000) || r.kernel->flags, 15000));
	failed_of(&r, ROC_REASON_POSITION);
}

static void position_backwards(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	reader_generate(&r, 0, 1000, 1000, 0, 100, 0);
	UNIT_NEED(reader_start(&r));
	/* No reader sleeps, so the last reported position stays. */
	CU_ASSERT(UNIT_WAIT((reader_take(&r, true), r.events == 100), 5000));
	UNIT_EQ(reader_info(&r).written, r.read);
	/* 2^32 - 500: like 500 lines back. */
	emu(CARD0, "fault 0 wrong-position 1 4294966796");
	reader_set(&r, STREAM_SET_LIMIT, 101);
	CU_ASSERT(UNIT_WAIT(r.kernel->flags & ROC_ST_FAILED, 5000));
	reader_set(&r, STREAM_SET_LIMIT, 0);
	failed_of(&r, ROC_REASON_POSITION);
}

/*
 * The stream is enabled, and its page has no position of this run yet: the run begins there, not at
 * 0.
 */
static void first_state_late(void)
{
	struct reader r = {.ring = 64 * KIB, .position = 0x7fffff00};

	start(&r);
	emu(CARD0, "fault 0 state-late 1 1000000000");
	UNIT_NEED(reader_start(&r));
	UNIT_EQ(reader_available(&r), 0);
	UNIT_EQ(reader_wait(&r, 20), -ETIME);
	emu(CARD0, "fault 0 clear");
	CU_ASSERT(reader_run(&r, 100, 5000));
	READER_OK(&r);
	CU_ASSERT(reader_stop(&r));
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

/* No reader sleeps or polls: the watchdog detects the position. */
static void position_without_waiter(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	UNIT_NEED(reader_start(&r));
	emu(CARD0, "fault 0 beyond-ring 1 1000000");
	failed_of(&r, ROC_REASON_POSITION);
}

/* The state with ENDED has the last position, too: a stop reports an impossible one. */
static void position_at_the_end(void)
{
	struct roc_st_stop stop = {.size = sizeof(stop)};
	struct reader r = {.ring = 64 * KIB};
	int err;

	start(&r);
	reader_generate(&r, 0, 1000, 1000, 0, 100, 0);
	UNIT_NEED(reader_start(&r));
	/* No reader sleeps, so the driver arms no interrupt that would detect it. */
	CU_ASSERT(UNIT_WAIT((reader_take(&r, true), r.events == 100), 5000));
	reader_consume(&r, r.read, true);
	CU_ASSERT(UNIT_WAIT(emu_stream(CARD0, 0, "read") == r.read, 2000));
	/* The state is in the page before the stop, and nothing follows. */
	emu(CARD0, "fault 0 end-missing 1");
	emu(CARD0, "fault 0 end-early 1 1");
	emu(CARD0, "fault 0 beyond-ring 1 1");
	reader_set(&r, STREAM_SET_LIMIT, 101);
	CU_ASSERT(UNIT_WAIT(r.state->status & htole32(STREAM_STATUS_ENDED), 5000));
	err = abi(r.fd, ROC_ST_STOP, &stop);
	/* The watchdog may have been faster. */
	CU_ASSERT(err == -EIO || err == -EALREADY);
	reader_set(&r, STREAM_SET_LIMIT, 0);
	failed_of(&r, ROC_REASON_POSITION);
}

static void all_ones(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	emu(CARD0, "fault 0 all-ones");
	CU_ASSERT(UNIT_WAIT(r.kernel->flags & ROC_ST_FAILED, 15000));
	UNIT_EQ(reader_info(&r).reason, ROC_REASON_LOST);
	emu(CARD0, "fault all clear");
	reader_close(&r);
	CU_ASSERT(emu_idle(CARD0, 0, 30));
	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	READER_OK(&r);
	CU_ASSERT(reader_stop(&r));
	reader_close(&r);
}

/* A stop before the watchdog's next turn reports the error, too, and soon. */
static void stop_all_ones(void)
{
	struct roc_st_stop stop = {.size = sizeof(stop)};
	struct reader r = {.ring = 64 * KIB};
	int64_t begun;
	int err;

	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	begun = now_ms();
	emu(CARD0, "fault 0 all-ones");
	err = abi(r.fd, ROC_ST_STOP, &stop);
	CU_ASSERT(err == -EIO || err == -EALREADY);
	CU_ASSERT(took_less(begun, 2000));
	UNIT_EQ(reader_info(&r).reason, ROC_REASON_LOST);
	emu(CARD0, "fault all clear");
	reader_close(&r);
	CU_ASSERT(emu_idle(CARD0, 0, 30));
}

/*
 * After a lost interrupt the watchdog wakes the reader and counts it, and the next interrupt
 * arrives.
 */
static void interrupts_lost(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	reader_set(&r, STREAM_SET_GENERATOR, 0);
	while (!reader_wait(&r, 100))
		reader_take(&r, true);
	emu(CARD0, "fault 0 irq-lost 1 1");
	reader_set(&r, STREAM_SET_GENERATOR, STREAM_GENERATOR_RUN);
	UNIT_EQ(reader_wait(&r, 5000), 0);
	CU_ASSERT(UNIT_WAIT(reader_info(&r).missed_interrupts == 1, 3000));
	CU_ASSERT(reader_stop(&r));
	reader_close(&r);
}

static void interrupts_for_nothing(void)
{
	struct reader r = {.ring = 64 * KIB};
	int i;

	start(&r);
	reader_generate(&r, 0, 1000, 1000, 0, 100, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	emu(CARD0, "fault 0 irq-spurious 5");
	for (i = 0; i < 5; i++)
		UNIT_EQ(reader_wait(&r, 20), -ETIME);
	CU_ASSERT(UNIT_WAIT(reader_info(&r).spurious_interrupts > 3, 2000));
	emu(CARD0, "fault all clear");
	reader_set(&r, STREAM_SET_LIMIT, 200);
	CU_ASSERT(reader_run(&r, 200, 5000));
	READER_OK(&r);
	CU_ASSERT(reader_stop(&r));
	reader_close(&r);
}

static void doorbells_lost(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	UNIT_NEED(reader_start(&r));
	emu(CARD0, "fault 0 lost-doorbell 1 3");
	CU_ASSERT(reader_run(&r, 2000, 20000));
	READER_OK(&r);
	CU_ASSERT(reader_stop(&r));
	reader_close(&r);
}

/* Impossible positions of a reader have no effect, are counted, and data flow on. */
static void invalid_reader_positions(void)
{
	static const uint32_t invalid[] = {1u << 31, ~0u, 1000000, 0x7fffffff};
	struct reader r = {.ring = 64 * KIB}, other = {.stream = P40_STREAM_ODIN};
	uint32_t before;
	size_t i, j;

	start(&r);
	UNIT_NEED(reader_open(&other));
	reader_generate(&other, 0, 64, 64, 1000, 0, 0);
	UNIT_NEED(reader_start(&other));
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	for (i = 0; i < N(invalid); i++) {
		uint64_t bad = reader_info(&r).bad_index;

		before = r.read;
		reader_consume(&r, before + invalid[i], true);
		r.user->taken = invalid[i];
		CU_ASSERT(UNIT_WAIT(reader_info(&r).bad_index > bad, 2000));
		UNIT_EQ(reader_info(&r).state, ROC_CH_RUNNING);
		/* The position counts once and the doorbell once, however often others poll. */
		for (j = 0; j < 20; j++)
			node_count(P40_ID, 0, "ring_level");
		CU_ASSERT(reader_info(&r).bad_index <= bad + 2);
		reader_consume(&r, before, false);
		CU_ASSERT(reader_run(&r, r.events + 50, 5000));
		CU_ASSERT(reader_run(&other, other.events + 1, 5000));
	}
	READER_OK(&r);
	READER_OK(&other);
	CU_ASSERT(reader_stop(&r));
	CU_ASSERT(reader_stop(&other));
	reader_close(&r);
	reader_close(&other);
	CU_ASSERT(emu_clean(CARD0));
}

/* The doorbell alone, for several rings, is an error of the reader and not of the card. */
static void doorbell_without_position(void)
{
	struct roc_st_consume none = {.size = sizeof(none)};
	struct reader r = {.ring = 64 * KIB};
	int64_t end;

	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	UNIT_EQ(reader_info(&r).bad_index, 0);
	end = now_ms() + patience_ms(10000);
	while (r.events < 500 && !r.found.count && now_ms() < end)
		if (reader_take(&r, false))
			*r.bell = htole32(r.read);
	CU_ASSERT(UNIT_WAIT(reader_info(&r).bad_index > 0, 2000));
	UNIT_EQ(reader_info(&r).state, ROC_CH_RUNNING);
	UNIT_EQ(abi(r.fd, ROC_ST_CONSUME, &none), 0);
	CU_ASSERT(none.available <= reader_lines(&r));
	/* The next run is unaffected. */
	reader_consume(&r, r.read, false);
	CU_ASSERT(reader_run(&r, r.events + 500, 5000));
	READER_OK(&r);
	CU_ASSERT(reader_stop(&r));
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

static bool shuffled(void)
{
	char line[2048] = "";
	FILE *f = fopen("/proc/cmdline", "re");

	if (f && !fgets(line, sizeof(line), f))
		line[0] = '\0';
	if (f)
		fclose(f);
	return strstr(line, "page_alloc.shuffle=1");
}

/*
 * Check every byte on both sides of each border between parts; the last border is the ring's end.
 */
static void over_the_border(struct reader *r, unsigned int part, unsigned int parts)
{
	uint32_t lines = reader_lines(r) / parts;

	r->position = part * lines + lines - 128 * KIB / ROC_ST_LINE;
	r->event = 0;
	UNIT_NEED(reader_start(r));
	CU_ASSERT(reader_run(r, 300, 5000));
	CU_ASSERT(r->read - part * lines > lines + 128 * KIB / ROC_ST_LINE);
	CU_ASSERT(reader_stop(r));
	READER_OK(r);
}

/*
 * A ring in several segments, whose table the card must load. The load fails, times out, or is
 * slow. Behind an IOMMU the ring is one segment.
 */
static void tables(void)
{
	struct roc_st_start begin = {.size = sizeof(begin)};
	struct reader r = {.ring = 16 * MIB};
	uint64_t resets;
	unsigned int i;

	start(&r);
	unit_note("%u segments", r.made.segments);
	CU_ASSERT(translated(P40_ID) ? r.made.segments == 1 : r.made.segments > 1 || !shuffled());
	if (r.made.segments > 1) {
		resets = emu_stream(CARD0, 0, "resets");
		emu(CARD0, "fault 0 fetch-error 1 3");
		UNIT_EQ(abi(r.fd, ROC_ST_START, &begin), -EIO);
		UNIT_EQ(reader_info(&r).state, ROC_CH_STOPPED);
		UNIT_EQ(emu_stream(CARD0, 0, "fetch_errors"), 3);
		/* Each try, and the next run, begins with a stream whose quiescence is verified. */
		CU_ASSERT(emu_stream(CARD0, 0, "resets") >= resets + 4);
		emu(CARD0, "fault 0 load-slow 1 60000");
		UNIT_EQ(abi(r.fd, ROC_ST_START, &begin), -EIO);
		CU_ASSERT(emu_idle(CARD0, 0, 30));
		emu(CARD0, "fault 0 load-slow 1 5");
		/* A failed load is tried again. */
		emu(CARD0, "fault 0 fetch-error 1 1");
	}
	for (i = 0; i < r.made.segments; i++)
		over_the_border(&r, i, r.made.segments);
	UNIT_EQ(emu_stream(CARD0, 0, "fetch_errors"), r.made.segments > 1 ? 4 : 0);
	emu(CARD0, "fault all clear");
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

/*
 * Without the size of its segments the card would use the table as the ring: the driver lets no
 * data flow before it has verified that the size arrived.
 */
static void segments_lost(void)
{
	struct reader r = {.ring = 16 * MIB};

	start(&r);
	reader_set(&r, STREAM_SET_GENERATOR, 0);
	if (r.made.segments > 1) {
		emu(CARD0, "fault 0 lost-segments 1 2");
		UNIT_NEED(reader_start(&r));
		UNIT_NEED(emu_peek(CARD0, 0, P40_BAR_DMA, P40_STREAM(0) + STREAM_SEGMENT_SIZE) !=
			  0);
		reader_generate(&r, 0, 1000, 1000, 20000, 0, 0);
		CU_ASSERT(reader_run(&r, 200, 5000));
		CU_ASSERT(reader_stop(&r));
		READER_OK(&r);
	}
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

/* A card may carry out an enable later, and show no change until then. */
static void enabled_late(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	emu(CARD0, "fault 0 enable-slow 1 5");
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	CU_ASSERT(reader_stop(&r));
	READER_OK(&r);
	emu(CARD0, "fault all clear");
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

/* A ring as long as on a server: each byte far inside is in its place, too. */
static void large_ring(void)
{
	struct reader r = {.ring = 256 * MIB};
	unsigned int i;

	start(&r);
	UNIT_EQ(r.made.ring_length, 2 * r.ring);
	unit_note("%u segments", r.made.segments);
	for (i = 0; i < 8; i++)
		over_the_border(&r, i, 8);
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

static void end_missing(void)
{
	struct reader r = {.ring = 64 * KIB};
	int64_t begun;

	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	emu(CARD0, "fault 0 end-missing 1");
	begun = now_ms();
	CU_ASSERT(reader_stop(&r));
	CU_ASSERT(took_less(begun, 2000));
	CU_ASSERT(emu_idle(CARD0, 0, 30));
	reader_close(&r);
}

/*
 * A card that ignores its reset: without verified quiescence the driver disables bus mastering, and
 * enables it only after a verified reset.
 */
static void reset_ignored(void)
{
	struct roc_st_start begin = {.size = sizeof(begin)};
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	emu(CARD0, "fault 0 reset-ignored 1");
	CU_ASSERT(reader_stop(&r));
	CU_ASSERT(!bus_master(P40_ID));
	CU_ASSERT(emu_idle(CARD0, 0, 30));
	UNIT_EQ(abi(r.fd, ROC_ST_START, &begin), -EIO);
	emu(CARD0, "fault all clear");
	r.event = 0;
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	READER_OK(&r);
	CU_ASSERT(reader_stop(&r));
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

/* Both run, and the first one ignores the stop: its ring has space for more than a minute. */
static void start_one_that_does_not_stop(struct reader *r, struct reader *other)
{
	start(r);
	reader_generate(r, 0, 1000, 1000, 200, 0, 0);
	UNIT_NEED(reader_open(other));
	reader_generate(other, 0, 64, 64, 1000, 0, 0);
	UNIT_NEED(reader_start(other));
	UNIT_NEED(reader_start(r));
	CU_ASSERT(reader_run(r, 100, 5000));
	emu(CARD0, "fault 0 reset-ignored 1");
}

/* Each further stop fails again. */
static void does_not_stop_yet(const struct reader *r)
{
	struct roc_st_stop stop = {.size = sizeof(stop)};

	UNIT_EQ(abi(r->fd, ROC_ST_STOP, &stop), -EIO);
}

/* The card obeys again; the neighbour was unaffected. */
static void stops_after_all(struct reader *r, struct reader *other)
{
	struct roc_st_stop stop = {.size = sizeof(stop)};

	emu(CARD0, "fault all clear");
	UNIT_EQ(abi(r->fd, ROC_ST_STOP, &stop), -EALREADY);
	CU_ASSERT(reader_run(other, 10, 5000));
	reader_close(r);
	CU_ASSERT(reader_stop(other));
	reader_close(other);
	CU_ASSERT(emu_clean(CARD0));
}

/* Another channel needs bus mastering and the card does not stop: the stop fails. */
static void stop_that_is_ignored(void)
{
	struct reader r = {.ring = 16 * MIB}, other = {.stream = P40_STREAM_ODIN};
	struct roc_st_stop stop = {.size = sizeof(stop)};

	start_one_that_does_not_stop(&r, &other);
	UNIT_EQ(abi(r.fd, ROC_ST_STOP, &stop), -EIO);
	does_not_stop_yet(&r);
	stops_after_all(&r, &other);
}

/* The same for a run that failed by itself, without an earlier stop. */
static void end_that_is_ignored(void)
{
	struct reader r = {.ring = 16 * MIB}, other = {.stream = P40_STREAM_ODIN};
	int64_t end;

	start_one_that_does_not_stop(&r, &other);
	beyond_the_ring(&r);
	end = now_ms() + patience_ms(15000);
	while (!reader_wait(&r, 5000) && !r.kernel->flags && now_ms() < end)
		reader_take(&r, false);
	CU_ASSERT(UNIT_WAIT(r.kernel->flags & ROC_ST_FAILED, 15000));
	does_not_stop_yet(&r);
	stops_after_all(&r, &other);
}

/*
 * Another process disabled the stream: its data are not in the ring, and nothing else polls
 * meanwhile.
 */
static void stop_of_disabled_stream(void)
{
	struct roc_st_stop stop = {.size = sizeof(stop)};
	struct reader r = {.ring = 64 * KIB};
	int ep = node_open(P40_ID, -1), err;

	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	UNIT_EQ(reg_write(ep, P40_BAR_DMA, P40_STREAM(0) + BLOCK_CONTROL, 0), 0);
	close(ep);
	err = abi(r.fd, ROC_ST_STOP, &stop);
	CU_ASSERT(err == -EIO || err == -EALREADY);
	failed_of(&r, ROC_REASON_CARD);
}

/* The same after close: the ring stays allocated until the card stops. */
static void ring_kept_while_card_may_write(void)
{
	struct reader r = {.ring = 16 * MIB}, other = {.stream = P40_STREAM_ODIN};
	struct reader again = {.ring = 64 * KIB};
	uint64_t written;

	start_one_that_does_not_stop(&r, &other);
	reader_close(&r);
	/* It still writes, within its mapped memory. */
	written = emu_stream(CARD0, 0, "units");
	CU_ASSERT(UNIT_WAIT(emu_stream(CARD0, 0, "units") > written, 5000));
	CU_ASSERT(emu_clean(CARD0));
	emu(CARD0, "fault all clear");
	CU_ASSERT(reader_run(&other, 10, 5000));
	UNIT_NEED(reader_open(&again));
	reader_generate(&again, 0, 1000, 1000, 20000, 0, 0);
	UNIT_NEED(reader_start(&again));
	CU_ASSERT(reader_run(&again, 100, 5000));
	READER_OK(&again);
	CU_ASSERT(reader_stop(&again));
	CU_ASSERT(reader_stop(&other));
	reader_close(&again);
	reader_close(&other);
	CU_ASSERT(emu_clean(CARD0));
}

/* Writes in flight when the stream is disabled arrive before the memory is freed. */
static void late_writes(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	emu(CARD0, "fault 0 write-after-off 1 8");
	CU_ASSERT(reader_stop(&r));
	/* It arrived, or cannot arrive any more. */
	CU_ASSERT(emu_stream(CARD0, 0, "stray_writes") == 1 || !bus_master(P40_ID));
	emu(CARD0, "fault all clear");
	r.event = 0;
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	emu(CARD0, "fault 0 reset-slow 1 3");
	reader_close(&r);
	CU_ASSERT(emu_idle(CARD0, 0, 30));
	CU_ASSERT(emu_clean(CARD0));
}

/* An impossible count of cycles: readers of sysfs or the ABI get some number. */
static void impossible_cycles(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	emu(CARD0, "fault 0 cycles-wrong 1");
	CU_ASSERT(UNIT_WAIT(reader_info(&r).card.throttle_time, 5000));
	CU_ASSERT(atoll(node_attr(P40_ID, 0, "throttle_time")) != 0);
	CU_ASSERT(reader_run(&r, 200, 5000));
	CU_ASSERT(reader_stop(&r));
	CU_ASSERT(reader_info(&r).card.truncate_time != 0);
	emu(CARD0, "fault all clear");
	READER_OK(&r);
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

UNIT_MAIN("stream_faults", {"position beyond the ring", position_beyond_the_ring},
	  {"position backwards", position_backwards}, {"first state late", first_state_late},
	  {"invalid position without a waiter", position_without_waiter},
	  {"position at the end", position_at_the_end}, {"all ones", all_ones},
	  {"stopped at all ones", stop_all_ones}, {"interrupts lost", interrupts_lost},
	  {"interrupts for nothing", interrupts_for_nothing}, {"doorbells lost", doorbells_lost},
	  {"invalid positions of a reader", invalid_reader_positions},
	  {"doorbell without a position", doorbell_without_position}, {"tables", tables},
	  {"segments lost", segments_lost}, {"enabled late", enabled_late},
	  {"large ring", large_ring}, {"end missing", end_missing},
	  {"reset ignored", reset_ignored}, {"stop that is ignored", stop_that_is_ignored},
	  {"end that is ignored", end_that_is_ignored},
	  {"stop of a disabled stream", stop_of_disabled_stream},
	  {"ring kept while the card may write", ring_kept_while_card_may_write},
	  {"late writes", late_writes}, {"impossible count of cycles", impossible_cycles})
