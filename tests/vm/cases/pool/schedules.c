// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test every way to end the use of a channel in every phase of its life, in both orders, forced by
 * points in the module (kmod/core/points.h). Afterwards nothing of the card runs, it and its
 * neighbour can be used again, and no byte of memory that was free meanwhile has changed.
 *
 *	schedules		a selection: each way and each phase at least once for each card
 *	schedules all		the whole matrix
 *	schedules list		its cells, and why some are impossible; needs no card
 *	schedules NAME...	these, for example crorc:unbind:closing:way
 *
 * A name is CARD:WAY:PHASE:ORDER; ORDER is the party that comes first, "way" or "phase". The
 * environment variable ROC_ROUND selects among several points. tests/vm/matrix repeats all cells.
 */
#include "common/case.h"
#include "common/free_memory.h"
#include "common/host.h"
#include "common/klog.h"
#include "common/left.h"
#include "common/point.h"
#include "common/subject.h"
#include "common/target.h"
#include "common/way.h"

#include "kmod/cards/p40/p40_regs.h"

#include <fcntl.h>
#include <poll.h>

#define REACH_MS 5000
#define JOIN_MS 15000
/* The driver reads the status of a card that was silent for two seconds. */
#define NOTIFY_MS 10000
/* Time for the second party to reach the lock that the first one has. */
#define BLOCK_MS 30
#define MEET_MS 60
#define RATE 4000000 /* bytes/s: superpages are in the card all the time */
#define SLOW 200000

enum phase {
	PHASE_OPENING,
	PHASE_REGISTERING,
	PHASE_STARTING,
	PHASE_FLOWING,
	PHASE_STOPPING,
	PHASE_FAILED,
	PHASE_CLOSING,
	PHASE_COUNT,
};

enum first {
	PHASE_FIRST,
	WAY_FIRST,
	FIRST_COUNT,
};

static const char *const first_names[] = {"phase", "way"};

/* The channel's operation in each phase, its stage, and the points where it can be held. */
static const struct {
	const char *name;
	enum stage stage;
	enum order order;
	const char *points[3];
} phases[PHASE_COUNT] = {
	[PHASE_OPENING] = {"opening", STAGE_NOTHING, ORDER_OPEN, {"open"}},
	[PHASE_REGISTERING] = {"registering", STAGE_OPEN, ORDER_REGISTER, {"register"}},
	[PHASE_STARTING] = {"starting", STAGE_READY, ORDER_START, {"start_bus", "start_running"}},
	[PHASE_FLOWING] = {"flowing", STAGE_FLOWS, ORDER_NONE, {"turn"}},
	[PHASE_STOPPING] = {"stopping", STAGE_FLOWS, ORDER_STOP, {"stop", "quiesce"}},
	[PHASE_FAILED] = {"failed", STAGE_FLOWS, ORDER_NONE, {NULL}},
	[PHASE_CLOSING] = {"closing", STAGE_FLOWS, ORDER_CLOSE, {"close", "retire", "quiesce"}},
};

static const char *const points_of_close[] = {"close", "retire", "quiesce", NULL};
static const char *const points_of_stop[] = {"stop", "quiesce", NULL};
static const char *const points_of_shut[] = {"shut_epoch", "shut_retire", NULL};
static const char *const points_of_remove[] = {"shut_epoch", "shut_retire", "remove_bars", NULL};

struct cell {
	const struct target *t;
	enum way way;
	enum phase phase;
	enum first first;
	char name[64];
};

static struct target targets[] = {
	{.kind = "cru",
	 .type = ROC_CARD_CRU,
	 .card = CARD0,
	 .endpoints = 2,
	 .id = EP0,
	 .other_id = EP1,
	 .source = ROC_SOURCE_DDG},
	{.kind = "crorc",
	 .type = ROC_CARD_CRORC,
	 .card = CRORC0,
	 .endpoints = 1,
	 .id = CRORC_ID,
	 .other_id = CRORC_ID,
	 .other_channel = 3,
	 .source = ROC_SOURCE_INTERNAL},
	{.kind = "p40",
	 .type = ROC_CARD_P40,
	 .card = 3,
	 .endpoints = 1,
	 .id = "4004:0",
	 .other_id = "4004:0",
	 .other_channel = P40_STREAM_ODIN},
	{.kind = "robinnp",
	 .type = ROC_CARD_ROBINNP,
	 .card = 4,
	 .endpoints = 1,
	 .id = "6005:0",
	 .other_id = "6005:0",
	 .other_channel = 1},
};

struct meeting {
	enum way way;
	enum phase phase;
	enum first first;
};

/* Each way and each phase. */
static const struct meeting selection[] = {
	{WAY_CLOSE, PHASE_STARTING, PHASE_FIRST},
	{WAY_KILL, PHASE_FLOWING, WAY_FIRST},
	{WAY_STOP, PHASE_STOPPING, PHASE_FIRST},
	{WAY_UNBIND, PHASE_CLOSING, WAY_FIRST},
	{WAY_REMOVE, PHASE_STARTING, PHASE_FIRST},
	{WAY_FLR, PHASE_OPENING, PHASE_FIRST},
	{WAY_AER_FATAL, PHASE_FLOWING, PHASE_FIRST},
	{WAY_AER_NONFATAL, PHASE_STOPPING, PHASE_FIRST},
	{WAY_UNPLUG, PHASE_REGISTERING, PHASE_FIRST},
	{WAY_ALL_ONES, PHASE_CLOSING, WAY_FIRST},
	{WAY_RMMOD, PHASE_OPENING, WAY_FIRST},
	{WAY_RELOAD, PHASE_STARTING, WAY_FIRST},
	{WAY_KILL, PHASE_FAILED, PHASE_FIRST},
	{WAY_POWER, PHASE_FLOWING, PHASE_FIRST},
};

/*
 * The same, and all faults of a card, with the ring mapped and data in it. Not the death of the
 * card's process: with a doorbell write in flight QEMU sometimes dies of an assertion.
 * tests/vm/matrix tests that, and repeats such a pair.
 */
static const struct meeting selection_of_streams[] = {
	{WAY_CLOSE, PHASE_STARTING, PHASE_FIRST},
	{WAY_KILL, PHASE_FLOWING, WAY_FIRST},
	{WAY_STOP, PHASE_STOPPING, PHASE_FIRST},
	{WAY_UNBIND, PHASE_CLOSING, WAY_FIRST},
	{WAY_UNBIND, PHASE_FLOWING, PHASE_FIRST},
	{WAY_REMOVE, PHASE_FLOWING, WAY_FIRST},
	{WAY_FLR, PHASE_OPENING, PHASE_FIRST},
	{WAY_FLR, PHASE_FLOWING, PHASE_FIRST},
	{WAY_AER_FATAL, PHASE_FLOWING, PHASE_FIRST},
	{WAY_AER_NONFATAL, PHASE_FLOWING, PHASE_FIRST},
	{WAY_UNPLUG, PHASE_REGISTERING, PHASE_FIRST},
	{WAY_UNPLUG, PHASE_FLOWING, WAY_FIRST},
	{WAY_ALL_ONES, PHASE_FLOWING, PHASE_FIRST},
	{WAY_RMMOD, PHASE_OPENING, WAY_FIRST},
	{WAY_RMMOD, PHASE_FLOWING, PHASE_FIRST},
	{WAY_RELOAD, PHASE_STARTING, WAY_FIRST},
	{WAY_KILL, PHASE_FAILED, PHASE_FIRST},
};

/*
 * Sub-units, with commands outstanding all the time: each phase.
 * tests/vm/cases/fragment/fragment_ways_out.c tests the missing ways while data flow, and the
 * matrix tests them with all phases.
 */
static const struct meeting selection_of_fragments[] = {
	{WAY_CLOSE, PHASE_STARTING, PHASE_FIRST}, {WAY_STOP, PHASE_STOPPING, PHASE_FIRST},
	{WAY_UNBIND, PHASE_CLOSING, WAY_FIRST},	  {WAY_REMOVE, PHASE_FLOWING, WAY_FIRST},
	{WAY_FLR, PHASE_OPENING, PHASE_FIRST},	  {WAY_RELOAD, PHASE_REGISTERING, WAY_FIRST},
	{WAY_KILL, PHASE_FAILED, PHASE_FIRST},
};

static unsigned int round_number;

static const char *impossible(enum way way, enum phase phase, enum first first)
{
	if (way == WAY_CLOSE && phase == PHASE_CLOSING)
		return "there is one last close";
	if (way == WAY_STOP && phase == PHASE_STOPPING && first == WAY_FIRST)
		return "the same as in the other order";
	if (first == PHASE_FIRST) {
		if ((way == WAY_CLOSE || way == WAY_STOP) && phase == PHASE_OPENING)
			return "no descriptor before open has returned";
		if (way == WAY_STOP && phase == PHASE_CLOSING)
			return "no descriptor is left for it";
		return NULL;
	}
	if (way == WAY_RMMOD && phase != PHASE_OPENING)
		return "an open file keeps the module";
	if (phase == PHASE_OPENING || phase == PHASE_FLOWING || phase == PHASE_FAILED)
		return NULL;
	if (way == WAY_CLOSE)
		return "no descriptor is left for it";
	if (way == WAY_KILL)
		return "a killed process does nothing more";
	return NULL;
}

static const char *select_point(const char *const *points)
{
	unsigned int n = 0;

	while (points[n])
		n++;
	return n ? points[round_number % n] : NULL;
}

/* True if the driver still watches a run whose way out is held. */
static bool sees_failure(const struct cell *c)
{
	bool pool = c->t->type == ROC_CARD_CRU || c->t->type == ROC_CARD_CRORC;

	/*
	 * A stop holds the channel's lock. In other channel types the watchdog skips a closed
	 * channel, and without a reader no error occurs.
	 */
	if (c->way == WAY_STOP || c->way == WAY_ALL_ONES || c->way == WAY_POWER)
		return false;
	return c->way == WAY_AER_NONFATAL || pool;
}

static const char *way_point(const struct cell *c)
{
	bool early = c->phase == PHASE_FAILED && sees_failure(c);

	if (c->way == WAY_STOP)
		return select_point(points_of_stop);
	if (way_of_owner(c->way))
		return early ? points_of_close[0] : select_point(points_of_close);
	if (early)
		return points_of_shut[0];
	return select_point(c->way == WAY_FLR || c->way == WAY_AER_FATAL ? points_of_shut
									 : points_of_remove);
}

static const char *phase_point(enum phase phase)
{
	const char *points[4] = {phases[phase].points[0], phases[phase].points[1],
				 phases[phase].points[2], NULL};

	return select_point(points);
}

/* Target memory of a card that was left running, and of the runs of the verdict. */
static struct roc_memory victim, own;

static uint64_t physical(const void *p)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	if (pread(fd, &entry, 8, (uintptr_t)p / 4096 * 8) != 8)
		entry = 0;
	close(fd);
	return (entry & ((1ull << 55) - 1)) * 4096 + (uintptr_t)p % 4096;
}

static bool has_failed(const char *id, unsigned int channel)
{
	return !strcmp(node_attr(id, channel, "state"), "failed");
}

/* The subject's own end, and the end of its waits. */
static void end_subject(struct subject *s)
{
	if (s)
		CU_ASSERT(subject_end(s));
}

/* The channel is held in its phase, and the way begins. */
static void phase_first(const struct cell *c, struct going *g)
{
	const struct target *t = c->t;
	const char *point = phase_point(c->phase);
	unsigned int before;
	int64_t end;

	g->s = subject_start(t->id, t->channel, t->source, phases[c->phase].stage);
	UNIT_NEED(g->s);
	if (point)
		point_hold(point, t->id);
	if (phases[c->phase].order)
		subject_order(g->s, 0, phases[c->phase].order);
	if (c->phase == PHASE_FAILED) {
		target_fail(t);
		CU_ASSERT(UNIT_WAIT(has_failed(t->id, t->channel), REACH_MS));
		emu(t->card, "fault all clear");
	} else {
		CU_ASSERT(point_reached(point, REACH_MS));
	}
	if (way_shuts(c->way))
		point_watch("shut_epoch", t->id);
	before = point_hits("shut_epoch");
	way_begin(g);
	/* The position is known for a removal only. */
	end = now_ms() + limit_ms(way_shuts(c->way) ? JOIN_MS : BLOCK_MS);
	while (!way_done(g, 1) && now_ms() < end)
		if (way_shuts(c->way) && point_hits("shut_epoch") != before)
			break;
	/* Otherwise way and phase do not meet. The module cannot be unloaded while in use. */
	if (way_shuts(c->way) && c->way != WAY_RMMOD)
		CU_ASSERT(point_hits("shut_epoch") != before);
	sleep_ms(limit_ms(BLOCK_MS));
	CU_ASSERT(!point || point_holds(point));
	points_release();
	if (c->way != WAY_KILL)
		CU_ASSERT(subject_done(g->s, 0, JOIN_MS));
	CU_ASSERT(way_done(g, JOIN_MS));
}

/* The way begins and is held; the channel does what belongs to its phase. */
static void way_first(const struct cell *c, struct going *g)
{
	const struct target *t = c->t;
	bool owner = way_of_owner(c->way), opening = c->phase == PHASE_OPENING;
	const char *point = way_at_once(c->way) ? NULL : way_point(c);
	/* While its owner is held inside there is no last close. */
	bool closing = c->phase == PHASE_CLOSING && point && !owner;
	struct subject *other = NULL, *s;
	unsigned int closes = 0;
	int64_t end;

	/* The opening process cannot be the closing one. */
	if (owner)
		g->s = subject_start(t->id, t->channel, t->source, STAGE_FLOWS);
	else if (!opening)
		g->s = subject_start(t->id, t->channel, t->source, phases[c->phase].stage);
	if (opening)
		other = subject_start(t->id, t->channel, t->source, STAGE_NOTHING);
	s = opening ? other : g->s;
	UNIT_NEED(s && (g->s || !owner));
	if (point)
		point_hold(point, t->id);
	if (closing) {
		point_watch("close", t->id);
		closes = point_hits("close");
	}
	/* No more superpages are submitted: one must be left for the card to fail. */
	if (owner && c->phase == PHASE_FAILED && sees_failure(c))
		target_rate(t, 0, SLOW);
	way_begin(g);
	if (point)
		CU_ASSERT(point_reached(point, REACH_MS));
	if (phases[c->phase].order)
		subject_order(s, 0, phases[c->phase].order);
	else
		sleep_ms(limit_ms(MEET_MS));
	/* A held way must not keep the channel from its phase; a later one would not meet it. */
	if (closing)
		CU_ASSERT(UNIT_WAIT(point_hits("close") != closes, REACH_MS));
	if (c->phase == PHASE_FAILED && c->way != WAY_POWER) {
		emu_ordered(c->way != WAY_FLR);
		if (c->way != WAY_ALL_ONES)
			target_fail(t);
		if (sees_failure(c)) {
			CU_ASSERT(UNIT_WAIT(has_failed(t->id, t->channel), REACH_MS));
		} else {
			sleep_ms(limit_ms(2 * MEET_MS));
		}
		if (c->way != WAY_ALL_ONES)
			emu(t->card, "fault all clear");
		emu_ordered(true);
	}
	end = now_ms() + limit_ms(MEET_MS);
	while (point && !subject_done(s, 0, 0) && now_ms() < end)
		sleep_ms(1);
	CU_ASSERT(!point || point_holds(point));
	points_release();
	CU_ASSERT(way_done(g, JOIN_MS));
	if (opening || c->way != WAY_KILL)
		CU_ASSERT(subject_done(s, 0, JOIN_MS));
	end_subject(other);
}

/* Other software's run was left; the module is loaded, and the channel (or its neighbour) runs. */
static void reloaded(const struct cell *c, struct going *g)
{
	const struct target *t = c->t;
	bool same = c->first == PHASE_FIRST;
	const char *id = same ? t->id : t->other_id;
	unsigned int channel = same ? t->channel : t->other_channel;

	UNIT_NEED(module_unload(REACH_MS) == 0);
	target_rate(t, 0, SLOW);
	UNIT_NEED(left_running(t, physical(victim.addr), physical((char *)victim.addr + HUGE),
			       (char *)victim.addr + HUGE) == 0);
	CU_ASSERT(UNIT_WAIT(emu_count(t->card, 0, "dma_writes"), REACH_MS));
	UNIT_NEED(way_back(g));
	memory_fill(victim.addr, victim.length);
	target_rate(t, 0, RATE);
	g->s = subject_start(id, channel, t->source, phases[c->phase].stage);
	UNIT_NEED(g->s);
	if (phases[c->phase].order)
		subject_order(g->s, 0, phases[c->phase].order);
	if (c->phase == PHASE_FAILED) {
		target_fail(t);
		CU_ASSERT(UNIT_WAIT(has_failed(id, channel), REACH_MS));
		emu(t->card, "fault all clear");
	}
	CU_ASSERT(subject_done(g->s, 0, JOIN_MS));
	sleep_ms(limit_ms(MEET_MS));
}

static bool is_notified(const struct cell *c, struct subject *s)
{
	const struct subject_report *t = &s->report;

	if (!subject_query(s))
		return false;
	if (way_shuts(c->way))
		return t->wait == -ENODEV && t->poll & POLLERR && t->poll & POLLHUP &&
		       (!t->rings || (t->stopped && t->gone));
	if (c->way == WAY_ALL_ONES)
		return t->poll & POLLERR && t->stopped && !t->gone;
	return t->wait != -ENODEV && !(t->poll & POLLHUP) && !t->gone;
}

/*
 * The channel's user must be notified of the way that occurred, and of nothing else: that the card
 * is gone, that it does not answer (the driver reads its status while data should flow), or, after
 * a corrected error, of nothing.
 */
static void check_notified(const struct cell *c, struct subject *s)
{
	const struct subject_report *t = &s->report;
	bool hears = c->phase != PHASE_OPENING && c->phase != PHASE_CLOSING;
	bool queried = c->way == WAY_ALL_ONES && c->phase == PHASE_FLOWING;
	bool spared = c->way == WAY_AER_NONFATAL;
	bool good;

	/* With an open file the module stays loaded. */
	if (!hears || !(queried || spared || (way_shuts(c->way) && c->way != WAY_RMMOD)))
		return;
	good = UNIT_WAIT(is_notified(c, s), NOTIFY_MS);
	if (!good)
		unit_note("the driver reports: poll %#x, wait %d, %s%s%s", t->poll, t->wait,
			  t->rings ? "rings" : "no rings", t->stopped ? ", stopped" : "",
			  t->gone ? ", gone" : "");
	CU_ASSERT(good);
}

static void nothing_outside(const struct target *t)
{
	unsigned int ep;

	for (ep = 0; ep < t->endpoints; ep++) {
		UNIT_EQ(emu_count(t->card, ep, "dma_outside"), 0);
		UNIT_EQ(emu_count(t->card, ep, "messages_outside"), 0);
	}
}

static void verdict(const struct cell *c, struct going *g, int64_t pins_before, int log)
{
	const struct target *t = c->t;
	bool gone = c->way == WAY_POWER, away = gone || c->way == WAY_ALL_ONES;
	struct free_memory m = {0};

	/* Check the counts of this pair now: the following runs clear them. */
	if (!gone)
		nothing_outside(t);
	/* A silent card cannot be stopped, and returns with its old state. */
	if (!away) {
		/*
		 * A channel that was not used since the module was loaded may have bus mastering
		 * disabled.
		 */
		if (c->way != WAY_RELOAD)
			CU_ASSERT(left_nothing(t));
		target_normal(t); /* no rate limit, so that a card that still writes is detected */
	}
	UNIT_NEED(free_memory_hold(&m));
	if (c->way != WAY_RELOAD)
		UNIT_NEED(way_back(g));
	if (away)
		target_normal(t);
	CU_ASSERT(target_runs(t, t->other_id, t->other_channel, own.addr, true));
	CU_ASSERT(target_runs(t, t->id, t->channel, own.addr, false));
	CU_ASSERT(left_nothing(t));
	CU_ASSERT(free_memory_unchanged(&m));
	if (c->way == WAY_RELOAD)
		CU_ASSERT(memory_unchanged("memory of the run that was left", victim.addr,
					   victim.length));
	nothing_outside(t);
	/* A card that is lost keeps its memory until reboot. */
	if (!gone)
		UNIT_EQ(pins(), pins_before);
	CU_ASSERT(klog_clean(log));
}

static struct cell cells[N(targets) * WAY_COUNT * PHASE_COUNT * FIRST_COUNT];

static void run_cell(void)
{
	static struct going g;
	static bool unfinished;
	const char *name = CU_get_current_test()->pName;
	struct cell *c = cells;
	const char *reason;
	int64_t before;
	int log;

	while (strcmp(c->name, name))
		c++;
	reason = impossible(c->way, c->phase, c->first);
	if (reason) {
		unit_skip("impossible: %s", reason);
		return;
	}
	if (!points_there() || !host_there()) {
		unit_skip("needs --points and --host");
		return;
	}
	if (c->way == WAY_RELOAD && translated(c->t->id)) {
		unit_skip("an IOMMU keeps the card out");
		return;
	}
	if ((c->way == WAY_UNPLUG || c->way == WAY_POWER) && has_msix(c->t->address[0])) {
		unit_skip("QEMU dies of an assertion when a function with MSI-X is unplugged");
		return;
	}
	/* An aborted cell would disturb the next one. */
	if (unfinished) {
		points_release();
		way_done(&g, JOIN_MS);
		end_subject(g.s);
		way_back(&g);
	}
	unfinished = true;
	g = (struct going){.way = c->way, .t = c->t};
	log = klog_open();
	before = pins();
	target_normal(c->t);
	target_rate(c->t, 0, RATE);
	if (c->way == WAY_RELOAD)
		reloaded(c, &g);
	else if (c->first == PHASE_FIRST)
		phase_first(c, &g);
	else
		way_first(c, &g);
	if (c->way == WAY_RMMOD && g.s)
		UNIT_EQ(g.status, EWOULDBLOCK);
	else
		UNIT_EQ(g.status, 0);
	if (g.s)
		check_notified(c, g.s);
	end_subject(g.s);
	/* Refused: nothing to undo. */
	if (c->way == WAY_RMMOD && g.s)
		g.way = WAY_CLOSE;
	g.s = NULL;
	verdict(c, &g, before, log);
	close(log);
	unfinished = false;
}

static bool is_among(const struct cell *c, const struct meeting *m, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (m[i].way == c->way && m[i].phase == c->phase && m[i].first == c->first)
			return true;
	return false;
}

static bool selected(const struct cell *c)
{
	switch (c->t->type) {
	case ROC_CARD_P40:
		return c->t->present && is_among(c, selection_of_streams, N(selection_of_streams));
	case ROC_CARD_ROBINNP:
		return c->t->present &&
		       is_among(c, selection_of_fragments, N(selection_of_fragments));
	default:
		return c->t->present && is_among(c, selection, N(selection));
	}
}

static bool wanted(const struct cell *c, int argc, char **argv)
{
	int i;

	if (argc < 2)
		return selected(c);
	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "all") || !strcmp(argv[i], c->name))
			return true;
	return false;
}

static void find_targets(void)
{
	struct roc_card card;
	unsigned int i;

	for (i = 0; i < N(targets); i++)
		targets[i].present = !roc_find(targets[i].id, &card);
}

static bool prepare_targets(void)
{
	unsigned int i;

	way_prepare();

	for (i = 0; i < N(targets); i++) {
		struct target *t = &targets[i];

		if (!t->present)
			continue;
		strcpy(t->address[0], pci_address(t->id));
		strcpy(t->address[1], pci_address(t->other_id));
		t->events = has_events(t->id);
	}
	if (roc_memory_alloc(HUGE, -1, 0, &own) || roc_memory_alloc(2 * HUGE, -1, 0, &victim))
		return false;
	/* Also present in this process's page table. */
	memory_fill(victim.addr, victim.length);
	return true;
}

static int list(void)
{
	unsigned int i;

	for (i = 0; i < N(cells); i++) {
		const char *reason = impossible(cells[i].way, cells[i].phase, cells[i].first);

		printf("%s\t%s\n", cells[i].name, reason ? reason : "");
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct unit_test tests[N(cells)];
	unsigned int i, way, phase, first, n = 0;
	struct cell *c = cells;

	if (getenv("ROC_ROUND"))
		round_number = atoi(getenv("ROC_ROUND"));
	find_targets();
	/* Ways that leak memory come last. */
	for (way = 0; way < WAY_COUNT; way++)
		for (i = 0; i < N(targets); i++)
			for (phase = 0; phase < PHASE_COUNT; phase++)
				for (first = 0; first < FIRST_COUNT; first++, c++) {
					c->t = &targets[i];
					c->way = way;
					c->phase = phase;
					c->first = first;
					snprintf(c->name, sizeof(c->name), "%s:%s:%s:%s",
						 targets[i].kind, way_names[way],
						 phases[phase].name, first_names[first]);
					if (wanted(c, argc, argv))
						tests[n++] = (struct unit_test){c->name, run_cell};
				}
	if (argc == 2 && !strcmp(argv[1], "list"))
		return list();
	if (!prepare_targets()) {
		printf("Bail out! %s\n", roc_error());
		return 1;
	}
	return unit_run("schedules", tests, n, 1, argv);
}
