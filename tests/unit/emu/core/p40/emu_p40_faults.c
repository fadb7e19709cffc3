// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The PCIe40's faults, and DMA outside of what is mapped.
 */
#include "emu_p40.h"

#define MS 1000000ull
#define ONE(s) (1ull << (s) << 32) /* the mask of a fault with two arguments */

/* Generate @n packets of one fragment and 256 bytes. */
static void stream(uint64_t n)
{
	host_begin();
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 1);
	begin(MAIN, 16);
	generate(MAIN, 0, 200, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, n);
	run(0);
}

static void more(uint64_t n)
{
	set_wide(MAIN, STREAM_SET_LIMIT, set_rd(MAIN, STREAM_SET_LIMIT) + n);
	run(0);
}

static void stall(void)
{
	host_begin();
	fault(0, "stall", 1 << MAIN);
	begin(MAIN, 16);
	begin(ODIN, 16);
	generate(MAIN, 0, 200, 0, 0);
	generate(ODIN, 0, 0, 0, 0);
	wr(MAIN, STREAM_ARM, 0);
	run_for(0, 10 * MS);
	UNIT_EQ(state(MAIN)->written, 0);
	UNIT_EQ(host.message[1], 0);
	UNIT_EQ(state(ODIN)->written, 1024);
	wr(MAIN, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE | STREAM_CONTROL_CLOSE);
	run_for(0, 10 * MS);
	UNIT_EQ(state(MAIN)->status & STREAM_STATUS_ENDED, 0);
	p40_card.fault_clear(host.card, 0, "stall");
	run(0);
	UNIT_NEED(state(MAIN)->status & STREAM_STATUS_ENDED);
	host_end();
}

static void state_late(void)
{
	stream(1);
	wr(MAIN, STREAM_ARM, 0);
	run(0);
	fault(0, "state-late", ONE(MAIN) | 3000);
	more(1);
	run_for(0, 3 * MS - 1);
	UNIT_EQ(state(MAIN)->units, 1);
	UNIT_EQ(host.message[1], 1);
	run_for(0, 1);
	UNIT_EQ(state(MAIN)->units, 2);
	wr(MAIN, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE | STREAM_CONTROL_CLOSE);
	run_for(0, 3 * MS - 1);
	UNIT_EQ(state(MAIN)->status & STREAM_STATUS_ENDED, 0);
	run_for(0, 1);
	UNIT_NEED(state(MAIN)->status & STREAM_STATUS_ENDED);
	host_end();
}

static void invalid_positions(void)
{
	stream(4);
	UNIT_EQ(state(MAIN)->written, 16);
	fault(0, "wrong-position", ONE(MAIN) | 7);
	more(1);
	UNIT_EQ(state(MAIN)->written, 27);
	more(1);
	UNIT_EQ(state(MAIN)->written, 24);
	fault(0, "wrong-position", ONE(MAIN) | 0xffffffc0);
	more(1);
	UNIT_EQ(state(MAIN)->written, 28u - 64);
	fault(0, "beyond-ring", ONE(MAIN) | 1);
	wr0(P40_DOORBELL(MAIN), 8);
	more(1);
	UNIT_EQ(state(MAIN)->written, 8 + 1024 + 1);
	/* The card's own counters are right. */
	UNIT_EQ(rd(MAIN, STREAM_WRITTEN), 32);
	wr0(P40_DOORBELL(MAIN), 33);
	UNIT_NEED(rd(MAIN, BLOCK_STATUS) & BLOCK_STATUS_HOST_ERROR);
	fault(0, "torn-state", ONE(MAIN) | 1);
	more(1);
	UNIT_EQ(state(MAIN)->sequence_end, state(MAIN)->sequence - 1);
	more(1);
	UNIT_EQ(state(MAIN)->sequence_end, state(MAIN)->sequence);
	host_end();
}

static void invalid_units(void)
{
	struct stream_packet p;

	stream(0);
	host_end();
	stream(1);
	fault(0, "bad-magic", ONE(MAIN) | 1);
	more(1);
	memcpy(&p, ring_byte(MAIN, 4, 0), sizeof(p));
	UNIT_EQ(p.magic, 0xdead);
	fault(0, "size-zero", ONE(MAIN) | 1);
	more(1);
	memcpy(&p, ring_byte(MAIN, 8, 0), sizeof(p));
	UNIT_EQ(p.size, 0);
	fault(0, "size-big", ONE(MAIN) | 64);
	more(1);
	memcpy(&p, ring_byte(MAIN, 12, 0), sizeof(p));
	UNIT_EQ(p.size, 256 + 64);
	fault(0, "skip-event", ONE(MAIN) | 5);
	more(1);
	memcpy(&p, ring_byte(MAIN, 16, 0), sizeof(p));
	UNIT_EQ(p.first_event, 4 + 5);
	fault(0, "flip", ONE(MAIN) | 1);
	more(1);
	CU_ASSERT_FALSE(fragment_ok(ring_byte(MAIN, 20, 40), 0x0400, 5, 200, 200));
	ring_byte(MAIN, 20, 40)[0] ^= 0x10;
	CU_ASSERT(fragment_ok(ring_byte(MAIN, 20, 40), 0x0400, 5, 200, 200));
	more(1);
	CU_ASSERT(fragment_ok(ring_byte(MAIN, 24, 40), 0x0400, 6, 200, 200));
	UNIT_EQ(state(MAIN)->written, 28);
	host_end();
}

/* Unit numbers without a unit. A skipped event is not offered twice, and is counted. */
static void holes(void)
{
	struct stream_packet p;
	struct stream_odin o;

	stream(1);
	fault(0, "record-hole", ONE(MAIN) | 2);
	more(3);
	memcpy(&p, ring_byte(MAIN, 4, 0), sizeof(p));
	UNIT_EQ(p.number, 3);
	UNIT_EQ(p.first_event, 3);
	UNIT_EQ(state(MAIN)->units, 2);
	UNIT_EQ(count(0, -1, "units_skipped"), 2);
	UNIT_EQ(count(0, -1, "discarded"), 2);
	UNIT_EQ(count(0, -1, "offered"), 4);
	begin(ODIN, 16);
	generate(ODIN, 0, 0, 0, 0);
	fault(0, "record-hole", ONE(ODIN) | 1);
	set_wide(ODIN, STREAM_SET_LIMIT, 3);
	run(0);
	memcpy(&o, ring_byte(ODIN, 0, 0), sizeof(o));
	UNIT_EQ(o.number, 1);
	UNIT_EQ(o.event, 1);
	UNIT_EQ(state(ODIN)->units, 2);
	host_end();
}

static void content_that_lacks(void)
{
	struct stream_packet p;
	uint32_t size;

	stream(1);
	fault(0, "short", ONE(MAIN) | 7);
	more(1);
	memcpy(&size, ring_byte(MAIN, 4, 36), sizeof(size));
	UNIT_EQ(size, 193);
	CU_ASSERT(fragment_ok(ring_byte(MAIN, 4, 40), 0x0400, 1, 193, 200));
	fault(0, "damaged", ONE(MAIN) | 1);
	more(1);
	memcpy(&p, ring_byte(MAIN, 8, 0), sizeof(p));
	UNIT_EQ(p.flags & STREAM_PACKET_TRUNCATED, STREAM_PACKET_TRUNCATED);
	UNIT_EQ(ring_byte(MAIN, 8, STREAM_PACKET_TYPES)[0] & STREAM_FRAGMENT_TRUNCATED,
		STREAM_FRAGMENT_TRUNCATED);
	CU_ASSERT(fragment_ok(ring_byte(MAIN, 8, 40), 0x0400, 2, 200, 200));
	fault(0, "empty", ONE(MAIN) | 1);
	more(1);
	memcpy(&p, ring_byte(MAIN, 12, 0), sizeof(p));
	UNIT_EQ(p.fragments, 0);
	UNIT_EQ(p.size, 64);
	more(1);
	memcpy(&p, ring_byte(MAIN, 13, 0), sizeof(p));
	UNIT_EQ(p.number, 4);
	UNIT_EQ(p.flags, 0);
	CU_ASSERT(fragment_ok(ring_byte(MAIN, 13, 40), 0x0400, 4, 200, 200));
	UNIT_EQ(count(0, -1, "discarded"), 1);
	host_end();
}

static void interrupts(void)
{
	stream(1);
	fault(0, "irq-lost", ONE(MAIN) | 1);
	wr(MAIN, STREAM_ARM, 0);
	run(0);
	UNIT_EQ(host.message[1], 0);
	UNIT_EQ(state(MAIN)->interrupts, 1);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS) & STREAM_STATUS_ARMED, 0);
	/* The driver's watchdog arms again with the same value. */
	wr(MAIN, STREAM_ARM, 0);
	run(0);
	UNIT_EQ(host.message[1], 1);
	wr(MAIN, STREAM_ARM, 4);
	fault(0, "irq-spurious", 2);
	run_for(0, 5 * MS);
	UNIT_EQ(host.message[1], 1 + 3);
	UNIT_NEED(rd(MAIN, BLOCK_STATUS) & STREAM_STATUS_ARMED);
	UNIT_EQ(state(MAIN)->interrupts, 2);
	fault(0, "lost-doorbell", ONE(MAIN) | 2);
	wr0(P40_DOORBELL(MAIN), 4);
	wr(MAIN, STREAM_ARM, 4);
	UNIT_EQ(rd(MAIN, STREAM_READ_NOW), 4);
	UNIT_EQ(count(0, -1, "doorbells_lost"), 2);
	fault(0, "lost-segments", ONE(MAIN) | 1);
	wr(MAIN, STREAM_SEGMENT_SIZE, STREAM_SEGMENT_MIN);
	UNIT_EQ(rd(MAIN, STREAM_SEGMENT_SIZE), 0);
	wr(MAIN, STREAM_SEGMENT_SIZE, STREAM_SEGMENT_MIN);
	UNIT_EQ(rd(MAIN, STREAM_SEGMENT_SIZE), STREAM_SEGMENT_MIN);
	host_end();
}

static void resets(void)
{
	uint32_t generation;

	stream(0);
	generation = rd(MAIN, BLOCK_GENERATION);
	fault(0, "reset-ignored", 1 << MAIN);
	wr(MAIN, BLOCK_RESET, BLOCK_RESET_LOGIC);
	wr(MAIN, BLOCK_CONTROL, 0);
	card_wr(CARD_TEST, 7);
	card_wr(STREAM_CARD_ENABLE, 1 << MAIN);
	wr0(P40_FUNCTION + FUNCTION_RESET, BLOCK_RESET_DEFAULT);
	UNIT_EQ(rd(MAIN, BLOCK_GENERATION), generation);
	UNIT_EQ(card_rd(CARD_TEST), 7);
	UNIT_EQ(card_rd(STREAM_CARD_ENABLE), 1 << MAIN);
	UNIT_NEED(rd(MAIN, BLOCK_STATUS) & BLOCK_STATUS_ENABLED);
	wr0(P40_DOORBELL(MAIN), state(MAIN)->written);
	run(0);
	UNIT_EQ(state(MAIN)->written, 2048); /* it continues to write */
	/* The fault does not affect a function-level reset. */
	p40_card.reset(host.card, 0);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	UNIT_EQ(rd(MAIN, BLOCK_GENERATION), generation + 1);
	host_end();

	stream(0);
	fault(0, "reset-slow", ONE(MAIN) | 5);
	generation = rd(MAIN, BLOCK_GENERATION);
	wr(MAIN, BLOCK_RESET, BLOCK_RESET_LOGIC);
	run_for(0, 5 * MS - 1);
	UNIT_EQ(rd(MAIN, BLOCK_GENERATION), generation);
	UNIT_NEED(rd(MAIN, BLOCK_STATUS) & BLOCK_STATUS_ENABLED);
	run_for(0, 1);
	UNIT_EQ(rd(MAIN, BLOCK_GENERATION), generation + 1);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	host_end();
}

static void quiesced(void)
{
	stream(1);
	fault(0, "never-quiet", 1);
	wr(MAIN, BLOCK_CONTROL, 0);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), 0);
	p40_card.fault_clear(host.card, 0, NULL);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	begin(MAIN, 16);
	fault(0, "write-after-off", ONE(MAIN) | 4);
	wr(MAIN, BLOCK_CONTROL, 0);
	run_for(0, 4 * MS - 1);
	UNIT_EQ(count(0, -1, "stray_writes"), 0);
	host.memory[RING_AT(MAIN) - HOST_BASE] = 0;
	run_for(0, 1);
	UNIT_EQ(host.memory[RING_AT(MAIN) - HOST_BASE], 0x5a);
	UNIT_EQ(count(0, -1, "stray_writes"), 1);
	host_end();
}

static void end_missing(void)
{
	stream(5);
	fault(0, "end-missing", 1 << MAIN);
	wr(MAIN, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE | STREAM_CONTROL_CLOSE);
	run_for(0, 20 * MS);
	UNIT_EQ(packets(MAIN), 5);
	UNIT_EQ(state(MAIN)->status & STREAM_STATUS_ENDED, 0);
	wr(MAIN, BLOCK_CONTROL, 0);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	host_end();

	stream(5);
	fault(0, "end-early", ONE(MAIN) | 1);
	more(1);
	UNIT_EQ(state(MAIN)->status, BLOCK_STATUS_ENABLED | STREAM_STATUS_ENDED);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_ENABLED);
	more(1);
	UNIT_EQ(packets(MAIN), 7);
	UNIT_EQ(state(MAIN)->status, BLOCK_STATUS_ENABLED);
	host_end();
}

/* One of four segments is not mapped: its data are lost and counted. */
static void outside(void)
{
	uint64_t entry;
	uint32_t i;

	host_begin();
	for (i = 0; i < 4; i++) {
		entry = htole64(i == 2 ? HOST_BASE - 0x100000 : RING_AT(MAIN) + 0x10000ull * i);
		memcpy(host.memory + (TABLE_AT - HOST_BASE) + 8 * i, &entry, 8);
	}
	memset(host.memory + (RING_AT(MAIN) - HOST_BASE), 0, 1 << 18);
	addresses(MAIN, TABLE_AT);
	wr(MAIN, STREAM_RING_SIZE, 18);
	wr(MAIN, STREAM_SEGMENT_SIZE, 16);
	wr(MAIN, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	reader[MAIN] = (struct reader){.log2 = 18};
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 10);
	generate(MAIN, 0, 1000, 0, 0);
	run(0);
	UNIT_NEED(count(0, -1, "dma_outside") > 0);
	UNIT_EQ(p40_card.dma_outside(host.card), count(0, -1, "dma_outside"));
	for (i = 0; i < 0x10000; i++)
		UNIT_NEED(!host.memory[RING_AT(MAIN) - HOST_BASE + 0x20000 + i]);
	/* The data before it are at their place: packets of 162 lines. */
	while (reader[MAIN].read + 162 <= 0x800)
		packet(MAIN);
	UNIT_EQ(reader[MAIN].units, 12);
	p40_card.clear(host.card, 0);
	UNIT_EQ(count(0, -1, "dma_outside"), 0);
	UNIT_NEED(p40_card.dma_outside(host.card) > 0);
	host_end();
	/* The control page. */
	host_begin();
	addresses(ODIN, RING_AT(ODIN));
	wr(ODIN, STREAM_PAGE_HIGH, 0xff);
	wr(ODIN, STREAM_RING_SIZE, 16);
	wr(ODIN, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	UNIT_NEED(count(0, -1, "dma_outside") > 0);
	host_end();
}

UNIT_MAIN("emulated PCIe40: faults", {"stall", stall}, {"state late", state_late},
	  {"invalid positions", invalid_positions}, {"invalid units", invalid_units},
	  {"holes", holes}, {"content that lacks", content_that_lacks},
	  {"interrupts lost and spurious", interrupts}, {"resets ignored and slow", resets},
	  {"never quiesced, and a write after off", quiesced}, {"end missing", end_missing},
	  {"DMA outside", outside}, {"every fault", every_fault})
