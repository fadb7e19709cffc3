// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When a loop polls and when it sleeps. It polls for a limited time while events arrive, does not
 * poll when none arrive, and polls rarely after polling in vain.
 */
#include "unit.h"

#include <sched.h>
#include <unistd.h>

#include "libroc/fabric/base.h"
#include "libroc/fabric/doze.h"

#define US UINT64_C(1000)
#define MS (1000 * US)
#define ROUNDS 1000

static bool rest(struct doze *d, int fd)
{
	/* The shortest sleep: the test counts sleeps, not their time. */
	struct roc_idle idle = {.ns = 1};

	if (fd >= 0)
		roc_idle_fd(&idle, fd, POLLIN);
	return doze(d, &idle);
}

static void work(struct doze *d, uint64_t ns)
{
	uint64_t until = fabric_now() + ns;

	while (fabric_now() < until)
		;
	doze_moved(d);
}

/* Number of polls until it sleeps. */
static unsigned int polls(struct doze *d, int fd)
{
	unsigned int n;

	for (n = 0; !rest(d, fd); n++)
		;
	return n;
}

static void never(void)
{
	struct doze d = {.spin_ns = 0};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		work(&d, 100 * US);
		CU_ASSERT_TRUE(rest(&d, -1));
	}
}

/* After work, it polls up to the limit and then sleeps. */
static void bounded(void)
{
	struct doze d = {.spin_ns = 2 * MS};
	uint64_t began;

	CU_ASSERT_TRUE(rest(&d, -1));
	work(&d, 5 * MS);
	began = fabric_now();
	CU_ASSERT_TRUE(polls(&d, -1) > 0);
	CU_ASSERT_TRUE(fabric_now() - began >= 2 * MS);
}

/* After a short time of work it polls for a short time; the limit alone would be an hour. */
static void by_work(void)
{
	struct doze d = {.spin_ns = 3600 * FABRIC_NS_PER_S};
	uint64_t began;

	CU_ASSERT_TRUE(rest(&d, -1));
	work(&d, MS);
	began = fabric_now();
	polls(&d, -1);
	CU_ASSERT_TRUE(fabric_now() - began < 600 * FABRIC_NS_PER_S);
}

/* Nothing arrives: every turn sleeps. */
static void idle(void)
{
	struct doze d = {.spin_ns = MS};
	unsigned int i, n = 0;

	work(&d, MS);
	polls(&d, -1);
	for (i = 0; i < ROUNDS; i++)
		n += polls(&d, -1);
	UNIT_EQ(n, 0);
}

/* Nothing arrives while it polls. */
static void in_vain(void)
{
	struct doze d = {.spin_ns = 20 * US};
	unsigned int i, n = 0;

	for (i = 0; i < ROUNDS; i++) {
		work(&d, 20 * US);
		n += polls(&d, -1) > 0;
	}
	CU_ASSERT_TRUE(n > 0);
	/* It skips polling three times, then after 1, 3, 7 and up to 63 other sleeps. */
	if (n > 30)
		unit_note("of %d sleeps %u were preceded by polling", ROUNDS, n);
	CU_ASSERT_TRUE(n <= 30);
}

/* Part of a message has arrived: no sleep, and the next poll is not skipped. */
static void bytes(void)
{
	struct doze d = {.spin_ns = MS};
	unsigned int i, slept = 0;
	int fds[2];

	UNIT_EQ(pipe(fds), 0);
	CU_ASSERT_TRUE(rest(&d, fds[0]));
	for (i = 0; i < 100; i++) {
		work(&d, 20 * US);
		polls(&d, fds[0]);
	}
	CU_ASSERT_TRUE(d.skip > 0);
	UNIT_EQ(write(fds[1], "", 1), 1);
	for (i = 0; i < ROUNDS; i++) {
		work(&d, 20 * US);
		slept += rest(&d, fds[0]);
	}
	/* Only those that were to be skipped. */
	CU_ASSERT_TRUE(slept <= 63);
	UNIT_EQ(d.failed_spins, 0);
	close(fds[0]);
	close(fds[1]);
}

/* With one processor, the other end cannot run while this one polls. */
static void one_processor(void)
{
	cpu_set_t all, one;
	int cpu = 0;

	UNIT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
	UNIT_EQ(doze_spin(MS), CPU_COUNT(&all) > 1 ? MS : 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	UNIT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
	UNIT_EQ(doze_spin(MS), 0);
	UNIT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
}

UNIT_MAIN("polling and sleeping of a loop", {"no polling", never}, {"polling is limited", bounded},
	  {"polling is limited by the work", by_work}, {"nothing arrives", idle},
	  {"polling in vain", in_vain}, {"a message arrives in pieces", bytes},
	  {"one processor", one_processor})
