// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The event interface on the emulated C-RORC: a block in each BAR, a FIFO per channel, independent
 * channels.
 */
#include "tests/unit/emu/core/crorc/emu_crorc.h"
#include "emu_events.h"

#define BLOCK 0x800
#define OK (EVENT_STATUS_ENABLED | EVENT_STATUS_QUIET)
#define SMALL 0x8000u

static struct driver d[CRORC_CHANNELS];

static void begin(void)
{
	unsigned int i;

	host_begin();
	key(0, "events", "on");
	for (i = 0; i < CRORC_CHANNELS; i++)
		d[i] = (struct driver){.bar = i, .block = BLOCK};
}

/* Enable the channel and DMA, with the generator in the card's own loop. */
static void begin_run(unsigned int ch, unsigned int log2)
{
	reset(ch);
	ev_prepare(&d[ch], ch, log2, log2);
	UNIT_EQ(ev_enable(&d[ch]), OK);
	wr(ch, CRORC_CHAN_CSR, CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK);
	generator(ch, true);
}

static void give(unsigned int ch, unsigned int count)
{
	while (count--)
		ev_put(&d[ch], 0,
		       HOST_BASE + ch * 0x400000 + (uint64_t)(d[ch].published % 64) * SMALL, SMALL);
	ev_ring(&d[ch]);
	run(0);
}

static void blocks(void)
{
	static const struct driver card = {.block = 0x880};
	unsigned int i;

	begin();
	for (i = 0; i < CRORC_CHANNELS; i++) {
		UNIT_EQ(ev_rd(&d[i], EVENT_ID), EVENT_ID_CHANNEL << 16 | 1 << 8 | i);
		UNIT_EQ(ev_rd(&d[i], EVENT_LIMITS), 1 << 16 | 16);
		UNIT_EQ(ev_rd(&d[i], EVENT_VECTOR), 1 + i);
	}
	UNIT_EQ(ev_rd(&card, FUNCTION_ID), EVENT_ID_CARD << 16 | 1 << 8 | CRORC_CHANNELS);
	key(0, "vectors", "4");
	UNIT_EQ(ev_rd(&d[2], EVENT_VECTOR), 3);
	UNIT_EQ(ev_rd(&d[3], EVENT_VECTOR), 0);
	host_end();
	host_begin();
	UNIT_EQ(ev_rd(&d[0], EVENT_ID), 0);
	host_end();
}

static void superpages(void)
{
	unsigned int i;

	begin();
	begin_run(3, 6);
	ev_arm(&d[3]);
	give(3, 40); /* more than the FIFO takes: the rest is fetched as it empties */
	for (i = 0; i < 40; i++)
		EV_RECORD(&d[3], i, SMALL, 0);
	CU_ASSERT(!ev_next(&d[3]));
	UNIT_EQ(host.message[4], 1);
	UNIT_EQ(count(0, -1, "interrupts"), 1);
	UNIT_EQ(count(0, 3, "superpages"), 40);
	UNIT_EQ(count(0, 3, "bytes"), 40 * SMALL);
	UNIT_EQ(count(0, 3, "protocol_errors"), 0);
	UNIT_EQ(ev_rd(&d[3], EVENT_STATUS), OK);
	ledger(0);
	host_end();
}

static void fifo_of_sixteen(void)
{
	begin();
	begin_run(0, 6);
	wr(0, CRORC_CHAN_CSR, CRORC_CHAN_CSR_DMA); /* off */
	give(0, 20);
	UNIT_EQ(count(0, 0, "queued"), 16);
	UNIT_EQ(count(0, -1, "fetch_waits"), 1);
	UNIT_EQ(count(0, -1, "records"), 0);
	wr(0, CRORC_CHAN_CSR, CRORC_CHAN_CSR_DMA);
	run(0);
	UNIT_EQ(ev_drain(&d[0]), 20);
	host_end();
}

/* The completion block in host memory belongs to the plain card, and a push has no effect. */
static void plain_way_is_off(void)
{
	begin();
	dma_on(0);
	ev_prepare(&d[0], 0, 4, 4);
	UNIT_EQ(ev_enable(&d[0]), OK);
	wr(0, CRORC_CHAN_CSR, CRORC_CHAN_CSR_LOOPBACK);
	generator(0, true);
	give(0, 2);
	UNIT_EQ(ev_drain(&d[0]), 2);
	UNIT_EQ(block(0)->count, CRORC_DONE_COUNT_START);
	UNIT_EQ(rd(0, CRORC_SP_SIZE), 0);
	wr(0, CRORC_SP_HIGH, HOST_BASE >> 32);
	wr(0, CRORC_SP_LOW, (uint32_t)HOST_BASE + SP);
	UNIT_EQ(ev_rd(&d[0], EVENT_STATUS), OK); /* an address alone is no push */
	wr(0, CRORC_SP_SIZE, SP);
	run(0);
	UNIT_EQ(ev_rd(&d[0], EVENT_STATUS), OK | EVENT_STATUS_HOST_ERROR);
	UNIT_EQ(host.memory[SP], 0xee);
	UNIT_EQ(count(0, -1, "protocol_errors"), 0);
	host_end();
}

static void time_frames_and_flush(void)
{
	uint32_t n = 0;

	begin();
	key(0, "packets-per-orbit", "2");
	wr(0, CRORC_CONFIG_B, CRORC_CONFIG_B_DETECT | 3); /* six packets a frame */
	begin_run(0, 4);
	give(0, 4);
	/* Four packets, two, four, two; then a fifth superpage is needed and missing. */
	EV_RECORD(&d[0], 0, SMALL, 0);
	EV_RECORD(&d[0], 1, SMALL / 2, EVENT_RECORD_PARTIAL);
	EV_RECORD(&d[0], 2, SMALL, 0);
	EV_RECORD(&d[0], 3, SMALL / 2, EVENT_RECORD_PARTIAL);
	ev_arm(&d[0]);
	give(0, 1);
	EV_RECORD(&d[0], 4, SMALL, 0);
	ev_arm(&d[0]);
	/* Put two packets into a superpage, then flush. */
	wr(0, CRORC_CONFIG_B, CRORC_CONFIG_B_DETECT | CRORC_CONFIG_B_LENGTH_MAX);
	key(0, "rate", "0=1000000");
	for (n = 5; n < 7; n++)
		ev_put(&d[0], 0, HOST_BASE + n * SMALL, SMALL);
	ev_ring(&d[0]);
	run_for(0, 12000000);
	wr(0, CRORC_CONFIG_B, rd(0, CRORC_CONFIG_B) | CRORC_CONFIG_B_FLUSH);
	UNIT_EQ(host.message[1], 2); /* of the fifth superpage, and now */
	UNIT_NEED(ev_next(&d[0]));
	UNIT_EQ(le32toh(d[0].last.status) & ~EVENT_RECORD_PHASE,
		EVENT_RECORD_PARTIAL | EVENT_RECORD_FLUSHED);
	CU_ASSERT(le32toh(d[0].last.bytes) > 0 && le32toh(d[0].last.bytes) < SMALL);
	EV_RECORD(&d[0], 7, 0, EVENT_RECORD_END);
	UNIT_EQ(ev_rd(&d[0], EVENT_STATUS), OK | EVENT_STATUS_ENDED);
	/* DMA and generator are on and a superpage is queued, but no data arrive. */
	run_for(0, 100000000);
	CU_ASSERT(!ev_next(&d[0]));
	UNIT_EQ(host.memory[6 * SMALL], 0xee);
	ledger(0);
	host_end();
}

static void independent_channels(void)
{
	begin();
	begin_run(0, 4);
	begin_run(5, 4);
	give(0, 3);
	give(5, 2);
	UNIT_EQ(ev_drain(&d[0]), 3);
	UNIT_EQ(ev_drain(&d[5]), 2);
	/* A third channel works as a plain channel. */
	dma_on(2);
	wr(2, CRORC_CHAN_CSR, CRORC_CHAN_CSR_LOOPBACK);
	generator(2, true);
	wr(2, CRORC_SP_HIGH, HOST_BASE >> 32);
	wr(2, CRORC_SP_LOW, (uint32_t)HOST_BASE + 8 * SP);
	wr(2, CRORC_SP_SIZE, SP);
	run(0);
	UNIT_EQ(block(2)->count, 0);
	UNIT_EQ(block(2)->size, SP);
	/* Flush and reset affect one channel. */
	wr(5, CRORC_CONFIG_B, rd(5, CRORC_CONFIG_B) | CRORC_CONFIG_B_FLUSH);
	EV_RECORD(&d[5], 2, 0, EVENT_RECORD_END);
	CU_ASSERT(!ev_next(&d[0]));
	reset(5);
	UNIT_EQ(ev_rd(&d[5], EVENT_STATUS), EVENT_STATUS_QUIET);
	UNIT_EQ(ev_rd(&d[0], EVENT_STATUS), OK);
	give(0, 1);
	EV_RECORD(&d[0], 3, SMALL, 0);
	ledger(0);
	host_end();
}

static void bad_descriptors(void)
{
	begin();
	begin_run(0, 4);
	ev_put(&d[0], 0, HOST_BASE, SMALL + CRORC_PAGE_SIZE);
	ev_put(&d[0], 1, HOST_BASE, SMALL);
	ev_put(&d[0], 0, HOST_BASE, CRORC_SUPERPAGE_MAX + SMALL);
	give(0, 1);
	EV_RECORD(&d[0], 0, 0, EVENT_RECORD_REFUSED);
	EV_RECORD(&d[0], 1, 0, EVENT_RECORD_REFUSED | 1);
	EV_RECORD(&d[0], 2, 0, EVENT_RECORD_REFUSED);
	EV_RECORD(&d[0], 3, SMALL, 0);
	host_end();
}

/* Fault lost-write: a lost write of an address is detected when the channel is enabled. */
static void lost_setup_write(void)
{
	begin();
	reset(0);
	fault(0, "lost-write", (uint64_t)(BLOCK + EVENT_RECORD_LOW) << 32 | 1);
	ev_prepare(&d[0], 0, 4, 4);
	UNIT_EQ(ev_enable(&d[0]), EVENT_STATUS_QUIET | EVENT_STATUS_SETUP_ERROR);
	UNIT_EQ(count(0, -1, "writes_lost"), 1);
	HOST_CARD.fault_clear(host.card, 0, NULL);
	ev_prepare(&d[0], 0, 4, 4);
	UNIT_EQ(ev_enable(&d[0]), OK);
	host_end();
}

static void faults_are_there(void)
{
	begin();
	begin_run(1, 4);
	ev_arm(&d[1]);
	fault(0, "irq-lost", 1);
	give(1, 1);
	UNIT_EQ(host.message[2], 0);
	UNIT_EQ(ev_drain(&d[1]), 1);
	fault(0, "record-late", 1000);
	UNIT_EQ(HOST_CARD.fault_get(host.card, 0, "record-late"), 1000);
	give(1, 1);
	UNIT_EQ(ev_drain(&d[1]), 0);
	UNIT_EQ(count(0, -1, "open"), 4);
	HOST_CARD.fault_clear(host.card, 0, NULL);
	run_for(0, 1000000);
	UNIT_EQ(ev_drain(&d[1]), 1);
	fault(0, "reset-ignored", 1 << 1);
	ev_wr(&d[1], EVENT_CONTROL, 0);
	UNIT_EQ(ev_rd(&d[1], EVENT_STATUS) & EVENT_STATUS_ENABLED, EVENT_STATUS_ENABLED);
	host_end();
}

/*
 * The record of the superpage that a flush closes is missing, and the END is in the place after it.
 */
static void flushed_missing(void)
{
	begin();
	begin_run(0, 4);
	fault(0, "damaged", 1);
	give(0, 2);
	EV_RECORD(&d[0], 0, SMALL, EVENT_RECORD_DAMAGED);
	EV_RECORD(&d[0], 1, SMALL, 0);
	key(0, "rate", "0=1000000");
	give(0, 1);
	run_for(0, 12000000);
	fault(0, "flushed-missing", 1);
	wr(0, CRORC_CONFIG_B, rd(0, CRORC_CONFIG_B) | CRORC_CONFIG_B_FLUSH);
	CU_ASSERT(!ev_next(&d[0]));
	d[0].seen++;
	EV_RECORD(&d[0], 3, 0, EVENT_RECORD_END);
	host_end();
}

static void link_alarm(void)
{
	static const struct driver card = {.block = 0x880};

	begin();
	run(0);
	ev_wr(&card, FUNCTION_ENABLE, EVENT_CAUSE_ALL);
	key(0, "link-state", "4=down");
	run(0);
	UNIT_EQ(ev_rd(&card, FUNCTION_CAUSE), FUNCTION_CAUSE_LINK);
	UNIT_EQ(host.message[0], 1);
	host_end();
}

UNIT_MAIN("emulated event interface, C-RORC", {"blocks", blocks}, {"superpages", superpages},
	  {"a FIFO of sixteen", fifo_of_sixteen}, {"the plain way is off", plain_way_is_off},
	  {"time frames and flush", time_frames_and_flush},
	  {"independent channels", independent_channels}, {"bad descriptors", bad_descriptors},
	  {"a lost write of the setup", lost_setup_write}, {"faults", faults_are_there},
	  {"flushed record missing", flushed_missing}, {"links", link_alarm})
