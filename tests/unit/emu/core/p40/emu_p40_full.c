// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A full ring: throttle and truncation to the event id, for sources that wait and for clocks, and
 * their counters.
 */
#include "emu_p40.h"

#define MS 1000000ull
#define SPILL (2u << 20)
#define FIRST 0xfffffff0ull

/* Fragments of 1000 bytes, ten in a packet: 10240 bytes of payload, 10368 in all. */
static void fill(uint32_t policy, uint64_t first, uint32_t more)
{
	host_begin();
	set_wr(MAIN, STREAM_SET_POLICY, policy);
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 10);
	set_wr(MAIN, STREAM_SET_PACK_NS, 0);
	begin(MAIN, 16);
	generate(MAIN, first, 1000, 0, more);
}

#define IN_RING 60 /* events: 6 packets of 162 lines in 1024 */
#define IN_PACKET 10

static void nothing_lost(void)
{
	/* The spill buffer takes events until it has THROTTLE_ON or more. */
	const uint32_t spilled = (SPILL / 4 * 3 + 999) / 1000;
	unsigned int n;

	fill(STREAM_POLICY_THROTTLE, 500, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 5000);
	run(0);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS),
		BLOCK_STATUS_ENABLED | STREAM_STATUS_FULL | STREAM_STATUS_THROTTLING);
	UNIT_EQ(state(MAIN)->status, rd(MAIN, BLOCK_STATUS));
	UNIT_EQ(state(MAIN)->units, 6);
	UNIT_EQ(state(MAIN)->level, spilled * 1000);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_SPILL_LEVEL), spilled * 1000);
	UNIT_EQ(COUNTER(MAIN, offered), IN_RING + IN_PACKET + spilled);
	UNIT_EQ(COUNTER(MAIN, waiting), IN_PACKET + spilled);
	UNIT_EQ(COUNTER(MAIN, throttles), 1);
	UNIT_EQ(COUNTER(MAIN, throttle_first), 500 + IN_RING + IN_PACKET + spilled);
	UNIT_EQ(COUNTER(MAIN, throttle_from), 500 + IN_RING + IN_PACKET + spilled);
	UNIT_EQ(COUNTER(MAIN, throttle_to), 500 + IN_RING + IN_PACKET + spilled - 1);
	UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_CAUSE), STREAM_CAUSE_THROTTLE);
	UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_CHANNELS), 1 << MAIN);
	host.now += 4000;
	UNIT_EQ(COUNTER(MAIN, throttle_cycles), 1000);
	for (n = 0; n < 1000 && reader[MAIN].fragments < 5000; n++) {
		packets(MAIN);
		doorbell(MAIN);
		run(0);
	}
	UNIT_EQ(reader[MAIN].fragments, 5000);
	UNIT_EQ(COUNTER(MAIN, throttled), 0);
	UNIT_EQ(COUNTER(MAIN, truncated), 0);
	UNIT_EQ(COUNTER(MAIN, waiting), 0);
	UNIT_EQ(state(MAIN)->status, BLOCK_STATUS_ENABLED);
	sum_is_right(MAIN);
	host_end();
}

/* The throttle goes off at level THROTTLE_OFF or less, and on again above THROTTLE_ON. */
static void levels(void)
{
	uint64_t first;

	fill(STREAM_POLICY_THROTTLE, 0, 0);
	set_wr(MAIN, STREAM_SET_THROTTLE_ON, 25000);
	set_wr(MAIN, STREAM_SET_THROTTLE_OFF, 15000);
	run(0);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_SPILL_LEVEL), 25000);
	first = COUNTER(MAIN, throttle_first);
	UNIT_EQ(first, IN_RING + IN_PACKET + 25);
	/* Space for one packet: ten events leave the spill buffer, which then is at 15000. */
	packet(MAIN);
	doorbell(MAIN);
	run(0);
	UNIT_EQ(COUNTER(MAIN, throttles), 2);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_SPILL_LEVEL), 25000);
	UNIT_EQ(COUNTER(MAIN, throttle_first), first);
	UNIT_EQ(COUNTER(MAIN, throttle_from), first + 10);
	set_wr(MAIN, STREAM_SET_THROTTLE_OFF, 14999);
	packet(MAIN);
	doorbell(MAIN);
	run(0);
	UNIT_EQ(COUNTER(MAIN, throttles), 2);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_SPILL_LEVEL), 15000);
	/* THROTTLE_OFF above THROTTLE_ON acts as below it. */
	set_wr(MAIN, STREAM_SET_THROTTLE_ON, 6000);
	set_wr(MAIN, STREAM_SET_THROTTLE_OFF, 100000);
	packet(MAIN);
	doorbell(MAIN);
	run(0);
	UNIT_EQ(COUNTER(MAIN, throttles), 3);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_SPILL_LEVEL), 6000);
	set_wr(MAIN, STREAM_SET_THROTTLE_ON, 25000);
	set_wr(MAIN, STREAM_SET_THROTTLE_OFF, 15000);
	packet(MAIN);
	doorbell(MAIN);
	run(0);
	UNIT_EQ(COUNTER(MAIN, throttles), 4);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_SPILL_LEVEL), 25000);
	set_wr(MAIN, STREAM_SET_THROTTLE_ON, 6000);
	set_wr(MAIN, STREAM_SET_THROTTLE_OFF, 100000);
	packet(MAIN);
	doorbell(MAIN);
	run(0);
	UNIT_EQ(COUNTER(MAIN, throttles), 4);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_SPILL_LEVEL), 15000);
	sum_is_right(MAIN);
	host_end();
}

/* Events of a clocked source pass; check exactly which ones. */
static void clocked(void)
{
	uint64_t from, passed = 0, n;

	fill(STREAM_POLICY_THROTTLE, FIRST, STREAM_GENERATOR_CLOCKED);
	set_wr(MAIN, STREAM_SET_THROTTLE_ON, 25000);
	set_wr(MAIN, STREAM_SET_THROTTLE_OFF, 15000);
	set_wr(MAIN, STREAM_SET_RATE, 100000); /* every 10 us */
	run_for(0, MS);
	/* 100 events: 95 are taken, then it is on. */
	UNIT_EQ(COUNTER(MAIN, offered), 100);
	UNIT_EQ(COUNTER(MAIN, throttle_from), FIRST + 95);
	UNIT_EQ(COUNTER(MAIN, throttled), 5);
	UNIT_EQ(COUNTER(MAIN, throttle_to), FIRST + 99);
	sum_is_right(MAIN);
	run_for(0, MS);
	UNIT_EQ(COUNTER(MAIN, throttled), 105);
	UNIT_EQ(COUNTER(MAIN, throttle_to), FIRST + 199);
	/* The reader reads all: the events in the card follow, then new ones. */
	while (reader[MAIN].next_event != FIRST + 90) {
		UNIT_NEED(packets(MAIN));
		doorbell(MAIN);
		run(0);
	}
	UNIT_EQ(reader[MAIN].flags, 0);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_ENABLED);
	run_for(0, MS / 2);
	packet(MAIN);
	UNIT_EQ(reader[MAIN].flags, STREAM_PACKET_GAP);
	UNIT_EQ(reader[MAIN].next_event, FIRST + 95);
	reader[MAIN].next_event += 105;
	UNIT_EQ(packets(MAIN), 5);
	from = reader[MAIN].next_event;
	UNIT_EQ(from, FIRST + 250);
	/* Again, with a reader that is too slow: every event id is accounted for. */
	for (n = 0; n < 100; n++) {
		run_for(0, MS / 3);
		while (reader[MAIN].read != state(MAIN)->written) {
			struct stream_packet p;

			memcpy(&p, ring_byte(MAIN, reader[MAIN].read, 0), sizeof(p));
			passed += p.first_event - reader[MAIN].next_event;
			reader[MAIN].next_event = p.first_event;
			packet(MAIN);
		}
		if (n % 7 == 0)
			doorbell(MAIN);
		sum_is_right(MAIN);
	}
	UNIT_NEED(passed > 100);
	UNIT_NEED(COUNTER(MAIN, throttled) - 105 >= passed);
	UNIT_NEED(COUNTER(MAIN, throttles) > 3);
	/* The last gap is not yet in a packet: after a close all sums hold. */
	wr(MAIN, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE | STREAM_CONTROL_CLOSE);
	for (n = 0; n < 100; n++) {
		doorbell(MAIN);
		run(0);
		while (reader[MAIN].read != state(MAIN)->written) {
			struct stream_packet p;

			memcpy(&p, ring_byte(MAIN, reader[MAIN].read, 0), sizeof(p));
			passed += p.first_event - reader[MAIN].next_event;
			reader[MAIN].next_event = p.first_event;
			packet(MAIN);
		}
	}
	UNIT_NEED(state(MAIN)->status & STREAM_STATUS_ENDED);
	UNIT_EQ(COUNTER(MAIN, events), reader[MAIN].fragments);
	UNIT_EQ(COUNTER(MAIN, offered),
		reader[MAIN].next_event - FIRST + COUNTER(MAIN, throttled) - 105 - passed);
	sum_is_right(MAIN);
	host_end();
}

/* A gap closes the packet before it. */
static void gap(void)
{
	unsigned int n;

	fill(STREAM_POLICY_THROTTLE, 0, STREAM_GENERATOR_CLOCKED);
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 8);
	set_wr(MAIN, STREAM_SET_THROTTLE_ON, 25000);
	set_wr(MAIN, STREAM_SET_THROTTLE_OFF, 15000);
	set_wr(MAIN, STREAM_SET_RATE, 100000);
	run_for(0, 2 * MS);
	UNIT_NEED(COUNTER(MAIN, throttled));
	UNIT_EQ(COUNTER(MAIN, throttle_from), 8 * 8 + 8 + 25);
	/* The card was not stepped meanwhile: these events passed all the same. */
	host.now += MS;
	for (n = 0; n < 10; n++) {
		packets(MAIN);
		doorbell(MAIN);
		run(0);
	}
	UNIT_EQ(COUNTER(MAIN, throttled), 300 - 97);
	/* 97 events, the last one alone in its packet until the next comes. */
	UNIT_EQ(reader[MAIN].next_event, 96);
	run_for(0, MS);
	reader[MAIN].flags = 0;
	packet(MAIN);
	UNIT_EQ(reader[MAIN].flags, STREAM_PACKET_GAP);
	UNIT_EQ(reader[MAIN].next_event, 97);
	host_end();
}

/* Cut from the threshold on: every event is there. */
static void truncation(void)
{
	const uint32_t whole = 20; /* that fit below TRUNCATE_ON */
	unsigned int n;
	uint32_t cut;

	fill(STREAM_POLICY_TRUNCATE, 1000, STREAM_GENERATOR_CLOCKED);
	set_wr(MAIN, STREAM_SET_TRUNCATE_ON, 20000);
	set_wr(MAIN, STREAM_SET_RATE, 100000);
	run_for(0, 2 * MS);
	cut = 200 - IN_RING - IN_PACKET - whole;
	UNIT_EQ(COUNTER(MAIN, offered), 200);
	UNIT_EQ(COUNTER(MAIN, truncated), cut);
	UNIT_EQ(COUNTER(MAIN, truncated_bytes), cut * 1000);
	UNIT_EQ(COUNTER(MAIN, truncations), 1);
	UNIT_EQ(COUNTER(MAIN, truncate_first), 1000 + IN_RING + IN_PACKET + whole);
	UNIT_EQ(COUNTER(MAIN, truncate_from), 1000 + IN_RING + IN_PACKET + whole);
	UNIT_EQ(COUNTER(MAIN, truncate_to), 1199);
	/* From the 91st event's time on. */
	UNIT_EQ(COUNTER(MAIN, truncate_cycles), (2 * MS - 910000) / 4);
	UNIT_EQ(COUNTER(MAIN, throttles), 0);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS),
		BLOCK_STATUS_ENABLED | STREAM_STATUS_FULL | STREAM_STATUS_TRUNCATING);
	set_wr(MAIN, STREAM_SET_RATE,
	       0); /* the source waits now, and has the next events at once */
	set_wide(MAIN, STREAM_SET_LIMIT, 250);
	for (n = 0; n < 30 && reader[MAIN].fragments < 250; n++) {
		run(0);
		packets(MAIN);
		doorbell(MAIN);
	}
	UNIT_EQ(reader[MAIN].fragments, 250);
	UNIT_EQ(reader[MAIN].next_event, 1250);
	UNIT_EQ(reader[MAIN].truncated, COUNTER(MAIN, truncated));
	UNIT_EQ(COUNTER(MAIN, events), 250);
	UNIT_EQ(COUNTER(MAIN, throttled), 0);
	sum_is_right(MAIN);
	host_end();
}

/* Without a policy, or with truncation alone, a full spill buffer throttles all the same. */
static void forced(void)
{
	fill(0, 0, 0);
	run(0);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_SPILL_LEVEL), SPILL / 1000 * 1000);
	UNIT_EQ(COUNTER(MAIN, throttle_from), IN_RING + IN_PACKET + SPILL / 1000);
	host_end();
	fill(STREAM_POLICY_TRUNCATE, 0, 0);
	set_wr(MAIN, STREAM_SET_TRUNCATE_ON, 0); /* all are cut: 8 bytes each */
	run(0);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_SPILL_LEVEL), SPILL);
	UNIT_EQ(COUNTER(MAIN, throttles), 1);
	UNIT_EQ(COUNTER(MAIN, truncated), COUNTER(MAIN, offered));
	sum_is_right(MAIN);
	host_end();
}

/*
 * The event was accepted whole, and is too large for the packets that are allowed when it is
 * packed.
 */
static void cut_late(void)
{
	unsigned int n;

	fill(STREAM_POLICY_THROTTLE, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, IN_RING + IN_PACKET + 30);
	run(0);
	UNIT_EQ(COUNTER(MAIN, waiting), IN_PACKET + 30);
	set_wr(MAIN, STREAM_SET_PACK_BYTES, 512);
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 1);
	for (n = 0; n < 40; n++) {
		packets(MAIN);
		doorbell(MAIN);
		run(0);
	}
	UNIT_EQ(reader[MAIN].truncated, 30);
	UNIT_EQ(COUNTER(MAIN, truncated), 30);
	UNIT_EQ(COUNTER(MAIN, truncated_bytes), 30 * (1000 - (512 - 40)));
	UNIT_EQ(COUNTER(MAIN, truncations), 1);
	UNIT_EQ(COUNTER(MAIN, truncate_first), IN_RING + IN_PACKET);
	UNIT_EQ(COUNTER(MAIN, truncate_to), IN_RING + IN_PACKET + 29);
	host_end();
}

static void reset_of_the_counters(void)
{
	fill(STREAM_POLICY_THROTTLE, 0, STREAM_GENERATOR_CLOCKED);
	set_wr(MAIN, STREAM_SET_RATE, 10000000);
	run_for(0, MS);
	UNIT_EQ(COUNTER(MAIN, throttles), 1);
	wr(MAIN, BLOCK_RESET, BLOCK_RESET_COUNTERS);
	UNIT_EQ(COUNTER(MAIN, throttle_cycles) | COUNTER(MAIN, throttled) |
			COUNTER(MAIN, throttle_first),
		0);
	sum_is_right(MAIN);
	host.now += 400;
	UNIT_EQ(COUNTER(MAIN, throttle_cycles), 100);
	wr(MAIN, BLOCK_RESET, STREAM_RESET_FLUSH);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS) & STREAM_STATUS_THROTTLING, 0);
	sum_is_right(MAIN);
	host_end();
}

/* The page and the registers have the same values. */
static void in_the_page(void)
{
	unsigned int i;

	fill(STREAM_POLICY_THROTTLE, 0, STREAM_GENERATOR_CLOCKED);
	set_wr(MAIN, STREAM_SET_RATE, 10000000);
	set_wide(MAIN, STREAM_SET_LIMIT, 5000);
	run_for(0, 20 * MS);
	UNIT_EQ(page_counters(MAIN)->throttled, COUNTER(MAIN, throttled));
	UNIT_EQ(page_counters(MAIN)->offered, 5000);
	for (i = 0; i < STREAM_COUNTERS; i++) {
		uint64_t value;

		memcpy(&value, (const uint8_t *)page_counters(MAIN) + 8 + 8 * i, 8);
		if (i != 7) /* throttle_cycles go on */
			UNIT_EQ(value, counter(MAIN, i));
	}
	UNIT_EQ(page_counters(MAIN)->sequence, page_counters(MAIN)->sequence_end);
	host_end();
}

/* A clocked source that is throttled for long causes no steps, and the page is updated. */
static void throttled_for_long(void)
{
	unsigned int steps = 0;
	uint64_t end, until;

	fill(STREAM_POLICY_THROTTLE, 0, STREAM_GENERATOR_CLOCKED);
	set_wr(MAIN, STREAM_SET_RATE, 10000000);
	run_for(0, 10 * MS);
	end = host.now + 100 * MS;
	while ((until = run(0)) < end) {
		host.now = until;
		steps++;
	}
	UNIT_NEED(steps < 300);
	UNIT_NEED(host.now - 1000000000 - page_counters(MAIN)->offered * 100 <= 10 * MS);
	UNIT_EQ(page_counters(MAIN)->throttled, page_counters(MAIN)->offered -
							page_counters(MAIN)->events -
							page_counters(MAIN)->waiting);
	/* A read of the counters in between is exact to the event, and so is the end. */
	host.now += 12345;
	UNIT_EQ(COUNTER(MAIN, offered), (host.now - 1000000000) / 100);
	host.now += 12300;
	card_wr(STREAM_CARD_ENABLE, 0);
	host.now += MS;
	UNIT_EQ(COUNTER(MAIN, offered), (host.now - MS - 1000000000) / 100);
	sum_is_right(MAIN);
	host_end();
}

static void odin(void)
{
	host_begin();
	begin(ODIN, 16);
	generate(ODIN, 50, 0, 0, STREAM_GENERATOR_CLOCKED);
	set_wr(ODIN, STREAM_SET_RATE, 1000000);
	run_for(0, 5 * MS);
	/* 1024 in the ring, 768 in the spill buffer. */
	UNIT_EQ(COUNTER(ODIN, events), 1024);
	UNIT_EQ(COUNTER(ODIN, waiting), 768);
	UNIT_EQ(COUNTER(ODIN, throttle_from), 50 + 1024 + 768);
	UNIT_EQ(COUNTER(ODIN, throttled), 5000 - 1024 - 768);
	UNIT_EQ(COUNTER(ODIN, throttle_to), 50 + 4999);
	sum_is_right(ODIN);
	host_end();
}

/*
 * Space is exact to the line: a packet that fits exactly is written; with one line less it is not.
 */
static void room_to_the_line(void)
{
	host_begin();
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 1);
	begin(MAIN, 16);
	/* 40 + 24 bytes of header and payload: a line each. */
	generate(MAIN, 0, 24, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 1023);
	run(0);
	UNIT_EQ(state(MAIN)->written, 1023);
	set_wr(MAIN, STREAM_SET_SIZE_MIN, 25);
	reader[MAIN].min = 24;
	set_wide(MAIN, STREAM_SET_LIMIT, 1024);
	run(0);
	UNIT_EQ(state(MAIN)->written, 1023);
	UNIT_NEED(rd(MAIN, BLOCK_STATUS) & STREAM_STATUS_FULL);
	wr0(P40_DOORBELL(MAIN), 1);
	run(0);
	UNIT_EQ(state(MAIN)->written, 1025);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS) & STREAM_STATUS_FULL, 0);
	host_end();
}

UNIT_MAIN("emulated PCIe40: a full ring", {"a waiting source loses no event", nothing_lost},
	  {"levels of the throttle", levels}, {"a clocked source", clocked}, {"a gap", gap},
	  {"truncation", truncation}, {"throttle without a policy", forced}, {"cut late", cut_late},
	  {"counters reset meanwhile", reset_of_the_counters},
	  {"counters in the page", in_the_page}, {"throttled for long", throttled_for_long},
	  {"ODIN", odin}, {"space to the line", room_to_the_line})
