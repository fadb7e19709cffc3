// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a stream: refused enables, the table of segments, the orderly end, disabling, bus
 * mastering. Resets are in emu_p40_reset.c.
 */
#include "emu_p40.h"

static uint32_t enable(unsigned int s, uint64_t ring, uint32_t log2, uint32_t segment)
{
	addresses(s, ring);
	wr(s, STREAM_RING_SIZE, log2);
	wr(s, STREAM_SEGMENT_SIZE, segment);
	wr(s, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	return rd(s, BLOCK_STATUS);
}

static void refused(uint32_t status)
{
	UNIT_EQ(status, BLOCK_STATUS_QUIET | BLOCK_STATUS_SETUP_ERROR);
	UNIT_EQ(rd(MAIN, BLOCK_CONTROL), 0);
	UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_CAUSE), FUNCTION_CAUSE_HOST);
	UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_CHANNELS), 1 << MAIN);
	wr0(P40_FUNCTION + FUNCTION_CAUSE, ~0u);
	UNIT_EQ(count(0, -1, "states"), 0);
}

static void enable_refused(void)
{
	static const uint32_t half[] = {STREAM_RING_LOW, STREAM_RING_HIGH, STREAM_PAGE_LOW,
					STREAM_PAGE_HIGH};
	unsigned int i, k;

	host_begin();
	refused(enable(MAIN, RING_AT(MAIN), 15, 0));
	refused(enable(MAIN, RING_AT(MAIN), 35, 0));
	refused(enable(MAIN, RING_AT(MAIN) + 64, 16, 0));
	refused(enable(MAIN, RING_AT(MAIN), 20, 15));
	refused(enable(MAIN, RING_AT(MAIN), 20, 21));
	/* A table of 32768 valid entries. */
	memset(host.memory + (RING_AT(MAIN) - HOST_BASE), 0, 32768 * 8);
	refused(enable(MAIN, RING_AT(MAIN), 31, 16));
	addresses(MAIN, RING_AT(MAIN));
	wr(MAIN, STREAM_PAGE_LOW, (uint32_t)PAGE_AT(MAIN) + 2048);
	wr(MAIN, STREAM_RING_SIZE, 16);
	wr(MAIN, STREAM_SEGMENT_SIZE, 0);
	wr(MAIN, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	refused(rd(MAIN, BLOCK_STATUS));
	/* One of the four address writes was lost. */
	for (i = 0; i < 4; i++) {
		wr(MAIN, BLOCK_RESET, BLOCK_RESET_LOGIC);
		wr(MAIN, STREAM_RING_SIZE, 16);
		for (k = 0; k < 4; k++)
			if (k != i)
				wr(MAIN, half[k], 0);
		wr(MAIN, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
		refused(rd(MAIN, BLOCK_STATUS));
	}
	UNIT_EQ(enable(MAIN, RING_AT(MAIN), 16, 0), BLOCK_STATUS_ENABLED);
	UNIT_EQ(rd(MAIN, STREAM_RING_LOW) | rd(MAIN, STREAM_PAGE_LOW), 0);
	host_end();
}

/* HOST_ERROR persists over a disable; every enable clears it, refused or not. */
static void refusal_clears_errors(void)
{
	host_begin();
	begin(MAIN, 16);
	wr0(P40_DOORBELL(MAIN), 5);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_ENABLED | BLOCK_STATUS_HOST_ERROR);
	wr(MAIN, BLOCK_CONTROL, 0);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_QUIET | BLOCK_STATUS_HOST_ERROR);
	UNIT_EQ(enable(MAIN, RING_AT(MAIN), 15, 0), BLOCK_STATUS_QUIET | BLOCK_STATUS_SETUP_ERROR);
	host_end();
}

/* An enable is shown in the page, and latches the addresses once. */
static void enabling(void)
{
	host_begin();
	wr(MAIN, STREAM_START, 1000);
	begin(MAIN, 16);
	UNIT_EQ(state(MAIN)->sequence, 1);
	UNIT_EQ(state(MAIN)->sequence_end, 1);
	UNIT_EQ(state(MAIN)->written, 1000);
	UNIT_EQ(state(MAIN)->read, 1000);
	UNIT_EQ(state(MAIN)->status, BLOCK_STATUS_ENABLED);
	UNIT_EQ(page_counters(MAIN)->sequence, 1);
	UNIT_EQ(page_counters(MAIN)->sequence_end, 1);
	UNIT_EQ(rd(MAIN, STREAM_WRITTEN), 1000);
	UNIT_EQ(rd0(P40_DOORBELL(MAIN)), 1000);
	/* These addresses apply at the next enable. */
	wr(MAIN, STREAM_RING_LOW, 0);
	wr(MAIN, STREAM_PAGE_LOW, 0);
	wr(MAIN, STREAM_START, 5);
	wr(MAIN, STREAM_RING_SIZE, 30);
	wr(MAIN, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	generate(MAIN, 0, 200, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 1000);
	run_for(0, 5000000);
	UNIT_NEED(packets(MAIN));
	UNIT_EQ(count(0, -1, "dma_outside"), 0);
	UNIT_EQ(rd(MAIN, STREAM_RING_SIZE), 30);
	UNIT_EQ(rd(MAIN, STREAM_START), 5);
	/* The rest of the page is untouched. */
	UNIT_EQ(host.memory[STREAM_PAGE_USED], 0);
	host_end();
}

static void table(uint32_t entries, uint64_t first, uint32_t step)
{
	uint64_t entry;
	uint32_t i;

	for (i = 0; i < entries; i++) {
		entry = htole64(first + (uint64_t)i * step);
		memcpy(host.memory + (TABLE_AT - HOST_BASE) + 8 * i, &entry, 8);
	}
}

static void tables(void)
{
	host_begin();
	table(16, RING_AT(MAIN), 0x11000);
	UNIT_EQ(enable(MAIN, TABLE_AT, 20, 16), BLOCK_STATUS_ENABLED);
	wr(MAIN, BLOCK_CONTROL, 0);
	/* The last entry is not the address of a page. */
	table(15, RING_AT(MAIN), 0x11000);
	host.memory[TABLE_AT - HOST_BASE + 8 * 15] = 1;
	UNIT_EQ(enable(MAIN, TABLE_AT, 20, 16), BLOCK_STATUS_QUIET | BLOCK_STATUS_SETUP_ERROR);
	UNIT_EQ(rd(MAIN, BLOCK_CONTROL), 0);
	/* A table that is mapped only in part. */
	memset(host.memory + HOST_MEMORY - 4096, 0, 4096);
	UNIT_EQ(enable(MAIN, HOST_BASE + HOST_MEMORY - 4096, 26, 16),
		BLOCK_STATUS_QUIET | BLOCK_STATUS_FETCH_ERROR);
	UNIT_EQ(count(0, -1, "dma_outside"), 1);
	fault(0, "fetch-error", 1ull << 32 | 1);
	UNIT_EQ(enable(MAIN, TABLE_AT, 20, 16), BLOCK_STATUS_QUIET | BLOCK_STATUS_FETCH_ERROR);
	UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_CAUSE) & FUNCTION_CAUSE_FETCH, FUNCTION_CAUSE_FETCH);
	/* The table is read once: it may be unmapped afterwards. */
	table(16, RING_AT(MAIN), 0x11000);
	UNIT_EQ(enable(MAIN, TABLE_AT, 20, 16), BLOCK_STATUS_ENABLED);
	memset(host.memory + (TABLE_AT - HOST_BASE), 0xff, 128);
	generate(MAIN, 0, 200, 0, 0);
	run(0);
	UNIT_EQ(count(0, -1, "dma_outside"), 1);
	host_end();
}

/* Without bus mastering the table must wait, and so must a slow card. */
static void loading(void)
{
	host_begin();
	table(16, RING_AT(MAIN), 0x11000);
	host.no_master = true;
	UNIT_EQ(enable(MAIN, TABLE_AT, 20, 16), BLOCK_STATUS_LOADING);
	UNIT_EQ(rd(MAIN, BLOCK_CONTROL), BLOCK_CONTROL_ENABLE);
	run(0);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_LOADING);
	host.no_master = false;
	run(0);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_ENABLED);
	wr(MAIN, BLOCK_CONTROL, 0);
	fault(0, "load-slow", 1ull << 32 | 5);
	UNIT_EQ(enable(MAIN, TABLE_AT, 20, 16), BLOCK_STATUS_LOADING);
	run_for(0, 4000000);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_LOADING);
	wr(MAIN, BLOCK_CONTROL, 0);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	run_for(0, 4000000);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	host_end();
}

/* The enable is carried out later, and STATUS shows no bit until then, with a table or without. */
static void enabled_late(void)
{
	unsigned int segment;

	for (segment = 0; segment <= 16; segment += 16) {
		host_begin();
		table(16, RING_AT(MAIN), 0x11000);
		fault(0, "enable-slow", 1ull << 32 | 5);
		UNIT_EQ(enable(MAIN, segment ? TABLE_AT : RING_AT(MAIN), 20, segment), 0);
		UNIT_EQ(rd(MAIN, BLOCK_CONTROL), BLOCK_CONTROL_ENABLE);
		run_for(0, 4000000);
		UNIT_EQ(rd(MAIN, BLOCK_STATUS), 0);
		run_for(0, 2000000);
		UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_ENABLED);
		wr(MAIN, BLOCK_CONTROL, 0);
		UNIT_EQ(enable(MAIN, segment ? TABLE_AT : RING_AT(MAIN), 20, segment), 0);
		wr(MAIN, BLOCK_CONTROL, 0);
		run_for(0, 6000000);
		UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_QUIET);
		host_end();
	}
}

static void closing(unsigned int s)
{
	wr(s, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE | STREAM_CONTROL_CLOSE);
}

static void close_in_a_packet(void)
{
	uint32_t sequence;

	host_begin();
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 100);
	set_wr(MAIN, STREAM_SET_PACK_NS, 0);
	begin(MAIN, 16);
	generate(MAIN, 7, 40, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 130);
	run(0);
	UNIT_EQ(packets(MAIN), 1);
	UNIT_EQ(COUNTER(MAIN, waiting), 30);
	closing(MAIN);
	set_wide(MAIN, STREAM_SET_LIMIT, 0); /* the source has more events */
	run(0);
	UNIT_EQ(state(MAIN)->status, BLOCK_STATUS_ENABLED | STREAM_STATUS_ENDED);
	UNIT_EQ(packets(MAIN), 1);
	UNIT_EQ(reader[MAIN].fragments, 130);
	UNIT_EQ(reader[MAIN].flags, STREAM_PACKET_CLOSED);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS),
		BLOCK_STATUS_ENABLED | STREAM_STATUS_ENDED | BLOCK_STATUS_QUIET);
	UNIT_EQ(page_counters(MAIN)->events, 130);
	UNIT_EQ(page_counters(MAIN)->waiting, 0);
	/* No data follow, whatever is written. */
	sequence = state(MAIN)->sequence;
	doorbell(MAIN);
	closing(MAIN);
	wr(MAIN, STREAM_ARM, reader[MAIN].read);
	set_wr(MAIN, STREAM_SET_GENERATOR, 0);
	set_wr(MAIN, STREAM_SET_GENERATOR, 1);
	run_for(0, 10000000);
	UNIT_EQ(state(MAIN)->sequence, sequence);
	UNIT_EQ(state(MAIN)->units, 2);
	UNIT_EQ(rd(MAIN, STREAM_READ_NOW), reader[MAIN].read);
	UNIT_EQ(count(0, -1, "ends"), 1);
	sum_is_right(MAIN);
	host_end();
}

static void close_of_nothing(void)
{
	unsigned int s;

	host_begin();
	for (s = 0; s < P40_STREAMS; s++) {
		closing(s); /* not enabled, refused: no end */
		begin(s, 16);
		UNIT_EQ(state(s)->status, BLOCK_STATUS_ENABLED);
		closing(s);
		run(0);
		UNIT_EQ(state(s)->status, BLOCK_STATUS_ENABLED | STREAM_STATUS_ENDED);
		UNIT_EQ(state(s)->units, 0);
	}
	UNIT_EQ(count(0, -1, "ends"), P40_STREAMS);
	host_end();
}

/* With a full ring the end comes when all data have been read. */
static void close_when_full(void)
{
	unsigned int n;

	host_begin();
	begin(MAIN, 16);
	generate(MAIN, 0, 1000, 0, 0);
	run(0);
	UNIT_NEED(rd(MAIN, BLOCK_STATUS) & STREAM_STATUS_FULL);
	closing(MAIN);
	run(0);
	UNIT_EQ(state(MAIN)->status & STREAM_STATUS_ENDED, 0);
	for (n = 0; n < 1000 && !(state(MAIN)->status & STREAM_STATUS_ENDED); n++) {
		packets(MAIN);
		doorbell(MAIN);
		run(0);
	}
	packets(MAIN);
	UNIT_EQ(COUNTER(MAIN, events), reader[MAIN].fragments);
	UNIT_EQ(COUNTER(MAIN, offered), reader[MAIN].fragments);
	UNIT_EQ(COUNTER(MAIN, waiting), 0);
	host_end();
}

/* Disabled in the middle of a packet, while data are being written. */
static void disable_at_once(void)
{
	uint32_t written, sequence;

	host_begin();
	set_wr(MAIN, STREAM_SET_PACK_BYTES, 1 << 20);
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 60000);
	begin(MAIN, 22);
	generate(MAIN, 0, 1000, 0, 0);
	while (COUNTER(MAIN, waiting) < 900 || count(0, -1, "dma_writes") < 3)
		p40_card.step(host.card, 0, 4096);
	wr(MAIN, BLOCK_CONTROL, 0);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	written = state(MAIN)->written;
	sequence = state(MAIN)->sequence;
	memset(host.memory + (RING_AT(MAIN) - HOST_BASE), 0xee, 4 << 20);
	run_for(0, 20000000);
	for (uint32_t i = 0; i < 4 << 20; i++)
		UNIT_NEED(host.memory[(RING_AT(MAIN) - HOST_BASE) + i] == 0xee);
	UNIT_EQ(state(MAIN)->written, written);
	UNIT_EQ(state(MAIN)->sequence, sequence);
	UNIT_EQ(COUNTER(MAIN, waiting), 0);
	UNIT_NEED(COUNTER(MAIN, discarded) >= 900);
	sum_is_right(MAIN);
	/* Doorbells of a host that has not yet noticed the disable are no error. */
	wr0(P40_DOORBELL(MAIN), 12345);
	wr(MAIN, STREAM_ARM, 12345);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	host_end();
}

/* Without bus mastering everything waits, in order, and a reset discards it. */
static void no_bus(void)
{
	uint32_t generation;

	host_begin();
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 5);
	begin(MAIN, 16);
	host.no_master = true;
	generate(MAIN, 0, 64, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 50);
	run(0);
	UNIT_EQ(state(MAIN)->units, 0);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS) & BLOCK_STATUS_QUIET, 0);
	sum_is_right(MAIN);
	host.no_master = false;
	run(0);
	UNIT_EQ(packets(MAIN), 10);
	host.no_master = true;
	set_wide(MAIN, STREAM_SET_LIMIT, 100);
	run(0);
	generation = rd(MAIN, BLOCK_GENERATION);
	wr(MAIN, BLOCK_RESET, BLOCK_RESET_LOGIC);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	UNIT_EQ(rd(MAIN, BLOCK_GENERATION), generation + 1);
	host.no_master = false;
	run(0);
	UNIT_EQ(state(MAIN)->units, 10);
	UNIT_EQ(COUNTER(MAIN, waiting), 0);
	sum_is_right(MAIN);
	host_end();
}

/* The source is stopped while its bit of the mask is 0. */
static void mask(void)
{
	host_begin();
	card_wr(STREAM_CARD_ENABLE, 0x7e);
	begin(MAIN, 16);
	generate(MAIN, 0, 64, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 50);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	UNIT_EQ(COUNTER(MAIN, offered), 0);
	card_wr(STREAM_CARD_ENABLE, 0x7f);
	run_for(0, 2000000);
	packets(MAIN);
	UNIT_EQ(reader[MAIN].fragments, 50);
	host_end();
}

UNIT_MAIN("emulated PCIe40: life of a stream", {"enabling refused", enable_refused},
	  {"a refusal clears errors", refusal_clears_errors}, {"enabling", enabling},
	  {"tables of segments", tables}, {"loading", loading}, {"enabled late", enabled_late},
	  {"close in the middle of a packet", close_in_a_packet},
	  {"close of nothing", close_of_nothing}, {"close when the ring is full", close_when_full},
	  {"disable at once", disable_at_once}, {"no bus mastering", no_bus},
	  {"mask of the card", mask})
