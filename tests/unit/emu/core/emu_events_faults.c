// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults of the event interface: the effect of each as a driver observes it, and its end.
 */
#include "tests/unit/emu/emu_host.h"
#include "emu_events.h"

#define PAGES 4 /* 32 KiB superpages */
#define BYTES (PAGES * CRU_PAGE_SIZE)
#define BLOCK 0x1000
#define VECTOR 1
#define OK (EVENT_STATUS_ENABLED | EVENT_STATUS_QUIET)

static struct driver d;
static const struct driver card = {.block = 0x1080};

static void begin(void)
{
	host_begin();
	key(0, "events", "on");
	d = (struct driver){.block = BLOCK};
	start(0, CRU_DATA_SOURCE_INTERNAL);
	ev_prepare(&d, 0, 3, 3);
	UNIT_EQ(ev_enable(&d), OK);
	ev_arm(&d);
}

static void fill(unsigned int n)
{
	while (n--)
		ev_put(&d, 0, HOST_BASE + (uint64_t)(d.published % 512) * BYTES, BYTES);
	ev_ring(&d);
	run(0);
}

static void lost_interrupt(void)
{
	begin();
	fault(0, "irq-lost", 1);
	fill(1);
	UNIT_EQ(host.message[VECTOR], 0);
	UNIT_EQ(count(0, -1, "interrupts"), 0);
	/* The card counts the interrupt as sent. */
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK);
	EV_RECORD(&d, 0, BYTES, 0);
	ev_arm(&d);
	fill(1);
	UNIT_EQ(host.message[VECTOR], 1);
	UNIT_EQ(cru_card.fault_get(host.card, 0, "irq-lost"), 0);
	host_end();
}

static void spurious_interrupts(void)
{
	begin();
	fault(0, "irq-spurious", 0);
	run(0);
	UNIT_EQ(host.message[VECTOR], 1);
	run(0);
	UNIT_EQ(host.message[VECTOR], 1);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK | EVENT_STATUS_ARMED);
	fault(0, "irq-spurious", 5);
	run_for(0, 52000000);
	UNIT_EQ(host.message[VECTOR], 1 + 11);
	cru_card.fault_clear(host.card, 0, "irq-spurious");
	run_for(0, 52000000);
	UNIT_EQ(host.message[VECTOR], 1 + 11);
	/* The regular interrupt arrives all the same. */
	fill(1);
	UNIT_EQ(host.message[VECTOR], 1 + 12);
	host_end();
}

static void late_record(void)
{
	begin();
	fault(0, "record-late", 500);
	fill(1);
	CU_ASSERT(superpage(0, PAGES)[BYTES - 1] != 0xee);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & EVENT_STATUS_QUIET, 0);
	run_for(0, 499000);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(host.message[VECTOR], 0);
	run_for(0, 1000);
	EV_RECORD(&d, 0, BYTES, 0);
	UNIT_EQ(host.message[VECTOR], 1);
	/* The END record stays behind delayed records. */
	fill(1);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_FLUSH);
	CU_ASSERT(!ev_next(&d));
	run_for(0, 500000);
	EV_RECORD(&d, 1, BYTES, 0);
	EV_RECORD(&d, 2, 0, EVENT_RECORD_END);
	host_end();
}

static void record_twice(void)
{
	begin();
	fault(0, "record-twice", 1);
	fill(2);
	EV_RECORD(&d, 0, BYTES, 0);
	EV_RECORD(&d, 0, BYTES, 0); /* in sequence, of a superpage that is not in the card */
	EV_RECORD(&d, 1, BYTES, 0);
	UNIT_EQ(count(0, -1, "superpages"), 2);
	UNIT_EQ(count(0, -1, "records"), 3);
	host_end();
}

static void wrong_sequence(void)
{
	begin();
	fault(0, "record-sequence", 9); /* the phase stays as it is */
	fill(2);
	UNIT_NEED(ev_next(&d));
	UNIT_EQ(le32toh(d.last.sequence), 9);
	UNIT_EQ(le32toh(d.last.descriptor), 0);
	EV_RECORD(&d, 1, BYTES, 0);
	host_end();
}

static void overrun(void)
{
	begin();
	/* Written one ring too far: the phase marks it as absent. */
	fault(0, "record-overrun", 1);
	fill(2);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(le32toh(d.record[0].sequence), 8);
	UNIT_EQ(le32toh(d.record[1].sequence), 1);
	UNIT_EQ(host.message[VECTOR], 1);
	host_end();

	begin();
	fault(0, "record-overrun", 2);
	fill(1);
	UNIT_NEED(ev_next(&d));
	UNIT_EQ(le32toh(d.last.sequence), 16);
	host_end();
}

/* The skipped places keep their content, and the card counts the records as written. */
static void record_hole(void)
{
	static const struct event_record none;

	begin();
	fault(0, "record-hole", 2);
	fill(4);
	CU_ASSERT(!ev_next(&d));
	CU_ASSERT(!memcmp(&d.record[0], &none, sizeof(none)));
	CU_ASSERT(!memcmp(&d.record[1], &none, sizeof(none)));
	UNIT_EQ(ev_rd(&d, EVENT_WRITTEN), 4);
	UNIT_EQ(host.message[VECTOR], 1);
	d.seen = 2;
	EV_RECORD(&d, 2, BYTES, 0);
	EV_RECORD(&d, 3, BYTES, 0);
	UNIT_EQ(count(0, -1, "superpages"), 4);
	UNIT_EQ(cru_card.fault_get(host.card, 0, "record-hole"), 0);
	host_end();
}

static void spoiled_records(void)
{
	begin();
	fault(0, "damaged", 1);
	fill(2);
	EV_RECORD(&d, 0, BYTES, EVENT_RECORD_DAMAGED);
	EV_RECORD(&d, 1, BYTES, 0);
	fault(0, "short", 4099);
	fill(2);
	EV_RECORD(&d, 2, BYTES - 4099, 0);
	EV_RECORD(&d, 3, BYTES, 0);
	ev_arm(&d);
	fault(0, "empty", 1);
	fill(2);
	EV_RECORD(&d, 4, 0, 0);
	EV_RECORD(&d, 5, BYTES, 0);
	/* The card's counts of the superpages are right. */
	UNIT_EQ(count(0, -1, "superpages"), 6);
	UNIT_EQ(count(0, -1, "bytes"), 6 * BYTES);
	host_end();
}

static void missing_end(void)
{
	begin();
	fault(0, "end-missing", 1);
	fill(1);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_FLUSH);
	EV_RECORD(&d, 0, BYTES, 0);
	CU_ASSERT(!ev_next(&d));
	/* A disable ends this state. */
	ev_wr(&d, EVENT_CONTROL, 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_QUIET);
	host_end();
}

static void fetch_error(void)
{
	begin();
	ev_wr(&card, FUNCTION_ENABLE, EVENT_CAUSE_ALL);
	fill(2);
	UNIT_EQ(ev_drain(&d), 2);
	ev_arm(&d);
	fault(0, "fetch-error", 1);
	fill(2);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & EVENT_STATUS_FETCH_ERROR, EVENT_STATUS_FETCH_ERROR);
	UNIT_EQ(ev_rd(&card, FUNCTION_CAUSE), FUNCTION_CAUSE_FETCH);
	UNIT_EQ(host.message[0], 1);
	/* No descriptor is fetched any more, although the fault is off. */
	fill(1);
	UNIT_EQ(count(0, -1, "fetch_errors"), 1);
	UNIT_EQ(count(0, -1, "descriptors"), 2);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_FLUSH);
	EV_RECORD(&d, 2, 0, EVENT_RECORD_END);
	ev_wr(&d, EVENT_CONTROL, 0);
	ev_prepare(&d, 0, 3, 3);
	UNIT_EQ(ev_enable(&d), OK);
	host_end();
}

/* A ring that is not mapped causes the same error, and is counted. */
static void ring_outside(void)
{
	begin();
	ev_wr(&d, EVENT_CONTROL, 0);
	ev_prepare(&d, 0, 3, 3);
	ev_wr(&d, EVENT_SUBMIT_HIGH, 0);
	UNIT_EQ(ev_enable(&d), OK);
	fill(1);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & EVENT_STATUS_FETCH_ERROR, EVENT_STATUS_FETCH_ERROR);
	UNIT_EQ(cru_card.dma_outside(host.card), 1);
	ev_wr(&d, EVENT_CONTROL, 0);
	ev_prepare(&d, 0, 3, 3);
	ev_wr(&d, EVENT_RECORD_HIGH, 0);
	UNIT_EQ(ev_enable(&d), OK);
	fill(1);
	UNIT_EQ(count(0, -1, "dma_outside"), 2);
	UNIT_EQ(cru_card.dma_outside(host.card), 2);
	host_end();
}

static void not_to_be_stopped(void)
{
	begin();
	fault(0, "never-quiet", 1);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & EVENT_STATUS_QUIET, 0);
	ev_wr(&d, EVENT_CONTROL, 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), 0);
	cru_card.fault_clear(host.card, 0, NULL);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_QUIET);
	ev_prepare(&d, 0, 3, 3);
	UNIT_EQ(ev_enable(&d), OK);
	fault(0, "reset-ignored", 1);
	ev_wr(&d, EVENT_CONTROL, 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK);
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	fill(1);
	EV_RECORD(&d, 0, BYTES, 0);
	host_end();
}

static void quiesced_late(void)
{
	begin();
	fault(0, "quiet-late", 1000);
	ev_wr(&d, EVENT_CONTROL, 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), 0);
	run_for(0, 900000);
	/* The channel is already disabled: another disable does not delay QUIET again. */
	ev_wr(&d, EVENT_CONTROL, 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), 0);
	run_for(0, 100000);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_QUIET);
	ev_prepare(&d, 0, 3, 3);
	UNIT_EQ(ev_enable(&d), OK);
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), 0);
	run_for(0, 1000000);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_QUIET);
	host_end();
}

static void stalled_card(void)
{
	begin();
	fault(0, "stall", 1);
	fill(1);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(superpage(0, PAGES)[0], 0xee);
	ev_wr(&d, EVENT_CONTROL, 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_QUIET);
	host_end();
}

static void completions_late_as_ever(void)
{
	begin();
	fault(0, "late-completion", 3);
	fill(1);
	run_for(0, 2900000);
	CU_ASSERT(!ev_next(&d));
	run_for(0, 100000);
	EV_RECORD(&d, 0, BYTES, 0);
	host_end();
}

UNIT_MAIN("emulated event interface, faults", {"lost interrupt", lost_interrupt},
	  {"spurious interrupts", spurious_interrupts}, {"late record", late_record},
	  {"record twice", record_twice}, {"wrong sequence", wrong_sequence}, {"overrun", overrun},
	  {"record hole", record_hole}, {"spoiled records", spoiled_records},
	  {"missing end", missing_end}, {"fetch error", fetch_error},
	  {"a ring outside any mapping", ring_outside}, {"not to be stopped", not_to_be_stopped},
	  {"quiesced late", quiesced_late}, {"stall", stalled_card},
	  {"late completions", completions_late_as_ever})
