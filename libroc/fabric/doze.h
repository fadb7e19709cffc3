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

#define DOZE_SPIN_US 300 /* default; DOZE_SPIN_TEXT is the same for the text of options */
#define DOZE_SPIN_TEXT DOZE_TEXT(DOZE_SPIN_US)
#define DOZE_TEXT(number) DOZE_TEXT_OF(number)
#define DOZE_TEXT_OF(number) #number
#define DOZE_SPIN_MOST_US 10000

struct doze {
	uint64_t spin_ns; /* poll for at most this long before each sleep; 0: sleep at once */
	uint64_t since;	  /* time of the last sleep or poll */
	uint64_t credit;  /* ns for which it may still poll */
	uint64_t until;	  /* end of the current polling */
	bool moved;	  /* there was work since */
	bool spins;
	unsigned int failed_spins,
		skip; /* consecutive polls without work; sleeps left without polling */
};

/*
 * Return how long to poll if @ns are requested: 0 with one processor, which the other end may need.
 */
uint64_t doze_spin(uint64_t ns);

/* Note that a turn of the loop had work. */
static inline void doze_moved(struct doze *d)
{
	d->moved = true;
}

/*
 * Wait for the descriptors or the deadline of @idle. Return false if it polled instead of sleeping.
 */
bool doze(struct doze *d, struct roc_idle *idle);

#endif
