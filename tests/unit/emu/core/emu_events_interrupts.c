// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The event interface on the emulated CRU: arming, moderation, vectors, alarms and their notice.
 */
#include "tests/unit/emu/emu_host.h"
#include "emu_events.h"

#define PAGES 4 /* 32 KiB superpages */
#define BYTES (PAGES * CRU_PAGE_SIZE)
#define BLOCK 0x1000
#define US 1000ull
#define VECTOR 1 /* of the channel, by default */

static struct driver d;
static const struct driver card = {.block = 0x1080};
static unsigned int given;

static void begin(uint32_t count, uint32_t us)
{
	host_begin();
	key(0, "events", "on");
	d = (struct driver){.block = BLOCK};
	given = 0;
	start(0, CRU_DATA_SOURCE_INTERNAL);
	ev_prepare(&d, 0, 6, 6);
	ev_wr(&d, EVENT_MODERATION, EVENT_MODERATION_VALUE(count, us));
	UNIT_EQ(ev_enable(&d), EVENT_STATUS_ENABLED | EVENT_STATUS_QUIET);
}

/* Fill @n superpages at once. */
static uint64_t fill(unsigned int n)
{
	while (n--)
		ev_put(&d, 0, HOST_BASE + (uint64_t)(given++ % 512) * BYTES, BYTES);
	ev_ring(&d);
	return run(0);
}

static void later(uint64_t us)
{
	host.now += us * US;
	run(0);
}

static void one_shot(void)
{
	begin(0, 0);
	fill(2);
	UNIT_EQ(host.message[VECTOR], 0); /* not armed */
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & EVENT_STATUS_ARMED, 0);
	ev_arm(&d); /* two records exist beyond this count: due at once */
	UNIT_EQ(host.message[VECTOR], 1);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & EVENT_STATUS_ARMED, 0);
	fill(3);
	UNIT_EQ(host.message[VECTOR], 1);
	UNIT_EQ(ev_drain(&d), 5);
	ev_arm(&d);
	UNIT_EQ(host.message[VECTOR], 1);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & EVENT_STATUS_ARMED, EVENT_STATUS_ARMED);
	fill(1);
	UNIT_EQ(host.message[VECTOR], 2);
	/* The same count again re-arms: this recovers a lost interrupt. */
	ev_arm(&d);
	UNIT_EQ(host.message[VECTOR], 3);
	UNIT_EQ(count(0, -1, "interrupts"), 3);
	UNIT_EQ(count(0, -1, "arms"), 3);
	host_end();
}

static void consumed_does_not_arm(void)
{
	begin(0, 0);
	fill(2);
	UNIT_EQ(ev_drain(&d), 2);
	ev_wr(&d, EVENT_CONSUMED, 2);
	fill(1);
	UNIT_EQ(host.message[VECTOR], 0);
	UNIT_EQ(ev_rd(&d, EVENT_ARM), 2);
	/* It does not disarm either, but there may be no record left to report. */
	ev_arm(&d);
	UNIT_EQ(ev_drain(&d), 1);
	ev_wr(&d, EVENT_CONSUMED, 3);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS), EVENT_STATUS_ENABLED | EVENT_STATUS_QUIET);
	host_end();
}

static void by_count(void)
{
	uint64_t when;

	begin(4, 50000);
	ev_arm(&d);
	fill(1); /* the first interrupt is sent at once */
	UNIT_EQ(host.message[VECTOR], 1);
	UNIT_EQ(ev_drain(&d), 1);
	ev_arm(&d);
	later(100);
	when = fill(3);
	UNIT_EQ(host.message[VECTOR], 1);
	/* It becomes due by time, and the step returns that time. */
	UNIT_EQ(when, host.now - 100 * US + 50000 * US);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS) & (EVENT_STATUS_ARMED | EVENT_STATUS_QUIET),
		EVENT_STATUS_ARMED);
	fill(1);
	UNIT_EQ(host.message[VECTOR], 2);
	/* A lower count takes effect at once. */
	UNIT_EQ(ev_drain(&d), 4);
	ev_arm(&d);
	fill(2);
	UNIT_EQ(host.message[VECTOR], 2);
	ev_wr(&d, EVENT_MODERATION, EVENT_MODERATION_VALUE(2, 50000));
	UNIT_EQ(host.message[VECTOR], 3);
	host_end();
}

static void by_time(void)
{
	begin(8, 1000);
	ev_arm(&d);
	fill(1);
	UNIT_EQ(host.message[VECTOR], 1);
	UNIT_EQ(ev_drain(&d), 1);
	ev_arm(&d);
	later(400);
	fill(1);
	later(599);
	UNIT_EQ(host.message[VECTOR], 1);
	later(1); /* counted from the interrupt, not from the record */
	UNIT_EQ(host.message[VECTOR], 2);
	UNIT_EQ(ev_drain(&d), 1);
	ev_arm(&d);
	/* After an idle period the interrupt is sent at once and exactly once. */
	later(5000);
	fill(1);
	UNIT_EQ(host.message[VECTOR], 3);
	later(5000);
	UNIT_EQ(host.message[VECTOR], 3);
	/* After another enable there is no previous interrupt. */
	ev_arm(&d);
	ev_wr(&d, EVENT_CONTROL, 0);
	ev_prepare(&d, 0, 6, 6);
	UNIT_EQ(ev_enable(&d), EVENT_STATUS_ENABLED | EVENT_STATUS_QUIET);
	ev_arm(&d);
	fill(1);
	UNIT_EQ(host.message[VECTOR], 5);
	host_end();
}

/* Under load: never more than one per count, nor more than one per time. */
static void rate_is_bounded(void)
{
	unsigned int i;

	begin(16, 10000);
	ev_arm(&d);
	for (i = 0; i < 1000; i++) {
		unsigned int before = host.message[VECTOR];

		fill(1);
		if (host.message[VECTOR] != before) {
			ev_drain(&d);
			ev_arm(&d);
		}
		host.now += 10 * US;
	}
	CU_ASSERT(host.message[VECTOR] >= 1000 / 16);
	CU_ASSERT(host.message[VECTOR] <= 1000 / 16 + 2);
	host_end();
}

static void urgent(void)
{
	begin(8, 60000);
	ev_arm(&d);
	fill(1);
	UNIT_EQ(ev_drain(&d), 1);
	ev_arm(&d);
	fill(1);
	UNIT_EQ(host.message[VECTOR], 1);
	ev_put(&d, 0, HOST_BASE, 5);
	ev_ring(&d);
	UNIT_EQ(host.message[VECTOR], 2);
	UNIT_EQ(ev_drain(&d), 2);
	ev_arm(&d);
	/* It was returned: the next record is an ordinary one again. */
	fill(1);
	UNIT_EQ(host.message[VECTOR], 2);
	wr(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_FLUSH);
	UNIT_EQ(host.message[VECTOR], 3);
	UNIT_EQ(ev_drain(&d), 2);
	UNIT_EQ(le32toh(d.last.status) & EVENT_RECORD_END, EVENT_RECORD_END);
	host_end();
}

static void vectors(void)
{
	begin(0, 0);
	ev_wr(&d, EVENT_VECTOR, 3);
	UNIT_EQ(ev_rd(&d, EVENT_VECTOR), 3);
	ev_arm(&d);
	fill(1);
	UNIT_EQ(host.message[3], 1);
	ev_wr(&d, EVENT_VECTOR, FUNCTION_VECTOR_NONE);
	UNIT_EQ(ev_drain(&d), 1);
	ev_arm(&d);
	fill(1);
	UNIT_EQ(host.message[3], 1);
	UNIT_EQ(ev_rd(&d, EVENT_STATUS),
		EVENT_STATUS_ENABLED | EVENT_STATUS_QUIET | EVENT_STATUS_ARMED);
	ev_wr(&d, EVENT_VECTOR, 0);
	UNIT_EQ(host.message[0], 1);
	/* An interrupt of a vector that the host has not enabled is neither sent nor kept. */
	host.vectors = 2;
	ev_wr(&d, EVENT_VECTOR, 2);
	UNIT_EQ(ev_drain(&d), 1);
	ev_arm(&d);
	fill(1);
	UNIT_EQ(count(0, -1, "unrouted"), 1);
	host.vectors = 8;
	fill(1);
	UNIT_EQ(host.message[2], 0);
	host_end();
}

static uint32_t notice(void)
{
	uint32_t word;

	memcpy(&word, host.memory + NOTICE, sizeof(word));
	return le32toh(word);
}

static void alarm_begin(void)
{
	begin(0, 0);
	memset(host.memory + NOTICE, 0xff, 8);
	ev_wr(&card, FUNCTION_NOTICE_LOW, (uint32_t)(HOST_BASE + NOTICE));
	UNIT_EQ(notice(), 0xffffffff);
	ev_wr(&card, FUNCTION_NOTICE_HIGH, (HOST_BASE + NOTICE) >> 32);
	UNIT_EQ(notice(), 0);
	run(0);
}

static void heat(const char *degrees)
{
	key(0, "temperature", degrees);
	run(0);
}

static void temperature(void)
{
	alarm_begin();
	UNIT_EQ(ev_rd(&card, FUNCTION_ID), EVENT_ID_CARD << 16 | 1 << 8 | 1);
	UNIT_EQ(ev_rd(&card, FUNCTION_VECTOR), 0);
	heat("61"); /* not enabled yet, but recorded */
	UNIT_EQ(ev_rd(&card, FUNCTION_CAUSE), FUNCTION_CAUSE_TEMPERATURE);
	UNIT_EQ(host.message[0], 0);
	UNIT_EQ(notice(), 0);
	ev_wr(&card, FUNCTION_ENABLE, 0xffffffff);
	UNIT_EQ(ev_rd(&card, FUNCTION_ENABLE), EVENT_CAUSE_ALL);
	UNIT_EQ(host.message[0], 1);
	UNIT_EQ(notice(), FUNCTION_CAUSE_TEMPERATURE);
	heat("82");
	UNIT_EQ(host.message[0], 2);
	UNIT_EQ(notice(), FUNCTION_CAUSE_TEMPERATURE | FUNCTION_CAUSE_CRITICAL);
	/* Causes that remain after clearing raise the interrupt again, so that none is lost. */
	ev_wr(&card, FUNCTION_CAUSE, FUNCTION_CAUSE_CRITICAL);
	UNIT_EQ(host.message[0], 3);
	UNIT_EQ(notice(), FUNCTION_CAUSE_TEMPERATURE);
	ev_wr(&card, FUNCTION_CAUSE, FUNCTION_CAUSE_TEMPERATURE);
	UNIT_EQ(host.message[0], 3);
	UNIT_EQ(notice(), 0);
	/* The temperature stays above, or falls only a little below: no new alarm. */
	heat("83");
	heat("59");
	heat("61");
	UNIT_EQ(host.message[0], 3);
	heat("57");
	heat("61");
	UNIT_EQ(host.message[0], 4);
	UNIT_EQ(count(0, -1, "alarms"), 4);
	UNIT_EQ(host.message[VECTOR], 0);
	host_end();
}

static void link_change(void)
{
	alarm_begin();
	ev_wr(&card, FUNCTION_ENABLE, FUNCTION_CAUSE_LINK);
	ev_wr(&card, FUNCTION_VECTOR, 6);
	key(0, "link-state", "3=down");
	run(0);
	UNIT_EQ(host.message[6], 1);
	UNIT_EQ(notice(), FUNCTION_CAUSE_LINK);
	ev_wr(&card, FUNCTION_CAUSE, FUNCTION_CAUSE_LINK);
	key(0, "link-state", "3=up");
	run(0);
	UNIT_EQ(host.message[6], 2);
	/* A bit that is already set raises no new interrupt. */
	key(0, "link-state", "3=down");
	run(0);
	UNIT_EQ(host.message[6], 2);
	/* The alarms of the other endpoint are separate. */
	ev_wr(&card, FUNCTION_CAUSE, FUNCTION_CAUSE_LINK);
	key(1, "link-state", "3=down");
	run(0);
	UNIT_EQ(host.message[6], 2);
	host_end();
}

static void channel_errors(void)
{
	alarm_begin();
	ev_wr(&card, FUNCTION_ENABLE, EVENT_CAUSE_ALL);
	UNIT_EQ(ev_rd(&card, FUNCTION_CHANNELS), 0);
	ev_wr(&d, EVENT_ARM, 99);
	UNIT_EQ(notice(), FUNCTION_CAUSE_HOST);
	UNIT_EQ(ev_rd(&card, FUNCTION_CHANNELS), 1);
	ev_wr(&card, FUNCTION_CAUSE, FUNCTION_CAUSE_HOST);
	ev_wr(&d, EVENT_ARM, 99); /* the bit is set already */
	UNIT_EQ(notice(), 0);
	UNIT_EQ(host.message[0], 1);
	ev_wr(&d, EVENT_CONTROL, 0);
	ev_prepare(&d, 0, 6, 2);
	UNIT_EQ(ev_enable(&d), EVENT_STATUS_ENABLED | EVENT_STATUS_QUIET);
	UNIT_EQ(ev_rd(&card, FUNCTION_CHANNELS), 0);
	fill(5);
	UNIT_EQ(notice(), FUNCTION_CAUSE_STALL);
	UNIT_EQ(host.message[0], 2);
	UNIT_EQ(ev_rd(&card, FUNCTION_CHANNELS), 1);
	ev_wr(&card, FUNCTION_CAUSE, FUNCTION_CAUSE_STALL);
	UNIT_EQ(ev_drain(&d), 4);
	ev_arm(&d);
	run(0);
	UNIT_EQ(ev_rd(&card, FUNCTION_CHANNELS), 0);
	ev_wr(&d, EVENT_CONTROL, 0);
	ev_enable(&d);
	UNIT_EQ(notice(), FUNCTION_CAUSE_HOST); /* a refused setup */
	host_end();
}

/* The channel's reset keeps it; the function's reset clears it. */
static void reset_of_the_block(void)
{
	alarm_begin();
	ev_wr(&card, FUNCTION_ENABLE, FUNCTION_CAUSE_TEMPERATURE);
	ev_wr(&card, FUNCTION_VECTOR, 2);
	wr(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	UNIT_EQ(ev_rd(&card, FUNCTION_ENABLE), FUNCTION_CAUSE_TEMPERATURE);
	heat("70");
	UNIT_EQ(host.message[2], 1);
	cru_card.reset(host.card, 0);
	UNIT_EQ(ev_rd(&card, FUNCTION_CAUSE) | ev_rd(&card, FUNCTION_ENABLE), 0);
	UNIT_EQ(ev_rd(&card, FUNCTION_VECTOR), 0);
	memset(host.memory + NOTICE, 0xff, 4);
	ev_wr(&card, FUNCTION_ENABLE, EVENT_CAUSE_ALL);
	heat("50");
	heat("70");
	CU_ASSERT(host.message[0] >= 1);
	UNIT_EQ(notice(), 0xffffffff); /* its address is cleared */
	host_end();
}

static void alarm_waits_for_the_bus(void)
{
	alarm_begin();
	ev_wr(&card, FUNCTION_ENABLE, EVENT_CAUSE_ALL);
	host.no_master = true;
	heat("70");
	UNIT_EQ(notice(), 0);
	host.no_master = false;
	run(0);
	UNIT_EQ(notice(), FUNCTION_CAUSE_TEMPERATURE);
	UNIT_EQ(host.message[0], 1);
	host_end();
}

UNIT_MAIN("emulated event interface, interrupts", {"one shot", one_shot},
	  {"consuming records does not arm", consumed_does_not_arm}, {"by count", by_count},
	  {"by time", by_time}, {"the rate is bounded", rate_is_bounded},
	  {"urgent records", urgent}, {"vectors", vectors}, {"temperature", temperature},
	  {"links", link_change}, {"errors of a channel", channel_errors},
	  {"reset of the function's block", reset_of_the_block},
	  {"alarms wait for the bus", alarm_waits_for_the_bus})
