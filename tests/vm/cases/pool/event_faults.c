// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test cards with the event interface that violate its contract, and alarms that they raise.
 */
#include "common/case.h"
#include "common/tool.h"
#include "common/uevent.h"

#include "kmod/pool/event_regs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool skip(void)
{
	if (has_events(EP0))
		return false;
	unit_skip("no card with the event interface");
	return true;
}

static struct counters at_open;

/* Counts since the channel was opened. */
static struct counters counted(void)
{
	return counters_since(EP0, 0, at_open);
}

/* A channel with data: for five seconds the reader may pause, and no data are dropped. */
static bool flow(struct rig *r)
{
	*r = (struct rig){.id = EP0,
			  .source = ROC_SOURCE_DDG,
			  .mode = ROC_MODE_EVENT,
			  .superpage = 64 * KIB,
			  .count = 512};
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set 0 rate %llu", emu_rate(64 * KIB * 100));
	if (!rig_open(r))
		return false;
	at_open = counters(EP0, 0);
	rig_push(r, RIG_MAX);
	return rig_start(r) && rig_run(r, 40, 5000);
}

/* The channel goes on, and no data are missing. */
static void still_runs(struct rig *r, unsigned int n)
{
	CU_ASSERT(rig_run(r, r->filled + n, 5000));
	rig_stop(r);
	rig_agrees(r, CARD0, 0);
	UNIT_EQ(r->filled + r->reclaimed + r->out, r->pushed);
	RIG_OK(r);
	rig_close(r);
	emu(CARD0, "fault 0 clear");
}

static void works(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .mode = ROC_MODE_EVENT};

	emu_normal(CARD0, FOUR_LINKS);
	CU_ASSERT(rig_once(&r, 30, 5000));
	RIG_OK(&r);
	rig_close(&r);
}

/* An earlier run left the flush bit set: a start with it is a normal run. */
static void flush_bit_left(void)
{
	if (skip())
		return;
	works();
	emu_poke(CARD0, 0, CRU_BAR_DMA, CRU_DMA_CONTROL,
		 CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH);
	works();
}

static struct roc_ch_losses losses(struct rig *r)
{
	struct roc_ch_losses l = {.size = sizeof(l)};

	UNIT_EQ(abi(rig_fd(r), ROC_CH_LOSSES, &l), 0);
	return l;
}

/* The run ended for this reason, the card is quiesced, and all superpages were returned. */
static void failed(struct rig *r, enum roc_reason reason, unsigned int ms)
{
	struct roc_ch_info info;
	int64_t end = now_ms() + patience_ms(ms);

	do {
		if (r->mode == ROC_MODE_BUSY)
			roc_channel_poll(r->ch);
		rig_take(r, true);
		info = ch_info(rig_fd(r));
	} while (info.state == ROC_CH_RUNNING && now_ms() < end);
	UNIT_EQ(info.state, ROC_CH_FAILED);
	UNIT_EQ(info.reason, reason);
	UNIT_EQ(info.in_flight, 0);
	CU_ASSERT(emu_idle(CARD0, 0, 100));
	rig_take(r, false);
	UNIT_EQ(rig_missing(r), 0);
	CU_ASSERT(r->reclaimed > 0);
	UNIT_EQ(r->reason, reason);
	/* After its END the card has no unreported data. */
	UNIT_EQ(losses(r).lost, reason == ROC_REASON_CARD ? 0 : r->reclaimed);
	CU_ASSERT(node_count(EP0, 0, "lost") >= losses(r).lost);
	/* A card that reports the error itself has completed its superpages. */
	if (reason == ROC_REASON_CARD)
		rig_agrees(r, CARD0, 0);
	emu(CARD0, "fault 0 clear");
	emu(CARD0, "set 0 rate 0");
	/*
	 * A new start recovers, on the same descriptor. No superpage is in the card before it: a
	 * lost card that is back writes into its old ones until it is reset.
	 */
	CU_ASSERT(rig_start(r));
	rig_push(r, RIG_MAX);
	CU_ASSERT(rig_run(r, 50, 5000));
	rig_stop(r);
	RIG_OK(r);
	rig_close(r);
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
}

/* Another process makes the card flush: its END is unsolicited. */
static void unsolicited_end(void)
{
	struct rig r;
	int ep;

	if (skip())
		return;
	UNIT_NEED(flow(&r));
	ep = node_open(EP0, -1);
	UNIT_EQ(reg_write(ep, CRU_BAR_DMA, CRU_DMA_CONTROL,
			  CRU_DMA_CONTROL_START | CRU_DMA_CONTROL_FLUSH),
		0);
	close(ep);
	failed(&r, ROC_REASON_RECORD, 5000);
	works();
}

static void lost_interrupt(void)
{
	struct rig r;
	unsigned int i, tries;

	if (skip())
		return;
	UNIT_NEED(flow(&r));
	for (i = 0; i < 2; i++) {
		tries = 3;
		/*
		 * On a busy machine another interrupt may be so late that the driver does not wait
		 * for it.
		 */
		do {
			at_open = counters(EP0, 0);
			emu(CARD0, "fault 0 irq-lost 1");
			CU_ASSERT(rig_run(&r, r.filled + 60, 5000));
		} while (counted().missed > 1 && --tries);
		UNIT_EQ(counted().missed, 1);
	}
	still_runs(&r, 50);
}

static void spurious_interrupt(void)
{
	unsigned int tries = 3;
	struct rig r;
	int64_t end;

	if (skip())
		return;
	UNIT_NEED(flow(&r));
	emu(CARD0, "fault 0 irq-spurious 2");
	/* On a busy machine one may be so late that the driver does not wait for it. */
	do {
		at_open = counters(EP0, 0);
		end = now_ms() + patience_ms(5000);
		do {
			CU_ASSERT(rig_run(&r, r.filled + 60, 5000));
		} while (counted().spurious <= 10 && now_ms() < end);
		CU_ASSERT(counted().spurious > 10);
	} while (counted().missed && --tries);
	UNIT_EQ(counted().missed, 0);
	emu(CARD0, "fault 0 clear");
	still_runs(&r, 50);
}

static void record_late(void)
{
	struct rig r;

	if (skip())
		return;
	UNIT_NEED(flow(&r));
	emu(CARD0, "fault 0 record-late 4000");
	still_runs(&r, 100);
}

static void record_fault(const char *fault)
{
	struct rig r;

	if (skip())
		return;
	UNIT_NEED(flow(&r));
	emu(CARD0, "fault 0 %s", fault);
	failed(&r, ROC_REASON_RECORD, 2000);
}

static void record_twice(void)
{
	record_fault("record-twice 1");
}

static void record_sequence(void)
{
	record_fault("record-sequence 3");
}

static void record_overrun(void)
{
	record_fault("record-overrun 2");
}

/* Its phase shows it as absent; the next record is valid. */
static void record_hidden(void)
{
	record_fault("record-overrun 1");
}

static void open_in_mode(struct rig *r, enum roc_mode mode)
{
	r->mode = mode;
	r->by_timer = mode == ROC_MODE_TIMER;
	UNIT_EQ(roc_channel_mode(r->ch, mode), 0);
	CU_ASSERT(rig_run(r, r->filled + 20, 5000));
}

/* The documented time, plus the time of the channel's reset. */
#define HOLE_MS 6000

/*
 * Records that are never written, in each mode: with other records behind the hole, and a hole of
 * half a ring, so that the card has no superpage left for another record.
 */
static void holes(enum roc_mode mode)
{
	static const unsigned int sizes[] = {1, 2, 7, 2048};
	struct rig r;
	size_t i;

	if (skip())
		return;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		UNIT_NEED(flow(&r));
		open_in_mode(&r, mode);
		unit_note("%u records", sizes[i]);
		emu(CARD0, "fault 0 record-hole %u", sizes[i]);
		failed(&r, ROC_REASON_RECORD, HOLE_MS);
	}
}

static void holes_by_event(void)
{
	holes(ROC_MODE_EVENT);
}

static void holes_by_timer(void)
{
	holes(ROC_MODE_TIMER);
}

static void holes_busy(void)
{
	holes(ROC_MODE_BUSY);
}

/* The stop detects a missing record, and fails. */
static void stop_fails(struct rig *r)
{
	int64_t begin = now_ms();

	UNIT_EQ(roc_channel_stop(r->ch, NULL), -EIO);
	CU_ASSERT(took_less(begin, 2500));
	failed(r, ROC_REASON_RECORD, 0);
}

static void flushed_missing(void)
{
	struct rig r;

	if (skip())
		return;
	UNIT_NEED(flow(&r));
	/* One packet in eight seconds: it is in an open superpage until the stop. */
	emu(CARD0, "set 0 rate 1024");
	CU_ASSERT(UNIT_WAIT(emu_count(CARD0, 0, "open") > 0, 30000));
	emu(CARD0, "fault 0 flushed-missing 1");
	stop_fails(&r);
}

static void record_empty(void)
{
	record_fault("empty 1");
}

/* Damaged and short superpages are returned and counted, and the run goes on. */
static void spoiled(void)
{
	uint64_t damaged = node_count(EP0, 0, "damaged"), too_short = node_count(EP0, 0, "short");
	struct rig r;

	if (skip())
		return;
	UNIT_NEED(flow(&r));
	r.spoils = ROC_READY_DAMAGED | ROC_READY_SHORT;
	emu(CARD0, "fault 0 damaged 3");
	CU_ASSERT(rig_run(&r, r.filled + 40, 5000));
	UNIT_EQ(r.damaged, 3);
	UNIT_EQ(losses(&r).damaged, 3);
	UNIT_EQ(losses(&r).short_, 0);
	RIG_OK(&r);
	/* Data behind the reported length are not checked. */
	r.sizes_unknown = r.no_poison = true;
	emu(CARD0, "fault 0 short 4099");
	CU_ASSERT(rig_run(&r, r.filled + 40, 5000));
	UNIT_EQ(r.short_, 1);
	UNIT_EQ(losses(&r).damaged, 3);
	UNIT_EQ(losses(&r).short_, 1);
	UNIT_EQ(losses(&r).lost, 0);
	UNIT_EQ(node_count(EP0, 0, "damaged") - damaged, 3);
	UNIT_EQ(node_count(EP0, 0, "short") - too_short, 1);
	rig_stop(&r);
	UNIT_EQ(r.filled + r.reclaimed + r.out, r.pushed);
	RIG_OK(&r);
	rig_close(&r);
	emu(CARD0, "fault 0 clear");
	works();
}

/* Every tool that takes the data reports them, and ends with 1. */
static void tools_report(void)
{
	static const char *const faults[] = {"damaged 2", "short 4099"};
	size_t i;

	if (skip())
		return;
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		emu_normal(CARD0, FOUR_LINKS);
		emu(CARD0, "fault 0 %s", faults[i]);
		UNIT_EQ(RUN("roc-bench-dma --id=%s --data-source=DDG --superpage-size=64Ki --buffer-size=8Mi --bytes=4Mi --no-display --json --no-errorcheck",
			    EP0),
			1);
		OUTPUT_HAS(i ? "\"short\": 1" : "\"damaged\": 2");
		emu(CARD0, "fault 0 %s", faults[i]);
		UNIT_EQ(RUN("roc-record /tmp/spoiled%zu --id=%s --data-source=DDG --bytes=4Mi --superpage-size=64Ki --buffer-size=8Mi --buffered --json",
			    i, EP0),
			1);
		OUTPUT_HAS(i ? "\"damaged\": 1" : "\"damaged\": 2");
		emu(CARD0, "fault 0 %s", faults[i]);
		UNIT_EQ(RUN("roc-node-check --find-latency --id=%s --time=1s", EP0), 1);
		OUTPUT_HAS("flagged a superpage");
		emu(CARD0, "fault 0 clear");
	}
	UNIT_EQ(RUN("roc-metrics --prometheus"), 0);
	OUTPUT_HAS("roc_channel_damaged_superpages_total");
	OUTPUT_HAS("roc_channel_short_superpages_total");
	OUTPUT_HAS("roc_channel_lost_total");
}

/* The same driver with one link: the END is behind the hole, or missing. */
static void crorc_holes(void)
{
	static const char *const faults[] = {"record-hole 1", "record-hole 2", "end-missing 1"};
	struct rig r = {.id = CRORC_ID,
			.channel = 3,
			.source = ROC_SOURCE_INTERNAL,
			.mode = ROC_MODE_EVENT,
			.superpage = 32 * KIB,
			.count = 64};
	size_t i;
	int ret;

	if (skip())
		return;
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		emu_normal_crorc(CRORC0);
		UNIT_NEED(rig_open(&r));
		rig_push(&r, RIG_MAX);
		UNIT_NEED(rig_start(&r) && rig_run(&r, 20, 5000));
		emu(CRORC0, "fault 0 %s", faults[i]);
		rig_push(&r, 8);
		ret = roc_channel_stop(r.ch, NULL);
		/* The driver's thread may have detected the hole before. */
		CU_ASSERT(ret == -EIO || (i < 2 && ret == -EALREADY));
		UNIT_EQ(ch_info(rig_fd(&r)).reason, ROC_REASON_RECORD);
		UNIT_EQ(ch_info(rig_fd(&r)).state, ROC_CH_FAILED);
		rig_take(&r, false);
		UNIT_EQ(rig_missing(&r), 0);
		UNIT_EQ(losses(&r).lost, r.reclaimed);
		emu(CRORC0, "fault all clear");
		CU_ASSERT(rig_start(&r));
		rig_push(&r, RIG_MAX);
		CU_ASSERT(rig_run(&r, 20, 5000));
		rig_stop(&r);
		RIG_OK(&r);
		rig_close(&r);
	}
	CU_ASSERT(emu_clean(CRORC0));
}

static void fetch_error(void)
{
	struct rig r;

	if (skip())
		return;
	UNIT_NEED(flow(&r));
	emu(CARD0, "fault 0 fetch-error 1");
	failed(&r, ROC_REASON_CARD, 2000);
}

/* The stop does not wait forever for a missing record, and fails. */
static void end_missing(void)
{
	struct rig r;

	if (skip())
		return;
	UNIT_NEED(flow(&r));
	emu(CARD0, "fault 0 end-missing 1");
	stop_fails(&r);
	works();
}

/* During the stop the driver polls only memory, and the memory of a lost card does not change. */
static void lost_at_stop(void)
{
	struct rig r;
	int ret;

	if (skip())
		return;
	UNIT_NEED(flow(&r));
	emu(CARD0, "fault 0 all-ones");
	ret = roc_channel_stop(r.ch, NULL);
	/* Skip the check if this program was delayed for longer than a card may be silent. */
	CU_ASSERT(ret == -EIO || ret == -EALREADY);
	failed(&r, ROC_REASON_LOST, 2000);
}

/* Only the reader polls, and it detects the loss, too. */
static void lost_in_busy_mode(void)
{
	struct rig r;
	int64_t end;

	if (skip())
		return;
	UNIT_NEED(flow(&r));
	r.mode = ROC_MODE_BUSY;
	UNIT_EQ(roc_channel_mode(r.ch, r.mode), 0);
	CU_ASSERT(rig_run(&r, r.filled + 40, 5000));
	emu(CARD0, "fault 0 all-ones");
	end = now_ms() + patience_ms(8000);
	while (ch_info(rig_fd(&r)).state == ROC_CH_RUNNING && now_ms() < end) {
		roc_channel_poll(r.ch);
		rig_take(&r, true);
		sleep_ms(1);
	}
	failed(&r, ROC_REASON_LOST, 0);
}

/* Without verified quiescence bus mastering must be disabled. */
static void never_quiesced(void)
{
	struct rig r;

	if (skip())
		return;
	UNIT_NEED(flow(&r));
	emu(CARD0, "fault 0 never-quiet");
	CU_ASSERT(rig_stop(&r));
	CU_ASSERT(!bus_master(EP0));
	UNIT_EQ(rig_missing(&r), 0);
	RIG_OK(&r);
	rig_close(&r);
	emu(CARD0, "fault 0 clear");
	works();
}

/* The card quiesces within the contract's time limit: bus mastering stays enabled. */
static void quiesced_late(void)
{
	struct rig r;

	if (skip())
		return;
	UNIT_NEED(flow(&r));
	emu(CARD0, "fault 0 quiet-late %u", EVENT_QUIET_MS * 1000);
	CU_ASSERT(rig_stop(&r));
	CU_ASSERT(bus_master(EP0));
	UNIT_EQ(rig_missing(&r), 0);
	rig_agrees(&r, CARD0, 0);
	RIG_OK(&r);
	rig_close(&r);
	emu(CARD0, "fault 0 clear");
	works();
}

static void stop_and_reset(struct rig *r)
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		emu(CARD0, "clear");
		rig_push(r, RIG_MAX);
		CU_ASSERT(rig_start(r));
		CU_ASSERT(rig_run(r, 20 + 17 * i, 5000));
		rig_stop(r);
		CU_ASSERT(emu_idle(CARD0, 0, 20));
		rig_agrees(r, CARD0, 0);
		UNIT_EQ(rig_missing(r), 0);
		UNIT_EQ(emu_count(CARD0, 0, "ends"), 1);
		UNIT_EQ(roc_channel_reset(r->ch, ROC_RESET_INTERNAL), 0);
	}
}

/* Start and stop in mid-stream, in every mode. */
static void under_load(void)
{
	struct rig r = {.id = EP0,
			.source = ROC_SOURCE_DDG,
			.mode = ROC_MODE_EVENT,
			.superpage = 32 * KIB,
			.count = 64};
	unsigned int tries = 3;

	if (skip())
		return;
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	/* On a busy machine an interrupt may be so late that it finds nothing; not each time. */
	do {
		at_open = counters(EP0, 0);
		stop_and_reset(&r);
	} while (counted().spurious && --tries);
	UNIT_EQ(counted().spurious, 0);
	UNIT_EQ(emu_count(CARD0, 0, "host_errors"), 0);
	RIG_OK(&r);
	rig_close(&r);
}

#define NO_LOOK_MS 60000
/* Far more than the card's report takes, and less than until the next poll. */
#define REPORT_MS 30000

/* The driver polls once when the interval is set, and then not for a minute. */
static void stop_polling(void)
{
	emu(CARD0, "clear");
	UNIT_EQ(set_poll_interval(EP0, NO_LOOK_MS), 0);
	CU_ASSERT(UNIT_WAIT(emu_count(CARD0, 0, "mmio_reads") > 0, 5000));
}

static void alarm_of(int fd, unsigned int degrees, const char *line)
{
	int64_t ms;

	emu(CARD0, "set temperature %u", degrees);
	ms = uevent(fd, line, 8000);
	unit_note("%s after %lld ms", line, (long long)ms);
	CU_ASSERT(ms >= 0 && ms < REPORT_MS);
}

#define OFTEN_MS 250

/* It gets cooler, which the driver detects by polling. */
static void cool(int fd)
{
	UNIT_EQ(set_poll_interval(EP0, OFTEN_MS), 0);
	emu(CARD0, "set temperature 45");
	CU_ASSERT(uevent(fd, "ROC_ALARM=none", 12000) >= 0);
}

/* The driver does not poll for long, but the card reports the alarm itself. */
static void alarms(void)
{
	int fd;

	if (skip())
		return;
	fd = uevents_listen();
	UNIT_NEED(fd >= 0);
	emu_normal(CARD0, FOUR_LINKS);
	stop_polling();
	alarm_of(fd, 62, "ROC_ALARM=temperature");
	CU_ASSERT_STRING_EQUAL(node_attr(EP0, -1, "alarm"), "temperature");
	alarm_of(fd, 82, "ROC_ALARM=temperature-critical");
	/* The card does not report the end of an alarm: the driver polls while an alarm lasts. */
	cool(fd);
	emu(CARD0, "clear");
	sleep_ms(5 * OFTEN_MS);
	UNIT_EQ(emu_count(CARD0, 0, "mmio_reads"), 0);
	UNIT_EQ(set_poll_interval(EP0, LOOK_USUAL_MS), 0);
	close(fd);
}

/*
 * Bus mastering was disabled for a channel that ignored its stop: no interrupt reports alarms
 * either.
 */
static void alarm_without_bus(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .mode = ROC_MODE_EVENT};
	int fd;

	if (skip())
		return;
	fd = uevents_listen();
	UNIT_NEED(fd >= 0);
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r) && rig_run(&r, 20, 5000));
	emu(CARD0, "fault 0 never-quiet");
	rig_stop(&r);
	CU_ASSERT(!bus_master(EP0));
	UNIT_EQ(set_poll_interval(EP0, OFTEN_MS), 0);
	emu(CARD0, "set temperature 62");
	CU_ASSERT(uevent(fd, "ROC_ALARM=temperature", 12000) >= 0);
	emu(CARD0, "fault 0 clear");
	cool(fd);
	/* The next start enables it, and the card reports alarms again; nothing polls meanwhile. */
	UNIT_NEED(rig_start(&r));
	CU_ASSERT(bus_master(EP0));
	stop_polling();
	alarm_of(fd, 62, "ROC_ALARM=temperature");
	cool(fd);
	UNIT_EQ(set_poll_interval(EP0, LOOK_USUAL_MS), 0);
	rig_close(&r);
	close(fd);
}

static void leave(void)
{
	CU_ASSERT(emu_clean(CARD0));
	emu_normal(CARD0, FOUR_LINKS);
}

UNIT_MAIN("event_faults", {"flush bit left", flush_bit_left}, {"unsolicited end", unsolicited_end},
	  {"interrupt lost", lost_interrupt}, {"spurious interrupts", spurious_interrupt},
	  {"record late", record_late}, {"record twice", record_twice},
	  {"wrong sequence", record_sequence}, {"record of another round", record_overrun},
	  {"record skipped", record_hidden}, {"holes by event", holes_by_event},
	  {"holes by timer", holes_by_timer}, {"holes in busy mode", holes_busy},
	  {"flushed record missing", flushed_missing}, {"record of no bytes", record_empty},
	  {"damaged and short", spoiled}, {"tools report", tools_report},
	  {"holes of a C-RORC", crorc_holes}, {"descriptors unreadable", fetch_error},
	  {"no end", end_missing}, {"lost at a stop", lost_at_stop},
	  {"lost in busy mode", lost_in_busy_mode}, {"never quiesced", never_quiesced},
	  {"quiesced late", quiesced_late}, {"stop and reset under load", under_load},
	  {"alarms", alarms}, {"alarm without the bus", alarm_without_bus},
	  {"card saw no violations", leave})
