/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The wait of a loop that had nothing to do in its turn. To wake a sleeper costs the other end
 * time. While data keep coming, the loop therefore polls for a moment before it sleeps.
 *
 * The cost is bounded: the loop polls for at most twice as long as it works, and not at all after a
 * spurious wake-up. Polls without a result become rarer: then the other end is slow, or has only
 * the processor of this one to run on. Short: the interface of doze.c.
 */
#ifndef LIBROC_FABRIC_DOZE_H
#define LIBROC_FABRIC_DOZE_H

#include <stdbool.h>
#include <stdint.h>

#include <roc/idle.h>

#define DOZE_SPIN_US 300 /* where nobody says otherwise; and as options have it: */
#define DOZE_SPIN_TEXT DOZE_TEXT(DOZE_SPIN_US)
#define DOZE_TEXT(number) DOZE_TEXT_OF(number)
#define DOZE_TEXT_OF(number) #number
#define DOZE_SPIN_MOST_US 10000

struct doze {
	uint64_t spin_ns; /* look for so long at most before each sleep; 0: sleep at once */
	uint64_t since;	  /* the last wait, or look */
	uint64_t credit;  /* ns for which it may still look */
	uint64_t until;	  /* it looks now */
	bool moved;	  /* something came since */
	bool spins;
	unsigned int failed_spins,
		skip; /* looks in vain, one behind the other; sleeps without one, left */
};

/* How long to look where @ns are wished: where there is one processor the other end may need it. */
uint64_t doze_spin(uint64_t ns);

/* Something was done in a turn. */
static inline void doze_moved(struct doze *d)
{
	d->moved = true;
}

/* Wait for what @idle has. False: it did not sleep. */
bool doze(struct doze *d, struct roc_idle *idle);

#endif
