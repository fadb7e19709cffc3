// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reset levels of the PCIe40: the effect of each, the state that it keeps, and the indication of
 * its completion.
 */
#include "emu_p40.h"

static void run_some(void)
{
	begin(MAIN, 16);
	wr(MAIN, STREAM_IRQ_BYTES, 4096);
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 5);
	generate(MAIN, 100, 64, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 23);
	set_wr(MAIN, STREAM_SET_PACK_NS, 0);
	run(0);
	UNIT_EQ(packets(MAIN), 4);
	UNIT_EQ(COUNTER(MAIN, waiting), 3);
}

static void reset_counters(void)
{
	uint32_t generation;

	host_begin();
	generation = rd(MAIN, BLOCK_GENERATION);
	run_some();
	wr(MAIN, BLOCK_RESET, BLOCK_RESET_COUNTERS);
	UNIT_EQ(COUNTER(MAIN, events), 0);
	UNIT_EQ(COUNTER(MAIN, offered), 3);
	UNIT_EQ(COUNTER(MAIN, waiting), 3);
	sum_is_right(MAIN);
	UNIT_EQ(rd(MAIN, BLOCK_GENERATION), generation);
	set_wide(MAIN, STREAM_SET_LIMIT, 25);
	run(0);
	UNIT_EQ(packets(MAIN), 1);
	UNIT_EQ(COUNTER(MAIN, events), 5);
	sum_is_right(MAIN);
	host_end();
}

static void reset_flush(void)
{
	host_begin();
	run_some();
	wr(MAIN, BLOCK_RESET, STREAM_RESET_FLUSH);
	UNIT_EQ(COUNTER(MAIN, waiting), 0);
	UNIT_EQ(COUNTER(MAIN, discarded), 3);
	set_wide(MAIN, STREAM_SET_LIMIT, 28);
	run(0);
	reader[MAIN].next_event += 3;
	UNIT_EQ(packets(MAIN), 1);
	UNIT_EQ(reader[MAIN].next_event, 128);
	sum_is_right(MAIN);
	host_end();
}

/* A packet that is being written is finished; data that wait behind it are discarded. */
static void reset_flush_in_a_packet(void)
{
	uint64_t waiting;

	host_begin();
	set_wr(MAIN, STREAM_SET_PACK_BYTES, 1 << 20);
	set_wr(MAIN, STREAM_SET_PACK_EVENTS, 1000);
	begin(MAIN, 22);
	generate(MAIN, 0, 1000, 0, 0);
	set_wide(MAIN, STREAM_SET_LIMIT, 1500);
	while (count(0, -1, "dma_writes") < 3)
		p40_card.step(host.card, 0, 4096);
	UNIT_EQ(state(MAIN)->units, 0);
	waiting = COUNTER(MAIN, waiting);
	wr(MAIN, BLOCK_RESET, STREAM_RESET_FLUSH);
	UNIT_EQ(COUNTER(MAIN, waiting), 1000);
	UNIT_EQ(COUNTER(MAIN, discarded), waiting - 1000);
	run(0);
	UNIT_EQ(packets(MAIN), 1);
	UNIT_EQ(reader[MAIN].fragments, 1000);
	sum_is_right(MAIN);
	host_end();
}

static void reset_logic(void)
{
	uint32_t generation;

	host_begin();
	generation = rd(MAIN, BLOCK_GENERATION);
	run_some();
	wr(MAIN, STREAM_VECTOR, 3);
	wr(MAIN, BLOCK_RESET, BLOCK_RESET_LOGIC);
	UNIT_EQ(rd(MAIN, BLOCK_GENERATION), generation + 1);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	UNIT_EQ(rd(MAIN, BLOCK_CONTROL) | rd(MAIN, STREAM_RING_SIZE) | rd(MAIN, STREAM_WRITTEN) |
			rd(MAIN, STREAM_READ_NOW),
		0);
	/* The state that the reset keeps. */
	UNIT_EQ(rd(MAIN, STREAM_VECTOR), 3);
	UNIT_EQ(rd(MAIN, STREAM_IRQ_BYTES), 4096);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_PACK_EVENTS), 5);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_GENERATOR), STREAM_GENERATOR_RUN);
	UNIT_EQ(COUNTER(MAIN, events), 20);
	UNIT_EQ(COUNTER(MAIN, discarded), 3);
	/* The generator restarts. */
	UNIT_EQ(set_rd(MAIN, STREAM_SET_GENERATED), 0);
	begin(MAIN, 16);
	reader[MAIN].min = 64;
	reader[MAIN].next_event = 100;
	run(0);
	UNIT_EQ(packets(MAIN), 4);
	sum_is_right(MAIN);
	/* A stream that was never enabled shows QUIET, too. */
	generation = rd(ODIN, BLOCK_GENERATION);
	wr(ODIN, BLOCK_RESET, BLOCK_RESET_LOGIC);
	UNIT_EQ(rd(ODIN, BLOCK_GENERATION), generation + 1);
	host_end();
}

static void reset_default(void)
{
	uint32_t generation;

	host_begin();
	generation = rd(MAIN, BLOCK_GENERATION);
	run_some();
	wr(MAIN, STREAM_VECTOR, 3);
	wr(MAIN, BLOCK_RESET, BLOCK_RESET_DEFAULT);
	UNIT_EQ(rd(MAIN, BLOCK_GENERATION), generation + 1);
	UNIT_EQ(rd(MAIN, STREAM_VECTOR), 1);
	UNIT_EQ(rd(MAIN, STREAM_IRQ_BYTES), 0);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_PACK_EVENTS), 256);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_GENERATOR), 0);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_LIMIT), 0);
	UNIT_EQ(COUNTER(MAIN, offered), 0);
	UNIT_EQ(COUNTER(MAIN, discarded), 0);
	host_end();
}

static void reset_unknown(void)
{
	uint32_t generation;

	host_begin();
	generation = rd(MAIN, BLOCK_GENERATION);
	run_some();
	wr(MAIN, BLOCK_RESET, BLOCK_RESET_LOGIC | 0x10);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_ENABLED | BLOCK_STATUS_HOST_ERROR);
	UNIT_EQ(rd(MAIN, BLOCK_GENERATION), generation);
	run(0);
	UNIT_EQ(state(MAIN)->status, BLOCK_STATUS_ENABLED | BLOCK_STATUS_HOST_ERROR);
	wr(MAIN, BLOCK_RESET, 0);
	UNIT_EQ(rd(MAIN, BLOCK_GENERATION), generation);
	host_end();
}

/* Reset of the card: all streams and, with DEFAULT, its own settings. */
static void reset_card(void)
{
	uint32_t before[P40_STREAMS], all, s;

	host_begin();
	all = rd0(P40_FUNCTION + FUNCTION_GENERATION);
	for (s = 0; s < P40_STREAMS; s++) {
		before[s] = rd(s, BLOCK_GENERATION);
		begin(s, 16);
	}
	card_wr(CARD_TEST, 5);
	card_wr(STREAM_CARD_ENABLE, 1);
	wr0(P40_FUNCTION + FUNCTION_ENABLE, FUNCTION_CAUSE_HOST);
	wr0(P40_FUNCTION + FUNCTION_RESET, BLOCK_RESET_LOGIC);
	for (s = 0; s < P40_STREAMS; s++) {
		UNIT_EQ(rd(s, BLOCK_STATUS), BLOCK_STATUS_QUIET);
		UNIT_EQ(rd(s, BLOCK_GENERATION), before[s] + 1);
	}
	UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_GENERATION), all + 1);
	UNIT_EQ(card_rd(CARD_TEST), 5);
	wr0(P40_FUNCTION + FUNCTION_RESET, BLOCK_RESET_DEFAULT);
	UNIT_EQ(card_rd(CARD_TEST), 0);
	UNIT_EQ(card_rd(STREAM_CARD_ENABLE), 0x7f);
	UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_GENERATION), all + 2);
	UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_ENABLE), FUNCTION_CAUSE_HOST);
	wr0(P40_FUNCTION + FUNCTION_RESET, 0x20);
	UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_CAUSE), FUNCTION_CAUSE_HOST);
	UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_GENERATION), all + 2);
	host_end();
}

static void function_reset(void)
{
	uint32_t generation;

	host_begin();
	run_some();
	generation = rd(MAIN, BLOCK_GENERATION);
	wr0(P40_FUNCTION + FUNCTION_ENABLE, FUNCTION_CAUSE_HOST);
	card_wr(CARD_TEST, 5);
	p40_card.reset(host.card, 0);
	UNIT_EQ(rd(MAIN, BLOCK_STATUS), BLOCK_STATUS_QUIET);
	UNIT_NEED(rd(MAIN, BLOCK_GENERATION) != generation);
	UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_ENABLE), 0);
	UNIT_EQ(card_rd(CARD_TEST), 0);
	UNIT_EQ(set_rd(MAIN, STREAM_SET_GENERATOR), 0);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	host_end();
}

UNIT_MAIN("emulated PCIe40: resets", {"reset of counters", reset_counters},
	  {"reset: flush", reset_flush}, {"reset: flush in a packet", reset_flush_in_a_packet},
	  {"reset: logic", reset_logic}, {"reset: default", reset_default},
	  {"unknown reset", reset_unknown}, {"reset of the card", reset_card},
	  {"function-level reset", function_reset})
