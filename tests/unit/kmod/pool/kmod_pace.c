// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scheduling of polls in kmod/pool/pace.c: simulated cards with steady, stepping and pausing rates.
 */
#include "kmod/pool/pace.h"
#include "unit.h"

#define US 1000ull
#define MS 1000000ull
#define IN_FLIGHT 1536 /* superpages in the card */

/* A card that finishes a superpage every @interval ns, and a thread that sleeps as scheduled. */
struct simulation {
	struct roc_rate rate;
	__u64 now, interval, from;
	__u64 seen, ticks, dry;
	__u64 worst; /* longest time from the end of a superpage to the poll that found it, ns */
	__u32 in_flight, min_ready;
};

static struct simulation begin(__u64 interval, __u32 in_flight)
{
	return (struct simulation){
		.now = 1000 * MS, .interval = interval, .from = 1000 * MS, .in_flight = in_flight};
}

static void step(struct simulation *w, __u64 interval)
{
	w->from = w->now;
	w->interval = interval;
}

static void run(struct simulation *w, __u64 ns)
{
	__u64 end = w->now + ns;

	while (w->now < end) {
		__u64 before = w->now, first, due = 0;

		w->now += roc_rate_tick(&w->rate, w->now, w->in_flight, w->min_ready);
		w->ticks++;
		if (w->interval)
			due = (w->now - w->from) / w->interval - (before - w->from) / w->interval;
		if (!due)
			continue;
		first = w->from + ((before - w->from) / w->interval + 1) * w->interval;
		w->worst = w->now - first > w->worst ? w->now - first : w->worst;
		w->dry += due >= w->in_flight;
		due = due < w->in_flight ? due : w->in_flight;
		w->seen += due;
		roc_rate_found(&w->rate, w->now, due);
	}
}

static void clear_results(struct simulation *w)
{
	w->seen = w->ticks = w->dry = w->worst = 0;
}

/* At a steady rate the thread wakes rarely, the card never runs dry, and the delay is bounded. */
static void steady(void)
{
	static const __u64 intervals[] = {20 * US, 100 * US, 400 * US, MS, 3 * MS, 40 * MS};
	size_t i;

	for (i = 0; i < sizeof(intervals) / sizeof(intervals[0]); i++) {
		struct simulation w = begin(intervals[i], IN_FLIGHT);

		run(&w, 500 * MS);
		clear_results(&w);
		run(&w, 2000 * MS);
		unit_note("every %llu us: %llu ticks, %llu superpages, worst %llu us",
			  (unsigned long long)(intervals[i] / US), (unsigned long long)w.ticks,
			  (unsigned long long)w.seen, (unsigned long long)(w.worst / US));
		UNIT_EQ(w.dry, 0);
		CU_ASSERT(w.seen >= 2000 * MS / intervals[i] * 9 / 10);
		CU_ASSERT(w.ticks <= w.seen / 4 || intervals[i] > MS);
		CU_ASSERT(w.ticks <= 2000 * MS / ROC_TICK_MAX + 2 || intervals[i] <= 400 * US);
		CU_ASSERT(w.worst <= ROC_TICK_MAX);
	}
}

/* A large min_ready lets the thread sleep longer, but the card never runs dry. */
static void min_ready_batches(void)
{
	static const struct {
		__u32 in_flight, min_ready;
		__u64 ticks, worst;
	} cases[] = {
		{IN_FLIGHT, 20, 101, ROC_TICK_BATCH_MAX},
		{IN_FLIGHT, 1000000000, 101, ROC_TICK_BATCH_MAX},
		{IN_FLIGHT, ROC_TICK_BATCH, 201, ROC_TICK_MAX},
		{12, 20, 205, ROC_TICK_MAX},
		{128, 20, 205, ROC_TICK_MAX},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct simulation w = begin(MS, cases[i].in_flight);

		w.min_ready = cases[i].min_ready;
		run(&w, 500 * MS);
		clear_results(&w);
		run(&w, 1000 * MS);
		UNIT_EQ(w.dry, 0);
		CU_ASSERT(w.ticks <= cases[i].ticks);
		CU_ASSERT(w.worst <= cases[i].worst);
	}
}

/* A card with few superpages is polled before it has filled half of them. */
static void nearly_empty(void)
{
	struct simulation w = begin(MS, 8);

	run(&w, 500 * MS);
	clear_results(&w);
	run(&w, 1000 * MS);
	UNIT_EQ(w.dry, 0);
	CU_ASSERT(w.worst <= 4 * MS);
}

/* Links that finish together, with pauses between: few wake-ups, and a bounded delay. */
static void bursts(void)
{
	static const struct {
		__u64 gap, ticks; /* ns; largest number of wake-ups per second */
		__u64 worst;
	} cases[] = {
		{12 * MS, 250, ROC_TICK_MAX},
		{126 * MS, 210, ROC_TICK_MAX},
		{1260 * MS, 80, ROC_TICK_MAX},
		{12600 * MS, 25, ROC_TICK_MAX},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		__u64 now = 1000 * MS, from = now, worst = 0, ticks = 0, gap = cases[i].gap, done;
		struct roc_rate rate;
		unsigned int n = 0;

		roc_rate_start(&rate, now);
		while (n < 40) {
			done = from + (n + 1) * gap;
			now += roc_rate_tick(&rate, now, IN_FLIGHT, 1);
			ticks++;
			if (now < done)
				continue;
			if (n++ > 4 && now - done > worst)
				worst = now - done;
			roc_rate_found(&rate, now, 12);
		}
		unit_note("every %llu ms: %llu wake-ups/s, worst %llu us",
			  (unsigned long long)(gap / MS),
			  (unsigned long long)(ticks * 1000 * MS / (now - from)),
			  (unsigned long long)(worst / US));
		CU_ASSERT(ticks * 1000 * MS / (now - from) <= cases[i].ticks);
		CU_ASSERT(worst <= cases[i].worst);
	}
}

/* No data from the start of the run. */
static void idle(void)
{
	struct simulation w = begin(0, IN_FLIGHT);
	int i;

	roc_rate_start(&w.rate, w.now);
	run(&w, 2000 * MS);
	clear_results(&w);
	run(&w, 10000 * MS);
	unit_note("idle: %llu wake-ups/s", (unsigned long long)(w.ticks / 10));
	CU_ASSERT(w.ticks <= 10000 * MS / ROC_TICK_IDLE + 1);
	/* The time to the first superpages must not count as the rate. */
	step(&w, 100 * US);
	for (i = 0; i < 20 && !w.seen; i++)
		run(&w, 10 * MS);
	CU_ASSERT(w.seen > 0);
	CU_ASSERT(w.rate.interval <= MS);
}

/*
 * The rate steps by a factor of ten, and stops: it is measured again, and the card never runs dry.
 */
static void steps(void)
{
	struct simulation w = begin(2 * MS, 128);

	run(&w, 500 * MS);
	step(&w, 200 * US);
	run(&w, 500 * MS);
	UNIT_EQ(w.dry, 0);
	clear_results(&w);
	run(&w, 1000 * MS);
	CU_ASSERT(w.ticks <= w.seen / 4);
	step(&w, 0);
	run(&w, 200 * MS);
	clear_results(&w);
	run(&w, 1000 * MS);
	CU_ASSERT(w.ticks <= 1000 * MS / ROC_TICK_MAX / 2);
	step(&w, MS);
	run(&w, 300 * MS);
	CU_ASSERT(w.worst <= ROC_TICK_IDLE);
	clear_results(&w);
	run(&w, 300 * MS);
	CU_ASSERT(w.worst <= ROC_TICK_MAX);
	UNIT_EQ(w.dry, 0);
}

/* One superpage at a time, with cheap polls: the card is idle only for a small part of the time. */
static void one_at_a_time(void)
{
	static const __u64 intervals[] = {100 * US, 500 * US, 2 * MS, 8 * MS};
	size_t i;

	for (i = 0; i < sizeof(intervals) / sizeof(intervals[0]); i++) {
		struct roc_pace pace;
		__u64 now = 1000 * MS, done = now + intervals[i], idle = 0, polls = 0;
		int n = 0;

		/* Start with an interval that is far too long: it must get shorter. */
		roc_pace_start(&pace, now);
		pace.interval = 9 * MS;
		roc_pace_pushed(&pace, now);
		while (n < 1000) {
			now = pace.next;
			polls++;
			if (now < done) {
				roc_pace_polled(&pace, now, 0);
				continue;
			}
			if (n++ > 100)
				idle += now - done;
			roc_pace_polled(&pace, now, 1);
			roc_pace_pushed(&pace, now);
			done = now + intervals[i];
		}
		unit_note("every %llu us: %.1f polls, idle for %.1f us each",
			  (unsigned long long)(intervals[i] / US), polls / 1000.0,
			  idle / 900.0 / US);
		CU_ASSERT(idle / 900 <=
			  (intervals[i] / 16 > 20 * US ? intervals[i] / 16 : 20 * US));
		CU_ASSERT(polls <= 8 * 1000);
	}
}

static unsigned int reads(struct roc_backoff *d, __u64 *now, __u64 ns,
			  enum roc_sentinel_stage stage)
{
	unsigned int n = 0;
	__u64 end = *now + ns;

	for (; *now < end; *now += MS) {
		if (!roc_backoff_due(d, *now, stage))
			continue;
		roc_backoff_polled(d, *now);
		n++;
	}
	return n;
}

/* A register is read only if a superpage is expected. */
static void backoff(void)
{
	struct roc_backoff d;
	__u64 now = 1000 * MS;
	unsigned int i, n;

	roc_backoff_start(&d, now);
	/* No data yet: only the rare reads that detect a missed superpage. */
	CU_ASSERT(reads(&d, &now, 10000 * MS, ROC_STAGE_UNTOUCHED) <= 41);
	for (i = 0; i < 50; i++) {
		now += 60 * MS;
		roc_backoff_found(&d, now, 1);
	}
	/* Started, and not yet due. */
	UNIT_EQ(reads(&d, &now, 70 * MS, ROC_STAGE_BEGUN), 0);
	/* Overdue: soon, and then at growing intervals. */
	n = reads(&d, &now, 30 * MS, ROC_STAGE_BEGUN);
	CU_ASSERT(n >= 3 && n <= 6);
	reads(&d, &now, 1000 * MS, ROC_STAGE_BEGUN);
	n = reads(&d, &now, 10000 * MS, ROC_STAGE_BEGUN);
	CU_ASSERT(n >= 38 && n <= 41);
	/* In the last page: at once, and again within 8 ms. */
	roc_backoff_found(&d, now, 1);
	CU_ASSERT(roc_backoff_due(&d, now, ROC_STAGE_LAST_PAGE));
	n = reads(&d, &now, 80 * MS, ROC_STAGE_LAST_PAGE);
	CU_ASSERT(n >= 11 && n <= 15);
	/* The same without sentinels. */
	roc_backoff_found(&d, now, 1);
	n = reads(&d, &now, 80 * MS, ROC_STAGE_UNKNOWN);
	CU_ASSERT(n >= 10 && n <= 15);
}

/* The presence of a silent card is checked once a second, that of a sending card never. */
static void silence(void)
{
	struct roc_pace pace;
	__u64 now = 5000 * MS;
	unsigned int polled = 0, i;

	roc_pace_start(&pace, now);
	roc_pace_pushed(&pace, now);
	for (i = 0; i < 35; i++, now += 100 * MS)
		polled += roc_pace_silent(&pace, now);
	UNIT_EQ(polled, 3);
	for (i = 0; i < 35; i++, now += 100 * MS) {
		roc_pace_polled(&pace, now, 1);
		polled += roc_pace_silent(&pace, now);
	}
	UNIT_EQ(polled, 3);
}

/* From any value the longest time is reached; then no small change causes a register write. */
static void moderation(void)
{
	static const struct roc_moderation next[] = {{64, 8000}, {60, 7000}, {64, 8000}};
	struct roc_moderation last = {0}, low = {64, 4001}, shorter = {64, 3999};
	unsigned int us;

	CU_ASSERT(roc_moderation_changed(&last, &next[0], 8000));
	for (us = 1; us < 8000; us++) {
		last = (struct roc_moderation){.count = 64, .us = us};
		CU_ASSERT(roc_moderation_changed(&last, &next[0], 8000));
	}
	last = next[0];
	CU_ASSERT(!roc_moderation_changed(&last, &next[1], 8000));
	CU_ASSERT(!roc_moderation_changed(&last, &next[2], 8000));
	CU_ASSERT(!roc_moderation_changed(&last, &low, 8000));
	CU_ASSERT(roc_moderation_changed(&last, &shorter, 8000));
	/* Below the longest time, changes up to a factor of two are ignored, in time and count. */
	last = low;
	CU_ASSERT(!roc_moderation_changed(&last, &(struct roc_moderation){32, 7999}, 8000));
	CU_ASSERT(roc_moderation_changed(&last, &(struct roc_moderation){31, 7999}, 8000));
	CU_ASSERT(roc_moderation_changed(&last, &(struct roc_moderation){129, 4001}, 8000));
	/* A reader with a large min_ready gets a longer time. */
	last = next[0];
	CU_ASSERT(roc_moderation_changed(&last, &(struct roc_moderation){16, 25000}, 8000));
	last = (struct roc_moderation){16, 25000};
	CU_ASSERT(!roc_moderation_changed(&last, &(struct roc_moderation){16, 25000}, 8000));
	CU_ASSERT(roc_moderation_changed(&last, &next[0], 8000));
}

UNIT_MAIN("kmod_pace", {"steady", steady}, {"nearly empty", nearly_empty},
	  {"min_ready above a batch", min_ready_batches}, {"bursts", bursts}, {"idle", idle},
	  {"steps", steps}, {"one at a time", one_at_a_time}, {"backoff", backoff},
	  {"silence", silence}, {"moderation", moderation})
