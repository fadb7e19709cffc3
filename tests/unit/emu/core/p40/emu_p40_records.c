// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Meta and ODIN records, and how packets are filled: number, bytes, time, limits, rates.
 */
#include "emu_p40.h"

#define MS 1000000ull

static const struct stream_meta *meta(uint32_t n)
{
	return (const void *)ring_byte(META, n, 0);
}

static void index_of_main(void)
{
	unsigned int n = 0, i;
	uint32_t at;

	host_begin();
	key(0, "position-start", "0xfffff000");
	card_wr(CARD_SOURCE, 0xabcd);
	begin(MAIN, 17);
	begin(META, 16);
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 9);
	generate(MAIN, 0xffffff00, 0, 2000, 0);
	while (n < 1500) {
		run(0);
		while (reader[MAIN].read != state(MAIN)->written) {
			uint64_t first = reader[MAIN].next_event;
			uint32_t position = reader[MAIN].read;
			const struct stream_meta *m;

			UNIT_NEED(reader[META].read != state(META)->written);
			packet(MAIN);
			m = meta(reader[META].read);
			UNIT_EQ(m->magic, STREAM_MAGIC_META);
			UNIT_EQ(m->version, 1);
			UNIT_EQ(m->size, 64);
			UNIT_EQ(m->first_event, first);
			UNIT_EQ(m->number, n);
			UNIT_EQ(m->position, position);
			UNIT_EQ(m->bytes, (reader[MAIN].read - position) * LINE);
			UNIT_EQ(m->fragments, reader[MAIN].next_event - first);
			UNIT_EQ(m->truncated, 0);
			UNIT_EQ(m->source, 0xabcd);
			UNIT_EQ(m->flags, reader[MAIN].flags);
			/* Closed in this round, or in the one before for lack of space. */
			UNIT_NEED((host.now - 1000000000) / 4 - m->cycles <= 1000);
			UNIT_EQ(m->zero[0] | m->zero[1] | m->align, 0);
			reader[META].read++;
			n++;
		}
		doorbell(MAIN);
		doorbell(META);
		host.now += 4000;
	}
	UNIT_EQ(reader[META].read, state(META)->written);
	UNIT_EQ(COUNTER(META, units), n);
	UNIT_EQ(COUNTER(META, events), COUNTER(MAIN, events));
	UNIT_EQ(state(META)->last_event, reader[MAIN].next_event - 1);
	at = reader[META].read;
	/* A close of meta does not affect main. */
	wr(META, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE | STREAM_CONTROL_CLOSE);
	run(0);
	UNIT_NEED(state(META)->status & STREAM_STATUS_ENDED);
	for (i = 0; i < 5; i++) {
		packets(MAIN);
		doorbell(MAIN);
		run(0);
	}
	UNIT_EQ(state(META)->written, at);
	sum_is_right(META);
	sum_is_right(MAIN);
	host_end();
}

/* No reader consumes the records: main waits, or the records are dropped and counted. */
static void meta_full(void)
{
	unsigned int n;

	host_begin();
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 2);
	begin(MAIN, 20);
	begin(META, 16);
	generate(MAIN, 0, 10, 0, 0);
	for (n = 0; n < 10; n++) {
		run(0);
		packets(MAIN);
		doorbell(MAIN);
	}
	UNIT_EQ(reader[MAIN].units, 1024);
	UNIT_NEED(rd(MAIN, BLOCK_STATUS) & STREAM_STATUS_FULL);
	UNIT_NEED(rd(META, BLOCK_STATUS) & STREAM_STATUS_FULL);
	UNIT_NEED(rd(MAIN, BLOCK_STATUS) & STREAM_STATUS_THROTTLING);
	reader[META].read++;
	doorbell(META);
	run(0);
	UNIT_EQ(packets(MAIN), 1);
	set_wr(META, STREAM_SET_POLICY, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, COUNTER(MAIN, offered) + 0);
	for (n = 0; n < 1000 && COUNTER(MAIN, waiting); n++) {
		run_for(0, 2 * MS);
		packets(MAIN);
		doorbell(MAIN);
	}
	UNIT_EQ(COUNTER(META, units), 1025);
	UNIT_EQ(COUNTER(META, truncations), 1);
	UNIT_EQ(COUNTER(META, truncate_first), 2050);
	UNIT_EQ(COUNTER(META, truncate_from), 2050);
	UNIT_EQ(COUNTER(META, truncate_to), COUNTER(MAIN, events) - 1);
	UNIT_EQ(COUNTER(META, truncated), COUNTER(MAIN, events) - 2050);
	UNIT_EQ(COUNTER(META, truncated_bytes), LINE * (reader[MAIN].units - 1025));
	sum_is_right(META);
	sum_is_right(MAIN);
	host_end();
}

static void odin(void)
{
	const uint64_t first = 0xffffff80;
	unsigned int s, n, i;

	host_begin();
	card_wr(CARD_SOURCE, 0x1234);
	for (s = ODIN; s < P40_STREAMS; s++) {
		wr(s, STREAM_START, 0xfffffff0);
		begin(s, 16);
		generate(s, first + s, 0, 0, 0);
	}
	for (n = 0; n < 20; n++) {
		run(0);
		for (s = ODIN; s < P40_STREAMS; s++) {
			for (; reader[s].read != state(s)->written; reader[s].read++) {
				const struct stream_odin *o =
					(const void *)ring_byte(s, reader[s].read, 0);

				UNIT_EQ(o->magic, STREAM_MAGIC_ODIN);
				UNIT_EQ(o->version, 1);
				UNIT_EQ(o->size, 64);
				UNIT_EQ(o->event, reader[s].next_event);
				UNIT_EQ(o->number, reader[s].units);
				UNIT_EQ(o->stream, s - ODIN);
				UNIT_EQ(o->source, 0x1234);
				UNIT_EQ(o->orbit, (uint32_t)(o->event / 3564));
				UNIT_EQ(o->bunch, o->event % 3564);
				UNIT_EQ(o->trigger, 1);
				UNIT_EQ(o->cycles, (host.now - 1000000000) / 4);
				for (i = 0; i < 6; i++)
					UNIT_EQ(o->word[i], stream_pattern(0x1234, o->event) + i);
				reader[s].next_event++;
				reader[s].units++;
			}
			doorbell(s);
		}
		host.now += 400;
	}
	for (s = ODIN; s < P40_STREAMS; s++) {
		UNIT_EQ(reader[s].units, 20 * 1024);
		UNIT_EQ(state(s)->last_event, reader[s].next_event - 1);
		UNIT_NEED(reader[s].next_event > 0x100000000);
		sum_is_right(s);
	}
	host_end();
}

static uint32_t fragments(void)
{
	uint64_t before = reader[MAIN].fragments;

	packet(MAIN);
	doorbell(MAIN);
	return reader[MAIN].fragments - before;
}

static void packing(void)
{
	host_begin();
	begin(MAIN, 20);
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 50);
	set_wr(MAIN, STREAM_SET_PACK_NS, 0);
	generate(MAIN, 0, 100, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 50);
	run(0);
	UNIT_EQ(fragments(), 50);
	UNIT_EQ(reader[MAIN].flags, 0);
	/* By bytes: 32 of header and 109 for each. */
	set_wr(MAIN, STREAM_SET_PACK_BYTES, 1024);
	set_wide(MAIN, STREAM_SET_LIMIT, 60);
	run(0);
	UNIT_EQ(fragments(), 9);
	UNIT_EQ(reader[MAIN].read, state(MAIN)->written);
	set_wr(MAIN, STREAM_SET_PACK_NS, 500000); /* the only remaining limit */
	run_for(0, 499000);
	UNIT_EQ(reader[MAIN].read, state(MAIN)->written);
	run_for(0, 1000);
	UNIT_EQ(fragments(), 1);
	UNIT_EQ(reader[MAIN].flags, STREAM_PACKET_AGED);
	UNIT_EQ(reader[MAIN].next_event, 60);
	host_end();
}

/* A packet is at most half the ring; a fragment that is larger is cut. */
static void largest(void)
{
	unsigned int n;

	host_begin();
	set_wr(MAIN, STREAM_SET_PACK_BYTES, 1 << 20);
	begin(MAIN, 16);
	generate(MAIN, 0, 40000, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 10);
	for (n = 0; n < 10; n++) {
		run_for(0, MS);
		packets(MAIN);
		doorbell(MAIN);
	}
	UNIT_EQ(reader[MAIN].fragments, 10);
	UNIT_EQ(reader[MAIN].truncated, 10);
	UNIT_EQ(reader[MAIN].bytes, 10 * 32768);
	UNIT_EQ(COUNTER(MAIN, truncated), 10);
	UNIT_EQ(COUNTER(MAIN, truncated_bytes), 10 * (40000 - 32768 + 40));
	UNIT_EQ(COUNTER(MAIN, truncations), 1);
	sum_is_right(MAIN);
	host_end();
	/* In a ring that is large enough a MiB goes in one piece. */
	host_begin();
	set_wr(MAIN, STREAM_SET_PACK_BYTES, 1 << 20);
	begin(MAIN, 21);
	generate(MAIN, 0, (1 << 20) - 40, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 3);
	for (n = 0; n < 3; n++) {
		run_for(0, MS);
		UNIT_EQ(packets(MAIN), n ? 1 : 2);
		doorbell(MAIN);
		n += !n;
	}
	UNIT_EQ(reader[MAIN].bytes, 3 << 20);
	UNIT_EQ(reader[MAIN].truncated, 0);
	host_end();
}

static void many_fragments(void)
{
	host_begin();
	set_wr(MAIN, STREAM_SET_PACK_BYTES, 1 << 20);
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 65535);
	begin(MAIN, 22);
	generate(MAIN, 3, 0, 7, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 2 * 65535);
	run(0);
	UNIT_EQ(fragments(), 65535);
	UNIT_EQ(fragments(), 65535);
	host_end();
}

/* Events per second, LIMIT, and a source that catches up 10 ms and not more. */
static void rates(void)
{
	host_begin();
	begin(MAIN, 20);
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 1);
	set_wr(MAIN, STREAM_SET_RATE, 1000);
	generate(MAIN, 0, 10, 0, 0);
	run_for(0, 100 * MS);
	UNIT_EQ(COUNTER(MAIN, events), 100);
	host.now += 1000 * MS; /* the card was not stepped */
	run(0);
	UNIT_NEED(COUNTER(MAIN, events) <= 112);
	UNIT_NEED(COUNTER(MAIN, events) >= 110);
	set_wide(MAIN, STREAM_SET_LIMIT, 200);
	run_for(0, 1000 * MS);
	UNIT_EQ(COUNTER(MAIN, events), 200);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_GENERATED), 200);
	/* RUN restarts the generator. */
	set_wr(MAIN, STREAM_SET_GENERATOR, 0);
	set_wr(MAIN, STREAM_SET_GENERATOR, 1);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_GENERATED), 0);
	run_for(0, 1000 * MS);
	UNIT_EQ(COUNTER(MAIN, events), 400);
	UNIT_EQ(COUNTER(MAIN, offered), 400);
	host_end();
}

/* Key rate: bytes/s into the ring, as on the other cards. */
static void pace(void)
{
	unsigned int n;

	host_begin();
	key(0, "rate", "0=100000000,2=6400000");
	begin(MAIN, 22);
	begin(ODIN, 22);
	generate(MAIN, 0, 3000, 0, 0);
	generate(ODIN, 0, 0, 0, 0);
	for (n = 0; n < 100; n++) {
		run_for(0, MS);
		packets(MAIN);
		doorbell(MAIN);
		reader[ODIN].read = state(ODIN)->written;
		doorbell(ODIN);
	}
	UNIT_NEED(COUNTER(MAIN, bytes) > 9800000);
	UNIT_NEED(COUNTER(MAIN, bytes) < 11500000); /* 10 ms more at the start */
	UNIT_NEED(COUNTER(ODIN, units) > 9800);
	UNIT_NEED(COUNTER(ODIN, units) < 11500);
	UNIT_EQ(COUNTER(MAIN, throttles), 0);
	host_end();
}

/*
 * Key recycle: units are reused and never reported; afterwards the stream continues where it was.
 */
static void recycle(void)
{
	host_begin();
	key(0, "recycle", "on");
	key(0, "rate", "1000000000");
	begin(MAIN, 18);
	begin(ODIN, 16);
	generate(MAIN, 0, 500, 0, 0);
	generate(ODIN, 0, 0, 0, 0);
	run_for(0, 10 * MS);
	UNIT_EQ(state(MAIN)->written, 0);
	UNIT_EQ(state(ODIN)->written, 0);
	UNIT_NEED(count(0, -1, "recycled") > 15000000);
	sum_is_right(MAIN);
	sum_is_right(ODIN);
	key(0, "recycle", "off");
	wr(MAIN, BLOCK_RESET, STREAM_RESET_FLUSH);
	reader[MAIN].next_event = COUNTER(MAIN, discarded) + COUNTER(MAIN, waiting);
	run_for(0, 10 * MS);
	UNIT_NEED(packets(MAIN));
	sum_is_right(MAIN);
	host_end();
}

static void stamp(void)
{
	uint64_t at;

	host_begin();
	key(0, "stamp", "on");
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 1);
	begin(MAIN, 16);
	generate(MAIN, 0, 64, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 1);
	run(0);
	memcpy(&at, ring_byte(MAIN, 0, 40), 8);
	UNIT_EQ(at, host.now);
	host_end();
}

UNIT_MAIN("emulated PCIe40: records and packing", {"meta: an index of main", index_of_main},
	  {"meta: full", meta_full}, {"ODIN records", odin}, {"packing", packing},
	  {"the largest packet", largest}, {"the most fragments", many_fragments},
	  {"rates and limits", rates}, {"bytes per second", pace}, {"recycle", recycle},
	  {"stamp", stamp})
