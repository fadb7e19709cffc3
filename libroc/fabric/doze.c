// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Poll for a moment before sleeping.
 */
#include "doze.h"

#include <sched.h>

#include "base.h"

#define SPIN_FACTOR 2	    /* polling time per working time */
#define CREDIT_SPINS 4	    /* maximum of the saved polling time, in units of spin_ns */
#define FAILED_SPINS_FREE 3 /* consecutive polls without work that have no effect */
#define SKIP_MOST 63	    /* then one of 64 sleeps is preceded by a poll */

uint64_t doze_spin(uint64_t ns)
{
	cpu_set_t set;

	/* It fails if the machine has more processors than the set. */
	if (sched_getaffinity(0, sizeof(set), &set))
		return ns;
	return CPU_COUNT(&set) > 1 ? ns : 0;
}

static bool ready(struct roc_idle *idle, uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / FABRIC_NS_PER_S),
			     .tv_nsec = (long)(ns % FABRIC_NS_PER_S)};

	return ppoll(idle->fds, idle->count, &t, NULL) > 0;
}

static void begin(struct doze *d, uint64_t now, uint64_t worked)
{
	uint64_t most = CREDIT_SPINS * d->spin_ns;

	if (d->spins)
		d->failed_spins = 0;
	d->moved = false;
	d->credit += SPIN_FACTOR * worked;
	d->credit = d->credit < most ? d->credit : most;
	d->spins = !d->skip;
	if (d->skip)
		d->skip--;
	d->until = now + (d->credit < d->spin_ns ? d->credit : d->spin_ns);
}

static void spin_failed(struct doze *d)
{
	unsigned int shift =
		d->failed_spins < FAILED_SPINS_FREE ? 0 : d->failed_spins - FAILED_SPINS_FREE + 1;

	d->spins = false;
	d->skip = (1U << shift) - 1;
	if (d->skip < SKIP_MOST)
		d->failed_spins++;
}

/*
 * Return true if the caller should poll again instead of sleeping. It polls its queues itself,
 * because not every queue has a descriptor.
 */
static bool spin_on(struct doze *d, struct roc_idle *idle)
{
	uint64_t now = fabric_now(), passed = now - d->since;

	d->since = now;
	if (d->moved)
		begin(d, now, passed);
	else
		d->credit -= passed < d->credit ? passed : d->credit;
	if (!d->spins)
		return false;
	/* A part of a message arrived, for example. */
	d->moved = ready(idle, 0);
	if (d->moved || now < d->until)
		return true;
	spin_failed(d);
	return false;
}

bool doze(struct doze *d, struct roc_idle *idle)
{
	if (!idle->ns || (d->spin_ns && spin_on(d, idle)))
		return false;
	d->moved = ready(idle, idle->ns);
	if (d->spin_ns)
		d->since = fabric_now();
	return true;
}
