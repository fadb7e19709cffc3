// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * To look on for a moment, or to sleep.
 */
#include "doze.h"

#include <sched.h>

#include "base.h"

#define SPIN_FACTOR 2	    /* times what it worked */
#define CREDIT_SPINS 4	    /* so many can be saved up */
#define FAILED_SPINS_FREE 3 /* in vain one behind the other, and nothing follows */
#define SKIP_MOST 63	    /* then of 64 sleeps one has a look, which costs next to nothing */

uint64_t doze_spin(uint64_t ns)
{
	cpu_set_t set;

	/* It fails where there are more than fit in. */
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

	/* It was worth it. */
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

/* True: it is too early for a sleep. The caller looks for itself: some no descriptor tells of. */
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
	/* Bytes of something that is not whole yet. */
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
