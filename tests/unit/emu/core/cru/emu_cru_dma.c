// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CRU's DMA block: descriptors, filling, ready counts, size FIFO, resets, flush, and
 * the internal generator.
 */
#include "tests/unit/emu/emu_host.h"

#define PAGES 4 /* 32 KiB superpages */
#define BYTES (PAGES * CRU_PAGE_SIZE)
#define INTERNAL CRU_DATA_SOURCE_INTERNAL

/*
 * Check words of 256 bits with the counter in all eight lanes. Returns the number of wrong lanes.
 */
static unsigned int wrong_lanes(const uint8_t *data, size_t bytes, uint32_t first)
{
	unsigned int wrong = 0;
	uint32_t lane;
	size_t i;

	for (i = 0; i < bytes / 4; i++) {
		memcpy(&lane, data + 4 * i, 4);
		wrong += lane != (uint32_t)(first + i / 8);
	}
	return wrong;
}

static void identity(void)
{
	host_begin();
	UNIT_EQ(rd(0, CRU_ENDPOINT_ID), CRU_ENDPOINT_ID_0);
	UNIT_EQ(rd(1, CRU_ENDPOINT_ID), CRU_ENDPOINT_ID_1);
	UNIT_EQ(rd(0, CRU_FEATURES), 0x40000000);
	UNIT_EQ(rd(0, CRU_FIFO_DEPTH), 128);
	UNIT_EQ(rd(0, CRU_TIME_FRAME), 0x10000000);
	UNIT_EQ(rd(0, CRU_DMA_CONTROL), 0);
	wr(0, CRU_ENDPOINT_ID, 5);
	wr(0, CRU_FEATURES, 5);
	UNIT_EQ(rd(0, CRU_ENDPOINT_ID), 0);
	UNIT_EQ(rd(0, CRU_FEATURES), 0x40000000);
	wr(0, CRU_SCRATCH, 0x1ab);
	UNIT_EQ(rd(0, CRU_SCRATCH), 0xab);
	UNIT_EQ(rd(1, CRU_SCRATCH), 0);
	wr(0, 0xc08, 7);
	UNIT_EQ(rd(0, 0xc08), 0);
	host_end();
}

static void fill_one(void)
{
	host_begin();
	start(0, INTERNAL);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	push(0, 0, 0, PAGES);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	/* A superpage is counted with its last byte, not with the next superpage. */
	UNIT_EQ(cru_card.step(host.card, 0, BYTES), CARD_STEP_AGAIN);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(0, BYTES));
	UNIT_EQ(wrong_lanes(superpage(0, PAGES), BYTES, 0), 0);
	UNIT_EQ(superpage(1, PAGES)[0], 0xee);
	push(0, 0, 3, PAGES);
	run(0);
	UNIT_EQ(wrong_lanes(superpage(3, PAGES), BYTES, BYTES / 32), 0);
	UNIT_EQ(count(0, 0, "superpages"), 2);
	UNIT_EQ(count(0, 0, "bytes"), 2 * BYTES);
	UNIT_EQ(count(0, -1, "dma_outside"), 0);
	ledger(0);
	host_end();
}

static void only_while_started(void)
{
	host_begin();
	start(0, INTERNAL);
	wr(0, CRU_DMA_CONTROL, 0);
	push(0, 0, 0, PAGES);
	run(0);
	UNIT_EQ(superpage(0, PAGES)[0], 0xee);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	host_end();
}

static void push_order_and_latch(void)
{
	host_begin();
	start(0, INTERNAL);
	wr(0, CRU_DMA_CONTROL, 0);
	push(0, 2, 5, PAGES);
	/*
	 * The high half of the address is latched: a second push needs only the low half and the
	 * size.
	 */
	wr(0, CRU_SP_LOW(2), (uint32_t)(HOST_BASE + 1 * BYTES));
	wr(0, CRU_SP_PUSH(2), PAGES);
	UNIT_EQ(rd(0, CRU_SP_LOW(2)), 0);
	UNIT_EQ(rd(0, CRU_SP_PUSH(2)), 0);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(2)), 2);
	UNIT_EQ(wrong_lanes(superpage(5, PAGES), BYTES, 0), 0);
	UNIT_EQ(wrong_lanes(superpage(1, PAGES), BYTES, BYTES / 32), 0);
	host_end();
}

static void size_fifo_keeps_order(void)
{
	unsigned int i;

	host_begin();
	start(0, INTERNAL);
	for (i = 0; i < 5; i++)
		push_at(0, 0, HOST_BASE + i * 0x100000, 1 + i);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 5);
	for (i = 0; i < 5; i++) {
		UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(i, (1 + i) * CRU_PAGE_SIZE));
		/* Reading again changes nothing. */
		UNIT_EQ(rd(0, CRU_SP_SIZE(0)), CRU_SP_SIZE_ENTRY(i, (1 + i) * CRU_PAGE_SIZE));
	}
	/* An advance without an entry keeps the old one; the next entry appears by itself. */
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(4, 5 * CRU_PAGE_SIZE));
	push(0, 0, 0, 2);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_SIZE(0)), CRU_SP_SIZE_ENTRY(5, 2 * CRU_PAGE_SIZE));
	host_end();
}

static void index_wraps(void)
{
	unsigned int i;

	host_begin();
	start(0, INTERNAL);
	for (i = 0; i < 600; i++) {
		push(0, 0, i % 100, 1);
		run(0);
		UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(i & 0xff, CRU_PAGE_SIZE));
	}
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 600);
	host_end();
}

static void ready_count_wraps(void)
{
	unsigned int i;

	host_begin();
	key(0, "count-start", "0xfffffffe");
	start(0, INTERNAL);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0xfffffffe);
	UNIT_EQ(rd(0, CRU_SP_READY(15)), 0xfffffffe);
	for (i = 0; i < 4; i++)
		push(0, 0, i, PAGES);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 2);
	/* The index counts from 0, independent of the ready count. */
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(0, BYTES));
	host_end();
}

static void largest_superpage(void)
{
	host_begin();
	start(0, INTERNAL);
	push_at(0, 0, HOST_BASE, CRU_SUPERPAGE_MAX / CRU_PAGE_SIZE);
	push_at(0, 0, HOST_BASE + (32 << 20), 2048);
	run(0);
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(0, CRU_SUPERPAGE_MAX));
	/* 16 MiB do not fit into 24 bits: it reads as 0. */
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(1, 0));
	UNIT_EQ(wrong_lanes(host.memory, CRU_SUPERPAGE_MAX, 0), 0);
	host_end();
}

static void fifo_depth(void)
{
	unsigned int i;

	host_begin();
	key(0, "fifo-depth", "3");
	UNIT_EQ(rd(0, CRU_FIFO_DEPTH), 3);
	UNIT_EQ(rd(1, CRU_FIFO_DEPTH), 128);
	key(0, "depth-register", "0");
	UNIT_EQ(rd(0, CRU_FIFO_DEPTH), 0);
	start(0, INTERNAL);
	wr(0, CRU_DMA_CONTROL, 0);
	for (i = 0; i < 5; i++)
		push(0, 0, i, PAGES);
	UNIT_EQ(count(0, -1, "fifo_overflow"), 2);
	UNIT_EQ(count(0, 0, "queued"), 3);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 3);
	UNIT_EQ(superpage(3, PAGES)[0], 0xee);
	host_end();
}

static bool wakes_engine(uint32_t off)
{
	return cru_card.wakes_engine(host.card, 0, CRU_BAR_DMA, off);
}

/* Only writes that a waiting engine depends on wake it; writes of stored values do not. */
static void wakes(void)
{
	host_begin();
	CU_ASSERT(wakes_engine(CRU_DMA_CONTROL));
	CU_ASSERT(wakes_engine(CRU_RESET_CONTROL));
	CU_ASSERT(!wakes_engine(CRU_SP_HIGH(3)));
	CU_ASSERT(!wakes_engine(CRU_SP_LOW(3)));
	CU_ASSERT(!wakes_engine(CRU_SP_SIZE(3)));
	push(0, 3, 0, PAGES);
	CU_ASSERT(wakes_engine(CRU_SP_PUSH(3)));
	push(0, 3, 1, PAGES);
	CU_ASSERT(!wakes_engine(CRU_SP_PUSH(3))); /* the link had one */
	push(0, 4, 2, PAGES);
	CU_ASSERT(wakes_engine(CRU_SP_PUSH(4)));
	CU_ASSERT(cru_card.wakes_engine(host.card, 0, CRU_BAR_CARD, CRU_SP_LOW(3)));
	host_end();
}

static void bad_descriptors(void)
{
	host_begin();
	start(0, INTERNAL);
	push_at(0, 0, HOST_BASE, 0);
	push_at(0, 0, HOST_BASE, 2049);
	push_at(0, 0, HOST_BASE + 2, 4);
	UNIT_EQ(count(0, -1, "bad_descriptor"), 3);
	UNIT_EQ(count(0, 0, "queued"), 0);
	push_at(0, 0, HOST_BASE + 4, 4);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	UNIT_EQ(wrong_lanes(host.memory + 4, BYTES, 0), 0);
	UNIT_EQ(host.memory[3], 0xee);
	host_end();
}

static void internal_feeds_one_link(void)
{
	host_begin();
	start(0, INTERNAL);
	push(0, 1, 0, PAGES);
	push(0, 0, 1, PAGES);
	push(0, 2, 2, PAGES);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	UNIT_EQ(rd(0, CRU_SP_READY(1)), 1);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	UNIT_EQ(rd(0, CRU_SP_READY(2)), 0);
	UNIT_EQ(count(0, 0, "queued"), 1);
	UNIT_EQ(superpage(1, PAGES)[0], 0xee);
	push(0, 1, 3, PAGES);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(1)), 2);
	UNIT_EQ(wrong_lanes(superpage(3, PAGES), BYTES, BYTES / 32), 0);
	/* After a general reset another link can be the first. */
	start(0, INTERNAL);
	push(0, 0, 4, PAGES);
	push(0, 1, 5, PAGES);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	UNIT_EQ(rd(0, CRU_SP_READY(1)), 0);
	host_end();
}

static void empty_count(void)
{
	host_begin();
	start(0, INTERNAL);
	push(0, 0, 0, PAGES);
	UNIT_EQ(rd(0, CRU_SP_EMPTY(0)), 0);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_EMPTY(0)), 1);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_EMPTY(0)), 1);
	push(0, 0, 1, PAGES);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_EMPTY(0)), 2);
	UNIT_EQ(rd(0, CRU_SP_EMPTY(1)), 0);
	host_end();
}

static void refill_latency(void)
{
	host_begin();
	key(0, "refill-latency-us", "50");
	start(0, INTERNAL);
	push(0, 0, 0, PAGES);
	UNIT_EQ(run(0), host.now + 50000);
	host.now += 49999;
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	host.now++;
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	host_end();
}

static void general_reset_scope(void)
{
	host_begin();
	start(0, INTERNAL);
	wr(0, CRU_TIME_FRAME, 0x08000000);
	wr2(CRU_DATAPATH(0), 0x80000003);
	push(0, 0, 0, PAGES);
	push(0, 0, 1, PAGES);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 2);
	next_size(0, 0);
	push(0, 1, 2, PAGES);
	push(1, 0, 9, PAGES);

	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	UNIT_EQ(rd(0, CRU_SP_SIZE(0)), 0);
	UNIT_EQ(count(0, 1, "queued"), 0);
	UNIT_EQ(count(0, -1, "resets"), 2);
	/* Registers that the reset must keep. */
	UNIT_EQ(rd(0, CRU_DATA_SOURCE), INTERNAL);
	UNIT_EQ(rd(0, CRU_TIME_FRAME), 0x08000000);
	UNIT_EQ(rd2(CRU_DATAPATH(0)), 0x80000003);
	UNIT_EQ(count(1, 0, "queued"), 1);
	/* The generator counter is not reset by it, the index is. */
	push(0, 0, 3, PAGES);
	run(0);
	UNIT_EQ(wrong_lanes(superpage(3, PAGES), BYTES, 2 * BYTES / 32), 0);
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(0, BYTES));
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERATOR);
	push(0, 0, 4, PAGES);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 2);
	UNIT_EQ(wrong_lanes(superpage(4, PAGES), BYTES, 0), 0);
	host_end();
}

static void reset_drops_partial(void)
{
	host_begin();
	start(0, INTERNAL);
	push(0, 0, 0, 64);
	cru_card.step(host.card, 0, 2 * CRU_PAGE_SIZE);
	UNIT_EQ(count(0, -1, "open"), 2);
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	UNIT_EQ(superpage(0, 64)[2 * CRU_PAGE_SIZE], 0xee);
	UNIT_EQ(count(0, -1, "discarded"), 2);
	ledger(0);
	host_end();
}

static void flush(void)
{
	host_begin();
	start(0, INTERNAL);
	push(0, 0, 0, 64);
	push(0, 0, 1, 64);
	cru_card.step(host.card, 0, 3 * CRU_PAGE_SIZE);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);
	/* At once, without the engine. */
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(0, 3 * CRU_PAGE_SIZE));
	UNIT_EQ(rd(0, CRU_DMA_CONTROL), 0x101);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	/* A flush completes no empty superpage, and a second flush has no effect. */
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	UNIT_EQ(count(0, 0, "queued"), 1);
	UNIT_EQ(superpage(1, 64)[0], 0xee);
	UNIT_EQ(superpage(0, 64)[3 * CRU_PAGE_SIZE], 0xee);
	/* Flush off: the remaining descriptors are used. */
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 2);
	UNIT_EQ(wrong_lanes(superpage(1, 64), 64 * CRU_PAGE_SIZE, 3 * CRU_PAGE_SIZE / 32), 0);
	ledger(0);
	host_end();
}

static void generator_settings(void)
{
	uint32_t word;

	host_begin();
	UNIT_EQ(rd(0, CRU_GENERATOR(0)), 0xff02);
	/* Old software: 1 KiB pages of a constant; enable on, and off at stop. */
	wr(0, CRU_GENERATOR(0), 31 << 8 | 2 << 1 | 1);
	start(0, INTERNAL);
	push(0, 0, 0, 1);
	push(0, 0, 1, 1);
	cru_card.step(host.card, 0, 1024);
	memcpy(&word, host.memory + 1020, 4);
	UNIT_EQ(word, 0xa5a5a5a5);
	UNIT_EQ(host.memory[1024], 0xee);
	UNIT_EQ(count(0, -1, "open"), 1);
	wr(0, CRU_GENERATOR(0), 31 << 8 | 3 << 1);
	run(0);
	UNIT_EQ(host.memory[1024], 0xee);
	wr(0, CRU_GENERATOR(0), 31 << 8 | 3 << 1 | 1);
	run(0);
	memcpy(&word, host.memory + 1024, 4);
	UNIT_EQ(word, 0x12345678);
	UNIT_EQ(count(0, -1, "packets"), 16);
	host_end();
}

static void random_sizes(void)
{
	uint32_t size, at, total = 0;

	host_begin();
	wr(0, CRU_GENERATOR(0), 0xff02 | 1 << 16);
	start(0, INTERNAL);
	push(0, 0, 0, 64);
	push(0, 0, 1, 64);
	run(0);
	size = next_size(0, 0) & CRU_SP_SIZE_BYTES;
	CU_ASSERT(size > 63 * CRU_PAGE_SIZE && size <= 64 * CRU_PAGE_SIZE);
	UNIT_EQ(size % 32, 0);
	at = wrong_lanes(host.memory, size, 0);
	UNIT_EQ(at, 0);
	total = size / 32;
	UNIT_EQ(wrong_lanes(superpage(1, 64), CRU_PAGE_SIZE / 2, total), 0);
	CU_ASSERT(count(0, -1, "generated") > 128);
	host_end();
}

static void inject_error(void)
{
	host_begin();
	start(0, INTERNAL);
	wr(0, CRU_GENERATOR_INJECT, 1);
	push(0, 0, 0, PAGES);
	run(0);
	UNIT_EQ(wrong_lanes(host.memory, CRU_PAGE_SIZE, 0), 1);
	UNIT_EQ(wrong_lanes(host.memory + CRU_PAGE_SIZE, 3 * CRU_PAGE_SIZE, 256), 0);
	host_end();
}

static void pace(void)
{
	unsigned int i;

	host_begin();
	key(0, "rate", "81920000"); /* a page every 100 us */
	start(0, INTERNAL);
	for (i = 0; i < 10; i++)
		push(0, 0, i, 256);
	run_for(0, 100000000);
	UNIT_EQ(count(0, -1, "generated"), 1001);
	/* After a second without a step, 10 ms are made up for. */
	host.now += 1000000000;
	run(0);
	UNIT_EQ(count(0, -1, "generated"), 1001 + 101);
	key(0, "rate", "0");
	run(0);
	UNIT_EQ(count(0, -1, "generated"), 2560);
	host_end();
}

static void outside_memory(void)
{
	host_begin();
	start(0, INTERNAL);
	/* Most of the last page of the first superpage, and all of the second, are outside. */
	push_at(0, 0, HOST_BASE + HOST_MEMORY - 3 * CRU_PAGE_SIZE - 64, 4);
	push_at(0, 0, 0x1000, 1);
	run(0);
	UNIT_EQ(count(0, -1, "dma_outside"), 2);
	UNIT_EQ(cru_card.dma_outside(host.card), 2);
	/* The card cannot detect this: it continues, and the inner part is right. */
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 2);
	UNIT_EQ(wrong_lanes(host.memory + HOST_MEMORY - 3 * CRU_PAGE_SIZE - 64,
			    3 * CRU_PAGE_SIZE + 64, 0),
		0);
	cru_card.clear(host.card, 0);
	UNIT_EQ(count(0, -1, "dma_outside"), 0);
	UNIT_EQ(cru_card.dma_outside(host.card), 2);
	host_end();
}

static void no_master(void)
{
	host_begin();
	start(0, INTERNAL);
	host.no_master = true;
	push(0, 0, 0, PAGES);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	run(0);
	UNIT_EQ(count(0, -1, "dma_no_master"), 1);
	UNIT_EQ(count(0, -1, "dma_writes"), 0);
	UNIT_EQ(host.memory[0], 0xee);
	/* A superpage was opened but has no data: the flush does not count it. */
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	host.no_master = false;
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	UNIT_EQ(wrong_lanes(host.memory, BYTES, 0), 0);
	host_end();
}

static void function_reset(void)
{
	host_begin();
	start(0, INTERNAL);
	wr(0, CRU_TIME_FRAME, 0);
	wr(0, CRU_SCRATCH, 1);
	wr2(CRU_DATAPATH(0), 0x7);
	push(0, 0, 0, PAGES);
	push(0, 0, 1, PAGES);
	run(0);
	cru_card.reset(host.card, 0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	UNIT_EQ(rd(0, CRU_DMA_CONTROL), 0);
	UNIT_EQ(rd(0, CRU_DATA_SOURCE), 0);
	UNIT_EQ(rd(0, CRU_TIME_FRAME), 0x10000000);
	UNIT_EQ(rd(0, CRU_SCRATCH), 0);
	UNIT_EQ(rd(0, CRU_SP_EMPTY(0)), 0);
	UNIT_EQ(rd2(CRU_DATAPATH(0)), 7);
	UNIT_EQ(count(0, 0, "queued"), 0);
	host_end();
}

static void peek_and_poke(void)
{
	host_begin();
	start(0, INTERNAL);
	push(0, 0, 0, PAGES);
	run(0);
	UNIT_EQ(cru_card.peek(host.card, 0, 0, CRU_SP_READY(0)), 1);
	UNIT_EQ(cru_card.peek(host.card, 0, 0, CRU_SP_SIZE(0)), 0);
	UNIT_EQ(cru_card.poke(host.card, 0, 0, CRU_SP_READY(0), 77), true);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 77);
	/* Read-only for the host, but writable by poke. */
	UNIT_EQ(cru_card.poke(host.card, 0, 0, CRU_FEATURES, 0x5afe), true);
	UNIT_EQ(rd(0, CRU_FEATURES), 0x5afe);
	UNIT_EQ(cru_card.poke(host.card, 0, 0, CRU_RESET_CONTROL, 1), false);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 77);
	host_end();
}

static void unread_sizes(void)
{
	unsigned int i;

	host_begin();
	start(0, INTERNAL);
	for (i = 0; i < 8200; i++) {
		push(0, 0, 0, 1);
		run(0);
	}
	UNIT_EQ(count(0, -1, "size_overflow"), 8);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 8200);
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(8, CRU_PAGE_SIZE));
	host_end();
}

UNIT_MAIN("emulated CRU, DMA block", {"identity and plain registers", identity},
	  {"one superpage is filled, counted, sized", fill_one},
	  {"nothing moves unless started", only_while_started},
	  {"push order, latched address", push_order_and_latch},
	  {"size FIFO: order, re-read, early advance", size_fifo_keeps_order},
	  {"size index wraps at 256", index_wraps},
	  {"ready count wraps at 2^32", ready_count_wraps},
	  {"largest superpage, and one too large for the size", largest_superpage},
	  {"descriptor FIFO depth and overflow", fifo_depth}, {"bad descriptors", bad_descriptors},
	  {"writes that wake the engine", wakes},
	  {"internal generator feeds one link and stalls", internal_feeds_one_link},
	  {"empty count", empty_count}, {"refill latency", refill_latency},
	  {"general reset: scope", general_reset_scope},
	  {"general reset discards a partly filled superpage", reset_drops_partial},
	  {"flush", flush}, {"generator: page size, pattern, enable", generator_settings},
	  {"generator: random sizes", random_sizes}, {"generator: injected error", inject_error},
	  {"rate", pace}, {"DMA outside memory", outside_memory},
	  {"DMA without bus mastering", no_master}, {"function reset", function_reset},
	  {"peek and poke", peek_and_poke}, {"size FIFO overflow", unread_sizes})
