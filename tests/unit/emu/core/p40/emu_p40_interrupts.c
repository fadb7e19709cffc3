// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interrupts of the PCIe40's streams: positions that arm, moderation, reasons, and interrupts of
 * the function.
 */
#include "emu_p40.h"

#define MS 1000000ull

/* Records of ODIN are of one line: positions are events. */
static uint32_t events;

static void more(uint32_t lines)
{
	events += lines;
	set_wide(ODIN, STREAM_SET_LIMIT, events);
	set_wr(ODIN, STREAM_SET_GENERATOR, STREAM_GENERATOR_RUN);
	run(0);
}

static unsigned int interrupts(void)
{
	return host.message[1 + ODIN];
}

/* A stream that stays at its START. */
static void stand(uint32_t bytes, uint32_t ns)
{
	host_begin();
	wr(ODIN, STREAM_IRQ_BYTES, bytes);
	wr(ODIN, STREAM_IRQ_NS, ns);
	events = 0;
	begin(ODIN, 16);
	run(0);
}

static void positions(void)
{
	static const uint32_t reg[] = {STREAM_ARM, STREAM_ARM_SEEN};
	static const uint32_t late[] = {1, 95, 1024};
	unsigned int i;

	stand(0, 0);
	more(100);
	wr(ODIN, STREAM_VECTOR, FUNCTION_VECTOR_NONE); /* so that it stays armed */
	wr0(P40_DOORBELL(ODIN), 40);
	UNIT_EQ(rd(ODIN, STREAM_ARM), 40);
	UNIT_EQ(rd(ODIN, STREAM_ARM_SEEN), 40);
	UNIT_EQ(rd(ODIN, BLOCK_STATUS) & STREAM_STATUS_ARMED, 0);
	wr(ODIN, STREAM_ARM_SEEN, 70);
	UNIT_EQ(rd(ODIN, STREAM_READ_NOW), 40);
	UNIT_EQ(rd(ODIN, STREAM_ARM_SEEN), 70);
	UNIT_EQ(rd(ODIN, BLOCK_STATUS) & STREAM_STATUS_ARMED, STREAM_STATUS_ARMED);
	wr0(P40_DOORBELL(ODIN), 60);
	UNIT_EQ(rd(ODIN, STREAM_ARM_SEEN), 70);
	wr0(P40_DOORBELL(ODIN), 80);
	UNIT_EQ(rd(ODIN, STREAM_ARM_SEEN), 80);
	wr(ODIN, STREAM_ARM, 90);
	UNIT_EQ(rd(ODIN, STREAM_READ_NOW), 90);
	wr(ODIN, STREAM_ARM_SEEN, 100);
	wr(ODIN, STREAM_ARM, 95); /* and back: what is beyond 95 */
	UNIT_EQ(rd(ODIN, STREAM_ARM_SEEN), 95);
	/* Old positions, up to the size of the ring. */
	for (i = 0; i < 2; i++) {
		wr(ODIN, STREAM_ARM_SEEN, 100);
		wr(ODIN, reg[i], 95 - 1024);
		UNIT_EQ(rd(ODIN, STREAM_ARM_SEEN), 95);
		UNIT_EQ(rd(ODIN, STREAM_READ_NOW), 95);
	}
	/*
	 * The reader and the driver both write READ; the later write of an older position has no
	 * effect.
	 */
	wr(ODIN, STREAM_ARM_SEEN, 97);
	for (i = 0; i < 3; i++) {
		wr0(P40_DOORBELL(ODIN), 95 - late[i]);
		UNIT_EQ(rd(ODIN, STREAM_READ_NOW), 95);
		UNIT_EQ(rd(ODIN, STREAM_ARM_SEEN), 97);
	}
	UNIT_EQ(rd(ODIN, BLOCK_STATUS), BLOCK_STATUS_ENABLED | STREAM_STATUS_ARMED);
	host_end();
}

static void positions_refused(void)
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		stand(0, 0);
		more(100);
		wr0(P40_DOORBELL(ODIN), 50);
		wr0(P40_FUNCTION + FUNCTION_ENABLE, FUNCTION_CAUSE_HOST);
		switch (i) {
		case 0:
			wr0(P40_DOORBELL(ODIN), 101);
			break;
		case 1:
			wr0(P40_DOORBELL(ODIN), 50 - 1025);
			break;
		case 2:
			wr(ODIN, STREAM_ARM, 101);
			break;
		case 3:
			wr(ODIN, STREAM_ARM_SEEN, 101);
			break;
		case 4:
			wr(ODIN, STREAM_ARM, 50 - 1025);
			break;
		}
		run(0);
		UNIT_EQ(rd(ODIN, BLOCK_STATUS), BLOCK_STATUS_ENABLED | BLOCK_STATUS_HOST_ERROR);
		UNIT_EQ(state(ODIN)->status, BLOCK_STATUS_ENABLED | BLOCK_STATUS_HOST_ERROR);
		UNIT_EQ(rd(ODIN, STREAM_READ_NOW), 50);
		UNIT_EQ(interrupts(), 0);
		UNIT_EQ(host.message[0], 1);
		UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_CHANNELS), 1 << ODIN);
		/* Data continue, and an interrupt reports its reason. */
		wr(ODIN, STREAM_ARM, 100);
		run(0);
		UNIT_EQ(interrupts(), 1);
		UNIT_EQ(state(ODIN)->reason, STREAM_REASON_ERROR);
		more(1);
		UNIT_EQ(state(ODIN)->written, 101);
		host_end();
	}
}

static void one_when_idle(void)
{
	stand(8 << 20, 1000000);
	wr(ODIN, STREAM_ARM, 0);
	run_for(0, 50 * MS);
	UNIT_EQ(interrupts(), 0);
	more(1); /* after an idle period: at once */
	UNIT_EQ(interrupts(), 1);
	UNIT_EQ(state(ODIN)->reason, STREAM_REASON_TIME);
	UNIT_EQ(state(ODIN)->interrupts, 1);
	UNIT_EQ(rd(ODIN, BLOCK_STATUS) & STREAM_STATUS_ARMED, 0);
	more(1);
	run_for(0, 50 * MS);
	UNIT_EQ(interrupts(), 1);
	/* The first interrupt after an enable is not delayed, however recent the last run's was. */
	wr(ODIN, BLOCK_CONTROL, 0);
	wr(ODIN, STREAM_IRQ_NS, 4000 * MS);
	begin(ODIN, 16);
	wr(ODIN, STREAM_ARM, 0);
	more(1);
	UNIT_EQ(interrupts(), 2);
	host_end();
	stand(8 << 20, 1000000);
	more(2);
	/* Armed for data that are already there. */
	wr(ODIN, STREAM_ARM, 1);
	run(0);
	UNIT_EQ(interrupts(), 1);
	wr(ODIN, STREAM_ARM, 2);
	run_for(0, 50 * MS);
	UNIT_EQ(interrupts(), 1);
	host_end();
}

static void by_bytes(void)
{
	stand(10 * LINE, 1000 * MS);
	wr(ODIN, STREAM_ARM, 0);
	more(1);
	UNIT_EQ(interrupts(), 1); /* the first is never delayed */
	wr(ODIN, STREAM_ARM, 1);
	more(9);
	UNIT_EQ(interrupts(), 1);
	more(1);
	UNIT_EQ(interrupts(), 2);
	UNIT_EQ(state(ODIN)->reason, STREAM_REASON_BYTES);
	/* Counted from the armed position, not from the read position. */
	wr(ODIN, STREAM_ARM_SEEN, 11);
	more(9);
	UNIT_EQ(interrupts(), 2);
	UNIT_EQ(rd(ODIN, STREAM_READ_NOW), 1);
	more(1);
	UNIT_EQ(interrupts(), 3);
	host_end();
}

static void by_time(void)
{
	stand(8 << 20, 2 * MS);
	wr(ODIN, STREAM_ARM, 0);
	more(1);
	wr(ODIN, STREAM_ARM, 1);
	more(1);
	UNIT_EQ(interrupts(), 1);
	run_for(0, 2 * MS - 1000);
	UNIT_EQ(interrupts(), 1);
	run_for(0, 1000);
	UNIT_EQ(interrupts(), 2);
	UNIT_EQ(state(ODIN)->reason, STREAM_REASON_TIME);
	/* The time continues while unarmed; a change of the settings applies at once. */
	more(1);
	run_for(0, 3 * MS);
	wr(ODIN, STREAM_ARM, 2);
	run(0);
	UNIT_EQ(interrupts(), 3);
	wr(ODIN, STREAM_ARM, 3);
	more(1);
	UNIT_EQ(interrupts(), 3);
	wr(ODIN, STREAM_IRQ_NS, 0);
	run(0);
	UNIT_EQ(interrupts(), 4);
	host_end();
}

/* At 1 GB/s, 8 MiB and as long: at most an eighth of an interrupt per MiB. */
static void under_load(void)
{
	uint64_t end;

	host_begin();
	key(0, "rate", "1000000000");
	wr(MAIN, STREAM_IRQ_BYTES, 8 << 20);
	wr(MAIN, STREAM_IRQ_NS, 9 * MS);
	begin(MAIN, 22);
	reader[MAIN].log2 = 22;
	generate(MAIN, 0, 4000, 0, 0);
	wr(MAIN, STREAM_ARM, 0);
	end = host.now + 500 * MS;
	while (host.now < end) {
		run_for(0, MS / 2);
		wr(MAIN, host.message[1] % 2 ? STREAM_ARM : STREAM_ARM_SEEN, state(MAIN)->written);
		wr0(P40_DOORBELL(MAIN), state(MAIN)->written);
	}
	UNIT_NEED(COUNTER(MAIN, bytes) > 480000000);
	UNIT_NEED(COUNTER(MAIN, bytes) < 520000000);
	UNIT_NEED(host.message[1] * 8ull <= COUNTER(MAIN, bytes) >> 20);
	UNIT_NEED(host.message[1] > 40);
	UNIT_EQ(count(0, -1, "interrupts"), host.message[1]);
	host_end();
}

static void end_and_arm(void)
{
	uint32_t sequence;

	stand(8 << 20, 1000 * MS);
	more(5);
	wr(ODIN, STREAM_ARM, 5);
	wr(ODIN, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE | STREAM_CONTROL_CLOSE);
	run(0);
	UNIT_EQ(interrupts(), 1);
	UNIT_EQ(state(ODIN)->reason, STREAM_REASON_ENDED);
	UNIT_EQ(state(ODIN)->interrupts, 1);
	UNIT_EQ(state(ODIN)->status, BLOCK_STATUS_ENABLED | STREAM_STATUS_ENDED);
	/* The end was reported: there is no other interrupt. */
	sequence = state(ODIN)->sequence;
	wr(ODIN, STREAM_ARM, 5);
	run_for(0, 5 * MS);
	UNIT_EQ(interrupts(), 1);
	host_end();
	/* The other order: the end came first, then a host that has not seen it arms. */
	stand(8 << 20, 1000 * MS);
	more(5);
	wr(ODIN, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE | STREAM_CONTROL_CLOSE);
	run(0);
	UNIT_EQ(interrupts(), 0);
	sequence = state(ODIN)->sequence;
	wr(ODIN, STREAM_ARM, 5);
	run(0);
	UNIT_EQ(interrupts(), 1);
	UNIT_EQ(state(ODIN)->sequence, sequence);
	host_end();
}

static void for_the_throttle(void)
{
	stand(1 << 31, 1000 * MS);
	wr(ODIN, STREAM_ARM, 0);
	more(1);
	UNIT_EQ(interrupts(), 1);
	wr(ODIN, STREAM_ARM, 1);
	more(100);
	UNIT_EQ(interrupts(), 1);
	more(10000);
	UNIT_EQ(interrupts(), 2);
	UNIT_EQ(state(ODIN)->reason & ~STREAM_REASON_BYTES, STREAM_REASON_THROTTLE);
	UNIT_NEED(state(ODIN)->status & STREAM_STATUS_THROTTLING);
	host_end();
}

static void vectors(void)
{
	stand(0, 0);
	wr(ODIN, STREAM_VECTOR, FUNCTION_VECTOR_NONE);
	wr(ODIN, STREAM_ARM, 0);
	more(3);
	UNIT_EQ(interrupts(), 0);
	UNIT_NEED(rd(ODIN, BLOCK_STATUS) & STREAM_STATUS_ARMED);
	UNIT_EQ(state(ODIN)->written, 3);
	wr(ODIN, STREAM_VECTOR, 0x70005);
	UNIT_EQ(rd(ODIN, STREAM_VECTOR), 5);
	run(0);
	UNIT_EQ(host.message[5], 1);
	/* An interrupt of a vector that the host has not enabled is neither sent nor kept. */
	wr(ODIN, STREAM_VECTOR, 40);
	wr(ODIN, STREAM_ARM, 3);
	more(1);
	UNIT_EQ(count(0, -1, "unrouted"), 1);
	wr(ODIN, STREAM_VECTOR, 5);
	run(0);
	UNIT_EQ(host.message[5], 1);
	host_end();
}

static void alarms(void)
{
	const uint64_t notice = HOST_BASE + 0x10000;
	uint32_t *word;

	host_begin();
	word = (uint32_t *)(host.memory + 0x10000);
	wr0(P40_FUNCTION + FUNCTION_NOTICE_LOW, (uint32_t)notice);
	wr0(P40_FUNCTION + FUNCTION_NOTICE_HIGH, notice >> 32);
	run(0);
	UNIT_EQ(*word, 0);
	key(0, "temperature", "61");
	run(0);
	UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_CAUSE), FUNCTION_CAUSE_TEMPERATURE);
	UNIT_EQ(host.message[0], 0);
	wr0(P40_FUNCTION + FUNCTION_ENABLE, ~0u);
	UNIT_EQ(rd0(P40_FUNCTION + FUNCTION_ENABLE), STREAM_CAUSE_ALL);
	run(0);
	UNIT_EQ(host.message[0], 1);
	UNIT_EQ(*word, FUNCTION_CAUSE_TEMPERATURE);
	wr0(P40_FUNCTION + FUNCTION_CAUSE, FUNCTION_CAUSE_TEMPERATURE);
	run(0);
	UNIT_EQ(*word, 0);
	key(0, "temperature", "59");
	run(0);
	key(0, "temperature", "61"); /* not low enough to re-arm */
	run(0);
	UNIT_EQ(host.message[0], 1);
	key(0, "temperature", "57");
	run(0);
	wr0(P40_FUNCTION + FUNCTION_VECTOR, 4);
	key(0, "temperature", "81");
	run(0);
	UNIT_EQ(host.message[4], 1);
	UNIT_EQ(*word, FUNCTION_CAUSE_TEMPERATURE | FUNCTION_CAUSE_CRITICAL);
	UNIT_EQ(count(0, -1, "alarms"), 2);
	host_end();
}

/* Without bus mastering an interrupt waits, and is sent once. */
static void waits_for_the_bus(void)
{
	stand(0, 0);
	more(3);
	host.no_master = true;
	wr(ODIN, STREAM_ARM, 0);
	run_for(0, 5 * MS);
	UNIT_EQ(interrupts(), 0);
	UNIT_EQ(rd(ODIN, BLOCK_STATUS) & BLOCK_STATUS_QUIET, 0);
	host.no_master = false;
	run_for(0, 5 * MS);
	UNIT_EQ(interrupts(), 1);
	UNIT_EQ(state(ODIN)->interrupts, 1);
	host_end();
}

UNIT_MAIN("emulated PCIe40: interrupts", {"positions", positions},
	  {"positions refused", positions_refused}, {"exactly one when idle", one_when_idle},
	  {"by bytes", by_bytes}, {"by time", by_time}, {"under load", under_load},
	  {"the end, before and after arming", end_and_arm}, {"the throttle", for_the_throttle},
	  {"vectors", vectors}, {"alarms", alarms}, {"no bus mastering", waits_for_the_bus})
