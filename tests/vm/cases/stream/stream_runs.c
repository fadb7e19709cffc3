// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test consecutive runs of a stream: no state of a run affects the next one, and settings reach it.
 */
#include "stream/stream_case.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define VSEC 0x200 /* where the emulated card has it */
#define STATE_LATE_US 1000000000

/* End the run with a full ring; returns the data that it lost. */
static uint64_t full(struct reader *r)
{
	struct roc_st_stop stop = {.size = sizeof(stop)};

	UNIT_NEED(reader_start(r));
	CU_ASSERT(UNIT_WAIT(emu_stream(CARD0, 0, "throttles") > 0, 10000));
	UNIT_EQ(abi(r->fd, ROC_ST_STOP, &stop), 0);
	return stop.lost;
}

/* The card's counts go on; a run reports its own losses, and has its own flags and page. */
static void after_a_full_ring(void)
{
	struct roc_st_stop stop = {.size = sizeof(stop)};
	struct reader r = {.ring = 64 * KIB};
	uint64_t lost;

	start(&r);
	reader_generate(&r, 0, 1024, 1024, 0, 3000, 0);
	lost = full(&r);
	CU_ASSERT(lost > 0);
	UNIT_EQ(reader_info(&r).card.discarded, lost);
	CU_ASSERT(r.kernel->flags & ROC_ST_STOPPED);
	/* The next run writes nothing into the page before its end. */
	reader_generate(&r, 0, 1024, 1024, 0, 10, 0);
	emu(CARD0, "fault 0 state-late 1 %u", STATE_LATE_US);
	r.position = 5000;
	r.event = 0;
	UNIT_NEED(reader_start(&r));
	UNIT_EQ(r.kernel->flags, 0);
	UNIT_EQ(reader_available(&r), 0);
	UNIT_EQ(r.state->read, 5000);
	UNIT_EQ(r.state->status, 0);
	UNIT_EQ(reader_info(&r).card.discarded, lost);
	emu(CARD0, "fault 0 clear");
	CU_ASSERT(reader_run(&r, 10, 5000));
	READER_OK(&r);
	UNIT_EQ(abi(r.fd, ROC_ST_STOP, &stop), 0);
	UNIT_EQ(stop.lost, 0);
	UNIT_EQ(reader_info(&r).card.discarded, lost);
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

/* Any process may reset the counters during a run: the run's losses are right all the same. */
static void counters_reset_in_a_run(void)
{
	struct roc_st_reset reset = {.size = sizeof(reset), .level = ROC_ST_RESET_COUNTERS};
	struct roc_st_reset flush = {.size = sizeof(flush), .level = ROC_ST_RESET_FLUSH};
	struct roc_st_stop stop = {.size = sizeof(stop)};
	struct reader r = {.ring = 64 * KIB};
	uint64_t before;

	start(&r);
	reader_generate(&r, 0, 1024, 1024, 0, 3000, 0);
	CU_ASSERT(full(&r) > 0);
	/* This run loses nothing. */
	reader_generate(&r, 0, 1024, 1024, 0, 10, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 10, 5000));
	UNIT_EQ(abi(r.fd, ROC_ST_RESET, &reset), 0);
	UNIT_EQ(abi(r.fd, ROC_ST_STOP, &stop), 0);
	UNIT_EQ(stop.lost, 0);
	/* Some losses before the reset, and some at the end. */
	before = emu_stream(CARD0, 0, "discarded");
	emu(CARD0, "clear");
	reader_generate(&r, 0, 1024, 1024, 0, 3000, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(emu_stream(CARD0, 0, "throttles") > 0, 10000));
	UNIT_EQ(abi(r.fd, ROC_ST_RESET, &flush), 0);
	UNIT_EQ(abi(r.fd, ROC_ST_RESET, &reset), 0);
	stop = (struct roc_st_stop){.size = sizeof(stop)};
	UNIT_EQ(abi(r.fd, ROC_ST_STOP, &stop), 0);
	CU_ASSERT(before > 0 && stop.lost > 0);
	UNIT_EQ(stop.lost, emu_stream(CARD0, 0, "discarded"));
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

static bool card_has(uint32_t bytes, uint32_t time)
{
	return emu_peek(CARD0, 0, P40_BAR_DMA, P40_STREAM(0) + STREAM_IRQ_BYTES) == bytes &&
	       emu_peek(CARD0, 0, P40_BAR_DMA, P40_STREAM(0) + STREAM_IRQ_NS) == time;
}

/* Interrupt moderation reaches a running card, and stays for later runs. */
static void moderation(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(card_has(16 * KIB, 30000000));
	UNIT_EQ(set(r.fd, ROC_ST_SET_INTERRUPT_BYTES | ROC_ST_SET_INTERRUPT_TIME,
		    (struct roc_st_settings){.interrupt_bytes = 4096, .interrupt_time = 123456}),
		0);
	CU_ASSERT(card_has(4096, 123456));
	CU_ASSERT(reader_stop(&r));
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(card_has(4096, 123456));
	finish(&r);
}

static int start_it(void *arg)
{
	struct reader *r = arg;
	struct roc_st_start s = {.size = sizeof(s)};

	return -abi(r->fd, ROC_ST_START, &s);
}

/* A setting during a start that waits for the card applies to that run. */
static void set_while_it_starts(void)
{
	struct reader r = {.ring = 64 * KIB};
	pid_t pid;

	start(&r);
	emu(CARD0, "fault 0 enable-slow 1 25");
	pid = child_start(AS_ROOT, start_it, &r);
	UNIT_NEED(pid > 0);
	CU_ASSERT(UNIT_WAIT(emu_peek(CARD0, 0, P40_BAR_DMA, P40_STREAM(0) + BLOCK_CONTROL), 5000));
	UNIT_EQ(set(r.fd, ROC_ST_SET_INTERRUPT_BYTES,
		    (struct roc_st_settings){.interrupt_bytes = 4096}),
		0);
	UNIT_EQ(child_wait(pid, 5000), 0);
	CU_ASSERT(card_has(4096, 30000000));
	emu(CARD0, "fault all clear");
	finish(&r);
}

/*
 * At a stop all space that the reader freed counts, however little, and even if it was not
 * reported.
 */
static bool space_counts(void)
{
	struct reader r = {.stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	struct roc_st_stop stop = {.size = sizeof(stop)};

	start(&r);
	reader_generate(&r, 0, 64, 64, 0, 1024 + 100, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(emu_stream(CARD0, r.stream, "waiting") == 100, 10000));
	UNIT_EQ(reader_take(&r, false), 1024);
	reader_consume(&r, 200, false);
	UNIT_EQ(abi(r.fd, ROC_ST_STOP, &stop), 0);
	UNIT_EQ(stop.position, 1124 - stop.lost);
	UNIT_EQ(reader_take(&r, true), 100 - stop.lost);
	READER_OK(&r);
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
	return !stop.lost;
}

/* A stop waits 20 ms for the card, which may get no CPU time for that long. */
static void unreported_space(void)
{
	unsigned int tries = 5;

	while (!space_counts() && --tries)
		;
	CU_ASSERT(tries > 0);
}

/*
 * Settings common to all streams return to their defaults with the card's defaults only, not with a
 * stream's.
 */
static void defaults_of_the_card(void)
{
	struct roc_st_card card = {.size = sizeof(card),
				   .set = ROC_ST_CARD_ENABLED | ROC_ST_CARD_SOURCE,
				   .enabled = 0x15,
				   .source = 0x777};
	struct roc_st_reset reset = {.size = sizeof(reset), .level = ROC_ST_RESET_DEFAULT};
	int fd;

	emu_normal_p40(CARD0);
	fd = node_open(P40_ID, -1);
	UNIT_EQ(abi(fd, ROC_ST_CARD, &card), 0);
	UNIT_EQ(abi(fd, ROC_ST_RESET, &reset), 0);
	card = (struct roc_st_card){.size = sizeof(card)};
	UNIT_EQ(abi(fd, ROC_ST_CARD, &card), 0);
	UNIT_EQ(card.enabled, 0x15);
	UNIT_EQ(card.source, 0x777);
	reset.stream = ROC_ST_ALL;
	UNIT_EQ(abi(fd, ROC_ST_RESET, &reset), 0);
	card = (struct roc_st_card){.size = sizeof(card)};
	UNIT_EQ(abi(fd, ROC_ST_CARD, &card), 0);
	UNIT_EQ(card.enabled, 0x7f);
	UNIT_EQ(card.source, STREAM_CARD_SOURCE_DEFAULT);
	close(fd);
}

static int ring_of_another(void *arg)
{
	struct roc_st_ring ring = {.size = sizeof(ring), .length = 64 * KIB};

	return abi(*(const int *)arg, ROC_ST_RING, &ring) != -EPERM ||
	       ring.reason != ROC_REASON_OWNER;
}

/* The opener's memlock limit applies: a forked child cannot make a ring with a limit of its own. */
static void forked(void)
{
	struct roc_st_ring ring = {.size = sizeof(ring), .length = 64 * KIB};
	int fd = node_open(P40_ID, 0);

	UNIT_NEED(fd >= 0);
	UNIT_EQ(child_run(AS_ROOT, ring_of_another, &fd, 5000), 0);
	UNIT_EQ(abi(fd, ROC_ST_RING, &ring), 0);
	close(fd);
}

/* An impossible doorbell value counts once in each run, and data flow on. */
static void doorbell_out_of_bounds(void)
{
	struct reader r = {.ring = 64 * KIB};
	uint64_t bad;
	int i;

	start(&r);
	for (i = 1; i <= 2; i++) {
		r.event = 0;
		reader_generate(&r, 0, 1000, 1000, 0, 100, 0);
		UNIT_NEED(reader_start(&r));
		CU_ASSERT(reader_run(&r, 100, 5000));
		bad = reader_info(&r).bad_index;
		*r.bell = r.read + 1000000;
		CU_ASSERT(UNIT_WAIT(emu_peek(CARD0, 0, P40_BAR_DMA, P40_STREAM(0) + BLOCK_STATUS) &
					    BLOCK_STATUS_HOST_ERROR,
				    2000));
		reader_set(&r, STREAM_SET_LIMIT, 200);
		CU_ASSERT(reader_run(&r, 200, 5000));
		CU_ASSERT(UNIT_WAIT(reader_info(&r).bad_index == bad + 1, 2000));
		READER_OK(&r);
		CU_ASSERT(reader_stop(&r));
	}
	reader_close(&r);
}

/*
 * A card's block may seem to be 8 bytes further: at the clock's place there is the high word of the
 * cycles since power-on, which is not 0 any more.
 */
#define ELSEWHERE 8
#define CYCLES_HIGH_MS 20000 /* 17180 by the card's clock, and some */

static uint32_t clock_elsewhere(void)
{
	return emu_peek(CARD0, 0, P40_BAR_CARD, P40_CARD + ELSEWHERE + CARD_CLOCK);
}

/* A word of the capability is larger by @more: the driver refuses the card for that reason. */
static void off_by(const char *address, uint32_t word, uint32_t more, const char *reason)
{
	uint32_t before = emu_config(CARD0, 0, VSEC + word);

	emu_config_set(CARD0, 0, VSEC + word, before + more);
	UNIT_EQ(put_text("/sys/bus/pci/drivers/roc/bind", address), -ENODEV);
	UNIT_EQ(RUN("dmesg | grep 'roc %s' | tail -3", address), 0);
	OUTPUT_HAS(reason);
	emu_config_set(CARD0, 0, VSEC + word, before);
}

/* The capability gives addresses that libraries do not support, or that have no registers. */
static void registers_elsewhere(void)
{
	struct reader r = {.ring = 64 * KIB};
	char address[ROC_TEXT_MAX];

	UNIT_NEED(UNIT_WAIT(clock_elsewhere(), CYCLES_HIGH_MS));
	strcpy(address, pci_address(P40_ID));
	UNIT_EQ(driver_unbind(address), 0);
	off_by(address, STREAM_VSEC_CARD, ELSEWHERE, "open registers are not where");
	off_by(address, STREAM_VSEC_STREAM, 8, "the ID register of a block does not match");
	UNIT_NEED(driver_bind(address));
	start(&r);
	reader_generate(&r, 0, 1000, 1000, 0, 100, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	finish(&r);
}

#define PATTERN 0x5a5a5a5au
#define BLOCKS 4096 /* of BAR 0: the function's block is in it */

/*
 * Leave error reporting enabled as a crashed kernel does: messages go to @bus. No driver is bound.
 */
static void enable_error_reports(const char *address, uint64_t bus)
{
	volatile uint32_t *bar, *block;
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/enable", address);
	UNIT_EQ(put_text(path, "1"), 0);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource%u", address, P40_BAR_DMA);
	fd = open(path, O_RDWR | O_CLOEXEC);
	bar = mmap(NULL, BLOCKS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	UNIT_NEED(bar != MAP_FAILED);
	block = bar + P40_FUNCTION / 4;
	block[FUNCTION_NOTICE_LOW / 4] = bus;
	block[FUNCTION_NOTICE_HIGH / 4] = bus >> 32;
	block[FUNCTION_ENABLE / 4] = FUNCTION_CAUSE_HOST;
	UNIT_EQ(block[FUNCTION_ENABLE / 4], FUNCTION_CAUSE_HOST);
	munmap((void *)bar, BLOCKS);
	close(fd);
}

/* A kernel without interrupts also reverts the interrupt settings of an earlier one. */
static void left_by_another(void)
{
	volatile uint32_t *word = memory_make(4096, 4096, LAYOUT_ASCENDING);
	struct reader r = {.ring = 64 * KIB};
	char address[ROC_TEXT_MAX];
	uint32_t limits;

	strcpy(address, pci_address(P40_ID));
	UNIT_EQ(driver_unbind(address), 0);
	*word = PATTERN;
	enable_error_reports(address, memory_physical((void *)word));
	limits = emu_config(CARD0, 0, VSEC + STREAM_VSEC_LIMITS);
	emu_config_set(CARD0, 0, VSEC + STREAM_VSEC_LIMITS, limits & 0xffff);
	UNIT_NEED(driver_bind(address));
	UNIT_EQ(emu_peek(CARD0, 0, P40_BAR_DMA, P40_FUNCTION + FUNCTION_ENABLE), 0);
	start(&r);
	reader_generate(&r, 0, 1000, 1000, 0, 100, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, 5000));
	*r.bell = r.read + 1000000;
	CU_ASSERT(UNIT_WAIT(emu_peek(CARD0, 0, P40_BAR_DMA, P40_STREAM(0) + BLOCK_STATUS) &
				    BLOCK_STATUS_HOST_ERROR,
			    2000));
	UNIT_EQ(reader_info(&r).interrupts, 0);
	finish(&r);
	UNIT_EQ(*word, PATTERN);
	UNIT_EQ(driver_unbind(address), 0);
	emu_config_set(CARD0, 0, VSEC + STREAM_VSEC_LIMITS, limits);
	UNIT_NEED(driver_bind(address));
	munmap((void *)word, 4096);
}

UNIT_MAIN("stream_runs", {"after a full ring", after_a_full_ring},
	  {"counters reset in a run", counters_reset_in_a_run}, {"moderation", moderation},
	  {"set while it starts", set_while_it_starts}, {"unreported space", unreported_space},
	  {"defaults of the card", defaults_of_the_card}, {"forked", forked},
	  {"doorbell out of bounds", doorbell_out_of_bounds},
	  {"registers elsewhere", registers_elsewhere}, {"left by another", left_by_another})
