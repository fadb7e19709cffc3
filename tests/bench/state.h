/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State shared by a measured reader and the ledger: one page range of memory per reader, so that
 * the ledger can read it at any moment without a system call of the reader.
 *
 * The ledger creates it before it starts the reader, both map it, and it is freed with the last of
 * them. The reader writes all members except those marked as the ledger's.
 */
#ifndef BENCH_STATE_H
#define BENCH_STATE_H

#include <stdatomic.h>
#include <stdint.h>

#define BENCH_CHANNELS 16

/*
 * Times are counted in classes of an eighth of an octave, from 1 us on: below 12.5 % of error at
 * any percentile. The last class holds everything from 8.6 s on.
 */
#define BENCH_EIGHTHS 8
#define BENCH_CLASSES (24 * BENCH_EIGHTHS)

/* Phases between exec and the first superpage, in this order. */
enum bench_mark {
	BENCH_EXEC,	  /* written by the ledger, right before */
	BENCH_MAIN,	  /* the program runs: loading and linking are over */
	BENCH_FOUND,	  /* cards found, endpoints open */
	BENCH_OPENED,	  /* channels open and configured, rings there */
	BENCH_ALLOCATED,  /* memory there, zeroed */
	BENCH_REGISTERED, /* pinned and mapped for the card */
	BENCH_FILLED,	  /* free superpages in the ring */
	BENCH_STARTED,	  /* the card's start-up waits are over */
	BENCH_FIRST,	  /* the reader has the first superpage */
	BENCH_MARKS
};

enum bench_phase {
	BENCH_STARTING,
	BENCH_RUNNING,
	BENCH_ENDED, /* in order */
	BENCH_FAILED,
};

struct bench_times {
	_Atomic uint64_t count;
	_Atomic uint64_t max_ns;
	_Atomic uint64_t classes[BENCH_CLASSES];
};

/* Time to walk through the packets of a batch: ps per packet, for the latest batches. */
#define BENCH_WALKS 64

struct bench_walks {
	_Atomic uint64_t count; /* the next one's place is this modulo BENCH_WALKS */
	_Atomic uint64_t ps[BENCH_WALKS];
};

struct bench_channel {
	_Atomic uint64_t superpages, bytes; /* filled ones */
	_Atomic uint64_t packets;	    /* walked through */
	_Atomic uint64_t reclaimed, refused;
	_Atomic uint64_t kicks, looks;
	uint64_t dropped; /* packets, by the driver: the card's count restarts at each start */
};

struct bench_state {
	_Atomic uint32_t stop;	       /* by the ledger: end in order; comes with SIGTERM */
	_Atomic uint32_t measuring;    /* by the ledger: count times */
	_Atomic uint32_t stamped;      /* by the ledger: superpages begin with the card's time */
	_Atomic int64_t clock_offset;  /* by the ledger: this clock minus the card's, ns */
	_Atomic uint32_t phase;	       /* enum bench_phase */
	_Atomic uint64_t sleeps;       /* times the reader went to sleep */
	_Atomic uint64_t empty_wakes;  /* wake-ups without data */
	char reason[256];	       /* error message of a failed reader */
	uint64_t marks[BENCH_MARKS];   /* ns of CLOCK_MONOTONIC */
	struct bench_times from_card;  /* card finished it -> reader has it */
	struct bench_times from_ready; /* kernel saw it -> reader has it */
	struct bench_walks walks;      /* outside of the window */
	struct bench_channel channels[BENCH_CHANNELS];
};

static inline void bench_time_add(struct bench_times *t, int64_t ns)
{
	uint64_t us = ns > 0 ? (uint64_t)ns / 1000 : 0;
	unsigned int octave, class = 0;

	if (us >= 1) {
		octave = 63 - __builtin_clzll(us);
		class = octave * BENCH_EIGHTHS;
		/* The three bits after the leading one. */
		class += octave >= 3 ? us >> (octave - 3) & 7 : us << (3 - octave) & 7;
	}
	if (class >= BENCH_CLASSES)
		class = BENCH_CLASSES - 1;
	t->classes[class]++;
	t->count++;
	if (ns > 0 && (uint64_t)ns > t->max_ns)
		t->max_ns = ns;
}

static inline void bench_walk_add(struct bench_walks *w, uint64_t ns, uint64_t packets)
{
	w->ps[w->count % BENCH_WALKS] = ns * 1000 / packets;
	w->count++;
}

#endif /* BENCH_STATE_H */
