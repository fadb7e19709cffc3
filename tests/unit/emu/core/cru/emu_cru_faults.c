// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each fault of the emulated CRU has the effect of its name, as often as requested, and stops when
 * cleared.
 */
#include "tests/unit/emu/emu_host.h"

#define PAGES 4
#define BYTES (PAGES * CRU_PAGE_SIZE)
#define INTERNAL CRU_DATA_SOURCE_INTERNAL
#define DATAPATH CRU_DATA_SOURCE_DATAPATH

static uint32_t word(const uint8_t *at, unsigned int n)
{
	uint32_t w;

	memcpy(&w, at + 4 * n, 4);
	return w;
}

/* Packets of link 0, one after the other in 8 KiB slots. */
static uint32_t rdh(unsigned int packet, unsigned int n)
{
	return word(host.memory + packet * CRU_PAGE_SIZE, n);
}

static void push_n(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		push(0, 0, i, PAGES);
}

static void start_packets(void)
{
	wr2(CRU_DATAPATH(0), 1);
	start(0, DATAPATH);
	wr2(CRU_USER_CONTROL, 1);
}

static void clear_fault(const char *name)
{
	CU_ASSERT(cru_card.fault_clear(host.card, 0, name));
}

static void stall(void)
{
	host_begin();
	start(0, INTERNAL);
	push_n(2);
	cru_card.step(host.card, 0, CRU_PAGE_SIZE);
	fault(0, "stall", 1);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	UNIT_EQ(count(0, -1, "dma_writes"), 1);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	clear_fault("stall");
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 2);
	host_end();
}

static void late_completion(void)
{
	host_begin();
	fault(0, "late-completion", 5);
	start(0, INTERNAL);
	push_n(1);
	run(0);
	/* The data are in memory, but are not counted yet. */
	UNIT_EQ(word(host.memory, 8), 1);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	UNIT_EQ(count(0, -1, "open"), 4);
	ledger(0);
	host.now += 4999999;
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	host.now++;
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(0, BYTES));
	/* Superpages that are uncounted at the reset are never counted. */
	push(0, 0, 1, PAGES);
	run(0);
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	host.now += 10000000;
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	UNIT_EQ(count(0, -1, "discarded"), 4);
	ledger(0);
	host_end();
}

static void wrong_count(void)
{
	host_begin();
	fault(0, "wrong-count", 3);
	start(0, INTERNAL);
	push_n(2);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 5);
	UNIT_EQ(count(0, -1, "superpages"), 2);
	UNIT_EQ(cru_card.fault_get(host.card, 0, "wrong-count"), 0);
	host_end();
}

static void size_late(void)
{
	host_begin();
	start(0, INTERNAL);
	push_n(3);
	run(0);
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(0, BYTES));
	fault(0, "size-late", 20);
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(0, BYTES));
	host.now += 19999;
	UNIT_EQ(rd(0, CRU_SP_SIZE(0)), CRU_SP_SIZE_ENTRY(0, BYTES));
	host.now++;
	UNIT_EQ(rd(0, CRU_SP_SIZE(0)), CRU_SP_SIZE_ENTRY(1, BYTES));
	clear_fault("size-late");
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(2, BYTES));
	host_end();
}

static void size_never(void)
{
	host_begin();
	start(0, INTERNAL);
	push_n(3);
	run(0);
	next_size(0, 0);
	fault(0, "size-never", 1);
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(0, BYTES));
	host.now += 1000000000;
	UNIT_EQ(rd(0, CRU_SP_SIZE(0)), CRU_SP_SIZE_ENTRY(0, BYTES));
	clear_fault("size-never");
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(1, BYTES));
	host_end();
}

static void size_zero(void)
{
	host_begin();
	fault(0, "size-zero", 1);
	start(0, INTERNAL);
	push_n(2);
	run(0);
	UNIT_EQ(next_size(0, 0), 0);
	UNIT_EQ(next_size(0, 0), 0);
	clear_fault("size-zero");
	UNIT_EQ(rd(0, CRU_SP_SIZE(0)), CRU_SP_SIZE_ENTRY(1, BYTES));
	host_end();
}

static void size_index(void)
{
	host_begin();
	fault(0, "size-index", 7);
	start(0, INTERNAL);
	push_n(2);
	run(0);
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(7, BYTES));
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(1, BYTES));
	host_end();
}

static void offset_zero(void)
{
	host_begin();
	fault(0, "offset-zero", 2);
	start_packets();
	push_n(1);
	run(0);
	UNIT_EQ(rdh(0, 2) & 0xffff, 0);
	UNIT_EQ(rdh(1, 2) & 0xffff, 0);
	UNIT_EQ(rdh(2, 2) & 0xffff, 0x2000);
	UNIT_EQ(rdh(0, 2) >> 16, 0x2000);
	host_end();
}

static void reset_ignored(void)
{
	host_begin();
	start(0, INTERNAL);
	push_n(2);
	fault(0, "reset-ignored", 1);
	cru_card.step(host.card, 0, CRU_PAGE_SIZE);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	run(0);
	/* The card continued to write. */
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 2);
	clear_fault("reset-ignored");
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	host_end();
}

/* Until the reset is carried out the card continues. */
static void reset_slow(void)
{
	host_begin();
	start(0, INTERNAL);
	push_n(2);
	fault(0, "reset-slow", 5);
	cru_card.step(host.card, 0, CRU_PAGE_SIZE);
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 2);
	host.now += 4999999;
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 2);
	host.now++;
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	/* The reset happens once: superpages pushed after it stay. */
	push_n(1);
	host.now += 5000000;
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	host_end();
}

static unsigned int wrong_bits(const uint8_t *page, uint32_t first)
{
	unsigned int i, bits = 0;

	for (i = 0; i < CRU_PAGE_SIZE / 4; i++)
		bits += __builtin_popcount(word(page, i) ^ (first + i / 8));
	return bits;
}

static void flip(void)
{
	host_begin();
	fault(0, "flip", 2);
	start(0, INTERNAL);
	push_n(1);
	run(0);
	UNIT_EQ(wrong_bits(host.memory, 0), 1);
	UNIT_EQ(wrong_bits(host.memory + CRU_PAGE_SIZE, 256), 1);
	UNIT_EQ(wrong_bits(host.memory + 2 * CRU_PAGE_SIZE, 512), 0);
	host_end();
}

/* Only packets with payload are hit, and never the word from which the reader takes the counter. */
static void flip_packets(void)
{
	const uint8_t *payload;
	unsigned int i, bits = 0, lane;

	host_begin();
	key(0, "packets-per-tf", "8");
	key(0, "packet", "64");
	fault(0, "flip", 1);
	start_packets();
	push_n(2);
	run(0);
	payload = host.memory + 64;
	for (i = 0; i < 16; i++) {
		lane = i % 4 == 3 ? 0 : i / 4;
		bits += __builtin_popcount(word(payload, i) ^ lane);
	}
	UNIT_EQ(bits, 1);
	UNIT_EQ(word(payload, 0), 0);
	UNIT_EQ(cru_card.fault_get(host.card, 0, "flip"), 0);
	host_end();
}

static void skip_packet(void)
{
	host_begin();
	start_packets();
	push_n(1);
	cru_card.step(host.card, 0, CRU_PAGE_SIZE);
	fault(0, "skip-packet", 5);
	run(0);
	UNIT_EQ(rdh(0, 3) >> 8 & 0xff, 0);
	UNIT_EQ(rdh(1, 3) >> 8 & 0xff, 6);
	UNIT_EQ(rdh(2, 3) >> 8 & 0xff, 7);
	host_end();
}

static void bad_tf(void)
{
	unsigned int i, tfs_inside = 0;

	host_begin();
	key(0, "packets-per-tf", "6");
	fault(0, "bad-tf", 1);
	start_packets();
	push_n(6);
	run(0);
	for (i = 0; i < 6 * PAGES; i++) {
		if (rdh(i, 0) == 0x4007 && rdh(i, 8) & 1u << 11 && i % PAGES)
			tfs_inside++;
	}
	UNIT_EQ(tfs_inside, 1);
	/* Frames of 6: the second one begins in the second superpage, behind the first's end. */
	UNIT_EQ(rdh(6, 8) >> 11 & 1, 1);
	host_end();
}

static void bad_link(void)
{
	host_begin();
	fault(0, "bad-link", 1);
	start_packets();
	push_n(1);
	run(0);
	UNIT_EQ(rdh(0, 3) & 0xff, 1);
	UNIT_EQ(rdh(1, 3) & 0xff, 0);
	host_end();
}

static void drop_serial(void)
{
	host_begin();
	UNIT_EQ(rd2(CRU_SERIAL), 0x35343230);
	fault(0, "drop-serial", 1);
	UNIT_EQ(rd2(CRU_SERIAL), 0);
	wr2(CRU_SERIAL_LOAD, 1);
	host.now += 1000000000;
	UNIT_EQ(rd2(CRU_SERIAL), 0);
	wr2(CRU_SERIAL_LOAD, CRU_SERIAL_LOAD_GO);
	UNIT_EQ(rd2(CRU_SERIAL), 0);
	host.now += CRU_SERIAL_LOAD_MS * 1000000;
	UNIT_EQ(rd2(CRU_SERIAL), 0x35343230);
	UNIT_EQ(cru_card.fault_get(host.card, 0, "drop-serial"), 0);
	host_end();
}

static void names(void)
{
	const struct card_fault *f;

	host_begin();
	for (f = cru_card.faults; f->name; f++) {
		UNIT_EQ(cru_card.fault_get(host.card, 1, f->name), 0);
		fault(1, f->name, 3);
		UNIT_EQ(cru_card.fault_get(host.card, 1, f->name), 3);
		UNIT_EQ(cru_card.fault_get(host.card, 0, f->name), 0);
	}
	cru_card.fault_clear(host.card, 1, NULL);
	for (f = cru_card.faults; f->name; f++)
		UNIT_EQ(cru_card.fault_get(host.card, 1, f->name), 0);
	UNIT_EQ(cru_card.fault_set(host.card, 0, "no-such-fault", 1), false);
	UNIT_EQ(cru_card.fault_clear(host.card, 0, "no-such-fault"), false);
	host_end();
}

UNIT_MAIN("emulated CRU, faults", {"stall", stall}, {"late-completion", late_completion},
	  {"wrong-count", wrong_count}, {"size-late", size_late}, {"size-never", size_never},
	  {"size-zero", size_zero}, {"size-index", size_index}, {"offset-zero", offset_zero},
	  {"reset-ignored", reset_ignored}, {"reset-slow", reset_slow}, {"flip", flip},
	  {"flip in packets", flip_packets}, {"skip-packet", skip_packet}, {"bad-tf", bad_tf},
	  {"bad-link", bad_link}, {"drop-serial", drop_serial},
	  {"every name sets, shows and clears its own fault", names})
