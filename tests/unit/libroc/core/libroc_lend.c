// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test lenders with a fake lender type, in order like a stream and in any order like a pool; then
 * with superpages in the two rings of a channel.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "libroc/core/lend.h"
#include "libroc/core/libroc.h"
#include "tests/unit/libroc/libroc_error.h"
#include "unit.h"

#include "tests/unit/libroc/holes.h"
#include "wrap_ioctl.h"

/* A source of units of 100 bytes that occupy 128 bytes; @there units are available. */
static struct {
	unsigned int there, taken;
	uint64_t released_end; /* in order: end of the released memory */
	unsigned int releases, kicks;
	bool full;   /* release() fails */
	bool sleeps; /* release() requests a kick */
} source;

static int fake_peek(struct roc_lender *l, struct libroc_loan *loan)
{
	if (source.taken == source.there)
		return 0;
	*loan = (struct libroc_loan){
		.unit = {.data = &source, .length = 100, .link = 5},
		.end = 128 * (source.taken + 1),
		.held = 128,
	};
	return 1;
}

static void fake_taken(struct roc_lender *l, const struct libroc_loan *loan)
{
	source.taken++;
}

static int fake_release(struct roc_lender *l, const struct libroc_loan *loan, bool *kick)
{
	if (source.full)
		return roc_fail(EAGAIN, "full");
	CU_ASSERT_TRUE(!l->type->in_order || loan->end > source.released_end);
	source.released_end = loan->end;
	source.releases++;
	*kick = source.sleeps;
	return 0;
}

static int fake_kick(struct roc_lender *l)
{
	int ret = pthread_mutex_trylock(&l->lock);

	/* The lock is held: no other thread can close the lender until the kick is done. */
	UNIT_EQ(ret, EBUSY);
	if (!ret)
		pthread_mutex_unlock(&l->lock);
	source.kicks++;
	return 0;
}

static const struct libroc_lend_type ordered = {.peek = fake_peek,
						.taken = fake_taken,
						.release = fake_release,
						.kick = fake_kick,
						.in_order = true};
static const struct libroc_lend_type unordered = {
	.peek = fake_peek, .taken = fake_taken, .release = fake_release, .kick = fake_kick};

static struct libroc_node node;

static struct roc_lender *lender_of(const struct libroc_lend_type *kind, unsigned int limit,
				    unsigned int there)
{
	struct roc_lender *l;

	memset(&source, 0, sizeof(source));
	source.there = there;
	UNIT_NEED(!libroc_node_belongs(&node, "test"));
	UNIT_NEED(!libroc_lender_new(kind, &node, limit, &l));
	return l;
}

static struct roc_lent lent(struct roc_lender *l)
{
	struct roc_lent now;

	roc_lender_lent(l, &now);
	return now;
}

static void take(struct roc_lender *l, struct roc_unit *units, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		UNIT_EQ(roc_lender_take(l, &units[i]), 1);
}

static void limits_of_a_lender(void)
{
	struct roc_lender *l = NULL;

	FAILS(libroc_lender_new(&ordered, &node, 0, &l), -EINVAL, "1 to 1048576");
	FAILS(libroc_lender_new(&ordered, &node, ROC_LENDER_MAX + 1, &l), -EINVAL, "1 to 1048576");
	CU_ASSERT_PTR_NULL(l);
	UNIT_EQ(roc_lender_close(NULL), 0);
}

/* Exactly the limit can be lent, over many rounds. */
static void full_and_round(void)
{
	struct roc_unit units[5], none = {.handle = 77};
	struct roc_lender *l;
	unsigned int i, round;

	for (round = 0; round < 2; round++) {
		l = lender_of(round ? &ordered : &unordered, 5, 1000);
		for (i = 0; i < 100; i++) {
			take(l, units, 5);
			UNIT_EQ(units[0].sequence, 5 * i);
			UNIT_EQ(units[4].sequence, 5 * i + 4);
			FAILS(roc_lender_take(l, &none), -EAGAIN, "return some");
			UNIT_EQ(none.handle, 77);
			UNIT_EQ(lent(l).count, 5);
			UNIT_EQ(lent(l).bytes, 500);
			UNIT_EQ(lent(l).held, 640);
			UNIT_EQ(roc_lender_return(l, units[0].handle), 0);
			UNIT_EQ(roc_lender_return(l, units[2].handle), 0);
			UNIT_EQ(roc_lender_return(l, units[1].handle), 0);
			UNIT_EQ(roc_lender_return(l, units[4].handle), 0);
			UNIT_EQ(roc_lender_return(l, units[3].handle), 0);
			UNIT_EQ(lent(l).count, 0);
			UNIT_EQ(lent(l).held, 0);
		}
		/* A failed take consumes nothing from the source. */
		UNIT_EQ(source.taken, 500);
		UNIT_EQ(lent(l).taken, 500);
		UNIT_EQ(lent(l).returned, 500);
		source.there = source.taken;
		UNIT_EQ(roc_lender_take(l, &none), 0);
		UNIT_EQ(roc_lender_close(l), 0);
	}
}

/* A pool's unit is released at once, even if older ones are lent. */
static void unordered_releases_at_once(void)
{
	struct roc_lender *l = lender_of(&unordered, 4, 4);
	struct roc_unit units[4];

	take(l, units, 4);
	UNIT_EQ(roc_lender_return(l, units[2].handle), 0);
	UNIT_EQ(source.released_end, 3 * 128);
	UNIT_EQ(source.releases, 1);
	UNIT_EQ(lent(l).held, 3 * 128);
	UNIT_EQ(lent(l).waiting, 0);
	UNIT_EQ(roc_lender_return(l, units[0].handle), 0);
	UNIT_EQ(source.released_end, 128);
	UNIT_EQ(lent(l).oldest, 1);
	source.there = 6;
	take(l, units, 1); /* a slot is free, although the oldest unit is still lent */
	UNIT_EQ(units[0].sequence, 4);
	UNIT_EQ(roc_lender_return(l, units[1].handle), 0);
	UNIT_EQ(lent(l).oldest, 3);
	UNIT_EQ(roc_lender_return(l, units[3].handle), 0);
	UNIT_EQ(roc_lender_return(l, units[0].handle), 0);
	UNIT_EQ(roc_lender_close(l), 0);
}

/* A stream is released up to the oldest lent unit. */
static void ordered_releases_the_prefix(void)
{
	struct roc_lender *l = lender_of(&ordered, 4, 4);
	struct roc_unit units[4];

	take(l, units, 4);
	UNIT_EQ(roc_lender_return(l, units[1].handle), 0);
	UNIT_EQ(roc_lender_return(l, units[3].handle), 0);
	UNIT_EQ(source.releases, 0);
	UNIT_EQ(lent(l).count, 2);
	UNIT_EQ(lent(l).waiting, 2);
	UNIT_EQ(lent(l).bytes, 200);
	UNIT_EQ(lent(l).held, 4 * 128);
	UNIT_EQ(lent(l).oldest, 0);
	/* Returned units that wait still occupy their slots. */
	source.there = 5;
	FAILS(roc_lender_take(l, &units[3]), -EAGAIN, "return some");
	UNIT_EQ(roc_lender_return(l, units[0].handle), 0);
	UNIT_EQ(source.releases, 1); /* one for both */
	UNIT_EQ(source.released_end, 2 * 128);
	UNIT_EQ(lent(l).waiting, 1);
	UNIT_EQ(lent(l).oldest, 2);
	UNIT_EQ(lent(l).held, 2 * 128);
	UNIT_EQ(roc_lender_return(l, units[2].handle), 0);
	UNIT_EQ(source.released_end, 4 * 128);
	UNIT_EQ(lent(l).held, 0);
	UNIT_EQ(lent(l).waiting, 0);
	UNIT_EQ(roc_lender_close(l), 0);
}

static void twice_and_never(void)
{
	const struct libroc_lend_type *kinds[] = {&unordered, &ordered};
	struct roc_unit units[3], later;
	struct roc_lender *l;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		l = lender_of(kinds[i], 3, 100);
		FAILS(roc_lender_return(l, 0), -EINVAL, "no unit with handle 0x0");
		FAILS(roc_lender_return(l, 1 << 2), -EINVAL, "no unit"); /* not taken yet */
		take(l, units, 3);
		UNIT_EQ(roc_lender_return(l, units[1].handle), 0);
		FAILS(roc_lender_return(l, units[1].handle), -ENOENT,
		      "unit 1 was already returned");
		UNIT_EQ(lent(l).count, 2);
		UNIT_EQ(roc_lender_return(l, units[0].handle), 0);
		FAILS(roc_lender_return(l, units[0].handle), -ENOENT,
		      "unit 0 was already returned");
		take(l, &later, 1); /* reuses the slot of one of those */
		FAILS(roc_lender_return(l, units[0].handle), -ENOENT, "unit 0");
		FAILS(roc_lender_return(l, units[1].handle), -ENOENT, "unit 1");
		UNIT_EQ(lent(l).count, 2);
		FAILS(roc_lender_return(l, units[0].handle | 3), -EINVAL, "same lender");
		FAILS(roc_lender_return(l, UINT64_MAX), -EINVAL, "0xffffffffffffffff");
		FAILS(roc_lender_close(l), -EBUSY, "2 units are lent, the oldest (number 2)");
		UNIT_EQ(roc_lender_return(l, later.handle), 0);
		UNIT_EQ(roc_lender_return(l, units[2].handle), 0);
		UNIT_EQ(roc_lender_close(l), 0);
	}
}

/*
 * The number in a handle wraps around without a handle of 0, while the sequence number continues.
 */
static void numbers_run_over(void)
{
	const struct libroc_lend_type *kinds[] = {&unordered, &ordered};
	struct roc_unit units[4];
	struct roc_lender *l;
	unsigned int i, n;

	for (i = 0; i < 2; i++) {
		l = lender_of(kinds[i], 4, 6);
		l->lent.taken = l->lent.returned = (UINT64_MAX >> l->shift) - 1;
		for (n = 0; n < 2; n++) {
			take(l, units, 3);
			UNIT_EQ(units[2].sequence, l->lent.taken - 1);
			FAILS(roc_lender_return(l, 0), -EINVAL, "no unit with handle 0x0");
			UNIT_EQ(lent(l).oldest, l->lent.taken - 3);
			UNIT_EQ(roc_lender_return(l, units[0].handle), 0);
			UNIT_EQ(roc_lender_return(l, units[1].handle), 0);
			UNIT_EQ(roc_lender_return(l, units[2].handle), 0);
			FAILS(roc_lender_return(l, units[0].handle), -ENOENT, "already returned");
			FAILS(roc_lender_return(l, units[2].handle), -ENOENT, "already returned");
			UNIT_EQ(lent(l).count, 0);
			UNIT_EQ(lent(l).held, 0);
		}
		UNIT_EQ(roc_lender_close(l), 0);
	}
	/* A unit in the first slot, with the first number after the wrap. */
	l = lender_of(&ordered, 4, 1);
	l->lent.taken = l->lent.returned = UINT64_MAX >> l->shift;
	take(l, units, 1);
	CU_ASSERT_NOT_EQUAL(units[0].handle, 0);
	UNIT_EQ(roc_lender_return(l, units[0].handle), 0);
	FAILS(roc_lender_return(l, units[0].handle), -ENOENT, "unit 4611686018427387903 was");
	UNIT_EQ(source.released_end, 128);
	roc_lender_close(l);
}

static void age_of_the_oldest(void)
{
	struct roc_lender *l = lender_of(&unordered, 3, 3);
	struct roc_unit units[3];
	struct timespec pause = {0, 3000000};
	struct roc_lent now;

	UNIT_EQ(lent(l).oldest_ns, 0);
	take(l, units, 1);
	nanosleep(&pause, NULL);
	take(l, units + 1, 2);
	now = lent(l);
	UNIT_EQ(now.oldest, 0);
	CU_ASSERT_TRUE(now.oldest_ns >= 3000000);
	CU_ASSERT_TRUE(units[1].time >= units[0].time + 3000000);
	/* After the return of the oldest, the age is that of the next one. */
	UNIT_EQ(roc_lender_return(l, units[0].handle), 0);
	now = lent(l);
	UNIT_EQ(now.oldest, 1);
	CU_ASSERT_TRUE(now.oldest_ns <
		       (uint64_t)(unit_seconds() * 1e9) - units[0].time - 3000000 + 1);
	roc_lender_return(l, units[2].handle);
	roc_lender_return(l, units[1].handle);
	UNIT_EQ(lent(l).oldest_ns, 0);
	UNIT_EQ(roc_lender_close(l), 0);
}

static void a_full_ring_keeps_it_out(void)
{
	struct roc_lender *l = lender_of(&unordered, 2, 1);
	struct roc_unit unit;

	take(l, &unit, 1);
	source.full = true;
	FAILS(roc_lender_return(l, unit.handle), -EAGAIN, "full");
	UNIT_EQ(lent(l).count, 1);
	UNIT_EQ(lent(l).bytes, 100);
	source.full = false;
	source.sleeps = true;
	UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	UNIT_EQ(source.kicks, 1);
	UNIT_EQ(roc_lender_close(l), 0);
}

/* One thread takes units, and two threads return one half each in reverse order. */
#define MANY 40000
#define DEEP 64

static struct {
	struct roc_lender *l;
	_Atomic uint64_t queue[2][DEEP];
	_Atomic unsigned int wrong;
} race;

static void *returns(void *half)
{
	_Atomic uint64_t *queue = race.queue[(size_t)half];
	unsigned int done, i;
	uint64_t handle;

	for (done = 0; done < MANY / 2;) {
		for (i = DEEP; i-- > 0;) {
			handle = atomic_exchange(&queue[i], 0);
			if (!handle)
				continue;
			race.wrong += roc_lender_return(race.l, handle) != 0;
			race.wrong += roc_lender_return(race.l, handle) != -ENOENT;
			done++;
		}
		sched_yield();
	}
	return NULL;
}

static void others_return(const struct libroc_lend_type *kind)
{
	double end = unit_seconds() + 20 * slowness() * UNIT_PATIENCE;
	pthread_t threads[2];
	struct roc_unit unit;
	unsigned int n = 0, i;
	uint64_t none;
	int ret;

	race.l = lender_of(kind, DEEP, MANY);
	race.wrong = 0;
	memset(race.queue, 0, sizeof(race.queue));
	for (i = 0; i < 2; i++)
		UNIT_NEED(!pthread_create(&threads[i], NULL, returns, (void *)(size_t)i));
	while (n < MANY && unit_seconds() < end) {
		ret = roc_lender_take(race.l, &unit);
		if (ret != 1) {
			race.wrong += ret != -EAGAIN;
			sched_yield();
			continue;
		}
		race.wrong += unit.sequence != n;
		for (i = n % DEEP; none = 0,
		    !atomic_compare_exchange_strong(&race.queue[n % 2][i], &none, unit.handle);)
			i = (i + 1) % DEEP;
		n++;
	}
	UNIT_EQ(n, MANY);
	UNIT_NEED(n == MANY); /* the threads wait for all */
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	UNIT_EQ(race.wrong, 0);
	UNIT_EQ(lent(race.l).count, 0);
	UNIT_EQ(lent(race.l).held, 0);
	UNIT_EQ(lent(race.l).returned, MANY);
	if (kind->in_order)
		UNIT_EQ(source.released_end, 128 * MANY);
	else
		UNIT_EQ(source.releases, MANY);
	UNIT_EQ(roc_lender_close(race.l), 0);
}

static void other_threads_return(void)
{
	others_return(&ordered);
	others_return(&unordered);
}

/* A channel in memory, with the test as the driver */
#define ENTRIES 16
#define SUPERPAGE 4096

static struct {
	struct roc_ring_user user;
	struct roc_ring_kernel kernel;
	struct roc_fill fill[ENTRIES];
	struct roc_ready ready[ENTRIES];
	struct roc_channel ch;
	unsigned int kicks, registers;
	int kick_errno; /* errno of each kick */
	uint32_t state, reason;
	char memory[8 * SUPERPAGE];
} pool;

static int on_ioctl(int fd, unsigned long request, void *arg)
{
	switch (request) {
	case ROC_BUF_REGISTER:
		((struct roc_buf_register *)arg)->handle = 100 + pool.registers++;
		return 0;
	case ROC_CH_KICK:
		pool.kicks++;
		errno = pool.kick_errno;
		return errno ? -1 : 0;
	case ROC_CH_INFO:
		((struct roc_ch_info *)arg)->state = pool.state;
		((struct roc_ch_info *)arg)->reason = pool.reason;
		return 0;
	case ROC_CH_WAIT:
		errno = pool.state == ROC_CH_RUNNING ? ETIME : 0;
		return errno ? -1 : 0;
	}
	errno = ENOTTY;
	return -1;
}

static struct roc_lender *pool_lender(unsigned int limit)
{
	struct roc_lender *l;

	memset(&pool, 0, sizeof(pool));
	strcpy(pool.ch.name, "test");
	UNIT_NEED(!libroc_node_belongs(&pool.ch.node, "test"));
	FAILS(roc_lender_pool(&pool.ch, limit, &l), -EPIPE, "roc_channel_rings()");
	pool.ch.rings = (struct roc_rings){.user = &pool.user,
					   .kernel = &pool.kernel,
					   .fill = pool.fill,
					   .ready = pool.ready,
					   .fill_mask = ENTRIES - 1,
					   .ready_mask = ENTRIES - 1};
	pool.ch.have_rings = true;
	UNIT_NEED(!roc_lender_pool(&pool.ch, limit, &l));
	return l;
}

/* Act as the driver: consume the oldest fill entry and report it as ready. */
static void answer(uint32_t flags, uint32_t received)
{
	const struct roc_fill *fill = &pool.fill[pool.kernel.fill_cons++ % ENTRIES];

	pool.ready[pool.kernel.ready_prod % ENTRIES] = (struct roc_ready){
		.cookie = fill->cookie,
		.offset = fill->offset,
		.buffer = fill->buffer,
		.length = fill->length,
		.received = received,
		.link = 3,
		.flags = flags,
		.reason = flags & ROC_READY_REFUSED ? ROC_REASON_HANDLE : 0,
		.run = 1,
	};
	pool.kernel.ready_prod++;
}

static uint32_t in_ring(void)
{
	return pool.user.fill_prod - pool.kernel.fill_cons;
}

static void superpages_go_round(void)
{
	struct roc_lender *l = pool_lender(8);
	struct roc_unit a, b, none;

	UNIT_EQ(roc_lender_add(l, pool.memory, 4 * SUPERPAGE, SUPERPAGE), 0);
	UNIT_EQ(roc_lender_add(l, pool.memory + 4 * SUPERPAGE, 4 * SUPERPAGE, SUPERPAGE), 0);
	UNIT_EQ(in_ring(), 8);
	UNIT_EQ(roc_lender_take(l, &none), 0);
	while (in_ring() > 3)
		answer(ROC_READY_FILLED, 1000);
	answer(ROC_READY_FILLED | ROC_READY_SHORT, 1000);
	answer(ROC_READY_FILLED | ROC_READY_DAMAGED, 0);
	UNIT_EQ(roc_lender_take(l, &a), 1);
	CU_ASSERT_PTR_EQUAL(a.data, pool.memory);
	UNIT_EQ(a.length, 1000);
	UNIT_EQ(a.link, 3);
	UNIT_EQ(a.run, 1);
	UNIT_EQ(a.buffer, 100);
	UNIT_EQ(a.flags, 0);
	UNIT_EQ(pool.user.ready_cons, 1);
	UNIT_EQ(roc_lender_take(l, &b), 1);
	CU_ASSERT_PTR_EQUAL(b.data, pool.memory + SUPERPAGE);
	UNIT_EQ(lent(l).bytes, 2000);
	UNIT_EQ(lent(l).held, 2 * SUPERPAGE);
	/* Both are released at once, the newer one first, while the driver sleeps. */
	pool.kernel.flags = ROC_RING_NEED_KICK;
	UNIT_EQ(in_ring(), 1);
	UNIT_EQ(roc_lender_return(l, b.handle), 0);
	UNIT_EQ(in_ring(), 2);
	UNIT_EQ(pool.kicks, 1);
	UNIT_EQ(pool.fill[(pool.user.fill_prod - 1) % ENTRIES].offset, SUPERPAGE);
	UNIT_EQ(pool.fill[(pool.user.fill_prod - 1) % ENTRIES].length, SUPERPAGE);
	UNIT_EQ(pool.fill[(pool.user.fill_prod - 1) % ENTRIES].buffer, 100);
	UNIT_EQ(roc_lender_return(l, a.handle), 0);
	UNIT_EQ(in_ring(), 3);
	for (; roc_lender_take(l, &a) == 1; roc_lender_return(l, a.handle)) {
		CU_ASSERT_EQUAL(a.sequence >= 5, a.flags == ROC_UNIT_DAMAGED);
		UNIT_EQ(a.buffer, a.sequence < 4 ? 100 : 101);
		CU_ASSERT_PTR_EQUAL(a.data, pool.memory + a.sequence * SUPERPAGE);
	}
	UNIT_EQ(a.sequence, 6);
	UNIT_EQ(in_ring(), 8);
	UNIT_EQ(roc_lender_close(l), 0);
}

/* Unfilled superpages return to the fill ring; a refused one is reported once. */
static void the_run_ends(void)
{
	struct roc_lender *l = pool_lender(8);
	struct roc_unit unit;

	UNIT_EQ(roc_lender_add(l, pool.memory, 4 * SUPERPAGE, SUPERPAGE), 0);
	answer(ROC_READY_RECLAIMED, 0);
	answer(ROC_READY_RECLAIMED, 0);
	answer(ROC_READY_FILLED, 8);
	UNIT_EQ(in_ring(), 1);
	UNIT_EQ(roc_lender_take(l, &unit), 1);
	UNIT_EQ(unit.offset, 2 * SUPERPAGE);
	UNIT_EQ(in_ring(), 3);
	UNIT_EQ(roc_lender_take(l, &unit), 0);
	UNIT_EQ(lent(l).count, 1);
	FAILS(roc_lender_wait(l, 0), -ENODATA, "roc_channel_start()");
	pool.state = ROC_CH_FAILED;
	pool.reason = ROC_REASON_SIZE;
	FAILS(roc_lender_wait(l, 0), -ENODATA, "that of another superpage");
	pool.state = ROC_CH_RUNNING;
	FAILS(roc_lender_wait(l, 0), -ETIME, "0 of 1");
	answer(ROC_READY_REFUSED, 0);
	UNIT_EQ(roc_lender_wait(l, 0), 0);
	FAILS(roc_lender_take(l, &unit), -EBADMSG, "no buffer has this handle");
	UNIT_EQ(roc_lender_take(l, &unit), 0);
	UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	UNIT_EQ(roc_lender_close(l), 0);
}

/* Lent superpages and those left by a run keep their places in the fill ring. */
static void no_more_than_the_ring_has_space_for(void)
{
	struct roc_lender *l = pool_lender(8);
	struct roc_unit unit;
	unsigned int i;

	UNIT_EQ(roc_lender_add(l, pool.memory, 8 * SUPERPAGE, SUPERPAGE), 0);
	for (i = 0; i < 4; i++)
		answer(ROC_READY_FILLED, 8);
	take(l, &unit, 1);
	while (in_ring())
		answer(ROC_READY_RECLAIMED, 0);
	FAILS(roc_lender_add(l, pool.memory, 9 * SUPERPAGE, SUPERPAGE), -ENOSPC,
	      "9 superpages, because the fill ring has space for 8 more");
	UNIT_EQ(pool.registers, 1);
	UNIT_EQ(roc_lender_add(l, pool.memory, 8 * SUPERPAGE, SUPERPAGE), 0);
	FAILS(roc_lender_add(l, pool.memory, SUPERPAGE, SUPERPAGE), -ENOSPC, "space for 0 more");
	UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	while (roc_lender_take(l, &unit) == 1)
		UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	UNIT_EQ(in_ring(), 16);
	/* A refused superpage frees its place. */
	answer(ROC_READY_REFUSED, 0);
	FAILS(roc_lender_take(l, &unit), -EBADMSG, "no buffer has this handle");
	UNIT_EQ(roc_lender_add(l, pool.memory, SUPERPAGE, SUPERPAGE), 0);
	UNIT_EQ(in_ring(), 16);
	UNIT_EQ(roc_lender_close(l), 0);
}

/* Superpages that the lender did not push are rejected. */
static void superpages_of_others(void)
{
	struct roc_lender *l = pool_lender(8), *second = NULL;
	struct roc_unit unit;

	UNIT_EQ(roc_lender_add(l, pool.memory, 2 * SUPERPAGE, SUPERPAGE), 0);
	UNIT_EQ(roc_lender_close(l), 0);
	/* Superpages in the fill ring, and in the ready ring. */
	FAILS(roc_lender_pool(&pool.ch, 8, &second), -EBUSY, "open it again");
	answer(ROC_READY_RECLAIMED, 0);
	answer(ROC_READY_RECLAIMED, 0);
	FAILS(roc_lender_pool(&pool.ch, 8, &second), -EBUSY, "open it again");
	CU_ASSERT_PTR_NULL(second);

	/* Superpages pushed by the caller, with a known and an unknown cookie. */
	l = pool_lender(8);
	UNIT_EQ(roc_lender_add(l, pool.memory, SUPERPAGE, SUPERPAGE), 0);
	pool.fill[0].buffer = 77;
	answer(ROC_READY_FILLED, 8);
	FAILS(roc_lender_take(l, &unit), -EBADMSG, "the lender did not push");
	pool.fill[1] = (struct roc_fill){.cookie = 1, .buffer = 101};
	answer(ROC_READY_RECLAIMED, 0);
	FAILS(roc_lender_take(l, &unit), -EBADMSG, "the lender did not push");
	UNIT_EQ(roc_lender_take(l, &unit), 0);
	UNIT_EQ(roc_lender_close(l), 0);
}

static void bad_buffers(void)
{
	struct roc_lender *l = pool_lender(4);
	struct roc_lender *stream;

	FAILS(roc_lender_add(l, pool.memory, 4 * SUPERPAGE, 0), -EINVAL, "not a multiple");
	FAILS(roc_lender_add(l, pool.memory, 0, SUPERPAGE), -EINVAL, "not a multiple");
	FAILS(roc_lender_add(l, pool.memory, SUPERPAGE + 1, SUPERPAGE), -EINVAL, "not a multiple");
	FAILS(roc_lender_add(l, pool.memory, 17 * SUPERPAGE, SUPERPAGE), -ENOSPC,
	      "space for 16 more");
	UNIT_EQ(pool.registers, 0);
	UNIT_EQ(in_ring(), 0);
	UNIT_EQ(roc_lender_close(l), 0);
	stream = lender_of(&ordered, 1, 0);
	FAILS(roc_lender_add(stream, pool.memory, SUPERPAGE, SUPERPAGE), -EINVAL, "stream");
	UNIT_EQ(roc_lender_close(stream), 0);
}

/*
 * The superpage is in the fill ring before the kick. So a failed kick loses nothing, and its error
 * must not look as if the return had failed.
 */
static void kicks_that_fail(void)
{
	static const int harmless[] = {ENODEV, EALREADY};
	struct roc_lender *l;
	struct roc_unit unit;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		l = pool_lender(4);
		pool.kernel.flags = ROC_RING_NEED_KICK;
		pool.kick_errno = harmless[i];
		UNIT_EQ(roc_lender_add(l, pool.memory, 3 * SUPERPAGE, SUPERPAGE), 0);
		answer(ROC_READY_RECLAIMED, 0);
		answer(ROC_READY_FILLED, 8);
		UNIT_EQ(roc_lender_take(l, &unit), 1);
		UNIT_EQ(roc_lender_return(l, unit.handle), 0);
		UNIT_EQ(in_ring(), 3);
		UNIT_EQ(pool.kicks, 3);
		UNIT_EQ(roc_lender_close(l), 0);
	}
	/* Other errors are reported, although the superpage was pushed. */
	l = pool_lender(4);
	pool.kernel.flags = ROC_RING_NEED_KICK;
	pool.kick_errno = EIO;
	FAILS(roc_lender_add(l, pool.memory, 3 * SUPERPAGE, SUPERPAGE), -EIO, "cannot kick");
	UNIT_EQ(in_ring(), 3);
	answer(ROC_READY_RECLAIMED, 0);
	answer(ROC_READY_FILLED, 8);
	FAILS(roc_lender_take(l, &unit), -EIO, "cannot kick");
	UNIT_EQ(in_ring(), 2);
	UNIT_EQ(roc_lender_take(l, &unit), 1);
	FAILS(roc_lender_return(l, unit.handle), -EIO, "cannot kick");
	UNIT_EQ(in_ring(), 3);
	UNIT_EQ(lent(l).count, 0);
	FAILS(roc_lender_return(l, unit.handle), -ENOENT, "already returned");
	UNIT_EQ(roc_lender_close(l), 0);
}

struct forked {
	struct roc_lender *l;
	struct roc_unit unit;
};

static int use_in_child(void *arg)
{
	struct forked *f = arg;
	struct roc_unit unit;
	int at = 0;

	REFUSED(at, roc_lender_take(f->l, &unit));
	REFUSED(at, roc_lender_wait(f->l, 0));
	REFUSED(at, roc_lender_return(f->l, f->unit.handle));
	REFUSED(at, roc_lender_add(f->l, pool.memory, SUPERPAGE, SUPERPAGE));
	/* A thread that does not exist in the child may hold the lock. */
	IN_CHILD(at, !pthread_mutex_lock(&f->l->lock));
	IN_CHILD(at, !roc_lender_close(f->l));
	return 0;
}

/*
 * The units belong to the parent: a child can neither take nor return them, but may free its copy.
 */
static void in_a_child_of_fork(void)
{
	struct forked f = {.l = pool_lender(4)};

	UNIT_EQ(roc_lender_add(f.l, pool.memory, 2 * SUPERPAGE, SUPERPAGE), 0);
	answer(ROC_READY_FILLED, 8);
	answer(ROC_READY_FILLED, 8);
	UNIT_EQ(roc_lender_take(f.l, &f.unit), 1);
	UNIT_EQ(child_without(NULL, 0, use_in_child, &f), 0);
	UNIT_EQ(roc_lender_return(f.l, f.unit.handle), 0);
	UNIT_EQ(roc_lender_take(f.l, &f.unit), 1);
	UNIT_EQ(roc_lender_return(f.l, f.unit.handle), 0);
	UNIT_EQ(roc_lender_close(f.l), 0);
}

UNIT_MAIN("libroc_lend", {"limits of a lender", limits_of_a_lender},
	  {"exactly the limit can be lent", full_and_round},
	  {"a pool's unit is released at once", unordered_releases_at_once},
	  {"a stream is released up to the oldest lent unit", ordered_releases_the_prefix},
	  {"repeated returns and unknown handles", twice_and_never},
	  {"the numbers in the handles wrap around", numbers_run_over},
	  {"the oldest and its age", age_of_the_oldest},
	  {"a unit stays lent if the fill ring is full", a_full_ring_keeps_it_out},
	  {"two threads return what a third takes", other_threads_return},
	  {"superpages circulate", superpages_go_round},
	  {"unfilled and refused superpages", the_run_ends},
	  {"no more superpages than the fill ring has space for",
	   no_more_than_the_ring_has_space_for},
	  {"superpages of other callers", superpages_of_others},
	  {"kicks that fail", kicks_that_fail},
	  {"a child of fork() is refused", in_a_child_of_fork}, {"invalid buffers", bad_buffers})
