// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The event interface on the emulated CRU: descriptors, records, space, flush and end, resets, by
 * the rules of Documentation/hardware/event-interface.md.
 */
#include "tests/unit/emu/emu_host.h"
#include "emu_events.h"

#define PAGES 4 /* 32 KiB superpages */
#define BYTES (PAGES * CRU_PAGE_SIZE)
#define INTERNAL CRU_DATA_SOURCE_INTERNAL
#define BLOCK 0x1000
#define OK (EVENT_STATUS_ENABLED | EVENT_STATUS_QUIET)

static struct driver d;

static uint64_t bus(unsigned int n)
{
	return HOST_BASE + (uint64_t)n * BYTES;
}

static void begin(void)
{
	host_begin();
	key(0, "events", "on");
	d = (struct driver){.block = BLOCK};
}

/* Start and enable the channel without publishing a descriptor. */
static void begin_run(unsigned int log2)
{
	begin();
	start(0, INTERNAL);
	ev_prepare(&d, 0, log2, log2);
	UNIT_EQ(ev_enable(&d), OK);
}

/* Publish @count superpages from number @first on, for link 0, with one doorbell. */
static void give(unsigned int first, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		ev_put(&d, 0, bus(first + i), BYTES);
	ev_ring(&d);
}

static void plain_card_has_none(void)
{
	host_begin();
	d = (struct driver){.block = BLOCK};
	UNIT_EQ(ev_rd(&d, EVENT_ID), 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), 0);
	ev_prepare(&d, 0, 4, 4);
	UNIT_EQ(ev_enable(&d), 0);
	UNIT_EQ(ev_rd(&d, EVENT_CONTROL), 0);
	host_end();
}

/* The interface is offered and not used: every register behaves as on a plain card. */
static void not_enabled_is_plain(void)
{
	begin();
	start(0, INTERNAL);
	push(0, 0, 0, PAGES);
	push(0, 0, 1, PAGES);
	run(0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 2);
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(0, BYTES));
	UNIT_EQ(next_size(0, 0), CRU_SP_SIZE_ENTRY(1, BYTES));
	ev_wr(&d, EVENT_DOORBELL, 1);
	ev_arm(&d);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_QUIET);
	UNIT_EQ(ev_rd(&d, EVENT_DOORBELL), 0);
	UNIT_EQ(count(0, -1, "interrupts"), 0);
	host_end();
}

static void after_reset(void)
{
	struct driver other = {.fn = 1, .block = BLOCK};

	begin();
	UNIT_EQ(ev_rd(&d, EVENT_ID), EVENT_ID_CHANNEL << 16 | 1 << 8);
	UNIT_EQ(ev_rd(&other, EVENT_ID), EVENT_ID_CHANNEL << 16 | 1 << 8);
	UNIT_EQ(ev_rd(&d, EVENT_CONTROL), 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_QUIET);
	UNIT_EQ(ev_rd(&d, EVENT_LIMITS), 16 << 16 | 128);
	UNIT_EQ(ev_rd(&d, EVENT_VECTOR), 1);
	UNIT_EQ(ev_rd(&d, EVENT_MODERATION), 0);
	key(0, "fifo-depth", "16");
	UNIT_EQ(ev_rd(&d, EVENT_LIMITS), 16 << 16 | 16);
	key(0, "vectors", "1");
	UNIT_EQ(ev_rd(&d, EVENT_VECTOR), 0);
	/* Bus addresses cannot be read back. */
	ev_prepare(&d, 0, 4, 5);
	UNIT_EQ(ev_rd(&d, EVENT_SUBMIT_LOW) | ev_rd(&d, EVENT_SUBMIT_HIGH), 0);
	UNIT_EQ(ev_rd(&d, EVENT_RECORD_LOW) | ev_rd(&d, EVENT_RECORD_HIGH), 0);
	UNIT_EQ(ev_rd(&d, EVENT_SUBMIT_SIZE), 4);
	UNIT_EQ(ev_rd(&d, EVENT_RECORD_SIZE), 5);
	host_end();
}

static void refused(void)
{
	UNIT_EQ(ev_enable(&d), EVENT_STATUS_QUIET | EVENT_STATUS_SETUP_ERROR);
	UNIT_EQ(ev_rd(&d, EVENT_CONTROL), 0);
}

static void enable_is_checked(void)
{
	static const uint32_t bases[] = {EVENT_SUBMIT_LOW, EVENT_SUBMIT_HIGH, EVENT_RECORD_LOW,
					 EVENT_RECORD_HIGH};
	unsigned int i, j;

	begin();
	refused();
	for (i = 0; i < 4; i++) {
		wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
		ev_wr(&d, EVENT_SUBMIT_SIZE, 4);
		ev_wr(&d, EVENT_RECORD_SIZE, 4);
		for (j = 0; j < 4; j++)
			if (i != j)
				ev_wr(&d, bases[j], 0x10000);
		refused();
		ev_wr(&d, bases[i], 0x10000);
		UNIT_EQ(ev_enable(&d), OK);
	}
	ev_wr(&d, EVENT_CONTROL, 0);
	/* After a disable the addresses must be written again. */
	refused();
	ev_prepare(&d, 0, EVENT_RING_MIN - 1, 4);
	refused();
	ev_prepare(&d, 0, 4, EVENT_RING_MIN - 1);
	refused();
	ev_prepare(&d, 0, 17, 4);
	refused();
	ev_prepare(&d, 0, 4, 17);
	refused();
	ev_prepare(&d, 0, 4, 4);
	ev_wr(&d, EVENT_SUBMIT_LOW, d.submit_bus + 128);
	refused();
	ev_prepare(&d, 0, 4, 4);
	ev_wr(&d, EVENT_RECORD_LOW, d.record_bus + 128);
	refused();
	ev_prepare(&d, 0, 4, 4);
	push(0, 3, 0, PAGES);
	refused();
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_QUIET);
	ev_prepare(&d, 0, 4, 4);
	UNIT_EQ(ev_enable(&d), OK);
	UNIT_EQ(ev_rd(&d, EVENT_CONTROL), EVENT_CONTROL_ENABLE);
	host_end();
}

static void one_superpage(void)
{
	begin_run(4);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	give(2, 1);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & EVENT_STATUS_QUIET, 0);
	run(0);
	EV_RECORD(&d, 0, BYTES, 0);
	CU_ASSERT(!ev_next(&d));
	/* The data are in memory before the record. */
	UNIT_EQ(superpage(2, PAGES)[BYTES - 1] == 0xee, 0);
	UNIT_EQ(superpage(3, PAGES)[0], 0xee);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	UNIT_EQ(next_size(0, 0), 0);
	UNIT_EQ(ev_rd(&d, EVENT_WRITTEN), 1);
	UNIT_EQ(count(0, -1, "interrupts"), 0); /* never armed */
	host_end();
}

static void batches_and_phases(void)
{
	uint32_t n = 0;
	unsigned int round, i;

	begin_run(3);
	for (round = 0; round < 9; round++) {
		give(n % 100, 7);
		run(0);
		for (i = 0; i < 7; i++, n++)
			EV_RECORD(&d, n, BYTES, 0);
		CU_ASSERT(!ev_next(&d));
		ev_arm(&d);
	}
	UNIT_EQ(count(0, -1, "doorbells"), 9);
	UNIT_EQ(count(0, -1, "records"), 63);
	UNIT_EQ(count(0, -1, "superpages"), 63);
	UNIT_EQ(count(0, -1, "record_stalls"), 0);
	UNIT_EQ(count(0, -1, "host_errors"), 0);
	ledger(0);
	host_end();
}

/* From the datapath: records of each link are in order, with bytes and flags of time frames. */
static void links_and_time_frames(void)
{
	uint32_t next[2] = {0, 1};
	unsigned int i, partial = 0;

	begin();
	key(0, "links-enabled", "0x5");
	key(0, "packets-per-tf", "6");
	start(0, CRU_DATA_SOURCE_DATAPATH);
	wr2(CRU_USER_CONTROL, CRU_USER_CONTROL_RUN);
	ev_prepare(&d, 0, 5, 5);
	UNIT_EQ(ev_enable(&d), OK);
	for (i = 0; i < 16; i++)
		ev_put(&d, i % 2 ? 2 : 0, bus(i), BYTES);
	ev_ring(&d);
	run(0);
	while (ev_next(&d)) {
		uint32_t status = le32toh(d.last.status), link = EVENT_RECORD_LINK(status);
		uint32_t bytes = le32toh(d.last.bytes);

		CU_ASSERT(link == 0 || link == 2);
		UNIT_EQ(le32toh(d.last.descriptor), next[link / 2]);
		next[link / 2] += 2;
		/* A frame has six packets: four in one superpage and two in the next. */
		UNIT_EQ(bytes, status & EVENT_RECORD_PARTIAL ? BYTES / 2 : BYTES);
		UNIT_EQ(status & EVENT_RECORD_FLUSHED, 0);
		partial += !!(status & EVENT_RECORD_PARTIAL);
	}
	CU_ASSERT(partial >= 6);
	UNIT_EQ(d.seen, rd(0, CRU_SP_READY(0)) + rd(0, CRU_SP_READY(2)));
	ledger(0);
	host_end();
}

static void flush_and_end(void)
{
	begin();
	start(0, INTERNAL);
	ev_prepare(&d, 0, 4, 4);
	UNIT_EQ(ev_enable(&d), OK);
	give(0, 3);
	/* One full superpage and a half. */
	cru_card.step(host.card, 0, BYTES + BYTES / 2);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);
	EV_RECORD(&d, 0, BYTES, 0);
	EV_RECORD(&d, 1, BYTES / 2, EVENT_RECORD_PARTIAL | EVENT_RECORD_FLUSHED);
	EV_RECORD(&d, 3, 0, EVENT_RECORD_END);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK | EVENT_STATUS_ENDED);
	/* No record follows END, whatever is written, and there is no second END. */
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	give(3, 2);
	run(0);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(superpage(2, PAGES)[0], 0xee);
	UNIT_EQ(ev_rd(&d, EVENT_DOORBELL), 3);
	UNIT_EQ(count(0, -1, "ends"), 1);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK | EVENT_STATUS_ENDED);
	/* A second run starts from the beginning. */
	ev_wr(&d, EVENT_CONTROL, 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_QUIET);
	ev_prepare(&d, 0, 4, 4);
	UNIT_EQ(ev_enable(&d), OK);
	give(5, 1);
	run(0);
	EV_RECORD(&d, 0, BYTES, 0);
	ledger(0);
	host_end();
}

static void end_of_nothing(void)
{
	begin();
	ev_prepare(&d, 0, 4, 4);
	UNIT_EQ(ev_enable(&d), OK);
	give(0, 2);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_FLUSH);
	EV_RECORD(&d, 2, 0, EVENT_RECORD_END);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK | EVENT_STATUS_ENDED);
	UNIT_EQ(superpage(0, PAGES)[0], 0xee);
	host_end();
}

static void no_space(void)
{
	const uint8_t *guard;

	begin();
	start(0, INTERNAL);
	ev_prepare(&d, 0, 4, 2);
	guard = (uint8_t *)(d.record + 4);
	memset(d.record + 4, 0x77, sizeof(*d.record));
	UNIT_EQ(ev_enable(&d), OK);
	give(0, 7);
	run(0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_ENABLED | EVENT_STATUS_STALLED);
	UNIT_EQ(count(0, -1, "record_stalls"), 1);
	UNIT_EQ(ev_rd(&d, EVENT_WRITTEN), 4);
	/* Finished superpages wait, and no payload is moved meanwhile. */
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 4);
	UNIT_EQ(superpage(6, PAGES)[0], 0xee);
	UNIT_EQ(guard[0], 0x77);
	EV_RECORD(&d, 0, BYTES, 0);
	EV_RECORD(&d, 1, BYTES, 0);
	run(0);
	CU_ASSERT(le32toh(d.record[0].sequence) == 0);
	ev_wr(&d, EVENT_CONSUMED, 2);
	run(0);
	UNIT_EQ(ev_rd(&d, EVENT_WRITTEN), 6);
	EV_RECORD(&d, 2, BYTES, 0);
	EV_RECORD(&d, 3, BYTES, 0);
	EV_RECORD(&d, 4, BYTES, 0);
	EV_RECORD(&d, 5, BYTES, 0);
	UNIT_EQ(count(0, -1, "record_stalls"), 2);
	/* The END record waits for space like every record. */
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_FLUSH);
	run(0);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & (EVENT_STATUS_ENDED | EVENT_STATUS_QUIET), 0);
	ev_arm(&d);
	EV_RECORD(&d, 6, BYTES, 0);
	EV_RECORD(&d, 7, 0, EVENT_RECORD_END);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & EVENT_STATUS_STALLED, 0);
	UNIT_EQ(guard[0], 0x77);
	ledger(0);
	host_end();
}

static void host_error(void)
{
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & EVENT_STATUS_HOST_ERROR, EVENT_STATUS_HOST_ERROR);
	ev_wr(&d, EVENT_CONTROL, 0);
	ev_prepare(&d, 0, 3, 3);
	UNIT_EQ(ev_enable(&d), OK);
	give(0, 2);
	run(0);
	UNIT_EQ(ev_drain(&d), 2);
	ev_arm(&d);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK | EVENT_STATUS_ARMED);
}

static void bounds(void)
{
	begin_run(3);
	give(0, 2);
	run(0);
	UNIT_EQ(ev_drain(&d), 2);
	ev_arm(&d);
	/*
	 * A doorbell that goes back, or more than the ring beyond what is fetched, is refused. The
	 * present value is allowed.
	 */
	ev_wr(&d, EVENT_DOORBELL, 2);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & EVENT_STATUS_HOST_ERROR, 0);
	ev_wr(&d, EVENT_DOORBELL, 1);
	host_error();
	ev_wr(&d, EVENT_DOORBELL, 2 + 8 + 1);
	UNIT_EQ(ev_rd(&d, EVENT_DOORBELL), 2);
	host_error();
	host.no_master = true;
	ev_wr(&d, EVENT_DOORBELL, 6);
	ev_wr(&d, EVENT_DOORBELL, 4); /* unfetched descriptors cannot be withdrawn */
	UNIT_EQ(ev_rd(&d, EVENT_DOORBELL), 6);
	host.no_master = false;
	host_error();
	/* Values of CONSUMED for records that were never written, or are already returned. */
	ev_wr(&d, EVENT_ARM, 3);
	UNIT_EQ(ev_rd(&d, EVENT_ARM), 2);
	host_error();
	ev_wr(&d, EVENT_CONSUMED, 1);
	UNIT_EQ(ev_rd(&d, EVENT_CONSUMED), 2);
	host_error();
	push(0, 0, 9, PAGES);
	run(0);
	UNIT_EQ(superpage(9, PAGES)[0], 0xee);
	host_error();
	UNIT_EQ(count(0, -1, "host_errors"), 6);
	UNIT_EQ(count(0, -1, "fifo_overflow"), 0);
	host_end();
}

static void bad_descriptors(void)
{
	unsigned int i;

	begin_run(4);
	ev_put(&d, 0, bus(0), 0);
	ev_put(&d, 0, bus(1), BYTES + 4);
	ev_put(&d, 0, bus(2), CRU_SUPERPAGE_MAX + CRU_PAGE_SIZE);
	ev_put(&d, 0, bus(3) + 2, BYTES);
	ev_put(&d, CRU_LINK_SLOTS, bus(4), BYTES);
	ev_put(&d, 0, bus(5), BYTES);
	d.submit[5].flags = htole16(1);
	ev_put(&d, 0, bus(6), BYTES);
	ev_ring(&d);
	run(0);
	for (i = 0; i < 6; i++)
		EV_RECORD(&d, i, 0, EVENT_RECORD_REFUSED | (i == 4 ? CRU_LINK_SLOTS : 0));
	EV_RECORD(&d, 6, BYTES, 0);
	for (i = 0; i < 6; i++)
		UNIT_EQ(superpage(i, PAGES)[4], 0xee);
	UNIT_EQ(count(0, -1, "refused"), 6);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK);
	host_end();
}

/* Records of a link are in the order of its descriptors, including bad ones. */
static void bad_in_its_turn(void)
{
	begin();
	start(0, INTERNAL);
	wr(0, CRU_DMA_CONTROL, 0);
	ev_prepare(&d, 0, 4, 4);
	UNIT_EQ(ev_enable(&d), OK);
	ev_put(&d, 0, bus(0), BYTES);
	ev_put(&d, 0, bus(1), 0);
	ev_put(&d, 0, bus(2), BYTES);
	d.submit[2].flags = htole16(1);
	ev_put(&d, CRU_LINK_SLOTS, bus(3), BYTES);
	ev_ring(&d);
	run(0);
	UNIT_EQ(count(0, -1, "refused"), 0);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	run(0);
	EV_RECORD(&d, 0, BYTES, 0);
	EV_RECORD(&d, 1, 0, EVENT_RECORD_REFUSED);
	EV_RECORD(&d, 2, 0, EVENT_RECORD_REFUSED);
	EV_RECORD(&d, 3, 0, EVENT_RECORD_REFUSED | CRU_LINK_SLOTS);
	host_end();
}

/*
 * Fetches are in order, several descriptors per read, never beyond the ring's end. A full link
 * delays the others.
 */
static void fetching(void)
{
	unsigned int i;

	begin();
	key(0, "fifo-depth", "4");
	start(0, INTERNAL);
	wr(0, CRU_DMA_CONTROL, 0);
	ev_prepare(&d, 0, 7, 7);
	UNIT_EQ(ev_enable(&d), OK);
	for (i = 0; i < 6; i++)
		ev_put(&d, 0, bus(i), BYTES);
	ev_put(&d, 5, bus(6), BYTES);
	ev_ring(&d);
	UNIT_EQ(count(0, 0, "queued"), 4);
	UNIT_EQ(count(0, 5, "queued"), 0);
	UNIT_EQ(count(0, -1, "fetch_waits"), 1);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	run(0);
	UNIT_EQ(ev_drain(&d), 6);
	UNIT_EQ(count(0, 5, "queued"), 1);
	UNIT_EQ(count(0, -1, "fetches"), 1);
	ev_arm(&d);
	host_end();

	/* With one place per link the next descriptor enters when the last one is finished. */
	begin();
	key(0, "fifo-depth", "1");
	start(0, INTERNAL);
	ev_prepare(&d, 0, 4, 4);
	UNIT_EQ(ev_enable(&d), OK);
	give(0, 5);
	run(0);
	UNIT_EQ(ev_drain(&d), 5);
	host_end();

	begin_run(6);
	give(0, 50);
	run(0);
	UNIT_EQ(ev_drain(&d), 50);
	ev_arm(&d);
	UNIT_EQ(count(0, -1, "fetches"), 2);
	give(50, 30); /* 14 up to the end, 16 from the start */
	run(0);
	UNIT_EQ(count(0, -1, "fetches"), 4);
	for (i = 50; i < 80; i++)
		EV_RECORD(&d, i, BYTES, 0);
	host_end();
}

/* A read ends at the end of a page. */
static void fetching_over_pages(void)
{
	unsigned int i;

	begin_run(9);
	for (i = 0; i < 25; i++) {
		give(0, 10);
		run(0);
	}
	UNIT_EQ(ev_drain(&d), 250);
	UNIT_EQ(count(0, -1, "fetches"), 25);
	give(0, 12); /* from byte 4000 */
	run(0);
	UNIT_EQ(count(0, -1, "fetches"), 27);
	UNIT_EQ(ev_drain(&d), 12);
	host_end();
}

/* A descriptor that waits for a full link stays in the ring at a flush. */
static void flush_stops_fetching(void)
{
	begin();
	key(0, "fifo-depth", "2");
	start(0, INTERNAL);
	ev_prepare(&d, 0, 6, 6);
	UNIT_EQ(ev_enable(&d), OK);
	host.no_master = true;
	ev_put(&d, 0, bus(0), BYTES);
	ev_put(&d, 0, bus(1), BYTES);
	ev_put(&d, 0, bus(2), BYTES);
	ev_put(&d, 99, bus(3), BYTES);
	ev_ring(&d);
	host.no_master = false;
	cru_card.step(host.card, 0, BYTES / 2);
	UNIT_EQ(count(0, -1, "fetch_waits"), 1);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);
	run(0);
	EV_RECORD(&d, 0, BYTES / 2, EVENT_RECORD_PARTIAL | EVENT_RECORD_FLUSHED);
	EV_RECORD(&d, 4, 0, EVENT_RECORD_END);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK | EVENT_STATUS_ENDED);
	UNIT_EQ(count(0, -1, "refused"), 0);
	host_end();
}

static void disable(void)
{
	begin_run(4);
	give(0, 4);
	cru_card.step(host.card, 0, BYTES + BYTES / 2);
	EV_RECORD(&d, 0, BYTES, 0);
	ev_arm(&d);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_ENABLED | EVENT_STATUS_ARMED);
	ev_wr(&d, EVENT_CONTROL, 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_QUIET);
	run(0);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(superpage(2, PAGES)[0], 0xee);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	UNIT_EQ(count(0, 0, "queued"), 0);
	UNIT_EQ(host.message[1], 0);
	ledger(0);
	host_end();
}

static void resets(void)
{
	begin_run(4);
	ev_wr(&d, EVENT_MODERATION, EVENT_MODERATION_VALUE(8, 100));
	ev_wr(&d, EVENT_VECTOR, 5);
	give(0, 4);
	cru_card.step(host.card, 0, BYTES + BYTES / 2);
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERATOR);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_ENABLED);
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_QUIET);
	UNIT_EQ(ev_rd(&d, EVENT_MODERATION), 0);
	UNIT_EQ(ev_rd(&d, EVENT_VECTOR), 1);
	UNIT_EQ(ev_rd(&d, EVENT_DOORBELL) | ev_rd(&d, EVENT_ARM) | ev_rd(&d, EVENT_WRITTEN), 0);
	UNIT_EQ(ev_rd(&d, EVENT_SUBMIT_SIZE) | ev_rd(&d, EVENT_RECORD_SIZE), 0);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	run(0);
	UNIT_EQ(superpage(2, PAGES)[0], 0xee);
	ledger(0);
	/* Function-level reset. */
	ev_prepare(&d, 0, 4, 4);
	UNIT_EQ(ev_enable(&d), OK);
	give(0, 1);
	cru_card.reset(host.card, 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_QUIET);
	host_end();
}

static void bus_mastering_off(void)
{
	begin_run(4);
	host.no_master = true;
	give(0, 2);
	ev_arm(&d);
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(count(0, -1, "fetches"), 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & EVENT_STATUS_QUIET, 0);
	host.no_master = false;
	run(0);
	EV_RECORD(&d, 0, BYTES, 0);
	EV_RECORD(&d, 1, BYTES, 0);
	UNIT_EQ(host.message[1], 1);
	/* A record must wait, and the END record after it. */
	ev_arm(&d);
	give(2, 1);
	cru_card.step(host.card, 0, BYTES / 2);
	host.no_master = true;
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_FLUSH);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & (EVENT_STATUS_QUIET | EVENT_STATUS_ENDED), 0);
	UNIT_EQ(host.message[1], 1);
	host.no_master = false;
	run(0);
	EV_RECORD(&d, 2, BYTES / 2, EVENT_RECORD_PARTIAL | EVENT_RECORD_FLUSHED);
	EV_RECORD(&d, 3, 0, EVENT_RECORD_END);
	UNIT_EQ(host.message[1], 2);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK | EVENT_STATUS_ENDED);
	host_end();
}

/* The keys of the plain FIFO apply here, too: depth, refill latency, rate. */
static void keys_take_effect(void)
{
	uint64_t begun;
	unsigned int n = 0;

	begin();
	key(0, "refill-latency-us", "100");
	key(0, "rate", "250000000");
	start(0, INTERNAL);
	ev_prepare(&d, 0, 8, 8);
	UNIT_EQ(ev_enable(&d), OK);
	give(0, 1);
	run_for(0, 99000);
	UNIT_EQ(superpage(0, PAGES)[0], 0xee);
	run_for(0, 2000);
	CU_ASSERT(superpage(0, PAGES)[0] != 0xee);
	/* 32 KiB every 131.072 us while there are superpages. */
	begun = host.now;
	give(1, 127);
	while (host.now - begun < 1000000000) {
		unsigned int got;

		run_for(0, 1000000);
		got = ev_drain(&d);
		n += got;
		ev_arm(&d);
		give(0, got);
	}
	CU_ASSERT(n >= 7629 * 99 / 100 && n <= 7629 * 101 / 100);
	UNIT_EQ(count(0, -1, "dropped"), 0);
	host_end();
}

static void independent_endpoints(void)
{
	struct driver other = {.fn = 1, .block = BLOCK};

	begin_run(4);
	start(1, INTERNAL);
	ev_prepare(&other, 1, 4, 4);
	UNIT_EQ(ev_enable(&other), OK);
	ev_put(&other, 0, bus(20), BYTES);
	ev_ring(&other);
	run(1);
	give(0, 1);
	run(0);
	EV_RECORD(&d, 0, BYTES, 0);
	EV_RECORD(&other, 0, BYTES, 0);
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	UNIT_EQ(ev_rd(&other, EVENT_STATUS), OK);
	host_end();
}

UNIT_MAIN("emulated event interface", {"a plain card has no event interface", plain_card_has_none},
	  {"not enabled is plain", not_enabled_is_plain}, {"after reset", after_reset},
	  {"enabling is checked", enable_is_checked}, {"one superpage", one_superpage},
	  {"batches and phases", batches_and_phases},
	  {"links and time frames", links_and_time_frames}, {"flush and end", flush_and_end},
	  {"end of nothing", end_of_nothing}, {"no room", no_space}, {"bounds", bounds},
	  {"bad descriptors", bad_descriptors}, {"a bad one in its turn", bad_in_its_turn},
	  {"fetching", fetching}, {"fetching over pages", fetching_over_pages},
	  {"a flush stops fetching", flush_stops_fetching}, {"disable", disable},
	  {"resets", resets}, {"bus mastering off", bus_mastering_off},
	  {"rate, depth and latency apply", keys_take_effect},
	  {"endpoints apart", independent_endpoints})
