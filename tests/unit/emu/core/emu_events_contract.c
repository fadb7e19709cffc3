// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Edge cases of Documentation/hardware/event-interface.md: vectors beyond the capability, refused
 * enables, an incomplete push, a flush while descriptors wait.
 */
#include "tests/unit/emu/emu_host.h"
#include "emu_events.h"

#define PAGES 4 /* 32 KiB superpages */
#define BYTES (PAGES * CRU_PAGE_SIZE)
#define BLOCK 0x1000
#define OK (EVENT_STATUS_ENABLED | EVENT_STATUS_QUIET)
#define FLUSH (CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH)

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
	start(0, CRU_DATA_SOURCE_INTERNAL);
}

static void enable(unsigned int log2)
{
	ev_prepare(&d, 0, log2, log2);
	UNIT_EQ(ev_enable(&d), OK);
}

static void give(unsigned int count)
{
	while (count--)
		ev_put(&d, 0, bus(d.published % 512), BYTES);
	ev_ring(&d);
}

/* VECTOR after reset depends on the capability, not on the vectors that the host has enabled. */
static void vector_after_reset(void)
{
	begin();
	host.vectors = 1;
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	UNIT_EQ(ev_rd(&d, EVENT_VECTOR), 1);
	key(0, "vectors", "2");
	UNIT_EQ(ev_rd(&d, EVENT_VECTOR), 1);
	key(0, "vectors", "1");
	UNIT_EQ(ev_rd(&d, EVENT_VECTOR), 0);
	host_end();
}

static void no_vectors(void)
{
	struct card_messages m;

	begin();
	key(0, "vectors", "0");
	cru_card.messages(host.card, &m);
	UNIT_EQ(m.msix, 0);
	UNIT_EQ(m.msi, 0);
	UNIT_EQ(m.vendor.word[1] & EVENT_VSEC_VECTORS, 0);
	UNIT_EQ(ev_rd(&d, EVENT_VECTOR), 0);
	ev_wr(&d, EVENT_VECTOR, 5);
	UNIT_EQ(ev_rd(&d, EVENT_VECTOR), 5);
	/* The records are written all the same. */
	host.vectors = 0;
	enable(4);
	ev_arm(&d);
	give(1);
	run(0);
	EV_RECORD(&d, 0, BYTES, 0);
	UNIT_EQ(count(0, -1, "interrupts"), 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK);
	host_end();
}

/* Every enable clears all three error bits, whether it was refused or not. */
static void refusal_clears_errors(void)
{
	begin();
	enable(4);
	fault(0, "fetch-error", 1);
	ev_wr(&d, EVENT_ARM, 99);
	give(1);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & (EVENT_STATUS_FETCH_ERROR | EVENT_STATUS_HOST_ERROR),
		EVENT_STATUS_FETCH_ERROR | EVENT_STATUS_HOST_ERROR);
	/* A disable alone does not clear them. */
	ev_wr(&d, EVENT_CONTROL, 0);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS),
		EVENT_STATUS_QUIET | EVENT_STATUS_FETCH_ERROR | EVENT_STATUS_HOST_ERROR);
	UNIT_EQ(ev_rd(&d, EVENT_DOORBELL), 1);
	UNIT_EQ(ev_enable(&d), EVENT_STATUS_QUIET | EVENT_STATUS_SETUP_ERROR);
	UNIT_EQ(ev_rd(&d, EVENT_DOORBELL), 0);
	enable(4);
	host_end();
}

/* An address register behaves as on a plain card: only the write that pushes is an error. */
static void half_a_push(void)
{
	begin();
	enable(4);
	wr(0, CRU_SP_HIGH(0), bus(7) >> 32);
	wr(0, CRU_SP_LOW(0), (uint32_t)bus(7));
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK);
	wr(0, CRU_SP_PUSH(0), PAGES);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK | EVENT_STATUS_HOST_ERROR);
	UNIT_EQ(count(0, 0, "queued"), 0);
	/* A value written there while the channel was enabled is used afterwards. */
	ev_wr(&d, EVENT_CONTROL, 0);
	wr(0, CRU_SP_PUSH(0), PAGES);
	run(0);
	CU_ASSERT(superpage(7, PAGES)[0] != 0xee);
	host_end();
}

/* The ready counter counts filled superpages. */
static void ready_counts_filled(void)
{
	begin();
	enable(4);
	ev_put(&d, 0, bus(0), 5);
	give(1);
	run(0);
	wr(0, CRU_DMA_CONTROL, FLUSH);
	EV_RECORD(&d, 0, 0, EVENT_RECORD_REFUSED);
	EV_RECORD(&d, 1, BYTES, 0);
	EV_RECORD(&d, 2, 0, EVENT_RECORD_END);
	UNIT_EQ(rd(0, CRU_SP_READY(0)), 1);
	host_end();
}

/* The count in END is that of fetched descriptors, not of placed or published ones. */
static void end_counts_fetched(void)
{
	begin();
	key(0, "fifo-depth", "2");
	enable(6);
	wr(0, CRU_DMA_CONTROL, 0);
	give(40);
	UNIT_EQ(count(0, 0, "queued"), 2);
	UNIT_EQ(count(0, -1, "descriptors"), 32); /* one read */
	wr(0, CRU_DMA_CONTROL, FLUSH);
	EV_RECORD(&d, 32, 0, EVENT_RECORD_END);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK | EVENT_STATUS_ENDED);
	host_end();
}

/* A bad descriptor that waits for its turn gets no record after a flush. */
static void flush_drops_bad(void)
{
	begin();
	enable(4);
	host.no_master = true;
	ev_put(&d, 0, bus(0), BYTES);
	ev_put(&d, 0, bus(1), 5);
	ev_put(&d, CRU_LINK_SLOTS, bus(2), BYTES);
	ev_ring(&d);
	host.no_master = false;
	cru_card.step(host.card, 0, BYTES / 2);
	wr(0, CRU_DMA_CONTROL, FLUSH);
	run(0);
	EV_RECORD(&d, 0, BYTES / 2, EVENT_RECORD_PARTIAL | EVENT_RECORD_FLUSHED);
	EV_RECORD(&d, 3, 0, EVENT_RECORD_END);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(count(0, -1, "refused"), 0);
	host_end();
}

/* The write causes the flush, not the state of the bit. */
static void flush_is_a_write(void)
{
	begin();
	wr(0, CRU_DMA_CONTROL, FLUSH);
	enable(4);
	give(1);
	run(0);
	CU_ASSERT(!ev_next(&d));
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_ENABLED);
	UNIT_EQ(count(0, 0, "queued"), 1);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	run(0);
	EV_RECORD(&d, 0, BYTES, 0);
	ev_wr(&d, EVENT_CONTROL, 0);
	/* The bit is already set: writing it again is a flush. */
	wr(0, CRU_DMA_CONTROL, FLUSH);
	enable(4);
	wr(0, CRU_DMA_CONTROL, FLUSH);
	EV_RECORD(&d, 0, 0, EVENT_RECORD_END);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), OK | EVENT_STATUS_ENDED);
	host_end();
}

/* Before its first interrupt a channel waits neither for the count nor for the time. */
static void first_interrupt(void)
{
	begin();
	ev_wr(&d, EVENT_MODERATION, EVENT_MODERATION_VALUE(8, 60000));
	enable(4);
	ev_arm(&d);
	give(1);
	run(0);
	UNIT_EQ(host.message[1], 1);
	ev_wr(&d, EVENT_CONTROL, 0);
	/* An interrupt of an earlier enable does not count either. */
	enable(4);
	ev_arm(&d);
	give(1);
	run(0);
	UNIT_EQ(host.message[1], 2);
	host_end();
}

static void limits(void)
{
	begin();
	key(0, "fifo-depth", "4096");
	UNIT_EQ(EVENT_LIMITS_DEPTH(ev_rd(&d, EVENT_LIMITS)), 4096);
	UNIT_EQ(EVENT_LIMITS_LINKS(ev_rd(&d, EVENT_LIMITS)), 16);
	UNIT_EQ(ev_rd(&d, EVENT_LIMITS) >> 24, 0);
	host_end();
}

UNIT_MAIN("emulated event interface, edges of the contract",
	  {"vector after reset", vector_after_reset}, {"no vectors", no_vectors},
	  {"a refused enable clears errors", refusal_clears_errors}, {"half a push", half_a_push},
	  {"ready counter", ready_counts_filled},
	  {"END counts what was fetched", end_counts_fetched},
	  {"a flush drops a waiting bad descriptor", flush_drops_bad},
	  {"a flush is a write", flush_is_a_write}, {"first interrupt", first_interrupt},
	  {"limits", limits})
