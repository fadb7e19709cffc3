// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test faulty C-RORC boards: the driver recovers from what the board loses or delays, and counts
 * it. A violation of the contract ends the run of that channel only, with the reason.
 */
#include "common/case.h"
#include "common/player.h"

#include "kmod/pool/event_regs.h"
#include <poll.h>

#define LIMIT_MS 30000
#define SIX CRORC_CHANNELS
#define CHANNEL 3
#define EVENTS 0x800 /* a channel's register block, in its BAR */

static bool plain(void)
{
	if (!has_events(CRORC_ID))
		return true;
	unit_skip("the card has the event interface");
	return false;
}

static bool events(void)
{
	if (has_events(CRORC_ID))
		return true;
	unit_skip("the card has no event interface");
	return false;
}

static struct rig small_rig(void)
{
	return (struct rig){.id = CRORC_ID, .channel = CHANNEL, .superpage = 32 * KIB, .count = 32};
}

/*
 * Run with a fault: all data that the card counted are delivered. Returns the driver's count of
 * retries.
 */
static uint64_t survives(enum roc_source source, uint64_t n, const char *fault)
{
	struct rig r = small_rig();
	uint64_t before = counters(CRORC_ID, CHANNEL).retries;
	struct roc_ch_info info = {0};

	emu_normal_crorc(CRORC0);
	emu(CRORC0, "fault 0 %s", fault);
	r.source = source;
	CU_ASSERT(rig_once(&r, n, LIMIT_MS));
	if (r.ch) {
		rig_agrees(&r, CRORC0, 0);
		info = ch_info(rig_fd(&r));
		UNIT_EQ(info.completed, r.filled);
		UNIT_EQ(info.in_flight, 0);
		UNIT_EQ(rig_missing(&r), 0);
		UNIT_EQ(counters(CRORC_ID, CHANNEL).retries - before, info.retries);
	}
	if (r.found.count)
		unit_note("with %s", fault);
	RIG_OK(&r);
	rig_close(&r);
	CU_ASSERT(emu_clean(CRORC0));
	return info.retries;
}

static void lost_pushes(void)
{
	uint64_t retries;

	if (!plain())
		return;
	retries = survives(ROC_SOURCE_INTERNAL, 100, "lost-push 0x8 3");
	CU_ASSERT(retries >= 30);
	UNIT_EQ(retries, emu_count(CRORC0, 0, "writes_lost"));
}

static void lost_words(void)
{
	static const uint32_t words[] = {CRORC_SP_SIZE, CRORC_SP_LOW, CRORC_SP_HIGH};
	uint64_t retries, lost;
	char fault[32];
	size_t i;

	if (!plain())
		return;
	for (i = 0; i < N(words); i++) {
		snprintf(fault, sizeof(fault), "lost-write 0x%x 2", words[i]);
		retries = survives(ROC_SOURCE_INTERNAL, 50, fault);
		lost = emu_count(CRORC0, 0, "writes_lost");
		CU_ASSERT(lost >= 25);
		/*
		 * The loss of a word that equals its previous value has no effect; the word with
		 * the count always differs.
		 */
		if (words[i] == CRORC_SP_SIZE)
			UNIT_EQ(retries, lost);
		else
			CU_ASSERT(retries <= lost);
	}
}

/* The register writes of start and stop. */
static void lost_switches(void)
{
	static const uint32_t offsets[] = {
		CRORC_CARD_CSR, CRORC_CHAN_CSR, CRORC_GENERATOR, CRORC_DONE_LOW, CRORC_DONE_HIGH,
	};
	char fault[64];
	size_t i;

	if (!plain())
		return;
	for (i = 0; i < N(offsets); i++) {
		snprintf(fault, sizeof(fault), "lost-write 0x%x 2", offsets[i]);
		survives(ROC_SOURCE_INTERNAL, 5, fault);
		CU_ASSERT(emu_count(CRORC0, 0, "writes_lost") > 0);
		CU_ASSERT(emu_idle(CRORC0, 0, 20));
		UNIT_EQ(emu_peek(CRORC0, 0, CHANNEL, CRORC_CHAN_CSR) &
				(CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK),
			0);
		UNIT_EQ(emu_peek(CRORC0, 0, CHANNEL, CRORC_GENERATOR), 0);
	}
}

/*
 * The card is ahead of the completions it reported, unless the guest delayed it for all of that
 * time.
 */
static void late(void)
{
	unsigned int tries = 10;

	if (!plain())
		return;
	do
		survives(ROC_SOURCE_INTERNAL, 20, "late-completion 0x3f 5");
	while (emu_count(CRORC0, 0, "superpages") <= 20 && --tries);
	CU_ASSERT(tries > 0);
}

/* The superpage that a stop closes is delivered even if its completion is late. */
static void late_flush(void)
{
	struct rig r = small_rig();

	if (!plain())
		return;
	emu_normal_crorc(CRORC0);
	emu(CRORC0, "fault 0 late-flush 0x3f 20");
	r.superpage = MIB;
	CU_ASSERT(rig_open(&r));
	rig_push(&r, 1);
	emu(CRORC0, "set rate 3=100000"); /* 10 s for a superpage */
	CU_ASSERT(rig_start(&r));
	CU_ASSERT(UNIT_WAIT(emu_link_count(CRORC0, 0, 3, "dma_writes") >= 2, 5000));
	CU_ASSERT(rig_stop(&r));
	UNIT_EQ(r.filled, 1);
	CU_ASSERT(r.bytes > 0 && r.bytes < MIB / 2);
	UNIT_EQ(emu_count(CRORC0, 0, "superpages"), 1);
	rig_agrees(&r, CRORC0, 0);
	RIG_OK(&r);
	rig_close(&r);
}

/* The same for a superpage whose flush write the board loses at first. */
static void lost_flush(void)
{
	struct rig r = small_rig();
	unsigned int i;

	r.superpage = MIB;
	/* One of two of these writes is lost: either in one stop or in the other. */
	for (i = 0; i < 2; i++) {
		emu_normal_crorc(CRORC0);
		emu(CRORC0, "fault 0 lost-write 0x%x 2", CRORC_CONFIG_B);
		CU_ASSERT(rig_open(&r));
		rig_push(&r, 1);
		emu(CRORC0, "set rate 3=100000");
		CU_ASSERT(rig_start(&r));
		CU_ASSERT(UNIT_WAIT(emu_link_count(CRORC0, 0, CHANNEL, "dma_writes") >= 2, 5000));
		CU_ASSERT(rig_stop(&r));
		UNIT_EQ(r.filled, 1);
		rig_agrees(&r, CRORC0, 0);
		RIG_OK(&r);
		rig_close(&r);
	}
	emu_normal_crorc(CRORC0);
}

/* Six channels at once on a board that loses concurrent writes. */
static void write_race(void)
{
	struct player *p;
	unsigned int i;

	if (!plain())
		return;
	p = players_make(SIX);
	emu_normal_crorc(CRORC0);
	emu(CRORC0, "fault 0 write-race 1000");
	for (i = 0; i < SIX; i++) {
		p[i].id = CRORC_ID;
		p[i].channel = i;
		p[i].source = i % 2 ? ROC_SOURCE_DIU : ROC_SOURCE_INTERNAL;
		p[i].superpage = 32 * KIB;
		player_start(&p[i]);
	}
	CU_ASSERT(players_advance(p, SIX, 60, LIMIT_MS));
	CU_ASSERT(players_leave(p, SIX, LIMIT_MS));
	UNIT_EQ(emu_count(CRORC0, 0, "writes_lost"), 0);
	for (i = 0; i < SIX; i++) {
		rig_agrees(&p[i].end, CRORC0, 0);
		RIG_OK(&p[i].end);
		UNIT_EQ(p[i].info.retries, 0);
	}
	CU_ASSERT(emu_clean(CRORC0));
	players_free(p, SIX);
}

static bool running_rig(struct rig *r)
{
	emu_normal_crorc(CRORC0);
	if (!rig_open(r))
		return false;
	rig_push(r, RIG_MAX);
	return rig_start(r) && rig_run(r, 20, LIMIT_MS);
}

/* Take entries until the channel fails; then all superpages have been returned. */
static void fails_with(struct rig *r, uint32_t reason)
{
	struct pollfd p = {.fd = rig_fd(r), .events = POLLIN};
	int64_t end = now_ms() + patience_ms(LIMIT_MS);
	struct roc_ch_info info;

	while (ch_info(rig_fd(r)).state == ROC_CH_RUNNING && now_ms() < end) {
		roc_channel_wait(r->ch, 1, 20);
		rig_take(r, true);
	}
	info = ch_info(rig_fd(r));
	UNIT_EQ(info.state, ROC_CH_FAILED);
	UNIT_EQ(info.reason, reason);
	UNIT_EQ(info.in_flight, 0);
	CU_ASSERT(poll(&p, 1, 0) == 1 && p.revents & POLLERR);
	rig_take(r, false);
	UNIT_EQ(rig_missing(r), 0);
	UNIT_EQ(r->reclaimed, 1);
	UNIT_EQ(r->reason, reason);
	UNIT_STR(node_attr(CRORC_ID, CHANNEL, "state"), "failed");
}

static void recovers(struct rig *r)
{
	emu(CRORC0, "fault all clear");
	emu(CRORC0, "clear");
	rig_push(r, RIG_MAX);
	CU_ASSERT(rig_start(r) && rig_run(r, 20, LIMIT_MS));
	rig_stop(r);
	rig_agrees(r, CRORC0, 0);
	RIG_OK(r);
	rig_close(r);
	CU_ASSERT(emu_clean(CRORC0));
}

/* One violation of the contract each, while a neighbouring channel goes on. */
static void broken(void)
{
	static const struct {
		const char *fault;
		uint32_t reason;
	} ways[] = {
		{"count-jump 0x8 2", ROC_REASON_COUNT},
		{"size-big 0x8 4096", ROC_REASON_BYTES},
		{"lost-push 0x8 1", ROC_REASON_PUSH},
	};
	struct rig other = {.id = CRORC_ID, .channel = 0, .superpage = 32 * KIB};
	uint64_t filled = 0;
	size_t i;

	if (!plain())
		return;
	emu_normal_crorc(CRORC0);
	CU_ASSERT(rig_open(&other));
	rig_push(&other, RIG_MAX);
	CU_ASSERT(rig_start(&other));
	for (i = 0; i < N(ways); i++) {
		struct rig r = small_rig();

		unit_note("%s", ways[i].fault);
		UNIT_NEED(running_rig(&r));
		emu(CRORC0, "fault 0 %s", ways[i].fault);
		fails_with(&r, ways[i].reason);
		UNIT_EQ(emu_peek(CRORC0, 0, CHANNEL, CRORC_CHAN_CSR) & CRORC_CHAN_CSR_DMA, 0);
		filled = other.filled;
		CU_ASSERT(rig_run(&other, filled + 20, LIMIT_MS));
		recovers(&r);
	}
	rig_stop(&other);
	RIG_OK(&other);
	rig_close(&other);
}

/* A superpage without data is delivered and counted. */
static void no_bytes(void)
{
	struct rig r = small_rig();
	uint64_t before = node_count(CRORC_ID, CHANNEL, "short");
	struct roc_ready e;
	unsigned int i, empty = 0;

	if (!plain())
		return;
	UNIT_NEED(running_rig(&r));
	emu(CRORC0, "fault 0 size-zero 0x8 3");
	for (i = 0; i < 200 && empty < 3; i++) {
		rig_push(&r, RIG_MAX);
		if (rig_wait(&r, 1, 2000) < 1 || roc_pop(r.ch, &e) != 1)
			break;
		empty +=
			e.flags == (ROC_READY_FILLED | ROC_READY_SHORT) && !e.received && !e.reason;
		r.lent[e.offset / r.superpage] = false;
		r.out--;
		r.sequence = e.sequence + 1;
	}
	UNIT_EQ(empty, 3);
	UNIT_EQ(node_count(CRORC_ID, CHANNEL, "short") - before, 3);
	UNIT_EQ(ch_info(rig_fd(&r)).state, ROC_CH_RUNNING);
	rig_close(&r);
}

/* The driver polls memory only, and the memory of a lost card does not change. */
static void all_ones(void)
{
	struct rig r = small_rig();
	int64_t before = pins(), begin;
	uint32_t v;
	int fd;

	if (!plain())
		return;
	UNIT_NEED(running_rig(&r));
	emu(CRORC0, "set rate 3=100000");
	sleep_ms(50);
	rig_take(&r, true);
	emu(CRORC0, "fault 0 all-ones");
	begin = now_ms();
	fails_with(&r, ROC_REASON_LOST);
	unit_note("noticed after %lld ms", (long long)(now_ms() - begin));
	fd = node_open(CRORC_ID, -1);
	UNIT_EQ(reg_read(fd, CRORC_BAR_CARD, CRORC_FW_HASH, &v), -EIO);
	close(fd);
	UNIT_EQ(control(rig_fd(&r), ROC_CH_START, 0, 0), -EIO);
	rig_close(&r);
	/*
	 * The card may return with its old state: its memory must stay until the card can be
	 * stopped.
	 */
	CU_ASSERT(pins() > before);
	emu(CRORC0, "fault all clear");
	emu(CRORC0, "set rate 0");
	sleep_ms(50);
	UNIT_EQ(emu_count(CRORC0, 0, "dma_outside"), 0);
	r = small_rig();
	CU_ASSERT(rig_open(&r));
	RIG_OK(&r);
	rig_close(&r);
	UNIT_EQ(pins(), before);
	r = small_rig();
	CU_ASSERT(rig_once(&r, 20, LIMIT_MS));
	RIG_OK(&r);
	rig_close(&r);
}

/* The same, but the stop comes before the driver can detect the loss. */
static void all_ones_at_stop(void)
{
	struct rig r = small_rig();
	int ret;

	UNIT_NEED(running_rig(&r));
	emu(CRORC0, "fault 0 all-ones");
	ret = roc_channel_stop(r.ch, NULL);
	/* Skip the check if this program was delayed for longer than a card may be silent. */
	CU_ASSERT(ret == -EIO || ret == -EALREADY);
	UNIT_EQ(ch_info(rig_fd(&r)).state, ROC_CH_FAILED);
	UNIT_EQ(ch_info(rig_fd(&r)).reason, ROC_REASON_LOST);
	rig_take(&r, false);
	UNIT_EQ(rig_missing(&r), 0);
	CU_ASSERT(!r.reclaimed || r.reason == ROC_REASON_LOST);
	recovers(&r);
}

/*
 * A channel that cannot be stopped keeps its memory, and the function keeps bus mastering for the
 * other channels.
 */
static void reset_ignored(void)
{
	struct rig r = small_rig(), other = {.id = CRORC_ID, .channel = 0, .superpage = 32 * KIB};
	struct rig third = {.id = CRORC_ID, .channel = 5, .superpage = 32 * KIB};
	int64_t before = pins(), with;

	if (!plain())
		return;
	emu_normal_crorc(CRORC0);
	CU_ASSERT(rig_open(&other));
	rig_push(&other, RIG_MAX);
	CU_ASSERT(rig_start(&other));
	with = pins();
	CU_ASSERT(with > before);
	CU_ASSERT(rig_open(&r));
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r) && rig_run(&r, 20, LIMIT_MS));
	emu(CRORC0, "fault 0 reset-ignored 0x8");
	/* The reader gets its superpages back, and the stop reports the failure. */
	UNIT_EQ(roc_channel_stop(r.ch, NULL), -EIO);
	UNIT_EQ(ch_info(rig_fd(&r)).state, ROC_CH_STOPPED);
	rig_take(&r, false);
	UNIT_EQ(rig_missing(&r), 0);
	RIG_OK(&r);
	rig_close(&r);
	CU_ASSERT(pins() > with);
	CU_ASSERT(bus_master(CRORC_ID));
	CU_ASSERT(rig_run(&other, other.filled + 20, LIMIT_MS));
	/* A new start fails, too. */
	r = small_rig();
	CU_ASSERT(rig_open(&r));
	UNIT_EQ(control(rig_fd(&r), ROC_CH_START, 0, 0), -EIO);
	rig_close(&r);
	CU_ASSERT(pins() > with);
	/* Other channels cannot start either while this one could write. */
	CU_ASSERT(rig_open(&third));
	UNIT_EQ(control(rig_fd(&third), ROC_CH_START, 0, 0), -EIO);
	rig_close(&third);
	emu(CRORC0, "fault all clear");
	r = small_rig();
	CU_ASSERT(rig_open(&r));
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r) && rig_run(&r, 20, LIMIT_MS) && rig_stop(&r));
	RIG_OK(&r);
	rig_close(&r);
	UNIT_EQ(pins(), with);
	CU_ASSERT(rig_run(&other, other.filled + 20, LIMIT_MS));
	rig_stop(&other);
	RIG_OK(&other);
	rig_close(&other);
	UNIT_EQ(pins(), before);
	CU_ASSERT(emu_clean(CRORC0));
}

static const enum roc_mode modes[] = {ROC_MODE_TIMER, ROC_MODE_BUSY, ROC_MODE_EVENT};

/* A card with events that loses writes of this register. No channel runs yet. */
static struct rig losing_rig(enum roc_mode mode, uint32_t offset)
{
	struct rig r = small_rig();

	r.mode = mode;
	r.by_timer = true;
	emu_normal_crorc(CRORC0);
	emu(CRORC0, "fault 0 lost-write 0x%x 1", EVENTS + offset);
	CU_ASSERT(rig_open(&r));
	rig_push(&r, RIG_MAX);
	return r;
}

/* Writes arrive again: data must flow. */
static void goes_on(struct rig *r)
{
	CU_ASSERT(emu_count(CRORC0, 0, "writes_lost") > 0);
	emu(CRORC0, "fault 0 clear");
	CU_ASSERT(rig_run(r, r->filled + 20, LIMIT_MS));
	rig_stop(r);
	rig_agrees(r, CRORC0, 0);
	RIG_OK(r);
	rig_close(r);
	CU_ASSERT(emu_clean(CRORC0));
}

/* The card lost the doorbell of its superpages, so it never reports anything. */
static void lost_doorbell(void)
{
	struct rig r;
	size_t i;

	if (!events())
		return;
	for (i = 0; i < N(modes); i++) {
		r = losing_rig(modes[i], EVENT_DOORBELL);
		CU_ASSERT(rig_start(&r));
		goes_on(&r);
	}
}

/* The card lost the doorbell for free records, and has no space for another record. */
static void lost_room(void)
{
	struct rig r;
	size_t i;

	if (!events())
		return;
	for (i = 0; modes[i] != ROC_MODE_EVENT; i++) {
		r = losing_rig(modes[i], EVENT_CONSUMED);
		CU_ASSERT(rig_start(&r));
		CU_ASSERT(UNIT_WAIT((rig_take(&r, true), roc_channel_poll(r.ch),
				     emu_count(CRORC0, 0, "record_stalls") > 0),
				    LIMIT_MS));
		goes_on(&r);
	}
}

static void leave(void)
{
	CU_ASSERT(emu_clean(CRORC0));
	emu_normal_crorc(CRORC0);
}

UNIT_MAIN("crorc_faults", {"lost pushes", lost_pushes}, {"lost words", lost_words},
	  {"lost switches", lost_switches}, {"late completions", late}, {"late flush", late_flush},
	  {"lost flush", lost_flush}, {"write race", write_race}, {"broken contract", broken},
	  {"no bytes", no_bytes}, {"all ones", all_ones}, {"all ones at a stop", all_ones_at_stop},
	  {"reset ignored", reset_ignored}, {"lost doorbell", lost_doorbell},
	  {"lost room", lost_room}, {"card saw no violations", leave})
