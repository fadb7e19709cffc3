/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A generator of events: its registers, and when its next event is due. Its clock is stopped while
 * it may not run, and restarts with its rate.
 */
#ifndef EMU_GENERATOR_H
#define EMU_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#define GENERATOR_LAG 100 /* a late generator catches up at most 1/GENERATOR_LAG second */

struct generator {
	uint32_t control, size_min, size_max, rate; /* events per second, 0: no limit */
	uint64_t limit;				    /* 0: none */
	uint64_t next, generated;

	bool flows;	  /* since: */
	uint64_t base_ns; /* and this many events were taken of what was due: */
	uint64_t taken;
};

void generator_restart(struct generator *g, uint64_t first);
/* Events up to its limit. */
uint64_t generator_left(const struct generator *g);
/*
 * Events that are due by @now; if none, @when the next one is. @flows: it may run. @waits: events
 * overdue by more than the lag are dropped, else they stay due.
 */
uint64_t generator_due(struct generator *g, bool flows, uint64_t now, bool waits, uint64_t *when);
/* Take @events of the due events. */
void generator_took(struct generator *g, uint64_t events);

/* Restart the clock: events due by another rate are dropped. */
static inline void generator_clock(struct generator *g)
{
	g->flows = false;
}

/* The largest event, if sizes are distributed. */
static inline uint32_t generator_max(const struct generator *g)
{
	return g->size_max > g->size_min ? g->size_max : g->size_min;
}

#endif /* EMU_GENERATOR_H */
