// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Streams of cards that break their contract, and readers that lie: the run ends and says why, or
 * goes on; nobody else is touched, and what the card could still write to stays.
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

/* The run failed of this, everybody can see it, and a new start recovers. */
static void failed_of(struct reader *r, uint32_t reason)
{
	struct pollfd p = {.fd = r->fd, .events = POLLIN};

	CU_ASSERT(UNIT_WAIT(r->kernel->flags & ROC_ST_FAILED, 5000));
	CU_ASSERT(r->kernel->flags & ROC_ST_STOPPED);
	UNIT_EQ(reader_info(r).state, ROC_CH_FAILED);
	UNIT_EQ(reader_info(r).reason, reason);
	UNIT_EQ(poll(&p, 1, 0), 1);
	CU_ASSERT(p.revents & POLLERR && !(p.revents & POLLHUP));
	CU_ASSERT(emu_quiet(CARD0, 0, 30));
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
 * Positions that no ring has. The card counts from the read position that it knows; behind one that
 * the reader has left meanwhile they could be.
 */
static void beyond_the_ring(struct reader *r)
{
	reader_give(r, r->read, true);
	emu(CARD0, "fault 0 beyond-ring 1 1000000");
}

static void position_beyond_the_ring(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	beyond_the_ring(&r);
	/* The sleeper hears of it. */
	CU_ASSERT(UNIT_WAIT(reader_wait(&r, 5000) || r.kernel->flags, 15000));
	failed_of(&r, ROC_REASON_POSITION);
}

static void position_backwards(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	reader_generate(&r, 0, 1000, 1000, 0, 100, 0);
	UNIT_NEED(reader_start(&r));
	/* Nobody sleeps, so the last position that is told stays. */
	CU_ASSERT(UNIT_WAIT((reader_take(&r, true), r.events == 100), 5000));
	UNIT_EQ(reader_info(&r).written, r.read);
	/* 2^32 - 500: as if 500 lines back. */
	emu(CARD0, "fault 0 wrong-position 1 4294966796");
	reader_set(&r, STREAM_SET_LIMIT, 101);
	CU_ASSERT(UNIT_WAIT(r.kernel->flags & ROC_ST_FAILED, 5000));
	reader_set(&r, STREAM_SET_LIMIT, 0);
	failed_of(&r, ROC_REASON_POSITION);
}

/* Enabled, and nothing of this run in the page yet: that is where it begins, not position 0. */
static void first_state_late(void)
{
	struct reader r = {.ring = 64 * KIB, .position = 0x7fffff00};

	start(&r);
	emu(CARD0, "fault 0 state-late 1 1000000000");
	UNIT_NEED(reader_start(&r));
	UNIT_EQ(reader_there(&r), 0);
	UNIT_EQ(reader_wait(&r, 20), -ETIME);
	emu(CARD0, "fault 0 clear");
	CU_ASSERT(reader_run(&r, 100, 5000));
	READER_OK(&r);
	CU_ASSERT(reader_stop(&r));
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

/* Nobody sleeps or asks: the watchdog finds out. */
static void position_that_nobody_looks_at(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	UNIT_NEED(reader_start(&r));
	emu(CARD0, "fault 0 beyond-ring 1 1000000");
	failed_of(&r, ROC_REASON_POSITION);
}

/* The state that has the end has the last position, too: whoever stops hears if it cannot be. */
static void position_at_the_end(void)
{
	struct roc_st_stop stop = {.size = sizeof(stop)};
	struct reader r = {.ring = 64 * KIB};
	int err;

	start(&r);
	reader_generate(&r, 0, 1000, 1000, 0, 100, 0);
	UNIT_NEED(reader_start(&r));
	/* Nobody sleeps: no interrupt is asked for that would have somebody look. */
	CU_ASSERT(UNIT_WAIT((reader_take(&r, true), r.events == 100), 5000));
	reader_give(&r, r.read, true);
	CU_ASSERT(UNIT_WAIT(emu_stream(CARD0, 0, "read") == r.read, 2000));
	/* It is in the page before anybody stops it, and nothing follows. */
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
	CU_ASSERT(emu_quiet(CARD0, 0, 30));
	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	READER_OK(&r);
	CU_ASSERT(reader_stop(&r));
	reader_close(&r);
}

/* Who stops before the watchdog has looked is told, too, and soon. */
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
	CU_ASSERT(emu_quiet(CARD0, 0, 30));
}

/* An interrupt that never came: the watchdog wakes, counts, and the next one comes. */
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

/* Positions that no reader can have: they do not count, are counted, and it goes on. */
static void reader_that_lies(void)
{
	static const uint32_t lies[] = {1u << 31, ~0u, 1000000, 0x7fffffff};
	struct reader r = {.ring = 64 * KIB}, other = {.stream = P40_STREAM_ODIN};
	uint32_t before;
	size_t i, j;

	start(&r);
	UNIT_NEED(reader_open(&other));
	reader_generate(&other, 0, 64, 64, 1000, 0, 0);
	UNIT_NEED(reader_start(&other));
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	for (i = 0; i < N(lies); i++) {
		uint64_t bad = reader_info(&r).bad_index;

		before = r.read;
		reader_give(&r, before + lies[i], true);
		r.user->taken = lies[i];
		CU_ASSERT(UNIT_WAIT(reader_info(&r).bad_index > bad, 2000));
		UNIT_EQ(reader_info(&r).state, ROC_CH_RUNNING);
		/* The position counts once and the doorbell once, however often others look. */
		for (j = 0; j < 20; j++)
			node_count(P40_ID, 0, "ring_level");
		CU_ASSERT(reader_info(&r).bad_index <= bad + 2);
		reader_give(&r, before, false);
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

/* The doorbell alone, for several rings: an error of the reader, and not of the card. */
static void reader_that_rings_alone(void)
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
	/* As if nothing had been. */
	reader_give(&r, r.read, false);
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

/* Every byte on both sides of the border behind a part, the last of which is the ring's end. */
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
 * A ring in pieces, in an order that the card has to be told. Its table cannot be read, or not in
 * time, or takes its time. Behind an IOMMU there is none.
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
		/* Each try begins with a stream that is proved quiet, and so does the next run. */
		CU_ASSERT(emu_stream(CARD0, 0, "resets") >= resets + 4);
		emu(CARD0, "fault 0 load-slow 1 60000");
		UNIT_EQ(abi(r.fd, ROC_ST_START, &begin), -EIO);
		CU_ASSERT(emu_quiet(CARD0, 0, 30));
		emu(CARD0, "fault 0 load-slow 1 5");
		/* One that fails is tried again. */
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
 * Without the size of its segments the table would be taken for the ring: no data flow before it is
 * known that it arrived.
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

/* A card may carry out an enable later, and show nothing of it until then. */
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

/* Of the size that a server would give it: far out in it, too, each byte is where it belongs. */
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

static void end_that_never_comes(void)
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
	CU_ASSERT(emu_quiet(CARD0, 0, 30));
	reader_close(&r);
}

/*
 * A card that ignores its reset: without proof the bus is taken from it, and it is given back only
 * after one.
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
	CU_ASSERT(emu_quiet(CARD0, 0, 30));
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

/* Both run, and the first of them does not stop: it has room for more than a minute. */
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

/* Whoever asks is told again. */
static void does_not_stop_yet(const struct reader *r)
{
	struct roc_st_stop stop = {.size = sizeof(stop)};

	UNIT_EQ(abi(r->fd, ROC_ST_STOP, &stop), -EIO);
}

/* The card does as it should again; the neighbour never noticed. */
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

/* A neighbour needs the bus, and the card does not stop: who asked for it is told. */
static void stop_that_is_ignored(void)
{
	struct reader r = {.ring = 16 * MIB}, other = {.stream = P40_STREAM_ODIN};
	struct roc_st_stop stop = {.size = sizeof(stop)};

	start_one_that_does_not_stop(&r, &other);
	UNIT_EQ(abi(r.fd, ROC_ST_STOP, &stop), -EIO);
	does_not_stop_yet(&r);
	stops_after_all(&r, &other);
}

/* The same of a run that ended by itself: nobody was told before. */
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

/* Somebody switched it off: what it had is not in the ring, and nobody else looks meanwhile. */
static void stop_of_one_that_is_off(void)
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

/* The same, closed: the ring stays until it does. */
static void ring_held_while_the_card_may_write(void)
{
	struct reader r = {.ring = 16 * MIB}, other = {.stream = P40_STREAM_ODIN};
	struct reader again = {.ring = 64 * KIB};
	uint64_t written;

	start_one_that_does_not_stop(&r, &other);
	reader_close(&r);
	/* It still writes, and not outside of what is mapped. */
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

/* What is on its way when the stream is switched off arrives before the memory goes. */
static void late_writes(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	emu(CARD0, "fault 0 write-after-off 1 8");
	CU_ASSERT(reader_stop(&r));
	/* It has come, or cannot come. */
	CU_ASSERT(emu_stream(CARD0, 0, "stray_writes") == 1 || !bus_master(P40_ID));
	emu(CARD0, "fault all clear");
	r.event = 0;
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	emu(CARD0, "fault 0 reset-slow 1 3");
	reader_close(&r);
	CU_ASSERT(emu_quiet(CARD0, 0, 30));
	CU_ASSERT(emu_clean(CARD0));
}

/* A count that no time makes: whoever reads it, in sysfs or by the ABI, gets some number. */
static void cycles_that_cannot_be(void)
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
	  {"position that nobody looks at", position_that_nobody_looks_at},
	  {"position at the end", position_at_the_end}, {"all ones", all_ones},
	  {"stopped at all ones", stop_all_ones}, {"interrupts lost", interrupts_lost},
	  {"interrupts for nothing", interrupts_for_nothing}, {"doorbells lost", doorbells_lost},
	  {"reader that lies", reader_that_lies},
	  {"reader that rings alone", reader_that_rings_alone}, {"tables", tables},
	  {"segments lost", segments_lost}, {"enabled late", enabled_late},
	  {"large ring", large_ring}, {"end that never comes", end_that_never_comes},
	  {"reset ignored", reset_ignored}, {"stop that is ignored", stop_that_is_ignored},
	  {"end that is ignored", end_that_is_ignored},
	  {"stop of one that is off", stop_of_one_that_is_off},
	  {"ring held while the card may write", ring_held_while_the_card_may_write},
	  {"late writes", late_writes}, {"cycles that cannot be", cycles_that_cannot_be})
