// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The C-RORC's channels: superpages, completion blocks, packets, time frames, flush, reset,
 * sources.
 */
#include "emu_crorc.h"

#define SOC (1u << 9)
#define TF (1u << 11)

/* Check that words of the payload continue from *next; updates *next. */
static void payload(uint64_t addr, unsigned int n, uint32_t step, uint32_t bytes, uint32_t *next)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < bytes / 4; i++)
		wrong += word(addr, n, step, RDH / 4 + i) != (*next)++;
	UNIT_EQ(wrong, 0);
}

static void header(void)
{
	uint32_t next = 0;
	unsigned int i;

	host_begin();
	wr(0, CRORC_CONFIG_A, 0xabc << CRORC_CONFIG_A_ID_SHIFT);
	start(2);
	push(2, 0);
	packets(6);
	for (i = 0; i < 6; i++) {
		UNIT_EQ(word(place(2, 0), i, 8192, 0), 0x00024007);
		UNIT_EQ(word(place(2, 0), i, 8192, 1), 0);
		UNIT_EQ(word(place(2, 0), i, 8192, 2), 8192 << 16 | 8192);
		UNIT_EQ(word(place(2, 0), i, 8192, 3), 0x0abc0002 | i << 8);
		UNIT_EQ(word(place(2, 0), i, 8192, 5), i / 4); /* orbit */
		UNIT_EQ(word(place(2, 0), i, 8192, 8), i ? 3 : 3 | SOC | TF);
		UNIT_EQ(word(place(2, 0), i, 8192, 9), i % 4 == 3 ? 0x10003 : i % 4);
		payload(place(2, 0), i, 8192, PAYLOAD, &next);
	}
	UNIT_EQ(rd(2, CRORC_PACKETS), 6);
	host_end();
}

/* Counters continue over superpages and restart at a reset. */
static void continuous(void)
{
	uint32_t next = 0;
	unsigned int n, i;

	host_begin();
	start(0);
	for (n = 0; n < 3; n++) {
		push(0, n);
		run(0);
		for (i = 0; i < 128; i++) {
			UNIT_EQ(word(place(0, n), i, 8192, 3) >> 8 & 0xff, (n * 128 + i) & 0xff);
			payload(place(0, n), i, 8192, PAYLOAD, &next);
		}
	}
	start(0);
	push(0, 0);
	run(0);
	next = 0;
	UNIT_EQ(word(place(0, 0), 0, 8192, 3) >> 8 & 0xff, 0);
	UNIT_EQ(word(place(0, 0), 0, 8192, 8), 3 | SOC | TF);
	payload(place(0, 0), 0, 8192, PAYLOAD, &next);
	host_end();
}

static void dynamic_offset(void)
{
	uint32_t next = 0, step = RDH + 1000;
	unsigned int i, n = 0;

	host_begin();
	key(0, "packet", "1000");
	wr(4, CRORC_CONFIG_A, CRORC_CONFIG_A_DYNAMIC); /* through any BAR */
	wr(4, CRORC_CONFIG_B, CRORC_CONFIG_B_LENGTH_MAX);
	start(0);
	push(0, 0);
	run(0);
	/* Packets are packed until 8 KiB no longer fit. */
	while (SP - n * step >= CRORC_PAGE_SIZE)
		n++;
	UNIT_EQ(block(0)->size, n * step);
	for (i = 0; i < n; i++) {
		UNIT_EQ(word(place(0, 0), i, step, 2), step << 16 | step);
		payload(place(0, 0), i, step, 1000, &next);
	}
	/* Fixed offsets: each packet has a slot of 8 KiB. */
	wr(0, CRORC_CONFIG_A, 0);
	push(0, 1);
	run(0);
	UNIT_EQ(block(0)->size, SP);
	UNIT_EQ(word(place(0, 1), 0, 8192, 2), step << 16 | 8192);
	payload(place(0, 1), 0, 8192, 1000, &next);
	payload(place(0, 1), 1, 8192, 1000, &next);
	UNIT_EQ(count(0, 0, "bytes"), n * step + SP);
	host_end();
}

/* Frames have 5 orbits of 3 packets, counted from the first orbit, whatever its number. */
static void time_frames(void)
{
	unsigned int n, i;

	host_begin();
	key(0, "packets-per-orbit", "3");
	key(0, "orbit", "1030");
	wr(0, CRORC_CONFIG_B, 5 | CRORC_CONFIG_B_DETECT);
	start(0);
	for (n = 0; n < 4; n++) {
		push(0, n);
		run(0);
		/* The frame ends when the first packet of the next one comes. */
		UNIT_EQ(block(0)->size, 15 * 8192);
		UNIT_EQ(block(0)->count, n);
		UNIT_EQ(word(place(0, n), 0, 8192, 5), 1030 + 5 * n);
		for (i = 0; i < 15; i++)
			UNIT_EQ(!!(word(place(0, n), i, 8192, 8) & TF), i == 0);
	}
	UNIT_EQ(rd(0, CRORC_ORBIT_SOR), 1030);
	/* Without detection superpages are filled. */
	wr(3, CRORC_CONFIG_B, 5);
	push(0, n);
	run(0);
	UNIT_EQ(block(0)->size, SP);
	UNIT_EQ(count(0, 0, "packets"), 60 + 128);
	host_end();
}

static void flushed(void)
{
	host_begin();
	start(1);
	push(1, 0);
	packets(3);
	UNIT_EQ(block(1)->count, 0xff);
	flush(0); /* another channel's */
	UNIT_EQ(block(1)->count, 0xff);
	flush(1);
	UNIT_EQ(block(1)->count, 0);
	UNIT_EQ(block(1)->size, 3 * 8192);
	/* The bit acts once and clears itself; the configuration stays. */
	UNIT_EQ(rd(1, CRORC_CONFIG_B), 0x1100);
	UNIT_EQ(rd(0, CRORC_CONFIG_B), 0x1100);
	/* A flush of an empty superpage reports nothing, and the card keeps the superpage. */
	push(1, 1);
	generator(1, false);
	flush(1);
	UNIT_EQ(block(1)->count, 0);
	UNIT_EQ(count(0, 1, "queued"), 1);
	UNIT_EQ(count(0, 1, "flushes"), 2);
	host_end();
}

static void start_stop_start(void)
{
	unsigned int round;

	host_begin();
	for (round = 0; round < 3; round++) {
		start(0);
		UNIT_EQ(rd(0, CRORC_SP_SIZE), 0);
		push(0, 0);
		UNIT_EQ(rd(0, CRORC_SP_SIZE), SP << 8 | 1);
		packets(2);
		stop(0);
		UNIT_EQ(block(0)->count, 0);
		UNIT_EQ(block(0)->size, 2 * 8192);
		UNIT_EQ(rd(0, CRORC_CHAN_CSR), 0);
		run(0);
		UNIT_EQ(count(0, 0, "generated"), 2 * (round + 1));
	}
	host_end();
}

/* A reset affects one channel and not the others. */
static void reset_scope(void)
{
	host_begin();
	start(0);
	start(1);
	push(0, 0);
	push(1, 0);
	packets(6); /* three each */
	wr(0, CRORC_DDL_COMMAND, CRORC_DDL_READ_STATUS_SIU);
	wr(1, CRORC_DDL_COMMAND, CRORC_DDL_READ_STATUS_SIU);
	reset(0);
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), 0);
	UNIT_EQ(rd(0, CRORC_GENERATOR), 0);
	UNIT_EQ(rd(0, CRORC_SP_SIZE), 0);
	UNIT_EQ(rd(0, CRORC_SP_LOW), 0);
	UNIT_EQ(rd(0, CRORC_SP_HIGH), 0);
	UNIT_EQ(rd(0, CRORC_PACKETS), 0);
	UNIT_EQ(rd(0, CRORC_DDL_STATUS), 0);
	UNIT_EQ(rd(1, CRORC_CHAN_CSR),
		CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK | CRORC_CHAN_CSR_DDL_STATUS);
	UNIT_EQ(rd(1, CRORC_GENERATOR), CRORC_GENERATOR_RUN);
	UNIT_EQ(rd(1, CRORC_SP_SIZE), SP << 8 | 1);
	UNIT_EQ(count(0, 0, "discarded"), 3);
	run(0);
	UNIT_EQ(block(0)->count, 0xff); /* the superpage is dropped */
	UNIT_EQ(block(1)->count, 0);
	UNIT_EQ(block(1)->size, SP);
	/* The block's address is kept: the next completion goes there as number 0. */
	wr(0, CRORC_CHAN_CSR, CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK);
	generator(0, true);
	push(0, 1);
	run(0);
	UNIT_EQ(block(0)->count, 0);
	ledger(0);
	host_end();
}

/* Data of an earlier run do not appear in the next one. */
static void nothing_old(void)
{
	host_begin();
	start(0);
	push(0, 0);
	packets(9);
	start(0);
	push(0, 1);
	run(0);
	UNIT_EQ(word(place(0, 1), 0, 8192, 3) >> 8 & 0xff, 0);
	UNIT_EQ(word(place(0, 1), 0, 8192, RDH / 4), 0);
	UNIT_EQ(block(0)->count, 0);
	ledger(0);
	host_end();
}

static void toggles(void)
{
	host_begin();
	wr(0, CRORC_CHAN_CSR, CRORC_CHAN_CSR_DMA);
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), CRORC_CHAN_CSR_DMA);
	wr(0, CRORC_CHAN_CSR, 0);
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), CRORC_CHAN_CSR_DMA);
	wr(0, CRORC_CHAN_CSR, CRORC_CHAN_CSR_LOOPBACK);
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK);
	UNIT_EQ(rd(1, CRORC_CHAN_CSR), 0);
	/* Status bits are ignored, and commands of old firmware no longer exist. */
	wr(0, CRORC_CHAN_CSR, ~(CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK));
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK);
	wr(0, CRORC_CHAN_CSR, CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK);
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), 0);
	host_end();
}

static void pushes(void)
{
	static const struct {
		uint64_t addr;
		uint32_t size;
	} bad[] = {
		{HOST_BASE, 0},	       {HOST_BASE, 8192},   {HOST_BASE, 0x8004},
		{HOST_BASE, 1u << 24}, {HOST_BASE + 2, SP},
	};
	unsigned int i;

	host_begin();
	start(0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		push_at(0, bad[i].addr, bad[i].size);
		UNIT_EQ(rd(0, CRORC_SP_SIZE), bad[i].size << 8 | (i + 1));
		UNIT_EQ(count(0, 0, "bad_push"), i + 1);
		UNIT_EQ(count(0, 0, "queued"), 0);
	}
	/* The largest there is. */
	push_at(0, HOST_BASE, CRORC_SUPERPAGE_MAX);
	UNIT_EQ(rd(0, CRORC_SP_SIZE), (uint32_t)CRORC_SUPERPAGE_MAX << 8 | (i + 1));
	/* Push another while the card has that one. */
	push(0, 7);
	UNIT_EQ(count(0, 0, "protocol_errors"), 1);
	UNIT_EQ(rd(0, CRORC_SP_SIZE), SP << 8 | (i + 2));
	wr(0, CRORC_CONFIG_B, CRORC_CONFIG_B_LENGTH_MAX); /* no detection */
	run(0);
	UNIT_EQ(block(0)->size, CRORC_SUPERPAGE_MAX);
	UNIT_EQ(block(0)->count, 0);
	UNIT_EQ(count(0, 0, "superpages"), 1);
	UNIT_EQ(count(0, 0, "pushes"), i + 2);
	UNIT_EQ(count(0, -1, "dma_outside"), 0);
	host_end();
}

static void held(void)
{
	host_begin();
	start(0);
	run_for(0, 5000000);
	UNIT_EQ(count(0, 0, "xoff"), 1);
	UNIT_EQ(count(0, 0, "xoff_us"), 0); /* it goes on */
	push(0, 0);
	UNIT_EQ(count(0, 0, "xoff_us"), 5000);
	run(0);
	UNIT_EQ(count(0, 0, "xoff"), 2);
	UNIT_EQ(count(0, 0, "generated"), 128);
	UNIT_EQ(count(0, 0, "dropped"), 0);
	host_end();
}

static void rates(void)
{
	host_begin();
	key(0, "rate", "0=8192000,1=16384000");
	start(0);
	start(1);
	push(0, 0);
	push(1, 0);
	run_for(0, 50000000);
	UNIT_EQ(count(0, 0, "generated"), 51);
	UNIT_EQ(count(0, 1, "generated"), 101);
	run_for(0, 10000000);
	UNIT_EQ(count(0, 0, "generated"), 61);
	/* Stopped for a second: the source catches up 10 ms and no more. */
	reset(1);
	run_for(0, 67000000);
	UNIT_EQ(block(0)->count, 0);
	UNIT_EQ(rd(0, CRORC_RATE), 0);
	run_for(0, 1000000000);
	UNIT_EQ(rd(0, CRORC_RATE), 128);
	push(0, 1);
	run(0);
	UNIT_EQ(count(0, 0, "generated"), 128 + 11);
	run_for(0, 2000000000);
	UNIT_EQ(rd(0, CRORC_RATE), 0); /* full again, and more than a second ago */
	host_end();
}

/* After a stop of 5 ms a source catches up, unless the key full-line is on. */
static void full_line(void)
{
	unsigned int full;

	for (full = 0; full < 2; full++) {
		host_begin();
		key(0, "rate", "8192000");
		key(0, "full-line", full ? "on" : "off");
		start(0);
		push(0, 0);
		run_for(0, 133000000); /* 128 pages of 1 ms, and 5 ms without a place */
		UNIT_EQ(count(0, 0, "generated"), 128);
		push(0, 1);
		run(0);
		UNIT_EQ(count(0, 0, "generated"), 128 + (full ? 1 : 6));
		run_for(0, 10000000);
		UNIT_EQ(count(0, 0, "generated"), 138 + (full ? 1 : 6));
		host_end();
	}
}

/* Data paths: three loops and the front end, and which of them need the fibre. */
static bool sends(unsigned int ch)
{
	long long before = count(0, ch, "generated");

	push(ch, 0);
	packets(CRORC_CHANNELS); /* the others have their turn, too */
	return count(0, ch, "generated") > before;
}

static void loops(void)
{
	host_begin();
	/* A generator without a loop sends to the detector, not to the host. */
	dma_on(0);
	generator(0, true);
	CU_ASSERT(!sends(0));
	wr(0, CRORC_CHAN_CSR, CRORC_CHAN_CSR_LOOPBACK);
	CU_ASSERT(sends(0));
	/* Loops in the card and in the DIU need no fibre. */
	key(0, "link-state", "down");
	start(1);
	CU_ASSERT(sends(1));
	dma_on(2);
	UNIT_EQ(command(2, CRORC_DDL_LOOP_DIU, NULL), 1);
	generator(2, true);
	CU_ASSERT(sends(2));
	/* The loop in the SIU is at the far end of the fibre. */
	dma_on(3);
	UNIT_EQ(command(3, CRORC_DDL_LOOP_SIU, NULL), 0);
	generator(3, true);
	CU_ASSERT(!sends(3));
	key(0, "link-state", "up");
	dma_on(3);
	UNIT_EQ(command(3, CRORC_DDL_LOOP_SIU, NULL), 1);
	generator(3, true);
	CU_ASSERT(sends(3));
	key(0, "link-state", "3=down");
	reset(3);
	generator(3, true);
	CU_ASSERT(!sends(3));
	host_end();
}

static void front_end(void)
{
	host_begin();
	dma_on(4);
	CU_ASSERT(!sends(4));
	UNIT_EQ(command(4, CRORC_DDL_RDYRX, NULL), 1);
	packets(1);
	UNIT_EQ(count(0, 4, "generated"), 1);
	/* The fibre is interrupted and restored. */
	key(0, "optical-power", "4=0");
	packets(1);
	UNIT_EQ(count(0, 4, "generated"), 1);
	key(0, "optical-power", "4=400");
	packets(1);
	UNIT_EQ(count(0, 4, "generated"), 2);
	/* With the loop inside the card, data from outside are ignored. */
	wr(4, CRORC_CHAN_CSR, CRORC_CHAN_CSR_LOOPBACK);
	packets(1);
	UNIT_EQ(count(0, 4, "generated"), 2);
	/* A reset of the card does not reach the front end: only EOBTR and a reset of the SIU do.
	 */
	dma_on(4);
	CU_ASSERT(sends(4));
	UNIT_EQ(command(4, CRORC_DDL_EOBTR, NULL), 1);
	dma_on(4);
	CU_ASSERT(!sends(4));
	UNIT_EQ(command(4, CRORC_DDL_STBRD, NULL), 1);
	UNIT_EQ(command(4, CRORC_DDL_SIU_RESET, NULL), 1);
	CU_ASSERT(!sends(4));
	ledger(0);
	host_end();
}

static void outside(void)
{
	host_begin();
	start(0);
	push_at(0, HOST_BASE - 8 * 4096, 0x10000);
	run(0);
	UNIT_EQ(count(0, 0, "dma_outside"), 4);
	UNIT_EQ(block(0)->size, 0x10000);
	UNIT_EQ(word(HOST_BASE, 0, 8192, 3) >> 8 & 0xff, 4);
	UNIT_EQ(crorc_card.dma_outside(host.card), 4);
	/* A page crosses the end of the mapping: the inner part arrives. */
	start(0);
	push_at(0, HOST_BASE - 4096, 0x8000);
	run(0);
	UNIT_EQ(word(HOST_BASE, 0, 8192, 0), (4096 - RDH) / 4);
	/* And a completion block without an address. */
	crorc_card.reset(host.card, 0);
	crorc_card.clear(host.card, 0);
	wr(1, CRORC_CHAN_CSR, CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK);
	generator(1, true);
	push(1, 0);
	run(0);
	UNIT_EQ(count(0, 1, "dma_outside"), 1);
	UNIT_EQ(crorc_card.dma_outside(host.card), 6);
	host_end();
}

static void bus_master(void)
{
	host_begin();
	start(0);
	push(0, 0);
	packets(3);
	host.no_master = true;
	run(0);
	UNIT_EQ(count(0, 0, "generated"), 3);
	flush(0);
	UNIT_EQ(block(0)->count, 0xff);
	UNIT_EQ(count(0, 0, "dma_no_master"), 1);
	host.no_master = false;
	generator(0, false);
	run(0);
	UNIT_EQ(block(0)->count, 0);
	UNIT_EQ(block(0)->size, 3 * 8192);
	ledger(0);
	host_end();
}

static void function_reset(void)
{
	host_begin();
	wr(0, CRORC_I2C_COMMAND, CRORC_I2C_LASER_ON);
	wr(0, CRORC_CONFIG_A, 0x1230);
	start(5);
	push(5, 0);
	packets(4);
	crorc_card.reset(host.card, 0);
	run(0);
	UNIT_EQ(block(5)->count, 0xff);
	UNIT_EQ(rd(5, CRORC_CHAN_CSR), 0);
	UNIT_EQ(rd(5, CRORC_DONE_LOW), 0);
	UNIT_EQ(count(0, 5, "discarded"), 4);
	UNIT_EQ(count(0, -1, "function_resets"), 1);
	UNIT_EQ(rd(0, CRORC_LINK_STATUS), CRORC_LINK_STATUS_LASER);
	UNIT_EQ(rd(0, CRORC_CONFIG_A), 0x1230);
	ledger(0);
	host_end();
}

/* Six channels run at once, in turn; after clear the sums are right. */
static void six(void)
{
	unsigned int ch;

	host_begin();
	for (ch = 0; ch < CRORC_CHANNELS; ch++) {
		start(ch);
		push(ch, 0);
	}
	packets(60);
	for (ch = 0; ch < CRORC_CHANNELS; ch++) {
		UNIT_EQ(count(0, ch, "generated"), 10);
		UNIT_EQ(word(place(ch, 0), 0, 8192, 3) & 0xff, ch);
	}
	crorc_card.clear(host.card, 0);
	UNIT_EQ(count(0, -1, "generated"), 60);
	ledger(0);
	run(0);
	for (ch = 0; ch < CRORC_CHANNELS; ch++)
		UNIT_EQ(block(ch)->size, SP);
	UNIT_EQ(count(0, -1, "superpages"), 6);
	ledger(0);
	host_end();
}

UNIT_MAIN("emu_crorc_dma", {"headers and payload", header},
	  {"counters over superpages and resets", continuous}, {"dynamic offset", dynamic_offset},
	  {"time frames", time_frames}, {"flush", flushed},
	  {"start, stop, start", start_stop_start}, {"a reset affects one channel", reset_scope},
	  {"no data of an earlier run", nothing_old}, {"toggles", toggles},
	  {"pushes that are wrong", pushes}, {"held without superpage", held}, {"rates", rates},
	  {"a line that is full", full_line}, {"loops and the fibre", loops},
	  {"front end", front_end}, {"DMA outside", outside}, {"bus mastering", bus_master},
	  {"function-level reset", function_reset}, {"six channels", six})
