// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hosts with random accesses: whatever they write, the PCIe40 counts every event, writes only into
 * its rings and pages, and reports no position beyond a ring.
 */
#include "tests/unit/emu/emu_dice.h"
#include "emu_p40.h"

#define HOSTS 12
#define ACTS 6000
#define LOG2 16

static void any_setting(unsigned int s)
{
	static const uint32_t off[] = {
		STREAM_SET_POLICY,	 STREAM_SET_PACK_EVENTS, STREAM_SET_PACK_BYTES,
		STREAM_SET_PACK_NS,	 STREAM_SET_ALIGN,	 STREAM_SET_THROTTLE_ON,
		STREAM_SET_THROTTLE_OFF, STREAM_SET_TRUNCATE_ON, STREAM_SET_GENERATOR,
		STREAM_SET_SIZE_MIN,	 STREAM_SET_SIZE_MAX,	 STREAM_SET_RATE,
		STREAM_SET_FIRST,	 STREAM_SET_LIMIT,
	};

	set_wr(s, off[any(sizeof(off) / sizeof(off[0]))], any_value());
}

static void any_position(unsigned int s)
{
	uint32_t read = rd(s, STREAM_READ_NOW), ahead = state(s)->written - read;
	uint32_t value = any(8) ? read + any(ahead + 1) : any_value();

	switch (any(4)) {
	case 0:
		wr(s, STREAM_ARM, value);
		break;
	case 1:
		wr(s, STREAM_ARM_SEEN, value);
		break;
	default:
		wr0(P40_DOORBELL(s) + STREAM_READ, value);
	}
}

static void any_register(unsigned int s)
{
	static const uint32_t off[] = {BLOCK_CONTROL, STREAM_START,  STREAM_IRQ_BYTES,
				       STREAM_IRQ_NS, STREAM_VECTOR, BLOCK_RESET};

	wr(s, off[any(6)], any_value());
}

static void start(unsigned int s)
{
	addresses(s, RING_AT(s));
	wr(s, STREAM_RING_SIZE, LOG2);
	wr(s, STREAM_SEGMENT_SIZE, 0);
	wr(s, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	set_wr(s, STREAM_SET_GENERATOR, STREAM_GENERATOR_RUN | any(8));
}

static void act(void)
{
	unsigned int s = any(P40_STREAMS);

	switch (any(24)) {
	case 0 ... 2:
		start(s);
		break;
	case 3 ... 5:
		any_setting(s);
		break;
	case 6:
		any_register(s);
		break;
	case 7:
		wr(s, BLOCK_CONTROL, any(4));
		break;
	case 8:
		wr0(P40_FUNCTION + 4 * any(9), any(4) ? any_value() : BLOCK_RESET_LOGIC);
		/* The notice may be at any address. */
		wr0(P40_FUNCTION + FUNCTION_NOTICE_LOW, 0);
		wr0(P40_FUNCTION + FUNCTION_NOTICE_HIGH, 0);
		break;
	case 9:
		host.no_master = !any(3);
		break;
	case 10:
		card_wr(STREAM_CARD_ENABLE, any(3) ? 0x7f : any(0x80));
		break;
	case 11:
		host.now += any(20000000);
		break;
	case 12 ... 16:
		any_position(s);
		break;
	default:
		host.now += any(2000);
		p40_card.step(host.card, 0, 64 + any(20000));
	}
}

static bool even(unsigned int s)
{
	return COUNTER(s, offered) == COUNTER(s, events) + COUNTER(s, throttled) +
					      COUNTER(s, discarded) + COUNTER(s, waiting);
}

static bool in_bounds(unsigned int s)
{
	uint32_t status = rd(s, BLOCK_STATUS);

	return !(status & BLOCK_STATUS_ENABLED) ||
	       rd(s, STREAM_WRITTEN) - rd(s, STREAM_READ_NOW) <= 1 << (LOG2 - 6);
}

/* Memory that belongs to no stream is unchanged. */
static bool untouched(void)
{
	uint64_t at, end;
	unsigned int s;

	for (s = 0; s < P40_STREAMS; s++) {
		at = RING_AT(s) - HOST_BASE + (1 << LOG2);
		end = s + 1 < P40_STREAMS ? RING_AT(s + 1) - HOST_BASE : HOST_MEMORY;
		for (; at < end; at++) {
			if (host.memory[at] != 0xee)
				return false;
		}
	}
	for (at = 4096 * P40_STREAMS; at < RING_AT(0) - HOST_BASE; at++) {
		if (host.memory[at] != 0xee)
			return false;
	}
	for (s = 0; s < P40_STREAMS; s++) {
		for (at = STREAM_PAGE_USED; at < 4096; at++) {
			if (host.memory[4096 * s + at] != 0xee)
				return false;
		}
	}
	return true;
}

static void anything(void)
{
	uint64_t events = 0, throttled = 0, truncated = 0;
	unsigned int h, n, s;

	for (h = 0; h < HOSTS; h++) {
		dice = h + 1;
		host_begin();
		for (n = 0; n < ACTS; n++) {
			act();
			for (s = 0; s < P40_STREAMS; s++) {
				if (even(s) && in_bounds(s))
					continue;
				unit_note("host %u, act %u, stream %u", h, n, s);
				UNIT_NEED(even(s));
				UNIT_NEED(in_bounds(s));
			}
		}
		UNIT_NEED(untouched());
		UNIT_EQ(count(0, -1, "dma_outside"), 0);
		events += count(0, -1, "events");
		throttled += count(0, -1, "throttled");
		truncated += count(0, -1, "truncated");
		host_end();
	}
	unit_note("%llu events, %llu throttled, %llu truncated", (unsigned long long)events,
		  (unsigned long long)throttled, (unsigned long long)truncated);
	UNIT_NEED(events > 10000);
	UNIT_NEED(throttled > 1000);
	UNIT_NEED(truncated > 1000);
}

UNIT_MAIN("emulated PCIe40: any host", {"anything at any time", anything})
