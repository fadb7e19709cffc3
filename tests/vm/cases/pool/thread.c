// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test that a channel's thread yields its processor and the channel's lock to others, whatever
 * reader and card do.
 */
#include "common/case.h"

#include <sched.h>

#define PREEMPT "/sys/kernel/debug/sched/preempt"

/* Run on this processor; children inherit it. */
static bool on_cpu(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

/* Set the kernel's preemption mode to "none" for this test. */
static bool preempt_on_request(char *before, size_t size)
{
	char *begin, *end;
	FILE *f = fopen(PREEMPT, "re");

	before[0] = '\0';
	if (f && fgets(before, size, f)) {
		begin = strchr(before, '(');
		end = begin ? strchr(begin, ')') : NULL;
		if (end) {
			*end = '\0';
			memmove(before, begin + 1, strlen(begin + 1) + 1);
		}
	}
	if (f)
		fclose(f);
	return before[0] && !put_text(PREEMPT, "none");
}

/* A process that uses all of processor 0. */
static int work(void *arg)
{
	if (!on_cpu(0))
		return 1;
	for (*(volatile bool *)arg = true;;)
		;
}

/* Number of times that the thread was preempted or yielded with work left. */
static unsigned int times_yielded(int pid)
{
	unsigned int n = 0;

	RUN("sed -n 's/^nonvoluntary_ctxt_switches:[[:space:]]*//p' /proc/%d/status", pid);
	sscanf(out, "%u", &n);
	return n;
}

/* A reader faster than the thread: there is always work left, and the thread is kicked. */
static void refuse(struct rig *r)
{
	struct roc_fill *fill;
	unsigned int n;

	for (n = 0; n < 64 && (fill = roc_fill_next(r->rings)); n++)
		*fill = (struct roc_fill){.buffer = r->handle};
	roc_fill_publish(r->rings);
	CU_ASSERT(roc_channel_kick(r->ch) == 0);
	roc_ready_release(r->rings, roc_ready_count(r->rings));
}

static void others_run(struct rig *r)
{
	int thread = thread_pid(EP0, 0), round, i;
	bool *works = shared_alloc(sizeof(*works));
	unsigned int before = times_yielded(thread), times = 0;
	pid_t worker = child_start(AS_ROOT, work, works);

	CU_ASSERT(UNIT_WAIT(*(volatile bool *)works, 5000));
	for (round = 0; round < 20 && times < 2; round++) {
		for (i = 0; i < 2000; i++)
			refuse(r);
		times = times_yielded(thread) - before;
	}
	child_kill(worker);
	unit_note("yielded %u times in %d rounds", times, round);
	CU_ASSERT(times >= 2);
	shared_free(works, sizeof(*works));
}

/* The thread of EP0 is on processor 0. In this mode it must yield explicitly. */
static void kicks_without_end(void)
{
	struct rig r = {.id = EP0, .links = 0x1};
	char before[32];

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(on_cpu(1) && rig_open(&r) && rig_start(&r));
	if (preempt_on_request(before, sizeof(before))) {
		others_run(&r);
		UNIT_EQ(put_text(PREEMPT, before), 0);
	} else {
		unit_skip("this kernel preempts at any time");
	}
	rig_close(&r);
}

/*
 * A ring full of entries that are refused: another thread must get the lock meanwhile. The test
 * observes intermediate states by ioctl; by chance it may see none, so it tries several times.
 */
static void refused_in_pieces(void)
{
	struct rig r = {.id = EP0, .ring = ROC_RING_MAX, .links = 0x1};
	uint64_t between = 0, refused;
	int64_t end;
	unsigned int i, round;

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r) && rig_start(&r));
	for (round = 1; round <= 100 && !between; round++) {
		for (i = 0; i < ROC_RING_MAX; i++)
			*roc_fill_next(r.rings) = (struct roc_fill){.buffer = r.handle};
		if (roc_fill_publish(r.rings))
			CU_ASSERT(roc_channel_kick(r.ch) == 0);
		end = now_ms() + limit_ms(5000);
		do {
			refused = ch_info(rig_fd(&r)).refused - (round - 1) * ROC_RING_MAX;
			between += refused > 0 && refused < ROC_RING_MAX;
		} while (refused < ROC_RING_MAX && now_ms() < end);
		UNIT_EQ(refused, ROC_RING_MAX);
		roc_ready_release(r.rings, roc_ready_count(r.rings));
	}
	unit_note("seen in round %u", round - 1);
	CU_ASSERT(between > 0);
	rig_close(&r);
}

/* Longest time in ms that another thread waits for the channel while data are taken for @ms. */
static unsigned int longest_wait(struct rig *r, unsigned int ms)
{
	int64_t end = now_ms() + ms, begin, longest = 0;

	while (now_ms() < end) {
		begin = now_ms();
		UNIT_EQ(ch_info(rig_fd(r)).state, ROC_CH_RUNNING);
		if (now_ms() - begin > longest)
			longest = now_ms() - begin;
		rig_take(r, true);
	}
	return longest;
}

/*
 * A card that is slow with each size: 96 of them together would take 0.8 seconds. It has 20 ms, and
 * on a busy machine needs most of them to wake up.
 */
static void sizes_just_in_time(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 96, .superpage = 32 * KIB};
	unsigned int longest, most = limit_ms(300) < 600 ? limit_ms(300) : 600, tries = 3;
	int64_t begin;

	emu_normal(CARD0, TWELVE_LINKS);
	emu(CARD0, "fault 0 size-late 8000");
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	/* A thread that holds the lock so long does so each time; a busy machine only sometimes. */
	do {
		longest = longest_wait(&r, 2000);
		unit_note("longest wait %u ms, %llu superpages", longest,
			  (unsigned long long)r.filled);
	} while (longest >= most && --tries);
	CU_ASSERT(longest < most);
	CU_ASSERT(rig_run(&r, 10, 10000));
	begin = now_ms();
	CU_ASSERT(rig_stop(&r));
	unit_note("stop took %lld ms", (long long)(now_ms() - begin));
	CU_ASSERT(took_less(begin, 1200));
	UNIT_EQ(rig_missing(&r), 0);
	RIG_OK(&r);
	rig_close(&r);
	emu_normal(CARD0, FOUR_LINKS);
}

/* Turns in @ms: a sleep may last longer, and counts for that much more. */
static uint64_t turns_in(struct rig *r, unsigned int ms)
{
	int64_t begin =
		now_ms(); /* before the count: the process may be preempted between the two */
	uint64_t before = ch_info(rig_fd(r)).turns, turns;

	sleep_ms(ms);
	turns = ch_info(rig_fd(r)).turns - before;
	return turns * ms / (now_ms() - begin);
}

/*
 * A full ready ring, or an index that makes it look full or worse: the thread checks it now and
 * then, not all the time.
 */
static void full_ready_ring(void)
{
	static const uint32_t ahead[] = {0, 1, 0x80000000};
	struct rig r = {.id = EP0, .count = 32, .superpage = 32 * KIB, .ring = 16, .links = 0x1};
	uint32_t good;
	size_t i;

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	UNIT_EQ(rig_wait(&r, 16, 3000), 16);
	rig_push(&r, RIG_MAX);
	good = r.rings->user->ready_cons;
	for (i = 0; i < N(ahead); i++) {
		__atomic_store_n(&r.rings->user->ready_cons,
				 ahead[i] ? r.rings->kernel->ready_prod + ahead[i] : good,
				 __ATOMIC_RELEASE);
		turns_in(&r, 200);
		UNIT_NEED(turns_in(&r, 300) < 50);
	}
	/* A valid index: it goes on without a kick. */
	__atomic_store_n(&r.rings->user->ready_cons, good, __ATOMIC_RELEASE);
	CU_ASSERT(rig_run(&r, 100, 5000));
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

#define SLEEPS "/sys/kernel/tracing/events/roc/roc_sleep/"

/*
 * Number of the thread's sleeps with more than @few completed superpages, or any to be submitted.
 */
static unsigned int slept_on_work(unsigned int few)
{
	unsigned int finished, waiting, n, found = 0;
	char *line, *rest;

	RUN("cat " SLEEPS "hist");
	for (line = strtok_r(out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "{ finished: %u, waiting: %u } hitcount: %u", &finished, &waiting,
			   &n) == 3 &&
		    (finished > few || waiting))
			found += n;
	}
	return found;
}

/* A reader that ignores the data. */
static void give_back_until(struct rig *r, uint64_t superpages)
{
	int64_t end = now_ms() + limit_ms(20000);
	const struct roc_ready *e;

	while (r->filled < superpages && now_ms() < end) {
		for (; (e = roc_ready_peek(r->rings)); r->filled++) {
			*roc_fill_next(r->rings) = (struct roc_fill){.buffer = e->buffer,
								     .length = e->length,
								     .offset = e->offset,
								     .cookie = e->cookie};
			roc_ready_release(r->rings, 1);
		}
		if (roc_fill_publish(r->rings))
			roc_channel_kick(r->ch);
		roc_channel_wait(r->ch, 16, 100);
	}
}

/*
 * A card at full speed: the thread does not sleep with completed superpages or submitted entries.
 * What comes between its last poll and its sleep does not count.
 */
static void no_sleep_on_work(void)
{
	struct rig r = {.id = EP0,
			.source = ROC_SOURCE_DDG,
			.count = 1024,
			.superpage = 32 * KIB,
			.by_timer = true,
			.configure = ROC_CONFIGURE_PLAIN,
			.no_poison = true};
	unsigned int left;
	uint64_t turns;

	if (access(SLEEPS "hist", F_OK)) {
		unit_skip("this kernel counts no tracepoints");
		return;
	}
	emu_normal(CARD0, TWELVE_LINKS);
	UNIT_NEED(put_text(SLEEPS "trigger", "hist:keys=finished,waiting") == 0);
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	give_back_until(&r, 5000);
	turns = ch_info(rig_fd(&r)).turns;
	left = slept_on_work(2);
	unit_note("%llu turns for %llu superpages, %u sleeps on work", (unsigned long long)turns,
		  (unsigned long long)r.filled, left);
	CU_ASSERT(r.filled >= 5000);
	CU_ASSERT(left <= 2 + turns / 20);
	UNIT_EQ(put_text(SLEEPS "trigger", "!hist:keys=finished,waiting"), 0);
	CU_ASSERT(roc_channel_stop(r.ch, NULL) == 0);
	rig_close(&r);
	emu_normal(CARD0, FOUR_LINKS);
}

UNIT_MAIN("thread", {"kicks without end", kicks_without_end},
	  {"refused in pieces", refused_in_pieces}, {"no sleep on work", no_sleep_on_work},
	  {"full ready ring", full_ready_ring}, {"sizes just in time", sizes_just_in_time})
