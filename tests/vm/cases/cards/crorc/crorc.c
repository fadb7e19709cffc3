// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test a C-RORC with six channels running beside CRUs: the cost of a superpage, wraps of counters,
 * and runs one after the other.
 */
#include "common/case.h"
#include "common/player.h"

#include <sys/mman.h>

#define LIMIT_MS 30000
#define SIX CRORC_CHANNELS

static bool plain(void)
{
	if (!has_events(CRORC_ID))
		return true;
	unit_skip("the card has the event interface");
	return false;
}

static const enum roc_source sources[SIX] = {
	ROC_SOURCE_INTERNAL, ROC_SOURCE_DIU,	  ROC_SOURCE_SIU,
	ROC_SOURCE_FEE,	     ROC_SOURCE_INTERNAL, ROC_SOURCE_FEE,
};

static struct player *six_players(unsigned int extra)
{
	struct player *p = players_make(SIX + extra);
	unsigned int i;

	emu_normal_crorc(CRORC0);
	for (i = 0; i < SIX; i++) {
		p[i].id = CRORC_ID;
		p[i].channel = i;
		p[i].source = sources[i];
		p[i].superpage = 64 * KIB;
	}
	return p;
}

/* Compare what a player took with what the card sent on that channel, in bytes. */
static void six_agree(struct player *p)
{
	unsigned int i;

	for (i = 0; i < SIX; i++) {
		struct rig *r = &p[i].end;

		rig_agrees(r, CRORC0, 0);
		RIG_OK(r);
		CU_ASSERT(r->packets > 0);
		UNIT_EQ(p[i].info.completed, r->filled);
		UNIT_EQ(p[i].info.bytes, r->bytes);
		UNIT_EQ(p[i].info.retries, 0);
		UNIT_EQ(p[i].info.in_flight, 0);
	}
}

static void set_tf_length(uint32_t orbits)
{
	int fd = node_open(CRORC_ID, -1);

	UNIT_EQ(reg_modify(fd, CRORC_BAR_CARD, CRORC_CONFIG_B, CRORC_CONFIG_B_LENGTH, orbits, NULL),
		0);
	close(fd);
}

/* Each player gets the data of its own channel only, and all of them. */
static void six_at_once(void)
{
	static const char *const crus[] = {EP0, EP1, OTHER_EP0, OTHER_EP1};
	struct player *p;
	unsigned int i, k;

	if (!plain())
		return;
	p = six_players(N(crus));
	for (k = 0; k < 2; k++) {
		emu_normal(k, 0x1);
		/*
		 * A CRU drops data without space for it: its players' superpages last for eight
		 * seconds.
		 */
		emu(k, "set all rate %llu", emu_rate(1000000));
	}
	/* Time frames that end inside superpages. */
	set_tf_length(100);
	emu(CRORC0, "set packets-per-orbit 1");
	emu(CRORC0, "set rate %llu", emu_rate(10000000));
	for (i = 0; i < SIX; i++)
		p[i].tf_length = 100;
	for (i = 0; i < N(crus); i++) {
		p[SIX + i].id = crus[i];
		p[SIX + i].source = ROC_SOURCE_DDG;
		p[SIX + i].superpage = 256 * KIB;
	}
	for (i = 0; i < SIX + N(crus); i++)
		player_start(&p[i]);
	CU_ASSERT(players_advance(p, SIX, 40, LIMIT_MS));
	CU_ASSERT(players_advance(p + SIX, N(crus), 5, LIMIT_MS));
	CU_ASSERT(players_leave(p, SIX + N(crus), LIMIT_MS));
	six_agree(p);
	for (i = 0; i < SIX; i++)
		CU_ASSERT(p[i].end.partial >= 1);
	for (i = 0; i < N(crus); i++) {
		rig_agrees(&p[SIX + i].end, i / 2, i % 2);
		RIG_OK(&p[SIX + i].end);
	}
	for (k = 0; k < 2; k++) {
		CU_ASSERT(emu_clean(k));
		emu_normal(k, FOUR_LINKS);
	}
	set_tf_length(256);
	CU_ASSERT(emu_clean(CRORC0));
	UNIT_EQ(emu_count(CRORC0, 0, "dma_no_master"), 0);
	players_free(p, SIX + N(crus));
}

/* If the opener of one of six channels is killed, the other five go on, and its memory is freed. */
static void one_of_six_killed(void)
{
	struct rig again = {.id = CRORC_ID, .channel = 2, .source = ROC_SOURCE_FEE};
	int64_t five, before = pins();
	struct player *p;
	uint64_t writes;
	unsigned int i;

	if (!plain())
		return;
	p = six_players(0);
	emu(CRORC0, "set rate 8000000");
	for (i = 0; i < SIX; i++)
		if (i != 2)
			player_start(&p[i]);
	p[2].leave = true; /* wait until it is open */
	CU_ASSERT(players_advance(p, SIX, 5, LIMIT_MS));
	five = pins();
	CU_ASSERT(five > before);
	player_start(&p[2]);
	CU_ASSERT(players_advance(p, SIX, 8, LIMIT_MS));
	CU_ASSERT(pins() > five);
	child_kill(p[2].pid);
	p[2].leave = true;
	CU_ASSERT(UNIT_WAIT(pins() == five, 2000));
	UNIT_STR(node_attr(CRORC_ID, 2, "state"), "stopped");
	UNIT_STR(node_attr(CRORC_ID, 2, "owner_pid"), "0");
	UNIT_EQ(emu_peek(CRORC0, 0, 2, CRORC_CHAN_CSR) & CRORC_CHAN_CSR_DMA, 0);
	writes = emu_link_count(CRORC0, 0, 2, "dma_writes");
	CU_ASSERT(players_advance(p, SIX, 8, LIMIT_MS));
	UNIT_EQ(emu_link_count(CRORC0, 0, 2, "dma_writes"), writes);
	/* The next opener finds the channel like any other. */
	CU_ASSERT(rig_once(&again, 20, LIMIT_MS));
	RIG_OK(&again);
	rig_close(&again);
	CU_ASSERT(players_advance(p, SIX, 5, LIMIT_MS));
	CU_ASSERT(players_leave(p, SIX, LIMIT_MS));
	for (i = 0; i < SIX; i++) {
		if (i == 2)
			continue;
		rig_agrees(&p[i].end, CRORC0, 0);
		RIG_OK(&p[i].end);
	}
	UNIT_EQ(pins(), before);
	CU_ASSERT(emu_clean(CRORC0));
	players_free(p, SIX);
}

/* @begin: time in ms when the channel had not been started yet. */
static void touched_so_often(unsigned int channel, uint64_t n, int64_t begin)
{
	static const uint32_t push[] = {CRORC_SP_HIGH, CRORC_SP_LOW, CRORC_SP_SIZE};
	uint64_t reads;
	unsigned int i;

	for (i = 0; i < N(push); i++) {
		struct emu_touched t = emu_touched(CRORC0, 0, channel, push[i]);

		UNIT_EQ(t.reads, n);
		UNIT_EQ(t.writes, n);
	}
	reads = emu_count(CRORC0, 0, "mmio_reads");
	CU_ASSERT(reads >= 3 * n);
	/*
	 * If a card is silent for a second the driver reads its status; a slow guest may be that
	 * slow.
	 */
	CU_ASSERT(reads <= 3 * n + (uint64_t)(now_ms() - begin) / 1000);
	UNIT_EQ(emu_count(CRORC0, 0, "mmio_writes"), 3 * n);
}

/* A superpage costs three writes, each read back, and no access while it is being filled. */
static void cost_of_a_superpage(void)
{
	struct rig r = {.id = CRORC_ID, .channel = 3, .superpage = 64 * KIB, .count = 40};
	struct roc_ch_info before, after;
	unsigned int i;
	uint64_t n = 0;
	int64_t begin;

	if (!plain())
		return;
	emu_normal_crorc(CRORC0);
	UNIT_NEED(rig_open(&r));
	begin = now_ms();
	UNIT_NEED(rig_start(&r));
	before = ch_info(rig_fd(&r));
	emu(CRORC0, "clear");
	for (i = 0; i < 10; i++) {
		n += rig_push(&r, RIG_MAX);
		CU_ASSERT(rig_wait(&r, r.count, 5000) >= (int)r.count);
		rig_take(&r, false);
	}
	UNIT_EQ(n, 10 * r.count);
	touched_so_often(3, n, begin);
	/* Idle, and with a superpage that takes a minute. */
	sleep_ms(300);
	touched_so_often(3, n, begin);
	emu(CRORC0, "set rate 3=1000");
	n += rig_push(&r, 1);
	sleep_ms(500);
	UNIT_EQ(roc_ready_count(r.rings), 0);
	touched_so_often(3, n, begin);
	after = ch_info(rig_fd(&r));
	UNIT_EQ(after.mmio_reads - before.mmio_reads, 3 * n);
	UNIT_EQ(after.mmio_writes - before.mmio_writes, 3 * n);
	CU_ASSERT(after.polls > before.polls);
	rig_stop(&r);
	rig_agrees(&r, CRORC0, 0);
	RIG_OK(&r);
	rig_close(&r);
}

/* Idle times of the card by length: they depend on the speed of the emulated card. */
static void gaps(void)
{
	struct rig r = {.id = CRORC_ID, .superpage = 32 * KIB, .count = 64};
	struct roc_ch_info info;
	uint64_t sum = 0;
	char text[256] = "";
	unsigned int i;

	if (!plain())
		return;
	emu_normal_crorc(CRORC0);
	CU_ASSERT(rig_once(&r, 300, LIMIT_MS));
	UNIT_NEED(r.ch);
	info = ch_info(rig_fd(&r));
	for (i = 0; i < ROC_GAPS; i++) {
		sum += info.gaps[i];
		if (info.gaps[i])
			snprintf(text + strlen(text), sizeof(text) - strlen(text), " <%u:%llu",
				 1u << i, (unsigned long long)info.gaps[i]);
	}
	unit_note("gaps in us:%s", text);
	/* Each push but the first of the run follows a completion. */
	UNIT_EQ(sum, info.pushed - 1);
	RIG_OK(&r);
	rig_close(&r);
}

/* Push and completion counter have 8 bits. */
static void wraps(void)
{
	struct rig r = {.id = CRORC_ID,
			.channel = 5,
			.superpage = 32 * KIB,
			.count = 128,
			.no_poison = true};

	if (!plain())
		return;
	emu_normal_crorc(CRORC0);
	CU_ASSERT(rig_once(&r, 700, LIMIT_MS));
	CU_ASSERT(emu_count(CRORC0, 0, "pushes") > 700);
	rig_agrees(&r, CRORC0, 0);
	RIG_OK(&r);
	rig_close(&r);
	CU_ASSERT(emu_clean(CRORC0));
}

/* DDL commands that the channel got since the trace began, as text. */
static void commands_seen(unsigned int channel, char *text, size_t size)
{
	struct emu_access *list;
	unsigned int n = emu_trace_stop(CRORC0, 0, &list), i;

	text[0] = '\0';
	for (i = 0; i < n; i++)
		if (list[i].write && list[i].bar == channel && list[i].offset == CRORC_DDL_COMMAND)
			snprintf(text + strlen(text), size - strlen(text), "%s%x", *text ? " " : "",
				 list[i].value);
	free(list);
}

/*
 * Runs behind each other on one descriptor: each begins with its own first packet (the checker sees
 * to that), and the far end is reset for the first only.
 */
static void runs_of(enum roc_source source, uint32_t configure, const char *first,
		    const char *later)
{
	struct rig r = {.id = CRORC_ID,
			.channel = 1,
			.source = source,
			.configure = configure,
			.superpage = 64 * KIB,
			.count = 16};
	char text[256];
	unsigned int run;

	emu_normal_crorc(CRORC0);
	CU_ASSERT(rig_open(&r));
	for (run = 0; run < 3 && !r.found.count; run++) {
		emu(CRORC0, "clear");
		/* Stop in the middle of a superpage, except in the last run. */
		emu(CRORC0, "set rate 1=%u", run < 2 ? 20000000 : 0);
		emu_trace_start(CRORC0, 0);
		rig_push(&r, RIG_MAX);
		CU_ASSERT(rig_start(&r) && rig_run(&r, 15, LIMIT_MS) && rig_stop(&r));
		commands_seen(1, text, sizeof(text));
		UNIT_STR(text, run ? later : first);
		rig_agrees(&r, CRORC0, 0);
		UNIT_EQ(rig_missing(&r), 0);
		CU_ASSERT(emu_idle(CRORC0, 0, 20));
		UNIT_EQ(emu_peek(CRORC0, 0, 1, CRORC_CHAN_CSR) &
				(CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK),
			0);
	}
	RIG_OK(&r);
	rig_close(&r);
	CU_ASSERT(emu_clean(CRORC0));
}

static void runs_internal(void)
{
	if (plain())
		runs_of(ROC_SOURCE_INTERNAL, 0, "", "");
}

static void runs_diu(void)
{
	if (plain())
		runs_of(ROC_SOURCE_DIU, 0, "91", "91");
}

static void runs_siu(void)
{
	if (plain())
		runs_of(ROC_SOURCE_SIU, 0, "f1 f1 92", "92");
}

static void runs_frontend(void)
{
	if (plain())
		runs_of(ROC_SOURCE_FEE, 0, "f1 f1 14 b4", "14 b4");
}

static void runs_frontend_stbrd(void)
{
	if (plain())
		runs_of(ROC_SOURCE_FEE, ROC_CONFIGURE_STBRD, "f1 f1 54 b4", "54 b4");
}

/*
 * A killed run leaves loops enabled. A new run with another source must not get data through them.
 */
static void sources_in_turn(void)
{
	unsigned int i;

	if (!plain())
		return;
	emu_normal_crorc(CRORC0);
	for (i = 0; i < 2 * SIX; i++) {
		struct rig r = {.id = CRORC_ID,
				.channel = 4,
				.source = sources[i % SIX],
				.superpage = 64 * KIB};

		emu(CRORC0, "clear");
		CU_ASSERT(rig_open(&r));
		rig_push(&r, RIG_MAX);
		CU_ASSERT(rig_start(&r) && rig_run(&r, 5, LIMIT_MS));
		if (i % 2) {
			CU_ASSERT(rig_stop(&r));
			rig_agrees(&r, CRORC0, 0);
		}
		RIG_OK(&r);
		rig_close(&r); /* every second time in the middle of the run */
		CU_ASSERT(emu_idle(CRORC0, 0, 10));
	}
	CU_ASSERT(emu_clean(CRORC0));
}

/* All sizes, packed packets, with a polling reader. */
static void sizes(void)
{
	static const struct {
		uint32_t size, count, n;
		enum roc_mode mode;
	} runs[] = {
		{32 * KIB, 64, 200, ROC_MODE_BUSY},
		{2 * MIB, 8, 10, ROC_MODE_TIMER},
		{CRORC_SUPERPAGE_MAX, 3, 3, ROC_MODE_TIMER},
	};
	void *memory = memory_make(64 * MIB, HUGE, LAYOUT_ASCENDING);
	size_t i;

	if (!plain())
		goto out;
	emu_normal_crorc(CRORC0);
	for (i = 0; i < N(runs); i++) {
		struct rig r = {.id = CRORC_ID,
				.superpage = runs[i].size,
				.count = runs[i].count,
				.mode = runs[i].mode,
				.memory = memory};
		int fd = node_open(CRORC_ID, -1);

		UNIT_EQ(reg_modify(fd, CRORC_BAR_CARD, CRORC_CONFIG_A, CRORC_CONFIG_A_DYNAMIC,
				   i % 2, NULL),
			0);
		emu(CRORC0, "set packet %u", i % 2 ? 4000 : 8128);
		emu(CRORC0, "clear");
		CU_ASSERT(rig_once(&r, runs[i].n, LIMIT_MS));
		rig_agrees(&r, CRORC0, 0);
		if (i % 2)
			CU_ASSERT(r.packets > r.filled * runs[i].size / 8192);
		RIG_OK(&r);
		rig_close(&r);
		UNIT_EQ(reg_modify(fd, CRORC_BAR_CARD, CRORC_CONFIG_A, CRORC_CONFIG_A_DYNAMIC, 0,
				   NULL),
			0);
		close(fd);
	}
	CU_ASSERT(emu_clean(CRORC0));
out:
	munmap(memory, 64 * MIB);
}

static void leave(void)
{
	CU_ASSERT(emu_clean(CRORC0));
	emu_normal_crorc(CRORC0);
}

UNIT_MAIN("crorc", {"six channels at once next to CRUs", six_at_once},
	  {"one of six killed", one_of_six_killed}, {"cost of a superpage", cost_of_a_superpage},
	  {"gaps", gaps}, {"8-bit wraps", wraps}, {"runs, internal", runs_internal},
	  {"runs, DIU", runs_diu}, {"runs, SIU", runs_siu}, {"runs, front end", runs_frontend},
	  {"runs, front end, STBRD", runs_frontend_stbrd}, {"sources in turn", sources_in_turn},
	  {"sizes", sizes}, {"card saw no violations", leave})
