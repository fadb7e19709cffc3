// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the reader loop of roc-bench-dma with a simulated driver: two rings in memory, and a card
 * that fills superpages while the reader sleeps.
 */
#include "unit.h"

#include <errno.h>
#include <inttypes.h>

#include "utils/common/clock.h"
#include "utils/common/tool.h"
#include "utils/dma/bench.h"

#define COUNT 20 /* superpages */
#define RING 32
#define SUPERPAGE 32768

struct roc_channel {
	struct roc_rings rings;
	struct roc_ring_user user;
	struct roc_ring_kernel kernel;
	struct roc_fill fill[RING];
	struct roc_ready ready[RING];
};

static struct roc_channel channel;
static char memory[COUNT * SUPERPAGE] __attribute__((aligned(64)));
static struct bench_options options;
static struct bench bench;

/* Actions of the driver at the next sleep, and its counters. */
static struct {
	unsigned int per_sleep, left; /* superpages */
	uint32_t counter, received;
	uint64_t sequence, bytes, superpages;
	int wait_error; /* result of roc_channel_wait() when nothing is left */
	bool interrupt; /* a signal arrives when nothing is left */
	bool requested; /* the signal arrived */
	int stop_error; /* result of roc_channel_stop() */
	struct roc_ch_info info;
	unsigned int sleeps, polls, kicks;
	unsigned int min_ready; /* wake threshold of the last sleep */
	long pause_ns;		/* duration of each sleep */
	uint64_t time;
} driver;

static void complete(uint32_t flags, uint32_t received)
{
	struct roc_rings *r = &channel.rings;
	struct roc_ring_kernel *k = &channel.kernel;
	const struct roc_fill *f = &channel.fill[k->fill_cons & r->fill_mask];
	uint32_t *data = (uint32_t *)(memory + f->offset), i;

	UNIT_NEED(k->fill_cons != channel.user.fill_prod);
	UNIT_NEED(k->ready_prod - channel.user.ready_cons < RING);
	UNIT_NEED(f->offset + f->length <= sizeof(memory));
	if (flags & ROC_READY_FILLED) {
		for (i = 0; i < received / 4; i++)
			data[i] = driver.counter + i / 8;
		driver.counter += received / 32;
		driver.bytes += received;
		driver.superpages++;
	}
	channel.ready[k->ready_prod & r->ready_mask] = (struct roc_ready){
		.cookie = f->cookie,
		.offset = f->offset,
		.time = driver.time ? driver.time : now_ns(),
		.sequence = driver.sequence++,
		.buffer = f->buffer,
		.length = f->length,
		.received = flags & ROC_READY_FILLED ? received : 0,
		.link = 2,
		.flags = flags,
		.reason = flags & ROC_READY_REFUSED ? ROC_REASON_RANGE : ROC_REASON_NONE,
		.run = 1,
	};
	k->fill_cons++;
	k->ready_prod++;
}

static uint32_t waiting(void)
{
	return channel.user.fill_prod - channel.kernel.fill_cons;
}

static unsigned int work(void)
{
	unsigned int i;

	for (i = 0; i < driver.per_sleep && driver.left && waiting(); i++, driver.left--)
		complete(ROC_READY_FILLED, driver.received);
	if (!driver.left && driver.interrupt)
		driver.requested = true;
	return i;
}

int roc_channel_rings(struct roc_channel *ch, unsigned int fill, unsigned int ready)
{
	UNIT_EQ(fill, RING);
	UNIT_EQ(ready, RING);
	return 0;
}

struct roc_rings *roc_channel_ring(struct roc_channel *ch)
{
	return &ch->rings;
}

int roc_channel_kick(struct roc_channel *ch)
{
	driver.kicks++;
	return 0;
}

int roc_channel_poll(struct roc_channel *ch)
{
	driver.polls++;
	return (int)work();
}

int roc_channel_wait(struct roc_channel *ch, unsigned int min_ready, int timeout_ms)
{
	struct timespec pause = {0, 1000000}, slow = {0, driver.pause_ns};

	CU_ASSERT_TRUE(timeout_ms > 0);
	driver.sleeps++;
	driver.min_ready = min_ready;
	if (driver.pause_ns)
		nanosleep(&slow, NULL);
	if (!work()) {
		nanosleep(&pause, NULL);
		return driver.wait_error;
	}
	return (int)(ch->kernel.ready_prod - ch->user.ready_cons);
}

int roc_channel_stop(struct roc_channel *ch, unsigned int *reclaimed)
{
	return driver.stop_error;
}

int roc_channel_info(struct roc_channel *ch, struct roc_ch_info *info)
{
	*info = driver.info;
	return 0;
}

bool stop_requested(void)
{
	return driver.requested;
}

const char *roc_error(void)
{
	return "sentence of the library";
}

const char *roc_reason_text(unsigned int reason)
{
	return reason == ROC_REASON_RANGE ? "out of range" : "the card answers all ones";
}

void bench_live(struct bench *b)
{
}

void bench_live_end(struct bench *b)
{
}

/* A reader that has pushed all its superpages. */
static void start(void)
{
	struct check_config config = {
		.data = CHECK_INTERNAL,
		.enabled = true,
		.payload = true,
		.resync = true,
		.page_size = 8192,
		.frequency = 1,
	};

	memset(&channel, 0, sizeof(channel));
	channel.rings = (struct roc_rings){
		.user = &channel.user,
		.kernel = &channel.kernel,
		.fill = channel.fill,
		.ready = channel.ready,
		.fill_mask = RING - 1,
		.ready_mask = RING - 1,
	};
	memset(&driver, 0, sizeof(driver));
	driver.per_sleep = 3;
	driver.received = SUPERPAGE;
	driver.wait_error = -ETIME;
	driver.info.state = ROC_CH_RUNNING;
	memset(&options, 0, sizeof(options));
	options.stall_limit = 10;
	memset(&bench, 0, sizeof(bench));
	bench.opt = &options;
	bench.ch = &channel;
	bench.memory.addr = memory;
	bench.handle = 7;
	bench.superpage = SUPERPAGE;
	bench.count = COUNT;
	check_init(&bench.checker, &config, &bench.errors);
	UNIT_EQ(bench_reader_prepare(&bench), 0);
	bench_reader_fill(&bench);
	UNIT_EQ(waiting(), COUNT);
}

static void finish(enum bench_end end)
{
	bench_reader_run(&bench);
	UNIT_EQ(bench.end, end);
}

static void release(void)
{
	bench_reader_release(&bench);
}

static void bytes(void)
{
	start();
	options.bytes = 500 * SUPERPAGE;
	driver.left = 10000;
	driver.per_sleep = 7;
	finish(BENCH_END_BYTES);
	CU_ASSERT_TRUE(bench.counts.superpages >= 500 && bench.counts.superpages < 507);
	/* The superpages reaped last are not pushed again. */
	CU_ASSERT_TRUE(bench.free_count > 0);
	/* The stop closes a partly filled superpage and returns the rest. */
	complete(ROC_READY_FILLED, 8192);
	while (waiting())
		complete(ROC_READY_RECLAIMED, 0);
	bench_reader_drain(&bench);
	UNIT_EQ(bench.counts.superpages, driver.superpages);
	UNIT_EQ(bench.counts.bytes, driver.bytes);
	UNIT_EQ(bench.counts.pages, driver.bytes / 8192);
	UNIT_EQ(bench.counts.links[2].superpages, driver.superpages);
	UNIT_EQ(bench.counts.links[2].bytes, driver.bytes);
	UNIT_EQ(bench.counts.pushed, driver.superpages + bench.counts.reclaimed);
	UNIT_EQ(bench.free_count, COUNT);
	UNIT_EQ(bench.errors.count, 0);
	UNIT_STR(bench.failure, "");
	CU_ASSERT_TRUE(bench.counts.end >= bench.counts.start);
	release();
}

/*
 * At high rates the reader sleeps seldom, with most of the buffer in the card; at low rates once
 * per superpage.
 */
static void wake_thresholds(void)
{
	start();
	driver.left = 20;
	driver.per_sleep = 1;
	driver.pause_ns = 1000000;
	options.bytes = 3 * SUPERPAGE;
	finish(BENCH_END_BYTES);
	UNIT_EQ(driver.min_ready, 1); /* the rate is unknown yet */
	driver.left = 3000;
	driver.per_sleep = 18;
	options.bytes = 1803 * SUPERPAGE;
	finish(BENCH_END_BYTES);
	UNIT_EQ(driver.min_ready, COUNT / 4);
	driver.per_sleep = 1;
	driver.pause_ns = 50000000;
	options.bytes = (bench.counts.superpages + 3) * SUPERPAGE;
	finish(BENCH_END_BYTES);
	UNIT_EQ(driver.min_ready, 1);
	release();
}

static void drained_data_are_checked(void)
{
	start();
	options.bytes = 3 * SUPERPAGE;
	driver.left = 3;
	finish(BENCH_END_BYTES);
	driver.counter += 5;
	complete(ROC_READY_FILLED, 8192);
	bench_reader_drain(&bench);
	UNIT_EQ(bench.counts.superpages, 4);
	UNIT_EQ(bench.errors.count, 1);
	release();
}

static void time_limit(void)
{
	start();
	options.time = 1;
	driver.left = 5;
	finish(BENCH_END_TIME);
	UNIT_EQ(bench.counts.superpages, 5);
	CU_ASSERT_TRUE(bench.counts.end - bench.counts.start >= 1000000000);
	CU_ASSERT_TRUE(bench.counts.end - bench.counts.start < 5000000000);
	release();
}

static void stall(void)
{
	start();
	options.bytes = 1 << 30;
	options.stall_limit = 1;
	driver.left = 5;
	finish(BENCH_END_STALL);
	UNIT_EQ(bench.counts.superpages, 5);
	release();
}

static void signalled(void)
{
	start();
	driver.left = 50;
	driver.interrupt = true;
	driver.wait_error = -EINTR;
	finish(BENCH_END_SIGNAL);
	bench_reader_drain(&bench);
	UNIT_EQ(bench.counts.superpages, 50);
	UNIT_STR(bench.failure, "");
	release();
}

static void failed_channel(void)
{
	start();
	driver.left = 4;
	driver.wait_error = 0;
	driver.info.state = ROC_CH_FAILED;
	driver.info.reason = ROC_REASON_LOST;
	finish(BENCH_END_FAILED);
	UNIT_STR(bench.failure, "The channel failed: the card answers all ones");
	release();
	start();
	driver.wait_error = -ENODEV;
	finish(BENCH_END_FAILED);
	UNIT_STR(bench.failure, "sentence of the library");
	release();
	start();
	driver.wait_error = 0;
	driver.info.state = ROC_CH_STOPPED;
	finish(BENCH_END_FAILED);
	UNIT_STR(bench.failure, "The channel was stopped, but not by this tool.");
	release();
}

/* A card that does not quiesce may still write; no other process has stopped it. */
static void failed_stop(void)
{
	static const struct {
		int err;
		enum roc_ch_state state;
		const char *message;
	} stops[] = {
		{0, ROC_CH_STOPPED, ""},
		{-EIO, ROC_CH_STOPPED, "sentence of the library"},
		{-EIO, ROC_CH_FAILED, "The channel failed: the card answers all ones"},
		{-EALREADY, ROC_CH_FAILED, "The channel failed: the card answers all ones"},
		{-EALREADY, ROC_CH_STOPPED, "The channel was stopped, but not by this tool."},
	};
	unsigned int i;

	for (i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		start();
		options.bytes = SUPERPAGE;
		driver.left = 1;
		finish(BENCH_END_BYTES);
		driver.stop_error = stops[i].err;
		driver.info.state = stops[i].state;
		driver.info.reason = ROC_REASON_LOST;
		bench_reader_stop(&bench);
		UNIT_STR(bench.failure, stops[i].message);
		release();
	}
}

/* Flagged superpages are counted and checked like others. */
static void flagged(void)
{
	start();
	options.bytes = 4 * SUPERPAGE;
	complete(ROC_READY_FILLED | ROC_READY_DAMAGED, SUPERPAGE);
	complete(ROC_READY_FILLED | ROC_READY_SHORT, SUPERPAGE);
	complete(ROC_READY_FILLED | ROC_READY_SHORT | ROC_READY_DAMAGED, SUPERPAGE);
	complete(ROC_READY_FILLED, SUPERPAGE);
	finish(BENCH_END_BYTES);
	UNIT_EQ(bench.counts.superpages, 4);
	UNIT_EQ(bench.counts.damaged, 2);
	UNIT_EQ(bench.counts.short_, 2);
	UNIT_EQ(bench.errors.count, 0);
	release();
}

static void refused(void)
{
	start();
	complete(ROC_READY_REFUSED, 0);
	finish(BENCH_END_FAILED);
	UNIT_STR(bench.failure, "The driver refused a superpage: out of range");
	UNIT_EQ(bench.counts.refused, 1);
	UNIT_EQ(bench.counts.superpages, 0);
	release();
}

/* The reader reaps the entries, of which one has been corrupted. */
static void spoiled(struct roc_ready change, const char *what)
{
	struct roc_ready *e;

	start();
	complete(ROC_READY_FILLED, SUPERPAGE);
	complete(ROC_READY_FILLED, SUPERPAGE);
	e = &channel.ready[1];
	e->cookie += change.cookie;
	e->offset += change.offset;
	e->buffer += change.buffer;
	e->length += change.length;
	e->sequence += change.sequence;
	bench_reader_drain(&bench);
	CU_ASSERT_TRUE(bench.errors.count >= 1);
	if (!strstr(bench.errors.last, what))
		unit_note("%s", bench.errors.last);
	CU_ASSERT_PTR_NOT_NULL(strstr(bench.errors.last, what));
	release();
}

static void broken_contract(void)
{
	static const char strange[] = "was not pushed to the card";

	/* The same entry twice. */
	spoiled((struct roc_ready){.cookie = (uint64_t)-1, .offset = (uint64_t)-SUPERPAGE},
		strange);
	spoiled((struct roc_ready){.cookie = (uint64_t)-1}, strange);
	spoiled((struct roc_ready){.cookie = COUNT}, strange);
	spoiled((struct roc_ready){.cookie = UINT64_MAX / 2}, strange);
	spoiled((struct roc_ready){.offset = 4}, strange);
	spoiled((struct roc_ready){.buffer = 1}, strange);
	spoiled((struct roc_ready){.length = 8192}, strange);
	spoiled((struct roc_ready){.sequence = 1}, "ready entry 2 instead of 1");
}

static void busy(void)
{
	start();
	options.mode = ROC_MODE_BUSY;
	options.bytes = 30 * SUPERPAGE;
	driver.left = 30;
	finish(BENCH_END_BYTES);
	UNIT_EQ(bench.counts.superpages, 30);
	UNIT_EQ(driver.polls, bench.counts.polls);
	UNIT_EQ(driver.polls, 10);
	UNIT_EQ(driver.sleeps, 0);
	release();
}

static void kicks(void)
{
	start();
	channel.kernel.flags = ROC_RING_NEED_KICK;
	options.bytes = 9 * SUPERPAGE;
	driver.left = 9;
	finish(BENCH_END_BYTES);
	UNIT_EQ(driver.kicks, 2);
	UNIT_EQ(bench.counts.kicks, 2);
	release();
}

static void full(void)
{
	start();
	options.buffer_full_check = true;
	driver.left = 10000;
	driver.time = now_ns() + 123456789;
	finish(BENCH_END_FULL);
	UNIT_EQ(bench.counts.superpages, 0);
	CU_ASSERT_TRUE(bench.counts.filled_ns > 100000000 && bench.counts.filled_ns <= 123456789);
	bench_reader_drain(&bench);
	UNIT_EQ(bench.counts.superpages, COUNT);
	UNIT_EQ(bench.counts.bytes, COUNT * SUPERPAGE);
	UNIT_EQ(bench.errors.count, 0);
	release();
}

static void dumps(void)
{
	char *ascii, *bin;
	size_t ascii_length, bin_length;

	start();
	bench.ascii = open_memstream(&ascii, &ascii_length);
	bench.bin = open_memstream(&bin, &bin_length);
	driver.counter = 0xabc;
	complete(ROC_READY_FILLED, 8192);
	complete(ROC_READY_RECLAIMED, 0);
	complete(ROC_READY_FILLED, 8192);
	bench_reader_drain(&bench);
	fclose(bench.ascii);
	fclose(bench.bin);
	UNIT_EQ(bin_length, 2 * 8192);
	UNIT_EQ(memcmp(bin, memory, 8192), 0);
	UNIT_EQ(memcmp(bin + 8192, memory + 2 * SUPERPAGE, 8192), 0);
	CU_ASSERT_EQUAL(
		strncmp(ascii,
			"# superpage 0 link 2 bytes 8192\n"
			"00000abc 00000abc 00000abc 00000abc 00000abc 00000abc 00000abc 00000abc\n"
			"00000abd ",
			113),
		0);
	CU_ASSERT_PTR_NOT_NULL(strstr(ascii, "\n# superpage 1 link 2 bytes 8192\n"));
	UNIT_EQ(bench.errors.count, 0);
	free(ascii);
	free(bin);
	release();
}

UNIT_MAIN("utils reader", {"byte limit, stop and drain", bytes},
	  {"wake threshold follows the rate", wake_thresholds},
	  {"data from the stop are checked", drained_data_are_checked}, {"time limit", time_limit},
	  {"stall", stall}, {"signal", signalled}, {"failed channel", failed_channel},
	  {"failed stop", failed_stop}, {"refused superpage", refused},
	  {"flagged superpages", flagged}, {"broken contract is detected", broken_contract},
	  {"busy mode", busy}, {"kicks", kicks}, {"buffer full check", full}, {"dumps", dumps})
