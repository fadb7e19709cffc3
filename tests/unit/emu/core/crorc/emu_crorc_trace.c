// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The register trace that the hardware description of the C-RORC gives, access by access: every
 * value that the software must read, at its bus addresses, through both wraps of the 8-bit
 * counters.
 */
#include "emu_crorc.h"

#define BASE 0x123400000ull
#define BLOCK 0x56789000ull
#define SUPERPAGES 300
#define IN_MEMORY (HOST_MEMORY / SP)

static struct block done __attribute__((aligned(8)));

static enum card_dma dma(void *ctx, unsigned int fn, uint64_t addr, size_t *len, void **ptr)
{
	if (addr >= BLOCK && addr < BLOCK + sizeof(done)) {
		if (*len > BLOCK + sizeof(done) - addr)
			*len = BLOCK + sizeof(done) - addr;
		*ptr = (uint8_t *)&done + (addr - BLOCK);
		return CARD_DMA_OK;
	}
	if (addr < BASE || addr >= BASE + HOST_MEMORY)
		return CARD_DMA_OUTSIDE;
	if (*len > BASE + HOST_MEMORY - addr)
		*len = BASE + HOST_MEMORY - addr;
	*ptr = host.memory + (addr - BASE);
	return CARD_DMA_OK;
}

static const struct card_host calls = {.dma = dma, .now = host_now};

static void begin(void)
{
	host_begin();
	crorc_card.destroy(host.card);
	host.card = crorc_card.create(&calls);
	UNIT_NEED(host.card);
	done = (struct block){0, 0xff};
}

static uint64_t address(unsigned int n)
{
	return BASE + (uint64_t)(n % IN_MEMORY) * SP;
}

static void start_dma(void)
{
	done = (struct block){0, 0xff};
	wr(0, 0x000, 3);
	wr(0, 0x000, 3);
	wr(0, 0x040, BLOCK);
	wr(0, 0x044, 0);
	UNIT_EQ(rd(0, 0x010), 0);
	wr(0, 0x010, 0x200);
}

/* Push superpage n, counted from 1, and check the values that must be read back. */
static void push_and_check(unsigned int n)
{
	uint64_t addr = address(n - 1);

	wr(0, 0x030, addr >> 32);
	UNIT_EQ(rd(0, 0x030), addr >> 32);
	wr(0, 0x02c, (uint32_t)addr);
	UNIT_EQ(rd(0, 0x02c), (uint32_t)addr);
	wr(0, 0x028, SP);
	UNIT_EQ(rd(0, 0x028), 0x10000000u | (n & 0xff));
}

static void internal(void)
{
	unsigned int n;

	begin();
	wr(0, 0x000, 3);
	wr(0, 0x000, 3);
	start_dma();
	UNIT_EQ(rd(0, 0x010), 0x200);
	wr(0, 0x010, 0x1000);
	UNIT_EQ(rd(0, 0x020), 0);
	wr(0, 0x020, 0x80000000);
	run_for(0, 100000000);
	UNIT_EQ(done.count, 0xff);
	for (n = 1; n <= SUPERPAGES; n++) {
		push_and_check(n);
		UNIT_EQ(done.count, (n - 2) & 0xff);
		run(0);
		UNIT_EQ(done.size, SP);
		UNIT_EQ(done.count, (n - 1) & 0xff);
	}
	/* One superpage is open and partly filled when the run is stopped. */
	push_and_check(n);
	packets(5);
	UNIT_EQ(rd(0, 0x020), 0x80000000);
	wr(0, 0x020, 0);
	UNIT_EQ(rd(0, 0x1f4), 0x1100);
	wr(0, 0x1f4, 0x11100);
	UNIT_EQ(rd(0, 0x010), 0x1200);
	UNIT_EQ(done.count, (n - 1) & 0xff); /* before that read returned */
	UNIT_EQ(done.size, 5 * 8192);
	wr(0, 0x010, 0x1200);
	UNIT_EQ(rd(0, 0x010), 0);
	UNIT_EQ(rd(0, 0x1f4), 0x1100);
	run(0);
	UNIT_EQ(done.count, (n - 1) & 0xff);
	UNIT_EQ(count(0, 0, "packets"), SUPERPAGES * 128 + 5);
	UNIT_EQ(count(0, -1, "dma_outside"), 0);
	UNIT_EQ(count(0, -1, "protocol_errors"), 0);
	host_end();
}

/* Send a command, poll and pop; @reply is the expected status word. */
static void ddl(uint32_t value, uint32_t reply)
{
	wr(0, 0x018, value);
	UNIT_EQ(rd(0, 0x010) >> 23 & 1, 1);
	UNIT_EQ(rd(0, 0x010) >> 23 & 1, 1);
	UNIT_EQ(rd(0, 0x01c), reply);
	UNIT_EQ(rd(0, 0x010) >> 23 & 1, 0);
}

static void link_check(void)
{
	unsigned int i;

	for (i = 0; i < 1001; i++) {
		if (rd(0, 0x010) & 0x2000) {
			CU_FAIL("the link is not up all the time");
			return;
		}
	}
}

static void open_with_siu(void)
{
	begin();
	wr(0, 0x000, 3);
	ddl(0xf1, 0x01);
	link_check();
	ddl(0xf1, 0x01);
	wr(0, 0x000, 3);
	link_check();
}

static void three_superpages(void)
{
	unsigned int n;

	for (n = 1; n <= 3; n++) {
		push_and_check(n);
		run(0);
		UNIT_EQ(done.size, SP);
		UNIT_EQ(done.count, n - 1);
	}
	push_and_check(n);
	packets(7);
}

static void flush_and_off(uint32_t csr)
{
	UNIT_EQ(rd(0, 0x1f4), 0x1100);
	wr(0, 0x1f4, 0x11100);
	UNIT_EQ(rd(0, 0x010), csr);
	UNIT_EQ(done.count, 3);
	UNIT_EQ(done.size, 7 * 8192);
	wr(0, 0x010, csr);
	UNIT_EQ(rd(0, 0x010), 0);
	host_end();
}

static void front_end_with(uint32_t open)
{
	open_with_siu();
	start_dma();
	link_check();
	run(0);
	UNIT_EQ(count(0, 0, "xoff"), 0); /* no source sends yet */
	ddl(open, 0x04);
	run(0);
	UNIT_EQ(count(0, 0, "xoff"), 1);
	three_superpages();
	ddl(0xb4, 0x04);
	run(0);
	UNIT_EQ(count(0, 0, "generated"), 3 * 128 + 7);
	flush_and_off(0x200);
}

static void front_end(void)
{
	front_end_with(0x14);
}

static void block_read(void)
{
	front_end_with(0x54);
}

static void loop_with(uint32_t value, uint32_t reply)
{
	start_dma();
	UNIT_EQ(rd(0, 0x010), 0x200);
	ddl(value, reply);
	UNIT_EQ(rd(0, 0x020), 0);
	wr(0, 0x020, 0x80000000);
	three_superpages();
	UNIT_EQ(rd(0, 0x020), 0x80000000);
	wr(0, 0x020, 0);
	flush_and_off(0x200);
}

static void siu_loop(void)
{
	open_with_siu();
	loop_with(0x92, 0x02);
}

static void diu_loop(void)
{
	begin();
	wr(0, 0x000, 3);
	wr(0, 0x000, 3);
	loop_with(0x91, 0x01);
}

UNIT_MAIN("emu_crorc_trace", {"the trace: internal, 301 superpages", internal},
	  {"front end, RDYRX", front_end}, {"front end, STBRD", block_read},
	  {"loop in the SIU", siu_loop}, {"loop in the DIU", diu_loop})
