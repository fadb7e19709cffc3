// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets of the PCIe40's main stream: every byte, over the end of the ring and the wrap of
 * positions.
 */
#include "emu_p40.h"

/* Read @count packets and return the space after each. */
static void read_on(unsigned int count)
{
	unsigned int n = 0;

	while (n < count) {
		run(0);
		UNIT_NEED(state(MAIN)->written != reader[MAIN].read);
		n += packets(MAIN);
		doorbell(MAIN);
	}
}

static void one_fragment(void)
{
	host_begin();
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 1);
	begin(MAIN, 16);
	generate(MAIN, 0, 100, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 3);
	run(0);
	UNIT_EQ(packets(MAIN), 3);
	UNIT_EQ(reader[MAIN].bytes, 3 * 192); /* 40 + 104, in lines */
	UNIT_EQ(state(MAIN)->units, 3);
	UNIT_EQ(state(MAIN)->last_event, 2);
	UNIT_EQ(COUNTER(MAIN, units), 3);
	UNIT_EQ(COUNTER(MAIN, bytes), 3 * 192);
	UNIT_EQ(COUNTER(MAIN, events), 3);
	sum_is_right(MAIN);
	host_end();
}

static void over_the_end(void)
{
	host_begin();
	begin(MAIN, 16);
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 7);
	generate(MAIN, 0, 1, 3000, 0);
	read_on(500);
	UNIT_NEED(reader[MAIN].bytes > 4 << 16);
	UNIT_EQ(COUNTER(MAIN, throttled), 0);
	sum_is_right(MAIN);
	host_end();
}

static void positions_wrap(void)
{
	host_begin();
	key(0, "position-start", "0xffffff00");
	begin(MAIN, 16);
	UNIT_EQ(reader[MAIN].read, 0xffffff00);
	UNIT_EQ(state(MAIN)->written, 0xffffff00);
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 3);
	generate(MAIN, 0xfffffff0, 500, 700, 0);
	read_on(100);
	UNIT_NEED(reader[MAIN].read < 0x10000);
	UNIT_NEED(reader[MAIN].next_event > 0x100000000);
	host_end();
}

static void alignments(void)
{
	uint32_t align;

	for (align = STREAM_SET_ALIGN_MIN; align <= STREAM_SET_ALIGN_MAX; align++) {
		host_begin();
		begin(MAIN, 17);
		set_wr(MAIN, STREAM_SET_ALIGN, align);
		set_wr(MAIN, STREAM_SET_PACK_EVENTS, 50);
		generate(MAIN, align, 0, 300, 0);
		read_on(200);
		host_end();
	}
}

static void segments(void)
{
	uint64_t entry;
	uint32_t i;

	host_begin();
	for (i = 0; i < 4; i++) {
		entry = htole64(RING_AT(MAIN) + (uint64_t)((i * 3 + 1) % 4) * 0x11000 +
				(i == 2 ? 0x80000 : 0));
		memcpy(host.memory + (TABLE_AT - HOST_BASE) + 8 * i, &entry, 8);
	}
	addresses(MAIN, TABLE_AT);
	wr(MAIN, STREAM_RING_SIZE, 18);
	wr(MAIN, STREAM_SEGMENT_SIZE, 16);
	wr(MAIN, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	UNIT_NEED(rd(MAIN, BLOCK_STATUS) & BLOCK_STATUS_ENABLED);
	reader[MAIN] = (struct reader){.log2 = 18, .segment_log2 = 16};
	generate(MAIN, 5, 10, 9000, 0);
	read_on(100);
	UNIT_EQ(count(0, -1, "dma_outside"), 0);
	host_end();
}

UNIT_MAIN("emulated PCIe40: packets", {"one fragment in each", one_fragment},
	  {"over the ring's end", over_the_end}, {"positions and event ids wrap", positions_wrap},
	  {"every alignment", alignments}, {"a ring in segments", segments})
