/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A generator of events: its registers, and when its next event is due. Its clock stands still as
 * long as it may not go on, and begins anew with its rate then.
 */
#ifndef EMU_GENERATOR_H
#define EMU_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#define GENERATOR_LAG 100 /* one that is late makes up for 1/GENERATOR_LAG second */

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
 * Events that it has by now; if none, @when it will. @flows: it may go on. @waits: what is due for
 * long is lost, else it waits.
 */
uint64_t generator_due(struct generator *g, bool flows, uint64_t now, bool waits, uint64_t *when);
/* So many were taken. */
void generator_took(struct generator *g, uint64_t events);

/* What was due by another rate is of no account any more. */
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
