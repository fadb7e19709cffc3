// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When the module looks at a link again: simulated cards of steady, stepping and pausing rates.
 */
#include "../../kmod/pace.h"
#include "unit.h"

#define MS 1000000ull
#define DEPTH 128

/* A card that finishes a superpage every @interval ns, and a kernel that looks as it is told. */
struct world {
	struct roc_pace pace;
	__u64 now, interval, from;
	__u64 made, seen;	    /* superpages finished, found */
	__u64 looks, misses, worst; /* worst: ns that a superpage lay there */
	__u64 dry;		    /* times the card had used up all it had */
};

static struct world begin(__u64 interval)
{
	struct world w = {.now = 1000 * MS, .interval = interval, .from = 1000 * MS};

	roc_pace_start(&w.pace, w.now, 0);
	return w;
}

/* A new interval from now on. */
static void step(struct world *w, __u64 interval)
{
	w->from = w->now;
	w->interval = interval;
}

static void run(struct world *w, __u64 ns)
{
	__u64 end = w->now + ns;

	while (w->pace.next < end) {
		__u64 before = w->now, due, found;

		w->now = w->pace.next;
		if (w->now < before) {
			CU_FAIL("time runs backwards");
			return;
		}
		/* Superpages due since the last look, no more than the card had. */
		due = w->interval
			      ? (w->now - w->from) / w->interval - (before - w->from) / w->interval
			      : 0;
		found = due < DEPTH ? due : DEPTH;
		w->dry += due > DEPTH;
		w->looks++;
		w->misses += !found;
		if (found) {
			__u64 first =
				w->from + ((before - w->from) / w->interval + 1) * w->interval;

			w->worst = w->now - first > w->worst ? w->now - first : w->worst;
		}
		w->seen += found;
		roc_pace_looked(&w->pace, w->now, found, DEPTH - found);
	}
	w->now = end;
}

/* At every steady rate: few useless looks, never dry, never idle for long. */
static void steady(void)
{
	static const __u64 intervals[] = {20000, 100000, 400000, MS, 3 * MS, 7 * MS};
	size_t i;

	for (i = 0; i < sizeof(intervals) / sizeof(intervals[0]); i++) {
		struct world w = begin(intervals[i]);

		run(&w, 200 * MS);
		w = (struct world){
			.pace = w.pace, .now = w.now, .interval = w.interval, .from = w.from};
		run(&w, 2000 * MS);
		unit_note("every %llu us: %llu looks, %llu for nothing, %llu superpages",
			  (unsigned long long)intervals[i] / 1000, (unsigned long long)w.looks,
			  (unsigned long long)w.misses, (unsigned long long)w.seen);
		UNIT_EQ(w.dry, 0);
		CU_ASSERT(w.seen >= 2000 * MS / intervals[i] * 9 / 10);
		CU_ASSERT(w.looks <= w.seen + w.seen / 4 + 2);
		CU_ASSERT(w.worst <= ROC_PACE_MAX);
	}
}

/* Bounds, whatever comes in. */
static void bounded(void)
{
	struct roc_pace pace;
	__u64 now = 5 * MS;
	unsigned int i;

	roc_pace_start(&pace, now, 0);
	UNIT_EQ(pace.next, now + ROC_PACE_MIN);
	srand(3);
	for (i = 0; i < 100000; i++) {
		__u32 found = rand() % 3 ? 0 : rand() % 200;

		now += rand() % (20 * MS);
		roc_pace_looked(&pace, now, found, rand() % 129);
		if (pace.next < now + ROC_PACE_MIN || pace.next > now + ROC_PACE_MAX) {
			CU_FAIL("next look out of bounds");
			return;
		}
	}
}

/* Nothing comes: looks get rare. It comes again: seen within the longest sleep. */
static void pauses(void)
{
	struct world w = begin(MS);
	__u64 looks;

	run(&w, 300 * MS);
	step(&w, 0);
	run(&w, 100 * MS);
	looks = w.looks;
	run(&w, 1000 * MS);
	CU_ASSERT(w.looks - looks <= 1000 * MS / ROC_PACE_MAX + 2);
	CU_ASSERT(w.looks - looks >= 1000 * MS / ROC_PACE_MAX - 2);
	step(&w, MS);
	w.worst = 0;
	run(&w, 300 * MS);
	CU_ASSERT(w.worst <= ROC_PACE_MAX);
	UNIT_EQ(w.dry, 0);
	w.looks = 0;
	w.seen = 0;
	run(&w, 1000 * MS);
	CU_ASSERT(w.looks <= w.seen * 5 / 4);
}

/* The rate changes tenfold, up and down: learned anew without running dry. */
static void steps(void)
{
	struct world w = begin(2 * MS);

	run(&w, 500 * MS);
	step(&w, 200000);
	run(&w, 500 * MS);
	UNIT_EQ(w.dry, 0);
	w.looks = 0;
	w.seen = 0;
	run(&w, 1000 * MS);
	CU_ASSERT(w.seen >= 4900);
	step(&w, 2 * MS);
	run(&w, 500 * MS);
	w.looks = 0;
	w.seen = 0;
	run(&w, 1000 * MS);
	CU_ASSERT(w.looks <= w.seen * 5 / 4 + 2);
}

/* The fewer superpages the card has left, the sooner the next look. */
static void nearly_empty(void)
{
	struct roc_pace pace;
	__u64 now = 0, with_many, with_few;
	int i;

	roc_pace_start(&pace, now, 0);
	for (i = 0; i < 50; i++) {
		now += 4 * MS;
		roc_pace_looked(&pace, now, 1, DEPTH);
	}
	with_many = pace.next - now;
	now += 4 * MS;
	roc_pace_looked(&pace, now, 1, 1);
	with_few = pace.next - now;
	CU_ASSERT(with_few < with_many);
	CU_ASSERT(with_few <= 2 * MS);
}

UNIT_MAIN("kmod_pace", {"steady", steady}, {"bounded", bounded}, {"pauses", pauses},
	  {"steps", steps}, {"nearly empty", nearly_empty})
